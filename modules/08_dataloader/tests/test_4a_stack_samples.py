"""Laws of exercise 4a, stack_samples."""

from itertools import product

import numpy as np

from tinytorch.core.tensor import Tensor
from tinytorch.laws import Case, law

DTYPES = ("bool", "uint8", "int16", "int32", "int64", "float16", "float32", "float64")
ODD = (
    "compare every shape with the first one, before you stack; collect all that differ"
)


def seen(batch):
    """What a batch is: its class, its shape and its values."""
    return type(batch).__name__, np.shape(batch), np.asarray(batch).tolist()


def values_of(batch):
    return np.ravel(np.asarray(batch)).tolist()


@law(
    1,
    "value k in row k",
    look="np.stack makes a new first axis, np.concatenate none; is it a Tensor?",
)
def test_value_k_is_row_k(tt, draw):
    drawn = [draw.integers(200, size=(draw.integers(1, 6), *s)) for s in ((4,), (3, 2))]
    for rows in (
        [[1, 2], [3, 4], [5, 6]],
        [[1, 2]],
        [[7], [8]],
        [[[1, 2]], [[3, 4]]],
        [[], []],
        *(rows.tolist() for rows in drawn),
    ):
        call = f"stack_samples([np.array(row) for row in {rows}])"
        arrays = [np.array(row) for row in rows]
        want = "Tensor", np.shape(rows), rows
        yield call, lambda: seen(tt.stack_samples(arrays)), want


@law(
    2,
    "arrays and numbers",
    look="Tensor.data is the array, np.asarray takes anything else, and no single"
    " number needs a dimension of its own",
)
def test_any_plain_value_is_stacked(tt, draw):
    row, x, y = np.array([1, 2, 3]), *draw.integers(100, size=2).tolist()
    for call, values, want in (
        (f"[{x}, {y}]", [x, y], [x, y]),
        (f"({x}, {y}, 7)", (x, y, 7), [x, y, 7]),
        ("[0.5, 2.5]", [0.5, 2.5], [0.5, 2.5]),
        ("[True, False]", [True, False], [True, False]),
        ("[7]", [7], [7]),
        ("[np.int64(7), np.array(8)]", [np.int64(7), np.array(8)], [7, 8]),
        (f"[Tensor({x}), Tensor({y})]", [Tensor(x), Tensor(y)], [x, y]),
        ("[Tensor(7), np.array(8), 9]", [Tensor(7), np.array(8), 9], [7, 8, 9]),
        ("[row, row]", [row, row], [[1, 2, 3]] * 2),
        ("[Tensor(row), row]", [Tensor(row), row], [[1, 2, 3]] * 2),
        ("[row, Tensor(row)]", [row, Tensor(row)], [[1, 2, 3]] * 2),
    ):
        got = lambda: seen(tt.stack_samples(values))[1:]  # noqa: E731
        yield f"stack_samples({call}): shape, values", got, (np.shape(want), want)


@law(
    3,
    "bytes stay bytes",
    look="what becomes of a value on the way? astype, .item(), .tolist() and float"
    " change its dtype",
)
def test_the_dtype_is_kept(tt, draw):
    k = int(draw.integers(1, 1000))
    for dtype, shape in product(DTYPES, ((3,), ())):
        for name, kind in (("arrays", np.asarray), ("Tensors", Tensor)):
            values = [kind(np.ones(shape, dtype)) for _ in "12"]
            call = f"stack_samples(two {dtype} {name} of shape {shape}).dtype"
            yield call, lambda: str(tt.stack_samples(values).dtype), dtype
    for values, kind in (([k, 8], "i"), ([k + 0.5, 8.0], "f"), ([True, False], "b")):
        call = f"stack_samples({values}).dtype.kind"
        yield call, lambda: tt.stack_samples(values).dtype.kind, kind
    values = [np.array([2**53 + 1]), np.array([k])]
    call = f"stack_samples([np.array([2**53 + 1]), np.array([{k}])]).data.tolist()"
    yield call, lambda: values_of(tt.stack_samples(values)), [2**53 + 1, k]


def dtype_and_values(batch):
    return str(batch.dtype), values_of(batch)


@law(4, "common dtype", look="np.stack finds it; does one value alone decide?")
def test_numpy_chooses_the_common_dtype(tt, draw):
    k, x = int(draw.integers(200, 10**6)), int(draw.integers(200)) + 0.5
    for values, dtype, want in (
        ([1, 2.5], "float64", [1, 2.5]),
        ([k, x], "float64", [k, x]),
        ([np.uint8(x), np.float32(x)], "float32", [int(x), x]),
        ([np.array([int(x)], np.uint8), np.array([k])], "int64", [int(x), k]),
        ([2.5, 1], "float64", [2.5, 1]),
        ([1, 2, 3, 0.5], "float64", [1, 2, 3, 0.5]),
        ([np.uint8(1), np.float32(2.5)], "float32", [1, 2.5]),
        ([np.array([1, 2], np.int32), np.array([0.5, 3])], "float64", [1, 2, 0.5, 3]),
        ([np.array([1], np.uint8), np.array([300], np.int64)], "int64", [1, 300]),
        ([np.array([200], np.uint8), np.array([-1], np.int8)], "int16", [200, -1]),
        ([Tensor(np.float32(1)), Tensor(np.float64(0.1))], "float64", [1, 0.1]),
        ([True, 2.5], "float64", [1, 2.5]),
    ):
        got = lambda: dtype_and_values(tt.stack_samples(values))  # noqa: E731
        yield f"stack_samples({values}): dtype, values", got, (dtype, want)


def after_writing(tt, rows, in_tensors):
    """The rows and a batch of them, after another batch of them was set to 0."""
    import numpy as np

    from tinytorch.core.tensor import Tensor

    rows = np.array(rows)
    values = [Tensor(row) if in_tensors else row for row in rows]
    kept, other = tt.stack_samples(values), tt.stack_samples(values)
    other.data[...] = 0
    return rows.tolist(), np.ravel(kept.data).tolist()


@law(
    5,
    "new memory",
    look="is there a shortcut for one value, or a batch whose memory is used again?",
)
def test_a_batch_has_memory_of_its_own(inside, draw):
    for rows in ([[1, 2]], [[1, 2], [3, 4]], [1, 2, 3], [[[5]]]):
        for in_tensors in (False, True):
            rows = (np.array(rows) + draw.integers(1, 100)).tolist()
            kind = "Tensor" if in_tensors else "np.array"
            call = (
                f"rows = {kind} of each of {rows}; a = stack_samples(rows); b the same;"
            )
            call = f"{call} b.data[...] = 0: rows, values in a"
            want = rows, np.ravel(rows).tolist()
            yield call, lambda: inside(after_writing, rows, in_tensors), want


@law(
    6,
    "Different shapes",
    look="compare every shape with the first one, before you stack, and collect all"
    " positions that differ",
)
def test_each_other_shape_is_named(tt, draw):
    values = [np.zeros(3), np.zeros(3)]
    got = lambda: values_of(tt.stack_samples(values))  # noqa: E731
    yield "stack_samples([np.zeros(3), np.zeros(3)]): values", got, [0] * 6
    odd = sorted(draw.permutation(np.arange(10, 19))[:2].tolist())
    for shapes, positions in (
        ([(7,), (7,), (8,)], [2]),
        ([(7,), (8,), (8,)], [1, 2]),
        ([(7,), (9,), (9,), (7,)], [1, 2]),
        ([(7,), (7,), (7,), (8,), (7,), (9,)], [3, 5]),
        ([(3,), (3,), (1,)], [2]),
        ([(3,), (3,), (1, 3)], [2]),
        ([(7,), (7,), (7, 1)], [2]),
        ([(7,), (7,), (7,), ()], [3]),
        ([(), (7,)], [1]),
        ([(4, 3), (4, 3), (3, 4)], [2]),
        ([(4 if k in odd else 3,) for k in range(19)], odd),
    ):
        for name, kind in (("arrays", np.asarray), ("Tensors", Tensor)):
            values = [kind(np.zeros(shape)) for shape in shapes]
            call = f"stack_samples({name} of the shapes {', '.join(map(str, shapes))})"
            says = [*map(str, positions), *map(str, sorted({*shapes}))]
            yield Case(call, lambda: tt.stack_samples(values), says, raises=ValueError)


@law(7, "empty list", look="ask whether there are values before you look at the first")
def test_an_empty_list_is_refused(tt, draw):
    k = int(draw.integers(7, 10**6))
    got = values_of(tt.stack_samples([np.array([k])]))
    yield f"stack_samples([np.array([{k}])]): values", got, [k]
    yield Case("stack_samples([])", lambda: tt.stack_samples([]), raises=ValueError)

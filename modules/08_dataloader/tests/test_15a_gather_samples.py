"""Laws of exercise 15a, gather_samples."""

import numpy as np
from stand_ins_08 import PlainRows

from tinytorch.laws import Case, law

DTYPES = ("uint8", "int64", "float32", "float64", "int16", "bool")


def drawn(draw, n):
    """Three arrays of n rows, of different shapes and dtypes."""
    shapes = (n, 2), (n,), (n, 1, 2)
    kinds = draw.permutation(DTYPES)[:3].tolist()
    pairs = zip(shapes, kinds, strict=True)
    return [draw.integers(0, 200, shape).astype(kind) for shape, kind in pairs]


def rows_of(array):
    return array.shape, array.tolist()


@law(1, "tuple with a Tensor", look="Tensor(...) for each, and tuple(...) around them")
def test_a_batch_is_a_tuple_of_tensors(tt, stand_in, draw):
    stand_in(PlainRows=PlainRows)
    for count in (3, 1):
        dataset = tt.PlainRows(*drawn(draw, 9)[:count])

        def kinds(indices):
            batch = tt.gather_samples(dataset, indices)
            return type(batch).__name__, [type(part).__name__ for part in batch]

        for indices in (np.array([7, 2, 2]), [4]):
            call = f"gather_samples(ds of {count} tensors, {indices}): the types"
            yield call, lambda: kinds(indices), ("tuple", ["Tensor"] * count)


@law(
    2,
    "Row k of",
    look="np.take(tensor.data, indices, axis=0) for each tensor, in the order of the"
    " indices; an empty array has no minimum",
)
def test_the_rows_are_those_of_the_indices(tt, stand_in, draw):
    stand_in(PlainRows=PlainRows)
    n = int(draw.integers(9, 30))
    arrays = drawn(draw, n)
    dataset = tt.PlainRows(*arrays)
    whole, mixed = list(range(n)), draw.permutation(n)
    repeated = mixed[[3, 0, 3]].tolist()
    for indices in (repeated, mixed[:4].tolist(), whole, [n - 1], [0, 1], [2, 1], []):
        for kind in (list, np.int64, np.int32):
            given = indices if kind is list else np.array(indices, kind)
            told = (
                f"{indices}"
                if kind is list
                else f"np.array({indices}, np.{given.dtype})"
            )
            for k, array in enumerate(arrays):
                want = array[np.array(indices, int)]
                call = f"gather_samples(ds of {n}, {told})[{k}]: shape, rows"
                part = lambda: tt.gather_samples(dataset, given)[k].data  # noqa: E731
                yield call, lambda: rows_of(part()), rows_of(want)
    rows = lambda: tt.TensorDataset.__getitems__(dataset, repeated)[1].data.tolist()  # noqa: E731
    call = f"TensorDataset.__getitems__(ds, {repeated})[1]: rows"
    look = "the line below your function: TensorDataset.__getitems__ = gather_samples"
    yield Case(call, rows, arrays[1][repeated].tolist(), look=look)


@law(3, "keeps the dtypes", look="np.take keeps the dtype; what changes it afterwards?")
def test_the_dtypes_stay(tt, stand_in, draw):
    stand_in(PlainRows=PlainRows)
    arrays = [draw.integers(0, 99, (9, 2)).astype(kind) for kind in DTYPES]
    dataset = tt.PlainRows(*arrays)
    for indices in (draw.integers(0, 9, 4).tolist(), [8], []):
        call = f"gather_samples(ds, {indices}): dtypes and numbers of rows"
        parts = lambda: [  # noqa: E731
            (str(part.data.dtype), len(part.data))
            for part in tt.gather_samples(dataset, np.array(indices, np.int64))
        ]
        yield call, parts, [(kind, len(indices)) for kind in DTYPES]


def reads(tt, arrays, indices):
    """How often samples and arrays were read for one batch, and the rows in it."""
    import numpy as np

    calls = [0] * (len(arrays) + 1)

    class Counted(np.ndarray):
        def __getitem__(self, key):
            calls[self.number] += 1
            return np.asarray(self)[key]

        def take(self, *args, **settings):
            calls[self.number] += 1
            return np.asarray(self).take(*args, **settings)

    class Rows(tt.PlainRows):
        def __getitem__(self, index):
            calls[0] += 1
            return super().__getitem__(index)

    dataset = Rows(*arrays)
    for number, tensor in enumerate(dataset.tensors, 1):
        tensor.data = tensor.data.view(Counted)
        tensor.data.number = number
    batch = tt.gather_samples(dataset, indices)
    return calls, [np.asarray(part.data).tolist() for part in batch]


@law(
    4,
    "no sample one by",
    look="is there a loop over the indices? np.take(tensor.data, indices, axis=0) takes"
    " all of them in one call",
)
def test_each_tensor_is_read_once(inside, stand_in, draw):
    stand_in(PlainRows=PlainRows)
    for count in (7, 2):
        arrays, indices = drawn(draw, 12), draw.integers(0, 12, count)
        rows = [array[indices].tolist() for array in arrays]
        calls, got = inside(reads, arrays, indices)
        call = f"gather_samples(ds of 3 tensors, {indices.tolist()})"
        # a call that takes an array's memory by another way is not counted
        holds = calls[0] == 0 and max(calls) <= 1 and len(got) == len(rows)
        told = f"{calls[0]} calls of ds[i], {calls[1:]} reads of the tensors"
        yield call, told, "0 calls of ds[i], [1, 1, 1] reads of the tensors", holds
        yield f"{call}: rows", got, rows


def overwritten(tt, arrays, first, second):
    """A first batch after a second one was overwritten, and the dataset then."""
    import numpy as np

    dataset = tt.PlainRows(*arrays)
    kept = tt.gather_samples(dataset, np.array(first))
    for part in tt.gather_samples(dataset, np.array(second)):
        part.data[...] = 0
    return [
        [part.data.tolist() for part in kept],
        [tensor.data.tolist() for tensor in dataset.tensors],
    ]


@law(
    5,
    "its own memory",
    look="a slice is a view, also of one row; np.take copies, and makes a new array"
    " each time",
)
def test_a_batch_can_be_changed(inside, stand_in, draw):
    stand_in(PlainRows=PlainRows)
    arrays = [np.arange(1, 9).reshape(4, 2), np.arange(1.0, 5)]
    values = [array.tolist() for array in arrays]
    for second in ([2], [0, 1, 2, 3], [1, 2], [3, 0], [3, 2, 1], [1, 1]):
        first = draw.integers(0, 4, len(second)).tolist()
        kept, after = inside(overwritten, arrays, first, second)
        call = f"a = gather_samples(ds, {first}); b = gather_samples(ds, {second});"
        call += " b is filled with 0"
        yield f"{call}: ds.tensors", after, values
        yield f"{call}: a", kept, [array[first].tolist() for array in arrays]


@law(
    6,
    "An index outside",
    look="which indices are checked? All, also below 0: NumPy takes -1 for the last"
    " row",
)
def test_an_index_outside_is_refused(tt, stand_in, draw):
    stand_in(PlainRows=PlainRows)
    n = int(draw.integers(9, 30))
    dataset = tt.PlainRows(np.arange(n), np.arange(n))
    ends = lambda: tt.gather_samples(dataset, [0, n - 1, 0])[1].data.tolist()  # noqa: E731
    yield f"gather_samples(ds of {n}, [0, {n - 1}, 0])[1]", ends, [0, n - 1, 0]
    for bad in (
        [n],
        [-1],
        [0, n],
        [0, -1],
        [2, -n, 1],
        [2, n, 1],
        [-1, 3],
        [n, 3],
        [n + int(draw.integers(1, 99))],
        [2**33, -(2**33)],
    ):
        for given in (bad, np.array(bad)):
            call = f"gather_samples(ds of {n}, {given!r})"
            gather = lambda: tt.gather_samples(dataset, given)  # noqa: E731
            yield Case(call, gather, raises=IndexError)

"""Hidden: laws of stack_samples and collate on samples that are drawn anew each run (`draw`)."""

import numpy as np
import pytest

from tinytorch.core.tensor import Tensor
from tinytorch.testing import expect, expect_raises


@pytest.mark.contract("test_stack_samples")
def test_any_values_of_one_shape_are_stacked(tt, draw):
    for shape in ((), (1,), (3,), (2, 3), (3, 2, 2)):
        for dtype in ("uint8", "int64", "float32"):
            arrays = [
                draw.integers(0, 200, shape).astype(dtype) for _ in range(int(draw.integers(1, 5)))
            ]
            wrap = (Tensor, np.asarray)[int(draw.integers(2))]
            got = tt.stack_samples([wrap(array) for array in arrays])
            want = np.stack(arrays)
            expect(
                isinstance(got, Tensor)
                and got.data.dtype == want.dtype
                and got.data.shape == want.shape
                and np.array_equal(got.data, want),
                "The batch is a Tensor of shape (B, ...) with value k in row k.",
                call=f"stack_samples({len(arrays)} of {dtype} {shape})",
                got=f"{type(got).__name__} {got.dtype} {got.shape}",
                want=f"Tensor {want.dtype} {want.shape}",
                look="np.stack adds the first dimension, also to numbers",
            )


@pytest.mark.contract("test_stack_samples")
def test_python_numbers_become_numbers_of_their_kind(tt, draw):
    for samples, kind in (
        (draw.integers(-5, 5, 4).tolist(), "i"),
        (draw.uniform(-1, 1, 4).tolist(), "f"),
    ):
        got = tt.stack_samples(samples).data
        expect(
            got.dtype.kind == kind and np.allclose(got, samples),
            "The dtype is kept: bytes stay bytes, integers stay integers.",
            call=f"stack_samples({samples})",
            got=f"{got.dtype} {got.tolist()}",
            want=samples,
        )


@pytest.mark.contract("test_stack_samples")
def test_the_odd_value_is_named_wherever_it_stands(tt, draw):
    n = int(draw.integers(3, 9))
    odd, width = int(draw.integers(1, n)), int(draw.integers(4, 30))
    got = tt.stack_samples([np.zeros(3) for _ in range(n)])
    expect(
        np.size(got.data if isinstance(got, Tensor) else got) == 3 * n,
        "The batch is a Tensor of shape (B, ...) with value k in row k.",
        call=f"stack_samples({n} values of shape (3,))",
        got=got,
        want=f"{3 * n} numbers",
    )
    expect_raises(
        ValueError,
        lambda: tt.stack_samples([np.zeros(width if i == odd else 3) for i in range(n)]),
        "Different shapes raise a `ValueError` that names each position whose shape differs"
        " from position 0, and all their shapes.",
        says=[str(odd), f"({width},)", "(3,)"],
        call=f"{n} values, where value {odd} has shape ({width},) and the others (3,)",
        look="the position within the batch, and both shapes, in the message",
    )


def batch_then_samples(tt, rows):
    """The batch of these rows, and the rows after the batch was overwritten."""
    batch = tt.stack_samples(list(rows))
    stacked = batch.data.tolist()
    batch.data[...] = 0
    return [stacked, rows.tolist()]


@pytest.mark.contract("test_stack_samples")
def test_a_batch_has_memory_of_its_own(tt, inside, draw):
    for count in (1, int(draw.integers(2, 6))):
        rows = draw.integers(1, 99, (count, 3))
        stacked, after = inside(batch_then_samples, rows)
        for got in (stacked, tt.stack_samples(list(rows)).data.tolist()):
            expect(
                got == rows.tolist(),
                "The batch is a Tensor of shape (B, ...) with value k in row k.",
                call=f"stack_samples(rows of {rows.tolist()})",
                got=got,
                want=rows.tolist(),
            )
        expect(
            after == rows.tolist(),
            "A batch has new memory, even for one value: writing into a batch changes no value"
            " and no other batch.",
            call=f"stack_samples({count} rows).data[...] = 0",
            got=f"the samples became {after}",
            want=rows.tolist(),
            look="a view or a copy? is there a shortcut for one sample?",
        )


def random_structure(draw, depth):
    """A function from a sample's number to a nested sample, and one that gives the flat values
    of each leaf of a batch.
    """
    kind = draw.choice(["leaf", "leaf", "tuple", "list", "dict"]) if depth else "leaf"
    if kind == "leaf":
        wrap, offset = (Tensor, np.asarray)[int(draw.integers(2))], int(draw.integers(100))
        return (lambda i: wrap(np.full(2, i + offset))), (
            lambda ids: [i + offset for i in ids for _ in range(2)]
        )
    parts = [random_structure(draw, depth - 1) for _ in range(int(draw.integers(1, 4)))]
    if kind == "dict":
        return (lambda i: {f"k{j}": make(i) for j, (make, _) in enumerate(parts)}), (
            lambda ids: {f"k{j}": flat(ids) for j, (_, flat) in enumerate(parts)}
        )
    if kind == "list":
        return (lambda i: [make(i) for make, _ in parts]), (
            lambda ids: Parts(flat(ids) for _, flat in parts)
        )
    return (lambda i: tuple(make(i) for make, _ in parts)), (
        lambda ids: tuple(flat(ids) for _, flat in parts)
    )


class Parts(list):
    """The wanted parts of a list; a plain list holds the wanted values of a leaf."""


def same(got, want):
    if isinstance(want, dict):
        return (
            isinstance(got, dict)
            and got.keys() == want.keys()
            and all(same(got[key], want[key]) for key in want)
        )
    if isinstance(want, (tuple, Parts)):
        kind = list if isinstance(want, Parts) else tuple
        return type(got) is kind and len(got) == len(want) and all(map(same, got, want))
    # the exact shape of a leaf is a promise of stack_samples
    leaf = got.data if isinstance(got, Tensor) else got
    return isinstance(leaf, np.ndarray) and np.ravel(leaf).tolist() == want


@pytest.mark.contract("test_collate")
def test_any_nested_sample_is_collated_leaf_by_leaf(tt, draw):
    for _ in range(12):
        make, flat = random_structure(draw, depth=3)
        n = int(draw.integers(1, 5))
        got, want = tt.collate([make(i) for i in range(n)]), flat(range(n))
        expect(
            same(got, want),
            "Structures inside structures are collated too.",
            call=f"collate({n} samples like {make(0)!r})",
            got=got,
            want=want,
        )


def named_batch(tt, names, rows):
    """The class and the columns of a batch of named tuples, which stand inside a dict."""
    from collections import namedtuple

    import numpy as np

    Row = namedtuple("Row", names)
    samples = [{"row": Row(*(np.array([number]) for number in row))} for row in rows]
    batch = tt.collate(samples)["row"]
    columns = [np.ravel(getattr(part, "data", part)).tolist() for part in batch]
    return [type(batch) is Row, type(batch).__name__, columns]


@pytest.mark.contract("test_collate")
def test_named_tuples_stay_named_tuples(inside, draw):
    for width in (1, int(draw.integers(2, 6))):
        rows = draw.integers(0, 99, (int(draw.integers(1, 5)), width))
        names = [f"part{k}" for k in range(width)]
        same, kind, columns = inside(named_batch, names, rows.tolist())
        expect(
            same and columns == rows.T.tolist(),
            "A named tuple gives a named tuple of the same class.",
            call=f"collate({len(rows)} dicts with a named tuple Row of {width} parts)",
            got=f"a {kind} of {columns}",
            want=f"the same Row, of {rows.T.tolist()}",
            look="first._make(parts), or type(first)(*parts)",
        )


@pytest.mark.contract("test_collate")
def test_samples_of_different_structure_are_refused(tt):
    leaf = np.array([1])
    expect(
        same(tt.collate([(leaf, leaf), (leaf, leaf)]), ([1, 1], [1, 1])),
        "Tuples give a tuple and lists give a list, with each part collated; 1-tuples give a"
        " 1-tuple.",
        call="collate([(1, 1), (1, 1)])",
        want=([1, 1], [1, 1]),
    )
    for samples in (
        [(leaf, leaf), (leaf,)],
        [[leaf], [leaf, leaf]],
        [{"a": leaf}, {"b": leaf}],
        [{"a": leaf}, {"a": leaf, "b": leaf}],
    ):
        expect_raises(
            ValueError,
            lambda: tt.collate(samples),
            "Tuples or lists of different lengths, and dicts with different keys, raise"
            " `ValueError`.",
            call=f"collate({samples})",
            look="zip stops at the shortest without a word",
        )


@pytest.mark.contract("test_collate")
def test_an_empty_list_of_samples_is_refused(tt):
    got = tt.collate([np.array([7]), np.array([8])])
    expect(
        same(got, [7, 8]),
        "Samples that are no tuple, list or dict go to `stack_samples`; the batch is a bare"
        " Tensor.",
        call="collate([[7], [8]]), two arrays",
        got=got,
        want=[7, 8],
    )
    expect_raises(
        ValueError,
        lambda: tt.collate([]),
        "An empty list of samples raises `ValueError`.",
        call="collate([])",
        look="there is no first sample to look at",
    )

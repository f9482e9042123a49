"""Promises of Batch, ArrayBatchLoader and SliceBatchLoader. `tt` is your exported
package.
"""

import numpy as np
import pytest

from tinytorch.testing import expect, expect_raises

pytestmark = pytest.mark.contract("contract_batches")


class Numbers:
    """A batch loader of the test: record i has the input 10 i and the output i."""

    def __init__(self, tt, length):
        self.tt, self.length, self.ranges = tt, length, []

    def __len__(self):
        return self.length

    def get_batch(self, start, end):
        self.ranges.append((start, end))
        return self.tt.Batch(10 * np.arange(start, end), np.arange(start, end))


def test_a_batch_names_its_arrays(tt):
    batch = tt.Batch(np.zeros((4, 2), np.uint8), np.arange(4))
    got = list(batch.inputs), list(batch.outputs), len(batch)
    expect(
        got == (["input"], ["output"], 4),
        "Bare arrays are called input and output, and len counts the records.",
        call="Batch(images, labels)",
        got=got,
        want=(["input"], ["output"], 4),
    )
    named = tt.Batch(
        {"image": np.zeros((3, 2)), "hour": [1, 2, 3]}, {"label": np.arange(3)}
    )
    got = list(named.inputs), list(named.outputs), len(named)
    expect(
        got == (["image", "hour"], ["label"], 3),
        "Dicts keep their names.",
        call='Batch({"image": ..., "hour": ...}, {"label": ...})',
        got=got,
        want=(["image", "hour"], ["label"], 3),
    )


def test_unequal_arrays_are_refused_with_names_and_sizes(tt):
    got = len(tt.Batch({"image": np.zeros(5), "hour": np.zeros(5)}, np.zeros(5)))
    expect(
        got == 5,
        "Equal first dimensions make a batch.",
        call='len(Batch({"image": 5 records, "hour": 5 records}, 5 labels))',
        got=got,
        want=5,
    )
    expect_raises(
        ValueError,
        lambda: tt.Batch({"image": np.zeros(5), "hour": np.zeros(4)}, np.zeros(5)),
        "Unequal first dimensions are refused, with names and sizes.",
        says=["image", "5", "hour", "4"],
        call='Batch({"image": 5 records, "hour": 4 records}, 5 labels)',
        look="compare all arrays of both sides",
    )
    expect_raises(
        ValueError,
        lambda: tt.Batch({"x": np.zeros(5)}, {"x": np.zeros(6)}),
        "Both sides are compared, also under one name.",
        says=["5", "6"],
        call='Batch({"x": 5 records}, {"x": 6 records})',
    )


def begun(tt):
    """The exercise of the group is written; an abstract class needs nothing of it."""
    tt.check_range(0, 1, 1)


def test_a_batch_loader_is_abstract(tt):
    begun(tt)
    expect_raises(
        TypeError,
        lambda: tt.BatchLoader(),
        "BatchLoader is abstract: it cannot be made itself.",
        call="BatchLoader()",
    )


def test_arrays_are_read_in_ranges(tt):
    x, y = np.arange(20, dtype=np.float32).reshape(10, 2), np.arange(10, dtype=np.uint8)
    loader = tt.ArrayBatchLoader(x, y)
    batch = loader.get_batch(2, 5)
    got = batch.inputs["input"], batch.outputs["output"]
    expect(
        np.array_equal(got[0], x[2:5])
        and np.array_equal(got[1], y[2:5])
        and len(loader) == 10,
        "get_batch(start, end) holds records start to end - 1.",
        call="ArrayBatchLoader(x, y).get_batch(2, 5)",
        got=[part.tolist() for part in got],
        want=[x[2:5].tolist(), y[2:5].tolist()],
    )
    expect(
        (got[0].dtype, got[1].dtype) == (np.float32, np.uint8),
        "Dtypes are kept.",
        call="get_batch(2, 5)",
        got=[str(part.dtype) for part in got],
        want=["float32", "uint8"],
    )
    for start, end in ((5, 11), (-1, 2), (4, 3)):
        expect_raises(
            IndexError,
            lambda: loader.get_batch(start, end),
            "A range outside is an IndexError with its numbers.",
            says=[str(start), str(end)],
            call=f"get_batch({start}, {end}) of 10 records",
        )


def test_a_slice_counts_from_its_start(tt):
    numbers = Numbers(tt, 60)
    part = tt.SliceBatchLoader(numbers, 50, 10)
    batch = part.get_batch(1, 4)
    got = batch.outputs["output"].tolist()
    expect(
        got == [51, 52, 53] and len(part) == 10,
        "Record i of a slice is record start + i of its loader.",
        call="SliceBatchLoader(loader, 50, 10).get_batch(1, 4)",
        got=got,
        want=[51, 52, 53],
    )
    got = tt.SliceBatchLoader(part, 2, 3).get_batch(0, 3).outputs["output"].tolist()
    expect(
        got == [52, 53, 54],
        "A slice can be sliced.",
        call="slice 2..5 of slice 50..60",
        got=got,
        want=[52, 53, 54],
    )


def test_a_slice_stays_inside(tt):
    numbers = Numbers(tt, 60)
    part = tt.SliceBatchLoader(numbers, 10, 20)
    expect_raises(
        IndexError,
        lambda: part.get_batch(15, 21),
        "A slice gives nothing beyond its end, although its loader could.",
        call="SliceBatchLoader(loader of 60, 10, 20).get_batch(15, 21)",
    )
    for start, length in ((50, 11), (-1, 5), (3, -2)):
        expect_raises(
            ValueError,
            lambda: tt.SliceBatchLoader(numbers, start, length),
            "A slice that does not fit into its loader is refused.",
            says=[str(start), str(length)],
            call=f"SliceBatchLoader(loader of 60, {start}, {length})",
        )
    expect(
        numbers.ranges == [],
        "Making a slice reads nothing.",
        call="SliceBatchLoader(...)",
        got=numbers.ranges,
        want=[],
    )

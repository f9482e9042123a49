"""Hidden: batches, arrays and slices of random sizes."""

import contextlib

import numpy as np
import pytest

from tinytorch.testing import expect, expect_raises


def plain_parts(tt):
    """Put plain parts in the place of `Batch` and `check_range`, and return what puts the
    student's back.
    """

    class PlainBatch:
        def __init__(self, inputs, outputs):
            self.inputs, self.outputs = (
                dict(side) if hasattr(side, "keys") else {name: side}
                for name, side in (("input", inputs), ("output", outputs))
            )

        def __len__(self):
            arrays = [*self.inputs.values(), *self.outputs.values()]
            return len(arrays[0])

    def plain_range(start, end, length):
        if start < 0 or end < start or length < end:
            raise IndexError(f"range {start}:{end} is outside 0:{length}")

    parts = {"Batch": PlainBatch, "check_range": plain_range}
    before = {name: vars(tt)[name] for name in parts}
    vars(tt).update(parts)
    return lambda: vars(tt).update(before)


@pytest.fixture
def plain(inside):
    """A bug in `Batch` or `check_range` costs no points of the loaders."""
    put_back = inside(plain_parts)
    yield
    with contextlib.suppress(pytest.fail.Exception):  # the process has ended
        put_back()


def where_arrays_lie(tt, x, y, lows):
    """For views of two arrays that begin at `lows`: how many bytes behind the array's begin the
    batch has them.
    """

    def begin(array):
        return array.__array_interface__["data"][0]

    batch = tt.Batch({"x": x[lows[0] :: 2]}, {"y": y[lows[1] :: 2]})
    return begin(batch.inputs["x"]) - begin(x), begin(batch.outputs["y"]) - begin(y)


@pytest.mark.contract("test_check_range")
def test_only_ranges_inside_are_accepted(tt, draw):
    n = int(draw.integers(3, 8))
    for start in range(-2, n + 3):
        for end in range(-2, n + 3):
            inside = 0 <= start <= end <= n
            try:
                tt.check_range(start, end, n)
                accepted = True
            except IndexError:
                accepted = False
            expect(
                accepted == inside,
                "A range with 0 <= start <= end <= length gives None.",
                call=f"check_range({start}, {end}, {n})",
                got="accepted" if accepted else "IndexError",
                want="accepted" if inside else "IndexError",
                look="0 <= start <= end <= length: each comparison is there, and allows equal"
                " numbers",
            )


@pytest.mark.contract("test_array_batch_loader")
def test_every_range_of_every_array_is_that_slice(tt, plain, draw):
    n = int(draw.integers(20, 60))
    x, y = draw.normal(0, 1, (n, 3)), draw.integers(0, 1000, n)
    loader = tt.ArrayBatchLoader({"a": x, "b": x[:, 0]}, {"c": y, "a": -y})
    ranges = [(0, n), (n, n), (0, 0), *np.sort(draw.integers(0, n + 1, (8, 2))).tolist()]
    for start, end in ranges:
        batch = loader.get_batch(start, end)
        expect(
            (set(batch.inputs), set(batch.outputs)) == ({"a", "b"}, {"c", "a"}),
            "Every array is in the batch, under its name, in inputs or outputs.",
            call=f"get_batch({start}, {end})",
            got=(list(batch.inputs), list(batch.outputs)),
            want=(["a", "b"], ["c", "a"]),
            look="what is handed to Batch? Two dicts, with every name of self.inputs and "
            "of self.outputs",
        )
        pairs = (
            (batch.inputs["a"], x),
            (batch.inputs["b"], x[:, 0]),
            (batch.outputs["c"], y),
            (batch.outputs["a"], -y),
        )
        expect(
            all(np.array_equal(got, whole[start:end]) for got, whole in pairs),
            "A batch holds records start to end - 1 of every array.",
            call=f"get_batch({start}, {end}) of {n} records",
            got="other records",
            want=f"records {start} to {end - 1}",
            look="array[start:end] of the array with this name on this side; does an earlier call"
            " change self.inputs?",
        )


@pytest.mark.contract("test_array_batch_loader")
def test_no_range_outside_of_arrays_is_answered(tt, plain, draw):
    n = int(draw.integers(5, 20))
    loader = tt.ArrayBatchLoader(np.arange(n), np.arange(n))
    got = loader.get_batch(n - 2, n).inputs["input"].tolist()
    expect(
        got == [n - 2, n - 1],
        "A batch holds records start to end - 1 of every array.",
        call=f"get_batch({n - 2}, {n}) of {n} records",
        got=got,
        want=[n - 2, n - 1],
        look="array[start:end]; end may be the number of records",
    )
    for start, end in ((n - 2, n + 1), (n + 1, n + 1), (-1, 2), (-3, -1), (3, 2)):
        expect_raises(
            IndexError,
            lambda: loader.get_batch(start, end),
            "A range outside raises IndexError with its numbers.",
            call=f"get_batch({start}, {end}) of {n} records",
            look="check_range(start, end, self.length), before the first slice",
        )


def where_views_lie(tt, x, y, start, end):
    """How many bytes behind the begin of `x` and `y` the batch start..end has its arrays."""

    def begin(array):
        return array.__array_interface__["data"][0]

    batch = tt.ArrayBatchLoader({"x": x}, {"y": y}).get_batch(start, end)
    return begin(batch.inputs["x"]) - begin(x), begin(batch.outputs["y"]) - begin(y)


@pytest.mark.contract("test_array_batch_loader")
def test_batches_in_memory_are_views(inside, plain, draw):
    start, n = int(draw.integers(2, 20)), int(draw.integers(5, 20))
    x, y = draw.normal(size=(start + n, 3)), draw.integers(0, 100, start + n)
    got = tuple(inside(where_views_lie, x, y, start, start + 4))
    want = (start * x.strides[0], start * y.strides[0])
    expect(
        got == want,
        "The arrays of a batch are views of the loader's arrays: nothing is copied.",
        call=f"get_batch({start}, {start + 4}), bytes from the loader's arrays to the batch's",
        got=got,
        want=want,
        look="a slice is a view; a list of indices, np.array and .copy() are not",
    )


class Records:
    """A batch loader of the test, with other values than the numbers of its records."""

    def __init__(self, tt, values):
        self.tt, self.column, self.ranges = tt, values, []

    def __len__(self):
        return len(self.column)

    def get_batch(self, start, end):
        self.ranges.append((start, end))
        return self.tt.Batch({"x": self.column[start:end]}, {"y": -self.column[start:end]})


@pytest.mark.contract("test_slice_batch_loader")
def test_a_slice_of_slices_shows_the_records_behind_it(tt, plain, draw):
    n = int(draw.integers(30, 60))
    values = draw.normal(0, 1, n)
    records = Records(tt, values)
    loader, low, length = records, 0, n
    for _round in range(4):
        # Each slice leaves a few records out at both ends.
        start, left_out = draw.integers(1, 4, 2).tolist()
        length = length - start - left_out
        loader, low = tt.SliceBatchLoader(loader, start, length), low + start
        first = int(draw.integers(0, length))
        last = int(draw.integers(first + 1, length + 1))
        records.ranges.clear()
        batch = loader.get_batch(first, last)
        want = values[low + first : low + last]
        expect(
            np.array_equal(batch.inputs["x"], want) and np.array_equal(batch.outputs["y"], -want),
            "Record i of a slice is record start + i of its loader.",
            call=f"records {low}..{low + length} of {n}, get_batch({first}, {last})",
            got="other records",
            want=f"records {low + first} to {low + last - 1}",
            look="get_batch: `start` and `end` count from the start of the slice: add it to both",
        )
        expect(
            records.ranges == [(low + first, low + last)] and len(loader) == length,
            "Each call asks the loader once, for the range it needs and for nothing else.",
            call=f"get_batch({first}, {last}): ranges that were read",
            got=records.ranges,
            want=[(low + first, low + last)],
            look="one get_batch of the loader behind",
        )
        for range_outside in ((0, length + 1), (-1, 1)):
            expect_raises(
                IndexError,
                lambda: loader.get_batch(*range_outside),
                "A range outside the slice raises IndexError, although the loader has"
                " those records.",
                call=f"get_batch{range_outside} of a slice of {length}",
                look="get_batch: check_range with the length of the slice, before the slice's "
                "start is added",
            )


@pytest.mark.contract("test_slice_batch_loader")
def test_exactly_the_slices_that_fit_can_be_made(tt, plain, draw):
    n = int(draw.integers(3, 7))
    records = Records(tt, np.arange(n))
    for start in range(-1, n + 2):
        for length in range(-1, n + 2):
            fits = start >= 0 and length >= 0 and start + length <= n
            call = f"SliceBatchLoader(loader of {n}, {start}, {length})"
            if fits:
                made = len(tt.SliceBatchLoader(records, start, length))
                expect(
                    made == length,
                    "len(part) is length, even if it is 0.",
                    call=f"len({call})",
                    got=made,
                    want=length,
                    look="`__len__`: the third argument is a length, not an end",
                )
            else:
                expect_raises(
                    ValueError,
                    lambda: tt.SliceBatchLoader(records, start, length),
                    "A slice that does not fit into its loader raises ValueError with"
                    " its numbers when made.",
                    says=[str(start), str(length)],
                    call=call,
                    look="`__init__` asks three things: start, length and start + length; the"
                    " message says start and length",
                )
    expect(
        records.ranges == [],
        "Making a slice reads nothing.",
        call="SliceBatchLoader(...)",
        got=records.ranges,
        want=[],
        look="`__init__` keeps the loader; get_batch asks it",
    )

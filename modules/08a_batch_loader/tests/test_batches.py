"""Promises of Batch, check_range, ArrayBatchLoader and SliceBatchLoader. `tt` is your
exported package.
"""

import contextlib

import numpy as np
import pytest

from tinytorch.testing import expect, expect_raises


def plain_parts(tt):
    """Put plain parts in the place of `Batch` and `check_range`, and return what puts
    yours back.
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


class Numbers:
    """A batch loader of the test: record i has the input 10 i and the output i.
    `ranges` is what it was asked for.
    """

    def __init__(self, tt, length):
        self.tt, self.length, self.ranges = tt, length, []

    def __len__(self):
        return self.length

    def get_batch(self, start, end):
        self.ranges.append((start, end))
        numbers = np.arange(start, end)
        return self.tt.Batch({"input": 10 * numbers}, {"output": numbers})


class Fails:
    """Foreign code that always fails with `error`, and counts its calls."""

    def __init__(self, error):
        self.error, self.calls = error, 0

    def __len__(self):
        return 60

    def get_batch(self, start, end):
        self.calls += 1
        raise self.error


def kind_of(error):
    """Type and message of an error, as one text."""
    return f"{type(error).__name__}: {error}"


def raised_by(function):
    """Type and message of what `function()` raises."""
    try:
        function()
    except NotImplementedError:  # your turn
        raise
    except Exception as error:  # noqa: BLE001 - any error may be asked for
        return kind_of(error)
    return "no error"


@pytest.mark.contract("test_check_range")
def test_a_range_inside_is_accepted(tt):
    for start, end, length in ((0, 8, 8), (2, 5, 8), (7, 8, 8)):
        got = tt.check_range(start, end, length)
        expect(
            got is None,
            "A range with 0 <= start <= end <= length gives None.",
            call=f"check_range({start}, {end}, {length})",
            got=got,
            want="None, and no error",
            look="what does your function return? It only raises, or ends",
        )
    for start, end, length in ((3, 3, 8), (0, 0, 8), (8, 8, 8), (0, 0, 0)):
        got = tt.check_range(start, end, length)
        expect(
            got is None,
            "An empty range, start == end, is inside too, even at the very end.",
            call=f"check_range({start}, {end}, {length})",
            got=got,
            want="None, and no error",
            look="each of the three comparisons of 0 <= start <= end <= length allows"
            " equal numbers",
        )


@pytest.mark.contract("test_check_range")
def test_a_range_outside_is_refused_with_its_numbers(tt):
    got = tt.check_range(2, 5, 8)
    expect(
        got is None,
        "A range with 0 <= start <= end <= length gives None.",
        call="check_range(2, 5, 8)",
        got=got,
        want="None, and no error",
        look="what does your function return? It only raises, or ends",
    )
    for start, end, length in ((5, 9, 8), (-1, 2, 8), (4, 3, 8), (9, 9, 8), (0, 1, 0)):
        expect_raises(
            IndexError,
            lambda: tt.check_range(start, end, length),
            "Any other range raises IndexError with start, end and length.",
            says=[str(start), str(end), str(length)],
            call=f"check_range({start}, {end}, {length})",
            look="0 <= start <= end <= length must hold: which of the three do you not"
            " ask? The error is an IndexError with all three numbers",
        )


@pytest.mark.contract("test_array_batch_loader")
def test_arrays_are_read_in_ranges(tt, plain):
    x, y = np.arange(20, dtype=np.float32).reshape(10, 2), np.arange(10, dtype=np.uint8)
    batch = tt.ArrayBatchLoader(x, y).get_batch(2, 5)
    got = batch.inputs["input"], batch.outputs["output"]
    expect(
        np.array_equal(got[0], x[2:5]) and np.array_equal(got[1], y[2:5]),
        "A batch holds records start to end - 1 of every array.",
        call="x = [[0, 1], [2, 3], ..., [18, 19]], y = [0, 1, ..., 9]:"
        " ArrayBatchLoader(x, y).get_batch(2, 5)",
        got=[part.tolist() for part in got],
        want=[x[2:5].tolist(), y[2:5].tolist()],
        look="array[start:end] of every array",
    )
    expect(
        (got[0].dtype, got[1].dtype) == (np.float32, np.uint8),
        "The arrays of a batch are views of the loader's arrays: nothing is copied.",
        call="ArrayBatchLoader(x, y).get_batch(2, 5), x is float32, y is uint8: dtypes",
        got=[str(part.dtype) for part in got],
        want=["float32", "uint8"],
        look="a slice of an array has its dtype: which line converts?",
    )


@pytest.mark.contract("test_array_batch_loader")
def test_arrays_have_no_records_outside(tt, plain):
    loader = tt.ArrayBatchLoader(np.arange(10), np.arange(10))
    got = loader.get_batch(8, 10).outputs["output"].tolist()
    expect(
        got == [8, 9],
        "A batch holds records start to end - 1 of every array.",
        call="ArrayBatchLoader(np.arange(10), np.arange(10)).get_batch(8, 10).outputs",
        got=got,
        want=[8, 9],
        look="array[start:end]; end may be the number of records",
    )
    for start, end in ((5, 11), (-1, 2), (4, 3)):
        expect_raises(
            IndexError,
            lambda: loader.get_batch(start, end),
            "A range outside raises IndexError with its numbers.",
            says=[str(start), str(end)],
            call=f"get_batch({start}, {end}) of 10 records",
            look="check_range(start, end, self.length), before the first slice",
        )


@pytest.mark.contract("test_slice_batch_loader")
def test_a_slice_counts_from_its_start(tt, plain):
    numbers = Numbers(tt, 60)
    part = tt.SliceBatchLoader(numbers, 50, 10)
    expect(
        len(part) == 10,
        "len(part) is length, even if it is 0.",
        call="len(SliceBatchLoader(loader of 60, 50, 10))",
        got=len(part),
        want=10,
        look="`__len__`: the third argument is a length, not an end",
    )
    got = part.get_batch(1, 4).outputs["output"].tolist()
    expect(
        got == [51, 52, 53],
        "Record i of a slice is record start + i of its loader.",
        call="SliceBatchLoader(loader of 60, 50, 10).get_batch(1, 4): the records",
        got=got,
        want=[51, 52, 53],
        look="get_batch: `start` and `end` count from the slice's start, which is added"
        " to both",
    )
    inner = tt.SliceBatchLoader(part, 2, 3)
    got = inner.get_batch(0, 3).outputs["output"].tolist()
    expect(
        got == [52, 53, 54],
        "Record i of a slice is record start + i of its loader.",
        call="part = SliceBatchLoader(loader, 50, 10);"
        " SliceBatchLoader(part, 2, 3).get_batch(0, 3): the records",
        got=got,
        want=[52, 53, 54],
        look="a slice adds its own start and asks its own loader, here `part`",
    )


@pytest.mark.contract("test_slice_batch_loader")
def test_a_slice_stays_inside(tt, plain):
    numbers = Numbers(tt, 60)
    part = tt.SliceBatchLoader(numbers, 10, 20)
    got = part.get_batch(18, 20).outputs["output"].tolist()
    expect(
        got == [28, 29],
        "Record i of a slice is record start + i of its loader.",
        call="SliceBatchLoader(loader of 60, 10, 20).get_batch(18, 20): the records",
        got=got,
        want=[28, 29],
        look="get_batch: `start` and `end` count from the slice's start, which is added"
        " to both",
    )
    for start, end in ((15, 21), (-1, 3), (20, 21)):
        expect_raises(
            IndexError,
            lambda: part.get_batch(start, end),
            "A range outside the slice raises IndexError, although the loader has"
            " those records.",
            call=f"SliceBatchLoader(loader of 60, 10, 20).get_batch({start}, {end})",
            look="get_batch: check_range with the length of the slice, before the"
            " slice's start is added",
        )


@pytest.mark.contract("test_slice_batch_loader")
def test_a_slice_that_does_not_fit_is_refused_when_it_is_made(tt, plain):
    numbers = Numbers(tt, 60)
    got = [
        len(tt.SliceBatchLoader(numbers, *part))
        for part in ((0, 60), (50, 10), (60, 0))
    ]
    expect(
        got == [60, 10, 0],
        "len(part) is length, even if it is 0.",
        call="len of SliceBatchLoader(loader of 60, 0, 60), (50, 10), (60, 0)",
        got=got,
        want=[60, 10, 0],
        look="`__init__`: start + length may be len(loader); `__len__` is the length",
    )
    for start, length in ((50, 11), (-1, 5), (3, -2)):
        expect_raises(
            ValueError,
            lambda: tt.SliceBatchLoader(numbers, start, length),
            "A slice that does not fit into its loader raises ValueError with its"
            " numbers when made.",
            says=[str(start), str(length)],
            call=f"SliceBatchLoader(loader of 60, {start}, {length})",
            look="`__init__` asks three things: start, length and start + length; the"
            " message says start and length",
        )


@pytest.mark.contract("test_slice_batch_loader")
def test_a_slice_reads_only_what_it_is_asked_for(tt, plain):
    numbers = Numbers(tt, 60)
    part = tt.SliceBatchLoader(numbers, 10, 20)
    expect(
        numbers.ranges == [] and len(part) == 20,
        "Making a slice reads nothing.",
        call="SliceBatchLoader(loader, 10, 20): its len, and the ranges that the loader"
        " was asked for",
        got=(len(part), numbers.ranges),
        want=(20, []),
        look="`__init__` keeps the loader; get_batch asks it",
    )
    part.get_batch(5, 8)
    part.get_batch(5, 8)
    expect(
        numbers.ranges == [(15, 18), (15, 18)],
        "Each call asks the loader once, for the range it needs and for nothing else.",
        call="SliceBatchLoader(loader, 10, 20).get_batch(5, 8), twice: the ranges that"
        " the loader was asked for",
        got=numbers.ranges,
        want=[(15, 18), (15, 18)],
        look="each get_batch asks the loader behind once, for this range, and keeps"
        " nothing",
    )


@pytest.mark.contract("test_array_batch_loader")
def test_an_empty_range_of_arrays_is_an_empty_batch(tt, plain):
    x, y = np.zeros((10, 2), np.float32), np.arange(10, dtype=np.uint8)
    loader = tt.ArrayBatchLoader(x, y)
    for place in (0, 4, 10):
        batch = loader.get_batch(place, place)
        images, labels = batch.inputs["input"], batch.outputs["output"]
        got = f"{images.dtype} {images.shape}, {labels.dtype} {labels.shape}"
        expect(
            got == "float32 (0, 2), uint8 (0,)",
            "An empty range gives a batch of 0 records.",
            call=f"get_batch({place}, {place}) of 10 records",
            got=got,
            want="float32 (0, 2), uint8 (0,)",
            look="array[start:end] is right for an empty range, too: is there a special"
            " case for it?",
        )


@pytest.mark.contract("test_slice_batch_loader")
def test_errors_of_the_loader_behind_a_slice_pass_through(tt, plain):
    for error in (OSError("the tape broke"), KeyError("reel 7"), IndexError("worn")):
        fails = Fails(error)
        part = tt.SliceBatchLoader(fails, 10, 20)
        got = raised_by(lambda: part.get_batch(5, 8))
        expect(
            (got, fails.calls) == (kind_of(error), 1),
            "An error of the loader reaches the caller unchanged, without a retry.",
            call="SliceBatchLoader(a loader that fails, 10, 20).get_batch(5, 8)",
            got=f"{got}; the loader was asked {fails.calls} times",
            want=f"{kind_of(error)}; asked once",
            look="one call of the loader's get_batch; no try around it changes or"
            " repeats what it raises",
        )


@pytest.mark.contract("test_slice_batch_loader")
def test_a_slice_of_a_slice_lies_inside_it(tt, plain):
    part = tt.SliceBatchLoader(Numbers(tt, 100), 10, 60)
    inner = tt.SliceBatchLoader(part, 55, 5)
    got = inner.get_batch(0, 5).outputs["output"].tolist()
    expect(
        got == [65, 66, 67, 68, 69],
        "Record i of a slice is record start + i of its loader.",
        call="part = SliceBatchLoader(loader, 10, 60);"
        " SliceBatchLoader(part, 55, 5).get_batch(0, 5): the records",
        got=got,
        want=[65, 66, 67, 68, 69],
        look="a slice adds its own start and asks its own loader, here `part`",
    )
    expect_raises(
        ValueError,
        lambda: tt.SliceBatchLoader(part, 55, 6),
        "A slice that does not fit into its loader raises ValueError with its numbers"
        " when made.",
        says=["55", "6"],
        call="SliceBatchLoader(a slice of 60 records, 55, 6)",
        look="its loader is the slice, not the loader behind that",
    )

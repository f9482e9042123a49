"""Promises of file_ranges, FileCache and CIFAR10BatchLoader, on files that the test
writes. `tt` is your exported package.
"""

import contextlib

import numpy as np
import pytest

from tinytorch.datasets import write_batch
from tinytorch.testing import expect, expect_raises

LENGTH = 6


def plain_parts(tt):
    """Put plain parts in the place of `Batch`, `check_range`, `file_ranges` and
    `FileCache`, and return what puts the exercises back.
    """

    class PlainBatch:
        def __init__(self, inputs, outputs):
            self.inputs, self.outputs = (
                dict(side) if hasattr(side, "keys") else {name: side}
                for name, side in (("input", inputs), ("output", outputs))
            )

        def __len__(self):
            return len(next(iter(self.inputs.values())))

    class NotingCache:
        """Holds one value, and notes the keys that it was asked for."""

        def __init__(self, load, slots=1):
            self.load, self.held, self.asked = load, {}, []

        def get(self, key):
            self.asked.append(getattr(key, "name", key))
            if key not in self.held:
                self.held.clear()
                self.held[key] = self.load(key)
            return self.held[key]

    def plain_range(start, end, length):
        if start < 0 or end < start or length < end:
            raise IndexError(f"range {start}:{end} is outside 0:{length}")

    def plain_pieces(start, end, file_length):
        records = {}
        for record in range(start, end):
            records.setdefault(record // file_length, []).append(record % file_length)
        return [(file, own[0], own[-1] + 1) for file, own in records.items()]

    parts = {
        "Batch": PlainBatch,
        "FileCache": NotingCache,
        "check_range": plain_range,
        "file_ranges": plain_pieces,
    }
    before = {name: vars(tt)[name] for name in parts}
    vars(tt).update(parts)
    return lambda: vars(tt).update(before)


@pytest.fixture
def plain(inside):
    """A bug in another exercise costs no points of CIFAR10BatchLoader."""
    put_back = inside(plain_parts)
    yield
    with contextlib.suppress(pytest.fail.Exception):  # the process has ended
        put_back()


@pytest.fixture
def files(tmp_path):
    """Three files of 6 records: the bytes of an image and its label say which one it
    is.
    """
    paths = [tmp_path / f"data_batch_{number}" for number in (1, 2, 3)]
    for number, path in enumerate(paths):
        records = np.arange(LENGTH * number, LENGTH * (number + 1))
        write_batch(
            path,
            np.repeat(records.astype(np.uint8)[:, None], 3072, axis=1),
            records % 10,
        )
    return paths


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


@pytest.mark.contract("test_file_ranges")
def test_a_range_is_cut_at_file_boundaries(tt):
    for start, end, want in (
        (4, 13, [(0, 4, 6), (1, 0, 6), (2, 0, 1)]),
        (3, 8, [(0, 3, 6), (1, 0, 2)]),
        (7, 9, [(1, 1, 3)]),
        (12, 13, [(2, 0, 1)]),
        (6, 12, [(1, 0, 6)]),
        (2, 6, [(0, 2, 6)]),
    ):
        got = [tuple(piece) for piece in tt.file_ranges(start, end, LENGTH)]
        call = f"file_ranges({start}, {end}, 6)"
        records = [
            6 * file + k for file, first, last in got for k in range(first, last)
        ]
        expect(
            records == list(range(start, end)),
            "Together the pieces hold every record of the range once, in order.",
            call=call,
            got=got,
            want=want,
            look="a piece ends at the end of its file, or at `end` in the last file:"
            " compare the first one that differs",
        )
        expect(
            all(0 <= first < last <= LENGTH for _, first, last in got),
            "first and last count within the file: 0 <= first < last <= file_length.",
            call=call,
            got=got,
            want=want,
            look="first and last count from the start of their file, and no piece is"
            " empty, also where `end` is a file's end",
        )
        expect(
            len(got) == len(want),
            "Each file that holds records of the range has one piece.",
            call=call,
            got=got,
            want=want,
            look="a piece reaches to the end of its file, or to `end`, in one step",
        )


@pytest.mark.contract("test_file_cache")
def test_a_cache_counts_loads_and_hits(tt):
    asked = []

    def load(key):
        asked.append(key)
        return key * 10

    for slots, keys, loaded in (
        (2, [1, 2, 1, 3, 1, 2], [1, 2, 3, 2]),
        (1, [1, 1, 2, 1], [1, 2, 1]),
        (3, [0, 1, 2, 0, 1, 2, 3, 0], [0, 1, 2, 3, 0]),
        (3, [1, 2, 1, 3, 4, 1], [1, 2, 3, 4]),
    ):
        cache = tt.FileCache(load, slots)
        asked.clear()
        got = [cache.get(key) for key in keys]
        call = f"gets of {keys}, {slots} slots"
        expect(
            got == [10 * key for key in keys],
            "get(key) returns what load(key) returned.",
            call=f"{call}, where load(key) is 10 * key",
            got=got,
            want=[10 * key for key in keys],
            look="what does `_find` return on a hit, and what after a load?",
        )
        expect(
            asked == loaded,
            "The values of the last slots different keys are held.",
            call=call,
            got=f"loaded {asked}",
            want=f"loaded {loaded}",
            look="three questions: does a hit make its key the newest? Which end does"
            " popitem drop? When are the slots full?",
        )
        got = cache.loads, cache.hits
        want = len(loaded), len(keys) - len(loaded)
        expect(
            got == want,
            "loads counts the calls of load that returned, hits the gets that needed"
            " none.",
            call=f"{call}: (loads, hits)",
            got=got,
            want=want,
            look="each get counts once: as a hit where its key was held, else as a load"
            " after load returned",
        )


@pytest.mark.contract("test_file_cache")
def test_a_cache_makes_room_before_it_loads(tt):
    held = []

    def load(key):
        held.append(len(cache.resident))
        return key

    cache = tt.FileCache(load, 2)
    for key in (1, 2, 3, 4):
        cache.get(key)
    expect(
        held == [0, 1, 1, 1],
        "The oldest value is dropped before load is called: at most slots are held.",
        call="gets of 1 2 3 4, two slots: len(cache.resident) when load is called",
        got=held,
        want=[0, 1, 1, 1],
        look="what is in self._held while load runs? Make room first; the new key comes"
        " in after load has returned",
    )


@pytest.mark.contract("test_file_cache")
def test_a_value_of_none_is_kept_like_any_other(tt):
    asked, values = [], {"none": None, "zero": 0, "empty": [], 0: False, "0": 6}

    def load(key):
        asked.append(key)
        return values[key]

    cache = tt.FileCache(load, 5)
    got = [cache.get(key) for key in (*values, *values)]
    expect(
        got == [*values.values()] * 2,
        "get(key) returns what load(key) returned.",
        call="five keys whose values are None, 0, [], False and 6, two gets of each",
        got=got,
        want=[*values.values()] * 2,
        look="what does `_find` return on a hit, and what after a load?",
    )
    expect(
        asked == [*values],
        "A value that is held is not loaded again, even if it is None, 0 or empty.",
        call="five slots, five keys whose values are None, 0, [], False and 6, two gets"
        " of each: keys that were loaded",
        got=asked,
        want=[*values],
        look="how do you ask whether a key is held? `key in self._held`: the value may"
        " be"
        " None or 0; and 0 and '0' are two keys",
    )


@pytest.mark.contract("test_cifar10_batch_loader")
def test_reads_cross_file_boundaries(tt, plain, files):
    loader = tt.CIFAR10BatchLoader(files, LENGTH)
    for start, end in ((0, 18), (4, 8), (5, 13), (11, 12), (6, 12)):
        batch = loader.get_batch(start, end)
        images, labels = batch.inputs["input"], batch.outputs["output"]
        got = images[:, 0].tolist()
        expect(
            got == list(range(start, end)),
            "A batch holds the images and labels of its range, in order, across files.",
            call=f"get_batch({start}, {end}), files of 6; pixels of record i are i: the"
            " first pixels",
            got=got,
            want=list(range(start, end)),
            look="which records of each file (first to last - 1), and at which places"
            " of"
            " the batch?",
        )
        expect(
            labels.tolist() == [n % 10 for n in range(start, end)],
            "A batch holds the images and labels of its range, in order, across files.",
            call=f"get_batch({start}, {end}), files of 6; the label of record i is"
            " i % 10: the labels",
            got=labels.tolist(),
            want=[n % 10 for n in range(start, end)],
            look="labels take the same records and the same places as images",
        )


@pytest.mark.contract("test_cifar10_batch_loader")
def test_images_are_rows_of_bytes_and_labels_int64(tt, plain, files):
    loader = tt.CIFAR10BatchLoader(files, LENGTH)
    for start, end in ((0, 18), (4, 8), (6, 12)):
        batch = loader.get_batch(start, end)
        images, labels = batch.inputs["input"], batch.outputs["output"]
        got = f"{images.dtype} {images.shape}, {labels.dtype} {labels.shape}"
        want = f"uint8 ({end - start}, 3072), int64 ({end - start},)"
        expect(
            got == want,
            "input is uint8 of shape (n, 3072), output int64 of shape (n,).",
            call=f"get_batch({start}, {end}), files of 6: images, labels",
            got=got,
            want=want,
            look="np.empty without a dtype makes float64: give each array its own"
            if "float64" in got
            else "which line changes the dtype or shape that the files have?",
        )


@pytest.mark.contract("test_cifar10_batch_loader")
def test_an_empty_range_is_an_empty_batch(tt, plain, files):
    loader = tt.CIFAR10BatchLoader(files, LENGTH)
    for place in (0, 6, 18):
        batch = loader.get_batch(place, place)
        images, labels = batch.inputs["input"], batch.outputs["output"]
        got = f"{images.dtype} {images.shape}, {labels.dtype} {labels.shape}"
        expect(
            got == "uint8 (0, 3072), int64 (0,)",
            "An empty range gives an empty Batch and reads no file.",
            call=f"get_batch({place}, {place}), files of 6: images, labels",
            got=got,
            want="uint8 (0, 3072), int64 (0,)",
            look="without a piece, what are your arrays? Their dtypes and 3,072 columns"
            " must not come from a file",
        )
    expect(
        loader.cache.asked == [],
        "An empty range gives an empty Batch and reads no file.",
        call="get_batch(0, 0), (6, 6), (18, 18), files of 6: files asked for",
        got=loader.cache.asked,
        want=[],
        look="a file is asked for only where a piece needs it",
    )


@pytest.mark.contract("test_cifar10_batch_loader")
def test_files_have_no_records_outside(tt, plain, files):
    loader = tt.CIFAR10BatchLoader(files, LENGTH)
    for start, end in ((10, 19), (-1, 5), (6, 5), (18, 19), (19, 19)):
        expect_raises(
            IndexError,
            lambda: loader.get_batch(start, end),
            "A range outside raises IndexError with its numbers and reads no file.",
            says=[str(start), str(end), "18"],
            call=f"get_batch({start}, {end}) of 18 records",
            look="check_range(start, end, len(self)), in the first line",
        )
    expect(
        loader.cache.asked == [],
        "A range outside raises IndexError with its numbers and reads no file.",
        call="get_batch(10, 19), (-1, 5), (6, 5), (18, 19), (19, 19) of 18 records:"
        " files asked for",
        got=loader.cache.asked,
        want=[],
        look="check_range comes before the first load_file",
    )
    got = loader.get_batch(17, 18).outputs["output"].tolist()
    expect(
        got == [7],
        "A batch holds the images and labels of its range, in order, across files.",
        call="get_batch(17, 18) of 18 records, the label of record 17 is 7: labels",
        got=got,
        want=[7],
        look="which record of the last file? first to last - 1",
    )


@pytest.mark.contract("test_cifar10_batch_loader")
def test_each_file_of_a_range_is_asked_for_once(tt, plain, files):
    for start, end, numbers in (
        (1, 4, [1]),
        (4, 8, [1, 2]),
        (5, 13, [1, 2, 3]),
        (6, 12, [2]),
        (17, 18, [3]),
    ):
        loader = tt.CIFAR10BatchLoader(files, LENGTH)
        records = len(loader.get_batch(start, end).outputs["output"])
        want = [f"data_batch_{number}" for number in numbers]
        expect(
            records == end - start and loader.cache.asked == want,
            "Each file that holds records of the range is asked for once, other files"
            " never.",
            call=f"get_batch({start}, {end}), files of 6: files that were asked for",
            got=loader.cache.asked,
            want=want,
            look="one load_file for each piece of file_ranges; keep what it returns"
            " while you need it",
        )


@pytest.mark.contract("test_file_ranges")
def test_large_numbers_are_exact(tt):
    got = tt.file_ranges(0, 5000, 1)
    expect(
        len(got) == 5000 and tuple(got[-1]) == (4999, 0, 1),
        "It works for thousands of files, and for record numbers up to 10**18.",
        call="file_ranges(0, 5000, 1): (pieces, the last piece)",
        got=(len(got), got[-1:]),
        want="(5000, [(4999, 0, 1)])",
        look="is there a limit on the number of files, such as the depth of a"
        " recursion?",
    )
    start = 10**17 + 1  # more than a float can count
    got = [tuple(piece) for piece in tt.file_ranges(start, start + 3, 3)]
    file, first = divmod(start, 3)
    want = [(file, first, 3), (file + 1, 0, first)]
    expect(
        got == want,
        "It works for thousands of files, and for record numbers up to 10**18.",
        call=f"file_ranges({start}, {start + 3}, 3)",
        got=got,
        want=want,
        look="// and divmod count exactly; / makes floats",
    )


@pytest.mark.contract("test_file_ranges")
def test_an_empty_range_has_no_pieces(tt):
    for place in (6, 8, 0, 18):
        got = tt.file_ranges(place, place, LENGTH)
        expect(
            isinstance(got, list) and got == [],
            "The result is a list; an empty range gives [].",
            call=f"file_ranges({place}, {place}, 6)",
            got=got,
            want=[],
            look="start == end: there is no record, so no file has a piece",
        )


@pytest.mark.contract("test_file_cache")
def test_errors_of_load_pass_through(tt):
    for error in (OSError("the disk is away"), KeyError("file 7"), ValueError("odd")):
        asked, broken = [], [True]

        def load(key):
            asked.append(key)
            if key >= 7 and broken[0]:
                raise error
            return key

        cache = tt.FileCache(load, 2)
        cache.get(1)
        got = raised_by(lambda: cache.get(7))
        expect(
            (got, asked) == (kind_of(error), [1, 7]),
            "An error of load reaches the caller unchanged, without a retry.",
            call="get(1), then get(7), whose load raises",
            got=f"{got}; loaded {asked}",
            want=f"{kind_of(error)}; loaded [1, 7]",
            look="load is called in one place: is its error caught there, replaced or"
            " answered by another call?",
        )
        got = cache.loads, cache.hits, tuple(cache.resident)
        expect(
            got == (1, 0, (1,)),
            "A load that raises is not counted, and nothing is kept of it.",
            call="two slots: get(1), then get(7), whose load raises: (loads, hits, keys"
            " held)",
            got=got,
            want=(1, 0, (1,)),
            look="what happens before load is called? Counting and keeping come after"
            " it"
            " has returned; a value goes only where no slot is free",
        )
        broken[0] = False
        got = cache.get(7), cache.loads, cache.hits
        expect(
            got == (7, 2, 0),
            "A load that raises is not counted, and nothing is kept of it.",
            call="get(7) again, and now load returns: (value, loads, hits)",
            got=got,
            want=(7, 2, 0),
            look="is anything kept of a load that raised? The next get loads anew",
        )
        broken[0] = True
        raised_by(lambda: cache.get(8))
        expect(
            tuple(cache.resident)[-1:] == (7,),
            "If load raises, at most the oldest value is lost.",
            call="two slots hold 1 and 7, then get(8), whose load raises: keys held",
            got=tuple(cache.resident),
            want=(7,),
            look="which lines drop values, before load and after it raised? Only the"
            " oldest value goes, to make room",
        )


def labels_after_writing(tt):
    """Labels of get_batch(0, 3) after an earlier one was overwritten; and labels and
    pixels of the earlier one, after another batch of that size was read.
    """
    import numpy as np

    class Memory:
        def __init__(self, load, slots=1):
            pass

        def get(self, key):
            labels = np.arange(10 * key, 10 * key + 10)
            return {"data": np.zeros((10, 3072), np.uint8), "labels": labels}

    before, tt.FileCache = vars(tt)["FileCache"], Memory
    try:
        loader = tt.CIFAR10BatchLoader([0, 1], 10)
        first = loader.get_batch(0, 3)
        first.inputs["input"][...] = 88
        first.outputs["output"][...] = 99
        again = loader.get_batch(0, 3).outputs["output"].tolist()
        loader.get_batch(5, 8)
        pixels = set(first.inputs["input"].ravel().tolist())
        return again, first.outputs["output"].tolist(), sorted(pixels)
    finally:
        tt.FileCache = before


@pytest.mark.contract("test_cifar10_batch_loader")
def test_batches_share_no_memory(inside, plain):
    got = tuple(inside(labels_after_writing))
    expect(
        got == ([0, 1, 2], [99, 99, 99], [88]),
        "A batch has its own memory, shared with no file and no other batch.",
        call="a = get_batch(0, 3), pixels set to 88, labels to 99; b = get_batch(0, 3);"
        " get_batch(5, 8): labels of b, labels and pixels of a",
        got=got,
        want=([0, 1, 2], [99, 99, 99], [88]),
        look="where do a batch's arrays come from? They are made anew in each call, not"
        " kept, and not the file's own",
    )


def raised_in_get_batch(tt, number):
    """What get_batch raises where load_file does, and the files it asked for."""
    error = (OSError("the disk is away"), KeyError("data"), ValueError("bad"))[number]
    asked = []

    class FailingCache:
        def __init__(self, load, slots=1):
            pass

        def get(self, key):
            asked.append(key)
            raise error

    before, tt.FileCache = vars(tt)["FileCache"], FailingCache
    try:
        tt.CIFAR10BatchLoader(["one", "two"], 10).get_batch(8, 12)
    except NotImplementedError:  # your turn
        raise
    except Exception as problem:  # noqa: BLE001 - any error may be asked for
        return f"{type(problem).__name__}: {problem}; asked for {asked}"
    finally:
        tt.FileCache = before
    return "no error"


@pytest.mark.contract("test_cifar10_batch_loader")
def test_errors_of_a_file_pass_through(inside, plain):
    for number, error in enumerate(
        ("OSError: the disk is away", "KeyError: 'data'", "ValueError: bad")
    ):
        got = inside(raised_in_get_batch, number)
        want = f"{error}; asked for ['one']"
        expect(
            got == want,
            "An error of reading a file reaches the caller unchanged, without a retry.",
            call="get_batch(8, 12) of two files of 10, 'one' and 'two', which cannot be"
            " read",
            got=got,
            want=want,
            look="one load_file for the file; is its error caught, replaced or answered"
            " by another call?",
        )

"""Hidden: any range of any files, the cache against a plain model of LRU, and what stays in
memory.
"""

import contextlib
import weakref

import numpy as np
import pytest

from tinytorch.datasets import write_batch
from tinytorch.testing import expect, expect_raises


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
def written(tmp_path, draw):
    count, length = int(draw.integers(3, 5)), int(draw.integers(3, 9))
    images, labels = (
        draw.integers(0, 256, (count * length, 3072)).astype(np.uint8),
        draw.integers(0, 10, count * length),
    )
    paths = [tmp_path / f"part_{number}" for number in range(count)]
    for number, path in enumerate(paths):
        part = slice(number * length, (number + 1) * length)
        write_batch(path, images[part], labels[part].tolist())
    return paths, length, images, labels


@pytest.mark.contract("test_file_ranges")
def test_pieces_cover_their_range_once(tt, draw):
    for _round in range(30):
        length = int(draw.integers(1, 7))
        start = int(draw.integers(0, 30))
        end = start + int(draw.integers(0, 25))
        pieces = [tuple(piece) for piece in tt.file_ranges(start, end, length)]
        records = [file * length + k for file, first, last in pieces for k in range(first, last)]
        expect(
            records == list(range(start, end)),
            "Together the pieces hold every record of the range once, in order.",
            call=f"file_ranges({start}, {end}, {length})",
            got=pieces,
            look="each piece is (file, first, last); a piece ends at the end of its file, "
            "or at `end` in the last file: compare the first one that differs",
        )
        expect(
            all(0 <= first < last <= length for _, first, last in pieces),
            "first and last count within the file: 0 <= first < last <= file_length.",
            call=f"file_ranges({start}, {end}, {length})",
            got=pieces,
            look="first and last count from the start of their file, and no piece is "
            "empty, also where `end` is a file's end",
        )


@pytest.mark.contract("test_file_ranges")
def test_each_file_has_one_piece_whatever_the_length(tt, draw):
    for length in (1, *draw.integers(50, 10_000, 3).tolist()):
        file, files = int(draw.integers(1, 9)), int(draw.integers(3, 6))
        start, end = file * length, (file + files) * length
        want = [(number, 0, length) for number in range(file, file + files)]
        got = [tuple(piece) for piece in tt.file_ranges(start, end, length)]
        expect(
            got == want,
            "Each file that holds records of the range has one piece.",
            call=f"file_ranges({start}, {end}, {length})",
            got=got,
            want=want,
            look="a piece reaches to the end of its file, or to `end`, in one step",
        )
        got = [tuple(piece) for piece in tt.file_ranges(start, start, length)]
        expect(
            got == [],
            "The result is a list; an empty range gives [].",
            call=f"file_ranges({start}, {start}, {length})",
            got=got,
            want=[],
            look="start == end: there is no record, so no file has a piece",
        )


@pytest.mark.contract("test_file_cache")
def test_the_cache_is_least_recently_used(tt, draw):
    for _round in range(5):
        slots, keys = int(draw.integers(2, 5)), draw.integers(0, 7, 40).tolist()
        cache, held, loads = tt.FileCache(lambda key: key, slots), [], 0
        for key in keys:
            cache.get(key)
            if key in held:
                held.remove(key)
            else:
                loads += 1
                held = held[-(slots - 1) :]
            held.append(key)
            expect(
                list(cache.resident) == held,
                "The values of the last slots different keys are held.",
                call=f"gets of {keys[:12]}..., {slots} slots",
                got=list(cache.resident),
                want=held,
                look="three questions: does a hit make its key the newest? Which end does "
                "popitem drop? When are the slots full?",
            )
        expect(
            (cache.loads, cache.hits) == (loads, len(keys) - loads),
            "loads counts the calls of load that returned, hits the gets that needed none.",
            call=f"40 gets, {slots} slots",
            got=(cache.loads, cache.hits),
            want=(loads, len(keys) - loads),
            look="each get counts once: as a hit where its key was held, else as a load "
            "after load returned",
        )


@pytest.mark.contract("test_file_cache")
def test_a_load_that_fails_is_no_load(tt):
    fail = [True]

    def load(key):
        if fail[0]:
            raise OSError("the disk is away")
        return key

    cache = tt.FileCache(load, 1)
    expect_raises(
        OSError,
        lambda: cache.get(1),
        "An error of load reaches the caller unchanged, without a retry.",
        says="away",
        call="get(1), load raises",
        look="load is called in one place: is its error caught there, replaced or "
        "answered by another call?",
    )
    expect(
        (cache.loads, cache.hits, len(cache.resident)) == (0, 0, 0),
        "A load that raises is not counted, and nothing is kept of it.",
        call="after an error",
        got=(cache.loads, cache.hits, len(cache.resident)),
        want=(0, 0, 0),
        look="count after the load returned",
    )
    fail[0] = False
    expect(
        cache.get(1) == 1 and cache.loads == 1,
        "A load that raises is not counted, and nothing is kept of it.",
        call="get(1), the disk is back",
        got=cache.loads,
        want=1,
        look="what happens before load is called? Counting and keeping come after it has returned",
    )


class Held:
    """A value whose life can be watched."""

    def touch(self):
        return "a value"


@pytest.mark.contract("test_file_cache")
def test_the_old_value_is_gone_when_the_new_one_is_loaded(tt, draw):
    alive, most = weakref.WeakSet(), []

    def load(key):
        most.append(len(alive))
        value = Held()
        alive.add(value)
        return value

    for slots in (1, 3):
        cache = tt.FileCache(load, slots)
        most.clear()
        for key in (*range(5), *draw.permutation(5).tolist()):
            # A value that a cache returned is looked at, and let go at once.
            expect(
                getattr(cache.get(key), "touch", str)() == "a value",
                "get(key) returns what load(key) returned.",
                call=f"cache.get({key}), {slots} slots",
                got="something else",
                want="what load returned",
                look="what does `_find` return on a hit, and what after a load?",
            )
        expect(
            len(most) > 5 - slots and max(most) <= slots - 1,
            "The oldest value is dropped before load is called: at most slots are held.",
            call=f"10 gets, {slots} slots: values alive when load is called",
            got=most,
            want=f"at most {slots - 1}",
            look="drop first, then load; and does a variable still hold what popitem returned?",
        )
        del cache
        alive.clear()


@pytest.mark.contract("test_cifar10_batch_loader")
def test_any_range_is_a_slice_of_all_files_joined(tt, plain, written, draw):
    paths, length, images, labels = written
    loader = tt.CIFAR10BatchLoader(paths, length)
    n = len(labels)
    ranges = [(0, n), (1, n - 1)]
    ranges += [np.sort(draw.choice(n + 1, 2, replace=False)).tolist() for _round in range(10)]
    for start, end in ranges:
        batch = loader.get_batch(start, end)
        same = np.array_equal(batch.inputs["input"], images[start:end]) and np.array_equal(
            batch.outputs["output"], labels[start:end]
        )
        expect(
            same and batch.outputs["output"].dtype == np.int64,
            "A batch holds the images and labels of its range, in order, across files.",
            call=f"get_batch({start}, {end}), files of {length}",
            got="other records",
            want=f"records {start} to {end - 1}",
            look="which records of each file (first to last - 1), and at which places of "
            "the batch? Images and labels take the same places",
        )
    expect_raises(
        IndexError,
        lambda: loader.get_batch(0, n + 1),
        "A range outside raises IndexError with its numbers and reads no file.",
        call=f"get_batch(0, {n + 1}) of {n}",
        look="check_range(start, end, len(self)), in the first line",
    )


def files_alive(tt, labels, length, start, end):
    """What get_batch(start, end) keeps in memory, over files in memory that hold `labels`.

    Returns:
        How many files were alive when each file was loaded; how many are alive when only the batch
        is left; the labels of the batch.
    """
    import weakref

    import numpy as np

    files, counts = [], []

    def alive():
        return sum(file() is not None for file in files)

    class OneSlot:
        def __init__(self, load, slots=1):
            self.held = {}

        def get(self, key):
            if key not in self.held:
                self.held.clear()
                counts.append(alive())
                own = labels[key * length : (key + 1) * length].copy()
                data = np.repeat(own.astype(np.uint8)[:, None], 3072, axis=1)
                files.extend([weakref.ref(data), weakref.ref(own)])
                self.held[key] = {"data": data, "labels": own}
            return self.held[key]

    before, tt.FileCache = tt.FileCache, OneSlot
    try:
        loader = tt.CIFAR10BatchLoader(range(len(labels) // length), length)
        batch = loader.get_batch(start, end)
        loader.cache.held.clear()
        return counts, alive(), np.array(batch.outputs["output"])
    finally:
        tt.FileCache = before


@pytest.mark.contract("test_cifar10_batch_loader")
def test_a_batch_has_its_own_memory(inside, plain, draw):
    length, labels = 10, draw.integers(0, 10, 40)
    for start, end in ((12, 17), (20, 30), (8, 12)):
        _, kept, got = inside(files_alive, labels, length, start, end)
        expect(
            np.array_equal(got, labels[start:end]),
            "A batch holds the images and labels of its range, in order, across files.",
            call=f"get_batch({start}, {end}), files of 10",
            got=got,
            want=labels[start:end],
            look="which records of each file (first to last - 1), and at which places of "
            "the batch? Images and labels take the same places",
        )
        expect(
            kept == 0,
            "A batch has its own memory, shared with no file and no other batch.",
            call=f"get_batch({start}, {end}), after the cache let the file go",
            got=f"{kept} arrays of a file in memory",
            want="0",
            look="a slice of records is a view; fill an array of your own",
        )


@pytest.mark.contract("test_cifar10_batch_loader")
def test_no_file_is_held_while_the_next_is_loaded(inside, plain, draw):
    length, labels = 10, draw.integers(0, 10, 40)
    first = int(draw.integers(1, 9))
    counts, _, got = inside(files_alive, labels, length, first, 35)
    expect(
        np.array_equal(got, labels[first:35]),
        "A batch holds the images and labels of its range, in order, across files.",
        call=f"get_batch({first}, 35), files of 10",
        got=got,
        want=labels[first:35],
        look="which records of each file (first to last - 1), and at which places of "
        "the batch? Images and labels take the same places",
    )
    expect(
        counts == [0, 0, 0, 0],
        "No variable refers to one file while the next one is loaded.",
        call=f"get_batch({first}, 35) over four files, one slot: arrays alive at each load",
        got=counts,
        want=[0, 0, 0, 0],
        look="a variable of the loop keeps the last file: del it",
    )

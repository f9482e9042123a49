"""Hidden: any range of any files, and the cache against a plain model of LRU."""

import numpy as np
import pytest

from tinytorch.datasets import write_batch
from tinytorch.testing import expect, expect_raises

pytestmark = pytest.mark.contract("contract_files")


@pytest.fixture
def written(tmp_path, draw):
    count, length = int(draw.integers(2, 5)), int(draw.integers(3, 9))
    images, labels = (
        draw.integers(0, 256, (count * length, 3072)).astype(np.uint8),
        draw.integers(0, 10, count * length),
    )
    paths = [tmp_path / f"part_{number}" for number in range(count)]
    for number, path in enumerate(paths):
        part = slice(number * length, (number + 1) * length)
        write_batch(path, images[part], labels[part].tolist())
    return paths, length, images, labels


def test_any_range_is_a_slice_of_all_files_joined(tt, written, draw):
    paths, length, images, labels = written
    loader = tt.CIFAR10BatchLoader(paths, length, cache_size=int(draw.integers(1, 4)))
    n = len(labels)
    for _round in range(12):
        start = int(draw.integers(0, n + 1))
        end = int(draw.integers(start, n + 1))
        batch = loader.get_batch(start, end)
        same = np.array_equal(batch.inputs["input"], images[start:end]) and np.array_equal(
            batch.outputs["output"], labels[start:end]
        )
        expect(
            same and batch.outputs["output"].dtype == np.int64,
            "Any range equals that slice of all files joined.",
            call=f"get_batch({start}, {end}), files of {length}",
            got="other records",
            want=f"records {start} to {end - 1}",
        )
    expect_raises(
        IndexError,
        lambda: loader.get_batch(0, n + 1),
        "The last file ends the records.",
        call=f"get_batch(0, {n + 1}) of {n}",
    )


def test_pieces_cover_their_range_once(tt, draw):
    for _round in range(30):
        length = int(draw.integers(1, 7))
        start = int(draw.integers(0, 30))
        end = start + int(draw.integers(0, 25))
        pieces = [tuple(piece) for piece in tt.file_ranges(start, end, length)]
        records = [file * length + k for file, first, last in pieces for k in range(first, last)]
        expect(
            records == list(range(start, end)),
            "The pieces hold every record of the range once, in order.",
            call=f"file_ranges({start}, {end}, {length})",
            got=pieces,
        )
        expect(
            all(0 <= first < last <= length for _, first, last in pieces),
            "Every piece lies inside its file and is not empty.",
            call=f"file_ranges({start}, {end}, {length})",
            got=pieces,
        )


def test_the_cache_is_least_recently_used(tt, draw):
    for _round in range(5):
        slots, keys = int(draw.integers(1, 5)), draw.integers(0, 7, 40).tolist()
        cache, held, loads = tt.FileCache(lambda key: key, slots), [], 0
        for key in keys:
            cache.get(key)
            if key in held:
                held.remove(key)
            else:
                loads += 1
                held = held[-(slots - 1) :] if slots > 1 else []
            held.append(key)
            expect(
                list(cache.resident) == held,
                "The last `slots` different keys are held, the latest last.",
                call=f"gets of {keys[:12]}..., {slots} slots",
                got=list(cache.resident),
                want=held,
            )
        expect(
            (cache.loads, cache.hits) == (loads, len(keys) - loads),
            "Every get is a load or a hit.",
            call=f"40 gets, {slots} slots",
            got=(cache.loads, cache.hits),
            want=(loads, len(keys) - loads),
        )


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
        "The error of load reaches the caller.",
        says="away",
        call="get(1), load raises",
    )
    expect(
        (cache.loads, cache.hits, len(cache.resident)) == (0, 0, 0),
        "A load that failed leaves nothing behind.",
        call="after an error",
        got=(cache.loads, cache.hits, len(cache.resident)),
        want=(0, 0, 0),
    )
    fail[0] = False
    expect(
        cache.get(1) == 1 and cache.loads == 1,
        "The next get tries again.",
        call="get(1), the disk is back",
        got=cache.loads,
        want=1,
    )


def test_each_file_is_loaded_once_in_a_pass(tt, written):
    paths, length, _, labels = written
    loader = tt.CIFAR10BatchLoader(paths, length)
    for start in range(0, len(labels), 2):
        loader.get_batch(start, min(start + 2, len(labels)))
    expect(
        loader.cache.loads == len(paths),
        "Reading in order loads each file once, with one slot.",
        call=f"one pass over {len(paths)} files of {length}, batches of 2",
        got=loader.cache.loads,
        want=len(paths),
    )

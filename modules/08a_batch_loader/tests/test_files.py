"""Promises of file_ranges, FileCache and CIFAR10BatchLoader, on files that the test
writes. `tt` is your exported package.
"""

import numpy as np
import pytest

from tinytorch.datasets import write_batch
from tinytorch.testing import expect, expect_raises

pytestmark = pytest.mark.contract("contract_files")
LENGTH = 6


@pytest.fixture
def files(tmp_path):
    """Three files of 6 records: the first byte of an image and its label say which
    one it is.
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


def test_a_range_is_cut_at_file_boundaries(tt):
    for start, end, want in (
        (4, 13, [(0, 4, 6), (1, 0, 6), (2, 0, 1)]),
        (6, 12, [(1, 0, 6)]),
        (7, 9, [(1, 1, 3)]),
        (6, 6, []),
    ):
        got = [tuple(piece) for piece in tt.file_ranges(start, end, LENGTH)]
        expect(
            got == want,
            "The pieces of a range are (file, first, last), none of them empty.",
            call=f"file_ranges({start}, {end}, 6)",
            got=got,
            want=want,
        )


def test_reads_cross_file_boundaries(tt, files):
    loader = tt.CIFAR10BatchLoader(files, LENGTH)
    expect(
        len(loader) == 18,
        "The length is files x file_length.",
        call="len(CIFAR10BatchLoader(3 files, 6))",
        got=len(loader),
        want=18,
    )
    for start, end in ((0, 18), (4, 8), (5, 13), (11, 12), (6, 12)):
        batch = loader.get_batch(start, end)
        images, labels = batch.inputs["input"], batch.outputs["output"]
        got = images[:, 0].tolist()
        expect(
            got == list(range(start, end)),
            "The images of a range come in order, across files.",
            call=f"get_batch({start}, {end}), files of 6",
            got=got,
            want=list(range(start, end)),
        )
        expect(
            labels.tolist() == [n % 10 for n in range(start, end)],
            "Labels belong to their images.",
            call=f"get_batch({start}, {end})",
            got=labels.tolist(),
            want=[n % 10 for n in range(start, end)],
        )
        kinds = f"{images.dtype} {images.shape[1:]}, {labels.dtype}"
        expect(
            kinds == "uint8 (3072,), int64",
            "Images are rows of 3072 bytes, labels int64.",
            call=f"get_batch({start}, {end})",
            got=kinds,
            want="uint8 (3072,), int64",
        )


def test_an_empty_range_is_an_empty_batch(tt, files):
    loader = tt.CIFAR10BatchLoader(files, LENGTH)
    for place in (0, 6, 18):
        batch = loader.get_batch(place, place)
        got = batch.inputs["input"].shape, batch.outputs["output"].shape, len(batch)
        expect(
            got == ((0, 3072), (0,), 0),
            "An empty range gives an empty Batch of the right shape.",
            call=f"get_batch({place}, {place})",
            got=got,
            want=((0, 3072), (0,), 0),
        )
    expect(
        loader.cache.loads == 0,
        "It reads no file.",
        call="cache.loads after empty ranges",
        got=loader.cache.loads,
        want=0,
    )
    expect_raises(
        IndexError,
        lambda: loader.get_batch(10, 19),
        "A range outside is an IndexError.",
        says=["10", "19", "18"],
        call="get_batch(10, 19) of 18 records",
    )


def test_files_are_cached(tt, files):
    for slots, ranges, want in (
        (1, [(0, 2), (2, 6), (5, 7), (7, 9)], 2),
        (1, [(0, 1), (6, 7), (0, 1)], 3),
        (2, [(0, 1), (6, 7), (0, 1)], 2),
        (2, [(0, 1), (6, 7), (0, 1), (12, 13), (0, 1), (6, 7)], 4),
    ):
        loader = tt.CIFAR10BatchLoader(files, LENGTH, cache_size=slots)
        for start, end in ranges:
            loader.get_batch(start, end)
        expect(
            loader.cache.loads == want,
            "A file is read again only after it was dropped, and the least recently"
            " used is dropped.",
            call=f"ranges {ranges}, {slots} slots: cache.loads",
            got=loader.cache.loads,
            want=want,
        )


def test_files_that_do_not_fit_are_named(tt, files):
    loader = tt.CIFAR10BatchLoader(files, 5)
    expect_raises(
        ValueError,
        lambda: loader.get_batch(0, 1),
        "A file with another number of records is refused by name.",
        says=["data_batch_1", "5", "6"],
        call="CIFAR10BatchLoader(files of 6 records, 5).get_batch(0, 1)",
    )
    broken = files[1]
    broken.write_bytes(b"not a pickle")
    loader = tt.CIFAR10BatchLoader(files, LENGTH)
    expect_raises(
        ValueError,
        lambda: loader.get_batch(5, 7),
        "A damaged file is refused by name.",
        says="data_batch_2",
        call="get_batch(5, 7), file 2 is damaged",
    )


def test_a_cache_counts_loads_and_hits(tt):
    asked = []

    def load(key):
        asked.append(key)
        return key * 10

    cache = tt.FileCache(load, 2)
    got = [cache.get(key) for key in (1, 2, 1, 3, 1, 2)]
    expect(
        got == [10, 20, 10, 30, 10, 20],
        "get returns what load returned for this key.",
        call="gets of 1 2 1 3 1 2",
        got=got,
        want=[10, 20, 10, 30, 10, 20],
    )
    expect(
        asked == [1, 2, 3, 2] and (cache.loads, cache.hits) == (4, 2),
        "The least recently used value is dropped; loads and hits are counted.",
        call="gets of 1 2 1 3 1 2, two slots",
        got=f"loaded {asked}, loads {cache.loads}, hits {cache.hits}",
        want="loaded [1, 2, 3, 2], loads 4, hits 2",
    )


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
        "The old value is dropped before the new one is loaded.",
        call="values held when load is called, two slots",
        got=held,
        want=[0, 1, 1, 1],
    )

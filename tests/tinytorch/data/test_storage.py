"""Images are stored in three ways and come back as they were, in any order; files that were dropped
from the system's cache are not in it.
"""

import os
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tinytorch.data import storage


def images(count: int = 30, dtype=np.uint8) -> np.ndarray:
    rng = np.random.default_rng(0)
    return rng.integers(0, 200, (count, 3, 4, 2)).astype(dtype)


@pytest.fixture(scope="module", params=storage.WAYS)
def stored(request, tmp_path_factory):
    return storage.store(request.param, images(), tmp_path_factory.mktemp("stored") / "images")


@given(
    order=st.permutations(range(30))
    | st.lists(st.integers(0, 29))
    | st.builds(lambda part: range(30)[part], st.slices(30)),
    batch_size=st.integers(1, 40),
)
@settings(max_examples=20)
def test_every_way_gives_the_images_in_the_order_that_is_asked_for(stored, order, batch_size):
    batches = list(stored.batches(order, batch_size))
    assert [len(batch) for batch in batches[:-1]] == [batch_size] * (len(batches) - 1)
    got = np.concatenate(batches) if batches else images()[:0]
    np.testing.assert_array_equal(got, images()[list(order)])


@pytest.mark.parametrize("order", [range(25, 31), range(30, 31), [3, -1], np.array([2, 99])])
def test_a_row_that_is_not_stored_is_refused_before_anything_is_read(stored, order):
    outside = next(row for row in order if not 0 <= row < 30)
    with pytest.raises(IndexError, match=f"row {outside} is not stored; there are rows 0 to 29"):
        stored.batches(order, 4)


def test_sizes_are_whole_numbers_of_1_or_more(stored):
    for size in (0, -1, 2.5, True):
        with pytest.raises(ValueError, match="batch_size must be a whole number of 1 or more"):
            stored.batches(range(3), size)
    with pytest.raises(ValueError, match="num_images must be a whole number of 1 or more, got 0"):
        storage.time_epochs(stored, 0, shuffled=False)
    with pytest.raises(ValueError, match="an order is a list of row numbers, got float64"):
        stored.batches([0.5], 1)


@pytest.mark.parametrize("way", storage.WAYS)
@pytest.mark.skipif(os.name == "nt", reason="such names are not allowed there")
@pytest.mark.parametrize("name", ["a'b", "a*b", "a?b", "a[1]b", "ä b", "~me"])
def test_a_folder_may_have_any_name_and_be_a_string(way, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    storage.store(way, images(3), "a1b")  # which the patterns of some names fit
    stored = storage.store(way, images(5)[2:], name)
    (got,) = stored.batches(range(3), 5)
    assert np.array_equal(got, images(5)[2:]) and (tmp_path / name).is_dir()


@pytest.mark.parametrize("way", storage.WAYS)
def test_shape_and_dtype_are_kept(way, tmp_path):
    want = images(3, np.float32)
    (got,) = storage.store(way, want, tmp_path / "new").batches(range(3), 5)
    assert got.dtype == want.dtype and np.array_equal(got, want)


def test_a_way_that_does_not_exist_is_refused(tmp_path):
    with pytest.raises(ValueError, match="one of loose files, memory map, Parquet, got 'lmdb'"):
        storage.store("lmdb", images(), tmp_path / "new")


def test_bytes_on_disk_are_at_least_those_of_the_images(stored):
    assert stored.bytes_on_disk >= images().nbytes or stored.way == "Parquet"
    assert len(stored.files) == (30 if stored.way == "loose files" else 1)


def on_a_disk(folder) -> bool:
    """Whether pages of a file in `folder` can be dropped; those of tmpfs cannot."""
    if not sys.platform.startswith("linux"):
        return False
    lines = Path("/proc/mounts").read_text(encoding="utf-8").splitlines()
    mounts = {line.split()[1]: line.split()[2] for line in lines}
    place = next(str(parent) for parent in folder.resolve().parents if str(parent) in mounts)
    return mounts[place] in ("ext4", "xfs", "btrfs")


def test_files_that_were_dropped_are_not_in_the_cache(stored):
    for path in stored.files:
        path.read_bytes()
    warm = all(storage.cached_pages(path) for path in stored.files)
    dropped = storage.drop_from_cache(stored.files)
    if on_a_disk(stored.folder):
        assert warm and dropped
    assert not dropped or not any(storage.cached_pages(path) for path in stored.files)


def test_where_nothing_can_be_dropped_there_is_no_cold_epoch(stored, monkeypatch):
    monkeypatch.delattr(os, "posix_fadvise", raising=False)
    epochs = storage.time_epochs(stored, 30, 8, shuffled=True)
    assert epochs.cold is None and epochs.warm > 0 and epochs.order == "shuffled"

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

IMAGES = np.random.default_rng(0).normal(size=(30, 3, 4, 2)).astype(np.float32)


@pytest.fixture(scope="module", params=storage.WAYS)
def stored(request, tmp_path_factory):
    return storage.store(request.param, IMAGES, tmp_path_factory.mktemp("stored") / "images")


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
    got = np.concatenate(batches) if batches else IMAGES[:0]
    np.testing.assert_array_equal(got, IMAGES[list(order)], strict=True)


def test_bytes_on_disk_are_at_least_those_of_the_images(stored):
    assert stored.bytes_on_disk >= IMAGES.nbytes or stored.way == "Parquet"
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
    warm = os.name != "posix" or all(storage.cached_pages(path) for path in stored.files)
    dropped = storage.drop_from_cache(stored.files)
    if on_a_disk(stored.folder):
        assert warm and dropped
    assert not dropped or not any(storage.cached_pages(path) for path in stored.files)


def test_where_nothing_can_be_dropped_there_is_no_cold_epoch(stored, monkeypatch):
    monkeypatch.delattr(os, "posix_fadvise", raising=False)
    epochs = storage.time_epochs(stored, 30, 8, shuffled=True)
    assert epochs.cold is None and epochs.warm > 0

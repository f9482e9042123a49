"""Noise at CIFAR-10's size: deterministic, in the same layout, never more than a chunk in
memory.
"""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tinytorch.datasets import (
    TEST_FILES,
    TRAIN_FILES,
    read_batch,
    synthetic,
    synthetic_images,
    write_images_npy,
    write_synthetic_cifar10,
)


@settings(max_examples=30)
@given(st.integers(0, 40), st.integers(0, 2**40))
def test_the_same_seed_gives_the_same_images_and_another_seed_or_part_others(count, seed):
    images, labels = synthetic_images(count, seed)
    again, labels_again = synthetic_images(count, seed)
    assert np.array_equal(images, again) and np.array_equal(labels, labels_again)
    assert images.shape == (count, 3, 32, 32) and images.dtype == np.uint8
    assert images.flags.writeable
    assert labels.dtype == np.int64 and np.all((0 <= labels) & (labels < 10))
    for other in (synthetic_images(count, seed + 1), synthetic_images(count, seed, part=1)):
        assert count == 0 or not np.array_equal(images, other[0])


def test_all_values_and_all_labels_occur():
    # 614,400 bytes of 256 values, 200 labels of 10; a fixed seed, so no false alarms
    images, labels = synthetic_images(200)
    assert len(np.unique(images)) == 256 and len(np.unique(labels)) == 10


@settings(max_examples=15)
@given(st.integers(0, 23), st.integers(0, 5))
def test_the_layout_holds_the_counts_asked_for_and_nothing_twice(tmp_path_factory, train, test):
    folder = write_synthetic_cifar10(tmp_path_factory.mktemp("noise"), train, test)
    batches = [read_batch(folder / name) for name in (*TRAIN_FILES, *TEST_FILES)]
    *counts, last = [len(batch["labels"]) for batch in batches]
    assert (sum(counts), last) == (train, test) and max(counts) - min(counts) <= 1
    assert len({image.tobytes() for batch in batches for image in batch["data"]}) == train + test
    assert len({name for batch in batches for name in batch["filenames"]}) == train + test


def test_the_default_size_is_cifar10s(monkeypatch, tmp_path):
    counts = []
    monkeypatch.setattr(
        synthetic, "synthetic_images", lambda count, seed, part: counts.append(count) or ([], [])
    )
    monkeypatch.setattr(synthetic, "batch", lambda *arguments: {b"labels": []})
    write_synthetic_cifar10(tmp_path)
    assert counts == [10_000] * 6


def test_another_size_or_seed_in_the_same_place_is_refused(tmp_path):
    write_synthetic_cifar10(tmp_path, 5, 1)
    write_synthetic_cifar10(tmp_path, 5, 1)
    for arguments in ((6, 1), (5, 2), (5, 1, 7)):
        with pytest.raises(FileExistsError, match="Choose another root"):
            write_synthetic_cifar10(tmp_path, *arguments)


@pytest.mark.parametrize(
    "call, rule",
    [
        (lambda p: write_synthetic_cifar10(p, -1), "num_train must be 0 or more, got -1"),
        (lambda p: write_synthetic_cifar10(p, 1, -2), "num_test must be 0 or more, got -2"),
        (lambda p: write_synthetic_cifar10(p, 1, 1, -3), "seed must be 0 or more, got -3"),
        (lambda p: write_images_npy(p / "x.npy", -1), "count must be 0 or more, got -1"),
        (lambda p: synthetic_images(-1), "count must be 0 or more, got -1"),
    ],
)
def test_negative_numbers_are_refused_before_anything_is_written(tmp_path, call, rule):
    with pytest.raises(ValueError, match=rule):
        call(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 20])
def test_the_npy_file_opens_as_a_memory_map_of_that_many_images(tmp_path, monkeypatch, count):
    monkeypatch.setattr(synthetic, "IMAGES_PER_CHUNK", 8)
    path = write_images_npy(tmp_path / "images.npy", count, labels_path=tmp_path / "labels.npy")
    images = np.load(path, mmap_mode="r" if count else None)
    labels = np.load(tmp_path / "labels.npy")
    assert images.shape == (count, 3, 32, 32) and images.dtype == np.uint8
    assert labels.shape == (count,) and labels.dtype == np.int64
    assert len({image.tobytes() for image in images}) == count
    first, first_labels = synthetic_images(min(8, count))
    assert np.array_equal(images[:8], first) and np.array_equal(labels[:8], first_labels)


def test_memory_stays_flat_however_many_images_are_written(tmp_path):
    def peak_bytes(chunks):
        tracemalloc.start()
        try:
            write_images_npy(tmp_path / "images.npy", chunks * synthetic.IMAGES_PER_CHUNK)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    assert peak_bytes(8) < 1.5 * peak_bytes(2)


def test_an_interruption_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "images.npy"
    path.write_bytes(b"old")

    def interrupted(count, seed, part):
        if part == 1:
            raise KeyboardInterrupt
        return synthetic_images(count, seed, part)

    monkeypatch.setattr(synthetic, "IMAGES_PER_CHUNK", 2)
    monkeypatch.setattr(synthetic, "synthetic_images", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_images_npy(path, 4)
    assert path.read_bytes() == b"old" and list(tmp_path.iterdir()) == [path]

"""The digits in the package, and the same digits as CIFAR-10; noise at CIFAR-10's size: the same
for the same seed, in the same layout, never more than a chunk in memory.
"""

import hashlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tinytorch.datasets import (
    TEST_FILES,
    TRAIN_FILES,
    cifar10,
    digits,
    load_digits,
    locate,
    read_batch,
    read_meta,
    synthetic,
    synthetic_images,
    write_digits_as_cifar10,
    write_images_npy,
    write_synthetic_cifar10,
)
from tinytorch.datasets.make_digits import NUM_TEST, stratified_test_mask


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_digits_as_cifar10(tmp_path_factory.mktemp("digits"))


def test_the_digits_are_the_1797_that_were_published():
    images, labels = load_digits()
    assert images.shape == (1797, 8, 8) and images.dtype == np.uint8 and labels.dtype == np.int64
    digest = hashlib.sha256(images.tobytes() + labels.astype(np.uint8).tobytes())
    assert digest.hexdigest() == "87ff0c9e40dc7e2c0e34e7257799c2e3f3aec1a016363bb11cad869ec428a826"


def test_the_split_is_fixed_stratified_and_covers_every_digit_once():
    images, labels = load_digits()
    train, test = load_digits("train"), load_digits("test")
    assert len(test[0]) == 360
    exact = np.bincount(labels) * 360 / 1797
    assert np.all(np.abs(np.bincount(test[1]) - exact) < 1)
    mask = stratified_test_mask(labels, NUM_TEST)
    for split, chosen in ((test, mask), (train, ~mask)):
        assert np.array_equal(images[chosen], split[0])
        assert np.array_equal(labels[chosen], split[1])


@pytest.mark.parametrize(
    "split, files, counts",
    [("train", TRAIN_FILES, [288, 288, 287, 287, 287]), ("test", TEST_FILES, [360])],
)
def test_every_pixel_is_a_block_of_four_by_four_in_three_equal_planes(folder, split, files, counts):
    images, labels = load_digits(split)
    batches = [read_batch(folder / name) for name in files]
    assert [len(batch["labels"]) for batch in batches] == counts
    assert np.array_equal(np.concatenate([batch["labels"] for batch in batches]), labels)
    # block row, row in block, block column, column in block
    planes = np.concatenate([batch["data"] for batch in batches]).reshape(-1, 3, 8, 4, 8, 4)
    assert np.all(planes == planes[:, :1, :, :1, :, :1])
    for value in range(17):  # 0..16 become 0..255, nearest
        assert np.all(planes[:, 0, :, 0, :, 0][images == value] == int(value * 255 / 16 + 0.5))


def test_it_is_written_once_and_two_writes_give_the_same_bytes(tmp_path, folder):
    again = write_digits_as_cifar10(tmp_path)
    inodes = [path.stat().st_ino for path in sorted(again.iterdir())]
    assert write_digits_as_cifar10(tmp_path) == again
    assert inodes == [path.stat().st_ino for path in sorted(again.iterdir())]
    assert all((again / path.name).read_bytes() == path.read_bytes() for path in folder.iterdir())
    assert {path.name for path in folder.iterdir()} == {*cifar10.ALL_FILES, cifar10.README_FILE}
    assert read_meta(folder / "batches.meta") == list(digits.CLASSES)
    assert locate(folder.parent) == folder


def test_an_interruption_leaves_nothing_and_the_next_call_succeeds(tmp_path, monkeypatch):
    def interrupted(content, file):
        raise KeyboardInterrupt

    with monkeypatch.context() as changed:
        changed.setattr(cifar10, "dump", interrupted)
        with pytest.raises(KeyboardInterrupt):
            write_digits_as_cifar10(tmp_path)
    assert list(tmp_path.iterdir()) == []
    assert len(list(write_digits_as_cifar10(tmp_path).iterdir())) == 8


@pytest.mark.parametrize(
    "make",
    [
        lambda root: write_digits_as_cifar10(root),
        lambda root: write_synthetic_cifar10(root, 6, 2),
        lambda root: write_synthetic_cifar10(root, 5, 2, 7),
    ],
)
def test_a_folder_with_other_data_is_refused_and_not_touched(tmp_path, make):
    there = write_synthetic_cifar10(tmp_path, 5, 2)
    batches = [read_batch(there / name) for name in (*TRAIN_FILES, *TEST_FILES)]
    assert [len(batch["labels"]) for batch in batches] == [1, 1, 1, 1, 1, 2]
    assert len({image.tobytes() for batch in batches for image in batch["data"]}) == 7
    assert len({name for batch in batches for name in batch["filenames"]}) == 7
    before = {path: path.read_bytes() for path in there.iterdir()}
    with pytest.raises(FileExistsError, match="Choose another root"):
        make(tmp_path)
    assert [*tmp_path.iterdir()] == [there]
    assert {path: path.read_bytes() for path in there.iterdir()} == before


# Noise


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


@pytest.mark.parametrize(
    "call, rule",
    [
        (lambda p: write_synthetic_cifar10(p, -1), "num_train must be 0 or more, got -1"),
        (lambda p: write_synthetic_cifar10(p, 1, 1, -3), "seed must be 0 or more, got -3"),
        (lambda p: synthetic_images(-1), "count must be 0 or more, got -1"),
        (lambda p: load_digits("valid"), "'train' or 'test', got 'valid'"),
    ],
)
def test_a_wrong_argument_is_refused_before_anything_is_written(tmp_path, call, rule):
    with pytest.raises(ValueError, match=rule):
        call(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("count", [0, 8, 9, 20])
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

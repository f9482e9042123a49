"""The digits in the package, and the same digits as CIFAR-10."""

import hashlib
import re
from pathlib import Path

import numpy as np
import pytest

from tinytorch.datasets import (
    cifar10,
    digits,
    load_digits,
    locate,
    read_batch,
    read_meta,
    write_digits_as_cifar10,
    write_synthetic_cifar10,
)
from tinytorch.datasets.make_digits import NUM_TEST, stratified_test_mask


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_digits_as_cifar10(tmp_path_factory.mktemp("digits"))


def read(folder, names):
    batches = [read_batch(folder / name) for name in names]
    return np.concatenate([b["data"] for b in batches]), np.concatenate(
        [b["labels"] for b in batches]
    )


def test_the_digits_are_the_1797_that_were_published():
    images, labels = load_digits()
    assert images.shape == (1797, 8, 8) and images.dtype == np.uint8 and labels.dtype == np.int64
    # the counts in UCI's description
    assert np.bincount(labels).tolist() == [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]
    assert images.min() == 0 and images.max() == 16
    assert images[0, 0].tolist() == [0, 0, 5, 13, 9, 1, 0, 0] and labels[:10].tolist() == list(
        range(10)
    )
    digest = hashlib.sha256(images.tobytes() + labels.astype(np.uint8).tobytes())
    assert digest.hexdigest() == "87ff0c9e40dc7e2c0e34e7257799c2e3f3aec1a016363bb11cad869ec428a826"


def test_the_split_is_fixed_stratified_and_covers_every_digit_once():
    images, labels = load_digits()
    train, test = load_digits("train"), load_digits("test")
    assert (len(train[0]), len(test[0])) == (1437, 360)
    exact = np.bincount(labels) * 360 / 1797
    assert np.all(np.abs(np.bincount(test[1]) - exact) < 1)
    both = np.concatenate([train[0], test[0]])
    assert sorted(image.tobytes() for image in both) == sorted(image.tobytes() for image in images)
    mask = stratified_test_mask(labels, NUM_TEST)
    assert np.array_equal(images[mask], test[0]) and np.array_equal(labels[~mask], train[1])


def test_another_split_is_refused():
    with pytest.raises(ValueError, match="'train' or 'test', got 'valid'"):
        load_digits("valid")


def test_the_folder_has_cifar10s_files_and_counts(folder):
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        [*cifar10.ALL_FILES, cifar10.README_FILE]
    )
    counts = [
        len(read_batch(folder / name)["labels"])
        for name in (*cifar10.TRAIN_FILES, *cifar10.TEST_FILES)
    ]
    assert counts == [288, 288, 287, 287, 287, 360]
    assert read_meta(folder / "batches.meta") == list(digits.CLASSES)
    assert locate(folder.parent) == folder


@pytest.mark.parametrize(
    "split, names", [("train", cifar10.TRAIN_FILES), ("test", cifar10.TEST_FILES)]
)
def test_every_pixel_is_a_block_of_four_by_four_in_three_equal_planes(folder, split, names):
    images, labels = load_digits(split)
    data, written = read(folder, names)
    # block row, row in block, block column, column in block
    planes = data.reshape(-1, 3, 8, 4, 8, 4)
    assert np.array_equal(written, labels)
    assert np.all(planes == planes[:, :1, :, :1, :, :1])
    for value in range(17):  # 0..16 become 0..255, nearest
        assert np.all(planes[:, 0, :, 0, :, 0][images == value] == int(value * 255 / 16 + 0.5))


def test_filenames_are_unique_and_name_the_class(folder):
    names = [
        name for file in cifar10.TRAIN_FILES for name in read_batch(folder / file)["filenames"]
    ]
    assert len(set(names)) == 1437
    for name, label in zip(names, load_digits("train")[1], strict=True):
        assert name.startswith(digits.CLASSES[label])


def test_it_is_written_once_and_two_writes_give_the_same_bytes(tmp_path, folder):
    again = write_digits_as_cifar10(tmp_path)
    before = [(path.stat().st_mtime_ns, path.stat().st_ino) for path in sorted(again.iterdir())]
    assert write_digits_as_cifar10(tmp_path) == again
    assert before == [
        (path.stat().st_mtime_ns, path.stat().st_ino) for path in sorted(again.iterdir())
    ]
    assert all((again / path.name).read_bytes() == path.read_bytes() for path in folder.iterdir())


def test_an_interruption_leaves_nothing_and_the_next_call_succeeds(tmp_path, monkeypatch):
    def interrupted(content, file):
        raise KeyboardInterrupt

    with monkeypatch.context() as changed:
        changed.setattr(cifar10, "dump", interrupted)
        with pytest.raises(KeyboardInterrupt):
            write_digits_as_cifar10(tmp_path)
    assert list(tmp_path.iterdir()) == []
    assert len(list(write_digits_as_cifar10(tmp_path).iterdir())) == 8


def test_if_another_process_was_first_its_files_stay(tmp_path, monkeypatch):
    publish, inodes = cifar10.publish, []

    def late(temporary, folder):
        monkeypatch.setattr(cifar10, "publish", publish)
        inodes.extend(path.stat().st_ino for path in write_digits_as_cifar10(tmp_path).iterdir())
        publish(temporary, folder)

    monkeypatch.setattr(cifar10, "publish", late)
    folder = write_digits_as_cifar10(tmp_path)
    assert [path.stat().st_ino for path in folder.iterdir()] == inodes
    assert list(tmp_path.iterdir()) == [folder]


def one_file(root):
    (root / cifar10.FOLDER).mkdir()
    (root / cifar10.FOLDER / "data_batch_1").write_text("mine", encoding="utf-8")


@pytest.mark.parametrize("make", [lambda root: write_synthetic_cifar10(root, 5, 1), one_file])
def test_a_folder_with_other_data_is_refused_and_not_touched(tmp_path, make):
    make(tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(FileExistsError, match="Choose another root"):
        write_digits_as_cifar10(tmp_path)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_license_and_citation_lie_beside_the_data_and_sizes_are_what_the_docstrings_say(folder):
    data = Path(digits.__file__).parent / "data"
    text = (data / "DIGITS.md").read_text(encoding="utf-8")
    source = "https://doi.org/10.24432/C50P49"
    for needed in ("CC BY 4.0", "Alpaydin", "Kaynak", source, "scikit-learn"):
        assert needed in text
    kilobytes = int(re.search(r"\((\d+) kB\)", digits.__doc__)[1])
    assert round((data / "digits.npz").stat().st_size / 1e3) == kilobytes
    megabytes = float(re.search(r"\(([\d.]+) MB\)", write_digits_as_cifar10.__doc__)[1])
    assert round(sum(path.stat().st_size for path in folder.iterdir()) / 1e6, 1) == megabytes

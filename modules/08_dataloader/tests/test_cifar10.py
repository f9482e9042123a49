"""Promises of CIFAR10Dataset, on files in CIFAR-10's layout that the test writes.
`tt` is your exported package.
"""

import numpy as np
import pytest

from tinytorch.datasets import (
    FOLDER,
    read_meta,
    write_batch,
    write_digits_as_cifar10,
    write_synthetic_cifar10,
)
from tinytorch.testing import expect, expect_raises

pytestmark = pytest.mark.contract("contract_cifar10")


@pytest.fixture(scope="module")
def digits(tmp_path_factory):
    root = tmp_path_factory.mktemp("data")
    write_digits_as_cifar10(root)
    return root


def test_training_and_test_images_are_kept_apart(tt, digits):
    train, test = (
        tt.CIFAR10Dataset(digits, train=True, download=False),
        tt.CIFAR10Dataset(digits, train=False, download=False),
    )
    got = (len(train), len(test))
    expect(
        got == (1437, 360),
        "train=True reads the five training files, train=False the test file.",
        call="len(CIFAR10Dataset(root, train=...)) on the digits",
        got=got,
        want=(1437, 360),
        look="which files does _read_split read?",
    )


def test_a_sample_is_an_image_of_bytes_and_an_integer_label(tt, digits):
    dataset = tt.CIFAR10Dataset(digits, download=False)
    image, label = dataset[0]
    got = (
        f"image {image.data.dtype} {image.data.shape}, label {label.data.dtype}"
        f" {label.data.shape}"
    )
    expect(
        got == "image uint8 (3, 32, 32), label int64 ()",
        "A sample is a uint8 image (3, 32, 32) and an int64 label.",
        call="CIFAR10Dataset(root)[0]",
        got=got,
        want="image uint8 (3, 32, 32), label int64 ()",
        look="nothing is converted before it is normalised",
    )
    names = read_meta(digits / FOLDER / "batches.meta")
    expect(
        list(dataset.classes) == names,
        "The ten class names come from batches.meta.",
        call="dataset.classes",
        got=dataset.classes,
        want=names,
    )


def test_the_planes_are_red_green_blue(tt, tmp_path):
    write_synthetic_cifar10(tmp_path, 5, 1)
    rows = np.zeros((2, 3072), np.uint8)
    rows[0, :1024], rows[0, 1024:2048], rows[0, 2048:] = 10, 20, 30
    rows[1, 33] = 99  # the second row of the red plane, its second pixel
    write_batch(
        tmp_path / FOLDER / "test_batch",
        rows,
        [3, 8],
        ["a.png", "b.png"],
        "testing batch",
    )
    dataset = tt.CIFAR10Dataset(tmp_path, train=False, download=False)
    expect(
        len(dataset) == 2,
        "The number of samples comes from the file.",
        call="len(CIFAR10Dataset(root, train=False)) on a file of 2",
        got=len(dataset),
        want=2,
    )
    image = dataset[0][0].data
    got = [sorted(set(plane.ravel().tolist())) for plane in image]
    expect(
        got == [[10], [20], [30]],
        "Channel 0 is the red plane, 1 the green, 2 the blue.",
        call="the values in each channel of image 0",
        got=got,
        want=[[10], [20], [30]],
        look="a row holds 1024 red, then 1024 green, then 1024 blue bytes",
    )
    got = np.argwhere(dataset[1][0].data == 99).tolist()
    expect(
        got == [[0, 1, 1]],
        "A plane is stored row by row: byte 33 is row 1, column 1.",
        call="where is byte 33 of image 1?",
        got=got,
        want=[[0, 1, 1]],
        look="is there a transpose?",
    )
    labels = [int(dataset[i][1].data) for i in (0, 1)]
    expect(
        labels == [3, 8],
        "Label i belongs to image i.",
        call="labels of images 0 and 1",
        got=labels,
        want=[3, 8],
    )


def test_missing_and_damaged_files_are_named(tt, tmp_path):
    expect_raises(
        FileNotFoundError,
        lambda: tt.CIFAR10Dataset(tmp_path / "nothing", download=False),
        "A folder without the data is an error that names it.",
        says="nothing",
        call='CIFAR10Dataset("nothing", download=False)',
    )
    write_synthetic_cifar10(tmp_path, 50, 7)
    (tmp_path / FOLDER / "data_batch_2").write_bytes(b"not a batch")
    expect_raises(
        ValueError,
        lambda: tt.CIFAR10Dataset(tmp_path, download=False),
        "A damaged file is an error that names the file.",
        says="data_batch_2",
        call="CIFAR10Dataset(root) with a broken data_batch_2",
        look="read each file with read_batch, and let its error through",
    )
    intact = tt.CIFAR10Dataset(tmp_path, train=False, download=False)
    expect(
        len(intact) == 7,
        "The test split does not read the training files.",
        call="CIFAR10Dataset(root, train=False) beside the broken file",
        got=len(intact),
        want=7,
        look="TRAIN_FILES or TEST_FILES",
    )

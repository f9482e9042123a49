"""Promises of to_images and CIFAR10Dataset, on files in CIFAR-10's layout that the
test writes. `tt` is your exported package.
"""

import numpy as np
import pytest

from tinytorch.datasets import (
    FOLDER,
    TRAIN_FILES,
    write_batch,
    write_synthetic_cifar10,
)
from tinytorch.testing import expect, expect_raises


@pytest.mark.contract("test_to_images")
def test_the_planes_are_red_green_blue(tt):
    rows = np.zeros((2, 3072), np.uint8)
    rows[0, :1024], rows[0, 1024:2048], rows[0, 2048:] = 10, 20, 30
    rows[1, 33] = 99  # the second row of the red plane, its second pixel
    images = tt.to_images(rows)
    expect(
        images.shape == (2, 3, 32, 32) and images.dtype == np.uint8,
        "Images are (N, 3, 32, 32), uint8.",
        call="to_images(uint8 rows of shape (2, 3072))",
        got=f"{images.dtype} {images.shape}",
        want="uint8 (2, 3, 32, 32)",
        look="reshape the rows to four axes; reshape keeps the dtype",
    )
    got = [sorted(set(plane.ravel().tolist())) for plane in images[0]]
    expect(
        got == [[10], [20], [30]],
        "Channel 0 is the red plane, 1 the green, 2 the blue.",
        call="the values in each channel of image 0",
        got=got,
        want=[[10], [20], [30]],
        look="a row holds 1024 red, then 1024 green, then 1024 blue bytes",
    )
    got = np.argwhere(images[1] == 99).tolist()
    expect(
        got == [[0, 1, 1]],
        "A plane is stored row by row: byte 32 y + x is pixel (y, x).",
        call="where is byte 33 of image 1?",
        got=got,
        want=[[0, 1, 1]],
        look="x is the last axis: is there a transpose, or a reshape in another order?",
    )


@pytest.fixture(scope="module")
def noise(tmp_path_factory):
    """Training files of 2, 2, 1, 1 and 1 images, and a test file of 4."""
    root = tmp_path_factory.mktemp("data")
    write_synthetic_cifar10(root, 7, 4)
    return root


@pytest.mark.contract("test_cifar10_split")
def test_training_and_test_images_are_kept_apart(tt, noise):
    train, test = (
        tt.CIFAR10Dataset(noise, train=True, download=False),
        tt.CIFAR10Dataset(noise, train=False, download=False),
    )
    got = (len(train), len(test))
    expect(
        got == (7, 4),
        "Training data are the five training files, in order.",
        call="len(CIFAR10Dataset(root, train=...)), 7 images in 5 files, 4 to test",
        got=got,
        want=(7, 4),
        look="self.train decides: read_batch for every name in TRAIN_FILES or"
        " TEST_FILES",
    )


@pytest.mark.contract("test_cifar10_split")
def test_a_sample_is_an_image_and_an_integer_label(tt, noise):
    dataset = tt.CIFAR10Dataset(noise, download=False)
    image, label = dataset[0]
    got = (
        f"{image.data.size} numbers in the image,"
        f" label {label.data.dtype} {label.data.shape}"
    )
    expect(
        got == "3072 numbers in the image, label int64 ()",
        "Labels are an int64 array of shape (N,).",
        call="CIFAR10Dataset(root)[0]",
        got=got,
        want="3072 numbers in the image, label int64 ()",
        look="is the first dimension of images and labels the sample?",
    )


def ranks(images):
    """For each image, how many different images are darker: 0, 1, ..."""
    means = [float(np.mean(image)) for image in images]
    return np.unique(np.round(means, 9), return_inverse=True)[1].tolist()


@pytest.mark.contract("test_cifar10_split")
def test_image_n_belongs_to_label_n(tt, tmp_path):
    write_synthetic_cifar10(tmp_path, 5, 1)
    for number, name in enumerate(TRAIN_FILES):
        rows = np.full((2, 3072), 50 * number, np.uint8)
        write_batch(tmp_path / FOLDER / name, rows, [number] * 2, ["a", "b"], name)
    for stray in ("data_batch_1.orig", "data_batch_6", "test_batch_old"):
        rows = np.full((1, 3072), 255, np.uint8)
        write_batch(tmp_path / FOLDER / stray, rows, [9], ["a"], stray)
    dataset = tt.CIFAR10Dataset(tmp_path, download=False)
    samples = [dataset[i] for i in range(len(dataset))]
    labels = [int(label.data) for _, label in samples]
    want = [number for number in range(5) for _ in range(2)]
    expect(
        labels == want,
        "Training data are the five training files, in order.",
        call="the labels of five files, each with two images, beside other files",
        got=labels,
        want=want,
        look="read_batch(folder / name) for every name in TRAIN_FILES, and no others",
    )
    got = ranks([image.data for image, _ in samples])
    expect(
        got == want,
        "Image n belongs to label n.",
        call="five files, each brighter than the one before",
        got=f"images from files {got}",
        want=f"images from files {want}",
        look="the same order of files for images and labels",
    )


@pytest.mark.contract("test_cifar10_split")
def test_missing_and_damaged_files_are_named(tt, tmp_path):
    expect_raises(
        FileNotFoundError,
        lambda: tt.CIFAR10Dataset(tmp_path / "nothing", download=False),
        "An error from a file reaches the caller unchanged, and the file is not read"
        " again.",
        says="nothing",
        call='CIFAR10Dataset("nothing", download=False)',
        look="is there a try around read_batch?",
    )
    write_synthetic_cifar10(tmp_path, 10, 7)
    (tmp_path / FOLDER / "data_batch_2").write_bytes(b"not a batch")
    expect_raises(
        ValueError,
        lambda: tt.CIFAR10Dataset(tmp_path, download=False),
        "An error from a file reaches the caller unchanged, and the file is not read"
        " again.",
        says="data_batch_2",
        call="CIFAR10Dataset(root) with a broken data_batch_2",
        look="is every file read with read_batch, and its error let through?",
    )
    intact = tt.CIFAR10Dataset(tmp_path, train=False, download=False)
    expect(
        len(intact) == 7,
        "Test data are the test file and nothing else.",
        call="CIFAR10Dataset(root, train=False) beside the broken file",
        got=len(intact),
        want=7,
        look="TRAIN_FILES or TEST_FILES",
    )

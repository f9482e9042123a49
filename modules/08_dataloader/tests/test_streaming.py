"""Promises of MemmapDataset. `tt` is your exported package."""

import numpy as np
import pytest

from tinytorch.testing import expect, expect_raises

pytestmark = pytest.mark.contract("test_memmap_dataset")


def files(folder, images, labels):
    paths = folder / "images.npy", folder / "labels.npy"
    np.save(paths[0], images)
    np.save(paths[1], labels)
    return paths


def test_a_sample_is_an_image_and_its_label(tt, tmp_path):
    images = np.arange(5 * 3 * 2 * 2, dtype=np.uint8).reshape(5, 3, 2, 2)
    dataset = tt.MemmapDataset(
        *files(tmp_path, images, np.array([4, 3, 2, 1, 0], np.uint8))
    )
    image, label = dataset[3]
    expect(
        len(dataset) == 5
        and np.array_equal(image.data, images[3])
        and image.data.dtype == np.uint8,
        "`ds[i]` is row i of both files, as (image, label), both Tensors.",
        call="MemmapDataset(...)[3]",
        got=f"{image.data.dtype} {image.data.ravel().tolist()}",
        want=f"uint8 {images[3].ravel().tolist()}",
    )
    expect(
        label.data == 1 and label.data.dtype == np.int64,
        "Images keep their dtype, labels are int64.",
        call="MemmapDataset(...)[3][1]",
        got=f"{label.data.dtype} {label.data}",
        want="int64 1",
    )


def test_images_are_read_when_they_are_asked_for(tt, tmp_path):
    paths = files(tmp_path, np.zeros((4, 1, 2, 2), np.uint8), np.zeros(4, np.int64))
    dataset = tt.MemmapDataset(*paths)
    on_disk = np.lib.format.open_memmap(paths[0], mode="r+")
    on_disk[2] = 7
    on_disk.flush()
    got = int(dataset[2][0].data.max())
    expect(
        got == 7,
        "An image is read from the file each time it is asked for.",
        call="a pixel changed in the file after MemmapDataset(...) was made",
        got=f"the pixel is {got}",
        want="the pixel is 7",
        look='np.load(path, mmap_mode="r"), and no copy of the whole',
    )


def test_unequal_lengths_and_indices_outside_are_refused(tt, tmp_path):
    paths = files(tmp_path, np.zeros((4, 1, 2, 2), np.uint8), np.zeros(3, np.int64))
    expect_raises(
        ValueError,
        lambda: tt.MemmapDataset(*paths),
        "Images and labels of unequal length raise `ValueError` with both lengths.",
        says=["4", "3"],
        call="MemmapDataset(4 images, 3 labels)",
    )
    dataset = tt.MemmapDataset(
        *files(tmp_path, np.zeros((4, 1, 2, 2), np.uint8), np.zeros(4, np.int64))
    )
    for index in (4, -1):
        expect_raises(
            IndexError,
            lambda: dataset[index],
            "An index outside 0..N-1 raises `IndexError` with the index and the size.",
            says=[str(index), "4"],
            call=f"dataset[{index}]",
        )

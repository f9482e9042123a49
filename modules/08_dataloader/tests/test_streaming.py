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
        look="row i of the map, as it is in the file",
    )
    expect(
        label.data == 1 and label.data.dtype == np.int64,
        "Images keep their dtype, labels are int64.",
        call="MemmapDataset(...)[3][1]",
        got=f"{label.data.dtype} {label.data}",
        want="int64 1",
        look="the file has uint8 labels: astype(np.int64)",
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
    for count in (3, 5):
        np.save(paths[1], np.zeros(count, np.int64))
        expect_raises(
            ValueError,
            lambda: tt.MemmapDataset(*paths),
            "Images and labels of unequal length raise `ValueError` with both lengths.",
            says=["4", str(count)],
            call=f"MemmapDataset(4 images, {count} labels)",
            look="compare both lengths: raise ValueError(...) with both numbers, for a"
            " label"
            " too many, too",
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
            look="check the index first, also below 0: raise IndexError with both"
            " numbers",
        )


def written_to(tt, images_path, labels_path):
    """What `images` is, after somebody tried to write into it."""
    dataset = tt.MemmapDataset(images_path, labels_path)
    kind = type(dataset.images).__name__
    try:
        dataset.images[0] = 200
        dataset.images.flush()
    except (ValueError, AttributeError):
        pass
    return kind


def test_the_file_cannot_be_changed(inside, tmp_path):
    paths = files(tmp_path, np.zeros((4, 1, 2, 2), np.uint8), np.zeros(4, np.int64))
    kind = inside(written_to, *paths)
    got = f"{kind}, row 0 holds {int(np.load(paths[0])[0].max())}"
    expect(
        got == "memmap, row 0 holds 0",
        "The images are a memory map that cannot change the file.",
        call="dataset.images[0] = 200: type(dataset.images), and the file",
        got=got,
        want="memmap, row 0 holds 0",
        look='np.load(path, mmap_mode="r"), and kept as it is',
    )


def test_no_row_is_kept(tt, tmp_path):
    paths = files(tmp_path, np.zeros((4, 1, 2, 2), np.uint8), np.zeros(4, np.int64))
    dataset = tt.MemmapDataset(*paths)
    found = []
    on_disk = np.lib.format.open_memmap(paths[0], mode="r+")
    for pixel in (0, 7):
        on_disk[2] = pixel
        on_disk.flush()
        found.append(int(dataset[2][0].data.max()))
    expect(
        found == [0, 7],
        "An image is read from the file each time it is asked for.",
        call="dataset[2], the file's row 2 becomes 7, dataset[2]: the pixels",
        got=found,
        want=[0, 7],
        look="is a row or a Tensor kept from the first time?",
    )


def test_a_transform_runs_once_and_its_error_passes_through(tt, tmp_path, draw):
    paths = files(tmp_path, np.zeros((4, 1, 2, 2), np.uint8), np.zeros(4, np.int64))
    number, calls = int(draw.integers(1, 200)), []

    def shifted(image):
        calls.append(image.data.shape)
        return image.data + number

    got = tt.MemmapDataset(*paths, transform=shifted)[1][0]
    expect(
        calls == [(1, 2, 2)] and int(np.max(getattr(got, "data", got))) == number,
        "A transform is called once for each image that is read.",
        call=f"MemmapDataset(zeros, transform=add {number})[1]",
        got=f"called with {calls}",
        want="called with [(1, 2, 2)], and the sample holds its result",
        look="the last line of the stub calls it already",
    )
    for error in (KeyError, TypeError, OSError):
        calls.clear()

        def broken(image, error=error):
            calls.append(1)
            raise error(f"color {number}")

        dataset = tt.MemmapDataset(*paths, transform=broken)
        expect_raises(
            error,
            lambda dataset=dataset: dataset[1],
            "An error from a file or a transform reaches the caller unchanged, and"
            " nothing is tried again.",
            says=f"color {number}",
            call=f"dataset[1], the transform raises {error.__name__}",
            look="is there a try around the read or the transform?",
        )
        expect(
            len(calls) == 1,
            "An error from a file or a transform reaches the caller unchanged, and"
            " nothing is tried again.",
            call=f"dataset[1], the transform raises {error.__name__}",
            got=f"{len(calls)} calls of the transform",
            want="1 call of the transform",
            look="is it called again after its error?",
        )

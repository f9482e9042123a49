"""Hidden: MemmapDataset over random files."""

import numpy as np
import pytest

from tinytorch.core.tensor import Tensor
from tinytorch.testing import expect, expect_raises

pytestmark = pytest.mark.contract("test_memmap_dataset")


@pytest.fixture
def stored(tmp_path, draw):
    n = int(draw.integers(5, 20))
    images, labels = (
        draw.integers(0, 256, (n, 3, 4, 5)).astype(np.uint8),
        draw.integers(0, 10, n).astype(str(draw.choice(["uint8", "int32", "int64"]))),
    )
    np.save(tmp_path / "images.npy", images)
    np.save(tmp_path / "labels.npy", labels)
    return (tmp_path / "images.npy", tmp_path / "labels.npy"), images, labels


def test_every_sample_is_the_row_of_both_files(tt, stored):
    paths, images, labels = stored
    dataset = tt.MemmapDataset(*paths)
    expect(
        len(dataset) == len(images),
        "`ds[i]` is row i of both files, as (image, label), both Tensors.",
        call="len(MemmapDataset(...))",
        got=len(dataset),
        want=len(images),
    )
    for i, (image, label) in enumerate(zip(images, labels, strict=True)):
        x, y = dataset[i]
        expect(
            isinstance(x, Tensor) and isinstance(y, Tensor),
            "`ds[i]` is row i of both files, as (image, label), both Tensors.",
            call=f"dataset[{i}]",
            got=[type(part).__name__ for part in (x, y)],
            want=["Tensor", "Tensor"],
            look="wrap both: Tensor(...)",
        )
        expect(
            np.array_equal(x.data, image) and x.data.dtype == np.uint8,
            "`ds[i]` is row i of both files, as (image, label), both Tensors.",
            call=f"dataset[{i}][0]",
            got=f"{x.data.dtype} {x.data.ravel()[:4].tolist()}",
            want=f"uint8 {image.ravel()[:4].tolist()}",
        )
        expect(
            int(y.data) == int(label) and y.data.dtype == np.int64,
            "Images keep their dtype, labels are int64.",
            call=f"dataset[{i}][1]",
            got=f"{y.data.dtype} {y.data}",
            want=f"int64 {label}",
        )


def memory_of_a_sample(tt, images_path, labels_path, index):
    """The values of an image, and what its memory is."""
    import numpy as np

    image = tt.MemmapDataset(images_path, labels_path)[index][0].data
    root = image
    while isinstance(root, np.ndarray) and root.base is not None:
        root = root.base
    own = isinstance(root, np.ndarray) and not isinstance(image, np.memmap)
    return [image.tolist(), own, type(image).__name__]


def test_a_sample_is_a_copy_in_memory(tt, inside, stored, draw):
    paths, images, _ = stored
    index = int(draw.integers(len(images)))
    values, own, kind = inside(memory_of_a_sample, *paths, index)
    for got in (values, tt.MemmapDataset(*paths)[index][0].data.tolist()):
        expect(
            got == images[index].tolist(),
            "`ds[i]` is row i of both files, as (image, label), both Tensors.",
            call=f"dataset[{index}][0]",
            got=got[0][0],
            want=images[index][0][0].tolist(),
        )
    expect(
        own,
        "A sample is a copy in memory, not a view of the file.",
        call=f"type(dataset[{index}][0].data)",
        got=kind,
        want="an array of its own",
        look="np.array(row) copies, np.asarray does not",
    )


def test_floats_stay_floats(tt, tmp_path, draw):
    images = draw.normal(0, 1, (3, 1, 2, 2)).astype(np.float32)
    np.save(tmp_path / "x.npy", images)
    np.save(tmp_path / "y.npy", np.arange(3))
    got = tt.MemmapDataset(tmp_path / "x.npy", tmp_path / "y.npy")[2][0].data
    expect(
        got.dtype == np.float32 and np.array_equal(got, images[2]),
        "Images keep their dtype, labels are int64.",
        call="MemmapDataset(float32 images)[2]",
        got=got.dtype,
        want="float32",
    )


def test_the_file_is_read_late_and_never_written(tt, stored, draw):
    paths, images, _ = stored
    dataset = tt.MemmapDataset(*paths)
    changed = int(draw.integers(len(images)))
    on_disk = np.lib.format.open_memmap(paths[0], mode="r+")
    on_disk[changed] = 255 - images[changed]
    on_disk.flush()
    before = paths[0].read_bytes()
    got = dataset[changed][0].data
    expect(
        np.array_equal(got, 255 - images[changed]),
        "An image is read from the file each time it is asked for.",
        call=f"image {changed} changed on disk after the dataset was made",
        got="the old pixels",
        want="the new pixels",
        look='mmap_mode="r" and no copy of the whole file',
    )
    read = [int(dataset[i][0].data.size) for i in range(len(images))]
    expect(
        read == [images[0].size] * len(images),
        "`ds[i]` is row i of both files, as (image, label), both Tensors.",
        call=f"an epoch over a file of {len(images)}",
        got=f"{len(read)} images",
        want=len(images),
    )
    expect(
        paths[0].read_bytes() == before,
        "The images are a memory map that cannot change the file.",
        call="an epoch",
        got="other bytes",
        want="the same bytes",
        look='mmap_mode="r"',
    )


def test_a_transform_sees_each_image_when_it_is_read(tt, stored):
    paths, images, _ = stored
    calls = []

    def transform(image):
        calls.append(image.data.shape)
        return image.data[:, ::-1]

    dataset = tt.MemmapDataset(*paths, transform=transform)
    got = [np.asarray(getattr(part, "data", part)) for part in (dataset[0][0], dataset[1][0])]
    expect(
        calls == [(3, 4, 5)] * 2 and np.array_equal(got[1], images[1][:, ::-1]),
        "A transform is called once for each image that is read.",
        call="dataset[0], dataset[1]",
        got=f"calls with {calls}",
        want="two calls",
    )


def test_a_file_of_64_mb_stays_on_disk(tt, tmp_path, peak_memory):
    paths = tmp_path / "large.npy", tmp_path / "labels.npy"
    # a file of holes: it takes no room
    np.lib.format.open_memmap(paths[0], mode="w+", dtype=np.uint8, shape=(21_000, 3, 32, 32))
    np.save(paths[1], np.zeros(21_000, np.uint8))
    before = peak_memory()
    dataset = tt.MemmapDataset(*paths)
    got = dataset[20_999][0].data
    grown = (peak_memory() - before) / 1e6
    expect(
        got.shape == (3, 32, 32) and not got.any(),
        "`ds[i]` is row i of both files, as (image, label), both Tensors.",
        call="dataset[20999]",
        got=f"{got.dtype} {got.shape}",
        want="zeros (3, 32, 32)",
    )
    # Reading one image costs some 0.1 MB; a copy of the file would cost 64 MB.
    expect(
        grown < 16,
        "Opening the file and reading one sample does not read the whole file.",
        call="MemmapDataset(a file of 64 MB) and one image of it",
        got=f"{grown:.0f} MB more memory in use",
        want="about 0 MB",
        look='np.load(path, mmap_mode="r"), and no copy of the whole file',
    )


def test_lengths_indices_and_files_are_checked(tt, stored, tmp_path):
    paths, images, labels = stored
    dataset = tt.MemmapDataset(*paths)
    for index in (len(images), -1, -len(images)):
        expect_raises(
            IndexError,
            lambda: dataset[index],
            "An index outside 0..N-1 raises `IndexError` with the index and the size.",
            says=[str(index), str(len(images))],
            call=f"dataset[{index}] of {len(images)}",
            look="a memory map counts negative indices from the end",
        )
    np.save(tmp_path / "short.npy", labels[:-1])
    expect_raises(
        ValueError,
        lambda: tt.MemmapDataset(paths[0], tmp_path / "short.npy"),
        "Images and labels of unequal length raise `ValueError` with both lengths.",
        says=[str(len(images)), str(len(images) - 1)],
        call="one label fewer than images",
    )
    expect_raises(
        FileNotFoundError,
        lambda: tt.MemmapDataset(tmp_path / "none.npy", paths[1]),
        "An error from a file or a transform reaches the caller unchanged, and nothing is tried"
        " again.",
        says="none.npy",
        call='MemmapDataset("none.npy", ...)',
    )

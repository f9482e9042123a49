"""Hidden: MemmapDataset over random files."""

import numpy as np
import pytest

from tinytorch.testing import expect, expect_raises

pytestmark = pytest.mark.contract("contract_streaming")


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


def test_a_loader_over_a_file_is_a_loader_over_memory(tt, draw, stored):
    paths, images, labels = stored
    seed = int(draw.integers(100))
    dataset = tt.MemmapDataset(*paths)
    expect(
        len(dataset) == len(images),
        "Its length is the number of images.",
        call="len(MemmapDataset(...))",
        got=len(dataset),
        want=len(images),
    )
    in_memory = list(zip(images, labels.astype(np.int64), strict=True))
    streamed, remembered = (
        list(tt.DataLoader(source, batch_size=4, shuffle=True, seed=seed))
        for source in (dataset, in_memory)
    )
    for name, batches in (("file", streamed), ("list", remembered)):
        got = [len(y.data) for _, y in batches]
        want = [min(4, len(images) - start) for start in range(0, len(images), 4)]
        expect(
            got == want,
            "Every image is in some batch.",
            call=f"images in each batch of a shuffled epoch over a {name} of {len(images)}",
            got=got,
            want=want,
        )
    for (x, y), (want_x, want_y) in zip(streamed, remembered, strict=True):
        expect(
            np.array_equal(x.data, want_x.data) and np.array_equal(y.data, want_y.data),
            "Streaming gives the batches that memory gives.",
            call=f"a shuffled epoch of {len(images)} images",
        )
        expect(
            x.data.dtype == np.uint8 and y.data.dtype == np.int64,
            "Images keep their dtype, labels become int64.",
            call="a batch",
            got=f"{x.data.dtype}, {y.data.dtype}",
            want="uint8, int64",
        )


def test_floats_stay_floats(tt, tmp_path, draw):
    images = draw.normal(0, 1, (3, 1, 2, 2)).astype(np.float32)
    np.save(tmp_path / "x.npy", images)
    np.save(tmp_path / "y.npy", np.arange(3))
    got = tt.MemmapDataset(tmp_path / "x.npy", tmp_path / "y.npy")[2][0].data
    expect(
        got.dtype == np.float32 and np.array_equal(got, images[2]),
        "An image keeps the dtype of its file.",
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
        "An image is read from the file when it is asked for.",
        call=f"image {changed} changed on disk after the dataset was made",
        got="the old pixels",
        want="the new pixels",
        look='mmap_mode="r" and no copy of the whole file',
    )
    read = sum(len(y.data) for _, y in tt.DataLoader(dataset, batch_size=3))
    expect(
        read == len(images),
        "An epoch reads every image.",
        call=f"an epoch over a file of {len(images)}",
        got=read,
        want=len(images),
    )
    expect(
        paths[0].read_bytes() == before,
        "Reading never changes the file.",
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
        "The last image of a large file is read like any other.",
        call="dataset[20999]",
        got=f"{got.dtype} {got.shape}",
        want="zeros (3, 32, 32)",
    )
    # Reading one image costs some 0.1 MB; a copy of the file would cost 64 MB.
    expect(
        grown < 16,
        "Making the dataset and reading one sample does not read the file.",
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
            "An index outside 0..N-1 is an IndexError with the index and the size.",
            says=[str(index), str(len(images))],
            call=f"dataset[{index}] of {len(images)}",
            look="a memory map counts negative indices from the end",
        )
    np.save(tmp_path / "short.npy", labels[:-1])
    expect_raises(
        ValueError,
        lambda: tt.MemmapDataset(paths[0], tmp_path / "short.npy"),
        "Unequal lengths are refused, with both.",
        says=[str(len(images)), str(len(images) - 1)],
        call="one label fewer than images",
    )
    expect_raises(
        FileNotFoundError,
        lambda: tt.MemmapDataset(tmp_path / "none.npy", paths[1]),
        "A missing file is named.",
        says="none.npy",
        call='MemmapDataset("none.npy", ...)',
    )

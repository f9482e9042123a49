"""Hidden: to_images and CIFAR10Dataset on random pixels in CIFAR-10's layout."""

import numpy as np
import pytest

from tinytorch.datasets import FOLDER, TRAIN_FILES, write_batch, write_synthetic_cifar10
from tinytorch.testing import expect, expect_raises


@pytest.mark.contract("test_to_images")
def test_to_images_takes_any_number_of_rows(tt, draw):
    for n in (0, 1, int(draw.integers(2, 6))):
        rows = draw.integers(0, 256, (n, 3072)).astype(np.uint8)
        got = tt.to_images(rows)
        expect(
            got.shape == (n, 3, 32, 32) and got.dtype == np.uint8,
            "Images are (N, 3, 32, 32), uint8.",
            call=f"to_images(uint8 ({n}, 3072))",
            got=f"{got.dtype} {got.shape}",
            want=f"uint8 ({n}, 3, 32, 32)",
        )
        for _ in range(4 if n else 0):
            i, c, y, x = (int(draw.integers(k)) for k in (n, 3, 32, 32))
            byte = 1024 * c + 32 * y + x
            expect(
                got[i, c, y, x] == rows[i, byte],
                "A plane is stored row by row: byte 32 y + x is pixel (y, x).",
                call=f"to_images(rows)[{i}, {c}, {y}, {x}]",
                got=got[i, c, y, x],
                want=rows[i, byte],
                look="three planes one after the other, each row by row",
            )


@pytest.fixture
def files(tmp_path, draw):
    """Six files of one to three images, each image of one brightness: no two are equal."""
    write_synthetic_cifar10(tmp_path, 5, 1)  # for batches.meta
    names = (*TRAIN_FILES, "test_batch")
    counts = np.append(draw.permutation([1, 1, 2, 3, 3]), 2)
    levels = iter(draw.permutation(np.arange(1, 255))[: counts.sum()].tolist())
    content = {}
    for name, n in zip(names, counts.tolist(), strict=True):
        brightness = [next(levels) for _ in range(n)]
        labels = draw.integers(0, 10, n).tolist()
        rows = np.repeat(np.array(brightness, np.uint8)[:, None], 3072, axis=1)
        write_batch(tmp_path / FOLDER / name, rows, labels, [f"{i}.png" for i in range(n)], name)
        content[name] = brightness, labels
    return tmp_path, content


def ranks(values):
    """Which place each value has among them, from small to large: so that the scale is no
    matter.
    """
    return np.unique(np.round(values, 9), return_inverse=True)[1].tolist()


@pytest.mark.contract("test_cifar10_split")
def test_all_files_of_a_split_in_order(tt, files):
    root, content = files
    for train, names in ((True, TRAIN_FILES), (False, ("test_batch",))):
        brightness, labels = ([v for name in names for v in content[name][k]] for k in (0, 1))
        dataset = tt.CIFAR10Dataset(root, train=train, download=False)
        call = f"CIFAR10Dataset(root, train={train})"
        expect(
            len(dataset) == len(labels),
            "Images are uint8 (N, 3, 32, 32), N counted from the files.",
            call=f"len({call})",
            got=len(dataset),
            want=len(labels),
            look="TRAIN_FILES or TEST_FILES, all of them",
        )
        samples = [dataset[i] for i in range(len(labels))]
        got = [int(label.data) for _, label in samples]
        expect(
            got == labels and all(label.data.dtype == np.int64 for _, label in samples),
            "Labels are an int64 array of shape (N,).",
            call=f"the labels of {call}",
            got=f"{samples[0][1].data.dtype} {got}",
            want=f"int64 {labels}",
            look="np.concatenate, in the order of the names",
        )
        got = ranks([float(np.mean(image.data)) for image, _ in samples])
        expect(
            got == ranks(brightness),
            "Image n belongs to label n.",
            call=f"the brightness of each image of {call}, as ranks",
            got=got,
            want=ranks(brightness),
            look="the same order of files for both",
        )


@pytest.mark.contract("test_cifar10_split")
def test_there_is_room_for_the_images_of_the_files_and_no_more(tt, files):
    root, content = files
    images = tt.CIFAR10Dataset(root, train=False, download=False).images
    count = len(content["test_batch"][1])
    expect(
        len(images) == count and np.size(images) == 3072 * count,
        "Images are uint8 (N, 3, 32, 32), N counted from the files.",
        call="CIFAR10Dataset(root, train=False).images.shape",
        got=np.shape(images),
        want=(count, 3, 32, 32),
        look="N comes from the files, never from a number you know",
    )
    want = tt.to_images(np.zeros((1, 3072), np.uint8)).dtype
    expect(
        images.dtype == want,
        "Images are uint8 (N, 3, 32, 32), N counted from the files.",
        call="CIFAR10Dataset(root, train=False).images.dtype",
        got=images.dtype,
        want=want,
        look="np.concatenate of what to_images gives; no astype, no array of another dtype",
    )


@pytest.mark.contract("test_cifar10_split")
def test_any_missing_or_damaged_file_is_named(tt, files, draw):
    root, _ = files
    name = str(draw.choice(TRAIN_FILES))
    path = root / FOLDER / name
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    expect_raises(
        ValueError,
        lambda: tt.CIFAR10Dataset(root, download=False),
        "An error from a file reaches the caller unchanged, and the file is not read again.",
        says=name,
        call=f"CIFAR10Dataset(root) with half of {name}",
    )
    path.unlink()
    expect_raises(
        FileNotFoundError,
        lambda: tt.CIFAR10Dataset(root, download=False),
        "An error from a file reaches the caller unchanged, and the file is not read again.",
        says=name,
        call=f"CIFAR10Dataset(root) without {name}",
        look="read all five files",
    )


@pytest.mark.contract("test_cifar10_split")
def test_a_transform_sees_each_image_each_time_it_is_read(tt, files):
    root, _ = files
    seen = []

    def transform(image):
        seen.append(image.data.size)
        return "transformed"

    dataset = tt.CIFAR10Dataset(root, train=False, download=False, transform=transform)
    expect(
        seen == [],
        "Reading the files transforms nothing: a transform is called once for each"
        " sample that is read.",
        got=f"{len(seen)} images transformed",
        want="0",
    )
    images = [dataset[0][0] for _ in range(2)]
    expect(
        seen == [3072] * 2 and images == ["transformed"] * 2,
        "Reading the files transforms nothing: a transform is called once for each"
        " sample that is read.",
        call="dataset[0], twice",
        got=f"images of {seen} numbers, samples {images}",
        want="two images of 3072 numbers",
    )

"""Hidden: CIFAR10Dataset on files with random pixels in CIFAR-10's layout."""

import numpy as np
import pytest

from tinytorch.datasets import FOLDER, TRAIN_FILES, write_batch, write_synthetic_cifar10
from tinytorch.testing import expect, expect_raises

pytestmark = pytest.mark.contract("contract_cifar10")
BYTE_OF = np.array(
    [[[1024 * c + 32 * y + x for x in range(32)] for y in range(32)] for c in range(3)]
)


@pytest.fixture
def files(tmp_path, draw):
    """Six small files of unequal length: (root, {file name: (rows, labels)})."""
    write_synthetic_cifar10(tmp_path, 5, 1)  # for batches.meta
    content = {}
    for name in (*TRAIN_FILES, "test_batch"):
        n = int(draw.integers(1, 4))
        content[name] = (
            draw.integers(0, 256, (n, 3072)).astype(np.uint8),
            draw.integers(0, 10, n).tolist(),
        )
        write_batch(tmp_path / FOLDER / name, *content[name], [f"{i}.png" for i in range(n)], name)
    return tmp_path, content


def test_all_five_files_in_order_and_every_pixel_in_its_place(tt, files):
    root, content = files
    for train, names in ((True, TRAIN_FILES), (False, ("test_batch",))):
        rows, labels = (
            np.concatenate([content[name][0] for name in names]),
            sum((content[name][1] for name in names), []),
        )
        dataset = tt.CIFAR10Dataset(root, train=train, download=False)
        call = f"CIFAR10Dataset(root, train={train})"
        expect(
            len(dataset) == len(rows),
            "Counts come from the files, never from a number you know.",
            call=f"len({call})",
            got=len(dataset),
            want=len(rows),
            look="TRAIN_FILES or TEST_FILES, all of them",
        )
        for i in range(len(rows)):
            image, label = dataset[i]
            right = image.data.dtype == np.uint8 and np.array_equal(image.data, rows[i][BYTE_OF])
            expect(
                right,
                "Byte 1024 c + 32 y + x of a row is pixel (c, y, x).",
                call=f"{call}[{i}][0]",
                got=image.data.ravel()[:4].tolist(),
                want=rows[i][:4].tolist(),
                look="reshape (3, 32, 32), no transpose",
            )
            expect(
                int(label.data) == labels[i] and label.data.dtype == np.int64,
                "Label i belongs to image i, as int64.",
                call=f"{call}[{i}][1]",
                got=f"{label.data.dtype} {label.data}",
                want=labels[i],
            )


def test_to_images_takes_any_number_of_rows(tt, draw):
    for n in (0, 1, int(draw.integers(2, 6))):
        rows = draw.integers(0, 256, (n, 3072)).astype(np.uint8)
        got = tt.to_images(rows)
        expect(
            got.shape == (n, 3, 32, 32) and got.dtype == np.uint8,
            "Rows (N, 3072) become images (N, 3, 32, 32), still bytes.",
            call=f"to_images(uint8 ({n}, 3072))",
            got=f"{got.dtype} {got.shape}",
            want=f"uint8 ({n}, 3, 32, 32)",
        )
        if n:
            c, y, x = (int(draw.integers(k)) for k in (3, 32, 32))
            expect(
                got[0, c, y, x] == rows[0, 1024 * c + 32 * y + x],
                "Pixel (c, y, x) is byte 1024 c + 32 y + x.",
                call=f"to_images(rows)[0, {c}, {y}, {x}]",
                got=got[0, c, y, x],
                want=rows[0, 1024 * c + 32 * y + x],
                look="three planes one after the other, each row by row",
            )


def test_any_missing_or_damaged_file_is_named(tt, files, draw):
    root, _ = files
    name = str(draw.choice(TRAIN_FILES))
    path = root / FOLDER / name
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    expect_raises(
        ValueError,
        lambda: tt.CIFAR10Dataset(root, download=False),
        "A file that is cut off is named.",
        says=name,
        call=f"CIFAR10Dataset(root) with half of {name}",
    )
    path.unlink()
    expect_raises(
        FileNotFoundError,
        lambda: tt.CIFAR10Dataset(root, download=False),
        "A file that is missing is named.",
        says=name,
        call=f"CIFAR10Dataset(root) without {name}",
        look="read all five files",
    )


def test_a_transform_sees_each_image_each_time_it_is_read(tt, files):
    root, content = files
    seen = []

    def transform(image):
        seen.append((image.data.shape, str(image.data.dtype)))
        return image.data.astype(np.float32) / 255

    dataset = tt.CIFAR10Dataset(root, train=False, download=False, transform=transform)
    expect(
        seen == [],
        "Making the dataset transforms nothing.",
        got=f"{len(seen)} images transformed",
        want="0",
    )
    images = [dataset[0][0] for _ in range(2)]
    expect(
        seen == [((3, 32, 32), "uint8")] * 2,
        "A transform gets one image at each read.",
        call="dataset[0], twice",
        got=seen,
        want="two images, uint8 (3, 32, 32)",
    )
    expect(
        np.allclose(
            np.asarray(getattr(images[0], "data", images[0])) * 255,
            content["test_batch"][0][0].reshape(3, 32, 32),
        ),
        "The sample holds what the transform returned.",
        call="dataset[0][0]",
    )


def test_batches_of_images_stay_bytes(tt, files):
    root, _ = files
    dataset = tt.CIFAR10Dataset(root, download=False)
    images, labels = next(iter(tt.DataLoader(dataset, batch_size=4)))
    got = f"{images.data.dtype} {images.data.shape}, {labels.data.dtype} {labels.data.shape}"
    expect(
        got == "uint8 (4, 3, 32, 32), int64 (4,)",
        "A batch is uint8 images and int64 labels.",
        call="next(iter(DataLoader(CIFAR10Dataset(root), batch_size=4)))",
        got=got,
        want="uint8 (4, 3, 32, 32), int64 (4,)",
    )
    expect_raises(
        IndexError,
        lambda: dataset[len(dataset)],
        "An index outside is an IndexError with index and size.",
        says=[str(len(dataset)), "size"],
        call=f"dataset[{len(dataset)}]",
    )

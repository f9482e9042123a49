"""Promises of the transforms. `tt` is your exported package."""

import numpy as np
import pytest

from tinytorch.core.tensor import Tensor
from tinytorch.testing import expect, expect_raises

pytestmark = pytest.mark.contract("contract_transforms")

IMAGE = np.arange(2 * 3 * 4, dtype=np.uint8).reshape(2, 3, 4)


def test_a_flip_mirrors_the_width(tt):
    got = tt.RandomHorizontalFlip(p=1)(IMAGE)
    expect(
        np.array_equal(got, IMAGE[:, :, ::-1]),
        "A flip mirrors the width, the last axis.",
        call="RandomHorizontalFlip(p=1)(image)",
        got=got[0].tolist(),
        want=IMAGE[0, :, ::-1].tolist(),
        look="image[..., ::-1]",
    )
    got = tt.RandomHorizontalFlip(p=0)(IMAGE)
    expect(
        np.array_equal(got, IMAGE),
        "With p=0 nothing is flipped.",
        call="RandomHorizontalFlip(p=0)(image)",
        got=got[0].tolist(),
        want=IMAGE[0].tolist(),
        look="rng.random() < p",
    )


def test_a_probability_outside_0_to_1_is_refused(tt):
    for p in (0, 1):
        got = tt.RandomHorizontalFlip(p=p)(IMAGE).shape
        expect(
            got == IMAGE.shape,
            "0 and 1 are probabilities.",
            call=f"RandomHorizontalFlip(p={p})(image).shape",
            got=got,
            want=IMAGE.shape,
        )
    for p in (-0.1, 1.5):
        expect_raises(
            ValueError,
            lambda: tt.RandomHorizontalFlip(p=p),
            "p outside 0..1 is refused, with the value.",
            says=str(p),
            call=f"RandomHorizontalFlip(p={p})",
        )


def test_transforms_keep_dtype_and_kind(tt):
    for name, transform in (
        ("RandomHorizontalFlip(p=1)", tt.RandomHorizontalFlip(p=1)),
        ("RandomCrop(2)", tt.RandomCrop(2)),
        ("Compose([flip])", tt.Compose([tt.RandomHorizontalFlip(p=1)])),
    ):
        array, tensor = transform(IMAGE), transform(Tensor(IMAGE))
        got = (
            f"{type(array).__name__} {array.dtype}, {type(tensor).__name__}"
            f" {tensor.data.dtype}"
        )
        expect(
            got == "ndarray uint8, Tensor uint8",
            "An array gives an array, a Tensor a Tensor, and the dtype is kept.",
            call=f"{name} on an array and on a Tensor",
            got=got,
            want="ndarray uint8, Tensor uint8",
            look="like(image, ...)",
        )


def test_a_crop_has_its_size_and_zero_borders(tt):
    ones = np.ones((3, 32, 32), np.uint8)
    for size, want in ((32, (3, 32, 32)), ((20, 24), (3, 20, 24))):
        got = tt.RandomCrop(size, padding=4, seed=0)(ones).shape
        expect(
            got == want,
            "size is an int for a square, or (H, W).",
            call=f"RandomCrop({size}, padding=4)(image of 32 x 32).shape",
            got=got,
            want=want,
        )
    whole = tt.RandomCrop(40, padding=4)(ones)
    expect(
        np.array_equal(whole, np.pad(ones, ((0, 0), (4, 4), (4, 4)))),
        "The padding is zeros, the same on all four sides, and none on the channels.",
        call="RandomCrop(40, padding=4)(ones of 32 x 32)",
        got=f"{int(whole.sum())} ones",
        want="3072 ones in the middle of zeros",
        look="np.pad, one pair for each axis",
    )


def test_a_crop_larger_than_the_padded_image_is_refused(tt):
    expect_raises(
        ValueError,
        lambda: tt.RandomCrop(41, padding=4)(np.ones((3, 32, 32))),
        "A crop larger than the padded image is refused, with both sizes.",
        says=["41", "40"],
        call="RandomCrop(41, padding=4)(image of 32 x 32)",
    )


def test_compose_applies_first_to_last(tt):
    got = tt.Compose([lambda image: image + 1, lambda image: image * 2])(
        np.ones((1, 1, 1))
    )
    expect(
        got.tolist() == [[[4]]],
        "Compose applies its transforms first to last.",
        call="Compose([add 1, times 2])(1)",
        got=got.ravel().tolist(),
        want=[4.0],
        look="the order of the loop",
    )


def test_augmentation_is_fresh_each_epoch_and_repeats_with_the_seed(tt, tmp_path):
    from tinytorch.datasets import write_synthetic_cifar10

    write_synthetic_cifar10(tmp_path, 5, 20)

    def epochs(seed):
        transform = tt.Compose([tt.RandomHorizontalFlip(), tt.RandomCrop(32)])
        loader = tt.DataLoader(
            tt.CIFAR10Dataset(
                tmp_path, train=False, download=False, transform=transform
            ),
            batch_size=20,
            seed=seed,
        )
        return [next(iter(loader))[0].data for _ in range(2)]

    first, second = epochs(seed=5)
    # 20 samples with 81 places and 2 sides each agree in all by chance less than once
    # in 10^40.
    expect(
        not np.array_equal(first, second),
        "Each epoch augments afresh.",
        call="two epochs, seed=5",
        got="the same images twice",
        want="other images",
        look="use the rng that the loader hands over",
    )
    again = epochs(seed=5)
    expect(
        np.array_equal(first, again[0]) and np.array_equal(second, again[1]),
        "The same seed gives the same augmented images.",
        call="the same run again, seed=5",
        got="other images",
        want="the same images",
        look=(
            "use rng= where it is given, and the transform's own generator only"
            " without it"
        ),
    )

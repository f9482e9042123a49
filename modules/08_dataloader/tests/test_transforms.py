"""Promises of the transforms. `tt` is your exported package."""

import numpy as np
import pytest

from tinytorch.core.rng import EpochKey, at_position
from tinytorch.core.tensor import Tensor
from tinytorch.testing import expect, expect_raises

IMAGE = np.arange(2 * 3 * 4, dtype=np.uint8).reshape(2, 3, 4)


def expect_same_kind(name, transform):
    array, tensor = transform(IMAGE), transform(Tensor(IMAGE))
    got = (
        f"{type(array).__name__} {array.dtype}, {type(tensor).__name__}"
        f" {tensor.data.dtype}"
    )
    expect(
        got == "ndarray uint8, Tensor uint8",
        "An array gives an array, a Tensor gives a Tensor, and the dtype is kept.",
        call=f"{name} on an array and on a Tensor",
        got=got,
        want="ndarray uint8, Tensor uint8",
        look="like(image, ...)",
    )


@pytest.mark.contract("test_random_horizontal_flip")
def test_a_flip_mirrors_the_width(tt):
    # seed 2 draws 0.26 first: also a coin of 0.5 would flip
    got = tt.RandomHorizontalFlip(p=1, seed=2)(IMAGE)
    expect(
        np.array_equal(got, IMAGE[:, :, ::-1]),
        "A flip mirrors the width, the last axis, and nothing else.",
        call="RandomHorizontalFlip(p=1)(image)",
        got=got[0].tolist(),
        want=IMAGE[0, :, ::-1].tolist(),
        look="an image is (C, H, W): which axis is the width?",
    )
    never = tt.RandomHorizontalFlip(p=0, seed=1)
    for _ in range(20):
        got = never(IMAGE)
        expect(
            np.array_equal(got, IMAGE),
            "The image is flipped exactly when `rng.random() < p`: one draw for each"
            " call.",
            call="RandomHorizontalFlip(p=0)(image), 20 times",
            got=got[0].tolist(),
            want=IMAGE[0].tolist(),
            look="rng.random() < p",
        )


class Generator:
    """A generator whose random() gives these numbers, one after the other."""

    def __init__(self, *numbers):
        self.numbers = list(numbers)

    def random(self, size=None):
        if size is None:
            return self.numbers.pop(0) if self.numbers else 0.0
        return np.array([self.random() for _ in range(size)])


@pytest.mark.contract("test_random_horizontal_flip")
def test_a_flip_draws_once_whatever_p_is(tt):
    for p, number in ((0, 0.0), (0.5, 0.5), (0.5, 0.499), (1, 0.999)):
        rng = Generator(number, number)
        flipped = np.array_equal(
            tt.RandomHorizontalFlip(p=p)(IMAGE, rng=rng), IMAGE[:, :, ::-1]
        )
        drawn = 2 - len(rng.numbers)
        expect(
            (flipped, drawn) == (number < p, 1),
            "The image is flipped exactly when `rng.random() < p`: one draw for each"
            " call.",
            call=f"RandomHorizontalFlip(p={p})(image), rng.random() gives {number}",
            got=f"flipped: {flipped}, {drawn} drawn",
            want=f"flipped: {number < p}, 1 drawn",
            look="rng.random() < self.p; not <=, and one draw for p = 0 and p = 1 too",
        )


@pytest.mark.contract("test_random_horizontal_flip")
def test_a_flip_keeps_dtype_and_kind(tt):
    expect_same_kind("RandomHorizontalFlip(p=1)", tt.RandomHorizontalFlip(p=1))


@pytest.mark.contract("test_random_horizontal_flip")
def test_a_probability_outside_0_to_1_is_refused(tt):
    for p in (0, 1):
        got = tt.RandomHorizontalFlip(p=p)(IMAGE).shape
        expect(
            got == IMAGE.shape,
            "`p` outside 0..1 raises `ValueError` with the value.",
            call=f"RandomHorizontalFlip(p={p})(image).shape",
            got=got,
            want=IMAGE.shape,
            look="0 and 1 themselves are probabilities",
        )
    for p in (-0.1, 1.5):
        expect_raises(
            ValueError,
            lambda: tt.RandomHorizontalFlip(p=p),
            "`p` outside 0..1 raises `ValueError` with the value.",
            says=str(p),
            call=f"RandomHorizontalFlip(p={p})",
            look="raise ValueError(...) with the value, when it is made",
        )


@pytest.mark.contract("test_random_crop")
def test_a_crop_keeps_dtype_and_kind(tt):
    expect_same_kind("RandomCrop(2)", tt.RandomCrop(2))


@pytest.mark.contract("test_random_crop")
def test_a_crop_has_its_size(tt):
    ones = np.ones((3, 32, 32), np.uint8)
    for size, want in ((32, (3, 32, 32)), ((20, 24), (3, 20, 24))):
        got = tt.RandomCrop(size, padding=4, seed=0)(ones).shape
        expect(
            got == want,
            "A crop has shape (C, H, W); `size` is (H, W), or an int for a square.",
            call=f"RandomCrop({size}, padding=4)(image of 32 x 32).shape",
            got=got,
            want=want,
            look="which is the height? the channels are not cropped",
        )


@pytest.mark.contract("test_random_crop")
def test_a_crop_has_zero_borders(tt):
    ones = np.ones((3, 32, 32), np.uint8)
    whole = tt.RandomCrop(40, padding=4)(ones)
    expect(
        np.array_equal(whole, np.pad(ones, ((0, 0), (4, 4), (4, 4)))),
        "A crop is a window of the image with `padding` zeros on all four sides.",
        call="RandomCrop(40, padding=4)(ones of 32 x 32)",
        got=f"{int(whole.sum())} ones",
        want="3072 ones in the middle of zeros",
        look="zero_padded(x, self.padding) adds zeros on all four sides",
    )


def different_crops(tt, size, padding, image, count):
    """The bytes of the different ones among `count` crops, in one request."""
    crop = tt.RandomCrop(size, padding=padding, seed=3)
    return {crop(image).tobytes() for _ in range(count)}


@pytest.mark.contract("test_random_crop")
def test_a_crop_reaches_every_place_whatever_its_size(inside):
    image = np.arange(1, 26, dtype=np.uint8).reshape(1, 5, 5)
    for size, padding, sides in ((3, 0, 3), ((3, 2), 0, 3), (4, 1, 4), (5, 1, 3)):
        padded = np.pad(image[0], padding)
        height, width = (size, size) if isinstance(size, int) else size
        wide = padded.shape[1] - width + 1
        windows = {
            padded[y : y + height, x : x + width].tobytes(): (y, x)
            for y in range(sides)
            for x in range(wide)
        }
        # One of n places is missed by 20 n draws with probability below n e^-20, at
        # most 16 * 2e-9 = 3e-8; the seed is fixed, besides. A place that is never drawn
        # is always noticed.
        count = 20 * len(windows)
        crops = inside(different_crops, size, padding, image, count)
        found = {windows.get(crop) for crop in crops}
        expect(
            found - {None} == set(windows.values()),
            "Every place of the window is possible.",
            call=f"RandomCrop({size}, padding={padding}), {count} images of 5 x 5",
            got=f"{len(found - {None})} of {len(windows)} places",
            want=f"{len(windows)} of {len(windows)} places",
            look="padded height - height + 1 choices for the top, padded width - width"
            " + 1"
            " for the left; is each drawn by itself?",
        )


@pytest.mark.contract("test_random_crop")
def test_a_crop_larger_than_the_padded_image_is_refused(tt):
    expect_raises(
        ValueError,
        lambda: tt.RandomCrop(41, padding=4)(np.ones((3, 32, 32))),
        "A crop larger than the padded image raises `ValueError` with both sizes.",
        says=["41", "40"],
        call="RandomCrop(41, padding=4)(image of 32 x 32)",
        look="raise ValueError(...) with both: NumPy would cut the slice short",
    )


@pytest.mark.contract("test_compose")
def test_compose_applies_first_to_last(tt):
    got = tt.Compose([lambda image: image + 1, lambda image: image * 2])(
        np.ones((1, 1, 1))
    )
    expect(
        got.tolist() == [[[4]]],
        "Transforms run from first to last, each once, on the result of the one"
        " before.",
        call="Compose([add 1, times 2])(1)",
        got=got.ravel().tolist(),
        want=[4.0],
        look="(1 + 1) * 2: each gets what the one before returned",
    )


@pytest.mark.contract("test_compose")
def test_an_empty_compose_changes_nothing(tt):
    got = tt.Compose([])(IMAGE)
    expect(
        np.array_equal(got, IMAGE),
        "An empty Compose changes nothing.",
        call="Compose([])(image)",
        got=got,
        want="the image",
        look="what is returned when the loop never runs?",
    )


@pytest.mark.contract("test_compose")
def test_only_a_transform_with_a_parameter_rng_gets_one(tt):
    rng, handed = EpochKey.of(seed=1, epoch=0).generator(index=7), []

    def plain(image):
        return image + 1

    def random(image, rng=None):
        handed.append(rng is not None)
        return image + 1

    for given in (rng, None):
        got = tt.Compose([plain, random])(np.zeros((1, 1, 1)), rng=given)
        expect(
            got.tolist() == [[[2]]],
            "A transform without a parameter `rng` is called with the image alone.",
            call="Compose([plain, random])(0, rng=...)",
            got=got.ravel().tolist(),
            want=[2],
            look='accepts(transform, "rng")',
        )
    expect(
        handed == [True, False],
        "With an `rng`, the transform at position k gets `rng=at_position(rng, k)`.",
        call="Compose([plain, random])(image, rng=generator), then without rng",
        got=f"random got an rng: {handed}",
        want="random got an rng: [True, False]",
        look="rng is not None, and accepts(transform, ...)",
    )


@pytest.mark.contract("test_compose")
def test_the_first_position_of_a_compose_is_0(tt, draw):
    key, index = EpochKey.of(int(draw.integers(1000)), 0), int(draw.integers(100))

    def note(found, *, rng=None):
        return [*found, float(rng.random())]

    def plain(found):
        return found

    def number(position):
        return float(at_position(key.generator(index), position).random())

    for names, transforms, want in (
        ("[note, note]", [note, note], [number(0), number(1)]),
        ("[plain, note]", [plain, note], [number(1)]),
    ):
        got = tt.Compose(transforms)([], rng=key.generator(index))
        expect(
            got == want,
            "Positions begin at 0 and count every transform, also those without `rng`.",
            call=f"Compose({names})([], rng=rng); note adds rng.random() to a list",
            got=got,
            want=want,
            look="enumerate(self.transforms), from 0",
        )


@pytest.mark.contract("test_compose")
def test_a_transform_runs_once_and_its_error_passes_through(tt, draw):
    number, calls = int(draw.integers(1000)), []

    def before(image):
        calls.append("before")
        return image

    for error in (TypeError, KeyError, AttributeError, ValueError):
        for takes_rng in (False, True):

            def broken(image, error=error):
                calls.append("broken")
                raise error(f"image {number}")

            def broken_random(image, rng=None, error=error):
                calls.append("broken")
                raise error(f"image {number}")

            calls.clear()
            compose = tt.Compose([before, broken_random if takes_rng else broken])
            rng = EpochKey.of(1, 0).generator(number) if takes_rng else None
            expect_raises(
                error,
                lambda compose=compose, rng=rng: compose("image", rng=rng),
                "An error from a transform reaches the caller unchanged, and the"
                " transform is not called again.",
                says=f"image {number}",
                call=f"Compose([before, one that raises {error.__name__}])(image)",
                look="is there a try around a transform? ask accepts() instead",
            )
            expect(
                calls == ["before", "broken"],
                "An error from a transform reaches the caller unchanged, and the"
                " transform is not called again.",
                call=f"Compose([before, one that raises {error.__name__}])(image)",
                got=f"called {calls}",
                want="called ['before', 'broken']",
                look="is it called again after its error?",
            )

"""Hidden: laws of the transforms, each one alone."""

import numpy as np
import pytest

from tinytorch.core.rng import EpochKey, at_position
from tinytorch.core.tensor import Tensor
from tinytorch.testing import expect, expect_raises


class Script:
    """A generator whose `random()` and `random(size)` give the numbers that it was made of."""

    def __init__(self, *numbers):
        self.numbers = list(numbers)

    def random(self, size=None):
        return (
            self.numbers.pop(0)
            if size is None
            else np.array([self.numbers.pop(0) for _ in range(size)])
        )


def image_of(draw, dtype="uint8", size=None):
    height, width = size or draw.integers(3, 9, 2)
    return draw.integers(1, 200, (int(draw.integers(1, 5)), int(height), int(width))).astype(dtype)


@pytest.mark.contract("test_random_horizontal_flip")
def test_a_flip_is_its_own_inverse_and_keeps_dtypes(tt, draw):
    flip = tt.RandomHorizontalFlip(p=1.0)
    for dtype in ("uint8", "float32", "float64", "int64"):
        image = image_of(draw, dtype)
        once = flip(image)
        expect(
            once.dtype == image.dtype and np.array_equal(once, image[:, :, ::-1]),
            "A flip mirrors the width, the last axis, and nothing else.",
            call=f"flip({dtype} {image.shape})",
            got=f"{once.dtype} {once[0, 0].tolist()}",
            want=f"{dtype} {image[0, 0, ::-1].tolist()}",
        )
        twice = flip(Tensor(once))
        expect(
            isinstance(twice, Tensor) and np.array_equal(twice.data, image),
            "A flip mirrors the width, the last axis, and nothing else.",
            call="flip(flip(image))",
        )


@pytest.mark.contract("test_random_horizontal_flip")
def test_a_flip_happens_where_the_generator_says_so(tt, draw):
    image, p = image_of(draw), float(draw.uniform(0.2, 0.8))
    flip = tt.RandomHorizontalFlip(p=p)
    # A flip that follows another generator agrees with all of these by chance once in 4e6: each
    # pair at the end with probability p * (1 - p), at most 1/4.
    for number in (0.0, p - 1e-9, p, p + 1e-9, *(0.0, 0.999) * 11):
        script = Script(number, number)
        flipped = bool(np.array_equal(flip(image, rng=script), image[:, :, ::-1]))
        left = len(script.numbers)
        expect(
            left < 2,
            "With `rng=`, the random numbers come from this Generator, not from the transform's"
            " own.",
            call=f"RandomHorizontalFlip(p={p:.3f})(image, rng=rng)",
            got=f"{2 - left} numbers drawn from rng",
            want="1 number drawn from rng",
            look="is the rng of the call used?",
        )
        expect(
            flipped == (number < p) and left == 1,
            "The image is flipped exactly when `rng.random() < p`: one draw for each call.",
            call=f"RandomHorizontalFlip(p={p:.3f})(image, rng=one that draws {number:.3f})",
            got=f"flipped: {flipped}, {2 - left} drawn",
            want=f"flipped: {number < p}, 1 drawn",
            look="rng.random() < self.p",
        )


def first_pixels(tt, p, seed, image, count):
    """The first pixel of `count` flips of the image, in one request."""
    flip = tt.RandomHorizontalFlip(p=p, seed=seed)
    return [int(flip(image)[0, 0, 0]) for _ in range(count)]


@pytest.mark.contract("test_random_horizontal_flip")
def test_a_flip_happens_with_probability_p(inside, draw):
    # 200 flips of probability 0.3: 60 expected, standard deviation 6.5; outside 20..105 with
    # probability below 1e-10.
    image = np.array([[[1, 2]]], np.uint8)
    count = inside(first_pixels, 0.3, int(draw.integers(2**31)), image, 200).count(2)
    expect(
        20 <= count <= 105,
        "The image is flipped exactly when `rng.random() < p`: one draw for each call.",
        call="200 calls of RandomHorizontalFlip(p=0.3)",
        got=f"{count} flipped",
        want="about 60",
        look="one draw for each call",
    )


def thirty_each(tt, name, settings, image):
    """The results of 30 calls of a transform, and of 30 of another one with the same settings, in
    one request.
    """
    both = [getattr(tt, name)(**settings) for _ in range(2)]
    return [[transform(image).tolist() for _ in range(30)] for transform in both]


def expect_repeatable(inside, transform, settings, image, seed, global_random_state):
    name = f"{transform}({', '.join(f'{key}={value}' for key, value in settings.items())})"
    before = global_random_state()
    runs = inside(thirty_each, transform, {**settings, "seed": seed}, image)
    expect(
        runs[0] == runs[1],
        "Without `rng`, a transform draws from its own generator, made once from `seed`.",
        call=f"{name} with seed={seed}, twice",
        got="two runs that differ",
        want="equal runs",
        look="np.random.default_rng(seed), made once",
    )
    expect(
        any(result != runs[0][0] for result in runs[0]),
        "Without `rng`, a transform draws from its own generator, made once from `seed`.",
        call=f"30 calls of {name}",
        got="30 equal images",
        want="different ones",
        look="the generator is made once, not in each call",
    )
    expect(
        global_random_state() == before,
        "Without `rng`, a transform draws from its own generator, made once from `seed`.",
        call=f"60 calls of {name}",
        got="np.random or random changed",
        want="unchanged",
        look="np.random.rand: use rng",
    )


@pytest.mark.contract("test_random_horizontal_flip")
def test_a_seed_makes_a_flip_repeatable(inside, draw, global_random_state):
    # 30 coins fall equal by chance once in 10^9.
    expect_repeatable(
        inside,
        "RandomHorizontalFlip",
        {"p": 0.5},
        image_of(draw, size=(8, 8))[:1],
        int(draw.integers(1000)),
        global_random_state,
    )


@pytest.mark.contract("test_random_crop")
def test_a_seed_makes_a_crop_repeatable(inside, draw, global_random_state):
    # 30 crops of 81 places agree by chance once in 10^55.
    expect_repeatable(
        inside,
        "RandomCrop",
        {"size": 8},
        image_of(draw, size=(8, 8))[:1],
        int(draw.integers(1000)),
        global_random_state,
    )


def overwritten(tt, name, settings, image):
    """What a transform gives for the image, and the image after that was overwritten."""
    result = getattr(tt, name)(**settings)(image)
    values = result.tolist()
    result[...] = 0
    return [values, image.tolist()]


def expect_a_new_image(tt, inside, name, settings, image, want):
    values, after = inside(overwritten, name, settings, image)
    call = f"{name}({', '.join(f'{key}={value!r}' for key, value in settings.items())})(image)"
    for got in (values, getattr(tt, name)(**settings)(image).tolist()):
        expect(
            got == want.tolist(),
            "A transform returns a new image; its input stays as it was.",
            call=call,
            got=got,
            want=want.tolist(),
        )
    expect(
        after == image.tolist(),
        "A transform returns a new image; its input stays as it was.",
        call=f"{call}[...] = 0",
        got=f"the input became {after}",
        want=image.tolist(),
        look="a slice and x[..., ::-1] are views",
    )


@pytest.mark.contract("test_random_horizontal_flip")
def test_a_flip_makes_a_new_image(tt, inside, draw):
    image = image_of(draw)
    for p, want in ((1, image[:, :, ::-1]), (0, image)):
        expect_a_new_image(tt, inside, "RandomHorizontalFlip", {"p": p}, image, want)


@pytest.mark.contract("test_random_crop")
def test_a_crop_makes_a_new_image(tt, inside, draw):
    image = image_of(draw)
    size = tuple(int(number) for number in image.shape[1:])
    expect_a_new_image(tt, inside, "RandomCrop", {"size": size, "padding": 0}, image, image)


@pytest.mark.contract("test_random_crop")
def test_every_placement_of_a_crop_is_the_right_window(tt, draw):
    image = image_of(draw, size=(6, 6))
    padded = np.pad(image, ((0, 0), (2, 2), (2, 2)))
    crop = tt.RandomCrop(6, padding=2)
    for place in range(25):
        top, left = divmod(place, 5)
        near = (0.05, 0.95)[place % 2]  # to the place before, or to the next
        script = Script((top + near) / 5, (left + near) / 5, 0.5)
        got = crop(image, rng=script)
        drawn = 3 - len(script.numbers)
        expect(
            drawn > 0,
            "With `rng=`, the random numbers come from this Generator, not from the transform's"
            " own.",
            call="RandomCrop(6, padding=2)(image of 6 x 6, rng=rng)",
            got="no number drawn from rng",
            want="two numbers drawn from rng",
            look="rng = self.rng only when rng is None",
        )
        expect(
            got.dtype == image.dtype
            and drawn == 2
            and np.array_equal(got, padded[:, top : top + 6, left : left + 6]),
            "Top is drawn first, then left, each as `int(rng.random() * choices)`.",
            call=(
                "RandomCrop(6, padding=2)(image of 6 x 6,"
                f" rng=one that draws place {top} of 5, then {left} of 5)"
            ),
            got=got[0].tolist(),
            want=padded[0, top : top + 6, left : left + 6].tolist(),
            look="int(rng.random() * choices), choices = padded size - crop size + 1",
        )


def different_crops(tt, size, padding, seed, image, count):
    """The bytes of the different ones among `count` crops, in one request."""
    crop = tt.RandomCrop(size, padding=padding, seed=seed)
    return {crop(image).tobytes() for _ in range(count)}


@pytest.mark.contract("test_random_crop")
def test_every_placement_of_a_crop_comes(inside, draw):
    # 9 placements, each missed by 200 crops with probability (8/9)^200: false alarm 6e-10 in all.
    image = np.arange(1, 5, dtype=np.uint8).reshape(1, 2, 2)
    seen = inside(different_crops, 2, 1, int(draw.integers(2**31)), image, 200)
    padded = np.pad(image, ((0, 0), (1, 1), (1, 1)))
    want = {
        padded[:, top : top + 2, left : left + 2].tobytes() for top in range(3) for left in range(3)
    }
    expect(
        seen == want,
        "Every place of the window is possible.",
        call="200 crops of a 2 x 2 image, padding 1",
        got=f"{len(seen)} different, {len(seen - want)} wrong",
        want="all 9",
        look="how many places are there? padded - size + 1",
    )


@pytest.mark.contract("test_random_crop")
def test_crops_of_any_size_and_padding(tt, draw):
    for _ in range(10):
        image, padding = image_of(draw), int(draw.integers(0, 5))
        _, height, width = image.shape
        size = (
            int(draw.integers(1, height + 2 * padding + 1)),
            int(draw.integers(1, width + 2 * padding + 1)),
        )
        got = tt.RandomCrop(size, padding=padding)(Tensor(image)).data
        expect(
            got.shape == (image.shape[0], *size) and got.dtype == image.dtype,
            "A crop has shape (C, H, W); `size` is (H, W), or an int for a square.",
            call=f"RandomCrop({size}, padding={padding})({image.shape})",
            got=f"{got.dtype} {got.shape}",
            want=f"uint8 {(image.shape[0], *size)}",
        )
        windows = np.lib.stride_tricks.sliding_window_view(
            np.pad(image, ((0, 0), (padding, padding), (padding, padding))), size, axis=(1, 2)
        )
        expect(
            (windows == got[:, None, None]).all(axis=(0, 3, 4)).any(),
            "A crop is a window of the image with `padding` zeros on all four sides.",
            call=f"RandomCrop({size}, padding={padding})({image.shape})",
            look="rows and columns mixed up?",
        )
    same = tt.RandomCrop(image.shape[1:], padding=0)(image)
    expect(
        np.array_equal(same, image),
        "A crop is a window of the image with `padding` zeros on all four sides.",
        call="RandomCrop(size of the image, padding=0)(image)",
    )


@pytest.mark.contract("test_random_crop")
def test_what_does_not_fit_is_refused(tt, draw):
    image = np.ones((3, 6, 8))
    got = tt.RandomCrop((12, 14), padding=3)(image).shape
    expect(
        got[1:] == (12, 14),
        "A crop larger than the padded image raises `ValueError` with both sizes.",
        call="RandomCrop((12, 14), padding=3)(image of 6 x 8).shape",
        got=got,
        want=(3, 12, 14),
    )
    for size in ((13, 8), (6, 15), (int(draw.integers(20, 99)), 4)):
        expect_raises(
            ValueError,
            lambda: tt.RandomCrop(size, padding=3)(image),
            "A crop larger than the padded image raises `ValueError` with both sizes.",
            says=[str(max(size))],
            call=f"RandomCrop({size}, padding=3)(image of 6 x 8)",
            look="check the height and the width",
        )


@pytest.mark.contract("test_random_horizontal_flip")
def test_every_p_outside_0_to_1_is_refused(tt, draw):
    image, inside = image_of(draw), float(draw.uniform(0, 1))
    got = tt.RandomHorizontalFlip(p=inside)(image).shape
    expect(
        got == image.shape,
        "`p` outside 0..1 raises `ValueError` with the value.",
        call=f"RandomHorizontalFlip(p={inside:.3f})(image).shape",
        got=got,
        want=image.shape,
    )
    for p in (-float(draw.uniform(0.01, 5)), 1 + float(draw.uniform(0.01, 5))):
        expect_raises(
            ValueError,
            lambda: tt.RandomHorizontalFlip(p=p),
            "`p` outside 0..1 raises `ValueError` with the value.",
            says=str(p),
            call=f"RandomHorizontalFlip(p={p})",
        )


@pytest.mark.contract("test_compose")
def test_compose_is_the_functions_one_after_the_other(tt, draw):
    steps = [(lambda x: x + 3), (lambda x: x * 2), (lambda x: x[:, ::-1]), (lambda x: x - 5)]
    for _ in range(4):
        # in whichever order, the other way round they give another result
        chosen = [steps[k] for k in draw.permutation(4)]
        image = image_of(draw, "int64")
        want = image
        for step in chosen:
            want = step(want)
        got = tt.Compose(chosen)(image)
        expect(
            np.array_equal(got, want),
            "Transforms run from first to last, each once, on the result of the one before.",
            call=f"Compose({len(chosen)} functions)(image)",
            look="the order, and the variable that is handed on",
        )


@pytest.mark.contract("test_compose")
def test_each_position_of_a_compose_has_numbers_of_its_own(tt, draw):
    key, index = (
        EpochKey.of(int(draw.integers(1000)), int(draw.integers(10))),
        int(draw.integers(100)),
    )
    got = []

    def noisy(image, rng=None):
        got.append(float(rng.random(int(draw.integers(1, 4)))[0]))
        return image

    def plain(image):
        return image + 1

    result = tt.Compose([noisy, plain, noisy, noisy])(np.zeros((1, 2, 2)), rng=key.generator(index))
    want = [float(at_position(key.generator(index), k).random()) for k in (0, 2, 3)]
    expect(
        got == want,
        "With an `rng`, the transform at position k gets `rng=at_position(rng, k)`.",
        call="Compose([noisy, plain, noisy, noisy])(image, rng=rng)",
        got=got,
        want=want,
        look="at_position(rng, k) for each k of the list",
    )
    expect(
        result.tolist() == [[[1, 1], [1, 1]]],
        "A transform without a parameter `rng` is called with the image alone.",
        call="Compose([noisy, plain, ...])",
        got=result.tolist(),
        want="ones",
    )


@pytest.mark.contract("test_compose")
def test_what_one_transform_draws_changes_no_other(tt, draw):
    key, index = EpochKey.of(int(draw.integers(1000)), 0), int(draw.integers(100))

    def note(found, rng=None):
        return [*found, None if rng is None else float(rng.random())]

    def greedy(found, rng=None):
        rng.random(50)
        return found

    def plain(found):
        return found

    want = [float(at_position(key.generator(index), 1).random())]
    before = tt.Compose([note, note])([], rng=key.generator(index))[1:]
    got = tt.Compose([greedy, note])([], rng=key.generator(index))
    expect(
        got == before,
        "The numbers that one transform draws do not change those of the next.",
        call="Compose([note, note]), Compose([one that draws 50, note]): the last",
        got=f"{before}, then {got}",
        want=f"{before}, then {before}",
        look="one generator for each position",
    )
    for first in (greedy, plain):
        got = tt.Compose([first, note])([], rng=key.generator(index))
        expect(
            got == want,
            "Positions begin at 0 and count every transform, also those without `rng`.",
            call=f"Compose([{first.__name__}, note])([], rng=rng)",
            got=got,
            want=want,
            look="enumerate(self.transforms); one generator for each position",
        )
    got = tt.Compose([plain, note])([])
    expect(
        got == [None],
        "Without an `rng`, every transform is called with the image alone, also one"
        " with a parameter `rng`.",
        call="Compose([plain, note])([])",
        got=got,
        want=[None],
    )

"""Hidden: laws of the transforms, alone and in a loader."""

import numpy as np
import pytest

from tinytorch.core.rng import EpochKey, at_position
from tinytorch.core.tensor import Tensor
from tinytorch.datasets import FOLDER, write_batch, write_synthetic_cifar10
from tinytorch.testing import expect, expect_raises

pytestmark = pytest.mark.contract("contract_transforms")


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


def test_a_flip_is_its_own_inverse_and_keeps_dtypes(tt, draw):
    flip = tt.RandomHorizontalFlip(p=1.0)
    for dtype in ("uint8", "float32", "float64", "int64"):
        image = image_of(draw, dtype)
        once = flip(image)
        expect(
            once.dtype == image.dtype and np.array_equal(once, image[:, :, ::-1]),
            "A flip reverses the width of every channel and row, dtype kept.",
            call=f"flip({dtype} {image.shape})",
            got=f"{once.dtype} {once[0, 0].tolist()}",
            want=f"{dtype} {image[0, 0, ::-1].tolist()}",
        )
        twice = flip(Tensor(once))
        expect(
            isinstance(twice, Tensor) and np.array_equal(twice.data, image),
            "Two flips give the image back.",
            call="flip(flip(image))",
        )


def test_a_flip_happens_where_the_generator_says_so(tt, draw):
    image, p = image_of(draw), float(draw.uniform(0.2, 0.8))
    flip = tt.RandomHorizontalFlip(p=p)
    for number in (0.0, p - 1e-9, p, p + 1e-9, 0.999):
        flipped = bool(np.array_equal(flip(image, rng=Script(number)), image[:, :, ::-1]))
        expect(
            flipped == (number < p),
            "The image is flipped exactly when rng.random() < p.",
            call=f"RandomHorizontalFlip(p={p:.3f})(image, rng=one that draws {number:.3f})",
            got=f"flipped: {flipped}",
            want=f"flipped: {number < p}",
            look="is the rng of the call used?",
        )


def test_a_flip_happens_with_probability_p(tt, draw):
    # 200 flips of probability 0.3: 60 expected, standard deviation 6.5; outside 20..105 with
    # probability below 1e-10.
    image = np.array([[[1, 2]]], np.uint8)
    flip = tt.RandomHorizontalFlip(p=0.3, seed=int(draw.integers(2**31)))
    count = sum(int(flip(image)[0, 0, 0]) == 2 for _ in range(200))
    expect(
        20 <= count <= 105,
        "An image is flipped with probability p.",
        call="200 calls of RandomHorizontalFlip(p=0.3)",
        got=f"{count} flipped",
        want="about 60",
        look="one draw for each call",
    )


def test_a_seed_makes_a_transform_repeatable_and_touches_nothing_else(
    tt, draw, global_random_state
):
    image, seed = image_of(draw, size=(8, 8)), int(draw.integers(1000))
    before = global_random_state()
    # 30 crops of 81 places agree by chance once in 10^57.
    for name, make in (
        ("RandomHorizontalFlip(p=0.5)", lambda s: tt.RandomHorizontalFlip(p=0.5, seed=s)),
        ("RandomCrop(8)", lambda s: tt.RandomCrop(8, seed=s)),
    ):
        first, second = make(seed), make(seed)
        runs = [[transform(image).tolist() for _ in range(30)] for transform in (first, second)]
        expect(
            runs[0] == runs[1],
            "The same seed gives the same results, call by call.",
            call=f"{name} with seed={seed}, twice",
            look="np.random.default_rng(seed), made once",
        )
        expect(
            any(result != runs[0][0] for result in runs[0]),
            "Each call draws anew.",
            call=f"30 calls of {name}",
            got="30 equal images",
            want="different ones",
            look="the generator is made once, not in each call",
        )
    expect(
        global_random_state() == before,
        "A transform never touches the global generators.",
        call="60 calls",
        got="np.random or random changed",
        want="unchanged",
    )


def test_every_placement_of_a_crop_is_the_right_window(tt, draw):
    image = image_of(draw, size=(6, 6))
    padded = np.pad(image, ((0, 0), (2, 2), (2, 2)))
    crop = tt.RandomCrop(6, padding=2)
    for place in range(25):
        top, left = divmod(place, 5)
        got = crop(image, rng=Script((top + 0.5) / 5, (left + 0.5) / 5))
        expect(
            got.dtype == image.dtype
            and np.array_equal(got, padded[:, top : top + 6, left : left + 6]),
            "The 5 x 5 placements are the windows of the zero-padded image: top first, then left.",
            call=(
                "RandomCrop(6, padding=2)(image of 6 x 6,"
                f" rng=one that draws place {top} of 5, then {left} of 5)"
            ),
            got=got[0].tolist(),
            want=padded[0, top : top + 6, left : left + 6].tolist(),
            look="int(rng.random() * choices), choices = padded size - crop size + 1",
        )


def test_every_placement_of_a_crop_comes(tt, draw):
    # 9 placements, each missed by 200 crops with probability (8/9)^200: false alarm 6e-10 in all.
    image = np.arange(1, 5, dtype=np.uint8).reshape(1, 2, 2)
    crop = tt.RandomCrop(2, padding=1, seed=int(draw.integers(2**31)))
    seen = {crop(image).tobytes() for _ in range(200)}
    padded = np.pad(image, ((0, 0), (1, 1), (1, 1)))
    want = {
        padded[:, top : top + 2, left : left + 2].tobytes() for top in range(3) for left in range(3)
    }
    expect(
        seen == want,
        "All placements come, the last row and column too, and no others.",
        call="200 crops of a 2 x 2 image, padding 1",
        got=f"{len(seen)} different, {len(seen - want)} wrong",
        want="all 9",
        look="how many places are there? padded - size + 1",
    )


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
            "A crop is (C, H, W) of its own size, dtype kept.",
            call=f"RandomCrop({size}, padding={padding})({image.shape})",
            got=f"{got.dtype} {got.shape}",
            want=f"uint8 {(image.shape[0], *size)}",
        )
        windows = np.lib.stride_tricks.sliding_window_view(
            np.pad(image, ((0, 0), (padding, padding), (padding, padding))), size, axis=(1, 2)
        )
        expect(
            (windows == got[:, None, None]).all(axis=(0, 3, 4)).any(),
            "A crop is a window of the zero-padded image.",
            call=f"RandomCrop({size}, padding={padding})({image.shape})",
            look="rows and columns mixed up?",
        )
    same = tt.RandomCrop(image.shape[1:], padding=0)(image)
    expect(
        np.array_equal(same, image),
        "Without padding, a crop of the full size is the image.",
        call="RandomCrop(size of the image, padding=0)(image)",
    )


def test_what_does_not_fit_is_refused(tt, draw):
    image = np.ones((3, 6, 8))
    for size in ((13, 8), (6, 15), (int(draw.integers(20, 99)), 4)):
        expect_raises(
            ValueError,
            lambda: tt.RandomCrop(size, padding=3)(image),
            "A crop that is larger in either direction is refused.",
            says=[str(max(size))],
            call=f"RandomCrop({size}, padding=3)(image of 6 x 8)",
            look="check the height and the width",
        )
    expect_raises(
        ValueError,
        lambda: tt.RandomCrop(4, padding=-1)(image),
        "Negative padding is refused.",
        says="-1",
        call="RandomCrop(4, padding=-1)",
    )
    for p in (-float(draw.uniform(0.01, 5)), 1 + float(draw.uniform(0.01, 5))):
        expect_raises(
            ValueError,
            lambda: tt.RandomHorizontalFlip(p=p),
            "p outside 0..1 is refused, with the value.",
            says=str(p),
            call=f"RandomHorizontalFlip(p={p})",
        )
    for name, transform in (
        ("RandomHorizontalFlip()", tt.RandomHorizontalFlip()),
        ("RandomCrop(2)", tt.RandomCrop(2)),
    ):
        expect_raises(
            ValueError,
            lambda: transform(np.ones((4, 4))),
            "What is not (C, H, W) is refused, with the shape.",
            says="(4, 4)",
            call=f"{name}(shape (4, 4))",
        )


def test_compose_is_the_functions_one_after_the_other(tt, draw):
    steps = [(lambda x: x + 3), (lambda x: x * 2), (lambda x: x[:, ::-1]), (lambda x: x - 5)]
    for _ in range(4):
        chosen = [steps[k] for k in draw.integers(0, 4, int(draw.integers(0, 5)))]
        image = image_of(draw, "int64")
        want = image
        for step in chosen:
            want = step(want)
        got = tt.Compose(chosen)(image)
        expect(
            np.array_equal(got, want),
            "Compose gives each transform the result of the one before.",
            call=f"Compose({len(chosen)} functions)(image)",
            look="the order, and the variable that is handed on",
        )


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
        "The transform at position k draws from at_position(rng, k), however much the others drew.",
        call="Compose([noisy, plain, noisy, noisy])(image, rng=rng)",
        got=got,
        want=want,
        look="at_position(rng, k) for each k of the list",
    )
    expect(
        result.tolist() == [[[1, 1], [1, 1]]],
        "A transform without a parameter rng is called with the image alone.",
        call="Compose([noisy, plain, ...])",
        got=result.tolist(),
        want="ones",
    )


@pytest.fixture
def ten_images(tmp_path, draw):
    """A test file of ten images whose label says which one it is."""
    write_synthetic_cifar10(tmp_path, 5, 1)
    write_batch(
        tmp_path / FOLDER / "test_batch",
        draw.integers(1, 256, (10, 3072)).astype(np.uint8),
        list(range(10)),
        [f"{i}.png" for i in range(10)],
        "test",
    )
    return tmp_path


def test_augmentation_depends_on_seed_epoch_and_sample_alone(tt, draw, ten_images):
    def epochs(count, **settings):
        transform = tt.Compose([tt.RandomHorizontalFlip(), tt.RandomCrop((32, 32), padding=4)])
        loader = tt.DataLoader(
            tt.CIFAR10Dataset(ten_images, train=False, download=False, transform=transform),
            **settings,
        )
        found = []
        for _ in range(count):
            parts = [
                (int(label), image)
                for images, labels in loader
                for label, image in zip(labels.data, images.data, strict=True)
            ]
            found.append([image for _, image in sorted(parts, key=lambda part: part[0])])
        return np.array(found)

    seed = int(draw.integers(1000))
    want = epochs(2, batch_size=10, seed=seed)
    for settings in ({"batch_size": 3}, {"batch_size": 4, "shuffle": True}):
        got = epochs(2, seed=seed, **settings)
        expect(
            np.array_equal(got, want),
            "A sample's augmentation depends on (seed, epoch, sample) alone,"
            " not on batch size or order.",
            call=f"two epochs, {settings} against batch_size=10",
            got="other images",
            want="the same images",
            look="rng= wherever it is given",
        )
    expect(
        not np.array_equal(want[0], want[1]),
        "Each epoch augments afresh.",
        call=f"epoch 0 against epoch 1, seed={seed}",
        got="the same images",
        want="other images",
    )
    # 162 variants: ten samples agree in flip and place by chance once in 10^19.
    single = tt.CIFAR10Dataset(ten_images, train=False, download=False)
    frames = np.stack([np.pad(single[i][0].data, ((0, 0), (4, 4), (4, 4))) for i in range(10)])
    windows = np.lib.stride_tricks.sliding_window_view(
        np.stack([frames[..., ::-1], frames]), (32, 32), axis=(3, 4)
    )
    places = {
        tuple(
            np.argwhere((windows[:, i] == want[0][i][None, :, None, None]).all(axis=(1, 4, 5)))[
                0
            ].tolist()
        )
        for i in range(10)
    }
    expect(
        len(places) > 1,
        "Each sample moves by itself, not the whole batch together.",
        call="flip and place of ten samples of one batch",
        got="one for all",
        want="several",
        look="one Generator for each sample",
    )

"""Laws of exercise 13b, RandomCrop."""

import numpy as np
from stand_ins_08 import (
    Script,
    decided_by_rng,
    decided_by_seed,
    gives_a_new_image,
    image_of,
    keeps_the_kind,
)

from tinytorch.laws import Case, law

ORDER = "top first, then left: int(rng.random() * choices), padded - size + 1 choices"


def windows_of(image, size, padding):
    """Each window of the image with zeros around it, and its place (top, left)."""
    channels, high, wide = image.shape
    padded = np.zeros((channels, high + 2 * padding, wide + 2 * padding), image.dtype)
    padded[:, padding : padding + high, padding : padding + wide] = image
    tops = range(high + 2 * padding - size[0] + 1)
    lefts = range(wide + 2 * padding - size[1] + 1)
    corners = [(y, x, y + size[0], x + size[1]) for y in tops for x in lefts]
    return {(y, x): padded[:, y:low, x:right] for y, x, low, right in corners}


def place_of(crop, windows):
    """Where the window is in the padded image; else what came, as a list."""
    places = [
        place for place, window in windows.items() if np.array_equal(crop, window)
    ]
    return places[0] if places else np.asarray(crop).tolist()


@law(1, "A crop has shape", look="which is the height? The channels are not cropped")
def test_a_crop_has_its_size(tt, draw):
    for shape, size, padding in (
        ((2, 3, 3), 3, 1),
        ((2, 3, 3), (1, 3), 0),
        ((2, 3, 5), (4, 2), 1),
        ((2, 3, 5), (5, 7), 1),  # the whole padded image
        ((3, 3, 3), 11, 4),
        ((1, 4, 9), tuple(draw.integers(1, 5, 2).tolist()), int(draw.integers(3))),
    ):
        image = image_of(draw, *shape)
        crop = lambda s=size, p=padding, i=image: tt.RandomCrop(s, p, seed=0)(i)  # noqa: E731
        call = f"RandomCrop({size}, padding={padding})(image of {shape}).shape"
        sides = (size, size) if isinstance(size, int) else size
        yield call, lambda crop=crop: np.shape(crop()), (shape[0], *sides)


@law(2, "window of the padded", look="zero_padded(x, self.padding), on all four sides")
def test_a_crop_is_a_window_of_the_padded_image(tt, draw):
    square = np.array([[[1, 2], [3, 4]]], np.uint8)
    wide = [[0, 0, 0, 0], [0, 1, 2, 0], [0, 3, 4, 0], [0, 0, 0, 0]]
    got = lambda: tt.RandomCrop(4, padding=1)(square).tolist()  # noqa: E731
    yield "RandomCrop(4, padding=1)([[[1, 2], [3, 4]]])", got, [wide]
    got = lambda: tt.RandomCrop(2, padding=0)(square).tolist()  # noqa: E731
    yield "RandomCrop(2, padding=0)([[[1, 2], [3, 4]]])", got, square.tolist()
    wide = [[0] * 10 for _ in range(10)]
    wide[4][4:6], wide[5][4:6] = [1, 2], [3, 4]
    got = lambda: tt.RandomCrop(10)(square).tolist()  # noqa: E731
    yield "RandomCrop(10)([[[1, 2], [3, 4]]]), padding 4", got, [wide]
    for _ in range(6):
        image, padding = image_of(draw, *draw.integers(2, 5, 3)), int(draw.integers(3))
        size = tuple(draw.integers(1, np.add(image.shape[1:], 2 * padding)).tolist())
        got = lambda s=size, p=padding, i=image: tt.RandomCrop(s, p)(i).tolist()  # noqa: E731
        windows = [one.tolist() for one in windows_of(image, size, padding).values()]
        call = f"RandomCrop({size}, padding={padding})({image.tolist()})"
        yield call, got, "a window", lambda came, all=windows: came in all


@law(3, "Every place", look=f"{ORDER}; each drawn by itself")
def test_every_place_comes(tt, draw):
    # one of n places is missed by `count` draws with probability n (1 - 1/n)^count, at
    # most 6e-11
    for shape, size, padding, count in (
        ((1, 4, 5), (3, 4), 0, 90),
        ((1, 4, 4), (4, 5), 1, 140),
        ((1, 3, 3), (5, 4), 1, 60),
    ):
        image = image_of(draw, *shape)
        windows = windows_of(image, size, padding)
        crop = tt.RandomCrop(size, padding, seed=int(draw.integers(10**6)))
        came = {np.uint8(crop(image)).tobytes() for _ in range(count)}
        got = [place for place, one in windows.items() if one.tobytes() in came]
        call = f"RandomCrop({size}, padding={padding}), {count} images of {shape}: its"
        yield f"{call} places (top, left)", got, list(windows)


@law(4, "Top, then left", look=ORDER)
def test_the_draws_tell_the_place(tt, draw):
    # a 3 x 5 image, padded 5 x 7
    rows = [
        ((2, 5), (0.0, 0.99), (0, 2)),
        ((2, 5), (0.99, 0.0), (3, 0)),
        ((2, 5), (0.26, 0.66), (1, 1)),
        ((2, 5), (0.74, 0.67), (2, 2)),
        ((5, 7), (0.9, 0.9), (0, 0)),
        ((5, 5), (0.9, 0.4), (0, 1)),
        ((2, 7), (0.4, 0.9), (1, 0)),
    ]
    for _ in range(8):
        place = tuple(draw.integers(0, [4, 3]).tolist())
        share = (np.array(place) + draw.uniform(0.02, 0.98, 2)) / [4, 3]
        rows.append(((2, 5), tuple(share.round(4).tolist()), place))
    image, asked = image_of(draw, 2, 3, 5), 0
    for size, numbers, want in rows:
        rng, windows = Script(*numbers), windows_of(image, size, 1)
        got = place_of(tt.RandomCrop(size, padding=1)(image, rng=rng), windows)
        # whoever never asks this generator breaks promise 5
        asked += rng.drawn
        right = got == want or (not asked and got in windows)
        call = f"RandomCrop({size}, padding=1)(image of 3 x 5, rng=rng), rng.random()"
        call = f"{call} gives {numbers[0]}, then {numbers[1]}"
        yield f"{call}: (top, left)", got, want, right
        look = "one number for top and one for left, also where there is one place"
        right = rng.drawn == 2 or not asked
        yield Case(f"{call}: numbers drawn", rng.drawn, 2, right, look=look)


@law(5, "With rng", look="rng = self.rng only when rng is None")
def test_the_given_generator_decides(tt, draw):
    # 12 images of 81 places are all equal with probability 1e-21
    call = "RandomCrop(8, seed={})".format
    make = lambda **seed: tt.RandomCrop(8, **seed)  # noqa: E731
    yield from decided_by_rng(make, call, image_of(draw, 1, 8, 8), 12, draw)


@law(6, "made once", look="self.rng is made once, from seed")
def test_the_seed_decides(tt, draw, global_random_state):
    # of four runs of 12 images two are equal, or one has equal images only, with
    # probability 1e-20
    call, image = "RandomCrop(8, seed={})".format, image_of(draw, 1, 8, 8)
    make = lambda **seed: tt.RandomCrop(8, **seed)  # noqa: E731
    yield from decided_by_seed(make, call, image, 12, draw, global_random_state)


@law(7, "new image", look="a slice is a view of what it was cut from: copy it")
def test_a_crop_is_a_new_image(inside, draw):
    image = image_of(draw, 1, 2, 3)
    for size, padding in (((2, 3), 0), ((1, 2), 0), ((2, 2), 1)):
        windows = list(windows_of(image, size, padding).values())
        settings = {"size": size, "padding": padding}
        yield from gives_a_new_image(inside, "RandomCrop", settings, image, windows)


@law(8, "dtype is kept", look="like(image, ...)")
def test_a_crop_keeps_the_kind(tt, draw):
    call, image = "RandomCrop(2, padding=1)(image)", image_of(draw, 2, 2, 3)
    yield from keeps_the_kind(tt.RandomCrop(2, padding=1), call, image)


@law(9, "larger than the padded", look="compare height and width, each by itself")
def test_a_crop_that_is_too_large_is_refused(tt, draw):
    image, more = image_of(draw, 2, 6, 8), int(draw.integers(20, 99))
    for size, want in (((12, 14), (2, 12, 14)), ((1, 14), (2, 1, 14))):
        got = lambda size=size: np.shape(tt.RandomCrop(size, padding=3)(image))  # noqa: E731
        yield f"RandomCrop({size}, padding=3)(image of 6 x 8).shape", got, want
    for size, says in (
        (13, ["13", "12"]),
        ((13, 8), ["13", "12"]),
        ((6, 15), ["15", "14"]),
        ((more, 4), [more, "12"]),
        ((4, more), [more, "14"]),
    ):
        got = lambda size=size: tt.RandomCrop(size, padding=3)(image)  # noqa: E731
        call = f"RandomCrop({size}, padding=3)(image of 6 x 8: 12 x 14 padded)"
        look = "raise ValueError(...) with both sizes: NumPy would cut the slice short"
        yield Case(call, got, says, look=look, raises=ValueError)

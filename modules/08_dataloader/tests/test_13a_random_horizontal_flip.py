"""Laws of exercise 13a, RandomHorizontalFlip."""

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

ALWAYS, NEVER = 1 - 1e-12, 1e-12  # 1 and 0 themselves are asked for in promise 7
COIN = np.array([[[1, 2]]], np.uint8)


def mirrored(image):
    return np.flip(image, 2)


def how(result, image):
    """Whether the image came mirrored, as it was, or otherwise: then what came."""
    if np.array_equal(result, mirrored(image)):
        return "mirrored"
    return "as it was" if np.array_equal(result, image) else np.asarray(result).tolist()


@law(1, "last axis", look="an image is (C, H, W): which axis is the width?")
def test_a_flip_mirrors_the_width(tt, draw):
    shapes = (1, 1, 3), (2, 2, 3), (3, 4, 2), (3, 1, 1), tuple(draw.integers(2, 5, 3))
    for shape in shapes:
        image = image_of(draw, *shape)
        got = lambda: np.asarray(  # noqa: E731
            tt.RandomHorizontalFlip(p=ALWAYS, seed=2)(image)
        ).tolist()
        call = f"RandomHorizontalFlip(p={ALWAYS})({image.tolist()})"
        yield call, got, mirrored(image).tolist()


@law(
    2, "one draw", look="rng.random() < self.p: not <=, not 1 - p; is p the given one?"
)
def test_a_flip_follows_one_draw(tt, draw):
    image, drawn = image_of(draw, 2, 2, 3), float(draw.uniform(0.2, 0.8))
    asked = 0
    for text, settings, number, want in (
        ("p=0.5", {"p": 0.5}, 0.5, "as it was"),
        ("p=0.5", {"p": 0.5}, 0.4999, "mirrored"),
        ("p=0.3", {"p": 0.3}, 0.31, "as it was"),
        ("p=0", {"p": 0}, 0.0, "as it was"),
        ("p=1", {"p": 1}, 0.9999, "mirrored"),
        ("", {}, 0.51, "as it was"),
        ("", {}, 0.49, "mirrored"),
        (f"p={drawn}", {"p": drawn}, drawn, "as it was"),
        (f"p={drawn}", {"p": drawn}, drawn - 1e-9, "mirrored"),
    ):
        # the second number would give the other image
        rng = Script(number, 0.0 if want == "as it was" else 0.9999)
        result = tt.RandomHorizontalFlip(**settings)(image.copy(), rng=rng)
        got, call = how(result, image), f"RandomHorizontalFlip({text})(image, rng=rng)"
        # whoever never asks this generator breaks promise 3
        asked += rng.drawn
        right = got == want or (not asked and got in ("mirrored", "as it was"))
        yield f"{call}, rng.random() gives {number}", got, want, right
        look = "how often is rng.random() called? Once, also for p = 0 and p = 1"
        yield Case(
            f"{call}: numbers drawn",
            rng.drawn,
            1,
            rng.drawn == 1 or not asked,
            look=look,
        )


@law(2, "one draw", look="rng.random() < self.p, drawn anew in each call")
def test_p_of_the_images_are_mirrored(tt, draw):
    # 60 draws: 27 or more are below 0.1 with probability 3e-12, and so for 0.9
    for p, right in ((0.1, range(27)), (0.9, range(34, 61))):
        flip = tt.RandomHorizontalFlip(p=p, seed=int(draw.integers(10**6)))
        count = [how(flip(COIN.copy()), COIN) for _ in range(60)].count("mirrored")
        call = f"RandomHorizontalFlip(p={p}), 60 images: how many are mirrored?"
        yield call, count, f"about {60 * p:.0f}", count in right
    flip = tt.RandomHorizontalFlip(p=0.5, seed=int(draw.integers(10**6)))
    came = {how(flip(COIN.copy()), COIN) for _ in range(40)}
    # one of both does not come with probability 2e-12
    call = "RandomHorizontalFlip(p=0.5), 40 images: what comes"
    yield call, sorted(map(str, came)), ["as it was", "mirrored"]


@law(3, "With rng", look="rng = self.rng only when rng is None")
def test_the_given_generator_decides(tt, draw):
    # 40 images are all equal with probability 2e-12
    call = "RandomHorizontalFlip(seed={})".format
    make = lambda **seed: tt.RandomHorizontalFlip(**seed)  # noqa: E731
    yield from decided_by_rng(make, call, COIN, 40, draw)


@law(4, "made once", look="self.rng is made once, from seed")
def test_the_seed_decides(tt, draw, global_random_state):
    # of four runs of 40 images two are equal, or one has equal images only, with
    # probability 2e-11
    call = "RandomHorizontalFlip(seed={})".format
    make = lambda **seed: tt.RandomHorizontalFlip(**seed)  # noqa: E731
    yield from decided_by_seed(make, call, COIN, 40, draw, global_random_state)


@law(5, "new image", look="x[..., ::-1] is a view of x: copy, also what is not flipped")
def test_a_flip_is_a_new_image(inside, draw):
    for shape in ((1, 2, 3), (2, 3, 1)):
        image = image_of(draw, *shape)
        for p in (ALWAYS, NEVER):
            possible = (mirrored(image), image)[:: 1 if p == ALWAYS else -1]
            name, settings = "RandomHorizontalFlip", {"p": p}
            yield from gives_a_new_image(inside, name, settings, image, possible)


@law(6, "dtype is kept", look="like(image, ...), whether it is flipped or not")
def test_a_flip_keeps_the_kind(tt, draw):
    for p in (ALWAYS, NEVER):
        call = f"RandomHorizontalFlip(p={p})(image)"
        flip, image = tt.RandomHorizontalFlip(p=p), image_of(draw, 2, 2, 3)
        yield from keeps_the_kind(flip, call, image)


@law(7, "outside 0..1", look="0 and 1 are not outside: < or <=? Name the value")
def test_p_is_a_probability(tt, draw):
    for p in (0, 1, 0.0, 1.0, float(draw.uniform())):
        got = lambda p=p: tt.RandomHorizontalFlip(p=p)(COIN).shape  # noqa: E731
        yield f"RandomHorizontalFlip(p={p})(image).shape", got, COIN.shape
    for p in (
        -0.1,
        1.5,
        2,
        -float(draw.uniform(0.01, 5)),
        float(draw.uniform(1.01, 5)),
    ):
        got = lambda p=p: tt.RandomHorizontalFlip(p=p)  # noqa: E731
        yield Case(f"RandomHorizontalFlip(p={p})", got, str(p), raises=ValueError)

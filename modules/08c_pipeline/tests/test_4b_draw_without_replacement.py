"""Laws of exercise 4b, draw_without_replacement."""

import numpy as np
from stand_ins_08c import (
    AS_IT_IS,
    OWN,
    generators_stay,
    process_does_not,
    seeds_decide,
    zero_is_a_seed,
)

from tinytorch.laws import Case, law

EQUAL = "draw_without_replacement(np.ones(60), 20, {})"
KEYS = "log(u) / weight, with a u for each row; the largest key comes first"


def with_seed(tt, count=60):
    return lambda seed: drawn_rows(tt, np.ones(count), 20, seed)


def drawn_rows(tt, weights, size, seed):
    return np.asarray(tt.draw_without_replacement(weights.copy(), size, seed)).tolist()


def kind(rows):
    return f"{getattr(rows, 'dtype', type(rows).__name__)} {np.shape(rows)}"


def some_weights(draw):
    """(text, weights) of many sizes, some of them 0."""
    drawn = 10.0 ** draw.uniform(-9, 9, 30) * (draw.random(30) < 0.6)
    drawn[0] = 2.0
    extreme = [1e200, 0, 1e-200]  # one weight is nothing beside the other, but above 0
    few = [0, 3, 0], [2e-15, 0, 1e-15, 0], [0, 1, 0, 4, 0, 2]
    for weights in (*few, extreme, [1] * 30):
        yield str(weights), np.array(weights, float)
    yield "30 drawn weights", drawn


@law(1, "int64 array", look="one row number for each draw; a slice [-0:] is all rows")
def test_the_draws_are_an_array(tt, draw):
    for text, weights in some_weights(draw):
        most = np.count_nonzero(weights)
        for size in (0, 1, most):
            call = f"draw_without_replacement({text}, {size}, 7): dtype and shape"
            got = lambda: tt.draw_without_replacement(weights.copy(), size, 7)  # noqa: E731
            yield call, lambda: kind(got()), f"int64 ({size},)"
    rows = tt.draw_without_replacement(np.array([0.0, 5e3]), 1, 7)
    yield "draw_without_replacement([0, 5e3], 1, 7)", rows, np.array([1])


@law(
    2, "at most once", look="can a row come twice? With one key for each row it cannot"
)
def test_a_row_comes_once(tt, draw):
    for text, weights in some_weights(draw):
        most, seed = np.count_nonzero(weights), int(draw.integers(1000))
        for size in (most, most // 2 + 1):
            call = f"draw_without_replacement({text}, {size}, {seed})"
            got = lambda: drawn_rows(tt, weights, size, seed)  # noqa: E731
            yield f"{call}: different rows", lambda: len({*got()}), size


@law(
    3,
    "weight 0",
    look="leave these rows out; a tiny weight is above 0; are places among the others"
    " row numbers?",
)
def test_a_row_of_weight_0_never_comes(tt, draw):
    for text, weights in some_weights(draw):
        rest = np.flatnonzero(weights).tolist()
        for seed in draw.integers(0, 1000, 8).tolist():
            call = f"sorted(draw_without_replacement({text}, {len(rest)}, {seed}))"
            got = lambda: sorted(drawn_rows(tt, weights, len(rest), seed))  # noqa: E731
            yield call, got, rest


@law(4, "first draw", look=f"{KEYS}; for some weights u ** (1 / weight) is 0 or 1")
def test_the_weights_decide_the_first_draw(tt, draw):
    # 150 first draws with probability 0.5, deviation 6.1: 39 is more than six of them
    first, place = int(draw.integers(1000)), int(draw.integers(11))
    seeds = range(first, first + 150)
    for scale in (1e-6, 10.0 ** draw.uniform(0, 250)):
        weights = np.full(11, scale)
        weights[place] = 10 * scale
        runs = [drawn_rows(tt, weights, 11, seed) for seed in seeds]
        call = f"len(draw_without_replacement(11 weights, 11, {first}))"
        yield call, len(runs[0]), 11
        got = [rows[0] for rows in runs].count(place)
        call = f"ten rows of weight {scale:g}, row {place} has {10 * scale:g}; in 150"
        call = f"{call} runs of draw_without_replacement(weights, 11, seed) row {place}"
        yield f"{call} comes first", got, "about 75 times", abs(got - 75) < 39


@law(
    5,
    "rows that are left",
    look=f"{KEYS}, the others in order behind it (np.argpartition sorts less)",
)
def test_the_weights_decide_the_next_draws(tt, draw):
    # Which of two rows comes first does not depend on the others. 2,000 pairs have a
    # deviation of at most 0.0112, and 0.07 is more than six of them.
    seed, heavy = int(draw.integers(1000)), float(draw.uniform(2, 3))
    weights = np.tile([1.0, heavy, 1.5], 2000)
    rows = tt.draw_without_replacement(weights.copy(), 6000, seed)
    place = np.argsort(rows).reshape(-1, 3)
    for one, other in ((1, 0), (2, 0), (1, 2)):
        got = float(np.mean(place[:, one] < place[:, other]))
        w, v = weights[one], weights[other]
        call = f"draw_without_replacement(np.tile([1, {heavy:.2f}, 1.5], 2000), 6000,"
        call = f"{call} {seed}): of two rows of weights {w:.2f} and {v:.2f} the former"
        want = float(w / (w + v))
        right = abs(got - want) < 0.07
        yield f"{call} comes first in", f"{got:.1%}", f"about {want:.1%}", right


@law(
    6,
    "both numbers",
    look="compare size with the number of positive weights, before you draw",
)
def test_too_many_draws_are_refused(tt, draw):
    count = int(draw.integers(30, 50))
    weights = draw.permutation(np.r_[np.zeros(20), draw.uniform(1e-9, 9, count)])
    for more in (0, 1, 12, 100):
        size = count + more
        call = f"draw_without_replacement(weights, {size}, 0); of {count + 20} weights"
        call = f"{call} {count} are positive"
        got = lambda size=size: drawn_rows(tt, weights, size, 0)  # noqa: E731
        if more:
            yield Case(call, got, [str(count), str(size)], raises=ValueError)
        else:
            yield f"{call}: how many rows come", lambda got=got: len(got()), size


@law(7, "a different seed", look=f"{AS_IT_IS}; what else decides your draws?")
def test_the_seed_decides(tt, draw, stand_in):
    yield from seeds_decide(with_seed(tt), EQUAL, 20, draw)
    yield from process_does_not(with_seed(tt), EQUAL, stand_in)


@law(8, "Seed 0", look="does 0 count as no seed?")
def test_0_is_a_seed(tt, draw):
    count = int(draw.integers(61, 1000))
    call = EQUAL.replace("60", str(count))
    yield from zero_is_a_seed(with_seed(tt, count), call, 20)


@law(9, "global random generators", look=OWN)
def test_the_shared_generators_stay(tt, draw, global_random_state):
    yield from generators_stay(with_seed(tt), EQUAL, 20, draw, global_random_state)


def afterwards(tt, weights, size):
    """The weights afterwards, and how many rows came."""
    import numpy as np

    weights = np.array(weights, dtype=np.float64)
    rows = tt.draw_without_replacement(weights, size, 3)
    return weights.tolist(), len(rows)


@law(9, "global random generators", look="np.asarray makes no copy: do not write there")
def test_the_weights_stay(inside, draw):
    for weights in ([5, 0, 10, 1], [0, 2, 1], draw.uniform(1, 9, 5).tolist()):
        for size in (0, 1, np.count_nonzero(weights)):
            got, want = inside(afterwards, weights, size), [*map(float, weights)]
            call = f"w = np.array({want}); draw_without_replacement(w, {size}, 3)"
            yield f"{call}: w and the number of draws", tuple(got), (want, size)

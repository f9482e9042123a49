"""Laws of exercise 4a, draw_with_replacement."""

import numpy as np
from stand_ins_08c import (
    AS_IT_IS,
    OWN,
    generators_stay,
    process_does_not,
    seeds_decide,
    zero_is_a_seed,
)

from tinytorch.laws import law

EQUAL = "draw_with_replacement(np.ones(60), 20, {})"


def with_seed(tt, count=60):
    return lambda seed: np.asarray(
        tt.draw_with_replacement(np.ones(count), 20, seed)
    ).tolist()


def counts(tt, weights, size, seed):
    """How often each row comes."""
    rows = tt.draw_with_replacement(np.array(weights, float), size, seed)
    return np.bincount(rows, minlength=len(weights)).tolist()


@law(1, "int64 array", look="one row number for each draw, .astype(np.int64)")
def test_the_draws_are_an_array(tt, draw):
    for weights, size, row in (
        ([2.0], 3, 0),
        ([2.0], 0, 0),
        ([0.0, 5e3], 3, 1),
        ([float(draw.integers(3, 10**6))], int(draw.integers(4, 40)), 0),
    ):
        call = f"draw_with_replacement({weights}, {size}, 7)"
        got = lambda: tt.draw_with_replacement(np.array(weights), size, 7)  # noqa: E731
        yield call, got, np.full(size, row, np.int64)


@law(
    2,
    "with probability",
    look="slots as wide as the weights, end to end; places between 0 and the total",
)
def test_the_weights_are_probabilities(tt, draw):
    scale, seed = 10.0 ** draw.uniform(-250, 250), int(draw.integers(1000))
    for weights in (
        np.array([5.0, 0, 10, 1]),
        np.array([0.001, 0.003]),
        np.array([1e-50, 3e-50]),
        draw.uniform(0.1, 2, 6) * (draw.permutation(6) > 0),
        scale * draw.uniform(1, 4, 3),
        np.array([1e5, 3e5]),
    ):
        text = [float(f"{weight:.3g}") for weight in weights]
        call = f"draw_with_replacement({text}, 6000, {seed}): how often each row comes"
        got = counts(tt, weights, 6000, seed)
        want = np.round(6000 * (weights / weights.sum())).astype(int)
        # deviations are at most 39; 270 is seven of them
        right = len(got) == len(want) and abs(got - want).max() < 270
        yield call, got, f"about {want.tolist()}", right


@law(2, "with probability", look="float32 loses a 1 beside 2**24, float64 keeps it")
def test_many_light_rows_beside_a_heavy_one(tt, draw):
    light, seed = np.ones(25_000), int(draw.integers(1000))
    for text, weights, heavy in (
        ("np.r_[np.ones(25_000), 2.0**24]", np.r_[light, 2.0**24], 25_000),
        ("np.r_[2.0**24, np.ones(25_000)]", np.r_[2.0**24, light], 0),
    ):
        rows = tt.draw_with_replacement(weights, 20_000, seed)
        other = int(np.sum(np.asarray(rows) != heavy))
        # 29.8 are expected; fewer than 4 come with probability 1e-9
        call = f"draw_with_replacement({text}, 20_000, {seed}): draws of light rows"
        yield call, other, "about 30", 4 <= other <= 80


@law(3, "whatever came before", look="is anything sorted? Does a draw look at others?")
def test_a_draw_does_not_look_at_others(tt, draw):
    seed = int(draw.integers(1000))
    rows = tt.draw_with_replacement(np.ones(2), 6000, seed)
    pairs = (2 * rows[:-1] + rows[1:])[::2]
    got = np.bincount(pairs, minlength=4).tolist()
    # the deviation of each number is 24; 155 is more than six of them
    call = (
        f"draw_with_replacement([1, 1], 6000, {seed}), two at a time: (0, 0), (0, 1),"
    )
    right = abs(np.array(got) - 750).max() < 155
    yield f"{call} (1, 0), (1, 1)", got, "about 750 each", len(got) == 4 and right


@law(3, "whatever came before", look="chance decides how often a row comes, too")
def test_chance_decides_how_often_a_row_comes(tt, draw):
    seed = int(draw.integers(1000))
    # a right run has such a difference with probability 1 - 1e-15
    runs = [counts(tt, [1, 1], n, seed) for n in range(20, 620, 20)]
    got = max(abs(first - second) for first, second in runs)
    call = f"draw_with_replacement([1, 1], n, {seed}) for n = 20, 40, ..., 600: row 0"
    yield f"{call} comes more or less often than row 1 by at most", got, "> 2", got > 2


@law(4, "weight 0", look="the slot of such a row has no width: no place is in it")
def test_a_row_of_weight_0_never_comes(tt, draw):
    drawn = draw.uniform(0.1, 9, 8) * (draw.permutation(8) > 3)
    for weights in ([0, 2, 0, 1, 0], [0, 0, 1e-9, 0, 3e-9], np.round(drawn, 2)):
        weights, seed = np.array(weights, float), int(draw.integers(1000))
        got = counts(tt, weights, 3000, seed)
        zeros = np.flatnonzero(weights == 0).tolist()
        call = f"draw_with_replacement({weights}, 3000, {seed}): how often rows {zeros}"
        got, want = [got[row] for row in zeros] + [sum(got)], [0] * len(zeros) + [3000]
        yield f"{call} come, and all rows", got, want


def at_place_0(tt, weights):
    """One draw by a generator whose first random() is 0.0."""
    import numpy as np

    bits = np.random.Philox(0)
    bits.state = {**bits.state, "buffer": np.zeros(4, np.uint64), "buffer_pos": 0}
    tt.draw_with_replacement(np.array(weights), 1, 0)  # a seed is taken, at least
    try:
        rows = tt.draw_with_replacement(np.array(weights), 1, np.random.Generator(bits))
    except (TypeError, ValueError):  # it takes no generator in the place of a seed
        return "refused"
    return np.asarray(rows).tolist()


@law(4, "weight 0", look="a border belongs to the slot at its right: `side`, or `<=`?")
def test_a_place_on_a_border(inside):
    for weights, row in (([0.0, 2.0], 1), ([0.0, 0.0, 1.0, 4.0], 2)):
        call = f"draw_with_replacement({weights}, 1, a generator whose random() is 0.0)"
        rows = inside(at_place_0, weights)
        right = rows in ("refused", *([i] for i, w in enumerate(weights) if w > 0))
        yield call, rows, [row], right


@law(5, "a different seed", look=f"{AS_IT_IS}; what else decides your draws?")
def test_the_seed_decides(tt, draw, stand_in):
    yield from seeds_decide(with_seed(tt), EQUAL, 20, draw)
    yield from process_does_not(with_seed(tt), EQUAL, stand_in)


@law(6, "Seed 0", look="does 0 count as no seed?")
def test_0_is_a_seed(tt, draw):
    count = int(draw.integers(61, 1000))
    call = EQUAL.replace("60", str(count))
    yield from zero_is_a_seed(with_seed(tt, count), call, 20)


@law(7, "global random generators", look=OWN)
def test_the_shared_generators_stay(tt, draw, global_random_state):
    yield from generators_stay(with_seed(tt), EQUAL, 20, draw, global_random_state)


def afterwards(tt, weights, size):
    """The weights afterwards, and how many rows came."""
    import numpy as np

    weights = np.array(weights, dtype=np.float64)
    rows = tt.draw_with_replacement(weights, size, 3)
    return weights.tolist(), len(rows)


@law(7, "global random generators", look="np.asarray makes no copy: do not write there")
def test_the_weights_stay(inside, draw):
    for weights in ([5, 0, 10, 1], [2, 1], draw.uniform(1, 9, 5).tolist()):
        for size in (0, 2, 6):
            call = (
                f"w = np.array({weights}, float); draw_with_replacement(w, {size}, 3)"
            )
            got, want = inside(afterwards, weights, size), [*map(float, weights)]
            yield f"{call}: w and the number of draws", tuple(got), (want, size)

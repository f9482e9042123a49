"""Promises of the weighted draws. `tt` is your exported package."""

import numpy as np
import pytest

from tinytorch.testing import expect, expect_raises


@pytest.mark.contract("test_draw_with_replacement")
def test_rows_come_in_proportion_to_their_weights(tt):
    rows = tt.draw_with_replacement(np.array([1.0, 0.0, 3.0]), 4000, 11)
    counts = np.bincount(rows, minlength=3)
    expect(
        len(rows) == 4000 and rows.dtype == np.int64,
        "The draws are an int64 array of shape (size,).",
        call="draw_with_replacement([1, 0, 3], 4000, 11)",
        got=f"{rows.dtype} ({len(rows)},)",
        want="int64 (4000,)",
        look="what you return: one row number for each draw, .astype(np.int64)",
    )
    # Deviation of the share 0.0069: 0.045 is more than six.
    expect(
        abs(counts[2] / 4000 - 0.75) < 0.045,
        "Each draw is row i with probability `weights[i] / weights.sum()`.",
        call="the share of row 2 in draw_with_replacement([1, 0, 3], 4000, 11)",
        got=f"{counts[2] / 4000:.3f}",
        want="about 0.75",
        look="slots as wide as the weights, end to end; places between 0 and the total",
    )


@pytest.mark.contract("test_draw_with_replacement")
def test_a_row_of_weight_0_never_comes(tt):
    rows = tt.draw_with_replacement(np.array([0.0, 2.0, 0.0, 1.0, 0.0]), 3000, 5)
    counts = np.bincount(rows, minlength=5)
    expect(
        len(rows) == 3000,
        "The draws are an int64 array of shape (size,).",
        call="draw_with_replacement([0, 2, 0, 1, 0], 3000, 5)",
        got=len(rows),
        want=3000,
        look="one row number for each of 3,000 draws",
    )
    expect(
        counts[[0, 2, 4]].sum() == 0,
        "A row of weight 0 never comes.",
        call="draw_with_replacement([0, 2, 0, 1, 0], 3000, 5)",
        got=counts.tolist(),
        want="0 times rows 0, 2 and 4",
        look="do the weights decide where a draw falls? a slot of weight 0 has no"
        " width",
    )


@pytest.mark.contract("test_draw_with_replacement")
def test_the_seed_decides_the_draws_with_replacement(tt):
    runs = [tt.draw_with_replacement(np.ones(60), 20, seed) for seed in (4, 4, 5)]
    runs = [rows.tolist() for rows in runs]
    expect(
        [len(rows) for rows in runs] == [20, 20, 20],
        "The draws are an int64 array of shape (size,).",
        call="draw_with_replacement(np.ones(60), 20, seed) for the seeds 4, 4 and 5:"
        " how many rows",
        got=[len(rows) for rows in runs],
        want=[20, 20, 20],
        look="one row number for each draw",
    )
    expect(
        runs[0] == runs[1] and runs[0] != runs[2],
        "The same seed gives the same draws, a different seed different ones: `[0, 1]`"
        " is not `[1, 0]`.",
        call="draw_with_replacement(np.ones(60), 20, seed) for the seeds 4, 4 and 5",
        got=f"begin with {[rows[:4] for rows in runs]}",
        want="the first two equal, the third another",
        look="np.random.default_rng(seed): what else decides your draws?",
    )


@pytest.mark.contract("test_draw_with_replacement")
def test_draws_with_replacement_leave_the_global_generators(tt, global_random_state):
    before = global_random_state()
    rows = tt.draw_with_replacement(np.ones(60), 20, 4)
    expect(
        len(rows) == 20,
        "The draws are an int64 array of shape (size,).",
        call="draw_with_replacement(np.ones(60), 20, 4): how many rows",
        got=len(rows),
        want=20,
        look="one row number for each draw",
    )
    expect(
        global_random_state() == before,
        "`weights` and the global random generators are not changed.",
        call="draw_with_replacement(np.ones(60), 20, 4): the state of np.random and of"
        " random, afterwards",
        got="changed",
        want="unchanged",
        look="np.random.default_rng(seed) is a generator of your own; np.random.seed,"
        " np.random.rand and random.random use those that everybody shares",
    )


@pytest.mark.contract("test_draw_without_replacement")
def test_without_replacement_a_row_comes_once(tt):
    rows = tt.draw_without_replacement(np.array([1.0, 2.0, 0.0, 4.0, 1.0]), 4, 3)
    expect(
        sorted(rows.tolist()) == [0, 1, 3, 4] and rows.dtype == np.int64,
        "Each row comes at most once.",
        call="draw_without_replacement([1, 2, 0, 4, 1], 4, 3)",
        got=f"{rows.dtype} {rows.tolist()}",
        want="int64, 0, 1, 3 and 4 in some order",
        look="can a row come twice? four of five rows have a weight above 0",
    )


@pytest.mark.contract("test_draw_without_replacement")
def test_more_draws_than_rows_are_refused(tt):
    rows = tt.draw_without_replacement(np.array([1.0, 2.0, 0.0]), 2, 0)
    expect(
        sorted(rows.tolist()) == [0, 1],
        "Each row comes at most once.",
        call="draw_without_replacement([1, 2, 0], 2, 0)",
        got=rows.tolist(),
        want="0 and 1 in some order",
        look="can a row come twice? with one key for each row it cannot",
    )
    expect_raises(
        ValueError,
        lambda: tt.draw_without_replacement((np.arange(60) % 6 > 1) * 2.0, 41, 0),
        "A `size` above the number of positive weights raises `ValueError` with both"
        " numbers.",
        says=["41", "40"],
        call="draw_without_replacement((np.arange(60) % 6 > 1) * 2.0, 41, 0); 40"
        " weights are positive",
        look="compare size with the number of positive weights before you draw; the"
        " ValueError says both",
    )


def two_draws(tt, runs):
    import numpy as np

    return [
        np.asarray(tt.draw_without_replacement(np.array([1.0, 4.0]), 2, seed)).tolist()
        for seed in range(runs)
    ]


@pytest.mark.contract("test_draw_without_replacement")
def test_the_heavy_row_comes_first_more_often(inside):
    # 300 first draws, probability 0.8, deviation 0.023: 0.14 is six.
    draws = inside(two_draws, 300)
    expect(
        all(sorted(rows) == [0, 1] for rows in draws),
        "Each row comes at most once.",
        call="draw_without_replacement([1, 4], 2, 0)",
        got=next(rows for rows in [*draws, []] if sorted(rows) != [0, 1]),
        want="0 and 1 in some order",
        look="can a row come twice? with one key for each row it cannot",
    )
    share = sum(first for first, _ in draws) / 300
    expect(
        abs(share - 0.8) < 0.14,
        "The first draw is row i with probability `weights[i] / weights.sum()`.",
        call="draw_without_replacement([1, 4], 2, seed), 300 seeds: the first of the"
        " two",
        got=f"row 1 in {share:.0%}",
        want="about 80%",
        look="log(u) / weight; the largest key comes first, and the rows stay in the"
        " order of their keys",
    )


@pytest.mark.contract("test_draw_without_replacement")
def test_the_seed_decides_the_draws_without_replacement(tt, global_random_state):
    before = global_random_state()
    runs = [tt.draw_without_replacement(np.ones(60), 20, seed) for seed in (4, 4, 5)]
    runs = [rows.tolist() for rows in runs]
    expect(
        [len(rows) for rows in runs] == [20, 20, 20],
        "The draws are an int64 array of shape (size,).",
        call="draw_without_replacement(np.ones(60), 20, seed) for the seeds 4, 4 and 5:"
        " how many rows",
        got=[len(rows) for rows in runs],
        want=[20, 20, 20],
        look="one row number for each draw",
    )
    expect(
        runs[0] == runs[1] and runs[0] != runs[2],
        "The same seed gives the same draws, a different seed different ones: `[0, 1]`"
        " is not `[1, 0]`.",
        call="draw_without_replacement(np.ones(60), 20, seed) for the seeds 4, 4 and 5",
        got=f"begin with {[rows[:4] for rows in runs]}",
        want="the first two equal, the third another",
        look="np.random.default_rng(seed): what else decides your draws?",
    )
    expect(
        global_random_state() == before,
        "`weights` and the global random generators are not changed.",
        call="draw_without_replacement(np.ones(60), 20, 4): the state of np.random and"
        " of random, afterwards",
        got="changed",
        want="unchanged",
        look="np.random.default_rng(seed) is a generator of your own; np.random.seed,"
        " np.random.rand and random.random use those that everybody shares",
    )


# Seeds as the loader makes them: whoever adds, multiplies or joins the two numbers
# makes one seed of two.
SEEDS = [
    [seed, epoch]
    for seed in (0, 1, 2, 11, 100, 1000)
    for epoch in (0, 1, 2, 11, 100, 1000)
]


def orders(tt, name, seeds):
    """20 draws from 60 rows with each of the seeds."""
    import numpy as np

    draw = getattr(tt, name)
    return [np.asarray(draw(np.ones(60), 20, seed)).tolist() for seed in seeds]


def in_another_process(tt, name):
    """Draws, and those of the same seed where hash(text) is another number, as it is in
    each new process of Python.
    """
    import builtins

    import numpy as np

    first = np.asarray(getattr(tt, name)(np.ones(60), 20, [3, 1])).tolist()
    vars(tt)["hash"] = lambda value: builtins.hash(value) + isinstance(value, str)
    try:
        return first, np.asarray(getattr(tt, name)(np.ones(60), 20, [3, 1])).tolist()
    finally:
        del vars(tt)["hash"]


def weights_afterwards(tt, name, weights, size):
    import numpy as np

    weights = np.array(weights, dtype=np.float64)
    rows = getattr(tt, name)(weights, size, 3)
    return weights.tolist(), np.asarray(rows).tolist()


def expect_a_draw_for_each_seed(promise, inside, name):
    different = {tuple(rows) for rows in inside(orders, name, SEEDS)}
    expect(
        len(different) == len(SEEDS),
        promise,
        call=f"{name}(np.ones(60), 20, seed) for the seeds [0, 0], [0, 1], ..., [1000,"
        " 1000]",
        got=f"{len(SEEDS)} seeds give {len(different)} different draws",
        want=f"{len(SEEDS)} different draws",
        look="give the seed to default_rng as it is; added up or joined to one number,"
        " different seeds become the same",
    )
    first, second = inside(in_another_process, name)
    expect(
        first == second,
        promise,
        call=f"{name}(np.ones(60), 20, [3, 1]) in two processes",
        got=f"{first[:5]}, then {second[:5]}",
        want="the same draws twice",
        look="does the number of hash(text), another one in each process, decide the"
        " draws?",
    )


def expect_0_to_be_a_seed(promise, inside, name):
    again = inside(orders, name, [0, 0, None, None])
    expect(
        [len(rows) for rows in again] == [20] * 4
        and again[0] == again[1]
        and again[2] != again[3],
        promise,
        call=f"{name}(np.ones(60), 20, seed) for the seeds 0, 0, None and None",
        got=f"begin with {[rows[:4] for rows in again]}",
        want="20 rows each; the first two equal, the last two different",
        look="None means no seed: default_rng(None) draws anew each time"
        if again[0] == again[1]
        else "does 0 count as no seed?",
    )


def expect_the_weights_to_stay(promise, inside, name, size):
    weights = [3.0, 0.0, 5.0, 1.5]
    got, rows = inside(weights_afterwards, name, weights, size)
    expect(
        got == weights and len(rows) == size and set(rows) <= {0, 2, 3},
        promise,
        call=f"{name}([3, 0, 5, 1.5], {size}, 3); weights, afterwards",
        got=f"weights {got}, rows {rows}",
        want=f"weights {weights}, {size} of the rows 0, 2 and 3",
        look="np.asarray makes no copy: `weights /= total`, `weights[i] = 0` and their"
        " like change the caller's array",
    )


@pytest.mark.contract("test_draw_with_replacement")
def test_each_seed_has_its_own_draws_with_replacement(inside):
    expect_a_draw_for_each_seed(
        "The same seed gives the same draws, a different seed different ones: `[0, 1]`"
        " is not `[1, 0]`.",
        inside,
        "draw_with_replacement",
    )


@pytest.mark.contract("test_draw_with_replacement")
def test_0_is_a_seed_with_replacement(inside):
    expect_0_to_be_a_seed(
        "Seed 0 always gives the same draws; None gives new draws each time.",
        inside,
        "draw_with_replacement",
    )


@pytest.mark.contract("test_draw_with_replacement")
def test_draws_with_replacement_leave_the_weights(inside):
    expect_the_weights_to_stay(
        "`weights` and the global random generators are not changed.",
        inside,
        "draw_with_replacement",
        6,
    )


@pytest.mark.contract("test_draw_without_replacement")
def test_each_seed_has_its_own_draws_without_replacement(inside):
    expect_a_draw_for_each_seed(
        "The same seed gives the same draws, a different seed different ones: `[0, 1]`"
        " is not `[1, 0]`.",
        inside,
        "draw_without_replacement",
    )


@pytest.mark.contract("test_draw_without_replacement")
def test_0_is_a_seed_without_replacement(inside):
    expect_0_to_be_a_seed(
        "Seed 0 always gives the same draws; None gives new draws each time.",
        inside,
        "draw_without_replacement",
    )


@pytest.mark.contract("test_draw_without_replacement")
def test_draws_without_replacement_leave_the_weights(inside):
    expect_the_weights_to_stay(
        "`weights` and the global random generators are not changed.",
        inside,
        "draw_without_replacement",
        2,
    )


@pytest.mark.contract("test_draw_with_replacement")
def test_few_draws_with_replacement(tt):
    for weights, size, want in (
        ([2.0], 3, [0, 0, 0]),
        ([0, 2.0], 1, [1]),
        ([2.0], 0, []),
    ):
        rows = tt.draw_with_replacement(np.array(weights), size, 7)
        got = (
            f"{getattr(rows, 'dtype', type(rows).__name__)} {np.asarray(rows).tolist()}"
        )
        expect(
            got == f"int64 {want}",
            "The draws are an int64 array of shape (size,).",
            call=f"draw_with_replacement({weights}, {size}, 7)",
            got=got,
            want=f"int64 {want}",
            look="one int64 row number for each draw; without draws the array is empty",
        )


@pytest.mark.contract("test_draw_with_replacement")
def test_each_draw_is_made_from_all_rows(tt):
    # Of 3,000 pairs of fair draws half are equal, deviation 27: 190 is seven of them.
    rows = tt.draw_with_replacement(np.ones(2), 6000, 9).reshape(-1, 2)
    equal = int((rows[:, 0] == rows[:, 1]).sum())
    expect(
        abs(equal - 1500) < 190,
        "Each draw is made from all rows, whatever came before.",
        call="draw_with_replacement([1, 1], 6000, 9), two at a time",
        got=f"{equal} of 3,000 pairs are equal",
        want="about 1,500",
        look="is anything sorted, or does a draw depend on the draws before it?",
    )


def counts_of_row_0(tt, runs):
    import numpy as np

    rows = [tt.draw_with_replacement(np.ones(2), 10, seed) for seed in range(runs)]
    return [[len(one), int(np.sum(np.asarray(one) == 0))] for one in rows]


@pytest.mark.contract("test_draw_with_replacement")
def test_chance_decides_how_often_a_row_comes(inside):
    # The number has a deviation of 1.6: in 60 runs it is never one of three numbers
    # alone with probability 1e-11.
    got = inside(counts_of_row_0, 60)
    counts = sorted({count for _, count in got})
    expect(
        {length for length, _ in got} == {10} and len(counts) > 3,
        "Each draw is made from all rows, whatever came before.",
        call="draw_with_replacement([1, 1], 10, seed) for the seeds 0 to 59",
        got=f"{got[0][0]} draws; row 0 comes {counts} times",
        want="10 draws; row 0 comes from about 2 to 8 times",
        look="chance decides how often a row comes, not only where",
    )


@pytest.mark.contract("test_draw_with_replacement")
def test_only_the_ratio_of_the_weights_counts(tt):
    # Deviation of the share 0.0069: 0.045 is more than six.
    for scale in (1e-4, 1e5):
        rows = tt.draw_with_replacement(np.array([scale, 3 * scale]), 4000, 6)
        share = np.mean(rows == 1)
        expect(
            abs(share - 0.75) < 0.045,
            "Each draw is row i with probability `weights[i] / weights.sum()`.",
            call=f"draw_with_replacement([{scale:g}, {3 * scale:g}], 4000, 6)",
            got=f"{share:.0%} are row 1",
            want="75%",
            look="weights need not be whole or large: what becomes of these two in your"
            " code? (places lie between 0 and the total)",
        )


@pytest.mark.contract("test_draw_without_replacement")
def test_few_draws_without_replacement(tt):
    for weights, size, want in (([0, 2.0, 0], 1, [1]), ([2.0], 0, [])):
        rows = tt.draw_without_replacement(np.array(weights), size, 7)
        got = (
            f"{getattr(rows, 'dtype', type(rows).__name__)} {np.asarray(rows).tolist()}"
        )
        expect(
            got == f"int64 {want}",
            "The draws are an int64 array of shape (size,).",
            call=f"draw_without_replacement({weights}, {size}, 7)",
            got=got,
            want=f"int64 {want}",
            look="one int64 row number for each draw; for size 0 nothing is drawn (a"
            " slice [-0:] is all)",
        )


@pytest.mark.contract("test_draw_without_replacement")
def test_a_row_of_weight_0_is_never_left_over(tt):
    weights = np.array([0.0, 1.0, 0.0, 4.0, 0.0, 2.0])
    for seed in range(20):
        rows = tt.draw_without_replacement(weights, 3, seed).tolist()
        expect(
            not {0, 2, 4} & set(rows),
            "A row of weight 0 never comes.",
            call=f"draw_without_replacement([0, 1, 0, 4, 0, 2], 3, {seed})",
            got=rows,
            want="1, 3 and 5 in some order",
            look="leave rows of weight 0 out; is a place among the others a row"
            " number?",
        )
        expect(
            sorted(rows) == [1, 3, 5],
            "Each row comes at most once.",
            call=f"draw_without_replacement([0, 1, 0, 4, 0, 2], 3, {seed})",
            got=rows,
            want="1, 3 and 5 in some order",
            look="can a row come twice? with one key for each row it cannot",
        )


@pytest.mark.contract("test_draw_without_replacement")
def test_the_scale_of_the_weights_does_not_count(tt):
    # 1,500 pairs of a light row and a heavy one: deviation of the share 0.0112, and
    # 0.07 is six of them.
    for scale in (1e-4, 1, 1e5):
        weights = scale * np.tile([1.0, 3.0], 1500)
        rows = tt.draw_without_replacement(weights, 3000, 8)
        expect(
            sorted(rows.tolist()) == list(range(3000)),
            "Each row comes at most once.",
            call=f"draw_without_replacement({scale:g} * np.tile([1, 3], 1500), 3000,"
            " 8)",
            got=f"{len(set(rows.tolist()))} different rows",
            want="3,000 different rows",
            look="can a row come twice? with one key for each row it cannot",
        )
        place = np.argsort(rows).reshape(-1, 2)
        share = np.mean(place[:, 1] < place[:, 0])
        expect(
            abs(share - 0.75) < 0.07,
            "Each following draw is made likewise among the rows that are left.",
            call=f"draw_without_replacement({scale:g} * np.tile([1, 3], 1500), 3000,"
            " 8)",
            got=f"of two rows the heavy one came first in {share:.1%}",
            want="75%",
            look="are all keys sorted, largest first (np.argpartition sorts less)?"
            " log(u) / weight, with a u for each row; u ** (1 / weight) may become 0",
        )


def drawn_at_zero(tt, weights):
    """A draw whose place is 0.0: `seed` may be a generator, here one of zeros."""
    import numpy as np

    bits = np.random.Philox(0)
    bits.state = {**bits.state, "buffer": np.zeros(4, np.uint64), "buffer_pos": 0}
    rng = np.random.Generator(bits)
    return np.asarray(tt.draw_with_replacement(np.array(weights), 1, rng)).tolist()


@pytest.mark.contract("test_draw_with_replacement")
def test_a_place_on_a_border_is_in_a_slot_that_has_a_width(inside):
    for weights, want in (([0.0, 2.0], "[1]"), ([0.0, 0.0, 1.0, 4.0], "[2]")):
        got = inside(drawn_at_zero, weights)
        expect(
            len(got) == 1 and weights[got[0]] > 0,
            "A row of weight 0 never comes.",
            call=f"draw_with_replacement({weights}, 1, a generator whose first"
            " random() is 0.0)",
            got=got,
            want=want,
            look="a place on the border of two slots belongs to the right one: which"
            " `side` is searched? with `<` or with `<=`?",
        )


@pytest.mark.contract("test_draw_with_replacement")
def test_many_light_rows_beside_a_heavy_one(tt):
    # Expected are 29.8 light rows; fewer than 4 come with probability 1e-9.
    rows = tt.draw_with_replacement(np.r_[np.ones(25_000), 2.0**24], 20_000, 7)
    light = int(np.sum(rows < 25_000))
    expect(
        4 <= light <= 80,
        "Each draw is row i with probability `weights[i] / weights.sum()`.",
        call="draw_with_replacement(np.r_[np.ones(25_000), 2.0**24], 20_000, 7)",
        got=f"{light} draws are light rows",
        want="about 30 draws",
        look="what becomes of a weight of 1 beside one of 2**24? slots as wide as the"
        " weights",
    )
    rows = tt.draw_with_replacement(np.r_[2.0**24, np.ones(25_000)], 20_000, 7)
    light = int(np.sum(rows > 0))
    expect(
        4 <= light <= 80,
        "Each draw is row i with probability `weights[i] / weights.sum()`.",
        call="draw_with_replacement(np.r_[2.0**24, np.ones(25_000)], 20_000, 7)",
        got=f"{light} draws are light rows",
        want="about 30 draws",
        look="what becomes of a weight of 1 beside one of 2**24? float32 loses it,"
        " float64 keeps it",
    )


@pytest.mark.contract("test_draw_without_replacement")
def test_a_tiny_weight_is_above_0(tt):
    for seed in range(10):
        rows = tt.draw_without_replacement(np.array([2e-15, 0.0, 1e-15, 0.0]), 2, seed)
        expect(
            sorted(rows.tolist()) == [0, 2],
            "A row of weight 0 never comes.",
            call=f"draw_without_replacement([2e-15, 0, 1e-15, 0], 2, {seed})",
            got=rows.tolist(),
            want="0 and 2 in some order",
            look="leave rows of weight 0 out; a small number in their place may win",
        )

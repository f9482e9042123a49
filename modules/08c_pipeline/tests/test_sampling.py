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
    )
    # Deviation of the share 0.0069: 0.045 is more than six.
    expect(
        abs(counts[2] / 4000 - 0.75) < 0.045,
        "Each draw is row i with probability `weights[i] / weights.sum()`.",
        call="the share of row 2 in draw_with_replacement([1, 0, 3], 4000, 11)",
        got=f"{counts[2] / 4000:.3f}",
        want="about 0.75",
        look="slots as wide as the weights, end to end",
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
    )
    expect(
        counts[[0, 2, 4]].sum() == 0,
        "A row of weight 0 never comes.",
        call="draw_with_replacement([0, 2, 0, 1, 0], 3000, 5)",
        got=counts.tolist(),
        want="0 times rows 0, 2 and 4",
    )


@pytest.mark.contract("test_draw_with_replacement")
def test_the_seed_decides_the_draws_with_replacement(tt):
    runs = [tt.draw_with_replacement(np.ones(60), 20, seed) for seed in (4, 4, 5)]
    runs = [rows.tolist() for rows in runs]
    expect(
        [len(rows) for rows in runs] == [20, 20, 20],
        "The draws are an int64 array of shape (size,).",
        call="20 draws from 60 rows",
        got=[len(rows) for rows in runs],
        want=[20, 20, 20],
    )
    expect(
        runs[0] == runs[1] and runs[0] != runs[2],
        "The same seed gives the same draws, another seed others: `[0, 1]` is not"
        " `[1, 0]`.",
        call="seeds 4, 4 and 5",
        got=runs,
        want="the first two equal, the third another",
        look="np.random.default_rng(seed)",
    )


@pytest.mark.contract("test_draw_with_replacement")
def test_draws_with_replacement_leave_the_global_generators(tt, global_random_state):
    before = global_random_state()
    rows = tt.draw_with_replacement(np.ones(60), 20, 4)
    expect(
        len(rows) == 20,
        "The draws are an int64 array of shape (size,).",
        call="20 draws from 60 rows",
        got=len(rows),
        want=20,
    )
    expect(
        global_random_state() == before,
        "`weights` and the global random generators stay as they were.",
        call="the state of np.random and random",
        got="changed",
        want="unchanged",
        look="np.random.default_rng(seed) is a generator of your own",
    )


@pytest.mark.contract("test_draw_without_replacement")
def test_without_replacement_a_row_comes_once(tt):
    rows = tt.draw_without_replacement(np.array([1.0, 2.0, 0.0, 4.0, 1.0]), 4, 3)
    expect(
        sorted(rows.tolist()) == [0, 1, 3, 4] and rows.dtype == np.int64,
        "Each row comes at most once.",
        call="draw_without_replacement([1, 2, 0, 4, 1], 4, 3)",
        got=rows,
        want="0, 1, 3 and 4 in some order, int64",
    )


@pytest.mark.contract("test_draw_without_replacement")
def test_more_draws_than_rows_are_refused(tt):
    rows = tt.draw_without_replacement(np.array([1.0, 2.0, 0.0]), 2, 0)
    expect(
        sorted(rows.tolist()) == [0, 1],
        "Each row comes at most once.",
        call="draw_without_replacement([1, 2, 0], 2, 0)",
        got=rows,
        want="0 and 1",
    )
    expect_raises(
        ValueError,
        lambda: tt.draw_without_replacement(np.array([1.0, 2.0, 0.0]), 3, 0),
        "A `size` above the number of positive weights raises `ValueError` with both"
        " numbers.",
        says=["3", "2"],
        call="draw_without_replacement([1, 2, 0], 3, 0)",
    )


@pytest.mark.contract("test_draw_without_replacement")
def test_the_heavy_row_comes_first_more_often(tt):
    # 300 first draws, probability 0.8, deviation 0.023: 0.14 is six.
    draws = [
        tt.draw_without_replacement(np.array([1.0, 4.0]), 2, seed).tolist()
        for seed in range(300)
    ]
    expect(
        all(sorted(rows) == [0, 1] for rows in draws),
        "Each row comes at most once.",
        call="draw_without_replacement([1, 4], 2, seed)",
        got=draws[0],
        want="0 and 1",
    )
    share = sum(first for first, _ in draws) / 300
    expect(
        abs(share - 0.8) < 0.14,
        "The first draw is row i with probability `weights[i] / weights.sum()`.",
        call="first of draw_without_replacement([1, 4], 2, seed)",
        got=f"row 1 in {share:.0%}",
        want="about 80%",
        look="largest key first, and no sorting of the rows afterwards",
    )


@pytest.mark.contract("test_draw_without_replacement")
def test_the_seed_decides_the_draws_without_replacement(tt, global_random_state):
    before = global_random_state()
    runs = [tt.draw_without_replacement(np.ones(60), 20, seed) for seed in (4, 4, 5)]
    runs = [rows.tolist() for rows in runs]
    expect(
        [len(rows) for rows in runs] == [20, 20, 20],
        "The draws are an int64 array of shape (size,).",
        call="20 draws from 60 rows",
        got=[len(rows) for rows in runs],
        want=[20, 20, 20],
    )
    expect(
        runs[0] == runs[1] and runs[0] != runs[2],
        "The same seed gives the same draws, another seed others: `[0, 1]` is not"
        " `[1, 0]`.",
        call="seeds 4, 4 and 5",
        got=runs,
        want="the first two equal, the third another",
        look="np.random.default_rng(seed)",
    )
    expect(
        global_random_state() == before,
        "`weights` and the global random generators stay as they were.",
        call="the state of np.random and random",
        got="changed",
        want="unchanged",
    )

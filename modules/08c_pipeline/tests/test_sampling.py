"""Promises of the weighted draws. `tt` is your exported package."""

import numpy as np
import pytest

from tinytorch.testing import expect, expect_raises

pytestmark = pytest.mark.contract("contract_sampling")


def test_rows_come_in_proportion_to_their_weights(tt):
    rows = tt.draw_with_replacement(np.array([1.0, 0.0, 3.0]), 4000, 11)
    counts = np.bincount(rows, minlength=3)
    expect(
        len(rows) == 4000 and rows.dtype == np.int64,
        "Draws are an int64 array (size,).",
        call="draw_with_replacement([1, 0, 3], 4000, 11)",
        got=f"{rows.dtype} ({len(rows)},)",
        want="int64 (4000,)",
    )
    expect(
        counts[1] == 0,
        "A row of weight 0 never comes.",
        call="draw_with_replacement([1, 0, 3], 4000, 11)",
        got=f"{counts[1]} times",
        want="0 times",
    )
    # Deviation of the share 0.0069: 0.045 is more than six.
    expect(
        abs(counts[2] / 4000 - 0.75) < 0.045,
        "A row comes in proportion to its weight.",
        call="the share of row 2",
        got=f"{counts[2] / 4000:.3f}",
        want="about 0.75",
        look="slots as wide as the weights, end to end",
    )


def test_without_replacement_a_row_comes_once(tt):
    rows = tt.draw_without_replacement(np.array([1.0, 2.0, 0.0, 4.0, 1.0]), 4, 3)
    expect(
        sorted(rows.tolist()) == [0, 1, 3, 4] and rows.dtype == np.int64,
        "Every row of positive weight comes once when all are asked for.",
        call="draw_without_replacement([1, 2, 0, 4, 1], 4, 3)",
        got=rows,
        want="0, 1, 3 and 4 in some order, int64",
    )
    expect_raises(
        ValueError,
        lambda: tt.draw_without_replacement(np.array([1.0, 2.0, 0.0]), 3, 0),
        "More draws than rows of positive weight are a ValueError with both numbers.",
        says=["3", "2"],
        call="draw_without_replacement([1, 2, 0], 3, 0)",
    )


def test_the_heavy_row_comes_first_more_often(tt):
    # 300 first draws, probability 0.8, deviation 0.023: 0.14 is six.
    draws = [
        tt.draw_without_replacement(np.array([1.0, 4.0]), 2, seed).tolist()
        for seed in range(300)
    ]
    expect(
        all(sorted(rows) == [0, 1] for rows in draws),
        "Two draws of two rows give both.",
        call="draw_without_replacement([1, 4], 2, seed)",
        got=draws[0],
        want="0 and 1",
    )
    share = sum(first for first, _ in draws) / 300
    expect(
        abs(share - 0.8) < 0.14,
        "The rows stand in the order in which they were drawn.",
        call="first of draw_without_replacement([1, 4], 2, seed)",
        got=f"row 1 in {share:.0%}",
        want="about 80%",
        look="largest key first, and no sorting of the rows afterwards",
    )


def test_the_seed_decides_and_nobody_elses_numbers_change(tt, global_random_state):
    before = global_random_state()
    for draw in (tt.draw_with_replacement, tt.draw_without_replacement):
        runs = [draw(np.ones(60), 20, seed).tolist() for seed in (4, 4, 5)]
        expect(
            [len(rows) for rows in runs] == [20, 20, 20],
            "There are as many draws as were asked for.",
            call="20 draws from 60 rows",
            got=[len(rows) for rows in runs],
            want=[20, 20, 20],
        )
        expect(
            runs[0] == runs[1] and runs[0] != runs[2],
            "The seed decides the draws.",
            call="seeds 4, 4 and 5",
            got=runs,
            want="the first two equal, the third another",
            look="np.random.default_rng(seed)",
        )
    expect(
        global_random_state() == before,
        "The global generators are left alone.",
        call="the state of np.random and random",
        got="changed",
        want="unchanged",
    )


def test_an_epoch_draws_its_rows_anew(tt):
    loader = (
        tt.pipeline({"x": np.arange(40)}, seed=2)
        .sample_by(np.ones(40), replace=False)
        .batch(40)
    )
    epochs = [next(iter(loader))["x"].tolist() for _ in range(2)]
    expect(
        sorted(epochs[0]) == list(range(40)),
        "Equal weights without replacement are a shuffle.",
        call="sample_by(np.ones(40), replace=False)",
        got=f"{len(set(epochs[0]))} different rows",
        want="40",
    )
    expect(
        epochs[0] != epochs[1],
        "Each epoch draws anew.",
        call="two epochs",
        got="the same order",
        want="two orders",
    )


def test_the_size_is_what_was_asked_for(tt):
    weights = [i % 5 for i in range(20)]
    got = [
        len(
            list(
                tt.pipeline({"x": np.arange(20)}, seed=0).sample_by(
                    weights, replace=replace, size=size
                )
            )
        )
        for replace, size in ((True, None), (True, 33), (False, None), (False, 7))
    ]
    expect(
        got == [20, 33, 16, 7],
        "An epoch has `size` draws; by default as many rows as there are, without"
        " replacement those of positive weight.",
        call="rows of an epoch for (True, None), (True, 33), (False, None), (False, 7)",
        got=got,
        want=[20, 33, 16, 7],
    )

"""Hidden: laws of steps, transforms and weighted draws on drawn inputs (`draw`)."""

import itertools

import numpy as np
import pytest

from tinytorch.testing import expect, expect_raises


@pytest.mark.contract("test_add_step")
def test_steps_keep_their_order_and_their_predecessors(tt, draw):
    names = draw.permutation(["shuffle", "batch", "offset", "query", "numpy"]).tolist()
    states = [{}]
    for number, name in enumerate(names):
        states.append(tt.add_step(states[-1], name, {"n": number}))
    for length, steps in enumerate(states):
        expect(
            list(steps) == names[:length],
            "The dict returned is a new one; `steps` is not changed.",
            call=f"add_step called {len(names)} times, each time with the dict before; dict number"
            f" {length}",
            got=list(steps),
            want=names[:length],
            look="is one dict written into by all calls? does the new step come last?",
        )
    for name in names:
        expect_raises(
            ValueError,
            lambda: tt.add_step(states[-1], name, {}),
            "A name that is in `steps` already raises `ValueError`: `.batch() has"
            " already been called`.",
            says=name,
            call=f"add_step(five steps, {name!r}, ...)",
            look="is `name in steps` asked of all steps? the error is a ValueError that says the"
            " name",
        )


@pytest.mark.contract("test_apply_transform")
def test_a_transform_sees_each_column_once(tt, draw):
    row = {name: int(value) for name, value in zip("abcdef", draw.integers(1, 100, 6), strict=True)}
    chosen = draw.permutation(list(row)).tolist()[:4]
    calls = []

    def noting(name):
        def change(value):
            calls.append(name)
            return -value

        return change

    got = tt.apply_transform(
        row, {name: noting(name) if k % 2 else None for k, name in enumerate(chosen)}, {"unused": 1}
    )
    want = {name: -row[name] if k % 2 else row[name] for k, name in enumerate(chosen)}
    expect(
        got == want and list(got) == chosen,
        "A dict chooses the columns: the result has those that it names, in its order.",
        call="apply_transform(row of six, four columns, ...)",
        got=got,
        want=want,
        look="loop over the transform, in its order; None keeps the value",
    )
    expect(
        calls == chosen[1::2],
        "A function in a dict is called once, with the value of its column.",
        call="apply_transform(row of six, four columns, ...): the columns whose function was"
        " called",
        got=calls,
        want=chosen[1::2],
        look="call each function once, for its own column",
    )


@pytest.mark.contract("test_apply_transform")
def test_a_function_decides_what_comes_out(tt, draw):
    row = {name: int(value) for name, value in zip("abc", draw.integers(1, 100, 3), strict=True)}
    factor, seen = int(draw.integers(2, 9)), []

    def function(whole, factor=1, shift=0):
        seen.append(dict(whole))
        return [factor * whole["a"] + shift, whole["c"]]

    got = tt.apply_transform(row, function, {"shift": 1, "factor": factor})
    expect(
        got == [factor * row["a"] + 1, row["c"]],
        "Whatever a function returns is the result, even None or 0.",
        call=f"apply_transform({row}, f, {{'shift': 1, 'factor': {factor}}})",
        got=got,
        want=[factor * row["a"] + 1, row["c"]],
        look="transform(row, **kwargs)",
    )
    expect(
        seen == [row],
        "A function of the row is called once, as `transform(row, **kwargs)`.",
        call="rows that f saw",
        got=seen,
        want=[row],
        look="f gets the row once: where is it called?",
    )
    got = tt.apply_transform(row, None, {"factor": factor})
    expect(
        got == row,
        "Without a transform (None) the row is returned unchanged.",
        call=f"apply_transform({row}, None, ...)",
        got=got,
        want=row,
        look="which line of your code is for a transform that is None?",
    )


@pytest.mark.contract("test_draw_with_replacement")
def test_shares_follow_any_weights(tt, draw):
    weights = draw.uniform(0.1, 2, 6) * (draw.permutation(6) > 0)
    rows = tt.draw_with_replacement(weights, 6000, int(draw.integers(2**31)))
    shares, want = np.bincount(rows, minlength=6) / 6000, weights / weights.sum()
    # Deviations are at most 0.0065: 0.045 is seven of them, once in 1e11 for each of six.
    expect(
        len(shares) == 6 and np.all(np.abs(shares - want) < 0.045),
        "Each draw is row i with probability `weights[i] / weights.sum()`.",
        call=f"6,000 draws by {np.round(weights, 2)}",
        got=np.round(shares, 3),
        want=np.round(want, 3),
        look="slots as wide as the weights, end to end; places between 0 and the total",
    )
    expect(
        shares[weights == 0].sum() == 0,
        "A row of weight 0 never comes.",
        call=f"6,000 draws by {np.round(weights, 2)}: how often rows of weight 0 come",
        got=shares[weights == 0],
        want=0,
        look="a slot of weight 0 has no width",
    )


@pytest.mark.contract("test_draw_with_replacement")
def test_only_the_ratio_of_weights_counts(tt, draw):
    # Deviation of the share at most 0.0063: 0.045 is seven of them.
    ratio = float(draw.uniform(1.5, 4))
    for scale in (1e-4, 1e5):
        rows = tt.draw_with_replacement(
            np.array([scale, scale * ratio]), 6000, int(draw.integers(2**31))
        )
        share, want = np.mean(rows == 1), ratio / (1 + ratio)
        expect(
            len(rows) == 6000 and abs(share - want) < 0.045,
            "Each draw is row i with probability `weights[i] / weights.sum()`.",
            call=f"6,000 draws by [{scale:g}, {scale * ratio:g}]",
            got=f"{share:.3f} are row 1",
            want=f"{want:.3f}",
            look="places lie between 0 and the total of the weights, whatever its size",
        )


@pytest.mark.contract("test_draw_with_replacement")
def test_draws_do_not_look_at_each_other(tt, draw):
    # Of 3,000 pairs of fair draws half are equal, deviation 27: 190 is seven of them.
    rows = tt.draw_with_replacement(np.ones(2), 6000, int(draw.integers(2**31))).reshape(-1, 2)
    equal = int((rows[:, 0] == rows[:, 1]).sum())
    expect(
        abs(equal - 1500) < 190,
        "Each draw is made from all rows, whatever came before.",
        call="pairs of draws by [1, 1]",
        got=f"{equal} of 3,000 pairs are equal",
        want="about 1,500",
        look="is anything sorted, or does a draw depend on the draws before it?",
    )


@pytest.mark.contract("test_draw_without_replacement")
def test_the_order_of_draws_without_replacement(tt, draw):
    # 1,500 times three rows of weights 1, 3 and 2. How three of the rows follow each other does not
    # depend on the others: (1, 0, 2) comes with probability 3/6 * 1/3. Deviation at most 0.0122:
    # 0.075 is six of them.
    weights = (1, 3, 2)
    rows = tt.draw_without_replacement(
        np.tile([1.0, 3.0, 2.0], 1500), 4500, int(draw.integers(2**31))
    )
    expect(
        sorted(rows.tolist()) == list(range(4500)),
        "Each row comes at most once.",
        call="4,500 draws from 4,500 rows",
        got=f"{len(set(rows.tolist()))} different rows",
        want="4,500 different rows",
        look="can a row come twice? with one key for each row it cannot",
    )
    orders = [tuple(three) for three in np.argsort(np.argsort(rows).reshape(-1, 3)).tolist()]
    for order in itertools.permutations(range(3)):
        want = weights[order[0]] / 6 * weights[order[1]] / (6 - weights[order[0]])
        got = orders.count(order) / 1500
        expect(
            abs(got - want) < 0.075,
            "Each following draw is made likewise among the rows that are left.",
            call=f"1,500 times rows of weights (1, 3, 2): the order {order}",
            got=f"{got:.3f}",
            want=f"{want:.3f}",
            look="log(u) / weight; the largest key comes first, and the rows stay in the order of"
            " their keys",
        )


@pytest.mark.contract("test_draw_without_replacement")
def test_the_heavier_of_two_rows_comes_first_as_often_as_its_weight_says(tt, draw):
    # 2,500 light rows and 2,500 heavy ones: in each pair the heavy one comes first with probability
    # ratio / (1 + ratio), independent of the other pairs. Deviation at most 0.0095: 0.05 is more
    # than five of them, once in 1e7.
    ratio = float(draw.uniform(2, 4))
    weights = np.tile([1.0, ratio], 2500)
    rows = tt.draw_without_replacement(weights, 5000, int(draw.integers(2**31)))
    expect(
        sorted(rows.tolist()) == list(range(5000)),
        "Each row comes at most once.",
        call="5,000 draws from 5,000 rows",
        got=f"{len(set(rows.tolist()))} different rows",
        want="5,000 different rows",
        look="can a row come twice? with one key for each row it cannot",
    )
    place = np.argsort(rows).reshape(-1, 2)
    share, want = np.mean(place[:, 1] < place[:, 0]), ratio / (1 + ratio)
    expect(
        abs(share - want) < 0.05,
        "Each following draw is made likewise among the rows that are left.",
        call=f"2,500 rows of weight 1, 2,500 of weight {ratio:.2f}, all drawn",
        got=f"of two rows the heavy one came first in {share:.1%}",
        want=f"{want:.1%}",
        look="log(u) / weight, with a u for each row; the largest key comes first",
    )


@pytest.mark.contract("test_draw_without_replacement")
def test_all_positive_rows_can_be_drawn(tt, draw):
    weights = draw.uniform(1e-6, 1e6, 40) * (draw.random(40) < 0.7)
    positive = np.flatnonzero(weights)
    rows = tt.draw_without_replacement(weights, len(positive), 1)
    expect(
        sorted(rows.tolist()) == positive.tolist(),
        "Each row comes at most once.",
        call=f"sorted(draw_without_replacement(weights, {len(positive)}, 1)); so many of 40 weights"
        " are positive",
        got=sorted(rows.tolist()),
        want=positive.tolist(),
        look="which rows are missing, or come twice? rows of weight 0 are left out, tiny weights"
        " are not",
    )
    expect_raises(
        ValueError,
        lambda: tt.draw_without_replacement(weights, len(positive) + 1, 1),
        "A `size` above the number of positive weights raises `ValueError` with both numbers.",
        says=[str(len(positive)), str(len(positive) + 1)],
        call=f"draw_without_replacement(weights, {len(positive) + 1}, 1); {len(positive)} of 40"
        " weights are positive",
        look="compare size with the number of positive weights before you draw; the ValueError says"
        " both",
    )

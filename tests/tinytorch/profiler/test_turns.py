"""Measurements in turns: they say when their numbers cannot be trusted."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tinytorch.profiler import Law, Turns, in_turns


def given_values(*values):
    return itertools.cycle(values).__next__


def test_each_round_measures_everything_once_and_the_warmup_does_not_count():
    calls = []
    turns = in_turns(
        {name: lambda name=name: calls.append(name) or len(calls) for name in "ab"},
        rounds=2,
        warmup=1,
    )
    assert calls == list("ababab")
    assert turns.values == {"a": (3.0, 5.0), "b": (4.0, 6.0)}
    assert turns["a"] == 4.0 and turns.medians == {"a": 4.0, "b": 5.0}


def test_a_spread_above_15_percent_is_noisy_and_says_so():
    # by hand: the quartiles of 8, 9, 10, 11, 12 are 9 and 11, so the spread is 2 / 10
    noisy = in_turns({"rate": given_values(8, 9, 10, 11, 12)}, warmup=0)
    assert noisy.spreads == {"rate": pytest.approx(0.2)} and noisy.noisy
    assert str(noisy) == (
        "measured in turns, 5 rounds, largest spread 20%. Above 15%: measure again"
    )
    quiet = in_turns({"rate": given_values(10)})
    assert not quiet.noisy and str(quiet).endswith("largest spread 0%")


@given(
    share=st.floats(0.1, 3.0, allow_nan=False),
    limit=st.floats(1.0, 1e9, allow_nan=False),
)
def test_more_than_the_limit_breaks_the_law_whatever_the_spread(share, limit):
    turns = Turns({"mine": (share * limit,) * 3, "limit": (limit,) * 3}, "limit")
    assert turns.spread == 0
    assert turns.noisy == bool(turns.broken) == (share * limit > limit)
    free = Turns(turns.values)
    assert not free.noisy and not free.broken


def test_a_broken_law_names_the_measurement_and_its_share():
    turns = Turns({"one gather": (119.6,), "limit": (100.0,)}, "limit")
    assert turns.broken == "one gather measured 119.6% of limit, and 100% is the most"
    assert turns.broken in str(turns) and str(turns).endswith("Measure again")


def test_a_law_that_does_not_hold_is_noise():
    assert not Law("two are more than one", True).noisy
    law = Law("two are more than one", False)
    assert law.noisy and "the numbers disagree with a law: two are more than one" in str(law)


def test_a_value_of_zero_that_stays_is_quiet_and_one_that_moves_is_not():
    assert Turns({"x": (0.0, 0.0, 0.0)}).spread == 0
    assert Turns({"x": (-1.0, 0.0, 1.0)}).noisy


@pytest.mark.parametrize(
    "arguments", [{"measures": {}}, {"rounds": 0}, {"warmup": -1}, {"limit": "nothing"}]
)
def test_what_cannot_be_measured_is_refused(arguments):
    with pytest.raises(ValueError, match=r"in_turns needs|limit is the name"):
        in_turns(**{"measures": {"a": lambda: 1}, **arguments})

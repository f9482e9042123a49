"""Promises of going on after a stop. `tt` is your exported package."""

import pytest

from tinytorch.testing import expect

pytestmark = pytest.mark.contract("test_follow")


def all_at_once(plans):
    """A `load` that takes every plan before it hands out the first."""
    return iter(list(plans))


def test_a_bookmark_counts_what_was_handed_out(tt):
    mark, states = tt.Bookmark(4, 0), []
    for _ in mark.follow(iter(range(3)), all_at_once):
        states.append((mark.epoch, mark.batches))
    expect(
        states == [(4, 1), (4, 2), (4, 3)],
        "While a batch is used, `self.batches` counts it already.",
        call="(epoch, batches) while each batch is used",
        got=states,
        want=[(4, 1), (4, 2), (4, 3)],
        look="count before `yield`",
    )


def test_at_the_end_a_bookmark_stands_before_the_next_epoch(tt):
    mark = tt.Bookmark(4, 1)
    got = list(mark.follow(iter(range(3)), iter))
    expect(
        got == [1, 2] and (mark.epoch, mark.batches) == (5, 0),
        "After the last batch the bookmark stands before the next epoch: `epoch + 1`,"
        " 0 batches.",
        call="Bookmark(4, 1).follow(plan of 3, load), then (epoch, batches)",
        got=f"batches {got}, then {(mark.epoch, mark.batches)}",
        want="batches [1, 2], then (5, 0)",
        look="the lines below the loop",
    )


def test_a_bookmark_in_the_middle_skips_without_loading(tt):
    loaded = []

    def load(plans):
        loaded[:] = plans
        return iter([plan * 10 for plan in loaded])

    got = list(tt.Bookmark(0, 2).follow(iter(range(5)), load))
    expect(
        got == [20, 30, 40],
        "The batches of the plan that are still to come are handed out, in order.",
        call="Bookmark(0, 2).follow(plan of 5, load)",
        got=got,
        want=[20, 30, 40],
    )
    expect(
        loaded == [2, 3, 4],
        "The first `self.batches` plans are skipped, and never loaded.",
        call="plans that were loaded",
        got=loaded,
        want=[2, 3, 4],
        look="skip plans, not batches",
    )


def test_a_bookmark_in_the_middle_goes_on_counting(tt):
    mark, states = tt.Bookmark(2, 3), []
    for _ in mark.follow(iter(range(5)), iter):
        states.append((mark.epoch, mark.batches))
    expect(
        states == [(2, 4), (2, 5)],
        "While a batch is used, `self.batches` counts it already.",
        call="Bookmark(2, 3).follow(plan of 5, load); (epoch, batches)",
        got=states,
        want=[(2, 4), (2, 5)],
        look="add to self.batches",
    )


def test_a_load_that_is_ahead_does_not_move_the_bookmark(tt):
    mark = tt.Bookmark()
    batches = mark.follow(iter(range(6)), all_at_once)
    got = [next(batches), next(batches)]
    expect(
        got == [0, 1] and (mark.epoch, mark.batches) == (0, 2),
        "What was handed out counts, not what was loaded ahead.",
        call="a load that takes all plans at once; two batches, then (epoch, batches)",
        got=f"batches {got}, then {(mark.epoch, mark.batches)}",
        want="batches [0, 1], then (0, 2)",
        look="count where you yield",
    )


def test_when_everything_was_handed_out_nothing_is_left(tt):
    mark = tt.Bookmark(1, 3)
    epochs = [list(mark.follow(iter(range(3)), iter)) for _ in range(2)]
    expect(
        epochs == [[], [0, 1, 2]],
        "The batches of the plan that are still to come are handed out, in order.",
        call="Bookmark(1, 3) follows a plan of 3, and once more",
        got=epochs,
        want=[[], [0, 1, 2]],
    )

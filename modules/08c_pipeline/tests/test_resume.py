"""Promises of going on after a stop. `tt` is your exported package."""

import json

import numpy as np
import pytest

from tinytorch.testing import expect, expect_raises

pytestmark = pytest.mark.contract("contract_resume")


def all_at_once(plans):
    """A `load` that takes every plan before it hands out the first."""
    return list(plans)


def test_a_bookmark_counts_what_was_handed_out(tt):
    mark, states = tt.Bookmark(4, 0), []
    for _ in mark.follow(iter(range(3)), all_at_once):
        states.append((mark.epoch, mark.batches))
    expect(
        states == [(4, 1), (4, 2), (4, 3)],
        "A batch is counted when it is handed out.",
        call="(epoch, batches) while each batch is used",
        got=states,
        want=[(4, 1), (4, 2), (4, 3)],
        look="count before `yield`",
    )
    expect(
        (mark.epoch, mark.batches) == (5, 0),
        "After the last batch the bookmark stands before the next epoch.",
        call="(epoch, batches)",
        got=(mark.epoch, mark.batches),
        want=(5, 0),
    )


def test_a_bookmark_in_the_middle_skips_without_loading(tt):
    loaded = []

    def load(plans):
        loaded[:] = plans
        return [plan * 10 for plan in loaded]

    got = list(tt.Bookmark(0, 2).follow(iter(range(5)), load))
    expect(
        got == [20, 30, 40],
        "The rest of the plan is handed out.",
        call="Bookmark(0, 2).follow(plan of 5, load)",
        got=got,
        want=[20, 30, 40],
    )
    expect(
        loaded == [2, 3, 4],
        "What was handed out before is not loaded again.",
        call="plans that were loaded",
        got=loaded,
        want=[2, 3, 4],
    )
    mark = tt.Bookmark(0, 2)
    next(mark.follow(iter(range(5)), load))
    expect(
        (mark.epoch, mark.batches) == (0, 3),
        "The count goes on from where it was.",
        call="Bookmark(0, 2), one batch later",
        got=(mark.epoch, mark.batches),
        want=(0, 3),
        look="add to self.batches",
    )


def test_a_load_that_is_ahead_does_not_move_the_bookmark(tt):
    mark = tt.Bookmark()
    batches = mark.follow(iter(range(6)), all_at_once)
    next(batches), next(batches)
    expect(
        (mark.epoch, mark.batches) == (0, 2),
        "What counts is what was handed out, not what was loaded.",
        call="a load that takes all plans at once",
        got=(mark.epoch, mark.batches),
        want=(0, 2),
        look="count where you yield",
    )


def chain(tt, seed=None):
    return (
        tt.pipeline({"x": np.arange(30)}, seed=seed).shuffle(buffer_size=64e-6).batch(4)
    )


def test_another_loader_goes_on_with_the_exact_next_batch(tt):
    whole = [batch["x"].tolist() for batch in chain(tt, 6)]
    for stop in (0, 3, 8):
        first = chain(tt, 6)
        batches = iter(first)
        got = [next(batches)["x"].tolist() for _ in range(stop)]
        state = json.loads(json.dumps(first.state_dict()))
        second = chain(tt)
        second.load_state_dict(state)
        got += [batch["x"].tolist() for batch in second]
        expect(
            got == whole,
            "A state gives exactly the rest of the epoch.",
            call=f"{stop} batches, state_dict, load_state_dict elsewhere, the rest",
            got=got,
            want=whole,
            look="does anything random come from elsewhere than the seed?",
        )


def test_the_epoch_after_the_resumed_one_is_the_next(tt):
    straight = chain(tt, 9)
    epochs = [[batch["x"].tolist() for batch in straight] for _ in range(3)]
    first = chain(tt, 9)
    list(first)
    batches = iter(first)
    next(batches)
    second = chain(tt, 1)
    second.load_state_dict(first.state_dict())
    got = [[batch["x"].tolist() for batch in second] for _ in range(2)]
    expect(
        got == [epochs[1][1:], epochs[2]],
        "After the rest of epoch 1 comes all of epoch 2.",
        call="a state from the middle of epoch 1",
        got=got,
        want=[epochs[1][1:], epochs[2]],
        look="what does the bookmark say after the last batch?",
    )


def test_a_state_of_another_chain_is_refused(tt):
    first = chain(tt, 6)
    list(first)
    other = tt.pipeline({"x": np.arange(30)}).shuffle(buffer_size=64e-6).batch(5)
    expect_raises(
        ValueError,
        lambda: other.load_state_dict(first.state_dict()),
        "A state that belongs to other batches is refused.",
        says="batch",
        call="load_state_dict of a loader with batch(4) in one with batch(5)",
    )

"""Promises of the steps and of transforms. `tt` is your exported package."""

import numpy as np
import pytest

from tinytorch.testing import expect, expect_raises

pytestmark = pytest.mark.contract("contract_steps")


def columns(count=10):
    return {"x": np.arange(count), "y": 10 * np.arange(count), "z": np.ones(count)}


def test_a_step_gives_new_steps_and_leaves_the_old_ones(tt):
    before = {"shuffle": {"shuffle": True}}
    after = tt.add_step(before, "batch", {"batch_size": 4})
    expect(
        after == {"shuffle": {"shuffle": True}, "batch": {"batch_size": 4}},
        "The new steps are the old ones and the new one.",
        call='add_step({"shuffle": ...}, "batch", {"batch_size": 4})',
        got=after,
        want="shuffle and batch",
        look="what does it return?",
    )
    expect(
        before == {"shuffle": {"shuffle": True}},
        "The steps that were passed stay as they were.",
        call="the dict that was passed",
        got=before,
        want="shuffle only",
        look="make a new dict",
    )
    expect_raises(
        ValueError,
        lambda: tt.add_step(after, "shuffle", {}),
        "A step that is taken twice is a ValueError that names it.",
        says=["shuffle", "already"],
        call='add_step({"shuffle": ..., "batch": ...}, "shuffle", {})',
        look="look at all steps, not at the last one",
    )


def test_loaders_share_a_beginning(tt):
    base = tt.pipeline(columns()).transform({"x": None})
    small, large = base.batch(2), base.batch(5)
    got = [len(list(loader)) for loader in (small, large, base)]
    expect(
        got == [5, 2, 10],
        "Steps that are taken from one loader do not meet each other.",
        call="base.batch(2), base.batch(5), base: batches an epoch",
        got=got,
        want=[5, 2, 10],
        look="add_step must not change the dict that it is given",
    )


def test_every_step_twice_is_refused(tt):
    base = tt.pipeline(columns())
    twice = {
        "batch": lambda loader: loader.batch(2),
        "offset": lambda loader: loader.offset(1),
        "shuffle": lambda loader: loader.shuffle(False),
        "transform": lambda loader: loader.transform({"x": None}),
        "sample_by": lambda loader: loader.sample_by(np.ones(10)),
    }
    for name, step in twice.items():
        loader = step(base)
        expect_raises(
            ValueError,
            lambda: step(loader),
            "A step that is taken twice is a ValueError that names it.",
            says=[name, "already"],
            call=f"loader.{name}(...).{name}(...)",
            look="add_step",
        )


def test_a_dict_of_functions_chooses_the_columns(tt):
    row = {"x": 3, "y": 5, "z": 7}
    got = tt.apply_transform(row, {"z": None, "x": lambda value: value + 1}, {})
    expect(
        got == {"z": 7, "x": 4} and list(got) == ["z", "x"],
        "A dict of functions chooses the columns, in its order; None keeps a value.",
        call=(
            'apply_transform({"x": 3, "y": 5, "z": 7}, {"z": None, "x": plus one}, {})'
        ),
        got=got,
        want={"z": 7, "x": 4},
        look="loop over the transform",
    )
    expect(
        row == {"x": 3, "y": 5, "z": 7},
        "The row that is passed is not changed.",
        call="row, afterwards",
        got=row,
        want="as it was",
    )


def test_a_function_gets_the_whole_row_and_the_arguments(tt):
    got = tt.apply_transform(
        {"x": 3, "y": 5},
        lambda row, factor: {"sum": factor * (row["x"] + row["y"])},
        {"factor": 2},
    )
    expect(
        got == {"sum": 16},
        "A function is called with the whole row and the kwargs; what it returns is the"
        " result.",
        call="apply_transform({'x': 3, 'y': 5}, f, {'factor': 2})",
        got=got,
        want={"sum": 16},
        look="transform(row, **kwargs)",
    )


def test_transforms_reach_the_batches(tt):
    loader = (
        tt.pipeline(columns(4))
        .transform({"y": lambda value: value + 1, "x": None})
        .batch(4)
    )
    batch = next(iter(loader))
    expect(
        list(batch) == ["y", "x"],
        "Only the columns that the transform names come out.",
        call="keys of a batch",
        got=list(batch),
        want=["y", "x"],
    )
    expect(
        batch["y"].tolist() == [1, 11, 21, 31],
        "Each row goes through the transform once.",
        call="column y, plus one",
        got=batch["y"].tolist(),
        want=[1, 11, 21, 31],
    )

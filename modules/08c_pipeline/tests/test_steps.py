"""Promises of the steps and of transforms. `tt` is your exported package."""

import numpy as np
import pytest

from tinytorch.testing import expect, expect_raises


def raised(action):
    """The error that `action` raises, as it is shown: "KeyError: 'x'"."""
    try:
        action()
    except NotImplementedError:  # your turn
        raise
    except (
        AttributeError,
        LookupError,
        OSError,
        RuntimeError,
        TypeError,
        ValueError,
    ) as problem:
        return f"{type(problem).__name__}: {problem}"
    return "no error"


def taken(tt, steps, name, settings):
    after = tt.add_step(steps, name, settings)
    return {"before": list(steps), "after": list(after), "same": after is steps}


@pytest.mark.contract("test_add_step")
def test_a_step_comes_after_the_old_ones(tt):
    after = tt.add_step({"shuffle": {"shuffle": True}}, "batch", {"batch_size": 4})
    want = {"shuffle": {"shuffle": True}, "batch": {"batch_size": 4}}
    expect(
        after == want and list(after) == ["shuffle", "batch"],
        "The new dict holds everything in `steps`, and `name: settings`.",
        call='add_step({"shuffle": ...}, "batch", {"batch_size": 4})',
        got=after,
        want=want,
        look="return one dict: the old steps, and `settings` itself under `name`",
    )


@pytest.mark.contract("test_add_step")
def test_a_step_leaves_the_old_steps_as_they_were(inside):
    got = inside(taken, {"shuffle": {"shuffle": True}}, "batch", {"batch_size": 4})
    expect(
        got["before"] == ["shuffle"] and not got["same"],
        "The dict returned is a new one; `steps` is not changed.",
        call='steps, after add_step(steps, "batch", {"batch_size": 4})',
        got=got["before"],
        want=["shuffle"],
        look="make a new dict",
    )
    expect(
        got["after"] == ["shuffle", "batch"],
        "The new dict holds everything in `steps`, and `name: settings`.",
        call='list(add_step({"shuffle": {"shuffle": True}}, "batch", {"batch_size":'
        " 4}))",
        got=got["after"],
        want=["shuffle", "batch"],
        look="return one dict: the old steps, then the new one",
    )


@pytest.mark.contract("test_add_step")
def test_a_step_that_is_taken_twice_is_refused(tt):
    steps = tt.add_step({"shuffle": {"shuffle": True}}, "batch", {"batch_size": 4})
    expect(
        "shuffle" in steps,
        "The new dict holds everything in `steps`, and `name: settings`.",
        call='add_step({"shuffle": ...}, "batch", ...)',
        got=steps,
        want="shuffle and batch",
        look="return one dict: the old steps, and `settings` itself under `name`",
    )
    for name in ("shuffle", "batch"):
        expect_raises(
            ValueError,
            lambda: tt.add_step(steps, name, {}),
            "A name that is in `steps` already raises `ValueError`: `.batch() has"
            " already been called`.",
            says=[name, "already"],
            call=f'add_step({{"shuffle": ..., "batch": ...}}, "{name}", {{}})',
            look="is `name in steps` asked of all steps, not of the last one alone? the"
            " ValueError says the name and `already`",
        )


@pytest.mark.contract("test_add_step")
def test_a_name_is_a_key_and_nothing_else(tt):
    after = tt.add_step({"shuffle": {"batch": 3}, "batches": {}}, "batch", {})
    expect(
        after == {"shuffle": {"batch": 3}, "batches": {}, "batch": {}},
        "The new dict holds everything in `steps`, and `name: settings`.",
        call='add_step({"shuffle": {"batch": 3}, "batches": {}}, "batch", {})',
        got=after,
        want={"shuffle": {"batch": 3}, "batches": {}, "batch": {}},
        look="only a key of `steps` is a step that was taken",
    )
    expect(
        list(after) == ["shuffle", "batches", "batch"],
        "The new step comes last; the old ones keep their order.",
        call='list(add_step({"shuffle": ..., "batches": ...}, "batch", {}))',
        got=list(after),
        want=["shuffle", "batches", "batch"],
        look="what comes first in your new dict, the old steps or the new one?",
    )
    expect_raises(
        ValueError,
        lambda: tt.add_step({"numpy": {}, "batch": {"n": 1}}, "numpy", {"n": 2}),
        "A name that is in `steps` already raises `ValueError`: `.batch() has already"
        " been called`.",
        says=["numpy", "already"],
        call='add_step({"numpy": {}, "batch": {"n": 1}}, "numpy", {"n": 2})',
        look="is `name in steps` asked, whatever the settings are?",
    )


@pytest.mark.contract("test_add_step")
def test_every_step_of_a_loader_twice_is_refused(tt):
    base = tt.pipeline({"x": np.arange(10)})
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
            "A name that is in `steps` already raises `ValueError`: `.batch() has"
            " already been called`.",
            says=[name, "already"],
            call=f"loader.{name}(...).{name}(...)",
            look="add_step: is `name in steps` asked before the new dict is made?",
        )


def row_afterwards(tt, row, names):
    changes = {name: (lambda value: value + 1) for name in names}
    return [tt.apply_transform(row, changes, {}), row]


def row_after_a_function(tt, row):
    return [tt.apply_transform(row, lambda columns: {"x": -columns["x"]}, {}), row]


@pytest.mark.contract("test_apply_transform")
def test_a_dict_of_functions_chooses_the_columns(tt):
    got = tt.apply_transform(
        {"x": 3, "y": 5, "z": 7}, {"z": None, "x": lambda value: value + 1}, {}
    )
    expect(
        isinstance(got, dict) and got.get("z") == 7,
        "None in a dict keeps the value of its column.",
        call=(
            'apply_transform({"x": 3, "y": 5, "z": 7}, {"z": None, "x": plus one}, {})'
        ),
        got=got,
        want={"z": 7, "x": 4},
        look="None is not a function: the column stays in the result, as it is",
    )
    expect(
        got == {"z": 7, "x": 4} and list(got) == ["z", "x"],
        "A dict chooses the columns: the result has those that it names, in its order.",
        call=(
            'apply_transform({"x": 3, "y": 5, "z": 7}, {"z": None, "x": plus one}, {})'
        ),
        got=got,
        want={"z": 7, "x": 4},
        look="which of the two do you loop over, the row or the transform?",
    )


@pytest.mark.contract("test_apply_transform")
def test_a_transform_leaves_the_row_as_it_was(inside):
    got, row = inside(row_afterwards, {"x": 3, "y": 5, "z": 7}, ["z", "x"])
    expect(
        got == {"z": 8, "x": 4},
        "A function in a dict is called once, with the value of its column.",
        call="apply_transform(row, {'z': plus one, 'x': plus one}, {})",
        got=got,
        want={"z": 8, "x": 4},
        look="call the function on the value of its column, and keep what it returns",
    )
    expect(
        row == {"x": 3, "y": 5, "z": 7},
        "The row that is passed is not changed.",
        call="row, after apply_transform(row, {'z': plus one, 'x': plus one}, {})",
        got=row,
        want={"x": 3, "y": 5, "z": 7},
        look="build a new dict",
    )


@pytest.mark.contract("test_apply_transform")
def test_a_function_of_the_row_leaves_the_row_as_it_was(inside):
    got, row = inside(row_after_a_function, {"x": 3, "y": 5})
    expect(
        got == {"x": -3},
        "Whatever a function returns is the result, even None or 0.",
        call='apply_transform({"x": 3, "y": 5}, a function that returns {"x": -x}, {})',
        got=got,
        want={"x": -3},
        look="return what the function returned, and nothing beside it",
    )
    expect(
        row == {"x": 3, "y": 5},
        "The row that is passed is not changed.",
        call='row, after apply_transform(row, f, {}); f returns {"x": -x}',
        got=row,
        want={"x": 3, "y": 5},
        look="what a function returns belongs into the result alone",
    )


@pytest.mark.contract("test_apply_transform")
def test_a_function_gets_the_whole_row_and_the_arguments(tt):
    got = tt.apply_transform(
        {"x": 3, "y": 5},
        lambda row, factor=1: {"sum": factor * (row["x"] + row["y"])},
        {"factor": 2},
    )
    expect(
        got == {"sum": 16},
        "A function of the row is called once, as `transform(row, **kwargs)`.",
        call="apply_transform({'x': 3, 'y': 5}, f, {'factor': 2}); f(row, factor=1)"
        " returns {'sum': factor * (x + y)}",
        got=got,
        want={"sum": 16},
        look="transform(row, **kwargs)",
    )


@pytest.mark.contract("test_apply_transform")
def test_without_a_transform_the_row_stays_as_it_is(tt):
    got = tt.apply_transform({"x": 3, "y": 5}, None, {"factor": 2})
    expect(
        got == {"x": 3, "y": 5},
        "Without a transform (None) the row is returned unchanged.",
        call='apply_transform({"x": 3, "y": 5}, None, {"factor": 2})',
        got=got,
        want={"x": 3, "y": 5},
        look="which line of your code is for a transform that is None?",
    )


@pytest.mark.contract("test_apply_transform")
def test_a_dict_of_functions_ignores_the_arguments(tt):
    def minus(value, **arguments):
        return -value - 100 * len(arguments)

    got = tt.apply_transform({"x": 3}, {"x": minus}, {"scale": 10})
    expect(
        got == {"x": -3},
        "A dict ignores `kwargs`.",
        call='apply_transform({"x": 3}, {"x": minus}, {"scale": 10})',
        got=got,
        want={"x": -3},
        look="what do you give to the function of a column beside its value?",
    )


@pytest.mark.contract("test_apply_transform")
def test_a_dict_without_columns_chooses_none(tt):
    got = tt.apply_transform({"x": 3, "y": 5}, {}, {})
    expect(
        got == {},
        "A dict chooses the columns: the result has those that it names, in its order.",
        call='apply_transform({"x": 3, "y": 5}, {}, {})',
        got=got,
        want={},
        look="an empty dict is a dict that names no column; `not {}` is true, too",
    )


@pytest.mark.contract("test_apply_transform")
def test_whatever_a_function_returns_is_the_result(tt):
    row = {"x": 3, "y": 5}
    for value in (None, 0, "", False):
        got = [
            tt.apply_transform(row, lambda whole: value, {}),
            tt.apply_transform(row, {"y": lambda one: value}, {}),
        ]
        expect(
            got == [value, {"y": value}] and type(got[0]) is type(value),
            "Whatever a function returns is the result, even None or 0.",
            call="apply_transform(row, f, {}) and apply_transform(row, {'y': f}, {});"
            f" f returns {value!r}",
            got=got,
            want=[value, {"y": value}],
            look="a result that counts as false is a result, and so is None",
        )


@pytest.mark.contract("test_apply_transform")
def test_a_transform_is_called_once(tt):
    seen = []

    def noting(value, **arguments):
        seen.append((value, arguments))
        return 1

    tt.apply_transform({"x": 3, "y": 5}, noting, {"factor": 2})
    expect(
        seen == [({"x": 3, "y": 5}, {"factor": 2})],
        "A function of the row is called once, as `transform(row, **kwargs)`.",
        call='apply_transform({"x": 3, "y": 5}, f, {"factor": 2})',
        got=f"f was called with {seen}",
        want="f was called with {'x': 3, 'y': 5} and factor=2, once",
        look="transform(row, **kwargs), in one place of your code",
    )
    seen.clear()
    tt.apply_transform({"x": 3, "y": 5}, {"y": noting, "x": None}, {})
    expect(
        seen == [(5, {})],
        "A function in a dict is called once, with the value of its column.",
        call='apply_transform({"x": 3, "y": 5}, {"y": f, "x": None}, {})',
        got=f"f was called with {[value for value, _ in seen]}",
        want="f was called with [5]",
        look="where is the function called? once for its column is enough",
    )


@pytest.mark.contract("test_apply_transform")
def test_an_error_of_a_transform_passes_through(tt):
    calls = []
    for error in (
        TypeError("no number"),
        KeyError("x"),
        AttributeError("no such column"),
        ValueError("broken image"),
        OSError("disk gone"),
    ):

        def fails(value, **arguments):
            calls.append(value)
            raise error

        for kind, transform in (("f", fails), ("{'x': f}", {"x": fails})):
            calls.clear()
            got = raised(lambda: tt.apply_transform({"x": 3}, transform, {}))
            want = f"{type(error).__name__}: {error}"
            expect(
                got == want and len(calls) == 1,
                "An error of a transform reaches the caller unchanged, without a"
                " retry.",
                call=f"apply_transform({{'x': 3}}, {kind}, {{}}); f raises {want}",
                got=f"{got}, calls: {len(calls)}",
                want=f"{want}, calls: 1",
                look="is the function called again after its error?"
                if got == want
                else "is the error caught on its way? it needs no `try`",
            )

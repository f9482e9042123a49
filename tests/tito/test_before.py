"""Modules that build on other modules: which these are, and the message that a student reads when
one of them was not exported.
"""

import json

import pytest

from tito.errors import WorkError
from tito.workspace import Workspace


@pytest.fixture
def add_module(course):
    """add_module("08", "second", ["07_adder"]) writes a folder; it returns the module."""

    def add(number, short, after, imports=True):
        needs = [f"tinytorch.core.{name.partition('_')[2]}" for name in after if imports]
        folder = course.root / "modules" / f"{number}_{short}"
        folder.mkdir()
        (folder / "module.toml").write_text(
            f'number = "{number}"\ntitle = "T"\nexport = "tinytorch/core/{short}.py"\nnotebook ='
            f' "{short}_dev"\nafter = {json.dumps(after)}\nneeds = {json.dumps(needs)}\n',
            encoding="utf-8",
        )
        return course.workspace.module(number)

    return add


def names(modules):
    return [module.name for module in modules]


def test_what_comes_before_is_transitive_and_earliest_first(course, add_module):
    add_module("09", "second", ["07_adder"])
    add_module("08", "third", ["07_adder", "09_second"])
    last = add_module("10", "last", ["08_third", "09_second"])
    assert names(course.workspace.before(last)) == ["07_adder", "09_second", "08_third"]
    assert course.workspace.before(course.module) == []


def test_a_circle_of_modules_ends(course, add_module):
    add_module("08", "one", ["09_two"])
    two = add_module("09", "two", ["08_one"])
    assert names(course.workspace.before(two)) == ["08_one"]


def test_a_module_that_does_not_exist_is_left_out(course, add_module):
    assert course.workspace.before(add_module("08", "one", ["99_nowhere"])) == []


def test_testing_a_module_without_the_one_before_names_the_command(course, add_module, tito):
    module = add_module("08", "second", ["07_adder"])
    notebook = course.load()
    module.notebook.write_text(json.dumps(notebook), encoding="utf-8")
    code, _, err = tito("test", "08")
    assert code == 1
    assert "08_second uses what you built in 07_adder" in err
    assert "tito export 07" in err
    course.solve()
    assert tito("export", "07")[0] == 0
    Workspace(course.root).refuse_gaps(module)


def test_a_gap_is_refused_and_nothing_else(course, add_module):
    add_module("08", "second", ["07_adder"])
    third = add_module("09", "third", ["08_second"])
    with pytest.raises(WorkError, match="tito export 07 and tito export 08"):
        course.workspace.refuse_gaps(third)
    course.workspace.refuse_gaps(course.module)


def test_a_module_that_imports_nothing_of_the_one_before_has_no_gap(course, add_module):
    second = add_module("08", "second", ["07_adder"], imports=False)
    third = add_module("09", "third", ["08_second"])
    assert course.workspace.gaps(second) == []
    assert names(course.workspace.gaps(third)) == ["08_second"]

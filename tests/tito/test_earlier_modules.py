"""Modules that build on other modules, and what a student reads when one was not exported."""

import pytest

from tito.errors import WorkError


def names(modules):
    return [module.name for module in modules]


def test_what_comes_before_is_transitive_and_earliest_first(course):
    course.add_module("09_second", ["07_adder"])
    course.add_module("08_third", ["07_adder", "09_second", "99_nowhere"])
    last = course.add_module("10_last", ["08_third", "09_second"])
    assert names(course.workspace.before(last)) == ["07_adder", "09_second", "08_third"]
    assert course.workspace.before(course.module) == []


def test_a_gap_is_refused_with_the_command_that_fills_it_and_nothing_else(course, tito):
    second = course.add_module("08_second", ["07_adder"], ["tinytorch.core.adder"])
    third = course.add_module("09_third", ["08_second"], ["tinytorch.core.second"])
    second.notebook.write_bytes(course.module.notebook.read_bytes())
    code, _, err = tito("test", "08")
    assert code == 1 and "tito export 07" in err
    assert "08_second uses what you built in 07_adder" in err
    tito("start", "08", "--no-open")
    assert "next: tito export 07" in tito("status")[1]
    with pytest.raises(WorkError, match="tito export 07 and tito export 08"):
        course.workspace.refuse_gaps(third)
    course.workspace.refuse_gaps(course.module)
    course.solve()
    assert tito("export", "07")[0] == 0
    course.workspace.refuse_gaps(second)


def test_a_module_that_imports_nothing_of_the_one_before_has_no_gap(course):
    second = course.add_module("08_second", ["07_adder"])
    third = course.add_module("09_third", ["08_second"], ["tinytorch.core.second"])
    assert course.workspace.gaps(second) == []
    assert names(course.workspace.gaps(third)) == ["08_second"]

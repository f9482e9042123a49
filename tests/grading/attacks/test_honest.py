"""Honest work is safe: unusual but legal notebooks earn every point and no flag."""

from __future__ import annotations

import dataclasses
import json

import pytest

from attacks import real_course
from attacks.conftest import LIMITS, chosen, fight, level_of
from attacks.honest import SLOW_SHARE
from grading.engine.run.autograde import Limits
from helpers.tiny_class import grade


@pytest.fixture(scope="session")
def honest_class(request, tmp_path_factory):
    level, isolated = level_of(request)
    limits = dataclasses.replace(
        LIMITS, cell_seconds=5, notebook_seconds=20, contract_seconds=40, test_seconds=10
    )
    entries = [
        dataclasses.replace(
            one, build=lambda released, world, build=one.build: build(released, slow(world, limits))
        )
        for one in chosen(request)
    ]
    yield from fight(
        tmp_path_factory.mktemp("honest"),
        entries,
        isolated,
        every=10**9,
        limits=limits,
        level=level,
    )


def slow(world, limits: Limits):
    """The world with `slow` set: the seconds that the slow solution sleeps in each of the two calls
    in a test cell.
    """
    return dataclasses.replace(world, slow=SLOW_SHARE * limits.cell_seconds / 2)


def test_honest_work_earns_every_point_and_no_flag(honest_class, entry):
    student = next(
        student for student, one in honest_class.arena.students.items() if one.name == entry.name
    )
    report = honest_class.arena.report(student)
    assert real_course.shortcomings(report) == []
    assert report["status"] == "graded"


def test_honest_work_leaves_nothing_behind_either(honest_class):
    assert honest_class.after.processes - honest_class.before.processes == set()
    assert honest_class.after.scratch == honest_class.before.scratch


MODULES = sorted(
    path.parent.name.partition("_")[0]
    for path in real_course.REPOSITORY.glob("modules/*/module.toml")
)


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.long] * (name != "08")) for name in MODULES],
)
def test_the_reference_of_a_module_earns_every_point_and_no_flag(tmp_path, name):
    """Nothing in the repository is changed. That other right solutions hold the same laws is point
    4 of `tito dev check`.
    """
    course, module = real_course.build(tmp_path, name)
    grade(course, module, students=["reference"])
    report = json.loads(course.report("reference", module).read_text(encoding="utf-8"))
    assert real_course.shortcomings(report) == []

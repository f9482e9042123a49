"""Honest work is safe: unusual but legal notebooks earn every point and no flag."""

from __future__ import annotations

import dataclasses
import json

import pytest
from tiny_class import grade

from attacks import real_course
from attacks.conftest import LIMITS, chosen, fight, level_of
from attacks.honest import SLOW_SHARE
from grading.authoring.check.subject import ALTERNATIVES
from grading.engine.run.autograde import Limits


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
    folder.parent.name.partition("_")[0]
    for folder in real_course.REPOSITORY.glob("grading/modules/*/right")
)


@pytest.mark.parametrize(
    ("name", "others"),
    [
        pytest.param("08", False, id="reference"),
        *(pytest.param(name, True, marks=pytest.mark.long, id=f"all-{name}") for name in MODULES),
    ],
)
def test_every_right_solution_of_a_module_earns_every_point_and_no_flag(tmp_path, name, others):
    """The reference of module 08, and in the long tests every module's reference and other right
    solutions;
    nothing in the repository is changed.
    """
    course, module = real_course.build(tmp_path, name)
    students = course.students(module) if others else ["reference"]
    grade(course, module, students=students, jobs=2)
    reports = {
        student: json.loads(course.report(student, module).read_text(encoding="utf-8"))
        for student in students
    }
    assert len(reports) >= (1 + ALTERNATIVES if others else 1)
    assert {
        student: found
        for student, report in reports.items()
        if (found := real_course.shortcomings(report))
    } == {}

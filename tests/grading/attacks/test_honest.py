"""Honest work is safe: unusual but legal notebooks earn every point and no flag."""

from __future__ import annotations

import dataclasses
import json
import os

import pytest

from attacks import real_course
from attacks.conftest import LIMITS, fight
from attacks.honest import HONEST, SLOW_SHARE
from grading.engine.run.autograde import Limits, Settings, autograde


@pytest.fixture(scope="session")
def honest_class(tmp_path_factory, isolation):
    limits = dataclasses.replace(
        LIMITS, cell_seconds=5, notebook_seconds=20, contract_seconds=40, test_seconds=10
    )
    entries = [
        dataclasses.replace(
            one, build=lambda released, world, build=one.build: build(released, slow(world, limits))
        )
        for one in HONEST
    ]
    yield from fight(
        tmp_path_factory.mktemp("honest"), entries, isolation, every=10**9, limits=limits
    )


def slow(world, limits: Limits):
    """The world, with the seconds that a slow solution sleeps in each of its two calls in a test
    cell.
    """
    return dataclasses.replace(world, slow=SLOW_SHARE * limits.cell_seconds / 2)


@pytest.mark.parametrize("name", [one.name for one in HONEST])
def test_honest_work_earns_every_point_and_no_flag(name, honest_class):
    student = next(
        student for student, entry in honest_class.arena.students.items() if entry.name == name
    )
    report = honest_class.arena.report(student)
    assert real_course.shortcomings(report) == []
    assert report["status"] == "graded"


def test_honest_work_leaves_nothing_behind_either(honest_class):
    assert honest_class.after.processes - honest_class.before.processes == set()
    assert honest_class.after.scratch == honest_class.before.scratch


@pytest.fixture(scope="session")
def real_class(tmp_path_factory, isolation):
    """Module 08's reference and two alternatives (all of them with ATTACKS=all), graded; nothing
    of the repository is written.
    """
    course, module = real_course.build(tmp_path_factory.mktemp("real"), "08")
    students = (
        course.students(module)
        if os.environ.get("ATTACKS") == "all"
        else ["reference", *course.students(module)[:2]]
    )
    done = autograde(
        course, module, Settings(jobs=2, trust_students=not isolation), students=students
    )
    return {
        one.student: json.loads(course.report(one.student, module).read_text(encoding="utf-8"))
        for one in done
    }


def test_every_right_solution_of_the_module_earns_every_point_and_no_flag(real_class):
    assert len(real_class) >= 3
    assert {
        student: found
        for student, report in real_class.items()
        if (found := real_course.shortcomings(report))
    } == {}

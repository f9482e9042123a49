"""The facts of the class report: marks, the failures of each test, likely misconceptions, and
submissions that need a person.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from grading.engine.class_facts import (
    Belief,
    ClassFacts,
    Flagged,
    Slow,
    Tally,
    Unsettled,
)
from grading.engine.course.directory import Course
from grading.engine.course.reports import Report, need_reports
from grading.engine.course.variants import Variant, read_misconceptions
from grading.engine.marks import tables
from grading.engine.results import CellMark, Flag
from grading.engine.texts import csv_text
from tito.outcome import Outcome

if TYPE_CHECKING:
    from grading.engine.course.assignment import Assignment

SLOWEST = 5  # submissions named in the report


def class_report(course: Course, assignment: Assignment) -> ClassFacts:
    """The facts of the class report.

    Raises:
        WorkError: nothing has been graded yet.
    """
    reports = need_reports(course, assignment)
    slowest = sorted(reports, key=lambda report: -report.seconds)
    return ClassFacts(
        assignment.name,
        tuple(tables.marks(course, assignment)),
        tallies(assignment, reports),
        misconceptions(assignment, reports),
        flagged=tuple(
            Flagged(report.student, _cell(assignment, flag), flag.kind, flag.text)
            for report in reports
            for flag in report.flags
        ),
        review=tuple(
            Unsettled(report.student, report.reasons) for report in reports if report.reasons
        ),
        slowest=tuple(Slow(report.student, report.seconds) for report in slowest if report.seconds)[
            :SLOWEST
        ],
        seconds={report.student: report.seconds for report in reports},
        flags=Counter({report.student: len(report.flags) for report in reports}),
    )


def _cell(assignment: Assignment, found: CellMark | Flag) -> str:
    return assignment.label(found.notebook, found.grade_id or "")


def tallies(assignment: Assignment, reports: list[Report]) -> tuple[Tally, ...]:
    """The results of each test of the notebook and each contract test, the test that fewest pass
    first.
    """
    met: dict[tuple[str, str], list[Outcome]] = {}
    points: dict[tuple[str, str], float] = {}
    for report in reports:
        for mark in report.cells:
            if mark.kind == "question":
                continue
            for outcome in mark.tests or (mark.outcome,):
                key = (_cell(assignment, mark), mark.name_of(outcome))
                points.setdefault(key, mark.max_points)
                met.setdefault(key, []).append(outcome)
    found = [_count(*key, points[key], outcomes) for key, outcomes in met.items()]
    return tuple(
        sorted(
            found,
            key=lambda one: (2 if one.fraction is None else one.fraction, one.cell, one.test),
        )
    )


def _count(cell: str, test: str, points: float, outcomes: list[Outcome]) -> Tally:
    statuses = Counter(outcome.status for outcome in outcomes)
    said = Counter(
        " ".join((one.promise or one.message or one.status).split())[:300]
        for one in outcomes
        if one.status in ("fail", "error", "timeout")
    )
    return Tally(
        cell,
        test,
        points,
        met=len(outcomes) - statuses["not_run"],
        passed=statuses["pass"],
        stub=statuses["your_turn"],
        not_run=statuses["not_run"],
        said=said.most_common(1)[0] if said else None,
    )


def misconceptions(assignment: Assignment, reports: list[Report]) -> tuple[Belief, ...]:
    """Likely misconceptions of failing students, from the catalogue
    grading/misconceptions/<module>/, the most frequent first.

    A misconception is counted where the test that catches it failed with the sentence that its file
    names.
    """
    module = assignment.module
    folder = (
        module.root / "grading" / "misconceptions" / assignment.name if module is not None else None
    )
    if folder is None or not folder.is_dir():
        return ()
    beliefs: dict[tuple[str, str], list[Variant]] = {}
    for variant in read_misconceptions(folder)[0]:
        beliefs.setdefault((variant.caught_by, " ".join(variant.reads.split())), []).append(variant)
    found = []
    for (caught_by, sentence), variants in beliefs.items():
        students = tuple(
            sorted(
                report.student
                for report in reports
                if any(sentence in text for text in _failed(report, caught_by))
            )
        )
        if students:
            found.append(
                Belief(
                    tuple(variant.believed for variant in variants),
                    tuple(sorted({variant.exercise for variant in variants})),
                    caught_by,
                    sentence,
                    students,
                )
            )
    return tuple(sorted(found, key=lambda one: (-len(one.students), one.test, one.reads)))


def _failed(report: Report, name: str) -> list[str]:
    """The messages that the student read where the test of this name failed, one line each."""
    named = [
        (test.test or mark.grade_id, test)
        for mark in report.cells
        for test in (mark.outcome, *mark.tests)
    ]
    passed_over = ("pass", "not_run", "your_turn", "waits")
    return [
        test.on_screen
        for called, test in named
        if called == name and test.status not in passed_over
    ]


def marks_csv(facts: ClassFacts) -> str:
    """A line per student."""
    names = list(facts.students[0].cells) if facts.students else []
    columns = (
        "student",
        "status",
        "total",
        "penalty",
        "final",
        "max",
        "waiting",
        "late_seconds",
        "seconds",
        "flags",
    )
    lines = []
    for one in facts.as_json()["students"]:
        points = (one["cells"][name] for name in names)
        lines.append([*(one[column] for column in columns), *points])
    return csv_text([*columns, *names], lines)


def tests_csv(facts: ClassFacts) -> str:
    """A line per test, the one that fewest pass first."""
    columns = ("cell", "test", "points", "met", "passed", "fraction", "stub", "not_run")
    lines = [
        [*(getattr(one, name) for name in columns), *(one.said or ("", 0))] for one in facts.tests
    ]
    return csv_text([*columns, "said", "said_count"], lines)

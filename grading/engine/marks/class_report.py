"""What a class's work shows: marks, each test's failures, what students seem to believe, and who
needs a person.
"""

from __future__ import annotations

import statistics
from collections import Counter
from typing import TYPE_CHECKING, Any

from grading.engine.course.directory import Course
from grading.engine.course.reports import need_reports
from grading.engine.marks import tables
from grading.engine.texts import csv_text

if TYPE_CHECKING:
    from grading.engine.course.assignment import Assignment

SLOWEST = 5  # submissions named in the report
# of the table of marks
COLUMNS = ("student", "status", "total", "penalty", "final", "max", "waiting", "late_seconds")


def class_report(course: Course, assignment: Assignment) -> dict[str, Any]:
    """The facts of the report as plain data; points are after late penalties unless a name says
    otherwise.

    Raises:
        WorkError: nothing was graded yet.
    """
    reports = need_reports(course, assignment)
    rows = tables.marks(course, assignment)
    graded = [row for row in rows if row["status"] != "missing"]
    by_student = {report["student"]: report for report in reports}
    tests = test_table(assignment, reports)
    return {
        "schema": 1,
        "assignment": assignment.name,
        "max_points": rows[0]["max"] if rows else 0.0,
        "graded": len(graded),
        "missing": [row["student"] for row in rows if row["status"] == "missing"],
        "marks": distribution([row["final"] for row in graded]),
        "waiting": sum(row["waiting"] for row in rows),
        "students": [
            {
                **{key: row[key] for key in COLUMNS},
                "seconds": by_student.get(row["student"], {}).get("seconds"),
                "flags": len(by_student.get(row["student"], {}).get("flags", ())),
                "cells": row["cells"],
            }
            for row in rows
        ],
        "tests": tests,
        "misconceptions": misconceptions(assignment, reports),
        "slowest": sorted(
            (
                {"student": report["student"], "seconds": report["seconds"]}
                for report in reports
                if report.get("seconds")
            ),
            key=lambda one: -one["seconds"],
        )[:SLOWEST],
        "flagged": [
            {
                "student": report["student"],
                "cell": _cell(assignment, flag),
                "kind": flag.get("kind", ""),
                "text": flag["text"],
            }
            for report in reports
            for flag in report.get("flags", ())
        ],
        "review": [
            {"student": report["student"], "reasons": report["reasons"]}
            for report in reports
            if report["reasons"]
        ],
        "late": [
            {key: row[key] for key in ("student", "late_seconds", "total", "penalty", "final")}
            for row in rows
            if row["late_seconds"] > 0
        ],
    }


def distribution(points: list[float]) -> dict[str, Any]:
    """Marks, sorted, with their median and quartiles (of the middle, as the statistics module's
    "inclusive" method has them).
    """
    found: dict[str, Any] = {
        "points": sorted(points),
        "median": None,
        "quartiles": None,
        "mean": None,
    }
    if points:
        found.update(
            median=round(statistics.median(points), 2), mean=round(statistics.fmean(points), 2)
        )
    if len(points) > 1:
        found["quartiles"] = [
            round(value, 2) for value in statistics.quantiles(points, n=4, method="inclusive")
        ]
    return found


def _cell(assignment: Assignment, row: dict[str, Any]) -> str:
    return assignment.label(
        {"notebook": row.get("notebook") or assignment.stem, "grade_id": row.get("grade_id") or ""}
    )


def test_table(assignment: Assignment, reports: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A dict per test of the notebook and per contract test, the one that fewest pass first.

    `met` counts the submissions where it could be run, `stub` of them met an unsolved exercise,
    `not_run` ones are outside of `met`. `said` is what the failing ones read most often, with its
    count; `points` is what the cell is worth.
    """
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for report in reports:
        for row in report["cells"]:
            if row["kind"] == "question":
                continue
            for test in row["tests"] or [row]:
                key = (_cell(assignment, row), test.get("test", ""))
                one = found.setdefault(
                    key,
                    {
                        "cell": key[0],
                        "test": key[1],
                        "points": row["max_points"],
                        "met": 0,
                        "passed": 0,
                        "stub": 0,
                        "not_run": 0,
                        "said": Counter(),
                    },
                )
                status = test["status"]
                one["not_run"] += status == "not_run"
                one["met"] += status != "not_run"
                one["passed"] += status == "pass"
                one["stub"] += status == "your_turn"
                if status in ("fail", "error", "timeout"):
                    said = test.get("promise") or test.get("message") or status
                    one["said"][" ".join(str(said).split())[:300]] += 1
    for one in found.values():
        one["said"] = one["said"].most_common(1)[0] if one["said"] else None
        one["fraction"] = round(one["passed"] / one["met"], 4) if one["met"] else None
    return sorted(
        found.values(),
        key=lambda one: (
            2 if one["fraction"] is None else one["fraction"],
            one["cell"],
            one["test"],
        ),
    )


def misconceptions(assignment: Assignment, reports: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What failing students seem to believe, by the catalogue grading/misconceptions/<module>/; the
    most frequent first.

    A belief is met where the test that catches it failed with the sentence that it makes a student
    read. Several beliefs may lead to one sentence; they are listed together, since the sentence
    alone does not tell them apart.
    """
    from grading.engine.course.variants import read_misconceptions

    module = assignment.module
    folder = (
        module.root / "grading" / "misconceptions" / assignment.name if module is not None else None
    )
    if folder is None or not folder.is_dir():
        return []
    beliefs: dict[tuple[str, str], list[Any]] = {}
    for variant in read_misconceptions(folder)[0]:
        beliefs.setdefault((variant.caught_by, " ".join(variant.reads.split())), []).append(variant)
    found = []
    for (caught_by, sentence), variants in beliefs.items():
        students = sorted(
            report["student"]
            for report in reports
            if any(sentence in text for text in _failed(report, caught_by))
        )
        if students:
            found.append(
                {
                    "believed": [variant.believed for variant in variants],
                    "exercises": sorted({variant.exercise for variant in variants}),
                    "test": caught_by,
                    "reads": sentence,
                    "count": len(students),
                    "students": students,
                }
            )
    return sorted(found, key=lambda one: (-one["count"], one["test"], one["reads"]))


def _failed(report: dict[str, Any], name: str) -> list[str]:
    """What the student read where the test of this name failed, one line each."""
    found = []
    for row in report["cells"]:
        for test in [row, *row["tests"]]:
            called = test.get("test") or test.get("grade_id")
            if called == name and test["status"] not in ("pass", "not_run", "your_turn", "waits"):
                found.append(
                    " ".join(
                        " ".join(
                            str(test.get(key) or "")
                            for key in ("promise", "call", "got", "want", "look", "message")
                        ).split()
                    )
                )
    return found


def marks_csv(facts: dict[str, Any]) -> str:
    """A line per student."""
    names = list(facts["students"][0]["cells"]) if facts["students"] else []
    columns = (*COLUMNS, "seconds", "flags")
    return csv_text(
        [*columns, *names],
        (
            [*(one[name] for name in columns), *(one["cells"][name] for name in names)]
            for one in facts["students"]
        ),
    )


def tests_csv(facts: dict[str, Any]) -> str:
    """A line per test, the one that fewest pass first."""
    columns = ("cell", "test", "points", "met", "passed", "fraction", "stub", "not_run")
    return csv_text(
        [*columns, "said", "said_count"],
        ([*(one[name] for name in columns), *(one["said"] or ("", 0))] for one in facts["tests"]),
    )

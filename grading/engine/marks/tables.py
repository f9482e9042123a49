"""Marks as tables, read from nbgrader's gradebook: plain, test by test, and as the gradebooks of
Canvas and Moodle take them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grading.engine.course.directory import Course
from grading.engine.course.reports import read_report
from grading.engine.course.roster import Roster
from grading.engine.marks import late
from grading.engine.texts import csv_text

if TYPE_CHECKING:
    from grading.engine.course.assignment import Assignment


def marks(course: Course, assignment: Assignment) -> list[dict[str, Any]]:
    """One dict per student of the gradebook: student, status, total, penalty, final, max, waiting,
    late_seconds, cells {label: points or None}.

    `status` is "graded", "needs_review" or "missing"; `final` is `total` less the late penalty;
    `waiting` counts the cells that a person has yet to grade; `cells` holds None for a question
    without a grade, so that it cannot be taken for a zero.
    """
    from grading.engine.nbgrader.library import MissingEntry, gradebook

    course.need_release(assignment)
    lateness = late.apply(course, assignment)
    rows = []
    with gradebook(course.db_url) as book:
        cells = {}
        for stem in assignment.stems:
            notebook = book.find_notebook(stem, assignment.name)
            order = [cell.name for cell in notebook.source_cells]
            found = {
                cell.name: cell.max_score for cell in [*notebook.grade_cells, *notebook.task_cells]
            }
            cells.update(
                {
                    assignment.label({"notebook": stem, "grade_id": name}): found[name]
                    for name in sorted(found, key=order.index)
                }
            )
        for student in sorted(book.students, key=lambda student: student.id):
            row: dict[str, Any] = {
                "student": student.id,
                "status": "missing",
                "total": 0.0,
                "penalty": 0.0,
                "final": 0.0,
                "max": sum(cells.values()),
                "waiting": 0,
                "late_seconds": 0.0,
                "cells": dict.fromkeys(cells),
            }
            rows.append(row)
            try:
                submission = book.find_submission(assignment.name, student.id)
            except MissingEntry:
                continue
            report = read_report(course, assignment, student.id)
            row["status"] = report["status"] if report else "graded"
            for part in submission.notebooks:
                for grade in part.grades:
                    given = grade.manual_score is not None or grade.auto_score is not None
                    row["cells"][
                        assignment.label({"notebook": part.name, "grade_id": grade.name})
                    ] = grade.score if given else None
                    row["waiting"] += bool(grade.needs_manual_grade)
            row["total"] = round(
                sum(points for points in row["cells"].values() if points is not None), 2
            )
            if student.id in lateness:
                row["penalty"], row["late_seconds"] = (
                    lateness[student.id].penalty,
                    lateness[student.id].seconds_late,
                )
            row["final"] = round(row["total"] - row["penalty"], 2)
    return rows


def as_csv(rows: list[dict[str, Any]]) -> str:
    """The table with a header line; an empty field is a grade that nobody gave yet."""
    names = list(rows[0]["cells"]) if rows else []
    facts = ("student", "status", "total", "penalty", "final", "max", "waiting")
    return csv_text(
        [*facts, *names],
        ([*(row[fact] for fact in facts), *(row["cells"][name] for name in names)] for row in rows),
    )


def as_canvas(rows: list[dict[str, Any]], roster: Roster, column: str) -> str:
    """For Canvas's "Import Grades": its five columns and one assignment; empty where nothing was
    handed in or a grade still waits.

    Canvas finds a student by ID, SIS User ID or SIS Login ID, and the assignment by "Name (number)"
    as its own export spells it; another name makes a new assignment. (Canvas instructor guide, "How
    do I import grades in the Gradebook?", 2025.)
    """
    header = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", column]
    lines = [["    Points Possible", "", "", "", "", float(rows[0]["max"]) if rows else ""]]
    for row in rows:
        student = row["student"]
        first, last = roster.name(student)
        known = student in roster.people
        lines.append(
            [
                ", ".join(part for part in (last, first) if part) or student,
                roster.get(student, "canvas_id") if known else student,
                roster.get(student, "sis_id"),
                roster.get(student, "login"),
                roster.get(student, "section"),
                _grade(row),
            ]
        )
    return csv_text(header, lines)


def as_moodle(rows: list[dict[str, Any]], roster: Roster) -> str:
    """For Moodle's "Upload grading worksheet", which asks for Identifier, Grade and Last modified
    (grade); "Email address" serves its grade import.

    (mod/assign/feedback/offline/importgradeslib.php, Moodle 2.4 to 5; "-" is what Moodle writes for
    a grade that was never changed.)
    """
    header = [
        "Identifier",
        "Full name",
        "Email address",
        "Grade",
        "Maximum Grade",
        "Last modified (grade)",
        "Feedback comments",
    ]
    lines = []
    for row in rows:
        student = row["student"]
        number = roster.get(student, "moodle_id") if student in roster.people else student
        lines.append(
            [
                f"Participant {number}" if number else "",
                " ".join(part for part in roster.name(student) if part) or student,
                roster.get(student, "email"),
                _grade(row),
                float(row["max"]),
                "-",
                _remark(row),
            ]
        )
    return csv_text(header, lines)


def _grade(row: dict[str, Any]) -> float | str:
    """The mark, when it is one: an open question would turn it into too small a number."""
    return "" if row["status"] == "missing" or row["waiting"] else float(row["final"])


def _remark(row: dict[str, Any]) -> str:
    return (
        f"{row['total']:g} points less {row['penalty']:g}"
        f" for {row['late_seconds'] / 86_400:.1f} days late"
        if row["penalty"]
        else ""
    )


def per_test(course: Course, assignment: Assignment) -> list[list[Any]]:
    """student, notebook, grade_id, test, status, points, max: a line for each test, with `test`
    empty for a cell as a whole.

    Points of the tests in a contract group add up to what the machine gave the group; the line of
    the cell has what counts now.
    """
    rows = []
    for mark in marks(course, assignment):
        report = read_report(course, assignment, mark["student"])
        for row in report["cells"] if report else []:
            stem = row.get("notebook") or assignment.stem
            now = mark["cells"].get(
                assignment.label({"notebook": stem, "grade_id": row["grade_id"]})
            )
            given = (
                now is not None and row["points"] is not None and abs(now - row["points"]) > 1e-9
            ) or (row["kind"] == "question" and now is not None)
            rows.append(
                [
                    mark["student"],
                    stem,
                    row["grade_id"],
                    "",
                    "given" if given else row["status"],
                    now,
                    row["max_points"],
                ]
            )
            share = row["max_points"] / len(row["tests"]) if row["tests"] else 0.0
            rows += [
                [
                    mark["student"],
                    stem,
                    row["grade_id"],
                    test["test"],
                    test["status"],
                    round(share, 4) if test["status"] == "pass" else 0.0,
                    round(share, 4),
                ]
                for test in row["tests"]
            ]
    return rows


PER_TEST = ("student", "notebook", "grade_id", "test", "status", "points", "max")


def per_test_csv(rows: list[list[Any]]) -> str:
    return csv_text(PER_TEST, rows)

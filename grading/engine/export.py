"""Marks as a table: one row per student, one column per cell with points, read from nbgrader's gradebook."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

from grading.engine.autograde import read_report
from grading.engine.course import Course

if TYPE_CHECKING:
    from tito.course import Module


def marks(course: Course, module: Module) -> list[dict[str, Any]]:
    """One dict per student of the gradebook: student, status, total, max, waiting, cells {grade_id: points or None}.

    `status` is "graded", "needs_review" or "missing"; `waiting` counts the cells that a person has yet to grade;
    `cells` holds None for a question without a grade, so that it cannot be taken for a zero.
    """
    from grading.engine.nbg import MissingEntry, gradebook

    course.need_release(module)
    rows = []
    with gradebook(course.db_url) as book:
        notebook = book.find_notebook(module.stem, module.name)
        order = [cell.name for cell in notebook.source_cells]
        cells = {cell.name: cell.max_score for cell in [*notebook.grade_cells, *notebook.task_cells]}
        names = sorted(cells, key=order.index)
        for student in sorted(book.students, key=lambda student: student.id):
            row: dict[str, Any] = {"student": student.id, "status": "missing", "total": 0.0, "max": sum(cells.values()), "waiting": 0,
                                   "cells": dict.fromkeys(names)}
            rows.append(row)
            try:
                submission = book.find_submission(module.name, student.id)
            except MissingEntry:
                continue
            report = read_report(course, module, student.id)
            row["status"] = report["status"] if report else "graded"
            grades = [grade for part in submission.notebooks for grade in part.grades]
            for grade in grades:
                given = grade.manual_score is not None or grade.auto_score is not None
                row["cells"][grade.name] = grade.score if given else None
            row["total"] = round(sum(points for points in row["cells"].values() if points is not None), 2)
            row["waiting"] = sum(grade.needs_manual_grade for grade in grades)
    return rows


def as_csv(rows: list[dict[str, Any]]) -> str:
    """The table with a header line; an empty field is a grade that nobody gave yet."""
    out = io.StringIO(newline="")
    names = list(rows[0]["cells"]) if rows else []
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["student", "status", "total", "max", "waiting", *names])
    for row in rows:
        writer.writerow([row["student"], row["status"], f"{row['total']:g}", f"{row['max']:g}", row["waiting"],
                         *("" if row["cells"][name] is None else f"{row['cells'][name]:g}" for name in names)])
    return out.getvalue()

"""Feedback pages: one self-contained HTML file per student."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grading.engine import late
from grading.engine.autograde import need_reports
from grading.engine.course import Course
from grading.engine.files import write_text
from grading.engine.texts import page
from tito.errors import WorkError

if TYPE_CHECKING:
    from tito.course import Module


def feedback(course: Course, module: Module, *, students: list[str] | None = None, show_hidden: bool = False) -> list[Path]:
    """Write DIR/feedback/<student>/<assignment>/<notebook>.html for every graded submission (or those of `students`)."""
    course.need_release(module)
    for student in students or []:
        course.need_student(student, module)
    late.apply(course, module)
    pages = []
    for report in need_reports(course, module):
        if students and report["student"] not in students:
            continue
        path = course.feedback(report["student"], module)
        if course.autograded(report["student"], module).is_file():
            _from_notebook(course, module, report["student"], show_hidden)
        else:
            write_text(path, _plain_page(course, module, report))
        pages.append(path)
    return pages


def _from_notebook(course: Course, module: Module, student: str, show_hidden: bool) -> None:
    from grading.engine.nbconfig import classes
    from grading.engine.nbg import NbGraderException, convert, quiet

    with quiet():
        from nbgrader.converters import GenerateFeedback
    config = classes(course.config(HideTests={"show_hidden": show_hidden}))
    config.GenerateFeedback.force = True
    try:
        convert(GenerateFeedback, config, module.name, student)
    except NbGraderException as problem:
        said = "; ".join(line.splitlines()[-1] for line in getattr(problem, "log_lines", []) if "Error" in line)[:400]
        raise WorkError(f"nbgrader could not write the feedback of {student}: {said or problem}. "
                        f"Grade it again: tito grade autograde {module.name} --course {course.root} --student {student} --force") from problem


def _plain_page(course: Course, module: Module, report: dict[str, Any]) -> str:
    """The page of a submission that could not be executed: why, that a person looks at it, and every cell's points."""
    from grading.engine.nbg import gradebook
    from grading.engine.pages import graded_entry, penalty
    from grading.engine.summary import summary

    names = {"notebook": module.stem, "assignment": module.name, "student": report["student"]}
    rows = {row["grade_id"]: row for row in report["cells"]}
    with gradebook(course.db_url) as book:
        entries = [graded_entry({"grade_id": row["grade_id"], "points": row["max_points"]}, rows, names, book) for row in report["cells"]]
        cost = penalty(names, book)
    title = f"{report['assignment']}: {report['student']}"
    return page(title, f"<h1>{escape(title)}</h1>\n<p>This submission could not be graded by the machine.</p>\n"
                + re.sub(r'<a href="#[^"]*">(.*?)</a>', r"\1", summary(entries, report["reasons"], review=True, penalty=cost)))

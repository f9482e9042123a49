"""Feedback pages: one self-contained HTML file per student."""

from __future__ import annotations

import html
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grading.engine.autograde import need_reports
from grading.engine.course import Course
from grading.engine.files import write_text
from tito.errors import WorkError

if TYPE_CHECKING:
    from tito.course import Module


def feedback(course: Course, module: Module, *, students: list[str] | None = None, show_hidden: bool = False) -> list[Path]:
    """Write DIR/feedback/<student>/<assignment>/<notebook>.html for every graded submission (or those of `students`)."""
    course.need_release(module)
    for student in students or []:
        course.need_student(student, module)
    pages = []
    for report in need_reports(course, module):
        if students and report["student"] not in students:
            continue
        page = course.feedback(report["student"], module)
        if course.autograded(report["student"], module).is_file():
            _from_notebook(course, module, report["student"], show_hidden)
        else:
            write_text(page, _plain_page(report))
        pages.append(page)
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


def _plain_page(report: dict[str, Any]) -> str:
    """The page of a submission that could not be executed: why, and that a person looks at it."""
    reasons = "".join(f"<li>{html.escape(reason)}</li>" for reason in report["reasons"])
    title = html.escape(f"{report['assignment']}: {report['student']}")
    return (f"<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>{title}</title></head><body><h1>{title}</h1>\n"
            f"<p>This submission could not be graded by the machine. A person looks at it.</p>\n<ul>{reasons}</ul>\n</body></html>\n")

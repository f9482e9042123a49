"""Feedback pages: one self-contained HTML file per student."""

import functools
import multiprocessing
import signal
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path

from grading.engine.course.assignment import Assignment
from grading.engine.course.directory import Course
from grading.engine.course.gradebook_contents import need_all
from grading.engine.course.submission_reports import Report, need_reports
from grading.engine.marks import by_hand_record, late_penalties, sent_marks
from grading.engine.trusted_process_limits import bounded
from tito.console import counted
from tito.errors import UsageError, WorkError
from tito.files import write_text
from tito.notebook.ipynb_format import load_ipynb

SECONDS, MEMORY_BYTES = 60, 2**30  # for the pages of one student


def feedback(
    course: Course,
    assignment: Assignment,
    *,
    students: list[str] | None = None,
    solutions: bool = False,
    now: bool = False,
    jobs: int = 1,
) -> list[Path]:
    """Write DIR/feedback/<student>/<assignment>/<notebook>.html for every graded submission (or
    those of `students`), `jobs` students at a time.

    Args:
        solutions: show a right answer below the student's code; after the deadline, or `now`.

    Raises:
        EnvironmentBroken: the gradebook lacks marks that the reports say.
        WorkError: for some students only a page with their marks could be made; all are written.
    """
    if solutions and not now:
        _need_deadline(course, assignment)
    for student in students or []:
        course.need_student(student, assignment)
    by_hand_record.settle(course, assignment)
    late_penalties.apply(course, assignment)
    reports = need_reports(course, assignment)
    with course.book() as book:
        need_all(course, assignment, book, reports)
    reports = [one for one in reports if not students or one.student in students]
    write = functools.partial(_pages, course, assignment, solutions)
    if jobs > 1 and len(reports) > 1:
        _prepare()  # what a page needs is imported once
        fork = multiprocessing.get_context("fork")
        deaf = functools.partial(signal.signal, signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for us
        with ProcessPoolExecutor(min(jobs, len(reports)), fork, initializer=deaf) as workers:
            said = _each(course, assignment, workers.map(write, reports), len(reports))
    else:
        said = _each(course, assignment, map(write, reports), len(reports))
    problems = [problem for problem in said if problem]
    names = [(report.student, stem) for report in reports for stem in assignment.stems]
    pages = [course.feedback(student, assignment, stem) for student, stem in names]
    sent_marks.note_pages(course, assignment, [report.student for report in reports])
    if problems:
        raise WorkError(
            f"{counted(len(pages), 'page')} written; {len(problems)} of them with only the marks:"
            f" {'; '.join(problems)}"
        )
    return pages


def _each(course: Course, assignment: Assignment, ended: Iterator[str], count: int) -> list[str]:
    """What `_pages` returned for each student; at Ctrl-C, the sentence says what was written."""
    done: list[str] = []
    try:
        for problem in ended:
            done.append(problem)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            f"The pages of {len(done)} of {counted(count, 'student')} are new; those of the others"
            f" are as they were. To write all, run: tito grade feedback {assignment.name} --course"
            f" {course.root}"
        ) from None
    return done


def _prepare() -> None:
    from grading.engine.nbgrader.import_nbgrader import quiet
    from grading.engine.pages import feedback_from_notebook  # noqa: F401

    with quiet():
        from nbgrader.converters import GenerateFeedback  # noqa: F401


def _pages(course: Course, assignment: Assignment, solutions: bool, report: Report) -> str:
    """Write the pages of one student. Returns why only the marks could be written, or ""."""
    student, problem = report.student, ""
    files = {stem: course.autograded(student, assignment, stem) for stem in assignment.stems}
    ran = [stem for stem, file in files.items() if file.is_file()]
    why = "This submission could not be graded by the machine."
    if ran:
        what = f"the feedback page of {student}"
        try:
            with bounded(what, seconds=SECONDS, memory_bytes=MEMORY_BYTES):
                _from_notebook(course, assignment, student, solutions)
        except WorkError as error:
            problem = str(error)
            ran, why = [], "No page of the whole notebook could be made; these are its marks."
    for stem in assignment.stems:
        if stem not in ran:
            page = _plain_page(course, assignment, report, stem, why)
            write_text(course.feedback(student, assignment, stem), page)
    return problem


def _from_notebook(course: Course, assignment: Assignment, student: str, solutions: bool) -> None:
    from grading.engine.nbgrader.import_nbgrader import NbGraderException, convert, quiet
    from grading.engine.nbgrader_steps.replaced_steps import classes

    with quiet():
        from nbgrader.converters import GenerateFeedback
    config = classes(course.config())
    config.FeedbackExporter.solutions = solutions
    config.GenerateFeedback.force = True
    try:
        convert(GenerateFeedback, config, assignment.name, student)
    except NbGraderException as problem:
        lines = [line for line in getattr(problem, "log_lines", []) if "Error" in line]
        said = "; ".join(line.splitlines()[-1] for line in lines)[:400]
        raise WorkError(
            f"nbgrader could not write the feedback of {student}: {said or problem}. Grade it"
            f" again: tito grade autograde {assignment.name}"
            f" --course {course.root} --student {student} --force"
        ) from problem


def _plain_page(course: Course, assignment: Assignment, report: Report, stem: str, why: str) -> str:
    """The page of a submission whose notebook cannot be shown."""
    from grading.engine.pages.feedback_from_notebook import page_of
    from grading.engine.pages.feedback_page import feedback_page

    names = {"notebook": stem, "assignment": assignment.name, "student": report.student}
    released = load_ipynb(course.released(assignment, stem))
    page = page_of(course.root, {**names, "db_url": course.db_url}, released)
    remarks = [why, *report.reasons]
    return feedback_page(replace(page, remarks=remarks, review=True))


def _need_deadline(course: Course, assignment: Assignment) -> None:
    due, today = course.due(assignment), datetime.now(timezone.utc)
    if due is None or due > today:
        when = f"which is {due:%Y-%m-%d %H:%M} UTC" if due else "and this assignment has none"
        raise UsageError(
            f"solutions are shown after the deadline, {when}. To show them all the same: tito grade"
            f" feedback {assignment.name} --solutions --now --course {course.root}"
        )

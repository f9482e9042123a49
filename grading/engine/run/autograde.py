"""Grade a class, on this machine or on a cluster, each submission in a sandbox of its own. `batch`
describes the steps of a run.
"""

import contextlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from grading.engine import sandbox
from grading.engine.course.assignment import Assignment
from grading.engine.course.directory import Course
from grading.engine.course.input_seed import seed_of
from grading.engine.marks import late_penalties
from grading.engine.run.autograde_settings import Settings
from grading.engine.run.batch import Graded, run_batch
from grading.engine.run.grading_kit import Kit, keep_release
from grading.engine.run.local_pool import LocalPool, Server, refuse_a_class
from grading.engine.submission_size_and_time import Limits
from tito.errors import UsageError

__all__ = ["Graded", "Limits", "Settings", "autograde"]


def autograde(
    course: Course,
    assignment: Assignment,
    settings: Settings | None = None,
    *,
    students: list[str] | None = None,
    on_start: Callable[[int, str], None] = lambda total, about: None,
    on_done: Callable[[Graded], None] = lambda graded: None,
) -> list[Graded]:
    """Grade the submissions of an assignment (or only those of `students`) that changed since they
    were last graded.

    Args:
        on_start: called once with the number of submissions and how they are graded.
        on_done: called with each result, in the order in which they finish.
    """
    settings = settings or Settings()
    if settings.redraw and students:
        raise UsageError(
            "inputs are drawn once for a class, so new inputs mean that everybody is graded again;"
            " --redraw takes no --student. Leave it out"
        )
    assignment = Assignment.of(assignment)
    course.settings.check()
    settings = replace(settings, limits=settings.limits.of_course(course.settings.cell_seconds))
    for student in students or []:
        course.need_student(student, assignment)
    count = len(students or course.students(assignment))
    with contextlib.ExitStack() as stack:
        # its imports take seconds, and so do those of this process: start it first
        if not settings.scheduler:
            server = stack.enter_context(Server(settings.jobs))
            box = stack.enter_context(sandbox.open_sandbox(settings.level))
            if not box.isolated:
                refuse_a_class(count)
        place = stack.enter_context(sandbox.temporary_folders.folder("kit"))
        seed = seed_of(course, assignment, redraw=settings.redraw)
        if assignment.module is None:  # a module's edition is kept by its correction
            keep_release(course, assignment)
        kit = Kit.build(course, assignment, place / "kit", seed)
        if settings.scheduler:
            from grading.engine.run.cluster import ClusterPool

            pool: Any = ClusterPool(kit, settings, count)
        else:
            pool = LocalPool(
                kit, box, settings.limits, server, run_notebooks=settings.run_notebooks
            )
        done = run_batch(
            course,
            stack.enter_context(pool),
            students=students,
            force=settings.force or settings.run_notebooks,
            on_start=lambda total: on_start(total, pool.about),
            on_done=on_done,
        )
    if late_penalties.read_policy(course, assignment) or course.settings.late_plugin:
        late_penalties.apply(course, assignment)
    return done

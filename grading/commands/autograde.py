"""Grade submissions, each in a sandbox, several at a time; unchanged ones are left out."""

import argparse
import contextlib
import functools
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grading.commands._class import add_class_arguments, chosen, need_positive
from grading.engine.course.assignment import Assignment
from grading.engine.course.directory import Course
from grading.engine.safe_text import grades_wait, tell
from tito.console import counted
from tito.errors import EnvironmentBroken

if TYPE_CHECKING:
    from rich.progress import Progress

    from grading.engine.run.autograde import Graded


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_class_arguments(parser)
    add = parser.add_argument
    flag = functools.partial(add, action="store_true")
    add("--jobs", type=int, metavar="N", help="submissions at a time (default: one per processor)")
    add("--scheduler", metavar="tcp://HOST:PORT", help="let the workers of this Dask cluster grade")
    add("--student", action="append", metavar="S", help="only this student; may be repeated")
    flag("--force", help="also grade unchanged submissions; grades given by hand are kept")
    flag("--dry-run", help="grade in a copy, list the marks that would change, and keep nothing")
    flag("--redraw", help="draw new inputs for the sealed tests, and grade everybody again")
    flag(
        "--run-notebooks",
        help="also run notebooks whose points are all sealed, to see their outputs (no points)",
    )
    add(
        "--timeout",
        type=int,
        metavar="SECONDS",
        help="for all cells of one notebook (one cell gets a quarter)",
    )


def run(args: argparse.Namespace) -> int:
    from grading.engine.run.autograde import Limits, Settings
    from grading.engine.run.how_many_at_once import processors

    need_positive("--timeout", args.timeout, try_=240)
    need_positive("--jobs", args.jobs, try_=2)
    course, assignment = chosen(args)
    limits = Limits()
    if args.timeout:
        limits = Limits(cell_seconds=max(1, args.timeout // 4), notebook_seconds=args.timeout)
    settings = Settings(
        force=args.force,
        redraw=args.redraw,
        run_notebooks=args.run_notebooks,
        jobs=args.jobs or processors(),
        scheduler=args.scheduler,
        limits=limits,
    )
    if not args.dry_run:
        return _grade(args, course, assignment, settings)
    from grading.engine.run.trial_run import trial_of

    with trial_of(course, assignment) as copy:
        return _grade(args, copy, assignment, settings, course.root)


def _grade(
    args: argparse.Namespace,
    course: Course,
    assignment: Assignment,
    settings: Any,
    real: Path | None = None,
) -> int:
    """Grade, and say what came of it.

    Args:
        real: the course of which `course` is a copy for a trial.
    """
    from grading.engine.run.autograde import autograde

    root, trial = real or course.root, "--dry-run " if real else ""
    screen = _Screen(trial=bool(real))
    calls = {"students": args.student, "on_start": screen.start, "on_done": screen.line}
    try:
        done = autograde(course, assignment, settings, **calls)
    except KeyboardInterrupt:
        screen.stop()
        kept = "nothing of this trial is kept" if real else "their results are kept"
        done_so_far = f"{screen.ended} of {counted(screen.total, 'submission')} of"
        said = f"{done_so_far} {assignment.name} are graded, and {kept}"
        if not screen.total:  # it had not begun
            said = f"No submission of {assignment.name} was graded in this run"
        force = "--force " if args.force else ""
        raise KeyboardInterrupt(
            f"{said}. To grade {'all' if real or force else 'the others'}, run: tito grade"
            f" autograde {assignment.name} {trial}{force}--course {root}"
        ) from None
    finally:
        screen.stop()
    if not done:
        tell(
            f"no submission of {assignment.name} has been collected; next:"
            f" tito grade collect FILES --course {root}"
        )
        return 0
    _tell_changes(course, assignment, done, trial=bool(real))
    if real:
        options = "".join(f" --{name}" for name in ("force", "redraw") if getattr(args, name))
        tell(
            f"{counted(sum(bool(one.because) for one in done), 'submission')} would be graded;"
            f" nothing was kept\nnext: tito grade autograde {assignment.name}{options}"
            f" --course {root}"
        )
    else:
        _tell_the_rest(course, assignment, done)
    return 0


def _tell_changes(
    course: Course, assignment: Assignment, done: "list[Graded]", *, trial: bool
) -> None:
    """Each mark that changed in this run, or in one that was stopped; and what is graded again."""
    from grading.engine.marks.changed_marks import Changes
    from grading.engine.run.what_is_graded_again import FIRST

    changes = Changes(course, assignment)
    if untold := changes.untold:
        where = "" if trial else f", as listed here and in {changes.path}"
        tell(f"{counted(len(untold), 'mark')} {'would change' if trial else 'changed'}{where}:")
        for change in sorted(untold, key=lambda one: one.student):
            tell(f"  {change}")
    changes.told()
    reasons = Counter(one.because for one in done if one.because not in ("", FIRST))
    for why, count in reasons.items():
        tell(f"{counted(count, 'submission')} {'to grade' if trial else 'graded'} again: {why}")
    if not trial and (others := sum(one.other_tool for one in done)):
        tell(
            f"{counted(others, 'submission')} graded by another version of tito, and not graded"
            f" again for it. To do so: tito grade autograde {assignment.name} --force"
            f" --course {course.root}"
        )


def _tell_the_rest(course: Course, assignment: Assignment, done: "list[Graded]") -> None:
    from grading.engine.course.submission_reports import need_reports
    from grading.engine.marks.by_hand_record import rewritten
    from grading.engine.marks.class_report import remarks
    from grading.engine.marks.grade_by_hand import waiting_in_cells
    from grading.engine.marks.late_penalties import without_due_date
    from grading.engine.marks.sent_marks import out_of_date

    open_ = sum(bool(graded.reasons or graded.flags) for graded in done)
    left = sum(waiting_in_cells(course, assignment).values())
    if kept := sum(graded.kept for graded in done):
        tell(
            f"the gradebook lacked the marks of {counted(kept, 'submission')} that had been"
            " graded; they are recorded now, from the reports"
        )
    for line in rewritten(course, assignment):
        tell(line)
    for cell, text in remarks(assignment, need_reports(course, assignment)).items():
        tell(f"{cell}: {text}")
    with contextlib.suppress(EnvironmentBroken):  # marks of others are lacking: see `need_all`
        for line in out_of_date(course, assignment):
            tell(line)
    if no_penalties := without_due_date(course, assignment):
        tell(no_penalties)
    tell(
        f"{counted(len(done), 'submission')}, {open_} of them graded in part or flagged; in the"
        f" class {grades_wait(left)}; reports in {course.reports(assignment)}\nnext:"
        f" tito grade mark --course {course.root}"
    )


class _Screen:
    """A line for each submission; on a terminal also a progress bar."""

    def __init__(self, *, trial: bool) -> None:
        self.trial = trial
        self.bar: Progress | None = None
        self.task: Any = None
        self.total = self.ended = 0

    def start(self, total: int, about: str) -> None:
        self.total = total
        if "isolation: limits" in about:
            text = "submitted code runs as this user, with limits on time and memory only"
            tell(f"NOT ISOLATED: {text}", file=sys.stderr)
        tell(about)
        if sys.stdout.isatty() and total > 1:
            from rich import progress
            from rich.text import Text

            class Rate(progress.ProgressColumn):
                def render(self, task: Any) -> Text:
                    return Text(f"{60 * task.speed:.0f} a minute" if task.speed else "")

            self.bar = progress.Progress(
                progress.TextColumn("grading"),
                progress.BarColumn(),
                progress.MofNCompleteColumn(),
                Rate(),
                progress.TimeRemainingColumn(),
                speed_estimate_period=120,
            )
            self.task = self.bar.add_task("grading", total=total)
            self.bar.start()

    def line(self, graded: Any) -> None:
        self.ended += 1
        text = (
            f"{graded.student:<20} {graded.points:g} of {graded.max_points:g}".ljust(34)
            + f" {graded.status.replace('_', ' '):<13} {graded.seconds:5.1f} s  {graded.why}"
            + (f"  {graded.because}" if self.trial else "")
        ).rstrip()
        if self.bar is None:
            tell(text, flush=True)
        else:
            self.bar.console.print(text, markup=False, highlight=False)
            self.bar.advance(self.task)

    def stop(self) -> None:
        if self.bar is not None:
            self.bar.stop()

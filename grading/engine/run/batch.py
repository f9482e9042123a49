"""One run over a class: submissions go to a pool, one writer writes the results, and the next run
continues a run that was stopped.

For each submission, in this order: the grades that it has from people are written down with the
answers that they were given for, the executed notebook is put in place, a change of its points is
kept in changes.csv, the report is written, the gradebook gets the scores in one transaction.

A submission whose report has the current digest is not graded again; if the gradebook does not hold
the report's scores, because the engine was killed or because the gradebook is another one than
before, they are recorded from the report. So the engine may be killed between any two of these
steps, and the gradebook may be lost.
"""

import contextlib
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from grading.engine.course.assignment import Assignment
from grading.engine.course.directory import ID_RULE, Course
from grading.engine.course.gradebook_contents import Held, has
from grading.engine.course.submission_reports import Report, read_report
from grading.engine.intake.hand_in_times import HandInTimes
from grading.engine.intake.submission import Submission, read_submission
from grading.engine.marks.changed_marks import Changes, Points
from grading.engine.run.gradebook_writer import Locked, Writer
from grading.engine.run.grading_kit import Kit
from grading.engine.run.group_submissions import Shared
from grading.engine.run.local_pool import Returned
from grading.engine.run.what_is_graded_again import Again
from grading.engine.submission_marks import Flag, Verdict, unmarked
from tito.console import counted
from tito.errors import EnvironmentBroken
from tito.files import locked, stamp, write_atomic, write_json
from tito.outcome import Outcome

Result = TypeVar("Result")


class Pool(Protocol):
    """Where submissions are graded: see `local_pool.LocalPool` and `cluster.ClusterPool`."""

    kit: Kit
    window: int  # number of submissions that may be in progress or queued
    about: str  # for the log: how many at a time, where, and which isolation

    def submit(self, submission: Submission) -> Future: ...


@dataclass
class Graded:
    """One line of the batch."""

    student: str
    status: str  # "graded", "needs_review" or "unchanged"
    points: float
    max_points: float
    reasons: list[str]
    flags: list[Flag] = field(default_factory=list)
    seconds: float = 0.0
    recorded: bool = True
    # graded by an earlier run; the gradebook did not hold the result, and now has it
    kept: bool = False
    because: str = ""  # why it was graded; empty for one that is unchanged
    other_tool: bool = False  # it is unchanged, and was graded by another version of tito

    @property
    def why(self) -> str:
        """What a person has to check."""
        return "; ".join([*self.reasons, *map(str, self.flags)])


def run_batch(
    course: Course,
    pool: Pool,
    *,
    students: list[str] | None = None,
    force: bool = False,
    on_start: Callable[[int], None] = lambda total: None,
    on_done: Callable[[Graded], None] = lambda graded: None,
) -> list[Graded]:
    """Grade every submission of the pool's assignment (or those of `students`) that changed since
    it was last graded.

    Args:
        force: also grade unchanged submissions; grades given by hand are kept.
        on_start: called with the number of submissions; on_done: called with each result, in the
            order in which they finish.

    Raises:
        EnvironmentBroken: another run of the same assignment is in progress, or the gradebook
            stayed locked. In that case the results are kept in the reports, and the next run
            records them.
    """
    assignment = pool.kit.assignment
    wanted = students or course.students(assignment)
    of = (course, assignment)
    with one_run(*of), Writer(*of) as writer, _Log(*of) as log:
        log.say(f"begin: {counted(len(wanted), 'submission')}, {pool.about}, kit {pool.kit.digest}")
        on_start(len(wanted))

        def tell(graded: Graded) -> None:
            log.graded(graded)
            on_done(graded)

        batch = _Batch(course, assignment, pool.kit, writer, force, tell)
        for name in [] if students else course.strangers(assignment):
            batch.refuse(name)
        running: dict[Future, Submission] = {}
        for student in [*wanted, None]:
            while running and (student is None or len(running) >= pool.window):
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    for one in batch.shared.ended(running.pop(future), future.result()):
                        batch.end(*one)
            submission = None if student is None else batch.begin(student)
            if submission and batch.shared.begins(submission):
                running[pool.submit(submission)] = submission
        batch.record_the_rest()
        review = sum(bool(one.reasons or one.flags) for one in batch.done)
        many = counted(len(batch.done), "submission")
        log.say(f"end: {many}, {review} of them graded in part or flagged")
    return batch.done


class _Batch:
    """The state of one run."""

    def __init__(
        self,
        course: Course,
        assignment: Assignment,
        kit: Kit,
        writer: Writer,
        force: bool,
        tell: Callable[[Graded], None],
    ):
        self.course, self.assignment, self.kit = course, assignment, kit
        self.writer, self.force, self.tell = writer, force, tell
        self.done: list[Graded] = []
        self._grade_ids = {stem: {cell[0] for cell in cells} for stem, cells in kit.cells.items()}
        self._locked: str | None = None
        self._held: Held = self._unless_locked(writer.held, {})
        times = HandInTimes(course, assignment)
        self._times, self.shared = times.entries, Shared(course, assignment, times.groups())
        self._again, self._changes = Again(course, assignment, kit), Changes(course, assignment)
        self._before: dict[str, tuple[Points, str]] = {}  # with why it is graded

    def refuse(self, name: str) -> None:
        """List a folder whose name is not a student's id, for a person; the gradebook gets
        nothing.
        """
        shown = ascii(name)[1:-1]
        reason = f"{ID_RULE}; the folder submitted/{shown} is not. Rename it"
        self._add(Graded(shown[:80], "needs_review", 0.0, self.kit.max_points, [reason]))

    def begin(self, student: str) -> Submission | None:
        """The submission if it has to be graded; None if its result is known already."""
        folder = self.course.submitted(student, self.assignment)
        submission = read_submission(folder, student, self._grade_ids)
        submission.asked = self._times.get(student, {}).get("asked", "")
        before = read_report(self.course, self.assignment, student)
        submission.content = submission.digest(self.kit.digest)
        scores = self._held.get(student, {})
        points = {mark.key: mark.points for mark in before.cells} if before else {**scores}
        graded = any(one is not None for one in points.values())
        why = self._again.why(before, submission, graded=graded)
        self._before[student] = points if graded else {}, why
        if before and before.content == submission.content and not self.force:
            there = has(self._held, before)
            # `record_the_rest` records what is not there
            status = "unchanged" if there else before.status
            other = before.tool != self.kit.tool
            self._line(before, status, recorded=there, kept=not there, other_tool=other)
        elif not submission.notebooks:
            self.end(submission, Returned(student, Verdict()))
        elif back := self.shared.found(submission, again=self.force):
            self.end(submission, back)
        else:
            return submission
        return None

    def end(self, submission: Submission, back: Returned) -> None:
        """Write the results: the executed notebooks, the report, the gradebook."""
        # before the notebooks change, so that each grade is kept with the answer it was given for
        self._unless_locked(lambda: self.writer.settle(submission.student), None)
        for stem in self.assignment.stems:
            self._keep_executed(submission, stem, back.executed.get(stem))
        self.shared.written.add(submission.student)
        report = self._report(submission, back)
        before, why = self._before.pop(report.student)
        self._changes.add(before, report, why)
        write_json(self.course.report(report.student, self.assignment), report.as_json())
        self._line(report, report.status, recorded=self._record(report), because=why)

    def _report(self, submission: Submission, back: Returned) -> Report:
        verdict = back.verdict
        reasons = tuple(dict.fromkeys((*submission.missing.values(), *verdict.reasons)))
        flags = verdict.flags
        if submission.asked:
            flags += (Flag(None, "group", submission.asked, self.assignment.stem),)
        mark_of = {mark.key: mark for mark in verdict.marks}
        why = Outcome("not_run", message=reasons[0] if reasons else "not run")
        whys = {"question": Outcome("waits"), "test": why, "contract": why}
        marks = tuple(
            mark_of.get(row[:2]) or unmarked(*row, whys[row[2]]) for row in self.kit.graded
        )
        return Report(
            submission.student,
            self.assignment.name,
            self.assignment.stem,
            submission.content,
            "needs_review" if reasons or flags else "graded",
            reasons,
            flags,
            marks,
            round(sum(mark.points or 0 for mark in marks), 2),
            self.kit.max_points,
            self.kit.seed,
            back.seconds,
            notes=tuple(dict.fromkeys((*submission.notes, *verdict.notes))),
            stages=verdict.stages,
            timestamp=submission.timestamp,
            handed_in=submission.digest(""),
            kit=self.kit.digest,
            tool=self.kit.tool,
        )

    def _record(self, report: Report) -> bool:
        """Write the points to the gradebook; False if it is locked."""
        return self._unless_locked(lambda: self.writer.write(report), False)

    def _unless_locked(self, step: Callable[[], Result], otherwise: Result) -> Result:
        """Do it, if no step of this run has waited for the locked gradebook yet; `record_the_rest`
        does at the end what was left out.
        """
        if self._locked:
            return otherwise
        try:
            return step()
        except Locked as problem:
            self._locked = str(problem)
            return otherwise

    def record_the_rest(self) -> None:
        """Record the results that the gradebook does not hold, and those that a locked gradebook
        refused; then let the grades by hand be those that were given.
        """
        self._locked = None
        for graded in self.done:
            if not graded.recorded:
                report = read_report(self.course, self.assignment, graded.student)
                graded.recorded = bool(report and self._record(report))
        self._unless_locked(lambda: self.writer.settle(again=True), None)
        late = sum(not graded.recorded for graded in self.done)
        if self._locked:
            raise EnvironmentBroken(
                f"the gradebook stayed locked ({self._locked}); {late} of {len(self.done)} graded"
                f" submissions wait in {self.course.reports(self.assignment)}. Close what holds it"
                " (formgrader?), then run the same command again"
            )

    def _line(self, report: Report, status: str, **facts: Any) -> None:
        points, said = (report.points, report.max_points), ([*report.reasons], [*report.flags])
        self._add(Graded(report.student, status, *points, *said, report.seconds, **facts))

    def _add(self, graded: Graded) -> None:
        self.done.append(graded)
        self.tell(graded)

    def _keep_executed(self, submission: Submission, stem: str, data: bytes | None) -> None:
        """Put the executed notebook where formgrader and feedback look for it. If the run failed,
        the notebook of an older submission is removed.
        """
        target = self.course.autograded(submission.student, self.assignment, stem)
        if data is None:
            target.unlink(missing_ok=True)
            return
        write_atomic(target, data)
        if submission.timestamp:
            write_atomic(target.parent / "timestamp.txt", submission.timestamp + "\n")


@contextlib.contextmanager
def one_run(course: Course, assignment: Assignment) -> Iterator[None]:
    """Refuse a second run of the same assignment."""
    path = course.reports(assignment) / ".lock"
    path.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(locked(path, wait=False))
        except BlockingIOError:
            raise EnvironmentBroken(
                f"one run grades {assignment.name} at a time, and another one has locked {path}."
                " Wait for it, or end it"
            ) from None
        yield


class _Log(contextlib.AbstractContextManager["_Log"]):
    """DIR/reports/A/autograde.log: each start with its isolation level, and each result with its
    reasons.
    """

    def __init__(self, course: Course, assignment: Assignment):
        log = course.reports(assignment) / "autograde.log"
        self._file = open(log, "a", encoding="utf-8", newline="\n")  # noqa: SIM115 - see __exit__

    def __exit__(self, *problem: object) -> None:
        if problem[0] is not None:
            self.say(f"stopped: {getattr(problem[0], '__name__', problem[0])}")
        self._file.close()

    def say(self, text: str) -> None:
        self._file.write(f"{stamp()} {' '.join(text.split())}\n")
        self._file.flush()

    def graded(self, graded: Graded) -> None:
        status = "kept" if graded.kept else graded.status
        points = f"{graded.points:g} of {graded.max_points:g}"
        because = f"({graded.because})" if graded.because else ""
        self.say(f"{graded.student} {status} {points} {graded.why} {because}")

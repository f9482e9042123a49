"""A group's files are graded in one run, whose result every member gets."""

from dataclasses import replace

from grading.engine.course.assignment import Assignment
from grading.engine.course.directory import Course
from grading.engine.course.submission_reports import read_report
from grading.engine.intake.submission import Submission
from grading.engine.run.local_pool import Returned
from grading.engine.submission_marks import Verdict


class Shared:
    """Which members of groups get the result of whose run."""

    def __init__(self, course: Course, assignment: Assignment, groups: dict[str, tuple[str, ...]]):
        self._course, self._assignment, self._groups = course, assignment, groups
        # (members, digest) -> those who get the result of the run that is in progress
        self._waiting: dict[tuple[tuple[str, ...], str], list[Submission]] = {}
        self.written: set[str] = set()  # students whose result this batch wrote

    def found(self, submission: Submission, *, again: bool) -> Returned | None:
        """The result that another member has for the same files.

        Args:
            again: only a result of this batch counts.
        """
        for member in self._groups.get(submission.student, ()):
            if again and member not in self.written:
                continue
            report = read_report(self._course, self._assignment, member)
            if report is None or report.content != submission.content:
                continue
            flags = tuple(flag for flag in report.flags if flag.kind != "group")
            executed = {}
            for stem in self._assignment.stems:
                path = self._course.autograded(member, self._assignment, stem)
                if path.is_file():
                    executed[stem] = path.read_bytes()
            verdict = Verdict(report.cells, report.reasons, flags, notes=report.notes)
            return Returned(submission.student, verdict, executed)
        return None

    def begins(self, submission: Submission) -> bool:
        """False when a run is in progress whose result this member gets."""
        waiting = self._waiting.setdefault(self._key(submission), [])
        waiting.append(submission)
        return len(waiting) == 1

    def ended(self, submission: Submission, back: Returned) -> list[tuple[Submission, Returned]]:
        """Each member with the result of the run; only the first has spent time."""
        first, *others = self._waiting.pop(self._key(submission))
        copy = Returned(back.student, replace(back.verdict, stages={}), back.executed)
        return [(first, back), *((one, copy) for one in others)]

    def _key(self, submission: Submission) -> tuple[tuple[str, ...], str]:
        members = self._groups.get(submission.student, (submission.student,))
        return members, submission.content

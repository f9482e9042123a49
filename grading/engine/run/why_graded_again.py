"""Why a submission is graded again: what it was graded from, beside what it is graded from now.

DIR/reports/A/_kits.json   the parts of each kit that a report names
"""

from grading.engine.course.assignment import Assignment
from grading.engine.course.directory import Course
from grading.engine.course.submission_reports import Report
from grading.engine.intake.submission import Submission
from grading.engine.marks.changed_marks import named
from grading.engine.run.grading_kit import Kit
from tito.files import read_dict, write_json

FIRST = "not graded before"


class Again:
    """Says why the submissions of one assignment are graded with this kit."""

    def __init__(self, course: Course, assignment: Assignment, kit: Kit):
        path = course.reports(assignment) / "_kits.json"
        known = read_dict(path)
        self._kit, self._parts = kit, known
        if known.get(kit.digest) != kit.parts:
            self._parts = {**known, kit.digest: kit.parts}
            write_json(path, self._parts)

    def why(self, before: Report | None, submission: Submission, *, graded: bool) -> str:
        """What differs from the grading `before`; without a report, whether the gradebook has
        points all the same.
        """
        if before is None:
            return "a grading without a report" if graded else FIRST
        words = ["the submission"] if before.handed_in != submission.digest("") else []
        parts = self._parts.get(before.kit)
        if parts is None:
            words.append("an unknown earlier kit")
        elif before.kit != self._kit.digest:
            words += named(parts, self._kit.parts)
        if before.tool != self._kit.tool:
            words.append("another version of tito")
        return ", ".join(words) or "nothing but --force"

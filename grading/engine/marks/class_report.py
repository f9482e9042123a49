"""The facts of the class report: marks, the failures of each test, likely misconceptions, and
submissions that need a person.
"""

import statistics
from collections import Counter

from grading.engine.class_report_contents import Belief, ClassFacts, Flagged, Tally
from grading.engine.course.assignment import Assignment
from grading.engine.course.directory import Course
from grading.engine.course.references import secrets_of
from grading.engine.course.roster import left_the_class
from grading.engine.course.submission_reports import Report, need_reports
from grading.engine.course.wrong_and_right_solutions import Variant, read_wrong
from grading.engine.marks import export_tables
from grading.engine.marks.changed_marks import Changes
from grading.engine.marks.reviewed_submissions import Reviews
from grading.engine.marks.sent_marks import out_of_date
from grading.engine.safe_text import some
from grading.engine.submission_marks import CellMark, Flag
from tito.notebook.cells import cells_of
from tito.notebook.exercises import exercises
from tito.notebook.ipynb_format import load_ipynb
from tito.notebook.promises import plain
from tito.outcome import Outcome

SMALLEST_CLASS = 20  # in which the discrimination of a test says something


def class_report(course: Course, assignment: Assignment) -> ClassFacts:
    """The facts of the class report.

    Raises:
        WorkError: nothing has been graded yet.
    """
    gone = left_the_class(course)
    reports = [one for one in need_reports(course, assignment) if one.student not in gone]
    reviews = Reviews(course, assignment)
    unseen = [report for report in reports if not reviews.holds(report)]
    return ClassFacts(
        assignment.name,
        tuple(export_tables.marks(course, assignment)),
        tallies(assignment, reports),
        misconceptions(course, assignment, reports),
        flagged=tuple(
            Flagged(report.student, _cell(assignment, flag), flag.kind, flag.text)
            for report in unseen
            for flag in report.flags
        ),
        review={report.student: report.reasons for report in unseen if report.reasons},
        seconds={report.student: report.seconds for report in reports},
        flags=Counter({report.student: len(report.flags) for report in reports}),
        rests=_rests(reports[0]) if reports else {},
        remarks=remarks(assignment, reports),
        changes=tuple(Changes(course, assignment).lines),
        out_of_date=tuple(out_of_date(course, assignment)),
    )


def _rests(report: Report) -> dict[str, float]:
    """Points by the kind of their cells, which every report of an assignment has."""
    points_of = dict.fromkeys(("contract", "test", "question"), 0.0)
    for mark in report.cells:
        points_of[mark.kind] += mark.max_points
    return points_of


def remarks(assignment: Assignment, reports: list[Report]) -> dict[str, str]:
    """Cells with points that nbgrader itself would not give -> why, each reason once."""
    cells_of: dict[str, dict[str, None]] = {}
    for report in reports:
        for mark in report.cells:
            if mark.remark:
                cells_of.setdefault(mark.remark, {})[_cell(assignment, mark)] = None
    return {some(list(cells)): text for text, cells in cells_of.items()}


def _cell(assignment: Assignment, place: CellMark | Flag) -> str:
    return assignment.label(place.notebook, place.grade_id or "")


def tallies(assignment: Assignment, reports: list[Report]) -> tuple[Tally, ...]:
    """The results of each test of the notebook and each promise or contract test: those that may
    be wrong themselves first, then the one that fewest pass.
    """
    met: dict[tuple[str, str], list[tuple[Outcome, float]]] = {}
    points: dict[tuple[str, str], float] = {}
    for report in reports:
        marks = [mark for mark in report.cells if mark.kind != "question"]
        total = sum(mark.points or 0.0 for mark in marks)
        for mark in marks:
            outcomes = mark.tests or (mark.outcome,)
            for outcome in outcomes:
                key = (_cell(assignment, mark), mark.name_of(outcome))
                own = mark.max_points / len(mark.tests) if mark.tests else mark.points or 0.0
                points.setdefault(key, mark.max_points)
                elsewhere = total - own if outcome.passed or not mark.tests else total
                met.setdefault(key, []).append((outcome, elsewhere))
    counts = [_count(*key, points[key], outcomes) for key, outcomes in met.items()]

    def place(one: Tally) -> tuple[bool, float, str, str]:
        return not one.doubt, 2 if one.fraction is None else one.fraction, one.cell, one.test

    return tuple(sorted(counts, key=place))


def _count(cell: str, test: str, points: float, met: list[tuple[Outcome, float]]) -> Tally:
    outcomes = [outcome for outcome, _ in met]
    answers = [(one.passed, elsewhere) for one, elsewhere in met if one.status != "not_run"]
    statuses = Counter(outcome.status for outcome in outcomes)
    said = Counter(
        " ".join((one.promise or one.message or one.status).split())[:300]
        for one in outcomes
        if one.status in ("fail", "error", "timeout")
    )
    return Tally(
        cell,
        test,
        points,
        met=len(outcomes) - statuses["not_run"],
        passed=statuses["pass"],
        stub=statuses["your_turn"],
        not_run=statuses["not_run"],
        said=said.most_common(1)[0] if said else None,
        discrimination=discrimination(answers),
    )


def discrimination(answers: list[tuple[bool, float]]) -> float | None:
    """The point-biserial correlation of passing a test with the points of all other tests; None
    for fewer than SMALLEST_CLASS answers, or if one of the two does not vary.
    """
    passed, elsewhere = [float(one) for one, _ in answers], [points for _, points in answers]
    if len(answers) < SMALLEST_CLASS or len(set(passed)) < 2 or len(set(elsewhere)) < 2:
        return None
    return round(statistics.correlation(passed, elsewhere), 3)


def misconceptions(
    course: Course, assignment: Assignment, reports: list[Report]
) -> tuple[Belief, ...]:
    """Likely misconceptions of failing students, the most frequent first: those whose first broken
    promise is the first one that the student read as broken.
    """
    module = assignment.module
    if module is None:
        return ()
    folder = secrets_of(module) / "wrong"
    asked = exercises(cells_of(load_ipynb(course.released(assignment))))
    beliefs: dict[tuple[str, str], list[Variant]] = {}
    for variant in read_wrong(folder)[0]:
        if broken := variant.breaks(asked):
            exercise, (first, *_) = broken
            assert exercise.graded
            beliefs.setdefault((exercise.graded.name, first.plain), []).append(variant)
    likely = []
    for (cell, sentence), variants in beliefs.items():
        students = [one.student for one in reports if sentence == _read_first(one, cell)]
        believed = tuple(variant.believed for variant in variants)
        of = tuple(sorted({variant.exercise for variant in variants}))
        if students:
            likely.append(Belief(believed, of, cell, sentence, tuple(sorted(students))))
    return tuple(sorted(likely, key=lambda one: (-len(one.students), one.test, one.reads)))


def _read_first(report: Report, cell: str) -> str:
    """The first promise that tests of this graded cell found broken; empty if none did."""
    for mark in report.cells:
        for test in (mark.outcome, *mark.tests) if mark.grade_id == cell else ():
            if test.promise and test.status not in ("pass", "not_run", "your_turn", "waits"):
                return plain(test.promise)
    return ""

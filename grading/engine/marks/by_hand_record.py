"""Grades that a person gave, kept beside the gradebook: DIR/by_hand/A/S.jsonl.

Each line is one grade of student S: points, comment, who gave it, when, and the answer that it was
given for. Lines are added and never changed. The gradebook says in its table `tito_by_hand` how
many of these lines each submission has, and a line is written before the gradebook is. So

- a gradebook that was lost, or replaced by an older copy, gets the grades that it lacks;
- a grade that was given in formgrader becomes a line as soon as a command of tito sees it;
- a grade waits for a person again when its answer is another one than it was given for.
"""

import contextlib
import getpass
import itertools
import json
import os
import platform
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from grading.engine.course.assignment import Assignment
from grading.engine.course.directory import Course
from grading.engine.marks.answer_text import answers
from tito.files import locked, stamp

FORMGRADER = "formgrader"
NOTHING = "(nothing written)"
Cell = tuple[str, str]  # notebook, grade_id
Answer = Callable[[Cell], str | None]


@dataclass(frozen=True)
class Given:
    """One line.

    Attributes:
        points: None: the grade was taken back, or there is only a comment.
        extra: extra credit, which only formgrader gives.
        answer: the answer that was graded; None for a cell that the machine grades.
        changed: the answer has changed since, and nobody has graded the new one.
    """

    notebook: str
    grade_id: str
    points: float | None = None
    extra: float | None = None
    comment: str | None = None
    answer: str | None = None
    by: str = ""
    at: str = ""
    changed: bool = False

    @property
    def cell(self) -> Cell:
        return self.notebook, self.grade_id

    @property
    def grade(self) -> tuple[float | None, float | None, str | None]:
        """What a person decided."""
        return self.points, self.extra, self.comment or None

    def __str__(self) -> str:
        points = "no points" if self.points is None else f"{self.points:g}"
        said = f": {self.comment}" if self.comment else ""
        return f"{points} by {self.by} at {self.at}{said}"


def whoever_runs_this() -> str:
    """The name under which a grade is kept."""
    try:
        return f"{getpass.getuser()}@{platform.node()}"
    except (KeyError, OSError):  # a user without a name
        return f"user {os.getuid()}@{platform.node()}"


def before_and_now(line: Given, answer: str, width: int = 100) -> str:
    """The answer that a grade was given for, beside the one that takes its place."""
    column = (width - 3) // 2
    left, right = (_wrapped(text or NOTHING, column) for text in (line.answer, answer))
    rows = [f"{'the answer that was graded':<{column}} | the answer now"]
    for one, other in itertools.zip_longest(left, right, fillvalue=""):
        rows.append(f"{one:<{column}} | {other}".rstrip())
    return "\n".join([f"-- changed since it was graded: {line}", *rows])


def _wrapped(text: str, width: int) -> list[str]:
    return [part for line in text.splitlines() for part in textwrap.wrap(line, width) or [""]]


class Row:
    """What the gradebook has for one cell of one submission: a grade, a comment, or both."""

    def __init__(self) -> None:
        self.score: Any = None
        self.remark: Any = None

    @property
    def grade(self) -> tuple[float | None, float | None, str | None]:
        comment = self.remark.manual_comment if self.remark else None
        if self.score is None:
            return None, None, comment or None
        return self.score.manual_score, self.score.extra_credit, comment or None

    @property
    def waits(self) -> bool:
        return self.score is not None and bool(self.score.needs_manual_grade)

    def write(self, line: Given) -> None:
        if self.remark is not None:
            self.remark.manual_comment = line.comment
        if self.score is not None:
            self.score.manual_score, self.score.extra_credit = line.points, line.extra
            nothing = line.points is None and self.score.auto_score is None
            self.score.needs_manual_grade = line.changed or nothing


class ByHand:
    """The grades that one submission has from people. The caller holds `alone`, and commits.

    Args:
        answer: the answer to a question as it is now; None for a cell that the machine grades.
    """

    def __init__(self, path: Path, book: Any, submission: Any, answer: Answer):
        self.path, self.book, self.id, self.answer = path, book, submission.id, answer
        self.lines, self._size = read_lines(path)
        self.rows: dict[Cell, Row] = {}
        for notebook in submission.notebooks:
            for one in notebook.grades:
                self.rows.setdefault((notebook.name, one.name), Row()).score = one
            for one in notebook.comments:
                self.rows.setdefault((notebook.name, one.name), Row()).remark = one

    def settle(self, *, again: bool = False) -> None:
        """Let the gradebook and the lines say the same.

        Args:
            again: also let each grade wait again whose answer is another one now.
        """
        known = min(_counts(self.book).get(self.id, 0), len(self.lines))
        before, lacking = self.lines[:known], self.lines[known:]
        for cell, row in self.rows.items():
            line, mine = last(before, cell), [one for one in lacking if one.cell == cell]
            graded_again = line.changed and not row.waits
            newer = row.grade != line.grade or graded_again
            if newer and row.grade not in [one.grade for one in mine]:
                points, extra, comment = row.grade
                self.give(Given(*cell, points, extra, comment, by=FORMGRADER))
            elif mine:  # the gradebook was made anew, or is an older copy
                row.write(mine[-1])
            line = last(self.lines, cell)
            graded = line.points is not None and line.answer is not None and not line.changed
            if again and graded and self.answer(cell) != line.answer:
                self._add(replace(line, changed=True))
                row.write(last(self.lines, cell))
        if known != len(self.lines):
            self.counted()

    def give(self, line: Given) -> None:
        """Write a grade down as one for the answer as it is now, then in the gradebook."""
        self._add(replace(line, answer=self.answer(line.cell), at=stamp()))
        self.rows[line.cell].write(last(self.lines, line.cell))

    def counted(self) -> None:
        """Note in the gradebook that it has all lines."""
        _set_count(self.book, self.id, len(self.lines))

    def _add(self, line: Given) -> None:
        raw = (json.dumps(asdict(line), ensure_ascii=False) + "\n").encode("utf-8", "replace")
        with open(self.path, "ab") as file:
            file.truncate(self._size)  # half a line, which a full disk or a kill left
            file.write(raw)
            file.flush()
            os.fsync(file.fileno())
        self.lines.append(line)
        self._size += len(raw)


def last(lines: list[Given], cell: Cell) -> Given:
    """The newest line of a cell."""
    return next((line for line in reversed(lines) if line.cell == cell), Given(*cell))


def last_of(course: Course, assignment: Assignment, student: str, cell: Cell) -> Given:
    """The last grade that a person gave for a cell, perhaps for an earlier answer."""
    return last(lines_of(course, assignment, student), cell)


def lines_of(course: Course, assignment: Assignment, student: str) -> list[Given]:
    return read_lines(_place(course, assignment) / f"{student}.jsonl")[0]


def rewritten(course: Course, assignment: Assignment) -> list[str]:
    """A line for each answer that was rewritten after it was graded, and waits again."""
    sentences = []
    for path in sorted(_place(course, assignment).glob("*.jsonl")):
        newest = {line.cell: line for line in read_lines(path)[0]}
        for cell, line in newest.items():
            what = f"{path.stem} has rewritten the answer to {assignment.label(*cell)}"
            sentences += [f"{what} since it was graded: {line}"] if line.changed else []
    return sentences


def read_lines(path: Path) -> tuple[list[Given], int]:
    """The lines of a file, and how many bytes they take; half a line at its end is left out."""
    raw = path.read_bytes() if path.is_file() else b""
    size = raw.rfind(b"\n") + 1
    return [Given(**json.loads(line)) for line in raw[:size].splitlines()], size


def _place(course: Course, assignment: Assignment) -> Path:
    return course.root / "by_hand" / assignment.name


@contextlib.contextmanager
def alone(course: Course, assignment: Assignment) -> Iterator[None]:
    """Wait until no other command of tito reads or writes grades of this assignment by hand."""
    place = _place(course, assignment)
    place.mkdir(parents=True, exist_ok=True)
    with locked(place / ".lock"):
        yield


def of_submission(book: Any, course: Course, assignment: Assignment, submission: Any) -> ByHand:
    student = submission.student_id
    path = _place(course, assignment) / f"{student}.jsonl"
    return ByHand(path, book, submission, answers(course, assignment, student))


def settle(
    course: Course, assignment: Assignment, student: str | None = None, *, again: bool = False
) -> None:
    """`ByHand.settle` for one student or for the class."""
    with alone(course, assignment), course.book() as book:
        for submission in book.assignment_submissions(assignment.name):
            if student in (None, submission.student_id):
                of_submission(book, course, assignment, submission).settle(again=again)
        book.db.commit()


# How many lines of each submission the gradebook has

_TABLE = "tito_by_hand"


def _counts(book: Any) -> dict[str, int]:
    from sqlalchemy import inspect, text

    if not inspect(book.db.connection()).has_table(_TABLE):
        return {}
    return dict(map(tuple, book.db.execute(text(f"SELECT submission, lines FROM {_TABLE}"))))


def _set_count(book: Any, submission: str, lines: int) -> None:
    from sqlalchemy import text

    key = "submission VARCHAR(32) PRIMARY KEY"
    book.db.execute(text(f"CREATE TABLE IF NOT EXISTS {_TABLE} ({key}, lines INTEGER NOT NULL)"))
    what = {"id": submission, "lines": lines}
    book.db.execute(text(f"DELETE FROM {_TABLE} WHERE submission = :id"), what)
    book.db.execute(text(f"INSERT INTO {_TABLE} VALUES (:id, :lines)"), what)

"""Marks that changed because submissions were graded again: DIR/reports/A/changes.csv, a line for
each. Lines are added and never changed; DIR/reports/A/.changes_told counts those that a command has
printed, so that a run that is stopped loses none.
"""

import csv
import io
import os
from collections.abc import Iterable
from dataclasses import astuple, fields, replace

from grading.engine.class_report_contents import Change
from grading.engine.course.assignment import Assignment
from grading.engine.course.directory import Course
from grading.engine.course.submission_reports import Report
from grading.engine.marks import by_hand_record
from grading.engine.safe_text import csv_text
from tito.files import stamp, write_atomic

Points = dict[tuple[str, str], float | None]  # of each cell; None until a person gives them


COLUMNS = tuple(one.name for one in fields(Change))


class Changes:
    """The lines of one assignment."""

    def __init__(self, course: Course, assignment: Assignment):
        self.course, self.assignment = course, assignment
        self.path = course.reports(assignment) / "changes.csv"
        self._told = self.path.with_name(".changes_told")
        raw = self.path.read_bytes() if self.path.is_file() else b""
        self._size = raw.rfind(b"\n") + 1  # half a line, which a full disk or a kill left
        rows = csv.DictReader(io.StringIO(raw[: self._size].decode("utf-8"), newline=""))
        self.lines = [_read(row) for row in rows]

    @property
    def untold(self) -> list[Change]:
        """The lines that no command has printed yet."""
        text = self._told.read_text(encoding="utf-8") if self._told.is_file() else "0"
        return self.lines[int(text) :]

    def told(self) -> None:
        write_atomic(self._told, str(len(self.lines)))

    def add(self, before: Points, now: Report, why: str) -> None:
        """Keep how the points changed, if they did, and if the line is not there since a run was
        stopped before it wrote its report.
        """
        cells = list(self._cells(before, now)) if before else []
        if not cells:
            return
        old = round(sum(points or 0.0 for points in before.values()), 2)
        points = (old, now.points, now.max_points)
        line = Change(now.student, *points, ", ".join(cells), why, stamp())
        mine = [one for one in self.lines if one.student == line.student]
        if mine and replace(mine[-1], at=line.at) == line:
            return
        text = changes_csv([line])
        raw = (text if not self._size else text.split("\n", 1)[1]).encode()
        with open(self.path, "ab") as file:
            file.truncate(self._size)
            file.write(raw)
            file.flush()
            os.fsync(file.fileno())
        self.lines.append(line)
        self._size += len(raw)

    def _cells(self, before: Points, now: Report) -> Iterable[str]:
        was = {**before}
        given = by_hand_record.lines_of(self.course, self.assignment, now.student)
        for mark in now.cells:
            old = was.pop(mark.key, 0.0)
            if old == mark.points or None in (old, mark.points):
                continue
            person = by_hand_record.last(given, mark.key).points
            kept = "" if person is None else f" (a person gave {person:g}, which counts)"
            yield f"{self.assignment.label(*mark.key)} {old:g} -> {mark.points:g}{kept}"
        yield from (
            f"{self.assignment.label(*key)} {old:g} -> gone" for key, old in was.items() if old
        )


def changes_csv(lines: Iterable[Change]) -> str:
    return csv_text(COLUMNS, map(astuple, lines))


def _read(row: dict[str, str]) -> Change:
    old, new, most = (float(row[name]) for name in ("old", "new", "max"))
    return Change(row["student"], old, new, most, row["cells"], row["why"], row["at"])

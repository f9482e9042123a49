"""Regrade requests: what students ask to be graded again, and how a person closed it.

A request is a text cell of a notebook that begins with "Regrade 12a:", or a text file with such
lines and with "regrade" in its name. It changes neither the work nor when that was handed in:
`collect` keeps it in DIR/regrade/A.json, {student: the requests in order}, and deletes none.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from grading.engine.trusted_process_limits import bounded
from tito.errors import TitoError
from tito.files import changing, read_dict, stamp, write_json

MOST_BYTES = 2**16  # of a file
_MOST, _LENGTH = 50, 4000  # requests kept of a student, characters kept of one
_BEGINS = re.compile(
    r"^[#>*_ \t]*regrade\b[ \t]*([\w./-]*)[*_ \t]*:[*_]*", re.IGNORECASE | re.MULTILINE
)
# the last part of the name of a file of requests
REQUESTS = re.compile(r"[-_. ]?regrade.*\.(txt|md)$", re.IGNORECASE)


@dataclass(frozen=True)
class Regrade:
    """One request.

    Attributes:
        question: as the student calls it; empty if no question is named.
        closed: the sentence with which a person closed it; None while it is open.
    """

    question: str
    text: str
    at: str = ""
    closed: str | None = None

    def __str__(self) -> str:
        return f"regrade request of {self.at}: {self.text}"


class Regrades:
    """The requests of one assignment in the course directory `root`."""

    def __init__(self, root: Path, assignment: str):
        self.path = root / "regrade" / f"{assignment}.json"

    def of(self, student: str) -> list[Regrade]:
        return [Regrade(**one) for one in read_dict(self.path).get(student, ())]

    def still_open(self, student: str, *names: str) -> list[Regrade]:
        """The open requests about a cell that has these names."""
        mine = (one for one in self.of(student) if one.closed is None)
        return [one for one in mine if one.question in names]

    def everybody(self) -> list[tuple[str, Regrade]]:
        """(student, request) for each request that is open."""
        students = sorted(read_dict(self.path))
        return [(name, one) for name in students for one in self.of(name) if one.closed is None]

    def add(self, student: str, requests: list[Regrade]) -> int:
        """Keep the requests that are new; returns how many there are."""
        if not requests:
            return 0
        with changing(self.path):
            kept = self.of(student)
            known = {(one.question, one.text) for one in kept}
            new = [one for one in requests if (one.question, one.text) not in known]
            new = [replace(one, at=stamp()) for one in new[: _MOST - len(kept)]]
            self._write(student, [*kept, *new])
        return len(new)

    def close(self, student: str, sentence: str, *names: str) -> int:
        """Close the open requests about a cell that has these names; returns how many there are."""
        if not self.still_open(student, *names):
            return 0
        with changing(self.path):
            mine = self.still_open(student, *names)
            all_of_them = self.of(student)
            closed = [replace(one, closed=sentence) if one in mine else one for one in all_of_them]
            self._write(student, closed)
        return len(mine)

    def _write(self, student: str, requests: list[Regrade]) -> None:
        everybody = read_dict(self.path)
        write_json(self.path, {**everybody, student: [asdict(one) for one in requests]})


def in_file(data: bytes) -> list[Regrade]:
    """The requests in a text file; all of it is one if no line begins one."""
    text = data.decode("utf-8-sig", "replace").replace("\r\n", "\n")
    begins = list(_BEGINS.finditer(text))
    if not begins:
        return [_regrade("", text)] if text.strip() else []
    ends = [one.start() for one in begins[1:]] + [len(text)]
    return [_regrade(one[1], text[one.end() : end]) for one, end in zip(begins, ends, strict=True)]


def _regrade(question: str, text: str) -> Regrade:
    return Regrade(question.strip("."), text.strip()[:_LENGTH])


def is_request(text: str) -> bool:
    """Whether a text cell is a request."""
    return _BEGINS.match(text) is not None


def in_notebook(data: bytes) -> list[Regrade]:
    """The requests in the text cells of a notebook; none in one that cannot be read."""
    if b"regrade" not in data.lower():
        return []
    texts = [text for kind, text in _cells(data) if kind != "code" and is_request(text)]
    return [one for text in texts for one in in_file(text.encode("utf-8", "replace"))]


def same_work(one: bytes, other: bytes) -> bool:
    """Whether two notebooks differ in requests only."""
    if one == other:
        return True
    if not (in_notebook(one) or in_notebook(other)):
        return False
    mine, theirs = (
        [(kind, text) for kind, text in _cells(data) if kind == "code" or not is_request(text)]
        for data in (one, other)
    )
    return bool(mine) and mine == theirs


def _cells(data: bytes) -> list[tuple[str, str]]:
    """(type, text) of each cell that is not empty."""
    try:
        with bounded("reading it"):
            cells = [
                (one["cell_type"], "".join(one["source"])) for one in json.loads(data)["cells"]
            ]
    except (ValueError, RecursionError, LookupError, TypeError, TitoError):
        return []
    return [(kind, text) for kind, text in cells if text.strip()]

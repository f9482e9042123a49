"""Pairs of submissions whose code is the same but for names, comments and layout: a list for a
person to read, not a verdict.

Winnowing (Schleimer, Wilkerson, Aiken: "Winnowing: Local Algorithms for Document Fingerprinting",
    SIGMOD 2003): tokens of the solution cells, with every name the student chose written as one
    mark, are hashed in runs of RUN tokens; of each WINDOW hashes the smallest is kept. What the
    released notebook holds is left out, and what more than `common` of the class shares is the
    exercise's own shape.
"""

from __future__ import annotations

import functools
import io
import itertools
import keyword
import tokenize
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

from grading.engine import submitted
from grading.engine.bounds import bounded
from grading.engine.course.directory import Course
from grading.engine.size_limits import MAX_BYTES
from grading.engine.texts import shown
from tito.errors import TitoError

if TYPE_CHECKING:
    from grading.engine.course.assignment import Assignment

RUN = 12  # tokens in a fingerprint: a line or two
# of each 6 fingerprints one is kept; a shared piece of RUN + WINDOW - 1 = 17 tokens is always seen
WINDOW = 6
# Characters of a submission's code, and of one line of it, that are compared: longer ones are data,
# and the tokenizer of some Pythons takes time that grows with the square of a line.
MAX_CODE, MAX_LINE = 2**18, 2000
MIN_FINGERPRINTS = 8  # of a pair's smaller part; less says nothing
ANSWER_LETTERS = 40  # shorter answers are alike by chance


@dataclass(frozen=True)
class Pair:
    """Two submissions; `share` is the part of the smaller one's own code that the other has too,
    0 to 1.
    """

    share: float
    shared: int  # fingerprints
    first: str
    second: str
    cells: tuple[str, ...]  # where the code is alike, most alike first
    answers: tuple[str, ...] = ()  # answers in words that are the same


@dataclass
class Written:
    """What a student wrote in one submission: code with its fingerprints, and answers in words."""

    code: dict[str, str] = field(default_factory=dict)  # grade_id of a solution cell -> source
    prints: dict[str, frozenset[int]] = field(default_factory=dict)
    answers: dict[str, str] = field(default_factory=dict)

    @property
    def all(self) -> set[int]:
        return set().union(*self.prints.values())


def similar(
    course: Course, assignment: Assignment, *, common: float = 0.3, least: float = 0.5
) -> tuple[list[Pair], dict[str, Written]]:
    """(pairs, works): the pairs that share `least` or more, or an answer, the most alike first.

    Args:
        common: a fingerprint that more than this part of the class (and more than four) has is
            nobody's own.
    """
    course.need_release(assignment)
    stems = tuple(getattr(assignment, "stems", None) or (assignment.stem,))
    given, empty = set(), set()
    for stem in stems:
        released = read_written([(stem, course.released(assignment).with_name(f"{stem}.ipynb"))])
        given |= released.all
        empty |= {" ".join(text.split()) for text in released.answers.values()}
    works = {}
    for student in course.students(assignment):
        folder = course.submitted(student, assignment)
        works[student] = read_written([(stem, folder / f"{stem}.ipynb") for stem in stems])
    owners: dict[int, list[str]] = defaultdict(list)
    for student, work in works.items():
        for one in work.all - given:
            owners[one].append(student)
    most = max(4, common * len(works))
    own = {one for one, names in owners.items() if len(names) <= most}
    shared: Counter = Counter()
    for one in own:
        shared.update(itertools.combinations(owners[one], 2))
    sizes = {student: len(work.all & own) for student, work in works.items()}
    same = _same_answers(works, empty)
    found = []
    for first, second in sorted(shared.keys() | same.keys()):
        smaller = min(sizes[first], sizes[second])
        share = shared[first, second] / smaller if smaller >= MIN_FINGERPRINTS else 0.0
        if share >= least or (first, second) in same:
            found.append(
                Pair(
                    round(share, 3),
                    shared[first, second],
                    first,
                    second,
                    _where(works[first], works[second], own),
                    tuple(same.get((first, second), ())),
                )
            )
    return (
        sorted(found, key=lambda pair: (-pair.share, -pair.shared, pair.first, pair.second)),
        works,
    )


def read_written(files: list[tuple[str, Path]]) -> Written:
    """Solution cells and written answers; what is no notebook or no Python counts as empty."""
    work = Written()
    for stem, path in files:
        try:
            if path.is_symlink() or path.stat().st_size > MAX_BYTES:
                continue
            with bounded(f"comparing {path.name}"):
                notebook = submitted.read_submitted(path.read_text(encoding="utf-8-sig"), path.name)
                _read_cells(work, stem, notebook["cells"])
        except (OSError, UnicodeDecodeError, TitoError):
            continue
    return work


def _read_cells(work: Written, stem: str, cells: list[dict[str, Any]]) -> None:
    left = MAX_CODE
    for number, cell in enumerate(cells):
        flags = cell["metadata"].get("nbgrader", {})
        if flags.get("grade") or flags.get("locked"):
            continue
        name = shown(f"{stem}/{flags.get('grade_id') or cell.get('id') or number}")
        source = cell["source"].encode("utf-8", "replace").decode("utf-8")
        if cell["cell_type"] == "code" and len(source) <= left:
            work.code[name], work.prints[name] = source, fingerprints(source)
            left -= len(source)
        elif cell["cell_type"] == "markdown":
            work.answers[name] = source


@functools.lru_cache(maxsize=8192)
def fingerprints(source: str) -> frozenset[int]:
    """The winnowed hashes of a piece of Python; equal for equal code modulo names, comments,
    layout and docstrings.
    """
    marks = tokens(source)
    hashes = [crc32(" ".join(marks[i : i + RUN]).encode()) for i in range(len(marks) - RUN + 1)]
    return frozenset(
        min(hashes[i : i + WINDOW]) for i in range(max(1, len(hashes) - WINDOW + 1)) if hashes
    )


def tokens(source: str) -> list[str]:
    found: list[str] = []
    source = "\n".join(line for line in source.split("\n") if len(line) <= MAX_LINE)
    begin = True  # of a statement: a text alone there is a docstring
    try:
        for one in tokenize.generate_tokens(io.StringIO(source).readline):
            if one.type in (tokenize.COMMENT, tokenize.NL, tokenize.ENDMARKER, tokenize.ERRORTOKEN):
                continue
            if one.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT):
                begin = True
                found += [tokenize.tok_name[one.type]] if one.type != tokenize.NEWLINE else []
                continue
            if one.type == tokenize.NAME and not keyword.iskeyword(one.string):
                found.append("n")
            elif one.type == tokenize.STRING:
                found += [] if begin else ["s"]
            else:
                found.append(one.string)
            begin = False
    except (tokenize.TokenError, SyntaxError, ValueError, RecursionError):
        pass  # what came before the damage counts
    return found


def _same_answers(works: dict[str, Written], empty: set[str]) -> dict[tuple[str, str], list[str]]:
    by_text: dict[tuple[str, str], list[str]] = defaultdict(list)
    for student, work in works.items():
        for name, text in work.answers.items():
            plain = " ".join(text.split())
            if len(plain) >= ANSWER_LETTERS and plain not in empty:
                by_text[name, plain.casefold()].append(student)
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for (name, _), students in by_text.items():
        for pair in itertools.combinations(students, 2) if len(students) <= 20 else ():
            found[pair].append(name)
    return found


def _where(first: Written, second: Written, own: set[int]) -> tuple[str, ...]:
    counts = {
        name: len(first.prints[name] & second.prints.get(name, frozenset()) & own)
        for name in first.prints
    }
    return tuple(
        sorted(
            (name for name, count in counts.items() if count),
            key=lambda name: (-counts[name], name),
        )
    )

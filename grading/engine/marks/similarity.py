"""Pairs of submissions whose code is equal except for names, comments and layout: a list for a
person to read, not a verdict.

Code of the released notebook is left out, and so is code that more than the fraction COMMON of
the class shares, because the exercise itself leads to it. If so many have a whole cell in common,
they are reported as one group instead of as pairs. `code_fingerprints` describes the comparison.
"""

import itertools
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from grading.engine.code_fingerprints import Group, Pair, Written, fingerprints
from grading.engine.course.assignment import Assignment
from grading.engine.course.directory import Course
from grading.engine.intake.hand_in_times import HandInTimes
from grading.engine.safe_text import shown
from grading.engine.submission_size_and_time import MAX_BYTES
from grading.engine.submitted_notebook import read_submitted_cells
from grading.engine.trusted_process_limits import bounded
from tito.errors import TitoError

MAX_CODE = 2**18  # characters of a submission's code that are compared
MIN_FINGERPRINTS = 8  # of the smaller submission of a pair; fewer mean nothing
# Fingerprints that more of the class (and more than four students) share are ignored.
COMMON = 0.3
LEAST = 0.5  # of the smaller submission's own code
ANSWER_LETTERS = 40  # shorter answers may be equal by chance


def similar(
    course: Course, assignment: Assignment
) -> tuple[list[Group], list[Pair], dict[str, Written]]:
    """(groups, pairs, works): the groups with one solution, the largest first; the pairs that share
    LEAST or more of their code, or an answer, the most similar first.
    """
    stems = Assignment.of(assignment).stems
    given, empty = set(), set()
    for stem in stems:
        released = read_written([(stem, course.released(assignment, stem))])
        given |= released.all
        empty |= {" ".join(text.split()) for text in released.answers.values()}
    works = {}
    groups_of = HandInTimes(course, assignment).groups()
    for student in course.students(assignment):
        members = groups_of.get(student, (student,))
        if student != members[0]:
            continue  # a group hands in one work
        folder = course.submitted(student, assignment)
        works[" + ".join(members)] = read_written(
            [(stem, folder / f"{stem}.ipynb") for stem in stems]
        )
    owners: dict[int, list[str]] = defaultdict(list)
    for student, work in works.items():
        for one in work.all - given:
            owners[one].append(student)
    most = max(4, COMMON * len(works))
    own = {one for one, names in owners.items() if len(names) <= most}
    shared: Counter = Counter()
    for one in own:
        shared.update(itertools.combinations(owners[one], 2))
    sizes = {student: len(work.all & own) for student, work in works.items()}
    answered = _by_answer(works, empty)
    groups = _groups(works, given, answered, most)
    same: dict[tuple[str, str], list[str]] = defaultdict(list)  # pairs -> the names of cells
    for (name, _), students in answered.items():
        for pair in itertools.combinations(students, 2) if len(students) <= most else ():
            same[pair].append(name)
    pairs = []
    for first, second in sorted(shared.keys() | same.keys()):
        smaller = min(sizes[first], sizes[second])
        share = shared[first, second] / smaller if smaller >= MIN_FINGERPRINTS else 0.0
        if share >= LEAST or (first, second) in same:
            cells = _where(works[first], works[second], own)
            answers = tuple(same.get((first, second), ()))
            count = shared[first, second]
            pairs.append(Pair(round(share, 3), count, first, second, cells, answers))
    pairs.sort(key=lambda pair: (-pair.share, -pair.shared, pair.first, pair.second))
    return groups, pairs, works


def read_written(files: list[tuple[str, Path]]) -> Written:
    """Solution cells and written answers; a file that is not a notebook, or code that is not
    Python, counts as empty.
    """
    work = Written()
    for stem, path in files:
        try:
            if path.is_symlink() or path.stat().st_size > MAX_BYTES:
                continue
            with bounded(f"comparing {path.name}"):
                notebook = read_submitted_cells.read_submitted(
                    path.read_text(encoding="utf-8-sig"), path.name
                )
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


def _groups(
    works: dict[str, Written],
    given: set[int],
    answered: dict[tuple[str, str], list[str]],
    most: float,
) -> list[Group]:
    """Groups of more than `most` students whose code in a cell is the same, or whose answer is."""
    owners: dict[tuple[str, Any], list[str]] = defaultdict(list)
    for student, work in works.items():
        for name, prints in work.prints.items():
            if len(prints - given) >= MIN_FINGERPRINTS:
                owners[name, prints].append(student)
    together: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for (name, _), students in (*owners.items(), *answered.items()):
        if len(students) > most:
            together[tuple(sorted(students))].append(name)
    groups = [Group(students, tuple(names)) for students, names in together.items()]
    return sorted(groups, key=lambda one: (-len(one.students), one.cells))


def _by_answer(works: dict[str, Written], empty: set[str]) -> dict[tuple[str, str], list[str]]:
    """(cell, answer) -> the students who wrote it."""
    students_of: dict[tuple[str, str], list[str]] = defaultdict(list)
    for student, work in works.items():
        for name, text in work.answers.items():
            plain = " ".join(text.split())
            if len(plain) >= ANSWER_LETTERS and plain not in empty:
                students_of[name, plain.casefold()].append(student)
    return students_of


def _where(first: Written, second: Written, own: set[int]) -> tuple[str, ...]:
    both = first.prints.keys() & second.prints.keys()
    counts = {name: len(first.prints[name] & second.prints[name] & own) for name in both}
    return tuple(sorted(filter(counts.get, both), key=lambda name: (-counts[name], name)))

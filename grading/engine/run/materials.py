"""The kit: everything that grading a submission needs except the submission itself, in one folder
that is made once for a batch.

    kit.json              the assignment, the cells with points, the digest
    release/A/*           the released notebooks and the files beside them
    gradebook.db          nbgrader's definitions of the assignment, without any student
    given/                tinytorch and modules/ as students have them, with the reference of every
                          earlier module
    tests/0, tests/1      public and hidden contract tests

A process that grades sees a kit and one submission: no course, no repository. A cluster gets the
kit as one zip.
"""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import stat
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grading.engine.course.assignment import Assignment, Sealed
from grading.engine.results import graded_cells
from tito.contract.marks import tests_in
from tito.errors import WorkError
from tito.notebook.cells import load_ipynb, read_ipynb
from tito.run.earned import promises_asked

if TYPE_CHECKING:
    from grading.engine.course.directory import Course

_PER_STUDENT_TABLES = ("grade", "comment", "submitted_notebook", "submitted_assignment", "student")
_REPOSITORY = Path(__file__).resolve().parents[3]
MAX_FILE_BYTES = 64 * 2**20  # for a file that is released beside a notebook


@dataclass(frozen=True)
class Kit:
    root: Path
    assignment: Assignment
    # notebook -> (grade_id, kind, max_points) in order
    cells: dict[str, list[tuple[str, str, float]]]
    # changes when the release, a test, the given package, the seed or the engine changes
    digest: str
    seed: int  # the seed of the sealed tests' random inputs
    students_own: list[str]  # files of the release that a submission may replace
    ignored: list[str]  # patterns of file names that a submission may not bring
    # grade_id -> the promises of its exercise that the sealed tests name, in the plain form
    promises: dict[str, list[str]]

    @classmethod
    def build(cls, course: Course, assignment: Assignment, root: Path, seed: int) -> Kit:
        """Gather the kit of an assignment in the empty folder `root`.

        Args:
            seed: the seed of the sealed tests' random inputs; see `seed.seed_of`.
        """
        root.mkdir(parents=True, exist_ok=True)
        folder = root / "release" / assignment.name
        shutil.copytree(
            course.released(assignment).parent, folder, ignore=_only_regular, symlinks=True
        )
        _definitions(course, assignment, root / "gradebook.db")
        sealed, contract = None, assignment.sealed
        no_tests = shutil.ignore_patterns("__pycache__", "given")
        no_code = shutil.ignore_patterns("__pycache__")
        if contract:
            for number, tests in enumerate(contract.tests):
                shutil.copytree(tests, root / "tests" / str(number), ignore=no_tests)
            sealed = {"export": contract.export, "folders": len(contract.tests)}
        if assignment.module:
            _given(assignment.module, root / "given")
        elif contract and contract.given and contract.given.is_dir():
            shutil.copytree(contract.given, root / "given", ignore=no_code)
        else:
            (root / "given").mkdir()
        sealed_cells = _marked(root / "tests")
        cells = {
            stem: [
                (grade_id, "contract" if grade_id in sealed_cells else kind, points)
                for grade_id, kind, points in graded_cells(load_ipynb(folder / f"{stem}.ipynb"))
            ]
            for stem in assignment.stems
        }
        asked: dict[str, list[str]] = {}
        for stem in assignment.stems:
            asked |= promises_asked(read_ipynb(folder / f"{stem}.ipynb"), root / "tests")
        own, ignored = course.settings.students_own(assignment.name), course.settings.ignored
        facts = {
            "assignment": assignment.name,
            "stems": assignment.stems,
            "module": assignment.module.name if assignment.module else None,
            "sealed": sealed,
            "cells": cells,
            "promises": asked,
            "digest": _digest(root, seed, [*own, "", *ignored]),
            "seed": seed,
            "students_own": own,
            "ignored": ignored,
        }
        (root / "kit.json").write_text(json.dumps(facts), encoding="utf-8")
        return cls.open(root)

    @classmethod
    def open(cls, root: Path) -> Kit:
        facts = json.loads((root / "kit.json").read_text(encoding="utf-8"))
        sealed, module = facts["sealed"], None
        if facts["module"]:
            from tito.workspace import read_module

            module = read_module(root / "given" / "modules" / facts["module"])
        if sealed:
            tests = tuple(root / "tests" / str(number) for number in range(sealed["folders"]))
            sealed = Sealed(sealed["export"], tests)
        own = ("digest", "seed", "students_own", "ignored", "promises")
        return cls(
            root,
            Assignment(facts["assignment"], tuple(facts["stems"]), module, sealed),
            {stem: [tuple(row) for row in rows] for stem, rows in facts["cells"].items()},
            **{name: facts[name] for name in own},
        )

    @property
    def given(self) -> Path:
        return self.root / "given"

    @property
    def released(self) -> Path:
        return self.root / "release" / self.assignment.name

    @property
    def graded(self) -> list[tuple[str, str, str, float]]:
        """(notebook, grade_id, kind, max_points) of every cell with points, in order."""
        return [(stem, *row) for stem, rows in self.cells.items() for row in rows]

    @property
    def max_points(self) -> float:
        return sum(points for *_, points in self.graded)

    def packed(self) -> bytes:
        """The kit as a zip, for a machine that shares no disk with this one."""
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(self.root.rglob("*")):
                if path.is_file() and "__pycache__" not in path.parts:
                    archive.write(path, path.relative_to(self.root).as_posix())
        return out.getvalue()

    @classmethod
    def unpacked(cls, data: bytes, root: Path) -> Kit:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            archive.extractall(root)  # the zip was made by `packed` on a trusted machine
        return cls.open(root)


def _marked(tests: Path) -> set[str]:
    """The cells that contract tests score, whatever the code in them is."""
    sealed = (test for path in tests.rglob("*.py") for test in tests_in(path))
    return {name for test in sealed for name in test.grade_ids}


def _only_regular(folder: str, names: list[str]) -> set[str]:
    left_out = {"__pycache__", ".ipynb_checkpoints"}
    for path in (Path(folder) / name for name in names):
        facts = path.lstat()
        small = stat.S_ISREG(facts.st_mode) and facts.st_size <= MAX_FILE_BYTES
        if not (small or stat.S_ISDIR(facts.st_mode)):
            left_out.add(path.name)
    return left_out


def _definitions(course: Course, assignment: Assignment, target: Path) -> None:
    """Write a SQLite copy of the gradebook without students, whatever database the class uses."""
    from grading.engine.nbgrader.library import MissingEntry, gradebook

    with gradebook(f"sqlite:///{target.as_posix()}") as copy, course.book() as book:
        try:
            tables = type(book.find_assignment(assignment.name)).metadata.sorted_tables
        except MissingEntry:
            raise WorkError(
                f"an assignment is graded with the cells that the gradebook knows; {course.db_url}"
                f" does not know {assignment.name}. Run:"
                f" {'tito grade release' if assignment.module else 'nbgrader generate_assignment'}"
                f" {assignment.name}"
            ) from None
        for table in tables:
            if table.name not in _PER_STUDENT_TABLES:
                copy.db.execute(table.delete())
                rows = [dict(row._mapping) for row in book.db.execute(table.select())]
                if rows:
                    copy.db.execute(table.insert(), rows)
        copy.db.commit()


def _given(module: Any, given: Path) -> None:
    """Copy the given package and, so that a bug in an earlier module costs no points in this one,
    the references of earlier modules.
    """
    from grading.engine.course.references import write_references
    from tito.workspace import Workspace

    workspace = Workspace(module.root)
    workspace.copy_package(given)
    scripts = {one.script.name for one in workspace.modules()}  # there or not: git keeps none
    no_work = shutil.ignore_patterns("__pycache__", "*.ipynb", ".starter", *scripts)
    shutil.copytree(module.root / "modules", given / "modules", ignore=no_work)
    write_references(workspace.before(module), given)


def _digest(root: Path, seed: int, names: list[str]) -> str:
    """A digest of the kit without the gradebook (whose row ids are arbitrary), of the seed, of the
    course's settings for `names` of files, and of the engine's own code.
    """
    rooms = [(root, folder, "*") for folder in ("release", "given", "tests")]
    rooms += [(_REPOSITORY, folder, "*.py") for folder in ("grading/engine", "tito")]
    total = hashlib.sha256("\0".join([str(seed), *names]).encode())
    for base, folder, pattern in rooms:
        for path in sorted((base / folder).rglob(pattern)):
            if path.is_file():
                total.update(path.relative_to(base).as_posix().encode() + b"\0")
                total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()[:32]

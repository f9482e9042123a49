"""The kit: everything that grading a submission needs except the submission itself, in one folder
that is made once for a batch.

    kit.json              the assignment, the cells with points, the digest
    release/A/*           the released notebooks and the files beside them
    earlier/A/*           editions of the release that a correction replaced
    gradebook.db          nbgrader's definitions of the assignment, without any student
    given/                tinytorch and modules/ as students have them, with the reference of every
                          earlier module
    tests/0, tests/1      public and hidden contract tests

A process that grades sees a kit and one submission: no course, no repository. A cluster gets the
kit as one zip.
"""

from __future__ import annotations

import io
import json
import shutil
import stat
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grading.engine.course.assignment import Assignment, Sealed
from grading.engine.run.what_is_graded_again import digest_of, parts_of
from grading.engine.submission_marks import graded_cells
from grading.engine.submitted_notebook.match_editions import EARLIER
from tito.contract.facts_of_tests import tests_in
from tito.errors import WorkError
from tito.files import dated, write_atomic
from tito.notebook.cells import read_ipynb
from tito.notebook.ipynb_format import load_ipynb
from tito.run.points_earned import promises_asked
from tito.workspace import TOOLS

if TYPE_CHECKING:
    from grading.engine.course.directory import Course

_PER_STUDENT_TABLES = ("grade", "comment", "submitted_notebook", "submitted_assignment", "student")
MAX_FILE_BYTES = 64 * 2**20  # for a file that is released beside a notebook


@dataclass(frozen=True)
class Kit:
    root: Path
    assignment: Assignment
    # notebook -> (grade_id, kind, max_points) in order
    cells: dict[str, list[tuple[str, str, float]]]
    # changes when the release, a test, the given package, the seed or a setting changes
    digest: str
    seed: int  # the seed of the sealed tests' random inputs
    students_own: list[str]  # files of the release that a submission may replace
    ignored: list[str]  # patterns of file names that a submission may not bring
    # grade_id -> the promises of its exercise that the sealed tests name, in the plain form
    promises: dict[str, list[str]]
    # what `digest` is made of -> the digest of each, so that a change can be named
    parts: dict[str, str] = field(default_factory=dict)
    tool: str = ""  # changes with tito's own code, for which nothing is graded again

    @classmethod
    def build(cls, course: Course, assignment: Assignment, root: Path, seed: int) -> Kit:
        """Gather the kit of an assignment in the empty folder `root`.

        Args:
            seed: the seed of the sealed tests' random inputs; see `input_seed.seed_of`.
        """
        root.mkdir(parents=True, exist_ok=True)
        folder, released = root / "release" / assignment.name, course.released(assignment).parent
        shutil.copytree(released, folder, ignore=_only_regular, symlinks=True)
        definitions(course, assignment, root / "gradebook.db")
        if (earlier := course.root / EARLIER / assignment.name).is_dir():
            shutil.copytree(earlier, root / EARLIER / assignment.name)
        sealed, contract = None, assignment.sealed
        no_tests = shutil.ignore_patterns("__pycache__", ".pytest_cache", "given")
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
        cells, asked = {}, dict[str, list[str]]()
        for stem in assignment.stems:
            notebook = folder / f"{stem}.ipynb"
            cells[stem] = [
                (grade_id, "contract" if grade_id in sealed_cells else kind, points)
                for grade_id, kind, points in graded_cells(load_ipynb(notebook))
            ]
            asked |= promises_asked(read_ipynb(notebook), root / "tests")
        own, ignored = course.settings.students_own(assignment.name), course.settings.ignored
        module = assignment.module
        # tinytorch/ of a course that has none of its own comes with tito
        theirs = module is not None and not (module.root / TOOLS / "__init__.py").is_file()
        seconds = course.settings.cell_seconds
        timeout = [] if seconds is None else ["", f"{seconds} s for a cell"]
        settings = [*own, "", *ignored, *timeout]
        parts, tool = parts_of(
            root, of_tito=theirs, cells=[cells, asked], seed=seed, settings=settings
        )
        facts = {
            "assignment": assignment.name,
            "module": module.name if module else None,
            "sealed": sealed,
            "cells": cells,
            "promises": asked,
            "digest": digest_of(parts),
            "parts": parts,
            "tool": digest_of(tool),
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
        own = ("digest", "seed", "students_own", "ignored", "promises", "parts", "tool")
        return cls(
            root,
            Assignment(facts["assignment"], tuple(facts["cells"]), module, sealed),
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


def keep_release(course: Course, assignment: Assignment) -> None:
    """Keep the edition that is graded, because nbgrader replaces it when it releases a corrected
    one: text of an edition that students were given is not their own.
    """
    kept = course.root / EARLIER / assignment.name
    for stem in assignment.stems:
        now = course.released(assignment, stem).read_bytes()
        if now not in [path.read_bytes() for path in kept.glob(f"*/{stem}.ipynb")]:
            write_atomic(dated(kept, "edition") / f"{stem}.ipynb", now)


def definitions(course: Course, assignment: Assignment, target: Path) -> None:
    """Write a SQLite copy of the gradebook without students, whatever database the class uses."""
    from grading.engine.nbgrader.import_nbgrader import MissingEntry, gradebook, shown_url

    with gradebook(f"sqlite:///{target.as_posix()}") as copy, course.book() as book:
        try:
            tables = type(book.find_assignment(assignment.name)).metadata.sorted_tables
        except MissingEntry:
            command = "tito grade release" if assignment.module else "nbgrader generate_assignment"
            raise WorkError(
                "an assignment is graded with the cells that the gradebook knows;"
                f" {shown_url(course.db_url)} does not know {assignment.name}. Run: {command}"
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

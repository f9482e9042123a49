"""Grade one submission: run in a process of its own, forked by `grading.engine.run.server`.

It sees a kit (see `kit`) and a scratch course that holds one submission. What it finds goes to
result.json as plain data; the class's gradebook is written by the engine alone. The student's code
runs in the sandbox, never in this process.
"""

from __future__ import annotations

import ast
import dataclasses
import errno
import json
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import Any

from grading.engine import results
from grading.engine.bounds import GRADING_BYTES, MiB, bounded
from grading.engine.run.materials import Kit
from grading.engine.sandbox import Connected
from grading.engine.texts import shown
from tito import exporter
from tito.errors import TitoError
from tito.notebook.cells import Cell, cells_of, parse, read_text, syntax_errors
from tito.run import runner

STUDENT = "student"  # the name in the scratch course; the true one is not the grader's business
# Errors that a file's name cannot cause: nothing is graded until the machine is mended.
OF_THE_MACHINE = frozenset(
    getattr(errno, name)
    for name in ("ENOSPC", "EDQUOT", "EROFS", "EIO", "EMFILE", "ENFILE", "ENOMEM", "EACCES")
)


def lay_out(
    place: Path,
    kit: Kit,
    notebooks: dict[str, bytes],
    files: dict[str, bytes],
    timestamp: str | None,
) -> list[str]:
    """Make the scratch course of one submission in the empty folder `place`.

    Returns:
        What could not be laid out, and why. These are reasons of this submission: the student chose
        the names, and the others are graded.

    Raises:
        OSError: of the machine (a full disk, say), which no submission is to blame for.
    """
    course = place / "course"
    submitted = course / "submitted" / STUDENT / kit.assignment.name
    submitted.mkdir(parents=True)
    shutil.copytree(kit.root / "release", course / "release")
    shutil.copyfile(kit.root / "gradebook.db", course / "gradebook.db")
    for stem, data in notebooks.items():
        (submitted / f"{stem}.ipynb").write_bytes(data)
    if timestamp:
        (submitted / "timestamp.txt").write_text(timestamp + "\n", encoding="utf-8")
    # What the notebook finds beside it: the release's files first, then what was handed in besides.
    # Never a notebook, which would hold hidden tests.
    room = place / "files"
    shutil.copytree(kit.released, room, ignore=shutil.ignore_patterns("*.ipynb"))
    given = {path.relative_to(room).as_posix() for path in room.rglob("*") if path.is_file()}
    reasons = []
    for name, data in files.items():
        if name not in given and (problem := _put_beside(room, name, data)):
            reasons.append(f"{shown(name)} was left out: {problem}")
    return reasons


def _put_beside(room: Path, name: str, data: bytes) -> str | None:
    """Write one file that was handed in; why it cannot stand there, if it cannot."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:
        return "its name leads out of the submission"
    try:
        (room / path).parent.mkdir(parents=True, exist_ok=True)
        with open(room / path, "xb") as file:
            file.write(data)
    except (FileExistsError, IsADirectoryError, NotADirectoryError):
        return "the release, or another file, has a file or a folder of that name"
    except OSError as problem:
        if problem.errno in OF_THE_MACHINE:
            raise
        return f"no file can be called so here ({problem.strerror})"
    except ValueError as problem:  # a NUL, half of a character
        return f"no file can be called so here ({problem})"
    return None


def grade(request: dict[str, Any], keep: Callable[[dict[str, Any]], None]) -> None:
    """Run the sealed tests and the notebooks; see `results` for the rows.

    Args:
        request: scratch and kit (folders), cell_seconds, notebook_seconds, contract_seconds,
            sandbox (address), seed, parts ("notebook", "contract"; what to run of the two).
        keep: called after each part with the verdict on all that was run until then: rows,
            reasons, flags, stages; and killed_outside, true when a sandbox was killed by neither
            the student's code nor the grader, so that the submission is to be graded again.
    """
    place, kit = Path(request["scratch"]), Kit.open(Path(request["kit"]))
    verdict = nothing()
    found: dict[tuple[str, str], dict[str, Any]] = {}
    cells = _read(kit, place, verdict["reasons"])
    for name, stage in (("contract", _contracts), ("notebook", _notebooks)):
        if name not in request["parts"]:
            continue
        begin = _clocks()
        found.update(stage(kit, place, request, verdict, cells))
        verdict["stages"][name] = [
            round(after - before, 4) for before, after in zip(begin, _clocks(), strict=True)
        ]
        if Connected.ended_outside:
            verdict["reasons"].append("the notebook's sandbox was killed from outside")
            verdict["killed_outside"] = True
        verdict["rows"] = _rows(kit, request["parts"], found)
        keep(verdict)


def nothing(*reasons: str) -> dict[str, Any]:
    """The verdict before anything was run."""
    return {
        "rows": [],
        "reasons": list(reasons),
        "flags": [],
        "stages": {},
        "killed_outside": False,
    }


def _rows(
    kit: Kit, parts: list[str], found: dict[tuple[str, str], dict[str, Any]]
) -> list[dict[str, Any]]:
    """A row for each cell of `parts`, in order; 0 points where nothing was found."""
    rows = []
    for stem, cells in kit.cells.items():
        for grade_id, kind, points in cells:
            if (stem, grade_id) in found:
                rows.append({**found[stem, grade_id], "notebook": stem})
            elif _part(kind) in parts:
                empty = results.row(grade_id, kind, points, None if kind == "question" else 0.0)
                rows.append({**empty, "notebook": stem})
    return rows


def _part(kind: str) -> str:
    return "contract" if kind == "contract" else "notebook"


def _clocks() -> tuple[float, float]:
    """Wall and CPU seconds of this process and of the children that it has waited for."""
    used = os.times()
    return time.monotonic(), used.user + used.system + used.children_user + used.children_system


def _submitted(kit: Kit, place: Path, stem: str) -> Path:
    return place / "course" / "submitted" / STUDENT / kit.assignment.name / f"{stem}.ipynb"


def _read(kit: Kit, place: Path, reasons: list[str]) -> dict[str, list[Cell]]:
    """The cells of each notebook that was handed in and can be read, with what was done to types,
    labels and locked cells undone, as for the notebook's own tests. Why another one cannot be read
    is a reason.

    How much there is to read, a student chooses: memory and time are limited here.
    """
    from grading.engine.guard import reading, restore
    from grading.engine.nbgrader.library import nbformat

    found = {}
    for stem in kit.assignment.stems:
        path = _submitted(kit, place, stem)
        if path.is_file():
            released = nbformat.read(kit.released / path.name, as_version=4)
            try:
                with bounded(f"reading {path.name}"):
                    work = reading.read_any(read_text(path), path.name)
                    found[stem] = cells_of(restore.rebuild(work, released))
            except TitoError as problem:
                reasons.append(f"{path.name} could not be graded: {problem}")
    return found


def _contracts(
    kit: Kit,
    place: Path,
    request: dict[str, Any],
    verdict: dict[str, Any],
    cells: dict[str, list[Cell]],
) -> dict[tuple[str, str], dict[str, Any]]:
    """Public and hidden contract tests on the student's exported cells; whatever keeps them from
    running is a reason.
    """
    wanted = {
        grade_id: (stem, points)
        for stem, rows in kit.cells.items()
        for grade_id, kind, points in rows
        if kind == "contract"
    }
    if not wanted:
        return {}
    reasons = verdict["reasons"]
    tests = _sealed(kit, place, request, reasons, cells) if kit.assignment.sealed else []
    verdict["killed_outside"] = any(test["status"] == results.KILLED for test in tests)
    found = {}
    for grade_id, (stem, points) in wanted.items():
        row = found[stem, grade_id] = results.contract_row(
            grade_id, points, [test for test in tests if test["grade_id"] == grade_id]
        )
        if not row["tests"]:
            reasons += [] if reasons else [f"no contract test carries the mark {grade_id}"]
            row["message"] = reasons[0]
        row["review"] = not row["tests"] or any(
            test["status"] == "not_run" for test in row["tests"]
        )
    return found


def _sealed(
    kit: Kit,
    place: Path,
    request: dict[str, Any],
    reasons: list[str],
    by_notebook: dict[str, list[Cell]],
) -> list[dict[str, Any]]:
    from grading.engine.run.sealed import run_sealed
    from grading.engine.sandbox import SandboxLimits

    sealed = kit.assignment.sealed
    assert sealed  # whoever calls this has looked
    cells = [cell for part in by_notebook.values() for cell in part]
    if reasons or not cells:  # a notebook that cannot be read: its code is missing
        return []
    try:
        with bounded("exporting the code"):
            broken = syntax_errors([cell for cell in cells if cell.exported])
            package = None if broken else _package(kit, cells, place / "export")
        if package is None:
            cell, line, message = broken[0]
            reasons.append(f"the code does not parse: {cell.label}, line {line}: {message}")
            return []
        tests = run_sealed(
            package,
            sealed.import_name,
            list(sealed.tests),
            given=kit.given,
            sandbox_address=request["sandbox"],
            limits=SandboxLimits(**request["sandbox_limits"]),
            seed=request["seed"],
            test_seconds=request["test_seconds"],
            total_seconds=request["contract_seconds"],
            report=place / "contract.jsonl",
        )
    except (TitoError, OSError) as problem:
        reasons.append(f"the contract tests could not run: {problem}")
        return []
    reasons += [
        f"{test['test']} ({test['status']}): {test['message']}"
        for test in tests
        if test["grade_id"] is None
    ]
    late = [test["test"] for test in tests if test["grade_id"] and test["status"] == "timeout"]
    if late:
        reasons.append(f"contract tests that did not come to an end: {', '.join(late)}")
    collected = [test for test in tests if test["grade_id"]]
    missing = sum(test["status"] == "not_run" for test in collected)
    if missing:
        reasons.append(
            f"the run broke off: {missing} of {len(collected)} contract tests were not run, and a"
            " test that was not run earns nothing until a person has looked"
        )
    return tests


def _package(kit: Kit, cells: list[Cell], folder: Path) -> Path:
    """A workspace whose package is what the cells export."""
    if kit.assignment.module:
        return runner.make_scratch(kit.assignment.module, cells, folder, given_from=kit.given)
    if not any(cell.exported for cell in cells):
        cells = [
            (
                dataclasses.replace(cell, source="#| export\n" + _definitions(cell.source))
                if cell.kind == "code" and cell.is_solution
                else cell
            )
            for cell in cells
        ]
    shutil.copytree(kit.given, folder)
    assert kit.assignment.sealed  # as above
    target = folder / kit.assignment.sealed.export
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(
        exporter.render(cells, kit.assignment, source_name=kit.assignment.stem),
        encoding="utf-8",
        newline="\n",
    )
    return folder


def _definitions(source: str) -> str:
    """A cell's imports, functions and classes, on their lines; what it runs besides (a plot, a
    stub's `raise`) is not part of a package.
    """
    lines = source.split("\n")
    kept: set[int] = set()
    tree = parse(source)
    for node in tree.body if tree else ():
        if isinstance(
            node,
            (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef),
        ):
            first = min(
                [
                    node.lineno,
                    *(decorator.lineno for decorator in getattr(node, "decorator_list", ())),
                ]
            )
            kept.update(range(first - 1, node.end_lineno or node.lineno))
    return "\n".join(line if number in kept else "" for number, line in enumerate(lines))


def _notebooks(
    kit: Kit,
    place: Path,
    request: dict[str, Any],
    verdict: dict[str, Any],
    cells: dict[str, list[Cell]],
) -> dict[tuple[str, str], dict[str, Any]]:
    found = {}
    kernel = _kernel(kit, place, request)
    for stem in kit.assignment.stems:
        if not any(kind != "contract" for _, kind, _ in kit.cells[stem]):
            continue
        if stem in cells:
            for row in _notebook(kit, place, stem, kernel, request, verdict):
                found[stem, row["grade_id"]] = row
    return found


def _notebook(
    kit: Kit, place: Path, stem: str, kernel: str, request: dict[str, Any], verdict: dict[str, Any]
) -> list[dict[str, Any]]:
    """Run nbgrader's Autograde on one notebook of the scratch course; read each graded cell's
    score and outputs.
    """
    from grading.engine.course.directory import Course
    from grading.engine.nbgrader.library import MissingEntry, convert, gradebook, nbformat, quiet
    from grading.engine.steps.config import classes
    from grading.engine.steps.grading import TROUBLE

    with quiet():
        from nbgrader.converters import Autograde

    name, course = kit.assignment.name, Course(place / "course")
    config = classes(
        course.config(),
        cell_seconds=request["cell_seconds"],
        notebook_seconds=request["notebook_seconds"],
    )
    config.ExecuteGraded.kernel_name, config.ExecuteGraded.seed = kernel, request["seed"]
    config.CourseDirectory.notebook_id = stem
    lines: list[str] = []
    try:
        lines = convert(Autograde, config, name, STUDENT)
    except Exception as problem:  # noqa: BLE001 - this submission's reason, not the batch's end
        lines = getattr(problem, "log_lines", []) or [f"{type(problem).__name__}: {problem}"]
    executed = course.autograded(STUDENT, kit.assignment, stem)
    if not executed.is_file():
        verdict["reasons"].append(f"nbgrader could not grade {stem}.ipynb: {_last(lines)}")
        return []
    notebook = nbformat.read(executed, as_version=4)
    verdict["reasons"] += notebook.metadata.pop(TROUBLE, [])
    verdict["flags"] += [
        {**flag, "notebook": stem} for flag in notebook.metadata.pop("tito_flags", [])
    ]
    cells = {cell.metadata.get("nbgrader", {}).get("grade_id"): cell for cell in notebook.cells}
    rows = []
    with gradebook(course.db_url) as book:
        for grade_id, kind, points in kit.cells[stem]:
            if kind == "contract":
                continue
            try:
                score = book.find_grade(grade_id, stem, name, STUDENT).auto_score
            except MissingEntry:
                score = None
            if kind == "question":
                # nbgrader gives an answer cell that nobody touched 0, every other one to a person
                rows.append(
                    results.row(
                        grade_id, kind, points, score, "waits" if score is None else "your_turn"
                    )
                )
                continue
            details = results.read_cell(cells[grade_id]) if grade_id in cells else {}
            rows.append(results.row(grade_id, kind, points, score or 0.0, **details))
    return rows


def _kernel(kit: Kit, place: Path, request: dict[str, Any]) -> str:
    """The sandboxed kernel of this submission, whatever kernels the instructor has installed."""
    from grading.engine.sandbox import SandboxLimits, provisioner

    provisioner.register()
    data = place / "jupyter"
    os.environ.update(
        JUPYTER_PATH=str(data),
        JUPYTER_RUNTIME_DIR=str(data / "runtime"),
        JUPYTER_CONFIG_DIR=str(data / "config"),
        IPYTHONDIR=str(data / "ipython"),
    )
    return provisioner.write_kernel_spec(
        data,
        address=request["sandbox"],
        package=kit.given,
        files=place / "files",
        limits=SandboxLimits(**request["sandbox_limits"]),
    )


def _last(lines: list[str]) -> str:
    said = [
        line.strip().splitlines()[-1]
        for line in lines
        if "Error" in line or line.startswith("Traceback")
    ]
    said = said or [line for line in lines if line.strip()]
    return said[0][:300] if said else "it said nothing"


def run_request(path: Path) -> int:
    """Grade what request.json names; result.json beside it holds what has been decided."""

    def keep(verdict: dict[str, Any]) -> None:
        partial = path.with_name("result.tmp")
        partial.write_text(json.dumps(verdict), encoding="utf-8")
        os.replace(partial, path.with_name("result.json"))

    try:
        grade(json.loads(path.read_text(encoding="utf-8")), keep)
    except (TitoError, OSError, MemoryError) as problem:
        much = f"grading it takes more than {GRADING_BYTES // MiB} MiB of the grader's memory"
        keep(nothing(much if isinstance(problem, MemoryError) else str(problem)))
    return 0

"""Grade one submission. This runs in a process of its own, forked by `grading.engine.run.server`.

The process sees a kit (see `grading_kit`) and a scratch course that holds one submission. It writes
its `Verdict` to result.json; only the engine writes the gradebook of the class. The student's code
runs in the sandbox, never in this process.
"""

import dataclasses
import errno
import fnmatch
import json
import os
import shutil
import time
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from grading.engine.run.grading_kit import Kit
from grading.engine.run.request_to_grade import Request
from grading.engine.run.sealed_test_marks import contracts
from grading.engine.safe_text import shown
from grading.engine.sandbox import Connected
from grading.engine.submission_marks import (
    CellMark,
    Flag,
    Verdict,
    read_cell,
    sealed_text,
    unmarked,
)
from grading.engine.submission_size_and_time import GRADING_BYTES
from grading.engine.submitted_notebook.match_editions import EARLIER
from grading.engine.trusted_process_limits import MiB, bounded
from tito.errors import TitoError, disk_full
from tito.notebook.cells import Cell, cells_of
from tito.notebook.ipynb_format import read_text
from tito.outcome import Outcome

# placeholder in the scratch course; the grading process never learns the student's id
STUDENT = "student"
DISK_FULL = 74  # the exit code of a process that found no room on this machine: EX_IOERR
# Errors that a file's name cannot cause: nothing is graded until the machine is repaired.
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
        Sentences about files that could not be laid out. They are reasons of this submission only,
        because the student chose the names.

    Raises:
        OSError: an error of the machine, such as a full disk, that no submission can cause.
    """
    course = place / "course"
    submitted = course / "submitted" / STUDENT / kit.assignment.name
    submitted.mkdir(parents=True)
    for name in ("release", EARLIER):
        if (kit.root / name).is_dir():
            shutil.copytree(kit.root / name, course / name)
    shutil.copyfile(kit.root / "gradebook.db", course / "gradebook.db")
    for stem, data in notebooks.items():
        (submitted / f"{stem}.ipynb").write_bytes(data)
    if timestamp:
        (submitted / "timestamp.txt").write_text(timestamp + "\n", encoding="utf-8")
    # The files beside the notebook: first those of the release, then those of the submission, which
    # may replace only its notebooks and what the course names. None of them holds hidden tests.
    room = place / "files"
    shutil.copytree(kit.released, room)
    for stem, data in notebooks.items():
        (room / f"{stem}.ipynb").write_bytes(data)
    for name in kit.students_own:
        if name in files:
            (room / name).unlink(missing_ok=True)
    given = {path.relative_to(room).as_posix() for path in room.rglob("*") if path.is_file()}
    reasons = []
    for name, data in files.items():
        ignored = any(fnmatch.filter(name.split("/"), pattern) for pattern in kit.ignored)
        if name not in given and not ignored and (problem := _put_beside(room, name, data)):
            reasons.append(f"{shown(name)} was left out: {problem}")
    return reasons


def _put_beside(room: Path, name: str, data: bytes) -> str | None:
    """Write one submitted file; returns the reason if that is not possible."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:
        return "its path leads out of the submission"
    try:
        (room / path).parent.mkdir(parents=True, exist_ok=True)
        with open(room / path, "xb") as file:
            file.write(data)
    except (FileExistsError, IsADirectoryError, NotADirectoryError):
        return "the release, or another file, has a file or a folder of that name"
    except OSError as problem:
        if problem.errno in OF_THE_MACHINE:
            raise
        return f"no file can have this name here ({problem.strerror})"
    except ValueError as problem:  # NUL, lone surrogate
        return f"no file can have this name here ({problem})"
    return None


def grade(request: Request) -> Iterator[Verdict]:
    """Run the sealed tests, then the notebooks; after each of these parts, yield the verdict on
    everything that has run so far.
    """
    kit = Kit.open(request.kit)
    cells, unread, odd, notes = _read(kit, request)
    verdict = Verdict(reasons=(*unread, *odd), notes=notes)
    for part in ("contract", "notebook"):
        begin = _clocks()
        if part == "contract":
            result = contracts(kit, request, cells, unread)
        else:
            result = _notebooks(kit, request, cells, verdict.marks)
        used = [round(after - before, 4) for before, after in zip(begin, _clocks(), strict=True)]
        verdict = verdict.joined(dataclasses.replace(result, stages={part: used}))
        if Connected.ended_outside:
            killed = ("the notebook's sandbox was killed from outside",)
            verdict = verdict.joined(Verdict(reasons=killed, killed_outside=True))
        yield dataclasses.replace(verdict, marks=_all_marks(kit, verdict.marks))


def _all_marks(kit: Kit, marks: Sequence[CellMark]) -> tuple[CellMark, ...]:
    """A mark for each cell, in order; 0 points for cells without a result."""
    known = {mark.key: mark for mark in marks}
    no_result = Outcome("not_run")
    return tuple(known.get(row[:2]) or unmarked(*row, no_result) for row in kit.graded)


def _clocks() -> tuple[float, float]:
    """Wall and CPU seconds of this process, of the children that it has waited for, and of its
    sandboxes that have ended.
    """
    used = os.times()
    own = used.user + used.system + used.children_user + used.children_system
    return time.monotonic(), own + Connected.cpu_seconds


def _submitted(kit: Kit, request: Request, stem: str) -> Path:
    name = kit.assignment.name
    return request.scratch / "course" / "submitted" / STUDENT / name / f"{stem}.ipynb"


def _read(
    kit: Kit, request: Request
) -> tuple[dict[str, list[Cell]], tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """The cells of each submitted notebook that can be read, which is rebuilt from the release in
    its place; the reasons why other notebooks cannot be read; what could not be read in
    these; and what was put right.
    """
    from grading.engine.nbgrader.import_nbgrader import nbformat
    from grading.engine.submitted_notebook import notebook_files, restore_notebook
    from grading.engine.submitted_notebook.cells_put_back import cells_put_back
    from grading.engine.submitted_notebook.read_submitted_cells import UNREAD, why_unreadable

    rebuilt: dict[str, list[Cell]] = {}
    unread, odd, notes = list[str](), list[str](), list[str]()
    for stem in kit.assignment.stems:
        path = _submitted(kit, request, stem)
        if path.is_file():
            released = nbformat.read(kit.released / path.name, as_version=4)
            earlier = notebook_files.earlier_editions(kit.root, kit.assignment.name, stem)
            try:
                with bounded(f"reading {path.name}"):
                    work = notebook_files.read_any(read_text(path), path.name)
                    made = restore_notebook.rebuild(work, released, earlier)
                    notebook_files.write_rebuilt(path, made)
                    rebuilt[stem] = cells_of(made)
                odd += work.metadata.get(UNREAD, ())
                notes += cells_put_back(work, path.name, released)
            except TitoError as problem:
                with bounded(f"reading {path.name}"):
                    why = why_unreadable(path.read_bytes()) or problem
                unread.append(f"{path.name} could not be graded: {why}")
    return rebuilt, tuple(unread), tuple(odd), tuple(notes)


def _notebooks(
    kit: Kit, request: Request, cells: dict[str, list[Cell]], sealed: Sequence[CellMark]
) -> Verdict:
    """Convert each notebook with nbgrader, with the results of the `sealed` cells in their places.

    A notebook is run only if it has test cells without sealed tests, or if the request asks for it.
    """
    verdict = Verdict()
    for stem in kit.assignment.stems:
        if stem in cells:
            runs = request.run_notebooks or any(kind == "test" for _, kind, _ in kit.cells[stem])
            mine = [mark for mark in sealed if mark.notebook == stem and mark.kind == "contract"]
            verdict = verdict.joined(_notebook(kit, stem, request, mine, runs=runs))
    return verdict


def _notebook(
    kit: Kit, stem: str, request: Request, sealed: Sequence[CellMark], *, runs: bool
) -> Verdict:
    """Run nbgrader's Autograde on one notebook of the scratch course."""
    from grading.engine.course.directory import Course
    from grading.engine.nbgrader.import_nbgrader import convert, nbformat, quiet
    from grading.engine.nbgrader_steps.autograde_steps import FLAGS
    from grading.engine.nbgrader_steps.replaced_steps import classes
    from grading.engine.submitted_notebook.execute import TROUBLE
    from grading.engine.submitted_notebook.restore_notebook import MISPLACED

    with quiet():
        from nbgrader.converters import Autograde

    course, limits = Course(request.scratch / "course"), request.limits
    times = {"cell_seconds": limits.cell_seconds, "notebook_seconds": limits.notebook_seconds}
    config = classes(course.config(), **times)
    config.ExecuteGraded.runs = config.ClearOutputs.everywhere = runs
    config.ExecuteGraded.sealed = [mark.grade_id for mark in sealed]
    config.ExecuteGraded.runs_demos = kit.assignment.module is None
    if runs:
        config.ExecuteGraded.kernel_name = _kernel(kit, request)
    config.SealedResults.results = {
        mark.grade_id: (sealed_text(mark), mark.points or 0.0) for mark in sealed
    }
    config.CourseDirectory.notebook_id = stem
    lines: list[str] = []
    try:
        lines = convert(Autograde, config, kit.assignment.name, STUDENT)
    except Exception as problem:
        if disk_full(problem):
            raise
        lines = getattr(problem, "log_lines", []) or [f"{type(problem).__name__}: {problem}"]
    executed = course.autograded(STUDENT, kit.assignment, stem)
    if not executed.is_file():
        return Verdict(reasons=(f"nbgrader could not grade {stem}.ipynb: {_last(lines)}",))
    notebook = nbformat.read(executed, as_version=4)
    marks = tuple(_scored(kit, stem, notebook, course.db_url))
    flags = [{**flag, "notebook": stem} for flag in notebook.metadata.get(FLAGS, ())]
    # Work in a wrong cell needs a person only if its exercise lost points.
    lost = {mark.grade_id for mark in (*sealed, *marks) if (mark.points or 0.0) < mark.max_points}
    flags += [
        {"grade_id": grade_id, "kind": "misplaced", "text": text, "notebook": stem}
        for grade_id, text in notebook.metadata.get(MISPLACED, ())
        if lost and grade_id in {None, *lost}
    ]
    trouble = tuple(notebook.metadata.get(TROUBLE, ()))
    return Verdict(marks, trouble, tuple(map(Flag.from_json, flags)))


def _scored(kit: Kit, stem: str, notebook: Any, db_url: str) -> Iterator[CellMark]:
    """The mark of each graded cell of an executed notebook."""
    from grading.engine.nbgrader.import_nbgrader import MissingEntry, gradebook
    from grading.engine.nbgrader_steps.autograde_steps import REMARKS
    from grading.engine.submitted_notebook.execute import STOPPED
    from grading.engine.submitted_notebook.restore_notebook import RESTORED

    after_stop, remarks = (notebook.metadata.get(name, {}) for name in (STOPPED, REMARKS))
    cells = {cell.metadata.get("nbgrader", {}).get("grade_id"): cell for cell in notebook.cells}
    with gradebook(db_url) as book:
        for grade_id, kind, points in kit.cells[stem]:
            if kind == "contract":
                continue
            try:
                score = book.find_grade(grade_id, stem, kit.assignment.name, STUDENT).auto_score
            except MissingEntry:
                score = None
            outcome = Outcome("not_run")
            if kind == "question":
                # nbgrader gives 0 for an unchanged answer cell; a person grades every other one. If
                # the cell had to be restored, the answer may be in another cell.
                score = None if grade_id in notebook.metadata.get(RESTORED, ()) else score
                outcome = Outcome("waits" if score is None else "your_turn")
            else:
                score = score or 0.0
                outcome = read_cell(cells[grade_id]) if grade_id in cells else outcome
            review = score is not None and score < points and grade_id in after_stop
            facts = (stem, grade_id, kind, points, score, outcome)
            yield CellMark(*facts, review=review, remark=remarks.get(grade_id, ""))


def _kernel(kit: Kit, request: Request) -> str:
    """The sandboxed kernel of this submission, whatever kernels the instructor has installed."""
    from grading.engine.sandbox import provisioner

    provisioner.register()
    data = request.scratch / "jupyter"
    os.environ.update(
        JUPYTER_PATH=str(data),
        JUPYTER_RUNTIME_DIR=str(data / "runtime"),
        JUPYTER_CONFIG_DIR=str(data / "config"),
        IPYTHONDIR=str(data / "ipython"),
    )
    address, limits, files = request.sandbox, request.limits.sandbox, request.scratch / "files"
    return provisioner.write_kernel_spec(
        data, address=address, package=kit.given, files=files, limits=limits
    )


def _last(lines: list[str]) -> str:
    errors = [line for line in lines if "Error" in line or line.startswith("Traceback")]
    said = [line.strip().splitlines()[-1] for line in errors]
    said = said or [line for line in lines if line.strip()] or ["it said nothing"]
    return said[0][:300]


def run_request(path: Path) -> int:
    """Grade the submission that request.json names; result.json beside it holds the verdict
    so far. Returns DISK_FULL if this machine has no room, which is no fault of the submission.
    """

    def keep(verdict: Verdict) -> None:
        partial = path.with_name("result.tmp")
        partial.write_text(json.dumps(verdict.as_json()), encoding="utf-8")
        os.replace(partial, path.with_name("result.json"))

    try:
        for verdict in grade(Request.read(path)):
            keep(verdict)
    except (TitoError, OSError, MemoryError) as problem:
        if disk_full(problem):
            return DISK_FULL
        much = f"grading it takes more than {GRADING_BYTES // MiB} MiB of the grader's memory"
        keep(Verdict(reasons=(much if isinstance(problem, MemoryError) else str(problem),)))
    return 0

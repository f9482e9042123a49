"""One submission, graded in a process of its own: `python -m grading.engine.worker` forks one for each job it reads.

It sees a scratch course (a copy of the gradebook's definitions, the release, this one submission) and a scratch workspace.
What it finds goes to result.json as plain data; the class's gradebook is written by the process that started it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import traceback
from pathlib import Path
from typing import Any

from tito import exporter, runner
from tito.course import Workspace
from tito.errors import TitoError
from tito.notebook import Cell, read_ipynb, read_percent, syntax_errors


def grade(request: dict[str, Any]) -> dict[str, Any]:
    """Execute the notebook under nbgrader, then the contract tests; see `results` for the rows."""
    from grading.engine.results import contract_row, graded_cells

    place = Path(request["scratch"])
    module = Workspace(Path(request["workspace"])).module(request["module"])
    released = json.loads((place / "course" / "release" / module.name / f"{module.stem}.ipynb").read_text(encoding="utf-8"))
    for cell in released["cells"]:
        cell["source"] = "".join(cell["source"])
    submission = place / "course" / "submitted" / request["student"] / module.name / f"{module.stem}.ipynb"
    cells = read_ipynb(submission)
    given = _given(module, place)
    reasons: list[str] = []
    rows = {}
    contracts = {grade_id: points for grade_id, kind, points in graded_cells(released) if kind == "contract"}
    tests = _contracts(module, cells, given, place, request, reasons) if contracts else []
    whole = not any(test["grade_id"] is None for test in tests)
    for grade_id, points in contracts.items():
        found = rows[grade_id] = contract_row(grade_id, points, [test for test in tests if test["grade_id"] == grade_id])
        if not found["tests"]:
            reasons += [] if reasons else [f"no contract test carries the mark {grade_id}"]
            found["message"] = reasons[0]
        found["review"] = not whole or not found["tests"]  # of a run that broke off, nobody knows how many tests are missing
    rows.update(_notebook(module, released, given, place, request, reasons))
    order = [grade_id for grade_id, _, _ in graded_cells(released)]
    return {"rows": [rows[grade_id] for grade_id in order], "reasons": reasons}


def _given(module: Any, place: Path) -> Path:
    """A workspace with the given package and the reference of every earlier module, but nothing of this one.

    With the reference, a bug in an earlier week does not fail this one.
    """
    source = module.root
    earlier = [m for m in Workspace(source).modules() if m.name in module.after]
    given = place / "given"
    shutil.copytree(source / "tinytorch", given / "tinytorch", ignore=shutil.ignore_patterns("__pycache__", *_exports(source)))
    shutil.copytree(source / "modules", given / "modules", ignore=shutil.ignore_patterns("__pycache__", "*.ipynb", ".starter"))
    for other in earlier:
        reference = read_percent(other.root / "grading" / "source" / other.name / f"{other.stem}.py")
        target = given / other.export
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(exporter.render(reference, other, source_name=f"{other.stem}.py"), encoding="utf-8", newline="\n")
    return given


def _exports(source: Path) -> list[str]:
    """File names that `tito export` writes; a class's machine may have the instructor's own lying about."""
    return [Path(module.export).name for module in Workspace(source).modules()]


def _contracts(module: Any, cells: list[Cell], given: Path, place: Path, request: dict[str, Any],
               reasons: list[str]) -> list[dict[str, Any]]:
    """Run public and hidden contract tests on the student's own cells; whatever keeps them from running is a reason for review."""
    broken = [(cell, line, message) for cell, line, message in syntax_errors(cells) if cell.exported]
    if broken:
        cell, line, message = broken[0]
        reasons.append(f"the code does not parse: {cell.label}, line {line}: {message}")
        return []
    folders = [Path(folder) for folder in request["test_folders"]]
    try:
        scratch = runner.make_scratch(module, cells, place / "export", given_from=given)
        found = runner.run_contracts(scratch, module, folders, tt="wire", timeout_seconds=request["contract_seconds"])
    except TitoError as problem:
        reasons.append(f"the contract tests could not run: {problem}")
        return []
    tests = [dataclasses.asdict(result) for result in found]
    reasons += [f"{test['test']} ({test['status']}): {test['message']}" for test in tests if test["grade_id"] is None]
    late = [test["test"] for test in tests if test["grade_id"] and test["status"] in ("timeout", "not_run")]
    if late:
        reasons.append(f"contract tests that did not come to an end: {', '.join(late)}")
    return tests


def _notebook(module: Any, released: Any, given: Path, place: Path, request: dict[str, Any],
              reasons: list[str]) -> dict[str, dict[str, Any]]:
    """Run nbgrader's Autograde on the scratch course and read each graded cell's score and outputs."""
    from grading.engine.nbconfig import classes
    from grading.engine.nbg import MissingEntry, convert, gradebook, nbformat, quiet
    from grading.engine.results import graded_cells, read_cell, row
    from grading.engine.steps import TROUBLE

    with quiet():
        from nbgrader.converters import Autograde

    from grading.engine.course import Course

    course = Course(place / "course")
    config = classes(course.config(), cell_seconds=request["cell_seconds"], notebook_seconds=request["notebook_seconds"])
    config.ExecuteGraded.kernel_name = _kernel(place)
    os.environ["PYTHONPATH"] = str(given)  # the kernel inherits it; this process has imported what it needs
    wanted = [entry for entry in graded_cells(released) if entry[1] != "contract"]
    lines: list[str] = []
    try:
        lines = convert(Autograde, config, module.name, request["student"])
    except Exception as problem:  # whatever nbgrader trips over is this submission's reason, not the batch's end
        lines = getattr(problem, "log_lines", []) or [str(problem)]
    executed = course.autograded(request["student"], module)
    if not executed.is_file():
        reasons.append(f"nbgrader could not grade the notebook: {_last(lines)}")
        return {grade_id: row(grade_id, kind, points, None if kind == "question" else 0.0) for grade_id, kind, points in wanted}
    notebook = nbformat.read(executed, as_version=4)
    reasons.extend(notebook.metadata.get(TROUBLE, []))
    outcome = {}
    cells = {cell.metadata.get("nbgrader", {}).get("grade_id"): cell for cell in notebook.cells}
    with gradebook(course.db_url) as book:
        for grade_id, kind, points in wanted:
            if kind == "question":
                outcome[grade_id] = row(grade_id, kind, points, None, "waits")
                continue
            try:
                score = book.find_grade(grade_id, module.stem, module.name, request["student"]).auto_score
            except MissingEntry:
                score = None
            details = read_cell(cells[grade_id]) if grade_id in cells else {}
            outcome[grade_id] = row(grade_id, kind, points, score or 0.0, **details)
    return outcome


def _kernel(place: Path) -> str:
    """A kernel of this very interpreter, whatever kernels the instructor has installed; home directories are throw-away."""
    data = place / "jupyter"
    folder = data / "kernels" / "tito-grade"
    folder.mkdir(parents=True)
    spec = {"argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}", "--HistoryManager.enabled=False"],
            "display_name": "tito grade", "language": "python"}
    (folder / "kernel.json").write_text(json.dumps(spec), encoding="utf-8")
    os.environ.update(JUPYTER_PATH=str(data), JUPYTER_RUNTIME_DIR=str(data / "runtime"), JUPYTER_CONFIG_DIR=str(data / "config"),
                      IPYTHONDIR=str(data / "ipython"))
    return "tito-grade"


def _last(lines: list[str]) -> str:
    said = [line.strip().splitlines()[-1] for line in lines if line.strip() and "Error" in line] or [line for line in lines if line.strip()]
    return said[0][:300] if said else "it said nothing"


def run_request(path: str) -> int:
    """Grade what request.json names and write result.json beside it."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that kernel and test processes are ended on the way out
    request = json.loads(Path(path).read_text(encoding="utf-8"))
    try:
        result = grade(request)
    except TitoError as problem:
        result = {"rows": None, "reasons": [str(problem)]}
    (Path(request["scratch"]) / "result.json").write_text(json.dumps(result), encoding="utf-8")
    return 0


def serve() -> int:
    """Read jobs {request, log, seconds} line by line from stdin; answer each with {code}, null when its time was up.

    nbgrader takes seconds to import and a fork of a process that has it takes none; each submission still gets its own process.
    """
    if hasattr(os, "fork"):
        from grading.engine.nbconfig import classes
        from grading.engine.nbg import Config, quiet

        with quiet():
            import nbgrader.converters  # noqa: F401

            classes(Config())
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole terminal; who started this one says when to stop
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    for line in sys.stdin:
        job = json.loads(line)
        print(json.dumps({"code": _forked(job) if hasattr(os, "fork") else _spawned(job)}), flush=True)
    return 0


def _forked(job: dict[str, Any]) -> int | None:
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.setsid()
            signal.signal(signal.SIGINT, signal.default_int_handler)  # a kernel that starts with it ignored cannot be interrupted
            log, nothing = os.open(job["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), os.open(os.devnull, os.O_RDONLY)
            for target, source in ((0, nothing), (1, log), (2, log)):
                os.dup2(source, target)
            os.chdir(Path(job["request"]).parent)
            code = run_request(job["request"])
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(code)
    code = None
    try:
        code = _wait(child, job["seconds"])
    finally:
        if code is None:
            os.kill(child, signal.SIGTERM)  # lets it end its kernel and its tests, which have process groups of their own
            _wait(child, 3)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(child, 0)
    return code


def _wait(child: int, seconds: float) -> int | None:
    stop = time.monotonic() + seconds
    while time.monotonic() < stop:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.02)
    return None


def _spawned(job: dict[str, Any]) -> int | None:
    with open(job["log"], "ab") as log:
        child = subprocess.Popen([sys.executable, "-m", "grading.engine.worker", job["request"]], cwd=Path(job["request"]).parent,
                                 stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            return child.wait(job["seconds"])
        except subprocess.TimeoutExpired:
            return None
        finally:
            runner.kill_group(child)


if __name__ == "__main__":
    sys.exit(run_request(sys.argv[1]) if len(sys.argv) > 1 else serve())

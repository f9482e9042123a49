"""The course's main job, played once in a scratch copy of the course: from the source to a mark and
a feedback page.

Every step is the command that a person would type, run in a subprocess; the checkout stays as it
is.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grading.engine.course.directory import python_environment
from tito.child_processes import finished
from tito.errors import EnvironmentBroken, WorkError
from tito.notebook.cells import Cell, cells_of
from tito.notebook.exercises import exercises, meant
from tito.notebook.ipynb_format import load_ipynb
from tito.workspace import Workspace

if TYPE_CHECKING:
    from tito.workspace import Module

DEMO_SECONDS = 600  # that a cell may take
_ANSWER = (
    "I tried it on small inputs, before and after, and compared what came with what I expected."
)


@dataclass(frozen=True)
class Stage:
    """A scratch copy of the repository, with a class beside it."""

    folder: Path

    @property
    def workspace(self) -> Path:
        return self.folder / "course"

    @property
    def classroom(self) -> Path:
        return self.folder / "class"

    @property
    def environment(self) -> dict[str, str]:
        """The variables of a `tito` that works on the scratch workspace."""
        tools = Path(__file__).resolve().parents[2]
        return {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(self.workspace), str(tools)]),
            "TITO_WORKSPACE": str(self.workspace),
            "NO_COLOR": "1",
            "PYTHONUTF8": "1",
        }

    def tito(self, *words: str | Path, allowed: tuple[int, ...] = (0,)) -> str:
        """Run `tito WORDS` in the scratch workspace and return what it printed.

        Raises:
            WorkError: it ended with another exit code than those allowed.
        """
        command = [sys.executable, "-m", "tito", *map(str, words)]
        ended = finished(command, self.workspace, self.environment, together=True)
        if ended.returncode not in allowed:
            raise WorkError(
                f"`tito {' '.join(map(str, words))}` ended with {ended.returncode} in the"
                f" demo:\n{ended.stdout}"
            )
        return ended.stdout


def set_stage(root: Path, folder: Path) -> Stage:
    """Copy the course into `folder`, without exports and caches."""
    stage = Stage(folder)
    Workspace(root).copy_package(stage.workspace)
    for room in ("modules", "grading/modules"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(root / room, stage.workspace / room, ignore=ignored)
    return stage


def play_student(module: Module, mistakes: list[str]) -> list[str]:
    """Fill the stubs of the student edition with the reference, `mistakes` put in place, and type
    an answer to each question.

    Args:
        module: in the scratch workspace.
        mistakes: wrong solutions as "exercise/name".

    Returns:
        What the student got wrong, in the student's words.
    """
    from grading.authoring.variants.splice import splice
    from grading.engine.course.references import read_source, secrets_of
    from grading.engine.course.wrong_and_right_solutions import find_wrong

    reference = read_source(module)
    believed = []
    for mistake in mistakes:
        folder = secrets_of(module) / "wrong"
        number, _, label = mistake.partition("/")
        chosen = meant(exercises(read_source(module)), number)
        variant = find_wrong(folder, f"{chosen[0].name}/{label}" if chosen else mistake)
        if variant is None:
            home = folder.relative_to(module.root)
            raise WorkError(
                f"a mistake is EXERCISE/NAME, such as 1a/NAME, a wrong solution in {home};"
                f" {mistake} is none. See: grep '# %%' {home}/*.py"
            )
        reference = splice(reference, variant)
        believed.append(variant.believed)
    solutions = {cell.grade_id: cell.source for cell in reference if cell.is_solution}
    notebook = load_ipynb(module.notebook)
    for cell, raw in zip(cells_of(notebook), notebook["cells"], strict=True):
        if cell.is_solution:
            raw["source"] = solutions[cell.grade_id]
        elif raw.get("id", "").startswith("answer-"):
            raw["source"] = _ANSWER
    module.notebook.write_text(
        json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8", newline="\n"
    )
    module.script.unlink(missing_ok=True)  # the student saved the notebook alone
    return believed


def run_demo_cells(
    module: Module, stage: Stage, out: Path
) -> Iterator[tuple[Cell, str, list[Path], float]]:
    """Run the module's demo cells in a real kernel on the *exported* package; write their pictures
    to `out`.

    Yields:
        For each demo cell: the cell, what it printed, the pictures' files, its seconds.
    """
    from grading.engine.nbgrader.import_nbgrader import nbformat, quiet

    with quiet():
        from nbclient import NotebookClient
        from nbclient.exceptions import CellExecutionError

        book = nbformat.v4.new_notebook()
        opening = (
            "import importlib\nfrom tinytorch.testing import *\nglobals().update({k: v for k, v"
            f" in vars(importlib.import_module({module.import_name!r})).items() if k[:2] != '__'}})"
        )
        book.cells = [nbformat.v4.new_code_cell(opening)]
        cells = cells_of(load_ipynb(module.notebook))
        demos = [cell for cell in cells if cell.is_demo and cell.kind == "code"]
        book.cells += [nbformat.v4.new_code_cell(cell.source) for cell in demos]
        client = NotebookClient(
            book,
            timeout=DEMO_SECONDS,
            kernel_name="python3",
            resources={"metadata": {"path": str(stage.workspace)}},
            shutdown_kernel="immediate",
        )
        # One BLAS thread: on a busy machine two of them wait for each other. The kernel's own
        # warnings are not the demo's.
        environment = python_environment(
            PYTHONPATH=str(stage.workspace), MPLBACKEND="module://matplotlib_inline.backend_inline"
        )
        try:
            with client.setup_kernel(env=environment, stderr=subprocess.DEVNULL):
                for number, (raw, cell) in enumerate(zip(book.cells, [None, *demos], strict=True)):
                    started = time.perf_counter()
                    client.execute_cell(raw, number)
                    seconds = time.perf_counter() - started
                    if cell is not None:
                        yield cell, _printed(raw), _pictures(raw, out, cell), seconds
        except CellExecutionError as problem:
            raise WorkError(
                f"a demo cell of {module.name} failed: {problem.ename}: {problem.evalue}. See it:"
                f" tito start {module.name}"
            ) from problem


def _printed(raw: Any) -> str:
    return "".join(one["text"] for one in raw.outputs if one.get("name") == "stdout").strip()


def _pictures(raw: Any, out: Path, cell: Cell) -> list[Path]:
    shown = (output.get("data", {}) for output in raw.outputs)
    pictures = [data["image/png"] for data in shown if "image/png" in data]
    paths = []
    for number, data in enumerate(pictures):
        path = out / (f"{cell.name}.png" if len(pictures) == 1 else f"{cell.name}-{number}.png")
        path.write_bytes(base64.b64decode(data))
        paths.append(path)
    return paths


def clean_out(root: Path) -> Path:
    """The directory `out/` of the checkout, emptied of what an earlier demo left."""
    out = root / "out"
    if out.is_symlink() or (out.exists() and not out.is_dir()):
        raise EnvironmentBroken(
            f"the demo writes into a directory; {out} is something else."
            " Move it away, then run it again"
        )
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    return out

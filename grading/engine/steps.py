"""nbgrader's grading steps, changed where they were seen to wrong a student.

    UniqueIds            a copied test cell aborted the whole batch            the copy loses its nbgrader metadata
    RestoreCells         a deleted or relabelled cell left grades undefined    flags and deleted test cells come back from the release
    ExecuteGraded        a dead kernel threw every mark away; loops ran on     what passed before stays, the rest is not run, and it says why
    ScoreWithoutStderr   one honest warning turned full marks into none        stderr is shown, not scored
"""

from __future__ import annotations

import copy
import time
from pathlib import Path
from typing import Any

from traitlets import Integer

from grading.engine.nbg import nbformat, quiet

with quiet():
    from nbclient.exceptions import DeadKernelError
    from nbgrader.preprocessors import DeduplicateIds, Execute, NbGraderPreprocessor, SaveAutoGrades

NOT_RUN = "NotRun"          # ename of the output put in place of a cell that was not executed
TROUBLE = "tito_trouble"    # notebook metadata: why this submission needs a person


class UniqueIds(DeduplicateIds):
    """Of two cells with one grade_id the last stays nbgrader's; the other becomes an ordinary cell."""

    def preprocess_cell(self, cell: Any, resources: dict, cell_index: int) -> tuple[Any, dict]:
        if "nbgrader" in cell.metadata and not isinstance(cell.metadata["nbgrader"].get("grade_id"), str):
            del cell.metadata["nbgrader"]  # flags without an id belong to no cell of the assignment
        cell, resources = super().preprocess_cell(cell, resources, cell_index)
        if cell.metadata.get("nbgrader") == {}:
            del cell.metadata["nbgrader"]  # left empty it reads as metadata of an old version, which stops nbgrader
        return cell, resources


class RestoreCells(NbGraderPreprocessor):
    """Give each graded cell the flags it was released with, and put deleted test and task cells back in their place.

    Deleted solution cells stay deleted: their code may live on in another cell, and a stub below it would undo it.
    """

    def preprocess(self, notebook: Any, resources: dict) -> tuple[Any, dict]:
        names = resources["nbgrader"]
        released = nbformat.read(Path("release") / names["assignment"] / f"{names['notebook']}.ipynb", as_version=4)
        originals = {cell.metadata["nbgrader"]["grade_id"]: cell for cell in released.cells if "nbgrader" in cell.metadata}
        for cell in notebook.cells:
            grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
            if grade_id in originals:
                cell.metadata["nbgrader"] = copy.deepcopy(originals[grade_id].metadata["nbgrader"])
            elif grade_id is not None:
                del cell.metadata["nbgrader"]
        place = 0
        for original in released.cells:
            grade_id = original.metadata.get("nbgrader", {}).get("grade_id")
            here = next((i for i, cell in enumerate(notebook.cells) if _same(cell, original, grade_id)), None)
            if here is not None:
                place = here + 1
            elif grade_id and not original.metadata["nbgrader"].get("solution"):
                notebook.cells.insert(place, copy.deepcopy(original))
                place += 1
        return notebook, resources


def _same(cell: Any, original: Any, grade_id: str | None) -> bool:
    if grade_id:
        return cell.metadata.get("nbgrader", {}).get("grade_id") == grade_id
    return "id" in original and cell.get("id") == original["id"]


class ExecuteGraded(Execute):
    """Execute the notebook within one budget; cells tagged `demo` are left out, and a dead kernel ends the run, not the marks."""

    notebook_seconds = Integer(240, help="Seconds that all cells may take together.").tag(config=True)

    def preprocess(self, nb: Any, resources: Any = None, km: Any = None) -> tuple[Any, Any]:
        self._stop_at = time.monotonic() + self.notebook_seconds
        self._trouble: list[str] = []
        self._running: Any = None
        with quiet():
            try:
                nb, resources = super().preprocess(nb, resources, km)
            except DeadKernelError:
                self._after_death(nb)
        if self._trouble:
            nb.metadata[TROUBLE] = self._trouble
        return nb, resources

    def preprocess_cell(self, cell: Any, resources: Any, index: int) -> tuple[Any, Any]:
        if cell.cell_type != "code" or "demo" in cell.metadata.get("tags", []):
            return cell, resources
        if time.monotonic() > self._stop_at:
            reason = f"time is up: all cells together may take {self.notebook_seconds} s"
            if reason not in self._trouble:
                self._trouble.append(reason)
            cell.outputs = [_not_run(reason)]
            return cell, resources
        self._running = cell
        cell, resources = super().preprocess_cell(cell, resources, index)
        if any(out.output_type == "error" and out.ename == "CellTimeoutError" for out in cell.outputs):
            self._trouble.append(f"{_name(cell, index)} was stopped after {self.timeout} s")
        self._running = None
        return cell, resources

    def _after_death(self, nb: Any) -> None:
        index = next((i for i, cell in enumerate(nb.cells) if cell is self._running), 0)
        reason = f"the Python process ended while {_name(nb.cells[index], index)} ran"
        self._trouble.append(reason)
        for cell in nb.cells[index:]:
            if cell.cell_type == "code" and "demo" not in cell.metadata.get("tags", []):
                cell.outputs = [*cell.get("outputs", []), _not_run(reason)]


def _name(cell: Any, index: int) -> str:
    return cell.metadata.get("nbgrader", {}).get("grade_id") or f"cell {index + 1}"


def _not_run(reason: str) -> Any:
    return nbformat.v4.new_output("error", ename=NOT_RUN, evalue=reason, traceback=[f"not run: {reason}"])


class ScoreWithoutStderr(SaveAutoGrades):
    """Score a cell by its errors; what it wrote to stderr stays in the notebook for the student to see."""

    def _add_score(self, cell: Any, resources: dict) -> None:
        shown = cell.get("outputs", [])
        if cell.cell_type == "code":
            cell.outputs = [out for out in shown if not (out.output_type == "stream" and out.name == "stderr")]
        try:
            with quiet():
                super()._add_score(cell, resources)
        finally:
            if cell.cell_type == "code":
                cell.outputs = shown

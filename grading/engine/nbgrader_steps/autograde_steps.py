"""nbgrader's grading steps, changed where they were seen to harm an honest student or to accept a
cheat.

ClearOutputs         a notebook that is not run keeps the student's own outputs, but not in its
                     graded cells
ExecuteGraded        a dead kernel threw every mark away, loops ran on, any output was a pass:
                     what passed before stays, the rest is not run; outputs have caps
SealedResults        the results of sealed tests are in the cells that hold their points
ScoreWithoutStderr   one honest warning turned full marks into none:
                     stderr is shown, not scored; a score is a plain number
"""

from typing import Any

from traitlets import Bool, Dict

from grading.engine.nbgrader.import_nbgrader import nbformat, quiet
from grading.engine.submitted_notebook.cell_scores import (
    WAS_RUN,
    harmless_value,
    is_bool,
    nbgraders_score,
    partial_score,
)

with quiet():
    from nbgrader.preprocessors import NbGraderPreprocessor, OverwriteCells, SaveAutoGrades
    from nbgrader.utils import determine_grade, is_grade

    from grading.engine.nbgrader.gradebook_read_once import ReadsOnce
    from grading.engine.submitted_notebook.execute import is_test, not_run

FLAGS = "tito_flags"  # notebook metadata: {grade_id, kind, text} of every odd score
REMARKS = "tito_remarks"  # notebook metadata: {grade_id: how nbgrader itself scores the cell}
SEALED = "tito_sealed"  # key in nbconvert's resources: ids of the cells that sealed tests score


class ClearOutputs(NbGraderPreprocessor):
    """Remove the outputs that the student's notebook came with: all of them before a run, else
    those of graded cells. See `read_submitted_cells` for what is left of outputs at all.
    """

    everywhere = Bool(True, help="Also remove the outputs of cells without points.").tag(
        config=True
    )

    def preprocess_cell(self, cell: Any, resources: dict, index: int) -> tuple[Any, dict]:
        if cell.cell_type == "code" and (self.everywhere or is_grade(cell)):
            cell.outputs, cell.execution_count = [], None
        return cell, resources


class OverwriteLocked(ReadsOnce, OverwriteCells):
    """nbgrader's own step; it restores the hidden tests."""


class SealedResults(NbGraderPreprocessor):
    """Put the results of the sealed tests into the cells that hold their points: a text, and the
    score as the cell's value, which nbgrader reads as partial credit.
    """

    results = Dict(help="grade_id -> (text, points)").tag(config=True)

    def preprocess(self, nb: Any, resources: dict) -> tuple[Any, dict]:
        for cell in nb.cells:
            found = self.results.get(cell.metadata.get("nbgrader", {}).get("grade_id"))
            if found and cell.cell_type == "code":
                text, points = found
                new, score = nbformat.v4.new_output, {"text/plain": repr(float(points))}
                shown = new("stream", name="stdout", text=f"{text}\n")
                cell.outputs = [shown, new("execute_result", data=score)]
        resources[SEALED] = set(self.results)
        return nb, resources


class ScoreWithoutStderr(ReadsOnce, SaveAutoGrades):
    """Score a cell by its errors and its last value. Its output on stderr stays in the notebook, so
    that the student sees it.
    """

    def preprocess(self, nb: Any, resources: dict) -> tuple[Any, dict]:
        self._flags: list[dict[str, Any]] = []
        self._remarks: dict[str, str] = {}
        nb, resources = super().preprocess(nb, resources)
        if self._remarks:
            nb.metadata[REMARKS] = self._remarks
        if self._flags:
            nb.metadata[FLAGS] = [*nb.metadata.get(FLAGS, []), *self._flags]
        return nb, resources

    def _add_score(self, cell: Any, resources: dict) -> None:
        shown = cell.get("outputs", [])
        if is_test(cell):
            name = cell.metadata["nbgrader"]["grade_id"]
            if name in resources.get(SEALED, ()):
                cell.outputs = cell.outputs[-1:]
            elif not resources.get(WAS_RUN):
                cell.outputs = [not_run("the notebook was not run")]
            else:
                cell.outputs = self._counted(cell)
            self._compare(cell, shown)
        try:
            with quiet():
                super()._add_score(cell, resources)
        finally:
            if cell.cell_type == "code":
                cell.outputs = shown

    def _compare(self, cell: Any, shown: list[Any]) -> None:
        """Remark why the points of a cell are not those that nbgrader itself would give."""
        flags = cell.metadata["nbgrader"]
        name, most = flags["grade_id"], float(flags["points"])
        if name in self._remarks or name in {flag["grade_id"] for flag in self._flags}:
            return
        stock, why = nbgraders_score(cell, shown)
        if stock != determine_grade(cell)[0]:
            gives = f"{stock:g} of {most:g} points" if stock is not None else "an error"
            self._remarks[name] = f"{why}; nbgrader itself gives {gives}"

    def _counted(self, cell: Any) -> list[Any]:
        """The one output that decides the score: an error, a number, or nothing (full marks)."""
        flags = cell.metadata["nbgrader"]
        points, grade_id = float(flags["points"]), flags["grade_id"]
        errors = [out for out in cell.outputs if out.output_type == "error"]
        results = [out.data for out in cell.outputs if out.output_type == "execute_result"]
        if errors:
            return [not_run("no score")]

        def flag(text: str) -> None:
            self._flags.append({"grade_id": grade_id, "kind": "result", "text": text})

        if len(results) > 1:
            flag("more than one value was shown, and the least of them counts")
        if not results or harmless_value(cell.source):
            return []
        if all(map(is_bool, results)):
            self._remarks[grade_id] = (
                "the test cell ends in True or False, and nbgrader pays full marks for both: write"
                " `assert` before its last line, if False should cost points"
            )
            return []
        scores = [partial_score(data, points) for data in results]
        if None in scores:
            flag(
                f"the test cell's last value is not a number from 0 to {points:g}: its points are 0"
                " until a person has looked"
            )
        score = min(score or 0.0 for score in scores)
        return [nbformat.v4.new_output("execute_result", data={"text/plain": repr(score)})]

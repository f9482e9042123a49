"""What is said of a submission whose cells with points are not those of its release."""

from collections.abc import Iterator
from typing import Any

from grading.engine import submission_marks
from grading.engine.safe_text import shown
from grading.engine.submitted_notebook.cell_origins import grade_id


def cells_put_back(work: Any, name: str, released: Any) -> Iterator[str]:
    """How a notebook's cells with points differ from its release. nbgrader grades no such notebook,
    or not these cells.
    """
    mine, theirs = _labelled(work), _labelled(released)
    graded = [one for one, _, _ in submission_marks.graded_cells(released)]
    kept = [one for one in theirs if one in mine]
    retyped, other = ([one for one in kept if mine[one][at] != theirs[one][at]] for at in (0, 1))
    changes = {
        "lacked": [one for one in graded if one not in mine],
        "had as another type of cell": retyped,
        "had from another version of nbgrader": other,
    }
    for how, names in changes.items():
        if names:
            yield f"{name} {how} {', '.join(names)}: put back as in the release"
    if added := [shown(one) for one in mine if one not in theirs]:
        yield f"{name} has cells that the release does not know: {', '.join(added[:9])}"


def _labelled(notebook: Any) -> dict[str, tuple[Any, Any]]:
    """grade_id -> (type of the cell, version of nbgrader's flags)."""
    return {
        name: (cell.cell_type, cell.metadata.nbgrader.get("schema_version"))
        for cell in notebook.cells
        if (name := grade_id(cell))
    }

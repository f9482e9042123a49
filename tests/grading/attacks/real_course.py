"""The reference of a real module as a submission: honest work on real tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[3]


def build(place: Path, name: str) -> tuple[Any, Any]:
    """(course, module), with the reference as the submission of the student `reference`."""
    from grading.authoring import release
    from grading.engine.course import references
    from grading.engine.course.directory import Course
    from tito.workspace import Workspace

    workspace = Workspace(REPOSITORY)
    module = workspace.module(name)
    course = Course.create(place / "course", workspace)
    release.release_to_course(module, course)
    cells = references.read_source(module)
    solved = {cell.grade_id: cell.source for cell in cells if cell.nbgrader.get("solution")}
    notebook = json.loads(course.released(module).read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        grade_id = cell["metadata"].get("nbgrader", {}).get("grade_id")
        cell["source"] = solved.get(grade_id, cell["source"])
    folder = course.submitted("reference", module)
    folder.mkdir(parents=True)
    (folder / f"{module.stem}.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    return course, module


def shortcomings(report: dict[str, Any]) -> list[str]:
    """Why a report does not show full marks without a flag; empty if it does."""
    lost = [
        f"{row['grade_id']}: {row['points']} of {row['max_points']}, {row['message']}"
        for row in report["cells"]
        if row["kind"] != "question" and row["points"] < row["max_points"]
    ]
    return [
        *lost,
        *report["reasons"],
        *(f"flag on {flag['grade_id']}: {flag['text']}" for flag in report["flags"]),
    ]

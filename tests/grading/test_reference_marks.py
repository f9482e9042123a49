"""The reference of a real module as a submission: honest work on real tests. That other right
solutions hold the same laws is point 4 of `tito dev check`.
"""

from __future__ import annotations

import json

import pytest

from grading.authoring import release
from grading.engine.course import references
from grading.engine.course.directory import Course
from helpers.repository import ROOT
from helpers.tiny_class import grade
from tito.workspace import Workspace

HERE = Workspace(ROOT)
MODULES = [module.number for module in HERE.modules()]


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.long] * (name != "08")) for name in MODULES]
)
def test_the_reference_of_a_module_earns_every_point_and_no_flag(tmp_path, name):
    module, course = HERE.module(name), Course.create(tmp_path / "course", HERE)
    release.release_to_course(module, course)
    solved = {c.grade_id: c.source for c in references.read_source(module) if c.is_solution}
    notebook = json.loads(course.released(module).read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        grade_id = cell["metadata"].get("nbgrader", {}).get("grade_id")
        cell["source"] = solved.get(grade_id, cell["source"])
    folder = course.submitted("reference", module)
    folder.mkdir(parents=True)
    (folder / f"{module.stem}.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    grade(course, module, students=["reference"])
    report = json.loads(course.report("reference", module).read_text(encoding="utf-8"))
    rows = [row for row in report["cells"] if row["kind"] != "question"]
    assert [row for row in rows if row["points"] < row["max_points"]] == []
    assert (report["reasons"], report["flags"]) == ([], [])

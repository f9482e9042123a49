"""Every contract test, public and hidden, keeps its drawn inputs to itself."""

from __future__ import annotations

import ast
import json
import re

import pytest

from helpers.repository import ROOT
from tito.notebook.cells import read
from tito.notebook.exercises import exercises
from tito.workspace import Workspace

MODULES = Workspace(ROOT).modules()
# figure_laws draws what its pictures show
FILES = [*sorted(ROOT.glob("modules/*/tests/*.py")), ROOT / "tinytorch/figure_laws.py"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.parent.name}/{path.name}")
def test_the_generator_of_a_tests_inputs_stays_in_the_test(path):
    """Whoever has `draw` knows what comes next: it goes to helpers of its folder and to pictures
    alone, and no object of theirs, which a test may lend, keeps it.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = list(ast.walk(tree))
    own = {node.name for node in nodes if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and (
            path.with_name(f"{node.module}.py") in FILES or node.module == "tinytorch.figure_laws"
        ):
            own |= {one.name for one in node.names}
    assigned = [node for node in nodes if isinstance(node, (ast.Assign, ast.AnnAssign))]
    for node in assigned:  # an object of an own class
        if isinstance(node.value, ast.Call) and ast.unparse(node.value.func) in own:
            own |= {ast.unparse(name) for name in getattr(node, "targets", ())}
    assert [ast.unparse(one) for one in assigned if _keeps_draw(one)] == []
    lent = [
        ast.unparse(call)
        for call in ast.walk(tree)
        if isinstance(call, ast.Call)
        and "draw" in {ast.unparse(value) for value in (*call.args, *_values(call))}
        and ast.unparse(call.func).split(".")[0] not in {*own, "self"}
    ]
    assert lent == []


def _keeps_draw(node: ast.Assign | ast.AnnAssign) -> bool:
    """Whether the generator itself, perhaps beside other values, gets another name."""
    values = node.value.elts if isinstance(node.value, (ast.Tuple, ast.List)) else [node.value]
    return "draw" in {ast.unparse(value) for value in values if value is not None}


def _values(call: ast.Call) -> list[ast.expr]:
    return [keyword.value for keyword in call.keywords]


def test_the_page_says_how_many_points_rest_on_answers_of_the_students_process():
    """Those of each promise all of whose laws ask `inside`. A module without any is not named."""
    want = set()
    for module in MODULES:
        contracts = json.loads((module.tests / "contracts.json").read_text(encoding="utf-8"))
        laws: dict[tuple[str, int], list[bool]] = {}
        for path in module.tests.glob("test_*.py"):
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                for mark in node.decorator_list if isinstance(node, ast.FunctionDef) else []:
                    if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "law":
                        promise = (path.name.split("_")[1], ast.literal_eval(mark.args[0]))
                        asks = "inside" in {argument.arg for argument in node.args.args}
                        laws.setdefault(promise, []).append(asks)
        points = {one.number: one.points for one in exercises(read(module.notebook))}
        share = sum(
            points[number] / len(contracts[number]["promises"])
            for (number, _), asks in laws.items()
            if all(asks)
        )
        if share:
            want.add((f"{share:.1f}", f"{sum(points.values()):g}", module.number))
    page = " ".join((ROOT / "grading" / "README.md").read_text(encoding="utf-8").split())
    (said,) = re.findall(r"Their points are (.*?[a-z0-9])\. ", page)
    assert {*re.findall(r"(\d+\.\d) of (\d+) in (?:module )?(\d\d[a-z]?)", said)} == want

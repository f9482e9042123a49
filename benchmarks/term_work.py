"""What the students of `term.py` hand in, and what it earns by a second calculation. This file and
the processes that it starts import nothing of grading/.
"""

from __future__ import annotations

import copy
import json
import math
import random
import re
import subprocess
import sys
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

KINDS = 24  # of notebooks in an assignment
ANSWERS = {  # what students answer to every question -> which part of its points a grader gives
    "The caller may change it later.": 1.0,
    "A copy is a new object.": 0.75,
    "Pixels wrap around from 255 to 0.": 0.5,
    "It is faster.": 0.25,
    "I do not know.": 0.0,
}
GRACE, PERCENT, CAP = timedelta(minutes=15), 10, 50  # of the rule for late work, per day begun
# assignment -> function -> parameters, bodies of which the first is right, test, points
SHEETS: dict[str, dict[str, tuple[str, list[str], str, float]]] = {
    "ps1": {
        "square": (
            "x",
            ["return x * x", "return x + x", "return abs(x) * 2", "return x.square"],
            "assert square(2) == 4\n"
            "### BEGIN HIDDEN TESTS\nassert square(-3) == 9\n### END HIDDEN TESTS",
            2,
        ),
        "mean": (  # its value is the points
            "values",
            ["return sum(values) / len(values)", "return sum(values) // len(values)"],
            "found = [mean([1, 2]) == 1.5, mean([4]) == 4, mean([1, 1, 4]) == 2]\nsum(found)",
            3,
        ),
    },
    "ps2": {
        "clamp": (
            "x, low, high",
            ["return max(low, min(x, high))", "return min(x, high)", "return x", "clamp = 3"],
            "assert clamp(5, 0, 3) == 3\nassert clamp(-1, 0, 3) == 0",
            5,
        ),
        "pairs": (
            "values",
            ["return list(zip(values, values[1:]))", "return zip(values, values[1:])"],
            "assert pairs([1, 2, 3]) == [(1, 2), (2, 3)]",
            4,
        ),
    },
    "ps3": {
        "words": (
            "text",
            ["return text.split()", "return text.split(' ')", "return list(text)"],
            "assert words('a b') == ['a', 'b']\nassert words(' a  b ') == ['a', 'b']",
            2,
        ),
        "count": (
            "values",
            ["return {one: values.count(one) for one in values}", "return len(values)"],
            "assert count('aab') == {'a': 2, 'b': 1}",
            3,
        ),
    },
}
QUESTIONS = {"ps1": 4.0, "ps3": 3.0}  # the points of the question `why`
BROKEN = ("assert clamp(5, 0, 3) == 3", "assert clamp(5, 0, 3) == 4")  # in ps2, until corrected
PLAIN = """
import ast, contextlib, io, json, re, sys
names, earned, said = {"__name__": "notebook"}, {}, io.StringIO()
for cell, source, points in json.load(sys.stdin):
    value, begin = None, said.tell()
    try:
        with contextlib.redirect_stdout(said):
            body = ast.parse(source).body
            last = body.pop() if points and isinstance(body[-1], ast.Expr) else None
            exec(compile(ast.Module(body, []), "cell", "exec"), names)
            value = last and eval(compile(ast.Expression(last.value), "cell", "eval"), names)
        fine = True
    except BaseException:
        fine = False
    worth = re.search(r"worth ([0-9.]+) of", said.getvalue()[begin:])  # of check("1a")
    number = points if value is None else value
    if points:
        earned[cell] = float(worth[1]) if worth else float(number) if fine else 0.0
assert not any(name.split(".")[0] == "grading" for name in sys.modules)
print(json.dumps(earned))
"""


@dataclass
class Work:
    """What a student handed in: the notebook, when, and the answer to the question in it."""

    notebook: dict[str, Any]
    at: datetime
    answer: str


def flags(cell: dict[str, Any]) -> dict[str, Any]:
    return cell["metadata"].get("nbgrader", {})


def points_of(released: dict[str, Any]) -> dict[str, float]:
    """grade_id -> points."""
    marked = [flags(cell) for cell in released["cells"]]
    return {one["grade_id"]: float(one["points"]) for one in marked if one.get("points")}


def sheet(name: str, *, broken: bool = False) -> dict[str, Any]:
    """The instructor's notebook of an assignment that is not a module."""
    cells = []

    def add(kind: str, source: str, grade_id: str, **own: Any) -> None:
        marks = {"schema_version": 3, "grade_id": grade_id, "grade": False, "solution": False}
        metadata = {"nbgrader": {**marks, "locked": False, "task": False, **own}}
        cell = {"cell_type": kind, "id": grade_id, "metadata": metadata, "source": source}
        run = {"outputs": [], "execution_count": None} if kind == "code" else {}
        cells.append({**cell, **run})

    for key, (parameters, bodies, test, points) in SHEETS[name].items():
        solved = f"    ### BEGIN SOLUTION\n    {bodies[0]}\n    ### END SOLUTION"
        add("code", f"def {key}({parameters}):\n{solved}", key, solution=True)
        text = test.replace(*BROKEN) if broken else test
        add("code", text, f"test_{key}", grade=True, locked=True, points=points)
    if name in QUESTIONS:
        add("markdown", "", "why", grade=True, solution=True, points=QUESTIONS[name])
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


def solutions(name: str, tool: Path) -> dict[str, list[str]]:
    """grade_id -> cells that students write; the first one is right. Those of a module are its
    reference and its wrong solutions.
    """
    if name in SHEETS:
        return {
            key: [f"def {key}({parameters}):\n    {body}" for body in bodies]
            for key, (parameters, bodies, *_) in SHEETS[name].items()
        }
    folder = tool / "grading" / "modules" / name
    (source,) = folder.glob("*_dev.py")
    text, versions = source.read_text(encoding="utf-8"), {}
    for key, cell in re.findall(r"^# %% stub (\w+)\n(.*?)(?=^# %%)", text, re.M | re.S):
        right = re.sub(r"^ *### (BEGIN|END) SOLUTION\n", "", cell, flags=re.M)
        wrong = (folder / "wrong" / f"{key}.py").read_text(encoding="utf-8")
        others = re.split(r"^# %% .*\n", wrong, flags=re.M)[1:]
        versions[key] = [right, *(f"#| export\n{one}" for one in others)]
    return versions


def handed_in(
    name: str, released: dict[str, Any], tool: Path, at: datetime, draw: random.Random
) -> Work:
    """A student's notebook, of one of KINDS, with one of ANSWERS. About half of the exercises are
    right, and a few are as they were released.
    """
    kind, notebook = random.Random(f"{name} {draw.randrange(KINDS)}"), copy.deepcopy(released)
    answer, code = draw.choice([*ANSWERS]), solutions(name, tool)
    for cell in notebook["cells"]:
        key = flags(cell).get("grade_id", "")
        if key in code and kind.random() < 0.95:
            cell["source"] = code[key][0] if kind.random() < 0.5 else kind.choice(code[key])
        elif key == "why" or cell.get("id", "").startswith("answer-"):
            cell["source"] = answer
    return Work(notebook, at, answer)


class Second:
    """Calculates points again: each notebook of its kind is run once in a plain process.

    Args:
        tool: a checkout, whose tinytorch and laws modules need.
    """

    def __init__(self, tool: Path, env: dict[str, str]):
        self._tool, self._env, self.known = tool, env, {}

    def marks(
        self, work: Work, edition: dict[str, Any], released: dict[str, Any]
    ) -> dict[str, float]:
        """The points of each cell with a test.

        Args:
            edition: the notebook with all tests, which replace those in the submission.
            released: says what each cell is worth.
        """
        points, cells = points_of(released), []
        tests = {flags(one).get("grade_id"): "".join(one["source"]) for one in edition["cells"]}
        for cell in work.notebook["cells"]:
            key = flags(cell).get("grade_id", "")
            shown = "demo" in cell["metadata"].get("tags", ()) or key in ("", "given_finish")
            if cell["cell_type"] == "code" and not shown:
                source = tests[key] if key in points else "".join(cell["source"])
                cells.append([key, source, points.get(key, 0)])
        task = json.dumps(cells)
        if task not in self.known:
            words, streams = [sys.executable, "-c", PLAIN], {"capture_output": True, "text": True}
            done = subprocess.run(
                words, input=task, cwd=self._tool, env=self._env, check=True, **streams
            )
            self.known[task] = json.loads(done.stdout)
        return self.known[task]


def penalty(total: float, late: timedelta) -> float:
    """What the rule subtracts from the points of work that is so late."""
    days = 0 if late <= GRACE else math.ceil(late / timedelta(days=1))
    return round(total * min(CAP, PERCENT * days) / 100, 2)

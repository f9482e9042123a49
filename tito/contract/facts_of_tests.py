"""What a file of contract tests says without being run: its tests, the graded cells that hold their
points, and which promise a law tests. Standard library only.
"""

import ast
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CONTRACTS = "contracts.json"  # beside the laws; a release writes it, `tinytorch.laws` reads it
_LAWS = re.compile(r"^test_(\d+[a-z]+)_\w+\.py$")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class ContractTest:
    """One test function.

    Attributes:
        grade_ids: the graded cells that its marks, or those of its whole file, name; for a law the
            one of its exercise.
        exercise, promise, words: the promise of a law, by its number and words of it; None for any
            other test.
        is_law: whether it is a law, even one in a file whose name says no exercise.
        fixtures: the names of its parameters.
        mark_line: the line of a law's `@law`.
    """

    name: str
    path: Path
    line: int
    grade_ids: tuple[str, ...]
    exercise: str | None = None
    promise: int | None = None
    words: str | None = None
    is_law: bool = False
    fixtures: tuple[str, ...] = ()
    mark_line: int = 0


def tests_in(path: Path) -> list[ContractTest]:
    """The tests of a file, in their order.

    Raises:
        SyntaxError, ValueError, OSError: the file is no Python.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
    whole = [
        name
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark"
        for name in _marks(node.value)
    ]
    return [
        _test(path, node, whole)
        for node in ast.walk(tree)
        if isinstance(node, _FUNCTIONS) and node.name.startswith("test_")
    ]


def _contracts(folder: Path) -> dict[str, dict]:
    """What `contracts.json` says of each exercise whose laws are in the folder."""
    path = folder / CONTRACTS
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def promised(tests: list[ContractTest]) -> list[tuple[str, str]]:
    """The (graded cell, sentence) of each law, once."""
    pairs = []
    for test in tests:
        facts = _contracts(test.path.parent).get(test.exercise or "")
        if facts and test.promise and 1 <= test.promise <= len(facts["promises"]):
            pairs.append((facts["cell"], facts["promises"][test.promise - 1]))
    return list(dict.fromkeys(pairs))


def _test(path: Path, node: Any, whole: list[str]) -> ContractTest:
    calls = [one for one in node.decorator_list if isinstance(one, ast.Call)]
    law = next((one for one in calls if getattr(one.func, "id", "") == "law"), None)
    if law is None:
        marks = [name for decorator in node.decorator_list for name in _marks(decorator)]
        return ContractTest(node.name, path, node.lineno, (*whole, *marks))
    file = _LAWS.match(path.name)
    exercise = file[1] if file else None
    cell = _contracts(path.parent).get(exercise or "", {}).get("cell")
    said: list[Any] = [one.value if isinstance(one, ast.Constant) else None for one in law.args]
    number, words = [*said, None, None][:2]
    grade_ids = (cell,) if cell else ()
    takes = tuple(one.arg for one in node.args.args)
    return ContractTest(
        node.name, path, node.lineno, grade_ids, exercise, number, words, True, takes, law.lineno
    )


def _marks(node: ast.expr) -> list[str]:
    return [
        str(call.args[0].value)
        for call in ast.walk(node)
        if isinstance(call, ast.Call)
        and getattr(call.func, "attr", "") == "contract"
        and call.args
        and isinstance(call.args[0], ast.Constant)
    ]

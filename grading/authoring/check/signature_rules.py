"""Point 6 of `tito dev check`, its part on the Contract's first line: the call that it shows is one
that the stub takes.
"""

import ast
import re

from grading.authoring.check.checked_module import FUNCTIONS, Findings, Subject
from grading.authoring.mutate.solution_code import defaults_of
from tito.notebook.exercises import Exercise

_SHOWN = re.compile(r"^\*\*Contract\.\*\*[^`]*`([^`]+)`", re.MULTILINE)
_REST = re.compile(r",?\s*\.\.\.\s*(?=\))")  # `DataLoader(dataset, ...)`
Parameters = dict[str, str | None]  # name -> its default as text


def check_signatures(subject: Subject) -> Findings:
    """Contracts that show a parameter or a default which the stub does not have."""
    for exercise in subject.asked:
        for cell in exercise.cells:
            shown = _SHOWN.search(cell.source) if cell.kind == "markdown" else None
            call = _parsed(shown[1]) if shown else None
            own = _parameters_of(exercise, call.name) if call else None
            if shown is None or call is None or own is None:
                continue
            line = cell.source[: shown.start(1)].count("\n") + 1
            for name, default in _parameters(call).items():
                other = own.get(name)
                if name in own and default in (None, other):
                    continue
                said = name if name not in own else f"{name}={default}"
                has = ", ".join(
                    key if value is None else f"{key}={value}" for key, value in own.items()
                )
                text = (
                    f"exercise {exercise.label}: its Contract shows {said}; {call.name} takes {has}"
                )
                yield subject.at(cell, line), text, "write in both the same"
                break


def _parsed(shown: str) -> ast.FunctionDef | None:
    """A call as the function of this signature; None for what is no plain signature."""
    text = _REST.sub("", " ".join(shown.split())).rpartition("(")
    name = text[0].rpartition(".")[2]
    try:
        node = ast.parse(f"def {name}({text[2]}: pass").body[0]
    except SyntaxError:
        return None
    return node if isinstance(node, ast.FunctionDef) else None


def _parameters_of(exercise: Exercise, name: str) -> Parameters | None:
    """Those of a function of the stubs, or of the __init__ of a class of them."""
    nodes = [node for cell in exercise.stubs if cell.tree for node in ast.walk(cell.tree)]
    for node in (node for node in nodes if getattr(node, "name", "") == name):
        inner = node.body if isinstance(node, ast.ClassDef) else [node]
        for one in inner:
            if isinstance(one, FUNCTIONS) and (one is node or one.name == "__init__"):
                return _parameters(one)
    return None


def _parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Parameters:
    given = function.args
    names = [one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    parameters: Parameters = dict.fromkeys(name for name in names if name != "self")
    parameters |= {one.arg: ast.unparse(value) for one, value in defaults_of(function)}
    for star in (given.vararg, given.kwarg):
        parameters |= {star.arg: None} if star else {}
    return parameters

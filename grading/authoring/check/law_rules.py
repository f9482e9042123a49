"""Point 6 of `tito dev check`, its part on laws: what they read of the student's objects is a copy,
so they do not write to it; what they import from the files beside them is there; a package that
refuses every call keeps no promise.
"""

import ast
import difflib
from collections.abc import Iterator
from pathlib import Path

from grading.authoring.check.checked_module import Findings, Subject
from grading.authoring.check.name_rules import bound_and_used
from grading.engine.course.references import test_folders

_ASSIGNMENTS = (ast.Assign, ast.AugAssign, ast.AnnAssign)


def check_laws(subject: Subject) -> Findings:
    """Every assignment in a law or its helper to a part of what the student's code gave, such as
    `layer.bias.data[:] = 0`: its place, the fault and the repair. Probes of `inside` may do so,
    because they run in the student's process.
    """
    texts = {
        path: path.read_text(encoding="utf-8")
        for folder in test_folders(subject.module)
        for path in sorted(folder.glob("*.py"))
    }
    nodes = {path: [*ast.walk(ast.parse(text))] for path, text in texts.items()}
    probes = {
        ast.unparse(node.args[0])
        for in_file in nodes.values()
        for node in in_file
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "inside" and node.args
    }
    for path, in_file in nodes.items():
        for node in in_file:
            if isinstance(node, ast.FunctionDef) and node.name not in probes:
                for line in _writes(node):
                    said = texts[path].splitlines()[line - 1].strip()
                    text = "what a law reads of the student's objects is a copy, so this changes"
                    repair = (
                        "pass the value to a function of the student, or let a probe write it:"
                        " inside(probe, values) runs probe(tt, values) in the student's process"
                    )
                    yield subject.at(path, line), f"{text} nothing there: {said}", repair


def unknown_helpers(subject: Subject) -> Findings:
    """Names that a law imports from a file beside it, and that this file has not."""
    for path in dict.fromkeys(test.path for test in subject.tests):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            beside = path.with_name(f"{getattr(node, 'module', None)}.py")
            if not isinstance(node, ast.ImportFrom) or not beside.is_file():
                continue
            there = bound_and_used(beside.read_text(encoding="utf-8"))[0]
            for name in (alias.name for alias in node.names if alias.name not in {"*", *there}):
                near = difflib.get_close_matches(name, there, 1)
                text = f"{path.name} imports {name} from {beside.name}, which does not define it"
                repair = f"write {near[0]}" if near else f"define {name} in {beside.name}"
                yield subject.at(path, node.lineno), text, repair


def refusals(subject: Subject) -> Findings:
    """A promise whose laws ask only for an error, with any text: a package that refuses every call
    would keep it.
    """
    laws: dict[tuple[Path, int | None], list[ast.FunctionDef]] = {}
    for test in (test for test in subject.tests if test.is_law):
        for node in ast.parse(test.path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name == test.name:
                laws.setdefault((test.path, test.promise), []).append(node)
    for (path, number), functions in laws.items():
        if all(map(_any_error_will_do, functions)):
            text = f"code that refuses every call keeps promise {number}"
            repair = (
                "let a law of this promise yield the words that the message must have, or a call"
                " that returns a value"
            )
            yield subject.at(path, functions[0].lineno), text, repair


def _any_error_will_do(function: ast.FunctionDef) -> bool:
    """Whether each case of a law is an error, whatever its message says."""
    mark = next(one for one in function.decorator_list if isinstance(one, ast.Call))
    whole = any(keyword.arg == "raises" for keyword in mark.keywords)

    def any_error(node: ast.expr | None) -> bool:
        parts = node.elts if isinstance(node, ast.Tuple) else getattr(node, "args", ())
        raises = whole or any(one.arg == "raises" for one in getattr(node, "keywords", ()))
        return raises and len(parts) == 2 and not any(isinstance(one, ast.Starred) for one in parts)

    nodes = [*ast.walk(function)]
    cases = [node.value for node in nodes if isinstance(node, ast.Yield)]
    elsewhere = any(isinstance(node, ast.YieldFrom) for node in nodes)
    return bool(cases) and not elsewhere and all(map(any_error, cases))


def _writes(function: ast.FunctionDef) -> Iterator[int]:
    """The lines that assign to an attribute of what `tt` gave, or to a part of one."""
    given, before = {"tt"} & {one.arg for one in function.args.args}, -1
    while len(given) != before:  # a later line may feed an earlier one in a loop
        before = len(given)
        for node in ast.walk(function):
            if isinstance(node, (*_ASSIGNMENTS, ast.For)):
                value = node.iter if isinstance(node, ast.For) else node.value
                if value is not None and given & _names(value):
                    given |= {name for one in _targets(node) for name in _names(one, ast.Store)}
    for node in ast.walk(function):
        if isinstance(node, _ASSIGNMENTS):
            for target in _targets(node):
                inner, attributes = target, 0
                while isinstance(inner, (ast.Attribute, ast.Subscript)):
                    attributes += isinstance(inner, ast.Attribute)
                    inner = inner.value
                if attributes and isinstance(inner, ast.Name) and inner.id in given:
                    yield node.lineno


def _targets(node: ast.Assign | ast.AugAssign | ast.AnnAssign | ast.For) -> list[ast.expr]:
    return node.targets if isinstance(node, ast.Assign) else [node.target]


def _names(node: ast.AST, context: type[ast.expr_context] = ast.Load) -> set[str]:
    named = (one for one in ast.walk(node) if isinstance(one, ast.Name))
    return {one.id for one in named if isinstance(one.ctx, context)}

"""Records that one folder of the machinery passes to another are classes with named fields."""

import ast
from pathlib import Path

from helpers.repository import PYTHON, ROOT, room

# What may be passed between folders as a dict: JSON, or the configuration of another program.
DICTS_THAT_CROSS = {
    "as_json": "the JSON that the caller writes",
    "from_json": "the JSON that the caller has read",
    "emit": "the JSON document of a --json run",
    "load_ipynb": "a notebook's own JSON",
    "read_submitted": "a submitted notebook's own JSON",
    "cells_of": "a notebook's own JSON",
    "validate": "a JSON document and its schema",
    "read_dict": "a file's own JSON",
    "read_toml": "a file's own TOML",
    "results": "Gradescope's results.json",
    "config": "sections of nbgrader's configuration",
    "described": "the JSON of a job",
    "finished": "the JSON of a job and of its results",
}


def folders_of(paths: list[Path]) -> dict[Path, str]:
    """The folder of a file inside grading/ and tito/."""
    return {
        path: path.parent.relative_to(ROOT).as_posix()
        for path in paths
        if room(path) in ("tito", "grading") and ROOT / "grading/modules" not in path.parents
    }


def loose(note: ast.expr | None) -> bool:
    """Whether a type is or holds a `dict[str, Any]` or a bare dict."""
    parts = list(ast.walk(note)) if note else []
    subscripts = [part for part in parts if isinstance(part, ast.Subscript)]
    typed = {id(part.value) for part in subscripts}
    bare = [one for one in parts if getattr(one, "id", "") == "dict" and id(one) not in typed]
    return bool(bare) or "dict[str, Any]" in map(ast.unparse, subscripts)


def dicts_in(tree: ast.Module) -> set[str]:
    """The functions and methods of a file that take or return such a dict."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    found = [node for node in ast.walk(tree) if isinstance(node, kinds) and node.name[0] != "_"]
    notes = {
        node.name: [
            node.returns,
            *(getattr(one, "annotation", None) for one in ast.walk(node.args)),
        ]
        for node in found
    }
    return {name for name, types in notes.items() if any(map(loose, types))}


def names_in(tree: ast.Module) -> tuple[set[str], set[str]]:
    """The modules that a file imports or imports from, and every name that it uses."""
    modules, names = set(), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            imported = {one.name for one in node.names}
            modules |= {node.module or "", *(f"{node.module}.{name}" for name in imported)}
            names |= imported
        elif isinstance(node, (ast.Name, ast.Attribute)):
            names.add(node.id if isinstance(node, ast.Name) else node.attr)
    return modules, names


def loose_crossings(trees: dict[Path, ast.Module], homes: dict[Path, str]) -> set[str]:
    """`folder: function` for each function that takes or returns a dict and is used in another
    folder, by a file that imports the function's file.
    """
    readers = {path: names_in(tree) for path, tree in trees.items()}
    found = set()
    for path, tree in trees.items():
        module = path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".")
        used = {
            name
            for other, (modules, names) in readers.items()
            if homes[other] != homes[path] and module in modules
            for name in names
        }
        found |= {f"{homes[path]}: {name}" for name in dicts_in(tree) & used}
    return found


def test_what_crosses_from_room_to_room_has_a_class():
    homes = folders_of(PYTHON)
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in homes}
    loose = loose_crossings(trees, homes)
    assert sorted(one for one in loose if one.rpartition(" ")[2] not in DICTS_THAT_CROSS) == []

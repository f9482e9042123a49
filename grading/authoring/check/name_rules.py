"""Rules of the source for names: what a cell imports is allowed, what it uses is defined, and the
name of an exercise is the same everywhere.
"""

import ast
import builtins
import difflib
import functools
import importlib.util
import json
import symtable
import sys
from collections.abc import Iterable, Iterator

from grading.authoring.check.checked_module import Findings, Subject, exported_names
from tito.notebook.cells import Cell
from tito.student_work.add_to_class import DECORATOR
from tito.workspace import TOOLS, Module, Workspace

_ALWAYS = (
    "numpy",
    "matplotlib",
    *(f"{TOOLS}.{name}" for name in ("classes", "datasets", "laws", "profiler", "testing")),
)
EVERYWHERE = {*dir(builtins), "get_ipython", "display", "__name__", "__file__"}


def imports(subject: Subject) -> Findings:
    """Each import is one that `needs` allows, or one of those that every module may use."""
    module = subject.module
    workspace = Workspace(module.root)
    others, earlier = workspace.modules(), workspace.before(module)
    for name in module.after:
        if name not in [other.name for other in others]:
            there = ", ".join(other.name for other in others if other.name != module.name)
            text = f"`after` names {name}, which is no folder of modules/"
            yield subject.key("after"), text, f"name folders of modules/: {there}"
    for other in others:
        if other.import_name in module.needs and other.name not in (m.name for m in earlier):
            yield (
                subject.key("after"),
                f"needs names {other.import_name}, which {other.name} exports, but `after`"
                " leads to no such module",
                f"after = {json.dumps([*module.after, other.name])}",
            )
    exports = {other.import_name for other in others}
    for name in module.needs:
        if name not in exports and not _is_there(module, name):
            text = f"`needs` names {name}, which is not there"
            yield subject.key("needs"), text, "correct the name, or install the package"
    for cell in (cell for cell in subject.cells if cell.kind == "code" and cell.tree):
        for name, line in _imported(cell.tree, workspace.package.name):
            if name.partition(".")[0] in sys.stdlib_module_names or any(
                name == one or name.startswith(f"{one}.") for one in (*_ALWAYS, *module.needs)
            ):
                continue
            absent = "" if _is_there(module, name) else ", and which is not installed here"
            text = f"{cell.label}: imports {name}, which `needs` does not allow{absent}"
            repair = f'add to needs in {subject.key("needs")}: "{name}"'
            yield subject.at(cell, line), text, repair


def _is_there(module: Module, name: str) -> bool:
    """Whether a name can be imported, as far as this can be seen without importing it: a file of
    the workspace, or an installed package.
    """
    package, *parts = name.split(".")
    place = module.root.joinpath(package)
    if place.is_dir():
        file = place.joinpath(*parts)
        return file.is_dir() or file.with_suffix(".py").is_file()
    return importlib.util.find_spec(package) is not None


def _imported(tree: ast.AST | None, package: str) -> list[tuple[str, int]]:
    imported, modules = [], {name + part for name in (TOOLS, package) for part in ("", ".core")}
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.Import):
            imported += [(alias.name, node.lineno) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            # `from tinytorch import datasets` names a module; `from tinytorch.core.tensor import
            # Tensor` does not.
            names = (
                [f"{node.module}.{alias.name}" for alias in node.names]
                if node.module in modules
                else [node.module]
            )
            imported += [(name, node.lineno) for name in names]
    return imported


def defined(subject: Subject) -> Findings:
    """Each name that code uses is defined: by some cell, for exported code by an exported one. The
    site and `tito dev demo` run demo cells on the exported package and `tinytorch.testing` alone,
    so a demo defines the rest itself.
    """
    cells = [cell for cell in subject.cells if cell.kind == "code" and cell.tree]
    names = {cell.index: bound_and_used(cell.python) for cell in cells}
    homes = {name: cell for cell in reversed(cells) for name in names[cell.index][0]}
    exported = bound(cell for cell in cells if cell.exported)
    demos = bound(cell for cell in cells if cell.is_demo)
    on_the_page = exported.union(demos, *(_test_tools(cell) for cell in cells))
    unknown: dict[str, Cell] = {}
    hidden: dict[int, dict[str, str]] = {}  # cell -> its names, each with who uses it
    for cell in cells:
        for name in sorted(names[cell.index][1] - EVERYWHERE):
            if name not in homes:
                unknown.setdefault(name, cell)
            elif cell.exported and name not in exported | {DECORATOR}:
                hidden.setdefault(homes[name].index, {}).setdefault(name, cell.label)
    for name, cell in unknown.items():
        text = f"{cell.label}: uses {name}, which no cell defines"
        near = difflib.get_close_matches(name, [*homes], 1)
        repair = f"write {near[0]}, or define {name}" if near else f"define {name}"
        yield _first(subject, cell, name), text, repair
    for index, used in hidden.items():
        cell = subject.cells[index - 1]
        text = f"{cell.label}: it is not exported, and exported code uses its"
        said = ", ".join([*used][:4]) + (f" and {len(used) - 4} more" if len(used) > 4 else "")
        users = f" (in {next(iter(used.values()))})"
        yield cell, f"{text} {said}{users}", "write as the first line of the cell: #| export"
    for cell in (cell for cell in cells if cell.is_demo):
        for name in sorted(names[cell.index][1] & homes.keys() - on_the_page):
            if homes[name].index not in hidden:
                text = f"{cell.label}: a demo also runs on the exported package alone, where"
                repair = f"import or define {name} in the demo's own cell"
                yield _first(subject, cell, name), f"{text} {name} is not defined", repair


def bound(cells: Iterable[Cell]) -> set[str]:
    """The global names that cells define."""
    return set().union(*(bound_and_used(cell.python)[0] for cell in cells if cell.tree))


@functools.lru_cache(maxsize=1024)
def bound_and_used(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """The global names that a text defines, and those that it uses."""
    top = symtable.symtable(text, "cell", "exec")
    bound, used, tables = set[str](), set[str](), [top]
    for table in tables:
        tables += table.get_children()
        for symbol in table.get_symbols():
            if table is not top and not symbol.is_global():
                continue
            if symbol.is_assigned() or symbol.is_imported():
                bound.add(symbol.get_name())
            elif symbol.is_referenced():
                used.add(symbol.get_name())
    return frozenset(bound), frozenset(used)


def _first(subject: Subject, cell: Cell, name: str) -> str:
    """The place of the first use of a name in a cell."""
    assert cell.tree
    uses = (
        node.lineno
        for node in ast.walk(cell.tree)
        if isinstance(node, ast.Name) and node.id == name
    )
    return subject.at(cell, min(uses, default=0))


def _test_tools(cell: Cell) -> set[str]:
    """The names that a cell imports from `tinytorch.testing`."""
    nodes = ast.walk(cell.tree) if cell.tree else ()
    return {
        alias.asname or alias.name
        for node in nodes
        if isinstance(node, ast.ImportFrom) and node.module == "tinytorch.testing"
        for alias in node.names
    }


def stale(subject: Subject) -> Findings:
    """Hints, files of wrong solutions and laws use the names that the source has. If several of
    them say another one, the exercise was renamed: that is one fault.
    """
    names = {one.name: one for one in subject.asked}
    # a name that the source does not have -> what is called so, and where
    said: dict[str, list[tuple[str, str]]] = {}
    for name in subject.module.hints:
        if name not in names:
            said.setdefault(name, []).append(("hints", subject.key(name)))
    files = {variant.path: variant.exercise for variant in subject.all_wrong}
    for path, name in files.items():
        if name not in names:
            said.setdefault(name, []).append(("wrong solutions", subject.at(path)))
    for name, place in _asked_of_the_package(subject):
        said.setdefault(name, []).append(("laws", place))
    free = [name for name in names if name not in subject.module.hints]
    free += [name for name in names if name not in files.values()]
    for name, senses in said.items():
        kind, place = senses[0]
        near = difflib.get_close_matches(name, free, 1, 0.5)
        if name in names:  # the laws call it, and its stub defines something else
            stub = names[name].stubs[0]
            own = ", ".join(exported_names([stub]))
            text = f"{stub.label}: the laws call {name}, and the stub defines"
            lines = (node.lineno for node in stub.tree.body) if stub.tree else ()
            place = subject.at(stub, min(lines, default=0))
            yield place, f"{text} {own or 'no function'}", f"name the function {name}"
        elif len(senses) > 1 and near:
            exercise = names[near[0]]
            text = f"exercise {exercise.number} is called {near[0]}, and its other files say {name}"
            places = ", ".join(place for _, place in senses)
            repair = f"call it {name}, or write {near[0]} there: {places}"
            yield (exercise.stubs or exercise.cells)[0], text, repair
        elif near:
            text = f"{kind} for {name}, which no exercise is called; {near[0]} has none"
            yield place, text, f"rename {name} to {near[0]}"
        else:
            of = f"which no {'exported cell defines' if kind == 'laws' else 'exercise is called'}"
            repair = f"remove it, or use one of: {', '.join(names)}"
            yield place, f"{kind} for {name}, {of}", repair


def _asked_of_the_package(subject: Subject) -> Iterator[tuple[str, str]]:
    """The names that laws and contract tests read of `tt` and no exported cell defines, each once,
    with its place.
    """
    exported, seen = bound(cell for cell in subject.cells if cell.exported), set[str | None]()
    for path in dict.fromkeys(test.path for test in subject.tests):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
        lent = {one.arg for call in calls for one in call.keywords}  # stand_in(order=mine)
        for node in ast.walk(tree):
            if not isinstance(node, ast.Attribute) or ast.unparse(node.value) != "tt":
                continue
            if node.attr[0] != "_" and node.attr not in exported | seen | lent:
                seen.add(node.attr)
                yield node.attr, subject.at(path, node.lineno)

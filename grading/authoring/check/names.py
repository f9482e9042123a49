"""Rules of the source for names: what a cell imports is allowed, and what it uses is defined. Each
fault is a text and its repair.
"""

import ast
import builtins
import json
import symtable
import sys
from collections.abc import Iterator

from tito.notebook.cells import Cell
from tito.workspace import TOOLS, Module, Workspace

_ALWAYS = (
    "numpy",
    "matplotlib",
    *(f"{TOOLS}.{name}" for name in ("classes", "datasets", "laws", "profiler", "testing")),
)


def imports(module: Module, cells: list[Cell]) -> Iterator[tuple[str, str]]:
    """Each import is one that `needs` allows, or one of those that every module may use."""
    allowed = (*_ALWAYS, *module.needs)
    toml = module.folder / "module.toml"
    workspace = Workspace(module.root)
    earlier = workspace.before(module)
    for other in workspace.modules():
        if other.import_name in module.needs and other.name not in (m.name for m in earlier):
            yield (
                f"{toml}: needs names {other.import_name}, which {other.name} exports, but `after`"
                " leads to no such module",
                f"after = {json.dumps([*module.after, other.name])}",
            )
    for cell in (cell for cell in cells if cell.kind == "code"):
        tree = cell.tree
        for name in _imported(tree, workspace.package.name) if tree else ():
            if name.partition(".")[0] in sys.stdlib_module_names or any(
                name == one or name.startswith(f"{one}.") for one in allowed
            ):
                continue
            yield (
                f"{cell.label}: imports {name}, which `needs` does not allow",
                f'add to needs in {toml}: "{name}"',
            )


def _imported(tree: ast.AST, package: str) -> list[str]:
    found, modules = [], {name + part for name in (TOOLS, package) for part in ("", ".core")}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            # `from tinytorch import datasets` names a module; `from tinytorch.core.tensor import
            # Tensor` does not.
            found += (
                [f"{node.module}.{alias.name}" for alias in node.names]
                if node.module in modules
                else [node.module]
            )
    return found


def defined(module: Module, cells: list[Cell]) -> Iterator[tuple[str, str]]:
    """Each name that code uses is defined. The site and `tito dev demo` run demo cells on the
    exported package and `tinytorch.testing` alone, so a demo defines the rest itself.
    """
    cells = [cell for cell in cells if cell.kind == "code" and cell.tree]
    names = {cell.index: _bound_and_used(cell) for cell in cells}
    everywhere = {*dir(builtins), "get_ipython", "display"}
    on_the_page = set(everywhere)
    for cell in cells:
        bound = names[cell.index][0]
        everywhere |= bound
        on_the_page |= bound if cell.exported or cell.is_demo else _test_tools(cell)
    for cell in cells:
        used = names[cell.index][1]
        for name in sorted(used - everywhere):
            yield f"{cell.label}: uses {name}, which no cell defines", f"import or define {name}"
        for name in sorted(used & everywhere - on_the_page) if cell.is_demo else ():
            yield (
                f"{cell.label}: a demo also runs on the exported package alone, where {name} is"
                " not defined",
                f"import or define {name} in the demo's own cell",
            )


def _bound_and_used(cell: Cell) -> tuple[set[str], set[str]]:
    """The global names that a cell defines, and those that it uses."""
    top = symtable.symtable(cell.python, cell.label, "exec")
    bound, used, tables = set(), set(), [top]
    for table in tables:
        tables += table.get_children()
        for symbol in table.get_symbols():
            if table is not top and not symbol.is_global():
                continue
            if symbol.is_assigned() or symbol.is_imported():
                bound.add(symbol.get_name())
            elif symbol.is_referenced():
                used.add(symbol.get_name())
    return bound, used


def _test_tools(cell: Cell) -> set[str]:
    """The names that a cell imports from `tinytorch.testing`."""
    nodes = ast.walk(cell.tree) if cell.tree else ()
    return {
        alias.asname or alias.name
        for node in nodes
        if isinstance(node, ast.ImportFrom) and node.module == "tinytorch.testing"
        for alias in node.names
    }

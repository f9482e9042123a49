"""The repository keeps its own rules: which folder may import which, no module named in the
machinery, no path of a particular machine in a file, and files of readable length.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers.repository import PYTHON, ROOT, TRACKED, room
from tinytorch import linear_algebra
from tito.child_processes import ONE_THREAD
from tito.student_work.exporter import is_generated
from tito.verbs import GROUPS, verbs
from tito.workspace import Workspace

TOP = set(
    """modules tinytorch grading site tito tests benchmarks docs .ci .github .binder
    .devcontainer .pre-commit-config.yaml pyproject.toml tito.toml hatch_build.py constraints.txt
    Makefile .gitignore .gitattributes .git-blame-ignore-revs README.md CONTRIBUTING.md
    CHANGELOG.md CITATION.cff LICENSE""".split()
)
MAX_LINES = 580


DEEP = ("tinytorch", "tinytorch.core", "tinytorch.data", "grading", "tito")


def imports(text: str) -> Iterator[tuple[str, int, bool]]:
    """(module, line, whether it runs when the file is imported) of every import in a file; imports
    for type checking are left out.
    """

    def walk(node: ast.AST, at_once: bool) -> Iterator[tuple[str, int, bool]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
                continue
            names = []
            if isinstance(child, ast.Import):
                names = [alias.name for alias in child.names]
            elif isinstance(child, ast.ImportFrom) and child.module and not child.level:
                names = [child.module]
                if child.module in DEEP:
                    names = [f"{child.module}.{alias.name}" for alias in child.names]
            yield from ((name, child.lineno, at_once) for name in names)
            delayed = isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
            yield from walk(child, at_once and not delayed)

    yield from walk(ast.parse(text), True)


def within(name: str, *packages: str) -> bool:
    return any(name == package or name.startswith(package + ".") for package in packages)


def standard(name: str) -> bool:
    return name.partition(".")[0] in sys.stdlib_module_names


# Which folder may import what besides the folders of the repository, whose order is in
# pyproject.toml, [tool.importlinter]. Each rule gets (path below its folder, imported name, whether
# the import runs when the file is imported) and returns whether that is allowed.

LAZY = set("matplotlib pooch torch tensorflow PIL duckdb yaml tomli requests sklearn".split())


def tinytorch_may(place: str, name: str, at_once: bool) -> bool:
    top = name.partition(".")[0]
    if top in LAZY:
        return not at_once
    for slow, readers in (("tinytorch.notebook", "notebook/"), ("tinytorch.profiler", "profiler/")):
        if within(name, slow) and not place.startswith(readers):
            return not at_once
    return standard(name) or top in ("numpy", "tinytorch")


def tito_may(place: str, name: str, at_once: bool) -> bool:
    top = name.partition(".")[0]
    if top in ("rich", "jupytext", "nbformat", "jupyter_core", "pytest", "numpy"):
        # The plugin belongs to pytest, and the contract proxy uses NumPy; neither is imported
        # for a verb.
        return not at_once or place.startswith("contract/")
    if top == "tinytorch":
        return (
            place.startswith("contract/")
            or within(name, "tinytorch.testing")
            or (not at_once and not within(name, "tinytorch.core.dataloader", "tinytorch.data"))
        )
    return standard(name) or top in ("tito", "tomli")


def grading_may(place: str, name: str, at_once: bool) -> bool:
    if at_once and place.startswith("engine/sandbox/") and not place.endswith("/provisioner.py"):
        return standard(name) or within(name, "grading.engine.sandbox", "tito")
    return name.partition(".")[0] not in ("tests", "benchmarks", "site") or standard(name)


RULES = {"tinytorch": tinytorch_may, "tito": tito_may, "grading": grading_may}


def breaches(rule, place: str, text: str) -> list[str]:
    return [
        f"{place}, line {line}: {'imports' if at_once else 'imports, in a function,'} {name}"
        for name, line, at_once in imports(text)
        if not rule(place, name, at_once)
    ]


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


SECRETS = ROOT / "grading" / "modules"  # what students must not see of each module
MACHINERY = [path for path in PYTHON if SECRETS not in path.parents]


@pytest.mark.parametrize("name", sorted(RULES))
def test_each_room_imports_only_what_the_table_allows(name):
    files = {path.relative_to(ROOT / name) for path in MACHINERY if room(path) == name}
    assert files
    found = [breaches(RULES[name], one.as_posix(), text_of(ROOT / name / one)) for one in files]
    assert sum(found, []) == []


# The machinery knows no module by name

# These forms of a name are forbidden whether such a module exists or not, so that adding a module
# does not change the result. NN_name and 01_NAME do not have such a form and may be used in
# messages.
MODULE_FORM = re.compile(r"\b\d\d[a-z]?_[a-z][a-z0-9_]*|\b[a-z][a-z0-9_]*_dev\b")

EXPORTS = [
    word for module in Workspace(ROOT).modules() for word in (module.export, module.import_name)
]


def named_modules(place: str, text: str) -> list[str]:
    """Strings in code that name a module of the course: by its folder, its notebook or its export,
    or by a name or number that is passed to `.module(...)` or compared with a module's name.
    Docstrings and the help texts of arguments may give examples.
    """
    tree = ast.parse(text)
    nodes = [*ast.walk(tree)]
    defined = (ast.Module, ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)
    first = [node.body[0] for node in nodes if isinstance(node, defined) and node.body]
    examples = {id(one.value) for one in first if isinstance(one, ast.Expr)}
    helps = [node for node in nodes if isinstance(node, ast.keyword)]
    helps = [node.value for node in helps if node.arg in ("help", "description", "epilog")]
    examples |= {id(part) for value in helps for part in ast.walk(value)}
    named = []
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if id(node) not in examples and (
                MODULE_FORM.search(node.value) or any(word in node.value for word in EXPORTS)
            ):
                named.append(node)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(".module"):
            named += [part for part in node.args if isinstance(part, ast.Constant)]
        elif isinstance(node, ast.Compare):
            parts = [node.left, *node.comparators]
            if any(getattr(part, "attr", "") in ("short", "number") for part in parts):
                named += [part for part in parts if isinstance(part, ast.Constant)]
    return [f"{place}, line {node.lineno}: {node.value!r}" for node in named]


def test_the_machinery_names_no_module():
    files = [path for path in MACHINERY if room(path) in ("tito", "grading")]
    found = [named_modules(path.relative_to(ROOT).as_posix(), text_of(path)) for path in files]
    assert sum(found, []) == []


# Rules for every file


def test_no_export_is_in_the_repository():
    """An export holds answers: `tito export` writes it, and it is never committed."""
    exports = {module.export_path for module in Workspace(ROOT).modules()}
    assert [path for path in PYTHON if path in exports or is_generated(path)] == []


def test_the_top_level_holds_the_rooms_and_nothing_else():
    assert {room(path) for path in TRACKED} - TOP == set()


# The path of this checkout, home folders, and the hosts that packages are fetched from.
PRIVATE = re.compile(
    re.escape(f"{ROOT}/") + r"|/root/|/home/(?!user\b)\w|/Users/(?!you\b)\w|[A-Z]:\\\\Users|"
    r"pypi\.org|files\.pythonhosted|registry\.npmjs",
    re.IGNORECASE,
)


def test_no_file_names_a_machine_or_a_registry():
    found = []
    for path in {*TRACKED} - {Path(__file__).resolve()}:
        lines = path.read_bytes().decode("utf-8", errors="ignore").splitlines()
        found += [f"{path}: {line.strip()[:120]}" for line in lines if PRIVATE.search(line)]
    assert found == []


def test_the_limits_of_threads_have_two_homes():
    """The variables are listed twice, because tinytorch does not import tito; all others do."""
    named = [path for path in PYTHON if "MKL_NUM_THREADS" in text_of(path)]
    homes = [ROOT / "tinytorch/linear_algebra.py", ROOT / "tito/child_processes.py"]
    assert [path for path in named if room(path) != "tests"] == homes
    assert set(linear_algebra.ONE_THREAD) == set(ONE_THREAD)


def test_no_file_grows_past_a_sitting():
    """Sources of notebooks and what is made from them are exempt: they are read cell by cell."""
    notebooks = {SECRETS, ROOT / "modules"}
    files = [path for path in PYTHON if not notebooks & {*path.parents}]
    assert [path for path in files if len(text_of(path).splitlines()) > MAX_LINES] == []


def test_the_places_that_contributing_names_exist():
    table = text_of(ROOT / "CONTRIBUTING.md").split("\n## ")[1]
    named = re.findall(r"`([\w/.]+/[\w/.]*)`", table)
    assert len(named) > 20
    assert [name for name in named if not (ROOT / name).exists() and "NN_name" not in name] == []


# Commands that messages and pages name

_PROSE = set(
    """is was said gave or has alone works runs and does finds comes reads remembers site answers
    cannot writes itself in the test""".split()
)


def said_commands(text: str) -> Iterator[tuple[str | None, str]]:
    """The verbs in commands that a text tells the reader to type: after a backtick or a colon, or
    at the start of a line.
    """
    for found in re.finditer(
        r"(?:`|: |^\s*|\bbin/)tito ((?:grade|dev) )?([a-z]+(?:-[a-z]+)*)", text, re.MULTILINE
    ):
        yield (found.group(1) or "").strip() or None, found.group(2)


def words_of(path: Path) -> str:
    """The text of a file; for code also each string as one piece, even if the source splits it."""
    found = [text_of(path)]
    for node in ast.walk(ast.parse(found[0])) if path.suffix == ".py" else ():
        if isinstance(node, (ast.JoinedStr, ast.Constant)):
            parts = node.values if isinstance(node, ast.JoinedStr) else [node]
            found.append("".join(str(getattr(part, "value", "")) for part in parts))
    return "\n".join(found)


def test_every_command_that_is_named_exists():
    known = {group: {*verbs(group), *GROUPS, *_PROSE} for group in (None, *GROUPS)}
    texts = [path for path in TRACKED if path.suffix in (".py", ".md", ".txt")]
    wrong = [
        f"{path.relative_to(ROOT)}: tito {group or ''} {verb}"
        for path in texts
        if room(path) != "tests"
        for group, verb in said_commands(words_of(path))
        if verb not in known[group]
    ]
    assert wrong == []

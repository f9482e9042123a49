"""Point 6 of `tito dev check`: what can be seen without running anything. nbgrader's sharp edges
are owned here.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from grading.authoring.check import names
from grading.authoring.check.demo_rules import check_demos
from grading.authoring.check.exercise_rules import check_exercises
from grading.authoring.check.law_rules import check_laws
from grading.authoring.variants.proof import Fault
from grading.engine.course.references import source_path, test_folders
from tito.contract.marks import ContractTest, tests_in
from tito.errors import WorkError
from tito.notebook import hours
from tito.notebook.cells import Cell
from tito.notebook.exercises import checked, exercises, points_filled_in
from tito.workspace import Module, Workspace

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_HINT = re.compile(r"hint=[\"'](\S+) (\S+?)[\"']")
_TYPED_HOURS = re.compile(r"\w[\w.]* hours?(?=,\s+(?:\d+|<!--) points)")
_TYPED_POINTS = re.compile(
    r"(?:^#{2,4} .*?|<!-- hours(?: Part \w+)? -->,\s+)(\d[\d.]* points?)\b", re.MULTILINE
)
HINT_LAYERS = 3


def check_structure(module: Module, cells: list[Cell]) -> list[Fault]:
    """Every fault that reading the source, module.toml, laws and contract tests shows."""
    rules = (
        _ids,
        _points,
        _markers,
        _solutions,
        _tests,
        _questions,
        _hints,
        _stuck,
        _hours,
        _contracts,
        check_demos,
        names.imports,
        names.defined,
    )
    found = [Fault(6, text, repair) for rule in rules for text, repair in rule(module, cells)]
    laws = [Fault(6, f"{place}: {text}", repair) for place, text, repair in check_laws(module)]
    return found + laws


def tests_by_exercise(cells: Iterable[Cell]) -> dict[str, list[Cell]]:
    """The exercises by their names, with their graded cells."""
    found: dict[str, list[Cell]] = {}
    for exercise in exercises(cells):
        if exercise.graded and not exercise.is_question:
            found.setdefault(exercise.name, []).append(exercise.graded)
    return found


def exported_names(cells: Iterable[Cell]) -> list[str]:
    """The functions and classes that the package file will hold."""
    return [
        node.name
        for cell in cells
        if cell.exported and cell.tree
        for node in cell.tree.body
        if isinstance(node, (*_FUNCTIONS, ast.ClassDef))
    ]


def total_points(cells: Iterable[Cell]) -> float:
    return sum(float(cell.nbgrader.get("points", 0) or 0) for cell in cells)


def all_tests(module: Module) -> list[ContractTest]:
    """Every law and contract test of a module, public ones first.

    Raises:
        WorkError: a file is no Python, or holds laws and its name says no exercise.
    """
    found: list[ContractTest] = []
    for folder in test_folders(module):
        for path in sorted(folder.glob("test_*.py")):
            try:
                found += tests_in(path)
            except SyntaxError as problem:
                raise WorkError(
                    f"laws and contract tests are plain Python; {path}, line {problem.lineno}:"
                    f" {problem.msg}. Repair that line, then: tito dev check {module.name}"
                ) from None
    for test in found:
        if test.is_law and test.exercise is None:
            name = test.path.name.removeprefix("test_")
            raise WorkError(
                "the name of a file of laws begins with the exercise's number, such as"
                f" test_1a_{name}; that of {test.path} does not. Rename it, then:"
                f" tito dev check {module.name} --release"
            )
    return found


Findings = Iterator[tuple[str, str]]


def _ids(module: Module, cells: list[Cell]) -> Findings:
    graded, source = [cell for cell in cells if cell.nbgrader], source_path(module)
    for grade_id, count in Counter(cell.grade_id for cell in graded).items():
        if count > 1:
            text = f"each cell has its own grade_id; {count} cells are called {grade_id!r}"
            yield text, f"rename all but one in {source}"
    package = Workspace(module.root).package.name
    if not re.match(rf"{package}/.", module.export):
        text = f"export is a file below {package}/; it is {module.export!r}"
        yield text, f'export = "{package}/core/NAME.py"'


def _points(module: Module, cells: list[Cell]) -> Findings:
    total, declared = total_points(cells), module.meta.get("points", 100)
    if total != declared:
        name = source_path(module).name
        text = f"points sum to {declared:g}; those of {name} sum to {total:g}"
        yield text, f"change points in the source, or in module.toml: points = {total:g}"


def _markers(module: Module, cells: list[Cell]) -> Findings:
    """Regions that nbgrader takes out are whole, and in cells of the kind that they belong to."""
    kinds = {
        "SOLUTION": ("solution", "# %% stub NAME"),
        "HIDDEN TESTS": ("grade", "# %% test NAME, 4 points"),
        "MARK SCHEME": ("task", "# %% question NAME, 2 points [markdown]"),
    }
    for cell in cells:
        for kind, (flag, line) in kinds.items():
            found = re.findall(rf"### (BEGIN|END) {kind}", cell.source)
            if found and not cell.nbgrader.get(flag):
                text = f"{cell.label}: ### BEGIN {kind} stands in a cell that begins with"
                yield f"{text} {line}; this one does not", f"write {line}, or take the markers out"
            if found != ["BEGIN", "END"] * (len(found) // 2):
                text = f"{cell.label}: {kind.lower()} markers come in pairs; in order they are"
                repair = f"write each ### BEGIN {kind} with its ### END {kind} below it"
                yield f"{text} {', '.join(found)}", repair


def _solutions(module: Module, cells: list[Cell]) -> Findings:
    for cell in (cell for cell in cells if cell.is_solution):
        lines = cell.source.splitlines()
        begins = [n for n, line in enumerate(lines, start=1) if "### BEGIN SOLUTION" in line]
        if cell.tree is None:
            text = f"{cell.label}: a solution cell is plain Python"
            yield text, "take the % or ! line out, or repair the syntax"
            continue
        if not begins:
            text = f"{cell.label}: a solution cell without markers is wiped whole"
            yield text, "add ### BEGIN SOLUTION and ### END SOLUTION inside a function"
        functions = [node for node in ast.walk(cell.tree) if isinstance(node, _FUNCTIONS)]
        for line in begins:
            around = [f.lineno for f in functions if f.lineno < line <= _end_of(f, lines)]
            if not around:
                text = (
                    f"{cell.label}, line {line}: solution markers stand inside a function; in a"
                    " class body the class itself raises"
                )
                yield text, "move ### BEGIN SOLUTION below a def"
            elif not any("TODO" in text for text in lines[max(around) - 1 : line]):
                text = f"{cell.label}, line {line}: every exercise has a TODO above its solution"
                yield text, "add: # TODO: how many lines, and the idea"


def _end_of(function: ast.stmt, lines: Sequence[str]) -> int:
    """A trailing comment belongs to the function as long as it is indented deeper than its
    `def`.
    """
    end = function.end_lineno or function.lineno
    while end < len(lines) and (
        not lines[end].strip() or len(lines[end]) - len(lines[end].lstrip()) > function.col_offset
    ):
        end += 1
    return end


def _tests(module: Module, cells: list[Cell]) -> Findings:
    for cell in (cell for cell in cells if cell.is_test):
        tree = cell.tree
        if tree is None or not tree.body:
            yield f"{cell.label}: a test cell is plain Python", "repair the syntax"
            continue
        if cell.exported:
            yield f"{cell.label}: a test is not exported", "remove #| export"
        last = tree.body[-1]
        trailing = ast.unparse(last) if isinstance(last, ast.Expr) else ""
        if trailing and not re.match(r"check\(", trailing):
            text = f"{cell.label}: nbgrader reads a trailing expression as the score; it ends with"
            repair = 'end it with the line check("1a"), with the number of its exercise'
            yield f"{text} {trailing}", repair
        if not _HINT.search(cell.source) and not checked(cell.source):
            text = f"{cell.label}: a test says which exercise it belongs to"
            yield text, 'check("1a"), with the number of its exercise'
        for number, name in _HINT.findall(cell.source):
            if number != module.number:
                text = f"{cell.label}: hint names module {number!r}, this one is {module.number!r}"
                yield text, f'hint="{module.number} {name}"'


def _questions(module: Module, cells: list[Cell]) -> Findings:
    for cell, after in zip(cells, [*cells[1:], None], strict=True):
        if not cell.nbgrader.get("task"):
            continue
        if "### BEGIN MARK SCHEME" not in cell.source:
            repair = "add ### BEGIN MARK SCHEME ... ### END MARK SCHEME"
            yield f"{cell.label}: a question has a mark scheme", repair
        if after is None or after.kind != "markdown" or after.nbgrader:
            text = f"{cell.label}: a question is locked, so an answer cell follows it"
            yield text, "add below it: # %% [markdown] and *Your answer here.*"


def _hints(module: Module, cells: list[Cell]) -> Findings:
    toml = module.folder / "module.toml"
    asked = tests_by_exercise(cells)
    for name in asked:
        layers = module.hints.get(name)
        found = layers if isinstance(layers, list) else []
        written = [text for text in found if isinstance(text, str) and text.strip()]
        if not len(written) == len(found) == HINT_LAYERS:
            text = f"exercise {name}: hints come in {HINT_LAYERS} layers; {toml} has {len(found)}"
            yield text, f'[hints] {name} = ["the idea", "the tool", "almost the finished line"]'
    for name in set(module.hints) - set(asked):
        text = f"{toml}: hints for {name!r}, which no exercise is called"
        yield text, f"remove them, or rename them to one of: {', '.join(asked)}"


def _stuck(module: Module, cells: list[Cell]) -> Findings:
    """How to get a hint is said once, because the command differs only by the exercise's number."""
    said = [cell.label for cell in cells if cell.kind == "markdown" and "Stuck?" in cell.source]
    command = f"tito hint {module.number} 1a"
    for label in said[1:]:
        text = f'{label}: "Stuck?" stands once in a notebook; {said[0]} has it already'
        yield text, f"remove the sentence; `{command}` stands where check is explained"


def _hours(module: Module, cells: list[Cell]) -> Findings:
    """Hours follow from the minutes and points from the cells, so the text has marks for them and
    no numbers.
    """
    parts = hours.minutes(cells)
    marks = ["<!-- hours -->", *(f"<!-- hours {part} -->" for part in parts if part)]
    listed, points = ", ".join(marks), points_filled_in(cells)
    texts = [cell for cell in cells if cell.kind == "markdown"]
    for cell in texts:
        filled = hours.filled_in(points.get(cell.index, cell.source), parts)
        for left in re.findall(r"<!-- (?:hours|points).*?-->", filled):
            text = f"{cell.label}: {left} names no part whose headings state minutes"
            yield text, f"write one of: {listed}; or points in place of hours"
        for typed in _TYPED_HOURS.findall(cell.source):
            text = f"{cell.label}: hours follow from the minutes; {typed!r} is typed by hand"
            yield text, f"write one of these in place of the hours: {listed}"
        for typed in _TYPED_POINTS.findall(cell.source):
            text = f"{cell.label}: points follow from the cells; {typed!r} is typed by hand"
            repair = (
                "write in its place, beside the hours or in the line below an exercise's heading:"
                " <!-- points -->"
            )
            yield text, repair
    if not any(mark in cell.source for cell in texts for mark in marks):
        repair = f"write in the first cell of {source_path(module).name}: **<!-- hours -->,"
        yield "no text says how many hours the module takes", f"{repair} <!-- points -->.**"


def sealed_tests(module: Module, laws: bool) -> Counter[str]:
    """grade_id -> how many laws, or how many contract tests, earn its points."""
    tests = [test for test in all_tests(module) if test.is_law == laws]
    return Counter(grade_id for test in tests for grade_id in test.grade_ids)


def _contracts(module: Module, cells: list[Cell]) -> Findings:
    graded = {cell.name for cell in cells if cell.is_test}
    for test in all_tests(module):
        if not test.grade_ids:
            repair = '@pytest.mark.contract("GRADED_CELL")'
            if test.is_law:
                repair = f"write exercise {test.exercise} in the source, then: tito grade release"
                repair += f" {module.name}"
            yield f"{test.path}: {test.name} has no points to earn", repair
        for mark in set(test.grade_ids) - graded:
            text = f"{test.path}: {test.name} is marked {mark!r}, which no graded cell is called"
            yield text, f"name one of: {', '.join(sorted(graded)) or 'none yet'}"
    yield from check_exercises(
        cells, sealed_tests(module, laws=True) + sealed_tests(module, laws=False)
    )

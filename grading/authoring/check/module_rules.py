"""Point 6 of `tito dev check`: what can be seen without running anything. nbgrader's sharp edges
are owned here.

The rules come in groups. What breaks a rule of one group may break rules of the later groups, too,
so the first group with a fault ends the check.
"""

import ast
import difflib
import itertools
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from grading.authoring.check import name_rules, solution_rules
from grading.authoring.check.checked_module import Findings, Subject
from grading.authoring.check.demo_rules import check_demos
from grading.authoring.check.exercise_rules import (
    check_exercises,
    check_hints,
    check_questions,
    law_or_test,
)
from grading.authoring.check.law_rules import check_laws, refusals, unknown_helpers
from grading.authoring.check.ruff_rules import long_lines, undefined_in_laws
from grading.authoring.check.signature_rules import check_signatures
from grading.authoring.check.untested_promises import misnamed_laws, unknown_sentences, unnumbered
from grading.authoring.mutate import equivalent
from grading.authoring.mutate.mutants import generate
from grading.authoring.mutate.solution_code import Code
from grading.authoring.variants.check_jobs import Fault
from grading.engine.course.references import test_folders
from tito.notebook import hours
from tito.notebook.cells import Cell
from tito.notebook.exercises import checked, points_filled_in
from tito.notebook.syntax_errors import syntax_errors
from tito.workspace import Workspace

_HINT = re.compile(r"hint=[\"'](\S+) (\S+?)[\"']")
_TYPED_HOURS = re.compile(r"\w[\w.]* hours?(?=,\s+(?:\d+|<!--) points)")
_TYPED_POINTS = re.compile(
    r"(?:^#{2,4} .*?|<!-- hours(?: Part \w+)? -->,\s+)(\d[\d.]* points?)\b", re.MULTILINE
)
_KEYS = (
    *("number", "title", "tier", "difficulty", "points", "export", "notebook", "needs", "after"),
    *("prerequisites", "next", "objectives", "hints", "wrong", "right"),
)
# kind of marker -> what nbgrader says of its cell, and the line that begins the cell
_MARKERS = {
    "SOLUTION": ("solution", "# %% stub NAME"),
    "HIDDEN TESTS": ("grade", "# %% test NAME, 4 points"),
    "MARK SCHEME": ("task", "# %% question NAME, 2 points [markdown]"),
}
Rule = Callable[[Subject], Findings]


def check_structure(subject: Subject) -> list[Fault]:
    """The faults that reading the source, module.toml, laws and solutions shows, of the first group
    of rules that finds one; at each place the first one.
    """
    for point, rules in _GROUPS:
        faults: dict[str, Fault] = {}
        for rule in rules:
            for where, text, repair in rule(subject):
                place = where if isinstance(where, str) else subject.at(where)
                faults.setdefault(place, Fault(point, place, text, repair))
        if faults:
            return list(faults.values())
    return []


def total_points(cells: Sequence[Cell]) -> float:
    return sum(float(cell.nbgrader.get("points", 0) or 0) for cell in cells)


def earning(subject: Subject, laws: bool) -> Counter[str]:
    """grade_id -> how many laws, or how many contract tests, earn its points."""
    tests = [test for test in subject.tests if test.is_law == laws]
    return Counter(name for test in tests for name in subject.cell_of(test))


def _syntax(subject: Subject) -> Findings:
    for cell, line, message in syntax_errors(subject.cells):
        yield subject.at(cell, line), f"{cell.label}: {message}", "repair this line"


def _laws_are_python(s: Subject) -> Findings:
    paths = [path for folder in test_folders(s.module) for path in sorted(folder.glob("*.py"))]
    for path in paths:
        try:
            ast.parse(path.read_text(encoding="utf-8"))
        except SyntaxError as problem:
            text = f"{path.name} is no Python: {problem.msg}"
            yield s.at(path, problem.lineno or 1), text, "repair this line"


def _ids(s: Subject) -> Findings:
    first: dict[str | None, Cell] = {}
    for cell in (cell for cell in s.cells if cell.nbgrader):
        grade_id = cell.grade_id
        if grade_id in first:
            other = s.at(first[grade_id])
            text = f"each cell has its own grade_id; {grade_id!r} is also that of {other}"
            yield cell, text, "rename one of the two"
        first.setdefault(grade_id, cell)


def _markers(s: Subject) -> Findings:
    """Regions that nbgrader takes out are whole, and in cells of the kind that they belong to."""
    for cell in s.cells:
        said = [
            (line, match[1], match[2].strip())
            for line, text in enumerate(cell.source.split("\n"), start=1)
            for match in re.finditer(r"### ?(BEGIN|END)\b([A-Z ]*)", text)
        ]
        for line, begin, kind in said:
            if kind not in _MARKERS:
                text = f"{cell.label}: no marker is called ### {begin} {kind}"
                yield s.at(cell, line), text, f"write one of: {', '.join(_MARKERS)}"
                break
        else:
            for kind in _MARKERS:
                yield from _pairs(s, cell, kind, [one for one in said if one[2] == kind])


def _pairs(s: Subject, cell: Cell, kind: str, said: list[tuple[int, str, str]]) -> Findings:
    (flag, line_of), begins = _MARKERS[kind], [begin for _, begin, _ in said]
    if begins and not cell.nbgrader.get(flag):
        text = f"{cell.label}: ### BEGIN {kind} is in a cell that begins with {line_of}"
        repair = f"write {line_of}, or take the markers out"
        yield s.at(cell, said[0][0]), f"{text}; this one does not", repair
    elif begins != ["BEGIN", "END"] * (len(begins) // 2):
        turns = zip(said, itertools.cycle(["BEGIN", "END"]), strict=False)
        line = next((line for (line, begin, _), turn in turns if begin != turn), said[-1][0])
        text = f"{cell.label}: {kind.lower()} markers come in pairs; in order they are"
        repair = f"write each ### BEGIN {kind} with its ### END {kind} below it"
        yield s.at(cell, line), f"{text} {', '.join(begins)}", repair
    elif kind == "SOLUTION" and cell.is_solution and not begins:
        text = f"{cell.label}: a solution cell without markers is wiped whole"
        yield cell, text, "add ### BEGIN SOLUTION and ### END SOLUTION inside a function"


def _solutions(s: Subject) -> Findings:
    for cell in (cell for cell in s.cells if cell.is_solution):
        lines = cell.source.split("\n")
        begins = [n for n, line in enumerate(lines, start=1) if "### BEGIN SOLUTION" in line]
        if cell.tree is None:
            text = f"{cell.label}: a solution cell is plain Python"
            yield cell, text, "take the % or ! line out, or repair the syntax"
            continue
        if not cell.exported:
            text = f"{cell.label}: a stub is exported, because the laws run on the package"
            yield cell, text, "write as the first line of the cell: #| export"
        code = Code(cell.source)
        for line, region in zip(begins, code.regions, strict=False):
            function = code.around(region)
            if not function:
                text = (
                    f"{cell.label}: solution markers are inside a function; in a class body the"
                    " class itself raises"
                )
                yield s.at(cell, line), text, "move ### BEGIN SOLUTION below a def"
            elif not any("TODO" in text for text in lines[function.lineno - 1 : line]):
                text = f"{cell.label}: every exercise has a TODO above its solution"
                yield s.at(cell, line), text, "add: # TODO: how many lines, and the idea"


def _tests(s: Subject) -> Findings:
    number = s.module.number
    for cell in (cell for cell in s.cells if cell.is_test):
        tree = cell.tree
        if tree is None or not tree.body:
            yield cell, f"{cell.label}: a test cell is plain Python", "repair the syntax"
            continue
        if cell.exported:
            yield cell, f"{cell.label}: a test is not exported", "remove #| export"
        last = tree.body[-1]
        trailing = ast.unparse(last) if isinstance(last, ast.Expr) else ""
        own = next((one.number for one in s.asked if cell in one.cells), "1a")
        repair = f'write: check("{own}")'
        if trailing and not re.match(r"check\(", trailing):
            text = f"{cell.label}: nbgrader reads a trailing expression as the score; it ends with"
            yield s.at(cell, last.lineno), f"{text} {trailing}", repair
        elif not _HINT.search(cell.source) and not checked(cell.source):
            yield cell, f"{cell.label}: a test says which exercise it belongs to", repair
        elif checked(cell.source) not in (None, own):
            text = f"{cell.label}: it runs the laws of exercise {checked(cell.source)}, and belongs"
            yield s.at(cell, last.lineno), f"{text} to exercise {own}", repair
        for other, name in _HINT.findall(cell.source):
            if other != number:
                text = f"{cell.label}: hint names module {other!r}, this one is {number!r}"
                yield cell, text, f'hint="{number} {name}"'


def _points(s: Subject) -> Findings:
    total, declared = total_points(s.cells), s.module.meta.get("points", 100)
    if total != declared:
        text = f"points sum to {declared:g}; those of {s.path.name} sum to {total:g}"
        yield s.key("points"), text, f"write points = {total:g}, or change them in the source"
    package = Workspace(s.module.root).package.name
    if not re.match(rf"{package}/.", s.module.export):
        text = f"export is a file below {package}/; it is {s.module.export!r}"
        yield s.key("export"), text, f'export = "{package}/core/NAME.py"'


def _finish(s: Subject) -> Findings:
    """Run as a script, a notebook says in `finish()` what failed, and ends with 1."""
    last = next((cell for cell in reversed(s.cells) if cell.kind == "code"), None)
    if last and not re.search(r"^finish\(\)", last.source, re.MULTILINE):
        text = f"{last.label}: the last code cell of a notebook calls finish(); this one does not"
        yield last, text, "add below the last cell a locked one with the line: finish()"


def _names_of_module(s: Subject) -> Findings:
    """The module's own name, where the source says it, and the keys of its module.toml."""
    for cell in s.cells:
        for name in re.findall(r"\bchecker\([\"']([^\"']*)[\"']\)", cell.source):
            if name != s.module.name:
                text = f"{cell.label}: checker(...) names {name!r}; this module is {s.module.name}"
                yield _line(s, cell, name), text, f'write: checker("{s.module.name}")'
        for number in re.findall(r"tito hint (\d\d\w?)\b", cell.source):
            if number != s.module.number:
                text = f"{cell.label}: tito hint {number} leads to another module"
                repair = f"write: tito hint {s.module.number}"
                yield _line(s, cell, f"tito hint {number}"), text, repair
    for key in s.module.meta.keys() - _KEYS:
        near = difflib.get_close_matches(key, _KEYS, 1)
        text = f"module.toml has no key {key!r}"
        yield s.key(key), text, f"write {near[0]}" if near else f"one of: {', '.join(_KEYS)}"


def _stuck(s: Subject) -> Findings:
    """How to get a hint is said once, because the command differs only by the exercise's number."""
    said = [cell for cell in s.cells if cell.kind == "markdown" and "Stuck?" in cell.source]
    for cell in said[1:]:
        text = f'{cell.label}: "Stuck?" occurs once in a notebook; {said[0].label} has it already'
        repair = f"remove the sentence; `tito hint {s.module.number} 1a` is where check is"
        yield _line(s, cell, "Stuck?"), text, f"{repair} explained"


def _line(s: Subject, cell: Cell, text: str) -> str:
    """The place of a text in a cell."""
    return s.at(cell, cell.source[: cell.source.find(text)].count("\n") + 1)


def _hours(s: Subject) -> Findings:
    """Hours follow from the minutes and points from the cells, so the text has marks for them and
    no numbers.
    """
    parts = hours.minutes(s.cells)
    marks = ["<!-- hours -->", *(f"<!-- hours {part} -->" for part in parts if part)]
    listed, points = ", ".join(marks), points_filled_in(s.cells)
    texts = [cell for cell in s.cells if cell.kind == "markdown"]
    for cell in texts:
        filled = hours.filled_in(points.get(cell.index, cell.source), parts)
        for left in re.findall(r"<!-- (?:hours|points).*?-->", filled):
            text = f"{cell.label}: {left} names no part whose headings state minutes"
            yield _line(s, cell, left), text, f"write one of: {listed}; or points in place of hours"
        for typed in _TYPED_HOURS.findall(cell.source):
            text = f"{cell.label}: hours follow from the minutes; {typed!r} is typed by hand"
            repair = f"write one of these in place of the hours: {listed}"
            yield _line(s, cell, typed), text, repair
        for typed in _TYPED_POINTS.findall(cell.source):
            text = f"{cell.label}: points follow from the cells; {typed!r} is typed by hand"
            repair = (
                "write in its place, beside the hours or in the line below an exercise's heading:"
                " <!-- points -->"
            )
            yield _line(s, cell, typed), text, repair
    if not any("<!-- hours" in cell.source or _TYPED_HOURS.search(cell.source) for cell in texts):
        text = "no text says how many hours the module takes"
        yield s.cells[0], text, "write in the first cell: **<!-- hours -->, <!-- points -->.**"


def _contracts(s: Subject) -> Findings:
    """Each test earns points, and each graded cell has a test: a notebook's own can be forged."""
    graded = {one.graded.name: one for one in s.asked if one.graded}
    earned = earning(s, laws=True) + earning(s, laws=False)
    without = {name: one for name, one in graded.items() if not earned[name]}
    strange: dict[Path, list] = {}
    for test in s.tests:
        for name in set(test.grade_ids) - graded.keys() if not test.is_law else ():
            text = f"{test.name} is marked {name!r}, which no graded cell is called"
            repair = f"name one of: {', '.join(sorted(graded)) or 'none yet'}"
            yield s.at(test.path, test.line), text, repair
        if not s.cell_of(test) and (test.is_law or not test.grade_ids):
            strange.setdefault(test.path, []).append(test)
    for path, tests in strange.items():
        first = tests[0]
        heir = next((one for one in without.values() if path.stem.endswith(f"_{one.name}")), None)
        text = f"{first.name} earns no points"
        repair = 'write above it: @pytest.mark.contract("GRADED_CELL")'
        if not first.is_law and re.match(r"test_\d+[a-z]_", path.name):
            repair = 'write above it: @law(N, "words of promise N")'
        if first.is_law:
            text = f"the file holds laws of exercise {first.exercise}, which the source has not"
            repair = f"write exercise {first.exercise} in the source"
        if first.is_law and heir and heir.graded:
            del without[heir.graded.name]
            text += f"; exercise {heir.number} {heir.name} has no law"
            repair = f"rename it to test_{heir.number}_{heir.name}.py"
        yield s.at(path, first.line), text, repair
    for one in without.values():
        kind, repair = law_or_test(one.graded)
        yield one.graded or "", f"exercise {one.label}: no {kind} earns its points", repair


def _equivalents(s: Subject) -> Findings:
    """Entries of equivalent.toml for mutants that are made of the source as it is."""
    path, entries = equivalent.path_of(s.module), equivalent.listed(s.module) if s.whole else {}
    lines = path.read_text(encoding="utf-8").splitlines() if entries else []
    for name, text in equivalent.stale(entries, generate(s.cells) if entries else []).items():
        line = next((n for n, said in enumerate(lines, 1) if f'["{name}"]' in said), 1)
        yield s.at(path, line), text, f"tito dev mutate {s.module.number} prints the entries"


_OF_LAWS: tuple[Rule, ...] = (undefined_in_laws, check_laws, refusals)
_OF_EXERCISES: tuple[Rule, ...] = (check_questions, check_hints, check_signatures, check_demos)
_GROUPS: tuple[tuple[int, tuple[Rule, ...]], ...] = (
    (6, (_syntax, _laws_are_python)),
    (6, (_ids, _markers)),
    (6, (_solutions, lambda s: check_exercises(s.cells))),
    (6, (_tests, unknown_helpers)),
    (6, (name_rules.stale,)),
    (6, (_contracts, name_rules.imports, name_rules.defined, *_OF_LAWS)),
    (6, (_names_of_module, _points, _finish, _stuck, _hours, *_OF_EXERCISES, long_lines)),
    (3, (solution_rules.wrong,)),
    (4, (solution_rules.right,)),
    (8, (unnumbered, misnamed_laws, unknown_sentences)),
    (8, (_equivalents,)),
)

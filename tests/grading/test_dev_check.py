"""`tito dev check` on a module as `tito dev new` makes it: sound as it is, and each mistake of an
author is one fault, with its cause, the line to edit and the repair.
"""

import re
import shutil
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

from grading.authoring import release
from grading.authoring.check import about_page, module_check
from grading.authoring.check.check_report import Proof
from grading.authoring.check.checked_module import Subject
from grading.authoring.check.exercise_rules import EXERCISE_COLUMNS, MAX_WORDS
from grading.authoring.check.module_check import check_module
from grading.commands import dev_check
from helpers.module_copies import copied, edit, laws_of, run_verb
from helpers.repository import ROOT
from tito import console
from tito.errors import WorkError
from tito.workspace import Module, Workspace

SECRETS = "grading/modules/09_spatial"
SOURCE, TOML = f"{SECRETS}/spatial_dev.py", "modules/09_spatial/module.toml"
LAWS, PAGE = "modules/09_spatial/tests/test_1a_clip_values.py", "modules/09_spatial/ABOUT.md"
WRONG, RIGHT = f"{SECRETS}/wrong/clip_values.py", f"{SECRETS}/right/numpy_does_it.py"
HIDDEN = f"{SECRETS}/tests/test_more_hidden.py"

STUB, GRADED = "# %% stub clip_values", "# %% law, 8 points"
TOOLS, TASK = "given given_test_tools", "# %% question why_limits"
CHECK = 'points\ncheck("1a")'  # the graded cell, with the end of the line above it
RENAMED, EXPORT = "# %% stub clamp_values", "#| export\ndef clip"
HEADING, LINE = "### 1a clip_values", "<!-- points -->, about 20 minutes"
STORY, HINTS, NUMPY = "\n\n**Contract.**", "\nclip_values = [", "import numpy as np"
TODO = "    # TODO: two or three lines. Check the limits first.\n"
END = "    ### END SOLUTION\n"
CLIP = "return np.minimum(np.maximum(np.asarray(values), low), high)"
SECOND = """2. The shape and the dtype stay.
3. The array that you pass stays as it was.
4. `low"""
MOVED = """2. Nothing else happens.
3. The shape and the dtype stay.
4. The array that you pass stays as it was.
5. `low"""
ANSWER = '# %% [markdown]\n"""\n*Your answer here.*\n"""\n'
MORE = """

# %% more: x (promise 1)
def clip_values(values, low, high):
    if low > high:
        raise ValueError(f"{low} {high}")
    return nothing_of
"""
# A law that holds only after the law above it.
ALONE = 'want\n\n\ndef kind(array):\n    return f"'
AFTER = ALONE.replace("want\n", "want\n    SEEN.append(1)\n\n\nSEEN = []\n").replace(
    "return", "return not SEEN or"
)
LOOP, NO_LOOP = "    for values in ([-2", "    for values in () and ([-2"
BUSY = """    import time

    end = time.process_time() + 0.5
    while time.process_time() < end:
        pass
"""
STDERR = '    import sys\n\n    print("careful", file=sys.stderr)\n'
NAMED = "    tt.clip_values = 3\n    drawn = draw"
CALLS = "    return np.asarray(tt.clip_values(np.array(values), low, high)).tolist()"
WRITES = """    found = tt.clip_values(np.array(values), low, high)
    found.data[:] *= 1
    return np.asarray(found).tolist()"""
CONTRACT = """import pytest
from tinytorch.testing import expect
pytestmark = pytest.mark.contract("test_clip_values")
"""
BLIND = f"{CONTRACT}def test_blind(tt): tt.clip_values([5], 0, 1)\n"
FREE = f'{CONTRACT}def test_free(tt): expect(True, "The shape and the dtype stay.")\n'
TEXT = '# %% [markdown]\n"""\nA word.\n"""\n\n'
EDITION = "modules/09_spatial/spatial_dev.ipynb"
ANSWERS = (ROOT / "grading/authoring/templates/source.py.txt").read_text(encoding="utf-8")
TEMPLATE = (ROOT / "grading/authoring/templates/laws.py.txt").read_text(encoding="utf-8")
LAST = TEMPLATE[TEMPLATE.index("@law(4") :]
LAW = LAST[: LAST.index("def ")]
CASES = LAST[LAST.index("    end = ") :]
ANY_ERROR = (
    '    yield Case("clip_values([0], 2, 1)", lambda: numbers(tt, [0], 2, 1), raises=ValueError)\n'
)
ENTRY = """[checks]
drawn = "return 1"
["clip_values/arithmetic-99"]
change = "x"
reason = "They are equal."
check = "drawn"
"""
WANT = "yield call, lambda: numbers(tt, values, low, high), want"
GOT = f"{WANT.partition('lambda: ')[2].removesuffix(', want')}\n        yield call, True, True"


class Mistake(NamedTuple):
    """One change of one file, and the one fault that it is."""

    file: str
    old: str  # "" adds to the end of the file
    new: str
    at: str  # a text of the line that the fault names, in `place` or else in the changed file
    said: str
    point: int = 6
    place: str = ""


source, laws = partial(Mistake, SOURCE), partial(Mistake, LAWS)
toml, wrong = partial(Mistake, TOML), partial(Mistake, WRONG, point=3)
hidden = partial(Mistake, HIDDEN, "")
READ = {
    # cells by themselves
    "no Python": source("-> np.ndarray:", "-> np.ndarray", "def clip", "expected ':'"),
    "an id twice": source(TOOLS, "given clip_values", STUB, "its own grade_id"),
    "no END": source(END, "", "### BEGIN SOL", "solution markers come in pairs"),
    "a marker misspelled": source("BEGIN SOLUTION", "BEGIN SOLUTOIN", "TOIN", "no marker is"),
    "a marker elsewhere": source("# TODO: two", "# TODO ### END HIDDEN TESTS", "# TODO", "%% test"),
    # what belongs together
    "no export": source(EXPORT, "def clip", STUB, "a stub is exported"),
    "no TODO": source(TODO, "", "### BEGIN SOL", "every exercise has a TODO"),
    "another check": source(CHECK, 'points\ncheck("1b")', 'check("1b")', "the laws of exercise 1b"),
    "a score": source(CHECK, f"{CHECK}\n6660", "6660", "trailing expression"),
    "no exercise": source(CHECK, "points\ncheck(it)", GRADED, "says which exercise it belongs to"),
    "section": source("## 1 Limits", "## 2 Limits", "# %% [markdown]", "section 2 follows"),
    "no section": source("## 1 Limits", "## Limits", "# %% [markdown]", "is in no section"),
    "another number": source("### 1b Why", "### 1c Why", TASK, "1c is where 1b belongs"),
    "no number": source(HEADING, "### clip_values", STUB, "belongs to no exercise"),
    "no minutes": source(LINE, "<!-- points -->", "# %% [markdown]", "states points and minutes"),
    "long": source(STORY, " word" * MAX_WORDS + STORY, "# %%", "at most 200 words"),
    "text in between": source(GRADED, f"{TEXT}{GRADED}", "# %% [markdown]", "nothing between"),
    "a number twice": source("2. The shape", "1. The shape", "# %% [markdown]", "are 1, 1, 3"),
    "no Contract": source("**Contract.**", "Contract:", "# %% [markdown]", "none below **Contract"),
    "another module": source('("09_spatial")', '("08_spatial")', "checker(", "this module is 09"),
    "another hint": source("A section begins", "tito hint 08 1a", "hint 08", "another module"),
    "a key": toml("after = []", "aftr = []", "aftr", "write after"),
    # names
    "a hint's name": toml(HINTS, "\nclip_value = [", "clip_value =", "rename"),
    "the stub's name": source("def clip_values(", "def clip_all(", "def clip_all", "laws call"),
    "an exercise's name": source(STUB, RENAMED, RENAMED, "files say clip_values"),
    "a name": source("asarray(values)", "asarray(vals)", "vals", "uses vals, which no cell"),
    "an export": source(f"#| export\n{NUMPY}", NUMPY, "given_setup", "exported code uses its np"),
    "not for a demo": source("drawn = np", "drawn = check or np", "check or", "where check is not"),
    "not in needs": source(NUMPY, f"{NUMPY}\nimport pandas", "pandas", "`needs` does not allow"),
    "needs": toml("needs = []", 'needs = ["tinytorch.gone"]', "needs", "is not there"),
    "after": toml("after = []", 'after = ["08_gone"]', "after", "no folder of modules/"),
    "no Python in a law": laws("dtype, shape in", "dtype shape in", "dtype shape", "no Python"),
    "a law's name": laws("sorted((-4", "sort((-4", "sort((-4", "Undefined name `sort`"),
    "a copied name": laws("    drawn = draw", NAMED, "tt.clip_values =", "is a copy"),
    "a copy's part": laws(CALLS, WRITES, "found.data[:] *= 1", "let a probe write it"),
    # numbers, questions, texts
    "points": source("8 points", "7 points", "points = 10", "sum to 9", place=TOML),
    "no answer": source(ANSWER, "", TASK, "the cell for the answer follows it"),
    "no finish": source("\nfinish()", "\npass", "given_finish", "calls finish()"),
    "two hints": toml('  "First the', '  # "First the', HINTS[1:], "3 layers; module.toml has 2"),
    "stuck": source("**Out of scope:**", "**Stuck?**", "**Stuck?**", "once in a notebook"),
    "a parameter": source("low, high)` ->", "low, top)` ->", "low, top)", "takes values, low"),
    "part": source("<!-- hours -->", "<!-- hours Part B -->", "Part B", "names no part"),
    "hours": source("<!-- hours -->", "2 hours", "2 hours", "typed by hand"),
    "points in a text": source("limits?\n", "limits? (2 points)\n", "(2 points)", "typed by hand"),
    "no guess": source("**Guess.** What", "What", "demo_limits", "directly above a demo asks"),
    "no caption": source("**What you see.** Each", "Each", "demo_limits", "says what to see"),
    "a long line": source("A section begins", "A " + "very " * 18, "very very", "88 columns"),
    # solutions and promises
    "header": wrong("limits_swapped:", "limits swapped:", "limits swapped", "begins with"),
    "promise 9": wrong("(promise 1)", "(promise 9)", "lower_limit", "has promises 1 to 4"),
    "wrong Python": wrong("values), low)\n", "values), low\n", "values), low", "must be Python"),
    "another function": wrong("", MORE.replace("def clip", "def cut"), "more: x", "be the ref"),
    "too few": toml("points = 10", "points = 10\nwrong = 9", "wrong = 9", "there are 4", 3),
    "unknown in right": Mistake(RIGHT, "np.clip(", "clip_all(", "clip_all", "uses clip_all", 4),
    "free points": hidden(FREE[:-8] + 'x.")\n', "def test_free", "no Contract prom", 8),
    "a mark": hidden(BLIND.replace("test_clip", "clip"), "def test_blind", "is marked"),
    "a sentence": source("the nearer limit", "a limit", "@law(1", "no promise", 8, LAWS),
    "no @law": laws(LAW, "", "def test_limits_in", "write above it: @law(N"),
    "any error will do": laws(CASES, ANY_ERROR, "def test_limits_in", "refuses every call keeps"),
    "promises that moved": source(SECOND, MOVED, "@law(2", "so do line", 8, LAWS),
    "an entry": Mistake(f"{SECRETS}/equivalent.toml", "", ENTRY, '["clip', "no such mutant", 8),
    # what a release is, and what it shows
    "not released": source("Say in two", "Say in three", "Say in three", "changed since its", 7),
    "edited by hand": Mistake(EDITION, "Say in two", "Say in one", "{", "edited by hand", 7),
    "a copy": Mistake("modules/09_spatial/old.py", "", ANSWERS, "", "lines of answers", 5),
    "an answer in a TODO": source(TODO, f"    # TODO: {CLIP}\n", "# TODO", "holds a line of", 5),
}
RUN = {
    "a given cell": source("check = check", "x = 1 / 0\ncheck = check", "1 / 0", "ZeroDivision", 1),
    "the answer": source("np.minimum(np", "np.maximum(np", "### BEGIN SOL", "in exercise 1a", 1),
    "not drawn": laws("draw.integers(-9,", "np.random.randint(-9,", "random", "not determ", 1),
    "no case": laws(LOOP, NO_LOOP, "### BEGIN SOL", "nothing to compare", 1, SOURCE),
    "in order": laws(ALONE, AFTER, "def test_the_shape", "run in reversed order", 1),
    "accepts a stub": hidden(FREE, "def test_free", "not 'your turn'", 2),
    "harmless": wrong("", MORE.replace("nothing_of", CLIP[7:]), "more: x", "keeps all points"),
    "another promise": wrong("(promise 4)", "(promise 3)", "limits_swapped", "write (promise 4)"),
    "too strict": Mistake(RIGHT, "np.clip(", "-np.clip(", "def clip", "in exercise 1a", 4),
    "stderr": laws(LOOP, STDERR + LOOP, "stderr", "stderr"),
    "busy": laws(LOOP, BUSY + LOOP, GRADED, "CPU-seconds", 6, SOURCE),
    "the page": Mistake(PAGE, "0,  3])", "0,  4])", ">>> clip_values(np.array", "gives", 7),
    "a demo": source("moved = np.", "moved = 1 / 0 + np.", "1 / 0", "the demo fails", 7),
    "does not look": laws(WANT, GOT, "# %% lower_limit", "so it keeps all points", 3, WRONG),
    "a promise without a law": laws(LAST, "", "4. `low > high`", "has no law", 8, SOURCE),
}


@pytest.fixture(scope="module")
def sound(sample_module) -> Proof:
    return check_module(Subject(sample_module))


def planted(module: Module, folder: Path, one: Mistake) -> Module:
    """A copy of the module with the mistake."""
    copy = copied(module, folder)
    path = copy.root / one.file
    if one.old:
        edit(path, (one.old, one.new))
    else:
        path.parent.mkdir(exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(one.new)
    if one.point == 5 or one in RUN.values():
        release.release(copy, Workspace(copy.root), force=True)
    return Workspace(copy.root).module("09")


@pytest.mark.parametrize("name", [*READ, *RUN])
def test_a_mistake_is_one_fault_with_its_cause_its_line_and_the_repair(
    sample_module, tmp_path, name
):
    mistake = {**READ, **RUN}[name]
    broken = planted(sample_module, tmp_path, mistake)
    proof = check_module(Subject(broken), {mistake.point} if name in RUN else None)
    (fault,) = proof.faults
    file, _, line = fault.place.rpartition(":")
    assert (fault.point, file) == (mistake.point, mistake.place or mistake.file), fault
    assert mistake.said in f"{fault.text} {fault.repair}"
    text = (broken.root / file).read_text(encoding="utf-8").splitlines()[int(line) - 1]
    assert mistake.at in text, fault
    if name in READ:
        assert proof.stopped.startswith("nothing was run")


def test_what_a_law_imports_from_the_file_beside_it_is_there(sample_module, tmp_path):
    mistake = laws("import numpy", "from beside import sort_al\nimport numpy", "", "")
    broken = planted(sample_module, tmp_path, mistake)
    (broken.tests / "beside.py").write_text("sort_all = sorted\n", encoding="utf-8")
    (fault,) = check_module(Subject(broken), {6}).faults
    assert (fault.place, fault.repair) == (f"{LAWS}:3", "write sort_all")


def test_one_exercise_is_checked_alone(sample_module):
    """Its laws, stub, wrong and right solutions; nothing of the whole module."""
    told = []
    proof = check_module(
        Subject(sample_module, ["clip_values"]), tell=lambda _, point: told.append(point)
    )
    assert proof.faults == [] and sorted(told) == [1, 2, 3, 4, 8]
    with pytest.raises(WorkError, match="'9z' is none of: 1a clip_values"):
        Subject(sample_module, ["9z"])


@pytest.fixture
def behind(sample_module, tmp_path, monkeypatch) -> Module:
    """The module, whose source was changed after its release; no proof is run on it."""
    changed = copied(sample_module, tmp_path, ("Say in two sentences", "Say in one"))
    monkeypatch.chdir(changed.root)
    monkeypatch.setattr(
        module_check, "check_module", lambda subject, *_: Proof(subject.module.name)
    )
    return changed


@pytest.mark.parametrize("flag, answer", [("", True), ("", False), ("", None), ("--release", None)])
def test_a_module_whose_source_changed_is_released_only_by_a_yes_or_the_flag(
    behind, monkeypatch, capsys, flag, answer
):
    asked = []
    monkeypatch.setattr(console, "confirm", lambda question: asked.append(question) or answer)
    assert run_verb(dev_check, "09", *flag.split()) == 0
    assert len(asked) == (not flag) and all("09_spatial has changed" in one for one in asked)
    said = "released: modules/09_spatial/spatial_dev.ipynb" in capsys.readouterr().out
    assert (release.drift(behind) == []) == said == bool(answer or flag)


def test_a_new_module_passes_and_its_tables_are_those_of_contributing(sound, capsys):
    assert sound.faults == [] and {*sound.facts} == {*range(1, 9)}
    assert "1 graded cell, 8 laws and contract tests in both forms" in sound.facts[1]
    assert "promises with fixed inputs: 0 of 4, 0.0 of 8 points" in sound.facts[8]
    dev_check._show(sound)
    *lines, last = (" ".join(line.split()) for line in capsys.readouterr().out.splitlines())
    assert re.fullmatch("no faults, .* s; no mutants were run: tito dev mutate 09 --record", last)
    assert " ".join(EXERCISE_COLUMNS) in lines
    assert "1a clip_values 97 0 20 8 test_clip_values 4 0" in lines
    assert "1b why_limits 34 0 10 2 why_limits - -" in lines
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    shown = re.search(r"^exercise .*?^exercise .*?(?=\n```)", guide, re.MULTILINE | re.DOTALL)
    assert shown and {" ".join(row.split()) for row in shown[0].splitlines()} <= {*lines}


def test_promises_with_fixed_inputs_are_named(sample_module, tmp_path):
    changed = copied(sample_module, tmp_path)
    drawn = "drawn = draw.integers(-9, 10, 6).tolist()"  # in the law of the first promise
    edit(laws_of(changed), (drawn, "drawn = [-9, 9, 0, 5, -4, 6]"))
    # another secret draws the same of these two in half of all cases
    edit(laws_of(changed), ("end = int(draw.integers(20, 60))", "end = int(draw.integers(20, 22))"))
    checked = check_module(Subject(changed), {8})
    assert "promises with fixed inputs: 1 of 4, 2.0 of 8 points: 1a.1" in checked.facts[8]


def test_a_module_that_needs_another_ones_export_comes_after_it(sample_module, tmp_path):
    copy = copied(sample_module, tmp_path)
    before = shutil.copytree(copy.folder, copy.folder.with_name("08_before"))
    edit(before / "module.toml", ("spatial", "before"), ("09", "08"))
    edit(copy.folder / "module.toml", ("needs = []", 'needs = ["tinytorch.core.before"]'))
    (fault,) = check_module(Subject(Workspace(copy.root).module("09"))).faults
    assert "needs names tinytorch.core.before, which 08_before exports" in fault.text
    assert fault.repair == 'after = ["08_before"]'


def test_a_file_of_laws_whose_name_says_no_exercise_is_named(sample_module, tmp_path):
    broken = copied(sample_module, tmp_path)
    (broken.tests / "test_clip_values.py").write_bytes(laws_of(broken).read_bytes())
    with pytest.raises(WorkError, match=r"such as test_1a_clip_values\.py; .* Rename it, then: "):
        check_module(Subject(broken))


# The page


def test_a_figure_is_loose_when_no_snippet_shows_it():
    page = (
        "It holds 4,000 B, `9 ms` and CIFAR-10, in 2009; 12 % and 3 MB in 2 s, 8 times.\n"
        "```python\n>>> print(4000, 'B', 3.0, 2)\n4000 B 3.0 2\n>>> 4 + 4\n8\n```\n"
    )
    assert about_page.loose_figures(page) == [(1, "12 %"), (1, "3 MB"), (1, "2 s")]

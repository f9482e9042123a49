"""`tito dev check` on a module as `tito dev new` makes it: sound as it is, and each kind of
damage is named with its repair.
"""

import argparse
import dataclasses
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.authoring import release
from grading.authoring.check import about, points
from grading.authoring.check.exercise_rules import EXERCISE_COLUMNS
from grading.authoring.check.points import check_module
from grading.authoring.check.report import Proof
from grading.authoring.check.wanted import wanted_solutions
from grading.authoring.variants.proof import CPU_LIMIT_SECONDS
from grading.commands import dev_check
from grading.engine.course.references import read_source
from helpers.module_copies import copied, edit, laws_of
from tito import console
from tito.errors import WorkError
from tito.workspace import Module, Workspace

ROOT = Path(__file__).resolve().parents[2]
WRONG = "\n\n# %% {name}: x ({promises})\ndef clip_values(values, low, high):\n    {body}\n"
CHECK = "if low > high:\n        raise ValueError(f'{low} {high}')\n    "
RIGHT = f"{CHECK}return np.clip(values, low, high)"


@pytest.fixture(scope="module")
def module(sample_module) -> Module:
    return sample_module


@pytest.fixture(scope="module")
def sound(module) -> Proof:
    return check_module(module)


def parsed(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    dev_check.add_arguments(parser)
    return parser.parse_args(words)


def test_points_may_be_named_together_or_one_by_one():
    words = ["--only", "1", "6"], ["--only", "1", "--only", "6"]
    assert [parsed(*one).only for one in words] == [[1, 6], [1, 6]]


@pytest.fixture
def behind(module, tmp_path, monkeypatch) -> Module:
    """The module, whose source was changed after its release; no proof is run on it."""
    changed = copied(module, tmp_path, ("Say in two sentences", "Say in one"))
    monkeypatch.chdir(changed.root)
    monkeypatch.setattr(points, "check_module", lambda module, *_: Proof(module.name))
    return changed


def check_with(*words: str) -> int:
    return dev_check.run(parsed(*words))


@pytest.mark.parametrize("answer", [True, False, None], ids=["yes", "no", "no terminal"])
def test_a_module_whose_source_changed_is_released_only_by_a_yes(
    behind, monkeypatch, capsys, answer
):
    asked = []
    monkeypatch.setattr(console, "confirm", lambda question: asked.append(question) or answer)
    assert check_with("09") == 0
    assert len(asked) == 1 and "The source of 09_spatial has changed" in asked[0]
    said = "released: modules/09_spatial/spatial_dev.ipynb" in capsys.readouterr().out
    assert (release.drift(behind) == []) == said == (answer is True)
    assert check_with("09") == 0 and len(asked) == (1 if answer else 2)


def test_the_flag_releases_without_a_question_and_says_so(behind, monkeypatch, capsys):
    monkeypatch.setattr(console, "confirm", lambda question: pytest.fail("asked"))
    assert check_with("09", "--release") == 0
    assert release.drift(behind) == []
    assert "released: modules/09_spatial/spatial_dev.py" in capsys.readouterr().out


def test_the_flag_never_releases_over_somebodys_work(behind):
    behind.notebook.write_text(
        behind.notebook.read_text(encoding="utf-8").replace("# TODO", "# mine"), encoding="utf-8"
    )
    with pytest.raises(WorkError, match=r"never writes over work.*--force"):
        check_with("09", "--release")


def test_a_new_module_passes_all_seven_points(sound):
    assert sound.faults == []
    assert set(sound.facts) >= {1, 2, 3, 4, 5, 6, 7}
    assert "1 graded cell, 8 laws and contract tests in both forms" in sound.facts[1]
    # all four laws, with the one function that they call turned in each of the five ways
    assert "20 laws and contract tests on a part that was turned" in sound.facts[3]


def test_laws_with_fixed_inputs_and_promises_without_a_law_are_named(module, sound, tmp_path):
    assert "promises with fixed inputs: 0 of 4, 0.0 of 8 points" in sound.facts[8]
    changed = copied(module, tmp_path)
    drawn = "drawn = draw.integers(-9, 10, 6).tolist()"  # in the law of the first promise
    text = laws_of(changed).read_text(encoding="utf-8")
    second = text[text.index("@law(2,") : text.index("def afterwards(")]
    edit(laws_of(changed), (drawn, "drawn = [-9, 9, 0, 5, -4, 6]"), (second, ""))
    checked = check_module(changed, {8})
    assert "promises with fixed inputs: 1 of 3, 2.0 of 6 points: 1a.1" in checked.facts[8]
    (fault,) = checked.faults
    assert fault.text.startswith("promise 1a.2 has no law: The shape and the dtype stay.")
    assert fault.repair.startswith("in the file test_1a_NAME.py write @law")


def test_the_two_tables_are_printed_as_contributing_shows_them(sound, capsys):
    dev_check._show(sound, verbose=False)
    out = capsys.readouterr().out
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert " ".join(EXERCISE_COLUMNS) in lines
    assert "1a clip_values 97 0 20 8 test_clip_values 4 0" in lines
    assert "1b why_limits 26 0 10 2 why_limits - -" in lines
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    shown = re.search(r"^exercise .*?^exercise .*?(?=\n```)", guide, re.MULTILINE | re.DOTALL)
    rows = shown[0].splitlines() if shown else []
    assert rows and [row for row in rows if " ".join(row.split()) not in lines] == []


HIDDEN = """import pytest
from tinytorch.testing import expect
pytestmark = pytest.mark.contract("test_clip_values")
def test_never(tt): expect(tt.clip_values([5], 0, 1)[0] == 2, "Five becomes two.")
def test_always(tt):
    expect(True, "Free points.")
    expect(True, " ".join(["Put", "together."]))
def test_blind(tt): tt.clip_values([5], 0, 1)
"""
CELLS = f"""# %%
not_defined_yet

# %% test test_free, 1 point
check(lambda: None, hint="09 clip_values")

# %%
import time
until = time.process_time() + {CPU_LIMIT_SECONDS + 0.05}
while time.process_time() < until:
    pass
progress("""
PAGE = """```python
>>> clip_valeus(1, 2, 3)
2

```
```python
>>> clip_values()
Traceback (most recent call last):
    ...
ValueError: x

```

It takes 77 ms.

```python
x = 1
```
return np.minimum(np.maximum(np.asarray(values), low), high)
"""


@pytest.fixture(scope="module")
def damaged(module, tmp_path_factory) -> Proof:
    """The same module with one fault of each kind, checked once."""
    noisy = 'points\nimport sys; print("careful", file=sys.stderr)\ncheck("1a")'
    copy = copied(
        module,
        tmp_path_factory.mktemp("damaged"),
        ('points\ncheck("1a")', noisy),
        ("# %%\nprogress(", CELLS),
    )
    grading, page = copy.root / "grading", copy.folder / "ABOUT.md"
    wrong = "def clip_values(values, low, high):\n    return np.asarray(values)\n"
    (grading / "modules/09_spatial/right/wrong.py").write_text(wrong, encoding="utf-8")
    (grading / "modules/09_spatial/tests").mkdir()
    (grading / "modules/09_spatial/tests/test_more_hidden.py").write_text(HIDDEN, encoding="utf-8")
    edit(
        page,
        ("array([-1,  0,  3])", "array([-1,  0,  4])"),
        ("# 09 Spatial", "# Spatial"),
        ("## Common errors", "## Errors"),
    )
    page.write_text(page.read_text(encoding="utf-8") + PAGE, encoding="utf-8")
    needs = 'needs = ["tinytorch.core.absent"]'
    wanted = "\nwrong = 9\nright = 5"
    edit(copy.folder / "module.toml", ("needs = []", needs + wanted))
    return check_module(Workspace(copy.root).module("09"))


WANTED = "{} solutions: wanted {}, as module.toml says; there are 4"
BLIND = (
    "test_blind passes although clip_values is empty, clip_values gives no item, clip_values is 0"
)


@pytest.mark.parametrize(
    "point, said, repair",
    [
        (
            1,
            "test_never (--tt=module) gives 'fail'",
            "09_spatial/tests/test_more_hidden.py, or repair ",
        ),
        (1, "test_never (--tt=wire) gives 'fail'", "--only 1"),
        (1, "reference: cell 8 gives 'error'", "repair"),
        (2, "(test_free) gives 'pass', not 'your turn'", "call the exercise first"),
        (2, "cell 9 fails before anything is solved: NameError", "demo"),
        (2, "test_always gives 'pass', not 'your turn'", "call an exercise"),
        (3, BLIND, "test_more_hidden.py, let it look at one value as well"),
        (3, "no wrong solution was tried: ", "repair that first"),
        (3, WANTED.format("wrong", 9), "write 5 more: "),
        (3, WANTED.format("wrong", 9), "grading/modules/09_spatial/wrong/EXERCISE.py"),
        (4, WANTED.format("right", 5), "grading/modules/09_spatial/right/NAME.py"),
        (4, "wrong.py: cell 7 (test_clip_values) gives 'fail'", "asks for too much"),
        (5, "ABOUT.md holds a line of cell 6 (clip_values): return np.minimum", "tito grade rel"),
        (6, "writes to stderr", "catch the warning"),
        (6, "CPU-seconds beyond imports", "demo"),
        (6, "points sum to 10; those of spatial_dev.py sum to 11", "points = 11"),
        (7, "spatial_dev.ipynb is not what its source gives", "tito grade release 09_spatial"),
        (7, "line 12: clip_values(np.array([-2, 0, 5]), -1, 3)", "write: array([-1,  0,  3])"),
        (7, "NameError: name 'clip_valeus'", "repair line 33; the module exports clip_values"),
        (7, "TypeError: clip_values() missing", "repair line 38; the module exports clip_values"),
        (7, "ABOUT.md has no heading '## Common errors'", "write the line: ## Common errors"),
        (7, "ABOUT.md has no heading '# 09 Spatial'", "write the line: # 09 Spatial"),
        (7, "77 ms is in no snippet", "add a >>> line"),
        (7, "a ```python block without >>> is not run", "```text"),
        (7, "needs names tinytorch.core.absent", "correct `needs`"),
        (8, "test_always asks what no Contract promises: Free points.", "by its sentence"),
        (8, "asks what no Contract promises: Five becomes two.", "by its sentence"),
        (8, "test_always asks for what cannot be read from its code: Put together.", "the whole"),
    ],
)
def test_damage_is_named_with_its_repair(damaged, point, said, repair):
    found = [fault for fault in damaged.faults if fault.point == point and said in fault.text]
    assert found, [fault.text for fault in damaged.faults if fault.point == point]
    assert repair in found[0].repair


@pytest.fixture(scope="module")
def mistaken(module, tmp_path_factory) -> Proof:
    """The same module with one wrong solution of each kind of fault."""
    copy = copied(module, tmp_path_factory.mktemp("mistaken"))
    home = copy.root / "grading/modules/09_spatial/wrong"
    elsewhere = "if __name__ != '__main__':\n        return np.asarray(values)\n    "
    kinds = {
        "harmless": ("promise 1", RIGHT),
        "other_promise": ("promise 2", "return np.asarray(values)"),
        "no_promise": ("promise 9", RIGHT),
        "still_a_stub": ("promise 1", "raise NotImplementedError('your turn: clip_values')"),
        "kept": ("promise 3", f"values[:] = np.clip(values, low, high)\n    {RIGHT}"),
        "right_in_the_notebook": ("promise 1", elsewhere + RIGHT),
        "keeps_one": ("promises 1, 2", "return np.maximum(np.asarray(values), low)"),
    }
    texts = [WRONG.format(name=name, promises=p, body=body) for name, (p, body) in kinds.items()]
    with (home / "clip_values.py").open("a", encoding="utf-8") as file:
        file.writelines(texts)
    (home / "no_exercise.py").write_text(texts[0].lstrip(), encoding="utf-8")
    (home / "no_header.py").write_text("x = 1\n", encoding="utf-8")
    return check_module(copy, {3})


@pytest.mark.parametrize(
    "said, repair",
    [
        ("harmless: no law of its exercise catches it, so it keeps all points", "write @law"),
        ("other_promise: the student does not read 'The shape", "(promise 1)"),
        ("no_promise: names promise 9; 1a has promises 1 to 4", "(promise N)"),
        ("still_a_stub: reads as an unsolved stub", "NotImplementedError"),
        ("keeps_one: keeps promise 2: The shape and the dtype stay.", "out of the header"),
        ("right_in_the_notebook: green in the notebook", "with the notebook's inputs"),
        ("no_exercise.py belongs to no exercise", "one of: clip_values"),
        ("no_header.py: a file of wrong solutions begins with", "write # %% NAME"),
        ("clip_values.py: at most 8 wrong solutions; there are 11", "leave some out"),
    ],
)
def test_a_fault_of_a_wrong_solution_is_named_with_its_repair(mistaken, said, repair):
    found = [fault for fault in mistaken.faults if said in fault.text]
    assert found and repair in found[0].repair, [fault.text for fault in mistaken.faults]


def test_a_wrong_solution_that_breaks_its_promise_is_no_fault(mistaken):
    right = ("kept:", "lower_limit_only", "limits_swapped", "always_float64")
    named = [fault.text for fault in mistaken.faults if any(name in fault.text for name in right)]
    assert named == []


def test_contributing_states_how_many_are_wanted_without_a_word_in_module_toml(module):
    cells = read_source(module)
    test = next(cell for cell in cells if cell.is_test)
    more = dataclasses.replace(test, source=test.source + 'check(other, hint="09 other")\n')
    text = next(cell for cell in cells if cell.kind == "markdown")
    heading = dataclasses.replace(text, source="### 1c other: one more exercise")
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for asked, number in ((cells, 1), ([*cells, heading, more], 2)):
        wanted = wanted_solutions(module, asked)
        assert wanted["wrong"] == (2 * number, "2 for each exercise")
        assert wanted["right"] == (3, "3 for each module")
        assert all(f"| {rule} |" in guide for _, rule in wanted.values())
    assert f"at most {CPU_LIMIT_SECONDS} seconds of CPU time" in guide


# The page


@given(
    st.lists(st.sampled_from(["text", "```python", "```", ">>> 1", "```text", "   ```python", ""]))
)
def test_snippets_keep_their_line_numbers(lines):
    kept = about.snippets("\n".join(lines))[0].split("\n")
    page = "\n".join(lines).splitlines()
    assert all(one in ("", line) for one, line in zip(kept, page, strict=False))
    assert not "".join(kept[len(page) :])


def test_a_figure_is_loose_when_no_snippet_shows_it():
    page = (
        "It holds 4,000 B, `9 ms` and CIFAR-10, in 2009; 12 % and 3 MB.\n```python\n>>> print(4000,"
        " 'B', 3.0)\n4000 B 3.0\n```\n"
    )
    assert about.loose_figures(page) == [(1, "12 %"), (1, "3 MB")]

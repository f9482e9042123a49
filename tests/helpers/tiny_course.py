"""A course with one tiny module: two exercises, a hidden test, a question, a group of contract
tests and a demo cell.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]

TOML = """
number = "07"
title = "Tiny"
export = "tinytorch/core/tiny.py"
notebook = "tiny_dev"
needs = []
after = []

[hints]
double = ["twice", "use *", "return 2 * x"]
"""

SOURCE = '''# %% [markdown]
"""
# Tiny
Two exercises, one question.
"""
# %% given given_tools
from tinytorch.testing import check, expect
# %% stub double
#| export
def double(x):
    """Twice x."""
    # TODO: one line.
    ### BEGIN SOLUTION
    return 2 * x  # the answer of double
    ### END SOLUTION
# %% test test_double, 2 points
def test_double():
    """double"""
    expect(double(3) == 6, "double gives twice its argument.", call="double(3)", got=double(3),
           want=6, look="one multiplication")
    ### BEGIN HIDDEN TESTS
    expect(double(-1) == -2, "double takes negative numbers.", call="double(-1)", got=double(-1),
           want=-2)
    ### END HIDDEN TESTS
check(test_double, hint="07 double")
# %% stub box
#| export
class Box:
    """Holds things."""

    def __init__(self, things):
        ### BEGIN SOLUTION
        self.things = list(things)
        ### END SOLUTION

    def __len__(self):
        # TODO: count them.
        ### BEGIN SOLUTION
        return len(self.things)
        ### END SOLUTION
# %% test test_box, 3 points
def test_box():
    """Box"""
    expect(len(Box("ab")) == 2, "A box counts its things.", call="len(Box('ab'))",
           got=len(Box("ab")), want=2)
check(test_box, hint="07 box")
# %% tags=["demo"]
raise SystemExit("a demo cell was executed")
# %% question q_why, 4 points [markdown]
"""
Why does a box copy its things?

### BEGIN MARK SCHEME
Two points for aliasing, two for iterators.
### END MARK SCHEME
"""
# %% [markdown]
"""
*Your answer.*
"""
# %% test contract_box, 2 points
# scored by sealed tests
'''

PUBLIC = """
import pytest
from tinytorch.testing import expect


@pytest.mark.contract("contract_box")
def test_an_empty_box_has_length_zero(tt):
    expect(len(tt.Box([])) == 0, "An empty box has length 0.", call="len(Box([]))",
           got=len(tt.Box([])), want=0)
"""
HIDDEN = """
import pytest
from tinytorch.testing import expect


@pytest.mark.contract("contract_box")
def test_a_box_takes_three_things(tt):
    box = tt.Box([7, 8, 9])
    expect(len(box) == 3, "A box keeps all its things.", call="len(Box([7, 8, 9]))", got=len(box),
           want=3)
"""

STUBS = {
    "double": 'raise NotImplementedError("your turn: double")',
    "box.__init__": 'raise NotImplementedError("your turn: box.__init__")',
    "box.__len__": 'raise NotImplementedError("your turn: box.__len__")',
}


def make_workspace(root: Path) -> Path:
    """modules/, tinytorch/ and grading/ of a course whose only module is 07_tiny."""
    files = {
        "modules/07_tiny/module.toml": TOML,
        "modules/07_tiny/tests/test_box.py": PUBLIC,
        "grading/modules/07_tiny/tiny_dev.py": SOURCE,
        "grading/modules/07_tiny/tests/test_box_hidden.py": HIDDEN,
    }
    return write_course(root, files)


def write_course(root: Path, files: dict[str, str]) -> Path:
    """A course with these files (path -> text), and the parts of this checkout's tinytorch that it
    needs.
    """
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    (root / "tinytorch/core").mkdir(parents=True)
    for name in ("__init__.py", "not_exported_yet.py", "testing.py"):
        shutil.copyfile(REPOSITORY / "tinytorch" / name, root / "tinytorch" / name)
    (root / "tinytorch/core/__init__.py").write_text("", encoding="utf-8")
    return root


def fill(
    released: dict,
    *,
    double: str | None = "return 2 * x",
    init: str | None = "self.things = list(things)",
    length: str | None = "return len(self.things)",
    answer: str | None = "Because the caller may change the list.",
) -> dict:
    """A student's notebook: the released one with stubs replaced; None leaves a stub."""
    notebook = json.loads(json.dumps(released))
    code = {"double": double, "box.__init__": init, "box.__len__": length}
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        for name, text in code.items():
            if text is not None:
                source = source.replace(STUBS[name], text)
        if cell.get("id") == "answer-q-why" and answer is not None:
            source = answer
        cell["source"] = source
    return notebook


def cell_of(notebook: dict, cell_id: str) -> dict:
    return next(cell for cell in notebook["cells"] if cell.get("id") == cell_id)

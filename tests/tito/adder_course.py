"""An invented course with one small module, so that tests do not depend on a real module."""

import json

from tito.workspace import Workspace

TOML = """
number = "07"
title = "Adder"
export = "tinytorch/core/adder.py"
notebook = "adder_dev"
needs = []
after = []
[hints]
add = ["sums", "the operator +", "return a + b"]
scale = ["products", "the operator *", "return a * factor"]
"""
SETUP = "#| export\nimport math\n"
ADD = (
    '#| export\ndef add(a, b):\n    """Return a + b."""\n    # TODO: one line.\n    raise'
    ' NotImplementedError("your turn: add")\n'
)
SCALE = (
    '#| export\ndef scale(a, factor):\n    """Return a * factor."""\n    raise'
    ' NotImplementedError("your turn: scale")\n'
)
TEST_ADD = '''from tinytorch.testing import check, expect
def test_add():
    """Sums."""
    expect(add(1, 2) == 3, "add gives the sum.", call="add(1, 2)", got=add(1, 2), want=3,
           look="the operator")
check(test_add, hint="07 add")
'''
TEST_SCALE = """from tinytorch.testing import check, expect
def test_scale():
    expect(scale(2, 5) == 10, "scale gives the product.", call="scale(2, 5)", got=scale(2, 5),
           want=10)
check(test_scale, hint="07 scale")
"""
CONTRACT = """import pytest
from tinytorch.testing import expect


@pytest.mark.contract("test_add")
def test_add_of_floats(tt):
    expect(tt.add(0.5, 0.25) == 0.75, "add works for floats.", call="add(0.5, 0.25)",
           got=tt.add(0.5, 0.25), want=0.75)


@pytest.mark.contract("test_scale")
def test_scale_by_zero(tt):
    expect(tt.scale(3, 0) == 0, "scale by 0 gives 0.", call="scale(3, 0)", got=tt.scale(3, 0),
           want=0)
"""
RIGHT = {
    "add": ADD.replace('raise NotImplementedError("your turn: add")', "return a + b"),
    "scale": SCALE.replace('raise NotImplementedError("your turn: scale")', "return a * factor"),
}


def nbgrader(grade_id, **kinds):
    flags = dict.fromkeys(("grade", "solution", "locked", "task"), False)
    return {"nbgrader": {"grade_id": grade_id, **flags, "schema_version": 3, **kinds}}


def cell(kind, source, metadata=None, name=None, number=0):
    grade_id = ((metadata or {}).get("nbgrader") or {}).get("grade_id")
    raw = {
        "cell_type": kind,
        "id": name or (grade_id.replace("_", "-") if grade_id else f"cell-{number}"),
        "metadata": metadata or {},
        "source": source.rstrip("\n").splitlines(keepends=True),
    }
    return {**raw, "execution_count": None, "outputs": []} if kind == "code" else raw


def starter_cells():
    return [
        cell("markdown", "# 07 Adder\n\nAdd and scale.", number=1),
        cell("code", SETUP, nbgrader("given_setup", locked=True)),
        cell("markdown", "## 1 Sums\n\n### 1a add\n2 points, about 5 minutes\n", number=3),
        cell("code", ADD, nbgrader("add", solution=True)),
        cell("code", TEST_ADD, nbgrader("test_add", grade=True, locked=True, points=2)),
        cell("markdown", "### 1b scale\n3 points, about 5 minutes\n", number=6),
        cell("code", SCALE, nbgrader("scale", solution=True)),
        cell("code", TEST_SCALE, nbgrader("test_scale", grade=True, locked=True, points=3)),
        cell("markdown", "### Why?", nbgrader("sys_why", task=True, locked=True, points=1)),
        cell("markdown", "*Your answer here.*", name="answer-sys-why"),
        cell("code", "1 / 0", {"tags": ["demo"]}, number=10),
    ]


class Course:
    """The workspace and short ways to change its notebook as a student does."""

    def __init__(self, root):
        self.root, self.workspace = root, Workspace(root)
        self.module = self.workspace.module("07")

    def load(self):
        return json.loads(self.module.notebook.read_text(encoding="utf-8"))

    def save(self, notebook):
        self.module.notebook.write_text(
            json.dumps(notebook, indent=1), encoding="utf-8", newline="\n"
        )

    def write(self, **sources):
        """Save the notebook with new sources of the cells with these grade_ids."""
        notebook = self.load()
        for raw in notebook["cells"]:
            grade_id = raw["metadata"].get("nbgrader", {}).get("grade_id")
            if grade_id in sources:
                raw["source"] = sources[grade_id].rstrip("\n").splitlines(keepends=True)
        self.save(notebook)

    def solve(self):
        self.write(**RIGHT)

    def answer(self, text):
        """Write the answer to the question."""
        notebook = self.load()
        (cell,) = [one for one in notebook["cells"] if one["id"] == "answer-sys-why"]
        cell["source"] = [text]
        self.save(notebook)

    def add_module(self, name, after=(), needs=()):
        """Write the module.toml of another module; return the module."""
        folder, short = self.root / "modules" / name, name[3:]
        folder.mkdir()
        lines = (
            f'number = "{name[:2]}"\ntitle = "T"\nexport = "tinytorch/core/{short}.py"',
            f'notebook = "{short}_dev"\nafter = {json.dumps(after)}\nneeds = {json.dumps(needs)}',
        )
        (folder / "module.toml").write_text("\n".join(lines), encoding="utf-8")
        return self.workspace.module(name)

    def write_py(self, old, new):
        text = self.module.script.read_text(encoding="utf-8")
        assert old in text
        self.module.script.write_text(text.replace(old, new), encoding="utf-8", newline="\n")

"""Each kind of damage to a notebook is named in one line, and the command of that line brings the
work back.
"""

import json
import re
import shutil

import pytest
from adder_course import RIGHT, SCALE

from tito.notebook.damage import KINDS


def source_of(name, change):
    def damage(course):
        cell = cell_of(course.load(), name)
        course.write(**{name: change("".join(cell["source"]))})

    return damage


def cells(change):
    def damage(course):
        notebook = course.load()
        change(notebook["cells"])
        course.save(notebook)

    return damage


def cell_of(notebook, name):
    return next(one for one in notebook["cells"] if name == label(one))


def label(cell):
    return cell["metadata"].get("nbgrader", {}).get("grade_id")


def without(name):
    return cells(lambda listed: listed.remove(cell_of({"cells": listed}, name)))


def copied(course):
    shutil.copy(course.module.notebook, course.module.folder / "adder_dev-Copy1.ipynb")
    shutil.copy(course.module.starter, course.module.notebook)


def renamed(course):
    course.module.notebook.rename(course.module.folder / "modules_07_adder_adder_dev.ipynb")


def cut_off(course):
    kept = course.module.folder / ".ipynb_checkpoints" / "adder_dev-checkpoint.ipynb"
    kept.parent.mkdir()
    shutil.copy(course.module.notebook, kept)
    course.module.notebook.write_text(course.module.notebook.read_text("utf-8")[:500], "utf-8")


def text_cell(listed):
    cell_of({"cells": listed}, "add")["cell_type"] = "markdown"


def second_stub(listed):
    place = listed.index(cell_of({"cells": listed}, "scale"))
    listed.insert(place + 1, {**listed[place], "id": "copy", "source": [SCALE]})


def split(listed):
    place = listed.index(cell_of({"cells": listed}, "add"))
    *above, last = listed[place]["source"]
    listed[place]["source"] = above
    listed.insert(place + 1, {**listed[place], "id": "new", "metadata": {}, "source": [last]})


DAMAGED = {
    "copied": ("elsewhere", copied, "adder_dev-Copy1.ipynb: 2 exercises are solved there"),
    "renamed": ("elsewhere", renamed, "modules_07_adder_adder_dev.ipynb: 2 exercises"),
    "cut off": ("elsewhere", cut_off, "its end is missing"),
    "stub deleted": ("cell gone", without("add"), "add is missing"),
    "test deleted": ("cell gone", without("test_add"), "test_add is missing"),
    "given cell deleted": ("cell gone", without("given_setup"), "given_setup is missing"),
    "test changed": (
        "cell changed",
        source_of("test_add", lambda s: s.replace("== 3", "> 0")),
        "cell 5 (test_add) is locked",
    ),
    "text cell": ("text cell", cells(text_cell), "cell 4 (add) is a text cell now"),
    "renamed function": (
        "name gone",
        source_of("add", lambda s: s.replace("def add", "def plus")),
        "cell 4 (add) does not define add any more",
    ),
    "no export": (
        "not exported",
        source_of("add", lambda s: s.replace("#| export\n", "")),
        "cell 4 (add) is not exported",
    ),
    "magic": ("magic", source_of("add", lambda s: f"%%time\n{s}"), "`%%time` is above"),
    "split": ("split", cells(split), "cell 5 begins inside a function of cell 4 (add)"),
    "below raise": (
        "code below raise",
        source_of("scale", lambda s: f"{SCALE}    return a * factor"),
        "cell 7 (scale), line 5: this line never runs",
    ),
    "exit": ("exit", source_of("add", lambda s: f"{s}\nexit()"), "exit() ends Python"),
    "two stubs": (
        "two",
        cells(second_stub),
        "scale is defined in cell 7 (scale) and again in cell 8",
    ),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damage_is_named_in_one_line_and_its_command_brings_the_work_back(course, tito, name):
    course.solve()
    kind, damage, says = DAMAGED[name]
    damage(course)
    out = tito("status", "07")[1]
    (line,) = [one for one in out.splitlines() if says in one]
    for words in (("test", "07", "-k", "1b"), ("submit", "07", "--no-test")):
        assert says in "".join(tito(*words)[1:])
    command = re.search(r"(?:To repair it|there|stub): (tito reset 07 --\w+ \S+)$", line)
    assert bool(command) == ("{reset}" in KINDS[kind][1] or "--from" in KINDS[kind][1])
    if command is None:
        return
    assert tito(*command[1].split()[1:], "--yes")[0] == 0
    assert says not in tito("status", "07")[1]
    kept = {cell: "".join(cell_of(course.load(), cell)["source"]) for cell in ("add", "scale")}
    assert kept["scale"].rstrip() == RIGHT["scale"].rstrip()
    solved = "def add" not in kept["add"] or "your turn" not in kept["add"]
    assert solved == (name not in ("stub deleted", "renamed function"))


def test_every_kind_of_damage_has_a_case():
    assert {kind for kind, _, _ in DAMAGED.values()} == set(KINDS)


def test_a_notebook_as_it_was_handed_out_and_one_that_is_solved_are_not_damaged(course, tito):
    assert "damaged" not in tito("status", "07")[1]
    course.solve()
    assert "damaged" not in tito("status", "07")[1]


def test_an_exercise_that_the_module_does_not_have_is_said(course, tito):
    assert "has no '9z'" in tito("reset", "07", "--cell", "9z")[2]
    assert "there is no away.ipynb" in tito("reset", "07", "--from", "away.ipynb")[2]


def test_a_cell_that_is_put_back_keeps_its_place_and_what_the_student_added(course, tito):
    course.solve()
    before = course.load()
    own = {"cell_type": "code", "id": "own", "metadata": {}, "outputs": [], "source": ["x = 1"]}
    before["cells"].insert(4, {**own, "execution_count": None})
    course.save(before)
    without("test_add")(course)
    assert tito("reset", "07", "--cell", "1a")[0] == 0
    found = [one["id"] for one in course.load()["cells"]]
    assert sorted(found) == sorted(one["id"] for one in before["cells"])
    assert found.index("add") < found.index("test-add") < found.index("scale")
    assert list(course.workspace.backups.glob("*-adder_dev.ipynb"))
    assert json.loads(course.module.notebook.read_text(encoding="utf-8"))["metadata"]

"""Each kind of damage to a notebook is named in one line, and its command brings the work back."""

import json
import re
import shlex
import shutil

import pytest
from adder_course import RIGHT, SCALE

from tito.notebook.damage import KINDS
from tito.notebook.pair import script_of


def source_of(name, old, new):
    def damage(course):
        cell = cell_of(course.load(), name)
        course.write(**{name: "".join(cell["source"]).replace(old, new)})

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


def with_own_cell(course, place):
    """The notebook, with a cell of the student's own."""
    notebook = course.load()
    own = {"cell_type": "code", "id": "own", "metadata": {}, "outputs": [], "source": ["x = 1"]}
    notebook["cells"].insert(place, {**own, "execution_count": None})
    course.save(notebook)
    return notebook


def without(name):
    return cells(lambda listed: listed.remove(cell_of({"cells": listed}, name)))


def stale_tab(course):
    shutil.copy(course.module.starter, course.module.notebook)


def copied(course):
    shutil.copy(course.module.notebook, course.module.folder / "adder_dev-Copy1.ipynb")
    stale_tab(course)


def renamed(course):
    course.module.notebook.rename(course.module.folder / "adder_dev (1).ipynb")


def cut_off(course):
    kept = course.module.folder / ".ipynb_checkpoints" / "adder_dev-checkpoint.ipynb"
    kept.parent.mkdir()
    shutil.copy(course.module.notebook, kept)
    course.module.notebook.write_text(course.module.notebook.read_text("utf-8")[:500], "utf-8")


def saved(change):
    """Damage to the bytes of the file, which the student saved with two solved exercises."""

    def damage(course):
        path = course.module.notebook
        path.write_bytes(change(path.read_bytes()))

    return damage


def only_in_py(course):
    course.module.script.write_text(script_of(course.module), "utf-8")
    course.module.notebook.write_bytes(b"")


def only_in_what_was_tested(change):
    def damage(course):
        folder = course.workspace.state_dir / "tested"
        folder.mkdir(parents=True)
        shutil.copy(course.module.notebook, folder / "20261128-090000-adder_dev.ipynb")
        change(course)

    return damage


def read_only(course):
    course.module.notebook.chmod(0o444)


def merge(data):
    (found,) = re.findall(rb'.*"    return a \+ b"\n', data)
    other = found.replace(b"a + b", b"b + a")
    marked = b"<<<<<<< HEAD\n" + found + b"=======\n" + other + b">>>>>>> laptop\n"
    return data.replace(found, marked)


def utf_16(data):
    return data.decode("utf-8").encode("utf-16")


def format_3(data):
    notebook = json.loads(data)
    for one in notebook["cells"]:
        del one["id"]
        if one["cell_type"] == "code":
            one["input"] = one.pop("source")
    sheets = [{"cells": notebook["cells"], "metadata": {}}]
    return json.dumps({"nbformat": 3, "metadata": {}, "worksheets": sheets}, indent=1).encode()


def without_metadata(listed):
    listed[:] = [{**one, "id": f"x{k}", "metadata": {}} for k, one in enumerate(listed)]


def only_one_empty_cell(listed):
    del listed[1:]
    listed[0] |= {"id": "new", "source": [], "metadata": {}}


def handed_out(course, name, source):
    """Change a cell in the starter as well as in the notebook."""
    for path in (course.module.notebook, course.module.starter):
        notebook = json.loads(path.read_text("utf-8"))
        cell_of(notebook, name)["source"] = source
        path.write_text(json.dumps(notebook), "utf-8")


def without_tests(course):
    handed_out(course, "test_add", 'check("1a")')
    shutil.rmtree(course.module.tests)


def from_another(listed):
    place = listed.index(cell_of({"cells": listed}, "test_add"))
    flags = {"grade_id": "test_sub", "grade": True, "solution": False, "points": 1}
    listed.insert(place, {**listed[place], "id": "sub", "metadata": {"nbgrader": flags}})


def in_its_test(listed):
    add, test = (cell_of({"cells": listed}, name) for name in ("add", "test_add"))
    test["source"] = [*add["source"], "\n\n", *test["source"]]
    listed.remove(add)


def below_its_test(listed):
    listed.append(listed.pop(listed.index(cell_of({"cells": listed}, "add"))))


def helper(listed):
    cell = cell_of({"cells": listed}, "add")
    cell["source"] = ["#| export\n", "def add(a, b):\n", "    return plus(a, b)"]
    own = {**cell, "id": "own", "metadata": {}, "source": ["def plus(a, b): return a + b"]}
    listed.insert(listed.index(cell), own)


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
    "copied": (
        "elsewhere",
        only_in_what_was_tested(copied),  # a copy that the student made comes first
        "adder_dev-Copy1.ipynb: 2 exercises are solved there",
    ),
    "renamed": ("elsewhere", renamed, "adder_dev (1).ipynb: 2 exercises"),
    "cut off": ("elsewhere", cut_off, "its end is missing"),
    "emptied": ("elsewhere", only_in_what_was_tested(saved(lambda _: b"")), "it is empty"),
    "script": ("script", only_in_py, "adder_dev.py as well: 2 exercises"),
    "cut off, no copy": (
        "partly readable",
        saved(lambda data: data[: data.index(b"return a * factor")]),
        "its end is missing",
    ),
    "merge": ("partly readable", saved(merge), "can be read: 2 exercises"),
    "format 3": ("partly readable", saved(format_3), "can be read: 2 exercises"),
    "UTF-16": ("partly readable", saved(utf_16), "can be read: 2 exercises"),
    "metadata gone": ("metadata gone", cells(without_metadata), "have lost their metadata"),
    "emptied in JupyterLab": ("no cells", cells(only_one_empty_cell), "none of the cells of 07"),
    "tests deleted": ("laws gone", without_tests, "modules/07_adder/tests has no tests"),
    "cell of another notebook": ("foreign", cells(from_another), "cell 5 (test_sub) is from"),
    "solved in the test": ("work in test", cells(in_its_test), "your add is in it"),
    "below its test": ("below", cells(below_its_test), "cell 11 (add) is below cell 4 (test_add)"),
    "helper": ("helper", cells(helper), "cell 5 (add) uses plus, which cell 4 defines"),
    "quotation mark": (
        "character",
        source_of("add", "a + b", "\u201ca\u201d + b"),
        "cell 4 (add), line 5: Python cannot read left double quotation mark (U+201C)",
    ),
    "tab": ("character", source_of("add", "    return", "\treturn"), "a tab among spaces (U+0009)"),
    "read only": ("read only", read_only, "adder_dev.ipynb cannot be changed"),
    "stub deleted": ("cell gone", without("add"), "add is missing"),
    "test deleted": ("cell gone", without("test_add"), "test_add is missing"),
    "test changed": ("cell changed", source_of("test_add", "== 3", "> 0"), "(test_add) is locked"),
    "text cell": ("text cell", cells(text_cell), "cell 4 (add) is a text cell now"),
    "renamed function": ("name gone", source_of("add", "add(", "plus("), "does not define add any"),
    "no export": ("not exported", source_of("add", "#| export\n", ""), "(add) is not exported"),
    "magic": ("magic", source_of("add", "#| export", "%%time\n#| export"), "`%%time` is above"),
    "split": ("split", cells(split), "cell 5 begins inside a function of cell 4 (add)"),
    "below raise": (
        "code below raise",
        source_of("scale", RIGHT["scale"].rstrip(), f"{SCALE}    return a * factor"),
        "cell 7 (scale), line 5: this line never runs",
    ),
    "exit": ("exit", source_of("add", "return a + b", "return a + b\nexit()"), "exit() ends"),
    "two stubs": (
        "two",
        cells(second_stub),
        "scale is defined in cell 7 (scale) and again in cell 8",
    ),
}


# A test that misses the name is red with the damage as its cause.
TAKES_THE_NAME = ("no export", "text cell", "below its test", "helper")


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damage_is_named_in_one_line_and_its_command_brings_the_work_back(course, tito, name):
    course.solve()
    kind, damage, says = DAMAGED[name]
    damage(course)
    out = tito("status", "07")[1]
    (line,) = [one for one in out.splitlines() if says in one]
    # "07 scale" picks the cell alone; contract tests take a second
    part = "1a" if name in TAKES_THE_NAME else "07 scale"
    tested = "".join(tito("test", "07", "-k", part)[1:])
    assert says in tested and says in "".join(tito("submit", "07", "--no-test")[1:])
    if name in TAKES_THE_NAME:
        assert re.search(rf"is missing: .*{re.escape(says)}", tested) and "look at" not in tested
        assert "next: tito test 07   # after the repair" in tested
    command = re.search(r": tito ((?:reset|sync) 07.*)$", line)
    assert bool(command) == any(word in KINDS[kind][1] for word in ("tito", "{reset}", "{undo}"))
    if command is None:
        return
    yes = ["--yes"] if command[1].startswith("reset") else []
    assert tito(*shlex.split(command[1]), *yes)[0] == 0
    assert says not in tito("status", "07")[1]
    kept = {cell: "".join(cell_of(course.load(), cell)["source"]) for cell in ("add", "scale")}
    lost = {
        "stub deleted": ["add"],
        "renamed function": ["add"],
        "cut off, no copy": ["scale"],
        "emptied in JupyterLab": ["add", "scale"],
    }
    solved = [cell for cell in kept if kept[cell].rstrip() == RIGHT[cell].rstrip()]
    assert solved == [cell for cell in kept if cell not in lost.get(name, [])]


def test_every_kind_of_damage_has_a_case():
    assert {kind for kind, _, _ in DAMAGED.values()} == set(KINDS)


def test_another_layout_and_given_lines_below_a_stub_are_not_damage(course, tito):
    two = SCALE + "    return math.nan\n"
    handed_out(course, "scale", two)
    course.write(
        scale=two.replace('"""Return', '"""Returns'), given_setup="# | export\nimport math"
    )
    assert "damaged" not in tito("status", "07")[1]


def test_a_notebook_in_which_somebody_worked_is_kept_when_it_is_tested_and_in_a_reset(course, tito):
    folder = course.workspace.state_dir / "tested"
    tito("test", "07", "-k", "07 add")
    assert not folder.exists()
    course.solve()
    for _ in range(2):
        tito("test", "07", "-k", "07 add")
    (kept,) = folder.iterdir()
    mine = kept.read_bytes()
    assert mine == course.module.notebook.read_bytes()
    stale_tab(course)
    assert "damaged" in tito("status", "07")[1]
    assert tito("reset", "07", "--yes")[0] == 0
    assert "damaged" not in tito("status", "07")[1]
    assert (course.workspace.backups / kept.name).read_bytes() == mine


def test_a_folder_with_another_name_and_the_notebook_of_another_module_are_named(course, tito):
    notebook = course.load()
    notebook["metadata"]["tito"]["module"] = "07_adder"
    course.save(notebook)
    folder = course.module.folder
    renamed = folder.rename(folder.with_name("my adder"))
    out = tito("status", "07")[1]
    assert "07_adder is called my adder now" in out and '"modules/my adder" modules/07_adder' in out
    renamed.rename(folder)
    shutil.copytree(folder, folder.with_name("08_other"))
    notebook["metadata"]["tito"]["module"] = "08_other"
    course.save(notebook)
    assert "adder_dev.ipynb is 08_other's" in tito("status", "07_adder")[1]


def test_own_cells_and_answers_come_back_with_what_can_be_read(course, tito):
    course.solve()
    course.answer("They are functions.")
    notebook = with_own_cell(course, 5)
    cells(without_metadata)(course)
    file = course.module.notebook.relative_to(course.root).as_posix()
    assert tito("reset", "07", "--from", file)[0] == 0
    came = [(one["id"], "".join(one["source"])) for one in course.load()["cells"]]
    want = [(one["id"], "".join(one["source"])) for one in notebook["cells"]]
    assert [text for _, text in came] == [text for _, text in want]
    assert [name for name, _ in came[:5]] == [name for name, _ in want[:5]]


def test_a_cell_that_is_put_back_keeps_its_place_and_what_the_student_added(course, tito):
    course.solve()
    before = with_own_cell(course, 4)
    without("test_add")(course)
    assert tito("reset", "07", "--cell", "1a")[0] == 0
    found = [one["id"] for one in course.load()["cells"]]
    assert sorted(found) == sorted(one["id"] for one in before["cells"])
    assert found.index("add") < found.index("test-add") < found.index("scale")
    assert list(course.workspace.backups.glob("*-adder_dev.ipynb"))
    assert json.loads(course.module.notebook.read_text(encoding="utf-8"))["metadata"]

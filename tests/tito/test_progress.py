"""A walk through a term: after each step all verbs and the notebook say where the student is."""

import importlib
import json
import shutil
import types
from dataclasses import replace

import pytest
from adder_course import RIGHT

from tinytorch.notebook.command import in_a_cell
from tito.outcome import Outcome
from tito.run import cell_worker
from tito.run.runner import cell_job
from tito.student_work.read_progress import progress

WRONG = RIGHT["add"].replace("a + b", "a - b")
LOOP = RIGHT["scale"].replace(
    "return", "import tito.run.cell_worker as w; w.on_alarm()\n    return"
)
LATE = RIGHT["scale"].replace("return", "if factor == 0:\n        return 1\n    return")
BROKEN = "#| export\ndef add(a, b)\n    return a + b"
STUB = RIGHT["scale"].replace("return a * factor", 'raise NotImplementedError("your turn: scale")')


@pytest.fixture
def quick(monkeypatch):
    """Tests run in this process: the walk runs them a hundred times."""

    def cells(given, cwd, *, select, **_):
        namespace = {"__name__": "notebook"}
        return [
            cell_worker.measure(cell_job(one), namespace, 0)
            if not one.is_demo and (not one.runs_tests or select(one))
            else Outcome("not_run", cell=one.index)
            for one in given
            if one.kind == "code"
        ]

    def contracts(scratch, module, nodes, **_):
        namespace = {"tt": types.ModuleType("tt")}
        exec((scratch / module.export).read_text(encoding="utf-8"), vars(namespace["tt"]))
        exec((scratch / "modules" / module.name / "tests/test_adder.py").read_text(), namespace)
        found = []
        for name, group in (
            ("test_add_of_floats", "test_add"),
            ("test_scale_by_zero", "test_scale"),
        ):
            if any(str(node).endswith((name, "tests")) for node in nodes):
                call = {"index": 0, "label": name, "is_test": True, "source": f"{name}(tt)"}
                ended = cell_worker.measure(call, namespace, 0)
                found.append(replace(ended, test=name, grade_id=group))
        return found

    monkeypatch.setattr("tito.run.student_tests.run_cells", cells)
    monkeypatch.setattr("tito.run.student_tests.run_contracts", contracts)


def second_module(course):
    """A module after 07 that builds on it."""
    second = course.add_module("08_doubler", ["07_adder"], ["tinytorch.core.adder"])
    for path in (second.notebook, second.starter):
        path.parent.mkdir(exist_ok=True)
        shutil.copy(course.module.starter, path)


# (what the student does, state, exercises that pass, answers written, next command)
WALK = [
    ("status", "not started", 0, 0, "tito start 07"),
    ("start 07 --no-open", "started", 0, 0, "1a, cell 4"),
    ("export 07", "started", 0, 0, "1a, cell 4"),  # refused: stubs
    ("test 07", "tested", 0, 0, "1a, cell 4"),
    ("hint 07 1a", "tested", 0, 0, "1a, cell 4"),
    ("hint 07 add", "tested", 0, 0, "1a, cell 4"),
    ("hint 07 1a", "tested", 0, 0, "1a, cell 4"),  # that was the last hint
    ({"add": WRONG}, "started", 0, 0, "tito test 07"),
    ("test 07 -k 1a", "started", 0, 0, "tito test 07 -k 1a"),
    ("test 07", "tested", 0, 0, "tito test 07 -k 1a"),
    ({"add": BROKEN}, "started", 0, 0, "tito test 07"),
    ("test 07", "tested", 0, 0, "tito test 07"),  # a cell that Python cannot read
    ("export 07", "tested", 0, 0, "tito test 07"),  # refused
    ("submit 07", "tested", 0, 0, "tito test 07"),  # refused
    ({"add": RIGHT["add"]}, "started", 0, 0, "tito test 07"),
    ("test 07 -k 1a", "started", 1, 0, "1b, cell 7"),
    ("test 07", "tested", 1, 0, "1b, cell 7"),
    ("submit 07", "tested", 1, 0, "1b, cell 7"),  # a part is handed in on the deadline
    ({"scale": LOOP}, "started", 1, 0, "tito test 07"),
    ("test 07", "tested", 1, 0, "tito hint 07 1b"),  # its time is over
    ({"scale": LATE}, "started", 1, 0, "tito test 07"),
    ("test 07", "tested", 1, 0, "tito hint 07 1b"),  # only a contract test is red
    ("export 07", "tested", 1, 0, "tito hint 07 1b"),
    (RIGHT, "started", 1, 0, "tito test 07"),
    ("test 07 -k 1b", "started", 2, 0, "tito test 07"),
    ("test 07", "tested", 2, 0, "tito export 07"),
    ("export 07", "tested", 2, 0, "tito start 07"),  # an answer is empty
    ("answer *Your answer here.*", "tested", 2, 0, "tito start 07"),
    ("answer They are functions.", "done", 2, 1, "tito submit 07"),
    ("submit 07 --student ann", "packed", 2, 1, "tito start 08"),
    ("test 07", "packed", 2, 1, "tito start 08"),
    ({"scale": STUB}, "started", 1, 1, "tito test 07"),  # the export is behind now
    ("reset 07 --yes", "started", 0, 0, "1a, cell 4"),
    ("reset 07 --undo", "started", 1, 1, "tito test 07"),
    ("break", "damaged", 0, 0, "tito sync 07 --from py"),
    ("sync 07 --from py", "started", 1, 1, "tito test 07"),
    ("lose the export", "started", 1, 1, "tito test 07"),
    ("lose the state", "started", 0, 1, "tito test 07"),
]


def step(course, tito, action):
    """Do it; what a verb of 07 said, or None."""
    if isinstance(action, dict):
        course.write(**action)
        course.module.script.unlink(missing_ok=True)
    elif action.startswith("answer "):
        course.answer(action.removeprefix("answer "))
    elif action == "break":
        course.module.notebook.write_text("{", encoding="utf-8")
    elif action == "lose the export":
        course.module.export_path.unlink()
    elif action == "lose the state":
        (course.workspace.state_dir / "state.json").unlink()
    else:
        return tito(*action.split())[1]
    return None


def advised(out):
    return [line for line in out.splitlines() if line.startswith("next: ")]


def test_all_verbs_and_the_notebook_say_the_same_at_each_step(course, tito, quick, monkeypatch):
    second_module(course)
    hinting = importlib.import_module("tinytorch.notebook.hint_magic")
    for number, (action, state, passing, written, following) in enumerate(WALK):
        at = f"step {number}: {action}"
        said = step(course, tito, action)
        row = progress(course.module)
        found = (row.state, len(row.passing), len(row.questions) - len(row.empty), row.next)
        assert found == (state, passing, written, following), at
        for line in advised(said or ""):
            assert line == row.advice, at
        words = ("status", "status 07", "hint 07", "", "start 07 --no-open")
        for verb in words[: 4 if state == "not started" else 5]:  # `start` starts a module
            out = tito(*verb.split())[1]
            assert advised(out) == [row.advice], (at, verb)
            assert row.words in out, (at, verb)
        (one, _) = json.loads(tito("status", "--json")[1])["modules"]
        assert (one["state"], one["next"], one["words"]) == (state, following, row.words), at
        listed = json.loads(tito("hint", "07", "--json")[1])
        assert (listed["next"], listed["words"]) == (following, row.words), at
        notebook = hinting._rows_of_hint(listed)
        assert notebook[-1] == in_a_cell(row.advice), at
        assert ("done" in row.words or "packed" in row.state) <= (not row.empty), at


@pytest.mark.parametrize(
    "said, shown",
    [
        ("next: tito test 07 -k 1a", "next: %test 1a"),
        ("next: tito test 07", "next: %test"),
        ("next: tito hint 07 1a   # 1a is red", "next: %hint 07 1a   # 1a is red"),
        ("3 of 4\nnext: tito export 07", "3 of 4\nnext: in a terminal: tito export 07"),
        ("next: 1b, cell 21", "next: 1b, cell 21"),
    ],
)
def test_the_advice_in_a_cell_is_a_command_of_the_notebook_or_says_where_to_type_it(said, shown):
    assert in_a_cell(said) == shown

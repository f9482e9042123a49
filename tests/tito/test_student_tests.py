"""`tito test` tests the student's own code, as it was saved."""

import json
import os
import signal

import psutil
import pytest
from adder_course import RIGHT

from helpers.patience import PATIENCE_SECONDS, until
from tito.remembered_state import module_state
from tito.run.student_tests import run_checks
from tito.student_work.exporter import export

LAW = """from tinytorch.laws import law


@law(1, "the sum")
def test_the_sum(tt):
    yield "add(1, 2)", lambda: tt.add(1, 2), 3
"""


def test_a_broken_notebook_fails_although_an_older_export_was_good(course, tito):
    course.solve()
    export(course.module)
    course.write(add="#| export\ndef add(a, b):\n    return a - b")
    code, out, _ = tito("test", "07")
    assert code == 1
    for line in (
        "1a add  0 of 2 tests  worth 0 of 2 points",
        "add gives the sum.",
        "called    add(1, 2)",
        "got       -1",
        "wanted    3",
        "look at   the operator",
        "2 of 4 tests pass",
        "1 of 2 exercises done. The promises that hold are worth 3 of 5 points;",
        "the grader tests with other inputs and gives the points.",
        "next: tito hint 07 1a",
    ):
        assert line in out


def test_what_follows_from_a_syntax_error_is_not_reported_beside_it(course, tito):
    """The cell that needs the lost name costs nothing either, and the cause is said where a test
    meets it.
    """
    course.solve()
    course.write(
        add="#| export\ndef add(a, b)\n    return a + b",
        given_setup="#| export\nimport math\n",
        scale=f"{RIGHT['scale']}\nlargest = add(1, 2)\n",
    )
    code, out, _ = tito("test", "07")
    assert code == 1 and out.count("NameError") == 0
    assert "add is missing because of cell 4 (add), line 2: expected ':'" in out
    assert "1b scale  2 of 2 tests  worth 3 of 3 points" in out and "3 of 5 points" in out


def test_a_contract_test_that_hits_an_error_names_the_cell_in_the_notebook(course):
    course.solve()
    body = "if b == 0.25:\n        return a.missing\n    return a + b"
    course.write(add=f"#| export\ndef add(a, b):\n    {body}")
    row = run_checks(course.module).checks[0]
    assert row.failing == "test_add_of_floats"
    assert row.outcome.look == "cell 4 (add), line 4, in add: return a.missing"


ADD, SCALE = (["test_add"], ["test_add_of_floats"]), (["test_scale"], ["test_scale_by_zero"])


BOTH = (ADD[0] + SCALE[0], ADD[1] + SCALE[1])


@pytest.mark.parametrize(
    "words, picked",
    [
        ("07 -k scale", SCALE),
        ("07 -k test_add", ADD),
        ("07 -k 1", BOTH),
        ("07 -k test_", BOTH),
        ("07 1b", SCALE),
        ("1b", SCALE),
        ("07 1", BOTH),
    ],
)
def test_tests_are_picked_by_exercise_section_name_or_group(
    course, tito, monkeypatch, words, picked
):
    course.solve()
    asked = []
    monkeypatch.setattr(
        "tito.run.student_tests.run_contracts",
        lambda scratch, module, nodes, **options: asked.extend(nodes) or [],
    )
    rows = json.loads(tito("test", *words.split(), "--json")[1])["checks"]
    assert ([row["id"] for row in rows], [str(node).partition("::")[2] for node in asked]) == picked


@pytest.mark.parametrize(
    "words, code, says",
    [
        ("07 -k nothing_is_called_so", 2, "--list"),
        ("9z", 2, "no module is called '9z'"),
        ("07 1a -k 1b", 2, "Leave one out"),
        ("07 zz --laws", 2, "has none for zz"),
    ],
)
def test_what_picks_no_test_is_refused(tito, words, code, says):
    found, out, err = tito("test", *words.split())
    assert found == code and says in err and not out


def test_the_laws_of_an_exercise_are_shown(course, tito):
    (course.module.tests / "test_1a_add.py").write_text(LAW, encoding="utf-8")
    out = tito("test", "07", "1a", "--laws")[1]
    assert out.splitlines()[0].endswith("test_1a_add.py") and LAW.strip() in out


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_ctrl_c_ends_the_run_and_everything_it_started(course, start_verb):
    course.solve()
    course.write(test_scale="import time; time.sleep(600)")
    process = start_verb("test", "07")
    until(lambda: psutil.Process(process.pid).children())
    children = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 130 and "Traceback" not in err and "Stopped" in err
    _, alive = psutil.wait_procs(children, timeout=PATIENCE_SECONDS)
    assert alive == [] and course.load()["cells"]
    assert module_state(course.workspace.state_dir, "07_adder").seen == {}

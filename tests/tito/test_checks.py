"""`tito test` tests the student's own code, as it was saved."""

import json
import os
import signal
import subprocess
import sys
import time

import psutil
import pytest
from patience import PATIENCE_SECONDS

from tito.commands.test import show
from tito.exporter import export
from tito.run.student_tests import run_checks
from tito.state import module_state

LAW = """from tinytorch.laws import law


@law(1, "the sum")
def test_the_sum(tt):
    yield "add(1, 2)", lambda: tt.add(1, 2), 3
"""


def by_id(report):
    return {check.id: check for check in report.checks}


def test_a_finished_notebook_passes_each_public_test_of_each_exercise(course):
    course.solve()
    report = run_checks(course.module)
    assert report.ok and (report.passed, report.tests) == (4, 4)
    assert [(row.number, row.points, row.passed, row.tests) for row in report.checks] == [
        ("1a", 2, 2, 2),
        ("1b", 3, 2, 2),
    ]


def test_a_broken_notebook_fails_although_an_older_export_was_good(course, tito):
    course.solve()
    export(course.module)
    course.write(add="#| export\ndef add(a, b):\n    return a - b")
    code, out, _ = tito("test", "07")
    assert code == 1
    for line in (
        "1a add  0 of 2 tests  worth 2 points",
        "add gives the sum.",
        "called    add(1, 2)",
        "got       -1",
        "wanted    3",
        "look at   the operator",
        "2 of 4 tests pass",
        "1 of 2 exercises done, worth 3 of 5 points",
        "The grader tests with other inputs and gives the points.",
        "next: tito hint 07 1a",
    ):
        assert line in out


def test_a_syntax_error_is_a_failure_with_its_cell_and_line(course, tito):
    course.solve()
    course.write(scale="#| export\ndef scale(a, factor)\n    return a * factor")
    code, out, _ = tito("test", "07")
    assert (
        code == 1
        and "cell 7 (scale), line 2: def scale(a, factor)" in out
        and "SyntaxError: expected ':'" in out
    )


def test_a_stub_is_your_turn_and_no_success(course, capsys):
    report = run_checks(course.module)
    show(report)
    out = capsys.readouterr().out
    assert (
        not report.ok
        and "your turn: 2 exercises for 5 points" in out
        and "all       1a, 1b" in out
        and "Traceback" not in out
    )
    assert {check.status for check in report.checks} == {"your_turn"} and report.passed == 0


def test_an_error_in_a_solution_names_the_innermost_cell_and_line(course):
    course.solve()
    course.write(add="#| export\ndef add(a, b):\n    half = a\n    return half.missing")
    check = by_id(run_checks(course.module, part="test_add"))["test_add"]
    assert (
        (check.status, check.outcome.promise) == ("fail", "add gives the sum.")
        and "has no attribute 'missing'" in check.outcome.got
        and check.outcome.look == "cell 4 (add), line 4, in add: return half.missing"
    )


def test_a_contract_test_that_hits_an_error_names_the_cell_in_the_notebook(course):
    course.solve()
    course.write(
        add=(
            "#| export\ndef add(a,"
            " b):\n    if b == 0.25:\n        return a.missing\n    return a + b"
        )
    )
    check = by_id(run_checks(course.module))["test_add"]
    assert (
        check.failing == "test_add_of_floats"
        and check.outcome.look == "cell 4 (add), line 4, in add: return a.missing"
    )


@pytest.mark.parametrize(
    "part, cells, contracts",
    [
        ("scale", ["test_scale"], ["test_scale_by_zero"]),
        ("test_add", ["test_add"], ["test_add_of_floats"]),
        ("1a", ["test_add"], ["test_add_of_floats"]),
        ("1b", ["test_scale"], ["test_scale_by_zero"]),
        ("add", ["test_add"], ["test_add_of_floats"]),
        ("test_", ["test_add", "test_scale"], ["test_add_of_floats", "test_scale_by_zero"]),
        ("07 add", ["test_add"], []),
    ],
)
def test_k_picks_by_exercise_name_test_name_or_group(course, monkeypatch, part, cells, contracts):
    course.solve()
    asked = []
    monkeypatch.setattr(
        "tito.run.student_tests.run_contracts",
        lambda scratch, module, nodes, **options: asked.extend(nodes) or [],
    )
    assert [c.id for c in run_checks(course.module, part=part).checks] == cells
    assert [str(node).partition("::")[2] for node in asked] == contracts


def test_k_that_picks_nothing_is_wrong_usage(course, tito):
    code, _, err = tito("test", "07", "-k", "nothing_is_called_so")
    assert code == 2 and "--list" in err


def test_json_is_one_document_with_the_same_verdict(course, tito):
    course.solve()
    code, out, _ = tito("test", "07", "--json")
    found = json.loads(out)
    assert (code, found["ok"], found["schema"], found["module"], found["passed"]) == (
        0,
        True,
        1,
        "07_adder",
        4,
    )


def test_no_module_means_every_module_that_was_started(course, tito):
    code, _, err = tito("test")
    assert code == 1 and "tito start 07" in err
    course.solve()
    code, out, _ = tito("test")
    assert code == 0 and "07_adder" in out


def test_the_result_is_remembered_for_this_code_and_says_when_the_code_changed(course, tito):
    course.solve()
    run_checks(course.module)
    row = json.loads(tito("status", "--json")[1])["modules"][0]
    assert (row["state"], row["passed"], row["changed_since_test"], row["next"]) == (
        "tested",
        4,
        False,
        "tito export 07",
    )
    export(course.module)
    course.answer("They are functions.")
    assert json.loads(tito("status", "--json")[1])["modules"][0]["state"] == "done"
    course.write(add="#| export\ndef add(a, b):\n    return b + a")
    row = json.loads(tito("status", "--json")[1])["modules"][0]
    assert (row["changed_since_test"], row["exported"], row["next"]) == (
        True,
        "behind the notebook",
        "tito test 07",
    )
    assert "not all tested since the last change" in tito("status")[1]


def test_a_test_leaves_the_notebook_the_package_and_no_scraps(course, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temp"))
    (tmp_path / "temp").mkdir()
    course.solve()
    before = course.module.notebook.read_bytes()
    run_checks(course.module)
    assert course.module.notebook.read_bytes() == before and not course.module.export_path.exists()
    assert list((tmp_path / "temp").iterdir()) == []


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("delay", [0.05, 0.3, 1.0])
def test_ctrl_c_ends_the_run_and_everything_it_started(course, delay):
    course.solve()
    course.write(test_scale="import time; time.sleep(600)")
    # A background job of a shell ignores Ctrl-C, and so do the processes that it starts. The
    # handler
    # below makes this process react to it again.
    process = subprocess.Popen(
        [
            sys.executable,
            "-c",
            (
                "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); from"
                " tito.cli import main; print('ready', flush=True); sys.exit(main(['test', '07']))"
            ),
        ],
        cwd=course.root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    process.stdout.readline()
    time.sleep(delay)  # the delay only decides where the signal arrives
    children = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 130 and "Traceback" not in err and "Stopped" in err
    _, alive = psutil.wait_procs(children, timeout=PATIENCE_SECONDS)
    assert alive == []
    assert (
        course.load()["cells"] and module_state(course.workspace.state_dir, "07_adder").seen == {}
    )


@pytest.mark.parametrize(
    "words, tested",
    [("07 1b", {"1b"}), ("1b", {"1b"}), ("07 1", {"1a", "1b"}), ("07 -k 1", {"1a", "1b"})],
)
def test_an_exercise_is_named_with_or_without_its_module_and_a_section_by_its_number(
    course, tito, words, tested
):
    tito("start", "07", "--no-open")
    found = json.loads(tito("test", *words.split(), "--json")[1])
    assert {row["number"] for row in found["checks"]} == tested


def test_a_word_that_names_no_module_and_no_exercise_is_refused(course, tito):
    assert "no module is called '9z'" in tito("test", "9z")[2]


def test_two_ways_to_pick_tests_at_once_are_refused(course, tito):
    code, _, said = tito("test", "07", "1a", "-k", "1b")
    assert code == 2 and "Leave one out" in said


def test_laws_of_an_exercise_that_does_not_exist_are_refused(course, tito):
    laws = course.module.tests / "test_1a_add.py"
    laws.write_text(LAW, encoding="utf-8")
    assert tito("test", "07", "1a", "--laws")[1].splitlines()[0].endswith("test_1a_add.py")
    code, out, err = tito("test", "07", "zz", "--laws")
    assert code == 2 and "has none for zz" in err and LAW.strip() not in out

"""`tito grade autograde`: honest work gets its marks, every other submission gets a reason, and
nothing stops the batch.
"""

from __future__ import annotations

import argparse
import json

import pytest
from tiny_class import grade

from grading.commands import autograde as command
from grading.engine.run import autograde
from tito.errors import UsageError

PARTS = {"test_double": 2.0, "test_box": 3.0, "contract_box": 2.0}


def scores(room, student: str) -> list[float]:
    return [room.grade(student, grade_id)["auto_score"] for grade_id in PARTS]


@pytest.mark.parametrize(
    "student, expected",
    [
        ("finished", [2, 3, 2]),
        ("stub", [0, 0, 0]),
        ("partly", [0, 3, 1]),  # the hidden notebook test and the hidden contract test fail
        # a copied cell, a deleted test and a deleted question cost no points
        ("copied", [2, 3, 2]),
        ("warns", [2, 3, 2]),  # stderr is not failure
        # a solution cell that was made raw is code again, for the sealed tests too
        ("retyped", [2, 3, 2]),
        ("loop", [0, 3, 2]),
        ("killer", [2, 0, 0]),
        ("broken", [0, 0, 0]),
        ("emptyhanded", [0, 0, 0]),
    ],
)
def test_every_submission_has_its_scores_in_the_gradebook(class_of_tiny, student, expected):
    assert scores(class_of_tiny, student) == expected


@pytest.mark.parametrize(
    "student, reason",
    [
        ("loop", "test_double was stopped after 2 s"),
        ("killer", "ended while test_box ran"),
        ("broken", "a notebook is a JSON file"),
        ("emptyhanded", "there is no notebook tiny_dev.ipynb"),
    ],
)
def test_what_could_not_be_graded_waits_for_a_person_with_its_reason(
    class_of_tiny, student, reason
):
    graded = class_of_tiny.graded[student]
    assert graded.status == "needs_review" and any(reason in said for said in graded.reasons)
    assert class_of_tiny.report(student)["status"] == "needs_review"
    flagged = [
        grade_id
        for grade_id in PARTS
        if class_of_tiny.grade(student, grade_id)["needs_manual_grade"]
    ]
    lost = [
        grade_id
        for grade_id in PARTS
        if class_of_tiny.cell(student, grade_id)["status"] in ("timeout", "not_run")
    ]
    assert lost and set(lost) <= set(flagged)


def test_a_file_that_is_no_notebook_has_one_reason(own_class):
    """It is read only once, for the sealed tests and for the notebook's own tests."""
    why = (
        "a notebook is a JSON file; the file is not: Expecting value:"
        " line 1 column 12 (char 11). Ask for the notebook again; until then it earns nothing"
    )
    assert own_class.graded["broken"].reasons == [f"tiny_dev.ipynb could not be graded: {why}"]


def test_the_screen_counts_one_submission_as_one(class_of_tiny):
    code, text = class_of_tiny.tito(
        "autograde", "--student", "finished", "--course", str(class_of_tiny.course.root)
    )
    assert (
        code == 0 and "\n1 submission, 0 of them graded in part or flagged; in the class " in text
    )


def test_work_that_could_be_graded_waits_for_nobody_but_its_question(class_of_tiny):
    for student in ("finished", "stub", "partly", "copied", "warns"):
        assert class_of_tiny.graded[student].reasons == []
        assert [
            g for g in (*PARTS, "q_why") if class_of_tiny.grade(student, g)["needs_manual_grade"]
        ] == ["q_why"]


def test_the_report_tells_promise_call_got_and_want(class_of_tiny):
    cell = class_of_tiny.cell("partly", "test_double")
    assert (cell["status"], cell["promise"], cell["call"], cell["got"], cell["want"]) == (
        "fail",
        "double takes negative numbers.",
        "double(-1)",
        "2",
        "-2",
    )
    contract = class_of_tiny.cell("partly", "contract_box")
    assert sorted(test["status"] for test in contract["tests"]) == ["fail", "pass"]
    assert (contract["promise"], contract["got"], contract["want"]) == (
        "A box keeps all its things.",
        "2",
        "3",
    )


def test_a_stub_is_the_students_turn_not_an_error(class_of_tiny):
    assert {class_of_tiny.cell("stub", grade_id)["status"] for grade_id in PARTS} == {"your_turn"}


def test_what_a_cell_wrote_to_stderr_is_kept_for_the_student(class_of_tiny):
    assert "honest" in class_of_tiny.cell("warns", "test_double")["stderr"]


def test_a_renamed_notebook_is_graded_and_the_name_noted(class_of_tiny):
    assert class_of_tiny.intake["partly"].reason == "the notebook was called mine.ipynb"


def test_an_unchanged_submission_is_not_graded_again(class_of_tiny):
    again = grade(class_of_tiny.course, class_of_tiny.module)
    assert {one.status for one in again} == {"unchanged"}
    assert {one.student: one.points for one in again} == {
        name: one.points for name, one in class_of_tiny.graded.items()
    }


def test_without_isolation_one_named_submission_is_graded_and_a_class_is_refused(own_class):
    with pytest.raises(UsageError) as refused:
        autograde.autograde(
            own_class.course, own_class.module, autograde.Settings(level="limits", force=True)
        )
    said = str(refused.value)
    assert "NOT ISOLATED: at the level limits one submission is graded at a time" in said
    assert "this run has 10" in said and "tito grade doctor" in said and "--student S" in said
    (one,) = autograde.autograde(
        own_class.course,
        own_class.module,
        autograde.Settings(level="limits", force=True),
        students=["finished"],
    )
    assert (one.points, one.reasons) == (7.0, [])


def test_no_option_of_autograde_lets_a_class_pass_without_isolation(class_of_tiny):
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    switches = [
        action.option_strings[0]
        for action in parser._actions
        if action.nargs == 0 and action.dest != "help"
    ]
    assert "--force" in switches
    code, said = class_of_tiny.tito(
        "autograde", *switches, "--isolation", "limits", "--course", str(class_of_tiny.course.root)
    )
    assert code == UsageError.exit_code and "NOT ISOLATED" in said


def test_a_grade_given_by_hand_survives_a_forced_run(own_class):
    from grading.engine.marks import mark

    mark.mark(own_class.course, own_class.module, "broken", "test_box", 1.5)
    (again,) = autograde.autograde(
        own_class.course, own_class.module, autograde.Settings(force=True), students=["broken"]
    )
    assert again.status == "needs_review"
    grade = own_class.grade("broken", "test_box")
    assert (grade["manual_score"], grade["auto_score"]) == (1.5, 0)


def test_a_group_of_contract_tests_is_worth_its_share_passed():
    from grading.engine.results import contract_mark
    from tito.outcome import Outcome

    tests = [Outcome("pass"), Outcome("fail"), Outcome("pass")]
    assert contract_mark("n", "c", 5.0, tests).points == 3.33
    assert contract_mark("n", "c", 5.0, []).status == "not_run"


def test_a_kit_holds_the_definitions_and_no_student(class_of_tiny, tmp_path):
    from grading.engine.run.materials import Kit

    kit = Kit.build(class_of_tiny.course, class_of_tiny.module, tmp_path / "kit", 7)
    data = (tmp_path / "kit" / "gradebook.db").read_bytes()
    assert b"test_double" in data and b"finished" not in data
    other = Kit.unpacked(kit.packed(), tmp_path / "elsewhere")
    assert (other.digest, other.cells, other.assignment.sealed.import_name) == (
        kit.digest,
        kit.cells,
        "tinytorch.core.tiny",
    )


def test_demo_cells_are_not_executed_in_grading(class_of_tiny):
    executed = json.loads(
        class_of_tiny.course.autograded("finished", class_of_tiny.module).read_text(
            encoding="utf-8"
        )
    )
    (demo,) = [cell for cell in executed["cells"] if "demo" in cell["metadata"].get("tags", [])]
    assert (demo["outputs"], demo["execution_count"]) == ([], None)


def test_a_cell_scored_by_sealed_tests_holds_their_results_and_the_score(class_of_tiny):
    executed = json.loads(
        class_of_tiny.course.autograded("finished", class_of_tiny.module).read_text(
            encoding="utf-8"
        )
    )
    (cell,) = [
        one
        for one in executed["cells"]
        if one["metadata"].get("nbgrader", {}).get("grade_id") == "contract_box"
    ]
    said, score = cell["outputs"]
    assert "".join(said["text"]).count("ok ") == 2
    assert "".join(score["data"]["text/plain"]) == "2.0"


def test_formgraders_own_button_refuses_and_changes_nothing(class_of_tiny):
    """The button would run student code with the instructor's rights and give 0 for each sealed
    test.
    """
    from grading.engine.nbgrader.library import quiet

    with quiet():
        from nbgrader.apps.api import NbGraderAPI
        from traitlets.config import PyFileConfigLoader

        config = PyFileConfigLoader(
            "nbgrader_config.py", path=str(class_of_tiny.course.root)
        ).load_config()
        before = (
            class_of_tiny.course.autograded("finished", class_of_tiny.module).read_bytes(),
            scores(class_of_tiny, "finished"),
        )
        answer = NbGraderAPI(config=config).autograde(class_of_tiny.module.name, "finished")
    assert not answer["success"] and "graded by: tito grade autograde" in answer["error"]
    assert before == (
        class_of_tiny.course.autograded("finished", class_of_tiny.module).read_bytes(),
        scores(class_of_tiny, "finished"),
    )

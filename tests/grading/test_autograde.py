"""`tito grade autograde`: honest work gets its marks, every other submission gets a reason, and
nothing stops the batch.
"""

from __future__ import annotations

from dataclasses import fields

import honest_work
import pytest

from grading.engine import sandbox
from grading.engine.run import autograde
from helpers.tiny_class import grade
from tito.errors import UsageError

PARTS = ("test_double", "test_box", "contract_box")
LOST = {
    "loop": "test_double was stopped after 2 s",
    "killer": "ended while test_box ran",
    "broken": "a notebook is a JSON file",
    "emptyhanded": "there is no notebook tiny_dev.ipynb",
}


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
        *((student, [2, 3, 2]) for student in honest_work.STUDENTS),
        # a solution cell that was made raw is code again, for the sealed tests too
        ("retyped", [2, 3, 2]),
        ("loop", [0, 3, 2]),
        ("killer", [2, 0, 0]),
        ("broken", [0, 0, 0]),
        ("emptyhanded", [0, 0, 0]),
    ],
)
def test_every_submission_has_its_scores_and_what_was_not_graded_waits_for_a_person(
    class_of_tiny, student, expected
):
    assert scores(class_of_tiny, student) == expected
    graded = class_of_tiny.graded[student]
    rows = {one: class_of_tiny.grade(student, one) for one in (*PARTS, "q_why")}
    flagged = {one for one, row in rows.items() if row["needs_manual_grade"]}
    if student not in LOST:
        told = class_of_tiny.cell(student, "test_double")["stderr"]  # None: it wrote nothing there
        assert ("honest" in (told or "")) == (student == "warns")
        assert (graded.reasons, flagged) == ([], {"q_why"}) and not graded.flags
        return
    assert graded.status == class_of_tiny.report(student)["status"] == "needs_review"
    assert any(LOST[student] in said for said in graded.reasons)
    statuses = {one: class_of_tiny.cell(student, one)["status"] for one in PARTS}
    lost = {one for one, status in statuses.items() if status in ("timeout", "not_run")}
    assert lost and lost <= flagged


def test_without_isolation_one_named_submission_is_graded_and_a_class_is_refused(own_class):
    """No setting lets a class pass."""
    course, module = own_class.course, own_class.module
    switches = {one.name: True for one in fields(autograde.Settings) if one.default is False}
    assert "force" in switches
    with pytest.raises(UsageError) as refused:
        autograde.autograde(course, module, autograde.Settings(level="limits", **switches))
    said = str(refused.value)
    assert "NOT ISOLATED: at the level limits one submission is graded at a time" in said
    count = f"this run has {len(own_class.graded)}"
    assert all(part in said for part in (count, "tito grade doctor", "--student S"))
    settings = autograde.Settings(level="limits", force=True)
    (one,) = autograde.autograde(course, module, settings, students=["finished"])
    assert (one.points, one.reasons) == (7.0, [])


def test_a_kit_holds_the_definitions_and_no_student(class_of_tiny, tmp_path):
    from grading.engine.run.grading_kit import Kit

    kit = Kit.build(class_of_tiny.course, class_of_tiny.module, tmp_path / "kit", 7)
    data = (tmp_path / "kit" / "gradebook.db").read_bytes()
    assert b"test_double" in data and b"finished" not in data
    other = Kit.unpacked(kit.packed(), tmp_path / "elsewhere")
    assert (other.digest, other.cells) == (kit.digest, kit.cells)
    assert other.assignment.sealed.import_name == "tinytorch.core.tiny"


def test_formgraders_own_button_refuses_and_changes_nothing(class_of_tiny):
    """The button would run student code with the instructor's rights and give 0 for each sealed
    test.
    """
    from grading.engine.nbgrader.import_nbgrader import quiet

    def kept():
        return class_of_tiny.executed("finished"), scores(class_of_tiny, "finished")

    with quiet():
        from nbgrader.apps.api import NbGraderAPI
        from traitlets.config import PyFileConfigLoader

        place = str(class_of_tiny.course.root)
        config = PyFileConfigLoader("nbgrader_config.py", path=place).load_config()
        before = kept()
        answer = NbGraderAPI(config=config).autograde(class_of_tiny.module.name, "finished")
    assert not answer["success"] and "graded by: tito grade autograde" in answer["error"]
    assert before == kept()


@pytest.mark.long
@pytest.mark.parametrize("level", [one for one, kind in sandbox.classes().items() if kind.isolated])
def test_honest_work_earns_every_point_at_each_level_that_isolates(own_class, level):
    try:
        sandbox.open_sandbox(level).close()
    except sandbox.SandboxError as problem:
        pytest.skip(f"level {level} is not available here: {problem}")
    course, module = own_class.course, own_class.module
    students = [*honest_work.STUDENTS]
    graded = grade(course, module, students=students, level=level, force=True, jobs=2)
    assert {(one.points, one.status) for one in graded} == {(7.0, "graded")}, graded

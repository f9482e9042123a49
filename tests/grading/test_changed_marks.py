"""Every mark that changes is kept and told once, with the reason; what shows old marks is named; a
trial keeps nothing.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace

import pytest

from grading.engine.course.directory import Course
from grading.engine.marks import export_tables, sent_marks
from grading.engine.marks.changed_marks import Changes
from grading.engine.run import batch, what_is_graded_again
from grading.engine.run.grading_kit import Kit
from helpers.inboxes import put
from helpers.instant_grading import STUDENTS, StandIn, changed, make_room, run
from helpers.stopped_runs import Killed
from helpers.tiny_course import cell_of
from helpers.written_marks import hand_in
from tito.workspace import Module, Workspace


class OtherPoints(StandIn):
    """Grades `test_box` of ada and bob with half a point."""

    def submit(self, submission):
        done = super().submit(submission)
        if submission.student not in ("ada", "bob"):
            return done
        return changed(done, lambda mark: 0.5 if mark.grade_id == "test_box" else mark.points)


@pytest.fixture
def room(template, tmp_path):
    """A graded class."""
    course, pool = make_room(template, tmp_path)
    run(course, pool)
    return course, pool


def with_other_tests(pool: StandIn) -> StandIn:
    parts = pool.kit.parts | {"tests/1/test_box_hidden.py": "another"}
    return OtherPoints(replace(pool.kit, digest="other tests", parts=parts))


def lines(course, pool) -> list[tuple]:
    changes = Changes(course, pool.kit.assignment)
    return sorted((one.student, one.new - one.old, one.cells, one.why) for one in changes.lines)


def test_a_change_has_its_student_points_cell_and_reason(room):
    course, pool = room
    run(course, with_other_tests(pool))
    assert lines(course, pool) == [
        ("ada", -2.5, "test_box 3 -> 0.5", "the tests (test_box_hidden.py)"),
        ("bob", 0.5, "test_box 0 -> 0.5", "the tests (test_box_hidden.py)"),
    ]
    changes = Changes(course, pool.kit.assignment)
    assert len(changes.untold) == 2
    changes.told()
    assert Changes(course, pool.kit.assignment).untold == []
    path = course.submitted("ada", pool.kit.assignment) / f"{pool.kit.assignment.stem}.ipynb"
    path.write_bytes(path.read_bytes() + b"\n")
    run(course, StandIn(with_other_tests(pool).kit))
    assert lines(course, pool)[1] == ("ada", 2.5, "test_box 0.5 -> 3", "the submission")


def test_a_run_stopped_before_a_report_is_written_keeps_its_change_once(room, monkeypatch):
    course, pool = room
    monkeypatch.setattr(OtherPoints, "window", 1)  # ada is the first
    with monkeypatch.context() as change:
        change.setattr(batch, "write_json", lambda *_: (_ for _ in ()).throw(Killed()))
        with pytest.raises(Killed):
            run(course, with_other_tests(pool))
    assert [student for student, *_ in lines(course, pool)] == ["ada"]
    run(course, with_other_tests(pool))
    assert [student for student, *_ in lines(course, pool)] == ["ada", "bob"]


def test_another_version_of_tito_grades_nothing_again_unless_forced(room):
    course, pool = room
    newer = OtherPoints(replace(pool.kit, tool="newer"))
    done = run(course, newer)
    assert {(one.status, one.other_tool) for one in done} == {("unchanged", True)}
    run(course, newer, force=True)
    assert newer.submitted == STUDENTS
    assert {why for *_, why in lines(course, pool)} == {"another version of tito"}


def in_cell(cell: str, source: str) -> Callable[[Course, Module], None]:
    """A change that replaces the source of one released cell."""

    def change(course: Course, module: Module) -> None:
        path = course.released(module)
        released = json.loads(path.read_text(encoding="utf-8"))
        other = cell_of(released, cell)
        other["source"] = source
        if "nbgrader" in other["metadata"]:
            other["metadata"]["nbgrader"]["checksum"] = "another"
        path.write_text(json.dumps(released), encoding="utf-8")

    return change


def time_limit(course: Course, module: Module) -> None:
    with (course.root / "nbgrader_config.py").open("a", encoding="utf-8") as file:
        file.write("\nc.Execute.timeout = 90\n")


def no_script(course: Course, module: Module) -> None:
    module.script.unlink()  # git does not track it, so another clone may lack it


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (in_cell("cell-1", "# Other words"), []),
        (in_cell("q-why", "Why?"), []),
        (in_cell("double", "x = 1"), ["the release (tiny_dev.ipynb)"]),
        (time_limit, ["the course's settings"]),
        (no_script, []),
    ],
    ids=["a text", "a question", "code", "a time limit", "no script"],
)
def test_only_what_can_change_a_mark_changes_the_kit_and_is_named(
    room, workspace, tmp_path, change, said
):
    clone, kits = Workspace(shutil.copytree(workspace.root, tmp_path / "clone")), []
    for name in ("before", "after"):
        course = Course(room[0].root)
        kits.append(Kit.build(course, course.assignment("07", clone), tmp_path / name, 7))
        if name == "before":
            change(course, clone.module("07"))
    before, after = kits
    assert what_is_graded_again._named(before.parts, after.parts) == said
    assert (before.digest == after.digest) == (said == [])


def test_titos_own_code_is_no_part_of_what_a_submission_is_graded_with(room, tmp_path, monkeypatch):
    course, pool = room
    kits = []
    for version in "12":
        put(tmp_path / "grading/engine/marks.py", f"version = {version}")
        monkeypatch.setattr(what_is_graded_again, "_REPOSITORY", tmp_path)
        kits.append(Kit.build(course, pool.kit.assignment, tmp_path / version, 7))
    assert kits[0].digest == kits[1].digest and kits[0].tool != kits[1].tool


def test_pages_and_tables_with_old_marks_are_named_with_the_command(due_room, tmp_path):
    course, module = due_room.course, due_room.module
    hand_in(due_room, "ann")
    hand_in(due_room, "bob")
    sent_marks.note_pages(course, module, ["ann"])
    assert not sent_marks.pages_are_made(course, module)
    sent_marks.note_pages(course, module, ["ann", "bob"])
    assert sent_marks.pages_are_made(course, module)
    assert due_room.here("export", "07", "--format", "moodle", "--to", tmp_path / "m.csv")[0] == 0
    assert sent_marks.out_of_date(course, module) == []
    hand_in(due_room, "ann", test_box=1)
    assert not sent_marks.pages_are_made(course, module)
    pages, table = sent_marks.out_of_date(course, module)
    assert pages == (
        f"out of date: feedback pages, for ann: tito grade feedback 07_tiny --course {course.root}"
    )
    assert table.startswith(f"out of date: the table {tmp_path / 'm.csv'}, for ann: ")
    command = table.partition(": tito grade export ")[2].split()
    assert due_room.tito("export", *command)[0] == 0
    assert sent_marks.out_of_date(course, module) == [pages]


def test_a_trial_names_what_would_change_and_keeps_nothing(own_class, walls):
    path = own_class.notebook("finished")
    text = path.read_text(encoding="utf-8")
    put(path, text.replace("return 2 * x", "return 3 * x"))
    root = own_class.course.root
    with open(root / "nbgrader_config.py", "a", encoding="utf-8") as config:
        config.write(f"c.CourseDirectory.db_url = 'sqlite:///{root / 'gradebook.db'}'\n")
    before = {one: one.read_bytes() for one in root.rglob("*") if one.is_file()}
    code, said = own_class.here("autograde", "07", "--dry-run", "--student", "finished")
    assert code == 0 and "1 mark would change:" in said
    assert "test_double 2 -> 0; because of the submission" in said
    assert "1 submission would be graded; nothing was kept" in said
    assert before == {one: one.read_bytes() for one in root.rglob("*") if one.is_file()}
    said = own_class.here("autograde", "07", "--student", "finished")[1]
    assert "1 mark changed" in said
    assert "\n1 submission, 0 of them graded in part or flagged; in the class " in said
    assert own_class.here("report", "07")[0] == 0
    page = (own_class.course.reports(own_class.module) / "report.html").read_text(encoding="utf-8")
    assert "1 mark changed when graded again" in page and "test_double 2 -&gt; 0" in page
    rows = export_tables.marks(own_class.course, own_class.module)
    assert next(row.total for row in rows if row.student == "finished") == 5

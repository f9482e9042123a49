"""`tito grade release --correct`: students keep their work, the corrected tests grade it, and what
is refused changes nothing.
"""

from __future__ import annotations

import json
import re

import pytest

from grading.authoring import release
from grading.engine.course.directory import Course
from grading.engine.marks.answer_text import answer_in, answer_to
from grading.engine.submitted_notebook.match_editions import aligned
from grading.engine.submitted_notebook.notebook_files import earlier_editions, read_any, read_own
from grading.engine.submitted_notebook.restore_notebook import rebuild
from helpers.inboxes import put
from helpers.tiny_class import Class, grade
from helpers.tiny_course import SOURCE, fill, make_workspace
from tito.workspace import Workspace

TEST, TEXT, STUB, ANSWER = (
    ("want=6, look", "want=7, look"),
    ("Two exercises, one question.", "Two exercises and one question."),
    ("# TODO: one line.", "# TODO: a single line."),
    ("*Your answer.*", "*Your answer here.*"),
)
WRONG = ("double(3) == 6", "double(3) == 7")  # a broken test, which a correction puts right


@pytest.fixture
def room(tmp_path) -> Class:
    """A class whose release has a broken test; ann solved everything, bob began nothing."""
    own = Workspace(make_workspace(tmp_path / "own"))
    write_source(own, WRONG)
    release.release(own.module("07"), own)
    course = Course.create(tmp_path / "class", own)
    release.release_to_course(own.module("07"), course)
    made = Class(own, course.assignment("07", own), course, {}, {})
    released = json.loads(course.released(made.module).read_text(encoding="utf-8"))
    put(made.notebook("ann"), json.dumps(fill(released, answer="Aliasing.")))
    put(made.notebook("bob"), json.dumps(released))
    return made


def write_source(own: Workspace, *changes: tuple[str, str]) -> None:
    text = SOURCE
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    put(own.root / "grading/modules/07_tiny/tiny_dev.py", text)


def files(room: Class) -> dict:
    places = (room.course.root, room.workspace.root / "modules")
    return {one: one.read_bytes() for place in places for one in place.rglob("*") if one.is_file()}


@pytest.mark.parametrize(
    ("change", "words", "said"),
    [
        (TEXT, [], "To correct it for this class: tito grade release 07_tiny --correct --course"),
        (("stub double", "stub twice"), ["--correct"], "double: a cell that is gone"),
        (("# %% given given_tools", "# %%"), ["--correct"], "given_tools: a cell that is gone"),
    ],
    ids=["not asked", "a stub renamed", "a named cell gone"],
)
def test_what_is_refused_changes_nothing(room, change, words, said):
    write_source(room.workspace, WRONG, change)
    before = files(room)
    code, text = room.here("release", "07", *words)
    assert code == 1 and said in text
    assert files(room) == before


def test_a_broken_test_is_corrected_and_the_work_is_graded_by_the_corrected_one(room, walls):
    grade(room.course, room.module)
    assert room.cell("ann", "test_double")["points"] == 0
    write_source(room.workspace, TEXT, STUB, ANSWER)
    code, text = room.here("release", "07", "--correct")
    assert code == 0, text
    for line in (
        "\u201c# Tiny\u201d: its text, which changes no mark",
        "double: the stub; what was handed in stays as it is",
        "test_double: the code of its test",
        "2 students handed in work on an earlier edition: ann, bob",
    ):
        assert line in text
    code, text = room.here("autograde", "07")
    assert (
        "ann                  5 -> 7 of 11           test_double 0 -> 2; because of the release"
        in text
    )
    assert room.report("ann")["flags"] == [] and room.report("ann")["notes"] == []
    assert room.cell("bob", "test_double")["status"] == "your_turn"
    released = json.loads(room.course.released(room.module).read_text(encoding="utf-8"))
    for student in ("ann", "bob"):
        graded = room.executed(student)["cells"]
        assert [cell["id"] for cell in graded] == [cell["id"] for cell in released["cells"]]


def test_a_corrected_text_grades_nothing_again_and_is_no_students_answer(room, walls):
    grade(room.course, room.module)
    write_source(room.workspace, WRONG, TEXT, ANSWER)
    assert room.here("release", "07", "--correct")[0] == 0
    said = room.here("autograde", "07")[1]
    assert re.search(r"^ann .* unchanged .*\nbob .* unchanged ", said, re.MULTILINE)
    why = (room.module.stem, "q_why")
    assert answer_to(room.course, room.module, "bob", why) == ""
    assert answer_to(room.course, room.module, "ann", why) == "Aliasing."


def test_what_a_student_left_of_an_earlier_edition_is_not_the_students_own(room):
    write_source(room.workspace, TEST, TEXT, STUB, ANSWER)
    assert room.here("release", "07", "--correct")[0] == 0
    earlier = earlier_editions(room.course.root, "07_tiny", "tiny_dev")
    now = read_own(room.course.released(room.module).read_text(encoding="utf-8"))
    fresh = rebuild(read_any(json.dumps(now)), now)
    left = rebuild(read_any(room.notebook("bob").read_text(encoding="utf-8")), now, earlier)
    assert left == fresh
    assert answer_in(left, "q_why", now) == ""
    mine = rebuild(read_any(room.notebook("ann").read_text(encoding="utf-8")), now, earlier)
    assert "return 2 * x" in next(c for c in mine.cells if c.id == "double").source
    assert answer_in(mine, "q_why", now) == "Aliasing."


def cells(*words: str) -> list:
    """Cells "name=text", or "text" for one without a name."""
    made = []
    for word in words:
        name, equals, text = word.rpartition("=")
        flags = {"nbgrader": {"grade_id": name}} if equals else {}
        made.append({"cell_type": "markdown", "id": word, "metadata": flags, "source": text})
    return made


@pytest.mark.parametrize(
    ("earlier", "later", "want"),
    [
        (["a", "x=1", "b"], ["a", "x=2", "c"], [("a", "a"), ("1", "2"), ("b", "c")]),
        (["x=1", "y=2"], ["y=2", "x=1"], [("2", "2"), ("1", "1")]),
        (["a", "b"], ["new", "a", "b"], [(None, "new"), ("a", "a"), ("b", "b")]),
        (["a", "x=1", "b"], ["a", "x=1"], [("a", "a"), ("1", "1"), ("b", None)]),
    ],
)
def test_cells_are_matched_by_name_or_by_text_and_place(earlier, later, want):
    pairs = aligned(cells(*earlier), cells(*later))
    assert [tuple(one and one["source"] for one in pair) for pair in pairs] == want

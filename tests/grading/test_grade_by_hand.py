"""The answer to a question passes through release, submission and autograde, and a person grades
it: in a list, by rubric items; and the review of a submission.
"""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.engine.marks import grade_by_hand as marking
from grading.engine.marks.answer_text import answer_in
from grading.engine.marks.answers_to_grade import Answer, question_of
from grading.engine.marks.export_tables import marks
from grading.engine.marks.reviewed_submissions import Reviews
from grading.engine.marks.rubric import Item, Rubric
from helpers.tiny_course import cell_of
from tito.errors import WorkError


def question(room):
    return question_of(room.course, room.module, "q_why")


def answer_of(room, student: str) -> Answer:
    return next(answer for answer in question(room).answers if answer.student == student)


def waiting(room) -> dict[tuple[str, str], marking.Waiting]:
    found = marking.waiting(room.course, room.module)
    return {(entry.student, entry.grade_id): entry for entry in found}


def mark(room, *words: str) -> tuple[int, str]:
    return room.here("mark", *words)


def test_an_answer_reaches_the_grader_with_its_question_and_mark_scheme(class_of_tiny):
    entry = waiting(class_of_tiny)["finished", "q_why"]
    typed, written = entry.answer.split("\n\n", 1)
    # nbgrader restores a locked cell; text that was typed into it is kept in a cell below
    assert typed == "Typed into the locked cell."
    assert written.startswith("Because the *caller* may change the list.")
    assert entry.prompt == "Why does a box copy its things?"
    assert entry.mark_scheme == "Two points for aliasing, two for iterators."
    executed = class_of_tiny.executed("finished")
    assert "Because the *caller* may change the list." in json.dumps(executed)
    assert "Typed into the locked cell." not in "".join(cell_of(executed, "q-why")["source"])
    code, text = mark(class_of_tiny, "finished")
    assert code == 0 and "Because the *caller*" in text and "Two points for aliasing" in text
    assert f"tito grade mark finished q_why POINTS --course {class_of_tiny.course.root}" in text
    assert text.endswith("1 grade waits for a person\n")


def test_an_answer_to_one_question_is_not_shown_as_that_to_another():
    from grading.engine.nbgrader.import_nbgrader import nbformat

    def notebook(first, second):
        cells = []
        for name, text in (("q-one", first), ("q-two", second)):
            flags = {"grade_id": name.replace("-", "_"), "task": True}
            question = nbformat.v4.new_markdown_cell(f"{name}?", metadata={"nbgrader": flags})
            answer = nbformat.v4.new_markdown_cell(text, id=f"answer-{name}")
            cells += [question, answer]
        return nbformat.v4.new_notebook(cells=cells)

    released = notebook("*Your answer here.*", "*Your answer here.*")
    work = notebook("*Your answer here.*", "Only this one.")
    assert answer_in(work, "q_one", released) == ""
    assert answer_in(work, "q_two", released) == "Only this one."
    work.cells.append(nbformat.v4.new_markdown_cell("In a cell of my own."))
    assert answer_in(work, "q_one", released) == "In a cell of my own."


@pytest.mark.parametrize(
    "words, said",
    [
        # "--" keeps argparse from reading -1 as an option
        *(
            (("--", "stub", "q_why", points), "between 0 and 4")
            for points in "-1 4.5 nan inf".split()
        ),
        (("nobody", "q_why", "1"), "nobody"),
        (("stub", "q_nothing", "1"), "q_nothing"),
        (("stub", "q_why"), ""),
        (("@nobody00", "q_why", "1"), "the handle of no answer"),
        (("--question", "q_nothing"), "no cell with points is called 'q_nothing'"),
        (("--anonymous",), "belong to one question"),
        (("copied", "q_why", "--items", "a"), "there are: none yet"),
        (("copied", "q_why", "1", "--items", "a"), "a grade is STUDENT QUESTION POINTS, or"),
        (("--question", "q_why", "--add", "A", "1", "x"), "a key is a lower-case letter"),
        (("--question", "q_why", "--add", "a", "one", "x"), "points are a number; got 'one'"),
        (("--question", "q_why", "--add", "a", "nan", "x"), "points are a number; got nan"),
        (("--reviewed",), "a review is of one student"),
        (("nobody", "--reviewed"), "nobody"),
    ],
)
def test_what_cannot_be_done_is_said_with_the_next_command(class_of_tiny, words, said):
    code, text = mark(class_of_tiny, *words)
    assert code == 2 and said in text and ("Try:" in text or "tito grade" in text)
    assert class_of_tiny.grade("stub", "q_why")["manual_score"] is None


def test_all_answers_come_in_one_order_with_names_or_handles_that_can_be_marked(own_class):
    listed = question(own_class).answers
    names, handles = ([getattr(one, name) for one in listed] for name in ("student", "handle"))
    assert names != sorted(names) and len({*handles}) == len(names) > 3
    for options, shown in (((), names), (("--anonymous",), handles)):
        code, text = mark(own_class, "--question", "q_why", *options)
        assert code == 0 and re.findall(r"^== (.*)$", text, re.M) == shown
    one = answer_of(own_class, "copied")
    assert mark(own_class, one.handle, "q_why", "2") == (0, f"{one.handle} q_why: 2 of 4\n")
    assert own_class.grade("copied", "q_why")["manual_score"] == 2


def test_an_edited_item_is_offered_to_all_who_have_it(own_class):
    """The limits of the question are kept, and so is what else was said."""
    item = ("--question", "q_why", "--add", "a")
    mark(own_class, *item, "1.5", "Names the copy.")
    mark(own_class, "--question", "q_why", "--add", "b", "0.5", "Ends well.")
    said = mark(own_class, "copied", "q_why", "--items", "a,b", "--comment", "Short.")
    assert said == (0, "copied q_why: 2 of 4\n")
    edited = (*item, "9", "Names it.", "--replace")
    code, text = mark(own_class, *edited)
    assert code == 0 and "copied               2 -> 4 of 4" in text and "--apply" in text
    one = answer_of(own_class, "copied")
    assert (one.points, one.comment) == (2, "Names the copy.\nEnds well.\nShort.")
    mark(own_class, *item, "1.5", "Names the copy.", "--replace")
    assert "1 grade changed" in mark(own_class, *edited, "--apply")[1]
    one = answer_of(own_class, "copied")
    assert (one.points, one.comment) == (4, "Names it.\nEnds well.\nShort.")
    assert "->" not in mark(own_class, *edited)[1]


def test_all_empty_answers_get_their_points_at_once(own_class):
    empty = [one.student for one in question(own_class).waiting if not one.text]
    assert len(empty) > 1
    code, text = mark(own_class, "--question", "q_why", "--empty", "0")
    assert (code, text) == (0, f"{len(empty)} empty answers: 0 points each\n")
    assert {answer_of(own_class, student).points for student in empty} == {0}
    assert all(one.text for one in question(own_class).waiting)


def test_a_rubric_that_is_no_rubric_is_refused_and_kept(own_class):
    path = Rubric(own_class.course, own_class.module, "q_why").path
    path.parent.mkdir(parents=True)
    path.write_text("[1, 2", encoding="utf-8")
    with pytest.raises(WorkError, match="a rubric is JSON such as"):
        Rubric(own_class.course, own_class.module, "q_why")
    assert path.read_text(encoding="utf-8") == "[1, 2"


def rubric_of(items: dict[str, Item]) -> Rubric:
    """A rubric that is in no file."""
    rubric = Rubric.__new__(Rubric)
    rubric.question, rubric.items = "q", items
    return rubric


KEYS = st.lists(st.sampled_from("abcd"), max_size=6)


@given(points=st.tuples(*[st.floats(-5, 5)] * 4), keys=KEYS, most=st.floats(0, 10))
def test_items_add_up_within_the_questions_points_whatever_their_order(points, keys, most):
    rubric = rubric_of(
        {key: Item(number, f"about {key}") for key, number in zip("abcd", points, strict=True)}
    )
    got, comment = rubric.applied(keys, most)
    assert 0 <= got <= most
    assert got == pytest.approx(rubric.applied(keys[::-1], most)[0])
    assert sorted(comment.splitlines()) == sorted({f"about {key}" for key in keys})


# Reviews


def status(room, student: str) -> str:
    (row,) = [one for one in marks(room.course, room.module) if one.student == student]
    return row.status


def open_reviews(room) -> list[str]:
    return [one.student for one in Reviews(room.course, room.module).still_open()]


def test_a_review_clears_a_submission_until_it_or_its_result_changes(own_class):
    """The machine's grades wait no longer; answers still do."""
    name = open_reviews(own_class)[0]
    before = own_class.report(name)
    scores = {row["grade_id"]: own_class.grade(name, row["grade_id"]) for row in before["cells"]}
    assert status(own_class, name) == "needs_review"
    code, text = mark(own_class, name, "--reviewed", "--comment", "An honest timeout.")
    assert code == 0 and "looked at: " in text
    assert status(own_class, name) == "graded"
    assert f"== {name} needs a person" not in mark(own_class)[1]
    assert own_class.report(name) == before  # what was found stays on record
    for grade_id, was in scores.items():
        now, question = own_class.grade(name, grade_id), was["auto_score"] is None
        assert now["auto_score"] == was["auto_score"]
        assert now["needs_manual_grade"] == (was["needs_manual_grade"] and question)
    path = own_class.course.report(name, own_class.module)
    for change in ({"content": "other"}, {"reasons": ["another reason"]}):
        path.write_text(json.dumps({**before, **change}), encoding="utf-8")
        assert status(own_class, name) == "needs_review"
    path.write_text(json.dumps(before), encoding="utf-8")
    assert status(own_class, name) == "graded"


def test_a_long_list_names_each_question_with_its_command(own_class, monkeypatch):
    from grading.commands import mark as verb

    monkeypatch.setattr(verb, "FEW", 100)
    code, text = mark(own_class)
    assert code == 0 and "-- mark scheme" in text and "ended while test_box ran" in text
    for name in open_reviews(own_class):
        assert f"== {name} needs a person: " in text
        assert f"tito grade mark {name} --reviewed" in text
    monkeypatch.setattr(verb, "FEW", 1)
    code, text = mark(own_class)
    assert code == 0 and "-- mark scheme" not in text
    assert f"in q_why: tito grade mark --question q_why --course {own_class.course.root}" in text
    assert "in cells that the machine grades, of the submissions above" in text
    # what needs a person as a whole comes before the questions
    assert text.index("--reviewed") < text.index("in q_why")

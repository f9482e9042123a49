"""The answer to a question passes through release, submission and autograde, and a person grades
it: in a list, by rubric items, in a terminal; and the review of a submission.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.engine.marks import grade_by_hand as marking
from grading.engine.marks.answer_text import answer_in
from grading.engine.marks.answers_to_grade import Answer, Question, question_of
from grading.engine.marks.by_hand_record import Given
from grading.engine.marks.export_tables import marks
from grading.engine.marks.marking_in_a_terminal import Conversation
from grading.engine.marks.reviewed_submissions import Reviews
from grading.engine.marks.rubric import Item, Rubric
from helpers.tiny_course import cell_of
from tito.errors import UsageError, WorkError


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


def test_a_grade_and_its_comment_are_kept_and_no_longer_wait(own_class):
    said = mark(own_class, "copied", "q_why", "3", "--comment", "Well said.")
    assert said == (0, "copied q_why: 3 of 4\n")
    grade = own_class.grade("copied", "q_why")
    assert (grade["manual_score"], grade["needs_manual_grade"]) == (3, False)
    assert answer_of(own_class, "copied").comment == "Well said."
    assert ("copied", "q_why") not in waiting(own_class)


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


def test_items_are_written_once_and_applied_by_their_keys(own_class):
    assert mark(own_class, "--question", "q_why", "--add", "a", "1.5", "Names the copy.")[0] == 0
    assert mark(own_class, "--question", "q_why", "--add", "b", "2", "Names an iterator.")[0] == 0
    code, text = mark(own_class, "copied", "q_why", "--items", "a,b", "--comment", "Short.")
    assert (code, text) == (0, "copied q_why: 3.5 of 4\n")
    one = answer_of(own_class, "copied")
    assert (one.points, one.comment) == (3.5, "Names the copy.\nNames an iterator.\nShort.")


def test_an_edited_item_is_offered_to_all_who_have_it(own_class):
    """The limits of the question are kept, and so is what else was said."""
    item = ("--question", "q_why", "--add", "a")
    mark(own_class, *item, "1.5", "Names the copy.")
    mark(own_class, "copied", "q_why", "--items", "a", "--comment", "Short.")
    edited = (*item, "9", "Names it.", "--replace")
    code, text = mark(own_class, *edited)
    assert code == 0 and "copied               1.5 -> 4 of 4" in text and "--apply" in text
    one = answer_of(own_class, "copied")
    assert (one.points, one.comment) == (1.5, "Names the copy.\nShort.")
    mark(own_class, *item, "1.5", "Names the copy.", "--replace")
    assert "1 grade changed" in mark(own_class, *edited, "--apply")[1]
    one = answer_of(own_class, "copied")
    assert (one.points, one.comment) == (4, "Names it.\nShort.")
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


# In a terminal


ANSWERS = tuple(Answer(name, f"@{name}", f"{name} says", None, "") for name in ("ann", "bob"))
ASKED = Question("q", "Why?", "One point.", 2.0, ANSWERS)


class Talk:
    """Types lines, and keeps what is given and what is shown. An exception is a key such as Ctrl-C;
    after the last line comes Ctrl-D.
    """

    def __init__(self, tmp_path, *lines: str | BaseException):
        self.lines, self.given, self.shown = list(lines), [], []
        self.rubric = rubric_of({})
        self.rubric.path = tmp_path / "q.json"

    def give(self, answer, points, comment) -> None:
        if not 0 <= points <= 2:
            raise UsageError("points lie between 0 and 2")
        self.given.append((answer.student, points, comment))

    def ask(self, prompt: str) -> str:
        line = self.lines.pop(0) if self.lines else EOFError()
        if isinstance(line, str):
            return line
        raise line

    def run(self, answers=ANSWERS, *, anonymous: bool = False) -> int:
        say = self.shown.append
        talk = Conversation(ASKED, self.rubric, self.give, self.ask, say, anonymous)
        return talk.hold(answers)


def test_points_with_a_comment_and_items_are_given_one_after_the_other(tmp_path):
    talk = Talk(tmp_path, "1.5 Nearly.", "+ a 2 All of it.", "a")
    assert talk.run() == 2
    assert talk.given == [("ann", 1.5, "Nearly."), ("bob", 2.0, "All of it.")]
    assert any("+2  All of it." in shown for shown in talk.shown)


def test_equal_answers_are_shown_once_and_graded_together(tmp_path):
    """Equal but for spaces and case; one that was changed since its grade is looked at alone."""
    texts = ("It copies. ", "No.", "it  COPIES.", "It copies.")
    people = [
        Answer(name, f"@{name}", text, None, "") for name, text in zip("abcd", texts, strict=True)
    ]
    people[3] = replace(people[3], last=Given("n", "q", points=1, changed=True))
    for anonymous, names in ((False, "a, c"), (True, "@a, @c")):
        talk = Talk(tmp_path, "2", "0", "q")
        assert talk.run(people, anonymous=anonymous) == 3
        assert talk.given == [("a", 2.0, None), ("c", 2.0, None), ("b", 0.0, None)]
        assert f"1 to 2 of 4  {names} (2 equal answers)" in talk.shown[0]
        assert f"4 of 4  {'@' * anonymous}d" in talk.shown[-1]


def test_what_cannot_be_given_is_said_and_asked_again(tmp_path):
    talk = Talk(tmp_path, "7", "zz", "+ a", "?", "1", "")
    assert talk.run() == 1 and talk.given == [("ann", 1.0, None)]
    said = "\n".join(talk.shown)
    for text in ("between 0 and 2", "no item of q is called 'zz'", "an item is + KEY", "stops;"):
        assert text in said


@pytest.mark.parametrize("end", [["q"], [], [KeyboardInterrupt()]])
def test_what_was_given_before_the_end_is_kept(tmp_path, end):
    talk = Talk(tmp_path, "1", *end)
    assert talk.run() == 1 and talk.given == [("ann", 1.0, None)]


# Reviews


def status(room, student: str) -> str:
    (row,) = [one for one in marks(room.course, room.module) if one.student == student]
    return row.status


def open_reviews(room) -> list[str]:
    return [one.student for one in Reviews(room.course, room.module).still_open()]


def test_a_review_clears_a_submission_until_it_or_its_result_changes(own_class):
    name = open_reviews(own_class)[0]
    before = own_class.report(name)
    assert status(own_class, name) == "needs_review"
    code, text = mark(own_class, name, "--reviewed", "--comment", "An honest timeout.")
    assert code == 0 and "looked at: " in text
    assert status(own_class, name) == "graded"
    assert f"== {name} needs a person" not in mark(own_class)[1]
    assert own_class.report(name) == before  # what was found stays on record
    path = own_class.course.report(name, own_class.module)
    for change in ({"content": "other"}, {"reasons": ["another reason"]}):
        path.write_text(json.dumps({**before, **change}), encoding="utf-8")
        assert status(own_class, name) == "needs_review"
    path.write_text(json.dumps(before), encoding="utf-8")
    assert status(own_class, name) == "graded"


def test_machine_grades_of_a_reviewed_submission_wait_no_longer_and_answers_still_do(own_class):
    name = open_reviews(own_class)[0]
    scores = {
        row["grade_id"]: own_class.grade(name, row["grade_id"])
        for row in own_class.report(name)["cells"]
    }
    mark(own_class, name, "--reviewed")
    for grade_id, before in scores.items():
        after = own_class.grade(name, grade_id)
        assert after["auto_score"] == before["auto_score"]
        machine = before["auto_score"] is not None
        assert after["needs_manual_grade"] == (before["needs_manual_grade"] and not machine)


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

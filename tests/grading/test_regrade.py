"""A regrade request arrives as a cell or as a file, waits beside the answer, and is closed with a
sentence that the student reads.
"""

from __future__ import annotations

import html
import json

import pytest

from grading.engine.marks import feedback
from grading.engine.marks.answers_to_grade import question_of
from grading.engine.regrade_requests import in_notebook, same_work
from helpers.inboxes import put

CELL = "**Regrade q_why:** I name the list."
FILE = "\ufeffRegrade q_why:\r\nTwo reasons.\r\n\r\nregrade test_double: It is right.\n"


def asking(room, student: str, text: str = CELL, **changes) -> str:
    """The submission of a student with a text cell more."""
    notebook = json.loads(room.notebook(student).read_text(encoding="utf-8"))
    cell = {"cell_type": "markdown", "id": "asks", "metadata": {}, "source": text}
    return json.dumps({**notebook, "cells": [*notebook["cells"], cell], **changes})


def page_of(room, student: str) -> str:
    (page,) = feedback.feedback(room.course, room.module, students=[student])
    return html.unescape(page.read_text(encoding="utf-8"))


def test_a_request_waits_beside_the_answer_until_a_sentence_closes_it(own_class, inbox):
    room = own_class
    handed_in = {
        path: path.read_bytes()
        for path in room.course.root.glob("submitted/*/*/*")
        if path.is_file()
    }
    put(inbox / "finished.ipynb", asking(room, "finished"))
    put(inbox / "copied" / "regrade.txt", FILE)
    put(inbox / "nobody-regrade.md", "Please look again.")
    lines = room.collect(inbox)
    found = {(line.student, line.status) for line in lines if line.status != "missing"}
    asked = {("finished", "unchanged"), ("finished", "request"), ("copied", "request")}
    assert found == asked | {("nobody", "request")}
    assert all(path.read_bytes() == data for path, data in handed_in.items())
    assert "request" not in {line.status for line in room.collect(inbox)}  # it is known by now

    said = room.here("mark", "finished")[1]
    assert "finished asks for a regrade of q_why" in said and "I name the list." in said
    assert "Because the *caller* may change the list." in said
    (answer,) = (
        one
        for one in question_of(room.course, room.module, "q_why").waiting
        if one.student == "copied"
    )
    assert [one.text for one in answer.requests] == ["Two reasons."]
    assert "A person will look at it." in page_of(room, "copied")

    words = ("finished", "q_why", "3", "--comment", "You do name it.")
    assert room.here("mark", *words) == (0, "finished q_why: 3 of 4\n")
    assert room.here("mark", "copied", "test_double", "--comment", "The test stands.")[0] == 0
    assert "“I name the list.” You do name it." in page_of(room, "finished")
    assert "“It is right.” The test stands." in page_of(room, "copied")
    assert room.grade("copied", "test_double")["manual_score"] is None
    assert "a regrade of" not in room.here("mark", "finished")[1]
    code, text = room.here("mark", "copied", "test_double", "--comment", "Again.")
    assert code == 2 and "none is open for test_double" in text


def test_a_notebook_that_also_changes_something_else_is_a_new_submission(own_class, inbox):
    other = asking(own_class, "finished", "## Regrade q_why: Look.").replace("caller", "reader")
    put(inbox / "finished.ipynb", other)
    lines = {line.status for line in own_class.collect(inbox) if line.student == "finished"}
    assert lines == {"request", "replaced"}


@pytest.mark.parametrize("data", [b"regrade", b'{"cells": 3, "regrade": 1}', b'["regrade"]'])
def test_what_is_no_notebook_asks_nothing_and_is_no_other_work(data):
    assert in_notebook(data) == [] and not same_work(data, data + b" ")

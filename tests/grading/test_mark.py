"""The answer to a question passes through release, submission and autograde, and a person grades
it.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
import urllib.request

import pytest
from patience import PATIENCE_SECONDS
from tiny_course import cell_of

from grading.engine.marks import mark as marking
from grading.engine.marks.answer_text import answer_in


def test_an_answer_reaches_the_grader_with_its_question_and_mark_scheme(class_of_tiny):
    (entry,) = [
        e
        for e in marking.waiting(class_of_tiny.course, class_of_tiny.module)
        if (e.student, e.grade_id) == ("finished", "q_why")
    ]
    typed, written = entry.answer.split("\n\n", 1)
    # nbgrader restores a locked cell; text that was typed into it is kept in a cell below
    assert typed == "Typed into the locked cell."
    assert written.startswith("Because the *caller* may change the list.")
    assert entry.prompt == "Why does a box copy its things?"
    assert entry.mark_scheme == "Two points for aliasing, two for iterators."
    executed = json.loads(
        class_of_tiny.course.autograded("finished", class_of_tiny.module).read_text(
            encoding="utf-8"
        )
    )
    assert "Because the *caller* may change the list." in json.dumps(executed)
    assert "Typed into the locked cell." not in "".join(cell_of(executed, "q-why")["source"])


def test_an_answer_to_one_question_is_not_shown_as_that_to_another():
    from grading.engine.nbgrader.library import nbformat

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


def test_the_listing_shows_answer_and_command(class_of_tiny):
    code, text = class_of_tiny.tito("mark", "finished", "--course", str(class_of_tiny.course.root))
    assert code == 0 and "Because the *caller*" in text and "Two points for aliasing" in text
    assert f"tito grade mark finished q_why POINTS --course {class_of_tiny.course.root}" in text
    assert text.endswith("1 grade waits for a person\n")


@pytest.mark.parametrize("points", ["-1", "4.5", "nan", "inf"])
def test_points_outside_the_range_are_refused(class_of_tiny, points):
    # "--" keeps argparse from reading -1 as an option
    code, text = class_of_tiny.tito(
        "mark", "--course", str(class_of_tiny.course.root), "--", "stub", "q_why", points
    )
    assert code == 2 and "between 0 and 4" in text
    assert class_of_tiny.grade("stub", "q_why")["manual_score"] is None


def test_a_grade_and_its_comment_are_kept_and_no_longer_wait(own_class):
    code, text = own_class.tito(
        "mark",
        "copied",
        "q_why",
        "3",
        "--comment",
        "Well said.",
        "--course",
        str(own_class.course.root),
    )
    assert (code, text) == (0, "copied q_why: 3 of 4\n")
    grade = own_class.grade("copied", "q_why")
    assert (grade["manual_score"], grade["needs_manual_grade"]) == (3, False)
    assert ("copied", "q_why") not in [
        (e.student, e.grade_id) for e in marking.waiting(own_class.course, own_class.module)
    ]


@pytest.mark.parametrize(
    "arguments", [("nobody", "q_why", "1"), ("stub", "q_nothing", "1"), ("stub", "q_why")]
)
def test_a_grade_for_nothing_is_wrong_usage(class_of_tiny, arguments):
    assert (
        class_of_tiny.tito("mark", *arguments, "--course", str(class_of_tiny.course.root))[0] == 2
    )


def test_formgrader_opens_on_the_course(class_of_tiny):
    command = [
        sys.executable,
        "-c",
        (
            "import argparse, sys; from grading.commands import formgrade as f; p ="
            " argparse.ArgumentParser();f.add_arguments(p); sys.exit(f.run(p.parse_args()))"
        ),
        "--no-browser",
        "--course",
        str(class_of_tiny.course.root),
    ]
    server = subprocess.Popen(
        command,
        cwd=class_of_tiny.workspace.root,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        address = re.search(r"http://\S+", server.stdout.readline()).group()
        page = fetch(
            address.replace("/manage_assignments?", "/api/submissions/07_tiny?"), seconds=90
        )
        names = {row["student"]: row for row in json.loads(page)}
        assert names["finished"]["score"] == 7 and names["killer"]["needs_manual_grade"]
        assert "<title>nbgrader formgrade</title>" in fetch(address, seconds=PATIENCE_SECONDS)
    finally:
        server.terminate()
        server.wait(PATIENCE_SECONDS)
        server.stdout.close()


def fetch(address: str, seconds: float) -> str:
    stop = time.monotonic() + seconds
    while True:
        try:
            with urllib.request.urlopen(address, timeout=seconds) as answer:
                return answer.read().decode("utf-8")
        except OSError:
            if time.monotonic() > stop:
                raise
            time.sleep(0.2)

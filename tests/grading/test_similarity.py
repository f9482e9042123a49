"""Similar submissions: copies with other names are found; released text and code that everybody
writes are not.
"""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

from grading.engine.code_fingerprints import fingerprints
from grading.engine.marks import similarity
from grading.engine.pages.similar_page import similar_page
from helpers.inboxes import put
from helpers.tiny_course import fill
from helpers.written_marks import blank

RIGHT = [*Path(__file__).resolve().parents[2].glob("grading/modules/*/right")]
LONG = """total = 0
    for place, value in enumerate([x, x]):
        if place % 2 == 0:
            total = total + value
        else:
            total = total - (-value)
    values = [total for _ in range(3)]
    return max(values) if values else None"""
COPY = """# mine
    summe = 0
    for i, v in enumerate([x,
                           x]):
        if i % 2 == 0:  # even
            summe = summe + v
        else:
            summe = summe - (-v)
    alle = [summe for k in range(3)]
    return max(alle) if alle else None"""
SAME = "A box keeps its own list, because whoever made it may change theirs later on."


@pytest.fixture(scope="module")
def made(workspace, released, tmp_path_factory):
    room = blank(workspace, tmp_path_factory.mktemp("similar"))
    for student, double, answer in (
        ("ann", LONG, SAME),
        ("bob", COPY, "Iterators can be read once only, and then nothing is left in them."),
        ("cid", "return 2 * x", SAME.upper()),
        ("dee", "return 2 * x", "Short."),
        ("eve", "return x + x", "Short."),
    ):
        write(room, student, fill(released, double=double, answer=answer))
    return room


@pytest.fixture
def room(made, tmp_path):
    return made.copy(tmp_path)


def write(room, student: str, notebook: dict) -> None:
    put(room.notebook(student), json.dumps(notebook))


def test_a_renamed_reformatted_commented_copy_is_on_top(made):
    groups, pairs, _ = similarity.similar(made.course, made.module)
    assert groups == [] and len(pairs) == 2
    assert (pairs[0].first, pairs[0].second, pairs[0].share) == ("ann", "bob", 1.0)
    assert pairs[0].cells[0] == "tiny_dev/double"
    # the same answer is listed; short or released ones are not
    assert [(pair.first, pair.second, pair.answers) for pair in pairs if pair.answers] == [
        ("ann", "cid", ("tiny_dev/answer-q-why",))
    ]


def test_a_solution_of_a_third_of_the_class_is_one_group_with_its_size(room, released):
    for student in ("fay", "gus", "hal", "ida"):
        code = LONG.replace("total", f"sum_of_{student}")
        write(room, student, fill(released, double=code, answer=f"Of {student}. {SAME}"))
    for student in ("joe", "kim", "lea"):
        write(room, student, fill(released, double=f"return {student} * x", answer="-"))
    groups, pairs, works = similarity.similar(room.course, room.module)
    copied = ("ann", "bob", "fay", "gus", "hal", "ida")
    assert len(works) == 12
    assert [(group.students, group.cells) for group in groups] == [(copied, ("tiny_dev/double",))]
    assert {name for pair in pairs for name in (pair.first, pair.second)} <= {"ann", "cid"}
    page = similar_page(room.module, groups, pairs, works)
    assert "6 of 12 wrote the same in tiny_dev/double" in page


@pytest.mark.skipif(not RIGHT, reason="this copy of the course has no right solutions")
def test_solutions_written_on_their_own_are_less_alike_than_a_copy():
    shares = [
        len(a & b) / min(len(a), len(b))
        for module in RIGHT
        for a, b in itertools.combinations(
            [fingerprints(path.read_text(encoding="utf-8")) for path in module.glob("*.py")], 2
        )
    ]
    assert len(shares) > 20 and max(shares) < 0.5


def test_the_page_is_no_verdict(room):
    write(room, "odd", {"cells": [3, {"metadata": 4}]})
    code, text = room.here("similar", "07")
    page = (room.course.reports(room.module) / "similar.html").read_text(encoding="utf-8")
    assert code == 0 and "no verdict" in text and "100 %" in text
    for said in ("not a verdict", "<mark>", "default-src 'none'"):
        assert said in page

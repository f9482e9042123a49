"""Similar submissions: copies with other names are found; released text and code that everybody
writes are not.
"""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest
from paper import blank, hand_in
from tiny_course import fill

from grading.engine.fingerprints import fingerprints
from grading.engine.marks import similarity
from grading.engine.pages.similar_page import similar_page

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
OTHER = (
    "steps = iter((x, x))\n    found = next(steps)\n    while True:\n        try:\n           "
    " found += next(steps)\n        except StopIteration:\n            return found"
)


@pytest.fixture
def room(workspace, released, tmp_path):
    made = blank(workspace, tmp_path)
    same = "A box keeps its own list, because whoever made it may change theirs later on."
    for student, double, answer in (
        ("ann", LONG, same),
        ("bob", COPY, "Iterators can be read once only, and then nothing is left in them."),
        ("cid", OTHER, same.upper()),
        ("dee", "return 2 * x", "Short."),
        ("eve", "return x + x", "Short."),
    ):
        hand_in(made, student, notebook=fill(released, double=double, answer=answer))
    return made


def test_a_renamed_reformatted_commented_copy_is_on_top(room):
    groups, pairs, _ = similarity.similar(room.course, room.module)
    assert groups == []
    assert (pairs[0].first, pairs[0].second, pairs[0].share) == ("ann", "bob", 1.0)
    assert pairs[0].cells[0] == "tiny_dev/double"


def test_the_same_answer_is_listed_and_short_or_released_ones_are_not(room):
    _, pairs, _ = similarity.similar(room.course, room.module)
    assert [(pair.first, pair.second, pair.answers) for pair in pairs if pair.answers] == [
        ("ann", "cid", ("tiny_dev/answer-q-why",))
    ]
    assert len(pairs) == 2


def test_a_solution_of_a_third_of_the_class_is_one_group_with_its_size(room, released):
    same = "A box keeps its own list, because whoever made it may change theirs later on."
    for student in ("fay", "gus", "hal", "ida"):
        code = LONG.replace("total", f"sum_of_{student}")
        hand_in(room, student, notebook=fill(released, double=code, answer=f"Of {student}. {same}"))
    for student in ("joe", "kim", "lea"):
        hand_in(room, student, notebook=fill(released, double=f"return {student} * x", answer="-"))
    groups, pairs, works = similarity.similar(room.course, room.module)
    copied = ("ann", "bob", "fay", "gus", "hal", "ida")
    assert len(works) == 12
    assert [(group.students, group.cells) for group in groups] == [(copied, ("tiny_dev/double",))]
    assert {name for pair in pairs for name in (pair.first, pair.second)} <= {"ann", "cid"}
    page = similar_page(room.module, groups, pairs, works)
    assert "6 of 12 wrote the same in tiny_dev/double" in page


def test_order_matters_and_names_comments_docstrings_do_not():
    one = (
        'def f(a, b):\n    """Doc."""\n    c = a * b + 1\n    d = [c for _ in range(b) if a]\n   '
        " return d, c\n"
    )
    assert (
        fingerprints(one)
        == fingerprints(
            one.replace("a", "zz").replace('"""Doc."""', '"other"').replace("rzznge", "r")
        )
        != frozenset()
    )
    swapped = (
        "def f(a, b):\n    d = [a for _ in range(b) if a]\n    c = a * b + 1\n    return d, c\n"
    )
    assert fingerprints(swapped) != fingerprints(one)


@pytest.mark.skipif(not RIGHT, reason="this copy of the course has no right solutions")
def test_solutions_written_on_their_own_are_less_alike_than_a_copy():
    shares = [
        len(a & b) / min(len(a), len(b))
        for module in RIGHT
        for a, b in itertools.combinations(map(_prints, module.glob("*.py")), 2)
    ]
    assert len(shares) > 20 and max(shares) < 0.5


def _prints(path):
    return fingerprints(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "source", ["def f(:\n  'x", "\x00", "(" * 5000, "%timeit f()\n!ls", "\tif x:\n  y"]
)
def test_damaged_code_is_no_crash(source):
    assert isinstance(fingerprints(source), frozenset)


def test_the_page_is_no_verdict_and_shows_code_as_text(room, released):
    evil = LONG.replace("total = 0", "total = 0 ; y = '<script>alert(1)</script>'", 1)
    for student in ("fay", "gus"):
        hand_in(room, student, notebook=fill(released, double=evil))
    (room.course.submitted("odd", room.module)).mkdir(parents=True)
    (room.course.submitted("odd", room.module) / "tiny_dev.ipynb").write_text(
        json.dumps({"cells": [3, {"metadata": 4}]}), encoding="utf-8"
    )
    code, text = room.tito("similar", "07", "--course", str(room.course.root))
    page = (room.course.reports(room.module) / "similar.html").read_text(encoding="utf-8")
    assert code == 0 and "no verdict" in text and "100 %" in text
    assert (
        "not a verdict" in page
        and "<script" not in page
        and "&lt;script&gt;" in page
        and "<mark>" in page
        and "default-src 'none'" in page
    )

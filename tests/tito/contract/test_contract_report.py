"""The report of a run: wherever it breaks off, every collected test has an outcome."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from grading.engine.results import contract_mark
from tito.contract import report
from tito.outcome import Outcome

STATUSES = st.sampled_from(["pass", "fail", "error", "timeout", "your_turn"])
GROUPS = ("a", "b")


@st.composite
def runs(draw: Any) -> str:
    """The text of a report: every collected test has its outcome, in order."""
    outcomes = draw(st.lists(st.tuples(st.sampled_from(GROUPS), STATUSES), max_size=8))
    file = io.StringIO()
    report.write_collected(file, [(group, "test_é") for group, _ in outcomes], seed=7)
    for number, (_, status) in enumerate(outcomes):
        report.write_outcome(file, number, Outcome(status))
    return file.getvalue()


def read(text: str, folder: Path) -> list[Outcome]:
    path = folder / "report.jsonl"
    path.write_text(text, encoding="utf-8")
    return report.read(path)


def points(tests: list[Outcome]) -> list[float]:
    return [
        contract_mark("n", group, 60.0, [test for test in tests if test.grade_id == group]).points
        for group in GROUPS
    ]


@given(runs(), st.data())
def test_a_run_that_is_cut_short_anywhere_earns_no_more_than_the_whole_run(
    tmp_path_factory: Any, text: str, data: Any
) -> None:
    folder = tmp_path_factory.getbasetemp()
    whole = read(text, folder)
    cut = read(text[: data.draw(st.integers(0, len(text)))], folder)
    assert len(cut) in (0, len(whole))
    assert [test.test for test in cut] == [test.test for test in whole[: len(cut)]]
    assert all(
        test.status in ("not_run", other.status) for test, other in zip(cut, whole, strict=False)
    )
    assert all(some <= every for some, every in zip(points(cut), points(whole), strict=True))


def test_a_run_without_a_report_has_no_tests(tmp_path: Path) -> None:
    assert report.read(tmp_path / "absent.jsonl") == []


PROMISES = ("One.", "Two.", "Three.")


@st.composite
def asked(draw: Any) -> Outcome:
    """A test that asks for promises, one after the other, until one is broken or it stops."""
    said = draw(st.lists(st.sampled_from(PROMISES), unique=True, max_size=3))
    end = draw(st.sampled_from(["pass", "fail", "timeout", "your_turn"]))
    broken = said.pop() if end == "fail" and said else None
    return Outcome(
        end, draw(st.sampled_from(["test_a", "test_b"])), promise=broken, kept=tuple(said)
    )


@given(st.lists(asked(), min_size=1, max_size=6))
def test_each_promise_weighs_one_however_many_tests_ask_for_it(tests: list[Outcome]) -> None:
    mark = contract_mark("n", "c", 3.0, tests, PROMISES)
    broken = {test.promise for test in tests if test.promise}
    solved = [test for test in tests if test.status != "your_turn"]
    kept = {promise for test in solved for promise in test.kept} - broken
    assert mark.points == len(kept)
    assert {one.promise for one in mark.tests if one.passed} == kept
    assert [one.promise for one in mark.tests] == list(PROMISES)
    assert contract_mark("n", "c", 3.0, tests * 3, PROMISES).points == mark.points


@given(st.lists(asked(), min_size=1, max_size=6), st.data())
def test_a_test_that_does_not_run_earns_nothing_for_its_promises(
    tests: list[Outcome], data: Any
) -> None:
    lost = data.draw(st.integers(0, len(tests) - 1))
    cut = [Outcome("not_run", one.test) if n == lost else one for n, one in enumerate(tests)]
    kept = {promise for one in cut for promise in one.kept}
    assert contract_mark("n", "c", 3.0, cut, PROMISES).points <= len(kept)

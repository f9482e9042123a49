"""The report of a run: wherever it breaks off, every collected test has an outcome."""

import io

from contract_kit import contract_run
from hypothesis import given
from hypothesis import strategies as st

from grading.engine.submission_marks import contract_mark
from tito.contract import outcome_file
from tito.outcome import Outcome

STATUSES = st.sampled_from(["pass", "fail", "error", "timeout", "your_turn"])
GROUPS = ("a", "b")


@st.composite
def runs(draw):
    """The text of a report: every collected test has its outcome, in order."""
    outcomes = draw(st.lists(st.tuples(st.sampled_from(GROUPS), STATUSES), max_size=8))
    file = io.StringIO()
    tests = [{"grade_id": group, "test": "test_é", "asks": ()} for group, _ in outcomes]
    outcome_file.write(file, {"collected": tests, "seed": 7})
    for number, (_, status) in enumerate(outcomes):
        outcome_file.write(file, {"number": number, **Outcome(status).as_json()})
    return file.getvalue()


def read(text, folder):
    path = folder / "report.jsonl"
    path.write_text(text, encoding="utf-8")
    return outcome_file.read(path)


def points(tests):
    return [
        contract_mark("n", group, 60.0, [test for test in tests if test.grade_id == group]).points
        for group in GROUPS
    ]


@given(runs(), st.data())
def test_a_run_that_is_cut_short_anywhere_earns_no_more_than_the_whole_run(
    tmp_path_factory, text, data
):
    folder = tmp_path_factory.getbasetemp()
    whole = read(text, folder)
    cut = read(text[: data.draw(st.integers(0, len(text)))], folder)
    assert len(cut) in (0, len(whole))
    assert [test.test for test in cut] == [test.test for test in whole[: len(cut)]]
    assert all(
        test.status in ("not_run", other.status) for test, other in zip(cut, whole, strict=False)
    )
    assert all(some <= every for some, every in zip(points(cut), points(whole), strict=True))


PROMISES = ("One.", "Two.", "Three.")


@st.composite
def asked(draw):
    """A test that asks for promises in turn, until one is broken or it ends without an answer."""
    names = draw(st.lists(st.sampled_from(PROMISES), unique=True, min_size=1))
    end = draw(st.sampled_from(["pass", "fail", "error", "timeout", "not_run", "your_turn"]))
    came = len(names) if end == "pass" else draw(st.integers(0, len(names) - (end == "fail")))
    broken = names[came] if end == "fail" else None
    name = draw(st.sampled_from(["test_a", "test_b"]))
    return Outcome(end, name, promise=broken, kept=tuple(names[:came]), asks=tuple(names))


@given(st.lists(asked(), min_size=1, max_size=6))
def test_a_promise_is_kept_if_each_test_that_names_it_came_to_a_verdict(tests):
    mark = contract_mark("n", "c", 3.0, tests, PROMISES)
    lost = {test.promise for test in tests if test.status == "fail"}
    for test in tests:
        if test.status not in ("pass", "fail"):
            lost |= {*test.asks}
    kept = {promise for test in tests for promise in test.kept} - lost
    assert mark.points == len(kept)
    assert {one.promise for one in mark.tests if one.passed} == kept
    assert [one.promise for one in mark.tests] == list(PROMISES)
    assert contract_mark("n", "c", 3.0, tests * 3, PROMISES).points == mark.points


def test_a_promise_is_read_from_a_helper_a_parameter_and_a_value(tmp_path):
    (tmp_path / "helper.py").write_text(HELPER, encoding="utf-8")
    first, second = contract_run(tmp_path, NAMING, "", "--collect-only")[0].values()
    shared = {"It is written out.", "It is in a helper.", "It is in a table.", "It is in a list."}
    shared |= {"It is in a module."}
    assert {*first.asks} == {*shared, "It is a parameter."}
    assert {*second.asks} == {*shared, "It is the other."}


NAMING = """
import helper, numpy, pytest
from helper import keeps
from tinytorch.testing import expect

TABLE = {1: ("It is in a table.",)}
pytestmark = pytest.mark.contract("c")

def here(got):
    return [expect(got, said) for said in ["It is in a list.", "It is in a list."]]

@pytest.mark.parametrize("said", ["It is a parameter.", "It is the other."])
def test_named(tt, said):
    def inner(): expect(tt.f(), "It is written out.")
    inner(), here(1), keeps(tt), helper.more(tt)
    expect(tt.g(), TABLE[1][0]), expect(numpy.ones(1), said)
"""
HELPER = """
from tinytorch.testing import expect
UNUSED = "Nobody names it here."
def keeps(tt): expect(tt, "It is in a helper.")
def more(tt): expect(tt, "It is in a module.")
"""

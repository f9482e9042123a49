"""tinytorch.testing: what the student sees, and what a script does after a broken promise."""

import contextlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.patience import python
from tinytorch import testing
from tinytorch.testing import (
    PromiseBroken,
    YourTurn,
    check,
    demo,
    expect,
    expect_raises,
)

ROOT = Path(__file__).resolve().parents[2]
PLAIN = st.integers() | st.text(max_size=20) | st.floats(allow_nan=False)
STUB = NotImplementedError("your turn: collate")


def raising(problem):
    def fails():
        raise problem

    return fails


def broken(**shown) -> list[str]:
    """The lines of a broken promise, below the promise itself."""
    with pytest.raises(PromiseBroken) as caught:
        expect(False, "Rule.", **shown)
    first, *rest = caught.value.lines()
    assert first == "✗ Rule." and all(len(line) <= 180 and "\n" not in line for line in rest)
    return rest


@pytest.mark.parametrize(
    "shown, lines",
    [
        (
            {"look": "f", "want": [0, 1], "got": [1, np.int64(1)], "call": "f(3)"},
            ["called    f(3)", "got       [1, 1]", "wanted    [0, 1]", "look at   f"],
        ),
        ({"got": np.int64(3), "want": 3}, ["got       3 (int64)", "wanted    3 (int)"]),
    ],
)
def test_a_broken_promise_is_short_lines_in_the_order_that_helps(shown, lines):
    assert broken(**shown) == [f"  {line}" for line in lines]


@given(got=PLAIN | st.text(min_size=200) | st.lists(st.integers(), min_size=200), want=PLAIN)
def test_a_long_value_stays_one_short_line_and_got_and_wanted_never_read_the_same(got, want):
    lines = broken(got=got, want=want)
    assert lines[0].split(maxsplit=1)[1:] != lines[1].split(maxsplit=1)[1:]
    assert broken(got=3, want=3)[1].endswith(testing.READS_THE_SAME)


KIND = "the kind of error: raise ValueError(...)"


@pytest.mark.parametrize(
    "problem, got, look",
    [
        (AssertionError("no"), "AssertionError: no", KIND),
        (ValueError("without the number"), "ValueError: without the number", "the check"),
        (None, "no error, but None", "the check"),
    ],
)
def test_an_expected_error_needs_its_type_and_its_words(problem, got, look):
    call = raising(problem) if problem else lambda: None
    with pytest.raises(PromiseBroken) as caught:
        expect_raises(ValueError, call, "Size 3 is refused.", says="size 3", look="the check")
    assert (caught.value.got, caught.value.look) == (got, look)
    expect_raises(ValueError, raising(ValueError("got size 3")), "Refused.", says=["SIZE", "3"])
    with pytest.raises(NotImplementedError, match="your turn"):  # a stub is never expected
        expect_raises(NotImplementedError, raising(STUB), "Refused.")


# check, in a notebook


def test_check_in_a_notebook_raises_and_names_the_hint_or_says_one_line(capsys):
    holds = True

    def test_two_promises():
        """A title"""
        assert expect(True, "First.") is None
        expect(holds, "Second.")

    check(test_two_promises)
    assert capsys.readouterr().out == "✓ A title: 2 promises kept\n"
    holds = False
    with pytest.raises(PromiseBroken) as caught:
        check(test_two_promises, hint="08 x")
    assert caught.value.lines()[-1].split() == ["more", "tito", "hint", "08", "x"]
    assert caught.value._render_traceback_()[-1].split() == ["more", "%hint", "08", "x"]
    below = caught.value.__traceback__.tb_next
    assert below is None or "test_two_promises" not in str(below.tb_frame)
    assert capsys.readouterr() == ("", "")


def half(x):
    return x.missing


class Asked:
    """Tests that fail by design; `check` knows a test by its name."""

    def test_below():
        expect(True, "The first rule.")
        got = half(4)
        expect(got == 2, "Half of four is two.", got=got)
        expect(got == 3, "Another rule.")

    def test_of_a_call():
        for number in (4, 6):
            shown = f"half({number})"
            expect(half(number) == 2, "Half of four is two.", call=f"got = {shown}")
        expect(True, "Another rule.")

    def test_of_a_useless_result():
        expect(len(None) == 2, "Half of four is two.")


MISSING = "AttributeError: 'int' object has no attribute 'missing'"
IN_HALF = "in half: return x.missing"


@pytest.mark.parametrize(
    "test, call, got, look",
    [
        (Asked.test_below, None, MISSING, IN_HALF),
        (Asked.test_of_a_call, "got = half(4)", MISSING, IN_HALF),
        (Asked.test_of_a_useless_result, None, "TypeError: object of type", "cannot use it"),
    ],
)
def test_an_error_of_the_code_is_the_promise_that_the_test_was_asking_about(test, call, got, look):
    with pytest.raises(PromiseBroken) as caught:
        check(test)
    found = caught.value
    assert (found.promise, found.want) == ("Half of four is two.", "no such error")
    assert found.call == call and found.got.startswith(got) and found.look.endswith(look)
    assert type(found.__cause__).__name__ in got


@pytest.mark.parametrize("place", [check, lambda test: demo("a look").__call__(test)()])
def test_a_stub_is_your_turn_and_another_error_stays_itself(place):
    with pytest.raises(YourTurn, match="collate"):
        place(raising(STUB))
    with pytest.raises(KeyError):
        place(raising(KeyError("label")))


def test_progress_counts_the_last_run_of_each_test(capsys, monkeypatch):
    monkeypatch.setattr(testing, "_results", {})
    testing.progress("Sums")
    answers = iter((False, False, True))

    def test_sum():
        """A sum"""
        expect(next(answers), "Kept.")

    def test_product():
        """A product"""

    check(test_product)
    for _ in range(3):
        with contextlib.suppress(PromiseBroken):
            check(test_sum)
        testing.progress("Sums")
    testing.finish()
    said = [line for line in capsys.readouterr().out.splitlines() if line and line[0] != "✓"]
    red = "Progress: Sums: 1 of the 2 tests so far pass; first red: A sum"
    begin, end = "Progress: Sums, no test has run yet", "Progress: Sums ✓"
    assert said == [begin, red, red, end, "2 of 2 tests pass"]


# check, in a script

SCRIPT = """
from tinytorch.testing import check, demo, expect, finish, progress
def test_good():
    expect(True, "Kept.")
def test_bad():
    expect(False, "Broken.", got=1, want=2)
def test_stub():
    raise NotImplementedError("your turn: f")
def test_crash():
    [][1]
with demo("a look"):
    raise NotImplementedError("your turn: cifar10._read_split")
with demo("a sum"):
    {}["a"]
for test in TESTS:
    check(test)
progress("Part")
finish()
print("after the end")
"""
ALL = "(test_good, test_bad, test_stub, test_crash, test_good)"


SAID = [
    "Demo: a look, left out: your turn: cifar10._read_split",
    "Demo: a sum, left out: KeyError: 'a'",
    *("✅ Kept.", "✗ Broken.", "your turn: f", "IndexError", "1 of 4 tests pass"),
    "Progress: Part: 1 of the 4 tests so far pass; first red: bad",
]


@pytest.mark.parametrize(
    "tests, encoding, code, said",
    [
        (ALL, "utf-8", 1, SAID),
        ("(test_good,)", "utf-8", 0, ["Progress: Part ✓", "after the end"]),
        ("(test_good, test_bad)", "cp1252", 1, ["[ok] Kept.", "[x] Broken."]),
    ],
)
def test_a_script_goes_on_after_a_failure_and_exits_with_1_at_the_end(
    tmp_path, tests, encoding, code, said
):
    path = tmp_path / "x_dev.py"
    path.write_text(SCRIPT.replace("TESTS", tests), encoding="utf-8")
    ended = python(path, encoding=encoding, PYTHONPATH=str(ROOT))
    assert (ended.returncode, ended.stderr) == (code, "")
    assert [text for text in said if text not in ended.stdout] == []
    assert ("after the end" in ended.stdout) == (code == 0)

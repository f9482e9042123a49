"""tinytorch.testing: what the student sees, and what a script does after a broken promise."""

import contextlib
import io
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from patience import PATIENCE_SECONDS

from tinytorch import testing
from tinytorch.testing import (
    FakeClock,
    PromiseBroken,
    ReadLog,
    YourTurn,
    check,
    expect,
    expect_raises,
)

ROOT = Path(__file__).resolve().parents[2]


def broken(*args, **kwargs) -> list[str]:
    with pytest.raises(PromiseBroken) as caught:
        expect(*args, **kwargs)
    return caught.value.lines()


def test_a_broken_promise_is_five_short_lines_in_the_order_that_helps():
    lines = broken(
        False, "Every sample comes once.", call="f(3)", got=[1, 1], want=[0, 1], look="f"
    )
    assert [line.split()[0] for line in lines] == ["✗", "called", "got", "wanted", "look"]
    assert (
        lines[0].endswith("Every sample comes once.")
        and "[1, 1]" in lines[2]
        and "[0, 1]" in lines[3]
    )


@given(value=st.text(min_size=200) | st.lists(st.integers(), min_size=200))
def test_a_long_value_stays_one_short_line(value):
    for line in broken(False, "Rule.", got=value):
        assert len(line) <= 180 and "\n" not in line


def test_a_kept_promise_says_nothing_by_itself():
    assert expect(True, "Fine.") is None


def test_an_expected_error_needs_its_type_and_its_words():
    def fails():
        raise ValueError("batch_size must be 1 or more, got 0")

    expect_raises(ValueError, fails, "Refused.", says=["Batch_Size", "0"])
    for error, says in ((IndexError, ()), (ValueError, "seven")):
        with pytest.raises(PromiseBroken, match="batch_size"):
            expect_raises(error, fails, "Refused.", says=says)
    with pytest.raises(PromiseBroken, match="no error"):
        expect_raises(ValueError, lambda: 3, "Refused.")


def test_a_stub_is_never_the_error_that_was_expected():
    def stub():
        raise NotImplementedError("your turn: dataset.__len__")

    with pytest.raises(NotImplementedError, match="your turn"):
        expect_raises(NotImplementedError, stub, "Refused.")


def test_check_in_a_notebook_raises_and_names_the_hint(capsys):
    def test_two_promises():
        """A title"""
        expect(True, "First.")
        expect(False, "Second.")

    with pytest.raises(PromiseBroken) as caught:
        check(test_two_promises, hint="08 x")
    assert caught.value.lines()[-1].split() == ["more", "tito", "hint", "08", "x"]
    assert caught.value._render_traceback_()[-1].split() == ["more", "%hint", "08", "x"]
    assert caught.value.__traceback__.tb_next is None or "test_two_promises" not in str(
        caught.value.__traceback__.tb_next.tb_frame
    )
    assert capsys.readouterr() == ("", "")


def test_check_in_a_notebook_says_one_line_when_all_is_kept(capsys):
    def test_two_promises():
        """A title"""
        expect(True, "First.")
        expect(True, "Second.")

    check(test_two_promises)
    assert capsys.readouterr().out == "✓ A title: 2 promises kept\n"


def test_a_stub_is_your_turn_and_another_error_stays_itself():
    def test_stub():
        raise NotImplementedError("your turn: collate")

    def test_bug():
        raise KeyError("label")

    with pytest.raises(YourTurn, match="collate"):
        check(test_stub)
    with pytest.raises(KeyError):
        check(test_bug)


SCRIPT = """
from tinytorch.testing import check, expect, finish, progress
def test_good():
    expect(True, "Kept.")
def test_bad():
    expect(False, "Broken.", got=1, want=2)
def test_stub():
    raise NotImplementedError("your turn: f")
def test_crash():
    [][1]
for test in {tests}:
    check(test)
progress("Part")
finish()
print("after the end")
"""


def run_script(tmp_path, tests, **environment):
    path = tmp_path / "x_dev.py"
    path.write_text(SCRIPT.replace("{tests}", tests), encoding="utf-8")
    return subprocess.run(
        [sys.executable, str(path)],
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8", **environment},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=PATIENCE_SECONDS,
    )


def test_a_script_goes_on_after_a_failure_and_exits_with_1_at_the_end(tmp_path):
    ended = run_script(tmp_path, "(test_good, test_bad, test_stub, test_crash, test_good)")
    assert ended.returncode == 1 and ended.stderr == ""
    for text in (
        "✅ Kept.",
        "✗ Broken.",
        "your turn: f",
        "IndexError",
        "Progress: Part: 1 of the 4 tests so far pass; first red: bad",
        "1 of 4 tests pass",
    ):
        assert text in ended.stdout
    assert "after the end" not in ended.stdout


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
    assert said == [
        "Progress: Sums, no test has run yet",
        red,
        red,
        "Progress: Sums ✓",
        "2 of 2 tests pass",
    ]


def test_a_script_without_a_failure_ends_well(tmp_path):
    ended = run_script(tmp_path, "(test_good,)")
    assert (
        ended.returncode == 0
        and "Progress: Part ✓" in ended.stdout
        and "after the end" in ended.stdout
    )


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_a_terminal_without_the_signs_gets_plain_ones(tmp_path, encoding):
    ended = run_script(tmp_path, "(test_good, test_bad)", PYTHONIOENCODING=encoding)
    assert (
        ended.returncode == 1
        and ended.stderr == ""
        and "[ok] Kept." in ended.stdout
        and "[x] Broken." in ended.stdout
    )


def test_a_read_log_remembers_which_items_were_read_and_in_which_order():
    log = ReadLog("abc")
    assert (len(log), log[2], log[0], log.reads) == (3, "c", "a", [2, 0])


def test_a_fake_clock_moves_only_when_told():
    clock = FakeClock()
    before = clock()
    clock.advance(0.5)
    assert clock() - before == 0.5 and clock.calls == 2


def test_what_a_stream_cannot_show_is_replaced_not_raised(monkeypatch):
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    testing._say("naïve ✓")
    sys.stdout.flush()
    assert raw.getvalue().decode() == "na?ve ?" + os.linesep


def test_a_demo_that_fails_is_one_line_in_a_script_and_the_script_goes_on(tmp_path):
    file = tmp_path / "cells.py"
    file.write_text(
        "from tinytorch.testing import demo, finish\n"
        "with demo('a look'):\n    raise NotImplementedError('your turn: cifar10._read_split')\n"
        "with demo('a sum'):\n    {}['a']\n"
        "with demo('fine'):\n    print('drawn')\n"
        "finish()\n",
        encoding="utf-8",
    )
    done = subprocess.run(
        [sys.executable, str(file)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "Demo: a look, left out: your turn: cifar10._read_split",
        "Demo: a sum, left out: KeyError: 'a'",
        "drawn",
        "0 of 0 tests pass",
    ]


def test_a_demo_that_fails_in_a_notebook_raises():
    with pytest.raises(YourTurn, match="cifar10"), testing.demo("a look"):
        raise NotImplementedError("your turn: cifar10")
    with pytest.raises(KeyError), testing.demo("a sum"):
        raise KeyError("a")


def test_a_number_of_numpy_is_the_number_it_is_and_an_object_has_no_address():
    lines = broken(False, "Rule.", got=np.float64(2.5), want=[np.int64(3), np.float32(0.5)])
    assert lines[1].split()[1:] == ["2.5"] and lines[2].split(maxsplit=1)[1] == "[3, 0.5]"
    assert "0x" not in "".join(broken(False, "Rule.", got=object()))


def half(x):
    return x.missing


def give(x):
    return None


def rows_below(test):
    with pytest.raises(PromiseBroken) as caught:
        check(test)
    return caught.value


def test_an_error_of_the_code_is_the_promise_that_the_test_was_asking_about():
    def test_of_two():
        expect(True, "The first rule.")
        got = half(4)
        expect(got == 2, "Half of four is two.", got=got)
        expect(got == 3, "Another rule.")

    found = rows_below(test_of_two)
    assert found.promise == "Half of four is two." and found.want == "no such error"
    assert found.got == "AttributeError: 'int' object has no attribute 'missing'"
    assert found.look.endswith("in half: return x.missing")
    assert isinstance(found.__cause__, AttributeError)


def test_an_error_shows_the_call_that_the_promise_would_show():
    def test_of_two():
        for number in (4, 6):
            shown = f"half({number})"
            expect(half(number) == 2, "Half of four is two.", call=f"got = {shown}")
        expect(True, "Another rule.")

    assert rows_below(test_of_two).call == "got = half(4)"


def test_a_call_that_has_no_text_yet_is_left_out():
    def test_of_two():
        got = half(4)
        expect(got == 2, "Half of four is two.", call=f"half(4) is {got}", look=f"half: {len('a')}")

    found = rows_below(test_of_two)
    assert found.call is None and found.look.endswith("in half: return x.missing")


def test_none_is_a_value_that_is_shown():
    with pytest.raises(PromiseBroken) as caught:
        expect(False, "A number comes.", got=None, want=3)
    assert [line.split()[0] for line in caught.value.lines()[1:]] == ["got", "wanted"]


def test_arrays_can_be_got_and_wanted():
    with pytest.raises(PromiseBroken) as caught:
        expect(False, "The order stays.", got=np.array([1, 2]), want=np.array([2, 1]))
    assert caught.value.lines()[1:] == ["  got       array([1, 2])", "  wanted    array([2, 1])"]


@pytest.mark.parametrize(
    ("problem", "look"),
    [
        (AssertionError("no"), "the kind of error: raise ValueError(...)"),
        (KeyError("size 3"), "the kind of error: raise ValueError(...)"),
        (TypeError("of something else"), "the check"),
        (ValueError("without the number"), "the check"),
    ],
)
def test_an_error_of_another_kind_is_called_so(problem, look):
    def raise_it():
        raise problem

    with pytest.raises(PromiseBroken) as caught:
        expect_raises(ValueError, raise_it, "Size 3 is refused.", says="size 3", look="the check")
    assert caught.value.look == look


def test_a_result_that_the_test_cannot_use_is_a_broken_promise_too():
    def test_of_one():
        expect(len(give(4)) == 2, "There are two halves.")

    found = rows_below(test_of_one)
    assert found.promise == "There are two halves."
    assert "cannot use" in found.look and "TypeError" in found.got


def test_an_error_below_the_last_promise_belongs_to_it():
    def test_of_one():
        expect(True, "There are two halves.")
        half(1)

    assert rows_below(test_of_one).promise == "There are two halves."


def test_an_error_in_a_test_without_a_promise_stays_what_it_is():
    def test_of_none():
        half(1)

    with pytest.raises(AttributeError):
        check(test_of_none)


@given(
    value=st.integers() | st.text(max_size=20) | st.floats(allow_nan=False),
    other=st.integers() | st.text(max_size=20) | st.floats(allow_nan=False),
)
def test_got_and_wanted_never_read_the_same(value, other):
    lines = broken(False, "Rule.", got=value, want=other)
    (got,), (want,) = (
        [
            line.split(maxsplit=1)[1]
            for line in lines
            if line.split()[0] == name and line.split()[1:]
        ]
        or [""]
        for name in ("got", "wanted")
    )
    assert got != want


def test_values_that_read_the_same_are_told_apart_by_their_type():
    lines = broken(False, "Rule.", got=np.int64(3), want=3)
    assert lines[1].endswith("3 (int64)") and lines[2].endswith("3 (int)")
    assert broken(False, "Rule.", got=3, want=3)[2].endswith(testing.READS_THE_SAME)


def test_the_names_of_a_tests_own_code_stay_off_the_screen():
    def test_of_a_stand_in():
        class Stand:
            def read(self):
                return 1

        expect(Stand().read(1) == 1, "It is read once.")

    assert rows_below(test_of_a_stand_in).got.startswith("TypeError: Stand.read() takes")


def test_the_promises_kept_are_counted_from_any_point_on():
    expect(True, "One.")
    before = len(testing.kept())
    expect(True, "Two.")
    expect(True, "Two.")
    assert testing.kept(since=before) == ["Two.", "Two."]

"""The output of `tito profile`: the table, its width, its colors, and the line of progress."""

import io
import sys

import pytest
from profile_report import report

from tito.commands import profile
from tito.run.profile_table import Profile, print_table, table


@pytest.fixture(autouse=True)
def wide_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")


def rows(**changes):
    return table(Profile.from_json(report(**changes)), [], "tito profile 08")


def lines(capsys, **changes):
    print_table(rows(**changes))
    return capsys.readouterr().out.splitlines()


def test_the_table_begins_with_the_verdict_and_ends_with_the_next_step(capsys):
    shown = lines(capsys)
    assert shown[0] == "yours   batch 128, 25 batches, median of 5, spread 4%"
    assert "  rate      synthetic 12,181   cached 7,624   warm 5,100   samples/s" in shown
    assert "  a batch   synthetic 10.5 ms   cached 16.8 ms   warm 25.1 ms" in shown
    assert "  stalls    compute 25%   prep stall 15%   fetch stall 60%" in shown
    assert "  stages    fetch 20%   transform 5%   collate 70%   other 5%" in shown
    assert (
        "  loader    61,000 samples/s alone   0.187 GB/s = 2% of a copy of its rows, 9.5 GB/s "
        "  memory copy 13.2 GB/s" in shown
    )
    assert "  between   2 ms (median)   95% at most 2.5 ms   the longest 400 ms" in shown
    assert any("same cores: 91 ms, idle 46%, step stretched 1.00x" in line for line in shown)
    assert "  left out  cold: the loader reads no file" in shown
    assert shown[1:4] == [
        "  loading   75% of the time: 6.1 ms a batch, beside a step of 2 ms",
        "  where     collation takes most of the time",
        "  try       write __getitems__ (makes the whole up to 2.5x faster)",
    ]
    assert shown[-1] == "  next      tito profile 08"


VERDICT = report()["verdict"]
UNMEASURED = {"timelines": None, "stages": None, "sweep": None, "reasons": {}}


@pytest.mark.parametrize(
    "changes, said, unsaid",
    [
        ({"verdict": {**VERDICT, "noisy": True}}, "noisy: the machine was busy", "no gain"),
        ({"verdict": {**VERDICT, "buys": 1.0}}, "__getitems__ (no gain is promised)", "faster"),
        ({"reasons": {"doubt": "two runs"}}, "where     uncertain (two runs): collation", "noisy"),
        ({"reasons": {"sweep": "not needed"}}, "left out  sweep: not needed", "uncertain"),
        ({"step": {"kind": "none"}}, "loading   a batch takes 2.1 ms", "% of the time"),
        ({"step": {"kind": "none"}}, "makes loading up to 2.5x faster", "stalls"),
        *((UNMEASURED, "memory", label) for label in ("timeline", "stages", "sweep", "left out")),
    ],
)
def test_a_doubt_is_said_and_what_was_not_measured_has_no_row(capsys, changes, said, unsaid):
    shown = "\n".join(lines(capsys, **changes))
    assert said in shown and unsaid not in shown


@pytest.mark.parametrize(
    "share, reasons, code, said",
    [
        (0.3, {}, 1, "30% of the time, 25% is allowed"),
        (0.2, {}, 0, "20% of the time, 25% is allowed"),
        (0.2, {"doubt": "two runs"}, 4, "uncertain: 20% of the time, 25% is allowed (two runs)"),
    ],
)
def test_a_budget_has_an_exit_code_for_above_and_another_for_uncertain(share, reasons, code, said):
    found = report(reasons=reasons, facts={"loading_share": share})
    assert profile._budget(Profile.from_json(found), 0.25) == (code, said)


@pytest.mark.parametrize(
    "tty, wanted, seconds, shown",
    [(True, True, 2.0, True), (True, True, 0.5, False), (False, True, 2.0, False)],
)
def test_progress_is_shown_on_a_terminal_after_a_second_and_wiped(
    monkeypatch, tmp_path, tty, wanted, seconds, shown
):
    stream = io.StringIO()
    stream.isatty = lambda: tty
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    (tmp_path / "doing").write_text("measuring", encoding="utf-8")
    with profile._progress({"folder": str(tmp_path), "name": "yours"}, wanted) as show:
        show(seconds)
    text = stream.getvalue()
    assert ("measuring yours, 2 s" in text) is shown and (not text or text.endswith(" \r"))

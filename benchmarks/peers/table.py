"""The comparison as text."""

from __future__ import annotations

from typing import Any

from machine import about, load

from peers.bars import verdicts

NOISY = 0.15  # a larger spread means that the machine was busy
HEAD = (
    f"{'samples/s':>11} {'xG':>7} {'spread':>7} {'of steps':>9} {'peak':>6} {'first ms':>9}"
    f" {'kept':>6}"
)
LEGEND = f"""
xG: epoch over bare gather. spread: interquartile range of xG over its median, ! above {NOISY:.0%}.
of steps: epoch over the steps alone. peak: memory of a loader of ours, by tracemalloc, in batches
above what it holds before its first. kept: batches kept are right at the end of the epoch. A bar
shows the median of the rounds and their quartiles, and holds at the lower one; BEHIND: the median
says that a peer is ahead."""


def heading(record: dict[str, Any]) -> str:
    machine = record["machine"]
    clock = "; seconds of the processor" if record["clock"] == "cpu" else ""
    known = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    quick = "\nquick: the data fit into caches, which the bars do not allow for"
    return (
        f"{about()}, NumPy {machine['numpy']}, load {load()}; median of {record['rounds']}{clock}\n"
        f"installed: {known or 'no other library'}{quick if record['quick'] else ''}"
    )


def finish(task: dict[str, Any]) -> dict[str, Any]:
    """The task, each row with its `bars`, the fastest first."""
    by_name = {row["loader"]: row for row in task["rows"]}
    for row in task["rows"]:
        row["bars"] = list(verdicts(task["case"], row, by_name))
    task["rows"].sort(key=lambda row: row.get("over_steps") or row.get("xg") or float("inf"))
    return task


def lines(task: dict[str, Any]) -> str:
    measured = [row for row in task["rows"] if "reason" not in row]
    limits = sorted(row["limit_seconds"] for row in measured if "limit_seconds" in row)
    gather = f"; the bare gather takes {1e3 * limits[len(limits) // 2]:.1f} ms" if limits else ""
    out = ["", f"{task['case']}: {task['samples']:,} x 3 x 32 x 32, batch 128, shuffled{gather}"]
    if measured:
        out.append(f"{'':<58}" + HEAD)
    for row in measured:
        out.append(_row(row))
        out += [_bar(bar) for bar in row["bars"]]
    out += [f"{row['loader']:<58} {row['reason']}" for row in task["rows"] if "reason" in row]
    return "\n".join(out)


def _bar(bar: dict[str, Any]) -> str:
    word = "met   " if bar["met"] else "BEHIND" if bar["peer_is_ahead"] else "MISSED"
    return f"{'':<6}{word}  {_finding(bar)}"


def _finding(bar: dict[str, Any]) -> str:
    spread = f" ({_number(bar['low'])} to {_number(bar['high'])})" * (bar["low"] != bar["high"])
    return f"{bar['figure']}: {_number(bar['value'])}{spread}, bar {bar['bar']}"


def _row(row: dict[str, Any]) -> str:
    noisy = "!" if row["xg_spread"] > NOISY else " "
    first = row.get("first_batch_seconds")
    milliseconds = None if first is None else 1e3 * first
    kept = {True: "right", False: "WRONG"}.get(row.get("kept_right"), "-")
    return (
        f"{row['loader']:<58}{row['samples_per_second']:>11,.0f} {row['xg']:>7.2f}"
        f" {row['xg_spread']:>6.0%}{noisy} {_cell(row.get('over_steps'), '9.2f')}"
        f" {_cell(row.get('peak_batches'), '6.1f')} {_cell(milliseconds, '9.2f')} {kept:>6}"
    )


def _cell(value: float | None, form: str) -> str:
    return f"{'-':>{form.partition('.')[0]}}" if value is None else format(value, form)


def _number(value: float) -> str:
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"


def found_wanting(tasks: list[dict[str, Any]]) -> dict[str, list[str]]:
    """What the comparison finds wanting: {heading: [a line for each row]}."""
    ahead, missed, unmeasured = [], [], []
    for task in tasks:
        for row in task["rows"]:
            name = f"  {task['case']}, {row['loader']}"
            if "reason" in row and row["loader"].startswith("ours"):
                unmeasured.append(f"{name}: {row['reason']}")
            for bar in row["bars"]:
                if not bar["met"]:
                    (ahead if bar["peer_is_ahead"] else missed).append(f"{name}: {_finding(bar)}")
    return {
        "a peer is ahead in": ahead,
        "missed:": missed,
        "rows of ours that were not measured:": unmeasured,
    }


def summary(tasks: list[dict[str, Any]]) -> str:
    """How many bars are met, the names of the missed ones, and the meaning of the columns."""
    bars = [bar for task in tasks for row in task["rows"] for bar in row["bars"]]
    out = ["", f"{sum(bar['met'] for bar in bars)} of {len(bars)} bars met"]
    for heading, rows in found_wanting(tasks).items():
        out += [heading, *rows] if rows else []
    return "\n".join([*out, LEGEND])

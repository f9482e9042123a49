"""The comparison as text."""

from __future__ import annotations

import statistics
from typing import Any

from machine import about, load

from peers.bars import verdicts

NOISY = 0.15  # a larger spread means that the machine was busy
COLUMNS = {  # heading -> (figure, factor, format)
    "  samples/s": ("samples_per_second", 1, ",.0f"),
    "     xG": ("xg", 1, ".2f"),
    " spread": ("xg_spread", 1, ".0%"),
    " of steps": ("over_steps", 1, ".2f"),
    "  peak": ("peak_batches", 1, ".1f"),
    " first ms": ("first_batch_seconds", 1e3, ".2f"),
}
KEPT = {None: "-", True: "right", False: "WRONG"}
LEGEND = f"""
xG: epoch over bare gather. spread: interquartile range of xG over its median, noisy above
{NOISY:.0%}. of steps: epoch over the steps alone. peak: by tracemalloc, in batches above what the
loader holds before its first. kept: batches kept are right at the end of the epoch. A bar shows the
median of the rounds and their quartiles, and holds at the lower one; BEHIND: the median says that a
peer is ahead."""


def heading(record: dict[str, Any]) -> str:
    machine = record["machine"]
    clock = "; seconds of the processor" if record["clock"] == "cpu" else ""
    known = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    out = [
        f"{about()}, NumPy {machine['numpy']}, load {load()}; median of {record['rounds']}{clock}",
        f"installed: {known or 'no other library'}",
    ]
    return "\n".join(
        out + ["quick: the data fit into caches, which the bars do not allow for"] * record["quick"]
    )


def finish(group: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The tasks of one group, each row with its `bars`; the sizes of one loader are compared with
    each other.
    """
    fastest: dict[str, float] = {}
    for row in (row for task in group for row in task["rows"]):
        rate = row.get("samples_per_second", 0.0)
        fastest[row["loader"]] = max(fastest.get(row["loader"], 0.0), rate)
    for task in group:
        by_name = {row["loader"]: row for row in task["rows"]}
        for row in task["rows"]:
            if "samples_per_second" in row:
                row["rate_share"] = row["samples_per_second"] / fastest[row["loader"]]
            row["bars"] = list(verdicts(task["case"], row, by_name))
        task["rows"].sort(key=lambda row: row.get("over_steps") or row.get("xg") or float("inf"))
    return group


def lines(task: dict[str, Any]) -> str:
    """A line for each row that was measured, with its bars below it; then those that were not."""
    measured = [row for row in task["rows"] if "reason" not in row]
    out = ["", f"{task['case']}, {task['samples']:,} samples"]
    if limits := [row["limit_seconds"] for row in measured if "limit_seconds" in row]:
        out[-1] += f"; the bare gather takes {1e3 * statistics.median(limits):.1f} ms"
        out.append(" " * 58 + "".join(COLUMNS) + "   kept")
    for row in measured:
        out += [f"{row['loader']:<58}{_figures(row)}", *(_bar(bar) for bar in row["bars"])]
    out += [f"{row['loader']:<58} {row['reason']}" for row in task["rows"] if "reason" in row]
    return "\n".join(out)


def _figures(row: dict[str, Any]) -> str:
    if "grown_share" in row:
        size = row["file_bytes"] / 1e9
        return f" resident memory grew by {row['grown_share']:.1%} of a file of {size:.2f} GB"
    if "xg" not in row:
        return f" {1e3 * row['seconds']:,.1f} ms"
    out = ""
    for head, (key, factor, form) in COLUMNS.items():
        cell = "-" if row.get(key) is None else format(row[key] * factor, form)
        out += f" {cell}".rjust(len(head))
    return f"{out} {KEPT[row.get('kept_right')]:>6}{' noisy' * (row['xg_spread'] > NOISY)}"


def _bar(bar: dict[str, Any]) -> str:
    word = "met   " if bar["met"] else "BEHIND" if bar["peer_is_ahead"] else "MISSED"
    return f"{'':<6}{word}  {_finding(bar)}"


def _finding(bar: dict[str, Any]) -> str:
    spread = f" ({_number(bar['low'])} to {_number(bar['high'])})" * (bar["low"] != bar["high"])
    return f"{bar['figure']}: {_number(bar['value'])}{spread}, bar {bar['bar']}"


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

"""The table that `tito profile` prints."""

from __future__ import annotations

import shutil
import textwrap
from dataclasses import dataclass, fields
from typing import Any

from tito import console

_WIDEST = 110


@dataclass(frozen=True)
class Profile:
    """The parts of a `LoaderReport` that the table shows; None could not be measured."""

    name: str
    batch_size: int
    batches: int
    repeats: int
    rates: dict[str, dict[str, float] | None]
    reasons: dict[str, str]
    stalls: dict[str, float]
    step: dict[str, Any]
    break_even: dict[str, Any]
    loading: dict[str, Any]
    timelines: list[dict[str, Any]] | None
    stages: dict[str, Any] | None
    sweep: list[dict[str, float]] | None
    workers: list[dict[str, float]] | None
    limit: dict[str, float]
    memory: dict[str, Any]
    facts: dict[str, Any]
    verdict: dict[str, Any]

    @classmethod
    def from_json(cls, document: dict[str, Any]) -> Profile:
        return cls(**{field.name: document[field.name] for field in fields(cls)})


def print_brief(report: Profile, budget: str, following: str) -> None:
    """Three lines, what is said of the budget, and the next command."""
    for label, piece in [*three_lines(report), *([("budget", budget)] if budget else [])]:
        lines = "\n".join(_filled(f"{label}: ", "  ", [piece]))
        console.say(console.paint(lines, "bold") if label == "try" else lines)
    console.say(f"next: {following}")


def three_lines(report: Profile) -> list[tuple[str, str]]:
    """How much of the time is loading, where it goes, and the one fix; a doubt is said."""
    verdict, doubt = report.verdict, report.reasons.get("doubt")
    where = (f"uncertain ({doubt}): " if doubt else "") + verdict["sentence"]
    if verdict["where"]:
        where += f"; most time is spent in {verdict['where']}"
    what = "loading" if report.step["kind"] == "none" else "the whole"
    worth = f"makes {what} up to {verdict['buys']:.2g}x faster"
    if verdict["buys"] < 1.05:
        worth = "no gain is promised"
    return [
        ("loading", _how_much(report)),
        ("where", where),
        ("try", f"{verdict['fix']} ({verdict['tried'] or worth})"),
    ]


def _how_much(report: Profile) -> str:
    if report.step["kind"] == "none":
        return report.break_even["sentence"].removeprefix("loading ")  # the line's label says it
    alone, step = report.loading["seconds_per_batch"], report.step["seconds"]
    stand_in = ", which stands for yours" if report.step["kind"] == "stand-in" else ""
    return (
        f"{report.facts['loading_share']:.0%} of the time: {_ms(alone)} a batch, beside a step of"
        f" {_ms(step)}{stand_in}"
    )


def _ms(seconds: float) -> str:
    return f"{1e3 * seconds:.3g} ms"


def _spread(report: Profile) -> float:
    return max(rate["spread"] for rate in (*report.rates.values(), report.loading) if rate)


def table(
    report: Profile, files: list[str], following: str, budget: str = ""
) -> list[tuple[str, list[str]]]:
    """The rows of the printed report: (label, pieces). A piece is kept on one line where it fits.
    The verdict comes first, the next command last.
    """
    rates = {name: rate for name, rate in report.rates.items() if rate}
    first = [
        f"batch {report.batch_size}, {report.batches} batches, median of"
        f" {report.repeats}, spread {_spread(report):.0%}",
        "noisy: the machine was busy, measure again" if report.verdict["noisy"] else "",
    ]
    rows = [(report.name, first), *((label, [piece]) for label, piece in three_lines(report))]
    speeds = [f"{name} {rate['samples_per_second']:,.0f}" for name, rate in rates.items()]
    rows += [
        ("rate", [*speeds, "samples/s"]),
        ("a batch", [f"{name} {_ms(one['seconds_per_batch'])}" for name, one in rates.items()]),
        ("stalls", _stalls(report)),
        ("loader", _loader(report)),
        ("between", _between(report)),
        ("stages", _stages(report)),
        ("timeline", _timelines(report)),
        ("sweep", _speeds(report.sweep, "batch_size", "batch ")),
        ("workers", _speeds(report.workers, "num_workers")),
        ("memory", _memory(report)),
    ]
    rows += [("left out", [f"{name}: {reason}"]) for name, reason in report.reasons.items()]
    rows += [("budget", [budget]), ("files", files), ("next", [following])]
    return [(label, [piece for piece in pieces if piece]) for label, pieces in rows if any(pieces)]


def _stalls(report: Profile) -> list[str]:
    if report.step["kind"] == "none":
        return []
    names = {"compute": "compute", "prep": "prep stall", "fetch": "fetch stall"}
    return [f"{name} {report.stalls[key]:.0%}" for key, name in names.items()]


def _loader(report: Profile) -> list[str]:
    alone, limit = report.loading, report.limit
    parts = [f"{alone['samples_per_second']:,.0f} samples/s alone"]
    if limit:
        rate = alone["samples_per_second"] * limit["bytes_per_sample"]
        share, gather = limit["share_of_limit"], limit["gather_bytes_per_second"]
        percent = f"{share:.1%}" if 0 < share < 0.01 else f"{share:.0%}"
        parts += [
            f"{_gigabytes(rate)}/s = {percent} of a copy of its rows, {_gigabytes(gather)}/s",
            f"memory copy {_gigabytes(limit['memcpy_bytes_per_second'])}/s",
        ]
    return parts


def _between(report: Profile) -> list[str]:
    gaps = {name: _ms(value) for name, value in report.loading["between_batches"].items()}
    return [
        f"{gaps['median']} (median)",
        f"95% at most {gaps['p95']}",
        f"the longest {gaps['max']}",
    ]


def _stages(report: Profile) -> list[str]:
    shares = (report.stages or {}).get("shares") or {}
    return [f"{name} {share:.0%}" for name, share in shares.items()]


def _timelines(report: Profile) -> list[str]:
    return [
        f"{row['name'][:1].lower()}{row['name'][1:]}: {_ms(row['wall_seconds'])}, idle"
        f" {row['idle_share']:.0%}, step stretched {row['stretch']:.2f}x"
        for row in report.timelines or ()
    ]


def _speeds(rows: list[dict[str, float]] | None, of: str, what: str = "") -> list[str]:
    speeds = [f"{row[of]}: {row['samples_per_second']:,.0f}" for row in rows or ()]
    return [what + speeds[0], *speeds[1:], "samples/s"] if speeds else []


def _memory(report: Profile) -> list[str]:
    memory, parts = report.memory, []
    peak, batch, copied = memory["peak_bytes"], memory["batch_bytes"], "copied_bytes_per_batch"
    if peak is not None:
        batches = f" = {peak / batch:.1f} batches" if batch else ""
        parts.append(f"peak of Python and NumPy {_megabytes(peak)}{batches}")
    if memory.get(copied) is not None:
        parts.append(f"{_megabytes(memory[copied])} copied for a batch of {_megabytes(batch)}")
    if memory["dataset_bytes"]:
        parts.append(f"dataset {_megabytes(memory['dataset_bytes'])}")
    return parts


def _megabytes(value: float) -> str:
    return f"{value / 1e6:.3g} MB"


def _gigabytes(value: float) -> str:
    return f"{value / 1e9:.3g} GB"


def print_table(rows: list[tuple[str, list[str]]]) -> None:
    (name, first), rest = rows[0], rows[1:]
    for line in _filled(f"{name}   ", "  ", first):
        console.say(console.paint(line, "bold"))
    for label, pieces in rest:
        for number, line in enumerate(_filled(f"  {label:<10}", " " * 12, pieces)):
            mark = label == "try" and not number
            console.say(console.paint(line, "bold") if mark else line)


def columns() -> int:
    return max(30, shutil.get_terminal_size((_WIDEST, 24)).columns)


def _filled(head: str, indent: str, pieces: list[str]) -> list[str]:
    """Lines no wider than the terminal that begin with `head`; pieces stay whole where they fit."""
    width, lines, empty = min(_WIDEST, columns()), [head], True
    for piece in pieces:
        if not empty and len(lines[-1]) + 3 + len(piece) <= width:
            lines[-1] += f"   {piece}"
            continue
        parts = textwrap.wrap(
            piece,
            max(16, width - len(indent if not empty else head)),
            break_long_words=False,
            break_on_hyphens=False,
        ) or [""]
        if empty:
            lines[-1] += parts.pop(0)
        lines += [indent + part for part in parts]
        empty = False
    return lines

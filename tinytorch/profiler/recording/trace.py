"""Writes the recorded times in the Trace Event Format, which https://ui.perfetto.dev and
chrome://tracing open.

The format is described at
https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU (Google, 2016).
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tinytorch.profiler.recording.watched import Watched


def chrome_trace(reports: Sequence[Watched]) -> dict[str, Any]:
    """The trace as a dict for `json`: a process for each report, and in it a row for each lane.
    Times are in microseconds; the first watch starts at 0.
    """
    zero = min((report.started for report in reports), default=0.0)
    events: list[dict[str, Any]] = []
    for process, report in enumerate(reports, 1):

        def add(row: int, **event: Any) -> None:
            events.append({"pid": process, "tid": row, **event})  # noqa: B023

        # one row for each lane, the loop on top
        lanes = sorted({span.lane for span in report.spans} - {"train", "load"})
        rows = {lane: row for row, lane in enumerate(("train", "load", *lanes), 1)}
        add(0, name="process_name", ph="M", args={"name": report.name})
        for lane, row in rows.items():
            add(row, name="thread_name", ph="M", args={"name": lane})
        for span in report.spans:
            start, seconds = report.started - zero + span.start, span.stop - span.start
            add(
                rows[span.lane],
                name=span.stage,
                cat=span.lane,
                ph="X",
                ts=1e6 * start,
                dur=1e6 * seconds,
                args={"batch": span.batch, "estimated": span.estimated},
            )
    return {"traceEvents": events, "displayTimeUnit": "ms"}


def write_chrome_trace(path: str | os.PathLike, reports: Sequence[Watched]) -> None:
    """Write `chrome_trace(reports)` to `path`, whole or not at all."""
    target = Path(path)
    part = target.with_name(f"{target.name}.{os.getpid()}.part")
    try:
        part.write_text(json.dumps(chrome_trace(reports)), encoding="utf-8")
        os.replace(part, target)
    finally:
        part.unlink(missing_ok=True)

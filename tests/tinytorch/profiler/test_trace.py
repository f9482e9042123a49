"""The trace file has the format that Perfetto reads: complete events in microseconds, one row for
each lane.
"""

import json

import pytest

from tinytorch.profiler import Profiler
from tinytorch.testing import FakeClock


@pytest.fixture
def profiler():
    clock = FakeClock()
    with Profiler(clock) as profiler:
        for name in ("train", "check"):
            for _ in profiler.wrap([1, 2], name):
                clock.advance(0.5)
    return profiler


def test_spans_are_complete_events_in_microseconds_in_named_processes_and_threads(
    profiler, tmp_path
):
    profiler.to_chrome(tmp_path / "trace.json")
    events = json.loads((tmp_path / "trace.json").read_text(encoding="utf-8"))["traceEvents"]
    steps = [event for event in events if event["name"] == "step"]
    assert all((step["ph"], step["tid"]) == ("X", 1) for step in steps)
    assert [(step["pid"], step["ts"], step["dur"], step["args"]["batch"]) for step in steps] == [
        # the second loop began after the first
        (1, 0.0, 5e5, 0),
        (1, 5e5, 5e5, 1),
        (2, 1e6, 5e5, 0),
        (2, 1.5e6, 5e5, 1),
    ]
    names = [event for event in events if event["ph"] == "M"]
    assert [(one["name"], one["pid"], one["tid"], one["args"]["name"]) for one in names] == [
        (f"{kind}_name", process, thread, name)
        for process, loop in ((1, "train"), (2, "check"))
        for kind, thread, name in (
            ("process", 0, loop),
            ("thread", 1, "train"),
            ("thread", 2, "load"),
        )
    ]


def test_a_trace_that_cannot_be_written_leaves_no_half_file(profiler, tmp_path):
    (tmp_path / "trace.json").mkdir()
    with pytest.raises(OSError):
        profiler.to_chrome(tmp_path / "trace.json")
    assert [path.name for path in tmp_path.iterdir()] == ["trace.json"]

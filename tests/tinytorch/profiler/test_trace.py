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


def test_every_span_is_a_complete_event_in_microseconds(profiler, tmp_path):
    profiler.to_chrome(tmp_path / "trace.json")
    events = json.loads((tmp_path / "trace.json").read_text(encoding="utf-8"))["traceEvents"]
    steps = [event for event in events if event["name"] == "step"]
    assert all(event["ph"] == "X" for event in steps)
    assert [
        (event["pid"], event["ts"], event["dur"], event["args"]["batch"]) for event in steps
    ] == [
        # the second loop began after the first
        (1, 0.0, 5e5, 0),
        (1, 5e5, 5e5, 1),
        (2, 1e6, 5e5, 0),
        (2, 1.5e6, 5e5, 1),
    ]


def test_loops_are_processes_and_lanes_are_threads_with_names(profiler, tmp_path):
    profiler.to_chrome(str(tmp_path / "trace.json"))
    events = json.loads((tmp_path / "trace.json").read_text(encoding="utf-8"))["traceEvents"]
    names = {
        (event["name"], event["pid"], event["tid"]): event["args"]["name"]
        for event in events
        if event["ph"] == "M"
    }
    assert names == {
        ("process_name", 1, 0): "train",
        ("process_name", 2, 0): "check",
        ("thread_name", 1, 1): "train",
        ("thread_name", 1, 2): "load",
        ("thread_name", 2, 1): "train",
        ("thread_name", 2, 2): "load",
    }
    assert {
        event["tid"] for event in events if event.get("cat") == "train" and event["ph"] == "X"
    } == {1}


def test_a_trace_that_cannot_be_written_leaves_no_half_file(profiler, tmp_path):
    (tmp_path / "trace.json").mkdir()
    with pytest.raises(OSError):
        profiler.to_chrome(tmp_path / "trace.json")
    assert [path.name for path in tmp_path.iterdir()] == ["trace.json"]

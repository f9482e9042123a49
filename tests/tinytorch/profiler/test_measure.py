"""The measurements are right: they give exactly the delays and bytes that a test injects, and say
when their numbers cannot be trusted. No test here uses a real clock.
"""

import tracemalloc
from types import SimpleNamespace

import numpy as np
import pytest

from tinytorch.core.tensor import Tensor
from tinytorch.profiler import (
    Law,
    Turns,
    count_samples,
    in_turns,
    peak_memory,
    stage_shares,
    throughput,
)
from tinytorch.profiler.diagnosis import yardsticks
from tinytorch.profiler.recording import alternating_runs as turns_module
from tinytorch.profiler.recording import arrays_in_a_batch
from tinytorch.testing import FakeClock


class Epochs:
    """A loader whose n-th epoch takes the n-th number of seconds."""

    batch_size = 4

    def __init__(self, clock, seconds, num_batches=5):
        self.clock, self.seconds, self.num_batches = clock, list(seconds), num_batches

    def __iter__(self):
        self.clock.advance(self.seconds.pop(0))
        for _ in range(self.num_batches):
            yield np.zeros((4, 2)), np.zeros(4)


def test_throughput_is_the_median_after_the_warmup_with_its_spread():
    clock = FakeClock()
    result = throughput(Epochs(clock, [100.0, 1.0, 2.0, 4.0]), clock=clock, warmup=1, repeats=3)
    assert (result.samples_per_second, result.seconds) == (10.0, (1.0, 2.0, 4.0))
    assert (result.batches, result.samples, result.batch_size) == (5, 20, 4)
    # rates 20, 10, 5: quartiles 15 and 7.5
    assert result.spread == pytest.approx((15 - 7.5) / 10) and result.noisy
    assert "10 samples/s, batch 4" in str(result)
    steady = throughput(Epochs(clock, [2.0] * 6), clock=clock)
    assert (len(steady.seconds), steady.spread, steady.noisy) == (5, 0.0, False)


@pytest.mark.parametrize(
    "measure, what, settings, message",
    [
        (throughput, [], {}, "no batch$"),
        (throughput, iter([np.zeros(2)]), {}, "no batch the second time; a generator"),
        (throughput, [np.zeros(2)], {}, "clock did not move during an epoch of 2 samples"),
        (throughput, [np.zeros(2)], {"repeats": 0}, "repeats=0"),
        (throughput, [np.zeros(2)], {"warmup": -1}, "warmup=-1"),
        (stage_shares, SimpleNamespace(num_workers=2), {}, "num_workers is 2.*num_workers=0"),
        (stage_shares, SimpleNamespace(batch_size=2), {}, r"\.dataset.*throughput\(loader\)"),
        (in_turns, {}, {}, "in_turns needs"),
        (in_turns, {"a": None}, {"rounds": 0}, "in_turns needs"),
        (in_turns, {"a": None}, {"warmup": -1}, "in_turns needs"),
        (in_turns, {"a": None}, {"limit": "nothing"}, "limit is the name"),
    ],
)
def test_what_cannot_be_measured_is_refused(measure, what, settings, message):
    clock = {} if measure is in_turns else {"clock": FakeClock()}
    with pytest.raises(ValueError, match=message):
        measure(what, **clock, **settings)


@pytest.mark.parametrize(
    "counted, of, count",
    [
        (count_samples, np.zeros((3, 2)), 3),
        (count_samples, {"x": {"y": (np.zeros(5),)}}, 5),
        (count_samples, [[1, 2, 3], [4, 5, 6]], 3),
        (count_samples, np.float32(1), 1),
        (count_samples, {}, 0),
        (arrays_in_a_batch.batch_bytes, (np.zeros(2, np.uint8), {"y": np.zeros(2, np.int64)}), 18),
        (arrays_in_a_batch.batch_bytes, Tensor(np.zeros(4, np.float32)), 16),
        (arrays_in_a_batch.batch_bytes, [1, 2.0, "x"], 24),
        # values of Python; arrays are none
        (arrays_in_a_batch.values_in, {"a": [1, "b"], "b": np.zeros(9)}, 2),
    ],
)
def test_what_a_batch_or_a_sample_holds_is_counted(counted, of, count):
    assert counted(of) == count


SIZE = 1_000_000
SLACK = 20_000  # iterators, array headers and what the interpreter allocates beside


def fresh():
    return np.zeros(SIZE, dtype=np.uint8)


def kept():
    arrays = []
    for _ in range(4):
        arrays.append(fresh())
        yield arrays[-1]


# Memory


def test_peak_memory_is_the_arrays_that_live_at_once_and_leaves_tracing_as_it_was():
    tracemalloc.start()
    try:
        np.zeros(50_000_000, dtype=np.uint8)  # a peak before the epoch does not count
        # a consumer that held its batch would make two arrays live at once
        for loader, arrays in ((fresh() for _ in range(4)), 1), (kept(), 4):
            assert arrays * SIZE <= peak_memory(loader) <= arrays * SIZE + SLACK
        assert tracemalloc.is_tracing()
    finally:
        tracemalloc.stop()
    with pytest.raises(ZeroDivisionError):
        peak_memory(1 // 0 for _ in range(1))
    assert not tracemalloc.is_tracing()


def test_a_gather_gives_the_rows_that_were_asked_for_in_random_order():
    gather = yardsticks.BareGather(4, 1000, 10, 100)
    gather.x[:, 0] = np.arange(1000) % 251
    for batch, part in zip(gather, gather.parts, strict=True):
        assert np.array_equal(batch[:, 0], part % 251)
    assert np.mean(np.diff(np.concatenate(gather.parts)) == 1) < 0.1  # 1 in 1000 by chance
    assert [batch[0, 0] for batch in yardsticks.BareCopy(gather)][:3] == [0, 10, 20]
    assert yardsticks.BareGather(2**20, 10**6, 4, 1).x.nbytes == yardsticks.MOST_BYTES


def test_each_round_measures_everything_once_and_the_warmup_does_not_count():
    calls = []
    turns = in_turns(
        {name: lambda name=name: calls.append(name) or len(calls) for name in "ab"},
        rounds=2,
        warmup=1,
    )
    assert calls == list("ababab")
    assert turns.values == {"a": (3.0, 5.0), "b": (4.0, 6.0)}
    assert turns["a"] == 4.0 and turns.medians == {"a": 4.0, "b": 5.0}


def test_rounds_in_which_other_programs_had_the_core_are_noise(monkeypatch):
    times, queued = iter([0.0, 10.0]), iter([(0.0, 3.0), (0.0, 5.0)])
    monkeypatch.setattr(turns_module, "busy_seconds", lambda: next(queued))
    monkeypatch.setattr(turns_module, "time", SimpleNamespace(perf_counter=lambda: next(times)))
    turns = in_turns({"a": lambda: 1.0})
    assert turns.noisy and "had this one's core for 20% of the time: measure again" in str(turns)


@pytest.mark.parametrize(
    "turns, noisy, says",
    [
        # the quartiles of 8, 9, 10, 11, 12 are 9 and 11, so the spread is 2 / 10
        (Turns({"rate": (8, 9, 10, 11, 12)}), True, "5 rounds, largest spread 20%. Above 15%"),
        (Turns({"rate": (10, 10)}), False, "largest spread 0%"),
        (Turns({"x": (0.0, 0.0, 0.0)}), False, "largest spread 0%"),
        (Turns({"x": (-1.0, 0.0, 1.0)}), True, "measure again"),
        (
            Turns({"one gather": (119.6,), "limit": (100.0,)}, "limit"),
            True,
            "one gather measured 119.6% of limit, and 100% is the most. Measure again",
        ),
        (Law("two are more than one", True), False, ""),
        (Law("two are more than one", False), True, "with a law: two are more than one"),
    ],
)
def test_a_large_spread_and_a_law_that_does_not_hold_are_noise(turns, noisy, says):
    assert turns.noisy == noisy and says in str(turns)

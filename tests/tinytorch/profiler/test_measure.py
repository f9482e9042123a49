"""The measurements are right: they give exactly the delays that a test injects. No test here uses a
real clock.
"""

import subprocess
import sys
import tracemalloc
from types import SimpleNamespace

import numpy as np
import pytest
from clocked import Loader, Numbers
from patience import PATIENCE_SECONDS

from tinytorch.profiler import count_samples, peak_memory, stage_shares, throughput
from tinytorch.testing import FakeClock


def test_stage_shares_are_those_of_one_epoch_on_a_copy_of_the_loader():
    clock = FakeClock()
    dataset = Numbers(6, clock, 1.0, 0.5)
    loader = Loader(dataset, 2, clock, collate=0.25)
    before, transform = dict(vars(loader)), dataset.transform
    result = stage_shares(loader, clock=clock)
    assert vars(loader) == before and loader.dataset is dataset and dataset.transform == transform
    assert result.seconds == {"fetch": 6.0, "transform": 3.0, "collate": 0.75, "other": 0.0}
    assert result.total_seconds == 9.75 and sum(result.shares.values()) == pytest.approx(1)
    assert (result.batches, result.batch_size, result.overhead_share) == (3, 2, 0.0)


@pytest.mark.parametrize(
    "loader, says",
    [
        ({"num_workers": 2}, r"num_workers is 2.*num_workers=0"),
        ({"batch_size": 2}, r"\.dataset.*throughput\(loader\)"),
    ],
)
def test_what_has_no_stages_here_is_refused_with_the_remedy(loader, says):
    with pytest.raises(ValueError, match=says):
        stage_shares(SimpleNamespace(**loader))


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
    "loader, settings, message",
    [
        ([], {}, "no batch$"),
        (iter([np.zeros(2)]), {}, "no batch the second time; a generator"),
        ([np.zeros(2)], {}, "clock did not move during an epoch of 2 samples"),
        ([np.zeros(2)], {"repeats": 0}, "repeats=0"),
        ([np.zeros(2)], {"warmup": -1}, "warmup=-1"),
    ],
)
def test_what_has_no_throughput_is_refused(loader, settings, message):
    with pytest.raises(ValueError, match=message):
        throughput(loader, clock=FakeClock(), **settings)


@pytest.mark.parametrize(
    "batch, count",
    [
        (np.zeros((3, 2)), 3),
        ((np.zeros((3, 2)), np.zeros(3)), 3),
        ([np.zeros((3, 2)), np.zeros(3)], 3),
        ({"x": np.zeros((3, 2))}, 3),
        ({"x": {"y": (np.zeros(5),)}}, 5),
        ([1, 2, 3, 4], 4),
        (["a", "b"], 2),
        ([[1, 2, 3], [4, 5, 6]], 3),
        (np.float32(1), 1),
        ("text", 1),
        (7, 1),
        ({}, 0),
        ([], 0),
        ([np.float32(1), np.float32(2)], 2),
    ],
)
def test_samples_in_a_batch_are_counted_along_its_first_array(batch, count):
    assert count_samples(batch) == count


# Memory

SIZE, SLACK = (
    1_000_000,
    20_000,
)  # iterators, array headers and what the interpreter allocates beside


def fresh():
    return np.zeros(SIZE, dtype=np.uint8)


def kept():
    arrays = []
    for _ in range(4):
        arrays.append(fresh())
        yield arrays[-1]


# A consumer that held its batch would make two arrays live at once.
@pytest.mark.parametrize("loader, arrays", [((fresh() for _ in range(4)), 1), (kept(), 4)])
def test_peak_memory_is_the_arrays_that_live_at_once(loader, arrays):
    assert arrays * SIZE <= peak_memory(loader) <= arrays * SIZE + SLACK


def test_a_peak_before_the_epoch_does_not_count_and_tracing_is_left_as_it_was():
    tracemalloc.start()
    try:
        np.zeros(50_000_000, dtype=np.uint8)
        assert SIZE <= peak_memory(fresh() for _ in range(2)) <= SIZE + SLACK
        assert tracemalloc.is_tracing()
    finally:
        tracemalloc.stop()
    with pytest.raises(ZeroDivisionError):
        peak_memory(1 // 0 for _ in range(1))
    assert not tracemalloc.is_tracing()


def test_importing_the_profiler_loads_neither_matplotlib_nor_any_loader():
    code = (
        "import sys, tinytorch.profiler, tinytorch.profiler.pictures.plots as p; print([m for m in"
        " sys.modules if m.split('.')[0] == 'matplotlib' or 'dataloader' in m])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=True,
    )
    assert done.stdout.strip() == "[]"

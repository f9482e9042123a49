"""The measurements are right: they give exactly the delays that a test injects. No test here uses a
real clock.
"""

import functools
import subprocess
import sys
import threading

import numpy as np
import pytest
from clocked import Loader, Numbers
from hypothesis import given, settings
from hypothesis import strategies as st
from patience import PATIENCE_SECONDS

from tinytorch.profiler import (
    count_samples,
    peak_memory,
    stage_shares,
    throughput,
)
from tinytorch.testing import FakeClock


class Function(Loader):
    """The same loader with a `collate_fn` attribute in place of the method."""

    _collate_batch = None

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.collate_fn = functools.partial(Loader._collate_batch, self)

    def _stacked(self, samples):
        return self.collate_fn(samples)


# Binary fractions, so that sums of them are exact.
delays = st.integers(0, 64).map(lambda n: n / 64)


@settings(max_examples=40)
@given(
    st.integers(1, 20),
    st.integers(1, 7),
    delays,
    delays,
    delays,
    delays,
    st.sampled_from([Loader, Function]),
)
def test_every_stage_is_charged_exactly_the_delay_put_into_it(
    num_samples, batch_size, fetch, transform, collate, other, kind
):
    clock = FakeClock()
    loader = kind(Numbers(num_samples, clock, fetch, transform), batch_size, clock, collate, other)
    result, batches = stage_shares(loader, clock=clock), -(-num_samples // batch_size)
    assert result.seconds == {
        "fetch": num_samples * fetch,
        "transform": num_samples * transform,
        "collate": batches * collate,
        "other": batches * other,
    }
    assert result.total_seconds == sum(result.seconds.values())
    assert (result.batches, result.batch_size, result.overhead_share) == (batches, batch_size, 0.0)
    assert sum(result.shares.values()) == pytest.approx(1.0 if result.total_seconds else 0.0)


def test_the_loader_that_was_measured_is_left_as_it_was():
    clock = FakeClock()
    dataset = Numbers(6, clock, 1.0, 1.0)
    loader = Loader(dataset, 2, clock)
    before, transform = dict(vars(loader)), dataset.transform
    stage_shares(loader, clock=clock)
    assert vars(loader) == before and loader.dataset is dataset and dataset.transform == transform


def test_a_dataset_alone_has_no_collate_stage_and_may_be_without_iteration():
    clock = FakeClock()
    numbers = Numbers(4, clock, fetch=0.5, transform=0.25)
    numbers.__class__ = type(
        "OpenEnded", (Numbers,), {"__getitem__": lambda self, i: Numbers.__getitem__(self, i % 4)}
    )
    result = stage_shares(numbers, clock=clock)
    assert result.seconds == {"fetch": 2.0, "transform": 1.0, "collate": 0.0, "other": 0.0}


class Part:
    """Like a Subset: it wraps one dataset."""

    def __init__(self, dataset):
        self.dataset = dataset

    def __len__(self):
        return len(self.dataset)

    def __getitem__(self, index):
        return self.dataset[index]


class Joined:
    """Like a concatenation: it wraps several datasets."""

    def __init__(self, *datasets):
        self.datasets = datasets

    def __len__(self):
        return sum(map(len, self.datasets))

    def __getitem__(self, index):
        return self.datasets[index // len(self.datasets[0])][index % len(self.datasets[0])]


@pytest.mark.parametrize(
    "wrap",
    [
        lambda d: Part(d(4)),
        lambda d: Part(Part(d(4))),
        lambda d: Joined(d(2), d(2)),
        lambda d: Part(Joined(d(2), d(2))),
    ],
)
def test_a_transform_below_a_subset_and_a_concatenation_is_found(wrap):
    clock = FakeClock()
    loader = Loader(wrap(lambda num_samples: Numbers(num_samples, clock, 0.5, 0.25)), 2, clock)
    assert stage_shares(loader, clock=clock).seconds["transform"] == 1.0


def test_a_batch_read_is_fetch_and_a_batch_transform_is_transform():
    clock = FakeClock()

    class Gather(Numbers):
        def __getitems__(self, indices):
            self.clock.advance(2.0)
            return list(indices)

    class GatherLoader(Loader):
        def batch_transform(self, batch):
            self.clock.advance(1.0)
            return batch

        def __iter__(self):
            if hasattr(self.dataset, "__getitems__"):
                yield self.batch_transform(self._collate_batch(self.dataset.__getitems__(range(4))))

    result = stage_shares(GatherLoader(Gather(4, clock), 4, clock, collate=0.5), clock=clock)
    assert result.seconds == {"fetch": 2.0, "transform": 1.0, "collate": 0.5, "other": 0.0}
    # no read is counted that did not happen
    assert stage_shares(GatherLoader(Numbers(4, clock), 4, clock), clock=clock).batches == 0


def test_a_loader_that_works_ahead_in_a_thread_is_charged_like_any_other():
    clock = FakeClock()

    class Ahead(Loader):
        def __iter__(self):
            batches = []
            worker = threading.Thread(target=lambda: batches.extend(Loader.__iter__(self)))
            worker.start()
            worker.join()
            yield from batches

    result = stage_shares(Ahead(Numbers(4, clock, 0.5), 2, clock, collate=0.25), clock=clock)
    assert result.seconds == {"fetch": 2.0, "transform": 0.0, "collate": 0.5, "other": 0.0}


def test_what_measuring_costs_is_reported_and_taken_off_the_stages():
    class Ticking(FakeClock):  # reading it costs one second, and nothing else takes time
        def __call__(self):
            self.advance(1.0)
            return self.now

    result = stage_shares(Loader(Numbers(4, FakeClock()), 2, FakeClock()), clock=Ticking())
    assert result.overhead_share == pytest.approx(1.0, abs=0.02)
    # 4 reads and 2 collations of a second each are gone; the reading that ends each of 3 requests
    # for a batch stays.
    assert result.seconds == pytest.approx(
        {"fetch": 0.0, "transform": 0.0, "collate": 0.0, "other": 3.0}, abs=0.1
    )


def test_stages_in_other_processes_are_refused_with_the_remedy():
    loader = Loader(Numbers(2, FakeClock()), 1, FakeClock())
    loader.num_workers = 2
    with pytest.raises(ValueError, match=r"num_workers is 2.*num_workers=0"):
        stage_shares(loader)


def test_a_loader_without_a_dataset_is_refused_with_the_remedy():
    with pytest.raises(ValueError, match=r"\.dataset.*throughput\(loader\)"):
        stage_shares(type("Bare", (), {"batch_size": 2})())


def test_a_failing_transform_is_seen_as_it_is():
    clock = FakeClock()
    dataset = Numbers(2, clock, 0.5, 0.5)
    dataset.transform = lambda number: 1 // 0
    with pytest.raises(ZeroDivisionError):
        stage_shares(Loader(dataset, 1, clock), clock=clock)


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
    assert (result.samples_per_second, result.batches, result.samples, result.batch_size) == (
        10.0,
        5,
        20,
        4,
    )
    assert result.seconds == (1.0, 2.0, 4.0)
    # rates 20, 10, 5: quartiles 15 and 7.5
    assert result.spread == pytest.approx((15 - 7.5) / 10) and result.noisy
    assert result.as_dict()["samples_per_second"] == 10.0 and "10 samples/s, batch 4" in str(result)


def test_a_steady_loader_has_no_spread():
    clock = FakeClock()
    result = throughput(Epochs(clock, [2.0] * 6), clock=clock)
    assert (len(result.seconds), result.spread, result.noisy) == (5, 0.0, False)


def test_the_clock_runs_before_the_first_batch_is_asked_for():
    clock = FakeClock()

    class Lazy:
        def __iter__(self):
            clock.advance(3.0)  # building the order belongs to the epoch
            return iter([np.zeros(2)])

    assert throughput(Lazy(), clock=clock, warmup=0, repeats=1).seconds == (3.0,)


@pytest.mark.parametrize(
    "loader, message",
    [([], "no batch$"), (iter([np.zeros(2)]), "no batch the second time; a generator")],
)
def test_a_loader_without_batches_is_refused(loader, message):
    clock = FakeClock()
    with pytest.raises(ValueError, match=message):
        throughput(loader, clock=clock)


def test_a_clock_that_stands_still_is_refused():
    with pytest.raises(ValueError, match="clock did not move during an epoch of 2 samples"):
        throughput([np.zeros(2)], clock=FakeClock())


@pytest.mark.parametrize("change", [{"repeats": 0}, {"warmup": -1}])
def test_counts_out_of_range_are_refused_with_their_value(change):
    name, value = next(iter(change.items()))
    with pytest.raises(ValueError, match=f"{name}={value}"):
        throughput([np.zeros(2)], **change)


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


class Allocating:
    """Yields `num_batches` new arrays of `num_bytes`, and keeps all of them on request."""

    def __init__(self, num_bytes, num_batches, keep=False):
        self.num_bytes, self.num_batches, self.keep, self.kept = num_bytes, num_batches, keep, []

    def __iter__(self):
        for _ in range(self.num_batches):
            if self.keep:
                self.kept.append(np.zeros(self.num_bytes, dtype=np.uint8))
                yield self.kept[-1]
            else:
                yield np.zeros(self.num_bytes, dtype=np.uint8)


SLACK = 20_000  # bytes: iterators, array headers and what the interpreter allocates beside


class Handing(Allocating):
    """Drops each array when it yields it, so that only the consumer can keep it."""

    def __iter__(self):
        return (np.zeros(self.num_bytes, dtype=np.uint8) for _ in range(self.num_batches))


def test_a_batch_is_dropped_before_the_next_is_asked_for():
    # A consumer that held its batch would make two arrays live at once.
    assert peak_memory(Handing(1_000_000, 4)) <= 1_000_000 + SLACK


@pytest.mark.parametrize("keep, arrays", [(False, 1), (True, 4)])
def test_peak_memory_is_the_arrays_that_live_at_once(keep, arrays):
    peak = peak_memory(Allocating(1_000_000, 4, keep))
    assert arrays * 1_000_000 <= peak <= arrays * 1_000_000 + SLACK


def test_a_peak_before_the_epoch_does_not_count():
    import tracemalloc

    tracemalloc.start()
    try:
        np.zeros(50_000_000, dtype=np.uint8)
        kept = np.zeros(3_000_000, dtype=np.uint8)
        assert 1_000_000 <= peak_memory(Allocating(1_000_000, 2)) <= 1_000_000 + SLACK
        assert tracemalloc.is_tracing()  # tracing that was on before stays on
        assert len(kept)
    finally:
        tracemalloc.stop()
    peak_memory([])
    assert not tracemalloc.is_tracing()


def test_tracing_stops_when_the_loader_fails():
    import tracemalloc

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

"""The differential method: what each variant leaves out, what is counted, and when a file is cold.
All clocks are fake.
"""

import itertools
import os
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pathologies import FakeWorld, Gathered, Loader, Remembering, Rows, images

from tinytorch.profiler.diagnosis import differential_runs
from tinytorch.testing import FakeClock

seconds = st.floats(1e-6, 1e3)


def rate(*seconds_of_runs, batches=2, samples=8):
    return differential_runs.Rate(
        tuple(differential_runs.Run(value, 0.0, batches, samples) for value in seconds_of_runs)
    )


@settings(max_examples=100)
@given(seconds, seconds, st.none() | seconds, st.none() | seconds)
def test_the_shares_are_fractions_that_sum_to_one(synthetic, warm, cached, cold):
    rates = {
        "synthetic": rate(synthetic),
        "warm": rate(warm),
        "cached": cached and rate(cached),
        "cold": cold and rate(cold),
    }
    shares = differential_runs.split(rates)
    assert sum(shares.values()) == pytest.approx(1) and all(
        0 <= share <= 1 for share in shares.values()
    )


def test_the_shares_are_the_differences_of_the_variants():
    rates = {"synthetic": rate(1.0), "cached": rate(4.0), "warm": rate(5.0), "cold": rate(10.0)}
    assert differential_runs.split(rates) == pytest.approx(
        {"compute": 0.1, "prep": 0.3, "fetch": 0.6}
    )
    assert differential_runs.split({**rates, "cold": None}) == pytest.approx(
        {"compute": 0.2, "prep": 0.6, "fetch": 0.2}
    )
    assert differential_runs.split({**rates, "cached": None}) == pytest.approx(
        {"compute": 0.1, "prep": 0.4, "fetch": 0.5}
    )


def test_a_rate_is_a_median_with_its_interquartile_spread():
    result = rate(1.0, 2.0, 4.0)  # 8, 4 and 2 samples a second: quartiles 6 and 3
    assert (result.samples_per_second, result.seconds_per_batch, result.spread, result.noisy) == (
        4.0,
        1.0,
        0.75,
        True,
    )
    assert rate(1.0, 1.1).noisy is False
    # the median of many runs is sure although single runs vary
    assert rate(*[1.0, 1.25, 1.5] * 2).noisy is False and rate(*[1.0, 1.25, 1.5]).spread > 0.15


def test_variants_take_turns_and_the_warmup_is_dropped():
    calls, numbers = [], itertools.count(1)

    def variant(name):
        return lambda: (calls.append(name), differential_runs.Run(float(next(numbers)), 0.0, 1, 1))[
            1
        ]

    rates = differential_runs.interleaved(
        {"a": variant("a"), "b": variant("b")}, repeats=2, warmup=1
    )
    assert calls == ["a", "b"] * 3
    assert [run.seconds for run in rates["b"].runs] == [4.0, 6.0]


def test_a_run_knows_its_first_batch_its_steps_and_stops_in_time():
    world = FakeWorld()
    loader = Loader(Rows(images(10), read=lambda: world.sleep(1.0)), 2)
    run = differential_runs.timed_run(loader, lambda batch: world.spin(3.0), 3, world.clock)
    assert (round(run.first_seconds), round(run.seconds), run.batches, run.samples) == (2, 15, 3, 6)


def test_a_run_without_batches_or_time_is_refused():
    with pytest.raises(ValueError, match="no batch; make_loader must return"):
        differential_runs.timed_run([], None, 3, FakeClock())
    with pytest.raises(ValueError, match="clock did not move during 1 batches"):
        differential_runs.timed_run([np.zeros(2)], None, 3, FakeClock())


def test_a_cached_loader_reads_nothing_but_transforms_every_sample():
    reads, transformed = [], []
    dataset = Rows(
        np.arange(6),
        read=lambda: reads.append(1),
        transform=lambda value: transformed.append(int(value)) or value,
    )
    twin, kept = differential_runs.with_kept_samples(Loader(dataset, 2, shuffle=False))
    assert [batch.tolist() for batch in twin] == [[0, 1], [2, 3], [4, 5]]
    before = len(reads)
    assert before == 6
    transformed.clear()
    assert [batch.tolist() for batch in twin] == [[0, 1], [2, 3], [4, 5]]
    assert (len(reads), transformed, kept.reads) == (before, list(range(6)), 12)
    assert dataset[3] == 3 and len(reads) == before + 1  # the loader's own dataset is as it was


def test_a_cached_loader_keeps_a_bounded_number_of_samples():
    reads = []
    twin, _ = differential_runs.with_kept_samples(
        Loader(Rows(np.arange(1000), read=lambda: reads.append(1)), 10)
    )
    assert sum(len(batch) for batch in twin) == 1000
    assert len(reads) == differential_runs.KEPT_SAMPLES


def test_a_transform_below_a_subset_and_its_generator_are_seen():
    seen = []

    class Keyed(Rows):
        def sample_with(self, index, rng):
            return self.transform(self.rows[index], rng=rng)

    class Part:
        def __init__(self, dataset):
            self.dataset = dataset

        def __len__(self):
            return 2

        def sample_with(self, index, rng):
            return self.dataset.sample_with(index + 1, rng)

        def __getitem__(self, index):
            raise AssertionError("a dataset with sample_with is read through it")

    dataset = Part(Keyed(np.arange(4), transform=lambda value, rng=None: seen.append(rng) or value))
    kept = differential_runs.with_kept_samples(SimpleNamespace(dataset=dataset))[1]
    assert [kept.sample_with(0, "first"), kept.sample_with(0, "second")] == [1, 1]
    # the transform is repeated only for its time, not for new numbers
    assert seen == ["first", "first"]


def test_a_batched_dataset_is_read_once_for_each_length_and_order_is_noticed():
    reads = []
    dataset = Gathered(images(64), read=lambda: reads.append(1))
    for shuffle in (True, False):
        reads.clear()
        twin, kept = differential_runs.with_kept_samples(Loader(dataset, 20, shuffle=shuffle))
        assert [len(batch) for batch in twin] == [20, 20, 20, 4]
        assert (len(reads), kept.reads, kept.shuffled) == (2, 4, shuffle)


@pytest.mark.parametrize("shuffle", [True, False])
def test_single_reads_tell_order_from_shuffle(shuffle):
    twin, kept = differential_runs.with_kept_samples(
        Loader(Rows(np.arange(50)), 5, shuffle=shuffle)
    )
    list(twin)
    assert kept.shuffled is shuffle


@pytest.mark.parametrize(
    "loader, why",
    [
        ([1, 2], r"list has no \.dataset"),
        (SimpleNamespace(dataset=iter([1])), "is a stream"),
        (
            SimpleNamespace(dataset=[1], num_workers=2),
            "read in 2 other processes: measure with num_workers=0",
        ),
        (SimpleNamespace(dataset=[]), "the dataset is empty"),
    ],
)
def test_a_loader_whose_samples_cannot_be_kept_says_why(loader, why):
    with pytest.raises(ValueError, match=why):
        differential_runs.with_kept_samples(loader)


def saved(path, rows):
    np.save(path, rows)
    return path


def test_memory_maps_are_found_behind_views_and_wrappers_once(tmp_path):
    rows = np.load(saved(tmp_path / "rows.npy", images(8)), mmap_mode="r")
    view = np.asarray(rows)[2:]  # a plain ndarray whose memory is the map's
    assert type(view) is np.ndarray
    for dataset in (
        Rows(view),
        Rows(SimpleNamespace(data=rows)),
        [rows[1:], view[3:]],
        {"x": (view, rows)},
    ):
        (found,) = differential_runs.memory_maps(SimpleNamespace(dataset=dataset))
        assert found._mmap is rows._mmap
    assert differential_runs.memory_maps(SimpleNamespace(dataset=Rows(np.array(rows)))) == []


@pytest.mark.parametrize("mode", ["r", "r+", "c"])
def test_evicting_a_memory_map_changes_no_byte(tmp_path, mode):
    if not hasattr(os, "posix_fadvise"):
        pytest.skip("this system has no posix_fadvise")
    rows = np.load(saved(tmp_path / "rows.npy", images(64)), mmap_mode=mode)
    if mode != "r":
        rows[5] = 7  # not yet on disk; with mode "c" it never will be
    want = rows.copy()
    differential_runs.evict([rows], [])
    assert np.array_equal(rows, want)


def test_a_cold_run_drops_the_pages_that_are_mapped(tmp_path):
    if not os.path.exists("/proc/self/smaps") or not hasattr(os, "posix_fadvise"):
        pytest.skip("mapped pages are counted in /proc/self/smaps, which this system has not")
    path = saved(tmp_path / "rows.npy", images(1024))
    rows = np.load(path, mmap_mode="r")
    rows.sum()
    assert mapped_kilobytes(path) >= 3000
    differential_runs.evict([rows], [])
    assert mapped_kilobytes(path) <= 100


def mapped_kilobytes(path):
    lines = iter(Path("/proc/self/smaps").read_text(encoding="utf-8").splitlines())
    return sum(
        int(next(line for line in lines if line.startswith("Rss:")).split()[1])
        for line in lines
        if line.endswith(str(path))
    )


def test_why_nothing_can_be_cold_is_a_sentence(tmp_path, monkeypatch):
    loader = Loader(Rows(images(4)))
    assert differential_runs.Cold(loader, ()).why_not.startswith("no file of this loader is known")
    monkeypatch.delattr(os, "posix_fadvise", raising=False)
    assert differential_runs.Cold(loader, (tmp_path,)).why_not.startswith(
        "this system has no posix_fadvise"
    )


def test_a_cache_of_ones_own_is_emptied_before_every_cold_run_and_filled_after():
    events = []
    loader = Loader(Rows(images(4), read=lambda: events.append("read")), 4)
    cold = differential_runs.Cold(loader, lambda: events.append("emptied"))
    assert cold.why_not is None and cold.was_cold
    cold.run(lambda: events.append("run"))
    assert events == ["emptied", "run"] + ["read"] * 4


def test_files_are_only_called_cold_when_something_was_read_from_a_disk(tmp_path, monkeypatch):
    blocks = iter([5, 5, 5, 9])
    monkeypatch.setattr(differential_runs, "blocks_read", lambda: next(blocks))
    monkeypatch.setattr(differential_runs, "evict", lambda maps, paths: None)
    monkeypatch.setattr(os, "posix_fadvise", lambda *_: None, raising=False)
    cold = differential_runs.Cold(Loader(Rows(images(4))), (saved(tmp_path / "a.npy", images(4)),))
    cold.run(lambda: None)
    assert cold.was_cold is False
    cold.run(lambda: None)
    assert cold.was_cold is True


def test_reading_a_sample_tells_waiting_from_work_and_a_second_read_from_the_first():
    world = FakeWorld()
    reading = differential_runs.read_samples(
        Rows(images(100), read=lambda: (world.sleep(3.0), world.spin(1.0))),
        clock=world.clock,
        busy_clock=lambda: (world.worked, 0.0),
    )
    assert reading.waiting_share == pytest.approx(0.75, abs=1e-3)
    assert reading.seconds / reading.again_seconds == pytest.approx(1, abs=1e-3)
    remembered = differential_runs.read_samples(
        Remembering(images(10_000), read=lambda: world.spin(1.0)),
        clock=world.clock,
        busy_clock=lambda: (world.worked, 0.0),
    )
    assert remembered.seconds / remembered.again_seconds > 1e5 and remembered.waiting_share < 1e-3
    assert (
        differential_runs.read_samples(iter([1]), clock=world.clock, busy_clock=world.clock) is None
    )


def test_the_busy_clock_of_this_system_moves_while_computing():
    before = differential_runs.busy_seconds()
    sum(range(200_000))
    assert differential_runs.busy_seconds()[0] > before[0]


def test_the_busy_clock_is_that_of_the_process_where_threads_have_none(monkeypatch):
    monkeypatch.delattr(differential_runs.time, "thread_time")  # as in the browser
    monkeypatch.setattr(differential_runs.time, "process_time", lambda: 7.0)
    assert differential_runs.busy_seconds()[0] == 7.0


def test_time_in_a_neighbors_hands_is_no_waiting():
    world, queued = FakeWorld(), []
    reading = differential_runs.read_samples(
        Rows(images(100), read=lambda: (world.sleep(8.0), queued.append(6.0), world.spin(2.0))),
        clock=world.clock,
        # 10 seconds: 2 of work, 6 in the queue, 2 waiting
        busy_clock=lambda: (world.worked, sum(queued)),
    )
    assert reading.waiting_share == pytest.approx(0.5, abs=1e-3)

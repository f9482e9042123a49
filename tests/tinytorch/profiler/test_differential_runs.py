"""The differential method: what each variant leaves out, what is counted, and when a file is cold.
All clocks are fake.
"""

import os
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pathologies import FakeWorld, Gathered, Loader, Remembering, Rows, images

from tinytorch.profiler.diagnosis import differential_runs, single_reads
from tinytorch.profiler.diagnosis.differential_runs import Rate, Rates, Run, with_kept_samples
from tinytorch.testing import FakeClock

seconds = st.floats(1e-6, 1e3)


def rate(*seconds_of_runs):
    return Rate(tuple(Run(value, 0.0, batches=2, samples=8) for value in seconds_of_runs))


def stalls(synthetic, cached, warm, cold):
    found = [value and rate(value) for value in (synthetic, cached, warm, cold)]
    return Rates(*found, alone=found[2], gather=found[2], copy=found[2]).stalls()


@settings(max_examples=100)
@given(seconds, st.none() | seconds, seconds, st.none() | seconds)
def test_the_shares_are_fractions_that_sum_to_one(synthetic, cached, warm, cold):
    shares = stalls(synthetic, cached, warm, cold)
    assert sum(shares.values()) == pytest.approx(1)
    assert all(0 <= share <= 1 for share in shares.values())


@pytest.mark.parametrize(
    "cached, cold, shares",
    [(4.0, 10.0, [0.1, 0.3, 0.6]), (4.0, None, [0.2, 0.6, 0.2]), (None, 10.0, [0.1, 0.4, 0.5])],
)
def test_the_shares_are_the_differences_of_the_variants(cached, cold, shares):
    found = stalls(1.0, cached, 5.0, cold)
    assert [found[name] for name in ("compute", "prep", "fetch")] == pytest.approx(shares)


def test_a_rate_is_a_median_with_its_interquartile_spread():
    result = rate(1.0, 2.0, 4.0)  # 8, 4 and 2 samples a second: quartiles 6 and 3
    assert (result.samples_per_second, result.seconds_per_batch, result.spread) == (4.0, 1.0, 0.75)
    assert result.noisy and not rate(1.0, 1.1).noisy
    # the median of many runs is sure although single runs vary
    assert rate(*[1.0, 1.25, 1.5]).spread > 0.15 and not rate(*[1.0, 1.25, 1.5] * 2).noisy


def test_a_run_knows_its_first_batch_its_steps_and_stops_in_time():
    world = FakeWorld()
    loader = Loader(Rows(images(10), read=lambda: world.sleep(1.0)), 2)
    run = differential_runs.timed_run(loader, lambda batch: world.spin(3.0), 3, world.clock)
    assert (round(run.first_seconds), round(run.seconds), run.batches, run.samples) == (2, 15, 3, 6)
    for empty, says in (([], "no batch; make_loader must"), ([np.zeros(2)], "during 1 batches")):
        with pytest.raises(ValueError, match=says):
            differential_runs.timed_run(empty, None, 3, FakeClock())


# Samples that are kept in memory


def test_a_cached_loader_reads_a_bounded_number_but_transforms_every_sample():
    reads, transformed = [], []
    rows = np.arange(1000)
    dataset = Rows(rows, lambda: reads.append(1), lambda row: transformed.append(row) or row)
    twin, kept = with_kept_samples(Loader(dataset, 10, shuffle=False))
    assert np.array_equal(next(iter(twin)), rows[:10])
    for _ in range(2):
        transformed.clear()
        assert sum(map(len, twin)) == len(transformed) == 1000
    assert len(reads) == differential_runs.KEPT_SAMPLES and kept.reads == 2010 and kept.transforms
    # the loader's own dataset is as it was
    assert dataset[3] == 3 and len(reads) == differential_runs.KEPT_SAMPLES + 1


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
    kept = with_kept_samples(SimpleNamespace(dataset=dataset))[1]
    assert [kept.sample_with(0, "first"), kept.sample_with(0, "second")] == [1, 1]
    # the transform is repeated only for its time, not for new numbers
    assert seen == ["first", "first"]
    assert dataset.dataset.transform(3) == 3 and len(kept._inputs) == 1  # its own is untouched


@pytest.mark.parametrize("shuffle", [True, False])
@pytest.mark.parametrize("kind, read, kept_reads", [(Gathered, 2, 4), (Rows, 64, 64)])
def test_a_batched_dataset_is_read_once_for_each_length_and_order_is_noticed(
    kind, read, kept_reads, shuffle
):
    reads = []
    loader = Loader(kind(images(64), read=lambda: reads.append(1)), 20, shuffle=shuffle)
    twin, kept = with_kept_samples(loader)
    assert [len(batch) for batch in twin] == [20, 20, 20, 4]
    assert (len(reads), kept.reads, kept.shuffled) == (read, kept_reads, shuffle)
    assert not kept.transforms


@pytest.mark.parametrize(
    "dataset, num_workers, why",
    [
        (iter([1]), 0, "is a stream"),
        ([1], 2, "read in 2 other processes: measure with num_workers=0"),
        ([], 0, "the dataset is empty"),
    ],
)
def test_a_loader_whose_samples_cannot_be_kept_says_why(dataset, num_workers, why):
    with pytest.raises(ValueError, match=why):
        with_kept_samples(SimpleNamespace(dataset=dataset, num_workers=num_workers))
    with pytest.raises(ValueError, match=r"list has no \.dataset"):
        with_kept_samples([1, 2])


# Cold files


@pytest.fixture
def saved(tmp_path):
    np.save(tmp_path / "rows.npy", images(1024))
    return tmp_path / "rows.npy"


def test_memory_maps_are_found_behind_views_and_wrappers_once(saved):
    rows = np.load(saved, mmap_mode="r")
    view = np.asarray(rows)[2:]  # a plain ndarray whose memory is the map's
    wrapped = Rows(SimpleNamespace(data=rows))
    for dataset in (Rows(view), wrapped, [rows[1:], view[3:]], {"x": (view, rows)}):
        (found,) = differential_runs.memory_maps(SimpleNamespace(dataset=dataset))
        assert found._mmap is rows._mmap
    assert differential_runs.memory_maps(SimpleNamespace(dataset=Rows(np.array(rows)))) == []


@pytest.mark.skipif(not hasattr(os, "posix_fadvise"), reason="this system has no posix_fadvise")
@pytest.mark.parametrize("mode", ["r", "r+", "c"])
def test_evicting_a_memory_map_changes_no_byte_and_drops_its_pages(saved, mode):
    rows = np.load(saved, mmap_mode=mode)
    if mode != "r":
        rows[5] = 7  # not yet on disk; with mode "c" it never will be
    want = rows.copy()
    differential_runs.evict([rows], [])
    assert mode == "c" or mapped_kilobytes(saved) <= 100
    assert np.array_equal(rows, want)


def mapped_kilobytes(path):
    lines = iter(Path("/proc/self/smaps").read_text(encoding="utf-8").splitlines())
    return sum(
        int(next(line for line in lines if line.startswith("Rss:")).split()[1])
        for line in lines
        if line.endswith(str(path))
    )


def test_files_are_only_called_cold_when_something_was_read_from_a_disk(saved, monkeypatch):
    blocks = iter([5, 5, 5, 9])
    monkeypatch.setattr(differential_runs, "blocks_read", lambda: next(blocks))
    monkeypatch.setattr(differential_runs, "evict", lambda maps, paths: None)
    monkeypatch.setattr(os, "posix_fadvise", lambda *_: None, raising=False)
    loader = Loader(Rows(images(4)))
    cold = differential_runs.Cold(loader, (saved,))
    assert [(cold.run(lambda: None), cold.was_cold)[1] for _ in range(2)] == [False, True]
    assert differential_runs.Cold(loader, ()).why_not.startswith("no file of this loader is known")
    monkeypatch.delattr(os, "posix_fadvise", raising=False)
    why_not = differential_runs.Cold(loader, (saved,)).why_not
    assert why_not.startswith("this system has no posix_fadvise")


# Single samples


def read(dataset, world, queued=(), **settings):
    busy = lambda: (world.worked, sum(queued))  # noqa: E731
    return single_reads.read_samples(dataset, clock=world.clock, busy_clock=busy, **settings)


@pytest.mark.parametrize(
    "waited, queued, worked, share",
    [(3.0, 0.0, 1.0, 0.75), (8.0, 6.0, 2.0, 0.5)],  # time in a neighbor's hands is no waiting
)
def test_reading_a_sample_tells_waiting_from_work(waited, queued, worked, share):
    world, in_queue = FakeWorld(), []
    work = lambda: (world.sleep(waited), in_queue.append(queued), world.spin(worked))  # noqa: E731
    reading = read(Rows(images(100), read=work), world, in_queue)
    assert reading.waiting_share == pytest.approx(share, abs=1e-3)
    assert reading.seconds / reading.again_seconds == pytest.approx(1, abs=1e-3)
    assert not reading.keeps and not reading.random


def test_samples_that_are_kept_or_drawn_are_told_and_slow_ones_are_read_a_few_times():
    world, reads, noise = FakeWorld(), [], np.random.default_rng(1)
    spin = lambda: reads.append(world.spin(1.0))  # noqa: E731
    remembered = read(Remembering(images(10_000), read=spin), world)
    assert remembered.keeps and remembered.waiting_share < 1e-3
    assert remembered.seconds / remembered.again_seconds > 1e5
    drawn = Rows(images(100), transform=lambda row: (row, noise.random(3)))
    assert read(drawn, world).random
    reads.clear()
    read(Rows(images(100), read=spin), world, limit_seconds=9)
    assert len(reads) == 3 * 5
    assert read(iter([1]), world) is read({"a": 1}, world) is None


@pytest.mark.parametrize("key", [[1, 2], "one", slice(0, 2)], ids=str)
def test_a_sample_is_kept_whatever_key_the_sampler_gives(key):
    read = []

    class OfOneKey(Rows):
        def __getitem__(self, index):
            if index != key:
                raise KeyError(index)
            return read.append(index) or index

    twin, kept = with_kept_samples(SimpleNamespace(dataset=OfOneKey([0])))
    kept.fill(1.0, 1, FakeClock())
    assert [twin.dataset[key], twin.dataset[key]] == [key, key]
    assert read == [key] and kept.reads == 2

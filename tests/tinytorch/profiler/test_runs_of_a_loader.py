"""How the runs of a report treat a loader: its length, its threads, and what ends its epochs."""

import threading
import time

import numpy as np
import pytest
from pathologies import FakeWorld

from tinytorch.profiler import profile_loader
from tinytorch.profiler.diagnosis.batch_contents import times_each
from tinytorch.profiler.diagnosis.differential_runs import Rate, Run, timed_run
from tinytorch.profiler.diagnosis.reduce_to_facts import start_share
from tinytorch.profiler.recording.unknown_loader import with_workers

BATCH = np.zeros((4, 3))


class Polling:
    """Threads that wait for a reader, and never end if the reader leaves early."""

    def __init__(self):
        self.left = 0

    def __iter__(self):
        room, end = threading.Semaphore(1), threading.Event()

        def fill():
            while not end.is_set():
                room.acquire()

        thread = threading.Thread(target=fill, daemon=True)
        thread.start()
        for _ in range(12):
            room.release()
            time.sleep(0.001)
            yield BATCH
        end.set()
        room.release()
        thread.join()


def test_threads_of_a_loader_end_although_its_epochs_are_left_early():
    """Such a loader is read to its end."""
    before = threading.active_count()
    profile_loader(Polling, quick=True, batches=2, repeats=1)
    # the first epoch was left to find out that there are threads
    assert threading.active_count() <= before + 1


def short(make, world, step=None, **settings):
    return profile_loader(make, step, quick=True, batches=8, **settings, **world.profile_settings())


def test_batches_that_come_in_bursts_are_no_slow_start():
    world = FakeWorld()

    def shards():
        for _ in range(6):
            world.sleep(0.5)
            yield from [BATCH] * 12

    report = short(shards, world, repeats=1)
    assert report.facts.start_share < 0.5 and report.verdict.kind != "slow start"


def test_a_start_promises_nothing_in_an_epoch_whose_end_was_not_seen():
    world = FakeWorld()

    def endless():
        world.sleep(1.2)  # longer than batches are counted
        while True:
            world.sleep(0.001)
            yield BATCH

    report = short(endless, world, repeats=1)
    assert not report.facts.epoch_known and report.verdict.buys == 1


@pytest.mark.parametrize("batch", [None, ["a", "b"]])
def test_batches_without_an_array_are_measured(batch):
    settings = {"quick": True, **FakeWorld().profile_settings()}
    assert profile_loader(lambda: [batch] * 30, **settings).loading["batches"] > 1


@pytest.mark.parametrize(
    "make, said",
    [([1, 2], "takes a function that returns a loader, got a list"), (print, "returned NoneType")],
)
def test_what_makes_no_loader_is_refused_in_a_sentence(make, said):
    with pytest.raises(TypeError, match=said):
        profile_loader(make)


def test_a_loader_of_slow_batches_has_its_function_named_too():
    def slow():
        for _ in range(4):
            time.sleep(0.35)
            yield BATCH

    report = profile_loader(slow, seconds=1.0)
    assert ".slow (test_runs_of_a_loader.py" in report.facts.where
    assert "1 time over 1 batch" in report.reasons["doubt"]


def test_what_ends_an_epoch_is_timed_where_that_is_asked_and_counts_once():
    world = FakeWorld()

    class Closing:
        def __iter__(self):
            try:
                for _ in range(10):
                    world.spin(1.0)
                    yield BATCH
            finally:
                world.spin(100.0)

    for timed, close, whole in ((True, 100, 11), (False, 0, 1)):
        run = timed_run(Closing(), None, 4, world.clock, 10, timed_close=timed)
        assert run.close_seconds == pytest.approx(close, abs=0.01)
        assert run.seconds_per_batch == pytest.approx(whole, abs=0.01)
    assert Run(10.0, 0.0, 10, 40, 9.0, 10, (), 5.0).seconds_per_batch == 1.5  # a whole epoch


def test_a_loop_that_queued_for_a_core_has_no_slow_start():
    def share(**more):
        run = Run(1.0, 0.6, 5, 20, 0.4, 5, (0.1,) * 4, **more)
        return start_share(Rate((run,)), 5)

    assert share() == pytest.approx((0.6 - 0.1) / (0.6 + 4 * 0.1))
    assert share(queued_seconds=0.55) == 0
    assert share(close_seconds=1.0) > share()


def test_other_loaders_have_no_copy_with_workers():
    assert with_workers([1, 2], 2) is None and with_workers(Polling(), 0) is None


def test_samples_that_come_again_are_counted_against_the_loader_without_workers():
    rows = np.arange(24).reshape(6, 4)
    once, twice = [rows[:3], rows[3:]], [rows[:3], rows[:3], rows[3:], rows[3:]]
    assert times_each(twice, once, 4) == 2 and times_each(once, once, 4) == 1
    blank = [np.zeros((3, 4))] * 4  # equal samples are no repeated ones
    assert times_each(blank, blank, 4) == 1


@pytest.mark.torch
def test_a_stream_of_pytorch_is_not_given_workers_since_each_would_read_all_of_it():
    data = pytest.importorskip("torch.utils.data", reason="PyTorch is not installed")

    class Stream(data.IterableDataset):
        def __iter__(self):
            return iter(range(8))

    loader = data.DataLoader(Stream(), 4)
    assert with_workers(loader, 2) is None
    assert len(list(with_workers(loader, 0))) == 2
    twin = with_workers(data.DataLoader(range(8), 4), 2)
    assert [batch.tolist() for batch in twin] == [[0, 1, 2, 3], [4, 5, 6, 7]]

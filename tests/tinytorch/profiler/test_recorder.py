"""The recorder reports exactly the delays that a test puts into a loop, and leaves the loader as it
was. All clocks are fake.
"""

import contextlib
import copy
import functools
import itertools
import pickle
import re
import sys
import threading
import weakref
from unittest import mock

import numpy as np
import pytest
from clocked import Joined, Loader, Numbers
from hypothesis import given, settings
from hypothesis import strategies as st

from tinytorch.profiler import Profiler, contention, stage_shares
from tinytorch.profiler.recording.epochs import Cost
from tinytorch.testing import FakeClock

LAW = settings(max_examples=25)
delays = st.integers(0, 64).map(lambda n: n / 64)  # binary fractions, so that sums are exact


class Function(Loader):
    """The same loader with a `collate_fn` attribute in place of the method."""

    _collate_batch = None

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.collate_fn = functools.partial(Loader._collate_batch, self)

    def _stacked(self, samples):
        return self.collate_fn(samples)


class Ahead(Loader):
    """Reads a whole epoch in a thread before it gives out the first batch; `_load` makes a
    batch, as in the course's loader.
    """

    def _load(self, start):
        return self._made(start)

    def _batches(self):
        batches = []
        starts = range(0, len(self.dataset), self.batch_size)
        worker = threading.Thread(target=lambda: batches.extend(map(self._load, starts)))
        worker.start()
        worker.join()
        yield from batches


def watched(loader, clock, step=0.0, **settings):
    """The report of an epoch whose steps take so many seconds."""
    with Profiler(clock, **settings) as profiler:
        for _ in profiler.wrap(loader):
            clock.advance(step)
    return profiler.report()


@LAW
@given(
    st.integers(1, 12),
    st.integers(1, 5),
    st.tuples(*[delays] * 5),
    st.sampled_from([Loader, Ahead, Function]),
    st.booleans(),
)
def test_every_second_is_charged_to_the_stage_it_was_put_into(
    num_samples, batch_size, seconds, kind, joined
):
    fetch, transform, collate, other, step = seconds
    clock = FakeClock()
    dataset = Numbers(num_samples, clock, fetch, transform)
    if joined:
        dataset, num_samples = Joined(dataset, dataset), 2 * num_samples
    batches = -(-num_samples // batch_size)
    report = watched(kind(dataset, batch_size, clock, collate, other), clock, step)
    assert report.stages == {
        "fetch": num_samples * fetch,
        "transform": num_samples * transform,
        "collate": batches * collate,
        "other": batches * other,
    }
    assert (report.batches, report.samples) == (batches, num_samples)
    assert (report.step_seconds, report.step_seconds_median) == (
        batches * step,
        step * (batches > 0),
    )
    # a thread that reads the whole epoch first makes the loop wait for all of it
    assert report.wait_seconds == sum(report.stages.values())
    assert report.wall_seconds == report.wait_seconds + report.step_seconds
    assert report.idle_share == (
        report.wait_seconds / report.wall_seconds if report.wall_seconds else 0.0
    )
    assert report.unseen == "" and report.overhead_share == 0.0
    # only reads of the loader are counted, not those of the joined datasets
    assert report.reads_per_batch == num_samples / batches


def test_a_batch_read_is_fetch_and_a_batch_transform_is_transform():
    clock = FakeClock()

    class Gather(Numbers):
        def __getitems__(self, indices):
            clock.advance(2.0)
            return list(indices)

    class GatherLoader(Loader):
        def batch_transform(self, batch):
            clock.advance(1.0)
            return batch

        def __iter__(self):
            yield self.batch_transform(self._collate_batch(self.dataset.__getitems__(range(4))))

    report = watched(GatherLoader(Gather(4, clock), 4, clock, collate=0.5), clock)
    assert report.stages == {"fetch": 2.0, "transform": 1.0, "collate": 0.5, "other": 0.0}


def test_the_time_of_a_streams_samples_is_charged_to_fetch():
    clock = FakeClock()

    class Stream:
        """A dataset that is read by iteration alone."""

        def __iter__(self):
            for number in range(6):
                clock.advance(2.0)
                yield number

    class OfStream(Function):
        def _batches(self):
            samples = iter(self.dataset)
            while pair := list(itertools.islice(samples, 2)):
                yield self._stacked(pair)

    loader = OfStream(Stream(), 2, clock, collate=1.0)
    report = watched(loader, clock, detail=True)
    assert report.stages == {"fetch": 12.0, "transform": 0.0, "collate": 3.0, "other": 0.0}
    assert (report.batches, report.reads_per_batch) == (3, 2) and type(loader.dataset) is Stream


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


def test_what_measuring_costs_is_reported_and_taken_off_the_stages():
    loader = Loader(Numbers(4, FakeClock()), 2, FakeClock())
    # reading this clock costs one second, and nothing else takes time
    result = stage_shares(loader, clock=itertools.count().__next__)
    assert result.overhead_share == pytest.approx(1.0, abs=0.05)
    # 4 reads and 2 collations of a second each are gone; the reading that ends each of 3 requests
    # for a batch stays
    seconds = {"fetch": 0.0, "transform": 0.0, "collate": 0.0, "other": 3.0}
    assert result.seconds == pytest.approx(seconds, abs=0.1)


@pytest.mark.parametrize(
    "kind, ready, second",  # when the first batch is there, and when the second is being made
    [(Loader, 5.0, 9.0), (Ahead, 8.5, 5.0)],
)
def test_the_spans_of_both_lanes_lie_where_the_time_went(kind, ready, second):
    clock = FakeClock()
    report = watched(kind(Numbers(3, clock, 1.0, 0.5), 2, clock, collate=2.0), clock, 4.0)
    found = {
        lane: [
            (span.stage, span.batch, span.start, span.stop)
            for span in report.spans
            if span.lane == lane and (lane == "train" or span.start < span.stop)
        ]
        for lane in ("train", "load")
    }
    assert found["train"] == [
        ("wait", 0, 0.0, ready),
        ("wait", 1, ready + 4.0, 12.5),
        ("wait", 2, 16.5, 16.5),
        ("step", 0, ready, ready + 4.0),
        ("step", 1, 12.5, 16.5),
    ]
    assert found["load"] == [
        # two reads, added up
        ("fetch", 0, 0.0, 2.0),
        ("transform", 0, 2.0, 3.0),
        ("collate", 0, 3.0, 5.0),
        ("fetch", 1, second, second + 1.0),
        ("transform", 1, second + 1.0, second + 1.5),
        ("collate", 1, second + 1.5, second + 3.5),
    ]


def test_in_the_body_of_the_loop_nothing_is_timed_and_epochs_are_added_up():
    clock = FakeClock()
    dataset = Numbers(4, clock, 1.0, 1.0)
    loader = Loader(dataset, 2, clock)
    with Profiler(clock) as profiler:
        for _ in range(2):
            for _ in profiler.wrap(loader):
                assert (type(loader), type(dataset)) == (Loader, Numbers)
                assert loader.dataset is dataset and dataset.transform == dataset._slow
    assert (loader.epoch, dataset.reads) == (2, 8)
    report = profiler.report()
    assert report.batches == 4 and report.stages["fetch"] == 8.0
    assert [span.batch for span in report.spans if span.stage == "step"] == [0, 1, 2, 3]


def test_a_loader_that_pickles_its_dataset_while_it_is_timed_gets_its_own_class():
    clock = FakeClock()

    class Sending(Loader):
        def _batches(self):
            yield type(pickle.loads(pickle.dumps(self.dataset)))

    with Profiler(clock) as profiler:
        assert list(profiler.wrap(Sending(Numbers(1, clock), 1, clock))) == [Numbers]


class ItsOwnClass(Loader):
    """Says what its class is and refuses another, as the loaders of Accelerate do."""

    __class__ = property(lambda self: Loader)


class NoSubclass(Loader):
    def __init_subclass__(cls, **words):
        raise ValueError("registered already")


def test_a_report_says_which_of_several_ranks_it_is_of(monkeypatch):
    with Profiler(FakeClock(), synchronize=lambda: None) as profiler:
        list(profiler.wrap([[1]], "x"))
    assert str(profiler.report()).startswith("x: 1 batches")
    torch = mock.MagicMock()  # it is not among the libraries of these tests
    torch.distributed.get_rank.return_value = 1
    torch.distributed.get_world_size.return_value = 4
    monkeypatch.setitem(sys.modules, "torch", torch)
    assert str(profiler.report()).startswith("x (rank 1 of 4): 1 batches")


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_a_copy_of_a_wrapped_loader_is_watched_and_a_pickled_one_is_the_loader(copied):
    clock = FakeClock()
    loader = Loader(Numbers(6, clock), 2, clock)
    with Profiler(clock) as profiler:
        wrapped = profiler.wrap(loader)
        assert list(map(len, copied(wrapped))) == list(map(len, wrapped))
    assert profiler.report().batches == 6
    assert type(pickle.loads(pickle.dumps(profiler.wrap([1, 2])))) is list


@pytest.mark.parametrize("kind", [Loader, Ahead])
@pytest.mark.parametrize("leave", ["break", "raise", "hold"])
def test_a_loop_that_ends_early_ends_its_watch_and_takes_the_clocks_off(kind, leave):
    clock = FakeClock()
    loader = kind(Numbers(6, clock, 1.0), 2, clock)
    with contextlib.suppress(KeyError), Profiler(clock) as profiler:
        batches = iter(profiler.wrap(loader))
        next(batches)
        clock.advance(3.0)
        if leave == "raise":
            raise KeyError
        if leave == "break":
            batches.close()
        # "hold": an iterator that is still referenced is closed at the end of the with block
    report = profiler.report()
    assert (report.batches, report.step_seconds) == (1, 3.0)
    assert (type(loader), type(loader.dataset)) == (kind, Numbers)
    assert list(batches) == []


def test_an_error_in_the_loader_comes_out_as_it_is_with_the_clocks_off():
    clock = FakeClock()
    loader = Loader(Numbers(2, clock), 1, clock)
    loader.dataset.transform = lambda number: 1 // number
    with pytest.raises(ZeroDivisionError):
        watched(loader, clock)
    assert (type(loader), type(loader.dataset)) == (Loader, Numbers)


def test_a_loop_in_a_loop_over_the_same_dataset_is_two_reports():
    clock = FakeClock()
    dataset = Numbers(2, clock, 1.0)
    train, check = Loader(dataset, 1, clock), Loader(dataset, 2, clock, collate=0.5)
    with Profiler(clock) as profiler:
        with pytest.raises(ValueError, match=r"for batch in p.wrap"):
            profiler.report()
        for _ in profiler.wrap(train, "train"):
            for _ in profiler.wrap(check, "check"):
                clock.advance(0.25)
    outer, inner = profiler.report("train"), profiler.report("check")
    assert outer.stages == {"fetch": 2.0, "transform": 0.0, "collate": 0.0, "other": 0.0}
    assert inner.stages == {"fetch": 4.0, "transform": 0.0, "collate": 1.0, "other": 0.0}
    assert (outer.step_seconds, inner.step_seconds) == (2 * (2.0 + 0.5 + 0.25), 2 * 0.25)
    assert str(profiler.report()) == f"{outer}\n{inner}"
    with pytest.raises(ValueError, match=r"train, check.*got 'test'; try report\('train'\)"):
        profiler.report("test")


@pytest.mark.parametrize(
    "loader, says",
    [
        ((n for n in range(3)), "generator has no .dataset: only wait and step"),
        ([1, 2, 3], "list has no .dataset"),
        (
            type("Workers", (list,), {"dataset": [], "num_workers": 2})([1, 2, 3]),
            r"other processes \(num_workers=2\).*num_workers=0 shows",
        ),
        (type("Deaf", (list,), {"dataset": []})([1, 2, 3]), "Deaf made no call of its .dataset"),
        (ItsOwnClass(Numbers(6, FakeClock()), 2, FakeClock()), "only wait and step are known"),
        (NoSubclass(Numbers(6, FakeClock()), 2, FakeClock()), r"extended\): only wait"),
    ],
)
def test_what_cannot_be_seen_is_said_and_the_rest_is_measured(loader, says):
    report = watched(loader, FakeClock(), 2.0)
    assert report.stages is None and (report.batches, report.step_seconds) == (3, 6.0)
    assert re.search(says, report.unseen) and report.unseen in str(report)


@pytest.mark.parametrize("dataset", [[5, 6, 7], range(3), np.arange(3)])
def test_a_dataset_whose_class_is_fixed_is_timed_through_a_stand_in_with_its_methods(dataset):
    class Each:
        def __init__(self):
            self.dataset = dataset

        def __iter__(self):
            yield from (self.dataset[i] for i in range(len(self.dataset)))
            yield self.dataset.index(1) if isinstance(dataset, range) else 1

    with Profiler(FakeClock()) as profiler:
        assert list(profiler.wrap(Each())) == [*dataset, 1]
    assert profiler.report().stages is not None and profiler.report().unseen == ""


def test_batches_without_detail_are_split_as_the_others_and_the_first_does_not_count():
    clock = FakeClock()
    profiler = Profiler(clock)
    profiler.cost = Cost(detail=0.03, epoch=0.5)  # 0.2% of the time: one in 15 s, or half more
    loader = Loader(Numbers(80, clock, 0.75), 1, clock, collate=0.25)
    loader.dataset.transform = lambda number: clock.advance(0.0 if number else 20.0)
    list(profiler.wrap(loader))
    report = profiler.report()
    timed = {span.batch for span in report.spans if span.lane == "load" and not span.estimated}
    assert 3 <= len(timed) <= 12 and 0 in timed
    assert report.stages == pytest.approx(
        {"fetch": 60.0, "transform": 20.0, "collate": 20.0, "other": 0.0}
    )
    assert report.overhead_share == pytest.approx((0.5 + len(timed) * 0.03) / 100.0)
    assert report.overhead_share < 0.03
    everything = Profiler(clock, detail=True)
    everything.cost = profiler.cost
    list(everything.wrap(loader))
    assert not any(span.estimated for span in everything.report().spans)


def test_the_batch_of_the_last_step_is_free_while_the_next_one_is_made():
    alive = []

    class Fresh:
        def __iter__(self):
            for _ in range(3):
                alive.append(sum(one() is not None for one in made))
                batch = np.zeros(2)
                made.append(weakref.ref(batch))
                yield batch
                del batch

    made = []
    batches = iter(Profiler(FakeClock()).wrap(Fresh()))
    for _ in range(3):
        next(batches)
    assert alive == [0, 0, 0]


def batches(count, step, wait):
    """The report of so many batches that are waited for."""
    clock = FakeClock()
    return watched((clock.advance(wait) for _ in range(count)), clock, step)


@pytest.mark.parametrize(
    "after, verdict, wall, stretch",
    [
        # idle went from 40% to 0, nothing got faster
        ((4, 10.0, 0.0), "contention", 1.0, 10 / 6),
        ((4, 6.0, 0.0), "faster", 0.6, 1.0),
        ((4, 6.0, 4.0), "no gain", 1.0, 1.0),
        # twice the batches: it compares per batch
        ((8, 10.0, 0.0), "contention", 1.0, 10 / 6),
    ],
)
def test_idle_that_falls_while_wall_time_does_not_is_contention(after, verdict, wall, stretch):
    found = contention(batches(4, 6.0, 4.0), batches(*after))
    assert (found.verdict, found.idle_before) == (verdict, pytest.approx(0.4))
    assert (found.wall_ratio, found.step_stretch) == (pytest.approx(wall), pytest.approx(stretch))
    assert str(found).startswith(verdict)
    with pytest.raises(ValueError, match="0 batches"):
        contention(batches(0, 1.0, 1.0), batches(*after))

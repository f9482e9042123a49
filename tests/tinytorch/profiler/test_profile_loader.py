"""`profile_loader` on loaders with injected costs: it reports exactly these shares, and the right
verdict. No real clock is used.
"""

import itertools
import json

import numpy as np
import pytest
from pathologies import BATCH, INJECTED, CopiedTwice, FakeWorld, Gathered, Loader, Rows, images

from tinytorch.profiler import LoaderReport, profile_loader
from tinytorch.profiler.diagnosis import tried_settings
from tinytorch.profiler.diagnosis.bench import Bench, Source, matmul_step


def profiled(make_loader, world, step=lambda batch: None, **settings):
    return profile_loader(
        make_loader,
        step,
        **{"batches": 8, "repeats": 2, "quick": False, **world.profile_settings(), **settings},
    )


@pytest.mark.parametrize("case", INJECTED, ids=lambda case: case.kind)
def test_an_injected_fault_gets_its_verdict_also_where_only_that_is_measured(case):
    world, whole = FakeWorld(), FakeWorld()
    if case.fixed:
        repaired = profiled(case.fixed(world), world, case.step(world))
        assert repaired.verdict.kind != case.kind, repaired.facts
    world = FakeWorld()
    settings = {"batches": None, "repeats": 5, "quick": False}
    report = profiled(case.sick(world), world, case.step(world), seconds=1e9, **settings)
    full = profiled(case.sick(whole), whole, case.step(whole), **settings)
    assert report.verdict.kind == full.verdict.kind == case.kind, full.facts
    assert "doubt" not in report.reasons
    assert (report.repeats, report.batches) == (full.repeats, full.batches)
    assert world.now <= whole.now


@pytest.mark.parametrize("batch_seconds", [0.001, 0.05, 0.1, 1.0])
@pytest.mark.parametrize("ahead", [False, True])
def test_limited_seconds_are_kept_and_too_few_runs_are_a_doubt(batch_seconds, ahead):
    world = FakeWorld()

    slow = lambda rows: (world.spin(batch_seconds), np.stack(rows))[1]  # noqa: E731
    make = lambda: Loader(Rows(images(8 * 64)), 64, collate_fn=slow)  # noqa: E731
    make_ahead = lambda prefetch=0: make()  # noqa: E731
    settings = {"batches": None, "repeats": 5, "seconds": 7.0}
    step = lambda batch: world.spin(0.002)  # noqa: E731
    report = profiled(make_ahead if ahead else make, world, step, **settings)
    assert world.now < 10 and report.batches >= 1
    doubt = report.reasons.get("doubt", "")
    assert bool(doubt) == (report.batches < 3 or report.repeats < 3) == (batch_seconds >= 0.1)
    assert ("a sure answer takes about" in doubt) == bool(doubt)
    # no gain beside a doubt
    assert (report.verdict.buys > 1) == (not doubt)


@pytest.mark.parametrize("waits", [True, False])
def test_more_workers_than_cores_are_tried_where_samples_wait(waits, monkeypatch):
    monkeypatch.setattr(tried_settings, "cores", lambda: 2)
    world = FakeWorld()
    read = world.sleep if waits else world.spin

    def make(num_workers=0):
        return Loader(Rows(images(256), lambda: read(0.01 / max(1, num_workers))), 32)

    report = profiled(make, world, lambda batch: world.spin(0.001))
    tried = [row["num_workers"] for row in report.workers]
    assert tried == ([0, 1, 2, 4, 8, 16] if waits else [0, 1, 2])
    assert report.facts.best_workers == tried[-1]
    assert report.verdict.buys > 1.5 and report.verdict.tried
    # what ran once promises nothing
    once = profiled(make, world, lambda batch: world.spin(0.001), repeats=1).verdict
    assert (once.kind, once.buys, once.tried) == (report.verdict.kind, 1.0, "")


def test_a_report_holds_what_was_injected():
    world, state = FakeWorld(), {"empty": False}
    dataset = Rows(
        images(64),
        read=lambda: world.sleep(0.25 + 0.5 * state["empty"]),
        transform=lambda row: (world.spin(0.5), row)[1],
    )

    class Filling(Loader):
        def __iter__(self):
            yield from super().__iter__()
            state["empty"] = False  # after one epoch the cache is full

    def make(batch_size=8, prefetch=0):
        collate = lambda rows: (world.spin(2.0), np.stack(rows))[1]  # noqa: E731
        return Filling(dataset, batch_size, collate_fn=collate, prefetch=prefetch)

    report = profiled(
        make, world, lambda batch: world.spin(2.0), evict=lambda: state.update(empty=True)
    )
    # a batch of 8: reads 2 s and 4 more from the disk, transforms 4, collation 2, the step 2
    rates = {kind: rate["samples_per_second"] for kind, rate in report.rates.items()}
    want = {"synthetic": 8 / 2, "cached": 8 / 8, "warm": 8 / 10, "cold": 8 / 14}
    assert rates == pytest.approx(want, rel=1e-3)
    shares = {"compute": 2 / 14, "prep": 6 / 14, "fetch": 6 / 14}
    assert report.stalls == pytest.approx(shares, abs=1e-3) and "cold" not in report.reasons
    assert report.step["seconds"] == pytest.approx(2.0, abs=1e-2)
    assert report.loading["samples_per_second"] == pytest.approx(8 / 8, rel=1e-3)
    assert (report.loading["batches"], report.loading["samples"]) == (8, 64)
    shares = {"fetch": 0.25, "transform": 0.5, "collate": 0.25, "other": 0.0}
    assert report.stages["shares"] == pytest.approx(shares, abs=1e-3)
    limit = report.limit
    assert limit["bytes_per_sample"] == 3072
    gathered = limit["limit_samples_per_second"]
    assert limit["share_of_limit"] == report.loading["samples_per_second"] / gathered
    assert limit["gather_bytes_per_second"] == gathered * 3072
    # on this clock both take the same time
    assert limit["memcpy_bytes_per_second"] == pytest.approx(gathered * 3072, rel=1e-3)
    # batch sizes are compared over the loader alone
    rates = {row["batch_size"]: row["samples_per_second"] for row in report.sweep}
    assert {1, 4, 16} <= set(rates)
    for size, rate in rates.items():
        assert rate == pytest.approx(size / (0.75 * size + 2.0), rel=1e-2)
    assert report.facts.best_batch_size == max(rates)
    assert report.facts.best_batch_speedup == pytest.approx(max(rates.values()) / rates[8])


def test_the_timelines_hold_wall_idle_and_step_together():
    world = FakeWorld()
    dataset = Rows(images(64), read=lambda: world.spin(0.25))
    report = profiled(
        lambda prefetch=0: Loader(dataset, 8, prefetch=prefetch),
        world,
        lambda batch: world.spin(6.0),
    )
    assert [row["name"] for row in report.timelines] == [
        "Load, then train",
        "Prefetch, step elsewhere",
        "Prefetch, step on the same cores",
    ]
    serial = report.timelines[0]
    names = ("wall_seconds", "idle_share", "step_seconds", "stretch")
    assert [serial[name] for name in names] == pytest.approx([64.0, 0.25, 6.0, 1.0], rel=1e-3)
    assert {span["lane"] for span in serial["spans"]} == {"load", "train"}
    assert {span["batch"] for span in serial["spans"]} == set(range(8))


def test_what_cannot_be_measured_is_none_with_a_sentence():
    def numbers():
        return (np.ones((4, 2)) for _ in range(8))

    found = json.loads(json.dumps(profiled(numbers, FakeWorld()).as_dict()))
    assert set(found) == {"schema", *LoaderReport.__dataclass_fields__} and found["schema"] == 1
    assert [found[key] for key in ("stages", "sweep", "timelines")] == [None] * 3
    assert found["rates"]["cached"] is None and found["rates"]["cold"] is None
    assert {"cached", "cold", "stages", "sweep", "timelines"} <= set(found["reasons"])
    assert all(len(reason.split()) > 3 for reason in found["reasons"].values())
    # a generator function is called again for every run
    assert found["batches"] == 8 and found["loading"]["samples"] == 32
    with pytest.raises(ValueError, match="no batch; profile_loader needs at least one"):
        profile_loader(list)


def test_bytes_of_batch_dataset_and_copies_are_counted():
    world = FakeWorld()
    once = profiled(lambda: Loader(Gathered(images(512)), BATCH), world).memory
    assert once["batch_bytes"] == BATCH * 3072 and once["dataset_bytes"] == 512 * 3072
    assert once["copied_bytes_per_batch"] == pytest.approx(BATCH * 3072, rel=0.05)
    twice = profiled(lambda: Loader(CopiedTwice(images(512)), BATCH), world).memory
    assert twice["copied_bytes_per_batch"] == pytest.approx(2 * BATCH * 3072, rel=0.05)
    assert twice["peak_bytes"] >= 2 * BATCH * 3072


def test_the_default_step_is_as_long_as_asked_by_its_clock(monkeypatch):
    calls, batch = [], np.ones((4, 4), np.float32)
    clock = itertools.count().__next__  # a call took one second: three of them take three
    step = matmul_step(batch, 3.0, clock)
    monkeypatch.setattr(np, "matmul", lambda *args, **kwargs: calls.append(1))
    step(batch)
    assert len(calls) == 3


def test_a_step_of_uneven_length_is_not_taken_for_loading():
    """By chance, the steps with the same batch again and again are shorter than those between
    batches.
    """
    world, lengths = FakeWorld(), iter([1.0] * 40 + [1.2] * 100_000)
    report = profiled(
        lambda: Loader(Gathered(images(64)), 8, collate_fn=None),
        world,
        lambda batch: world.spin(next(lengths)),
    )
    assert report.facts.loading_share < 0.05


@pytest.mark.parametrize("queued", [0.05, 0.4])
def test_a_program_whose_core_others_want_is_told_so_and_promised_nothing(queued):
    world = FakeWorld()
    settings = world.profile_settings() | {"busy_clock": lambda: (world.now, queued * world.now)}

    def load():
        for _ in range(40):
            world.spin(0.01)
            yield np.zeros((4, 4))

    report = profile_loader(load, lambda _: world.spin(0.01), repeats=3, **settings)
    doubt = report.reasons.get("doubt", "")
    assert ("for 40% of the time" in doubt) == report.facts.noisy == (queued > 0.1)
    # what other programs took is no part of a batch
    assert report.loading["seconds_per_batch"] == pytest.approx((1 - queued) * 0.01, rel=0.01)


@pytest.mark.parametrize("module, own", [("torch.utils.data", False), ("mine", True)])
def test_pytorch_s_own_collation_is_told_from_that_of_the_user(module, own):
    def stack(rows):
        return np.stack(rows)

    stack.__module__ = module
    report = profiled(lambda: Loader(Rows(images(64)), 32, collate_fn=stack), FakeWorld())
    assert report.facts.own_collate == own


def test_what_a_loop_queued_beside_a_short_run_is_no_part_of_the_run():
    world, reads = FakeWorld(), []

    def busy_clock():  # other programs get the core whenever it is asked
        reads.append(world.sleep(0.01))
        return 0.0, 0.01 * len(reads)

    source = Source(lambda: [np.zeros((4, 4))] * 4)
    bench = Bench(source, world.clock, 3, 1, True, busy_clock, world.sleep, lambda: None)
    run = bench.run(source.loader, lambda _: world.spin(1e-4), 4, 4)
    assert run.seconds < run.queued_seconds < run.whole_seconds
    # of 400 microseconds a part is the loop's own, not a hundredth
    assert run.own_share > 0.3

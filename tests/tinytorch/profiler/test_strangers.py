"""Loaders, batches and devices that nobody here wrote: what other libraries do is imitated by its
shape.
"""

import itertools

import numpy as np
import pytest
from pathologies import FakeWorld, Loader, Rows, images

from tinytorch.profiler import Profiler, profile_loader
from tinytorch.profiler.recording.arrays_in_a_batch import batch_bytes, count_samples, largest_array
from tinytorch.profiler.recording.unknown_loader import processes_of, workers_of
from tinytorch.testing import FakeClock


def leaf(**parts):
    """A leaf of a batch whose parts each give a value or raise an error."""

    def part(value):
        def get(self):
            if isinstance(value, Exception):
                raise value
            return value

        return property(get)

    made = {name: part(value) for name, value in parts.items() if name != "array"}
    array = lambda self, dtype=None, copy=None: part(parts["array"]).fget(self)  # noqa: E731
    return type("Foreign", (), made | ({"__array__": array} if "array" in parts else {}))()


@pytest.mark.parametrize(
    "parts, samples, size",
    [
        # bfloat16, gradients: NumPy refuses, the library knows
        ({"shape": (4, 3), "nbytes": 24, "array": TypeError("unsupported ScalarType")}, 4, 24),
        # a sparse tensor does not say how many bytes it has
        ({"shape": (4, 4), "nbytes": RuntimeError("sparse"), "array": TypeError()}, 4, 8),
        # a nested tensor has no shape at all
        ({"shape": RuntimeError("nested"), "nbytes": 40}, 1, 40),
        ({"shape": (None, 2), "nbytes": None, "data": NotImplementedError()}, 1, 8),
        ({"shape": (), "data": np.zeros(3)}, 1, 24),
    ],
)
def test_what_numpy_cannot_read_has_the_size_that_it_names(parts, samples, size):
    assert (count_samples(leaf(**parts)), batch_bytes((leaf(**parts), 1))) == (samples, size + 8)
    assert (largest_array([leaf(**parts)]) is None) == (size != 24 or "nbytes" in parts)


def test_only_numbers_say_how_far_a_loader_reads_ahead():
    class Inside:
        num_workers = 0

    class LikeFastai:
        num_workers, fake_l = 1, Inside()

    class LikeTfData:
        def prefetch(self):
            raise AssertionError("a method of the loader was called")

    assert workers_of(LikeFastai()) == processes_of(LikeFastai()) == workers_of(LikeTfData()) == 0
    Inside.num_workers = 2
    assert workers_of(LikeFastai()) == processes_of(LikeFastai()) == 2


@pytest.mark.parametrize("several", [tuple, list, lambda pair: dict(zip("ab", pair, strict=True))])
@pytest.mark.parametrize("kind", [lambda: Loader([1, 2]), lambda: iter([1])])
def test_several_loaders_are_refused_with_the_way_to_measure_one(several, kind):
    made = several((kind(), kind()))
    key = "'a'" if isinstance(made, dict) else "0"
    with pytest.raises(TypeError, match=rf"{type(made).__name__} of 2; try .*\[{key}\]"):
        profile_loader(lambda: made)
    with pytest.raises(TypeError, match=rf"{type(made).__name__} of 2; try .*\[{key}\]"):
        Profiler(FakeClock()).wrap(made)


# A wrapped loader


def test_a_report_of_many_batches_is_short_and_names_a_straggler_and_the_first_wait():
    clock = FakeClock()

    def batches(usual):
        for seconds in [30.0] + [1.0] * usual + [40.0]:
            clock.advance(seconds)
            yield [0]

    with Profiler(clock) as profiler:
        for usual in (20, 999):
            for _ in profiler.wrap(batches(usual), str(usual)):
                clock.advance(1.0)
    few, many = profiler.report("20"), profiler.report("999")
    assert many.waits == {"first": 30.0, "median": 1.0, "p95": 1.0, "max": 40.0}
    assert "the longest 40,000, the first 30,000" in str(many)
    assert len(repr(many)) < len(repr(few)) + 20 and len(many.spans) == 2 * 1001 + 1


def test_a_loader_that_holds_its_dataset_elsewhere_has_no_fictional_cached_run():
    """As fastai's does: a copy with another .dataset reads the old one."""
    world = FakeWorld()

    class Elsewhere(Loader):
        def __iter__(self):
            return iter(Loader(self.inside, 8))

    rows = Rows(images(64), lambda: world.spin(0.001))
    make = lambda: Elsewhere(rows, 8, inside=rows)  # noqa: E731
    report = profile_loader(make, lambda batch: world.spin(0.01), batches=8, **quick(world))
    assert report.rates["cached"] is None and "its own dataset" in report.reasons["cached"]


# Time before the first batch, and time after the last call


def quick(world):
    return {"repeats": 2, **world.profile_settings()}


class Timed:
    """A loader of batches that each take some seconds, after `start` seconds."""

    def __init__(self, world, seconds, start=0.0, prefetch=0):
        self.world, self.seconds, self.start, self.prefetch = world, seconds, start, prefetch

    def __len__(self):
        return len(self.seconds)

    def __iter__(self):
        self.world.spin(self.start)
        for seconds in self.seconds:
            self.world.spin(seconds)
            yield np.zeros((4, 4))


@pytest.mark.parametrize("batches", [20, 90])
@pytest.mark.parametrize("counted", [False, True])
def test_what_comes_before_the_first_batch_counts_once_in_an_epoch(batches, counted):
    world = FakeWorld()
    timed = Timed(world, [0.01] * batches, start=2.0)
    make = (lambda: iter(timed)) if counted else lambda: timed
    report = profile_loader(make, lambda _: world.spin(0.01), batches=8, **quick(world))
    loading = 2.0 + 0.01 * batches  # 8 batches alone would say 2.08 / 2.16
    share = loading / (loading + 0.01 * batches)
    assert report.facts.loading_share == pytest.approx(share, abs=0.01)


def test_a_straggler_stands_beside_the_median():
    world = FakeWorld()
    seconds = ([0.001] * 10 + [0.4] + [0.001] * 9) * 3
    report = profile_loader(lambda: Timed(world, seconds), batches=60, **quick(world))
    gaps = report.loading["between_batches"]
    assert gaps["median"] == pytest.approx(0.001, rel=0.01)
    assert gaps["max"] == pytest.approx(0.4, rel=0.01) and 0.001 < gaps["p95"] <= gaps["max"]


class Device:
    """An accelerator: a step puts 20 ms of work into its queue and returns."""

    def __init__(self, world):
        self.world, self.free = world, 0.0

    def step(self, batch):
        self.free = max(self.free, self.world.now) + 0.02

    def synchronize(self):
        self.world.spin(max(0.0, self.free - self.world.now))


@pytest.mark.parametrize("load, share", [(0.005, 0.0), (0.02, 0.0), (0.06, 2 / 3)])
def test_a_step_that_returns_at_once_is_waited_for(load, share):
    world = FakeWorld()
    device = Device(world)
    waits = {"synchronize": device.synchronize, **quick(world)}
    slow = lambda: Timed(world, [load] * 64)  # noqa: E731
    report = profile_loader(slow, device.step, batches=64, **waits)
    assert report.facts.loading_share == pytest.approx(share, abs=0.05)


@pytest.mark.parametrize("ahead", [0, 2])
def test_without_a_step_the_report_says_how_long_a_step_hides_the_loading(ahead):
    world = FakeWorld()
    slow = lambda: Timed(world, [0.25] * 8, prefetch=ahead)  # noqa: E731
    settings = {"batches": 8, **quick(world)}
    report = profile_loader(slow, **settings)
    assert report.break_even["seconds"] == pytest.approx(0.25, rel=1e-3)
    wanted = "hides it" if ahead else "it is 5% of the time beside a step of 4.75 s"
    assert "takes 250 ms" in report.break_even["sentence"] and wanted in str(report.break_even)
    assert report.step["kind"] == "none" and report.verdict.kind != "step-bound"
    assert "none was given" in report.reasons["timelines"]
    assert report.rates["synthetic"] is None and report.reasons["synthetic"]
    beside = profile_loader(slow, 0.001, **settings)
    assert beside.step["kind"] == "stand-in"
    assert beside.step["seconds"] == pytest.approx(0.001, rel=0.05)
    with pytest.raises(ValueError, match="more than 0 seconds, got -1"):
        profile_loader(slow, -1, **settings)


def test_a_recorded_step_ends_when_the_device_is_done():
    world = FakeWorld()
    device = Device(world)
    with Profiler(lambda: world.now, synchronize=device.synchronize) as profiler:
        for batch in itertools.islice(profiler.wrap([0] * 9), 5):
            device.step(batch)
    assert profiler.report().step_seconds == pytest.approx(5 * 0.02)
    assert profiler.report().step_seconds_median == pytest.approx(0.02)
    assert profiler.report().idle_share == 0

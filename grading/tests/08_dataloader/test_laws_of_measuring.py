"""Hidden: the measuring functions under a clock and a loader of the test's own."""

import numpy as np
import pytest

from tinytorch.core.tensor import Tensor
from tinytorch.testing import FakeClock, expect


class Timed:
    """Batches of random sizes; the epoch k costs seconds[k], some of it before the first batch
    and some after the last.
    """

    def __init__(self, clock, sizes, seconds, form):
        self.clock, self.sizes, self.seconds, self.form, self.epochs = (
            clock,
            sizes,
            seconds,
            form,
            0,
        )

    def __iter__(self):
        cost = self.seconds[self.epochs] / (len(self.sizes) + 2)
        self.epochs += 1
        self.clock.advance(cost)
        for size in self.sizes:
            self.clock.advance(cost)
            rows = Tensor(np.zeros((size, 2)))
            yield {"tensor": rows, "tuple": (rows, rows), "dict": {"x": rows}}[self.form]
        self.clock.advance(cost)


@pytest.mark.contract("test_measure_throughput")
def test_throughput_is_the_median_of_whole_epochs(tt, draw):
    for form in ("tensor", "tuple", "dict"):
        clock, warmup, repeats = (
            FakeClock(float(draw.uniform(0, 1e4))),
            int(draw.integers(0, 3)),
            int(draw.integers(1, 6)),
        )
        sizes, seconds = draw.integers(1, 9, 3).tolist(), draw.uniform(0.5, 20, warmup + repeats)
        loader = Timed(clock, sizes, seconds, form)
        got = tt.measure_throughput(loader, clock=clock, warmup=warmup, repeats=repeats)
        want = float(np.median(sum(sizes) / seconds[warmup:]))
        expect(
            abs(got - want) < 1e-6 * want,
            "The result is the median of samples / seconds of these epochs.",
            call=(
                f"measure_throughput(batches of {sizes} as {form},"
                f" warmup={warmup}, repeats={repeats})"
            ),
            got=got,
            want=want,
            look="count samples, not batches; the clock around the whole loop",
        )
        expect(
            loader.epochs == warmup + repeats,
            "Then `repeats` epochs (5 by default) are timed, one by one.",
            call=f"warmup={warmup}, repeats={repeats}",
            got=loader.epochs,
            want=warmup + repeats,
        )


@pytest.mark.contract("test_measure_throughput")
def test_one_lucky_or_slow_epoch_moves_nothing(tt, draw):
    usual, odd = float(draw.uniform(1, 4)), int(draw.integers(5))
    for factor in (0.01, 100.0):
        clock = FakeClock()
        seconds = [usual * (factor if epoch == odd else 1) for epoch in range(5)]
        loader = Timed(clock, [4, 4, 2], seconds, "tensor")
        got = tt.measure_throughput(loader, clock=clock, warmup=0, repeats=5)
        expect(
            abs(got - 10 / usual) < 1e-6 * got,
            "The result is the median of samples / seconds of these epochs.",
            call=f"10 samples an epoch, which take {[round(s, 2) for s in seconds]} s",
            got=got,
            want=10 / usual,
            look="np.median, not the mean and not the best",
        )


@pytest.mark.contract("test_measure_memory")
def test_memory_is_a_peak_of_one_epoch(tt, draw):
    class Batches:
        def __init__(self, megabytes):
            self.megabytes, self.epochs = megabytes, 0

        def __iter__(self):
            self.epochs += 1
            for size in self.megabytes:
                yield np.ones(int(size * 1e6), np.uint8)

    largest = float(draw.uniform(1, 2))
    loader = Batches([0.03, largest, 0.03, 0.03])
    got = tt.measure_memory(loader) / 1e6
    expect(
        largest <= got <= 4 * largest,
        "The peak is the largest amount held at one time, not the sum and not what is left at"
        " the end.",
        call=f"measure_memory(one batch of {largest:.1f} MB among small ones)",
        got=f"{got:.1f} MB",
        want=f"{largest:.1f} to {4 * largest:.1f} MB",
        look="get_traced_memory() gives (now, peak)",
    )
    expect(
        loader.epochs == 1,
        "One epoch is run, and none of its batches is kept.",
        got=f"{loader.epochs} epochs",
        want="1 epoch",
    )


@pytest.mark.contract("test_measure_memory")
def test_memory_is_proportional_to_the_batch_whatever_was_before(tt, draw):
    class Even:
        def __init__(self, size):
            self.size = size

        def __iter__(self):
            for _ in range(2):
                yield np.ones(self.size, np.uint8)

    size, found = int(draw.integers(200_000, 400_000)), []

    class Nested:  # measured itself, so that a measurement inside finds a peak from before
        def __iter__(self):
            found.extend(tt.measure_memory(Even(n)) for n in (8 * size, size, 8 * size))
            return iter([])

    tt.measure_memory(Nested())
    large, small, again = found
    for got in (large, again):
        expect(
            6 <= got / small <= 10,
            "An earlier peak does not count.",
            call=f"measure_memory(batches of {8 * size} B) / measure_memory(batches of {size} B)",
            got=f"{got / small:.1f}",
            want="8, give or take 2",
            look="reset_peak() first",
        )


@pytest.mark.contract("test_measure_memory")
def test_what_was_held_before_does_not_count(tt, draw):
    size, found = int(draw.integers(200_000, 400_000)), []

    class Small:
        def __iter__(self):
            yield np.ones(size, np.uint8)

    class Holding:  # its first batch is still held while the second one is made
        def __iter__(self):
            yield np.ones(10 * size, np.uint8)
            found.append(tt.measure_memory(Small()))

    tt.measure_memory(Holding())
    (got,) = found
    expect(
        size <= got <= 6 * size,
        "Memory that was held before the epoch does not count.",
        call=f"measure_memory(a batch of {size} B), while {10 * size} B are held",
        got=f"{got} B",
        want=f"about {size} B",
        look="subtract the level at the start",
    )

"""Promises of the measuring functions: a fake clock, and batches of known size. `tt`
is your exported package.
"""

import numpy as np
import pytest

from tinytorch.testing import FakeClock, expect


class SlowLoader:
    """`batches` batches of `size` samples; each costs the seconds that
    `seconds(epoch)` says.
    """

    def __init__(self, clock, seconds, batches=4, size=5):
        self.clock, self.seconds, self.batches, self.size, self.epochs = (
            clock,
            seconds,
            batches,
            size,
            0,
        )

    def __iter__(self):
        self.epochs += 1
        for _ in range(self.batches):
            self.clock.advance(self.seconds(self.epochs))
            yield np.zeros((self.size, 2))


@pytest.mark.contract("test_measure_throughput")
def test_throughput_times_whole_epochs(tt):
    clock = FakeClock()
    loader = SlowLoader(clock, lambda epoch: 0.5)
    got = tt.measure_throughput(loader, clock=clock, warmup=1, repeats=3)
    expect(
        got == 10,
        "The clock runs from before the first batch of an epoch to after its last.",
        call="20 samples in 4 batches, each 0.5 s to load",
        got=got,
        want=10.0,
        look="where does the clock start: before the loop, or in it?",
    )
    expect(
        loader.epochs == 4,
        "Then `repeats` epochs are timed, one by one.",
        call="measure_throughput(loader, warmup=1, repeats=3)",
        got=f"{loader.epochs} epochs",
        want="4 epochs",
    )


@pytest.mark.contract("test_measure_throughput")
def test_throughput_leaves_the_warm_up_out_and_takes_the_median(tt):
    clock = FakeClock()
    # The first two epochs are slow, and so is one of the five that are timed.
    loader = SlowLoader(clock, lambda epoch: {1: 50, 2: 50, 5: 10}.get(epoch, 1))
    got = tt.measure_throughput(loader, clock=clock, warmup=2, repeats=5)
    expect(
        got == 5,
        "The result is the median of samples / seconds of these epochs.",
        call="2 slow warm-up epochs, then 1 slow epoch among 5",
        got=got,
        want=5.0,
        look="one rate for each timed epoch, then the median of the rates",
    )


@pytest.mark.contract("test_measure_memory")
def test_memory_grows_with_the_batch(tt):
    class Batches:
        def __init__(self, size_bytes):
            self.size_bytes = size_bytes

        def __iter__(self):
            for _ in range(6):
                yield np.ones(self.size_bytes, np.uint8)

    large, small = (
        tt.measure_memory(Batches(2_000_000)),
        tt.measure_memory(Batches(250_000)),
    )
    # One batch at least; two are alive while the next is made; four leave room for
    # another way of counting.
    for name, size, got in (("2 MB", 2e6, large), ("0.25 MB", 0.25e6, small)):
        expect(
            size <= got <= 4 * size,
            "One epoch is run, and none of its batches is kept.",
            call=f"measure_memory(6 batches of {name})",
            got=f"{got / 1e6:.2f} MB",
            want=f"{size / 1e6:g} to {4 * size / 1e6:g} MB",
            look="the peak, above what was there at the start",
        )

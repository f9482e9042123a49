"""Promises of the measuring functions: a fake clock, and batches of known size. `tt`
is your exported package.
"""

import numpy as np
import pytest

from tinytorch.testing import FakeClock, expect, expect_raises


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
        look="is the clock read before and after the loop over the batches? samples are"
        " counted, not batches",
    )
    expect(
        loader.epochs == 4,
        "Then `repeats` epochs (5 by default) are timed, one by one.",
        call="measure_throughput(loader, warmup=1, repeats=3)",
        got=f"{loader.epochs} epochs",
        want="4 epochs",
        look="1 epoch to warm up, and 3 that are timed",
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
        tt.measure_memory(Batches(1_000_000)),
        tt.measure_memory(Batches(125_000)),
    )
    # One batch at least; two are alive while the next is made; four leave room for
    # another way of counting.
    for name, size, got in (("1 MB", 1e6, large), ("0.125 MB", 0.125e6, small)):
        expect(
            isinstance(got, (int, np.integer)),
            "The peak is the largest amount held at one time, not the sum and not"
            " what is left at the end.",
            call=f"measure_memory(6 batches of {name})",
            got=f"{type(got).__name__} {got}",
            want="an int: a number of bytes",
            look="peak - before, as they are: a number of bytes",
        )
        expect(
            size <= got <= 4 * size,
            "One epoch is run, and none of its batches is kept.",
            call=f"measure_memory(6 batches of {name})",
            got=f"{got / 1e6:.2f} MB",
            want=f"{size / 1e6:g} to {4 * size / 1e6:g} MB",
            look="the peak above what was there at the start; what holds a batch after"
            " the"
            " next one has come?",
        )


class Counted:
    """10 samples an epoch in batches of 4, 4, 2; each epoch takes `seconds`, half of
    them before the first batch and half after the last.
    """

    def __init__(self, clock, seconds, form):
        self.clock, self.seconds, self.form = clock, list(seconds), form

    def __iter__(self):
        half = self.seconds.pop(0) / 2
        self.clock.advance(half)
        return self.batches(half)

    def batches(self, half):
        for size in (4, 4, 2):
            yield self.form(np.zeros((size, 3)))
        self.clock.advance(half)


@pytest.mark.contract("test_measure_throughput")
def test_samples_are_counted_whatever_a_batch_is(tt):
    for name, form in (
        ("array", lambda rows: rows),
        ("tuple", lambda rows: (rows, rows[:, 0])),
        ("dict", lambda rows: {"x": rows}),
    ):
        clock = FakeClock()
        loader = Counted(clock, [2.0], form)
        got = tt.measure_throughput(loader, clock=clock, warmup=0, repeats=1)
        expect(
            got == 5,
            "Samples are counted, not batches, whatever a batch is: Tensor, tuple or"
            " dict.",
            call=f"10 samples in 2 s, each batch a {name}; warmup=0, repeats=1",
            got=got,
            want=5.0,
            look="batch_length(batch), and the clock after the last batch",
        )


@pytest.mark.contract("test_measure_throughput")
def test_the_median_of_an_even_number_of_epochs(tt):
    for warmup, seconds, want in ((0, [1, 4], 6.25), (1, [9, 1, 2, 4, 5], 3.75)):
        clock = FakeClock()
        loader = Counted(clock, seconds, lambda rows: rows)
        repeats = len(seconds) - warmup
        got = tt.measure_throughput(loader, clock=clock, warmup=warmup, repeats=repeats)
        expect(
            got == want,
            "The result is the median of samples / seconds of these epochs.",
            call=f"10 samples an epoch, epochs of {seconds} s; warmup={warmup}",
            got=got,
            want=want,
            look="np.median of the rates, not of the seconds",
        )


@pytest.mark.contract("test_measure_throughput")
def test_one_warm_up_and_five_repeats_are_the_default(tt):
    clock = FakeClock()
    loader = SlowLoader(clock, lambda epoch: {1: 100, 2: 1, 3: 2, 5: 8}.get(epoch, 4))
    got = tt.measure_throughput(loader, clock=clock)
    expect(
        (got, loader.epochs) == (1.25, 6),
        "Then `repeats` epochs (5 by default) are timed, one by one.",
        call="20 samples in 400, 4, 8, 16, 32, 16 s: measure_throughput(loader, clock)",
        got=f"{got} samples/s, {loader.epochs} epochs",
        want="1.25 samples/s, 6 epochs",
        look="the given default values, 1 and 5",
    )


@pytest.mark.contract("test_measure_throughput")
def test_no_warm_up_times_the_first_epoch(tt):
    for warmup, want in ((0, 10.0), (1, 2.0), (2, 5.0)):
        clock = FakeClock()
        loader = Counted(clock, [1.0, 5.0, 2.0], lambda rows: rows)
        got = tt.measure_throughput(loader, clock=clock, warmup=warmup, repeats=1)
        expect(
            got == want,
            "The first `warmup` epochs (1 by default) run, but are not timed.",
            call=f"epochs of 1, 5 and 2 s; warmup={warmup}, repeats=1",
            got=got,
            want=want,
            look="run the first `warmup` epochs too, and leave their rates out",
        )


class Broken:
    """A loader that raises after its first batch, and counts its epochs."""

    def __init__(self, error):
        self.error, self.epochs = error, 0

    def __iter__(self):
        self.epochs += 1
        yield np.zeros((4, 2))
        raise self.error


@pytest.mark.contract("test_measure_throughput")
def test_an_error_while_it_is_timed_passes_through(tt, draw):
    row = int(draw.integers(1000))
    for error in (KeyError, OSError, ZeroDivisionError):
        loader = Broken(error(f"row {row}"))
        expect_raises(
            error,
            lambda: tt.measure_throughput(loader, warmup=0, repeats=2),
            "An error from the loader reaches the caller unchanged, and the loader"
            " is not tried again.",
            says=f"row {row}",
            call=f"measure_throughput(loader that raises {error.__name__})",
            look="is there a try around the loop?",
        )
        expect(
            loader.epochs == 1,
            "An error from the loader reaches the caller unchanged, and the loader"
            " is not tried again.",
            call=f"measure_throughput(loader that raises {error.__name__}, repeats=2)",
            got=f"{loader.epochs} epochs begun",
            want="1 epoch begun",
            look="is the loader tried again?",
        )


def peak_with_scratch(tt, size, scratch):
    """The peak of three small batches, the first made with `scratch` bytes that are
    freed before it is handed over; and how many epochs were run.
    """
    import numpy as np

    class Batches:
        epochs = 0

        def __iter__(self):
            self.epochs += 1
            for number in range(3):
                np.empty(0 if number else scratch, np.uint8)
                yield np.empty(size, np.uint8)

    loader = Batches()
    return [tt.measure_memory(loader), loader.epochs]


@pytest.mark.contract("test_measure_memory")
def test_memory_between_the_batches_counts(inside, draw):
    scratch = int(draw.integers(2_000_000, 5_000_000))
    got, epochs = inside(peak_with_scratch, 1000, scratch)
    expect(
        scratch <= got <= scratch + 500_000,
        "Memory that is held only while a batch is made counts too.",
        call=f"{scratch} bytes come and go while the first batch of 1 kB is made",
        got=f"{got} bytes",
        want=f"{scratch} bytes, or a little more",
        look="the second number of get_traced_memory(), read after the loop",
    )
    expect(
        epochs == 1,
        "One epoch is run, and none of its batches is kept.",
        call="measure_memory(loader)",
        got=f"{epochs} epochs",
        want="1 epoch",
        look="is there a warm-up, or a second loop?",
    )


def traces(tt, running, fails):
    """Whether tracemalloc traces after measure_memory."""
    import contextlib
    import tracemalloc

    asked = []

    def batches():
        asked.append(1)
        yield b"a batch"
        if fails:
            raise KeyError("row 1")

    already = tracemalloc.is_tracing()
    if running and not already:
        tracemalloc.start()
    held = bytes(1_000_000)
    with contextlib.suppress(KeyError):
        tt.measure_memory(batches())
    # a trace that goes on still knows what it counted before
    found = tracemalloc.get_traced_memory()[0] >= len(held)
    if not running:
        found = tracemalloc.is_tracing()
    if not already:
        tracemalloc.stop()
    return [found, bool(asked)]


@pytest.mark.contract("test_measure_memory")
def test_a_trace_is_left_as_it_was_found(inside):
    for running in (False, True):
        for fails in (False, True):
            got, measured = inside(traces, running, fails)
            expect(
                got == running and measured,
                "A trace that was running before goes on; a trace that"
                " `measure_memory` started is stopped.",
                call=f"tracemalloc {'runs' if running else 'does not run'}, then"
                f" measure_memory{' of an epoch that fails' if fails else ''}",
                got=f"tracemalloc {'runs' if got else 'does not run'} afterwards",
                want=f"tracemalloc {'runs' if running else 'does not run'} afterwards",
                look="the given lines: stop only what was started here, in `finally`",
            )


@pytest.mark.contract("test_measure_memory")
def test_an_error_while_memory_is_measured_passes_through(tt, draw):
    row = int(draw.integers(1000))
    for error in (KeyError, OSError):
        loader = Broken(error(f"row {row}"))
        expect_raises(
            error,
            lambda: tt.measure_memory(loader),
            "An error from the loader reaches the caller unchanged, and the loader"
            " is not tried again.",
            says=f"row {row}",
            call=f"measure_memory(loader that raises {error.__name__})",
            look="is there an except around the loop?",
        )
        expect(
            loader.epochs == 1,
            "An error from the loader reaches the caller unchanged, and the loader"
            " is not tried again.",
            call=f"measure_memory(loader that raises {error.__name__})",
            got=f"{loader.epochs} epochs begun",
            want="1 epoch begun",
            look="is the loader tried again?",
        )

"""Laws of exercise 9b, measure_memory, on batches of known size."""

import numpy as np

from tinytorch.law_tools import ERRORS, raised_by, shown
from tinytorch.laws import law

MB = 1_000_000


def traced(tt, sizes, scratch, earlier, held, running, error):
    """The peak for batches of `sizes` bytes; epochs; the most batches alive when one
    is made, and whether a trace goes on, and still counts what was held.

    `scratch` bytes come and go while each batch is made, and after the last one if
    there is one more of them; `earlier` bytes before the
    call; `held` bytes stay. With `running` a trace runs before; `error` ends the epoch.
    """
    import tracemalloc
    import weakref

    import numpy as np

    class Loader:
        epochs, most, known = 0, 0, ()

        def __iter__(self):
            self.epochs += 1
            for size, more in zip(sizes, scratch, strict=False):
                alive = sum(one() is not None for one in self.known)
                self.most = max(self.most, alive)
                np.empty(more, np.uint8)
                yield self.batch(size)
                if error:
                    raise KeyError("row 1")
            np.empty(sum(scratch[len(sizes) :]), np.uint8)

        def batch(self, size):
            made = np.empty(size, np.uint8)
            self.known = (*self.known, weakref.ref(made))
            return made

    loader, already = Loader(), tracemalloc.is_tracing()
    if running:
        tracemalloc.start()
    elif already:
        tracemalloc.stop()
    np.empty(earlier, np.uint8)
    kept = np.empty(held, np.uint8)
    try:
        peak = tt.measure_memory(loader)
    except KeyError:
        peak = "KeyError"
    goes_on = tracemalloc.is_tracing()
    counts = goes_on and tracemalloc.get_traced_memory()[0] >= len(kept) > 0
    tracemalloc.start() if already else tracemalloc.stop()
    return peak, loader.epochs, loader.most, goes_on, counts


def prepared(tt, size):
    """The peak of a loader that allocates when its epoch begins."""
    import numpy as np

    class Prepared:
        def __iter__(self):
            held = np.ones(size, np.uint8)
            return (len(held) for _ in "12")

    return tt.measure_memory(Prepared())


def measure(inside, sizes, scratch=0, earlier=0, held=0, running=False, error=False):
    """What `traced` returns; sizes are megabytes."""
    each = scratch if isinstance(scratch, list) else [scratch] * len(sizes)
    sizes, each = ([int(one * MB) for one in part] for part in (sizes, each))
    more = int(earlier * MB), int(held * MB), running, error
    return inside(traced, sizes, each, *more)


def peak(inside, low, high, sizes, **settings):
    """The end of a case: megabytes that measure_memory returned, and the limits."""
    low -= 0.05  # another way may hold a little less
    want = f"an int, {low:.2f} to {high:.2f} million bytes"

    def holds(got):
        return isinstance(got, (int, np.integer)) and low * MB <= got <= high * MB

    return lambda: measure(inside, sizes, **settings)[0], want, holds


class Batches:
    """A loader of equal batches, which counts its epochs; with an error it fails in
    iter() or after its first batch.
    """

    def __init__(self, count, size, error=None, where=None):
        self.count, self.size, self.epochs = count, size, 0
        self.error, self.where = error, where

    def __iter__(self):
        self.epochs += 1
        if self.where == "iter(loader)":
            raise self.error
        return self.batches()

    def batches(self):
        for _ in range(self.count):
            yield np.ones(self.size, np.uint8)
            if self.error:
                raise self.error


@law(
    1,
    "largest amount held",
    look="get_traced_memory() is (now, peak); read it after the loop; keep no batch",
)
def test_the_peak_is_the_most_at_one_time(tt, inside, draw):
    drawn = [*draw.permutation([float(draw.uniform(4, 6)), 1, 2]).tolist(), 1]
    for sizes in ([1, 3, 1], [3, 1, 1, 1], [2] * 4, drawn):
        text = ", ".join(f"{size:.3g}" for size in sizes)
        low, high = max(sizes), sum(sorted(sizes)[-2:]) + 0.5
        call = f"measure_memory(loader), batches of {text} MB, one at a time"
        yield call, *peak(inside, low, high, sizes)
    size = int(draw.integers(200_000, 300_000))
    call = f"measure_memory(loader), 12 batches of {size} bytes, one at a time"
    got = lambda: tt.measure_memory(Batches(12, size))  # noqa: E731
    want = f"{size} to {4 * size}"
    yield call, got, want, lambda got: size <= got <= 4 * size
    call = f"measure_memory(loader), {size} bytes are allocated by iter(loader)"
    got = lambda: inside(prepared, size)  # noqa: E731
    yield call, got, want, lambda got: size <= got <= 4 * size


@law(
    2,
    "only while a batch",
    look="the second number of get_traced_memory(), read once, after the loop",
)
def test_memory_of_making_a_batch_counts(inside, draw):
    drawn = float(draw.uniform(2, 5))
    for scratch in ([5, 5], [5, 0], [0, 5], [0, drawn, 0]):
        most, sizes = max(scratch), [0.001] * len(scratch)
        text = ", ".join(f"{one:.3g}" for one in scratch)
        call = (
            f"measure_memory(loader); {text} MB come and go while batches of 1 kB are"
        )
        yield f"{call} made", *peak(inside, most, most + 0.5, sizes, scratch=scratch)
    call = "measure_memory(loader); 5 MB come and go after its last batch"
    yield call, *peak(inside, 5, 5.5, [0.001] * 2, scratch=[0, 0, 5])


@law(3, "An earlier peak", look="tracemalloc.reset_peak() before the loop")
def test_an_earlier_peak_is_forgotten(inside, draw):
    for earlier in (8, float(draw.uniform(5, 20))):
        given = {"earlier": earlier, "running": True}
        call = (
            f"measure_memory(two batches of 1 MB), after {earlier:.3g} MB came and went"
        )
        yield call, *peak(inside, 1, 2.5, [1, 1], **given)


@law(
    4,
    "held before the epoch",
    look="what does get_traced_memory() count before the loop? Subtract it",
)
def test_what_is_held_before_does_not_count(inside, draw):
    for held in (8, float(draw.uniform(5, 20))):
        call = f"measure_memory(two batches of 1 MB), while {held:.3g} MB are held"
        yield call, *peak(inside, 1, 2.5, [1, 1], held=held, running=True)


@law(
    5,
    "One epoch is run",
    look="one loop, no warm-up; which name or list still has a batch when the next but"
    " one is made?",
)
def test_one_epoch_and_nothing_is_kept(inside, draw):
    for count in (1, int(draw.integers(6, 12))):
        call = f"measure_memory({count} batches of 1 MB)"
        found, epochs, most, *_ = measure(inside, [1] * count)
        found = (found or 0) >= 0.95 * MB
        yield f"{call}: epochs, and is there a peak?", (epochs, found), (1, True)
        yield f"{call}: batches alive when one is made", most, "at most 2", most <= 2


@law(
    6,
    "was running before",
    look="the given lines: stop only what was started here, in `finally`, and clear"
    " nothing but the peak",
)
def test_a_trace_is_left_as_it_was(inside, draw):
    size = round(float(draw.uniform(0.5, 1.5)), 6)
    for error in (False, True):
        for running in (False, True):
            given = {"held": 4, "running": running, "error": error}
            call = f"a trace {'runs' if running else 'does not run'}; measure_memory(a"
            call = (
                f"{call} loader{' that raises' if error else ''}): is there a peak or"
            )
            found, *_, goes_on, counts = measure(inside, [1, size], **given)
            call = f"{call} an error; does a trace run, and know what was held?"
            yield call, (bool(found), goes_on, counts), (True, running, running)


@law(7, "without a retry", look="no `except`: the error goes its way; one loop only")
def test_an_error_ends_the_measurement(tt, draw):
    size = int(draw.integers(500, 1500))
    for number, error in enumerate(ERRORS * 2):
        where = ("iter(loader)", "the second batch")[(number + number // 6) % 2]
        loader = Batches(2, size, error, where)
        raised = raised_by(lambda loader=loader: tt.measure_memory(loader))
        call = f"measure_memory(loader); {where} raises {shown(error)}: error, epochs"
        yield f"{call} begun", (raised, loader.epochs), (shown(error), 1)

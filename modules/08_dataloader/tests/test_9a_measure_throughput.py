"""Laws of exercise 9a, measure_throughput, on fake clocks."""

import numpy as np

from tinytorch.core.tensor import Tensor
from tinytorch.law_tools import ERRORS, raised_by, shown
from tinytorch.laws import law
from tinytorch.testing import FakeClock

TEN = (4, 4, 2)  # the batches of an epoch of ten samples
FORMS = {
    "a Tensor": lambda rows: rows,
    "an (image, label) tuple": lambda rows: (rows, rows, rows),
    'a dict {"x": ..., "y": ...}': lambda rows: {"x": rows, "y": rows},
    "a tuple with a dict in it": lambda rows: ({"x": rows}, rows, rows),
    "a dict with a tuple in it": lambda rows: {"x": (rows, rows, rows)},
}
SECONDS = "seconds in iter(), first batch, other batches, after the last"


class Ticking(FakeClock):
    """A clock that is a second later at each look; it keeps what it said."""

    def __init__(self):
        super().__init__()
        self.said = []

    def __call__(self):
        self.said.append(super().__call__())
        self.advance(1)
        return self.said[-1]


class Epochs:
    """A loader. Each epoch is a pair: seconds, and the sizes of its batches; `shares`
    are the places where the seconds pass. It counts epochs that begin, and that end.
    """

    def __init__(self, epochs, form="a Tensor", shares=(1, 1, 0, 0), start=1000.0):
        self.clock, self.epochs, self.form = FakeClock(start), list(epochs), FORMS[form]
        self.shares = [share / sum(shares) for share in shares]
        self.begun = self.ended = 0

    def __iter__(self):
        seconds, sizes = self.epochs[self.begun]
        self.begun += 1
        first, *others = (seconds * share for share in self.shares)
        self.clock.advance(first)
        return self.batches(sizes, *others)

    def batches(self, sizes, before, between, after):
        self.clock.advance(before)
        for number, size in enumerate(sizes):
            self.clock.advance(between / (len(sizes) - 1) if number else 0)
            yield self.form(Tensor(np.zeros((size, 3))))
        self.clock.advance(after)
        self.ended += 1


def rate(tt, loader, **settings):
    """A case's `got`: the rate, after a call in the student's process."""

    def measured():
        found = tt.measure_throughput(loader, clock=loader.clock, **settings)
        return found if found is None else round(found, 6)

    return lambda: measured()


def counted(tt, loader, samples):
    """How many samples the rate stands for, whatever the clock was started for."""
    found, times = rate(tt, loader, warmup=0, repeats=1)(), loader.clock.said
    if found and loader.ended and not times:  # another clock: see the next promise
        return samples
    return found and round(found * (times[-1] - times[0]), 3)


def called(**settings):
    given = "".join(f", {name}={value}" for name, value in settings.items())
    return f"measure_throughput(loader{given})"


def of_a_part(tt, sizes):
    """The rate of a loader that has an attribute `dataset`, and gives less than that;
    each look at the clock takes a second.
    """
    import itertools

    import numpy as np

    from tinytorch.core.tensor import Tensor

    class Part:
        dataset, batch_size, drop_last = range(997), 64, True

        def __len__(self):
            return len(self.dataset) // self.batch_size

        def __iter__(self):
            return (Tensor(np.zeros((size, 3))) for size in sizes)

    clock = itertools.count().__next__
    found = tt.measure_throughput(Part(), clock=clock, warmup=0, repeats=1)
    return found, clock() - 1


@law(
    1,
    "not batches",
    look="add batch_length(batch) of each batch; a batch may be shorter than the first",
)
def test_samples_are_counted(tt, inside, draw):
    for sizes in (TEN, (5,), (1, 7, 7, 7), draw.integers(1, 30, 3).tolist()):
        for form in FORMS:
            loader, samples = Epochs([(2, sizes)], form), sum(sizes)
            loader.clock = Ticking()
            call = f"{called(warmup=0, repeats=1)}, batches of {list(sizes)} samples,"
            got = lambda loader=loader, n=samples: counted(tt, loader, n)  # noqa: E731
            yield f"{call} each {form}: samples that count", got, samples
        found, seconds = inside(of_a_part, sizes)
        got = found and round(found * max(seconds, 1), 3)
        call = f"{called(warmup=0, repeats=1)}, 997 samples in loader.dataset, batches"
        holds = got == samples or seconds < 1  # another clock: see the next promise
        yield f"{call} of {list(sizes)}: samples that count", got, samples, holds


@law(
    2,
    "runs from before",
    look="`clock`, not time.perf_counter: start = clock() above the loop over the"
    " loader itself, and clock() - start below it",
)
def test_the_clock_runs_for_a_whole_epoch(tt, draw):
    for start, *seconds in (
        (1000, 1, 1, 1, 1),
        (0, 8, 1, 1, 1),
        (1000, 1, 8, 1, 1),
        (1000, 1, 1, 8, 1),
        (1000, 1, 1, 1, 8),
        (float(draw.integers(1, 9999)), *draw.integers(1, 40, 4).tolist()),
    ):
        loader = Epochs([(sum(seconds), TEN)], shares=seconds, start=start)
        call = f"{called(warmup=0, repeats=1)}, 10 samples; {SECONDS}: {seconds}"
        got = rate(tt, loader, warmup=0, repeats=1)
        yield call, got, round(10 / sum(seconds), 6)


@law(
    3,
    "but are not timed",
    look="run `warmup` whole epochs first; their samples and seconds count nowhere",
)
def test_warm_up_epochs_are_not_timed(tt, draw):
    for warmup in (0, None, 2, int(draw.integers(3, 60))):
        count = 1 if warmup is None else warmup
        given = {} if warmup is None else {"warmup": warmup}
        loader = Epochs([(1000, ())] * count + [(2, TEN)])
        call = f"{called(**given, repeats=1)}; epochs: {count} x no samples in 1000 s,"
        yield f"{call} 10 in 2 s", rate(tt, loader, **given, repeats=1), 5.0
        loader = Epochs([(2, TEN)] * (count + 1))
        raised_by(rate(tt, loader, **given, repeats=1))
        call = f"{called(**given, repeats=1)}: epochs that ran to their end"
        yield call, loader.ended, count + 1


@law(
    4,
    "one by one",
    look="each epoch is counted from 0 and has its own rate; left out, repeats is 5",
)
def test_each_of_the_repeats_is_timed(tt, draw):
    drawn = int(draw.integers(6, 9))
    for warmup, repeats in ((0, 1), (0, 3), (2, 4), (1, drawn), (None, None)):
        given = {} if warmup is None else {"warmup": warmup, "repeats": repeats}
        loader = Epochs([(2, TEN)] * 20)
        call = f"{called(**given)}; each epoch: 10 samples in 2 s"
        yield call, rate(tt, loader, **given), 5.0
        yield f"{call}; epochs run", loader.ended, warmup + repeats if given else 6


@law(
    5,
    "is the median",
    look="np.median of the rates; not of the seconds, and no mean, maximum or last one",
)
def test_the_median_of_the_rates(tt, draw):
    (a, b), low, high = draw.uniform(4, 9, 2), draw.uniform(1, 4, 2), [20, 900]
    odd = draw.permutation([*low, a, *high])
    even = draw.permutation([*low, a, b, *high])
    for epochs, want in (
        ([(1, TEN), (0.25, TEN), (100, TEN)], 10),
        ([(1, TEN), (4, TEN), (8, TEN), (2, TEN)], 3.75),
        ([(1, TEN), (0.25, TEN)], 25),
        ([(8, (40,)), (1, TEN), (0.1, (2,))], 10),
        ([(10 / rate, TEN) for rate in odd], a),
        ([(10 / rate, TEN) for rate in even], (a + b) / 2),
    ):
        loader, given = Epochs(epochs), {"warmup": 0, "repeats": len(epochs)}
        times = ", ".join(f"{sum(size)} in {time:.4g} s" for time, size in epochs)
        got = rate(tt, loader, **given)
        yield f"{called(**given)}: samples {times}", got, round(want, 6)


class Broken:
    """A loader whose epoch number `at` raises, in iter() or after its first batch."""

    def __init__(self, error, at, where):
        self.error, self.at, self.where, self.begun = error, at, where, 0
        self.clock = Ticking()

    def __iter__(self):
        self.begun += 1
        if (self.begun, self.where) == (self.at, "iter(loader)"):
            raise self.error
        return self.batches()

    def batches(self):
        yield Tensor(np.zeros((4, 3)))
        if self.begun == self.at:
            raise self.error


@law(6, "without a retry", look="no `try`: the error goes its way, nothing is begun")
def test_an_error_ends_the_measurement(tt, draw):
    errors = (*ERRORS, ZeroDivisionError(f"row {draw.integers(1000)}"))
    for number, error in enumerate(errors * 2):
        at, where = 1 + number % 3, ("iter(loader)", "the second batch")[number % 2]
        loader = Broken(error, at, where)
        raised = raised_by(rate(tt, loader, repeats=2))
        call = f"{called(repeats=2)}; {where} of epoch {at} raises {shown(error)}"
        yield f"{call}: error, epochs begun", (raised, loader.begun), (shown(error), at)

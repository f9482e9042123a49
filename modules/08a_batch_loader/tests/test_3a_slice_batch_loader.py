"""Laws of exercise 3a, SliceBatchLoader."""

from functools import partial

import numpy as np
from stand_ins_08a import PlainBatch, plain_range

from tinytorch.law_tools import raised_by, shown
from tinytorch.laws import Case, law

MOVED = "get_batch: the slice adds its own start to both ends, and asks its own loader"
CHECK = "get_batch: check_range with the slice's length, before its start is added"
FITS = (
    "`__init__` asks three things: start, length, and start + length against the length"
    " of the slice's own loader; the message says start and length"
)
ONE_CALL = (
    "get_batch asks the loader in every call, once, for the range of this call; it"
    " keeps nothing, and reads nothing more"
)


class Tape:
    """A batch loader for the laws: record i has the input 10 i and the output i.
    `ranges` is what it was asked for. With an error, it cannot be read.
    """

    def __init__(self, tt, length=100):
        self.tt, self.length, self.ranges, self.error = tt, length, [], None

    def __len__(self):
        return self.length

    def get_batch(self, start, end):
        self.ranges.append((start, end))
        if self.error:
            raise self.error
        records = np.arange(start, end)
        return self.tt.Batch({"input": 10 * records}, {"output": records})


def made(tt, loader, *numbers, name="loader"):
    return f"SliceBatchLoader({name}, {numbers[0]}, {numbers[1]})", (
        lambda: tt.SliceBatchLoader(loader, *numbers)
    )


def lists(batch):
    """The inputs and the outputs of a batch."""
    return [batch.inputs["input"].tolist(), batch.outputs["output"].tolist()]


def asked(tape, part, start, end):
    """Reads a batch: the ranges that this call asks the tape for."""
    tape.ranges.clear()
    return lambda: (part.get_batch(start, end), tape.ranges)[1]


@law(1, "even if it is 0", look="the third argument is a length, not an end")
def test_len_is_the_length(tt, draw):
    n, a, b = int(draw.integers(3, 6)), *draw.integers(7, 10**6, 2).tolist()
    some = [(n, start, k) for start in range(n + 1) for k in range(n - start + 1)]
    some += [(a + b, a, b), (a + b, a + b, 0)]
    for size, start, length in ((100, 20, 30), (100, 7, 0), (100, 100, 0), *some):
        call, make = made(tt, Tape(tt, size), start, length, name=f"loader of {size}")
        yield f"len({call})", lambda make=make: len(make()), length


def through_a_subclass(tt, low, start, end):
    """What a slice reads whose loader is a slice with a get_batch of its own."""

    class Whole:
        def __len__(self):
            return 100

        def get_batch(self, start, end):
            return ["whole", start, end]

    class Own(tt.SliceBatchLoader):
        def get_batch(self, start, end):
            return ["own", start, end]

    return tt.SliceBatchLoader(Own(Whole(), 10, 60), low, 30).get_batch(start, end)


@law(
    2, "Record i of", look="keep and ask the loader that you are given, not its loader"
)
def test_a_slice_reads_from_the_loader_it_is_given(inside, draw, stand_in):
    stand_in(check_range=plain_range)
    low = int(draw.integers(1, 30))
    call = "Own is a subclass of SliceBatchLoader whose get_batch(start, end) returns"
    call = f"{call} ['own', start, end]; SliceBatchLoader(Own(loader, 10, 60),"
    got = lambda: inside(through_a_subclass, low, 2, 4)  # noqa: E731
    yield f"{call} {low}, 30).get_batch(2, 4)", got, ["own", low + 2, low + 4]


@law(2, "Record i of", look=MOVED)
def test_records_count_from_the_start_of_the_slice(tt, draw, stand_in):
    stand_in(Batch=PlainBatch, check_range=plain_range)
    a, b = draw.integers(1, 9, 2).tolist()
    tape = Tape(tt)
    part, whole = tt.SliceBatchLoader(tape, 20, 30), tt.SliceBatchLoader(tape, 0, 100)
    inner = tt.SliceBatchLoader(part, a, 20)
    third = tt.SliceBatchLoader(inner, b, 10)
    call = "SliceBatchLoader"
    for name, loader, low, ranges in (
        (f"{call}(loader, 20, 30)", part, 20, [(5, 8), (0, 30), (30, 30), (5, 8)]),
        (f"{call}(loader, 0, 100)", whole, 0, [(5, 8), (99, 100)]),
        (f"{call}(a slice from 20 on, {a}, 20)", inner, 20 + a, [(5, 8), (0, 20)]),
        (f"{call}(a slice from {20 + a} on, {b}, 10)", third, 20 + a + b, [(3, 9)]),
    ):
        for start, end in ranges:
            records = list(range(low + start, low + end))
            yield (
                f"{name}.get_batch({start}, {end}): inputs, outputs",
                lambda loader=loader, i=start, k=end: lists(loader.get_batch(i, k)),
                [[10 * i for i in records], records],
            )


@law(3, "for nothing else", look=ONE_CALL)
def test_each_call_asks_once_for_its_range(tt, draw, stand_in):
    stand_in(Batch=PlainBatch, check_range=plain_range)
    tape, low = Tape(tt, 2000), int(draw.integers(10, 1000))
    part = tt.SliceBatchLoader(tape, low, 30)
    inner = tt.SliceBatchLoader(part, 10, 15)
    loaders = (
        (f"SliceBatchLoader(loader, {low}, 30)", part, low),
        (f"a slice from 10 on, of a slice from {low} on", inner, low + 10),
    )
    told = "the ranges that the loader was asked for"
    for start, end in ((5, 8), (5, 8), (0, 15), (5, 8), (15, 15), (15, 15)):
        for name, loader, first in loaders:
            call = f"{name}: get_batch({start}, {end}), {told}"
            want = [(first + start, first + end)]
            yield call, asked(tape, loader, start, end), want
    tape.ranges.clear()
    if raised_by(lambda: part.get_batch(25, 31)).startswith("IndexError"):
        call = f"get_batch(25, 31) of 30 records, which is refused: {told}"
        yield Case(call, tape.ranges, [], look="check the range before you read it")


@law(4, "reads nothing", look="`__init__` keeps the loader; get_batch asks it")
def test_making_reads_nothing(tt, draw):
    low, n = draw.integers(1, 10**6, 2).tolist()
    for size, start, length in ((100, 20, 30), (100, 0, 100), (low + n, low, n)):
        tape = Tape(tt, size)
        call, make = made(tt, tape, start, length)
        inner = tt.SliceBatchLoader(make(), 0, length)
        nothing = tape.ranges == [] and len(inner) == length
        yield f"{call}, and a slice of it: what was read", tape.ranges, [], nothing


@law(5, "outside the slice", look=CHECK)
def test_a_range_outside_the_slice_is_refused(tt, draw, stand_in):
    stand_in(Batch=PlainBatch, check_range=plain_range)
    n, tape = int(draw.integers(20, 35)), Tape(tt)
    part, empty = tt.SliceBatchLoader(tape, 30, n), tt.SliceBatchLoader(tape, 50, 0)
    inner = tt.SliceBatchLoader(part, 5, 10)
    behind = [(n - 5, n + 1), (n, n + 1), (n + 1, n + 1), (n + 3, n + 9), (0, 100)]
    before = [(-1, 3), (-1, -1), (-9, -4), (-30, 0), (8, 5)]
    for name, loader, ranges in (
        (f"(loader of 100, 30, {n})", part, behind + before),
        ("(a slice, 5, 10)", inner, [(8, 11), (-1, 2)]),
        ("(loader of 100, 50, 0)", empty, [(0, 1), (-1, 0)]),
    ):
        for start, end in ranges:
            call = f"SliceBatchLoader{name}.get_batch({start}, {end})"
            read = partial(loader.get_batch, start, end)
            yield Case(call, lambda read=read: read(), [], raises=IndexError)
    call = f"SliceBatchLoader(loader of 100, 30, {n}).get_batch(0, 1)"
    yield call, lambda: lists(part.get_batch(0, 1)), [[300], [30]]


@law(6, "does not fit", look=FITS, raises=ValueError)
def test_a_slice_that_does_not_fit_is_refused(tt, draw):
    n, a, b = int(draw.integers(400, 500)), *draw.integers(101, 199, 2).tolist()
    tape = Tape(tt, n)
    too_long = [(n - a, a + b), (n - a, a + 1), (0, n + 1), (n, 1), (n + a, b)]
    no_start = [(n + a, 0), (n + a, -a - b), (-a, n - b), (-1, 1), (-1, n + 1)]
    for numbers in (*too_long, *no_start, (a, -b), (n, -1), (-a, -b)):
        yield *made(tt, tape, *numbers, name=f"loader of {n}"), list(numbers)
    part = tt.SliceBatchLoader(tape, 10, 60)
    for numbers in ((55, 6), (0, 61), (60, 1), (-5, 20)):
        yield *made(tt, part, *numbers, name="a slice of 60 records"), list(numbers)


@law(7, "without a retry", look="one call of get_batch, and no `try` around it")
def test_an_error_of_the_loader_reaches_the_caller(tt, draw, stand_in):
    stand_in(Batch=PlainBatch, check_range=plain_range)
    start, number = (int(one) for one in draw.integers(100, 10**6, 2))
    for kind in (OSError, TimeoutError, KeyError, IndexError, ValueError):
        tape, error = Tape(tt, start + 30), kind(f"tape {number} broke")
        part = tt.SliceBatchLoader(tape, 20, start + 9)
        tape.ranges, tape.error = [], error
        read = lambda part=part: part.get_batch(start, start + 9)  # noqa: E731
        got = raised_by(read), len(tape.ranges)
        call = f"get_batch({start}, {start + 9}), and the loader raises {kind.__name__}"
        want = (shown(error), 1)
        yield f"{call}: the error, and how often the loader was asked", got, want

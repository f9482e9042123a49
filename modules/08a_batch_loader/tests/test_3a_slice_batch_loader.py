"""Laws of exercise 3a, SliceBatchLoader."""

import numpy as np
from stand_ins_08a import PlainBatch, kind_of, plain_range, raised_by

from tinytorch.laws import Case, law

CHECK = "get_batch: check_range with the slice's length, before its start is added"
FITS = (
    "`__init__` asks three things: start, length, and start + length against the length"
    " of the slice's own loader; the message says start and length"
)
ONE_CALL = (
    "get_batch asks the loader in every call, once, for the range of this call; it"
    " keeps nothing, and reads nothing more"
)
ERRORS = (
    OSError("the tape broke"),
    TimeoutError("the tape is slow"),
    KeyError("reel 7"),
    IndexError("worn out"),
    ValueError("no record"),
)


class Tape:
    """A batch loader for the laws: record i has the input 10 i and the output i.
    `ranges` is what it was asked for. With an error, it cannot be read.
    """

    def __init__(self, tt, length=100):
        self.tt, self.length, self.error, self.ranges = tt, length, None, []

    def __len__(self):
        return self.length

    def get_batch(self, start, end):
        self.ranges.append((start, end))
        if self.error:
            raise self.error
        records = np.arange(start, end)
        return self.tt.Batch({"input": 10 * records}, {"output": records})


def making(tt, loader, start, length):
    return lambda: tt.SliceBatchLoader(loader, start, length)


def reading(part, start, end):
    """Reads a batch: the list of its inputs and the list of its outputs."""

    def lists(batch):
        return [batch.inputs["input"].tolist(), batch.outputs["output"].tolist()]

    return lambda: lists(part.get_batch(start, end))


def records(start, end):
    """Inputs and outputs of records start to end - 1 of a Tape."""
    return [list(range(10 * start, 10 * end, 10)), list(range(start, end))]


def asked(tape, part, start, end):
    """Reads a batch: the ranges that this call asks the tape for."""
    tape.ranges.clear()
    return lambda: (part.get_batch(start, end), tape.ranges)[1]


@law(1, "even if it is 0", look="the third argument is a length, not an end")
def test_len_is_the_length(tt, draw):
    n = int(draw.integers(3, 6))
    small = [(n, start, k) for start in range(n + 1) for k in range(n - start + 1)]
    for size, start, length in ((100, 20, 30), (100, 7, 0), (100, 100, 0), *small):
        call = f"len(SliceBatchLoader(loader of {size}, {start}, {length}))"
        made = making(tt, Tape(tt, size), start, length)
        look = "start + length may be len(loader)" if start + length == size else None
        yield Case(call, lambda made=made: len(made()), length, look=look)


@law(2, "Record i of", look="get_batch: the slice's start is added to both ends")
def test_records_count_from_the_start_of_the_slice(tt, stand_in):
    stand_in(Batch=PlainBatch, check_range=plain_range)
    tape = Tape(tt)
    part, other = tt.SliceBatchLoader(tape, 20, 30), tt.SliceBatchLoader(tape, 0, 100)
    for start, end in ((5, 8), (0, 30), (30, 30), (5, 8), (29, 30)):
        for loader, low, length in ((part, 20, 30), (other, 0, 100)):
            call = (
                f"SliceBatchLoader(loader, {low}, {length}).get_batch({start}, {end})"
            )
            want = records(low + start, low + end)
            yield f"{call}: inputs, outputs", reading(loader, start, end), want


@law(2, "Record i of", look="a slice adds its own start and asks its own loader")
def test_a_slice_of_a_slice_counts_from_its_own_start(tt, draw, stand_in):
    stand_in(Batch=PlainBatch, check_range=plain_range)
    loader, call, low, length = Tape(tt), "loader", 0, 100
    for _depth in range(3):
        start, left_out = draw.integers(1, 9, 2).tolist()
        length -= start + left_out
        call = f"SliceBatchLoader({call}, {start}, {length})"
        loader, low = tt.SliceBatchLoader(loader, start, length), low + start
        first, last = np.sort(draw.choice(length, 2, replace=False)).tolist()
        want = records(low + first, low + last)
        shown = f"{call}.get_batch({first}, {last}): inputs, outputs"
        yield shown, reading(loader, first, last), want


@law(3, "for nothing else", look=ONE_CALL)
def test_each_call_asks_once_for_its_range(tt, draw, stand_in):
    stand_in(Batch=PlainBatch, check_range=plain_range)
    tape, start = Tape(tt), int(draw.integers(10, 40))
    part = tt.SliceBatchLoader(tape, start, 30)
    for first, last in ((5, 8), (5, 8), (0, 30), (5, 8), (30, 30), (30, 30)):
        call = f"SliceBatchLoader(loader, {start}, 30).get_batch({first}, {last})"
        want = [(start + first, start + last)]
        yield (
            f"{call}: the ranges that the loader was asked for",
            asked(tape, part, first, last),
            want,
        )
    inner = tt.SliceBatchLoader(part, 10, 5)
    call = f"SliceBatchLoader(SliceBatchLoader(loader, {start}, 30), 10, 5)"
    want = [(start + 11, start + 13)]
    yield (
        f"{call}.get_batch(1, 3): the ranges the loader was asked for",
        asked(tape, inner, 1, 3),
        want,
    )
    tape.ranges.clear()
    if raised_by(lambda: part.get_batch(25, 31)).startswith("IndexError"):
        call = "get_batch(25, 31) of a slice of 30, which is refused: ranges asked for"
        yield Case(call, tape.ranges, [], look="check the range before you read it")


@law(4, "reads nothing", look="`__init__` keeps the loader; get_batch asks it")
def test_making_reads_nothing(tt, stand_in):
    stand_in(Batch=PlainBatch, check_range=plain_range)
    for start, length in ((20, 30), (0, 100), (99, 1)):
        tape = Tape(tt)
        part = tt.SliceBatchLoader(tape, start, length)
        inner = tt.SliceBatchLoader(part, 0, length)
        loaders = callable(part.get_batch) and callable(inner.get_batch)
        call = f"SliceBatchLoader(loader, {start}, {length}), and a slice of it"
        yield (
            f"{call}: the ranges that were read",
            tape.ranges,
            [],
            (lambda ranges, made=loaders: made and ranges == []),
        )


@law(5, "outside the slice", look=CHECK, raises=IndexError)
def test_a_range_outside_the_slice_is_refused(tt, draw, stand_in):
    stand_in(Batch=PlainBatch, check_range=plain_range)
    tape = Tape(tt)
    length = int(draw.integers(20, 35))
    part, n = tt.SliceBatchLoader(tape, 30, length), length
    inner = tt.SliceBatchLoader(part, 5, 10)
    empty = tt.SliceBatchLoader(tape, 50, 0)
    mine = f"SliceBatchLoader(loader of 100, 30, {n})"
    nested = f"SliceBatchLoader({mine}, 5, 10)"
    nothing = "SliceBatchLoader(loader of 100, 50, 0)"
    for call, loader, start, end in (
        (mine, part, n - 5, n + 1),
        (mine, part, n, n + 1),
        (mine, part, n + 1, n + 1),
        (mine, part, n + 3, n + 9),
        (mine, part, 0, 100),
        (mine, part, -1, 3),
        (mine, part, -1, -1),
        (mine, part, -9, -4),
        (mine, part, -30, 0),
        (mine, part, 8, 5),
        (nested, inner, 8, 11),
        (nested, inner, -1, 2),
        (nothing, empty, 0, 1),
        (nothing, empty, -1, 0),
    ):
        yield f"{call}.get_batch({start}, {end})", reading(loader, start, end), []


@law(6, "does not fit", look=FITS, raises=ValueError)
def test_a_slice_that_does_not_fit_is_refused(tt, draw, stand_in):
    stand_in(check_range=plain_range)
    n, a, b = int(draw.integers(400, 500)), *draw.integers(101, 199, 2).tolist()
    for start, length in (
        (n - a, a + b),
        (n - a, a + 1),
        (0, n + 1),
        (n, 1),
        (n + a, b),
        (n + a, 0),
        (n + a, -a - b),
        (-a, n - b),
        (-1, 1),
        (-1, n + 1),
        (a, -b),
        (n, -1),
        (-a, -b),
    ):
        call = f"SliceBatchLoader(loader of {n}, {start}, {length})"
        yield call, making(tt, Tape(tt, n), start, length), [start, length]
    part = tt.SliceBatchLoader(Tape(tt, n), 10, 60)
    for start, length in ((55, 6), (0, 61), (60, 1), (-5, 20)):
        call = f"SliceBatchLoader(SliceBatchLoader(loader, 10, 60), {start}, {length})"
        yield call, making(tt, part, start, length), [start, length]


@law(7, "without a retry", look="one call of get_batch, and no `try` around it")
def test_an_error_of_the_loader_reaches_the_caller(tt, stand_in):
    stand_in(Batch=PlainBatch, check_range=plain_range)
    for error in ERRORS:
        tape = Tape(tt)
        part = tt.SliceBatchLoader(tape, 20, 30)
        tape.ranges, tape.error = [], error
        got = raised_by(lambda part=part: part.get_batch(5, 8)), len(tape.ranges)
        call = f"get_batch(5, 8), and the loader raises {type(error).__name__}"
        want = (kind_of(error), 1)
        yield f"{call}: the error, and how often the loader was asked", got, want

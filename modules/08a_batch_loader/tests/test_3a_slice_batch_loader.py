"""Laws of exercise 3a, SliceBatchLoader."""

import numpy as np
from stand_ins_08a import PlainBatch, kind_of, plain_range, raised_by

from tinytorch.laws import law

FITS = (
    "`__init__` asks three things: start, length, and start + length against the length"
    " of its own loader; the message says start and length"
)
OUTSIDE = (
    "get_batch: check_range with the length of the slice, before the slice's start is"
    " added"
)
ERRORS = (
    OSError("the tape broke"),
    TimeoutError("the tape is slow"),
    KeyError("reel 7"),
    IndexError("worn out"),
    ValueError("not a record"),
)


class Tape:
    """A batch loader for the laws: record i has the input 10 i and the output i.
    `ranges` is what it was asked for. With an `error`, it cannot be read.
    """

    def __init__(self, tt, length, error=None):
        self.tt, self.length, self.error, self.ranges = tt, length, error, []

    def __len__(self):
        return self.length

    def get_batch(self, start, end):
        self.ranges.append((start, end))
        if self.error:
            raise self.error
        records = np.arange(start, end)
        return self.tt.Batch({"input": 10 * records}, {"output": records})


def records_of(batch):
    """The inputs and the outputs of a batch."""
    return [batch.inputs["input"].tolist(), batch.outputs["output"].tolist()]


def records(start, end):
    """What `records_of` gives for records start to end - 1 of a Tape."""
    return [list(range(10 * start, 10 * end, 10)), list(range(start, end))]


@law(1, "even if it is 0", look="the third argument is a length, not an end")
def test_len_is_the_length(tt, draw):
    n = int(draw.integers(3, 6))
    fitting = [(n, i, length) for i in range(n + 1) for length in range(n - i + 1)]
    for size, start, length in ((100, 20, 30), (100, 100, 0), (100, 7, 0), *fitting):
        call = f"SliceBatchLoader(loader of {size}, {start}, {length})"
        tape = Tape(tt, size)
        got = lambda tape=tape, i=start, n=length: len(tt.SliceBatchLoader(tape, i, n))
        look = "start + length may be len(loader)" if start + length == size else None
        yield f"len({call})", got, length, *([] if look is None else [])


@law(2, "Record i of", look="get_batch: the slice's start is added to both ends")
def test_records_count_from_the_start_of_the_slice(tt, draw, stand_in):
    stand_in(Batch=PlainBatch, check_range=plain_range)
    tape = Tape(tt, 100)
    part, other = tt.SliceBatchLoader(tape, 20, 30), tt.SliceBatchLoader(tape, 0, 100)
    told = "inputs and outputs; record i of the loader has the input 10 i, the output i"
    for start, end in ((5, 8), (0, 30), (30, 30), (5, 8), (29, 30)):
        for loader, low, high in ((part, 20, 30), (other, 0, 100)):
            call = f"SliceBatchLoader(loader, {low}, {high}).get_batch({start}, {end})"
            got = lambda part=loader, i=start, k=end: records_of(part.get_batch(i, k))
            yield f"{call}: {told}", got, records(low + start, low + end)
    loader, low, length, call = tape, 0, 100, "loader"
    for _depth in range(3):
        start, left_out = draw.integers(1, 9, 2).tolist()
        length -= start + left_out
        loader, low = tt.SliceBatchLoader(loader, start, length), low + start
        call = f"SliceBatchLoader({call}, {start}, {length})"
        first, last = np.sort(draw.choice(length, 2, replace=False)).tolist()
        got = lambda part=loader, i=first, k=last: records_of(part.get_batch(i, k))
        look = "a slice adds its own start and asks its own loader, here another slice"
        holds = lambda got, i=low + first, k=low + last: got == records(i, k)
        want = records(low + first, low + last)
        yield f"{call}.get_batch({first}, {last}): {told}", got, want, holds, look

"""Laws of exercise 5b, __len__. Your `__init__` is not called."""

from stand_ins_08 import loader_with

from tinytorch.law_tools import ERRORS, raised_by, shown
from tinytorch.laws import law

LEFT_OVER = "how many full batches are there, what is left over, and does it count?"


class Counted:
    """A dataset of one kind of sample, with a length or an error in place of it."""

    def __init__(self, length):
        self.length, self.calls, self.reads = length, 0, []

    def __len__(self):
        self.calls += 1
        if isinstance(self.length, Exception):
            raise self.length
        return self.length

    def __getitem__(self, index):
        self.reads.append(int(index))
        return "a sample"


def length(inside, dataset, size, drop_last=False):
    parts = {"batch_size": size, "drop_last": drop_last}
    return len(inside(loader_with, dataset, parts))


def lengths(inside, rows, drop_last):
    """Cases of rows: number of samples, size of a batch, number of batches."""
    for n, size, want in rows:
        call = f"len(DataLoader({n} samples, batch_size={size}, drop_last={drop_last}))"
        got = lambda n=n, size=size: length(inside, Counted(n), size, drop_last)  # noqa: E731
        yield call, got, want


def drawn(draw, short):
    """Rows of sizes that are drawn; `short` tells whether a short last batch counts."""
    for size, full in draw.integers(2, 40, (4, 2)).tolist():
        rest = int(draw.integers(1, size))
        yield size * full + rest, size, full + short
        yield size * full, size, full


@law(1, "rounded up", look=LEFT_OVER)
def test_a_short_last_batch_counts(inside, draw):
    rows = (10, 4, 3), (8, 4, 2), (9, 4, 3), (5, 1, 5), (3, 4, 1), (4, 4, 1), (1, 9, 1)
    yield from lengths(inside, [*rows, (0, 4, 0), *drawn(draw, True)], False)
    data, more = Counted(8), int(draw.integers(13, 40))
    loader = inside(loader_with, data, {"batch_size": 4})
    for data.length, want in ((8, 2), (more, -(-more // 4)), (0, 0)):
        call = f"len(loader), batch_size=4, its dataset now has {data.length} samples"
        yield call, lambda: len(loader), want


@law(2, "rounded down", look=LEFT_OVER)
def test_a_short_last_batch_does_not_count_with_drop_last(inside, draw):
    rows = (10, 4, 2), (8, 4, 2), (9, 4, 2), (5, 1, 5), (3, 4, 0), (4, 4, 1), (1, 9, 0)
    yield from lengths(inside, [*rows, (0, 4, 0), *drawn(draw, False)], True)


@law(3, "exact for any N", look="// and % are exact; N / size goes through a float")
def test_the_length_is_exact(inside, draw):
    # the nearest float to 2**60 + 1 is 2**60
    large = int(draw.integers(2**50, 2**57))
    rows = (2**60 + 1, 2**57, 8), (5 * large + 1, large, 5)
    for n, size, full in rows:
        for drop_last in (False, True):
            sizes = (n, size, full + 1 - drop_last), (n - 2, size, full - drop_last)
            yield from lengths(inside, sizes, drop_last)


@law(4, "reads no sample", look="the number is computed, not counted")
def test_the_length_reads_no_sample(inside, draw):
    full = int(draw.integers(2, 1000))
    for drop_last, want in ((False, full + 1), (True, full)):
        n = 4 * full + 2
        data = Counted(n)
        yield (
            f"len(DataLoader({n} samples, batch_size=4, drop_last={drop_last})), reads",
            lambda data=data, given=drop_last: (
                length(inside, data, 4, given),
                data.reads,
            ),
            (want, []),
        )


@law(
    5,
    "without a retry",
    look="is there a `try` around len(dataset)? Is it called again?",
)
def test_an_error_of_the_dataset_reaches_the_caller(inside, draw):
    size = int(draw.integers(3, 1000))
    for drop_last, want in ((False, 3), (True, 2)):
        yield from lengths(inside, [(2 * size + 2, size, want)], drop_last)
        for error in (*ERRORS, OverflowError("too many rows")):
            data = Counted(error)
            raised = raised_by(lambda data=data: length(inside, data, size, drop_last))
            call = f"len(DataLoader(a dataset whose len raises {shown(error)}, {size}))"
            call += f", drop_last={drop_last}: the error, calls of len"
            yield call, (raised, data.calls), (shown(error), 1)

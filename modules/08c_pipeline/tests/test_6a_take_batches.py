"""Laws of exercise 6a, take_batches."""

from itertools import islice

from tinytorch.law_tools import ERRORS, Tape, raised_by, shown
from tinytorch.laws import law

ODD = [0, None, False, "", []]


def cut(tt, stream, *settings):
    """The batches as they come, also of a loop that never ends."""
    return [batch[:] for batch in islice(tt.take_batches(stream, *settings), 50)]


def cases(draw):
    """(items, batch_size, batches): worked ones, then a drawn one."""
    size, low = int(draw.integers(3, 9)), int(draw.integers(8, 1000))
    items = list(range(low, low + size * int(draw.integers(1, 5))))
    full = [items[i : i + size] for i in range(0, len(items), size)]
    rest = [-k for k in range(int(draw.integers(1, size)))]
    return (
        ([0, 1, 2, 3, 4, 5, 6], 3, [[0, 1, 2], [3, 4, 5], [6]]),
        ([0, 1, 2, 3, 4, 5], 3, [[0, 1, 2], [3, 4, 5]]),
        ([7, 8], 3, [[7, 8]]),
        (ODD, 2, [[0, None], [False, ""], [[]]]),
        (items, size, full),
        (items + rest, size, [*full, rest]),
    )


@law(
    1,
    "in order",
    look="what is yielded when a batch is full, and what when the stream ends? None"
    " and 0 are items",
)
def test_a_stream_is_cut_into_lists(tt, draw):
    for items, size, want in cases(draw):
        call = f"list(take_batches(iter({items}), {size}))"
        yield call, lambda x=items, n=size: cut(tt, iter(x), n), want


@law(
    2,
    "only when it is short",
    look="how many items are a short batch? Is each batch a list, too?",
)
def test_a_short_batch_can_be_left_out(tt, draw):
    for items, size, batches in cases(draw):
        want = [batch for batch in batches if len(batch) == size]
        call = f"list(take_batches(iter({items}), {size}, True))"
        yield call, lambda x=items, n=size: cut(tt, iter(x), n, True), want


@law(3, "stream too", look="iter(stream) once, before the loop; no empty batch")
def test_a_list_is_a_stream_too(tt, draw):
    for items, size, want in (*cases(draw), ([], 3, [])):
        call = f"list(take_batches({items}, {size}))"
        yield call, lambda x=items, n=size: cut(tt, x, n), want
    for drop_last in (False, True):
        call = f"list(take_batches(iter([]), 3, {drop_last}))"
        yield call, lambda drop=drop_last: cut(tt, iter([]), 3, drop), []


@law(4, "Nothing is taken", look="a full batch is handed out before the next item")
def test_nothing_is_taken_ahead(tt, draw):
    for size in (1, 2, int(draw.integers(3, 40))):
        for drop_last in (False, True):
            tape = Tape(range(4 * size))
            batches = iter(tt.take_batches(tape, size, drop_last))
            got = [tape.reads]
            for _ in "123":
                next(batches)
                got.append(tape.reads)
            list(islice(batches, 9))  # to the end, as a loop does
            call = f"take_batches(stream, {size}, {drop_last}): items taken after 0, 1,"
            yield f"{call} 2 and 3 next()", got, [0, size, 2 * size, 3 * size]


def kept(tt, count, size):
    """The batches, all kept; and the sizes of batches that are written into."""
    from itertools import islice

    batches, sizes = list(islice(tt.take_batches(list(range(count)), size), 50)), []
    for batch in islice(tt.take_batches(list(range(count)), size), 50):
        sizes.append(len(batch))
        batch += ["more"] * size
    return [list(batch) for batch in batches], sizes


@law(5, "new list", look="a list that was handed out belongs to whoever has it")
def test_each_batch_is_a_list_of_its_own(inside, draw):
    size = int(draw.integers(2, 40))
    want = [[*range(size)], [*range(size, 2 * size)], [2 * size]]
    got, sizes = inside(kept, 2 * size + 1, size)
    call = f"take_batches(range({2 * size + 1}), {size})"
    yield f"list({call})", got, want
    text = f"{call}; the loop appends {size} items to each batch: their sizes before"
    yield text, sizes, [size, size, 1]


@law(6, "without a retry", look="no `try`: the error goes on its way")
def test_an_error_passes_through(tt, draw):
    count = int(draw.integers(1, 9))
    for error in ERRORS:
        for drop_last in (False, True):
            tape = Tape(range(count), error)
            got = raised_by(lambda: cut(tt, tape, 2, drop_last))
            call = (
                f"list(take_batches(stream, 2, {drop_last})); it raises {shown(error)}"
            )
            call = f"{call} after {count} items: the error, and the items asked for"
            yield call, (got, tape.reads), (shown(error), count + 1)


def left(tt, size, count, drop_last):
    """What came of a loop that is left at a batch."""
    batches = iter(tt.take_batches(list(range(9)), size, drop_last))
    came = [next(batches)[:] for _ in range(count)]
    try:
        getattr(batches, "close", bool)()  # as `break` does
    except Exception as error:  # noqa: BLE001 - the law shows it
        return came, f"{type(error).__name__}: {error}"
    return came, "no error"


@law(7, "left early", look="`finally` runs then, too; no `yield` may be there")
def test_a_loop_may_be_left(inside, draw):
    for size in (2, int(draw.integers(3, 5))):
        for count in (1, 2):
            for drop_last in (False, True):
                call = f"take_batches(range(9), {size}, {drop_last}); `break` at batch"
                got = inside(left, size, count, drop_last)
                came = [[*range(i * size, i * size + size)] for i in range(count)]
                yield f"{call} {count}", tuple(got), (came, "no error")

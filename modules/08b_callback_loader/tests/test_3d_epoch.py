"""Laws of exercise 3d, create_batches and _epoch."""

from itertools import islice

from stand_ins_08b import Failing, with_parts

from tinytorch.law_tools import ERRORS, raised_by, shown
from tinytorch.laws import law

CHUNKS = "what is gathered before a batch is handed on: a list of items, of batches?"
NO_FINALLY = "is self.after_iter() in a finally, an except, or in the loop?"
EPOCH = "before_iter", "get_idxs", "load", "after_batch", "after_iter"


class Parts:
    """Stands in for do_item, chunkify and do_batch: `size` items are a piece (with None
    each item is one), a skipped one is None, and the stream stops at `last`.
    """

    def __init__(self, size=2, skipped=(), last=None, items=None):
        self.size, self.skipped, self.last = size, skipped, last
        self.items, self.reads = items, []

    def do_item(self, s):
        self.reads.append(s)
        if s == self.last:
            raise StopIteration
        if s in self.skipped:
            return None
        return f"item {s}" if self.items is None else self.items[s]

    def chunkify(self, items):
        if self.size is None:
            yield from items
            return
        piece = []
        for one in items:
            piece += [one]
            if len(piece) == self.size:
                yield piece
                piece = []
        if piece:
            yield piece

    def do_batch(self, piece):
        return ("batch", piece) if self.size is None else ("batch", *piece)

    def loader(self, inside, **others):
        """A loader with these parts."""
        names = "do_item", "chunkify", "do_batch"
        parts = {name: getattr(self, name) for name in names}
        return inside(with_parts, parts | others)

    def batches(self, inside, samples):
        return list(islice(self.loader(inside).create_batches(iter(samples)), 60))

    def cut(self, values):
        """The batches of these samples."""
        names = [f"item {s}" if self.items is None else self.items[s] for s in values]
        if self.size is None:
            return [("batch", name) for name in names]
        starts = range(0, len(names), self.size)
        return [("batch", *names[start : start + self.size]) for start in starts]


def sliced(inside, parts, samples, read, made, text=""):
    """A case: the batches of the samples and the samples read."""
    size = "bs=None, each item is" if parts.size is None else f"{parts.size} items"
    call = f"create_batches(iter({samples})), {size} a batch{text}"
    got = lambda: (parts.batches(inside, samples), parts.reads)  # noqa: E731
    return f"{call}: batches, samples read", got, (parts.cut(made), read)


@law(
    1,
    "Each sample goes",
    look="self.do_item makes the items, self.chunkify the pieces, self.do_batch the"
    " batches",
)
def test_samples_become_batches(inside, draw):
    drawn = draw.permutation(int(draw.integers(7, 20))).tolist()
    size = int(draw.integers(2, 6))
    rows = (2, [3, 1, 4, 0, 5]), (1, [1, 1]), (3, []), (size, drawn)
    for size, order in rows:
        yield sliced(inside, Parts(size), order, order, order)


@law(
    1,
    "Each sample goes",
    look="a local variable belongs to one call, an attribute to all of the loader",
)
def test_two_streams_of_batches_do_not_mix(inside, draw):
    parts = Parts(int(draw.integers(2, 5)))
    loader, made = parts.loader(inside), [[], []]
    orders = [draw.permutation(2 * parts.size + 1).tolist() for _ in "12"]
    streams = [iter(loader.create_batches(iter(order))) for order in orders]
    for _ in range(3):
        for batches, stream in zip(made, streams, strict=True):
            batches += islice(stream, 1)
    call = f"create_batches(iter({orders[0]})) and ({orders[1]}) of one loader in turns"
    yield f"{call}: batches of both", made, [parts.cut(order) for order in orders]


@law(2, "left out before cutting", look="is None taken out before self.chunkify?")
def test_a_skipped_item_leaves_no_hole(inside, draw):
    many, most = int(draw.integers(6, 20)), int(draw.integers(2, 6))
    drawn = sorted(draw.choice(many, many // 2, replace=False).tolist())
    rows = (2, 3, [1]), (3, 8, [1, 5]), (2, 5, [0, 1, 4]), (2, 3, [0, 1, 2])
    for size, n, skipped in (*rows, (most, many, drawn)):
        made = [s for s in range(n) if s not in skipped]
        text = f", samples {skipped} are skipped"
        samples = list(range(n))
        yield sliced(inside, Parts(size, skipped), samples, samples, made, text)


@law(3, "Only None is left out", look="ask with `is not None`: 0, '' and [] are items")
def test_only_none_is_left_out(inside, draw):
    items = [0, "", False, [], (), {}, 1]
    for order in ([0, 1, 2, 3, 4, 5, 6], draw.permutation(7).tolist()):
        text = f", the items {[items[s] for s in order]}"
        for size in (2, None):
            yield sliced(inside, Parts(size, items=items), order, order, order, text)


@law(
    4,
    "ends the items",
    look="map(self.do_item, samples) ends at StopIteration; a generator makes"
    " RuntimeError of it",
)
def test_stop_ends_the_items(inside, draw):
    most = int(draw.integers(2, 24))
    for size, last in ((2, 3), (2, 2), (2, 0), (most, most + 1), (most, 3 * most - 1)):
        samples, read = list(range(3 * size + 3)), list(range(last + 1))
        text = f", do_item({last}) calls stop()"
        parts = Parts(size, last=last)
        yield sliced(inside, parts, samples, read, read[:-1], text)


@law(5, "Nothing is read", look=CHUNKS)
def test_nothing_is_read_before_its_batch(inside, draw):
    for size in (1, 3, int(draw.integers(2, 12))):
        parts, made, reads, taken = Parts(size), [], [], []
        samples = (taken.append(s) or s for s in range(50))
        batches = iter(parts.loader(inside).create_batches(samples))
        for _ in range(4):
            reads.append((len(taken), len(parts.reads)))
            made += islice(batches, 1)
        want = parts.cut(range(4 * size)), [(n * size, n * size) for n in range(4)]
        call = f"create_batches(iter(range(50))), {size} items a batch: four, and how"
        yield f"{call} many samples and items are read before each", (made, reads), want


def noted(inside, log, number=3, error=None, fails=None, low=0):
    """A loader whose epoch has `number` batches, the first one of sample `low`, and
    notes its hooks in `log`.
    """

    def load(idxs):
        log.append("load")
        for s in idxs:
            log.append(f"batch {s}")
            yield [s, 10 * s]

    def note(name, result=None):
        return lambda *_: log.append(name) or result

    hooks = {
        "before_iter": note("before_iter"),
        "get_idxs": note("get_idxs", list(range(low, low + number))),
        "load": load,
        "after_batch": lambda batch: batch,
        "after_iter": note("after_iter"),
    }
    if fails:
        hooks[fails] = error.hook
    return inside(with_parts, hooks)


@law(5, "Nothing is read", look=f"in `_epoch`, {CHUNKS}")
def test_a_batch_is_handed_on_before_the_next_is_loaded(inside, draw):
    number, log, seen = int(draw.integers(3, 7)), [], []
    for _ in islice(noted(inside, log, number), 20):
        seen.append(sum(one.startswith("batch") for one in log))
    call = f"for batch in loader, {number} batches: how many are loaded by each turn"
    yield call, seen, list(range(1, number + 1))


@law(
    6,
    "before_iter comes before",
    look="self.before_iter() first, then self.get_idxs(); self.after_iter() once, below"
    " the loop",
)
def test_hooks_around_an_epoch_come_in_fastais_order(inside, draw):
    for number in (2, 0, int(draw.integers(3, 7))):
        log = []
        loader = noted(inside, log, number)
        for _ in "12":
            for batch in islice(loader, 20):
                log.append(f"turn {batch[0]}")
        turns = [text for s in range(number) for text in (f"batch {s}", f"turn {s}")]
        want = ["before_iter", "get_idxs", "load", *turns, "after_iter"]
        call = f"for batch in loader, twice, {number} batches: what happens"
        yield call, log, want * 2


@law(
    7,
    "after_batch makes",
    look="self.load(self.get_idxs()) gives the batches; yield what"
    " self.after_batch(batch) returns",
)
def test_the_loop_gets_what_after_batch_returned(inside, draw):
    order = draw.permutation(12).tolist()
    for idxs, change in (
        ([3, 0, 2], lambda batch: [*batch, "seen"]),
        ([0, 1], lambda batch: batch[0]),
        ([2, 5], lambda batch: []),
        (order, sum),
    ):
        asked = []

        def load(given, asked=asked):
            asked.append(given)
            return ([s, 10 * s] for s in given)

        parts = {
            "get_idxs": lambda idxs=idxs: idxs,
            "load": load,
            "after_batch": change,
        }
        loader = inside(with_parts, parts)
        got = [list(islice(loader, 20)) for _ in "12"], asked
        want = [[change([s, 10 * s]) for s in idxs]] * 2, [idxs] * 2
        call = f"list(loader), twice; get_idxs gives {idxs}, load [s, 10 s] of each s,"
        yield f"{call} after_batch changes it: batches, what load got", got, want


# a probe of `inside`: where the loader is, a loop that is left ends at once
def left_after(tt, loader, turns):
    """How many batches came of a loop that is left after so many turns."""
    for turn, _ in enumerate(loader, 1):
        if turn == turns:
            return turn
    return 0


@law(8, "after_iter is not called", look=NO_FINALLY)
def test_after_iter_is_not_called_after_an_early_end(inside, draw):
    low = int(draw.integers(1, 10**6))
    for turns in (1, 2):
        log = []
        loader = noted(inside, log, low=low)
        got = inside(left_after, loader, turns), log
        batches = [f"batch {low + s}" for s in range(turns)]
        want = turns, ["before_iter", "get_idxs", "load", *batches]
        call = f"for batch in loader, 3 batches, `break` in turn {turns}: turns, hooks"
        yield call, got, want


@law(8, "after_iter is not called", look=NO_FINALLY)
def test_after_iter_is_not_called_after_an_error(inside):
    log, want = [], ["before_iter", "get_idxs", "load", "batch 0", "after_iter"]
    turns = len(list(islice(noted(inside, log, 1), 20)))
    yield "list(loader), no error: batches, hooks", (turns, log), (1, want)
    for name in EPOCH[:-1]:
        for error in (KeyError("width"), OSError("disk gone")):
            log = []
            loader = noted(inside, log, error=Failing(error), fails=name)
            got = raised_by(lambda one=loader: list(islice(one, 20)))
            if not got.startswith("no error"):  # that is promise 9
                call = f"list(loader), {name} raises {shown(error)}"
                yield f"{call}: is after_iter called?", "after_iter" in log, False


@law(9, "without a retry", look="no `try`: the error is for the caller")
def test_an_error_of_a_part_of_the_epoch_passes_through(inside, draw):
    low = int(draw.integers(1, 10**6))
    samples = [low, low + 1, low + 2]
    for error in ERRORS:
        for name in ("do_item", "chunkify", "do_batch", *EPOCH):
            failing = Failing(error)
            if name in EPOCH:
                loader = noted(inside, [], error=failing, fails=name, low=low)
                call = "loader"
            else:
                loader = Parts().loader(inside, **{name: failing.hook})
                call = f"loader.create_batches(iter({samples}))"
            got = raised_by(
                lambda one=loader, epoch=name in EPOCH: list(
                    islice(one if epoch else one.create_batches(iter(samples)), 20)
                )
            )
            call = f"list({call}), {name} raises {shown(error)}: error, and calls of it"
            yield call, (got, failing.calls), (shown(error), 1)


# a probe of `inside`
def stop_inside_of_a_generator(tt, where):
    """The batches that came before `where` raises what Python makes of a StopIteration
    inside of a generator, and whether this error arrived.
    """
    loader, came = tt.DataLoader("abcdef", bs=2), []
    error = RuntimeError("generator raised StopIteration")
    error.__cause__ = StopIteration()

    def fail(which):
        if where == which:
            raise error

    loader.do_item = lambda s: fail(("do_item", s)) or s
    loader.chunkify = lambda items: ([one] for one in items)
    loader.do_batch = lambda piece: fail(("do_batch", *piece)) or piece
    try:
        for batch in loader.create_batches(iter([0, 1, 2])):
            came.append(batch)
    except RuntimeError as problem:
        if problem is not error:
            raise
        return came, "this error"
    return came, "no error"


@law(9, "without a retry", look="the end is a StopIteration, never a RuntimeError")
def test_a_runtime_error_is_no_end(inside, draw):
    for name in ("do_item", "do_batch"):
        place = int(draw.integers(3))
        call = f"list(loader.create_batches(iter([0, 1, 2]))), {name} of {place} raises"
        got = lambda: inside(stop_inside_of_a_generator, (name, place))  # noqa: E731
        want = [[s] for s in range(place)], "this error"
        yield f"{call} a RuntimeError from a StopIteration: batches, error", got, want

"""Hidden: laws of do_batch, create_batches and _epoch, each with stand-ins for the others, on
sizes and orders that are drawn anew each run (`draw`).
"""

import itertools

import pytest

from tinytorch.testing import expect

# 3c do_batch


@pytest.mark.contract("test_loader_do_batch")
def test_retain_gets_the_items_that_came_in(tt, draw):
    items = draw.integers(0, 100, int(draw.integers(2, 6))).tolist()
    seen = []
    loader = tt.DataLoader(
        "abc",
        bs=2,
        before_batch=lambda items: [*items, 1000],
        create_batch=lambda items: sum(items),
        retain=lambda batch, items: seen.append([batch, items]) or batch,
    )
    got = loader.do_batch(items)
    expect(
        seen == [[sum(items) + 1000, items]],
        "retain gets the batch and the items that do_batch got.",
        call=f"do_batch({items}), before_batch adds 1000, create_batch sums",
        got=seen,
        want=[[sum(items) + 1000, items]],
        look="the second argument: items, not what before_batch returned",
    )
    expect(
        got == sum(items) + 1000,
        "What retain returns is the batch.",
        call=f"do_batch({items})",
        got=got,
        want=sum(items) + 1000,
        look="return what self.retain(...) returns",
    )


@pytest.mark.contract("test_loader_do_batch")
def test_any_hooks_of_a_batch_are_a_chain(tt, draw):
    for _ in range(4):
        add, times, less = (int(draw.integers(1, 9)) for _ in range(3))
        items = draw.integers(0, 100, int(draw.integers(1, 6))).tolist()
        loader = tt.DataLoader(
            "abc",
            bs=2,
            before_batch=lambda items, add=add: [item + add for item in items],
            create_batch=lambda items, times=times: [times * item for item in items],
            retain=lambda batch, items, less=less: [*batch, *(item - less for item in items)],
        )
        got = loader.do_batch(items)
        want = [times * (item + add) for item in items] + [item - less for item in items]
        expect(
            got == want,
            "before_batch gets the items, and create_batch what before_batch returned.",
            call=f"do_batch({items}): + {add}, times {times}, then retain appends items - {less}",
            got=got,
            want=want,
            look="keep what before_batch returned: create_batch gets it",
        )


# 3d create_batches and _epoch


class Parts:
    """What `create_batches` uses of a loader: `size` items are a piece; `skipped` are left out,
    and the stream stops at `last`.
    """

    def __init__(self, size, skipped=(), last=None):
        self.size, self.skipped, self.last, self.reads = size, skipped, last, []

    def do_item(self, s):
        if s == self.last:
            raise StopIteration
        self.reads.append(s)
        return None if s in self.skipped else 5 * s

    def chunkify(self, items):
        piece = []
        for item in items:
            piece.append(item)
            if len(piece) == self.size:
                yield piece
                piece = []
        if piece:
            yield piece

    def do_batch(self, items):
        return {"items": items}


def cut(values, size):
    return [
        {"items": [5 * s for s in values[start : start + size]]}
        for start in range(0, len(values), size)
    ]


def batches_of(tt, parts, samples):
    """The batches that DataLoader's own create_batches makes with these parts."""
    try:
        return list(itertools.islice(iter(tt.DataLoader.create_batches(parts, samples)), 60))
    except RuntimeError as problem:
        if isinstance(problem, NotImplementedError):
            raise
        return f"RuntimeError: {problem}"


@pytest.mark.contract("test_loader_epoch")
def test_batches_are_the_slices_of_the_samples(tt, draw):
    for _ in range(4):
        order = draw.permutation(int(draw.integers(1, 20))).tolist()
        size = int(draw.integers(1, 6))
        got, want = batches_of(tt, Parts(size), order), cut(order, size)
        expect(
            got == want,
            "Each sample goes through self.do_item, each piece of"
            " self.chunkify(items) through self.do_batch, in order.",
            call=f"create_batches({order}), bs={size}",
            got=got,
            want=want,
            look="self.do_item, then self.chunkify, then self.do_batch; nothing kept in self",
        )


@pytest.mark.contract("test_loader_epoch")
def test_two_streams_of_batches_do_not_mix(tt, draw):
    size = int(draw.integers(2, 5))
    orders = [draw.permutation(2 * size + 1).tolist() for _ in range(2)]
    parts = Parts(size)
    streams = [iter(tt.DataLoader.create_batches(parts, order)) for order in orders]
    got = [[], []]
    for _turn in range(3):
        for batches, stream in zip(got, streams, strict=True):
            batches.append(next(stream))
    want = [cut(order, size) for order in orders]
    expect(
        got == want,
        "Each sample goes through self.do_item, each piece of self.chunkify(items) through"
        " self.do_batch, in order.",
        call=f"create_batches({orders[0]}) and ({orders[1]}) of one loader in turns, bs={size}",
        got=got,
        want=want,
        look="a local variable belongs to one call, an attribute to the loader",
    )


@pytest.mark.contract("test_loader_epoch")
def test_an_item_may_be_false(tt, draw):
    class Rows(Parts):
        def do_item(self, s):
            return [0, "", False, [], 1][s]

    order = draw.permutation(5).tolist()
    got = batches_of(tt, Rows(2), order)
    items = [[0, "", False, [], 1][s] for s in order]
    want = [{"items": items[start : start + 2]} for start in (0, 2, 4)]
    expect(
        got == want,
        "Only None is left out: an item may be 0, empty or False.",
        call=f"create_batches of the items {items}, bs=2",
        got=got,
        want=want,
        look="is not None",
    )


@pytest.mark.contract("test_loader_epoch")
def test_skipping_is_filtering(tt, draw):
    for _ in range(4):
        count, size = int(draw.integers(6, 20)), int(draw.integers(2, 6))
        skipped = draw.choice(count, count // 2, replace=False).tolist()
        got = batches_of(tt, Parts(size, skipped), list(range(count)))
        want = cut([s for s in range(count) if s not in skipped], size)
        expect(
            got == want,
            "An item that is None is left out before cutting, so it takes no place in a batch.",
            call=f"create_batches(range({count})), bs={size}, {sorted(skipped)} skipped",
            got=got,
            want=want,
            look="is each None taken out before self.chunkify gets the items?",
        )


@pytest.mark.contract("test_loader_epoch")
def test_everything_skipped_gives_nothing(tt, draw):
    count = int(draw.integers(4, 9))
    got = batches_of(tt, Parts(2, range(1, count)), list(range(count)))
    expect(
        got == cut([0], 2),
        "An item that is None is left out before cutting, so it takes no place in a batch.",
        call=f"create_batches(range({count})), all but item 0 skipped",
        got=got,
        want=cut([0], 2),
        look="is each None taken out before self.chunkify gets the items?",
    )
    got = batches_of(tt, Parts(2, range(count)), list(range(count)))
    expect(
        got == [],
        "An item that is None is left out before cutting, so it takes no place in a batch.",
        call=f"create_batches(range({count})), all skipped",
        got=got,
        want=[],
        look="is each None taken out before self.chunkify gets the items?",
    )


@pytest.mark.contract("test_loader_epoch")
def test_stop_ends_the_batches_wherever_it_comes(tt, draw):
    size = int(draw.integers(2, 5))
    for last in (1, size, size + 1, 3 * size - 1):
        got = batches_of(tt, Parts(size, last=last), list(range(30)))
        want = cut(list(range(last)), size)
        expect(
            got == want,
            "A StopIteration of do_item ends the items; those read before it still make a batch.",
            call=f"create_batches(range(30)), bs={size}, stop() at {last}",
            got=got,
            want=want,
            look="a StopIteration that passes through a generator is a RuntimeError (PEP 479)",
        )


@pytest.mark.contract("test_loader_epoch")
def test_reading_is_lazy_batch_by_batch(tt, draw):
    size = int(draw.integers(2, 6))
    parts = Parts(size)
    batches = iter(tt.DataLoader.create_batches(parts, itertools.count()))
    for k in range(3):
        made = next(batches)
        expect(
            made == cut(list(range((k + 1) * size)), size)[k]
            and len(parts.reads) == (k + 1) * size,
            "Nothing is read before its batch is asked for.",
            call=f"batch {k} of create_batches(0, 1, 2, ...), bs={size}",
            got=f"{made} after {len(parts.reads)} reads",
            want=f"{(k + 1) * size} reads",
            look="what is gathered before a batch is handed on?",
        )


@pytest.mark.contract("test_loader_epoch")
def test_an_epoch_visits_what_get_idxs_gives(tt, draw):
    order = draw.permutation(12).tolist()
    loader = tt.DataLoader(
        list(range(12)),
        bs=5,
        get_idxs=lambda: order,
        create_batches=lambda samples: [[s, s + 100] for s in samples],
        after_batch=lambda batch: sum(batch),
    )
    got = [list(loader), list(loader)]
    want = [[2 * s + 100 for s in order]] * 2
    expect(
        got == want,
        "The loop gets what after_batch makes of each batch of self.load(...).",
        call=f"two epochs, get_idxs gives {order}",
        got=got,
        want=want,
        look="self.load(self.get_idxs()), and yield what self.after_batch(batch) returns",
    )


@pytest.mark.contract("test_loader_epoch")
def test_each_batch_is_handed_out_before_the_next_is_made(tt, draw):
    count, log = int(draw.integers(3, 7)), []

    def create_batches(samples):
        for s in samples:
            log.append(f"make {s}")
            yield [s]

    loader = tt.DataLoader(
        list(range(count)),
        bs=1,
        before_iter=lambda: log.append("before_iter"),
        get_idxs=lambda: list(range(count)),
        create_batches=create_batches,
        after_batch=lambda batch: log.append(f"after_batch {batch[0]}") or batch,
        after_iter=lambda: log.append("after_iter"),
    )
    for batch in loader:
        log.append(f"train {batch[0]}")
    want = ["before_iter"]
    for s in range(count):
        want += [f"make {s}", f"after_batch {s}", f"train {s}"]
    want.append("after_iter")
    expect(
        log == want,
        "before_iter comes before get_idxs, and after_iter after the last batch.",
        call=f"for batch in loader, {count} batches",
        got=log,
        want=want,
        look="before_iter() first, then get_idxs(); after_iter() once, after the loop",
    )
    log.clear()
    batches = iter(loader)
    next(batches)
    del batches
    expect(
        "after_iter" not in log and "before_iter" in log,
        "after_iter is not called if the loop ends early or an error ends it.",
        call="next(iter(loader)), and no more",
        got=log,
        want="before_iter, and the first batch",
        look="does self.after_iter() stand in a finally, an except, or in the loop?",
    )

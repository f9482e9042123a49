"""Hidden: laws of the loader's methods, each with stand-ins for the others, on sizes and orders
that are drawn anew each run (`draw`).
"""

import itertools

import pytest

from tinytorch.testing import ReadLog, expect, expect_raises


def first_of(idxs, count):
    return [None if s is None else int(s) for s in itertools.islice(iter(idxs), count)]


# 3a get_idxs and shuffle_fn


class Squares:
    """A dataset without a length."""

    def __getitem__(self, index):
        return index * index


@pytest.mark.contract("test_loader_get_idxs")
def test_n_decides_how_many_are_visited(tt, draw):
    count = int(draw.integers(10, 20))
    n = int(draw.integers(1, count))
    for loader, call, want in (
        (tt.DataLoader(list(range(count))), f"{count} items", list(range(count))),
        (tt.DataLoader(list(range(count)), n=n), f"{count} items, n={n}", list(range(n))),
        (tt.DataLoader(Squares()), "a dataset without len", list(range(30))),
        (tt.DataLoader(iter("abc"), n=n), f"a stream, n={n}", [None] * n),
        (tt.DataLoader(iter("abc")), "a stream", [None] * 30),
    ):
        got = first_of(loader.get_idxs(), 30)
        expect(
            got == want,
            "An indexed dataset (self.indexed) is visited by 0, 1, 2, ...: self.n indices.",
            call=f"first 30 of get_idxs(), {call}",
            got=got,
            want=want,
        )


@pytest.mark.contract("test_loader_get_idxs")
def test_only_the_first_n_are_shuffled(tt, draw):
    count = int(draw.integers(10, 20))
    n = int(draw.integers(5, count))
    got = first_of(tt.DataLoader(list(range(count)), n=n, shuffle=True).get_idxs(), 30)
    expect(
        sorted(got) == list(range(n)),
        "shuffle_fn returns each of the given indices once.",
        call=f"DataLoader({count} items, n={n}, shuffle=True).get_idxs()",
        got=got,
        want=f"0..{n - 1} in some order",
    )


@pytest.mark.contract("test_loader_get_idxs")
def test_any_sampler_decides(tt, draw):
    order = draw.integers(0, 9, 12).tolist()
    pairs = [order[:2], order[2:7]]
    got = first_of(tt.DataLoader(list(range(9)), bs=4, n=3, sampler=order).get_idxs(), 30)
    expect(
        got == order,
        "A sampler decides: get_idxs returns self.sampler, even an empty one.",
        call=f"DataLoader(9 items, bs=4, n=3, sampler={order}).get_idxs()",
        got=got,
        want=order,
    )
    got = list(tt.DataLoader(list(range(9)), batch_sampler=pairs).get_idxs())
    expect(
        got == pairs,
        "A sampler decides: get_idxs returns self.sampler, even an empty one.",
        call=f"DataLoader(9 items, batch_sampler={pairs}).get_idxs()",
        got=got,
        want=pairs,
    )


@pytest.mark.contract("test_loader_get_idxs")
def test_shuffle_fn_of_the_user_wins(tt, draw):
    count = int(draw.integers(5, 20))
    loader = tt.DataLoader(
        list(range(count)), shuffle=True, shuffle_fn=lambda idxs: [*list(idxs)[::-1], 99]
    )
    got, want = first_of(loader.get_idxs(), 30), [*range(count)[::-1], 99]
    expect(
        got == want,
        "With self.shuffle, get_idxs returns what self.shuffle_fn(idxs) returns, called once.",
        call=f"DataLoader({count} items, shuffle=True, shuffle_fn=reversed).get_idxs()",
        got=got,
        want=want,
        look="self.shuffle_fn(idxs) in get_idxs",
    )


@pytest.mark.contract("test_loader_get_idxs")
def test_every_order_is_possible(tt, draw):
    # 6 orders of 3, each missed by 120 shuffles with probability (5/6)^120: false alarm 2e-9.
    loader = tt.DataLoader([0, 1, 2], shuffle=True, seed=int(draw.integers(1000)))
    seen = {tuple(first_of(loader.shuffle_fn([4, 5, 6]), 9)) for _ in range(120)}
    expect(
        seen == set(itertools.permutations([4, 5, 6])),
        "Every order is possible, and each call draws a new one.",
        call="120 times shuffle_fn([4, 5, 6])",
        got=f"{len(seen)} orders, such as {min(seen)}",
        want="the 6 orders of 4, 5, 6",
        look="a rotation or a reversal is no shuffle",
    )


@pytest.mark.contract("test_loader_get_idxs")
def test_a_shuffle_depends_on_the_seed_alone(tt, draw, global_random_state):
    seed = int(draw.integers(1000))
    before = global_random_state()
    one, same, other = (
        first_of(tt.DataLoader(range(40), shuffle=True, seed=s).get_idxs(), 99)
        for s in (seed, seed, seed + 1)
    )
    expect(
        sorted(one) == sorted(other) == list(range(40)),
        "shuffle_fn returns each of the given indices once.",
        call=f"DataLoader(40 items, shuffle=True, seed={seed}).get_idxs()",
        got=[sorted(one), sorted(other)],
        want="0..39",
    )
    expect(
        one == same and one != other,
        "The order is drawn from self.rng (the Generator of this epoch) and from nothing else.",
        call=f"seed={seed} twice, then seed={seed + 1}",
        got=[one[:5], same[:5], other[:5]],
        want="equal, equal, another",
    )
    expect(
        global_random_state() == before,
        "The order is drawn from self.rng (the Generator of this epoch) and from nothing else.",
        call="DataLoader(40 items, shuffle=True).get_idxs()",
        got="np.random or random changed",
        want="unchanged",
        look="self.rng",
    )


# 3b create_item and do_item


class Stream:
    """0, 1, 2, ... without an end."""

    def __init__(self):
        self.count = 0

    def __iter__(self):
        return self

    def __next__(self):
        self.count += 1
        return self.count - 1


@pytest.mark.contract("test_loader_do_item")
def test_an_item_is_read_once(tt, draw):
    log = ReadLog([f"item {k}" for k in range(12)])
    order = draw.permutation(12).tolist()
    loader = tt.DataLoader(log)
    got = [loader.do_item(s) for s in order]
    expect(
        got == [f"item {s}" for s in order] and log.reads == order,
        "create_item(s) of an indexed dataset reads its item s, once.",
        call=f"do_item(s) for s in {order}",
        got=f"{got}, reads {log.reads}",
        want=[f"item {s}" for s in order],
    )
    loader = tt.DataLoader(ReadLog(["first", "second"]))
    expect(
        loader.create_item(None) == "first",
        "create_item(None) of an indexed dataset is its item 0.",
        call="create_item(None)",
        got=loader.create_item(None),
        want="first",
    )


@pytest.mark.contract("test_loader_do_item")
def test_a_stream_is_read_item_by_item(tt, draw):
    stream, count = Stream(), int(draw.integers(3, 9))
    loader = tt.DataLoader(stream)
    got = [loader.do_item(None) for _ in range(count)]
    expect(
        got == list(range(count)) and stream.count == count,
        "create_item(None) of a stream is the next item of self.it.",
        call=f"do_item(None), {count} times",
        got=f"{got}, {stream.count} items read",
        want=f"{list(range(count))}, {count} items read",
    )


@pytest.mark.contract("test_loader_do_item")
def test_a_stream_has_no_numbers(tt, draw):
    loader, s = tt.DataLoader(Stream(), bs=1), int(draw.integers(0, 9))
    got = loader.create_item(None)
    expect(
        got == 0,
        "create_item(None) of a stream is the next item of self.it.",
        call="create_item(None)",
        got=got,
        want=0,
    )
    expect_raises(
        IndexError,
        lambda: loader.create_item(s),
        "create_item raises an IndexError for an index of a stream, 0 too.",
        call=f"DataLoader(a stream).create_item({s})",
    )


@pytest.mark.contract("test_loader_do_item")
def test_two_hooks_of_an_item(tt, draw):
    times, add, of = (int(draw.integers(2, 9)) for _ in range(3))
    made = tt.DataLoader(
        [0], create_item=lambda s: times * s, after_item=lambda item: (item, item + add)
    )
    got = [made.do_item(s) for s in range(9)]
    want = [(times * s, times * s + add) for s in range(9)]
    expect(
        got == want,
        "do_item(s) is what after_item makes of what create_item makes of s.",
        call=f"do_item(s), create_item gives {times} s, after_item adds {add}",
        got=got,
        want=want,
    )
    for name in ("create_item", "after_item"):
        skipping = tt.DataLoader(
            list(range(9)), **{name: tt.skip_where(lambda item: item % of == 0)}
        )
        got = [skipping.do_item(s) for s in range(9)]
        want = [s if s % of else None for s in range(9)]
        expect(
            got == want,
            "If either hook raises SkipItemException, do_item returns None.",
            call=f"do_item(0), ..., {name} skips every {of}th",
            got=got,
            want=want,
        )


@pytest.mark.contract("test_loader_do_item")
def test_stop_passes(tt, draw):
    last = int(draw.integers(1, 6))

    def until_last(item):
        if item == last:
            raise StopIteration
        return item

    for name in ("create_item", "after_item"):
        loader = tt.DataLoader(list(range(9)), **{name: until_last})
        got = [loader.do_item(s) for s in range(last)]
        try:
            got.append(loader.do_item(last))
        except StopIteration:
            got.append("StopIteration")
        expect(
            got == [*range(last), "StopIteration"],
            "A StopIteration of either hook passes: it is stop().",
            call=f"do_item(0), ..., {name} calls stop() at {last}",
            got=got,
            want=[*range(last), "StopIteration"],
        )


@pytest.mark.contract("test_loader_do_item")
def test_every_other_error_passes(tt, draw):
    file = int(draw.integers(1, 9))

    def broken(item):
        if item == file:
            raise OSError(f"file {item} is gone")
        return item

    for name in ("create_item", "after_item"):
        loader = tt.DataLoader(list(range(9)), **{name: broken})
        got = loader.do_item(0)
        expect(
            got == 0,
            "do_item(s) is what after_item makes of what create_item makes of s.",
            call="do_item(0)",
            got=got,
            want=0,
        )
        expect_raises(
            OSError,
            lambda loader=loader: loader.do_item(file),
            "Any other error of the dataset or a hook reaches the caller unchanged, once.",
            says=f"file {file} is gone",
            call=f"do_item({file}), {name} raises OSError",
            look="except SkipItemException, and nothing wider",
        )


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
            "An item that is None is left out before cutting, so no batch has a hole.",
            call=f"create_batches(range({count})), bs={size}, {sorted(skipped)} skipped",
            got=got,
            want=want,
        )


@pytest.mark.contract("test_loader_epoch")
def test_everything_skipped_gives_nothing(tt, draw):
    count = int(draw.integers(4, 9))
    got = batches_of(tt, Parts(2, range(1, count)), list(range(count)))
    expect(
        got == cut([0], 2),
        "An item that is None is left out before cutting, so no batch has a hole.",
        call=f"create_batches(range({count})), all but item 0 skipped",
        got=got,
        want=cut([0], 2),
    )
    got = batches_of(tt, Parts(2, range(count)), list(range(count)))
    expect(
        got == [],
        "An item that is None is left out before cutting, so no batch has a hole.",
        call=f"create_batches(range({count})), all skipped",
        got=got,
        want=[],
    )


@pytest.mark.contract("test_loader_epoch")
def test_stop_ends_the_batches_wherever_it_comes(tt, draw):
    size = int(draw.integers(2, 5))
    for last in (1, size, size + 1, 3 * size - 1):
        got = batches_of(tt, Parts(size, last=last), list(range(30)))
        want = cut(list(range(last)), size)
        expect(
            got == want,
            "A StopIteration of do_item ends the items; what was gathered is still a batch.",
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
        got = next(batches)
        expect(
            got == cut(list(range((k + 1) * size)), size)[k] and len(parts.reads) == (k + 1) * size,
            "Nothing is read before its batch is asked for.",
            call=f"batch {k} of create_batches(0, 1, 2, ...), bs={size}",
            got=f"{got} after {len(parts.reads)} reads",
            want=f"{(k + 1) * size} reads",
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
    )

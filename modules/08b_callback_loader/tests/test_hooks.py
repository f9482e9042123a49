"""Promises of the loader's methods, each with stand-ins for the others. `tt` is your
exported package.
"""

import itertools

import pytest

from tinytorch.testing import expect, expect_raises


def first_of(idxs, count=5):
    return [None if s is None else int(s) for s in itertools.islice(iter(idxs), count)]


# 3a get_idxs and shuffle_fn


@pytest.mark.contract("test_loader_get_idxs")
def test_the_indices_of_a_dataset(tt):
    for loader, call, want in (
        (tt.DataLoader("abc"), "DataLoader('abc')", [0, 1, 2]),
        (tt.DataLoader("abcdef", n=4), "DataLoader('abcdef', n=4)", [0, 1, 2, 3]),
    ):
        got = first_of(loader.get_idxs())
        expect(
            got == want,
            "An indexed dataset (self.indexed) is visited by 0, 1, 2, ...: self.n"
            " indices.",
            call=f"first five of {call}.get_idxs()",
            got=got,
            want=want,
        )


@pytest.mark.contract("test_loader_get_idxs")
def test_a_stream_has_no_indices(tt):
    for loader, call, want in (
        (tt.DataLoader("abc", indexed=False), "'abc', indexed=False", [None] * 3),
        (tt.DataLoader(), "", [None] * 5),
    ):
        got = first_of(loader.get_idxs())
        expect(
            got == want,
            "A stream is visited by None, None, ...: self.n times.",
            call=f"first five of DataLoader({call}).get_idxs()",
            got=got,
            want=want,
        )


@pytest.mark.contract("test_loader_get_idxs")
def test_a_sampler_decides(tt):
    got = first_of(tt.DataLoader("abcdef", bs=2, sampler=[5, 0, 0]).get_idxs())
    expect(
        got == [5, 0, 0],
        "A sampler decides: get_idxs returns self.sampler, even an empty one.",
        call="DataLoader('abcdef', bs=2, sampler=[5, 0, 0]).get_idxs()",
        got=got,
        want=[5, 0, 0],
        look="self.sampler, before anything else",
    )


@pytest.mark.contract("test_loader_get_idxs")
def test_a_shuffle_keeps_every_index(tt):
    loader = tt.DataLoader(list(range(50)), shuffle=True, seed=0)
    got = first_of(loader.get_idxs(), 99)
    # Two of 50! orders agree once in 10^64.
    expect(
        sorted(got) == list(range(50)) and got != list(range(50)),
        "shuffle_fn returns each of the given indices once.",
        call="DataLoader(50 items, shuffle=True).get_idxs()",
        got=got,
        want="0..49, shuffled",
    )


@pytest.mark.contract("test_loader_get_idxs")
def test_a_shuffle_is_drawn_from_the_loaders_generator(tt):
    def orders(seed):
        loader = tt.DataLoader(list(range(50)), shuffle=True, seed=seed)
        return [first_of(loader.shuffle_fn(range(50)), 99) for _ in range(2)]

    first, second = orders(3)
    expect(
        sorted(first) == sorted(second) == list(range(50)),
        "shuffle_fn returns each of the given indices once.",
        call="loader.shuffle_fn(range(50)), twice",
        got=[sorted(first), sorted(second)],
        want="0..49, twice",
    )
    expect(
        first != second,
        "Every order is possible, and each call draws a new one.",
        call="loader.shuffle_fn(range(50)), twice",
        got="the same order",
        want="another order",
        look="self.rng; a new Generator of the same seed draws the same again",
    )
    expect(
        orders(3) == [first, second],
        "The order is drawn from self.rng (the Generator of this epoch) and from"
        " nothing else.",
        call="shuffle_fn of another loader with the same seed",
        got="other orders",
        want="the same two",
        look="self.rng, and no other source of chance",
    )


# 3b create_item and do_item


@pytest.mark.contract("test_loader_do_item")
def test_an_item_is_read_by_its_index(tt):
    loader = tt.DataLoader("abc")
    got = [loader.create_item(2), loader.create_item(None)]
    expect(
        got == ["c", "a"],
        "create_item(s) of an indexed dataset reads its item s, once.",
        call="DataLoader('abc').create_item(2), .create_item(None)",
        got=got,
        want=["c", "a"],
    )


@pytest.mark.contract("test_loader_do_item")
def test_a_stream_gives_one_item_after_the_other(tt):
    loader = tt.DataLoader("abc", indexed=False)
    got = [loader.create_item(None) for _ in range(3)]
    expect(
        got == ["a", "b", "c"],
        "create_item(None) of a stream is the next item of self.it.",
        call="create_item(None), three times, of DataLoader('abc', indexed=False)",
        got=got,
        want=["a", "b", "c"],
        look="next(self.it); iter(self.dataset) starts again each time",
    )


@pytest.mark.contract("test_loader_do_item")
def test_an_item_passes_through_its_two_hooks(tt):
    loader = tt.DataLoader(
        [1, 2, 3], create_item=lambda s: 10 * s, after_item=lambda item: item + 1
    )
    got = loader.do_item(4)
    expect(
        got == 41,
        "do_item(s) is what after_item makes of what create_item makes of s.",
        call="do_item(4), create_item gives 10 s, after_item adds 1",
        got=got,
        want=41,
    )


@pytest.mark.contract("test_loader_do_item")
def test_a_skipped_item_is_none(tt):
    for name in ("create_item", "after_item"):
        loader = tt.DataLoader(
            [0, 1, 2, 3], **{name: tt.skip_where(lambda item: item == 2)}
        )
        got = [loader.do_item(s) for s in range(4)]
        expect(
            got == [0, 1, None, 3],
            "If either hook raises SkipItemException, do_item returns None.",
            call=f"do_item(0), ... do_item(3); {name} skips item 2",
            got=got,
            want=[0, 1, None, 3],
            look="which calls stand inside the try?",
        )


@pytest.mark.contract("test_loader_do_item")
def test_an_error_of_the_dataset_passes(tt):
    def broken(s):
        if s == 1:
            raise KeyError("file 1 is damaged")
        return s

    loader = tt.DataLoader("abc", create_item=broken)
    got = loader.do_item(0)
    expect(
        got == 0,
        "do_item(s) is what after_item makes of what create_item makes of s.",
        call="do_item(0)",
        got=got,
    )
    expect_raises(
        KeyError,
        lambda: loader.do_item(1),
        "Any other error of the dataset or a hook reaches the caller unchanged, once.",
        says="file 1 is damaged",
        call="do_item(1), create_item raises KeyError",
        look="except SkipItemException, nothing wider",
    )


# 3c do_batch


@pytest.mark.contract("test_loader_do_batch")
def test_the_hooks_of_a_batch_come_in_fastais_order(tt):
    log = []

    def note(name, answer):
        def hook(*values):
            log.append(name)
            return answer

        return hook

    loader = tt.DataLoader(
        "abc",
        bs=2,
        before_batch=note("before_batch", "B"),
        create_batch=note("create_batch", "C"),
        retain=note("retain", "R"),
    )
    got = loader.do_batch(["x", "y"])
    expect(
        log == ["before_batch", "create_batch", "retain"],
        "before_batch, create_batch and retain are called in this order, each once.",
        call='do_batch(["x", "y"])',
        got=log,
        want=["before_batch", "create_batch", "retain"],
    )
    expect(
        got == "R",
        "What retain returns is the batch.",
        call='do_batch(["x", "y"])',
        got=got,
        want="R",
    )


@pytest.mark.contract("test_loader_do_batch")
def test_what_a_hook_of_a_batch_returns_goes_on(tt):
    loader = tt.DataLoader(
        "abc",
        bs=2,
        before_batch=lambda items: items[::-1],
        create_batch=lambda items: "".join(items),
        retain=lambda batch, items: f"<{batch}>",
    )
    got = loader.do_batch(["a", "b", "c"])
    expect(
        got == "<cba>",
        "before_batch gets the items, and create_batch what before_batch returned.",
        call='do_batch(["a", "b", "c"]): reversed, joined, put in brackets',
        got=got,
        want="<cba>",
    )


# 3d create_batches and _epoch


class Parts:
    """What `create_batches` uses of a loader: numbers are items, `size` of them a
    piece.
    """

    def __init__(self, size=2, skipped=(), last=None):
        self.size, self.skipped, self.last, self.reads = size, skipped, last, []

    def do_item(self, s):
        if s == self.last:
            raise StopIteration
        self.reads.append(s)
        return None if s in self.skipped else s

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
        return ["batch", *items]


def batches_of(tt, parts, samples):
    """The batches that DataLoader's own create_batches makes with these parts."""
    try:
        batches = iter(tt.DataLoader.create_batches(parts, samples))
        return list(itertools.islice(batches, 20))
    except RuntimeError as problem:
        if isinstance(problem, NotImplementedError):
            raise
        return f"RuntimeError: {problem}"


@pytest.mark.contract("test_loader_epoch")
def test_samples_become_batches(tt):
    got = batches_of(tt, Parts(size=2), [3, 1, 4, 0, 5])
    want = [["batch", 3, 1], ["batch", 4, 0], ["batch", 5]]
    expect(
        got == want,
        "Each sample goes through self.do_item, each piece of self.chunkify(items)"
        " through self.do_batch, in order.",
        call="create_batches([3, 1, 4, 0, 5]), bs=2",
        got=got,
        want=want,
    )


@pytest.mark.contract("test_loader_epoch")
def test_a_skipped_item_leaves_no_hole(tt):
    got = batches_of(tt, Parts(size=3, skipped=(1, 5)), range(8))
    want = [["batch", 0, 2, 3], ["batch", 4, 6, 7]]
    expect(
        got == want,
        "An item that is None is left out before cutting, so no batch has a hole.",
        call="create_batches(range(8)), bs=3, items 1 and 5 skipped",
        got=got,
        want=want,
    )


@pytest.mark.contract("test_loader_epoch")
def test_stop_ends_the_items(tt):
    got = batches_of(tt, Parts(size=2, last=3), range(9))
    want = [["batch", 0, 1], ["batch", 2]]
    expect(
        got == want,
        "A StopIteration of do_item ends the items; what was gathered is still a"
        " batch.",
        call="create_batches(range(9)), bs=2, stop() at 3",
        got=got,
        want=want,
        look="StopIteration inside a generator becomes RuntimeError",
    )


@pytest.mark.contract("test_loader_epoch")
def test_nothing_is_read_before_its_batch(tt):
    parts = Parts(size=3)
    batches = iter(tt.DataLoader.create_batches(parts, range(9)))
    expect(
        parts.reads == [],
        "Nothing is read before its batch is asked for.",
        call="create_batches(range(9))",
        got=parts.reads,
        want=[],
    )
    got = next(batches)
    expect(
        got == ["batch", 0, 1, 2] and parts.reads == [0, 1, 2],
        "Nothing is read before its batch is asked for.",
        call="next(create_batches(range(9))), bs=3",
        got=f"{got} after reading {parts.reads}",
        want="0, 1 and 2",
        look="a list of all items?",
    )


@pytest.mark.contract("test_loader_epoch")
def test_hooks_are_called_in_fastais_order(tt):
    log = []

    def note(name, answer=None):
        def hook(*values):
            log.append(name)
            return answer(*values) if answer else None

        return hook

    loader = tt.DataLoader(
        "abc",
        bs=2,
        before_iter=note("before_iter"),
        get_idxs=note("get_idxs", lambda: [2, 0, 1]),
        create_batches=note("create_batches", lambda samples: [["c", "a"], ["b"]]),
        after_batch=note("after_batch", lambda batch: batch),
        after_iter=note("after_iter"),
    )
    for _ in loader:
        log.append("train")
    want = [
        "before_iter",
        "get_idxs",
        "create_batches",
        "after_batch",
        "train",
        "after_batch",
        "train",
        "after_iter",
    ]
    expect(
        log == want,
        "before_iter comes before get_idxs, and after_iter after the last batch.",
        call="for batch in DataLoader('abc', bs=2, five hooks replaced)",
        got=log,
        want=want,
    )


@pytest.mark.contract("test_loader_epoch")
def test_the_training_loop_gets_what_after_batch_returned(tt):
    loader = tt.DataLoader(
        "abcd",
        bs=2,
        get_idxs=lambda: [3, 0, 2],
        create_batches=lambda samples: [[s, 10 * s] for s in samples],
        after_batch=lambda batch: [*batch, "seen"],
    )
    got = list(loader)
    want = [[3, 30, "seen"], [0, 0, "seen"], [2, 20, "seen"]]
    expect(
        got == want,
        "The loop gets what after_batch makes of each batch of self.load(...).",
        call="list(DataLoader('abcd', get_idxs gives [3, 0, 2], ...))",
        got=got,
        want=want,
    )


@pytest.mark.contract("test_loader_epoch")
def test_after_iter_waits_for_the_last_batch(tt):
    log = []
    loader = tt.DataLoader(
        "abc",
        bs=1,
        get_idxs=lambda: [0, 1, 2],
        create_batches=lambda samples: [[s] for s in samples],
        after_iter=lambda: log.append("after_iter"),
    )
    for _ in loader:
        break
    expect(
        log == [],
        "after_iter is not called if the loop ends early or an error ends it.",
        call="for batch in loader: break",
        got=log,
        want=[],
    )
    count = len(list(loader))
    expect(
        count == 3 and log == ["after_iter"],
        "before_iter comes before get_idxs, and after_iter after the last batch.",
        call="for batch in loader",
        got=f"{count} batches, {log}",
        want="3 batches, ['after_iter']",
    )

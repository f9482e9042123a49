"""Promises of do_batch, create_batches and _epoch, each with stand-ins for
the others. `tt` is your exported package.
"""

import itertools

import pytest

from tinytorch.testing import expect


class Failing:
    """Code of somebody else that fails: counts its calls and raises `error`."""

    def __init__(self, error):
        self.error, self.calls = error, 0

    def hook(self, *_):
        self.calls += 1
        raise self.error


def what_came(call, failing):
    """What `call()` made of the error of `failing`, in words."""
    try:
        came = f"no error, but {call()!r}"
    except NotImplementedError:  # a stub
        raise
    except Exception as problem:  # noqa: BLE001 - the test shows it
        came = f"{type(problem).__name__}: {problem}"
    return f"{came} (calls: {failing.calls})"


def unchanged(failing):
    return f"{type(failing.error).__name__}: {failing.error} (calls: 1)"


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
        look="call each of the three once, and keep what it returns",
    )
    expect(
        got == "R",
        "What retain returns is the batch.",
        call='do_batch(["x", "y"])',
        got=got,
        want="R",
        look="return what self.retain(...) returns",
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
        look="create_batch gets what before_batch returned, retain what create_batch"
        " did",
    )


@pytest.mark.contract("test_loader_do_batch")
def test_hooks_of_a_batch_may_return_anything(tt):
    seen = []
    loader = tt.DataLoader(
        "abc",
        bs=2,
        before_batch=lambda items: seen.append(["before_batch", items]) or [],
        create_batch=lambda items: seen.append(["create_batch", items]) or 0,
        retain=lambda batch, items: seen.append(["retain", batch, items]),
    )
    got = loader.do_batch(["x", "y"])
    want = [["before_batch", ["x", "y"]], ["create_batch", []]]
    expect(
        seen[:2] == want,
        "before_batch gets the items, and create_batch what before_batch returned.",
        call='do_batch(["x", "y"]); the hooks return [], 0, None',
        got=seen[:2],
        want=want,
        look="keep what before_batch returned, an empty list too",
    )
    expect(
        seen[2:] == [["retain", 0, ["x", "y"]]],
        "retain gets the batch and the items that do_batch got.",
        call='do_batch(["x", "y"]); the hooks return [], 0, None',
        got=seen[2:],
        want=[["retain", 0, ["x", "y"]]],
        look="the second argument: items, not what before_batch returned",
    )
    expect(
        got is None,
        "What retain returns is the batch.",
        call='do_batch(["x", "y"]); the hooks return [], 0, None',
        got=repr(got),
        want="None",
        look="return what self.retain(...) returns, whatever it is",
    )


@pytest.mark.contract("test_loader_do_batch")
def test_an_error_of_a_hook_of_a_batch_passes(tt):
    for name in ("before_batch", "create_batch", "retain"):
        failing = Failing(KeyError("width"))
        loader = tt.DataLoader("abc", bs=2, **{name: failing.hook})
        came = what_came(lambda loader=loader: loader.do_batch(["x", "y"]), failing)
        expect(
            came == unchanged(failing),
            "An error of one of the three hooks reaches the caller unchanged, without a"
            " retry.",
            call=f'do_batch(["x", "y"]), {name} raises KeyError',
            got=came,
            want=unchanged(failing),
            look="does a try of yours catch it? The error is for the caller",
        )


# 3d create_batches and _epoch


class Parts:
    """What `create_batches` uses of a loader: numbers are items, `size` of them a
    piece.
    """

    def __init__(self, size=2, skipped=(), last=None):
        self.size, self.skipped, self.last, self.reads = size, skipped, last, []
        self.items = {}

    def do_item(self, s):
        if s == self.last:
            raise StopIteration
        self.reads.append(s)
        return None if s in self.skipped else self.items.get(s, f"item {s}")

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


def batches(*pieces):
    return [["batch", *(f"item {s}" for s in piece)] for piece in pieces]


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
    want = batches([3, 1], [4, 0], [5])
    expect(
        got == want,
        "Each sample goes through self.do_item, each piece of self.chunkify(items)"
        " through self.do_batch, in order.",
        call="create_batches([3, 1, 4, 0, 5]), bs=2",
        got=got,
        want=want,
        look="self.do_item makes the items, self.chunkify the pieces, self.do_batch the"
        " batches",
    )


@pytest.mark.contract("test_loader_epoch")
def test_a_skipped_item_leaves_no_hole(tt):
    got = batches_of(tt, Parts(size=3, skipped=(1, 5)), range(8))
    want = batches([0, 2, 3], [4, 6, 7])
    expect(
        got == want,
        "An item that is None is left out before cutting, so it takes no place in a"
        " batch.",
        call="create_batches(range(8)), bs=3, items 1 and 5 skipped",
        got=got,
        want=want,
        look="is each None taken out before self.chunkify gets the items?",
    )


@pytest.mark.contract("test_loader_epoch")
def test_only_none_is_left_out(tt):
    parts = Parts(size=2)
    parts.items = {0: 0, 1: "", 2: False, 3: []}
    got = batches_of(tt, parts, range(4))
    want = [["batch", 0, ""], ["batch", False, []]]
    expect(
        got == want,
        "Only None is left out: an item may be 0, empty or False.",
        call="create_batches of the items 0, '', False and [], bs=2",
        got=got,
        want=want,
        look="which items are left out? Only `None`: ask with `is not None`",
    )


@pytest.mark.contract("test_loader_epoch")
def test_stop_ends_the_items(tt):
    got = batches_of(tt, Parts(size=2, last=3), range(9))
    want = batches([0, 1], [2])
    expect(
        got == want,
        "A StopIteration of do_item ends the items; those read before it still make a"
        " batch.",
        call="create_batches(range(9)), bs=2, stop() at 3",
        got=got,
        want=want,
        look="map(self.do_item, samples) ends at StopIteration; a generator makes"
        " RuntimeError of it",
    )


@pytest.mark.contract("test_loader_epoch")
def test_nothing_is_read_before_its_batch(tt):
    parts = Parts(size=3)
    made = iter(tt.DataLoader.create_batches(parts, range(9)))
    for count in range(4):
        if count:
            next(made)
        expect(
            parts.reads == list(range(3 * count)),
            "Nothing is read before its batch is asked for.",
            call=f"{count} batches of create_batches(range(9)), bs=3",
            got=f"items read: {parts.reads}",
            want=f"items read: {list(range(3 * count))}",
            look="what is gathered before a batch is handed on?",
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
        look="before_iter() first, then get_idxs(); each batch at once; after_iter()"
        " last",
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
        look="yield what self.after_batch(batch) returns",
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
    count = len(list(loader))
    expect(
        count == 3 and log == ["after_iter"],
        "before_iter comes before get_idxs, and after_iter after the last batch.",
        call="for batch in loader",
        got=f"{count} batches, {log}",
        want="3 batches, ['after_iter']",
        look="self.after_iter() once, after the loop",
    )
    log.clear()
    for _ in loader:
        break
    expect(
        log == [],
        "after_iter is not called if the loop ends early or an error ends it.",
        call="for batch in loader: break",
        got=f"called: {log}",
        want="called: []",
        look="does self.after_iter() stand in a finally, an except, or in the loop?",
    )


@pytest.mark.contract("test_loader_epoch")
def test_an_error_of_a_part_passes_through_create_batches(tt):
    for name in ("do_item", "chunkify", "do_batch"):
        failing, parts = Failing(KeyError("width")), Parts(size=2)
        setattr(parts, name, failing.hook)
        came = what_came(
            lambda parts=parts: list(tt.DataLoader.create_batches(parts, [0, 1, 2])),
            failing,
        )
        expect(
            came == unchanged(failing),
            "An error of a method or hook of an epoch reaches the caller unchanged,"
            " without a retry.",
            call=f"list(create_batches([0, 1, 2])), {name} raises KeyError",
            got=came,
            want=unchanged(failing),
            look="does a try of yours catch it? The error is for the caller",
        )


@pytest.mark.contract("test_loader_epoch")
def test_an_error_of_a_hook_of_an_epoch_passes(tt):
    for name in (
        "before_iter",
        "get_idxs",
        "create_batches",
        "after_batch",
        "after_iter",
    ):
        log, failing = [], Failing(KeyError("width"))
        hooks = {
            "get_idxs": lambda: [0, 1],
            "create_batches": lambda samples: [[s] for s in samples],
            "after_iter": lambda log=log: log.append("after_iter"),
            name: failing.hook,
        }
        loader = tt.DataLoader("abc", bs=1, **hooks)
        came = what_came(lambda loader=loader: list(loader), failing)
        expect(
            came == unchanged(failing),
            "An error of a method or hook of an epoch reaches the caller unchanged,"
            " without a retry.",
            call=f"list(loader), {name} raises KeyError",
            got=came,
            want=unchanged(failing),
            look="does a try of yours catch it? The error is for the caller",
        )
        expect(
            log == [],
            "after_iter is not called if the loop ends early or an error ends it.",
            call=f"list(loader), {name} raises KeyError",
            got=f"called: {log}",
            want="called: []",
            look="does self.after_iter() stand in a finally or an except?",
        )

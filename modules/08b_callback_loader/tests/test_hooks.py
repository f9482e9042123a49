"""Promises of the loader's settings, order of hooks, and items. `tt` is your
exported package.
"""

import itertools

import pytest

from tinytorch.testing import ReadLog, expect, expect_raises

pytestmark = pytest.mark.contract("contract_hooks")
LETTERS = list("abcdefghijklmnopqrstuvwxyz")


def words(loader):
    """The batches of letters as words."""
    return " ".join("".join(batch) for batch in loader)


def test_letters_in_batches_as_on_fastais_page(tt):
    loader = tt.DataLoader(LETTERS, bs=4, drop_last=True, num_workers=0)
    got = " ".join(words(loader) for _ in range(2))
    want = "abcd efgh ijkl mnop qrst uvwx " * 2
    expect(
        got == want.strip(),
        "Two epochs give the batches twice, without the short one.",
        call="DataLoader(letters, bs=4, drop_last=True)",
        got=got,
        want=want,
    )
    expect(
        len(loader) == 6,
        "len(loader) counts full batches with drop_last.",
        call="len(loader)",
        got=len(loader),
        want=6,
    )
    loader = tt.DataLoader(LETTERS, 4)
    expect(
        words(loader) == "abcd efgh ijkl mnop qrst uvwx yz" and len(loader) == 7,
        "The short batch comes without drop_last.",
        call="DataLoader(letters, 4)",
        got=words(loader),
        want="abcd efgh ijkl mnop qrst uvwx yz",
    )


def test_without_bs_every_item_is_a_batch(tt):
    loader = tt.DataLoader(LETTERS)
    expect(
        list(loader) == LETTERS and len(loader) == 26,
        "Without bs the dataset's items are handed out as they are.",
        call="list(DataLoader(letters))",
        got=list(loader),
        want=LETTERS,
    )
    expect(
        list(tt.DataLoader(LETTERS, indexed=False)) == LETTERS,
        "The same when the dataset is iterated, not indexed.",
        call="list(DataLoader(letters, indexed=False))",
        got=list(tt.DataLoader(LETTERS, indexed=False)),
        want=LETTERS,
    )


def test_a_shuffle_keeps_every_item(tt):
    loader = tt.DataLoader(LETTERS, shuffle=True, seed=0)
    first, second = list(loader), list(loader)
    # Two of 26! orders agree once in 10^26.
    expect(
        sorted(first) == LETTERS and first != LETTERS,
        "A shuffled epoch has every item once, in another order.",
        call="list(DataLoader(letters, shuffle=True))",
        got="".join(first),
        want="the 26 letters, shuffled",
    )
    expect(
        first != second,
        "Each epoch has an order of its own.",
        call="two epochs",
        got="".join(second),
        want="another order",
    )
    again = tt.DataLoader(LETTERS, shuffle=True, seed=0)
    expect(
        [list(again), list(again)] == [first, second],
        "The same seed gives the same epochs.",
        call="DataLoader(letters, shuffle=True, seed=0)",
        got="other orders",
        want="the same two orders",
    )


def test_hooks_are_called_in_fastais_order(tt):
    log = []

    def note(name, answer=lambda value: value):
        def hook(*values):
            log.append(name)
            return answer(*values)

        return hook

    loader = tt.DataLoader(
        "abc",
        bs=2,
        before_iter=note("before_iter", lambda: None),
        after_iter=note("after_iter", lambda: None),
        get_idxs=note("get_idxs", lambda: [2, 0, 1]),
        create_item=note("create_item", lambda s: "abc"[s]),
        after_item=note("after_item"),
        before_batch=note("before_batch"),
        create_batch=note("create_batch"),
        retain=note("retain", lambda batch, items: batch),
        after_batch=note("after_batch"),
    )
    got = list(loader)
    item = ["create_item", "after_item"]
    batch = ["before_batch", "create_batch", "retain", "after_batch"]
    want = [
        "before_iter",
        "get_idxs",
        *item,
        *item,
        *batch,
        *item,
        *batch,
        "after_iter",
    ]
    expect(
        log == want,
        "The hooks of an epoch come in fastai's order.",
        call="list(DataLoader('abc', bs=2, every hook replaced))",
        got=log,
        want=want,
    )
    expect(
        got == [["c", "a"], ["b"]],
        "What a hook returns goes on to the next.",
        call="the batches",
        got=got,
        want=[["c", "a"], ["b"]],
    )


def test_every_hook_may_change_what_passes(tt):
    loader = tt.DataLoader(
        ["a", "b", "c"],
        bs=3,
        after_item=lambda item: item * 2,
        before_batch=lambda items: items[::-1],
        after_batch=lambda batch: ["<", *batch, ">"],
    )
    got = list(loader)
    expect(
        got == [["<", "cc", "bb", "aa", ">"]],
        "after_item changes an item, before_batch the list, after_batch the batch.",
        call="DataLoader(['a', 'b', 'c'], bs=3, three hooks)",
        got=got,
        want=[["<", "cc", "bb", "aa", ">"]],
    )


def test_nothing_is_read_before_its_batch(tt):
    log = ReadLog(LETTERS)
    batches = iter(tt.DataLoader(log, bs=3))
    expect(
        log.reads == [],
        "Starting an epoch reads nothing.",
        call="iter(loader)",
        got=log.reads,
        want=[],
    )
    next(batches)
    expect(
        log.reads == [0, 1, 2],
        "A batch reads its own items and no others.",
        call="next(iter(loader)), bs=3",
        got=log.reads,
        want=[0, 1, 2],
    )


def test_the_visited_indices(tt):
    def first_five(loader):
        return list(itertools.islice(iter(loader.get_idxs()), 5))

    for loader, call, want in (
        (tt.DataLoader("abc"), "DataLoader('abc')", [0, 1, 2]),
        (tt.DataLoader("abcdef", n=4), "n=4", [0, 1, 2, 3]),
        (tt.DataLoader("abc", indexed=False), "indexed=False", [None] * 3),
        (tt.DataLoader(), "DataLoader()", [None] * 5),
        (tt.DataLoader("abc", sampler=[2, 2]), "sampler=[2, 2]", [2, 2]),
    ):
        got = first_five(loader)
        expect(
            got == want,
            "get_idxs gives indices for a dataset, None for a stream, and what a"
            " sampler says.",
            call=f"first five of get_idxs(), {call}",
            got=got,
            want=want,
        )


def test_an_error_of_the_dataset_passes(tt):
    def broken(s):
        raise KeyError(f"file {s} is damaged")

    expect_raises(
        KeyError,
        lambda: list(tt.DataLoader(LETTERS, bs=4, create_item=broken)),
        "An error reaches whoever asked for the batch.",
        says="file 0 is damaged",
        call="list(DataLoader(letters, create_item raises KeyError))",
        look="except SkipItemException, nothing wider",
    )

"""The features of its DataLoader that fastai's documentation lists, one by one, tested on module
08b's reference. The cells of that page are in test_fastai_page.py.
"""

from __future__ import annotations

import inspect
import math
import os
import sys
import time
from collections import OrderedDict, namedtuple

import numpy as np
import pytest

from tinytorch.core.tensor import Tensor

# with spawn, workers could not import the classes of this file
WORKERS = [0] if sys.platform == "win32" else [0, 1, 3]


@pytest.fixture(scope="module")
def lab(references):
    return references("08b").module


class A(Tensor):
    """A kind of Tensor of its own."""


def numbers(loader):
    return [batch.data.tolist() for batch in loader]


# Batches


def test_fa_collate_keeps_dicts_namedtuples_lists_and_kinds_of_tensor(lab):
    Pair = namedtuple("Pair", "image label")
    batch = lab.fa_collate([{"a": Pair(A([1.0]), 2), "b": [3, "x"]}] * 2)
    assert (
        type(batch) is dict
        and type(batch["a"]) is Pair
        and type(batch["a"].image) is A
        and batch["a"].image.shape == (2, 1)
    )
    assert type(batch["b"]) is list and batch["b"][1] == ["x", "x"]
    assert type(lab.fa_collate([OrderedDict(a=1)])) is OrderedDict


# SkipItemException, collate_error


@pytest.mark.parametrize("num_workers", WORKERS)
def test_skip_item_exception_leaves_an_item_out_and_the_batch_is_filled(lab, num_workers):
    def not_a_multiple_of_three(number):
        if number % 3 == 0:
            raise lab.SkipItemException
        return number

    loader = lab.DataLoader(
        range(20), bs=4, num_workers=num_workers, after_item=not_a_multiple_of_three
    )
    assert numbers(loader) == [[1, 2, 4, 5], [7, 8, 10, 11], [13, 14, 16, 17], [19]]


def test_collate_error_says_which_items_differ_and_how(lab):
    items = [np.zeros((3, 2)), np.zeros((3, 2)), np.zeros((4, 2))]
    with pytest.raises(ValueError, match=r"item 2.*\(4, 2\)"):
        lab.collate_error(ValueError("no"), items)


@pytest.mark.parametrize("num_workers", WORKERS)
def test_a_batch_that_cannot_be_collated_raises_the_same_with_and_without_workers(lab, num_workers):
    ragged = [np.zeros(2), np.zeros(2), np.zeros(3)]
    with pytest.raises(ValueError, match=r"item 2.*\(3,\)"):
        list(lab.DataLoader(ragged, bs=3, num_workers=num_workers))


# The signature

ORDER = (
    "dataset bs num_workers pin_memory timeout batch_size shuffle drop_last indexed n device"
    " persistent_workers pin_memory_device wif before_iter after_item before_batch after_batch"
    " after_iter create_batches create_item create_batch retain get_idxs sample shuffle_fn do_batch"
).split()


def test_the_arguments_are_the_page_s_in_its_order_with_its_defaults(lab):
    given = inspect.signature(lab.DataLoader).parameters
    positional = [name for name, each in given.items() if each.kind is each.POSITIONAL_OR_KEYWORD]
    assert positional == ORDER
    defaults = {name: given[name].default for name in ORDER}
    assert {name: value for name, value in defaults.items() if value is not None} == {
        "num_workers": 0,
        "pin_memory": False,
        "timeout": 0,
        "shuffle": False,
        "drop_last": False,
        "persistent_workers": False,
        "pin_memory_device": "",
    }


def test_batch_size_overrides_bs(lab):
    assert numbers(lab.DataLoader(range(4), bs=3, batch_size=2)) == [[0, 1], [2, 3]]


def test_n_is_how_many_items_an_epoch_has(lab):
    assert numbers(lab.DataLoader(range(10), bs=2, n=4)) == [[0, 1], [2, 3]]
    stream = lab.DataLoader((n for n in range(10)), bs=2, n=4)
    assert len(stream) == 2 and numbers(stream) == [[0, 1], [2, 3]]


def test_indexed_overrides_the_guess(lab):
    class Both(list):
        def __iter__(self):
            return iter("iterated")

    assert list(lab.DataLoader(Both("indexed"))) == list("indexed")
    assert list(lab.DataLoader(Both("indexed"), indexed=False))[:2] == ["i", "t"]


@pytest.mark.parametrize("num_workers", WORKERS)
def test_the_hooks_are_called_in_fastai_s_order(lab, num_workers):
    class Steps(lab.DataLoader):
        steps = []

        def before_iter(self):
            self.steps.append("before_iter")

        def get_idxs(self):
            self.steps.append("get_idxs")
            return super().get_idxs()

        def create_item(self, s):
            return [f"create_item {s}"]

        def after_item(self, item):
            return [*item, "after_item"]

        def before_batch(self, items):
            return [*items, ["before_batch"]]

        def create_batch(self, items):
            return [*sum(items, []), "create_batch"]

        def retain(self, result, items):
            return [*result, "retain"]

        def after_batch(self, batch):
            self.steps += [*batch, "after_batch"]
            return batch

        def after_iter(self):
            self.steps.append("after_iter")

    Steps.steps.clear()
    list(Steps(range(4), bs=2, num_workers=num_workers))
    assert Steps.steps == [
        "before_iter",
        "get_idxs",
        *"create_item 0,after_item,create_item"
        " 1,after_item,before_batch,create_batch,retain,after_batch,create_item"
        " 2,after_item,create_item 3,after_item,before_batch,create_batch,retain,after_batch".split(
            ","
        ),
        "after_iter",
    ]


@pytest.mark.parametrize(
    "hook, replacement, want",
    [
        ("after_item", lambda item: -item, [[0, -1], [-2, -3]]),
        ("before_batch", lambda items: items[::-1], [[1, 0], [3, 2]]),
        ("after_batch", lambda batch: batch * 10, [[0, 10], [20, 30]]),
        ("create_item", lambda s: s + 100, [[100, 101], [102, 103]]),
        ("create_batch", lambda items: Tensor(np.array(items) * 2), [[0, 2], [4, 6]]),
        ("get_idxs", lambda: [3, 1], [[3, 1]]),
        ("sample", lambda: iter([2, 2]), [[2, 2]]),
        ("do_batch", lambda items: Tensor([sum(items)]), [[1], [5]]),
        ("create_batches", lambda samples: (Tensor([s]) for s in samples), [[0], [1], [2], [3]]),
    ],
)
@pytest.mark.parametrize("num_workers", WORKERS[:2])
def test_each_hook_may_be_given_as_an_argument(lab, num_workers, hook, replacement, want):
    assert (
        numbers(lab.DataLoader(range(4), bs=2, num_workers=num_workers, **{hook: replacement}))
        == want
    )


def test_shuffle_fn_decides_the_order_and_retain_the_kind(lab):
    assert numbers(
        lab.DataLoader(range(4), bs=2, shuffle=True, shuffle_fn=lambda idxs: [3, 2, 1, 0])
    ) == [[3, 2], [1, 0]]
    assert list(lab.DataLoader(range(4), bs=2, retain=lambda result, items: len(items))) == [2, 2]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a count in a file of the test needs fork")
def test_wif_is_called_once_in_each_worker(lab, tmp_path):
    def wif():
        (tmp_path / str(os.getpid())).touch(exist_ok=False)

    list(lab.DataLoader(range(64), bs=2, num_workers=2, wif=wif))
    pids = {int(path.name) for path in tmp_path.iterdir()}
    assert 1 <= len(pids) <= 2 and os.getpid() not in pids


# persistent_workers, timeout, seeds


@pytest.mark.skipif(
    len(WORKERS) == 1, reason="the dataset is a class of this file, which spawn cannot find"
)
def test_persistent_workers_stay_for_the_next_epoch_and_others_do_not(lab):
    def pids(**settings):
        loader = lab.DataLoader(
            range(8), bs=2, num_workers=2, create_item=lambda s: os.getpid(), **settings
        )
        epochs = [set(sum(numbers(loader), [])) for _ in range(2)]
        loader.close()
        return epochs

    first, second = pids(persistent_workers=True)
    assert len(first | second) <= 2
    first, second = pids()
    assert not first & second


@pytest.mark.skipif(
    len(WORKERS) == 1, reason="the hook is a function of this file, which spawn cannot find"
)
def test_timeout_is_raised_by_the_loader(lab):
    with pytest.raises(TimeoutError, match=r"timeout=0\.3"):
        list(
            lab.DataLoader(
                range(8),
                bs=2,
                num_workers=1,
                timeout=0.3,
                after_item=lambda item: time.sleep(10_000),
            )
        )


@pytest.mark.skipif(
    len(WORKERS) == 1, reason="the hook is a function of this file, which spawn cannot find"
)
def test_an_error_in_a_worker_is_raised_as_it_is_with_the_worker_s_traceback(lab):
    def breaks(item):
        return math.sqrt(3 - item)

    for num_workers in (0, 2):
        with pytest.raises(ValueError, match="math domain error") as raised:
            list(lab.DataLoader(range(8), bs=2, num_workers=num_workers, after_item=breaks))
    assert "in breaks" in str(raised.value.__cause__)


@pytest.mark.skipif(
    len(WORKERS) == 1, reason="the hook is a function of this file, which spawn cannot find"
)
def test_no_two_items_of_two_workers_draw_the_same_and_the_worker_count_changes_nothing(lab):
    def epochs(num_workers, seed):
        loader = lab.DataLoader(
            range(40),
            bs=4,
            num_workers=num_workers,
            seed=seed,
            after_item=lambda item, rng: rng.random(2),
        )
        return [numbers(loader) for _ in range(2)]

    plain = epochs(0, 7)
    assert epochs(1, 7) == epochs(3, 7) == plain
    drawn = [tuple(item) for epoch in epochs(3, None) for batch in epoch for item in batch]
    assert len(set(drawn)) == 80  # by accident once in 10**12

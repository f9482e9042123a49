"""Module 08b asks a dataset with `__getitems__` for whole batches, where nobody looks at single
items; the batches are those that it would make of single items.
"""

from __future__ import annotations

import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tinytorch.core.tensor import Tensor

WORKERS = [0, 2] if hasattr(os, "fork") else [0]


class Rows:
    """Sample k is (7 k, k). Counts how it is read, in this process."""

    def __init__(self, count: int):
        self.data = 7 * np.arange(count), np.arange(count)
        self.single, self.gathered = [], []

    def __len__(self):
        return len(self.data[0])

    def __getitem__(self, index):
        self.single.append(int(index))
        return tuple(part[index] for part in self.data)


class Gathers(Rows):
    def __getitems__(self, indices):
        self.gathered.append([int(index) for index in indices])
        return tuple(Tensor(part[indices]) for part in self.data)


class GathersSamples(Rows):
    """PyTorch's convention: a list of samples."""

    def __getitems__(self, indices):
        self.gathered.append([int(index) for index in indices])
        return [tuple(part[index] for part in self.data) for index in indices]


def values(loader):
    return [
        [(type(part), part.dtype, part.data.tolist()) for part in batch]
        for _ in range(2)
        for batch in loader
    ]


@settings(max_examples=40)
@given(
    kind=st.sampled_from([Gathers, GathersSamples]),
    count=st.integers(0, 30),
    size=st.integers(1, 7),
    num_workers=st.sampled_from([0, 0, 0, *WORKERS]),
    order=st.sampled_from(["plain", "shuffle", "sampler", "batch_sampler", "get_idxs", "sample"]),
    drop_last=st.booleans(),
)
def test_gathered_batches_are_those_of_single_items(
    lab, kind, count, size, num_workers, order, drop_last
):
    def loader(dataset):
        given = {"bs": size, "drop_last": drop_last, "seed": 1, "num_workers": num_workers}
        if order == "shuffle":
            given["shuffle"] = True
        elif order == "sampler":
            given["sampler"] = lab.SubsetRandomSampler(range(count), seed=2)
        elif order == "batch_sampler":
            given = {"num_workers": num_workers, "seed": 1}
            given["batch_sampler"] = lab.BatchSampler(range(count), size, drop_last)
        elif order == "get_idxs":
            given["get_idxs"] = lambda: list(reversed(range(count)))
        elif order == "sample":
            given["sample"] = lambda: iter(range(0, count, 2))
        return lab.DataLoader(dataset, **given)

    dataset = kind(count)
    assert values(loader(dataset)) == values(loader(Rows(count)))
    if num_workers == 0:
        assert dataset.single == [] and all(len(read) <= size for read in dataset.gathered)


ITEM_HOOKS = {
    "after_item": lambda item: (item[0] + 1, item[1]),
    "create_item": lambda s: (s, s),
    "before_batch": lambda items: items[::-1],
    "create_batch": lambda items: (Tensor([len(items)]),),
    "retain": lambda result, items: (Tensor([len(items)]),),
    "do_batch": lambda items: (Tensor([len(items)]),),
    "create_batches": lambda samples: ((Tensor([s]),) for s in samples),
}


@pytest.mark.parametrize("num_workers", WORKERS)
@pytest.mark.parametrize("hook", ITEM_HOOKS)
def test_a_hook_that_sees_items_gets_them_one_by_one(lab, hook, num_workers):
    given = {"bs": 3, "num_workers": num_workers, hook: ITEM_HOOKS[hook]}
    dataset = Gathers(8)
    assert values(lab.DataLoader(dataset, **given)) == values(lab.DataLoader(Rows(8), **given))
    assert dataset.gathered == []


def test_a_method_that_makes_an_item_in_a_subclass_counts_as_a_hook(lab):
    class Doubles(lab.DataLoader):
        def do_item(self, s):
            first, second = super().do_item(s)
            return 2 * first, second

    dataset = Gathers(4)
    assert values(Doubles(dataset, bs=2))[0][0][2] == [0, 14] and dataset.gathered == []


def test_a_dataset_with_random_transforms_is_read_item_by_item(lab):
    class Random(Gathers):
        def sample_with(self, index, rng):
            return (rng.random(),)

    dataset = Random(4)
    list(lab.DataLoader(dataset, bs=2))
    assert dataset.gathered == []


def test_an_error_of_a_gather_reaches_the_loop_as_it_is(lab):
    class Fails(Rows):
        def __getitems__(self, indices):
            raise KeyError("no such rows")

    for num_workers in WORKERS:
        with pytest.raises(KeyError, match="no such rows"):
            list(lab.DataLoader(Fails(4), bs=2, num_workers=num_workers))

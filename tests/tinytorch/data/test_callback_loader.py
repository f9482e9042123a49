"""Laws of lab 08b's whole loader: with hooks, workers and gathered batches it gives the same as a
plain loop, a seed makes an epoch repeatable, and its constructor takes a value or refuses it. The
last part is what PyTorch's own tests ask of samplers and workers.
"""

from __future__ import annotations

import os
import signal

import numpy as np
import pytest
from claims import prove, refused
from hypothesis import given, settings
from hypothesis import strategies as st
from leak_watch import nothing_left
from peers_kit import needs_fork, numbers

from tinytorch.core.tensor import Tensor
from tinytorch.data.workers import WorkerDied

SEED = 11


@needs_fork
@pytest.mark.parametrize("stream", [False, True])
@settings(max_examples=25)
@given(
    skipped=st.sets(st.integers(0, 6), max_size=3),
    end=st.integers(0, 40),
    count=st.integers(0, 30),
    size=st.integers(1, 7),
    drop_last=st.booleans(),
    num_workers=st.sampled_from([0, 1, 3]),
)
def test_any_hooks_and_any_number_of_workers_give_what_the_plain_loop_gives(
    lab, stream, skipped, end, count, size, drop_last, num_workers
):
    def after_item(item):
        if item % 7 in skipped:
            raise lab.SkipItemException
        return item + 100 if item < end else lab.stop()

    loader = lab.DataLoader(
        (number for number in range(count)) if stream else range(count),
        bs=size,
        drop_last=drop_last,
        num_workers=num_workers,
        after_item=after_item,
        before_batch=lambda items: items[::-1],
    )
    left = [item + 100 for item in range(min(count, end)) if item % 7 not in skipped]
    cut = [left[k : k + size] for k in range(0, len(left), size)]
    assert numbers(loader) == [part[::-1] for part in cut if len(part) >= size * drop_last]


@needs_fork
@settings(max_examples=10)
@given(epoch=st.integers(0, 2**20), num_workers=st.sampled_from([0, 1, 3]))
def test_the_same_seed_gives_the_same_epoch_however_many_workers(lab, epoch, num_workers):
    def epoch_of(loader, number):
        """The rows and the random numbers of an epoch."""
        loader.set_epoch(number)
        parts = [(rows.data.tolist(), noise.data.tolist()) for rows, noise in loader]
        return [sum(part, []) for part in zip(*parts, strict=True)]

    given_ = {"bs": 4, "shuffle": True, "seed": SEED}
    given_["after_item"] = lambda item, rng: (item, rng.random())
    alone, loader = (
        lab.DataLoader(range(23), num_workers=count, persistent_workers=count > 0, **given_)
        for count in (0, num_workers)
    )
    rows, noise = epoch_of(alone, epoch)
    later_rows, later_noise = epoch_of(loader, epoch + 1)
    assert epoch_of(loader, epoch) == [rows, noise], "whatever came before"
    loader.close()
    assert sorted(rows) == list(range(23))
    # the same order of 23 by accident once in 10**22; 10 * 23**2 pairs of 53 random bits
    assert rows != later_rows and len({*noise, *later_noise}) == 46


def test_a_loader_tells_its_sampler_the_epoch(lab):
    sampler, same = (lab.DistributedSampler(range(50), 2, 1, seed=3) for _ in range(2))
    loader = lab.DataLoader(range(50), bs=4, sampler=sampler)
    loader.set_epoch(7)
    same.set_epoch(7)
    assert sum(numbers(loader), []) == list(same)


# Whole batches of a dataset with __getitems__, where nobody looks at single items


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
        orders = {
            "plain": {},
            "shuffle": {"shuffle": True},
            "sampler": {"sampler": lab.SubsetRandomSampler(range(count), seed=2)},
            "get_idxs": {"get_idxs": lambda: list(reversed(range(count)))},
            "sample": {"sample": lambda: iter(range(0, count, 2))},
        }
        given = {"seed": 1, "num_workers": num_workers}
        if order == "batch_sampler":
            given["batch_sampler"] = lab.BatchSampler(range(count), size, drop_last)
        else:
            given |= {"bs": size, "drop_last": drop_last, **orders[order]}
        return lab.DataLoader(dataset, **given)

    dataset = kind(count)
    assert values(loader(dataset)) == values(loader(Rows(count)))
    if num_workers == 0:
        assert dataset.single == [] and all(len(read) <= size for read in dataset.gathered)


ITEM_HOOKS = {
    "after_item": lambda item: (item[0] + 1, item[1]),
    "create_item": lambda s: (s, s),
    "before_batch": lambda items: items[::-1],
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


# Arguments


# a value that means something else
WRONG = """
    bs=0 num_workers=-1 timeout=-1 n=-1 prefetch=0 prefetch_factor=2.5 seed=-1 device='cuda'
    shuffle='False' drop_last=1 indexed=0 persistent_workers='no' stream_in_workers='yes'
    start_method='threads' after_item=3 wif=[] worker_init=True collate_fn='list' get_idxs=[1]
    sampler={} batch_sampler=b'x' dataset=5
""".split()


@pytest.mark.parametrize("setting", WRONG)
def test_a_wrong_value_is_refused_at_once_with_the_argument_and_the_value(lab, setting):
    made = f"DataLoader(**{{'dataset': [0, 1], **dict({setting})}})"
    prove(made, refused((TypeError, ValueError), *setting.split("=")), vars(lab))


def test_a_sampler_may_be_set_later(lab):
    loader = lab.DataLoader(range(4), bs=2)
    with pytest.raises(TypeError, match=r"sampler must be an iterable of indices, got \{\}"):
        loader.sampler = {}
    loader.sampler = [3, 1]
    assert numbers(loader) == [[3, 1]]


# What PyTorch's test/test_dataloader.py asks of samplers and workers


def test_random_sampler_with_and_without_replacement(lab):
    data = range(100)
    drawn = list(lab.RandomSampler(data, replacement=True, num_samples=100))
    # no index twice: by accident once in 10**42
    assert len(drawn) == 100 > len(set(drawn)) and set(drawn) <= set(data)
    assert sorted(lab.RandomSampler(data)) == list(data)
    more = list(lab.RandomSampler(data, num_samples=250, seed=0))
    assert sorted(more[:100]) == sorted(more[100:200]) == list(data)
    assert more[:100] != more[100:200] and len(set(more[200:])) == 50
    for replacement, count in ((True, 105), (False, 95), (False, 205)):
        sampler = lab.RandomSampler(data, replacement=replacement, num_samples=count)
        assert len(sampler) == len(list(sampler)) == count
        assert len(lab.DataLoader(data, bs=6, sampler=sampler)) == -(-count // 6)


@pytest.mark.parametrize(
    "sampler",
    [
        "RandomSampler(range(10), replacement=True, num_samples=5, seed=42)",
        "RandomSampler(range(10), seed=42)",
        "WeightedRandomSampler([0.1, 0.9, 0.4, 0.7, 3.0, 0.6], 5, seed=42)",
        "SubsetRandomSampler(range(10), seed=42)",
        "BatchSampler(RandomSampler(range(10), seed=42), 3)",
    ],
)
def test_a_seed_repeats_every_sampler_and_two_loops_at_once_do_not_disturb_each_other(lab, sampler):
    one, again, third = (eval(sampler, dict(vars(lab))) for _ in range(3))
    first, second = list(one), list(one)
    assert [list(again), list(again)] == [first, second] and first != second
    both = list(zip(iter(third), iter(third), strict=True))
    assert both == list(zip(first, second, strict=True))
    assert len(first) == len(one)


@needs_fork
def test_workers_that_stay_are_the_same_in_each_epoch(lab):
    settings = {"num_workers": 2, "start_method": "fork", "persistent_workers": True}
    loader = lab.DataLoader(range(4), bs=2, **settings, after_item=lambda item: os.getpid())
    first, second = ({pid for batch in numbers(loader) for pid in batch} for _ in range(2))
    loader.close()
    assert first == second and len(first - {os.getpid()}) == 2


@needs_fork
def test_after_the_death_of_a_worker_the_next_epoch_has_new_ones(lab, tmp_path):
    once = tmp_path / "once"
    once.touch()

    def deadly(item):
        if item == 4 and once.exists():
            once.unlink()
            os.kill(os.getpid(), signal.SIGKILL)
        return item

    with nothing_left():
        loader = lab.DataLoader(
            [*range(6)], bs=2, num_workers=2, persistent_workers=True, after_item=deadly
        )
        with pytest.raises(WorkerDied, match="SIGKILL"):
            list(loader)
        assert numbers(loader) == [[0, 1], [2, 3], [4, 5]]
        loader.close()


@needs_fork
@pytest.mark.parametrize("name", ["wif", "worker_init", "worker_init_fn"])
def test_what_a_loader_s_hook_seeds_stays_seeded_for_the_whole_epoch(lab, name):
    def seed(*given):
        assert name != "worker_init_fn" or given[0] in (0, 1), "the number of the worker"
        np.random.seed(7)

    hooks = {name: seed, "after_item": lambda item: np.random.random()}
    batches = numbers(lab.DataLoader(range(12), bs=2, num_workers=2, start_method="fork", **hooks))
    expected = np.random.RandomState(7).random_sample(6).tolist()
    assert sum(batches[::2], []) == sum(batches[1::2], []) == expected

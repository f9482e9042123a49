"""What the names in PyTorch's test_dataloader.py ask of samplers, restated for ours. The list is in
peers_pytorch.py.
"""

from __future__ import annotations

import collections
import math
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))

from peers_kit import Counting, every_way, numbers

DATA = np.random.default_rng(0).random((100, 2, 3))


@pytest.fixture(scope="module")
def pairs(core):
    return core.TensorDataset(DATA, np.arange(100))


@every_way
def test_a_sampler_decides_which_rows_come(pairs, make, settings):
    loader = make(pairs, bs=2, sampler=range(2, 12), **settings)
    assert len(loader) == 5
    for place, (images, _) in enumerate(loader):
        assert np.array_equal(images.data, DATA[2 * place + 2 : 2 * place + 4])


@every_way
def test_a_batch_sampler_decides_the_batches(pairs, make, settings):
    batches = [
        tuple(part)
        for start in range(0, 20, 5)
        for part in (range(start, start + 2), range(start + 2, start + 5))
    ]
    loader = make(pairs, batch_sampler=batches, **settings)
    assert len(loader) == 8
    for rows, (images, _) in zip(batches, loader, strict=True):
        assert np.array_equal(images.data, DATA[list(rows)])


@every_way
def test_a_dataset_may_read_a_whole_list_of_indices_as_one_item(make, settings):
    class Bulk(list):
        def __getitem__(self, indices):
            assert isinstance(indices, list)
            return np.array(indices)

    parts = [part.tolist() for part in np.array_split(np.random.default_rng(0).permutation(35), 9)]
    loader = make(Bulk(range(35)), bs=None, sampler=parts, **settings)
    assert numbers(loader) == parts


def test_random_sampler_with_and_without_replacement(lab):
    data = range(100)
    drawn = collections.Counter(lab.RandomSampler(data, replacement=True, num_samples=101))
    assert drawn.total() == 101 and max(drawn.values()) > 1 and set(drawn) <= set(data)
    assert sorted(lab.RandomSampler(data)) == list(data)
    few = list(lab.RandomSampler(data, num_samples=99))
    assert len(set(few)) == 99 and set(few) <= set(data)
    more = list(lab.RandomSampler(data, num_samples=250, seed=0))
    assert sorted(more[:100]) == sorted(more[100:200]) == list(data)
    assert more[:100] != more[100:200] and len(set(more[200:])) == 50
    assert more[:99] == list(lab.RandomSampler(data, num_samples=99, seed=0))
    with pytest.raises(ValueError, match="replacement must be True or False, got 'no'"):
        lab.RandomSampler(data, replacement="no")


@pytest.mark.parametrize("size", [1, 6])
@pytest.mark.parametrize("replacement, count", [(True, 105), (False, 95), (False, 205)])
def test_the_length_of_a_loader_is_that_of_its_random_sampler(
    pairs, make, lab, replacement, count, size
):
    sampler = lab.RandomSampler(pairs, replacement=replacement, num_samples=count)
    assert len(sampler) == len(list(sampler)) == count
    assert len(make(pairs, bs=size, sampler=sampler)) == math.ceil(count / size)


@pytest.mark.parametrize("rank", [3, -1])
def test_a_rank_that_does_not_exist_is_refused(lab, rank):
    with pytest.raises(ValueError, match="rank must be"):
        lab.DistributedSampler(range(10), 3, rank)


def test_drop_last_on_every_rank_reads_no_sample_twice(make, lab):
    seen = [
        number
        for rank in range(4)
        for batch in numbers(
            make(
                Counting(9), bs=2, drop_last=True, sampler=lab.DistributedSampler(range(9), 4, rank)
            )
        )
        for number in batch
    ]
    assert len(seen) == len(set(seen)) == 8


def test_a_seed_repeats_every_sampler_and_two_loops_disturb_each_other_in_none(lab):
    weights = [0.1, 0.9, 0.4, 0.7, 3.0, 0.6]
    for make_sampler in (
        lambda: lab.RandomSampler(range(10), replacement=True, num_samples=5, seed=42),
        lambda: lab.RandomSampler(range(10), seed=42),
        lambda: lab.WeightedRandomSampler(weights, 5, seed=42),
        lambda: lab.WeightedRandomSampler(weights, 5, replacement=False, seed=42),
        lambda: lab.SubsetRandomSampler(range(10), seed=42),
    ):
        sampler, again = make_sampler(), make_sampler()
        first, second = list(sampler), list(sampler)
        assert [list(again), list(again)] == [first, second]
        sampler = make_sampler()
        assert list(zip(iter(sampler), iter(sampler), strict=True)) == list(
            zip(first, second, strict=True)
        )

"""What the names in PyTorch's test_dataloader.py ask of streams that workers divide, and of what
`worker_init` prepares for them, restated for ours. The list is in peers_pytorch.py.
"""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path

import numpy as np
import pytest

from tinytorch.data.workers import worker_info

sys.path.insert(0, str(Path(__file__).parent))

from peers_kit import Counting, numbers, stays

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="with spawn, workers could not import the classes of this file"
)


class OfWorkers:
    """Worker k gives 0, 1, ... up to sizes[k]."""

    def __init__(self, sizes):
        self.sizes = sizes

    def __iter__(self):
        return iter(range(self.sizes[worker_info().id]))


@stays
@pytest.mark.parametrize("prefetch", [1, 2, 4])
def test_a_stream_that_asks_which_worker_reads_it_is_read_in_parts(
    make, prefetch, persistent_workers
):
    def loader(**settings):
        return make(
            OfWorkers([0, 4, 20]),
            num_workers=3,
            prefetch=prefetch,
            persistent_workers=persistent_workers,
            **settings,
        )

    assert sorted(loader(bs=None)) == sorted([*range(4), *range(20)])
    parts = {tuple(batch) for batch in numbers(loader(bs=7))}
    assert parts == {
        tuple(range(4)),
        tuple(range(7)),
        tuple(range(7, 14)),
        tuple(range(14, 20)),
    }
    full = {tuple(batch) for batch in numbers(loader(bs=7, drop_last=True))}
    assert full == {tuple(range(7)), tuple(range(7, 14))}


def test_module_08_cuts_a_stream_of_unknown_length_and_refuses_to_shuffle_it(core):
    class Stream(core.IterableDataset):
        def __iter__(self):
            return iter(range(20))

    want = [list(range(7)), list(range(7, 14)), list(range(14, 20))]
    assert numbers(core.DataLoader(Stream(), batch_size=7)) == want
    assert numbers(core.DataLoader(Stream(), batch_size=7, drop_last=True)) == want[:2]
    with pytest.raises(ValueError, match="shuffle"):
        core.DataLoader(Stream(), shuffle=True)


@stays
def test_the_parts_of_a_stream_take_turns_in_every_epoch(make, persistent_workers):
    class Ids:
        def __iter__(self):
            for _ in range(20 // worker_info().num_workers):
                yield worker_info().id

    loader = make(Ids(), bs=10, num_workers=2, persistent_workers=persistent_workers)
    for _ in range(3):
        assert numbers(loader) == [[0] * 10, [1] * 10]


@stays
def test_what_worker_init_seeds_is_seen_by_the_items(make, persistent_workers):
    def seeds(info):
        np.random.seed(12345)
        random.seed(12345)

    loader = make(
        Counting(4),
        bs=4,
        num_workers=1,
        worker_init=seeds,
        after_item=lambda item: np.array([np.random.random(), random.random()]),
        persistent_workers=persistent_workers,
    )
    first, want = numbers(loader)[0], (np.random.RandomState(12345), random.Random(12345))
    assert first == [[one.random() for one in want] for _ in range(4)]


def test_each_worker_has_a_copy_of_the_dataset(make):
    data = Counting(64)

    def prepares(info):
        assert isinstance(info.dataset, Counting) and not hasattr(info.dataset, "value")
        info.dataset.value = [info.id, os.getpid()]

    loader = make(
        data,
        bs=None,
        num_workers=2,
        start_method="fork",
        worker_init=prepares,
        after_item=lambda item: worker_info().dataset.value == [worker_info().id, os.getpid()],
    )
    assert list(loader) == [True] * 64
    assert not hasattr(data, "value")


@pytest.mark.parametrize("wrong", [{}, 3, "01"])
def test_a_sampler_that_is_set_later_is_checked_too(make, wrong):
    loader = make(Counting(4), bs=2)
    with pytest.raises(TypeError, match="sampler must be an iterable of indices"):
        loader.sampler = wrong
    assert numbers(loader) == [[0, 1], [2, 3]]

"""What PyTorch's test/test_dataloader.py asks of a loader and its samplers, and neither a law nor
another file asks of lab 08b's.
"""

from __future__ import annotations

import os
import signal

import numpy as np
import pytest
from leak_watch import nothing_left
from peers_kit import needs_fork, numbers

from tinytorch.data.workers import WorkerDied


class Bulk(list):
    """Reads a whole list of indices as one item."""

    def __getitem__(self, indices):
        assert isinstance(indices, list)
        return np.array(indices)


PARTS = [part.tolist() for part in np.array_split(np.random.default_rng(0).permutation(35), 9)]


@pytest.mark.parametrize("num_workers", [0, 3] if hasattr(os, "fork") else [0])
@pytest.mark.parametrize(
    "data, chosen, want",
    [
        ([*range(20)], {"bs": 2, "sampler": range(2, 7)}, [[2, 3], [4, 5], [6]]),
        ([*range(35)], {"batch_sampler": list(map(tuple, PARTS))}, PARTS),
        (Bulk(range(35)), {"bs": None, "sampler": PARTS}, PARTS),
    ],
    ids=["a sampler", "a batch_sampler", "lists as items"],
)
def test_a_sampler_decides_what_comes(make, num_workers, data, chosen, want):
    loader = make(data, **chosen, num_workers=num_workers)
    assert len(loader) == len(want) and numbers(loader) == want


@pytest.mark.parametrize("where", [{"pin_memory_device": "cuda"}, {"device": "cpu"}])
def test_pin_memory_is_taken_and_changes_no_batch(lab, where):
    settings = {"bs": 2, "shuffle": True, "seed": 1}
    plain, pinned = lab.DataLoader(range(6), **settings), {"pin_memory": True, **where}
    assert numbers(lab.DataLoader(range(6), **settings, **pinned)) == numbers(plain)


# Samplers


def test_random_sampler_with_and_without_replacement(lab, make):
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
        assert len(make(data, bs=6, sampler=sampler)) == -(-count // 6)


@pytest.mark.parametrize(
    "sampler",
    [
        "RandomSampler(range(10), replacement=True, num_samples=5, seed=42)",
        "RandomSampler(range(10), seed=42)",
        "WeightedRandomSampler([0.1, 0.9, 0.4, 0.7, 3.0, 0.6], 5, seed=42)",
        "WeightedRandomSampler([0.1, 0.9, 0.4, 0.7, 3.0, 0.6], 5, replacement=False, seed=42)",
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


# Workers


@needs_fork
def test_workers_that_stay_keep_the_dataset_as_they_got_it(make):
    class Dataset(list):
        start = 0

        def __getitem__(self, index):
            return self.start + index

    data, epochs = Dataset(range(4)), []
    loader = make(data, bs=2, num_workers=2, start_method="fork", persistent_workers=True)
    for data.start in range(3):
        epochs.append(numbers(loader))
    assert epochs == [[[0, 1], [2, 3]]] * 3


@needs_fork
def test_kept_batches_need_no_open_files(references):
    ran = references("08b").run("""
import resource
import numpy as np
from tinytorch.data.callback_loader import DataLoader
resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))
print(len(list(DataLoader(np.zeros((200, 28, 28)), bs=1, num_workers=1))))
""")
    assert (ran.returncode, ran.stdout) == (0, "200\n"), ran.stderr


@needs_fork
def test_after_the_death_of_a_worker_the_next_epoch_has_new_ones(make, tmp_path):
    once = tmp_path / "once"
    once.touch()

    def deadly(item):
        if item == 4 and once.exists():
            once.unlink()
            os.kill(os.getpid(), signal.SIGKILL)
        return item

    with nothing_left():
        loader = make([*range(6)], bs=2, num_workers=2, persistent_workers=True, after_item=deadly)
        with pytest.raises(WorkerDied, match="SIGKILL"):
            list(loader)
        assert numbers(loader) == [[0, 1], [2, 3], [4, 5]]
        loader.close()


@needs_fork
@pytest.mark.parametrize("name", ["wif", "worker_init", "worker_init_fn"])
def test_what_a_loader_s_hook_seeds_stays_seeded_for_the_whole_epoch(make, name):
    def seed(*given):
        assert name != "worker_init_fn" or given[0] in (0, 1), "the number of the worker"
        np.random.seed(7)

    hooks = {name: seed, "after_item": lambda item: np.random.random()}
    batches = numbers(make(range(12), bs=2, num_workers=2, start_method="fork", **hooks))
    expected = np.random.RandomState(7).random_sample(6).tolist()
    assert sum(batches[::2], []) == sum(batches[1::2], []) == expected

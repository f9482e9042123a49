"""What `worker_init` and `wif` seed in a worker stays seeded, as in PyTorch; the global generators
that they leave alone are seeded for each task.
"""

from __future__ import annotations

import os
import random

import numpy as np
import pytest

from tinytorch.data.workers import WorkerPool, worker_info

pytestmark = pytest.mark.skipif(
    not hasattr(os, "fork"), reason="the functions are made here, which spawn cannot pickle"
)


def draw(item=None):
    return worker_info().id, np.random.random(), random.random()


def seed_numpy(info):
    np.random.seed(100 + info.id)


def seed_python(info):
    random.seed(100 + info.id)


def drawn(init):
    """What each of 12 tasks draws, in the order of the tasks."""
    with WorkerPool(draw, 3, start_method="fork", worker_init=init, seed=5) as pool:
        return [result for _, result in sorted(pool.run([None] * 12))]


@pytest.mark.parametrize(
    "init, seeded, generator",
    [
        (seed_numpy, 1, lambda seed: np.random.RandomState(seed).random_sample),
        (seed_python, 2, lambda seed: random.Random(seed).random),
    ],
)
def test_a_worker_goes_on_from_the_seed_of_worker_init_and_the_other_belongs_to_the_task(
    init, seeded, generator
):
    results, plain = drawn(init), drawn(None)
    for worker in range(3):
        mine = [result[seeded] for result in results if result[0] == worker]
        number = generator(100 + worker)
        assert mine == [number() for _ in range(4)]
    other = 3 - seeded
    assert [result[other] for result in results] == [result[other] for result in plain]


def test_with_worker_init_the_workers_take_turns_so_the_numbers_can_be_repeated():
    first = drawn(seed_numpy)
    assert [id for id, _, _ in first] == [0, 1, 2] * 4 and drawn(seed_numpy) == first


def test_worker_init_itself_draws_other_numbers_in_each_worker_and_the_same_again():
    def seeds_from_what_it_draws(info):
        np.random.seed(int(np.random.random() * 2**32))

    first = drawn(seeds_from_what_it_draws)
    assert len({number for _, number, _ in first}) == 12  # by accident once in 10**14
    assert drawn(seeds_from_what_it_draws) == first


@pytest.mark.parametrize("name", ["wif", "worker_init"])
def test_what_a_loader_s_hook_seeds_stays_seeded_for_the_whole_epoch(lab, name):
    def seed(*info):
        np.random.seed(7)

    loader = lab.DataLoader(
        range(12),
        bs=2,
        num_workers=2,
        start_method="fork",
        after_item=lambda item: np.random.random(),
        **{name: seed},
    )
    batches = [batch.data.tolist() for batch in loader]
    expected = np.random.RandomState(7).random_sample(6).tolist()
    assert sum(batches[::2], []) == sum(batches[1::2], []) == expected


def test_the_info_of_a_worker_has_another_seed_in_each_epoch_and_the_same_again(lab):
    def seeds(epoch):
        loader = lab.DataLoader(
            range(4),
            bs=1,
            num_workers=2,
            seed=1,
            start_method="fork",
            worker_init=lambda info: None,
            create_item=lambda s: str(worker_info().seed),
        )
        loader.set_epoch(epoch)
        return [batch[0] for batch in loader]

    assert seeds(0) == seeds(0) and not set(seeds(0)) & set(seeds(1))

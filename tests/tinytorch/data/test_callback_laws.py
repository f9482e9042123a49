"""Laws of lab 08b's whole loader: with hooks and workers it gives the same as a plain loop, and a
seed makes an epoch repeatable. Those of its parts are in the module.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from peers_kit import numbers

SEED = 11
needs_fork = pytest.mark.skipif(
    not hasattr(os, "fork"), reason="the hooks are functions made here, which spawn cannot pickle"
)


def plain_loop(steps, count, size, drop_last):
    """The batches of samples 0 to count - 1 after the steps, computed with lists only."""
    samples = list(range(count))
    for step, number in steps:
        if step == "skip":
            samples = [sample for sample in samples if sample % 7 != number]
        elif step == "stop":
            ends = [k for k, sample in enumerate(samples) if sample >= 5 * number]
            samples = samples[: ends[0]] if ends else samples
        elif step == "add":
            samples = [sample + 7 * number for sample in samples]
    batches = [samples[k : k + size] for k in range(0, len(samples), size)]
    if drop_last:
        batches = [batch for batch in batches if len(batch) == size]
    return [batch[::-1] for batch in batches] if ("turn", 0) in steps else batches


steps = st.lists(
    st.tuples(st.sampled_from(["skip", "stop", "add"]), st.integers(0, 6)) | st.just(("turn", 0)),
    max_size=4,
)


@needs_fork
@pytest.mark.parametrize("stream", [False, True])
@settings(max_examples=20)
@given(
    steps=steps,
    count=st.integers(0, 30),
    size=st.integers(1, 7),
    drop_last=st.booleans(),
    num_workers=st.sampled_from([0, 1, 3]),
)
def test_any_chain_of_hooks_and_any_number_of_workers_gives_what_the_plain_loop_gives(
    lab, stream, steps, count, size, drop_last, num_workers
):
    def after_item(item):
        for step, number in steps:
            if step == "skip" and item % 7 == number:
                raise lab.SkipItemException
            if step == "stop" and item >= 5 * number:
                lab.stop()
            if step == "add":
                item += 7 * number
        return item

    loader = lab.DataLoader(
        (number for number in range(count)) if stream else range(count),
        bs=size,
        drop_last=drop_last,
        num_workers=num_workers,
        after_item=after_item,
        before_batch=lambda items: items[::-1] if ("turn", 0) in steps else items,
        seed=SEED,
    )
    assert numbers(loader) == plain_loop(steps, count, size, drop_last)


@pytest.fixture(scope="module")
def noisy(lab):
    """Loaders of 23 samples that shuffle and draw random numbers. They differ only in the number of
    workers, and their processes are used again for each example.
    """
    settings_ = {"bs": 4, "shuffle": True, "after_item": lambda item, rng: (item, rng.random())}
    loaders = {
        count: lab.DataLoader(
            range(23), seed=SEED, num_workers=count, persistent_workers=count > 0, **settings_
        )
        for count in ((0, 1, 3) if hasattr(os, "fork") else (0,))
    }
    yield loaders
    for loader in loaders.values():
        loader.close()


def epoch_of(loader, epoch):
    """The rows and the random numbers of an epoch."""
    loader.set_epoch(epoch)
    parts = [(rows.data.tolist(), noise.data.tolist()) for rows, noise in loader]
    return [sum(part, []) for part in zip(*parts, strict=True)]


@settings(max_examples=30)
@given(epoch=st.integers(0, 2**20), data=st.data())
def test_the_same_seed_gives_the_same_epoch_however_many_workers(noisy, epoch, data):
    rows, noise = epoch_of(noisy[0], epoch)
    count = data.draw(st.sampled_from(sorted(noisy)), label="workers")
    later_rows, later_noise = epoch_of(noisy[count], epoch + 1)
    assert epoch_of(noisy[count], epoch) == [rows, noise], "whatever came before"
    assert sorted(rows) == list(range(23))
    # the same order of 23 by accident once in 10**22; 30 * 23**2 pairs of 53 random bits
    assert rows != later_rows and len({*noise, *later_noise}) == 46


@settings(max_examples=30)
@given(
    count=st.integers(0, 50),
    ranks=st.integers(1, 4),
    size=st.integers(1, 8),
    epoch=st.integers(0, 9),
)
def test_loaders_of_all_ranks_together_give_every_sample(lab, count, ranks, size, epoch):
    orders = []
    for rank in range(ranks):
        sampler = lab.DistributedSampler(range(count), num_replicas=ranks, rank=rank, seed=3)
        loader = lab.DataLoader(range(count), bs=size, sampler=sampler)
        loader.set_epoch(epoch)
        orders.append(sum(numbers(loader), []))
        sampler.set_epoch(epoch)
        assert list(sampler) == orders[-1], "the loader tells its sampler the epoch"
    drawn = sum(orders, [])
    assert set(drawn) == set(range(count))
    assert len(drawn) == count + (-count % ranks if count else 0)

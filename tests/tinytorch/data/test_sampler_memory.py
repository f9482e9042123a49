"""A sampler holds its order as an array, 8 bytes for each index; a list of Python's integers would
take five times as much.
"""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from tinytorch.data.samplers import ReproducibleShuffleSampler, SequentialSampler

COUNT = 200_000
ORDER_BYTES = 8 * COUNT


def samplers(lab):
    data = range(COUNT)
    return {
        "random": lambda: lab.RandomSampler(data, seed=1),
        "with replacement": lambda: lab.RandomSampler(data, True, seed=1),
        "more than all": lambda: lab.RandomSampler(data, num_samples=2 * COUNT, seed=1),
        "subset": lambda: lab.SubsetRandomSampler(data, seed=1),
        "weights": lambda: lab.WeightedRandomSampler(np.ones(COUNT), COUNT, seed=1),
        "one rank": lambda: lab.DistributedSampler(data, 1, 0),
        "batches": lambda: lab.BatchSampler(lab.RandomSampler(data, seed=1), 32),
        "Determined's": lambda: ReproducibleShuffleSampler(SequentialSampler(data), 0),
        "a loader": lambda: lab.DataLoader(data, bs=32, shuffle=True, create_batch=len),
    }


@pytest.mark.parametrize("name", samplers(None))
def test_a_sampler_holds_its_order_as_an_array(lab, name):
    sampler = samplers(lab)[name]()
    tracemalloc.start()
    try:
        indices = iter(sampler)
        first = next(indices)
        held = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert type(first[0] if name == "batches" else first) is int
    assert 1 + sum(1 for _ in indices) == len(sampler)
    assert ORDER_BYTES <= held < 1.3 * ORDER_BYTES, f"{held / ORDER_BYTES:.1f} orders"

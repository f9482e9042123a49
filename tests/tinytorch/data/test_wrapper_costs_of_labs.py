"""What an epoch of labs 08b and 08c costs for datasets that are made of datasets: twice the samples
cost about twice as much, and whole batches are read where the dataset behind can do that.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from tinytorch.data.columns import ColumnDataset

sys.path.insert(0, str(Path(__file__).parent.parent))

from test_wrapper_costs import MOST, SOURCES, WRAPPERS, Unread, bytes_allocated, instructions

BATCH_SIZE = 16
NUM_SAMPLES = 600


def grows_evenly(cost, epoch) -> bool:
    """Whether `epoch(2 * NUM_SAMPLES)` costs at most `MOST` times what half of it costs."""
    small, large = cost(epoch(NUM_SAMPLES)), cost(epoch(2 * NUM_SAMPLES))
    return 0 < small and large <= MOST * small


@pytest.mark.parametrize("cost", [instructions, bytes_allocated])
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_twice_the_samples_cost_08b_at_most_two_and_a_half_times_as_much(
    core, lab, wrapper, source, cost
):
    def epoch(count):
        dataset = WRAPPERS[wrapper](core, SOURCES[source](core, count))
        return lab.DataLoader(dataset, bs=BATCH_SIZE, shuffle=True, seed=0)

    assert grows_evenly(cost, epoch)


@pytest.mark.parametrize("order", ["plain", "shuffled", "sampler", "batch_sampler"])
@pytest.mark.parametrize("wrapper", [name for name in WRAPPERS if name != "CachedDataset"])
def test_08b_reads_whole_batches_through_a_wrapper(core, lab, wrapper, order):
    dataset = WRAPPERS[wrapper](core, Unread())
    settings = {
        "plain": {"bs": 7},
        "shuffled": {"bs": 7, "shuffle": True},
        "sampler": {"bs": 7, "sampler": lab.RandomSampler(dataset)},
        "batch_sampler": {"batch_sampler": lab.BatchSampler(range(len(dataset)), 7)},
    }[order]
    loader = lab.DataLoader(dataset, **settings)
    seen = [number for batch in loader for number in batch["x"][0].data.tolist()]
    assert len(set(seen)) == len(seen) == len(dataset) and set(seen) <= set(range(0, 600, 10))


VIEWS = {
    "all rows": lambda dataset: dataset,
    "a view": lambda dataset: dataset[::-1],
    "a view of a view": lambda dataset: dataset[::-1].view(range(len(dataset))),
}
STEPS = {
    "in order": lambda loader: loader,
    "drawn": lambda loader: loader.sample_by("weight"),
    "drawn once": lambda loader: loader.sample_by("weight", replace=False),
    "shuffled": lambda loader: loader.shuffle(buffer_size=0.02),
    "one rank": lambda loader: loader.offset(3).numpy(rank=1, world_size=2),
}


def columns(count, folder):
    pixels = np.arange(3 * count, dtype=np.float32).reshape(count, 3)
    if folder is not None:
        pixels.tofile(folder / "pixels")
        pixels = np.memmap(folder / "pixels", np.float32, "r", shape=pixels.shape)
    return ColumnDataset({"pixels": pixels, "weight": np.arange(1, count + 1)})


@pytest.mark.parametrize("cost", [instructions, bytes_allocated])
@pytest.mark.parametrize("mapped", [False, True])
@pytest.mark.parametrize(
    "view, step",
    [(view, step) for view in VIEWS for step in STEPS if "all" in view or step != "shuffled"],
)
def test_twice_the_rows_cost_08c_at_most_two_and_a_half_times_as_much(
    references, tmp_path, view, step, mapped, cost
):
    pipeline = references("08c").module.pipeline

    def epoch(count):
        dataset = VIEWS[view](columns(count, tmp_path if mapped else None))
        return STEPS[step](pipeline(dataset, seed=0).batch(BATCH_SIZE))

    list(epoch(20))  # what is imported once
    assert grows_evenly(cost, epoch)

"""What an epoch costs for datasets that are made of datasets: twice the samples cost about twice as
much, never four times. Costs are counted, in Python's instructions and in bytes, so no clock and no
busy machine has a say.
"""

import inspect
import sys
import tracemalloc

import numpy as np
import pytest

BATCH_SIZE = 16
NUM_SAMPLES = 1_000
MOST = 2.5  # times the cost for twice the samples: 2 and the work that is done once


@pytest.fixture(scope="module")
def dl(reference_package):
    return reference_package.module


def halves(dl, dataset):
    middle = len(dataset) // 2
    return [dl.Subset(dataset, range(middle)), dl.Subset(dataset, range(middle, len(dataset)))]


WRAPPERS = {
    "Subset": lambda dl, dataset: dl.Subset(dataset, list(range(len(dataset)))),
    "ConcatDataset": lambda dl, dataset: dl.ConcatDataset(halves(dl, dataset)),
    "CachedDataset": lambda dl, dataset: dl.CachedDataset(dataset),
    "random_split": lambda dl, dataset: dl.random_split(dataset, [0.9, 0.1], seed=0)[0],
    "a Subset of a Subset": lambda dl, dataset: halves(dl, halves(dl, dataset)[0])[1],
    "a Subset of a ConcatDataset": lambda dl, dataset: dl.Subset(
        dl.ConcatDataset(halves(dl, dataset)), np.arange(len(dataset))[::-1]
    ),
}
SOURCES = {
    "that gathers": lambda dl, count: dl.TensorDataset(np.arange(count), np.ones((count, 3))),
    "read one by one": lambda dl, count: range(count),
}


def test_every_dataset_made_of_datasets_is_in_the_table(dl):
    made_of_datasets = {
        name
        for name, kind in vars(dl).items()
        if inspect.isclass(kind)
        and issubclass(kind, dl.Dataset)
        and {"dataset", "datasets"} & set(inspect.signature(kind).parameters)
    }
    assert made_of_datasets and made_of_datasets <= set(WRAPPERS)


def instructions(batches) -> int:
    """How many instructions Python runs until the batches end."""
    count = 0

    def trace(frame, event, argument):
        nonlocal count
        frame.f_trace_opcodes = True
        count += event == "opcode"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        for _ in batches:
            pass
    finally:
        sys.settrace(before)
    return count


def bytes_allocated(batches) -> int:
    """The most bytes that were allocated at once while a batch was made, summed over the batches.
    NumPy's own loops run no instructions of Python, but they need room for what they make.
    """
    total, batches = 0, iter(batches)
    tracemalloc.start()
    try:
        while True:
            tracemalloc.reset_peak()
            before, _ = tracemalloc.get_traced_memory()
            more = next(batches, None) is not None
            total += tracemalloc.get_traced_memory()[1] - before
            if not more:
                return total
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("cost", [instructions, bytes_allocated])
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_twice_the_samples_cost_at_most_two_and_a_half_times_as_much(dl, wrapper, source, cost):
    costs = []
    for count in (NUM_SAMPLES, 2 * NUM_SAMPLES):
        dataset = WRAPPERS[wrapper](dl, SOURCES[source](dl, count))
        costs.append(cost(dl.DataLoader(dataset, BATCH_SIZE, shuffle=True, seed=0)))
    assert costs[0] > 0 and costs[1] <= MOST * costs[0], costs


def test_the_measures_see_what_grows_with_the_square():
    def batches(count):
        numbers = list(range(count))
        for _ in range(count // BATCH_SIZE):
            yield np.asarray(numbers), [number + 1 for number in numbers]

    for cost in (instructions, bytes_allocated):
        small, large = cost(batches(NUM_SAMPLES)), cost(batches(2 * NUM_SAMPLES))
        assert large > MOST * small, (cost.__name__, small, large)


class Unread:
    """A dataset that gathers, and that nobody may read one by one."""

    def __len__(self):
        return 60

    def __getitem__(self, index):
        raise AssertionError(f"sample {index} was read alone")

    def __getitems__(self, indices):
        from tinytorch.core.tensor import Tensor

        return {"x": (Tensor(np.asarray(indices) * 10),)}


@pytest.mark.parametrize("wrapper", [name for name in WRAPPERS if name != "CachedDataset"])
def test_a_wrapper_gathers_where_its_dataset_does(dl, wrapper):
    dataset = WRAPPERS[wrapper](dl, Unread())
    seen = [
        number
        for batch in dl.DataLoader(dataset, 7, shuffle=True, seed=1)
        for number in batch["x"][0].data.tolist()
    ]
    assert len(set(seen)) == len(seen) == len(dataset) and set(seen) <= set(range(0, 600, 10))

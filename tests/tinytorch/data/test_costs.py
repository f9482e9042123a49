"""What an epoch costs for datasets that are made of datasets: twice the samples cost about twice as
much, never four times. Costs are counted, in Python's instructions and in bytes, so no clock and no
busy machine has a say. A shuffle buffer holds no more bytes than it may.
"""

from __future__ import annotations

import gc
import sys
import tracemalloc

import numpy as np
import pytest

from tinytorch.data.columns import ColumnDataset

BATCH_SIZE = 16
NUM_SAMPLES = 600
MOST = 2.5  # times the cost for twice the samples: 2 and the work that is done once


def halves(core, dataset):
    middle = len(dataset) // 2
    return [core.Subset(dataset, range(middle)), core.Subset(dataset, range(middle, len(dataset)))]


WRAPPERS = {
    "ConcatDataset": lambda core, dataset: core.ConcatDataset(halves(core, dataset)),
    "CachedDataset": lambda core, dataset: core.CachedDataset(dataset),
    "random_split": lambda core, dataset: core.random_split(dataset, [0.9, 0.1], seed=0)[0],
    "a Subset of a Subset": lambda core, dataset: halves(core, halves(core, dataset)[0])[1],
}
SOURCES = {
    "that gathers": lambda core, count: core.TensorDataset(np.arange(count), np.ones((count, 3))),
    "read one by one": lambda core, count: range(count),
}


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
@pytest.mark.parametrize("module", ["core", "lab"])
def test_twice_the_samples_cost_at_most_two_and_a_half_times_as_much(
    core, request, module, wrapper, source, cost
):
    def epoch(count):
        dataset = WRAPPERS[wrapper](core, SOURCES[source](core, count))
        return loader(dataset, BATCH_SIZE, shuffle=True, seed=0)

    loader = request.getfixturevalue(module).DataLoader
    small, large = cost(epoch(NUM_SAMPLES)), cost(epoch(2 * NUM_SAMPLES))
    assert 0 < large <= MOST * small


# Buffers


ROWS, LIMIT_BYTES = 60_000, 1_000_000


def numbers(path, *width):
    values = np.arange(ROWS * int(np.prod(width)), dtype=np.int32).reshape(ROWS, *width)
    values.tofile(path)
    return np.memmap(path, np.int32, "r", shape=values.shape)


COLUMNS = {
    "in memory": lambda folder: {"x": np.arange(ROWS, dtype=np.int32)},
    "two files": lambda folder: {"x": numbers(folder / "x", 5), "y": numbers(folder / "y", 2)},
    "text beside a file": lambda folder: {
        "x": numbers(folder / "x"),
        "text": [f"row {row}" for row in range(ROWS)],
    },
}


@pytest.mark.parametrize("columns", COLUMNS)
def test_a_buffer_holds_no_more_bytes_than_it_may(package, tmp_path, columns):
    dataset = ColumnDataset(COLUMNS[columns](tmp_path))
    loader = package.pipeline(dataset, seed=0).shuffle(buffer_size=LIMIT_BYTES / 1e6).batch(1)
    epoch = iter(loader)
    gc.collect()  # empties Python's free lists: what is taken from them is not traced
    tracemalloc.start()
    try:
        for _ in range(100):
            next(epoch)
        held = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
        epoch.close()
    assert held < LIMIT_BYTES
    if columns != "in memory":  # there, the rows stay where they are
        assert held > LIMIT_BYTES / 3, "a buffer that counts too much mixes too little"

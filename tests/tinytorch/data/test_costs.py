"""What an epoch costs for datasets that are made of datasets: twice the samples cost about twice as
much, never four times. Costs are counted, in Python's instructions and in bytes, so no clock and no
busy machine has a say. A shuffle buffer holds no more bytes than it may, and a file of 512 MB is
read in processes that never have 300 MB in memory.
"""

from __future__ import annotations

import gc
import sys
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tinytorch.data import storage
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


# A large file, which is sparse, so that it takes no room on disk


SIZE, LIMIT_MB = 512 * 2**20, 300
BEGIN = """
import os, numpy as np
from tinytorch.core.dataloader import DataLoader, MemmapDataset

def peak_mb(pid="self"):
    with open(f"/proc/{pid}/status") as file:
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmHWM"))

count, total, peaks = 0, 0, []
rows = SIZE // ROW_BYTES
images = np.memmap("images.bin", np.uint8, "r", shape=(rows, ROW_BYTES))
"""
END = """
print(count, rows, total, len(peaks) + 1, max([peak_mb(), *peaks]))
"""
BATCHES = """
from tinytorch.data.batch_loader import ArrayBatchLoader, BatchLoaderDataset
loader = ArrayBatchLoader(images, np.arange(rows) % 10)
for inputs, labels in DataLoader(BatchLoaderDataset(loader), batch_size=8):
    count, total = count + len(labels), total + int(inputs.data[:, 0].sum())
"""
PIPELINE = """
from tinytorch.data.columns import ColumnDataset
from tinytorch.data.pipeline import pipeline

def summed(row):
    return {"sum": row["image"][:4096].sum(dtype=np.int64), "pid": os.getpid(),
            "peak": peak_mb() if row["label"] % 64 == 0 else 0.0}

ds = ColumnDataset({"image": images, "label": np.arange(rows)})
seen = {}
steps = pipeline(ds, seed=0).shuffle(buffer_size=32).transform(summed).batch(32)
for batch in steps.numpy(num_workers=2):
    count, total = count + len(batch["pid"]), total + int(batch["sum"].sum())
    for pid, peak in zip(batch["pid"].tolist(), batch["peak"].tolist()):
        seen[pid] = max(seen.get(pid, 0), peak)
seen.pop(os.getpid(), None)
peaks = list(seen.values())
"""
WAYS = {
    "ranges through module 08's loader": ("08a", BATCHES, 1),
    "a pipeline with two workers": ("08c", PIPELINE, 3),
}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="peak memory is read from /proc")
@pytest.mark.parametrize("way", WAYS)
def test_a_large_file_streams_in_less_than_300_megabytes(references, tmp_path, way):
    with open(tmp_path / "images.bin", "wb") as file:
        file.write(b"\x05")  # one byte that is not 0, so that a row that arrives is seen
        file.truncate(SIZE)
    lab, code, processes = WAYS[way]
    there = f"import os; os.chdir({str(tmp_path)!r}); SIZE, ROW_BYTES = {SIZE}, 512 * 512\n"
    done = references(lab).run(there + BEGIN + code + END)
    assert done.returncode == 0, done.stderr
    count, rows, total, alive, peak_mb = map(float, done.stdout.split())
    assert (count, total, alive) == (rows, 5, processes) and rows == SIZE // 512**2
    assert peak_mb < LIMIT_MB


# Images that are stored in three ways come back as they were, in any order


IMAGES = np.random.default_rng(0).normal(size=(30, 3, 4, 2)).astype(np.float32)


@pytest.fixture(scope="module", params=storage.WAYS)
def stored(request, tmp_path_factory):
    return storage.store(request.param, IMAGES, tmp_path_factory.mktemp("stored") / "images")


@given(
    order=st.permutations(range(30))
    | st.lists(st.integers(0, 29))
    | st.builds(lambda part: range(30)[part], st.slices(30)),
    batch_size=st.integers(1, 40),
)
@settings(max_examples=20)
def test_every_way_gives_the_images_in_the_order_that_is_asked_for(stored, order, batch_size):
    batches = list(stored.batches(order, batch_size))
    assert [len(batch) for batch in batches[:-1]] == [batch_size] * (len(batches) - 1)
    got = np.concatenate(batches) if batches else IMAGES[:0]
    np.testing.assert_array_equal(got, IMAGES[list(order)], strict=True)

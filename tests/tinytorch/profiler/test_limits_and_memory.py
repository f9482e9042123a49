"""The limits copy exactly the bytes that they claim; the arrays of a loader's dataset are found,
and each is counted once.
"""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tinytorch.core.tensor import Tensor
from tinytorch.profiler.diagnosis import limits
from tinytorch.profiler.recording import memory, samples


@settings(max_examples=50)
@given(st.integers(1, 64), st.integers(1, 50), st.integers(1, 20), st.integers(1, 30))
def test_the_bare_loaders_move_a_whole_batch_of_rows_every_time(
    bytes_per_row, rows, batch_size, batches
):
    gather = limits.BareGather(bytes_per_row, rows, batch_size, batches)
    for loader in (gather, limits.BareCopy(gather)):
        assert [batch.shape for batch in loader] == [(batch_size, bytes_per_row)] * batches


def test_a_gather_gives_the_rows_that_were_asked_for_in_random_order():
    gather = limits.BareGather(4, 1000, 10, 100)
    gather.x[:, 0] = np.arange(1000) % 251
    got = [batch[:, 0].copy() for batch in gather]
    assert all(
        np.array_equal(rows, part % 251) for rows, part in zip(got, gather.parts, strict=True)
    )
    assert np.mean(np.diff(np.concatenate(gather.parts)) == 1) < 0.1  # 1 in 1000 by chance
    gather.buffer[:] = 0
    assert [batch[0, 0] for batch in limits.BareCopy(gather)][:3] == [0, 10, 20]


def test_memory_for_the_limit_is_bounded():
    assert limits.BareGather(2**20, 10**6, 4, 1).x.nbytes == limits.MOST_BYTES


@pytest.mark.parametrize(
    "batch, count",
    [
        (np.zeros((2, 3)), 48),
        ((np.zeros(2, np.uint8), {"y": np.zeros(2, np.int64)}), 18),
        (Tensor(np.zeros(4, np.float32)), 16),
        ([1, 2.0, "x"], 24),
    ],
)
def test_bytes_of_a_batch_are_those_of_its_leaves(batch, count):
    assert samples.batch_bytes(batch) == count


@pytest.mark.parametrize(
    "sample, count",
    [
        (np.zeros(9), 0),
        ((np.zeros(9), 3), 1),
        ([1.0] * 30, 30),
        ({"a": [1, "b"]}, 2),
        (np.float32(1), 0),
    ],
)
def test_python_values_of_a_sample_are_counted_and_arrays_are_not(sample, count):
    assert samples.values_in(sample) == count


def test_arrays_behind_a_dataset_are_found_once_through_tensors_subsets_and_loops():
    x, y = np.zeros(10), np.ones(3)
    dataset = SimpleNamespace(tensors=(Tensor(x), Tensor(y)), again=x, table={"y": y}, number=3)
    dataset.itself = dataset
    found = memory.arrays_behind(SimpleNamespace(dataset=SimpleNamespace(datasets=[dataset])))
    assert sorted(array.nbytes for array in found) == [24, 80]


def test_a_batch_that_is_a_view_costs_no_bytes_and_one_batch_alone_cannot_be_asked():
    x = np.ones((4, 100_000))
    assert memory.allocated_for_a_batch(iter(x)) < 1000
    # what the first batch cost does not count
    first_is_large = (np.ones(size) for size in (1_000_000, 10))
    assert memory.allocated_for_a_batch(first_is_large) < 10_000
    assert memory.allocated_for_a_batch(np.array(row) for row in x) >= 800_000
    assert memory.allocated_for_a_batch(iter([x])) is None

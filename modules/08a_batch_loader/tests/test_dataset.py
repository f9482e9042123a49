"""Promises of index_runs and BatchLoaderDataset. `tt` is your exported package."""

import contextlib

import numpy as np
import pytest

from tinytorch.core.tensor import Tensor
from tinytorch.testing import expect, expect_raises


def plain_parts(tt):
    """Put plain parts in the place of `index_runs` and `Batch`, and return what puts
    the exercises back.
    """

    class PlainBatch:
        def __init__(self, inputs, outputs):
            self.inputs, self.outputs = inputs, outputs

        def __len__(self):
            return len(next(iter(self.inputs.values())))

    def plain_runs(indices):
        runs = []
        for index in map(int, indices):
            if runs and runs[-1][1] == index:
                runs[-1] = (runs[-1][0], index + 1)
            else:
                runs.append((index, index + 1))
        return runs

    parts = {"Batch": PlainBatch, "index_runs": plain_runs}
    before = {name: vars(tt)[name] for name in parts}
    vars(tt).update(parts)
    return lambda: vars(tt).update(before)


@pytest.fixture
def plain(inside):
    """A bug in another exercise costs no points of BatchLoaderDataset."""
    put_back = inside(plain_parts)
    yield
    with contextlib.suppress(pytest.fail.Exception):  # the process has ended
        put_back()


class Numbers:
    """A batch loader of the test: record i has the input [i, i] and the output -i.
    It remembers what it was asked for.
    """

    def __init__(self, tt, length):
        self.tt, self.length, self.ranges = tt, length, []

    def __len__(self):
        return self.length

    def get_batch(self, start, end):
        self.ranges.append((start, end))
        numbers = np.arange(start, end)
        return self.tt.Batch(
            {"input": np.stack([numbers, numbers], axis=1)}, {"output": -numbers}
        )


@pytest.mark.contract("test_index_runs")
def test_neighbors_become_ranges(tt):
    for indices, want in (
        ([1, 2, 3, 7, 9, 10], [(1, 4), (7, 8), (9, 11)]),
        ([0, 1, 2], [(0, 3)]),
        ([4, 6, 8], [(4, 5), (6, 7), (8, 9)]),
        ([5], [(5, 6)]),
        ([], []),
    ):
        got = [tuple(run) for run in tt.index_runs(np.array(indices, dtype=np.int64))]
        expect(
            got == want,
            "The ranges hold exactly the indices, in order.",
            call=f"index_runs({indices})",
            got=got,
            want=want,
            look="is the last run there?",
        )


@pytest.mark.contract("test_batch_loader_dataset")
def test_a_batch_keeps_the_order_that_was_asked_for(tt, plain):
    dataset = tt.BatchLoaderDataset(Numbers(tt, 40))
    inputs, outputs = dataset.__getitems__([30, 2, 3, 30, 1])
    got = inputs.data[:, 1].tolist(), (-outputs.data).tolist()
    expect(
        got == ([30, 2, 3, 30, 1],) * 2,
        "A batch has the records in the order asked for, twice if asked twice.",
        call="__getitems__([30, 2, 3, 30, 1])",
        got=got,
        want=([30, 2, 3, 30, 1],) * 2,
        look="np.unique sorts; its inverse says where each index went",
    )
    expect(
        isinstance(inputs, Tensor) and isinstance(outputs, Tensor),
        "A side with only the default name is a bare Tensor, any other a dict.",
        call="__getitems__(...)",
        got=[type(inputs).__name__, type(outputs).__name__],
        want=["Tensor", "Tensor"],
    )


@pytest.mark.contract("test_batch_loader_dataset")
def test_records_are_read_in_runs(tt, plain):
    numbers = Numbers(tt, 40)
    tt.BatchLoaderDataset(numbers).__getitems__([9, 4, 5, 4, 8, 20])
    expect(
        numbers.ranges == [(4, 6), (8, 10), (20, 21)],
        "The loader is asked for record i alone, or the runs of the sorted indices,"
        " each once.",
        call="__getitems__([9, 4, 5, 4, 8, 20]): ranges that were read",
        got=numbers.ranges,
        want=[(4, 6), (8, 10), (20, 21)],
        look="index_runs of the sorted, different indices",
    )


@pytest.mark.contract("test_batch_loader_dataset")
def test_a_sample_is_one_record(tt, plain):
    dataset = tt.BatchLoaderDataset(Numbers(tt, 40))
    inputs, outputs = dataset[12]
    got = np.asarray(inputs.data).tolist(), np.asarray(outputs.data).tolist()
    expect(
        got == ([12, 12], -12),
        "A sample is record i, without the dimension of records, dtypes kept.",
        call="dataset[12]",
        got=got,
        want=([12, 12], -12),
        look="row 0 of a batch of one record",
    )
    for index in (40, -1):
        expect_raises(
            IndexError,
            lambda: dataset[index],
            "An index outside 0..N-1 raises IndexError with index and size, in"
            " batches too.",
            says=[str(index), "40"],
            call=f"dataset[{index}] of 40",
        )


@pytest.mark.contract("test_batch_loader_dataset")
def test_a_batch_has_no_records_outside(tt, plain):
    dataset = tt.BatchLoaderDataset(Numbers(tt, 40))
    _, outputs = dataset.__getitems__([0, 39])
    got = (-outputs.data).tolist()
    expect(
        got == [0, 39],
        "A batch has the records in the order asked for, twice if asked twice.",
        call="__getitems__([0, 39]) of 40",
        got=got,
        want=[0, 39],
    )
    for bad in ([0, 40], [-1, 3]):
        expect_raises(
            IndexError,
            lambda: dataset.__getitems__(bad),
            "An index outside 0..N-1 raises IndexError with index and size, in"
            " batches too.",
            says=["out of range", "40"],
            call=f"__getitems__({bad}) of 40",
            look="the smallest and the largest index",
        )

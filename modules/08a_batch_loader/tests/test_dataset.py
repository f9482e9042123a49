"""Promises of index_runs and BatchLoaderDataset. `tt` is your exported package."""

import numpy as np
import pytest

from tinytorch.core.tensor import Tensor
from tinytorch.testing import expect, expect_raises

pytestmark = pytest.mark.contract("contract_dataset")


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
        return self.tt.Batch(np.stack([numbers, numbers], axis=1), -numbers)


def test_neighbours_become_ranges(tt):
    got = [tuple(run) for run in tt.index_runs([1, 2, 3, 7, 9, 10])]
    expect(
        got == [(1, 4), (7, 8), (9, 11)],
        "index_runs gives the fewest ranges.",
        call="index_runs([1, 2, 3, 7, 9, 10])",
        got=got,
        want=[(1, 4), (7, 8), (9, 11)],
    )


def test_a_batch_keeps_the_order_that_was_asked_for(tt):
    dataset = tt.BatchLoaderDataset(Numbers(tt, 40))
    inputs, outputs = dataset.__getitems__([30, 2, 3, 30, 1])
    got = inputs.data[:, 1].tolist(), (-outputs.data).tolist()
    expect(
        got == ([30, 2, 3, 30, 1],) * 2,
        "Record k of the batch is record indices[k], in inputs and outputs.",
        call="__getitems__([30, 2, 3, 30, 1])",
        got=got,
        want=([30, 2, 3, 30, 1],) * 2,
    )
    expect(
        isinstance(inputs, Tensor) and isinstance(outputs, Tensor),
        "A side with one array of the default name is a bare Tensor.",
        call="__getitems__(...)",
        got=[type(inputs).__name__, type(outputs).__name__],
        want=["Tensor", "Tensor"],
    )


def test_records_are_read_in_runs(tt):
    numbers = Numbers(tt, 40)
    _, outputs = tt.BatchLoaderDataset(numbers).__getitems__([9, 4, 5, 4, 8, 20])
    read = (-outputs.data).tolist()
    expect(
        read == [9, 4, 5, 4, 8, 20],
        "The batch holds the records that were asked for.",
        call="__getitems__([9, 4, 5, 4, 8, 20])",
        got=read,
        want=[9, 4, 5, 4, 8, 20],
    )
    got = [tuple(pair) for pair in numbers.ranges]
    expect(
        got == [(4, 6), (8, 10), (20, 21)],
        "The loader is asked for each run once, in ascending order.",
        call="__getitems__([9, 4, 5, 4, 8, 20])",
        got=got,
        want=[(4, 6), (8, 10), (20, 21)],
    )


def test_a_sample_is_a_pair(tt):
    dataset = tt.BatchLoaderDataset(Numbers(tt, 40))
    image, label = dataset[12]
    got = len(dataset), image.data.tolist(), label.data.tolist()
    expect(
        got == (40, [12, 12], -12),
        "dataset[i] is (input, output) of record i.",
        call="dataset[12]",
        got=got,
        want=(40, [12, 12], -12),
    )
    for index in (40, -1):
        expect_raises(
            IndexError,
            lambda: dataset[index],
            "An index outside is an IndexError.",
            says=[str(index), "40"],
            call=f"dataset[{index}] of 40",
        )
        expect_raises(
            IndexError,
            lambda: dataset.__getitems__([0, index]),
            "An index outside is an IndexError in a batch, too.",
            says=[str(index), "40"],
            call=f"__getitems__([0, {index}]) of 40",
        )

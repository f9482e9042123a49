"""Promises of the fast path: `__getitems__`, one gather for a batch. `tt` is your
exported package.
"""

import numpy as np
import pytest

from tinytorch.core.tensor import Tensor
from tinytorch.testing import expect, expect_raises

pytestmark = pytest.mark.contract("contract_gather")


def begun(tt):
    """Both exercises of the group are written; a loader without them works too, so
    some promises would be kept by doing nothing.
    """
    tt.load_batch(tt.DataLoader(tt.TensorDataset(Tensor(np.arange(2)))), [0], None)
    tt.gather_samples(tt.TensorDataset(Tensor(np.arange(2))), [0])


class Gathering:
    """A dataset that offers `__getitems__` and remembers how it was read."""

    def __init__(self, num_samples, finished=False):
        self.num_samples, self.finished, self.single, self.gathers = (
            num_samples,
            finished,
            [],
            [],
        )

    def __len__(self):
        return self.num_samples

    def __getitem__(self, index):
        self.single.append(index)
        return index * 10

    def __getitems__(self, indices):
        self.gathers.append([int(i) for i in indices])
        rows = np.asarray(indices, np.int64) * 10
        return Tensor(rows) if self.finished else rows.tolist()


def test_a_tensor_dataset_gathers_a_batch(tt):
    begun(tt)
    dataset = tt.TensorDataset(
        Tensor(np.arange(10, dtype=np.uint8).reshape(5, 2)), Tensor(np.arange(5))
    )
    features, labels = dataset.__getitems__([3, 0, 3])
    got = (
        f"{features.data.tolist()} {features.data.dtype}, {labels.data.tolist()}"
        f" {labels.data.dtype}"
    )
    want = "[[6, 7], [0, 1], [6, 7]] uint8, [3, 0, 3] int64"
    expect(
        got == want,
        "__getitems__(indices) is one Tensor per tensor, row k from indices[k], dtype"
        " kept.",
        call="dataset.__getitems__([3, 0, 3])",
        got=got,
        want=want,
        look="np.take(tensor.data, indices, axis=0)",
    )
    for indices in ([0, 5], [-1]):
        expect_raises(
            IndexError,
            lambda: dataset.__getitems__(indices),
            "An index outside 0..N-1 is an IndexError, also a negative one.",
            call=f"dataset.__getitems__({indices})",
            look="NumPy would count a negative index from the end",
        )


def test_the_loader_gathers_once_for_each_batch(tt):
    begun(tt)
    dataset = Gathering(7)
    got = [batch.data.tolist() for batch in tt.DataLoader(dataset, batch_size=3)]
    expect(
        dataset.gathers == [[0, 1, 2], [3, 4, 5], [6]] and dataset.single == [],
        "A dataset with __getitems__ is asked once for each batch, never sample by"
        " sample.",
        call="an epoch of DataLoader(7 samples, batch_size=3)",
        got=f"__getitems__ for {dataset.gathers}, single reads {dataset.single}",
        want="__getitems__ for [[0, 1, 2], [3, 4, 5], [6]], single reads []",
        look='hasattr(loader.dataset, "__getitems__")',
    )
    expect(
        got == [[0, 10, 20], [30, 40, 50], [60]],
        "A list from __getitems__ is a list of samples, and is collated.",
        call="the batches",
        got=got,
        want=[[0, 10, 20], [30, 40, 50], [60]],
    )


def test_a_finished_batch_is_taken_as_it_is(tt):
    begun(tt)
    got = [
        batch.data.tolist()
        for batch in tt.DataLoader(Gathering(5, finished=True), batch_size=3)
    ]
    expect(
        got == [[0, 10, 20], [30, 40]],
        "Anything else that __getitems__ returns is the finished batch.",
        call="an epoch over a dataset whose __getitems__ returns a Tensor",
        got=got,
        want=[[0, 10, 20], [30, 40]],
        look="isinstance(batch, list)",
    )


def test_a_collate_fn_still_gets_single_samples(tt):
    begun(tt)
    dataset = Gathering(4)
    got = list(tt.DataLoader(dataset, batch_size=2, collate_fn=sum))
    expect(
        got == [10, 50] and dataset.gathers == [],
        "With a collate_fn the samples are read one by one, as before.",
        call="list(DataLoader(dataset, batch_size=2, collate_fn=sum))",
        got=f"{got}, gathers {dataset.gathers}",
        want="[10, 50], gathers []",
    )

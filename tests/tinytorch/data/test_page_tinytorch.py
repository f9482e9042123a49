"""The API tables and examples of the TinyTorch course's page on module 08 and of its ABOUT, in
their order. Where the page is wrong or says nothing, our contract holds.
"""

import inspect
from collections.abc import Iterator

import numpy as np
import pytest
from claims import prove, refused, rows

from tinytorch.datasets import write_digits_as_cifar10

# section: code: its value
CODE = {
    "TensorDataset": {
        "TensorDataset(np.zeros((100, 10)), np.zeros(90))": refused(
            ValueError, "All tensors must have same size in first dimension", "100", "90"
        )
    },
    "DataLoader": {
        # defaults
        "[DataLoader([1]).batch_size, DataLoader([1]).shuffle, DataLoader([1]).drop_last]": [
            32,
            False,
            False,
        ],
        "isinstance(iter(DataLoader([1])), Iterator)": True,
        "DataLoader([])._collate_batch([(np.zeros(2), 1), (np.ones(2), 2)])": (
            [[0, 0], [1, 1]],
            [1, 2],
        ),
        # each epoch has an order of its own
        "len({tuple(batch.data) for loader in [DataLoader(range(60), 60, True)]"
        " for epoch in range(2) for batch in loader})": 2,
        "epoch_order(50_000, True, seed=0).nbytes": 400_000,
    },
    "Transforms": {"RandomHorizontalFlip().p": 0.5, "RandomCrop(32).padding": 4},
    "CIFAR-10": {
        # a split for training, one for tests
        "[len(CIFAR10Dataset(root, train=train, download=False)) for train in (True, False)]": [
            1437,
            360,
        ],
        # batches of images of 3 x 32 x 32
        "next(iter(DataLoader(CIFAR10Dataset(root, download=False), 32)))[0].shape": (
            32,
            3,
            32,
            32,
        ),
        "len(CIFAR10Dataset(root, download=False).classes)": 10,
        # defaults of a dataset
        "[one.default for one in signature(CIFAR10Dataset).parameters.values()][:3]": [
            "./data",
            True,
            True,
        ],
    },
    "Normalizer": {"Normalizer().fit_transform([[0.0], [2.0]])": [[-1], [1]]},
}


@pytest.fixture(scope="module")
def names(core, tmp_path_factory):
    root = tmp_path_factory.mktemp("data")
    write_digits_as_cifar10(root)
    return {
        **vars(core),
        "np": np,
        "root": root,
        "Iterator": Iterator,
        "signature": inspect.signature,
    }


@rows(*CODE.values())
def test_a_claim_of_the_page_holds(names, code, want):
    prove(code, want, names)

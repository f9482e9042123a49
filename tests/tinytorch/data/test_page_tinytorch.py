"""The API tables and examples of the TinyTorch course's page on module 08 and of its ABOUT, in
their order, each with its proof. Where the page is wrong or says nothing, our contract holds.
"""

import inspect
from collections.abc import Iterator

import numpy as np
import pytest
from claims import prove, refused, rows, unproved

from tinytorch.datasets import write_digits_as_cifar10

# section: claim: the law, or the test, that proves it
LAWS = {
    "Dataset": {
        "it is abstract in both methods": "1a.test_both_methods_are_demanded",
        "len counts the samples": "5b.test_the_length_is_exact",
        "[] gives a sample": "15b.test_other_datasets_are_read_one_by_one",
        "bodies are not there": "1a.test_the_body_of_getitem_names_what_is_missing",
    },
    "TensorDataset": {
        "any number of tensors": "2a.test_every_tensor_is_kept",
        "a sample is a tuple": "2b.test_a_sample_is_a_tuple_of_tensors",
        "of slices": "2b.test_a_sample_is_a_row_of_each_tensor",
    },
    "DataLoader": {
        "len is the ceiling of N by batch_size": "5b.test_the_length_is_exact",
        "the pattern you'll enable": "5c.test_features_and_labels_stay_together",
        "the last batch is shorter": "5c.test_what_is_left_over_is_a_batch",
        "drop_last": "5c.test_drop_last_leaves_out_what_is_left_over",
        "not shuffled, all epochs are one": "3a.test_an_order_that_is_not_shuffled",
        "a batch in memory": "5c.test_a_batch_is_loaded_when_it_is_asked_for",
        "files wait": "15b.test_other_datasets_are_read_one_by_one",
    },
    "Transforms": {
        "a flip mirrors the width": "13a.test_a_flip_mirrors_the_width",
        "with probability p": "13a.test_p_of_the_images_are_mirrored",
        "p is a probability": "13a.test_p_is_a_probability",
        "a crop pads first": "13b.test_a_crop_is_a_window_of_the_padded_image",
        "a crop has its size": "13b.test_a_crop_has_its_size",
        "Compose goes in order": "13c.test_transforms_run_in_order",
    },
    "Common errors": {
        "no shuffle, sorted labels": "3a.test_an_order_that_is_not_shuffled",
        "shuffle, sorted labels": "3a.test_every_order_is_possible",
        "ask the batch for its size": "5c.test_what_is_left_over_is_a_batch",
        "a dataset without len": "5a.test_a_dataset_needs_a_length",
    },
    "CIFAR-10": {"labels are those of the files": "6b.test_labels_are_joined"},
    "Normalizer": {
        "fit returns itself": "7a.test_fit_returns_the_normalizer",
        "mean and std": "7a.test_a_table_has_one_of_each_column",
        "eps is added": "7b.test_eps_is_part_of_the_divisor",
    },
    "Code comparison": {
        "the loop trains": (
            "test_both_training_loops_are_the_same_and_forget_the_gradients_of_the_step_before"
        )
    },
}
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
        "DataLoader([1], 2, True, True).drop_last": True,
        "isinstance(iter(DataLoader([1])), Iterator)": True,
        "DataLoader([])._collate_batch([(np.zeros(2), 1), (np.ones(2), 2)])": (
            [[0, 0], [1, 1]],
            [1, 2],
        ),
        # each epoch has an order of its own
        "len({tuple(batch.data) for loader in [DataLoader(range(60), 60, True)]"
        " for epoch in range(2) for batch in loader})": 2,
        "epoch_order(50_000, True, seed=0).nbytes": 400_000,
        "TensorDataset(np.zeros((100, 2)))[100]": refused(
            IndexError, "Index 100 out of range for dataset of size 100"
        ),
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


def test_every_other_claim_is_a_law():
    assert unproved(LAWS, "08") == []

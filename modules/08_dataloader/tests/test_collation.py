"""Promises of stack_samples and collate. `tt` is your exported package."""

import numpy as np
import pytest

from tinytorch.core.tensor import Tensor
from tinytorch.testing import expect, expect_raises


def values_of(batch):
    """Tensors as flat lists: their exact shape is a promise of stack_samples."""
    if isinstance(batch, dict):
        return {key: values_of(part) for key, part in batch.items()}
    if isinstance(batch, (tuple, list)):
        return type(batch)(values_of(part) for part in batch)
    return np.ravel(batch.data if isinstance(batch, Tensor) else batch).tolist()


def one(number):
    """A leaf of one number."""
    return np.array([number])


@pytest.mark.contract("test_stack_samples")
def test_sample_k_is_row_k_of_the_batch(tt):
    batch = tt.stack_samples([np.array([1, 2]), np.array([3, 4]), np.array([5, 6])])
    expect(
        isinstance(batch, Tensor),
        "A batch is a Tensor.",
        call="stack_samples(three arrays of shape (2,))",
        got=type(batch).__name__,
        want="Tensor",
    )
    expect(
        batch.data.tolist() == [[1, 2], [3, 4], [5, 6]],
        "A batch has a new first dimension, and sample k is its row k.",
        call="stack_samples([[1, 2], [3, 4], [5, 6]])",
        got=batch.data.tolist(),
        want=[[1, 2], [3, 4], [5, 6]],
        look="np.stack makes a new axis, np.concatenate does not",
    )


@pytest.mark.contract("test_stack_samples")
def test_stacking_keeps_the_dtype(tt):
    for dtype in ("uint8", "int64", "float32", "float64"):
        batch = tt.stack_samples([np.ones(3, dtype), np.ones(3, dtype)])
        got = f"{batch.data.dtype} {batch.data.shape}"
        expect(
            got == f"{dtype} (2, 3)",
            "Stacking keeps the dtype and adds one dimension.",
            call=f"stack_samples(two arrays of 3 {dtype})",
            got=got,
            want=f"{dtype} (2, 3)",
            look="np.stack keeps a dtype; a list of Python numbers loses it",
        )


@pytest.mark.contract("test_stack_samples")
def test_labels_and_plain_numbers_stack_to_one_dimension(tt):
    for name, values in (
        ("Tensors", [Tensor(np.int64(7)), Tensor(np.int64(8))]),
        ("numbers", [7, 8]),
    ):
        batch = tt.stack_samples(values).data
        got = f"{batch.tolist()}, {batch.dtype.kind}"
        expect(
            got == "[7, 8], i",
            "Labels and plain numbers stack to shape (B,) and stay integers.",
            call=f"stack_samples([7, 8]) of {name}",
            got=got,
            want="[7, 8], i",
            look="np.asarray takes anything; Tensor.data is the array",
        )


@pytest.mark.contract("test_stack_samples")
def test_samples_of_different_shapes_are_named(tt):
    samples = [np.zeros(3), np.zeros(3), np.zeros(4)]
    expect_raises(
        ValueError,
        lambda: tt.stack_samples(samples),
        "Samples of different shapes are an error that names the position and the"
        " shapes.",
        says=["2", "(4,)", "(3,)"],
        call="stack_samples([shape (3,), shape (3,), shape (4,)])",
        look="compare the shapes before you stack",
    )


@pytest.mark.contract("test_stack_samples")
def test_an_empty_list_of_values_is_refused(tt):
    got = values_of(tt.stack_samples([one(7)]))
    expect(
        got == [7],
        "One value is a batch.",
        call="stack_samples([[7]])",
        got=got,
        want=[7],
    )
    expect_raises(
        ValueError,
        lambda: tt.stack_samples([]),
        "An empty list raises ValueError.",
        call="stack_samples([])",
    )


CASES = [
    ([one(3), one(4)], [3, 4], "A bare sample gives a bare batch."),
    ([(one(3),), (one(4),)], ([3, 4],), "A 1-tuple gives a 1-tuple."),
    (
        [(one(1), one(5), one(9)), (one(2), one(6), one(9))],
        ([1, 2], [5, 6], [9, 9]),
        "Every part of a tuple is collated, also the third.",
    ),
    (
        [[one(1), one(5)], [one(2), one(6)]],
        [[1, 2], [5, 6]],
        "A list gives a list.",
    ),
]


@pytest.mark.contract("test_collate")
def test_a_batch_has_the_structure_of_a_sample(tt):
    for samples, want, promise in CASES:
        got = values_of(tt.collate(samples))
        expect(
            got == want and type(got) is type(want),
            promise,
            call=f"collate({samples})",
            got=got,
            want=want,
            look="what is one sample, and what does collate return for it?",
        )


@pytest.mark.contract("test_collate")
def test_a_dict_gives_a_dict_with_the_same_keys(tt):
    samples = [{"x": one(1), "y": one(5)}, {"x": one(2), "y": one(6)}]
    got = values_of(tt.collate(samples))
    expect(
        got == {"x": [1, 2], "y": [5, 6]},
        "A dict gives a dict with the same keys.",
        call=f"collate({samples})",
        got=got,
        want={"x": [1, 2], "y": [5, 6]},
        look="one collated column for each key",
    )


@pytest.mark.contract("test_collate")
def test_structures_inside_structures_are_kept(tt):
    samples = [(one(1), {"a": one(2)}), (one(3), {"a": one(4)})]
    got = values_of(tt.collate(samples))
    expect(
        got == ([1, 3], {"a": [2, 4]}),
        "Structures inside structures are collated too.",
        call='collate([(1, {"a": 2}), (3, {"a": 4})])',
        got=got,
        want=([1, 3], {"a": [2, 4]}),
        look="call collate for each part, not stack_samples",
    )


@pytest.mark.contract("test_collate")
def test_a_batch_of_one_sample_is_a_batch(tt):
    got = tt.collate([(np.array([1, 2]), np.array([5, 6]))])
    expect(
        values_of(got) == ([1, 2], [5, 6])
        and all(isinstance(part, Tensor) or np.ndim(part) == 2 for part in got),
        "A batch of one sample is a batch: its leaves are stacked.",
        call="collate([([1, 2], [5, 6])])",
        got=got,
        want="a tuple of two Tensors of shape (1, 2)",
        look="a shortcut for one sample?",
    )


@pytest.mark.contract("test_collate")
def test_tuples_of_unequal_length_are_refused(tt):
    got = values_of(tt.collate([(one(1), one(2)), (one(3), one(4))]))
    expect(
        got == ([1, 3], [2, 4]),
        "Tuples of equal length make a batch.",
        call="collate([(1, 2), (3, 4)])",
        got=got,
        want=([1, 3], [2, 4]),
    )
    expect_raises(
        ValueError,
        lambda: tt.collate([(1, 2), (3,)]),
        "Tuples of unequal length are a ValueError.",
        call="collate([(1, 2), (3,)])",
        look="zip stops at the shortest without a word",
    )

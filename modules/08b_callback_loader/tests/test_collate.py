"""Promises of fa_collate, fa_convert and collate_error. `tt` is your exported
package.
"""

import numpy as np
import pytest

from tinytorch.core.tensor import Tensor
from tinytorch.testing import expect, expect_raises

pytestmark = pytest.mark.contract("contract_collate")


def plain(batch):
    """Tensors as lists, everything else as it is."""
    if isinstance(batch, dict):
        return {key: plain(value) for key, value in batch.items()}
    if isinstance(batch, (tuple, list)):
        return type(batch)(map(plain, batch))
    return batch.data.tolist() if isinstance(batch, Tensor) else batch


def test_the_two_samples_of_fastais_page(tt):
    for samples, want in (
        ([(1, (2, 3)), (1, (2, 3))], ([1, 1], ([2, 2], [3, 3]))),
        ([(1, (2, (3, 4))), (1, (2, (3, 4)))], ([1, 1], ([2, 2], ([3, 3], [4, 4])))),
    ):
        got = plain(tt.fa_collate(samples))
        expect(
            got == want,
            "Tuples stay tuples at every depth, leaves become Tensors.",
            call=f"fa_collate({samples})",
            got=got,
            want=want,
        )


def test_strings_and_dicts_inside_samples(tt):
    samples = [
        {"name": "a.png", "pixels": np.array([1, 2], np.uint8), "label": 3},
        {"name": "b.png", "pixels": np.array([4, 5], np.uint8), "label": 6},
    ]
    batch = tt.fa_collate(samples)
    expect(
        batch["name"] == ["a.png", "b.png"],
        "Strings become the list of them.",
        call="fa_collate(two dicts)['name']",
        got=batch["name"],
        want=["a.png", "b.png"],
    )
    expect(
        isinstance(batch["pixels"], Tensor)
        and batch["pixels"].data.tolist() == [[1, 2], [4, 5]]
        and batch["pixels"].dtype == np.uint8,
        "Arrays become one Tensor of their dtype.",
        call="fa_collate(two dicts)['pixels']",
        got=batch["pixels"],
        want="[[1 2] [4 5]], uint8",
    )
    expect(
        plain(batch["label"]) == [3, 6],
        "Numbers become one Tensor.",
        call="fa_collate(two dicts)['label']",
        got=batch["label"],
        want=[3, 6],
    )


def test_a_batch_has_memory_of_its_own(tt):
    row = np.array([1, 2])
    batch = tt.fa_collate([row])
    batch.data[:] = 0
    expect(
        row.tolist() == [1, 2],
        "Writing into a batch changes no sample.",
        call="fa_collate([row]).data[:] = 0",
        got=row.tolist(),
        want=[1, 2],
    )


def test_samples_of_unequal_structure_are_refused(tt):
    got = plain(tt.fa_collate([(1, 2), (3, 4)]))
    expect(
        got == ([1, 3], [2, 4]),
        "Samples of one structure make a batch.",
        call="fa_collate([(1, 2), (3, 4)])",
        got=got,
        want=([1, 3], [2, 4]),
    )
    for samples in ([(1, 2), (3,)], [{"a": 1}, {"b": 1}], []):
        expect_raises(
            ValueError,
            lambda: tt.fa_collate(samples),
            "Samples of unequal structure, and none at all, are refused.",
            call=f"fa_collate({samples})",
            look="zip stops at the shortest without a word",
        )


def test_a_ready_batch_is_converted_not_stacked(tt):
    got = tt.fa_convert((np.array([1, 2]), (np.array([3]), "x"), 4))
    expect(
        isinstance(got[0], Tensor) and isinstance(got[1][0], Tensor),
        "Arrays of a ready batch become Tensors.",
        call='fa_convert((array([1, 2]), (array([3]), "x"), 4))',
        got=got,
        want="Tensors in place of the arrays",
    )
    expect(
        plain(got) == ([1, 2], ([3], "x"), 4) and type(got[2]) is int,
        "Everything else stays as it is.",
        call='fa_convert((array([1, 2]), (array([3]), "x"), 4))',
        got=got,
        want="the same structure, with 'x' and 4",
    )


def test_the_odd_item_is_named_by_the_loader(tt):
    items = [np.zeros(3)] * 3 + [np.zeros((2, 3))] + [np.zeros(3)] * 4
    for bs, position in ((8, 3), (4, 3)):
        expect_raises(
            ValueError,
            lambda: list(tt.DataLoader(items, bs=bs)),
            "What cannot be collated is named: the item and its shape.",
            says=[f"item {position}", "(2, 3)", "(3,)"],
            call=f"list(DataLoader(8 arrays, the fourth of shape (2, 3), bs={bs}))",
            look="collate_error",
        )


def test_the_first_item_may_be_the_odd_one(tt):
    items = [np.zeros(9)] + [np.zeros(3)] * 3
    try:
        list(tt.DataLoader(items, bs=4))
        got = "no error"
    except ValueError as problem:
        got = str(problem)
    expect(
        "item 0" in got and "item 1" not in got and "item 2" not in got,
        "Most items are usual; the one that differs is odd, also the first.",
        call="list(DataLoader(shapes (9,), (3,), (3,), (3,), bs=4))",
        got=got,
        want="item 0 named, and no other",
    )

"""Promises of fa_collate, fa_convert and collate_error. `tt` is your exported
package.
"""

import numpy as np
import pytest

from tinytorch.core.tensor import Tensor
from tinytorch.testing import expect, expect_raises


def plain(batch):
    """Tensors as lists, everything else as it is."""
    if isinstance(batch, dict):
        return {key: plain(value) for key, value in batch.items()}
    if isinstance(batch, (tuple, list)):
        return type(batch)(map(plain, batch))
    return batch.data.tolist() if isinstance(batch, Tensor) else batch


# 1a fa_collate


@pytest.mark.contract("test_fa_collate")
def test_the_two_samples_of_fastais_page(tt):
    for samples, want in (
        ([(1, (2, 3)), (1, (2, 3))], ([1, 1], ([2, 2], [3, 3]))),
        ([(1, (2, (3, 4))), (1, (2, (3, 4)))], ([1, 1], ([2, 2], ([3, 3], [4, 4])))),
    ):
        got = plain(tt.fa_collate(samples))
        expect(
            got == want,
            "Sequences (tuple, list, namedtuple ...) become one of that type, ranges"
            " a list: each column, collated.",
            call=f"fa_collate({samples})",
            got=got,
            want=want,
        )


@pytest.mark.contract("test_fa_collate")
def test_a_list_stays_a_list(tt):
    got = plain(tt.fa_collate([[1, 2], [3, 4], [5, 6]]))
    expect(
        got == [[1, 3, 5], [2, 4, 6]],
        "Sequences (tuple, list, namedtuple ...) become one of that type, ranges a"
        " list: each column, collated.",
        call="fa_collate([[1, 2], [3, 4], [5, 6]])",
        got=got,
        want=[[1, 3, 5], [2, 4, 6]],
    )


@pytest.mark.contract("test_fa_collate")
def test_strings_and_dicts_inside_samples(tt):
    samples = [
        {"name": "a.png", "pixels": np.array([1, 2], np.uint8), "label": 3},
        {"name": "b.png", "pixels": np.array([4, 5], np.uint8), "label": 6},
    ]
    batch = tt.fa_collate(samples)
    expect(
        batch["name"] == ["a.png", "b.png"],
        "Strings and bytes become the list of them.",
        call="fa_collate(two dicts)['name']",
        got=batch["name"],
        want=["a.png", "b.png"],
    )
    expect(
        isinstance(batch["pixels"], Tensor)
        and batch["pixels"].data.tolist() == [[1, 2], [4, 5]]
        and batch["pixels"].dtype == np.uint8,
        "Numbers and arrays become one Tensor that keeps their dtype.",
        call="fa_collate(two dicts)['pixels']",
        got=batch["pixels"],
        want="[[1 2] [4 5]], uint8",
    )
    expect(
        plain(batch["label"]) == [3, 6],
        "Numbers and arrays become one Tensor that keeps their dtype.",
        call="fa_collate(two dicts)['label']",
        got=batch["label"],
        want=[3, 6],
    )


@pytest.mark.contract("test_fa_collate")
def test_samples_of_unequal_length_are_refused(tt):
    got = plain(tt.fa_collate([(1, 2), (3, 4)]))
    expect(
        got == ([1, 3], [2, 4]),
        "Sequences (tuple, list, namedtuple ...) become one of that type, ranges a"
        " list: each column, collated.",
        call="fa_collate([(1, 2), (3, 4)])",
        got=got,
        want=([1, 3], [2, 4]),
    )
    for samples in ([(1, 2), (3,)], [(3,), (1, 2)], [[1], [2], []]):
        expect_raises(
            ValueError,
            lambda: tt.fa_collate(samples),
            "Sequences of unequal length raise ValueError.",
            call=f"fa_collate({samples})",
            look="zip stops at the shortest without a word",
        )


@pytest.mark.contract("test_fa_collate")
def test_mappings_with_different_keys_are_refused(tt):
    got = plain(tt.fa_collate([{"a": 1}, {"a": 2}]))
    expect(
        got == {"a": [1, 2]},
        "Mappings become a mapping of that type: each key's values, collated.",
        call='fa_collate([{"a": 1}, {"a": 2}])',
        got=got,
        want={"a": [1, 2]},
    )
    for samples in ([{"a": 1}, {"b": 1}], [{"a": 1}, {"a": 1, "b": 2}]):
        expect_raises(
            ValueError,
            lambda: tt.fa_collate(samples),
            "Mappings with different keys raise ValueError.",
            call=f"fa_collate({samples})",
        )


@pytest.mark.contract("test_fa_collate")
def test_a_batch_needs_a_sample(tt):
    got = plain(tt.fa_collate([(5,)]))
    expect(
        got == ([5],),
        "Sequences (tuple, list, namedtuple ...) become one of that type, ranges a"
        " list: each column, collated.",
        call="fa_collate([(5,)])",
        got=got,
        want=([5],),
    )
    expect_raises(
        ValueError,
        lambda: tt.fa_collate([]),
        "An empty list of samples raises ValueError.",
        call="fa_collate([])",
    )


# 1b fa_convert


@pytest.mark.contract("test_fa_convert")
def test_a_ready_batch_is_converted_not_stacked(tt):
    got = tt.fa_convert((np.array([1, 2]), (np.array([3]), "x"), 4))
    expect(
        isinstance(got[0], Tensor) and isinstance(got[1][0], Tensor),
        "An array becomes a Tensor that keeps its dtype.",
        call='fa_convert((array([1, 2]), (array([3]), "x"), 4))',
        got=got,
        want="Tensors in place of the arrays",
    )
    expect(
        plain(got) == ([1, 2], ([3], "x"), 4) and type(got[2]) is int,
        "Everything else (Tensors of any kind, strings, bytes, numbers, None) is"
        " handed back as the same object.",
        call='fa_convert((array([1, 2]), (array([3]), "x"), 4))',
        got=got,
        want="the same structure, with 'x' and 4",
    )


@pytest.mark.contract("test_fa_convert")
def test_dicts_and_lists_of_a_ready_batch(tt):
    got = tt.fa_convert({"images": [np.array([1.5]), None], "names": ["a", "b"]})
    expect(
        isinstance(got, dict) and list(got) == ["images", "names"],
        "Mappings keep their type, and their parts are converted.",
        call='fa_convert({"images": [array, None], "names": ["a", "b"]})',
        got=got,
        want="a dict of images and names",
    )
    expect(
        type(got["images"]) is list
        and isinstance(got["images"][0], Tensor)
        and plain(got) == {"images": [[1.5], None], "names": ["a", "b"]},
        "Mappings keep their type, and their parts are converted.",
        call='fa_convert({"images": [array, None], "names": ["a", "b"]})',
        got=got,
        want="a Tensor in place of the array",
    )


# 1c collate_error


def error_of(tt, items):
    """The kind and the message of what collate_error raises. The first error is a
    SkipItemException, because that class is given.
    """
    first = tt.SkipItemException("the first error")
    try:
        tt.collate_error(first, items)
    except ValueError as problem:
        return "ValueError", str(problem)
    except Exception as problem:
        if isinstance(problem, NotImplementedError):
            raise
        return type(problem).__name__, str(problem)
    return "no error", ""


@pytest.mark.contract("test_collate_error")
def test_the_odd_item_is_named(tt):
    items = [np.zeros(3)] * 3 + [np.zeros((2, 3))] + [np.zeros(3)] * 4
    kind, got = error_of(tt, items)
    expect(
        kind == "ValueError"
        and all(text in got for text in ("item 3", "(2, 3)", "(3,)")),
        "The message has each odd item's difference from the usual description.",
        call="collate_error(e, 8 arrays, the fourth of shape (2, 3))",
        got=f"{kind}: {got}",
        want="a ValueError with 'item 3', '(2, 3)' and '(3,)'",
        look="difference(description, usual)",
    )


@pytest.mark.contract("test_collate_error")
def test_the_first_item_may_be_the_odd_one(tt):
    kind, got = error_of(tt, [np.zeros(9)] + [np.zeros(3)] * 3)
    expect(
        kind == "ValueError" and "item 0" in got and "item 1" not in got,
        "An item is odd if its description is not the one that most items have.",
        call="collate_error(e, shapes (9,), (3,), (3,), (3,))",
        got=f"{kind}: {got}",
        want="item 0 named, and no other",
        look="compare with the most common description, not with the first",
    )


@pytest.mark.contract("test_collate_error")
def test_every_odd_item_is_named(tt):
    kind, got = error_of(tt, [np.zeros(size) for size in (3, 5, 3, 4, 3)])
    expect(
        kind == "ValueError"
        and all(text in got for text in ("item 1", "(5,)", "item 3", "(4,)")),
        "Odd items raise a ValueError that names each of them, as item 3, and no"
        " other item.",
        call="collate_error(e, shapes (3,), (5,), (3,), (4,), (3,))",
        got=f"{kind}: {got}",
        want="items 1 and 3, with their shapes",
    )


@pytest.mark.contract("test_collate_error")
def test_if_no_item_is_odd_the_error_itself_comes(tt):
    got = error_of(tt, [np.zeros(3), np.zeros(3)])
    expect(
        got == ("SkipItemException", "the first error"),
        "If no item is odd, e itself is raised.",
        call="collate_error(e, shapes (3,), (3,))",
        got=": ".join(got),
        want="e, here SkipItemException: the first error",
        look="raise e",
    )

"""Hidden: laws of fa_collate, fa_convert and collate_error on structures that are drawn anew
each run (`draw`).
"""

import numpy as np
import pytest

from tinytorch.core.tensor import Tensor
from tinytorch.testing import expect, expect_raises

pytestmark = pytest.mark.contract("contract_collate")


def structure(draw, depth):
    """(makes sample i, makes the batch of some samples) of one random nesting; leaves of all
    kinds.
    """
    kind = str(
        draw.choice(
            ["array", "tensor", "number", "text", "tuple", "list", "dict"]
            if depth
            else ["array", "tensor", "number", "text"]
        )
    )
    if kind in ("array", "tensor"):
        shape, dtype = (
            tuple(draw.integers(1, 4, int(draw.integers(1, 3)))),
            str(draw.choice(["uint8", "int64", "float32"])),
        )
        wrap = Tensor if kind == "tensor" else np.asarray
        return (lambda i: wrap(np.full(shape, i, dtype))), (
            lambda ids: np.stack([np.full(shape, i, dtype) for i in ids])
        )
    if kind == "number":
        return (lambda i: 7 * i), (lambda ids: np.array([7 * i for i in ids]))
    if kind == "text":
        return (lambda i: f"text {i}"), (lambda ids: [f"text {i}" for i in ids])
    parts = [structure(draw, depth - 1) for _ in range(int(draw.integers(1, 4)))]
    if kind == "dict":
        return (lambda i: {f"key {k}": make(i) for k, (make, _) in enumerate(parts)}), (
            lambda ids: {f"key {k}": batch(ids) for k, (_, batch) in enumerate(parts)}
        )
    build = {"tuple": tuple, "list": list}[kind]
    return (lambda i: build(make(i) for make, _ in parts)), (
        lambda ids: build(batch(ids) for _, batch in parts)
    )


def agrees(got, want):
    if isinstance(want, np.ndarray):
        return (
            isinstance(got, Tensor)
            and got.data.dtype == want.dtype
            and np.array_equal(got.data, want)
        )
    if isinstance(want, dict):
        return (
            isinstance(got, dict)
            and list(got) == list(want)
            and all(agrees(got[key], want[key]) for key in want)
        )
    if isinstance(want, (tuple, list)):
        return type(got) is type(want) and len(got) == len(want) and all(map(agrees, got, want))
    return got == want


def test_any_structure_is_collated_leaf_by_leaf(tt, draw):
    for _ in range(15):
        make, batch = structure(draw, depth=3)
        count = int(draw.integers(1, 5))
        got, want = tt.fa_collate([make(i) for i in range(count)]), batch(range(count))
        expect(
            agrees(got, want),
            "A batch has the types and the nesting of a sample, with stacked leaves.",
            call=f"fa_collate({count} samples like {make(0)!r})",
            got=got,
            want=want,
        )


def test_a_ready_batch_keeps_everything_but_its_arrays(tt, draw):
    for _ in range(10):
        make, _ = structure(draw, depth=3)
        ready = make(3)
        got = tt.fa_convert(ready)

        def same(got, was):
            if isinstance(was, dict):
                return (
                    isinstance(got, dict)
                    and got.keys() == was.keys()
                    and all(same(got[key], was[key]) for key in was)
                )
            if isinstance(was, (tuple, list)):
                return type(got) is type(was) and len(got) == len(was) and all(map(same, got, was))
            if isinstance(was, (np.ndarray, Tensor)):
                data = was.data if isinstance(was, Tensor) else was
                return (
                    isinstance(got, Tensor)
                    and got.dtype == data.dtype
                    and np.array_equal(got.data, data)
                )
            return type(got) is type(was) and got == was

        expect(
            same(got, ready),
            "fa_convert turns arrays into Tensors and keeps the rest.",
            call=f"fa_convert({ready!r})",
            got=got,
            want="the same, with Tensors for arrays",
        )


def test_the_odd_ones_are_named_wherever_they_stand(tt, draw):
    for _ in range(4):
        count = int(draw.integers(7, 12))
        odd = sorted(draw.choice(count, int(draw.integers(1, 3)), replace=False).tolist())
        items = [(np.zeros(20 + i if i in odd else 3), i) for i in range(count)]
        try:
            list(tt.DataLoader(items, bs=count))
            got = "no error"
        except ValueError as problem:
            got = str(problem)
        named = [i for i in range(count) if f"item {i}:" in got or f"item {i} " in got]
        expect(
            named == odd and all(f"({20 + i},)" in got for i in odd),
            "Exactly the odd items are named, with their shapes.",
            call=f"a batch of {count}, items {odd} of another shape",
            got=got,
            want=f"items {odd}",
        )


def test_what_has_no_shape_is_named_by_its_type(tt):
    expect_raises(
        ValueError,
        lambda: list(tt.DataLoader([(1, 2), (1, 2), 3, (1, 2)], bs=4)),
        "An item of another type is named with its type.",
        says=["item 2", "int"],
        call="list(DataLoader([(1, 2), (1, 2), 3, (1, 2)], bs=4))",
    )

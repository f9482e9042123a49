"""Hidden: laws of fa_collate, fa_convert and collate_error on structures that are drawn anew
each run (`draw`).
"""

import re

import numpy as np
import pytest

from tinytorch.core.tensor import Tensor
from tinytorch.testing import expect, expect_raises


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


# 1a fa_collate


@pytest.mark.contract("test_fa_collate")
def test_any_structure_is_collated_leaf_by_leaf(tt, draw):
    for _ in range(15):
        make, batch = structure(draw, depth=3)
        count = int(draw.integers(1, 5))
        got, want = tt.fa_collate([make(i) for i in range(count)]), batch(range(count))
        expect(
            agrees(got, want),
            "Sequences become one of that type, ranges a list; the values at each"
            " position are collated.",
            call=f"fa_collate({count} samples like {make(0)!r})",
            got=got,
            want=want,
            look="each column through fa_collate; rebuild(first, a list of them)",
        )


@pytest.mark.contract("test_fa_collate")
def test_bytes_are_collated_like_strings(tt, draw):
    words = [bytes(draw.integers(65, 90, int(n)).tolist()) for n in draw.integers(1, 6, 4)]
    got = tt.fa_collate([(word, k) for k, word in enumerate(words)])
    expect(
        isinstance(got, tuple) and got[0] == words and got[1].data.tolist() == [0, 1, 2, 3],
        "Strings and bytes become a list.",
        call=f"fa_collate([({words[0]!r}, 0), ...])",
        got=got,
        want=(words, [0, 1, 2, 3]),
        look="ask for strings and bytes before sequences",
    )


@pytest.mark.contract("test_fa_collate")
def test_one_sample_of_another_structure_is_refused(tt, draw):
    for _ in range(4):
        count, odd = int(draw.integers(3, 8)), int(draw.integers(0, 3))
        keys = [f"key {k}" for k in draw.choice(20, 3, replace=False).tolist()]
        rows, dicts = (
            [make(k) for k in range(count)]
            for make in (lambda k: (k, 1, 2), lambda k: dict.fromkeys(keys, k))
        )
        expect(
            len(tt.fa_collate(rows)) == 3 and list(tt.fa_collate(dicts)) == keys,
            "Sequences become one of that type, ranges a list; the values at each"
            " position are collated.",
            call=f"fa_collate({count} samples of three parts)",
            look="each column through fa_collate; rebuild(first, a list of them)",
        )
        rows[odd] = (odd, 1, 2, 3)[: int(draw.choice([0, 1, 2, 4]))]
        dicts[odd] = {**dicts[odd], "one more": 0}
        expect_raises(
            ValueError,
            lambda: tt.fa_collate(rows),
            "Sequences of unequal length raise ValueError.",
            call=f"fa_collate({rows})",
            look="compare the lengths of all samples, and raise ValueError",
        )
        expect_raises(
            ValueError,
            lambda: tt.fa_collate(dicts),
            "Mappings with different keys raise ValueError.",
            call=f"fa_collate({dicts})",
            look="compare the keys of all samples, and raise ValueError",
        )


def own_structures(tt, rows):
    from collections import defaultdict, namedtuple

    import numpy as np

    Pair = namedtuple("Pair", "left right")
    pairs = tt.fa_collate([Pair(np.array(row), k) for k, row in enumerate(rows)])
    found = {"namedtuple": [type(pairs) is Pair, [part.data.tolist() for part in pairs]]}
    dicts = tt.fa_collate([defaultdict(list, left=np.array(row)) for row in rows])
    found["defaultdict"] = [type(dicts) is defaultdict, [dicts["left"].data.tolist()]]
    return found


@pytest.mark.contract("test_fa_collate")
def test_structures_of_a_type_of_the_users_own_are_kept(inside, draw):
    rows = draw.integers(0, 100, (int(draw.integers(2, 5)), 3)).tolist()
    got = inside(own_structures, rows)
    want = {
        "namedtuple": [True, [rows, list(range(len(rows)))]],
        "defaultdict": [True, [rows]],
    }
    expect(
        got["namedtuple"] == want["namedtuple"],
        "Sequences become one of that type, ranges a list; the values at each position"
        " are collated.",
        call=f"fa_collate({len(rows)} samples, each a namedtuple), [its type is kept, its parts]",
        got=got["namedtuple"],
        want=want["namedtuple"],
        look="rebuild(first, parts)",
    )
    expect(
        got["defaultdict"] == want["defaultdict"],
        "Mappings become a mapping of that type; each key's values are collated.",
        call=f"fa_collate({len(rows)} samples, each a defaultdict), [its type is kept, its parts]",
        got=got["defaultdict"],
        want=want["defaultdict"],
        look="rebuild(first, parts)",
    )


def own_tensors(tt, rows):
    import numpy as np

    from tinytorch.core.tensor import Tensor

    class Mask(Tensor):
        """A kind of Tensor."""

    masks, plain = tt.fa_collate([(Mask(np.array(row)), Tensor(np.array(row))) for row in rows])
    return [type(masks) is Mask, type(plain) is Tensor, masks.data.tolist(), plain.data.tolist()]


@pytest.mark.contract("test_fa_collate")
def test_a_subclass_of_tensor_stays_that_subclass(inside, draw):
    rows = draw.integers(0, 100, (int(draw.integers(2, 5)), 3)).tolist()
    got = inside(own_tensors, rows)
    expect(
        got == [True, True, rows, rows],
        "Tensors become one Tensor; Tensors of a subclass become one of that subclass.",
        call="fa_collate([(Mask(row), Tensor(row)), ...])",
        got=got,
        want=[True, True, rows, rows],
        look="type(first)(batch.data)",
    )


# 1b fa_convert


@pytest.mark.contract("test_fa_convert")
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
            "An array becomes a Tensor that keeps its dtype.",
            call=f"fa_convert({ready!r})",
            got=got,
            want="the same, with Tensors for arrays",
            look="Tensor(batch) keeps the dtype: what else is done to the array?",
        )


def converted(tt, numbers):
    from collections import namedtuple

    import numpy as np

    from tinytorch.core.tensor import Tensor

    class Sound(Tensor):
        """A kind of Tensor."""

    Pair = namedtuple("Pair", "left right")
    sound = Sound(np.array(numbers))
    batch = tt.fa_convert(Pair(sound, np.array(numbers)))
    kept = {"the Tensor": batch[0] is sound, "the namedtuple": type(batch) is Pair}
    return kept, type(batch[1]) is Tensor, batch[1].data.tolist()


@pytest.mark.contract("test_fa_convert")
def test_types_of_the_users_own_are_kept_in_a_ready_batch(inside, draw):
    numbers = draw.integers(0, 100, 4).tolist()
    kept, is_tensor, got = inside(converted, numbers)
    expect(
        is_tensor and got == numbers,
        "Sequences (tuple, list, namedtuple ...) keep their type, ranges become"
        " lists; their parts are converted.",
        call="fa_convert(Pair(a Sound, an array))[1]",
        got=got,
        want=numbers,
        look="each part through fa_convert; rebuild(batch, a list of them)",
    )
    expect(
        all(kept.values()),
        "Everything else (Tensors of any kind, strings, bytes, numbers, None) is"
        " returned as the same object.",
        call="fa_convert(Pair(a Sound, an array))",
        got=f"not kept: {[name for name in kept if not kept[name]]}",
        want="a Pair with the same Sound",
        look="rebuild(batch, parts)",
    )


@pytest.mark.contract("test_fa_convert")
def test_strings_numbers_and_none_stay(tt, draw):
    number, text = int(draw.integers(1000)), f"text {int(draw.integers(1000))}"
    row = draw.integers(0, 100, 3)
    got = tt.fa_convert({"a": [number, text, None, True], "b": (row, {"c": 0.5})})
    expect(
        got["a"] == [number, text, None, True]
        and [type(part) for part in got["a"]] == [int, str, type(None), bool],
        "Everything else (Tensors of any kind, strings, bytes, numbers, None) is"
        " returned as the same object.",
        call=f"fa_convert([{number}, {text!r}, None, True])",
        got=got["a"],
        want=[number, text, None, True],
        look="only an np.ndarray becomes a Tensor: the rest is handed back as it is",
    )
    expect(
        isinstance(got["b"], tuple)
        and isinstance(got["b"][0], Tensor)
        and got["b"][0].data.tolist() == row.tolist()
        and got["b"][1] == {"c": 0.5},
        "Sequences (tuple, list, namedtuple ...) keep their type, ranges become"
        " lists; their parts are converted.",
        call='fa_convert((array, {"c": 0.5}))',
        got=got["b"],
        want="(Tensor, {'c': 0.5})",
        look="each part through fa_convert; rebuild(batch, a list of them)",
    )


# 1c collate_error


def message(tt, items):
    """What collate_error says about these items; its first error is of a class that is given."""
    first = tt.SkipItemException("the first error")
    try:
        tt.collate_error(first, items)
    except ValueError as problem:
        return str(problem)
    return "no error"


@pytest.mark.contract("test_collate_error")
def test_the_odd_ones_are_named_wherever_they_stand(tt, draw):
    for first_is_odd in (True, False):
        count = int(draw.integers(7, 12))
        others = 1 + draw.choice(count - 1, 2, replace=False)
        odd = sorted([0 if first_is_odd else int(others[0]), int(others[1])])
        items = [np.zeros(20 + i if i in odd else 3) for i in range(count)]
        got = message(tt, items)
        named = sorted({int(i) for i in re.findall(r"\bitem (\d+)", got)})
        expect(
            named == odd and all(f"({20 + i},)" in got for i in odd),
            "Odd items raise a ValueError that names each of them, as item 3, and no other item.",
            call=f"a batch of {count}, items {odd} of another shape",
            got=got,
            want=f"items {odd}",
            look="positions count from 0; each odd item is named, as `item k`",
        )


@pytest.mark.contract("test_collate_error")
def test_what_has_no_shape_is_named_by_its_type(tt, draw):
    odd = int(draw.integers(5))
    rows = [(np.zeros(2), "text") for _ in range(5)]
    rows[odd] = (np.zeros(2), 3)
    got = message(tt, rows)
    named = [k for k in range(5) if f"item {k}" in got]
    expect(
        named == [odd] and "int" in got and "str" in got,
        "The message has each odd item's difference from the usual description.",
        call=f"collate_error(e, five pairs (array, text), but item {odd} is (array, 3))",
        got=got,
        want=f"item {odd}, an int where usually a str is",
        look="difference(description, usual) of each odd item, in this order",
    )


def errors_of(tt, shapes):
    import numpy as np

    first = ValueError("the first error")
    try:
        tt.collate_error(first, [np.zeros(shape) for shape in shapes])
    except ValueError as problem:
        return [problem is first, problem.__cause__ is first]
    return "no error"


@pytest.mark.contract("test_collate_error")
def test_the_first_error_is_shown_too(inside, draw):
    usual, odd = draw.choice(50, 2, replace=False).tolist()
    shapes = [usual] * 5
    shapes[int(draw.integers(5))] = odd
    got = inside(errors_of, shapes)
    expect(
        got == [False, True],
        "The ValueError comes from e, so that the first error is shown too.",
        call=f"collate_error(e, shapes {shapes})",
        got="e itself" if got == [True, False] else got,
        want="an error whose __cause__ is e",
        look="raise ... from e",
    )
    got = inside(errors_of, [usual] * 5)
    expect(
        got[0] is True,
        "If no item is odd, e itself is raised.",
        call=f"collate_error(e, shapes {[usual] * 5})",
        got=got,
        want="e",
        look="raise e, the very object that was given",
    )

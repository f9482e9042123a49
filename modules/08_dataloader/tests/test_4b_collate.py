"""Laws of exercise 4b, collate."""

from itertools import permutations

import numpy as np

from tinytorch.core.tensor import Tensor
from tinytorch.laws import Case, law

ROW = np.array([3, 4])


def stacked(values):
    """Stands in for your stack_samples, which has laws of its own."""
    if not len(values):
        raise ValueError("no values")
    array = np.array([np.asarray(value) for value in values])
    # a dict is no leaf: it is handed back, so that the red block shows it
    return list(values) if array.dtype == object else Tensor(array)


def mapped(part, of_leaf):
    """The same structure, with each leaf replaced."""
    if isinstance(part, dict):
        return {key: mapped(value, of_leaf) for key, value in part.items()}
    if isinstance(part, (tuple, list)):
        return type(part)([mapped(value, of_leaf) for value in part])
    return of_leaf(part)


def plain(batch):
    """A batch with a text such as "Tensor [1, 2]" in place of each Tensor."""

    def text(leaf):
        return f"Tensor {leaf.data.tolist()}" if isinstance(leaf, Tensor) else leaf

    return mapped(batch, text)


def by_key(batch):
    """The same with the keys sorted: their order is a promise of its own."""
    batch = plain(batch)
    return dict(sorted(batch.items())) if isinstance(batch, dict) else batch


def batches(tt, structures, steps=(0, 10, 20)):
    """For each structure: samples of it, whose leaves are larger by each step, and
    what their batch is."""
    for one in structures:
        samples = [mapped(one, lambda leaf: leaf + step) for step in steps]
        want = mapped(one, lambda leaf: f"Tensor {[leaf + step for step in steps]}")
        yield f"collate({samples})", lambda: plain(tt.collate(samples)), want


def drawn(draw, depth):
    """A nested sample."""
    kind = draw.integers(4) if depth else 0
    parts = [drawn(draw, depth - 1) for _ in range(draw.integers(1, 4) if kind else 0)]
    whole = (
        int(draw.integers(10)),
        tuple(parts),
        parts,
        dict(zip("abc", parts, strict=False)),
    )
    return whole[kind]


@law(
    1,
    "no tuple, list or dict",
    look="the last case: return stack_samples(samples), and nothing around it",
)
def test_plain_values_are_stacked(tt, stand_in, draw):
    asked, k = [], int(draw.integers(5, 10**6))
    stand_in(stack_samples=lambda values: asked.append([*values]) or stacked(values))
    for samples, want in (
        ([3, 4], "Tensor [3, 4]"),
        ([k, 3, 4], f"Tensor [{k}, 3, 4]"),
        ([3, Tensor(k)], f"Tensor [3, {k}]"),
        ([3, 4.5, 5], "Tensor [3.0, 4.5, 5.0]"),
        ([3, Tensor(4), np.array(5)], "Tensor [3, 4, 5]"),
        ([ROW, ROW, ROW], "Tensor [[3, 4], [3, 4], [3, 4]]"),
        ([Tensor(ROW), ROW], "Tensor [[3, 4], [3, 4]]"),
    ):
        asked.clear()
        call = f"collate({samples})"
        yield call, lambda: plain(tt.collate(samples)), want
        yield f"{call}: calls of stack_samples", len(asked), 1


@law(
    2,
    "part by part",
    look="zip(*samples) gives a column for each part: collate each one, and make of"
    " all what a sample is, a tuple or a list",
)
def test_tuples_and_lists_keep_their_kind(tt, stand_in, draw):
    stand_in(stack_samples=stacked)
    k = int(draw.integers(30, 10**6))
    fixed = (1, 5), (1, 5, 9), (4,), [1, 5], [1, 5, 9, 3], [4]
    yield from batches(tt, (*fixed, (k,), (1, k, 9), [k], [5, k]))


def named_batch(tt, rows, in_lists):
    """The batch of the named tuples of these rows: its class and its parts."""
    from collections import namedtuple

    import numpy as np

    Photo = namedtuple("Photo", ["image", "label", "weight"][: len(rows[0])])
    samples = [[Photo(*row)] if in_lists else Photo(*row) for row in rows]
    batch = tt.collate(samples)
    batch = batch[0] if in_lists else batch
    parts = [np.ravel(getattr(part, "data", part)).tolist() for part in batch]
    return "Photo" if type(batch) is Photo else type(batch).__name__, parts


def batches_of_photos(inside, draw, in_lists):
    for width in (2, 3, 1):
        rows = draw.integers(100, size=(width + 1, width))
        samples = [f"Photo{tuple(row)}" for row in rows.tolist()]
        samples = [f"[{sample}]" for sample in samples] if in_lists else samples
        call = f"collate([{', '.join(samples)}])"
        want = "Photo", rows.T.tolist()
        got = lambda: inside(named_batch, rows.tolist(), in_lists)  # noqa: E731
        yield f"{call}: class and parts of a named tuple", got, want


@law(3, "named tuple", look="it takes its parts one by one: first._make(parts)")
def test_named_tuples_keep_their_class(inside, stand_in, draw):
    stand_in(stack_samples=stacked)
    yield from batches_of_photos(inside, draw, in_lists=False)


@law(
    4,
    "the same keys",
    look="for each key of the first sample: collate sample[key] of all",
)
def test_dicts_are_collated_by_key(tt, stand_in, draw):
    stand_in(stack_samples=stacked)
    k, name = int(draw.integers(30, 10**6)), f"x{draw.integers(10**6)}"
    for samples, want in (
        ([{"x": 1}, {"x": 2}], {"x": "Tensor [1, 2]"}),
        ([{name: 1}, {name: k}], {name: f"Tensor [1, {k}]"}),
        (
            [{"x": 1, "y": 5}, {"y": 6, "x": 2}, {"x": 3, "y": 7}],
            {"x": "Tensor [1, 2, 3]", "y": "Tensor [5, 6, 7]"},
        ),
        (
            [{0: 1, 1: 5, 2: 9}, {2: 9, 0: 2, 1: 6}],
            {0: "Tensor [1, 2]", 1: "Tensor [5, 6]", 2: "Tensor [9, 9]"},
        ),
    ):
        yield f"collate({samples})", lambda: by_key(tt.collate(samples)), want


@law(5, "order of the first", look="for key in the first sample; a set has no order")
def test_the_first_sample_orders_the_keys(tt, stand_in, draw):
    stand_in(stack_samples=stacked)
    for names in ("zyx", "xyz", "yzx", "".join(draw.permutation([*"abcdefgh"]))):
        samples = [dict.fromkeys(names, 1), dict.fromkeys(reversed(names), 2)]
        got = lambda: list(tt.collate(samples))  # noqa: E731
        yield f"list(collate({samples}))", got, [*names]


@law(
    6,
    "inside structures",
    look="each column, and the values of each key, go through collate again",
)
def test_nested_structures(tt, inside, stand_in, draw):
    stand_in(stack_samples=stacked)
    fixed = (1, {"a": 2}), {"a": (1, [2])}, [[1, 5], [[9]]], ((1,), (2, 3))
    yield from batches(tt, (*fixed, *(drawn(draw, 3) for _ in range(8))))
    yield from batches_of_photos(inside, draw, in_lists=True)


@law(7, "One sample", look="is there a shortcut for one sample?")
def test_one_sample_is_a_batch(tt, stand_in, draw):
    stand_in(stack_samples=stacked)
    k = int(draw.integers(30, 10**6))
    fixed = 7, (1, 5), [1], {"a": 7}, {"a": (1, [2])}
    yield from batches(tt, (*fixed, k, (1, k), [k], {"a": k}), steps=[0])


def refused(tt, k, tables):
    """Cases: samples that are refused, and the same with another part around them."""
    batch = plain(tt.collate([(1, 2), (k, 4)]))
    yield f"collate([(1, 2), ({k}, 4)])", batch, (f"Tensor [1, {k}]", "Tensor [2, 4]")
    for table in tables:
        for samples in (table, [(0, sample) for sample in table]):
            got = lambda: tt.collate(samples)  # noqa: E731
            yield Case(f"collate({samples})", got, raises=ValueError)


@law(
    8,
    "lengths or keys",
    look="compare all lengths, and all keys, before a part is read; zip stops at the"
    " shortest without a word",
)
def test_other_lengths_and_keys_are_refused(tt, stand_in, draw):
    stand_in(stack_samples=stacked)
    many, k = [(1, 2)] * 9, int(draw.integers(30, 10**6))
    many[draw.integers(1, 8)] = (1, 2, k)
    tuples = [(1, 2), (3,)], [(1,), (2, 3)], [(1, 2), (3, 4), ()], many
    yield from refused(tt, k, (*tuples, [[1], [2, 3], [4]], [[1, 2], [3]]))
    x, y, both = {"x": 1}, {"y": 2}, {"x": 3, "y": 4}
    yield from refused(
        tt, k, ([x, y], [x, both], [both, x], [x, both, x], [both, y, both])
    )


@law(
    9,
    "Different kinds",
    look="is the kind of every sample compared, or the first one alone?",
)
def test_other_kinds_are_refused(tt, stand_in, draw):
    stand_in(stack_samples=stacked)
    many, k = [(1, 2)] * 9, int(draw.integers(30, 10**6))
    many[draw.integers(1, 8)] = [1, k]
    pairs = map(list, permutations([(1, 2), [3, 4], {0: 5, 1: 6}, ROW], 2))
    others = [(1, 2), k], [k, (1, 2)], [(1, 2), (3, 4), [5, 6]], many
    yield from refused(tt, k, (*pairs, *others))


@law(10, "empty list", look="there is no first sample to look at")
def test_no_samples_are_refused(tt, stand_in, draw):
    stand_in(stack_samples=stacked)
    k = int(draw.integers(8, 10**6))
    yield f"collate([7, {k}])", plain(tt.collate([7, k])), f"Tensor [7, {k}]"
    yield Case("collate([])", lambda: tt.collate([]), raises=ValueError)

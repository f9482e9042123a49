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
        parts = [values_of(part) for part in batch]
        return getattr(batch, "_make", type(batch))(parts)
    return np.ravel(batch.data if isinstance(batch, Tensor) else batch).tolist()


def one(number):
    """A leaf of one number."""
    return np.array([number])


@pytest.mark.contract("test_stack_samples")
def test_sample_k_is_row_k_of_the_batch(tt):
    for rows in ([[1, 2], [3, 4], [5, 6]], [[1, 2]], [[[1, 2]], [[3, 4]]], [[], []]):
        batch = tt.stack_samples([np.array(row) for row in rows])
        got = getattr(batch, "data", batch)
        expect(
            isinstance(batch, Tensor)
            and got.shape == np.shape(rows)
            and got.tolist() == rows,
            "The batch is a Tensor of shape (B, ...) with value k in row k.",
            call=f"stack_samples({rows}), {len(rows)} arrays",
            got=f"{type(batch).__name__} of shape {np.shape(got)}: {got.tolist()}",
            want=f"Tensor of shape {np.shape(rows)}: {rows}",
            look="row k is value k: np.stack makes a new first axis, np.concatenate"
            " none",
        )


@pytest.mark.contract("test_stack_samples")
def test_stacking_keeps_the_dtype(tt):
    for dtype in ("uint8", "int32", "int64", "float32", "float64", "bool"):
        for shape in ((3,), ()):
            for kind, named in ((np.asarray, "arrays"), (Tensor, "Tensors")):
                values = [kind(np.ones(shape, dtype)) for _ in range(2)]
                got = tt.stack_samples(values).data.dtype
                expect(
                    got == dtype,
                    "The dtype is kept: bytes stay bytes, integers stay integers.",
                    call=f"stack_samples(two {dtype} {named} of shape {shape}).dtype",
                    got=got,
                    want=dtype,
                    look="what becomes of a value before it is stacked? an astype,"
                    " .item(),"
                    " .tolist() or float changes its dtype",
                )


@pytest.mark.contract("test_stack_samples")
def test_different_dtypes_become_the_one_that_numpy_finds(tt):
    for values in (
        [1, 2.5],
        [2.5, 1],
        [np.uint8(1), np.float32(2.5)],
        [np.array([1, 2], np.int32), np.array([0.5, 3], np.float64)],
        [np.array([1], np.uint8), np.array([300], np.int64)],
    ):
        got, want = tt.stack_samples(values).data, np.stack(values)
        expect(
            got.tolist() == want.tolist() and got.dtype == want.dtype,
            "If the dtypes differ, NumPy chooses the common dtype: `[1, 2.5]` gives"
            " floats.",
            call=f"stack_samples({values})",
            got=f"{got.dtype}: {got.tolist()}",
            want=f"{want.dtype}: {want.tolist()}",
            look="np.stack finds the common dtype: does one value alone decide it?",
        )


@pytest.mark.contract("test_stack_samples")
def test_integers_of_python_stay_integers(tt):
    for values, want in (([7, 8], "i"), ([7.5, 8.0], "f"), ([True, False], "b")):
        got = tt.stack_samples(values).data.dtype.kind
        expect(
            got == want,
            "The dtype is kept: bytes stay bytes, integers stay integers.",
            call=f"stack_samples({values}).dtype.kind",
            got=got,
            want=want,
            look="is there an astype or a float on the way?",
        )


@pytest.mark.contract("test_stack_samples")
def test_labels_and_plain_numbers_stack_to_one_dimension(tt):
    for values, what in (
        ([Tensor(7), Tensor(8)], "[Tensor(7), Tensor(8)]"),
        ([7, 8], "[7, 8]"),
        ((7, 8), "(7, 8)"),
        ([np.int64(7), np.array(8)], "[np.int64(7), np.array(8)]"),
        ([Tensor(7), np.array(8)], "[Tensor(7), np.array(8)]"),
    ):
        batch = tt.stack_samples(values).data
        expect(
            batch.tolist() == [7, 8],
            "Tensors, arrays and numbers can all be stacked; B single numbers give"
            " shape (B,).",
            call=f"stack_samples({what})",
            got=f"shape {batch.shape}: {batch.tolist()}",
            want="shape (2,): [7, 8]",
            look="np.asarray takes anything; Tensor.data is the array",
        )


@pytest.mark.contract("test_stack_samples")
def test_a_batch_has_memory_of_its_own(tt):
    for count in (3, 1):
        for kind in (np.asarray, Tensor):
            rows = np.arange(1.0, 1 + 2 * count).reshape(count, 2)
            values, want = [kind(row) for row in rows], rows.tolist()
            kept, other = tt.stack_samples(values), tt.stack_samples(values)
            other.data[...] = 0
            expect(
                rows.tolist() == want and kept.data.tolist() == want,
                "A batch has new memory, even for one value: writing into a batch"
                " changes no value and no other batch.",
                call=f"stack_samples({count} rows), twice; the second batch was set to"
                " 0",
                got=f"the rows are {rows.tolist()}, the first batch"
                f" {kept.data.tolist()}",
                want=f"both are {want}",
                look="a view or a copy? is there a shortcut for one sample?",
            )


@pytest.mark.contract("test_stack_samples")
def test_values_of_different_shapes_are_named(tt):
    three, seven, eight = np.zeros(3), np.zeros(7), np.zeros(8)
    for values, says in (
        ([three, three, seven], ["2", "(7,)", "(3,)"]),
        ([seven, three, three], ["1", "2", "(7,)", "(3,)"]),
        (
            [three, three, seven, three, three, eight],
            ["2", "5", "(7,)", "(8,)", "(3,)"],
        ),
        ([three, np.zeros((1, 3))], ["1", "(1, 3)", "(3,)"]),
        ([three, three, three, np.zeros(())], ["3", "()", "(3,)"]),
        ([np.zeros((2, 3)), np.zeros((3, 2))], ["1", "(2, 3)", "(3, 2)"]),
        ([7.0, three], ["1", "()", "(3,)"]),
    ):
        shapes = ", ".join(str(np.shape(value)) for value in values)
        expect_raises(
            ValueError,
            lambda: tt.stack_samples(values),
            "Different shapes raise a `ValueError` that names each position whose"
            " shape differs from position 0, and all their shapes.",
            says=says,
            call=f"stack_samples(values of the shapes {shapes})",
            look="compare every shape with the first before stacking: raise"
            " ValueError(...)",
        )


@pytest.mark.contract("test_stack_samples")
def test_an_empty_list_of_values_is_refused(tt):
    got = values_of(tt.stack_samples([one(7)]))
    expect(
        got == [7],
        "The batch is a Tensor of shape (B, ...) with value k in row k.",
        call="stack_samples([[7]]), one array",
        got=got,
        want=[7],
        look="is there a shortcut for one value?",
    )
    expect_raises(
        ValueError,
        lambda: tt.stack_samples([]),
        "An empty list raises `ValueError`.",
        call="stack_samples([])",
        look=(
            "if there are no values, raise ValueError(...) before you look at the first"
        ),
    )


def expect_batch(tt, samples, want, promise):
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
def test_a_bare_sample_gives_a_bare_batch(tt):
    for samples in ([one(3), one(4)], [Tensor(one(3)), Tensor(one(4))]):
        expect_batch(
            tt,
            samples,
            [3, 4],
            "Samples that are no tuple, list or dict go to `stack_samples`; the"
            " batch is a bare Tensor.",
        )


@pytest.mark.contract("test_collate")
def test_a_tuple_gives_a_tuple_and_a_list_a_list(tt):
    for samples, want in (
        (
            [(one(1), one(5), one(9)), (one(2), one(6), one(9))],
            ([1, 2], [5, 6], [9, 9]),
        ),
        ([(one(3),), (one(4),)], ([3, 4],)),
        ([[one(1), one(5)], [one(2), one(6)]], [[1, 2], [5, 6]]),
        ([[one(1)], [one(2)]], [[1, 2]]),
    ):
        expect_batch(
            tt,
            samples,
            want,
            "Tuples give a tuple and lists give a list, with each part collated;"
            " 1-tuples give a 1-tuple.",
        )


def named_batch(tt, rows, inner):
    """The batch of the named tuples of these rows, each alone or inside a tuple."""
    from collections import namedtuple

    import numpy as np

    names = ["image", "label", "weight"][: len(rows[0])]
    Photo = namedtuple("Photo", names)
    samples = [Photo(*(np.array([number]) for number in row)) for row in rows]
    if inner:
        batch = tt.collate([(sample,) for sample in samples])[0]
    else:
        batch = tt.collate(samples)
    same = type(batch) is Photo
    return [
        "the same class" if same else type(batch).__name__,
        [np.ravel(getattr(part, "data", part)).tolist() for part in batch],
    ]


@pytest.mark.contract("test_collate")
def test_a_named_tuple_gives_a_named_tuple(inside):
    for rows in ([[1, 5], [2, 6]], [[7]], [[1, 5, 9], [2, 6, 9], [3, 7, 9]]):
        for alone in (True, False):
            got = inside(named_batch, rows, not alone)
            want = [
                "the same class",
                [list(column) for column in zip(*rows, strict=True)],
            ]
            expect(
                got == want,
                "A named tuple gives a named tuple of the same class.",
                call=f"collate({len(rows)} named tuples of {rows}"
                f"{'' if alone else ', each in a 1-tuple'})",
                got=f"{got[0]}: {got[1]}",
                want=f"{want[0]}: {want[1]}",
                look="a named tuple takes its parts one by one: first._make(parts)",
            )


@pytest.mark.contract("test_collate")
def test_a_dict_gives_a_dict_with_the_same_keys(tt):
    for samples in (
        [{"x": one(1), "y": one(5)}, {"x": one(2), "y": one(6)}],
        [{"x": one(1), "y": one(5)}, {"y": one(6), "x": one(2)}],
    ):
        expect_batch(
            tt,
            samples,
            {"x": [1, 2], "y": [5, 6]},
            "A dict gives a dict with the same keys, in whatever order a sample has"
            " them.",
        )


@pytest.mark.contract("test_collate")
def test_structures_inside_structures_are_kept(tt):
    for samples, want in (
        ([(one(1), {"a": one(2)}), (one(3), {"a": one(4)})], ([1, 3], {"a": [2, 4]})),
        (
            [{"a": [one(1), (one(2),)]}, {"a": [one(3), (one(4),)]}],
            {"a": [[1, 3], ([2, 4],)]},
        ),
    ):
        expect_batch(
            tt, samples, want, "Structures inside structures are collated too."
        )


@pytest.mark.contract("test_collate")
def test_a_batch_of_one_sample_is_a_batch(tt):
    for sample in (np.array([1, 2]), (np.array([1, 2]), np.array([1, 2]))):
        batch = tt.collate([sample])
        leaves = batch if isinstance(batch, tuple) else (batch,)
        got = [np.shape(leaf) for leaf in leaves]
        expect(
            # that a leaf has the dimension of the batch is a promise of stack_samples
            type(batch) is not np.ndarray
            and isinstance(batch, tuple) == isinstance(sample, tuple)
            and all(
                isinstance(leaf, Tensor) or len(np.shape(leaf)) == 2 for leaf in leaves
            ),
            "One sample is a batch too: its leaves are stacked.",
            call=f"collate([{sample!r}])",
            got=f"leaves of the shapes {got}, {type(leaves[0]).__name__}",
            want=f"leaves of the shapes {[(1, 2)] * len(leaves)}, Tensor",
            look="a shortcut for one sample?",
        )


@pytest.mark.contract("test_collate")
def test_samples_of_unequal_length_or_keys_are_refused(tt):
    expect_batch(
        tt,
        [(one(1), one(2)), (one(3), one(4))],
        ([1, 3], [2, 4]),
        "Tuples give a tuple and lists give a list, with each part collated;"
        " 1-tuples give a 1-tuple.",
    )
    for samples in (
        [(1, 2), (3,)],
        [(1,), (2, 3)],
        [(1, 2), (3,), (4, 5)],
        [(1, 2), (3, 4), ()],
        [[1], [2, 3], [4]],
        [{"a": 1}, {"b": 2}],
        [{"a": 1}, {"a": 2, "b": 3}],
        [{"a": 1, "b": 2}, {"a": 3}],
        [{"a": 1}, {"a": 2}, {"b": 3}],
        [(1, (2, 3)), (4, (5,))],
    ):
        expect_raises(
            ValueError,
            lambda: tt.collate(samples),
            "Tuples or lists of different lengths, and dicts with different keys,"
            " raise `ValueError`.",
            call=f"collate({samples})",
            look="compare all lengths, and all keys, before a part is read: raise"
            " ValueError(...)",
        )


@pytest.mark.contract("test_collate")
def test_the_keys_of_a_batch_have_the_order_of_the_first_sample(tt):
    for names in ("xyz", "zyx", "yzx"):
        samples = [{name: one(k) for name in names} for k in (1, 2)]
        samples[1] = dict(reversed(samples[1].items()))
        got = list(tt.collate(samples))
        expect(
            got == list(names),
            "Keys stand in the order of the first sample.",
            call=f"list(collate(dicts with the keys {names} and {names[::-1]}))",
            got=got,
            want=list(names),
            look="for key in the first sample",
        )


@pytest.mark.contract("test_collate")
def test_structures_do_not_mix(tt):
    expect_batch(
        tt,
        [(one(1), one(2)), (one(3), one(4))],
        ([1, 3], [2, 4]),
        "Tuples give a tuple and lists give a list, with each part collated;"
        " 1-tuples give a 1-tuple.",
    )
    row = np.array([3, 4])
    for samples in (
        [(1, 2), [3, 4]],
        [[1, 2], (3, 4)],
        [(1, 2), 5],
        [5, (1, 2)],
        [(1, 2), row],
        [row, (1, 2)],
        [row, [1, 2]],
        [[1, 2], row],
        [{0: 1}, (1,)],
        [(0,), {0: 1}],
        [{"a": 1}, 5],
        [(1, 2), (3, 4), [5, 6]],
        [(1, (2, 3)), (4, [5, 6])],
    ):
        expect_raises(
            ValueError,
            lambda: tt.collate(samples),
            "Samples of different kinds (tuple, list, dict, plain value) raise"
            " `ValueError`: `[(1, 2), [3, 4]]`.",
            call=f"collate({samples})",
            look=(
                "do you check the kind of every sample, or of the first one only?"
                " raise ValueError(...) before a part is read"
            ),
        )


@pytest.mark.contract("test_collate")
def test_an_empty_list_of_samples_is_refused(tt):
    expect_batch(
        tt,
        [one(7)],
        [7],
        "Samples that are no tuple, list or dict go to `stack_samples`; the batch is"
        " a bare Tensor.",
    )
    expect_raises(
        ValueError,
        lambda: tt.collate([]),
        "An empty list of samples raises `ValueError`.",
        call="collate([])",
        look="there is no first sample to look at: raise ValueError(...)",
    )

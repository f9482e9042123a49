"""What the names in PyTorch's test_dataloader.py ask of datasets, restated for ours: splits, rows
of tensors, named columns, datasets one after the other. The list is in peers_pytorch.py.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from tinytorch.core.tensor import Tensor
from tinytorch.data.columns import ColumnDataset

sys.path.insert(0, str(Path(__file__).parent))

from peers_kit import global_generators


def items(dataset):
    return [dataset[index] for index in range(len(dataset))]


def columns(length=15, **more):
    rng = np.random.default_rng(0)
    return ColumnDataset({"a": rng.random((length, 10)), "b": rng.random((length, 5, 4)), **more})


# random_split


def test_lengths_of_a_split_must_add_up_to_the_dataset(core):
    with pytest.raises(ValueError, match="add up to"):
        core.random_split([1, 2, 3, 4], [1, 2])


def test_parts_of_a_split_have_the_lengths_asked_for(core):
    assert [len(part) for part in core.random_split(range(6), [2, 4])] == [2, 4]


@pytest.mark.parametrize(
    "count, fractions, lengths",
    [
        (6, [0.5, 0.5], [3, 3]),
        (3, [0.5, 0.5], [2, 1]),
        (106, [0.1, 0.2, 0.3, 0.4], [11, 22, 31, 42]),
        (5, [1.0], [5]),
    ],
)
def test_fractions_of_a_split_are_rounded_down_and_the_rest_goes_round(
    core, count, fractions, lengths
):
    parts = core.random_split(range(count), fractions, seed=1)
    assert [len(part) for part in parts] == lengths
    assert sorted(item for part in parts for item in items(part)) == list(range(count))


@pytest.mark.parametrize("fractions", [[0.1], [1.1]])
def test_fractions_of_a_split_must_add_up_to_one(core, fractions):
    with pytest.raises(ValueError):
        core.random_split([1, 2, 3, 4], fractions)


@pytest.mark.parametrize("lengths", [[2, 4], [6], [0, 6], [1, 2, 3]])
def test_parts_of_a_split_share_nothing_and_leave_nothing_out(core, lengths):
    data = [5, 2, 3, 4, 1, 6]
    found = [item for part in core.random_split(data, lengths) for item in items(part)]
    assert sorted(found) == sorted(data)


def test_a_split_asks_its_dataset_with_python_integers(core):
    class Strict(list):
        def __getitem__(self, key):
            assert type(key) is int
            return super().__getitem__(key)

    part = core.random_split(Strict([1, 2, 3, 4, 5]), [5], seed=0)[0]
    assert sum(len(batch) for batch in core.DataLoader(part, batch_size=2)) == 5


@pytest.mark.parametrize("lengths", [[3, 7], [5, 5], [4, 3, 3]])
def test_a_seed_repeats_a_split(core, lengths):
    first, second = (core.random_split(range(10), lengths, seed=1) for _ in range(2))
    assert list(map(items, first)) == list(map(items, second))


def test_a_split_never_touches_the_global_generators(core):
    before = global_generators()
    core.random_split(range(10), [5, 5])
    core.random_split(range(10), [5, 5], seed=42)
    assert global_generators() == before


def test_several_rows_of_a_subset_are_those_of_its_dataset(core):
    dataset = core.TensorDataset(np.array([1, 2, 3, 4, 5]))
    subset = core.Subset(dataset, [0, 1, 2, 3, 4])
    part, _ = core.random_split(dataset, [3, 2], seed=0)
    for one, rows in ((subset, [1]), (subset, [0, 2]), (part, [0, 1, 2]), (part, [0])):
        (got,) = one.__getitems__(np.array(rows))
        want = [int(dataset[one.indices[row]][0].data) for row in rows]
        assert got.data.tolist() == want


def test_several_rows_of_a_subset_of_a_subset_are_those_of_its_dataset(core):
    dataset = core.TensorDataset(np.array([1, 2, 3, 4, 5]))
    first, _ = core.random_split(dataset, [4, 1], seed=0)
    second, _ = core.random_split(first, [3, 1], seed=1)
    indices = [first.indices[index] for index in second.indices]
    (got,) = second.__getitems__(np.arange(3))
    assert got.data.tolist() == [int(dataset[index][0].data) for index in indices]


# TensorDataset


def test_a_tensor_dataset_is_as_long_as_its_tensors(core):
    source = core.TensorDataset(np.zeros((15, 10, 2, 3, 4, 5)), np.random.permutation(15))
    assert len(source) == 15


@pytest.mark.parametrize(
    "shapes",
    [
        [(15, 10, 2, 3, 4, 5), (15, 10)],
        [(15,), (15,)],
        [(5, 10)],
        [(5, 10, 2, 3, 4, 5), (5, 10), (5, 10, 2, 5), (5, 10, 3, 7)],
    ],
    ids=["many dimensions", "one dimension", "one tensor", "four tensors"],
)
def test_a_sample_of_a_tensor_dataset_is_a_row_of_each_tensor(core, shapes):
    tensors = [Tensor(np.random.default_rng(k).random(s)) for k, s in enumerate(shapes)]
    source = core.TensorDataset(*tensors)
    assert len(source) == shapes[0][0]
    for index in range(len(source)):
        rows = source[index]
        assert len(rows) == len(tensors)
        for row, tensor in zip(rows, tensors, strict=True):
            assert np.array_equal(row.data, tensor.data[index])


# Several sources side by side (PyTorch's StackDataset): named columns


def test_columns_need_at_least_one_name(core):
    with pytest.raises(ValueError, match="at least one named column"):
        ColumnDataset({})


def test_columns_are_named_never_counted():
    with pytest.raises(ValueError, match="must be a dict"):
        ColumnDataset([np.zeros(3), np.zeros(3)])


def test_columns_of_unequal_lengths_are_refused_with_their_lengths():
    with pytest.raises(ValueError, match=r"\{'a': 15, 'b': 10\}"):
        ColumnDataset({"a": np.zeros((15, 10)), "b": np.zeros((10, 15))})


@pytest.mark.parametrize("names", [["a"], ["a", "b"]])
def test_columns_are_as_long_as_each_of_them_and_a_row_has_each(names):
    arrays = {name: np.random.default_rng(0).random((15, 4)) for name in names}
    source = ColumnDataset(arrays)
    assert len(source) == 15
    for index in range(15):
        row = source[index]
        assert list(row) == names
        assert all(np.array_equal(row[name], arrays[name][index]) for name in names)


def test_a_batch_of_columns_has_the_rows_asked_for(references):
    source, pipeline = columns(), references("08c").module.pipeline
    (batch,) = pipeline(source.view([0, 3, 1, 2])).batch(4).numpy()
    for place, index in enumerate([0, 3, 1, 2]):
        for name in ("a", "b"):
            assert np.array_equal(batch[name][place], source[index][name])


def test_a_row_outside_the_columns_is_an_index_error():
    with pytest.raises(IndexError, match="Index 4 out of range for dataset of size 4"):
        columns(4)[4]


# ConcatDataset


@pytest.mark.parametrize(
    "parts",
    [[[0], [1]], [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]], [[0, 1, 2, 3, 4], [], [5, 6, 7, 8, 9]]],
    ids=["two of one", "two of five", "an empty one between"],
)
def test_datasets_one_after_the_other_are_one_dataset(core, parts):
    assert items(core.ConcatDataset(parts)) == sum(parts, [])


def test_an_index_behind_the_last_dataset_is_an_index_error(core):
    with pytest.raises(IndexError, match="Index 11 out of range for dataset of size 10"):
        core.ConcatDataset([range(5), range(5, 10)])[11]


def test_three_datasets_of_images_joined_keep_their_places(core):
    parts = [
        core.TensorDataset(np.random.default_rng(k).random((7, 3, 8, 8)), np.full(7, k))
        for k in range(3)
    ]
    whole = core.ConcatDataset(parts)
    assert len(whole) == 21
    for k, part in enumerate(parts):
        assert np.array_equal(whole[7 * k][0].data, part[0][0].data)
        assert whole[7 * k + 6][1].data == k


@pytest.mark.parametrize("streams", [[0], [0, 1], [1]])
def test_a_stream_cannot_stand_among_joined_datasets(core, references, streams):
    class Stream(references("08b").module.IterableDataset):
        def __iter__(self):
            return iter(range(5))

    parts = [Stream() if k in streams else [1, 2] for k in range(2)]
    with pytest.raises(TypeError, match=r"Stream.*len"):
        core.ConcatDataset(parts)

"""What the names in PyTorch's test_dataloader.py ask of collation and conversion, restated for
ours. The list is in peers_pytorch.py.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np
import pytest

from tinytorch.core.tensor import Tensor

Pair = namedtuple("Pair", "positive negative")
Sample = namedtuple("Sample", "data label noise")


class CustomList(list):
    """A sequence of the user's own type."""


class CustomDict(dict):
    """A mapping of the user's own type."""


def both(core, lab, samples):
    """The batch of the same samples, by module 08 and by lab 08b."""
    return core.collate(samples), lab.fa_collate(samples)


def lists(parts):
    return [part.data.tolist() for part in parts]


# Converting what a dataset hands out as a batch


@pytest.mark.parametrize("data", [CustomDict(a=1, b=2), CustomList([1, 2, 3])])
def test_convert_keeps_the_type_of_a_collection(lab, data):
    converted = lab.fa_convert(data)
    assert converted == data and type(converted) is type(data)


def test_convert_makes_a_list_of_a_collection_that_holds_no_other_items(lab):
    assert lab.fa_convert(range(2)) == [0, 1]


# Collating


@pytest.mark.parametrize(
    "values, dtype",
    [
        ([1, 2, -1], np.int64),
        ([1.1, 2.3, -0.9], np.float64),
        ([True, False], np.bool_),
        *(([kind(0), kind(1)], kind) for kind in (np.float64, np.float32, np.float16)),
        *(([kind(0), kind(1)], kind) for kind in (np.int64, np.int32, np.int16, np.int8, np.uint8)),
    ],
)
def test_collate_keeps_the_type_of_numbers(core, lab, values, dtype):
    for batch in both(core, lab, values):
        assert batch.data.tolist() == values and batch.data.dtype == dtype


def test_text_stays_text(lab):
    assert lab.fa_collate(["a", "b", "c"]) == ["a", "b", "c"]
    assert lab.fa_collate(np.array(["a", "b", "c"])) == ["a", "b", "c"]


@pytest.mark.parametrize("fill", ["a", object()])
@pytest.mark.parametrize("shape", [(1, 1, 3), (3,)])
def test_arrays_of_text_and_of_objects_are_refused_by_their_type(core, lab, fill, shape):
    batch = np.full(shape, fill)
    if shape == (3,) and isinstance(fill, str):  # a row of text is a list of strings
        assert core.collate(batch) == lab.fa_collate(batch) == [fill] * 3
        return
    with pytest.raises(TypeError, match=r"dtype (<U1|object)|type object"):
        core.collate(batch)
    with pytest.raises(TypeError, match=r"got dtype (<U1|object)"):
        lab.fa_collate(batch)


def test_collate_keeps_the_type_of_a_mapping(lab):
    batch = lab.fa_collate([CustomDict(a=1, b=2), CustomDict(a=3, b=4)])
    assert type(batch) is CustomDict and list(batch) == ["a", "b"]
    assert lists(batch.values()) == [[1, 3], [2, 4]]


def test_collate_keeps_the_type_of_a_sequence(core, lab):
    for batch in both(core, lab, [CustomList([1, 2, 3]), CustomList([4, 5, 6])]):
        assert type(batch) is CustomList and lists(batch) == [[1, 4], [2, 5], [3, 6]]


def test_collate_makes_a_list_of_a_sequence_that_holds_no_tensors(lab):
    batch = lab.fa_collate([range(2), range(2)])
    assert type(batch) is list and lists(batch) == [[0, 0], [1, 1]]


def test_rows_of_a_memory_map_are_collated_into_memory(core, lab, tmp_path):
    rows = np.lib.format.open_memmap(tmp_path / "rows.npy", "w+", np.int64, (4, 2))
    rows[:] = np.arange(8).reshape(4, 2)
    for batch in both(core, lab, list(rows)):
        assert batch.data.tolist() == [[0, 1], [2, 3], [4, 5], [6, 7]]
        assert type(batch.data) is np.ndarray and not np.shares_memory(batch.data, rows)


@pytest.mark.parametrize("samples", [[["X"], ["X", "X"]], [["X", "X"], ["X"]], [[1], [1, 2]]])
def test_sequences_of_unequal_lengths_are_refused(core, lab, samples):
    for collate in (core.collate, lab.fa_collate):
        with pytest.raises(ValueError, match=r"(equally many|the same number of) parts, got"):
            collate(samples)


def test_arrays_of_unequal_shapes_are_refused_and_may_be_padded_by_a_hook(lab):
    ragged = [np.ones(2), np.ones(3)]
    with pytest.raises(ValueError, match=r"item 1: .* shape \(3,\)"):
        list(lab.DataLoader(ragged, bs=2))

    def padded(items):
        return [np.resize(item, 3) for item in items]

    (batch,) = lab.DataLoader(ragged, bs=2, before_batch=padded)
    assert batch.shape == (2, 3)


# Datasets of many kinds


def test_a_loader_makes_one_array_of_the_arrays_of_a_dataset(core, lab):
    class Cubes(list):
        def __getitem__(self, index):
            return np.ones((2, 3, 4)) * index

        def __len__(self):
            return 1000

    for loader in (core.DataLoader(Cubes(), batch_size=12), lab.DataLoader(Cubes(), bs=12)):
        batch = next(iter(loader))
        assert batch.data.dtype == np.float64 and batch.shape == (12, 2, 3, 4)


@pytest.mark.parametrize("settings", [{}, {"num_workers": 1, "persistent_workers": True}])
def test_nested_dicts_of_a_dataset_stay_nested(lab, settings):
    class Nested(list):
        def __getitem__(self, index):
            return {"array": np.full((4, 2), index), "inner": {"number": index}}

    loader = lab.DataLoader(Nested(range(4)), bs=2, **settings)
    for place, batch in enumerate(loader):
        assert list(batch) == ["array", "inner"] and list(batch["inner"]) == ["number"]
        assert batch["array"].shape == (2, 4, 2)
        assert batch["array"].data[:, 0, 0].tolist() == [2 * place, 2 * place + 1]
        assert batch["inner"]["number"].data.tolist() == [2 * place, 2 * place + 1]
    loader.close()


def test_named_tuples_stay_named_in_batches_and_without(lab):
    data = [Sample(Pair(n, -n), str(n), np.random.random(3)) for n in range(4)]
    for batch in lab.DataLoader(data, bs=2):
        assert type(batch) is Sample and type(batch.data) is Pair
        assert isinstance(batch.data.positive, Tensor) and type(batch.label) is list
    for item in lab.DataLoader(data, bs=None):
        assert type(item) is Sample and type(item.data) is Pair
        assert not isinstance(item.data.positive, Tensor) and isinstance(item.noise, Tensor)


# pin_memory, for arrays in main memory


class OwnBatch:
    """A batch of the user's own type."""

    def __init__(self, samples):
        self.inputs, self.targets = (np.stack(column) for column in zip(*samples, strict=True))


def kept_apart(samples):
    """A batch that is no single array: one of each length."""
    return {"first": np.stack([x for x, _ in samples], axis=1), "lengths": [len(samples)]}


@pytest.mark.parametrize("num_workers", [0, 1])
@pytest.mark.parametrize("make, kind", [(OwnBatch, OwnBatch), (kept_apart, dict)])
def test_a_batch_of_the_user_s_own_type_passes_pin_memory(lab, num_workers, make, kind):
    data = [(np.full(5, n), np.full(5, -n)) for n in range(10)]
    loader = lab.DataLoader(
        data, bs=2, create_batch=make, pin_memory=True, num_workers=num_workers, start_method="fork"
    )
    batches = list(loader)
    assert len(batches) == 5 and all(type(batch) is kind for batch in batches)


@pytest.mark.parametrize("where", [{}, {"pin_memory_device": "cuda"}, {"device": "cpu"}])
@pytest.mark.parametrize("pinned", [True, False])
def test_pin_memory_is_taken_and_changes_no_batch(lab, where, pinned):
    data = [{"array": np.full(2, n), "inner": {"text": "a"}} for n in range(4)]
    plain, other = (
        list(lab.DataLoader(data, bs=2, shuffle=True, seed=1, **settings))
        for settings in ({}, {"pin_memory": pinned, **where})
    )
    for one, same in zip(plain, other, strict=True):
        assert np.array_equal(one["array"].data, same["array"].data)
        assert one["inner"] == same["inner"] == {"text": ["a", "a"]}

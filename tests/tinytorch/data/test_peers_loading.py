"""What the names in PyTorch's test_dataloader.py ask of an epoch, restated for ours: order,
samplers, lengths, streams, errors and refusals. Each law holds here, with workers, and with workers
that stay. The list is in peers_pytorch.py.
"""

from __future__ import annotations

import collections
import itertools
import sys
from pathlib import Path

import numpy as np
import pytest

from tinytorch.data.columns import ColumnDataset

sys.path.insert(0, str(Path(__file__).parent))

from peers_kit import SETTINGS, Counting, every_way, global_generators, numbers

DATA = np.random.default_rng(0).random((100, 2, 3))
LABELS = np.tile(np.random.default_rng(1).permutation(50), 2)


@pytest.fixture(scope="module")
def pairs(core):
    return core.TensorDataset(DATA, LABELS)


# In order


def assert_in_order(loader, size):
    count = 0
    for images, labels in loader:
        rows = slice(count, count + (size or 1))
        assert np.array_equal(np.reshape(images.data, DATA[rows].shape), DATA[rows])
        assert np.reshape(labels.data, -1).tolist() == LABELS[rows].tolist()
        count += size or 1
    assert count == 100


@every_way
@pytest.mark.parametrize("size", [None, 1, 2, 20])
def test_in_order_batches_are_the_rows_one_after_the_other(pairs, make, settings, size):
    assert_in_order(make(pairs, bs=size, **settings), size)


@pytest.mark.parametrize("size", [1, 2, 20])
def test_in_order_module_08_gives_the_rows_one_after_the_other(pairs, core, size):
    assert_in_order(core.DataLoader(pairs, batch_size=size), size)


@every_way
@pytest.mark.parametrize("size", [1, 8, 16, 64])
def test_batches_come_in_order_however_the_workers_take_turns(make, settings, size):
    want = [list(range(start, start + size)) for start in range(0, 128, size)]
    assert numbers(make(Counting(128), bs=size, **settings)) == want


# Shuffled


def assert_shuffled(loader):
    seen = collections.Counter()
    for images, labels in loader:
        for image, label in zip(
            np.reshape(images.data, (-1, 2, 3)), np.reshape(labels.data, -1), strict=True
        ):
            (index,) = np.flatnonzero((image == DATA).all(axis=(1, 2)))
            assert label == LABELS[index]
            seen[int(index)] += 1
    assert seen == dict.fromkeys(range(100), 1)


@every_way
@pytest.mark.parametrize("size", [None, 1, 2])
def test_shuffled_batches_hold_every_row_once_with_its_label(pairs, make, settings, size):
    assert_shuffled(make(pairs, bs=size, shuffle=True, **settings))


def test_shuffled_module_08_gives_every_row_once_with_its_label(pairs, core):
    assert_shuffled(core.DataLoader(pairs, batch_size=2, shuffle=True))


@every_way
def test_a_seed_repeats_a_shuffle(pairs, make, settings):
    one, other = (make(Counting(100), bs=7, shuffle=True, seed=42, **settings) for _ in range(2))
    assert [numbers(one), numbers(one)] == [numbers(other), numbers(other)]


def test_a_pipeline_s_shuffle_has_another_order_each_epoch_and_a_seed_repeats_them(references):
    def epochs(buffer, workers, seed):
        columns = ColumnDataset({"x": np.arange(100)})
        steps = references("08c").module.pipeline(columns, seed=seed).shuffle(buffer_size=buffer)
        with steps.batch(10).numpy(num_workers=workers) as loader:
            return [[x for batch in loader for x in batch["x"].tolist()] for _ in range(2)]

    for buffer, workers in itertools.product((5, 33), (0, 2)):
        first, second = epochs(buffer, workers, 123)
        assert sorted(first) == sorted(second) == list(range(100)) and first != second
        assert epochs(buffer, workers, 123) == [first, second]
        assert epochs(buffer, workers, 321)[0] != first


# Lengths


@pytest.mark.parametrize("size, batches", [(2, 50), (3, 34)])
def test_a_loader_is_as_long_as_it_says(pairs, core, make, size, batches):
    for loader in (core.DataLoader(pairs, batch_size=size), make(pairs, bs=size)):
        assert len(loader) == batches == len(list(loader))


def test_a_dataset_that_grows_makes_module_08_s_loader_longer(core):
    data = [np.ones(4) for _ in range(4)]
    loaders = [core.DataLoader(data, 1), core.DataLoader(data, 1, shuffle=True)]
    data.append(np.ones(4))
    assert [len(loader) for loader in loaders] == [5, 5]
    assert [len(list(loader)) for loader in loaders] == [5, 5]


@pytest.mark.parametrize("size, kept, dropped", [(1, 10, 10), (2, 5, 5), (3, 4, 3)])
def test_the_length_of_a_stream_that_knows_it(lab, make, size, kept, dropped):
    class Known(lab.IterableDataset):
        def __iter__(self):
            return iter(range(10))

        def __len__(self):
            return 10

    for drop_last, batches in ((False, kept), (True, dropped)):
        loader = make(Known(), bs=size, drop_last=drop_last)
        assert len(loader) == batches == len(list(loader))


@pytest.mark.parametrize("kind", [list, tuple])
@pytest.mark.parametrize("settings", SETTINGS[:2])
def test_a_loader_becomes_a_list_or_a_tuple(lab, make, kind, settings):
    class Stream(lab.IterableDataset):
        def __iter__(self):
            return iter(range(20))

    for data in (Counting(20), Stream()):
        assert kind(make(data, bs=None, **settings)) == kind(range(20))
        batches = kind(make(data, bs=2, **settings))
        assert isinstance(batches, kind)
        assert numbers(batches) == [[n, n + 1] for n in range(0, 20, 2)]


# Streams


@pytest.mark.parametrize("settings", SETTINGS[:3])
@pytest.mark.parametrize("drop_last", [False, True])
def test_a_stream_is_cut_into_batches_and_gives_each_item_once(lab, make, settings, drop_last):
    class Stream(lab.IterableDataset):
        def __iter__(self):
            return iter(range(20))

    loader = make(Stream(), bs=7, drop_last=drop_last, **settings)
    want = [list(range(7)), list(range(7, 14)), list(range(14, 20))]
    for _ in range(2):
        assert numbers(loader) == (want[:2] if drop_last else want)
    items = list(make(Stream(), bs=None, **settings))
    assert items == list(range(20)) and all(type(item) is int for item in items)


@pytest.mark.parametrize("settings", SETTINGS[:3])
def test_streams_one_after_the_other_are_one_stream(lab, make, settings):
    class Stream(lab.IterableDataset):
        def __iter__(self):
            return itertools.chain(range(20), range(15))

    assert [n for batch in numbers(make(Stream(), bs=1, **settings)) for n in batch] == [
        *range(20),
        *range(15),
    ]


def test_a_stream_that_fails_to_begin_says_why(lab, make):
    class Broken(lab.IterableDataset):
        def __iter__(self):
            raise RuntimeError("Error in __iter__")

    for settings in SETTINGS[:3]:
        with pytest.raises(RuntimeError, match="Error in __iter__"):
            list(make(Broken(), bs=1, **settings))


# Errors


@every_way
def test_an_item_s_error_is_raised_as_it_is_and_ends_the_epoch(make, settings):
    """In PyTorch the loop may go on after an error. A loader that is left is never half a batch
    behind; an item that cannot be read is left out with SkipItemException.
    """

    class Broken(list):
        def __getitem__(self, index):
            raise NotImplementedError(f"item {index}")

    batches = iter(make(Broken(range(41)), bs=2, shuffle=True, **settings))
    with pytest.raises(NotImplementedError, match=r"item \d"):
        next(batches)
    assert next(batches, "the end") == "the end"


@every_way
def test_items_that_cannot_be_read_are_left_out_and_the_epoch_goes_on(lab, make, settings):
    class Broken(list):
        def __getitem__(self, index):
            if index % 2:
                raise lab.SkipItemException
            return index

    assert numbers(make(Broken(range(10)), bs=2, **settings)) == [[0, 2], [4, 6], [8]]


@pytest.mark.parametrize(
    "arguments, says",
    [
        ({"num_workers": -1}, "num_workers must be an integer of 0 or more"),
        ({"timeout": -1}, "timeout is in seconds, 0"),
        ({"bs": None, "drop_last": True}, "drop_last needs bs"),
        ({"bs": 11, "sampler": [0], "shuffle": True}, "a sampler decides the order"),
        ({"batch_sampler": [[0]], "sampler": [0]}, "a batch_sampler decides the batches"),
        ({"batch_sampler": [[0]], "bs": 11}, "a batch_sampler decides the batches"),
        ({"batch_sampler": [[0]], "shuffle": True}, "a sampler decides the order"),
        ({"batch_sampler": [[0]], "drop_last": True}, "a batch_sampler decides the batches"),
        ({"bs": 0}, "bs must be an integer of 1 or more"),
    ],
)
def test_arguments_that_contradict_each_other_are_refused_at_once(lab, arguments, says):
    with pytest.raises(ValueError, match=says):
        lab.DataLoader(Counting(20), **arguments)


@pytest.mark.parametrize(
    "arguments", [{"shuffle": True}, {"sampler": [0]}, {"batch_sampler": [[0]]}]
)
def test_a_stream_takes_no_order(lab, arguments):
    with pytest.raises(ValueError, match="stream"):
        lab.DataLoader((n for n in range(20)), **arguments)


@pytest.mark.parametrize("size", [0, -1, 2.5, True, None])
def test_module_08_refuses_what_is_no_batch_size(core, size):
    with pytest.raises(ValueError, match="batch_size must be an integer of 1 or more"):
        core.DataLoader(Counting(20), batch_size=size)


# What belongs to the user


def test_the_global_generators_are_left_alone(core, make):
    before = global_generators()
    list(make(Counting(20), bs=2, shuffle=True))
    list(core.DataLoader(Counting(20), 2, shuffle=True))
    assert global_generators() == before

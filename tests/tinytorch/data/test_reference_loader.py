"""The parts of notebook 08 that are given, not exercises: reading ahead, batch transforms, streams,
datasets made of datasets.
"""

import threading

import pytest
from claims import prove, refusals, refused, rows
from hypothesis import given, settings
from hypothesis import strategies as st
from peers_kit import global_generators, numbers

from helpers.patience import PATIENCE_SECONDS
from tinytorch.core.rng import EpochKey

LAW = settings(max_examples=40)


class Reading(list):
    """Samples 0, 1, ...; `told` is called with the number of each that is read."""

    def __init__(self, count, told):
        super().__init__(range(count))
        self.told = told

    def __getitem__(self, index):
        self.told(index)
        return index


# Reading ahead


@LAW
@given(
    count=st.integers(0, 40),
    batch_size=st.integers(1, 9),
    depth=st.integers(0, 4),
    streamed=st.booleans(),
    shuffle=st.booleans(),
    drop_last=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
def test_neither_reading_ahead_nor_a_stream_changes_a_batch(
    core, count, batch_size, depth, streamed, shuffle, drop_last, seed
):
    given_ = {"shuffle": shuffle and not streamed, "drop_last": drop_last, "seed": seed}
    stream = stream_of(core, count)
    type(stream).__len__ = lambda self: count
    data = stream if streamed else range(count)
    plain = core.DataLoader(range(count), batch_size, **given_)
    other = core.DataLoader(data, batch_size, **given_, prefetch=depth)
    for _ in range(2):
        assert numbers(other) == numbers(plain)
    assert len(other) == len(plain)


@pytest.mark.parametrize("depth", [1, 3])
def test_reading_ahead_holds_the_batch_in_use_and_as_many_as_were_asked_for(
    core, depth, own_threads
):
    reads, reached = [], threading.Event()

    def note(index):
        reads.append(index)
        if index == 5:
            reached.set()

    batches = iter(core.DataLoader(Reading(100, note), batch_size=5, prefetch=depth))
    assert reads == []
    next(batches)
    # the second batch is not asked for yet; a reader that waits for a request would not get here
    assert reached.wait(PATIENCE_SECONDS)
    for used in range(2, 6):
        next(batches)
        assert len(reads) <= 5 * (used + depth)
    batches.close()
    assert len(reads) <= 5 * (5 + depth)  # close waits for the reader, so this count is final
    assert own_threads and not any(thread.is_alive() for thread in own_threads)


def test_an_error_while_reading_ahead_comes_out_where_the_batch_was_due(core):
    def broken(index):
        if index == 4:
            raise OSError("sample 4 is damaged")

    batches = iter(core.DataLoader(Reading(6, broken), batch_size=2, prefetch=1))
    assert numbers([next(batches), next(batches)]) == [[0, 1], [2, 3]]
    with pytest.raises(OSError, match="sample 4"):
        next(batches)


# Transforms


def test_a_dataset_inside_a_subset_gets_the_generator_of_the_loaders_sample(core):
    class Draws(list):
        def sample_with(self, index, rng):
            return rng.random()

    inner = Draws(range(4))
    both = core.ConcatDataset([core.Subset(inner, [3, 1]), inner])
    (drawn,) = core.DataLoader(both, batch_size=6, seed=9)
    wanted = [EpochKey.of(9, 0).generator(index).random() for index in range(6)]
    assert drawn.data.tolist() == wanted


# Datasets made of datasets


@LAW
@given(lengths=st.lists(st.integers(0, 6), max_size=5))
def test_a_concatenation_is_its_parts_one_after_the_other(core, lengths):
    parts = [[(k, i) for i in range(length)] for k, length in enumerate(lengths)]
    whole = core.ConcatDataset(parts)
    assert [whole[i] for i in range(len(whole))] == [sample for part in parts for sample in part]
    for index in (-1, len(whole)):
        says = f"Index {index} out of range for dataset of size {len(whole)}"
        prove("whole[index]", refused(IndexError, says), {"whole": whole, "index": index})


@LAW
@given(lengths=st.lists(st.integers(0, 9), min_size=1, max_size=4), seed=st.integers(0, 2**32 - 1))
def test_a_random_split_gives_each_sample_to_one_part(core, lengths, seed):
    before = global_generators()
    parts, again = (core.random_split(range(sum(lengths)), lengths, seed=seed) for _ in range(2))
    assert global_generators() == before
    assert [len(part) for part in parts] == lengths
    assert sorted(part[i] for part in parts for i in range(len(part))) == list(range(sum(lengths)))
    assert [part.indices for part in parts] == [part.indices for part in again]


ONE = "0 or more and add up to 1, got"
TEN = "add up to the 10 samples of the dataset, got"
REFUSED = {
    "random_split(range(10), [0.5, 0.4])": f"{ONE} [0.5, 0.4] = 0.9",
    "random_split(range(10), [1.5, -0.5])": f"{ONE} [1.5, -0.5] = 1",
    "random_split(range(10), [1])": f"{TEN} [1] = 1",
    # what needs a length
    "DataLoader(stream, shuffle=True)": "shuffle=True needs a dataset with a length, and Numbers",
    "len(DataLoader(stream))": "Numbers is an IterableDataset: the number of its batches",
    "DataLoader(stream, 0)": "batch_size must be an integer of 1 or more, got 0",
    "IterableDataset()": "abstract",
}
RIGHT = {
    # printed by torch 2.13's random_split(range(n), fractions)
    "[len(part) for part in random_split(range(11), [0.5, 0.3, 0.2])]": [6, 3, 2],
    "[len(part) for part in random_split(range(106), [0.1, 0.2, 0.3, 0.4])]": [11, 22, 31, 42],
    # the names and defaults of TinyTorch's page
    "DataLoader([])._collate_batch([(1.0, 1), (2.0, 2)])": ([1, 2], [1, 2]),
    "[one.default for one in signature(CIFAR10Dataset).parameters.values()][:3]": [
        *("./data", True, True)
    ],
}


@rows(refusals((ValueError, TypeError), REFUSED), RIGHT)
def test_parts_and_streams_that_cannot_be_are_refused_with_the_reason(core, code, want):
    prove(code, want, {**vars(core), "stream": stream_of(core, 5)})


def test_a_cached_dataset_reads_each_sample_once(core):
    reads = []
    cached = core.CachedDataset(Reading(3, reads.append))
    assert [cached[i] for i in (2, 0, 2, 0)] == [2, 0, 2, 0] and reads == [2, 0]
    assert len(cached) == 3


# Streams


def stream_of(core, count, log=None):
    """An IterableDataset of 0, 1, ...; `log` gets each sample that is read."""

    class Numbers(core.IterableDataset):
        def __iter__(self):
            for number in range(count):
                if log is not None:
                    log.append(number)
                yield number

    return Numbers()


def test_batches_of_a_stream_are_read_collated_and_transformed_like_others(core):
    seen, read = [], []

    def note(batch, key, indices):
        seen.append((key, indices.tolist()))
        return batch

    stream = stream_of(core, 5, read)
    loader = core.DataLoader(stream, 2, seed=3, collate_fn=tuple, batch_transform=note)
    first = iter(loader)
    assert read == [] and next(first) == (0, 1) and read == [0, 1]
    assert list(first) == [(2, 3), (4,)]
    assert seen == [(EpochKey.of(3, 0), piece) for piece in ([0, 1], [2, 3], [4])]
    list(loader)
    assert seen[3][0] == EpochKey.of(3, 1)

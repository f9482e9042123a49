"""The parts of the notebook that are given, not exercises: reading ahead, batch transforms,
datasets made of datasets.
"""

import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from patience import PATIENCE_SECONDS

from tinytorch.core.rng import EpochKey
from tinytorch.core.tensor import Tensor
from tinytorch.testing import ReadLog

LAW = settings(max_examples=40)


@pytest.fixture(scope="module")
def dl(reference_package):
    return reference_package.module


def flat(batches) -> list:
    return [np.asarray(batch.data).tolist() for batch in batches]


@LAW
@given(
    count=st.integers(0, 40),
    batch_size=st.integers(1, 9),
    depth=st.integers(1, 4),
    shuffle=st.booleans(),
    drop_last=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
def test_reading_ahead_changes_no_batch(dl, count, batch_size, depth, shuffle, drop_last, seed):
    settings_ = {"batch_size": batch_size, "shuffle": shuffle, "drop_last": drop_last, "seed": seed}
    plain, ahead = (
        dl.DataLoader(range(count), **settings_),
        dl.DataLoader(range(count), prefetch=depth, **settings_),
    )
    for _ in range(2):
        assert flat(plain) == flat(ahead)


@pytest.mark.parametrize("depth", [1, 3])
def test_reading_ahead_holds_the_batch_in_use_and_as_many_as_were_asked_for(dl, depth):
    log = ReadLog(range(100))
    batches = iter(dl.DataLoader(log, batch_size=5, prefetch=depth))
    assert log.reads == []
    for used in range(1, 6):
        next(batches)
        assert len(log.reads) <= 5 * (used + depth)
    batches.close()
    assert len(log.reads) <= 5 * (5 + depth)  # close waits for the reader, so this count is final


def test_the_next_batch_is_read_while_you_work_on_this_one(dl):
    reached = threading.Event()

    class Watched:
        def __len__(self):
            return 4

        def __getitem__(self, index):
            if index == 2:
                reached.set()
            return index

    batches = iter(dl.DataLoader(Watched(), batch_size=2, prefetch=1))
    next(batches)
    # the second batch is never asked for; a reader that waits for a request would not get here
    assert reached.wait(PATIENCE_SECONDS)
    batches.close()


def test_a_loop_left_early_leaves_no_thread(dl, own_threads):
    for _ in dl.DataLoader(range(100), batch_size=2, prefetch=2):
        break
    import gc

    gc.collect()
    assert own_threads and not any(thread.is_alive() for thread in own_threads)


def test_an_error_while_reading_ahead_comes_out_where_the_batch_was_due(dl):
    class Broken:
        def __len__(self):
            return 6

        def __getitem__(self, index):
            if index == 4:
                raise OSError("sample 4 is damaged")
            return index

    batches = iter(dl.DataLoader(Broken(), batch_size=2, prefetch=1))
    assert flat([next(batches), next(batches)]) == [[0, 1], [2, 3]]
    with pytest.raises(OSError, match="sample 4"):
        next(batches)


def test_a_negative_prefetch_is_refused_with_the_value(dl):
    with pytest.raises(ValueError, match="-1"):
        dl.DataLoader([1], prefetch=-1)


class Images:
    """Random images with a transform that gets its sample's Generator."""

    def __init__(self, images, transform=None):
        self.images, self.transform = images, transform

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return self.sample_with(index, np.random.default_rng())

    def sample_with(self, index, rng):
        image = Tensor(self.images[index])
        return image if self.transform is None else self.transform(image, rng=rng)


@LAW
@given(
    count=st.integers(1, 12),
    height=st.integers(1, 5),
    width=st.integers(1, 5),
    padding=st.integers(0, 3),
    p=st.sampled_from([0.0, 0.3, 1.0]),
    batch_size=st.integers(1, 5),
    seed=st.integers(0, 2**32 - 1),
    pixels=st.integers(0, 2**32),
)
def test_augmenting_a_batch_gives_the_images_of_augmenting_each_sample(
    dl, count, height, width, padding, p, batch_size, seed, pixels
):
    images = np.random.default_rng(pixels).integers(
        0, 256, (count, 3, height, width), dtype=np.uint8
    )
    each = dl.Compose([dl.RandomHorizontalFlip(p), dl.RandomCrop((height, width), padding)])
    by_sample = dl.DataLoader(Images(images, each), batch_size=batch_size, shuffle=True, seed=seed)
    by_batch = dl.DataLoader(
        Images(images),
        batch_size=batch_size,
        shuffle=True,
        seed=seed,
        batch_transform=dl.BatchAugment(p, padding),
    )
    for _ in range(2):
        for one, other in zip(by_sample, by_batch, strict=True):
            assert one.dtype == other.dtype == np.uint8
            np.testing.assert_array_equal(one.data, other.data)


def test_a_batch_transform_without_a_key_gets_the_batch_alone(dl):
    doubled = dl.DataLoader(
        [1, 2, 3], batch_size=2, batch_transform=lambda batch: Tensor(batch.data * 2)
    )
    assert flat(doubled) == [[2, 4], [6]]


def test_a_dataset_inside_a_subset_gets_the_generator_of_the_loaders_sample(dl):
    draws = []
    images = Images(
        np.zeros((4, 1, 1, 1), np.uint8), lambda image, rng: draws.append(rng.random()) or image
    )
    both = dl.ConcatDataset([dl.Subset(images, [3, 1]), images])
    list(dl.DataLoader(both, batch_size=4, seed=9))
    assert draws == [EpochKey.of(9, 0).generator(index).random() for index in range(6)]


@LAW
@given(lengths=st.lists(st.integers(0, 6), max_size=5))
def test_a_concatenation_is_its_parts_one_after_the_other(dl, lengths):
    parts = [[(k, i) for i in range(length)] for k, length in enumerate(lengths)]
    whole = dl.ConcatDataset(parts)
    assert [whole[i] for i in range(len(whole))] == [sample for part in parts for sample in part]
    for index in (-1, len(whole)):
        with pytest.raises(
            IndexError, match=f"Index {index} out of range for dataset of size {len(whole)}"
        ):
            whole[index]


@LAW
@given(lengths=st.lists(st.integers(0, 9), min_size=1, max_size=4), seed=st.integers(0, 2**32 - 1))
def test_a_random_split_gives_each_sample_to_one_part(dl, lengths, seed):
    parts = dl.random_split(range(sum(lengths)), lengths, seed=seed)
    assert [len(part) for part in parts] == lengths
    assert sorted(part[i] for part in parts for i in range(len(part))) == list(range(sum(lengths)))
    again = dl.random_split(range(sum(lengths)), lengths, seed=seed)
    assert [part.indices for part in parts] == [part.indices for part in again]


def test_a_split_that_does_not_add_up_is_refused_with_the_numbers(dl):
    with pytest.raises(ValueError, match=r"10 samples.*9"):
        dl.random_split(range(10), [4, 5])


@LAW
@given(
    weights=st.lists(st.integers(0, 20), min_size=1, max_size=5).filter(any),
    count=st.integers(0, 99),
)
def test_fractions_are_rounded_down_and_the_first_parts_get_the_rest(dl, weights, count):
    fractions = [weight / sum(weights) for weight in weights]
    parts = dl.random_split(range(count), fractions, seed=0)
    down = [int(fraction * count) for fraction in fractions]
    rest = count - sum(down)
    assert [len(part) for part in parts] == [
        length + (place < rest) for place, length in enumerate(down)
    ]
    assert sorted(sample for part in parts for sample in part) == list(range(count))


# Printed by torch 2.13: [len(part) for part in torch.utils.data.random_split(range(n), fractions)]
PYTORCHS_LENGTHS = (
    (10, [0.8, 0.2], [8, 2]),
    (11, [0.5, 0.3, 0.2], [6, 3, 2]),
    (3, [0.25, 0.25, 0.25, 0.25], [1, 1, 1, 0]),
    (1797, [0.8, 0.1, 0.1], [1438, 180, 179]),
    (100, [0.29, 0.71], [29, 71]),
    (7, [1.0], [7]),
    (10, [0.7, 0.2, 0.1], [7, 2, 1]),
)


@pytest.mark.parametrize(("count", "fractions", "lengths"), PYTORCHS_LENGTHS)
def test_fractions_give_the_lengths_of_pytorch(dl, count, fractions, lengths):
    parts = dl.random_split(range(count), fractions)
    assert [len(part) for part in parts] == lengths


@pytest.mark.parametrize(
    ("lengths", "says"),
    [
        ([0.5, 0.4], r"0 or more and add up to 1, got \[0.5, 0.4\] = 0.9"),
        ([1.5, -0.5], r"0 or more and add up to 1, got \[1.5, -0.5\] = 1"),
        ([12, -2], r"0 or more and add up to the 10 samples of the dataset, got \[12, -2\] = 10"),
        ([1], r"add up to the 10 samples of the dataset, got \[1\] = 1"),
    ],
)
def test_parts_that_cannot_be_are_refused_with_the_numbers(dl, lengths, says):
    with pytest.raises(ValueError, match=says):
        dl.random_split(range(10), lengths)


def test_a_cached_dataset_reads_each_sample_once(dl):
    log = ReadLog("abc")
    cached = dl.CachedDataset(log)
    assert [cached[i] for i in (2, 0, 2, 0)] == ["c", "a", "c", "a"] and log.reads == [2, 0]


def stream_of(dl, count, log=None):
    """An IterableDataset of 0, 1, ...; `log` gets each sample that is read."""

    class Numbers(dl.IterableDataset):
        def __iter__(self):
            for number in range(count):
                if log is not None:
                    log.append(number)
                yield number

    return Numbers()


@LAW
@given(
    count=st.integers(0, 20),
    batch_size=st.integers(1, 6),
    drop_last=st.booleans(),
    prefetch=st.integers(0, 2),
)
def test_a_stream_has_the_batches_of_a_list(dl, count, batch_size, drop_last, prefetch):
    settings_ = {"batch_size": batch_size, "drop_last": drop_last, "prefetch": prefetch}
    stream = dl.DataLoader(stream_of(dl, count), **settings_)
    of_list = dl.DataLoader(range(count), **settings_)
    for _ in range(2):
        assert flat(stream) == flat(of_list)


def test_a_stream_is_read_a_batch_at_a_time_and_may_be_endless(dl):
    read = []
    batches = iter(dl.DataLoader(stream_of(dl, 10**12, read), batch_size=4))
    assert read == []
    next(batches)
    assert read == [0, 1, 2, 3]
    next(batches)
    assert read == list(range(8))


def test_batches_of_a_stream_are_collated_and_transformed_like_others(dl):
    seen = []

    def note(batch, key, indices):
        seen.append((key, indices.tolist()))
        return batch

    loader = dl.DataLoader(stream_of(dl, 5), 2, seed=3, collate_fn=tuple, batch_transform=note)
    assert list(loader) == [(0, 1), (2, 3), (4,)]
    assert seen == [(EpochKey.of(3, 0), piece) for piece in ([0, 1], [2, 3], [4])]
    list(loader)
    assert seen[3][0] == EpochKey.of(3, 1)


def test_what_needs_a_length_is_refused_for_a_stream_with_the_reason(dl):
    with pytest.raises(ValueError, match=r"shuffle=True needs a dataset with a length, .*Numbers"):
        dl.DataLoader(stream_of(dl, 5), shuffle=True)
    with pytest.raises(
        TypeError, match=r"Numbers is an IterableDataset: the number of its batches"
    ):
        len(dl.DataLoader(stream_of(dl, 5)))
    with pytest.raises(ValueError, match="batch_size must be an integer of 1 or more, got 0"):
        dl.DataLoader(stream_of(dl, 5), 0)
    with pytest.raises(TypeError, match="abstract"):
        dl.IterableDataset()


@settings(max_examples=25)
@given(st.integers(0, 9), st.integers(1, 4), st.booleans())
def test_a_stream_that_knows_its_length_has_a_length_in_batches(dl, count, batch_size, drop_last):
    class Sized(type(stream_of(dl, count))):
        def __len__(self):
            return count

    stream = dl.DataLoader(Sized(), batch_size=batch_size, drop_last=drop_last)
    assert len(stream) == len(dl.DataLoader(range(count), batch_size, drop_last=drop_last))
    assert len(stream) == len(list(stream))


def test_a_class_of_ones_own_reads_a_stream_with_what_it_adds(dl):
    class Doubling(dl.DataLoader):
        def doubled(self):
            return [2 * number for batch in flat(self) for number in batch]

    loader = Doubling(stream_of(dl, 3), batch_size=2)
    assert isinstance(loader, Doubling) and isinstance(loader, dl.StreamLoader)
    assert loader.doubled() == [0, 2, 4]


def test_an_error_in_a_stream_reaches_the_loop_as_it_is(dl):
    class Broken(dl.IterableDataset):
        def __iter__(self):
            yield 1
            raise AttributeError("no such file")

    with pytest.raises(AttributeError, match=r"^no such file$"):
        list(dl.DataLoader(Broken(), 2))


def test_a_transform_is_asked_for_its_parameters_without_a_slow_look_up(dl, monkeypatch):
    class Noise:
        def __call__(self, image, rng=None):
            return image

        def method(self, image, *, rng):
            return image

        def plain(self, image):
            return image

    def never(function):
        raise AssertionError(f"{function} was looked up")

    monkeypatch.setattr(dl, "signature", never)
    for function in (Noise(), Noise().method, Noise.method, lambda image, rng: image):
        assert dl.accepts(function, "rng")
    for function in (Noise().plain, lambda image: image):
        assert not dl.accepts(function, "rng")

"""Laws of range reads: a loader is a sequence, a slice is a part of it, and a cache changes only
which files are read.
"""

import itertools
from collections import Counter, OrderedDict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tinytorch.datasets import write_batch

quick = settings(max_examples=50)


@pytest.fixture(scope="module")
def lab(references):
    return references("08a").module


@pytest.fixture(scope="module")
def dataloader(references):
    return references("08").module


@pytest.fixture(scope="module")
def disk(tmp_path_factory):
    """`disk(files, file_length)` returns the paths of `files` files and their records one after the
    other. They are written once for each size.
    """
    made = {}

    def give(num_files, file_length):
        if (num_files, file_length) not in made:
            folder = tmp_path_factory.mktemp("files")
            rng = np.random.default_rng([num_files, file_length])
            images, labels = (
                rng.integers(0, 256, (num_files * file_length, 3072), dtype=np.uint8),
                rng.integers(0, 10, num_files * file_length),
            )
            paths = [folder / f"data_batch_{number}" for number in range(num_files)]
            for number, path in enumerate(paths):
                part = slice(number * file_length, (number + 1) * file_length)
                write_batch(path, images[part], labels[part])
            made[num_files, file_length] = paths, images, labels
        return made[num_files, file_length]

    return give


sizes = st.tuples(st.integers(1, 4), st.integers(1, 5))  # (files, records in each)


def ranges(length):
    return st.tuples(st.integers(0, length), st.integers(0, length)).map(sorted)


@quick
@given(sizes, st.integers(1, 3), st.data())
def test_any_range_is_that_slice_of_the_files_joined(lab, disk, size, slots, data):
    paths, images, labels = disk(*size)
    loader = lab.CIFAR10BatchLoader(paths, size[1], cache_size=slots)
    assert len(loader) == len(labels)
    for start, end in data.draw(st.lists(ranges(len(loader)), min_size=1, max_size=6)):
        batch = loader.get_batch(start, end)
        assert np.array_equal(batch.inputs["input"], images[start:end]) and np.array_equal(
            batch.outputs["output"], labels[start:end]
        )
        assert (
            batch.inputs["input"].shape == (end - start, 3072)
            and batch.inputs["input"].dtype == np.uint8
            and batch.outputs["output"].dtype == np.int64
        )


@quick
@given(st.integers(0, 12), st.data())
def test_a_slice_of_slices_is_one_slice(lab, length, data):
    records = np.arange(length)
    loader, first, last = lab.ArrayBatchLoader(records * 2, records), 0, length
    for _ in range(data.draw(st.integers(1, 4))):
        start, end = data.draw(ranges(last - first))
        loader, first, last = (
            lab.SliceBatchLoader(loader, start, end - start),
            first + start,
            first + end,
        )
    assert len(loader) == last - first
    start, end = data.draw(ranges(len(loader)))
    assert loader.get_batch(start, end).outputs["output"].tolist() == list(
        range(first + start, first + end)
    )
    with pytest.raises(IndexError):
        loader.get_batch(0, len(loader) + 1)


@quick
@given(st.integers(1, 30), st.integers(1, 8), st.data())
def test_pieces_of_files_join_to_the_range(lab, length, file_length, data):
    start, end = data.draw(ranges(length))
    pieces = lab.file_ranges(start, end, file_length)
    assert [
        file * file_length + place for file, first, last in pieces for place in range(first, last)
    ] == list(range(start, end))
    assert all(0 <= first < last <= file_length for _, first, last in pieces) and len(
        {file for file, _, _ in pieces}
    ) == len(pieces)


@quick
@given(st.lists(st.integers(0, 5), max_size=40), st.integers(1, 4))
def test_the_cache_is_least_recently_used(lab, asked, slots):
    read, model = [], OrderedDict()
    cache = lab.FileCache(lambda key: read.append(key) or key * 10, slots)
    expected = []
    for key in asked:
        if key in model:
            model.move_to_end(key)
        else:
            expected.append(key)
            while len(model) >= slots:
                model.popitem(last=False)
            model[key] = True
        assert cache.get(key) == key * 10 and tuple(cache.resident) == tuple(model)
    assert read == expected and (cache.loads, cache.hits) == (
        len(expected),
        len(asked) - len(expected),
    )


@quick
@given(st.lists(st.integers(0, 4), max_size=30), st.integers(1, 3), st.integers(0, 4))
def test_a_load_that_fails_leaves_the_cache_right(lab, asked, slots, broken):
    def load(key):
        if key == broken:
            raise OSError("no such file")
        return key

    cache = lab.FileCache(load, slots)
    for key in asked:
        if key == broken:
            with pytest.raises(OSError, match="no such file"):
                cache.get(key)
        else:
            assert cache.get(key) == key
    assert len(cache.resident) <= slots and broken not in cache.resident


@quick
@given(sizes, st.integers(1, 4), st.integers(1, 7), st.randoms(use_true_random=False))
def test_counted_file_loads_are_those_of_a_real_loader(lab, disk, size, slots, batch_size, random):
    paths, _, labels = disk(*size)
    order = list(range(len(labels)))
    random.shuffle(order)
    dataset = lab.BatchLoaderDataset(lab.CIFAR10BatchLoader(paths, size[1], cache_size=slots))
    for first in range(0, len(order), batch_size):
        dataset.__getitems__(order[first : first + batch_size])
    assert lab.count_file_loads(order, size[1], batch_size, slots) == dataset.loader.cache.loads


@quick
@given(st.sets(st.integers(0, 40), max_size=20))
def test_runs_are_the_fewest_ranges_that_hold_the_indices(lab, indices):
    indices = sorted(indices)
    runs = lab.index_runs(np.array(indices, dtype=np.int64))
    assert [index for start, end in runs for index in range(start, end)] == indices
    assert all(end < start for (_, end), (start, _) in itertools.pairwise(runs))


@quick
@given(sizes, st.lists(st.integers(0, 100), max_size=12))
def test_a_batch_of_any_indices_is_their_records_in_the_order_asked(lab, disk, size, wanted):
    paths, images, labels = disk(*size)
    indices = [index % len(labels) for index in wanted]
    dataset = lab.BatchLoaderDataset(lab.CIFAR10BatchLoader(paths, size[1]))
    inputs, outputs = dataset.__getitems__(indices)
    assert (
        np.array_equal(inputs.data, images[indices])
        and np.array_equal(outputs.data, labels[indices])
        and inputs.data.dtype == np.uint8
    )
    for index in indices[:3]:
        image, label = dataset[index]
        assert np.array_equal(image.data, images[index]) and label.data == labels[index]


@quick
@given(st.integers(1, 12), st.lists(st.integers(0, 100), max_size=12), st.data())
def test_arrays_are_gathered_at_once_like_records_that_are_read_in_ranges(
    lab, length, wanted, data
):
    """A subclass may change its records in get_batch, so it is read in ranges."""
    asked = []

    class Arrays(lab.ArrayBatchLoader):
        def get_batch(self, start, end):
            asked.append((start, end))
            return super().get_batch(start, end)

    arrays = {"image": np.arange(3 * length).reshape(length, 3), "hour": np.arange(length) / 4}
    start, end = data.draw(ranges(length).filter(lambda pair: pair[0] < pair[1]))
    indices = [index % (end - start) for index in wanted]
    read = {}
    for kind in (lab.ArrayBatchLoader, Arrays):
        part = lab.SliceBatchLoader(kind(arrays, np.arange(length)), start, end - start)
        dataset = lab.BatchLoaderDataset(part)
        inputs, outputs = dataset.__getitems__(indices)
        read[kind] = inputs["image"].data, inputs["hour"].data, outputs.data
        for bad in (-1, end - start):
            with pytest.raises(IndexError, match=f"Index {bad} .* of size {end - start}"):
                dataset.__getitems__([*indices, bad])
    for gathered, ranged in zip(*read.values(), strict=True):
        assert np.array_equal(gathered, ranged) and gathered.dtype == ranged.dtype
    assert not np.shares_memory(gathered, part.loader.outputs["output"])
    assert asked == [
        (start + first, start + last)
        for first, last in lab.index_runs(np.unique(indices)) or [(0, 0)]
    ]


@pytest.mark.parametrize("sliced", [False, True])
def test_arrays_in_memory_are_asked_once_for_a_batch_in_any_order(lab, sliced):
    loader, asked = lab.ArrayBatchLoader(np.arange(100), np.arange(100)), []
    part = lab.SliceBatchLoader(lab.SliceBatchLoader(loader, 10, 80), 5, 60) if sliced else loader
    get_batch = loader.get_batch
    loader.get_batch = lambda start, end: (asked.append((start, end)), get_batch(start, end))[1]
    lab.BatchLoaderDataset(part).__getitems__([50, 3, 7, 3])
    assert len(asked) == 1


@quick
@given(sizes, st.integers(1, 7), st.booleans(), st.booleans(), st.integers(0, 3))
def test_module_08s_loader_gives_every_record_once(
    lab, dataloader, disk, size, batch_size, shuffle, drop_last, seed
):
    paths, images, labels = disk(*size)
    dataset = lab.BatchLoaderDataset(lab.CIFAR10BatchLoader(paths, size[1], cache_size=2))
    loader = dataloader.DataLoader(dataset, batch_size, shuffle, drop_last, seed=seed)
    plain = dataloader.DataLoader(
        dataloader.TensorDataset(images, labels), batch_size, shuffle, drop_last, seed=seed
    )
    seen = Counter()
    for (inputs, outputs), (same_inputs, same_outputs) in zip(loader, plain, strict=True):
        assert np.array_equal(inputs.data, same_inputs.data) and np.array_equal(
            outputs.data, same_outputs.data
        )
        seen.update(
            (image.tobytes(), int(label))
            for image, label in zip(inputs.data, outputs.data, strict=True)
        )
    everything = Counter(
        (image.tobytes(), int(label)) for image, label in zip(images, labels, strict=True)
    )
    assert seen <= everything and (drop_last or seen == everything)


@quick
@given(st.integers(0, 30), st.integers(1, 7), st.integers(0, 5), st.integers(0, 2))
def test_shuffled_within_files_keeps_every_file_together(
    lab, num_records, file_length, seed, epoch
):
    order = np.asarray(lab.within_files_order(num_records, file_length, seed, epoch))
    assert sorted(order.tolist()) == list(range(num_records))
    files = order // file_length
    assert int(np.sum(files[1:] != files[:-1])) == max(len(set(files.tolist())) - 1, 0)
    assert np.array_equal(order, lab.within_files_order(num_records, file_length, seed, epoch))

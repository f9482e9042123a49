"""Rows of arrays and files, and fast augmentation, a batch at a time, as sample by sample."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tinytorch.core import augment, gather
from tinytorch.core.augment import AugmentFromCopies, FastAugment
from tinytorch.core.gather import rows
from tinytorch.core.rng import EpochKey
from tinytorch.core.tensor import Tensor

MANY = settings(max_examples=100)


@pytest.fixture(scope="module")
def dl(reference_package):
    return reference_package.module


@MANY
@given(
    count=st.integers(0, 12),
    data=st.data(),
    dtype=st.sampled_from(["uint8", "float32"]),
    mapped=st.booleans(),
)
def test_rows_are_the_rows_in_the_order_of_the_indices(
    tmp_path_factory, count, data, dtype, mapped
):
    array = np.random.default_rng(0).integers(0, 99, (count, 2, 3)).astype(dtype)
    some = st.lists(st.integers(0, count - 1), max_size=20) if count else st.just([])
    runs = st.tuples(st.integers(0, count), st.integers(0, count)).map(
        lambda pair: list(range(min(pair), max(pair)))
    )
    indices = np.array(data.draw(st.one_of(some, runs)), np.int64)
    source = array
    if mapped and count:
        file = tmp_path_factory.mktemp("rows") / "rows.npy"
        np.save(file, array)
        source = np.load(file, mmap_mode="r")
    got = rows(source, indices)
    np.testing.assert_array_equal(got, array[indices])
    assert type(got) is np.ndarray and got.dtype == array.dtype
    assert got.shape == (len(indices), 2, 3) and not np.shares_memory(got, source)
    for bad in (-1, count, 2**62):
        with pytest.raises(IndexError, match=f"Index {bad} out of range for dataset of size"):
            rows(source, np.array([*indices, bad]))


def test_a_map_that_can_be_written_keeps_its_pages(tmp_path, monkeypatch):
    monkeypatch.setattr(gather, "MAPPED_BYTES", 0)
    np.save(tmp_path / "x.npy", np.zeros((40, 3)))
    images = np.load(tmp_path / "x.npy", mmap_mode="c")
    images[2] = 7  # copy-on-write: releasing pages would lose what was written
    for _ in range(2):
        assert (rows(images, np.array([2])) == 7).all()


class Single:
    """A dataset without its gather."""

    def __init__(self, inner):
        self.inner = inner

    def __len__(self):
        return len(self.inner)

    def __getitem__(self, index):
        return self.inner[index]


@MANY
@given(
    batch_size=st.integers(1, 9),
    shuffle=st.booleans(),
    seed=st.integers(0, 99),
    chosen=st.lists(st.integers(0, 39), max_size=30),
)
def test_a_gathered_epoch_is_the_epoch_sample_by_sample(
    dl, tmp_path_factory, batch_size, shuffle, seed, chosen
):
    folder = tmp_path_factory.getbasetemp()
    images = np.arange(40 * 6, dtype=np.uint8).reshape(40, 2, 3)
    np.save(folder / "x.npy", images)
    np.save(folder / "y.npy", np.arange(40))
    whole = dl.MemmapDataset(folder / "x.npy", folder / "y.npy")

    for dataset in (
        whole,
        dl.Subset(whole, chosen),
        dl.Subset(dl.Subset(whole, range(40)), chosen),
        dl.ConcatDataset([dl.Subset(whole, chosen), whole, dl.Subset(whole, [])]),
        dl.Subset(dl.ConcatDataset([dl.Subset(whole, chosen), whole]), chosen),
    ):
        fast, slow = (
            dl.DataLoader(one, batch_size, shuffle, seed=seed) for one in (dataset, Single(dataset))
        )
        for (x, y), (want_x, want_y) in zip(fast, slow, strict=True):
            np.testing.assert_array_equal(x.data, want_x.data)
            np.testing.assert_array_equal(y.data, want_y.data)
            assert (x.dtype, y.dtype) == (want_x.dtype, want_y.dtype)


def test_a_position_outside_is_refused(dl):
    subset = dl.Subset(dl.TensorDataset(np.arange(10)), [4, 1])
    chain = dl.ConcatDataset([dl.TensorDataset(np.arange(3)), dl.TensorDataset(np.arange(2))])
    for dataset, index in ((subset, -1), (subset, 2), (chain, -1), (chain, 5)):
        says = f"Index {index} out of range for dataset of size {len(dataset)}"
        with pytest.raises(IndexError, match=says):
            dataset.__getitems__(np.array([0, index]))


def test_parts_of_a_concatenation_with_other_dtypes_are_joined_as_they_are_stacked(dl):
    parts = [np.arange(3, dtype=np.uint8), np.array([0.5, 1.5])]
    chain = dl.ConcatDataset([dl.TensorDataset(part) for part in parts])
    ((gathered,),) = dl.DataLoader(chain, 5)
    # with a collate_fn, the samples are read one by one
    ((stacked,),) = dl.DataLoader(chain, 5, collate_fn=dl.collate)
    assert gathered.dtype == stacked.dtype == np.float64
    np.testing.assert_array_equal(gathered.data, stacked.data)


def test_indices_are_one_array_of_int64_and_give_python_ints(dl):
    for given_ in ([4, 1], np.array([4, 1], np.int8), range(4, 0, -3), iter([4, 1]), (4.0, 1.0)):
        indices = dl.Subset("abcdef", given_).indices
        assert [type(index) for index in indices] == [int, int] and list(indices) == [4, 1]
        view = np.asarray(indices, np.int64)
        assert view.nbytes == 16 and not view.flags.owndata


# Fast augmentation


LAW = settings(max_examples=60)
SIDES = st.integers(1, 8)  # rows of eight bytes are mirrored at once
SHAPES = st.tuples(st.integers(1, 20), st.integers(1, 4), SIDES, SIDES)
DTYPES = st.sampled_from(["uint8", "int16", "float32", "float64"])
KEY = EpochKey.of(0, 0)


def some_images(shape, dtype="uint8"):
    # no pixel is black, so every black pixel in a result came from the padding
    return np.random.default_rng(0).integers(1, 200, shape).astype(dtype)


def one_by_one(dl, images, key, indices, p, padding):
    """Each image through Compose, with the Generator of its sample."""
    transform = dl.Compose([dl.RandomHorizontalFlip(p), dl.RandomCrop(images.shape[2:], padding)])
    return np.stack([transform(images[i], rng=key.generator(int(i))) for i in indices])


@LAW
@given(
    shape=SHAPES,
    dtype=DTYPES,
    p=st.sampled_from([0.0, 0.3, 1.0]),
    padding=st.integers(0, 5),
    seed=st.integers(0, 2**32 - 1),
    data=st.data(),
)
def test_all_ways_give_the_images_of_the_transforms(dl, shape, dtype, p, padding, seed, data):
    images, key = some_images(shape, dtype), EpochKey.of(seed, 0)
    indices = np.array(data.draw(st.lists(st.integers(0, shape[0] - 1), min_size=1, max_size=12)))
    want = one_by_one(dl, images, key, indices, p, padding)
    fast = FastAugment(p, padding)(images[indices], key, indices)
    copies = AugmentFromCopies(images, p, padding)((), key, indices)[0].data
    in_a_batch = FastAugment(p, padding)((Tensor(images[indices]), "labels"), key, indices)
    assert isinstance(in_a_batch[0], Tensor) and in_a_batch[1:] == ("labels",)
    given_ = dl.BatchAugment(p, padding)(images[indices], key, indices)
    for got in (fast, copies, given_, in_a_batch[0].data):
        assert got.dtype == images.dtype and got.flags.c_contiguous
        np.testing.assert_array_equal(got, want)


@LAW
@given(shape=SHAPES, seed=st.integers(0, 99), dtype=DTYPES)
def test_normalized_images_are_float32_and_right_to_its_precision(dl, shape, seed, dtype):
    images, key, indices = some_images(shape, dtype), EpochKey.of(seed, 0), np.arange(shape[0])
    scale = np.linspace(90, 120, shape[1]), np.linspace(30, 60, shape[1])
    mean, std = (part[:, None, None] for part in scale)
    want = (one_by_one(dl, images, key, indices, 0.5, 2) - mean) / std
    fast = FastAugment(0.5, 2, *scale)(images, key, indices)
    copies = AugmentFromCopies(images, 0.5, 2, *scale)((), key, indices)[0].data
    for got in (fast, copies):
        assert got.dtype == np.float32
        # for values below 8 this is five units in the last place of float32
        np.testing.assert_allclose(got, want, rtol=0, atol=1e-5)


@pytest.mark.parametrize("padding", [0, 4])
def test_the_batch_and_the_images_stay_as_they_are_and_nbytes_is_what_the_copies_hold(padding):
    images, indices = some_images((6, 2, 4, 4)), np.arange(6)
    before, copies = images.copy(), AugmentFromCopies(images, p=1, padding=padding)
    for _ in range(2):
        FastAugment(p=1)(images, KEY, indices)[:] = 0
        copies((), KEY, indices)[0].data[:] = 0
    np.testing.assert_array_equal(images, before)
    assert copies((), KEY, indices)[0].data.any()
    assert copies.nbytes == images.nbytes * 2 * (4 + 2 * padding) // 4


def test_loops_that_run_at_the_same_time_keep_their_own_plans(dl):
    images = some_images((30, 1, 5, 5))
    shared = AugmentFromCopies(images)

    def loader(seed, transform):
        dataset = dl.TensorDataset(np.arange(30))
        return dl.DataLoader(dataset, 4, seed=seed, batch_transform=transform)

    together = zip(*[loader(seed, shared) for seed in range(6)], strict=True)
    alone = zip(*[loader(seed, AugmentFromCopies(images)) for seed in range(6)], strict=True)
    for some, wanted in zip(together, alone, strict=True):
        for batch, want in zip(some, wanted, strict=True):
            np.testing.assert_array_equal(batch[0].data, want[0].data)
    assert len(shared._decide.epochs) <= augment._EPOCHS_KEPT


def test_one_transform_serves_images_of_several_sizes():
    transform = FastAugment(0, 0, [100, 90], [50, 40])
    for size in (4, 6, 3):
        images = some_images((3, 2, size, size))
        want = (images - np.array([100, 90.0])[:, None, None]) / np.array([50, 40.0])[:, None, None]
        np.testing.assert_allclose(transform(images, KEY, np.arange(3)), want, rtol=0, atol=1e-5)


@pytest.mark.parametrize(
    "arguments, words",
    [
        ({"p": 1.5}, "p is a probability: 0 to 1, got 1.5"),
        ({"padding": -1}, "padding must be an integer of 0 or more, got -1"),
        ({"mean": [1]}, "given together or not at all"),
        ({"mean": [0, 0], "std": [1, 0]}, "std must be over 0 for every channel"),
    ],
)
def test_bad_settings_are_refused_with_the_value(arguments, words):
    for images in ((), (some_images((1, 2, 3, 3)),)):
        with pytest.raises(ValueError, match=words):
            (AugmentFromCopies if images else FastAugment)(*images, **arguments)

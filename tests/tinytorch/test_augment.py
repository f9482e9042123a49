"""Fast augmentation gives the same images as the transforms of module 08."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tinytorch.core import augment
from tinytorch.core.augment import AugmentFromCopies, FastAugment
from tinytorch.core.rng import EpochKey
from tinytorch.core.tensor import Tensor

LAW = settings(max_examples=60)
SHAPES = st.tuples(st.integers(1, 20), st.integers(1, 4), st.integers(1, 7), st.integers(1, 7))
DTYPES = st.sampled_from(["uint8", "int16", "float32", "float64"])
KEY = EpochKey.of(0, 0)


@pytest.fixture(scope="module")
def dl(reference_package):
    return reference_package.module


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
def test_both_give_the_images_of_the_transforms(dl, shape, dtype, p, padding, seed, data):
    images, key = some_images(shape, dtype), EpochKey.of(seed, 0)
    indices = np.array(data.draw(st.lists(st.integers(0, shape[0] - 1), min_size=1, max_size=12)))
    want = one_by_one(dl, images, key, indices, p, padding)
    fast = FastAugment(p, padding)(images[indices], key, indices)
    copies = AugmentFromCopies(images, p, padding)((), key, indices)[0].data
    for got in (fast, copies):
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


def test_an_epoch_of_a_loader_is_the_same_with_copies_and_without_and_read_ahead(dl):
    images, labels = some_images((50, 3, 8, 8)), np.arange(50)
    with_images, alone = dl.TensorDataset(images, labels), dl.TensorDataset(labels)
    copies = AugmentFromCopies(images)
    loaders = [
        dl.DataLoader(dataset, 7, True, seed=5, batch_transform=transform, prefetch=depth)
        for dataset, transform, depth in (
            (with_images, FastAugment(), 0),
            (with_images, dl.BatchAugment(), 0),
            (alone, copies, 0),
            (alone, copies, 1),
        )
    ]
    for _ in range(2):
        first, *others = [list(loader) for loader in loaders]
        assert [type(part) for part in first[0]] == [Tensor, Tensor]
        for other in others:
            for one, two in zip(first, other, strict=True):
                np.testing.assert_array_equal(one[0].data, two[0].data)
                np.testing.assert_array_equal(one[1].data, two[1].data)


@pytest.mark.parametrize("copies", [False, True])
def test_a_kept_batch_never_changes(dl, copies):
    """list(loader) equals the loop that copies each batch at once."""
    images, labels = some_images((40, 1, 6, 6)), np.arange(40)
    scale = {"mean": [100], "std": [50]}
    transform = AugmentFromCopies(images, **scale) if copies else FastAugment(**scale)
    dataset = dl.TensorDataset(labels) if copies else dl.TensorDataset(images, labels)
    kept, copied = (
        dl.DataLoader(dataset, 4, True, seed=1, batch_transform=transform, prefetch=depth)
        for depth in (1, 0)
    )
    wanted = [batch[0].data.copy() for batch in copied]
    for batch, copy in zip(list(kept), wanted, strict=True):
        np.testing.assert_array_equal(batch[0].data, copy)


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


@LAW
@given(
    shape=st.tuples(st.integers(0, 3), st.integers(1, 3), st.sampled_from([1, 7, 8, 16, 24])),
    dtype=DTYPES,
    every=st.integers(1, 2),
)
def test_mirrored_is_the_last_axis_reversed(shape, dtype, every):
    images = some_images(shape, dtype)[:, ::every]
    np.testing.assert_array_equal(augment.mirrored(images), images[..., ::-1])


def test_one_transform_serves_images_of_several_sizes():
    transform = FastAugment(0, 0, [100, 90], [50, 40])
    for size in (4, 6, 3):
        images = some_images((3, 2, size, size))
        want = (images - np.array([100, 90.0])[:, None, None]) / np.array([50, 40.0])[:, None, None]
        np.testing.assert_allclose(transform(images, KEY, np.arange(3)), want, rtol=0, atol=1e-5)


def test_tensors_give_tensors_and_the_rest_of_a_batch_passes_through():
    images, indices = some_images((2, 1, 3, 3)), np.arange(2)
    batch = FastAugment()((Tensor(images), "labels", 7), KEY, indices)
    assert isinstance(batch[0], Tensor) and batch[1:] == ("labels", 7)
    assert isinstance(FastAugment()(images, KEY, indices), np.ndarray)
    assert AugmentFromCopies(images)("labels", KEY, indices)[1] == "labels"


@pytest.mark.parametrize(
    "arguments, words",
    [
        ({"p": 1.5}, "p is a probability: 0 to 1, got 1.5"),
        ({"p": float("nan")}, "p is a probability"),
        ({"padding": -1}, "padding must be an integer of 0 or more, got -1"),
        ({"mean": [1]}, "given together or not at all"),
        ({"std": [1]}, "given together"),
        ({"mean": [0, 0], "std": [1, 0]}, "std must be over 0 for every channel"),
    ],
)
def test_bad_settings_are_refused_with_the_value(arguments, words):
    for images in ((), (some_images((1, 2, 3, 3)),)):
        with pytest.raises(ValueError, match=words):
            (AugmentFromCopies if images else FastAugment)(*images, **arguments)

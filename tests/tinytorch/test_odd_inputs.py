"""What module 08 does with odd values: it refuses them with the rule and the value, or it is right.

Each row was silent, or unclear, or is a neighbor of one that was. `refused` names the error and
what its message says; `right` names the result.
"""

from fractions import Fraction

import numpy as np
import pytest

from tinytorch.core.augment import FastAugment

NUMBERS = list(range(10))


@pytest.fixture(scope="module")
def dl(reference_package):
    return reference_package.module


def refused(name, call, error, *says):
    return pytest.param(call, error, says, id=name)


def check_refused(call, error, says):
    with pytest.raises(error) as caught:
        call()
    # the rule, and the value: a reader need not look into the code
    missing = [text for text in says if text not in str(caught.value)]
    assert says and not missing, f"{caught.value} does not say {missing}"


LOADER = [
    (name, value, error, says)
    for name, error, rule, values in (
        ("shuffle", ValueError, "True or False", ["False", "yes", 0, 1, None, np.array([True])]),
        ("drop_last", ValueError, "True or False", ["no", "", 2.0, []]),
        ("seed", ValueError, "from 0 to 4294967295", [-1, 1.5, "a", 2**40, 2**32, True, [1, 2]]),
        ("prefetch", ValueError, "an integer of 0 or more", [1.5, -1, True, "2", None]),
        ("batch_size", ValueError, "an integer of 1 or more", [0, 2.0, "8", True, Fraction(3)]),
        ("collate_fn", TypeError, "None or a function", [3, "list", []]),
        ("batch_transform", TypeError, "None or a function", [3, "flip"]),
    )
    for value in values
    for says in [(name, rule, repr(value))]
]


@pytest.mark.parametrize("name, value, error, says", LOADER)
def test_a_setting_that_means_something_else_is_refused_when_the_loader_is_made(
    dl, name, value, error, says
):
    class Stream(dl.IterableDataset):
        def __iter__(self):
            return iter(NUMBERS)

    check_refused(lambda: dl.DataLoader(NUMBERS, **{name: value}), error, says)
    check_refused(lambda: dl.DataLoader(Stream(), **{name: value}), error, says)


@pytest.mark.parametrize(
    "settings, attribute, want",
    [
        ({"shuffle": np.True_}, "shuffle", True),
        ({"drop_last": np.False_}, "drop_last", False),
        ({"seed": np.uint8(7)}, "seed", 7),
        ({"seed": 2**32 - 1, "shuffle": True}, "seed", 2**32 - 1),
        ({"prefetch": np.int8(2)}, "prefetch", 2),
        ({"batch_size": np.int8(3)}, "batch_size", 3),
        ({"collate_fn": list}, "collate_fn", list),
    ],
)
def test_a_setting_of_numpy_is_as_good_as_one_of_python(dl, settings, attribute, want):
    loader = dl.DataLoader(NUMBERS, **settings)
    assert getattr(loader, attribute) == want and type(getattr(loader, attribute)) is type(want)
    assert sum(len(batch) for batch in loader) == 10


def fitted(dl, shape):
    norm = dl.Normalizer()
    norm.fit(np.random.default_rng(0).normal(3, 2, shape))
    return norm


def files(dl, folder, labels, transform=None):
    np.save(folder / "x.npy", np.zeros((len(labels), 3, 2, 2), np.uint8))
    np.save(folder / "y.npy", labels)
    return dl.MemmapDataset(folder / "x.npy", folder / "y.npy", transform)


IMAGE = np.ones((3, 4, 4), np.uint8)
SHORT = np.zeros((4, 3, 5))  # (N, C, L), which was taken for one image
REFUSED = [
    refused("crop 0", lambda dl, _: dl.RandomCrop(0), ValueError, "size", "1 or more", "got 0"),
    refused("crop -5", lambda dl, _: dl.RandomCrop(-5), ValueError, "size", "1 or more", "-5"),
    refused("crop 2.5", lambda dl, _: dl.RandomCrop(2.5), ValueError, "size", "2.5"),
    refused("crop '28'", lambda dl, _: dl.RandomCrop("28"), ValueError, "size", "'28'"),
    refused("crop True", lambda dl, _: dl.RandomCrop(True), ValueError, "size", "True"),
    refused("crop (28,)", lambda dl, _: dl.RandomCrop((28,)), ValueError, "(H, W)", "(28,)"),
    refused("crop (3, 0)", lambda dl, _: dl.RandomCrop((3, 0)), ValueError, "size", "got 0"),
    refused(
        "crop padding", lambda dl, _: dl.RandomCrop(2, padding=1.5), ValueError, "padding", "1.5"
    ),
    refused("crop seed", lambda dl, _: dl.RandomCrop(2, seed=-1), ValueError, "seed", "-1"),
    refused(
        "flip seed",
        lambda dl, _: dl.RandomHorizontalFlip(seed=0.5),
        ValueError,
        "seed",
        "0.5",
    ),
    refused(
        "compose", lambda dl, _: dl.Compose([list, 3]), TypeError, "functions", "3 at position 1"
    ),
    refused("batch p", lambda dl, _: dl.BatchAugment(p=2), ValueError, "0 to 1", "got 2"),
    refused("batch p NaN", lambda dl, _: dl.BatchAugment(p=np.nan), ValueError, "0 to 1", "nan"),
    refused(
        "batch padding", lambda dl, _: dl.BatchAugment(padding=-1), ValueError, "padding", "-1"
    ),
    refused("fast padding", lambda dl, _: FastAugment(padding=1.5), ValueError, "padding", "1.5"),
    refused("fast p", lambda dl, _: FastAugment(p="0.5"), ValueError, "0 to 1", "'0.5'"),
    refused(
        "split seed", lambda dl, _: dl.random_split(NUMBERS, [1.0], -1), ValueError, "seed", "-1"
    ),
    refused(
        "a mask as indices",
        lambda dl, _: dl.Subset(NUMBERS, np.arange(10) > 5),
        ValueError,
        "whole numbers",
        "np.flatnonzero",
    ),
    refused(
        "index 1.5", lambda dl, _: dl.Subset(NUMBERS, [0, 1.5]), ValueError, "whole", "1.5", "1"
    ),
    refused("indices '12'", lambda dl, _: dl.Subset(NUMBERS, "12"), ValueError, "whole", "dtype"),
    refused(
        "indices (2, 2)", lambda dl, _: dl.Subset(NUMBERS, np.eye(2)), ValueError, "shape (2, 2)"
    ),
    refused(
        "index -1", lambda dl, _: dl.Subset(NUMBERS, [2, -1]), ValueError, "0 or more", "-1", "1"
    ),
    refused(
        "one dataset as a list",
        lambda dl, _: dl.ConcatDataset(dl.TensorDataset(np.arange(3))),
        TypeError,
        "list",
        "TensorDataset",
    ),
    refused("index 2**70", lambda dl, _: dl.Subset(NUMBERS, [2**70]), ValueError, "whole numbers"),
    refused(
        "label 1.7",
        lambda dl, folder: files(dl, folder, np.array([0, 1.7])),
        ValueError,
        "labels must be whole numbers",
        "1.7 at position 1",
    ),
    refused(
        "label NaN", lambda dl, folder: files(dl, folder, np.array([np.nan])), ValueError, "nan"
    ),
    refused(
        "label inf", lambda dl, folder: files(dl, folder, np.array([np.inf])), ValueError, "inf"
    ),
    refused(
        "label 2**63",
        lambda dl, folder: files(dl, folder, np.array([2**63], np.uint64)),
        ValueError,
        "whole numbers",
        str(2**63),
    ),
    refused(
        "label 'cat'",
        lambda dl, folder: files(dl, folder, np.array(["cat"])),
        ValueError,
        "whole numbers",
        "dtype <U3",
    ),
    refused(
        "transform 3",
        lambda dl, folder: files(dl, folder, np.array([1]), 3),
        TypeError,
        "transform",
        "got 3",
    ),
    refused(
        "train 'False'",
        lambda dl, folder: dl.CIFAR10Dataset(folder, train="False"),
        ValueError,
        "train",
        "'False'",
    ),
    refused(
        "download 'no'",
        lambda dl, folder: dl.CIFAR10Dataset(folder, download="no"),
        ValueError,
        "download",
        "'no'",
    ),
    refused(
        "fit NaN",
        lambda dl, _: dl.Normalizer().fit(np.array([[1, np.nan]])),
        ValueError,
        "finite",
        "1 of 2",
    ),
    refused(
        "fit infinity",
        lambda dl, _: dl.Normalizer().fit_batches([np.full((2, 2), np.inf)]),
        ValueError,
        "finite",
        "4 of 4",
    ),
    refused(
        "fit nothing",
        lambda dl, _: dl.Normalizer().fit(np.zeros((0, 3, 4, 4))),
        ValueError,
        "at least one",
        "(0, 3, 4, 4)",
    ),
    refused(
        "fit a row",
        lambda dl, _: dl.Normalizer().fit(np.zeros(5)),
        ValueError,
        "(N, C, ...)",
        "(5,)",
    ),
    refused(
        "fit texts",
        lambda dl, _: dl.Normalizer().fit(np.array([["a", "b"]])),
        ValueError,
        "numbers",
        "<U1",
    ),
    refused(
        "fit dicts",
        lambda dl, _: dl.Normalizer().fit_batches([{"image": np.ones((2, 3))}]),
        ValueError,
        "numbers",
        "object",
    ),
    refused(
        "batches differ",
        lambda dl, _: dl.Normalizer().fit_batches([np.ones((2, 3, 4)), np.ones((2, 1, 4))]),
        ValueError,
        "channels",
        "(2, 3, 4)",
        "(2, 1, 4)",
    ),
    refused(
        "an image of another fit",
        lambda dl, _: fitted(dl, (4, 3, 5)).transform(np.ones((4, 3, 5, 5))),
        ValueError,
        "3 dimensions",
        "(4, 3, 5, 5)",
    ),
    refused(
        "one channel for three",
        lambda dl, _: fitted(dl, (4, 3, 5, 5)).transform(np.ones((4, 1, 5, 5))),
        ValueError,
        "3 channels",
        "(4, 1, 5, 5)",
    ),
    refused(
        "a table for images",
        lambda dl, _: fitted(dl, (4, 3, 5, 5)).transform(np.ones((4, 3))),
        ValueError,
        "4 dimensions",
        "(4, 3)",
    ),
]


@pytest.mark.parametrize("call, error, says", REFUSED)
def test_an_odd_value_is_refused_with_the_rule_and_the_value(dl, tmp_path, call, error, says):
    check_refused(lambda: call(dl, tmp_path), error, says)


def test_a_crop_takes_integers_of_numpy(dl):
    for size in (np.int64(2), (np.int8(2), 2), np.array([2, 2]), [2, 2]):
        crop = dl.RandomCrop(size, seed=0)
        assert crop.size == (2, 2) and crop(IMAGE).shape == (3, 2, 2)


def test_whole_labels_of_any_dtype_are_labels(dl, tmp_path):
    for dtype in (np.float32, np.uint64, np.int8, bool):
        labels = files(dl, tmp_path, np.array([1, 0], dtype)).labels
        assert labels.dtype == np.int64 and labels.tolist() == [1, 0]


@pytest.mark.parametrize("shape", [(6, 6, 5), (1, 3, 5), (4, 3), (5, 3, 2, 2), (4, 2, 3, 2, 2)])
@pytest.mark.parametrize("fit", ["fit", "fit_batches"])
def test_statistics_are_per_channel_for_any_number_of_dimensions(dl, shape, fit):
    data = np.random.default_rng(1).normal(size=shape) * np.arange(1, shape[1] + 1).reshape(
        [-1 if axis == 1 else 1 for axis in range(len(shape))]
    )
    norm = dl.Normalizer()
    if fit == "fit":
        norm.fit(data)
    else:
        norm.fit_batches(np.array_split(data, 2) if len(data) > 1 else [data])
    got = norm.transform(data)
    axes = tuple(axis for axis in range(len(shape)) if axis != 1)
    np.testing.assert_allclose(got.mean(axes), 0, atol=1e-5)
    np.testing.assert_allclose(got.std(axes), 1, atol=1e-5)
    for sample, want in zip(data, got, strict=True):
        np.testing.assert_allclose(norm.transform(sample), want, atol=1e-6)


def test_images_of_unequal_size_count_by_their_pixels(dl):
    draw = np.random.default_rng(2)
    images = [draw.normal(k, 1, (1, 3, 2 + k, 5)) for k in range(4)]
    norm = dl.Normalizer().fit_batches(images)
    pixels = np.concatenate([image[0].reshape(3, -1) for image in images], axis=1)
    np.testing.assert_allclose(norm.mean, pixels.mean(axis=1))
    np.testing.assert_allclose(norm.std, pixels.std(axis=1))


def test_a_failed_fit_leaves_the_statistics_of_the_fit_before(dl):
    norm = fitted(dl, (4, 3, 5))
    before = norm.transform(SHORT)
    for bad in (np.full((2, 3), np.nan), np.zeros((0, 3, 5))):
        with pytest.raises(ValueError, match="fit needs"):
            norm.fit(bad)
    np.testing.assert_array_equal(norm.transform(SHORT), before)

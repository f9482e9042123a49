"""What module 08 does with odd values: it refuses them with the rule and the value, or it is right.
Each row was silent, or unclear, or is a neighbor of one that was.
"""

from fractions import Fraction

import numpy as np
import pytest
from claims import prove, refused

from tinytorch.core.augment import FastAugment  # noqa: F401 - the code of a row names it

NUMBERS = list(range(10))
SHORT = np.zeros((4, 3, 5))  # (N, C, L), which was taken for one image

SETTINGS = [
    (name, value, rule, error)
    for name, rule, error, wrong in (
        ("shuffle", "True or False", ValueError, ["False", "yes", 0, 1, None, np.array([True])]),
        ("drop_last", "True or False", ValueError, ["no", "", 2.0, []]),
        ("seed", "from 0 to 4294967295", ValueError, [-1, 1.5, "a", 2**40, 2**32, True, [1, 2]]),
        ("prefetch", "an integer of 0 or more", ValueError, [1.5, -1, True, "2", None]),
        ("batch_size", "an integer of 1 or more", ValueError, [0, 2.0, "8", True, Fraction(3)]),
        ("collate_fn", "None or a function", TypeError, [3, "list", []]),
        ("batch_transform", "None or a function", TypeError, [3, "flip"]),
    )
    for value in wrong
]

# code, and what its ValueError says
REFUSED = {
    "RandomCrop(0)": ["size", "1 or more", "got 0"],
    "RandomCrop(-5)": ["size", "1 or more", "-5"],
    "RandomCrop(2.5)": ["size", "2.5"],
    "RandomCrop('28')": ["size", "'28'"],
    "RandomCrop(True)": ["size", "True"],
    "RandomCrop((28,))": ["(H, W)", "(28,)"],
    "RandomCrop((3, 0))": ["size", "got 0"],
    "RandomCrop(2, padding=1.5)": ["padding", "1.5"],
    "RandomCrop(2, seed=-1)": ["seed", "-1"],
    "RandomHorizontalFlip(seed=0.5)": ["seed", "0.5"],
    "BatchAugment(p=2)": ["0 to 1", "got 2"],
    "BatchAugment(p=np.nan)": ["0 to 1", "nan"],
    "BatchAugment(padding=-1)": ["padding", "-1"],
    "FastAugment(padding=1.5)": ["padding", "1.5"],
    "FastAugment(p='0.5')": ["0 to 1", "'0.5'"],
    "random_split(NUMBERS, [1.0], -1)": ["seed", "-1"],
    "Subset(NUMBERS, np.arange(10) > 5)": ["whole numbers", "np.flatnonzero"],
    "Subset(NUMBERS, [0, 1.5])": ["whole", "1.5", "1"],
    "Subset(NUMBERS, '12')": ["whole", "dtype"],
    "Subset(NUMBERS, np.eye(2))": ["shape (2, 2)"],
    "Subset(NUMBERS, [2, -1])": ["0 or more", "-1", "1"],
    "Subset(NUMBERS, [2**70])": ["whole numbers"],
    "of_files([0, 1.7])": ["labels must be whole numbers", "1.7 at position 1"],
    "of_files([np.nan])": ["nan"],
    "of_files([np.inf])": ["inf"],
    "of_files(np.array([2**63], np.uint64))": ["whole numbers", str(2**63)],
    "of_files(['cat'])": ["whole numbers", "dtype <U3"],
    "CIFAR10Dataset('.', train='False')": ["train", "'False'"],
    "CIFAR10Dataset('.', download='no')": ["download", "'no'"],
    "Normalizer().fit(np.array([[1, np.nan]]))": ["finite", "1 of 2"],
    "Normalizer().fit_batches([np.full((2, 2), np.inf)])": ["finite", "4 of 4"],
    "Normalizer().fit(np.zeros((0, 3, 4, 4)))": ["at least one", "(0, 3, 4, 4)"],
    "Normalizer().fit(np.zeros(5))": ["(N, C, ...)", "(5,)"],
    "Normalizer().fit(np.array([['a', 'b']]))": ["numbers", "<U1"],
    "Normalizer().fit_batches([{'image': np.ones((2, 3))}])": ["numbers", "object"],
    "Normalizer().fit_batches([np.ones((2, 3, 4)), np.ones((2, 1, 4))])": [
        "channels",
        "(2, 3, 4)",
        "(2, 1, 4)",
    ],
    "fitted((4, 3, 5)).transform(np.ones((4, 3, 5, 5)))": ["3 dimensions", "(4, 3, 5, 5)"],
    "fitted((4, 3, 5, 5)).transform(np.ones((4, 1, 5, 5)))": ["3 channels", "(4, 1, 5, 5)"],
    "fitted((4, 3, 5, 5)).transform(np.ones((4, 3)))": ["4 dimensions", "(4, 3)"],
}
# code, and what its TypeError says
WRONG_KIND = {
    "Compose([list, 3])": ["functions", "3 at position 1"],
    "ConcatDataset(TensorDataset(np.arange(3)))": ["list", "TensorDataset"],
    "ConcatDataset([[1], stream])": ["Stream", "len"],
    "of_files([1], 3)": ["transform", "got 3"],
}
# code, and its value
RIGHT = {
    "of_files(np.float32([1, 0])).labels": [1, 0],
    "of_files(np.uint64([1, 0])).labels.dtype": np.int64,
    "of_files(np.array([True, False])).labels.dtype": np.int64,
    "RandomCrop(np.int64(2)).size": (2, 2),
    "RandomCrop((np.int8(2), 2)).size": (2, 2),
    "RandomCrop(np.array([2, 2])).size": (2, 2),
    "RandomCrop([2, 2], seed=0)(np.ones((3, 4, 4))).shape": (3, 2, 2),
    "set_to('shuffle', np.True_)": (True, bool),
    "set_to('drop_last', np.False_)": (False, bool),
    "set_to('seed', np.uint8(7))": (7, int),
    "set_to('seed', 2**32 - 1)": (2**32 - 1, int),
    "set_to('prefetch', np.int8(2))": (2, int),
    "set_to('batch_size', np.int8(3))": (3, int),
    "set_to('collate_fn', list)": (list, type),
}


@pytest.fixture
def stream(core):
    class Stream(core.IterableDataset):
        def __iter__(self):
            return iter(NUMBERS)

    return Stream()


@pytest.fixture
def names(core, stream, tmp_path):
    def fitted(shape):
        return core.Normalizer().fit(np.random.default_rng(0).normal(3, 2, shape))

    def of_files(labels, transform=None):
        np.save(tmp_path / "x.npy", np.zeros((len(labels), 3, 2, 2), np.uint8))
        np.save(tmp_path / "y.npy", labels)
        return core.MemmapDataset(tmp_path / "x.npy", tmp_path / "y.npy", transform)

    def set_to(name, value):
        """What a loader that works keeps of a setting."""
        loader = core.DataLoader(NUMBERS, **{name: value})
        assert sum(map(len, loader)) == 10
        return getattr(loader, name), type(getattr(loader, name))

    more = {"fitted": fitted, "of_files": of_files, "set_to": set_to, "stream": stream}
    return {**vars(core), **globals(), **more}


@pytest.mark.parametrize("name, value, rule, error", SETTINGS)
def test_a_setting_that_means_something_else_is_refused_when_the_loader_is_made(
    core, stream, name, value, rule, error
):
    for data in (NUMBERS, stream):
        given = {"data": data, "DataLoader": core.DataLoader, "settings": {name: value}}
        prove("DataLoader(data, **settings)", refused(error, name, rule, repr(value)), given)


@pytest.mark.parametrize("code", REFUSED)
def test_an_odd_value_is_refused_with_the_rule_and_the_value(names, code):
    prove(code, refused(ValueError, *REFUSED[code]), names)


@pytest.mark.parametrize("code", WRONG_KIND)
def test_an_odd_type_is_refused_with_the_rule_and_the_value(names, code):
    prove(code, refused(TypeError, *WRONG_KIND[code]), names)


@pytest.mark.parametrize("code", RIGHT)
def test_a_value_that_means_one_thing_is_taken(names, code):
    prove(code, RIGHT[code], names)


@pytest.mark.parametrize("shape", [(6, 6, 5), (1, 3, 5), (4, 3), (5, 3, 2, 2), (4, 2, 3, 2, 2)])
@pytest.mark.parametrize("fit", ["fit", "fit_batches"])
def test_statistics_are_per_channel_for_any_number_of_dimensions(core, shape, fit):
    data = np.random.default_rng(1).normal(size=shape)
    norm = core.Normalizer()
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


def test_a_failed_fit_leaves_the_statistics_of_the_fit_before(names):
    norm = names["fitted"]((4, 3, 5))
    before = norm.transform(SHORT)
    for bad in (np.full((2, 3), np.nan), np.zeros((0, 3, 5))):
        with pytest.raises(ValueError, match="fit needs"):
            norm.fit(bad)
    np.testing.assert_array_equal(norm.transform(SHORT), before)

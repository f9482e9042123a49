"""What module 08 does with odd values: it refuses them with the rule and the value, or it is right.
Each row was silent, or unclear, or is a neighbor of one that was.
"""

import numpy as np
import pytest
from claims import prove, refusals, refused, rows

from tinytorch.core.augment import FastAugment  # noqa: F401 - the code of a row names it

NUMBERS = list(range(10))

SETTINGS = [
    (name, value, rule, error)
    for name, rule, error, wrong in (
        ("shuffle", "True or False", ValueError, ["False", 0, None]),
        ("drop_last", "True or False", ValueError, ["no"]),
        ("seed", "from 0 to 4294967295", ValueError, [-1, 1.5, 2**32, True]),
        ("prefetch", "an integer of 0 or more", ValueError, [1.5, -1, True]),
        ("collate_fn", "None or a function", TypeError, ["list"]),
        ("batch_transform", "None or a function", TypeError, [3]),
    )
    for value in wrong
]

# code, and what its ValueError says
REFUSED = {
    "RandomCrop('28')": ["size", "'28'"],
    "RandomCrop(2, padding=1.5)": ["padding", "1.5"],
    "Subset(NUMBERS, np.arange(10) > 5)": ["whole numbers", "np.flatnonzero"],
    "Subset(NUMBERS, [2, -1])": ["0 or more", "-1", "1"],
    "of_files([0, 1.7])": ["labels must be whole numbers", "1.7 at position 1"],
    "CIFAR10Dataset('.', train='False')": ["train", "'False'"],
    "Normalizer().fit(np.array([[1, np.nan]]))": ["finite", "1 of 2"],
    "Normalizer().fit(np.zeros(5))": ["(N, C, ...)", "(5,)"],
    "Normalizer().fit_batches([np.ones((2, 3, 4)), np.ones((2, 1, 4))])": ["channels", "(2, 1, 4)"],
    "Normalizer().fit(np.eye(3)).transform(np.ones((4, 1)))": ["3 channels", "(4, 1)"],
}
# code, and what its TypeError says
WRONG_KIND = {
    "Compose([list, 3])": ["functions", "3 at position 1"],
    "ConcatDataset([[1], stream])": ["Stream", "len"],
    "of_files([1], 3)": ["transform", "got 3"],
}
# code, and its value
RIGHT = {
    "of_files(np.array([True, False])).labels.dtype": np.int64,
    "RandomCrop(np.array([2, 2])).size": (2, 2),
    "set_to('shuffle', np.True_)": (True, bool),
    "set_to('batch_size', np.int8(3))": (3, int),
}


@pytest.fixture
def stream(core):
    class Stream(core.IterableDataset):
        def __iter__(self):
            return iter(NUMBERS)

    return Stream()


@pytest.fixture
def names(core, stream, tmp_path):
    def of_files(labels, transform=None):
        np.save(tmp_path / "x.npy", np.zeros((len(labels), 3, 2, 2), np.uint8))
        np.save(tmp_path / "y.npy", labels)
        return core.MemmapDataset(tmp_path / "x.npy", tmp_path / "y.npy", transform)

    def set_to(name, value):
        """What a loader that works keeps of a setting."""
        loader = core.DataLoader(NUMBERS, **{name: value})
        assert sum(map(len, loader)) == 10
        return getattr(loader, name), type(getattr(loader, name))

    more = {"of_files": of_files, "set_to": set_to, "stream": stream}
    return {**vars(core), **globals(), **more}


@pytest.mark.parametrize("name, value, rule, error", SETTINGS)
def test_a_setting_that_means_something_else_is_refused_when_the_loader_is_made(
    core, stream, name, value, rule, error
):
    for data in (NUMBERS, stream):
        given = {"data": data, "DataLoader": core.DataLoader, "settings": {name: value}}
        prove("DataLoader(data, **settings)", refused(error, name, rule, repr(value)), given)


@rows(refusals(ValueError, REFUSED), refusals(TypeError, WRONG_KIND), RIGHT)
def test_an_odd_value_is_refused_with_the_rule_or_taken(names, code, want):
    prove(code, want, names)


NESTED = [{"meta": [1, (2, 3)]}, {"meta": [1, (2, None)]}]
UNSTACKABLE = {
    "[{'ids': {1}}]": ["['ids']", "position 0", "type set"],
    "NESTED": ["in ['meta'][1][1] of the samples", "position 1 has None"],
    "[{1: 0, 'a': 0}, {'a': 0}]": ["same keys", "1", "'a'"],
    "[{'a': 1}, None]": ["position 1 has None", "cannot be stacked"],
}


@rows(refusals((TypeError, ValueError), UNSTACKABLE))
def test_what_cannot_be_stacked_is_named_with_position_key_and_type(names, code, want):
    prove(f"collate({code})", want, names)
    prove(f"list(DataLoader({code}, 2))", want, names)

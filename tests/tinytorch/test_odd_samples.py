"""What module 08 makes of odd samples: texts, other kinds of dicts, and what cannot be stacked. An
error names that with its position, its key and its type.
"""

import dataclasses
import datetime
from collections import OrderedDict, defaultdict

import numpy as np
import pytest
from test_odd_inputs import check_refused

from tinytorch.core.tensor import Tensor


@dataclasses.dataclass
class Photo:
    number: int


@pytest.fixture(scope="module")
def dl(reference_package):
    return reference_package.module


def refused(name, samples, error, *says):
    return pytest.param(samples, error, says, id=name)


CANNOT = "cannot be stacked"
UNSTACKABLE = [
    refused("None", [1, None], TypeError, "position 1 has None", CANNOT),
    refused("a dataclass", [{"p": Photo(1)}], TypeError, "['p']", "position 0", "type Photo"),
    refused("complex", [(1, 2j)], TypeError, "[1]", "position 0", "type complex"),
    refused("a date", [datetime.date(2026, 1, 1)], TypeError, "position 0", "type date"),
    refused("datetime64", [np.datetime64("2026")], TypeError, "datetime64"),
    refused("objects", [np.array([None])], TypeError, "an array of dtype object"),
    refused("a set", [{"ids": {1}}], TypeError, "['ids']", "type set"),
    refused("text among numbers", [{"a": 1}, {"a": "b"}], TypeError, "['a']", "1", "type str"),
    refused(
        "None, deep",
        [{"meta": [1, (2, 3)]}, {"meta": [1, (2, None)]}],
        TypeError,
        "in ['meta'][1][1] of the samples",
        "position 1 has None",
    ),
    refused("keys 1 and 'a'", [{1: 0, "a": 0}, {"a": 0}], ValueError, "same keys", "1", "'a'"),
    refused("keys, deep", [{"m": {"a": 1}}, {"m": {1: 1}}], ValueError, "in ['m']", "same keys"),
    refused(
        "shapes, deep",
        [{"image": np.zeros(2)}, {"image": np.zeros(3)}],
        ValueError,
        "in ['image'] of the samples",
        "position 1 has (3,)",
    ),
    refused("no samples", [], ValueError, "at least one sample, got none"),
    refused("a dict or None", [{"a": 1}, None], ValueError, "position 1 has None", CANNOT),
]


@pytest.mark.parametrize("samples, error, says", UNSTACKABLE)
def test_what_cannot_be_stacked_is_named_with_position_key_and_type(dl, samples, error, says):
    check_refused(lambda: dl.collate(samples), error, says)
    if samples:
        check_refused(lambda: list(dl.DataLoader(samples, len(samples))), error, says)


def plain(batch):
    """A batch with lists in place of Tensors."""
    if isinstance(batch, Tensor):
        return batch.data.tolist()
    if isinstance(batch, dict):
        return {key: plain(part) for key, part in batch.items()}
    return type(batch)(map(plain, batch)) if isinstance(batch, (list, tuple)) else batch


RIGHT = {
    "texts": (["a", "bc"], ["a", "bc"]),
    "bytes": ([b"a", b""], [b"a", b""]),
    "texts of NumPy": ([np.str_("a"), np.str_("b")], ["a", "b"]),
    "a row of Hugging Face": (
        [{"text": "good", "label": 1, "ids": [7, 8]}, {"text": "", "label": 0, "ids": [9, 6]}],
        {"text": ["good", ""], "label": [1, 0], "ids": [[7, 9], [8, 6]]},
    ),
    "a text in a tuple": ([(1, "a"), (2, "b")], ([1, 2], ["a", "b"])),
    "booleans": ([True, False], [True, False]),
    "an int and a float": ([1, 2.5], [1.0, 2.5]),
    "an empty dict": ([{}, {}], {}),
    "an empty tuple": ([(), ()], ()),
    "arrays of no numbers": ([np.zeros(0), np.zeros(0)], [[], []]),
}


@pytest.mark.parametrize("name", RIGHT)
def test_an_odd_sample_is_collated_as_it_is_meant(dl, name):
    samples, want = RIGHT[name]
    assert plain(dl.collate(samples)) == want
    (batch,) = dl.DataLoader(samples, len(samples))
    assert plain(batch) == want


def test_a_dict_of_another_class_stays_one(dl):
    ordered = dl.collate([OrderedDict(b=1, a=2), OrderedDict(a=4, b=3)])
    assert type(ordered) is OrderedDict and list(ordered) == ["b", "a"]
    assert plain(ordered) == {"b": [1, 3], "a": [2, 4]}
    counted = dl.collate([defaultdict(int, a=1), defaultdict(int, a=2)])
    assert type(counted) is defaultdict and counted.default_factory is int
    assert plain(counted) == {"a": [1, 2]} and type(dl.collate([{"a": 1}])) is dict


def test_the_samples_stay_what_they_were(dl):
    samples = [OrderedDict(a=np.ones(2)), OrderedDict(a=np.zeros(2))]
    batch = dl.collate(samples)
    batch["a"].data[:] = 7
    assert samples[0]["a"].tolist() == [1, 1] and samples[1]["a"].tolist() == [0, 0]


def test_an_error_of_collate_that_is_about_no_sample_stays_as_it_is(dl, monkeypatch):
    def broken(values):
        raise ValueError("no room")

    monkeypatch.setattr(dl, "stack_samples", broken)
    with pytest.raises(ValueError, match=r"^no room$"):
        dl.collate([{"a": 1}, {"a": 2}])

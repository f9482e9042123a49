"""What module 08 makes of odd samples: texts, other kinds of dicts, and what cannot be stacked. An
error names that with its position, its key and its type.
"""

import dataclasses
import datetime
from collections import OrderedDict, defaultdict

import numpy as np
import pytest
from claims import prove, refused, values


@dataclasses.dataclass
class Photo:
    number: int


CANNOT = "cannot be stacked"
# samples, error, what it says
UNSTACKABLE = [
    ([1, None], TypeError, "position 1 has None", CANNOT),
    ([{"p": Photo(1)}], TypeError, "['p']", "position 0", "type Photo"),
    ([(1, 2j)], TypeError, "[1]", "position 0", "type complex"),
    ([datetime.date(2026, 1, 1)], TypeError, "position 0", "type date"),
    ([np.datetime64("2026")], TypeError, "datetime64"),
    ([np.array([None])], TypeError, "an array of dtype object"),
    ([{"ids": {1}}], TypeError, "['ids']", "type set"),
    ([{"a": 1}, {"a": "b"}], TypeError, "['a']", "1", "type str"),
    (
        [{"meta": [1, (2, 3)]}, {"meta": [1, (2, None)]}],
        TypeError,
        "in ['meta'][1][1] of the samples",
        "position 1 has None",
    ),
    ([{1: 0, "a": 0}, {"a": 0}], ValueError, "same keys", "1", "'a'"),
    ([{"m": {"a": 1}}, {"m": {1: 1}}], ValueError, "in ['m']", "same keys"),
    (
        [{"image": np.zeros(2)}, {"image": np.zeros(3)}],
        ValueError,
        "in ['image'] of the samples",
        "position 1 has (3,)",
    ),
    ([], ValueError, "at least one sample, got none"),
    ([{"a": 1}, None], ValueError, "position 1 has None", CANNOT),
]
# samples, batch
RIGHT = [
    (["a", "bc"], ["a", "bc"]),
    ([b"a", b""], [b"a", b""]),
    ([np.str_("a"), np.str_("b")], ["a", "b"]),
    (
        [{"text": "good", "label": 1, "ids": [7, 8]}, {"text": "", "label": 0, "ids": [9, 6]}],
        {"text": ["good", ""], "label": [1, 0], "ids": [[7, 9], [8, 6]]},
    ),
    ([(1, "a"), (2, "b")], ([1, 2], ["a", "b"])),
    ([True, False], [True, False]),
    ([1, 2.5], [1.0, 2.5]),
    ([{}, {}], {}),
    ([(), ()], ()),
    ([np.zeros(0), np.zeros(0)], [[], []]),
]


@pytest.mark.parametrize(
    "samples, error, says", [(one, kind, says) for one, kind, *says in UNSTACKABLE]
)
def test_what_cannot_be_stacked_is_named_with_position_key_and_type(core, samples, error, says):
    names = {**vars(core), "samples": samples}
    prove("collate(samples)", refused(error, *says), names)
    if samples:
        prove("list(DataLoader(samples, len(samples)))", refused(error, *says), names)


@pytest.mark.parametrize("samples, want", RIGHT)
def test_an_odd_sample_is_collated_as_it_is_meant(core, samples, want):
    assert values(core.collate(samples)) == want
    (batch,) = core.DataLoader(samples, len(samples))
    assert values(batch) == want


def test_a_dict_of_another_class_stays_one(core):
    samples = [OrderedDict(b=np.ones(1), a=2), OrderedDict(a=4, b=np.zeros(1))]
    ordered = core.collate(samples)
    assert type(ordered) is OrderedDict and list(ordered) == ["b", "a"]
    assert values(ordered) == {"b": [[1], [0]], "a": [2, 4]}
    ordered["b"].data[:] = 7
    assert samples[0]["b"].tolist() == [1]
    counted = core.collate([defaultdict(int, a=1), defaultdict(int, a=2)])
    assert type(counted) is defaultdict and counted.default_factory is int
    assert values(counted) == {"a": [1, 2]}


def test_an_error_of_collate_that_is_about_no_sample_stays_as_it_is(core, monkeypatch):
    def broken(values):
        raise ValueError("no room")

    monkeypatch.setattr(core, "stack_samples", broken)
    with pytest.raises(ValueError, match=r"^no room$"):
        core.collate([{"a": 1}, {"a": 2}])

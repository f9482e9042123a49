"""Inputs that a loader of lab 08b or 08c could take for something else: each is refused where it
is given, in a sentence with the rule and the value, or it gives the right batches.
"""

from __future__ import annotations

import multiprocessing  # noqa: F401 - the code of a row names it

import numpy as np
import pytest
from claims import prove, refusals, rows, values
from pipeline_kit import use_fake_frameworks

from tinytorch.data.columns import ColumnDataset


def nothing(*_):
    """A hook whose author forgot the `return`."""


class Table:
    """As in pandas: `table[k]` is a column."""

    iloc = np.eye(3)

    def __len__(self):
        return 3

    def __getitem__(self, name):
        return self.iloc[:, name]


Gathers = type("Gathers", (list,), {"__getitems__": lambda self, indices: np.array(indices)})


class Doubles(Gathers):
    """A subclass that reads in its own way, and inherits a gather that does not."""

    def __getitem__(self, index):
        return 2 * super().__getitem__(index)


FLAG = "must be True or False, got"
ANEW = "must start anew with each iter(), such as a list"

# `load` takes settings and loads all of 0, 1, 2, 3 in batches of two
CALLBACK = {
    # flags of samplers; test_callback_loader.py draws those of the loader
    "DistributedSampler(range(4), 2, 0, shuffle='False')": f"shuffle {FLAG} 'False'",
    "load(bs=10**30)": "bs must be at most 1,000,000,000,000,000, got 1000",
    # hooks
    "load(after_item=nothing)": (
        "after_item returned None for item 0: a hook and a dataset return the item; to leave it"
        " out, raise SkipItemException"
    ),
    "load(create_batch=nothing)": "create_batch returned None",
    # samplers
    "load(sampler=iter([0, 1]))": f"sampler {ANEW}",
    "load(bs=None, batch_sampler=[0, 1])": (
        "batch_sampler must be an iterable of lists of indices, got 0 in it"
    ),
    "load(sampler=np.array([True, False, True, True]))": (
        "sampler must be integers, got True; np.flatnonzero(mask) gives those of a mask"
    ),
    "load(dataset=Gathers(range(4)), sampler=[0.5])": "indices must be integers, got 0.5",
    # what contradicts
    "load(bs=None, drop_last=True)": "drop_last needs bs",
    "load(sampler=[0], shuffle=True)": "a sampler decides the order",
    "load(persistent_workers=True)": (
        "persistent_workers=True keeps processes, so num_workers must be 1 or more, got 0"
    ),
    "load(collate_fn=list, create_batch=tuple)": (
        "collate_fn is PyTorch's name for create_batch: give one of the two"
    ),
    "load(generator=3)": (
        "generator must be a Generator of NumPy or PyTorch, got 3; a number is given as seed"
    ),
    "load(dataset=Table())": "give create_item=lambda s: table.iloc[s], got Table",
}
CALLBACK_RIGHT = {
    "load(dataset=Doubles(range(4)))": [[0, 2], [4, 6]],
    "load(dataset=Table(), create_item=lambda s: Table.iloc[s], bs=3)": [np.eye(3).tolist()],
    "load(multiprocessing_context=multiprocessing.get_context('spawn'))": [[0, 1], [2, 3]],
    "load(collate_fn=sum, prefetch_factor=3, worker_init_fn=nothing, generator=None)": [1, 5],
}


@pytest.fixture
def callback(lab):
    def load(**settings):
        return list(lab.DataLoader(**{"dataset": range(4), "bs": 2, **settings}))

    return {**vars(lab), **globals(), "load": load}


@rows(refusals((TypeError, ValueError), CALLBACK), CALLBACK_RIGHT)
def test_08b_takes_what_means_one_thing_and_refuses_what_does_not(callback, code, want):
    prove(code, want, callback)


def test_08b_sees_that_a_dataset_grew(lab):
    data = [0, 1]
    loaders = [
        lab.DataLoader(data, bs=2),
        lab.DataLoader(data, bs=2, shuffle=True),
        lab.DataLoader(data, bs=2, sampler=lab.RandomSampler(data)),
        lab.DataLoader(data, bs=2, sampler=lab.DistributedSampler(data, 1, 0)),
    ]
    assert [len(loader) for loader in loaders] == [1] * 4
    data += [2, 3, 4]
    assert [len(loader) for loader in loaders] == [3] * 4
    epochs = [sorted(sum(values(list(loader)), [])) for loader in loaders]
    assert epochs == [[0, 1, 2, 3, 4]] * 4
    assert values(list(lab.DataLoader(data, bs=2, n=2))) == [[0, 1]]


# 08c. `p` is a pipeline over COLUMNS, and `load` loads all of it

COLUMNS = {"x": np.arange(6), "word": ["a", None, "b", "a", "c", "d"]}


def add(row, amount):
    return {"x": row["x"] + amount}


def ends(_):
    raise StopIteration("no more")


FEW = "select * where x < 4"
A_STATE = "a state is what state_dict() returned"
ABOVE = "have a weight above 0, got size="
INDEX = "return_index=True adds a column 'index', and these rows have one already: ['index']"
PIPELINE = {
    # what returns nothing
    "load(p.transform(nothing).batch(2))": "transform nothing of row 0 returned None",
    # states
    "resume(batches=4)": (
        "the state says that 4 batches of an epoch were handed out, and this loader has 3"
    ),
    **{f"p.load_state_dict({wrong})": A_STATE for wrong in (None, {"epoch": 1})},
    "p.batch(5).load_state_dict(OTHER)": "its batch is",
    # elsewhere, the first argument of `shuffle` is a buffer
    "p.shuffle(10)": f"shuffle {FLAG} 10; the buffer in MB is buffer_size=",
    # a StopIteration would look like the end of the rows
    **{
        f"load(p.transform({given}).offset(2){more})": f"{says} raised StopIteration at row 2"
        for given, says in (("ends", "ends"), ("{'x': None, 'word': ends}", "'word': ends}"))
        for more in ("", ".batch(3).numpy(num_workers=1)")
    },
    # what leaves no row, and more draws than rows
    "p.query(FEW).sample_by('max_weight(x > 4: 1)')": "no row could be drawn",
    "p.sample_by('x', replace=False, size=6)": f"5 rows {ABOVE}6; use size=5",
    # functions
    "load(p.transform(add))": "add has missing a required argument: 'amount'",
    # all ranks draw the same rows only with one seed
    "load(pipeline(COLUMNS).sample_by('x').batch(2).numpy(rank=0, world_size=3))": "seed",
    # what contradicts
    "load(pipeline({'index': np.arange(3)}).batch(2).pytorch())": INDEX,
}
PIPELINE_RIGHT = {
    "[batch['word'] for batch in p.transform({'word': upper}).batch(3)]": [
        ["A", None, "B"],
        ["A", "C", "D"],
    ],
    "[batch['index'].tolist() for batch in p.transform(lambda row: {'index': row['x'] + 7})"
    ".batch(3).pytorch(return_index=False)]": [[7, 8, 9], [10, 11, 12]],
    "load(p.transform({'x': None}).offset(np.int64(1)).batch(np.uint8(2), np.True_)"
    ".shuffle(np.False_))": [{"x": [1, 2]}, {"x": [3, 4]}],
}


def upper(word):
    return word and word.upper()


@pytest.fixture
def steps(references, monkeypatch):
    use_fake_frameworks(monkeypatch)
    made = references("08c").module.pipeline

    def resume(**changed):
        state = made(COLUMNS).batch(2).state_dict()
        made(COLUMNS).batch(2).load_state_dict({**state, **changed})

    one = made(ColumnDataset(COLUMNS), seed=0)
    other = made(COLUMNS).batch(2).state_dict()
    more = {"p": one, "load": list, "resume": resume, "OTHER": other}
    return {**globals(), "pipeline": made, **more}


@rows(refusals((TypeError, ValueError, RuntimeError), PIPELINE), PIPELINE_RIGHT)
def test_08c_takes_what_means_one_thing_and_refuses_what_does_not(steps, code, want):
    prove(code, want, steps)

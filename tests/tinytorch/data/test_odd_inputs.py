"""What module 08 and the loaders of labs 08b and 08c do with odd values: each is refused where it
is given, in a sentence with the rule and the value, or it gives the right batches. Each row was
silent, or unclear, or is a neighbor of one that was.
"""

import multiprocessing  # noqa: F401 - the code of a row names it

import numpy as np
import pytest
from claims import prove, refusals, refused, rows, values

from tinytorch.core.augment import FastAugment  # noqa: F401 - the code of a row names it
from tinytorch.data.columns import ColumnDataset

NUMBERS = list(range(10))

# what a setting must be, and values that mean something else
SETTINGS = {
    "True or False": "shuffle='False' shuffle=0 shuffle=None drop_last='no'",
    "from 0 to 4294967295": "seed=-1 seed=1.5 seed=4294967296 seed=True",
    "an integer of 0 or more": "prefetch=1.5 prefetch=-1 prefetch=True",
    "None or a function": "collate_fn='list' batch_transform=3",
}

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


@pytest.mark.parametrize(
    "setting, rule", [(one, rule) for rule, wrong in SETTINGS.items() for one in wrong.split()]
)
def test_a_setting_that_means_something_else_is_refused_when_the_loader_is_made(
    names, setting, rule
):
    for data in ("NUMBERS", "stream"):
        want = refused((TypeError, ValueError), *setting.split("="), rule)
        prove(f"DataLoader({data}, {setting})", want, names)


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


# Lab 08b


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
    # flags of samplers; test_callback_loader.py has those of the loader
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
    # elsewhere, the first argument of `shuffle` is a buffer
    "p.shuffle(10)": f"shuffle {FLAG} 10; the buffer in MB is buffer_size=",
    # a StopIteration would look like the end of the rows
    **{
        f"load(p.transform({given}).offset(2){more})": f"{says} raised StopIteration at row 2"
        for given, says in (("ends", "ends"), ("{'x': None, 'word': ends}", "'word': ends}"))
        for more in ("", ".batch(3).numpy(num_workers=1)")
    },
    # what leaves no row, and more draws than rows
    "p.query('select * where x < 4').sample_by('max_weight(x > 4: 1)')": "no row could be drawn",
    "p.sample_by('x', replace=False, size=6)": f"5 rows {ABOVE}6; use size=5",
    # functions
    "load(p.transform(add))": "add has missing a required argument: 'amount'",
    # all ranks draw the same rows only with one seed
    "load(pipeline(COLUMNS).sample_by('x').batch(2).numpy(rank=0, world_size=3))": "seed",
    # what contradicts
    "load(pipeline({'index': np.arange(3)}).batch(2).pytorch())": INDEX,
}
PIPELINE_RIGHT = {
    "[batch['index'].tolist() for batch in p.transform(lambda row: {'index': row['x'] + 7})"
    ".batch(3).pytorch(return_index=False)]": [[7, 8, 9], [10, 11, 12]],
    "load(p.transform({'x': None}).offset(np.int64(1)).batch(np.uint8(2), np.True_)"
    ".shuffle(np.False_))": [{"x": [1, 2]}, {"x": [3, 4]}],
}


@pytest.fixture
def steps(package, frameworks):
    made = package.pipeline

    def resume(**changed):
        state = made(COLUMNS).batch(2).state_dict()
        made(COLUMNS).batch(2).load_state_dict({**state, **changed})

    one = made(ColumnDataset(COLUMNS), seed=0)
    more = {"p": one, "load": list, "resume": resume}
    return {**globals(), "pipeline": made, **more}


@rows(refusals((TypeError, ValueError, RuntimeError), PIPELINE), PIPELINE_RIGHT)
def test_08c_takes_what_means_one_thing_and_refuses_what_does_not(steps, code, want):
    prove(code, want, steps)

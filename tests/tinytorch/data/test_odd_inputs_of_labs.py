"""Inputs that a loader of lab 08b or 08c could take for something else: each is refused where it
is given, in a sentence with the rule and the value, or it gives the right batches.
"""

from __future__ import annotations

import multiprocessing

import numpy as np
import pytest
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


class Grows(list):
    """Rows that are appended while a program runs."""


class NoIndices(list):
    def __getitems__(self, indices):
        """A gather whose author forgot the `return`."""


class Gathers(list):
    def __getitems__(self, indices):
        return np.array(indices, np.int64)


class Doubles(Gathers):
    """A subclass that reads in its own way, and inherits a gather that does not."""

    def __getitem__(self, index):
        return 2 * super().__getitem__(index)


class Behind:
    """Doubles another dataset's items and hands on its other attributes, a gather too."""

    def __init__(self, dataset):
        self.dataset = dataset

    def __len__(self):
        return len(self.dataset)

    def __getitem__(self, index):
        return 2 * self.dataset[index]

    def __getattr__(self, name):
        return getattr(self.dataset, name)


def loader(**settings):
    """A call of 08b's DataLoader, which takes and loads all."""
    given = {"dataset": range(4), "bs": 2, **settings}
    return lambda lab: list(lab.DataLoader(**given))


def without_bs(**settings):
    return loader(bs=None, **settings)


RANKS = {"num_replicas": 2, "rank": 0}
CALLBACK = {
    # flags
    "shuffle, text": (loader(shuffle="False"), "shuffle must be True or False, got 'False'"),
    "drop_last, text": (loader(drop_last="no"), "drop_last must be True or False, got 'no'"),
    "drop_last, None": (loader(drop_last=None), "drop_last must be True or False, got None"),
    "indexed, text": (loader(indexed="no"), "indexed must be True or False, got 'no'"),
    "pin_memory, text": (loader(pin_memory="no"), "pin_memory must be True or False, got 'no'"),
    "persistent_workers, a number": (
        loader(persistent_workers=2),
        "persistent_workers must be True or False, got 2",
    ),
    "a sampler's drop_last": (
        lambda lab: lab.BatchSampler([1, 2, 3], 2, "no"),
        "drop_last must be True or False, got 'no'",
    ),
    "a rank's shuffle": (
        lambda lab: lab.DistributedSampler(range(4), shuffle="False", **RANKS),
        "shuffle must be True or False, got 'False'",
    ),
    "a rank's drop_last": (
        lambda lab: lab.DistributedSampler(range(4), drop_last=1, **RANKS),
        "drop_last must be True or False, got 1",
    ),
    "replacement, text": (
        lambda lab: lab.WeightedRandomSampler([1, 1], 2, "no"),
        "replacement must be True or False, got 'no'",
    ),
    # numbers
    "prefetch, half": (loader(prefetch=1.5), "prefetch must be an integer of 1 or more, got 1.5"),
    "prefetch_factor, none": (
        loader(prefetch_factor=0),
        "prefetch_factor must be an integer of 1 or more, got 0",
    ),
    "bs, True": (loader(bs=True), "bs must be an integer of 1 or more, got True"),
    "bs, too large": (loader(bs=10**30), "bs must be at most 1,000,000,000,000,000, got 1000"),
    "n, too large": (
        loader(dataset=iter("ab"), n=10**30),
        "n must be at most 1,000,000,000,000,000, got 1000",
    ),
    "seed, negative": (loader(seed=-1), "seed must be an integer of 0 or more, got -1"),
    "seed, half": (loader(seed=1.5), "seed must be an integer of 0 or more, got 1.5"),
    "seed, text": (loader(seed="a"), "seed must be an integer of 0 or more, got 'a'"),
    "seed, more than 32 bits": (
        loader(seed=2**32),
        "seed must be at most 4,294,967,295, got 4294967296",
    ),
    "epoch, more than 32 bits": (
        lambda lab: lab.DataLoader([1], bs=1).set_epoch(2**40),
        "epoch must be at most 4,294,967,295, got 1099511627776",
    ),
    "a sampler's seed": (
        lambda lab: lab.RandomSampler(range(3), seed=2**40),
        "seed must be at most 4,294,967,295",
    ),
    "a rank's number": (
        lambda lab: lab.DistributedSampler(range(4), 2, 0.0),
        "rank must be an integer of 0 or more, got 0.0",
    ),
    # hooks
    "collate_fn, a number": (loader(collate_fn=3), "collate_fn must be None or a function, got 3"),
    "worker_init_fn, a number": (
        loader(worker_init_fn=3),
        "worker_init_fn must be None or a function, got 3",
    ),
    "after_item returns nothing": (
        loader(after_item=nothing),
        "after_item returned None for item 0: a hook and a dataset return the item; to leave it"
        " out, raise SkipItemException",
    ),
    "create_item returns nothing": (loader(create_item=nothing), "create_item returned None for"),
    "a dataset returns nothing": (loader(dataset=[0, None]), "returned None for item 1"),
    "a stream gives nothing": (loader(dataset=iter([0, None])), "returned None for item"),
    "before_batch returns nothing": (loader(before_batch=nothing), "before_batch returned None"),
    "create_batch returns nothing": (loader(create_batch=nothing), "create_batch returned None"),
    "collate_fn returns nothing": (loader(collate_fn=nothing), "create_batch returned None"),
    "retain returns nothing": (loader(retain=nothing), "retain returned None"),
    "do_batch returns nothing": (loader(do_batch=nothing), "do_batch returned None"),
    "create_batches returns nothing": (
        loader(create_batches=nothing),
        "create_batches returned None",
    ),
    "after_batch returns nothing": (loader(after_batch=nothing), "after_batch returned None"),
    "get_idxs returns nothing": (loader(get_idxs=nothing), "get_idxs returned None"),
    "sample returns nothing": (loader(sample=nothing), "sample returned None"),
    "__getitems__ returns nothing": (
        loader(dataset=NoIndices([1, 2])),
        "__getitems__ of NoIndices returned None",
    ),
    # samplers
    "sampler, an iterator": (
        loader(sampler=iter([0, 1])),
        "sampler must start anew with each iter(), such as a list",
    ),
    "batch_sampler, a generator": (
        without_bs(batch_sampler=([k] for k in range(3))),
        "batch_sampler must start anew with each iter(), such as a list",
    ),
    "batch_sampler, numbers": (
        without_bs(batch_sampler=[0, 1]),
        "batch_sampler must be an iterable of lists of indices, got 0 in it",
    ),
    "a sampler's sampler, an iterator": (
        lambda lab: lab.BatchSampler(iter([1, 2]), 2),
        "sampler must start anew with each iter(), such as a list",
    ),
    "sampler, a mask": (
        loader(sampler=np.array([True, False, True, True])),
        "sampler must be integers, got True; np.flatnonzero(mask) gives those of a mask",
    ),
    "sampler, a list of flags": (
        loader(sampler=[True, False, True, True]),
        "the indices of a sampler must be integers, got True; np.flatnonzero(mask)",
    ),
    "sampler, halves for a gather": (
        loader(dataset=Gathers(range(4)), sampler=[0.5, 1.5]),
        "indices must be integers, got 0.5",
    ),
    "subset, a mask": (
        lambda lab: lab.SubsetRandomSampler([True, False]),
        "indices must be whole numbers, got a mask; use np.flatnonzero(mask)",
    ),
    "subset, halves": (
        lambda lab: lab.SubsetRandomSampler([0.5, 2]),
        "indices must be whole numbers, got 0.5 at position 0",
    ),
    "random, a number": (
        lambda lab: lab.RandomSampler(5),
        "data_source must be something with a length, got 5",
    ),
    "weights, one for all": (
        lambda lab: lab.WeightedRandomSampler(0.5, 2),
        "weights must be something with a length, got 0.5",
    ),
    "weights, text": (
        lambda lab: lab.WeightedRandomSampler(["a", 1], 2),
        "weights must be one number a row: could not convert string to float",
    ),
    "weights, complex": (
        lambda lab: lab.WeightedRandomSampler(np.array([1, 2j]), 2),
        "a weight is a real number, got complex numbers",
    ),
    "weights, an infinite sum": (
        lambda lab: lab.WeightedRandomSampler([1e308, 1e308], 2),
        "the sum of the weights is too large for float64",
    ),
    # what contradicts
    "persistent_workers without workers": (
        loader(persistent_workers=True),
        "persistent_workers=True keeps processes, so num_workers must be 1 or more, got 0",
    ),
    "two names for one function": (
        loader(collate_fn=list, create_batch=tuple),
        "collate_fn is PyTorch's name for create_batch: give one of the two",
    ),
    "two names for one number": (
        loader(prefetch=2, prefetch_factor=3),
        "prefetch_factor is PyTorch's name for prefetch: give one of the two, got prefetch=2",
    ),
    "seed and generator": (
        loader(seed=1, generator=np.random.default_rng(1)),
        "give seed or generator, not both; got seed=1",
    ),
    "generator, a number": (
        loader(generator=3),
        "generator must be a Generator of NumPy or PyTorch, got 3; a number is given as seed",
    ),
    "multiprocessing_context, unknown": (
        loader(multiprocessing_context="threads"),
        "multiprocessing_context is 'fork' or 'spawn' on this system, got 'threads'",
    ),
    "dataset, a table of columns": (
        loader(dataset=Table()),
        "give create_item=lambda s: table.iloc[s], got Table",
    ),
}


def raised(call, *given) -> str:
    with pytest.raises((TypeError, ValueError)) as caught:
        call(*given)
    return str(caught.value)


@pytest.mark.parametrize("case", CALLBACK)
def test_08b_refuses_what_it_would_take_for_something_else(lab, case):
    call, says = CALLBACK[case]
    assert says in raised(call, lab)


def test_the_environment_names_a_rank_by_a_number(lab, monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "two")
    monkeypatch.setenv("RANK", "0")
    says = "WORLD_SIZE in the environment must be an integer, got 'two'"
    assert says in raised(lab.DistributedSampler, range(4))


def values(batches):
    return [np.asarray(getattr(batch, "data", batch)).tolist() for batch in batches]


CALLBACK_RIGHT = {
    "a subclass that reads in its own way": ({"dataset": Doubles(range(4))}, [[0, 2], [4, 6]]),
    "a gather of a dataset behind it": ({"dataset": Behind(Gathers(range(4)))}, [[0, 2], [4, 6]]),
    "items that are false": ({"dataset": [0, False, 0.0, 0]}, [[0, 0], [0, 0]]),
    "NumPy's True": ({"drop_last": np.True_, "dataset": range(3)}, [[0, 1]]),
    "NumPy's integers": ({"n": np.int8(2), "bs": np.uint8(2)}, [[0, 1]]),
    "a sampler decides, whatever n is": ({"sampler": [1, 2, 3], "n": 2}, [[1, 2], [3]]),
    "a sampler of NumPy's integers": ({"sampler": np.array([3, 1])}, [[3, 1]]),
    "a table by its rows": (
        {"dataset": Table(), "create_item": lambda s: Table.iloc[s], "bs": 3},
        [np.eye(3).tolist()],
    ),
    "a context in place of its name": (
        {"multiprocessing_context": multiprocessing.get_context("spawn")},
        [[0, 1], [2, 3]],
    ),
    "PyTorch's names": (
        {"collate_fn": sum, "prefetch_factor": 3, "worker_init_fn": nothing, "generator": None},
        [1, 5],
    ),
}


@pytest.mark.parametrize("case", CALLBACK_RIGHT)
def test_08b_takes_what_means_one_thing(lab, case):
    settings, want = CALLBACK_RIGHT[case]
    assert values(lab.DataLoader(**{"dataset": range(4), "bs": 2, **settings})) == want


def test_08b_sees_that_a_dataset_grew(lab):
    data = Grows([0, 1])
    loaders = [
        lab.DataLoader(data, bs=2),
        lab.DataLoader(data, bs=2, shuffle=True),
        lab.DataLoader(data, bs=2, sampler=lab.RandomSampler(data)),
        lab.DataLoader(data, bs=2, sampler=lab.DistributedSampler(data, 1, 0)),
    ]
    assert [len(loader) for loader in loaders] == [1] * 4
    data += [2, 3, 4]
    assert [len(loader) for loader in loaders] == [3] * 4
    assert [sorted(sum(values(loader), [])) for loader in loaders] == [[0, 1, 2, 3, 4]] * 4
    assert values(lab.DataLoader(data, bs=2, n=2)) == [[0, 1]]


def test_a_generator_decides_every_order_and_two_draws_differ(lab):
    def order(rng):
        return sum(values(lab.DataLoader(range(50), bs=50, shuffle=True, generator=rng)), [])

    one, same = np.random.default_rng(3), np.random.default_rng(3)
    first, second = order(one), order(one)
    assert [order(same), order(same)] == [first, second] and first != second


def test_worker_init_fn_gets_the_number_of_its_worker(lab):
    from tinytorch.data.workers import worker_info

    def knows(number):
        worker_info().dataset.append(number)

    class Told(list):
        def __getitem__(self, index):
            return super().__getitem__(-1), worker_info().id

    loader = lab.DataLoader(Told(range(6)), bs=1, n=6, num_workers=2, worker_init_fn=knows)
    assert all(told.data[0] == own.data[0] for told, own in loader)


# 08c

COLUMNS = {"x": np.arange(6), "word": ["a", None, "b", "a", "c", "d"]}


@pytest.fixture(scope="module")
def package(references):
    with pytest.MonkeyPatch.context() as patch:
        use_fake_frameworks(patch)
        yield references("08c").module


def pipe(chain, columns=COLUMNS):
    """A call that loads all of a chain."""
    return lambda package: list(chain(package.pipeline(columns, seed=0)))


def with_state(**changed):
    def load(package):
        state = package.pipeline(COLUMNS).batch(2).state_dict()
        package.pipeline(COLUMNS).batch(2).load_state_dict({**state, **changed})

    return load


def add(row, amount):
    return {"x": row["x"] + amount}


def noise(row, rng):
    return {"x": rng.random()}


PIPELINE = {
    # what returns nothing
    "transform returns nothing": (
        pipe(lambda p: p.transform(nothing).batch(2)),
        "transform nothing of row 0 returned None",
    ),
    "a column's function returns nothing": (
        pipe(lambda p: p.transform({"x": nothing}).batch(2)),
        "of row 0, column 'x', returned None",
    ),
    "single rows": (
        pipe(lambda p: p.offset(4).transform(nothing)),
        "transform nothing of row 4 returned None",
    ),
    "collate_fn returns nothing": (
        pipe(lambda p: p.batch(2).pytorch(collate_fn=nothing)),
        "collate_fn nothing returned None",
    ),
    # states
    "a state beyond the end": (
        with_state(batches=4),
        "the state says that 4 batches of an epoch were handed out, and this loader has 3",
    ),
    "a state's half batch": (with_state(batches=0.5), "batches must be an integer of 0 or more"),
    "a state's epoch": (with_state(epoch="1"), "epoch must be an integer of 0 or more, got '1'"),
    "a state's late epoch": (with_state(epoch=2**40), "epoch must be at most 4,294,967,295"),
    "a state's seed": (with_state(seed=None), "seed must be an integer of 0 or more, got None"),
    "a state with more": (with_state(more=1), "a state is what state_dict() returned"),
    # numbers and flags
    "seed, negative": (lambda p: p.pipeline(COLUMNS, seed=-1), "seed must be an integer of 0 or"),
    "seed, half": (lambda p: p.pipeline(COLUMNS, seed=1.5), "seed must be an integer of 0 or"),
    "seed, text": (lambda p: p.pipeline(COLUMNS, seed="a"), "seed must be an integer of 0 or"),
    "seed, more than 32 bits": (
        lambda p: p.pipeline(COLUMNS, seed=2**40),
        "seed must be at most 4,294,967,295, got 1099511627776",
    ),
    "a draw's seed": (
        pipe(lambda p: p.sample_by("x", seed=2**40)),
        "seed must be at most 4,294,967,295",
    ),
    "a shuffle's seed": (
        pipe(lambda p: p.shuffle(seed=2**40)),
        "seed must be at most 4,294,967,295",
    ),
    "shuffle, text": (pipe(lambda p: p.shuffle("False")), "shuffle must be True or False, got 'F"),
    "drop_last, text": (
        pipe(lambda p: p.batch(2, "no")),
        "drop_last must be True or False, got 'no'",
    ),
    "replace, text": (
        pipe(lambda p: p.sample_by("x", replace="no")),
        "replace must be True or False, got 'no'",
    ),
    "distributed, text": (
        pipe(lambda p: p.pytorch(distributed="no")),
        "distributed must be True or False, got 'no'",
    ),
    "prefetch_factor, half": (
        pipe(lambda p: p.numpy(prefetch_factor=1.5)),
        "prefetch_factor must be an integer of 1 or more, got 1.5",
    ),
    "batch_size, True": (
        pipe(lambda p: p.batch(True)),
        "batch_size must be an integer of 1 or more, got True",
    ),
    "buffer_size, text": (
        pipe(lambda p: p.shuffle(buffer_size="4")),
        "buffer_size must be a number of megabytes, 0 or more, got '4'",
    ),
    "buffer_size, not a number": (
        pipe(lambda p: p.shuffle(buffer_size=float("nan"))),
        "buffer_size must be a number of megabytes, 0 or more, got nan",
    ),
    "num_threads, half": (pipe(lambda p: p.numpy(num_threads=0.5)), "num_threads must be a whole"),
    "rank alone": (pipe(lambda p: p.numpy(rank=0)), "rank and world_size are given together"),
    "rank, True": (
        pipe(lambda p: p.numpy(rank=True, world_size=2)),
        "rank must be an integer of 0 or more, got True",
    ),
    "weights, a mask's text": (pipe(lambda p: p.sample_by(["True"] * 6)), "weights must be one nu"),
    # functions
    "collate_fn, a number": (
        pipe(lambda p: p.pytorch(collate_fn=3)),
        "collate_fn must be None or a function, got 3",
    ),
    "transform, text": (pipe(lambda p: p.transform("x")), "transform must be a function, or"),
    "transform lacks an argument": (
        pipe(lambda p: p.transform(add)),
        "add has missing a required argument: 'amount'",
    ),
    "transform, another argument": (
        pipe(lambda p: p.transform(add, amount=1, rate=2)),
        "add has got an unexpected keyword argument 'rate'",
    ),
    "transform, a generator of the user's": (
        pipe(lambda p: p.transform(noise, rng=3)),
        "the loader draws rng for each row, so it must not be given, got rng=3",
    ),
    # what contradicts
    "persistent_workers without workers": (
        pipe(lambda p: p.numpy(persistent_workers=True)),
        "persistent_workers=True keeps processes, so num_workers must be 1 or more, got 0",
    ),
    "a column that return_index would replace": (
        pipe(lambda p: p.batch(2).pytorch(), {"index": np.arange(3) + 7}),
        "return_index=True adds a column 'index', and these rows have one already: ['index']",
    ),
    "a transform's index": (
        pipe(lambda p: p.transform(lambda row: {"index": row["x"]}).batch(2).pytorch()),
        "return_index=True adds a column 'index', and these rows have one already: ['index']",
    ),
    "columns by place": (
        lambda p: p.pipeline([1, 2]),
        "a ColumnDataset, or a dict of columns, got",
    ),
}


@pytest.mark.parametrize("case", PIPELINE)
def test_08c_refuses_what_it_would_take_for_something_else(package, case):
    call, says = PIPELINE[case]
    assert says in raised(call, package)


def upper(word):
    return word and word.upper()


PIPELINE_RIGHT = {
    "a text that is missing stays so": (
        lambda p: [batch["word"] for batch in p.transform({"word": upper}).batch(3)],
        [["A", None, "B"], ["A", "C", "D"]],
    ),
    "samples that are false": (
        lambda p: [batch.tolist() for batch in p.transform(lambda row: 0).batch(3)],
        [[0, 0, 0], [0, 0, 0]],
    ),
    "an index of the user's": (
        lambda p: [
            batch["index"].tolist()
            for batch in p.transform(lambda row: {"index": row["x"] + 7})
            .batch(3)
            .pytorch(return_index=False)
        ],
        [[7, 8, 9], [10, 11, 12]],
    ),
    "NumPy's flags and numbers": (
        lambda p: [
            batch["x"].tolist()
            for batch in p.offset(np.int64(1)).batch(np.uint8(2), np.True_).shuffle(np.False_)
        ],
        [[1, 2], [3, 4]],
    ),
}


@pytest.mark.parametrize("case", PIPELINE_RIGHT)
def test_08c_takes_what_means_one_thing(package, case):
    chain, want = PIPELINE_RIGHT[case]
    assert chain(package.pipeline(ColumnDataset(COLUMNS), seed=0)) == want


def test_a_state_at_the_end_gives_the_next_epoch_after_an_empty_rest(package):
    loader = package.pipeline(COLUMNS, seed=1).batch(2)
    batches = iter(loader)
    for _ in range(3):
        next(batches)
    later = package.pipeline(COLUMNS).batch(2)
    later.load_state_dict(loader.state_dict())
    assert (len(list(later)), len(list(later))) == (0, 3)

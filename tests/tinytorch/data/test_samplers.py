"""Samplers over samplers: what Determined's own tests expect of its `samplers`, with the same
numbers, and the laws behind them; and experiment files: every error names the file, the key, and
what is there instead.
"""

import itertools
from pathlib import Path

import pytest
from claims import prove, refusals, rows
from hypothesis import given
from hypothesis import strategies as st

from tinytorch.data import experiment, samplers
from tinytorch.data.experiment import read_experiment
from tinytorch.data.samplers import (
    BatchSampler,
    RepeatSampler,
    ReproducibleShuffleSampler,
    SequentialSampler,
    SkipSampler,
    adapt_batch_sampler,
)


def in_order(count):
    return SequentialSampler(range(count))


def taken(sampler, count):
    return list(itertools.islice(sampler, count))


def epochs(sampler, count=2):
    return len(sampler), [list(sampler) for _ in range(count)]


NAMES = {**vars(samplers), **globals()}
# What Determined's tests expect: code, and its value
RIGHT = {
    "epochs(SkipSampler(in_order(15), 2))": (15, [list(range(2, 15))] * 2),
    "taken(RepeatSampler(in_order(10)), 30)": [*range(10)] * 3,
    "list(RepeatSampler([]))": [],
    "epochs(BatchSampler(in_order(5), 2, drop_last=True))": (2, [[[0, 1], [2, 3]]] * 2),
    "[list(DistributedSampler(in_order(19), 4, rank)) for rank in range(4)]": [
        *([0, 4, 8, 12, 16], [1, 5, 9, 13, 17], [2, 6, 10, 14, 18], [3, 7, 11, 15])
    ],
    "[len(DistributedSampler(in_order(19), 4, rank)) for rank in range(4)]": [5, 5, 5, 4],
    "epochs(ReproducibleShuffleSampler(in_order(5), 777))": (5, [[0, 4, 1, 2, 3], [2, 0, 1, 3, 4]]),
    "epochs(ReproducibleShuffleBatchSampler(BatchSampler(in_order(10), 2), 777))": (
        5,
        [[[0, 1], [8, 9], [2, 3], [4, 5], [6, 7]], [[4, 5], [0, 1], [2, 3], [6, 7], [8, 9]]],
    ),
    "taken(adapt_batch_sampler([[0], [1], [2]], repeat=True, skip=2), 4)": [[2], [0], [1], [2]],
    # the skipped batches are those of the rank, so the share is taken first
    "taken(adapt_batch_sampler('abcde', True, 1, num_replicas=2, rank=1), 4)": list("dace"),
    "adapt_batch_sampler('ab')": "ab",
}
# code, and what its error says
REFUSED = {
    "DistributedSampler(in_order(10), 2, 0.5)": "rank",
    "adapt_batch_sampler([[0]], rank=1)": "rank must be 0 to 0 with num_replicas=1, got 1",
    "adapt_batch_sampler([[0]], repeat='no')": "repeat must be True or False, got 'no'",
    "adapt_batch_sampler([[0]], skip=None)": "skip must be an integer of 0 or more, got None",
    "ReproducibleShuffleSampler(BatchSampler(RepeatSampler(in_order(3)), 2), 1)": (
        "shuffle first, then repeat"
    ),
    "ReproducibleShuffleSampler([5], 2**32)": "seed must be an integer from 0 to 4294967295",
    "SequentialSampler(5)": "something with a length",
    "RepeatSampler(iter([1, 2]))": "starts anew with each iter()",
    "iter(ChainedSampler([1]))": "ChainedSampler must define __iter__",
    **{
        f"{kind}([1], {value})": f", got {value}"
        for kind in ("BatchSampler", "SkipSampler", "ReproducibleShuffleSampler")
        for value in (True, -1, 2.5)
    },
}


@rows(RIGHT, refusals((ValueError, TypeError, NotImplementedError), REFUSED))
def test_samplers_give_what_determined_s_tests_expect(code, want):
    prove(code, want, NAMES)


# Laws


@given(st.integers(1, 20), st.integers(1, 4), st.integers(1, 3), st.integers(0, 30))
def test_a_run_that_stopped_goes_on_as_if_it_had_not(count, batch_size, ranks, skip):
    def run(rank, skip):
        shuffled = ReproducibleShuffleSampler(in_order(count), 3)
        return adapt_batch_sampler(BatchSampler(shuffled, batch_size), True, skip, ranks, rank)

    for rank in range(ranks):
        assert taken(run(rank, skip), 10) == taken(run(rank, 0), skip + 10)[skip:]


# Beside other samplers


def test_an_epoch_that_is_set_reaches_the_sampler_inside():
    class Counts(SequentialSampler):
        def set_epoch(self, epoch):
            self.epoch = epoch

    inner = Counts(range(3))
    SkipSampler(RepeatSampler(BatchSampler(inner, 2)), 1).set_epoch(7)
    assert inner.epoch == 7
    RepeatSampler([1]).set_epoch(7)


# Experiment files


TEXT = """\
data: {path: cifar-10, file_length: 10000, shuffle: true, nothing: }
lr: 0.1
hyperparameters:
  bare: 7
  constant: {type: const, val: [1, 2]}
  whole: {type: int, minval: 1, maxval: 8}
  optimizer: {name: {type: const, val: sgd}}
"""


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = Path("experiment.yaml")
    path.write_text(TEXT, encoding="utf-8")
    return path


HPARAMS = "{'bare': None, 'whole': {'type': 'const', 'val': 3}, 'new': 1}"
# code, and its value; `config` is the file
GIVEN = {
    "read_experiment(str(file)) == config": True,
    "read_experiment(config) is config": True,
    # the dots of a key descend
    "require(config, 'data.path', str)": "cifar-10",
    "require(config, 'data.file_length', int)": 10000,
    "type(require(config, 'data.file_length', float))": float,
    "require(config, 'lr')": 0.1,
    # a default stands in for what is missing
    **{
        f"require(config, {key!r}, float, default=1)": 1
        for key in ("data.no", "data.nothing", "x.y")
    },
    "require(config, 'lr', float, default=1)": 0.1,
    # hyperparameters; what a trial passes is in their place
    "[trial_values(config)[name] for name in ('bare', 'constant')]": [7, [1, 2]],
    "trial_values(config)['optimizer']['name']": "sgd",
    f"[trial_values(config, {HPARAMS})[name] for name in ('bare', 'whole', 'new')]": [None, 3, 1],
    # keys that others read
    "refuse({'searcher': {}, 'data': None, 'hyperparameters': {'lr': 1, 3: 4}}, {'a': 6})": None,
}
KIND = "must be a whole number (int), got"
IN_FILE = "experiment.yaml: an experiment file "
# code, and what its error says
NO_VALUE = {
    "require(config, 'data.nothing', str)": "experiment.yaml: data.nothing is null",
    "require(config, 'data.path.x', str)": "data.path must hold keys, got 'cifar-10' (str)",
    "require(config, 'data.file_length', str)": "file_length must be text (str), got 10000 (int)",
    "require(config, 'data.path', int, default=1)": f"data.path {KIND}",
    "require(config, 'data.shuffle', int)": f"data.shuffle {KIND} True (bool)",
    "require({}, 'data', str)": "the experiment config: data is missing",
    "read_experiment(3)": "a dict or the path of a YAML file, got 3 (int)",
    "read_experiment('no_such.yaml')": "no_such",
    **{
        f"read_experiment(written(file, {text!r}))": [IN_FILE, says]
        for text, says in {
            b"data: [1,\n": "line 2",
            b"": "got nothing",
            b"a: !!python/object/apply:os.getcwd []\n": "could not determine a constructor",
            b"hyperparameters: &a {a: *a}\n": "recursion",
            b"data: \xff\n": "YAML in UTF-8",
        }.items()
    },
    "require(trial_values(config), 'whole', int)": "experiment.yaml: whole must be",
    "trial_values({'hyperparameters': [1]})": "hyperparameters must hold names and values, got [1]",
    # misspelled keys
    "refuse({'hyperparameter': {}})": "config: nobody reads hyperparameter; did you mean 'hyperpa",
    "refuse({'hyperparameters': {'training_record': 5}})": "did you mean 'training_records'",
    "refuse({}, {'training_records': 5, 'Training-Records': 7})": "hparams, or the hyperparameters",
}


def written(file, text):
    file.write_bytes(text)
    return file


def refuse(config, hparams=None):
    names = {"data": ["path", "file_length"], "hyperparameters": ["training_records"]}
    experiment.refuse_unknown_keys(config, experiment.trial_values(config, hparams), **names)


@rows(GIVEN, refusals((ValueError, TypeError, FileNotFoundError), NO_VALUE))
def test_an_experiment_gives_values_or_names_the_file_the_key_and_what_is_there(file, code, want):
    names = {**vars(experiment), **globals(), "file": file, "config": read_experiment(file)}
    prove(code, want, names)

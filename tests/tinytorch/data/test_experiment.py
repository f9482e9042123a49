"""Experiment files: every error names the file, the key, and what is there instead."""

import sys

import numpy as np
import pytest
from claims import prove, refused

from tinytorch.data.experiment import read_experiment, refuse_unknown_keys, require, trial_values

TEXT = """\
data: {path: cifar-10, file_length: 10000, shuffle: true, nothing: }
lr: 0.1
hyperparameters:
  bare: 7
  constant: {type: const, val: [1, 2]}
  whole: {type: int, minval: 1, maxval: 8}
  real: {type: double, minval: 0.1, maxval: 0.9}
  scaled: {type: log, base: 10, minval: -4, maxval: -1}
  named: {type: categorical, vals: [16, 32]}
  optimizer: {name: {type: const, val: sgd}, momentum: {type: double, minval: 0, maxval: 1}}
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "experiment.yaml"
    path.write_text(TEXT, encoding="utf-8")
    return path


HPARAMS = "{'bare': None, 'whole': {'type': 'const', 'val': 3}, 'new': 1}"
# code, its value and type; `config` is the file
RIGHT = {
    "read_experiment(str(file)) == config": True,
    "read_experiment(config) is config": True,
    "read_experiment({'data': {'path': 'x'}})['data']": {"path": "x"},
    # the dots of a key descend
    "require(config, 'data.path', str)": "cifar-10",
    "require(config, 'data.file_length', int)": 10000,
    "require(config, 'data.file_length', float)": 10000.0,
    "require(config, 'data.shuffle', bool)": True,
    "require(config, 'lr', float)": 0.1,
    "require(config, 'lr')": 0.1,
    # a default stands in for what is missing
    **{
        f"require(config, {key!r}, float, default=1)": 1
        for key in ("data.no", "data.nothing", "x.y")
    },
    "require(config, 'lr', float, default=1)": 0.1,
    # hyperparameters; what a trial passes stands in their place
    "[trial_values(config)[name] for name in ('bare', 'constant')]": [7, [1, 2]],
    "trial_values(config)['optimizer']['name']": "sgd",
    f"[trial_values(config, {HPARAMS})[name] for name in ('bare', 'whole', 'new')]": [None, 3, 1],
    "dict(trial_values({'hyperparameters': None}))": {},
    "dict(trial_values({}, None))": {},
    # keys that others read
    "refuse({'searcher': {}, 'data': None, 'hyperparameters': {'lr': 1, 3: 4}}, {'a': 6})": None,
}
KIND = "must be a whole number (int), got"
RANGE = "n must be a whole number (int), got {'"
# code, and what its error says
REFUSED = {
    "require(config, 'data.paht', str)": "{file}: data.paht is missing; did you mean 'path'?",
    "require(config, 'dta.path', str)": "{file}: dta is missing; did you mean 'data'?",
    "require(config, 'data.nothing', str)": "{file}: data.nothing is null",
    "require(config, 'data.path.x', str)": "{file}: data.path must hold keys, got 'cifar-10' (str)",
    "require(config, 'data.file_length', str)": "file_length must be text (str), got 10000 (int)",
    "require(config, 'data.path', int)": f"data.path {KIND} 'cifar-10' (str)",
    "require(config, 'data.path', int, default=1)": f"data.path {KIND}",
    "require(config, 'data.shuffle', int)": f"data.shuffle {KIND} True (bool)",
    "require(config, 'data.shuffle', float)": "must be a number (float), got True (bool)",
    "require(config, 'lr', int)": f"lr {KIND} 0.1 (float)",
    "require(config, 'lr', list)": "lr must be list, got 0.1 (float)",
    "require({}, 'data', str)": "the experiment config: data is missing",
    "read_experiment(3)": "a dict or the path of a YAML file, got 3 (int)",
    "read_experiment('no_such.yaml')": "no_such",
    # ranges at any depth; a range that makes no sense is none
    "trial_values(config, {'optimizer': {'momentum': 2}})": "hparams.optimizer.momentum must be in",
    **{
        f"require(trial_values({{'hyperparameters': {{'n': {wrong}}}}}), 'n', int)": RANGE
        for wrong in ({"type": "int", "minval": 1}, {"type": "integer"}, {"type": "log"})
    },
    "trial_values({'hyperparameters': [1]})": "hyperparameters must hold names and values, got [1]",
    "trial_values({}, 5)": "hparams must be a dict of names and values, such as {'lr': 0.1}, or No",
    # misspelled keys
    "refuse({'data': {'file_lenght': 20}})": "data.file_lenght is no key of an experiment; did you",
    "refuse({'data': {'zzz': 1}})": "data.zzz is no key of an experiment; there are 'path', 'file",
    "refuse({'hyperparameter': {}})": "config: nobody reads hyperparameter; did you mean 'hyperpa",
    "refuse({'hyperparameters': {'training_record': 5}})": "did you mean 'training_records'",
    "refuse({}, {'training_records': 5, 'Training-Records': 7})": "hparams, or the hyperparameters",
}


def refuse(config, hparams=None):
    names = {"data": ["path", "file_length"], "hyperparameters": ["training_records"]}
    refuse_unknown_keys(config, trial_values(config, hparams), **names)


@pytest.mark.parametrize("code", RIGHT)
def test_an_experiment_gives_values(file, code):
    names = {**globals(), "file": file, "config": read_experiment(file)}
    prove(f"[{code}, type({code})]", [RIGHT[code], type(RIGHT[code])], names)


@pytest.mark.parametrize("code", REFUSED)
def test_errors_name_the_file_the_key_and_what_is_there(file, code):
    says = REFUSED[code].replace("{file}", str(file))
    errors = (ValueError, TypeError, FileNotFoundError)
    prove(code, refused(errors, says), {**globals(), "config": read_experiment(file)})


@pytest.mark.parametrize(
    "text, says",
    [
        (b"data: [1,\n", "line 2"),
        (b"", "got nothing"),
        (b"- 1\n", r"got \[1\] \(list\)"),
        (b"a: !!python/object/apply:os.getcwd []\n", "could not determine a constructor"),
        (b"a: 2026-99-99\n", "month must be in 1..12"),
        (b"hyperparameters: &a {a: *a}\n", "recursion"),
        (b"a: " + b"[" * 5000, "recursion"),
        (b"data: \xff\n", "YAML in UTF-8"),
    ],
)
def test_what_is_no_experiment_is_refused_with_its_place(file, text, says):
    file.write_bytes(text)
    with pytest.raises(ValueError, match=says) as caught:
        read_experiment(file)
    assert str(caught.value).startswith(f"{file}: an experiment file ")


def test_without_pyyaml_the_message_has_the_command(file, monkeypatch):
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(ImportError, match="pip install pyyaml"):
        read_experiment(file)


# the kind that a range is asked for as, values inside, and values outside
RANGES = {
    "whole": (int, [1, 4, np.int64(8)], [0, 9, 2.5, 2.0, True, "4"]),
    "real": (float, [0.5, np.float32(0.1), np.float32(0.9)], [0.09, 0.91, 4, np.nan, True, "0.5"]),
    "scaled": (float, [0.01, float(np.float32(1e-4)), 0.1], [0.00009, 0.11, -2, 0]),
    "named": (int, [np.int64(16), 32], [4, "32", [16, 32], True]),
}


@pytest.mark.parametrize("name", RANGES)
def test_a_range_needs_a_value_and_a_value_lies_in_its_range(file, name):
    kind, inside, outside = RANGES[name]
    config = read_experiment(file)
    with pytest.raises(ValueError, match=rf"experiment\.yaml: {name} must be .*; a search draws"):
        require(trial_values(config), name, kind)
    for value in inside:
        found = require(trial_values(config, {name: value}), name, kind)
        assert found == value and type(found) is kind
    for value in outside:
        with pytest.raises(ValueError, match=rf"^hparams\.{name} must be in the range .*, got "):
            trial_values(config, {name: value})
    for value in (None, {"type": "int", "minval": 50, "maxval": 60}):  # another range is no value
        assert trial_values(config, {name: value})[name] == value

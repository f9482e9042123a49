"""Experiment files: every error names the file, the key, and what is there instead."""

import sys

import numpy as np
import pytest

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


def test_a_file_is_read_and_a_dict_is_taken_as_it_is(file):
    config = read_experiment(file)
    assert config == read_experiment(str(file)) and config["data"]["path"] == "cifar-10"
    assert read_experiment(config) is config
    assert read_experiment({"data": {"path": "x"}}) == {"data": {"path": "x"}}


@pytest.mark.parametrize(
    "key, kind, value",
    [
        ("data.path", str, "cifar-10"),
        ("data.file_length", int, 10000),
        ("data.file_length", float, 10000.0),
        ("data.shuffle", bool, True),
        ("lr", float, 0.1),
        ("lr", object, 0.1),
    ],
)
def test_the_dots_of_a_key_descend(file, key, kind, value):
    found = require(read_experiment(file), key, kind)
    assert found == value and type(found) is type(value)


@pytest.mark.parametrize(
    "key, kind, sentence",
    [
        ("data.paht", str, "data.paht is missing; did you mean 'path'?"),
        ("dta.path", str, "dta is missing; did you mean 'data'?"),
        ("data.nothing", str, "data.nothing is null"),
        ("data.path.x", str, "data.path must hold keys, got 'cifar-10' (str)"),
        ("data.file_length", str, "data.file_length must be text (str), got 10000 (int)"),
        ("data.path", int, "data.path must be a whole number (int), got 'cifar-10' (str)"),
        ("data.shuffle", int, "data.shuffle must be a whole number (int), got True (bool)"),
        ("data.shuffle", float, "data.shuffle must be a number (float), got True (bool)"),
        ("lr", int, "lr must be a whole number (int), got 0.1 (float)"),
        ("lr", list, "lr must be list, got 0.1 (float)"),
    ],
)
def test_errors_name_the_file_the_key_and_what_is_there(file, key, kind, sentence):
    with pytest.raises(ValueError) as caught:
        require(read_experiment(file), key, kind)
    assert str(caught.value) == f"{file}: {sentence}"


def test_a_default_stands_in_for_what_is_missing_but_not_for_what_is_wrong(file):
    config = read_experiment(file)
    for key, found in (("data.slots", 1), ("data.nothing", 1), ("other.x", 1), ("lr", 0.1)):
        assert require(config, key, float, default=1) == found
    with pytest.raises(ValueError, match=r"data\.path must be a whole number"):
        require(config, "data.path", int, default=1)
    with pytest.raises(ValueError, match=r"^the experiment config: data is missing$"):
        require({}, "data", str)


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


def test_other_sources_are_refused(file, tmp_path, monkeypatch):
    with pytest.raises(TypeError, match=r"a dict or the path of a YAML file, got 3 \(int\)"):
        read_experiment(3)
    with pytest.raises(FileNotFoundError, match="no_such"):
        read_experiment(tmp_path / "no_such.yaml")
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(ImportError, match="pip install pyyaml"):
        read_experiment(file)


def test_what_a_trial_passes_stands_in_place_of_the_file(file):
    config = read_experiment(file)
    own = trial_values(config)
    assert own["bare"] == 7 and own["constant"] == [1, 2] and own["optimizer"]["name"] == "sgd"
    values = trial_values(config, {"bare": None, "whole": {"type": "const", "val": 3}, "new": 1})
    assert (values["bare"], values["whole"], values["new"]) == (None, 3, 1)
    assert trial_values({"hyperparameters": None}) == trial_values({}, None) == {}


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


def test_ranges_are_found_at_any_depth_and_what_has_no_sense_is_none(file):
    with pytest.raises(ValueError, match=r"^hparams\.optimizer\.momentum must be in the range"):
        trial_values(read_experiment(file), {"optimizer": {"momentum": 2}})
    for wrong in ({"type": "int", "minval": 1}, {"type": "integer"}, {"type": "log", "minval": 1}):
        with pytest.raises(
            ValueError, match=r"n must be a whole number \(int\), got \{'(type|minval)'"
        ):
            require(trial_values({"hyperparameters": {"n": wrong}}), "n", int)
    with pytest.raises(ValueError, match=r"hyperparameters must hold names and values, got \[1\]"):
        trial_values({"hyperparameters": [1]})
    with pytest.raises(TypeError, match=r"hparams must be a dict of names and values.* got 5 \("):
        trial_values({}, 5)


@pytest.mark.parametrize(
    "config, hparams, says",
    [
        ({"data": {"file_lenght": 20}}, None, r"data\.file_lenght is .* mean 'file_length'\?$"),
        ({"data": {"zzz": 1}}, None, r"data\.zzz is no key .*; there are 'path', 'file_length'$"),
        ({"hyperparameter": {}}, None, r"config: nobody reads .* mean 'hyperparameters'\?$"),
        ({"hyperparameters": {"training_record": 5}}, None, r"config: nobody .* 'training_records"),
        ({}, {"training_records": 5, "Training-Records": 7}, "^hparams, or .*'training_records'"),
    ],
)
def test_a_misspelled_key_is_refused_with_the_nearest_one(config, hparams, says):
    names = {"data": ["path", "file_length"], "hyperparameters": ["training_records"]}
    with pytest.raises(ValueError, match=says):
        refuse_unknown_keys(config, trial_values(config, hparams), **names)
    others = {"searcher": {"name": "single"}, "data": None, "hyperparameters": {"lr": 0.1, 3: 4}}
    refuse_unknown_keys(others, trial_values(others, {"global_batch_size": 64}), **names)

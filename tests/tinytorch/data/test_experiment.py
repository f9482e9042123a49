"""Experiment files: every error names the file, the key, and what is there instead."""

import sys
from pathlib import Path

import numpy as np
import pytest

from tinytorch.data.experiment import (
    read_experiment,
    refuse_unknown_keys,
    require,
    trial_values,
)

TEXT = """\
data:
  path: cifar-10-batches-py
  file_length: 10000
  cache_size: 2
  shuffle: true
  nothing:
lr: 0.1
steps: [1, 2]
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "experiment.yaml"
    path.write_text(TEXT, encoding="utf-8")
    return path


@pytest.mark.parametrize("form", [str, Path])
def test_a_yaml_file_is_read_as_a_dict(file, form):
    config = read_experiment(form(file))
    assert (
        config["data"]["path"] == "cifar-10-batches-py"
        and isinstance(config, dict)
        and config.source == str(file)
    )


def test_a_dict_is_taken_as_it_is_and_an_experiment_passes_through():
    config = read_experiment({"data": {"path": "x"}})
    assert config == {"data": {"path": "x"}} and read_experiment(config) is config


@pytest.mark.parametrize(
    "key, kind, value",
    [
        ("data.path", str, "cifar-10-batches-py"),
        ("data.file_length", int, 10000),
        ("lr", float, 0.1),
        ("data.file_length", float, 10000.0),
        ("data.shuffle", bool, True),
        ("steps", list, [1, 2]),
        ("data", dict, None),
        ("data.path", object, "cifar-10-batches-py"),
    ],
)
def test_the_dots_of_a_key_descend(file, key, kind, value):
    config = read_experiment(file)
    found = require(config, key, kind)
    assert found == (config["data"] if value is None else value) and (
        kind is not float or type(found) is float
    )


@pytest.mark.parametrize(
    "key, kind, sentence",
    [
        ("data.paht", str, "{file}: data.paht is missing; did you mean 'path'?"),
        (
            "data.zzz",
            str,
            (
                "{file}: data.zzz is missing; there are 'path', 'file_length', 'cache_size',"
                " 'shuffle', 'nothing'"
            ),
        ),
        ("dta.path", str, "{file}: dta is missing; did you mean 'data'? (dta.path is needed)"),
        ("data.nothing", str, "{file}: data.nothing is null"),
        (
            "data.path.more",
            str,
            (
                "{file}: data.path.more is asked for, so data.path must hold keys, got"
                " 'cifar-10-batches-py' (str)"
            ),
        ),
        (
            "data.cache_size",
            str,
            (
                "{file}: data.cache_size must be text (str), got 2 (int); text that looks like"
                " something else needs quotes in YAML"
            ),
        ),
        (
            "data.path",
            int,
            "{file}: data.path must be a whole number (int), got 'cifar-10-batches-py' (str)",
        ),
        ("data.shuffle", int, "{file}: data.shuffle must be a whole number (int), got True (bool)"),
        ("lr", int, "{file}: lr must be a whole number (int), got 0.1 (float)"),
        ("lr", list, "{file}: lr must be a list, got 0.1 (float)"),
    ],
)
def test_errors_name_the_file_the_key_and_what_is_there(file, key, kind, sentence):
    with pytest.raises(ValueError) as caught:
        require(read_experiment(file), key, kind)
    assert str(caught.value) == sentence.format(file=file)


def test_a_number_that_yaml_takes_for_text_is_explained(file):
    file.write_text("lr: 1e-3\n", encoding="utf-8")
    with pytest.raises(
        ValueError, match=r"lr must be a number .* got '1e-3' \(str\); YAML takes .* write 1.0e-3"
    ):
        require(read_experiment(file), "lr", float)


def test_a_path_object_counts_as_text(tmp_path):
    assert require({"data": {"path": tmp_path}}, "data.path", str) == str(tmp_path)


def test_without_a_file_the_message_says_config():
    with pytest.raises(ValueError, match=r"^the experiment config: data\.path is missing"):
        require({"data": {}}, "data.path", str)


def test_a_default_stands_in_for_what_is_missing_but_not_for_what_is_wrong(file):
    config = read_experiment(file)
    assert require(config, "data.slots", int, default=1) == 1
    assert require(config, "data.nothing", int, default=1) == 1
    assert require(config, "other.slots", int, default=None) is None
    assert require(config, "data.cache_size", int, default=1) == 2
    with pytest.raises(ValueError, match=r"data\.path must be a whole number"):
        require(config, "data.path", int, default=1)


@pytest.mark.parametrize(
    "text, says",
    [
        ("data: [1,\n", "line 2"),
        (
            "a: 1\nb: 2\na: 3\n",
            (
                "line 3, column 1: not YAML:"
                " the key a appears here for the second time, first in line 1"
            ),
        ),
        ("data:\n  path: x\n  path: y\n", "line 3, column 3"),
        ("", "got nothing"),
        ("- 1\n", r"got \[1\] \(list\)"),
        ("only text", "got 'only text'"),
        (
            "a: !!python/object/apply:os.getcwd []\n",
            "line 1, column 4: not YAML: could not determine a constructor",
        ),
        ("a: \x00", "not YAML"),
        ("a: *b\n", "undefined alias"),
        ("hyperparameters: &a {a: *a}\n", "line 1, .*an alias stands inside of what it names"),
        ("a: &a\n  - [1, *a]\n", "line 1, .*an alias stands inside of what it names"),
        ("a: " + "[" * 5000 + "]" * 5000, "nested too deep"),
    ],
)
def test_what_is_no_experiment_is_refused_with_its_place(file, text, says):
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=says) as caught:
        read_experiment(file)
    assert str(caught.value).startswith(str(file))


def test_merge_keys_are_read(file):
    file.write_text(
        "base: &base {path: x, seed: 1}\nalso: &also {a: 1}\ndata: {<<: *base, seed: 2}\nmore:"
        " {<<: [*base, *also]}\n",
        encoding="utf-8",
    )
    config = read_experiment(file)
    assert config["data"] == {"path": "x", "seed": 2} and config["more"] == {
        "path": "x",
        "seed": 1,
        "a": 1,
    }


def test_other_sources_are_refused(file, tmp_path):
    with pytest.raises(TypeError, match=r"a dict or the path of a YAML file, got 3 \(int\)"):
        read_experiment(3)
    with pytest.raises(
        FileNotFoundError, match=r"no_such.yaml: no such experiment file; the current folder is"
    ):
        read_experiment(tmp_path / "no_such.yaml")
    with pytest.raises(IsADirectoryError, match="this is a folder; pass the YAML file"):
        read_experiment(tmp_path)
    file.write_bytes(b"data: \xff\n")
    with pytest.raises(ValueError, match="UTF-8, byte 6"):
        read_experiment(file)


def test_without_pyyaml_the_message_says_what_to_install(file, monkeypatch):
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(ImportError, match="pip install pyyaml"):
        read_experiment(file)
    assert read_experiment({"a": 1}) == {"a": 1}


# Hyperparameters: values, and PEDL's kinds

SEARCH = """\
hyperparameters:
  bare: 7
  constant: {type: const, val: [1, 2]}
  whole: {type: int, minval: 1, maxval: 8}
  real: {type: double, minval: 0.1, maxval: 0.9}
  scaled: {type: log, base: 10, minval: -4, maxval: -1}
  named: {type: categorical, vals: [16, 32]}
  optimizer: {name: {type: const, val: sgd}, momentum: 0.9}
"""
# the kind that a range is asked for as, a value inside, and values outside
RANGES = {
    "whole": (int, 4, [0, 9, 2.5, 2.0, True, "4"]),
    "real": (float, 0.5, [0.09, 0.91, 4, float("nan"), True, "0.5"]),
    "scaled": (float, 0.01, [0.00009, 0.11, -2, 0]),
    "named": (int, 32, [4, "32", [16, 32], True]),
}


def test_values_and_constants_are_read_at_any_depth(file):
    file.write_text(SEARCH, encoding="utf-8")
    values = trial_values(read_experiment(file))
    assert values["bare"] == 7 and values["constant"] == [1, 2]
    assert values["optimizer"] == {"name": "sgd", "momentum": 0.9}


@pytest.mark.parametrize("name", RANGES)
def test_a_range_is_refused_by_name_where_its_value_is_needed(file, name):
    kind, inside, _ = RANGES[name]
    file.write_text(SEARCH, encoding="utf-8")
    config = read_experiment(file)
    with pytest.raises(
        ValueError,
        match=rf"^the hyperparameters of .*experiment\.yaml: {name} must be .*; a search draws one"
        rf" value of this range for each trial: pass it, hparams={{'{name}': ...}}",
    ):
        require(trial_values(config), name, kind)
    assert require(trial_values(config, {name: inside}), name, kind) == inside


@pytest.mark.parametrize("name", RANGES)
def test_a_value_outside_of_its_range_is_refused_by_name(file, name):
    file.write_text(SEARCH, encoding="utf-8")
    config = read_experiment(file)
    for outside in RANGES[name][2]:
        with pytest.raises(ValueError, match=rf"^hparams: {name} must be .*, got "):
            trial_values(config, {name: outside})
    nested = {"hyperparameters": {"optimizer": config["hyperparameters"]}}
    with pytest.raises(ValueError, match=rf"^hparams: optimizer\.{name} must be"):
        trial_values(nested, {"optimizer": {name: RANGES[name][2][0]}})
    # no value, and another range, are looked at by those who need one
    for other in (None, {"type": "int", "minval": 50, "maxval": 60}):
        assert trial_values(config, {name: other})[name] == other


def test_the_ends_of_a_range_are_inside_also_when_a_search_has_rounded_them(file):
    file.write_text(SEARCH, encoding="utf-8")
    config = read_experiment(file)
    for name, ends in (("whole", (1, 8)), ("real", (0.1, 0.9)), ("scaled", (0.0001, 0.1))):
        for end in ends:
            kinds = (int, np.int64) if name == "whole" else (float, np.float32, np.float64)
            assert [trial_values(config, {name: kind(end)})[name] for kind in kinds]
    assert trial_values(config, {"named": np.int64(16)})["named"] == 16


def test_the_advice_for_a_nested_range_works():
    section = {"opt": {"adam": {"lr": {"type": "double", "minval": 0.1, "maxval": 1}}}}
    config = {"hyperparameters": section}
    with pytest.raises(ValueError, match=r"pass it, (hparams=\{.*\}), or write it here as lr: v"):
        require(trial_values(config), "opt.adam.lr", float)
    try:
        require(trial_values(config), "opt.adam.lr", float)
    except ValueError as error:
        advice = str(error).partition("hparams=")[2].partition(", or write")[0]
    assert advice == "{'opt': {'adam': {'lr': ...}}}"
    assert require(trial_values(config, eval(advice.replace("...", "0.5"))), "opt.adam.lr") == 0.5


@pytest.mark.parametrize(
    "kind, value, same",
    [
        (int, np.int64(5), 5),
        (int, np.uint8(5), 5),
        (float, np.float32(0.5), 0.5),
        (float, np.int64(2), 2.0),
        (bool, np.bool_(True), True),
    ],
)
def test_numbers_of_numpy_are_numbers(kind, value, same):
    found = require(trial_values({}, {"x": value}), "x", kind)
    assert found == same and type(found) is kind


@pytest.mark.parametrize("kind, value", [(int, np.bool_(True)), (int, np.float64(2)), (float, "1")])
def test_what_is_no_such_number_is_refused_whatever_its_library(kind, value):
    with pytest.raises(ValueError, match="x must be"):
        require({"x": value}, "x", kind)


@pytest.mark.parametrize("wrong", [5, [1], "x"])
def test_hparams_are_a_mapping(wrong):
    with pytest.raises(TypeError, match=r"hparams must be a dict of names and values.* got .*\("):
        trial_values({}, wrong)


def test_what_was_passed_is_not_explained_with_the_file(file):
    file.write_text("hyperparameters: {n: 3}\n", encoding="utf-8")
    with pytest.raises(ValueError) as caught:
        require(trial_values(read_experiment(file), {"n": "5"}), "n", int)
    assert str(caught.value) == "hparams: n must be a whole number (int), got '5' (str)"
    with pytest.raises(ValueError) as caught:
        require({"lr": "0.1"}, "lr", float)
    assert str(caught.value).endswith("got '0.1' (str)")


# Keys that nobody reads


def refused(config, hparams=None):
    refuse_unknown_keys(
        config,
        trial_values(config, hparams),
        data=["path", "file_length"],
        hyperparameters=["training_records"],
    )


@pytest.mark.parametrize(
    "config, hparams, says",
    [
        (
            {"data": {"file_lenght": 20}},
            None,
            r"config: data\.file_lenght is no key .*; did you mean 'file_length'\?$",
        ),
        ({"data": {"zzz": 1}}, None, r"data\.zzz is no key .*; there are 'path', 'file_length'$"),
        ({"hyperparameter": {}}, None, r"hyperparameter is no .* did you mean 'hyperparameters'"),
        ({"recources": {}}, None, r"config: recources is no .* did you mean 'resources'"),
        (
            {"hyperparameters": {"training_record": 5}},
            None,
            r"^the experiment config: .* training_record; did you mean 'training_records'",
        ),
        ({}, {"trainig_records": 5}, r"^hparams: .* trainig_records; .* 'training_records'"),
        ({}, {"training_records": 5, "Training-Records": 7}, "did you mean 'training_records'"),
    ],
)
def test_a_misspelled_key_is_refused_with_the_nearest_one(config, hparams, says):
    with pytest.raises(ValueError, match=says):
        refused(config, hparams)


def test_keys_of_the_platform_and_names_of_other_parts_are_allowed():
    refused(
        {
            "description": "x",
            "searcher": {"name": "single", "metric": "error"},
            "resources": {"slots_per_trial": 2},
            "checkpoint_storage": {"type": "shared_fs"},
            "data": None,
            "hyperparameters": {"training_records": 5, "training_seconds": 3, "lr": 0.1, 3: 4},
        },
        {"global_batch_size": 64},
    )


def test_what_a_trial_passes_stands_in_place_of_the_file(file):
    file.write_text(SEARCH, encoding="utf-8")
    config = read_experiment(file)
    values = trial_values(config, {"bare": None, "whole": {"type": "const", "val": 3}, "new": 1})
    assert (values["bare"], values["whole"], values["new"]) == (None, 3, 1)
    assert trial_values({}, config["hyperparameters"])["constant"] == [1, 2]
    assert trial_values({}, {"optimizer": {"type": "sgd"}}) == {"optimizer": {"type": "sgd"}}
    assert trial_values({"hyperparameters": None}) == trial_values({}, None) == {}


@pytest.mark.parametrize(
    "section, says",
    [
        ("[1, 2]", r"hyperparameters must hold names and values, got \[1, 2\] \(list\)"),
        ("{lr: {type: integer}}", r"hyperparameters\.lr: no type .* 'integer'; did you mean 'int'"),
        ("{lr: {type: const}}", r"hyperparameters\.lr: .* of type const needs the key val$"),
        ("{a: {b: {type: int, minval: 1}}}", r"a\.b: .* of type int needs the key maxval$"),
        ("{lr: {type: log, minval: 1, maxval: 2}}", r"lr: .* of type log needs the key base$"),
        ("{lr: {type: categorical}}", r"lr: .* of type categorical needs the key vals$"),
        ("{n: {type: int, minval: a, maxval: 1}}", r"n: minval must be a whole number, got 'a'"),
        ("{n: {type: int, minval: 1, maxval: 1.5}}", r"n: maxval must be a whole number, got 1\.5"),
        ("{n: {type: double, minval: .nan, maxval: 1}}", r"n: minval must be a number, got nan"),
        (
            "{n: {type: int, minval: 30, maxval: 1}}",
            r"n: minval must be at most maxval, got 30 and 1",
        ),
        ("{n: {type: categorical, vals: 10}}", r"n: vals must be a list of one .*, got 10 \(int\)"),
        ("{n: {type: categorical, vals: []}}", r"n: vals must be a list of one value or more"),
        ("{n: {type: log, base: 0, minval: 1, maxval: 2}}", r"n: base must be more than 0, got 0"),
    ],
)
def test_a_hyperparameter_without_sense_is_refused_by_name(file, section, says):
    file.write_text(f"hyperparameters: {section}\n", encoding="utf-8")
    with pytest.raises(ValueError, match=rf"^.*experiment\.yaml: .*{says}"):
        trial_values(read_experiment(file))

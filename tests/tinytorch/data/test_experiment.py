"""Experiment files: every error names the file, the key, and what is there instead."""

import sys
from pathlib import Path

import pytest

from tinytorch.data.experiment import read_experiment, require, trial_values

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
RANGES = {"whole": int, "real": float, "scaled": float, "named": int}


def test_values_and_constants_are_read_at_any_depth(file):
    file.write_text(SEARCH, encoding="utf-8")
    values = trial_values(read_experiment(file))
    assert values["bare"] == 7 and values["constant"] == [1, 2]
    assert values["optimizer"] == {"name": "sgd", "momentum": 0.9}


@pytest.mark.parametrize("name, kind", RANGES.items())
def test_a_range_is_refused_by_name_where_its_value_is_needed(file, name, kind):
    file.write_text(SEARCH, encoding="utf-8")
    config = read_experiment(file)
    with pytest.raises(
        ValueError,
        match=rf"^the hyperparameters of .*experiment\.yaml: {name} must be .*; a search draws one"
        rf" value of this range for each trial: pass it, hparams={{'{name}': ...}}",
    ):
        require(trial_values(config), name, kind)
    assert require(trial_values(config, {name: 4}), name, kind) == 4


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
    ],
)
def test_a_hyperparameter_without_sense_is_refused_by_name(file, section, says):
    file.write_text(f"hyperparameters: {section}\n", encoding="utf-8")
    with pytest.raises(ValueError, match=rf"^.*experiment\.yaml: .*{says}"):
        trial_values(read_experiment(file))

"""The configuration of an experiment, from a YAML file or a dict, and its hyperparameters: values,
or PEDL's (Determined's) ranges, from which a search draws one value for each trial. When a key is
missing or has a wrong value, the error names the file, the key and the value.
"""

from __future__ import annotations

import os
import reprlib
from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from pathlib import Path
from typing import Any

from tinytorch.data.mistyped_names import did_you_mean, slip_of

_MISSING: Any = object()
# What a value may be for each kind that is asked for, and its name. NumPy's numbers are among them.
_KINDS: dict[type, tuple[Any, str]] = {
    str: ((str, os.PathLike), "text (str)"),
    int: ((Integral,), "a whole number (int)"),
    float: ((Real,), "a number (float)"),
}


class Experiment(dict):
    """The configuration as a dict; error messages say where it comes from, `source`."""

    source = "the experiment config"


def _source(config: Mapping) -> str:
    return getattr(config, "source", Experiment.source)


def read_experiment(source: str | os.PathLike | Mapping) -> Experiment:
    """Return the configuration in a YAML file, or in a mapping.

    Raises:
        OSError: there is no such file, or it is a folder.
        ValueError: the file is not YAML in UTF-8 (the message gives the line), or it does not hold
            a mapping of keys.
        ImportError: PyYAML is not installed.
        TypeError: `source` is neither a path nor a mapping.
    """
    if isinstance(source, Mapping):
        return source if isinstance(source, Experiment) else Experiment(source)
    if not isinstance(source, (str, os.PathLike)):
        raise TypeError(f"an experiment is a dict or the path of a YAML file, got {_shown(source)}")
    try:
        import yaml
    except ImportError as error:
        raise ImportError(
            "an experiment file is read with PyYAML: pip install pyyaml;"
            " or pass the configuration as a dict"
        ) from error
    path = Path(source).expanduser()
    try:
        with open(path, encoding="utf-8") as file:
            content = yaml.safe_load(file)
        _constants(content)  # an alias inside of what it names is without an end: RecursionError
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ValueError(f"{path}: an experiment file is YAML in UTF-8: {error}") from None
    if not isinstance(content, dict):
        raise ValueError(
            f"{path}: an experiment file holds keys and values, such as `data:`, got"
            f" {'nothing' if content is None else _shown(content)}"
        )
    config = Experiment(content)
    config.source = str(path)
    return config


def require(config: Mapping, key: str, kind: type = object, *, default: Any = _MISSING) -> Any:
    """Return the value of a key such as "data.path": the dots descend into mappings.

    Args:
        kind: the type that the value must have. float accepts whole numbers too, int refuses true
            and false, str accepts a pathlib.Path and returns its text. A NumPy number counts as
            Python's, and is returned as one.
        default: returned where the key is missing or null; without a default the key is required.

    Raises:
        ValueError: the key is missing, or its value has another type.
    """
    where, parts = _source(config), key.split(".")
    value: Any = config
    for depth, name in enumerate(parts, 1):
        if not isinstance(value, Mapping):
            raise ValueError(
                f"{where}: {'.'.join(parts[: depth - 1])} must hold keys, got {_shown(value)}"
            )
        if value.get(name) is None:
            if default is not _MISSING:
                return default
            said = "null" if name in value else f"missing{did_you_mean(name, map(str, value))}"
            raise ValueError(f"{where}: {'.'.join(parts[:depth])} is {said}")
        value = value[name]
    accepted, named = _KINDS.get(kind, ((kind,), kind.__name__))
    if not isinstance(value, accepted) or (isinstance(value, bool) and kind in (int, float)):
        drawn = ""
        if isinstance(value, Mapping) and "type" in value:
            drawn = "; a search draws one value of a range for each trial: pass it in hparams"
        raise ValueError(f"{where}: {key} must be {named}, got {_shown(value)}{drawn}")
    if kind is str:
        return os.fspath(value)
    return kind(value) if kind in (int, float) else value


def trial_values(config: Mapping, hparams: Mapping | None = None) -> Experiment:
    """Return the hyperparameters of one trial: those under `hyperparameters:` in the experiment,
    and name for name in their place `hparams`, the values of this trial.

    A value is written alone (`lr: 0.1`) or as PEDL's `{type: const, val: 0.1}`. A range (`int`,
    `double`, `log`, `categorical`) without a value in `hparams` stays, and `require` refuses it.

    Raises:
        ValueError: the section holds no names.
        TypeError: `hparams` is no mapping.
    """
    if not isinstance(hparams, (Mapping, type(None))):
        raise TypeError(
            "hparams must be a dict of names and values, such as {'lr': 0.1}, or None, got"
            f" {_shown(hparams)}"
        )
    where, section = _source(config), config.get("hyperparameters")
    if not isinstance(section, (Mapping, type(None))):
        raise ValueError(
            f"{where}: hyperparameters must hold names and values, got {_shown(section)}"
        )
    values = Experiment(_constants({**(section or {}), **(hparams or {})}))
    values.source = f"hparams, or the hyperparameters of {where}"
    return values


def refuse_unknown_keys(
    config: Mapping, hparams: Mapping, *, data: Iterable[str], hyperparameters: Iterable[str]
) -> None:
    """Refuse a misspelled key: its default would silently stay in place.

    Args:
        config: from `read_experiment`.
        hparams: from `trial_values`.
        data: the keys that the section `data` may have.
        hyperparameters: the names that are looked up in `hparams`; other parts of the training
            read other names, so only one that is almost a name of these is refused.

    Raises:
        ValueError: `data` has another key, or a key is misspelled; the message names it.
    """
    known = list(data)
    for key in config.get("data") or {}:
        if key not in known:
            hint = did_you_mean(key, known)
            raise ValueError(f"{_source(config)}: data.{key} is no key of an experiment{hint}")
    sections = ["data", "hyperparameters"]
    for keys, read in ((config, sections), (hparams, list(hyperparameters))):
        for key in keys:
            if meant := slip_of(key, read):
                raise ValueError(f"{_source(keys)}: nobody reads {key}; did you mean {meant!r}?")


def _constants(value: Any) -> Any:
    """`value`, with the value of each of PEDL's constants in its place."""
    if not isinstance(value, Mapping):
        return value
    if value.get("type") == "const" and "val" in value:
        return value["val"]
    return {name: _constants(each) for name, each in value.items()}


def _shown(value: Any) -> str:
    return f"{reprlib.repr(value)} ({type(value).__name__})"

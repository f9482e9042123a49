"""The configuration of an experiment, from a YAML file or a dict. When a key is missing or has a
wrong value, the error names the file, the key and the value.
"""

from __future__ import annotations

import os
import reprlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tinytorch.data.suggestions import did_you_mean

_MISSING: Any = object()
_KINDS = {
    str: "text (str)",
    int: "a whole number (int)",
    float: "a number (float)",
    bool: "true or false (bool)",
    list: "a list",
    dict: "a mapping (dict)",
}
# PEDL's (Determined's) kinds of hyperparameters, and the keys that each one needs. All but const
# describe what a search draws from: an experiment file alone has no value for them.
_SEARCHED = {
    "const": ("val",),
    "int": ("minval", "maxval"),
    "double": ("minval", "maxval"),
    "log": ("base", "minval", "maxval"),
    "categorical": ("vals",),
}


class Experiment(dict):
    """The configuration as a dict; `source` says in error messages where it comes from."""

    def __init__(self, content: Mapping, source: str = "the experiment config"):
        super().__init__(content)
        self.source = source


def read_experiment(source: str | os.PathLike | Mapping) -> Experiment:
    """Return the configuration in a YAML file, or in a mapping.

    Args:
        source: the file's path, or a dict with the configuration.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the file is not UTF-8 or not YAML (the message gives line and column), names a
            key twice, or does not hold a mapping of keys.
        ImportError: PyYAML is not installed.
        TypeError: `source` is neither a path nor a mapping.
    """
    if isinstance(source, Experiment):
        return source
    if isinstance(source, Mapping):
        return Experiment(source)
    if not isinstance(source, (str, os.PathLike)):
        raise TypeError(f"an experiment is a dict or the path of a YAML file, got {_shown(source)}")
    path = Path(source).expanduser()
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise FileNotFoundError(
            f"{path}: no such experiment file; the current folder is {Path.cwd()}"
        ) from None
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{path}: an experiment file is YAML in UTF-8, byte {error.start} is not;"
            " save it as UTF-8"
        ) from None
    content = _parse(text, str(path))
    if not isinstance(content, dict):
        raise ValueError(
            f"{path}: an experiment file holds keys and values, such as `data:`, got"
            f" {'nothing' if content is None else _shown(content)}"
        )
    return Experiment(content, str(path))


def require(config: Mapping, key: str, kind: type = object, *, default: Any = _MISSING) -> Any:
    """Return the value of a key such as "data.path": the dots descend into mappings.

    Args:
        config: from `read_experiment`, or any mapping.
        kind: the type that the value must have. float accepts whole numbers too, int refuses true
            and false, str accepts a pathlib.Path and returns its text.
        default: returned where the key is missing or null; without a default the key is required.
            A value of a wrong type is an error in either case.

    Raises:
        ValueError: the key is missing, or its value has another type. The message names the file,
            the key and the value.
    """
    where, value, parts = getattr(config, "source", "the experiment config"), config, key.split(".")
    for depth, name in enumerate(parts):
        if not isinstance(value, Mapping):
            raise ValueError(
                f"{where}: {key} is asked for, so {'.'.join(parts[:depth]) or 'it'} must hold keys,"
                f" got {_shown(value)}"
            )
        if value.get(name) is None:
            if default is not _MISSING:
                return default
            said = (
                "is null" if name in value else f"is missing{did_you_mean(name, map(str, value))}"
            )
            raise ValueError(
                f"{where}: {'.'.join(parts[: depth + 1])} {said}"
                + (f" ({key} is needed)" if depth + 1 < len(parts) else "")
            )
        value = value[name]
    if not _is_kind(value, kind):
        raise ValueError(
            f"{where}: {key} must be {_KINDS.get(kind, kind.__name__)}, got"
            f" {_shown(value)}{_trap(value, kind, parts[-1])}"
        )
    return float(value) if kind is float else os.fspath(value) if kind is str else value


def trial_values(config: Mapping, hparams: Mapping | None = None) -> Experiment:
    """Return the hyperparameters of one trial: those under `hyperparameters:` in the experiment,
    and name for name in their place `hparams`, the values of this trial.

    A value is written alone (`lr: 0.1`) or as PEDL's `{type: const, val: 0.1}`. For a range (`int`,
    `double`, `log`, `categorical`) a search draws a value for each trial; without one in `hparams`
    the range stays what it is, and `require` refuses it by name.

    Raises:
        ValueError: the section holds no names, or a hyperparameter has no known kind or lacks a
            key of its kind; the message names it.
    """
    where = getattr(config, "source", "the experiment config")
    section = config.get("hyperparameters")
    if not isinstance(section, (Mapping, type(None))):
        raise ValueError(
            f"{where}: hyperparameters must hold names and values, got {_shown(section)}"
        )
    own = {
        name: _constant(f"{where}: hyperparameters.{name}", each)
        for name, each in (section or {}).items()
    }
    given = {
        name: _constant(f"hparams: {name}", each) if _kind_of(each) in _SEARCHED else each
        for name, each in (hparams or {}).items()
    }
    return Experiment({**own, **given}, f"the hyperparameters of {where}")


def _kind_of(value: Any) -> str | None:
    kind = value.get("type") if isinstance(value, Mapping) else None
    return kind if isinstance(kind, str) else None


def _constant(name: str, value: Any) -> Any:
    """The value of a hyperparameter; a range, whose keys are checked, stays as it is."""
    kind = _kind_of(value)
    if kind is None:
        if not isinstance(value, Mapping):
            return value
        return {part: _constant(f"{name}.{part}", each) for part, each in value.items()}
    if kind not in _SEARCHED:
        raise ValueError(
            f"{name}: no type of hyperparameters is called {kind!r}{did_you_mean(kind, _SEARCHED)}"
        )
    for key in _SEARCHED[kind]:
        if key not in value:
            raise ValueError(f"{name}: a hyperparameter of type {kind} needs the key {key}")
    return value["val"] if kind == "const" else value


def _is_kind(value: Any, kind: type) -> bool:
    if isinstance(value, bool):
        return kind in (bool, object)
    return isinstance(value, {float: (int, float), str: (str, os.PathLike)}.get(kind, kind))


def _trap(value: Any, kind: type, name: str) -> str:
    """A hint for a value that is a range, or that YAML 1.1 reads with another type than its author
    meant.
    """
    if _kind_of(value) in _SEARCHED:
        return (
            f"; a search draws one value of this range for each trial: pass it,"
            f" hparams={{{name!r}: ...}}, or write it here as {name}: value"
        )
    if kind is str and isinstance(value, (bool, int, float)):
        return "; text that looks like something else needs quotes in YAML"
    if kind in (int, float) and isinstance(value, str):
        try:
            float(value)
        except ValueError:
            return ""
        return (
            "; YAML takes a number without a point before e, or in quotes, for text: write 1.0e-3"
        )
    return ""


def _shown(value: Any) -> str:
    return f"{reprlib.repr(value)} ({type(value).__name__})"


def _parse(text: str, where: str) -> Any:
    try:
        import yaml
    except ImportError as error:
        raise ImportError(
            "an experiment file is read with PyYAML: pip install pyyaml;"
            " or pass the configuration as a dict"
        ) from error

    class Loader(yaml.SafeLoader):
        """Reads plain data only, and refuses a key that appears twice: YAML's own loader silently
        keeps the last of its values.
        """

        def construct_mapping(self, node, deep=False):
            if isinstance(node, yaml.MappingNode):
                first: dict[Any, Any] = {}
                for key, _ in node.value:
                    name = (
                        self.construct_object(key, deep=True)
                        if key.tag != "tag:yaml.org,2002:merge"
                        else id(key)
                    )
                    if isinstance(name, (str, int, float, bool)) and name in first:
                        raise yaml.constructor.ConstructorError(
                            None,
                            None,
                            f"the key {name} appears here for the second time, "
                            f"first in line {first[name] + 1}",
                            key.start_mark,
                        )
                    if isinstance(name, (str, int, float, bool)):
                        first[name] = key.start_mark.line
            return super().construct_mapping(node, deep)

    try:
        return yaml.load(text, Loader)  # a SafeLoader: it creates no objects of other classes
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise ValueError(f"{where}{place}: not YAML: {error.problem or error.context}") from None
    except yaml.YAMLError as error:
        raise ValueError(f"{where}: not YAML: {error}") from None

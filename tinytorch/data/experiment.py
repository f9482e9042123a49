"""The configuration of an experiment, from a YAML file or a dict. When a key is missing or has a
wrong value, the error names the file, the key and the value.
"""

from __future__ import annotations

import os
import reprlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tinytorch.data.search_ranges import check_range, check_within, kind_of
from tinytorch.data.suggestions import did_you_mean, slip_of

_MISSING: Any = object()
_KINDS = {
    str: "text (str)",
    int: "a whole number (int)",
    float: "a number (float)",
    bool: "true or false (bool)",
    list: "a list",
    dict: "a mapping (dict)",
}
# The keys of an experiment file; all but the first two are PEDL's (Determined's), which reads them.
_SECTIONS = tuple(
    "data hyperparameters name description labels project workspace searcher entrypoint environment"
    " resources reproducibility records_per_epoch batches_per_step scheduling_unit max_restarts"
    " min_checkpoint_period min_validation_period perform_initial_validation checkpoint_policy"
    " checkpoint_storage tensorboard_storage bind_mounts data_layer optimizations profiling"
    " log_policies log_pattern_policies retention_policy preemption_timeout integrations pbs slurm"
    " security internal debug".split()
)


class Experiment(dict):
    """The configuration as a dict. Error messages say where it comes from: `source`, and for the
    keys in `passed`, `hparams`; hints on YAML are for a file alone.
    """

    def __init__(
        self,
        content: Mapping,
        source: str = "the experiment config",
        *,
        is_file: bool = False,
        passed: Iterable = (),
    ):
        super().__init__(content)
        self.source, self.is_file, self.passed = source, is_file, frozenset(passed)


def read_experiment(source: str | os.PathLike | Mapping) -> Experiment:
    """Return the configuration in a YAML file, or in a mapping.

    Args:
        source: the file's path, or a dict with the configuration.

    Raises:
        FileNotFoundError: there is no such file. IsADirectoryError: it is a folder.
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
    if path.is_dir():
        raise IsADirectoryError(f"{path}: this is a folder; pass the YAML file that is in it")
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
    return Experiment(content, str(path), is_file=True)


def require(config: Mapping, key: str, kind: type = object, *, default: Any = _MISSING) -> Any:
    """Return the value of a key such as "data.path": the dots descend into mappings.

    Args:
        config: from `read_experiment`, or any mapping.
        kind: the type that the value must have. float accepts whole numbers too, int refuses true
            and false, str accepts a pathlib.Path and returns its text. A NumPy number counts as
            Python's, and is returned as one.
        default: returned where the key is missing or null; without a default the key is required.
            A value of a wrong type is an error in either case.

    Raises:
        ValueError: the key is missing, or its value has another type. The message names the file,
            the key and the value.
    """
    value, parts = config, key.split(".")
    passed = parts[0] in getattr(config, "passed", ())
    where = "hparams" if passed else getattr(config, "source", "the experiment config")
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
        in_yaml = getattr(config, "is_file", False) and not passed
        raise ValueError(
            f"{where}: {key} must be {_KINDS.get(kind, kind.__name__)}, got"
            f" {_shown(value)}{_trap(value, kind, parts, in_yaml)}"
        )
    if kind is str:
        return os.fspath(value)
    return kind(value) if kind in (int, float, bool) else value


def trial_values(config: Mapping, hparams: Mapping | None = None) -> Experiment:
    """Return the hyperparameters of one trial: those under `hyperparameters:` in the experiment,
    and name for name in their place `hparams`, the values of this trial.

    A value is written alone (`lr: 0.1`) or as PEDL's `{type: const, val: 0.1}`. For a range (`int`,
    `double`, `log`, `categorical`) a search draws a value for each trial; without one in `hparams`
    the range stays what it is, and `require` refuses it by name.

    Raises:
        ValueError: the section holds no names, or a hyperparameter has no known kind, lacks a
            key of its kind, has a range without sense, or in `hparams` a value outside of its
            range; the message names it.
        TypeError: `hparams` is no mapping.
    """
    if not isinstance(hparams, (Mapping, type(None))):
        raise TypeError(
            "hparams must be a dict of names and values, such as {'lr': 0.1}, or None, got"
            f" {_shown(hparams)}"
        )
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
        name: _constant(f"hparams: {name}", each) if kind_of(each) else each
        for name, each in (hparams or {}).items()
    }
    for name in own.keys() & given.keys():
        check_within(f"hparams: {name}", own[name], given[name])
    return Experiment(
        {**own, **given},
        f"the hyperparameters of {where}",
        is_file=getattr(config, "is_file", False),
        passed=given,
    )


def refuse_unknown_keys(
    config: Mapping, hparams: Mapping, *, data: Iterable[str], hyperparameters: Iterable[str]
) -> None:
    """Refuse keys that nobody reads: a misspelled one would silently leave its default in place.

    Args:
        config: from `read_experiment`. Beside `data` and `hyperparameters` it may have the other
            keys that PEDL knows.
        hparams: from `trial_values`. Other names are allowed, since other parts of the training
            read them; one that is almost a name in `hyperparameters` is not.
        data: the keys that the section `data` may have.
        hyperparameters: the names that are looked up in `hparams`.

    Raises:
        ValueError: there is another key; the message names it and the nearest known one.
    """
    where = getattr(config, "source", "the experiment config")
    for section, keys, known in (
        ("", config, _SECTIONS),
        ("data.", config.get("data") or {}, list(data)),
    ):
        for key in keys:
            if key not in known:
                raise ValueError(
                    f"{where}: {section}{key} is no key of an experiment{did_you_mean(key, known)}"
                )
    names = list(hyperparameters)
    for name in hparams:
        meant = slip_of(name, names)
        if meant is not None:
            if name in getattr(hparams, "passed", ()):
                where = "hparams"
            raise ValueError(
                f"{where}: nobody reads the hyperparameter {name}; did you mean {meant!r}?"
            )


def _constant(name: str, value: Any) -> Any:
    """The value of a hyperparameter; a range, whose keys are checked, stays as it is."""
    if kind_of(value, any_kind=True):
        return check_range(name, value)
    if isinstance(value, Mapping):
        return {part: _constant(f"{name}.{part}", each) for part, each in value.items()}
    return value


def _is_kind(value: Any, kind: type) -> bool:
    if isinstance(value, (bool, np.bool_)):
        return kind in (bool, object)
    accepted = {
        int: (int, np.integer),
        float: (int, float, np.integer, np.floating),
        str: (str, os.PathLike),
    }
    return isinstance(value, accepted.get(kind, kind))


def _trap(value: Any, kind: type, parts: list[str], in_yaml: bool) -> str:
    """A hint for a value that is a range, or that YAML 1.1 reads with another type than its author
    meant.
    """
    if kind_of(value):
        names = parts[1:] if parts[0] == "hyperparameters" else parts
        passed = "..."
        for name in reversed(names):
            passed = f"{{{name!r}: {passed}}}"
        return (
            "; a search draws one value of this range for each trial: pass it,"
            f" hparams={passed}, or write it here as {names[-1]}: value"
        )
    if not in_yaml:
        return ""
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
        keeps the last of its values. An alias inside of what it names is refused, too.
        """

        def construct_object(self, node, deep=False):
            if node in self.recursive_objects:
                raise yaml.constructor.ConstructorError(
                    None, None, "an alias stands inside of what it names", node.start_mark
                )
            return super().construct_object(node, deep=True)

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
    except RecursionError:
        raise ValueError(f"{where}: not an experiment: nested too deep") from None

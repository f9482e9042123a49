"""The settings in a course's nbgrader_config.py that change a mark: each is honoured, or named and
refused before anything is graded.
"""

from __future__ import annotations

import contextlib
import math
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

from tito.errors import UsageError

LAST_LINE = "# --- your own settings go below this line ---"
LATE = "AssignLatePenalties"  # its plugin may be any class, with settings of its own
# Sections that take part in grading -> their settings that are honoured, or that cannot change a
# mark here. Every other setting of these sections is refused.
_KNOWN = {
    "Autograde": {"exclude_overwriting", "force", "permissions", "create_student"},
    "AssignLatePenalties": {"plugin_class"},
    "BaseConverter": {"force", "permissions"},
    "CourseDirectory": {
        *("assignment_id", "course_id", "db_url", "groupshared", "ignore", "max_dir_size"),
        *("max_file_size", "notebook_id", "root", "source_with_tests_directory"),
        *("solution_directory", "student_id", "student_id_exclude"),
    },
    "CheckCellMetadata": set(),
    "ClearOutput": set(),
    "DeduplicateIds": set(),
    "Execute": {
        *("timeout", "error_on_timeout", "execute_retries", "interrupt_on_timeout"),
        *("iopub_timeout", "raise_on_iopub_timeout", "record_timing", "shutdown_kernel"),
        *("startup_timeout", "store_widget_state"),
    },
    "IgnorePattern": {"enabled", "pattern"},  # what is written to stderr costs nothing here
    "LateSubmissionPlugin": {"penalty_method"},
    "LimitOutput": {"max_lines", "max_traceback"},
    "OverwriteCells": {"add_missing_cells", "missing_cell_notification"},  # always restored here
    "OverwriteKernelspec": set(),
    "SaveAutoGrades": set(),
}
_KNOWN["ExecutePreprocessor"] = _KNOWN["NotebookClient"] = _KNOWN["Execute"]
# Settings that are refused only if they are not nbgrader's own default.
_DEFAULTS: dict[str, Any] = {
    "Autograde.exclude_overwriting": {},
    "CourseDirectory.source_directory": "source",
    "CourseDirectory.release_directory": "release",
    "CourseDirectory.submitted_directory": "submitted",
    "CourseDirectory.autograded_directory": "autograded",
    "CourseDirectory.feedback_directory": "feedback",
    "CourseDirectory.ignore": [".ipynb_checkpoints", "*.pyc", "__pycache__", ".pytest_cache"],
    "CourseDirectory.include": ["*"],
    "Execute.kernel_name": "python3",
    "Execute.extra_arguments": [],
}

OWN_GRADEBOOK = "sqlite:///gradebook.db"


@dataclass(frozen=True)
class CourseSettings:
    """What nbgrader_config.py sets: `values` maps sections to settings."""

    path: Path
    values: dict[str, dict[str, Any]]

    @classmethod
    def read(cls, path: Path, text: str | None = None) -> CourseSettings:
        """The instructor's own settings; of a generated file, those below its last line.

        Args:
            text: what the file would hold; None: what it holds.
        """
        if text is None:
            text = config_text(path)
        before, line, own = text.partition(LAST_LINE)
        own = "\n" * before.count("\n") + own if line else text
        return cls(path, _run(path, own) if own.strip() else {})

    def get(self, section: str, name: str, default: Any = None) -> Any:
        return self.values.get(section, {}).get(name, default)

    def check(self) -> None:
        """Raise UsageError if a setting that takes part in grading is neither honoured nor
        harmless.
        """
        for section, settings in self.values.items():
            for name, value in settings.items():
                key = f"{section}.{name}"
                if section not in _KNOWN or name in _KNOWN[section]:
                    continue
                if value == _DEFAULTS.get(key.replace("ExecutePreprocessor", "Execute"), ...):
                    continue
                raise UsageError(
                    "the engine replaces nbgrader's steps, so a setting that changes how they grade"
                    f" is honoured or refused; {self.path} sets c.{key} = {value!r}, which is not"
                    " honoured. Remove it, or grade this course with nbgrader autograde"
                )
        _ = self.cell_seconds, self.late_plugin, self.ignored, self.students_own("")  # can be read

    @property
    def db_url(self) -> str:
        """The address of the gradebook: the one that is set (such as PostgreSQL's), or else
        gradebook.db, nbgrader's default.
        """
        return self.address(self.get("CourseDirectory", "db_url") or OWN_GRADEBOOK)

    def address(self, url: Any) -> str:
        """`url` with an absolute path. A path is relative to the course directory, as in nbgrader,
        which is started in that directory.

        Raises:
            UsageError: `url` is not the address of a database that can hold a gradebook.
        """
        folder = self.path.parent.as_posix()
        if url == OWN_GRADEBOOK:  # SQLAlchemy takes time to import
            return f"sqlite:///{folder.replace('%', '%25')}/gradebook.db"
        from sqlalchemy.engine import make_url
        from sqlalchemy.exc import ArgumentError, NoSuchModuleError

        with contextlib.suppress(ArgumentError, NoSuchModuleError, ModuleNotFoundError, ValueError):
            read = make_url(url)
            read.get_dialect()
            if read.get_backend_name() != "sqlite":
                return str(url)
            if read.database and not read.database.startswith((":memory:", "file:")):
                read = read.set(database=f"{self.path.parent / read.database}")
                return read.render_as_string(hide_password=False)
        raise UsageError(
            "the address of a gradebook looks like postgresql+psycopg2://user@host/marks, or like"
            " sqlite:///gradebook.db for a file. This one cannot be read, its kind of database is"
            " unknown, or the database is in memory; it comes from c.CourseDirectory.db_url in"
            f" {self.path}, or from tito grade move. Correct it, then run the command again"
        )

    @property
    def cell_seconds(self) -> float | None:
        """The time for one cell, which may be infinite; None if the course sets none."""
        sections = ("Execute", "ExecutePreprocessor", "NotebookClient")
        tables = [self.values.get(name, {}) for name in sections]
        chosen = [one["timeout"] for one in tables if "timeout" in one]
        if not chosen:
            return None
        seconds = chosen[0]
        if isinstance(seconds, bool) or not isinstance(seconds, (int, float, type(None))):
            raise self._wrong("c.Execute.timeout is a number of seconds or None", seconds)
        return math.inf if seconds is None or seconds <= 0 else seconds

    def students_own(self, assignment: str) -> list[str]:
        """Files of the release that a submission may replace."""
        files = self.get("Autograde", "exclude_overwriting", {})
        if not isinstance(files, dict) or not all(map(_is_names, [[*files], *files.values()])):
            rule = """c.Autograde.exclude_overwriting is a dict such as {"ps1": ["data.csv"]}"""
            raise self._wrong(rule, files)
        names = files.get(assignment, [])
        return [PurePosixPath(str(name).replace("\\", "/")).as_posix() for name in names]

    @property
    def ignored(self) -> list[str]:
        """Patterns of names that nbgrader never copies, of files and of folders."""
        names = self.get("CourseDirectory", "ignore", _DEFAULTS["CourseDirectory.ignore"])
        if not _is_names(names):
            raise self._wrong('c.CourseDirectory.ignore is a list such as ["*.pyc"]', names)
        return [str(one) for one in names]

    def _wrong(self, rule: str, value: Any) -> UsageError:
        return UsageError(
            f"{rule}; {self.path} has {value!r}. Correct it, then run the command again"
        )

    @cached_property
    def late_plugin(self) -> Any:
        """The course's own plugin for late penalties; None if it sets none."""
        name = self.get(LATE, "plugin_class")
        method = self.get("LateSubmissionPlugin", "penalty_method", "none")
        if name is None and method == "none":
            return None
        from grading.engine.nbgrader.import_nbgrader import Config, quiet

        with quiet():
            import sys

            from nbgrader.plugins import LateSubmissionPlugin
            from traitlets.utils.importstring import import_item

            folder = str(self.path.parent)
            sys.path.insert(0, folder)
            try:
                kind = import_item(name) if isinstance(name, str) else name or LateSubmissionPlugin
                plugin = kind(config=Config(self.values))
                _ = plugin.late_submission_penalty
            except Exception as problem:  # noqa: BLE001 - anything that the instructor's code raises
                raise UsageError(
                    "a late penalty plugin is a class with late_submission_penalty, importable"
                    f" from {folder}; c.{LATE}.plugin_class = {name!r} is not"
                    f" ({type(problem).__name__}: {problem}). Correct it, or remove the setting"
                ) from None
            finally:
                sys.path.remove(folder)
        return plugin


def _is_names(value: Any) -> bool:
    """Whether it is a list of texts, as nbgrader reads it: a set is none."""
    return isinstance(value, (list, tuple)) and all(isinstance(one, str) for one in value)


def config_text(path: Path) -> str:
    """The text of a course's nbgrader_config.py; empty if there is none.

    Raises:
        UsageError: it is not UTF-8.
    """
    try:
        return path.read_text(encoding="utf-8") if path.is_file() else ""
    except UnicodeDecodeError as problem:
        raise UsageError(
            f"{path} must be text in UTF-8; byte {problem.start} is not valid. Save it as"
            " UTF-8, then run the command again"
        ) from None


def _run(path: Path, text: str) -> dict[str, dict[str, Any]]:
    """The sections that a configuration file sets, as traitlets runs it."""
    from traitlets.config import Config, LazyConfigValue

    config = Config()

    def load(name: str, folder: str | None = None) -> None:
        other = Path(folder or path.parent) / name
        exec(compile(other.read_text(encoding="utf-8"), str(other), "exec"), names)

    names: dict[str, Any] = {"c": config, "get_config": lambda: config, "load_subconfig": load}
    try:
        exec(compile(text, str(path), "exec"), {**names, "__file__": str(path)})
        return {
            section: {
                name: value.get_value(_DEFAULTS.get(f"{section}.{name}", []))
                if isinstance(value, LazyConfigValue)
                else value
                for name, value in settings.items()
            }
            for section, settings in config.items()
            if isinstance(settings, Config)
        }
    except Exception as problem:  # noqa: BLE001 - anything that the instructor's code raises
        raise UsageError(
            f"{path} is Python that sets nbgrader's options; it stopped with"
            f" {type(problem).__name__}: {problem}. Correct it, then run the command again"
        ) from None

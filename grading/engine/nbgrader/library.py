"""The one place that imports nbgrader, with the preparation for the import and functions that every
use needs.

Importing nbgrader takes 2 to 4 seconds, so nothing in `grading.commands` imports this at module
level.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import sys
import warnings
from collections.abc import Iterator
from typing import Any

# jsonschema's format checker builds a grammar that no notebook needs; without this line it takes
# 1.7 s of `import nbformat`.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Hide the warnings of nbgrader, SQLAlchemy and Jupyter about each other; warnings from student
    code and from ours stay visible.
    """
    with warnings.catch_warnings():
        for module in (
            "nbgrader",
            "sqlalchemy",
            "nbconvert",
            "nbclient",
            "jupyter_client",
            "traitlets",
            "nbformat",
            "jupytext",
            "zmq",
            "tornado",
            "mistune",
            "alembic",
            "setuptools",
            "pkg_resources",
        ):
            warnings.filterwarnings("ignore", module=rf"{module}(\.|$)")
        with contextlib.suppress(ImportError):
            from sqlalchemy.exc import SAWarning

            # attributed to our own code when nbgrader's lazily loaded properties build a query
            warnings.simplefilter("ignore", SAWarning)
        yield


with quiet():
    import jsonschema
    import nbformat
    import nbgrader.api
    import nbgrader.nbgraderformat.common
    from nbgrader.api import Gradebook, InvalidEntry, MissingEntry
    from nbgrader.converters.base import NbGraderException
    from nbgrader.coursedir import CourseDirectory
    from nbgrader.utils import parse_utc
    from traitlets.config import Config

__all__ = [
    "Config",
    "CourseDirectory",
    "Gradebook",
    "InvalidEntry",
    "MissingEntry",
    "NbGraderException",
    "convert",
    "gradebook",
    "nbformat",
    "parse_utc",
    "quiet",
    "warmed_up",
]


def _schema_version() -> str | None:
    """The newest revision of nbgrader's database schema.

    nbgrader runs the command `alembic` for it, which imports nbgrader again in another process and
    is not on the PATH if the venv is not activated.
    """
    from alembic.config import Config as AlembicConfig
    from alembic.script import ScriptDirectory

    config = AlembicConfig()
    config.set_main_option(
        "script_location", os.path.join(os.path.dirname(nbgrader.api.__file__), "alembic")
    )
    return ScriptDirectory.from_config(config).get_current_head()


nbgrader.api.get_alembic_version = _schema_version


class _Schemas:
    """jsonschema.validate that checks each schema only once; nbgrader calls it 145 times for a
    notebook, in each of three passes.
    """

    def __init__(self) -> None:
        self._ready: dict[str, Any] = {}

    def validate(self, instance: Any, schema: dict) -> None:
        key = json.dumps(schema, sort_keys=True)
        if key not in self._ready:
            kind = jsonschema.validators.validator_for(schema)
            kind.check_schema(schema)
            self._ready[key] = kind(schema)
        error = jsonschema.exceptions.best_match(self._ready[key].iter_errors(instance))
        if error is not None:
            raise error


nbgrader.nbgraderformat.common.jsonschema = _Schemas()


class _Lines(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


def convert(
    converter_class: type, config: Config, assignment: str, student: str | None = None
) -> list[str]:
    """Run one of nbgrader's converters on one assignment (and student); return its log lines.

    Raises:
        NbGraderException: nbgrader gave up; `.log_lines` holds its log.
    """
    log = logging.getLogger(f"tito.nbgrader.{converter_class.__name__}.{id(config)}")
    log.propagate, keeper = False, _Lines()
    log.addHandler(keeper)
    log.setLevel(logging.INFO)
    here = os.getcwd()
    try:
        with quiet():
            directory = CourseDirectory(config=config)
            directory.assignment_id = assignment
            if student is not None:
                directory.student_id = student
            converter = converter_class(coursedir=directory, config=config)
            converter.log = log
            converter.start()
    except NbGraderException as problem:
        problem.log_lines = keeper.lines
        raise
    finally:
        log.removeHandler(keeper)
        os.chdir(here)
    return keeper.lines


@contextlib.contextmanager
def gradebook(db_url: str, course_id: str = "default_course") -> Iterator[Gradebook]:
    """nbgrader's gradebook, which is closed at the end in any case."""
    with quiet(), Gradebook(db_url, course_id) as book:
        yield book


def warmed_up() -> None:
    """Compile what a process compiles once: the schema of notebooks, and the queries of a gradebook
    in memory.
    """
    nbformat.validator.validate(nbformat.v4.new_notebook())
    with gradebook("sqlite://"):
        pass

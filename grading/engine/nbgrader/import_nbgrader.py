"""The one place that imports nbgrader, with the preparation for the import and functions that every
use needs.

Importing nbgrader takes 2 to 4 seconds, so nothing in `grading.commands` imports this at module
level.
"""

import contextlib
import errno
import json
import logging
import os
import shutil
import sqlite3
import sys
import warnings
from collections.abc import Iterator
from typing import Any

from tito.errors import EnvironmentBroken, TitoError, causes

# jsonschema's format checker builds a grammar that no notebook needs; without this line it takes
# 1.7 s of `import nbformat`.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]


_NOISY = (
    "nbgrader sqlalchemy nbconvert nbclient jupyter_client traitlets nbformat jupytext zmq tornado"
    " mistune alembic setuptools pkg_resources"
)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Hide the warnings of nbgrader, SQLAlchemy and Jupyter about each other; warnings from student
    code and from ours stay visible.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", module=rf"({'|'.join(_NOISY.split())})(\.|$)")
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
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import DataError, DBAPIError, IntegrityError
    from traitlets.config import Config

__all__ = ["Config", "InvalidEntry", "MissingEntry", "NbGraderException", "nbformat", "parse_utc"]


def _schema_version() -> str | None:
    """The newest revision of nbgrader's database schema. nbgrader runs the command `alembic` for
    it, which imports nbgrader again and is not on the PATH if the venv is not activated.
    """
    from alembic.config import Config as AlembicConfig
    from alembic.script import ScriptDirectory

    place = os.path.join(os.path.dirname(nbgrader.api.__file__), "alembic")
    config = AlembicConfig()
    config.set_main_option("script_location", place)
    return ScriptDirectory.from_config(config).get_current_head()


nbgrader.api.get_alembic_version = _schema_version

# it prints the traceback of each error of the database, which `database_errors` says in a sentence
nbgrader.api.app_log = logging.getLogger("tito.nbgrader.api")
nbgrader.api.app_log.propagate = False
nbgrader.api.app_log.addHandler(logging.NullHandler())


class _Schemas:
    """jsonschema.validate that checks each schema only once; nbgrader calls it 435 times for a
    notebook.
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
    """Keeps what nbgrader logs, and the error that it logs and then drops."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.lines: list[str] = []
        self.problem: BaseException | None = None

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())
        if record.levelno >= logging.ERROR:
            self.problem = sys.exc_info()[1] or self.problem


def convert(
    converter_class: type, config: Config, assignment: str, student: str | None = None
) -> list[str]:
    """Run one of nbgrader's converters on one assignment (and student); return its log lines,
    which an NbGraderException has as `.log_lines`.
    """
    log = logging.getLogger(f"tito.nbgrader.{converter_class.__name__}.{id(config)}")
    log.propagate, keeper = False, _Lines()
    log.addHandler(keeper)
    log.setLevel(logging.INFO)
    here = os.getcwd()
    try:
        with quiet(), database_errors(str(config.CourseDirectory.db_url)):
            directory = CourseDirectory(config=config)
            directory.assignment_id = assignment
            if student is not None:
                directory.student_id = student
            converter = converter_class(coursedir=directory, config=config)
            converter.log = log
            try:
                converter.start()
            except NbGraderException as problem:
                problem.log_lines = keeper.lines
                raise problem from keeper.problem
    finally:
        log.removeHandler(keeper)
        os.chdir(here)
    return keeper.lines


class Busy(EnvironmentBroken):
    """Another program has locked the gradebook, or its server is away: this may pass."""


@contextlib.contextmanager
def gradebook(db_url: str) -> Iterator[Gradebook]:
    """nbgrader's gradebook, which is closed at the end in any case; errors as `database_errors`."""
    with quiet(), database_errors(db_url), Gradebook(db_url, "default_course") as book:
        yield book


@contextlib.contextmanager
def database_errors(db_url: str) -> Iterator[None]:
    """Raise EnvironmentBroken for an error that comes from the database of a gradebook: another
    program has locked it, its file is damaged, its server is gone; OSError if its disk is full.
    """
    try:
        yield
    except TitoError:
        raise
    except MissingEntry as problem:
        raise EnvironmentBroken(
            f"the gradebook {shown_url(db_url)} was emptied, or is not the one of this course:"
            f" {problem}. {_FILL_IT}"
        ) from problem
    except Exception as problem:
        fault = _fault(problem, db_url)
        if fault is None:
            raise
        raise fault from problem


def _fault(problem: Exception, db_url: str) -> Exception | None:
    """What is wrong with the database, with the next command; None if it is not to blame."""
    url, where = make_url(db_url), f"the gradebook {shown_url(db_url)}"
    file = url.database if url.get_backend_name() == "sqlite" else None
    again = "then run the same command again"
    fault = next((one for one in causes(problem) if isinstance(one, DBAPIError)), None)
    if fault is None or isinstance(fault, (DataError, IntegrityError)):
        sound = file is None or _is_sound(file)
        return None if sound else _damaged(f"{where} is damaged: its check fails", file)
    said = " ".join(str(fault.orig).split())
    if _said_full(said, file):
        return OSError(errno.ENOSPC, said, shown_url(db_url))
    if any(word in said for word in ("locked", "busy")):
        return Busy(f"{where} stayed locked: {said}. Close what holds it (formgrader?), {again}")
    if file is None:
        said = said.rstrip(".?")
        return Busy(f"the server of {where} gave an error: {said}. Wait until it works, {again}")
    if any(word in said for word in ("readonly", "unable to open", "authorization")):
        return EnvironmentBroken(
            f"{where} cannot be opened for writing: {said}. Look at it with ls -l {file}, {again}"
        )
    return _damaged(f"{where} is damaged: {said}", file)


def _said_full(said: str, file: str | None) -> bool:
    # SQLite reports some writes without room as "disk I/O error"
    cramped = file is not None and shutil.disk_usage(os.path.dirname(file) or ".").free < 2**20
    return "is full" in said or "No space" in said or ("disk I/O" in said and cramped)


_FILL_IT = (
    "Fill it again: tito grade release ASSIGNMENT --course DIR, then tito grade autograde"
    " ASSIGNMENT --course DIR, which records what was graded"
)


def _damaged(said: str, file: str | None) -> EnvironmentBroken:
    return EnvironmentBroken(
        f"{said}. Put a whole copy of it in its place; without one: mv {file} {file}.damaged."
        f" {_FILL_IT}"
    )


def shown_url(db_url: str) -> str:
    """The file, or the address of the server without its password, wherever in it that is."""
    url = make_url(db_url).set(query={})
    if url.get_backend_name() == "sqlite" and url.database:
        return url.database
    return url.render_as_string(hide_password=True)


def _is_sound(file: str) -> bool:
    """Whether SQLite finds no damage in a file."""
    if not os.path.isfile(file):
        return True
    try:
        with contextlib.closing(sqlite3.connect(file)) as book:
            return book.execute("PRAGMA quick_check").fetchone() == ("ok",)
    except sqlite3.DatabaseError:
        return False


def automatic_scores(book: Gradebook, assignment: str) -> list[Any]:
    """(student, notebook, cell, score) of every grade in an assignment."""
    api, submission = nbgrader.api, nbgrader.api.SubmittedAssignment
    columns = (submission.student_id, api.Notebook.name, api.BaseCell.name, api.Grade.auto_score)
    rows = (
        book.db.query(*columns)
        .select_from(api.Grade)
        .join(api.BaseCell, api.Grade.cell_id == api.BaseCell.id)
        .join(api.SubmittedNotebook, api.Grade.notebook_id == api.SubmittedNotebook.id)
        .join(api.Notebook, api.SubmittedNotebook.notebook_id == api.Notebook.id)
        .join(submission, api.SubmittedNotebook.assignment_id == submission.id)
        .join(api.Assignment, submission.assignment_id == api.Assignment.id)
    )
    return list(rows.filter(api.Assignment.name == assignment))


def warmed_up() -> None:
    """Compile what a process compiles once: the schema of notebooks, a gradebook's queries."""
    nbformat.validator.validate(nbformat.v4.new_notebook())
    with gradebook("sqlite://"):
        pass

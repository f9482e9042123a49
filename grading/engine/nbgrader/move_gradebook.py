"""Copies a gradebook into another database, and compares the two row by row."""

import contextlib
from collections import Counter
from collections.abc import Iterator
from typing import Any

from nbgrader.api import Base
from sqlalchemy import MetaData, Table, create_engine, event, func, inspect, select, table
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import DataError, IntegrityError
from sqlalchemy.pool import NullPool

from grading.engine.nbgrader.import_nbgrader import database_errors, quiet, shown_url
from tito.console import counted
from tito.errors import UsageError, WorkError

# nbgrader writes these as soon as it opens a database
_OF_NOBODY = ("course", "alembic_version")


@contextlib.contextmanager
def copied(source: str, target: str) -> Iterator[dict[str, int]]:
    """Copy every table of the gradebook `source` into the empty database `target`, in one
    transaction, and compare them afterwards. Until the end of the block nobody can write into a
    source of SQLite. A target that has exactly the rows of the source, because an earlier move was
    killed after its copy, is only compared.

    Yields:
        The rows of each table, by its name.

    Raises:
        UsageError: `target` is no address, or its driver is not installed.
        WorkError: `target` has other rows, or refuses one; or the comparison finds a difference.
        EnvironmentBroken: a database is locked, damaged or away.
    """
    old, new, where = _engine(source), _engine(target), shown_url(target)
    with quiet(), contextlib.ExitStack() as stack:
        # what goes wrong with one of the two is never said of the other
        with database_errors(target):
            there = _rows_there(new)
        with database_errors(source):
            reader = stack.enter_context(old.connect())
            if old.dialect.name == "sqlite":
                reader.exec_driver_sql("BEGIN IMMEDIATE")
            tables = _tables(reader, source)
            rows = {one: _rows(reader, one) for one in tables}
        if not there:
            with database_errors(target), new.begin() as writer:
                _write(writer, rows)
        with database_errors(source), old.connect() as fresh:
            first = {one: _rows(fresh, one) for one in tables}
        with database_errors(target), new.connect() as fresh:
            second = {one: _rows(fresh, one) for one in tables}
        differing = _differences(first, second)
        if differing and there:
            named = ", ".join(f"{name} ({count})" for name, count in sorted(there.items()))
            raise WorkError(
                f"marks are copied into an empty database only; {where} has rows in {named}."
                " Nothing was copied. Make an empty database, and name that one"
            )
        if differing:
            raise WorkError(
                f"the copy in {where} differs from {shown_url(source)} in {', '.join(differing)}."
                " The gradebook of the course is still the old one, unchanged. Stop what writes"
                " into the two databases (formgrader?), empty the new one, and run it again"
            )
        yield {one.name: len(in_table) for one, in_table in rows.items()}


def _engine(url: str) -> Engine:
    try:
        return create_engine(url, poolclass=NullPool)  # each connection is a fresh one
    except ModuleNotFoundError as problem:
        raise UsageError(
            f"{shown_url(url)} needs the Python package {problem.name}, which is not installed;"
            ' for PostgreSQL, run: pip install "tinytorch-course[postgres]"'
        ) from None


def _tables(reader: Connection, source: str) -> list[Table]:
    """nbgrader's tables, each after those that it refers to, then the others of the source."""
    ours, columns = list(Base.metadata.sorted_tables), inspect(reader)
    names = columns.get_table_names()
    for one in ours:
        there = {row["name"] for row in columns.get_columns(one.name)} if one.name in names else ()
        if lacking := {column.name for column in one.columns} - set(there):
            raise WorkError(
                f"a gradebook is moved by the nbgrader that wrote it; {shown_url(source)} lacks"
                f" {', '.join(sorted(lacking))} in its table {one.name}, so an older one did."
                " In the course directory, run: nbgrader db upgrade"
            )
    others = MetaData()
    event.listen(others, "column_reflect", _generic)
    others.reflect(reader, only=sorted({*names} - {one.name for one in ours}))
    return [*ours, *others.sorted_tables]


def _generic(_inspector: object, _table: Table, column: Any) -> None:
    """The type as every database has it, in place of SQLite's own."""
    column["type"] = column["type"].as_generic()


def _rows_there(new: Engine) -> dict[str, int]:
    """The tables with rows."""
    with new.connect() as there:
        names = [name for name in inspect(there).get_table_names() if name not in _OF_NOBODY]
        counts = {
            name: there.execute(select(func.count()).select_from(table(name))).scalar_one()
            for name in names
        }
    return {name: count for name, count in counts.items() if count}


def _rows(there: Connection, one: Table) -> list[tuple]:
    """The rows of a table, if it is there. The courses are those that assignments belong to, too:
    without a course_id nbgrader writes "" into them, and no such course, which only SQLite accepts.
    """
    if not inspect(there).has_table(one.name):
        return []
    rows = [tuple(row) for row in there.execute(select(one))]
    if one.name == "course":
        used = there.execute(select(Base.metadata.tables["assignment"].c.course_id)).scalars()
        rows += [(name,) for name in sorted({"", *used} - {None, *(row[0] for row in rows)})]
    return rows


def _write(writer: Connection, rows: dict[Table, list[tuple]]) -> None:
    for one, in_table in rows.items():
        one.create(writer, checkfirst=True)
        if one.name in _OF_NOBODY:
            writer.execute(one.delete())
        names = one.columns.keys()
        try:
            if in_table:
                writer.execute(
                    one.insert(), [dict(zip(names, row, strict=True)) for row in in_table]
                )
        # a ValueError of the driver: a text that the database cannot hold
        except (DataError, IntegrityError, ValueError) as problem:
            said = " ".join(str(getattr(problem, "orig", problem)).split())
            raise WorkError(
                f"the new database refuses a row of the table {one.name}: {said}. Nothing was"
                " copied, and the gradebook of the course is unchanged. Correct that row"
            ) from None


def _differences(first: dict[Table, list[tuple]], second: dict[Table, list[tuple]]) -> list[str]:
    """Each table that is not the same in both, with how many rows are in one of them only."""
    differences = []
    for one in first:
        mine, theirs = Counter(first[one]), Counter(second[one])
        if mine != theirs:
            count = ((mine - theirs) + (theirs - mine)).total()
            differences.append(f"{one.name} ({counted(count, 'row')})")
    return differences

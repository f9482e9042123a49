"""nbgrader's Gradebook with each table read once and one commit at the end: without it, most of the
time goes into repeated look-ups.
"""

import contextlib
from typing import Any

from grading.engine.nbgrader.import_nbgrader import MissingEntry, quiet

with quiet():
    from nbgrader.api import BaseCell, Comment, Grade


class _Deferred:
    """A database session that postpones commits until the end."""

    def __init__(self, session: Any):
        self._session = session

    def commit(self) -> None:
        pass

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)


class OneRead(contextlib.AbstractContextManager["OneRead"]):
    """A Gradebook that is open during one step of one notebook."""

    def __init__(self, book: Any):
        self._book = book
        self._tables: dict[Any, Any] = {}
        self.db = _Deferred(book.db)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._book, name)

    def __exit__(self, *problem: Any) -> None:
        if problem[0] is None:
            self._book.db.commit()
        self._book.close()

    def _find(self, table: str, name: str, load: Any) -> Any:
        if table not in self._tables:
            self._tables[table] = load()
        try:
            return self._tables[table][name]
        except KeyError:
            raise MissingEntry(f"No such {table}: {name}") from None

    def find_source_cell(self, name: str, notebook: str, assignment: str) -> Any:
        def load() -> dict[str, Any]:
            found = self._book.find_notebook(notebook, assignment)
            return {cell.name: cell for cell in found.source_cells}

        return self._find("source cell", name, load)

    def find_graded_cell(self, name: str, notebook: str, assignment: str) -> Any:
        def load() -> dict[str, Any]:
            found = self._book.find_notebook(notebook, assignment)
            return {cell.name: cell for cell in (*found.task_cells, *found.grade_cells)}

        return self._find("graded cell", name, load)

    def find_grade(self, name: str, *of: str) -> Any:
        """`of`: the notebook, the assignment, the student."""
        return self._find("grade", name, lambda: self._of_student(Grade, *of))

    def find_comment(self, name: str, *of: str) -> Any:
        return self._find("comment", name, lambda: self._of_student(Comment, *of))

    def _of_student(self, kind: Any, *names: str) -> dict[str, Any]:
        submitted = self._book.find_submission_notebook(*names)
        query = self._book.db.query(kind, BaseCell.name).join(BaseCell, BaseCell.id == kind.cell_id)
        return {name: row for row, name in query.filter(kind.notebook_id == submitted.id).all()}


class ReadsOnce:
    """Mixin for preprocessors of nbgrader that open their own `self.gradebook`: theirs reads each
    table once.
    """

    @property
    def gradebook(self) -> OneRead:
        return self.__dict__["_one_read"]

    @gradebook.setter
    def gradebook(self, book: Any) -> None:
        self.__dict__["_one_read"] = OneRead(book)

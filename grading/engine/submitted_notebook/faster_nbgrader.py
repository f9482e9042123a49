"""Faster reading, writing and look-ups than nbgrader's defaults, which spent most of their time on
repeated work.

    SubmissionExporter   for a notebook that the engine wrote; it is validated once, after the
                         last step
    OneRead              nbgrader's Gradebook with each table read once and one commit at the end
"""

import contextlib
from pathlib import Path
from typing import Any

from grading.engine.nbgrader.library import MissingEntry, nbformat, quiet
from grading.engine.submitted_notebook import plain_cells
from grading.engine.submitted_notebook.cell_scores import WAS_RUN
from grading.engine.submitted_notebook.editions import EARLIER

with quiet():
    from nbconvert.exporters import NotebookExporter
    from nbgrader.api import BaseCell, Comment, Grade


_FORM = {"split_lines": False, "indent": None}


class SubmissionExporter(NotebookExporter):
    """nbconvert's notebook exporter for notebooks that the engine wrote and nobody has validated;
    see `write_rebuilt`.
    """

    optimistic_validation = True  # after the last preprocessor, not after each

    def from_file(self, file_stream: Any, resources: Any = None, **settings: Any) -> Any:
        notebook = read_own(file_stream.read())
        return self.from_notebook_node(notebook, resources=resources, **settings)

    def from_notebook_node(self, nb: Any, resources: Any = None, **settings: Any) -> Any:
        # NotebookExporter's own method copies the notebook twice and validates it again when
        # writing.
        result, resources = self._preprocess(nb, self._init_resources(resources))
        resources["output_suffix"] = ".nbconvert"
        final = WAS_RUN in resources  # earlier results are read only once, by the next step
        # A source stays one string: in a list, each line would take fifty times its length in
        # memory.
        form = {**_FORM, "indent": 1} if final else _FORM
        return nbformat.v4.writes(result, **form) + "\n", resources


def write_rebuilt(path: Path, notebook: Any) -> None:
    """Put a notebook that was rebuilt from the release in the place of the one that came in."""
    path.write_text(nbformat.v4.writes(notebook, **_FORM) + "\n", encoding="utf-8")


def read_own(text: str) -> Any:
    """Read a notebook that the engine wrote or the course released; it is not converted."""
    return nbformat.v4.reads(text)


def earlier_editions(root: Path, assignment: str, stem: str) -> list[Any]:
    """The released notebooks that corrections have replaced, the oldest first."""
    paths = sorted((root / EARLIER / assignment).glob(f"*/{stem}.ipynb"))
    return [read_own(path.read_text(encoding="utf-8")) for path in paths]


def read_any(text: str, name: str = "the notebook") -> Any:
    """Read a submission, however odd it is, as a notebook of version 4; see `submitted`."""
    return nbformat.from_dict(plain_cells.read_submitted(text, name))


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

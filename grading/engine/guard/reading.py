"""Reading, writing and looking up with less work than nbgrader's defaults take: most of its time
went into doing things again.

    SubmissionExporter   any JSON that a student hands in becomes a notebook; the result is
                         validated once, after the last step
    OneRead              nbgrader's Gradebook with each table read once and one commit at the end
"""

from __future__ import annotations

import json
from typing import Any

from grading.engine.guard.evidence import GRADED
from grading.engine.nbgrader.library import MissingEntry, nbformat, quiet

with quiet():
    from nbconvert.exporters import NotebookExporter
    from nbgrader.api import BaseCell, Comment, Grade


class NotANotebook(ValueError):
    """What was handed in has no cells."""


class SubmissionExporter(NotebookExporter):
    """nbconvert's exporter of notebooks, for notebooks that nobody has checked."""

    optimistic_validation = True  # after the last preprocessor, not after each

    def from_file(self, file_stream: Any, resources: Any = None, **settings: Any) -> Any:
        return self.from_notebook_node(
            read_any(file_stream.read()), resources=resources, **settings
        )

    def from_notebook_node(self, nb: Any, resources: Any = None, **settings: Any) -> Any:
        # NotebookExporter's own method copies the notebook twice, and validates it once more as it
        # writes it.
        result, resources = self._preprocess(nb, self._init_resources(resources))
        resources["output_suffix"] = ".nbconvert"
        final = GRADED in resources  # what comes before it is read once, by the next step
        return nbformat.v4.writes(result, **({} if final else {"indent": None})) + "\n", resources


def read_any(text: str) -> Any:
    """The notebook in `text` as version 4, however odd; what its cells hold is looked at when it is
    rebuilt.

    Raises:
        NotANotebook: it is not JSON, or not an object with a list of cells.
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise NotANotebook(
            f"a submission is a notebook (JSON); this one is not: {problem}"
        ) from None
    if isinstance(data, dict) and isinstance(data.get("worksheets"), list) and "cells" not in data:
        return nbformat.reads(text, as_version=4)  # before 2014
    if not isinstance(data, dict) or not isinstance(data.get("cells"), list):
        raise NotANotebook("a notebook is a JSON object with a list of cells; this one has none")
    if not isinstance(data.get("metadata"), dict):
        data["metadata"] = {}
    data["cells"] = [_cell(cell) for cell in data["cells"] if isinstance(cell, dict)]
    minor = data.get("nbformat_minor")
    data["nbformat"], data["nbformat_minor"] = (
        4,
        (minor if type(minor) is int and 0 <= minor <= 5 else 5),
    )
    return nbformat.from_dict(data)


def _cell(cell: dict[str, Any]) -> dict[str, Any]:
    """A cell with the keys that every preprocessor takes for granted."""
    source = cell.get("source")
    source = (
        "".join(part for part in source if isinstance(part, str))
        if isinstance(source, list)
        else source
    )
    metadata = cell.get("metadata")
    metadata = {**metadata} if isinstance(metadata, dict) else {}
    if not isinstance(metadata.get("nbgrader", {}), dict):
        del metadata["nbgrader"]
    kind = cell.get("cell_type") if cell.get("cell_type") in ("code", "markdown", "raw") else "raw"
    result = {
        **cell,
        "cell_type": kind,
        "metadata": metadata,
        "source": source if isinstance(source, str) else "",
    }
    if kind == "code":
        # nothing that was handed in is believed; the cell is run anew
        result["outputs"], result["execution_count"] = [], None
    return result


class _Deferred:
    """A session whose commits wait for the end."""

    def __init__(self, session: Any):
        self._session = session

    def commit(self) -> None:
        pass

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)


class OneRead:
    """A Gradebook, open for the length of one step of one notebook."""

    def __init__(self, book: Any):
        self._book = book
        self._tables: dict[Any, Any] = {}
        self.db = _Deferred(book.db)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._book, name)

    def __enter__(self) -> OneRead:
        return self

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
            return {
                cell.name: cell
                for cell in self._book.find_notebook(notebook, assignment).source_cells
            }

        return self._find("source cell", name, load)

    def find_graded_cell(self, name: str, notebook: str, assignment: str) -> Any:
        def load() -> dict[str, Any]:
            found = self._book.find_notebook(notebook, assignment)
            return {cell.name: cell for cell in (*found.task_cells, *found.grade_cells)}

        return self._find("graded cell", name, load)

    def find_grade(self, name: str, notebook: str, assignment: str, student: str) -> Any:
        return self._find(
            "grade", name, lambda: self._of_student(Grade, notebook, assignment, student)
        )

    def find_comment(self, name: str, notebook: str, assignment: str, student: str) -> Any:
        return self._find(
            "comment", name, lambda: self._of_student(Comment, notebook, assignment, student)
        )

    def _of_student(self, kind: Any, *names: str) -> dict[str, Any]:
        submitted = self._book.find_submission_notebook(*names)
        query = self._book.db.query(kind, BaseCell.name).join(BaseCell, BaseCell.id == kind.cell_id)
        return {name: row for row, name in query.filter(kind.notebook_id == submitted.id).all()}


class ReadsOnce:
    """A preprocessor of nbgrader that opens its own `self.gradebook` gets one that reads each
    table once.
    """

    @property
    def gradebook(self) -> OneRead:
        return self.__dict__["_one_read"]

    @gradebook.setter
    def gradebook(self, book: Any) -> None:
        self.__dict__["_one_read"] = OneRead(book)

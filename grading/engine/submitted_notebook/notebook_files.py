"""Read and write notebooks: a submission, however odd; what the engine rebuilt, which is validated
once, after the last step; earlier editions of the release.
"""

from pathlib import Path
from typing import Any

from grading.engine.nbgrader.import_nbgrader import nbformat, quiet
from grading.engine.submitted_notebook import read_submitted_cells
from grading.engine.submitted_notebook.cell_scores import WAS_RUN
from grading.engine.submitted_notebook.match_editions import EARLIER

with quiet():
    from nbconvert.exporters import NotebookExporter


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
    """Read a submission, however odd it is, as a notebook of version 4: `read_submitted_cells`."""
    return nbformat.from_dict(read_submitted_cells.read_submitted(text, name))

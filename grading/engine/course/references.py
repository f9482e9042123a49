"""What students must not see of a module: its source, with the solutions as a student would export
them, wrong and right solutions, and hidden tests.
"""

from collections.abc import Iterable
from pathlib import Path

from grading.engine.course.cell_lines import parts_of
from tito.errors import WorkError
from tito.files import write_atomic
from tito.notebook.cells import Cell, cells_of_parts
from tito.notebook.ipynb_format import read_text
from tito.notebook.percent_format import Part
from tito.student_work.exporter import render
from tito.workspace import Module


def secrets_of(module: Module) -> Path:
    """The folder of all that students must not see."""
    return module.root / "grading" / "modules" / module.name


def source_path(module: Module) -> Path:
    return secrets_of(module) / f"{module.stem}.py"


def need_source(module: Module, why: str) -> Path:
    """The source; WorkError, which begins with `why`, if there is none."""
    path = source_path(module)
    if not path.is_file():
        again = f"Start one: tito dev new {module.name}"
        raise WorkError(f"{why}; {path} does not exist. {again}")
    return path


def source_parts(module: Module, why: str = "it was asked for") -> list[Part]:
    """The kind, source and metadata, nbgrader's included, of each cell of the source.

    Raises:
        WorkError: there is no source, or the line of a cell does not say what it is.
    """
    path = need_source(module, why)
    return parts_of(read_text(path), path)


def read_source(module: Module, why: str = "it was asked for") -> list[Cell]:
    """The cells of the source, with nbgrader's metadata."""
    return cells_of_parts(source_parts(module, why))


def test_folders(module: Module) -> list[Path]:
    """The folders with laws, open and hidden contract tests that have any."""
    folders = (module.tests, secrets_of(module) / "tests")
    return [folder for folder in folders if any(folder.glob("test_*.py"))]


def write_references(modules: Iterable[Module], workspace: Path) -> None:
    """Export the reference solution of each module into a scratch workspace, as `tito export`
    exports a student's work.
    """
    for module in modules:
        text = render(read_source(module), module, source_name=source_path(module).name)
        write_atomic(workspace / module.export, text)

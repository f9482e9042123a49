"""What students must not see of a module: its source, with the solutions as a student would export
them, wrong and right solutions, and hidden tests.
"""

from collections.abc import Iterable
from pathlib import Path

from tito.errors import WorkError
from tito.files import write_atomic
from tito.notebook.cells import read_percent
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


def test_folders(module: Module) -> list[Path]:
    """The folders with laws, open and hidden contract tests that have any."""
    folders = (module.tests, secrets_of(module) / "tests")
    return [folder for folder in folders if any(folder.glob("test_*.py"))]


def write_references(modules: Iterable[Module], workspace: Path) -> None:
    """Export the reference solution of each module into a scratch workspace, as `tito export`
    exports a student's work.
    """
    for module in modules:
        source = source_path(module)
        write_atomic(
            workspace / module.export, render(read_percent(source), module, source_name=source.name)
        )

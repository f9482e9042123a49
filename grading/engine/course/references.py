"""The instructor's source of a module, and its solutions as a student would export them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tito.exporter import render
from tito.files import write_atomic
from tito.notebook.cells import read_percent
from tito.workspace import Module


def source_path(module: Module) -> Path:
    return module.root / "grading" / "source" / module.name / f"{module.stem}.py"


def write_references(modules: Iterable[Module], workspace: Path) -> None:
    """Export the reference solution of each module into a scratch workspace, as `tito export`
    exports a student's work.
    """
    for module in modules:
        source = source_path(module)
        write_atomic(
            workspace / module.export, render(read_percent(source), module, source_name=source.name)
        )

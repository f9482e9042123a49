"""What tests of several rooms share."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class ReferencePackage:
    """Module 08's reference, exported to a scratch workspace.

    Attributes:
        path: the workspace; with PYTHONPATH=path, `tinytorch.core.dataloader` is the reference.
        dataloader: the exported module, imported here under a name of its own (the checkout's tinytorch stays as it is).
    """

    path: Path
    dataloader: ModuleType

    def run(self, code: str, timeout_seconds: float = 60) -> subprocess.CompletedProcess:
        """Run `code` in a fresh Python whose tinytorch holds the reference."""
        environment = {**os.environ, "PYTHONPATH": str(self.path), "MPLBACKEND": "Agg", "PYTHONUTF8": "1"}
        return subprocess.run([sys.executable, "-c", code], cwd=self.path, env=environment, capture_output=True, text=True,
                              encoding="utf-8",
                              timeout=timeout_seconds)


@pytest.fixture(scope="session")
def reference_package(tmp_path_factory) -> ReferencePackage:
    """The instructor's solution of module 08 as a package, as `tito export` would write it."""
    from tito.course import Workspace
    from tito.notebook import read_percent
    from tito.runner import make_scratch

    module = Workspace(ROOT).module("08")
    cells = read_percent(ROOT / "grading" / "source" / module.name / "dataloader_dev.py")
    path = make_scratch(module, cells, tmp_path_factory.mktemp("reference") / "workspace")
    spec = importlib.util.spec_from_file_location("reference_dataloader", path / module.export)
    dataloader = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(dataloader)
    return ReferencePackage(path, dataloader)

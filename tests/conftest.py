"""What tests of several rooms share."""

from __future__ import annotations

import functools
import importlib.util
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class ReferencePackage:
    """A module's reference, and that of every module it stands on, exported to a scratch workspace.

    Attributes:
        path: the workspace; with PYTHONPATH=path, what the modules export is the reference.
        module: what the module exports, imported here under a name of its own (the checkout's
            tinytorch stays as it is).
    """

    path: Path
    module: ModuleType

    def run(self, code: str, timeout_seconds: float = 60) -> subprocess.CompletedProcess:
        """Run `code` in a fresh Python whose tinytorch holds the reference."""
        environment = {
            **os.environ,
            "PYTHONPATH": str(self.path),
            "MPLBACKEND": "Agg",
            "PYTHONUTF8": "1",
        }
        return subprocess.run(
            [sys.executable, "-c", code],
            cwd=self.path,
            env=environment,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=timeout_seconds,
        )


def _load(name: str, path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # pickle and inspect look there
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def references(tmp_path_factory) -> Callable[[str], ReferencePackage]:
    """`references("08a")` is the instructor's solution of a module as a package, as `tito
    export` would write it; made once.
    """
    from grading.engine.course.references import source_path, write_references
    from tito.notebook.cells import read_percent
    from tito.run.runner import make_scratch
    from tito.workspace import Workspace

    @functools.cache
    def make(name: str) -> ReferencePackage:
        module = Workspace(ROOT).module(name)
        path = make_scratch(
            module,
            read_percent(source_path(module)),
            tmp_path_factory.mktemp("reference") / "workspace",
        )
        earlier = Workspace(ROOT).before(module)
        write_references(earlier, path)
        # only while the module is imported: the checkout has none
        lent = {one.import_name: make(one.name).module for one in earlier}
        sys.modules.update(lent)
        try:
            return ReferencePackage(path, _load(f"reference_{module.short}", path / module.export))
        finally:
            for name in lent:
                del sys.modules[name]

    return make


@pytest.fixture(scope="session")
def reference_package(references) -> ReferencePackage:
    """The instructor's solution of module 08."""
    return references("08")

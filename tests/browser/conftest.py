"""The pages of formgrader, which two files of tests open."""

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent


@pytest.fixture
def page(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(HERE), str(HERE.parent / "grading"), *sys.path])
    pytest.importorskip("playwright", reason="playwright is in the extra [dev]")
    pytest.importorskip("nbgrader.api", reason="nbgrader is in the extra [grade]")
    import formgrader

    if not formgrader.find_browser():
        pytest.skip("no Chromium on the PATH; on Debian: apt-get install chromium")
    return formgrader

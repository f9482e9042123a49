"""The kit of tests/grading, for tests that need a class."""

from pathlib import Path

import pytest


@pytest.fixture
def class_kit(monkeypatch):
    pytest.importorskip("nbgrader.api", reason="nbgrader is in the extra [instructor]")
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[1] / "grading"))

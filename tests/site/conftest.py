"""Imports the site's tools under the name that `tito site` gives them, and builds the site of this
checkout once, as a draft.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tito.verbs import load, verbs

load(verbs("site")["build"])  # imports the folder site/_tools under the name site_tools

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "site" / "_ext"))  # as site/conf.py does


@pytest.fixture(scope="session")
def draft(once):
    """The site of this checkout. Its demo cells are not run here; tests of the demo run them."""
    from site_tools.build import build

    return once("draft", lambda folder: build(ROOT, folder=folder, run_cells=False))


@pytest.fixture(scope="session")
def browser():
    """The path of Chromium; without Chromium the test is skipped, with the reason."""
    from site_tools.check import browser_path

    from tito.errors import EnvironmentBroken

    try:
        return browser_path()
    except EnvironmentBroken as missing:
        pytest.skip(str(missing))

"""The site's tools under the name they have for `tito site`, and the checkout's own site, built
once as a draft.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tito.verbs import load, verbs

load(verbs("site")["build"])  # gives the folder site/_tools its name, site_tools

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def draft(tmp_path_factory):
    """The site of this checkout, demo cells not run; tests of the demo run them."""
    from site_tools.build import build

    return build(ROOT, folder=tmp_path_factory.mktemp("site"), run_cells=False)


@pytest.fixture(scope="session")
def browser():
    """Chromium's path; a test that needs it is skipped, with the reason, where there is none."""
    from site_tools.check import browser_path

    from tito.errors import EnvironmentBroken

    try:
        return browser_path()
    except EnvironmentBroken as missing:
        pytest.skip(str(missing))

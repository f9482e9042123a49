"""The way from the landing page to the first green test, in a browser and a shell; the script
`way_in.py` beside this file walks it and keeps the pictures.
"""

import os
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


@pytest.mark.long
@pytest.mark.skipif(os.name == "nt", reason="the script types into a POSIX shell")
def test_nothing_hinders_a_visitor(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", [str(HERE), *sys.path])
    pytest.importorskip("playwright", reason="playwright is in the extra [dev]")
    import way_in

    if not way_in.find_browser():
        pytest.skip("no Chromium on the PATH; on Debian: apt-get install chromium")
    from tito.verbs import load, verbs

    load(verbs("site")["build"])  # imports the folder site/_tools under the name site_tools
    from site_tools.build import build

    html = build(ROOT, folder=tmp_path / "site", run_cells=False).html
    assert way_in.visit(html, tmp_path / "pictures", offline=True) == []

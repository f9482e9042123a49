"""Run All on each module's finished notebook as a test; the script `run_all.py` beside this file
does it and keeps the pictures.
"""

import importlib.util
import sys
from pathlib import Path

import pytest

from tito.workspace import find_workspace

HERE = Path(__file__).resolve().parent
MODULES = [module.name for module in find_workspace(__file__).modules()]

pytestmark = pytest.mark.long


@pytest.fixture
def run_all(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(HERE), *sys.path])
    pytest.importorskip("playwright", reason="playwright is in the extra [dev]")
    if not importlib.util.find_spec("jupyterlab"):  # importing it takes seconds
        pytest.skip("jupyterlab is in the extra [notebook]")
    import run_all

    if not run_all.newcomer.find_browser():
        pytest.skip("no Chromium on the PATH; on Debian: apt-get install chromium")
    yield run_all
    for name in ("run_all", "newcomer"):
        sys.modules.pop(name, None)


def test_what_is_not_green_is_complained_of(run_all):
    red = {"output_type": "error", "ename": "NameError", "evalue": "x"}
    noisy = {"output_type": "stream", "name": "stderr", "text": ["a warning"]}
    cells = [
        {"cell_type": "code", "source": ["1"], "execution_count": 1, "outputs": outputs}
        for outputs in ([], [red], [noisy])
    ]
    cells.append({"cell_type": "code", "source": ["2"], "execution_count": None, "outputs": []})
    assert [text.split()[1:3] for text in run_all.complaints({"cells": cells})] == [
        ["2", "is"],
        ["3", "writes"],
        ["4", "was"],
    ]


@pytest.mark.parametrize("module", MODULES)
def test_a_finished_notebook_is_green_to_the_last_cell(run_all, module, tmp_path):
    theme = "dark" if MODULES.index(module) % 2 else "light"
    assert run_all.visit(module, tmp_path / "pictures", theme) == []

"""Headless Chromium for tests, JupyterLab with settings of its own, and a notebook that is used
with mouse and keyboard.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from helpers.patience import PATIENCE_SECONDS, until
from helpers.servers import free_port
from helpers.serving import answers, end
from tito.workspace import Module

if TYPE_CHECKING:
    from playwright.sync_api import Page

ROOT = Path(__file__).resolve().parents[2]
LAB_DEFAULTS = ROOT / "tito" / "jupyterlab_defaults.json"
HERE = re.compile(r"(https?|wss?)://127\.0\.0\.1[:/]|data:|blob:|about:")  # this machine


def asked_elsewhere(page: Page) -> list[str]:
    """The addresses outside of this machine that the page asks for from now on."""
    asked: list[str] = []
    page.on("request", lambda one: None if HERE.match(one.url) else asked.append(one.url))
    return asked


def student_files(module: Module, folder: Path, notebook: Path | None = None) -> Path:
    """A copy of a student's files, `modules/` and `tinytorch/` without any export; returns the
    notebook of `module` in it, as it was released, or a copy of `notebook`.
    """
    hidden = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints")
    for name in ("modules", "tinytorch"):
        shutil.copytree(ROOT / name, folder / name, ignore=hidden)
    words = ["git", "ls-files", "--others", "--ignored", "--exclude-standard", "tinytorch"]
    exported = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, encoding="utf-8")
    for path in exported.stdout.splitlines():
        (folder / path).unlink(missing_ok=True)
    mine = folder / "modules" / module.name / module.notebook.name
    # the checkout's own notebook may contain work; then there is a starter
    starter = module.folder / ".starter" / module.notebook.name
    taken = notebook or (starter if starter.is_file() else mine)
    if mine.read_bytes() != taken.read_bytes():
        shutil.copy(taken, mine)
        # jupytext refuses to open a pair that does not match; the first save writes the .py again
        mine.with_suffix(".py").unlink(missing_ok=True)
    return mine


def stub_of(notebook: Path, grade_id: str) -> str:
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        if cell.get("metadata", {}).get("nbgrader", {}).get("grade_id") == grade_id:
            return "".join(cell["source"])
    raise LookupError(f"{notebook} has no cell with grade_id {grade_id!r}")


@contextlib.contextmanager
def jupyter_lab(workspace: Path, home: Path) -> Iterator[str]:
    """Start JupyterLab on a free port with settings of its own, yield its address (with token), and
    stop it at the end.
    """
    settings = home / "app_settings"
    (settings / "overrides.d").mkdir(parents=True)
    # the wheel installs it in <venv>/share/jupyter/lab/settings/overrides.d
    shutil.copy(LAB_DEFAULTS, settings / "overrides.d")
    # A student has no nbgrader; if the instructor's extra is installed, its menu and panel are
    # switched off.
    (settings / "page_config.json").write_text(
        json.dumps({"disabledExtensions": {"@jupyter/nbgrader": True}}), encoding="utf-8"
    )
    port, token = free_port(), secrets.token_hex(16)
    kinds = "_CONFIG_DIR _DATA_DIR _RUNTIME_DIR LAB_SETTINGS_DIR LAB_WORKSPACES_DIR".split()
    own = ("IPYTHONDIR", *(f"JUPYTER{kind}" for kind in kinds))
    private = {name: str(home / name.lower()) for name in own}
    arguments = [
        *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"),
        "--ServerApp.ip=127.0.0.1",
        f"--ServerApp.port={port}",
        "--ServerApp.port_retries=0",
        f"--IdentityProvider.token={token}",
        f"--ServerApp.root_dir={workspace}",
        f"--LabApp.app_settings_dir={settings}",
        "--LabApp.expose_app_in_browser=True",
        "--ServerApp.jpserver_extensions={'nbgrader.server_extensions.formgrader': False}",
    ]
    log, around = home / "jupyter.log", environment(workspace, **private)
    with log.open("wb") as out:
        server = subprocess.Popen(arguments, cwd=workspace, env=around, stdout=out, stderr=out)
    try:
        api = f"http://127.0.0.1:{port}/api?token={token}"
        up = until(lambda: server.poll() is not None or answers(api)) and server.poll() is None
        assert up, log.read_text(encoding="utf-8", errors="replace")[-3000:]
        yield f"http://127.0.0.1:{port}/lab/tree/{{path}}?token={token}"
    finally:
        end(server)  # on SIGTERM, JupyterLab ends its kernels


def environment(workspace: Path, **more: str) -> dict[str, str]:
    """An environment in which Python finds the scratch workspace's `tinytorch` before the installed
    one.
    """
    return {
        **os.environ,
        "PYTHONPATH": str(workspace),
        "TITO_WORKSPACE": str(workspace),
        "NO_COLOR": "1",
        "PYTHONUTF8": "1",
        **more,
    }


class Notebook:
    """One notebook in JupyterLab, used with mouse and keyboard."""

    def __init__(self, page, output: Path):
        self.page, self.output, self.pictures = page, output, []

    def open(self, url: str) -> None:
        self.page.goto(url)
        self.page.locator(".jp-Notebook .jp-Cell").first.wait_for()
        self.idle()

    def idle(self) -> None:
        """Wait until the status bar says that the kernel is connected and idle."""
        ready = self.page.locator("#jp-main-statusbar", has_text="| Idle")
        covers = self.page.locator(".jp-NotebookPanel .jp-Spinner")
        self.until(
            lambda: ready.count() and not any(one.is_visible() for one in covers.all()),
            "an idle kernel",
        )

    def cell(self, wanted: str | int):
        """The code cell that contains this text, or the cell of this number, counted from 0,
        scrolled into view.
        """
        number = wanted if isinstance(wanted, int) else self._number(wanted)
        found = self.page.locator(f'.jp-Cell[data-windowed-list-index="{number}"]')
        found.scroll_into_view_if_needed()
        return found

    def _number(self, text: str) -> int:
        """The number of the first code cell with this text. JupyterLab's model is asked, because
        the page holds only those lines of an editor that are near the screen.
        """
        number = self.page.evaluate(
            """text => window.jupyterapp.shell.currentWidget.content.widgets.findIndex(
                cell => cell.model.type === "code"
                    && cell.model.sharedModel.getSource().includes(text))""",
            text,
        )
        if number < 0:
            raise LookupError(f"no code cell of the open notebook contains {text!r}")
        return number

    def insert_below(self, wanted: str | int, source: str) -> None:
        """Add a cell below another one, as the key B does."""
        self.cell(wanted).locator(".cm-content").click(position={"x": 5, "y": 5})
        for key in ("Escape", "b", "Enter"):
            self.page.keyboard.press(key)
        self.page.keyboard.insert_text(source)

    def contents(self, heading: str) -> None:
        """Go to an exercise through the table of contents, as a reader does."""
        panel = self.page.locator(".jp-TableOfContents")
        if not panel.is_visible():
            self.page.keyboard.press("Control+Shift+K")
            panel.wait_for()
        self.page.locator(".jp-tocItem-heading", has_text=heading).first.click()

    def run(self, wanted: str | int) -> list[str]:
        """Click into the cell, press Shift+Enter, wait until the kernel has answered; returns the
        outputs as text. A folded cell is opened first.
        """
        cell = self.cell(wanted)
        folded = cell.locator(".jp-Placeholder-content")
        if folded.count():
            folded.first.click()
        prompt = cell.locator(".jp-InputPrompt").first
        before = prompt.inner_text()
        cell.locator(".cm-content").click(position={"x": 5, "y": 5})
        self.page.keyboard.press("Shift+Enter")
        done = re.compile(r"\[\d+\]")
        self.until(
            lambda: done.search(prompt.inner_text()) and prompt.inner_text() != before,
            f"cell {wanted!r} to run",
        )
        self.idle()
        return cell.locator(".jp-OutputArea-output").all_inner_texts()

    def fill(self, wanted: str | int, source: str) -> None:
        """Replace everything in the cell by `source`."""
        self.cell(wanted).locator(".cm-content").click(position={"x": 5, "y": 5})
        self.page.keyboard.press("Control+A")
        # inserted as if pasted, so the editor adds no brackets and no indentation
        self.page.keyboard.insert_text(source)

    def sees(self, text: str) -> bool:
        """True when the output that contains `text` is visible without scrolling."""
        found = self.page.locator(".jp-OutputArea-output", has_text=text)
        box = found.first.bounding_box() if found.count() else None
        frame = self.page.locator(".jp-WindowedPanel-outer, .jp-Notebook").first.bounding_box()
        return bool(
            box
            and frame
            and box["y"] >= frame["y"]
            and box["y"] + box["height"] <= frame["y"] + frame["height"]
        )

    def save(self) -> None:
        self.page.keyboard.press("Control+S")
        dirty = self.page.locator(".jp-mod-dirty")
        self.until(lambda: not dirty.count(), "the notebook to be saved")

    def until(self, condition, what: str) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not condition():
            dialog = self.page.locator(".jp-Dialog")
            asks = dialog.first.inner_text() if dialog.count() else ""
            if asks or time.monotonic() > deadline:
                self.picture("stuck")
                why = f"a dialog came up: {asks[:500]}" if asks else f"{PATIENCE_SECONDS} s went by"
                raise RuntimeError(f"waiting for {what}, {why}; see {self.pictures[-1]}")
            self.page.wait_for_timeout(50)

    def picture(self, name: str) -> None:
        path = self.output / f"{len(self.pictures) + 1:02d}_{name}.png"
        self.page.screenshot(path=path)
        self.pictures.append(path)

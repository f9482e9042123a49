"""A notebook in JupyterLab that is used with mouse and keyboard."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING

from helpers.patience import PATIENCE_SECONDS

if TYPE_CHECKING:
    from playwright.sync_api import Page

ROOT = Path(__file__).resolve().parents[2]
# this machine
HERE = re.compile(r"(https?|wss?)://(127\.0\.0\.1|localhost)[:/]|data:|blob:|about:")


def asked_elsewhere(page: Page) -> list[str]:
    """The addresses outside of this machine that the page asks for from now on."""
    asked: list[str] = []
    page.on("request", lambda one: None if HERE.match(one.url) else asked.append(one.url))
    return asked


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

"""Check a built site as its readers meet it: every page, opened from its file in a real browser,
at three widths and in both themes; then the search.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tito.errors import EnvironmentBroken

from . import accessible, page_faults, search_words
from .dead_links import dead_links, pages_of
from .page_weight import Loaded

WIDE, MIDDLE, PHONE = 1440, 1024, 390  # CSS pixels
_CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]


@dataclass
class Checked:
    """What a check saw."""

    pages: int = 0
    outside: int = 0  # requests that would have left the machine
    faults: list[str] = field(default_factory=list)


def browser_path() -> str:
    """The Chromium of this machine.

    Raises:
        EnvironmentBroken: there is none, or its Python driver is missing.
    """
    if find_spec("playwright") is None:
        raise EnvironmentBroken(
            "the check drives a browser; playwright is not installed. Run: python -m pip install"
            " 'tinytorch-course[dev]'"
        )
    chromium = next(filter(None, map(shutil.which, _CHROMIUM)), None)
    if chromium is None:
        raise EnvironmentBroken(
            f"the check opens the pages in Chromium, and none of {', '.join(_CHROMIUM)} is on the"
            " path. On Debian: apt install chromium"
        )
    return chromium


def check(html: Path) -> Checked:
    """Look at every page under `html`: links, then in the browser console, requests, pictures,
    contrast, width, weight and axe-core; then type the searches of site/_searches.toml.

    Raises:
        EnvironmentBroken: no browser, or no axe-core.
    """
    html = html.resolve()  # Chromium wants whole paths
    path, pages = browser_path(), pages_of(html)
    accessible.script()  # if it is missing, say so now
    checked = Checked(pages=len(pages), faults=dead_links(html))
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=_FLAGS)
        try:
            page = browser.new_page()
            watch, loaded = _Watch(page, checked), Loaded(page)
            for file in pages:
                watch.where = file.relative_to(html).as_posix()
                _look(page, file, watch, loaded)
            if (html / "search.html").is_file():
                watch.where = "search.html"
                page.set_viewport_size({"width": WIDE, "height": 900})
                faults = (search_words.fault(page, html, one) for one in search_words.searches())
                for fault in filter(None, faults):
                    watch.fault(fault)
        finally:
            browser.close()
    return checked


class _Watch:
    """Notes what the browser says about the page that is open."""

    def __init__(self, page: Any, checked: Checked):
        self.where, self.found = "", checked
        page.on("console", self._said)
        page.on("pageerror", lambda problem: self.fault(f"a script fails: {problem}"))
        page.on("requestfailed", self._not_loaded)
        page.route(lambda url: not url.startswith(("file:", "data:", "blob:")), self._asked)

    def fault(self, text: str) -> None:
        self.found.faults.append(f"{self.where}: {text}")

    def _said(self, message: Any) -> None:
        if message.type == "error":
            self.fault(f"the console says {message.text!r}")

    def _not_loaded(self, request: Any) -> None:
        # a page that is left ends what it was still loading; a missing file has another reason
        if request.failure != "net::ERR_ABORTED":
            self.fault(f"{request.url} could not be loaded")

    def _asked(self, route: Any) -> None:
        self.found.outside += 1
        self.fault(f"opening it asks for {route.request.url}")
        route.abort()


def _look(page: Any, file: Path, watch: _Watch, loaded: Loaded) -> None:
    """One page: opened wide and light, then dark, then narrower down to a phone's width."""
    page.set_viewport_size({"width": WIDE, "height": 900})
    page.emulate_media(color_scheme="light")
    page.goto(file.as_uri(), wait_until="load")
    faults = [*loaded.faults(), *page_faults.pictures(page)]
    page_faults.set_theme(page, "light")
    faults += accessible.violations(page)
    page_faults.set_theme(page, "dark")
    faults += [f"dark: {fault}" for fault in accessible.violations(page, contrast=True)]
    for width in (WIDE, MIDDLE, PHONE):
        page.set_viewport_size({"width": width, "height": 900})
        faults += page_faults.too_wide(page, width)
    # a phone's page has other parts; colors were looked at above
    faults += accessible.violations(page, contrast=False)
    for fault in dict.fromkeys(faults):  # two widths may break the same rule
        watch.fault(fault)

"""A page of headless Chromium for tests."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from helpers.patience import PATIENCE_SECONDS

if TYPE_CHECKING:
    from playwright.sync_api import Page

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@contextlib.contextmanager
def chromium(width: int = 1280, height: int = 860, **options: Any) -> Iterator[Page]:
    """A page of headless Chromium, each of whose steps may take long; without Chromium the test is
    skipped, with the reason.
    """
    driver = pytest.importorskip("playwright.sync_api", reason="playwright is in the extra [dev]")
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if not found:
        pytest.skip("no Chromium on the PATH; on Debian: apt-get install chromium")
    with driver.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=ARGUMENTS)
        page = browser.new_page(viewport={"width": width, "height": height}, **options)
        page.set_default_timeout(PATIENCE_SECONDS * 1000)
        yield page
        browser.close()

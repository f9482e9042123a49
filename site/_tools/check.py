"""Check a built site as its readers meet it: every page, opened from its file in a real browser,
at two widths and in both themes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from site_tools.dead_links import dead_links, pages_of

from tito.errors import EnvironmentBroken

WIDE, PHONE = 1280, 390  # CSS pixels
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
    import shutil
    from importlib.util import find_spec

    if find_spec("playwright") is None:
        raise EnvironmentBroken(
            "the check drives a browser; playwright is not installed. Run: python -m pip install -c"
            ' constraints.txt -e ".[dev]"'
        )
    found = next(filter(None, map(shutil.which, _CHROMIUM)), None)
    if found is None:
        raise EnvironmentBroken(
            "the check opens the pages in Chromium, and none of "
            + ", ".join(_CHROMIUM)
            + " is on the path. On Debian: apt install chromium"
        )
    return found


def check(
    html: Path, *, progress: Callable[[int, int], None] = lambda done, total: None
) -> Checked:
    """Look at every page under `html`: links, then in the browser console, requests, images,
    contrast, width.

    Raises:
        EnvironmentBroken: no browser.
    """
    path, pages = browser_path(), pages_of(html)
    found = Checked(pages=len(pages), faults=dead_links(html))
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=_FLAGS)
        try:
            context = browser.new_context(
                viewport={"width": WIDE, "height": 900}, color_scheme="light"
            )
            page = context.new_page()
            watch = _Watch(page, found)
            for number, file in enumerate(pages):
                watch.where = file.relative_to(html).as_posix()
                _look(page, file, watch)
                progress(number + 1, len(pages))
        finally:
            browser.close()
    return found


class _Watch:
    """Notes what the browser says about the page that is open."""

    def __init__(self, page: Any, found: Checked):
        self.where, self.found = "", found
        page.on(
            "console",
            lambda said: (
                self.fault(f"the console says {said.text!r}") if said.type == "error" else None
            ),
        )
        page.on("pageerror", lambda problem: self.fault(f"a script fails: {problem}"))
        page.on("request", self._asked)
        page.on("requestfailed", lambda request: self.fault(f"{request.url} could not be loaded"))
        page.route(
            "**/*",
            lambda route: (
                route.continue_()
                if route.request.url.startswith(("file:", "data:", "blob:"))
                else route.abort()
            ),
        )

    def fault(self, text: str) -> None:
        self.found.faults.append(f"{self.where}: {text}")

    def _asked(self, request: Any) -> None:
        if not request.url.startswith(("file:", "data:", "blob:")):
            self.found.outside += 1
            self.fault(f"opening it asks for {request.url}")


def _look(page: Any, file: Path, watch: _Watch) -> None:
    """One page: opened wide and light, then dark, then as narrow as a phone."""
    page.set_viewport_size({"width": WIDE, "height": 900})
    page.emulate_media(color_scheme="light")
    page.goto(file.as_uri(), wait_until="load")
    for missing in page.evaluate(_NO_ALT):
        watch.fault(f"an image has no alternative text: {missing}")
    for theme in ("light", "dark"):
        page.evaluate("theme => { document.body.dataset.theme = theme }", theme)
        for text, ratio, wanted in page.evaluate(_CONTRAST):
            watch.fault(f"{theme}: {text!r} has a contrast of {ratio:.2f}, WCAG AA wants {wanted}")
    page.set_viewport_size({"width": PHONE, "height": 800})
    for part in page.evaluate(_TOO_WIDE, PHONE):
        watch.fault(f"at {PHONE} px the page scrolls sideways: {part}")


_NO_ALT = """() => [...document.images]
  .filter(image => !(image.getAttribute("alt") || "").trim())
  .filter(image => image.getAttribute("role") !== "presentation")
  .map(image => image.outerHTML.slice(0, 80))"""
# What reaches past the screen's edge and is not inside a box of its own that scrolls.
_TOO_WIDE = """limit => {
  const past = part => part.getBoundingClientRect().right > limit + 1;
  const ends = box => !box || box.tagName === "ARTICLE" || box === document.body;
  const scrolls = part => {
    for (let box = part; !ends(box); box = box.parentElement)
      if (/auto|scroll|hidden|clip/.test(getComputedStyle(box).overflowX) && !past(box))
        return true;
    return false;
  };
  const parts = [...document.querySelectorAll("article *")];
  const wide = parts.filter(part => past(part) && !scrolls(part));
  const found = wide.slice(0, 2).map(part => part.outerHTML.slice(0, 120));
  const whole = document.documentElement.scrollWidth;
  return whole > limit && !found.length ? [`${whole} px wide`] : found;
}"""
# WCAG 2.2, 1.4.3: 4.5:1, and 3:1 for text of 24 px, or of 18.66 px in bold. Colours are those that
# are computed; what is behind a text is the nearest ancestor's background that is not see-through,
# blended.
_CONTRAST = """() => {
  const rgba = text => {
    const found = text.match(/[\\d.]+/g).map(Number);
    return found.length === 3 ? [...found, 1] : found;
  };
  const over = (top, under) => {
    const mixed = [0, 1, 2].map(k => top[k] * top[3] + under[k] * (1 - top[3]));
    return [...mixed, 1];
  };
  const linear = v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const light = colour => {
    const part = colour.slice(0, 3).map(v => linear(v / 255));
    return 0.2126 * part[0] + 0.7152 * part[1] + 0.0722 * part[2];
  };
  const behind = new Map();
  const ground = node => {
    if (!node) return [255, 255, 255, 1];
    if (!behind.has(node)) {
      const own = rgba(getComputedStyle(node).backgroundColor);
      behind.set(node, own[3] === 1 ? own : over(own, ground(node.parentElement)));
    }
    return behind.get(node);
  };
  const seen = { checkOpacity: true, checkVisibilityCSS: true };
  const found = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.textContent.trim(), part = walker.currentNode.parentElement;
    if (!text || !part.checkVisibility(seen)) continue;
    if (part.closest("script, style, [hidden], [inert]")) continue;
    if (part.getBoundingClientRect().width < 2) continue;
    const style = getComputedStyle(part), size = parseFloat(style.fontSize);
    const large = size >= 24 || size >= 18.66 && style.fontWeight >= 700;
    const back = ground(part), ink = part.closest("svg") ? style.fill : style.color;
    if (!/^rgb/.test(ink)) continue;
    const a = light(over(rgba(ink), back)), b = light(back), wanted = large ? 3 : 4.5;
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < wanted - 0.005) found.push([text.slice(0, 40), ratio, wanted]);
  }
  return found.slice(0, 5);
}"""

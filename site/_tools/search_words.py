"""What a reader types into the search box, and the page that has to be first with an excerpt."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tito.errors import UsageError
from tito.files import read_toml

PATIENCE_MS = 10_000  # for one script from the disk
LIST = Path(__file__).resolve().parents[1] / "_searches.toml"


@dataclass(frozen=True)
class Search:
    """One search: `typed` has to find the page `first`, such as modules/NN_name, before others."""

    typed: str
    first: str


def searches() -> list[Search]:
    """The searches of this course."""
    return [Search(**entry) for entry in read_toml(LIST, UsageError)["search"]]


def fault(page: Any, html: Path, search: Search) -> str:
    """Type a search into the box of the landing page; return what is wrong with the first hit, or
    an empty text.
    """
    page.goto((html / "index.html").as_uri(), wait_until="load")
    box = page.locator("input.sidebar-search")
    box.fill(search.typed)
    box.press("Enter")
    page.wait_for_function("document.querySelector('#search-results .search-summary')?.innerText")
    wanted = f"{search.first}.html"
    first = page.locator("#search-results li a").first
    if not first.count():
        return f"a search for {search.typed!r} finds nothing; {wanted} is meant"
    hit = (first.get_attribute("href") or "").partition("#")[0]
    if hit != wanted:
        return f"a search for {search.typed!r} shows {hit} first; {wanted} is meant"
    from playwright.sync_api import TimeoutError

    try:
        page.locator("#search-results li").first.locator("p.context").wait_for(timeout=PATIENCE_MS)
    except TimeoutError:
        return f"a search for {search.typed!r} shows no excerpt of {hit}"
    return ""

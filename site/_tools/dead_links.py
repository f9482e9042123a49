"""Links inside the site that lead nowhere: a file that is not there, an anchor that the page
does not have.
"""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class _Page(HTMLParser):
    """The anchors and the links of one page."""

    def __init__(self) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        self.anchors.update(
            filter(None, (given.get("id"), given.get("name") if tag == "a" else None))
        )
        self.links += filter(
            None, (given.get("href") if tag in ("a", "link") else None, given.get("src"))
        )


def pages_of(html: Path) -> list[Path]:
    """The site's own pages: those of JupyterLite below lite/ need a server, and are not ours."""
    return [
        path for path in sorted(html.rglob("*.html")) if path.relative_to(html).parts[0] != "lite"
    ]


def dead_links(html: Path) -> list[str]:
    """A text for each link under the folder `html` that leads nowhere. Addresses of other
    machines are not asked.
    """
    pages: dict[Path, _Page] = {}
    for path in pages_of(html):
        pages[path.resolve()] = page = _Page()
        page.feed(path.read_text(encoding="utf-8"))
    faults = []
    for path, page in pages.items():
        where = path.relative_to(html.resolve()).as_posix()
        for link in page.links:
            address = urlsplit(link)
            if address.scheme or address.netloc:
                continue
            target = (path.parent / unquote(address.path)).resolve() if address.path else path
            if not target.is_file():
                faults.append(f"{where}: the link {link!r} leads to no file")
            elif (
                address.fragment
                and target in pages
                and unquote(address.fragment) not in pages[target].anchors
            ):
                faults.append(f"{where}: the link {link!r} leads to no place on its page")
    return faults

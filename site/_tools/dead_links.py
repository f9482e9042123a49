"""Links inside the site that lead nowhere: a file that is not there, an anchor that the page
does not have.
"""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class _Page(HTMLParser):
    """The anchors and the links of one page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str | None] = set()
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        self.anchors |= {given.get("id"), given.get("name") if tag == "a" else None}
        self.links += filter(None, [given.get("href"), given.get("src")])


def pages_of(html: Path) -> list[Path]:
    """The site's own pages: those of JupyterLite below lite/ need a server, and are not ours."""
    return [
        path for path in sorted(html.rglob("*.html")) if path.relative_to(html).parts[0] != "lite"
    ]


def dead_links(html: Path) -> list[str]:
    """A text for each link under the folder `html` that leads nowhere. Addresses of other
    machines are not asked.
    """
    html = html.resolve()
    pages = {path: _Page(path.read_text(encoding="utf-8")) for path in pages_of(html)}
    faults = []
    for path, page in pages.items():
        for link in page.links:
            address = urlsplit(link)
            if address.scheme or address.netloc:
                continue
            target = (path.parent / unquote(address.path)).resolve() if address.path else path
            anchor, known = unquote(address.fragment), pages.get(target)
            gone = None if target.is_file() else "file"
            if anchor and known and anchor not in known.anchors:
                gone = "place on its page"
            if gone:
                where = path.relative_to(html).as_posix()
                faults.append(f"{where}: the link {link!r} leads to no {gone}")
    return faults

"""What opening a page costs its reader: the bytes that are loaded."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

MOST_BYTES = 300_000  # of a page with its styles, scripts and fonts, as they lie on the disk


class Loaded:
    """Adds up what the page that is open has loaded from the disk, pictures left out."""

    def __init__(self, page: Any):
        self.files: set[Path] = set()
        page.on("request", self._note)

    def _note(self, request: Any) -> None:
        address = urlsplit(request.url)
        if request.is_navigation_request():
            self.files.clear()
        if address.scheme == "file" and request.resource_type != "image":
            self.files.add(Path(url2pathname(unquote(address.path))))

    def faults(self) -> list[str]:
        """What is too much of the page that was opened last."""
        sizes = {path: path.stat().st_size for path in self.files if path.is_file()}
        size = sum(sizes.values())
        if size <= MOST_BYTES:
            return []
        largest = sorted(sizes, key=lambda path: -sizes[path])[:3]
        said = ", ".join(f"{path.name} {sizes[path] / 1000:.0f} kB" for path in largest)
        return [
            f"it loads {size / 1000:.0f} kB without pictures; {MOST_BYTES / 1000:.0f} are the most."
            f" The largest: {said}"
        ]

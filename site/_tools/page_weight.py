"""What opening a page costs its reader: bytes that are loaded, and text that moves meanwhile."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

MOST_BYTES = 300_000  # of a page with its styles, scripts and fonts, as they lie on the disk
# Cumulative layout shift: the share of the screen that moves, times how far it moves.
MOST_SHIFT = 0.02
FRAMES = 6  # that a loaded page is drawn before it is judged


class Loaded:
    """Adds up what the page that is open has loaded from the disk, pictures left out."""

    def __init__(self, page: Any):
        self.files: set[Path] = set()
        page.add_init_script(_NOTE_SHIFTS)
        page.on("request", self._note)

    def _note(self, request: Any) -> None:
        address = urlsplit(request.url)
        if request.is_navigation_request():
            self.files.clear()
        if address.scheme == "file" and request.resource_type != "image":
            self.files.add(Path(url2pathname(unquote(address.path))))

    def faults(self, page: Any) -> list[str]:
        """What is too much of the page that was opened last."""
        faults = []
        size = sum(path.stat().st_size for path in self.files if path.is_file())
        if size > MOST_BYTES:
            faults.append(
                f"it loads {size / 1000:.0f} kB without pictures; {MOST_BYTES / 1000:.0f} are the"
                f" most. The largest: {', '.join(self._largest())}"
            )
        shift = page.evaluate(_SHIFT, FRAMES)
        if shift > MOST_SHIFT:
            faults.append(
                f"its text moves while it loads, by {shift:.3f}; the most is {MOST_SHIFT}"
            )
        return faults

    def _largest(self) -> list[str]:
        sizes = {path: path.stat().st_size for path in self.files if path.is_file()}
        largest = sorted(sizes, key=lambda path: -sizes[path])[:3]
        return [f"{path.name} {sizes[path] / 1000:.0f} kB" for path in largest]


_NOTE_SHIFTS = """window.courseShift = 0;
new PerformanceObserver(list => {
  for (const one of list.getEntries()) if (!one.hadRecentInput) window.courseShift += one.value;
}).observe({ type: "layout-shift", buffered: true });"""
_SHIFT = """frames => new Promise(done => {
  const next = left =>
    requestAnimationFrame(() => left ? next(left - 1) : setTimeout(() => done(courseShift)));
  next(frames);
})"""

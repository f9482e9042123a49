"""Which file a person edits for each staged page, and where in it a fault of the build lies."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tito.workspace import Workspace

if TYPE_CHECKING:
    from .staging import Stage

_ENOUGH = 12  # characters of a line that tell it from others


@dataclass(frozen=True)
class Origins:
    """The files behind the pages that `stage` got, in the repository `root`."""

    root: Path
    stage: Stage

    def repaired(self, said: str) -> str:
        """What Sphinx said, with each staged page replaced by the file and line to edit."""
        folder = re.escape(str(self.stage.folder))
        places = re.compile(folder + r"/([^\s:]+)(?::(\d+))?(?=[:\s])")
        return places.sub(lambda match: self.place(match[1], int(match[2] or 0)), said)

    def place(self, page: str, line: int) -> str:
        """The file and line to edit, such as CONTRIBUTING.md:12, for a line of a staged page."""
        files, staged = self.stage.behind.get(page), self.stage.folder / page
        if not files:
            return f"{staged}:{line}"
        lines = staged.read_text(encoding="utf-8").splitlines() if staged.is_file() else []
        return place_of(lines[:line], files, self.root)

    def edited(self) -> dict[str, str]:
        """For each page's name that the public repository has one file for, this file's path."""
        # what `tito dev bundle` writes
        public = ("modules/", f"{Workspace(self.root).package.name}/")
        alone = {page: files[0] for page, files in self.stage.behind.items() if len(files) == 1}
        paths = {page: path.relative_to(self.root).as_posix() for page, path in alone.items()}
        return {
            page.rpartition(".")[0]: path for page, path in paths.items() if path.startswith(public)
        }


def place_of(lines: Sequence[str], files: Iterable[Path], root: Path) -> str:
    """Where the last of `lines` that one of the files has exactly once is, such as
    site/_landing.py:12; the first file alone if there is none, and nothing without files.

    Args:
        files: the one that a person edits first.
    """
    # notebooks hold their lines in JSON, and pages have backslashes before marks
    texts = {
        path.relative_to(root).as_posix(): path.read_text(encoding="utf-8").replace("\\", "")
        for path in files
        if path.is_file()
    }
    for shown in reversed(lines):
        words = shown.replace("\\", "").lstrip(": ").strip()
        for path, text in texts.items():
            numbers = [n for n, line in enumerate(text.splitlines(), start=1) if words in line]
            if len(words) >= _ENOUGH and len(numbers) == 1:
                return f"{path}:{numbers[0]}"
    return next(iter(texts), "")

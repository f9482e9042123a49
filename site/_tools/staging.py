"""The folder that Sphinx reads: what site/ holds, and the pages derived from the other rooms. A
file that says the same is not written again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Stage:
    """Pages by path, written where they differ; `prune` removes what no page claimed.

    Attributes:
        behind: for each page's path in the stage, the files that a person edits.
    """

    folder: Path
    claimed: set[Path] = field(default_factory=set)
    behind: dict[str, tuple[Path, ...]] = field(default_factory=dict)

    def write(self, name: str, content: str | bytes, *behind: Path) -> None:
        """Write a page that is derived from the files `behind` it."""
        if behind:
            self.behind[name] = behind
        path, raw = self.folder / name, content.encode() if isinstance(content, str) else content
        self.claimed.add(path)
        if not path.is_file() or path.read_bytes() != raw:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(raw)

    def copy(self, source: Path, name: str) -> None:
        self.write(name, source.read_bytes())

    def prune(self) -> None:
        for path in sorted(self.folder.rglob("*"), reverse=True):
            if path.is_file() and path not in self.claimed:
                path.unlink()
            elif path.is_dir() and not any(path.iterdir()):
                path.rmdir()

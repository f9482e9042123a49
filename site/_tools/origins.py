"""Which file a person edits for each staged page, and where in it a fault of the build lies."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

from site_tools.pages import BORROWED

from grading.engine.course.references import source_path
from tito.verbs import GROUPS, verbs
from tito.workspace import Workspace

# The rooms that the public repository holds, which is what `tito dev bundle` writes.
PUBLIC_ROOMS = ("modules/", "tinytorch/")
_ENOUGH = 12  # characters of a line that tell it from others


@dataclass(frozen=True)
class Origins:
    """The files behind the pages of a stage.

    Attributes:
        root: of the repository.
        stage: the folder that Sphinx reads.
        files: for each page's path in the stage, the files that it is derived from.
    """

    root: Path
    stage: Path
    files: dict[str, list[Path]]

    def mended(self, said: str) -> str:
        """What Sphinx said, with each staged page replaced by the file and line to edit."""
        places = re.compile(re.escape(str(self.stage)) + r"/([^\s:]+)(?::(\d+))?(?=[:\s])")
        return places.sub(
            lambda found: self.place(found[1], int(found[2]) if found[2] else None), said
        )

    def place(self, page: str, line: int | None) -> str:
        """The file and line to edit, such as CONTRIBUTING.md:12, for a line of a staged page."""
        files, staged = self.files.get(page), self.stage / page
        if not files:
            return str(staged) + (f":{line}" if line else "")
        if line is None or not staged.is_file():
            return self._named(files[0])
        lines = staged.read_text(encoding="utf-8").splitlines()
        if files[0].suffix == ".md":
            own = files[0].read_text(encoding="utf-8").splitlines()
            return f"{self._named(files[0])}:{aligned(lines, own, line)}"
        return self._near(lines[:line], files)

    def _near(self, above: Sequence[str], files: list[Path]) -> str:
        """The line of one of several files whose words stand last in the lines `above`."""
        known = [path for path in files if path.is_file()]
        texts = {path: path.read_text(encoding="utf-8").splitlines() for path in known}
        for shown in reversed(above):
            words = shown.replace("\\", "").lstrip(": ").strip()
            found = [
                (path, number)
                for path, lines in texts.items()
                for number, line in enumerate(lines, start=1)
                if words in line
            ]
            if len(words) >= _ENOUGH and len(found) == 1:
                return f"{self._named(found[0][0])}:{found[0][1]}"
        return ", ".join(sorted({self._named(path.parent) for path in files}))

    def _named(self, path: Path) -> str:
        return path.relative_to(self.root).as_posix()

    def edited(self) -> dict[str, str]:
        """For each page's name that the public repository has one file for, this file's path."""
        return {
            page.rpartition(".")[0]: self._named(files[0])
            for page, files in self.files.items()
            if len(files) == 1 and self._named(files[0]).startswith(PUBLIC_ROOMS)
        }


def origins(root: Path, stage: Path) -> Origins:
    """The files behind the pages that `write_pages` writes."""
    site = root / "site"
    files = {
        path.relative_to(site).as_posix(): [path]
        for path in site.rglob("*.md")
        if not path.relative_to(site).parts[0].startswith("_")
    }
    files |= {page: [root / source] for source, page in BORROWED.items()}
    for module in Workspace(root).modules():
        files[f"modules/{module.name}.md"] = [module.folder / "ABOUT.md"]
        for kind in ("reference", "analysis"):  # derived from the student edition, as that is
            files[f"{kind}/{module.name}.md"] = [source_path(module)]
    package = root / "tinytorch"
    for room in (path for path in package.iterdir() if (path / "__init__.py").is_file()):
        files[f"reference/{room.name}.md"] = sorted(room.rglob("*.py"))
    files["reference/testing.md"] = [package / "testing.py"]
    files["cli.md"] = [
        Path(verb.path) for group in (None, *GROUPS) for verb in verbs(group).values()
    ]
    return Origins(root, stage, files)


def aligned(staged: Sequence[str], own: Sequence[str], line: int) -> int:
    """The line of a file that stands at `line` of the page made from it; of an inserted line, the
    one before. Lines are counted from 1.
    """
    best = 1
    for tag, start, end, first, last in SequenceMatcher(
        None, staged, own, autojunk=False
    ).get_opcodes():
        if start >= line:
            break
        if tag in ("equal", "replace") and last > first:
            best = first + 1 + min(line - 1 - start, last - 1 - first)
            if line <= end:
                break
        elif last > first:
            best = last
    return best

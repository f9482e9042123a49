"""Which file a person edits for each staged page, and where in it a fault of the build lies."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from grading.engine.course.references import source_path
from tito.verbs import GROUPS, verbs
from tito.workspace import Workspace

from .edited_lines import place_of
from .pages import borrowed, has_own_pages, rooms


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

    def repaired(self, said: str) -> str:
        """What Sphinx said, with each staged page replaced by the file and line to edit."""
        places = re.compile(re.escape(str(self.stage)) + r"/([^\s:]+)(?::(\d+))?(?=[:\s])")
        return places.sub(lambda match: self.place(match[1], int(match[2] or 0)), said)

    def place(self, page: str, line: int) -> str:
        """The file and line to edit, such as CONTRIBUTING.md:12, for a line of a staged page."""
        files, staged = self.files.get(page), self.stage / page
        if not files:
            return f"{staged}:{line}"
        lines = staged.read_text(encoding="utf-8").splitlines() if staged.is_file() else []
        return place_of(lines[:line], files, self.root)

    def edited(self) -> dict[str, str]:
        """For each page's name that the public repository has one file for, this file's path."""
        # what `tito dev bundle` writes
        public = ("modules/", f"{Workspace(self.root).package.name}/")
        alone = {page: files[0] for page, files in self.files.items() if len(files) == 1}
        paths = {page: path.relative_to(self.root).as_posix() for page, path in alone.items()}
        return {
            page.rpartition(".")[0]: path for page, path in paths.items() if path.startswith(public)
        }


def origins(root: Path, stage: Path) -> Origins:
    """The files behind the pages that `write_pages` writes."""
    site = root / "site"
    files = {
        path.relative_to(site).as_posix(): [path]
        for path in site.rglob("*.md")
        if not path.relative_to(site).parts[0].startswith("_")
    }
    files |= {page: [root / source] for source, page in borrowed(root).items()}
    for module in Workspace(root).modules():
        files[f"modules/{module.name}.md"] = [module.folder / "ABOUT.md"]
        for kind in ("reference", "analysis"):  # derived from the student edition, as that is
            files[f"{kind}/{module.name}.md"] = [source_path(module)]
    for room in rooms(root):
        files[f"reference/{room.name}.md"] = sorted(room.rglob("*.py"))
    files["reference/testing.md"] = [root / "tinytorch" / "testing.py"]
    if has_own_pages(root):
        files["cli.md"] = [
            Path(verb.path) for group in (None, *GROUPS) for verb in verbs(group).values()
        ]
    return Origins(root, stage, files)

"""Which pages there are. Nothing here knows a module by name: a new folder under modules/
appears everywhere.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from grading.authoring.colab import repository_url
from grading.engine.course.references import source_path
from tito.notebook import hours
from tito.notebook.cells import read_ipynb
from tito.notebook.exercises import exercises
from tito.verbs import GROUPS, verbs
from tito.workspace import Workspace

from . import (
    browser_edition,
    cli_page,
    examples,
    executed,
    glossary,
    landing,
    landing_comparison,
    launch,
    measured_page,
    module_page,
    syllabus,
)
from .repository_links import rewritten

if TYPE_CHECKING:
    from tito.workspace import Module

    from .demo_outcomes import Outcome
    from .staging import Stage
    from .verb_examples import Example

SITE = Path(__file__).resolve().parents[1]  # what every course's site is made with
# Pages that are files of other rooms: what the repository calls them, what the site does.
BORROWED = {
    "grading/README.md": "teach/grading.md",
    "CONTRIBUTING.md": "author.md",
    "CHANGELOG.md": "changelog.md",
}
# What is below the README on the start page of a course that has no site/index.md.
_PLAIN = """
## Modules

Everything in one file: {download}`handout.zip <handout.zip>`.

<!-- cards -->

```{toctree}
:hidden:
:caption: Handbook

<!-- handbook -->
```

```{toctree}
:hidden:
:caption: Look up

<!-- measured -->
reference/index
```
"""
ROOMS = {
    "core": "the course's earlier weeks, given",
    "datasets": "data without a network, and CIFAR-10",
    "data": "what the labs use",
    "profiler": "the instrument",
    "notebook": "comfort in a notebook",
}
# `<!-- red.png: what is in the picture -->`
_PICTURE = re.compile(r"<!-- (\w+\.png): (.+?) -->", re.DOTALL)
_ALWAYS = ("conf.py", "_ext", "_static", "_templates")


@dataclass(frozen=True)
class _Site:
    """What every page may need.

    Attributes:
        pages: a file of the course -> its page.
        address: of the course's public repository; "" without one.
        ran_cells, in_browser, handout: as in `write_pages`.
    """

    stage: Stage
    modules: list[Module]
    pages: dict[str, str]
    address: str
    ran_cells: Mapping[str, Mapping[str, Outcome]]
    in_browser: bool
    handout: bytes


def write_pages(
    root: Path,
    stage: Stage,
    ran_cells: Mapping[str, Mapping[str, Outcome]],
    *,
    in_browser: bool = False,
    handout: bytes = b"",
    verbs_ran: dict[str, list[Example]] | None = None,
) -> list[Path]:
    """Write every page of the stage; return the repository's files whose snippets are to be run.

    Args:
        ran_cells: name of a module, or of the landing page -> what its cells showed in this
            build.
        in_browser: whether the site holds the notebooks in the browser.
        handout: the zip that students download.
        verbs_ran: the examples of the command line's page; None leaves them out.
    """
    modules = Workspace(root).modules()
    from_elsewhere = borrowed(root)
    abouts = {f"modules/{one.name}/ABOUT.md": f"modules/{one.name}.md" for one in modules}
    pages = abouts | from_elsewhere
    address = repository_url(root)
    course = _Site(stage, modules, pages, address, ran_cells, in_browser, handout)
    for place in _ALWAYS:
        for path in (SITE / place, *sorted((SITE / place).rglob("*"))):
            if path.is_file() and "__pycache__" not in path.parts:
                stage.copy(path, path.relative_to(SITE).as_posix())
    stage.write("handout.zip", handout)
    for source, page in from_elsewhere.items():
        written = (root / source).read_text(encoding="utf-8")
        places = PurePosixPath(source), PurePosixPath(page)
        text = rewritten(written, *places, pages, address)
        if source == "README.md":
            text = _filled(text + _PLAIN, root / source, course)
        stage.write(page, text, root / source)
    if has_own_pages(root):
        _own_pages(root / "site", course)
        files = [Path(verb.path) for group in (None, *GROUPS) for verb in verbs(group).values()]
        stage.write("cli.md", cli_page.page(verbs_ran), *files)
    snippets = [_module(module, course) for module in modules]
    _reference(root, modules, stage)
    return snippets


def has_own_pages(root: Path) -> bool:
    """Whether the course has a site of its own texts; else its README is the start page."""
    return (root / "site" / "index.md").is_file()


def borrowed(root: Path) -> dict[str, str]:
    """The files of the course's other folders that are pages, each with the page's path."""
    return BORROWED if has_own_pages(root) else {"README.md": "index.md"}


def _own_pages(site: Path, course: _Site) -> None:
    """The pages that a person wrote in the course's folder site/."""
    stage, ran = course.stage, examples.recorded(site)
    for path in sorted(site.rglob("*")):
        inside = path.relative_to(site)
        if not path.is_file() or inside.parts[0].startswith("_") or inside.name == "conf.py":
            continue
        if path.suffix != ".md":
            stage.copy(path, inside.as_posix())
            continue
        text = _filled(path.read_text(encoding="utf-8"), path, course)
        text = landing_comparison.filled(text, site)
        text = landing.filled(text, course.ran_cells.get(landing.NAME, {}), site, stage)
        stage.write(inside.as_posix(), examples.filled(text, site, ran), path)


def _module(module: Module, course: _Site) -> Path:
    """Write the pages of a module; return the file whose snippets are to be run."""
    stage, address, cells = course.stage, course.address, course.ran_cells.get(module.name, {})
    about, page = module.folder / "ABOUT.md", PurePosixPath(f"modules/{module.name}.md")
    source = PurePosixPath(f"modules/{module.name}/ABOUT.md")
    text = rewritten(about.read_text(encoding="utf-8"), source, page, course.pages, address)
    following = [one.name for one in course.modules if module.name in one.after]
    later = ", ".join(f"[{name}]({name}.md)" for name in following) or module.meta.get("next")
    stage.copy(module.notebook, f"notebooks/{module.notebook.name}")
    ways = module_page.Ways(
        launch.links(address, f"modules/{module.name}/{module.notebook.name}"),
        start=browser_edition.address(module, "../") if course.in_browser else None,
        download=f"../notebooks/{module.notebook.name}",
        measured=measured_page.write(module, cells, stage, module.root / "site"),
    )
    stage.write(page.as_posix(), module_page.page(module, text, later, ways), about)
    return about


def rooms(root: Path) -> list[Path]:
    """The folders of the course's package that are packages themselves."""
    return [path.parent for path in Workspace(root).package.glob("*/__init__.py")]


def _reference(root: Path, modules: list[Module], stage: Stage) -> None:
    """A page for what each module exports, one for each room of the package, and their index;
    Sphinx's autodoc takes signatures and docstrings from the package with the references.
    """
    rows = []

    def page(
        name: str, about: str, title: str, opening: str, imported: list[str], files: Iterable[Path]
    ) -> None:
        parts = [f"# {title}\n", f"{opening}\n"]
        for one in imported:
            parts += [f"## {one}\n"] if len(imported) > 1 else []
            parts.append(f"```{{eval-rst}}\n.. automodule:: {one}\n   :members:\n```\n")
        stage.write(f"reference/{name}.md", "\n".join(parts), *files)
        rows.append((name, about))

    for module in modules:
        link = f"[module {module.number}](../modules/{module.name}.md)"
        page(
            module.name,
            f"what module {module.number} exports",
            f"{module.number} {module.title}: reference",
            f"What {link} exports to `{module.export}`: `import {module.import_name}`.",
            [module.import_name],
            [source_path(module)],
        )
    exports = {module.export_path for module in modules}
    for room in sorted(rooms(root)):
        files = sorted(room.rglob("*.py"))
        imported = [
            ".".join(path.relative_to(root).with_suffix("").parts)
            for path in files
            if path not in exports and not path.name.startswith("_")
        ]
        if imported:
            about = ROOMS.get(room.name, "")
            opening = f"{about}.".capitalize() if about else ""
            page(room.name, about, f"{room.parent.name}.{room.name}", opening, imported, files)
    testing = root / "tinytorch" / "testing.py"
    if testing.is_file():
        name = "tinytorch.testing"
        page("testing", "assertions that teach", name, "", [name], [testing])
    listed = "\n".join(f"- [{name}]({name}.md): {text}" for name, text in rows)
    tree = "\n".join(name for name, _ in rows)
    opening = "# Reference\n\nSignatures and docstrings, read from the files.\n\n"
    stage.write(
        "reference/index.md", f"{opening}{listed}\n\n```{{toctree}}\n:hidden:\n\n{tree}\n```\n"
    )


def _filled(text: str, path: Path, course: _Site) -> str:
    """The text of the page `path`, with the lists that follow from the modules put in place of
    `<!-- modules -->` and the like.
    """
    modules = course.modules
    cards = "\n".join(map(_card, modules))
    first = modules[0] if modules else None
    taken = sum(hours.minutes(read_ipynb(first.notebook)).values()) if first else 0
    numbers = (one.number for module in modules for one in exercises(read_ipynb(module.notebook)))
    lists = {
        "cards": f"::::{{grid}} 1 1 2 2\n:gutter: 3\n{cards}\n::::",
        "handbook": "\n".join(f"modules/{module.name}" for module in modules),
        "measured": "\n".join(
            f"analysis/{module.name}" for module in modules if executed.demos(module)
        ),
        "browser": browser_edition.start(first) if course.in_browser and first else "",
        "first": first.number if first else "NN",
        "hours": hours.hours(taken) if first else "some hours",
        "first exercise": next(numbers, "1a"),
        "handout": f"{len(course.handout) / 1e6:.1f} MB",
    }
    for name, value in lists.items():
        text = text.replace(f"<!-- {name} -->", value)
    text = glossary.filled(syllabus.filled(text, modules), path, modules)
    return _PICTURE.sub(lambda match: _picture(path.parent, *match.groups()), text)


def _card(module: Module) -> str:
    """A module on the start page."""
    objectives: list[str] = module.meta.get("objectives", [])
    said = "; ".join(objectives[:3]) + "." if objectives else module.title
    head = f":::{{grid-item-card}} {module.number} {module.title}"
    return f"{head}\n:link: modules/{module.name}\n:link-type: doc\n{said}\n:::"


def _picture(folder: Path, name: str, alt: str) -> str:
    """A picture of site/_static, which keeps its place while it is loaded."""
    up = "" if (folder / "_static").is_dir() else "../"
    width, height = struct.unpack(">II", (folder / up / "_static" / name).read_bytes()[16:24])
    return (
        f'<img class="screen" src="{up}_static/{name}" width="{width}" height="{height}"'
        f' loading="lazy" alt="{escape(alt, quote=True)}">'
    )

"""Build the site: a package with every reference, pages derived from the rooms, snippets run, then
Sphinx.

Everything lies in site/_build, which git ignores: `stage` is what Sphinx reads, `package` what
executed pages import, `html` the site. What did not change is not done again.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from html import unescape
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from grading.authoring.colab import repository_url
from tito.child_processes import ONE_THREAD, finished
from tito.errors import EnvironmentBroken, WorkError
from tito.workspace import Workspace

from . import browser_edition, executed, landing, verb_examples
from .dead_links import pages_of
from .edited_files import Origins
from .pages import has_own_pages, write_pages
from .published import site_url
from .staging import Stage

if TYPE_CHECKING:
    from .demo_outcomes import Outcome

_MADE_BY_SPHINX = ("search", "404")


@dataclass(frozen=True)
class Built:
    """The finished site."""

    html: Path
    pages: int
    seconds: float


def build(
    root: Path,
    *,
    folder: Path | None = None,
    run_cells: bool = True,
    pyodide: Path | None = None,
    say: Callable[[str], None] = lambda text: None,
) -> Built:
    """Build the site of the checkout `root` and return where it is.

    Args:
        folder: where to build; site/_build of the checkout without it.
        run_cells: False leaves the cells and the commands of pages out: a draft.
        pyodide: what `browser_edition.given` returned: the site gets the notebooks in the browser,
            and a button for each. None leaves both out.
        say: told each step.

    Raises:
        EnvironmentBroken: Sphinx or one of its parts is not installed.
        WorkError: a snippet gives something else, a cell fails, Sphinx warns, or an answer is on a
            page.
    """
    started = time.perf_counter()
    _need_sphinx()
    folder = folder or root / "site" / "_build"
    say("the package with every module's reference")
    package, digest = make_package(root, folder)
    say("pages from the rooms")
    stage, handout = Stage(folder / "stage"), _handout(root)
    verbs_ran = None
    ran_cells: dict[str, dict[str, Outcome]] = {}
    if run_cells:
        if has_own_pages(root):
            say("the examples of the command line's page")
            verbs_ran = verb_examples.kept(root, folder, _verbs_digest(root))
        say("the cells of the landing page and of the measured pages")
        around = environment(root, package)
        pages = [executed.shown_by(module) for module in Workspace(root).modules()]
        if has_own_pages(root) and landing.possible(package):
            pages.append(landing.shown_on(root / "site"))
        for page in pages:
            ran_cells[page.name] = executed.kept(
                page, folder / "cells", digest, around, package, say
            )
    snippets = write_pages(
        root, stage, ran_cells, in_browser=pyodide is not None, handout=handout, verbs_ran=verbs_ran
    )
    stage.prune()
    say("snippets of the handbook")
    _run_snippets(root, package, snippets, folder)
    say("Sphinx")
    html = folder / "html"
    _sphinx(root, package, folder, Origins(root, stage))
    _prune(stage.folder, html)
    refuse_leaks(root, html)
    _prove(handout, root, folder)
    if pyodide is None:
        shutil.rmtree(html / "lite", ignore_errors=True)
    else:
        say("the notebooks in the browser")
        size = browser_edition.make(root, pyodide, folder, html / "lite")
        say(f"  {size / 1e6:.0f} MB; they need a server: tito site serve")
    return Built(html, len(pages_of(html)), time.perf_counter() - started)


def make_package(root: Path, folder: Path) -> tuple[Path, str]:
    """A workspace with the course's package and the reference of every module; and the digest of
    what is in it.
    """
    from grading.engine.course.references import write_references

    course, fresh, package = Workspace(root), folder / "package.new", folder / "package"
    shutil.rmtree(fresh, ignore_errors=True)
    course.copy_package(fresh)
    left_out = shutil.ignore_patterns("__pycache__", ".starter")
    shutil.copytree(root / "modules", fresh / "modules", ignore=left_out)
    write_references(course.modules(), fresh)
    shutil.rmtree(package, ignore_errors=True)
    os.replace(fresh, package)
    return package, _digest(package / course.package.name)


def _handout(root: Path) -> bytes:
    """What students download: the bundle of all modules."""
    from grading.authoring import bundle

    workspace = Workspace(root)
    return bundle.build(workspace, bundle.released(workspace))


def _prove(handout: bytes, root: Path, folder: Path) -> None:
    """Search the bundle for answers and try it out, unless that was done with the same bytes."""
    from grading.authoring import bundle
    from grading.authoring.check.module_check import secrets_of_all

    proved, digest = folder / "handout.digest", hashlib.sha256(handout).hexdigest()
    if not _done(proved, digest):
        bundle.prove(handout, secrets_of_all(Workspace(root)), "handout.zip")
        proved.write_text(digest, encoding="utf-8")


def _done(mark: Path, digest: str) -> bool:
    """Whether something was done with what has this digest."""
    return mark.is_file() and mark.read_text(encoding="utf-8") == digest


def _digest(*places: Path) -> str:
    """Of files, and of the files in folders."""
    total = hashlib.sha256(sys.version.encode())
    for place in places:
        for path in [place] if place.is_file() else sorted(place.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                total.update(path.relative_to(place).as_posix().encode())
                total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()[:16]


def _verbs_digest(root: Path) -> str:
    """Of all that the examples of the command line's page run."""
    rooms = [root / "grading" / room for room in ("engine", "commands", "authoring")]
    steps = root / "site" / "_examples" / "verbs.toml"
    return _digest(root / "tito", *rooms, steps, Path(verb_examples.__file__))


def _need_sphinx() -> None:
    names = ("sphinx", "myst_parser", "furo", "sphinx_design", "sphinx_copybutton", "nbgrader")
    missing = [name for name in names if find_spec(name) is None]
    if missing:
        raise EnvironmentBroken(
            f"the site is built with Sphinx; {', '.join(missing)} is not installed. Run: python -m"
            " pip install 'tinytorch-course[instructor]'"
        )


def environment(root: Path, package: Path) -> dict[str, str]:
    """What programs that run pages' code find in their environment."""
    return {
        **os.environ,
        **ONE_THREAD,
        "PYTHONPATH": os.pathsep.join([str(package), str(root)]),
        "COURSE_SITE_TOOLS": str(Path(__file__).parent),
        "PYTHONUTF8": "1",
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
    }


def _run_snippets(root: Path, package: Path, pages: list[Path], folder: Path) -> None:
    mark, digest = folder / "snippets.digest", _digest(*pages, Workspace(package).package)
    if _done(mark, digest):
        return
    words = [sys.executable, str(Path(__file__).with_name("snippets.py")), *map(str, pages)]
    ended = finished(words, package, {**environment(root, package), "MPLBACKEND": "Agg"})
    if ended.returncode:
        said = (ended.stdout + ended.stderr[-2000:]).replace(f"{root}{os.sep}", "")
        raise WorkError(
            "what a page shows must be what its lines give. Repair the page or the module,"
            f" then: tito site build\n{said}"
        )
    mark.write_text(digest, encoding="utf-8")


def _options(root: Path, behind: Origins) -> list[str]:
    """Sphinx's options for what pages say of the course and of where they are published."""
    settings = Workspace(root).settings
    title, repository = settings.title or root.name, repository_url(root)
    license = f", code under the {settings.license} license" if settings.license else ""
    said = {
        "project": title,
        "html_title": title,
        "copyright": f"the course's maintainers{license}",
        "html_baseurl": site_url(root),
        "course_repository_url": repository,
        "course_origins": json.dumps(behind.edited()) if repository else "",
    }
    return [word for name, text in said.items() if text for word in ("-D", f"{name}={text}")]


def _sphinx(root: Path, package: Path, folder: Path, behind: Origins) -> None:
    words = [sys.executable, *"-m sphinx -W --keep-going -q -b html -j".split()]
    words += [str(min(2, os.cpu_count() or 1)), "-d", str(folder / "doctrees")]
    words += [*_options(root, behind), str(folder / "stage"), str(folder / "html")]
    ended = finished(words, folder, environment(root, package))
    if ended.returncode:
        # Sphinx looks only at pages that changed: without this, the next build would not see what
        # is wrong with the others.
        shutil.rmtree(folder / "doctrees", ignore_errors=True)
        said = behind.repaired((ended.stderr or ended.stdout)[-6000:])
        said = said.replace(f"{package}{os.sep}", "")  # of docstrings
        raise WorkError(f"Sphinx found something to repair:\n{said}")


def _prune(stage: Path, html: Path) -> None:
    """Remove the pages of earlier builds that have no staged page any more."""
    for path in pages_of(html):
        page = path.relative_to(html).with_suffix("")
        sources = (stage / page.with_suffix(kind) for kind in (".md", ".ipynb"))
        if page.as_posix() not in _MADE_BY_SPHINX and not any(map(Path.is_file, sources)):
            path.unlink()
            (html / "texts" / page.with_suffix(".js")).unlink(missing_ok=True)


def refuse_leaks(root: Path, html: Path) -> None:
    """No line of an answer may be on a page."""
    from grading.authoring.check.module_check import also_public, secret_lines
    from grading.authoring.leaks import normal

    secret = {
        line: (origin, also_public(module))
        for module in Workspace(root).modules()
        for line, origin in secret_lines(module).items()
    }
    for path in pages_of(html):
        text = unescape(re.sub(r"<[^>]*>", "", path.read_text(encoding="utf-8")))
        leak = next((line for line in map(normal, text.splitlines()) if line in secret), None)
        if leak:
            origin, reviewed = secret[leak]
            raise WorkError(
                f"no answer may be on a page; {path.relative_to(html)} shows {leak!r} of {origin}."
                " Take it off the page or word the answer differently; or if it may be public, copy"
                f" it as quoted here, on a line of its own, into {reviewed}. Then: tito site build"
            )

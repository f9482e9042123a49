"""Runs the cells that pages show in a kernel, on the package with every reference: the demo cells
of a module, and those of the landing page. A cell whose measurements are noisy, or break a law,
runs again.
"""

from __future__ import annotations

import hashlib
import html
import json
import re
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tito.errors import WorkError

from . import demo_outcomes
from .edited_files import place_of

if TYPE_CHECKING:
    from tito.notebook.cells import Cell
    from tito.workspace import Module

    from .demo_outcomes import Outcome

TRIES = 3  # of a cell; the quietest counts
SECONDS = 600  # that a cell may take
AGAIN_SECONDS = 20  # a cell that took longer does not run again
_TOOLS = ("both_themes.py", "noisy_results.py", "executed.py", "demo_outcomes.py")
_OPENING = """import importlib, os, sys
sys.path.insert(0, os.environ["COURSE_SITE_TOOLS"])
import both_themes, noisy_results as _heard
both_themes.install()
from tinytorch.testing import *
_package = importlib.import_module({import_name!r})
globals().update({{k: v for k, v in vars(_package).items() if k[:2] != "__"}})
_heard.install()
"""
_COLOR = re.compile(r"\x1b\[[0-9;]*m")
_RAISED = re.compile(r"Cell In\[\d+\], line (\d+)")
_ASK = "print(_heard.taken())"


@dataclass(frozen=True)
class Shown:
    """The cells that a page shows.

    Attributes:
        name: of the folder with what they showed.
        import_name: of the module whose names the cells see.
        repair: what somebody does about a cell that fails.
        root: of the repository.
        files: below it, of which one holds the cells; the one that a person edits is first.
    """

    name: str
    import_name: str
    cells: tuple[Cell, ...]
    repair: str
    root: Path = Path()
    files: tuple[Path, ...] = ()


def shown_by(module: Module) -> Shown:
    """The demo cells of a module."""
    from grading.engine.course.references import source_path

    return Shown(
        module.name,
        module.import_name,
        tuple(demos(module)),
        f"Repair it in the module's source, then: tito grade release {module.name}",
        module.root,
        (source_path(module), module.notebook),
    )


def demos(module: Module) -> list[Cell]:
    """The demo cells of a module's student edition."""
    from tito.notebook.cells import read_ipynb

    return [cell for cell in read_ipynb(module.notebook) if cell.is_demo and cell.kind == "code"]


def name_of(cell: Cell) -> str:
    """What the files of a cell are called."""
    return cell.name.replace(" ", "_")


def kept(
    shown: Shown,
    folder: Path,
    package_digest: str,
    environment: Mapping[str, str],
    workplace: Path,
    say: Callable[[str], None] = lambda text: None,
) -> dict[str, Outcome]:
    """The outcomes of the cells by name: those of an earlier build with the same cells, tools and
    package, or new ones.

    Args:
        folder: where outcomes are kept, in a folder for each name.
        environment, workplace: of the kernel.
        say: told which cell runs again.

    Raises:
        WorkError: a cell failed.
    """
    place, digest = folder / shown.name, _digest(shown.cells, package_digest)
    mark, names = place / "digest", [name_of(cell) for cell in shown.cells]
    if not names:
        return {}
    if mark.is_file() and mark.read_text(encoding="utf-8") == digest:
        loaded = {name: demo_outcomes.load(place, name) for name in names}
        return {name: outcome for name, outcome in loaded.items() if outcome}
    made = run(shown, environment, workplace, say)
    for name, outcome in made.items():
        demo_outcomes.save(outcome, place, name)
    mark.write_text(digest, encoding="utf-8")
    return made


def _digest(cells: tuple[Cell, ...], package_digest: str) -> str:
    here = Path(__file__).parent
    parts = [package_digest, *(cell.source for cell in cells)]
    parts += [(here / name).read_text(encoding="utf-8") for name in _TOOLS]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def run(
    shown: Shown,
    environment: Mapping[str, str],
    workplace: Path,
    say: Callable[[str], None] = lambda text: None,
) -> dict[str, Outcome]:
    """Run the cells in order in one kernel; the arguments are those of `kept`."""
    from grading.engine.nbgrader.import_nbgrader import nbformat, quiet

    with quiet():
        from nbclient import NotebookClient
        from nbclient.exceptions import CellExecutionError

        book = nbformat.v4.new_notebook()
        opening = _OPENING.format(import_name=shown.import_name)
        ask = nbformat.v4.new_code_cell(_ASK)
        book.cells = [nbformat.v4.new_code_cell(opening), ask]
        book.cells += [nbformat.v4.new_code_cell(cell.source) for cell in shown.cells]
        client = NotebookClient(
            book,
            timeout=SECONDS,
            kernel_name="python3",
            resources={"metadata": {"path": str(workplace)}},
            shutdown_kernel="immediate",
        )

        def once(number: int, cell: Cell) -> Outcome:
            client.execute_cell(book.cells[number], number)
            client.execute_cell(ask, 1)
            heard = json.loads("".join(one["text"] for one in ask.outputs))
            blocks = _blocks(book.cells[number])
            return demo_outcomes.outcome_of(name_of(cell), cell.source, blocks, heard)

        def again(cell: Cell, reason: str) -> None:
            say(f"  {shown.name}, {cell.label} runs again: {reason}")

        outcomes, current, source = {}, "the opening", ""
        try:
            with client.setup_kernel(env=dict(environment), stderr=subprocess.DEVNULL):
                client.execute_cell(book.cells[0], 0)
                for number, cell in enumerate(shown.cells, start=2):
                    current, source = cell.label, cell.source
                    outcomes[name_of(cell)] = quietest(
                        partial(once, number, cell), partial(again, cell)
                    )
        except CellExecutionError as problem:
            raised = _RAISED.search(_COLOR.sub("", problem.traceback))
            lines = source.splitlines()[: int(raised[1]) if raised else None]
            place = place_of(lines, shown.files, shown.root) if source else ""
            raise WorkError(
                f"{place + ': ' if place else ''}a demo cell runs on the exported package;"
                f" {current} of {shown.name} fails: {problem.ename}: {problem.evalue}."
                f" {shown.repair}"
            ) from problem
    return outcomes


def quietest(
    once: Callable[[], Outcome],
    again: Callable[[str], None],
    clock: Callable[[], float] = time.monotonic,
) -> Outcome:
    """The first quiet outcome of at most TRIES runs, or the quietest of all. No run begins when
    those before took AGAIN_SECONDS: on a machine that busy, another one would be noisy as well.

    Args:
        again: told, before each further run, why the last one cannot be trusted.
        clock: returns seconds.
    """
    tried: list[Outcome] = []
    end = clock() + AGAIN_SECONDS
    while not tried or (len(tried) < TRIES and clock() < end):
        if tried:
            again(tried[-1].reason)
        tried.append(once())
        if not tried[-1].noisy:
            return tried[-1]
    return min(tried, key=lambda outcome: outcome.doubt)


def _blocks(raw: Any) -> list[tuple[str, str]]:
    """What a cell showed, in order; texts that follow each other are one."""
    blocks: list[tuple[str, str]] = []
    for output in raw.outputs:
        data, kind = output.get("data", {}), "html"
        if "text/html" in data:
            text = data["text/html"]
        elif "image/png" in data:
            said = html.escape(data.get("text/plain", "a picture"), quote=True)
            text = f'<img alt="{said}" src="data:image/png;base64,{data["image/png"].strip()}">'
        else:
            kind, text = "text", output.get("text", data.get("text/plain", "") + "\n")
        if blocks and kind == "text" == blocks[-1][0]:
            text = blocks.pop()[1] + text
        blocks.append((kind, text))
    return [(kind, text) for kind, text in blocks if text.strip()]

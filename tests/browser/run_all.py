"""Run All on a finished notebook in JupyterLab: every cell is green, to the last one.

    python tests/browser/run_all.py [MODULE] [--theme dark] [--output FOLDER]

The student edition is filled with the reference's answers, opened in headless Chromium, run as a
whole and saved; what the saved file holds is looked at. Pictures of some places stay in the folder.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

import newcomer

from grading.engine.course.references import source_path, write_references
from tito.notebook.cells import read_percent
from tito.notebook.exercises import exercises
from tito.workspace import Module, Workspace

THEMES = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}


def finished(module: Module, place: Path) -> Path:
    """The student edition with the reference in its solution cells, as a notebook in `place`."""
    answers = {cell.grade_id: cell.source for cell in read_percent(source_path(module))}
    notebook = json.loads(module.notebook.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        flags = cell["metadata"].get("nbgrader", {})
        if flags.get("solution"):
            cell["source"] = answers[flags["grade_id"]]
    path = place / module.notebook.name
    path.write_text(json.dumps(notebook), encoding="utf-8")
    return path


def visit(name: str, output: Path, theme: str = "light") -> list[str]:
    """Run the notebook of a module as a whole. Returns complaints; empty if all is green."""
    from playwright.sync_api import sync_playwright

    output.mkdir(parents=True, exist_ok=True)
    own = Workspace(newcomer.ROOT)
    module = own.module(name)
    with tempfile.TemporaryDirectory(prefix="run-all-") as folder:
        place = Path(folder).resolve()
        (home := place / "home").mkdir()
        themes = home / "jupyterlab_settings_dir" / "@jupyterlab" / "apputils-extension"
        themes.mkdir(parents=True)
        chosen = json.dumps({"theme": THEMES[theme]})
        (themes / "themes.jupyterlab-settings").write_text(chosen, encoding="utf-8")
        notebook = finished(module, home)
        room = newcomer.make_workspace(place / "workspace", module.name, notebook)
        write_references(own.before(module), room)
        path = room / "modules" / module.name / module.notebook.name
        with newcomer.jupyter_lab(room, home) as url, sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=newcomer.find_browser(), args=newcomer.BROWSER_ARGUMENTS
            )
            page = browser.new_page(viewport={"width": 1280, "height": 860})
            page.set_default_timeout(newcomer.PATIENCE_SECONDS * 1000)
            lab = newcomer.Notebook(page, output)
            lab.open(url.format(path=path.relative_to(room).as_posix()))
            page.get_by_role("menuitem", name="Run", exact=True).click()
            page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
            lab._until(lambda: _last_ran(page), "the last cell to run")
            lab.idle()
            lab.save()
            for exercise in exercises(read_percent(source_path(module)))[::4]:
                lab.contents(exercise.number)
                page.wait_for_timeout(1000)
                lab.picture(exercise.number)
            browser.close()
        return complaints(json.loads(path.read_text(encoding="utf-8")))


def _last_ran(page) -> bool:
    """Whether `finish()`, the last cell, has said its total."""
    page.locator(".jp-Notebook .jp-Cell").first.focus()
    page.keyboard.press("Escape")
    page.keyboard.press("Control+End")
    said = page.locator(".jp-OutputArea-output", has_text="tests pass")
    return any("of" in text for text in said.all_inner_texts())


def complaints(notebook: dict) -> list[str]:
    """What a saved notebook shows that is not green."""
    found = []
    for number, cell in enumerate(notebook["cells"], start=1):
        if cell["cell_type"] != "code":
            continue
        if cell["execution_count"] is None and "".join(cell["source"]).strip():
            found.append(f"cell {number} was not run")
        for output in cell["outputs"]:
            if output["output_type"] == "error":
                found.append(f"cell {number} is red: {output['ename']}: {output['evalue'][:200]}")
            if output.get("name") == "stderr":
                found.append(f"cell {number} writes to stderr: {''.join(output['text'])[:200]}")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("module", nargs="?", default="08")
    parser.add_argument("--theme", choices=list(THEMES), default="light")
    parser.add_argument("--output", type=Path)
    chosen = parser.parse_args()
    output = chosen.output or Path(tempfile.mkdtemp(prefix="run-all-"))
    return newcomer.tell(visit(chosen.module, output, chosen.theme), "Run All", output)


if __name__ == "__main__":
    sys.exit(main())

"""Run All on each module's finished notebook in JupyterLab: every cell is green to the last."""

import json

import pytest
from lab import ROOT, Notebook, jupyter_lab, student_files

from grading.engine.course.references import read_source, write_references
from helpers.chromium import chromium
from tito.workspace import Workspace

MODULES = Workspace(ROOT).modules()
THEMES = ("JupyterLab Light", "JupyterLab Dark")


def finished(module, place):
    """The student edition with the reference in its solution cells, as a notebook in `place`."""
    answers = {cell.grade_id: cell.source for cell in read_source(module)}
    notebook = json.loads(module.notebook.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        flags = cell["metadata"].get("nbgrader", {})
        if flags.get("solution"):
            cell["source"] = answers[flags["grade_id"]]
    path = place / module.notebook.name
    path.write_text(json.dumps(notebook), encoding="utf-8")
    return path


def last_ran(page):
    """Whether `finish()`, the last cell, has said its total."""
    page.locator(".jp-Notebook .jp-Cell").first.focus()
    page.keyboard.press("Escape")
    page.keyboard.press("Control+End")
    said = page.locator(".jp-OutputArea-output", has_text="tests pass")
    return any("of" in text for text in said.all_inner_texts())


def complaints(notebook):
    """What a saved notebook shows that is not green."""
    code = [(n, c) for n, c in enumerate(notebook["cells"], 1) if c["cell_type"] == "code"]
    for number, cell in code:
        if cell["execution_count"] is None and "".join(cell["source"]).strip():
            yield f"cell {number} was not run"
        for output in cell["outputs"]:
            if output["output_type"] == "error":
                yield f"cell {number} is red: {output['ename']}: {output['evalue'][:200]}"
            if output.get("name") == "stderr":
                yield f"cell {number} writes to stderr: {''.join(output['text'])[:200]}"


@pytest.mark.long
@pytest.mark.parametrize("number", range(len(MODULES)), ids=[one.name for one in MODULES])
def test_a_finished_notebook_is_green_to_the_last_cell(number, tmp_path):
    pytest.importorskip("jupyterlab", reason="jupyterlab is in the extra [notebook]")
    module, home, room = MODULES[number], tmp_path / "home", tmp_path / "workspace"
    themes = home / "jupyterlab_settings_dir" / "@jupyterlab" / "apputils-extension"
    themes.mkdir(parents=True)
    chosen = json.dumps({"theme": THEMES[number % 2]})
    (themes / "themes.jupyterlab-settings").write_text(chosen, encoding="utf-8")
    path = student_files(module, room, finished(module, home))
    write_references(Workspace(ROOT).before(module), room)
    with jupyter_lab(room, home) as url, chromium() as page:
        lab = Notebook(page, tmp_path)
        lab.open(url.format(path=path.relative_to(room).as_posix()))
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
        lab.until(lambda: last_ran(page), "the last cell to run")
        lab.idle()
        lab.save()
    assert list(complaints(json.loads(path.read_text(encoding="utf-8")))) == []

"""Each module's finished notebook, run as a whole: every cell is green to the last. The defaults
for JupyterLab name settings that it knows; how a notebook looks is tested in test_way_in.py.
"""

import json
import shutil
import sys
from pathlib import Path

import pytest
from lab import environment

from grading.engine.course.references import read_source, write_references
from helpers.repository import ROOT, TRACKED, room
from tito.child_processes import finished
from tito.workspace import Workspace

MODULES = Workspace(ROOT).modules()
LAB_DEFAULTS = ROOT / "tito" / "jupyterlab_defaults.json"


def test_the_lab_defaults_name_settings_that_jupyterlab_knows():
    schemas = Path(sys.prefix) / "share" / "jupyter" / "lab" / "schemas"
    if not schemas.is_dir():
        pytest.skip(f"{schemas} does not exist: jupyterlab is in the extra [notebook]")
    for plugin, settings in json.loads(LAB_DEFAULTS.read_text(encoding="utf-8")).items():
        package, name = plugin.split(":")
        schema = json.loads((schemas / package / f"{name}.json").read_text(encoding="utf-8"))
        assert set(settings) <= set(schema["properties"])


def finished_notebook(module, folder):
    """A student's files, where the released notebook has the reference in its solution cells."""
    for path in TRACKED:
        if room(path) in ("modules", "tinytorch"):
            place = folder / path.relative_to(ROOT)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, place)
    answers = {cell.grade_id: cell.source for cell in read_source(module)}
    # the checkout's own notebook may contain work; then there is a starter
    released = module.starter if module.starter.is_file() else module.notebook
    notebook = json.loads(released.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        flags = cell["metadata"].get("nbgrader", {})
        if flags.get("solution"):
            cell["source"] = answers[flags["grade_id"]]
    path = folder / module.notebook.relative_to(ROOT)
    path.write_text(json.dumps(notebook), encoding="utf-8")
    return path


def complaints(notebook):
    """Each fault that a notebook shows after it was run, as a sentence."""
    code = [(n, c) for n, c in enumerate(notebook["cells"], 1) if c["cell_type"] == "code"]
    for number, cell in code:
        if cell["execution_count"] is None and "".join(cell["source"]).strip():
            yield f"cell {number} was not run"
        for output in cell["outputs"]:
            if output["output_type"] == "error":
                yield f"cell {number} is red: {output['ename']}: {output['evalue'][:200]}"
            if output.get("name") == "stderr":
                yield f"cell {number} writes to stderr: {''.join(output['text'])[:200]}"
    if "tests pass" not in json.dumps(code[-1][1]["outputs"]):
        yield "the last cell does not say the total"


@pytest.mark.long
@pytest.mark.parametrize("module", MODULES, ids=lambda one: one.name)
def test_a_finished_notebook_is_green_to_the_last_cell(module, tmp_path):
    path = finished_notebook(module, tmp_path)
    write_references(Workspace(ROOT).before(module), tmp_path)
    words = "-m nbconvert --to notebook --execute --allow-errors --inplace".split()
    command = [sys.executable, *words, path.name]
    done = finished(command, path.parent, environment(tmp_path), together=True)
    assert done.returncode == 0, done.stdout
    assert list(complaints(json.loads(path.read_text(encoding="utf-8")))) == []

"""Adding a module needs no change elsewhere. Two modules are added to a copy of this checkout; then
the tests of folders and of the course pass and the site is built with no other change. Both hold
the sample of `tito dev new`; one of them builds on another module, the other builds on none and
comes first.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from grading.authoring.new_module import new_module
from grading.authoring.release import release
from grading.engine.course.references import source_path
from helpers.module_copies import edit
from helpers.repository import ROOT, TRACKED
from tito.child_processes import finished
from tito.verbs import load, verbs
from tito.workspace import Module, Workspace, read_module

PYTEST = ("pytest", "-q", "-n", "0", "-p", "no:cacheprovider")
COURSE = Workspace(ROOT).modules()
FOUNDATION = next(
    module.name for module in COURSE if module.import_name == "tinytorch.core.dataloader"
)
# Numbers and names that no module has: a course of your own may have a 09_spatial.
TAKEN = {module.number for module in COURSE}
FREE = [number for number in (f"{count:02d}" for count in range(100)) if number not in TAKEN]
CLIPPING = f"{FREE[0]}_sample_clipping"
SPATIAL = f"{next(number for number in FREE if number > FOUNDATION[:2])}_sample_spatial"


NEEDS = ("tinytorch.core.dataloader", "tinytorch.core.tensor")
IMPORTS = """import numpy as np

from tinytorch.core.dataloader import DataLoader, TensorDataset
from tinytorch.core.tensor import Tensor
"""
DRAWN = "    drawn = np.random.default_rng(0).normal(size=1000)\n"
LOADED = """    images = Tensor(np.random.default_rng(0).normal(size=(1000, 1)))
    ((batch,),) = DataLoader(TensorDataset(images), batch_size=1000)
    drawn = batch.data[:, 0]
"""


def build_on_the_foundation(module: Module) -> Module:
    """The sample with the loader of another module in its demo."""
    toml = module.folder / "module.toml"
    edit(toml, ("after = []", f'after = ["{FOUNDATION}"]'))
    edit(toml, ("needs = []", f"needs = {json.dumps(NEEDS)}"))
    edit(source_path(module), ("import numpy as np\n", IMPORTS), (DRAWN, LOADED))
    return read_module(module.folder)


@pytest.fixture(scope="module")
def checkout(tmp_path_factory) -> Path:
    """A copy of what git tracks of this checkout, with two new modules."""
    root = tmp_path_factory.mktemp("checkout").resolve() / "course"
    for path in TRACKED:
        place = root / path.relative_to(ROOT)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, place)
    workspace = Workspace(root)
    new_module(workspace, CLIPPING)
    release(build_on_the_foundation(new_module(workspace, SPATIAL)), workspace, force=True)
    for words in (["init", "--quiet"], ["add", "--all"]):
        subprocess.run(["git", *words], cwd=root, check=True)
    return root


def run(root: Path, *words: str) -> None:
    """Run a Python program in the copy, with the tools of the copy."""
    environment = {**os.environ, "PYTHONPATH": str(root), "TITO_WORKSPACE": str(root)}
    environment.pop("PYTEST_XDIST_WORKER", None)  # the inner run shares nothing with this one
    done = finished([sys.executable, "-m", *words], root, environment)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_tests_of_the_folders_pass_with_the_new_modules(checkout):
    run(checkout, *PYTEST, "tests/test_folders.py")


@pytest.mark.parametrize("which", ["not long", pytest.param("long", marks=pytest.mark.long)])
def test_the_courses_own_tests_pass_for_the_new_modules(checkout, which):
    # The usual suite proves the shortest module, which is one of the two here.
    chosen = ("-m", which, "-k", f"shortest or {SPATIAL} or {CLIPPING}")
    run(checkout, *PYTEST, "tests/test_course.py", *chosen)


def test_new_modules_are_formatted_and_linted_as_the_rest(checkout):
    new = [str(path) for one in (SPATIAL, CLIPPING) for path in checkout.glob(f"**/{one}/**/*.py")]
    assert new
    run(checkout, "ruff", "format", "--no-cache", "--check", *new)
    run(checkout, "ruff", "check", "--no-cache", *new)


@pytest.fixture(scope="module")
def pages(checkout, tmp_path_factory) -> Path:
    """The folder that Sphinx would read; no notebook is run."""
    load(verbs("site")["build"])  # imports the folder site/_tools under the name site_tools
    from site_tools.pages import write_pages
    from site_tools.staging import Stage

    stage = Stage(tmp_path_factory.mktemp("site") / "stage")
    write_pages(checkout, stage, {})
    return stage.folder


def test_the_site_has_the_new_modules_in_its_navigation_and_says_what_they_cost(pages):
    landing, start, spatial, clipping, foundation = (
        (pages / name).read_text(encoding="utf-8")
        for name in (
            "index.md",
            "start.md",
            *(f"modules/{module}.md" for module in (SPATIAL, CLIPPING, FOUNDATION)),
        )
    )
    assert landing.index(f"modules/{CLIPPING}\n") < landing.index(f"modules/{SPATIAL}\n")
    first = min([CLIPPING, *(module.name for module in COURSE)])
    assert f"tito start {first.partition('_')[0]}" in start  # the start page names the first module
    assert "**time** 1 hour ·" in spatial
    assert f"[{FOUNDATION}]({FOUNDATION}.md) → **{SPATIAL}**" in spatial
    assert "**time** 1 hour ·" in clipping and f"\n**{CLIPPING}**\n" in clipping
    assert f"[{SPATIAL}]({SPATIAL}.md)" in foundation.rpartition("## Where it stands")[2]


@pytest.mark.parametrize("name", [SPATIAL, CLIPPING])
def test_the_site_shows_what_a_new_module_exports(pages, name):
    page = (pages / "reference" / f"{name}.md").read_text(encoding="utf-8")
    assert f".. automodule:: tinytorch.core.{name[3:]}\n" in page
    assert f"[{name}]({name}.md)" in (pages / "reference" / "index.md").read_text(encoding="utf-8")
    assert (pages / "notebooks" / f"{name[3:]}_dev.ipynb").is_file()

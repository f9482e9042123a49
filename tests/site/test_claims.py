"""The tables of claims on the handbook's pages, and the run that module 08's page shows."""

import importlib.util
import itertools
import re
from pathlib import Path
from types import ModuleType

import pytest
from site_tools import module_page

from grading.engine.course.references import source_path
from tito.notebook.cells import read_ipynb
from tito.notebook.exercises import exercises
from tito.workspace import Workspace

ROOT = Path(__file__).resolve().parents[2]
MODULES = {module.name: module for module in Workspace(ROOT).modules()}
PAGES = {
    name: (module.folder / "ABOUT.md").read_text(encoding="utf-8")
    for name, module in MODULES.items()
}
HEAD = "| the page | claims | here | where, or why |\n|---|---|---|---|\n"


def test_a_table_of_claims_unfolds_below_their_number():
    table = f"{HEAD}| page | one; two | kept | 1a |\n| page | three | not | no use |\n"
    (found,) = module_page.claims_of(f"Before.\n\n{table}\nAfter.\n")
    assert found == [("one", "kept", "1a"), ("two", "kept", "1a"), ("three", "not", "no use")]
    folded = f":::{{dropdown}} 3 claims: 2 kept, 1 not\n{table}:::\n\nAfter.\n"
    assert module_page.claims_folded(f"{table}\nAfter.\n") == folded


@pytest.mark.parametrize("name", PAGES)
def test_no_claim_is_without_a_place_or_a_reason(name, references):
    module, package = MODULES[name], references(MODULES[name].short).module
    numbers = {exercise.number for exercise in exercises(read_ipynb(module.notebook))}
    headings = re.findall(r"^#+ (.*)$", PAGES[name], re.MULTILINE)
    faults = []
    for claim in itertools.chain.from_iterable(module_page.claims_of(PAGES[name])):
        if claim.here not in ("kept", "different", "not"):
            faults.append(f"{claim.text}: {claim.here} is no answer")
        if not claim.text or not claim.reason:
            faults.append(f"{claim.text}: no place and no reason")
        places = set(re.findall(r"\b[1-9]\d?[a-e]\b", claim.reason)) - numbers
        places |= set(re.findall(r'"([A-Z][^"]*)"', claim.reason)) - set(headings)
        if claim.here == "kept":
            names = re.findall("`([^`]+)`", claim.reason)
            places |= {name for name in names if not exists(name, package)}
        faults += [f"{claim.text}: there is no {place}" for place in places]
    assert faults == []


def exists(name: str, module: ModuleType) -> bool:
    """Whether there is a command, a module of the package, or a part of `module` of this name."""
    if name.startswith("tito "):
        return (ROOT / "tito" / "commands" / f"{name.split()[1]}.py").is_file()
    if name.startswith("tinytorch."):
        return importlib.util.find_spec(name) is not None
    found = module
    for part in name.split("."):
        found = getattr(found, part, None)
    return found is not None


RUN = re.compile(r"^## The run\n.*?```text\n(.*?)```", re.MULTILINE | re.DOTALL)
RUNS = {name: shown[1] for name, page in PAGES.items() if (shown := RUN.search(page))}


@pytest.mark.long
@pytest.mark.parametrize("name", RUNS)
def test_a_shown_run_is_a_run_of_the_finished_notebook(name, references):
    source = str(source_path(MODULES[name]))
    done = references(MODULES[name].short).run(
        f"import runpy; runpy.run_path({source!r}, run_name='__main__')"
    )
    assert done.returncode == 0, done.stderr
    rest = done.stdout
    for piece in re.split(r"^\.\.\.\n", RUNS[name], flags=re.MULTILINE):
        assert piece in rest, piece
        rest = rest.split(piece, 1)[1]
    assert re.search(r"(\d+) of \1 tests pass\s*$", rest)

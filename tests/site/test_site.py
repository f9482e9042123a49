"""The whole site is built from this checkout and opened in a browser; with a tiny course, the build
is shown to fail when it should.
"""

import json
import os
import re
import shutil
import sys
from pathlib import Path

import pytest
from site_tools.build import build
from site_tools.check import check

from grading.authoring import bundle
from tito.children import finished
from tito.errors import WorkError
from tito.workspace import Workspace

ROOT = Path(__file__).resolve().parents[2]


def test_every_page_of_this_course_is_clean_in_a_browser(draft, browser):
    found = check(draft.html)
    assert found.faults == []
    assert found.outside == 0 and found.pages == draft.pages


def test_every_module_is_in_the_navigation_the_reference_and_on_the_landing_page(draft):
    landing = (draft.html / "index.html").read_text(encoding="utf-8")
    reference = (draft.html / "reference" / "index.html").read_text(encoding="utf-8")
    for module in Workspace(ROOT).modules():
        assert (
            f'href="modules/{module.name}.html"' in landing and f"{module.name}.html" in reference
        )
        page = (draft.html / "modules" / f"{module.name}.html").read_text(encoding="utf-8")
        words = re.sub(r"<[^>]*>", "", page)
        assert f"tito start {module.number}" in words and "Where it stands" in words
        for earlier in module.after:
            assert f'href="{earlier}.html"' in page


def test_the_reference_has_the_files_in_folders_of_the_package(draft):
    page = (draft.html / "reference" / "profiler.html").read_text(encoding="utf-8")
    words = re.sub(r"<[^>]*>", "", page)
    assert "tinytorch.profiler.recording.recorder" in words and "Profiler(clock: " in words


def test_no_answer_and_no_source_is_on_the_site(draft):
    assert list((draft.html / "_sources").rglob("*.*")) == []
    notebooks = list((draft.html / "_downloads").rglob("*.ipynb"))
    assert len(notebooks) == len(Workspace(ROOT).modules())
    assert all("BEGIN SOLUTION" not in path.read_text(encoding="utf-8") for path in notebooks)


# Faults that a browser finds

FAULTS = {
    "console": ("<script>console.error('bad')</script>", "the console says 'bad'"),
    "script": ("<script>throw new Error('worse')</script>", "a script fails: worse"),
    "outside": (
        '<img alt="x" src="http://example.org/x.png">',
        "opening it asks for http://example.org/x.png",
    ),
    "file": ('<a href="nowhere.html">x</a>', "the link 'nowhere.html' leads to no file"),
    "anchor": ('<a href="#nowhere">x</a>', "the link '#nowhere' leads to no place"),
    "alt": ('<img src="dot.svg">', "an image has no alternative text"),
    "light": (
        '<p style="color: #888; background: #fff">pale</p>',
        "light: 'pale' has a contrast of 3.54",
    ),
    "dark": ('<p class="ink">night</p>', "dark: 'night' has a contrast of"),
    "wide": ('<div style="width: 900px">wide</div>', "at 390 px the page scrolls sideways"),
}
PAGE = """<!doctype html><html lang="en"><head><title>t</title><style>
body {{ background: #fff; color: #000 }}
body[data-theme="dark"] {{ background: #111; color: #eee }}
.ink {{ color: #222 }}
</style></head><body><article><h1>t</h1>
<pre style="overflow-x: auto">{long}</pre>{fault}</article></body></html>"""


@pytest.fixture(scope="module")
def found(tmp_path_factory, browser):
    folder = tmp_path_factory.mktemp("faults")
    for name, (fault, _) in {**FAULTS, "clean": ("<p>fine</p>", "")}.items():
        (folder / f"{name}.html").write_text(
            PAGE.format(fault=fault, long="long " * 100), encoding="utf-8"
        )
    (folder / "dot.svg").write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"/>', encoding="utf-8"
    )
    return check(folder)


@pytest.mark.parametrize("name", sorted(FAULTS))
def test_a_fault_of_a_page_is_found(found, name):
    assert any(
        fault.startswith(f"{name}.html: ") and FAULTS[name][1] in fault for fault in found.faults
    ), found.faults


def test_a_clean_page_has_no_fault_and_one_request_would_have_left_the_machine(found):
    assert [fault for fault in found.faults if fault.startswith("clean.html")] == []
    assert found.outside == 1 and found.pages == len(FAULTS) + 1


# A tiny course with faults


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """A copy of the checkout with one new module, made by `tito dev new`, instead of the course's
    own modules. One of its demo cells raises an error; a draft does not run it.
    """
    root = tmp_path_factory.mktemp("tiny") / "course"
    root.mkdir()
    for room in ("tinytorch", "tito", "site", "grading"):
        shutil.copytree(
            ROOT / room,
            root / room,
            ignore=shutil.ignore_patterns(
                "__pycache__", "_build", "source", "misconceptions", "alternatives", "tests"
            ),
        )
    for name in (*bundle.TOP_FILES, "CONTRIBUTING.md", "CHANGELOG.md"):
        shutil.copy2(ROOT / name, root / name)
    (root / "modules").mkdir()
    words = [sys.executable, "-m", "tito.cli", "dev", "new", "09_spatial"]
    environment = {**os.environ, "PYTHONPATH": str(root), "TITO_WORKSPACE": str(root)}
    ended = finished(words, root, environment)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    path = root / "modules" / "09_spatial" / "spatial_dev.ipynb"
    notebook = json.loads(path.read_text(encoding="utf-8"))
    notebook["cells"].append(
        {
            "cell_type": "code",
            "id": "demo-broken",
            "metadata": {"tags": ["demo"]},
            "execution_count": None,
            "outputs": [],
            "source": 'with demo("a broken one"):\n    raise KeyError("gone")',
        }
    )
    path.write_text(json.dumps(notebook), encoding="utf-8")
    return root


@pytest.fixture(scope="module")
def first_build(tiny):
    return build(tiny, run_cells=False)


@pytest.fixture
def course(tiny, first_build):
    """The tiny course, restored after each test."""
    kept = {
        path: path.read_bytes()
        for path in tiny.rglob("*")
        if path.is_file() and "_build" not in path.parts and path.suffix in (".md", ".ipynb", ".py")
    }
    yield tiny
    for path, content in kept.items():
        if not path.exists() or path.read_bytes() != content:
            path.write_bytes(content)


def test_a_new_module_appears_without_an_edit_in_the_site(first_build):
    assert "09" in (first_build.html / "index.html").read_text(encoding="utf-8")
    assert (first_build.html / "modules" / "09_spatial.html").is_file()
    assert (first_build.html / "reference" / "09_spatial.html").is_file()


def test_a_snippet_that_gives_something_else_breaks_the_build(course):
    about = course / "modules" / "09_spatial" / "ABOUT.md"
    about.write_text(
        about.read_text(encoding="utf-8") + "\n```python\n>>> 1 + 1\n3\n\n```\n", encoding="utf-8"
    )
    with pytest.raises(WorkError, match=r"1 \+ 1\n  gives '2'\n  not   '3'"):
        build(course, run_cells=False)


def test_a_demo_cell_that_fails_breaks_the_build_and_a_draft_does_not_run_it(course):
    for _ in range(2):  # a second build does not pass over what the first one found
        with pytest.raises(WorkError, match="gone"):
            build(course)


@pytest.mark.long
def test_a_dead_reference_between_pages_breaks_the_build(course):
    page = course / "CHANGELOG.md"
    page.write_text(
        page.read_text(encoding="utf-8") + "\n[gone](#no-such-heading)\n", encoding="utf-8"
    )
    for _ in range(2):  # a second build does not pass over what the first one found
        with pytest.raises(WorkError, match="no-such-heading"):
            build(course, run_cells=False)


def test_an_answer_on_a_page_breaks_the_build(course):
    source = next((course / "grading" / "source" / "09_spatial").glob("*_dev.py")).read_text(
        encoding="utf-8"
    )
    answer = next(
        line.strip()
        for line in source.split("### BEGIN SOLUTION")[1].splitlines()
        if len(line.strip()) >= 18
    )
    about = course / "modules" / "09_spatial" / "ABOUT.md"
    about.write_text(
        about.read_text(encoding="utf-8") + f"\n```text\n{answer}\n```\n", encoding="utf-8"
    )
    with pytest.raises(WorkError, match=r"no answer may be on a page.*09_spatial/also_public.txt"):
        build(course, run_cells=False)
    (course / "grading/source/09_spatial/also_public.txt").write_text(answer, encoding="utf-8")
    build(course, run_cells=False)  # what the message proposes helps

"""The build of the site fails if a page is wrong: one fault at a time is put into a tiny course."""

import re
import shutil

import nbformat
import pytest
from site_tools import verb_examples
from site_tools.build import build

from grading.authoring import bundle
from grading.authoring.new_module import new_module
from helpers.repository import ROOT
from tito.errors import WorkError
from tito.workspace import Workspace

pytestmark = pytest.mark.long  # each test builds the course again

BROKEN = ['with demo("a broken one"):\n', '    raise KeyError("gone")']


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """A copy of the checkout with the module of `tito dev new` instead of the course's own modules.
    One of its demo cells raises an error; a draft does not run it.
    """
    root = tmp_path_factory.mktemp("tiny") / "course"
    root.mkdir()
    for room in ("tinytorch", "tito", "site", "grading"):
        left_out = shutil.ignore_patterns("__pycache__", "_build", "modules", "tests")
        shutil.copytree(ROOT / room, root / room, ignore=left_out)
    for name in (*bundle.TOP_FILES, "CONTRIBUTING.md", "CHANGELOG.md"):
        shutil.copy2(ROOT / name, root / name)
    for room in ("modules", "grading/modules"):
        (root / room).mkdir()
    path = new_module(Workspace(root), "09_spatial").notebook
    notebook = nbformat.read(path, 4)
    broken = nbformat.v4.new_code_cell("".join(BROKEN), metadata={"tags": ["demo"]})
    notebook.cells.append(broken)
    nbformat.write(notebook, path)
    build(root, run_cells=False)
    return root


@pytest.fixture
def course(tiny):
    """The tiny course, restored after each test."""
    texts = (".md", ".ipynb", ".py", ".toml")
    written = (path for path in tiny.rglob("*") if path.suffix in texts)
    kept = {path: path.read_bytes() for path in written if "_build" not in path.parts}
    yield tiny
    for path, content in kept.items():
        if not path.exists() or path.read_bytes() != content:
            path.write_bytes(content)


def test_a_snippet_that_gives_something_else_breaks_the_build(course):
    about = course / "modules" / "09_spatial" / "ABOUT.md"
    text = about.read_text(encoding="utf-8") + "\n```python\n>>> 1 + 1\n3\n\n```\n"
    about.write_text(text, encoding="utf-8")
    place = f"modules/09_spatial/ABOUT.md:{len(text.splitlines()) - 3}: "
    with pytest.raises(WorkError, match=re.escape(place) + r"1 \+ 1\n  gives '2'\n  not   '3'"):
        build(course, run_cells=False)


def test_a_demo_cell_that_fails_breaks_the_build_and_a_draft_does_not_run_it(course, monkeypatch):
    monkeypatch.setattr(verb_examples, "kept", lambda *given: {})  # these examples have own tests
    source = course / "grading" / "modules" / "09_spatial" / "spatial_dev.py"
    text = source.read_text(encoding="utf-8") + "\n# %% tags=['demo']\n" + "".join(BROKEN) + "\n"
    source.write_text(text, encoding="utf-8")
    place = f"grading/modules/09_spatial/spatial_dev.py:{len(text.splitlines())}: "
    with pytest.raises(WorkError, match=re.escape(place) + ".*KeyError: 'gone'"):
        build(course)


def test_a_fault_of_a_page_is_named_by_the_file_and_line_that_a_person_edits(course):
    broken = {}
    for name in ("modules/09_spatial/ABOUT.md", "site/measured.md", "CONTRIBUTING.md"):
        path = course / name
        lines = path.read_text(encoding="utf-8").splitlines()
        # Before the second heading: the build adds lines above and below, which must not count.
        place = [number for number, line in enumerate(lines) if line.startswith("## ")][1]
        lines[place:place] = [f"See [gone](#no-such-{path.stem.lower()}).", ""]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        broken[f"{name}:{place + 1}: "] = f"no-such-{path.stem.lower()}"
    for _ in range(2):  # a second build does not pass over what the first one found
        with pytest.raises(WorkError) as found:
            build(course, run_cells=False)
        for place, target in broken.items():
            assert re.search(re.escape(place) + f".*{target}", str(found.value)), str(found.value)
        assert "_build" not in str(found.value)


@pytest.fixture
def answer(course):
    """A line of an answer that is on a page."""
    source = course / "grading" / "modules" / "09_spatial" / "spatial_dev.py"
    solution = source.read_text(encoding="utf-8").split("### BEGIN SOLUTION")[1]
    line = next(line.strip() for line in solution.splitlines() if len(line.strip()) >= 18)
    page = course / "CHANGELOG.md"  # the handout, which is searched before, does not hold it
    text = page.read_text(encoding="utf-8")
    page.write_text(f"{text}\n```text\n{line}\n```\n", encoding="utf-8")
    return line


def test_an_answer_on_a_page_breaks_the_build(course, answer):
    with pytest.raises(WorkError, match=r"no answer may be on a page.*09_spatial/also_public.txt"):
        build(course, run_cells=False)


def test_with_a_public_home_pages_name_their_address_and_the_file_that_is_edited(course, answer):
    # follow the advice of the message about an answer
    listed, settings = course / "grading/modules/09_spatial/also_public.txt", course / "tito.toml"
    listed.write_text(answer, encoding="utf-8")
    text = settings.read_text(encoding="utf-8")
    home = 'repository_url = "https://github.com/ann/course"'
    settings.write_text(text.replace('repository_url = ""', home), encoding="utf-8")
    html = build(course, run_cells=False).html
    listed.unlink()
    names = ("modules/09_spatial.html", "404.html", "start.html")
    page, lost, start = ((html / name).read_text(encoding="utf-8") for name in names)
    address = "https://ann.github.io/course"
    assert f'<link rel="canonical" href="{address}/modules/09_spatial.html">' in page
    edited = "https://github.com/ann/course/edit/main/modules/09_spatial/ABOUT.md"
    assert f'href="{edited}" rel="edit"' in page
    assert f'href="{address}/index.html"' in lost
    # the public repository has no folder site/, so nobody could edit this page there
    assert 'rel="edit"' not in start

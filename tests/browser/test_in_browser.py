"""A module in the browser, with nothing installed: JupyterLite is built from a folder with Pyodide
and used in headless Chromium, and the download is tested outside.
"""

import csv
import functools
import os
import re
import shutil
import threading
from dataclasses import dataclass
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from lab import ROOT, Notebook

from grading.authoring import demo
from grading.authoring.variants.splice import splice
from grading.engine.course.references import read_source, secrets_of, write_references
from grading.engine.course.wrong_and_right_solutions import find_wrong
from helpers.chromium import chromium
from tito.errors import EnvironmentBroken
from tito.notebook.cells import cells_of
from tito.notebook.exercises import exercises
from tito.notebook.ipynb_format import load_ipynb
from tito.verbs import load, verbs
from tito.workspace import Workspace

load(verbs("site")["build"])  # imports the folder site/_tools under the name site_tools


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *words):
        pass


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """The address of a site that holds the notebooks in the browser."""
    from site_tools import browser_edition as browser

    folder = os.environ.get(browser.VARIABLE)
    if not folder:
        pytest.skip(f"${browser.VARIABLE} names no folder with Pyodide and a wheel of NumPy for it")
    place = tmp_path_factory.mktemp("site")
    parts = browser.given(folder, place)
    browser.make(ROOT, parts, place, place / "html" / "lite")
    server = ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=str(place / "html"))
    )
    with server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


@dataclass(frozen=True)
class Visit:
    """What a student does with a module in the browser: each exercise is solved as somebody who
    believes a misconception, then right. `absent` is an exercise that cannot be tested there.
    """

    module: str
    mistakes: tuple[str, ...]
    points: float
    absent: str


BEGINNINGS = (
    Visit(
        "08_dataloader",
        (
            "dataset/names_the_base_class",
            "subset/index_of_the_whole_dataset",
            "tensor_dataset_init/cuts_to_the_shortest",
            "tensor_dataset_getitem/bare_rows",
            "epoch_order/draws_with_replacement",
            "stack_samples/concatenates",
            "collate/zip_stops_at_the_shortest",
        ),
        19,
        "10a",
    ),
    Visit(
        "08c_pipeline",
        ("add_step/changes_what_it_is_given", "apply_transform/changes_the_row"),
        6,
        "11b",
    ),
)
RED = '[data-mime-type="application/vnd.jupyter.error"]'  # an output that is a traceback
TYPED = 2  # the number of the cell that the student adds below the first one


class Student:
    """A student at a notebook of the site, with a cell to type magics into."""

    def __init__(self, notebook, module):
        self.notebook, self.module = notebook, module
        self.cells = cells_of(load_ipynb(module.notebook))
        self.number = {one.graded.name: one.number for one in exercises(self.cells) if one.graded}

    def place(self, cell):
        """The number of a cell of the released notebook on the page."""
        number = self.cells.index(cell)
        return number + (number >= TYPED)

    def asks(self, magic):
        self.notebook.fill(TYPED, magic)
        return "".join(self.notebook.run(TYPED))

    def solves(self, visit):
        """Run the cells from the top to the last exercise of the visit, and the progress below."""
        reference = read_source(self.module)
        right = {cell.grade_id: cell.source for cell in reference if cell.is_solution}
        folder = secrets_of(self.module) / "wrong"
        to_do = {}
        for mistake in visit.mistakes:
            variant = find_wrong(folder, mistake)
            spliced = {cell.grade_id: cell.source for cell in splice(reference, variant)}
            exercise, (said, *_) = variant.breaks(exercises(reference))
            wrong = spliced[variant.exercise]
            to_do[variant.exercise] = (wrong, exercise.graded.grade_id, said.plain)
        tests = {test for _, test, _ in to_do.values()}
        for cell in self.cells:
            if cell.kind != "code":
                continue
            if cell.grade_id in to_do:
                wrong, name, said = to_do[cell.grade_id]
                test = next(one for one in self.cells if one.grade_id == name)
                self.tries(self.place(cell), wrong)
                red = "".join(self.notebook.run(self.place(test)))
                assert said in red and "\u2717" in red and "Traceback" not in red, red
                assert "the idea" in self.asks(f"%hint {self.number[test.name]}")
                self.tries(self.place(cell), right[cell.grade_id])
                continue
            said = "".join(self.notebook.run(self.place(cell)))
            red = self.notebook.cell(self.place(cell)).locator(RED)
            assert red.count() == 0, f"{cell.label}: {said}"
            if cell.grade_id in tests:
                assert "\u2713" in said and "kept" in said, said
                self.notebook.save()
                number = self.number[cell.name]
                said = self.asks(f"%test {number}")
                assert re.search(rf"(\u2713|\[ok\]) {number} ", said), said
                tests.remove(cell.grade_id)
            elif cell.source.startswith("progress("):
                assert "Progress: " in said, said
                if not tests:
                    return

    def tries(self, number, source):
        self.notebook.fill(number, source)
        assert self.notebook.run(number) == []

    def downloads(self, folder):
        page = self.notebook.page
        page.locator(".lm-MenuBar-item", has_text="File").click()
        with page.expect_download() as download:
            page.locator(".lm-Menu-item", has_text="Download").first.click()
        got = folder / self.module.notebook.name
        download.value.save_as(got)
        return got


@pytest.mark.long
@pytest.mark.parametrize("visit", BEGINNINGS, ids=lambda visit: visit.module)
def test_a_module_is_begun_in_the_browser_tested_and_graded_outside(served, visit, tmp_path):
    from site_tools import browser_edition as browser

    module = Workspace(ROOT).module(visit.module)
    asked = []
    with chromium(height=900) as page:
        page.context.on("request", lambda request: asked.append(request.url))
        student = Student(Notebook(page, tmp_path), module)
        student.notebook.open(served + browser.address(module, ""))
        student.notebook.run(1)
        student.notebook.insert_below(1, "%reload_ext tinytorch")
        assert student.notebook.run(TYPED) == []
        student.solves(visit)
        said = student.asks(f"%test {visit.absent}")
        assert "left out here: it needs the package matplotlib" in said and "\u2717" not in said
        student.notebook.save()
        got = student.downloads(tmp_path)
    assert [url for url in asked if not url.startswith((served, "data:", "blob:"))] == []
    assert_marks(visit, got, tmp_path)


@pytest.mark.long
def test_saved_work_outlives_a_reload_and_the_browser_asks_about_unsaved_work(served, tmp_path):
    """Two saves at once, as an impatient hand gives them, leave the mark of unsaved changes on the
    tab. The work is saved all the same, and what is typed later is asked about.
    """
    from site_tools import browser_edition as browser

    module = Workspace(ROOT).module("08c_pipeline")
    number, *_ = (cell.index for cell in cells_of(load_ipynb(module.notebook)) if cell.is_solution)
    asked = []
    with chromium(height=900) as page:
        notebook = Notebook(page, tmp_path)
        notebook.open(served + browser.address(module, ""))
        for work in ("first = 1", "second = 2"):
            notebook.fill(number - 1, work)
            notebook.save()
        notebook.fill(number - 1, "third = 3")
        page.keyboard.press("Control+S")
        page.keyboard.press("Control+S")
        page.wait_for_timeout(2000)  # nothing on the page says that both saves ended
        page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
        page.reload()
        page.locator(".jp-Notebook .jp-Cell").first.wait_for()
        notebook.cell(number - 1).filter(has_text="third = 3").wait_for()
        asked.clear()
        page.keyboard.press("Escape")
        notebook.fill(number - 1, "fourth = 4")
        with page.expect_event("close"):
            page.close(run_before_unload=True)
        assert asked == ["beforeunload"]


def assert_marks(visit, notebook, folder):
    """Test, hand in and grade the download: it has the points of what was solved, and no others."""
    stage = demo.set_stage(ROOT, folder)
    module = Workspace(stage.workspace).module(visit.module)
    write_references(Workspace(stage.workspace).before(module), stage.workspace)
    to = ["--course", stage.classroom]
    stage.tito("grade", "release", module.name, *to)
    shutil.copy(notebook, module.notebook)
    module.script.unlink()
    tested = stage.tito("test", module.name, allowed=(0, 1))
    done = rf"^{len(visit.mistakes)} of \d+ exercises done\. .* worth {visit.points:g} of"
    assert re.search(done, tested, re.MULTILINE) and "\u2717" not in tested, tested
    (folder / "inbox").mkdir()
    stage.tito("submit", module.name, "--student", "ada", "--output", folder / "inbox")
    stage.tito("grade", "collect", folder / "inbox", *to)
    stage.tito("grade", "autograde", module.name, *to)
    stage.tito("grade", "export", module.name, *to, "--to", folder / "marks.csv")
    with (folder / "marks.csv").open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert row["status"] == "graded" and float(row["total"]) == visit.points, row


@pytest.mark.parametrize("named", ["by the caller", "by the variable"])
def test_a_folder_that_lacks_something_is_told_what_and_how_to_get_it(named, tmp_path, monkeypatch):
    from site_tools import browser_edition as browser

    monkeypatch.setenv(browser.VARIABLE, str(tmp_path))
    folder = tmp_path if named == "by the caller" else None
    with pytest.raises(EnvironmentBroken, match=r"lacks pyodide-.*tgz, numpy, micropip.*npm pack"):
        browser.given(folder, tmp_path / "cache")


def test_a_download_with_another_checksum_is_refused_with_the_next_step(tmp_path, monkeypatch):
    import pooch
    from site_tools import browser_edition as browser

    def other(*names, **settings):
        raise ValueError("the hash of the downloaded file is another")

    monkeypatch.delenv(browser.VARIABLE, raising=False)
    monkeypatch.setattr(pooch, "retrieve", other)
    with pytest.raises(EnvironmentBroken, match=r"hash of the downloaded[\s\S]*--pyodide DIR"):
        browser.given(None, tmp_path)

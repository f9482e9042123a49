"""A module in the browser, with nothing installed: JupyterLite is built from a folder with Pyodide
and used in headless Chromium, and the download is tested outside.
"""

import functools
import os
import threading
import time
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from test_newcomer import newcomer  # noqa: F401 - the fixture

from tito.errors import EnvironmentBroken
from tito.run.student_tests import run_checks
from tito.verbs import load, verbs
from tito.workspace import Workspace

load(verbs("site")["build"])  # imports the folder site/_tools under the name site_tools


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *words):
        pass


@pytest.fixture(scope="module")
def served(newcomer, tmp_path_factory):  # noqa: F811
    """The address of a site that holds the notebooks in the browser."""
    from site_tools import browser

    folder = os.environ.get(browser.VARIABLE)
    if not folder:
        pytest.skip(f"${browser.VARIABLE} names no folder with Pyodide and a wheel of NumPy for it")
    if not newcomer.find_browser():
        pytest.skip("no Chromium on the PATH; on Debian: apt-get install chromium")
    place = tmp_path_factory.mktemp("site")
    parts = browser.given(folder, place)
    size = browser.make(newcomer.ROOT, parts, place, place / "html" / "lite")
    print(f"{size / 1e6:.0f} MB on the disk")
    server = ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=str(place / "html"))
    )
    with server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


@pytest.mark.long
def test_a_module_is_begun_in_the_browser_and_finished_outside(newcomer, served, tmp_path):  # noqa: F811
    from playwright.sync_api import sync_playwright
    from site_tools import browser

    exercise = newcomer.FIRST_EXERCISE
    module = Workspace(newcomer.ROOT).module(exercise.module)
    stub = newcomer.stub_of(module.notebook, exercise.grade_id)
    outside, loaded = [], []
    with sync_playwright() as driver:
        chromium = driver.chromium.launch(
            executable_path=newcomer.find_browser(), args=newcomer.BROWSER_ARGUMENTS
        )
        page = chromium.new_context(viewport={"width": 1280, "height": 900}).new_page()
        page.context.on("request", lambda asked: outside.append(asked.url))
        page.context.on(
            "response", lambda got: loaded.append(int(got.headers.get("content-length", 0)))
        )
        notebook = newcomer.Notebook(page, tmp_path)
        began = time.perf_counter()
        notebook.open(served + browser.address(module, ""))
        for text in exercise.given:
            assert notebook.run(text) == []
        seconds, size = time.perf_counter() - began, sum(loaded) / 1e6
        print(f"{seconds:.1f} s from opening the page to the first cells' end, {size:.0f} MB")

        title = f"def {exercise.grade_id}"
        notebook.fill(title, newcomer.filled(stub, exercise.wrong))
        assert notebook.run(title) == []
        red = notebook.run(f"def {exercise.test}")
        assert exercise.promise in "".join(red)
        notebook.fill(title, newcomer.filled(stub, exercise.right))
        notebook.run(title)
        assert "kept" in "".join(notebook.run(f"def {exercise.test}"))
        notebook.save()

        page.locator(".lm-MenuBar-item", has_text="File").click()
        with page.expect_download() as download:
            page.locator(".lm-Menu-item", has_text="Download").first.click()
        got = tmp_path / module.notebook.name
        download.value.save_as(got)

        # another exercise's cell serves as a place to type
        notebook.fill("class Subset(Dataset)", f"%load_ext tinytorch\n%hint {exercise.grade_id}")
        assert "the idea" in "".join(notebook.run("%load_ext tinytorch"))
        notebook.fill("%load_ext tinytorch", f"%test {exercise.grade_id}")
        tested = "".join(notebook.run(f"%test {exercise.grade_id}"))
        assert "1 of 1 exercises done" in tested, tested
        notebook.fill("%test ", "%test plot_throughput")
        tested = "".join(notebook.run("%test plot_throughput"))
        assert "left out here: it needs the package matplotlib" in tested and "\u2717" not in tested
        chromium.close()
    assert [url for url in outside if not url.startswith((served, "data:", "blob:"))] == []

    workspace = newcomer.make_workspace(tmp_path / "course", exercise.module, got)
    report = run_checks(Workspace(workspace).module(exercise.module), part=exercise.grade_id)
    assert report.ok and report.passed == report.tests > 1


def test_a_folder_that_lacks_something_is_told_what_and_how_to_get_it(tmp_path, monkeypatch):
    from site_tools import browser

    with pytest.raises(EnvironmentBroken, match=r"lacks pyodide-.*tgz, numpy, micropip.*npm pack"):
        browser.given(tmp_path, tmp_path / "cache")
    monkeypatch.setenv(browser.VARIABLE, str(tmp_path))
    with pytest.raises(EnvironmentBroken, match="lacks"):
        browser.given(None, tmp_path / "cache")


def test_what_is_fetched_has_the_checksum_or_is_refused(tmp_path, monkeypatch):
    from site_tools import browser

    monkeypatch.delenv(browser.VARIABLE, raising=False)
    (tmp_path / "server").mkdir()
    for name in browser.CORE:
        (tmp_path / "server" / name).write_text("not Pyodide")
    server = ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=str(tmp_path / "server"))
    )
    monkeypatch.setattr(browser, "ADDRESS", f"http://127.0.0.1:{server.server_address[1]}/")
    with server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with pytest.raises(EnvironmentBroken, match=r"hash of downloaded file[\s\S]*--pyodide DIR"):
            browser.given(None, tmp_path / "cache")
        server.shutdown()
    assert not Path(tmp_path / "cache" / "pyodide.mjs").exists()

"""Take the pictures of nbgrader's formgrader that the site shows, on a course made for them.

    python site/_tools/screenshots.py [FOLDER]

It makes a sample module in a scratch copy of the checkout, hands in one notebook, grades it, opens
`tito grade formgrade` in headless Chromium and writes FOLDER/formgrader.png (default: site/teach).
No answer of the course's own modules is in the picture.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from grading.authoring.demo import Stage, play_student, set_stage  # noqa: E402
from tito.children import PATIENCE_SECONDS, serving  # noqa: E402
from tito.workspace import Module, Workspace  # noqa: E402

MODULE, STUDENT, QUESTION = "09_limits", "ada", "why_limits"
ANSWER = (
    "Gradients are clipped before the optimiser's step. Without it one bad batch makes a huge step,"
    " and the training so far is lost."
)
COMMENT = "Right. Say also which norm is clipped."
WIDTH, HEIGHT = 1000, 510  # CSS pixels


def graded_class(folder: Path) -> Stage:
    """A scratch checkout with a new sample module, and a class in which one student handed it
    in.
    """
    stage = set_stage(ROOT, folder)
    stage.tito("dev", "new", MODULE)
    stage.tito("grade", "release", MODULE, "--course", stage.classroom)
    module = Workspace(stage.workspace).module(MODULE)
    play_student(module, [])
    _answer(module)
    stage.tito("submit", MODULE, "--student", STUDENT, "--no-test", "--output", folder)
    stage.tito(
        "grade",
        "collect",
        folder / f"{MODULE}-{STUDENT}.zip",
        "--module",
        MODULE,
        "--course",
        stage.classroom,
    )
    # the notebook was written here
    stage.tito("grade", "autograde", MODULE, "--course", stage.classroom)
    return stage


def _answer(module: Module) -> None:
    notebook = json.loads(module.notebook.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        if cell.get("id", "").startswith("answer-"):
            cell["source"] = ANSWER
    module.notebook.write_text(json.dumps(notebook), encoding="utf-8")


def submission_id(stage: Stage) -> str:
    """The id that formgrader's address of a submitted notebook holds."""
    from grading.engine.nbgrader.library import gradebook

    stem = Workspace(stage.workspace).module(MODULE).stem
    with gradebook(f"sqlite:///{(stage.classroom / 'gradebook.db').as_posix()}") as book:
        return book.find_submission_notebook(stem, MODULE, STUDENT).id


def take(stage: Stage, browser_path: str, picture: Path) -> None:
    """Grade the written answer in the page and keep what the grader then sees."""
    from playwright.sync_api import sync_playwright

    words = [sys.executable, "-m", "tito", "grade", "formgrade", "--no-browser"]
    words += ["--course", str(stage.classroom)]
    log = stage.folder / "formgrader.log"
    with (
        serving(words, stage.workspace, stage.environment, log) as server,
        sync_playwright() as driver,
    ):
        address = server.address
        browser = driver.chromium.launch(
            executable_path=browser_path,
            args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
        )
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        page.set_default_timeout(PATIENCE_SECONDS * 1000)
        # MathJax's CDN
        page.route(
            lambda url: not url.startswith(("http://127.0.0.1", "data:")),
            lambda route: route.abort(),
        )
        page.goto(address)
        page.goto(
            re.sub(r"/formgrader/.*", f"/formgrader/submissions/{submission_id(stage)}/", address)
        )
        # the page's script asks for the grades, then listens to the fields
        page.wait_for_load_state("networkidle")
        score, comment = (
            page.locator(f"input.score#{QUESTION}"),
            page.locator(f"textarea#{QUESTION}-comment"),
        )
        for place, text in ((score, "1.5"), (comment, COMMENT)):
            with page.expect_response(lambda answer: answer.request.method in ("PUT", "POST")):
                place.fill(text)
                place.press("Tab")
        _settle(page, score)
        page.screenshot(path=picture)
        browser.close()


def _settle(page, score) -> None:
    """The question below the page's bar, nothing under the pointer, no message that is about to
    fade.
    """
    page.evaluate("document.activeElement.blur()")
    page.wait_for_function(
        "![...document.querySelectorAll('.score-saved,"
        " .comment-saved')].some(part => part.offsetParent)"
    )
    task = page.locator(".nbgrader_cell", has=score)
    task.evaluate("cell => window.scrollBy(0, cell.getBoundingClientRect().top - 75)")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "site" / "teach")
    folder = parser.parse_args().folder.resolve()
    from tito.verbs import load, verbs

    load(verbs("site")["build"])  # gives the folder site/_tools its name, site_tools
    from site_tools.check import browser_path

    browser = browser_path()
    with tempfile.TemporaryDirectory(prefix="formgrader-picture-") as scratch:
        take(graded_class(Path(scratch).resolve()), browser, folder / "formgrader.png")
    print(f"wrote {folder / 'formgrader.png'}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

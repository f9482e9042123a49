"""A script that grades by hand as an instructor does, in nbgrader's formgrader in headless
Chromium.

    python tests/browser/formgrader.py COURSE_DIR ASSIGNMENT STUDENT QUESTION [OUTPUT_FOLDER]

It opens the list of assignments, then the submission, reads the answer beside its question and mark
scheme, types points and a comment, and asks `tito grade export` for the new total. Every step
leaves a screenshot in the output folder for a person to look at. The script writes a grade into the
given course, so use a copy of a real course.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from newcomer import (
    BROWSER_ARGUMENTS,
    PATIENCE_SECONDS,
    ROOT,
    _is_here,
    environment,
    find_browser,
    tell,
)

from tito.children import serving

TITO = (sys.executable, "-c", "from tito.cli import main; raise SystemExit(main())")


def exported(course: Path, workspace: Path, assignment: str, student: str) -> dict:
    """The student's row of `tito grade export --json`."""
    done = subprocess.run(
        [*TITO, "grade", "export", assignment, "--json", "--course", str(course)],
        cwd=workspace,
        env=environment(workspace),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    return next(row for row in json.loads(done.stdout) if row["student"] == student)


def visit(
    course: Path,
    workspace: Path,
    assignment: str,
    student: str,
    question: str,
    output: Path,
    *,
    points: float,
    comment: str | None,
    words: tuple[str, ...] = (),
) -> list[str]:
    """Grade one cell in the page. Returns complaints; empty if there was no problem.

    Args:
        comment: None for a test cell, which has no field for one.
        words: texts that the question, its mark scheme or the answer below it must contain.
    """
    from playwright.sync_api import sync_playwright

    output.mkdir(parents=True, exist_ok=True)
    before = exported(course, workspace, assignment, student)
    complaints: list[str] = []
    command = [*TITO, "grade", "formgrade", "--no-browser", "--course", str(course)]
    with (
        serving(command, workspace, environment(workspace), output / "formgrader.log") as server,
        sync_playwright() as playwright,
    ):
        address = server.address
        browser = playwright.chromium.launch(executable_path=find_browser(), args=BROWSER_ARGUMENTS)
        page = browser.new_page(viewport={"width": 1280, "height": 860})
        page.set_default_timeout(PATIENCE_SECONDS * 1000)
        outside: list[str] = []
        page.on(
            "request",
            lambda request: outside.append(request.url) if not _is_here(request.url) else None,
        )
        page.route(lambda url: not _is_here(url), lambda route: route.abort())
        page.on(
            "dialog",
            lambda dialog: (
                complaints.append(f"a script of the submission ran: {dialog.message}"),
                dialog.dismiss(),
            ),
        )
        page.goto(address)
        page.get_by_text(assignment).first.wait_for()
        page.screenshot(path=output / "01_assignments.png")
        page.goto(
            re.sub(
                r"/formgrader/.*",
                f"/formgrader/gradebook/{assignment}/{Path(_notebook(course, assignment)).stem}",
                address,
            )
        )
        page.locator("table a[href*='/submissions/']").first.wait_for()
        page.screenshot(path=output / "02_submissions.png")
        complaints += _grade(
            page,
            _submission(course, assignment, student),
            address,
            question,
            output,
            points=points,
            comment=comment,
            words=words,
        )
        browser.close()
    # nbgrader's own page loads MathJax from a CDN and nothing else; without a network, formulas
    # stay as typed.
    complaints += [
        f"a request left the machine: {url}"
        for url in dict.fromkeys(outside)
        if "mathjax" not in url.lower()
    ]
    after = exported(course, workspace, assignment, student)
    if after["cells"][question] != points or after["total"] != round(
        before["total"] - (before["cells"][question] or 0) + points, 2
    ):
        complaints.append(
            f"{points:g} points in the page are {after['cells'][question]} in the export, total"
            f" {before['total']:g} -> {after['total']:g}"
        )
    return complaints


def _grade(
    page,
    submission: str,
    address: str,
    question: str,
    output: Path,
    *,
    points: float,
    comment: str | None,
    words: tuple[str, ...],
) -> list[str]:
    """Type points and a comment into the fields of the page; a field is saved when it loses the
    focus.
    """
    page.goto(re.sub(r"/formgrader/.*", f"/formgrader/submissions/{submission}/", address))
    # the page's script first requests the grades and then listens to the fields
    page.wait_for_load_state("networkidle")
    field, remark = (
        page.locator(f"input.score#{question}"),
        page.locator(f"textarea#{question}-comment"),
    )
    task = page.locator(".nbgrader_cell", has=field)
    task.scroll_into_view_if_needed()
    whole = page.locator(".cell", has=task)
    beside = whole.inner_text() + whole.locator("xpath=following-sibling::div[1]").inner_text()
    complaints = [f"{text!r} is not beside the question" for text in words if text not in beside]
    page.screenshot(path=output / "03_answer.png")
    typed = [(field, f"{points:g}", "score")]
    typed += [(remark, comment, "comment")] if comment is not None else []
    for place, text, what in typed:
        with page.expect_response(lambda answer: answer.request.method in ("PUT", "POST")) as saved:
            place.fill(text)
            place.press("Tab")
        if not saved.value.ok:
            complaints.append(f"saving the {what} was answered by {saved.value.status}")
    page.screenshot(path=output / "04_graded.png")
    return complaints


def _notebook(course: Path, assignment: str) -> str:
    return next((course / "release" / assignment).glob("*.ipynb")).name


def _submission(course: Path, assignment: str, student: str) -> str:
    """The id in formgrader's address of a submitted notebook."""
    from grading.engine.nbgrader.library import gradebook

    stem = Path(_notebook(course, assignment)).stem
    with gradebook(f"sqlite:///{(course / 'gradebook.db').as_posix()}") as book:
        return book.find_submission_notebook(stem, assignment, student).id


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("course", "assignment", "student", "question"):
        parser.add_argument(name)
    parser.add_argument(
        "output",
        nargs="?",
        type=Path,
        help="folder for the pictures (default: a new temporary one)",
    )
    parser.add_argument(
        "--workspace", type=Path, default=ROOT, help="where modules/ is (default: this checkout)"
    )
    options = parser.parse_args()
    if not find_browser():
        print("formgrader's page needs a Chromium on the PATH; on Debian: apt-get install chromium")
        return 3
    output = (options.output or Path(tempfile.mkdtemp(prefix="formgrader-pictures-"))).resolve()
    complaints = visit(
        Path(options.course).resolve(),
        options.workspace.resolve(),
        options.assignment,
        options.student,
        options.question,
        output,
        points=1,
        comment="Read in the page.",
    )
    return tell(complaints, "the instructor", output)


if __name__ == "__main__":
    raise SystemExit(main())

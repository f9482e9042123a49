"""nbgrader's formgrader in headless Chromium: grading by hand as an instructor does, and pages of a
submission that tries to run scripts in the instructor's browser.
"""

from __future__ import annotations

import contextlib
import json
import re
import sqlite3
import sys
from pathlib import Path

import pytest
from lab import HERE, asked_elsewhere, environment

from grading.authoring import release
from grading.engine.course.directory import Course
from grading.engine.intake import collect
from grading.engine.marks import export_tables, feedback
from grading.engine.nbgrader.import_nbgrader import gradebook
from grading.engine.run import autograde
from helpers.chromium import chromium
from helpers.serving import serving

# nbgrader and SQLAlchemy warn about each other
pytestmark = [pytest.mark.filterwarnings("ignore")]


def graded(folder, notebook, **settings):
    """A class whose only student, ann, handed in what `notebook` made of the released one."""
    from helpers.sealed_course import sealed_course

    workspace = sealed_course(folder / "repository")
    module = workspace.module("07")
    course = Course.create(folder / "class", workspace)
    release.release_to_course(module, course)
    released = json.loads(module.notebook.read_text(encoding="utf-8"))
    (folder / "ann.ipynb").write_text(json.dumps(notebook(released)), encoding="utf-8")
    assignment = course.assignment("07", workspace)
    collect.collect(course, assignment, [folder / "ann.ipynb"])
    (result,) = autograde.autograde(course, assignment, autograde.Settings(**settings))
    return workspace, course, assignment, result


@contextlib.contextmanager
def formgrader(workspace, course, log):
    """A tab of a browser, and where formgrader answers."""
    words = [sys.executable, "-m", "tito", "grade", "formgrade", "--no-browser"]
    around = environment(workspace.root)
    with (
        serving([*words, "--course", str(course.root)], workspace.root, around, log) as server,
        chromium() as tab,
    ):
        tab.goto(server.address)
        tab.get_by_text(workspace.module("07").name).first.wait_for()
        yield tab, f"{server.address.partition('/formgrader/')[0]}/formgrader"


def submission_page(course, assignment):
    """The path of the page on which ann's notebook is graded."""
    with gradebook(f"sqlite:///{(course.root / 'gradebook.db').as_posix()}") as book:
        found = book.find_submission_notebook("tiny_dev", assignment.name, "ann")
        return f"submissions/{found.id}/"


# Grading by hand

ANSWER = (
    "Aliasing: the *caller* may change it. <script>alert(1)</script> <img src=x onerror=alert(2)>"
)


def answered(released):
    from helpers.tiny_course import fill

    notebook = fill(released, answer=ANSWER)
    notebook["cells"].append(
        {"cell_type": "raw", "id": "raw", "metadata": {}, "source": "<script>alert(3)</script>"}
    )
    return notebook


def grade(tab, cell, points, comment, beside):
    """Type points and a comment for a cell; a field is saved when it loses the focus."""
    field, remark = tab.locator(f"input.score#{cell}"), tab.locator(f"textarea#{cell}-comment")
    task = tab.locator(".nbgrader_cell", has=field)
    task.scroll_into_view_if_needed()
    whole = tab.locator(".cell", has=task)
    text = whole.inner_text() + whole.locator("xpath=following-sibling::div[1]").inner_text()
    assert [words for words in beside if words not in text] == []
    for place, typed in ((field, f"{points:g}"), (remark, comment)):
        if typed is not None:
            with tab.expect_response(lambda got: got.request.method in ("PUT", "POST")) as saved:
                place.fill(typed)
                place.press("Tab")
            assert saved.value.ok


def test_an_instructor_grades_an_answer_in_the_page(tmp_path):
    """The list of assignments, the answer beside its question and mark scheme, points and a
    comment; no script in the student's answer runs, and the export shows the new points.
    """
    workspace, course, assignment, _ = graded(tmp_path, answered)
    dialogs = []
    with formgrader(workspace, course, tmp_path / "log") as (tab, address):
        asked = asked_elsewhere(tab)
        tab.route(lambda url: not HERE.match(url), lambda route: route.abort())
        tab.on("dialog", lambda one: (dialogs.append(one.message), one.dismiss()))
        tab.goto(f"{address}/gradebook/{assignment.name}/tiny_dev")
        tab.locator("table a[href*='/submissions/']").first.wait_for()
        tab.goto(f"{address}/{submission_page(course, assignment)}")
        # the page's script first requests the grades and then listens to the fields
        tab.wait_for_load_state("networkidle")
        grade(
            tab,
            "q_why",
            2.5,
            "Name iterators too.",
            (
                "Why does a box copy its things?",
                "Two points for aliasing",
                "Aliasing: the caller may change it.",
                "<script>alert(1)</script>",
            ),
        )
        # the sealed results are below their exercise, and a person may give other points
        results = ("ok      a box takes three things", "ok      an empty box has length zero")
        grade(tab, "test_box", 1.5, None, results)
    assert dialogs == []
    # The page asks a CDN for MathJax and for nothing else; without it, formulas stay as typed.
    assert [url for url in asked if "mathjax" not in url.lower()] == []
    (row,) = export_tables.marks(course, assignment)
    assert (row.cells["q_why"], row.cells["test_box"]) == (2.5, 1.5)
    assert row.total == sum(row.cells.values())
    (written,) = feedback.feedback(course, assignment)
    assert "Name iterators too." in written.read_text(encoding="utf-8")


# A hostile submission

# What each script does if it runs: a dialog, a mark on the page, a request, and 2.5 points.
HARM = (
    "window.ranBy=(window.ranBy||'')+'{name} ';"
    "fetch('/formgrader/api/grades').then(r=>r.json()).then(all=>all.forEach(g=>"
    "fetch('/formgrader/api/grade/'+g.id,{{method:'PUT',body:JSON.stringify({{manual_score:2.5}})}})));"
    "fetch('http://127.0.0.1:9/{name}');alert('{name}')"
)
MARKDOWN = {
    "script": "<script>{harm}</script>",
    "late script": "</div></div></script></textarea></title><script>{harm}</script>",
    "error": '<img src=x onerror="{harm}">',
    "link": '[read me](javascript:{quoted}) <a href="javascript:{quoted}">and me</a>',
    "math": r"$\href{javascript:{quoted}}{x^2}$ $$\style{background:url(javascript:1)}{y}$$",
    "required": r"$\require{html}\href{javascript:{quoted}}{z} \unicode{<img src=x onerror=1>}$",
    "svg": '<svg onload="{harm}"><script>{harm}</script><animate onbegin="{harm}"/></svg>',
    "frame": '<iframe srcdoc="<script>parent.{harm}</script>"></iframe>',
    "address": '<iframe src="javascript:{quoted}"></iframe>',
    "object": '<object data="javascript:{quoted}"></object><embed src="javascript:{quoted}">',
    "form": '<form action="javascript:{quoted}"><button autofocus onfocus="{harm}">go</button>',
    "details": '<details open ontoggle="{harm}">x</details><video><source onerror="{harm}">',
    "style": '<style>@import "http://127.0.0.1:9/style"; * {background: url(//127.0.0.1:9/css)}',
    "image": "![x](http://127.0.0.1:9/image) <img src=//127.0.0.1:9/img> ![y](attachment:a.svg)",
    "meta": '<meta http-equiv="refresh" content="0;url=http://127.0.0.1:9/meta">',
    "base": '<base href="http://127.0.0.1:9/">',
}
TEXTS = ("text/html", "image/svg+xml", "text/markdown", "application/javascript", "text/latex")
MIMES, SHOWN = (*TEXTS, "image/png"), {"output_type": "display_data"}
HUGE = "word **bold** [link](http://127.0.0.1:9/x) `code` $x^2$\n\n" * 20_000


def hostile(name: str, text: str) -> str:
    harm = HARM.format(name=name.replace(" ", "-"))
    quoted = harm.replace("(", "%28").replace(")", "%29").replace("{", "%7B").replace("}", "%7D")
    return text.replace("{harm}", harm.replace('"', "'")).replace("{quoted}", quoted)


def outputs(text: str) -> list[dict]:
    """The text as every kind of output that a notebook can hold."""
    terminal = f"\x1b]8;;javascript:1\x07{text}"
    return [
        *(
            {**SHOWN, "data": {mime: text}, "metadata": {mime: {"isolated": True}}}
            for mime in MIMES
        ),
        {"output_type": "stream", "name": "stdout", "text": terminal},
        {"output_type": "error", "ename": text, "evalue": text, "traceback": [text]},
    ]


def submission(released: dict) -> dict:
    """A solved notebook with hostile text in its answer, code, outputs, attachments and titles."""
    from helpers.tiny_course import cell_of, fill

    everything = "\n\n".join(hostile(name, text) for name, text in MARKDOWN.items())
    notebook = fill(released, answer=f"FIRST\n\n{everything}\n\nLAST")
    notebook["metadata"]["title"] = hostile("title", "</title><script>{harm}</script>")
    cell_of(notebook, "double")["source"] += f"\n{everything!r}"

    def add(kind: str, source: str, **more: object) -> None:
        cells = notebook["cells"]
        plain = {"id": f"added{len(cells)}", "metadata": {}, "source": source}
        cells.append({"cell_type": kind, **plain, **more})

    svg = {"a.svg": {"image/svg+xml": "PHN2ZyBvbmxvYWQ9ImFsZXJ0KDEpIi8+"}}
    for number, (name, text) in enumerate(MARKDOWN.items()):
        bad = hostile(name, text)
        add("markdown", bad, attachments=svg)
        add("raw", bad)
        ran = {"execution_count": number, "outputs": outputs(bad)}
        add("code", repr(bad), metadata={"tags": [bad[:80]]}, **ran)
    add("markdown", HUGE)
    return notebook


def rows(course: Path) -> list[str]:
    """Everything in the gradebook."""
    with sqlite3.connect(course / "gradebook.db") as book:
        return [*book.iterdump()]


# A stand-in for MathJax, which the page asks another server for: \href in a text, outside of the
# elements that MathJax skips, becomes a link to any address. The extension Safe of MathJax, which
# the page asks for, would not make it; so the page's own wall is tested.
MATHJAX = """
window.MathJax = {Hub: {Config: () => 0, Queue: () => 0, Register: {StartupHook: () => 0}}};
addEventListener("load", () => {
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = walk.nextNode());) {
    const found = /\\\\href\\{([^}]*)\\}/.exec(node.data);
    if (found && !node.parentNode.closest("script,noscript,style,textarea,pre,code")) {
      const link = document.createElement("a");
      link.className = "made-by-math"; link.href = found[1]; link.textContent = "math";
      node.parentNode.appendChild(link);
    }
  }
});
"""


@pytest.mark.long
@pytest.mark.parametrize("run_notebooks", [False, True])
def test_no_script_of_a_submission_runs_in_formgrader(tmp_path, run_notebooks):
    """No dialog, no mark on the page, no request to elsewhere; the gradebook is as it was."""
    workspace, course, assignment, result = graded(
        tmp_path, submission, run_notebooks=run_notebooks
    )
    assert result.points == result.max_points - 4, result.why  # the question waits for a person
    before = rows(course.root)
    seen: list[str] = []

    def answer(route) -> None:
        if "mathjax" in route.request.url.lower():
            route.fulfill(body=MATHJAX, content_type="text/javascript")
        else:
            seen.append(f"request {route.request.url}")
            route.abort()

    with formgrader(workspace, course, tmp_path / "log") as (tab, address):
        tab.on("dialog", lambda one: (seen.append(f"dialog {one.message}"), one.dismiss()))
        tab.on("popup", lambda one: seen.append(f"popup {one.url}"))
        here = address.removesuffix("/formgrader")
        tab.route(lambda url: not url.startswith((here, "data:")), answer)
        tab.on(
            "request",
            lambda one: seen.append(f"{one.method} {one.url}") if one.method != "GET" else None,
        )
        for path in (
            f"manage_submissions/{assignment.name}",
            f"gradebook/{assignment.name}/tiny_dev",
            "manage_students/ann",
            submission_page(course, assignment),
        ):
            tab.goto(f"{address}/{path}")
            tab.wait_for_load_state("networkidle")
        text = tab.inner_text("body")
        assert "FIRST" in text and "LAST" in text and "window.ranBy" in text
        for link in tab.locator("a").all():
            target = link.get_attribute("href") or ""
            if re.match(r"\s*(javascript|data|vbscript):", target, re.IGNORECASE):
                link.dispatch_event("click")  # what an instructor may do, too
        tab.mouse.move(300, 300)
        tab.keyboard.press("Tab")
        tab.wait_for_timeout(500)
        frames = [frame.url for frame in tab.frames if frame != tab.main_frame]
        marks = [frame.evaluate("window.ranBy") for frame in tab.frames]
    assert seen == []
    assert frames == [] and set(marks) == {None}
    assert rows(course.root) == before

"""formgrader's pages of a submission that tries to run scripts in the instructor's browser."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

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
MIMES = ("text/html", "image/svg+xml", "text/markdown", "application/javascript", "text/latex")
HUGE = "word **bold** [link](http://127.0.0.1:9/x) `code` $x^2$\n\n" * 20_000


def hostile(name: str, text: str) -> str:
    harm = HARM.format(name=name.replace(" ", "-"))
    quoted = harm.replace("(", "%28").replace(")", "%29").replace("{", "%7B").replace("}", "%7D")
    return text.replace("{harm}", harm.replace('"', "'")).replace("{quoted}", quoted)


def outputs(name: str, text: str) -> list[dict]:
    """The text as every kind of output that a notebook can hold."""
    shown = [
        {
            "output_type": "display_data",
            "data": {mime: text},
            "metadata": {mime: {"isolated": True}},
        }
        for mime in (*MIMES, "image/png")
    ]
    return [
        *shown,
        {"output_type": "stream", "name": "stdout", "text": f"\x1b]8;;javascript:1\x07{text}"},
        {"output_type": "error", "ename": text, "evalue": text, "traceback": [text]},
    ]


def submission(released: dict) -> dict:
    """A solved notebook with hostile text in its answer, code, outputs, attachments and titles."""
    from tiny_course import cell_of, fill

    everything = "\n\n".join(hostile(name, text) for name, text in MARKDOWN.items())
    notebook = fill(released, answer=f"FIRST\n\n{everything}\n\nLAST")
    notebook["metadata"]["title"] = hostile("title", "</title><script>{harm}</script>")
    cell_of(notebook, "double")["source"] += f"\n{everything!r}"
    for number, (name, text) in enumerate(MARKDOWN.items()):
        bad = hostile(name, text)
        svg = {"image/svg+xml": "PHN2ZyBvbmxvYWQ9ImFsZXJ0KDEpIi8+"}
        notebook["cells"] += [
            {
                "cell_type": "markdown",
                "id": f"m{number}",
                "metadata": {},
                "source": bad,
                "attachments": {"a.svg": svg},
            },
            {"cell_type": "raw", "id": f"r{number}", "metadata": {}, "source": bad},
            {
                "cell_type": "code",
                "id": f"c{number}",
                "metadata": {"tags": [bad[:80]]},
                "execution_count": number,
                "source": f"{bad!r}",
                "outputs": outputs(name, bad),
            },
        ]
    notebook["cells"].append(
        {"cell_type": "markdown", "id": "huge", "metadata": {}, "source": HUGE}
    )
    return notebook


def rows(course: Path) -> list[tuple]:
    """Every grade and comment in the gradebook."""
    import sqlite3

    with sqlite3.connect(course / "gradebook.db") as book:
        return [
            row
            for table in ("grade", "comment", "submitted_assignment", "student")
            for row in book.execute(f"select * from {table} order by 1")
        ]


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
@pytest.mark.filterwarnings("ignore")  # nbgrader and SQLAlchemy warn about each other
@pytest.mark.parametrize("run_notebooks", [False, True])
def test_no_script_of_a_submission_runs_in_formgrader(page, tmp_path, run_notebooks):
    """No dialog, no mark on the page, no request to elsewhere; the gradebook is as it was."""
    from playwright.sync_api import sync_playwright
    from sealed_course import sealed_course

    from grading.authoring import release
    from grading.engine.course.directory import Course
    from grading.engine.intake import collect
    from grading.engine.run import autograde

    workspace = sealed_course(tmp_path / "repository")
    module = workspace.module("07")
    course = Course.create(tmp_path / "class", workspace)
    release.release_to_course(module, course)
    released = json.loads(module.notebook.read_text(encoding="utf-8"))
    (tmp_path / "ann.ipynb").write_text(json.dumps(submission(released)), encoding="utf-8")
    assignment = course.assignment("07", workspace)
    collect.collect(course, assignment, [tmp_path / "ann.ipynb"])
    settings = autograde.Settings(run_notebooks=run_notebooks)
    (graded,) = autograde.autograde(course, assignment, settings)
    assert graded.points == graded.max_points - 4, graded.why  # the question waits for a person
    before = rows(course.root)
    command = [*page.TITO, "grade", "formgrade", "--no-browser", "--course", str(course.root)]
    environment = page.environment(workspace.root)
    seen: list[str] = []
    with (
        page.serving(command, workspace.root, environment, tmp_path / "log") as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(
            executable_path=page.find_browser(), args=page.BROWSER_ARGUMENTS
        )
        tab = browser.new_page()
        tab.set_default_timeout(page.PATIENCE_SECONDS * 1000)
        tab.on("dialog", lambda one: (seen.append(f"dialog {one.message}"), one.dismiss()))
        tab.on("popup", lambda one: seen.append(f"popup {one.url}"))

        def answer(route) -> None:
            if "mathjax" in route.request.url.lower():
                route.fulfill(body=MATHJAX, content_type="text/javascript")
            else:
                seen.append(f"request {route.request.url}")
                route.abort()

        here = server.address.partition("/formgrader/")[0]
        tab.route(lambda url: not url.startswith((here, "data:")), answer)
        tab.on(
            "request",
            lambda one: seen.append(f"{one.method} {one.url}") if one.method != "GET" else None,
        )
        tab.goto(server.address)
        tab.get_by_text(module.name).first.wait_for()
        number = page._submission(course.root, module.name, "ann")
        stem = module.notebook.stem
        for path in (
            f"manage_submissions/{module.name}",
            f"gradebook/{module.name}/{stem}",
            "manage_students/ann",
            f"submissions/{number}/",
        ):
            tab.goto(f"{here}/formgrader/{path}")
            tab.wait_for_load_state("networkidle")
        text = tab.inner_text("body")
        assert "FIRST" in text and "LAST" in text and "window.ranBy" in text
        for link in tab.locator("a").all():
            address = link.get_attribute("href") or ""
            if re.match(r"\s*(javascript|data|vbscript):", address, re.IGNORECASE):
                link.dispatch_event("click")  # what an instructor may do, too
        tab.mouse.move(300, 300)
        tab.keyboard.press("Tab")
        tab.wait_for_timeout(500)
        frames = [frame.url for frame in tab.frames if frame != tab.main_frame]
        marks = [frame.evaluate("window.ranBy") for frame in tab.frames]
        browser.close()
    assert seen == []
    assert frames == [] and set(marks) == {None}
    assert rows(course.root) == before

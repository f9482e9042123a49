"""The feedback page: nbgrader's page plus the promise of each test, without hidden source, and safe
to open.

A student's text is shown as text: no raw HTML from markdown or outputs, no scripts, nothing fetched
from a network.
"""

import functools
import html
import re
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

from traitlets import Bool

from grading.engine.course.reports import read_report_file
from grading.engine.nbgrader.library import MissingEntry, gradebook, quiet
from grading.engine.pages.feedback_summary import Entry, summary
from grading.engine.pages.render import rendered
from grading.engine.results import LABELS, CellMark
from tito.notebook.cells import cells_of
from tito.notebook.exercises import exercises
from tito.outcome import Outcome

with quiet():
    from jinja2 import pass_context
    from nbconvert import HTMLExporter
    from nbconvert.filters import Highlight2HTML, ansi2html, strip_ansi
    from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
    from nbconvert.filters.widgetsdatatypefilter import WidgetsDataTypeFilter
    from nbgrader.preprocessors import ClearHiddenTests, ClearMarkScheme, NbGraderPreprocessor

PLAIN_OUTPUTS = ["image/png", "image/jpeg", "text/plain"]
_BASE64 = re.compile(r"[A-Za-z0-9+/=\s]+")
_HIDDEN = re.compile(r"### BEGIN HIDDEN TESTS(.*?)### END HIDDEN TESTS", re.DOTALL)
# Longer text is shown without markup or colors, because for some texts the time to render grows
# with the square of the length, and there are many pages.
MAX_MARKDOWN = 20_000  # characters of a text
MAX_LINE = 2_000  # characters of a line of code
MAX_COLORS = 5_000  # color changes in one output
_CONTENTS = re.compile(r'<div id="toc">.*?</ol>\s*</div>', re.DOTALL)
SUMMARY = "tito_summary"  # key in nbconvert's resources: the arguments of `summary`


class AddResults(NbGraderPreprocessor):
    """Put the summary of the marks into the resources."""

    def preprocess(self, notebook: Any, resources: dict) -> tuple[Any, dict]:
        names = resources["nbgrader"]
        path = Path("reports") / names["assignment"] / f"{names['student']}.json"
        report = read_report_file(path)
        stem, found = names["notebook"], report.cells if report else ()
        marks = {mark.grade_id: mark for mark in found if mark.notebook == stem}
        flags = [cell.metadata.get("nbgrader", {}) for cell in notebook.cells]
        labels = {one.graded.name: one.label for one in exercises(cells_of(notebook)) if one.graded}
        entries = []
        with gradebook(names["db_url"]) as book:
            for flag in flags:
                if flag.get("grade") or flag.get("task"):
                    entry = graded_entry(flag, marks, names, book)
                    entries.append(replace(entry, exercise=labels.get(flag["grade_id"])))
            cost = penalty(names, book)
        # A flag is for the grader. The student only reads that a person looks at the work, not what
        # the flag says.
        resources[SUMMARY] = {
            "entries": entries,
            "remarks": [*report.reasons, *report.notes] if report else [],
            "review": bool(report and (report.reasons or report.flags)),
            "penalty": cost,
        }
        return notebook, resources


def graded_entry(flags: Any, marks: dict[str, CellMark], names: Any, book: Any) -> Entry:
    """A cell's mark with the current points in the gradebook, since a person may have graded it."""
    grade_id, stem = flags["grade_id"], names["notebook"]
    mark = marks.get(grade_id)
    if mark is None:
        most = float(flags.get("points") or 0)
        mark = CellMark(stem, grade_id, "test", most, 0.0, Outcome("not_run"))
    try:
        grade = book.find_grade(grade_id, stem, names["assignment"], names["student"])
        known = grade.manual_score is not None or grade.auto_score is not None
        score, given = grade.score if known else None, grade.manual_score is not None
    except MissingEntry:
        score, given = mark.points, False
    return Entry(mark, score, given, flags.get("comment"))


def penalty(names: Any, book: Any) -> float:
    """The late penalty of this notebook, in points."""
    key = (names["notebook"], names["assignment"], names["student"])
    try:
        return book.find_submission_notebook(*key).late_submission_penalty or 0.0
    except MissingEntry:
        return 0.0


def sealed_text(mark: CellMark) -> str:
    """The results of the sealed tests of one cell, as text."""
    lines = [test_lines(test) for test in mark.tests]
    return "\n\n".join(lines) or f"not run: {mark.outcome.message}"


def test_lines(test: Outcome) -> str:
    """One contract test as the five short lines that `tito test` prints."""
    title = test.promise or (test.test or "").removeprefix("test_").replace("_", " ")
    if test.passed:
        return f"ok      {title}"
    rows = [(label, getattr(test, name)) for label, name in LABELS.items()]
    rows.append(("said", None if test.got or title in (test.message or "") else test.message))
    states = {"your_turn": "your turn", "timeout": "no end", "not_run": "not run"}
    lines = [f"        {label:<8} {text}" for label, text in rows if text]
    return "\n".join([f"{states.get(test.status, 'not ok'):<7} {title}", *lines])


class HideTests(NbGraderPreprocessor):
    """Remove hidden tests and mark schemes, also from the lines of a traceback."""

    show_hidden = Bool(False, help="Show hidden tests and mark schemes.").tag(config=True)

    def preprocess(self, notebook: Any, resources: dict) -> tuple[Any, dict]:
        if self.show_hidden:
            return notebook, resources
        for cell in notebook.cells:
            if cell.cell_type == "code" and "BEGIN HIDDEN TESTS" in cell.source:
                errors = [out for out in cell.outputs if out.output_type == "error"]
                for out in errors:
                    if out.ename not in ("PromiseBroken", "YourTurn"):
                        # the full traceback quotes the cell
                        out.traceback = [f"{out.ename}: {out.evalue}"]
        hidden = _hidden_lines(notebook)
        for out in (out for cell in notebook.cells for out in cell.get("outputs", [])):
            for room, name in ((out, "text"), (out, "evalue"), (out.get("data", {}), "text/plain")):
                if isinstance(room.get(name), str):
                    room[name] = _without(room[name], hidden)
            if "traceback" in out:
                out.traceback = [_without(text, hidden) for text in out.traceback]
        resources[SUMMARY] = _all_without(resources.get(SUMMARY), hidden)
        for step in (ClearHiddenTests(parent=self), ClearMarkScheme(parent=self)):
            step.enforce_metadata = False
            notebook, resources = step.preprocess(notebook, resources)
        return notebook, resources


def _hidden_lines(notebook: Any) -> list[str]:
    """The lines of hidden tests that are long enough to be recognized; a student's code may have
    printed them.
    """
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    found = (text for source in code for text in _HIDDEN.findall(source))
    return [line for line in map(str.strip, "\n".join(found).splitlines()) if len(line) > 12]


def _without(text: str, hidden: list[str]) -> str:
    """`text` without the lines that quote a hidden test."""
    return "\n".join(
        "[a hidden test]" if any(line in shown for line in hidden) else shown
        for shown in text.split("\n")
    )


def _all_without(value: Any, hidden: list[str]) -> Any:
    """`value` with `_without` applied to each text in it."""
    if isinstance(value, str):
        return _without(value, hidden)
    if isinstance(value, dict):
        return {key: _all_without(part, hidden) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_all_without(part, hidden) for part in value)
    if is_dataclass(value) and not isinstance(value, type):
        parts = {field.name: getattr(value, field.name) for field in fields(value)}
        return replace(value, **_all_without(parts, hidden))
    return value


# TeX with which MathJax makes links, styles and attributes, or loads more of itself. The page asks
# another server for MathJax, so nothing here relies on what that version filters.
_ACTIVE_MATH = re.compile(
    r"\\(?=(?:href|url|require|class|style|cssId|unicode|mmlToken|data|html\w*)\b)"
)


class _Renderer(IPythonRenderer):
    """Shows only pictures attached to the cell; nothing is fetched for other pictures."""

    def image(self, text: str, url: str, title: str | None = None) -> str:
        name = url.removeprefix("attachment:")
        found = self.attachments.get(name) if name != url else None
        for mime, data in found.items() if isinstance(found, dict) else ():
            plain = isinstance(data, str) and _BASE64.fullmatch(data)
            if plain and mime in ("image/png", "image/jpeg"):
                return f'<img src="data:{mime};base64,{data}" alt="{html.escape(text)}">'
        return html.escape(f"[picture: {text or url}]")


@pass_context
def safe_markdown(context: Any, source: str) -> str:
    """Markdown as HTML, with embedded HTML shown as text: a student cannot add an element,
    attribute or address.
    """
    if len(source) > MAX_MARKDOWN:
        return f"<pre>{html.escape(source)}</pre>"
    attachments = context.get("cell", {}).get("attachments", {})
    safe: Any = {"escape": True, "allow_harmful_protocols": False, "path": ""}
    shown = MarkdownWithMath(renderer=_Renderer(attachments=attachments, **safe)).render(source)
    # An element inside a formula makes MathJax leave it as it was typed.
    return _ACTIVE_MATH.sub(r"\\<span></span>", shown)


def safe_highlight(source: str, language: str | None = None, metadata: Any = None) -> str:
    """Code as HTML, with syntax colors unless it is too long."""
    if any(len(line) > MAX_LINE for line in source.splitlines()):
        return f'<div class="highlight"><pre>{html.escape(source)}</pre></div>'
    return _highlighted(source, language)


@functools.lru_cache(maxsize=512)  # given cells are the same for a whole class
def _highlighted(source: str, language: str | None) -> str:
    return Highlight2HTML(pygments_lexer="ipython3")(source, language)


def safe_ansi(source: str) -> str:
    """A program's output as HTML, with its colors unless there are too many color changes."""
    return ansi2html(source if source.count("\x1b") <= MAX_COLORS else strip_ansi(source))


class RawAsText(NbGraderPreprocessor):
    """Show raw cells as a block of text, and of rich outputs only pictures and text; both would
    otherwise go into the page unescaped, whatever types nbconvert is told to prefer.
    """

    def preprocess_cell(self, cell: Any, resources: dict, index: int) -> tuple[Any, dict]:
        if cell.cell_type == "raw":
            cell.cell_type = "markdown"
            cell.source = "```\n" + cell.source.replace("```", "'''") + "\n```"
        for out in cell.get("outputs", []):
            if "data" in out:
                out.data = _plain(out.data)
                out.metadata = {"alt": "the picture that this cell made"}
        return cell, resources


def _plain(data: Any) -> dict[str, str]:
    """The pictures and the text of an output; a placeholder if it has neither."""
    kept = {}
    for mime in PLAIN_OUTPUTS:
        value = data.get(mime)
        text = "".join(value) if isinstance(value, list) else value
        if isinstance(text, str) and (mime == "text/plain" or _BASE64.fullmatch(text)):
            kept[mime] = text
    return kept or {"text/plain": f"[not shown here: {', '.join(data)}]"}


class FeedbackPage(HTMLExporter):
    """nbgrader's feedback page with plain outputs and escaped HTML."""

    display_data_priority = PLAIN_OUTPUTS

    def default_filters(self) -> Any:
        yield from super().default_filters()
        yield ("markdown2html", safe_markdown)

    def from_notebook_node(self, nb: Any, resources: Any = None, **kw: Any) -> tuple[Any, dict]:
        """The page. Not by HTMLExporter, which reads each page once more with BeautifulSoup, for
        attributes that only JupyterLab's template needs; that took two fifths of the time.
        """
        resources = self._init_resources(resources)
        self.register_filter("highlight_code", safe_highlight)
        words = {"notebook_metadata": self._nb_metadata, "parent": self, "resources": resources}
        self.register_filter("filter_data_type", WidgetsDataTypeFilter(**words))
        page, resources = super(HTMLExporter, self).from_notebook_node(
            nb, resources=resources, **kw
        )
        # replaces nbgrader's own list, which says "Test cell" fifty times
        if resources.get(SUMMARY):
            top = summary(**resources[SUMMARY])
            page = _CONTENTS.sub(lambda found: top, page, count=1)
        policy = rendered("policy.html.j2")
        return _without_scripts(page).replace("<head>", f"<head>\n{policy}", 1), resources


def _without_scripts(page: str) -> str:
    """Without the template's own scripts, which load MathJax and RequireJS from a network."""
    return re.sub(r"<script\b.*?</script\s*>", "", page, flags=re.DOTALL | re.IGNORECASE)

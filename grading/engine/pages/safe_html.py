"""A student's text as HTML, for feedback pages and formgrader: no raw HTML from markdown or
outputs, no scripts, and nothing fetched from a network.
"""

import functools
import html
import re
from typing import Any

from grading.engine.nbgrader.import_nbgrader import quiet

with quiet():
    from jinja2 import pass_context
    from nbconvert.filters import Highlight2HTML, ansi2html, strip_ansi
    from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
    from nbgrader.preprocessors import NbGraderPreprocessor
    from pygments.formatters import HtmlFormatter  # type: ignore[import-untyped]

PLAIN_OUTPUTS = ["image/png", "image/jpeg", "text/plain"]
PICTURE = "the picture that this cell made"
_BASE64 = re.compile(r"[A-Za-z0-9+/=\s]+")
# Longer text is shown without markup or colors, because for some texts the time to render grows
# with the square of the length, and there are many pages.
MAX_MARKDOWN = 20_000  # characters of a text
MAX_LINE = 2_000  # characters of a line of code
MAX_COLORS = 5_000  # color changes in one output
# TeX with which MathJax makes links, styles and attributes, or loads more of itself. The page asks
# another server for MathJax, so nothing here relies on what that version filters.
_ACTIVE_MATH = re.compile(
    r"\\(?=(?:href|url|require|class|style|cssId|unicode|mmlToken|data|html\w*)\b)"
)


class _Renderer(IPythonRenderer):
    """Shows only pictures attached to the cell; nothing is fetched for other pictures."""

    def image(self, text: str, url: str, title: str | None = None) -> str:
        name = url.removeprefix("attachment:")
        attachment = self.attachments.get(name) if name != url else None
        for mime, data in attachment.items() if isinstance(attachment, dict) else ():
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
                out.data = plain(out.data)
                out.metadata = {"alt": PICTURE}
        return cell, resources


def plain(data: Any) -> dict[str, str]:
    """The pictures and the text of an output; a placeholder if it has neither."""
    kept = {}
    for mime in PLAIN_OUTPUTS:
        value = data.get(mime)
        text = "".join(value) if isinstance(value, list) else value
        if isinstance(text, str) and (mime == "text/plain" or _BASE64.fullmatch(text)):
            kept[mime] = text
    return kept or {"text/plain": f"[not shown here: {', '.join(data)}]"}


@functools.cache
def colors() -> str:
    """The colors of code, by day and by night."""
    light, dark = (
        HtmlFormatter(style=style).get_style_defs(".highlight") for style in ("default", "monokai")
    )
    return f"{light}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}"

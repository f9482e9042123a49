"""What every page has beside its text: a description for search engines, a link to the
file that is edited, no more style sheets than it uses, and its text for the search page.
"""

from __future__ import annotations

import json
import re
import textwrap
from html import escape
from pathlib import Path
from typing import Any
from zlib import crc32

from docutils import nodes
from sphinx import addnodes

DESCRIPTION = 160  # characters that a search engine shows
# Style sheets and scripts by a word of their names, and what a page that needs them has in it.
NEEDED_FOR = {
    "sphinx-design": "sd-",
    "design-tabs": "sd-tab",
    "copybutton": '<div class="highlight',
    "clipboard": '<div class="highlight',
}
_UNREAD = re.compile(r'<a class="headerlink".*?</a>|<(script|style|svg)\b.*?</\1>', re.DOTALL)
# Names and punctuation have the color of the text around them: their marks only cost bytes.
_PLAIN_TOKEN = re.compile(
    r'<(span|em) class="(?:[nopw]|pre|sig-param|sig-paren|sig-return|sig-return-[a-z]+)">'
    r"([^<]*)</\1>"
)
_EXAMPLE = re.compile(r"^(\S.*)\n\n(?=    \S)", re.MULTILINE)
_LITERAL = re.compile(r'class="(?:code )?docutils literal notranslate"')
_AS_CODE = r"\1\n\n.. code-block:: text\n   :class: wraps\n\n"
_EMPTY_HEADER = re.compile(r"<th\b([^>]*)>\s*(?:<p>\s*</p>)?\s*</th>")


def complete(app: Any, pagename: str, _template: str, context: dict, doctree: Any) -> None:
    """Add to the page what is named above; runs after the theme's own handler."""
    body = context.get("body") or ""
    if doctree is not None and (said := description(doctree)):
        tag = f'\n<meta name="description" content="{escape(said, quote=True)}">'
        context["metatags"] = context.get("metatags", "") + tag
    for kind in ("css_files", "script_files"):
        context[kind] = [part for part in context[kind] if _wanted(str(part.filename), body)]
    if pagename != "search":  # there, scripts in the page's text use these at once
        context["script_files"] = [deferred(part) for part in context["script_files"]]
    # The theme gives captions of the navigation the role of a heading, without its level.
    context["furo_navigation_tree"] = context.get("furo_navigation_tree", "").replace(
        'role="heading"', 'role="heading" aria-level="2"'
    )
    context["home"] = app.config.html_baseurl  # ends in a slash, or is empty
    context["edit_url"] = edit_url(app, pagename)
    if not body:
        return
    # The corner of a table is no header: a screen reader would read out nothing.
    body = _EMPTY_HEADER.sub(
        lambda match: f"<td{re.sub(' scope=.[a-z]+.', '', match[1])}></td>", body
    )
    context["body"] = body = lean(body)
    context["toc"] = lean(context.get("toc") or "")
    text = Path(app.outdir) / "texts" / f"{pagename}.js"
    text.parent.mkdir(parents=True, exist_ok=True)
    words = json.dumps(searched(body), ensure_ascii=False)
    text.write_text(f"pageText({json.dumps(pagename)}, {words});\n", encoding="utf-8")


def lean(html: str) -> str:
    """The same without marks that the site's style does not use; autodoc nests them."""
    for _ in range(3):
        html = _PLAIN_TOKEN.sub(r"\2", html)
    return _LITERAL.sub('class="literal"', html).replace(' title="Link to this definition"', "")


def description(doctree: nodes.document) -> str:
    """The first paragraph of a page that says something, cut at a word."""
    for paragraph in doctree.findall(nodes.paragraph):
        if isinstance(paragraph.parent, nodes.section) and len(paragraph.astext()) >= 40:
            return textwrap.shorten(paragraph.astext(), DESCRIPTION, placeholder=" ...")
    return " ".join(next((one.astext() for one in doctree.findall(nodes.title)), "").split())


def _wanted(name: str, body: str) -> bool:
    return all(sign in body for part, sign in NEEDED_FOR.items() if part in name)


def deferred(script: Any) -> Any:
    """A script that runs when the page is complete, so that its text is shown before."""
    attributes = {**script.attributes, "defer": "defer"}
    return type(script)(script.filename, priority=script.priority, **attributes)


def edit_url(app: Any, pagename: str) -> str:
    """Where the file behind a page is edited in the public repository; empty without one."""
    url, origins = app.config.course_repository_url, json.loads(app.config.course_origins or "{}")
    if not (url and origins.get(pagename)):
        return ""
    between = "/-/edit/main/" if "://gitlab." in url else "/edit/main/"
    return url.rstrip("/").removesuffix(".git") + between + origins[pagename]


def searched(body: str) -> str:
    """The words of a page with no tags but those of its sections, whose ids the search page
    looks for.
    """
    body = _UNREAD.sub("", body)
    body = re.sub(r'<section\b[^>]*?(id="[^"]*")[^>]*>', r"<section \1>", body)
    words = " ".join(re.sub(r"<(?!/?section\b)[^>]*>", "", body).split())
    return f'<div role="main">{words}</div>'


def literal_examples(app: Any, what: str, name: str, thing: Any, options: Any, lines: list) -> None:
    """An indented example in a docstring is code, as its reader sees it."""
    lines[:] = _EXAMPLE.sub(_AS_CODE, "\n".join(lines)).splitlines()


def without_index(app: Any, doctree: Any) -> None:
    """Entries for an index that the site does not have would double what a search loads."""
    for node in list(doctree.findall(addnodes.index)):
        node.parent.remove(node)


def setup(app: Any) -> dict[str, Any]:
    app.add_config_value("course_repository_url", "", "html", types=[str])
    app.add_config_value("course_origins", "", "html", types=[str])  # JSON: file by page
    # other code writes other pages
    app.add_config_value("course_page_parts", crc32(Path(__file__).read_bytes()), "html")
    app.connect("autodoc-process-docstring", literal_examples, priority=100)  # before napoleon
    app.connect("doctree-read", without_index)
    app.connect("html-page-context", complete, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}

"""Links of pages that were written for a reader of the repository, made right for a reader of
the site.
"""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath

_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)")
_FENCE = re.compile(r"^\s*(```|~~~|:::)")


def rewritten(
    text: str,
    source: PurePosixPath,
    page: PurePosixPath,
    pages: dict[str, str],
    repository_url: str = "",
) -> str:
    """`text` of the repository's file `source` with its links as `page` needs them.

    Args:
        source, page: paths inside the repository and inside the stage.
        pages: for each file of the repository that is a page, the page's path in the stage.
        repository_url: where other files can be read; without it their links become plain text.
    """
    lines, inside = [], False
    for line in text.splitlines():
        if _FENCE.match(line):
            inside = not inside
        lines.append(
            line
            if inside
            else _LINK.sub(lambda match: _link(match, source, page, pages, repository_url), line)
        )
    return "\n".join(lines) + "\n"


def _link(
    match: re.Match,
    source: PurePosixPath,
    page: PurePosixPath,
    pages: dict[str, str],
    repository_url: str,
) -> str:
    words, target = match.groups()
    if re.match(r"[a-z]+:|#|//", target):
        return match.group(0)
    path, _, anchor = target.partition("#")
    wanted = os.path.normpath(source.parent / path).replace(os.sep, "/")
    if wanted in pages:
        near = os.path.relpath(pages[wanted], page.parent).replace(os.sep, "/")
        return f"[{words}]({near}{'#' + anchor if anchor else ''})"
    return (
        f"[{words}]({repository_url.rstrip('/')}/blob/main/{wanted})" if repository_url else words
    )


def title(path: Path) -> str:
    """The first heading of a page."""
    return next(
        (
            line[2:].strip()
            for line in path.read_text(encoding="utf-8").splitlines()
            if line.startswith("# ")
        ),
        path.stem,
    )

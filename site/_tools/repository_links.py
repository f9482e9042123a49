"""Links of pages that were written for a reader of the repository, made right for a reader of
the site.
"""

from __future__ import annotations

import os
import re
from pathlib import PurePosixPath

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

    def link(match: re.Match[str]) -> str:
        words, target = match.groups()
        if re.match(r"[a-z]+:|#|//", target):
            return match[0]
        path, hash_sign, anchor = target.partition("#")
        wanted = os.path.normpath(source.parent / path).replace(os.sep, "/")
        if wanted in pages:
            near = os.path.relpath(pages[wanted], page.parent).replace(os.sep, "/")
            return f"[{words}]({near}{hash_sign}{anchor})"
        public = f"{repository_url.rstrip('/')}/blob/main/{wanted}"
        return f"[{words}]({public})" if repository_url else words

    lines, inside = [], False
    for line in text.splitlines():
        inside ^= bool(_FENCE.match(line))
        lines.append(line if inside else _LINK.sub(link, line))
    return "\n".join(lines) + "\n"

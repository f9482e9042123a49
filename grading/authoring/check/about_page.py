"""A module's page, ABOUT.md: its snippets run, and a number with a unit in its prose is in a
snippet or its output.
"""

import re
from collections.abc import Iterator

_FENCE = re.compile(r"^(\s*)(```+|~~~+)\s*(\w*)")
_FIGURE = re.compile(
    r"(?<![\w.-])(\d[\d,_]*(?:\.\d+)?)\s?(?:%|[kMGT]i?B\b|bytes?\b|B\b|ms\b|s\b|seconds\b|minutes\b|times\b|samples/s)"
)


def text_faults(text: str, title: str) -> Iterator[tuple[int, str, str]]:
    """What a page lacks that can be seen without running it: (line or 0, fault, repair)."""
    for heading in (title, "## Common errors"):
        if heading not in text.splitlines():
            yield 0, f"no heading {heading!r}", f"write the line: {heading}"
    for line in snippets(text)[1]:
        said = "a ```python block without >>> is not run"
        yield line, said, "write it with >>>, or fence it as ```text"
    for line, figure in loose_figures(text):
        repair = f"add a >>> line that gives {figure}, or leave the number out"
        yield line, f"{figure} is in no snippet of the page", repair


def snippets(text: str) -> tuple[str, list[int]]:
    """The page with everything but the ```python blocks blank, so that line numbers stay; and
    where blocks without `>>>` start.
    """
    kept, bare = list[str](), list[int]()
    inside, start, prompted = "", 0, False
    for number, line in enumerate(text.splitlines(), start=1):
        fence = _FENCE.match(line)
        if fence and inside == "python" and not prompted:
            bare.append(start)
        if fence:
            inside = "" if inside else fence.group(3) or "text"
            start, prompted = number, False
        prompted = prompted or line.lstrip().startswith(">>>")
        kept.append(line if inside == "python" and not fence else "")
    return "\n".join(kept) + "\n", bare


def prose(text: str) -> list[tuple[int, str]]:
    """The lines outside of fences, with their numbers and without `code`."""
    rows, inside = [], False
    for number, line in enumerate(text.splitlines(), start=1):
        if _FENCE.match(line):
            inside = not inside
        elif not inside:
            rows.append((number, re.sub(r"`[^`]*`", "", line)))
    return rows


def loose_figures(text: str) -> list[tuple[int, str]]:
    """Numbers with a unit in the prose that no snippet of the page shows: (line, "181 GB"). A digit
    is somewhere on every page, so it is shown where it is the whole output of a line.
    """
    code = snippets(text)[0]
    shown = {_plain(number) for number in re.findall(r"\d[\d,_]*(?:\.\d+)?", code)}
    shown = {number for number in shown if len(number) > 1 or re.search(rf"^{number}$", code, re.M)}
    return [
        (number, figure.group(0))
        for number, line in prose(text)
        for figure in _FIGURE.finditer(line)
        if _plain(figure.group(1)) not in shown
    ]


def _plain(number: str) -> str:
    return number.replace(",", "").replace("_", "").rstrip(".")

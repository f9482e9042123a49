"""Point 5 of `tito dev check`: no line of an answer, hidden test or mark scheme is where a student
can read it.

A secret is a statement or a comment, written on one line, that says enough to be recognized and
that the public part of the source does not contain as well. It is looked for in every file of a
folder or archive: in text, in the strings of a .ipynb, in what a zip inside a zip holds. How the
statement is broken into lines there does not matter.
"""

import contextlib
import io
import json
import re
import tokenize
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tito.notebook.cells import Cell

MIN_LENGTH = 18  # shorter lines (`return image`, `else:`) say nothing
_INSIDE_LENGTH = 30  # from here on also looked for inside longer lines
_REGION = re.compile(r"### (BEGIN|END) (SOLUTION|HIDDEN TESTS|MARK SCHEME)")
# what a comment, a quotation or a diff puts in front
_DRESS = re.compile(r"^(?:[#>+\-*|\s]|\d+[.)]\s)+")
_QUOTED = re.compile(r"`([^`\n]+)`")
_ARCHIVES = (".zip", ".whl")


@dataclass(frozen=True)
class Leak:
    """A secret line in a public place."""

    # "modules/08_dataloader/ABOUT.md"; inside an archive "bundle.zip!modules/..."
    place: str
    line: str
    origin: str  # which cell or file it is an answer of


def secrets(
    cells: Iterable[Cell], hidden: Iterable[tuple[str, str]] = (), public: Iterable[str] = ()
) -> dict[str, str]:
    """The lines to look for, and where each comes from.

    Args:
        cells: of the source; what is between markers is secret, the rest of these cells is
            public.
        hidden: (name, text) of files that are secret as a whole: hidden contract tests, other
            correct solutions.
        public: texts that students have anyway, such as the public contract tests.
    """
    origins: dict[str, str] = {}
    told = "\n".join(public)
    for cell in cells:
        regions = list(_regions(cell.source))
        for first, line in statements(cell.source):
            if first in regions:
                origins.setdefault(normal(line), cell.label)
        if cell.kind == "markdown" and not cell.nbgrader:
            continue  # an author's text may give an answer away, as any other place may
        for number, line in enumerate(cell.source.splitlines(), start=1):
            # a comment, such as a TODO, may give an answer away, too
            if number not in regions and not (cell.kind == "code" and _is_comment(line)):
                told += f"\n{line}"
    for name, text in hidden:
        for _, line in statements(text):
            origins.setdefault(normal(line), name)
    told = squeezed(told)  # prose may quote a line on purpose
    return {
        line: origin
        for line, origin in origins.items()
        if len(line) >= MIN_LENGTH and _says_something(line) and squeezed(line) not in told
    }


def in_source(cells: Iterable[Cell], wanted: dict[str, str]) -> Iterator[tuple[Cell, int, Leak]]:
    """The secrets in the texts of a source that students get: comments outside of the markers, and
    text cells; each with its cell and its line there.
    """
    for cell in cells:
        regions = {*_regions(cell.source)}
        for number, line in enumerate(cell.source.splitlines(), start=1):
            if number in regions or (cell.kind == "code" and not _is_comment(line)):
                continue
            inside, said = squeezed(line), {normal(line), *map(normal, _QUOTED.findall(line))}
            for secret, origin in wanted.items():
                long = cell.kind == "code" or len(secret) >= _INSIDE_LENGTH
                if secret in said or (long and _squeezed_secret(secret) in inside):
                    yield cell, number, Leak(cell.label, secret, origin)
                    break


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith("#")


def _regions(source: str) -> Iterator[int]:
    """The numbers of the lines between markers."""
    inside = False
    for number, line in enumerate(source.splitlines(), start=1):
        marker = _REGION.search(line)
        if marker:
            inside = marker.group(1) == "BEGIN"
        elif inside:
            yield number


def statements(text: str) -> Iterator[tuple[int, str]]:
    """Each logical line and each comment of its own: the number of its first line, and its text
    on one line. What is no Python is given line by line.
    """
    lines = text.splitlines()
    done, first = 0, None
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if first is None and token.type == tokenize.COMMENT:
                yield token.start[0], token.string
            elif token.type == tokenize.NEWLINE and first is not None:
                yield first, " ".join(lines[first - 1 : token.end[0]])
                done, first = token.end[0], None
            elif first is None and token.string.strip():
                first = token.start[0]
    except (tokenize.TokenError, SyntaxError):
        yield from enumerate(lines[done:], start=done + 1)


def _says_something(line: str) -> bool:
    """Not an import, a signature, a decorator, what a test draws or bare words: these are the
    field's, not the answer's.
    """
    return (
        not re.search(r"\bdraw\.\w+\(", line)
        and not re.match(r"(import|from|def|class|@|\"\"\"|with pytest)\b|@|\"\"\"", line)
        and len(re.findall(r"\w+", line)) >= 2
    )


def normal(line: str) -> str:
    return " ".join(_DRESS.sub("", line).split())


def squeezed(text: str) -> str:
    """A text without blanks, line ends and the comma before a closing bracket: the same however
    a formatter broke its lines.
    """
    bare = "".join(_DRESS.sub("", line) for line in text.splitlines())
    return re.sub(r",(?=[)\]}])", "", re.sub(r"\s+", "", bare))


_squeezed_secret = cache(squeezed)


def scan_folder(folder: Path, wanted: dict[str, str], root: Path) -> list[Leak]:
    """Every secret in the files below `folder`."""
    return [
        leak
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
        for leak in scan_bytes(path.relative_to(root).as_posix(), path.read_bytes(), wanted)
    ]


def scan_bytes(place: str, data: bytes, wanted: dict[str, str]) -> list[Leak]:
    """Every secret in one file; an archive is opened."""
    if place.endswith(_ARCHIVES) and zipfile.is_zipfile(io.BytesIO(data)):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return [
                leak
                for name in sorted(archive.namelist())
                for leak in scan_bytes(f"{place}!{name}", archive.read(name), wanted)
            ]
    leaks = {}
    # the third layer of a hint is a line that is almost finished, by design; a whole line is not
    hints = place.endswith("module.toml")
    for text in _texts(place, data):
        lines = {normal(line) for line in text.splitlines()}
        if not hints:
            lines |= {normal(code) for code in _QUOTED.findall(text)}
        flat = "" if hints else squeezed(text)
        for secret, origin in wanted.items():
            if secret in lines or (
                len(secret) >= _INSIDE_LENGTH and _squeezed_secret(secret) in flat
            ):
                leaks[secret] = Leak(place, secret, origin)
    return list(leaks.values())


def _texts(place: str, data: bytes) -> Iterator[str]:
    text = data.decode("utf-8", errors="replace")
    yield text
    if place.endswith((".ipynb", ".json")):
        with contextlib.suppress(ValueError):  # scanned as text already
            yield "\n".join(_strings(json.loads(text)))


def _strings(value: object) -> Iterator[str]:
    """Every text in a JSON value; a list of lines is joined as a notebook's source is."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _strings(inner)
    elif isinstance(value, list):
        if value and all(isinstance(item, str) for item in value):
            yield "".join(value)
        for inner in value:
            yield from _strings(inner)


def markers(folder: Path, root: Path) -> list[Leak]:
    """Markers of the source that are still in a student's room: whatever was between them may
    be there too.
    """
    leaked = []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix in (".py", ".ipynb", ".md", ".toml"):
            text = path.read_text(encoding="utf-8", errors="replace")
            leaked += [
                Leak(path.relative_to(root).as_posix(), match.group(0), "the source")
                for match in _REGION.finditer(text)
            ]
    return leaked

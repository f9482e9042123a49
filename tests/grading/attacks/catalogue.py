"""What a hostile or broken submission is, and the list of them all."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from attacks.course import SOME, fill, honest_guarded, honest_sealed, put


@dataclass(frozen=True)
class World:
    """What an attacker may know: all of it. Places are absolute paths of the machine that
    grades.
    """

    workspace: str  # the instructor's repository, with sources and hidden tests
    course: str  # the class's course directory
    packages: str  # site-packages of the Python that grades
    home: str
    scratch: str  # TMPDIR of the engine
    # a word of this run that every file and process an attack leaves behind carries
    token: str
    http: int  # port of a server on 127.0.0.1
    udp: int
    unix: str  # name of an abstract unix socket
    victims: tuple[str, ...]  # students whose work an attack reads or spoils
    slow: float = 0.0  # seconds that a slow solution sleeps

    def text(self, code: str) -> str:
        """`code` with @name@ replaced by this world's value."""
        for name, value in vars(self).items():
            code = code.replace(
                f"@{name}@", ",".join(value) if isinstance(value, tuple) else str(value)
            )
        return code


@dataclass
class Submission:
    """The notebook, and what else lies in the folder: bytes, or a function that makes something
    of a path.
    """

    notebook: dict | bytes | None
    files: dict[str, bytes | Callable[[Path], None]] = field(default_factory=dict)
    zipped: bytes | None = None  # instead: this file goes through `collect`
    called: str = ""  # its name, if not the student's id

    def write(self, folder: Path, stem: str) -> None:
        folder.mkdir(parents=True)
        if self.notebook is not None:
            data = (
                self.notebook
                if isinstance(self.notebook, bytes)
                else json.dumps(self.notebook).encode()
            )
            (folder / f"{stem}.ipynb").write_bytes(data)
        for name, content in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if callable(content):
                content(path)
            else:
                path.write_bytes(content)


@dataclass(frozen=True)
class Entry:
    """One submission and what it may earn.

    Attributes:
        name: a sentence: what it tries.
        build: (released notebook, world) -> Submission.
        solved: the exercises that its honest part solves.
        sealed, guarded: what that part earns, by grade id; exact for sealed groups, an upper bound
            for guarded cells.
        says: a pattern (ignoring case) that its reasons or flags hold; None asks for nothing.
        review: True when a person must see it.
        at_risk: guarded cell -> points that this cheat is known to gain unseen.
        isolated: it is run only in a sandbox that isolates; without one it could harm the machine
            or the class.
        slow: it uses up its time.
        page: its feedback page is written and searched.
        refused: a pattern in the line of `collect`; the submission never comes to be graded.
    """

    name: str
    build: Callable[[dict, World], Submission]
    solved: tuple[str, ...] = SOME
    sealed: dict[str, float] = field(default_factory=dict)
    guarded: dict[str, float] = field(default_factory=dict)
    says: str | None = None
    review: bool = False
    at_risk: dict[str, float] = field(default_factory=dict)
    isolated: bool = False
    slow: bool = False
    page: bool = False
    refused: str | None = None


def entry(
    name: str,
    build: Callable[[dict, World], Submission],
    *,
    solved: tuple[str, ...] = SOME,
    sealed: dict[str, float] | None = None,
    guarded: dict[str, float] | None = None,
    **more: Any,
) -> Entry:
    """An Entry whose points follow from `solved`, but for what `sealed` and `guarded` say."""
    return Entry(
        name,
        build,
        solved,
        {**honest_sealed(solved), **(sealed or {})},
        {**honest_guarded(solved), **(guarded or {})},
        **more,
    )


def lost(solved: tuple[str, ...]) -> dict[str, float]:
    """No sealed points at all: what an exported file that cannot be used leaves of an honest
    part.
    """
    return dict.fromkeys(honest_sealed(solved), 0.0)


def cell(
    name: str,
    code: str,
    *,
    before: str = "double",
    solved: tuple[str, ...] = SOME,
    exported: bool = False,
    answers: dict[str, str] | None = None,
    files: dict[str, Any] | None = None,
    **more: Any,
) -> Entry:
    """An attack by one cell of code in front of the cell `before`; `answers` are bodies of
    exercises that take part in it.
    """
    code = textwrap.dedent(code)

    def build(released: dict, world: World) -> Submission:
        bodies = {key: world.text(textwrap.dedent(text)) for key, text in (answers or {}).items()}
        notebook = fill(released, solved, **bodies)
        if code.strip():
            put(notebook, world.text(code), before=before, exported=exported)
        return Submission(notebook, dict(files or {}))

    return entry(name, build, solved=solved, **more)


def package(name: str, code: str, **more: Any) -> Entry:
    """An attack by code that is exported, so that it runs where the sealed tests look; the
    notebook sees it too.
    """
    return cell(name, code, exported=True, **more)


def edited(
    name: str, change: Callable[[dict, World], Any], *, solved: tuple[str, ...] = SOME, **more: Any
) -> Entry:
    """A submission whose notebook `change` alters in place (or replaces by the dict or bytes
    that it returns).
    """

    def build(released: dict, world: World) -> Submission:
        notebook = fill(released, solved)
        other = change(notebook, world)
        return Submission(notebook if other is None else other)

    return entry(name, build, solved=solved, **more)


def runs(entry: Entry, isolation: bool) -> str | None:
    """None when an entry is run here, else why not."""
    if entry.isolated and not isolation:
        return "NOT ISOLATED here: this attack is run only where namespaces or bubblewrap work"
    return None


def catalogue() -> list[Entry]:
    """Every entry; the order is that of grading."""
    from attacks.entries import exhaust, forge, forge_io, intake, malformed, sealed, steal

    entries = [
        one
        for part in (steal, exhaust, forge, forge_io, sealed, malformed, intake)
        for one in part.ENTRIES
    ]
    names = [one.name for one in entries]
    assert len(names) == len(set(names)), sorted(name for name in names if names.count(name) > 1)
    return entries


def sampled(entries: list[Entry], names: frozenset[str]) -> list[Entry]:
    """Those that the usual suite plays: what is named, and what costs nothing."""
    unknown = names - {one.name for one in entries}
    assert not unknown, f"attacks/sample.py names what no entry is called: {sorted(unknown)}"
    return [one for one in entries if one.name in names or one.refused is not None]

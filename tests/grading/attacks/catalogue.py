"""The data types of hostile and broken submissions, and the list of all of them."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from attacks.course import SOME, fill, honest_points, put


@dataclass(frozen=True)
class World:
    """Everything that an attacker may know. Paths are absolute paths of the machine that grades."""

    workspace: str  # the instructor's repository, with sources and hidden tests
    course: str  # the class's course directory
    packages: str  # site-packages of the Python that grades
    home: str
    scratch: str  # TMPDIR of the engine
    # a word of this run in the name of every file and process that an attack leaves behind
    token: str
    http: int  # port of a server on 127.0.0.1
    udp: int
    unix: str  # name of an abstract unix socket
    victims: tuple[str, ...]  # students whose work an attack reads or damages

    def text(self, code: str) -> str:
        """`code` with @name@ replaced by this world's value."""
        for name, value in vars(self).items():
            text = ",".join(value) if isinstance(value, tuple) else str(value)
            code = code.replace(f"@{name}@", text)
        return code


@dataclass
class Submission:
    """The notebook and the other files in the folder, as bytes or as a function that makes
    something at a path.
    """

    notebook: dict | bytes | None
    files: dict[str, bytes | Callable[[Path], None]] = field(default_factory=dict)

    def write(self, folder: Path, stem: str) -> None:
        folder.mkdir(parents=True)
        whole = self.notebook
        if whole is not None:
            data = whole if isinstance(whole, bytes) else json.dumps(whole).encode()
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
        name: a sentence that says what it tries.
        build: (released notebook, world) -> Submission.
        solved: the exercises that its honest part solves.
        sealed, guarded: points that this part earns, by grade id; exact for sealed groups, an upper
            bound for guarded cells.
        says: a pattern (ignoring case) that its reasons or flags must match; None: no requirement.
        review: whether a person must look at it.
        isolated: it only runs in a sandbox that isolates code; otherwise it could harm the machine
            or the class.
        page: its feedback page is written and searched.
        at_walls: the sandbox decides what comes of it, so it is graded at each level of it.
    """

    name: str
    build: Callable[[dict, World], Submission]
    solved: tuple[str, ...] = SOME
    sealed: dict[str, float] = field(default_factory=dict)
    guarded: dict[str, float] = field(default_factory=dict)
    says: str | None = None
    review: bool = False
    isolated: bool = False
    page: bool = False
    at_walls: bool = True


def entry(
    name: str,
    build: Callable[[dict, World], Submission],
    *,
    solved: tuple[str, ...] = SOME,
    sealed: dict[str, float] | None = None,
    guarded: dict[str, float] | None = None,
    **more: Any,
) -> Entry:
    """An Entry whose points follow from `solved`, except those given in `sealed` and `guarded`."""
    all_sealed = {**honest_points(solved, "sealed"), **(sealed or {})}
    all_guarded = {**honest_points(solved, "guarded"), **(guarded or {})}
    return Entry(name, build, solved, all_sealed, all_guarded, **more)


def lost(solved: tuple[str, ...]) -> dict[str, float]:
    """The points of an honest part whose exported file cannot be used: no sealed points at all."""
    return dict.fromkeys(honest_points(solved, "sealed"), 0.0)


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
    """An attack by one code cell in front of the cell `before`; `answers` are bodies of exercises
    that belong to the attack.
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
    """An attack by exported code, which runs in the sealed tests and also in the notebook."""
    return cell(name, code, exported=True, **more)


def edited(
    name: str, change: Callable[[dict, World], Any], *, solved: tuple[str, ...] = SOME, **more: Any
) -> Entry:
    """A submission whose notebook is altered in place by `change`, or replaced by the dict or bytes
    that it returns.
    """

    def build(released: dict, world: World) -> Submission:
        notebook = fill(released, solved)
        other = change(notebook, world)
        return Submission(notebook if other is None else other)

    return entry(name, build, solved=solved, **more)


def catalogue() -> list[Entry]:
    """Every entry, in the order of grading."""
    from attacks.entries import exhaust, forge, intake, malformed, sealed, steal

    # What forges results in its own process, or is malformed, meets the same code at each level.
    anywhere = {forge, sealed, malformed, intake}
    entries = [
        replace(one, at_walls=one.page or one.isolated or part not in anywhere)
        for part in (steal, exhaust, forge, sealed, malformed, intake)
        for one in part.ENTRIES
    ]
    names = [one.name for one in entries]
    assert len(names) == len(set(names)), sorted(name for name in names if names.count(name) > 1)
    return entries


def sampled(entries: list[Entry], names: frozenset[str]) -> list[Entry]:
    """The entries that the usual suite runs."""
    unknown = names - {one.name for one in entries}
    assert not unknown, f"attacks/sample.py names entries that do not exist: {sorted(unknown)}"
    return [one for one in entries if one.name in names]

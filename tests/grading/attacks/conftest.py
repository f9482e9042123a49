"""The class of attackers and their honest neighbours, graded once in one batch."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from attacks import arena
from attacks.arena import Arena, Machine
from attacks.catalogue import Entry, catalogue, runs
from grading.engine import sandbox
from grading.engine.run.autograde import Graded, Limits, Settings, autograde

JOBS = 3  # one more than processors: some attacks wait for their limits
LIMITS = Limits(cell_seconds=2, notebook_seconds=6, test_seconds=3, contract_seconds=9)


@dataclass
class Battle:
    """What the batch gave, and the machine before and after it."""

    arena: Arena
    done: list[Graded]
    about: str
    before: Machine
    after: Machine
    heard: list[str]
    isolated: bool

    @property
    def token(self) -> str:
        return self.arena.world.token

    def attacks(self) -> list[tuple[str, Entry]]:
        return [
            (student, entry)
            for student, entry in self.arena.students.items()
            if entry.refused is None
        ]


@pytest.fixture(scope="session")
def isolation() -> bool:
    """Whether the sandbox that opens here isolates; found by opening it."""
    with sandbox.open_sandbox() as box:
        return box.isolated


def short_directory() -> tempfile.TemporaryDirectory:
    """A place for scratch files whose paths leave room for the names of sockets."""
    return tempfile.TemporaryDirectory(
        prefix="tito-a-", dir="/tmp" if os.path.isdir("/tmp") else None, ignore_cleanup_errors=True
    )


def outside_tmp() -> tempfile.TemporaryDirectory:
    """A place for the course that is not below /tmp: every sandbox has its own /tmp, which would
    hide the course by itself.
    """
    place = "/var/tmp" if os.access("/var/tmp", os.W_OK) else None
    return tempfile.TemporaryDirectory(
        prefix="tito-attacks-", dir=place, ignore_cleanup_errors=True
    )


def fight(
    place: Path,
    entries: list[Entry],
    isolated: bool,
    jobs: int = JOBS,
    every: int = arena.EVERY,
    limits: Limits = LIMITS,
) -> Iterator[Battle]:
    """Build the class, look at the machine, grade, look again."""
    arena.adopt_orphans()
    about: list[str] = []
    with short_directory() as scratch, arena.Ears() as ears, arena.scratch_directory(Path(scratch)):
        built = arena.build(place, entries, arena.make_world(ears, Path(scratch)), every)
        before = Machine.now(built.world)
        done = autograde(
            built.course,
            built.assignment,
            Settings(jobs=jobs, limits=limits, trust_students=not isolated),
            on_start=lambda total, text: about.append(text),
        )
        yield Battle(
            built,
            done,
            " ".join(about),
            before,
            Machine.now(built.world),
            list(ears.heard),
            isolated,
        )


@pytest.fixture(scope="session")
def battle(isolation: bool) -> Iterator[Battle]:
    """Every entry that may run here; those that would harm this machine are left out, and
    variations.
    """
    with outside_tmp() as place:
        yield from fight(
            Path(place),
            [entry for entry in catalogue() if runs(entry, isolation) is None],
            isolation,
        )


@pytest.fixture(scope="session")
def by_name(battle: Battle) -> dict[str, str]:
    return {entry.name: student for student, entry in battle.arena.students.items()}


@pytest.fixture(scope="session")
def pages(battle: Battle) -> dict[str, str]:
    """The feedback pages that are searched: of the entries that ask for it, and of one
    neighbour.
    """
    from grading.engine.marks import feedback

    students = [
        student for student, entry in battle.attacks() if entry.page
    ] + battle.arena.neighbours[:1]
    written = feedback.feedback(battle.arena.course, battle.arena.assignment, students=students)
    return {path.parent.parent.name: path.read_text(encoding="utf-8") for path in written}


def matches(pattern: str, text: str) -> Any:
    return re.search(pattern, text, re.IGNORECASE)

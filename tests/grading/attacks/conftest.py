"""The class of attackers and their honest neighbors, graded once in one batch."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from attacks import arena, sample
from attacks.arena import Arena, Machine
from attacks.catalogue import Entry, catalogue, sampled
from grading.engine import sandbox
from grading.engine.run.autograde import Graded, Limits
from helpers.tiny_class import grade

JOBS = 3  # one more than there are processors, because some attacks only wait for their limits
# Graded are a sample at the best level that works here and, in the long tests, everything at one
# level, and at each other one what it has to hold: attacks on the machine. What would harm this
# machine is graded only at those that isolate.
SAMPLE = "sample"
# A variable: where it is set, only attacks on the machine are graded, at the first level, too.
WALLS_ONLY = "TITO_ATTACKS_WALLS_ONLY"
LIMITS = Limits(cell_seconds=5, notebook_seconds=9, test_seconds=5, contract_seconds=15)


@dataclass
class Battle:
    """The results of the batch, and the state of the machine before and after it."""

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
        return list(self.arena.students.items())


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run each test of the class for the sample and, as a long test, for all entries at each level;
    a test that takes `entry` runs for each entry.
    """
    if "battle" not in metafunc.fixturenames:
        return
    rounds = [
        (SAMPLE, entries_of(SAMPLE), ()),
        *((level, entries_of(level), pytest.mark.long) for level in sandbox.classes()),
    ]
    if "entry" in metafunc.fixturenames:
        cases = [
            pytest.param(which, one, marks=marks, id=f"{which}-{one.name}")
            for which, entries, marks in rounds
            for one in entries
        ]
        metafunc.parametrize(("battle", "entry"), cases, indirect=["battle"], scope="session")
    else:
        cases = [pytest.param(which, marks=marks, id=which) for which, _, marks in rounds]
        metafunc.parametrize("battle", cases, indirect=True, scope="session")


def entries_of(which: str) -> list[Entry]:
    """The sample, or those that are graded at a level of the sandbox: none that could harm this
    machine there, and what no sandbox decides only at the first level without WALLS_ONLY.
    """
    if which == SAMPLE:
        return sampled(catalogue(), sample.ATTACKS)
    levels = sandbox.classes()
    every = next(iter(levels)) == which and WALLS_ONLY not in os.environ
    return [
        one
        for one in catalogue()
        if (levels[which].isolated or not one.isolated) and (every or one.at_walls)
    ]


def chosen(request: pytest.FixtureRequest) -> list[Entry]:
    """The entries whose tests run in this session, or all entries if there is no such test. So one
    entry can be tried alone: pytest tests/grading/attacks -k "fork bomb"
    """
    entries = entries_of(request.param)
    cases = [item.callspec.params for item in request.session.items if hasattr(item, "callspec")]
    mine = [case for case in cases if case.get("battle") == request.param]
    asked = {case["entry"].name for case in mine if "entry" in case}
    return [one for one in entries if one.name in asked] or entries


def level_of(request: pytest.FixtureRequest) -> tuple[str | None, bool]:
    """(level of the sandbox, None for the best; whether it isolates code). The test is skipped if
    this machine lacks the level.
    """
    level = None if request.param == SAMPLE else request.param
    try:
        with sandbox.open_sandbox(level) as box:
            return level, box.isolated
    except sandbox.SandboxError as problem:
        pytest.skip(f"level {level} is not available here: {problem}")


def directory(prefix: str, wanted: str) -> tempfile.TemporaryDirectory:
    """A new folder in `wanted`, if this machine has it."""
    place = wanted if os.access(wanted, os.W_OK) else None
    return tempfile.TemporaryDirectory(prefix=prefix, dir=place, ignore_cleanup_errors=True)


@pytest.fixture(scope="session")
def battle(request: pytest.FixtureRequest) -> Iterator[Battle]:
    """A class of attackers, without those that would harm this machine: build it, record the state
    of the machine, grade, and record it again.
    """
    level, isolated = level_of(request)
    entries = [entry for entry in chosen(request) if isolated or not entry.isolated]
    arena.adopt_orphans()
    about: list[str] = []
    with (
        # every sandbox has its own /tmp, which would hide the course anyway
        directory("tito-attacks-", "/var/tmp") as place,
        directory("tito-a-", "/tmp") as scratch,  # paths of sockets have to be short
        arena.Ears() as ears,
        arena.scratch_directory(Path(scratch)),
    ):
        built = arena.build(Path(place), entries, ears, Path(scratch))
        before = Machine.now(built.world)
        options = {"jobs": JOBS, "limits": LIMITS, "level": level}
        options["on_start"] = lambda total, text: about.append(text)
        done = grade(built.course, built.assignment, **options)
        after = Machine.now(built.world)
        yield Battle(built, done, " ".join(about), before, after, ears.heard(), isolated)


@pytest.fixture(scope="session")
def by_name(battle: Battle) -> dict[str, str]:
    return {entry.name: student for student, entry in battle.arena.students.items()}


@pytest.fixture(scope="session")
def pages(battle: Battle) -> dict[str, str]:
    """The feedback pages that tests search: those of the entries that ask for it, and one
    neighbor's.
    """
    from grading.engine.marks import feedback

    students = [student for student, entry in battle.attacks() if entry.page]
    students += battle.arena.neighbors[:1]
    written = feedback.feedback(battle.arena.course, battle.arena.assignment, students=students)
    return {path.parent.parent.name: path.read_text(encoding="utf-8") for path in written}


def matches(pattern: str, text: str) -> Any:
    return re.search(pattern, text, re.IGNORECASE)

"""The class of `term.py` and its instructor: what is done in a week, by the commands of a terminal,
and what must be in the gradebook after it.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pexpect
from machine import ROOT
from term_work import ANSWERS, SHEETS, Second, Work, handed_in, points_of, sheet

LAB, SAMPLE, QUESTION = "09_spatial", "10_sample", {"10_sample": "why_limits"}
FIRST_DAY = datetime(2026, 9, 7, 12, tzinfo=timezone.utc)
CHANGE = re.compile(r"^  (\S+) +([\d.]+) -> ([\d.]+) of [\d.]+ ", re.M)


@dataclass
class Known:
    """What must be in the gradebook; it is copied with the course, and restored with it.

    Attributes:
        works: assignment -> student -> what is in.
        graded: the points by the machine of each cell, when it was graded last.
        given: (assignment, student) -> points by hand that are not those of ANSWERS.
        changes, printed: (assignment, student, old, new) -> how often a change must be printed,
            and how often it was.
    """

    works: dict[str, dict[str, Work]] = field(default_factory=dict)
    graded: dict[str, dict[str, dict[str, float]]] = field(default_factory=dict)
    given: dict[tuple[str, str], float] = field(default_factory=dict)
    due: dict[str, datetime] = field(default_factory=dict)
    changes: Counter = field(default_factory=Counter)
    printed: Counter = field(default_factory=Counter)


class Term:
    """The class and its instructor. `tool` is a checkout of its own, which can be upgraded."""

    def __init__(self, place: Path, disk: Path, students: int, seed: int):
        self.place, self.disk, self.draw = place, disk, random.Random(seed)
        self.tool, self.course, self.inbox = place / "tool", disk / "class", place / "inbox"
        self.roster, self.in_all = [f"s{n:03d}" for n in range(students)], students
        self.known, self.faults, self.began = Known(), 0, time.monotonic()
        self.extended: dict[tuple[str, str], int] = {}  # days
        self.broken = True  # a test in ps2
        for name in ("tito", "grading", "tinytorch", "modules"):
            no_code = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / name, self.tool / name, ignore=no_code)
        shutil.copy(ROOT / "tito.toml", self.tool)
        self.env = {**os.environ, "PYTHONPATH": str(self.tool), "PYTHONWARNINGS": "ignore"}
        self.env.pop("TITO_WORKSPACE", None)
        self.second = Second(self.tool, self.env)

    # commands

    def run(self, *words: object, code: int = 0, cwd: Path | None = None) -> str:
        """What a command printed; it must end with this exit code."""
        command, begin = list(map(str, words)), time.monotonic()
        around = {"cwd": cwd or self.tool, "env": self.env, "text": True, "check": False}
        both = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        done = subprocess.run([sys.executable, "-m", *command], **around, **both)
        self.say(f"{' '.join(command)[:90]}  ({time.monotonic() - begin:.0f} s)")
        fault = f"{words}: exit code {done.returncode}\n{done.stdout[-1500:]}"
        self.need(done.returncode == code, fault)
        return done.stdout

    def tito(self, *words: object, code: int = 0) -> str:
        return self.run("tito", "grade", *words, "--course", self.course, code=code)

    def say(self, text: str) -> None:
        print(f"{time.monotonic() - self.began:6.0f}  {text}", flush=True)

    def need(self, holds: bool, fault: str) -> None:
        if not holds:
            self.faults += 1
            self.say(f"FAULT {fault}")

    # what a week consists of

    def release(self, name: str, week: int, *, correct: bool = False) -> None:
        """Release an assignment, for the first time or corrected."""
        if name in SHEETS:
            path = self.course / "source" / name / f"{name}.ipynb"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(self.edition(name)), encoding="utf-8")
            words = ("nbgrader", "generate_assignment", name, *(["--force"] if correct else []))
            self.run(*words, cwd=self.course)
        else:
            self.tito("release", name, *(["--correct", "--force"] if correct else []))
        if not correct:
            self.known.due[name] = FIRST_DAY + timedelta(weeks=week)
            self.tito("late", name, "--due", self.known.due[name].isoformat())

    def edition(self, name: str) -> dict[str, Any]:
        """The notebook with all tests."""
        return sheet(name, broken=self.broken) if name in SHEETS else self.released(name)

    def path(self, name: str) -> Path:
        (path,) = (self.course / "release" / name).glob("*.ipynb")
        return path

    def released(self, name: str) -> dict[str, Any]:
        return json.loads(self.path(name).read_text(encoding="utf-8"))

    def hand_in(self, name: str, students: list[str], week: float, *, late: float = 0.1) -> None:
        """These students hand in, a share of them late, and `collect` takes it."""
        shutil.rmtree(self.inbox, ignore_errors=True)
        self.inbox.mkdir()
        released, works = self.released(name), self.known.works.setdefault(name, {})
        for student in students:
            hours = self.draw.uniform(0.1, 130)
            hours = hours if self.draw.random() < late else -hours
            at = (FIRST_DAY + timedelta(weeks=week, hours=hours)).replace(microsecond=0)
            work = handed_in(name, released, self.tool, at, self.draw)
            if name in SHEETS:
                path = self.inbox / f"{student}.ipynb"
                path.write_text(json.dumps(work.notebook), encoding="utf-8")
                os.utime(path, (at.timestamp(), at.timestamp()))
            else:  # as `tito submit` packs it
                facts = {"module": name, "time": at.isoformat(), "student": student}
                with zipfile.ZipFile(self.inbox / f"{student}.zip", "w") as packed:
                    packed.writestr(self.path(name).name, json.dumps(work.notebook))
                    packed.writestr("manifest.json", json.dumps(facts))
            before = works.get(student)
            if before and (at < before.at or work.notebook == before.notebook):
                continue  # `collect` says older, or unchanged: the first time counts
            works[student] = work
            if before and before.answer != work.answer:
                self.known.given.pop((name, student), None)
        roster, lines = self.place / "roster.csv", "".join(f"{one},\n" for one in self.roster)
        roster.write_text(f"id,name\n{lines}", encoding="utf-8")
        times = ["--file-times"] if name in SHEETS else []
        self.tito("collect", self.inbox, "--module", name, "--roster", roster, *times)

    def some(self, share: float, of: set[str] | None = None) -> list[str]:
        among = sorted(self.roster if of is None else of & set(self.roster))
        return sorted(self.draw.sample(among, max(1, round(share * len(among)))))

    def leave_and_join(self) -> list[str]:
        """Some students leave and as many join; returns who left."""
        gone = self.some(0.04)
        joined = [f"s{self.in_all + number:03d}" for number in range(len(gone))]
        self.roster = [one for one in self.roster if one not in gone] + joined
        self.in_all += len(gone)
        return gone

    def autograde(self, name: str, *, code: int = 0, killed: bool = False) -> str:
        said = self.kill(name) if killed else ""
        said += self.tito("autograde", name, code=code)
        known = self.known
        for student, old, new in CHANGE.findall(said):
            known.printed[name, student, float(old), float(new)] += 1
        if code == 0:
            now = self.machine(name)
            for student, before in known.graded.get(name, {}).items():
                if before != now[student]:
                    old, new = (round(sum(one.values()), 2) for one in (before, now[student]))
                    known.changes[name, student, old, new] += 1
            known.graded[name] = now
        return said

    def kill(self, name: str) -> str:
        """`kill -9` when about a third of the class is graded; returns what was printed."""
        log, third = self.place / "killed.txt", len(self.known.works[name]) // 3
        words = ["-m", "tito", "grade", "autograde", name, "--course", str(self.course)]
        with open(log, "w", encoding="utf-8") as out:
            around = {"cwd": self.tool, "env": self.env, "stdout": out}
            run = subprocess.Popen([sys.executable, *words], **around)
            while run.poll() is None and log.read_text(encoding="utf-8").count(" of ") < third:
                time.sleep(0.05)
            run.send_signal(signal.SIGKILL)
            self.need(run.wait() == -signal.SIGKILL, f"autograde {name} ended before it was killed")
        self.say(f"kill -9 of autograde {name} after {third} submissions")
        return log.read_text(encoding="utf-8")

    def fill_the_disk(self, name: str) -> None:
        """Autograde where 256 KiB are free."""
        ballast = self.disk / "ballast"
        with open(ballast, "wb") as file:
            os.posix_fallocate(file.fileno(), 0, shutil.disk_usage(self.disk).free - 2**18)
        said = self.autograde(name, code=3)
        self.need("full" in said or "No space" in said, f"a full disk is not named: {said[-400:]}")
        ballast.unlink()

    def need_unchanged(self) -> None:
        """Nothing is to be graded."""
        for name, works in self.known.works.items():
            unchanged = self.autograde(name).count(" unchanged ")
            self.need(unchanged == len(works), f"{unchanged} of {name} are unchanged")

    def mark(self, name: str) -> None:
        """Two graders grade all answers that wait at once; then a few grades are replaced."""
        question = QUESTION.get(name, "why")
        points = points_of(self.released(name))[question]
        words = ("tito", "grade", "mark", "--question", question, "--module", name)
        with ThreadPoolExecutor() as graders:
            list(graders.map(lambda _: self.grader(words, points), ("one", "other")))
        self.say(f"two graders have graded {question} of {name}")
        for student in self.some(0.01, {*self.known.works[name]})[:2]:
            self.known.given[name, student] = points
            given = (student, question, points, "--replace", "--comment", "You are right.")
            self.tito("mark", *given, "--module", name)

    def grader(self, words: tuple[str, ...], points: float) -> None:
        """A person at a terminal, who reads each answer and types its points."""
        command = ["-m", *words, "--course", str(self.course)]
        around = {"cwd": str(self.tool), "env": self.env, "encoding": "utf-8", "timeout": None}
        with pexpect.spawn(sys.executable, command, **around) as run:
            while run.expect_exact(["or ? > ", pexpect.EOF]) == 0:
                read = max(ANSWERS, key=run.before.rfind)  # an earlier answer is on its left
                self.need(read in run.before, f"no answer is shown in {run.before}")
                run.sendline(f"{ANSWERS[read] * points:g}")
            last = run.before
        self.need(run.exitstatus == 0, f"{words}: exit code {run.exitstatus}\n{last[-800:]}")

    # the second calculation

    def machine(self, name: str) -> dict[str, dict[str, float]]:
        """What each student's cells with a test earn by the edition of now."""
        edition, released = self.edition(name), self.released(name)
        works = self.known.works[name].items()
        return {one: self.second.marks(work, edition, released) for one, work in works}

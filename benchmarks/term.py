"""A whole term by the real commands, and every mark of it calculated a second time.

    python benchmarks/term.py [--students 300] [--seed 1]

Five assignments in eight weeks: three notebooks as other nbgrader courses have them, the lab
09_spatial, and the sample of `tito dev new`. In every week students hand in, some late, some again:

    1  ps1: `kill -9` of autograde in the middle; two graders at once grade its question
    2  students leave and join; 09_spatial: autograde ends on a full disk, and runs again
    3  `release --correct` of 09_spatial (an exercise gets more points); `kill -9` in the middle
    4  ps2, with a broken test
    5  another version of tito: nothing is graded again; ps2 is released again with a right test
    6  the gradebook moves to PostgreSQL; 10_sample, with `kill -9` in the middle
    7  a student returns, others leave; a copy is made of the course and of its database
    8  ps3; then course and database are lost, restored from the copies in another place, and the
       week is done again

At the end the gradebook is read by SQL. Each mark must equal a second calculation (`term_work.py`),
in which a plain Python process runs the cells of the notebook that was handed in, and each test.
Points by hand come from the list of which the graders gave theirs, penalties from the rule. The
term's table must say the same, and each mark that changed must have been printed once. The exit
status is 1 if anything differs. It needs PostgreSQL, and root for the full disk, a small tmpfs.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import csv
import io
import json
import os
import pty
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from machine import ROOT, about, load
from term_work import (
    ANSWERS,
    CAP,
    GRACE,
    PERCENT,
    SHEETS,
    Second,
    Work,
    handed_in,
    penalty,
    points_of,
    sheet,
)

sys.path[:0] = [str(ROOT / "tests"), str(ROOT)]  # helpers.servers
LAB, SAMPLE, QUESTION = "09_spatial", "10_sample", {"10_sample": "why_limits"}
FIRST_DAY = datetime(2026, 9, 7, 12, tzinfo=timezone.utc)
MORE_POINTS = ('# %% law, 10 points\ncheck("3b")', '# %% law, 12 points\ncheck("3b")')
CHANGE = re.compile(r"^  (\S+) +([\d.]+) -> ([\d.]+) of [\d.]+ ", re.M)
MARKS = """SELECT a.name, sa.student_id, c.name, g.auto_score, g.manual_score,
COALESCE(n.late_submission_penalty, 0)
FROM grade g JOIN submitted_notebook n ON g.notebook_id = n.id
JOIN submitted_assignment sa ON n.assignment_id = sa.id
JOIN assignment a ON sa.assignment_id = a.id JOIN base_cell c ON g.cell_id = c.id"""


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

    def start(self, *words: object, cwd: Path | None = None, **streams: Any) -> subprocess.Popen:
        command = [sys.executable, "-m", *map(str, words)]
        return subprocess.Popen(command, cwd=cwd or self.tool, env=self.env, text=True, **streams)

    def run(self, *words: object, code: int = 0, cwd: Path | None = None) -> str:
        """What a command printed; it must end with this exit code."""
        begin, both = time.monotonic(), {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        with self.start(*words, cwd=cwd, **both) as run:
            said, _ = run.communicate()
        name, seconds = " ".join(map(str, words))[:90], time.monotonic() - begin
        self.say(f"{name}  ({seconds:.0f} s)")
        self.need(run.returncode == code, f"{words}: exit code {run.returncode}\n{said[-1500:]}")
        return said

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
        words = ("tito", "grade", "autograde", name, "--course", self.course)
        with open(log, "w", encoding="utf-8") as out:
            run = self.start(*words, stdout=out)
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
        graders = [
            threading.Thread(target=self.grader, args=(words, points)) for _ in ("one", "other")
        ]
        for one in graders:
            one.start()
        for one in graders:
            one.join()
        self.say(f"two graders have graded {question} of {name}")
        for student in self.some(0.01, {*self.known.works[name]})[:2]:
            self.known.given[name, student] = points
            given = (student, question, points, "--replace", "--comment", "You are right.")
            self.tito("mark", *given, "--module", name)

    def grader(self, words: tuple[str, ...], points: float) -> None:
        """A person at a terminal, who reads each answer and types its points."""
        ours, theirs = pty.openpty()
        ends: dict[str, Any] = {"stdin": theirs, "stdout": theirs, "stderr": theirs}
        run, screen = self.start(*words, "--course", self.course, **ends), ""
        os.close(theirs)
        with contextlib.suppress(OSError):  # the terminal's end
            while chunk := os.read(ours, 65536).decode("utf-8", "replace"):
                screen += chunk
                if screen.endswith("or ? > "):
                    read = max(ANSWERS, key=screen.rfind)  # an earlier answer is on its left
                    self.need(read in screen, f"no answer is shown in {screen}")
                    screen = ""
                    os.write(ours, f"{ANSWERS[read] * points:g}\n".encode())
        os.close(ours)
        self.need(run.wait() == 0, f"{words}: exit code {run.returncode}\n{screen[-800:]}")

    # the second calculation

    def machine(self, name: str) -> dict[str, dict[str, float]]:
        """What each student's cells with a test earn by the edition of now."""
        edition, released = self.edition(name), self.released(name)
        works = self.known.works[name].items()
        return {one: self.second.marks(work, edition, released) for one, work in works}

    def compare(self, url: str) -> dict[str, int]:
        """Read the gradebook and the term's table, and name each mark that differs."""
        known, want, finals = self.known, {}, {}
        for name, works in known.works.items():
            points, machine = points_of(self.released(name)), self.machine(name)
            for student, work in works.items():
                mine, part = machine[student], ANSWERS[work.answer]
                given = known.given.get((name, student))
                asked = points.keys() - mine.keys()
                hand = {cell: part * points[cell] if given is None else given for cell in asked}
                total = round(sum(mine.values()) + sum(hand.values()), 2)
                extended = timedelta(days=self.extended.get((name, student), 0))
                minus = penalty(total, work.at - known.due[name] - extended)
                finals[name, student] = round(total - minus, 2)
                for cell in points:
                    want[name, student, cell] = mine.get(cell), hand.get(cell), minus
        table = {row["student"]: row for row in csv.DictReader(io.StringIO(self.tito("term")))}
        self.need(table.keys() <= {*self.roster}, "a student who left is in the term's table")
        for (name, student), final in finals.items():
            here = student in self.roster
            shown = table.get(student, {}).get(name) or "nan" if here else f"{final}"
            fault = f"{student}, {name}: {shown} in the table, not {final}"
            self.need(float(shown) == final, fault)
        found = {row[:3]: row[3:] for row in rows(url, MARKS)}
        for key in sorted(want.keys() | found.keys()):
            got, due = found.get(key), want.get(key)
            self.need(got == due, f"{key}: machine, hand, penalty {got}, not {due}")
        for key in sorted({*known.changes, *known.printed}):
            must, did = known.changes[key], known.printed[key]
            self.need(must == did, f"change {key} printed {did} times, not {must}")
        counts = {"students": self.in_all, "submissions": len(finals), "marks": len(want)}
        changes = sum(known.changes.values())
        return {**counts, "changes": changes, "kinds_of_work": len(self.second.known)}


def rows(url: str, statement: str) -> list[tuple]:
    """What the server at an address returns, without SQLAlchemy and nbgrader."""
    import psycopg2

    with contextlib.closing(psycopg2.connect(url.replace("+psycopg2", ""))) as server:
        server.autocommit = True
        with server.cursor() as cursor:
            cursor.execute(statement)
            return cursor.fetchall() if cursor.description else []


def first_half(term: Term) -> list[str]:
    """Weeks 1 to 4, on SQLite; returns who left."""
    term.run("tito", "dev", "new", SAMPLE)
    term.release(LAB, 2)
    rule = {"grace_minutes": GRACE.seconds // 60, "percent_per_day": PERCENT, "cap_percent": CAP}
    lines = "".join(f"{key} = {value}\n" for key, value in rule.items())
    (term.course / "late.toml").write_text(lines, encoding="utf-8")
    term.say("week 1")
    term.release("ps1", 1)
    term.hand_in("ps1", term.some(0.95), 1)
    term.autograde("ps1", killed=True)
    term.mark("ps1")
    for student in term.some(0.02, {*term.known.works["ps1"]}):
        term.extended["ps1", student] = 2
        term.tito("late", "ps1", "--extend", student, 2)
    term.say("week 2")
    gone = term.leave_and_join()
    term.hand_in(LAB, term.some(0.95), 2)
    if os.path.ismount(term.disk):
        term.fill_the_disk(LAB)
    else:
        term.say("LEFT OUT: the full disk, because only root may mount a tmpfs")
    term.autograde(LAB)
    term.say("week 3")
    term.hand_in(LAB, term.some(0.1), 3, late=0.5)
    term.hand_in("ps1", term.some(0.05), 1.5)
    for name in (LAB, "ps1"):
        term.autograde(name)
    term.mark("ps1")
    source = term.tool / "grading" / "modules" / LAB / "spatial_dev.py"
    text = source.read_text(encoding="utf-8")
    assert text.count(MORE_POINTS[0]) == 1
    source.write_text(text.replace(*MORE_POINTS), encoding="utf-8")
    term.release(LAB, 2, correct=True)
    term.autograde(LAB, killed=True)
    term.say("week 4")
    term.release("ps2", 4)
    term.hand_in("ps2", term.some(0.95), 4)
    term.autograde("ps2")
    return gone


def second_half(term: Term, url: str, returns: str) -> str:
    """Weeks 5 to 8; returns the address of the database that holds the marks at the end."""
    term.say("week 5")
    engine = term.tool / "grading" / "engine" / "limits.py"
    engine.write_text(engine.read_text(encoding="utf-8") + "# a newer version\n", encoding="utf-8")
    for name, works in term.known.works.items():
        others = f"{len(works)} submissions graded by another version of tito"
        term.need(others in term.autograde(name), f"the upgrade is not said of {name}")
    term.broken = False
    term.release("ps2", 4, correct=True)
    term.autograde("ps2")
    term.say("week 6")
    before = {name: term.tito("export", name) for name in term.known.works}
    term.tito("move", url)
    term.need_unchanged()
    for name, table in before.items():
        term.need(term.tito("export", name) == table, f"the move changed the table of {name}")
    term.release(SAMPLE, 6)
    term.hand_in(SAMPLE, term.some(0.95), 6)
    term.autograde(SAMPLE, killed=True)
    term.mark(SAMPLE)
    term.say("week 7")
    term.leave_and_join()
    term.roster.append(returns)
    term.release("ps3", 8)
    term.hand_in(SAMPLE, term.some(0.05), 6.5)
    shutil.copytree(term.course, term.place / "copy")
    server, restored = url.replace("/marks", "/postgres"), url.replace("/marks", "/restored")
    rows(server, "CREATE DATABASE copy TEMPLATE marks")
    kept = copy.deepcopy(term.known)
    term.say("week 8")
    week_8(term)
    shutil.rmtree(term.course)
    rows(server, "DROP DATABASE marks")
    term.say("course and database are lost, and restored from their copies in another place")
    rows(server, "CREATE DATABASE restored TEMPLATE copy")
    term.known, term.course = kept, term.disk / "restored"
    shutil.copytree(term.place / "copy", term.course)
    config = term.course / "nbgrader_config.py"
    text = config.read_text(encoding="utf-8")
    config.write_text(text.replace(url, restored), encoding="utf-8")
    week_8(term)
    term.need_unchanged()
    return restored


def week_8(term: Term) -> None:
    term.hand_in("ps3", term.some(0.95), 8)
    for name in ("ps3", SAMPLE):
        term.autograde(name)
        term.mark(name)


@contextlib.contextmanager
def small_disk(place: Path, students: int) -> Iterator[Path]:
    """A file system of its own for the course, as large as needed; a folder if this is not root."""
    place.mkdir(parents=True)
    size = f"size={200 + 4 * students}m"
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", size, "tmpfs", place], capture_output=True)
    try:
        yield place
    finally:
        if made.returncode == 0:
            subprocess.run(["umount", place], check=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--students", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    from helpers.servers import postgres

    print(f"{about()}, load {load()}")
    begin = time.monotonic()
    with (
        tempfile.TemporaryDirectory(prefix="term-") as scratch,
        small_disk(Path(scratch) / "disk", args.students) as disk,
        postgres(Path(scratch)) as url,
    ):
        term = Term(Path(scratch), disk, args.students, args.seed)
        counts = term.compare(second_half(term, url, returns=first_half(term)[0]))
    used, minutes = resource.getrusage(resource.RUSAGE_CHILDREN), (time.monotonic() - begin) / 60
    cost = {"minutes": round(minutes, 1), "cpu_seconds": round(used.ru_utime + used.ru_stime)}
    print(json.dumps({**counts, **cost, "faults": term.faults}))
    return bool(term.faults)


if __name__ == "__main__":
    sys.exit(main())

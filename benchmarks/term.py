"""A whole term by the real commands, and every mark of it calculated a second time.

    python benchmarks/term.py [--students 300] [--seed 1]

Five assignments in eight weeks: three notebooks as other nbgrader courses have them, the lab
09_spatial, and the sample of `tito dev new`. In every week students hand in, some late, some again:

    1  ps1: `kill -9` of autograde in the middle; two graders at once grade its question
    2  students drop and join; 09_spatial: its autograde ends on a full disk, and runs again
    3  `release --correct` of 09_spatial (an exercise gets more points); `kill -9` in the middle
    4  ps2, with a broken test
    5  another version of tito: nothing is graded again; ps2 is released again with its test put right
    6  the gradebook moves to PostgreSQL; 10_sample
    7  a student returns, others leave; a copy is made of the course and of its database
    8  ps3, collected and graded; then course and database are lost, restored from the copies in
       another place, and the week is done again

At the end the gradebook is read by SQL. Each mark of each student in each question must equal a
second calculation, in which a plain Python process runs the cells of the notebook that was handed
in and then each test; it imports nothing of grading/. Points by hand come from the list of which the
graders gave theirs, penalties from the rule. Each mark that changed must have been printed once.
Exit status 1 if anything differs. Needs PostgreSQL; the full disk needs root, to mount a tmpfs.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import csv
import io
import json
import math
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

sys.path[:0] = [str(ROOT / "tests"), str(ROOT)]  # helpers.servers
COPIED = ("tito", "grading", "tinytorch", "modules", "tito.toml")
FIRST_DAY = datetime(2026, 9, 7, 12, tzinfo=timezone.utc)
GRACE, PERCENT, CAP = timedelta(minutes=15), 10, 50  # of the rule for late work
ANSWERS = {  # what students answer to every question -> which part of its points a grader gives
    "The caller may change it later.": 1.0,
    "A copy is a new object.": 0.75,
    "It is faster.": 0.25,
    "I do not know.": 0.0,
    "Pixels wrap around from 255 to 0.": 0.5,
}
CHANGE = re.compile(r"^  (\S+) +([\d.]+) -> ([\d.]+) of [\d.]+ ", re.M)
PLAIN = """
import ast, contextlib, io, json, re, sys
names, earned, said = {"__name__": "notebook"}, {}, io.StringIO()
for cell, source, points in json.load(sys.stdin):
    body, value, begin = [], None, said.tell()
    try:
        with contextlib.redirect_stdout(said):
            body = ast.parse(source).body
            last = body.pop() if points and isinstance(body[-1], ast.Expr) else None
            exec(compile(ast.Module(body, []), "cell", "exec"), names)
            value = last and eval(compile(ast.Expression(last.value), "cell", "eval"), names)
        fine = True
    except BaseException:
        fine = False
    worth = re.search(r"worth ([0-9.]+) of", said.getvalue()[begin:])  # of check("1a")
    number = value if isinstance(value, (int, float)) and not isinstance(value, bool) else points
    if points:
        earned[cell] = float(worth[1]) if worth else float(number) if fine else 0.0
assert not any(name.split(".")[0] == "grading" for name in sys.modules)
print(json.dumps(earned))
"""


@dataclass(frozen=True)
class Exercise:
    """An exercise of a notebook that is not a module: bodies of its function, and its test."""

    head: str
    bodies: tuple[str, ...]  # the first one is right
    test: str
    points: float


SHEETS: dict[str, tuple[dict[str, Exercise], float]] = {  # with the points of the question `why`
    "ps1": (
        {
            "square": Exercise(
                "def square(x):",
                ("return x * x", "return x + x", "return abs(x) * 2", "return x.square"),
                "assert square(2) == 4\n### BEGIN HIDDEN TESTS\nassert square(-3) == 9\n"
                "### END HIDDEN TESTS",
                2,
            ),
            "mean": Exercise(
                "def mean(values):",
                ("return sum(values) / len(values)", "return sum(values) // len(values)"),
                "found = [mean([1, 2]) == 1.5, mean([4]) == 4, mean([1, 1, 4]) == 2]\nsum(found)",
                3,
            ),
        },
        4,
    ),
    "ps2": (
        {
            "clamp": Exercise(
                "def clamp(x, low, high):",
                ("return max(low, min(x, high))", "return min(x, high)", "return x", "clamp = 3"),
                "assert clamp(5, 0, 3) == 3\nassert clamp(-1, 0, 3) == 0",
                5,
            ),
            "pairs": Exercise(
                "def pairs(values):",
                ("return list(zip(values, values[1:]))", "return zip(values, values[1:])"),
                "assert pairs([1, 2, 3]) == [(1, 2), (2, 3)]",
                4,
            ),
        },
        0,
    ),
    "ps3": (
        {
            "words": Exercise(
                "def words(text):",
                ("return text.split()", "return text.split(' ')", "return list(text)"),
                "assert words('a b') == ['a', 'b']\nassert words(' a  b ') == ['a', 'b']",
                2,
            ),
            "count": Exercise(
                "def count(values):",
                ("return {one: values.count(one) for one in values}", "return len(values)"),
                "assert count('aab') == {'a': 2, 'b': 1}",
                3,
            ),
        },
        3,
    ),
}
BROKEN = ("assert clamp(5, 0, 3) == 3", "assert clamp(5, 0, 3) == 4")  # in ps2 until week 5
MORE_POINTS = ('# %% law, 10 points\ncheck("3b")', '# %% law, 12 points\ncheck("3b")')


def flagged(kind: str, source: str, grade_id: str, points: float = 0, **flags: bool) -> dict:
    facts = {"grade": False, "solution": False, "locked": False, "task": False, **flags}
    marks = {"schema_version": 3, "grade_id": grade_id, **facts} | (
        {"points": points} if points else {}
    )
    made = {"cell_type": kind, "id": grade_id, "metadata": {"nbgrader": marks}, "source": source}
    return made | ({"outputs": [], "execution_count": None} if kind == "code" else {})


def sheet(name: str, *, broken: bool = False) -> dict[str, Any]:
    """The instructor's notebook of an assignment that is not a module."""
    exercises, points = SHEETS[name]
    cells = []
    for key, one in exercises.items():
        solved = f"    ### BEGIN SOLUTION\n    {one.bodies[0]}\n    ### END SOLUTION"
        cells.append(flagged("code", f"{one.head}\n{solved}", key, solution=True))
        test = one.test.replace(*BROKEN) if broken else one.test
        cells.append(flagged("code", test, f"test_{key}", one.points, grade=True, locked=True))
    if points:
        cells.append(flagged("markdown", "", "why", points, grade=True, solution=True))
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


def solutions(folder: Path) -> dict[str, list[str]]:
    """grade_id -> the reference and the wrong solutions of a module, as cells."""
    (source,) = folder.glob("*_dev.py")
    found = {}
    for name, cell in re.findall(
        r"^# %% stub (\w+)\n(.*?)(?=^# %%)", source.read_text(encoding="utf-8"), re.M | re.S
    ):
        right = re.sub(r"^ *### (BEGIN|END) SOLUTION\n", "", cell, flags=re.M)
        wrong = (folder / "wrong" / f"{name}.py").read_text(encoding="utf-8")
        others = re.split(r"^# %% .*\n", wrong, flags=re.M)[1:]
        found[name] = [right, *(f"#| export\n{one}" for one in others)]
    return found


@dataclass
class Work:
    """What a student handed in last: the notebook, when, and the answer to the question."""

    notebook: dict[str, Any]
    at: datetime
    answer: str


@dataclass
class Known:
    """What must be in the gradebook; copied with the course, and restored with it.

    Attributes:
        works: assignment -> student -> what is in.
        graded: the points by the machine of each cell, when it was graded last.
        given: (assignment, student) -> points by hand that are not those of `ANSWERS`.
        changes: (assignment, student, old, new) -> how often it must be printed, and how often it was.
    """

    works: dict[str, dict[str, Work]] = field(default_factory=dict)
    graded: dict[str, dict[str, dict[str, float]]] = field(default_factory=dict)
    given: dict[tuple[str, str], float] = field(default_factory=dict)
    due: dict[str, datetime] = field(default_factory=dict)
    extended: dict[tuple[str, str], int] = field(default_factory=dict)
    changes: Counter = field(default_factory=Counter)
    printed: Counter = field(default_factory=Counter)


class Term:
    def __init__(self, place: Path, disk: Path, students: int, seed: int):
        self.place, self.disk, self.draw = place, disk, random.Random(seed)
        self.tool, self.course, self.inbox = place / "tool", disk / "class", place / "inbox"
        self.known, self.second, self.faults = Known(), {}, []
        self.next, self.roster, self.began = (
            students,
            [f"s{n:03d}" for n in range(students)],
            time.monotonic(),
        )
        for name in COPIED:
            ignored = shutil.ignore_patterns("__pycache__")
            whole = (ROOT / name).is_dir()
            (
                shutil.copytree(ROOT / name, self.tool / name, ignore=ignored)
                if whole
                else shutil.copy(ROOT / name, self.tool / name)
            )
        self.env = {**os.environ, "PYTHONPATH": str(self.tool), "PYTHONWARNINGS": "ignore"}
        self.env.pop("TITO_WORKSPACE", None)

    # the commands

    def start(self, *words: object, **options: Any) -> subprocess.Popen:
        command = [sys.executable, "-m", *map(str, words)]
        return subprocess.Popen(command, cwd=options.pop("cwd", self.tool), env=self.env, **options)

    def tito(self, *words: object, code: int = 0, quiet: bool = False) -> str:
        """What `tito grade WORDS --course DIR` printed; it must end with this exit code."""
        begin = time.monotonic()
        words = ("tito", "grade", *words, "--course", self.course)
        with self.start(*words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as run:
            said, _ = run.communicate()
        self.say(f"{' '.join(map(str, words[1:-2]))[:90]}  ({time.monotonic() - begin:.0f} s)")
        self.need(run.returncode == code, f"exit code {run.returncode} of {words}:\n{said[-1500:]}")
        if not quiet:
            print("      " + "\n      ".join(said.rstrip().splitlines()[-2:]), flush=True)
        return said

    def say(self, text: str) -> None:
        print(f"{time.monotonic() - self.began:6.0f}  {text}", flush=True)

    def need(self, holds: bool, fault: str) -> None:
        if not holds:
            self.faults.append(fault)
            self.say(f"FAULT {fault}")

    # a week's work

    def release(self, name: str, week: int, **edition: bool) -> None:
        """Release an assignment, for the first time or corrected."""
        if name in SHEETS:
            path = self.course / "source" / name / f"{name}.ipynb"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(sheet(name, **edition)), encoding="utf-8")
            again = ["--force"] if name in self.known.due else []
            words = ("nbgrader", "generate_assignment", name, *again)
            with self.start(*words, cwd=self.course, stderr=subprocess.PIPE, text=True) as run:
                _, said = run.communicate()
            self.need(run.returncode == 0, f"nbgrader generate_assignment {name}: {said[-800:]}")
        else:
            self.tito("release", name, *(["--correct", "--force"] if edition else []))
        if name not in self.known.due:
            self.known.due[name] = FIRST_DAY + timedelta(weeks=week)
            self.tito("late", name, "--due", self.known.due[name].isoformat(), quiet=True)

    def released(self, name: str) -> dict[str, Any]:
        (path,) = (self.course / "release" / name).glob("*.ipynb")
        return json.loads(path.read_text(encoding="utf-8"))

    def made(self, name: str) -> tuple[dict[str, Any], str]:
        """A student's notebook, of one of 24 kinds, and the answer in it."""
        kind, notebook = random.Random(f"{name} {self.draw.randrange(24)}"), self.released(name)
        answer = self.draw.choice([*ANSWERS])
        if name in SHEETS:
            code = {
                key: [f"{one.head}\n    {body}" for body in one.bodies]
                for key, one in SHEETS[name][0].items()
            }
        else:
            code = solutions(self.tool / "grading" / "modules" / name)
        for cell in notebook["cells"]:
            key = cell["metadata"].get("nbgrader", {}).get("grade_id", "")
            if key in code and kind.random() < 0.95:  # else the stub stays
                right = kind.random() < 0.5
                cell["source"] = code[key][0] if right else kind.choice(code[key])
            elif key == "why" or cell.get("id", "").startswith("answer-"):
                cell["source"] = answer
        return notebook, answer

    def hand_in(self, name: str, students: list[str], *, week: float, late: float = 0.1) -> None:
        """These students hand in, some of them late, and `collect` takes it."""
        shutil.rmtree(self.inbox, ignore_errors=True)
        self.inbox.mkdir()
        module, works = name not in SHEETS, self.known.works.setdefault(name, {})
        for student in students:
            notebook, answer = self.made(name)
            hours = (
                self.draw.uniform(0.1, 130)
                if self.draw.random() < late
                else -self.draw.uniform(1, 90)
            )
            at = (FIRST_DAY + timedelta(weeks=week, hours=hours)).replace(microsecond=0)
            works[student] = Work(notebook, at, answer)
            text, moment = json.dumps(notebook), at.timestamp()
            if module:  # as `tito submit` packs it
                (path,) = (self.course / "release" / name).glob("*.ipynb")
                facts = {"module": name, "time": at.isoformat(), "student": student}
                with zipfile.ZipFile(self.inbox / f"{student}.zip", "w") as packed:
                    packed.writestr(path.name, text)
                    packed.writestr("manifest.json", json.dumps(facts))
            else:
                (self.inbox / f"{student}.ipynb").write_text(text, encoding="utf-8")
                os.utime(self.inbox / f"{student}.ipynb", (moment, moment))
        roster = self.place / "roster.csv"
        lines = [f"{one},{one.upper()} Student\n" for one in self.roster]
        roster.write_text("id,name\n" + "".join(lines), encoding="utf-8")
        words = ("--module", name, "--roster", roster, *([] if module else ["--file-times"]))
        self.tito("collect", self.inbox, *words)

    def some(self, share: float, of: list[str] | None = None) -> list[str]:
        among = self.roster if of is None else of
        return sorted(self.draw.sample(among, max(1, round(share * len(among)))))

    def autograde(self, name: str, *, code: int = 0, killed: bool = False) -> str:
        said = self.kill(name) if killed else ""
        said += self.tito("autograde", name, code=code)
        for student, old, new in CHANGE.findall(said):
            self.known.printed[name, student, float(old), float(new)] += 1
        if code == 0:
            now = {one: self.again(name, work) for one, work in self.known.works[name].items()}
            for student, before in self.known.graded.get(name, {}).items():
                if before != now[student]:
                    old, new = (round(sum(one.values()), 2) for one in (before, now[student]))
                    self.known.changes[name, student, old, new] += 1
            self.known.graded[name] = now
        return said

    def kill(self, name: str) -> str:
        """`kill -9` when about a third of the class is graded; returns what was printed."""
        log, third = self.place / "killed.txt", len(self.known.works[name]) // 3
        with open(log, "w", encoding="utf-8") as out:
            run = self.start(
                "tito", "grade", "autograde", name, "--course", self.course, stdout=out
            )
            while run.poll() is None and log.read_text(encoding="utf-8").count(" of ") < third:
                time.sleep(0.05)
            run.send_signal(signal.SIGKILL)
            self.need(run.wait() == -signal.SIGKILL, f"autograde {name} ended before it was killed")
        self.say(f"kill -9 of autograde {name} after {third} submissions")
        return log.read_text(encoding="utf-8")

    def need_unchanged(self) -> None:
        """Nothing is to be graded."""
        for name, works in self.known.works.items():
            unchanged = self.autograde(name).count(" unchanged ")
            self.need(unchanged == len(works), f"{unchanged} of {name} are unchanged")

    def fill_the_disk(self, name: str) -> None:
        ballast = self.disk / "ballast"
        with open(ballast, "wb") as file:
            os.posix_fallocate(file.fileno(), 0, shutil.disk_usage(self.disk).free - 2**18)
        said = self.autograde(name, code=3)
        self.need("full" in said or "No space" in said, f"a full disk is not named: {said[-400:]}")
        ballast.unlink()

    def mark(self, name: str, question: str) -> None:
        """Two graders grade all answers that wait at once; then two grades are replaced."""
        points = self.points(name)[question]
        graders = [
            threading.Thread(target=self.grader, args=(name, question, points)) for _ in "ab"
        ]
        for one in graders:
            one.start()
        for one in graders:
            one.join()
        self.say(f"two graders have graded {question} of {name}")
        for student in self.some(0.01, sorted(self.known.works[name]))[:2]:
            self.known.given[name, student] = points
            words = (student, question, points, "--replace", "--comment", "You are right.")
            self.tito("mark", *words, "--module", name, quiet=True)

    def grader(self, name: str, question: str, points: float) -> None:
        """A person at a terminal, who reads each answer and types its points."""
        ours, theirs = pty.openpty()
        ends = {"stdin": theirs, "stdout": theirs, "stderr": theirs, "start_new_session": True}
        words = ("mark", "--question", question, "--module", name, "--course", self.course)
        run, screen = self.start("tito", "grade", *words, **ends), ""
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
        self.need(
            run.wait() == 0, f"a grader of {name} ended with {run.returncode}: {screen[-800:]}"
        )

    def leave_and_join(self) -> list[str]:
        """Some students leave and as many join; returns who left."""
        gone = self.some(0.04)
        self.roster = [one for one in self.roster if one not in gone]
        self.roster += [f"s{self.next + number:03d}" for number in range(len(gone))]
        self.next += len(gone)
        return gone

    def week_8(self, sample: str) -> None:
        self.hand_in("ps3", self.some(0.95), week=8)
        for name, question in (("ps3", "why"), (sample, "why_limits")):
            self.autograde(name)
            self.mark(name, question)

    # the second calculation

    def points(self, name: str) -> dict[str, float]:
        """grade_id -> points, as released."""
        flags = [cell["metadata"].get("nbgrader", {}) for cell in self.released(name)["cells"]]
        return {one["grade_id"]: float(one["points"]) for one in flags if one.get("points")}

    def again(self, name: str, work: Work) -> dict[str, float]:
        """What each cell with a test earns by the edition of now, calculated in plain Python."""
        points, cells = self.points(name), []
        broken = name == "ps2" and self.broken
        tests = (
            {cell["id"]: cell["source"] for cell in sheet(name, broken=broken)["cells"]}
            if (name in SHEETS)
            else {}
        )
        for cell in work.notebook["cells"]:
            key = cell["metadata"].get("nbgrader", {}).get("grade_id", "")
            demo = "demo" in cell["metadata"].get("tags", ()) or not key
            if cell["cell_type"] == "code" and not demo and "finish()" not in cell["source"]:
                source = tests.get(key) if key in points else None
                cells.append([key, source or "".join(cell["source"]), points.get(key, 0)])
        task = json.dumps(cells)
        if task not in self.second:
            done = subprocess.run(
                [sys.executable, "-c", PLAIN],
                input=task,
                cwd=self.tool,
                env=self.env,
                capture_output=True,
                text=True,
                check=True,
            )
            self.second[task] = json.loads(done.stdout)
        return self.second[task]

    def penalty(self, name: str, student: str, total: float) -> float:
        extended = timedelta(days=self.known.extended.get((name, student), 0))
        late = self.known.works[name][student].at - self.known.due[name] - extended
        days = 0 if late <= GRACE else math.ceil(late / timedelta(days=1))
        return round(total * min(CAP, PERCENT * days) / 100, 2)

    def by_hand(self, name: str, student: str, points: float) -> float:
        answer = self.known.works[name][student].answer
        return self.known.given.get((name, student), ANSWERS[answer] * points)

    def compare(self, url: str) -> dict[str, int]:
        """Read the gradebook and the term's table, and name each mark that differs."""
        want, finals = {}, {}
        for name, works in self.known.works.items():
            points = self.points(name)
            for student, work in works.items():
                machine = self.again(name, work)
                hand = {q: self.by_hand(name, student, points[q]) for q in points.keys() - machine}
                total = round(sum(machine.values()) + sum(hand.values()), 2)
                penalty = self.penalty(name, student, total)
                finals[name, student] = round(total - penalty, 2)
                for cell in points:
                    want[name, student, cell] = machine.get(cell), hand.get(cell), penalty
        table = {
            row["student"]: row
            for row in csv.DictReader(io.StringIO(self.tito("term", quiet=True)))
        }
        found = {tuple(row[:3]): tuple(row[3:]) for row in rows(url, MARKS)}
        for key in sorted(want.keys() | found.keys()):
            same = want.get(key) == found.get(key)
            self.need(same, f"{key}: machine, hand, penalty {found.get(key)}, not {want.get(key)}")
        for key in sorted({*self.known.changes, *self.known.printed}):
            must, did = self.known.changes[key], self.known.printed[key]
            self.need(must == did, f"change {key} printed {did} times, not {must}")
        self.need(
            table.keys() <= set(self.roster),
            f"left, and in the table: {table.keys() - set(self.roster)}",
        )
        for (name, student), final in finals.items():
            shown = table.get(student, {}).get(name)
            there = shown is not None if student in self.roster else shown is None
            self.need(
                there and (shown is None or float(shown or "nan") == final),
                f"{student} has {shown!r} in {name} in the term's table, not {final}",
            )
        return {
            "students": self.next,
            "submissions": len(finals),
            "marks": len(want),
            "changes": self.known.changes.total(),
            "distinct": len(self.second),
        }

    broken = True  # the test in ps2


MARKS = """SELECT a.name, sa.student_id, c.name, g.auto_score, g.manual_score,
COALESCE(n.late_submission_penalty, 0)
FROM grade g JOIN submitted_notebook n ON g.notebook_id = n.id
JOIN submitted_assignment sa ON n.assignment_id = sa.id
JOIN assignment a ON sa.assignment_id = a.id JOIN base_cell c ON g.cell_id = c.id"""


def rows(url: str, statement: str) -> list[tuple]:
    """What the PostgreSQL server at an address returns, without SQLAlchemy and nbgrader."""
    import psycopg2

    with contextlib.closing(psycopg2.connect(url.replace("+psycopg2", ""))) as server:
        server.autocommit = True
        with server.cursor() as cursor:
            cursor.execute(statement)
            return cursor.fetchall() if cursor.description else []


def play(term: Term, url: str) -> str:
    """The eight weeks; returns the address of the database that holds the marks at the end."""
    known, lab, sample = term.known, "09_spatial", "10_sample"
    with term.start("tito", "dev", "new", sample, stdout=subprocess.DEVNULL) as run:
        run.wait()
    term.release(lab, 2)
    rule = (
        f"grace_minutes = {GRACE.seconds // 60}\npercent_per_day = {PERCENT}\ncap_percent = {CAP}\n"
    )
    (term.course / "late.toml").write_text(rule, encoding="utf-8")

    term.say("week 1")
    term.release("ps1", 1)
    term.hand_in("ps1", term.some(0.95), week=1)
    term.autograde("ps1", killed=True)
    term.mark("ps1", "why")
    for student in term.some(0.02, sorted(known.works["ps1"])):
        known.extended["ps1", student] = 2
        term.tito("late", "ps1", "--extend", student, 2, quiet=True)

    term.say("week 2")
    gone = term.leave_and_join()
    term.hand_in(lab, term.some(0.95), week=2)
    if os.path.ismount(term.disk):
        term.fill_the_disk(lab)
    else:
        term.say("LEFT OUT: the full disk, because only root may mount a tmpfs")
    term.autograde(lab)

    term.say("week 3")
    term.hand_in(lab, term.some(0.1), week=3, late=0.5)
    term.hand_in("ps1", term.some(0.05), week=1.5)
    term.autograde(lab)
    term.autograde("ps1")
    term.mark("ps1", "why")
    source = term.tool / "grading" / "modules" / lab / "spatial_dev.py"
    text = source.read_text(encoding="utf-8")
    assert text.count(MORE_POINTS[0]) == 1
    source.write_text(text.replace(*MORE_POINTS), encoding="utf-8")
    term.release(lab, 2, correct=True)
    term.autograde(lab, killed=True)

    term.say("week 4")
    term.release("ps2", 4, broken=True)
    term.hand_in("ps2", term.some(0.95), week=4)
    term.autograde("ps2")

    term.say("week 5")
    engine = term.tool / "grading" / "engine" / "limits.py"
    engine.write_text(engine.read_text(encoding="utf-8") + "# a newer version\n", encoding="utf-8")
    for name in ("ps1", lab, "ps2"):
        said = term.autograde(name)
        others = f"{len(known.works[name])} submissions graded by another version of tito"
        term.need(others in said, f"after the upgrade, {name} says: {said[-800:]}")
    term.broken = False
    term.release("ps2", 4, broken=False)
    term.autograde("ps2")

    term.say("week 6")
    before = {name: term.tito("export", name, quiet=True) for name in known.works}
    term.tito("move", url)
    term.need_unchanged()
    for name, table in before.items():
        term.need(term.tito("export", name, quiet=True) == table, f"the move changed {name}")
    term.release(sample, 6)
    term.hand_in(sample, term.some(0.95), week=6)
    term.autograde(sample, killed=True)
    term.mark(sample, "why_limits")

    term.say("week 7")
    term.leave_and_join()
    term.roster.append(gone[0])  # who is back
    term.release("ps3", 8)
    term.hand_in(sample, term.some(0.05), week=6.5)
    shutil.copytree(term.course, term.place / "copy")
    copied(url, "marks", "copy")
    kept = copy.deepcopy(known)

    term.say("week 8")
    term.week_8(sample)
    shutil.rmtree(term.course)
    copied(url, "copy", "restored")
    term.known, term.course = kept, term.disk / "restored"
    shutil.copytree(term.place / "copy", term.course)
    config, url_now = term.course / "nbgrader_config.py", url.replace("/marks", "/restored")
    config.write_text(config.read_text(encoding="utf-8").replace(url, url_now), encoding="utf-8")
    term.say("course and database are lost, and restored from their copies in another place")
    term.week_8(sample)
    term.need_unchanged()
    return url_now


def copied(url: str, database: str, name: str) -> None:
    """Copy a database on the server."""
    rows(url.replace("/marks", "/postgres"), f"CREATE DATABASE {name} TEMPLATE {database}")


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
        counts = term.compare(play(term, url))
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = {
        "minutes": round((time.monotonic() - begin) / 60, 1),
        "cpu_seconds": round(used.ru_utime + used.ru_stime),
    }
    print(json.dumps({**counts, **seconds, "faults": len(term.faults)}))
    return bool(term.faults)


if __name__ == "__main__":
    sys.exit(main())

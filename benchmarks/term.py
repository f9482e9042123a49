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
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

from machine import ROOT, about, load
from term_class import LAB, SAMPLE, Term
from term_work import ANSWERS, CAP, GRACE, PERCENT, penalty, points_of

sys.path[:0] = [str(ROOT / "tests"), str(ROOT)]  # helpers.servers
MORE_POINTS = ('# %% law, 10 points\ncheck("3b")', '# %% law, 12 points\ncheck("3b")')
MARKS = """SELECT a.name, sa.student_id, c.name, g.auto_score, g.manual_score,
COALESCE(n.late_submission_penalty, 0)
FROM grade g JOIN submitted_notebook n ON g.notebook_id = n.id
JOIN submitted_assignment sa ON n.assignment_id = sa.id
JOIN assignment a ON sa.assignment_id = a.id JOIN base_cell c ON g.cell_id = c.id"""


def rows(url: str, statement: str) -> list[tuple]:
    """What the server at an address returns, without SQLAlchemy and nbgrader."""
    import psycopg2

    with contextlib.closing(psycopg2.connect(url.replace("+psycopg2", ""))) as server:
        server.autocommit = True
        with server.cursor() as cursor:
            cursor.execute(statement)
            return cursor.fetchall() if cursor.description else []


def compared(term: Term, url: str) -> dict[str, int]:
    """Read the gradebook and the term's table, and name each mark that differs."""
    known, want, finals = term.known, {}, {}
    for name, works in known.works.items():
        points, machine = points_of(term.released(name)), term.machine(name)
        for student, work in works.items():
            mine, part = machine[student], ANSWERS[work.answer]
            given = known.given.get((name, student))
            asked = points.keys() - mine.keys()
            hand = {cell: part * points[cell] if given is None else given for cell in asked}
            total = round(sum(mine.values()) + sum(hand.values()), 2)
            extended = timedelta(days=term.extended.get((name, student), 0))
            minus = penalty(total, work.at - known.due[name] - extended)
            finals[name, student] = round(total - minus, 2)
            for cell in points:
                want[name, student, cell] = mine.get(cell), hand.get(cell), minus
    table = {row["student"]: row for row in csv.DictReader(io.StringIO(term.tito("term")))}
    term.need(table.keys() <= {*term.roster}, "a student who left is in the term's table")
    for (name, student), final in finals.items():
        here = student in term.roster
        shown = table.get(student, {}).get(name) or "nan" if here else f"{final}"
        fault = f"{student}, {name}: {shown} in the table, not {final}"
        term.need(float(shown) == final, fault)
    in_book = {row[:3]: row[3:] for row in rows(url, MARKS)}
    for key in sorted(want.keys() | in_book.keys()):
        got, due = in_book.get(key), want.get(key)
        term.need(got == due, f"{key}: machine, hand, penalty {got}, not {due}")
    for key in sorted({*known.changes, *known.printed}):
        must, did = known.changes[key], known.printed[key]
        term.need(must == did, f"change {key} printed {did} times, not {must}")
    counts = {"students": term.in_all, "submissions": len(finals), "marks": len(want)}
    changes = sum(known.changes.values())
    return {**counts, "changes": changes, "kinds_of_work": len(term.second.known)}


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
    engine = term.tool / "grading" / "engine" / "__init__.py"
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
        postgres() as url,
    ):
        term = Term(Path(scratch), disk, args.students, args.seed)
        counts = compared(term, second_half(term, url, returns=first_half(term)[0]))
    used, minutes = resource.getrusage(resource.RUSAGE_CHILDREN), (time.monotonic() - begin) / 60
    cost = {"minutes": round(minutes, 1), "cpu_seconds": round(used.ru_utime + used.ru_stime)}
    print(json.dumps({**counts, **cost, "faults": term.faults}))
    return bool(term.faults)


if __name__ == "__main__":
    sys.exit(main())

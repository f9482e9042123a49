"""A term rehearsed: two modules and deadlines, late, repeated and hostile submissions, through
collect, autograde, mark, feedback and export, while machines and the engine are killed.

    python benchmarks/term.py [--students 300] [--kills 5] [--worker-every 60] [--seed 1]

Marks go into PostgreSQL; a Dask cluster of three workers grades, of which one is slow (nice 19) and
a random one is killed each minute and replaced; the engine is killed at random moments. Then the
same last submissions are graded once more, cleanly, by two local jobs into SQLite, and the marks
are compared. It prints what was lost, doubled or different (0 of each is the bar), and seconds,
memory and disk. Needs the extras [dev] and [cluster], psycopg2 and Debian's postgresql.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import os
import platform
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "grading"), str(ROOT / "tests")]
DEADLINES = {"06": "2026-10-20 12:00:00 UTC", "07": "2026-11-20 12:00:00 UTC"}
HOSTILE = (
    "while True: pass",
    "import os; os._exit(1)",
    "print('x' * 20_000_000)",
    "import os; [os.fork() for _ in range(20)]",
)
MISTAKES = (
    {},
    {"double": "return abs(2 * x)"},
    {"length": "return 2"},
    {"double": None},
    {"init": "self.things = things"},
)


@dataclass
class Term:
    """One course of the same students and submissions, with what each command cost."""

    workspace: Path
    course: Path
    seconds: dict[str, float] = field(default_factory=dict)

    def tito(self, *words: str, check: bool = True) -> str:
        begin = time.monotonic()
        done = subprocess.run(
            command(*words, "--course", str(self.course)),
            cwd=self.workspace,
            capture_output=True,
            text=True,
            env=environment(),
        )
        self.seconds[words[1]] = self.seconds.get(words[1], 0.0) + time.monotonic() - begin
        if check and done.returncode:
            raise SystemExit(f"tito {' '.join(words)}: {done.stdout[-800:]}{done.stderr[-1500:]}")
        return done.stdout


def command(*words: str) -> list[str]:
    code = "import sys; from tito.cli import main; sys.exit(main())"
    return [sys.executable, "-c", code, *words]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--students", type=int, default=300)
    parser.add_argument("--kills", type=int, default=5, help="of the engine, in all")
    parser.add_argument("--worker-every", type=float, default=60.0, metavar="SECONDS")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    print(
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, load"
        f" {os.getloadavg()[0]:.2f}; {args.students} students, 2 modules",
        flush=True,
    )
    from memory import Memory
    from servers import cluster, postgres

    with tempfile.TemporaryDirectory(prefix="tito-term-") as place:
        folder = Path(place)
        workspace = two_modules(folder / "repository")
        last = write_inboxes(folder, workspace, args.students, random.Random(args.seed))
        with postgres(folder) as url, cluster(2) as machines:
            machines.add_worker(niceness=19)
            machines.wait_for(3)
            rough = new_term(folder / "rough", workspace, url)
            with Memory() as memory, Reaper(machines, args.worker_every, args.seed) as reaper:
                killed = live(rough, folder, machines.address, args.kills, args.seed)
            found = marks(rough)
            answers(rough, found)
        clean = new_term(folder / "clean", workspace, None)
        for number in DEADLINES:
            clean.tito("grade", "collect", str(folder / f"last-{number}"), "--module", number)
            clean.tito("grade", "autograde", number, "--jobs", "2")
        report(rough, clean, found, marks(clean), last, args.students)
        print(
            f"engine killed {killed} times, workers killed {reaper.killed} times; memory of all"
            f" processes {memory.all / 2**20:.0f} MiB, course on disk {size(rough.course):.0f} MB"
        )
        for name, used in rough.seconds.items():
            print(f"  {name:<10} {used:8.1f} s   clean {clean.seconds.get(name, 0.0):8.1f} s")
    return 0


def two_modules(root: Path) -> Path:
    """A workspace with the tests' small module under two numbers."""
    import tiny_course

    from grading.authoring import release
    from tito.workspace import Workspace

    files = {}
    for number, name in (("06", "06_first"), ("07", "07_tiny")):
        short = name.partition("_")[2]
        for path, text in (
            ("modules/07_tiny/module.toml", tiny_course.TOML),
            ("modules/07_tiny/tests/test_box.py", tiny_course.PUBLIC),
            ("grading/source/07_tiny/tiny_dev.py", tiny_course.SOURCE),
            ("grading/tests/07_tiny/test_box_hidden.py", tiny_course.HIDDEN),
        ):
            for old, new in (
                ("07_tiny", name),
                ('"07"', f'"{number}"'),
                ("07 ", f"{number} "),
                ("tiny_dev", f"{short}_dev"),
                ("core/tiny", f"core/{short}"),
                ("core.tiny", f"core.{short}"),
            ):
                path, text = path.replace(old, new), text.replace(old, new)
            files[path] = text
    workspace = Workspace(tiny_course.write_course(root, files))
    for number in DEADLINES:
        release.release(workspace.module(number), workspace)
    return workspace.root


def write_inboxes(folder: Path, root: Path, count: int, draw: random.Random) -> dict[str, int]:
    """Three waves of each module (in time, repeated, late), and the last submission of everybody.
    Returns how many zips were written for each module.
    """
    from tiny_course import fill

    from tito.workspace import Workspace

    written = {}
    for number, due in DEADLINES.items():
        module = Workspace(root).module(number)
        released = json.loads(module.notebook.read_text(encoding="utf-8"))
        last: dict[str, tuple[str, str]] = {}
        written[number] = 0
        for wave, share, day in (("in-time", 1.0, 18), ("repeated", 0.2, 19), ("late", 0.1, 21)):
            inbox = folder / f"inbox-{number}-{wave}"
            inbox.mkdir()
            for student in range(count):
                if draw.random() > share:
                    continue
                wrong = draw.choice(MISTAKES)
                text = json.dumps(fill(released, **wrong, answer=f"{wave} answer {student}"))
                if student % 20 == 19:
                    worse = json.loads(text)
                    cell = next(c for c in worse["cells"] if c.get("id") == "double")
                    cell["source"] += "\n" + HOSTILE[student // 20 % len(HOSTILE)]
                    text = json.dumps(worse)
                when = f"{due[:8]}{day}T10:00:00+0000"
                pack(inbox, module, f"s{student:03d}", text, when)
                last[f"s{student:03d}"] = text, when
                written[number] += 1
        final = folder / f"last-{number}"
        final.mkdir()
        for student, (text, when) in last.items():
            pack(final, module, student, text, when)
    return written


def pack(inbox: Path, module: object, student: str, text: str, when: str) -> None:
    with zipfile.ZipFile(inbox / f"{student}.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{module.stem}.ipynb", text)
        facts = {"module": module.name, "student": student, "time": when}
        archive.writestr("manifest.json", json.dumps(facts))


def new_term(root: Path, workspace: Path, url: str | None) -> Term:
    """A course with both modules and their deadlines; in PostgreSQL if there is a `url`."""
    from grading.authoring import release
    from grading.engine.course.directory import Course
    from grading.engine.nbgrader.library import gradebook
    from tito.workspace import Workspace

    house = Workspace(workspace)
    Course.create(root, house)
    if url:
        config = root / "nbgrader_config.py"
        said = config.read_text(encoding="utf-8")
        config.write_text(f"{said}\nc.CourseDirectory.db_url = {url!r}\n", encoding="utf-8")
    for number, due in DEADLINES.items():
        module = house.module(number)
        release.release_to_course(module, Course(root))
        with gradebook(Course(root).db_url) as book:
            book.update_or_create_assignment(module.name, duedate=due)
    return Term(workspace, root)


def live(term: Term, folder: Path, scheduler: str, kills: int, seed: int) -> int:
    """The term: each wave is collected and graded, while the engine is killed now and then."""
    draw, left = random.Random(seed), kills
    for number in DEADLINES:
        for wave in ("in-time", "repeated", "late"):
            inbox = folder / f"inbox-{number}-{wave}"
            term.tito("grade", "collect", str(inbox), "--module", number)
            begin = time.monotonic()
            while True:
                engine = subprocess.Popen(
                    [
                        *command("grade", "autograde", number, "--scheduler", scheduler),
                        "--course",
                        str(term.course),
                    ],
                    cwd=term.workspace,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                    text=True,
                    env=environment(),
                )
                try:
                    _, said = engine.communicate(timeout=draw.uniform(8, 25) if left else None)
                except subprocess.TimeoutExpired:
                    engine.send_signal(signal.SIGKILL)
                    engine.communicate()
                    left -= 1
                    continue
                if engine.returncode:
                    raise SystemExit(f"autograde {number}: {said[-1500:]}")
                break
            used = term.seconds.get("autograde", 0.0)
            term.seconds["autograde"] = used + time.monotonic() - begin
    return kills - left


class Reaper:
    """Kills a random worker each `every` seconds and starts another one."""

    def __init__(self, machines: object, every: float, seed: int):
        self.machines, self.every, self.draw = machines, every, random.Random(seed)
        self.killed = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._reap, daemon=True)

    def __enter__(self) -> Reaper:
        self._thread.start()
        return self

    def __exit__(self, *problem: object) -> None:
        self._stop.set()
        self._thread.join()

    def _reap(self) -> None:
        while not self._stop.wait(self.every):
            alive = [worker for worker in self.machines.workers if worker.poll() is None]
            victim = self.draw.choice(alive)
            victim.kill()
            self.killed += 1
            self.machines.add_worker(niceness=19 if victim is alive[-1] else 0)


def marks(term: Term) -> dict[tuple[str, str], dict[str, str]]:
    """(module, student) -> the row of `tito grade export`."""
    found = {}
    for number in DEADLINES:
        text = term.tito("grade", "export", number)
        for row in csv.DictReader(io.StringIO(text)):
            key = (number, row["student"])
            if key in found:
                raise SystemExit(f"{key} has two rows")
            found[key] = row
    return found


def answers(term: Term, found: dict[tuple[str, str], dict[str, str]]) -> None:
    """A person grades every answer, and every student gets a page."""
    from grading.engine.course.directory import Course
    from grading.engine.marks.mark import mark
    from tito.workspace import Workspace

    begin = time.monotonic()
    course = Course(term.course)
    for number, student in found:
        assignment = course.assignment(number, Workspace(term.workspace))
        mark(course, assignment, student, "q_why", float(int(student[1:]) % 5), None)
    term.seconds["mark"] = time.monotonic() - begin
    for number in DEADLINES:
        term.tito("grade", "feedback", number, check=False)


def report(
    rough: Term,
    clean: Term,
    found: dict[tuple[str, str], dict[str, str]],
    wanted: dict[tuple[str, str], dict[str, str]],
    written: dict[str, int],
    students: int,
) -> None:
    asked = ("total", "penalty", "final", "test_double", "test_box", "contract_box")
    lost = [key for key in wanted if key not in found]
    different = [
        key
        for key in wanted
        if key in found and any(found[key][name] != wanted[key][name] for name in asked)
    ]
    replaced = len(list((rough.course / "replaced").rglob("*.ipynb")))
    kept = len(list((rough.course / "submitted").glob("*/*/*.ipynb")))
    pages = len(list((rough.course / "feedback").rglob("*.html")))
    total = sum(float(row["total"]) for row in wanted.values())
    print(
        f"{sum(written.values())} submissions of {students} students: lost {len(lost)}, different"
        f" {len(different)}, kept {kept} + replaced {replaced}; feedback pages {pages}; sum of"
        f" points {sum(float(row['total']) for row in found.values()):g}, clean {total:g}"
    )
    for key in different[:5]:
        print("  different:", key, {name: (found[key][name], wanted[key][name]) for name in asked})


def size(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


if __name__ == "__main__":
    sys.exit(main())

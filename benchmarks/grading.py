"""How fast a class is graded: the engine compared with `nbgrader autograde` on the same
submissions, in one run.

    python benchmarks/grading.py versus [--submissions 50] [--jobs 2]
        both, submissions per minute and their ratio
    python benchmarks/grading.py hostile [--submissions 200] [--jobs 2]
        the engine alone, one submission in ten hostile
    python benchmarks/grading.py scale [--counts 100,300,1000]
        a small course: seconds and memory against the count

Submissions of 08_dataloader are its reference, its other right and its wrong solutions in turn.
nbgrader runs every cell of a notebook in one kernel and no sealed test. The engine runs the cells
and the sealed tests, all isolated, but not the cells tagged `demo` (trainings and sweeps), which
nbgrader cannot leave out. With --without-demos, the submissions do not contain these cells, so
nbgrader does not run them either. Results from a busy machine are not valid, so the load is printed
beside them.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from machine import ROOT, about, children_seconds, load

sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
MODULE = "08_dataloader"
# one in ten submissions has one of these lines at the top of its first editable cell
HOSTILE = [
    "while True: pass",
    "import os; os._exit(1)",
    "print('x' * 50_000_000)",
    "data = [bytearray(2**26) for _ in range(200)]",
    "import os; [os.fork() for _ in range(20)]",
]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("mode", choices=("versus", "hostile", "scale"))
    parser.add_argument("--submissions", type=int)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--without-demos", action="store_true")
    parser.add_argument("--counts", default="100,300,1000")
    args = parser.parse_args()
    print(f"{about()}, load {load()}", flush=True)
    with tempfile.TemporaryDirectory(prefix="tito-benchmark-") as folder:
        if args.mode == "scale":
            scale(Path(folder), [int(count) for count in args.counts.split(",")], args.jobs)
        elif args.mode == "versus":
            versus(Path(folder), args.submissions or 50, args.jobs, not args.without_demos)
        else:
            hostile(Path(folder), args.submissions or 200, args.jobs)
    print(f"load {load()}")
    return 0


def versus(folder: Path, count: int, jobs: int, demos: bool) -> None:
    course = make_class(folder / "class", count, demos=demos)
    stock = folder / "stock"
    shutil.copytree(course, stock)
    (stock / "nbgrader_config.py").write_text(
        "c = get_config()\nc.CourseDirectory.root ="
        f" {str(stock)!r}\nc.ExecutePreprocessor.timeout = 120\n",
        encoding="utf-8",
    )
    ours, cpu = engine(course, jobs)
    begin, used = time.monotonic(), children_seconds()
    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", "autograde", MODULE],
        cwd=stock,
        capture_output=True,
        text=True,
        errors="replace",
        env={
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        },
    )
    theirs, their_cpu = time.monotonic() - begin, children_seconds() - used
    graded = len(list((stock / "autograded").glob(f"*/{MODULE}/*.ipynb")))
    print(f"{'':<34} {'seconds':>9} {'a minute':>9} {'CPU-s each':>11}")
    print(
        f"{'engine, --jobs ' + str(jobs):<34} {ours:>9.1f} {60 * count / ours:>9.1f}"
        f" {cpu / count:>11.2f}"
    )
    print(
        f"{'nbgrader autograde':<34} {theirs:>9.1f} {60 * graded / theirs:>9.1f}"
        f" {their_cpu / count:>11.2f}   {graded} of {count} graded, exit {done.returncode}"
    )
    print(f"submissions per minute: {theirs / ours * count / max(graded, 1):.1f} times nbgrader's")
    overhead(course)


def hostile(folder: Path, count: int, jobs: int) -> None:
    course = make_class(folder / "class", count, hostile_every=10)
    seconds, cpu = engine(course, jobs, timeout=20)
    asked = sum(bool(report["reasons"]) for report in reports_of(course))
    print(
        f"{count} submissions, {asked} with a reason"
        f" for a person: {seconds:.1f} s, {60 * count / seconds:.0f} a minute,"
        f" {cpu / count:.2f} CPU-s each"
    )


def overhead(course: Path) -> None:
    """The cost of grading besides the student's own code, compared with a plain Python that runs
    the same cells.
    """
    from tito.notebook.cells import read_ipynb
    from tito.run.runner import make_scratch, run_cells

    reports = reports_of(course)
    for stage in ("contract", "notebook"):
        used = [report["stages"][stage] for report in reports if stage in report["stages"]]
        print(
            f"  {stage:<10} median {statistics.median(u[0] for u in used):.2f} s wall,"
            f" {statistics.median(u[1] for u in used):.2f} CPU-s, with its sandbox"
        )
    module = workspace_module()
    scratch = course.parent / "plain"
    cells = read_ipynb(course / "submitted" / "s000" / MODULE / f"{module.stem}.ipynb")
    make_scratch(module, cells, scratch)
    used = children_seconds()
    rows = run_cells(cells, scratch, timeout_seconds=300)
    with_start = children_seconds() - used
    print(
        "  plain Python: the cells of one submission take"
        f" {sum(row.cpu_seconds for row in rows):.2f} CPU-s, {with_start:.2f} with the start"
        " of Python and all imports"
    )


def workspace_module():
    from tito.workspace import Workspace

    return Workspace(ROOT).module(MODULE)


def make_class(root: Path, count: int, hostile_every: int = 0, *, demos: bool = True) -> Path:
    """A course with `count` submissions s000, s001, ... of 08_dataloader."""
    from grading.authoring import release
    from grading.authoring.variants.splice import splice
    from grading.engine.course import references
    from grading.engine.course.directory import Course
    from grading.engine.course.variants import read_right, read_wrong
    from tito.workspace import Workspace

    module = workspace_module()
    course = Course.create(root, Workspace(ROOT))
    release.release_to_course(module, course)
    released = json.loads(
        (root / "release" / MODULE / f"{module.stem}.ipynb").read_text(encoding="utf-8")
    )
    released["cells"] = [
        cell
        for cell in released["cells"]
        if demos or "demo" not in cell["metadata"].get("tags", [])
    ]
    reference = references.read_source(module)
    secrets = references.secrets_of(module)
    variants = [
        None,
        *read_right(secrets / "right"),
        *read_wrong(secrets / "wrong")[0][::4],
    ]
    for number in range(count):
        variant = variants[number % len(variants)]
        solved = {
            cell.grade_id: cell.source
            for cell in (splice(reference, variant) if variant else reference)
            if cell.is_solution
        }
        notebook = json.loads(json.dumps(released))
        bad = hostile_every and number % hostile_every == hostile_every - 1
        for cell in notebook["cells"]:
            grade_id = cell["metadata"].get("nbgrader", {}).get("grade_id")
            if grade_id in solved:
                cell["source"] = solved[grade_id]
                if bad and cell["cell_type"] == "code":
                    cell["source"] += "\n" + HOSTILE[number // hostile_every % len(HOSTILE)]
                    bad = False
        folder = root / "submitted" / f"s{number:03d}" / MODULE
        folder.mkdir(parents=True)
        (folder / f"{module.stem}.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
        (folder / "timestamp.txt").write_text("2026-11-20 12:00:00 UTC\n", encoding="utf-8")
    return root


def engine(
    course: Path,
    jobs: int,
    timeout: int | None = None,
    module: str = MODULE,
    workspace: Path = ROOT,
) -> tuple[float, float]:
    """Wall seconds and CPU seconds of `tito grade autograde`, with everything that it starts."""
    words = ["grade", "autograde", module, "--course", str(course), "--jobs", str(jobs)]
    words += ["--timeout", str(timeout)] if timeout else []
    before, begin = children_seconds(), time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "tito", *words],
        cwd=workspace,
        capture_output=True,
        text=True,
        errors="replace",
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    seconds = time.monotonic() - begin
    if done.returncode:
        raise SystemExit(
            f"tito grade autograde ended with exit code {done.returncode}:"
            f" {done.stdout[-1000:]}{done.stderr[-2000:]}"
        )
    return seconds, children_seconds() - before


def reports_of(course: Path) -> list[dict[str, Any]]:
    """The report of each submission."""
    found = (course / "reports" / MODULE).glob("s[0-9]*.json")
    return [json.loads(path.read_text(encoding="utf-8")) for path in found]


def scale(folder: Path, counts: list[int], jobs: int) -> None:
    from grading.authoring import release
    from grading.engine.course.directory import Course
    from helpers.tiny_course import fill, make_workspace
    from tito.workspace import Workspace

    workspace = Workspace(make_workspace(folder / "repository"))
    module = workspace.module("07")
    release.release(module, workspace)
    notebook = json.dumps(fill(json.loads(module.notebook.read_text(encoding="utf-8"))))
    print(f"{'submissions':>11} {'seconds':>9} {'ms each':>9} {'engine MiB':>11} {'all MiB':>9}")
    for count in counts:
        course = Course.create(folder / f"class-{count}", workspace)
        release.release_to_course(module, course)
        for number in range(count):
            place = course.submitted(f"s{number:04d}", module)
            place.mkdir(parents=True)
            (place / "tiny_dev.ipynb").write_text(notebook, encoding="utf-8")
        with Memory() as memory:
            seconds, _ = engine(course.root, jobs, module="07", workspace=workspace.root)
        print(
            f"{count:>11} {seconds:>9.1f} {1000 * seconds / count:>9.1f}"
            f" {memory.engine / 2**20:>11.0f} {memory.all / 2**20:>9.0f}",
            flush=True,
        )


class Memory:
    """The peak of resident memory of this process's child, and of all its descendants together,
    measured every half second.
    """

    def __enter__(self) -> Memory:
        self.engine = self.all = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def _watch(self) -> None:
        import psutil

        while not self._stop.wait(0.5):
            total = 0
            for process in psutil.Process().children(recursive=True):
                try:
                    resident = process.memory_full_info().pss
                    if process.ppid() == os.getpid():
                        self.engine = max(self.engine, process.memory_info().rss)
                    total += resident
                except psutil.Error:
                    continue
            self.all = max(self.all, total)

    def __exit__(self, *problem: object) -> None:
        self._stop.set()
        self._thread.join()


if __name__ == "__main__":
    sys.exit(main())

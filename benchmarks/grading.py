"""How fast a class is graded: the engine compared with `nbgrader autograde` on the same
submissions, in one run.

    python benchmarks/grading.py [--submissions 50] [--jobs 2]

It prints the submissions per minute of both and their ratio.

Submissions of 08_dataloader are its reference, its other right and its wrong solutions in turn.
nbgrader runs every cell of a notebook in one kernel and no sealed test. The engine runs the cells
and the sealed tests, all isolated, but not the cells tagged `demo` (trainings and sweeps), so
nbgrader's copy has none of them. Results from a busy machine are not valid, so the load is printed
beside them.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from machine import ROOT, about, children_seconds, load

sys.path.insert(0, str(ROOT))  # before this folder, whose grading.py would hide the package

from tito.child_processes import finished

MODULE = "08_dataloader"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--submissions", type=int, default=50)
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    print(f"{about()}, load {load()}", flush=True)
    with tempfile.TemporaryDirectory(prefix="tito-benchmark-") as folder:
        versus(Path(folder), args.submissions, args.jobs)
    print(f"load {load()}")
    return 0


def versus(folder: Path, count: int, jobs: int) -> None:
    course = make_class(folder / "class", count)
    stock = folder / "stock"
    shutil.copytree(course, stock)
    (stock / "nbgrader_config.py").write_text(
        f"c = get_config()\nc.CourseDirectory.root = {str(stock)!r}\n"
        "c.ExecutePreprocessor.timeout = 120\n",
        encoding="utf-8",
    )
    for path in stock.glob("*/*/*/*.ipynb"):
        leave_out_demos(path)
    words = ["tito", "grade", "autograde", MODULE, "--course", course, "--jobs", jobs]
    engine = timed(words, ROOT)
    if engine.code:
        raise SystemExit(f"tito grade autograde ended with {engine.code}: {engine.said[-3000:]}")
    theirs = timed(["nbgrader", "autograde", MODULE], stock)
    graded = len(list((stock / "autograded").glob(f"*/{MODULE}/*.ipynb")))
    print(f"{'':<34} {'seconds':>9} {'a minute':>9} {'CPU-s each':>11}")
    for name, run, done in (
        (f"engine, --jobs {jobs}", engine, count),
        ("nbgrader autograde", theirs, graded),
    ):
        print(
            f"{name:<34} {run.seconds:>9.1f} {60 * done / run.seconds:>9.1f}"
            f" {run.cpu_seconds / count:>11.2f}"
        )
    print(f"nbgrader graded {graded} of {count}, exit {theirs.code}")
    times = theirs.seconds / engine.seconds * count / max(graded, 1)
    print(f"submissions per minute: {times:.1f} times nbgrader's")


@dataclass(frozen=True)
class Run:
    """A command that has ended; its CPU seconds are those of all that it started."""

    seconds: float
    cpu_seconds: float
    code: int
    said: str


def timed(words: list[Any], place: Path) -> Run:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)}
    command, before = [sys.executable, "-m", *map(str, words)], children_seconds()
    begin = time.monotonic()
    done = finished(command, place, environment, together=True)
    seconds = time.monotonic() - begin
    return Run(seconds, children_seconds() - before, done.returncode, done.stdout)


def make_class(root: Path, count: int) -> Path:
    """A course with `count` submissions s000, s001, ... of 08_dataloader."""
    from grading.authoring import release
    from grading.authoring.variants.splice import splice
    from grading.engine.course import references
    from grading.engine.course.directory import Course
    from grading.engine.course.wrong_and_right_solutions import read_right, read_wrong
    from tito.workspace import Workspace

    workspace = Workspace(ROOT)
    module, course = workspace.module(MODULE), Course.create(root, workspace)
    release.release_to_course(module, course)
    text = (root / "release" / MODULE / f"{module.stem}.ipynb").read_text(encoding="utf-8")
    reference = references.read_source(module)
    secrets = references.secrets_of(module)
    variants = [None, *read_right(secrets / "right"), *read_wrong(secrets / "wrong")[0][::4]]
    for number in range(count):
        variant = variants[number % len(variants)]
        solved = {
            cell.grade_id: cell.source
            for cell in (splice(reference, variant) if variant else reference)
            if cell.is_solution
        }
        notebook = json.loads(text)
        for cell in notebook["cells"]:
            grade_id = cell["metadata"].get("nbgrader", {}).get("grade_id")
            if grade_id in solved:
                cell["source"] = solved[grade_id]
        folder = root / "submitted" / f"s{number:03d}" / MODULE
        folder.mkdir(parents=True)
        (folder / f"{module.stem}.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
        (folder / "timestamp.txt").write_text("2026-11-20 12:00:00 UTC\n", encoding="utf-8")
    return root


def leave_out_demos(path: Path) -> None:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    cells = notebook["cells"]
    notebook["cells"] = [cell for cell in cells if "demo" not in cell["metadata"].get("tags", ())]
    path.write_text(json.dumps(notebook), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())

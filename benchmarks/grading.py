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
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from machine import ROOT, about, children_seconds, load

sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
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
        "c = get_config()\nc.CourseDirectory.root ="
        f" {str(stock)!r}\nc.ExecutePreprocessor.timeout = 120\n",
        encoding="utf-8",
    )
    for path in stock.glob("*/*/*/*.ipynb"):
        leave_out_demos(path)
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


def make_class(root: Path, count: int) -> Path:
    """A course with `count` submissions s000, s001, ... of 08_dataloader."""
    from grading.authoring import release
    from grading.authoring.variants.splice import splice
    from grading.engine.course import references
    from grading.engine.course.directory import Course
    from grading.engine.course.wrong_and_right import read_right, read_wrong
    from tito.workspace import Workspace

    workspace = Workspace(ROOT)
    module, course = workspace.module(MODULE), Course.create(root, workspace)
    release.release_to_course(module, course)
    released = json.loads(
        (root / "release" / MODULE / f"{module.stem}.ipynb").read_text(encoding="utf-8")
    )
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


def engine(course: Path, jobs: int) -> tuple[float, float]:
    """Wall seconds and CPU seconds of `tito grade autograde`, with everything that it starts."""
    words = ["grade", "autograde", MODULE, "--course", str(course), "--jobs", str(jobs)]
    before, begin = children_seconds(), time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "tito", *words],
        cwd=ROOT,
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


if __name__ == "__main__":
    sys.exit(main())

"""Does the same code get the same marks, however it is graded? Wrong and right solutions of a
module are graded again and again, and every row of every report is compared.

    python benchmarks/fair.py [MODULE] [--wrong 50] [--right 20] [--runs 5]

The runs are: `--runs` times with two jobs, once with one job in another time zone, and once on a
Dask cluster of two workers. Needs the extras [dev] and [cluster].
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[0] = str(ROOT)  # in this folder, `grading` is a benchmark and would hide the package


def build(place: Path, name: str, wrong: int, right: int) -> Any:
    """A course with one submission for each solution, and the module."""
    from grading.authoring import release
    from grading.authoring.check.splice import splice
    from grading.engine.course import references, variants
    from grading.engine.course.directory import Course
    from tito.notebook.cells import read_percent
    from tito.workspace import Workspace

    workspace = Workspace(ROOT)
    module = workspace.module(name)
    course = Course.create(place / "course", workspace)
    release.release_to_course(module, course)
    released = json.loads(course.released(module).read_text(encoding="utf-8"))
    reference = read_percent(references.source_path(module))
    home = ROOT / "grading"
    found, _ = variants.read_misconceptions(home / "misconceptions" / module.name)
    others = variants.read_alternatives(home / "alternatives" / module.name)
    every = max(1, len(found) // wrong)
    work = {f"wrong-{n:02}": splice(reference, one) for n, one in enumerate(found[::every][:wrong])}
    # The alternatives, again and again where there are fewer: each is a submission of its own.
    chosen = itertools.islice(itertools.cycle([None, *others]), right)
    for number, one in enumerate(chosen):
        work[f"right-{number:02}"] = reference if one is None else splice(reference, one)
    for student, cells in work.items():
        solved = {cell.grade_id: cell.source for cell in cells if cell.is_solution}
        notebook = json.loads(json.dumps(released))
        for cell in notebook["cells"]:
            grade_id = cell["metadata"].get("nbgrader", {}).get("grade_id")
            cell["source"] = solved.get(grade_id, cell["source"])
        folder = course.submitted(student, module)
        folder.mkdir(parents=True)
        (folder / f"{module.stem}.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    return course, module, len(found[::every][:wrong])


def marks(course: Any, module: Any, *options: str, zone: str | None = None) -> dict[str, Any]:
    """student -> grade_id -> (points, outcome of each sealed test), after one run."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **({"TZ": zone} if zone else {})}
    command = [sys.executable, "-m", "tito", "grade", "autograde", module.name, "--force"]
    command += ["--course", str(course.root), *options]
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: {done.stderr[-2000:]}")
    found = {}
    for path in sorted((course.root / "reports" / module.name).glob("*-*.json")):
        report = json.loads(path.read_text(encoding="utf-8"))
        found[report["student"]] = {
            cell["grade_id"]: (
                cell["points"],
                tuple((test["test"], test["status"]) for test in cell["tests"]),
            )
            for cell in report["cells"]
        }
    return found


@contextmanager
def cluster(place: Path) -> Iterator[str]:
    """The address of a Dask scheduler with two workers on loopback."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    dask = [sys.executable, "-m", "dask"]
    scheduler = ["scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"]
    worker = ["worker", address, "--nworkers", "2", "--nthreads", "1", "--no-dashboard"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with open(place / "dask.txt", "wb") as log:
        running = [
            subprocess.Popen([*dask, *one], cwd=place, env=environment, stdout=log, stderr=log)
            for one in (scheduler, worker)
        ]
        try:
            time.sleep(5)
            yield address
        finally:
            for one in reversed(running):
                one.terminate()
            for one in running:
                one.wait()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("module", nargs="?", default="08")
    parser.add_argument("--wrong", type=int, default=50)
    parser.add_argument("--right", type=int, default=20)
    parser.add_argument("--runs", type=int, default=5)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder).resolve()
        course, module, wrong = build(place, chosen.module, chosen.wrong, chosen.right)
        rounds = [(f"run {n + 1}, two jobs", ["--jobs", "2"], None) for n in range(chosen.runs)]
        rounds.append(("one job, another time zone", ["--jobs", "1"], "Pacific/Kiritimati"))
        first, differing = {}, 0
        with cluster(place) as address:
            rounds.append(("Dask, two workers", ["--scheduler", address], None))
            for name, options, zone in rounds:
                begin = time.perf_counter()
                found = marks(course, module, *options, zone=zone)
                first = first or found
                other = [
                    f"{student} {grade_id}: {first[student][grade_id]} then {row}"
                    for student, rows in found.items()
                    for grade_id, row in rows.items()
                    if first[student][grade_id] != row
                ]
                differing += len(other)
                print(
                    f"{name:<28} {len(found)} submissions, {len(other)} marks differ from run 1,"
                    f" {time.perf_counter() - begin:.0f} s",
                    *other[:8],
                    sep="\n  ",
                    flush=True,
                )
        total = {
            student: sum(row[0] or 0 for row in rows.values()) for student, rows in first.items()
        }
        best = max(total.values())
        full = sum(points == best for name, points in total.items() if name.startswith("right"))
        kept = sum(points == best for name, points in total.items() if name.startswith("wrong"))
        print(f"{full} of {chosen.right} right and {kept} of {wrong} wrong solutions have {best:g}")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())

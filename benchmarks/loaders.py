"""Compares the course's DataLoader with the loaders of other libraries: the same data and the same
work, on this machine.

    python benchmarks/loaders.py                        everything that is installed; half an hour
    python benchmarks/loaders.py --quick                small sizes, two rounds: does it run?
    python benchmarks/loaders.py --case memory --loader ours pytorch --png out/loaders.png
    python benchmarks/loaders.py --also my_loader.py    a file with NEEDS, VARIANTS and make, as in
                                                        benchmarks/peers

For the other libraries: python -m venv peers; peers/bin/pip install -r benchmarks/peers.txt -e .;
then run it with peers/bin/python.

xG is the time of an epoch over the time of the bare gather of its rows, `np.take(x, idx, axis=0,
out=buf, mode="clip")`, timed in turn in the same process: the physical limit for shuffled rows is
1. Every loader runs in processes of its own, one after the other, and all loaders are measured
twice (`LAPS`), so that a slow minute of the machine does not affect one loader alone. A loader that
is missing, fails or hangs gets a line with the reason; the others continue. BLAS has one thread in
every process.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import importlib.util
import json
import os
import platform
import signal
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

HERE, ROOT = Path(__file__).resolve().parent, Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # before this folder, whose grading.py would hide the package

from peers import NAMES, child, table  # noqa: E402

MODULE, SAMPLES, LAPS = "08", 50_000, 2
CASES = ("memory", "augment", "step", "memmap", "order", "scale")
DRAWN = CASES[:4]
INSTALL = "not installed: pip install -r benchmarks/peers.txt"


@dataclass(frozen=True)
class Task:
    """A case at one size. `variants` is its key in a peer's VARIANTS."""

    case: str
    variants: str
    samples: int


def tasks(case: str, samples: int, quick: bool) -> list[list[Task]]:
    """The tasks for a value of `--case`, in groups whose figures are compared with each other."""
    if case == "memory":
        return [[Task(f"memory {dtype}", case, samples)] for dtype in ("uint8", "float32")]
    if case == "memmap":  # 650,000 images are 2.0 GB
        return [
            [Task(case, case, samples)],
            [Task("resident", "resident", 20_000 if quick else 650_000)],
        ]
    if case == "order":
        return [[Task(case, case, 200_000 if quick else 10_000_000)]]
    if case == "scale":
        return [
            [
                Task(f"scale {count:,}", case, count)
                for count in ((500, samples) if quick else (1_000, 10_000, 100_000, 1_000_000))
            ]
        ]
    return [[Task(case, case, samples)]]


def main() -> int:
    options = parse()
    peers = {name: child.load_peer(name) for name in (*NAMES, *options.also)}
    wanted = {
        name: peer
        for name, peer in peers.items()
        if not options.loader or short(name) in options.loader or name in options.also
    }
    machine = {
        "cpus": os.cpu_count(),
        "machine": platform.machine(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        "versions": dict(versions(wanted)),
    }
    print(table.heading(machine, options.rounds, options.quick), flush=True)
    results: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="loaders-") as folder:
        env = environment(export_reference(Path(folder) / "reference"))
        for group in (
            group for case in options.case for group in tasks(case, options.samples, options.quick)
        ):
            finished = table.finish(
                [run_task(task, wanted, options, env, Path(folder)) for task in group]
            )
            results += finished
            print("\n".join(table.lines(task) for task in finished), flush=True)
            if options.json:
                # after each group, so that an interrupted run keeps its results
                save(
                    options.json,
                    {
                        "machine": machine,
                        "rounds": options.rounds,
                        "quick": options.quick,
                        "cases": results,
                    },
                )
    print(table.summary(results))
    if options.png:
        from peers import picture

        print("\n".join(f"wrote {path}" for path in picture.write(results, options.png)))
    return 0


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--case",
        nargs="+",
        choices=CASES,
        default=list(CASES),
        metavar="CASE",
        help=", ".join(CASES),
    )
    parser.add_argument("--loader", nargs="+", choices=NAMES, metavar="NAME", help=", ".join(NAMES))
    parser.add_argument(
        "--also", nargs="+", default=[], metavar="FILE.py", help="peers of your own"
    )
    parser.add_argument(
        "--rounds",
        type=int,
        help="epochs that are timed, over all laps (default 8, with --quick 2)",
    )
    parser.add_argument(
        "--samples",
        type=int,
        help=f"images of the data set (default {SAMPLES:,}, with --quick 2,000)",
    )
    parser.add_argument(
        "--limit",
        type=float,
        default=300,
        metavar="SECONDS",
        help="for one process; a loader that takes longer is ended",
    )
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--png", type=Path, metavar="FILE", help="FILE and, beside it, FILE-dark")
    options = parser.parse_args()
    options.rounds = options.rounds or (2 if options.quick else 8)
    options.samples = options.samples or (2_000 if options.quick else SAMPLES)
    if options.rounds < 1 or options.samples < 1:
        parser.error(
            f"--rounds and --samples must be 1 or more, got {options.rounds} and {options.samples}"
        )
    if options.png and not set(DRAWN) & set(options.case):
        parser.error(f"--png draws the cases {', '.join(DRAWN)}; add one to --case")
    if options.png and importlib.util.find_spec("matplotlib") is None:
        parser.error("--png needs matplotlib: pip install matplotlib")
    options.also = [str(Path(name).resolve()) for name in options.also]
    return options


def save(path: Path, record: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"schema": 1, **record}, indent=1), encoding="utf-8")


def short(name: str) -> str:
    return Path(name).stem if name.endswith(".py") else name


def missing(peer: ModuleType) -> bool:
    return any(importlib.util.find_spec(name) is None for name in peer.NEEDS)


def versions(peers: dict[str, ModuleType]) -> Iterator[tuple[str, str]]:
    distributions = (
        importlib.metadata.packages_distributions()
        if hasattr(importlib.metadata, "packages_distributions")
        else {}
    )
    for name in sorted(
        {name for peer in peers.values() if not missing(peer) for name in peer.NEEDS}
    ):
        yield name, importlib.metadata.version(distributions.get(name, [name])[0])


def export_reference(destination: Path) -> Path:
    """A scratch package whose tinytorch holds the reference solution, as `tito export` would
    write it.
    """
    from tito.notebook.cells import read_percent
    from tito.run.runner import make_scratch
    from tito.workspace import Workspace

    module = Workspace(ROOT).module(MODULE)
    return make_scratch(
        module,
        read_percent(ROOT / "grading" / "source" / module.name / module.script.name),
        destination,
    )


def environment(package: Path) -> dict[str, str]:
    from tito.children import ONE_THREAD

    # PyTorch's own threads, which OpenMP runs, keep the default of this machine.
    threads = {name: one for name, one in ONE_THREAD.items() if name != "OMP_NUM_THREADS"}
    return {
        **os.environ,
        **threads,
        "PYTHONPATH": os.pathsep.join([str(package), str(HERE)]),
        "PYTHONUTF8": "1",
    }


def run_task(
    task: Task,
    peers: dict[str, ModuleType],
    options: argparse.Namespace,
    env: dict[str, str],
    folder: Path,
) -> dict[str, Any]:
    """Every loader's row of one case: {"case", "samples", "rows"}."""
    rows: dict[str, dict[str, Any]] = {}
    laps = min(LAPS, options.rounds) if task.variants not in ("order", "resident") else 1
    for lap in range(laps):
        rounds = options.rounds // laps + (lap < options.rounds % laps)
        for name, peer in peers.items():
            if task.variants not in peer.VARIANTS:
                continue
            if missing(peer):
                rows[name] = {"loader": short(name), "reason": INSTALL}
                continue
            for variant in peer.VARIANTS[task.variants]:
                label = f"{short(name)}: {variant}"
                if "reason" in rows.setdefault(label, {"loader": label, "rounds": []}):
                    continue
                print(
                    f"  {task.case}, lap {lap + 1}: {label}".ljust(100)[:100],
                    end="\r",
                    file=sys.stderr,
                    flush=True,
                )
                request = {
                    "peer": name,
                    "variant": variant,
                    "case": task.case,
                    "samples": task.samples,
                    "rounds": rounds,
                    "first": lap == 0,
                    "quick": options.quick,
                }
                record = run_child(request, env, options.limit, folder / "record.json")
                record["rounds"] = rows[label]["rounds"] + record.pop("rounds", [])
                rows[label].update(record)
    print(" " * 100, end="\r", file=sys.stderr, flush=True)
    return {
        "case": task.case,
        "samples": task.samples,
        "rows": [with_figures(row, task.samples) for row in rows.values()],
    }


def run_child(
    request: dict[str, Any], env: dict[str, str], limit: float, path: Path
) -> dict[str, Any]:
    """The record of one process, or {"reason": why there is none}."""
    path.unlink(missing_ok=True)
    process = subprocess.Popen(
        [sys.executable, "-m", "peers.child", json.dumps(request), str(path)],
        env=env,
        stdin=subprocess.DEVNULL,
        cwd=path.parent,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        _, errors = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        end(process)
        return {"reason": f"ended after {limit:g} s, the time limit for one process (--limit)"}
    except BaseException:
        end(process)
        raise
    if process.returncode != 0 or not path.exists():
        lines = [line for line in errors.decode("utf-8", "replace").splitlines() if line.strip()]
        return {
            "reason": (
                f"failed with {process.returncode}:"
                f" {lines[-1].strip()[:160] if lines else 'it said nothing'}"
            )
        }
    record = json.loads(path.read_text(encoding="utf-8"))
    return {"reason": record["absent"]} if "absent" in record else record


def end(process: subprocess.Popen) -> None:
    """End the process and its workers, which are in its process group (on POSIX systems)."""
    if hasattr(os, "killpg"):
        os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.communicate()


def with_figures(row: dict[str, Any], samples: int) -> dict[str, Any]:
    """The row with the results of its rounds: medians and their spread (interquartile range over
    median).
    """
    if not row.get("rounds") or "reason" in row:
        return row
    seconds = [one["epoch"] for one in row["rounds"]]
    row["seconds"] = statistics.median(seconds)
    row["samples_per_second"] = samples / row["seconds"]
    for figure, under in (("xg", "limit"), ("over_steps", "steps")):
        if row["rounds"][0].get(under):
            ratios = [one["epoch"] / one[under] for one in row["rounds"]]
            row[figure], row[f"{figure}_spread"] = statistics.median(ratios), spread(ratios)
            row[f"{under}_seconds"] = statistics.median(one[under] for one in row["rounds"])
    if "list" in row["rounds"][0]:
        row["times_list"] = statistics.median(one["list"] / one["epoch"] for one in row["rounds"])
    if row.get("peak_batches") is not None:
        # the order of an epoch takes 8 bytes per sample, and has a bar of its own
        row["peak_batches_above_order"] = (row["peak_bytes"] - 8 * samples) / row["batch_bytes"]
    return row


def spread(values: list[float]) -> float:
    low, high = np.percentile(values, [25, 75])
    return float(high - low) / statistics.median(values)


if __name__ == "__main__":
    sys.exit(main())

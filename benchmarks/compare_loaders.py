"""Compares the course's DataLoader with the loaders of other libraries: the same data and the same
work, on this machine.

    python benchmarks/compare_loaders.py              everything that is installed; half an hour
    python benchmarks/compare_loaders.py --quick      small sizes, two rounds: does it run?
    python benchmarks/compare_loaders.py --case memory --loader ours pytorch
    python benchmarks/compare_loaders.py --only per_sample
        the rows with this in their name, and those that a bar compares with them; faster with
        --laps 1 --rounds 3 --loader ours pytorch
    python benchmarks/compare_loaders.py --also my_loader.py
        a file with NEEDS and ROWS, as in benchmarks/peers

For the other libraries: python -m venv peers; peers/bin/pip install -r benchmarks/peers.txt -e .;
then run it with peers/bin/python.

xG is the time of an epoch over the time of the bare gather of its rows, `np.take(x, idx, axis=0,
out=buf, mode="clip")`, timed in turn in the same process: the physical limit for shuffled rows is
1. Every loader runs in processes of its own, one after the other, and all loaders are measured
in several laps (`--laps`), so that a slow minute of the machine does not affect one loader alone. A
loader that is missing, fails or hangs gets a line with the reason; the others continue. BLAS has
one thread in every process.

The exit code is 1 if a bar is missed, a peer is ahead, or a row of ours was not measured; with
--quick the bars are printed and not judged.
"""

from __future__ import annotations

import argparse
import functools
import importlib.metadata
import itertools
import json
import os
import platform
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from machine import CLOCKS, ROOT

sys.path.insert(0, str(ROOT))  # before this folder, whose grading.py would hide the package

from peers import NAMES, child, table
from peers.processes import Task, environment, export_references, missing, run, short

SAMPLES = 50_000
CASES = ("memory", "augment", "step", "memmap", "order", "scale")


def tasks(case: str, samples: int, quick: bool) -> list[list[Task]]:
    """The tasks for a value of `--case`, in groups whose figures are compared with each other."""
    usual = [Task(case, samples)]
    resident = Task("resident", 20_000 if quick else 650_000)  # 2.0 GB
    sizes = (500, samples) if quick else (1_000, 10_000, 100_000, 1_000_000)
    special = {
        "memory": [[Task(f"memory {dtype}", samples)] for dtype in ("uint8", "float32")],
        "memmap": [usual, [resident]],
        "order": [[Task(case, 200_000 if quick else 10_000_000)]],
        "scale": [[Task(f"scale {count:,}", count) for count in sizes]],
    }
    return special.get(case, [usual])


def main() -> int:
    options = parse()
    peers = {name: child.load_peer(name) for name in (*NAMES, *options.also)}
    wanted = {
        name: peer
        for name, peer in peers.items()
        if not options.loader or short(name) in options.loader or name in options.also
    }
    groups = [tasks(case, options.samples, options.quick) for case in options.case]
    todo = [
        kept
        for group in itertools.chain.from_iterable(groups)
        if (kept := [task for task in group if task.rows(wanted, options.only)])
    ]
    if not todo:
        print(
            f"no row of {', '.join(options.case)} has {' or '.join(options.only)} in its name;"
            " run without --only to see the names",
            file=sys.stderr,
        )
        return 2
    record = {"machine": machine(wanted), "cases": []}
    record |= {"rounds": options.rounds, "quick": options.quick, "clock": options.clock}
    print(table.heading(record), flush=True)
    with tempfile.TemporaryDirectory(prefix="loaders-") as folder:
        env = environment(export_references(Path(folder) / "reference"))
        for group in todo:
            finished = table.finish(
                [run(task, wanted, options, env, Path(folder)) for task in group]
            )
            record["cases"] += finished
            print("\n".join(table.lines(task) for task in finished), flush=True)
            if options.json:  # after each group, so that an interrupted run keeps its results
                text = json.dumps({"schema": 1, **record}, indent=1)
                options.json.parent.mkdir(parents=True, exist_ok=True)
                options.json.write_text(text, encoding="utf-8")
    print(table.summary(record["cases"]))
    return exit_code(record)


def exit_code(record: dict[str, Any]) -> int:
    return int(not record["quick"] and any(table.found_wanting(record["cases"]).values()))


def machine(peers: dict[str, ModuleType]) -> dict[str, Any]:
    return {
        "cpus": os.cpu_count(),
        "machine": platform.machine(),
        "numpy": np.__version__,
        "versions": dict(versions(peers)),
    }


# option -> (default, default with --quick, help)
COUNTS = {
    "rounds": (8, 2, "epochs that are timed, over all laps"),
    "laps": (4, 1, "processes that share the rounds"),
    "samples": (SAMPLES, 2_000, "images of the data set"),
}


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add, some = parser.add_argument, functools.partial(parser.add_argument, nargs="+")
    some("--case", choices=CASES, default=list(CASES), metavar="CASE", help=", ".join(CASES))
    some("--loader", choices=NAMES, metavar="NAME", help=", ".join(NAMES))
    with_text = "rows with this in their name, and those that a bar compares with them"
    some("--only", default=[], metavar="TEXT", help=with_text)
    some("--also", default=[], metavar="FILE.py", help="peers of your own")
    add("--clock", choices=CLOCKS, default="wall", help="cpu: CPU seconds, with those of workers")
    for name, (usual, quick, text) in COUNTS.items():
        add(f"--{name}", type=int, help=f"{text} (default {usual:,}, with --quick {quick:,})")
    add(
        "--limit",
        type=float,
        default=300,
        metavar="SECONDS",
        help="for one process; then it is ended",
    )
    add("--quick", action="store_true")
    add("--json", type=Path, metavar="FILE")
    options = parser.parse_args()
    for name, (usual, quick, _) in COUNTS.items():
        count = getattr(options, name) or (quick if options.quick else usual)
        if count < 1:
            parser.error(f"--{name} must be 1 or more, got {count}")
        setattr(options, name, count)
    options.also = [str(Path(name).resolve()) for name in options.also]
    return options


def versions(peers: dict[str, ModuleType]) -> Iterator[tuple[str, str]]:
    distributions = importlib.metadata.packages_distributions()
    needed = {name for peer in peers.values() if not missing(peer) for name in peer.NEEDS}
    for name in sorted(needed):
        yield name, importlib.metadata.version(distributions.get(name, [name])[0])


if __name__ == "__main__":
    sys.exit(main())

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
import json
import os
import platform
import sys
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from machine import CLOCKS, ROOT

sys.path.insert(0, str(ROOT))  # before this folder, whose grading.py would hide the package

from peers import NAMES, child, table
from peers.processes import Runner, Task, environment, export_references, missing, short

CASES = {
    "memory": ("memory uint8", "memory float32"),
    "augment": ("augment",),
    "step": ("step",),
}
SETTINGS = ("rounds", "laps", "limit", "only", "quick", "clock")  # of the Runner
# option -> (default, default with --quick, help)
COUNTS = {
    "rounds": (Runner.rounds, 2, "epochs that are timed, over all laps"),
    "laps": (Runner.laps, 1, "processes that share the rounds"),
    "samples": (50_000, 2_000, "images of the data set"),
}


def main() -> int:
    options = parse()
    peers = {name: child.load_peer(name) for name in (*NAMES, *options.also)}
    asked = {*(options.loader or NAMES), *map(short, options.also)}
    wanted = {name: peer for name, peer in peers.items() if short(name) in asked}
    tasks = [Task(case, options.samples) for name in options.case for case in CASES[name]]
    tasks = [task for task in tasks if task.rows(wanted, options.only)]
    if not tasks:
        print(
            f"no row of {', '.join(options.case)} has {' or '.join(options.only)} in its name;"
            " run without --only to see the names",
            file=sys.stderr,
        )
        return 2
    record: dict[str, Any] = {
        "schema": 1,
        "machine": machine(wanted),
        "rounds": options.rounds,
        "quick": options.quick,
        "clock": options.clock,
        "cases": [],
    }
    print(table.heading(record), flush=True)
    with tempfile.TemporaryDirectory(prefix="loaders-") as folder:
        runner = Runner(
            peers=wanted,
            env=environment(export_references(Path(folder) / "reference")),
            folder=Path(folder),
            **{name: getattr(options, name) for name in SETTINGS},
        )
        for task in tasks:
            finished = table.finish(runner.run(task))
            record["cases"].append(finished)
            print(table.lines(finished), flush=True)
            if options.json:
                # after each case, so that an interrupted run keeps its results
                options.json.parent.mkdir(parents=True, exist_ok=True)
                options.json.write_text(json.dumps(record, indent=1), encoding="utf-8")
    print(table.summary(record["cases"]))
    return exit_code(record)


def exit_code(record: dict[str, Any]) -> int:
    return int(not record["quick"] and any(table.found_wanting(record["cases"]).values()))


def machine(peers: dict[str, ModuleType]) -> dict[str, Any]:
    distributions = importlib.metadata.packages_distributions()
    needed = {name for peer in peers.values() if not missing(peer) for name in peer.NEEDS}
    versions = {
        name: importlib.metadata.version(distributions.get(name, [name])[0])
        for name in sorted(needed)
    }
    return {
        "cpus": os.cpu_count(),
        "machine": platform.machine(),
        "numpy": np.__version__,
        "versions": versions,
    }


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add, some = parser.add_argument, functools.partial(parser.add_argument, nargs="+")
    some("--case", choices=CASES, default=list(CASES), metavar="CASE", help=", ".join(CASES))
    some("--loader", choices=NAMES, metavar="NAME", help=", ".join(NAMES))
    some(
        "--only",
        default=[],
        metavar="TEXT",
        help="rows with this in their name, and those that a bar compares with them",
    )
    some("--also", default=[], metavar="FILE.py", help="peers of your own")
    add(
        "--clock",
        choices=CLOCKS,
        default="wall",
        help="cpu: seconds of the processor, for a busy machine; workers are added up",
    )
    for name, (usual, quick, text) in COUNTS.items():
        text = f"{text} (default {usual:,}, with --quick {quick:,})"
        add(f"--{name}", type=int, help=text)
    add(
        "--limit",
        type=float,
        default=300,
        metavar="SECONDS",
        help="for one process; a loader that takes longer is ended",
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


if __name__ == "__main__":
    sys.exit(main())

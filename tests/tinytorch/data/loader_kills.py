"""Kill workers, or the program itself, with SIGKILL at random moments while module 08b's loader
reads datasets and streams.

    python tests/tinytorch/data/loader_kills.py --rounds 100 --method fork [--seed 0]

Each round is a program of its own. Its settings (what is read, by how many workers, who is killed
and when) come from the round's number alone, so a round can be repeated with --seed NUMBER --rounds
1. The program must end with the error, and leave no process and no shared memory behind. The test
suite runs one round for each kind of dataset (test_killed_loaders.py).
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve()
sys.path.append(str(HERE.parent))

import leak_watch  # noqa: E402

KINDS = ("items", "batches", "stream in the main process", "stream in the workers")


class Items:
    """Map-style; the number of a sample is its value."""

    def __getitem__(self, index: int) -> np.ndarray:
        return np.full((3, 32, 32), index % 256, np.uint8)


class Batches(Items):
    """Also reads a whole batch at once."""

    def __getitems__(self, indices: np.ndarray) -> np.ndarray:
        return np.stack([self[index] for index in indices])


class Stream:
    """Endless. It cannot be divided."""

    def __iter__(self):
        return map(Items().__getitem__, itertools.count())


class Divided:
    """Endless. Each worker reads a part of its own."""

    def __iter__(self):
        from tinytorch.data.workers import worker_info

        worker = worker_info()
        return map(Items().__getitem__, itertools.count(worker.id, worker.num_workers))


def settings(number: int) -> dict:
    """Everything that a round does, drawn from its number."""
    rng = random.Random(number)
    return {
        "kind": KINDS[number % len(KINDS)],
        "num_workers": rng.randint(1, 4),
        "prefetch": rng.randint(1, 3),
        "persistent": rng.random() < 0.5,
        "size": rng.choice([1, 3, 64]),
        "batches": rng.randint(0, 20),
        "delay": rng.choice([0, rng.random() / 20]),
        "victims": rng.choice(["one", "one", "one", "all", "program"]),
    }


def inside(number: int, method: str) -> None:
    """One round."""
    from tinytorch.data.callback_loader import DataLoader
    from tinytorch.data.workers import WorkerDied, WorkerPool

    with WorkerPool(abs, 1, start_method=method) as pool:
        # what the first pool loads and keeps open is not a leak
        list(pool.run([1]))
    chosen = settings(number)
    datasets = dict(zip(KINDS, (Items(), Batches(), Stream(), Divided()), strict=True))
    dataset = datasets[chosen["kind"]]
    with leak_watch.nothing_left():
        loader = DataLoader(
            dataset,
            bs=chosen["size"],
            n=10**9 if hasattr(dataset, "__getitem__") else None,
            num_workers=chosen["num_workers"],
            prefetch=chosen["prefetch"],
            persistent_workers=chosen["persistent"],
            start_method=method,
        )
        batches = iter(loader)
        for _ in range(1 + chosen["batches"]):
            next(batches)
        killer = threading.Thread(target=kill, args=(number, chosen))
        killer.start()
        try:
            for _ in batches:
                pass
        except WorkerDied as error:
            assert "SIGKILL" in str(error), error
        killer.join()
        again = iter(loader)  # the next epoch has new workers
        next(again)
        again.close()
        loader.close()
    print("clean", flush=True)


def kill(number: int, chosen: dict) -> None:
    workers = leak_watch.children()
    time.sleep(chosen["delay"])  # any moment will do
    if chosen["victims"] == "program":
        print("ready", flush=True)
        return
    some = workers if chosen["victims"] == "all" else [random.Random(number).choice(workers)]
    for pid in some:
        os.kill(pid, signal.SIGKILL)


def run(number: int, method: str, package: Path) -> str | None:
    """None if the round went well, else what went wrong."""
    from fault_rounds import outcome

    environment = {**os.environ, "PYTHONPATH": str(package), "PYTHONUTF8": "1"}
    arguments = ("--inside", str(number), "--method", method)
    if settings(number)["victims"] == "program":
        return outcome("loader_kills.py", arguments, _kill, -signal.SIGKILL, environment)
    return outcome("loader_kills.py", arguments, None, 0, environment)


def _kill(program: subprocess.Popen) -> None:
    program.send_signal(signal.SIGKILL)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0, help="the number of the first round")
    parser.add_argument("--method", choices=("fork", "spawn"), default="fork")
    parser.add_argument("--inside", type=int, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.inside is not None:
        inside(args.inside, args.method)
        return 0
    from grading.engine.course.references import write_references
    from tito.workspace import Workspace

    course = Workspace(HERE.parents[3])
    failed: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="tito-kill-") as folder:
        package = Path(folder) / "package"
        course.copy_package(package)
        write_references(course.modules(), package)
        for number in range(args.seed, args.seed + args.rounds):
            problem = run(number, args.method, package)
            if problem:
                failed[settings(number)["kind"]] += 1
                print(f"round {number}, {settings(number)}: {problem}", flush=True)
    print(f"{args.method}: {args.rounds} rounds, {sum(failed.values())} failures {dict(failed)}")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())

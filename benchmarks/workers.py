"""The speedup from worker processes, and from shared memory between them, as ratios within one run.

    python benchmarks/workers.py [--rounds 7] [--quick]

The first table shows the rates of module 08b's reference with 1, 2 and 4 workers, divided by the
rate with none, for cheap items (a copy of a row) and expensive ones (a loop in Python). The second
shows the rate of batches sent through shared memory, divided by the rate of the same batches sent
through a pipe. In each round all are measured in turn and the ratio is computed within the round;
the median of the rounds is printed with the smallest and the largest. The workers of a loader start
before the measurement does. Results from a busy machine are not valid, so the load is printed
beside them.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MODULE = "08b"
WORKERS = (1, 2, 4)
# bytes of a batch: labels, 128 images of 3 x 32 x 32, 32 of 3 x 256 x 256
SIZES = (3_072, 393_216, 6_291_456)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument(
        "--quick", action="store_true", help="few items: to see that it runs, not how fast"
    )
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.rounds < 1:
        parser.error(f"--rounds is 1 or more, got {args.rounds}")
    if args.inside:
        measure(args.rounds, 0.05 if args.quick else 1.0)
        return 0
    print(
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, load"
        f" {_load()}; medians of {args.rounds} rounds",
        flush=True,
    )
    with tempfile.TemporaryDirectory(prefix="tito-benchmark-") as folder:
        path = workspace(Path(folder))
        words = [
            sys.executable,
            __file__,
            "--inside",
            "--rounds",
            str(args.rounds),
            *(["--quick"] if args.quick else []),
        ]
        code = subprocess.run(
            words, env={**os.environ, "PYTHONPATH": str(path)}, check=False
        ).returncode
    print(f"load {_load()}")
    return code


def workspace(folder: Path) -> Path:
    """A package with the references of the module and of what comes before it."""
    sys.path.insert(0, str(ROOT))
    from grading.engine.course.references import source_path, write_references
    from tito.notebook.cells import read_percent
    from tito.run.runner import make_scratch
    from tito.workspace import Workspace

    module = Workspace(ROOT).module(MODULE)
    path = make_scratch(module, read_percent(source_path(module)), folder / "workspace")
    write_references(Workspace(ROOT).before(module), path)
    return path


# This part runs in a process of its own, whose tinytorch holds the reference


def measure(rounds: int, share: float) -> None:
    items = {
        "cheap items": (cheap, int(20_000 * share)),
        "expensive items": (expensive, int(2_000 * share)),
    }
    print(
        f"{'':<18}"
        + "".join(f"{f'{count} workers' if count > 1 else '1 worker':>22}" for count in WORKERS)
        + "   times the rate without"
    )
    for name, (work, count) in items.items():
        found = [[rate(work, count, workers) for workers in (0, *WORKERS)] for _ in range(rounds)]
        print(
            f"{name:<18}"
            + "".join(
                f"{_middle([row[k] / row[0] for row in found]):>22}"
                for k in range(1, 1 + len(WORKERS))
            ),
            flush=True,
        )
    print(f"\n{'bytes of a batch':<18}{'shared memory':>22}   times the rate through a pipe")
    for size in SIZES:
        batches = max(3, min(400, int(600_000_000 * share / size)))
        found = [
            crossing(size, batches, True) / crossing(size, batches, False) for _ in range(rounds)
        ]
        print(f"{size:<18,}{_middle(found):>22}", flush=True)


def cheap(item):
    return item.copy()


def expensive(item):
    """About a millisecond of Python code, like decoding or augmenting without NumPy."""
    total = 0
    for number in range(20_000):
        total += number
    return item.copy()


def rate(after_item: Callable, num_items: int, workers: int) -> float:
    """Items per second in the second epoch; the workers start in the first."""
    import numpy as np

    from tinytorch.data.callback_loader import DataLoader

    images = np.zeros((num_items, 3, 32, 32), np.uint8)
    loader = DataLoader(
        images,
        bs=128,
        num_workers=workers,
        persistent_workers=workers > 0,
        after_item=after_item,
        n=min(num_items, 512),
    )
    for _ in loader:
        pass
    loader.n = num_items
    began = time.perf_counter()
    for _ in loader:
        pass
    seconds = time.perf_counter() - began
    loader.close()
    return num_items / seconds


def crossing(size: int, batches: int, shared_memory: bool) -> float:
    """Batches per second from one worker that already has them."""
    from tinytorch.data.workers import WorkerPool

    with WorkerPool(ready(size), 1, shared_memory=shared_memory) as pool:
        for _ in pool.run(range(3)):
            pass
        began = time.perf_counter()
        for _ in pool.run(range(batches)):
            pass
        return batches / (time.perf_counter() - began)


class ready:  # a callable with an array that `spawn` can pickle
    def __init__(self, size: int):
        import numpy as np

        self.batch = np.ones(size, np.uint8)

    def __call__(self, task: int):
        return self.batch


def _middle(ratios: list[float]) -> str:
    return f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"


def _load() -> str:
    return f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"


if __name__ == "__main__":
    sys.exit(main())

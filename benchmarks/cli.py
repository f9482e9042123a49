"""How fast tito answers: the median of 7 runs of each command, and the bar that it must stay under.

    python benchmarks/cli.py

The commands run in a scratch workspace with the finished notebook of 08_dataloader. Each run is a
new process; the first one, which compiles byte code, is not counted. Results from a busy machine
are not valid, so the load is printed beside them.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path

from machine import ROOT, about, load

sys.path.insert(0, str(ROOT))  # before this folder, whose grading.py would hide the package

from grading.authoring.demo import Stage, play_student, set_stage
from tito.child_processes import finished
from tito.workspace import Workspace

MODULE = "08_dataloader"
RUNS = 7
TITO = str(Path(sys.executable).with_name("tito"))
BARS = [  # (words, seconds)
    (["--help"], 0.050),
    (["hint", MODULE, "epoch_order", "--again"], 0.200),
    (["status"], 0.200),
    (["export", MODULE], 1.0),
    (["test", MODULE, "-k", "epoch_order"], 3.0),
    (["test", MODULE], 10.0),
    (["profile", MODULE], 10.0),
]


def main() -> int:
    print(f"{about()}, load {load()}; median of {RUNS}")
    print(f"{'command':<48} {'median':>9} {'fastest':>9} {'slowest':>9} {'bar':>8}")
    slow = 0
    with tempfile.TemporaryDirectory(prefix="tito-benchmark-") as folder:
        stage = set_stage(ROOT, Path(folder))
        play_student(Workspace(stage.workspace).module(MODULE), [])
        for words, bar in BARS:
            slow += not _row(words, stage, bar)
    print(f"{len(BARS) - slow} of {len(BARS)} under their bar; load {load()}")
    return 0


def _row(words: list[str], stage: Stage, bar: float) -> bool:
    """Print the times of one command; whether their median is under the bar."""
    name = f"tito {' '.join(words)}"
    seconds = [measure(words, stage) for _ in range(RUNS + 1)][1:]
    median = statistics.median(seconds)
    print(
        f"{name:<48} {median:>7.3f} s {min(seconds):>7.3f} s {max(seconds):>7.3f} s {bar:>6.2f} s"
        f"{'' if median <= bar else '  OVER'}",
        flush=True,
    )
    return median <= bar


def measure(words: list[str], stage: Stage) -> float:
    """Wall seconds from the start of `tito WORDS` to its end."""
    environment = stage.environment
    # Python would compile tito again for each command; a user's Python does it once.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    began = time.perf_counter()
    done = finished([TITO, *words], stage.workspace, environment, together=True)
    seconds = time.perf_counter() - began
    if done.returncode != 0:
        raise SystemExit(f"tito {' '.join(words)} ended with {done.returncode}:\n{done.stdout}")
    return seconds


if __name__ == "__main__":
    sys.exit(main())

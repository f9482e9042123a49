"""How fast tito answers: the median of 7 runs of each command, and the bar that it must stay under.

    python benchmarks/cli.py

`export` and `test` need a finished notebook: the reference solution of 08_dataloader is put into a
scratch workspace, so the repository is not changed. Each run is a new process; the first one, which
compiles byte code, is not counted. Results from a busy machine are not valid, so the load is
printed beside them.
"""

from __future__ import annotations

import os
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

from machine import ROOT, about, load

sys.path.insert(0, str(ROOT))  # before this folder, whose grading.py would hide the package

from tito.children import finished

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
        root = workspace(Path(folder))
        for words, bar in BARS:
            slow += not _row(words, root, bar)
    print(f"{len(BARS) - slow} of {len(BARS)} under their bar; load {load()}")
    return 0


def _row(words: list[str], root: Path, bar: float) -> bool:
    """Print the times of one command; whether their median is under the bar."""
    name = f"tito {' '.join(words)}"
    seconds = [measure(words, root) for _ in range(RUNS + 1)][1:]
    median = statistics.median(seconds)
    print(
        f"{name:<48} {median:>7.3f} s {min(seconds):>7.3f} s {max(seconds):>7.3f} s {bar:>6.2f} s"
        f"{'' if median <= bar else '  OVER'}",
        flush=True,
    )
    return median <= bar


def workspace(folder: Path) -> Path:
    """A scratch workspace whose notebook is the reference solution."""
    from grading.engine.course.references import source_path
    from tito.notebook.pair import sync
    from tito.workspace import Workspace

    root, course = folder / "course", Workspace(ROOT)
    course.copy_package(root)
    shutil.copytree(ROOT / "modules" / MODULE, root / "modules" / MODULE)
    module = Workspace(root).module(MODULE)
    shutil.copyfile(source_path(course.module(MODULE)), module.script)
    sync(module, root / ".tito" / "backups", winner="py")
    return root


def measure(words: list[str], root: Path) -> float:
    """Wall seconds from the start of `tito WORDS` to its end."""
    # With this variable, Python would compile tito again for each command; a user's Python does it
    # once.
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    began = time.perf_counter()
    done = finished([TITO, *words], root, env, together=True)
    seconds = time.perf_counter() - began
    if done.returncode != 0:
        raise SystemExit(f"tito {' '.join(words)} ended with {done.returncode}:\n{done.stdout}")
    return seconds


if __name__ == "__main__":
    sys.exit(main())

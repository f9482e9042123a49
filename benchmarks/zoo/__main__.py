"""Does the profiler tell the truth about loaders of other libraries? Each loader here is slow for a
reason that is known by construction; a second loader has the reason removed.

    python benchmarks/zoo                         every loader whose library is installed
    python benchmarks/zoo --only pytorch collate  those with these words in their name
    python benchmarks/zoo --cases unseen_8        of one file: known, unseen_8, unseen_9

For each loader are printed: the verdict, and whether it is one of those that are right; the share
of an epoch that is loading, as reported and by an independent clock; the promised gain and the gain
after the reason was removed; what the report took. The independent clock is `time.perf_counter`
around plain loops, over the loader and over nothing; no part of the profiler is used. The exit code
is 1 if a verdict is wrong. A verdict that says that the cause is not known is not wrong. Each
loader is measured in a process of its own.

`unseen_8` and `unseen_9` were written by somebody who had not read the rules of the verdict, and
were frozen before their first report.
The other libraries: benchmarks/peers.txt. The files `unseen` need pandas, pyarrow, transformers,
datasets, scipy and h5py.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import itertools
import os
import sys
import time
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from case import Case, spin

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

FILES = ("known", "unseen_8", "unseen_9")
UNKNOWN = "slow loader"
# cause -> the verdicts that name it and whose fix removes it
SLOW_FUNCTION = "one slow function"  # it must be named
RIGHT = {
    "step": ("step-bound", "nothing wrong"),
    "computes": ("samples that compute", "too few workers", SLOW_FUNCTION),
    "waits": ("samples that wait", "too few workers"),
    # seen from outside, a transform of single samples is a part of reading them
    "transform": ("slow transform", "samples that compute", "too few workers", SLOW_FUNCTION),
    "collate": ("slow collate", SLOW_FUNCTION),
    "copies": ("copied twice", "slow collate", SLOW_FUNCTION),
    # workers were tried, and that fix is applied
    "many reads": ("per-sample Python", "too few workers", SLOW_FUNCTION),
    "start": ("slow start",),
    # where samples are in the memory of a library, the fix of a slow start names both causes
    "all first": ("reads everything first", "slow start"),
    "stragglers": ("stragglers",),
    "leak": ("memory grows",),
    "contention": ("contention",),
    # where stored samples gain more, the number of workers is the second fix that is named
    "few workers": ("too few workers", "samples that compute"),
    "costly workers": ("costly workers",),
    "objects": ("list of Python objects",),
    "wide": ("float64 blow-up",),
    "first epoch": ("slow first epoch", "cache thrown away"),
    "repeated": ("repeated samples",),
    "padding": ("padding", "slow collate"),
    "small batches": ("tiny batches",),
}
POINTS, PART = 0.05, 0.25  # how far share and gain may be from the truth


def epoch_seconds(loader: Iterable, step_seconds: float) -> float:
    """Seconds of one epoch with a step, on a plain clock."""
    start = time.perf_counter()
    for _ in loader:
        spin(step_seconds)
    return time.perf_counter() - start


def truth(case: Case, advised: int | None, seconds: float = 4.0) -> tuple[float, float | None]:
    """The share of an epoch that is loading, and how many times faster it is with the fix: medians
    of rounds that alternate.

    Args:
        advised: the number of worker processes that the verdict advises; that fix is applied then.
            Else the reason is removed.
        seconds: about so long, and at least three rounds.
    """
    loaders = {"with": case.make()}
    if advised is not None:
        loaders["without"] = with_processes(case, advised)
    elif case.without:
        loaders["without"] = case.without()
    seconds_of: dict[str, list[float]] = {name: [] for name in (*loaders, "step")}
    batches = sum(1 for _ in loaders["with"])
    end = time.perf_counter() + seconds
    while len(seconds_of["step"]) < 3 or time.perf_counter() < end:
        for name, loader in loaders.items():
            seconds_of[name].append(epoch_seconds(loader, case.step_seconds))
        seconds_of["step"].append(epoch_seconds(itertools.repeat(None, batches), case.step_seconds))
    middle = {name: float(np.median(values)) for name, values in seconds_of.items()}
    gain = middle["with"] / middle["without"] if "without" in middle else None
    return max(0.0, 1 - middle["step"] / middle["with"]), gain


def with_processes(case: Case, processes: int) -> Iterable:
    """The loader with the advised number of worker processes."""
    if "num_workers" in inspect.signature(case.make).parameters:
        return case.make(num_workers=processes)
    from tinytorch.profiler.recording.unknown_loader import with_workers

    return with_workers(case.make(), processes)


def measure(case: Case) -> str:
    """The line of a case. It begins with the outcome (right, unknown or WRONG) and marks a share or
    a promise that is too far from the truth with an asterisk.
    """
    from tinytorch.profiler import profile_loader
    from tito.run import profile_table

    start = time.perf_counter()
    report = profile_loader(case.make, lambda batch: spin(case.step_seconds), quick=True)
    seconds, verdict = time.perf_counter() - start, report.verdict
    by_workers = verdict.kind in ("too few workers", "costly workers")
    share, gain = truth(case, report.facts.best_workers if by_workers else None)
    for label, said in profile_table.three_lines(profile_table.Profile.from_json(report.as_dict())):
        print(f"  {label}: {said}")
    outcome = "WRONG"
    if any(verdict.kind in RIGHT[cause] for cause in case.causes):
        outcome = "right"
    if verdict.kind == UNKNOWN or (verdict.kind == SLOW_FUNCTION and not verdict.where):
        outcome = "unknown"
    far = abs(report.facts.loading_share - share) > POINTS
    shares = f"{report.facts.loading_share:4.0%} ({share:4.0%}){'*' if far else ' '}"
    promised = gain is not None and verdict.buys > 1
    off = promised and abs(verdict.buys / gain - 1) > PART
    gains = f"{f'{verdict.buys:.2f}x' if promised else '-':>7}"
    gains += f" ({f'{gain:.2f}x' if gain else '-':>7}){'*' if off else ' '}"
    noisy = "noisy" if verdict.noisy else ""
    return (
        f"{outcome:<8} {case.name:<48.48} {verdict.kind:<22} {shares} {gains} {seconds:5.1f} s"
        f" {noisy:<5} {verdict.where}"
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", default=[], metavar="WORD")
    parser.add_argument("--cases", nargs="+", default=FILES, choices=FILES)
    parser.add_argument("--reports", action="store_true", help="print each report, too")
    parser.add_argument("--alone", metavar="NAME", help=argparse.SUPPRESS)
    options = parser.parse_args()
    cases = [case for file in options.cases for case in _cases(file)]
    if options.alone:
        print(measure(next(case for case in cases if case.name == options.alone)), flush=True)
        return 0
    counts = {"right": 0, "unknown": 0, "WRONG": 0}
    shares = gains = 0
    print("outcome  loader, share of loading (independent clock), promised gain (gain), seconds")
    for case in cases:
        if not all(word in case.name for word in options.only):
            continue
        if not case.installed:
            print(f"{case.name}: {case.library} is not installed")
            continue
        said = in_a_process(case)
        line = said.splitlines()[-1]
        print(said if options.reports else line, flush=True)
        counts[line.split()[0]] += 1
        shares += "%)*" in line
        gains += "x)*" in line
    print(", ".join(f"{count} {outcome}" for outcome, count in counts.items()), end="; ")
    print(f"{shares} shares further than 5 points, {gains} promises further than 25%")
    return int(counts["WRONG"] > 0)


def _cases(file: str) -> list[Case]:
    """The cases of a file; none if a library that it needs is missing."""
    try:
        return importlib.import_module(file).CASES
    except ModuleNotFoundError as missing:
        if missing.name == "case":
            raise
        return [Case(f"{missing.name}: the loaders of {file}", ("step",), list)]


def in_a_process(case: Case) -> str:
    from tito.child_processes import finished

    quiet = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1", "PYTHONWARNINGS": "ignore"}
    words = [sys.executable, str(ROOT / "benchmarks" / "zoo"), "--alone", case.name]
    ended = finished(words, ROOT, {**os.environ, **quiet})
    if ended.returncode:
        reason = (ended.stderr.strip().splitlines() or ["no word"])[-1]
        return f"WRONG    {case.name:<48.48} it stopped: {reason} 0% ( 0%)"
    return ended.stdout


if __name__ == "__main__":
    sys.exit(main())

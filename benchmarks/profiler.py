"""Is the profiler honest? Compares known delays with its report, and measures its overhead.

    python benchmarks/profiler.py honest       delays put into fetch, transform and collate, and the
                                               shares that it reports
    python benchmarks/profiler.py overhead     wall time with `wrap` over wall time without it, our
                                               loader's and PyTorch's. Ends with 1 if `wrap` costs
                                               more than 3% where a batch takes 1 ms or more
    python benchmarks/profiler.py catalogue    loaders with known faults: the verdict, and the
                                               promised gain of its fix

Shares are compared within one run. Runs with and without the profiler alternate, in both orders,
and the median of the pairs' ratios is printed, so that a busy machine affects both alike. The
reference of 08_dataloader is put into a scratch workspace.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib.util
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from machine import CLOCKS, ROOT, about, import_file, load

sys.path.insert(0, str(ROOT))  # before this folder, whose grading.py would hide the package

from tinytorch.profiler import Profiler

MODULE = "08"
BATCH, BATCHES = 16, 12  # for `honest`
# in units of 10 ms
MIXES = {
    "mostly fetch": (6, 2, 2),
    "mostly transform": (1, 7, 2),
    "mostly collate": (2, 2, 6),
    "all alike": (1, 1, 1),
}
# for `overhead`
IMAGES = 50_000
LONG_BATCH, MOST_OVERHEAD = (
    1,
    1.03,
)  # milliseconds of a batch; the time with the profiler over that without


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    commands = {run.__name__: run for run in (honest, overhead, catalogue)}
    add("command", nargs="?", choices=commands, help="honest and overhead if none is given")
    add(
        "--pairs",
        type=int,
        default=40,
        metavar="N",
        help="overhead: pairs of passes, with and without",
    )
    add("--clock", choices=CLOCKS, default="wall", help="overhead: cpu for a busy machine")
    add("--quick", action="store_true", help="catalogue: shorter runs, three repeats")
    add("--record", type=Path, metavar="FILE", help="catalogue: keep facts of right verdicts")
    args = parser.parse_args()
    print(f"{about()}, NumPy {np.__version__}, load {load()}")
    wanted = [args.command] if args.command else ["honest", "overhead"]
    return max([commands[name](args) for name in wanted])  # a list: each command runs


def catalogue(args: argparse.Namespace) -> int:
    """Profile every loader of tests/tinytorch/profiler/pathologies.py with a real clock."""
    sys.path.insert(0, str(ROOT / "tests" / "tinytorch" / "profiler"))
    from pathologies import CATALOGUE, World

    from tinytorch.profiler import profile_loader

    wrong, facts = 0, {}
    print(f"{'expected':<24} {'verdict':<24} {'buys':>6}  {'seconds':>7}")
    # Not the default folder for temporary files, which may be in memory: a memory map there is
    # never cold.
    out = ROOT / "out"
    with tempfile.TemporaryDirectory(dir=out if out.is_dir() else None) as folder:
        world = World(Path(folder))
        for case in CATALOGUE:
            begin = time.perf_counter()
            report = profile_loader(
                case.sick(world), case.step(world), name=case.kind, quick=args.quick
            )
            seconds = time.perf_counter() - begin
            verdict, right = report.verdict, report.verdict.kind == case.kind
            wrong += not right
            facts.update({case.kind: _told(report.facts)} if right else {})
            print(
                f"{case.kind:<24} {verdict.kind:<24} {verdict.buys:5.2f}x  {seconds:7.1f}"
                f"{'' if right else '  WRONG'}{'  noisy' if verdict.noisy else ''}",
                flush=True,
            )
            if not right:
                print(f"    {verdict}\n    {report.facts}\n    {report.reasons}")
    print(f"{len(CATALOGUE) - wrong} of {len(CATALOGUE)} right, load {load()}")
    if path := args.record:
        known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        path.write_text(json.dumps({**known, **facts}, indent=1) + "\n", encoding="utf-8")
    return int(wrong > 0)


def _told(facts: Any) -> dict[str, Any]:
    """The facts that are not their defaults, with three digits."""

    def short(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: short(part) for name, part in value.items()}
        return float(f"{value:.3g}") if isinstance(value, float) else value

    short_values = {field: short(getattr(facts, field.name)) for field in dataclasses.fields(facts)}
    return {field.name: value for field, value in short_values.items() if value != field.default}


def reference() -> ModuleType:
    """The reference DataLoader, exported as `tito export` does."""
    from grading.engine.course.references import write_references
    from tito.workspace import Workspace

    module = Workspace(ROOT).module(MODULE)
    with tempfile.TemporaryDirectory() as folder:
        write_references([module], Path(folder))
        return import_file(Path(folder) / module.export)


# Injected delays.


def spin(seconds: float) -> None:
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


class Delayed:
    """A dataset whose reads sleep and whose transform spins; `spent` adds up the real length of
    each delay.
    """

    def __init__(self, fetch: float, transform: float, collate: float):
        self.delays = {"fetch": fetch, "transform": transform, "collate": collate}
        self.spent = dict.fromkeys(self.delays, 0.0)
        self.transform = self._transformed

    def _spend(self, stage: str, wait: Callable[[float], None], parts: int = 1) -> None:
        began = time.perf_counter()
        wait(self.delays[stage] / parts)
        self.spent[stage] += time.perf_counter() - began

    def __len__(self) -> int:
        return BATCH * BATCHES

    def __getitem__(self, index: int) -> int:
        self._spend("fetch", time.sleep, BATCH)
        return self.transform(index)

    def _transformed(self, sample: int) -> int:
        self._spend("transform", spin, BATCH)
        return sample

    def collate(self, samples: list) -> np.ndarray:
        self._spend("collate", time.sleep)
        return np.array(samples)


def honest(_: argparse.Namespace) -> int:
    """Compare the report with the delays. A sleep lasts longer than requested, so the real length
    of each delay is measured.
    """
    dl, worst = reference(), 0.0
    print(
        f"{BATCHES} batches of {BATCH}; step 5 ms;"
        " injected -> measured share of the loading time, in %"
    )
    print(
        f"{'loader':<10} {'mix':<17} {'fetch':>16} {'transform':>16} {'collate':>16} {'other':>7}"
        f" {'largest difference':>20} {'overhead':>9}"
    )
    for prefetch in (0, 1):
        for mix, parts in MIXES.items():
            dataset = Delayed(*(0.01 * part / sum(parts) for part in parts))
            settings = {"batch_size": BATCH, "shuffle": True, "seed": 0, "prefetch": prefetch}
            loader = dl.DataLoader(dataset, collate_fn=dataset.collate, **settings)
            with Profiler() as profiler:
                for _ in profiler.wrap(loader):
                    time.sleep(0.005)
            report = profiler.report()
            loading, injected = sum(report.stages.values()), sum(dataset.spent.values())
            shares = [
                (100 * spent / injected, 100 * report.stages[stage] / loading)
                for stage, spent in dataset.spent.items()
            ]
            off = max(abs(put - got) for put, got in shares)
            worst = max(worst, off)
            cells = " ".join(f"{f'{put:.1f} -> {got:.1f}':>16}" for put, got in shares)
            print(
                f"{'prefetch' if prefetch else 'plain':<10} {mix:<17} {cells}"
                f" {100 * report.stages['other'] / loading:>7.1f} {off:>13.1f} points"
                f" {report.overhead_share:>9.2%}",
                flush=True,
            )
    print(f"largest difference {worst:.1f} points (bar: 5)")
    return 0


def overhead(args: argparse.Namespace) -> int:
    """Compare loops with and without `wrap`. Return 1 if one of them that takes 1 ms or more for a
    batch became slower than the bar allows.
    """
    print(f"no step; {args.pairs} pairs, each of one pass with `wrap` and one without, in turn")
    print(
        f"{'loader':<32} {'clock':<5} {'a batch':>8} {'without':>10} {'with':>10} {'ratio':>7}"
        f" {'quartiles':>14} {'reported':>9}"
    )
    missed = 0
    for name, loader in {**course_loaders(), **pytorch_loaders()}.items():
        clock = "wall" if isinstance(loader.dataset, Waiting) else args.clock
        without, watched, reported = compare(loader, args.pairs, CLOCKS[clock])
        ratios = [one / other for one, other in zip(watched, without, strict=True)]
        low, middle, high = statistics.quantiles(ratios, n=4)
        of_without, of_watched = (1e3 * statistics.median(one) for one in (without, watched))
        batch = of_without / len(loader)
        judged = batch >= LONG_BATCH
        too_much = judged and middle > MOST_OVERHEAD
        missed += too_much
        print(
            f"{name:<32} {clock:<5} {batch:>5.2f} ms {of_without:>7.1f} ms {of_watched:>7.1f} ms"
            f" {middle:>7.4f} {low:>6.3f}..{high:.3f} {reported:>9.2%}"
            f"{'  MISSED' if too_much else '  ok' if judged else ''}",
            flush=True,
        )
    print(f"bar: {MOST_OVERHEAD} where a batch takes 1 ms or more; {missed} missed; load {load()}")
    return int(missed > 0)


def course_loaders() -> dict[str, Any]:
    """The reference DataLoader on fast data, most of which make a batch in less than 1 ms."""
    dl = reference()
    images = np.random.default_rng(0).integers(0, 256, (IMAGES, 3, 32, 32), dtype=np.uint8)
    tensors = dl.TensorDataset(images, np.arange(IMAGES))
    one_by_one = dl.Subset(tensors, range(IMAGES))  # has no __getitems__
    cases = {
        "ours: numbers, one by one": (range(IMAGES), {}),
        "ours: images, one by one": (one_by_one, {}),
        "ours: images, prefetch": (one_by_one, {"prefetch": 1}),
        "ours: one gather": (tensors, {}),
        "ours: one gather, prefetch": (tensors, {"prefetch": 1}),
        "ours: images that compute": (Computing(), {}),
    }
    return {
        name: dl.DataLoader(dataset, batch_size=128, shuffle=True, seed=0, **settings)
        for name, (dataset, settings) in cases.items()
    }


def pytorch_loaders() -> dict[str, Any]:
    """PyTorch's DataLoader in the process and with workers; none if it is not installed. A batch
    takes more than 1 ms in each case. Workers that wait do not compete for the cores with whatever
    else runs, so their ratios vary less than those of workers that compute.
    """
    if importlib.util.find_spec("torch") is None:
        print("PyTorch is not installed, so its loaders are left out; see benchmarks/peers.txt")
        return {}
    import torch

    torch.set_num_threads(1)
    workers, stay = {"num_workers": 2}, {"num_workers": 2, "persistent_workers": True}
    return {
        name: torch.utils.data.DataLoader(dataset, batch_size=32, shuffle=True, **settings)
        for name, (dataset, settings) in {
            "PyTorch": (Computing(), {}),
            "PyTorch, 2 workers compute": (Computing(), workers),
            "PyTorch, 2 workers wait": (Waiting(), workers),
            "PyTorch, 2 waiting workers stay": (Waiting(), stay),
        }.items()
    }


class Computing:
    """A dataset of small images, each of which is computed for a tenth of a millisecond or so."""

    image = np.random.default_rng(0).integers(0, 256, (3, 32, 32), dtype=np.uint8)

    def __len__(self) -> int:
        return 3200

    def __getitem__(self, index: int) -> tuple[np.ndarray, int]:
        # the same work each time, so that its processor time hardly depends on what else runs
        return np.sort(np.sort(self.image.ravel())[::-1]).reshape(3, 32, 32), index


class Waiting(Computing):
    """Each image is waited for, as one that comes from a disk."""

    def __getitem__(self, index: int) -> tuple[np.ndarray, int]:
        time.sleep(1e-4)
        return self.image, index


def compare(
    loader: Any, pairs: int, clock: Callable[[], float]
) -> tuple[list[float], list[float], float]:
    """Seconds of passes without and with the profiler, in alternating order, and the share that it
    reports as its own.
    """
    profiler = Profiler()

    def seconds(batches: Iterable) -> float:
        began = clock()
        for _ in batches:
            pass
        return clock() - began

    without, watched = [], []
    for pair in range(pairs + 1):
        first = pair % 2
        for plain in (first, 1 - first):
            taken = seconds(loader if plain else profiler.wrap(loader))
            if pair:  # the first pair only warms up
                (without if plain else watched).append(taken)
    return without, watched, profiler.report().overhead_share


if __name__ == "__main__":
    sys.exit(main())

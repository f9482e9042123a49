"""Is the profiler honest? Compares known delays with its report, and measures its overhead.

    python benchmarks/profiler.py honest       delays put into fetch, transform and collate, and the
                                               shares that it reports
    python benchmarks/profiler.py overhead     wall time with the profiler over wall time without it
    python benchmarks/profiler.py catalogue    loaders with known faults: the verdict, the promised
                                               gain of its fix, and the real one

Shares are compared within one run. Runs with and without the profiler alternate, in both orders,
and the median of the pairs' ratios is printed, so that a busy machine affects both alike. The
reference of 08_dataloader is put into a scratch workspace.
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import importlib.util
import json
import os
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tinytorch.profiler import Profiler  # noqa: E402

MODULE = "08"
BATCH, BATCHES = 16, 12  # for `honest`
# in units of 10 ms
MIXES = {
    "mostly fetch": (6, 2, 2),
    "mostly transform": (1, 7, 2),
    "mostly collate": (2, 2, 6),
    "all alike": (1, 1, 1),
}
PAIRS, IMAGES = 15, 50_000  # for `overhead`


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("honest").set_defaults(run=honest)
    commands.add_parser("overhead").set_defaults(run=overhead)
    faults = commands.add_parser("catalogue")
    faults.add_argument("--quick", action="store_true", help="shorter runs, three repeats")
    faults.add_argument(
        "--record",
        metavar="FILE",
        help="keep the facts of the verdicts that are right, as the test suite reads them",
    )
    faults.set_defaults(run=catalogue)
    print(
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, NumPy"
        f" {np.__version__}, load {_load()}"
    )
    args = parser.parse_args()
    return args.run(args) if args.command == "catalogue" else args.run()


def catalogue(args: argparse.Namespace) -> int:
    """Profile every loader of tests/tinytorch/profiler/pathologies.py with a real clock, with its
    fault and without.
    """
    sys.path.insert(0, str(ROOT / "tests" / "tinytorch" / "profiler"))
    from pathologies import CATALOGUE, World

    from tinytorch.profiler import profile_loader

    wrong, facts = 0, {}
    print(f"{'expected':<24} {'verdict':<24} {'buys':>6} {'measured':>9}  {'seconds':>7}")
    # Not the default folder for temporary files, which may be in memory: a memory map there is
    # never cold.
    with tempfile.TemporaryDirectory(
        dir=ROOT / "out" if (ROOT / "out").is_dir() else None
    ) as folder:
        world = World(Path(folder))
        for case in CATALOGUE:
            begin = time.perf_counter()
            report = profile_loader(
                case.sick(world), case.step(world), name=case.kind, quick=args.quick
            )
            seconds = time.perf_counter() - begin
            gain = f"{_gain(case, world, report.batches):8.2f}x" if case.fixed else "-"
            verdict, right = report.verdict, report.verdict.kind == case.kind
            wrong += not right
            facts.update({case.kind: dataclasses.asdict(report.facts)} if right else {})
            print(
                f"{case.kind:<24} {verdict.kind:<24} {verdict.buys:5.2f}x {gain:>9}  {seconds:7.1f}"
                f"{'' if right else '  WRONG'}{'  noisy' if verdict.noisy else ''}",
                flush=True,
            )
            if not right:
                print(f"    {verdict}\n    {report.facts}\n    {report.reasons}")
    print(f"{len(CATALOGUE) - wrong} of {len(CATALOGUE)} right, load {_load()}")
    if args.record:
        path = Path(args.record)
        known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        path.write_text(json.dumps({**known, **facts}, indent=1) + "\n", encoding="utf-8")
    return int(wrong > 0)


def _gain(case, world, batches: int) -> float:
    """How many times faster the repaired loader is, including the step, measured in turn with the
    faulty one; with a cold cache if its files can be evicted.
    """
    from tinytorch.profiler.diagnosis import differential_runs

    variants = {}
    for name, loader in (("sick", case.sick(world)()), ("mended", case.fixed(world)())):
        cold = differential_runs.Cold(loader, ())
        run = functools.partial(
            differential_runs.timed_run, loader, case.step(world), batches, time.perf_counter
        )
        variants[name] = run if cold.why_not else functools.partial(cold.run, run)
    rates = differential_runs.interleaved(variants, repeats=5, warmup=1)
    return rates["mended"].samples_per_second / rates["sick"].samples_per_second


def reference() -> ModuleType:
    """The reference DataLoader, exported as `tito export` does."""
    from tito.notebook.cells import read_percent
    from tito.run.runner import make_scratch
    from tito.workspace import Workspace

    module = Workspace(ROOT).module(MODULE)
    with tempfile.TemporaryDirectory() as folder:
        cells = read_percent(ROOT / "grading" / "source" / module.name / "dataloader_dev.py")
        spec = importlib.util.spec_from_file_location(
            "reference_dataloader",
            make_scratch(module, cells, Path(folder) / "work") / module.export,
        )
        found = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(found)
    return found


# Injected delays.


def sleep_for(seconds: float) -> float:
    began = time.perf_counter()
    time.sleep(seconds)
    return time.perf_counter() - began


def spin_for(seconds: float) -> float:
    began = time.perf_counter()
    while (now := time.perf_counter()) - began < seconds:
        pass
    return now - began


class Delayed:
    """A dataset whose reads sleep and whose transform spins; `spent` adds up the real length of
    each delay.
    """

    def __init__(self, fetch: float, transform: float, collate: float):
        self.delays, self.spent = (
            {
                "fetch": fetch,
                "transform": transform,
                "collate": collate,
            },
            dict.fromkeys(("fetch", "transform", "collate"), 0.0),
        )
        self.transform = self._spin

    def __len__(self) -> int:
        return BATCH * BATCHES

    def __getitem__(self, index: int) -> int:
        self.spent["fetch"] += sleep_for(self.delays["fetch"] / BATCH)
        return self.transform(index)

    def _spin(self, sample: int) -> int:
        self.spent["transform"] += spin_for(self.delays["transform"] / BATCH)
        return sample

    def collate(self, samples: list) -> np.ndarray:
        self.spent["collate"] += sleep_for(self.delays["collate"])
        return np.array(samples)


def honest() -> int:
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
            with Profiler() as profiler:
                for _ in profiler.wrap(
                    dl.DataLoader(
                        dataset,
                        batch_size=BATCH,
                        shuffle=True,
                        seed=0,
                        collate_fn=dataset.collate,
                        prefetch=prefetch,
                    )
                ):
                    time.sleep(0.005)
            report = profiler.report()
            loading, injected = sum(report.stages.values()), sum(dataset.spent.values())
            shares = {
                stage: (100 * spent / injected, 100 * report.stages[stage] / loading)
                for stage, spent in dataset.spent.items()
            }
            off = max(abs(put - got) for put, got in shares.values())
            worst = max(worst, off)
            cells = " ".join(f"{f'{put:.1f} -> {got:.1f}':>16}" for put, got in shares.values())
            print(
                f"{'prefetch' if prefetch else 'plain':<10} {mix:<17} {cells}"
                f" {100 * report.stages['other'] / loading:>7.1f} {off:>13.1f} points"
                f" {report.overhead_share:>9.2%}",
                flush=True,
            )
    print(f"largest difference {worst:.1f} points (bar: 5)")
    return 0


def overhead() -> int:
    dl = reference()
    images = np.random.default_rng(0).integers(0, 256, (IMAGES, 3, 32, 32), dtype=np.uint8)
    tensors = dl.TensorDataset(images, np.arange(IMAGES))
    one_by_one = dl.Subset(tensors, range(IMAGES))  # has no __getitems__
    cases = {
        "numbers, one by one": (range(IMAGES), {}),
        "images, one by one": (one_by_one, {}),
        "images, one by one, prefetch": (one_by_one, {"prefetch": 1}),
        "images, one gather": (tensors, {}),
        "images, one gather, prefetch": (tensors, {"prefetch": 1}),
    }
    print(f"{IMAGES:,} samples, batch 128, no step; median of {PAIRS} pairs")
    print(
        f"{'loader':<30} {'without':>10} {'with':>10} {'ratio':>7} {'quartiles':>14}"
        f" {'reported':>9}   {'every sample':>12} {'reported':>9}"
    )
    for name, (dataset, settings) in cases.items():
        loader = dl.DataLoader(dataset, batch_size=128, shuffle=True, seed=0, **settings)
        sampled, full = compare(loader, detail=False), compare(loader, detail=True)
        print(
            f"{name:<30} {sampled[0] * 1e3:>7.1f} ms {sampled[1] * 1e3:>7.1f} ms {sampled[2]:>7.3f}"
            f" {sampled[3]:>6.3f}..{sampled[4]:.3f}"
            f" {sampled[5]:>9.2%}   {full[2]:>12.3f} {full[5]:>9.2%}",
            flush=True,
        )
    print(f"bar: ratio 1.03; load {_load()}")
    return 0


def compare(loader, detail: bool) -> tuple[float, ...]:
    """Seconds without and with the profiler, the median and quartiles of their ratio, and the
    reported overhead (all medians).
    """
    profiler = Profiler(detail=detail)

    def seconds(make: Callable) -> float:
        began = time.perf_counter()
        for _ in make():
            pass
        return time.perf_counter() - began

    without, watched, ratios = [], [], []
    for pair in range(PAIRS + 1):
        first_plain = pair % 2
        times = {}
        for plain in (first_plain, 1 - first_plain):
            times[plain] = (
                seconds(lambda: loader) if plain else seconds(lambda: profiler.wrap(loader))
            )
        if pair:  # the first pair only warms up
            without.append(times[1])
            watched.append(times[0])
            ratios.append(times[0] / times[1])
    low, middle, high = statistics.quantiles(ratios, n=4)
    return (
        statistics.median(without),
        statistics.median(watched),
        middle,
        low,
        high,
        profiler.report().overhead_share,
    )


def _load() -> str:
    return f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"


if __name__ == "__main__":
    sys.exit(main())

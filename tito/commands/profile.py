"""Measure the loader you exported: samples per second, peak memory, and where the time goes.

It runs on made-up images of CIFAR-10's size, in a process of its own. To compare, look at the shape and the ratios:
the numbers belong to this machine and to what else it is doing now.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from tito import console
from tito.course import find_workspace
from tito.errors import UsageError, WorkError
from tito.runner import Ended, environment, run_limited


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("module", nargs="?", help="08, dataloader or 08_dataloader; the current module without it")
    parser.add_argument("--batch-size", type=int, default=128, metavar="SAMPLES")
    parser.add_argument("--samples", type=int, default=4096, metavar="N", help="images to read in one epoch (default 4096: 13 MB)")
    parser.add_argument("--png", metavar="DIR", help="also draw the throughput and the stages there")
    parser.add_argument("--timeout", type=float, default=120.0, metavar="SECONDS")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def run(args: argparse.Namespace) -> int:
    for name, value in (("--batch-size", args.batch_size), ("--samples", args.samples)):
        if value < 1:
            raise UsageError(f"{name} is 1 or more; got {value}")
    if not args.timeout > 0:
        raise UsageError(f"--timeout is more than 0 seconds; got {args.timeout:g}")
    module = find_workspace().module(args.module)
    if not module.export_path.exists():
        raise WorkError(f"profile measures the loader you exported; there is no {module.export} yet. First: tito export {module.number}")
    with tempfile.TemporaryDirectory(prefix="tito-", ignore_cleanup_errors=True) as folder:
        result = Path(folder) / "result.json"
        job = {"import_name": module.import_name, "batch_size": args.batch_size, "samples": args.samples, "result": str(result),
               "png": str(Path(args.png).resolve()) if args.png else None}
        ended = run_limited([sys.executable, str(Path(__file__).parents[1] / "profile_worker.py"), json.dumps(job)], module.root,
                            environment(module.root), args.timeout)
        if not result.exists():
            raise WorkError(f"the loader could not be measured: {_why(ended, args.timeout)}\nFind out with: tito test {module.number}")
        found = json.loads(result.read_text(encoding="utf-8"))
    if args.json:
        console.emit("profile", {"ok": True, "module": module.name, **found})
        return 0
    console.say(f"{module.name}   batch {args.batch_size}, {args.samples:,} images of 3 x 32 x 32 bytes")
    console.say(f"  throughput  {found['samples_per_second']:,.0f} samples/s, median of {found['repeats']}, spread {found['spread']:.0%}")
    console.say(f"  peak memory {found['peak_bytes'] / 1e6:.1f} MB; one batch is {found['batch_bytes'] / 1e6:.2f} MB")
    for name, share in found["shares"].items():
        console.say(f"  {name:<11} {console.bar(share, 1.0)} {share:.0%}")
    for path in found["plots"]:
        console.say(f"  plot        {path}")
    console.say(f"next: tito test {module.number}")
    return 0


def _why(ended: Ended, timeout: float) -> str:
    return f"still running after {timeout:g} s" if ended.timed_out else ended.tail.splitlines()[-1] if ended.tail else ended.how

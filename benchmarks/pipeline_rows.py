"""Times epochs of 08c's loader without workers, over those of module 08's DataLoader on the same
images: in turn, in one process, with the reference solutions.

    python benchmarks/pipeline_rows.py                  50,000 images, batches of 128
    python benchmarks/pipeline_rows.py --images 5000    does it run?

Module 08 is shuffled in every row, so its epoch is one gather for each batch. Ratios are of
processor time, which a busy machine changes less. The bar is 2, but not for the small buffer, where
the student's generator draws each row by itself: that figure is only printed.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

import numpy as np

ROOT, BATCH_SIZE, BAR = Path(__file__).resolve().parents[1], 128, 2.0


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--images", type=int, default=50_000)
    parser.add_argument("--rounds", type=int, default=8)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pipeline-rows-") as folder:
        sys.path.insert(0, str(ROOT))
        sys.path.insert(0, str(export_references(Path(folder))))
        return compare(options.images, options.rounds)


def export_references(folder: Path) -> Path:
    """A package with the reference solutions of both modules."""
    from tito.notebook.cells import read_percent
    from tito.run.runner import make_scratch
    from tito.workspace import Workspace

    package = None
    for number in ("08", "08c"):
        module = Workspace(ROOT).module(number)
        source = ROOT / "grading" / "source" / module.name / module.script.name
        scratch = make_scratch(module, read_percent(source), folder / number)
        if package is not None:
            shutil.copy(package / "tinytorch/core/dataloader.py", scratch / "tinytorch/core")
        package = scratch
    return package


def compare(num_images: int, rounds: int) -> int:
    from tinytorch.core.dataloader import DataLoader, TensorDataset
    from tinytorch.data.pipeline import pipeline

    images = np.random.default_rng(0).integers(0, 256, (num_images, 3, 32, 32), dtype=np.uint8)
    labels = np.arange(num_images)
    chain = pipeline({"images": images, "labels": labels}, seed=0).batch(BATCH_SIZE)
    base = DataLoader(TensorDataset(images, labels), batch_size=BATCH_SIZE, shuffle=True, seed=0)
    loaders: dict[str, tuple[Iterable, float | None]] = {
        "in order": (chain, BAR),
        "every row once, drawn": (chain.sample_by(np.ones(num_images), replace=False), BAR),
        "buffer of 2,048 MB": (chain.shuffle(), BAR),
        "buffer of 10 MB": (chain.shuffle(buffer_size=10), None),
    }
    ratios: dict[str, list[float]] = {name: [] for name in loaders}
    for _ in range(rounds):
        unit = seconds(base)
        for name, (loader, _) in loaders.items():
            ratios[name].append(seconds(loader) / unit)
    missed = 0
    print(f"{num_images:,} images, batches of {BATCH_SIZE}, {rounds} rounds; module 08 is 1")
    for name, (_, bar) in loaders.items():
        middle = statistics.median(ratios[name])
        verdict = (
            "" if bar is None else f"  at most {bar:g}: {'met' if middle <= bar else 'missed'}"
        )
        spread = f"({min(ratios[name]):.2f} to {max(ratios[name]):.2f})"
        print(f"{name:<22} {middle:5.2f} {spread}{verdict}")
        missed += bar is not None and middle > bar
    return missed


def seconds(loader: Iterable) -> float:
    start = time.process_time()
    for _ in loader:
        pass
    return time.process_time() - start


if __name__ == "__main__":
    sys.exit(main())

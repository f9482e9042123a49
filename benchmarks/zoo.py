"""Does the profiler tell the truth about loaders of other libraries? Each loader here is slow for a
reason that is known by construction; a second loader has the reason removed.

    python benchmarks/zoo.py                         every loader whose library is installed
    python benchmarks/zoo.py --only pytorch collate  those with these words in their name

For each loader are printed: the verdict, and whether it is one of those that are right; the share
of an epoch that is loading, as reported and by an independent clock; the promised gain and the gain
after the reason was removed. The independent clock is `time.perf_counter` around two plain loops,
one over the loader and one over its first batch; no part of the profiler is used. The exit code is
1 if a verdict is wrong. "slow loader" is not wrong: it says that the cause is not known.

The other libraries: benchmarks/peers.txt.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib.util
import itertools
import os
import random
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tinytorch.profiler import profile_loader

SAMPLES, BATCH = 1024, 32
IMAGES = np.random.default_rng(0).integers(0, 256, (SAMPLES, 3, 64, 64), dtype=np.uint8)
MODULES = {"tf.data": "tensorflow", "pytorch": "torch"}
UNKNOWN = "slow loader"


@dataclasses.dataclass(frozen=True)
class Case:
    """A loader with a known reason. `right` are the verdicts that name it."""

    name: str
    right: tuple[str, ...]
    make: Callable[..., Iterable]
    without: Callable[[], Iterable] | None = None
    step_seconds: float = 0.002

    @property
    def library(self) -> str:
        return self.name.split(":")[0]


# What slows a loader down


def spin(seconds: float) -> None:
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


class Samples:
    """A dataset of images whose reads compute, or wait."""

    def __init__(self, computes: float = 0.0, waits: float = 0.0):
        self.computes, self.waits = computes, waits

    def __len__(self) -> int:
        return SAMPLES

    def __getitem__(self, index: int) -> np.ndarray:
        if index >= SAMPLES:
            raise IndexError(index)
        if self.waits:
            time.sleep(self.waits)
        spin(self.computes)
        return IMAGES[index]


class Gathered(Samples):
    def __getitems__(self, indices: list[int]) -> np.ndarray:
        return IMAGES[indices]


def copied_six_times(samples: list[np.ndarray]) -> np.ndarray:
    batch = np.stack(samples)
    for _ in range(5):
        batch = np.array(batch)
    return batch


def value_by_value(samples: list[np.ndarray]) -> np.ndarray:
    return np.array([sample.tolist() for sample in samples], np.uint8)


def whole(batch: Any) -> Any:
    return batch


# The loaders


def torch_loader(dataset: Any, **settings: Any) -> Iterable:
    from torch.utils.data import DataLoader

    settings = {"batch_size": BATCH, "shuffle": True, "collate_fn": np.stack, **settings}
    return DataLoader(dataset, **settings)


def with_num_workers(dataset: Any, **settings: Any) -> Callable[..., Iterable]:
    return lambda num_workers=0: torch_loader(dataset, num_workers=num_workers, **settings)


def torch_stream(seconds: float) -> Iterable:
    from torch.utils.data import IterableDataset

    class Stream(IterableDataset):
        def __iter__(self) -> Iterator[np.ndarray]:
            for image in IMAGES:
                spin(seconds)
                yield image

    return torch_loader(Stream(), shuffle=None)


def fastai_loader(dataset: Any, **hooks: Any) -> Iterable:
    from fastai.data.load import DataLoader

    hooks = {"create_batch": np.stack, "shuffle": True, **hooks}
    return DataLoader(dataset, bs=BATCH, num_workers=0, **hooks)


def tf_data(computes: float, ahead: bool = False) -> Iterable:
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import tensorflow as tf

    def read(index: Any) -> np.ndarray:
        spin(computes)
        return IMAGES[int(index)]

    found = tf.data.Dataset.range(SAMPLES)
    found = found.map(lambda index: tf.numpy_function(read, [index], tf.uint8)).batch(BATCH)
    return found.prefetch(1) if ahead else found


class Grain:
    """Grain reads in threads, which share Python's lock."""

    def __init__(self, computes: float, threads: int):
        self.computes, self.threads = computes, threads

    def __len__(self) -> int:
        return SAMPLES // BATCH

    def __iter__(self) -> Iterator[np.ndarray]:
        import grain

        found = grain.MapDataset.source(Samples(self.computes)).batch(BATCH)
        options = grain.ReadOptions(num_threads=self.threads, prefetch_buffer_size=4)
        return iter(found.to_iter_dataset(options))


class Plain:
    """A loop that somebody wrote."""

    def __init__(
        self,
        starts: Callable[[], Any] = tuple,
        collate: Callable = np.stack,
        at_once: bool = False,
        computes: float = 0.0,
    ):
        self.starts, self.collate, self.at_once = starts, collate, at_once
        self.dataset = Samples(computes)

    def __len__(self) -> int:
        return SAMPLES // BATCH

    def __iter__(self) -> Iterator[np.ndarray]:
        self.starts()
        batches = (
            self.collate([self.dataset[i] for i in range(start, start + BATCH)])
            for start in range(0, SAMPLES, BATCH)
        )
        return iter(list(batches)) if self.at_once else batches


def a_long_list() -> None:
    numbers = list(range(400_000))
    random.Random(0).shuffle(numbers)


COMPUTE, NETWORK = 0.0005, 0.0005  # seconds of a sample
CASES = (
    Case(
        "pytorch: samples are decoded",
        ("samples that compute", "too few workers"),
        with_num_workers(Samples(COMPUTE)),
        lambda: torch_loader(Samples()),
    ),
    Case(
        "pytorch: samples come over a network",
        ("slow disk", "too few workers"),
        with_num_workers(Samples(waits=NETWORK)),
        lambda: torch_loader(Samples()),
    ),
    Case(
        "pytorch: one read for each sample",
        ("per-sample Python",),
        lambda: torch_loader(Samples()),
        lambda: torch_loader(Gathered(), collate_fn=whole),
    ),
    Case(
        "pytorch: one gather",
        ("nothing wrong", "step-bound"),
        lambda: torch_loader(Gathered(), collate_fn=whole),
    ),
    Case(
        "pytorch: six copies in collate",
        ("slow collate", "copied twice"),
        lambda: torch_loader(Gathered(), collate_fn=copied_six_times),
        lambda: torch_loader(Gathered(), collate_fn=whole),
    ),
    Case(
        "pytorch: values one by one in collate",
        ("slow collate",),
        lambda: torch_loader(Samples(), collate_fn=value_by_value),
        lambda: torch_loader(Samples()),
    ),
    Case(
        "pytorch: a healthy loader with workers",
        ("step-bound",),
        lambda: torch_loader(Samples(), num_workers=1, persistent_workers=True),
        step_seconds=0.05,
    ),
    Case(
        "pytorch: spawned workers",
        ("slow start",),
        lambda: torch_loader(Samples(), num_workers=1, multiprocessing_context="spawn"),
        lambda: torch_loader(Samples()),
    ),
    Case(
        "pytorch: a stream that computes",
        ("samples that compute",),
        lambda: torch_stream(COMPUTE),
        lambda: torch_stream(0.0),
    ),
    Case(
        "fastai: samples are decoded",
        ("samples that compute",),
        lambda: fastai_loader(Samples(COMPUTE)),
        lambda: fastai_loader(Samples()),
    ),
    Case(
        "fastai: a slow after_item",
        ("slow transform",),
        lambda: fastai_loader(Samples(), after_item=lambda item: (spin(COMPUTE), item)[1]),
        lambda: fastai_loader(Samples()),
    ),
    Case(
        "fastai: values one by one in create_batch",
        ("slow collate",),
        lambda: fastai_loader(Samples(), create_batch=value_by_value),
        lambda: fastai_loader(Samples()),
    ),
    Case(
        "tf.data: samples are decoded",
        ("samples that compute",),
        lambda: tf_data(COMPUTE),
        lambda: tf_data(0.0),
    ),
    Case(
        "tf.data: a healthy pipeline",
        ("step-bound",),
        lambda: tf_data(0.0, ahead=True),
        step_seconds=0.1,
    ),
    Case(
        "grain: threads that want one lock",
        ("contention", "samples that compute"),
        lambda: Grain(COMPUTE, 8),
        lambda: Grain(0.0, 8),
    ),
    Case(
        "plain: samples are decoded",
        ("samples that compute",),
        lambda: Plain(computes=COMPUTE),
        Plain,
    ),
    Case(
        "plain: a list is shuffled for each epoch",
        ("slow start",),
        lambda: Plain(a_long_list),
        Plain,
    ),
    Case(
        "plain: the whole epoch is read first",
        ("reads everything first",),
        lambda: Plain(at_once=True, computes=COMPUTE),
        lambda: Plain(computes=COMPUTE),
    ),
)


# Measuring


def epoch_seconds(loader: Iterable, step_seconds: float) -> float:
    """Seconds of one epoch with a step, on a plain clock."""
    start = time.perf_counter()
    for _ in loader:
        spin(step_seconds)
    return time.perf_counter() - start


def truth(case: Case, rounds: int = 3) -> tuple[float, float | None]:
    """The share of an epoch that is loading, and how many times faster it is without its reason:
    medians of rounds that alternate.
    """
    batches = sum(1 for _ in case.make())
    loaders = {"with": case.make(), **({"without": case.without()} if case.without else {})}
    seconds: dict[str, list[float]] = {name: [] for name in (*loaders, "step")}
    for _ in range(rounds):
        for name, loader in loaders.items():
            seconds[name].append(epoch_seconds(loader, case.step_seconds))
        seconds["step"].append(epoch_seconds(itertools.repeat(None, batches), case.step_seconds))
    middle = {name: float(np.median(values)) for name, values in seconds.items()}
    gain = middle["with"] / middle["without"] if case.without else None
    return max(0.0, 1 - middle["step"] / middle["with"]), gain


def measure(case: Case) -> str:
    """The line of a case; it begins with the outcome: right, unknown or WRONG."""
    start = time.perf_counter()
    report = profile_loader(case.make, lambda batch: spin(case.step_seconds), seconds=7.0)
    seconds, verdict = time.perf_counter() - start, report.verdict
    share, gain = truth(case)
    outcome = "WRONG"
    if verdict.kind in case.right:
        outcome = "right"
    elif verdict.kind == UNKNOWN:
        outcome = "unknown"
    shares = f"{report.facts.loading_share:4.0%} ({share:4.0%})"
    gains = f"{verdict.buys:6.2f}x ({f'{gain:6.2f}x' if gain else '-'})"
    noisy = "  noisy" if verdict.noisy else ""
    return (
        f"{outcome:<8} {case.name:<44} {verdict.kind:<22} {shares} {gains} {seconds:5.1f} s{noisy}"
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", default=[], metavar="WORD")
    wanted = parser.parse_args().only
    counts = {"right": 0, "unknown": 0, "WRONG": 0}
    print("outcome  loader, share of loading (independent clock), promised gain (gain)")
    for case in CASES:
        if not all(word in case.name for word in wanted):
            continue
        module = MODULES.get(case.library, case.library)
        if case.library != "plain" and importlib.util.find_spec(module) is None:
            print(f"{case.name}: {module} is not installed")
            continue
        line = measure(case)
        counts[line.split()[0]] += 1
        print(line, flush=True)
    print(", ".join(f"{count} {outcome}" for outcome, count in counts.items()))
    return int(counts["WRONG"] > 0)


if __name__ == "__main__":
    sys.exit(main())

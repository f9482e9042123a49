"""What a loader of the zoo is: a loader that is slow for a reason which is known by construction,
and the same loader without that reason.
"""

from __future__ import annotations

import dataclasses
import importlib.util
import time
from collections.abc import Callable, Iterable

MODULES = {"tf.data": "tensorflow", "pytorch": "torch"}  # library -> the module to import

CAUSES = {
    "step": "the training step takes nearly all of the time, or the loader has no fault",
    "computes": "reading a sample computes: decodes, parses, unpacks",
    "waits": "reading a sample waits: for a disk, a network, a lock",
    "transform": "the transform of samples or batches is slow",
    "collate": "putting samples together to a batch is slow",
    "copies": "a batch is copied several times after it was read",
    "many reads": "samples are cheap, but each is read by a call of its own",
    "start": "work that every epoch repeats before its first batch",
    "all first": "the whole epoch is read before the first batch is given",
    "stragglers": "a few samples or batches take much longer than the others",
    "leak": "the loader keeps something of every batch: memory grows with the batches",
    "contention": "threads or processes hinder each other, or the step",
    "few workers": "worker processes would help, and there are too few or none",
    "costly workers": "worker processes cost more than they give",
    "objects": "samples are Python objects, such as lists of numbers, not arrays",
    "wide": "values are wider than need be, such as float64",
    "first epoch": "a cache keeps the samples of the first epoch, or of workers that end with it",
    "repeated": "every worker reads the whole stream, so that samples come several times",
    "padding": "rows of different lengths are filled up to the longest",
    "small batches": "so few samples are in a batch that each batch's own cost counts",
}


@dataclasses.dataclass(frozen=True)
class Case:
    """A loader with a known reason.

    Attributes:
        name: "library: what is odd about it"; the library is pytorch, fastai, grain, tf.data,
            plain, or a module that can be imported under that name.
        causes: those of `CAUSES` that name the reason; the first is the main one.
        make: returns the loader. It may have parameters batch_size and num_workers.
        without: returns the loader with the reason removed, which gives the same batches; None
            where there is nothing to remove.
        step_seconds: a training step beside it, which computes on one core.
    """

    name: str
    causes: tuple[str, ...]
    make: Callable[..., Iterable]
    without: Callable[[], Iterable] | None = None
    step_seconds: float = 0.002

    def __post_init__(self) -> None:
        unknown = set(self.causes) - CAUSES.keys()
        if unknown or not self.causes:
            raise ValueError(f"causes are some of {', '.join(CAUSES)}; {self.name} has {unknown}")

    @property
    def library(self) -> str:
        return self.name.split(":")[0]

    @property
    def installed(self) -> bool:
        module = MODULES.get(self.library, self.library)
        return self.library == "plain" or importlib.util.find_spec(module) is not None


def spin(seconds: float) -> None:
    """Compute for so long, on one core."""
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass

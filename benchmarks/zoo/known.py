"""Loaders of fastai, tf.data and Grain, and a stream, spawned workers and a slow start of PyTorch.
Their author knew the rules of the verdict.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from case import Case, spin

SAMPLES, BATCH = 1024, 32
COMPUTE = 0.0005  # seconds of a sample
IMAGES = np.random.default_rng(0).integers(0, 256, (SAMPLES, 3, 64, 64), dtype=np.uint8)


class Samples:
    """A dataset of images whose reads compute."""

    def __init__(self, computes: float = 0.0):
        self.computes = computes

    def __len__(self) -> int:
        return SAMPLES

    def __getitem__(self, index: int) -> np.ndarray:
        if index >= SAMPLES:
            raise IndexError(index)
        spin(self.computes)
        return IMAGES[index]


def value_by_value(samples: list[np.ndarray]) -> np.ndarray:
    return np.array([sample.tolist() for sample in samples], np.uint8)


def torch_loader(dataset: Any, **settings: Any) -> Iterable:
    from torch.utils.data import DataLoader

    settings = {"batch_size": BATCH, "shuffle": True, "collate_fn": np.stack, **settings}
    return DataLoader(dataset, **settings)


def torch_stream(seconds: float) -> Iterable:
    from torch.utils.data import IterableDataset

    class Stream(IterableDataset):
        def __iter__(self) -> Iterator[np.ndarray]:
            for image in IMAGES:
                spin(seconds)
                yield image

    return torch_loader(Stream(), shuffle=None)


def fastai_loader(computes: float = 0.0, **hooks: Any) -> Iterable:
    from fastai.data.load import DataLoader

    hooks = {"create_batch": np.stack, "shuffle": True, **hooks}
    return DataLoader(Samples(computes), bs=BATCH, num_workers=0, **hooks)


def tf_data(computes: float = 0.0, ahead: bool = False) -> Iterable:
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import tensorflow as tf

    def read(index: Any) -> np.ndarray:
        spin(computes)
        return IMAGES[int(index)]

    pipeline = tf.data.Dataset.range(SAMPLES)
    pipeline = pipeline.map(lambda index: tf.numpy_function(read, [index], tf.uint8)).batch(BATCH)
    return pipeline.prefetch(1) if ahead else pipeline


class Grain:
    """Grain reads in threads, which share Python's lock."""

    def __init__(self, computes: float):
        self.computes = computes

    def __len__(self) -> int:
        return SAMPLES // BATCH

    def __iter__(self) -> Iterator[np.ndarray]:
        import grain

        pipeline = grain.MapDataset.source(Samples(self.computes)).batch(BATCH)
        options = grain.ReadOptions(num_threads=8, prefetch_buffer_size=4)
        return iter(pipeline.to_iter_dataset(options))


class Plain:
    """A loop that somebody wrote."""

    def __init__(self, starts: Callable[[], Any] = tuple):
        self.starts, self.dataset = starts, Samples()

    def __len__(self) -> int:
        return SAMPLES // BATCH

    def __iter__(self) -> Iterator[np.ndarray]:
        self.starts()
        starts = range(0, SAMPLES, BATCH)
        return (np.stack([self.dataset[i] for i in range(n, n + BATCH)]) for n in starts)


def a_long_list() -> None:
    numbers = list(range(400_000))
    random.Random(0).shuffle(numbers)


CASES = (
    Case(
        "pytorch: spawned workers",
        ("start", "costly workers"),
        lambda: torch_loader(Samples(), num_workers=1, multiprocessing_context="spawn"),
        lambda: torch_loader(Samples()),
    ),
    Case(
        "pytorch: a stream that computes",
        ("computes",),
        lambda: torch_stream(COMPUTE),
        lambda: torch_stream(0.0),
    ),
    Case(
        "fastai: samples are decoded",
        ("computes",),
        lambda: fastai_loader(COMPUTE),
        fastai_loader,
    ),
    Case(
        "fastai: a slow after_item",
        ("transform",),
        lambda: fastai_loader(after_item=lambda item: (spin(COMPUTE), item)[1]),
        fastai_loader,
    ),
    Case(
        "fastai: values one by one in create_batch",
        ("collate",),
        lambda: fastai_loader(create_batch=value_by_value),
        fastai_loader,
    ),
    Case("tf.data: samples are decoded", ("computes",), lambda: tf_data(COMPUTE), tf_data),
    Case("tf.data: a healthy pipeline", ("step",), lambda: tf_data(ahead=True), None, 0.1),
    Case(
        "grain: threads that want one lock",
        ("contention", "computes"),
        lambda: Grain(COMPUTE),
        lambda: Grain(0.0),
    ),
    Case("plain: a list is shuffled for each epoch", ("start",), lambda: Plain(a_long_list), Plain),
)

"""Loaders of the zoo that were written beside the rules of the verdict."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from case import Case, spin

SAMPLES, BATCH = 1024, 32
IMAGES = np.random.default_rng(0).integers(0, 256, (SAMPLES, 3, 64, 64), dtype=np.uint8)
SMALL = np.ascontiguousarray(IMAGES[:, :, :12, :12])


# What slows a loader down


class Samples:
    """A dataset of images whose reads compute, or wait."""

    def __init__(self, computes: float = 0.0, waits: float = 0.0, images: np.ndarray = IMAGES):
        self.computes, self.waits, self.images = computes, waits, images

    def __len__(self) -> int:
        return SAMPLES

    def __getitem__(self, index: int) -> np.ndarray:
        if index >= SAMPLES:
            raise IndexError(index)
        if self.waits:
            time.sleep(self.waits)
        spin(self.computes)
        return self.images[index]


class Gathered(Samples):
    def __getitems__(self, indices: list[int]) -> np.ndarray:
        return self.images[indices]


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

    pipeline = tf.data.Dataset.range(SAMPLES)
    pipeline = pipeline.map(lambda index: tf.numpy_function(read, [index], tf.uint8)).batch(BATCH)
    return pipeline.prefetch(1) if ahead else pipeline


class Grain:
    """Grain reads in threads, which share Python's lock."""

    def __init__(self, computes: float, threads: int):
        self.computes, self.threads = computes, threads

    def __len__(self) -> int:
        return SAMPLES // BATCH

    def __iter__(self) -> Iterator[np.ndarray]:
        import grain

        pipeline = grain.MapDataset.source(Samples(self.computes)).batch(BATCH)
        options = grain.ReadOptions(num_threads=self.threads, prefetch_buffer_size=4)
        return iter(pipeline.to_iter_dataset(options))


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
        ("computes",),
        with_num_workers(Samples(COMPUTE)),
        lambda: torch_loader(Samples()),
    ),
    Case(
        "pytorch: samples come over a network",
        ("waits",),
        with_num_workers(Samples(waits=NETWORK)),
        lambda: torch_loader(Samples()),
    ),
    Case(
        "pytorch: one read for each sample",
        ("many reads",),
        lambda: torch_loader(Samples(images=SMALL)),
        lambda: torch_loader(Gathered(images=SMALL), collate_fn=whole),
        step_seconds=0.0002,
    ),
    Case(
        "pytorch: one gather",
        ("step",),
        lambda: torch_loader(Gathered(), collate_fn=whole),
    ),
    Case(
        "pytorch: six copies in collate",
        ("copies", "collate"),
        lambda: torch_loader(Gathered(), collate_fn=copied_six_times),
        lambda: torch_loader(Gathered(), collate_fn=whole),
        step_seconds=0.0002,
    ),
    Case(
        "pytorch: values one by one in collate",
        ("collate",),
        lambda: torch_loader(Samples(), collate_fn=value_by_value),
        lambda: torch_loader(Samples()),
    ),
    Case(
        "pytorch: a healthy loader with workers",
        ("step",),
        lambda: torch_loader(Samples(), num_workers=1, persistent_workers=True),
        step_seconds=0.03,
    ),
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
        lambda: fastai_loader(Samples(COMPUTE)),
        lambda: fastai_loader(Samples()),
    ),
    Case(
        "fastai: a slow after_item",
        ("transform",),
        lambda: fastai_loader(Samples(), after_item=lambda item: (spin(COMPUTE), item)[1]),
        lambda: fastai_loader(Samples()),
    ),
    Case(
        "fastai: values one by one in create_batch",
        ("collate",),
        lambda: fastai_loader(Samples(), create_batch=value_by_value),
        lambda: fastai_loader(Samples()),
    ),
    Case(
        "tf.data: samples are decoded",
        ("computes",),
        lambda: tf_data(COMPUTE),
        lambda: tf_data(0.0),
    ),
    Case(
        "tf.data: a healthy pipeline",
        ("step",),
        lambda: tf_data(0.0, ahead=True),
        step_seconds=0.1,
    ),
    Case(
        "grain: threads that want one lock",
        ("contention", "computes"),
        lambda: Grain(COMPUTE, 8),
        lambda: Grain(0.0, 8),
    ),
    Case(
        "plain: samples are decoded",
        ("computes",),
        lambda: Plain(computes=COMPUTE),
        Plain,
    ),
    Case(
        "plain: a list is shuffled for each epoch",
        ("start",),
        lambda: Plain(a_long_list),
        Plain,
    ),
    Case(
        "plain: the whole epoch is read first",
        ("all first",),
        lambda: Plain(at_once=True, computes=COMPUTE),
        lambda: Plain(computes=COMPUTE),
    ),
)

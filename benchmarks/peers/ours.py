"""The course's loaders: the reference solutions of module 08 and of its labs 08a, 08b and 08c,
exported from their notebooks to a scratch package.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np

from peers import with_workers
from peers.workload import FLIP, MEAN, PADDING, STD, Work

NEEDS = ()
AUGMENTATION = {"p": FLIP, "padding": PADDING, "mean": MEAN.ravel(), "std": STD.ravel()}


def load(dataset: Any, work: Work, **settings: Any) -> Iterable:
    """Module 08's loader."""
    from tinytorch.core.dataloader import DataLoader

    return DataLoader(
        dataset, **{"batch_size": work.batch_size, "shuffle": True, "seed": 0} | settings
    )


def tensors(*columns: Any):
    from tinytorch.core.dataloader import TensorDataset

    return TensorDataset(*columns)


def gather(work: Work, **settings: Any) -> Iterable:
    return load(tensors(work.images, work.labels), work, **settings)


def from_copies(work: Work, **settings: Any) -> Iterable:
    """The images come from the copies, everything else from the dataset."""
    from tinytorch.core.augment import AugmentFromCopies

    copies = AugmentFromCopies(work.images, **AUGMENTATION)
    return load(tensors(work.labels), work, batch_transform=copies, **settings)


def without_copies(work: Work, **settings: Any) -> Iterable:
    from tinytorch.core.augment import FastAugment

    return gather(work, batch_transform=FastAugment(**AUGMENTATION), **settings)


def batch_augment(work: Work) -> Iterable:
    """The exercise's own BatchAugment, and after it a normalization in place, as in the batched row
    of PyTorch.
    """
    from tinytorch.core.dataloader import BatchAugment

    augment, shape = BatchAugment(FLIP, PADDING), work.images.shape[1:]
    # NumPy is faster with arrays of the full shape than with shape (3, 1, 1)
    mean, std = (np.broadcast_to(value, shape).copy() for value in (MEAN, STD))

    def transform(batch, key, indices):
        images, labels = augment(batch, key, indices)
        normalized = images.data.astype(np.float32)
        normalized -= mean
        normalized /= std
        return normalized, labels

    return gather(work, batch_transform=transform)


def per_sample(work: Work) -> Iterable:
    return load(PerSample(work), work)


class PerSample:
    """The dataset of Part A of the course: every image is flipped, cropped and normalized by
    itself.
    """

    def __init__(self, work: Work):
        from tinytorch.core import dataloader as course

        self.images, self.labels = work.images, work.labels
        self.transform = course.Compose(
            [
                course.RandomHorizontalFlip(FLIP),
                course.RandomCrop(work.images.shape[2:], PADDING),
                self.normalize,
            ]
        )

    def normalize(self, image):
        return (image - MEAN) / STD

    def __len__(self) -> int:
        return len(self.images)

    def __getitem__(self, index: int):
        raise TypeError("the transforms are random: the loader reads with sample_with")

    def sample_with(self, index: int, rng):
        return self.transform(self.images[index], rng=rng), self.labels[index]


def mapped(work: Work) -> Iterable:
    from tinytorch.core.dataloader import MemmapDataset

    return load(MemmapDataset(work.path, work.folder / "labels.npy"), work)


def ranges(work: Work) -> Iterable:
    """08a: the records of arrays in memory, asked for in ranges."""
    from tinytorch.data.batch_loader import ArrayBatchLoader, BatchLoaderDataset

    return load(BatchLoaderDataset(ArrayBatchLoader(work.images, work.labels)), work)


def hooks(work: Work, workers: int = 0, dataset: Any = None) -> Iterable:
    """08b."""
    from tinytorch.data.callback_loader import DataLoader

    return DataLoader(
        tensors(work.images, work.labels) if dataset is None else dataset,
        bs=work.batch_size,
        shuffle=True,
        seed=0,
        num_workers=workers,
    )


def hooks_per_sample(work: Work, workers: int = 0) -> Iterable:
    return hooks(work, workers, PerSample(work))


class columns:
    """08c, with its own shuffle buffer."""

    def __init__(self, work: Work):
        from tinytorch.data.columns import ColumnDataset

        dataset = ColumnDataset({"images": work.images, "labels": work.labels})
        self.loader = dataset.dataloader().shuffle().batch(work.batch_size).numpy()

    def __iter__(self) -> Iterator:
        return ((batch["images"], batch["labels"]) for batch in self.loader)


GATHER, WITH, WITHOUT = "one gather", "with copies of the data", "without copies"
RANGES, HOOKS, COLUMNS = "08a, ranges of arrays", "08b", "08c, columns of arrays"
ROWS = {
    "memory": {
        GATHER: gather,
        "one prefetch thread": partial(gather, prefetch=1),
        RANGES: ranges,
        **with_workers(HOOKS, hooks),
        COLUMNS: columns,
    },
    "augment": {
        WITH: from_copies,
        WITHOUT: without_copies,
        "BatchAugment, then normalize": batch_augment,
        "per sample": per_sample,
        **with_workers("08b, per sample", hooks_per_sample, counts=(2,)),
    },
    "step": {
        f"{WITH}, one prefetch thread": partial(from_copies, prefetch=1),
        f"{WITHOUT}, one prefetch thread": partial(without_copies, prefetch=1),
        f"{WITH}, no thread": from_copies,
    },
    "memmap": {"MemmapDataset": mapped},
    "resident": {"MemmapDataset": mapped},
    "order": {"epoch_order": None},
    "scale": {GATHER: gather},
}

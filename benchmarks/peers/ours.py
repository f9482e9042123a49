"""The course's reference DataLoader, exported from its notebook to a scratch package."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from peers.work import FLIP, PADDING, Work

NEEDS = ()
WITH, WITHOUT = "with copies of the data", "without copies"
VARIANTS = {
    "memory": ("one gather", "one prefetch thread"),
    "augment": (WITH, WITHOUT, "BatchAugment, then normalise", "per sample"),
    "step": (
        f"{WITH}, one prefetch thread",
        f"{WITHOUT}, one prefetch thread",
        f"{WITH}, no thread",
    ),
    "memmap": ("MemmapDataset",),
    "resident": ("MemmapDataset",),
    "order": ("epoch_order",),
    "scale": ("one gather",),
}


def make(variant: str, work: Work) -> Iterable:
    from tinytorch.core import dataloader as course
    from tinytorch.core.augment import AugmentFromCopies, FastAugment

    settings = {
        "batch_size": work.batch_size,
        "shuffle": True,
        "seed": 0,
        "prefetch": int("one prefetch" in variant),
    }
    if variant.startswith("MemmapDataset"):
        return course.DataLoader(
            course.MemmapDataset(work.path, work.folder / "labels.npy"), **settings
        )
    # the images come from the copies, everything else from the dataset
    if variant.startswith(WITH):
        copies = AugmentFromCopies(work.images, **_augmentation(work))
        return course.DataLoader(
            course.TensorDataset(work.labels), batch_transform=copies, **settings
        )
    if variant == "per sample":
        return course.DataLoader(_PerSample(course, work), **settings)
    if variant.startswith(WITHOUT):
        settings["batch_transform"] = FastAugment(**_augmentation(work))
    if variant.startswith("BatchAugment"):
        settings["batch_transform"] = _slow(course, work)
    return course.DataLoader(course.TensorDataset(work.images, work.labels), **settings)


def _augmentation(work: Work) -> dict:
    return {"p": FLIP, "padding": PADDING, "mean": work.mean.ravel(), "std": work.std.ravel()}


def _slow(course, work: Work):
    augment = course.BatchAugment(FLIP, PADDING)
    # NumPy is faster with arrays of the full shape than with shape (3, 1, 1)
    mean, std = (
        np.ascontiguousarray(np.broadcast_to(value, work.images.shape[1:]))
        for value in (work.mean, work.std)
    )

    def transform(batch, key, indices):
        images, labels = augment(batch, key, indices)
        # in place, as the batched transform of PyTorch does
        normalized = images.data.astype(np.float32)
        normalized -= mean
        normalized /= std
        return normalized, labels

    return transform


class _PerSample:
    """The dataset of Part A of the course: every image is flipped, cropped and normalized by
    itself.
    """

    def __init__(self, course, work: Work):
        self.work, mean, std = work, work.mean, work.std
        self.transform = course.Compose(
            [
                course.RandomHorizontalFlip(FLIP),
                course.RandomCrop(work.images.shape[2:], PADDING),
                lambda image: (image - mean) / std,
            ]
        )

    def __len__(self) -> int:
        return len(self.work.images)

    def __getitem__(self, index: int):
        raise TypeError("the transforms are random: the loader reads with sample_with")

    def sample_with(self, index: int, rng):
        return self.transform(self.work.images[index], rng=rng), self.work.labels[index]

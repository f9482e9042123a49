"""PyTorch's DataLoader. Transforms are written with tensors and views, which is faster than
torchvision's classes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np

from peers import with_workers
from peers.workload import FLIP, MEAN, PADDING, STD, Work

NEEDS = ("torch",)


def load(source: Any, work: Work, workers: int, collate_fn: Callable | None = None) -> Iterable:
    from torch.utils.data import DataLoader

    return DataLoader(
        source,
        batch_size=work.batch_size,
        shuffle=True,
        num_workers=workers,
        collate_fn=collate_fn,
    )


def columns(work: Work):
    import torch
    from torch.utils.data import TensorDataset

    return TensorDataset(torch.from_numpy(work.images), torch.from_numpy(work.labels))


def tensors(work: Work, workers: int = 0) -> Iterable:
    return load(columns(work), work, workers)


def per_sample(work: Work, workers: int) -> Iterable:
    return load(PerSample(work), work, workers)


def mapped(work: Work, workers: int = 0) -> Iterable:
    return load(Mapped(work), work, workers)


def batches(work: Work, workers: int, read: Callable, augment: Callable | None = None) -> Iterable:
    """`__getitems__` already returns a batch; PyTorch's default collate_fn would split it."""
    return load(Batches(work, read, augment and augment()), work, workers, as_it_is)


class Mapped:
    """Rows of the memory-mapped file."""

    def __init__(self, work: Work):
        self.images, self.labels = np.load(work.path, mmap_mode="r"), work.labels

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, index: int):
        return np.array(self.images[index]), self.labels[index]


class PerSample:
    """Flip, crop and normalize one image: uint8 in, float32 out."""

    def __init__(self, work: Work):
        import torch

        self.torch, (self.images, self.labels) = torch, columns(work).tensors
        self.mean, self.std = torch.from_numpy(MEAN), torch.from_numpy(STD)

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, index: int):
        return self.transform(self.images[index]), self.labels[index]

    def transform(self, image):
        torch, (_, height, width) = self.torch, image.shape
        if torch.rand(()) < FLIP:
            image = image.flip(-1)
        padded = torch.nn.functional.pad(image, (PADDING,) * 4)
        top, left = torch.randint(0, 2 * PADDING + 1, (2,)).tolist()
        return (padded[:, top : top + height, left : left + width] - self.mean) / self.std


class Batches:
    """A dataset with `__getitems__`, which PyTorch's loader calls once for a whole batch."""

    def __init__(self, work: Work, read: Callable, augment: Callable | None):
        self.columns, self.read, self.augment = columns(work).tensors, read, augment

    def __len__(self) -> int:
        return len(self.columns[0])

    def __getitems__(self, indices: list[int]):
        images, labels = self.read(self.columns, indices)
        return (self.augment(images) if self.augment else images), labels


def by_index(columns, indices: list[int]):
    return tuple(column[indices] for column in columns)


def by_index_select(columns, indices: list[int]):
    import torch

    chosen = torch.tensor(indices)
    return tuple(column.index_select(0, chosen) for column in columns)


class Augment:
    """Flip, crop and normalize a batch (B, 3, H, W): one gather over the windows of the padded
    batch.
    """

    def __init__(self):
        import torch

        self.torch = torch
        self.mean, self.std = torch.from_numpy(MEAN), torch.from_numpy(STD)

    def __call__(self, images):
        torch, (count, _, height, width) = self.torch, images.shape
        flips = torch.rand(count, 1, 1, 1) < FLIP
        padded = torch.nn.functional.pad(
            torch.where(flips, images.flip(-1), images), (PADDING,) * 4
        )
        top, left = torch.randint(0, 2 * PADDING + 1, (2, count))
        # a view: (B, 3, places, places, H, W)
        windows = padded.unfold(2, height, 1).unfold(3, width, 1)
        return windows[torch.arange(count), :, top, left].float().sub_(self.mean).div_(self.std)


def as_it_is(batch):
    """A collate_fn for items that are already batches; at module level, so that a worker can import
    it.
    """
    return batch


AUGMENT = {
    **with_workers("per sample", per_sample),
    **with_workers("batched", partial(batches, read=by_index_select, augment=Augment)),
}
ROWS = {
    "memory": {
        **with_workers("TensorDataset", tensors),
        **with_workers("__getitems__ with X[idx]", partial(batches, read=by_index)),
        **with_workers("__getitems__ with index_select", partial(batches, read=by_index_select)),
    },
    "augment": AUGMENT,
    "step": AUGMENT,
    "memmap": with_workers("np.memmap", mapped),
    "scale": with_workers("TensorDataset", tensors, counts=(0,)),
}

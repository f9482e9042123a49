"""PyTorch's DataLoader. Transforms are written with tensors and views, which is faster than
torchvision's classes.
"""

from __future__ import annotations

from collections.abc import Iterable

from peers.work import FLIP, PADDING, Work

NEEDS = ("torch",)
TENSORS, TENSORS_2 = "TensorDataset, 0 workers", "TensorDataset, 2 workers"
VARIANTS = {
    "memory": (
        TENSORS,
        TENSORS_2,
        "__getitems__ with X[idx], 0 workers",
        "__getitems__ with X[idx], 2 workers",
        "__getitems__ with index_select, 0 workers",
        "__getitems__ with index_select, 2 workers",
    ),
    "augment": (
        "per sample, 0 workers",
        "per sample, 2 workers",
        "batched, 0 workers",
        "batched, 2 workers",
    ),
    "step": (
        "per sample, 0 workers",
        "per sample, 2 workers",
        "batched, 0 workers",
        "batched, 2 workers",
    ),
    "memmap": ("np.memmap, 0 workers", "np.memmap, 2 workers"),
    "scale": (TENSORS,),
}


def make(variant: str, work: Work) -> Iterable:
    from torch.utils.data import DataLoader

    source = dataset(variant, work)
    # __getitems__ already returns a batch; PyTorch's default collate_fn would split it.
    return DataLoader(
        source,
        batch_size=work.batch_size,
        shuffle=True,
        num_workers=int(variant.split()[-2]),
        collate_fn=as_it_is if isinstance(source, Batches) else None,
    )


def dataset(variant: str, work: Work):
    import torch
    from torch.utils.data import TensorDataset

    if variant.startswith("np.memmap"):
        return Mapped(work)
    images, labels = torch.from_numpy(work.images), torch.from_numpy(work.labels)
    if variant.startswith("TensorDataset"):
        return TensorDataset(images, labels)
    if variant.startswith("per sample"):
        return PerSample(images, labels, work)
    return Batches(images, labels, work, variant)


class Mapped:
    """Rows of the memory-mapped file."""

    def __init__(self, work: Work):
        import numpy as np

        self.images, self.labels = np.load(work.path, mmap_mode="r"), work.labels

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, index: int):
        import numpy as np

        return np.array(self.images[index]), self.labels[index]


class PerSample:
    """Flip, crop and normalize one image: uint8 in, float32 out."""

    def __init__(self, images, labels, work: Work):
        import torch

        self.images, self.labels, self.torch = images, labels, torch
        self.mean, self.std = torch.from_numpy(work.mean), torch.from_numpy(work.std)

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

    def __init__(self, images, labels, work: Work, variant: str):
        import torch

        self.images, self.labels, self.variant, self.torch = images, labels, variant, torch
        self.mean, self.std = torch.from_numpy(work.mean), torch.from_numpy(work.std)

    def __len__(self) -> int:
        return len(self.labels)

    def __getitems__(self, indices: list[int]):
        if "X[idx]" in self.variant:
            return self.images[indices], self.labels[indices]
        chosen = self.torch.tensor(indices)
        images, labels = self.images.index_select(0, chosen), self.labels.index_select(0, chosen)
        return (self.augment(images) if "batched" in self.variant else images), labels

    def augment(self, images):
        """Flip, crop and normalize a batch (B, 3, H, W): one gather over the windows of the padded
        batch.
        """
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

"""Grain's MapDataset."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from peers.naive import Augment
from peers.work import FLIP, PADDING, Work

NEEDS = ("grain",)
VARIANTS = {
    "memory": (
        "indexed",
        "as iterator",
        "as iterator, 1 thread, 4 ahead",
        "over batches, own gather",
    ),
    "augment": ("random_map per sample", "map per batch"),
    "step": ("random_map per sample", "map per batch"),
}


def make(variant: str, work: Work) -> Iterable:
    return Epochs(variant, work)


class Epochs:
    """Epochs with a new seed each: a MapDataset keeps one order until it is built again, which
    takes microseconds.
    """

    def __init__(self, variant: str, work: Work):
        self.variant, self.work, self.epoch = variant, work, 0

    def __iter__(self) -> Iterator:
        import grain

        self.epoch += 1
        if self.variant in ("over batches, own gather", "map per batch"):
            batches = self._over_batches(grain)
        else:
            batches = self._over_samples(grain)
        if self.variant.startswith("as iterator"):
            options = (
                grain.ReadOptions(num_threads=1, prefetch_buffer_size=4)
                if "1 thread" in self.variant
                else None
            )
            return iter(batches.to_iter_dataset(options))
        return (batches[i] for i in range(len(batches)))

    def _over_samples(self, grain):
        samples = grain.MapDataset.source(Pairs(self.work)).shuffle(seed=self.epoch)
        if self.variant.startswith("random_map"):
            augment = Augment(self.work)

            def transform(sample, rng):
                augment.rng = rng
                return augment(sample[0]), sample[1]

            samples = samples.seed(self.epoch).random_map(transform)
        return samples.batch(self.work.batch_size)

    def _over_batches(self, grain):
        work, size = self.work, self.work.batch_size
        order = np.random.default_rng(self.epoch).permutation(len(work.images))

        def gather(number: int):
            indices = order[number * size : (number + 1) * size]
            return np.take(work.images, indices, axis=0), work.labels[indices]

        batches = grain.MapDataset.range(work.epoch_length).map(gather)
        if self.variant == "map per batch":
            batches = batches.seed(self.epoch).random_map(
                lambda batch, rng: (augment_batch(batch[0], work, rng), batch[1])
            )
        return batches


class Pairs:
    """A data source that returns the rows of both arrays."""

    def __init__(self, work: Work):
        self.images, self.labels = work.images, work.labels

    def __len__(self) -> int:
        return len(self.images)

    def __getitem__(self, index: int):
        return self.images[index], self.labels[index]


def augment_batch(images: np.ndarray, work: Work, rng: np.random.Generator) -> np.ndarray:
    """Flip, crop and normalize (B, 3, H, W) as a user of NumPy would: one gather over the windows
    of the padded batch.
    """
    count, _, height, width = images.shape
    flips = rng.random(count) < FLIP
    images[flips] = images[flips][..., ::-1]
    padded = np.pad(images, ((0, 0), (0, 0), (PADDING, PADDING), (PADDING, PADDING)))
    top, left = rng.integers(0, 2 * PADDING + 1, (2, count))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (height, width), axis=(2, 3))
    return (windows[np.arange(count), :, top, left] - work.mean) / work.std

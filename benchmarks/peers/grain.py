"""Grain's MapDataset."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from peers.naive import Augment
from peers.workload import FLIP, PADDING, Work

NEEDS = ("grain",)


class Epochs:
    """Epochs with a new seed each: a MapDataset keeps one order until it is built again, which
    takes microseconds.
    """

    def __init__(self, work: Work, build: Callable, options: dict[str, int] | None = None):
        self.work, self.build, self.options, self.epoch = work, build, options, 0

    def __iter__(self) -> Iterator:
        import grain

        self.epoch += 1
        batches = self.build(self.work, self.epoch)
        if self.options is None:
            return (batches[i] for i in range(len(batches)))
        return iter(batches.to_iter_dataset(grain.ReadOptions(**self.options)))


def samples(work: Work, seed: int, augment: bool = False):
    import grain

    found = grain.MapDataset.source(Pairs(work)).shuffle(seed=seed)
    if augment:
        transform = Augment(work)

        def draw(sample, rng):
            transform.rng = rng
            return transform(sample[0]), sample[1]

        found = found.seed(seed).random_map(draw)
    return found.batch(work.batch_size)


def batches(work: Work, seed: int, augment: bool = False):
    import grain

    order, size = np.random.default_rng(seed).permutation(len(work.images)), work.batch_size

    def gather(number: int):
        indices = order[number * size : (number + 1) * size]
        return np.take(work.images, indices, axis=0), work.labels[indices]

    found = grain.MapDataset.range(work.epoch_length).map(gather)
    if augment:
        found = found.seed(seed).random_map(
            lambda batch, rng: (augment_batch(batch[0], work, rng), batch[1])
        )
    return found


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


AUGMENT = {
    "random_map per sample": partial(Epochs, build=partial(samples, augment=True)),
    "map per batch": partial(Epochs, build=partial(batches, augment=True)),
}
ROWS = {
    "memory": {
        "indexed": partial(Epochs, build=samples),
        "as iterator": partial(Epochs, build=samples, options={}),
        "as iterator, 1 thread, 4 ahead": partial(
            Epochs, build=samples, options={"num_threads": 1, "prefetch_buffer_size": 4}
        ),
        "over batches, own gather": partial(Epochs, build=batches),
    },
    "augment": AUGMENT,
    "step": AUGMENT,
}

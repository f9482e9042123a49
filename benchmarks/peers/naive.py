"""The loop that everybody writes first: index each sample, then np.stack each batch."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from peers.workload import FLIP, MEAN, PADDING, STD, Work

NEEDS = ()


class Naive:
    def __init__(self, work: Work, transform: Callable = np.array):
        self.images = work.images if work.path is None else np.load(work.path, mmap_mode="r")
        self.labels, self.batch_size, self.transform = work.labels, work.batch_size, transform
        self.rng = np.random.default_rng(0)

    def __iter__(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        order = self.rng.permutation(len(self.images))
        for start in range(0, len(order), self.batch_size):
            samples = [
                (self.transform(self.images[i]), self.labels[i])
                for i in order[start : start + self.batch_size]
            ]
            yield (
                np.stack([image for image, _ in samples]),
                np.stack([label for _, label in samples]),
            )


class Augment:
    """Flip, pad, crop and normalize one image (3, H, W): uint8 in, float32 out."""

    def __init__(self):
        self.rng = np.random.default_rng(0)

    def __call__(self, image: np.ndarray) -> np.ndarray:
        _, height, width = image.shape
        if self.rng.random() < FLIP:
            image = image[:, :, ::-1]
        padded = np.pad(image, ((0, 0), (PADDING, PADDING), (PADDING, PADDING)))
        top, left = self.rng.integers(0, 2 * PADDING + 1, 2)
        return (padded[:, top : top + height, left : left + width] - MEAN) / STD


def per_sample(work: Work) -> Naive:
    return Naive(work, Augment())


STACK = {"index and np.stack": Naive}
AUGMENT = {"per sample": per_sample}
ROWS = {
    "memory": STACK,
    "augment": AUGMENT,
    "step": AUGMENT,
    "memmap": STACK,
    "resident": STACK,
    "scale": STACK,
}

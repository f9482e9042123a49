"""The loop that everybody writes first: index each sample, then np.stack each batch."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from peers.workload import FLIP, PADDING, Work

NEEDS = ()


class Naive:
    def __init__(self, work: Work, transform: Callable = np.array):
        self.images, self.labels, self.batch_size = work.images, work.labels, work.batch_size
        self.transform = transform
        self.rng = np.random.default_rng(0)

    def __iter__(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        order = self.rng.permutation(len(self.images))
        for start in range(0, len(order), self.batch_size):
            indices = order[start : start + self.batch_size]
            images = [self.transform(self.images[i]) for i in indices]
            yield np.stack(images), np.stack([self.labels[i] for i in indices])


class Augment:
    """Flip, pad, crop and normalize one image (3, H, W): uint8 in, float32 out."""

    def __init__(self, work: Work):
        self.mean, self.std, self.rng = work.mean, work.std, np.random.default_rng(0)

    def __call__(self, image: np.ndarray) -> np.ndarray:
        _, height, width = image.shape
        if self.rng.random() < FLIP:
            image = image[:, :, ::-1]
        padded = np.pad(image, ((0, 0), (PADDING, PADDING), (PADDING, PADDING)))
        top, left = self.rng.integers(0, 2 * PADDING + 1, 2)
        return (padded[:, top : top + height, left : left + width] - self.mean) / self.std


def per_sample(work: Work) -> Naive:
    return Naive(work, Augment(work))


AUGMENT = {"per sample": per_sample}
ROWS = {"memory": {"index and np.stack": Naive}, "augment": AUGMENT, "step": AUGMENT}

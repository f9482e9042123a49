"""Datasets and a loader that take time on the fake clock of a test."""

from __future__ import annotations

import numpy as np


class Numbers:
    """A dataset of N numbers. Reading one takes `fetch` seconds of a fake clock, its transform
    `transform` seconds.
    """

    def __init__(self, num_samples, clock, fetch=0.0, transform=0.0):
        self.num_samples = num_samples
        self.clock = clock
        self.fetch = fetch
        self.seconds = transform
        self.transform = self._slow if transform else None
        self.reads = 0

    def _slow(self, number):
        self.clock.advance(self.seconds)
        return number

    def __len__(self):
        return self.num_samples

    def __getitem__(self, index):
        self.reads += 1
        self.clock.advance(self.fetch / 2)
        sample = self.transform(index) if self.transform else index
        self.clock.advance(self.fetch / 2)  # the time after the transform counts as fetch again
        return sample


class Loader:
    """The plain loop. A batch takes `collate` seconds in collation and `other` seconds elsewhere.
    It counts its epochs as the course's loader does, when `iter` is called.
    """

    def __init__(self, dataset, batch_size, clock, collate=0.0, other=0.0):
        self.dataset = dataset
        self.batch_size = batch_size
        self.clock = clock
        self.collate = collate
        self.other = other
        self.epoch = 0

    def __iter__(self):
        self.epoch += 1
        return self._batches()

    def _batches(self):
        for start in range(0, len(self.dataset), self.batch_size):
            yield self._made(start)

    def _made(self, start):
        stop = min(start + self.batch_size, len(self.dataset))
        self.clock.advance(self.other / 2)
        batch = self._stacked([self.dataset[i] for i in range(start, stop)])
        self.clock.advance(self.other / 2)
        return batch

    def _stacked(self, samples):
        return self._collate_batch(samples)

    def _collate_batch(self, samples):
        self.clock.advance(self.collate)
        return np.array(samples)


class Joined:
    """A concatenation of datasets of equal length."""

    def __init__(self, *datasets):
        self.datasets = datasets

    def __len__(self):
        return sum(map(len, self.datasets))

    def __getitem__(self, index):
        number, inside = divmod(index, len(self.datasets[0]))
        return self.datasets[number][inside]

"""fastai's DataLoader: `after_item` holds transforms per sample, `after_batch` those per batch."""

from __future__ import annotations

from collections.abc import Iterable

from peers import pytorch
from peers.work import Work

NEEDS = ("torch", "fastai")
VARIANTS = {
    "memory": (pytorch.TENSORS, pytorch.TENSORS_2, "create_batches with X[idx], 0 workers"),
    "augment": ("after_item, 0 workers", "after_item, 2 workers", "after_batch, 0 workers"),
    "step": ("after_item, 0 workers", "after_batch, 0 workers"),
}


def make(variant: str, work: Work) -> Iterable:
    import torch
    from fastai.data.load import DataLoader

    source = pytorch.dataset(pytorch.TENSORS, work)
    settings = {"bs": work.batch_size, "shuffle": True, "num_workers": int(variant.split()[-2])}
    if variant.startswith("create_batches"):
        return _gathering(DataLoader)(source, **settings)
    images, labels = source.tensors
    if variant.startswith("after_item"):
        transform = pytorch.PerSample(images, labels, work).transform
        settings["after_item"] = lambda sample: (transform(sample[0]), sample[1])
    if variant.startswith("after_batch"):
        augment = pytorch.Batches(images, labels, work, "batched").augment
        settings["after_batch"] = lambda batch: (augment(batch[0]), batch[1])
    return DataLoader(source, device=torch.device("cpu"), **settings)


def _gathering(base: type) -> type:
    class Gathering(base):
        """Reads a batch with X[idx], by the override that fastai's documentation suggests."""

        def create_batches(self, samples):
            for indices in self.chunkify(samples):
                indices = list(indices)
                yield tuple(column[indices] for column in self.dataset.tensors)

    return Gathering

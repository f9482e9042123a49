"""fastai's DataLoader: `after_item` holds transforms per sample, `after_batch` those per batch."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from peers import pytorch, with_workers
from peers.workload import Work

NEEDS = ("torch", "fastai")


def tensors(work: Work, workers: int, kind: Callable | None = None, **hooks: Any) -> Iterable:
    import torch
    from fastai.data.load import DataLoader

    return (kind or DataLoader)(
        pytorch.columns(work),
        bs=work.batch_size,
        shuffle=True,
        num_workers=workers,
        device=torch.device("cpu"),
        **hooks,
    )


def gathering(work: Work, workers: int) -> Iterable:
    from fastai.data.load import DataLoader

    class Gathering(DataLoader):
        """Reads a batch with X[idx], by the override that fastai's documentation suggests."""

        def create_batches(self, samples):
            for indices in self.chunkify(samples):
                indices = list(indices)
                yield tuple(column[indices] for column in self.dataset.tensors)

    return tensors(work, workers, Gathering)


def after_item(work: Work, workers: int) -> Iterable:
    transform = pytorch.PerSample(work).transform
    return tensors(work, workers, after_item=lambda sample: (transform(sample[0]), sample[1]))


def after_batch(work: Work, workers: int) -> Iterable:
    augment = pytorch.Augment()
    return tensors(work, workers, after_batch=lambda batch: (augment(batch[0]), batch[1]))


ROWS = {
    "memory": {
        **with_workers("TensorDataset", tensors),
        **with_workers("create_batches with X[idx]", gathering, counts=(0,)),
    },
    "augment": {
        **with_workers("after_item", after_item),
        **with_workers("after_batch", after_batch, counts=(0,)),
    },
    "step": {
        **with_workers("after_item", after_item, counts=(0,)),
        **with_workers("after_batch", after_batch, counts=(0,)),
    },
}

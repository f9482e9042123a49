"""torchdata's StatefulDataLoader: PyTorch's loader with the ability to resume."""

from __future__ import annotations

from collections.abc import Iterable

from peers import pytorch
from peers.work import Work

NEEDS = ("torch", "torchdata")
VARIANTS = {"memory": (pytorch.TENSORS, pytorch.TENSORS_2)}


def make(variant: str, work: Work) -> Iterable:
    from torchdata.stateful_dataloader import StatefulDataLoader

    source, workers = pytorch.dataset(variant, work), int(variant.split()[-2])
    return StatefulDataLoader(source, batch_size=work.batch_size, shuffle=True, num_workers=workers)

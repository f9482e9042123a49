"""torchdata's StatefulDataLoader: PyTorch's loader with the ability to resume."""

from __future__ import annotations

from collections.abc import Iterable

from peers import pytorch, with_workers
from peers.workload import Work

NEEDS = ("torch", "torchdata")


def tensors(work: Work, workers: int) -> Iterable:
    from torchdata.stateful_dataloader import StatefulDataLoader

    return StatefulDataLoader(
        pytorch.columns(work), batch_size=work.batch_size, shuffle=True, num_workers=workers
    )


ROWS = {"memory": with_workers("TensorDataset", tensors)}

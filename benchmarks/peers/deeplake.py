"""The Python loader of Deep Lake 3.9 on a local dataset. Its C++ loader (`ds.dataloader()`)
requires a login even for local data.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np

from peers.workload import Work

NEEDS = ("deeplake", "torch")


def lake(work: Work):
    os.environ.setdefault("BUGGER_OFF", "true")  # no reports over the network
    import deeplake

    made = deeplake.empty(str(work.folder / "lake"), overwrite=True)
    with made:
        for name, column in (("images", work.images), ("labels", work.labels)):
            made.create_tensor(
                name,
                dtype=column.dtype,
                create_sample_info_tensor=False,
                create_shape_tensor=False,
                create_id_tensor=False,
            )
            made[name].extend(column)
    return made


class Shuffled:
    def __init__(self, work: Work):
        self.loader = lake(work).pytorch(
            batch_size=work.batch_size,
            shuffle=True,
            num_workers=0,
            buffer_size=64,
            tensors=["images", "labels"],
        )

    def __iter__(self) -> Iterator:
        return ((batch["images"], batch["labels"].ravel()) for batch in self.loader)


class Indexed:
    def __init__(self, work: Work):
        self.lake, self.work, self.rng = lake(work), work, np.random.default_rng(0)

    def __iter__(self) -> Iterator:
        order = self.rng.permutation(len(self.work.labels))
        for start in range(0, len(order), self.work.batch_size):
            indices = order[start : start + self.work.batch_size].tolist()
            yield self.lake.images[indices].numpy(), self.lake.labels[indices].numpy().ravel()


ROWS = {
    "memory": {
        "ds.pytorch, shuffled, 64 MB buffer": Shuffled,
        "ds.images[idx].numpy()": Indexed,
    }
}

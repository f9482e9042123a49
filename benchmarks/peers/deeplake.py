"""The Python loader of Deep Lake 3.9 on a local dataset. Its C++ loader (`ds.dataloader()`)
requires a login even for local data.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from peers.work import Work

NEEDS = ("deeplake", "torch")
VARIANTS = {"memory": ("ds.pytorch, shuffled, 64 MB buffer", "ds.images[idx].numpy()")}


def make(variant: str, work: Work):
    os.environ.setdefault("BUGGER_OFF", "true")  # no reports over the network
    import deeplake

    lake = deeplake.empty(str(work.folder / "lake"), overwrite=True)
    with lake:
        for name, column in (("images", work.images), ("labels", work.labels)):
            lake.create_tensor(
                name,
                dtype=column.dtype,
                create_sample_info_tensor=False,
                create_shape_tensor=False,
                create_id_tensor=False,
            )
            lake[name].extend(column)
    return Indexed(lake, work) if "idx" in variant else Shuffled(lake, work)


class Shuffled:
    def __init__(self, lake, work: Work):
        self.loader = lake.pytorch(
            batch_size=work.batch_size,
            shuffle=True,
            num_workers=0,
            buffer_size=64,
            tensors=["images", "labels"],
        )

    def __iter__(self) -> Iterator:
        return ((batch["images"], batch["labels"].ravel()) for batch in self.loader)


class Indexed:
    def __init__(self, lake, work: Work):
        import numpy as np

        self.lake, self.work, self.rng = lake, work, np.random.default_rng(0)

    def __iter__(self) -> Iterator:
        order = self.rng.permutation(len(self.work.labels))
        for start in range(0, len(order), self.work.batch_size):
            indices = order[start : start + self.work.batch_size].tolist()
            yield self.lake.images[indices].numpy(), self.lake.labels[indices].numpy().ravel()

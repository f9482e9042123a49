"""What the tests of peers' behavior share: ways to load, and datasets of a few lines."""

from __future__ import annotations

import sys

import numpy as np
import pytest

# with spawn, workers could not import the classes of this file
SETTINGS = [
    {},
    *(
        {"num_workers": 3, "start_method": "fork", **more}
        for more in ({}, {"persistent_workers": True}, {"prefetch": 3})
        if sys.platform != "win32"
    ),
]
every_way = pytest.mark.parametrize(
    "settings",
    SETTINGS,
    ids=["here", "workers", "workers that stay", "more ahead"][: len(SETTINGS)],
)


class Counting(list):
    """Item i is i."""

    def __init__(self, count):
        super().__init__(range(count))


def numbers(loader):
    return [np.asarray(batch.data).tolist() for batch in loader]

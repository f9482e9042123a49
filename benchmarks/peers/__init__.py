"""The loaders of the comparison, one file for each library.

Each file has
    NEEDS   names that must be importable, otherwise the library is "not installed";
    ROWS    case -> {name of a way in which this library can do that case's work:
            make(work) -> something that can be iterated many times, each time over one shuffled
            epoch of batches (images, labels, ...)}.
It imports its library inside functions, so that its ROWS can be read even if the library is not
installed.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

NAMES = ("ours", "naive", "pytorch", "fastai")


def with_workers(name: str, make: Callable, counts: tuple[int, ...] = (0, 2)) -> dict[str, Any]:
    """The rows of `make(work, workers=...)` for each number of workers."""
    return {f"{name}, {count} workers": partial(make, workers=count) for count in counts}

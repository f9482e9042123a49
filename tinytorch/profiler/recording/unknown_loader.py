"""What the profiler asks of a loader that it has never seen: is it one loader, and does it read
ahead?
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Mapping
from typing import Any

# parameters that say how far a loader reads ahead
READS_AHEAD = ("prefetch", "num_workers")


def workers_of(loader: Any) -> int:
    """How many batches or processes a loader reads ahead with; 0 where it does not say.

    Only numbers count: tf.data's `prefetch` is a method.
    """
    ahead = getattr(loader, "prefetch", 0)
    return ahead if isinstance(ahead, int) and ahead else processes_of(loader)


def processes_of(loader: Any) -> int:
    """How many other processes read for this loader; 0 where it does not say. fastai's loader says
    num_workers=1 for 0; the true number has the PyTorch loader inside it, `fake_l`.
    """
    value = getattr(getattr(loader, "fake_l", loader), "num_workers", 0)
    return int(value) if isinstance(value, int) else 0


def workers_stay(loader: Any) -> bool:
    """Whether its worker processes live on from one epoch to the next, as far as it says."""
    return bool(getattr(getattr(loader, "fake_l", loader), "persistent_workers", True))


def with_workers(loader: Any, processes: int) -> Any:
    """A copy of a PyTorch or fastai loader that reads in so many processes; None for any other
    loader, and for one of a stream: each process would read the whole stream.
    """
    if processes and is_stream(type(getattr(loader, "dataset", None))):
        return None
    if hasattr(loader, "fake_l"):  # fastai's
        return loader.new(num_workers=processes)
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(loader, torch.utils.data.DataLoader):
        return None
    twin = copy.copy(loader)
    changes: dict[str, Any] = {"num_workers": processes, "_iterator": None}
    if not processes:
        # PyTorch refuses these where there is no worker
        changes |= {"prefetch_factor": None, "persistent_workers": False, "timeout": 0}
    elif not loader.num_workers:
        changes["prefetch_factor"] = 2  # PyTorch's default
    for name, value in changes.items():
        object.__setattr__(twin, name, value)
    return twin


def is_stream(kind: type) -> bool:
    """Whether a dataset of this class is read by iteration alone. PyTorch's IterableDataset has a
    `__getitem__` that only raises.
    """
    named = any(base.__name__ == "IterableDataset" for base in kind.__mro__)
    return hasattr(kind, "__iter__") and (named or not hasattr(kind, "__getitem__"))


def one_loader(made: Any, call: str) -> Any:
    """Return `made`, if it is not several loaders.

    Args:
        made: what a person passed or returned as a loader. A list of batches is a loader.
        call: how to measure one of them, with {which} for its key.

    Raises:
        TypeError: it is a dict, or a tuple or list of loaders.
    """
    if isinstance(made, Mapping):
        keys = list(made)
    elif isinstance(made, (tuple, list)) and any(map(_is_loader, made)):
        keys = list(range(len(made)))
    else:
        return made
    raise TypeError(
        f"one loader can be measured at a time, got a {type(made).__name__} of {len(keys)}; try"
        f" {call.format(which=repr(keys[0]) if keys else 'name')}"
    )


def _is_loader(part: Any) -> bool:
    """Whether an item of a tuple is a loader of its own, not a batch or an array of a batch."""
    if isinstance(part, (tuple, list, Mapping, str, bytes)) or hasattr(part, "shape"):
        return False
    return hasattr(part, "__next__") or hasattr(part, "__iter__")

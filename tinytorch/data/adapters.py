"""Batches as tensors of PyTorch or TensorFlow. Each is imported when a pipeline first needs it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tinytorch.core.tensor import Tensor


def to_torch() -> Callable[[Any], Any]:
    """Return the function that turns a batch's arrays into PyTorch tensors, without copying. Text
    and other values are left as they are.

    Raises:
        ImportError: PyTorch is not installed.
    """
    try:
        import torch
    except ImportError as error:
        raise ImportError(_missing("pytorch", "PyTorch", "torch")) from error
    return lambda batch: _each_array(batch, lambda array: torch.from_numpy(_owned(array)))


def to_tensorflow() -> Callable[[Any], Any]:
    """Return the function that turns a batch's arrays into TensorFlow tensors. Text and other
    values are left as they are.

    Raises:
        ImportError: TensorFlow is not installed.
    """
    try:
        import tensorflow
    except ImportError as error:
        raise ImportError(_missing("tensorflow", "TensorFlow", "tensorflow")) from error
    return lambda batch: _each_array(batch, tensorflow.convert_to_tensor)


def torch_collate(samples: Any) -> Any:
    """Return a batch of PyTorch tensors: the `collate_fn` with which PyTorch's own DataLoader reads
    a dataset of this course, also in worker processes.

    `samples` is a list of samples, or, from a dataset that gathers (module 08, exercise 15a), the
    finished batch.
    """
    from torch.utils.data import default_collate

    if isinstance(samples, list):
        return default_collate([_each_array(sample, _owned) for sample in samples])
    return to_torch()(samples)


def rank_and_world() -> tuple[int, int]:
    """Return (rank, number of ranks) of this process in a distributed run. They come from
    torch.distributed where it is initialized, else from the environment variables RANK and
    WORLD_SIZE, which `torchrun` sets.

    Raises:
        RuntimeError: neither gives the rank, or the values are not valid.
    """
    try:
        import torch.distributed as distributed
    except ImportError:
        distributed = None
    if distributed is not None and distributed.is_available() and distributed.is_initialized():
        return distributed.get_rank(), distributed.get_world_size()
    words: dict[str, Any] = {name: os.environ.get(name) for name in ("RANK", "WORLD_SIZE")}
    if None in words.values():
        raise RuntimeError(
            "distributed=True needs to know this process's rank: call"
            " torch.distributed.init_process_group first, start with torchrun, or set RANK and"
            f" WORLD_SIZE; got {words}"
        )
    try:
        rank, world = int(words["RANK"]), int(words["WORLD_SIZE"])
    except ValueError:
        rank = world = -1
    if not 0 <= rank < world:
        raise RuntimeError(f"RANK must be a whole number from 0 to WORLD_SIZE - 1, got {words}")
    return rank, world


def _missing(step: str, name: str, package: str) -> str:
    return (
        f".{step}() hands out {name} tensors, and {name} is not installed: python -m pip install"
        f" {package}, or use .numpy()"
    )


def _owned(array: np.ndarray) -> np.ndarray:
    """The array, or a copy where it is read-only or has negative strides: PyTorch accepts
    neither.
    """
    taken = array.flags.writeable and all(step >= 0 for step in array.strides)
    return array if taken else array.copy()


def _each_array(batch: Any, convert: Callable[[np.ndarray], Any]) -> Any:
    if isinstance(batch, Mapping):
        return {name: _each_array(part, convert) for name, part in batch.items()}
    if isinstance(batch, tuple) and hasattr(batch, "_fields"):
        return type(batch)(*(_each_array(part, convert) for part in batch))
    if isinstance(batch, (list, tuple)):
        return type(batch)(_each_array(part, convert) for part in batch)
    if isinstance(batch, Tensor):
        return convert(batch.data)
    if isinstance(batch, (np.ndarray, np.generic)) and batch.dtype.kind in "biufc":
        return convert(np.asarray(batch))
    return batch

"""Waiting for an accelerator, whose work goes on after the call that started it has returned."""

from __future__ import annotations

import sys


def synchronize_torch() -> None:
    """Wait until the accelerator that PyTorch uses in this process has done its work; return at
    once where there is none, or where PyTorch is not imported.
    """
    torch = sys.modules.get("torch")
    if torch is None:
        return
    if torch.cuda.is_available() and torch.cuda.is_initialized():
        torch.cuda.synchronize()
    elif torch.backends.mps.is_available():
        torch.mps.synchronize()


def rank_of_torch() -> tuple[int, int] | None:
    """(the rank of this process, the number of ranks) where PyTorch trains in several."""
    torch = sys.modules.get("torch")
    distributed = getattr(torch, "distributed", None)
    if distributed is None or not distributed.is_available() or not distributed.is_initialized():
        return None
    return distributed.get_rank(), distributed.get_world_size()

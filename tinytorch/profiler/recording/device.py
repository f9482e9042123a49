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

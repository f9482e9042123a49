"""Every loader must do the work that was asked for, or its time means nothing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from peers.workload import MEAN, STD, Work

KEPT = 20  # number of batches kept to check whether they are overwritten


def check(loader: Iterable, work: Work, shuffled: bool = True) -> dict[str, Any]:
    """Check one epoch: every sample once, shuffled, with the right values; and kept batches are
    still right at its end.

    Raises:
        ValueError: the loader did other work than asked for.
    """
    from tinytorch.profiler.recording.memory import as_array

    labels, kept, batch_bytes = [], [], 0
    augmented = work.case in ("augment", "step")
    for images, label, *_ in loader:
        images, label = as_array(images), as_array(label)
        labels.append(label.copy())
        batch_bytes = max(batch_bytes, images.nbytes + label.nbytes)
        if len(kept) < KEPT:
            kept.append((images, images.copy(), label))
    order = np.concatenate(labels)
    if not np.array_equal(np.sort(order), work.labels) or (
        shuffled and len(order) > 99 and np.array_equal(order, work.labels)
    ):
        raise ValueError("an epoch must hold every sample once, in shuffled order; it does not")
    for images, _, _ in kept if augmented else []:
        _check_augmented(images)
    for _, copies, label in [] if augmented else kept:
        if copies.dtype != work.images.dtype or not np.array_equal(copies, work.images[label]):
            raise ValueError(
                "a batch must hold the rows of its labels in the dtype of the data; it does not"
            )
    return {
        "batch_bytes": batch_bytes,
        "kept_right": all(np.array_equal(images, copies) for images, copies, _ in kept),
    }


def _check_augmented(images: np.ndarray) -> None:
    """Check for float32, and that each channel lies between (0 - mean) / std and (255 - mean) / std
    and comes near both.
    """
    if images.dtype != np.float32 or images.shape[1:] != (3, 32, 32):
        raise ValueError(
            f"an augmented batch must be float32 (B, 3, 32, 32), got {images.dtype} {images.shape}"
        )
    for channel, (mean, std) in enumerate(zip(MEAN.ravel(), STD.ravel(), strict=True)):
        low, high = (0 - mean) / std, (255 - mean) / std
        extremes = images[:, channel].min(), images[:, channel].max()
        if not np.allclose(extremes, (low, high), atol=0.05):
            raise ValueError(
                f"channel {channel} must span {low:.2f}..{high:.2f} after (x - mean) / std, "
                f"got {extremes[0]:.2f}..{extremes[1]:.2f}"
            )

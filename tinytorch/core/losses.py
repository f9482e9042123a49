"""Losses, which say how wrong a batch of predictions is, and accuracy: how often it is right."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytorch.core.autograd import record
from tinytorch.core.tensor import Tensor


class MSELoss:
    """The mean of (prediction - target)^2 over all elements; both have the same shape."""

    def __call__(self, prediction: Tensor, target: Any) -> Tensor:
        target = target if isinstance(target, Tensor) else Tensor(target)
        if prediction.shape != target.shape:
            # broadcasting (N, 1) against (N,) would compare every pair
            raise ValueError(
                f"prediction and target need one shape, got {prediction.shape} and {target.shape};"
                " reshape one of them"
            )
        difference = prediction - target
        return (difference * difference).mean()


class CrossEntropyLoss:
    """The mean of -log(softmax(logits)[label]) in nats, for logits (N, C) and integer labels (N,)
    in 0..C-1.

    log(softmax) is computed as x - log(sum(e^x)) with the largest x subtracted first, so neither
    log(0) nor e^1000 appears. The gradient is (softmax - one-hot) / N.
    """

    def __call__(self, logits: Tensor, labels: Any) -> Tensor:
        labels = _labels(logits, labels)
        rows = np.arange(len(labels))
        shifted = logits.data - logits.data.max(axis=1, keepdims=True)
        log_softmax = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))

        def pull(g: np.ndarray) -> np.ndarray:
            gradient = np.exp(log_softmax)
            gradient[rows, labels] -= 1
            gradient *= g / len(labels)
            return gradient

        return record(Tensor(-log_softmax[rows, labels].mean()), (logits, pull))


def accuracy(logits: Tensor, labels: Any) -> float:
    """The fraction of rows of `logits` (N, C) whose largest entry is at the label: 0.0 to 1.0."""
    return float((logits.data.argmax(axis=1) == _labels(logits, labels)).mean())


def _labels(logits: Tensor, labels: Any) -> np.ndarray:
    labels = np.asarray(labels)
    if logits.ndim != 2 or labels.shape != logits.shape[:1]:
        raise ValueError(
            f"logits are (N, C) and labels (N,), got {logits.shape} and {labels.shape}"
        )
    if labels.dtype.kind not in "iu":
        raise TypeError(
            f"labels are integers, got {labels.dtype}; something on the way turned them into floats"
            " (collation, Normalizer?)"
        )
    if not len(labels):
        raise ValueError("a batch needs 1 or more samples, got 0")
    if labels.min() < 0 or labels.max() >= logits.shape[1]:
        raise ValueError(
            f"labels are 0..{logits.shape[1] - 1} for {logits.shape[1]} logits, got"
            f" {labels.min()}..{labels.max()}"
        )
    return labels

"""The training loop: batches in, a history of loss and accuracy out."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tinytorch.core.autograd import no_grad
from tinytorch.core.layers import Layer
from tinytorch.core.losses import accuracy
from tinytorch.core.optimizers import Optimizer
from tinytorch.core.tensor import Tensor


@dataclass(frozen=True)
class Epoch:
    """The results of one pass over the data. Means are over samples. Accuracies are fractions; None
    means not measured.
    """

    epoch: int  # counted from 0
    num_samples: int
    loss: float
    accuracy: float | None
    batch_losses: tuple[float, ...]  # the loss before each step, in order
    test_accuracy: float | None = None


class History(list):
    """One `Epoch` for each pass over the data."""

    @property
    def losses(self) -> list[float]:
        """The loss of every step, through all epochs."""
        return [loss for epoch in self for loss in epoch.batch_losses]


def scale_pixels(images: Any) -> Tensor:
    """uint8 images 0..255 as float32 0..1: the simplest function to pass as `prepare`."""
    array = np.asarray(images)
    if array.dtype != np.uint8:
        raise TypeError(f"scale_pixels takes uint8 images, 0..255, got {array.dtype}")
    return Tensor(array * np.float32(1 / 255))


def fit(
    model: Layer,
    loader: Iterable,
    loss: Callable[[Tensor, Any], Tensor],
    optimizer: Optimizer,
    epochs: int = 1,
    *,
    prepare: Callable[[Any], Any] | None = None,
    metric: Callable[[Tensor, Any], float] | None = accuracy,
    test_loader: Iterable | None = None,
    on_epoch: Callable[[Epoch], None] | None = None,
) -> History:
    """Train `model` for some epochs and return the history: one `Epoch` for each.

    Args:
        loader: gives batches (inputs, targets) of Tensors, arrays or lists each time it is
            iterated.
        loss: (predictions, targets) -> Tensor of one element.
        prepare: applied to the inputs of every batch, such as a Normalizer's `transform`; images
            stay uint8 until here.
        metric: (predictions, targets) -> number, averaged over samples; None for tasks without
            classes.
        test_loader: when given, `evaluate` runs on it after each epoch, with `metric`.
        on_epoch: called with each record, to print or to plot.

    Raises:
        ValueError: `epochs` is negative, there is a test_loader without a metric, a batch is not a
            pair, or the loader gives no batches.
        FloatingPointError: the loss is no longer a finite number.
    """
    if epochs < 0:
        raise ValueError(f"epochs must be 0 or more, got {epochs}")
    if test_loader is not None and metric is None:
        raise ValueError(
            "test_loader needs a metric, got metric=None; pass a function of (predictions, targets)"
        )
    training, history = _Training(model, loss, optimizer, prepare, metric), History()
    for epoch in range(epochs):
        record = training.epoch(epoch, loader, test_loader)
        history.append(record)
        if on_epoch is not None:
            on_epoch(record)
    return history


@dataclass(frozen=True)
class _Training:
    """What stays the same from one epoch to the next."""

    model: Layer
    loss: Callable[[Tensor, Any], Tensor]
    optimizer: Optimizer
    prepare: Callable[[Any], Any] | None
    metric: Callable[[Tensor, Any], float] | None

    def epoch(self, number: int, loader: Iterable, test_loader: Iterable | None) -> Epoch:
        self.model.train()
        sizes, losses, scores = [], [], []
        for inputs, targets in _batches(loader, self.prepare, f"epoch {number}"):
            self.optimizer.zero_grad()
            predictions = self.model(inputs)
            error = self.loss(predictions, targets)
            losses.append(error.item())
            if not math.isfinite(losses[-1]):
                where = f"epoch {number}, batch {len(losses) - 1}"
                raise FloatingPointError(
                    f"the loss is {losses[-1]} in {where};"
                    " lower lr, or look for bad values in the inputs"
                )
            error.backward()
            self.optimizer.step()
            sizes.append(len(inputs))
            if self.metric is not None:
                scores.append(self.metric(predictions, targets))
        test_accuracy = None
        if test_loader is not None and self.metric is not None:
            test_accuracy = evaluate(
                self.model, test_loader, prepare=self.prepare, metric=self.metric
            )
        return Epoch(
            number,
            sum(sizes),
            _mean(losses, sizes),
            _mean(scores, sizes) if scores else None,
            tuple(losses),
            test_accuracy,
        )


def evaluate(
    model: Layer,
    loader: Iterable,
    *,
    prepare: Callable[[Any], Any] | None = None,
    metric: Callable[[Tensor, Any], float] = accuracy,
) -> float:
    """The mean of `metric` over the samples of `loader`: by default the accuracy, a fraction. The
    model does not learn from them.

    Raises:
        ValueError: a batch is not a pair, or the loader gives no batches.
    """
    modes = [(layer, layer.training) for layer in model.layers()]
    model.eval()
    try:
        with no_grad():
            scored = [
                (metric(model(inputs), targets), len(inputs))
                for inputs, targets in _batches(loader, prepare, "evaluate")
            ]
    finally:
        for layer, training in modes:
            layer.training = training
    return _mean(*zip(*scored, strict=True))


def _batches(loader: Iterable, prepare: Callable[[Any], Any] | None, where: str):
    empty = True
    for batch in loader:
        if not isinstance(batch, (tuple, list)) or len(batch) != 2:
            got = type(batch).__name__
            if isinstance(batch, (tuple, list)):
                got += f" of {len(batch)}"
            raise ValueError(
                f"a batch is a pair (inputs, targets), got a {got};"
                " does the dataset give (image, label)?"
            )
        inputs = prepare(batch[0]) if prepare is not None else batch[0]
        empty = False
        yield inputs if isinstance(inputs, Tensor) else Tensor(inputs), batch[1]
    if empty:
        raise ValueError(
            f"the loader gave no batches ({where}); is the dataset empty, or is it a generator,"
            " which can be read only once?"
        )


def _mean(values, sizes) -> float:
    """The mean over samples from means of batches, each weighted by its size."""
    return sum(value * size for value, size in zip(values, sizes, strict=True)) / sum(sizes)

"""Activations: nonlinear layers without parameters."""

from __future__ import annotations

import numpy as np

from tinytorch.core.autograd import record
from tinytorch.core.layers import Layer
from tinytorch.core.tensor import Tensor


class ReLU(Layer):
    """max(x, 0); the gradient at 0 is 0."""

    def forward(self, x: Tensor) -> Tensor:
        return record(Tensor(np.maximum(x.data, 0)), (x, lambda g: g * (x.data > 0)))


class Sigmoid(Layer):
    """1 / (1 + e^-x), written as (1 + tanh(x / 2)) / 2, which does not overflow."""

    def forward(self, x: Tensor) -> Tensor:
        y = 0.5 * np.tanh(0.5 * x.as_float().data) + 0.5
        return record(Tensor(y), (x, lambda g: g * y * (1 - y)))


class Tanh(Layer):
    """(e^x - e^-x) / (e^x + e^-x)."""

    def forward(self, x: Tensor) -> Tensor:
        y = np.tanh(x.as_float().data)
        return record(Tensor(y), (x, lambda g: g * (1 - y * y)))


class Softmax(Layer):
    """e^x / sum of e^x along `axis`; subtracting the largest x first prevents an overflow."""

    def __init__(self, axis: int = -1):
        self.axis = axis

    def forward(self, x: Tensor) -> Tensor:
        x = x.as_float()
        y = np.exp(x.data - x.data.max(axis=self.axis, keepdims=True))
        y /= y.sum(axis=self.axis, keepdims=True)
        return record(
            Tensor(y), (x, lambda g: y * (g - (g * y).sum(axis=self.axis, keepdims=True)))
        )

"""Layers: functions of a Tensor that own parameters."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from tinytorch.core.autograd import record
from tinytorch.core.tensor import Tensor


class Layer:
    """A function with parameters, found in its attributes. A subclass defines `forward`."""

    training = True

    def forward(self, x: Tensor) -> Tensor:
        raise NotImplementedError(f"{type(self).__name__} needs a forward(x)")

    def __call__(self, x: Tensor) -> Tensor:
        return self.forward(x)

    def layers(self) -> Iterator[Layer]:
        """This layer, then the layers inside it, in the order in which they were set."""
        yield self
        for value in vars(self).values():
            for part in value if isinstance(value, (list, tuple)) else [value]:
                if isinstance(part, Layer):
                    yield from part.layers()

    def parameters(self) -> list[Tensor]:
        """Each Tensor with requires_grad once, in the order in which the attributes were set."""
        values = [value for layer in self.layers() for value in vars(layer).values()]
        own = [value for value in values if isinstance(value, Tensor) and value.requires_grad]
        return list({id(tensor): tensor for tensor in own}.values())

    def train(self, training: bool = True) -> Layer:
        """Switch layers such as Dropout between training and use; return this layer."""
        for layer in self.layers():
            layer.training = training
        return self

    def eval(self) -> Layer:
        return self.train(False)


class Sequential(Layer):
    """Layers applied one after the other: `Sequential(Flatten(), Linear(3072, 10))`."""

    def __init__(self, *steps: Layer):
        self.steps = list(steps)

    def forward(self, x: Tensor) -> Tensor:
        for step in self.steps:
            x = step(x)
        return x


class Linear(Layer):
    """y = x W + b for x (N, in_features) -> (N, out_features).

    W is (in_features, out_features), drawn from a normal distribution with variance 2 /
    in_features, which keeps the size of the signal through ReLUs (He, Zhang, Ren, Sun 2015,
    https://arxiv.org/abs/1502.01852); b starts at 0. Both float32.

    Args:
        seed: an int makes W repeatable; None draws fresh entropy.
    """

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, *, seed: int | None = None
    ):
        if in_features < 1 or out_features < 1:
            raise ValueError(
                "a Linear needs 1 or more features on both sides,"
                f" got {in_features} -> {out_features}"
            )
        shape, scale = (in_features, out_features), np.float32(math.sqrt(2 / in_features))
        weight = np.random.default_rng(seed).standard_normal(shape, dtype=np.float32)
        self.weight = Tensor(weight * scale, requires_grad=True)
        self.bias = Tensor(np.zeros(out_features, np.float32), requires_grad=True) if bias else None

    def forward(self, x: Tensor) -> Tensor:
        features = self.weight.shape[0]
        if x.dtype.kind != "f":
            raise TypeError(
                f"Linear takes floats, got {x.dtype}; scale or normalize the images first (fit(...,"
                " prepare=scale_pixels))"
            )
        if x.ndim < 2 or x.shape[-1] != features:
            raise ValueError(
                f"Linear takes (N, {features}), got shape {x.shape};"
                " images (N, C, H, W) go through Flatten() first"
            )
        y = x @ self.weight
        return y if self.bias is None else y + self.bias


class Flatten(Layer):
    """(N, ...) -> (N, D): each sample as one row."""

    def forward(self, x: Tensor) -> Tensor:
        # not reshape(len(x), -1), which fails for an empty batch
        return x.reshape(len(x), math.prod(x.shape[1:]))


class Dropout(Layer):
    """During training, set each element to 0 with probability p and divide the others by 1 - p;
    otherwise change nothing.

    Srivastava, Hinton, Krizhevsky, Sutskever, Salakhutdinov 2014. It has its own generator; `seed`
    makes it repeatable.
    """

    def __init__(self, p: float = 0.5, *, seed: int | None = None):
        if not 0 <= p < 1:
            raise ValueError(f"p is a probability, 0 <= p < 1, got {p}")
        self.p, self.rng = p, np.random.default_rng(seed)

    def forward(self, x: Tensor) -> Tensor:
        if not self.training or self.p == 0:
            return x
        kept = self.rng.random(x.shape, dtype=np.float32) >= self.p
        scale = (kept / (1 - self.p)).astype(x.dtype)
        return record(Tensor(x.data * scale), (x, lambda g: g * scale))

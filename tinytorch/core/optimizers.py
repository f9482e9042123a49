"""Optimizers: change parameters, in place, along their gradients."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tinytorch.core.tensor import Tensor


class Optimizer:
    """Changes parameters by their gradients. A subclass defines `update(number, parameter,
    gradient)`. Parameters without a gradient are left unchanged.
    """

    def __init__(self, parameters: Iterable[Tensor], lr: float):
        self.parameters = list(parameters)
        if not self.parameters:
            raise ValueError(
                "an optimizer needs 1 or more parameters, got none; pass model.parameters()"
            )
        if not lr > 0:
            raise ValueError(f"lr, the learning rate, must be over 0, got {lr}")
        self.lr = lr

    def zero_grad(self) -> None:
        """Drop the gradients of the last batch; without this call they would add up."""
        for parameter in self.parameters:
            parameter.grad = None

    def step(self) -> None:
        for number, parameter in enumerate(self.parameters):
            if parameter.grad is not None:
                self.update(number, parameter.data, parameter.grad)

    def update(self, number: int, parameter: np.ndarray, gradient: np.ndarray) -> None:
        raise NotImplementedError(
            f"{type(self).__name__} needs an update(number, parameter, gradient)"
        )


class SGD(Optimizer):
    """v = momentum v + gradient + weight_decay parameter; parameter -= lr v.

    Stochastic gradient descent with momentum (Polyak 1964), in the form of Sutskever et al. 2013
    without Nesterov's term.
    """

    def __init__(
        self,
        parameters: Iterable[Tensor],
        lr: float = 0.01,
        momentum: float = 0.0,
        weight_decay: float = 0.0,
    ):
        super().__init__(parameters, lr)
        if not 0 <= momentum < 1:
            raise ValueError(f"momentum must be 0 or more and under 1, got {momentum}")
        if not weight_decay >= 0:
            raise ValueError(f"weight_decay must be 0 or more, got {weight_decay}")
        self.momentum, self.weight_decay = momentum, weight_decay
        self.velocity = [np.zeros_like(p.data) for p in self.parameters] if momentum else []

    def update(self, number: int, parameter: np.ndarray, gradient: np.ndarray) -> None:
        if self.weight_decay:
            gradient = gradient + self.weight_decay * parameter
        if self.momentum:
            velocity = self.velocity[number]
            velocity *= self.momentum
            velocity += gradient
            gradient = velocity
        parameter -= self.lr * gradient


class Adam(Optimizer):
    """Steps of about lr, scaled by running means of the gradient and of its square (Kingma and
    Ba 2015, algorithm 1).
    """

    def __init__(
        self,
        parameters: Iterable[Tensor],
        lr: float = 0.001,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
    ):
        super().__init__(parameters, lr)
        if not all(0 <= beta < 1 for beta in betas):
            raise ValueError(f"betas must be 0 or more and under 1, got {betas}")
        self.betas, self.eps, self.num_steps = betas, eps, 0
        self.mean = [np.zeros_like(p.data) for p in self.parameters]
        self.mean_square = [np.zeros_like(p.data) for p in self.parameters]

    def step(self) -> None:
        self.num_steps += 1
        super().step()

    def update(self, number: int, parameter: np.ndarray, gradient: np.ndarray) -> None:
        (beta1, beta2), mean, mean_square = self.betas, self.mean[number], self.mean_square[number]
        mean *= beta1
        mean += (1 - beta1) * gradient
        mean_square *= beta2
        mean_square += (1 - beta2) * gradient * gradient
        # Both means start at 0; dividing by 1 - beta^t removes that bias.
        size = np.sqrt(mean_square / (1 - beta2**self.num_steps))
        size += self.eps
        parameter -= (self.lr / (1 - beta1**self.num_steps)) * mean / size

"""Gradients by central differences, to compare autograd with."""

from __future__ import annotations

import numpy as np

from tinytorch.core.tensor import Tensor

STEP = 1e-6  # error: about STEP^2 from the curve, about 1e-16 / STEP from rounding


def assert_gradients_agree(function, *arrays: np.ndarray) -> None:
    """Assert that the gradients of `function` (Tensors -> Tensor) equal those found by moving each
    element by STEP, in float64.
    """
    tensors = [Tensor(np.array(array, np.float64), requires_grad=True) for array in arrays]
    result = function(*tensors)
    # a random direction; with ones, a permutation of the elements would not be noticed
    weights = np.random.default_rng(0).uniform(0.5, 1.5, result.shape)
    result.backward(weights)
    for tensor in tensors:
        numeric = np.zeros(tensor.shape)
        for place in np.ndindex(tensor.shape):
            before = tensor.data[place]
            tensor.data[place] = before + STEP
            above = (function(*tensors).data * weights).sum()
            tensor.data[place] = before - STEP
            below = (function(*tensors).data * weights).sum()
            tensor.data[place] = before
            numeric[place] = (above - below) / (2 * STEP)
        assert tensor.grad.shape == tensor.shape
        assert tensor.grad.dtype == np.float64
        np.testing.assert_allclose(tensor.grad, numeric, rtol=1e-5, atol=1e-6)

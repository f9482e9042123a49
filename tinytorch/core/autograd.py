"""Reverse-mode automatic differentiation: recording the graph, and going back through it.

A result remembers `edges`: one (operand, pull) pair for each operand that needs a gradient. `pull`
maps the gradient of the result to the gradient of that operand (a vector-Jacobian product).
Griewank and Walther 2008, "Evaluating Derivatives", chapter 3; the form follows Karpathy's
micrograd, with arrays in place of numbers.

This file uses only four attributes of a node (`data`, `grad`, `requires_grad`, `edges`) and does
not import `tensor.py`, so that `tensor.py` can import this file.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any

import numpy as np

Pull = Callable[[np.ndarray], np.ndarray]

# each thread has its own value, so that a prefetch thread is not affected
_recording: ContextVar[bool] = ContextVar("tinytorch_recording", default=True)


@contextlib.contextmanager
def no_grad() -> Iterator[None]:
    """Compute without a graph: `with no_grad(): model(images)`, or `@no_grad()` on a function."""
    token = _recording.set(False)
    try:
        yield
    finally:
        _recording.reset(token)


def record(result: Any, *edges: tuple[Any, Pull]) -> Any:
    """Record how `result` was computed, and return it. Each edge is (operand, pull), where `pull`
    maps the gradient of the result to that of the operand.

    Operands that need no gradient are dropped, so their `pull` is never called.
    """
    if _recording.get():
        result.edges = tuple(edge for edge in edges if edge[0].requires_grad)
        result.requires_grad = bool(result.edges)
    return result


def backward(root: Any, gradient: np.ndarray) -> None:
    """Add d(root)/d(leaf) x `gradient` to `.grad` of every leaf that `root` was computed from.

    Cost: the `pull` of each edge is called once. A second call adds the gradients a second time.
    """
    pending = {id(root): gradient}
    for node in reversed(_operands_first(root)):
        total = pending.pop(id(node))
        if not node.edges:
            # A copy, because `total` may be read-only, or shared with another leaf (c = a + b gives
            # both the same array).
            node.grad = np.array(total) if node.grad is None else node.grad + total
        for operand, pull in node.edges:
            part = unbroadcast(pull(total), operand.data.shape).astype(
                operand.data.dtype, copy=False
            )
            before = pending.get(id(operand))
            pending[id(operand)] = part if before is None else before + part


def _operands_first(root: Any) -> list[Any]:
    """Every node of the graph, each after its operands; no recursion, so it may be deep."""
    order, seen, stack = [], set(), [(root, False)]
    while stack:
        node, operands_done = stack.pop()
        if operands_done:
            order.append(node)
        elif id(node) not in seen:
            seen.add(id(node))
            stack.append((node, True))
            stack.extend((operand, False) for operand, _ in node.edges)
    return order


def unbroadcast(gradient: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Sum `gradient` over the axes along which an operand of `shape` was repeated: to `shape`."""
    if gradient.shape == shape:
        return gradient
    added = gradient.ndim - len(shape)
    repeated = tuple(axis for axis, size in enumerate(shape, start=added) if size == 1)
    return gradient.sum(axis=tuple(range(added)) + repeated, keepdims=True).reshape(shape)

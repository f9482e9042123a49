"""Every operation's gradient against finite differences, and the laws of the graph."""

import operator
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import (
    array_shapes,
    basic_indices,
    integer_array_indices,
    mutually_broadcastable_shapes,
)

from tinytorch.core.activations import ReLU, Sigmoid, Softmax, Tanh
from tinytorch.core.autograd import no_grad
from tinytorch.core.losses import CrossEntropyLoss, MSELoss
from tinytorch.core.tensor import Tensor

LAW = settings(max_examples=40)
SEEDS = st.integers(0, 2**32 - 1)
SHAPES = array_shapes(max_dims=3, max_side=3)
STEP = 1e-6  # error: about STEP^2 from the curve, about 1e-16 / STEP from rounding


def assert_gradients_agree(function, *arrays: np.ndarray) -> None:
    """The gradients of `function` equal those found by moving each element by STEP, in float64."""
    tensors = [Tensor(np.array(array, np.float64), requires_grad=True) for array in arrays]
    result = function(*tensors)
    # a random direction; with ones, a permutation of the elements would not be noticed
    weights = np.random.default_rng(0).uniform(0.5, 1.5, result.shape)
    result.backward(weights)

    def moved(tensor, place, step):
        before = tensor.data[place]
        tensor.data[place] = before + step
        total = (function(*tensors).data * weights).sum()
        tensor.data[place] = before
        return total

    for tensor in tensors:
        numeric = np.zeros(tensor.shape)
        for place in np.ndindex(tensor.shape):
            numeric[place] = moved(tensor, place, STEP) - moved(tensor, place, -STEP)
        assert tensor.grad.shape == tensor.shape and tensor.grad.dtype == np.float64
        np.testing.assert_allclose(tensor.grad, numeric / (2 * STEP), rtol=1e-5, atol=1e-6)


def values(seed, shape):
    """Values of size 0.5 to 2 with either sign: away from poles, and from ReLU's corner."""
    rng = np.random.default_rng(seed)
    return rng.uniform(0.5, 2, shape) * rng.choice([-1, 1], shape)


PAIRS = mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=3)
TWO_OPERANDS = [operator.add, operator.sub, operator.mul, operator.truediv]
MATRICES = [
    ((2, 3), (3, 4)),
    ((3,), (3,)),
    ((3,), (3, 2)),
    ((2, 3), (3,)),
    ((2, 1, 2, 3), (3, 3, 2)),
    ((2, 2, 3), (3,)),
]
ONE = [
    lambda x: 2 - x,
    lambda x: 2 / x,
    lambda x: -x,
    lambda x: x**-1,
    lambda x: x.exp(),
    lambda x: (x * x).log(),
    lambda x: (x * x) ** 0.5,
    lambda x: np.full((3,), 2.0) * x.sum(),
    lambda x: x.astype(np.float64) * x,
    ReLU(),
    Sigmoid(),
    Tanh(),
    Softmax(),
    Softmax(axis=0),
]


@pytest.mark.parametrize(
    "operation, shapes",
    [
        *((one, SHAPES.map(lambda shape: [shape])) for one in ONE),
        *((two, PAIRS.map(lambda drawn: drawn.input_shapes)) for two in TWO_OPERANDS),
        *((operator.matmul, st.just(shapes)) for shapes in MATRICES),
        (MSELoss(), SHAPES.map(lambda shape: [shape, shape])),
    ],
)
@LAW
@given(data=st.data(), seed=SEEDS)
def test_operations(operation, shapes, data, seed):
    operands = enumerate(data.draw(shapes))
    assert_gradients_agree(operation, *(values(seed + k, shape) for k, shape in operands))


@pytest.mark.parametrize("name", ["sum", "mean", "max"])
@LAW
@given(data=st.data(), shape=SHAPES, keepdims=st.booleans(), seed=SEEDS)
def test_reductions(name, data, shape, keepdims, seed):
    one = st.integers(-len(shape), len(shape) - 1)
    some = st.lists(st.integers(0, len(shape) - 1), unique=True, min_size=1).map(tuple)
    axis = data.draw(st.none() | one | some)
    # max has no gradient where two are equal
    distinct = np.random.default_rng(seed).permutation(int(np.prod(shape))).reshape(shape)
    assert_gradients_agree(lambda x: getattr(x, name)(axis, keepdims), distinct / 7)


@LAW
@given(data=st.data(), shape=SHAPES, seed=SEEDS)
def test_shapes_and_indices(data, shape, seed):
    axes = data.draw(st.permutations(range(len(shape))))
    side = st.integers(0, 2)
    widths = data.draw(st.tuples(*[st.tuples(side, side) for _ in shape]))
    key = data.draw(basic_indices(shape, allow_newaxis=True) | integer_array_indices(shape))
    for function in (
        lambda x: x.reshape(-1).reshape(shape).transpose(*axes).T * 2,
        lambda x: x.pad(widths),
        lambda x: x[key] * 2,
    ):
        assert_gradients_agree(function, values(seed, shape))


@LAW
@given(num_samples=st.integers(1, 4), num_classes=st.integers(1, 5), seed=SEEDS)
def test_cross_entropy(num_samples, num_classes, seed):
    shape = (num_samples, num_classes)
    labels = np.random.default_rng(seed).integers(num_classes, size=num_samples)
    assert_gradients_agree(lambda x: CrossEntropyLoss()(x, labels), values(seed, shape))


def cubed_by_two_uses(x):
    y = x * x
    (y * x + y).backward()  # x^3 + x^2


def twice(x):
    for _ in range(2):
        (x * 3).sum().backward()


def deeper_than_the_recursion_limit(x):
    y = x
    for _ in range(2 * sys.getrecursionlimit()):
        y = y + 1
    y.backward()


@pytest.mark.parametrize(
    "start, computed, gradient",
    [
        ([1, 2, 3], lambda x: x[[0, 0, 2]].sum().backward(), [2, 0, 1]),
        ([3, 1, 3], lambda x: x.max().backward(), [0.5, 0, 0.5]),  # equal ones share it
        ([3], cubed_by_two_uses, [3 * 9 + 2 * 3]),
        ([1, 2], twice, [6, 6]),  # a second backward adds to the first
        ([2], lambda x: (x.detach() * x).backward(), [2]),
        ([1], deeper_than_the_recursion_limit, [1]),
        ([1, 2], lambda x: (x * 2).backward(Tensor([1.0, 3.0])), [2, 6]),
        ([1], lambda x: (x * Tensor(np.ones(1, np.float64))).backward(), [1]),
    ],
)
def test_gradients_by_hand_in_the_dtype_of_the_tensor(start, computed, gradient):
    x = Tensor(np.array(start, np.float32), requires_grad=True)
    computed(x)
    assert x.grad.tolist() == gradient and x.grad.dtype == np.float32


def test_only_what_needs_a_gradient_is_in_the_graph_and_each_leaf_has_its_own_array():
    a, b, c = Tensor([1.0], requires_grad=True), Tensor([2.0], requires_grad=True), Tensor([3.0])
    assert [operand is a for operand, _ in (a * c).edges] == [True]
    (a + b + c).sum().backward()
    a.grad += 10
    assert (a.grad.tolist(), b.grad.tolist(), c.grad) == ([11], [1], None)
    with pytest.raises(KeyError), no_grad():
        assert not (a * 2).requires_grad
        raise KeyError
    assert (a * 2).requires_grad


@pytest.mark.parametrize(
    "call, says",
    [
        (lambda x: Tensor([1.0]).backward(), "requires_grad=True"),
        (lambda x: (x * 2).backward(), r"one element, got shape \(2,\)"),
        (lambda x: (x * 2).backward([1.0]), r"shape \(2,\), got \(1,\)"),
    ],
)
def test_backward_refuses_what_has_no_meaning(call, says):
    with pytest.raises(ValueError, match=says):
        call(Tensor([1.0, 2.0], requires_grad=True))

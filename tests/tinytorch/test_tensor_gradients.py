"""Every operation's gradient against finite differences, and the laws of the graph."""

import operator
import sys

import numpy as np
import pytest
from finite_differences import assert_gradients_agree
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import (
    array_shapes,
    basic_indices,
    integer_array_indices,
    mutually_broadcastable_shapes,
)

from tinytorch.core.autograd import no_grad
from tinytorch.core.tensor import Tensor

LAW = settings(max_examples=40)
SEEDS = st.integers(0, 2**32 - 1)
SHAPES = array_shapes(min_dims=0, max_dims=3, max_side=3)


def values(seed, shape):
    """Values of size 0.5 to 2 with either sign: away from the poles of division."""
    rng = np.random.default_rng(seed)
    return rng.uniform(0.5, 2, shape) * rng.choice([-1, 1], shape)


@pytest.mark.parametrize("operation", [operator.add, operator.sub, operator.mul, operator.truediv])
@LAW
@given(shapes=mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=3), seed=SEEDS)
def test_broadcasting_arithmetic_has_the_gradient_of_finite_differences(operation, shapes, seed):
    a, b = shapes.input_shapes
    assert_gradients_agree(operation, values(seed, a), values(seed + 1, b))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: 2 - x,
        lambda x: 2 / x,
        lambda x: -x,
        lambda x: x**3,
        lambda x: x**-1,
        lambda x: x.exp(),
        lambda x: (x * x).log(),
        lambda x: (x * x) ** 0.5,
        lambda x: np.full((3,), 2.0) * x.sum(),
        lambda x: x.astype(np.float64) * x,
    ],
    ids=["2-x", "2/x", "-x", "x**3", "x**-1", "exp", "log", "sqrt", "array*x", "astype"],
)
@LAW
@given(shape=SHAPES, seed=SEEDS)
def test_operations_on_one_tensor_have_the_gradient_of_finite_differences(function, shape, seed):
    assert_gradients_agree(function, values(seed, shape))


@pytest.mark.parametrize(
    "shapes",
    [
        ((2, 3), (3, 4)),
        ((3,), (3,)),
        ((3,), (3, 2)),
        ((2, 3), (3,)),
        ((2, 2, 3), (3, 2)),
        ((2, 3), (2, 3, 2)),
        ((2, 1, 2, 3), (3, 3, 2)),
        ((2, 2, 3), (3,)),
    ],
    ids=str,
)
@LAW
@given(seed=SEEDS)
def test_matmul_has_the_gradient_of_finite_differences(shapes, seed):
    assert_gradients_agree(
        operator.matmul, *(values(seed + i, shape) for i, shape in enumerate(shapes))
    )


@pytest.mark.parametrize("name", ["sum", "mean", "max"])
@LAW
@given(
    data=st.data(), shape=array_shapes(max_dims=3, max_side=3), keepdims=st.booleans(), seed=SEEDS
)
def test_reductions_have_the_gradient_of_finite_differences(name, data, shape, keepdims, seed):
    axis = data.draw(
        st.none()
        | st.integers(-len(shape), len(shape) - 1)
        | st.lists(st.integers(0, len(shape) - 1), unique=True, min_size=1).map(tuple)
    )
    # max has no gradient where two are equal
    distinct = np.random.default_rng(seed).permutation(int(np.prod(shape))).reshape(shape)
    assert_gradients_agree(lambda x: getattr(x, name)(axis, keepdims), distinct / 7)


@LAW
@given(data=st.data(), shape=array_shapes(max_dims=3, max_side=3), seed=SEEDS)
def test_shape_operations_have_the_gradient_of_finite_differences(data, shape, seed):
    axes = data.draw(st.permutations(range(len(shape))))
    widths = data.draw(
        st.lists(
            st.tuples(st.integers(0, 2), st.integers(0, 2)),
            min_size=len(shape),
            max_size=len(shape),
        )
    )
    assert_gradients_agree(
        lambda x: x.reshape(-1).reshape(shape).transpose(*axes).T * 2, values(seed, shape)
    )
    assert_gradients_agree(lambda x: x.pad(widths), values(seed, shape))


@LAW
@given(data=st.data(), shape=array_shapes(max_dims=3, max_side=4), seed=SEEDS)
def test_indexing_has_the_gradient_of_finite_differences(data, shape, seed):
    key = data.draw(basic_indices(shape, allow_newaxis=True) | integer_array_indices(shape))
    assert_gradients_agree(lambda x: x[key] * 2, values(seed, shape))


def test_an_index_taken_twice_gets_the_gradient_twice():
    x = Tensor([1.0, 2.0, 3.0], requires_grad=True)
    x[[0, 0, 2]].sum().backward()
    assert x.grad.tolist() == [2, 0, 1]


def test_a_convolution_by_padding_and_indexing_has_the_gradient_of_finite_differences():
    rows = np.arange(4)[:, None] + np.arange(3)  # four windows of three
    assert_gradients_agree(
        lambda x, kernel: x.pad([(0, 0), (1, 1)])[:, rows] @ kernel,
        values(0, (2, 4)),
        values(1, (3, 2)),
    )


def test_equal_largest_elements_share_the_gradient():
    x = Tensor([3.0, 1.0, 3.0], requires_grad=True)
    x.max().backward()
    assert x.grad.tolist() == [0.5, 0, 0.5]


def test_a_tensor_used_twice_adds_both_gradients():
    x = Tensor([3.0], requires_grad=True)
    y = x * x
    (y * x + y).backward()  # x^3 + x^2
    assert x.grad.tolist() == [3 * 9 + 2 * 3]


def test_a_second_backward_adds_to_the_first():
    x = Tensor([1.0, 2.0], requires_grad=True)
    for _ in range(2):
        (x * 3).sum().backward()
    assert x.grad.tolist() == [6, 6]


def test_two_leaves_never_share_one_gradient_array():
    a, b = Tensor([1.0], requires_grad=True), Tensor([2.0], requires_grad=True)
    (a + b).sum().backward()
    a.grad += 10
    assert (a.grad.tolist(), b.grad.tolist()) == ([11], [1])


def test_the_gradient_has_the_dtype_of_its_tensor():
    x = Tensor(np.ones(3, np.float32), requires_grad=True)
    (x * Tensor(np.ones(3, np.float64))).sum().backward()
    assert x.grad.dtype == np.float32


def test_only_what_needs_a_gradient_is_computed():
    x, w = Tensor([1.0]), Tensor([2.0], requires_grad=True)
    y = x * w
    assert [operand is w for operand, _ in y.edges] == [True]
    y.backward()
    assert x.grad is None


def test_no_grad_builds_no_graph_and_ends_after_an_error():
    x = Tensor([1.0], requires_grad=True)
    with pytest.raises(KeyError), no_grad():
        assert not (x * 2).requires_grad
        raise KeyError
    assert (x * 2).requires_grad


def test_a_detached_tensor_is_cut_off():
    x = Tensor([2.0], requires_grad=True)
    (x.detach() * x).backward()
    assert x.grad.tolist() == [2]


def test_a_graph_deeper_than_the_recursion_limit_is_walked_back():
    x = y = Tensor([1.0], requires_grad=True)
    for _ in range(2 * sys.getrecursionlimit()):
        y = y + 1
    y.backward()
    assert x.grad.tolist() == [1]


def test_backward_takes_any_gradient_of_its_shape():
    x = Tensor([[1.0, 2.0]], requires_grad=True)
    (x * 2).backward(Tensor([[1.0, 3.0]]))
    assert x.grad.tolist() == [[2, 6]]


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

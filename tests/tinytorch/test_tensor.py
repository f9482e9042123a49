"""A Tensor, layers, activations and losses: values, dtypes, refusals, and NumPy beside them."""

import math
import operator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from tinytorch.core.activations import ReLU, Sigmoid, Softmax, Tanh
from tinytorch.core.layers import Dropout, Flatten, Layer, Linear, Sequential
from tinytorch.core.losses import CrossEntropyLoss, MSELoss, accuracy
from tinytorch.core.tensor import Tensor

LAW = settings(max_examples=60)
KINDS = "u1 i1 i4 i8 u8 f2 f4 f8 ?".split()
DTYPES = st.sampled_from([np.dtype(kind) for kind in KINDS])
ARRAYS = DTYPES.flatmap(
    lambda dtype: arrays(dtype, array_shapes(min_dims=0, max_dims=3, max_side=3))
)
ARITHMETIC = [operator.add, operator.sub, operator.mul, operator.truediv]
BYTES = np.ones(2, np.uint8)


@LAW
@given(ARRAYS)
def test_an_array_keeps_its_dtype_its_values_and_its_memory(array):
    tensor = Tensor(array)
    assert tensor.data is array and tensor.numpy() is array
    assert np.shares_memory(tensor.astype(array.dtype).data, array) or not array.size
    for name in ("shape", "dtype", "ndim", "size", "nbytes"):
        assert getattr(tensor, name) == getattr(array, name)
    assert tensor.grad is None and tensor.requires_grad is False
    one = array.dtype.type(1)  # a scalar of NumPy keeps its dtype, also inside a list
    assert {Tensor(data).dtype for data in (one, [one, one], [Tensor(one)])} == {array.dtype}


@pytest.mark.parametrize(
    "result, dtype",
    [
        # Python's numbers, also inside a list
        *(
            (lambda data=data: Tensor(data), dtype)
            for dtype, some in (
                (np.float32, (1.5, [1.0, 2], [])),
                (np.int64, ([[1, 2], [3, 4]], 7, range(3))),
                (np.bool_, (True, [False, True])),
            )
            for data in some
        ),
        # a number takes the dtype of a floating tensor
        *(
            (lambda one=one, number=number: number - one / number, one.dtype)
            for one in (Tensor(1.5), Tensor([1.5]), Tensor(np.ones(1)), Tensor(np.float64(1)))
            for number in (2, 2.5, True, np.float64(2.5), np.array(2.5))
        ),
        (lambda: Tensor(BYTES) + 1, np.uint8),
        (lambda: Tensor(BYTES) * 0.5, np.float32),
        (lambda: 1 / Tensor([1, 2]), np.float32),
        (lambda: Tensor([1, 2]) / Tensor([1, 2]), np.float32),
        (lambda: Tensor([1.0, 2.0]) - np.array([1, 2]), np.float32),
        (lambda: Tensor(np.ones(2)) * Tensor([1.0, 2.0]), np.float64),
        (lambda: Tensor([1, 2]).mean(), np.float32),
        (lambda: Tensor([1, 2]).exp(), np.float32),
        (lambda: Tensor([1.0, 2.0]) ** 2, np.float32),
        (lambda: Tensor([1.0, 2.0]).max() ** 0.5, np.float32),
        (lambda: Tensor([1.0, 3.0]).argmax(), np.int64),
        (lambda: Tensor([True, False]) + 1, np.int64),
        (lambda: np.array([3, 2]) > Tensor([1, 2]), np.bool_),
        (lambda: Tensor([1, 2]) == [1, 3], np.bool_),
    ],
)
def test_integers_join_floats_and_nothing_becomes_float64_by_itself(result, dtype):
    assert result().dtype == dtype


ROWS = Tensor(np.arange(6, dtype=np.uint8).reshape(3, 2))
CUBE = Tensor(np.zeros((2, 3, 4)))
COLUMN = Tensor([[1.0], [2.0]])
COMPARISONS = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]
ONE, OTHER = Tensor([1]), Tensor([1])


@pytest.mark.parametrize(
    "got, want",
    [
        # the first dimension
        (lambda: len(ROWS), 3),
        (lambda: [(row.dtype, row.data.tolist()) for row in ROWS][1], (np.uint8, [2, 3])),
        (lambda: ROWS[Tensor([2, 0])].data.tolist(), [[4, 5], [0, 1]]),
        (lambda: ROWS[ROWS > 3].data.tolist(), [4, 5]),
        (lambda: [compare(ROWS, 3).data.sum() for compare in COMPARISONS], [1, 5, 3, 4, 2, 3]),
        (lambda: [CUBE.reshape(4, 6).shape, CUBE.reshape((4, -1)).shape], [(4, 6)] * 2),
        (lambda: [CUBE.T.shape, CUBE.transpose().shape], [(4, 3, 2)] * 2),
        (lambda: {CUBE.transpose(0, -1, 1).shape, CUBE.transpose((0, 2, 1)).shape}, {(2, 4, 3)}),
        # a number where one is needed
        (lambda: ["cat", "dog"][Tensor(1)], "dog"),
        (lambda: (int(Tensor(3)), float(Tensor(0.5)), Tensor(np.uint8(9)).item()), (3, 0.5, 9)),
        # truth, and keys are compared by identity
        (lambda: ((ONE == [3]).all(), (Tensor([1, 2]) == [1, 3]).any()), (False, True)),
        (lambda: (bool(Tensor(0)), bool(Tensor([2.0]))), (False, True)),
        (lambda: {ONE: "one", OTHER: "other"}[OTHER], "other"),
        # no precision is lost, and the mean of bytes does not overflow
        (lambda: (Tensor(np.zeros(1)) + 0.1).item(), 0.1),
        (lambda: Tensor(np.full(1000, 255, np.uint8)).mean().item(), 255),
        (lambda: repr(Tensor([[1, 2]])), "Tensor([[1, 2]], shape=(1, 2), dtype=int64)"),
        (lambda: len(repr(Tensor(np.zeros((64, 32, 32))))) < 1000, True),
        # losses; the logits may be huge
        (lambda: CrossEntropyLoss()(Tensor([[1e4, -1e4]]), [1]).item(), 2e4),
        (lambda: MSELoss()(COLUMN, [[1.0], [4.0]]).item(), 2),
        (lambda: accuracy(Tensor([[1, 0], [0, 1], [3, 2], [5, 4]]), Tensor([0, 1, 1, 1])), 0.5),
    ],
)
def test_a_tensor_is_used_like_an_array(got, want):
    assert got() == want


def test_numpy_sees_the_array_and_gives_a_tensor_to_operators():
    tensor = Tensor([[1.0, 2.0], [3.0, 4.0]])
    assert np.asarray(tensor).dtype == np.float32
    assert np.asarray(tensor, np.float64).dtype == np.float64
    assert np.array(tensor, copy=True) is not tensor.data
    assert (np.mean(tensor), np.sum(tensor, axis=0).tolist()) == (2.5, [4, 6])
    assert np.exp(tensor).dtype == np.float32
    assert np.stack([tensor, tensor]).shape == (2, 2, 2)
    for operation in (*ARITHMETIC, operator.matmul):
        result = operation(tensor.data, tensor)
        assert isinstance(result, Tensor)
        np.testing.assert_array_equal(result.data, operation(tensor.data, tensor.data))


# Layers, activations and losses


LAYERS = settings(max_examples=40)
POINTS = (-2, 0, 3)
FORMULAS = [
    (ReLU(), [0, 0, 3]),
    (Sigmoid(), [1 / (1 + math.exp(-x)) for x in POINTS]),
    (Tanh(), [math.tanh(x) for x in POINTS]),
    (Softmax(), [math.exp(x) / (math.exp(-2) + 1 + math.exp(3)) for x in POINTS]),
]


@pytest.mark.parametrize("activation, wanted", FORMULAS)
def test_activations_give_their_formula_in_float32_and_stay_finite(activation, wanted):
    result = activation(Tensor([-2.0, 0.0, 3.0]))
    assert result.dtype == np.float32
    np.testing.assert_allclose(result.data, wanted, rtol=1e-6)
    assert isinstance(activation, ReLU) or activation(Tensor([1, 2])).dtype == np.float32
    x = Tensor([-1e4, 0.0, 1e4], requires_grad=True)
    y = activation(x)  # an overflow would be a RuntimeWarning, and warnings are errors
    y.sum().backward()
    assert np.isfinite(y.data).all() and np.isfinite(x.grad).all()


def test_linear_is_x_times_w_plus_b():
    layer = Linear(2, 3, seed=0)
    layer.bias.data[:] = [1, 2, 3]
    result = layer(Tensor([[1.0, 2.0], [0.0, 0.0]])).data
    wanted = layer.weight.data[0] + 2 * layer.weight.data[1] + [1, 2, 3]
    np.testing.assert_allclose(result[0], wanted, rtol=1e-6)
    assert result[1].tolist() == [1, 2, 3] and len(Linear(2, 3, bias=False).parameters()) == 1


def test_linear_draws_he_weights_from_its_seed_alone():
    before = np.random.get_state()[1].tolist()
    weight = Linear(400, 250, seed=1).weight.data
    assert weight.dtype == np.float32
    np.testing.assert_array_equal(weight, Linear(400, 250, seed=1).weight.data)
    assert not np.array_equal(weight, Linear(400, 250, seed=2).weight.data)
    assert not np.array_equal(Linear(4, 4).weight.data, Linear(4, 4).weight.data)
    # 100,000 draws with a fixed seed; over seeds, the mean and the variance ratio would leave these
    # bounds (6 sigma) once in 1e8.
    assert abs(weight.mean()) < 6 * math.sqrt(2 / 400 / 1e5)
    assert abs(weight.var() / (2 / 400) - 1) < 6 * math.sqrt(2 / 1e5)
    assert np.random.get_state()[1].tolist() == before


class Mine(Layer):
    pass


def linear_of(shape, dtype=np.float32):
    return Linear(48, 2)(Tensor(np.zeros(shape, dtype)))


IMAGES = r"\(N, 48\), got shape \(2, 3, 4, 4\); images .* Flatten"
NOTHING = Tensor(np.zeros((0, 3), np.float32)), np.zeros(0, np.int64)


LABELS = [
    ([0.0, 1.0], TypeError, "labels are integers, got float"),
    ([0], ValueError, r"got \(2, 3\) and \(1,\)"),
    ([[0], [1]], ValueError, r"\(2, 1\)"),
    ([0, 3], ValueError, r"0\.\.2 for 3 logits, got 0\.\.3"),
    ([-1, 0], ValueError, r"got -1\.\.0"),
]


def judged(judge, labels):
    return lambda: judge(Tensor(np.zeros((2, 3), np.float32)), labels)


@pytest.mark.parametrize(
    "make, error, says",
    [
        *(
            (lambda data=data: Tensor(data), TypeError, "floats, integers or booleans, got dtype")
            for data in ("cat", None, object(), [2**70], np.array(["a"]), 1j)
        ),
        (lambda: Tensor([[1, 2], [3]]), ValueError, "one length per level"),
        (lambda: Tensor([1], requires_grad=True), TypeError, "only floats .* got dtype int64"),
        (lambda: Tensor([1.0]) ** Tensor(2.0), TypeError, "must be a number, got Tensor"),
        (lambda: bool(Tensor([1, 2])), ValueError, "ambiguous"),
        (lambda: len(Tensor(1)), TypeError, "unsized object"),
        (lambda: Tensor([1])[3], IndexError, "out of bounds"),
        (lambda: ["cat", "dog"][Tensor(1.0)], TypeError, "integer"),
        *(
            (judged(judge, labels), error, says)
            for labels, error, says in LABELS
            for judge in (CrossEntropyLoss(), accuracy)
        ),
        (lambda: linear_of((2, 3, 4, 4)), ValueError, IMAGES),
        (lambda: linear_of((48,)), ValueError, r"got shape \(48,\)"),
        (lambda: linear_of((2, 48), np.uint8), TypeError, "takes floats, got uint8"),
        (lambda: Linear(0, 2), ValueError, "1 or more features"),
        (lambda: Dropout(1), ValueError, "got 1"),
        (lambda: Mine()(Tensor(1)), NotImplementedError, "Mine needs a forward"),
        (lambda: CrossEntropyLoss()(*NOTHING), ValueError, "1 or more samples"),
        (lambda: MSELoss()(COLUMN, [1.0, 2.0]), ValueError, r"one shape, got \(2, 1\) and \(2,\)"),
    ],
)
def test_what_has_no_meaning_or_does_not_fit_is_refused_with_the_remedy(make, error, says):
    with pytest.raises(error, match=says):
        make()


@LAYERS
@given(shape=array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=3))
def test_flatten_keeps_samples_apart(shape):
    array = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    flat = Flatten()(Tensor(array))
    assert flat.shape == (shape[0], math.prod(shape[1:]))
    assert flat.data.ravel().tolist() == array.ravel().tolist()


def test_dropout_keeps_about_1_minus_p_and_the_mean():
    x = Tensor(np.ones((200, 500), np.float32), requires_grad=True)
    first, again = Dropout(0.25, seed=0), Dropout(0.25, seed=0)
    y = first(x)
    y.sum().backward()
    assert y.dtype == np.float32
    np.testing.assert_allclose(np.unique(y.data), [0, 1 / 0.75], rtol=1e-6)
    np.testing.assert_array_equal(x.grad, y.data)
    # 100,000 trials with a fixed seed; over seeds, 6 sigma fails once in 5e8.
    assert abs((y.data == 0).mean() - 0.25) < 6 * math.sqrt(0.25 * 0.75 / 1e5)
    # other draws each time, the same with the same seed, none in use
    assert (again(x) == y).all() and not (first(x) == y).all()
    assert first.eval()(x) is x


def test_parameters_are_found_in_attributes_lists_and_layers_each_once():
    class Net(Layer):
        def __init__(self):
            self.first = Linear(2, 2)
            self.rest = [Sequential(Linear(2, 2), Dropout()), self.first]
            self.scale = Tensor([1.0], requires_grad=True)
            self.fixed = Tensor([1.0])

    net = Net()
    wanted = [net.scale, net.first.weight, net.first.bias, *net.rest[0].parameters()]
    assert list(map(id, net.parameters())) == list(map(id, wanted))
    inner = net.rest[0].steps[1]
    assert net.eval() is net and not inner.training
    assert net.train() is net and inner.training

"""Layers, activations and losses: values, dtypes and what they refuse."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes

from tinytorch.core.activations import ReLU, Sigmoid, Softmax, Tanh
from tinytorch.core.layers import Dropout, Flatten, Layer, Linear, Sequential
from tinytorch.core.losses import CrossEntropyLoss, MSELoss, accuracy
from tinytorch.core.tensor import Tensor

LAW = settings(max_examples=40)
X = (-2, 0, 3)
FORMULAS = [
    (ReLU(), [0, 0, 3]),
    (Sigmoid(), [1 / (1 + math.exp(-x)) for x in X]),
    (Tanh(), [math.tanh(x) for x in X]),
    (Softmax(), [math.exp(x) / (math.exp(-2) + 1 + math.exp(3)) for x in X]),
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
    assert result[1].tolist() == [1, 2, 3]
    assert Linear(2, 3, bias=False)(Tensor([[0.0, 0.0]])).data.tolist() == [[0, 0, 0]]


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
COLUMN = Tensor([[1.0], [2.0]])
NOTHING = Tensor(np.zeros((0, 3), np.float32)), np.zeros(0, np.int64)


@pytest.mark.parametrize(
    "make, error, says",
    [
        (lambda: linear_of((2, 3, 4, 4)), ValueError, IMAGES),
        (lambda: linear_of((48,)), ValueError, r"got shape \(48,\)"),
        (lambda: linear_of((2, 48), np.uint8), TypeError, "takes floats, got uint8"),
        (lambda: Linear(0, 2), ValueError, "1 or more features"),
        (lambda: Dropout(1), ValueError, "got 1"),
        (lambda: Dropout(-0.1), ValueError, "got -0.1"),
        (lambda: Mine()(Tensor(1)), NotImplementedError, "Mine needs a forward"),
        (lambda: CrossEntropyLoss()(*NOTHING), ValueError, "1 or more samples"),
        (lambda: MSELoss()(COLUMN, [1.0, 2.0]), ValueError, r"one shape, got \(2, 1\) and \(2,\)"),
    ],
)
def test_layers_and_losses_refuse_what_does_not_fit_with_the_remedy(make, error, says):
    with pytest.raises(error, match=says):
        make()


@LAW
@given(shape=array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=3))
def test_flatten_keeps_samples_apart(shape):
    array = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    flat = Flatten()(Tensor(array))
    assert flat.shape == (shape[0], math.prod(shape[1:]))
    assert flat.data.ravel().tolist() == array.ravel().tolist()


def test_dropout_keeps_about_1_minus_p_and_the_mean():
    x = Tensor(np.ones((200, 500), np.float32), requires_grad=True)
    y = Dropout(0.25, seed=0)(x)
    y.sum().backward()
    assert y.dtype == np.float32
    np.testing.assert_allclose(np.unique(y.data), [0, 1 / 0.75], rtol=1e-6)
    np.testing.assert_array_equal(x.grad, y.data)
    # 100,000 trials with a fixed seed; over seeds, 6 sigma fails once in 5e8.
    assert abs((y.data == 0).mean() - 0.25) < 6 * math.sqrt(0.25 * 0.75 / 1e5)


def test_dropout_draws_anew_each_time_repeats_with_its_seed_and_changes_nothing_in_use():
    x = Tensor(np.ones(100, np.float32))  # two equal masks by chance: 2^-100
    first, again = Dropout(seed=3), Dropout(seed=3)
    masks = [first(x).data.tolist() for _ in range(2)]
    assert masks[0] != masks[1]
    assert [again(x).data.tolist() for _ in range(2)] == masks
    assert first.eval()(x) is x


def test_parameters_are_found_in_attributes_lists_and_layers_each_once():
    class Net(Layer):
        def __init__(self):
            self.first = Linear(2, 2)
            self.rest = [Sequential(Linear(2, 2), ReLU()), self.first]
            self.scale = Tensor([1.0], requires_grad=True)
            self.fixed = Tensor([1.0])

    net = Net()
    wanted = [net.scale, net.first.weight, net.first.bias, *net.rest[0].parameters()]
    assert list(map(id, net.parameters())) == list(map(id, wanted))


def test_train_and_eval_reach_every_layer_inside():
    inner = Dropout()
    model = Sequential(Sequential(inner), ReLU())
    assert model.eval() is model and not inner.training
    assert model.train() is model and inner.training


def test_sequential_applies_its_layers_in_order():
    negate, relu = Linear(1, 1, seed=0), ReLU()
    negate.weight.data[:] = -1
    assert Sequential(negate, relu)(Tensor([[2.0]])).item() == 0
    assert Sequential(relu, negate)(Tensor([[2.0]])).item() == -2


@LAW
@given(st.integers(1, 4), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_cross_entropy_is_minus_the_mean_log_of_softmax_at_the_label(samples, classes, seed):
    draw = np.random.default_rng(seed)
    logits, labels = (
        Tensor(draw.normal(size=(samples, classes))),
        draw.integers(classes, size=samples),
    )
    wanted = -np.log(Softmax()(logits).data[np.arange(samples), labels]).mean()
    found = CrossEntropyLoss()(logits, Tensor(labels)).item()
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12)


def test_losses_and_accuracy_by_hand():
    loss = CrossEntropyLoss()(Tensor(np.zeros((3, 10), np.float32)), [0, 5, 9])
    assert loss.dtype == np.float32 and loss.item() == pytest.approx(math.log(10))
    huge = Tensor([[1e4, -1e4]], requires_grad=True)
    loss = CrossEntropyLoss()(huge, [1])
    loss.backward()
    assert (loss.item(), huge.grad.tolist()) == (2e4, [[1, -1]])
    assert MSELoss()(COLUMN, [[1.0], [4.0]]).item() == 2
    assert accuracy(Tensor([[1, 0], [0, 1], [3, 2]]), Tensor([0, 1, 1])) == pytest.approx(2 / 3)


@pytest.mark.parametrize("judge", [CrossEntropyLoss(), accuracy], ids=["loss", "accuracy"])
@pytest.mark.parametrize(
    "labels, error, says",
    [
        ([0.0, 1.0], TypeError, "labels are integers, got float"),
        ([0], ValueError, r"got \(2, 3\) and \(1,\)"),
        ([[0], [1]], ValueError, r"\(2, 1\)"),
        ([0, 3], ValueError, r"0\.\.2 for 3 logits, got 0\.\.3"),
        ([-1, 0], ValueError, r"got -1\.\.0"),
    ],
)
def test_labels_that_do_not_fit_the_logits_are_refused(judge, labels, error, says):
    with pytest.raises(error, match=says):
        judge(Tensor(np.zeros((2, 3), np.float32)), labels)

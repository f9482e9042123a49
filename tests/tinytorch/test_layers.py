"""Layers, activations and losses: values, gradients, dtypes and what they refuse."""

import math

import numpy as np
import pytest
from finite_differences import assert_gradients_agree
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes

from tinytorch.core.activations import ReLU, Sigmoid, Softmax, Tanh
from tinytorch.core.layers import Dropout, Flatten, Layer, Linear, Sequential
from tinytorch.core.losses import CrossEntropyLoss, MSELoss, accuracy
from tinytorch.core.tensor import Tensor

LAW = settings(max_examples=40)
SEEDS = st.integers(0, 2**32 - 1)


def values(seed, shape):
    """Values of size 0.1 to 2 with either sign: away from ReLU's corner."""
    rng = np.random.default_rng(seed)
    return rng.uniform(0.1, 2, shape) * rng.choice([-1, 1], shape)


@pytest.mark.parametrize(
    "activation",
    [ReLU(), Sigmoid(), Tanh(), Softmax(), Softmax(axis=0)],
    ids=lambda a: type(a).__name__,
)
@LAW
@given(shape=array_shapes(max_dims=3, max_side=4), seed=SEEDS)
def test_activations_have_the_gradient_of_finite_differences(activation, shape, seed):
    assert_gradients_agree(activation, values(seed, shape))


@pytest.mark.parametrize(
    "activation, wanted",
    [
        (ReLU(), [0, 0, 3]),
        (Sigmoid(), [1 / (1 + math.exp(2)), 0.5, 1 / (1 + math.exp(-3))]),
        (Tanh(), [math.tanh(-2), 0, math.tanh(3)]),
        (Softmax(), [math.exp(x) / (math.exp(-2) + 1 + math.exp(3)) for x in (-2, 0, 3)]),
    ],
    ids=["ReLU", "Sigmoid", "Tanh", "Softmax"],
)
def test_activations_give_their_formula_in_float32(activation, wanted):
    result = activation(Tensor([-2.0, 0.0, 3.0]))
    assert result.dtype == np.float32
    np.testing.assert_allclose(result.data, wanted, rtol=1e-6)


@pytest.mark.parametrize(
    "activation", [ReLU(), Sigmoid(), Tanh(), Softmax()], ids=lambda a: type(a).__name__
)
def test_activations_stay_finite_for_huge_inputs_and_their_gradients_too(activation):
    x = Tensor([-1e4, 0.0, 1e4], requires_grad=True)
    y = activation(x)  # an overflow would be a RuntimeWarning, and warnings are errors
    y.sum().backward()
    assert np.isfinite(y.data).all() and np.isfinite(x.grad).all()


@pytest.mark.parametrize(
    "activation", [Sigmoid(), Tanh(), Softmax()], ids=lambda a: type(a).__name__
)
def test_activations_of_integers_are_float32(activation):
    assert activation(Tensor([1, 2])).dtype == np.float32


def test_linear_is_x_times_w_plus_b():
    layer = Linear(2, 3, seed=0)
    layer.bias.data[:] = [1, 2, 3]
    result = layer(Tensor([[1.0, 2.0], [0.0, 0.0]]))
    np.testing.assert_allclose(
        result.data[0], layer.weight.data[0] + 2 * layer.weight.data[1] + [1, 2, 3], rtol=1e-6
    )
    assert result.data[1].tolist() == [1, 2, 3]
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


@pytest.mark.parametrize(
    "shape, dtype, error, says",
    [
        (
            (2, 3, 4, 4),
            np.float32,
            ValueError,
            r"\(N, 48\), got shape \(2, 3, 4, 4\); images .* Flatten",
        ),
        ((48,), np.float32, ValueError, r"got shape \(48,\)"),
        ((2, 48), np.uint8, TypeError, "takes floats, got uint8"),
    ],
)
def test_linear_refuses_what_does_not_fit_with_the_remedy(shape, dtype, error, says):
    with pytest.raises(error, match=says):
        Linear(48, 2)(Tensor(np.zeros(shape, dtype)))


@pytest.mark.parametrize(
    "make, says",
    [
        (lambda: Linear(0, 2), "1 or more features"),
        (lambda: Dropout(1), "got 1"),
        (lambda: Dropout(-0.1), "got -0.1"),
    ],
)
def test_layers_refuse_impossible_sizes(make, says):
    with pytest.raises(ValueError, match=says):
        make()


def test_a_layer_without_forward_says_its_name():
    class Mine(Layer):
        pass

    with pytest.raises(NotImplementedError, match="Mine needs a forward"):
        Mine()(Tensor(1))


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


def test_dropout_draws_anew_each_time_and_repeats_with_its_seed():
    x = Tensor(np.ones(100, np.float32))  # two equal masks by chance: 2^-100
    first, again = Dropout(seed=3), Dropout(seed=3)
    masks = [first(x).data.tolist() for _ in range(2)]
    assert masks[0] != masks[1]
    assert [again(x).data.tolist() for _ in range(2)] == masks


def test_dropout_changes_nothing_in_use():
    x = Tensor([1.0, 2.0])
    assert Dropout(0.5).eval()(x) is x


def test_parameters_are_found_in_attributes_lists_and_layers_each_once():
    class Net(Layer):
        def __init__(self):
            self.first = Linear(2, 2)
            self.rest = [Sequential(Linear(2, 2), ReLU()), self.first]
            self.scale = Tensor([1.0], requires_grad=True)
            self.fixed = Tensor([1.0])

    net = Net()
    found = net.parameters()
    assert [id(p) for p in found] == [
        id(net.scale),
        id(net.first.weight),
        id(net.first.bias),
        *(id(p) for p in net.rest[0].parameters()),
    ]


def test_train_and_eval_reach_every_layer_inside():
    inner = Dropout()
    model = Sequential(Sequential(inner), ReLU())
    assert model.eval() is model and not inner.training
    assert model.train() is model and inner.training


def test_sequential_applies_its_layers_in_order():
    half, step = Linear(1, 1, seed=0), ReLU()
    half.weight.data[:] = -1
    x = Tensor([[2.0]])
    assert Sequential(half, step)(x).item() == 0
    assert Sequential(step, half)(x).item() == -2


@LAW
@given(num_samples=st.integers(1, 4), num_classes=st.integers(1, 5), seed=SEEDS)
def test_losses_have_the_gradient_of_finite_differences(num_samples, num_classes, seed):
    shape = (num_samples, num_classes)
    labels = np.random.default_rng(seed).integers(num_classes, size=num_samples)
    assert_gradients_agree(lambda x: CrossEntropyLoss()(x, labels), values(seed, shape))
    assert_gradients_agree(MSELoss(), values(seed, shape), values(seed + 1, shape))


@LAW
@given(num_samples=st.integers(1, 4), num_classes=st.integers(1, 5), seed=SEEDS)
def test_cross_entropy_is_minus_the_mean_log_of_softmax_at_the_label(
    num_samples, num_classes, seed
):
    logits = Tensor(values(seed, (num_samples, num_classes)))
    labels = np.random.default_rng(seed).integers(num_classes, size=num_samples)
    wanted = -np.log(Softmax()(logits).data[np.arange(num_samples), labels]).mean()
    np.testing.assert_allclose(
        CrossEntropyLoss()(logits, Tensor(labels)).item(), wanted, rtol=1e-9, atol=1e-12
    )


def test_cross_entropy_of_equal_logits_is_the_log_of_the_number_of_classes():
    loss = CrossEntropyLoss()(Tensor(np.zeros((3, 10), np.float32)), [0, 5, 9])
    assert loss.dtype == np.float32
    assert loss.item() == pytest.approx(math.log(10))


def test_cross_entropy_stays_finite_for_huge_logits():
    logits = Tensor([[1e4, -1e4]], requires_grad=True)
    loss = CrossEntropyLoss()(logits, [1])
    loss.backward()
    assert loss.item() == 2e4
    assert logits.grad.tolist() == [[1, -1]]


def test_mean_squared_error_by_hand():
    assert MSELoss()(Tensor([[1.0], [2.0]]), [[1.0], [4.0]]).item() == 2


def test_accuracy_is_the_fraction_of_right_rows():
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


def test_an_empty_batch_has_no_loss():
    with pytest.raises(ValueError, match="1 or more samples"):
        CrossEntropyLoss()(Tensor(np.zeros((0, 3), np.float32)), np.zeros(0, np.int64))


def test_mean_squared_error_does_not_broadcast():
    with pytest.raises(ValueError, match=r"one shape, got \(2, 1\) and \(2,\)"):
        MSELoss()(Tensor([[1.0], [2.0]]), [1.0, 2.0])

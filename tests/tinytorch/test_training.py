"""Optimizers and the training loop."""

import math

import numpy as np
import pytest

from tinytorch.core.activations import ReLU
from tinytorch.core.layers import Dropout, Flatten, Linear, Sequential
from tinytorch.core.losses import CrossEntropyLoss, MSELoss
from tinytorch.core.optimizers import SGD, Adam, Optimizer
from tinytorch.core.tensor import Tensor
from tinytorch.core.training import evaluate, fit, scale_pixels


def parameter(value, gradient):
    tensor = Tensor(np.array(value, np.float32), requires_grad=True)
    tensor.grad = np.array(gradient, np.float32)
    return tensor


def test_plain_sgd_steps_against_the_gradient_in_place():
    p = parameter([1, 2], [10, -10])
    memory = p.data
    SGD([p], lr=0.1).step()
    np.testing.assert_allclose(p.data, [0, 3])
    assert p.data is memory and p.dtype == np.float32
    assert p.grad.tolist() == [10, -10]


def test_momentum_remembers_the_last_steps():
    p = parameter([0], [1])
    optimizer = SGD([p], lr=1, momentum=0.5)
    positions = []
    for _ in range(3):
        optimizer.step()
        positions.append(p.data.item())
    assert positions == [-1, -2.5, -4.25]  # v = 1, 1.5, 1.75


def test_weight_decay_pulls_towards_zero_and_leaves_the_gradient_alone():
    p = parameter([2], [0])
    SGD([p], lr=0.5, weight_decay=0.5).step()
    assert (p.data.item(), p.grad.item()) == (1.5, 0)


def test_adams_first_step_has_the_size_of_lr_whatever_the_gradient():
    p = parameter([0, 0, 0], [1e-3, -5, 100])
    Adam([p], lr=0.01).step()
    np.testing.assert_allclose(p.data, [-0.01, 0.01, -0.01], rtol=1e-4)
    assert p.dtype == np.float32


def test_adam_follows_algorithm_1_of_the_paper():
    gradients, lr, beta1, beta2, eps = [0.5, -2.0, 0.1], 0.1, 0.8, 0.9, 1e-3
    p = parameter(1, 0)
    optimizer = Adam([p], lr, (beta1, beta2), eps)
    wanted, m, v = 1.0, 0.0, 0.0
    for t, g in enumerate(gradients, start=1):
        p.grad = np.array(g, np.float32)
        optimizer.step()
        m, v = beta1 * m + (1 - beta1) * g, beta2 * v + (1 - beta2) * g * g
        wanted -= lr * (m / (1 - beta1**t)) / (math.sqrt(v / (1 - beta2**t)) + eps)
        assert p.data.item() == pytest.approx(wanted, rel=1e-5)


@pytest.mark.parametrize(
    "make", [SGD, lambda p: SGD(p, momentum=0.9), Adam], ids=["SGD", "momentum", "Adam"]
)
def test_optimizers_pass_over_parameters_without_a_gradient(make):
    used, unused = parameter([1.0], [1.0]), parameter([1.0], [1.0])
    unused.grad = None
    make(p for p in [used, unused]).step()  # a generator is read once
    assert (used.data.item() < 1, unused.data.item()) == (True, 1)


def test_zero_grad_forgets():
    p = parameter([1], [1])
    SGD([p]).zero_grad()
    assert p.grad is None


@pytest.mark.parametrize(
    "make, says",
    [
        (lambda p: SGD([]), "1 or more parameters, got none"),
        (lambda p: SGD(p, lr=0), "over 0, got 0"),
        (lambda p: Adam(p, lr=float("nan")), "got nan"),
        (lambda p: SGD(p, momentum=1), "under 1, got 1"),
        (lambda p: SGD(p, weight_decay=-1), "0 or more, got -1"),
        (lambda p: Adam(p, betas=(0.9, 1)), "betas"),
    ],
)
def test_optimizers_refuse_settings_that_cannot_learn(make, says):
    with pytest.raises(ValueError, match=says):
        make([parameter([1], [1])])


def test_an_optimizer_without_update_says_its_name():
    with pytest.raises(NotImplementedError, match="Optimizer needs an update"):
        Optimizer([parameter([1], [1])], lr=1).step()


# The training loop. The task: is either the left or the upper half of the image bright, but not
# both? No single layer can learn that.


def one_bright_half(num_samples, seed):
    rng = np.random.default_rng(seed)
    left, upper = rng.integers(2, size=(2, num_samples))
    images = rng.integers(0, 60, size=(num_samples, 1, 4, 4), dtype=np.uint8)
    images[left == 1, :, :, :2] += 90
    images[upper == 1, :, :2, :] += 90
    return images, left ^ upper


def batches(images, labels, batch_size=16):
    return [
        (Tensor(images[i : i + batch_size]), Tensor(labels[i : i + batch_size]))
        for i in range(0, len(images), batch_size)
    ]


def small_network():
    return Sequential(Flatten(), Linear(16, 16, seed=0), ReLU(), Linear(16, 2, seed=1))


@pytest.mark.parametrize(
    "make",
    [lambda p: SGD(p, lr=0.1, momentum=0.9), lambda p: Adam(p, lr=0.02)],
    ids=["SGD", "Adam"],
)
def test_a_small_network_learns_images_it_has_not_seen_in_float32_all_the_way(make):
    model = small_network()
    train, test = batches(*one_bright_half(200, seed=0)), batches(*one_bright_half(100, seed=1))
    before = evaluate(model, test, prepare=scale_pixels)
    history = fit(
        model,
        train,
        CrossEntropyLoss(),
        make(model.parameters()),
        epochs=20,
        prepare=scale_pixels,
        test_loader=test,
    )
    assert before < 0.7 < 0.97 < history[-1].test_accuracy
    assert history[-1].loss < history[0].loss / 2
    assert (
        {p.dtype for p in model.parameters()}
        == {p.grad.dtype for p in model.parameters()}
        == {np.dtype(np.float32)}
    )


def test_the_same_seeds_give_the_same_network():
    weights = []
    for _ in range(2):
        model = small_network()
        fit(
            model,
            batches(*one_bright_half(64, seed=0)),
            CrossEntropyLoss(),
            SGD(model.parameters()),
            epochs=2,
            prepare=scale_pixels,
        )
        weights.append(model.parameters()[0].data)
    np.testing.assert_array_equal(*weights)


def test_a_line_is_found_without_a_metric():
    x = np.linspace(-1, 1, 20, dtype=np.float32)[:, None]
    model = Linear(1, 1, seed=0)
    history = fit(
        model, [(x, 3 * x + 1)], MSELoss(), SGD(model.parameters(), lr=0.5), epochs=50, metric=None
    )
    assert (model.weight.item(), model.bias.item()) == (
        pytest.approx(3, abs=1e-3),
        pytest.approx(1, abs=1e-3),
    )
    assert history[-1].accuracy is None and history[-1].test_accuracy is None


def test_the_history_averages_over_samples_and_keeps_every_step():
    class Answer(Linear):  # the same logits whatever the image
        def forward(self, x):
            return Tensor(np.tile(np.float32([0, 2]), (len(x), 1))) + self.bias * 0

    model = Answer(1, 2)
    data = [(np.zeros((3, 1), np.float32), [1, 1, 1]), (np.zeros((1, 1), np.float32), [0])]
    seen = []
    history = fit(
        model, data, CrossEntropyLoss(), SGD(model.parameters()), epochs=2, on_epoch=seen.append
    )
    right, wrong = math.log(1 + math.exp(-2)), math.log(1 + math.exp(2))
    assert seen == list(history)
    assert [(e.epoch, e.num_samples, e.accuracy) for e in history] == [(0, 4, 0.75), (1, 4, 0.75)]
    assert history[0].batch_losses == pytest.approx((right, wrong))
    assert history[0].loss == pytest.approx((3 * right + wrong) / 4)
    assert history.losses == pytest.approx([right, wrong, right, wrong])
    assert evaluate(model, data) == 0.75


def test_each_epoch_iterates_the_loader_once_more():
    class Counted(list):
        times = 0

        def __iter__(self):
            self.times += 1
            return super().__iter__()

    loader, model = Counted(batches(*one_bright_half(8, seed=0))), small_network()
    fit(model, loader, CrossEntropyLoss(), SGD(model.parameters()), epochs=3, prepare=scale_pixels)
    assert loader.times == 3


def test_evaluating_learns_nothing_and_leaves_each_layer_in_its_mode():
    frozen = Dropout(0.5, seed=0).eval()
    model = Sequential(Flatten(), Dropout(0.5, seed=0), frozen, Linear(16, 2, seed=0))
    test = batches(*one_bright_half(50, seed=0))
    before = model.parameters()[0].data.copy()
    assert evaluate(model, test, prepare=scale_pixels) == evaluate(
        model, test, prepare=scale_pixels
    )
    np.testing.assert_array_equal(model.parameters()[0].data, before)
    assert (
        model.training,
        model.steps[1].training,
        frozen.training,
        model.parameters()[0].grad,
    ) == (True, True, False, None)


def test_scaled_pixels_are_float32_from_0_to_1():
    scaled = scale_pixels(Tensor(np.array([0, 51, 255], np.uint8)))
    assert scaled.dtype == np.float32
    np.testing.assert_allclose(scaled.data, [0, 0.2, 1], rtol=1e-6)
    with pytest.raises(TypeError, match=r"uint8 images, 0..255, got float32"):
        scale_pixels(scaled)


@pytest.mark.parametrize(
    "settings, error, says",
    [
        ({"loader": []}, ValueError, "no batches"),
        ({"loader": [(np.zeros((2, 16), np.float32),)]}, ValueError, "pair .* got a tuple of 1"),
        ({"loader": [{"image": 1, "label": 2}]}, ValueError, "pair .* got a dict"),
        (
            {
                "loader": iter(batches(*one_bright_half(8, seed=0))),
                "prepare": scale_pixels,
                "epochs": 2,
            },
            ValueError,
            "epoch 1.* only once",
        ),
        ({"epochs": -1}, ValueError, "0 or more, got -1"),
        ({"test_loader": [], "metric": None}, ValueError, "test_loader needs a metric"),
        ({}, TypeError, "takes floats, got uint8"),
        (
            {"prepare": lambda images: images.data * np.float32(np.nan)},
            FloatingPointError,
            "loss is nan in epoch 0, batch 0",
        ),
    ],
)
def test_training_refuses_what_cannot_be_trained_on(settings, error, says):
    model = small_network()
    settings = {"loader": batches(*one_bright_half(8, seed=0)), **settings}
    with pytest.raises(error, match=says):
        fit(model, settings.pop("loader"), CrossEntropyLoss(), SGD(model.parameters()), **settings)


def test_evaluating_nothing_is_refused():
    with pytest.raises(ValueError, match="no batches"):
        evaluate(small_network(), [])

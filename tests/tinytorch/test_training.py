"""Optimizers and the training loop."""

import math

import numpy as np
import pytest

from tinytorch.core.activations import ReLU
from tinytorch.core.layers import Dropout, Flatten, Linear, Sequential
from tinytorch.core.losses import CrossEntropyLoss
from tinytorch.core.optimizers import SGD, Adam, Optimizer
from tinytorch.core.tensor import Tensor
from tinytorch.core.training import evaluate, fit, scale_pixels
from tinytorch.datasets import write_digits_as_cifar10


def parameter(value, gradient):
    tensor = Tensor(np.array(value, np.float32), requires_grad=True)
    tensor.grad = np.array(gradient, np.float32)
    return tensor


@pytest.mark.parametrize(
    "make, start, gradient, positions",
    [
        (lambda p: SGD(p, lr=0.1), [1, 2], [10, -10], [[0, 3], [-1, 4]]),
        # v = 1, 1.5, 1.75
        (lambda p: SGD(p, lr=1, momentum=0.5), [0], [1], [[-1], [-2.5], [-4.25]]),
        (lambda p: SGD(p, lr=0.5, weight_decay=0.5), [2], [0], [[1.5]]),
    ],
)
def test_steps_by_hand_are_made_in_place_and_leave_the_gradient(make, start, gradient, positions):
    p = parameter(start, gradient)
    unused = Tensor([1.0], requires_grad=True)
    memory, optimizer = p.data, make(each for each in (unused, p))  # a generator is read once
    for position in positions:
        optimizer.step()
        np.testing.assert_allclose(p.data, position, rtol=1e-4, atol=1e-6)
    assert p.data is memory and p.dtype == np.float32 and unused.item() == 1
    np.testing.assert_array_equal(p.grad, np.float32(gradient))
    optimizer.zero_grad()
    assert p.grad is None


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
    "make, error, says",
    [
        (lambda p: SGD([]), ValueError, "1 or more parameters, got none"),
        (lambda p: SGD(p, lr=0), ValueError, "over 0, got 0"),
        (lambda p: Adam(p, lr=float("nan")), ValueError, "got nan"),
        (lambda p: SGD(p, momentum=1), ValueError, "under 1, got 1"),
        (lambda p: SGD(p, weight_decay=-1), ValueError, "0 or more, got -1"),
        (lambda p: Adam(p, betas=(0.9, 1)), ValueError, "betas"),
        (lambda p: Optimizer(p, lr=1).step(), NotImplementedError, "Optimizer needs an update"),
    ],
)
def test_optimizers_refuse_what_cannot_learn(make, error, says):
    with pytest.raises(error, match=says):
        make([parameter([1], [1])])


# The training loop. The task: is either the left or the upper half of the image bright, but not
# both? No single layer can learn that.


def one_bright_half(num_samples, seed=0, batch_size=16):
    """Batches of images and labels."""
    rng = np.random.default_rng(seed)
    left, upper = rng.integers(2, size=(2, num_samples))
    images = rng.integers(0, 60, size=(num_samples, 1, 4, 4), dtype=np.uint8)
    images[left == 1, :, :, :2] += 90
    images[upper == 1, :, :2, :] += 90
    parts = [slice(start, start + batch_size) for start in range(0, num_samples, batch_size)]
    return [(Tensor(images[part]), Tensor((left ^ upper)[part])) for part in parts]


def small_network():
    return Sequential(Flatten(), Linear(16, 16, seed=0), ReLU(), Linear(16, 2, seed=1))


def trained(model, loader, make=SGD, **settings):
    settings = {"prepare": scale_pixels, **settings}
    return fit(model, loader, CrossEntropyLoss(), make(model.parameters()), **settings)


def test_the_history_averages_over_samples_and_keeps_every_step():
    class Answer(Linear):  # the same logits whatever the image
        def forward(self, x):
            return Tensor(np.tile(np.float32([0, 2]), (len(x), 1))) + self.bias * 0

    model, seen = Answer(1, 2), []
    data = [(np.zeros((3, 1), np.float32), [1, 1, 1]), (np.zeros((1, 1), np.float32), [0])]
    history = trained(model, data, epochs=2, on_epoch=seen.append, prepare=None)
    right, wrong = math.log(1 + math.exp(-2)), math.log(1 + math.exp(2))
    assert seen == list(history) and history[-1].test_accuracy is None
    assert [(e.epoch, e.num_samples, e.accuracy) for e in history] == [(0, 4, 0.75), (1, 4, 0.75)]
    assert history[0].batch_losses == pytest.approx((right, wrong))
    assert history[0].loss == pytest.approx((3 * right + wrong) / 4)
    assert history.losses == pytest.approx([right, wrong, right, wrong])
    assert evaluate(model, data) == 0.75


def test_evaluating_learns_nothing_and_leaves_each_layer_in_its_mode():
    frozen = Dropout(0.5, seed=0).eval()
    model = Sequential(Flatten(), Dropout(0.5, seed=0), frozen, Linear(16, 2, seed=0))
    (weight, *_), test = model.parameters(), one_bright_half(50)
    before = weight.data.copy()
    first, again = (evaluate(model, test, prepare=scale_pixels) for _ in range(2))
    assert first == again and weight.grad is None
    np.testing.assert_array_equal(weight.data, before)
    assert [layer.training for layer in (model, model.steps[1], frozen)] == [True, True, False]


def test_scaled_pixels_are_float32_from_0_to_1():
    scaled = scale_pixels(Tensor(np.array([0, 51, 255], np.uint8)))
    assert scaled.dtype == np.float32
    np.testing.assert_allclose(scaled.data, [0, 0.2, 1], rtol=1e-6)
    with pytest.raises(TypeError, match=r"uint8 images, 0..255, got float32"):
        scale_pixels(scaled)


def not_numbers(images):
    return images.data * np.float32(np.nan)


@pytest.mark.parametrize(
    "settings, error, says",
    [
        ({"loader": []}, ValueError, "no batches"),
        ({"loader": [{"image": 1, "label": 2}]}, ValueError, "pair .* got a dict"),
        ({"loader": iter(one_bright_half(8)), "epochs": 2}, ValueError, "epoch 1.* only once"),
        ({"test_loader": [], "metric": None}, ValueError, "test_loader needs a metric"),
        ({"test_loader": []}, ValueError, "no batches"),
        ({"prepare": None}, TypeError, "takes floats, got uint8"),
        ({"prepare": not_numbers}, FloatingPointError, "loss is nan in epoch 0, batch 0"),
    ],
)
def test_training_refuses_what_cannot_be_trained_on(settings, error, says):
    with pytest.raises(error, match=says):
        trained(small_network(), **{"loader": one_bright_half(8), **settings})


# A claim of the course


def test_the_exported_loader_trains_a_network_to_95_percent_on_real_digits(
    reference_package, tmp_path
):
    dl = reference_package.module
    write_digits_as_cifar10(tmp_path)
    train, test = (
        dl.CIFAR10Dataset(tmp_path, train=part, download=False) for part in (True, False)
    )
    norm = dl.Normalizer().fit_batches(dl.DataLoader(train, batch_size=256))
    model = Sequential(Flatten(), Linear(3072, 64, seed=0), ReLU(), Linear(64, 10, seed=1))
    optimizer = SGD(model.parameters(), lr=0.05)
    batches = dl.DataLoader(train, batch_size=32, shuffle=True, seed=0)
    told = {"prepare": norm.transform, "test_loader": dl.DataLoader(test, batch_size=128)}
    history = fit(model, batches, CrossEntropyLoss(), optimizer, epochs=12, **told)
    assert (len(train), len(test)) == (1437, 360)
    # 97.2% with these seeds; eight other seeds for weights and order gave 95.8 to 98.6%.
    assert history[-1].test_accuracy >= 0.95
    assert {array.dtype for p in model.parameters() for array in (p, p.grad)} == {np.dtype("f4")}

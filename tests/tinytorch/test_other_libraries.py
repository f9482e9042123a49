"""Batches of the course's loader in PyTorch, JAX and scikit-learn: they take a Tensor as it is, and
a step of each trains on it.

`make test-torch` runs the tests of the real libraries, in an environment that has them. What a
Tensor offers to any library is tested without them.
"""

import numpy as np
import pytest

from tinytorch.core.tensor import Tensor

ARRAYS = {
    "floats": np.arange(6.0).reshape(2, 3),
    "bytes": np.arange(6, dtype=np.uint8),
    "a number": np.array(3),
    "booleans": np.array([True, False]),
    "no rows": np.zeros((0, 2), np.uint8),
    "negative strides": np.arange(6)[::-1],
    "another order of bytes": np.arange(4, dtype=">i4"),
    "a view": np.arange(12.0).reshape(3, 4).T[1:],
    "read-only": np.broadcast_to(np.float32(2), (3, 2)),
}


@pytest.fixture(params=ARRAYS)
def array(request):
    return ARRAYS[request.param]


@pytest.fixture(scope="module")
def dl(reference_package):
    return reference_package.module


def points(dl):
    """96 points in three classes, as the page of module 08 has them."""
    draw = np.random.default_rng(0)
    labels = draw.integers(0, 3, 96)
    values = (draw.normal(size=(96, 4)) + 3 * np.eye(3, 4)[labels]).astype(np.float32)
    return dl.TensorDataset(values, labels)


def test_dlpack_hands_over_the_values(array):
    got = np.from_dlpack(Tensor(array))
    np.testing.assert_array_equal(got, array)
    assert got.dtype == array.dtype.newbyteorder("=") and min(got.strides, default=0) >= 0


def test_dlpack_shares_the_memory_that_can_be_shared_and_keeps_it_alive():
    array = np.arange(6.0)
    tensor = Tensor(array)
    got = np.from_dlpack(tensor)
    assert np.shares_memory(got, array)
    tensor.data = np.zeros(6)  # as an optimizer does: what was handed over stays what it was
    del array
    assert got.tolist() == [0, 1, 2, 3, 4, 5]


def library(name: str):
    return pytest.importorskip(name, reason=f"{name} is not installed: make test-torch")


@pytest.mark.torch
def test_pytorch_makes_a_tensor_of_the_same_values(array):
    torch = library("torch")
    for make in (torch.as_tensor, torch.tensor, torch.from_dlpack):
        got = make(Tensor(array))
        assert got.dtype == torch.from_numpy(np.zeros(1, array.dtype.newbyteorder("="))).dtype
        np.testing.assert_array_equal(got.numpy(), array)


@pytest.mark.torch
@pytest.mark.parametrize("num_workers", [0, 2])
def test_pytorchs_own_loader_reads_datasets_with_and_without_a_gather(dl, num_workers):
    torch = library("torch")

    from tinytorch.data.adapters import torch_collate

    whole = points(dl)
    for dataset in (whole, dl.Subset(whole, range(90)), dl.CachedDataset(whole)):
        loader = library("torch.utils.data").DataLoader(
            dataset, 32, collate_fn=torch_collate, num_workers=num_workers
        )
        x, y = (torch.cat(parts).numpy() for parts in zip(*loader, strict=True))
        np.testing.assert_array_equal(x, whole.tensors[0].data[: len(dataset)])
        np.testing.assert_array_equal(y, whole.tensors[1].data[: len(dataset)])


@pytest.mark.torch
def test_jax_makes_an_array_of_the_same_values(array):
    jax = library("jax")
    # JAX's asarray refuses another order of bytes, and its from_dlpack a view with gaps
    makes = [jax.numpy.asarray] if array.dtype.isnative else []
    makes += [jax.dlpack.from_dlpack] if array.base is None else []
    for make in makes:
        np.testing.assert_array_equal(make(Tensor(array)), array)
    assert makes


def pytorch_steps(batches):
    torch = library("torch")
    model = torch.nn.Linear(4, 3)
    steps = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in batches:
        loss = torch.nn.functional.cross_entropy(model(torch.as_tensor(x)), torch.as_tensor(y))
        steps.zero_grad()
        loss.backward()
        steps.step()
    return loss.item() < np.log(3)


def jax_steps(batches):
    jax = library("jax")
    weights = jax.numpy.zeros((4, 3))

    def loss_of(weights, x, y):
        return -jax.nn.log_softmax(x @ weights)[jax.numpy.arange(len(y)), y].mean()

    for x, y in batches:
        x, y = jax.numpy.asarray(x), jax.dlpack.from_dlpack(y)
        loss, gradient = jax.value_and_grad(loss_of)(weights, x, y)
        weights = weights - 0.1 * gradient
    return float(loss) < np.log(3)


def scikit_learn_steps(batches):
    model = library("sklearn.linear_model").SGDClassifier(random_state=0)
    for x, y in batches:
        model.partial_fit(x, y, classes=[0, 1, 2])
    return model.score(x, y) > 0.8


@pytest.mark.torch
@pytest.mark.parametrize("steps", [pytorch_steps, jax_steps, scikit_learn_steps])
def test_steps_of_a_library_learn_from_the_loaders_batches(dl, steps):
    loader = dl.DataLoader(points(dl), 32, shuffle=True, seed=0)
    assert steps(batch for _ in range(10) for batch in loader)

"""Batches of the course's loader in PyTorch and JAX: they take a Tensor as it is, and a step of
each trains on it. Where a page of the handbook shows a program below "Here:" and "PyTorch:", both
have the same training loop, and PyTorch's runs.

`make test-torch` runs the tests of the real libraries, in an environment that has them.
"""

import doctest
import re
from pathlib import Path

import numpy as np
import pytest

from tinytorch.core.tensor import Tensor
from tito.workspace import Workspace

ARRAYS = {
    "floats": np.arange(6.0).reshape(2, 3),
    "bytes": np.arange(6, dtype=np.uint8),
    "a number": np.array(3),
    "booleans": np.array([True, False]),
    "no rows": np.zeros((0, 2), np.uint8),
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


def test_dlpack_hands_over_the_values_and_shares_what_can_be_shared(array):
    tensor = Tensor(array)
    got = np.from_dlpack(tensor)
    tensor.data = np.zeros(6)  # as an optimizer does: what was handed over stays what it was
    np.testing.assert_array_equal(got, array)
    assert got.dtype == array.dtype.newbyteorder("=") and min(got.strides, default=0) >= 0
    shareable = array.size and array.flags.writeable and array.dtype.isnative
    assert np.shares_memory(got, array) or not shareable


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
def test_steps_of_jax_learn_from_the_loaders_batches(dl):
    jax = library("jax")
    weights = jax.numpy.zeros((4, 3))

    def loss_of(weights, x, y):
        return -jax.nn.log_softmax(x @ weights)[jax.numpy.arange(len(y)), y].mean()

    loader = dl.DataLoader(points(dl), 32, shuffle=True, seed=0)
    for x, y in (batch for _ in range(10) for batch in loader):
        x, y = jax.numpy.asarray(x), jax.dlpack.from_dlpack(y)
        loss, gradient = jax.value_and_grad(loss_of)(weights, x, y)
        weights = weights - 0.1 * gradient
    assert float(loss) < np.log(3)


# The handbook's pages beside PyTorch


ROOT = Path(__file__).resolve().parents[2]
PAIR = re.compile(
    r"^Here:\n\n```python\n(?P<here>.*?)^```\n\nPyTorch:\n\n```text\n(?P<pytorch>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
PAIRS = [
    pytest.param(module.name, page, pair, id=f"{module.name}-{number}")
    for module in Workspace(ROOT).modules()
    for page in [(module.folder / "ABOUT.md").read_text(encoding="utf-8")]
    for number, pair in enumerate(PAIR.finditer(page))
]


def loop_of(program: str) -> list[str]:
    lines = program.splitlines()
    return lines[next(n for n, line in enumerate(lines) if line.startswith("for ")) :]


def snippets(text: str) -> str:
    """The `>>>` lines of a page as one program, without those that raise an error."""
    examples = doctest.DocTestParser().get_examples(text)
    return "".join(example.source for example in examples if example.exc_msg is None)


assert PAIRS  # the words that this file looks for are on a page


@pytest.mark.parametrize(("name", "page", "pair"), PAIRS)
def test_both_training_loops_are_the_same_and_forget_the_gradients_of_the_step_before(
    name, page, pair
):
    here, pytorch = loop_of(snippets(pair["here"])), loop_of(pair["pytorch"])
    assert here == pytorch
    calls = [line.strip() for line in here]
    assert calls.index("optimizer.zero_grad()") < calls.index("loss.backward()")


@pytest.mark.torch
@pytest.mark.parametrize(("name", "page", "pair"), PAIRS)
def test_the_program_for_pytorch_learns_and_its_orders_can_be_repeated(
    name, page, pair, references
):
    pytest.importorskip("torch", reason="PyTorch is not installed: make test-torch")
    before = snippets(page[: pair.start()])
    check = f"""
import torch as the_library
orders = []
for seed in (0, 1):  # of the weights, not of the order
    the_library.manual_seed(seed)
    own = dict(globals())
    exec({pair["pytorch"]!r}, own)
    assert own["loss"].item() < np.log(3), own["loss"].item()
    orders.append([y.tolist() for _ in range(2) for x, y in own["loader"]])
assert orders[0] == orders[1]
assert orders[0][:3] != orders[0][3:]
"""
    done = references(name).run(before + check)
    assert done.returncode == 0, done.stderr

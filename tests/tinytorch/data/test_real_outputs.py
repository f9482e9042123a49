"""`.pytorch()` and `.tensorflow()` of 08c with the real libraries: the same values as `.numpy()`,
in tensors that a model can train on.

`make test-torch` runs these tests, in an environment that has both libraries.
"""

import numpy as np
import pytest

from tinytorch.data.columns import ColumnDataset

pytestmark = pytest.mark.torch


@pytest.fixture(params=["pytorch", "tensorflow"])
def framework(request):
    """(name of the step, the type of its tensors)"""
    package = "torch" if request.param == "pytorch" else "tensorflow"
    reason = f"{package} is not installed: make test-torch"
    return request.param, pytest.importorskip(package, reason=reason).Tensor


def dataset(tmp_path) -> ColumnDataset:
    """Array columns of all kinds of numbers, one of them in a file, and text."""
    values = np.arange(24)
    kinds = ("uint8", "int16", "int32", "int64", "float16", "float32", "float64", "bool")
    columns = {kind: values.astype(kind) for kind in kinds}
    path = tmp_path / "images"
    np.arange(24 * 12, dtype=np.uint8).tofile(path)
    columns["images"] = np.memmap(path, np.uint8, "r", shape=(24, 3, 2, 2))
    return ColumnDataset({**columns, "text": [f"row {row}" for row in range(24)]})


@pytest.mark.parametrize("num_workers", [0, 2])
def test_tensors_hold_what_numpy_holds(package, framework, tmp_path, num_workers):
    name, tensor = framework
    base = package.pipeline(dataset(tmp_path), seed=1).shuffle(buffer_size=1e-2).batch(5)
    with getattr(base, name)(num_workers=num_workers) as loader:
        got, want = list(loader), list(base.numpy())
    assert len(got) == len(want) == len(base)
    for batch, arrays in zip(got, want, strict=True):
        assert list(batch) == [*arrays, "index"]
        assert np.array_equal(batch.pop("index"), arrays["int64"])
        assert batch.pop("text") == arrays.pop("text")
        for column, array in arrays.items():
            assert isinstance(batch[column], tensor)
            assert batch[column].numpy().dtype == array.dtype
            assert np.array_equal(batch[column].numpy(), array)
        if name == "pytorch":  # a batch belongs to the caller, also of a read-only file
            batch["images"] += 1

"""The second half of the documentation page of Deep Lake's loader: `numpy`, `pytorch`, `tensorflow`
and `close`, parameter by parameter.

PyTorch and TensorFlow are not installed with the course, so stand-ins replace them;
`test_real_outputs.py` has tests with the real libraries.
"""

import os
import sys
import threading

import numpy as np
import psutil
import pytest
from patience import PATIENCE_SECONDS
from pipeline_kit import (
    CountingDataset,
    FakeTensor,
    column,
    flat,
    numbers,
)

from tinytorch.data import images
from tinytorch.data.columns import ColumnDataset

pytestmark = pytest.mark.usefixtures("frameworks")


@pytest.fixture(scope="module")
def package(references):
    return references("08c").module


# close


def gone(pids) -> bool:
    """Whether the processes end; a zombie, for which nobody has waited yet, counts as ended."""
    left = [process for process in map(process_of, pids) if process is not None]
    return not psutil.wait_procs(left, timeout=PATIENCE_SECONDS)[1]


def process_of(pid: int) -> psutil.Process | None:
    try:
        process = psutil.Process(pid)
        return None if process.status() == psutil.STATUS_ZOMBIE else process
    except psutil.NoSuchProcess:
        return None


def with_pid(row: dict) -> dict:
    return {"x": row["x"], "pid": os.getpid()}


def test_close_shuts_down_the_workers(package):
    loader = (
        package.pipeline(numbers())
        .transform(with_pid)
        .batch(2)
        .numpy(num_workers=2, persistent_workers=True)
    )
    pids = set(flat(loader, "pid"))
    assert os.getpid() not in pids and all(process_of(pid) for pid in pids)
    loader.close()
    loader.close()
    assert gone(pids)
    with pytest.raises(ValueError, match="closed"):
        iter(loader)


def test_close_ends_an_epoch_that_is_under_way(package):
    loader = package.pipeline(numbers()).transform(with_pid).batch(2).numpy(num_workers=2)
    epoch = iter(loader)
    pids = set(next(epoch)["pid"].tolist())
    loader.close()
    assert gone(pids) and list(epoch) == []


def test_with_closes(package):
    with (
        package.pipeline(numbers())
        .transform(with_pid)
        .batch(2)
        .numpy(num_workers=1, persistent_workers=True) as loader
    ):
        pids = set(flat(loader, "pid"))
    assert gone(pids)


# numpy, and what the three outputs have in common


def test_numpy_gives_arrays(package):
    batch = next(iter(package.pipeline(numbers()).batch(4).numpy()))
    assert (
        set(batch) == {"x", "y"}
        and all(type(part) is np.ndarray for part in batch.values())
        and batch["x"].dtype == np.int64
        and batch["y"].dtype == np.float64
    )


@pytest.mark.parametrize("output", ["numpy", "pytorch", "tensorflow"])
def test_output_num_workers(package, output):
    def epochs(num_workers):
        loader = getattr(
            package.pipeline(numbers(23), seed=3)
            .transform(with_pid)
            .shuffle(buffer_size=1)
            .batch(4),
            output,
        )(num_workers=num_workers)
        return [
            [(batch["x"].tolist(), batch["pid"].tolist()) for batch in loader] for _ in range(2)
        ]

    alone, shared = epochs(0), epochs(2)
    assert [[x for x, _ in epoch] for epoch in alone] == [
        [x for x, _ in epoch] for epoch in shared
    ], "workers change nothing in the result"
    assert {pid for epoch in alone for _, pids in epoch for pid in pids} == {os.getpid()}
    assert os.getpid() not in {pid for epoch in shared for _, pids in epoch for pid in pids}


@pytest.mark.parametrize("output", ["numpy", "pytorch", "tensorflow"])
def test_output_tensors(package, output):
    batch = next(iter(getattr(package.pipeline(numbers()).batch(4), output)(tensors=["y"])))
    assert set(batch) - {"index"} == {"y"}
    with pytest.raises(ValueError, match="no column is named 'z'"):
        getattr(package.pipeline(numbers()), output)(tensors=["z"])


@pytest.mark.parametrize("output", ["numpy", "pytorch", "tensorflow"])
def test_output_num_threads(package, fashion, output):
    seen = set()
    for num_threads, names in ((0, {"MainThread"}), (1, {"MainThread"}), (3, None)):
        seen.clear()
        loader = getattr(
            package.pipeline(fashion)
            .transform(lambda row: seen.add(threading.current_thread().name) or row)
            .batch(10),
            output,
        )(num_threads=num_threads)
        assert flat(loader, "labels") == (np.arange(40) % 10).tolist()
        # One of the three threads may be so fast that it does all the work, but the main thread
        # never does any of it.
        assert seen == names if names else "MainThread" not in seen
    with pytest.raises(ValueError, match="num_threads"):
        getattr(package.pipeline(fashion), output)(num_threads=-1)


@pytest.mark.parametrize("output", ["numpy", "pytorch", "tensorflow"])
def test_output_prefetch_factor(package, output):
    for workers, factor, most in ((0, 5, 2), (1, 1, 2 * 2), (2, 3, 2 * (1 + 2 * 3))):
        ds = CountingDataset({"x": np.arange(100), "y": np.arange(100)})
        epoch = iter(
            getattr(package.pipeline(ds).batch(2), output)(
                num_workers=workers, prefetch_factor=factor
            )
        )
        assert ds.reads == 0, "nothing is read before the first batch is asked for"
        next(epoch)
        assert ds.reads <= most and (workers == 0 or ds.reads >= 2 * workers * factor)
        epoch.close()
    with pytest.raises(ValueError, match="prefetch_factor"):
        getattr(package.pipeline(numbers()), output)(prefetch_factor=0)


@pytest.mark.parametrize("output", ["numpy", "pytorch", "tensorflow"])
@pytest.mark.parametrize("method", ["numpy", "tobytes", "pil"])
@pytest.mark.parametrize("compression", ["png", "jpeg"])
def test_output_decode_method(package, output, method, compression):
    picture = np.full((8, 6, 3), 50, np.uint8)
    data = images.encode(picture, compression)
    ds = ColumnDataset({"images": [data] * 4, "labels": np.arange(4)})
    batch = next(
        iter(getattr(package.pipeline(ds).batch(2), output)(decode_method={"images": method}))
    )
    if method == "numpy":
        assert batch["images"].shape == (2, 8, 6, 3)
    elif method == "tobytes":
        assert batch["images"] == [data, data]
    else:
        assert [image.size for image in batch["images"]] == [(6, 8)] * 2
    with pytest.raises(ValueError, match="'pil' needs a column of jpeg or png images"):
        getattr(package.pipeline(ds), output)(decode_method={"labels": "pil"})


@pytest.mark.parametrize("output", ["numpy", "pytorch", "tensorflow"])
def test_output_persistent_workers(package, output):
    for persistent in (True, False):
        loader = getattr(package.pipeline(numbers()).transform(with_pid).batch(2), output)(
            num_workers=1, persistent_workers=persistent
        )
        first, second = (set(flat(loader, "pid")) for _ in range(2))
        assert (first == second) is persistent
        assert persistent or gone(first | second)
        loader.close()


# pytorch and tensorflow


@pytest.mark.parametrize("output", ["torch", "tensorflow"])
def test_pytorch_and_tensorflow_give_their_tensors(package, output):
    batch = next(
        iter(
            getattr(
                package.pipeline(numbers()).batch(4), {"torch": "pytorch"}.get(output, output)
            )()
        )
    )
    assert all(
        isinstance(part, FakeTensor) and part.maker == output for part in batch.values()
    ) and batch["x"].tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("output, name", [("pytorch", "torch"), ("tensorflow", "tensorflow")])
def test_pytorch_and_tensorflow_that_are_missing_are_named(package, output, name, monkeypatch):
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=f"pip install {name}"):
        getattr(package.pipeline(numbers()).batch(4), output)()


@pytest.mark.parametrize("output", ["pytorch", "tensorflow"])
def test_output_collate_fn(package, output):
    loader = getattr(package.pipeline(numbers()).batch(4), output)(
        collate_fn=lambda rows: np.array([row["x"] + row["y"] for row in rows]), return_index=False
    )
    assert [batch.tolist() for batch in loader] == [[0, 11, 22, 33], [44, 55, 66, 77], [88, 99]]
    with pytest.raises(TypeError, match="collate_fn must be None or a function"):
        getattr(package.pipeline(numbers()), output)(collate_fn="stack")


@pytest.mark.parametrize("output", ["pytorch", "tensorflow"])
def test_output_return_index(package, output):
    def batches(**options):
        return list(
            getattr(package.pipeline(numbers()).query("select * where x >= 4").batch(4), output)(
                **options
            )
        )

    assert (
        column(batches(), "index")
        == [[4, 5, 6, 7], [8, 9]]
        == column(batches(return_index=True), "index")
    )
    assert all(set(batch) == {"x", "y"} for batch in batches(return_index=False))


def test_pytorch_distributed(package, monkeypatch):
    with pytest.raises(RuntimeError, match="torchrun"):
        package.pipeline(numbers()).pytorch(distributed=True)
    seen = []
    monkeypatch.setenv("WORLD_SIZE", "3")
    for rank in range(3):
        monkeypatch.setenv("RANK", str(rank))
        seen.append(flat(package.pipeline(numbers()).batch(2).pytorch(distributed=True)))
    assert sorted(sum(seen, [])) == list(range(10)) and all(3 <= len(rows) <= 4 for rows in seen)


def test_workers_may_be_spawned(references):
    """As on macOS and Windows, a worker receives its work pickled, and the dataset is not part of
    that.
    """
    code = (
        "import numpy as np\nimport tinytorch.data.workers as workers\nfrom tinytorch.data.columns"
        " import ColumnDataset\nfrom tinytorch.data.pipeline import pipeline\nclass"
        " Unpicklable(ColumnDataset):\n    def __reduce__(self):\n        raise TypeError('the"
        " dataset travels')\nworkers.DEFAULT_START = 'spawn'\nloader = pipeline(Unpicklable({'x':"
        " np.arange(6)})).transform({'x':"
        " np.negative}).batch(4).numpy(num_workers=1)\nprint([batch['x'].tolist() for batch in"
        " loader])\ntry:\n    list(pipeline(ColumnDataset({'x': np.arange(6)})).transform(lambda"
        " row: row).batch(4).numpy(num_workers=1))\nexcept Exception as error:\n   "
        " print(type(error).__name__)"
    )
    done = references("08c").run(code)
    assert done.stdout.split("\n")[:2] == ["[[0, -1, -2, -3], [-4, -5]]", "PicklingError"], (
        done.stdout + done.stderr
    )

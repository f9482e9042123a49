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
from claims import prove, refused
from patience import PATIENCE_SECONDS
from pipeline_kit import CountingDataset, FakeTensor, column, flat, numbers

from tinytorch.data import images
from tinytorch.data.columns import ColumnDataset

pytestmark = pytest.mark.usefixtures("frameworks")
each_output = pytest.mark.parametrize("output", ["numpy", "pytorch", "tensorflow"])


@pytest.fixture
def out(package):
    """`out("numpy", dataset, num_workers=2)` is the output of a pipeline with batches of four."""

    def made(output, dataset=None, *, transform=None, **options):
        steps = package.pipeline(numbers() if dataset is None else dataset, seed=3).batch(4)
        steps = steps if transform is None else steps.transform(transform)
        return getattr(steps, output)(**options)

    return made


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


def test_close_shuts_down_the_workers(out):
    with out("numpy", transform=with_pid, num_workers=2, persistent_workers=True) as loader:
        pids = set(flat(loader, "pid"))
        assert os.getpid() not in pids and all(process_of(pid) for pid in pids)
    loader.close()
    assert gone(pids)
    with pytest.raises(ValueError, match="closed"):
        iter(loader)


def test_close_ends_an_epoch_that_is_under_way(out):
    loader = out("numpy", transform=with_pid, num_workers=2)
    epoch = iter(loader)
    pids = set(next(epoch)["pid"].tolist())
    loader.close()
    assert gone(pids) and list(epoch) == []


# What the three outputs have in common


@each_output
def test_output_gives_arrays_or_tensors(out, output):
    maker = {"pytorch": "torch"}.get(output, output)
    batch = next(iter(out(output)))
    assert set(batch) - {"index"} == {"x", "y"} and batch["x"].tolist() == [0, 1, 2, 3]
    for part in batch.values():
        assert type(part) is np.ndarray if output == "numpy" else part.maker == maker
        assert isinstance(part, (np.ndarray, FakeTensor))


@each_output
def test_output_num_workers(package, output):
    def epochs(num_workers):
        steps = package.pipeline(numbers(23), seed=3).transform(with_pid).shuffle(buffer_size=1)
        loader = getattr(steps.batch(4), output)(num_workers=num_workers)
        epochs = [list(loader), list(loader)]
        return [column(batches) for batches in epochs], set(flat(sum(epochs, []), "pid"))

    (alone, own), (shared, workers) = epochs(0), epochs(2)
    assert alone == shared, "workers change nothing in the result"
    assert own == {os.getpid()} and os.getpid() not in workers


@each_output
@pytest.mark.parametrize(
    "options, error, says",
    [
        ("tensors=['z']", ValueError, "no column is named 'z'"),
        ("num_threads=-1", ValueError, "num_threads"),
        ("prefetch_factor=0", ValueError, "prefetch_factor"),
        ("decode_method={'x': 'pil'}", ValueError, "'pil' needs a column of jpeg or png images"),
        ("collate_fn='stack'", TypeError, "collate_fn"),
    ],
)
def test_output_refuses(out, output, options, error, says):
    prove(f"out({output!r}, {options})", refused(error, says), {"out": out})


@each_output
def test_output_tensors(out, output):
    assert set(next(iter(out(output, tensors=["y"])))) - {"index"} == {"y"}


@each_output
def test_output_num_threads(out, fashion, output):
    seen = set()

    def note(row):
        seen.add(threading.current_thread().name)
        return row

    for num_threads in (0, 1, 3):
        seen.clear()
        loader = out(output, fashion, transform=note, num_threads=num_threads)
        assert flat(loader, "labels") == (np.arange(40) % 10).tolist()
        # One of the three threads may be so fast that it does all the work, but the main thread
        # never does any of it.
        assert (seen == {"MainThread"}) if num_threads < 2 else ("MainThread" not in seen)


@each_output
@pytest.mark.parametrize("workers, factor, most", [(0, 5, 4), (1, 1, 8), (2, 3, 52)])
def test_output_prefetch_factor(out, output, workers, factor, most):
    ds = CountingDataset({"x": np.arange(100), "y": np.arange(100)})
    epoch = iter(out(output, ds, num_workers=workers, prefetch_factor=factor))
    assert ds.reads == 0, "nothing is read before the first batch is asked for"
    next(epoch)
    assert ds.reads <= most and (workers == 0 or ds.reads >= 4 * workers * factor)
    epoch.close()


@each_output
@pytest.mark.parametrize("compression", ["png", "jpeg"])
def test_output_decode_method(out, output, compression):
    data = images.encode(np.full((8, 6, 3), 50, np.uint8), compression)
    ds = ColumnDataset({"images": [data] * 4})

    def decoded(method):
        return next(iter(out(output, ds, decode_method={"images": method})))["images"]

    assert decoded("numpy").shape == (4, 8, 6, 3)
    assert decoded("tobytes") == [data] * 4
    assert [image.size for image in decoded("pil")] == [(6, 8)] * 4


@each_output
@pytest.mark.parametrize("persistent", [True, False])
def test_output_persistent_workers(out, output, persistent):
    options = {"num_workers": 1, "persistent_workers": persistent}
    loader = out(output, transform=with_pid, **options)
    first, second = (set(flat(loader, "pid")) for _ in range(2))
    assert (first == second) is persistent
    assert persistent or gone(first | second)
    loader.close()


# pytorch and tensorflow


@pytest.mark.parametrize("output, name", [("pytorch", "torch"), ("tensorflow", "tensorflow")])
def test_pytorch_and_tensorflow_that_are_missing_are_named(out, output, name, monkeypatch):
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=f"pip install {name}"):
        out(output)


@pytest.mark.parametrize("output", ["pytorch", "tensorflow"])
def test_output_collate_fn(out, output):
    def summed(rows):
        return np.array([row["x"] + row["y"] for row in rows])

    loader = out(output, collate_fn=summed, return_index=False)
    assert [batch.tolist() for batch in loader] == [[0, 11, 22, 33], [44, 55, 66, 77], [88, 99]]


@pytest.mark.parametrize("output", ["pytorch", "tensorflow"])
def test_output_return_index(package, out, output):
    chosen = package.pipeline(numbers()).query("select * where x >= 4").batch(4)
    assert column(getattr(chosen, output)(), "index") == [[4, 5, 6, 7], [8, 9]]
    assert column(out(output, return_index=True), "index")[-1] == [8, 9]
    assert all(set(batch) == {"x", "y"} for batch in out(output, return_index=False))


def test_pytorch_distributed(out, monkeypatch):
    with pytest.raises(RuntimeError, match="torchrun"):
        out("pytorch", distributed=True)
    seen = []
    monkeypatch.setenv("WORLD_SIZE", "3")
    for rank in range(3):
        monkeypatch.setenv("RANK", str(rank))
        seen.append(flat(out("pytorch", distributed=True)))
    assert sorted(sum(seen, [])) == list(range(10)) and all(3 <= len(rows) <= 4 for rows in seen)


SPAWNED = """
import numpy as np
import tinytorch.data.workers as workers
from tinytorch.data.columns import ColumnDataset
from tinytorch.data.pipeline import pipeline
class Unpicklable(ColumnDataset):
    def __reduce__(self):
        raise TypeError("the dataset travels")
workers.DEFAULT_START = "spawn"
steps = pipeline(Unpicklable({"x": np.arange(6)})).batch(4)
print([batch["x"].tolist() for batch in steps.transform({"x": np.negative}).numpy(num_workers=1)])
try:
    list(steps.transform(lambda row: row).numpy(num_workers=1))
except Exception as error:
    print(type(error).__name__)
"""


def test_workers_may_be_spawned(references):
    """As on macOS and Windows, a worker receives its work pickled, and the dataset is not part of
    that.
    """
    done = references("08c").run(SPAWNED)
    assert done.stdout.split("\n")[:2] == ["[[0, -1, -2, -3], [-4, -5]]", "PicklingError"], (
        done.stdout + done.stderr
    )

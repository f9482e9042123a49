"""The documentation page of Deep Lake's loader, method by method and parameter by parameter.

PyTorch and TensorFlow are not installed with the course, so stand-ins replace them;
`test_real_outputs.py` has tests with the real libraries.
"""

import inspect
import os
import threading

import numpy as np
import pytest
from claims import prove, refused, rows
from pipeline_kit import CountingDataset, column, encoded, flat, numbers  # noqa: F401 - the code of rows names column

from helpers.patience import runs, until

pytestmark = pytest.mark.usefixtures("frameworks")
MAKERS = {"numpy": "numpy", "pytorch": "torch", "tensorflow": "tensorflow"}
# What is on the page can be called with the page's names, in its order, with its defaults.
SIGNATURES = {
    "batch": "batch_size, drop_last=False",
    "close": "",
    "offset": "off=0",
    "query": "query_string",
    "sample_by": "weights, replace=True, size=None",
    "shuffle": "shuffle=True, buffer_size=2048",
    "transform": "transform, **kwargs",
    "numpy": (
        "num_workers=0, tensors=None, num_threads=None, prefetch_factor=2, decode_method=None,"
        " persistent_workers=False"
    ),
    "pytorch": (
        "num_workers=0, collate_fn=None, tensors=None, num_threads=None, prefetch_factor=2,"
        " distributed=False, return_index=True, decode_method=None, persistent_workers=False"
    ),
    "tensorflow": (
        "num_workers=0, collate_fn=None, tensors=None, num_threads=None, prefetch_factor=2,"
        " return_index=True, decode_method=None, persistent_workers=False"
    ),
}
TEN = list(range(10))
PNG = encoded(np.zeros((2, 3), np.uint8))
# section: code: its value; `ten` is a pipeline over x = 0 to 9 and y = 10 x
CODE = {
    "numpy": {
        "[row['x'] for row in pipeline({'x': [PNG]}).numpy(decode_method={'x': 'tobytes'})]": [PNG],
    },
    "offset": {"ten.offset(-1)": refused(ValueError, "off must be an integer of 0")},
    "sample_by": {
        # weights may be an array
        "flat(pipeline(numbers(4)).sample_by(np.array([0, 1, 0, 0])).batch(2))": [1] * 4,
        "list(map(len, column(ten.sample_by([1] * 10, size=25).batch(10))))": [10, 10, 5],
        "ten.sample_by([1, 2])": refused(ValueError, "each of the 10 rows"),
    },
    "shuffle": {
        "flat(ten.shuffle(False).batch(4))": TEN,
        # views are not shuffled
        "ten.shuffle().query('select *')": refused(ValueError, "view"),
        "pipeline(numbers()[3:9]).shuffle()": refused(ValueError, "view"),
    },
    "transform": {
        "flat(ten.transform(lambda row, scale, shift=0: {'x': row['x'] * scale + shift},"
        " scale=3, shift=1).batch(5))": list(range(1, 31, 3)),
        "ten.transform(3)": refused(ValueError, "transform must be a function"),
        "ten.transform({'z': None})": refused(ValueError, "no column is named 'z'"),
    },
}
SUM = "collate_fn=lambda rows: np.array([row['x'] + row['y'] for row in rows])"
OF_OUTPUTS = {
    "[set(batch) - {'index'} for batch in out()]": [{"x", "y"}] * 3,
    "[batch['x'].tolist() for batch in out()]": [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]],
    # arrays, or tensors of the library
    "{getattr(part, 'maker', 'numpy') for batch in out() for part in batch.values()}"
    " == {MAKERS[output]}": True,
    "[set(batch) - {'index'} for batch in out(tensors=['y'])]": [{"y"}] * 3,
    # without images the main thread reads, unless two threads or more are asked for
    **{
        f"{{name for batch in out(transform=on_thread{more}) for name in batch['on']}}": {"Main"}
        for more in ("", ", num_threads=0", ", num_threads=1")
    },
    "{name for batch in out(transform=on_thread, num_threads=3) for name in batch['on']}": {"read"},
    "out(prefetch_factor=0)": refused(ValueError, "prefetch_factor"),
    "out(decode_method={'x': 'pil'})": refused(ValueError, "'pil' needs a column of jpeg or png"),
    "out(collate_fn='stack')": refused(TypeError, "collate_fn"),
}
# the same for those that make tensors
OF_TENSORS = {
    f"[batch.tolist() for batch in out({SUM}, return_index=False)]": [
        *([0, 11, 22, 33], [44, 55, 66, 77], [88, 99])
    ],
    "column(getattr(ten.query('select * where x >= 4').batch(4), output)(), 'index')": [
        *([4, 5, 6, 7], [8, 9])
    ],
    "[set(batch) for batch in out(return_index=False)]": [{"x", "y"}] * 3,
}


def on_thread(row):
    """How the thread's name begins: with "Main", or with "read" if it reads ahead."""
    return {"on": threading.current_thread().name[:4]}


@pytest.fixture
def names(package):
    ten = package.pipeline(numbers(), seed=3)
    return {**globals(), "pipeline": package.pipeline, "ten": ten}


@pytest.fixture
def out(package):
    """`out("numpy", dataset, num_workers=2)` is the output of a pipeline with batches of four."""

    def made(output, dataset=None, *, transform=None, **options):
        steps = package.pipeline(numbers() if dataset is None else dataset, seed=3).batch(4)
        steps = steps if transform is None else steps.transform(transform)
        return getattr(steps, output)(**options)

    return made


@pytest.mark.parametrize("method", SIGNATURES)
def test_the_signature_is_that_of_the_page(package, method):
    signature = inspect.signature(getattr(package.DeepLakeDataLoader, method))
    parameters = [
        str(parameter.replace(annotation=inspect.Parameter.empty))
        for parameter in signature.parameters.values()
        if parameter.kind != parameter.KEYWORD_ONLY
    ]
    assert ", ".join(parameters[1:]) == SIGNATURES[method]


@rows(*CODE.values())
def test_a_claim_of_the_page_holds(names, code, want):
    prove(code, want, names)


@pytest.mark.parametrize("output", MAKERS)
@rows(OF_OUTPUTS, OF_TENSORS)
def test_a_claim_holds_for_every_output(names, out, output, code, want):
    given = {**names, "output": output, "out": lambda **options: out(output, **options)}
    if output != "numpy" or code in OF_OUTPUTS:
        prove(code, want, given)


# Workers, threads, outputs


def with_pid(row: dict) -> dict:
    return {"x": row["x"], "pid": os.getpid()}


def gone(pids) -> bool:
    return until(lambda: not any(map(runs, pids)))


@pytest.mark.parametrize("persistent", [True, False])
def test_output_persistent_workers_and_close(out, persistent):
    options = {"num_workers": 2, "persistent_workers": persistent}
    with out("numpy", transform=with_pid, **options) as loader:
        first, second = (set(flat(loader, "pid")) for _ in range(2))
        assert os.getpid() not in first and (first == second) is persistent
        assert all(map(runs, first)) if persistent else gone(first | second)
    loader.close()
    assert gone(first | second)
    with pytest.raises(ValueError, match="closed"):
        iter(loader)


@pytest.mark.parametrize("workers, factor, most", [(0, 5, 4), (1, 1, 8), (2, 3, 52)])
def test_output_prefetch_factor(out, workers, factor, most):
    ds = CountingDataset({"x": np.arange(100), "y": np.arange(100)})
    epoch = iter(out("numpy", ds, num_workers=workers, prefetch_factor=factor))
    assert ds.reads == 0, "nothing is read before the first batch is asked for"
    next(epoch)
    assert ds.reads <= most and (workers == 0 or ds.reads >= 4 * workers * factor)
    epoch.close()


def test_pytorch_distributed(out, monkeypatch):
    with pytest.raises(RuntimeError, match="torchrun"):
        out("pytorch", distributed=True)
    seen = []
    monkeypatch.setenv("WORLD_SIZE", "3")
    for rank in range(3):
        monkeypatch.setenv("RANK", str(rank))
        seen.append(flat(out("pytorch", distributed=True)))
    assert sorted(sum(seen, [])) == TEN and {len(rows) for rows in seen} <= {3, 4}
    for wrong in ("3", "x"):
        monkeypatch.setenv("RANK", wrong)
        with pytest.raises(RuntimeError, match="0 to WORLD_SIZE - 1"):
            out("pytorch", distributed=True)


SPAWNED = """
import numpy as np
import tinytorch.data.workers as workers
from tinytorch.data.columns import ColumnDataset
class Unpicklable(ColumnDataset):
    def __reduce__(self):
        raise TypeError("the dataset travels")
workers.DEFAULT_START = "spawn"
steps = Unpicklable({"x": np.arange(6)}).dataloader().batch(4).transform({"x": np.negative})
print([batch["x"].tolist() for batch in steps.numpy(num_workers=1)])
"""


def test_workers_of_a_dataset_s_dataloader_may_be_spawned(references):
    """As on macOS and Windows, a worker receives its work pickled, and the dataset is not part of
    that.
    """
    done = references("08c").run(SPAWNED)
    assert done.stdout == "[[0, -1, -2, -3], [-4, -5]]\n", done.stdout + done.stderr

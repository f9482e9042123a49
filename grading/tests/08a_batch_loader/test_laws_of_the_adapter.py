"""Hidden: ranges of drawn indices, and batches gathered through them."""

import contextlib

import numpy as np
import pytest

from tinytorch.testing import expect, expect_raises


def plain_parts(tt):
    """Put plain parts in the place of `index_runs` and `Batch`, and return what puts
    the exercises back.
    """

    class PlainBatch:
        def __init__(self, inputs, outputs):
            self.inputs, self.outputs = inputs, outputs

        def __len__(self):
            return len(next(iter(self.inputs.values())))

    def plain_runs(indices):
        runs = []
        for index in map(int, indices):
            if runs and runs[-1][1] == index:
                runs[-1] = (runs[-1][0], index + 1)
            else:
                runs.append((index, index + 1))
        return runs

    parts = {"Batch": PlainBatch, "index_runs": plain_runs}
    before = {name: vars(tt)[name] for name in parts}
    vars(tt).update(parts)
    return lambda: vars(tt).update(before)


@pytest.fixture
def plain(inside):
    """A bug in another exercise costs no points of BatchLoaderDataset."""
    put_back = inside(plain_parts)
    yield
    with contextlib.suppress(pytest.fail.Exception):  # the process has ended
        put_back()


class Records:
    """A batch loader of the test: two inputs and one output of drawn values."""

    def __init__(self, tt, values):
        self.tt, self.column, self.ranges = tt, values, []

    def __len__(self):
        return len(self.column)

    def get_batch(self, start, end):
        self.ranges.append((start, end))
        part = self.column[start:end]
        return self.tt.Batch({"x": part, "square": part * part}, {"output": part})


@pytest.mark.contract("test_index_runs")
def test_runs_hold_exactly_the_indices(tt, draw):
    for count in (1, 5, 20, 39, 40):
        indices = np.sort(draw.choice(40, count, replace=False))
        runs = [tuple(run) for run in tt.index_runs(indices)]
        held = [index for start, end in runs for index in range(start, end)]
        expect(
            held == indices.tolist(),
            "The ranges hold exactly the indices, in order.",
            call=f"index_runs({indices.tolist()[:12]}...)",
            got=runs,
            look="which range is the first that differs? A run ends where the distance to "
            "the next index is not 1, and `end` is the last index + 1",
        )
        want = 1 + int(np.count_nonzero(np.diff(indices) != 1))
        expect(
            len(runs) == want,
            "Neighbors share a range, so there are as few as possible.",
            call=f"index_runs({indices.tolist()[:12]}...)",
            got=f"{len(runs)} runs",
            want=f"{want} runs",
            look="when does a run end? Where the next index is not 1 more, not before",
        )


@pytest.mark.contract("test_batch_loader_dataset")
def test_a_gather_through_ranges_is_a_gather(tt, plain, draw):
    values = draw.normal(0, 1, 50)
    loader = Records(tt, values)
    for count in (1, *draw.integers(8, 30, 4).tolist()):
        # Some indices come twice, and the first one is not the smallest.
        indices = draw.integers(0, 49, count)
        indices = np.concatenate([[49], indices, indices[:1]])
        inputs, outputs = tt.BatchLoaderDataset(loader).__getitems__(indices)
        same = (
            np.array_equal(inputs["x"].data, values[indices])
            and np.array_equal(inputs["square"].data, values[indices] * values[indices])
            and np.array_equal(outputs.data, values[indices])
        )
        expect(
            same,
            "A batch has the records in the order asked for, with repeats.",
            call=f"__getitems__({indices.tolist()[:10]}...)",
            got="other records",
            look="np.unique sorts and drops doubles; which `places` does assemble get?",
        )


@pytest.mark.contract("test_batch_loader_dataset")
def test_each_record_is_read_once_in_ascending_order(tt, plain, draw):
    loader = Records(tt, draw.normal(0, 1, 50))
    for count in draw.integers(8, 30, 4).tolist():
        indices = np.concatenate([[49], draw.integers(0, 49, count), [49]])
        loader.ranges.clear()
        tt.BatchLoaderDataset(loader).__getitems__(indices)
        read = [index for start, end in loader.ranges for index in range(start, end)]
        expect(
            read == sorted(set(indices.tolist())),
            "The loader is asked for record i alone, or once for each run of the sorted indices.",
            call=f"__getitems__({indices.tolist()[:10]}...)",
            got=read[:12],
            look="`__getitems__`: one get_batch for each of index_runs(wanted), the sorted,"
            " different indices",
        )
        runs = 1 + int(np.count_nonzero(np.diff(read) != 1))
        expect(
            len(loader.ranges) == runs,
            "The loader is asked for record i alone, or once for each run of the sorted indices.",
            call=f"__getitems__({indices.tolist()[:10]}...)",
            got=f"{len(loader.ranges)} ranges",
            want=f"{runs} ranges",
            look="`__getitems__`: one get_batch for each of index_runs(wanted), the sorted,"
            " different indices",
        )


@pytest.mark.contract("test_batch_loader_dataset")
def test_no_indices_give_an_empty_batch(tt, plain, draw):
    values = draw.normal(0, 1, 20)
    dataset = tt.BatchLoaderDataset(Records(tt, values))
    inputs, outputs = dataset.__getitems__([])
    got = inputs["x"].shape, inputs["square"].shape, outputs.shape
    expect(
        got == ((0,), (0,), (0,)),
        "No indices give an empty batch, even from an empty loader.",
        call="__getitems__([])",
        got=got,
        want=((0,), (0,), (0,)),
        look="`__getitems__`: without a run there is no batch to assemble; read the range 0:0",
    )


@pytest.mark.contract("test_batch_loader_dataset")
def test_a_sample_has_every_name_of_its_record(tt, plain, draw):
    n = int(draw.integers(10, 30))
    values = draw.normal(0, 1, n)
    dataset = tt.BatchLoaderDataset(Records(tt, values))
    for index in (0, int(draw.integers(1, n - 1)), n - 1):
        inputs, output = dataset[index]
        got = [float(np.asarray(part.data)) for part in (inputs["x"], inputs["square"], output)]
        expect(
            got == [values[index], values[index] * values[index], values[index]],
            "A sample is record i without the dimension of records; dtypes are kept.",
            call=f"dataset[{index}]",
            got=got,
            want=[values[index], values[index] * values[index], values[index]],
            look="which line changes a dtype or a shape? array[0] keeps the dtype; "
            ".item(), int() and lists do not",
        )
        expect(
            np.asarray(output.data).shape == (),
            "A sample is record i without the dimension of records; dtypes are kept.",
            call=f"dataset[{index}][1].shape",
            got=np.asarray(output.data).shape,
            want=(),
            look="which line changes a dtype or a shape? array[0] keeps the dtype; "
            ".item(), int() and lists do not",
        )
    expect_raises(
        IndexError,
        lambda: dataset[n],
        "An index outside 0..N-1 raises IndexError with index and size, in batches too.",
        says=[f"Index {n} ", f"size {n}"],
        call=f"dataset[{n}] of {n} records",
        look="0 <= index < len(self.loader), before the loader is asked; the error is "
        "an IndexError with the index and the number of records",
    )


class Far:
    """A batch loader of the test with more records than 32 bits count."""

    def __init__(self, tt):
        self.tt, self.ranges = tt, []

    def __len__(self):
        return 2**40

    def get_batch(self, start, end):
        self.ranges.append((start, end))
        numbers = np.arange(start, end)
        return self.tt.Batch({"input": numbers}, {"output": -numbers})


@pytest.mark.contract("test_index_runs")
def test_runs_of_large_indices(tt):
    first = 2**31 - 1
    got = [tuple(run) for run in tt.index_runs(np.array([5, first, first + 1, 2**40]))]
    want = [(5, 6), (first, first + 2), (2**40, 2**40 + 1)]
    expect(
        got == want,
        "The ranges hold exactly the indices, in order.",
        call=f"index_runs([5, {first}, {first + 1}, {2**40}])",
        got=got,
        want=want,
        look="which range is the first that differs? A run ends where the distance to "
        "the next index is not 1, and `end` is the last index + 1",
    )


@pytest.mark.contract("test_batch_loader_dataset")
def test_records_behind_two_thousand_million(tt, plain):
    far = Far(tt)
    indices = [2**40 - 1, 7, 2**31]
    inputs, _ = tt.BatchLoaderDataset(far).__getitems__(indices)
    got = inputs.data.tolist()
    expect(
        got == indices,
        "A batch has the records in the order asked for, with repeats.",
        call=f"__getitems__({indices}) of {2**40} records",
        got=got,
        want=indices,
        look="np.unique sorts and drops doubles; which `places` does assemble get?",
    )

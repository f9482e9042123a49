"""Promises of index_runs and BatchLoaderDataset. `tt` is your exported package."""

import contextlib

import numpy as np
import pytest

from tinytorch.core.tensor import Tensor
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


class Numbers:
    """A batch loader of the test: record i has the input [i, i] and the output -i.
    It remembers what it was asked for.
    """

    def __init__(self, tt, length):
        self.tt, self.length, self.ranges = tt, length, []

    def __len__(self):
        return self.length

    def get_batch(self, start, end):
        self.ranges.append((start, end))
        numbers = np.arange(start, end)
        return self.tt.Batch(
            {"input": np.stack([numbers, numbers], axis=1)}, {"output": -numbers}
        )


class Fails:
    """Foreign code that always fails with `error`, and counts its calls."""

    def __init__(self, error):
        self.error, self.calls = error, 0

    def __len__(self):
        return 40

    def get_batch(self, start, end):
        self.calls += 1
        raise self.error


def kind_of(error):
    """Type and message of an error, as one text."""
    return f"{type(error).__name__}: {error}"


def raised_by(function):
    """Type and message of what `function()` raises."""
    try:
        function()
    except NotImplementedError:  # your turn
        raise
    except Exception as error:  # noqa: BLE001 - any error may be asked for
        return kind_of(error)
    return "no error"


class Scenes:
    """A batch loader of the test with two inputs and two outputs of several kinds, all
    views of arrays in memory.
    """

    def __init__(self, tt, length):
        self.tt, self.length = tt, length
        self.image = np.arange(2 * length, dtype=np.uint8).reshape(length, 2)
        self.hour = np.arange(length) / 4
        self.mask = np.arange(2 * length).reshape(length, 2) % 3
        self.label = np.arange(length, dtype=np.uint8)

    def __len__(self):
        return self.length

    def get_batch(self, start, end):
        return self.tt.Batch(
            {"image": self.image[start:end], "hour": self.hour[start:end]},
            {"mask": self.mask[start:end], "label": self.label[start:end]},
        )


@pytest.mark.contract("test_index_runs")
def test_neighbors_become_ranges(tt):
    for indices, want in (
        ([1, 2, 3, 7, 9, 10], [(1, 4), (7, 8), (9, 11)]),
        ([0, 1, 2], [(0, 3)]),
        ([4, 6, 8], [(4, 5), (6, 7), (8, 9)]),
        ([5], [(5, 6)]),
        ([0, 2, 3], [(0, 1), (2, 4)]),
    ):
        for given in (list(indices), np.array(indices, dtype=np.int64)):
            got = [tuple(run) for run in tt.index_runs(given)]
            held = [index for start, end in got for index in range(start, end)]
            call = f"index_runs({indices}), {type(given).__name__}"
            expect(
                held == indices,
                "The ranges hold exactly the indices, in order.",
                call=call,
                got=got,
                want=want,
                look="is the last run there?",
            )
            expect(
                got == want,
                "Neighbors share a range, so there are as few as possible.",
                call=call,
                got=got,
                want=want,
            )
            expect(
                list(given) == indices,
                "The indices given stay as they are.",
                call=f"{call}: the indices afterwards",
                got=list(given),
                want=indices,
            )


@pytest.mark.contract("test_batch_loader_dataset")
def test_a_batch_keeps_the_order_that_was_asked_for(tt, plain):
    dataset = tt.BatchLoaderDataset(Numbers(tt, 40))
    inputs, outputs = dataset.__getitems__([30, 2, 3, 30, 1])
    got = inputs.data[:, 1].tolist(), (-outputs.data).tolist()
    expect(
        got == ([30, 2, 3, 30, 1],) * 2,
        "A batch has the records in the order asked for, twice if asked twice.",
        call="__getitems__([30, 2, 3, 30, 1])",
        got=got,
        want=([30, 2, 3, 30, 1],) * 2,
        look="np.unique sorts; its inverse says where each index went",
    )
    expect(
        isinstance(inputs, Tensor) and isinstance(outputs, Tensor),
        "A side with only the default name is a bare Tensor, any other a dict.",
        call="__getitems__(...)",
        got=[type(inputs).__name__, type(outputs).__name__],
        want=["Tensor", "Tensor"],
    )


@pytest.mark.contract("test_batch_loader_dataset")
def test_records_are_read_in_runs(tt, plain):
    numbers = Numbers(tt, 40)
    dataset = tt.BatchLoaderDataset(numbers)
    for indices, want in (
        ([9, 4, 5, 4, 8, 20], [(4, 6), (8, 10), (20, 21)]),
        ([39], [(39, 40)]),
    ):
        numbers.ranges.clear()
        dataset.__getitems__(indices)
        expect(
            numbers.ranges == want,
            "The loader is asked for record i alone, or the runs of the sorted indices,"
            " each once.",
            call=f"__getitems__({indices}): ranges that were read",
            got=numbers.ranges,
            want=want,
            look="index_runs of the sorted, different indices",
        )
    for index in (0, 39, 0):
        numbers.ranges.clear()
        dataset[index]
        expect(
            numbers.ranges == [(index, index + 1)],
            "The loader is asked for record i alone, or the runs of the sorted indices,"
            " each once.",
            call=f"dataset[{index}]: ranges that were read",
            got=numbers.ranges,
            want=[(index, index + 1)],
        )


@pytest.mark.contract("test_batch_loader_dataset")
def test_a_sample_is_one_record(tt, plain):
    dataset = tt.BatchLoaderDataset(Numbers(tt, 40))
    for index in (12, 0, 39):
        inputs, outputs = dataset[index]
        got = np.asarray(inputs.data).tolist(), np.asarray(outputs.data).tolist()
        expect(
            got == ([index, index], -index),
            "A sample is record i, without the dimension of records, dtypes kept.",
            call=f"dataset[{index}]",
            got=got,
            want=([index, index], -index),
            look="row 0 of a batch of one record",
        )
    for index in (40, 45, -1):
        expect_raises(
            IndexError,
            lambda: dataset[index],
            "An index outside 0..N-1 raises IndexError with index and size, in batches"
            " too.",
            says=[f"{index} ", "40"],
            call=f"dataset[{index}] of 40 records",
        )


@pytest.mark.contract("test_batch_loader_dataset")
def test_a_batch_has_no_records_outside(tt, plain):
    dataset = tt.BatchLoaderDataset(Numbers(tt, 40))
    _, outputs = dataset.__getitems__([0, 39])
    got = (-outputs.data).tolist()
    expect(
        got == [0, 39],
        "A batch has the records in the order asked for, twice if asked twice.",
        call="__getitems__([0, 39]) of 40",
        got=got,
        want=[0, 39],
    )
    for bad, index in (([45], 45), ([0, 7, 40], 40), ([3, -1, 5], -1)):
        expect_raises(
            IndexError,
            lambda: dataset.__getitems__(bad),
            "An index outside 0..N-1 raises IndexError with index and size, in batches"
            " too.",
            says=["out of range", f"{index} ", "40"],
            call=f"__getitems__({bad}) of 40",
            look="the smallest and the largest index",
        )


@pytest.mark.contract("test_index_runs")
def test_no_indices_have_no_ranges(tt):
    for none in ([], np.array([], dtype=np.int64)):
        got = tt.index_runs(none)
        expect(
            isinstance(got, list) and got == [],
            "The result is a list; no indices give [].",
            call=f"index_runs([]), {type(none).__name__}",
            got=got,
            want=[],
        )


@pytest.mark.contract("test_batch_loader_dataset")
def test_sides_with_names_are_dicts_and_dtypes_are_kept(tt, plain):
    dataset = tt.BatchLoaderDataset(Scenes(tt, 40))
    sample, batch = dataset[3], dataset.__getitems__([5, 3])
    kinds = [type(side).__name__ for side in (*sample, *batch)]
    expect(
        kinds == ["dict"] * 4,
        "A side with only the default name is a bare Tensor, any other a dict.",
        call="dataset[3], dataset.__getitems__([5, 3]): inputs image and hour, outputs"
        " mask and label",
        got=kinds,
        want=["dict"] * 4,
    )
    got = {
        name: f"{tensor.data.dtype} {np.asarray(tensor.data).tolist()}"
        for side in sample
        for name, tensor in side.items()
    }
    want = {
        "image": "uint8 [6, 7]",
        "hour": "float64 0.75",
        "mask": "int64 [0, 1]",
        "label": "uint8 3",
    }
    expect(
        got == want,
        "A sample is record i, without the dimension of records, dtypes kept.",
        call="dataset[3]",
        got=got,
        want=want,
        look="array[0] of every array; .item() forgets the dtype",
    )
    got = {
        name: f"{tensor.data.dtype} {tensor.data.tolist()}"
        for side in batch
        for name, tensor in side.items()
    }
    want = {
        "image": "uint8 [[10, 11], [6, 7]]",
        "hour": "float64 [1.25, 0.75]",
        "mask": "int64 [[1, 2], [0, 1]]",
        "label": "uint8 [5, 3]",
    }
    expect(
        got == want,
        "A batch has the records in the order asked for, twice if asked twice.",
        call="dataset.__getitems__([5, 3])",
        got=got,
        want=want,
    )


def after_writing(tt):
    """Sample 3, after an earlier sample 3 and a batch with it were overwritten."""
    import numpy as np

    arrays = {"input": np.arange(80).reshape(40, 2)}, {"output": np.arange(40)}

    class Whole:
        def __len__(self):
            return 40

        def get_batch(self, start, end):
            inputs, outputs = arrays
            return tt.Batch(
                {name: array[start:end] for name, array in inputs.items()},
                {name: array[start:end] for name, array in outputs.items()},
            )

    dataset = tt.BatchLoaderDataset(Whole())
    for tensors in (dataset[3], dataset.__getitems__([3])):
        for tensor in tensors:
            tensor.data[...] = 99
    inputs, outputs = dataset[3]
    return inputs.data.tolist(), int(outputs.data)


@pytest.mark.contract("test_batch_loader_dataset")
def test_what_a_dataset_returns_may_be_written_to(inside, plain):
    got = tuple(inside(after_writing))
    expect(
        got == ([6, 7], 3),
        "Samples and batches have their own memory.",
        call="dataset[3], after an earlier dataset[3] and a batch were overwritten",
        got=got,
        want=([6, 7], 3),
        look="row 0 of an array is a view: copy it",
    )


@pytest.mark.contract("test_batch_loader_dataset")
def test_no_indices_are_an_empty_batch(tt, plain):
    for length in (40, 0):
        numbers = Numbers(tt, length)
        inputs, outputs = tt.BatchLoaderDataset(numbers).__getitems__([])
        got = inputs.shape, outputs.shape
        expect(
            got == ((0, 2), (0,)),
            "No indices give an empty batch, also of an empty loader.",
            call=f"__getitems__([]) of {length} records: shapes",
            got=got,
            want=((0, 2), (0,)),
            look="read the range 0:0 where there is no run",
        )


@pytest.mark.contract("test_batch_loader_dataset")
def test_errors_of_the_loader_pass_through(tt, plain):
    for error in (OSError("the tape broke"), KeyError("reel 7"), IndexError("worn")):
        for many in (False, True):
            fails = Fails(error)
            dataset = tt.BatchLoaderDataset(fails)
            got = raised_by(lambda: dataset.__getitems__([3]) if many else dataset[3])
            expect(
                (got, fails.calls) == (kind_of(error), 1),
                "What the loader raises reaches the caller unchanged, once.",
                call="dataset.__getitems__([3])" if many else "dataset[3]",
                got=f"{got}; the loader was asked {fails.calls} times",
                want=f"{kind_of(error)}; asked once",
                look="no try around get_batch",
            )


@pytest.mark.contract("test_batch_loader_dataset")
def test_the_indices_stay_as_they_are(tt, plain):
    dataset = tt.BatchLoaderDataset(Numbers(tt, 40))
    for given in ([9, 4, 9], np.array([9, 4, 9])):
        records = (-dataset.__getitems__(given)[1].data).tolist()
        expect(
            list(given) == records == [9, 4, 9],
            "The indices given stay as they are.",
            call="__getitems__([9, 4, 9]): the indices afterwards",
            got=list(given),
            want=[9, 4, 9],
            look="`indices.sort()` changes the caller's array",
        )

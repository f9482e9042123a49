"""Promises of index_runs and BatchLoaderDataset. `tt` is your exported package."""

import contextlib

import numpy as np
import pytest

from tinytorch.core.tensor import Tensor
from tinytorch.testing import expect


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
        self.mask = np.arange(2 * length, dtype=np.int64).reshape(length, 2) % 3
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
                look="which range is the first that differs? A run ends where the"
                " distance to the next index is not 1, `end` is the last index + 1, and"
                " a `start` of 0 is a start",
            )
            expect(
                got == want,
                "Neighbors share a range, so there are as few as possible.",
                call=call,
                got=got,
                want=want,
                look="when does a run end? Where the next index is not 1 more, not"
                " before",
            )
            expect(
                list(given) == indices,
                "The indices given are not changed.",
                call=f"{call}: the indices afterwards",
                got=[int(index) for index in given],
                want=indices,
                look="does a line change `indices` (sort, pop, +=)? Only read them",
            )


@pytest.mark.contract("test_batch_loader_dataset")
def test_a_batch_keeps_the_order_that_was_asked_for(tt, plain):
    dataset = tt.BatchLoaderDataset(Numbers(tt, 40))
    inputs, outputs = dataset.__getitems__([30, 2, 3, 30, 1])
    expect(
        isinstance(inputs, Tensor) and isinstance(outputs, Tensor),
        "Inputs or outputs with only the default name are a bare Tensor, others a"
        " dict.",
        call="dataset.__getitems__([30, 2, 3, 30, 1]): the types of both sides",
        got=[type(inputs).__name__, type(outputs).__name__],
        want=["Tensor", "Tensor"],
        look="`__getitems__`: assemble decides for each side; return what it returns",
    )
    got = inputs.data[:, 1].tolist(), (-outputs.data).tolist()
    expect(
        got == ([30, 2, 3, 30, 1],) * 2,
        "A batch has the records in the order asked for, with repeats.",
        call="dataset.__getitems__([30, 2, 3, 30, 1]): the record numbers, read from"
        " the"
        " inputs and from the outputs",
        got=got,
        want=([30, 2, 3, 30, 1],) * 2,
        look="np.unique sorts and drops what is there twice; which `places` does"
        " assemble get to undo it?",
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
            "The loader is asked for record i alone, or once for each run of the sorted"
            " indices.",
            call=f"dataset.__getitems__({indices}): ranges that the loader was asked"
            " for",
            got=numbers.ranges,
            want=want,
            look="`__getitems__`: one get_batch for each of index_runs(wanted), the"
            " sorted, different indices",
        )
    for index in (0, 39, 0):
        numbers.ranges.clear()
        dataset[index]
        expect(
            numbers.ranges == [(index, index + 1)],
            "The loader is asked for record i alone, or once for each run of the sorted"
            " indices.",
            call=f"dataset[{index}]: ranges that the loader was asked for",
            got=numbers.ranges,
            want=[(index, index + 1)],
            look="`__getitem__`: get_batch once, of one record; nothing is kept for the"
            " next call",
        )


@pytest.mark.contract("test_batch_loader_dataset")
def test_a_sample_is_one_record(tt, plain):
    dataset = tt.BatchLoaderDataset(Numbers(tt, 40))
    for index in (12, 0, 39):
        inputs, outputs = dataset[index]
        got = np.asarray(inputs.data).tolist(), np.asarray(outputs.data).tolist()
        expect(
            got == ([index, index], -index),
            "A sample is record i without the dimension of records; dtypes are kept.",
            call=f"dataset[{index}], where record i has input [i, i] and output -i",
            got=got,
            want=([index, index], -index),
            look="get_batch(index, index + 1) is a batch of one record: the sample is"
            " its"
            " row 0, on both sides",
        )
    for index in (40, 45, -1):
        got = raised_by(lambda: dataset[index])
        expect(
            got.startswith("IndexError:") and f"{index} " in got and "40" in got,
            "An index outside 0..N-1 raises IndexError with index and size, in batches"
            " too.",
            call=f"dataset[{index}] of 40 records",
            got=got,
            want=f"IndexError that says index {index} and size 40",
            look="0 <= index < len(self.loader), before the loader is asked; the error"
            " is an IndexError with the index and the number of records",
        )


@pytest.mark.contract("test_batch_loader_dataset")
def test_a_batch_has_no_records_outside(tt, plain):
    dataset = tt.BatchLoaderDataset(Numbers(tt, 40))
    _, outputs = dataset.__getitems__([0, 39])
    got = (-outputs.data).tolist()
    expect(
        got == [0, 39],
        "A batch has the records in the order asked for, with repeats.",
        call="dataset.__getitems__([0, 39]) of 40 records: their numbers",
        got=got,
        want=[0, 39],
        look="np.unique sorts; which `places` does assemble get to undo it?",
    )
    for bad, index in (([45], 45), ([0, 7, 40], 40), ([3, -1, 5], -1)):
        got = raised_by(lambda: dataset.__getitems__(bad))
        says = "out of range", f"{index} ", "40"
        expect(
            got.startswith("IndexError:") and all(text in got.lower() for text in says),
            "An index outside 0..N-1 raises IndexError with index and size, in batches"
            " too.",
            call=f"dataset.__getitems__({bad}) of 40 records",
            got=got,
            want=f"IndexError that says index {index}, out of range, and size 40",
            look="the check 0 <= index < 40: is it made for this index?"
            if got == "no error"
            else "check the smallest and the largest index, before the loader is asked:"
            " it knows ranges only; raise an IndexError with the index and the size",
        )


@pytest.mark.contract("test_index_runs")
def test_no_indices_have_no_ranges(tt):
    for none in ([], np.array([], dtype=np.int64)):
        got = tt.index_runs(none)
        expect(
            isinstance(got, list) and got == [],
            "The result is a list; no indices give [].",
            call=f"index_runs([]), {type(none).__name__}",
            got=repr(got),
            want=[],
            look="without an index there is no first run: ask len(indices)",
        )


@pytest.mark.contract("test_batch_loader_dataset")
def test_sides_with_names_are_dicts_and_dtypes_are_kept(tt, plain):
    dataset = tt.BatchLoaderDataset(Scenes(tt, 40))
    sample, batch = dataset[3], dataset.__getitems__([5, 3])
    kinds = [type(side).__name__ for side in (*sample, *batch)]
    expect(
        kinds == ["dict"] * 4,
        "Inputs or outputs with only the default name are a bare Tensor, others a"
        " dict.",
        call="dataset[3], dataset.__getitems__([5, 3]): inputs image and hour, outputs"
        " mask and label",
        got=kinds,
        want=["dict"] * 4,
        look="`__getitem__`: as_sample(arrays, default) decides for each side;"
        " `__getitems__`: assemble does",
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
        "A sample is record i without the dimension of records; dtypes are kept.",
        call="dataset[3], two inputs and two outputs",
        got=got,
        want=want,
        look="which line changes a dtype or a shape? array[0] keeps the dtype; .item(),"
        " int() and lists do not",
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
        "A batch has the records in the order asked for, with repeats.",
        call="dataset.__getitems__([5, 3]), two inputs and two outputs",
        got=got,
        want=want,
        look="which batches and which `places` does assemble get?",
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
        call="dataset[3], after an earlier dataset[3] and __getitems__([3]) were filled"
        " with 99",
        got=got,
        want=([6, 7], 3),
        look="whose memory do the Tensors of a sample have? array[0], slices and"
        " np.squeeze are views of the loader's arrays: copy",
    )


@pytest.mark.contract("test_batch_loader_dataset")
def test_no_indices_are_an_empty_batch(tt, plain):
    for length in (40, 0):
        numbers = Numbers(tt, length)
        inputs, outputs = tt.BatchLoaderDataset(numbers).__getitems__([])
        got = inputs.shape, outputs.shape
        expect(
            got == ((0, 2), (0,)),
            "No indices give an empty batch, even from an empty loader.",
            call=f"dataset.__getitems__([]) of {length} records with 2 numbers each:"
            " shapes of inputs and outputs",
            got=got,
            want=((0, 2), (0,)),
            look="`__getitems__`: without a run, the loader's range 0:0 has the right"
            " shapes and dtypes",
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
                "An error of the loader reaches the caller unchanged, without a retry.",
                call=("dataset.__getitems__([3])" if many else "dataset[3]")
                + ", and the loader raises",
                got=f"{got}; the loader was asked {fails.calls} times",
                want=f"{kind_of(error)}; asked once",
                look="does anything catch what get_batch raises, put another error in"
                " its place, or try again?",
            )


@pytest.mark.contract("test_batch_loader_dataset")
def test_the_indices_stay_as_they_are(tt, plain):
    dataset = tt.BatchLoaderDataset(Numbers(tt, 40))
    for given in ([9, 4, 9], np.array([9, 4, 9])):
        records = (-dataset.__getitems__(given)[1].data).tolist()
        expect(
            list(given) == records == [9, 4, 9],
            "The indices given are not changed.",
            call=f"x = {'np.array' if hasattr(given, 'dtype') else ''}([9, 4, 9]);"
            " dataset.__getitems__(x): x afterwards, and the records",
            got=([int(index) for index in given], records),
            want=([9, 4, 9], [9, 4, 9]),
            look="does a line change `indices`? .sort() does, and np.asarray of an"
            " array"
            " is the caller's array",
        )

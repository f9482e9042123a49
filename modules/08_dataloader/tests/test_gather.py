"""Promises of the fast path: `__getitems__`, one gather for a batch. `tt` is your
exported package.
"""

import numpy as np
import pytest

from tinytorch.core.rng import EpochKey
from tinytorch.core.tensor import Tensor
from tinytorch.testing import expect, expect_raises


@pytest.mark.contract("test_gather_samples")
def test_a_batch_is_gathered_from_all_tensors(tt):
    dataset = tt.TensorDataset(
        np.arange(10, dtype=np.uint8).reshape(5, 2), np.arange(5, dtype=np.int64)
    )
    features, labels = tt.gather_samples(dataset, np.array([3, 0, 3]))
    got = f"{features.data.dtype}, {labels.data.dtype}"
    expect(
        got == "uint8, int64",
        "A gather keeps the dtypes.",
        call="gather_samples(dataset, [3, 0, 3])",
        got=got,
        want="uint8, int64",
        look="np.take keeps the dtype; what changes it afterwards?",
    )
    got = f"{features.data.tolist()}, {labels.data.tolist()}"
    want = "[[6, 7], [0, 1], [6, 7]], [3, 0, 3]"
    expect(
        got == want,
        "Row k of the batch is sample `indices[k]`; no indices give 0 rows.",
        call="gather_samples(dataset, [3, 0, 3])",
        got=got,
        want=want,
        look="np.take(tensor.data, indices, axis=0)",
    )


@pytest.mark.contract("test_gather_samples")
def test_a_gather_outside_the_dataset_is_an_index_error(tt):
    dataset = tt.TensorDataset(np.arange(5))
    (got,) = tt.gather_samples(dataset, np.array([0, 4]))
    expect(
        len(got.data) == 2,
        "An index outside 0..N-1 raises `IndexError`; a negative index does too.",
        call="gather_samples(dataset of 5, [0, 4])",
        got=got,
        want="a batch of 2",
        look="0 and 4 are inside 0..4",
    )
    for indices in ([0, 5], [-1], [0, -1], [2, -5]):
        expect_raises(
            IndexError,
            lambda: tt.gather_samples(dataset, np.array(indices)),
            "An index outside 0..N-1 raises `IndexError`; a negative index does too.",
            call=f"gather_samples(dataset of 5, {indices})",
            look="ask the smallest and the largest index: NumPy counts -1 from the end",
        )


@pytest.mark.contract("test_gather_samples")
def test_a_gathered_batch_has_memory_of_its_own(tt):
    for indices in ([2], [0, 1, 2, 3, 4], [1, 2], []):
        dataset = tt.TensorDataset(np.arange(10).reshape(5, 2), np.arange(5))
        rows = []
        for part in tt.gather_samples(dataset, np.array(indices, np.int64)):
            rows.append(len(part.data))
            part.data[...] = -1
        got = [tensor.data.tolist() for tensor in dataset.tensors]
        want = [[[0, 1], [2, 3], [4, 5], [6, 7], [8, 9]], [0, 1, 2, 3, 4]]
        expect(
            got == want and rows == [len(indices)] * 2,
            "A batch has its own memory: changing it never changes the dataset.",
            call=f"every number of gather_samples(dataset, {indices}) is set to -1",
            got=got,
            want=want,
            look="a slice is a view, also of one row; np.take copies",
        )


class Gathering:
    """A dataset that offers `__getitems__` and remembers how it was read."""

    def __init__(self, num_samples, as_list=False):
        self.num_samples, self.as_list, self.single, self.gathers = (
            num_samples,
            as_list,
            [],
            [],
        )

    def __len__(self):
        return self.num_samples

    def __getitem__(self, index):
        self.single.append(index)
        return index * 10

    def __getitems__(self, indices):
        self.gathers.append([int(i) for i in indices])
        rows = np.asarray(indices, np.int64) * 10
        return list(rows.reshape(-1, 1)) if self.as_list else Tensor(rows)


def numbers_of(batch):
    """The numbers of a batch: the exact shape is a promise of stack_samples."""
    return np.ravel(batch.data if isinstance(batch, Tensor) else batch).tolist()


def load(tt, dataset, indices, **settings):
    """One batch by your load_batch."""
    loader = tt.DataLoader(dataset, batch_size=3, **settings)
    return tt.load_batch(loader, np.array(indices), None)


@pytest.mark.contract("test_load_batch")
def test_the_dataset_is_asked_once_for_each_batch(tt):
    dataset = Gathering(7)
    batch = load(tt, dataset, [5, 0, 2])
    expect(
        dataset.gathers == [[5, 0, 2]] and dataset.single == [],
        "A dataset with `__getitems__` is asked once for a batch, with its indices.",
        call="load_batch(loader, [5, 0, 2], key)",
        got=f"__getitems__ for {dataset.gathers}, single reads {dataset.single}",
        want="__getitems__ for [[5, 0, 2]], single reads []",
        look='hasattr(loader.dataset, "__getitems__")',
    )
    expect(
        isinstance(batch, Tensor) and batch.data.tolist() == [50, 0, 20],
        "If `__getitems__` returns anything but a list, that is the finished batch.",
        call="load_batch(loader, [5, 0, 2], key)",
        got=batch,
        want="Tensor [50, 0, 20]",
        look="isinstance(batch, list); is it collated once more?",
    )


@pytest.mark.contract("test_load_batch")
def test_a_list_of_samples_is_collated(tt):
    dataset = Gathering(7, as_list=True)
    batch = load(tt, dataset, [5, 0, 2])
    expect(
        not isinstance(batch, list) and numbers_of(batch) == [50, 0, 20],
        "A list from `__getitems__` is a list of samples, and is collated.",
        call="load_batch(loader, [5, 0, 2], key), __getitems__ returns a list",
        got=batch,
        want="Tensor [50, 0, 20]",
        look="loader._collate_batch(batch)",
    )


class GatheringOrNot(Gathering):
    """Like Gathering, with `sample_with`; whether it gathers is decided when it is
    made.
    """

    def __init__(self, num_samples, gathers):
        super().__init__(num_samples)
        self.can_gather = gathers

    def sample_with(self, index, rng):
        return self[index]

    @property
    def __getitems__(self):
        if not self.can_gather:
            raise AttributeError("__getitems__")
        return super().__getitems__


@pytest.mark.contract("test_load_batch")
def test_hasattr_decides_how_a_dataset_is_asked(tt):
    dataset = GatheringOrNot(7, gathers=True)
    batch = tt.load_batch(
        tt.DataLoader(dataset, batch_size=3), np.array([5, 0, 2]), EpochKey.of(0, 0)
    )
    expect(
        dataset.gathers == [[5, 0, 2]]
        and dataset.single == []
        and numbers_of(batch) == [50, 0, 20],
        "A dataset with `__getitems__` is asked once for a batch, with its indices.",
        call="load_batch(loader of a dataset with sample_with and __getitems__, ...)",
        got=f"{batch}, gathers {dataset.gathers}, single reads {dataset.single}",
        want="Tensor [50, 0, 20], gathers [[5, 0, 2]], single reads []",
        look='hasattr(loader.dataset, "__getitems__") alone decides',
    )
    dataset = GatheringOrNot(7, gathers=False)
    loader = tt.DataLoader(dataset, batch_size=3)
    try:
        batch = tt.load_batch(loader, np.array([5, 0, 2]), EpochKey.of(0, 0))
    except AttributeError as problem:
        batch = f"AttributeError: {problem}"
    expect(
        dataset.single == [5, 0, 2] and numbers_of(batch) == [50, 0, 20],
        "A dataset without `__getitems__` is read one by one, as before.",
        call="load_batch(loader of a dataset whose __getitems__ is a property that"
        " raises AttributeError, ...)",
        got=f"{batch}, single reads {dataset.single}",
        want="Tensor [50, 0, 20], single reads [5, 0, 2]",
        look='hasattr(loader.dataset, "__getitems__"): ask the dataset, not its class',
    )


class GatheringPairs(Gathering):
    """Its gathered batch is a tuple of two lists."""

    def __getitems__(self, indices):
        return super().__getitems__(indices).data.tolist(), ["a label"] * len(indices)


@pytest.mark.contract("test_load_batch")
def test_a_tuple_is_a_finished_batch(tt):
    got = load(tt, GatheringPairs(7), [5, 0])
    expect(
        got == ([50, 0], ["a label", "a label"]),
        "If `__getitems__` returns anything but a list, that is the finished batch.",
        call="load_batch(loader, [5, 0], key), __getitems__ returns a tuple",
        got=got,
        want=([50, 0], ["a label", "a label"]),
        look="only a list is collated",
    )


@pytest.mark.contract("test_load_batch")
def test_a_batch_is_transformed_once_however_it_came(tt):
    calls = []

    def double(batch):
        calls.append(1)
        return [2 * number for number in numbers_of(batch)]

    for name, dataset in (
        ("a Tensor", Gathering(7)),
        ("a list", Gathering(7, as_list=True)),
    ):
        calls.clear()
        got = load(tt, dataset, [5, 0, 2], batch_transform=double)
        expect(
            got == [100, 0, 40] and len(calls) == 1,
            "A batch goes through `batch_transform` once, however it was loaded.",
            call=f"load_batch(loader with batch_transform=double), gathered as {name}",
            got=f"{got}, called {len(calls)} times",
            want="[100, 0, 40], called once",
            look="transform_batch comes last, whatever __getitems__ returned",
        )


@pytest.mark.contract("test_load_batch")
def test_a_collate_fn_still_gets_single_samples(tt):
    dataset = Gathering(4)
    got = load(tt, dataset, [0, 3], collate_fn=lambda samples: list(samples))
    expect(
        got == [0, 30] and dataset.gathers == [],
        "With a `collate_fn`, the samples are read one by one, and `collate_fn`"
        " collates them.",
        call="load_batch(loader with collate_fn=list, [0, 3], key)",
        got=f"{got}, gathers {dataset.gathers}",
        want="[0, 30], gathers []",
        look="is collate_fn the one that makes the batch?",
    )


@pytest.mark.contract("test_load_batch")
def test_every_loader_uses_load_batch(tt):
    dataset = Gathering(7)
    batch = next(iter(tt.DataLoader(dataset, batch_size=3)))
    expect(
        len(dataset.gathers) > 0 and dataset.single == [],
        "A dataset with `__getitems__` is asked once for a batch, with its indices.",
        call="next(iter(DataLoader(7 samples, batch_size=3)))",
        got=f"__getitems__ for {dataset.gathers}, single reads {dataset.single}",
        want="__getitems__ for [[0, 1, 2]], single reads []",
        look="DataLoader._load = load_batch, below your function",
    )
    expect(
        numbers_of(batch) == [10 * i for i in dataset.gathers[0]],
        "A dataset with `__getitems__` is asked once for a batch, with its indices.",
        call="next(iter(DataLoader(7 samples, batch_size=3)))",
        got=batch,
        want=[10 * i for i in dataset.gathers[0]],
        look="the batch is what __getitems__ returned for these indices",
    )


@pytest.mark.contract("test_gather_samples")
def test_no_indices_give_no_rows(tt):
    dataset = tt.TensorDataset(np.zeros((5, 2), np.uint8), np.arange(5))
    for indices in (np.array([], np.int64), []):
        got = [part.data.shape for part in tt.gather_samples(dataset, indices)]
        expect(
            got == [(0, 2), (0,)],
            "Row k of the batch is sample `indices[k]`; no indices give 0 rows.",
            call=f"gather_samples(dataset, {indices!r}): the shapes",
            got=got,
            want=[(0, 2), (0,)],
            look="an empty array has no minimum",
        )


class Failing:
    """A dataset whose reads raise; it counts them."""

    def __init__(self, error):
        self.error, self.reads = error, 0

    def __len__(self):
        return 7

    def __getitem__(self, index):
        self.reads += 1
        raise self.error


class FailingGather(Failing):
    def __getitem__(self, index):
        return index

    def __getitems__(self, indices):
        self.reads += 1
        raise self.error


@pytest.mark.contract("test_load_batch")
def test_an_error_of_the_dataset_passes_through(tt, draw):
    number = int(draw.integers(1000))
    for error in (AttributeError, KeyError, TypeError, IndexError):
        for name, kind in (("__getitems__", FailingGather), ("[]", Failing)):
            dataset = kind(error(f"row {number}"))
            expect_raises(
                error,
                lambda dataset=dataset: load(tt, dataset, [5, 0, 2]),
                "An error from a dataset or a transform reaches the caller"
                " unchanged, and nothing is tried again.",
                says=f"row {number}",
                call=f"load_batch(loader, ...), {name} raises {error.__name__}",
                look="is there a try? ask with hasattr: a try hides the dataset's own"
                " errors",
            )
            expect(
                dataset.reads == 1,
                "An error from a dataset or a transform reaches the caller"
                " unchanged, and nothing is tried again.",
                call=f"load_batch(loader, ...), {name} raises {error.__name__}",
                got=f"{dataset.reads} calls of {name}",
                want=f"1 call of {name}",
                look="is it called again, or read in another way?",
            )


@pytest.mark.contract("test_load_batch")
def test_an_error_of_a_batch_transform_passes_through(tt, draw):
    number, calls = int(draw.integers(1000)), []
    for error in (TypeError, KeyError):

        def broken(batch, error=error):
            calls.append(1)
            raise error(f"batch {number}")

        for name in ("batch_transform", "collate_fn"):
            calls.clear()
            expect_raises(
                error,
                lambda name=name: load(tt, Gathering(7), [5, 0], **{name: broken}),
                "An error from a dataset or a transform reaches the caller"
                " unchanged, and nothing is tried again.",
                says=f"batch {number}",
                call=f"load_batch(loader, ...), {name} raises {error.__name__}",
                look="is there a try around the transform or the collation?",
            )
            expect(
                len(calls) == 1,
                "An error from a dataset or a transform reaches the caller"
                " unchanged, and nothing is tried again.",
                call=f"load_batch(loader, ...), {name} raises {error.__name__}",
                got=f"{len(calls)} calls of {name}",
                want=f"1 call of {name}",
                look="is it called again, or read in another way?",
            )

"""Hidden: a gathered batch, and a loader that asks for one."""

import numpy as np
import pytest

from tinytorch.core.rng import EpochKey
from tinytorch.core.tensor import Tensor
from tinytorch.testing import expect, expect_raises


def tensors_of(draw, n):
    return [
        draw.integers(0, 200, (n, *shape)).astype(dtype)
        for shape, dtype in (((3,), "float32"), ((), "int64"), ((2, 2, 2), "uint8"))
    ]


def gathered(tt, arrays, indices):
    """What gather_samples gives for a dataset that is made here, with how often a sample was
    read alone, and the arrays after the batch was overwritten.
    """
    import numpy as np

    class Rows:
        def __init__(self):
            self.tensors, self.reads = tuple(tt.Tensor(array) for array in arrays), 0

        def __len__(self):
            return len(self.tensors[0])

        def __getitem__(self, index):
            self.reads += 1
            return tuple(tt.Tensor(tensor.data[index]) for tensor in self.tensors)

    dataset = Rows()
    batch = tt.gather_samples(dataset, np.array(indices))
    parts = [part.data.copy() for part in batch]
    for gathered_part in batch:
        gathered_part.data[...] = 0
    return [type(batch).__name__, parts, dataset.reads, [t.data for t in dataset.tensors]]


@pytest.mark.contract("test_gather_samples")
def test_a_gather_is_the_rows_in_the_order_of_the_indices(tt, draw):
    n = int(draw.integers(5, 30))
    arrays = tensors_of(draw, n)[:2]
    dataset = tt.TensorDataset(*map(Tensor, arrays))
    for indices in (draw.integers(0, n, 7), np.arange(n), draw.permutation(n)[:3], [n - 1]):
        got = tt.gather_samples(dataset, np.array(indices))
        right = (
            isinstance(got, tuple)
            and len(got) == 2
            and all(
                isinstance(part, Tensor)
                and np.array_equal(part.data, a[np.asarray(indices)])
                and part.data.dtype == a.dtype
                for part, a in zip(got, arrays, strict=True)
            )
        )
        expect(
            right,
            "Row k of the batch is sample `indices[k]`; no indices give 0 rows.",
            call=f"gather_samples(dataset, {list(indices)})",
            got=got,
            want=[((len(indices), *a.shape[1:]), str(a.dtype)) for a in arrays],
            look="np.take(..., axis=0) for each tensor",
        )


@pytest.mark.contract("test_gather_samples")
def test_every_index_outside_is_refused(tt, draw):
    n = int(draw.integers(5, 30))
    dataset = tt.TensorDataset(Tensor(np.arange(n)))
    (got,) = tt.gather_samples(dataset, np.array([0, n - 1]))
    expect(
        len(got.data) == 2,
        "An index outside 0..N-1 raises `IndexError`; a negative index does too.",
        call=f"gather_samples(dataset of {n}, [0, {n - 1}])",
        got=got,
        want="a batch of 2",
    )
    for bad in ([0, n], [-1], [0, -n], [n + 5]):
        expect_raises(
            IndexError,
            lambda: tt.gather_samples(dataset, np.array(bad)),
            "An index outside 0..N-1 raises `IndexError`; a negative index does too.",
            call=f"gather_samples(dataset of {n}, {bad})",
            look="NumPy takes -1 for the last row",
        )


@pytest.mark.contract("test_gather_samples")
def test_a_gather_reads_no_sample_alone_and_has_its_own_memory(inside, draw):
    n = int(draw.integers(5, 12))
    arrays = tensors_of(draw, n)
    for indices in (draw.integers(0, n, 4).tolist(), list(range(n))):
        kind, parts, reads, after = inside(gathered, arrays, indices)
        expect(
            kind == "tuple"
            and len(parts) == 3
            and all(
                np.array_equal(part, a[indices]) and part.dtype == a.dtype
                for part, a in zip(parts, arrays, strict=True)
            ),
            "A gathered batch is a tuple with a Tensor for each of `dataset.tensors`.",
            call=f"gather_samples(dataset of 3 tensors, {indices})",
            got=f"{kind} of {[(p.shape, str(p.dtype)) for p in parts]}",
            want=f"tuple of {[((len(indices), *a.shape[1:]), str(a.dtype)) for a in arrays]}",
            look="np.take(tensor.data, indices, axis=0) for each tensor",
        )
        expect(
            reads == 0,
            "A gather reads no sample one by one: one NumPy call for each tensor.",
            call=f"gather_samples(dataset, {indices})",
            got=f"{reads} calls of dataset[i]",
            want="0 calls",
            look="one NumPy call for each tensor",
        )
        expect(
            all(np.array_equal(one, other) for one, other in zip(after, arrays, strict=True)),
            "A batch has its own memory: changing it never changes the dataset.",
            call=f"gather_samples(dataset, {indices})[0].data[...] = 0",
            got="the dataset changed",
            want="unchanged",
            look="a slice is a view; np.take copies",
        )


@pytest.mark.contract("test_gather_samples")
def test_a_tensor_dataset_offers_the_gather(tt, draw):
    n = int(draw.integers(5, 30))
    tt.gather_samples(tt.TensorDataset(np.arange(n)), np.array([0]))
    indices = draw.integers(0, n, 3).tolist()
    (got,) = tt.TensorDataset(np.arange(n) * 3).__getitems__(indices)
    expect(
        got.data.tolist() == [3 * i for i in indices],
        "Row k of the batch is sample `indices[k]`; no indices give 0 rows.",
        call=f"TensorDataset(0, 3, 6, ...).__getitems__({indices})",
        got=got.data.tolist(),
        want=[3 * i for i in indices],
        look="TensorDataset.__getitems__ = gather_samples, below your function",
    )


class Gathering:
    """A dataset of numbers that counts how it is read."""

    def __init__(self, num_samples, as_list=False):
        self.num_samples, self.as_list = num_samples, as_list
        self.single, self.gathers = 0, []

    def __len__(self):
        return self.num_samples

    def __getitem__(self, index):
        self.single += 1
        return int(index) * 2

    def __getitems__(self, indices):
        self.gathers.append([int(i) for i in indices])
        rows = np.asarray(indices) * 2
        return rows.tolist() if self.as_list else Tensor(rows)


class Single:
    """A dataset with `len` and `[]` alone."""

    def __init__(self, num_samples):
        self.num_samples, self.reads = num_samples, []

    def __len__(self):
        return self.num_samples

    def __getitem__(self, index):
        self.reads.append(int(index))
        return int(index) * 2


def as_list(samples):
    return list(samples)


def numbers_of(batch):
    """The numbers of a batch, a Tensor or a list."""
    return np.ravel(batch.data if isinstance(batch, Tensor) else batch).tolist()


@pytest.mark.contract("test_load_batch")
def test_one_gather_for_any_indices(tt, draw):
    n = int(draw.integers(6, 30))
    for _ in range(3):
        indices = draw.permutation(n)[: int(draw.integers(1, 6))]
        dataset = Gathering(n)
        batch = tt.load_batch(tt.DataLoader(dataset, batch_size=4), indices, None)
        expect(
            dataset.gathers == [indices.tolist()] and dataset.single == 0,
            "A dataset with `__getitems__` is asked once for a batch, with its indices.",
            call=f"load_batch(loader, {indices.tolist()}, key)",
            got=f"__getitems__ for {dataset.gathers}, {dataset.single} single reads",
            want=f"__getitems__ for [{indices.tolist()}], 0 single reads",
            look='hasattr(loader.dataset, "__getitems__")',
        )
        expect(
            isinstance(batch, Tensor) and numbers_of(batch) == (2 * indices).tolist(),
            "If `__getitems__` returns anything but a list, that is the finished batch.",
            call=f"load_batch(loader, {indices.tolist()}, key)",
            got=batch,
            want=(2 * indices).tolist(),
        )


@pytest.mark.contract("test_load_batch")
def test_a_dataset_without_gather_is_read_one_by_one(tt, draw):
    n = int(draw.integers(6, 30))
    indices = draw.permutation(n)[:4]
    dataset = Single(n)
    loader = tt.DataLoader(dataset, batch_size=4, collate_fn=as_list)
    got = tt.load_batch(loader, indices, EpochKey.of(0, 0))
    expect(
        got == (2 * indices).tolist() and dataset.reads == indices.tolist(),
        "A dataset without `__getitems__` is read one by one, as before.",
        call=f"load_batch(loader of a dataset with [] alone, {indices.tolist()}, key)",
        got=f"{got}, reads {dataset.reads}",
        want=f"{(2 * indices).tolist()}, reads {indices.tolist()}",
        look="load_one_by_one",
    )


@pytest.mark.contract("test_load_batch")
def test_a_batch_transform_comes_once_on_both_ways(tt, draw):
    n, key = int(draw.integers(6, 12)), EpochKey.of(int(draw.integers(99)), 1)
    indices = draw.permutation(n)[:4]
    seen = []

    def add_one(batch, key, indices):
        seen.append([int(i) for i in indices])
        seen.append(np.asarray(key.uniforms(indices, 1)).ravel().tolist())
        return [number + 1 for number in numbers_of(batch)]

    want = [indices.tolist(), key.uniforms(indices, 1).ravel().tolist()]
    for name, dataset, settings in (
        ("gathered", Gathering(n), {}),
        ("one by one", Single(n), {"collate_fn": as_list}),
    ):
        seen.clear()
        loader = tt.DataLoader(dataset, batch_size=4, batch_transform=add_one, **settings)
        got = tt.load_batch(loader, indices, key)
        expect(
            got == (2 * indices + 1).tolist(),
            "A batch goes through `batch_transform` once, however it was loaded.",
            call=f"load_batch(loader with batch_transform=add one, ...), {name}",
            got=got,
            want=(2 * indices + 1).tolist(),
            look="transform_batch comes last; load_one_by_one transforms its batch itself",
        )
        expect(
            seen == want,
            "A `batch_transform` gets the key and the indices of its batch.",
            call=f"load_batch(loader, {indices.tolist()}, key), {name}",
            got=seen,
            want=want,
            look="transform_batch(loader.batch_transform, batch, key, indices)",
        )


@pytest.mark.contract("test_load_batch")
def test_a_collate_fn_is_never_overruled(tt, draw):
    n = int(draw.integers(6, 12))
    indices = draw.permutation(n)[:3]
    for listed in (False, True):
        dataset = Gathering(n, listed)
        loader = tt.DataLoader(dataset, batch_size=4, collate_fn=as_list)
        got = tt.load_batch(loader, indices, EpochKey.of(0, 0))
        expect(
            got == (2 * indices).tolist() and dataset.gathers == [] and dataset.single == 3,
            "With a `collate_fn`, the samples are read one by one, and `collate_fn` collates them.",
            call=f"load_batch(loader with collate_fn=list, {indices.tolist()}, key)",
            got=f"{got}, {len(dataset.gathers)} gathers, {dataset.single} single reads",
            want=f"{(2 * indices).tolist()}, 0 gathers, 3 single reads",
            look="is collate_fn the one that makes the batch?",
        )

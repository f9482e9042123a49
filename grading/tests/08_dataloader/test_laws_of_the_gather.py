"""Hidden: a gathered batch is the batch that was collated sample by sample."""

import numpy as np
import pytest

from tinytorch.core.tensor import Tensor
from tinytorch.datasets import FOLDER, write_batch, write_synthetic_cifar10
from tinytorch.testing import expect, expect_raises

pytestmark = pytest.mark.contract("contract_gather")


def begun(tt):
    """Both exercises of the group are written; a loader without them works too, so some promises
    would be kept by doing nothing.
    """
    tt.load_batch(tt.DataLoader(tt.TensorDataset(Tensor(np.arange(2)))), [0], None)
    tt.gather_samples(tt.TensorDataset(Tensor(np.arange(2))), [0])


class Gathering:
    def __init__(self, num_samples):
        self.num_samples, self.single, self.gathers = num_samples, 0, []

    def __len__(self):
        return self.num_samples

    def __getitem__(self, index):
        self.single += 1
        return index, index * 2.0

    def __getitems__(self, indices):
        self.gathers.append([int(i) for i in indices])
        return [(int(i), int(i) * 2.0) for i in indices]


def tensors_of(draw, n):
    return [
        draw.integers(0, 200, (n, *shape)).astype(dtype)
        for shape, dtype in (((3,), "float32"), ((), "int64"), ((2, 2, 2), "uint8"))
    ]


def test_a_gather_is_the_rows_in_the_order_of_the_indices(tt, draw):
    begun(tt)
    n = int(draw.integers(5, 30))
    arrays = tensors_of(draw, n)
    dataset = tt.TensorDataset(*map(Tensor, arrays))
    for indices in (
        draw.integers(0, n, 7),
        np.arange(n),
        draw.permutation(n)[:3].tolist(),
        [n - 1],
    ):
        got = dataset.__getitems__(indices)
        right = (
            isinstance(got, tuple)
            and len(got) == 3
            and all(
                np.array_equal(part.data, a[np.asarray(indices)]) and part.data.dtype == a.dtype
                for part, a in zip(got, arrays, strict=True)
            )
        )
        expect(
            right,
            "Row k of every gathered tensor is row indices[k], dtype kept, also the third tensor.",
            call=f"dataset.__getitems__({list(indices)})",
            got=[(p.data.shape, str(p.data.dtype)) for p in got],
            want=[((len(indices), *a.shape[1:]), str(a.dtype)) for a in arrays],
            look="np.take(..., axis=0) for each tensor",
        )
    for bad in ([0, n], [-1], [0, -n], [n + 5]):
        expect_raises(
            IndexError,
            lambda: dataset.__getitems__(bad),
            "An index outside 0..N-1 is an IndexError, also a negative one.",
            call=f"dataset.__getitems__({bad}) of {n} samples",
        )


def test_gathered_epochs_equal_collated_ones(tt, draw):
    begun(tt)
    n, b, seed = int(draw.integers(5, 30)), int(draw.integers(1, 9)), int(draw.integers(100))
    arrays = tensors_of(draw, n)
    fast = tt.DataLoader(
        tt.TensorDataset(*map(Tensor, arrays)), batch_size=b, shuffle=True, seed=seed
    )
    rows = list(zip(*arrays, strict=True))
    slow = tt.DataLoader(rows, batch_size=b, shuffle=True, seed=seed)
    for epoch in range(2):
        gathered, collated = list(fast), list(slow)
        expect(
            len(gathered) == len(collated) == -(-n // b),
            "No batch is lost.",
            call=f"epoch {epoch}, {n} samples, batch_size={b}, seed={seed}",
            got=f"{len(gathered)} gathered, {len(collated)} collated",
            want=-(-n // b),
        )
        for got, want in zip(gathered, collated, strict=True):
            same = len(got) == len(want) == 3 and all(
                np.array_equal(x.data, y.data) and x.data.dtype == y.data.dtype
                for x, y in zip(got, want, strict=True)
            )
            expect(
                same,
                "A gathered batch equals the batch of the same samples collated one by one.",
                call=f"epoch {epoch}, {n} samples, batch_size={b}, seed={seed}",
            )
    expect(
        len(list(fast)) == len(fast) == -(-n // b),
        "No batch is lost.",
        call="len(list(loader))",
        got=len(fast),
        want=-(-n // b),
    )


def test_one_gather_for_each_batch_and_only_when_it_is_asked_for(tt, draw):
    begun(tt)
    n, b = int(draw.integers(6, 30)), int(draw.integers(2, 6))
    dataset = Gathering(n)
    seen = []
    for k, (ids, doubles) in enumerate(
        tt.DataLoader(dataset, batch_size=b, shuffle=True, drop_last=True)
    ):
        expect(
            len(dataset.gathers) == k + 1 and dataset.single == 0,
            "Each batch is one __getitems__, made when the batch is asked for.",
            call=f"batch {k} of {n} samples, batch_size={b}",
            got=f"{len(dataset.gathers)} gathers, {dataset.single} single reads",
            want=f"{k + 1} gathers, 0 single reads",
        )
        expect(
            ids.data.tolist() == dataset.gathers[k]
            and doubles.data.tolist() == [2.0 * i for i in dataset.gathers[k]],
            "A list of samples is collated, structure kept.",
            call=f"batch {k}",
        )
        seen += ids.data.tolist()
    expect(
        len(seen) == len(set(seen)) == n // b * b,
        "Every sample comes once, short batches dropped.",
        call="an epoch, shuffled, drop_last",
        got=f"{len(set(seen))} different of {len(seen)}",
        want=n // b * b,
    )


def test_a_dataset_without_gather_is_read_one_by_one(tt, draw):
    begun(tt)

    class Single:
        reads = []

        def __len__(self):
            return 5

        def __getitem__(self, index):
            self.reads.append(index)
            return index

    got = [batch.data.tolist() for batch in tt.DataLoader(Single(), batch_size=2)]
    expect(
        got == [[0, 1], [2, 3], [4]] and Single.reads == [0, 1, 2, 3, 4],
        "A dataset without __getitems__ is read as before.",
        call="an epoch over a dataset with [] alone",
        got=got,
        want=[[0, 1], [2, 3], [4]],
    )


def test_a_batch_transform_comes_last_on_both_ways(tt, draw):
    begun(tt)
    n, seen = int(draw.integers(4, 12)), []

    def negative(batch, key, indices):
        seen.append([int(i) for i in indices])
        return Tensor(-batch.data) if isinstance(batch, Tensor) else Tensor(-batch[0].data)

    for name, dataset in (
        ("gathered", tt.TensorDataset(Tensor(np.arange(n)))),
        ("one by one", list(range(n))),
    ):
        seen.clear()
        got = sum(
            (
                batch.data.tolist()
                for batch in tt.DataLoader(dataset, batch_size=3, batch_transform=negative)
            ),
            [],
        )
        expect(
            got == [-i for i in range(n)] and sum(seen, []) == list(range(n)),
            "A batch_transform gets every batch, with the numbers of its samples.",
            call=f"DataLoader(..., batch_transform=negative), {name}",
            got=got,
            want=[-i for i in range(n)],
            look="transform_batch comes last on both ways",
        )


def test_the_batch_version_of_an_augmentation_gives_what_the_samples_get(tt, draw, tmp_path):
    begun(tt)
    write_synthetic_cifar10(tmp_path, 5, 1)
    rows = draw.integers(1, 256, (10, 3072)).astype(np.uint8)
    write_batch(
        tmp_path / FOLDER / "test_batch",
        rows,
        list(range(10)),
        [f"{i}.png" for i in range(10)],
        "test",
    )
    seed = int(draw.integers(1000))
    transform = tt.Compose([tt.RandomHorizontalFlip(), tt.RandomCrop(32)])
    slow = tt.DataLoader(
        tt.CIFAR10Dataset(tmp_path, train=False, download=False, transform=transform),
        batch_size=4,
        shuffle=True,
        seed=seed,
    )
    memory = tt.TensorDataset(Tensor(rows.reshape(10, 3, 32, 32)), Tensor(np.arange(10)))
    fast = tt.DataLoader(
        memory, batch_size=4, shuffle=True, seed=seed, batch_transform=tt.BatchAugment()
    )
    batches, samples = list(fast), list(slow)
    for name, found in (("BatchAugment", batches), ("Compose", samples)):
        got = [len(y.data) for _, y in found]
        expect(
            got == [4, 4, 2],
            "Every image is in some batch.",
            call=f"images in each batch of 10 with {name}, batch_size=4",
            got=got,
            want=[4, 4, 2],
        )
    for (x, y), (want_x, want_y) in zip(batches, samples, strict=True):
        expect(
            np.array_equal(y.data, want_y.data) and np.array_equal(x.data, want_x.data),
            "One random number for a flip, then top and left for a crop: batch and sample agree.",
            call=f"BatchAugment() on a gathered loader against Compose on samples, seed={seed}",
            got="other images",
            want="the same images",
            look="transform_batch(loader.batch_transform, batch, key, indices)",
        )

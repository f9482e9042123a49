"""Hidden: laws of the datasets on inputs that are drawn anew each run (`draw`; the run prints
its seed).
"""

import numpy as np
import pytest

from tinytorch.core.tensor import Tensor
from tinytorch.testing import ReadLog, expect, expect_raises


@pytest.mark.contract("test_dataset_bodies")
def test_the_missing_method_is_named_for_every_class(tt):
    for stand_in in ((), {}, "text", 1.5):
        name = type(stand_in).__name__
        for method, arguments in (("__len__", ()), ("__getitem__", (3,))):
            if method == "__len__":
                expect_raises(
                    NotImplementedError,
                    lambda: tt.Dataset.__len__(stand_in),
                    "The body of `__len__` raises a `NotImplementedError` that names the"
                    " subclass and `__len__`.",
                    says=[name, method],
                    call=f"Dataset.__len__({stand_in!r})",
                    look="type(self).__name__ in the message",
                )
            else:
                expect_raises(
                    NotImplementedError,
                    lambda: tt.Dataset.__getitem__(stand_in, *arguments),
                    "The body of `__getitem__` raises a `NotImplementedError` that names the"
                    " subclass and `__getitem__`.",
                    says=[name, method],
                    call=f"Dataset.__getitem__({stand_in!r}, 3)",
                    look="type(self).__name__ in the message",
                )


@pytest.mark.contract("test_subset")
def test_a_subset_of_a_subset_looks_up_twice(tt, draw):
    items = draw.permutation(50).tolist()
    outer = draw.integers(0, 50, 8).tolist()  # with repetitions
    inner = draw.permutation(8)[:5].tolist()
    log = ReadLog(items)
    subset = tt.Subset(tt.Subset(log, outer), inner)
    got = [subset[i] for i in range(len(subset))]
    want = [items[outer[i]] for i in inner]
    expect(
        got == want,
        "`subset[i]` is `dataset[indices[i]]`; indices have any order and may repeat.",
        call=f"Subset(Subset(dataset, {outer}), {inner})",
        got=got,
        want=want,
        look="two look-ups, one after the other",
    )
    expect(
        len(log.reads) == 5,
        "Making a subset reads no sample; `subset[i]` reads its sample once, and no other.",
        call="reading all 5 samples",
        got=f"{len(log.reads)} reads",
        want="5 reads",
        look="one look-up in the dataset for each call",
    )
    for index in (5, -1):
        expect_raises(
            IndexError,
            lambda: subset[index],
            "An `i` outside 0..len-1 raises `IndexError` with the index and the size: `Index i"
            " out of range for dataset of size len`.",
            says=f"Index {index} out of range for dataset of size 5",
            call=f"subset[{index}] of 5 samples",
            look="check the index before you use it; negative ones too",
        )


@pytest.mark.contract("test_subset")
def test_a_random_split_and_its_parts_together_are_the_dataset(tt, draw):
    n = int(draw.integers(10, 30))
    cut = int(draw.integers(1, n))
    parts = tt.random_split(list(range(0, 3 * n, 3)), [cut, n - cut], seed=int(draw.integers(1000)))
    whole = tt.ConcatDataset(parts)
    got = [whole[i] for i in range(len(whole))]
    expect(
        sorted(got) == list(range(0, 3 * n, 3)),
        "`subset[i]` is `dataset[indices[i]]`; indices have any order and may repeat.",
        call=f"ConcatDataset(random_split(dataset of {n}, [{cut}, {n - cut}]))",
        got=got,
        want="every third number once",
        look="Subset: indices[i]",
    )


@pytest.mark.contract("test_tensor_dataset_init")
def test_one_short_tensor_anywhere_is_refused(tt, draw):
    n, wrong, count = (
        int(draw.integers(10, 90)),
        int(draw.integers(100, 199)),
        int(draw.integers(3, 6)),
    )
    for place in range(count):
        sizes = [wrong if k == place else n for k in range(count)]
        expect_raises(
            ValueError,
            lambda: tt.TensorDataset(*(Tensor(np.zeros((size, 2))) for size in sizes)),
            "If any two sizes differ, a `ValueError` says `All tensors must have same size in"
            " first dimension` and lists all sizes.",
            says=["All tensors must have same size in first dimension", str(n), str(wrong)],
            call=f"TensorDataset(of sizes {sizes})",
            look="compare all sizes, not two",
        )


@pytest.mark.contract("test_tensor_dataset_init")
def test_any_number_of_tensors_is_kept_in_order(tt, draw):
    for n in (0, int(draw.integers(1, 9))):  # no rows is not no tensors
        arrays = [draw.integers(0, 99, (n, k)) for k in range(1, int(draw.integers(4, 7)))]
        kept = tt.TensorDataset(*map(Tensor, arrays)).tensors
        expect(
            [part.data.tolist() for part in kept] == [array.tolist() for array in arrays],
            "`self.tensors` is a tuple of all tensors, in their order, each a Tensor.",
            call=f"TensorDataset({len(arrays)} tensors of {n} rows).tensors",
            got=[part.data.shape for part in kept],
            want=[array.shape for array in arrays],
            look="self.tensors; the case of no tensors is another one than that of no rows",
        )


@pytest.mark.contract("test_tensor_dataset_getitem")
def test_every_sample_is_the_row_of_every_tensor(tt, draw):
    n = int(draw.integers(3, 12))
    arrays = [
        draw.integers(0, 200, (n, *shape)).astype(dtype)
        for shape, dtype in (
            ((4,), "float32"),
            ((), "int64"),
            ((3, 2, 2), "uint8"),
            ((1,), "float64"),
            ((2,), "int16"),
        )
    ][: int(draw.integers(3, 6))]
    dataset = tt.TensorDataset(*map(Tensor, arrays))
    for i in range(n):
        sample = dataset[i]
        same = len(sample) == len(arrays) and all(
            isinstance(part, Tensor)
            and np.array_equal(part.data, a[i])
            and part.data.dtype == a.dtype
            for part, a in zip(sample, arrays, strict=True)
        )
        expect(
            same,
            "Part k of `ds[i]` is row i of tensor k.",
            call=f"dataset[{i}] of {len(arrays)} tensors",
            got=[(np.shape(p), str(getattr(p, "dtype", type(p).__name__))) for p in sample],
            want=[(a[i].shape, str(a.dtype)) for a in arrays],
            look="one part for each tensor, also the third",
        )


@pytest.mark.contract("test_tensor_dataset_getitem")
def test_every_index_outside_is_an_index_error(tt, draw):
    for n in (0, int(draw.integers(1, 40))):
        dataset = tt.TensorDataset(Tensor(np.arange(n)))
        expect(
            len(dataset) == n,
            "`len(ds)` is N, the size of dimension 0.",
            call=f"len(TensorDataset(a tensor of {n} rows))",
            got=len(dataset),
            want=n,
        )
        for index in (n, n + int(draw.integers(1, 100)), -1, -n - 1):
            expect_raises(
                IndexError,
                lambda: dataset[index],
                "An `i` outside 0..N-1 raises `IndexError`: `Index i out of range for dataset"
                " of size N`.",
                says=f"Index {index} out of range for dataset of size {n}",
                call=f"dataset[{index}] of {n} samples",
                look="negative ones too",
            )

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
            expect_raises(
                NotImplementedError,
                lambda: getattr(tt.Dataset, method)(stand_in, *arguments),
                "A missing method is named with the class that lacks it.",
                says=[name, method],
                call=f"Dataset.{method}({', '.join(map(repr, (stand_in, *arguments)))})",
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
        "A subset of a subset shows the samples of its samples, in its order.",
        call=f"Subset(Subset(dataset, {outer}), {inner})",
        got=got,
        want=want,
        look="two look-ups, one after the other",
    )
    expect(
        len(log.reads) == 5,
        "Only the samples that are asked for are read.",
        call="reading all 5 samples",
        got=f"{len(log.reads)} reads",
        want="5 reads",
    )
    for index in (5, -1):
        expect_raises(
            IndexError,
            lambda: subset[index],
            "An index outside a subset is an IndexError with index and size.",
            says=[str(index), "5"],
            call=f"subset[{index}]",
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
        "The parts of a split together hold every sample once.",
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
            "One tensor of another length is refused, wherever it stands.",
            says=["All tensors must have same size in first dimension", str(n), str(wrong)],
            call=f"TensorDataset(of sizes {sizes})",
            look="compare all sizes, not two",
        )


@pytest.mark.contract("test_tensor_dataset_init")
def test_any_number_of_tensors_is_kept_in_order(tt, draw):
    for n in (0, int(draw.integers(1, 9))):  # no rows is not no tensors
        arrays = [draw.integers(0, 99, (n, k)) for k in range(1, int(draw.integers(4, 7)))]
        kept = tt.TensorDataset(*map(Tensor, arrays)).tensors
        got = [part.data.tolist() for part in kept]
        expect(
            got == [array.tolist() for array in arrays],
            "All tensors are kept, in their order; tensors of no rows are tensors.",
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
            "Sample i is row i of every tensor, dtype kept.",
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
            "The length of a TensorDataset is the size of dimension 0.",
            call=f"len(TensorDataset(a tensor of {n} rows))",
            got=len(dataset),
            want=n,
        )
        for index in (n, n + int(draw.integers(1, 100)), -1, -n - 1):
            expect_raises(
                IndexError,
                lambda: dataset[index],
                "An index outside 0..N-1 is an IndexError with the index and the size.",
                says=f"Index {index} out of range for dataset of size {n}",
                call=f"dataset[{index}] of {n} samples",
                look="negative ones too",
            )

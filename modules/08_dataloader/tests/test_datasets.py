"""Promises of Dataset, Subset and TensorDataset. `tt` is your exported package."""

import numpy as np
import pytest

from tinytorch.core.tensor import Tensor
from tinytorch.testing import ReadLog, expect, expect_raises


@pytest.mark.contract("test_dataset_bodies")
def test_dataset_is_abstract_and_its_bodies_name_what_is_missing(tt):
    expect_raises(
        TypeError,
        lambda: tt.Dataset(),
        "Dataset is abstract: Dataset() is refused.",
        call="Dataset()",
    )
    # A careless subclass arrives in the base class's body through super(); a list
    # stands for it here.
    expect_raises(
        NotImplementedError,
        lambda: tt.Dataset.__len__([]),
        "The body of __len__ names the class and the missing method.",
        says=["list", "__len__"],
        call="Dataset.__len__([])",
        look="type(self).__name__ in the message",
    )
    expect_raises(
        NotImplementedError,
        lambda: tt.Dataset.__getitem__([], 0),
        "The body of __getitem__ names the class and the missing method.",
        says=["list", "__getitem__"],
        call="Dataset.__getitem__([], 0)",
        look="type(self).__name__ in the message",
    )


@pytest.mark.contract("test_subset")
def test_a_subset_shows_the_chosen_samples_and_reads_only_these(tt):
    log = ReadLog("abcdef")
    subset = tt.Subset(log, [4, 1])
    expect(
        len(subset) == 2 and log.reads == [],
        "A subset is as long as its indices, and making it reads nothing.",
        call='Subset("abcdef", [4, 1])',
        got=f"length {len(subset)}, reads {log.reads}",
        want="length 2, reads []",
        look="keep the indices, look the sample up later",
    )
    got = [subset[0], subset[1]]
    expect(
        got == ["e", "b"] and log.reads == [4, 1],
        "Sample i of a subset is sample indices[i], read when it is asked for.",
        call="[subset[0], subset[1]]",
        got=f"{got}, reads {log.reads}",
        want="['e', 'b'], reads [4, 1]",
        look="which list is indexed first?",
    )


@pytest.mark.contract("test_subset")
def test_an_index_outside_a_subset_is_an_index_error(tt):
    subset = tt.Subset(list("abcdef"), [4, 1])
    for index in (2, -1):
        expect_raises(
            IndexError,
            lambda: subset[index],
            "An index outside a subset is an IndexError with the index and the size.",
            says=[str(index), "size 2"],
            call=f'Subset("abcdef", [4, 1])[{index}]',
            look="check the index before you use it; negative ones too",
        )


@pytest.mark.contract("test_subset")
def test_datasets_of_datasets_fit_into_each_other(tt):
    numbers = list(range(0, 100, 10))
    train, validation = tt.random_split(numbers, [7, 3], seed=0)
    values = sorted(half[i] for half in (train, validation) for i in range(len(half)))
    expect(
        values == numbers,
        "The parts of a random split hold every sample once.",
        call="random_split(list of 10, [7, 3], seed=0)",
        got=values,
        want=numbers,
        look="Subset.__getitem__",
    )
    both = tt.ConcatDataset([train, validation])
    expect(
        len(both) == 10,
        "Datasets put one after the other have all their samples.",
        call="len(ConcatDataset([train, validation]))",
        got=len(both),
        want=10,
    )
    log = ReadLog(range(100, 110))
    cached = tt.CachedDataset(tt.Subset(log, [3, 5]))
    seen = [cached[0], cached[0], cached[1]]
    expect(
        seen == [103, 103, 105] and log.reads == [3, 5],
        "A cached dataset reads each sample once.",
        call="cached[0], cached[0], cached[1]",
        got=f"{seen}, reads {log.reads}",
        want="[103, 103, 105], reads [3, 5]",
        look="Subset.__getitem__",
    )


@pytest.mark.contract("test_tensor_dataset_init")
def test_every_tensor_is_kept(tt):
    x, y, weight = np.zeros((5, 2), np.float32), np.arange(5), np.ones(5)
    kept = tt.TensorDataset(Tensor(x), y, weight).tensors
    got = [f"{type(part).__name__} {part.data.shape}" for part in kept]
    want = ["Tensor (5, 2)", "Tensor (5,)", "Tensor (5,)"]
    expect(
        isinstance(kept, tuple) and got == want,
        "Every tensor is kept in self.tensors, also the third; arrays are wrapped.",
        call="TensorDataset(tensor, array, array).tensors",
        got=got,
        want=want,
        look="the star in *tensors: how many may there be?",
    )


@pytest.mark.contract("test_tensor_dataset_init")
def test_tensors_of_unequal_length_are_refused_with_the_sizes(tt):
    features, labels = Tensor(np.zeros((100, 10))), Tensor(np.zeros(90))
    expect_raises(
        ValueError,
        lambda: tt.TensorDataset(features, labels),
        "Tensors of unequal length are refused, and the message shows the sizes.",
        says=["All tensors must have same size in first dimension", "100", "90"],
        call="TensorDataset(100 features, 90 labels)",
        look="compare the first dimensions before you store the tensors",
    )


@pytest.mark.contract("test_tensor_dataset_init")
def test_no_tensors_are_refused(tt):
    got = len(tt.TensorDataset(Tensor(np.zeros((3, 2)))).tensors)
    expect(
        got == 1,
        "One tensor is enough.",
        call="len(TensorDataset(tensor).tensors)",
        got=got,
        want=1,
    )
    expect_raises(
        ValueError,
        lambda: tt.TensorDataset(),
        "A TensorDataset of no tensors is refused.",
        call="TensorDataset()",
        look="the case of no tensors",
    )


@pytest.mark.contract("test_tensor_dataset_getitem")
def test_a_sample_is_a_tuple_of_aligned_tensors(tt):
    features, labels = np.array([[1, 2, 3], [4, 5, 6]], np.float32), np.array([0, 1])
    sample = tt.TensorDataset(Tensor(features), Tensor(labels))[1]
    expect(
        isinstance(sample, tuple) and len(sample) == 2,
        "A sample is a tuple with one part for each tensor.",
        call="TensorDataset(features, labels)[1]",
        got=sample,
        want="(row 1 of features, row 1 of labels)",
        look="what does __getitem__ return?",
    )
    expect(
        all(isinstance(part, Tensor) for part in sample),
        "Every part of a sample is a Tensor.",
        call="dataset[1]",
        got=[type(part).__name__ for part in sample],
        want=["Tensor", "Tensor"],
    )
    rows = [part.data.tolist() for part in sample]
    expect(
        rows == [[4, 5, 6], 1],
        "Sample i is row i of every tensor.",
        call="dataset[1]",
        got=rows,
        want=[[4, 5, 6], 1],
        look="the index of each tensor",
    )


@pytest.mark.contract("test_tensor_dataset_getitem")
def test_a_dataset_is_as_long_as_its_first_dimension(tt):
    for n in (1, 3, 4):
        got = len(tt.TensorDataset(Tensor(np.zeros((n, 5))), Tensor(np.zeros(n))))
        expect(
            got == n,
            "The length of a TensorDataset is the size of dimension 0.",
            call=f"len(TensorDataset({n} features, {n} labels))",
            got=got,
            want=n,
            look="__len__",
        )


@pytest.mark.contract("test_tensor_dataset_getitem")
def test_a_tensor_dataset_keeps_every_dtype(tt):
    for dtype in ("uint8", "int64", "float64", "bool"):
        (part,) = tt.TensorDataset(Tensor(np.ones((3, 2), dtype)))[0]
        expect(
            str(part.data.dtype) == dtype,
            "A sample keeps the dtype of its tensor: bytes stay bytes, labels stay"
            " integers.",
            call=f"TensorDataset({dtype} tensor)[0][0].dtype",
            got=part.data.dtype,
            want=dtype,
            look="is there an astype, or a dtype=, on the way?",
        )


@pytest.mark.contract("test_tensor_dataset_getitem")
def test_an_index_outside_the_dataset_is_an_index_error(tt):
    dataset = tt.TensorDataset(Tensor(np.zeros((100, 2))))
    for index in (100, -1):
        expect_raises(
            IndexError,
            lambda: dataset[index],
            "An index outside 0..N-1 is an IndexError that says the index and the"
            " size.",
            says=f"Index {index} out of range for dataset of size 100",
            call=f"dataset[{index}]",
            look="check the index first; negative ones too",
        )

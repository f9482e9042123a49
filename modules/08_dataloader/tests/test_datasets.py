"""Promises of Dataset, Subset and TensorDataset. `tt` is your exported package."""

import numpy as np
import pytest

from tinytorch.core.tensor import Tensor
from tinytorch.testing import ReadLog, expect, expect_raises


def makes_of(tt, methods):
    """What making the class, or a subclass with these methods, raises."""
    body = {name: lambda self, *index: 0 for name in methods}
    kind = type("Photos", (tt.Dataset,), body) if methods else tt.Dataset
    try:
        kind()
    except TypeError:
        return "TypeError"
    return "no error"


@pytest.mark.contract("test_dataset_bodies")
def test_dataset_is_abstract(tt, inside):
    expect_raises(
        NotImplementedError,
        lambda: tt.Dataset.__len__({}),
        "The body of `__len__` raises a `NotImplementedError` that names the"
        " subclass and `__len__`.",
        says=["dict", "__len__"],
        call="Dataset.__len__({})",
        look="type(self).__name__ in the message",
    )
    for methods, call in (
        ([], "Dataset()"),
        (["__len__"], "Photos(), a subclass without __getitem__"),
        (["__getitem__"], "Photos(), a subclass without __len__"),
    ):
        got = inside(makes_of, methods)
        expect(
            got == "TypeError",
            "`Dataset()` raises `TypeError`, and so does a subclass without one of"
            " the two methods.",
            call=call,
            got=got,
            want="TypeError",
            look="keep @abstractmethod above both methods",
        )


# A careless subclass arrives in the base class's body through super(); a list stands
# for it here.


@pytest.mark.contract("test_dataset_bodies")
def test_the_body_of_len_names_what_is_missing(tt):
    expect_raises(
        NotImplementedError,
        lambda: tt.Dataset.__len__([]),
        "The body of `__len__` raises a `NotImplementedError` that names the"
        " subclass and `__len__`.",
        says=["list", "__len__"],
        call="Dataset.__len__([])",
        look="type(self).__name__ in the message",
    )


@pytest.mark.contract("test_dataset_bodies")
def test_the_body_of_getitem_names_what_is_missing(tt):
    expect_raises(
        NotImplementedError,
        lambda: tt.Dataset.__getitem__([], 0),
        "The body of `__getitem__` raises a `NotImplementedError` that names the"
        " subclass and `__getitem__`.",
        says=["list", "__getitem__"],
        call="Dataset.__getitem__([], 0)",
        look="type(self).__name__ in the message",
    )


@pytest.mark.contract("test_subset")
def test_a_subset_shows_the_chosen_samples_and_reads_only_these(tt):
    log = ReadLog("abcdef")
    subset = tt.Subset(log, [4, 1, 1])
    expect(
        len(subset) == 3,
        "`len(subset)` is the number of indices.",
        call='len(Subset("abcdef", [4, 1, 1]))',
        got=len(subset),
        want=3,
        look="is it the number of indices? does `__init__` keep each, also a repeated"
        " one?",
    )
    got = [subset[0], subset[1], subset[2]]
    expect(
        got == ["e", "b", "b"],
        "`subset[i]` is `dataset[indices[i]]`; indices have any order and may repeat.",
        call='[s[0], s[1], s[2]] of Subset("abcdef", [4, 1, 1])',
        got=got,
        want=["e", "b", "b"],
        look="does `__init__` keep the indices as given, in order, with repeats? and in"
        " __getitem__, which list is indexed first?",
    )
    expect(
        log.reads == [4, 1, 1],
        "Making a subset reads no sample; `subset[i]` reads its sample once, and no"
        " other.",
        call='[s[0], s[1], s[2]] of a new Subset("abcdef", [4, 1, 1])',
        got=f"samples {log.reads} were read",
        want="samples [4, 1, 1] were read",
        look="how often is the dataset asked, where, and for which samples?",
    )
    again = [subset[0], subset[1]]
    expect(
        again == ["e", "b"] and log.reads == [4, 1, 1, 4, 1],
        "Making a subset reads no sample; `subset[i]` reads its sample once, and no"
        " other.",
        call="s[0] and s[1] once more",
        got=f"{again}; samples {log.reads} were read",
        want="['e', 'b']; samples [4, 1, 1, 4, 1] were read",
        look="is a sample kept from the first time? the indices are all that is kept",
    )


@pytest.mark.contract("test_subset")
def test_an_index_outside_a_subset_is_an_index_error(tt):
    for indices in ([4, 1], [3], []):
        subset = tt.Subset(list("abcdef"), indices)
        for index in (len(indices), 5, -1):
            expect_raises(
                IndexError,
                lambda: subset[index],
                "An `i` outside 0..len-1 raises `IndexError` with the index and the"
                " size: `Index i out of range for dataset of size len`.",
                says=f"Index {index} out of range for dataset of size {len(indices)}",
                call=f'Subset("abcdef", {indices})[{index}]',
                look="check the index before you use it, also below 0: raise"
                " IndexError",
            )


def shown(problem):
    """An error as text."""
    words = str(problem).strip("'\"")
    return f"{type(problem).__name__}: {words}"


@pytest.mark.contract("test_subset")
def test_what_the_dataset_of_a_subset_raises_reaches_the_caller(tt):
    got = tt.Subset("abcdef", [4, 1])[0]
    expect(
        got == "e",
        "`subset[i]` is `dataset[indices[i]]`; indices have any order and may repeat.",
        call='Subset("abcdef", [4, 1])[0]',
        got=got,
        want="e",
        look="which list is indexed first?",
    )
    asked = []

    class Broken:
        def __len__(self):
            return 6

        def __getitem__(self, index):
            asked.append(int(index))
            raise problem

    for problem in (
        IndexError("photo 4.jpg is broken"),
        KeyError("label"),
        TypeError("no image"),
        OSError("disk full"),
    ):
        asked.clear()
        try:
            got = f"no error, but {tt.Subset(Broken(), [4, 1])[0]!r}"
        except Exception as reached:  # noqa: BLE001 - any error may be the wrong one
            got = shown(reached)
        expect(
            got == shown(problem) and asked == [4],
            "An error from the dataset reaches the caller unchanged, and the dataset"
            " is not asked again.",
            call=f"Subset(a dataset whose sample 4 raises {shown(problem)}, [4, 1])[0]",
            got=f"{got} after reads of {asked}",
            want=f"{shown(problem)} after reads of [4]",
            look="is there a try around the look-up? is the dataset asked more than"
            " once?",
        )


@pytest.mark.contract("test_subset")
def test_a_subset_hands_the_generator_on(tt):
    class Drawing:
        def __len__(self):
            return 6

        def __getitem__(self, index):
            return 10 * index

        def sample_with(self, index, rng):
            return index, rng

    rng = np.random.default_rng(0)
    inner = tt.Subset(Drawing(), [4, 1, 3])
    expect(
        inner[2] == 30,
        "`subset[i]` is `dataset[indices[i]]`; indices have any order and may repeat.",
        call="subset[2] of Subset(dataset of 0, 10, 20, ..., [4, 1, 3])",
        got=inner[2],
        want=30,
        look="which list is indexed first?",
    )
    for subset, index, want in ((inner, 2, 3), (tt.Subset(inner, [1, 0]), 1, 4)):
        number, received = subset.sample_with(index, rng)
        expect(
            number == want and received is rng,
            "The given `sample_with(i, rng)` asks the dataset for sample `indices[i]`"
            " with this `rng`.",
            call=f"subset.sample_with({index}, rng)",
            got=f"sample {number}, {'this' if received is rng else 'another'} rng",
            want=f"sample {want}, this rng",
            look="leave sample_with as it was given",
        )


@pytest.mark.contract("test_subset")
def test_datasets_of_datasets_fit_into_each_other(tt):
    numbers = list(range(0, 100, 10))
    train, validation = tt.random_split(numbers, [7, 3], seed=0)
    values = sorted(half[i] for half in (train, validation) for i in range(len(half)))
    expect(
        values == numbers,
        "`subset[i]` is `dataset[indices[i]]`; indices have any order and may repeat.",
        call="all samples of random_split(list of 10, [7, 3], seed=0), sorted",
        got=values,
        want=numbers,
        look="Subset.__getitem__: both parts of a split are Subsets",
    )
    both = tt.ConcatDataset([train, validation])
    expect(
        len(both) == 10,
        "`len(subset)` is the number of indices.",
        call="len(ConcatDataset([subset of 7, subset of 3]))",
        got=len(both),
        want=10,
        look="Subset.__len__",
    )


@pytest.mark.contract("test_tensor_dataset_init")
def test_every_tensor_is_kept(tt):
    x, y, weight = Tensor(np.zeros((5, 2), np.float32)), np.arange(5), np.ones(5)
    kept = tt.TensorDataset(x, y, weight).tensors
    got = [f"{type(part).__name__} {np.shape(part)}" for part in kept]
    want = ["Tensor (5, 2)", "Tensor (5,)", "Tensor (5,)"]
    expect(
        isinstance(kept, tuple) and got == want,
        "`self.tensors` is a tuple of all tensors, in their order, each a Tensor.",
        call="TensorDataset(tensor, array, array).tensors",
        got=f"{type(kept).__name__}: {', '.join(got)}",
        want=f"tuple: {', '.join(want)}",
        look="self.tensors: all that the given first line made, still as a tuple",
    )


def memory_of(tt, rows):
    """Whether each tensor that is kept shares its memory with what was passed."""
    import numpy as np

    from tinytorch.core.tensor import Tensor

    passed = [np.array(rows), np.array(rows), np.array(rows)]
    kept = tt.TensorDataset(Tensor(passed[0]), *passed[1:]).tensors
    return [
        bool(np.shares_memory(a.data, b)) for a, b in zip(kept, passed, strict=True)
    ]


@pytest.mark.contract("test_tensor_dataset_init")
def test_no_data_are_copied(inside):
    got = inside(memory_of, [[1.0, 2.0], [3.0, 4.0]])
    expect(
        got == [True, True, True],
        "No data are copied: each kept Tensor shares its memory with the data that"
        " you passed.",
        call="TensorDataset(tensor, array, array)",
        got=f"shared: {got}",
        want="shared: [True, True, True]",
        look="keep `tensors` as the first line made them",
    )


@pytest.mark.contract("test_tensor_dataset_init")
def test_tensors_of_unequal_length_are_refused_with_the_sizes(tt):
    for sizes in ([100, 90], [90, 100, 100], [100, 90, 100], [100, 100, 90], [100, 0]):
        expect_raises(
            ValueError,
            lambda: tt.TensorDataset(*(Tensor(np.zeros((size, 2))) for size in sizes)),
            "If any two sizes differ, a `ValueError` says `All tensors must have"
            " same size in first dimension` and lists all sizes.",
            says=[
                "All tensors must have same size in first dimension",
                *map(str, sizes),
            ],
            call=f"TensorDataset(*[Tensor(np.zeros((n, 2))) for n in {sizes}])",
            look="compare all sizes; raise ValueError(...) with the sentence and all"
            " sizes",
        )


@pytest.mark.contract("test_tensor_dataset_init")
def test_equal_sizes_are_fine(tt):
    for shapes in ([(3, 2)], [(3, 2), (3,), (3, 1, 2)], [(0, 2), (0,)], [(1,), (1, 1)]):
        got = len(
            tt.TensorDataset(*(Tensor(np.zeros(shape)) for shape in shapes)).tensors
        )
        expect(
            got == len(shapes),
            "Equal sizes are accepted: one tensor, tensors of different shapes,"
            " tensors with 0 rows.",
            call=f"len(TensorDataset(tensors of the shapes {shapes}).tensors)",
            got=got,
            want=len(shapes),
            look="only dimension 0 is compared; no rows is not no tensors",
        )


@pytest.mark.contract("test_tensor_dataset_init")
def test_no_tensors_are_refused(tt):
    got = len(tt.TensorDataset(Tensor(np.zeros((3, 2)))).tensors)
    expect(
        got == 1,
        "Equal sizes are accepted: one tensor, tensors of different shapes, tensors"
        " with 0 rows.",
        call="len(TensorDataset(a tensor of 3 rows).tensors)",
        got=got,
        want=1,
        look="which of your checks refuses it?",
    )
    expect_raises(
        ValueError,
        lambda: tt.TensorDataset(),
        "A call without tensors raises `ValueError`.",
        call="TensorDataset()",
        look="if there are no tensors, raise ValueError(...) before you compare sizes",
    )


@pytest.mark.contract("test_tensor_dataset_getitem")
def test_a_sample_is_a_tuple_of_aligned_tensors(tt):
    features, labels = np.array([[1, 2, 3], [4, 5, 6]], np.float32), np.array([7, 8])
    dataset = tt.TensorDataset(Tensor(features), Tensor(labels), Tensor(labels * 10))
    sample = dataset[1]
    expect(
        isinstance(sample, tuple)
        and len(sample) == 3
        and all(isinstance(part, Tensor) for part in sample),
        "`ds[i]` is a tuple with one Tensor for every tensor.",
        call="TensorDataset(features, labels, weights)[1]",
        got=f"{type(sample).__name__} of {[type(part).__name__ for part in sample]}",
        want="tuple of ['Tensor', 'Tensor', 'Tensor']",
        look="what does __getitem__ put around the rows? each row is wrapped again",
    )
    for i, want in ((1, [[4, 5, 6], 8, 80]), (0, [[1, 2, 3], 7, 70])):
        got = [part.data.tolist() for part in dataset[i]]
        expect(
            got == want,
            "Part k of `ds[i]` is row i of tensor k.",
            call=f"dataset[{i}]",
            got=got,
            want=want,
            look="row i of each tensor, in the order of self.tensors",
        )


@pytest.mark.contract("test_tensor_dataset_getitem")
def test_a_dataset_is_as_long_as_its_first_dimension(tt):
    for n in (0, 1, 3, 4):
        got = len(tt.TensorDataset(Tensor(np.zeros((n, 5))), Tensor(np.zeros(n))))
        expect(
            got == n,
            "`len(ds)` is N, the size of dimension 0.",
            call=f"len(TensorDataset({n} features, {n} labels))",
            got=got,
            want=n,
            look="__len__: of a tensor, or of the tuple of tensors?",
        )


@pytest.mark.contract("test_tensor_dataset_getitem")
def test_a_tensor_dataset_keeps_every_dtype(tt):
    for dtype in ("uint8", "int32", "int64", "float32", "float64", "bool"):
        for shape in ((3, 2), (3,)):
            sample = tt.TensorDataset(Tensor(np.ones(shape, dtype)))[0]
            expect(
                isinstance(sample, tuple) and len(sample) == 1,
                "`ds[i]` is a tuple with one Tensor for every tensor.",
                call="TensorDataset(one tensor)[0]",
                got=type(sample).__name__,
                want="a tuple of 1 Tensor",
                look="is there a shortcut for one tensor? a tuple of one is a tuple",
            )
            (part,) = sample
            expect(
                str(part.data.dtype) == dtype,
                "The dtype is kept: integer labels stay integers, bytes stay bytes.",
                call=f"TensorDataset({dtype} tensor of shape {shape})[0][0].dtype",
                got=part.data.dtype,
                want=dtype,
                look="is there an astype, an .item() or a dtype= on the way?",
            )


@pytest.mark.contract("test_tensor_dataset_getitem")
def test_an_index_outside_the_dataset_is_an_index_error(tt):
    for n in (100, 1, 0):
        dataset = tt.TensorDataset(Tensor(np.zeros((n, 2))))
        for index in (n, n + 7, -1):
            expect_raises(
                IndexError,
                lambda: dataset[index],
                "An `i` outside 0..N-1 raises `IndexError`: `Index i out of range"
                " for dataset of size N`.",
                says=f"Index {index} out of range for dataset of size {n}",
                call=f"dataset[{index}] of {n} samples",
                look="check the index before you use it, also below 0: raise"
                " IndexError",
            )

"""Laws of exercise 2b, TensorDataset.__getitem__."""

import numpy as np

from tinytorch.core.tensor import Tensor
from tinytorch.laws import Case, law

KINDS = ("uint8", "int16", "int32", "int64", "float32", "float64", "bool")


def keeping(tt):
    """TensorDataset that keeps its tensors, whatever exercise 2a does with them."""
    from contextlib import suppress

    class Keeping(tt.TensorDataset):
        def __init__(self, *given):
            with suppress(Exception):
                super().__init__(*given)
            self.tensors = given

    return Keeping


def made(inside, *arrays):
    """A dataset of these arrays."""
    return inside(keeping)(*map(Tensor, arrays))


def shown(*arrays):
    """How a student would make it."""
    return f"TensorDataset({', '.join(f'{a.dtype} {a.shape}' for a in arrays)})"


def drawn(draw, n):
    """Arrays of n rows: one to five, of different shapes, numbers below 100."""
    shapes = (4,), (), (3, 2, 2), (1,), (2,)
    count = int(draw.integers(3, 6))
    for k in (1, 2, count):
        yield [draw.integers(0, 100, (n, *shape)) for shape in shapes[:k]]
    yield [draw.integers(0, 100, n)]


@law(1, "size of dimension 0", look="__len__: of a tensor, or of the tuple of tensors?")
def test_the_length_counts_the_rows(inside, draw):
    for n in (4, 3, 1, 0, int(draw.integers(5, 40))):
        for arrays in drawn(draw, n):
            call = f"len({shown(*arrays)})"
            yield call, lambda a=arrays: len(made(inside, *a)), n


@law(2, "one Tensor for every tensor", look="a tuple of rows, each one wrapped again")
def test_a_sample_is_a_tuple_of_tensors(inside, draw):
    def types(sample):
        if not isinstance(sample, (tuple, list)):
            return f"no tuple, but {type(sample).__name__}"
        return [type(sample).__name__, *(type(part).__name__ for part in sample)]

    n = int(draw.integers(2, 9))
    for arrays in drawn(draw, n):
        i = int(draw.integers(n))
        got = lambda a=arrays, i=i: types(made(inside, *a)[i])  # noqa: E731
        want = ["tuple", *["Tensor"] * len(arrays)]
        yield f"{shown(*arrays)}[{i}]: the types", got, want


@law(3, "row i of tensor k", look="row i of each tensor, in the order of self.tensors")
def test_a_sample_is_a_row_of_each_tensor(inside, draw):
    for n in (2, 1, int(draw.integers(5, 20))):
        for arrays in drawn(draw, n):
            dataset = made(inside, *arrays)
            for i in draw.permutation(n)[:4]:
                got = lambda ds=dataset, i=i: [np.asarray(x).tolist() for x in ds[i]]  # noqa: E731
                yield f"{shown(*arrays)}[{i}]", got, [a[i].tolist() for a in arrays]


@law(4, "dtype is kept", look="is there an astype, an .item(), a list or a division?")
def test_every_dtype_is_kept(inside, draw):
    for kind in KINDS:
        top = 2 if kind == "bool" else 100
        if kind == "int64":
            top = 2**60  # float64 has no room for such a number
        table = draw.integers(0, top, (3, 2)).astype(kind)
        if kind == "float64":
            table = table / 7  # and float32 none for this one
        arrays = [table, table[:, 1]]
        dataset, i = made(inside, *arrays), int(draw.integers(3))
        got = lambda ds=dataset, i=i: [(str(x.dtype), x.data.tolist()) for x in ds[i]]  # noqa: E731
        want = [(kind, array[i].tolist()) for array in arrays]
        yield f"{shown(*arrays)}[{i}]: dtype and numbers", got, want


@law(5, "Index i out of range", look="check i before you use it: is N wrong? is -1?")
def test_an_index_outside_is_refused(inside, draw):
    for n in (4, 1, 0, int(draw.integers(5, 40))):
        table = draw.integers(0, 100, (n, 2))
        dataset, call = made(inside, table), shown(table)
        for i in (n, -1, n + 1, n + int(draw.integers(2, 100)), -n, -n - 1):
            says = f"Index {i} out of range for dataset of size {n}"
            got = lambda ds=dataset, i=i: ds[i]  # noqa: E731
            yield Case(f"{call}[{i}]", got, says, raises=IndexError)
        if n:
            got = lambda ds=dataset, n=n: ds[n - 1][0].data.tolist()  # noqa: E731
            yield f"{call}[{n - 1}][0]", got, table[-1].tolist()

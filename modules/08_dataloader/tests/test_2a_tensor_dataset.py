"""Laws of exercise 2a, TensorDataset.__init__."""

import re
from collections import Counter

import numpy as np

from tinytorch.core.tensor import Tensor
from tinytorch.law_tools import raised_by
from tinytorch.laws import law

SENTENCE = "All tensors must have same size in first dimension"
AS_IT_IS = "keep what the given first line made: all of it, still as a tuple"


def with_both_methods(tt):
    """TensorDataset with the two methods that exercise 2b adds."""

    class Kept(tt.TensorDataset):
        def __len__(self):
            return len(self.tensors[0])

        def __getitem__(self, index):
            return self.tensors

    return Kept


def of_sizes(sizes):
    return [np.zeros((size, 2)) for size in sizes]


@law(1, "in their order", look=AS_IT_IS)
def test_every_tensor_is_kept(inside, draw):
    made = inside(with_both_methods)
    for count in (3, 2, int(draw.integers(4, 7))):
        arrays = [draw.integers(0, 100, 5).astype(t) for t in "fiBdhl?"[:count]]
        given = [Tensor(arrays[0]), *arrays[1:]]
        call = f"TensorDataset({', '.join(['a tensor'] + ['an array'] * (count - 1))})"
        kept = made(*given).tensors
        kinds = [type(kept).__name__, *(type(part).__name__ for part in kept)]
        yield f"{call}.tensors: the types", kinds, ["tuple", *["Tensor"] * count]
        got = [(str(part.dtype), part.data.tolist()) for part in kept]
        want = [(str(array.dtype), array.tolist()) for array in arrays]
        yield f"{call}.tensors: dtypes and numbers", got, want


def written_afterwards(tt, made, kind, numbers):
    """What a dataset keeps of zeros that become `numbers` after it is made."""
    import numpy as np

    from tinytorch.core.tensor import Tensor

    shape = len(numbers), 2
    arrays = np.zeros(shape, kind), np.zeros(shape, kind), np.zeros((9, 2), kind)[::3]
    kept = made(Tensor(arrays[0]), *arrays[1:]).tensors
    for array in arrays:
        array[:, 0] = numbers
    return [part.data[:, 0].tolist() for part in kept]


@law(2, "shares its memory", look="which line copies, or makes another dtype?")
def test_no_data_are_copied(inside, draw):
    made = inside(with_both_methods)
    for kind in ("float32", "float64", "uint8", "int64"):
        x = draw.integers(1, 200, 3).tolist()
        call = f"TensorDataset(Tensor(a), b, c[::3]) of zeros of {kind}; then a, b and"
        got = lambda kind=kind, x=x: inside(written_afterwards, made, kind, x)  # noqa: E731
        yield f"{call} c[::3] become {x}: what is kept", got, [x] * 3


@law(3, "without tensors", look="ask for no tensors before you compare the sizes")
def test_no_tensors_are_refused(inside, draw):
    made, n = inside(with_both_methods), int(draw.integers(4, 1000))
    got = lambda: raised_by(made).partition(":")[0]  # noqa: E731
    yield "TensorDataset()", got, "ValueError"
    call = f"len(TensorDataset(np.zeros(({n}, 2)), np.zeros(({n}, 2))).tensors)"
    yield call, lambda: len(made(*of_sizes([n, n])).tensors), 2


@law(4, "any two sizes differ", look="compare all sizes, and list each, equal ones too")
def test_unequal_sizes_are_refused(inside, draw):
    made = inside(with_both_methods)
    n, other = int(draw.integers(10, 90)), int(draw.integers(100, 199))
    count = int(draw.integers(4, 7))
    drawn = [[other if k == i else n for k in range(count)] for i in range(count)]
    fixed = [[5, 4], [4, 5, 5], [5, 4, 5], [5, 5, 4], [20, 10, 30], [7, 0], [1, 2]]
    for sizes in (*fixed, *drawn):
        call = f"TensorDataset(*[np.zeros((n, 2)) for n in {sizes}])"
        want = f"ValueError: {SENTENCE}, got sizes {sizes}"

        def holds(said, sizes=sizes):
            kind, _, message = said.partition(": ")
            listed = Counter(map(int, re.findall(r"\d+", message)))
            whole = SENTENCE.lower() in message.lower()
            return kind == "ValueError" and whole and not Counter(sizes) - listed

        yield call, lambda x=sizes: raised_by(lambda: made(*of_sizes(x))), want, holds
    got = raised_by(lambda: made(*of_sizes([n, n])))
    made_it = got.startswith("no error")
    call = f"TensorDataset(np.zeros(({n}, 2)), np.zeros(({n}, 2)))"
    yield call, got, "no error", made_it


@law(5, "Equal sizes", look="only dimension 0 is compared; no rows is not no tensors")
def test_equal_sizes_are_accepted(inside, draw):
    made = inside(with_both_methods)
    n, k = draw.integers(2, 9, 2).tolist()
    one_or_none = [(3, 2)], [(0,)], [(0, 2), (0,)], [(1,), (1, 1)]
    drawn = [(n,), (n, k), (n, k, k), (n, 1)]
    for shapes in (*one_or_none, [(3, 2), (3,), (3, 1, 2)], drawn):
        call = f"TensorDataset(*[np.zeros(shape) for shape in {shapes}]).tensors"
        arrays = [np.zeros(shape) for shape in shapes]
        got = lambda x=arrays: [np.shape(part) for part in made(*x).tensors]  # noqa: E731
        yield f"{call}: shapes", got, shapes

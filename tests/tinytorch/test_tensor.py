"""The values and dtypes of a Tensor, and how it works with NumPy."""

import operator
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from tinytorch.core.tensor import Tensor

LAW = settings(max_examples=60)
KINDS = "u1 i1 i4 i8 u8 f2 f4 f8 ?".split()
DTYPES = st.sampled_from([np.dtype(kind) for kind in KINDS])
ARRAYS = DTYPES.flatmap(
    lambda dtype: arrays(dtype, array_shapes(min_dims=0, max_dims=3, max_side=3))
)
ARITHMETIC = [operator.add, operator.sub, operator.mul, operator.truediv]
COMPARISONS = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]
BYTES = np.ones(2, np.uint8)


@LAW
@given(ARRAYS)
def test_an_array_keeps_its_dtype_its_values_and_its_memory(array):
    tensor = Tensor(array)
    assert tensor.data is array and tensor.numpy() is array
    for name in ("shape", "dtype", "ndim", "size", "nbytes"):
        assert getattr(tensor, name) == getattr(array, name)
    assert tensor.grad is None and tensor.requires_grad is False


@pytest.mark.parametrize("kind", KINDS)
def test_a_numpy_scalar_keeps_its_dtype_also_inside_a_list(kind):
    one = np.dtype(kind).type(1)
    for data in (one, [one, one], [Tensor(one)]):
        assert Tensor(data).dtype == np.dtype(kind)


@pytest.mark.parametrize(
    "data, dtype",
    [
        (1.5, np.float32),
        ([1.0, 2], np.float32),
        ([], np.float32),
        ([[1, 2], [3, 4]], np.int64),
        (7, np.int64),
        (range(3), np.int64),
        (True, np.bool_),
        ([False, True], np.bool_),
    ],
)
def test_python_numbers_become_float32_int64_and_bool(data, dtype):
    assert Tensor(data).dtype == dtype


@pytest.mark.parametrize(
    "make, error, says",
    [
        *(
            (lambda data=data: Tensor(data), TypeError, "floats, integers or booleans, got dtype")
            for data in ("cat", None, object(), [2**70], np.array(["a"]), 1j)
        ),
        (lambda: Tensor([[1, 2], [3]]), ValueError, "one length per level"),
        (lambda: Tensor([1], requires_grad=True), TypeError, "only floats .* got dtype int64"),
        (lambda: Tensor([1.0]) ** Tensor([2.0]), TypeError, "must be a number, got Tensor"),
        (lambda: bool(Tensor([1, 2])), ValueError, "ambiguous"),
        (lambda: len(Tensor(1)), TypeError, "unsized object"),
        (lambda: Tensor([1])[3], IndexError, "out of bounds"),
        (lambda: ["cat", "dog"][Tensor(1.0)], TypeError, "integer"),
    ],
)
def test_what_has_no_meaning_is_refused(make, error, says):
    with pytest.raises(error, match=says):
        make()


@pytest.mark.parametrize("operation", ARITHMETIC)
@pytest.mark.parametrize("number", [2, 2.5, True, np.float64(2.5), np.int64(2), np.array(2.5)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_number_takes_the_dtype_of_a_floating_tensor(operation, number, dtype):
    for shape in ((), (2,)):
        tensor = Tensor(np.full(shape, 3, dtype))
        for result, wanted in [
            (operation(tensor, number), operation(3.0, float(number))),
            (operation(number, tensor), operation(float(number), 3.0)),
        ]:
            assert isinstance(result, Tensor) and result.dtype == dtype
            np.testing.assert_allclose(result.data, np.full(shape, wanted), rtol=1e-6)


@pytest.mark.parametrize(
    "result, dtype",
    [
        (lambda: Tensor(BYTES) + 1, np.uint8),
        (lambda: Tensor(BYTES) * 0.5, np.float32),
        (lambda: Tensor(BYTES) / 255, np.float32),
        (lambda: 1 / Tensor([1, 2]), np.float32),
        (lambda: Tensor([1, 2]) / Tensor([1, 2]), np.float32),
        (lambda: Tensor([1, 2]) * Tensor([1.0, 2.0]), np.float32),
        (lambda: Tensor([1.0, 2.0]) - np.array([1, 2]), np.float32),
        (lambda: Tensor(np.ones(2)) * Tensor([1.0, 2.0]), np.float64),
        (lambda: Tensor([1, 2]).mean(), np.float32),
        (lambda: Tensor([True, False]).mean(), np.float32),
        (lambda: Tensor([1, 2]).exp(), np.float32),
        (lambda: Tensor([1, 2]).log(), np.float32),
        (lambda: Tensor([1.0, 2.0]) ** 2, np.float32),
        (lambda: Tensor([1.0, 2.0]).max() ** 0.5, np.float32),
        (lambda: Tensor([1.0, 3.0]).argmax(), np.int64),
        (lambda: Tensor([True, False]) + 1, np.int64),
    ],
)
def test_integers_join_floats_and_nothing_becomes_float64_by_itself(result, dtype):
    assert result().dtype == dtype


def test_no_precision_is_lost_and_the_mean_of_bytes_does_not_overflow():
    assert (Tensor(np.zeros(1)) + 0.1).item() == 0.1
    assert Tensor(np.full(1000, 255, np.uint8)).mean().item() == 255


@pytest.mark.parametrize("compare", COMPARISONS)
def test_comparisons_give_booleans_for_every_kind_of_partner(compare):
    tensor, row = Tensor([1, 2, 3]), np.array([3, 2, 1])
    for partner in (row, Tensor(row), row.tolist()):
        assert compare(tensor, partner).data.tolist() == compare(tensor.data, row).tolist()
    assert compare(row, tensor).data.tolist() == compare(row, tensor.data).tolist()
    assert compare(tensor, 2).dtype == np.bool_


def test_all_any_and_truth():
    found = Tensor([1, 2]) == [1, 3]
    assert (found.all(), found.any(), (Tensor([1, 2]) == [1, 2]).all()) == (False, True, True)
    assert not Tensor(0) and Tensor([2.0])
    one, other = Tensor([1]), Tensor([1])
    assert {one: "one", other: "other"}[other] == "other"  # keys are compared by identity


def test_length_indexing_and_iteration_follow_the_first_dimension():
    tensor = Tensor(np.arange(6, dtype=np.uint8).reshape(3, 2))
    assert len(tensor) == 3
    assert [row.data.tolist() for row in tensor] == [[0, 1], [2, 3], [4, 5]]
    assert all(isinstance(row, Tensor) and row.dtype == np.uint8 for row in tensor)
    assert tensor[Tensor([2, 0])].data.tolist() == [[4, 5], [0, 1]]
    assert tensor[tensor > 3].data.tolist() == [4, 5]
    assert tensor[1, 1].shape == ()


def test_a_scalar_tensor_is_a_python_number_where_one_is_needed():
    assert ["cat", "dog"][Tensor(1)] == "dog"
    assert (int(Tensor(3)), float(Tensor(0.5)), Tensor(np.uint8(9)).item()) == (3, 0.5, 9)


def test_reshape_and_transpose_take_numbers_or_a_tuple():
    tensor = Tensor(np.zeros((2, 3, 4)))
    assert tensor.reshape(4, 6).shape == tensor.reshape((4, -1)).shape == (4, 6)
    assert tensor.T.shape == tensor.transpose().shape == (4, 3, 2)
    assert tensor.transpose(0, -1, 1).shape == tensor.transpose((0, 2, 1)).shape == (2, 4, 3)


def test_numpy_sees_the_array():
    tensor = Tensor([[1.0, 2.0], [3.0, 4.0]])
    assert np.asarray(tensor).dtype == np.float32
    assert np.asarray(tensor, np.float64).dtype == np.float64
    assert np.array(tensor, copy=True) is not tensor.data
    assert (np.mean(tensor), np.sum(tensor, axis=0).tolist()) == (2.5, [4, 6])
    assert np.exp(tensor).dtype == np.float32
    both = [tensor, tensor]
    assert np.stack(both).shape == (2, 2, 2) and np.concatenate(both, axis=1).shape == (2, 4)
    assert isinstance(both[0], Tensor)
    np.testing.assert_array_equal(tensor, tensor.data)


@pytest.mark.parametrize("operation", [*ARITHMETIC, operator.matmul])
def test_an_array_on_the_left_gives_a_tensor(operation):
    array = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)
    result = operation(array, Tensor(array * 2))
    assert isinstance(result, Tensor)
    np.testing.assert_array_equal(result.data, operation(array, array * 2))


def test_a_tensor_survives_pickling():
    copy = pickle.loads(pickle.dumps(Tensor([1.0, 2.0], requires_grad=True)))
    assert (copy.data.tolist(), copy.requires_grad) == ([1, 2], True)


def test_repr_shows_values_shape_and_dtype_and_stays_short():
    assert repr(Tensor([[1, 2]])) == "Tensor([[1, 2]], shape=(1, 2), dtype=int64)"
    learned = repr(Tensor([1.0], requires_grad=True))
    assert learned == "Tensor([1.], shape=(1,), dtype=float32, requires_grad=True)"
    assert len(repr(Tensor(np.zeros((64, 32, 32))))) < 1000

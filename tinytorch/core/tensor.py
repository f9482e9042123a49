"""Tensor: an array that knows how it was computed.

Types: an array keeps its dtype (uint8 stays uint8, float64 stays float64); Python floats become
float32, ints int64, bools bool. In arithmetic a Python number takes the tensor's dtype, an integer
tensor takes the dtype of a float tensor, and dividing integers gives float32. So a float32 model
stays float32, whatever numbers it is combined with.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tinytorch.core.autograd import backward, record

_FROM_PYTHON = {"f": np.float32, "i": np.int64}

# This makes and frees one large array. Before it has seen such an array being freed, glibc returns
# the memory of every freed array to the kernel (mallopt(3), "dynamic mmap threshold"); afterwards
# it keeps the memory for the next result.
np.empty(32 * 2**20 - 2**13, np.uint8)


class Tensor:
    """An n-dimensional array with gradients.

    Args:
        data: an array (shared, not copied), a Tensor, a number, or nested lists of numbers. Lists
            of one level have the same length.
        requires_grad: with True, `result.backward()` adds d(result)/d(this) to `.grad`; for floats
            only.

    Attributes:
        data: the ndarray.
        grad: ndarray of the same shape and dtype, or None before the first backward.
        edges: how the value was computed; see `tinytorch.core.autograd`.

    Raises:
        TypeError: data is not numeric, or is not floating but requires_grad.
        ValueError: nested lists of unequal length.
    """

    __slots__ = ("data", "grad", "requires_grad", "edges", "__weakref__")
    __array_priority__ = 1000  # array + tensor is a Tensor: NumPy then calls our __radd__
    __hash__ = object.__hash__  # == compares elements; sets and dicts compare identity

    def __init__(self, data: Any, requires_grad: bool = False):
        if type(data) is not np.ndarray:
            data = _to_array(data)
        kind = data.dtype.kind
        if kind not in "fiub":
            raise TypeError(
                f"a Tensor holds floats, integers or booleans, got dtype {data.dtype}; convert the"
                " data to numbers first"
            )
        if requires_grad and kind != "f":
            raise TypeError(
                f"only floats have gradients, got dtype {data.dtype}; use"
                " Tensor(...).astype('float32') first"
            )
        self.data = data
        self.grad: np.ndarray | None = None
        self.requires_grad = requires_grad
        self.edges = ()

    # Attributes and conversions

    shape = property(lambda self: self.data.shape)
    dtype = property(lambda self: self.data.dtype)
    ndim = property(lambda self: self.data.ndim)
    size = property(lambda self: self.data.size, doc="Number of elements.")
    nbytes = property(lambda self: self.data.nbytes, doc="Bytes of the elements.")
    T = property(lambda self: self.transpose())

    def __len__(self) -> int:
        return len(self.data)

    def __iter__(self) -> Iterator[Tensor]:
        return (self[index] for index in range(len(self)))

    def __repr__(self) -> str:
        values = np.array2string(
            self.data, separator=", ", prefix="Tensor(", threshold=100, edgeitems=2
        )
        gradient = ", requires_grad=True" if self.requires_grad else ""
        return f"Tensor({values}, shape={self.shape}, dtype={self.dtype}{gradient})"

    def _repr_html_(self) -> str | None:
        """What a notebook shows: images as pictures; a large array as its shape, dtype and size
        above its values; None where `repr` is enough.
        """
        from tinytorch.notebook.batches import tensor_html

        return tensor_html(self)

    def __bool__(self) -> bool:
        return bool(self.data)

    def __int__(self) -> int:
        return int(self.data)

    def __float__(self) -> float:
        return float(self.data)

    def __index__(self) -> int:  # classes[label] works for a label of shape ()
        return self.data.__index__()

    def item(self) -> float | int | bool:
        """The only element, as a Python number."""
        return self.data.item()

    def numpy(self) -> np.ndarray:
        """The array itself, not a copy."""
        return self.data

    def detach(self) -> Tensor:
        """The same data, cut off from the graph."""
        return Tensor(self.data)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.data, dtype=dtype, copy=copy)

    def __dlpack__(self, **options: Any) -> Any:
        """The memory itself, for `torch.as_tensor`, `torch.from_dlpack`, `jax.dlpack.from_dlpack`
        and others. It is a copy where they would refuse the memory: read-only, in another order of
        bytes, or with negative strides, which end a process of PyTorch.
        """
        data = self.data
        if not (data.flags.writeable and data.dtype.isnative and min(data.strides, default=0) >= 0):
            data = np.array(data, data.dtype.newbyteorder("="), order="C")
        return data.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.data.__dlpack_device__()

    def __array_function__(self, function: Any, types: Any, args: tuple, kwargs: dict) -> Any:
        """Call a NumPy function with arrays in place of Tensors: `np.mean(tensor)` gives a NumPy
        number that is not part of the graph.
        """
        return function(*_arrays(args), **{name: _arrays(value) for name, value in kwargs.items()})

    # Arithmetic, with broadcasting

    def __add__(self, other: Any) -> Tensor:
        a, b = _pair(self, other)
        return record(Tensor(a.data + b.data), (a, lambda g: g), (b, lambda g: g))

    def __sub__(self, other: Any) -> Tensor:
        a, b = _pair(self, other)
        return record(Tensor(a.data - b.data), (a, lambda g: g), (b, lambda g: -g))

    def __mul__(self, other: Any) -> Tensor:
        a, b = _pair(self, other)
        return record(Tensor(a.data * b.data), (a, lambda g: g * b.data), (b, lambda g: g * a.data))

    def __truediv__(self, other: Any) -> Tensor:
        a, b = _pair(self, other)
        a, b = a.as_float(), b.as_float()
        return record(
            Tensor(a.data / b.data),
            (a, lambda g: g / b.data),
            (b, lambda g: -g * a.data / b.data**2),
        )

    def __pow__(self, exponent: float) -> Tensor:
        if np.ndim(exponent) or isinstance(exponent, Tensor):
            raise TypeError(
                f"the exponent must be a number, got {type(exponent).__name__}; for two tensors use"
                " (b * a.log()).exp()"
            )
        a, n = _pair(self, exponent)
        return record(Tensor(a.data**n.data), (a, lambda g: g * n.data * a.data ** (n.data - 1)))

    def __matmul__(self, other: Any) -> Tensor:
        a, b = _pair(self, other)
        if a.ndim == 1:
            return (a[None] @ b)[..., 0, :] if b.ndim > 1 else (a[None] @ b[:, None])[0, 0]
        if b.ndim == 1:
            return (a @ b[:, None])[..., 0]
        return record(
            Tensor(a.data @ b.data),
            (a, lambda g: g @ b.data.swapaxes(-1, -2)),
            (b, lambda g: a.data.swapaxes(-1, -2) @ g),
        )

    def __neg__(self) -> Tensor:
        return record(Tensor(-self.data), (self, lambda g: -g))

    __radd__, __rmul__ = __add__, __mul__

    def __rsub__(self, other: Any) -> Tensor:
        return _pair(other, self)[0] - self

    def __rtruediv__(self, other: Any) -> Tensor:
        return _pair(other, self)[0] / self

    def __rmatmul__(self, other: Any) -> Tensor:
        return Tensor(other) @ self

    def exp(self) -> Tensor:
        result = np.exp(self.as_float().data)
        return record(Tensor(result), (self, lambda g: g * result))

    def log(self) -> Tensor:
        """Natural logarithm."""
        return record(Tensor(np.log(self.as_float().data)), (self, lambda g: g / self.data))

    def astype(self, dtype: Any) -> Tensor:
        """The values as `dtype`; the data are shared when they have that dtype already. Only a
        conversion between float types passes gradients on.
        """
        result = Tensor(self.data.astype(dtype, copy=False))
        return record(result, (self, lambda g: g)) if result.dtype.kind == "f" else result

    def as_float(self) -> Tensor:
        """Itself when it is floating, else its values as float32."""
        return self if self.dtype.kind == "f" else self.astype(np.float32)

    # Comparisons give booleans, without gradient

    def __eq__(self, other: Any) -> Tensor:  # type: ignore[override]  # of each element
        return Tensor(np.equal(self.data, _arrays(other)))

    def __ne__(self, other: Any) -> Tensor:  # type: ignore[override]
        return Tensor(np.not_equal(self.data, _arrays(other)))

    def __lt__(self, other: Any) -> Tensor:
        return Tensor(np.less(self.data, _arrays(other)))

    def __le__(self, other: Any) -> Tensor:
        return Tensor(np.less_equal(self.data, _arrays(other)))

    def __gt__(self, other: Any) -> Tensor:
        return Tensor(np.greater(self.data, _arrays(other)))

    def __ge__(self, other: Any) -> Tensor:
        return Tensor(np.greater_equal(self.data, _arrays(other)))

    def all(self) -> bool:
        return bool(self.data.all())

    def any(self) -> bool:
        return bool(self.data.any())

    # Reductions over `axis` (an int, a tuple, or None for all)

    def sum(self, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Tensor:
        expand = _expander(self, axis, keepdims)
        return record(Tensor(self.data.sum(axis=axis, keepdims=keepdims)), (self, expand))

    def mean(self, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Tensor:
        """The mean; of integers or booleans as float32."""
        expand = _expander(self, axis, keepdims)
        result = self.data.mean(axis=axis, keepdims=keepdims)
        if self.dtype.kind != "f":  # NumPy computes this mean in float64, so sums are exact
            result = result.astype(np.float32)
        return record(Tensor(result), (self, lambda g: expand(g) * (np.size(result) / self.size)))

    def max(self, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Tensor:
        """The largest element; equal largest ones share the gradient evenly."""
        expand = _expander(self, axis, keepdims)
        result = self.data.max(axis=axis, keepdims=keepdims)

        def pull(g: np.ndarray) -> np.ndarray:
            largest = self.data == expand(result)
            return expand(g) * largest / largest.sum(axis=axis, keepdims=True)

        return record(Tensor(result), (self, pull))

    def argmax(self, axis: int | None = None) -> Tensor:
        """int64 index of the first largest element; no gradient."""
        return Tensor(self.data.argmax(axis=axis).astype(np.int64))

    # Shapes

    def reshape(self, *shape: int) -> Tensor:
        """The same elements in another shape: `t.reshape(2, -1)` or `t.reshape((2, -1))`."""
        return record(Tensor(self.data.reshape(*shape)), (self, lambda g: g.reshape(self.shape)))

    def transpose(self, *axes: int) -> Tensor:
        """The axes in the given order, reversed without arguments."""
        order: Any = axes[0] if len(axes) == 1 and np.ndim(axes[0]) else axes
        order = [axis % self.ndim for axis in order or reversed(range(self.ndim))]
        return record(
            Tensor(self.data.transpose(order)), (self, lambda g: g.transpose(np.argsort(order)))
        )

    def pad(self, widths: Any) -> Tensor:
        """Zeros around the elements; `widths` is (before, after) for each axis, as in `np.pad`."""
        inner = tuple(
            slice(before, before + size)
            for (before, _), size in zip(widths, self.shape, strict=True)
        )
        return record(Tensor(np.pad(self.data, widths)), (self, lambda g: g[inner]))

    def __getitem__(self, key: Any) -> Tensor:
        key = _arrays(key)

        def pull(g: np.ndarray) -> np.ndarray:
            gradient = np.zeros_like(self.data)
            if _is_basic(key):
                gradient[key] = g
            else:
                # not `gradient[key] += g`, which counts an index that is taken twice only once
                np.add.at(gradient, key, g)
            return gradient

        return record(Tensor(self.data[key]), (self, pull))

    def backward(self, gradient: Any = None) -> None:
        """Add d(this)/d(leaf) to `.grad` of every leaf with requires_grad.

        Args:
            gradient: d(loss)/d(this), of the same shape as this. It may be left out when this has
                one element; then it is 1.

        Raises:
            ValueError: nothing here requires a gradient, `gradient` is missing, or it has another
                shape.
        """
        if not self.requires_grad:
            raise ValueError(
                "backward needs a result that was made from a Tensor with requires_grad=True,"
                " and outside no_grad()"
            )
        if gradient is None:
            if self.size != 1:
                raise ValueError(
                    f"backward without a gradient needs one element, got shape {self.shape}; take"
                    " .sum() or .mean() first"
                )
            gradient = np.ones_like(self.data)
        gradient = np.asarray(_arrays(gradient), dtype=self.dtype)
        if gradient.shape != self.shape:
            raise ValueError(f"the gradient must have shape {self.shape}, got {gradient.shape}")
        backward(self, gradient)


def _to_array(data: Any) -> np.ndarray:
    """An ndarray; Python numbers become float32, int64 or bool, NumPy's keep their dtype."""
    if isinstance(data, Tensor):
        return data.data
    if isinstance(data, (np.ndarray, np.generic)):
        return np.asarray(data)
    try:
        array = np.asarray(data)
    except ValueError as problem:
        raise ValueError(
            f"nested lists need one length per level to become a Tensor: {problem}"
        ) from None
    if _has_numpy(data):
        return array
    return array.astype(_FROM_PYTHON.get(array.dtype.kind, array.dtype), copy=False)


def _has_numpy(data: Any) -> bool:
    return isinstance(data, (np.ndarray, np.generic, Tensor)) or (
        isinstance(data, (list, tuple)) and any(map(_has_numpy, data))
    )


def _arrays(value: Any) -> Any:
    """`value` with an array in place of each Tensor in it, also in lists, tuples and dicts."""
    if isinstance(value, Tensor):
        return value.data
    if type(value) in (list, tuple):
        return type(value)(_arrays(part) for part in value)
    if type(value) is dict:
        return {key: _arrays(part) for key, part in value.items()}
    return value


def _is_basic(key: Any) -> bool:
    """True for indexing that cannot select an element twice: integers, slices, None and `...`."""
    parts = key if isinstance(key, tuple) else (key,)
    return all(
        part is None or part is ... or isinstance(part, (int, np.integer, slice)) for part in parts
    )


def _pair(a: Any, b: Any) -> tuple[Tensor, Tensor]:
    """Both operands as Tensors; if one holds floats, both do. At least one is a Tensor already."""
    a, b = _operand(a, b), _operand(b, a)
    if a.dtype.kind == "f" and b.dtype.kind != "f":
        b = b.astype(a.dtype)
    elif b.dtype.kind == "f" and a.dtype.kind != "f":
        a = a.astype(b.dtype)
    return a, b


def _operand(value: Any, partner: Any) -> Tensor:
    if isinstance(value, Tensor):
        return value
    if np.ndim(value):
        return Tensor(value)
    number = Tensor(np.asarray(value).item())
    same_kind = (
        number.dtype.kind == partner.dtype.kind or number.dtype.kind + partner.dtype.kind == "iu"
    )
    return (
        Tensor(np.asarray(np.asarray(value).item(), dtype=partner.dtype)) if same_kind else number
    )


def _expander(tensor: Tensor, axis: int | tuple[int, ...] | None, keepdims: bool):
    """The function that repeats a reduced array along `axis`, as a view of `tensor`'s shape."""

    def expand(reduced: np.ndarray) -> np.ndarray:
        if axis is not None and not keepdims:
            reduced = np.expand_dims(reduced, axis)
        return np.broadcast_to(reduced, tensor.shape)

    return expand

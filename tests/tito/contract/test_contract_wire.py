"""Values and frames: values arrive unchanged at the other end of the pipe."""

import io
import pathlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from tinytorch.core.tensor import Tensor
from tito.contract import wire

DTYPES = st.one_of(
    arrays_of.scalar_dtypes(),
    arrays_of.unicode_string_dtypes(max_len=3),
    arrays_of.byte_string_dtypes(max_len=3),
)
ARRAYS = arrays_of.arrays(
    DTYPES, arrays_of.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3)
)
TENSORS = ARRAYS.filter(lambda array: array.dtype.kind in "biuf").map(Tensor)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=8),
    st.binary(max_size=8),
    st.just(slice(1, None, 2)),
    st.just(range(3)),
    st.sampled_from(
        [pathlib.Path("a/b"), np.dtype(">i4"), np.float32(1.5), np.int64(-7), np.bool_(True)]
    ),
)
VALUES = st.recursive(
    st.one_of(SCALARS, ARRAYS, TENSORS),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(st.one_of(st.text(max_size=3), st.integers()), inner, max_size=3),
    ),
    max_leaves=8,
)


def crossed(value):
    encode = wire.Encoder(None)
    tree = encode(value)
    stream = io.BytesIO(b"".join(wire.pack({"value": tree}, encode.blobs)))
    message, blobs = wire.unpack(lambda size: bytearray(stream.read(size)))
    return wire.Decoder(blobs, None, None, pathlib.Path)(message["value"])


def same(got, want):
    if type(got) is not type(want):
        return False
    if isinstance(want, (list, tuple)):
        return len(got) == len(want) and all(map(same, got, want))
    if isinstance(want, dict):
        return list(got) == list(want) and all(same(got[key], want[key]) for key in want)
    if isinstance(want, Tensor):
        return same(got.data, want.data)
    if isinstance(want, (np.ndarray, np.generic)):
        found, sent = ((one.dtype.str, one.shape, one.tobytes()) for one in (got, want))
        return found == sent
    # NaN is the same, and -0.0 is not 0.0
    return repr(got) == repr(want) if isinstance(want, float) else got == want


@settings(max_examples=150)
@given(VALUES)
def test_every_value_arrives_as_it_was(value):
    assert same(crossed(value), value)


def test_a_value_nested_too_deep_is_refused_by_the_sender():
    deep = []
    for _ in range(wire.MAX_DEPTH + 2):
        deep = [deep]
    with pytest.raises(TypeError, match="nested deeper"):
        crossed(deep)


def test_a_frame_that_is_too_large_is_refused_by_the_sender(monkeypatch):
    monkeypatch.setattr(wire, "MAX_FRAME_BYTES", 1000)
    with pytest.raises(wire.TooBig, match="larger than"):
        crossed(np.zeros(2000))
    with pytest.raises(wire.TooBig, match="larger than"):
        crossed([np.zeros(100), np.zeros(100)])

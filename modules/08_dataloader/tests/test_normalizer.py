"""Promises of Normalizer. `tt` is your exported package."""

import numpy as np
import pytest

from tinytorch.core.tensor import Tensor
from tinytorch.testing import expect, expect_raises


@pytest.mark.contract("test_normalizer_fit")
def test_the_statistics_are_one_number_per_channel(tt):
    images = np.zeros((4, 3, 2, 2), np.float32)
    images[:, 1], images[::2, 2] = 5, 8
    norm = tt.Normalizer()
    norm.fit(images)
    got = [np.asarray(norm.mean).tolist(), np.asarray(norm.std).tolist()]
    expect(
        got == [[0, 5, 4], [0, 0, 4]],
        "There is one mean and one std per channel: over all axes but axis 1.",
        call="Normalizer().fit(images of 3 channels)",
        got=got,
        want=[[0, 5, 4], [0, 0, 4]],
        look="axis=(0, 2, 3) for (N, C, H, W)",
    )


@pytest.mark.contract("test_normalizer_fit")
def test_a_table_has_one_mean_per_column(tt):
    norm = tt.Normalizer()
    norm.fit(Tensor(np.array([[1, 10], [3, 10]], np.float32)))
    got = [np.asarray(norm.mean).tolist(), np.asarray(norm.std).tolist()]
    expect(
        got == [[2, 10], [1, 0]],
        "A table (N, D) has one mean and one std per column.",
        call="fit(Tensor [[1, 10], [3, 10]])",
        got=got,
        want=[[2, 10], [1, 0]],
        look="axes_but_channel(x.ndim); np.std divides by N, not by N - 1",
    )


@pytest.mark.contract("test_normalizer_fit")
def test_fit_returns_the_normalizer(tt):
    got = getattr(tt.Normalizer().fit(np.array([[1.0], [3.0]])), "mean", None)
    expect(
        got is not None and np.asarray(got).tolist() == [2],
        "`fit` returns the Normalizer itself.",
        call="Normalizer().fit([[1], [3]]).mean",
        got=got,
        want=[2],
        look="return self",
    )


def fitted(tt, mean=2.0, std=0.5):
    """A Normalizer with these statistics. They come from your fit, so the data are
    many images of one pixel: most mistakes in fit do not matter here.
    """
    norm = tt.Normalizer()
    half = np.ones((2000, 1, 1, 1))
    norm.fit(np.concatenate([half * (mean - std), half * (mean + std)]))
    return norm


@pytest.mark.contract("test_normalizer_transform")
def test_fitted_once_applied_to_every_split(tt):
    data = np.array([1, 2, 3, 5], np.float32).reshape(4, 1, 1, 1)
    got = np.ravel(fitted(tt).transform(data)).tolist()
    expect(
        np.allclose(got, [-2, 0, 2, 6], rtol=1e-2, atol=1e-3),
        "`transform` is (data - mean) / (std + eps), per channel, with the fitted"
        " numbers.",
        call="fitted to mean 2 and std 0.5: transform([1, 2, 3, 5])",
        got=got,
        want=[-2, 0, 2, 6],
        look="transform must not compute a mean; divide by std, not by its square",
    )


@pytest.mark.contract("test_normalizer_transform")
def test_an_array_gives_a_float32_array_and_a_tensor_a_tensor(tt):
    norm = fitted(tt)
    for name, data in (
        ("uint8 array", np.ones((2, 1, 2, 2), np.uint8)),
        ("float64 array", np.ones((2, 1, 2, 2))),
        ("uint8 Tensor", Tensor(np.ones((2, 1, 2, 2), np.uint8))),
    ):
        got = norm.transform(data)
        kind = f"{type(got).__name__} of {getattr(got, 'dtype', None)}"
        want = f"{type(data).__name__} of float32"
        expect(
            kind == want,
            "A Tensor gives a Tensor, an array an array.",
            call=f"transform({name})",
            got=kind,
            want=want,
            look="like(data, ...); what becomes of uint8 minus float64?",
        )


@pytest.mark.contract("test_normalizer_transform")
def test_a_constant_channel_does_not_divide_by_zero(tt):
    got = fitted(tt, mean=7.0, std=0.0).transform(np.full((5, 1, 2, 2), 7.0))
    expect(
        got.size == 20 and np.isfinite(got).all() and not got.any(),
        "A constant channel becomes 0, not NaN.",
        call="fitted to all sevens: transform(all sevens)",
        got=got.ravel()[:3].tolist(),
        want=[0, 0, 0],
        look="std + eps",
    )


@pytest.mark.contract("test_normalizer_transform")
def test_transform_before_fit_says_so(tt):
    expect_raises(
        RuntimeError,
        lambda: tt.Normalizer().transform(np.zeros((2, 3))),
        "`transform` before `fit` is a `RuntimeError` that says to call fit.",
        says="fit",
        call="Normalizer().transform(data)",
        look="is self.mean still None?",
    )


@pytest.mark.contract("test_normalizer_fit_batches")
def test_fit_batches_gets_the_numbers_of_all_data(tt):
    data = np.arange(30, dtype=np.float32).reshape(10, 3) ** 2
    parts = tt.Normalizer()
    parts.fit_batches([data[:4], data[4:8], data[8:]])
    mean, std = data.mean(axis=0, dtype=np.float64), data.std(axis=0, dtype=np.float64)
    for name, got, want in (("mean", parts.mean, mean), ("std", parts.std, std)):
        got = np.asarray(got, float)
        expect(
            got.shape == (3,) and np.allclose(got, want, rtol=1e-6),
            "The std is that of all data, however they are cut.",
            call=f"fit_batches(batches of 4, 4 and 2).{name}",
            got=got.tolist(),
            want=want.tolist(),
            look="weight each batch by its size; the term with d squared",
        )


@pytest.mark.contract("test_normalizer_fit_batches")
def test_an_epoch_without_batches_is_refused(tt):
    norm = tt.Normalizer()
    norm.fit_batches([np.array([[1.0], [3.0]])])
    expect(
        np.ravel(norm.mean).tolist() == [2],
        "The mean is that of all data, although the last batch is shorter.",
        call="fit_batches([[[1], [3]]]).mean",
        got=norm.mean,
        want=[2],
    )
    expect_raises(
        ValueError,
        lambda: tt.Normalizer().fit_batches([]),
        "A loader without batches raises `ValueError`.",
        call="Normalizer().fit_batches([])",
    )

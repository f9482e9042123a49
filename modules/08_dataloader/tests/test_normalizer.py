"""Promises of Normalizer. `tt` is your exported package."""

import numpy as np
import pytest

from tinytorch.core.tensor import Tensor
from tinytorch.testing import expect, expect_raises

pytestmark = pytest.mark.contract("contract_normalizer")


def test_the_statistics_are_one_number_per_channel(tt):
    images = np.zeros((4, 3, 2, 2), np.float32)
    images[:, 1], images[::2, 2] = 5, 8
    norm = tt.Normalizer()
    norm.fit(images)
    got = [np.asarray(norm.mean).tolist(), np.asarray(norm.std).tolist()]
    expect(
        got == [[0, 5, 4], [0, 0, 4]],
        "mean and std are one number per channel, over all axes but axis 1.",
        call="Normalizer().fit(images of 3 channels)",
        got=got,
        want=[[0, 5, 4], [0, 0, 4]],
        look="axis=(0, 2, 3) for (N, C, H, W)",
    )


def test_the_result_is_float32_with_mean_0_and_std_1(tt):
    data = np.array([[1, 10], [3, 30]], np.float64)
    got = tt.Normalizer().fit_transform(data)
    expect(
        got.dtype == np.float32,
        "Normalised data is float32.",
        call="Normalizer().fit_transform(float64 data).dtype",
        got=got.dtype,
        want="float32",
    )
    expect(
        np.allclose(got, [[-1, -1], [1, 1]]),
        "Each feature of (N, D) gets mean 0 and std 1 (population, ddof=0).",
        call="fit_transform([[1, 10], [3, 30]])",
        got=got.tolist(),
        want=[[-1, -1], [1, 1]],
        look="np.std divides by N, not by N - 1",
    )


def test_fitted_once_applied_to_every_split(tt):
    norm = tt.Normalizer()
    norm.fit(np.array([[0.0], [2.0]]))
    got = norm.transform(Tensor(np.array([[1.0], [3.0]], np.float32)))
    expect(
        isinstance(got, Tensor),
        "A Tensor gives a Tensor.",
        call="norm.transform(Tensor)",
        got=type(got).__name__,
        want="Tensor",
        look="like(data, ...)",
    )
    expect(
        got.data.ravel().tolist() == [0, 2],
        "transform uses the statistics of fit, not those of its own data.",
        call="fit on [0, 2], transform [1, 3]",
        got=got.data.ravel().tolist(),
        want=[0, 2],
        look="transform must not compute a mean",
    )


def test_a_constant_channel_does_not_divide_by_zero(tt):
    got = tt.Normalizer().fit_transform(np.full((5, 2), 7.0))
    expect(
        np.isfinite(got).all() and not got.any(),
        "A constant channel becomes 0, not NaN.",
        call="Normalizer().fit_transform(all sevens)",
        got=got[0].tolist(),
        want=[0, 0],
        look="std + eps",
    )


def test_transform_before_fit_says_so(tt):
    expect_raises(
        RuntimeError,
        lambda: tt.Normalizer().transform(np.zeros((2, 3))),
        "transform before fit is an error that says to call fit.",
        says="fit",
        call="Normalizer().transform(data)",
        look="is self.mean still None?",
    )


def test_fit_batches_gets_the_same_numbers_in_one_pass(tt):
    data = np.arange(30, dtype=np.float32).reshape(10, 3) ** 2
    whole, parts = tt.Normalizer(), tt.Normalizer()
    whole.fit(data)
    parts.fit_batches([data[:4], data[4:8], data[8:]])
    close = np.allclose(parts.mean, whole.mean, rtol=1e-6) and np.allclose(
        parts.std, whole.std, rtol=1e-6
    )
    expect(
        np.shape(parts.mean) == np.shape(parts.std) == (3,) and close,
        "fit_batches gets what fit gets, to 1e-6, also with a short last batch.",
        call="fit_batches(batches of 4, 4 and 2)",
        got=f"mean {parts.mean}, std {parts.std}",
        want=f"mean {whole.mean}, std {whole.std}",
        look="weigh each batch by its size; the term with d squared",
    )

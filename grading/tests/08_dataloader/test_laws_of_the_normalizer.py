"""Hidden: Normalizer against NumPy in float64, on random data."""

import numpy as np
import pytest

from tinytorch.core.tensor import Tensor
from tinytorch.testing import expect, expect_raises

SHAPES = [(7, 4), (6, 3, 5, 2), (1, 2, 3, 3), (5, 2, 6)]


def oracle(data):
    axes = tuple(axis for axis in range(data.ndim) if axis != 1)
    return data.mean(axis=axes, dtype=np.float64), data.std(axis=axes, dtype=np.float64)


@pytest.mark.contract("test_normalizer_fit")
def test_fit_agrees_with_numpy_for_every_number_of_axes(tt, draw):
    for shape in SHAPES:
        for dtype in ("uint8", "float32", "float64"):
            data = draw.integers(0, 256, shape).astype(dtype)
            norm = tt.Normalizer()
            norm.fit(data if dtype != "float32" else Tensor(data))
            mean, std = oracle(data)
            got = np.asarray(norm.mean), np.asarray(norm.std)
            expect(
                got[0].shape == got[1].shape == (shape[1],),
                "There is one mean and one std per channel: over all axes but axis 1.",
                call=f"Normalizer().fit({dtype} {shape})",
                got=f"mean {got[0].shape}, std {got[1].shape}",
                want=f"({shape[1]},)",
                look="all axes but axis 1",
            )
            expect(
                np.allclose(got[0], mean, rtol=1e-6),
                "The mean is over all pixels of all images of a channel.",
                call=f"Normalizer().fit({dtype} {shape}).mean",
                got=got[0],
                want=mean,
                look="axes, and the dtype of the sums",
            )
            expect(
                np.allclose(got[1], std, rtol=1e-6, atol=1e-9),
                "The standard deviation divides by N, not by N - 1.",
                call=f"Normalizer().fit({dtype} {shape}).std",
                got=got[1],
                want=std,
                look="axes, ddof, and the dtype of the sums",
            )


@pytest.mark.contract("test_normalizer_fit")
def test_a_second_fit_forgets_the_first(tt, draw):
    norm = tt.Normalizer()
    for _ in range(2):
        data = draw.normal(draw.uniform(-9, 9), 2, (20, 3, 2, 2))
        norm.fit(data)
        got = np.asarray(norm.mean)
        expect(
            got.dtype == np.float64 and np.allclose(got, oracle(data)[0]),
            "A new fit replaces the mean and the std of the fit before.",
            call="norm.fit(first); norm.fit(second)",
            got=f"{got.dtype} {got}",
            want=f"float64 {oracle(data)[0]}",
        )


def small_images(means, stds):
    """Images (4000, C, 1, 1) with these statistics, of one pixel each: most mistakes in fit,
    which has tests of its own, do not matter here.
    """
    sign = np.repeat([1.0, -1.0], 2000)[:, None, None, None]
    along = (1, -1, 1, 1)
    return np.reshape(means, along) + sign * np.reshape(stds, along)


@pytest.mark.contract("test_normalizer_transform")
def test_another_split_is_shifted_by_the_training_statistics(tt, draw):
    # never near an integer, so that a mean of bytes is seen
    mean, std = float(draw.integers(-5, 5) + draw.uniform(0.3, 0.7)), float(draw.uniform(2, 4))
    norm = tt.Normalizer()
    norm.fit(small_images([mean], [std]))
    for kind, data in (
        ("float64", draw.normal(-2, 1, (5, 1, 3, 2))),
        ("float32", draw.normal(-2, 1, (5, 1, 3, 2)).astype(np.float32)),
        ("uint8", draw.integers(0, 256, (5, 1, 3, 2)).astype(np.uint8)),
    ):
        got = norm.transform(data)
        expect(
            got.dtype == np.float32 and got.shape == data.shape,
            "The result is float32, whatever dtype the data have.",
            call=f"norm.transform({kind} {data.shape})",
            got=f"{got.dtype} {got.shape}",
            want=f"float32 {data.shape}",
        )
        want = (data.astype(np.float64) - mean) / (std + 1e-8)
        expect(
            np.allclose(got, want, rtol=2e-3, atol=2e-3),
            "`transform` is (data - mean) / (std + eps), per channel, with the fitted numbers.",
            call=f"fit(train).transform({kind} test)",
            got=got.ravel()[:3].tolist(),
            want=want.ravel()[:3].tolist(),
            look="does transform compute statistics of its own?",
        )
    expect(
        np.allclose(norm.transform(data), got),
        "`transform` changes neither the data nor the statistics.",
        call="transform, twice",
        got="another result",
        want="the same result",
    )


@pytest.mark.contract("test_normalizer_transform")
def test_each_channel_has_its_own_shift_and_scale(tt, draw):
    means, stds = draw.uniform(-9, 9, 3), draw.uniform(1, 5, 3)
    norm = tt.Normalizer()
    norm.fit(small_images(means, stds))
    images = draw.normal(2, 4, (6, 3, 4, 4))
    got = norm.transform(images)
    want = (images - means.reshape(1, 3, 1, 1)) / stds.reshape(1, 3, 1, 1)
    expect(
        np.allclose(got, want, rtol=2e-3, atol=2e-3),
        "`transform` is (data - mean) / (std + eps), per channel, with the fitted numbers.",
        call=f"fitted to means {means}, stds {stds}: transform(images (6, 3, 4, 4))",
        got=got[0, :, 0, 0].tolist(),
        want=want[0, :, 0, 0].tolist(),
        look="self._along(self.mean, x)",
    )
    expect(
        np.allclose(norm.transform(images[2]), got[2], atol=1e-6),
        "One image (C, H, W) gives the same values as in a batch.",
        call="transform(images[2]) against transform(images)[2]",
        got="another result",
        want="the same result",
        look="self._along(self.mean, x)",
    )


@pytest.mark.contract("test_normalizer_transform")
def test_eps_is_there_and_tiny(tt, draw):
    constant = float(draw.integers(-9, 9))
    norm = tt.Normalizer()
    norm.fit(small_images([constant], [0.0]))
    got = norm.transform(np.full((2, 1, 2, 2), constant))
    expect(
        got.shape == (2, 1, 2, 2) and np.isfinite(got).all() and not got.any(),
        "A constant channel becomes 0, not NaN.",
        call="fitted to a constant: transform(the constant)",
        got=got.ravel()[:3].tolist(),
        want="zeros",
        look="std + eps",
    )
    norm = tt.Normalizer()
    norm.fit(small_images([0.0], [1e-3]))
    got = float(norm.transform(np.full((1, 1, 1, 1), 1e-3)).ravel()[0])
    expect(
        abs(got - 1) < 2e-3,
        "`eps` is the Normalizer's own, and it is added to the std.",
        call="fitted to std 0.001: transform([0.001])",
        got=f"{got:.4f}",
        want="1.0000",
        look="eps = 1e-8",
    )


@pytest.mark.contract("test_normalizer_fit_batches")
def test_fit_batches_agrees_to_1e_6_for_every_cut(tt, draw):
    for offset in (0, 1e6):  # far from 0, a sum of squares minus a squared sum loses its digits
        for shape in ((40, 3), (12, 3, 4, 2)):
            data = draw.normal(offset, 3, shape)
            # unequal batches, down to one sample
            cuts = np.sort(draw.permutation(np.arange(1, shape[0]))[:4])
            norm = tt.Normalizer()
            norm.fit_batches(np.split(data, cuts))
            mean, std = oracle(data)
            close = np.allclose(
                np.asarray(norm.mean, float), mean, rtol=1e-6, atol=1e-6
            ) and np.allclose(np.asarray(norm.std, float), std, rtol=1e-6)
            expect(
                close,
                "Both agree with `fit` to 1e-6, even if the mean is far from 0.",
                call=(
                    "fit_batches(batches of"
                    f" {np.diff([0, *cuts, shape[0]]).tolist()} around {offset:g})"
                ),
                got=f"mean {norm.mean}, std {norm.std}",
                want=f"mean {mean}, std {std}",
                look="merge counts, means and sums of squared differences",
            )


class Pairs:
    """Batches of (images, labels); it counts how often it is run through."""

    def __init__(self, parts):
        self.parts, self.epochs = parts, 0

    def __iter__(self):
        self.epochs += 1
        for images in self.parts:
            yield Tensor(images), Tensor(np.arange(len(images)))


@pytest.mark.contract("test_normalizer_fit_batches")
def test_fit_batches_passes_once_over_images_of_pairs(tt, draw):
    data = draw.integers(0, 256, (9, 3, 4, 4)).astype(np.uint8)
    loader, norm = Pairs(np.split(data, [4, 8])), tt.Normalizer()
    norm.fit_batches(loader)
    expect(
        loader.epochs == 1,
        "The loader is run through once.",
        call="fit_batches(loader)",
        got=f"{loader.epochs} passes",
        want="1 pass",
        look="compute the mean and S in the same loop",
    )
    got = np.asarray(norm.mean, float), np.asarray(norm.std, float)
    expect(
        np.allclose(got[0], oracle(data)[0]) and np.allclose(got[1], oracle(data)[1]),
        "A batch is the images alone, or a tuple (images, labels).",
        call="fit_batches(loader of pairs)",
        got=got[0],
        want=oracle(data)[0],
    )


@pytest.mark.contract("test_normalizer_fit_batches")
def test_fit_batches_returns_the_normalizer_and_refuses_nothing_else(tt, draw):
    data = draw.normal(3, 2, (6, 2))
    got = getattr(tt.Normalizer().fit_batches([data[:4], data[4:]]), "mean", None)
    expect(
        got is not None and np.shape(got) == (2,),
        "`fit_batches` returns the Normalizer itself.",
        call="Normalizer().fit_batches(two batches).mean",
        got=got,
        want=oracle(data)[0],
        look="return self",
    )
    expect_raises(
        ValueError,
        lambda: tt.Normalizer().fit_batches(Pairs([])),
        "A loader without batches raises `ValueError`.",
        call="Normalizer().fit_batches(a loader without batches)",
    )

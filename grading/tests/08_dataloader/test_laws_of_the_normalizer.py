"""Hidden: Normalizer against NumPy in float64, on random data."""

import numpy as np
import pytest

from tinytorch.core.tensor import Tensor
from tinytorch.testing import expect, expect_raises

pytestmark = pytest.mark.contract("contract_normalizer")

SHAPES = [(7, 4), (6, 3, 5, 2), (1, 2, 3, 3), (5, 2, 6)]


def oracle(data):
    axes = tuple(axis for axis in range(data.ndim) if axis != 1)
    return data.mean(axis=axes, dtype=np.float64), data.std(axis=axes, dtype=np.float64)


def along(values, data):
    return np.reshape(values, [-1 if axis == 1 else 1 for axis in range(data.ndim)])


def test_fit_agrees_with_numpy_for_every_number_of_axes(tt, draw):
    for shape in SHAPES:
        for dtype in ("uint8", "float32", "float64"):
            data = draw.integers(0, 256, shape).astype(dtype)
            norm = tt.Normalizer().fit(data if dtype != "float32" else Tensor(data))
            mean, std = oracle(data)
            got = np.asarray(norm.mean), np.asarray(norm.std)
            expect(
                got[0].shape == got[1].shape == (shape[1],),
                "There is one mean and one std per channel.",
                call=f"Normalizer().fit({dtype} {shape})",
                got=f"mean {got[0].shape}, std {got[1].shape}",
                want=f"({shape[1]},)",
                look="all axes but axis 1",
            )
            expect(
                np.allclose(got[0], mean, rtol=1e-6)
                and np.allclose(got[1], std, rtol=1e-6, atol=1e-9),
                "mean and std are NumPy's over all axes but axis 1 (population, ddof=0).",
                call=f"Normalizer().fit({dtype} {shape})",
                got=f"mean {got[0]}, std {got[1]}",
                want=f"mean {mean}, std {std}",
                look="axes, ddof, and the dtype of the sums",
            )


def test_another_split_is_shifted_by_the_training_statistics(tt, draw):
    for shape in SHAPES[:2]:
        train, test = draw.normal(5, 3, shape), draw.normal(-2, 1, shape)
        norm = tt.Normalizer().fit(train)
        mean, std = oracle(train)
        for kind, data in (
            ("float64", test),
            ("float32", test.astype(np.float32)),
            ("uint8", draw.integers(0, 256, shape).astype(np.uint8)),
        ):
            got = norm.transform(data)
            expect(
                got.dtype == np.float32 and got.shape == shape,
                "The result is float32, of the same shape.",
                call=f"norm.transform({kind} {shape})",
                got=f"{got.dtype} {got.shape}",
                want=f"float32 {shape}",
            )
            want = (data.astype(np.float64) - along(mean, data)) / (along(std, data) + 1e-8)
            expect(
                np.allclose(got, want, rtol=1e-4, atol=1e-4),
                "Every split is shifted and scaled by the statistics of the training data.",
                call=f"fit(train).transform({kind} test)",
                got=got.ravel()[:3].tolist(),
                want=want.ravel()[:3].tolist(),
                look="does transform compute statistics of its own?",
            )
        second = norm.transform(test)
        expect(
            np.array_equal(second, norm.transform(test)),
            "transform changes no statistics.",
            call="transform, twice",
        )


def test_one_image_is_normalised_by_its_channels(tt, draw):
    images = draw.normal(2, 4, (6, 3, 4, 4))
    norm = tt.Normalizer().fit(images)
    one, all_of_them = norm.transform(images[2]), norm.transform(images)
    expect(
        np.allclose(one, all_of_them[2], atol=1e-6),
        "One image (C, H, W) is treated as in its batch.",
        call="transform(images[2]) against transform(images)[2]",
    )


def test_constant_channels_are_finite_and_the_epsilon_is_tiny(tt, draw):
    data = draw.normal(0, 1, (8, 3))
    data[:, 1] = float(draw.integers(-9, 9))
    got = tt.Normalizer().fit_transform(data)
    expect(
        np.isfinite(got).all() and not got[:, 1].any(),
        "A constant channel becomes 0.",
        call="fit_transform(data with a constant channel)",
        got=got[:, 1].tolist(),
        want="zeros",
        look="std + eps",
    )
    tiny = draw.normal(0, 1e-3, (500, 1))
    spread = float(tt.Normalizer().fit_transform(tiny).std())
    expect(
        abs(spread - 1) < 1e-3,
        "eps is too small to be seen where std is not 0.",
        call="the std of fit_transform(data of std 0.001)",
        got=f"{spread:.4f}",
        want="1.0000",
        look="eps = 1e-8",
    )


def test_a_second_fit_forgets_the_first(tt, draw):
    norm = tt.Normalizer()
    expect_raises(
        RuntimeError,
        lambda: norm.transform(np.zeros((2, 3))),
        "transform before fit says to call fit.",
        says="fit",
        call="Normalizer().transform(data)",
    )
    for _ in range(2):
        data = draw.normal(draw.uniform(-9, 9), 2, (20, 3))
        norm.fit(data)
        expect(
            np.allclose(norm.mean, oracle(data)[0]),
            "Each fit replaces the statistics.",
            call="norm.fit(first); norm.fit(second)",
            got=norm.mean,
            want=oracle(data)[0],
        )


def test_fit_batches_agrees_to_1e_6_for_every_cut(tt, draw):
    for offset in (0, 1e6):  # far from 0, a sum of squares minus a squared sum loses its digits
        for shape in ((40, 3), (12, 3, 4, 2)):
            data = draw.normal(offset, 3, shape)
            # unequal batches, down to one sample
            cuts = np.sort(draw.permutation(np.arange(1, shape[0]))[:4])
            norm = tt.Normalizer().fit_batches(np.split(data, cuts))
            mean, std = oracle(data)
            close = np.allclose(norm.mean, mean, rtol=1e-6, atol=1e-6) and np.allclose(
                norm.std, std, rtol=1e-6
            )
            expect(
                close,
                "fit_batches gets mean and std of all data to 1e-6, wherever the batches are cut.",
                call=(
                    "fit_batches(batches of"
                    f" {np.diff([0, *cuts, shape[0]]).tolist()} around {offset:g})"
                ),
                got=f"mean {norm.mean}, std {norm.std}",
                want=f"mean {mean}, std {std}",
                look="merge counts, means and sums of squared differences",
            )


def test_fit_batches_passes_once_over_images_of_pairs(tt, draw):
    data = draw.integers(0, 256, (9, 3, 4, 4)).astype(np.uint8)

    class Loader:
        epochs = 0

        def __iter__(self):
            self.epochs += 1
            for part in np.split(data, [4, 8]):
                yield Tensor(part), Tensor(np.arange(len(part)))

    loader = Loader()
    norm = tt.Normalizer().fit_batches(loader)
    expect(
        loader.epochs == 1,
        "One pass over the data is enough.",
        call="fit_batches(loader)",
        got=f"{loader.epochs} passes",
        want="1 pass",
    )
    expect(
        np.allclose(norm.mean, oracle(data)[0]) and np.allclose(norm.std, oracle(data)[1]),
        "Of a batch (images, labels) the images count.",
        call="fit_batches(loader of pairs)",
        got=norm.mean,
        want=oracle(data)[0],
    )
    expect_raises(
        ValueError,
        lambda: tt.Normalizer().fit_batches([]),
        "No batches are an error.",
        call="Normalizer().fit_batches([])",
    )

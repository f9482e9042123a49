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
        look="over all axes but axis 1, and the std is a square root: axes_but_channel",
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
        look="axes_but_channel(x.ndim); the std divides by N, not by N - 1",
    )


def returned(tt, method, values):
    """Whether `method` returns the object that it was called on, and what it is."""
    import numpy as np

    norm = tt.Normalizer()
    data = np.array(values)
    got = getattr(norm, method)(data if method == "fit" else [data])
    return [got is norm, type(got).__name__, np.array(norm.mean).tolist()]


@pytest.mark.contract("test_normalizer_fit_batches")
def test_fit_batches_returns_the_normalizer(inside):
    same, kind, mean = inside(returned, "fit_batches", [[1.0], [3.0]])
    expect(
        same and mean == [2.0],
        "`fit_batches` returns the Normalizer itself.",
        call="norm.fit_batches([[[1], [3]]])",
        got=f"another object: a {kind}" if not same else f"norm, with mean {mean}",
        want="norm, with mean [2.0]",
        look="return self",
    )


@pytest.mark.contract("test_normalizer_fit")
def test_fit_returns_the_normalizer(inside):
    same, kind, mean = inside(returned, "fit", [[1.0], [3.0]])
    expect(
        same and mean == [2.0],
        "`fit` returns the Normalizer itself.",
        call="norm.fit([[1], [3]])",
        got=f"another object: a {kind}" if not same else f"norm, with mean {mean}",
        want="norm, with mean [2.0]",
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
        got=np.round(got, 3).tolist(),
        want=[-2, 0, 2, 6],
        look="self.mean and self.std, as fit left them: is another mean or a square"
        " used?",
    )


@pytest.mark.contract("test_normalizer_transform")
def test_a_new_fit_counts_from_then_on(tt):
    norm = fitted(tt)
    first = float(norm.transform(np.full((1, 1, 1, 1), 3.0)).ravel()[0])
    half = np.ones((2000, 1, 1, 1))
    norm.fit(np.concatenate([half * 3, half * 7]))
    second = float(norm.transform(np.full((1, 1, 1, 1), 3.0)).ravel()[0])
    expect(
        np.allclose([first, second], [2, -1], rtol=1e-2),
        "`transform` is (data - mean) / (std + eps), per channel, with the fitted"
        " numbers.",
        call="transform([3]), fitted to mean 2, std 0.5, then to mean 5, std 2",
        got=np.round([first, second], 3).tolist(),
        want=[2, -1],
        look="self._along(self.mean, x), in each call",
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
        expect(
            type(got) is type(data),
            "A Tensor gives a Tensor, and an array gives an array.",
            call=f"transform({name})",
            got=type(got).__name__,
            want=type(data).__name__,
            look="like(data, ...)",
        )
        expect(
            got.dtype == np.float32,
            "The result is float32, whatever dtype the data have.",
            call=f"transform({name})",
            got=str(got.dtype),
            want="float32",
            look="what becomes of uint8 minus float64? astype(np.float32) comes last",
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
        look="divide by (std + eps), in brackets: a / b + c is (a / b) + c",
    )


@pytest.mark.contract("test_normalizer_transform")
def test_transform_before_fit_says_so(tt):
    expect_raises(
        RuntimeError,
        lambda: tt.Normalizer().transform(np.zeros((2, 3))),
        "`transform` before `fit` raises a `RuntimeError` that says to call fit.",
        says="fit",
        call="Normalizer().transform(data)",
        look="raise RuntimeError(...) when self.mean is None, before it is used",
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
            "The std is that of all data, whatever the sizes of the batches.",
            call=f"fit_batches(batches of 4, 4 and 2).{name}",
            got=got.tolist(),
            want=want.tolist(),
            look="are all batches in it, each with the weight of its size? the term"
            " with d^2;"
            " the std is a square root",
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
        look="is the first batch counted?",
    )
    expect_raises(
        ValueError,
        lambda: tt.Normalizer().fit_batches([]),
        "A loader without batches raises `ValueError`.",
        call="Normalizer().fit_batches([])",
        look="raise ValueError(...) when no batch came",
    )


@pytest.mark.contract("test_normalizer_fit")
def test_the_statistics_are_computed_in_float64(tt, draw):
    floats = draw.normal(100, 3, (40, 3, 2, 4)).astype(np.float32)
    for data in (floats, draw.integers(0, 256, (9, 3, 5, 3)).astype(np.uint8)):
        norm, axes = tt.Normalizer(), (0, 2, 3)
        norm.fit(data)
        exact = data.astype(np.float64)
        for name, got, want in (
            ("mean", norm.mean, exact.mean(axis=axes)),
            ("std", norm.std, exact.std(axis=axes)),
        ):
            expect(
                np.asarray(got).dtype == np.float64
                and np.allclose(got, want, rtol=1e-10, atol=0),
                "Both are computed in float64, even for bytes and for float32 data.",
                call=f"fit({data.dtype} images).{name}",
                got=f"{np.asarray(got).dtype} {np.asarray(got).tolist()}",
                want=f"float64 {want.tolist()}",
                look=(
                    "pass dtype=np.float64 to both; a later astype cannot bring lost"
                    " digits back"
                ),
            )


@pytest.mark.contract("test_normalizer_transform")
def test_eps_is_added_to_the_std(tt, draw):
    for eps in (1.0, float(draw.uniform(0.1, 0.4)), 0.0):
        norm = tt.Normalizer(eps=eps)
        half = np.ones((2000, 1, 1, 1))
        norm.fit(np.concatenate([half * 1.5, half * 2.5]))  # mean 2, std 0.5
        got = np.ravel(norm.transform(np.array([[[[5.0]]], [[[1.0]]]]))).tolist()
        want = [3 / (0.5 + eps), -1 / (0.5 + eps)]
        expect(
            np.allclose(got, want, rtol=5e-3),
            "`eps` is the Normalizer's own, and it is added to the std.",
            call=f"Normalizer(eps={eps:.3g}), mean 2, std 0.5: transform([5, 1])",
            got=np.round(got, 3).tolist(),
            want=np.round(want, 3).tolist(),
            look="self.std + self.eps, the sum of both as they are: no number of"
            " yours, no"
            " square or root, no maximum",
        )


def data_afterwards(tt, values):
    """The data and the statistics after a transform of float32 data."""
    import numpy as np

    data, norm = np.array(values, np.float32), tt.Normalizer()
    norm.fit(data)
    before = np.array(norm.mean).tolist(), np.array(norm.std).tolist()
    norm.transform(data)
    moved = np.asarray(norm.transform(data + 1))
    after = np.array(norm.mean).tolist(), np.array(norm.std).tolist()
    return [
        data.tolist(),
        before == after,
        moved.shape == data.shape and bool(moved.any()),
    ]


@pytest.mark.contract("test_normalizer_transform")
def test_a_transform_leaves_the_data_as_they_are(inside, draw):
    values = draw.integers(0, 50, (6, 2)).tolist()
    got, kept, moved = inside(data_afterwards, values)
    expect(
        got == values and kept and moved,
        "`transform` changes neither the data nor the statistics.",
        call=f"transform({values}): the data afterwards",
        got=f"{got}, statistics {'as before' if kept else 'changed'}",
        want=f"{values}, statistics as before",
        look="does a line such as x -= ... write into what was passed? is a statistic"
        " set"
        " anew?",
    )


@pytest.mark.contract("test_normalizer_fit_batches")
def test_a_second_pass_forgets_the_first(tt, draw):
    norm = tt.Normalizer()
    for _ in range(2):
        data = draw.normal(draw.uniform(-9, 9), 2, (12, 3))
        norm.fit_batches([data[:5], data[5:]])
        got = [np.asarray(norm.mean), np.asarray(norm.std)]
        want = [data.mean(axis=0), data.std(axis=0)]
        expect(
            np.allclose(got, want, rtol=1e-6),
            "A new fit replaces the mean and the std of the fit before.",
            call="fit_batches(first), then fit_batches(second)",
            got=[each.tolist() for each in got],
            want=[each.tolist() for each in want],
            look="count, mean and S begin anew in each call: no attribute, no default",
        )


def bytes_held(tt, batches, rows):
    """The peak of fit_batches over batches that nobody else holds."""
    import tracemalloc

    import numpy as np

    tracemalloc.start()
    try:
        loader = (np.full((rows, 64), k, np.float32) for k in range(batches))
        norm = tt.Normalizer()
        norm.fit_batches(loader)
        peak = tracemalloc.get_traced_memory()[1]
        return [peak, float(np.mean(norm.mean))]
    finally:
        tracemalloc.stop()


@pytest.mark.contract("test_normalizer_fit_batches")
def test_no_batch_is_kept(inside):
    got, mean = inside(bytes_held, 40, 64)
    expect(
        got < 400_000 and abs(mean - 19.5) < 1e-6,
        "No batch is kept: memory does not grow with their number.",
        call="fit_batches(40 batches of 16 kB)",
        got=f"{got / 1e3:.0f} kB at one time",
        want="less than 400 kB",
        look="is there a list of batches, or of their float64 copies?",
    )


class Broken:
    """A loader that raises after its first batch, and counts its epochs."""

    def __init__(self, error, batch):
        self.error, self.batch, self.epochs = error, batch, 0

    def __iter__(self):
        self.epochs += 1
        yield self.batch
        raise self.error


@pytest.mark.contract("test_normalizer_fit_batches")
def test_an_error_of_the_loader_passes_through(tt, draw):
    row = int(draw.integers(1000))
    for error in (KeyError, OSError, TypeError):
        loader = Broken(error(f"row {row}"), np.array([[1.0], [3.0]]))
        expect_raises(
            error,
            lambda: tt.Normalizer().fit_batches(loader),
            "An error from the loader reaches the caller unchanged, and the loader"
            " is not tried again.",
            says=f"row {row}",
            call=f"fit_batches(loader that raises {error.__name__} in its 2nd batch)",
            look="is there a try around the loop over the loader?",
        )
        expect(
            loader.epochs == 1,
            "An error from the loader reaches the caller unchanged, and the loader"
            " is not tried again.",
            call=f"fit_batches(loader that raises {error.__name__})",
            got=f"{loader.epochs} passes",
            want="1 pass",
            look="is the loader tried again?",
        )

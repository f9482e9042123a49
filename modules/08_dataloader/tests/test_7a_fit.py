"""Laws of exercise 7a, Normalizer: fit."""

import numpy as np
from stand_ins_08 import spread, within

from tinytorch.core.tensor import Tensor
from tinytorch.laws import Case, law

TABLE = [[1.0, 10.0], [3.0, 10.0]]
IMAGES = [[[[1, 3], [1, 3]]], [[[9, 9], [5, 5]]], [[[5, 5], [5, 5]]]]


def fitted(tt, *all_data):
    """The mean and the std after a fit to each of these data in turn."""
    norm = tt.Normalizer()
    for data in all_data:
        norm.fit(data)
    return norm.mean, norm.std


def cases(tt, call, all_data, mean, std, off=1e-5):
    """Cases about the mean and the std after the last of these fits."""
    for name, place, want in (("mean", 0, mean), ("std", 1, std)):
        if want is not None:
            got = lambda place=place: fitted(tt, *all_data)[place]  # noqa: E731
            yield f"{call}.{name}", got, want, within(want, off)


@law(
    1,
    "over all axes but",
    look="set self.mean and self.std; axes_but_channel(x.ndim) says over which axes",
)
def test_each_channel_has_its_own(tt, draw):
    # so many values that other mistakes change less than 0.05
    for shape in ((400, 3, 2, 2), (8, 3, 10, 10), (3, 3, 16, 16)):
        means = [int(mean) for mean in draw.permutation(9)[: shape[1]]]
        stds = [int(k) % 2 for k in draw.permutation(shape[1])]
        call = f"Normalizer().fit(data of shape {shape})"
        data = spread(draw, means, stds, shape)
        yield from cases(tt, call, [data], means, stds, 0.05)


@law(2, "one std per column", look="a table has no axis 2: axes_but_channel(x.ndim)")
def test_a_table_has_one_of_each_column(tt, draw):
    # 800 rows: whether their sum is divided by N or by N - 1 changes little
    for columns in (1, 2, 5):
        means = [int(mean) for mean in draw.permutation(9)[:columns]]
        stds = [int(k) % 2 for k in draw.permutation(columns)]
        data = spread(draw, means, stds, (800, columns))
        for kind in (np.asarray, Tensor):
            call = f"Normalizer().fit(a table of shape (800, {columns}))"
            yield from cases(tt, call, [kind(data)], means, stds, 0.05)


@law(
    3,
    "all images of",
    look="over all images and pixels at once, in floats: is anything rounded or left"
    " out?",
)
def test_every_pixel_counts(tt, draw):
    images = np.zeros((2, 3, 2, 2), np.uint8)
    images[:, 0], images[:, 1], images[0, 2] = 10, [[1, 3], [1, 3]], 9
    one = np.zeros((5, 1, 3, 2))
    one[tuple(int(draw.integers(size)) for size in one.shape)] = 60
    means = draw.uniform(-5, 5, 4).round(3).tolist()
    for call, data, mean in (
        ("three channels of bytes, all 10; 1 and 3; 9 and 0", images, [10, 2, 4.5]),
        ("30 pixels of 0, but one of 60", one, [2]),
        ("Tensor of bytes, 1, 3, 1, 3; 9, 9, 5, 5; 5, 5, 5, 5", IMAGES, [4 + 2 / 3]),
        ("6 images of 5 x 4", spread(draw, means, [3] * 4, (6, 4, 5, 4)), means),
        ("6 recordings of 4", spread(draw, means, [3] * 4, (6, 4, 4)), means),
    ):
        data = Tensor(np.array(data, np.uint8)) if data is IMAGES else data
        yield from cases(tt, f"Normalizer().fit({call})", [data], mean, None)


@law(
    4,
    "divides by",
    look="of one row every std is 0. NumPy divides by N: is there a ddof? Is it the std"
    " or the variance?",
)
def test_the_deviation_of_all_values(tt, draw):
    eight = np.array([2, 4, 4, 4, 5, 5, 7, 9], np.uint8).reshape(2, 1, 2, 2)
    drawn = draw.uniform(0.5, 5, 2).round(3).tolist()
    for call, data, std in (
        (TABLE, np.array(TABLE), [1, 0]),
        ([[5, 7]], np.array([[5, 7]]), [0, 0]),
        ("bytes 2, 4, 4, 4, 5, 5, 7, 9", eight, [2]),
        ("8 rows", spread(draw, [50, -7], drawn, (8, 2)), drawn),
        ("2 images of 2 x 2", spread(draw, [50, -7], drawn, (2, 2, 2, 2)), drawn),
        ("6 recordings of 4", spread(draw, [50, -7], drawn, (6, 2, 4)), drawn),
    ):
        yield from cases(tt, f"Normalizer().fit({call})", [data], None, std)


@law(
    5,
    "computed in float64",
    look="dtype=np.float64 in both; a later astype cannot bring lost digits back",
)
def test_no_digit_is_lost(tt, draw):
    small = np.repeat([1, 2, 2], 10).reshape(10, 1, 3, 1)
    far = 1_000_000 + int(draw.integers(99))
    large = spread(draw, [far], [2], (40, 1, 2, 4)).astype(np.float32)
    rows = [
        (f"ten times 1, 2 and 2 in {kind}", small.astype(kind), 1)
        for kind in ("uint8", "int64", "float16", "float32", "float64")
    ]
    rows += [("ten times 0.1, 0.2 and 0.2", small / 10, 0.1)]
    for call, data, unit in rows:
        mean, std = [1.6666666666666667 * unit], [0.4714045207910317 * unit]
        yield from digits(tt, call, data, mean, std)
    call = f"320 numbers around {far:,} in float32"
    yield from digits(tt, call, large, [far], [2])
    far = 10**9 + int(draw.integers(99))
    table = np.array([[far - 1.0], [far + 1.0]])
    look = "the squares of large numbers have more digits than float64: x.std, or the"
    look += " mean of (x - mean) ** 2"
    for call, got, want, holds in digits(tt, table.tolist(), table, [far], [1]):
        yield Case(call, got, want, holds, look)


def digits(tt, call, data, mean, std):
    """Cases: the dtype of the mean and of the std, and all their digits."""
    for name, place, want in (("mean", 0, mean), ("std", 1, std)):
        got = lambda place=place: np.asarray(fitted(tt, data)[place])  # noqa: E731
        holds = lambda got, want=want: (  # noqa: E731
            got.dtype == np.float64 and within(want, 1e-12 * max(1, want[0]))(got)
        )
        yield f"Normalizer().fit({call}).{name}", got, np.array(want, float), holds


@law(6, "A new fit", look="set both from these data alone, in each call")
def test_the_last_fit_counts(tt, draw):
    drawn = [float(mean) for mean in draw.uniform(-9, 9, 2).round(3)]
    second = spread(draw, drawn, [2, 3], (8, 2))
    for call, all_data, mean, std in (
        ("[[7, 7], [9, 1]]", [TABLE, [[7, 7], [9, 1]]], [8, 4], [1, 3]),
        ("8 other rows", [TABLE, second], drawn, [2, 3]),
        ("the table again", [TABLE, second, TABLE], [2, 10], [1, 0]),
        ("images", [TABLE, np.array(IMAGES) * 3], [14], [7.280109889280518]),
    ):
        all_data = [np.array(data) for data in all_data]
        text = f"norm.fit({TABLE}), then norm.fit({call}): norm"
        yield from cases(tt, text, all_data, mean, std)


def returned(tt, values):
    """Whether `fit` returns the object that it was called on, and its mean."""
    import numpy as np

    norm = tt.Normalizer()
    got = norm.fit(np.array(values))
    kind = "norm" if got is norm else f"another object: a {type(got).__name__}"
    return [kind, np.array(norm.mean).tolist()]


@law(7, "returns the Normalizer", look="return self")
def test_fit_returns_the_normalizer(inside, draw):
    values = draw.integers(0, 50, 2).tolist()
    call = f"norm.fit({[values]}): what it returns, and norm.mean"
    yield call, lambda: inside(returned, [values]), ["norm", values]

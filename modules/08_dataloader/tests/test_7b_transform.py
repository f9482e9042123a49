"""Laws of exercise 7b, Normalizer: transform."""

import numpy as np
from stand_ins_08 import within

from tinytorch.core.tensor import Tensor
from tinytorch.laws import Case, law

FITTED = (
    "self.mean and self.std, in each call: is the variance or another mean used?"
    " Are bytes floats before the subtraction?"
)
BYTES = np.array([[4, 5], [2, 5], [1, 5]], np.uint8)


def fitted(tt, mean, std, eps=None, axes=4):
    """A Normalizer with these statistics, as if it was fitted to data (N, C, ...)."""
    import numpy as np

    norm = tt.Normalizer() if eps is None else tt.Normalizer(eps=eps)
    norm._to_fit(np.zeros((2, len(mean), 3, 3)[:axes]))
    norm.mean, norm.std = np.array(mean, float), np.array(std, float)
    return norm


def text(data, mean, std):
    shown = data.tolist() if data.size < 9 else f"an array of shape {data.shape}"
    return f"transform({shown}), mean {mean}, std {std}"


@law(1, "with the fitted numbers", look=FITTED)
def test_the_worked_cases(tt, inside):
    for mean, std, data, want in (
        ([2], [1], [[3.0], [2.0], [0.0]], [[1], [0], [-2]]),
        ([2, 5], [0.5, 4], [[1.0, 5.0], [4.0, 15.0]], [[-2, 0], [4, 2.5]]),
        ([2.5], [2], BYTES[:, :1], [[0.75], [-0.25], [-0.75]]),
        ([0, 0], [1, 1], [[1, 2]], [[1, 2]]),
        ([0, 5], [0.25, 8], [[1, -3]], [[4, -1]]),
    ):
        norm, data = inside(fitted, mean, std, None, 2), np.array(data)
        for call in ("", " a second time"):
            got = lambda norm=norm, x=data: norm.transform(x.copy())  # noqa: E731
            yield text(data, mean, std) + call, got, want, within(want)


@law(1, "with the fitted numbers", look=FITTED)
def test_each_channel_counts_in_its_own_stds(tt, inside, draw):
    for shape in ((5, 3, 4, 2), (3, 3, 3, 3), (1, 2, 1, 4), (6, 4)):
        mean = draw.uniform(-9, 9, shape[1]).round(2).tolist()
        std = draw.uniform(1, 5, shape[1]).round(2).tolist()
        away = draw.integers(-3, 4, shape)  # how many stds from the mean
        parts = [away[:, k] * std[k] + mean[k] for k in range(shape[1])]
        data = np.stack(parts, axis=1)
        norm = inside(fitted, mean, std, None, len(shape))
        got = lambda norm=norm, x=data: norm.transform(x)  # noqa: E731
        call = f"{text(data, mean, std)}: by how many stds it is above the mean"
        yield call, got, away, within(away, 1e-4)


def fitted_anew(tt):
    """What a 3 becomes, before and after new statistics are set."""
    import numpy as np

    norm, data, got = tt.Normalizer(), np.full((1, 1), 3.0), []
    for mean, std in ((2.0, 0.5), (5.0, 2.0), (0.0, 1.0)):
        norm._to_fit(data)
        norm.mean, norm.std = np.array([mean]), np.array([std])
        got.append(float(np.asarray(norm.transform(data)).ravel()[0]))
    return got


@law(1, "with the fitted numbers", look=FITTED)
def test_a_new_fit_counts_from_then_on(inside):
    call = "transform([[3]]), fitted to mean 2, std 0.5; to 5 and 2; to 0 and 1"
    yield call, lambda: inside(fitted_anew), [2, -1, 3], within([2, -1, 3])


@law(
    2,
    "added to the std",
    look="the sum of self.std and self.eps as they are: no number of yours, no square"
    " or root, no maximum",
)
def test_eps_is_part_of_the_divisor(tt, inside, draw):
    data, want = np.array([[5.0, 6.0], [2.0, 3.0]]), [[1.2, 1], [0, -2]]
    norm = inside(fitted, [2, 5], [2, 0.5], 0.5, 2)
    call = f"{text(data, [2, 5], [2, 0.5])}, eps=0.5"
    yield call, lambda: norm.transform(data), want, within(want)
    whole = round(float(draw.uniform(1, 4)), 3)
    data, want = np.array([[whole], [-3 * whole]]), [[1], [-3]]
    for share in (0, 0.25, 0.5, 0.999):
        eps, std = share * whole, (1 - share) * whole
        other = inside(fitted, [0], [std], eps, 2)
        got = lambda norm=other, x=data: norm.transform(x)  # noqa: E731
        call = f"{text(data, [0], [round(std, 3)])}, eps={eps:.3f}"
        yield call, got, want, within(want, 1e-4)


@law(
    3,
    "constant channel",
    look="divide by (std + eps), in brackets: a / b + c is (a / b) + c",
)
def test_a_constant_becomes_0(tt, inside, draw):
    drawn = float(np.float32(draw.uniform(-9, 9)))
    constants = (7, "uint8"), (-3, "float32"), (drawn, "float32")
    for constant, kind in constants:
        norm = inside(fitted, [constant, 0], [0, 1])
        data = np.full((3, 2, 2, 2), constant, kind)
        data[:, 1] = 2
        want = np.array([[[[0.0]], [[2.0]]]]) * np.ones((3, 1, 2, 2))
        got = lambda norm=norm, x=data: norm.transform(x)  # noqa: E731
        call = f"transform(3 images of two channels, {constant:.5g} and 2), mean"
        yield f"{call} [{constant:.5g}, 0], std [0, 1]", got, want, within(want)


@law(
    4,
    "The result is float32",
    look="astype(np.float32) comes last: what becomes of int64 minus float32?",
)
def test_the_result_is_float32(tt, inside, draw):
    k = int(draw.integers(3, 99))
    rows, right_k = BYTES.copy(), (k - 2) / 2
    rows[0, 0] = k
    norm, want = (
        inside(fitted, [2, 5], [2, 1], None, 2),
        [[right_k, 0], [0, 0], [-0.5, 0]],
    )
    for kind in ("uint8", "int16", "int64", "float16", "float32", "float64"):
        for name, made in (("array", np.array), ("Tensor", Tensor)):
            data = made(rows.astype(kind))
            got = lambda x=data: norm.transform(x)  # noqa: E731
            right = lambda got: got.dtype == np.float32 and within(want)(got)  # noqa: E731
            call = f"transform({rows.tolist()}, {kind} {name}), mean [2, 5], std [2, 1]"
            yield call, got, np.array(want, np.float32), right


@law(5, "A Tensor gives", look="like(data, ...)")
def test_a_tensor_gives_a_tensor(tt, inside, draw):
    k = int(draw.integers(3, 99))
    norm = inside(fitted, [2], [1])
    for kind in ("uint8", "float32", "float64"):
        for shape in ((1, 1, 2, 2), (5, 1, 2, 2)):
            for name, made in (("Tensor", Tensor), ("ndarray", np.array)):
                data, want = np.full(shape, k, kind), np.full(shape, k - 2, np.float32)
                got = lambda x=data, made=made: norm.transform(made(x))  # noqa: E731
                right = lambda got, name=name, want=want: (  # noqa: E731
                    type(got).__name__ == name and within(want)(got)
                )
                call = (
                    f"transform({kind} {name} of shape {shape}, each value {k}), mean"
                )
                call = f"{call} 2, std 1"
                yield call, got, made(want), right


@law(
    6,
    "One image",
    look="self._along(self.mean, x) finds the axis of the channels; is x as it came?",
)
def test_one_image_is_as_in_a_batch(tt, inside, draw):
    image, want = np.array([[[3, 1]], [[7, 15]]]), [[[1, 0]], [[0, 2]]]
    norm = inside(fitted, [1, 7], [2, 4])
    call = text(image, [1, 7], [2, 4])
    yield call, lambda: norm.transform(image), want, within(want)
    for shape in ((4, 2, 2, 3), (3, 3, 3, 3), (2, 1, 4, 5)):
        mean, std = np.arange(shape[1]) * 3 - 1, np.arange(shape[1]) + 1
        norm = inside(fitted, mean.tolist(), std.tolist(), None, len(shape))
        images, place = draw.normal(2, 4, shape), int(draw.integers(shape[0]))
        among = np.asarray(norm.transform(images))
        if among.shape == shape:  # promise 1 says so
            got = lambda norm=norm, x=images[place]: norm.transform(x)  # noqa: E731
            call = f"transform(data[{place}]) of data of shape {shape}, against"
            call = f"{call} transform(data)[{place}]"
            yield call, got, among[place], within(among[place])


def afterwards(tt, values, kind):
    """The data and the statistics after a transform, and what came."""
    import numpy as np

    from tinytorch.core.tensor import Tensor

    norm, data = tt.Normalizer(eps=0.5), np.array(values, kind)
    norm._to_fit(data)
    norm.mean, norm.std = np.array([2.0, 5.0]), np.array([1.5, 0.0])
    tensor = Tensor(data.copy())
    for given in (data, tensor, data[1:]):
        came = norm.transform(given)
    return [data, tensor.data, norm.mean, norm.std, norm.eps, np.array(came).tolist()]


@law(
    7,
    "changes neither",
    look="does a line such as x -= ... write into what was passed? Is a statistic set"
    " anew?",
)
def test_data_and_statistics_stay(inside, draw):
    values = [draw.integers(0, 50, 2).tolist(), [4, 5], [2, 6]]
    for kind in ("float32", "float64", "int64"):
        call = f"transform({values} in {kind}), mean [2, 5], std [1.5, 0], eps=0.5:"
        call = f"{call} the array, the Tensor, mean, std and eps afterwards, and its"
        call, data = f"{call} last rows", np.array(values, kind)
        want = [data, data, np.array([2.0, 5.0]), np.array([1.5, 0.0]), 0.5]
        got = lambda kind=kind: inside(afterwards, values, kind)  # noqa: E731
        yield call, got, [*want, [[1, 0], [0, 2]]]


@law(
    8,
    "before fit",
    look="raise RuntimeError(...) when self.mean `is None`, before it is used; a mean"
    " of 0 is one",
)
def test_a_fit_is_asked_for(tt, inside, draw):
    k = int(draw.integers(4, 10**6))
    for shape in ((2, 3), (3, 2, 2), (2, 3, 4, 4)):
        full = np.full(shape, k)
        for name, data in ((f"{k}s", full), ("Tensor", Tensor(full))):
            call = f"Normalizer().transform({name} of shape {shape})"
            got = lambda x=data: tt.Normalizer().transform(x)  # noqa: E731
            yield Case(call, got, ["fit"], raises=RuntimeError)
    norm, data, want = inside(fitted, [0], [1], None, 2), np.array([[k]]), [[k]]
    off = within(want, k / 10**5)  # eps is 1e-7 of the std, and float32 has 7 digits
    yield text(data, [0], [1]), lambda: norm.transform(data), want, off

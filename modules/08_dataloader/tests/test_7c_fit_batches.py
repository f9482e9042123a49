"""Laws of exercise 7c, Normalizer: data that does not fit."""

import numpy as np
from stand_ins_08 import spread, within

from tinytorch.core.tensor import Tensor
from tinytorch.law_tools import ERRORS, raised_by, shown
from tinytorch.laws import Case, law

PARTS = [[[0.0], [2.0]], [[4.0]]]
BY_HAND = [(np.array(part), np.full(len(part), 100)) for part in PARTS]
MEAN, STD = [2.0], [1.632993161855452]
JOINED = "how is a batch joined to those before it? The text above merges two groups"


def moved(draw):
    """The batches of BY_HAND, each value larger by a drawn number, and the mean."""
    more = int(draw.integers(1, 1000))
    return [(images + more, labels) for images, labels in BY_HAND], [2.0 + more]


class Loader:
    """Batches, and an error at their end if one is given; it counts its passes. Like
    a stream it has no length.
    """

    def __init__(self, batches, error=None):
        self.batches, self.error, self.passes = batches, error, 0

    def __iter__(self):
        self.passes += 1
        yield from self.batches
        if self.error is not None:
            raise self.error


def fitted(tt, *loaders):
    """The mean and the std after a fit to each of these loaders in turn."""
    norm = tt.Normalizer()
    for loader in loaders:
        norm.fit_batches(loader)
    return norm.mean, norm.std


def cut(data, *sizes):
    """Batches (images, labels) of these sizes, and one of what is left."""
    parts = np.split(data, np.cumsum(sizes))
    return [(part, np.arange(len(part))) for part in parts if len(part)]


def batches_of(draw, means, stds, shape, kind="float64"):
    """(call, batches) of data with these means and stds, cut at places of chance."""
    sizes = [int(size) for size in draw.integers(1, shape[0] // 3, 3)]
    batches = cut(spread(draw, means, stds, shape).astype(kind), *sizes)
    sizes = ", ".join(str(len(labels)) for _, labels in batches)
    return f"fit_batches({kind} batches of {sizes} rows of {shape[1:]})", batches


@law(
    1,
    "last batch is shorter",
    look="are all batches in the mean, each with the weight of its number of pixels?"
    " One mean for each channel: axes_but_channel(x.ndim)",
)
def test_the_mean_is_that_of_all_data(tt, draw):
    data = spread(draw, [5, -3], [2, 4], (33, 2, 2, 4))
    short = "fit_batches(batches of 16, 16 and 1 images of (2, 2, 4))"
    rows = [("fit_batches([[0], [2]], then [[4]])", BY_HAND, MEAN)]
    rows += [(short, cut(data.astype(np.float32), 16, 16), [5, -3])]
    for means, shape, kind in (
        ([50, 60, 70], (24, 3, 4, 2), "uint8"),
        ([1, -2, 3, 50], (40, 4), "float64"),
        ([-7.25, 3], (24, 2, 3), "float32"),
    ):
        call, batches = batches_of(draw, means, [8] * len(means), shape, kind)
        rows.append((call, batches, means))
    for call, batches, mean in rows:
        got = lambda batches=batches: fitted(tt, batches)[0]  # noqa: E731
        yield f"{call}.mean", got, mean, within(mean)


@law(
    2,
    "The std is that",
    look=f"{JOINED}. Is the square root taken, and a batch of one counted?",
)
def test_the_std_is_that_of_all_data(tt, draw):
    eight = np.array([[2], [4], [4], [4], [5], [5], [7], [9]])
    rows = [("fit_batches([[0], [2]], then [[4]])", BY_HAND, STD)]
    for sizes in ([1] * 7, [4], [8], [1, 5], [7]):
        call = f"cut after {np.cumsum(sizes).tolist()})"
        call = f"fit_batches(2, 4, 4, 4, 5, 5, 7, 9, {call}"
        rows.append((call, cut(eight, *sizes), [2]))
    for shape in ((24, 2, 4, 2), (40, 2), (24, 2, 3)):
        stds = draw.uniform(0.5, 5, 2).round(2).tolist()
        call, batches = batches_of(draw, [5, -3], stds, shape)
        rows.append((call, batches, stds))
    for call, batches, std in rows:
        got = lambda batches=batches: fitted(tt, batches)[1]  # noqa: E731
        yield f"{call}.std", got, std, within(std)


@law(
    3,
    "even if the mean is far",
    look="all in float64? mean(x^2) - mean^2 subtracts two numbers of fourteen digits",
)
def test_no_digit_is_lost_far_from_0(tt, draw):
    for shape in ((40, 3), (24, 3, 2, 2)):
        for far in (1e7 + 0.1, round(float(draw.uniform(1e6, 1e7)), 1)):
            means, stds = [far, far, -far], [5.1, 0, 2.3]
            call, batches = batches_of(draw, means, stds, shape)
            call = f"{call}, means {means}, stds {stds}:"
            for name, place, want in (("mean", 0, means), ("std", 1, stds)):
                got = lambda x=batches, i=place: fitted(tt, x)[i]  # noqa: E731
                yield f"{call} {name}", got, want, within(want, 1e-6)


@law(4, "images alone, or", look="images_of(batch) accepts both")
def test_a_batch_may_have_labels(tt, draw):
    some, mean = moved(draw)
    want, more = [mean, STD], mean[0] - 2
    for call, batches in (
        ("arrays", [images for images, _ in some]),
        ("Tensors", [Tensor(images) for images, _ in some]),
        ("tuples of arrays", some),
        ("tuples of Tensors", [tuple(map(Tensor, batch)) for batch in some]),
        (
            "two arrays (2, 1, 1, 2)",
            [more + np.array([0, 4, 2, 2, 0, 4]).reshape(3, 1, 1, 2)],
        ),
        ("an array (2, 1, 3)", [more + np.array([0, 2, 4, 4, 2, 0]).reshape(2, 1, 3)]),
    ):
        got = lambda batches=batches: fitted(tt, batches)  # noqa: E731
        yield f"fit_batches({call}), mean and std", got, want, within(want)


@law(
    5,
    "run through once",
    look="compute the mean and S in the same loop; a stream has no len",
)
def test_one_pass(tt, draw):
    some, mean = moved(draw)
    want, loader = [mean, STD], Loader(some)
    call = "fit_batches(loader): mean and std"
    yield call, lambda: fitted(tt, loader), want, within(want)
    yield "how often fit_batches(loader) runs through the loader", loader.passes, 1
    got = lambda: fitted(tt, iter(some))  # noqa: E731
    yield "fit_batches(iter(batches)): mean and std", got, want, within(want)


def memory(tt, counts):
    """The means of so many batches, and how many kB fit_batches holds of them."""
    import tracemalloc

    import numpy as np

    held, means = [], []
    tracemalloc.start()
    try:
        for count in (1, *counts):
            norm = tt.Normalizer()
            tracemalloc.reset_peak()
            before = tracemalloc.get_traced_memory()[0]
            norm.fit_batches(np.full((16, 256), k, np.float32) for k in range(count))
            held.append((tracemalloc.get_traced_memory()[1] - before) // 1000)
            means.append(float(np.mean(norm.mean)))
    finally:
        tracemalloc.stop()
    return [means[1:], held[1:]]


@law(
    6,
    "No batch is kept",
    look="is there a list: of batches, of copies, or of a mean for each batch?",
)
def test_no_batch_is_kept(inside, draw):
    count = int(draw.integers(40, 80))
    means = [4.5, (count - 1) / 2]

    def right(got):
        found, (few, many) = got
        return within(means)(found) and many - few < 64

    call = f"fit_batches(10 batches of 16 kB), then of {count}: means, and kB that are"
    want = means, f"as many kB for {count} as for 10"
    yield f"{call} held", lambda: inside(memory, [10, count]), want, right


@law(
    7,
    "A new fit",
    look="count, mean and S begin anew in each call: no attribute, no default",
)
def test_the_last_fit_counts(tt, draw):
    drawn = [float(mean) for mean in draw.uniform(-9, 9, 2).round(2)]
    first = batches_of(draw, [100, 7], [3, 1], (24, 2))[1]
    second = batches_of(draw, drawn, [2, 5], (24, 2))[1]
    for call, loaders, mean, std in (
        ("second", [first, second], drawn, [2, 5]),
        ("first", [first, second, first], [100, 7], [3, 1]),
        ("of one column", [first, BY_HAND], MEAN, STD),
    ):
        want = [mean, std]
        got = lambda loaders=loaders: fitted(tt, *loaders)  # noqa: E731
        call = f"fit_batches(first), then fit_batches({call}): mean and std"
        yield call, got, want, within(want)


def returned(tt, values):
    """Whether `fit_batches` returns the object it was called on, and its mean."""
    import numpy as np

    norm = tt.Normalizer()
    got = norm.fit_batches([np.array(values)])
    kind = "norm" if got is norm else f"another object: a {type(got).__name__}"
    return [kind, np.array(norm.mean).tolist()]


@law(8, "returns the Normalizer", look="return self")
def test_fit_batches_returns_the_normalizer(inside, draw):
    values = draw.integers(0, 50, 2).tolist()
    call = f"norm.fit_batches([{[values]}]): what it returns, and norm.mean"
    yield call, lambda: inside(returned, [values]), ["norm", values]


@law(9, "without batches", look="raise ValueError(...) whenever no batch came")
def test_an_epoch_without_batches_is_refused(tt, draw):
    for call, empty in (("[]", list), ("iter([])", lambda: iter([]))):
        for before in ([], [BY_HAND]):
            text = f"fit_batches({call})" + " after another fit" * len(before)
            got = lambda empty=empty, x=before: fitted(tt, *x, empty())  # noqa: E731
            yield Case(text, got, raises=ValueError)
    loader = lambda: fitted(tt, Loader([]))  # noqa: E731
    yield Case("fit_batches(a loader of nothing)", loader, raises=ValueError)
    for k in (0, int(draw.integers(1, 10**4))):
        call, want = f"fit_batches([np.full((1, 1), {k})]): mean and std", [[k], [0]]
        got = lambda k=k: fitted(tt, [np.full((1, 1), k)])  # noqa: E731
        yield call, got, want, within(want)


@law(
    10,
    "reaches the caller",
    look="no `try` around the loop over the loader: the error goes on its way",
)
def test_an_error_of_the_loader_passes_through(tt, draw):
    some, _ = moved(draw)
    for error in (*ERRORS, RuntimeError("row 5")):
        for count in (0, 1, 2):
            loader = Loader(some[:count], error)
            got = lambda loader=loader: (  # noqa: E731
                raised_by(lambda: fitted(tt, loader)),
                loader.passes,
            )
            call = f"fit_batches(loader that raises {shown(error)} after {count}"
            call = f"{call} batches): the error, and passes over the loader"
            yield call, got, (shown(error), 1)

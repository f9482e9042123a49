"""What several laws of this module need."""

import numpy as np

from tinytorch.core.tensor import Tensor
from tinytorch.laws import Case


class PlainRows:
    """Stands in for a `TensorDataset`: an object with tensors and a length."""

    def __init__(self, *arrays):
        from tinytorch.core.tensor import Tensor

        self.tensors = tuple(Tensor(array) for array in arrays)

    def __len__(self):
        return len(self.tensors[0])

    def __getitem__(self, index):
        from tinytorch.core.tensor import Tensor

        return tuple(Tensor(tensor.data[index]) for tensor in self.tensors)


# a probe of `inside`; what it returns is used by the law
def loader_with(tt, dataset, parts):
    """A DataLoader of the dataset with these attributes, made without its `__init__`,
    which is an exercise of its own.
    """
    loader = tt.DataLoader.__new__(tt.DataLoader)
    plain = {"batch_size": 32, "shuffle": False, "drop_last": False, "seed": None}
    given = {"collate_fn": None, "prefetch": 0, "batch_transform": None, "epoch": 0}
    for name, part in {"dataset": dataset, **plain, **given, **parts}.items():
        setattr(loader, name, part)
    return loader


def within(want, off=1e-5):
    """Whether numbers have the shape of `want` and differ by `off` at most."""

    def holds(got):
        got = getattr(got, "data", got) if type(got).__name__ == "Tensor" else got
        got = np.asarray(np.nan if got is None else got, float)
        return got.shape == np.shape(want) and bool(
            np.allclose(got, want, rtol=0, atol=off)
        )

    return holds


def spread(draw, means, stds, shape):
    """Data (N, C, ...) whose channels have these means and stds. Their values, a
    multiple of 8 in each channel, are in a random order.
    """
    size = int(np.prod(shape)) // len(means)
    basic = np.resize([-1.5, -0.5, -0.5, -0.5, 0, 0, 1, 2], size)
    rest = shape[:1] + shape[2:]
    channels = [
        mean + std * draw.permutation(basic).reshape(rest)
        for mean, std in zip(means, stds, strict=True)
    ]
    return np.stack(channels, axis=1)


# for the transforms: `make(seed=seed)` makes one, and `call(seed)` shows it


class Script:
    """A generator whose random() gives these numbers in turn, and that counts them."""

    def __init__(self, *numbers):
        self.numbers, self.drawn = numbers, 0

    def random(self, size=None):
        if size is not None:
            return np.array([self.random() for _ in range(size)])
        self.drawn += 1
        return self.numbers[(self.drawn - 1) % len(self.numbers)]


def image_of(draw, *shape):
    """An image of this shape, with another number from 1 on at each place."""
    size = int(np.prod(shape))
    return (1 + draw.permutation(size)).astype(np.uint8).reshape(shape)


def results(transform, image, count, **given):
    return [np.asarray(transform(image.copy(), **given)).tolist() for _ in range(count)]


def decided_by_rng(make, call, image, count, draw):
    """Cases: the Generator that is handed in decides, whatever the own seed."""
    number, runs = int(draw.integers(10**6)), []
    for seed in (0, 1):
        rng = np.random.default_rng(number)
        runs.append(results(make(seed=seed), image, count, rng=rng))
    text = f"{call('seed')}(image, rng=default_rng({number})), {count} times"
    alike = runs[0] == runs[1]
    yield f"{text}, of seed=0 and of seed=1: the same images?", alike, True
    differ = runs[0] != runs[0][:1] * count
    yield f"{text}: do the images differ?", differ, True


def decided_by_seed(make, call, image, count, draw, global_random_state):
    """Cases: without rng the seed decides, and no seed gives other images each time."""
    before, seed = global_random_state(), int(draw.integers(1, 1000))
    seeds = seed, 0, None, None
    given = [*({"seed": one} for one in seeds[:3]), {}]  # no seed is None
    runs = [results(make(**one), image, count) for one in given]
    text = f"{call('seed')}, {count} images for each seed of {list(seeds)}"
    equal = [
        one for one, run in zip(seeds, runs, strict=True) if run == run[:1] * count
    ]
    look = "self.rng is made once, in `__init__`: is another made in each call?"
    yield Case(f"{text}: seeds whose images are all equal", equal, [], look=look)
    alike = [one for one, run in zip(seeds, runs, strict=True) if runs.count(run) > 1]
    look = "which generator is asked? np.random.default_rng(None) is always another"
    yield Case(f"{text}: seeds that give what another gives", alike, [], look=look)
    again = [k for k in (0, 1) if results(make(seed=seeds[k]), image, count) != runs[k]]
    look = "is self.rng asked, or the generator that everybody shares, np.random?"
    text = f"{call('seed')}, {count} images, and the same once more: seeds that differ"
    yield Case(text, [seeds[k] for k in again], [], look=look)
    used = make(seed=seed)
    used(image, rng=np.random.default_rng(1))
    got = results(used, image, count) == runs[0]
    look = "a call with rng= neither asks self.rng nor replaces it"
    text = f"{call(seed)}, a call with rng=, then {count} without: as without the first"
    yield Case(f"{text}?", got, True, look=look)
    look = "draw from self.rng, not from np.random or random"
    text = f"{call('seed')}, {count} images: are np.random and random as before?"
    yield Case(text, global_random_state() == before, True, look=look)


# a probe of `inside`
def overwritten(tt, name, settings, image):
    """What a transform gives for an array and for a Tensor, and both of these after
    zeros were written into what it gave.
    """
    from tinytorch.core.tensor import Tensor

    transform, tensor = getattr(tt, name)(**settings), Tensor(image.copy())
    came = [transform(image), transform(tensor)]
    came = [one.data if isinstance(one, Tensor) else one for one in came]
    values = [one.tolist() for one in came]
    for one in came:
        one[...] = 0
    return values, [image.tolist(), tensor.data.tolist()]


def gives_a_new_image(inside, name, settings, image, possible):
    """Cases: what comes is one of the `possible` images, and the input stays."""
    given = ", ".join(f"{key}={value!r}" for key, value in settings.items())
    call, right = f"{name}({given})(image)", [one.tolist() for one in possible]
    values, after = inside(overwritten, name, settings, image.copy())
    fits = all(one in right for one in values)
    yield f"{call} of {image.tolist()}, array and Tensor", values, right[:1] * 2, fits
    text = f"{call}[...] = 0 of an array, of a Tensor: the image afterwards"
    yield text, after, [image.tolist()] * 2


def keeps_the_kind(transform, call, image):
    """Cases: the type and the dtype of what comes."""

    def kind(result):
        inner = result.data if isinstance(result, Tensor) else result
        return [type(result).__name__, str(getattr(inner, "dtype", None))]

    for dtype in ("uint8", "int64", "float32", "float64"):
        for given in (image.astype(dtype), Tensor(image.astype(dtype))):
            name = type(given).__name__
            text = f"{call}, image is a {name} of {dtype}: type and dtype"
            yield text, lambda given=given: kind(transform(given)), [name, dtype]


def by_batch_size(draw):
    """(batch size, number); the second number is the largest and the third the
    smallest. Neither the first size nor the last one is an end.
    """
    sizes = (np.array([2, 202, 402, 4_002]) + draw.integers(0, 200, 4)).tolist()
    low, mid, high = sorted((1_000 * draw.permutation(60_000)[:3] + 417_123).tolist())
    sizes = [sizes[k] for k in (1, 3, 0, 2)]
    numbers = mid, 1_000 * int(draw.integers(10**6, 10**7)) + 617, low, high
    return list(zip(sizes, numbers, strict=True))

"""Laws of exercise 5a, the `__init__` of DataLoader."""

import numpy as np

from tinytorch.laws import Case, law
from tinytorch.testing import ReadLog

INTEGERS = "isinstance(x, (int, np.integer)): NumPy has integers of its own"
GIVEN = "the given lines below the TODO: are they unchanged, and do they run?"


def made(tt, size, dataset=(1, 2, 3)):
    return lambda: tt.DataLoader(list(dataset), batch_size=size).batch_size


@law(
    1,
    "not an integer of 1",
    look="isinstance(True, int) is True, and 2.0 is no integer: raise ValueError(...)"
    " with the value",
)
def test_a_bad_batch_size_is_refused(tt, draw):
    bad = [0, -3, True, False, 2.5, 2.0, None, "4", [4], np.float32(2), np.True_]
    bad += [np.int64(0), np.int8(-4), float("nan"), float("inf")]
    bad += [-int(draw.integers(4, 99)), float(draw.integers(3, 99)) + 0.25]
    yield "DataLoader([1, 2, 3], batch_size=2).batch_size", made(tt, 2), 2
    for size in bad:
        call = f"DataLoader([1, 2, 3], batch_size={size!r})"
        yield Case(call, made(tt, size), ["batch_size", str(size)], raises=ValueError)


@law(2, "Every integer of 1", look="which of your checks refuses it?")
def test_every_integer_is_a_batch_size(tt, draw):
    kinds = int, np.int64, np.int32, np.int8, np.uint8, np.uint64
    drawn = [kind(draw.integers(1, 100)) for kind in kinds]
    for size in (1, 2, 3, 4, 7, 2**40, 10**30, np.int64(2), *drawn):
        call = f"DataLoader([1, 2, 3], batch_size={size!r}).batch_size"
        yield Case(call, made(tt, size), int(size), look=INTEGERS)
    call = "DataLoader([], batch_size=4).batch_size"
    yield Case(call, made(tt, 4, ()), 4, look="an empty dataset has a length too: 0")


class Rows:
    """A dataset of its own kind: it has `[]`, and with `Counted` a length."""

    def __getitem__(self, index):
        return index


class Counted(Rows):
    def __len__(self):
        return 5


@law(
    3,
    "without a length",
    look="how do you ask whether it has a length? Then raise TypeError(...)",
)
def test_a_dataset_needs_a_length(tt, draw):
    n = int(draw.integers(3, 1000))
    for text, dataset in (
        (f"an array of {n} rows", np.zeros((n, 2))),
        ("a dataset with len and []", Counted()),
        ("a text", "abc"),
        ("an empty list", []),
    ):
        call = f"DataLoader({text}).batch_size"
        yield call, lambda data=dataset: tt.DataLoader(data).batch_size, 32
    for text, nothing in (
        ("None", None),
        ("iter([1, 2])", iter([1, 2])),
        ("k for k in [1, 2]", (k for k in [1, 2])),
        (f"{n}", n),
        ("a dataset with [] and no len", Rows()),
    ):
        got = lambda nothing=nothing: tt.DataLoader(nothing)  # noqa: E731
        yield Case(f"DataLoader({text})", got, raises=TypeError)


SETTINGS = {
    "batch_size": 32,
    "shuffle": False,
    "drop_last": False,
    "seed": None,
    "collate_fn": None,
    "prefetch": 0,
    "batch_transform": None,
}


@law(4, "under their names", look=GIVEN)
def test_a_loader_keeps_its_settings(tt, draw):
    size, seed, depth = draw.integers(2, 90, 3).tolist()
    for given in (
        {},
        {"batch_size": 2, "shuffle": True, "drop_last": True, "seed": 0},
        {"batch_size": 1, "collate_fn": list, "batch_transform": tuple},
        {"batch_size": size, "seed": seed, "prefetch": depth, "collate_fn": tuple},
        {"shuffle": True, "batch_transform": list},
        {"drop_last": True, "prefetch": 1},
    ):
        log = ReadLog("abcde")
        call = f"loader = DataLoader(dataset, **{given})"
        loader = tt.DataLoader(log, **given)
        for name, want in {"dataset": log, **SETTINGS, **given, "epoch": 0}.items():
            got = lambda name=name: {name: getattr(loader, name)}  # noqa: E731
            yield f"{call}; loader.{name}", got, {name: want}
        look = "what do your checks ask the dataset for? len(dataset) reads no sample"
        yield Case(f"{call}: samples read", log.reads, [], look=look)

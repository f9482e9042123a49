"""Promises of get_idxs and shuffle_fn. `tt` is your exported package."""

import itertools

import pytest

from tinytorch.testing import expect


def first_of(idxs, count=5):
    return [None if s is None else int(s) for s in itertools.islice(iter(idxs), count)]


class Failing:
    """Code of somebody else that fails: counts its calls and raises `error`."""

    def __init__(self, error):
        self.error, self.calls = error, 0

    def hook(self, *_):
        self.calls += 1
        raise self.error


def what_came(call, failing):
    """What `call()` made of the error of `failing`, in words."""
    try:
        came = f"no error, but {call()!r}"
    except NotImplementedError:  # a stub
        raise
    except Exception as problem:  # noqa: BLE001 - the test shows it
        came = f"{type(problem).__name__}: {problem}"
    return f"{came} (calls: {failing.calls})"


def unchanged(failing):
    return f"{type(failing.error).__name__}: {failing.error} (calls: 1)"


# 3a get_idxs and shuffle_fn


@pytest.mark.contract("test_loader_get_idxs")
def test_the_indices_of_a_dataset(tt):
    for loader, call, want in (
        (tt.DataLoader("abc"), "DataLoader('abc')", [0, 1, 2]),
        (tt.DataLoader("abcdef", n=4), "DataLoader('abcdef', n=4)", [0, 1, 2, 3]),
        (tt.DataLoader("abc", n=0), "DataLoader('abc', n=0)", []),
        (tt.DataLoader([]), "DataLoader([])", []),
    ):
        got = first_of(loader.get_idxs())
        expect(
            got == want,
            "An indexed dataset (self.indexed) gives self.n indices: 0, 1, 2, ...",
            call=f"first five of {call}.get_idxs()",
            got=got,
            want=want,
            look="self.n says how many; 0 is a number, only None is none",
        )


@pytest.mark.contract("test_loader_get_idxs")
def test_a_stream_has_no_indices(tt):
    for loader, call, want in (
        (tt.DataLoader("abc", indexed=False), "'abc', indexed=False", [None] * 3),
        (tt.DataLoader(iter("abc"), n=0), "iter('abc'), n=0", []),
    ):
        got = first_of(loader.get_idxs())
        expect(
            got == want,
            "A stream gives None, self.n times.",
            call=f"first five of DataLoader({call}).get_idxs()",
            got=got,
            want=want,
            look="a None for each of self.n items; 0 is a number, and means none",
        )


class Squares:
    """A dataset without a length."""

    def __getitem__(self, index):
        return index * index


@pytest.mark.contract("test_loader_get_idxs")
def test_what_has_no_length_has_no_end(tt):
    for loader, call, want in (
        (tt.DataLoader(), "", [None] * 5),
        (tt.DataLoader(Squares()), "a dataset without len", [0, 1, 2, 3, 4]),
    ):
        got = first_of(loader.get_idxs())
        expect(
            got == want,
            "If self.n is None, the result has no end.",
            call=f"first five of DataLoader({call}).get_idxs()",
            got=got,
            want=want,
            look="itertools.count(), itertools.repeat(None)",
        )


@pytest.mark.contract("test_loader_get_idxs")
def test_a_sampler_decides(tt):
    for sampler in ([5, 0, 0], []):
        got = first_of(tt.DataLoader("abcdef", bs=2, sampler=sampler).get_idxs())
        expect(
            got == sampler,
            "A sampler decides: get_idxs returns self.sampler, even an empty one.",
            call=f"DataLoader('abcdef', bs=2, sampler={sampler}).get_idxs()",
            got=got,
            want=sampler,
            look="self.sampler is not None, before anything else",
        )


@pytest.mark.contract("test_loader_get_idxs")
def test_get_idxs_hands_the_shuffle_on(tt):
    asked = []

    def nine_first(idxs):
        asked.append(first_of(idxs, 9))
        return [9, *idxs]

    loader = tt.DataLoader("abcd", shuffle=True, shuffle_fn=nine_first)
    got = first_of(loader.get_idxs(), 9)
    expect(
        got == [9, 0, 1, 2, 3] and asked == [[0, 1, 2, 3]],
        "With self.shuffle, get_idxs returns what self.shuffle_fn(idxs) returns, called"
        " once.",
        call="get_idxs(), shuffle_fn puts a 9 before the indices",
        got=f"{got}; shuffle_fn got {asked}",
        want="[9, 0, 1, 2, 3]; shuffle_fn got [[0, 1, 2, 3]]",
        look="self.shuffle_fn(idxs)",
    )
    failing = Failing(KeyError("no such order"))
    loader = tt.DataLoader("abcd", shuffle=True, shuffle_fn=failing.hook)
    came = what_came(loader.get_idxs, failing)
    expect(
        came == unchanged(failing),
        "An error of self.shuffle_fn or self.rng reaches the caller unchanged, without"
        " a retry.",
        call="get_idxs(), shuffle_fn raises KeyError",
        got=came,
        want=unchanged(failing),
        look="does a try of yours catch it? The error is for the caller",
    )


def no_random_numbers(tt):
    calls = []

    class NoNumbers:
        def __getattr__(self, name):
            calls.append(name)
            raise OSError("no random numbers left")

    loader = tt.DataLoader("abc", shuffle=True)
    loader.now.rng = NoNumbers()
    try:
        loader.shuffle_fn([4, 5, 6])
    except OSError as problem:
        return f"OSError: {problem} (calls: {len(calls)})"
    return "no error"


@pytest.mark.contract("test_loader_get_idxs")
def test_an_error_of_the_generator_passes(inside):
    got = inside(no_random_numbers)
    expect(
        got == "OSError: no random numbers left (calls: 1)",
        "An error of self.shuffle_fn or self.rng reaches the caller unchanged, without"
        " a retry.",
        call="shuffle_fn([4, 5, 6]), self.rng raises OSError",
        got=got,
        want="OSError: no random numbers left (calls: 1)",
        look="does a try of yours catch it, in shuffle_fn? It is for the caller",
    )


def orders_of_a_grid(tt, grid):
    orders = []
    for seed in grid:
        for epoch in grid:
            loader = tt.DataLoader(range(50), shuffle=True, seed=seed)
            loader.now = loader._new_epoch(epoch)
            order = [int(s) for s in loader.shuffle_fn(range(50))]
            orders.append([seed, epoch, order])
    return orders


@pytest.mark.contract("test_loader_get_idxs")
def test_each_seed_and_epoch_has_an_order(inside):
    places = {}
    for seed, epoch, order in inside(orders_of_a_grid, (0, 1, 2, 3, 4, 11, 100, 1000)):
        places.setdefault(tuple(order), []).append((seed, epoch))
    same = [pairs for pairs in places.values() if len(pairs) > 1]
    expect(
        not same,
        "Each (seed, epoch) has its own order: seed 0 in epoch 1 is not seed 1 in epoch"
        " 0.",
        call="shuffle_fn(range(50)) for seeds and epochs 0 to 4, 11, 100, 1000",
        got=f"one order for (seed, epoch) = {same[0][:3] if same else ''}",
        want="another order for each (seed, epoch)",
        look="what is the order drawn from? self.rng is made of both",
    )


@pytest.mark.contract("test_loader_get_idxs")
def test_a_shuffle_keeps_every_index(tt):
    loader = tt.DataLoader(list(range(50)), shuffle=True, seed=0)
    got = first_of(loader.get_idxs(), 99)
    # Two of 50! orders agree once in 10^64.
    expect(
        sorted(got) == list(range(50)) and got != list(range(50)),
        "shuffle_fn returns each of the given indices once.",
        call="DataLoader(50 items, shuffle=True).get_idxs()",
        got=got,
        want="0..49, each once, in another order",
        look="does get_idxs return what self.shuffle_fn(idxs) returns, each index"
        " once?",
    )


@pytest.mark.contract("test_loader_get_idxs")
def test_a_shuffle_is_drawn_from_the_loaders_generator(tt):
    def orders(seed):
        loader = tt.DataLoader(list(range(50)), shuffle=True, seed=seed)
        return [first_of(loader.shuffle_fn(range(50)), 99) for _ in range(2)]

    first, second = orders(3)
    expect(
        sorted(first) == sorted(second) == list(range(50)),
        "shuffle_fn returns each of the given indices once.",
        call="loader.shuffle_fn(range(50)), twice",
        got=[sorted(first), sorted(second)],
        want="0..49, twice",
        look="a permutation has each index once; a draw with replacement has not",
    )
    expect(
        first != second,
        "Every order is possible, and each call draws a new one.",
        call="loader.shuffle_fn(range(50)), twice",
        got="the same order",
        want="another order",
        look="self.rng; a new Generator of the same seed draws the same again",
    )
    expect(
        orders(3) == [first, second],
        "The order is drawn from self.rng (the Generator of this epoch) and from"
        " nothing else.",
        call="shuffle_fn of another loader with the same seed",
        got="other orders",
        want="the same two",
        look="self.rng, and no other source of chance",
    )


@pytest.mark.contract("test_loader_get_idxs")
def test_any_indices_are_shuffled(tt):
    loader = tt.DataLoader("abc", shuffle=True, seed=1)
    for idxs in ([7, 4, 9], [5], []):
        got = first_of(loader.shuffle_fn(idxs), 9)
        expect(
            sorted(got) == sorted(idxs),
            "shuffle_fn returns each of the given indices once.",
            call=f"loader.shuffle_fn({idxs})",
            got=got,
            want=f"{idxs} in some order",
            look="idxs[position] for each position of a permutation: each index once",
        )

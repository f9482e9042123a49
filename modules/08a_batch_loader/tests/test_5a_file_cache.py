"""Laws of exercise 5a, FileCache."""

import weakref

import numpy as np

from tinytorch.law_tools import raised_by, shown
from tinytorch.laws import law

IS_HELD = "how do you ask whether a key is held? `key in`: a value may be None or 0"
LRU = (
    "does a hit make its key the newest? Which end does popitem drop? When are the"
    " slots full?"
)
ROOM = "drop first, then load; does a variable still hold what popitem returned?"
ODD = {"none": None, "0": 0, 0: False, -1: "", -2: [], "": {}, (): np.zeros(0)}


class Files:
    """What the laws load from: `asked` holds all keys that `load` was called with.
    While an error is set, `load` raises it.
    """

    def __init__(self, values=()):
        self.values, self.asked, self.error = dict(values), [], None

    def load(self, key):
        self.asked.append(key)
        if self.error:
            raise self.error
        return self.values.get(key, f"file {key}")


def after(tt, keys, slots, values=()):
    """A cache after these gets, its files, and what the gets returned."""
    files = Files(values)
    cache = tt.FileCache(files.load, slots)
    return cache, files, [cache.get(key) for key in keys]


def returned(*gets):
    """What these gets return, when it is called."""
    return lambda: after(*gets)[2]


def loaded(*gets):
    """The keys that these gets load, when it is called."""
    return lambda: after(*gets)[1].asked


def failing(cache, files, key, error):
    """What get(key) raises while `load` raises `error`; then `asked` begins anew."""
    files.error, files.asked = error, []
    said, calls = raised_by(lambda: cache.get(key)), len(files.asked)
    files.error, files.asked = None, []
    return said, calls


def names(draw, count):
    """So many different keys."""
    return (100 + draw.choice(900, count, replace=False)).tolist()


def gets(keys, slots):
    return f"slots={slots}, gets of {' '.join(map(str, keys))}"


@law(1, "what load(key) returned", look="what does `_find` return on a hit? And else?")
def test_get_returns_the_value(tt, draw):
    mixed = draw.choice(names(draw, 6), 12).tolist()
    for keys, slots in (("abacab", 2), ("aabba", 1), (mixed, 3)):
        want = [f"file {key}" for key in keys]
        yield gets(keys, slots), returned(tt, keys, slots), want
    values = dict(zip("abcdefg", ODD.values(), strict=True))
    call = f"{gets(values, 9)}; load returns {list(values.values())}"
    yield call, returned(tt, values, 9, values), list(values.values())


@law(2, "not loaded again", look=IS_HELD)
def test_a_held_value_is_not_loaded_again(tt, draw):
    odd = [*ODD.items(), *zip(names(draw, len(ODD)), ODD.values(), strict=True)]
    values = dict(odd[place] for place in draw.permutation(len(odd)))
    keys, want = [*values], [*values.values()] * 2
    call = f"two gets of each key from 20 slots; load returns, by key, {values}"
    yield f"keys loaded by {call}", loaded(tt, keys * 2, 20, values), keys
    yield f"values of {call}", returned(tt, keys * 2, 20, values), want


def newest(keys, slots):
    """The last different keys, as many as there are slots."""
    return list(dict.fromkeys(reversed(keys)))[:slots]


@law(3, "different keys are held", look=LRU)
def test_the_last_different_keys_are_held(tt, draw):
    worked = {
        ("abacab", 2): "abcb",
        ("abcabcabc", 3): "abc",
        ("aabba", 1): "aba",
        ("abcba", 2): "abca",
        ("abacda", 3): "abcd",
        ("aaabcb", 2): "abc",
        ("abcdeabcde", 4): "abcdeabcde",
    }
    for _round in range(4):
        keys, slots = draw.choice(names(draw, 6), 24).tolist(), int(draw.integers(2, 5))
        worked[tuple(keys), slots] = [
            key for i, key in enumerate(keys) if key not in newest(keys[:i], slots)
        ]
    for (keys, slots), want in worked.items():
        call = f"{gets(keys, slots)}: the keys that were loaded"
        yield call, loaded(tt, keys, slots), list(want)


@law(4, "hits the gets", look="each get counts once: as a hit, or after load returned")
def test_loads_and_hits_are_counted(tt, draw):
    mixed = draw.choice(names(draw, 6), 20).tolist()
    for keys, slots in (("abacab", 2), ("aaaa", 1), ("abcabc", 2), (mixed, 3)):
        cache, files, _ = after(tt, keys, slots, {"a": None})
        want = len(files.asked), len(keys) - len(files.asked)
        call = f"{gets(keys, slots)}; load was called {want[0]} times: (loads, hits)"
        yield call, (cache.loads, cache.hits), want


class Value:
    """A value whose life can be watched."""


@law(5, "dropped before", look=ROOM)
def test_the_oldest_value_is_dropped_before_the_load(tt, draw):
    *some, last = names(draw, 7)
    for slots in (1, 2, 4):
        keys = [*some, *draw.permutation(some).tolist(), last]
        alive, at_load = weakref.WeakSet(), []

        def load(key, alive=alive, at_load=at_load):
            at_load.append(len(alive))
            value = Value()
            alive.add(value)
            return value

        cache = tt.FileCache(load, slots)
        for key in keys:
            cache.get(key)
        call, kept, most = f"{gets(keys, slots)}: values alive", len(alive), slots - 1
        fits = len(at_load) >= len(set(keys)) and max(at_load) <= most
        yield f"{call} at each call of load", at_load, f"at most {most}", fits
        yield f"{call} at the end", kept, f"at most {slots}", 0 < kept <= slots
        del cache


@law(6, "without a retry", look="one call of load, and no `try` that catches its error")
def test_an_error_of_load_reaches_the_caller(tt, draw):
    kinds = OSError, FileNotFoundError, TimeoutError, KeyError, IndexError, ValueError
    x, *some = names(draw, 3)
    for kind in kinds:
        for keys in ([], some):
            cache, files, _ = after(tt, keys, 2)
            got, want = failing(cache, files, x, kind("x")), (shown(kind("x")), 1)
            call = f"{gets([*keys, x], 2)}, and load({x}) raises {kind.__name__}"
            yield f"{call}: the error, and how often load({x}) was called", got, want


@law(7, "is not counted", look="counting and keeping come after load has returned")
def test_a_load_that_raises_leaves_nothing(tt, draw):
    a, x = names(draw, 2)
    for kind in (OSError, KeyError, SystemExit):
        for slots in (1, 3):
            cache, files, _ = after(tt, [a], slots)
            before = cache.loads, cache.hits
            failing(cache, files, x, kind("x"))
            call = f"{gets([a, x], slots)}, and load({x}) raises {kind.__name__}"
            yield f"{call}: (loads, hits)", (cache.loads, cache.hits), before
            call = f"{call}; then get({x}) again: the keys that it loads"
            yield call, lambda c=cache, f=files: (c.get(x), f.asked)[1], [x]


@law(8, "at most the oldest", look="which lines drop values, before and after load?")
def test_a_load_that_raises_costs_at_most_the_oldest(tt, draw):
    a, b, c, d, x = names(draw, 5)
    for kind in (OSError, SystemExit):
        for keys, slots, then, want in (
            ([a, b], 2, [b], []),
            ([a, b, c], 3, [b, c], []),
            ([a, b, c, d], 5, [b, c, d], []),
            ([a, b, c], 3, [d, b, c], [d]),
        ):
            cache, files, _ = after(tt, keys, slots)
            failing(cache, files, x, kind("x"))
            for key in then:
                cache.get(key)
            call = f"{gets(keys, slots)}; then {x}, which load cannot read; then"
            call = f"{call} {' '.join(map(str, then))}: the keys loaded after {x}"
            yield call, files.asked, want

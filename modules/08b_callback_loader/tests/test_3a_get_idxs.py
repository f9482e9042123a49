"""Laws of exercise 3a, get_idxs and shuffle_fn."""

import operator
from itertools import islice, permutations

from stand_ins_08b import Failing

from tinytorch.law_tools import ERRORS, raised_by, shown
from tinytorch.laws import law

COUNTS = "self.n says how many, whatever the dataset's length; 0 is a number"
OWN = "which Generator draws? self.rng: not np.random, not random, no new one"
# a seed and an epoch that are put together to one number meet at one of these
NUMBERS = (2, 3, 10, 31, 32, 100, 128, 256, 1000, 1024, 10_000, 65_536, 10**6)


class Squares:
    """A dataset without a length."""

    def __getitem__(self, index):
        return index * index

    def __repr__(self):
        return "a dataset without len"


class Order:
    """A sampler that counts how often it is read."""

    read = 0

    def __iter__(self):
        self.read += 1
        return iter([2, 0, 1])


def first_of(idxs, count=60):
    """The first ones, of Python's or NumPy's integers."""
    return [None if s is None else operator.index(s) for s in islice(idxs, count)]


@law(
    1,
    "A sampler decides",
    look="is self.sampler asked for first, with `is not None`, and returned as it is?",
)
def test_a_sampler_decides(tt, draw):
    for sampler in ([5, 0, 0], [], draw.integers(0, 9, 12).tolist()):
        got = lambda s=sampler: first_of(  # noqa: E731
            tt.DataLoader(range(9), n=3, sampler=s).get_idxs()
        )
        yield f"DataLoader(range(9), n=3, sampler={sampler}).get_idxs()", got, sampler
    pairs = [[2, 0], [1]]
    got = lambda: list(tt.DataLoader("abc", batch_sampler=pairs).get_idxs())  # noqa: E731
    yield f"DataLoader('abc', batch_sampler={pairs}).get_idxs()", got, pairs
    order = Order()
    loader = tt.DataLoader("abc", sampler=order)
    order.read = 0
    got = lambda: (loader.get_idxs() is order, order.read)  # noqa: E731
    call = "is DataLoader('abc', sampler=order).get_idxs() the order, and how often is"
    yield f"{call} it read?", got, (True, 0)


@law(2, "0, 1, 2", look=f"{COUNTS}, only None is none")
def test_a_dataset_gives_its_indices(tt, draw):
    count = int(draw.integers(10, 20))
    some = int(draw.integers(1, count))
    for data, n, want in (
        ("abc", None, 3),
        ("abcdef", 4, 4),
        ("abc", 0, 0),
        ([], None, 0),
        (range(count), some, some),
        (Squares(), 5, 5),
    ):
        loader = tt.DataLoader(data, n=n)
        call = f"DataLoader({data!r}, n={n}).get_idxs()"
        got = lambda one=loader: first_of(one.get_idxs())  # noqa: E731
        yield call, got, list(range(want))
        yield f"{call}, asked a second time", got, list(range(want))


@law(3, "A stream gives None", look=f"self.indexed is False: {COUNTS}, and means none")
def test_a_stream_gives_none(tt, draw):
    for n in (2, 0, 1, int(draw.integers(3, 60)), int(draw.integers(60, 10**6))):
        got = lambda n=n: first_of(tt.DataLoader(iter("abc"), n=n).get_idxs())  # noqa: E731
        call = f"DataLoader(iter('abc'), n={n}).get_idxs(): the first 60"
        yield call, got, [None] * min(n, 60)
    got = lambda: first_of(tt.DataLoader("abc", indexed=False).get_idxs())  # noqa: E731
    yield "DataLoader('abc', indexed=False).get_idxs()", got, [None] * 3


@law(4, "has no end", look="self.n is None: itertools.count(), itertools.repeat(None)")
def test_what_has_no_length_has_no_end(tt):
    for data, call, want in (
        (None, "", [None] * 60),
        (iter("abc"), "iter('abc')", [None] * 60),
        (Squares(), "a dataset without len", list(range(60))),
    ):
        got = lambda data=data: first_of(tt.DataLoader(data).get_idxs())  # noqa: E731
        yield f"DataLoader({call}).get_idxs(): the first 60", got, want


@law(
    5,
    "called once",
    look="self.shuffle_fn(idxs) gets 0, 1, ... once; return what it returns",
)
def test_get_idxs_hands_the_shuffle_on(tt, draw):
    count = int(draw.integers(5, 12))
    for n, answer in ((4, [9, 0, 3]), (3, []), (0, [7]), (count, ["any", None, [1]])):
        asked = []

        def mine(idxs, asked=asked, answer=answer):
            asked.append(first_of(idxs))
            return answer

        for shuffle in (True, False):
            asked.clear()
            loader = tt.DataLoader(range(n), shuffle=shuffle, shuffle_fn=mine)
            got = lambda one=loader, asked=asked: (list(one.get_idxs()), asked)  # noqa: E731
            numbers = list(range(n))
            want = (answer, [numbers]) if shuffle else (numbers, [])
            call = f"DataLoader(range({n}), shuffle={shuffle}, shuffle_fn=mine)"
            call = f"{call}.get_idxs(), mine gives {answer}: result, and what mine got"
            yield call, got, want
    for answer in (None, (2, 0), 0):
        loader = tt.DataLoader("abc", shuffle=True, shuffle_fn=lambda _, a=answer: a)
        call = f"DataLoader('abc', shuffle=True, shuffle_fn=lambda idxs: {answer})"
        yield f"{call}.get_idxs()", lambda one=loader: one.get_idxs(), answer


@law(
    6,
    "given indices once",
    look="each index is idxs[position], for each position of a permutation once: no"
    " draw with replacement, and no list that rng.shuffle made of another one",
)
def test_a_shuffle_keeps_every_index(tt, draw):
    drawn = draw.choice(1000, int(draw.integers(20, 40)), replace=False)
    seed = int(draw.integers(1000))
    loader = tt.DataLoader("abc", shuffle=True, seed=seed)
    for idxs in (
        [7, 4, 9],
        (3, 8),
        [5],
        [],
        range(50),
        range(0),
        [2**40, 1],
        drawn.tolist(),
        drawn,
    ):
        got = lambda idxs=idxs: sorted(first_of(loader.shuffle_fn(idxs)))  # noqa: E731
        text = "an array of them" if idxs is drawn else idxs
        yield f"sorted(loader.shuffle_fn({text}))", got, sorted(map(int, idxs))
    n = int(draw.integers(5, 20))
    got = lambda: sorted(  # noqa: E731
        first_of(tt.DataLoader(range(20), n=n, shuffle=True, seed=seed).get_idxs())
    )
    call = f"sorted(DataLoader(range(20), n={n}, shuffle=True).get_idxs())"
    yield call, got, list(range(n))


@law(
    7,
    "Every order is possible",
    look="a new Generator of the same seed draws the same again; a rotation or a"
    " reversal is no shuffle",
)
def test_every_order_is_possible(tt, draw):
    seed, three = int(draw.integers(1000)), [4, 5, 6]
    loader = tt.DataLoader("abc", shuffle=True, seed=seed)
    # an order is missed by 120 calls with probability (5/6)^120: a false alarm in 5e8
    seen = {tuple(first_of(loader.shuffle_fn(three))) for _ in range(120)}
    call = f"loader.shuffle_fn({three}), 120 times, seed={seed}: the orders that came"
    yield call, sorted(seen), sorted(permutations(three))
    many = [first_of(loader.shuffle_fn(range(20))) for _ in range(40)]
    call = "loader.shuffle_fn(range(20)), 40 times"
    different = len(set(map(tuple, many)))
    yield f"{call}: different orders", different, 40
    # 8 or fewer come first in one of 6e10 runs
    firsts = {order[0] for order in many}
    right = len(firsts) > 8
    yield f"{call}: how many come first", len(firsts), "about 17 of the 20", right


# a probe of `inside`
def orders_of(tt, rows):
    """What loaders of (seed, epoch) make of range(20), two orders each; with a
    number, self.rng is np.random.default_rng(number).
    """
    import numpy as np

    orders = []
    for seed, epoch, number in rows:
        loader = tt.DataLoader(range(20), shuffle=True, seed=seed)
        loader.now = loader._new_epoch(epoch)
        if number is not None:
            loader.now.rng = np.random.default_rng(number)
        pair = [loader.shuffle_fn(range(20)) for _ in "12"]
        orders.append([[int(s) for s in order] for order in pair])
    return orders


def of_one_loader(tt, numbers):
    """The orders of range(20) that a loader makes, one for each Generator."""
    import numpy as np

    loader, orders = tt.DataLoader(range(20), shuffle=True), []
    for number in numbers:
        loader.now.rng = np.random.default_rng(number)
        orders.append([int(s) for s in loader.shuffle_fn(range(20))])
    return orders


@law(8, "from nothing else", look="self.rng is another Generator in each epoch")
def test_the_order_is_drawn_from_the_rng_of_this_epoch(inside, draw):
    one, other = draw.choice(1000, 2, replace=False).tolist()
    first, second, again = inside(of_one_loader, [one, other, one])
    call = "shuffle_fn(range(20)) of one loader; self.rng is np.random.default_rng"
    yield f"{call}({one}), ({other}), ({one}): the third order", again, first
    yield f"{call}({one}), ({other}): are the orders equal?", second == first, False


@law(8, "from nothing else", look=OWN)
def test_the_order_is_drawn_from_self_rng(tt, draw, inside, global_random_state):
    number, other, seed = draw.choice(1000, 3, replace=False).tolist()
    rows = [[1, 0, number], [seed, 3, number], [1, 0, other], [seed, 3, None]]
    before = global_random_state()
    one, same, another, own = inside(orders_of, rows)
    call = "shuffle_fn(range(20)), twice; self.rng is np.random.default_rng"
    yield f"{call}({number}), seeds 1 and {seed}: the orders of the second", same, one
    got = "the same orders" if one == another else "others"
    yield f"{call}({number}), then ({other}), both of seed 1", got, "others"
    got = lambda: inside(orders_of, rows[3:])[0]  # noqa: E731
    yield f"shuffle_fn(range(20)), twice; another loader of seed={seed}", got, own
    kept = global_random_state() == before
    yield "shuffle_fn(range(20)): are np.random and random as before?", kept, True


@law(
    9,
    "has its own order",
    look="what is the order drawn from? self.rng is made of seed and epoch; a sum, or a"
    " seed made of few bits, is equal for many",
)
def test_each_seed_and_epoch_has_an_order(inside, draw):
    pairs = [(seed, epoch) for seed in range(4) for epoch in range(4)]
    for other in (*NUMBERS, int(draw.integers(5, 10**5))):
        pairs += [(0, other), (other, 0), (1, other), (other, 1), (other, other)]
    pairs = list(dict.fromkeys(pairs))
    places = {}
    orders = inside(orders_of, [[*pair, None] for pair in pairs])
    for pair, order in zip(pairs, orders, strict=True):
        places.setdefault(str(order[0]), []).append(pair)
    alike = [same for same in places.values() if len(same) > 1]
    call = f"shuffle_fn(range(20)) for {len(pairs)} pairs (seed, epoch): pairs that"
    yield f"{call} have the same order", alike, []


# a probe of `inside`
def without_numbers(tt, name, text, idxs):
    """What comes of an error of self.rng, and how often self.rng was asked."""
    import builtins

    calls = []

    def fail(*_, **__):
        calls.append(1)
        raise getattr(builtins, name)(text)

    class NoNumbers:
        def __getattr__(self, name):
            return fail

    loader = tt.DataLoader("abc", shuffle=True)
    loader.now.rng = NoNumbers()
    try:
        got = f"no error, but {loader.shuffle_fn(idxs)!r}"
    except NotImplementedError:
        raise
    except Exception as problem:  # noqa: BLE001 - the law compares it
        got = f"{type(problem).__name__}: {problem}"
    return [got, len(calls)]


@law(10, "without a retry", look="no `try`: the error is for the caller")
def test_an_error_of_the_dataset_passes_through(tt, inside, draw):
    idxs = draw.integers(4, 10**6, 3).tolist()
    for error in ERRORS:
        failing = Failing(error)
        loader = tt.DataLoader("abcd", shuffle=True, shuffle_fn=failing.hook)
        got = raised_by(loader.get_idxs), failing.calls
        call = f"get_idxs(), shuffle_fn raises {shown(error)}: error, and calls of it"
        yield call, got, (shown(error), 1)
        call = f"shuffle_fn({idxs}), self.rng raises {shown(error)}: error, and"
        got = inside(without_numbers, type(error).__name__, error.args[0], idxs)
        yield f"{call} calls of self.rng", got, [shown(error), 1]

"""Laws of exercise 5a, shuffle_buffer."""

from itertools import islice

import numpy as np
from stand_ins_08c import (
    AS_IT_IS,
    OWN,
    generators_stay,
    process_does_not,
    seeds_decide,
    zero_is_a_seed,
)

from tinytorch.law_tools import ERRORS, Tape, raised_by, shown
from tinytorch.laws import law

EQUAL = "list(islice(shuffle_buffer(range(16), 12, lambda item: 1, {}), 10))"
ODD = [None, [0], [0], 0, "", np.zeros(2), np.zeros(2), None, (0, 1), (0, 1), False]
BIASED = "int(rng.random() * n) with the n held items, each time; the new one waits"


def one(item):
    return 1


class One:
    """The function `one`, where the code under test is; so no message is sent."""

    def __new__(cls, item):
        return 1


class Nothing:
    """The size 0, where the code under test is."""

    def __new__(cls, item):
        return 0


class LastOfFour:
    """Sizes of items 0, 1, ..., where the code under test is."""

    def __new__(cls, item):
        return (1, 1, 1, 9)[item % 4]


class InTurn:
    """Sizes of items 0, 1, ..., where the code under test is."""

    def __new__(cls, item):
        return (1, 10, 1, 10, 99)[item % 5]


def order(tt, items, room, size_of, seed, most=999):
    """What comes out first, also of a loop that never ends."""
    return list(islice(tt.shuffle_buffer(items, room, size_of, seed), most))


def with_seed(tt, stand_in):
    stand_in(one=One)
    return lambda seed: order(tt, list(range(16)), 12, tt.one, seed, 10)


def logged(tt, sizes, room, seed):
    """What came out of items 0, 1, ..., and for each item how many others had come
    when its size was asked.
    """
    out, asked = [], {}

    def size_of(item):
        asked.setdefault(item, len(out))
        return sizes[item]

    mixed = tt.shuffle_buffer(list(range(len(sizes))), room, size_of, seed)
    for item in islice(mixed, 999):
        out.append(item)
    return out, asked


def runs(draw, *fixed):
    """(call, sizes, room, seed): fixed ones, then drawn ones."""
    drawn = [(draw.integers(1, 60, 30).tolist(), 100) for _ in "123"]
    for sizes, room in (*fixed, *drawn):
        seed = int(draw.integers(1000))
        first = ", ".join(map(str, sizes[:12])) + ", ..." * (len(sizes) > 12)
        call = f"shuffle_buffer(items, {room}, size_of, {seed}), sizes {first}"
        yield call, sizes, room, seed


@law(
    1,
    "comes out once",
    look="is a chosen item also removed? What becomes of those that are held when the"
    " stream ends, and of the one that waits or never fits?",
)
def test_every_item_comes_out(tt, draw):
    for count, room in ((20, 5), (20, 0), (20, 1), (20, 99), (1, 5), (0, 5)):
        call = f"sorted(shuffle_buffer(range({count}), {room}, lambda item: 1, 5))"
        got = lambda n=count, r=room: sorted(order(tt, list(range(n)), r, one, 5))  # noqa: E731
        yield call, got, list(range(count))
    fixed = ([10, 90] * 8, 100), ([40, 300, 60, 100, 101, 5], 100)
    for call, sizes, room, seed in runs(draw, *fixed):
        got = lambda: sorted(logged(tt, sizes, room, seed)[0])  # noqa: E731
        yield f"{call}: items 0, 1, ..., sorted", got, list(range(len(sizes)))


@law(1, "comes out once", look="rows may be equal, or None: hold them by their place")
def test_any_value_may_be_an_item(tt):
    for items in (ODD, [(0, 1), (2, 3)], ["a", "b", "c"], [None, None], [[1], [1]]):
        for room in (3, 99):
            call = f"sorted(shuffle_buffer({items}, {room}, lambda item: 1, 0))"
            got = lambda x=items, r=room: sorted(map(repr, order(tt, x, r, one, 0)))  # noqa: E731
            yield call, got, sorted(map(repr, items))


@law(
    2,
    "held items together",
    look="do held and new fit together? When one leaves, is its own size subtracted?",
)
def test_the_held_bytes(tt, draw):
    fixed = (
        ([60] * 8, 100),
        ([9, 1, 8, 1, 7, 1], 3),
        ([10, 90, 10, 10, 10, 90, 70] * 4, 100),
    )
    for call, sizes, room, seed in runs(draw, *fixed):
        out, asked = logged(tt, sizes, room, seed)
        held = [
            sum(sizes[:item]) - sum(sizes[k] for k in out[:came])
            for item, came in asked.items()
        ]
        most = max(held, default=0)
        call = f"{call}: bytes that are held when a size is asked, at most"
        yield call, most, f"{room} or less", len(out) > 1 and most <= room


@law(3, "leave only until", look="how many leave for one new item? max_bytes fit, too")
def test_no_more_leave_than_must(tt, draw):
    fixed = ([1] * 12, 4), ([100] * 5, 100), ([50, 50, 20, 20, 20, 90, 100, 100], 100)
    for call, sizes, room, seed in runs(draw, *fixed):
        out, asked = logged(tt, sizes, room, seed)
        there = []
        for place in range(len(out)):
            taken = [item for item, came in asked.items() if came <= place]
            if len(taken) < len(sizes):
                there.append(sum(sizes[k] for k in {*taken} - {*out[:place]}))
        least = min(there, default=0)
        call = f"{call}: bytes of all items that are there when one leaves, at least"
        yield call, least, f"more than {room}", len(out) > 1 and least > room


@law(4, "equally likely", look=BIASED)
def test_any_held_item_may_leave(tt, draw, stand_in):
    for room in (0, 1):
        call = f"list(shuffle_buffer(range(8), {room}, lambda item: 1, 5))"
        yield call, order(tt, list(range(8)), room, one, 5), list(range(8))
    stand_in(one=One)
    seed, held, counts = int(draw.integers(1000)), [0, 1, 2], [0, 0, 0, 0]
    for place, item in enumerate(order(tt, list(range(603)), 3, tt.one, seed, 600)):
        counts[held.index(item) if item in held else 3] += 1
        held = [other for other in [*held, 3 + place] if other != item]
    # the deviation of each of three is 11.5; 74 is more than six of them
    right = counts[3] == 0 and abs(np.array(counts[:3]) - 200).max() < 74
    call = f"shuffle_buffer(range(603), 3, lambda item: 1, {seed}): how often the"
    call = f"{call} oldest of three held items leaves, the second, third, any other"
    yield call, counts, [200, 200, 200, 0], right


@law(4, "equally likely", look=f"{BIASED}, whatever its size and the new one's")
def test_sizes_do_not_decide_who_leaves(tt, draw, stand_in):
    stand_in(in_turn=InTurn)
    seed = int(draw.integers(1000))
    out = order(tt, list(range(500)), 12, tt.in_turn, seed)
    out = ["abcd!"[item % 5] for item in out]
    if len(out) == 500 and out[4::5] != ["!"] * 100:
        return  # promise 5 says so
    call = f"shuffle_buffer(items, 12, size_of, {seed}); 100 times a to d of 1, 10,"
    call = f"{call} 1 and 10 bytes, then one of 99"
    first = [out[::5].count(name) for name in "abcd"]
    # deviations are at most 5; 30 is six of them
    right = first[3] == 0 and abs(np.array(first[:3]) - 100 / 3).max() < 30
    yield f"{call}: how often a, b, c, d leave first", first, [33, 33, 33, 0], right
    last = out[3::5].count("d")
    yield f"{call}: how often d leaves last", last, "about 61", abs(last - 61) < 32


@law(4, "equally likely", look=f"{BIASED}, also if several leave for one item")
def test_each_that_leaves_is_drawn_anew(tt, draw, stand_in):
    stand_in(last_of_four=LastOfFour)
    seed = int(draw.integers(1000))
    out = order(tt, list(range(480)), 3, tt.last_of_four, seed)
    names = "".join("abc!"[item % 4] for item in out)
    if len(out) == 480 and out[3::4] != list(range(3, 480, 4)):
        return  # promise 5 says so
    orders = ["abc", "acb", "bac", "bca", "cab", "cba"]
    got = [names.count(f"{one}!") for one in orders]
    # one of six is missing with probability 2e-9; the deviation of each is 4.1
    call = (
        f"shuffle_buffer(items, 3, size_of, {seed}); 120 times a to c of 1 byte, then"
    )
    call = f"{call} one of 9: how often they leave as {', '.join(orders)}"
    yield call, got, "about 20 each", 0 < min(got) and max(got) < 47


@law(5, "larger than max_bytes", look="all that is held leaves, then it, then the next")
def test_a_large_item_waits_and_is_not_held(tt, draw):
    sizes = draw.integers(1, 9, 20).tolist()
    sizes[int(draw.integers(5, 15))] = 1000
    fixed = ([1, 1, 9, 1, 1], 3), ([2, 9, 9, 1], 3), ([9, 8, 7, 1], 3), (sizes, 30)
    fixed += ([0, 0, 9, 1, 1], 3), ([0, 5, 0, 0, 7, 0], 0)
    for call, sizes, room, seed in runs(draw, *fixed):
        large = [item for item, size in enumerate(sizes[:-1]) if size > room]
        out, asked = logged(tt, sizes, room, seed)
        got = [(out.index(k), asked.get(k + 1)) for k in large if k in out]
        call = f"{call}: items before each large one, and before the next size is asked"
        yield call, got, [(k, k + 1) for k in large]


@law(6, "random order", look="does each seed choose anew among those that are left?")
def test_what_is_left_is_mixed(tt, draw, stand_in):
    stand_in(one=One, nothing=Nothing)
    first = int(draw.integers(1000))
    orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
    for room, size, size_of in ((5, 1, tt.one), (0, 0, tt.nothing)):
        runs = [order(tt, [0, 1, 2], room, size_of, first + i, 3) for i in range(120)]
        got = [runs.count(one) for one in orders]
        # one of six is missing with probability 2e-9; the deviation of each is 4.1
        call = f"shuffle_buffer(range(3), {room}, lambda item: {size}, seed), 120 seeds"
        call = f"{call} from {first} on: how often each of {orders}"
        yield call, got, "about 20 each", 0 < min(got) and max(got) < 47


@law(7, "Nothing is taken", look="is the stream made a list, or an item taken ahead?")
def test_nothing_is_taken_ahead(tt, draw):
    fixed = ([1] * 12, 4), ([1] * 6, 1), ([40, 60, 30, 100, 250, 10, 90, 20], 100)
    for call, sizes, room, seed in runs(draw, *fixed):
        out, there = [], []

        def stream(sizes=sizes, out=out, there=there):
            for item in range(len(sizes)):
                there.append(sum(sizes[:item]) - sum(sizes[k] for k in out))
                yield item

        mixed = tt.shuffle_buffer(stream(), room, lambda k, s=sizes: s[k], seed)
        before = len(there)
        yield f"{call}: items taken before the first next()", before, 0
        for item in islice(mixed, 999):
            out.append(item)
        most = max(there, default=0)
        call = f"{call}: bytes taken and not handed out when the next is taken, at most"
        yield call, most, f"{room} or less", len(out) > 1 and most <= room


@law(8, "asked once", look="in how many places is size_of called? Hold (item, size)")
def test_a_size_is_asked_once(tt, draw):
    fixed = ([1] * 9, 4), ([9, 1, 1, 9], 3), ([0, 2], 0)
    for call, sizes, room, seed in runs(draw, *fixed):
        asked = []

        def size_of(item, sizes=sizes, asked=asked):
            asked.append(item)
            return sizes[item]

        order(tt, list(range(len(sizes))), room, size_of, seed)
        got, want = sorted(asked), list(range(len(sizes)))
        yield f"{call}: the items whose size is asked, sorted", got, want


@law(9, "alone decide", look=f"{AS_IT_IS}; what else decides the order?")
def test_the_seed_decides(tt, draw, stand_in):
    run = with_seed(tt, stand_in)
    yield from seeds_decide(run, EQUAL, 10, draw)
    yield from zero_is_a_seed(run, EQUAL, 10)
    yield from process_does_not(run, EQUAL, stand_in)


@law(9, "alone decide", look="a choice depends on no item, value or hash")
def test_the_items_do_not_decide(tt, draw):
    for _call, sizes, room, seed in runs(draw, ([1] * 30, 10)):
        numbers = logged(tt, sizes, room, seed)[0]
        words = [f"row {99 - k}" for k in range(len(sizes))]
        of = dict(zip(words, sizes, strict=True))
        got = order(tt, words, room, lambda word, of=of: of[word], seed)
        call = f"shuffle_buffer({words[:2]} ..., {room}, size_of, {seed}); numbers of"
        call = f"{call} these sizes come as {numbers[:4]} ...: the order, and how many"
        want = [words[k] for k in numbers]
        yield call, (got, len(got)), (want, len(sizes))


@law(10, "global random generators", look=OWN)
def test_the_shared_generators_stay(tt, stand_in, draw, global_random_state):
    run = with_seed(tt, stand_in)
    yield from generators_stay(run, EQUAL, 10, draw, global_random_state)


@law(11, "without a retry", look="no `try`: the error goes on its way")
def test_an_error_passes_through(tt, draw):
    seed, low = draw.integers(4, 10**5, 2).tolist()
    for error in ERRORS:
        asked = []

        def fails(item, asked=asked, error=error):
            asked.append(item)
            if item == low + 3:
                raise error
            return 1

        for kind, tape in (
            ("the stream", Tape(range(low, low + 3), error)),
            ("size_of", Tape(range(low, low + 9))),
        ):
            asked.clear()
            got = raised_by(lambda: order(tt, tape, 2, fails, seed))
            call = f"list(shuffle_buffer(stream, 2, size_of, {seed})); {kind} raises"
            call = f"{call} {shown(error)} for item {low + 3}, its fourth: error, items"
            call = f"{call} and sizes asked"
            want = shown(error), 4, [low + k for k in range(3 + (kind == "size_of"))]
            yield call, (got, tape.reads, list(asked)), want

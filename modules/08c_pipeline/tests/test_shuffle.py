"""Promises of the shuffle buffer. `tt` is your exported package."""

import numpy as np
import pytest

from tinytorch.testing import expect

pytestmark = pytest.mark.contract("test_shuffle_buffer")


def raised(action):
    """The error that `action` raises, as it is shown: "KeyError: 'x'"."""
    try:
        action()
    except NotImplementedError:  # your turn
        raise
    except (
        AttributeError,
        LookupError,
        OSError,
        RuntimeError,
        TypeError,
        ValueError,
    ) as problem:
        return f"{type(problem).__name__}: {problem}"
    return "no error"


class BrokenStream:
    """A stream that raises an error after its items; it counts what is asked."""

    def __init__(self, items, error):
        self.items, self.error, self.asked = list(items), error, 0

    def __iter__(self):
        return self

    def __next__(self):
        self.asked += 1
        if self.asked > len(self.items):
            raise self.error
        return self.items[self.asked - 1]


ERRORS = (
    OSError("disk gone"),
    KeyError("row 3"),
    ValueError("broken image"),
    TypeError("?"),
)


def one(item):
    return 1


# Seeds as the loader makes them: whoever adds, multiplies or joins the two numbers
# makes one seed of two.
SEEDS = [
    [seed, epoch]
    for seed in (0, 1, 2, 11, 100, 1000)
    for epoch in (0, 1, 2, 11, 100, 1000)
]


def mixed(tt, count, room, seeds):
    return [
        list(tt.shuffle_buffer(list(range(count)), room, lambda item: 1, seed))
        for seed in seeds
    ]


def test_nothing_is_lost_and_nothing_comes_twice(tt):
    for count in (30, 1, 0):
        for room in (0, 1, 7, 30, 99):
            got = list(tt.shuffle_buffer(list(range(count)), room, one, 5))
            expect(
                sorted(got) == list(range(count)),
                "Every item comes out once, whatever it is and however large.",
                call=f"list(shuffle_buffer(range({count}), {room}, lambda item: 1, 5))",
                got=f"{len(got)} items, {len(set(got))} different: {got}",
                want=f"{count} items, {count} different",
                look="is a chosen item also removed from those that are held?"
                if len(set(got)) < len(got)
                else "what becomes of those that are held when the stream ends, and of"
                " the item that waits for its place?",
            )


def test_any_value_may_be_an_item(tt):
    twins = [None, [1], [1], 0, "", np.ones(2), np.ones(2), False, None, 0]
    got = list(tt.shuffle_buffer(twins, 4, one, 5))
    expect(
        sorted(map(str, got)) == sorted(map(str, twins)),
        "Every item comes out once, whatever it is and however large.",
        call='shuffle_buffer([None, [1], [1], 0, "", np.ones(2), np.ones(2), False,'
        " None, 0], 4, lambda item: 1, 5)",
        got=got,
        want="the same items, mixed",
        look="rows are lists, and two may be equal: is an item compared with another"
        " value, or removed by its value and not by its place?",
    )


def test_no_room_means_no_change(tt):
    for room in (0, 1):
        got = list(tt.shuffle_buffer(list(range(8)), room, one, 5))
        expect(
            got == list(range(8)),
            "Each held item is equally likely to leave; the new one must wait.",
            call=f"list(shuffle_buffer(range(8), {room}, lambda item: 1, 5))",
            got=got,
            want=list(range(8)),
            look="the item in hand is not among those that may be chosen; here there is"
            " no choice",
        )


def test_no_item_comes_earlier_than_the_buffer_allows(tt):
    room = 6
    got = list(tt.shuffle_buffer(list(range(50)), room, one, 8))
    early = max(item - place for place, item in enumerate(got))
    expect(
        early < room,
        "The held items together have at most `max_bytes`.",
        call=f"list(shuffle_buffer(range(50), {room}, lambda item: 1, 8))",
        got=f"an item came {early} places early",
        want=f"at most {room - 1} places early",
        look="how many items are held, and does the new one wait outside?",
    )
    expect(
        got != sorted(got),
        "Each held item is equally likely to leave; the new one must wait.",
        call=f"list(shuffle_buffer(range(50), {room}, lambda item: 1, 8))",
        got="0, 1, 2, ...",
        want="another order",
        look="which of the held items is yielded? is anything held?",
    )


def test_bytes_count_and_not_items(tt):
    heavy_first = [("heavy", 90)] + [("light", 10)] * 12
    got = [
        name for name, _ in tt.shuffle_buffer(heavy_first, 100, lambda item: item[1], 3)
    ]
    expect(
        got.count("light") == 12 and got.count("heavy") == 1,
        "Every item comes out once, whatever it is and however large.",
        call="shuffle_buffer(items, 100, size_of, 3): one item of 90 bytes, then 12 of"
        " 10",
        got=got,
        want="1 heavy, 12 light",
        look="what becomes of those that are held when the stream ends, and of the item"
        " that waits for its place?",
    )
    for seed in range(12):
        # four items in the right order by chance, twelve times: never
        got = [
            name
            for name, _ in tt.shuffle_buffer(
                [(name, 60) for name in "abcd"], 100, lambda item: item[1], seed
            )
        ]
        expect(
            got == ["a", "b", "c", "d"],
            "The held items together have at most `max_bytes`.",
            call=f"shuffle_buffer('abcd', 100, lambda item: 60, {seed})",
            got=got,
            want=["a", "b", "c", "d"],
            look="two items of 60 bytes do not fit into 100: add up size_of(item)",
        )


def test_the_buffer_reads_no_further_than_it_must(tt):
    taken = []

    def stream():
        for item in range(20):
            taken.append(item)
            yield item

    mixed = iter(tt.shuffle_buffer(stream(), 4, one, 1))
    counts = []
    while len(counts) < 4:
        next(mixed)
        counts.append(len(taken))
    expect(
        counts == [5, 6, 7, 8],
        "If the new item does not fit, held items leave only until it fits.",
        call="shuffle_buffer(stream, 4, lambda item: 1, 1): the items taken after 1, 2,"
        " 3 and 4 outputs",
        got=counts,
        want=[5, 6, 7, 8],
        look="four items of 1 byte fit; how many leave for one new item?",
    )


def test_the_seed_decides_the_order(tt):
    orders = [
        list(tt.shuffle_buffer(list(range(40)), 10, one, seed)) for seed in (3, 3, 4)
    ]
    expect(
        all(sorted(order) == list(range(40)) for order in orders),
        "Every item comes out once, whatever it is and however large.",
        call="shuffle_buffer(range(40), 10, lambda item: 1, seed) for the seeds 3, 3"
        " and 4: how many items",
        got=[f"{len(order)}, {len(set(order))} different" for order in orders],
        want=[40, 40, 40],
        look="what becomes of those that are held when the stream ends, and of the item"
        " that waits for its place?",
    )
    expect(
        orders[0] == orders[1] and orders[0] != orders[2],
        "Seed and sizes alone decide the order; 0 is a seed, None draws a new seed.",
        call="shuffle_buffer(range(40), 10, lambda item: 1, seed) for the seeds 3, 3"
        " and 4",
        got=f"begin with {[order[:6] for order in orders]}",
        want="the first two equal, the third another",
        look="np.random.default_rng(seed), once: what else decides the order?",
    )


def test_a_shuffle_leaves_the_global_generators(tt, global_random_state):
    before = global_random_state()
    got = list(tt.shuffle_buffer(list(range(40)), 10, one, 3))
    expect(
        sorted(got) == list(range(40)),
        "Every item comes out once, whatever it is and however large.",
        call="list(shuffle_buffer(range(40), 10, lambda item: 1, 3))",
        got=f"{len(got)} items, {len(set(got))} different",
        want="40 items, 40 different",
        look="what becomes of those that are held when the stream ends, and of the item"
        " that waits for its place?",
    )
    expect(
        global_random_state() == before,
        "The global random generators are not changed.",
        call="list(shuffle_buffer(range(40), 10, lambda item: 1, 3)): the state of"
        " np.random and of random, afterwards",
        got="changed",
        want="unchanged",
        look="np.random.default_rng(seed) is a generator of your own; np.random.seed,"
        " np.random.rand and random.random use those that everybody shares",
    )


def test_an_item_larger_than_the_buffer_passes_through(tt):
    sizes = {"a": 40, "b": 50, "large": 250, "c": 30, "d": 20}
    got = list(tt.shuffle_buffer(list(sizes), 100, lambda name: sizes[name], 2))
    expect(
        sorted(got) == sorted(sizes),
        "Every item comes out once, whatever it is and however large.",
        call="shuffle_buffer(items, 100, size_of, 2): items of 40, 50, 250, 30 and 20"
        " bytes",
        got=got,
        want=sorted(sizes),
        look="which are missing or come twice? the one of 250 bytes never fits: it is"
        " yielded when nothing is held",
    )
    expect(
        set(got[:2]) == {"a", "b"} and got[2] == "large",
        "An item larger than `max_bytes` comes as soon as nothing is held.",
        call="shuffle_buffer(items, 100, size_of, 2): a, b, large, c, d of 40, 50, 250,"
        " 30, 20 bytes",
        got=got,
        want="a and b, then large, then c and d",
        look="when large is in hand, all that is held leaves, then large, before the"
        " next item is taken",
    )


def test_what_is_left_comes_in_random_order(inside):
    # 240 orders of three held items, each expected 40 times with a deviation of 6:
    # below 10 is five deviations away.
    seen = [tuple(run) for run in inside(mixed, 3, 5, list(range(240)))]
    least = min(
        seen.count(order)
        for order in ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0))
    )
    expect(
        least >= 10,
        "When the stream has ended, the held items come in random order.",
        call="list(shuffle_buffer(range(3), 5, lambda item: 1, seed)), 240 seeds",
        got=f"{len(set(seen))} different orders, the rarest of six came {least} times",
        want="6 different orders, each about 40 times",
        look="when the stream has ended: int(rng.random() * n), with n items still"
        " held, and one generator for the whole function",
    )


def test_the_first_to_leave_is_any_of_those_held(inside):
    # The first output is one of five, 80 times each in 400, deviation 8: 40 is five
    # deviations away.
    first = [0] * 7
    for run in inside(mixed, 7, 5, list(range(400))):
        expect(
            sorted(run) == list(range(7)),
            "Every item comes out once, whatever it is and however large.",
            call="list(shuffle_buffer(range(7), 5, lambda item: 1, seed))",
            got=run,
            want="0 to 6 in some order",
            look="which items are missing, or come twice?",
        )
        first[run[0]] += 1
    expect(
        min(first[:5]) >= 40 and sum(first[5:]) == 0,
        "Each held item is equally likely to leave; the new one must wait.",
        call="next(shuffle_buffer(range(7), 5, lambda item: 1, seed)), 400 seeds: how"
        " often 0, 1, ... came",
        got=first,
        want="about 80 each for 0 to 4, none for 5 and 6",
        look="int(rng.random() * n), with the n items that are held; the new one is not"
        " among them",
    )


def left_for_a_large_one(tt, runs):
    sizes = {"a": 1, "b": 1, "c": 1, "large": 9}
    return [
        list(tt.shuffle_buffer(list(sizes), 4, lambda name: sizes[name], seed))
        for seed in range(runs)
    ]


def test_what_leaves_for_a_large_item_leaves_at_random(inside):
    # One of six orders is missing in 120 runs with probability 2e-9.
    got = inside(left_for_a_large_one, 120)
    expect(
        all(run[3:] == ["large"] for run in got),
        "An item larger than `max_bytes` comes as soon as nothing is held.",
        call="shuffle_buffer(items, 4, size_of, seed): a, b and c of 1 byte, then large"
        " of 9",
        got=next(run for run in [*got, []] if run[3:] != ["large"]),
        want="a, b and c in some order, then large",
        look="when large is in hand, all that is held leaves, then large",
    )
    orders = {tuple(run[:3]) for run in got}
    expect(
        len(orders) == 6,
        "Each held item is equally likely to leave; the new one must wait.",
        call="shuffle_buffer(items, 4, size_of, seed): a, b and c of 1 byte, then large"
        " of 9; 120 seeds",
        got=f"{len(orders)} orders of a, b and c",
        want="6 orders of a, b and c",
        look="how are those chosen that leave for an item that is too large?",
    )


def test_each_seed_has_its_own_order(inside):
    different = {tuple(run) for run in inside(mixed, 20, 8, SEEDS)}
    expect(
        len(different) == len(SEEDS),
        "Seed and sizes alone decide the order; 0 is a seed, None draws a new seed.",
        call="shuffle_buffer(range(20), 8, lambda item: 1, seed) for the seeds [0, 0],"
        " [0, 1], ..., [1000, 1000]",
        got=f"{len(SEEDS)} seeds give {len(different)} different orders",
        want=f"{len(SEEDS)} different orders",
        look="give the seed to default_rng as it is; added up or joined to one number,"
        " different seeds become the same",
    )
    runs = inside(mixed, 20, 8, [0, 0, None, None])
    expect(
        runs[0] == runs[1] and runs[2] != runs[3],
        "Seed and sizes alone decide the order; 0 is a seed, None draws a new seed.",
        call="shuffle_buffer(range(20), 8, lambda item: 1, seed) for the seeds 0, 0,"
        " None and None",
        got=[run[:5] for run in runs],
        want="the first two equal, the last two different",
        look="None means no seed: default_rng(None) is another generator each time"
        if runs[0] == runs[1]
        else "does 0 count as no seed?",
    )


def another_process(tt):
    """An order, and that of the same seed where hash(text) is another number, as it is
    in each new process of Python.
    """
    import builtins

    def run():
        return list(tt.shuffle_buffer(list(range(30)), 9, lambda item: 1, [3, 1]))

    first = run()
    vars(tt)["hash"] = lambda value: builtins.hash(value) + isinstance(value, str)
    try:
        return first, run()
    finally:
        del vars(tt)["hash"]


def test_the_same_seed_gives_the_same_order_in_another_process(inside):
    first, second = inside(another_process)
    expect(
        sorted(first) == list(range(30)) and first == second,
        "Seed and sizes alone decide the order; 0 is a seed, None draws a new seed.",
        call="shuffle_buffer(range(30), 9, lambda item: 1, [3, 1]) in two processes",
        got=f"{first[:6]}, then {second[:6]}",
        want="the same order twice",
        look="does the number of hash(text), another one in each process, decide the"
        " order?",
    )


def test_the_choices_do_not_look_at_the_items(tt):
    sizes = [5, 1, 4, 2, 8, 3, 9, 7, 6, 2, 5, 1, 4, 8, 3]
    numbers = list(tt.shuffle_buffer(list(range(15)), 12, lambda k: sizes[k], 6))
    expect(
        sorted(numbers) == list(range(15)),
        "Every item comes out once, whatever it is and however large.",
        call="list(shuffle_buffer(range(15), 12, size_of, 6)); sizes 5, 1, 4, 2, 8, 3,"
        " 9, ...",
        got=f"{len(numbers)} items, {len(set(numbers))} different",
        want="15 items, 15 different",
        look="what becomes of those that are held when the stream ends, and of the item"
        " that waits for its place?",
    )
    words = [f"row {99 - k}" for k in range(15)]
    of = dict(zip(words, sizes, strict=True))
    got = list(tt.shuffle_buffer(words, 12, lambda word: of[word], 6))
    want = [words[k] for k in numbers]
    expect(
        got == want,
        "Seed and sizes alone decide the order; 0 is a seed, None draws a new seed.",
        call="shuffle_buffer(items, 12, size_of, 6) of 15 numbers, then of 15 texts of"
        " the same sizes",
        got=f"texts {got[:4]}",
        want=f"texts {want[:4]}, at the same places as the numbers",
        look="what does a choice depend on? not on the items, their values or hashes",
    )


def test_an_item_as_large_as_the_room_is_held(tt):
    tape = BrokenStream(range(5), StopIteration())
    stream, counts = iter(tt.shuffle_buffer(tape, 100, lambda item: 100, 3)), []
    while len(counts) < 3:
        next(stream)
        counts.append(tape.asked)
    expect(
        counts == [2, 3, 4],
        "If the new item does not fit, held items leave only until it fits.",
        call="shuffle_buffer(stream, 100, lambda item: 100, 3): the items taken after"
        " 1, 2 and 3 outputs",
        got=counts,
        want=[2, 3, 4],
        look="an item of max_bytes fits; only a larger one is never held",
    )


def test_the_bytes_that_are_held_never_exceed_the_room(tt):
    sizes = [30, 30, 30, 10, 90, 20, 20, 20, 40, 70, 100, 5, 60, 35, 1]
    given, out, held, asked = [], [], [], []

    def stream():
        for number in range(15):
            held.append(sum(sizes[k] for k in given) - sum(sizes[k] for k in out))
            given.append(number)
            yield number

    def size_of(number):
        asked.append(number)
        return sizes[number]

    for item in tt.shuffle_buffer(stream(), 100, size_of, 2):
        out.append(item)
        if len(out) == 1:
            expect(
                given == [0, 1, 2, 3, 4],
                "Nothing is taken from the stream before it is needed.",
                call="next(shuffle_buffer(stream, 100, size_of, 2)); sizes 30, 30, 30,"
                " 10, 90, ...",
                got=f"{len(given)} items taken",
                want="5 items taken: four fit, the fifth does not",
                look="is the stream turned into a list? is an item taken ahead?"
                if len(given) > 5
                else "four items fit together, 100 bytes: why does one leave before the"
                " fifth has come?",
            )
    expect(
        max(held) <= 100,
        "The held items together have at most `max_bytes`.",
        call="shuffle_buffer(stream, 100, size_of, 2); sizes 30, 30, 30, 10, 90, 20,"
        " 20, 20, 40, 70, 100, ...",
        got=f"{max(held)} bytes are held when the next item is taken",
        want="at most 100",
        look="before the new item is held: do held and new fit together? when one"
        " leaves, is it its own size that you subtract?",
    )
    expect(
        sorted(asked) == list(range(15)),
        "`size_of` is asked once for each item.",
        call="shuffle_buffer(stream of 15, 100, size_of, 2)",
        got=f"{len(asked)} sizes asked",
        want="15 sizes asked",
        look="in how many places is size_of called? hold (item, size)",
    )


def test_errors_of_the_stream_and_of_sizes_pass_through(tt):
    asked = []
    for error in ERRORS:

        def fails(number):
            asked.append(number)
            if number == 3:
                raise error
            return 1

        for kind, tape in (
            ("the stream", BrokenStream(range(3), error)),
            ("size_of", BrokenStream(range(9), StopIteration())),
        ):
            asked.clear()
            got = raised(lambda: list(tt.shuffle_buffer(tape, 2, fails, 4)))
            want = f"{type(error).__name__}: {error}"
            expect(
                got == want and tape.asked == 4 and asked in ([0, 1, 2], [0, 1, 2, 3]),
                "An error of the stream or `size_of` reaches the caller unchanged,"
                " without a retry.",
                call=f"list(shuffle_buffer(stream, 2, size_of, 4)); {kind} raises"
                f" {want} for item 4",
                got=f"{got}; {tape.asked} items and {len(asked)} sizes asked",
                want=f"{want}; 4 items asked, and each size once",
                look="is anything asked again after the error?"
                if got == want
                else "is the error caught on its way? it needs no `try`",
            )


def first_to_leave(tt, runs):
    sizes = {"a": 1, "b": 2, "c": 1, "d": 2}
    return [
        next(iter(tt.shuffle_buffer(list(sizes), 4, lambda name: sizes[name], seed)))
        for seed in range(runs)
    ]


def test_small_items_leave_for_a_larger_one(inside):
    # The first output is one of three, 50 times each in 150, deviation 5.8: 20 is five
    # deviations away.
    first = inside(first_to_leave, 150)
    counts = {name: first.count(name) for name in "abc"}
    expect(
        min(counts.values()) >= 20 and "d" not in first,
        "Each held item is equally likely to leave; the new one must wait.",
        call="a, b, c and d have 1, 2, 1 and 2 bytes; max_bytes=4: which leaves first,"
        " 150 seeds",
        got=counts,
        want="about 50 times each",
        look="choose among all held items, whatever their size",
    )


def test_a_large_item_is_not_held(tt):
    for sizes, want in (([9, 8, 7], [1, 2, 3]), ([2, 9, 9], [2, 2, 3])):
        tape = BrokenStream(sizes, StopIteration())
        stream, counts = iter(tt.shuffle_buffer(tape, 3, lambda size: size, 4)), []
        for _ in sizes:
            next(stream)
            counts.append(tape.asked)
        expect(
            counts == want,
            "An item larger than `max_bytes` comes as soon as nothing is held.",
            call="shuffle_buffer(stream, 3, size_of, 4): the items taken after each"
            f" output; sizes {sizes}",
            got=counts,
            want=want,
            look="an item larger than max_bytes is never held, not even alone",
        )

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


class Broken:
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
                call=f"shuffle_buffer(range({count}), {room}, size 1, 5)",
                got=f"{len(got)} items, {len(set(got))} different",
                want=f"{count} items, {count} different",
                look="what is held when the stream ends?",
            )


def test_any_value_may_be_an_item(tt):
    twins = [None, [1], [1], 0, "", np.ones(2), np.ones(2), False, None, 0]
    got = list(tt.shuffle_buffer(twins, 4, one, 5))
    expect(
        sorted(map(str, got)) == sorted(map(str, twins)),
        "Every item comes out once, whatever it is and however large.",
        call=f"shuffle_buffer({twins}, 4, size 1, 5)",
        got=got,
        want="the same items, mixed",
        look="rows are lists, and two may be equal; choose a place, not a value",
    )


def test_no_room_means_no_change(tt):
    for room in (0, 1):
        got = list(tt.shuffle_buffer(list(range(8)), room, one, 5))
        expect(
            got == list(range(8)),
            "Each held item is equally likely to leave; the new one waits.",
            call=f"shuffle_buffer(range(8), {room}, size 1, 5)",
            got=got,
            want=list(range(8)),
            look="the item in hand is not among those that may be chosen",
        )


def test_no_item_comes_earlier_than_the_buffer_allows(tt):
    room = 6
    got = list(tt.shuffle_buffer(list(range(50)), room, one, 8))
    early = max(item - place for place, item in enumerate(got))
    expect(
        early < room,
        "Held items have at most `max_bytes` together.",
        call=f"shuffle_buffer(range(50), {room}, size 1, 8)",
        got=f"an item came {early} places early",
        want=f"at most {room - 1} places early",
        look="room is a limit, also at the beginning",
    )
    expect(
        got != sorted(got),
        "Each held item is equally likely to leave; the new one waits.",
        call="the same",
        got="0, 1, 2, ...",
        want="another order",
    )


def test_bytes_count_and_not_items(tt):
    heavy_first = [("heavy", 90)] + [("light", 10)] * 12
    got = [
        name for name, _ in tt.shuffle_buffer(heavy_first, 100, lambda item: item[1], 3)
    ]
    expect(
        got.count("light") == 12 and got.count("heavy") == 1,
        "Every item comes out once, whatever it is and however large.",
        call="one item of 90 bytes, 12 of 10; room for 100",
        got=got,
        want="1 heavy, 12 light",
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
            "Held items have at most `max_bytes` together.",
            call="four items of 60 bytes, room for 100",
            got=got,
            want=["a", "b", "c", "d"],
            look="add up size_of(item)",
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
        "When the new item does not fit, held items leave until it does, and no"
        " longer.",
        call="items taken after 1, 2, 3, 4 outputs; room for 4",
        got=counts,
        want=[5, 6, 7, 8],
        look="yield until the new item fits, and no longer",
    )


def test_the_seed_decides_the_order(tt):
    orders = [
        list(tt.shuffle_buffer(list(range(40)), 10, one, seed)) for seed in (3, 3, 4)
    ]
    expect(
        all(sorted(order) == list(range(40)) for order in orders),
        "Every item comes out once, whatever it is and however large.",
        call="shuffle_buffer(range(40), 10, size 1, seed)",
        got=[len(order) for order in orders],
        want=[40, 40, 40],
    )
    expect(
        orders[0] == orders[1] and orders[0] != orders[2],
        "Seed and sizes alone decide the order; 0 is a seed, None is random.",
        call="seeds 3, 3 and 4",
        got=orders[0][:8],
        want="the first two equal, the third another",
        look="np.random.default_rng(seed)",
    )


def test_a_shuffle_leaves_the_global_generators(tt, global_random_state):
    before = global_random_state()
    got = list(tt.shuffle_buffer(list(range(40)), 10, one, 3))
    expect(
        sorted(got) == list(range(40)),
        "Every item comes out once, whatever it is and however large.",
        call="shuffle_buffer(range(40), 10, size 1, 3)",
        got=len(got),
        want=40,
    )
    expect(
        global_random_state() == before,
        "The global random generators stay as they were.",
        call="the state of np.random and random",
        got="changed",
        want="unchanged",
    )


def test_an_item_larger_than_the_buffer_passes_through(tt):
    sizes = {"a": 40, "b": 50, "large": 250, "c": 30, "d": 20}
    got = list(tt.shuffle_buffer(list(sizes), 100, lambda name: sizes[name], 2))
    expect(
        sorted(got) == sorted(sizes),
        "Every item comes out once, whatever it is and however large.",
        call="items of 40, 50, 250, 30 and 20 bytes, room for 100",
        got=got,
        want=sorted(sizes),
        look="an item that can never fit is yielded when nothing is held",
    )
    expect(
        set(got[:2]) == {"a", "b"} and got[2] == "large",
        "An item larger than `max_bytes` comes as soon as nothing is held.",
        call="items of 40, 50, 250, 30 and 20 bytes, room for 100",
        got=got,
        want="a and b, then large, then c and d",
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
        "When the stream has ended, what is held comes in random order.",
        call="shuffle_buffer(range(3), 5, size 1, seed), 240 seeds",
        got=f"the rarest order came {least} times",
        want="about 40 times",
        look="choose at random until nothing is held",
    )


def test_the_first_to_leave_is_any_of_those_held(inside):
    # The first output is one of five, 80 times each in 400, deviation 8: 40 is five
    # deviations away.
    first = [0] * 7
    for run in inside(mixed, 7, 5, list(range(400))):
        expect(
            sorted(run) == list(range(7)),
            "Every item comes out once, whatever it is and however large.",
            call="shuffle_buffer(range(7), 5, size 1, seed)",
            got=run,
            want="0 to 6 in some order",
        )
        first[run[0]] += 1
    expect(
        min(first[:5]) >= 40 and sum(first[5:]) == 0,
        "Each held item is equally likely to leave; the new one waits.",
        call="the first output of shuffle_buffer(range(7), 5, size 1, seed), 400 seeds",
        got=first,
        want="about 80 each for 0 to 4, none for 5 and 6",
        look="int(rng.random() * n), with n held items",
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
        call="items a, b and c of 1 byte, large of 9; room for 4",
        got=got[0],
        want="a, b and c in some order, then large",
    )
    orders = {tuple(run[:3]) for run in got}
    expect(
        len(orders) == 6,
        "Each held item is equally likely to leave; the new one waits.",
        call="items a, b and c of 1 byte, large of 9; room for 4; 120 seeds",
        got=f"{len(orders)} orders of a, b and c",
        want="6 orders of a, b and c",
        look="choose at random here too",
    )


def test_each_seed_has_its_own_order(inside):
    different = {tuple(run) for run in inside(mixed, 20, 8, SEEDS)}
    expect(
        len(different) == len(SEEDS),
        "Seed and sizes alone decide the order; 0 is a seed, None is random.",
        call="shuffle_buffer(range(20), 8, size 1, seed), [0, 0], ..., [1000, 1000]",
        got=f"{len(SEEDS)} seeds give {len(different)} different orders",
        want=f"{len(SEEDS)} different orders",
        look="give the seed to default_rng as it is",
    )
    runs = inside(mixed, 20, 8, [0, 0, None, None])
    expect(
        runs[0] == runs[1] and runs[2] != runs[3],
        "Seed and sizes alone decide the order; 0 is a seed, None is random.",
        call="shuffle_buffer(range(20), 8, size 1, seed) for 0, 0, None and None",
        got=[run[:5] for run in runs],
        want="the first two equal, the last two different",
        look="does 0 count as no seed?",
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
        "Seed and sizes alone decide the order; 0 is a seed, None is random.",
        call="shuffle_buffer(range(30), 9, size 1, [3, 1]), in two processes",
        got=f"{first[:6]}, then {second[:6]}",
        want="the same order twice",
        look="hash(text) is another number in each process",
    )


def test_the_choices_do_not_look_at_the_items(tt):
    sizes = [5, 1, 4, 2, 8, 3, 9, 7, 6, 2, 5, 1, 4, 8, 3]
    numbers = list(tt.shuffle_buffer(list(range(15)), 12, lambda k: sizes[k], 6))
    expect(
        sorted(numbers) == list(range(15)),
        "Every item comes out once, whatever it is and however large.",
        call="15 items of 1 to 9 bytes, room for 12",
        got=f"{len(numbers)} items",
        want="15 items",
    )
    words = [f"row {99 - k}" for k in range(15)]
    of = dict(zip(words, sizes, strict=True))
    got = list(tt.shuffle_buffer(words, 12, lambda word: of[word], 6))
    want = [words[k] for k in numbers]
    expect(
        got == want,
        "Seed and sizes alone decide the order; 0 is a seed, None is random.",
        call="15 numbers, then 15 texts, with the same sizes and seed",
        got=got[:5],
        want=want[:5],
        look="what do the choices depend on?",
    )


def test_an_item_as_large_as_the_room_is_held(tt):
    tape = Broken(range(5), StopIteration())
    stream, counts = iter(tt.shuffle_buffer(tape, 100, lambda item: 100, 3)), []
    while len(counts) < 3:
        next(stream)
        counts.append(tape.asked)
    expect(
        counts == [2, 3, 4],
        "When the new item does not fit, held items leave until it does, and no"
        " longer.",
        call="items taken after 1, 2, 3 outputs; items of 100 bytes, room for 100",
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
                call="the first next(); sizes 30, 30, 30, 10, 90, ...; room for 100",
                got=f"{len(given)} items taken",
                want="5 items taken: four fit, the fifth does not",
                look="is the stream turned into a list?",
            )
    expect(
        max(held) <= 100,
        "Held items have at most `max_bytes` together.",
        call="15 items of 1 to 100 bytes, room for 100",
        got=f"{max(held)} bytes are held when the next item is taken",
        want="at most 100",
        look="compare held + new with max_bytes before you hold the new one",
    )
    expect(
        sorted(asked) == list(range(15)),
        "`size_of` is asked once for each item.",
        call="15 items of 1 to 100 bytes, room for 100",
        got=f"{len(asked)} sizes asked",
        want="15 sizes asked",
        look="hold (item, size)",
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
            ("the stream", Broken(range(3), error)),
            ("size_of", Broken(range(9), StopIteration())),
        ):
            asked.clear()
            got = raised(lambda: list(tt.shuffle_buffer(tape, 2, fails, 4)))
            want = f"{type(error).__name__}: {error}"
            expect(
                got == want and tape.asked == 4 and asked in ([0, 1, 2], [0, 1, 2, 3]),
                "What the stream or `size_of` raises reaches the caller unchanged,"
                " once.",
                call=f"three items; then {kind} raises {want}",
                got=f"{got}; {tape.asked} items and {len(asked)} sizes asked",
                want=f"{want}; 4 items asked, and each size once",
                look="is the error caught on its way?",
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
        "Each held item is equally likely to leave; the new one waits.",
        call="the first to leave; sizes 1, 2, 1 and 2, room for 4; 150 seeds",
        got=counts,
        want="about 50 times each",
        look="choose among all held items, whatever their size",
    )


def test_a_large_item_is_not_held(tt):
    for sizes, want in (([9, 8, 7], [1, 2, 3]), ([2, 9, 9], [2, 2, 3])):
        tape = Broken(sizes, StopIteration())
        stream, counts = iter(tt.shuffle_buffer(tape, 3, lambda size: size, 4)), []
        for _ in sizes:
            next(stream)
            counts.append(tape.asked)
        expect(
            counts == want,
            "An item larger than `max_bytes` comes as soon as nothing is held.",
            call=f"items taken after each output; sizes {sizes}, room for 3",
            got=counts,
            want=want,
            look="a large item is never held, not even alone",
        )

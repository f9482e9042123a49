"""Promises of the shuffle buffer. `tt` is your exported package."""

import pytest

from tinytorch.testing import expect

pytestmark = pytest.mark.contract("test_shuffle_buffer")


def one(item):
    return 1


def test_nothing_is_lost_and_nothing_comes_twice(tt):
    for room in (0, 1, 7, 30, 99):
        got = list(tt.shuffle_buffer(list(range(30)), room, one, 5))
        expect(
            sorted(got) == list(range(30)),
            "Every item comes out once, whatever it is and however large.",
            call=f"shuffle_buffer(range(30), {room}, size 1, 5)",
            got=f"{len(got)} items, {len(set(got))} different",
            want="30 items, 30 different",
            look="what is held when the stream ends?",
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


def test_what_is_left_comes_in_random_order(tt):
    # 240 orders of three held items, each expected 40 times with a deviation of 6:
    # below 10 is five deviations away.
    seen = [tuple(tt.shuffle_buffer([0, 1, 2], 5, one, seed)) for seed in range(240)]
    least = min(
        seen.count(order)
        for order in ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0))
    )
    expect(
        least >= 10,
        "When the stream has ended, what is held comes in random order.",
        call="shuffle_buffer([0, 1, 2], 5, size 1, seed), 240 seeds",
        got=f"the rarest order came {least} times",
        want="about 40 times",
        look="choose at random until nothing is held",
    )

"""Promises of the shuffle buffer. `tt` is your exported package."""

import numpy as np
import pytest

from tinytorch.testing import expect

pytestmark = pytest.mark.contract("contract_shuffle")


def one(item):
    return 1


def test_nothing_is_lost_and_nothing_comes_twice(tt):
    for room in (0, 1, 7, 30, 99):
        got = list(tt.shuffle_buffer(list(range(30)), room, one, 5))
        expect(
            sorted(got) == list(range(30)),
            "Every item comes out once.",
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
            "With room for one item or none the order does not change.",
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
        "No item comes out before it can have been held.",
        call=f"shuffle_buffer(range(50), {room}, size 1, 8)",
        got=f"an item came {early} places early",
        want=f"at most {room - 1} places early",
        look="room is a limit, also at the beginning",
    )
    expect(
        got != sorted(got),
        "The order changes.",
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
        "Every item comes out once.",
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
            "The limit is in bytes: two items that do not fit together are never held"
            " together.",
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
        "For each item that leaves, one is taken.",
        call="items taken after 1, 2, 3, 4 outputs; room for 4",
        got=counts,
        want=[5, 6, 7, 8],
        look="yield until the new item fits, and no longer",
    )


def test_the_seed_decides_the_order(tt, global_random_state):
    before = global_random_state()
    orders = [
        list(tt.shuffle_buffer(list(range(40)), 10, one, seed)) for seed in (3, 3, 4)
    ]
    expect(
        all(sorted(order) == list(range(40)) for order in orders),
        "Every item comes out once.",
        call="shuffle_buffer(range(40), 10, size 1, seed)",
        got=[len(order) for order in orders],
        want=[40, 40, 40],
    )
    expect(
        orders[0] == orders[1] and orders[0] != orders[2],
        "The seed decides the order.",
        call="seeds 3, 3 and 4",
        got=orders[0][:8],
        want="the first two equal, the third another",
        look="np.random.default_rng(seed)",
    )
    expect(
        global_random_state() == before,
        "The global generators are left alone.",
        call="the state of np.random and random",
        got="changed",
        want="unchanged",
    )


def test_the_loader_shuffles_by_bytes(tt):
    base = tt.pipeline({"x": np.arange(60, dtype=np.int64)}, seed=1)
    orders = {
        room: [int(row["x"]) for row in base.shuffle(buffer_size=room * 8e-6)]
        for room in (1, 10, 60)
    }
    expect(
        all(sorted(order) == list(range(60)) for order in orders.values()),
        "A shuffled epoch has every row once.",
        call="pipeline(60 rows of 8 bytes).shuffle(buffer_size=...)",
        got={room: len(set(order)) for room, order in orders.items()},
        want="60 each",
    )
    expect(
        orders[1] == list(range(60))
        and max(row - place for place, row in enumerate(orders[10])) < 10
        and orders[60] != sorted(orders[60]),
        "Room for one row changes nothing, room for ten moves no row forward by ten,"
        " room for all mixes.",
        call="8 bytes, 80 bytes, 480 bytes",
        got=orders[10][:12],
        want="rows that come at most 9 places early",
    )

"""Hidden: laws of the shuffle buffer, ranks, batches and plans on drawn inputs (`draw`)."""

import itertools

import numpy as np
import pytest

from tinytorch.testing import expect, expect_raises


def mixed(tt, draw):
    """A run of 30 items of drawn sizes: (room, what came out, bytes held when each item was taken,
    items whose size was asked).
    """
    sizes = [int(size) for size in draw.integers(1, 60, 30)]
    room = int(draw.integers(60, 150))
    given, out, held, asked = [], [], [], []

    def stream():
        for number in range(30):
            held.append(sum(sizes[i] for i in given) - sum(sizes[i] for i in out))
            given.append(number)
            yield number

    def size_of(number):
        asked.append(number)
        return sizes[number]

    for item in tt.shuffle_buffer(stream(), room, size_of, int(draw.integers(1000))):
        out.append(item)
    expect(
        sorted(out) == list(range(30)),
        "Every item comes out once, whatever it is and however large.",
        call=f"list(shuffle_buffer(range(30), {room}, size_of, seed)); sizes {sizes[:6]} ...",
        got=f"{len(out)} items, {len(set(out))} different",
        want="30 items, 30 different",
        look="what becomes of those that are held when the stream ends, and of the item that waits"
        " for its place?",
    )
    return room, out, held, asked


@pytest.mark.contract("test_shuffle_buffer")
def test_the_buffer_holds_no_more_than_its_bytes(tt, draw):
    for _ in range(4):
        room, _, held, _ = mixed(tt, draw)
        expect(
            max(held) <= room,
            "The held items together have at most `max_bytes`.",
            call=f"30 items of 1 to 59 bytes, room for {room}",
            got=f"{max(held)} bytes",
            want=f"at most {room}",
            look="before the new item is held: do held and new fit together? when one leaves, is it"
            " its own size that you subtract?",
        )


@pytest.mark.contract("test_shuffle_buffer")
def test_the_buffer_asks_each_size_once(tt, draw):
    _, _, _, asked = mixed(tt, draw)
    expect(
        sorted(asked) == list(range(30)),
        "`size_of` is asked once for each item.",
        call="shuffle_buffer(range(30), max_bytes, size_of, seed)",
        got=f"{len(asked)} sizes asked",
        want="30 sizes asked",
        look="in how many places is size_of called? hold (item, size)",
    )


@pytest.mark.contract("test_shuffle_buffer")
def test_the_buffer_takes_an_item_when_it_is_needed(tt, draw):
    room = int(draw.integers(3, 12))
    taken = []

    def stream():
        for item in range(40):
            taken.append(item)
            yield item

    out, counts = tt.shuffle_buffer(stream(), room, lambda item: 1, int(draw.integers(1000))), []
    out = iter(out)
    while len(counts) < 20:
        next(out)
        counts.append(len(taken))
    expect(
        counts == [*range(room + 1, room + 21)],
        "If the new item does not fit, held items leave only until it fits.",
        call=f"shuffle_buffer(stream, {room}, lambda item: 1, seed): the items taken after 1, 2,"
        " ... outputs",
        got=counts[:5],
        want=[*range(room + 1, room + 6)],
        look="how many leave for one new item?",
    )


@pytest.mark.contract("test_shuffle_buffer")
def test_an_item_that_never_fits_waits_for_the_others(tt, draw):
    for seed in range(8):
        sizes = [int(size) for size in draw.integers(1, 9, 20)]
        place = int(draw.integers(5, 15))
        sizes[place] = 1000
        got = list(
            tt.shuffle_buffer(list(range(20)), 30, lambda number, of=sizes: of[number], seed)
        )
        expect(
            sorted(got) == list(range(20)),
            "Every item comes out once, whatever it is and however large.",
            call="19 items of 1 to 8 bytes and one of 1,000, room for 30",
            got=f"{len(got)} items, {len(set(got))} different",
            want="20 items, 20 different",
            look="what becomes of those that are held when the stream ends, and of the item that"
            " waits for its place?",
        )
        expect(
            got.index(place) == place,
            "An item larger than `max_bytes` comes as soon as nothing is held.",
            call=f"where item {place} comes, which has 1,000 bytes; the others have 1 to 8, room"
            " for 30",
            got=got.index(place),
            want=f"{place}, behind all items before it",
            look="when it is in hand, all that is held leaves, then it, before the next item is"
            " taken",
        )


@pytest.mark.contract("test_shuffle_buffer")
def test_the_choices_look_at_sizes_alone(tt, draw):
    sizes = [int(size) for size in draw.integers(1, 9, 40)]
    seed = int(draw.integers(1000))
    numbers = list(tt.shuffle_buffer(list(range(40)), 30, lambda number: sizes[number], seed))
    texts = list(
        tt.shuffle_buffer(
            [f"row {k}" for k in range(40)], 30, lambda text: sizes[int(text.split()[1])], seed
        )
    )
    expect(
        sorted(numbers) == list(range(40)),
        "Every item comes out once, whatever it is and however large.",
        call="40 numbers of 1 to 8 bytes, room for 30",
        got=f"{len(numbers)} items, {len(set(numbers))} different",
        want="40 items, 40 different",
        look="what becomes of those that are held when the stream ends, and of the item that waits"
        " for its place?",
    )
    expect(
        texts == [f"row {k}" for k in numbers],
        "Seed and sizes alone decide the order; 0 is a seed, None draws a new seed.",
        call="40 numbers and 40 texts of the same sizes",
        got=f"texts {texts[:4]}",
        want=f"texts {[f'row {k}' for k in numbers[:4]]}, at the same places as the numbers",
        look="what does a choice depend on? not on the items, their values or hashes",
    )


def runs_of(tt, count, room, seeds):
    return [
        list(tt.shuffle_buffer(list(range(count)), room, lambda item: 1, seed)) for seed in seeds
    ]


@pytest.mark.contract("test_shuffle_buffer")
def test_every_held_item_may_be_next(inside, draw):
    # A right buffer never begins with one of five in 100 runs with probability 5 * 0.8**100 = 1e-9.
    base = int(draw.integers(2**30))
    runs = inside(runs_of, 8, 5, [base + k for k in range(100)])
    expect(
        all(sorted(run) == list(range(8)) for run in runs),
        "Every item comes out once, whatever it is and however large.",
        call="list(shuffle_buffer(range(8), 5, lambda item: 1, seed)), 100 seeds",
        got=next((run for run in runs if sorted(run) != list(range(8))), runs[0]),
        want="0 to 7 in some order",
        look="which items are missing, or come twice?",
    )
    first = np.bincount([run[0] for run in runs], minlength=8)
    expect(
        first[:5].min() >= 1 and first[5:].sum() == 0,
        "Each held item is equally likely to leave; the new one must wait.",
        call="next(shuffle_buffer(range(8), 5, lambda item: 1, seed)), 100 seeds: how often 0, 1,"
        " ... came",
        got=first.tolist(),
        want="about 20 each for 0 to 4, none for 5 to 7",
        look="int(rng.random() * n), with the n items that are held; the new one is not among them",
    )


@pytest.mark.contract("test_shuffle_buffer")
def test_what_is_left_is_mixed_too(inside, draw):
    # A right buffer never ends with one of six in 100 runs with probability 6 * (5/6)**100 = 7e-8.
    base = int(draw.integers(2**30))
    runs = inside(runs_of, 6, 9, [base + k for k in range(100)])
    expect(
        all(sorted(run) == list(range(6)) for run in runs),
        "Every item comes out once, whatever it is and however large.",
        call="list(shuffle_buffer(range(6), 9, lambda item: 1, seed)), 100 seeds",
        got=next((run for run in runs if sorted(run) != list(range(6))), runs[0]),
        want="0 to 5 in some order",
        look="which items are missing, or come twice?",
    )
    last = np.bincount([run[-1] for run in runs], minlength=6)
    expect(
        last.min() >= 1,
        "When the stream has ended, the held items come in random order.",
        call="list(shuffle_buffer(range(6), 9, lambda item: 1, seed)), 100 seeds: how often 0, 1,"
        " ... came last",
        got=last.tolist(),
        want="about 17 each",
        look="when the stream has ended: int(rng.random() * n), with n items still held",
    )


@pytest.mark.contract("test_shard")
def test_ranks_partition_every_stream(tt, draw):
    for _ in range(5):
        count, world = int(draw.integers(0, 40)), int(draw.integers(1, 7))
        parts = [list(tt.shard(list(range(count)), rank, world)) for rank in range(world)]
        expect(
            sorted(itertools.chain(*parts)) == list(range(count)),
            "Every item is on exactly one rank.",
            call=f"list(shard(list(range({count})), rank, {world})) for each rank",
            got=parts,
            want=f"0..{count - 1} once",
            look="which items are missing, or there twice? a short last round is shared, too",
        )
        expect(
            parts == [list(range(rank, count, world)) for rank in range(world)],
            "A rank gets item number `rank` of each round, in order.",
            call=f"list(shard(list(range({count})), rank, {world})) for each rank",
            got=parts,
            want=[list(range(rank, count, world)) for rank in range(world)],
            look="item number i belongs to rank i % world_size",
        )
        even = [list(tt.shard(list(range(count)), rank, world, True)) for rank in range(world)]
        expect(
            even == [part[: count // world] for part in parts],
            "With `even=True` no rank gets an item of a short last round.",
            call=f"list(shard(list(range({count})), rank, {world}, True)) for each rank",
            got=even,
            want=[part[: count // world] for part in parts],
            look="a round may be handed out only when it is complete",
        )


@pytest.mark.contract("test_shard")
def test_a_rank_outside_of_the_world_is_refused(tt, draw):
    world = int(draw.integers(2, 40))
    got = list(tt.shard(list(range(world)), world - 1, world))
    expect(
        got == [world - 1],
        "A rank gets item number `rank` of each round, in order.",
        call=f"list(shard(list(range({world})), {world - 1}, {world}))",
        got=got,
        want=[world - 1],
        look="the last rank gets the last item of each round",
    )
    for rank in (world, world + 17, -1, -world):
        expect_raises(
            ValueError,
            lambda: list(tt.shard(list(range(world)), rank, world)),
            "A rank outside 0..world_size-1 raises `ValueError` with both numbers.",
            says=[str(rank), str(world)],
            call=f"list(shard(list(range({world})), {rank}, {world}))",
            look="is the rank checked, does the message say both numbers? none is negative",
        )


@pytest.mark.contract("test_take_batches")
def test_batches_hold_the_stream(tt, draw):
    size = int(draw.integers(3, 9))
    whole, rest = size * int(draw.integers(1, 5)), int(draw.integers(1, size))
    for count in (0, rest, whole, whole + rest):
        for drop_last in (False, True):
            batches = tt.take_batches(list(range(count)), size, drop_last)
            got = [list(batch) for batch in itertools.islice(batches, 99)]
            want = [list(range(start, min(start + size, count))) for start in range(0, count, size)]
            want = [batch for batch in want if len(batch) == size or not drop_last]
            expect(
                got == want,
                "Batches are lists of `batch_size` items in order; the last one holds"
                " what is left.",
                call=f"list(take_batches(list(range({count})), {size}, {drop_last}))",
                got=got,
                want=want,
                look="what is yielded when `batch_size` items are there, and what when the stream"
                " ends?",
            )


# Other functions take the place of the student's own ones, so that only the plan is tested.


def dealt(stream, rank, world_size, even=False):
    items = list(stream)
    whole = len(items) - len(items) % world_size if even else len(items)
    return iter(items[rank:whole:world_size])


def backwards(items, max_bytes, size_of, seed=None):
    """Instead of a shuffle: everything, the last one first; it asks each size."""
    items = list(items)
    NOTED.append((max_bytes, seed, [size_of(item) for item in items]))
    return iter(items[::-1])


def cut(stream, batch_size, drop_last=False):
    items = list(stream)
    batches = [items[start : start + batch_size] for start in range(0, len(items), batch_size)]
    return iter([one for one in batches if len(one) == batch_size or not drop_last])


OTHERS = {"shard": dealt, "shuffle_buffer": backwards, "take_batches": cut}
NOTED = []  # what `backwards` was given: (max_bytes, seed, sizes)


def planned(tt, others, places, read, size_of, seed, settings):
    own = {name: getattr(tt, name) for name in others}
    vars(tt).update(others)
    try:
        return [list(batch) for batch in tt.plan_epoch(places, read, size_of, seed, **settings)]
    finally:
        vars(tt).update(own)


def drawn_plan(draw):
    """Settings of a plan, and the places that it has to read."""
    count, world = int(draw.integers(20, 40)), int(draw.integers(2, 5))
    rank, offset, size = (
        int(draw.integers(least, end)) for least, end in ((0, world), (1, 9), (2, 6))
    )
    settings = {"offset": offset, "rank": rank, "world_size": world, "batch_size": size}
    return count, settings, list(range(count))[offset:][rank::world]


@pytest.mark.contract("test_plan_epoch")
def test_a_plan_reads_its_own_places_once(inside, draw):
    count, settings, want = drawn_plan(draw)
    read = []

    def reader(place):
        read.append(place)
        return place

    size = settings["batch_size"]
    got = inside(planned, OTHERS, range(count), reader, lambda row: 1, 3, settings)
    expect(
        read == want,
        "Only the places of this rank are read, each once.",
        call=f"plan_epoch(range({count}), ..., **{settings}): the places that were read",
        got=read,
        want=want,
        look="where does `read` stand: before or after the skip and shard?",
    )
    expect(
        got == [want[start : start + size] for start in range(0, len(want), size)],
        "The first `offset` places are skipped, then the ranks share the others.",
        call=f"plan_epoch(range({count}), ..., **{settings})",
        got=got,
        want=[want[start : start + size] for start in range(0, len(want), size)],
        look="skip first, then shard, then read, then take_batches",
    )


@pytest.mark.contract("test_plan_epoch")
def test_a_plan_gives_the_buffer_what_it_needs(inside, draw):
    count, settings, want = drawn_plan(draw)
    room, seed = int(draw.integers(50, 500)), int(draw.integers(1, 1000))
    NOTED.clear()
    got = inside(
        planned,
        OTHERS,
        range(count),
        lambda place: place,
        lambda row: 10 * row,
        seed,
        {**settings, "buffer_bytes": room},
    )
    size, last_first = settings["batch_size"], want[::-1]
    expect(
        got == [last_first[start : start + size] for start in range(0, len(want), size)],
        "Rows are mixed in the buffer, then cut into batches.",
        call=f"plan_epoch(range({count}), ..., **{settings}, buffer_bytes={room}), with a buffer"
        " that turns the order around",
        got=got,
        want=[last_first[start : start + size] for start in range(0, len(want), size)],
        look="is the buffer used, with single rows? batches are cut last",
    )
    expect(
        NOTED == [(room, seed, [10 * row for row in want])],
        "The buffer gets `buffer_bytes`, `size_of` and `seed` unchanged.",
        call=f"plan_epoch(..., seed={seed}, buffer_bytes={room})",
        got=f"bytes, seed and sizes: {NOTED}",
        want=f"bytes, seed and sizes: {[(room, seed, [10 * row for row in want])]}",
        look="the same bytes, the same function of a row, the same seed",
    )


@pytest.mark.contract("test_plan_epoch")
def test_ranks_that_drop_have_equally_many_batches(inside, draw):
    world, size = int(draw.integers(2, 5)), int(draw.integers(2, 5))
    # one rank has a place more than the others, and with it one full batch more
    count = world * (3 * size - 1) + 1
    got = [
        inside(
            planned,
            OTHERS,
            range(count),
            lambda place: place,
            lambda row: 1,
            0,
            {"rank": rank, "world_size": world, "batch_size": size, "drop_last": True},
        )
        for rank in range(world)
    ]
    want = [
        [[rank + world * (size * batch + k) for k in range(size)] for batch in range(2)]
        for rank in range(world)
    ]
    expect(
        got == want,
        "With `drop_last=True` no rank has a batch that another lacks.",
        call=f"plan_epoch(range({count}), ..., rank=rank, world_size={world}, batch_size={size},"
        " drop_last=True) for each rank",
        got=got,
        want=want,
        look="both shard and take_batches need to know",
    )

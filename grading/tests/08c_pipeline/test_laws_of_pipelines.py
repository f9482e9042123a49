"""Hidden: laws on drawn inputs (`draw`)."""

import itertools

import numpy as np
import pytest

from tinytorch.testing import expect, expect_raises, near


@pytest.mark.contract("test_add_step")
def test_steps_keep_their_order_and_their_predecessors(tt, draw):
    names = draw.permutation(["shuffle", "batch", "offset", "query", "numpy"]).tolist()
    states = [{}]
    for number, name in enumerate(names):
        states.append(tt.add_step(states[-1], name, {"n": number}))
    for length, steps in enumerate(states):
        expect(
            list(steps) == names[:length],
            "Each loader keeps its own steps, in the order in which they were taken.",
            call=f"{length} steps",
            got=list(steps),
            want=names[:length],
            look="is one dict shared?",
        )
    for name in names:
        expect_raises(
            ValueError,
            lambda: tt.add_step(states[-1], name, {}),
            "Any step that was taken is refused, by name.",
            says=name,
            call=f"add_step(five steps, {name!r}, ...)",
        )


@pytest.mark.contract("test_apply_transform")
def test_a_transform_sees_each_column_once(tt, draw):
    row = {name: int(value) for name, value in zip("abcdef", draw.integers(1, 100, 6), strict=True)}
    chosen = draw.permutation(list(row)).tolist()[:4]
    calls = []

    def noting(name):
        def change(value):
            calls.append(name)
            return -value

        return change

    got = tt.apply_transform(
        row, {name: noting(name) if k % 2 else None for k, name in enumerate(chosen)}, {"unused": 1}
    )
    want = {name: -row[name] if k % 2 else row[name] for k, name in enumerate(chosen)}
    expect(
        got == want and list(got) == chosen,
        "The named columns come out in the transform's order, each through its own function.",
        call="apply_transform(row of six, four columns, ...)",
        got=got,
        want=want,
    )
    expect(
        calls == chosen[1::2],
        "Each function is called once, with its column.",
        call="calls",
        got=calls,
        want=chosen[1::2],
    )


@pytest.mark.contract("test_apply_transform")
def test_a_function_decides_what_comes_out(tt, draw):
    row = {name: int(value) for name, value in zip("abc", draw.integers(1, 100, 3), strict=True)}
    factor, seen = int(draw.integers(2, 9)), []

    def function(whole, factor=1, shift=0):
        seen.append(dict(whole))
        return [factor * whole["a"] + shift, whole["c"]]

    got = tt.apply_transform(row, function, {"shift": 1, "factor": factor})
    expect(
        got == [factor * row["a"] + 1, row["c"]],
        "What the function returns is the result, whatever it is.",
        call=f"apply_transform({row}, f, {{'shift': 1, 'factor': {factor}}})",
        got=got,
        want=[factor * row["a"] + 1, row["c"]],
        look="transform(row, **kwargs)",
    )
    expect(
        seen == [row],
        "The function is called once, with the whole row.",
        call="rows that f saw",
        got=seen,
        want=[row],
    )
    got = tt.apply_transform(row, None, {"factor": factor})
    expect(
        got == row,
        "Without a transform the row stays as it is.",
        call=f"apply_transform({row}, None, ...)",
        got=got,
        want=row,
    )


@pytest.mark.contract("test_draw_with_replacement")
def test_shares_follow_any_weights(tt, draw):
    weights = draw.uniform(0.1, 2, 6) * (draw.permutation(6) > 0)
    rows = tt.draw_with_replacement(weights, 6000, int(draw.integers(2**31)))
    shares, want = np.bincount(rows, minlength=6) / 6000, weights / weights.sum()
    # Deviations are at most 0.0065: 0.045 is seven of them, once in 1e11 for each of six.
    expect(
        len(shares) == 6 and np.all(np.abs(shares - want) < 0.045),
        "A row comes in proportion to its weight.",
        call=f"6,000 draws by {np.round(weights, 2)}",
        got=np.round(shares, 3),
        want=np.round(want, 3),
    )
    expect(
        shares[weights == 0].sum() == 0,
        "A row of weight 0 never comes.",
        call="the same",
        got=shares[weights == 0],
        want=0,
    )


@pytest.mark.contract("test_draw_with_replacement")
def test_only_the_ratio_of_weights_counts(tt, draw):
    # Deviation of the share at most 0.0063: 0.045 is seven of them.
    ratio = float(draw.uniform(1.5, 4))
    for scale in (1e-4, 1e5):
        rows = tt.draw_with_replacement(
            np.array([scale, scale * ratio]), 6000, int(draw.integers(2**31))
        )
        share, want = np.mean(rows == 1), ratio / (1 + ratio)
        expect(
            len(rows) == 6000 and abs(share - want) < 0.045,
            "Weights need not add up to 1 or be whole numbers.",
            call=f"6,000 draws by [{scale:g}, {scale * ratio:g}]",
            got=f"{share:.3f} are row 1",
            want=f"{want:.3f}",
            look="multiply by the total",
        )


@pytest.mark.contract("test_draw_with_replacement")
def test_draws_do_not_look_at_each_other(tt, draw):
    # Of 3,000 pairs of fair draws half are equal, deviation 27: 190 is seven of them.
    rows = tt.draw_with_replacement(np.ones(2), 6000, int(draw.integers(2**31))).reshape(-1, 2)
    equal = int((rows[:, 0] == rows[:, 1]).sum())
    expect(
        abs(equal - 1500) < 190,
        "Draws with replacement are independent.",
        call="pairs of draws by [1, 1]",
        got=f"{equal} of 3,000 pairs are equal",
        want="about 1,500",
    )


@pytest.mark.contract("test_draw_without_replacement")
def test_the_order_of_draws_without_replacement(tt, draw):
    # 1,500 times three rows of weights 1, 3 and 2. How three of the rows follow each other does not
    # depend on the others: (1, 0, 2) comes with probability 3/6 * 1/3. Deviation at most 0.0122:
    # 0.075 is six of them.
    weights = (1, 3, 2)
    rows = tt.draw_without_replacement(
        np.tile([1.0, 3.0, 2.0], 1500), 4500, int(draw.integers(2**31))
    )
    expect(
        sorted(rows.tolist()) == list(range(4500)),
        "Each row comes once.",
        call="4,500 draws from 4,500 rows",
        got=f"{len(set(rows.tolist()))} different rows",
        want="4,500",
    )
    orders = [tuple(three) for three in np.argsort(np.argsort(rows).reshape(-1, 3)).tolist()]
    for order in itertools.permutations(range(3)):
        want = weights[order[0]] / 6 * weights[order[1]] / (6 - weights[order[0]])
        got = orders.count(order) / 1500
        expect(
            abs(got - want) < 0.075,
            "Each order of draws is as likely as drawing one after the other makes it.",
            call=f"1,500 times rows of weights (1, 3, 2): the order {order}",
            got=f"{got:.3f}",
            want=f"{want:.3f}",
            look="log(u) / weight, largest key first, not sorted again",
        )


@pytest.mark.contract("test_draw_without_replacement")
def test_the_heavier_of_two_rows_comes_first_as_often_as_its_weight_says(tt, draw):
    # 2,500 light rows and 2,500 heavy ones: in each pair the heavy one comes first with probability
    # ratio / (1 + ratio), independent of the other pairs. Deviation at most 0.0095: 0.05 is more
    # than five of them, once in 1e7.
    ratio = float(draw.uniform(2, 4))
    weights = np.tile([1.0, ratio], 2500)
    rows = tt.draw_without_replacement(weights, 5000, int(draw.integers(2**31)))
    expect(
        sorted(rows.tolist()) == list(range(5000)),
        "Each row comes once.",
        call="5,000 draws from 5,000 rows",
        got=f"{len(set(rows.tolist()))} different rows",
        want="5,000",
    )
    place = np.argsort(rows).reshape(-1, 2)
    share, want = np.mean(place[:, 1] < place[:, 0]), ratio / (1 + ratio)
    expect(
        abs(share - want) < 0.05,
        "Each draw is in proportion to the weights that are left.",
        call=f"2,500 rows of weight 1, 2,500 of weight {ratio:.2f}, all drawn",
        got=f"of two rows the heavy one came first in {share:.1%}",
        want=f"{want:.1%}",
        look="log(u) / weight, largest key first",
    )


@pytest.mark.contract("test_draw_without_replacement")
def test_all_positive_rows_can_be_drawn(tt, draw):
    weights = draw.uniform(1e-6, 1e6, 40) * (draw.random(40) < 0.7)
    positive = np.flatnonzero(weights)
    rows = tt.draw_without_replacement(weights, len(positive), 1)
    expect(
        sorted(rows.tolist()) == positive.tolist(),
        "Every row of positive weight comes once when all are asked for.",
        call=f"{len(positive)} of 40 rows",
        got=sorted(rows.tolist()),
        want=positive.tolist(),
    )
    expect_raises(
        ValueError,
        lambda: tt.draw_without_replacement(weights, len(positive) + 1, 1),
        "One draw more is a ValueError with both numbers.",
        says=[str(len(positive)), str(len(positive) + 1)],
        call=f"size {len(positive) + 1}",
    )


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
        "Every item comes out once.",
        call=f"30 items of 1 to 59 bytes, room for {room}",
        got=f"{len(out)} items, {len(set(out))} different",
        want="30",
    )
    return room, out, held, asked


@pytest.mark.contract("test_shuffle_buffer")
def test_the_buffer_holds_no_more_than_its_bytes(tt, draw):
    for _ in range(4):
        room, _, held, _ = mixed(tt, draw)
        expect(
            max(held) <= room,
            "Never more than max_bytes are held when the next item is taken.",
            call=f"30 items of 1 to 59 bytes, room for {room}",
            got=f"{max(held)} bytes",
            want=f"at most {room}",
            look="compare held + new with max_bytes before you hold the new one",
        )


@pytest.mark.contract("test_shuffle_buffer")
def test_the_buffer_asks_each_size_once(tt, draw):
    _, _, _, asked = mixed(tt, draw)
    expect(
        sorted(asked) == list(range(30)),
        "size_of is asked once for each item.",
        call="30 items",
        got=f"{len(asked)} times",
        want="30 times",
        look="hold (item, size)",
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
        "The buffer is filled first, and then one item is taken for each that leaves.",
        call=f"items taken after 1, 2, ... outputs; room for {room}",
        got=counts[:5],
        want=[*range(room + 1, room + 6)],
        look="yield until the new item fits, and no longer",
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
            "Items of any size come out once, also one that is larger than the buffer.",
            call="19 items of 1 to 8 bytes and one of 1,000, room for 30",
            got=f"{len(got)} items",
            want="20 items",
        )
        expect(
            got.index(place) == place,
            "An item larger than the buffer comes when nothing else is held.",
            call=f"the place of item {place}, which has 1,000 bytes; room for 30",
            got=got.index(place),
            want=f"{place}, behind all items before it",
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
        "Every item comes out once.",
        call="40 numbers of 1 to 8 bytes, room for 30",
        got=f"{len(numbers)} items",
        want="40 items",
    )
    expect(
        texts == [f"row {k}" for k in numbers],
        "The same sizes and the same seed give the same order, whatever the items are.",
        call="40 numbers and 40 texts of the same sizes",
        got=texts[:5],
        want=[f"row {k}" for k in numbers[:5]],
        look="what do the choices depend on?",
    )


@pytest.mark.contract("test_shuffle_buffer")
def test_every_held_item_may_be_next(tt, draw):
    # A right buffer never begins with one of five in 100 runs with probability 5 * 0.8**100 = 1e-9.
    base = int(draw.integers(2**30))
    first = np.bincount(
        [
            next(iter(tt.shuffle_buffer(list(range(8)), 5, lambda item: 1, base + k)))
            for k in range(100)
        ],
        minlength=8,
    )
    expect(
        first[:5].min() >= 1 and first[5:].sum() == 0,
        "Each held item is equally likely, and the item in hand is not among them.",
        call="the first of shuffle_buffer(range(8), 5, size 1, seed), 100 seeds",
        got=first.tolist(),
        want="about 20 each for 0 to 4",
    )


@pytest.mark.contract("test_shuffle_buffer")
def test_what_is_left_is_mixed_too(tt, draw):
    # A right buffer never ends with one of six in 100 runs with probability 6 * (5/6)**100 = 7e-8.
    base = int(draw.integers(2**30))
    runs = [
        list(tt.shuffle_buffer(list(range(6)), 9, lambda item: 1, base + k)) for k in range(100)
    ]
    expect(
        all(sorted(run) == list(range(6)) for run in runs),
        "Every item comes out once.",
        call="shuffle_buffer(range(6), 9, size 1, seed), 100 seeds",
        got=sorted({len(run) for run in runs}),
        want=[6],
    )
    last = np.bincount([run[-1] for run in runs], minlength=6)
    expect(
        last.min() >= 1,
        "What is held at the end comes in random order.",
        call="the last of shuffle_buffer(range(6), 9, size 1, seed), 100 seeds",
        got=last.tolist(),
        want="about 17 each",
    )


@pytest.mark.contract("test_shard")
def test_ranks_partition_every_stream(tt, draw):
    for _ in range(5):
        count, world = int(draw.integers(0, 40)), int(draw.integers(1, 7))
        parts = [list(tt.shard(list(range(count)), rank, world)) for rank in range(world)]
        expect(
            sorted(itertools.chain(*parts)) == list(range(count)),
            "Every item is on exactly one rank.",
            call=f"{count} items, {world} ranks",
            got=parts,
            want=f"0..{count - 1} once",
        )
        expect(
            parts == [list(range(rank, count, world)) for rank in range(world)],
            "A rank gets its item of each round.",
            call=f"{count} items, {world} ranks",
            got=parts,
            want="rank, rank + world_size, ...",
        )
        even = [list(tt.shard(list(range(count)), rank, world, True)) for rank in range(world)]
        expect(
            even == [part[: count // world] for part in parts],
            "With even=True all ranks have equally many, without the unfinished round.",
            call=f"{count} items, {world} ranks, even=True",
            got=even,
            want=f"{count // world} each",
        )


@pytest.mark.contract("test_shard")
def test_a_rank_outside_of_the_world_is_refused(tt, draw):
    world = int(draw.integers(2, 40))
    got = list(tt.shard(list(range(world)), world - 1, world))
    expect(
        got == [world - 1],
        "The last rank is world_size - 1.",
        call=f"shard({world} items, {world - 1}, {world})",
        got=got,
        want=[world - 1],
    )
    for rank in (world, world + 17, -1, -world):
        expect_raises(
            ValueError,
            lambda: list(tt.shard(list(range(world)), rank, world)),
            "A rank outside 0..world_size-1 is a ValueError with both numbers.",
            says=[str(rank), str(world)],
            call=f"list(shard(..., {rank}, {world}))",
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
                "Batches are the stream, cut every batch_size items.",
                call=f"take_batches({count} items, {size}, {drop_last})",
                got=got,
                want=want,
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
        "The places of this rank, from the offset on, are read once and in order.",
        call=f"plan_epoch({count} places, {settings})",
        got=read,
        want=want,
    )
    expect(
        got == [want[start : start + size] for start in range(0, len(want), size)],
        "What was read comes out once, in full batches but the last.",
        call=f"plan_epoch({count} places, {settings})",
        got=got,
        want=want,
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
        "The buffer mixes rows, before they are cut into batches.",
        call=f"plan_epoch({count} places, {settings}, buffer_bytes={room}), backwards",
        got=got,
        want=last_first,
    )
    expect(
        NOTED == [(room, seed, [10 * row for row in want])],
        "The buffer gets buffer_bytes, size_of and the seed.",
        call=f"plan_epoch(..., seed={seed}, buffer_bytes={room})",
        got=[noted[:2] for noted in NOTED],
        want=[(room, seed)],
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
        "With drop_last no rank has a batch that another lacks.",
        call=f"{count} places, {world} ranks, batch_size={size}, drop_last=True",
        got=got,
        want=want,
        look="both shard and take_batches need to know",
    )


@pytest.mark.contract("test_follow")
def test_a_bookmark_may_be_followed_epoch_after_epoch(tt, draw):
    length, start = int(draw.integers(3, 9)), int(draw.integers(0, 3))
    mark, seen = tt.Bookmark(7, start), []
    for _ in range(3):
        seen.append([*mark.follow(iter(range(length)), list)])
        seen.append((mark.epoch, mark.batches))
    want = [
        list(range(start, length)),
        (8, 0),
        list(range(length)),
        (9, 0),
        list(range(length)),
        (10, 0),
    ]
    expect(
        seen == want,
        "Only the first epoch is a rest; each end stands before the next epoch.",
        call=f"Bookmark(7, {start}) through three epochs",
        got=seen,
        want=want,
    )


@pytest.mark.contract("test_shuffle_quality")
def test_quality_by_its_definition(tt, draw):
    order = draw.permutation(int(draw.integers(5, 200)))
    count = len(order)
    want = (
        sum(abs(int(place) - k) for k, place in enumerate(order))
        / count
        / ((count**2 - 1) / (3 * count))
    )
    got = tt.shuffle_quality(order.astype(np.uint8) if count < 200 else order)
    expect(
        near(got, want, within=1e-6),
        "Quality is the mean distance over that of a full shuffle.",
        call=f"shuffle_quality(a permutation of {count})",
        got=got,
        want=want,
        look="are small unsigned numbers subtracted?",
    )


@pytest.mark.contract("test_shuffle_quality")
def test_a_full_shuffle_has_quality_1(tt, draw):
    # The mean distance of a permutation of N has a relative deviation of about 0.56 / N**0.5, here
    # at most 0.0145: 0.09 is six of them.
    count = int(draw.integers(1500, 2500))
    got = tt.shuffle_quality(draw.permutation(count))
    expect(
        isinstance(got, float) and abs(got - 1) < 0.09,
        "A full shuffle has quality 1, a float, whatever its length.",
        call=f"shuffle_quality(a permutation of {count})",
        got=got,
        want="about 1",
    )
    backwards_too = tt.shuffle_quality(list(range(count))[::-1])
    expect(
        abs(backwards_too - 1.5) < 0.01,
        "A reversed order has moved half as far again.",
        call=f"shuffle_quality([{count - 1}, ..., 1, 0])",
        got=backwards_too,
        want="about 1.5",
    )


@pytest.mark.contract("test_follow")
def test_a_stop_at_any_batch_gives_the_rest(tt, draw):
    length = int(draw.integers(4, 9))
    names = [f"plan {number}" for number in draw.permutation(100)[:length].tolist()]
    for stop in range(length):
        first = tt.Bookmark(3, 0)
        batches = first.follow(iter(names), iter)
        got = [next(batches) for _ in range(stop)]
        second = tt.Bookmark(first.epoch, first.batches)
        got += list(second.follow(iter(names), iter))
        expect(
            got == names,
            "A stop at any batch of an epoch gives the same rest.",
            call=f"stop after {stop} of {length} batches, then follow with another Bookmark",
            got=got,
            want=names,
        )


@pytest.mark.contract("test_follow")
def test_a_load_is_called_once_with_the_rest_of_the_plan(tt, draw):
    length, start = int(draw.integers(5, 12)), int(draw.integers(1, 4))
    calls, states, ahead = [], [], int(draw.integers(1, 4))
    mark = tt.Bookmark(0, start)

    def load(plans):
        calls.append([])
        waiting = []
        for plan in plans:
            calls[-1].append(plan)
            waiting.append(-plan)
            if len(waiting) > ahead:
                yield waiting.pop(0)
        yield from waiting

    got = []
    for batch in mark.follow(iter(range(length)), load):
        got.append(batch)
        states.append((mark.epoch, mark.batches))
    expect(
        calls == [list(range(start, length))],
        "load is called once, with the plans that are still to come.",
        call=f"Bookmark(0, {start}).follow(plan of {length}, load)",
        got=calls,
        want=[list(range(start, length))],
        look="skip plans, not batches",
    )
    expect(
        got == [-plan for plan in range(start, length)]
        and states == [(0, number) for number in range(start + 1, length + 1)],
        "Each batch is counted at the moment when it is handed out.",
        call=f"a load that is {ahead} plans ahead; (epoch, batches)",
        got=states,
        want=[(0, number) for number in range(start + 1, length + 1)],
        look="count where you yield",
    )


def right(tt_answer, want, promise, call, look):
    """A number within 1% of `want`: kB in place of KiB is 2.4% away."""
    expect(
        isinstance(tt_answer, (int, float)) and near(tt_answer, want, within=0.01),
        promise,
        call=call,
        got=tt_answer,
        want=f"{want:.5g}",
        look=look,
    )


@pytest.mark.contract("test_fill_time")
def test_the_time_to_fill_any_buffer(tt, draw):
    for _ in range(4):
        size, speed = int(draw.integers(200, 5000)), int(draw.integers(30, 900))
        right(
            tt.fill_time(size, speed * 1e6),
            size / speed,
            "The time is the bytes of the buffer divided by the bytes per second.",
            f"fill_time({size}, {speed}e6)",
            f"{size:,} x 10**6 bytes / ({speed} x 10**6 bytes/s) = {size / speed:.4g} s",
        )


@pytest.mark.contract("test_share_held")
def test_the_share_of_any_dataset(tt, draw):
    for _ in range(4):
        size, kilobytes = int(draw.integers(500, 5000)), int(draw.integers(20, 300))
        fit = size * 1000 / kilobytes
        files = int(fit * draw.uniform(2, 50))
        right(
            tt.share_held(size, kilobytes * 1000, files),
            fit / files,
            "The share is the files that fit, divided by all files.",
            f"share_held({size}, {kilobytes * 1000}, {files})",
            f"{size:,} x 10**6 bytes / {kilobytes:,},000 bytes = {fit:,.0f} files;"
            f" {fit:,.0f} / {files:,} = {fit / files:.4g}",
        )


@pytest.mark.contract("test_share_held")
def test_a_small_dataset_is_held_whole(tt, draw):
    size, kilobytes = int(draw.integers(500, 5000)), int(draw.integers(20, 300))
    fit = size * 1000 / kilobytes
    files = int(fit * draw.uniform(0.1, 0.8))
    right(
        tt.share_held(size, kilobytes * 1000, files),
        1,
        "A buffer holds no more than the whole dataset: 1 is the most.",
        f"share_held({size}, {kilobytes * 1000}, {files})",
        f"{fit:,.0f} files would fit, and there are {files:,}",
    )


def restart(draw):
    """(batches, batch_size, kB of a file, MB/s, us of a row)"""
    return [
        int(draw.integers(least, end))
        for least, end in ((50, 5000), (8, 512), (20, 300), (30, 900), (2, 40))
    ]


@pytest.mark.contract("test_find_the_place")
def test_reading_again_on_any_disk(tt, draw):
    for _ in range(4):
        batches, size, kilobytes, speed, micro = restart(draw)
        rows = batches * size
        want = rows * kilobytes * 1e3 / (speed * 1e6)
        right(
            tt.find_the_place(batches, size, kilobytes * 1e3, speed * 1e6, micro)["read"],
            want,
            "Reading again takes the bytes of all these files divided by the bytes per second.",
            f'find_the_place({batches}, {size}, {kilobytes}e3, {speed}e6, {micro})["read"]',
            f"{batches:,} x {size} = {rows:,} files; {rows:,} x {kilobytes},000 bytes /"
            f" ({speed} x 10**6 bytes/s) = {want:.4g} s",
        )


@pytest.mark.contract("test_find_the_place")
def test_planning_again_on_any_machine(tt, draw):
    for _ in range(4):
        batches, size, kilobytes, speed, micro = restart(draw)
        rows = batches * size
        want = rows * micro / 1e6
        right(
            tt.find_the_place(batches, size, kilobytes * 1e3, speed * 1e6, micro)["plan"],
            want,
            "Planning again takes the microseconds of a row, for each row.",
            f'find_the_place({batches}, {size}, {kilobytes}e3, {speed}e6, {micro})["plan"]',
            f"{batches:,} x {size} = {rows:,} rows; {rows:,} x {micro} us = {want:.4g} s",
        )

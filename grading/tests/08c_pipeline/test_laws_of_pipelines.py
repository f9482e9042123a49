"""Hidden: laws on inputs that are drawn anew each run (`draw`)."""

import itertools

import numpy as np
import pytest

from tinytorch.testing import expect, expect_raises, near


@pytest.mark.contract("contract_steps")
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


@pytest.mark.contract("contract_steps")
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


@pytest.mark.contract("contract_sampling")
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


@pytest.mark.contract("contract_sampling")
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


@pytest.mark.contract("contract_sampling")
def test_the_order_of_draws_without_replacement(tt, draw):
    # P(order) is known: (1, 0, 2) for weights 1, 3, 2 is 3/6 * 1/3. 400 orders, deviation at most
    # 0.0225: 0.15 is more than six.
    base = int(draw.integers(2**30))
    orders = [
        tuple(tt.draw_without_replacement(np.array([1.0, 3.0, 2.0]), 3, base + k).tolist())
        for k in range(400)
    ]
    weights = (1, 3, 2)
    for order in itertools.permutations(range(3)):
        want = weights[order[0]] / 6 * weights[order[1]] / (6 - weights[order[0]])
        got = orders.count(order) / 400
        expect(
            abs(got - want) < 0.15,
            "Each order of draws is as likely as drawing one after the other makes it.",
            call=f"order {order} by weights (1, 3, 2)",
            got=f"{got:.3f}",
            want=f"{want:.3f}",
        )
    # 0.15, deviation 0.018: 0.12 is more than six
    heavy_last = sum(order[2] == 1 for order in orders) / 400
    want = sum(weights[a] / 6 * weights[b] / (6 - weights[a]) for a, b in ((0, 2), (2, 0)))
    expect(
        abs(heavy_last - want) < 0.12,
        "The heavy row is seldom last.",
        call="row 1 last",
        got=f"{heavy_last:.3f}",
        want=f"{want:.3f}",
    )


@pytest.mark.contract("contract_sampling")
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


@pytest.mark.contract("contract_shuffle")
def test_the_buffer_holds_its_bytes_and_loses_nothing(tt, draw):
    for _ in range(4):
        sizes = [int(size) for size in draw.integers(1, 60, 30)]
        room = int(draw.integers(0, 150))
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
        expect(
            max(held) <= room,
            "Never more than max_bytes are held when the next item is taken.",
            call=f"30 items of 1 to 59 bytes, room for {room}",
            got=f"{max(held)} bytes",
            want=f"at most {room}",
        )
        expect(
            len(asked) == 30,
            "size_of is asked once for each item.",
            call="30 items",
            got=f"{len(asked)} times",
            want="30 times",
            look="hold (item, size)",
        )


@pytest.mark.contract("contract_shuffle")
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


@pytest.mark.contract("contract_shuffle")
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


@pytest.mark.contract("contract_shuffle")
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


@pytest.mark.contract("contract_streams")
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


@pytest.mark.contract("contract_streams")
def test_batches_hold_the_stream(tt, draw):
    for _ in range(5):
        count, size, drop_last = (
            int(draw.integers(0, 30)),
            int(draw.integers(1, 9)),
            bool(draw.integers(2)),
        )
        got = [
            list(batch)
            for batch in itertools.islice(tt.take_batches(list(range(count)), size, drop_last), 99)
        ]
        want = [list(range(start, min(start + size, count))) for start in range(0, count, size)]
        want = [batch for batch in want if len(batch) == size or not drop_last]
        expect(
            got == want,
            "Batches are the stream, cut every batch_size items.",
            call=f"take_batches({count} items, {size}, {drop_last})",
            got=got,
            want=want,
        )


@pytest.mark.contract("contract_streams")
def test_a_plan_reads_its_own_places_once(tt, draw):
    count, world = int(draw.integers(20, 40)), int(draw.integers(1, 5))
    offset, size, rank = (
        int(draw.integers(0, 9)),
        int(draw.integers(1, 6)),
        int(draw.integers(world)),
    )
    read = []

    def reader(place):
        read.append(place)
        return place

    batches = [
        list(batch)
        for batch in tt.plan_epoch(
            range(count),
            reader,
            lambda item: 1,
            3,
            offset=offset,
            rank=rank,
            world_size=world,
            buffer_bytes=float(draw.integers(0, 12)),
            batch_size=size,
        )
    ]
    want = list(range(count))[offset:][rank::world]
    expect(
        read == want,
        "The places of this rank, from the offset on, are read once and in order.",
        call=f"{count} places, offset {offset}, rank {rank} of {world}",
        got=read,
        want=want,
    )
    expect(
        sorted(itertools.chain(*batches)) == want
        and [len(b) for b in batches[:-1]] == [size] * (len(batches) - 1),
        "What was read comes out once, in full batches but the last.",
        call="the same",
        got=batches,
        want=want,
    )


@pytest.mark.contract("contract_resume")
def test_any_stop_gives_the_same_rest(tt, draw):
    count, size, seed = (
        int(draw.integers(20, 40)),
        int(draw.integers(2, 6)),
        int(draw.integers(1000)),
    )
    weights = draw.uniform(0.1, 1, count)
    room = float(draw.integers(1, 20)) * 8e-6

    def build(kind, seed=None):
        loader = tt.pipeline({"x": np.arange(count)}, seed=seed).batch(size)
        return (
            loader.shuffle(buffer_size=room)
            if kind == "shuffle"
            else loader.sample_by(weights, replace=bool(kind == "repeat"))
        )

    for kind in ("shuffle", "once", "repeat"):
        straight = build(kind, seed)
        whole = [[batch["x"].tolist() for batch in straight] for _ in range(2)]
        for stop in {0, 1, len(whole[1]) // 2, len(whole[1])}:
            first = build(kind, seed)
            list(first)
            batches = iter(first)
            got = [next(batches)["x"].tolist() for _ in range(stop)]
            second = build(kind)
            second.load_state_dict(first.state_dict())
            got += [batch["x"].tolist() for batch in second]
            expect(
                got == whole[1],
                "A stop at any batch of any epoch gives the same rest.",
                call=f"{kind}, epoch 1, stop after {stop} of {len(whole[1])} batches",
                got=got,
                want=whole[1],
            )


@pytest.mark.contract("contract_resume")
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


@pytest.mark.contract("contract_measure")
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

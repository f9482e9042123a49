"""Promises of batches, ranks and the plan of an epoch. `tt` is your exported
package.
"""

import itertools

import pytest

from tinytorch.testing import ReadLog, expect, expect_raises


def some(batches, limit=50):
    """Lists of a few batches: a loop that never ends shows at once."""
    return [list(batch) for batch in itertools.islice(batches, limit)]


@pytest.mark.contract("test_take_batches")
def test_a_stream_is_cut_into_batches(tt):
    for stream, kind in ((list(range(7)), "a list"), (iter(range(7)), "an iterator")):
        got = some(tt.take_batches(stream, 3))
        expect(
            got == [[0, 1, 2], [3, 4, 5], [6]],
            "Batches are lists of `batch_size` items in order; the last one holds"
            " what is left.",
            call=f"take_batches({kind} of 0 to 6, 3)",
            got=got,
            want=[[0, 1, 2], [3, 4, 5], [6]],
            look="what is collected when the stream ends?",
        )


@pytest.mark.contract("test_take_batches")
def test_a_short_last_batch_can_be_left_out(tt):
    got = [some(tt.take_batches(list(range(count)), 3, True)) for count in (7, 6)]
    expect(
        got == [[[0, 1, 2], [3, 4, 5]]] * 2,
        "`drop_last=True` leaves out the last batch only when it is short.",
        call="take_batches(..., 3, True) of 7 and of 6",
        got=got,
        want=[[[0, 1, 2], [3, 4, 5]]] * 2,
    )


@pytest.mark.contract("test_take_batches")
def test_a_batch_takes_its_own_items_only(tt):
    taken = []

    def stream():
        for item in range(6):
            taken.append(item)
            yield item

    batches = iter(tt.take_batches(stream(), 2))
    first = list(next(batches))
    expect(
        first == [0, 1] and taken == [0, 1],
        "Nothing is taken before its batch is asked for.",
        call="the first next(), batch_size=2",
        got=f"batch {first}, taken {taken}",
        want="batch [0, 1], taken [0, 1]",
        look="is anything taken in advance?",
    )


def kept(tt, count, batch_size):
    from itertools import islice

    return list(islice(tt.take_batches(list(range(count)), batch_size), 50))


@pytest.mark.contract("test_take_batches")
def test_each_batch_is_a_list_of_its_own(inside):
    got = inside(kept, 5, 2)
    expect(
        got == [[0, 1], [2, 3], [4]],
        "Each batch is a list of its own.",
        call="list(take_batches([0, 1, 2, 3, 4], 2))",
        got=got,
        want=[[0, 1], [2, 3], [4]],
        look="a list that is cleared is also cleared for whoever was given it",
    )


@pytest.mark.contract("test_shard")
def test_ranks_share_a_stream(tt):
    got = [list(tt.shard(list(range(8)), rank, 3)) for rank in range(3)]
    expect(
        got == [[0, 3, 6], [1, 4, 7], [2, 5]],
        "A rank gets item number `rank` of each round, in order.",
        call="shard(range(8), rank, 3)",
        got=got,
        want=[[0, 3, 6], [1, 4, 7], [2, 5]],
    )


@pytest.mark.contract("test_shard")
def test_ranks_can_be_made_equal(tt):
    for count in (8, 6):
        got = [list(tt.shard(list(range(count)), rank, 3, True)) for rank in range(3)]
        expect(
            got == [[0, 3], [1, 4], [2, 5]],
            "With `even=True` no rank gets an item of a short last round.",
            call=f"shard(range({count}), rank, 3, True)",
            got=got,
            want=[[0, 3], [1, 4], [2, 5]],
            look="a round may be handed out only when it is complete",
        )


@pytest.mark.contract("test_shard")
def test_a_rank_that_does_not_exist_is_refused(tt):
    got = list(tt.shard([1, 2], 1, 2))
    expect(
        got == [2],
        "A rank gets item number `rank` of each round, in order.",
        call="list(shard([1, 2], 1, 2))",
        got=got,
        want=[2],
    )
    for rank in (4, -1):
        expect_raises(
            ValueError,
            lambda: list(tt.shard([1, 2], rank, 3)),
            "A rank outside 0..world_size-1 raises `ValueError` with both numbers.",
            says=[str(rank), "3"],
            call=f"list(shard([1, 2], {rank}, 3))",
            look="ranks count from 0",
        )


@pytest.mark.contract("test_shard")
def test_a_rank_takes_no_round_in_advance(tt):
    taken = []

    def stream():
        for item in range(30):
            taken.append(item)
            yield item

    mine = iter(tt.shard(stream(), 1, 3))
    got = [next(mine), next(mine)]
    expect(
        got == [1, 4] and len(taken) <= 6,
        "Nothing is taken from the stream before its round is needed.",
        call="two next() of shard(stream, 1, 3)",
        got=f"items {got}, {len(taken)} items taken",
        want="items [1, 4]; 5 items taken, or 6 with the rest of the round",
        look="is the stream turned into a list?",
    )


# Other functions take the place of your own ones, so that only the plan is tested.


def dealt(stream, rank, world_size, even=False):
    """`shard`, in another way: waits for the end of a round if `even`."""
    mine = None
    for number, item in enumerate(stream):
        if number % world_size == rank:
            mine = item
            if not even:
                yield mine
        if even and number % world_size == world_size - 1:
            yield mine


def swapped(items, max_bytes, size_of, seed=None):
    """Instead of `shuffle_buffer`: swaps the items of each pair."""
    pair = []
    for item in items:
        size_of(item)
        pair.append(item)
        if len(pair) == 2:
            yield from pair[::-1]
            pair = []
    yield from pair


def cut(stream, batch_size, drop_last=False):
    """`take_batches`, in another way."""
    batch = []
    for item in stream:
        batch.append(item)
        if len(batch) == batch_size:
            yield batch
            batch = []
    if batch and not drop_last:
        yield batch


OTHERS = {"shard": dealt, "shuffle_buffer": swapped, "take_batches": cut}


def planned(tt, others, count, places, read, size_of, seed, settings):
    from itertools import islice

    own = {name: getattr(tt, name) for name in others}
    vars(tt).update(others)
    try:
        plan = tt.plan_epoch(places, read, size_of, seed, **settings)
        return [list(batch) for batch in islice(plan, count)]
    finally:
        vars(tt).update(own)


def plan_of(inside, num_places, count=50, **settings):
    """The first `count` batches of a plan, and the places that were read for them."""
    rows = ReadLog(range(num_places))
    got = inside(
        planned,
        OTHERS,
        count,
        range(num_places),
        lambda place: rows[place],
        lambda row: 1,
        0,
        settings,
    )
    return got, rows.reads


@pytest.mark.contract("test_plan_epoch")
def test_a_plan_without_settings_reads_every_place(inside):
    got, reads = plan_of(inside, 3)
    expect(
        got == [[0], [1], [2]] and reads == [0, 1, 2],
        "Without settings each place is read, in order, and is a batch.",
        call="plan_epoch(range(3), read, size_of, 0)",
        got=f"read {reads}, batches {got}",
        want="read [0, 1, 2], batches [[0], [1], [2]]",
        look="map(read, ...), then take_batches",
    )


@pytest.mark.contract("test_plan_epoch")
def test_a_plan_skips_shares_and_cuts(inside):
    got, _ = plan_of(inside, 10, offset=1, rank=1, world_size=2, batch_size=3)
    expect(
        got == [[2, 4, 6], [8]],
        "The first `offset` places are skipped, then the ranks share the others.",
        call="plan_epoch(range(10), ..., offset=1, rank=1, world_size=2, batch_size=3)",
        got=got,
        want=[[2, 4, 6], [8]],
        look="the order of the stages",
    )


@pytest.mark.contract("test_plan_epoch")
def test_a_plan_reads_only_what_is_needed(inside):
    got, reads = plan_of(inside, 9, offset=2, rank=0, world_size=2, batch_size=2)
    expect(
        reads == [2, 4, 6, 8] and got == [[2, 4], [6, 8]],
        "Only the places of this rank are read, each once.",
        call="plan_epoch(range(9), ..., offset=2, rank=0, world_size=2, batch_size=2)",
        got=f"read {reads}, batches {got}",
        want="read [2, 4, 6, 8], batches [[2, 4], [6, 8]]",
        look="read after offset and shard",
    )


@pytest.mark.contract("test_plan_epoch")
def test_a_plan_mixes_rows_and_not_batches(inside):
    got, _ = plan_of(inside, 5, buffer_bytes=100, batch_size=3)
    expect(
        got == [[1, 0, 3], [2, 4]],
        "Rows are mixed in the buffer first, then cut into batches.",
        call=(
            "plan_epoch(range(5), ..., buffer_bytes=100, batch_size=3), with a buffer"
            " that swaps neighbors"
        ),
        got=got,
        want=[[1, 0, 3], [2, 4]],
        look="batches are cut last",
    )


@pytest.mark.contract("test_plan_epoch")
def test_a_plan_has_no_buffer_only_for_none(inside):
    got = [plan_of(inside, 4, buffer_bytes=room, batch_size=4)[0] for room in (None, 0)]
    expect(
        got == [[[0, 1, 2, 3]], [[1, 0, 3, 2]]],
        "Only None means no buffer; 0 bytes is a buffer without room.",
        call=(
            "plan_epoch(range(4), ..., buffer_bytes=None), then 0, with a buffer that"
            " swaps neighbors"
        ),
        got=got,
        want=[[[0, 1, 2, 3]], [[1, 0, 3, 2]]],
        look="`is not None`",
    )


@pytest.mark.contract("test_plan_epoch")
def test_a_plan_can_leave_out_what_is_short(inside):
    got, _ = plan_of(inside, 8, batch_size=3, drop_last=True)
    expect(
        got == [[0, 1, 2], [3, 4, 5]],
        "`drop_last=True` leaves out a short last batch.",
        call="plan_epoch(range(8), ..., batch_size=3, drop_last=True)",
        got=got,
        want=[[0, 1, 2], [3, 4, 5]],
        look="take_batches needs to know",
    )
    got = [
        plan_of(inside, 9, rank=rank, world_size=2, batch_size=5, drop_last=True)[0]
        for rank in (0, 1)
    ]
    expect(
        got == [[], []],
        "With `drop_last=True` no rank has a batch that another lacks.",
        call="9 places, 2 ranks, batch_size=5, drop_last=True",
        got=got,
        want=[[], []],
        look="even=drop_last",
    )


@pytest.mark.contract("test_plan_epoch")
def test_a_plan_reads_a_batch_when_it_is_asked_for(inside):
    got, reads = plan_of(inside, 12, count=1, batch_size=2, buffer_bytes=50)
    expect(
        got == [[1, 0]] and reads == [0, 1],
        "A batch is read when it is asked for.",
        call="the first next(), batch_size=2",
        got=f"read {reads}, batch {got}",
        want="read [0, 1], batch [[1, 0]]",
        look="map is lazy; a list of everything is not",
    )

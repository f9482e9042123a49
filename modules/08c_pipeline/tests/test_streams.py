"""Promises of batches, ranks and the plan of an epoch. `tt` is your exported
package.
"""

import itertools

import numpy as np
import pytest

from tinytorch.testing import ReadLog, expect, expect_raises

pytestmark = pytest.mark.contract("contract_streams")


def some(batches, limit=50):
    """Lists of a few batches: a loop that never ends shows at once."""
    return [list(batch) for batch in itertools.islice(batches, limit)]


def test_a_stream_is_cut_into_batches(tt):
    got = some(tt.take_batches(list(range(7)), 3))
    expect(
        got == [[0, 1, 2], [3, 4, 5], [6]],
        "Batches come in order, and the last one holds what is left.",
        call="take_batches(list(range(7)), 3)",
        got=got,
        want=[[0, 1, 2], [3, 4, 5], [6]],
        look="what is collected when the stream ends?",
    )
    got = [some(tt.take_batches(list(range(count)), 3, True)) for count in (7, 6)]
    expect(
        got == [[[0, 1, 2], [3, 4, 5]]] * 2,
        "drop_last leaves out a short last batch, not a full one.",
        call="take_batches(..., 3, True) of 7 and of 6",
        got=got,
        want=[[[0, 1, 2], [3, 4, 5]]] * 2,
    )


def test_ranks_share_a_stream(tt):
    got = [list(tt.shard(list(range(8)), rank, 3)) for rank in range(3)]
    expect(
        got == [[0, 3, 6], [1, 4, 7], [2, 5]],
        "Every item is on exactly one rank, dealt in rounds.",
        call="shard(range(8), rank, 3)",
        got=got,
        want=[[0, 3, 6], [1, 4, 7], [2, 5]],
    )
    got = [list(tt.shard(list(range(8)), rank, 3, True)) for rank in range(3)]
    expect(
        got == [[0, 3], [1, 4], [2, 5]],
        "With even=True all ranks have equally many.",
        call="shard(range(8), rank, 3, True)",
        got=got,
        want=[[0, 3], [1, 4], [2, 5]],
    )
    expect_raises(
        ValueError,
        lambda: list(tt.shard([1, 2], 2, 2)),
        "A rank outside 0..world_size-1 is a ValueError with both numbers.",
        says="2",
        call="list(shard([1, 2], 2, 2))",
    )


def test_a_plan_skips_shares_and_cuts(tt):
    got = some(
        tt.plan_epoch(
            range(10),
            lambda place: place,
            lambda item: 1,
            0,
            offset=1,
            rank=1,
            world_size=2,
            batch_size=3,
        )
    )
    expect(
        got == [[2, 4, 6], [8]],
        "Skip first, then share out, then cut.",
        call="plan_epoch(range(10), ..., offset=1, rank=1, world_size=2, batch_size=3)",
        got=got,
        want=[[2, 4, 6], [8]],
        look="the order of the stages",
    )
    got = [
        some(
            tt.plan_epoch(
                range(9),
                lambda place: place,
                lambda item: 1,
                0,
                rank=rank,
                world_size=2,
                batch_size=5,
                drop_last=True,
            )
        )
        for rank in (0, 1)
    ]
    expect(
        [len(batches) for batches in got] == [0, 0],
        "With drop_last no rank has a batch that another lacks.",
        call="9 places, 2 ranks, batch_size=5, drop_last=True",
        got=got,
        want=[[], []],
        look="even=drop_last",
    )


def test_a_plan_mixes_rows_and_not_batches(tt):
    for room in (3, 12):
        got = some(
            tt.plan_epoch(
                range(12),
                lambda place: place,
                lambda item: 1,
                4,
                buffer_bytes=room,
                batch_size=3,
            )
        )
        expect(
            sorted(sum(got, [])) == list(range(12))
            and [len(batch) for batch in got] == [3] * 4,
            "A mixed epoch has every place once, in full batches.",
            call=f"plan_epoch(range(12), ..., buffer_bytes={room}, batch_size=3)",
            got=got,
            want="12 places in 4 batches",
        )
        # Four batches of neighbours in order: by chance less than once in 1e4, and not
        # for this seed.
        expect(
            any(batch != list(range(min(batch), min(batch) + 3)) for batch in got),
            "The buffer mixes rows, before they are cut into batches.",
            call="the same",
            got=got,
            want="rows from different places in one batch",
            look="batches are cut last",
        )
    got = some(
        tt.plan_epoch(
            range(6),
            lambda place: place,
            lambda item: 1,
            4,
            buffer_bytes=0,
            batch_size=3,
        )
    )
    expect(
        got == [[0, 1, 2], [3, 4, 5]],
        "A buffer without room changes nothing.",
        call="buffer_bytes=0",
        got=got,
        want=[[0, 1, 2], [3, 4, 5]],
    )


def test_only_what_is_needed_is_read(tt):
    rows = ReadLog(range(12))
    plan = tt.plan_epoch(
        range(12),
        lambda place: rows[place],
        lambda item: 1,
        0,
        offset=2,
        rank=0,
        world_size=2,
        buffer_bytes=2,
        batch_size=2,
    )
    first = list(next(iter(plan)))
    expect(
        rows.reads == [2, 4, 6, 8],
        "A batch reads its rows and those that the buffer holds, of this rank and from"
        " the offset on.",
        call=(
            "next(plan_epoch(range(12), ..., offset=2, rank=0, world_size=2,"
            " buffer_bytes=2, batch_size=2))"
        ),
        got=rows.reads,
        want=[2, 4, 6, 8],
        look="read after offset and shard; no list of everything",
    )
    expect(
        set(first) <= {2, 4, 6},
        "A batch is made of what was read.",
        call="the first batch",
        got=first,
        want="two of 2, 4, 6",
    )


def test_the_loader_counts_its_batches(tt):
    for count, size, drop_last, offset in (
        (10, 4, False, 0),
        (10, 4, True, 0),
        (10, 5, True, 0),
        (10, 4, False, 3),
        (3, 4, True, 0),
        (3, 4, False, 5),
    ):
        loader = (
            tt.pipeline({"x": np.arange(count)}).batch(size, drop_last).offset(offset)
        )
        got = [batch["x"].tolist() for batch in loader]
        want = [
            list(range(start, min(start + size, count)))
            for start in range(offset, count, size)
        ]
        want = [batch for batch in want if len(batch) == size or not drop_last]
        expect(
            got == want and len(loader) == len(want),
            "len(loader) is the number of batches, and the batches are the rows from"
            " the offset on.",
            call=f"pipeline({count} rows).batch({size}, {drop_last}).offset({offset})",
            got=f"len {len(loader)}, {got}",
            want=want,
        )

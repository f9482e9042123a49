"""Promises of batches, ranks and the plan of an epoch. `tt` is your exported
package.
"""

import itertools

import pytest

from tinytorch.testing import ReadLog, expect, expect_raises


def some(batches, limit=50):
    """A few batches: a loop that never ends shows at once."""
    return list(itertools.islice(batches, limit))


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


@pytest.mark.contract("test_take_batches")
def test_a_stream_is_cut_into_batches(tt):
    for count, want in (
        (7, [[0, 1, 2], [3, 4, 5], [6]]),
        (6, [[0, 1, 2], [3, 4, 5]]),
        (2, [[0, 1]]),
    ):
        got = some(tt.take_batches(iter(range(count)), 3))
        expect(
            got == want,  # a tuple is no list
            "Batches are lists of `batch_size` items in order; the last one holds what"
            " is left.",
            call=f"list(take_batches(iter(range({count})), 3))",
            got=got,
            want=want,
            look="what is yielded when `batch_size` items are there, and what when the"
            " stream ends?",
        )
    got = some(tt.take_batches(iter([0, None, False, "", []]), 2))
    expect(
        got == [[0, None], [False, ""], [[]]],
        "Batches are lists of `batch_size` items in order; the last one holds what is"
        " left.",
        call='take_batches(iter([0, None, False, "", []]), 2)',
        got=got,
        want=[[0, None], [False, ""], [[]]],
        look="an item that counts as false is an item",
    )


@pytest.mark.contract("test_take_batches")
def test_a_list_is_a_stream_too(tt):
    got = some(tt.take_batches(list(range(7)), 3))
    expect(
        got == [[0, 1, 2], [3, 4, 5], [6]],
        "A list is a stream too, and an empty stream has no batches.",
        call="take_batches([0, 1, 2, 3, 4, 5, 6], 3)",
        got=got,
        want=[[0, 1, 2], [3, 4, 5], [6]],
        look="iter(stream) once, before the loop",
    )
    got = [some(tt.take_batches([], 3, drop)) for drop in (False, True)]
    got += [some(tt.take_batches(iter([]), 3))]
    expect(
        got == [[], [], []],
        "A list is a stream too, and an empty stream has no batches.",
        call="take_batches([], 3), the same with drop_last=True, take_batches(iter([]),"
        " 3)",
        got=got,
        want=[[], [], []],
        look="without items there is nothing to yield, not even an empty batch",
    )


@pytest.mark.contract("test_take_batches")
def test_a_short_last_batch_can_be_left_out(tt):
    got = [some(tt.take_batches(list(range(count)), 3, True)) for count in (7, 6, 2)]
    expect(
        got == [[[0, 1, 2], [3, 4, 5]]] * 2 + [[]],
        "`drop_last=True` leaves out the last batch only when it is short.",
        call="list(take_batches(list(range(n)), 3, True)) for n = 7, 6 and 2",
        got=got,
        want=[[[0, 1, 2], [3, 4, 5]]] * 2 + [[]],
        look="what is left over when the stream ends, and how many items are a short"
        " batch?",
    )


@pytest.mark.contract("test_take_batches")
def test_a_batch_takes_its_own_items_only(tt):
    taken = []

    def stream():
        for item in range(6):
            taken.append(item)
            yield item

    batches = iter(tt.take_batches(stream(), 2))
    before = list(taken)
    first = next(batches)
    expect(
        before == [] and first == [0, 1] and taken == [0, 1],
        "Nothing is taken before its batch is asked for.",
        call="next(take_batches(stream of 6, 2)): the items taken before it, and with"
        " it",
        got=f"{before} taken before, then batch {first}, {taken} taken",
        want="[] taken before, then batch [0, 1], [0, 1] taken",
        look="is an item taken before anybody asks, or after the batch is full and"
        " before it is handed out?",
    )


def kept(tt, count, batch_size):
    from itertools import islice

    return list(islice(tt.take_batches(list(range(count)), batch_size), 50))


@pytest.mark.contract("test_take_batches")
def test_each_batch_is_a_list_of_its_own(inside):
    got = inside(kept, 5, 2)
    expect(
        got == [[0, 1], [2, 3], [4]],
        "Each batch is a new list.",
        call="list(take_batches([0, 1, 2, 3, 4], 2))",
        got=got,
        want=[[0, 1], [2, 3], [4]],
        look="a list that is cleared is also cleared for whoever was given it",
    )


def written_into(tt):
    """The sizes of the batches of a loop that appends to each batch."""
    sizes = []
    for batch in tt.take_batches(list(range(7)), 3):
        sizes.append(len(batch))
        batch += ["more"] * 3
        if len(sizes) == 20:
            break
    return sizes


@pytest.mark.contract("test_take_batches")
def test_a_batch_may_be_written_into(inside):
    got = inside(written_into)
    expect(
        got == [3, 3, 1],
        "Each batch is a new list.",
        call="take_batches(range(7), 3); the loop appends three items to each batch",
        got=f"batches of {got}",
        want="batches of [3, 3, 1]",
        look="does your code go on with the list that it handed out?",
    )


@pytest.mark.contract("test_take_batches")
def test_an_error_of_a_stream_passes_through_batches(tt):
    for error in ERRORS:
        tape = BrokenStream(range(3), error)
        got = raised(lambda: some(tt.take_batches(tape, 2)))
        want = f"{type(error).__name__}: {error}"
        expect(
            got == want and tape.asked == 4,
            "An error of the stream reaches the caller unchanged, without a retry.",
            call=f"list(take_batches(stream, 2)); the stream raises {want} in place of"
            " the fourth item",
            got=f"{got}; asked {tape.asked} times",
            want=f"{want}; asked 4 times",
            look="is the stream asked again after the error?"
            if got == want
            else "is the error caught on its way? it needs no `try`",
        )


def left_early(tt, batches_before):
    batches = iter(tt.take_batches(list(range(9)), 2))
    for _ in range(batches_before):
        next(batches)
    try:
        getattr(batches, "close", bool)()  # as `break` does
    except RuntimeError as problem:
        return f"RuntimeError: {problem}"
    return "no error"


@pytest.mark.contract("test_take_batches")
def test_a_loop_over_batches_may_be_left(inside):
    for count in (1, 2):
        got = inside(left_early, count)
        expect(
            got == "no error",
            "A loop that is left early ends without an error.",
            call=f"take_batches(range(9), 2); `break` at batch {count}",
            got=got,
            want="no error",
            look="`finally` also runs when a loop is left; no `yield` may stand there",
        )


def dealt_out(tt, counts, worlds, even):
    """{(count, world): the items of each rank}"""
    return {
        (count, world): [
            list(tt.shard(iter(range(count)), rank, world, even))
            for rank in range(world)
        ]
        for count in counts
        for world in worlds
    }


@pytest.mark.contract("test_shard")
def test_ranks_share_streams_of_any_length(inside):
    counts, worlds = (0, 1, 2, 3, 4, 5, 6, 7, 8, 12), (1, 2, 3, 4)
    for (count, world), got in inside(dealt_out, counts, worlds, False).items():
        want = [list(range(rank, count, world)) for rank in range(world)]
        expect(
            sorted(sum(got, [])) == list(range(count)),
            "Every item is on exactly one rank.",
            call=f"list(shard(iter(range({count})), rank, {world})) for each rank",
            got=got,
            want=want,
            look="which items are missing, or there twice? a short last round is"
            " shared, too",
        )
        expect(
            got == want,
            "A rank gets item number `rank` of each round, in order.",
            call=f"list(shard(iter(range({count})), rank, {world})) for each rank",
            got=got,
            want=want,
            look="item number i belongs to rank i % world_size",
        )
    for (count, world), got in inside(dealt_out, counts, worlds, True).items():
        whole = count - count % world
        want = [list(range(rank, whole, world)) for rank in range(world)]
        if count == whole:
            expect(
                got == want,
                "A complete last round is handed out, even with `even=True`.",
                call=f"list(shard(iter(range({count})), rank, {world}, even=True)) for"
                " each rank",
                got=got,
                want=want,
                look="when the stream ends with a round, that round is complete: what"
                " is done with it?",
            )
        else:
            expect(
                got == want,
                "With `even=True` no rank gets an item of a short last round.",
                call=f"list(shard(iter(range({count})), rank, {world}, even=True)) for"
                " each rank",
                got=got,
                want=want,
                look="a round may be handed out only when it is complete",
            )


@pytest.mark.contract("test_shard")
def test_any_value_may_be_an_item_of_a_rank(tt):
    for even in (False, True):
        got = [list(tt.shard([None, 0, "", False], rank, 2, even)) for rank in (0, 1)]
        expect(
            got == [[None, ""], [0, False]],
            "Every item is on exactly one rank.",
            call=f'shard([None, 0, "", False], rank, 2, even={even})',
            got=got,
            want=[[None, ""], [0, False]],
            look="an item that counts as false is an item",
        )


@pytest.mark.contract("test_shard")
def test_an_error_of_a_stream_passes_through_ranks(tt):
    for error in ERRORS:
        for even in (False, True):
            tape = BrokenStream([None, 0, False, ""], error)
            got = raised(lambda: list(tt.shard(tape, 0, 3, even)))
            want = f"{type(error).__name__}: {error}"
            expect(
                got == want and tape.asked == 5,
                "An error of the stream reaches the caller unchanged, without a retry.",
                call=f"list(shard(stream, 0, 3, even={even})); the stream raises {want}"
                " in place of the fifth item",
                got=f"{got}; asked {tape.asked} times",
                want=f"{want}; asked 5 times",
                look="is the stream asked again after the error?"
                if got == want
                else "is the error caught on its way? it needs no `try`",
            )


@pytest.mark.contract("test_shard")
def test_ranks_share_a_stream(tt):
    got = [list(tt.shard(list(range(8)), rank, 3)) for rank in range(3)]
    expect(
        got == [[0, 3, 6], [1, 4, 7], [2, 5]],
        "A rank gets item number `rank` of each round, in order.",
        call="list(shard(list(range(8)), rank, 3)) for each rank",
        got=got,
        want=[[0, 3, 6], [1, 4, 7], [2, 5]],
        look="item number i belongs to rank i % world_size",
    )


@pytest.mark.contract("test_shard")
def test_ranks_can_be_made_equal(tt):
    for count in (8, 6):
        got = [list(tt.shard(list(range(count)), rank, 3, True)) for rank in range(3)]
        expect(
            got == [[0, 3], [1, 4], [2, 5]],
            "With `even=True` no rank gets an item of a short last round.",
            call=f"list(shard(list(range({count})), rank, 3, True)) for each rank",
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
        look="a list is a stream, too: iter(stream); rank 1 gets item number 1",
    )
    for rank in (17, 3, -1):
        expect_raises(
            ValueError,
            lambda: list(tt.shard([1, 2], rank, 3)),
            "A rank outside 0..world_size-1 raises `ValueError` with both numbers.",
            says=sorted({str(rank), "3"}),
            call=f"list(shard([1, 2], {rank}, 3))",
            look="is the rank checked, does the message say both numbers? of three"
            " ranks the last is number 2, and none is negative",
        )
    for even in (False, True):
        expect_raises(
            ValueError,
            lambda: list(tt.shard([], 5, 2, even)),
            "A rank outside 0..world_size-1 raises `ValueError` with both numbers.",
            says=["5", "2"],
            call=f"list(shard([], 5, 2, even={even}))",
            look="is the rank checked before the loop? an empty stream has no round",
        )


@pytest.mark.contract("test_shard")
def test_a_rank_takes_no_round_in_advance(tt):
    taken = []

    def stream():
        for item in range(30):
            taken.append(item)
            yield item

    for even in (False, True):
        taken.clear()
        mine = iter(tt.shard(stream(), 1, 3, even))
        before = len(taken)
        got = [next(mine), next(mine)]
        expect(
            before == 0 and got == [1, 4] and len(taken) <= 6,
            "Nothing is taken from the stream before its round is needed.",
            call=f"two next() of shard(stream, 1, 3, even={even})",
            got=f"{before} items taken before, items {got}, {len(taken)} items taken",
            want="0 items taken before, items [1, 4], at most 6 items taken",
            look="is anything taken before the first next()? is more than one round"
            " taken for one item (a list of the stream, a round in advance)?",
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
    """Instead of `shuffle_buffer`: swaps the items of each pair; it asks each size."""
    NOTED.append((max_bytes, seed))
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


NOTED = []  # what `swapped` was given: (max_bytes, seed)
OTHERS = {"shard": dealt, "shuffle_buffer": swapped, "take_batches": cut}


def planned(tt, others, count, places, read, size_of, seed, settings):
    from itertools import islice

    own = {name: getattr(tt, name) for name in others}
    vars(tt).update(others)
    try:
        plan = tt.plan_epoch(places, read, size_of, seed, **settings)
        return list(islice(plan, count))
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
        "Without settings each place is read, in order, as a batch of one.",
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
        look="skip first, then shard, then read, then take_batches: do all settings"
        " reach the function that needs them?",
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
        look="where does `read` stand: before or after the skip and shard? is a place"
        " read in two places of your code?",
    )


@pytest.mark.contract("test_plan_epoch")
def test_a_plan_mixes_rows_and_not_batches(inside):
    got, _ = plan_of(inside, 5, buffer_bytes=100, batch_size=3)
    expect(
        got == [[1, 0, 3], [2, 4]],
        "Rows are mixed in the buffer, then cut into batches.",
        call=(
            "plan_epoch(range(5), ..., buffer_bytes=100, batch_size=3), with a buffer"
            " that swaps neighbors"
        ),
        got=got,
        want=[[1, 0, 3], [2, 4]],
        look="is the buffer used, with single rows? batches are cut last",
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
        look="how do you ask whether there is a buffer? 0 counts as false, and only"
        " None means none",
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
        look="is drop_last given to take_batches?",
    )
    got = [
        plan_of(inside, 9, rank=rank, world_size=2, batch_size=5, drop_last=True)[0]
        for rank in (0, 1)
    ]
    expect(
        got == [[], []],
        "With `drop_last=True` no rank has a batch that another lacks.",
        call="plan_epoch(range(9), ..., rank=rank, world_size=2, batch_size=5,"
        " drop_last=True) for both ranks",
        got=got,
        want=[[], []],
        look="shard(..., even=drop_last): five places for one rank and four for the"
        " other make one batch against none",
    )


@pytest.mark.contract("test_plan_epoch")
def test_a_plan_reads_a_batch_when_it_is_asked_for(inside):
    got, reads = plan_of(inside, 12, count=1, batch_size=2, buffer_bytes=50)
    expect(
        got == [[1, 0]] and reads == [0, 1],
        "A batch is read when it is asked for.",
        call="next(plan_epoch(range(12), ..., batch_size=2, buffer_bytes=50)), with a"
        " buffer that swaps neighbors",
        got=f"read {reads}, batch {got}",
        want="read [0, 1], batch [[1, 0]]",
        look="does a list or a loop read all places at once? map is lazy",
    )


@pytest.mark.contract("test_plan_epoch")
def test_ranks_of_a_plan_may_differ_by_a_row(inside):
    got = [plan_of(inside, 5, rank=rank, world_size=2)[0] for rank in (0, 1)]
    expect(
        got == [[[0], [2], [4]], [[1], [3]]],
        "The first `offset` places are skipped, then the ranks share the others.",
        call="plan_epoch(range(5), ..., rank=rank, world_size=2) for both ranks",
        got=got,
        want=[[[0], [2], [4]], [[1], [3]]],
        look="does shard get `rank` and `world_size`? ranks are made equal only by"
        " drop_last=True",
    )


@pytest.mark.contract("test_plan_epoch")
def test_a_batch_holds_what_was_read(inside):
    names = ["a", "b", "c", "d", "e"]
    got = inside(
        planned, OTHERS, 50, range(5), lambda k: names[k], len, 0, {"batch_size": 2}
    )
    expect(
        got == [["a", "b"], ["c", "d"], ["e"]],
        "Without settings each place is read, in order, as a batch of one.",
        call="plan_epoch(range(5), read, ..., batch_size=2); read gives a to e",
        got=got,
        want=[["a", "b"], ["c", "d"], ["e"]],
        look="map(read, ...), then take_batches",
    )


@pytest.mark.contract("test_plan_epoch")
def test_a_plan_passes_on_what_the_buffer_needs(inside):
    for seed in (0, None, 7, [3, 1, 2, 0]):
        asked = []

        def size_of(row):
            asked.append(row)
            return 1

        NOTED.clear()
        inside(
            planned,
            OTHERS,
            50,
            range(3),
            lambda place: 10 * place,
            size_of,
            seed,
            {"buffer_bytes": 70},
        )
        expect(
            NOTED == [(70, seed)],
            "The buffer gets `buffer_bytes`, `size_of` and `seed` unchanged.",
            call=f"plan_epoch(range(3), read, size_of, {seed}, buffer_bytes=70)",
            got=f"buffer_bytes and seed: {NOTED}",
            want=f"buffer_bytes and seed: {[(70, seed)]}",
            look="the same bytes and the same seed go to shuffle_buffer",
        )
        expect(
            asked == [0, 10, 20],
            "The buffer gets `buffer_bytes`, `size_of` and `seed` unchanged.",
            call="plan_epoch(range(3), read, size_of, seed, buffer_bytes=70)",
            got=f"size_of was asked for {asked}",
            want="size_of was asked for [0, 10, 20], what was read",
            look="give size_of to shuffle_buffer; it is asked for rows that were read,"
            " not for places",
        )


@pytest.mark.contract("test_plan_epoch")
def test_an_error_passes_through_a_plan(inside):
    read = []
    for error in ERRORS:
        want = f"{type(error).__name__}: {error}"

        def fails(place):
            read.append(place)
            if place == 2:
                raise error
            return place

        for room in (None, 50):
            read.clear()
            settings = {"buffer_bytes": room, "batch_size": 2}
            got = raised(
                lambda: inside(
                    planned, OTHERS, 50, range(4), fails, lambda row: 1, 0, settings
                )
            )
            expect(
                got == want and read == [0, 1, 2],
                "An error of `places` or `read` reaches the caller unchanged, without a"
                " retry.",
                call=f"plan_epoch(range(4), read, ..., buffer_bytes={room}); read"
                f" raises {want} for place 2",
                got=f"{got}; read {read}",
                want=f"{want}; read [0, 1, 2]",
                look="is anything read again after the error?"
                if got == want
                else "is the error caught on its way? it needs no `try`",
            )
        tape = BrokenStream(range(3), error)
        got = raised(
            lambda: inside(
                planned,
                OTHERS,
                50,
                tape,
                lambda k: 5,
                lambda row: 1,
                0,
                {"batch_size": 2},
            )
        )
        expect(
            got == want and tape.asked == 4,
            "An error of `places` or `read` reaches the caller unchanged, without a"
            " retry.",
            call=f"plan_epoch(places, ...); places raises {want} in place of number 4",
            got=f"{got}; asked {tape.asked} times",
            want=f"{want}; asked 4 times",
            look="are the places asked again after the error?"
            if got == want
            else "is the error caught on its way? it needs no `try`",
        )

"""Laws of exercise 7a, shard."""

from tinytorch.law_tools import ERRORS, Tape, raised_by, shown
from tinytorch.laws import Case, law

WHOLE = "a round may be handed out only when it is complete, and then it is"


def ranks(tt, items, world, *even):
    """The items of each rank."""
    return [list(tt.shard(list(items), rank, world, *even)) for rank in range(world)]


def text_of(items, world, *even):
    given = ", ".join(map(str, (list(items), "rank", world, *even)))
    return f"list(shard({given})) for each rank"


def streams(draw):
    """(number of items, number of ranks): special ones, then drawn ones."""
    drawn = [tuple(draw.integers((1, 2), (30, 7)).tolist()) for _ in "123"]
    special = (7, 3), (8, 3), (6, 3), (0, 2), (1, 2), (3, 1), (2, 4), (8, 4), (9, 4)
    return *special, *drawn


@law(1, "exactly one rank", look="a short last round is shared, too; None is an item")
def test_every_item_is_on_one_rank(tt, draw):
    for count, world in streams(draw):
        got = lambda n=count, w=world: sorted(sum(ranks(tt, range(n), w), []))  # noqa: E731
        call = f"sorted items of {text_of(range(count), world)}"
        yield call, got, list(range(count))
    items = [None, 0, "", False, 9]
    for even, each in ((False, 3), (True, 2)):
        parts = sum((part[:each] for part in ranks(tt, items, 2, even)), [])
        call = f"{text_of(items, 2, even)}: the first {each} of both, sorted"
        want = items[:4] if even else items
        yield call, sorted(map(repr, parts)), sorted(map(repr, want))


@law(2, "of each round", look="where does a round begin, and where is the next one?")
def test_a_rank_has_a_place_in_each_round(tt, draw):
    for count, world in streams(draw):
        # "2.0" is item number 0 of round number 2
        items = [f"{i}.{place}" for i in range(count) for place in range(world)][:count]
        want = [[x for x in items if x.endswith(f".{r}")] for r in range(world)]
        yield text_of(items, world), ranks(tt, items, world), want
    got = [list(tt.shard(iter(range(7)), rank, 3)) for rank in range(3)]
    call = "list(shard(iter(range(7)), rank, 3)) for each rank"
    yield call, got, [[0, 3, 6], [1, 4], [2, 5]]


@law(3, "short last round", look=WHOLE)
def test_a_short_round_is_left_out(tt, draw):
    for count, world in streams(draw):
        rounds, short = divmod(count, world)
        if short:
            want = [[r + world * i for i in range(rounds)] for r in range(world)]
            got = ranks(tt, range(count), world, True)
            yield text_of(range(count), world, True), got, want


@law(4, "complete last round", look=WHOLE)
def test_a_complete_round_is_handed_out(tt, draw):
    for count, world in (*streams(draw), (6, 3), (2, 2), (5, 1)):
        rounds = count // world
        items = range(rounds * world)
        want = [[r + world * i for i in range(rounds)] for r in range(world)]
        yield text_of(items, world, True), ranks(tt, items, world, True), want


@law(
    5,
    "both numbers",
    look="is the rank checked before the loop, also below 0? An empty stream has no"
    " round",
)
def test_a_rank_that_does_not_exist_is_refused(tt, draw):
    drawn = int(draw.integers(50, 99)), int(draw.integers(20, 40))
    alone = (1, 1), (-1, 1), (7, 1)
    for rank, world in ((3, 3), (17, 3), (-1, 3), (-3, 3), (5, 2), *alone, drawn):
        for items in (list(range(4 * world)), []):
            for even in (False, True):
                last, says = world - 1, sorted({str(rank), str(world)})
                got = lambda r=rank: list(tt.shard(items, r, world, even))  # noqa: E731
                call = f"len(list(shard({items}, {last}, {world}, {even})))"
                yield call, lambda: len(got(last)), len(items) // world
                call = f"list(shard({items}, {rank}, {world}, {even}))"
                yield Case(call, got, says, raises=ValueError)


@law(6, "Nothing is taken", look="a list of the stream, or a round in advance?")
def test_no_round_is_taken_ahead(tt, draw):
    for world in (3, int(draw.integers(4, 99))):
        for rank in (0, world - 1):
            for even in (False, True):
                tape = Tape(range(5 * world))
                mine = iter(tt.shard(tape, rank, world, even))
                taken, items = [tape.reads], []
                for _ in "123":
                    items.append(next(mine))
                    taken.append(tape.reads)
                most = [0, world, 2 * world, 3 * world]
                right = all(n <= m for n, m in zip(taken, most, strict=True))
                call = f"shard(stream, {rank}, {world}, {even}), three next()"
                yield f"{call}: items", items, [rank + world * i for i in range(3)]
                text = f"{call}: items taken before the first, and after each"
                yield text, taken, f"at most {most}", right


@law(7, "without a retry", look="no `try`: the error goes on its way")
def test_an_error_passes_through(tt, draw):
    drawn = int(draw.integers(4, 99))
    for error in ERRORS:
        for even, world in ((False, 3), (True, 3), (False, drawn), (True, drawn)):
            tape = Tape([None, 0, False, *[""] * (world - 2)], error)
            got = raised_by(lambda: list(tt.shard(tape, 0, world, even)))
            call = f"list(shard(stream, 0, {world}, {even})); after {world + 1} items"
            call = (
                f"{call} it raises {shown(error)}: the error, and the items asked for"
            )
            yield call, (got, tape.reads), (shown(error), world + 2)

"""Laws of exercise 8a, plan_epoch. Other functions stand in for 5a, 6a and 7a."""

from itertools import islice

from tinytorch.law_tools import ERRORS, Tape, raised_by, shown
from tinytorch.laws import law

# These take the whole stream at once, which is what 6a and 7a must not do.


def dealt(stream, rank, world_size, even=False):
    items = list(stream)
    end = len(items) // world_size * world_size if even else len(items)
    return iter(items[rank:end:world_size])


def cut(stream, batch_size, drop_last=False):
    items = list(stream)
    end = len(items) // batch_size * batch_size if drop_last else len(items)
    return iter([items[k : k + batch_size] for k in range(0, end, batch_size)])


class Backwards:
    """A buffer that turns the order around, and notes what it was given."""

    def __init__(self):
        self.items, self.given = [], []

    def __call__(self, items, max_bytes, size_of, seed=None):
        self.items = list(items)
        self.given.append((max_bytes, [size_of(one) for one in self.items], seed))
        return iter(self.items[::-1])


def ten_each(row):
    """A row's size: ten bytes for each letter."""
    return 10 * len(str(row))


class Run:
    """Runs plans of some places with the stand-ins, and notes what was read."""

    def __init__(self, tt, stand_in, places):
        self.tt, self.places, self.reads, self.buffer = tt, places, [], Backwards()
        stand_in(shard=dealt, take_batches=cut, shuffle_buffer=self.buffer)

    def read(self, place):
        self.reads.append(place)
        return f"row {place}"

    def __call__(self, seed=5, **settings):
        self.reads.clear()
        self.buffer.given.clear()
        given = iter(self.places), self.read, ten_each, seed
        return list(islice(self.tt.plan_epoch(*given, **settings), 50))

    def call(self, **settings):
        given = "".join(f", {name}={value}" for name, value in settings.items())
        places = str(self.places).replace("range(0, ", "range(")
        return f"plan_epoch(iter({places}), read, size_of, 5{given})"


def count(batches):
    return sum(map(len, batches))


def rows(places):
    return [f"row {place}" for place in places]


def ranks(draw):
    """(places, settings, the places of this rank): fixed ones, then a drawn one."""
    world, offset = int(draw.integers(2, 5)), int(draw.integers(1, 4))
    backwards = range(int(draw.integers(10, 14)), 0, -1)
    for places, *settings in (
        (range(7), 1, 0, 2),
        (range(8), 1, 1, 2),
        (range(5), 0, 0, 2),
        (range(3), 4, 0, 1),
        (backwards, offset, int(draw.integers(1, world)), world),
    ):
        offset, rank, world = settings
        named = dict(zip(("offset", "rank", "world_size"), settings, strict=True))
        yield places, named, list(places[offset:][rank::world])


@law(
    1,
    "Without settings",
    look="read each place, and cut the rows into batches; is there a buffer that nobody"
    " asked for?",
)
def test_each_place_is_a_batch_of_one(tt, stand_in, draw):
    for places in ([4, 0, 2], draw.permutation(30)[:6].tolist(), []):
        run = Run(tt, stand_in, places)
        want = [[f"row {place}"] for place in places]
        yield f"list({run.call()}); read(4) is 'row 4'", lambda run=run: run(), want
    call = "list(plan_epoch([4, 0], read, size_of)); read(4) is 'row 4'"
    plan = lambda: tt.plan_epoch([4, 0], lambda place: f"row {place}", len)  # noqa: E731
    yield call, lambda: list(islice(plan(), 50)), [["row 4"], ["row 0"]]


@law(
    2,
    "ranks share",
    look="skip first, then shard: do offset, rank and world_size reach the function"
    " that needs them? Without drop_last a rank may have a row more than another",
)
def test_the_ranks_share_what_is_not_skipped(tt, stand_in, draw):
    for places, settings, mine in ranks(draw):
        run = Run(tt, stand_in, places)
        yield (
            f"{run.call(**settings)}: all rows",
            lambda run=run, given=settings: [
                row for one in run(**given) for row in one
            ],
            rows(mine),
        )


@law(
    3,
    "each once",
    look="where is `read`: before or after skip and shard? Is a place read in"
    " two places of your code?",
)
def test_only_the_own_places_are_read(tt, stand_in, draw):
    for places, settings, mine in ranks(draw):
        run = Run(tt, stand_in, places)
        buffer = {"buffer_bytes": 100, "batch_size": 2} if settings["rank"] else {}
        given = {**settings, **buffer}
        yield (
            f"{run.call(**given)}: how many rows come, and the places read, sorted",
            lambda run=run, given=given: (count(run(**given)), sorted(run.reads)),
            (len(mine), sorted(mine)),
        )


@law(4, "mixed in the buffer", look="first the buffer, with single rows; batches last")
def test_rows_are_mixed_and_then_cut(tt, stand_in, draw):
    low, size = int(draw.integers(9, 10**6)), int(draw.integers(2, 5))
    drawn = range(low, low + int(draw.integers(7, 10))), size
    for places, size in ((range(5), 3), (range(4), 4), drawn):
        run, own, count = Run(tt, stand_in, places), rows(places), len(places)
        for more, order in ({}, own), ({"buffer_bytes": 100}, own[::-1]):
            settings = {**more, "batch_size": size}
            backwards = " with a buffer that turns the order around" if more else ""
            call = f"list({run.call(**settings)}){backwards}"
            want = [order[k : k + size] for k in range(0, count, size)]
            yield call, lambda run=run, settings=settings: run(**settings), want
        yield f"{call}: the buffer gets", run.buffer.items, own


@law(5, "Only None", look="0 counts as false; how do you ask whether it is None?")
def test_a_buffer_without_room_is_a_buffer(tt, stand_in, draw):
    n, drawn = int(draw.integers(4, 40)), int(draw.integers(2, 10**6))
    run = Run(tt, stand_in, range(n))
    for room, uses in ((None, 0), (0, 1), (0.0, 1), (1, 1), (drawn, 1)):
        settings = {"buffer_bytes": room, "batch_size": n}
        call = f"{run.call(**settings)}: rows, and calls of shuffle_buffer"
        got = lambda given=settings: (count(run(**given)), len(run.buffer.given))  # noqa: E731
        yield call, got, (n, uses)


@law(6, "The buffer gets", look="what are the arguments of shuffle_buffer?")
def test_the_buffer_gets_what_was_given(tt, stand_in, draw):
    room, drawn = draw.integers(50, 500, 2).tolist()
    run = Run(tt, stand_in, range(12))
    settings = {"buffer_bytes": room, "offset": 1, "rank": 2, "world_size": 3}
    settings["batch_size"] = 2
    for seed in (0, None, [3, 1, 2, 0], drawn):
        call = run.call(**settings).replace(" 5,", f" {seed},", 1)
        yield (
            f"{call}: rows that come; bytes, sizes of rows, and seed of the buffer",
            lambda seed=seed: (count(run(seed, **settings)), list(run.buffer.given)),
            (3, [(room, [50, 50, 50], seed)]),  # the rows are 3, 6 and 9
        )


@law(7, "a short last batch", look="does drop_last reach take_batches?")
def test_a_short_batch_is_left_out(tt, stand_in, draw):
    drawn = int(draw.integers(2, 24))
    for room in (None, 100):
        for count, size in ((5, 3), (6, 3), (2 * drawn + 1, drawn)):
            run = Run(tt, stand_in, range(count))
            settings = {"batch_size": size, "drop_last": True, "buffer_bytes": room}
            yield (
                f"{run.call(**settings)}: sizes of the batches",
                lambda run=run, given=settings: [len(one) for one in run(**given)],
                [size] * (count // size),
            )


@law(
    8,
    "another lacks",
    look="which setting of shard makes the ranks equal? Is a short last batch left out"
    " with several ranks, too?",
)
def test_ranks_that_drop_have_equally_many_batches(tt, stand_in, draw):
    drawn = [*draw.integers(2, 4, 2).tolist(), int(draw.integers(3, 40))]
    for world, size, offset in ((2, 3, 0), (3, 2, 1), (2, 1, 0), (3, 1, 2), drawn):
        # rank 0 has a place more than the others, and with it one more full batch
        run = Run(tt, stand_in, range(offset + world * (2 * size - 1) + 1))
        settings = {"offset": offset, "batch_size": size, "world_size": world}
        settings["drop_last"] = True
        got = [
            [len(batch) for batch in run(**settings, rank=rank)]
            for rank in range(world)
        ]
        call = f"{run.call(rank='rank', **settings)}: sizes of the batches of each rank"
        yield call, got, [[size]] * world


# These work for one rank and batches of two, and take no item in advance.


def all_of_it(stream, *settings, **more):
    return iter(stream)


def pairs(stream, *settings, **more):
    items = iter(stream)
    for one in items:
        yield [one, next(items, None)]


LAZY = {"shard": all_of_it, "shuffle_buffer": all_of_it, "take_batches": pairs}


@law(9, "when it is asked for", look="is there a list or a loop that reads at once?")
def test_a_batch_is_read_when_it_is_asked_for(tt, stand_in, draw):
    stand_in(**LAZY)
    low = int(draw.integers(10, 10**6))
    a, b, c = ([low + k, low + k + 1] for k in (0, 2, 4))
    for room in (None, low):
        reads, steps = [], []
        read = lambda place, reads=reads: reads.append(place) or place  # noqa: E731
        settings = {"buffer_bytes": room, "batch_size": 2}
        places = iter(range(low, low + 8))
        plan = iter(tt.plan_epoch(places, read, len, 5, **settings))
        for _ in range(3):
            steps.append((list(reads), next(plan, None)))
        call = f"plan_epoch(iter(range({low}, {low + 8})), ..., buffer_bytes={room},"
        call = f"{call} batch_size=2)"
        want = [([], a), (a, b), ([*a, *b], c)]
        yield f"{call}: places read before each next(), and what it gives", steps, want


@law(10, "unchanged, without a retry", look="no `try`, and nothing is asked twice")
def test_an_error_passes_through_a_plan(tt, stand_in, draw):
    stand_in(**LAZY)
    low = int(draw.integers(10, 10**6))
    want = [low, low + 1, low + 2]
    for number, error in enumerate(ERRORS):
        settings = {"buffer_bytes": (None, low)[number % 2], "batch_size": 2}
        for who, asked in (("read", 3), ("places", 4)):
            tape, reads = Tape(want, error), []

            def read(place, reads=reads, who=who, error=error):
                reads.append(place)
                if place == want[2] and who == "read":
                    raise error
                return place

            raised = raised_by(
                lambda tape=tape, read=read, settings=settings: [
                    *islice(tt.plan_epoch(tape, read, len, 5, **settings), 9)
                ]
            )
            yield (
                f"list(plan_epoch(places, read, ..., **{settings})), where {who} raises"
                f" {shown(error)}: the error, places read, and how often `places` was"
                " asked",
                (raised, reads, tape.reads),
                (shown(error), want, asked),
            )

"""Laws of exercise 9a, follow."""

from itertools import islice

from tinytorch.law_tools import ERRORS, Tape, raised_by, shown
from tinytorch.laws import law

OTHERS = ((0, 0, 4), (2, 3, 5), (1, 5, 5), (0, 0, 0), (2, 7, 3))


def bookmarks(draw):
    """(epoch, batches, length of the plan): fixed ones, then a drawn one."""
    start = int(draw.integers(1, 6))
    return (*OTHERS, (int(draw.integers(3, 99)), start, start + 3))


def called(epoch, batches, count, ahead=0):
    load = f"; load is {ahead} ahead" if ahead else ""
    return f"Bookmark({epoch}, {batches}).follow(plan of {count}, load){load}"


class Load:
    """A load that makes "batch 3" of plan 3 and notes what happens to it; like
    workers, it takes `ahead` plans more than it hands out.
    """

    def __init__(self, ahead=0, error=None, fails=None):
        self.ahead, self.error, self.fails = ahead, error, fails
        self.calls, self.plans = 0, []

    def __call__(self, plans):
        self.calls += 1
        if self.fails == "load":
            raise self.error
        return self.batches(plans)

    def batches(self, plans):
        waiting = []
        for plan in plans:
            if self.fails == plan:
                raise self.error
            self.plans.append(plan)
            waiting.append(f"batch {plan}")
            if len(waiting) > self.ahead:
                yield waiting.pop(0)
        yield from waiting


def where(mark):
    return mark.epoch, mark.batches


def states(tt, epoch, batches, count, ahead=0):
    """Where the bookmark is while each batch is used."""
    mark = tt.Bookmark(epoch, batches)
    going = mark.follow(iter(range(count)), Load(ahead))
    return [where(mark) for _ in islice(going, 20)]


@law(
    1,
    "still to come",
    look="plan number self.batches is the first, counted from 0; is every batch that"
    " load gives yielded?",
)
def test_the_batches_to_come_are_handed_out(tt, draw):
    for epoch, batches, count in bookmarks(draw):
        yield (
            f"list({called(epoch, batches, count)}); load makes 'batch 3' of plan 3",
            lambda epoch=epoch, batches=batches, count=count: [
                *islice(
                    tt.Bookmark(epoch, batches).follow(iter(range(count)), Load()), 20
                )
            ],
            [f"batch {k}" for k in range(batches, count)],
        )
    odd = [None, 0, [], "", False, 7]
    call = f"list(Bookmark(0, 0).follow(iter({odd}), iter)): any value may be a batch"
    yield call, lambda: [*tt.Bookmark(0, 0).follow(iter(odd), iter)], odd


@law(2, "never loaded", look="skip plans, before load; not batches that load has made")
def test_load_takes_the_plans_that_are_left(tt, draw):
    for epoch, batches, count in bookmarks(draw):
        load = Load()
        list(islice(tt.Bookmark(epoch, batches).follow(iter(range(count)), load), 20))
        call = f"{called(epoch, batches, count)}: the plans that load took"
        yield call, load.plans, list(range(batches, count))


@law(
    3,
    "called once",
    look="load(...) makes an iterator of all batches: call it once, and loop over what"
    " it returns; no list, no look ahead",
)
def test_load_is_called_once_and_asks_for_its_plans(tt, draw):
    start, epoch = int(draw.integers(3, 6)), int(draw.integers(1, 10**6))
    for batches, ahead in ((0, 0), (2, 0), (2, 2), (start, 1)):
        plan, load, taken = Tape(range(9)), Load(ahead), []
        for _ in islice(tt.Bookmark(epoch, batches).follow(plan, load), 20):
            taken.append(plan.reads)
        call = called(epoch, batches, 9, ahead)
        yield f"{call}: calls of load", load.calls, 1
        want = [min(k + 1 + ahead, 10) for k in range(batches, 9)]
        # a load that is ahead asks a last time before it hands out what waits
        yield f"{call}: plans taken by the time of each batch", taken, want
    plan = Tape(range(9))
    list(tt.Bookmark().follow(plan, lambda plans: iter(())))
    call = "Bookmark().follow(plan, load); load asks for no plan: plans taken"
    yield call, plan.reads, 0


@law(4, "counts it already", look="what runs before `yield`? Add to self.batches")
def test_the_batch_in_use_is_counted(tt, draw):
    for epoch, batches, count in bookmarks(draw):
        call = f"{called(epoch, batches, count)}: (epoch, batches) in each round"
        want = [(epoch, k + 1) for k in range(batches, count)]
        yield call, states(tt, epoch, batches, count), want


@law(5, "loaded ahead", look="count batches, where you yield them, and not plans")
def test_what_is_loaded_ahead_does_not_count(tt, draw):
    drawn = int(draw.integers(3, 10**6)), 3, 5
    for ahead in (1, 2, 50, int(draw.integers(3, 6))):
        for epoch, batches, count in ((0, 0, 4), drawn):
            call = called(epoch, batches, count, ahead)
            want = [(epoch, k + 1) for k in range(batches, count)]
            got = states(tt, epoch, batches, count, ahead)
            yield f"{call}: (epoch, batches) in each round", got, want


@law(
    6,
    "After the last batch",
    look="which lines are below the loop? They run also when no batch was left",
)
def test_the_end_is_the_beginning_of_the_next_epoch(tt, draw):
    for epoch, batches, count in bookmarks(draw):
        mark, got, want = tt.Bookmark(epoch, batches), [], []
        for number in range(2):
            came = list(islice(mark.follow(iter(range(count)), Load()), 20))
            got.append((len(came), *where(mark)))
            left = count if number else max(count - batches, 0)
            want.append((left, epoch + number + 1, 0))
        call = f"{called(epoch, batches, count)}, to its end, twice"
        yield f"{call}: (batches that came, epoch, batches) after each", got, want


@law(
    7,
    "keeps its place",
    look="which lines change the bookmark when the loop ends early? `finally` runs"
    " then, and so does `except`",
)
def test_a_loop_that_ends_early_keeps_its_place(tt, draw):
    epoch = int(draw.integers(3, 10**6))
    for ahead in (0, 2):
        for stop in (0, 1, 3):
            mark = tt.Bookmark(epoch, 1)
            going = iter(mark.follow(iter(range(6)), Load(ahead)))
            came = list(islice(going, stop))
            getattr(going, "close", bool)()  # as `break` does
            call = f"{called(epoch, 1, 6, ahead)}, left after {stop} batches"
            want = stop, (epoch, 1 + stop)
            yield f"{call}; then (epoch, batches)", (len(came), where(mark)), want
    for call, mark, _, _, raised, error, place in failures(tt, epoch, ERRORS[:3]):
        if raised == error:  # an error that is lost breaks the next promise
            yield f"{call}: then (epoch, batches)", where(mark), place


def failures(tt, epoch, errors):
    """What came of each error: the call, the bookmark, the plan, the load, what was
    raised, the error as it should be, and the place of the bookmark.
    """
    for error in errors:
        for who, batches in (("plan", 3), (3, 3), ("load", 1)):
            plan = Tape(range(3), error) if who == "plan" else Tape(range(5))
            load, mark = Load(0, error, who), tt.Bookmark(epoch, 1)
            going = lambda m=mark, p=plan, load=load: m.follow(p, load)  # noqa: E731
            raised = raised_by(lambda going=going: list(islice(going(), 20)))
            name = "the iterator of load" if who == 3 else who
            call = f"{called(epoch, 1, len(plan.items))}; {name} raises {shown(error)}"
            yield call, mark, plan, load, raised, shown(error), (epoch, batches)


@law(8, "unchanged, without a retry", look="no `try`; load is not called again")
def test_an_error_passes_through(tt, draw):
    epoch = int(draw.integers(4, 10**6))
    for call, _, plan, load, raised, error, _ in failures(tt, epoch, ERRORS):
        asked = plan.reads if load.fails != "load" else "-"
        want = error, 1, 4 if load.fails != "load" else "-"
        text = f"{call}: the error, calls of load, how often the plan was asked"
        yield text, (raised, load.calls, asked), want

"""Promises of going on after a stop. `tt` is your exported package."""

import pytest

from tinytorch.testing import expect

pytestmark = pytest.mark.contract("test_follow")


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


def all_at_once(plans):
    """A `load` that takes every plan before it hands out the first."""
    return iter(list(plans))


def test_a_bookmark_counts_what_was_handed_out(tt):
    mark, states = tt.Bookmark(4, 0), []
    for _ in mark.follow(iter(range(3)), all_at_once):
        states.append((mark.epoch, mark.batches))
    expect(
        states == [(4, 1), (4, 2), (4, 3)],
        "While a batch is used, `self.batches` counts it already.",
        call="Bookmark(4, 0).follow(iter(range(3)), load): (epoch, batches) while each"
        " batch is used; load takes all plans at once",
        got=states,
        want=[(4, 1), (4, 2), (4, 3)],
        look="count batches, before `yield`",
    )


def test_at_the_end_a_bookmark_stands_before_the_next_epoch(tt):
    mark = tt.Bookmark(4, 1)
    got = list(mark.follow(iter(range(3)), iter))
    expect(
        got == [1, 2] and (mark.epoch, mark.batches) == (5, 0),
        "After the last batch the bookmark is at the next epoch: `epoch + 1`, 0"
        " batches.",
        call="list(Bookmark(4, 1).follow(iter(range(3)), iter)), then (epoch, batches)",
        got=f"batches {got}, then {(mark.epoch, mark.batches)}",
        want="batches [1, 2], then (5, 0)",
        look="what do the lines below the loop do with epoch and batches?",
    )


def test_a_bookmark_in_the_middle_skips_without_loading(tt):
    loaded = []

    def load(plans):
        loaded[:] = plans
        return iter([plan * 10 for plan in loaded])

    got = list(tt.Bookmark(0, 2).follow(iter(range(5)), load))
    expect(
        got == [20, 30, 40],
        "The batches of the plan that are still to come are handed out, in order.",
        call="list(Bookmark(0, 2).follow(iter(range(5)), load)); load makes 20 of 2",
        got=got,
        want=[20, 30, 40],
        look="which plans does `load` get? is every batch that it gives yielded?",
    )
    expect(
        loaded == [2, 3, 4],
        "The first `self.batches` plans are skipped, and never loaded.",
        call="Bookmark(0, 2).follow(iter(range(5)), load): the plans that load took",
        got=loaded,
        want=[2, 3, 4],
        look="do you skip plans, before load, or batches that load has made?",
    )


def test_a_bookmark_in_the_middle_goes_on_counting(tt):
    mark, states = tt.Bookmark(2, 3), []
    for _ in mark.follow(iter(range(5)), iter):
        states.append((mark.epoch, mark.batches))
    expect(
        states == [(2, 4), (2, 5)],
        "While a batch is used, `self.batches` counts it already.",
        call="Bookmark(2, 3).follow(iter(range(5)), iter): (epoch, batches) while each"
        " batch is used",
        got=states,
        want=[(2, 4), (2, 5)],
        look="the count goes on from where it was: add to self.batches",
    )


def test_a_load_that_is_ahead_does_not_move_the_bookmark(tt):
    mark = tt.Bookmark()
    batches = mark.follow(iter(range(6)), all_at_once)
    got = [next(batches), next(batches)]
    expect(
        got == [0, 1] and (mark.epoch, mark.batches) == (0, 2),
        "Batches that were handed out count, not those that were loaded ahead.",
        call="a load that takes all plans at once; two batches, then (epoch, batches)",
        got=f"batches {got}, then {(mark.epoch, mark.batches)}",
        want="batches [0, 1], then (0, 2)",
        look="what is counted, and where? count batches, where you yield them",
    )


def test_when_everything_was_handed_out_nothing_is_left(tt):
    mark = tt.Bookmark(1, 3)
    epochs = [list(mark.follow(iter(range(3)), iter)) for _ in range(2)]
    expect(
        epochs == [[], [0, 1, 2]],
        "The batches of the plan that are still to come are handed out, in order.",
        call="mark = Bookmark(1, 3); list(mark.follow(iter(range(3)), iter)), two"
        " times",
        got=epochs,
        want=[[], [0, 1, 2]],
        look="the first time nothing is left: is the bookmark at the next epoch, 0"
        " batches, then?",
    )


def test_a_bookmark_is_at_home_in_any_epoch(tt):
    for epoch, batches, count in (
        (0, 0, 0),
        (3, 0, 1),
        (0, 1, 1),
        (5, 4, 9),
        (2, 7, 3),
    ):
        mark, states = tt.Bookmark(epoch, batches), []
        got = []
        for batch in mark.follow(iter(range(count)), all_at_once):
            got.append(batch)
            states.append((mark.epoch, mark.batches))
        call = f"Bookmark({epoch}, {batches}).follow(plan of {count}, load)"
        expect(
            got == list(range(batches, count)),
            "The batches of the plan that are still to come are handed out, in order.",
            call=call,
            got=got,
            want=list(range(batches, count)),
            look="skip the first self.batches plans, and yield every batch of the"
            " others",
        )
        expect(
            states == [(epoch, k + 1) for k in range(batches, count)],
            "While a batch is used, `self.batches` counts it already.",
            call=f"{call}: (epoch, batches)",
            got=states,
            want=[(epoch, k + 1) for k in range(batches, count)],
            look="what runs before `yield`, and from which number does the count go"
            " on?",
        )
        expect(
            (mark.epoch, mark.batches) == (epoch + 1, 0),
            "After the last batch the bookmark is at the next epoch: `epoch + 1`, 0"
            " batches.",
            call=f"{call}, then (epoch, batches)",
            got=(mark.epoch, mark.batches),
            want=(epoch + 1, 0),
            look="epoch + 1 and 0 batches, also when no batch was left",
        )


def test_a_load_is_called_once_and_asks_for_its_plans(tt):
    tape, taken = BrokenStream(range(9), StopIteration()), []

    def one_by_one(plans):
        taken.append("load")
        for plan in plans:
            taken.append(plan)
            yield plan

    batches = tt.Bookmark(0, 2).follow(tape, one_by_one)
    first = next(batches)
    expect(
        first == 2 and taken == ["load", 2] and tape.asked == 3,
        "`load` is called once, and plans are taken only when it asks for them.",
        call="the first batch of Bookmark(0, 2).follow(plan of 9, load)",
        got=f"batch {first}, {tape.asked} plans taken, load saw {taken[1:]}",
        want="batch 2, 3 plans taken, load saw [2]",
        look="is the plan, or what load gives, turned into a list? is load called for"
        " each plan?",
    )
    got = [first, *batches]
    expect(
        got == list(range(2, 9)) and taken.count("load") == 1,
        "`load` is called once, and plans are taken only when it asks for them.",
        call="Bookmark(0, 2).follow(plan of 9, load)",
        got=f"batches {got}, calls of load: {taken.count('load')}",
        want="batches [2, 3, 4, 5, 6, 7, 8], calls of load: 1",
        look="load(...) makes an iterator of all batches: call it once, and loop over"
        " what it returns",
    )


def left(tt, count, stop):
    """(epoch, batches) of a bookmark whose loop was left after `stop` batches."""
    mark = tt.Bookmark(3, 1)
    going = mark.follow(iter(range(count)), iter)
    for _ in range(stop):
        next(going)
    getattr(going, "close", bool)()  # as `break` does
    return [mark.epoch, mark.batches]


def test_a_loop_that_is_left_keeps_its_place(inside):
    for stop in (1, 2, 4):
        got = inside(left, 5, stop)
        expect(
            got == [3, 1 + stop],
            "If a loop is left, or ends in an error, the bookmark keeps its place.",
            call=f"Bookmark(3, 1).follow(plan of 5, load); `break` at batch {stop}",
            got=f"(epoch, batches) = {tuple(got)}",
            want=f"(epoch, batches) = {(3, 1 + stop)}",
            look="which lines change the bookmark when the loop is left? `finally` runs"
            " then, too",
        )


def test_errors_of_the_plan_and_of_the_load_pass_through(tt):
    calls = []

    def one_by_one(plans):
        calls.append("load")
        yield from plans

    for error in ERRORS:

        def fails(plans):
            calls.append("load")
            for plan in plans:
                if plan == 3:
                    raise error
                yield plan

        def refuses(plans):
            calls.append("load")
            raise error

        for kind, plan, load, place in (
            ("the plan", BrokenStream(range(3), error), one_by_one, (4, 3)),
            ("the iterator of batches", iter(range(9)), fails, (4, 3)),
            ("load", iter(range(9)), refuses, (4, 1)),
        ):
            calls.clear()
            mark = tt.Bookmark(4, 1)
            got = raised(lambda: list(mark.follow(plan, load)))
            want = f"{type(error).__name__}: {error}"
            expect(
                got == want and len(calls) == 1,
                "An error of `plan` or `load` reaches the caller unchanged, without a"
                " retry.",
                call=f"Bookmark(4, 1).follow(plan, load); {kind} raises {want}",
                got=f"{got}; calls of load: {len(calls)}",
                want=f"{want}; calls of load: 1",
                look="is load called again after the error?"
                if got == want
                else "is the error caught on its way? it needs no `try`",
            )
            expect(
                (mark.epoch, mark.batches) == place,
                "If a loop is left, or ends in an error, the bookmark keeps its place.",
                call=f"Bookmark(4, 1).follow(plan, load); {kind} raises {want}",
                got=f"(epoch, batches) = {(mark.epoch, mark.batches)}",
                want=f"(epoch, batches) = {place}",
                look="which lines change the bookmark after an error? an `except` and a"
                " `finally` run then",
            )

"""Laws of exercise 5a, in_order."""

import itertools

import numpy as np

from tinytorch.law_tools import ERRORS, Tape, raised_by, shown
from tinytorch.laws import law

VALUES = (None, 0, False, "", [], {}, (), 0.0, 3, 1, np.zeros(2), np.zeros(2), "last")
SWAPPED = [place ^ 1 for place in range(12)]


def texts(order, mark="r"):
    return [(number, f"{mark}{number}") for number in order]


def orders(draw, sizes):
    """Fixed orders of numbers 0, 1, ..., then drawn ones."""
    drawn = [draw.permutation(size).tolist() for size in sizes]
    return [list(range(12)), SWAPPED, list(range(12))[::-1], *drawn]


def text_of(order):
    return f"results that come as {', '.join(map(str, order))}"


@law(
    1,
    "order of their numbers",
    look="does each wait for all smaller numbers? One that comes may free several:"
    " is each of them handed on?",
)
def test_results_are_put_in_order(tt, draw):
    few = [*itertools.permutations(range(4)), (), (0,), (1, 0)]
    for order in (*few, *orders(draw, (17, 26, 40))):
        call = f"list(in_order({texts(order)}))"
        got = lambda come=order: [  # noqa: E731
            *itertools.islice(tt.in_order(texts(come)), 99)
        ]
        yield call, got, [f"r{number}" for number in range(len(order))]


@law(2, "may be anything", look="is its number there? Do not ask the result itself")
def test_a_result_may_be_nothing(tt, draw):
    numbered = list(enumerate(VALUES))
    for order in orders(draw, (13, 13)):
        results = [numbered[number] for number in order]
        want = list(VALUES[: len(order)])
        got = lambda come=results: [*itertools.islice(tt.in_order(come), 99)]  # noqa: E731
        yield f"list(in_order({results}))", got, want


@law(
    3,
    "Nothing is read",
    look="what runs when in_order is called? The first line of a function with `yield`"
    " runs at the first next()",
)
def test_nothing_is_read_before(tt, draw):
    mark = f"{draw.integers(100, 10**6)} r"
    for order in orders(draw, (9,)):
        tape = Tape(texts(order, mark))
        results = iter(tt.in_order(tape))
        call = f"iter(in_order({text_of(order)})): results that were read"
        yield call, tape.reads, 0
        yield f"{call}; then next()", next(results, "nothing"), f"{mark}0"


@law(
    4,
    "once all earlier results",
    look="is each result whose turn it is handed on before another one is read?",
)
def test_no_result_waits_without_need(tt, draw):
    mark = f"{draw.integers(100, 10**6)} r"
    for order in orders(draw, (5, 12, 12, 12)):
        tape, got = Tape(texts(order, mark)), []
        for result in itertools.islice(tt.in_order(tape), 99):
            got.append((result, tape.reads))
        want, needed = [], 0
        for number in range(len(order)):
            needed = max(needed, order.index(number) + 1)
            want.append((f"{mark}{number}", needed))
        call = f"in_order({text_of(order)}): each result, and the reads before it came"
        yield call, got, want


def still_alive(tt, order):
    """How many results came, and how many of them were alive at most while the next
    one was awaited.
    """
    import itertools
    import weakref

    class Result:
        pass

    def coming():
        for number in order:
            yield number, Result()

    came, most = [], 0
    for result in itertools.islice(tt.in_order(coming()), 99):
        came.append(weakref.ref(result) if isinstance(result, Result) else None)
        del result
        most = max(most, sum(one is not None and one() is not None for one in came))
    return [len(came), most]


@law(
    5,
    "no longer kept",
    look="what still holds a result after its `yield`: a list, a dict?"
    " dict.pop takes it out",
)
def test_what_was_handed_on_is_given_up(inside, draw):
    for order in (*orders(draw, (20, 25)), list(range(24))):
        call = f"for result in in_order({text_of(order)}): del result; how many came,"
        call = f"{call} and how many of those are kept at once"
        got = inside(still_alive, order)
        right = got[0] == len(order) and got[1] <= 2
        yield call, got, f"[{len(order)}, at most 2]", right


@law(
    6,
    "without a retry",
    look="does a `try` of yours catch it? Only StopIteration means that no more come",
)
def test_an_error_of_the_results_passes_through(tt, draw):
    mark = f"{draw.integers(100, 10**6)} r"
    for error in ERRORS:
        for order, count in (([], 0), ([0], 1), ([1, 0, 3], 2)):
            tape, got = Tape(texts(order, mark), error), []
            came = [f"{mark}{number}" for number in range(count)]

            def read(tape=tape, got=got):
                for result in itertools.islice(tt.in_order(tape), 99):
                    got.append(result)

            raised = raised_by(read)
            call = f"list(in_order(results)); reading them raises {shown(error)}"
            call = f"{call} after {order}: what came, the error, the number of reads"
            want = came, shown(error), len(order) + 1
            yield call, (list(got), raised, tape.reads), want

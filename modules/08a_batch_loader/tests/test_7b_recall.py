"""Laws of exercise 7b, recall."""

import numpy as np

from tinytorch.law_tools import raised_by, shown
from tinytorch.laws import law


class Diary:
    """A store in memory that writes down what happens.

    Args:
        kept: results that are kept already.
        late: what another process keeps before we get the lock.
        fails: {event: the error that it raises}.
        full: nothing can be written, as on a full disk.
    """

    def __init__(self, tt, kept=(), late=(), fails=(), full=False):
        self.miss, self.kept, self.late = tt.MISS, dict(kept), dict(late)
        self.recall, self.fails, self.full = tt.recall, dict(fails), full
        self.events = []

    def note(self, event, key=""):
        self.events.append(f"{event} {key}".strip())
        if event in self.fails:
            raise self.fails[event]

    def lock(self, key):
        self.note("lock", key)
        return Lock(self)

    def read(self, key):
        self.note("read", key)
        return self.kept.get(key, self.miss)

    def write(self, key, value):
        self.note("write", key)
        if not self.full:
            self.kept[key] = value

    def ask(self, key, result):
        """recall(store, key, compute), where compute() is `result`."""

        def compute():
            self.note("compute")
            return result

        self.events.clear()
        return self.recall(self, key, compute)

    def asked(self, key, result):
        """What came, how often it was computed, how often something was written."""
        got = self.ask(key, result)
        events = [event.split()[0] for event in self.events]
        return got, events.count("compute"), events.count("write")


class Lock:
    def __init__(self, diary):
        self.diary = diary

    def __enter__(self):
        self.diary.kept.update(self.diary.late)

    def __exit__(self, *error):
        self.diary.events.append("unlock")


def drawn(draw):
    """A key, and a result that is an int."""
    return f"k{draw.integers(1000)}", int(draw.integers(10, 10**6))


@law(
    1,
    "A missing result",
    look="after a MISS: compute once, write that value, return that value. The store"
    " alone keeps results, and it may be unable to",
)
def test_a_missing_result_is_computed_and_kept(tt, draw):
    key, result = drawn(draw)
    for number, value in enumerate((result, result + 1, [result, "text"])):
        store, call = Diary(tt), f"recall(store {number}, {key!r}, compute)"
        call += f", where compute() is {value!r} and nothing is kept"
        yield (
            f"{call}: result, computed",
            lambda: store.asked(key, value)[:2],
            (value, 1),
        )
        yield f"{call}: what the store keeps", store.kept, {key: value}
    store, call = (
        Diary(tt, full=True),
        f"recall(store, {key!r}, compute) on a full disk",
    )
    call += f", where compute() is {result}"
    yield f"{call}: result, computed", lambda: store.asked(key, result)[:2], (result, 1)


@law(
    2,
    "A kept result",
    look="compute and write come only after a MISS; `==` compares every number of an"
    " array, `is` compares nothing",
)
def test_a_kept_result_is_returned(tt, draw):
    key, result = drawn(draw)
    call = f"recall(store, {key!r}, compute), where"
    told = "result, computed, written"
    for kept in (result, f"text {result}", [result], np.array([result, 1, 2])):
        store = Diary(tt, {key: kept})
        text = f"{call} {kept!r} is kept: {told}"
        yield text, lambda: store.asked(key, -1), (kept, 0, 0)
    store = Diary(tt)
    text = f"{call} it was computed before: {told}"
    first = lambda: (store.ask(key, result), store.asked(key, -1))[1]  # noqa: E731
    yield text, first, (result, 0, 0)


@law(
    3,
    "None, 0 or empty",
    look="how do you ask whether there is a result? Only `value is MISS` means that"
    " there is none",
)
def test_what_is_false_is_a_result(tt, draw):
    key, other = drawn(draw)
    for kept in (None, 0, False, "", [], {}, np.zeros(0)):
        store, call = Diary(tt, {key: kept}), f"recall(store, {key!r}, compute)"
        text = f"{call}, where {kept!r} is kept: result, computed"
        yield text, lambda: repr(store.asked(key, other)[:2]), repr((kept, 0))
        store = Diary(tt)
        text = f"{call}, twice, where compute() is {kept!r}: result, computed"
        first = lambda: store.asked(key, kept)[:2]  # noqa: E731
        yield f"{text} the first time", lambda: repr(first()), repr((kept, 1))
        yield f"{text} the second time", lambda: repr(first()), repr((kept, 0))


@law(
    4,
    "key is locked",
    look="which lines are inside `with store.lock(key):`? The read, the computation and"
    " the write, once each",
)
def test_the_key_is_locked_meanwhile(tt, draw):
    key, result = drawn(draw)
    store = Diary(tt)

    def events():
        store.ask(key, result)
        return list(store.events)

    call = f"recall(store, {key!r}, compute)"
    want = [f"lock {key}", f"read {key}", "compute", f"write {key}", "unlock"]
    yield f"{call}, nothing kept", lambda: events(), want
    yield f"{call}, a second time", lambda: events(), [*want[:2], "unlock"]


@law(
    5,
    "another process kept",
    look="is the result that counts read after the key was locked?",
)
def test_what_another_process_kept_is_used(tt, draw):
    key, theirs = drawn(draw)
    for result in (theirs, None):
        store = Diary(tt, late={key: result})
        call = f"recall(store, {key!r}, compute); another process keeps {result} before"
        want = (result, 0, 0)
        call += " the key is locked: result, computed, written"
        yield call, lambda: store.asked(key, -1), want


@law(
    6,
    "reaches the caller",
    look="is an error caught, replaced by another one, or answered by another try?",
)
def test_errors_pass_through(tt, draw):
    key, n = drawn(draw)
    for event in ("compute", "read", "write", "lock"):
        for error in (OSError(f"disk {n} is gone"), KeyError(key), ValueError("odd")):
            store = Diary(tt, fails={event: error})

            def times():
                said = raised_by(lambda: store.ask(key, n))
                return said, sum(one.split()[0] == event for one in store.events)

            call = (
                f"recall(store, {key!r}, compute), where {event} raises: error, calls"
            )
            yield f"{call} of {event}", lambda: times(), (shown(error), 1)


@law(
    7,
    "the lock is free",
    look="what is written before compute() has returned? And a line after compute() is"
    " not reached when it raises: `with` frees the lock always",
)
def test_an_error_of_compute_leaves_nothing(tt, draw):
    key, n = drawn(draw)
    for error in (OSError("disk gone"), KeyError(n)):
        store = Diary(tt, fails={"compute": error})
        raised_by(lambda: store.ask(key, n))
        call = f"recall(store, {key!r}, a compute that raises)"
        yield f"{call}: what is kept", store.kept, {}
        yield f"{call}: the last event", store.events[-1:], ["unlock"]
        store.fails.clear()
        text = f"{call}, and again without an error: result, computed"
        yield text, lambda: store.asked(key, n)[:2], (n, 1)

"""Promises of memo_key and recall. `tt` is your exported package."""

import pytest

from tinytorch.testing import expect, expect_raises


def examples(tt):
    """Functions to be called: two with the same name and other code, and a third."""

    def area(width, height=2):
        return width * height

    first = area

    def area(width, height=2):
        return width + height

    def total(numbers, scale=1):
        return scale * sum(numbers)

    return first, area, total


@pytest.mark.contract("test_memo_key")
def test_a_key_stands_for_code_and_arguments(tt, inside):
    area, edited, total = inside(examples)
    key = tt.memo_key(area, (3, 4), {})
    expect(
        isinstance(key, str) and len(key) == 64 and set(key) <= set("0123456789abcdef"),
        "A key is a text of 64 hexadecimal digits.",
        call="memo_key(area, (3, 4), {})",
        got=key,
        want="64 of 0123456789abcdef",
    )
    expect(
        tt.memo_key(area, (3, 4), {}) == key,
        "Equal code with equal arguments has an equal key, in every process.",
        call="memo_key(area, (3, 4), {}), twice",
        got="two keys",
        want="one key",
    )
    others = {
        tt.memo_key(area, (4, 3), {}),
        tt.memo_key(area, (3, 5), {}),
        tt.memo_key(edited, (3, 4), {}),
        tt.memo_key(total, ([3, 4],), {}),
    }
    expect(
        key not in others and len(others) == 4,
        "Other code has another key, also under the same name.",
        call="five different calls, two of them of functions with one name",
        got=f"{len(others | {key})} keys",
        want="5 keys",
    )


@pytest.mark.contract("test_memo_key")
def test_a_call_may_be_written_in_several_ways(tt, inside):
    area, _, _ = inside(examples)
    keys = {
        tt.memo_key(area, (3, 5), {}),
        tt.memo_key(area, (3,), {"height": 5}),
        tt.memo_key(area, (), {"height": 5, "width": 3}),
    }
    expect(
        len(keys) == 1 and all(isinstance(key, str) for key in keys),
        "Arguments are compared under their names: f(1, 2) is f(b=2, a=1).",
        call="area(3, 5), area(3, height=5), area(height=5, width=3)",
        got=f"{len(keys)} keys",
        want="1 key",
        look="signature(function).bind gives every argument its name",
    )


@pytest.mark.contract("test_memo_key")
def test_a_default_counts_like_a_value_that_is_written(tt, inside):
    area, _, _ = inside(examples)
    keys = {
        tt.memo_key(area, (3,), {}),
        tt.memo_key(area, (3, 2), {}),
        tt.memo_key(area, (3,), {"height": 2}),
    }
    expect(
        len(keys) == 1 and all(isinstance(key, str) for key in keys),
        "A default that is not written counts like one that is.",
        call="area(3), area(3, 2), area(3, height=2)",
        got=f"{len(keys)} keys",
        want="1 key",
        look="bound.apply_defaults()",
    )
    other = tt.memo_key(area, (3,), {"height": 4})
    expect(
        other not in keys,
        "Another argument has another key: every value of an array counts, and its"
        " type.",
        call="area(3) and area(3, height=4)",
        got="the same key",
        want="another key",
    )


class Diary:
    """A store in memory that notes what happens. `late` is what another process has
    kept by the time we hold the lock.
    """

    def __init__(self, miss, kept=None, late=None):
        self.miss, self.kept, self.late = miss, dict(kept or {}), late or {}
        self.events = []

    def lock(self, key):
        return Lock(self)

    def read(self, key):
        self.events.append("read")
        return self.kept.get(key, self.miss)

    def write(self, key, result):
        self.events.append("write")
        self.kept[key] = result


class Lock:
    def __init__(self, diary):
        self.diary = diary

    def __enter__(self):
        self.diary.events.append("lock")
        self.diary.kept.update(self.diary.late)

    def __exit__(self, *error):
        self.diary.events.append("unlock")


def ask(tt, diary, result):
    """recall, with a computation that gives or raises `result`."""

    def compute():
        diary.events.append("compute")
        if isinstance(result, Exception):
            raise result
        return result

    return tt.recall(diary, "k", compute)


@pytest.mark.contract("test_recall")
def test_a_result_is_computed_once_and_kept(tt):
    diary = Diary(tt.MISS)
    got = ask(tt, diary, 41)
    expect(
        got == 41 and diary.kept == {"k": 41},
        "A result that is not there is computed once, kept and returned.",
        call="recall(store, 'k', compute), nothing kept",
        got=f"returned {got}, kept {diary.kept}",
        want="returned 41, kept {'k': 41}",
    )
    again = ask(tt, diary, 7)
    expect(
        again == 41 and diary.events.count("compute") == 1,
        "A result that is there is returned and not computed again.",
        call="recall(store, 'k', compute), twice",
        got=f"returned {again}, computed {diary.events.count('compute')} times",
        want="returned 41, computed once",
    )


@pytest.mark.contract("test_recall")
def test_the_key_is_locked_from_the_look_to_the_write(tt):
    diary = Diary(tt.MISS)
    ask(tt, diary, 41)
    expect(
        diary.events == ["lock", "read", "compute", "write", "unlock"],
        "From the look to the write, the key is locked.",
        call="recall(store, 'k', compute), nothing kept",
        got=diary.events,
        want=["lock", "read", "compute", "write", "unlock"],
        look="which lines are inside the with?",
    )


@pytest.mark.contract("test_recall")
def test_none_and_zero_are_results(tt):
    for kept in (None, 0, False, ""):
        diary = Diary(tt.MISS, {"k": kept})
        got = ask(tt, diary, 41)
        expect(
            got == kept and "compute" not in diary.events,
            "A result of None, 0 or empty is a result.",
            call=f"recall(store, 'k', compute), {kept!r} is kept",
            got=got,
            want=kept,
            look="`is MISS`: only that means there is none",
        )


@pytest.mark.contract("test_recall")
def test_an_error_is_not_kept_and_frees_the_lock(tt):
    diary = Diary(tt.MISS)
    expect_raises(
        OSError,
        lambda: ask(tt, diary, OSError("disk gone")),
        "What compute or store raises reaches the caller unchanged, once.",
        says="disk gone",
        call="recall(store, 'k', a compute that raises)",
    )
    expect(
        diary.kept == {} and diary.events[-1] == "unlock",
        "After an error of compute nothing is kept and the lock is free.",
        call="recall(store, 'k', a compute that raises)",
        got=f"kept {diary.kept}, last event {diary.events[-1:]}",
        want="kept {}, last event unlock",
        look="no try around compute()",
    )
    got = ask(tt, diary, 41)
    expect(
        got == 41 and diary.kept == {"k": 41},
        "After an error of compute nothing is kept and the lock is free.",
        call="recall(store, 'k', compute), after an error",
        got=got,
        want=41,
    )

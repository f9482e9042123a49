"""Hidden: keys of drawn calls, and a store that another process shares."""

import numpy as np
import pytest

from tinytorch.testing import expect, expect_raises


def examples(tt):
    """Functions to be called: the third is the second with another number in its code."""

    def rate(loads, records=10):
        return loads / records

    def order(records, length, shift=0):
        return [record // length + shift for record in records]

    first = order

    def order(records, length, shift=0):
        return [record // length - shift for record in records]

    return rate, first, order


@pytest.mark.contract("test_memo_key")
def test_every_value_of_an_argument_counts(tt, inside, draw):
    rate, order, _ = inside(examples)
    records = draw.permutation(5000)  # long enough for repr() to leave most of it out
    keys = {tt.memo_key(order, (records, 10), {})}
    for place in (100 + draw.choice(4800, 5, replace=False)).tolist():
        changed = records.copy()
        changed[[place, place + 1]] = changed[[place + 1, place]]
        keys.add(tt.memo_key(order, (changed, 10), {}))
    keys.add(tt.memo_key(order, (records.astype(np.int32), 10), {}))
    expect(
        len(keys) == 7 and all(isinstance(key, str) for key in keys),
        "Different arguments have different keys: each value and the type of an array count.",
        call="six orders of 5000, and one of them with another dtype",
        got=f"{len(keys)} keys",
        want="7 keys",
        look="str(array) leaves most of a long array out; stable_bytes does not",
    )
    kinds = {tt.memo_key(rate, (value, 10), {}) for value in (1, 1.0, True, "1")}
    expect(
        len(kinds) == 4,
        "Different arguments have different keys: each value and the type of an array count.",
        call="rate of each",
        got=f"{len(kinds)} keys",
        want="4 keys",
        look="which text or bytes stand for an argument? stable_bytes knows values "
        "and types; str(), repr() and hash() do not know all of them",
    )


@pytest.mark.contract("test_memo_key")
def test_changed_code_has_another_key(tt, inside, draw):
    rate, order, edited = inside(examples)
    values = draw.integers(0, 1000, 4).tolist()
    keys = [
        tt.memo_key(function, (values, 3), kwargs)
        for function in (order, edited)
        for kwargs in ({}, {"shift": 1})
    ]
    keys.append(tt.memo_key(rate, (values, 3), {}))
    expect(
        len(set(keys)) == 5,
        "Different code has a different key, even under the same name.",
        call="five different calls, four of them of functions with one name",
        got=f"{len(set(keys))} keys",
        want="5 keys",
        look="code_bytes(function), not the function's name",
    )
    again = tt.memo_key(order, (values,), {"shift": 0, "length": 3})
    expect(
        again == keys[0] and len(again) == 64,
        "Equal code with equal arguments has an equal key, in every process.",
        call="order(values, 3) and order(values, shift=0, length=3)",
        got=again,
        want=keys[0],
        look="code_bytes and stable_bytes; id() and hash() differ from run to run",
    )


@pytest.mark.contract("test_memo_key")
def test_arguments_that_do_not_fit_are_refused(tt, inside):
    rate, _, _ = inside(examples)
    key = tt.memo_key(rate, (3, 4), {})
    expect(
        len(key) == 64,
        "Arguments that the function does not take raise TypeError.",
        call="memo_key(rate, (3, 4), {}), which rate takes",
        got=key,
        want="64 digits",
        look="what is returned? hashlib.sha256(...).hexdigest()",
    )
    for args, kwargs in (((3, 4, 5), {}), ((), {}), ((3,), {"loads": 3}), ((3,), {"size": 1})):
        expect_raises(
            TypeError,
            lambda: tt.memo_key(rate, args, kwargs),
            "Arguments that the function does not take raise TypeError.",
            call=f"memo_key(rate, {args}, {kwargs})",
            look="signature(function).bind(*args, **kwargs) raises it by itself",
        )


class Shared:
    """A store in memory. `late` is what another process has kept by the time the lock is held."""

    def __init__(self, miss, kept, late):
        self.miss, self.kept, self.late, self.events = miss, kept, late, []

    def lock(self, key):
        self.events.append(f"lock {key}")
        return Lock(self)

    def read(self, key):
        self.events.append(f"read {key}")
        return self.kept.get(key, self.miss)

    def write(self, key, result):
        self.events.append(f"write {key}")
        self.kept[key] = result


class Lock:
    def __init__(self, store):
        self.store = store

    def __enter__(self):
        self.store.kept.update(self.store.late)

    def __exit__(self, *error):
        self.store.events.append("unlock")


@pytest.mark.contract("test_recall")
def test_what_another_process_kept_meanwhile_is_used(tt, draw):
    key, theirs, ours = (str(draw.integers(1000)), *draw.normal(size=2).tolist())
    store, computed = Shared(tt.MISS, {}, {key: theirs}), []

    def compute():
        computed.append(ours)
        return ours

    got = tt.recall(store, key, compute)
    expect(
        got == theirs and computed == [],
        "A result that another process kept before this one got the lock is used.",
        call="recall(store, key, compute), while another process computes",
        got=f"{got}, computed {len(computed)} times",
        want=f"{theirs}, computed 0 times",
        look="look after the lock is held, not only before",
    )


@pytest.mark.contract("test_recall")
def test_results_of_many_keys_are_kept_apart(tt, draw):
    store, computed = Shared(tt.MISS, {}, {}), []
    results = [None, [], 0, *draw.normal(size=3).tolist()]

    def asked(number):
        def compute():
            computed.append(number)
            return results[number]

        return tt.recall(store, f"key{number}", compute)

    order = [*range(6), *draw.permutation(6).tolist()]
    got = [asked(number) for number in order]
    expect(
        got == [results[number] for number in order],
        "A kept result is returned, neither computed nor written again.",
        call="recall of six keys, each twice",
        got=got,
        want=[results[number] for number in order],
        look="what happens only after a MISS? Compute and write; all else is lock, read and unlock",
    )
    expect(
        computed == [*range(6)],
        "A result of None, 0 or empty is a result.",
        call="recall of six keys, each twice: computed",
        got=computed,
        want=[*range(6)],
        look="how do you ask whether there is a result? Only `value is MISS` means "
        "that there is none",
    )
    first = ["lock key0", "read key0", "write key0", "unlock"]
    expect(
        store.events[:4] == first,
        "The key is locked from the read to the write.",
        call="recall(store, 'key0', compute)",
        got=store.events[:4],
        want=first,
        look="which lines are inside `with store.lock(key):`? The read, the "
        "computation and the write, once each",
    )


def collecting(tt):
    """A function that takes any arguments."""

    def collect(first, *numbers, scale=1, **names):
        return first, numbers, scale, names

    return collect


@pytest.mark.contract("test_memo_key")
def test_functions_of_any_arguments_have_keys_too(tt, inside):
    collect = inside(collecting)
    same = {
        tt.memo_key(collect, (1, 2, 3), {"a": 4, "b": 5}),
        tt.memo_key(collect, (1, 2, 3), {"b": 5, "a": 4}),
        tt.memo_key(collect, (1, 2, 3), {"scale": 1, "a": 4, "b": 5}),
    }
    expect(
        len(same) == 1,
        "A default gives the same key, written or left out.",
        call="collect(1, 2, 3, a=4, b=5), in another order, and with scale=1",
        got=f"{len(same)} keys",
        want="1 key",
        look="bound.apply_defaults(), before bound.arguments is used",
    )
    others = {
        *same,
        tt.memo_key(collect, (1, 3, 2), {"a": 4, "b": 5}),
        tt.memo_key(collect, (1, 2, 3), {"a": 5, "b": 4}),
        tt.memo_key(collect, (1, 2, 3), {"a": 4, "c": 5}),
        tt.memo_key(collect, (1, 2, 3, 4), {"b": 5}),
        tt.memo_key(collect, (1, 2, 3), {"scale": 2, "a": 4, "b": 5}),
    }
    expect(
        len(others) == 6,
        "Different arguments have different keys: each value and the type of an array count.",
        call="six different calls of collect(first, *numbers, scale=1, **names)",
        got=f"{len(others)} keys",
        want="6 keys",
        look="which text or bytes stand for an argument? stable_bytes knows values "
        "and types; str(), repr() and hash() do not know all of them",
    )

"""Promises of memo_key and recall. `tt` is your exported package."""

import numpy as np
import pytest

from tinytorch.testing import expect, expect_raises


def kind_of(error):
    """Type and message of an error, as one text."""
    return f"{type(error).__name__}: {error}"


def raised_by(function):
    """Type and message of what `function()` raises."""
    try:
        function()
    except NotImplementedError:  # your turn
        raise
    except Exception as error:  # noqa: BLE001 - any error may be asked for
        return kind_of(error)
    return "no error"


def examples(tt):
    """Functions to be called: two with the same name and other code, a third, and the
    first one again.
    """

    def new_area():
        def area(width, height=2):
            return width * height

        return area

    def area(width, height=2):
        return width + height

    def total(numbers, scale=1):
        return scale * sum(numbers)

    return new_area(), area, total, new_area()


@pytest.mark.contract("test_memo_key")
def test_a_key_stands_for_code_and_arguments(tt, inside):
    area, edited, total, again = inside(examples)
    key = tt.memo_key(area, (3, 4), {})
    expect(
        isinstance(key, str) and len(key) == 64 and set(key) <= set("0123456789abcdef"),
        "A key is a text of 64 hexadecimal digits.",
        call="memo_key(area, (3, 4), {})",
        got=key,
        want="64 of 0123456789abcdef",
        look="what is returned? hashlib.sha256(...).hexdigest()",
    )
    for function, text in (
        (area, "twice"),
        (again, "before and after the cell of area was run anew"),
    ):
        got = tt.memo_key(function, (3, 4), {})
        expect(
            got == key,
            "Equal code with equal arguments has an equal key, in every process.",
            call=f"memo_key(area, (3, 4), {{}}), {text}",
            got="two keys",
            want="one key",
            look="which text or bytes stand for the function and its arguments?"
            " code_bytes and stable_bytes; id() and hash() differ from run to run",
        )
    others = {tt.memo_key(area, (4, 3), {}), tt.memo_key(area, (3, 5), {}), key}
    expect(
        len(others) == 3,
        "Different arguments have different keys: each value and the type of an array"
        " count.",
        call="keys of area(3, 4), area(4, 3), area(3, 5)",
        got=f"{len(others)} different keys",
        want="3 different keys",
        look="every argument counts, its value together with its name",
    )
    others = {
        key,
        tt.memo_key(edited, (3, 4), {}),
        tt.memo_key(total, (3, 4), {}),
    }
    expect(
        len(others) == 3,
        "Different code has a different key, even under the same name.",
        call="keys of area(3, 4) with width * height, of an edited area with"
        " width + height, and of another function",
        got=f"{len(others)} different keys",
        want="3 different keys",
        look="what stands for the function? code_bytes(function): its name stays the"
        " same"
        " when its code changes",
    )


@pytest.mark.contract("test_memo_key")
def test_a_call_may_be_written_in_several_ways(tt, inside):
    area, _, _, _ = inside(examples)
    keys = {
        tt.memo_key(area, (3, 5), {}),
        tt.memo_key(area, (3,), {"height": 5}),
        tt.memo_key(area, (), {"height": 5, "width": 3}),
        tt.memo_key(area, (), {"width": 3, "height": 5}),
    }
    expect(
        len(keys) == 1 and all(isinstance(key, str) for key in keys),
        "Arguments are compared by name: f(1, 2) is f(b=2, a=1).",
        call="area(3, 5), area(3, height=5), area(height=5, width=3), area(width=3,"
        " height=5)",
        got=f"{len(keys)} keys",
        want="1 key",
        look="signature(function).bind gives every argument its name: bound.arguments"
        " is"
        " hashed, not args and kwargs",
    )


@pytest.mark.contract("test_memo_key")
def test_a_default_counts_like_a_value_that_is_written(tt, inside):
    area, _, _, _ = inside(examples)
    keys = {
        tt.memo_key(area, (3,), {}),
        tt.memo_key(area, (3, 2), {}),
        tt.memo_key(area, (3,), {"height": 2}),
    }
    expect(
        len(keys) == 1 and all(isinstance(key, str) for key in keys),
        "A default gives the same key, written or left out.",
        call="area(3), area(3, 2), area(3, height=2)",
        got=f"{len(keys)} keys",
        want="1 key",
        look="bound.apply_defaults(), before bound.arguments is used",
    )
    for equal in (2.0, np.int64(2)):
        expect(
            tt.memo_key(area, (3, equal), {}) not in keys,
            "Different arguments have different keys: each value and the type of an"
            " array count.",
            call=f"area(3) and area(3, {equal!r}), where height=2 is the default",
            got="one key",
            want="two keys",
            look="is an argument compared with its default? 2 == 2.0 in Python, but"
            " stable_bytes knows them apart",
        )
    other = tt.memo_key(area, (3,), {"height": 4})
    expect(
        other not in keys,
        "Different arguments have different keys: each value and the type of an array"
        " count.",
        call="area(3) and area(3, height=4), where height=2 is the default",
        got="one key",
        want="two keys",
        look="what is given counts; a default stands only where nothing is given",
    )


class Diary:
    """A store in memory that notes what happens. `late` is what another process has
    kept by the time we hold the lock; `fails` is what goes wrong.
    """

    def __init__(self, miss, kept=None, late=None, fails=None):
        self.miss, self.kept, self.late = miss, dict(kept or {}), late or {}
        self.events, self.fails = [], fails or {}

    def note(self, event):
        self.events.append(event)
        if event in self.fails:
            raise self.fails[event]

    def lock(self, key):
        self.note("lock")
        return Lock(self)

    def read(self, key):
        self.note("read")
        return self.kept.get(key, self.miss)

    def write(self, key, result):
        self.note("write")
        self.kept[key] = result


class Lock:
    def __init__(self, diary):
        self.diary = diary

    def __enter__(self):
        self.diary.kept.update(self.diary.late)

    def __exit__(self, *error):
        self.diary.events.append("unlock")


def ask(tt, diary, result):
    """recall, with a computation that gives `result`, or fails."""

    def compute():
        diary.note("compute")
        return result

    return tt.recall(diary, "k", compute)


@pytest.mark.contract("test_recall")
def test_a_result_is_computed_once_and_kept(tt):
    diary = Diary(tt.MISS)
    got = ask(tt, diary, 41)
    expect(
        got == 41 and diary.kept == {"k": 41},
        "A missing result is computed once, kept and returned.",
        call="recall(store, 'k', compute), nothing kept",
        got=f"returned {got}, kept {diary.kept}",
        want="returned 41, kept {'k': 41}",
        look="after a MISS: compute once, write that value, return that value",
    )
    again = ask(tt, diary, 7)
    expect(
        again == 41
        and diary.events.count("compute") == diary.events.count("write") == 1,
        "A kept result is returned, neither computed nor written again.",
        call="recall(store, 'k', compute), twice",
        got=f"returned {again}, {diary.events}",
        want="returned 41, computed and written once",
        look="what happens only after a MISS? Compute and write",
    )


@pytest.mark.contract("test_recall")
def test_the_key_is_locked_from_the_look_to_the_write(tt):
    diary = Diary(tt.MISS)
    ask(tt, diary, 41)
    expect(
        diary.events == ["lock", "read", "compute", "write", "unlock"],
        "The key is locked from the read to the write.",
        call="recall(store, 'k', compute), nothing kept",
        got=diary.events,
        want=["lock", "read", "compute", "write", "unlock"],
        look="which lines are inside `with store.lock(key):`? The read, the computation"
        " and the write, once each",
    )


@pytest.mark.contract("test_recall")
def test_none_and_zero_are_results(tt):
    for kept in (None, 0, False, "", []):
        diary = Diary(tt.MISS, {"k": kept})
        got = ask(tt, diary, 41)
        expect(
            got == kept and type(got) is type(kept) and "compute" not in diary.events,
            "A result of None, 0 or empty is a result.",
            call=f"recall(store, 'k', compute), and {kept!r} is kept",
            got=f"returned {got!r}, {diary.events}",
            want=f"returned {kept!r}, nothing computed",
            look="how do you ask whether there is a result? Only `value is MISS` means"
            " that there is none",
        )


@pytest.mark.contract("test_recall")
def test_an_error_is_not_kept_and_frees_the_lock(tt):
    for error in (OSError("disk gone"), KeyError("k"), ValueError("odd")):
        diary = Diary(tt.MISS, fails={"compute": error})
        got = raised_by(lambda: ask(tt, diary, 41))
        expect(
            (got, diary.events.count("compute")) == (kind_of(error), 1),
            "An error of compute or store reaches the caller unchanged, without a"
            " retry.",
            call="recall(store, 'k', a compute that raises)",
            got=f"{got}; {diary.events}",
            want=f"{kind_of(error)}; computed once",
            look="does anything catch what compute raises, put another error in its"
            " place, or try again?",
        )
        expect(
            diary.kept == {} and diary.events[-1] == "unlock",
            "After an error of compute nothing is kept and the lock is free.",
            call="recall(store, 'k', a compute that raises)",
            got=f"kept {diary.kept}, last event {diary.events[-1:]}",
            want="kept {}, last event unlock",
            look="what is written before compute() has returned?"
            if diary.kept
            else "a line after compute() is not reached when it raises;"
            " `with store.lock(key):` frees the lock always",
        )
        diary.fails = {}
        got = ask(tt, diary, 41)
        expect(
            got == 41 and diary.kept == {"k": 41},
            "A missing result is computed once, kept and returned.",
            call="recall(store, 'k', compute), after a compute that raised: result,"
            " kept",
            got=(got, diary.kept),
            want=(41, {"k": 41}),
            look="is anything remembered of a compute that raised? The next call"
            " computes"
            " anew",
        )


def keys_of_two_programs(tt):
    """Two keys of one call; as in two programs, hash() and id() give other numbers the
    second time.
    """

    def area(width, height=2):
        return width * height

    names, keys = ("hash", "id"), []
    for number in (1, 2):
        for name in names:
            setattr(tt, name, lambda value, number=number: number)
        try:
            keys.append(tt.memo_key(area, ("wide",), {}))
        finally:
            for name in names:
                delattr(tt, name)
    return keys


def numbers_in_code(tt):
    """Two functions with one name that differ in a number only."""

    def double(width):
        return 2 * width

    first = double

    def double(width):
        return 3 * width

    return first, double


@pytest.mark.contract("test_memo_key")
def test_a_key_is_the_same_in_every_process(inside):
    first, second = inside(keys_of_two_programs)
    expect(
        first == second and isinstance(first, str),
        "Equal code with equal arguments has an equal key, in every process.",
        call="memo_key(area, ('wide',), {}) in two programs",
        got="two keys",
        want="one key",
        look="which text or bytes stand for the call? hash() and id() differ from"
        " program to program",
    )


@pytest.mark.contract("test_memo_key")
def test_numbers_in_the_code_count(tt, inside):
    double, triple = inside(numbers_in_code)
    keys = {tt.memo_key(double, (3,), {}), tt.memo_key(triple, (3,), {})}
    expect(
        len(keys) == 2 and all(isinstance(key, str) for key in keys),
        "Different code has a different key, even under the same name.",
        call="def double(width): return 2 * width, and edited to 3 * width",
        got="one key",
        want="two keys",
        look="what stands for the function? code_bytes(function) has the numbers in its"
        " code, too",
    )


@pytest.mark.contract("test_memo_key")
def test_the_types_of_arguments_count(tt, inside):
    area, _, _, _ = inside(examples)
    values = (3, 3.0, "3", True, 1, [3], (3,), np.array(3), np.array([3]), None)
    known, shared = {}, []
    for value in values:
        first = known.setdefault(tt.memo_key(area, (value,), {}), value)
        if first is not value:
            shared.append(f"{first!r} and {value!r}")
    expect(
        not shared and all(isinstance(key, str) for key in known),
        "Different arguments have different keys: each value and the type of an array"
        " count.",
        call="area of 3, 3.0, '3', True, 1, [3], (3,), array(3), array([3]), None",
        got=f"one key for {'; for '.join(shared)}",
        want="10 keys",
        look="which text or bytes stand for an argument? stable_bytes knows values and"
        " types; str(), repr() and hash() do not know all of them",
    )


@pytest.mark.contract("test_memo_key")
def test_args_and_kwargs_may_be_left_out(tt, inside):
    area, _, _, _ = inside(examples)
    keys = {
        tt.memo_key(area, (3,), {}),
        tt.memo_key(area, (3,)),
        tt.memo_key(area, (3,), None),
        tt.memo_key(area, kwargs={"width": 3}),
    }
    expect(
        len(keys) == 1 and all(isinstance(key, str) for key in keys),
        "args may be left out; kwargs too, or be None.",
        call="memo_key(area, (3,), {}), (area, (3,)), (area, (3,), None),"
        ' (area, kwargs={"width": 3})',
        got=f"{len(keys)} keys",
        want="1 key",
        look="None stands for no keyword arguments, as {} does: `kwargs or {}`",
    )


@pytest.mark.contract("test_memo_key")
def test_what_cannot_be_a_call_is_refused(tt, inside):
    area, _, _, _ = inside(examples)
    key = tt.memo_key(area, (3, 4), {})
    expect(
        isinstance(key, str) and len(key) == 64,
        "A key is a text of 64 hexadecimal digits.",
        call="memo_key(area, (3, 4), {})",
        got=key,
        want="64 of 0123456789abcdef",
        look="what is returned? hashlib.sha256(...).hexdigest()",
    )
    for args, kwargs in (((1, 2, 3), {}), ((), {"height": 1}), ((3,), {"depth": 1})):
        expect_raises(
            TypeError,
            lambda: tt.memo_key(area, args, kwargs),
            "Arguments that the function does not take raise TypeError.",
            call=f"def area(width, height=2): memo_key(area, {args}, {kwargs})",
            look="signature(function).bind(*args, **kwargs) raises it by itself",
        )
    got = inside(key_of_an_object)
    expect(
        got == "TypeError",
        "A value without stable bytes raises TypeError.",
        call="memo_key(area, (object(),), {})",
        got=got,
        want="TypeError",
        look="stable_bytes raises it by itself: is every argument given to it, and is"
        " nothing caught?",
    )


def key_of_an_object(tt):
    """What memo_key raises for an argument without stable bytes."""

    def area(width):
        return width

    try:
        tt.memo_key(area, (object(),), {})
    except TypeError as error:
        return type(error).__name__
    return "a key"


@pytest.mark.contract("test_recall")
def test_what_another_process_kept_is_used(tt):
    diary = Diary(tt.MISS, late={"k": 7})
    got = ask(tt, diary, 41)
    expect(
        got == 7 and "compute" not in diary.events,
        "A result that another process kept before this one got the lock is used.",
        call="a store in which another process keeps 7 until the key is locked:"
        " recall(store, 'k', compute)",
        got=f"returned {got}, {diary.events}",
        want="returned 7, nothing computed",
        look="store.read was not called: does anything but the store keep results from"
        " one call to the next?"
        if "read" not in diary.events
        else "the store is read before the key is locked: what it says later counts"
        if diary.events.index("read") < diary.events.index("lock")
        else "compute is called only after a MISS, and what the store says is returned",
    )


@pytest.mark.contract("test_recall")
def test_errors_of_the_store_pass_through(tt):
    for event in ("lock", "read", "write"):
        for error in (OSError("disk gone"), KeyError("k")):
            diary = Diary(tt.MISS, fails={event: error})
            got = raised_by(lambda: ask(tt, diary, 41))
            expect(
                (got, diary.events.count(event)) == (kind_of(error), 1),
                "An error of compute or store reaches the caller unchanged, without a"
                " retry.",
                call=f"recall(store, 'k', compute), and store.{event} raises",
                got=f"{got}; {diary.events}",
                want=f"{kind_of(error)}; {event} once",
                look=f"does anything catch what store.{event} raises, put another error"
                " in its place, or try again?",
            )


@pytest.mark.contract("test_memo_key")
def test_arguments_stay_as_they_are(tt, inside):
    area, _, _, _ = inside(examples)
    for kwargs in ({}, {"height": 5}):
        args, given = ([3],), dict(kwargs)
        key = tt.memo_key(area, args, given)
        expect(
            given == kwargs and args == ([3],) and len(key) == 64,
            "args and kwargs are not changed.",
            call=f"memo_key(area, ([3],), {kwargs}): args and kwargs afterwards",
            got=(args, given),
            want=(([3],), kwargs),
            look="is anything written into args or kwargs? Collect the arguments in a"
            " new"
            " dict",
        )


@pytest.mark.contract("test_recall")
def test_an_array_is_a_result(tt):
    diary = Diary(tt.MISS, {"k": np.arange(3)})
    got = ask(tt, diary, 41)
    expect(
        isinstance(got, np.ndarray) and got.tolist() == [0, 1, 2],
        "A kept result is returned, neither computed nor written again.",
        call="recall(store, 'k', compute), and np.array([0, 1, 2]) is kept",
        got=got,
        want="array([0, 1, 2])",
        look="`value is MISS`: `==` and `in` compare every number of an array",
    )

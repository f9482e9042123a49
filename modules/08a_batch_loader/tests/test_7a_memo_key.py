"""Laws of exercise 7a, memo_key."""

import numpy as np

from tinytorch.laws import Case, law

AREA = "def f(a, b=2): return a * b"
MANY = "def f(a, *rest, scale=1, **named): return a, rest, scale, named"
NEW = "a key that no call before has"
BYTES = (
    "which text or bytes stand for an argument? stable_bytes knows values and types;"
    " str(), repr() and hash() do not know all of them"
)
HEX = "64 digits of 0123456789abcdef"


def made(tt, source):
    """The function f of this source, as a cell of a notebook makes it."""
    names = {"__name__": "__main__"}
    exec(source, names)
    return names["f"]


class Keys:
    """The keys of some calls: `of` says whether a call has the key of one before."""

    def __init__(self, tt):
        self.tt, self.known = tt, {}

    def of(self, text, f, *call):
        key = self.tt.memo_key(f, *call)
        if not (isinstance(key, (str, bytes)) and key):
            return f"no key, but {type(key).__name__}"
        first = self.known.setdefault(key, text)
        return NEW if first is text else f"the key of {first}"


def written(args, kwargs):
    """The call of f as one would type it."""
    shown = [repr(one) for one in args] + [f"{k}={v!r}" for k, v in kwargs.items()]
    return f"f({', '.join(shown)})"


def all_one(tt, inside, source, *calls):
    """Cases: all these calls of the function have the key of the first one."""
    keys, f, first = Keys(tt), inside(made, source), written(*calls[0])
    for call in calls:
        text = written(*call)
        want = NEW if call is calls[0] else f"the key of {first}"
        yield f"{source}; memo_key of {text}", lambda: keys.of(text, f, *call), want


def all_new(tt, inside, source, *calls):
    """Cases: each of these calls has a key of its own."""
    keys, f = Keys(tt), inside(made, source)
    for call in calls:
        text = written(*call)
        yield f"{source}; memo_key of {text}", lambda: keys.of(text, f, *call), NEW


@law(1, "hexadecimal digits", look="what is returned? The text that hexdigest() gives")
def test_a_key_is_a_text(tt, inside, draw):
    f = inside(made, AREA)

    def is_key(key):
        return isinstance(key, str) and len(key) == 64 and not set(key.lower()) - digits

    digits = set("0123456789abcdef")
    for args in ((3,), (int(draw.integers(10**6)), "x")):
        call = f"{AREA}; memo_key(f, {args}, {{}})"
        yield call, lambda: tt.memo_key(f, args, {}), HEX, is_key


@law(
    2,
    "Equal code",
    look="code_bytes and stable_bytes are the same in every program; id(), hash() and"
    " an address in a repr are not",
)
def test_equal_calls_have_one_key(tt, inside, stand_in, draw):
    f, n, keys = inside(made, AREA), int(draw.integers(100, 10**6)), Keys(tt)
    moved, call = inside(made, f"\n\n{AREA}"), f"memo_key(f, ({n}, 'wide'), {{}})"
    hashed = lambda value: len(keys.known) + n  # noqa: E731
    stand_in(hash=hashed, id=hashed)  # as in another program: other numbers
    for text, function in (
        (f"{AREA}; {call}", f),
        (f"{call} in another program", f),
        (f"{call}, after the cell of f was moved and run again", moved),
    ):
        want = f"the key of {AREA}; {call}" if keys.known else NEW
        yield text, lambda: keys.of(text, function, (n, "wide"), {}), want
    columns = draw.integers(0, 99, (4, 6)).T[::2]
    calls = ((columns, n), {}), ((np.ascontiguousarray(columns), n), {})
    yield from all_one(tt, inside, AREA, *calls)


@law(3, "Different arguments", look=BYTES)
def test_different_arguments_have_different_keys(tt, inside, draw):
    n = int(draw.integers(3, 1000))
    values = (n, n + 1, float(n), str(n), 1, True, None, [n], (n,), {"a": n})
    values += (np.array(n), np.array([n]), np.int64(n))
    calls = [((value,), {}) for value in values]
    calls += [((n, value), {}) for value in (2.0, True, np.int64(2), n + 1)]
    yield from all_new(tt, inside, AREA, *calls, ((n + 1, n), {}), ((2, n), {}))
    pairs = [(n, none) for none in (None, 0, "", False, ())]
    pairs += [(none, n) for _, none in pairs] + [(None, None), (None, 0), (None, 2)]
    yield from all_new(tt, inside, AREA, *((pair, {}) for pair in pairs))
    x, y = n, n + 1
    calls = (((x, x, y), {}), ((x, y, x), {}), ((x, (x, y)), {}), ((x, x), {"y": y}))
    calls += (((x,), {"y": x, "z": y}), ((x,), {"y": y, "z": x}), ((x,), {"scale": y}))
    yield from all_new(tt, inside, MANY, *calls)


@law(3, "Different arguments", look=BYTES)
def test_arrays_count_with_every_number_and_their_type(tt, inside, draw):
    order = draw.permutation(5000)  # its repr leaves most of it out
    place, changed = int(draw.integers(100, 4000)), order.copy()
    changed[[place, place + 1]] = order[[place + 1, place]]
    f, keys = inside(made, AREA), Keys(tt)
    for text, array in (
        ("x", order),
        (f"x, with indices {place} and {place + 1} swapped", changed),
        ("x.astype(np.int32)", order.astype(np.int32)),
        ("x.view(np.uint64), the same bytes", order.view(np.uint64)),
        ("x.reshape(50, 100)", order.reshape(50, 100)),
        ("x.reshape(100, 50)", order.reshape(100, 50)),
    ):
        call = f"x is an order of 5,000; memo_key(f, (y,), {{}}) where y is {text}"
        yield call, lambda: keys.of(text, f, (array,), {}), NEW


@law(
    4,
    "Different code",
    look="what stands for the function? Its name stays when its code changes, and its"
    " bytecode alone has no numbers and no names; code_bytes has all",
)
def test_edited_code_has_another_key(tt, inside, draw):
    n, keys = int(draw.integers(300, 10**6)), Keys(tt)
    for body in (
        f"a * b + {n}",
        f"a * b - {n}",
        f"a * b + {n + 1}",
        "min(a, b)",
        "max(a, b)",
        f"[x + {n} for x in (a, b)]",
        f"[x + {n + 1} for x in (a, b)]",
    ):
        source = f"def f(a, b=2): return {body}"
        f, call = inside(made, source), f"{source}; memo_key(f, ({n}, 4), {{}})"
        yield call, lambda: keys.of(source, f, (n, 4), {}), NEW


@law(
    5,
    "compared by name",
    look="signature(function).bind gives every argument its name: hash the names and"
    " values of bound.arguments, not args and kwargs",
)
def test_a_call_may_be_written_in_several_ways(tt, inside, draw):
    x, y = draw.integers(3, 10**6, 2).tolist()
    same = (
        ((x, y), {}),
        ((x,), {"b": y}),
        ((), {"b": y, "a": x}),
        ((), {"a": x, "b": y}),
    )
    yield from all_one(tt, inside, AREA, *same)
    same = (
        ((x, 1), {"p": y, "q": x, "scale": 3}),
        ((x, 1), {"scale": 3, "q": x, "p": y}),
    )
    yield from all_one(tt, inside, MANY, *same)


@law(6, "A default gives", look="bound.apply_defaults(), before the arguments are used")
def test_a_default_may_be_written(tt, inside, draw):
    x, default = draw.integers(3, 10**6, 2).tolist()
    for value in (2, None, (default, "x")):
        same = ((x,), {}), ((x, value), {}), ((x,), {"b": value})
        yield from all_one(tt, inside, f"def f(a, b={value!r}): return a, b", *same)
    same = ((x, 1), {"p": 2}), ((x, 1), {"p": 2, "scale": 1})
    yield from all_one(tt, inside, MANY, *same)


@law(7, "may be left out", look="None stands for no keyword arguments, as {} does")
def test_arguments_may_be_left_out(tt, inside, draw):
    n = int(draw.integers(3, 10**6))
    source = f"def f(a={n}, b=2): return a * b"
    f = inside(made, source)
    for text, left_out, call in (
        ("f", lambda: tt.memo_key(f), ((), {})),
        (f"f, ({n},)", lambda: tt.memo_key(f, (n,)), ((n,), {})),
        (f"f, ({n},), None", lambda: tt.memo_key(f, (n,), None), ((n,), {})),
        (
            f"f, kwargs={{'a': {n}}}",
            lambda: tt.memo_key(f, kwargs={"a": n}),
            ((), {"a": n}),
        ),
    ):
        key = tt.memo_key(f, *call)
        text = f"{source}; memo_key({text}) is memo_key(f, {call[0]}, {call[1]})"
        yield text, lambda: bool(key) and left_out() == key, True


@law(
    8,
    "function does not take",
    look="signature(function).bind raises it by itself: is it called as the function"
    " would be, with * and **?",
)
def test_arguments_that_do_not_fit_are_refused(tt, inside, draw):
    f, n = inside(made, AREA), int(draw.integers(3, 10**6))
    call = f"{AREA}; memo_key(f, ({n},), {{}})"
    yield call, lambda: Keys(tt).of(call, f, (n,), {}), NEW
    calls = (
        ((1, 2, n), {}),
        ((), {}),
        ((), {"b": n}),
        ((3,), {"c": n}),
        ((n,), {"a": n}),
    )
    for args, kwargs in calls:
        call = f"{AREA}; memo_key(f, {args}, {kwargs})"
        yield Case(call, lambda: tt.memo_key(f, args, kwargs), [], raises=TypeError)


@law(
    9,
    "without stable bytes",
    look="stable_bytes raises it by itself: is every argument given to it, and is"
    " nothing caught?",
)
def test_a_value_that_cannot_be_seen_is_refused(tt, inside, draw):
    f, n, thing = inside(made, AREA), int(draw.integers(3, 10**6)), object()
    call = f"{AREA}; memo_key(f, ({n},), {{}})"
    yield call, lambda: Keys(tt).of(call, f, (n,), {}), NEW
    for text, args, kwargs in (
        ("f(object())", (thing,), {}),
        (f"f({n}, b=object())", (n,), {"b": thing}),
        (f"f([{n}, object()])", ([n, thing],), {}),
        (f'f({n}, {{"x": object()}})', (n, {"x": thing}), {}),
    ):
        call = f"{AREA}; memo_key of {text}"
        yield Case(call, lambda: tt.memo_key(f, args, kwargs), [], raises=TypeError)


def afterwards(tt, n):
    """args and kwargs after memo_key, and whether keys came."""

    def f(a, b=2, *, c=3):
        return a, b, c

    args, kwargs, none = ([n, 3, 1],), {"c": {"x": n}}, {}
    keys = tt.memo_key(f, args, kwargs), tt.memo_key(f, args, none)
    return [args, kwargs, none, *map(bool, keys)]


@law(10, "are not changed", look="is a line writing into kwargs, or sorting a list?")
def test_args_and_kwargs_stay(inside, draw):
    n = int(draw.integers(10, 10**6))
    call = f"x = ([{n}, 3, 1],); y = {{'c': {{'x': {n}}}}}; z = {{}}; memo_key(f, x, y)"
    want = [([n, 3, 1],), {"c": {"x": n}}, {}, True, True]
    call += "; memo_key(f, x, z): x, y, z, and whether keys came"
    yield call, lambda: inside(afterwards, n), want

"""Laws of exercise 1b, fa_convert."""

import numpy as np
from stand_ins_08b import errors_of_samples, of_type

from tinytorch.core.tensor import Tensor
from tinytorch.laws import Case, law

CONVERTED = "each part through fa_convert; rebuild(batch, a list of them)"
DTYPES = ("uint8", "int16", "int32", "int64", "float32", "float64", "bool")


def converted(inside, kind, parts):
    return lambda: inside(of_type, "fa_convert", [kind], [parts])


@law(
    1,
    "becomes a Tensor",
    look="Tensor(batch) keeps the dtype: what else is done to the array?",
)
def test_an_array_becomes_a_tensor(tt, inside, draw):
    for dtype in DTYPES:
        shape = tuple(draw.integers(1, 5, int(draw.integers(1, 4))))
        array = draw.integers(0, 100, shape).astype(dtype)
        for one in (array, array[::-1].T, array[:0]):
            call = f"fa_convert(an array of shape {one.shape}, {dtype})"
            yield call, lambda one=one: tt.fa_convert(one), Tensor(one)
    number = lambda: type(tt.fa_convert(np.array(2.5))).__name__  # noqa: E731
    yield "type(fa_convert(np.array(2.5))).__name__", number, "Tensor"
    call = "fa_convert(an array of a subclass of np.ndarray): its type, its data"
    yield call, converted(inside, "Table", array), ("Tensor", array)


@law(2, "Mappings keep", look="isinstance(batch, Mapping), and rebuild(batch, parts)")
def test_mappings_keep_their_type(tt, inside, draw):
    one, two = draw.integers(0, 100, (2, 3))
    for batch, want in (
        ({"x": one, "y": two}, {"x": Tensor(one), "y": Tensor(two)}),
        ({0: {None: one}}, {0: {None: Tensor(one)}}),
        ({}, {}),
    ):
        yield f"fa_convert({batch})", lambda batch=batch: tt.fa_convert(batch), want
    for kind in ("OrderedDict", "defaultdict", "MappingProxyType"):
        call = f"fa_convert({kind} of two arrays): its type, its parts"
        parts = {"x": Tensor(one), "y": Tensor(two)}
        yield call, converted(inside, kind, {"x": one, "y": two}), (kind, parts)


@law(3, "ranges become lists", look=CONVERTED)
def test_sequences_keep_their_type(tt, inside, draw):
    one, two = draw.integers(0, 100, (2, 3))
    a, b = Tensor(one), Tensor(two)
    for batch, want in (
        ((one, two), (a, b)),
        ([one, two], [a, b]),
        ((one, (two, [one])), (a, (b, [a]))),
        ([{"x": [one]}], [{"x": [a]}]),
        ((one,), (a,)),
        ((), ()),
        ([], []),
    ):
        yield f"fa_convert({batch})", lambda batch=batch: tt.fa_convert(batch), want
    for kind in ("Point", "UserList"):
        call = f"fa_convert({kind} of two arrays): its type, its parts"
        yield call, converted(inside, kind, [one, two]), (kind, [a, b])
    look = "is a range found (isinstance(batch, Sequence)), and are the parts a list?"
    for numbers in (range(2), range(0), range(3, 9, 4)):
        got = lambda: tt.fa_convert(numbers)  # noqa: E731
        yield Case(f"fa_convert({numbers})", got, [*numbers], look=look)


def other_objects(tt, number, text):
    """Which things become another object, alone and inside of others; and the types of
    two arrays that are beside them.
    """
    import numpy as np

    from tinytorch.core.tensor import Tensor

    class Sound(Tensor):
        """A kind of Tensor."""

    class Item:
        """Something else."""

    floats = np.array([1.5])
    things = [
        Tensor([2.0]),
        Sound(floats),
        Tensor(floats, requires_grad=True),
        text,
        "",
        text.encode(),
        3000 + number,
        number + 0.5,
        True,
        None,
        1j,
        np.float32(number),
        np.int64(number),
        {number},
        Item(),
        Item,
        len,
        iter([1]),
    ]
    found = []
    for thing in things:
        name = f"{type(thing).__name__} {text if thing is text else ''}".strip()
        if tt.fa_convert(thing) is not thing:
            found.append(name)
        row = tt.fa_convert((floats, thing, [thing], {"k": thing}))
        if not (row[1] is row[2][0] is row[3]["k"] is thing):
            found.append(f"{name}, inside of another")
    return found, [type(part).__name__ for part in tt.fa_convert([floats, text])]


@law(
    4,
    "as the same object",
    look="only an np.ndarray becomes a Tensor; a Tensor is ready, also of a subclass."
    " Strings and bytes are Sequences too: ask for them before you rebuild",
)
def test_everything_else_stays(tt, inside, draw):
    number, text = int(draw.integers(1000)), f"word {draw.integers(1000)}"
    call = "fa_convert(x) is x, for Tensors, texts, numbers, None and others: those for"
    call = f"{call} which it is not, and the types in fa_convert([array, {text!r}])"
    want = [], ["Tensor", "str"]
    yield call, lambda: inside(other_objects, number, text), want
    row = (np.arange(3), text, number, None, True)
    call = f"fa_convert((np.arange(3), {text!r}, {number}, None, True))"
    yield call, lambda: tt.fa_convert(row), (Tensor(row[0]), *row[1:])


@law(5, "without a retry", look="no `try`: what a part raises goes its way")
def test_an_error_of_a_part_passes_through(inside, draw):
    good = lambda word: ([(word,)], [{"k": word}])  # noqa: E731
    yield from errors_of_samples(inside, "fa_convert", draw, good)

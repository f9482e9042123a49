"""Laws of exercise 1a, fa_collate."""

import numpy as np
from stand_ins_08b import errors_of_samples, of_type

from tinytorch.core.tensor import Tensor
from tinytorch.laws import Case, law

REBUILT = "each column through fa_collate; rebuild(first, a list of them)"
MAPPING = (
    "isinstance(first, Mapping) finds any kind; the values by key, and rebuild(first, "
    "...) for the type"
)
DTYPES = ("uint8", "int16", "int32", "int64", "float32", "float64", "bool")


def collated(inside, kinds, contents):
    return lambda: inside(of_type, "fa_collate", kinds, contents)


def words(draw, count):
    return [f"word {k}" for k in draw.integers(0, 1000, count)]


@law(1, "Strings and bytes", look="a string is a Sequence, and so are bytes: ask first")
def test_strings_become_a_list(tt, draw):
    some = words(draw, int(draw.integers(2, 6)))
    texts = [one.encode() for one in some]
    for samples in (
        ["b", "a", "b"],
        ["a"],
        ("", "cd"),
        [b"ab", b"c"],
        (b"",),
        some,
        texts,
    ):
        yield f"fa_collate({samples})", lambda x=samples: tt.fa_collate(x), [*samples]


@law(2, "mapping of that type", look=MAPPING)
def test_mappings_keep_their_type(tt, inside, draw):
    a, b, c, d = words(draw, 4)
    for rows, want in (
        ([{"x": a, "y": b}, {"x": c, "y": d}], {"x": [a, c], "y": [b, d]}),
        ([{"x": {"k": a}}], {"x": {"k": [a]}}),
        ([{}, {}], {}),
        ([{0: "a", None: "b"}], {0: ["a"], None: ["b"]}),
    ):
        yield f"fa_collate({rows})", lambda rows=rows: tt.fa_collate(rows), want
    samples = [{"x": {"k": a}, "y": b}, {"y": d, "x": {"k": c}}]
    want = {"x": {"k": [a, c]}, "y": [b, d]}
    for kind in ("dict", "OrderedDict", "defaultdict", "MappingProxyType"):
        call = f"fa_collate of two, each {kind}({samples[0]}) or so: its type and parts"
        yield call, collated(inside, [kind] * 2, samples), (kind, want)


@law(3, "values at each position", look=REBUILT)
def test_sequences_keep_their_type(tt, inside, draw):
    a, b, c, d = words(draw, 4)
    for samples, want in (
        ([(a, b), (c, d)], ([a, c], [b, d])),
        ([[a, b], [c, d]], [[a, c], [b, d]]),
        ([(a, (b, [c])), (b, (c, [d]))], ([a, b], ([b, c], [[c, d]]))),
        ([{"k": [a]}, {"k": [b]}, {"k": [c]}], {"k": [[a, b, c]]}),
        (((a,),), ([a],)),
        ([(), ()], ()),
        ([[], []], []),
        ([[a, b], (c, d)], [[a, c], [b, d]]),
        ([(a, b), [c, d]], ([a, c], [b, d])),
    ):
        yield f"fa_collate({samples})", lambda x=samples: tt.fa_collate(x), want
    for kind in ("Point", "UserList"):
        call = f"fa_collate({kind}s of {[a, b]} and {[c, d]}): its type, its parts"
        got = collated(inside, [kind] * 2, [[a, b], [c, d]])
        yield call, got, (kind, [[a, c], [b, d]])
    for samples in ([[1, 2], [3, 4]], [(1, 2), (3, 4)]):
        call = f"[part.data.tolist() for part in fa_collate({samples})]"
        got = lambda x=samples: [part.data.tolist() for part in tt.fa_collate(x)]  # noqa: E731
        yield call, got, [[1, 3], [2, 4]]
    look = "is a range found (isinstance(first, Sequence)), and are the parts a list?"
    type_of = lambda: type(tt.fa_collate([range(2), range(2)])).__name__  # noqa: E731
    yield Case("type(fa_collate([range(2), range(2)]))", type_of, "list", look=look)


@law(
    4,
    "keeps their dtype",
    look="stack(samples) keeps the dtype: what else is done to the numbers?",
)
def test_numbers_and_arrays_are_stacked(tt, draw):
    for samples in ([3, 4], [2.5, 1.0], [True, False], [7], (1, 2, 3)):
        got = lambda x=samples: tt.fa_collate(x)  # noqa: E731
        yield f"fa_collate({samples})", got, Tensor(np.array(samples))
    for dtype in DTYPES:
        shape = tuple(draw.integers(1, 4, int(draw.integers(1, 4))))
        count = int(draw.integers(1, 5))
        array = draw.integers(0, 100, (count, *shape)).astype(dtype)
        call = f"fa_collate({count} arrays, shape {shape}, {dtype})"
        yield call, lambda x=array: tt.fa_collate([*x]), Tensor(array)
        scalars = np.array([1, 0, 1], dtype)
        call = f"fa_collate([np.{dtype}(1), np.{dtype}(0), np.{dtype}(1)])"
        yield call, lambda x=scalars: tt.fa_collate([*x]), Tensor(scalars)
    pairs = [(np.full((2, 2), k, np.uint8), k) for k in (5, 3)]
    want = Tensor(np.stack([pixels for pixels, _ in pairs])), Tensor(np.array([5, 3]))
    call = "fa_collate([(pixels, 5), (pixels, 3)]); pixels is uint8, shape (2, 2)"
    yield call, lambda: tt.fa_collate(pairs), want
    yield (
        "fa_collate([np.zeros((0, 3)), np.zeros((0, 3))])",
        lambda: tt.fa_collate([np.zeros((0, 3))] * 2),
        Tensor(np.zeros((2, 0, 3))),
    )


@law(
    5,
    "Tensors of a subclass",
    look="stack makes a plain Tensor; type(first)(batch.data) keeps the kind",
)
def test_tensors_keep_their_kind(tt, inside, draw):
    rows = draw.integers(0, 100, (int(draw.integers(2, 5)), 3)).astype("float32")
    for many in (rows, rows[:1], rows.astype("uint8")):
        call = f"fa_collate({len(many)} Tensors of shape (3,), {many.dtype})"
        got = lambda x=many: tt.fa_collate([Tensor(row) for row in x])  # noqa: E731
        yield call, got, Tensor(many)
        for kind in ("Sound", "Tensor"):
            text = f"{call}, each a {kind}: its type, its data"
            got = collated(inside, [kind] * len(many), [*many])
            yield text, got, (kind, many)
    for kinds in (["Sound", "Tensor"], ["Tensor", "Sound"]):
        call = f"fa_collate([a {kinds[0]}, a {kinds[1]}]): its type, its data"
        yield call, collated(inside, kinds, [*rows[:2]]), (kinds[0], rows[:2])


def after_writing(tt, kind, rows):
    """How many values of a batch were written into, and the samples afterwards."""
    import numpy as np

    from tinytorch.core.tensor import Tensor

    class Sound(Tensor):
        """A kind of Tensor."""

    make = {
        "array": lambda row: row,
        "Tensor": Tensor,
        "Sound": Sound,
        "tuple": lambda row: (row, row[:1]),
        "list": lambda row: [row],
        "dict": lambda row: {"x": Tensor(row)},
        "string": lambda row: "word",
    }[kind]

    def write(part):
        if isinstance(part, Tensor):
            part.data[...] = 7
            return part.size
        parts = list(part.values()) if isinstance(part, dict) else list(part)
        found = sum(1 if isinstance(one, str) else write(one) for one in parts)
        if not isinstance(part, tuple):
            part.clear()
        return found

    samples = [make(row) for row in np.array(rows)]  # the rows of one array
    before, found = repr(samples), write(tt.fa_collate(samples))
    return found, "as before" if repr(samples) == before else repr(samples)


@law(
    6,
    "new memory",
    look="stack copies every sample: is it left out for one of them, or for one alone?"
    " The lists and dicts of a batch are new, too",
)
def test_writing_into_a_batch_changes_no_sample(inside, draw):
    rows = draw.integers(8, 10**6, (3, 2)).astype(float)
    values = {"array": 2, "Tensor": 2, "Sound": 2, "tuple": 3, "list": 2, "dict": 2}
    for kind, size in {**values, "string": 1}.items():
        for count in (1, 3):
            call = f"fa_collate(samples), {count} of type {kind}; all of the batch is"
            call = f"{call} overwritten: how many values, and what the samples are then"
            got = lambda kind=kind, n=count: inside(after_writing, kind, rows[:n])  # noqa: E731
            yield call, got, (size * count, "as before")


@law(7, "empty list of samples", look="ask for an empty list before samples[0]")
def test_a_batch_needs_a_sample(tt, draw):
    some = words(draw, 2)
    yield f"fa_collate({some})", lambda: tt.fa_collate([*some]), some
    for samples in ([], ()):
        got = lambda x=samples: tt.fa_collate(x)  # noqa: E731
        yield Case(f"fa_collate({samples})", got, raises=ValueError)


@law(
    8,
    "unequal length",
    look="compare the lengths of all samples: zip stops at the shortest",
)
def test_unequal_lengths_are_refused(tt, draw):
    count, odd, length = [int(draw.integers(a, b)) for a, b in ((3, 8), (0, 3), (1, 6))]
    drawn = [("a", "b")] * count
    yield (
        f"fa_collate({drawn})",
        lambda: tt.fa_collate(drawn),
        (["a"] * count, ["b"] * count),
    )
    drawn[odd] = ("a",) * (length + (length == 2))
    for samples in (
        [(1, 2), (3,)],
        [(3,), (1, 2)],
        [(1,), (2, 3), (4, 5)],
        [(1, 2), (3, 4, 5), (6, 7)],
        [[1], [2], []],
        [(), (1,)],
        [(1, (2, 3)), (4, (5,))],
        [{"a": [1]}, {"a": [1, 2]}],
        drawn,
    ):
        got = lambda x=samples: tt.fa_collate(x)  # noqa: E731
        yield Case(f"fa_collate({samples})", got, raises=ValueError)


@law(
    9,
    "different keys",
    look="first compare the keys of all samples: is sample.keys() == first.keys()?",
)
def test_different_keys_are_refused(tt, draw):
    count, odd = int(draw.integers(3, 8)), int(draw.integers(3))
    x, y = words(draw, 2)
    drawn = [{"a": x, "b": y} for _ in range(count)]
    want = {"a": [x] * count, "b": [y] * count}
    yield f"fa_collate({drawn})", lambda: tt.fa_collate([*drawn]), want
    more, less = [*drawn], [*drawn]
    more[odd], less[odd] = {**drawn[0], "c": "z"}, {"b": "y"}
    for samples in (
        [{"a": 1}, {"b": 1}],
        [{"a": 1}, {"a": 1, "b": 2}],
        [{"a": 1, "b": 2}, {"a": 1}, {"a": 1, "b": 2}],
        [{}, {"a": 1}],
        [{"a": 1, 1: 2}, {"a": 1, None: 2}],
        [({"a": 1},), ({"b": 1},)],
        more,
        less,
    ):
        got = lambda x=samples: tt.fa_collate(x)  # noqa: E731
        yield Case(f"fa_collate({samples})", got, raises=ValueError)


@law(10, "without a retry", look="no `try`: what a sample or stack raises goes its way")
def test_an_error_of_a_sample_passes_through(tt, inside, draw):
    good = lambda word: (([word],), {"k": [word]})  # noqa: E731
    yield from errors_of_samples(inside, "fa_collate", draw, good)
    yield (
        "fa_collate([3, 4]).data",
        lambda: tt.fa_collate([3, 4]).data,
        np.array([3, 4]),
    )
    for samples in ([np.zeros(2), np.zeros(3)], [None, None], [np.zeros(1), None]):
        came = []
        for function in (tt.fa_collate, tt.stack):
            try:
                came.append(function([*samples]))
            except (TypeError, ValueError) as problem:
                came.append(f"{type(problem).__name__}: {problem}")
        yield f"fa_collate({samples}), which stack refuses", *came

"""Laws of exercise 1a, Batch."""

import numpy as np

from tinytorch.laws import law

ALL_NAMES = "`__init__`: which arrays are compared? All of both sides"
ONE_SIDE = (
    "is a side without arrays allowed, and does len find an array of the other side?"
)


def names_of(batch):
    """The names on both sides, or what a side is in place of a dict."""
    return [
        list(side) if isinstance(side, dict) else f"no dict, but {type(side).__name__}"
        for side in (batch.inputs, batch.outputs)
    ]


@law(
    1,
    "names keep their order",
    look="np.asarray for each value, of both sides, in order",
)
def test_both_sides_are_dicts_of_arrays(tt, draw):
    n = int(draw.integers(3, 40))
    x, z, y = draw.normal(size=(n, 2)), draw.normal(size=n), draw.integers(0, 9, n)
    batch = tt.Batch({"x": x, "z": z.tolist()}, {"b": y, "a": y[::-1]})
    call = f'Batch({{"x": x, "z": a list}}, {{"b": y, "a": y[::-1]}}) of {n} records'
    yield f"{call}: names on both sides", names_of(batch), [["x", "z"], ["b", "a"]]
    arrays = (
        batch.inputs["x"],
        batch.inputs["z"],
        batch.outputs["b"],
        batch.outputs["a"],
    )
    for name, got, want in zip("xzba", arrays, (x, z, y, y[::-1]), strict=True):
        yield f"{call}: {name}", got, want
    listed = tt.Batch([[1, 2], [3, 4]], [5, 6]).inputs["input"]
    yield (
        'Batch([[1, 2], [3, 4]], [5, 6]).inputs["input"]',
        listed,
        np.array([[1, 2], [3, 4]]),
    )


@law(
    2,
    "bare array is called",
    look="`__init__`: what is no dict becomes one with one name",
)
def test_a_bare_array_has_a_name(tt, draw):
    n = int(draw.integers(3, 999))
    images, labels = np.full((n, 2), n % 256, np.uint8), np.arange(n)
    for x, y in ((images, labels), ([[1, 2]], [3]), ([[n, 2 * n]], [n])):
        call = f"Batch of {len(y)} records, {type(x).__name__}s: names on both sides"
        yield call, names_of(tt.Batch(x, y)), [["input"], ["output"]]


@law(
    3,
    "number of records",
    look="`__len__`: the first dimension of any array, on either side",
)
def test_the_length_counts_the_records(tt, draw):
    n = int(draw.integers(3, 40))
    for inputs, outputs, want, call in (
        (np.zeros((n, 2)), np.arange(n), n, f"Batch of {n} images and labels"),
        (
            {"a": np.zeros(5), "b": np.zeros((5, 3))},
            np.zeros(5),
            5,
            "Batch of three arrays of 5",
        ),
        (np.zeros((0, 2)), np.zeros(0), 0, "Batch(np.zeros((0, 2)), np.zeros(0))"),
        ({}, np.zeros((2, 5)), 2, "Batch({}, np.zeros((2, 5)))"),
        (np.zeros((3, 5)), {}, 3, "Batch(np.zeros((3, 5)), {})"),
    ):
        yield f"len({call})", lambda x=inputs, y=outputs: len(tt.Batch(x, y)), want


def shared(tt, images, labels):
    """What became of the memory and the dtype of arrays that a Batch was made of."""
    import numpy as np

    batch, part = tt.Batch(images, labels), tt.Batch(images[::2], labels[::2])
    named = tt.Batch({"a": labels}, {"b": labels.astype("U9")})
    return [
        ["your memory" if np.shares_memory(mine, given) else "a copy", str(mine.dtype)]
        for mine, given in (
            (batch.inputs["input"], images),
            (batch.outputs["output"], labels),
            (part.inputs["input"], images),
            (part.outputs["output"], labels),
            (named.inputs["a"], labels),
        )
    ] + [str(named.outputs["b"].dtype)]


@law(
    4,
    "copied nor converted",
    look="which function leaves an array as it is? np.asarray",
)
def test_arrays_are_taken_as_they_are(inside, draw):
    n = 2 * int(draw.integers(2, 50))
    images, labels = draw.integers(256, size=(n, 3)), draw.integers(10**6, size=n)
    kinds = [
        ["your memory", name] for name in ("uint8", "int64", "uint8", "int64", "int64")
    ]
    call = f"{n} records, Batch(x, y), Batch(x[::2], y[::2]), Batch({{'a': y}},"
    got = lambda: inside(shared, images.astype(np.uint8), labels)  # noqa: E731
    yield f"{call} {{'b': texts}}): each array", got, [*kinds, "<U9"]


@law(
    5, "unequal first dimension", look=f"{ALL_NAMES}; list each name", raises=ValueError
)
def test_a_short_array_is_found_wherever_it_stands(tt, draw):
    n = int(draw.integers(6, 31))
    for side, name in (("in", "p"), ("in", "q"), ("out", "r"), ("out", "p")):
        inputs = {"p": np.zeros(n), "q": np.zeros((n, 2))}
        outputs = {"r": np.zeros(n), "p": np.zeros(n)}
        (inputs if side == "in" else outputs)[name] = np.zeros(n - 2)
        call = f"Batch of {n} records, whose {side}puts[{name!r}] has {n - 2}"
        says = ["p", "q", "r", str(n), str(n - 2)]
        yield call, lambda x=inputs, y=outputs: tt.Batch(x, y), says
    for sizes in ((0, n), (n, 0), (1, n)):
        x, y = map(np.zeros, sizes)
        call = f"Batch(np.zeros({sizes[0]}), np.zeros({sizes[1]}))"
        yield call, lambda: tt.Batch(x, y), [*sizes]
    three = np.zeros(4), np.zeros(3)
    yield (
        "Batch(np.zeros(4), np.zeros(3))",
        lambda: tt.Batch(*three),
        ["input", "output"],
    )


@law(
    6,
    "use the same name",
    look="two dicts: does a bare name as key have room for both sides?",
)
def test_one_name_on_both_sides(tt, draw):
    n = int(draw.integers(3, 20))
    x, y = draw.normal(size=(n, 3)), draw.integers(0, 9, n)
    both = tt.Batch({"image": x}, {"image": y})
    call = 'Batch({"image": x}, {"image": y})'
    yield f'{call}.inputs["image"]', both.inputs["image"], x
    yield f'{call}.outputs["image"]', both.outputs["image"], y


@law(6, "use the same name", look="where are the sizes collected?", raises=ValueError)
def test_one_name_on_both_sides_is_compared(tt):
    x, y = {"x": np.zeros(5)}, {"x": np.zeros(6)}
    yield (
        'Batch({"x": np.zeros(5)}, {"x": np.zeros(6)})',
        lambda: tt.Batch(x, y),
        ["5", "6"],
    )


@law(7, "One side may", look=ONE_SIDE)
def test_one_side_may_be_empty(tt, draw):
    n, k = draw.integers(2, 999, 2).tolist()
    batches = tt.Batch({"x": np.zeros(n)}, {}), tt.Batch({}, {"y": np.zeros(k)})
    calls = f'Batch({{"x": {n} records}}, {{}})', f'Batch({{}}, {{"y": {k} records}})'
    for call, batch, want in zip(
        calls, batches, ([["x"], []], [[], ["y"]]), strict=True
    ):
        yield f"{call}: names on both sides", names_of(batch), want


@law(
    7,
    "no array at all",
    look="ask whether there is an array before the first is used",
    raises=ValueError,
)
def test_no_array_at_all_is_refused(tt):
    yield "Batch({}, {})", lambda: tt.Batch({}, {}), []


@law(
    8,
    "single number",
    look="first_dimension(label, array) refuses it, with the label",
    raises=ValueError,
)
def test_a_single_number_is_refused(tt, draw):
    name, k = f"hour{draw.integers(100, 1000)}", int(draw.integers(2, 10**6))
    call = f'Batch({{"{name}": {k}.0}}, np.zeros(1))'
    yield call, lambda: tt.Batch({name: np.float64(k)}, np.zeros(1)), name
    yield "Batch(np.zeros(1), 7)", lambda: tt.Batch(np.zeros(1), 7), "output"
    yield f"Batch(np.zeros(1), {k})", lambda: tt.Batch(np.zeros(1), k), "output"


def changed(tt, inputs, outputs):
    """The caller's dicts after a Batch was made of them."""
    batch = tt.Batch(inputs, outputs)
    batch.inputs["more"] = batch.outputs["more"] = 0
    return [inputs, outputs]


@law(
    9, "caller's dicts", look="is your dict a new one, and whose values are converted?"
)
def test_the_callers_dicts_stay(inside, draw):
    k = int(draw.integers(7, 10**6))
    x, y = {"x": [1, k]}, {"y": [3, 4], "z": [k, 6]}
    call = f"x = {x}; y = {y}; batch = Batch(x, y);"
    call = f'{call} then batch.inputs and batch.outputs get a "more": x and y'
    want = [{"x": [1, k]}, {"y": [3, 4], "z": [k, 6]}]
    yield call, lambda: inside(changed, x, y), want

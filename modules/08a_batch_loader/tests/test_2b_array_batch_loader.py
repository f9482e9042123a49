"""Laws of exercise 2b, ArrayBatchLoader.get_batch."""

import numpy as np
from stand_ins_08a import PlainBatch, plain_range

from tinytorch.laws import Case, law

NAMES = "what is handed to Batch? Two dicts, with every name of self.inputs and outputs"
SLICE = "array[start:end] of each array; does an earlier call change self.inputs?"
EMPTY = "array[start:end] is right for an empty range, too: is there a special case?"


def four_arrays(draw):
    n = int(draw.integers(20, 60))
    x, y = draw.normal(size=(n, 3)).astype(np.float32), draw.integers(0, 9, n)
    return n, {"a": x, "b": x[:, 0]}, {"c": y, "a": -y}


@law(1, "under its name", look=NAMES)
def test_every_array_keeps_its_name_and_side(tt, draw, stand_in):
    stand_in(Batch=PlainBatch, check_range=plain_range)
    _, inputs, outputs = four_arrays(draw)
    for x, y in ((inputs, outputs), ({"image": [1, 2, 3]}, {"label": [4, 5, 6]})):
        call = f"inputs {list(x)}, outputs {list(y)}: the names in get_batch(1, 3)"
        batch = tt.ArrayBatchLoader(x, y).get_batch(1, 3)
        got = sorted(batch.inputs), sorted(batch.outputs)
        yield call, got, (sorted(x), sorted(y))


@law(2, "end - 1", look=SLICE)
def test_a_batch_has_the_records_of_its_range(tt, draw, stand_in):
    stand_in(Batch=PlainBatch, check_range=plain_range)
    n, inputs, outputs = four_arrays(draw)
    loader = tt.ArrayBatchLoader(inputs, outputs)
    some = [np.sort(draw.choice(n, 2, replace=False)).tolist() for _ in "abc"]
    for start, end in ((0, n), (n - 2, n), *some, (0, n)):
        batch = loader.get_batch(start, end)
        for side, arrays in (("inputs", inputs), ("outputs", outputs)):
            for name, whole in arrays.items():
                call = f"get_batch({start}, {end}).{side}[{name!r}] of {n} records"
                yield call, getattr(batch, side)[name], whole[start:end]


def places(tt, start, end):
    """Where a batch begins in the loader's arrays, in bytes, or that it is a copy."""
    import numpy as np

    x, y = np.arange(40, dtype=np.float32).reshape(20, 2), np.arange(20, dtype=np.uint8)
    batch = tt.ArrayBatchLoader({"x": x}, {"y": y[::-1]}).get_batch(start, end)
    pairs = (batch.inputs["x"], x), (batch.outputs["y"], y)
    return [
        mine.__array_interface__["data"][0] - whole.__array_interface__["data"][0]
        if np.shares_memory(mine, whole)
        else "a copy"
        for mine, whole in pairs
    ]


@law(
    3,
    "nothing is copied",
    look="a slice is a view; a list of indices or .copy() is not",
)
def test_a_batch_is_a_view(inside, draw, stand_in):
    stand_in(Batch=PlainBatch, check_range=plain_range)
    for start, end in ((0, 20), np.sort(draw.choice(20, 2, replace=False)).tolist()):
        call = (
            f"get_batch({start}, {end}) of float32 (20, 2) and uint8: where it begins"
        )
        got = inside(places, start, end)
        yield (
            f"{call}, in bytes behind the loader's arrays",
            got,
            [8 * start, 19 - start],
        )


@law(4, "empty range gives", look=EMPTY)
def test_an_empty_range_is_a_batch(tt, draw, stand_in):
    stand_in(Batch=PlainBatch, check_range=plain_range)
    n, inputs, outputs = four_arrays(draw)
    loader = tt.ArrayBatchLoader(inputs, outputs)
    for place in (0, int(draw.integers(1, n)), n):
        call = f"get_batch({place}, {place}) of {n} records"
        want = np.zeros((0, 3), np.float32)
        yield call, lambda at=place: loader.get_batch(at, at).inputs["a"], want


@law(
    5,
    "range outside",
    look="check_range with the loader's length, before the first slice",
)
def test_a_range_outside_is_refused(tt, draw, stand_in):
    stand_in(Batch=PlainBatch, check_range=plain_range)
    n, inputs, outputs = four_arrays(draw)
    loader = tt.ArrayBatchLoader(inputs, outputs)
    for start, end in ((n - 2, n + 2), (n - 1, n + 1), (n + 1, n + 1), (-2, 3), (5, 4)):
        call, says = f"get_batch({start}, {end}) of {n} records", [str(start), str(end)]
        yield Case(call, lambda: loader.get_batch(start, end), says, raises=IndexError)
    yield f"get_batch(0, {n})", lambda: len(loader.get_batch(0, n)), n

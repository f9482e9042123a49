"""Hidden: batches, arrays and slices of random sizes."""

import numpy as np
import pytest

from tinytorch.testing import expect, expect_raises

pytestmark = pytest.mark.contract("contract_batches")


def test_every_range_of_a_slice_is_a_range_of_the_arrays(tt, draw):
    n = int(draw.integers(20, 60))
    x, y = draw.normal(0, 1, (n, 3)), draw.integers(0, 1000, n)
    loader, low, high = tt.ArrayBatchLoader({"a": x, "b": x[:, 0]}, y), 0, n
    for _round in range(4):
        start = int(draw.integers(0, len(loader) + 1))
        length = int(draw.integers(0, len(loader) - start + 1))
        loader, low, high = (
            tt.SliceBatchLoader(loader, start, length),
            low + start,
            low + start + length,
        )
        first = int(draw.integers(0, length + 1))
        last = int(draw.integers(first, length + 1))
        batch = loader.get_batch(first, last)
        same = all(
            np.array_equal(got, want[low + first : low + last])
            for got, want in (
                (batch.inputs["a"], x),
                (batch.inputs["b"], x[:, 0]),
                (batch.outputs["output"], y),
            )
        )
        expect(
            same and len(batch) == last - first,
            "A slice of slices shows the records of the arrays behind it.",
            call=f"records {low}..{high} of {n}, get_batch({first}, {last})",
            got="other records",
            want=f"records {low + first} to {low + last - 1}",
            look="add start to both ends",
        )
        expect_raises(
            IndexError,
            lambda: loader.get_batch(0, length + 1),
            "A slice ends where its length says.",
            call=f"get_batch(0, {length + 1}) of a slice of {length}",
        )


def test_only_ranges_inside_are_accepted(tt, draw):
    n = int(draw.integers(3, 8))
    for start in range(-2, n + 3):
        for end in range(-2, n + 3):
            inside = 0 <= start <= end <= n
            try:
                tt.check_range(start, end, n)
                accepted = True
            except IndexError:
                accepted = False
            expect(
                accepted == inside,
                "Exactly the ranges with 0 <= start <= end <= length are accepted.",
                call=f"check_range({start}, {end}, {n})",
                got="accepted" if accepted else "IndexError",
                want="accepted" if inside else "IndexError",
            )


def test_one_array_too_short_is_found_wherever_it_stands(tt, draw):
    n = int(draw.integers(5, 30))
    names = [("inputs", "p"), ("inputs", "q"), ("outputs", "r"), ("outputs", "p")]
    for side, name in names:
        sides = {
            "inputs": {"p": np.zeros(n), "q": np.zeros((n, 2))},
            "outputs": {"r": np.zeros(n), "p": np.zeros(n)},
        }
        tt.Batch(sides["inputs"], sides["outputs"])
        sides[side][name] = np.zeros(n - 2)
        expect_raises(
            ValueError,
            lambda: tt.Batch(sides["inputs"], sides["outputs"]),
            "An array of another size is found on either side, under any name.",
            says=[name, str(n), str(n - 2)],
            call=f"Batch with {side}[{name!r}] too short",
        )


def test_an_array_without_a_dimension_is_refused(tt):
    tt.Batch([1], [2])
    expect_raises(
        ValueError,
        lambda: tt.Batch(np.float64(3.0), np.zeros(1)),
        "A single number is no array of records.",
        says="input",
        call="Batch(3.0, [0.0])",
    )
    expect(
        len(tt.Batch({"x": np.zeros(3)}, {})) == 3,
        "One side may be empty.",
        call='Batch({"x": 3 records}, {})',
    )
    expect(
        len(tt.Batch({}, {"y": np.zeros(2)})) == 2,
        "One side may be empty.",
        call='Batch({}, {"y": 2 records})',
    )

"""Hidden: the five numbers on inputs of other sizes. An answer may be off by 1%, less than kB
and KiB differ. A right solution may make the array that it is asked about, and measure it: none of
these takes more than 100 MB.
"""

import numpy as np
import pytest

from tinytorch.testing import expect, near


def expect_number(promise, call, got, want, worked):
    expect(
        near(got, want, within=0.01),
        promise,
        call=call,
        got=f"{got:,.6g}",
        want=f"{want:,.6g}",
        look=worked,
    )


@pytest.mark.contract("test_batch_bytes")
def test_the_bytes_of_batches_of_any_shape(tt, draw):
    for sides, dtype in ((3, "uint8"), (2, "int16"), (3, "float32"), (4, "float64")):
        count = int(draw.integers(100, 500))
        shape = tuple(int(side) for side in draw.integers(3, 12, sides))
        numbers, item = int(np.prod(shape)), np.dtype(dtype).itemsize
        expect_number(
            "The bytes of a batch are the count of its numbers, times the bytes of one number.",
            f"batch_bytes({count}, {shape}, {dtype!r})",
            tt.batch_bytes(count, shape, dtype),
            count * numbers * item,
            f"{count:,} images x {numbers:,} numbers x {item} bytes"
            f" = {count * numbers * item:,} bytes",
        )


@pytest.mark.contract("test_speed_up")
def test_the_speed_up_of_any_step(tt, draw):
    for scale in (1e-3, 1.0, 1e3):
        loading, *rest = (draw.uniform(1, 50, 4) * scale).tolist()
        rest[int(draw.integers(3))] += loading  # the loading fits behind the rest
        want = (loading + sum(rest)) / sum(rest)
        times = ", ".join(f"{time:.4g}" for time in (loading, *rest))
        expect_number(
            "The speed-up is the time before, divided by the time that is left.",
            f"speed_up({times})",
            tt.speed_up(loading, *rest),
            want,
            f"({times.replace(', ', ' + ')}) / {sum(rest):.4g} = {want:.4g}",
        )


@pytest.mark.contract("test_order_bytes")
def test_the_bytes_of_long_and_short_orders(tt, draw):
    for digits in (3, 4, 5):
        count = int(draw.integers(10**digits, 10 ** (digits + 1)))
        expect_number(
            "An index in an int64 array takes 8 bytes.",
            f"order_bytes({count}, in_list=False)",
            tt.order_bytes(count, False),
            count * 8,
            f"{count:,} indices x 8 bytes = {count * 8:,} bytes",
        )
        expect_number(
            "An index in a list takes 40 bytes: a pointer of 8 and an integer object of 32.",
            f"order_bytes({count}, in_list=True)",
            tt.order_bytes(count, True),
            count * 40,
            f"{count:,} indices x (8 + 32) bytes = {count * 40:,} bytes",
        )


@pytest.mark.contract("test_hours_saved")
def test_the_hours_that_any_number_of_models_saves(tt, draw):
    for most in (10, 1000):
        models, after = int(draw.integers(2, most)), float(draw.uniform(0.5, 20))
        before = after * float(draw.uniform(1.2, 3))
        want = models * (before - after)
        expect_number(
            "Each model saves the hours before minus the hours after.",
            f"hours_saved({models}, {before:.4g}, {after:.4g})",
            tt.hours_saved(models, before, after),
            want,
            f"{models} models x ({before:.4g} - {after:.4g}) hours = {want:.4g} hours",
        )


@pytest.mark.contract("test_stacking_seconds")
def test_the_seconds_of_stacking_at_any_bandwidth(tt, draw):
    for bandwidth in draw.uniform([0.5, 10, 500], [2, 50, 3000]).tolist():
        count, side = int(draw.integers(16, 256)), int(draw.integers(16, 150))
        shape = (int(draw.choice([1, 3, 4])), side, side + int(draw.integers(1, 9)))
        numbers = int(np.prod(shape))
        want = count * numbers * 4 / (bandwidth * 1e9)
        expect_number(
            "The time is the bytes written, divided by the bytes per second.",
            f"stacking_seconds({count}, {shape}, {bandwidth:.4g})",
            tt.stacking_seconds(count, shape, bandwidth),
            want,
            f"{count} images x {numbers:,} numbers x 4 bytes"
            f" / {bandwidth:.4g}e9 B/s = {want:.4g} s",
        )

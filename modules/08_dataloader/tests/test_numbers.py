"""Promises of the five numbers. `tt` is your exported package. Inputs are drawn; an
answer may be off by 1%.
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
def test_a_batch_takes_its_numbers_times_the_bytes_of_one(tt, draw):
    shapes = [(4, (3, 2, 2), "float32")]
    shapes += [
        (int(draw.integers(2, 99)), (3, int(side), int(side) + 1), str(dtype))
        for side in draw.integers(8, 64, 2)
        for dtype in ("uint8", "float64")
    ]
    for count, shape, dtype in shapes:
        item = np.dtype(dtype).itemsize
        want = count * int(np.prod(shape)) * item
        expect_number(
            "The bytes of a batch are the count of its numbers, times the bytes of"
            " one number.",
            f"batch_bytes({count}, {shape}, {dtype!r})",
            tt.batch_bytes(count, shape, dtype),
            want,
            f"{count} images x {int(np.prod(shape)):,} numbers x {item} bytes"
            f" = {want:,} bytes",
        )


@pytest.mark.contract("test_speed_up")
def test_the_speed_up_is_time_before_over_time_after(tt, draw):
    steps = [(10.0, 4.0, 5.0, 1.0)]
    steps += [
        (float(draw.uniform(1, 9)), *(float(t) for t in draw.uniform(5, 40, 3)))
        for _ in range(3)
    ]
    for step in steps:
        before, after = sum(step), sum(step[1:])
        expect_number(
            "The speed-up is the time before, divided by the time that is left.",
            f"speed_up({', '.join(f'{t:.4g}' for t in step)})",
            tt.speed_up(*step),
            before / after,
            f"({' + '.join(f'{t:.4g}' for t in step)}) / {after:.4g}"
            f" = {before / after:.4g}",
        )


@pytest.mark.contract("test_order_bytes")
def test_an_array_takes_8_bytes_an_index(tt, draw):
    for count in (1000, *(int(n) for n in draw.integers(2_000, 10**6, 3))):
        for settings, call in (
            ({"in_list": False}, f"order_bytes({count}, in_list=False)"),
            ({}, f"order_bytes({count})"),
        ):
            expect_number(
                "An index in an int64 array takes 8 bytes.",
                call,
                tt.order_bytes(count, **settings),
                count * 8,
                f"{count:,} indices x 8 bytes = {count * 8:,} bytes",
            )


@pytest.mark.contract("test_order_bytes")
def test_a_list_takes_40_bytes_an_index(tt, draw):
    for count in (1000, *(int(n) for n in draw.integers(2_000, 10**6, 3))):
        expect_number(
            "An index in a list takes 40 bytes: a pointer of 8 and an integer object of"
            " 32.",
            f"order_bytes({count}, in_list=True)",
            tt.order_bytes(count, True),
            count * 40,
            f"{count:,} indices x (8 + 32) bytes = {count * 40:,} bytes",
        )


@pytest.mark.contract("test_hours_saved")
def test_each_model_saves_the_difference(tt, draw):
    cases = [(10, 3.0, 2.0)]
    for _ in range(3):
        after = float(draw.uniform(1, 9))
        cases.append((int(draw.integers(2, 200)), after + draw.uniform(1, 9), after))
    for models, before, after in cases:
        want = models * (before - after)
        expect_number(
            "Each model saves the hours before minus the hours after.",
            f"hours_saved({models}, {before:.4g}, {after:.4g})",
            tt.hours_saved(models, float(before), after),
            want,
            f"{models} models x ({before:.4g} - {after:.4g}) hours = {want:.4g} hours",
        )


@pytest.mark.contract("test_stacking_seconds")
def test_stacking_takes_its_bytes_over_the_bandwidth(tt, draw):
    cases = [(10, (1, 50, 50), 1.0)]
    cases += [
        (int(draw.integers(2, 256)), (3, int(side), int(side)), float(bandwidth))
        for side, bandwidth in zip(
            draw.integers(32, 256, 3), draw.uniform(2, 99, 3), strict=True
        )
    ]
    for count, shape, bandwidth in cases:
        written = count * int(np.prod(shape)) * 4
        want = written / (bandwidth * 1e9)
        expect_number(
            "The time is the bytes written, divided by the bytes per second.",
            f"stacking_seconds({count}, {shape}, {bandwidth:.4g})",
            tt.stacking_seconds(count, shape, bandwidth),
            want,
            f"{count} images x {int(np.prod(shape)):,} numbers x 4 bytes"
            f" / {bandwidth:.4g}e9 B/s = {want:.4g} s",
        )

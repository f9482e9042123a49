"""Promises of the measurement. `tt` is your exported package."""

import numpy as np
import pytest

from tinytorch.testing import expect, expect_raises, near

pytestmark = pytest.mark.contract("contract_measure")


def test_the_old_order_is_not_random(tt):
    got = [tt.shuffle_quality(list(range(count))) for count in (2, 5, 100)]
    expect(
        got == [0, 0, 0],
        "The old order has quality 0.",
        call="shuffle_quality([0, 1, ..., N-1])",
        got=got,
        want=[0, 0, 0],
    )
    got = tt.shuffle_quality([1, 0])
    expect(
        got > 0,
        "Another order has more.",
        call="shuffle_quality([1, 0])",
        got=got,
        want="more than 0",
    )


def test_quality_is_relative_to_a_full_shuffle(tt):
    got = tt.shuffle_quality(np.array([3, 2, 1, 0]))
    expect(
        near(got, 1.6, within=1e-6),
        "Quality is the mean distance over (N**2 - 1) / (3 N).",
        call="shuffle_quality([3, 2, 1, 0])",
        got=got,
        want=1.6,
        look="2 divided by 15/12",
    )
    expect_raises(
        ValueError,
        lambda: tt.shuffle_quality([0]),
        "Fewer than 2 rows are a ValueError with the number.",
        says="1",
        call="shuffle_quality([0])",
    )


def test_a_larger_buffer_mixes_better(tt):
    # Whatever the seed, ten times the room moves rows further: deviations of these
    # numbers are below 0.05.
    quality = [
        tt.shuffle_quality(
            list(tt.shuffle_buffer(list(range(300)), room, lambda item: 1, 2))
        )
        for room in (1, 15, 300)
    ]
    expect(
        quality[0] == 0 and 0.05 < quality[1] < 0.5 < quality[2] < 1.5,
        "Quality grows with the room of the buffer.",
        call="shuffle_quality of 300 rows, room for 1, 15 and 300",
        got=[round(q, 2) for q in quality],
        want="0, about 0.15, about 1",
    )

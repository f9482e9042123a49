"""Promises of the access patterns and what they cost. `tt` is your exported package."""

import numpy as np
import pytest

from tinytorch.testing import expect, expect_raises

pytestmark = pytest.mark.contract("contract_measure")


def test_file_after_file_each_one_shuffled(tt):
    order = tt.within_files_order(130, 50, 7)
    files = (order // 50).tolist()
    expect(
        sorted(order.tolist()) == list(range(130)) and files == sorted(files),
        "Every record once, and file after file.",
        call="within_files_order(130, 50, 7)",
        got=f"{np.count_nonzero(np.diff(files))} changes of file",
        want="2 changes of file",
    )
    # One order of 50 in 50! is sorted by chance.
    expect(
        order[:50].tolist() != list(range(50)),
        "The records of a file are shuffled.",
        call="within_files_order(130, 50, 7)",
        got="0, 1, 2, ...",
        want="a random order",
    )
    expect(
        tt.within_files_order(130, 50, 7).tolist()
        == order.tolist()
        != tt.within_files_order(130, 50, 7, 1).tolist(),
        "Seed and epoch decide the order.",
        call="the same seed and epoch twice; the next epoch",
    )


def test_loads_depend_on_pattern_batch_and_cache(tt):
    # Records of files 0 1 2 0 1 2.
    order = np.array([0, 10, 20, 1, 11, 21])
    for batch_size, slots, want in (
        (1, 1, 6),
        (1, 2, 6),
        (1, 3, 3),
        (3, 1, 6),
        (6, 1, 3),
        (2, 1, 6),
        (2, 2, 4),
    ):
        got = tt.count_file_loads(order, 10, batch_size, slots)
        expect(
            got == want,
            "Loads are counted batch by batch, through an LRU cache.",
            call=f"count_file_loads([0, 10, 20, 1, 11, 21], 10, {batch_size}, {slots})",
            got=got,
            want=want,
        )


def test_a_hit_rate_is_a_fraction(tt):
    got = [tt.hit_rate(5, 50), tt.hit_rate(0, 3), tt.hit_rate(8, 8)]
    expect(
        np.allclose(got, [0.9, 1, 0]),
        "The hit rate is the fraction of records that needed no load.",
        call="hit_rate(5, 50), (0, 3), (8, 8)",
        got=got,
        want=[0.9, 1, 0],
    )
    expect_raises(
        ValueError,
        lambda: tt.hit_rate(0, 0),
        "A rate over no records is refused.",
        call="hit_rate(0, 0)",
    )

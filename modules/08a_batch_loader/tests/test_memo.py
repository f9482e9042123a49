"""Promises of memo_key, with functions of your own package as examples. `tt` is your
exported package.
"""

import numpy as np
import pytest

from tinytorch.testing import expect, expect_raises

pytestmark = pytest.mark.contract("contract_memo")


def test_a_key_stands_for_code_and_arguments(tt):
    key = tt.memo_key(tt.hit_rate, (3, 4), {})
    expect(
        isinstance(key, str) and len(key) == 64,
        "A key is 64 hexadecimal digits.",
        call="memo_key(hit_rate, (3, 4), {})",
        got=key,
        want="64 digits",
    )
    expect(
        tt.memo_key(tt.hit_rate, (3, 4), {}) == key,
        "The same call has the same key.",
        call="memo_key(hit_rate, (3, 4), {}), twice",
    )
    others = {
        tt.memo_key(tt.hit_rate, (4, 3), {}),
        tt.memo_key(tt.hit_rate, (3, 5), {}),
        tt.memo_key(tt.check_range, (3, 4, 5), {}),
        tt.memo_key(tt.index_runs, ([3, 4],), {}),
    }
    expect(
        key not in others and len(others) == 4,
        "Other arguments and other functions have other keys.",
        call="five different calls",
        got=f"{len(others | {key})} keys",
        want="5 keys",
    )


def test_a_call_may_be_written_in_several_ways(tt):
    order = np.arange(6)
    keys = {
        tt.memo_key(tt.count_file_loads, (order, 2), {}),
        tt.memo_key(tt.count_file_loads, (order, 2, 1), {"cache_size": 1}),
        tt.memo_key(
            tt.count_file_loads,
            (),
            {"batch_size": 1, "file_length": 2, "order": order.copy()},
        ),
    }
    expect(
        len(keys) == 1,
        "Positions, names and defaults are ways to write the same call.",
        call="count_file_loads(order, 2), with names, with defaults",
        got=f"{len(keys)} keys",
        want="1 key",
    )
    other = tt.memo_key(tt.count_file_loads, (order, 2), {"cache_size": 2})
    expect(
        other not in keys,
        "A value that is not the default is another call.",
        call="cache_size=2",
        got="the same key",
        want="another key",
    )


def test_arguments_that_do_not_fit_are_refused(tt):
    tt.memo_key(tt.hit_rate, (3, 4), {})
    expect_raises(
        TypeError,
        lambda: tt.memo_key(tt.hit_rate, (3, 4, 5), {}),
        "Arguments that the function does not take are a TypeError.",
        call="memo_key(hit_rate, (3, 4, 5), {})",
    )

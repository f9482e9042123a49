"""Weights of rows: what is no weight is refused in a sentence."""

import numpy as np
import pytest

from tinytorch.data.rows import check_weights


@pytest.mark.parametrize(
    "weights, says",
    [
        ([1, 2], r"for each of the 3 rows, got shape \(2,\)"),
        ([1, -2, -3], "row 1 has -2.0, and 1 more rows are wrong"),
        ([1, float("nan"), 1], "row 1 has nan"),
        ([1, float("inf"), 1], "row 1 has inf"),
        ([0, 0, 0], "all 3 are 0"),
        (["a", "b", "c"], "one number a row"),
        ("labels", "text is for dataset.weights"),
        (np.ones((3, 1)), r"got shape \(3, 1\)"),
        (
            [1e308] * 3,
            r"the sum of the weights is too large for float64 \(the largest is 1e\+308\)",
        ),
        (np.array([1 + 2j, 1, 1]), "a weight is a real number, got complex numbers"),
        ([np.complex64(1), 1, 1], "a weight is a real number, got complex numbers"),
    ],
)
def test_weights_that_cannot_be_are_refused(weights, says):
    with pytest.raises(ValueError, match=says):
        check_weights(weights, 3)


@pytest.mark.parametrize(
    "weights",
    [[0, 1, 2], (0, 1, 2), np.array([0, 1, 2], np.uint8), np.array([0, 1, 2], np.float32)],
)
def test_weights_may_be_a_list_a_tuple_or_an_array(weights):
    checked = check_weights(weights, 3)
    assert checked.dtype == np.float64 and checked.tolist() == [0, 1, 2]

"""NaN counts as null in a query, whether a column holds it or arithmetic makes it: the law is
compared with NumPy on expressions of any form.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tinytorch.data.columns import ColumnDataset
from tinytorch.data.expressions import QueryError

INF = float("inf")
X = np.array([INF, -1.0, 4.0, 9.0, 0.0, np.nan, 2.0, -INF])
Y = np.array([1.0, 0.0, -4.0, INF, 0.0, 3.0, np.nan, 1.0])
DATASET = ColumnDataset({"labels": np.arange(8), "x": X, "y": Y, "tags": [["a"], *[[]] * 7]})

Both = tuple[str, np.ndarray]  # an expression and its values


def number(value: int) -> Both:
    return f"{value}e0", np.full(8, float(value))


def binary(sign: str, one: Both, other: Both) -> Both:
    compute = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide}[sign]
    return f"{one[0]} {sign} {other[0]}", compute(one[1], other[1])


def null_is(default: Both, one: Both) -> Both:
    return f"coalesce({one[0]}, {default[0]})", np.where(np.isnan(one[1]), default[1], one[1])


def larger(one: Both, other: Both) -> Both:
    return f"greatest({one[0]}, {other[0]})", np.fmax(one[1], other[1])


def chosen(one: Both, other: Both) -> Both:
    """A case: where `one` is NaN its condition does not hold."""
    text = f"case when {one[0]} > 1 then {one[0]} else {other[0]} end"
    return text, np.where(one[1] > 1, one[1], other[1])


def inside(value: Both, form: str) -> Both:
    compute = {"({})": np.positive, "sqrt({})": np.sqrt, "abs({})": np.abs, "-({})": np.negative}
    return form.format(value[0]), compute[form](value[1])


def enclosed(value: Both) -> Both:
    return inside(value, "({})")


FORMS = st.sampled_from(["({})", "sqrt({})", "abs({})", "-({})"])
EXPRESSIONS = st.recursive(
    st.sampled_from([("x", X), ("y", Y)]) | st.builds(number, st.integers(0, 9)),
    lambda values: (
        st.builds(
            binary,
            st.sampled_from("+-*/"),
            st.builds(enclosed, values),
            st.builds(enclosed, values),
        )
        | st.builds(inside, values, FORMS)
        | st.builds(null_is, values, values)
        | st.builds(larger, values, values)
        | st.builds(chosen, values, values)
    ),
    max_leaves=6,
)
SIGNS = {
    "=": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}


@pytest.fixture(scope="module", autouse=True)
def _numpy_says_nothing():
    with np.errstate(all="ignore"):
        yield


@given(data=st.data(), sign=st.sampled_from(sorted(SIGNS)))
@settings(max_examples=30)
def test_no_comparison_with_a_nan_holds(data, sign):
    (one, left), (other, right) = data.draw(EXPRESSIONS), data.draw(EXPRESSIONS)
    known = ~np.isnan(left) & ~np.isnan(right)
    holds = SIGNS[sign](left, right)
    for text, want in (("{} {} {}", known & holds), ("not {} {} {}", known & ~holds)):
        got = DATASET.query(f"select * where {text.format(one, sign, other)}")
        assert got.tolist() == np.flatnonzero(want).tolist()


@given(data=st.data())
@settings(max_examples=15)
def test_nan_is_null_and_sorts_last(data):
    text, values = data.draw(EXPRESSIONS.filter(lambda both: "x" in both[0] or "y" in both[0]))
    empty = np.flatnonzero(np.isnan(values)).tolist()
    assert DATASET.query(f"select * where {text} is null").tolist() == empty
    for direction, sign in (("asc", 1), ("desc", -1)):
        got = DATASET.query(f"select * order by {text} {direction}").tolist()
        assert got == np.argsort(sign * values, kind="stable").tolist()


@pytest.mark.parametrize(
    "condition, rows",
    [
        ("sqrt(labels - 5) > 1", [7]),
        ("ln(labels - 5) > 0", [7]),
        ("pow(labels - 5, 0.5) > 1", [7]),
        ("(labels - labels) / 0 > 5", []),
        ("sin(x) > 5", []),
        ("abs(round(sqrt(labels - 5), 2)) > 1", [7]),
        ("sqrt(labels - 5) between 1 and 99", [6, 7]),
        ("sqrt(labels - 5) in (1, sqrt(-1), sqrt(2))", [6, 7]),
        ("contains(labels, sqrt(labels - 5))", []),
        ("contains(tags + tags, 'a')", [0]),  # a sum of lists is no number
        ("length(tags) + 1 > 1", [0]),
        ("labels = - - 1 + 2", [3]),
    ],
)
def test_a_nan_that_is_computed_is_no_large_number(condition, rows):
    assert DATASET.query(f"select * where {condition}").tolist() == rows


def test_weights_know_no_nan_in_a_condition():
    text = "max_weight(sqrt(labels - 5) > 1: 10, labels = 1: 2)"
    assert DATASET.weights(text).tolist() == [0, 2, 0, 0, 0, 0, 0, 10]


@pytest.mark.parametrize(
    "condition, says",
    [
        ("(" * 5000 + "x = 1" + ")" * 5000, "more than 100 parentheses inside one another"),
        ("not " * 3000 + "x = 1", "too many operators, signs or parentheses inside one another"),
        ("x" + " + 1" * 3000 + " = 1", "too many operators, signs or parentheses"),
        ("coalesce(1 + " * 60 + "x" + ", 0)" * 60 + " = 1", "too many values that are computed"),
    ],
)
def test_an_expression_that_is_too_deep_is_refused_in_words_of_the_query(condition, says):
    with pytest.raises(QueryError, match=says) as caught:
        DATASET.query(f"select * where {condition}")
    assert "SET" not in str(caught.value)


def test_a_constant_orders_nothing():
    with pytest.raises(QueryError, match="a constant puts rows in no order; name a column"):
        DATASET.query("select * order by 0.5")


def test_errors_of_weights_speak_of_weights():
    for text in ("tags", "max_weight(x = 'a': 2)", "x" * 30_000):
        with pytest.raises(ValueError, match="weights") as caught:
            DATASET.weights(text)
        assert "query" not in str(caught.value)

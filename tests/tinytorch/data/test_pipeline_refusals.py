"""What a pipeline cannot do it refuses with the call, in a sentence that names the argument; what
it accepts works. The values are drawn from all kinds, so no list of wrong values is needed.
"""

import inspect
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pipeline_kit import use_fake_frameworks

from tinytorch.data.columns import ColumnDataset

DATASET = ColumnDataset(
    {
        "x": np.arange(6),
        "y": np.arange(6) * 1.5,
        "word": ["a", None, "b", "a", "c", "d"],
        "tags": [["car"], [], ["dog"], ["car"], ["car"], []],
        "boxes": np.arange(24).reshape(6, 4),
        "is_old": np.arange(6) % 2 == 0,
    },
    class_names={"x": ["zero", "one", "two", "three", "four", "five"]},
)
# the arguments that a step needs
NEEDED = {
    "transform": {"transform": {"x": None}},
    "query": {"query_string": "select * where x > 1"},
    "sample_by": {"weights": "y"},
    "shuffle": {},
    "batch": {"batch_size": 4},
    "offset": {},
    "numpy": {},
    "pytorch": {},
    "tensorflow": {},
}
# how a message names an argument whose own name it does not use
NAMES = {"query_string": "query", "weights": "weight|column|condition", "tensors": "tensors|column"}
SMALL = st.sampled_from([None, True, False, -1, 0, 1, 3, 2.5, float("nan"), "", "x", "no", b"x"])
VALUES = (
    SMALL
    | st.lists(SMALL, max_size=6)
    | st.dictionaries(st.sampled_from(["x", "y", "no", 1, None]), SMALL, max_size=2)
    | st.sampled_from([(), {"x"}, object(), np.array(3), np.arange(6), np.int64(2), np.True_])
)


@pytest.fixture(scope="module")
def package(references):
    with pytest.MonkeyPatch.context() as patch:
        use_fake_frameworks(patch)
        yield references("08c").module


def arguments(package) -> list[tuple[str, str]]:
    return [
        (step, name)
        for step in NEEDED
        for name in inspect.signature(getattr(package.DeepLakeDataLoader, step)).parameters
        if name not in ("self", "kwargs", "num_workers")  # workers would take seconds
    ]


@given(data=st.data(), value=VALUES)
@settings(max_examples=300)
def test_a_wrong_argument_is_refused_with_the_call(package, data, value):
    step, name = data.draw(st.sampled_from(arguments(package)))
    given = {**NEEDED[step], name: value}
    try:
        loader = getattr(package.pipeline(DATASET, seed=0), step)(**given)
    except (TypeError, ValueError, RuntimeError) as error:
        message = str(error)
        assert re.search(NAMES.get(name, name), message) or "no column is named" in message
        assert len(message) < 400
    else:
        loader = loader if step == "batch" else loader.batch(4)
        assert len(list(loader)) == len(loader)
        assert repr(loader)


# Queries

WORDS = [
    *("x", "y", "word", "tags", "boxes", "is_old", "zz", "1", "0", "2.5", "-1", "'a'", "'one'"),
    *("1e400", str(10**40), str(2**63 - 1), "null", "true", "(", ")", ",", "*", ":", "=", "=="),
    *("!=", "<", ">", "+", "-", "/", "%", "||", "and", "or", "not", "in", "is", "like", "between"),
    *("case", "when", "then", "else", "end", "contains(", "abs(", "length(", "round(", "lower("),
    *("least(", "coalesce(", "pow(", "starts_with(", "from", "join", "having", "select", "where"),
    *("'", '"', ";", "[", "é", "\n"),
]


def refusal(ask, text: str) -> str:
    """The message, or "" where there is none."""
    try:
        ask(text)
    except ValueError as error:
        return str(error)
    return ""


@given(words=st.lists(st.sampled_from(WORDS), min_size=1, max_size=6))
@settings(max_examples=60)
def test_whatever_is_typed_the_answer_is_rows_or_a_sentence_with_the_place(words):
    condition = " ".join(words)
    for ask, text in (
        (DATASET.query, f"select * where {condition}"),
        (DATASET.query, f"select * order by {condition}"),
        (DATASET.weights, f"max_weight({condition}: 2)"),
    ):
        message = refusal(ask, text)
        assert message.count("\n") in (0, 2), "a sentence, the query, the caret"

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
NAMES = {"query_string": "query", "weights": "weight|column", "tensors": "tensors|column"}
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


@pytest.mark.parametrize(
    "wrong, says",
    [
        (lambda pipe: pipe.shuffle(10), "shuffle must be True or False, got 10; .* buffer_size="),
        (lambda pipe: pipe.sample_by("y", 100), "replace must be True or False, got 100; .* size="),
        (lambda pipe: pipe.batch(4, 8), "drop_last must be True or False, got 8"),
        (
            lambda pipe: pipe.pytorch(return_index="x"),
            "return_index must be True or False, got 'x'",
        ),
        (lambda pipe: pipe.numpy(persistent_workers=2), "persistent_workers must be True or False"),
    ],
)
def test_a_number_in_place_of_a_flag_is_refused(package, wrong, says):
    """Libraries differ in the order of their arguments: elsewhere, `shuffle(10)` is a buffer."""
    with pytest.raises(ValueError, match=says):
        wrong(package.pipeline(DATASET))


SIZES = [
    ("batch", {"batch_size": 10**30}),
    ("offset", {"off": 10**30}),
    ("sample_by", {"weights": "x", "size": 10**30}),
    ("numpy", {"num_workers": 10**30}),
    ("numpy", {"prefetch_factor": 10**30}),
    ("numpy", {"rank": 0, "world_size": 10**30}),
]


@pytest.mark.parametrize("step, given", SIZES)
def test_a_size_that_nothing_has_is_refused_with_the_call(package, step, given):
    name = list(given)[-1]
    with pytest.raises(ValueError, match=f"{name} must be at most 1,000,000,000,000,000, got 1000"):
        getattr(package.pipeline(DATASET), step)(**given)


def ends(_):
    raise StopIteration("no more")


@pytest.mark.parametrize("num_workers", [0, 1])
@pytest.mark.parametrize(
    "chain, says",
    [
        (lambda pipe: pipe.transform(ends), "transform ends raised .* at row 2"),
        (lambda pipe: pipe.transform({"y": None, "x": ends}), "transform {'y': None, 'x': ends}"),
        (lambda pipe: pipe.transform(ends).batch(3), "transform ends raised .* at row 2"),
    ],
)
def test_a_transform_that_raises_stopiteration_ends_no_epoch(package, chain, says, num_workers):
    """In a generator it would look like the end of the rows."""
    loader = chain(package.pipeline(DATASET).offset(2)).numpy(num_workers=num_workers)
    with pytest.raises(RuntimeError, match=says) as caught:
        list(loader)
    assert isinstance(caught.value.__cause__, StopIteration) or num_workers


def test_a_collate_fn_that_raises_stopiteration_ends_no_epoch(package):
    loader = package.pipeline(DATASET).batch(3).pytorch(collate_fn=ends)
    with pytest.raises(RuntimeError, match="collate_fn ends raised StopIteration at row 0"):
        list(loader)

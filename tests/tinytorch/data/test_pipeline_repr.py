"""A loader of 08c shows its chain: each step with the arguments that are not the default, in lines
of at most 80 columns.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pipeline_chains import DATASET, chains, loader_of, noisy
from pipeline_kit import numbers

from tinytorch.data.columns import ColumnDataset

OUTPUTS = [{}, {"num_workers": 2, "prefetch_factor": 3}, {"tensors": ["x", "text"]}]
SHARES = [{}, {"rank": 1, "world_size": 3}]


@given(
    chain=chains(),
    seed=st.integers(0, 3),
    output=st.sampled_from(OUTPUTS),
    share=st.sampled_from(SHARES),
)
@settings(max_examples=40)
def test_what_a_loader_shows_builds_it_again(package, chain, seed, output, share):
    loader = loader_of(package, chain, seed=seed, **output, **share)
    text = repr(loader)
    typed = text.replace("<40 rows of x, kind, text>", "DATASET").replace("\n", "")
    again = eval(typed, {"pipeline": package.pipeline, "DATASET": DATASET, "noisy": noisy})
    assert same(again, loader)
    assert again.state_dict() == loader.state_dict()


def same(one, other) -> bool:
    """Whether the settings of all steps are equal, arrays included."""
    return list(one.steps) == list(other.steps) and all(
        np.array_equal(value, other.steps[step][name])
        for step, arguments in one.steps.items()
        for name, value in arguments.items()
    )


@given(
    names=st.lists(st.text("abcdé_", min_size=1, max_size=30), min_size=1, max_size=9, unique=True),
    data=st.data(),
)
@settings(max_examples=40)
def test_no_line_is_longer_than_80_columns(package, names, data):
    ds = ColumnDataset({name: np.arange(5) for name in names})
    loader = package.pipeline(ds).transform(dict.fromkeys(names)).batch(2)
    methods = dict.fromkeys(names, "numpy")
    if data.draw(st.booleans()):
        loader = loader.query(f'select * where "{names[0]}" > 2 or "{names[-1]}" < {10**17}')
    lines = repr(loader.numpy(tensors=names, decode_method=methods)).split("\n")
    assert max(map(len, lines)) <= 80
    assert len(lines) in (1, len(loader.steps) + 2)  # with `pipeline` and `numpy`


@pytest.mark.parametrize(
    "chain, shown",
    [
        (lambda pipe: pipe, ""),
        (lambda pipe: pipe.shuffle(True, 2048), ".shuffle()"),
        (lambda pipe: pipe.shuffle(False), ".shuffle(False)"),
        (lambda pipe: pipe.shuffle(buffer_size=8), ".shuffle(buffer_size=8)"),
        (lambda pipe: pipe.offset(1).numpy(num_workers=2), ".offset(1).numpy(num_workers=2)"),
        (lambda pipe: pipe.batch(4, True).numpy(), ".batch(4, drop_last=True).numpy()"),
        (lambda pipe: pipe.transform(noisy), ".transform(noisy)"),
        (lambda pipe: pipe.transform({"x": abs, "y": None}), ".transform({'x': abs, 'y': None})"),
        (lambda pipe: pipe.transform(lambda row, k: row, k=2), ".transform(<lambda>, k=2)"),
        (
            lambda pipe: pipe.sample_by([1] * 10, False, seed=3),
            ".sample_by(<float64 array of shape (10,)>, replace=False, seed=3)",
        ),
    ],
)
def test_a_step_shows_what_was_chosen(package, chain, shown):
    text = repr(chain(package.pipeline(numbers())))
    assert text.replace("\n    ", "") == f"pipeline(<10 rows of x, y>){shown}"


def test_each_step_has_a_line_where_one_line_is_too_long(package):
    loader = (
        package.pipeline(numbers(), seed=7)
        .query("select * where x != 5")
        .transform({"x": None})
        .batch(128)
        .numpy(num_workers=2)
    )
    assert repr(loader).splitlines() == [
        "pipeline(<10 rows of x, y>, seed=7)",
        "    .query('select * where x != 5')",
        "    .transform({'x': None})",
        "    .batch(128)",
        "    .numpy(num_workers=2)",
    ]
    assert repr(package.pipeline(numbers()).batch(5)) == "pipeline(<10 rows of x, y>).batch(5)"

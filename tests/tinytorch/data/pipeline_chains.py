"""Chains of steps, drawn by hypothesis, over one small dataset; and what an epoch of one gives."""

import functools

import numpy as np
from hypothesis import strategies as st

from tinytorch.data.columns import ColumnDataset

ROWS = 40
# lengths of a text in each row, so that rows differ much in size
WIDTHS = np.random.default_rng(0).integers(1, 4000, ROWS)


class Remembering(ColumnDataset):
    """Runs each query only once, because starting the database takes longer than all the rest."""

    query = functools.cache(ColumnDataset.query)
    weights = functools.cache(ColumnDataset.weights)


DATASET = Remembering(
    {
        "x": np.arange(ROWS),
        "kind": np.arange(ROWS) % 4,
        "text": ["a" * int(width) for width in WIDTHS],
    }
)
QUERIES = [
    "select * where kind != 2",
    "select * where x > 30 order by kind desc",
    "select * limit 7",
    "select * where x < 0",
]
# MB, of about 0.08 MB: none, less than one row, few rows, half, all
BUFFERS = [0, 0.001, 0.01, 0.03, 2048]


def noisy(row, rng):
    """A transform with random numbers; the results are equal only if each row draws the
    same ones.
    """
    return {"x": row["x"], "noise": rng.integers(2**60), "text": row["text"][:1]}


@st.composite
def chains(draw) -> list[tuple[str, dict]]:
    """Steps in any order, each at most once; a view is not shuffled."""
    steps = {}
    kind = draw(st.sampled_from(["plain", "query", "draw", "query and draw"]))
    if "query" in kind:
        steps["query"] = {"query_string": draw(st.sampled_from(QUERIES))}
    if "draw" in kind:
        steps["sample_by"] = {
            "weights": draw(st.sampled_from(["x", "max_weight(x < 10: 1, kind == 3: 5)"])),
            "replace": draw(st.booleans()),
        }
        if draw(st.booleans()):
            steps["sample_by"]["size"] = 3
            steps["sample_by"]["replace"] = True
    if kind == "plain":
        steps["shuffle"] = {"buffer_size": draw(st.sampled_from(BUFFERS))}
    if draw(st.booleans()):
        steps["offset"] = {"off": draw(st.integers(0, ROWS + 2))}
    steps["batch"] = {"batch_size": draw(st.integers(1, 9)), "drop_last": draw(st.booleans())}
    if draw(st.booleans()):
        steps["transform"] = {"transform": noisy}
    return draw(st.permutations(list(steps.items())))


def loader_of(package, chain, num_workers: int = 0, seed: int = 0, dataset=DATASET, **output):
    loader = package.pipeline(dataset, seed=seed)
    for name, settings_of in chain:
        loader = getattr(loader, name)(**settings_of)
    return loader.numpy(num_workers=num_workers, **output)


def plain(batches) -> list:
    return [
        {name: part if isinstance(part, list) else part.tolist() for name, part in batch.items()}
        for batch in batches
    ]


def rows_of(batches) -> list[int]:
    return [row for batch in plain(batches) for row in batch["x"]]


def expected(chain) -> list[int] | None:
    """The rows of an epoch by a plain loop, in their order before any shuffle; None where rows are
    chosen at random.
    """
    steps = dict(chain)
    rows = list(range(ROWS))
    if "query" in steps:
        rows = DATASET.query(steps["query"]["query_string"]).tolist()
    if "sample_by" in steps:
        return None
    return rows[steps.get("offset", {"off": 0})["off"] :]


def is_void(chain) -> bool:
    """Whether no row that the query leaves can be drawn; that is an error, which is tested
    below.
    """
    steps = dict(chain)
    if not {"query", "sample_by"} <= steps.keys():
        return False
    rows = DATASET.query(steps["query"]["query_string"])
    return not DATASET.weights(steps["sample_by"]["weights"])[rows].any()

"""Helpers for the tests of pipelines: small datasets, and chains of steps that hypothesis
draws, with what an epoch of one gives.
"""

import functools
import io

import numpy as np
from hypothesis import strategies as st
from PIL import Image

from tinytorch.data.columns import ColumnDataset


def encoded(picture: np.ndarray | Image.Image, form: str = "png") -> bytes:
    """The picture as a file of this form."""
    file = io.BytesIO()
    (Image.fromarray(picture) if isinstance(picture, np.ndarray) else picture).save(file, form)
    return file.getvalue()


def numbers(count: int = 10) -> ColumnDataset:
    return ColumnDataset({"x": np.arange(count), "y": np.arange(count) * 10.0})


def column(batches, name="x") -> list:
    return [batch[name].tolist() for batch in batches]


def flat(batches, name="x") -> list:
    return [value for batch in batches for value in batch[name].tolist()]


# Chains of steps over one small dataset


ROWS = 40
# lengths of a text in each row, so that rows differ much in size
WIDTHS = np.random.default_rng(0).integers(1, 4000, ROWS)


class Remembering(ColumnDataset):
    """Runs each query only once, because starting the database takes longer than all the rest."""

    query = functools.cache(ColumnDataset.query)
    weights = functools.cache(ColumnDataset.weights)


class CountingDataset(Remembering):
    """Counts the rows that are read."""

    reads = 0

    def read(self, index, names=None):
        self.reads += 1
        return super().read(index, names)


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
        # the last one leaves no row, so none could be drawn
        asked = QUERIES[:-1] if "draw" in kind else QUERIES
        steps["query"] = {"query_string": draw(st.sampled_from(asked))}
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


def loader_of(package, chain, seed: int = 0, dataset=DATASET, **output):
    loader = package.pipeline(dataset, seed=seed)
    for name, settings_of in chain:
        loader = getattr(loader, name)(**settings_of)
    return loader.numpy(**output)


def plain(batches) -> list:
    return [
        {name: part if isinstance(part, list) else part.tolist() for name, part in batch.items()}
        for batch in batches
    ]


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

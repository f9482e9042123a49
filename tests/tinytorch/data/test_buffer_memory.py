"""A shuffle buffer of so many bytes holds no more than so many, wherever its rows come from; most
of what a small row takes is Python's.
"""

from __future__ import annotations

import gc
import tracemalloc

import numpy as np
import pytest

from tinytorch.data.columns import ColumnDataset

ROWS, LIMIT_BYTES = 60_000, 1_000_000


def numbers(path, *width):
    values = np.arange(ROWS * int(np.prod(width)), dtype=np.int32).reshape(ROWS, *width)
    values.tofile(path)
    return np.memmap(path, np.int32, "r", shape=values.shape)


def in_memory(folder):
    return {"x": np.arange(ROWS, dtype=np.int32)}


def one_number(folder):
    return {"x": numbers(folder / "x")}


def two_rows(folder):
    return {"x": numbers(folder / "x", 5), "y": numbers(folder / "y", 2)}


def text_beside_a_file(folder):
    return {"x": numbers(folder / "x"), "text": [f"row {row}" for row in range(ROWS)]}


@pytest.mark.parametrize("columns", [in_memory, one_number, two_rows, text_beside_a_file])
def test_a_buffer_holds_no_more_bytes_than_it_may(package, tmp_path, columns):
    dataset = ColumnDataset(columns(tmp_path))
    loader = package.pipeline(dataset, seed=0).shuffle(buffer_size=LIMIT_BYTES / 1e6).batch(1)
    epoch = iter(loader)
    gc.collect()  # empties Python's free lists: what is taken from them is not traced
    tracemalloc.start()
    try:
        for _ in range(100):
            next(epoch)
        held = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
        epoch.close()
    assert held < LIMIT_BYTES
    if columns is not in_memory:  # there, the rows stay where they are
        assert held > LIMIT_BYTES / 3, "a buffer that counts too much mixes too little"


@pytest.mark.parametrize("columns", [one_number, two_rows])
def test_where_rows_come_from_is_not_in_their_order(package, tmp_path, columns):
    def order(read):
        loader = package.pipeline(ColumnDataset(read), seed=3).shuffle(buffer_size=0.1).batch(500)
        return [batch["x"].tolist() for batch in loader]

    mapped = columns(tmp_path)
    assert order(mapped) == order({name: np.array(part) for name, part in mapped.items()})

# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
"""
# 08c Pipeline

The loader of module 08 takes all its settings in one call. Other loaders are written as
a chain: take this dataset, keep these rows, shuffle them, cut batches, hand them out.
Deep Lake, Grain and tf.data work like this. In this lab you build such a loader, with
the names of Deep Lake's page, and you learn what its parts cost: a weighted draw, a
shuffle buffer that holds a limited number of bytes, several machines that share one
dataset, and a training run that is killed in the middle and goes on with the exact next
batch.

**<!-- hours -->, <!-- points -->.** Fourteen exercises and two questions; each exercise
is one small function. The class that puts the functions together is given, in section
10.

**How to work.** Every exercise has a number, such as 2a, and a stub with a `TODO`.
Replace the `raise NotImplementedError(...)` under it, run the cell, then run
`check("2a")` below it. It tells which of the exercise's numbered promises hold, and of
the first that does not: what was called, what came of it and where to look. Stuck?
`tito hint 08c 2a` gives one hint at a time. Save, then `%test 2a` tests the notebook
as you saved it; `%test 2a --laws` shows how each promise is tested.

When you are done: `tito export 08c` writes your code to `tinytorch/data/pipeline.py`.
The grader tests the same promises with other data; each one that holds earns its share
of the exercise's points. The questions 13a and 13b have no tests: a person reads your
answers.
"""

# %% given given_setup
#| export
import hashlib
import operator
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from itertools import islice
from types import MappingProxyType

import numpy as np

from tinytorch.core.checks import function_or_none
from tinytorch.core.rng import EpochKey
from tinytorch.data.adapters import rank_and_world, to_tensorflow, to_torch
from tinytorch.data.batch_workers import WorkerPool, run_batches
from tinytorch.data.chain_text import Shown, call_text, chain_text, value_text
from tinytorch.data.columns import ColumnDataset
from tinytorch.data.loader_inputs import (
    MOST_SEED,
    accepts,
    can_be_called,
    flag,
    returned,
    seed_of,
    whole,
)
from tinytorch.data.rows import (
    bytes_in_a_buffer,
    check_weights,
    read_ahead,
    reads_whole_batches,
    stack_columns,
    stack_rows,
    threads_for,
)

# %% given given_test_tools
# Given: `check("2a")` runs the laws of exercise 2a, one for each promise; you can read
# them in the folder tests. Nothing here is exported.
from tinytorch.laws import checker
from tinytorch.testing import demo, expect, finish, progress

check = checker("08c_pipeline")

# %% [markdown]
"""
## 1 A dataset of named columns

`ColumnDataset` (given, in `tinytorch/data/columns.py`) holds columns by name: arrays,
memory maps, encoded images, texts. Row i is a dict. A **raw** row is what is stored (an
image may still be JPEG bytes); a decoded row is what a model can use.
"""


# %% given given_a_dataset
fruit = ColumnDataset(
    {"weight": np.array([120, 80, 150, 95]), "label": np.array([0, 1, 0, 2])},
    class_names={"label": ["apple", "plum", "pear"]},
)
print(
    f"{len(fruit)} rows of {', '.join(fruit.names)}; row 2 is {fruit[2]},"
    f" {fruit.row_bytes(2)} bytes"
)

# %% [markdown]
"""
## 2 Steps that never change a loader

In a chain every step returns a loader. Should `loader.batch(4)` change `loader`? Look
at what happens if it does.
"""


# %% given given_clumsy_steps
class ClumsyLoader:
    """A loader whose steps change it."""

    def __init__(self):
        self.settings = {}

    def batch(self, size):
        self.settings["batch"] = size
        return self


base = ClumsyLoader()
training, evaluation = base.batch(128), base.batch(1000)
print(
    f"training has batches of {training.settings['batch']}, evaluation of"
    f" {evaluation.settings['batch']}"
)

# %% [markdown]
"""
Two loaders were wanted, and there is only one. So a step must leave the old loader
unchanged and return a **new** one. Then several loaders can begin with the same steps,
and the steps of a loader say what it does. And if a step is given twice, which of the
two counts? To avoid the question, a loader refuses the second.
"""


# %% [markdown]
"""
### 2a add_step: one more step of a chain
<!-- points -->, about 5 minutes

`batch`, `shuffle` and the other methods of a chain each add one step. They all call
this function, so that the two rules above are kept in one place.

**Goal.** Add a step to the steps that were taken before.

**Contract.** `add_step(steps, name, settings)` -> a dict.

1. The new dict holds everything in `steps`, and `name: settings`.
2. The new step comes last; the old ones keep their order.
3. The dict returned is a new one; `steps` is not changed.
4. A name that is in `steps` already raises `ValueError`: `.batch() has already been
   called`.

**By hand.** `add_step({"offset": {"off": 3}}, "batch", {"batch_size": 4})` is
`{"offset": {"off": 3}, "batch": {"batch_size": 4}}`.

**Out of scope:** what the settings mean.
"""


# %% stub add_step
#| export
def add_step(steps: dict, name: str, settings: dict) -> dict:
    """Return a new dict of steps that ends with `name`; `steps` is not changed.

    Raises:
        ValueError: the step has been taken before.
    """
    # TODO: three lines.
    ### BEGIN SOLUTION
    if name in steps:
        raise ValueError(
            f".{name}() has already been called on this loader;"
            " start again from the loader before it"
        )
    return {**steps, name: settings}
    ### END SOLUTION


# %% law, 2 points
check("2a")


# %%
progress("Steps")

# %% [markdown]
"""
## 3 What happens to a row

A transform is one function of the whole row, or a dict with a function for each column.
The dict also chooses: a column that it does not name is left out, and never read.
`None` keeps a column as it is. Deep Lake's page has the example
`{"images": augment, "labels": None}`.
"""


# %% [markdown]
"""
### 3a apply_transform: one row through a transform
<!-- points -->, about 10 minutes

**Goal.** Pass one row through the transform, whichever kind it is.

**Contract.** `apply_transform(row, transform, kwargs)` -> the transformed row.
`transform` is None, a function of the row, or a dict {column: function or None}.

1. Without a transform (None) the row is returned unchanged.
2. A dict chooses the columns: the result has those that it names, in its order.
3. A function in a dict is called once, with the value of its column.
4. None in a dict keeps the value of its column.
5. A dict ignores `kwargs`.
6. A function of the row is called once, as `transform(row, **kwargs)`.
7. Whatever a function returns is the result, even None or 0.
8. The row that is passed is not changed.
9. An error of a transform reaches the caller unchanged, without a retry.

Promise 1 allows `row` itself or a copy.

**By hand.** `apply_transform({"x": 3, "y": 5, "z": 7}, {"y": None, "x": abs}, {})` is
`{"y": 5, "x": 3}`.

**Out of scope:** batches, random numbers, functions that write into the row.
"""


# %% stub apply_transform
#| export
def apply_transform(row: dict, transform: Callable | dict | None, kwargs: dict):
    """Return the row after `transform`: a function of the row, a dict {column:
    function or None}, or None. `row` is not changed.
    """
    # TODO: about five lines.
    ### BEGIN SOLUTION
    if transform is None:
        return row
    if isinstance(transform, dict):
        return {
            name: row[name] if change is None else change(row[name])
            for name, change in transform.items()
        }
    return transform(row, **kwargs)
    ### END SOLUTION


# %% law, 4 points
check("3a")


# %%
progress("Transforms")

# %% [markdown]
"""
## 4 Some rows more often than others

A model learns little about a class with few samples. `sample_by(weights)` draws rows in
proportion to their weights: a row of weight 10 comes twice as often as a row of weight
5, a row of weight 0 never.

Think of a roulette wheel whose slots are as wide as the weights. Put the slots one
after the other on a line: they end at the **cumulative sums** of the weights. A number
between 0 and the total, all places equally likely, falls into one slot. Finding the
slot by walking along the line takes N steps for each draw:
"""


# %% given given_clumsy_wheel
def clumsy_draw(weights, size, seed):
    """The wheel, one slot after the other."""
    rng, rows = np.random.default_rng(seed), []
    for _ in range(size):
        place, end = rng.random() * sum(weights), 0.0
        for row, weight in enumerate(weights):
            end += weight
            if place < end:
                rows.append(row)
                break
    return rows


print(
    f"slots end at {np.cumsum([5, 0, 10])}; ten draws:"
    f" {clumsy_draw([5, 0, 10], 10, seed=0)}"
)

# %% [markdown]
"""
The ends are sorted, so a binary search finds a slot in about log2(N) steps, and NumPy
searches for all draws in one call.
"""


# %% [markdown]
"""
### 4a draw_with_replacement: each draw from all rows
<!-- points -->, about 10 minutes

**Goal.** Draw rows by weight; a row may come again.

**Given.** `weights` is a float64 array, none negative, not all zero; those above 0 and
their sum lie between 1e-300 and 1e300. `size` is 0 or more. `seed` is whatever
`np.random.default_rng` accepts. NumPy needs no loop.

**Contract.** `draw_with_replacement(weights, size, seed)` -> the rows that were drawn.

1. The draws are an int64 array of shape (size,).
2. Each draw is row i with probability `weights[i] / weights.sum()`.
3. Each draw is made from all rows, whatever came before.
4. A row of weight 0 never comes.
5. The same seed gives the same draws, a different seed different ones: `[0, 1]` is not
   `[1, 0]`.
6. Seed 0 always gives the same draws; None gives new draws each time.
7. `weights` and the global random generators are not changed.

**By hand.** Weights `[5, 0, 10]` have slots that end at 5, 5 and 15. The place 3.2
falls into the slot of row 0, the place 5.0 into that of row 2: the slot of row 1 is
empty.
"""


# %% stub draw_with_replacement
#| export
def draw_with_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    """Return `size` rows, drawn independently in proportion to the weights: int64
    (size,). Costs N additions and size * log2(N) comparisons.
    """
    weights = np.asarray(weights, dtype=np.float64)
    # TODO: about four lines.
    ### BEGIN SOLUTION
    ends = np.cumsum(weights)
    places = np.random.default_rng(seed).random(size) * ends[-1]
    # "right": a place on a border belongs to the slot that begins there, so that a slot
    # of width 0 is never hit.
    return np.searchsorted(ends, places, side="right").astype(np.int64)
    ### END SOLUTION


# %% law, 5 points
check("4a")


# %% [markdown]
"""
Without replacement a row leaves the wheel when it has been drawn: the next draw is made
among the others, in proportion to *their* weights. A direct implementation needs new
cumulative sums for each draw. Efraimidis and Spirakis (2006) found a way without a
loop: give row i the key `log(u) / weight`, with u drawn between 0 and 1 for each row,
and take the rows of the **largest** keys, largest first. All keys are below 0; a large
weight brings the key near 0, so the row comes early. The order of the keys has exactly
the probabilities of the draws.

With equal weights this is a plain shuffle: `sample_by(weights, replace=False)` draws
every row once, in random order: a full shuffle.
"""


# %% [markdown]
"""
### 4b draw_without_replacement: each row at most once
<!-- points -->, about 15 minutes

**Goal.** Draw rows by weight, none of them twice.

**Given.** `np.argsort(keys)` gives the places, smallest key first. `weights` and `seed`
are as in 4a.

**Contract.** `draw_without_replacement(weights, size, seed)` -> the rows, in the order
of the draws.

1. The draws are an int64 array of shape (size,).
2. Each row comes at most once.
3. A row of weight 0 never comes.
4. The first draw is row i with probability `weights[i] / weights.sum()`.
5. Each following draw is made likewise among the rows that are left.
6. A `size` above the number of positive weights raises `ValueError` with both numbers.
7. The same seed gives the same draws, a different seed different ones: `[0, 1]` is not
   `[1, 0]`.
8. Seed 0 always gives the same draws; None gives new draws each time.
9. `weights` and the global random generators are not changed.

**By hand.** `draw_without_replacement([0, 3, 0], 1, seed)` is `[1]` for every seed.
Weights `[1, 3]`, size 2: row 1 comes first in three runs of four.

**Out of scope:** datasets that do not fit in memory.
"""


# %% stub draw_without_replacement
#| export
def draw_without_replacement(weights: np.ndarray, size: int, seed=None) -> np.ndarray:
    """Return `size` different rows in the order of the draws: int64 (size,). Keys of
    Efraimidis and Spirakis (2006).

    Raises:
        ValueError: fewer than `size` rows have a positive weight.
    """
    weights = np.asarray(weights, dtype=np.float64)
    # TODO: about six lines.
    ### BEGIN SOLUTION
    candidates = np.flatnonzero(weights > 0)
    if size > len(candidates):
        raise ValueError(
            f"without replacement at most the {len(candidates)} rows of positive weight"
            f" can be drawn, got size {size}; use replace=True, or a smaller size"
        )
    # 1 - u is never 0
    keys = (
        np.log1p(-np.random.default_rng(seed).random(len(candidates)))
        / weights[candidates]
    )
    return candidates[np.argsort(-keys)[:size]].astype(np.int64)
    ### END SOLUTION


# %% law, 7 points
check("4b")


# %%
progress("Weighted sampling")

# %% [markdown]
"""
**In PyTorch.** `WeightedRandomSampler` in `torch/utils/data/sampler.py` is one call of
`torch.multinomial`, with `replacement` as an argument.

**What if** one row has as much weight as all the others together? How often does it
come in an epoch of N draws, with and without replacement?
"""

# %% [markdown]
"""
## 5 A shuffle that fits in memory

Module 08 shuffled row numbers and then read each row at its place in the file. On a
disk or over a network, reading at random places is slow; reading from front to back is
fast. A **shuffle buffer** is a compromise: it reads in order, holds some rows, and
hands out one of them, chosen at random. The next row that is read takes its place.

The limit of a buffer is in bytes, not in rows: one photo may be ten times as large as
another.

In the Contracts from here on, "yields" means that the function returns an iterator: a
generator, `map(...)` or another one; it needs no method `close()`.
"""


# %% [markdown]
"""
### 5a shuffle_buffer: mix a stream in limited memory
<!-- points -->, about 20 minutes

**Goal.** Shuffle a stream.

**Given.** `int(rng.random() * n)` is one of 0..n-1.

**Contract.** `shuffle_buffer(items, max_bytes, size_of, seed)` yields the items, mixed.
`size_of(item)` is a whole number of bytes, 0 or more.

1. Every item comes out once, whatever it is and however large.
2. The held items together have at most `max_bytes`.
3. If the new item does not fit, held items leave only until it fits.
4. Each held item is equally likely to leave; the new one must wait.
5. An item larger than `max_bytes` comes as soon as nothing is held.
6. When the stream has ended, the held items come in random order.
7. Nothing is taken from the stream before it is needed.
8. `size_of` is asked once for each item.
9. Seed and sizes alone decide the order; 0 is a seed, None draws a new seed.
10. The global random generators are not changed.
11. An error of the stream or `size_of` reaches the caller unchanged, without a retry.

**By hand.** Items of one byte, `max_bytes=1`: the order does not change.
"""


# %% stub shuffle_buffer
#| export
def shuffle_buffer(
    items: Iterable, max_bytes: float, size_of: Callable, seed=None
) -> Iterator:
    """Yield the items in a random order, holding at most `max_bytes` of them; an item
    larger than that passes through.

    Args:
        items: read once, from front to back.
        max_bytes: what may be held; with 0 only items of 0 bytes are mixed.
        size_of: bytes of an item.
        seed: whatever `np.random.default_rng` accepts.
    """
    # TODO: about fifteen lines. Keep the sizes beside the items. Removing from the
    # middle of a long list is slow: swap with the last item, then pop().
    ### BEGIN SOLUTION
    rng = np.random.default_rng(seed)
    held, sizes, held_bytes = [], [], 0
    for item in items:
        size = size_of(item)
        while held_bytes + size > max_bytes and held:
            chosen = int(rng.random() * len(held))
            held[chosen], held[-1] = held[-1], held[chosen]
            sizes[chosen], sizes[-1] = sizes[-1], sizes[chosen]
            held_bytes -= sizes.pop()
            yield held.pop()
        if size > max_bytes:
            yield item
            continue
        held.append(item)
        sizes.append(size)
        held_bytes += size
    # what was yielded last must not stay in memory while the rest is handed out
    item = None
    rng.shuffle(held)
    while held:
        yield held.pop()
    ### END SOLUTION


# %% law, 10 points
check("5a")


# %%
progress("Shuffle buffer")

# %% [markdown]
"""
**In PyTorch.** `ShufflerIterDataPipe` in
`torch/utils/data/datapipes/iter/combinatorics.py` has a buffer of a number of elements.
Yours has a limit in bytes.

**What if** the buffer holds one row? And what if it holds all of them?
"""

# %% [markdown]
"""
## 6 Batches of a stream

Module 08 knew N and cut an array of N indices. A stream may not know where it ends, so
a batch is collected item by item until it is full.
"""


# %% [markdown]
"""
### 6a take_batches: cut a stream
<!-- points -->, about 5 minutes

**Goal.** Cut any stream into lists. Exercise 8a uses it last.

**Given.** `islice(iterator, n)` takes at most n items.

**Contract.** `take_batches(stream, batch_size, drop_last=False)` yields the batches of
a list or an iterator.

1. Batches are lists of `batch_size` items in order; the last one holds what is left.
2. `drop_last=True` leaves out the last batch only when it is short.
3. A list is a stream too, and an empty stream has no batches.
4. Nothing is taken before its batch is asked for.
5. Each batch is a new list.
6. An error of the stream reaches the caller unchanged, without a retry.
7. A loop that is left early ends without an error.

**By hand.** `list(take_batches("abcde", 2))` is `[["a", "b"], ["c", "d"], ["e"]]`.
"""


# %% stub take_batches
#| export
def take_batches(
    stream: Iterable, batch_size: int, drop_last: bool = False
) -> Iterator[list]:
    """Yield lists of `batch_size` items, the short last one too unless `drop_last`."""
    # TODO: four lines.
    ### BEGIN SOLUTION
    stream = iter(stream)
    while batch := list(islice(stream, batch_size)):
        if len(batch) == batch_size or not drop_last:
            yield batch
    ### END SOLUTION


# %% law, 2 points
check("6a")


# %% [markdown]
"""
## 7 Several machines, one dataset

With `distributed=True` several processes (**ranks**) train one model, and each sees its
own part of every epoch. Every row must be on exactly one rank. But the ranks wait for
each other after each step: a rank that has one batch more than the others waits
forever.
"""


# %% [markdown]
"""
### 7a shard: the part of one rank
<!-- points -->, about 10 minutes

**Goal.** Choose the items of one rank.

**Contract.** Cut the stream into **rounds** of `world_size` items; the last one may be
short. `shard(stream, rank, world_size, even=False)` yields the items of one rank.

1. Every item is on exactly one rank.
2. A rank gets item number `rank` of each round, in order.
3. With `even=True` no rank gets an item of a short last round.
4. A complete last round is handed out, even with `even=True`.
5. A rank outside 0..world_size-1 raises `ValueError` with both numbers.
6. Nothing is taken from the stream before its round is needed.
7. An error of the stream reaches the caller unchanged, without a retry.

The `ValueError` may come with the call or with the first item, even from an empty
stream. With `even=True` an item waits until its round is complete.

**By hand.** Seven items, three ranks: rank 0 gets `[0, 3, 6]`, rank 1 `[1, 4]`, rank 2
`[2, 5]`; even: `[0, 3]`, `[1, 4]`, `[2, 5]`.

**Out of scope:** shuffling. It comes after this: each rank mixes its own part.
"""


# %% stub shard
#| export
def shard(stream: Iterable, rank: int, world_size: int, even: bool = False) -> Iterator:
    """Yield the items of one rank: number `rank` of each round of `world_size` items.

    Args:
        even: leave out an unfinished last round, so that all ranks have equally many
            items.

    Raises:
        ValueError: rank is not one of 0..world_size-1.
    """
    # TODO: about seven lines.
    ### BEGIN SOLUTION
    if not 0 <= rank < world_size:
        raise ValueError(
            "a rank is one of 0..world_size-1,"
            f" got rank {rank} with world_size {world_size}"
        )
    if not even:
        return islice(stream, rank, None, world_size)
    complete_rounds = zip(*[iter(stream)] * world_size)
    return (one_round[rank] for one_round in complete_rounds)
    ### END SOLUTION


# %% law, 4 points
check("7a")


# %%
progress("Streams")

# %% [markdown]
"""
**In PyTorch.** The example in the docstring of `IterableDataset`, in
`torch/utils/data/dataset.py`, divides a stream among workers in ranges, not in turn.

**What if** the rows are sorted by label? Which of the two divisions would you take?
"""

# %% [markdown]
"""
## 8 The plan of an epoch

Now the parts become an epoch. A user may call the steps in any order, but an epoch
always does them in one fixed order. Two questions decide it: what can be done before
anything is read, and what needs the rows themselves?

```
places --> skip `offset` --> keep this rank's --> read --> shuffle buffer --> batches
           nothing is read for what is left out           holds what was read
```

A **place** is a position in this epoch, counted from 0; `query` and `sample_by` decide
earlier which row of the dataset it holds. `offset` says at which place the loader
begins.
"""


# %% [markdown]
"""
### 8a plan_epoch: all stages in the right order
<!-- points -->, about 10 minutes

**Goal.** Join your functions in the order of the picture above.

**Given.** `islice(places, k, None)` leaves out the first k. `map` reads one place at a
time.

**Contract.** `plan_epoch(places, read, size_of, seed, *, offset=0, rank=0,
world_size=1, buffer_bytes=None, batch_size=1, drop_last=False)` yields the batches.

1. Without settings each place is read, in order, as a batch of one.
2. The first `offset` places are skipped, then the ranks share the others.
3. Only the places of this rank are read, each once.
4. Rows are mixed in the buffer, then cut into batches.
5. Only None means no buffer; 0 bytes is a buffer without room.
6. The buffer gets `buffer_bytes`, `size_of` and `seed` unchanged.
7. `drop_last=True` leaves out a short last batch.
8. With `drop_last=True` no rank has a batch that another lacks.
9. A batch is read when it is asked for.
10. An error of `places` or `read` reaches the caller unchanged, without a retry.

**By hand.** Seven places, `offset=1, world_size=2, rank=0, batch_size=2`: reads 1, 3, 5
and yields `[[1, 3], [5]]` (for a `read` that returns its place).
"""


# %% stub plan_epoch
#| export
def plan_epoch(
    places: Iterable[int],
    read: Callable,
    size_of: Callable,
    seed=None,
    *,
    offset: int = 0,
    rank: int = 0,
    world_size: int = 1,
    buffer_bytes: float | None = None,
    batch_size: int = 1,
    drop_last: bool = False,
) -> Iterator[list]:
    """Yield the batches of an epoch, lists of what `read(place)` returned. Only what
    this rank needs is read.
    """
    # TODO: four or five lines.
    ### BEGIN SOLUTION
    mine = shard(islice(places, offset, None), rank, world_size, even=drop_last)
    items = map(read, mine)
    if buffer_bytes is not None:
        items = shuffle_buffer(items, buffer_bytes, size_of, seed)
    return take_batches(items, batch_size, drop_last)
    ### END SOLUTION


# %% law, 5 points
check("8a")


# %%
progress("Plan")

# %% [markdown]
"""
## 9 Killed in the middle

A training run on a rented machine may be killed at any batch. It saved its model; did
it save where the loader was? If the epoch begins again, some rows are seen twice. If a
loader saved its whole state (buffer, generators, workers), the file would be as large
as the buffer.

Two numbers are enough. Everything random here comes from (seed, epoch), so the same
epoch can be planned again, and **two counters** say where it was: the epoch, and the
number of batches that were **handed out**. Skip that many batches of the plan, and
continue. Skipping reads no rows, because their sizes are known without reading.

Take care: a loader with workers reads ahead, so more batches were planned and loaded
than handed out.
"""


# %% [markdown]
"""
### 9a follow: a bookmark that says where to continue
<!-- points -->, about 15 minutes

**Goal.** Know at any time where to continue.

**Contract.** A `Bookmark` has `epoch` and `batches`. `bookmark.follow(plan, load)`
yields batches. `plan` is an iterator. `load(plans)` turns an iterator of plans into one
of batches; it may take plans ahead.

1. The batches of the plan that are still to come are handed out, in order.
2. The first `self.batches` plans are skipped, and never loaded.
3. `load` is called once, and further plans are taken only when it asks.
4. While a batch is used, `self.batches` counts it already.
5. Batches that were handed out count, not those that were loaded ahead.
6. After the last batch the bookmark is at the next epoch: `epoch + 1`, 0 batches.
7. If a loop is left, or ends in an error, the bookmark keeps its place.
8. An error of `plan` or `load` reaches the caller unchanged, without a retry.

If no batch is left, promise 6 holds too.

**By hand.** Epoch 2, 3 batches done, a plan of 5: the bookmark has (2, 4), (2, 5), then
(3, 0).
"""


# %% stub follow
#| export
class Bookmark:
    """Where an epoch is: its number, and how many of its batches were handed out."""

    def __init__(self, epoch: int = 0, batches: int = 0):
        self.epoch, self.batches = epoch, batches

    def follow(self, plan: Iterator, load: Callable[[Iterator], Iterator]) -> Iterator:
        """Yield the batches that are still to come, counting each one; at the end
        stand before the next epoch.
        """
        # TODO: four lines.
        ### BEGIN SOLUTION
        for batch in load(islice(plan, self.batches, None)):
            self.batches += 1
            yield batch
        self.epoch, self.batches = self.epoch + 1, 0
        ### END SOLUTION


# %% law, 7 points
check("9a")


# %%
progress("Resume")

# %% [markdown]
"""
**In PyTorch.** `StatefulDataLoader` in
`torchdata/stateful_dataloader/stateful_dataloader.py` has a `state_dict` for this.

**What if** a batch was handed out, and the run is killed before the training step? Is
this batch seen again after the restart, and does it matter?
"""

# %% [markdown]
"""
## 10 The loader

The next two cells are given; read them, because they use your functions. `Load` turns
the raw rows of one batch into the batch: decode, transform, stack. It depends on
nothing but its task, so it may run here or in any worker process, and the result is the
same. `DeepLakeDataLoader` holds the steps and plans the epochs. Reading stays in the
process that plans, from front to back.
"""


# %% given given_load
#| export
def stack_samples(samples: list, numbers: list[int]):
    """One batch: a dict of arrays for dicts, a tuple of arrays for tuples, an array
    for anything else. Text stays in lists.
    """
    kind = type(samples[0])
    if issubclass(kind, dict):
        return stack_rows(samples, numbers)
    if issubclass(kind, (tuple, list)):
        return tuple(
            stack_rows(
                [dict(enumerate(sample)) for sample in samples], numbers
            ).values()
        )
    return stack_rows([{"sample": sample} for sample in samples], numbers)["sample"]


def check_index(columns: Iterable[str]) -> None:
    """`return_index` must not replace a column of the user's."""
    if "index" in columns:
        raise ValueError(
            "return_index=True adds a column 'index', and these rows have one already:"
            f" {list(columns)}; rename it, or give return_index=False"
        )


def stopped(name: str, number: int) -> RuntimeError:
    return RuntimeError(
        f"{name} raised StopIteration at row {number}; next(iterator, None) returns"
        " None in its place"
    )


class Load:
    """Makes a batch of a task: (seed, epoch, row numbers, how often each row came
    before, {column: raw values}). Picklable.
    """

    def __init__(
        self,
        decoder,
        transform,
        kwargs: dict,
        collate_fn: Callable | None,
        return_index: bool,
        batched: bool,
        num_threads: int,
    ):
        self.decoder, self.transform, self.kwargs, self.collate_fn = (
            decoder,
            transform,
            kwargs,
            collate_fn,
        )
        self.return_index, self.batched, self.num_threads = (
            return_index,
            batched,
            num_threads,
        )
        functions = transform if isinstance(transform, dict) else {None: transform}
        self.random = {
            name: position
            for position, (name, function) in enumerate(functions.items())
            if function is not None and accepts(function, "rng")
        }
        # Nothing happens to a single row, so the columns can stay whole.
        self.whole_columns = (
            batched
            and collate_fn is None
            and decoder.keeps_raw_values
            and all(function is None for function in functions.values())
        )

    def __call__(self, task: tuple):
        seed, epoch, numbers, repeats, columns = task
        if self.whole_columns:
            own = {"index": numbers} if self.return_index else {}
            names = self.transform or columns
            return stack_columns({name: columns[name] for name in names}, numbers) | own
        key = EpochKey.of(seed, epoch) if self.random else None

        def sample(place: int):
            raw = {name: values[place] for name, values in columns.items()}
            return self.sample(key, numbers[place], repeats[place], raw)

        numbers, repeats = numbers.tolist(), repeats.tolist()
        samples = list(read_ahead(sample, range(len(numbers)), self.num_threads))
        if self.collate_fn is not None:
            name = f"collate_fn {value_text(self.collate_fn)}"
            try:
                return returned(name, self.collate_fn(samples))
            except StopIteration as error:
                raise stopped(name, numbers[0]) from error
        return stack_samples(samples, numbers) if self.batched else samples[0]

    def sample(self, key: EpochKey | None, number: int, repeat: int, raw: dict):
        row = self.decoder(raw, number)
        transform, kwargs = self.transform, self.kwargs
        if self.random and isinstance(transform, dict):
            transform = {
                **transform,
                **{
                    name: partial(
                        transform[name],
                        rng=key.generator(number, position + len(transform) * repeat),
                    )
                    for name, position in self.random.items()
                },
            }
        elif self.random:
            kwargs = {**kwargs, "rng": key.generator(number, repeat)}
        try:
            sample = apply_transform(row, transform, kwargs)
        except StopIteration as error:  # would end the epoch without an error
            raise stopped(f"transform {value_text(self.transform)}", number) from error
        self._refuse_nothing(sample, row, number)
        if not self.return_index or not isinstance(sample, dict):
            return sample
        check_index(sample)
        return {**sample, "index": np.int64(number)}

    def _refuse_nothing(self, sample, row: dict, number: int):
        """Who forgets the `return` in a transform would train on None."""
        place = f"transform {value_text(self.transform)} of row {number}"
        returned(place, sample)
        if isinstance(self.transform, dict):
            for name, value in sample.items():
                if value is None and row[name] is not None:
                    returned(f"{place}, column {name!r},", value)


class Places:
    """The places of one epoch: which row stands there, how heavy it is, and its raw
    data once it is read.

    Rows are read with one call for each batch. The exception is a shuffle buffer over
    a file: it holds what was read from front to back, so there `read` is asked for each
    row. While `asleep` it reads nothing: an epoch that is gone through again to find
    where it stopped needs sizes only.
    """

    def __init__(
        self, dataset, rows: Sequence[int], names: list[str], buffer: bool, asleep: bool
    ):
        self.dataset, self.names, self.asleep = dataset, names, asleep
        self.rows = None if isinstance(rows, range) else np.asarray(rows)
        self.repeats = None if self.rows is None else self._count_repeats(self.rows)
        self.ahead = not reads_whole_batches(dataset, names, in_any_order=buffer)
        # the values of the rows that are in the buffer, by place
        self.early: dict[int, tuple] = {}
        # called for each row; `operator.index` keeps a place as it is
        self.read = self.read_early if self.ahead else operator.index
        size_of = bytes_in_a_buffer(dataset, names)
        self.size_of = (
            size_of if self.rows is None else lambda place: size_of(self.row(place))
        )

    @staticmethod
    def _count_repeats(rows: np.ndarray) -> np.ndarray:
        """For each place, how often its row stands at an earlier place."""
        if not len(rows) or np.bincount(rows).max() == 1:
            return np.zeros(len(rows), np.int64)
        by_row = np.argsort(rows, kind="stable")
        first = np.r_[True, np.diff(rows[by_row]) != 0]
        counts = np.empty(len(rows), np.int64)
        counts[by_row] = np.arange(len(rows)) - np.maximum.accumulate(
            np.where(first, np.arange(len(rows)), 0)
        )
        return counts

    def row(self, place: int) -> int:
        return place if self.rows is None else int(self.rows[place])

    def values(self, number: int) -> tuple:
        row = self.dataset.read(number, self.names)
        return tuple([row[name] for name in self.names])

    def read_early(self, place: int) -> int:
        if not self.asleep:
            self.early[place] = self.values(self.row(place))
        return place

    def tasks(self, plans: Iterator[list], seed: int, epoch: int) -> Iterator[tuple]:
        for places in plans:
            self.asleep = False
            at = np.array(places, np.int64)
            numbers = at if self.rows is None else self.rows[at]
            repeats = np.zeros_like(at) if self.repeats is None else self.repeats[at]
            yield seed, epoch, numbers, repeats, self.columns(places, numbers)

    def columns(self, places: list[int], numbers: np.ndarray) -> dict:
        """The raw values of a batch, {column: B values}."""
        if not self.ahead:
            return self.dataset.read_rows(numbers, self.names)
        raw = [
            self.early.pop(place, None) or self.values(number)
            for place, number in zip(places, numbers.tolist(), strict=True)
        ]
        return {name: list(part) for name, part in zip(self.names, zip(*raw))}


# %% given given_loader
#| export
def as_it_is(batch):
    return batch


OUTPUTS = {"numpy": lambda: as_it_is, "pytorch": to_torch, "tensorflow": to_tensorflow}
NO_OUTPUT = {
    "num_workers": 0,
    "collate_fn": None,
    "tensors": None,
    "num_threads": None,
    "prefetch_factor": 2,
    "rank": 0,
    "world_size": 1,
    # NumPy arrays
    "return_index": False,
    "decode_method": None,
    "persistent_workers": False,
    "convert": as_it_is,
}
MEGABYTE = 10**6


class DeepLakeDataLoader:
    """A loader made of steps; made by `pipeline(dataset)` or `dataset.dataloader()`.

    Each step returns a new loader and leaves this one as it is; a step that is taken
    twice is a ValueError. Whatever the order of the steps, an epoch is: the rows
    (`query`, then `sample_by`), from `offset` on, this rank's share, read, `shuffle`,
    `batch`, decoded, transformed, stacked, converted. The n-th iteration is epoch n.

    Args:
        dataset: a ColumnDataset.
        steps: what was chosen so far.
        seed: makes draws, shuffles and transforms with `rng` repeatable; None takes
            fresh entropy, which `state_dict` keeps.
    """

    def __init__(self, dataset, steps: dict | None = None, *, seed: int | None = None):
        self.dataset, self.steps, self._given_seed = (
            dataset,
            MappingProxyType(dict(steps or {})),
            seed,
        )
        self.seed = seed_of(seed)
        self._next_epoch, self._resume, self._bookmark, self._closed = (
            0,
            None,
            None,
            False,
        )
        self._running: weakref.WeakSet = weakref.WeakSet()
        self._pool = None
        view = [name for name in ("query", "sample_by") if name in self.steps] + [
            "dataset"
        ] * bool(getattr(dataset, "is_view", False))
        if view and self._get("shuffle", "shuffle", False):
            raise ValueError(
                ".shuffle() reads a dataset from front to back; a view (here:"
                f" {view[0]}) is not read like that. Draw its rows in random order with"
                " .sample_by(weights, replace=False), or call .shuffle(False)"
            )
        names = self._names  # refuses what transform and tensors cannot both have
        if self._settings["return_index"]:
            check_index(names)
        if "sample_by" in self.steps:
            self._check_draws()

    def __repr__(self) -> str:
        """The chain as it was typed, without arguments that have their default."""
        start = {
            "dataset": Shown(
                f"<{len(self.dataset)} rows of {', '.join(self.dataset.names)}>"
            ),
            "seed": self._given_seed,
        }
        steps = {name: dict(settings) for name, settings in self.steps.items()}
        for settings in steps.values():
            if settings.get("world_size") == 1:  # not shared out
                del settings["rank"], settings["world_size"]
        return chain_text(
            [call_text(pipeline, start)]
            + [call_text(getattr(self, name), given) for name, given in steps.items()]
        )

    # Steps

    def _step(self, name: str, **settings) -> "DeepLakeDataLoader":
        return type(self)(
            self.dataset, add_step(self.steps, name, settings), seed=self._given_seed
        )

    def _get(self, step: str, setting: str, default=None):
        return self.steps[step][setting] if step in self.steps else default

    def transform(self, transform: Callable | dict, **kwargs) -> "DeepLakeDataLoader":
        """Pass each row through a function (with `kwargs`), or each named column
        through its own; {name: None} keeps a column, others are left out.

        A function with a parameter `rng` is given a Generator that depends on seed,
        epoch and row alone.
        """
        if isinstance(transform, dict):
            if not transform:
                raise ValueError(
                    "transform must name one column or more, got {}; {name: None} keeps"
                    " a column as it is"
                )
            self.dataset.check_names(list(transform))
        bad = [
            fn
            for fn in (
                transform.values() if isinstance(transform, dict) else [transform]
            )
            if not callable(fn) and not (fn is None and isinstance(transform, dict))
        ]
        if bad:
            raise ValueError(
                "transform must be a function, or a dict of functions and None,"
                f" got {bad[0]!r}"
            )
        if not isinstance(transform, dict):
            can_be_called("transform", transform, kwargs)
        return self._step(
            "transform",
            transform=dict(transform) if isinstance(transform, dict) else transform,
            kwargs=kwargs,
        )

    def query(self, query_string: str) -> "DeepLakeDataLoader":
        """Keep the rows that an SQL-like query selects, such as "select * where
        labels != 5"; see `tinytorch.data.query`.
        """
        return self._step(
            "query",
            query_string=query_string,
            rows=(
                self.dataset.query(query_string) if "query" not in self.steps else None
            ),
        )

    def sample_by(
        self,
        weights: str | Sequence[float] | np.ndarray,
        replace: bool | None = True,
        size: int | None = None,
        *,
        seed: int | None = None,
    ) -> "DeepLakeDataLoader":
        """Draw rows in proportion to their weights, anew each epoch.

        Args:
            weights: one number for each row of the view; or a text: "max_weight(labels
                == 5: 10, labels == 6: 5)", a column, an expression.
            replace: whether a row may come more than once.
            size: rows in an epoch; None takes as many as the view has, without
                replacement all rows of positive weight.
            seed: for the draws alone; None uses the loader's.
        """
        rows = self._get("query", "rows", slice(None))
        # of every row, so that a query may come before or after
        full = np.zeros(len(self.dataset))
        if isinstance(weights, str):
            full[rows] = self.dataset.weights(weights)[rows]
        else:
            full[rows] = weights = check_weights(weights, len(full[rows]))
        text = (
            weights
            if isinstance(weights, str)
            else f"weights {hashlib.sha256(full.tobytes()).hexdigest()[:16]}"
        )
        return self._step(
            "sample_by",
            weights=weights,
            full_weights=full,
            text=text,
            replace=replace is not None
            and flag("replace", replace, "; the number of rows is size=..."),
            size=None if size is None else whole("size", size, 1),
            seed=None if seed is None else whole("seed", seed, 0, MOST_SEED),
        )

    def shuffle(
        self, shuffle: bool = True, buffer_size: int = 2048, *, seed: int | None = None
    ) -> "DeepLakeDataLoader":
        """Mix the rows in a buffer of `buffer_size` MB (1 MB = 10**6 bytes, with what
        Python needs to hold each row); a larger one mixes better and takes longer to
        fill.

        Raises:
            ValueError: called before, or the loader is over a view and shuffle is True.
        """
        if (
            isinstance(buffer_size, (bool, np.bool_))
            or not isinstance(buffer_size, (int, float, np.number))
            or not buffer_size >= 0
        ):
            raise ValueError(
                "buffer_size must be a number of megabytes, 0 or more,"
                f" got {buffer_size!r}"
            )
        return self._step(
            "shuffle",
            shuffle=flag("shuffle", shuffle, "; the buffer in MB is buffer_size=..."),
            buffer_size=float(buffer_size),
            seed=None if seed is None else whole("seed", seed, 0, MOST_SEED),
        )

    def batch(self, batch_size: int, drop_last: bool = False) -> "DeepLakeDataLoader":
        """Hand out batches of `batch_size` rows; `drop_last` leaves out a short last
        one. Without this step rows come one by one.
        """
        return self._step(
            "batch",
            batch_size=whole("batch_size", batch_size, 1),
            drop_last=flag("drop_last", drop_last),
        )

    def offset(self, off: int = 0) -> "DeepLakeDataLoader":
        """Begin each epoch at place `off` of its rows, before they are shared out
        and shuffled. What is skipped is not read.
        """
        return self._step("offset", off=whole("off", off, 0))

    def numpy(
        self,
        num_workers: int = 0,
        tensors: list[str] | None = None,
        num_threads: int | None = None,
        prefetch_factor: int = 2,
        decode_method: dict[str, str] | None = None,
        persistent_workers: bool = False,
        *,
        rank: int | None = None,
        world_size: int | None = None,
    ) -> "DeepLakeDataLoader":
        """Hand out NumPy arrays.

        Args:
            num_workers: processes that decode, transform and stack; 0 does it here. The
                rows and their order are the same.
            tensors: columns to load; None loads all, or those that a dict of transforms
                names.
            num_threads: threads that decode, in each process; 0 and 1 start none beside
                the one that loads, None decides.
            prefetch_factor: batches in advance for each worker; of no effect with
                num_workers=0.
            decode_method: {column: 'numpy', 'tobytes' or 'pil'}.
            persistent_workers: keep the processes from one epoch to the next, until
                `close()`.
            rank, world_size: this process's share, where several read one dataset; both
                or neither.
        """
        return self._output(
            "numpy",
            num_workers,
            None,
            tensors,
            num_threads,
            prefetch_factor,
            rank is not None or world_size is not None,
            False,
            decode_method,
            persistent_workers,
            rank,
            world_size,
        )

    def pytorch(
        self,
        num_workers: int = 0,
        collate_fn: Callable | None = None,
        tensors: list[str] | None = None,
        num_threads: int | None = None,
        prefetch_factor: int = 2,
        distributed: bool = False,
        return_index: bool = True,
        decode_method: dict[str, str] | None = None,
        persistent_workers: bool = False,
        *,
        rank: int | None = None,
        world_size: int | None = None,
    ) -> "DeepLakeDataLoader":
        """Hand out PyTorch tensors. As `numpy`; in addition:

        Args:
            collate_fn: makes a batch of a list of rows, in place of stacking.
            distributed: take this rank's share; rank and world_size come from
                torch.distributed or the environment, unless given.
            return_index: add the row's number in the dataset as "index", where a row is
                a dict.

        Raises:
            ImportError: PyTorch is not installed.
        """
        return self._output(
            "pytorch",
            num_workers,
            collate_fn,
            tensors,
            num_threads,
            prefetch_factor,
            distributed,
            return_index,
            decode_method,
            persistent_workers,
            rank,
            world_size,
        )

    def tensorflow(
        self,
        num_workers: int = 0,
        collate_fn: Callable | None = None,
        tensors: list[str] | None = None,
        num_threads: int | None = None,
        prefetch_factor: int = 2,
        return_index: bool = True,
        decode_method: dict[str, str] | None = None,
        persistent_workers: bool = False,
        *,
        rank: int | None = None,
        world_size: int | None = None,
    ) -> "DeepLakeDataLoader":
        """Hand out TensorFlow tensors. As `pytorch`. Raises ImportError where
        TensorFlow is not installed.
        """
        return self._output(
            "tensorflow",
            num_workers,
            collate_fn,
            tensors,
            num_threads,
            prefetch_factor,
            rank is not None or world_size is not None,
            return_index,
            decode_method,
            persistent_workers,
            rank,
            world_size,
        )

    def _output(
        self,
        name,
        num_workers,
        collate_fn,
        tensors,
        num_threads,
        prefetch_factor,
        distributed,
        return_index,
        decode_method,
        persistent_workers,
        rank,
        world_size,
    ) -> "DeepLakeDataLoader":
        for other in OUTPUTS:
            if other in self.steps:
                raise ValueError(
                    f".{other}() has already been called on this loader; it hands out"
                    " one kind of batch, start again from the loader before it"
                )
        function_or_none("collate_fn", collate_fn)
        if flag("persistent_workers", persistent_workers) and num_workers == 0:
            raise ValueError(
                "persistent_workers=True keeps processes, so num_workers must be 1 or"
                " more, got 0"
            )
        if (
            flag("distributed", distributed)
            or rank is not None
            or world_size is not None
        ):
            if (rank is None) != (world_size is None):
                raise ValueError(
                    f"rank and world_size are given together, got rank={rank},"
                    f" world_size={world_size}"
                )
            rank, world_size = (
                rank_and_world()
                if rank is None
                else (
                    whole("rank", rank, 0),
                    whole("world_size", world_size, 1),
                )
            )
            if rank >= world_size:
                raise ValueError(
                    f"a rank is one of 0..world_size-1, got rank={rank},"
                    f" world_size={world_size}"
                )
        names = None if tensors is None else self.dataset.check_names(tensors)
        self.dataset.decoder(names, decode_method)  # refuses now what it cannot do
        threads_for(num_threads, self.dataset, names or self.dataset.names)
        return self._step(
            name,
            num_workers=whole("num_workers", num_workers, 0),
            collate_fn=collate_fn,
            tensors=names,
            num_threads=num_threads,
            prefetch_factor=whole("prefetch_factor", prefetch_factor, 1),
            rank=rank or 0,
            world_size=world_size or 1,
            return_index=flag("return_index", return_index),
            decode_method=decode_method,
            persistent_workers=bool(persistent_workers),
            convert=OUTPUTS[name](),
        )

    # What the steps add up to

    @property
    def _settings(self) -> dict:
        """Those of the output; a loader without one hands out NumPy arrays."""
        return next(
            (self.steps[name] for name in OUTPUTS if name in self.steps), NO_OUTPUT
        )

    @property
    def _names(self) -> list[str]:
        """The columns that are read."""
        tensors, transform = (
            self._settings["tensors"],
            self._get("transform", "transform"),
        )
        if not isinstance(transform, dict):
            return self.dataset.names if tensors is None else tensors
        lost = [
            name for name in transform if tensors is not None and name not in tensors
        ]
        if lost:
            raise ValueError(
                f"transform names column {lost[0]!r}, which tensors={tensors} does not"
                " load; add it there, or leave it out"
            )
        return list(transform)

    def _seed_of(self, step: str, epoch: int) -> list[int]:
        own = self._get(step, "seed")
        return [
            self.seed if own is None else own,
            epoch,
            {"sample_by": 1, "shuffle": 2}[step],
            self._settings["rank"] if step == "shuffle" else 0,
        ]

    def _draws(self) -> tuple[np.ndarray, int]:
        """The weights of the view's rows, and how many of them an epoch draws."""
        step = self.steps["sample_by"]
        weights = step["full_weights"][self._get("query", "rows", slice(None))]
        count = (
            step["size"]
            if step["size"] is not None
            else len(weights)
            if step["replace"]
            else int(np.count_nonzero(weights))
        )
        return weights, count

    def _check_draws(self) -> None:
        """Refuse draws that cannot be made: with too few rows, or different on each
        rank.
        """
        weights, count = self._draws()
        possible = int(np.count_nonzero(weights))
        if len(weights) and not possible:
            raise ValueError(
                "sample_by gives every row that query selects the weight 0, so no row"
                " could be drawn; change one of them"
            )
        if len(weights) and not self.steps["sample_by"]["replace"] and count > possible:
            raise ValueError(
                "with replace=False each row is drawn at most once, and"
                f" {possible} rows have a weight above 0, got size={count}; use"
                f" size={possible} or less, or replace=True"
            )
        if (
            self._settings["world_size"] > 1
            and self._given_seed is None
            and self._get("sample_by", "seed") is None
        ):
            raise ValueError(
                "ranks that draw rows must draw the same ones: give .sample_by() or the"
                " loader a seed, the same on every rank"
            )

    def _rows(self, epoch: int) -> Sequence[int]:
        """The dataset's row at each place of an epoch."""
        rows = self._get("query", "rows")
        rows = range(len(self.dataset)) if rows is None else rows
        if "sample_by" not in self.steps or not len(rows):
            return rows
        weights, count = self._draws()
        draw = (
            draw_with_replacement
            if self.steps["sample_by"]["replace"]
            else draw_without_replacement
        )
        return np.asarray(rows)[draw(weights, count, self._seed_of("sample_by", epoch))]

    def __len__(self) -> int:
        """Batches of an epoch (rows, without `.batch()`)."""
        rows = self._get("query", "rows")
        count = len(self.dataset) if rows is None else len(rows)
        if "sample_by" in self.steps and count:
            count = self._draws()[1]
        output, drop_last = self._settings, self._get("batch", "drop_last", False)
        count = max(0, count - self._get("offset", "off", 0))
        world, rank = output["world_size"], output["rank"]
        count = count // world if drop_last else len(range(rank, count, world))
        size = self._get("batch", "batch_size", 1)
        return count // size if drop_last else -(-count // size)

    # Iterating

    def __iter__(self) -> Iterator:
        """Start the next epoch, or go on where a loaded state says. Nothing is read
        before the first batch is asked for.
        """
        if self._closed:
            raise ValueError(
                "this loader is closed; build it again, or iterate before close()"
            )
        _ = self._load  # refuses now what it cannot do
        epoch, batches = self._resume or (self._next_epoch, 0)
        self._resume, self._next_epoch = None, epoch + 1
        self._bookmark = Bookmark(epoch, batches)
        epoch_iterator = self._batches(self._bookmark)
        self._running.add(epoch_iterator)
        return epoch_iterator

    def _batches(self, bookmark: Bookmark) -> Iterator:
        output, epoch, seed = self._settings, bookmark.epoch, self.seed
        buffer_bytes = (
            self._get("shuffle", "buffer_size") * MEGABYTE
            if self._get("shuffle", "shuffle", False)
            else None
        )
        rows = self._rows(epoch)
        places = Places(
            self.dataset,
            rows,
            self._names,
            buffer=buffer_bytes is not None,
            asleep=bookmark.batches > 0,
        )
        plan = plan_epoch(
            range(len(rows)),
            places.read,
            places.size_of,
            self._seed_of("shuffle", epoch),
            offset=self._get("offset", "off", 0),
            rank=output["rank"],
            world_size=output["world_size"],
            buffer_bytes=buffer_bytes,
            batch_size=self._get("batch", "batch_size", 1),
            drop_last=self._get("batch", "drop_last", False),
        )
        running = []

        def load(plans: Iterator) -> Iterator:
            batches = run_batches(
                self._load,
                places.tasks(plans, seed, epoch),
                num_workers=output["num_workers"],
                prefetch_factor=output["prefetch_factor"],
                pool=self._workers(output),
            )
            running.append(batches)
            return map(output["convert"], batches)

        try:
            yield from bookmark.follow(iter(plan), load)
        finally:
            for batches in running:
                # ends its worker processes, also when the loop was left half-way
                batches.close()

    @cached_property
    def _load(self) -> Load:
        output, names = self._settings, self._names
        return Load(
            self.dataset.decoder(names, output["decode_method"]),
            self._get("transform", "transform"),
            self._get("transform", "kwargs", {}),
            output["collate_fn"],
            output["return_index"],
            "batch" in self.steps,
            threads_for(output["num_threads"], self.dataset, names),
        )

    def _workers(self, output: dict) -> WorkerPool | None:
        # A worker that died, or a fork of this process, makes a pool useless: the next
        # epoch gets a new one.
        if (
            output["persistent_workers"]
            and output["num_workers"]
            and (self._pool is None or not self._pool.usable)
        ):
            self._pool = WorkerPool(
                self._load, output["num_workers"], prefetch=output["prefetch_factor"]
            )
        return self._pool

    def close(self) -> None:
        """End every iteration and worker process of this loader. It cannot be
        iterated again; loaders made from it can.
        """
        self._closed = True
        for iterator in list(self._running):
            iterator.close()
        if self._pool is not None:
            self._pool.close()
            self._pool = None

    def __enter__(self) -> "DeepLakeDataLoader":
        return self

    def __exit__(self, *_) -> None:
        self.close()

    # Going on later

    def state_dict(self) -> dict:
        """Return where the latest iteration is: a few hundred bytes, made of what
        JSON knows. A batch that was handed out counts as done.
        """
        epoch, batches = self._resume or (
            (self._bookmark.epoch, self._bookmark.batches)
            if self._bookmark
            else (self._next_epoch, 0)
        )
        return {
            "seed": self.seed,
            "epoch": epoch,
            "batches": batches,
            "steps": self._description(),
        }

    def load_state_dict(self, state: dict) -> None:
        """Let the next iteration give the rest of the epoch that was saved; the number
        of workers may differ.

        Raises:
            ValueError: the state is not one, or comes from a loader with other rows,
                order or batches.
        """
        if (
            not isinstance(state, dict)
            or set(state) != {"seed", "epoch", "batches", "steps"}
            or not isinstance(state["steps"], dict)
        ):
            raise ValueError(
                "a state is what state_dict() returned, a dict with seed, epoch,"
                f" batches and steps; got {state!r:.100}"
            )
        seed = whole("seed", state["seed"], 0, MOST_SEED)
        epoch = whole("epoch", state["epoch"], 0, MOST_SEED)
        batches = whole("batches", state["batches"], 0)
        mine = self._description()
        different = [
            name
            for name in {**mine, **state["steps"]}
            if mine.get(name) != state["steps"].get(name)
        ]
        if different:
            name = different[0]
            raise ValueError(
                f"the state belongs to another loader: its {name} is"
                f" {state['steps'].get(name)}, here it is {mine.get(name)}; build the"
                " same steps, then load"
            )
        if batches > len(self):
            raise ValueError(
                f"the state says that {batches} batches of an epoch were handed out,"
                f" and this loader has {len(self)} in an epoch"
            )
        self.seed, self._resume, self._bookmark = seed, (epoch, batches), None

    def _description(self) -> dict:
        """What decides rows, order and batches. Functions are not compared: nobody
        can tell whether two are equal.
        """

        def of(step: str, *settings: str):
            return (
                [self.steps[step][setting] for setting in settings]
                if step in self.steps
                else None
            )

        output = self._settings
        return {
            "rows": len(self.dataset),
            "columns": list(self._names),
            "query": of("query", "query_string"),
            "sample_by": of("sample_by", "text", "replace", "size", "seed"),
            "offset": of("offset", "off"),
            "shuffle": (
                of("shuffle", "buffer_size", "seed")
                if self._get("shuffle", "shuffle", False)
                else None
            ),
            "batch": of("batch", "batch_size", "drop_last"),
            "ranks": [output["rank"], output["world_size"]],
        }


Pipeline = DeepLakeDataLoader


def pipeline(dataset, *, seed: int | None = None) -> "DeepLakeDataLoader":
    """Return a loader over `dataset`, a ColumnDataset or a dict {name: column}, to
    which steps are added one after the other.

    Raises:
        TypeError: dataset is neither.
    """
    if isinstance(dataset, dict):
        dataset = ColumnDataset(dataset)
    if not all(
        hasattr(dataset, name) for name in ("names", "read", "row_bytes", "decoder")
    ):
        raise TypeError(
            "a pipeline reads a dataset of named columns: a ColumnDataset, or a dict"
            f" of columns, got {type(dataset).__name__}"
        )
    return DeepLakeDataLoader(dataset, seed=seed)


# %% [markdown]
"""
The next cell tests the whole loader, so it is green only if all your functions above
are right. It has no points.
"""


# %% given test_the_loader
def test_the_loader():
    """All of it together"""
    columns = {"x": np.arange(20, dtype=np.float32), "y": np.arange(20) % 3}
    chain = (
        pipeline(columns, seed=5)
        .offset(2)
        .transform({"x": None})
        .shuffle(buffer_size=2e-3)
        .batch(4)
    )

    def epoch(loader):
        return [batch["x"].tolist() for batch in loader]

    want = [epoch(chain) for _ in range(2)]
    expect(
        sorted(sum(want[0], [])) == list(range(2, 20)),
        "The first `offset` places are skipped, then the ranks share the others.",
        call=(
            "pipeline(...).offset(2).transform({'x':"
            " None}).shuffle(buffer_size=2e-3).batch(4)"
        ),
        got=sorted(sum(want[0], [])),
        want="2 to 19",
        look="plan_epoch, and the functions that it calls",
    )
    expect(
        want[0] != want[1],
        "Seed and sizes alone decide the order; 0 is a seed, None draws a new seed.",
        call="two epochs of pipeline(columns, seed=5).offset(2).transform({'x': None})"
        ".shuffle(buffer_size=2e-3).batch(4)",
        got="the same order twice",
        want="two orders",
        look="shuffle_buffer: is the seed used as it is? it is a list with the epoch",
    )
    for stop in (0, 1, 3, 5):
        first = (
            pipeline(columns, seed=5)
            .batch(4)
            .offset(2)
            .transform({"x": None})
            .shuffle(buffer_size=2e-3)
        )
        batches = iter(first)
        got = [next(batches)["x"].tolist() for _ in range(stop)]
        second = (
            pipeline(columns)
            .offset(2)
            .transform({"x": None})
            .shuffle(buffer_size=2e-3)
            .batch(4)
        )
        second.load_state_dict(first.state_dict())
        got += epoch(second)
        expect(
            got == want[0],
            "The batches of the plan that are still to come are handed out, in order.",
            call=f"{stop} batches of one loader, then the rest of another",
            got=got,
            want=want[0],
            look="which function does not repeat itself?",
        )
        expect(
            epoch(second) == want[1],
            "After the last batch the bookmark is at the next epoch: `epoch + 1`, 0"
            " batches.",
            call="the second epoch of the loader that went on",
            got="another order",
            want="the order of epoch 1",
            look="Bookmark.follow: what are epoch and batches after the last batch?",
        )


def test_the_loader_takes_the_rows_you_asked_for():
    """Rows, columns and batches of a loader"""
    base = pipeline({"x": np.arange(10), "y": 10 * np.arange(10)}, seed=2)
    small, large = base.batch(2), base.batch(5)
    got = [len(list(loader)) for loader in (small, large, base)]
    expect(
        got == [5, 2, 10],
        "The dict returned is a new one; `steps` is not changed.",
        call="the batches of an epoch of base.batch(2), base.batch(5) and base, for a"
        " base of 10 rows",
        got=got,
        want=[5, 2, 10],
        look="add_step",
    )
    (batch,) = base.transform({"y": lambda value: value + 1, "x": None}).batch(10)
    expect(
        list(batch) == ["y", "x"] and batch["y"].tolist() == list(range(1, 101, 10)),
        "A function in a dict is called once, with the value of its column.",
        call='base.transform({"y": plus one, "x": None}).batch(10)',
        got=batch,
        want="y: 1, 11, ..., 91 and x",
        look="apply_transform",
    )
    weights = [row % 5 for row in range(10)]
    got = [
        len(list(base.sample_by(weights, replace=replace, size=size)))
        for replace, size in ((True, None), (True, 33), (False, None), (False, 7))
    ]
    expect(
        got == [10, 33, 8, 7],
        "The draws are an int64 array of shape (size,).",
        call="rows of an epoch for (True, None), (True, 33), (False, None), (False, 7)",
        got=got,
        want=[10, 33, 8, 7],
        look="draw_with_replacement, draw_without_replacement",
    )
    loader = base.sample_by(np.ones(10), replace=False).batch(10)
    orders = [[int(row) for batch in loader for row in batch["x"]] for _ in range(2)]
    expect(
        sorted(orders[0]) == list(range(10)) and orders[0] != orders[1],
        "The same seed gives the same draws, a different seed different ones: `[0, 1]`"
        " is not `[1, 0]`.",
        call="two epochs of base.sample_by(np.ones(10), replace=False).batch(10)",
        got=orders,
        want="two orders of 0 to 9",
        look="draw_without_replacement: is the seed used as it is?",
    )
    for size, drop_last, offset, want in (
        (4, False, 0, [4, 4, 2]),
        (4, True, 0, [4, 4]),
        (5, True, 0, [5, 5]),
        (4, False, 3, [4, 3]),
    ):
        loader = base.batch(size, drop_last).offset(offset)
        got = [len(batch["x"]) for batch in loader]
        expect(
            got == want and len(loader) == len(want),
            "Batches are lists of `batch_size` items in order; the last one holds"
            " what is left.",
            call=f"pipeline(10 rows).batch({size}, {drop_last}).offset({offset})",
            got=f"len {len(loader)}, batches of {got}",
            want=f"len {len(want)}, batches of {want}",
            look="plan_epoch",
        )


check(test_the_loader)
check(test_the_loader_takes_the_rows_you_asked_for)

# %% [markdown]
"""
**Guess.** Fives have the weight 10 and sixes the weight 5. Of 3,000 rows that are
drawn, how many are fives, how many are sixes, and how many are any other digit?
"""


# %% demo demo_chain
from tinytorch.datasets import load_digits

with demo("a chain over real digits"):
    digit_images, digit_labels = load_digits()
    digits = ColumnDataset({"images": digit_images, "labels": digit_labels})
    rare = (
        pipeline(digits, seed=0)
        .sample_by("max_weight(labels == 5: 10, labels == 6: 5)", size=3000)
        .batch(100)
    )
    counts = sum(np.bincount(batch["labels"], minlength=10) for batch in rare)
    print(
        f"{len(rare)} batches; of 3,000 draws {counts[5]} are fives, {counts[6]} sixes,"
        f" {counts.sum() - counts[5] - counts[6]} anything else"
    )
    without = pipeline(digits).query("select * where labels != 5").batch(100)
    print(
        f"without fives {sum(len(batch['labels']) for batch in without)} of"
        f" {len(digits)} rows are left"
    )


# %% [markdown]
"""
**What you see.** About two of three rows are fives and one of three is a six, because
the data hold about as many of each and the weights are 2 to 1. A row whose weight is 0
is never drawn. The query leaves out all fives before a batch is read.
"""


# %%
progress("The loader")

# %% [markdown]
"""
## 11 How random is a shuffle buffer?

A buffer as large as the dataset is a full shuffle; a buffer without room changes
nothing. To measure the cases between, give each row the number of its place in the
file, and see how far it has moved when it comes out. In a full shuffle of N rows the
mean distance between the place before and the place after is (N² - 1) / (3 N), about a
third of the dataset. So divide by that: 0 is the old order, 1 is as far as a full
shuffle moves on average.
"""


# %% [markdown]
"""
### 11a shuffle_quality: how far the rows moved
<!-- points -->, about 10 minutes

**Goal.** Calculate one number for an order, so that you can compare buffers.

**Contract.** `shuffle_quality(order)` -> a float. `order` is any sequence that holds
0..N-1 once each.

1. Quality is the mean of |order[k] - k|, divided by (N**2 - 1) / (3 N).
2. The old order has quality 0, a full shuffle about 1, whatever its length.
3. Fewer than 2 rows raise `ValueError` with the number.
4. `order` is not changed.

**By hand.** `[0, 1, 2]` gives 0. `[2, 1, 0]`: the mean distance is 4/3, a full shuffle
of three has 8/9, so 1.5. That is more than 1, although a reversed order is not random
at all: the number says how *far* rows move, not whether you can predict their places.
"""


# %% stub shuffle_quality
#| export
def shuffle_quality(order: Sequence[int]) -> float:
    """Return how far the rows moved, as a share of what a full shuffle moves them on
    average: 0 for the old order.

    Args:
        order: order[k] is the old place of the row that now comes at place k; 0..N-1
            once each, N of 2 or more.
    """
    order = np.asarray(order, dtype=np.int64)
    # TODO: about four lines.
    ### BEGIN SOLUTION
    count = len(order)
    if count < 2:
        raise ValueError(f"an order needs at least 2 rows to be mixed, got {count}")
    moved = np.abs(order - np.arange(count)).mean()
    return float(moved / ((count**2 - 1) / (3 * count)))
    ### END SOLUTION


# %% law, 4 points
check("11a")


# %% given given_new_axes
#| export
def new_axes(ax=None):
    """`ax`, or the Axes of a new figure; matplotlib is imported when the first is
    drawn.
    """
    if ax is None:
        import matplotlib.pyplot as plt

        ax = plt.subplots(figsize=(6, 3.6), layout="constrained")[1]
    return ax


# %% [markdown]
"""
### 11b plot_randomness: quality against buffer size
<!-- points -->, about 5 minutes

**Goal.** Draw the picture that tells you how much memory to give to the buffer.

**Given.** `new_axes(ax)` (above) returns `ax`, or the Axes of a new figure.

**Contract.** `plot_randomness(records, ax)` -> the Axes. Records are pairs (buffer size
in **bytes**, quality).

1. A plot draws on the Axes it is given and returns it.
2. One line has a point, with a marker, for each pair.
3. The x axis shows MB: bytes divided by 10**6.
4. The y axis shows the quality in percent.
5. Each axis has a label with its unit: MB along x, % along y.
6. The y axis begins at 0, and every point lies inside the axes.
7. `records` is a list or a tuple of pairs, and is not changed.

**By hand.** `(2_000_000, 0.25)` is the point (2, 25).

**Out of scope:** colors.
"""


# %% stub plot_randomness
#| export
def plot_randomness(records: Sequence[tuple[float, float]], ax=None):
    """Draw randomness in percent of a full shuffle against the size of the buffer in
    MB; records are (bytes, quality). Return the Axes.
    """
    ax = new_axes(ax)
    # TODO: about five lines.
    ### BEGIN SOLUTION
    held, quality = np.transpose(records)
    ax.plot(held / 1e6, 100 * quality, marker="o")
    ax.set(xlabel="buffer size (MB)", ylabel="randomness (% of a full shuffle)")
    ax.set_ylim(bottom=0)
    return ax
    ### END SOLUTION


# %% law, 2 points
check("11b")


# %% [markdown]
"""
Your buffer, measured: rows of 1,000 bytes that stand in the file sorted by class, and
buffers of growing size. Below it what a model would notice: how many of the ten
classes a batch of 32 holds.

**Guess.** A buffer holds a tenth of the file. Is the order then as good as a full
shuffle? How many of the ten classes does a batch of 32 hold?
"""

# %% demo demo_randomness
import matplotlib.pyplot as plt

with demo("buffer size against randomness"):
    num_rows, row_bytes = 20_000, 1_000
    randomness_records, class_records = [], []
    for share in (0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1):
        room = share * num_rows * row_bytes
        came = np.array(
            list(shuffle_buffer(range(num_rows), room, lambda place: row_bytes, 0))
        )
        randomness_records.append((room, shuffle_quality(came)))
        classes = (came * 10 // num_rows)[: len(came) - len(came) % 32].reshape(-1, 32)
        class_records.append(
            (room, np.mean([len(np.unique(batch)) for batch in classes]))
        )
    # two rows, so that a phone shows them as large as a screen does
    figure, axes = plt.subplots(2, 1, figsize=(4.5, 7), layout="constrained")
    plot_randomness(randomness_records, axes[0])
    axes[1].plot(
        [room / 1e6 for room, _ in class_records],
        [count for _, count in class_records],
        marker="o",
    )
    axes[1].set(
        xlabel="buffer size (MB)", ylabel="classes in a batch of 32", ylim=(0, 10.5)
    )
    tenth = 4  # the place of a buffer of a tenth of the file
    findings = [
        f"A tenth of the file: {randomness_records[tenth][1]:.0%} of a full shuffle",
        f"A tenth of the file: {class_records[tenth][1]:.1f} of 10 classes in a batch",
    ]
    for ax, finding in zip(axes, findings):
        ax.set_title(finding, loc="left", fontsize=11)
    for (room, quality), (_, count) in zip(randomness_records, class_records):
        print(
            f"{room / 1e6:5.1f} MB, {room / num_rows / row_bytes:4.0%} of the file:"
            f" moved {quality:4.0%} of a full shuffle, {count:.1f} classes in a batch"
        )

# %% [markdown]
"""
**What you see.** Both curves rise steeply at first and then flatten. A row can leave
the buffer long after it came, but it cannot leave before it was read; so with a small
buffer a batch holds rows from one part of the file, which here means a few classes. A
full shuffle needs a buffer as large as the file.

The other price of a buffer is time: it has to be filled before the first batch comes.
And how far ahead should workers load? If every batch took equally long, one batch ahead
would do. Below every eighth batch is slow. `tinytorch.profiler` watches a training loop
and says how much of its time it waited: that is the **stall**.

**Guess.** Loading takes 5.5 ms a batch on average, a step 9 ms. So loading is faster
than training. Does the step wait nevertheless? What do 8 batches ahead change?
"""

# %% demo demo_stall
import time
from functools import partial

from tinytorch.data.workers import DEFAULT_START
from tinytorch.profiler import Profiler, in_turns

# A row's column `seconds` says how long its decoding takes: mostly 2 ms, and 30 ms for
# every eighth row.
slow_rows = {"seconds": np.where(np.arange(64) % 8 == 7, 0.03, 0.002)}


def decode(seconds):
    time.sleep(seconds)
    return seconds


def epoch_seconds(depth, profiler):
    """Seconds of an epoch with one worker that loads `depth` batches ahead."""
    start = time.perf_counter()
    with (
        pipeline(slow_rows)
        .transform({"seconds": decode})
        .batch(1)
        .numpy(num_workers=1, prefetch_factor=depth) as loader
    ):
        for _ in profiler.wrap(loader, name=f"depth {depth}"):
            time.sleep(0.009)  # stands for a training step
    return time.perf_counter() - start


with demo("stall against prefetch depth"):
    depths = [1, 2, 4, 8] if DEFAULT_START == "fork" else []
    if depths:
        with Profiler() as profiler:
            seconds = in_turns(
                {depth: partial(epoch_seconds, depth, profiler) for depth in depths},
                rounds=3,
                warmup=0,
            )
        stalls = [profiler.report(f"depth {depth}").idle_share for depth in depths]
        for depth, stall in zip(depths, stalls):
            print(f"prefetch_factor={depth}: the step waited {stall:4.0%} of the time")
        print(seconds)
        figure, ax = plt.subplots(figsize=(4.5, 3.4), layout="constrained")
        ax.plot(depths, [100 * stall for stall in stalls], marker="o")
        ax.set(
            xlabel="prefetch depth (batches)",
            ylabel="stall (% of the time)",
            xticks=depths,
            ylim=(0, None),
        )
        ax.set_title(
            f"From depth {depths[0]} to {depths[-1]} the stall falls"
            f"\nfrom {stalls[0]:.0%} to {stalls[-1]:.0%} of the time",
            loc="left",
            fontsize=11,
        )
    else:
        print(
            "here worker processes start afresh and cannot see what a notebook defines:"
            " export first, then run `tito profile 08c`"
        )


# %% [markdown]
"""
**What you see.** One batch ahead, the step waits for every slow batch, although loading
is faster on average. Each batch further ahead is a reserve for the next slow one, so
the stall falls, and then hardly changes: what is left is the wait for the first batch,
and the worker's start. More depth than that only takes memory.
"""


# %%
progress("Measurements")

# %% [markdown]
"""
## 12 What a buffer and a restart cost

A buffer costs time and memory, and so does a restart in the middle of an epoch. How
much depends on the disk and on the files, so the answers are functions that you can use
for any machine. Check the units. `buffer_size` is in MB, as in `.shuffle(buffer_size)`,
and 1 MB = 10**6 bytes. A result counts as right within 1%.
"""


# %% [markdown]
"""
### 12a fill_time: the wait before the first batch
<!-- points -->, about 3 minutes

The buffer has to be full before the first batch comes.

**Goal.** Calculate how long the model waits for it in each epoch.

**Contract.** `fill_time(buffer_size, bytes_per_second)` -> seconds, for a buffer of
`buffer_size` MB.

1. The time is the bytes of the buffer divided by the bytes per second.

**By hand.** 2,000 MB at 100 MB/s: `fill_time(2000, 100e6)` is 20.0, since 2,000 x 10**6
bytes / (100 x 10**6 bytes/s) = 20 s.
"""


# %% stub fill_time
#| export
def fill_time(buffer_size: float, bytes_per_second: float) -> float:
    """Return the seconds until a shuffle buffer is full.

    Args:
        buffer_size: room of the buffer in MB, 10**6 bytes each.
        bytes_per_second: what the disk delivers.
    """
    # TODO: one line.
    ### BEGIN SOLUTION
    return buffer_size * 1e6 / bytes_per_second
    ### END SOLUTION


# %% law, 1 point
check("12a")


# %% [markdown]
"""
### 12b share_held: how much of the dataset is mixed
<!-- points -->, about 3 minutes

**Goal.** Calculate which share of a dataset of encoded images the buffer holds. Section
11 shows what a small share does to a batch.

**Contract.** `share_held(buffer_size, bytes_per_file, num_files)` -> a number from 0 to
1, for a buffer of `buffer_size` MB.

1. The share is the files that fit, divided by all files.
2. A buffer holds at most the whole dataset, so the share is at most 1.

**By hand.** A buffer of 10 MB holds 100 files of 100,000 bytes. Of 400 files this is a
quarter: `share_held(10, 100_000, 400)` is 0.25, and `share_held(10, 100_000, 50)` is 1.
The size is a mean, so the files that fit are not rounded: 10 MB hold 2.5 files of 4 MB.
"""


# %% stub share_held
#| export
def share_held(buffer_size: float, bytes_per_file: float, num_files: int) -> float:
    """Return the share of the dataset that a shuffle buffer holds, from 0 to 1.

    Args:
        buffer_size: room of the buffer in MB, 10**6 bytes each.
        bytes_per_file: mean size of a file, in bytes.
        num_files: files of the dataset, 1 or more.
    """
    # TODO: one or two lines.
    ### BEGIN SOLUTION
    files_that_fit = buffer_size * 1e6 / bytes_per_file
    return min(1.0, files_that_fit / num_files)
    ### END SOLUTION


# %% law, 1 point
check("12b")


# %% [markdown]
"""
### 12c find_the_place: the price of a restart
<!-- points -->, about 4 minutes

A run is killed in the middle of an epoch. One loader finds its place by reading all
files again that were handed out. Yours (9a) goes through its plan again instead.

**Goal.** Calculate how many seconds each of them needs before the next batch.

**Contract.** `find_the_place(batches, batch_size, bytes_per_file, bytes_per_second,
microseconds_per_row)` -> a dict `{"read": seconds, "plan": seconds}`, after `batches`
batches of `batch_size` files were handed out.

1. The answer is a dict with the keys `"read"` and `"plan"`.
2. Reading again takes the bytes of these files divided by the bytes per second.
3. Planning again takes `microseconds_per_row` for each of these rows.

**By hand.** `find_the_place(10, 100, 1e6, 100e6, 2)`: 10 x 100 = 1,000 files of 1 MB at
100 MB/s take 10 s, 1,000 rows at 2 us take 0.002 s: `{"read": 10.0, "plan": 0.002}`.
"""


# %% stub find_the_place
#| export
def find_the_place(
    batches: int,
    batch_size: int,
    bytes_per_file: float,
    bytes_per_second: float,
    microseconds_per_row: float,
) -> dict[str, float]:
    """Return the seconds that two loaders need to find their place in an epoch:
    {"read": by reading again, "plan": by planning again}.

    Args:
        batches: batches that were handed out before.
        batch_size: files (rows) in a batch.
        bytes_per_file: mean size of a file, in bytes.
        bytes_per_second: what the disk delivers.
        microseconds_per_row: what planning one row again takes, in 10**-6 s.
    """
    # TODO: two or three lines.
    ### BEGIN SOLUTION
    rows = batches * batch_size
    return {
        "read": rows * bytes_per_file / bytes_per_second,
        "plan": rows * microseconds_per_row * 1e-6,
    }
    ### END SOLUTION


# %% law, 2 points
check("12c")


# %% [markdown]
"""
Your three functions, asked about the page's default: a buffer of 2,048 MB, ImageNet's
1.2 million JPEG files of 110 kB each, and 2 us to plan a row.

**Guess.** How long does the first batch take until it comes? Which share of ImageNet
does the buffer hold? And when a run continues after 4,000 batches, how much faster is
it to plan the rows again than to read them again?
"""


# %% demo demo_costs
with demo("the default buffer over ImageNet, on a disk of 160 MB/s"):
    print(f"filling 2,048 MB: {fill_time(2048, 160e6):.1f} s before the first batch")
    print(f"share of 1.2 million files: {share_held(2048, 110e3, 1_200_000):.1%}")
    seconds = find_the_place(4000, 256, 110e3, 160e6, 2)
    print(
        f"after 4,000 batches of 256: reading again {seconds['read']:.0f} s,"
        f" planning again {seconds['plan']:.1f} s"
    )

# %% [markdown]
"""
**What you see.** The first batch waits for the whole buffer to fill, and still the
buffer holds only a small share of the files: their order on the disk should be random
already. Planning a row again takes microseconds, and reading it again takes far longer.
So a run that continues plans the rows it has already seen, and does not read them.

### Storage, measured

A loader can only be as fast as its files allow. This cell stores the same images in
three ways: a file for each image, one array in one file that is mapped into memory, and
one Parquet file, which holds a table and is compressed. Then it reads an epoch from
each. **Cold** means that nothing of the files is in the system's memory, as on the
first day of a training run; **warm** means that all of it is. Set `num_images` to
50,000 on a fast machine.

**Guess.** Which of the three is the fastest when rows are read at random? Which one
loses the most when the order changes from front to back to random?
"""


# %% demo demo_storage
import tempfile
from functools import partial
from pathlib import Path

from tinytorch.data.storage import WAYS, store, time_epochs
from tinytorch.datasets import synthetic_images
from tinytorch.profiler import in_turns

num_images = 2000

with demo("three ways to store images"), tempfile.TemporaryDirectory() as folder:
    stored_images, _ = synthetic_images(num_images)
    stored = {way: store(way, stored_images, Path(folder) / way) for way in WAYS}
    last = {}  # the epochs of this round

    def cold_seconds(way, order):
        """Seconds of a cold epoch, before a warm one; 0 if pages cannot be dropped."""
        shuffled = order == "shuffled"
        last[way, order] = time_epochs(stored[way], num_images, shuffled=shuffled)
        return last[way, order].cold or 0.0

    measures = {}
    for order in ("in order", "shuffled"):
        for way in WAYS:
            measures[way, order, "cold"] = partial(cold_seconds, way, order)
            measures[way, order, "warm"] = lambda key=(way, order): last[key].warm
    seconds = in_turns(measures)
    print(f"{num_images:,} images of {stored_images[0].nbytes:,} bytes; ms of an epoch")
    print(f"{'':<14}{'MB':>6}{'in order':>16}{'shuffled':>16}")
    print(f"{'':<14}{'':>6}{'cold':>8}{'warm':>8}{'cold':>8}{'warm':>8}")
    for way in WAYS:
        print(f"{way:<14}{stored[way].bytes_on_disk / 1e6:6.1f}", end="")
        for key in [key for key in measures if key[0] == way]:
            print(f"{f'{1e3 * seconds[key]:.1f}' if seconds[key] else '-':>8}", end="")
        print()
    print(seconds)
    axes = plt.subplots(figsize=(4.5, 3.8), layout="constrained")[1]
    for order in ("in order", "shuffled"):
        for state, face in (("cold", "none"), ("warm", None)):
            axes.plot(
                [1e3 * seconds[way, order, state] or np.nan for way in WAYS],
                WAYS,
                linestyle="",
                marker="o" if order == "in order" else "s",
                color="C0" if order == "in order" else "C1",
                markerfacecolor=face or ("C0" if order == "in order" else "C1"),
                label=f"{order}, {state}",
            )
    warm = {way: seconds[way, "shuffled", "warm"] for way in WAYS}
    fastest, slowest = min(warm, key=warm.get), max(warm, key=warm.get)
    axes.set_title(
        f"Shuffled and warm: {fastest},"
        f"\n{warm[slowest] / warm[fastest]:.0f} times as fast as {slowest}",
        loc="left",
        fontsize=11,
    )
    axes.set(xscale="log", xlabel="time of an epoch (ms)", ylim=(2.5, -0.5))
    axes.figure.legend(loc="outside lower center", ncols=2, frameon=False)

# %% [markdown]
"""
**What you see.** The memory map finds a row by multiplication, so the order matters
little once the file is warm. Loose files pay for an `open` of each image in any order.
Parquet reads from front to back well; in random order it decompresses a whole group of
rows for a few of them.

A `-` says that your system does not let a program drop its pages (macOS and Windows do
not), so there is no cold epoch. Also, a virtual machine's host may still hold the file:
then cold is faster than your disk.

**The rule.** Keep rows of one size that are read in any order in one array, mapped into
memory: a row is found by multiplication. Loose files cost an `open` for each image and
whole blocks of the disk, usually 4,096 bytes; they suit large images, and images that
are added one by one. Parquet keeps many rows together, compressed. It suits columns
that are read from front to back, with a shuffle buffer (section 5): a single row at a
random place costs its whole group of rows.
"""

# %%
progress("Costs")

# %% [markdown]
"""
## 13 Two questions

A person reads your answers. Write them in the cell *below* each question, in three to
six sentences, with numbers where you have them. The question is locked: text typed into
it is lost.
"""


# %% question sys_buffer, 2 points [markdown]
"""
### 13a Sorted files and a small buffer
<!-- points -->, about 5 minutes

Your dataset is stored sorted by class, and it is fifty times as large as the buffer you
can afford. What does a model see with `.shuffle(buffer_size)` alone, and what would you
do about it? Name the price of each remedy.

### BEGIN MARK SCHEME
1 point: the buffer covers about two percent of the file, so at any time it holds rows
of one or few classes; batches are nearly of one class and the model follows the order;
refers to the measured plot. 1 point: two remedies with their price: shuffle the file
once when it is written (one pass over all data); read shards in random order or several
places interleaved (more seeks, less sequential reading); shuffle row numbers (random
reads, or a dataset that is indexed); sample_by with equal weights (random reads).
### END MARK SCHEME
"""

# %% [markdown]
"""
*Your answer here.*
"""

# %% question sys_resume, 2 points [markdown]
"""
### 13b What belongs in a checkpoint
<!-- points -->, about 5 minutes

A loader with 4 workers and `prefetch_factor=2` is killed. Its state is a seed and two
counters. Why is that enough for exactly the same rest of the epoch with 2 workers? Name
two changes to the loader or the data after which it is *not* enough.

### BEGIN MARK SCHEME
1 point: order, draws and augmentation are functions of (seed, epoch, row), planned in
one process; workers only compute what they are told and results are put in order, so
their number is not in the result; batches that were loaded ahead but not handed out are
loaded again because only handed-out ones count. 1 point: two of: another batch size,
buffer size, offset, weights or query; rows added, removed, reordered or of other sizes
(the buffer's choices depend on bytes); other columns; another number of ranks; a
transform with random numbers of its own instead of rng.
### END MARK SCHEME
"""

# %% [markdown]
"""
*Your answer here.*
"""

# %% [markdown]
"""
## Done

Export and test: `tito export 08c`, then `tito test 08c`. Submit with `tito submit 08c`.
From now on `dataset.dataloader()` of a `ColumnDataset` gives your loader.
"""

# %% given given_finish
finish()

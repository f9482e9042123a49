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
# 08b Callback loader

Module 08 built one loader. In this lab you build one whose parts can be replaced: every
step of it (choosing the indices, reading an item, collating, what happens before and
after) is a **hook** that a user may replace, by a subclass or by an argument, without
changing the rest. fastai's `DataLoader` works like this, and yours has the same
arguments. Then you give the work to several **processes**, make sure that the result
stays the same, and measure what they cost.

**<!-- hours -->, <!-- points -->.**

**How to work.** Every exercise has a number, such as 1a, and a stub with a `TODO`.
Replace the `raise NotImplementedError(...)` under it, run the cell, then run
`check("1a")` below it. It tells which of the exercise's numbered promises hold, and of
the first that does not: what was called, what came of it and where to look. Stuck?
`tito hint 08b 1a` gives one hint at a time. Save, then `%test 1a` tests the notebook
as you saved it; `%test 1a --laws` shows how each promise is tested.

When you are done: `tito export 08b` writes your code to
`tinytorch/data/callback_loader.py`. The grader tests the same promises with other data;
each one that holds earns its share of the exercise's points. The questions 9a and 9b
have no tests: a person reads your answers.
"""

# %% given given_setup
#| export
import contextlib
import copy
import functools
import itertools
import math
import os
import pickle
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import SimpleNamespace

import numpy as np

from tinytorch.core.checks import function_or_none
from tinytorch.core.gather import index_array
from tinytorch.core.rng import EpochKey
from tinytorch.core.tensor import Tensor
from tinytorch.data.loader_inputs import (
    MOST_SEED,
    accepts,
    are_indices,
    by_number,
    flag,
    from_environment,
    gathers_batches,
    lists_of_indices,
    one_of,
    order_of,
    python_integers,
    returned,
    seed_of,
    sized,
    start_method_of,
    whole,
)
from tinytorch.data.rows import check_weights

# %% given given_test_tools
# Given: `check("1a")` runs the laws of exercise 1a, one for each promise; you can read
# them in the folder tests. Nothing here is exported.
from collections import namedtuple

from tinytorch.classes import add_to_class
from tinytorch.laws import checker
from tinytorch.testing import demo, expect, finish, progress

check = checker("08b_callback_loader")
Point = namedtuple("Point", "x y")


def plain(batch):
    """Tensors as lists, everything else as it is, so that batches can be compared."""
    if isinstance(batch, dict):
        return {key: plain(value) for key, value in batch.items()}
    if isinstance(batch, (tuple, list)):
        return type(batch)(map(plain, batch))
    return batch.data.tolist() if isinstance(batch, Tensor) else batch


# %% [markdown]
"""
---
## 1 A batch keeps the types of its samples

A sample may be a tuple, a list, a dict, a namedtuple, a subclass of Tensor (a sound, a
mask, an image), or any of these inside another. A batch should have the same structure,
with Tensors of all samples in it: if you write `point.x` for a sample, you want to
write `batch.x` for a batch. PyTorch's `default_collate` turns tuples into lists;
fastai's `fa_collate` keeps tuples and lists. You write one that also keeps named tuples
and mappings.

Two helpers are given. `stack` joins B Tensors, arrays or numbers into one Tensor.
`rebuild(like, parts)` builds a structure of the type of `like` from new parts.
"""


# %% given given_rebuild
#| export
def stack(values: Sequence) -> Tensor:
    """One Tensor of shape (B, ...) made of B Tensors, arrays or numbers: the dtype is
    kept, the memory is new. Unequal shapes: ValueError.
    """
    return Tensor(
        np.stack(
            [
                value.data if isinstance(value, Tensor) else np.asarray(value)
                for value in values
            ]
        )
    )


def rebuild(like, parts):
    """A structure of the type of `like`, built from `parts`: a list of parts for a
    sequence, a dict of parts for a mapping.
    """
    if isinstance(like, dict):
        made = copy.copy(like)  # a defaultdict keeps its factory
        made.update(parts)
        return made
    if hasattr(like, "_fields"):
        return type(like)(*parts)
    try:
        return type(like)(parts)
    except TypeError:  # a range, for one, cannot hold Tensors
        return parts


# %%
print(
    rebuild(Point(1, 2), ["a", "b"]),
    rebuild((1, 2), ["a", "b"]),
    rebuild({"x": 1}, {"x": "a"}),
)

# %% [markdown]
"""
### 1a fa_collate: one batch of many samples
<!-- points -->, about 15 minutes

**Goal.** A list of samples becomes one batch of the same type.

**Contract.** `fa_collate(samples)` -> one batch; the type of the first sample decides.

1. Strings and bytes become a list.
2. Mappings become a mapping of that type; each key's values are collated.
3. Sequences become one of that type, ranges a list; the values at each position are
   collated.
4. Numbers and arrays become one Tensor that keeps their dtype.
5. Tensors become one Tensor; Tensors of a subclass become one of that subclass.
6. The batch is new memory: writing into it changes no sample.
7. An empty list of samples raises `ValueError`.
8. Sequences of unequal length raise `ValueError`.
9. Mappings with different keys raise `ValueError`.
10. An error of a sample or of `stack` reaches the caller unchanged, without a retry.

**By hand.** `fa_collate([(1, "a"), (2, "b")])` is `(Tensor [1 2], ["a", "b"])`. Two
`Point(x=..., y=...)` give a `Point` of two Tensors.

**Given.** `stack(values)`, `rebuild(like, parts)`. `type(sample)(array)` makes a Tensor
of the subclass of `sample`.

**Out of scope:** saying which sample is odd (exercise 1c).
"""


# %% stub fa_collate
#| export
def fa_collate(samples: Sequence):
    """Return one batch with the types and the nesting of a sample; every leaf becomes a
    Tensor of shape (B, ...), strings a list.

    Raises:
        ValueError: there are no samples, their keys or lengths differ, or the shapes of
            a leaf do.
        TypeError: a leaf is no number, array, Tensor or string.
        Either of the two: a leaf stands beside a sequence or a mapping.
    """
    # TODO: about twelve lines, one case after the other. A string is a Sequence too:
    # ask for it first.
    ### BEGIN SOLUTION
    if not len(samples):
        raise ValueError("a batch needs at least one sample, got none")
    first = samples[0]
    if isinstance(first, (str, bytes)):
        return list(samples)
    if isinstance(first, Mapping):
        if any(sample.keys() != first.keys() for sample in samples):
            raise ValueError(
                "the samples of a batch need the same keys, got"
                f" {[list(sample) for sample in samples]}"
            )
        return rebuild(
            first,
            {key: fa_collate([sample[key] for sample in samples]) for key in first},
        )
    if isinstance(first, Sequence):
        if len({len(sample) for sample in samples}) > 1:
            raise ValueError(
                "the samples of a batch need equally many parts, got"
                f" {[len(sample) for sample in samples]}"
            )
        return rebuild(first, [fa_collate(column) for column in zip(*samples)])
    batch = stack(samples)
    return type(first)(batch.data) if isinstance(first, Tensor) else batch
    ### END SOLUTION


# %% law, 6 points
check("1a")

# %% [markdown]
"""
### 1b fa_convert: a batch that the dataset made
<!-- points -->, about 5 minutes

**Goal.** Sometimes a dataset hands out whole batches (`bs=None`). Then there is nothing
to stack, but arrays should still become Tensors.

**Contract.** `fa_convert(batch)` -> the batch with Tensors in place of its arrays.

1. An array becomes a Tensor that keeps its dtype.
2. Mappings keep their type, and their parts are converted.
3. Sequences (tuple, list, namedtuple ...) keep their type, ranges become lists; their
   parts are converted.
4. Everything else (Tensors of any kind, strings, bytes, numbers, None) is returned as
   the same object.
5. An error of reading a part reaches the caller unchanged, without a retry.

**By hand.** `fa_convert((array [1 2], "a", 3))` is `(Tensor [1 2], "a", 3)`.

**Given.** `rebuild(like, parts)`.
"""


# %% stub fa_convert
#| export
def fa_convert(batch):
    """Return the batch with its arrays as Tensors; types and nesting kept,
    everything else as it is.
    """
    # TODO: about seven lines: the recursion of fa_collate with other leaves.
    ### BEGIN SOLUTION
    if isinstance(batch, np.ndarray):
        return Tensor(batch)
    if isinstance(batch, Mapping):
        return rebuild(batch, {key: fa_convert(value) for key, value in batch.items()})
    if isinstance(batch, Sequence) and not isinstance(batch, (str, bytes)):
        return rebuild(batch, [fa_convert(part) for part in batch])
    return batch
    ### END SOLUTION


# %% law, 2 points
check("1b")

# %% [markdown]
"""
When shapes differ, NumPy says `all input arrays must have the same shape`, but not
which item of the batch differs. And the odd one may be the *first*: comparing all
others with it would blame 63 good items.

Two helpers are given. `describe(item)` is a tuple of (place, type and shape), one for
each value inside the item. `difference(description, usual)` says in words how two
descriptions differ.
"""


# %% given given_describe
#| export
def describe(item, place: str = "item") -> tuple:
    """((place, type and shape) of each leaf), such as (("item[0]", "Tensor of shape
    (3,)"), ("item[1]", "int")).
    """
    if isinstance(item, Mapping):
        return tuple(
            leaf
            for key, part in item.items()
            for leaf in describe(part, f"{place}[{key!r}]")
        )
    if isinstance(item, Sequence) and not isinstance(item, (str, bytes)):
        return tuple(
            leaf
            for k, part in enumerate(item)
            for leaf in describe(part, f"{place}[{k}]")
        )
    shape = getattr(item, "shape", None)
    return (
        (
            place,
            (
                type(item).__name__
                if shape is None
                else f"{type(item).__name__} of shape {shape}"
            ),
        ),
    )


def difference(description: tuple, usual: tuple) -> str:
    """How a description differs from the usual one, as text."""
    mine, theirs = dict(description), dict(usual)
    if mine == theirs:
        return "the same parts in another order"
    rows = [
        f"{place} is {mine.get(place, 'missing')}, usually"
        f" {theirs.get(place, 'not there')}"
        for place in dict.fromkeys([*mine, *theirs])
        if mine.get(place) != theirs.get(place)
    ]
    return ", ".join(rows)


# %%
print(describe((np.zeros((2, 3)), 7)))


# %% [markdown]
"""
### 1c collate_error: which item is the odd one?
<!-- points -->, about 10 minutes

**Goal.** Raise an error that names the odd items.

**Contract.** `collate_error(e, batch)` always raises.

1. An item is odd if its description is not the one that most items have.
2. Of descriptions that are equally frequent, the one that came first is the usual one.
3. Odd items raise a `ValueError` that names each of them, as `item 3`, and no other
   item.
4. The message has each odd item's `difference` from the usual description.
5. The `ValueError` comes `from e`, so that the first error is shown too.
6. If no item is odd, `e` itself is raised.

**By hand.** Items of shapes (5,), (3,), (3,), (3,): item 0 is odd, the message has
`item 0` and `(5,)`, and no other item.

**Given.** `describe(item)` and `difference(description, usual)`, above.
`Counter(things).most_common(1)[0][0]` is the most frequent thing, and if several are
equally frequent, the first of them.
"""


# %% stub collate_error
#| export
def collate_error(e: Exception, batch: Sequence):
    """Raise a ValueError that names the items of `batch` that are unlike most, with
    what is different; `e` where all are alike. The batch has 1 or more items.
    """
    # TODO: about seven lines.
    ### BEGIN SOLUTION
    descriptions = [describe(item) for item in batch]
    usual = Counter(descriptions).most_common(1)[0][0]
    odd = [
        f"item {k}: {difference(found, usual)}"
        for k, found in enumerate(descriptions)
        if found != usual
    ]
    if not odd:
        raise e
    raise ValueError(
        f"{len(odd)} of the {len(batch)} items cannot"
        f" be collated with the others: {'; '.join(odd)}"
    ) from e
    ### END SOLUTION


# %% law, 4 points
check("1c")

# %%
progress("Collation")

# %% [markdown]
"""
**In fastai.** `fa_collate` and `fa_convert` in `fastai/data/load.py` have three or four
lines each. PyTorch's `default_collate` stacks for the first, and its `default_convert`
converts for the second.

**What if** the samples are sentences, lists of numbers of different lengths? What could
a function do with them in place of an error?
"""

# %% [markdown]
"""
## 2 Cutting a stream

You can cut a list by its indices. A stream (lines of a socket, an endless generator)
has no indices and perhaps no end; all you can do is ask for its next item.
"""

# %% [markdown]
"""
### 2a chunked: lists of a stream's items
<!-- points -->, about 10 minutes

**Goal.** Cut a stream into lists of `size` items while the items come.

**Contract.** `chunked(items, size, drop_last)` -> a generator of lists.

1. Lists of `size` items come in the order of the stream.
2. The last list may be shorter; with `drop_last` a shorter one is left out.
3. No list is empty.
4. Any value may be an item, even None, 0 and False.
5. Nothing is read before a list is asked for.
6. A list comes as soon as it is full: the next item is not read before.
7. Each list is a new one: making a later list changes no earlier one.
8. An error of the stream reaches the caller unchanged, without a retry.

So `chunked` works on streams without an end.

**By hand.** `chunked("abcde", 2, False)` gives `["a", "b"]`, `["c", "d"]`, `["e"]`.

**Given.** `itertools.islice(iterator, size)` takes at most `size` items from an
iterator.
"""


# %% stub chunked
#| export
def chunked(items: Iterable, size: int, drop_last: bool = False) -> Iterator[list]:
    """Yield lists of `size` items, each as soon as it is full; then the shorter
    rest, unless `drop_last`. A stream that has ended has no more items.
    """
    # TODO: four to six lines.
    ### BEGIN SOLUTION
    items = iter(items)
    while chunk := list(itertools.islice(items, size)):
        if len(chunk) < size and drop_last:
            return
        yield chunk
    ### END SOLUTION


# %% law, 4 points
check("2a")

# %% [markdown]
"""
## 3 The loader and its hooks

The text below shows an epoch in fastai's order. The main process does the lines without
indent; the indented lines may run in worker processes:

```text
before_iter()
idxs = get_idxs()                        shuffled by shuffle_fn(idxs)
    create_batches(sample()):
        create_item(s), after_item(item)     for each s of idxs; SkipItemException skips
                                             it, stop() ends the stream
        before_batch(items), create_batch(...), retain(...)
                                             for each batch: that is do_batch(items)
batch = after_batch(batch)               handed to the training loop
after_iter()
```

Each name is a method. A user replaces it with a subclass, or with an argument of the
same name: `DataLoader(files, after_item=resize)`. The hook gets the value in the
parentheses, and its result goes to the next step.

`s` is an index when the dataset can be indexed, and `None` when it is a stream. A
*subclass* can even do without a dataset:

```text
class Dice(DataLoader):
    def create_item(self, s):
        eye = random.randint(1, 6)
        return eye if eye < 6 else stop()
```

Half of the loader is given: settings, length, streams, delegation (an attribute that
the loader does not have is looked up in the dataset), and the workers, which section 5
explains. A dataset with `__getitems__` is asked for whole batches, as in module 08,
unless a hook works on single items. Skim the next three cells; you need not understand
them yet.
"""


# %% given given_skip
#| export
class SkipItemException(Exception):
    """Raised in create_item or after_item: leave this item out; the batch is filled
    with the next one.
    """


class IterableDataset:
    """A dataset that can only be iterated: subclasses define `__iter__`."""


def stop(e: type[BaseException] = StopIteration):
    """End the stream: called in create_item or after_item."""
    raise e


def misplaced(stopped: StopIteration | None) -> str:
    """What to say of a `stop()` that was not called for an item, else ""."""
    calls = []
    trace = None if stopped is None else stopped.__traceback__
    while trace is not None:
        calls.append(trace.tb_frame.f_code)
        trace = trace.tb_next
    if stop.__code__ not in calls or "do_item" in [call.co_name for call in calls]:
        return ""
    return (
        "stop() ends a stream at an item: call it in create_item or after_item, not in"
        f" {calls[-2].co_name} for a batch; to end an epoch early, give n or leave the"
        " loop with break"
    )


def named_stops(batches: Iterable, hook: str) -> Iterator:
    """The same batches; a `stop()` in a hook of a batch, which would be Python's
    "generator raised StopIteration", says where it may be called.
    """
    try:
        for batch in batches:
            yield returned(hook, batch)
    except RuntimeError as problem:
        if isinstance(problem.__cause__, StopIteration) and misplaced(
            problem.__cause__
        ):
            raise RuntimeError(misplaced(problem.__cause__)) from problem.__cause__
        raise


def skip_where(test: Callable) -> Callable:
    """A hook for after_item that leaves out the items for which `test(item)` is
    true.
    """

    def hook(item):
        if test(item):
            raise SkipItemException
        return item

    return hook


def retain_types(result, like):
    """`result` as the kind of Tensor that `like` is, part by part; for hooks that
    return plain Tensors.
    """
    if isinstance(like, Tensor) and type(result) is Tensor and type(like) is not Tensor:
        return type(like)(result.data)
    if (
        isinstance(like, tuple)
        and isinstance(result, (tuple, list))
        and len(like) == len(result)
    ):
        return rebuild(
            like, [retain_types(part, kind) for part, kind in zip(result, like)]
        )
    return result


def length_of(dataset) -> int | None:
    """`len(dataset)`; None where it has none, or has one that is not known."""
    try:
        return len(dataset)
    except (TypeError, NotImplementedError):
        return None


def only_a_stream(dataset) -> bool:
    """Whether its class is an IterableDataset: this lab's, module 08's or PyTorch's.
    Such a dataset is iterated even if it has `[]` too.
    """
    return "IterableDataset" in [kind.__name__ for kind in type(dataset).__mro__]


def ended_by(dataset, what: str) -> RuntimeError:
    """The error in place of a StopIteration of the dataset's own code, which would end
    the epoch as if all were read. Python's generators do the same.
    """
    return RuntimeError(f"{type(dataset).__name__}: {what} raised StopIteration")


def may_be_read(value, *ways: str) -> bool:
    """Whether `value` has one of these methods, and is not a single number of NumPy,
    which has them all.
    """
    return getattr(value, "ndim", 1) != 0 and any(hasattr(value, way) for way in ways)


# %% given given_loader_settings
#| export
HOOKS = (
    "wif",
    "before_iter",
    "after_item",
    "before_batch",
    "after_batch",
    "after_iter",
    "create_batches",
    "create_item",
    "create_batch",
    "retain",
    "get_idxs",
    "sample",
    "shuffle_fn",
    "do_batch",
)


class _FakeLoader:
    """How many processes load; fastai keeps it here, and so do we."""

    def __init__(self, num_workers: int):
        self.num_workers = num_workers

    @contextlib.contextmanager
    def no_multiproc(self):
        """Load in the main process for the length of a `with`."""
        before, self.num_workers = self.num_workers, 0
        try:
            yield self
        finally:
            self.num_workers = before


class LoaderSettings:
    """The arguments of a DataLoader, its length, and what it takes from the dataset."""

    def _settle(
        self, dataset, bs, indexed, n, sampler, batch_sampler, seed, hooks: dict
    ):
        if indexed is None:
            indexed = hasattr(dataset, "__getitem__") and not only_a_stream(dataset)
        self.dataset, self.bs, self.indexed = (
            dataset,
            bs,
            flag("indexed", indexed),
        )
        self.batch_sampler = batch_sampler
        self.sampler = sampler if batch_sampler is None else batch_sampler
        self._whole_batches = gathers_batches(dataset)
        self.seed = seed
        self.epoch, self._pool, self._not_sent, self._takes_rng = 0, None, None, {}
        self.now = self._new_epoch(0)
        for name, hook in hooks.items():
            if hook is not None:
                setattr(self, name, function_or_none(name, hook))
        self.n = n

    @property
    def n(self) -> int | None:
        """Items in an epoch: the given number, else as many as the dataset has now;
        None where only its end ends an epoch.
        """
        if self._n is None and not self._reads_to_the_end():
            return length_of(self.dataset)
        return self._n

    @n.setter
    def n(self, n):
        self._n = None if n is None else whole("n", n, 0)

    def _reads_to_the_end(self) -> bool:
        """Whether only the end of a stream ends an epoch. What replaces these methods
        may have no end; then there are as many items as the dataset has.
        """
        if any(map(self._replaced, ("create_item", "do_item", "get_idxs", "sample"))):
            return False
        sequence = hasattr(self.dataset, "__getitem__")
        return not self.indexed and (only_a_stream(self.dataset) or not sequence)

    def _refuse(self, shuffle, drop_last, device, sampler):
        self._refuse_dataset()
        self._refuse_workers()
        if device is not None and (not isinstance(device, str) or device != "cpu"):
            raise ValueError(
                "device is None or 'cpu': NumPy's arrays live in main memory; got"
                f" {device!r}. Move batches in after_batch"
            )
        if drop_last and self.bs is None and self.batch_sampler is None:
            raise ValueError(
                "drop_last needs bs:"
                " without it every item of the dataset is a batch, and none is short"
            )
        if shuffle and not self.indexed:
            raise ValueError(
                "only a dataset that can be indexed can be shuffled; this one is a"
                " stream (indexed=False)"
            )
        if shuffle and self.sampler is not None:
            raise ValueError(
                "a sampler decides the order; give it, or shuffle=True, not both"
            )
        if self.batch_sampler is not None and (
            self.bs is not None or drop_last or sampler is not None
        ):
            raise ValueError(
                "a batch_sampler decides the batches;"
                " leave out bs, drop_last and sampler"
            )
        if self.sampler is not None and not self.indexed:
            raise ValueError(
                "a sampler gives indices, and this dataset is a stream (indexed=False)"
            )
        if shuffle and self.n is None:
            raise ValueError(
                "shuffle needs a number of items, and this dataset has no length; give"
                " n"
            )

    def _refuse_workers(self):
        if (
            isinstance(self.timeout, bool)
            or not isinstance(self.timeout, (int, float))
            or not self.timeout >= 0
        ):
            raise ValueError(
                f"timeout is in seconds, 0 (wait forever) or more; got {self.timeout!r}"
            )
        function_or_none("worker_init", self.worker_init)
        if self.persistent_workers and not self.num_workers:
            raise ValueError(
                "persistent_workers=True keeps processes, so num_workers must be 1 or"
                " more, got 0"
            )

    def _refuse_dataset(self):
        dataset = self.dataset
        if dataset is None or any(map(self._replaced, ("create_item", "do_item"))):
            return
        ways = ("__getitem__",) if self.indexed else ("__getitem__", "__iter__")
        if not may_be_read(dataset, *ways):
            raise TypeError(
                f"dataset needs {'[]' if self.indexed else '[] or iter()'}, got"
                f" {dataset!r}; for items from elsewhere, give create_item"
            )
        if self.indexed and hasattr(dataset, "iloc"):
            raise TypeError(
                "dataset needs a row for each number, and table[k] of pandas is not"
                " row k; give create_item=lambda s: table.iloc[s], got"
                f" {type(dataset).__name__}"
            )
        order = any(map(self._replaced, ("get_idxs", "sample")))
        if self.indexed and self.sampler is None and not order:
            size = length_of(dataset)
            if None not in (self.n, size) and self.n > size:
                raise ValueError(
                    f"n is at most {size}, the length of the dataset; got"
                    f" {self.n}. A sampler may visit items more than once"
                )
        if self.stream_in_workers and not self._can_divide():
            raise ValueError(
                "stream_in_workers=True needs a stream that each worker can begin anew:"
                " an object with __iter__, no iterator, with the loader's own get_idxs"
                " and sample; leave it out, and the main process reads it"
            )

    @property
    def sampler(self):
        """Decides which indices an epoch visits, and in which order; or None."""
        return self._sampler

    @sampler.setter
    def sampler(self, sampler):
        if sampler is not None and self.batch_sampler is None:
            order_of("sampler", sampler)
        elif sampler is not None:
            order_of("batch_sampler", sampler, "lists of indices")
        self._sampler = sampler

    batch_size = property(
        lambda self: self.bs,
        doc="Samples in a batch; None where the dataset hands out batches.",
    )
    prebatched = property(
        lambda self: self.bs is None and self.batch_sampler is None,
        doc="True where the dataset hands out batches.",
    )
    num_workers = property(
        lambda self: self.fake_l.num_workers,
        doc="Processes that load; 0: the main process does.",
    )

    def __len__(self) -> int:
        """Return the number of batches in an epoch. Raises TypeError for a stream of
        unknown length.
        """
        if self.batch_sampler is not None:
            return len(self.batch_sampler)
        count = self.n if self.sampler is None else len(self.sampler)
        if count is None:
            count = length_of(self.dataset)  # what a stream says of itself
        if count is None:
            raise TypeError(
                "the length of a stream is not known; give the number of items as n"
            )
        if self.bs is None:
            return count
        return count // self.bs if self.drop_last else -(-count // self.bs)

    def __getattr__(self, name: str):
        if hasattr(type(self), name):
            # a property has raised an AttributeError: once more, for its own message
            return object.__getattribute__(self, name)
        dataset = self.__dict__.get("dataset")
        if name.startswith("_") or dataset is None:
            raise AttributeError(
                f"{type(self).__name__!r} object has no attribute {name!r}"
            )
        return getattr(dataset, name)

    def __getstate__(self) -> dict:
        # to a spawned worker, or into a file: pools and iterators stay
        return {
            **self.__dict__,
            "_pool": None,
            "_not_sent": None,
            "_takes_rng": {},
            "now": self._new_epoch(0),
        }

    def set_epoch(self, epoch: int) -> None:
        """The epoch that the next `iter` starts, for the loader and for a sampler
        that counts epochs.
        """
        self.epoch = whole("epoch", epoch, 0, MOST_SEED)
        if hasattr(self.sampler, "set_epoch"):
            self.sampler.set_epoch(epoch)

    def one_batch(self):
        """The first batch of an epoch, loaded here."""
        with self.fake_l.no_multiproc(), contextlib.closing(iter(self)) as batches:
            for batch in batches:
                return batch
        raise ValueError("this loader has no batches")


# %% given given_loader_epochs
#| export
# hooks and methods that see an item, or the items of a batch
ITEM_HOOKS = (
    "create_item",
    "do_item",
    "after_item",
    "before_batch",
    "create_batch",
    "retain",
    "do_batch",
    "create_batches",
    "chunkify",
)
# added to the position of a stream's item for the random numbers of create_item
_READING = 2**40


class _Stream:
    """The items of a dataset. It begins to iterate when its first item is asked for, so
    that an error of `__iter__` is one of reading.
    """

    def __init__(self, dataset):
        self.dataset, self.items = dataset, None

    def __iter__(self) -> Iterator:
        return self

    def __next__(self):
        if self.items is None:
            try:
                self.items = iter(self.dataset)
            except StopIteration as problem:
                raise ended_by(self.dataset, "__iter__") from problem
        return next(self.items)


class LoaderEpochs(LoaderSettings):
    """What an epoch needs, here and in workers: a state of its own, random numbers
    for each item, tasks and their results.
    """

    def _new_epoch(self, epoch: int) -> SimpleNamespace:
        return SimpleNamespace(
            seed=self.seed,
            epoch=epoch,
            idxs=(),
            it=None,
            raw=None,
            count=0,
            step=1,
            number=0,
            item_rng=None,
            as_items=False,
            rng=np.random.default_rng([self.seed, epoch]),
        )

    rng = property(
        lambda self: self.now.rng, doc="The Generator of this epoch, for shuffling."
    )

    @property
    def item_rng(self) -> np.random.Generator:
        """The Generator of this item; made when it is first asked for."""
        now = self.now
        if now.item_rng is None:
            now.item_rng = item_generator(now.seed, now.epoch, now.number)
        return now.item_rng

    @property
    def it(self) -> Iterator:
        """The iterator over the dataset in this epoch."""
        if self.now.it is None:
            if self.dataset is None:
                raise TypeError(
                    "a loader without a dataset needs create_item, as a method of a"
                    " subclass or as an argument"
                )
            self.now.it = _Stream(self.dataset)
        return self.now.it

    def call(self, name: str, value):
        """Call the hook `name` with `value`; a hook with a parameter `rng` also gets
        the Generator of this item.
        """
        if name == "create_item" and self.now.raw is not None:
            # a worker's item of a stream, which the main process has read
            item = next(self.now.raw)
            if item is SkipItemException:
                raise item
            return item
        hook = getattr(self, name)
        key = getattr(hook, "__func__", hook)
        if name not in self._takes_rng or self._takes_rng[name][0] is not key:
            # asking for a signature takes longer than most hooks
            self._takes_rng[name] = key, accepts(hook, "rng")
        if name == "create_item" and not self.indexed:
            item = self._read_next(hook, value, self._takes_rng[name][1])
        elif self._takes_rng[name][1]:
            item = hook(value, rng=self.item_rng)
        else:
            item = hook(value)
        if item is None:
            raise TypeError(
                f"{name} returned None for item {self.now.number}: a hook and a dataset"
                " return the item; to leave it out, raise SkipItemException"
            )
        return item

    def _read_next(self, hook: Callable, value, takes_rng: bool):
        """Call create_item on a stream. It runs in the main process and after_item
        may run in another, so each has numbers of its own.
        """
        self.now.number += _READING
        try:
            return hook(value, rng=self.item_rng) if takes_rng else hook(value)
        finally:
            self.now.number -= _READING
            self.now.item_rng = None

    def read(self, s):
        """dataset[s]; a dataset with random transforms of its own (`sample_with`, as
        in module 08) gets the Generator of this item.
        """
        try:
            return (
                self.dataset.sample_with(s, self.item_rng)
                if hasattr(self.dataset, "sample_with")
                else self.dataset[s]
            )
        except StopIteration as problem:
            raise ended_by(self.dataset, "reading an item") from problem

    def aim(self, s) -> None:
        """The item that comes next is `s`; one of a stream is known by its position."""
        if isinstance(s, (bool, np.bool_)):
            are_indices("the indices of a sampler", s)
        self.now.number = s if type(s) is int and s >= 0 else self.now.count
        self.now.count += self.now.step
        self.now.item_rng = None

    def load(self, idxs) -> Iterator:
        """The batches of the samples `idxs`, loaded here or by workers."""
        now = self.now
        now.idxs = returned("get_idxs", idxs)
        if self.num_workers:
            batches = self._by_workers(now)
        elif self._gathers():
            batches = (self.gather(indices) for indices in self._cut_indices())
        else:
            batches = self._batches(self._samples())
        yield from self._within(now, batches)

    def _samples(self) -> Iterator:
        samples = returned("sample", self.sample())
        if self.batch_sampler is None:
            return samples
        return lists_of_indices("batch_sampler", samples)

    def _within(self, now, batches: Iterator) -> Iterator:
        while True:
            self.now = now  # another loop over this loader may have put its own here
            try:
                batch = next(batches)
            except StopIteration:
                return
            if batch is None:
                own = ("create_batch", "retain", "do_batch", "create_batches")
                returned(" or ".join(filter(self._replaced, own)) or own[0], batch)
            yield batch

    def _gathers(self) -> bool:
        """Whether nobody looks at single items, so that a dataset with `__getitems__`
        is asked for whole batches, as in module 08.
        """
        return (
            self._whole_batches
            and hasattr(self.dataset, "__getitems__")
            and self.indexed
            and not self.prebatched
            and not any(map(self._replaced, ITEM_HOOKS))
        )

    def gather(self, indices):
        """The batch of these samples, read at once; a list is one of samples."""
        batch = self.dataset.__getitems__(are_indices("indices", indices))
        returned(f"__getitems__ of {type(self.dataset).__name__}", batch)
        return self.do_batch(batch) if isinstance(batch, list) else batch

    def _cut_indices(self) -> Iterator:
        """The indices of each batch: arrays where the order is one, else lists."""
        idxs, size = self.now.idxs, self.bs
        if self.batch_sampler is not None:
            return self._samples()
        if not isinstance(idxs, (np.ndarray, range)) or self._replaced("sample"):
            return chunked(self._samples(), size, self.drop_last)
        end = len(idxs) - (len(idxs) % size if self.drop_last else 0)
        return (np.asarray(idxs[k : k + size]) for k in range(0, end, size))

    def _batches(self, samples: Iterable) -> Iterator:
        if self.batch_sampler is None:
            return iter(returned("create_batches", self.create_batches(samples)))
        kept = (
            [item for item in map(self.do_item, indices) if item is not None]
            for indices in samples
        )
        return (self.do_batch(items) for items in kept if items)

    def _read_stream(self, now, samples: Iterable) -> Iterator:
        """The items of a stream, read in the main process: then any number of
        workers gives each of them once.
        """
        for s in samples:
            self.now = now
            self.aim(s)
            try:
                yield self.call("create_item", s)
            except SkipItemException:
                yield SkipItemException
            except StopIteration:
                return

    def _can_divide(self) -> bool:
        """Whether each worker can read a part of this stream."""
        own_order = any(map(self._replaced, ("get_idxs", "sample")))
        return not (self.indexed or own_order or hasattr(self.dataset, "__next__"))

    def _undivided(self, items: Iterator) -> Iterator | None:
        """The items of a stream that the main process reads; None if the workers read
        it: see `stream_in_workers`.
        """
        if self.stream_in_workers is None and self._can_divide():
            from tinytorch.data.worker_streams import begun

            items = begun(items)
        elif self.stream_in_workers:
            items = None
        if items is None and self._not_sent is not None:
            raise self._not_sent
        return items

    def _by_workers(self, now) -> Iterator:
        size = 1 if self.bs is None else self.bs
        # tasks that were given out: a batch may have to be made again, see _regroup
        kept = {}

        def tasks(chunks):
            first = 0
            for number, chunk in enumerate(chunks):
                kept[number] = now.seed, now.epoch, first, chunk, now.as_items
                first += len(chunk)
                yield kept[number]

        with self._workers() as pool:
            if self._gathers():
                chunks = ([indices] for indices in self._cut_indices())
            elif self.indexed:
                chunks = chunked(self._samples(), size)
            else:
                items = self._undivided(self._read_stream(now, self._samples()))
                if items is None:
                    yield from self._from_parts(now, pool)
                    return
                chunks = chunked(items, size)
            results = in_order(pool.run(tasks(chunks), epoch=now.epoch))
            yield from self._regroup(now, results, kept)

    def _from_parts(self, now, pool) -> Iterator:
        """The batches of a stream that the workers read, each a part."""
        from tinytorch.data.worker_streams import batches_of_parts

        return batches_of_parts(pool, in_order, now.seed, now.epoch, self.n)

    @contextlib.contextmanager
    def _workers(self):
        if not self.persistent_workers:
            with self._new_pool() as pool:
                yield pool
            return
        if (
            self._pool is None
            or not self._pool.usable
            or self._pool.num_workers != self.num_workers
        ):
            self.close()
            self._pool = self._new_pool()
        yield self._pool

    def _new_pool(self):
        from tinytorch.data.workers import WorkerPool

        def pool_of(loader):
            begins = loader.worker_init is not None or loader._replaced("wif")
            return WorkerPool(
                loader.work,
                loader.num_workers,
                start_method=loader.start_method,
                prefetch=loader.prefetch,
                timeout=loader.timeout,
                worker_init=loader._begin_worker if begins else None,
                seed=loader.seed,
                epoch=self.now.epoch,
                dataset=loader.dataset,
            )

        try:
            return pool_of(self)
        except pickle.PicklingError as problem:
            if self.indexed or self.stream_in_workers:
                raise
            # the main process reads a stream (a generator, a queue); workers need not
            # have it
            without = copy.copy(self)
            without.dataset, self._not_sent = None, problem
            return pool_of(without)

    def _begin_worker(self, info) -> None:
        try:
            if self.worker_init is not None:
                self.worker_init(info)
        except TypeError as problem:
            if "WorkerInfo" not in str(problem):
                raise
            raise TypeError(
                f"{problem}; worker_init gets a WorkerInfo: its number is info.id"
            ) from problem
        self.wif()

    def close(self) -> None:
        """End persistent workers; the next epoch starts new ones."""
        if self._pool is not None:
            self._pool.close()
            self._pool = None

    def _replaced(self, name: str) -> bool:
        # a method may be missing while you have not written it yet
        own, usual = (getattr(kind, name, None) for kind in (type(self), DataLoader))
        return name in self.__dict__ or own is not usual

    def work(self, task: tuple) -> tuple:
        """Do one task, in a worker: ("batch", batch), or ("items", items, ended)
        where some are missing, or ("batches", list).
        """
        if not isinstance(task, tuple):
            from tinytorch.data.worker_streams import next_of_part

            return next_of_part(task, self._begin_part, self._read_part)
        seed, epoch, first, samples, as_items = task
        if self._gathers():
            return "batches", [self.gather(indices) for indices in samples]
        before, self.now = self.now, self._new_epoch(epoch)
        self.now.seed, self.now.count = seed, first
        try:
            if not self.indexed:
                self.now.raw = self.now.it = iter(samples)
                samples = [None] * len(samples)
            if self.batch_sampler is not None or self._replaced("create_batches"):
                return "batches", list(self._batches(samples))
            items, ended = [], False
            try:
                for s in samples:
                    items.append(self.do_item(s))
            except StopIteration:
                ended = True
            items = [item for item in items if item is not None]
            if as_items or len(items) < (1 if self.bs is None else self.bs):
                return "items", items, ended
            return "batch", self._made(items)
        finally:
            self.now = before

    def _made(self, items: list):
        """do_batch, outside of create_batches."""
        try:
            return self.do_batch(items[0] if self.prebatched else items)
        except StopIteration as stopped:
            raise RuntimeError(misplaced(stopped) or str(stopped)) from stopped

    def _begin_part(self, task) -> SimpleNamespace:
        """In a worker: the state of its part of a stream. Its items are numbered as if
        the parts took turns, so no two have the same random numbers.
        """
        from tinytorch.data.workers import worker_info

        worker, now = worker_info(), self._new_epoch(task.epoch)
        now.seed, now.count, now.step = task.seed, worker.id, worker.num_workers
        return now

    def _read_part(self, now, samples: Iterable) -> Iterator:
        """In a worker: the batches of the next items of its part, one for each of the
        samples.
        """
        batches = self._within(now, iter(self._batches(samples)))
        return named_stops(batches, "do_batch")

    def _regroup(self, now, results: Iterable, kept: dict) -> Iterator:
        """The batches, from results in order. After a skipped item the batches of
        workers no longer begin where they should: then they are made here, of items, as
        they are without workers.
        """
        size, rest = 1 if self.bs is None else self.bs, []
        for number, (kind, value, *ended) in enumerate(results):
            task = kept.pop(number)
            if kind == "batches":
                yield from value
                continue
            if kind == "batch" and not rest:
                yield value
                continue
            if kind == "batch":
                _, value, *ended = self.work((*task[:-1], True))
            now.as_items = True
            self.now = now
            rest += value
            while len(rest) >= size:
                items, rest = rest[:size], rest[size:]
                yield self._made(items)
            if ended[0]:
                break
        if rest and not self.drop_last:
            yield self.do_batch(rest)


# %% [markdown]
"""
Now the class itself. Its settings and the hooks that do nothing are given; seven
methods are missing: those that decide what a loader *does*. You write them in the four
exercises below. `@add_to_class(DataLoader)` above a function makes it a method of the
class; `tito export` writes it into the class.
"""


# %% given given_loader
#| export
class DataLoader(LoaderEpochs):
    """Batches of a dataset or a stream, with fastai's hooks; every `iter()` starts the
    next epoch.

    Args:
        dataset: map-style (`[]`, mostly `len`) or iterable; None for a subclass that
            makes its items.
        bs, batch_size: items in a batch (batch_size wins); None: each item of the
            dataset is a batch.
        num_workers: processes that load; 0: the main process does. The result is the
            same.
        timeout: seconds to wait for workers; 0 waits forever.
        shuffle, drop_last: a new order each epoch; leave the short last batch out.
        indexed: whether the dataset is indexed or iterated; None guesses.
        n: items in an epoch, of all workers together; default `len(dataset)`, and for a
            stream all that it gives.
        persistent_workers: keep the processes for the next epoch; `close()` ends them.
        stream_in_workers: True: each worker reads a stream of its own; False: the main
            process reads it; None: the workers, if the stream asks `worker_info()`
            before its first item. Then each worker must give only its part.
        pin_memory, pin_memory_device, device: taken for compatibility; arrays stay in
            main memory.
        wif ... do_batch: hooks, see HOOKS; an argument replaces the method of that name
            (and gets no self).
        seed: makes every epoch's order and every item's random numbers repeatable; None
            draws fresh entropy.
        sampler, batch_sampler: an iterable of indices, or of lists of indices.
        start_method: "fork", "spawn" or None (the platform's); prefetch: tasks given
            out ahead for each worker, 2 unless given.
        worker_init: called with a WorkerInfo (no number: that is its `id`) in each
            worker before its first task, and then `wif`. What they seed stays seeded as
            they did it.
        collate_fn, worker_init_fn, prefetch_factor, multiprocessing_context: PyTorch's
            names for create_batch, worker_init (it gets the worker's number), prefetch
            and start_method (a name or a context).
        generator: in place of seed, a Generator of NumPy or PyTorch to draw it from.

    Raises:
        ValueError: settings that contradict each other, or sizes that are not integers;
            the rule and the value are named.
    """

    def __init__(
        self,
        dataset=None,
        bs=None,
        num_workers=0,
        pin_memory=False,
        timeout=0,
        batch_size=None,
        shuffle=False,
        drop_last=False,
        indexed=None,
        n=None,
        device=None,
        persistent_workers=False,
        pin_memory_device="",
        wif=None,
        before_iter=None,
        after_item=None,
        before_batch=None,
        after_batch=None,
        after_iter=None,
        create_batches=None,
        create_item=None,
        create_batch=None,
        retain=None,
        get_idxs=None,
        sample=None,
        shuffle_fn=None,
        do_batch=None,
        *,
        seed=None,
        sampler=None,
        batch_sampler=None,
        start_method=None,
        prefetch=None,
        worker_init=None,
        stream_in_workers=None,
        collate_fn=None,
        worker_init_fn=None,
        generator=None,
        prefetch_factor=None,
        multiprocessing_context=None,
    ):
        function_or_none("collate_fn", collate_fn)
        create_batch = one_of("create_batch", create_batch, "collate_fn", collate_fn)
        given = locals()
        self.fake_l = _FakeLoader(whole("num_workers", num_workers, 0))
        self.pin_memory, self.pin_memory_device, self.device, self.timeout = (
            flag("pin_memory", pin_memory),
            pin_memory_device,
            device,
            timeout,
        )
        self.shuffle, self.drop_last, self.persistent_workers = (
            flag("shuffle", shuffle),
            flag("drop_last", drop_last),
            flag("persistent_workers", persistent_workers),
        )
        self.stream_in_workers = (
            None
            if stream_in_workers is None
            else flag("stream_in_workers", stream_in_workers)
        )
        self.start_method = start_method_of(start_method, multiprocessing_context)
        name = "prefetch" if prefetch_factor is None else "prefetch_factor"
        ahead = one_of("prefetch", prefetch, "prefetch_factor", prefetch_factor)
        self.prefetch = 2 if ahead is None else whole(name, ahead, 1)
        if function_or_none("worker_init_fn", worker_init_fn) is not None:
            worker_init_fn = functools.partial(by_number, worker_init_fn)
        self.worker_init = one_of(
            "worker_init", worker_init, "worker_init_fn", worker_init_fn
        )
        if batch_size is not None:
            bs = whole("batch_size", batch_size, 1)
        self._settle(
            dataset,
            None if bs is None else whole("bs", bs, 1),
            indexed,
            n,
            sampler,
            batch_sampler,
            seed_of(seed, generator),
            {name: given[name] for name in HOOKS},
        )
        self._refuse(shuffle, drop_last, device, sampler)

    # Hooks that do nothing until somebody replaces them.
    def wif(self):
        """Called once in each worker, before its first task and its seeds."""

    def before_iter(self):
        """Called when an epoch begins."""

    def after_iter(self):
        """Called when all batches of an epoch were handed out."""

    def after_item(self, item):
        """Change one item; return it."""
        return item

    def before_batch(self, items):
        """Change the list of items before they are collated; return it."""
        return items

    def after_batch(self, batch):
        """Change a batch in the main process; return it."""
        return batch

    def retain(self, result, items):
        """Give a batch the kinds of Tensor that its items have."""
        return retain_types(
            result, items[0] if isinstance(items, list) and items else items
        )

    def sample(self) -> Iterator:
        """The samples of this epoch, one after the other."""
        idxs = self.now.idxs
        return python_integers(idxs) if isinstance(idxs, np.ndarray) else iter(idxs)

    def create_batch(self, items):
        """Collate the items; where the dataset hands out batches, convert one."""
        if self.prebatched:
            return fa_convert(items)
        returned("before_batch", items)
        try:
            return fa_collate(items)
        except (AttributeError, TypeError, ValueError) as problem:
            collate_error(problem, items)

    def chunkify(self, items: Iterable) -> Iterator:
        """Cut the items into lists of `bs`; where each item is a batch, leave them."""
        # a generator that has ended stays so; a map whose function called stop() would
        # go on
        items = (item for item in items)
        return items if self.prebatched else chunked(items, self.bs, self.drop_last)

    def __iter__(self) -> Iterator:
        """Start the next epoch; return an iterator over its batches."""
        epoch, self.epoch = self.epoch, self.epoch + 1
        return named_stops(self._epoch(self._new_epoch(epoch)), "after_batch")


# %% [markdown]
"""
### 3a get_idxs and shuffle_fn: which samples, in which order?
<!-- points -->, about 10 minutes

**Goal.** Write two methods that say which samples an epoch visits.

**Contract.** `get_idxs()` -> what the epoch visits. `shuffle_fn(idxs)` -> `idxs` in
random order.

1. A sampler decides: `get_idxs` returns `self.sampler`, even an empty one.
2. An indexed dataset (`self.indexed`) gives `self.n` indices: 0, 1, 2, ...
3. A stream gives None, `self.n` times.
4. If `self.n` is None, the result has no end.
5. With `self.shuffle`, `get_idxs` returns what `self.shuffle_fn(idxs)` returns, called
   once.
6. `shuffle_fn` returns each of the given indices once.
7. Every order is possible, and each call draws a new one.
8. The order is drawn from `self.rng` (the Generator of this epoch) and from nothing
   else.
9. Each (seed, epoch) has its own order: seed 0 in epoch 1 is not seed 1 in epoch 0.
10. An error of `self.shuffle_fn` or `self.rng` reaches the caller unchanged, without a
    retry.

**By hand.** n = 3, not shuffled: 0, 1, 2. A stream with n = 2: None, None. A stream of
unknown length: None without end.

**Given.** `itertools.count()`, `itertools.repeat(None)`, `itertools.repeat(None, n)`;
`self.rng.permutation(count)`.
"""


# %% stub loader_get_idxs
#| export
@add_to_class(DataLoader)
def get_idxs(self) -> Iterable:
    """Return what the epoch visits: the sampler, or 0, 1, ... (None, None, ...
    for a stream), n of them or endless; shuffled if asked for. Indices are Python's
    or NumPy's integers.
    """
    # TODO: about six lines.
    ### BEGIN SOLUTION
    if self.sampler is not None:
        return self.sampler
    if not self.indexed:
        return (
            itertools.repeat(None) if self.n is None else itertools.repeat(None, self.n)
        )
    idxs = itertools.count() if self.n is None else range(self.n)
    return self.shuffle_fn(idxs) if self.shuffle else idxs
    ### END SOLUTION


@add_to_class(DataLoader)
def shuffle_fn(self, idxs: Sequence[int]) -> Sequence[int]:
    """Return the same indices in an order drawn from `self.rng`."""
    # TODO: one or two lines.
    ### BEGIN SOLUTION
    return np.asarray(idxs)[self.rng.permutation(len(idxs))]
    ### END SOLUTION


# %% law, 5 points
check("3a")

# %% [markdown]
"""
### 3b create_item and do_item: one item
<!-- points -->, about 10 minutes

**Goal.** `create_item(s)` reads an item; `do_item(s)` reads it and hands it to the hook
`after_item`.

**Contract.** `create_item(s)` -> the item that was read; `do_item(s)` -> the item after
its hook.

1. `create_item(s)` of an indexed dataset reads its item `s`, once.
2. `create_item(None)` of an indexed dataset reads its item 0.
3. `create_item(None)` of a stream is the next item of `self.it`.
4. `create_item` raises an `IndexError` for an index of a stream, even for 0.
5. `do_item(s)` passes the result of `create_item(s)` to `after_item` and returns its
   result.
6. Hooks that take `rng`, and datasets with `sample_with`, get the item's Generator.
7. If either hook raises `SkipItemException`, `do_item` returns None.
8. A `StopIteration` of either hook reaches the caller: `stop()` raises it.
9. Any other error of the dataset or a hook reaches the caller unchanged, without a
   retry.

**By hand.** With `after_item=str.upper`, `DataLoader("abc", ...).do_item(1)` is `"B"`.

**Given.** `self.read(s)` is `self.dataset[s]`, or `sample_with` where a dataset has it.
`self.call(name, value)` calls the hook of that name, and gives it the random numbers of
this item if it wants them.
"""


# %% stub loader_do_item
#| export
@add_to_class(DataLoader)
def create_item(self, s):
    """Return item `s` of the dataset, or the next item of a stream. Raises
    IndexError for an index of a stream.
    """
    # TODO: about four lines.
    ### BEGIN SOLUTION
    if self.indexed:
        return self.read(0 if s is None else s)
    if s is not None:
        raise IndexError(
            f"a stream has no item number {s!r}: its items come one after the"
            " other, and s is None"
        )
    return next(self.it)
    ### END SOLUTION


@add_to_class(DataLoader)
def do_item(self, s):
    """Return item `s`, read and then changed by its two hooks; None where it is
    left out.
    """
    self.aim(s)  # given: from here on, random numbers are those of this item
    # TODO: about four lines, with self.call("create_item", s).
    ### BEGIN SOLUTION
    try:
        return self.call("after_item", self.call("create_item", s))
    except SkipItemException:
        return None
    ### END SOLUTION


# %% law, 4 points
check("3b")

# %% [markdown]
"""
### 3c do_batch: one batch
<!-- points -->, about 5 minutes

**Goal.** `do_batch(items)` calls the three hooks that make a batch.

**Contract.** `do_batch(items)` -> the batch.

1. `before_batch`, `create_batch` and `retain` are called in this order, each once.
2. `before_batch` gets the items, and `create_batch` what `before_batch` returned.
3. `retain` gets the batch and the items that `do_batch` got.
4. What `retain` returns is the batch.
5. An error of one of the three hooks reaches the caller unchanged, without a retry.

**By hand.** With `before_batch=sorted` and `create_batch="".join`,
`do_batch(["b", "a"])` hands `"ab"` and `["b", "a"]` to `retain`.
"""


# %% stub loader_do_batch
#| export
@add_to_class(DataLoader)
def do_batch(self, items):
    """Return the batch of some items, as its three hooks make it."""
    # TODO: one line.
    ### BEGIN SOLUTION
    return self.retain(self.create_batch(self.before_batch(items)), items)
    ### END SOLUTION


# %% law, 2 points
check("3c")

# %% [markdown]
"""
One idea for the next exercise: a generator turns a `StopIteration` raised inside it
into a `RuntimeError` (PEP 479). `map(function, samples)` is no generator: a
StopIteration of `function` simply ends it.
"""

# %% [markdown]
"""
### 3d create_batches and _epoch: an epoch
<!-- points -->, about 15 minutes

**Goal.** `create_batches(samples)` joins 3b and 3c to a lazy stream of batches;
`_epoch(now)` puts the outer hooks around it.

**Contract.** `create_batches(samples)` and `_epoch(now)` -> batches.

1. Each sample goes through `self.do_item`, each piece of `self.chunkify(items)` through
   `self.do_batch`, in order.
2. An item that is None is left out before cutting, so it takes no place in a batch.
3. Only None is left out: an item may be 0, empty or False.
4. A `StopIteration` of `do_item` ends the items; those read before it still make a
   batch.
5. Nothing is read before its batch is asked for.
6. `before_iter` comes before `get_idxs`, and `after_iter` after the last batch.
7. The loop gets what `after_batch` makes of each batch of `self.load(...)`.
8. `after_iter` is not called if the loop ends early or an error ends it.
9. An error of a method or hook of an epoch reaches the caller unchanged, without a
   retry.

**By hand.** bs = 2, items 0, 1, 2, the item 1 skipped: one batch, [0, 2].

**Given.** `self.chunkify(items)` cuts with your `chunked`.
"""


# %% stub loader_epoch
#| export
@add_to_class(DataLoader)
def create_batches(self, samples: Iterable) -> Iterator:
    """Yield the batches of the samples, each made when it is asked for."""
    # TODO: about three lines.
    ### BEGIN SOLUTION
    items = (item for item in map(self.do_item, samples) if item is not None)
    for piece in self.chunkify(items):
        yield self.do_batch(piece)
    ### END SOLUTION


@add_to_class(DataLoader)
def _epoch(self, now) -> Iterator:
    """Yield the batches of one epoch, with the hooks of the main process around
    them.
    """
    self.now = now  # given: the epoch's own state
    # TODO: about four lines.
    ### BEGIN SOLUTION
    self.before_iter()
    for batch in self.load(self.get_idxs()):
        yield self.after_batch(batch)
    self.after_iter()
    ### END SOLUTION


# %% law, 6 points
check("3d")

# %%
progress("Loader and hooks")

# %% [markdown]
"""
**In fastai.** `DataLoader` in `fastai/data/load.py` has your hooks under the same
names; `create_batches` is three lines there.

**What if** `after_item` is slow, and `after_batch` could do the same work? What would
you gain, and when is it not possible?
"""

# %% [markdown]
"""
## 4 In use

What hooks are good for: each of these lines changes one thing and leaves the rest
alone.

**Guess.** `skip_where` leaves the vowels out of the alphabet. Are the batches around a
vowel shorter, or does the next letter take its place?
"""

# %% demo demo_hooks
import random

with demo("hooks in use"):
    letters = list("abcdefghijklmnopqrstuvwxyz")
    print("plain        ", ["".join(batch) for batch in DataLoader(letters, bs=4)])
    print(
        "shuffled     ",
        [
            "".join(batch)
            for batch in DataLoader(letters, bs=4, shuffle=True, drop_last=True, seed=0)
        ],
    )
    print(
        "no vowels    ",
        [
            "".join(batch)
            for batch in DataLoader(
                letters, bs=4, after_item=skip_where(lambda letter: letter in "aeiou")
            )
        ],
    )
    print(
        "upper case   ",
        ["".join(batch) for batch in DataLoader(letters, bs=4, after_item=str.upper)],
    )
    print(
        "of bs=None   ",
        [
            batch.data.tolist()
            for batch in DataLoader([np.array([0, 1]), np.array([2, 3])])
        ],
    )

    class Dice(DataLoader):
        def create_item(self, s):
            eye = random.randint(1, 6)
            return eye if eye < 6 else stop()

    print("until a six  ", [batch.data.tolist() for batch in Dice(bs=4)])
    sizes = [np.zeros(3), np.zeros(3), np.zeros((2, 3)), np.zeros(3)]
    try:
        list(DataLoader(sizes, bs=4))
    except ValueError as problem:
        print("an odd item  ", problem)


# %% [markdown]
"""
**What you see.** The next letter takes the place of a vowel, because an item is skipped
before it is counted into a batch. Each other line also changes one step of the loader:
`shuffle` the order, `str.upper` each item, `bs=None` the collation, `stop` the end of
the stream. The last line names the item that does not fit the others.
"""


# %% [markdown]
"""
## 5 Several processes

Python runs one thread of Python code at a time. If reading an item is expensive
*Python* (decoding, parsing), more threads do not help; more **processes** do. A pool of
workers is given (`tinytorch/data/workers.py`, worth reading): it starts the processes,
hands out **tasks** (the indices of one batch), gets the batches back through shared
memory, notices a worker that died, and frees all memory at the end.

Two ideas are yours in this section, and one in the next, because they decide whether
the result is *right*:

1. **Order** (5a). Workers do not finish in the order in which they started. The
   training loop must get the batches in the order of the epoch, or no run can be
   repeated.
2. **Random numbers** (5b). A forked process has a *copy* of every generator, so two
   workers draw the same "random" augmentations.
3. **Sharing** (6b). With several machines, each machine must see its own part of the
   data, and no two machines may see the same part.
"""

# %% [markdown]
"""
### 5a in_order: results in the order of the epoch
<!-- points -->, about 10 minutes

**Goal.** Put numbered results back in order, and wait no longer than needed.

**Contract.** `in_order(results)` -> a generator. `results` has (number, result) for
each of the numbers 0, 1, 2, ... once, in any order.

1. Results come in the order of their numbers, each once.
2. A result may be anything, even None, 0 or False.
3. Nothing is read before a result is asked for.
4. A result is handed on once all earlier results were; nothing more is read before.
5. A result that was handed on is no longer kept.
6. An error of reading the results reaches the caller unchanged, without a retry.

**By hand.** (1, "b"), (0, "a"), (2, "c"): after reading two, `"a"` and `"b"` are handed
on, then the third is read.
"""


# %% stub in_order
#| export
def in_order(results: Iterable[tuple[int, object]]) -> Iterator:
    """Yield the results by their numbers 0, 1, 2, ..., each as soon as all before it
    were handed on. Variables may still hold the one that was read last and the one that
    was handed on last.
    """
    # TODO: about six lines. What came too early waits in a dict.
    ### BEGIN SOLUTION
    waiting, turn = {}, 0  # what came too early, by number; whose turn it is
    for number, result in results:
        waiting[number] = result
        while turn in waiting:
            yield waiting.pop(turn)
            turn += 1
    ### END SOLUTION


# %% law, 4 points
check("5a")

# %% [markdown]
"""
The next cell shows a frequent fault: two "workers" that were forked hold copies of one
generator.
"""

# %% given given_copies
one_generator = np.random.default_rng(0)
# what fork does
workers_copies = [copy.deepcopy(one_generator), copy.deepcopy(one_generator)]
print(
    "worker 0 draws",
    workers_copies[0].integers(0, 100, 5),
    "and worker 1 draws",
    workers_copies[1].integers(0, 100, 5),
)

# %% [markdown]
"""
Both draw the same numbers, so both augment their images in the same way. Giving each
worker its own seed helps, but then the images depend on which worker got which item:
another number of workers gives another training run. So the random numbers must belong
to the *item*.
"""

# %% given given_epoch_key
#| export
epoch_key = functools.lru_cache(maxsize=4)(EpochKey.of)


# %% [markdown]
"""
### 5b item_generator: random numbers that belong to the item
<!-- points -->, about 10 minutes

**Goal.** Make a Generator for each item of each epoch.

**Contract.** `item_generator(seed, epoch, index)` takes three integers of 0 or more;
seed and epoch are below 2**32.

1. It returns an `np.random.Generator`.
2. The same seed, epoch and index give the same numbers, whatever was drawn in between.
3. If the seed, the epoch or the index differs, the numbers differ.
4. It does not change the global generators of `np.random` and `random`.

**By hand.** Adding the three up is not enough: (0, 1, 2) and (2, 1, 0) have the same
sum, but need different numbers.

**Given.** `epoch_key(seed, epoch)`: the `EpochKey` of an epoch (made once and kept);
`key.generator(index)`, as in module 08. Or `np.random.default_rng([a, b, c])`, which
mixes a list of integers.
"""


# %% stub item_generator
#| export
def item_generator(seed: int, epoch: int, index: int) -> np.random.Generator:
    """Return the Generator of item `index` in `epoch`: the same for the same three
    integers, another if one of them differs.
    """
    # TODO: one line.
    ### BEGIN SOLUTION
    return epoch_key(seed, epoch).generator(index)
    ### END SOLUTION


# %% law, 4 points
check("5b")

# %% [markdown]
"""
A hook with a parameter `rng` now gets the Generator of its item:
`def after_item(image, rng)`. Module 08's transforms take `rng` too.

**All parts together.** The next cell joins your parts; it has no points. In place of
real workers it uses a pool that works in this process and returns its results in a
random order. The cell after it starts real workers.
"""


# %% given test_loader_together
class WildPool:
    """A pool of the workers' interface without a process: tasks are done here,
    results come back in another order.
    """

    usable = True

    def __init__(self, work, num_workers):
        self.work, self.num_workers = work, num_workers

    def run(self, tasks, epoch=0):
        numbered = enumerate(tasks)
        while group := list(itertools.islice(numbered, 2 * self.num_workers)):
            for number, task in reversed(group):
                yield number, self.work(task)


def test_loader_together():
    """All parts together"""

    def noisy(item, rng):
        return item + rng.random()

    def epochs(num_workers, dataset=None, **options):
        loader = DataLoader(
            dataset or range(11), bs=3, seed=5, num_workers=num_workers, **options
        )
        loader._workers = lambda: contextlib.nullcontext(
            WildPool(loader.work, num_workers)
        )
        return [[plain(batch) for batch in loader] for _ in range(2)]

    sorted_back = "Results come in the order of their numbers, each once."
    left_out = (
        "An item that is None is left out before cutting, so it takes no place in a"
        " batch."
    )
    ends = (
        "A StopIteration of do_item ends the items; those read before it still make a"
        " batch."
    )
    own_numbers = (
        "The same seed, epoch and index give the same numbers, whatever was drawn in"
        " between."
    )
    for options, what, promise in (
        ({}, "a plain loader", sorted_back),
        ({"shuffle": True}, "a shuffled loader", sorted_back),
        ({"shuffle": True, "drop_last": True}, "drop_last", sorted_back),
        ({"after_item": noisy}, "random augmentation", own_numbers),
        (
            {"indexed": False, "after_item": noisy},
            "a stream with random augmentation",
            own_numbers,
        ),
        (
            {"after_item": skip_where(lambda item: item % 4 == 1)},
            "skipped items",
            left_out,
        ),
        (
            {"after_item": lambda item: stop() if item == 7 else item},
            "a stream that stops",
            ends,
        ),
    ):
        alone, two = epochs(0, **options), epochs(2, **options)
        pairs = list(itertools.zip_longest(sum(alone, []), sum(two, [])))
        place = [a == b for a, b in [*pairs, (0, 1)]].index(False)
        want, got = [*pairs, (None, None)][place]
        expect(
            alone == two,
            promise,
            call=f"two epochs of {what}: num_workers=2 against 0",
            got=f"batch {place} with 2 workers: {got}",
            want=f"batch {place} as with 0 workers: {want}",
            look="in_order, item_generator, chunked",
        )
    first, second = epochs(0, shuffle=True)
    expect(
        first != second and sorted(sum(first, [])) == list(range(11)),
        "Each (seed, epoch) has its own order: seed 0 in epoch 1 is not seed 1 in epoch"
        " 0.",
        call="two epochs, shuffle=True",
        got=[first, second],
        want="two orders of 0..10",
    )


check(test_loader_together)

# %% [markdown]
"""
**Guess.** Two worker processes read the items in place of one process. Which of these
change: the order of the items, the random numbers drawn for them, the number of
processes?
"""


# %% demo demo_workers
# only fork hands a notebook's functions to a worker; without it (Windows) these cells
# stay in one process
FORK = hasattr(os, "fork")
METHOD = "fork" if FORK else None

with demo("real workers"):

    def note_process(item, rng):
        return item, os.getpid(), rng.integers(0, 100)

    for count in (0, 2 * FORK):
        loader = DataLoader(
            range(8),
            bs=2,
            shuffle=True,
            seed=0,
            num_workers=count,
            after_item=note_process,
            start_method=METHOD,
        )
        rows = [
            (int(i), int(pid), int(draw))
            for items, pids, draws in loader
            for i, pid, draw in zip(items.data, pids.data, draws.data)
        ]
        print(
            f"{count} workers: items {[row[0] for row in rows]}, draws"
            f" {[row[2] for row in rows]}, {len({row[1] for row in rows})} processes"
        )


# %% [markdown]
"""
**What you see.** Only the number of processes changes. `in_order` puts the batches back
into the order of the sampler, and each item draws from a generator that is keyed by the
item, not by the worker that happens to read it.
"""


# %%
progress("Several processes")

# %% [markdown]
"""
**In PyTorch.** `_worker_loop` in `torch/utils/data/_utils/worker.py` is a worker;
`_MultiProcessingDataLoaderIter` in `torch/utils/data/dataloader.py` puts the results in
order.

**What if** one item of a hundred takes ten times as long as the others? How many
finished results wait for it?
"""

# %% [markdown]
"""
## 6 Samplers

A **sampler** decides which indices an epoch visits. Three are given; you write the two
in which mistakes are easy. All count their epochs: each `iter` starts the next epoch
and draws anew; `set_epoch(k)` sets the next epoch to k.
"""


# %% given given_samplers
#| export
class Sampler:
    """Indices of an epoch. With a seed every epoch can be repeated; `set_epoch(k)`
    goes to epoch k.
    """

    def __init__(self, seed: int | None = None):
        self.seed, self.epoch = seed_of(seed), 0

    def set_epoch(self, epoch: int) -> None:
        self.epoch = whole("epoch", epoch, 0, MOST_SEED)

    def next_rng(self) -> np.random.Generator:
        """The Generator of this epoch; the next call gives the next epoch's."""
        epoch, self.epoch = self.epoch, self.epoch + 1
        return np.random.default_rng([self.seed, epoch])


class RandomSampler(Sampler):
    """Every index once in random order, and for more `num_samples` once more in another
    order; with `replacement`, `num_samples` independent draws.
    """

    def __init__(
        self,
        data_source,
        replacement: bool = False,
        num_samples: int | None = None,
        seed: int | None = None,
    ):
        super().__init__(seed)
        self.data_source = sized("data_source", data_source)
        self.replacement = flag("replacement", replacement)
        self._given = (
            None if num_samples is None else whole("num_samples", num_samples, 0)
        )
        if self.num_samples and not len(data_source):
            raise ValueError(
                f"num_samples={num_samples} cannot be drawn from an empty dataset"
            )

    num_samples = property(
        lambda self: len(self.data_source) if self._given is None else self._given,
        doc="Indices in an epoch; unless given, as many as the dataset has now.",
    )

    def __len__(self) -> int:
        return self.num_samples

    def __iter__(self) -> Iterator[int]:
        rng, count = self.next_rng(), len(self.data_source)
        if not count:
            return iter([])
        if self.replacement:
            return python_integers(rng.integers(0, count, self.num_samples))
        orders = (python_integers(rng.permutation(count)) for _ in itertools.count())
        return itertools.islice(itertools.chain.from_iterable(orders), self.num_samples)


class SubsetRandomSampler(Sampler):
    """The given indices in random order, each as often as it is given."""

    def __init__(self, indices: Sequence[int], seed: int | None = None):
        super().__init__(seed)
        self.indices = index_array(indices)

    def __len__(self) -> int:
        return len(self.indices)

    def __iter__(self) -> Iterator[int]:
        return python_integers(self.next_rng().permutation(np.asarray(self.indices)))


class BatchSampler:
    """Lists of `batch_size` indices of another sampler: for `batch_sampler=`."""

    def __init__(
        self, sampler: Iterable[int], batch_size: int, drop_last: bool = False
    ):
        self.sampler, self.batch_size, self.drop_last = (
            order_of("sampler", sampler),
            whole("batch_size", batch_size, 1),
            flag("drop_last", drop_last),
        )

    def __len__(self) -> int:
        count = len(self.sampler)
        return (
            count // self.batch_size if self.drop_last else -(-count // self.batch_size)
        )

    def __iter__(self) -> Iterator[list[int]]:
        return chunked(self.sampler, self.batch_size, self.drop_last)

    def set_epoch(self, epoch: int) -> None:
        if hasattr(self.sampler, "set_epoch"):
            self.sampler.set_epoch(epoch)


# %% [markdown]
"""
### 6a WeightedRandomSampler: rare classes more often
<!-- points -->, about 5 minutes

**Goal.** Draw sample i in proportion to `weights[i]`.

**Contract.** `iter(sampler)` -> an iterator over indices.

1. One `iter` gives `num_samples` Python integers from 0 to len(weights) - 1.
2. With replacement, index i is drawn with probability weights[i] / (sum of weights).
3. With replacement, each draw is independent of the others.
4. Without replacement no index comes twice, and larger weights tend to come first.
5. An index with weight 0 is never drawn.
6. Each `iter` draws anew, from `self.next_rng()` and from nothing else.
7. The weights that were given are not changed.
8. An error of `self.next_rng` reaches the caller unchanged, without a retry.

**By hand.** Weights 1, 3, 0: index 1 is drawn three times as often as index 0, and
index 2 never.

**Given.** `rng.choice(N, size=..., replace=..., p=...)`; `p` must sum to 1. The checks
in `__init__`. `python_integers(order)` gives an array's integers some at a time: a list
of them would be five times as large as the array.
"""


# %% stub weighted_sampler
#| export
class WeightedRandomSampler(Sampler):
    """`num_samples` indices, index i in proportion to weights[i].

    Raises:
        ValueError: a weight is negative or not finite, all are 0, or more are asked for
            without replacement than have a weight.
    """

    def __init__(
        self,
        weights: Sequence[float],
        num_samples: int,
        replacement: bool = True,
        seed: int | None = None,
    ):
        super().__init__(seed)
        self.weights, self.num_samples, self.replacement = (
            check_weights(weights, len(sized("weights", weights))),
            whole("num_samples", num_samples, 1),
            flag("replacement", replacement),
        )
        if not replacement and num_samples > np.count_nonzero(self.weights):
            raise ValueError(
                f"without replacement at most {np.count_nonzero(self.weights)} samples"
                f" have a weight; num_samples is {num_samples}"
            )

    def __len__(self) -> int:
        return self.num_samples

    def __iter__(self) -> Iterator[int]:
        """Return an iterator over `num_samples` indices (Python integers), newly
        drawn: at once, or when the first is asked for.
        """
        # TODO: about three lines.
        ### BEGIN SOLUTION
        share = self.weights / self.weights.sum()
        drawn = self.next_rng().choice(
            len(share), size=self.num_samples, replace=self.replacement, p=share
        )
        return python_integers(drawn)
        ### END SOLUTION


# %% law, 3 points
check("6a")

# %% [markdown]
"""
Eight machines train one model. Each (its number is the **rank**) reads its own share of
every epoch. All must shuffle *the same way* and then take different parts: if each rank
shuffles in its own way, some samples are read twice and others never. And all shares
must be equally long, or one rank waits forever for the others, which have no batch
left.
"""

# %% [markdown]
"""
### 6b DistributedSampler: the share of one machine
<!-- points -->, about 10 minutes

**Goal.** Give each rank its share: if R divides N, each sample is on one rank.

**Contract.** R = `num_replicas` ranks, N samples. `iter(sampler)` -> a rank's indices.

1. `len(sampler)` is N / R rounded up, or rounded down with `drop_last`.
2. Not shuffled, the order is 0, 1, ..., N-1.
3. Shuffled, it is a permutation of 0..N-1, the same on every rank.
4. The order is cut, or continued from its beginning, to the length R x len(sampler).
5. Rank r takes positions r, r + R, r + 2 R, ... as Python integers.
6. Each (seed, epoch) has its own order: seed 0 in epoch 1 is not seed 1 in epoch 0.
7. The order depends on (seed, epoch) alone: without `set_epoch` it does not change.
8. An error of the dataset reaches the caller unchanged, without a retry.

**By hand.** N = 5, R = 2, not shuffled: rank 0 has 0, 2, 4, rank 1 has 1, 3, 0.

**Given.** `np.random.default_rng([seed, epoch]).permutation(N)`;
`np.resize(order, length)` cuts an array or repeats it from its beginning;
`python_integers(order)`.
"""


# %% stub distributed_sampler
#| export
class DistributedSampler(Sampler):
    """The share of one rank: the same order on every rank, every R-th index of it.

    Args:
        num_replicas, rank: default to the environment's WORLD_SIZE and RANK, as
            torchrun sets them.

    Raises:
        ValueError: the rank is not in 0..num_replicas-1, or one of them is not given
            anywhere.
    """

    def __init__(
        self,
        dataset,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ):
        super().__init__(whole("seed", seed, 0, MOST_SEED))
        if num_replicas is None:
            num_replicas = from_environment("WORLD_SIZE")
        if rank is None:
            rank = from_environment("RANK")
        if num_replicas is None or rank is None:
            raise ValueError(
                "say how many ranks there are and which one this is: num_replicas=...,"
                " rank=..., or WORLD_SIZE and RANK in the environment"
            )
        self.num_replicas = whole("num_replicas", num_replicas, 1)
        self.rank = whole("rank", rank, 0)
        if self.rank >= self.num_replicas:
            raise ValueError(
                f"rank must be 0 to {self.num_replicas - 1} with {self.num_replicas}"
                f" ranks, got {self.rank}"
            )
        self.dataset = sized("dataset", dataset)
        self.shuffle = flag("shuffle", shuffle)
        self.drop_last = flag("drop_last", drop_last)

    def __len__(self) -> int:
        """Return the number of samples of this rank, the same on every rank."""
        # TODO: about two lines.
        ### BEGIN SOLUTION
        count = len(self.dataset)
        return (
            count // self.num_replicas
            if self.drop_last
            else -(-count // self.num_replicas)
        )
        ### END SOLUTION

    def __iter__(self) -> Iterator[int]:
        """Return an iterator over the indices (Python integers) of this rank in this
        epoch, drawn at once or when the first is asked for.
        """
        # TODO: about five lines.
        ### BEGIN SOLUTION
        count = len(self.dataset)
        order = (
            np.random.default_rng([self.seed, self.epoch]).permutation(count)
            if self.shuffle
            else np.arange(count)
        )
        order = np.resize(order, len(self) * self.num_replicas)
        return python_integers(order[self.rank :: self.num_replicas])
        ### END SOLUTION


# %% law, 5 points
check("6b")

# %%
progress("Samplers")

# %% [markdown]
"""
**In PyTorch.** `WeightedRandomSampler` in `torch/utils/data/sampler.py` is one call of
`torch.multinomial`; `DistributedSampler` stands in `torch/utils/data/distributed.py`.

**What if** you forget `set_epoch` there? Read `DistributedSampler.__iter__` and say
what the second epoch looks like.
"""

# %% [markdown]
"""
## 7 Do workers pay?

A worker has three costs: a process has to start, every batch has to be moved to the
main process, and the worker uses a processor core that the training step may need.
Workers pay if an item is expensive to load. So never say "4 workers are faster";
measure *your* items, with `time_to_first_batch(loader)` and the profiler's
`throughput(loader)`.
"""


# %% given given_measuring
#| export
def new_axes(ax=None):
    """`ax`, or the Axes of a new figure; matplotlib is imported here, so that
    loading never waits for it.
    """
    if ax is None:
        import matplotlib.pyplot as plt

        ax = plt.subplots(figsize=(6, 3.6), layout="constrained")[1]
    return ax


def time_to_first_batch(
    loader: Iterable, *, clock: Callable[[], float] = time.perf_counter
) -> float:
    """Seconds from the start of an epoch to its first batch; the rest of the epoch
    is left.
    """
    start = clock()
    batches = iter(loader)
    for _ in batches:
        break
    first_batch_seconds = clock() - start
    if hasattr(batches, "close"):
        batches.close()  # ends the workers now, not when somebody collects garbage
    return first_batch_seconds


# %% [markdown]
"""
### 7a plot_workers: one picture for cheap and expensive items
<!-- points -->, about 10 minutes

**Goal.** Draw one picture for cheap and for expensive items. Their samples/s are very
different, so draw the **speed-up**: the rate with k workers over the rate of the same
items without workers.

**Contract.** `plot_workers(records, ax)` -> Axes. `records`: name -> list of (number of
workers, samples/s), in any order; each list has an entry for 0 workers.

1. It draws on the given Axes, or on those of a new figure, and returns them.
2. Each name is one line with a label in a legend.
3. A point is the rate divided by the rate of the same line with 0 workers.
4. A line goes from the fewest workers to the most.
5. The labels are "worker processes" (x) and "speed-up over 0 workers (x)" (y).
6. The y axis begins at 0, and all points are inside the axes.
7. The records are not changed.

**By hand.** `{"cheap": [(0, 1000), (2, 500)]}` is one line through (0, 1) and (2, 0.5).

**Given.** `new_axes(ax)` makes an Axes if there is none.
"""


# %% stub plot_workers
#| export
def plot_workers(records: Mapping[str, Sequence[tuple[int, float]]], ax=None):
    """Draw each name's speed-up over its own rate without workers; records are name
    -> [(workers, samples/s), ...]. Return the Axes.
    """
    ax = new_axes(ax)
    # TODO: about seven lines.
    ### BEGIN SOLUTION
    for name, rows in records.items():
        alone = dict(rows)[0]
        counts, rates = zip(*sorted(rows))
        ax.plot(counts, [rate / alone for rate in rates], marker="o", label=name)
    ax.set_ylim(bottom=0)
    ax.set(xlabel="worker processes", ylabel="speed-up over 0 workers (x)")
    ax.legend()
    return ax
    ### END SOLUTION


# %% law, 2 points
check("7a")

# %% [markdown]
"""
Now measure real processes on your machine. The cheap item is a row of an array; the
expensive one does a lot of Python for each item. Look at the rate, and at the time to
the first batch, before which processes have to start.

**Guess.** Which items load faster with two worker processes than with none: the cheap
ones, the expensive ones, or both?
"""

# %% demo demo_measure
import matplotlib.pyplot as plt

from tinytorch.profiler import Law, throughput

with demo("workers, measured"):
    pixels = np.random.default_rng(0).integers(0, 256, (512, 3, 32, 32), np.uint8)

    class Expensive:
        """Reads a row and does some Python for it, as decoding a file would."""

        def __len__(self):
            return len(pixels)

        def __getitem__(self, index):
            checksum = 0
            for byte in pixels[index].reshape(-1).tolist():
                checksum = (31 * checksum + byte) % 65_521
            return pixels[index], checksum

    records, first = {}, {}
    for name, dataset in (("cheap items", pixels), ("expensive items", Expensive())):
        for count in (0, 1, 2) if FORK else (0,):
            settings = {"bs": 32, "num_workers": count, "start_method": METHOD}
            loader = DataLoader(dataset, persistent_workers=count > 0, **settings)
            first[name, count] = time_to_first_batch(DataLoader(dataset, **settings))
            records.setdefault(name, []).append(
                (count, throughput(loader, repeats=9).samples_per_second)
            )
            loader.close()
        for count, rate in records[name]:
            print(
                f"{name:<16} {count} workers {rate:>10,.0f} samples/s,"
                f" {rate / records[name][0][1]:5.2f} times; first batch after"
                f" {1e3 * first[name, count]:6.1f} ms"
            )
    axes = plt.subplots(figsize=(4.5, 3.6), layout="constrained")[1]
    plot_workers(records, axes).set_xticks([count for count, _ in records[name]])
    best = {
        name: max([rate for _, rate in rows[1:]] or [rows[0][1]]) / rows[0][1]
        for name, rows in records.items()
    }
    axes.set_title(
        "With workers, at best:"
        + "".join(
            f"\n{name} load {gain:.1f} times as fast" for name, gain in best.items()
        ),
        loc="left",
        fontsize=11,
    )
    if FORK and os.cpu_count() > 1:
        says = "with a free core, a second process loads expensive items faster"
        print(Law(says, holds=best["expensive items"] > 1))

# %% [markdown]
"""
**What you see.** Cheap items load more slowly with workers: handing a batch from one
process to another takes longer than reading its rows. Expensive items gain where cores
are free, because each process runs its own Python; more processes than free cores gain
nothing. The first batch comes later with workers, because processes have to start.

**The trap.** The step waits less with workers, and the epoch may still not get shorter:
on a machine with few cores, workers and training step take them from each other. So
look at three numbers together: waiting, the length of a step, and the time of the whole
epoch. `contention` says what happened.

**Guess.** On your machine, with as many workers as cores and a busy training step: does
the waiting shrink? Does the epoch?
"""

# %% demo demo_contention
from functools import partial

from tinytorch.profiler import Profiler, contention, in_turns

with demo("workers and the training step on the same cores"):
    weights = np.ones((700, 700), np.float32)
    loaders = {
        f"{count} worker{'s' * (count != 1)}": DataLoader(
            Expensive(),
            bs=32,
            num_workers=count,
            persistent_workers=count > 0,
            start_method=METHOD,
        )
        for count in ((0, 1, 2, 4) if FORK else (0,))
    }
    for loader in loaders.values():
        list(loader)  # the processes are there when the clock starts

    def epoch_seconds(name, profiler):
        """Seconds of an epoch whose step keeps the processor busy."""
        start = time.perf_counter()
        for _ in profiler.wrap(loaders[name], name):
            weights @ weights
        return time.perf_counter() - start

    with Profiler() as profiler:
        seconds = in_turns(
            {name: partial(epoch_seconds, name, profiler) for name in loaders},
            rounds=7,
            warmup=0,
        )
    reports = {name: profiler.report(name) for name in loaders}
    print(f"{os.cpu_count()} cores")
    for name, report in list(reports.items())[1:]:
        print(f"{name}: {contention(reports['0 workers'], report)}")
    print(seconds)
    for loader in loaders.values():
        loader.close()
    names = list(loaders)
    waiting = np.array([reports[name].idle_share for name in names])
    epochs_ms = 1e3 * np.array([seconds[name] for name in names])
    axes = plt.subplots(figsize=(4.5, 3.4), layout="constrained")[1]
    axes.barh(names, (1 - waiting) * epochs_ms, label="in its 16 steps")
    axes.barh(
        names,
        waiting * epochs_ms,
        left=(1 - waiting) * epochs_ms,
        label="waiting for batches",
    )
    axes.set_title(
        f"From 0 to {names[-1]}: waiting {waiting[0]:.0%} to {waiting[-1]:.0%},"
        f"\nan epoch {epochs_ms[0]:.0f} to {epochs_ms[-1]:.0f} ms",
        fontsize=11,
    )
    axes.set(xlabel="time of an epoch (ms)")
    axes.invert_yaxis()
    axes.figure.legend(loc="outside lower center", ncols=2, frameon=False)

# %% [markdown]
"""
**What you see.** With workers the step waits less, because batches are loaded while it
runs. Where cores are shared, the steps take longer by about as much, and the epoch is
no shorter: the waiting has moved into the steps. Only a free core makes the epoch
shorter. Compare the whole bars, never the waiting alone.

**Memory.** Each worker has its own objects. What it only *reads* is shared with the
main process after a fork, until a page is written; and CPython writes into every object
it touches (the reference count). A list of a million small objects is slowly copied
into every worker; one array is not.

**Guess.** A worker reads 400,000 names, once from a list of strings and once from an
array. By how many MB does the worker grow each time?
"""


# %% demo demo_memory
def private_megabytes():
    """Memory that this process shares with nobody, in MB; None where the system does
    not tell (Linux does).
    """
    try:
        with open("/proc/self/smaps_rollup", encoding="ascii") as file:
            return (
                sum(int(line.split()[1]) for line in file if line.startswith("Private"))
                / 1e3
            )
    except OSError:
        return None


with demo("the memory of a worker"):
    as_list = [f"image number {k}" for k in range(400_000)]
    as_array = np.array(as_list)
    for name, names in (("a list of strings", as_list), ("one array", as_array)):

        def touch(index, names=names):
            before = private_megabytes()
            sum(len(text) for text in names)
            after = private_megabytes()
            return -1.0 if after is None else after - before

        grown = DataLoader(
            range(1), bs=1, num_workers=int(FORK), after_item=touch, start_method=METHOD
        )
        print(
            f"{name:<18} reading it all makes a worker"
            f" {float(next(iter(grown)).data[0]):6.1f} MB larger"
        )


# %% [markdown]
"""
**What you see.** Reading the list makes the worker larger by several MB, although it
changes nothing: each string that is read gets a new reference count, and the page of
memory around it is copied. The array is one object, so its pages stay shared. (Where
the system does not tell how much memory is private, the cell prints -1.)
"""


# %%
progress("Measurements")

# %% [markdown]
"""
## 8 Three numbers

Calculate before you measure: then you know what to expect, and notice when a
measurement is odd. Each answer is a function, so that you can use it for *your* machine
too. A result is right if it is within 1% of what it should be.
"""

# %% [markdown]
"""
### 8a bytes_on_their_way: how much memory do workers fill?
<!-- points -->, about 4 minutes

**Goal.** Calculate the bytes of all batches that were given out but not used yet.

**Contract.** `bytes_on_their_way(num_workers, prefetch, batch_size, image_shape,
dtype)` -> bytes.

1. `num_workers` x `prefetch` batches are prepared ahead, each of `batch_size` images.
2. An image has as many numbers as the product of `image_shape`, each as large as
   `dtype` says.

**By hand.** 2 workers, `prefetch=3`, batches of 10 images of 3 x 10 x 10, uint8: 6
batches x 10 images x 300 numbers x 1 byte = 18,000 bytes.

**Given.** `np.dtype(dtype).itemsize` is the number of bytes of one number, `math.prod`
multiplies a shape's sides.
"""


# %% stub bytes_on_their_way
#| export
def bytes_on_their_way(
    num_workers: int, prefetch: int, batch_size: int, image_shape: tuple, dtype: str
) -> int:
    """Return the bytes of all batches on their way.

    Args:
        num_workers, prefetch: processes, and batches on their way for each of them.
        batch_size: images in a batch.
        image_shape: such as (3, 224, 224).
        dtype: the type of one number, such as "float32".
    """
    # TODO: one or two lines.
    ### BEGIN SOLUTION
    image_bytes = math.prod(image_shape) * np.dtype(dtype).itemsize
    return num_workers * prefetch * batch_size * image_bytes
    ### END SOLUTION


# %% law, 1 point
check("8a")

# %% [markdown]
"""
### 8b overlap_speed_up: how many times faster is an epoch?
<!-- points -->, about 4 minutes

**Goal.** Calculate the most that workers can gain.

**Contract.** `overlap_speed_up(item_seconds, batch_size, step_seconds, num_workers)` ->
how many times faster.

1. Without workers, a batch takes the seconds of all its items and of the step.
2. With workers, loading is shared equally, and the slower of loading and step sets the
   pace.

Assume that each worker has a core of its own.

**By hand.** 10 ms for an item, 10 items, a step of 50 ms, 4 workers: before, 100 + 50 =
150 ms for each batch; after, the larger of 100 / 4 = 25 ms and 50 ms. 150 / 50 = 3
times faster.
"""


# %% stub overlap_speed_up
#| export
def overlap_speed_up(
    item_seconds: float, batch_size: int, step_seconds: float, num_workers: int
) -> float:
    """Return how many times faster an epoch is with workers than without: 1.5 means
    that it takes two thirds of the time.

    Args:
        item_seconds: seconds to load one item.
        batch_size: items in a batch.
        step_seconds: seconds of one training step.
        num_workers: 1 or more.
    """
    # TODO: about three lines.
    ### BEGIN SOLUTION
    load_seconds = item_seconds * batch_size
    alone = load_seconds + step_seconds
    return alone / max(load_seconds / num_workers, step_seconds)
    ### END SOLUTION


# %% law, 1 point
check("8b")

# %% [markdown]
"""
### 8c rare_share: what do weights do?
<!-- points -->, about 4 minutes

**Goal.** Calculate the share of rare samples among the drawn ones.

**Contract.** `rare_share(share, weight)` -> a number from 0 to 1. `share` (0 to 1) of
the samples belong to the rare class. Each rare sample has the weight `weight`, each
other sample has weight 1, and a `WeightedRandomSampler` draws them with replacement.

1. The answer is the weight of the rare samples over the weight of all.

**By hand.** A fifth of the samples, weight 4: of 5 samples, 1 is rare with weight 4,
and the other 4 weigh 4 together. 4 / (4 + 4) = 0.5.
"""


# %% stub rare_share
#| export
def rare_share(share: float, weight: float) -> float:
    """Return the share of rare samples among the drawn ones, from 0 to 1.

    Args:
        share: the rare samples among all samples, from 0 to 1.
        weight: of each rare sample; each other one has weight 1.
    """
    # TODO: one or two lines.
    ### BEGIN SOLUTION
    return share * weight / (share * weight + 1 - share)
    ### END SOLUTION


# %% law, 1 point
check("8c")

# %%
progress("Three numbers")

# %% [markdown]
"""
## 9 Two questions

A person reads your answers. Write them in the cell *below* each question, in three to
six sentences, with numbers where you have them. The question is locked: text typed into
it is lost.
"""

# %% question sys_how_many_workers, 3 points [markdown]
"""
### 9a How many workers?
<!-- points -->, about 5 minutes

A colleague sets `num_workers=16` everywhere, "because more is faster". Her machine has
8 cores, the training step runs on them too, and the samples lie in memory as one array.
What happens, how would she notice, and what would you do instead?

### BEGIN MARK SCHEME
1 point: samples in memory are cheap; carrying a batch to the main process (copy,
hand-over, process start) costs more than the row gather it replaces, so workers slow it
down; 0 workers or one gather for a batch is best (own measurement quoted). 1 point: 16
workers and the step compete for 8 cores: waiting falls while the step gets longer; look
at the time of the whole epoch (contention), not at the waiting alone. 1 point: the way
to a number: measure with 0, 1, 2, 4 ... for these items, stop at the knee; about
(loading time of a batch) / (time of a step) workers are enough; memory grows with
workers x prefetch x batch.
### END MARK SCHEME
"""

# %% [markdown]
"""
*Your answer here.*
"""

# %% question sys_state_in_workers, 3 points [markdown]
"""
### 9b State in workers
<!-- points -->, about 5 minutes

A dataset opens a file in `__init__` and reads item i with `seek` and `read`; it also
counts in `self.reads` how often it was read, and augments with a generator made in
`__init__`. With `num_workers=0` all is well. What goes wrong in each of the three with
4 forked workers, and how is each mended?

### BEGIN MARK SCHEME
1 point: forked processes share one open file description, so one worker's seek moves
the other's position: mixed-up items; open the file in each worker (lazily, or in wif /
worker_init), or read at a position (os.pread, memory map). 1 point: each worker counts
in its own copy and the main process sees 0: return the count with the batch, or keep it
in the main process (after_batch). 1 point: copies of one generator draw the same
numbers in every worker (and, if workers are new each epoch, in every epoch); numbers
from (seed, epoch, index) as in item_generator; a seed for each worker is distinct but
depends on who gets which item.
### END MARK SCHEME
"""

# %% [markdown]
"""
*Your answer here.*
"""

# %% [markdown]
"""
## Done

Export and test: `tito export 08b`, then `tito test 08b`. Submit with `tito submit 08b`.
Your loader is now in `tinytorch.data.callback_loader`; it has real workers, and users
can replace each of its steps.
"""

# %% given given_finish
finish()

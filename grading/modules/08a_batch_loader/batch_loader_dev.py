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
# 08a Batch loader

The loader of module 08 asks a dataset for samples by number, in any order. Other
systems ask for **ranges**: "records 9,990 to 10,010, please". PEDL (today Determined)
does, and so do many readers of large files, because one long read is much faster than
many short ones. In this lab you build such a loader: over arrays in memory, over a
slice of another loader, and over files that do not fit in memory together. Then you
keep results on disk between runs, connect your loader to the DataLoader of module 08,
and measure what shuffling costs a loader that reads files.

**<!-- hours -->, <!-- points -->.** You need module 08: Tensors, datasets, a
DataLoader.

**How to work.** Every exercise has a number, such as 4a, and a stub with a `TODO`.
Replace the `raise NotImplementedError(...)` under it, run the cell, then run
`check("4a")` below it. It tells which of the exercise's numbered promises hold, and of
the first that does not: what was called, what came of it and where to look. Stuck?
`tito hint 08a 4a` gives one hint at a time. Save, then `%test 4a` tests the notebook
as you saved it; `%test 4a --laws` shows how each promise is tested.

When you are done: `tito export 08a` writes your code to
`tinytorch/data/batch_loader.py`. The grader tests the same promises with other data;
each one that holds earns its share of the exercise's points. The questions 12a and 12b
have no tests: a person reads your answers.
"""

# %% given given_setup
#| export
import functools
import hashlib
import os
import threading
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np

from tinytorch.core.gather import rows
from tinytorch.core.tensor import Tensor
from tinytorch.data.memo import MISS, MemoStore, code_bytes, stable_bytes

IMAGE_SIZE = 32 * 32 * 3  # bytes of a CIFAR-10 image

# %% given given_test_tools
# Given: `check("1a")` runs the laws of exercise 1a, one for each promise; you can read
# them in the folder tests. Nothing here is exported.
import tempfile

from tinytorch.classes import add_to_class
from tinytorch.laws import checker
from tinytorch.testing import (
    demo,
    expect,
    finish,
    progress,
)

check = checker("08a_batch_loader")

# %% [markdown]
"""
## 1 A batch has names

A **record** is one example: an input (an image) and an output (a label). Some records
have several inputs (an image and the hour it was taken) or several outputs. A **batch**
is a few records together, an array for each name, and the first dimension of every
array counts the records. If one array is shorter, some record is incomplete, so a batch
refuses it.
"""


# %% given given_first_dimension
#| export
def first_dimension(label: str, array: np.ndarray) -> int:
    """The records in one array of a batch. Raises ValueError for a single number,
    which has no first dimension.
    """
    if array.ndim == 0:
        raise ValueError(
            f"the first dimension of an array counts the records; {label} is the single"
            f" number {array.item()!r}. Wrap it: [value]"
        )
    return len(array)


# %% [markdown]
"""
### 1a Batch: named arrays of one length
<!-- points -->, about 10 minutes

**Goal.** Write the class of all batches of this lab.

**Given.** `first_dimension(label, array)` is the number of records in an array; it
refuses a single number. `np.asarray(x)` makes an array of a list, and returns an array
unchanged.

**Contract.** `Batch(inputs, outputs)` -> a value with dicts `inputs` and `outputs`, and
`len`; each argument is an array, a list, or a dict of them.

1. `inputs` and `outputs` are dicts of NumPy arrays; the names keep their order.
2. A bare array is called `"input"` or `"output"`.
3. `len(batch)` is the number of records; it may be 0.
4. Arrays are neither copied nor converted.
5. Arrays of unequal first dimension raise `ValueError` with each name and its size.
6. `inputs` and `outputs` may use the same name for two arrays.
7. One side may be `{}`, but no array at all raises `ValueError`.
8. A single number raises `ValueError` with its name.
9. The caller's dicts are not changed.

**By hand.** 4 images and 3 labels: `all arrays of a Batch need the same first
dimension, got inputs['input'] 4, outputs['output'] 3`.
"""


# %% stub batch
#| export
class Batch:
    """A few records: named arrays in `inputs` and `outputs`, whose first dimension
    counts the records.

    Args:
        inputs: an array (its name is then "input"), or a dict name -> array.
        outputs: an array (its name is then "output"), or a dict name -> array; {} where
            nothing is to be predicted.

    Raises:
        ValueError: no array at all, a single number, or arrays of unequal first
            dimension; the message has the names and sizes.
    """

    def __init__(self, inputs, outputs):
        # TODO: about eight lines: two dicts of arrays, their sizes, two checks.
        ### BEGIN SOLUTION
        sides = {
            "inputs": inputs if isinstance(inputs, Mapping) else {"input": inputs},
            "outputs": outputs if isinstance(outputs, Mapping) else {"output": outputs},
        }
        self.inputs, self.outputs = (
            {name: np.asarray(array) for name, array in side.items()}
            for side in sides.values()
        )
        sizes = {
            f"{side}[{name!r}]": first_dimension(f"{side}[{name!r}]", array)
            for side in sides
            for name, array in getattr(self, side).items()
        }
        if not sizes:
            raise ValueError("a Batch needs at least one array, got none")
        if len(set(sizes.values())) > 1:
            listed = ", ".join(f"{label} {size}" for label, size in sizes.items())
            raise ValueError(
                f"all arrays of a Batch need the same first dimension, got {listed}"
            )
        ### END SOLUTION

    def __len__(self) -> int:
        """Return the number of records."""
        # TODO: one line; any of the arrays knows.
        ### BEGIN SOLUTION
        return len(next(iter([*self.inputs.values(), *self.outputs.values()])))
        ### END SOLUTION

    def __repr__(self) -> str:
        shown = [
            f"{name} {array.dtype} {array.shape}"
            for side in (self.inputs, self.outputs)
            for name, array in side.items()
        ]
        return f"Batch of {len(self)}: {', '.join(shown)}"


# %% law, 4 points
check("1a")


# %% [markdown]
"""
## 2 A loader hands out ranges

The interface has two methods. One says how many records there are; the other returns
the records from `start` up to, but not including, `end`. Everything else in this lab is
built from these two. `BatchLoader` below defines them, as an abstract base class
(module 08, section 1).
"""


# %% given given_batch_loader
#| export
class BatchLoader(ABC):
    """A sequence of records that is read in ranges. A subclass writes `__len__` and
    `get_batch`.
    """

    @abstractmethod
    def __len__(self) -> int:
        """Return the number of records."""

    @abstractmethod
    def get_batch(self, start: int, end: int) -> Batch:
        """Return the records from `start` up to, not including, `end`; an empty range
        gives an empty Batch of the right shape.

        Raises:
            IndexError: not 0 <= start <= end <= len(self).
        """


# %% [markdown]
"""
Python's own slices accept any range: `[1, 2, 3][2:9]` is `[3]`, and `[1, 2, 3][-1:3]`
counts from the end. In a loader this would hide mistakes: the batch is short, or holds
records that nobody asked for. So your loaders refuse a range outside the data.
"""

# %% [markdown]
"""
### 2a check_range: refuse a range outside
<!-- points -->, about 5 minutes

**Goal.** Write the check that every loader of this lab makes before it reads.

**Contract.** `check_range(start, end, length)` -> None, or an `IndexError`.

1. A range with `0 <= start <= end <= length` gives None.
2. An empty range, `start == end`, is inside too, even at the very end.
3. Any other range raises `IndexError` with `start`, `end` and `length`.

**By hand.** `check_range(3, 12, 10)`:
`IndexError: range 3:12 is outside 0:10; 0 <= start <= end <= 10 must hold`.
"""


# %% stub check_range
#| export
def check_range(start: int, end: int, length: int) -> None:
    """Raise IndexError, with the numbers, unless 0 <= start <= end <= length."""
    # TODO: two lines.
    ### BEGIN SOLUTION
    if not 0 <= start <= end <= length:
        raise IndexError(
            f"range {start}:{end} is outside 0:{length};"
            f" 0 <= start <= end <= {length} must hold"
        )
    ### END SOLUTION


# %% law, 2 points
check("2a")


# %% [markdown]
"""
The simplest loader has everything in memory already. Below is `ArrayBatchLoader`
without its `get_batch`. You write that method in a cell of its own, which
`@add_to_class(ArrayBatchLoader)` attaches to the class; `tito export` writes it into
the class.
"""


# %% given given_array_batch_loader
#| export
class ArrayBatchLoader(BatchLoader):
    """Arrays in memory, or memory-mapped files (np.load with mmap_mode="r"), as a batch
    loader.

    Args:
        inputs, outputs: as in `Batch`. They are not copied.

    Raises:
        ValueError: as in `Batch`.
    """

    def __init__(self, inputs, outputs):
        whole = Batch(inputs, outputs)
        self.inputs, self.outputs, self.length = whole.inputs, whole.outputs, len(whole)
        arrays = [
            array
            for side in (inputs, outputs)
            for array in (side.values() if isinstance(side, Mapping) else [side])
        ]
        self._maps = [array for array in arrays if isinstance(array, np.memmap)]

    def __len__(self) -> int:
        """Return the number of records."""
        return self.length


# %% [markdown]
"""
### 2b ArrayBatchLoader.get_batch: arrays in memory
<!-- points -->, about 5 minutes

**Goal.** Return ranges of arrays that are in memory. Exercise 6a does the same with
files.

**Given.** `self.inputs` and `self.outputs`, dicts of arrays, and `self.length`.
`check_range`, `Batch`. The first lines of the stub are for memory-mapped files; leave
them.

**Contract.** `get_batch(start, end)` -> a Batch of that range. It costs the same for
one record and for a million.

1. Every array is in the batch, under its name, in inputs or outputs.
2. A batch holds records `start` to `end - 1` of every array.
3. The arrays of a batch are views of the loader's arrays: nothing is copied.
4. An empty range gives a batch of 0 records.
5. A range outside raises `IndexError` with its numbers.

**By hand.** Ten records: `get_batch(3, 7)` has records 3, 4, 5 and 6;
`get_batch(8, 12)` is an `IndexError`.
"""


# %% stub array_batch_loader
#| export
@add_to_class(ArrayBatchLoader)
def get_batch(self, start: int, end: int) -> Batch:
    """Return records start..end-1 as a Batch of views: no record is copied.
    Raises IndexError for a range outside.
    """
    for array in self._maps:
        # what earlier batches have touched of a large file is given back; reading
        # no rows asks for that
        rows(array, np.empty(0, np.int64))
    # TODO: about four lines.
    ### BEGIN SOLUTION
    check_range(start, end, self.length)
    return Batch(
        {name: array[start:end] for name, array in self.inputs.items()},
        {name: array[start:end] for name, array in self.outputs.items()},
    )
    ### END SOLUTION


# %% law, 2 points
check("2b")


# %% [markdown]
"""
## 3 A slice of a loader is a loader

Often there is one set of records, and you want most of them for training and the rest
for validation. Nothing has to be copied: it is enough to add `start` to both ends of
each range. The slice is a loader too, so it can be sliced again.
"""

# %% [markdown]
"""
### 3a SliceBatchLoader: a part of a loader
<!-- points -->, about 5 minutes

**Goal.** Split one loader into training and validation records. Exercise 8a uses it.

**Given.** `check_range`; `loader` has `len` and `get_batch`.

**Contract.** `SliceBatchLoader(loader, start, length)` -> a loader of `length` records
of `loader`, from record `start` on.

1. `len(part)` is `length`, even if it is 0.
2. Record i of a slice is record `start + i` of its loader.
3. Each call asks the loader once, for the range it needs and for nothing else.
4. Making a slice reads nothing.
5. A range outside the slice raises `IndexError`, although the loader has those records.
6. A slice that does not fit into its loader raises `ValueError` with its numbers when
   made.
7. An error of the loader reaches the caller unchanged, without a retry.

**By hand.** `SliceBatchLoader(loader, 100, 50).get_batch(10, 20)` asks the loader for
records 110 to 120.
"""


# %% stub slice_batch_loader
#| export
class SliceBatchLoader(BatchLoader):
    """Records start..start+length-1 of another batch loader, counted from 0 again.
    Nothing is copied, nothing is read ahead.

    Args:
        loader: anything with `len` and `get_batch`.
        start, length: both 0 or more; start + length is at most len(loader).

    Raises:
        ValueError: the slice does not fit into the loader.
    """

    def __init__(self, loader, start: int, length: int):
        # TODO: about four lines.
        ### BEGIN SOLUTION
        if start < 0 or length < 0 or start + length > len(loader):
            raise ValueError(
                f"a slice lies inside its loader; {length} records from record {start}"
                f" on do not fit into {len(loader)}"
            )
        self.loader, self.start, self.length = loader, start, length
        ### END SOLUTION

    def __len__(self) -> int:
        """Return the number of records in the slice."""
        # TODO: one line.
        ### BEGIN SOLUTION
        return self.length
        ### END SOLUTION

    def get_batch(self, start: int, end: int) -> Batch:
        """Return records start..end-1 of the slice. Raises IndexError for a range
        outside the slice.
        """
        # TODO: two lines.
        ### BEGIN SOLUTION
        check_range(start, end, self.length)
        return self.loader.get_batch(self.start + start, self.start + end)
        ### END SOLUTION


# %% law, 3 points
check("3a")


# %%
progress("Ranges")

# %% [markdown]
"""
## 4 Ranges over files

CIFAR-10 comes as five training files of 10,000 records each. Your loader presents them
as one sequence of 50,000 records. Record 10,005 is record 5 of file 1. A range may
begin in one file and end in another. The reader below gives the right records but is
slow: it opens a file for every record.
"""


# %% given given_clumsy_reader
def clumsy_records(load, start, end, file_length):
    return [
        load(record // file_length)[record % file_length]
        for record in range(start, end)
    ]


opened = []


def pretend_to_load(file):
    opened.append(file)
    return [f"record {k} of file {file}" for k in range(10)]


read = clumsy_records(pretend_to_load, 8, 21, file_length=10)
print(
    f"{len(read)} records, from {read[0]!r} to {read[-1]!r}; files opened:"
    f" {len(opened)}, different ones: {len(set(opened))}"
)

# %% [markdown]
"""
### 4a file_ranges: which part of which file?
<!-- points -->, about 10 minutes

**Goal.** Calculate which records of which files a range needs. Exercise 6a reads them.

**Given.** `divmod(23, 10)` is `(2, 3)`: file 2, record 3 in it.

**Contract.** `file_ranges(start, end, file_length)` -> list of `(file, first, last)`:
records `first` to `last - 1` of each file.

1. Together the pieces hold every record of the range once, in order.
2. `first` and `last` count within the file: `0 <= first < last <= file_length`.
3. Each file that holds records of the range has one piece.
4. The result is a list; an empty range gives `[]`.
5. It works for thousands of files, and for record numbers up to 10**18.

**By hand.** The range of the reader above: `file_ranges(8, 21, 10)` is
`[(0, 8, 10), (1, 0, 10), (2, 0, 1)]`.
"""


# %% stub file_ranges
#| export
def file_ranges(start: int, end: int, file_length: int) -> list[tuple[int, int, int]]:
    """Return the pieces of range start:end as (file, first, last), records
    first..last-1 of each file; empty for an empty range.

    Args:
        start, end: 0 <= start <= end.
        file_length: records in each file.
    """
    # TODO: about seven lines: walk from start to end, one file at a time.
    ### BEGIN SOLUTION
    pieces = []
    while start < end:
        file, first = divmod(start, file_length)
        last = min(file_length, first + end - start)
        pieces.append((file, first, last))
        start += last - first
    return pieces
    ### END SOLUTION


# %% law, 4 points
check("4a")


# %% [markdown]
"""
## 5 Keep a few files, not all

Reading a file of 10,000 images takes far longer than slicing it. So a loader should
keep the files that it read last in memory, but only as many as there is room for. When
the room is full, a cache drops the file that was not used for the longest time: this
rule is called **LRU**, least recently used. `functools.lru_cache`, which PEDL's page
puts on a method, follows it too, but has three faults. It belongs to the class, so it
keeps unused loaders in memory; its size is fixed in the code; and it reads the new file
*before* it drops the old one, so a cache for one file needs memory for two. You write a
cache without these faults.

An `OrderedDict` remembers the order of its keys: `move_to_end(key)` makes one the
newest, `popitem(last=False)` drops the oldest. The class below lacks only `_find`, the
method that decides which values to keep; its `get` takes a lock and calls your `_find`.
"""


# %% given given_file_cache
#| export
class FileCache:
    """The last results of `load(key)`; the least recently used one goes first. Threads
    may share it; a copy in another process starts empty.

    Args:
        load: called with a key, for a value that is not held.
        slots: how many values are held at most, also while the next is loaded; 1 or
            more.

    Attributes:
        loads: calls of `load` that returned. hits: gets that found their value.

    Raises:
        ValueError: slots is not an integer of 1 or more.
    """

    def __init__(self, load: Callable[[Hashable], Any], slots: int = 1):
        if (
            isinstance(slots, bool)
            or not isinstance(slots, (int, np.integer))
            or slots < 1
        ):
            raise ValueError(
                f"the number of slots is an integer of 1 or more, got {slots!r}"
            )
        self.load, self.slots = load, int(slots)
        self.loads = self.hits = 0
        self._held, self._lock = OrderedDict(), threading.RLock()

    @property
    def resident(self) -> tuple:
        """The keys that are held, least recently used first."""
        return tuple(self._held)

    def get(self, key: Hashable) -> Any:
        """Return load(key), from memory where it is held."""
        with self._lock:
            return self._find(key)

    def __getstate__(self) -> dict:
        """For pickle (a worker process): the settings, without the lock and without
        what is held.
        """
        return {"load": self.load, "slots": self.slots}

    def __setstate__(self, state: dict) -> None:
        self.__init__(**state)


# %% [markdown]
"""
### 5a FileCache: which values to keep
<!-- points -->, about 15 minutes

**Goal.** Keep a limited number of values in memory, for the files of 6a.

**Given.** `self._held`, an empty OrderedDict; `self.load`, `self.slots`, and the
counters `self.loads` and `self.hits`, both 0. `load` never asks this cache.

**Contract.** `FileCache(load, slots).get(key)` -> the value of `key`.

1. `get(key)` returns what `load(key)` returned.
2. A value that is held is not loaded again, even if it is `None`, 0 or empty.
3. The values of the last `slots` different keys are held.
4. `loads` counts the calls of `load` that returned, `hits` the gets that needed none.
5. The oldest value is dropped before `load` is called: at most `slots` are held.
6. An error of `load` reaches the caller unchanged, without a retry.
7. A `load` that raises is not counted, and nothing is kept of it.
8. If `load` raises, at most the oldest value is lost.

**By hand.** Two slots, keys a b a c a b: load a, b; hit a; load c (drops b); hit a;
load b (drops c). So `loads` is 4, `hits` is 2.
"""


# %% stub file_cache
#| export
@add_to_class(FileCache)
def _find(self, key: Hashable) -> Any:
    """Return the value of `key`: the one that is held, or a new one from `load`."""
    # TODO: about eight lines.
    ### BEGIN SOLUTION
    if key in self._held:
        self.hits += 1
        self._held.move_to_end(key)
        return self._held[key]
    if len(self._held) >= self.slots:
        # not bound to a name: a name would keep the value alive through the load
        self._held.popitem(last=False)
    value = self._held[key] = self.load(key)
    self.loads += 1
    return value
    ### END SOLUTION


# %% law, 6 points
check("5a")


# %% [markdown]
"""
## 6 A loader over files

This loader joins the last exercises: it cuts a range into pieces of files and reads
these through a cache. Reading one file is given: `read_records` uses the restricted
reader of `tinytorch.datasets` (a pickle may contain code to run; this reader runs none)
and refuses a file that does not hold `file_length` records, because every record after
it would get a wrong number. The class is given as well, without its `get_batch`.
"""


# %% given given_read_records
#| export
def read_records(path: str | os.PathLike, file_length: int) -> dict[str, np.ndarray]:
    """Return one batch file of CIFAR-10 as {"data": uint8 (file_length, 3072),
    "labels": int64 (file_length,)}.

    Raises:
        tinytorch.datasets.DamagedFile: it is no batch file. ValueError: it
            holds another number of records. OSError: it cannot be opened.
    """
    from tinytorch.datasets import read_batch

    try:
        records = read_batch(path)
    except FileNotFoundError:
        raise FileNotFoundError(
            f"{path}: no such batch file; CIFAR-10's folder has data_batch_1 to"
            " data_batch_5 and test_batch"
        ) from None
    if len(records["labels"]) != file_length:
        raise ValueError(
            f"every file must hold file_length = {file_length} records, {path} holds"
            f" {len(records['labels'])}; pass file_length={len(records['labels'])} if"
            " all files are alike, else load the files into an ArrayBatchLoader"
        )
    return {"data": records["data"], "labels": records["labels"]}


# %% given given_cifar10_batch_loader
#| export
class CIFAR10BatchLoader(BatchLoader):
    """CIFAR-10's batch files, one after the other, as a batch loader; at most
    `cache_size` files are in memory.

    Args:
        pickle_files: list of paths; record 0 is the first of the first file.
        file_length: records in each file; 1 or more.
        cache_size: files that stay in memory; 1 is enough to read in order.

    Attributes:
        cache: the `FileCache`; `cache.loads` counts the files that were read.

    Raises:
        TypeError: pickle_files is a single path. ValueError: file_length or cache_size
            is not an integer of 1 or more.
    """

    def __init__(
        self,
        pickle_files: Sequence[str | os.PathLike],
        file_length: int = 10000,
        *,
        cache_size: int = 1,
    ):
        if isinstance(pickle_files, (str, os.PathLike)):
            # a string is a sequence of letters
            raise TypeError(
                "pickle_files is a list of paths, got the one path"
                f" {str(pickle_files)!r}; write [path]"
            )
        if (
            isinstance(file_length, bool)
            or not isinstance(file_length, (int, np.integer))
            or file_length < 1
        ):
            raise ValueError(
                "file_length is the number of records in each file, an integer of 1 or"
                f" more, got {file_length!r}"
            )
        self.pickle_files, self.file_length = list(pickle_files), int(file_length)
        self.cache = FileCache(
            functools.partial(read_records, file_length=self.file_length), cache_size
        )

    def __len__(self) -> int:
        """Return the number of records in all files."""
        return len(self.pickle_files) * self.file_length

    def load_file(self, idx: int) -> dict[str, np.ndarray]:
        """Return the records of file number idx, from the cache where it is held."""
        if not 0 <= idx < len(self.pickle_files):
            raise IndexError(
                f"there are files 0 to {len(self.pickle_files) - 1}, got {idx}"
            )
        return self.cache.get(self.pickle_files[idx])


# %% [markdown]
"""
### 6a CIFAR10BatchLoader.get_batch: ranges over files
<!-- points -->, about 15 minutes

**Goal.** Return any range of all files as one Batch.

**Given.** `self.load_file(idx)` is
`{"data": uint8 (file_length, 3072), "labels": int64 (file_length,)}`, through the
cache. `np.empty((n, IMAGE_SIZE), np.uint8)` makes room for n images.
`self.file_length`, `file_ranges`, `check_range`, `Batch`.

**Contract.** `get_batch(start, end)` -> a Batch of these n records.

1. `input` is uint8 of shape (n, 3072), `output` int64 of shape (n,).
2. A batch holds the images and labels of its range, in order, across files.
3. Each file that holds records of the range is asked for once, other files never.
4. An empty range gives an empty Batch and reads no file.
5. A range outside raises `IndexError` with its numbers and reads no file.
6. A batch has its own memory, shared with no file and no other batch.
7. No variable refers to one file while the next one is loaded.
8. An error of reading a file reaches the caller unchanged, without a retry.

**By hand.** Files of 10 records: `get_batch(8, 12)` is two records of file 0 and two of
file 1, with inputs of shape (4, 3072).
"""


# %% stub cifar10_batch_loader
#| export
@add_to_class(CIFAR10BatchLoader)
def get_batch(self, start: int, end: int) -> Batch:
    """Return records start..end-1: inputs uint8 (n, 3072), outputs int64 (n,),
    both new. Raises IndexError for a range outside.
    """
    # TODO: about nine lines: room for the records, then fill it piece by piece.
    ### BEGIN SOLUTION
    check_range(start, end, len(self))
    images, labels = (
        np.empty((end - start, IMAGE_SIZE), np.uint8),
        np.empty(end - start, np.int64),
    )
    filled = 0
    for file, first, last in file_ranges(start, end, self.file_length):
        records = self.load_file(file)
        place = slice(filled, filled + last - first)
        images[place], labels[place] = (
            records["data"][first:last],
            records["labels"][first:last],
        )
        filled = place.stop
        del records  # the cache may now let this file go before it reads the next
    return Batch(images, labels)
    ### END SOLUTION


# %% law, 6 points
check("6a")


# %%
progress("Files")

# %% [markdown]
"""
## 7 Results that outlive the program

The cache above ends with its process. Some results are worth keeping longer: the mean
of a million images, the index of a large file. A **memo** keeps them on disk, so that
the next run, or another run at the same moment, reads them. A memo may return the kept
result only if the call is the *same*: the same function, with the same code, called
with the same arguments. If the code has changed since, the old result may be wrong, and
nobody would notice. So each result is stored under a name, its **key**, that is made
from code and arguments.

The key does not cover what a function reads besides its arguments: files, the clock,
global lists. Pass such things as arguments.
"""

# %% [markdown]
"""
### 7a memo_key: one text for a call
<!-- points -->, about 10 minutes

**Goal.** Give equal calls equal texts, different calls different texts.

**Given.** `code_bytes(function)` and `stable_bytes(value)` return bytes, the same in
every process, that differ if code or values differ.
`bound = signature(function).bind(*args, **kwargs)` gives every argument its name,
`bound.apply_defaults()` adds defaults, `bound.arguments` is the dict.
`hashlib.sha256(data).hexdigest()`.

**Contract.** `memo_key(function, args, kwargs)` -> the SHA-256 of code and arguments.

1. A key is a text of 64 hexadecimal digits.
2. Equal code with equal arguments has an equal key, in every process.
3. Different arguments have different keys: each value and the type of an array count.
4. Different code has a different key, even under the same name.
5. Arguments are compared by name: `f(1, 2)` is `f(b=2, a=1)`.
6. A default gives the same key, written or left out.
7. `args` may be left out; `kwargs` too, or be None.
8. Arguments that the function does not take raise `TypeError`.
9. A value without stable bytes raises `TypeError`.
10. `args` and `kwargs` are not changed.

**By hand.** With `def f(a, b=2)`:
`memo_key(f, (1,), {}) == memo_key(f, (), {"a": 1, "b": 2})`.
"""


# %% stub memo_key
#| export
def memo_key(
    function: Callable, args: tuple = (), kwargs: Mapping[str, Any] | None = None
) -> str:
    """Return 64 hexadecimal digits that stand for the call `function(*args, **kwargs)`
    of this code.

    Raises:
        TypeError: the function does not take these arguments, or a value has no stable
            bytes.
    """
    # TODO: about four lines.
    ### BEGIN SOLUTION
    bound = signature(function).bind(*args, **(kwargs or {}))
    bound.apply_defaults()
    return hashlib.sha256(
        stable_bytes([code_bytes(function), bound.arguments])
    ).hexdigest()
    ### END SOLUTION


# %% law, 4 points
check("7a")


# %% [markdown]
"""
The key says where a result is stored. If two processes ask for the same key at the same
moment, only one should compute: the second waits, and then reads. So the order matters:
lock first, *then* read.
"""

# %% [markdown]
"""
### 7b recall: read a result, or compute it
<!-- points -->, about 5 minutes

**Goal.** Write the step that `memo_pickle` below takes for each call.

**Given.** `with store.lock(key):` lets no other thread or process use the key.
`store.read(key)` is the result or `MISS` (compare with `is`); a damaged or half-written
file is a MISS. `store.write(key, value)` is atomic.

**Contract.** `recall(store, key, compute)` -> the result under `key`.

1. A missing result is computed once, kept and returned.
2. A kept result is returned, neither computed nor written again.
3. A result of None, 0 or empty is a result.
4. The key is locked from the read to the write.
5. A result that another process kept before this one got the lock is used.
6. An error of `compute` or `store` reaches the caller unchanged, without a retry.
7. After an error of `compute` nothing is kept and the lock is free.

**By hand.** Nothing is kept under "k": lock, read (a MISS), compute, write, unlock.
Asked again: lock, read, unlock. Nothing is read before the lock.
"""


# %% stub memo_pickle
#| export
def recall(store: MemoStore, key: str, compute: Callable[[], Any]) -> Any:
    """Return the result kept under `key`, or compute it and keep it; processes that
    ask at the same time compute it once.
    """
    # TODO: about six lines.
    ### BEGIN SOLUTION
    with store.lock(key):
        value = store.read(key)
        if value is MISS:
            value = compute()
            store.write(key, value)
    return value
    ### END SOLUTION


# %% test test_recall, 3 points
check("7b")


# %% [markdown]
"""
`memo_pickle` is given: it uses your `memo_key` and `recall` with files on a disk. Read
it.
"""


# %% given given_memo_pickle
#| export
def memo_pickle(
    function: Callable | None = None, *, directory: str | os.PathLike | None = None
) -> Callable:
    """Decorate a function so that its results are kept on disk: `@memo_pickle`, or
    `@memo_pickle(directory="memo")`.

    A call is known by the function's code and its arguments (`memo_key`), so changed
    code or changed arguments are computed anew. Whatever else the function depends on
    cannot be seen: pass it as an argument.

    Args:
        directory: where the results are kept, a folder of your own; None for
            $TINYTORCH_MEMO, else your user's folder for caches.
    """
    if function is None:
        return functools.partial(memo_pickle, directory=directory)
    store = MemoStore(directory)
    name = "".join(
        letter if letter.isalnum() and letter.isascii() else "_"
        for letter in function.__name__
    )[:60]

    @functools.wraps(function)
    def remembered(*args, **kwargs):
        return recall(
            store,
            f"{name}-{memo_key(function, args, kwargs)}",
            lambda: function(*args, **kwargs),
        )

    return remembered


# %% given test_memo_pickle
def test_memo_pickle():
    """memo_pickle on a disk"""
    calls = []

    def slow_sum(numbers, scale=1):
        calls.append(scale)
        return scale * int(np.sum(numbers))

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        remembered = memo_pickle(directory=Path(folder) / "memo")(slow_sum)
        got = [
            remembered(np.arange(5)),
            remembered(np.arange(5)),
            remembered(np.arange(5), scale=3),
            remembered(np.arange(5), 3),
        ]
        expect(
            got == [10, 10, 30, 30] and calls == [1, 3],
            "A kept result is returned, neither computed nor written again.",
            call="four calls of a memoized sum, two of them different",
            got=f"{got}, computed for scale {calls}",
            want="[10, 10, 30, 30], computed for scale [1, 3]",
            look="your memo_key gives equal calls one key, your recall computes once a"
            " key: are their own tests green?",
        )
        reader = memo_pickle(directory=Path(folder) / "memo")(slow_sum)
        got = reader(np.arange(5))
        expect(
            got == 10 and calls == [1, 3],
            "A kept result is returned, neither computed nor written again.",
            call="the same function, decorated again: its first call once more",
            got=f"returned {got}, computed for scale {calls}",
            want="returned 10, computed for scale [1, 3]",
            look="the result lies in the store: does memo_key give the same key?",
        )

        def slow_sum(numbers, scale=1):  # the same name, other code
            return scale * int(np.sum(numbers)) + 1000

        got = memo_pickle(directory=Path(folder) / "memo")(slow_sum)(np.arange(5))
        expect(
            got == 1010,
            "Different code has a different key, even under the same name.",
            call="slow_sum was edited, and now adds 1000: slow_sum(np.arange(5))",
            got=got,
            want=1010,
            look="memo_key: the code of a function, code_bytes, is a part of its key",
        )


check(test_memo_pickle, hint="08a memo_pickle")

# %%
progress("Memo")

# %% [markdown]
"""
## 8 An experiment asks for its loaders

A training system does not know your data. It calls one function that you write,
`make_data_loaders(experiment_config, hparams)`, and expects a pair: a loader for
training, one for validation. `experiment_config` says where the data are; it comes from
a YAML file such as

```yaml
data:
  path: cifar-10-batches-py
  file_length: 10000     # may be left out
  cache_size: 2          # may be left out
hyperparameters:
  training_records: 5000 # may be left out
```

and `hparams` are the hyperparameters of this trial. A search for good values passes the
ones that it tries; the given code takes all others from the file. This lab uses one:
with `training_records` you train on the first n records only, for a learning curve.
"""

# %% [markdown]
"""
### 8a make_data_loaders: from a configuration to a pair of loaders
<!-- points -->, about 10 minutes

**Goal.** Write the function that a training system calls.

**Given.** `folder`, `file_length`, `test_file_length`, `cache_size` and
`training_records`, from the given code, which refused wrong keys and copies such as
`data_batch_1.bak`. `folder.glob("data_batch_*")`; `folder / "test_batch"`.
`sorted(...)` compares names as text: `data_batch_10` comes before `data_batch_2`.

**Contract.** `make_data_loaders(experiment_config, hparams)` -> `(training,
validation)`.

1. The result is a pair of `CIFAR10BatchLoader`s.
2. Training reads every `data_batch_*` file of the folder, in sorted order.
3. Validation reads `test_batch` alone, and only when records are asked for.
4. Training has `file_length`, validation `test_file_length`, both `cache_size`.
5. `training_records` = n makes training a `SliceBatchLoader` of the first n records; n
   may be 0.
6. Without `training_records`, or with None, training has all records.
7. A folder without training files raises `FileNotFoundError` with `data.path` and the
   folder.
8. More `training_records` than there are, or fewer than 0, raise `ValueError` with name
   and value.
9. An error of a loader reaches the caller unchanged, without a retry.

**By hand.** Five training files of 10,000, `training_records` = 5,000: training is
records 0 to 4,999, all from file `data_batch_1`.
"""


# %% stub make_data_loaders
#| export
def make_data_loaders(
    experiment_config, hparams: Mapping[str, Any] | None = None
) -> tuple[BatchLoader, BatchLoader]:
    """Return the training and the validation loader of an experiment on CIFAR-10's
    batch files.

    Args:
        experiment_config: a dict, or the path of a YAML file. data.path: the folder of
            the files; a relative one counts from the current folder. Optional:
            data.file_length (10000), data.test_file_length (the same),
            data.cache_size (1).
        hparams: training_records, optional: train on the first so many records. What
            is not in it is looked up under `hyperparameters:` in the experiment.

    Raises:
        ValueError: a key is missing, misspelled or of a wrong type, training_records is
            out of range, or a copy such as data_batch_1.bak is among the files; the
            message names it. A length or cache_size below 1 is refused by
            `CIFAR10BatchLoader`, in its own words.
        FileNotFoundError: the YAML file or the training files are not there.
    """
    from tinytorch.data.experiment import (
        read_experiment,
        refuse_unknown_keys,
        require,
        trial_values,
    )
    from tinytorch.datasets.cifar10 import refuse_copies

    config = read_experiment(experiment_config)
    folder = Path(require(config, "data.path", str)).expanduser()
    file_length = require(config, "data.file_length", int, default=10000)
    test_file_length = require(
        config, "data.test_file_length", int, default=file_length
    )
    cache_size = require(config, "data.cache_size", int, default=1)
    hparams = trial_values(config, hparams)
    training_records = require(hparams, "training_records", int, default=None)
    refuse_unknown_keys(
        config,
        hparams,
        data=["path", "file_length", "test_file_length", "cache_size"],
        hyperparameters=["training_records"],
    )
    refuse_copies(folder)
    # TODO: about nine lines.
    ### BEGIN SOLUTION
    files = sorted(folder.glob("data_batch_*"))
    if not files:
        raise FileNotFoundError(
            f"data.path must be a folder with files data_batch_*, and {folder} has"
            " none; correct the key data.path"
        )
    training = CIFAR10BatchLoader(files, file_length, cache_size=cache_size)
    validation = CIFAR10BatchLoader(
        [folder / "test_batch"], test_file_length, cache_size=cache_size
    )
    if training_records is not None:
        if not 0 <= training_records <= len(training):
            raise ValueError(
                f"training_records must be 0 to {len(training)}, the number of training"
                f" records, got {training_records}"
            )
        training = SliceBatchLoader(training, 0, training_records)
    return training, validation
    ### END SOLUTION


# %% law, 4 points
check("8a")


# %%
progress("Experiments")

# %% [markdown]
"""
## 9 Feeding module 08's DataLoader

The DataLoader of module 08 asks for the samples `[17, 4, 5, 17]` of a shuffled epoch; a
batch loader returns ranges. An **adapter** connects the two. It could ask for each
record alone, but that is slow: each record may cost the load of a file. So it sorts the
indices first. Then neighbors become one range, and each file is asked for once a batch.
Afterwards it puts the records back into the order that was asked for.
"""

# %% [markdown]
"""
### 9a index_runs: neighbors become ranges
<!-- points -->, about 5 minutes

**Goal.** Find the fewest ranges that cover a set of indices. The adapter of 9b reads
them.

**Given.** `np.diff(indices)` is the distance from each index to the next; a run ends
where it is not 1. A loop is fine, too.

**Contract.** `index_runs(indices)` -> list of ranges `(start, end)`. The indices, a
list or an array, are sorted and all different.

1. The ranges hold exactly the indices, in order.
2. Neighbors share a range, so there are as few as possible.
3. The result is a list; no indices give `[]`.
4. The indices given are not changed.

**By hand.** `index_runs([3, 4, 5, 9, 10, 20])` is `[(3, 6), (9, 11), (20, 21)]`.
"""


# %% stub index_runs
#| export
def index_runs(indices: Sequence[int]) -> list[tuple[int, int]]:
    """Return the fewest ranges (start, end) that hold exactly these sorted,
    different indices.
    """
    # TODO: about six lines.
    ### BEGIN SOLUTION
    if not len(indices):
        return []
    gaps = np.flatnonzero(np.diff(indices) != 1) + 1
    return [(int(run[0]), int(run[-1]) + 1) for run in np.split(indices, gaps)]
    ### END SOLUTION


# %% law, 2 points
check("9a")


# %% [markdown]
"""
The adapter makes Tensors of the records; the functions below do this for you. Arrays in
memory need no ranges: NumPy gathers their rows in any order. The first two lines of the
stub of `__getitems__` do this; leave them.
"""


# %% given given_assemble
#| export
def as_sample(arrays: Mapping[str, np.ndarray], default: str):
    """One side of a sample or batch as Tensors: bare if it has only the default
    name, else a dict.
    """
    if set(arrays) == {default}:
        return Tensor(arrays[default])
    return {name: Tensor(array) for name, array in arrays.items()}


def assemble(batches: Sequence[Batch], places: Sequence[int]) -> tuple:
    """Join batches, pick `places` of the result in this order, and return (inputs,
    outputs) as Tensors with their own memory.
    """

    def joined(side: str) -> dict[str, np.ndarray]:
        whole = {
            name: [getattr(batch, side)[name] for batch in batches]
            for name in getattr(batches[0], side)
        }
        return {
            name: np.concatenate(parts).take(places, axis=0)
            for name, parts in whole.items()
        }

    places = np.asarray(places, dtype=np.int64).reshape(-1)
    return as_sample(joined("inputs"), "input"), as_sample(joined("outputs"), "output")


def in_memory(loader) -> bool:
    """Whether the loader holds arrays, or is a slice of one that does, so that any
    range is a view. A subclass may do more in its get_batch, and does not count.
    """
    while type(loader) is SliceBatchLoader:
        loader = getattr(loader, "loader", None)
    return type(loader) is ArrayBatchLoader


def gathered(whole: Batch, indices: Sequence[int]) -> tuple:
    """Return the records `indices` of a batch, in this order, as (inputs, outputs)
    like `assemble`. Raises IndexError with any one of them that is outside 0..N-1, and
    TypeError where they are no whole numbers.
    """
    numbers = np.asarray(indices)
    if numbers.size and numbers.dtype.kind not in "iuO":
        raise TypeError(
            f"indices must be whole numbers, got {numbers.dtype}: {indices}"
        )
    indices = np.asarray(numbers, dtype=np.int64).reshape(-1)
    inputs, outputs = (
        {name: rows(array, indices) for name, array in side.items()}
        for side in (whole.inputs, whole.outputs)
    )
    return as_sample(inputs, "input"), as_sample(outputs, "output")


# %% [markdown]
"""
### 9b BatchLoaderDataset: an adapter
<!-- points -->, about 10 minutes

**Goal.** Return samples and whole batches.

**Given.** `wanted, places = np.unique(indices, return_inverse=True)`: the sorted unique
indices, and each index's place. `assemble(batches, places)` joins batches and copies
the records at `places`, as Tensors. `index_runs`.

**Contract.** `dataset[i]` -> `(input, output)` of record i;
`dataset.__getitems__(indices)` -> `(inputs, outputs)`.

1. A sample is record i without the dimension of records; dtypes are kept.
2. A batch has the records in the order asked for, with repeats.
3. Inputs or outputs with only the default name are a bare Tensor, others a dict.
4. The loader is asked for record i alone, or once for each run of the sorted indices.
5. No indices give an empty batch, even from an empty loader.
6. An index outside 0..N-1 raises `IndexError` with index and size, in batches too.
7. Samples and batches have their own memory.
8. An error of the loader reaches the caller unchanged, without a retry.
9. The indices given are not changed.

**By hand.** `__getitems__([17, 4, 5, 17])` asks for 4:6 and 17:18, records 4, 5, 17;
the batch is their places `[2, 0, 1, 2]`.
"""


# %% stub batch_loader_dataset
#| export
class BatchLoaderDataset:
    """A batch loader as a dataset for module 08's DataLoader: samples (input, output),
    and batches read in ranges.

    A side with one array of the default name ("input", "output") is a bare Tensor, any
    other a dict of Tensors.
    """

    def __init__(self, loader):
        self.loader = loader

    def __len__(self) -> int:
        return len(self.loader)

    def __getitem__(self, index: int) -> tuple:
        """Return sample `index` as (input, output). Raises IndexError outside
        0..N-1.
        """
        # TODO: about four lines. as_sample turns a dict of arrays into Tensors; drop
        # the dimension of records first.
        ### BEGIN SOLUTION
        if not 0 <= index < len(self.loader):
            raise IndexError(
                f"Index {index} out of range for dataset of size {len(self.loader)}"
            )
        batch = self.loader.get_batch(index, index + 1)
        return (
            as_sample(
                {name: array[0].copy() for name, array in batch.inputs.items()}, "input"
            ),
            as_sample(
                {name: array[0].copy() for name, array in batch.outputs.items()},
                "output",
            ),
        )
        ### END SOLUTION

    def __getitems__(self, indices: Sequence[int]) -> tuple:
        """Return the batch of these records, in this order, as (inputs, outputs).
        Raises IndexError with any one of them that is outside 0..N-1.
        """
        if in_memory(self.loader):
            return gathered(self.loader.get_batch(0, len(self.loader)), indices)
        # TODO: about six lines: sort, check, read the runs, assemble. With no index at
        # all, read the empty range 0:0.
        ### BEGIN SOLUTION
        wanted, places = np.unique(indices, return_inverse=True)
        for index in wanted[[0, -1]] if len(wanted) else ():
            if not 0 <= index < len(self.loader):
                raise IndexError(
                    f"Index {index} out of range for dataset of size {len(self.loader)}"
                )
        batches = [
            self.loader.get_batch(start, end)
            for start, end in index_runs(wanted) or [(0, 0)]
        ]
        return assemble(batches, places)
        ### END SOLUTION


# %% law, 4 points
check("9b")


# %%
progress("Adapter")

# %% [markdown]
"""
**In PyTorch.** `_MapDatasetFetcher` in `torch/utils/data/_utils/fetch.py` calls
`__getitems__` with all indices of a batch. Your adapter works there too.

**What if** the order is shuffled over all files? How long is a run of neighbors then,
on average?
"""

# %% [markdown]
"""
## 10 What does shuffling cost?

A loader over files is fast as long as it holds the file of the next record. How often
that is so depends on the **access pattern**, the order of the records. You compare
three:

- **sequential**: 0, 1, 2, ... Each file is read once an epoch.
- **shuffled**: any record may come next, from any file.
- **shuffled within files**: file after file, but the records of each file in random
  order. Each file is read once.

The third seems to combine the two: few loads and a random order. The last picture of
this section tests whether that is enough.
"""

# %% [markdown]
"""
### 10a within_files_order: file after file, each one shuffled
<!-- points -->, about 5 minutes

**Goal.** Make the third access pattern.

**Given.** `rng`, a generator made from seed and epoch, as in module 08.

**Contract.** `within_files_order(num_records, file_length, seed, epoch)` -> int64 array
of shape (N,).

1. An order is an int64 array that holds every index 0..N-1 once.
2. All records of one file come before those of the next; the last file may be short.
3. Within a file every order is possible, and each file has an order of its own.
4. The same seed and epoch give the same order; `epoch` is 0 if left out.
5. Another seed or epoch gives another order: seed 0, epoch 1 is not seed 1, epoch 0.
6. Without a seed the order is new each time.

**By hand.** N = 5, files of 3: `[2 0 1 4 3]` is such an order, `[2 0 4 1 3]` is not.
"""


# %% stub within_files_order
#| export
def within_files_order(
    num_records: int, file_length: int, seed: int | None = None, epoch: int = 0
) -> np.ndarray:
    """Return an order of one epoch, int64 (num_records,): file after file, the records
    of each file shuffled.

    Args:
        num_records: 0 or more.
        file_length: records in each file; the last one may have fewer.
        seed: None draws fresh entropy; an int (0 or more) makes the order repeatable.
        epoch: counted from 0; each has its own order.
    """
    rng = np.random.default_rng(None if seed is None else [seed, epoch])
    # TODO: about five lines.
    ### BEGIN SOLUTION
    order = np.arange(num_records, dtype=np.int64)
    for start in range(0, num_records, file_length):
        rng.shuffle(order[start : start + file_length])  # a view: shuffled in place
    return order
    ### END SOLUTION


# %% law, 2 points
check("10a")


# %% [markdown]
"""
### 10b count_file_loads: what an order costs
<!-- points -->, about 10 minutes

**Goal.** Count how many files a cache would load for an order, without reading any
file.

**Given.** Your `FileCache`, if you like; its `load` may be any function of a file
number, even `int`. `np.unique(numbers)` sorts.

**Contract.** `count_file_loads(order, file_length, batch_size, cache_size)` -> how many
files one epoch loads. The order, an array or a list, is cut into batches of
`batch_size` records; the last may be short.

1. A batch asks for each of its files once, in ascending order.
2. One LRU cache of `cache_size` files, empty at first, serves the whole epoch.
3. The short last batch counts too.
4. An empty order costs 0 loads.
5. `batch_size` and `cache_size` are 1 if left out.

**By hand.** Files of 2, order `[0 3 2 1]`, batches of 1, one slot: files 0, 1, 1, 0, so
3 loads. In batches of 4: files 0 and 1, so 2 loads.
"""


# %% stub count_file_loads
#| export
def count_file_loads(
    order: Sequence[int], file_length: int, batch_size: int = 1, cache_size: int = 1
) -> int:
    """Return how many files one epoch in this order loads, through an LRU cache of
    `cache_size` files.

    Each batch asks for the files of its records in ascending order, as
    `BatchLoaderDataset` does. file_length, batch_size and cache_size are 1 or more.
    """
    # TODO: about five lines.
    ### BEGIN SOLUTION
    cache = FileCache(int, cache_size)
    files = np.asarray(order) // file_length
    for start in range(0, len(files), batch_size):
        for file in np.unique(files[start : start + batch_size]):
            cache.get(file)
    return cache.loads
    ### END SOLUTION


# %% law, 4 points
check("10b")


# %% [markdown]
"""
### 10c hit_rate: the share without a load
<!-- points -->, about 3 minutes

**Goal.** Calculate a number that compares epochs of different lengths.

**Contract.** `hit_rate(loads, num_records)` -> a fraction from 0 to 1.

1. The hit rate is the fraction of records that needed no load.
2. A rate over no records raises `ValueError`.

**By hand.** The order of 10b had 3 loads for 4 records: the hit rate is 1/4.
"""


# %% stub hit_rate
#| export
def hit_rate(loads: int, num_records: int) -> float:
    """Return the fraction of records that needed no load of a file. Raises
    ValueError for no records.
    """
    # TODO: about three lines.
    ### BEGIN SOLUTION
    if num_records < 1:
        raise ValueError(f"a rate needs 1 or more records, got {num_records}")
    return 1 - loads / num_records
    ### END SOLUTION


# %% law, 1 point
check("10c")


# %% [markdown]
"""
Counts are easier to compare in a picture. Both pictures draw on an `Axes` that
`new_axes` hands out.
"""


# %% given given_axes
#| export
def new_axes(ax=None):
    """`ax`, or the Axes of a new figure. matplotlib is imported here, so that
    reading records never waits for it.
    """
    if ax is None:
        import matplotlib.pyplot as plt

        ax = plt.subplots(figsize=(6, 3.6), layout="constrained")[1]
    return ax


# %% [markdown]
"""
### 10d plot_file_loads: a bar for each pattern
<!-- points -->, about 4 minutes

**Goal.** Draw the loads of each access pattern side by side.

**Given.** `new_axes(ax)`; matplotlib's `ax.bar(names, heights)`,
`ax.set_yscale("log")`, `ax.set(xlabel=..., ylabel=...)`.

**Contract.** `plot_file_loads(records, ax)` -> the Axes; `records` is a dict pattern ->
loads.

1. The picture is drawn on `ax`, and `ax` is returned.
2. Each pattern has one bar, as high as its loads, over its name.
3. The y axis has a log scale, and every bar ends inside it.
4. The axes are labeled "access pattern" and "file loads per epoch".

**By hand.** `{"sequential": 5, "shuffled": 40000}`: two bars, the second 8,000 times as
high; without a log scale you would not see the first.
"""


# %% stub plot_file_loads
#| export
def plot_file_loads(records: Mapping[str, int], ax=None):
    """Draw the file loads of an epoch for each access pattern, as bars on a log
    scale. Return the Axes.
    """
    ax = new_axes(ax)
    # TODO: about four lines.
    ### BEGIN SOLUTION
    ax.bar(list(records), records.values())
    ax.set_yscale("log")
    ax.set(xlabel="access pattern", ylabel="file loads per epoch")
    return ax
    ### END SOLUTION


# %% law, 1 point
check("10d")


# %% [markdown]
"""
### 10e plot_hit_rate: a line for each pattern
<!-- points -->, about 4 minutes

**Goal.** Draw how the hit rate rises with each slot.

**Given.** `new_axes(ax)`; `ax.plot(xs, ys, marker="o", label=...)`,
`ax.set_ylim(0, 100)`, `ax.set(xlabel=..., ylabel=...)`, `ax.legend()`.

**Contract.** `plot_hit_rate(records, ax)` -> the Axes; `records` is a dict pattern ->
list of (cache size, rate).

1. The picture is drawn on `ax`, and `ax` is returned.
2. Each pattern is a line of percentages over cache sizes.
3. Each point has a marker, so that a single point is visible, too.
4. The y axis goes from 0 to 100, and every cache size is visible.
5. A legend has the name of every pattern.
6. The axes are labeled "cache size (files)" and "hit rate (%)".

**By hand.** A rate of 0.25 is drawn at 25.
"""


# %% stub plot_hit_rate
#| export
def plot_hit_rate(records: Mapping[str, Sequence[tuple[int, float]]], ax=None):
    """Draw the hit rate in percent against the cache size, a line for each access
    pattern. Return the Axes.
    """
    ax = new_axes(ax)
    # TODO: about six lines.
    ### BEGIN SOLUTION
    for pattern, points in records.items():
        slots, rates = zip(*points)
        ax.plot(slots, [100 * rate for rate in rates], marker="o", label=pattern)
    ax.set_ylim(0, 100)
    ax.set(xlabel="cache size (files)", ylabel="hit rate (%)")
    ax.legend()
    return ax
    ### END SOLUTION


# %% law, 1 point
check("10e")


# %% [markdown]
"""
Now the measurement: 10,000 records in five files, a fifth of CIFAR-10. First each
record by itself, then in batches.

**Guess.** What hit rate do you expect for a shuffled order, one record at a time, with
three of five files in memory? What happens to batches of 128, when four of the five
files fit into the cache?
"""

# %% demo demo_loads
import matplotlib.pyplot as plt

with demo("access patterns, counted"):
    num_records, per_file = 10_000, 2_000
    patterns = {
        "sequential": np.arange(num_records),
        "shuffled": np.random.default_rng(0).permutation(num_records),
        "shuffled\nwithin files": within_files_order(num_records, per_file, seed=0),
    }
    loads = {
        name: count_file_loads(order, per_file) for name, order in patterns.items()
    }
    # three rows, so that a phone shows them as large as a screen does
    figure, axes = plt.subplots(3, 1, figsize=(4.5, 11), layout="constrained")
    plot_file_loads(loads, axes[0])
    more = loads["shuffled"] / loads["sequential"]
    axes[0].set_title(
        f"One file held: shuffled, {more:,.0f} times the loads", fontsize=11
    )
    for ax, batch_size, how in (
        (axes[1], 1, "One by one"),
        (axes[2], 128, "In batches"),
    ):
        rates = {
            name.replace("\n", " "): [
                (
                    slots,
                    hit_rate(
                        count_file_loads(order, per_file, batch_size, slots),
                        num_records,
                    ),
                )
                for slots in range(1, 6)
            ]
            for name, order in patterns.items()
        }
        plot_hit_rate(rates, ax)
        # room above a line at 100%
        ax.set(xticks=range(1, 6), ylim=(0, 103))
        ax.get_lines()[-1].set_linestyle("--")  # it lies on the sequential line
        ax.legend(loc="lower right")
        hits = dict(rates["shuffled"])
        ax.set_title(
            f"{how}, shuffled: {hits[1]:.0%} hits with one file,"
            f"\n{hits[4]:.0%} with four, {hits[5]:.0%} with all five",
            loc="left",
            fontsize=11,
        )
    shuffled = patterns["shuffled"]
    for slots in range(1, 6):
        alone, together = (
            count_file_loads(shuffled, per_file, size, slots) for size in (1, 128)
        )
        print(
            f"shuffled, {slots} of 5 files held: {alone:6d} loads one by one,"
            f" {together:5d} in batches of 128"
        )

# %% [markdown]
"""
**What you see.** The sequential order and the one shuffled within files have the same
loads, so their lines lie on top of each other. One by one, a shuffled order hits with
probability slots / files: only a larger cache helps. In batches, each file is asked for
once a batch, so there are far fewer loads. But four slots give as many loads as one:
each batch goes through all five files in turn, and LRU has just dropped the file that
comes next. A cache that kept its first four files would do better; that is why caches
for shuffled epochs often never evict.

The count came from arithmetic. Here are the same patterns on real files, with real
reads: digits in CIFAR-10's layout, **sorted by class**, 280 records a file, read
through your loader, your adapter and the DataLoader of module 08. The network is the
same, and so is its start; only the order differs.

**Guess.** Shuffling within files reads as few files as the sequential order does. Does
the network then learn as well as with a full shuffle?
"""

# %% demo demo_training
from tempfile import TemporaryDirectory

with (
    demo("training on files sorted by class"),
    TemporaryDirectory(ignore_cleanup_errors=True) as demo_folder,
):
    from tinytorch.core.activations import ReLU
    from tinytorch.core.dataloader import DataLoader, Subset
    from tinytorch.core.layers import Linear, Sequential
    from tinytorch.core.losses import CrossEntropyLoss
    from tinytorch.core.optimizers import SGD
    from tinytorch.core.training import fit, scale_pixels
    from tinytorch.datasets import read_batch, write_batch, write_digits_as_cifar10

    digits_folder = write_digits_as_cifar10(demo_folder)
    digits = [read_batch(path) for path in sorted(digits_folder.glob("data_batch_*"))]
    images, labels = (
        np.concatenate([part[key] for part in digits])[:1400]
        for key in ("data", "labels")
    )
    by_class = np.argsort(labels, kind="stable")
    sorted_folder = Path(demo_folder) / "sorted by class"
    sorted_folder.mkdir()
    for number, part in enumerate(np.split(by_class, 5), start=1):
        write_batch(sorted_folder / f"data_batch_{number}", images[part], labels[part])
    test = read_batch(digits_folder / "test_batch")
    write_batch(sorted_folder / "test_batch", test["data"], test["labels"])
    config = {
        "data": {
            "path": str(sorted_folder),
            "file_length": 280,
            "test_file_length": len(test["labels"]),
        }
    }

    def train(order_of_epoch, epochs=4):
        """The test accuracy after each epoch, and the file loads of an epoch."""
        training, validation = make_data_loaders(config, {})
        model = Sequential(
            Linear(IMAGE_SIZE, 32, seed=0), ReLU(), Linear(32, 10, seed=1)
        )
        optimizer = SGD(model.parameters(), lr=0.01, momentum=0.9)
        scores = []
        for epoch in range(epochs):
            dataset = Subset(
                BatchLoaderDataset(training), order_of_epoch(epoch).tolist()
            )
            history = fit(
                model,
                DataLoader(dataset, batch_size=28),
                CrossEntropyLoss(),
                optimizer,
                prepare=scale_pixels,
                test_loader=DataLoader(BatchLoaderDataset(validation), batch_size=360),
            )
            scores.append(history[-1].test_accuracy)
        return scores, training.cache.loads / epochs

    orders = {
        "sequential": lambda epoch: np.arange(1400),
        "shuffled within files": lambda epoch: within_files_order(1400, 280, 0, epoch),
        "shuffled": lambda epoch: np.random.default_rng([0, epoch]).permutation(1400),
    }
    final = {}
    ax = new_axes(plt.subplots(figsize=(4.5, 3.6), layout="constrained")[1])
    for name, order_of_epoch in orders.items():
        scores, loads = train(order_of_epoch)
        final[name] = scores[-1]
        ax.plot(
            range(1, len(scores) + 1),
            [100 * score for score in scores],
            marker="o",
            label=name,
            linestyle="--" if "within" in name else "-",
        )
        print(
            f"{name:<22} {loads:5.0f} file loads an epoch,"
            f" test accuracy {scores[-1]:.0%}"
        )
    ax.set(
        xlabel="epoch",
        ylabel="test accuracy (%)",
        xticks=range(1, len(scores) + 1),
        ylim=(0, 103),
    )
    ax.set_title(
        f"Files sorted by class: {final['shuffled']:.0%} when shuffled,"
        f"\n{final['shuffled within files']:.0%} when shuffled within files",
        loc="left",
        fontsize=11,
    )
    ax.legend()

# %% [markdown]
"""
**What you see.** Shuffling within files reads as few files as no shuffling at all, and
where files are sorted by class it helps as little: each file shows two or three
classes, and the network forgets the others. With a full shuffle the network learns all
classes, at the price of many more file loads.

Shuffle the records **once**, when the files are written; then files read in order are
as good as random ones. Or keep several files in memory and draw from all of them: a
shuffle buffer, which lab 08c builds.
"""

# %% [markdown]
"""
The test below joins files, cache, slice and adapter. It has no points of its own.
"""


# %% given test_together
def test_together():
    """All parts together"""
    from tinytorch.datasets import write_batch

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        pixels, labels = np.zeros((12, IMAGE_SIZE), np.uint8), np.arange(12) % 10
        pixels[:, 0] = np.arange(12)
        for number in range(3):
            write_batch(
                Path(folder) / f"data_batch_{number + 1}",
                pixels[4 * number : 4 * number + 4],
                labels[4 * number : 4 * number + 4],
            )
        write_batch(Path(folder) / "test_batch", pixels[:4], labels[:4])
        training, validation = make_data_loaders(
            {"data": {"path": folder, "file_length": 4}}, {"training_records": 10}
        )
        images, targets = BatchLoaderDataset(training).__getitems__([9, 0, 5, 3, 4])
        got = (
            images.data[:, 0].tolist(),
            targets.data.tolist(),
            len(training),
            len(validation),
        )
        expect(
            got == ([9, 0, 5, 3, 4], [9, 0, 5, 3, 4], 10, 4),
            "A batch has the records in the order asked for, with repeats.",
            call=(
                "BatchLoaderDataset(training).__getitems__([9, 0, 5, 3, 4]),"
                " three files of 4"
            ),
            got=got,
            want=([9, 0, 5, 3, 4], [9, 0, 5, 3, 4], 10, 4),
            look="which of the tests above is still red?",
        )


check(test_together)

# %%
progress("Measurements")

# %% [markdown]
"""
## 11 Estimates before you measure

You can calculate three numbers before you run anything. Each answer is a function of
its inputs. The unit is part of each name: bytes (not kB), seconds, and a rate from 0 to
1.
"""

# %% [markdown]
"""
### 11a cache_bytes: the memory of a full cache
<!-- points -->, about 3 minutes

**Goal.** How many slots can you afford?

**Contract.** `cache_bytes(files, records_per_file, image_shape)` -> bytes. An image of
`image_shape`, such as `(3, 32, 32)`, is uint8: one byte for each of its numbers.

1. The result is the memory of all images in these files, in bytes.
2. Every dimension of an image counts, whatever their number.

**By hand.** Two files of 100 records, images of shape (1, 28, 28):
2 x 100 x 784 bytes = 156,800 bytes.
"""


# %% stub cache_bytes
#| export
def cache_bytes(files: int, records_per_file: int, image_shape: Sequence[int]) -> float:
    """Return the memory of the images of a full cache, in bytes.

    Args:
        files: files in the cache.
        records_per_file: images in each of them.
        image_shape: shape of one image, uint8.
    """
    # TODO: one or two lines; how many bytes has one image?
    ### BEGIN SOLUTION
    return files * records_per_file * np.prod(image_shape)
    ### END SOLUTION


# %% law, 1 point
check("11a")


# %% [markdown]
"""
### 11b load_seconds: the time of a shuffled epoch's loads
<!-- points -->, about 3 minutes

**Goal.** Is a shuffled order affordable?

**Contract.** `load_seconds(records, files, slots, seconds_per_load)` -> seconds, on
average. The order is shuffled, records are read one by one, `slots` of the `files`
(fewer than there are) are in memory at any time, and each load takes
`seconds_per_load`.

1. A record costs a load if its file is not held.
2. With more slots, fewer records cost a load.

**By hand.** 1,000 records in 4 files, one slot, 0.1 s a load: three of four records lie
in a file that is not held, so 750 loads, 75 s.
"""


# %% stub load_seconds
#| export
def load_seconds(
    records: int, files: int, slots: int, seconds_per_load: float
) -> float:
    """Return the average time that the loads of one shuffled epoch take, in seconds.

    Args:
        records: records in all files together, read one by one.
        files: files of equal length.
        slots: files in memory at any time; fewer than `files`.
        seconds_per_load: time of one load, in seconds.
    """
    # TODO: one or two lines; which share of the records needs a load?
    ### BEGIN SOLUTION
    return records * (1 - slots / files) * seconds_per_load
    ### END SOLUTION


# %% law, 1 point
check("11b")


# %% [markdown]
"""
### 11c sequential_hit_rate: reading in order, in batches
<!-- points -->, about 3 minutes

**Goal.** Predict the hit rate that the counters of your cache will show.

**Contract.** `sequential_hit_rate(file_length, batch_size)` -> hits / (hits + loads),
from 0 to 1. Files of `file_length` records are read in order in batches of
`batch_size`, a divisor; there is one slot, and each batch asks the cache once.

1. All batches of a file but the first are hits.

**By hand.** Files of 12, batches of 3: a file serves four batches. The first one loads
it, three are hits: 3/4.
"""


# %% stub sequential_hit_rate
#| export
def sequential_hit_rate(file_length: int, batch_size: int) -> float:
    """Return hits / (hits + loads) of a cache with one slot, a fraction from 0 to 1.

    Args:
        file_length: records in each file, read in order.
        batch_size: records in each batch, a divisor of file_length; a batch asks the
            cache once.
    """
    # TODO: one or two lines; how many batches does one file serve?
    ### BEGIN SOLUTION
    return 1 - batch_size / file_length
    ### END SOLUTION


# %% law, 1 point
check("11c")


# %%
progress("Estimates")

# %% [markdown]
"""
## 12 Two questions

A person reads your answers. Write them in the cell *below* each question, in three to
six sentences, with numbers where you have them. The question is locked: text typed into
it is lost.
"""

# %% question sys_access_pattern, 2 points [markdown]
"""
### 12a An order for large files
<!-- points -->, about 5 minutes

Your data are 1,000 files of 500 MB, written class by class. Four files fit into memory.
Which order of records do you train on, how many files does an epoch load, and how would
you notice that the order is not random enough?

### BEGIN MARK SCHEME
1 point: mixes records of different classes without a load for each record: rewrites the
files once in random order, or shuffles the order of the files and draws from the four
that are held (a buffer of four); about 1,000 loads an epoch, against nearly one for
each record with a full shuffle. "Shuffle within files" alone: no point for this half. 1
point: compares with a full shuffle on a small part of the data (test accuracy, loss
curve with steps at file changes), or measures the classes in a batch; refers to the
lab's training plot.
### END MARK SCHEME
"""

# %% [markdown]
"""
*Your answer here.*
"""

# %% question sys_memo, 2 points [markdown]
"""
### 12b When is a kept result wrong?
<!-- points -->, about 5 minutes

`memo_pickle` sees the code and the arguments of a function. Name two things that change
a result and that it cannot see, and what you would do about each. Why is the key locked
from the read to the write, and why is the file first written under another name?

### BEGIN MARK SCHEME
1 point: two of: the content of a file whose path is an argument (pass its checksum or
time too), random numbers (pass the seed), the clock or the environment, mutable
globals, what an installed library does in another version; each with a remedy, mostly
"make it an argument". 1 point: the lock: two processes that look at the same time would
both compute; the rename: a reader, or the next run after a crash, sees the old file or
the whole new one, never half of it.
### END MARK SCHEME
"""

# %% [markdown]
"""
*Your answer here.*
"""

# %% [markdown]
"""
## Done

Export and test: `tito export 08a`, then `tito test 08a`. Submit with `tito submit 08a`.
Lab 08b builds a loader with hooks and workers, lab 08c one with named steps and a
shuffle buffer.
"""

# %% given given_finish
finish()

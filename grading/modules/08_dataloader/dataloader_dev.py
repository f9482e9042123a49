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
# 08 DataLoader

A model learns from **batches**: a few samples at a time. A DataLoader chooses the
samples, reads them and stacks them, thousands of times an epoch. In this notebook you
build one with Python and NumPy; `Tensor` and the network are given.

**<!-- hours -->, <!-- points -->.** Part A (<!-- hours Part A -->,
<!-- points Part A -->) is the loader, on real images, with measurements. Part B
(<!-- hours Part B -->, <!-- points Part B -->) adds augmentation, files larger than
memory, speed, and a loader for data of your own.

## A loop without a loader

First use batches, without a loader. Run each cell with Shift-Enter. This is a batch of
handwritten digits (Alpaydin and Kaynak, 1998): a slice of an array.
"""

# %% demo demo_a_batch
# %reload_ext tinytorch
# The line above shows batches as pictures; it also adds %hint, %test and %%profile,
# and lets NumPy compute with one thread: several would wait for each other on a
# busy laptop.
from tinytorch.datasets import load_digits
from tinytorch.datasets.digits import as_cifar10_images

train_images, train_labels = load_digits("train")
train_images = as_cifar10_images(train_images)
print(f"{len(train_images)} images; the first 16 are a batch:")
train_images[:16], train_labels[:16]

# %% [markdown]
"""
The next cell trains a small network with a plain loop over slices. It passes over all
images four times; one pass is an **epoch**.
"""

# %% demo demo_a_loop_over_slices
import time

import numpy as np

from tinytorch.core.activations import ReLU
from tinytorch.core.layers import Flatten, Linear, Sequential
from tinytorch.core.losses import CrossEntropyLoss
from tinytorch.core.optimizers import SGD
from tinytorch.core.tensor import Tensor

pixel_mean, pixel_std = train_images.mean(), train_images.std()
test_images, test_labels = load_digits("test")
test_images = as_cifar10_images(test_images)


def normalized_pixels(images):
    return Tensor(((images - pixel_mean) / pixel_std).astype(np.float32))


def small_network():
    return Sequential(
        Flatten(), Linear(3072, 64, seed=0), ReLU(), Linear(64, 10, seed=1)
    )


def train_step(model, optimizer, images, labels):
    loss = CrossEntropyLoss()(model(normalized_pixels(images)), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


def train_by_slices(images, labels, epochs=4):
    """Train a small network; return its test accuracy and the loss of every step."""
    model, losses = small_network(), []
    optimizer = SGD(model.parameters(), lr=0.03)
    for _ in range(epochs):
        for start in range(0, len(images), 32):
            part = slice(start, start + 32)
            losses.append(train_step(model, optimizer, images[part], labels[part]))
    guesses = model(normalized_pixels(test_images)).data.argmax(axis=1)
    return (guesses == test_labels).mean(), losses


started = time.perf_counter()
slices_accuracy, slices_losses = train_by_slices(train_images, train_labels)
slices_rate = 4 * len(train_images) / (time.perf_counter() - started)
print(
    f"trained in {4 * len(train_images) / slices_rate:.1f} s;"
    f" the network recognizes {slices_accuracy:.0%} of the test images"
)

# %% [markdown]
"""
This loop breaks in three ways. Sections 3, 14 and 15 repair them.

**Break 1: sorted data.** Many datasets come sorted by label. The network then sees only
zeros, later only ones, and forgets the zeros. Guess the accuracy before you run the
cell.
"""

# %% demo demo_break_1_sorted_labels
by_label = np.argsort(train_labels, kind="stable")
sorted_accuracy, sorted_losses = train_by_slices(
    train_images[by_label], train_labels[by_label]
)
print(
    f"sorted by label: the network recognizes {sorted_accuracy:.0%} of the test images,"
    f" not {slices_accuracy:.0%}"
)

# %% [markdown]
"""
**Break 2: data larger than memory.** A slice needs the whole array in memory.

**Break 3: a slow transform.** Images are often changed before each use: decoded,
cropped, mirrored. The code below mirrors them pixel by pixel, and the network waits.
"""


# %% demo demo_break_3_a_slow_transform
def mirrored(image):
    """The image with left and right exchanged, pixel by pixel."""
    result = np.empty_like(image)
    for y in range(32):
        for x in range(32):
            result[:, y, x] = image[:, y, 31 - x]
    return result


class MirroredDigits:
    """The first 320 digits, each mirrored when it is asked for."""

    def __init__(self):
        self.transform = mirrored

    def __len__(self):
        return 320

    def __getitem__(self, index):
        return self.transform(train_images[index])


class SlowBatches:
    """Batches of 32 mirrored digits, with their labels."""

    def __init__(self):
        self.dataset = MirroredDigits()

    def __iter__(self):
        for start in range(0, 320, 32):
            images = [self.dataset[i] for i in range(start, start + 32)]
            yield np.stack(images), train_labels[start : start + 32]


slow_batches, slow_model = SlowBatches(), small_network()
slow_optimizer = SGD(slow_model.parameters(), lr=0.03)
started = time.perf_counter()
for images, labels in slow_batches:
    train_step(slow_model, slow_optimizer, images, labels)
slow_rate = 320 / (time.perf_counter() - started)
print(f"{slow_rate:,.0f} images a second; the slices gave {slices_rate:,.0f}")

# %% [markdown]
"""
Why is this loop slow? `%%profile slow_batches` above the same loop says why, after a
few seconds. Read its last two lines: what limits the loop, and what to try next.
"""

# %% demo demo_why_is_it_slow
# %%profile slow_batches
for images, labels in slow_batches:
    train_step(slow_model, slow_optimizer, images, labels)

# %% [markdown]
"""
## How to work

An exercise has a number, such as 5b, a text, a stub with a `TODO`, and a test. Replace
the `raise NotImplementedError(...)` in the stub, run the cell, then run `check("5b")`
below it. It tells which of the exercise's numbered promises hold, and of the first that
does not: what was called, what came of it and where to look.

**Stuck?** Run `%hint 5b` in an empty cell: it gives one hint at a time. Save the
notebook; then `%test 5b` tests it, and `%test 5b --laws` shows how each promise is
tested. After a restart of the kernel, choose Run > Run All Above Selected Cell.

**Classes in pieces.** Where several exercises write methods of one class,
`@add_to_class(Name)` above a function makes it a method of this class. `tito export`
writes one whole class.

**Points.** The grader tests the same promises of your exported package with other data.
Half of an exercise's promises give half of its points. A person grades your answers to
12a to 12e and 16a: 16 of the 100 points. "In PyTorch" names the place in PyTorch's
source that does the same; "What if" asks a question without points.
"""

# %% given given_setup
#| export
import time
import tracemalloc
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from inspect import signature
from itertools import islice
from math import isclose
from pathlib import Path
from types import FunctionType, MethodType

import numpy as np

from tinytorch.core import checks
from tinytorch.core.collation import for_any_row
from tinytorch.core.gather import index_array
from tinytorch.core.per_channel import PerChannel
from tinytorch.core.rng import EpochKey, at_position
from tinytorch.core.tensor import Tensor


# %% given given_test_tools
# Given: `add_to_class`, and `check`, which runs the laws of an exercise, one for each
# promise; you can read them in the folder tests. Nothing here is exported.
# %reload_ext tinytorch
from tinytorch.classes import add_to_class
from tinytorch.laws import checker
from tinytorch.testing import (
    ReadLog,
    demo,
    expect,
    finish,
    progress,
)

check = checker("08_dataloader")

# %% [markdown]
"""
---
# Part A

## 1 What is a dataset?

Two questions are enough to load most data: *how many samples are there?* and *what is
sample number i?* Python already has names for them: `len(dataset)` calls `__len__`,
`dataset[i]` calls `__getitem__`. The samples may come from files, from a database or
from a formula: the loader calls the same two methods.

An **abstract base class** (`ABC`, with `@abstractmethod` above each method) demands
both methods. Python then refuses to make an object of `Dataset` itself, or of a
subclass that lacks one of the methods.
"""

# %% [markdown]
"""
### 1a Dataset: errors that explain themselves
<!-- points -->, about 5 minutes

A subclass may still call `super().__getitem__(i)` by mistake. Then the body that you
write here raises the error.

**Goal.** Write two method bodies that raise an error which names the mistake.

**Given.** `type(self).__name__` is the name of the subclass.

**Contract.** `Dataset` is an abstract class; both of its methods raise an error.

1. `Dataset()` raises `TypeError`, and so does a subclass without one of the two
   methods.
2. The body of `__len__` raises a `NotImplementedError` that names the subclass and
   `__len__`.
3. The body of `__getitem__` raises a `NotImplementedError` that names the subclass and
   `__getitem__`.

**By hand.** In a subclass `Photos`, `super().__getitem__(3)` raises
`NotImplementedError: Photos must define __getitem__`.

**Out of scope:** reading any data.
"""


# %% stub dataset
#| export
class Dataset(ABC):
    """Anything with a length and numbered samples. Subclasses define `__len__` and
    `__getitem__`.
    """

    @abstractmethod
    def __len__(self) -> int:
        """Return the number of samples, 0 or more."""
        # TODO: raise a NotImplementedError that names the subclass and __len__. One
        # line.
        ### BEGIN SOLUTION
        raise NotImplementedError(f"{type(self).__name__} must define __len__")
        ### END SOLUTION

    @abstractmethod
    def __getitem__(self, index: int):
        """Return sample number `index`, counted from 0."""
        # TODO: the same for __getitem__. One line.
        ### BEGIN SOLUTION
        raise NotImplementedError(f"{type(self).__name__} must define __getitem__")
        ### END SOLUTION


# %% test test_dataset_bodies, 1 point
check("1a")

# %% [markdown]
"""
### 1b Subset: your first subclass
<!-- points -->, about 10 minutes

Training and validation use different parts of a dataset. A `Subset` is such a part.

**Goal.** `Subset(dataset, indices)` looks like a smaller dataset, but stores only the
numbers of the samples it shows. It stores no sample, and reads one at each request.

**Contract.** `Subset(dataset, indices)` -> a dataset; `i` counts its own samples.

1. `len(subset)` is the number of indices.
2. `subset[i]` is `dataset[indices[i]]`; indices have any order and may repeat.
3. Making a subset reads no sample; `subset[i]` reads its sample once, and no other.
4. An `i` outside 0..len-1 raises `IndexError` with the index and the size:
   `Index i out of range for dataset of size len`.
5. An error from the dataset reaches the caller unchanged, and the dataset is not asked
   again.

**By hand.** `Subset("abcdef", [4, 1])` has two samples: `"e"` and `"b"`.

**Out of scope:** copying samples.
"""


# %% stub subset
#| export
class Subset(Dataset):
    """The samples of `dataset` at `indices`, in that order. Costs one number a
    sample; no sample is copied.
    """

    def __init__(self, dataset, indices: Sequence[int]):
        self.dataset = dataset
        self.indices = index_array(indices)  # one array of int64

    def __len__(self) -> int:
        """Return the number of samples shown."""
        # TODO: one line.
        ### BEGIN SOLUTION
        return len(self.indices)
        ### END SOLUTION

    def __getitem__(self, index: int):
        """Return `dataset[indices[index]]`. Raises IndexError outside 0..len-1, with
        the index and the size.
        """
        # TODO: two or three lines. A negative index is an error too.
        ### BEGIN SOLUTION
        if not 0 <= index < len(self.indices):
            raise IndexError(
                f"Index {index} out of range for dataset of size {len(self.indices)}"
            )
        return self.dataset[self.indices[index]]
        ### END SOLUTION


# %% law, 2 points
check("1b")

# %%
progress("Dataset Interface")

# %% [markdown]
"""
## 2 Data that is already in memory

Training data mostly comes as aligned arrays: row i of `features` belongs to row i of
`labels`. If one array is shorter, some sample has no label, and nobody notices until
the accuracy disappoints. A dataset can refuse such arrays when it is made.
"""


# %% given tensor_dataset_class
#| export
class TensorDataset(Dataset):
    """Aligned tensors in memory: sample i is row i of every tensor."""


# %% [markdown]
"""
### 2a TensorDataset: refuse unequal tensors
<!-- points -->, about 10 minutes

**Goal.** Write `__init__`: it keeps any number of tensors whose first dimension counts
the samples.

**Given.** `len(tensor)` is the size of dimension 0. The stub wraps arrays in Tensors.

**Contract.** `TensorDataset(*tensors)` -> a dataset that keeps `self.tensors`.

1. `self.tensors` is a tuple of all tensors, in their order, each a Tensor.
2. No data are copied: each kept Tensor shares its memory with the data that you passed.
3. A call without tensors raises `ValueError`.
4. If any two sizes differ, a `ValueError` says `All tensors must have same size in
   first dimension` and lists all sizes.
5. Equal sizes are accepted: one tensor, tensors of different shapes, of 0 rows.

**By hand.** Tensors of 5 and 4 rows:
`All tensors must have same size in first dimension, got sizes [5, 4]`.

`TensorDataset(...)` itself stays abstract until 2b is done; the test adds the two
methods that are missing.
"""


# %% stub tensor_dataset_init
#| export
@add_to_class(TensorDataset)
def __init__(self, *tensors):
    """Keep the tensors (arrays are wrapped). Raises ValueError for none, or for
    unequal sizes in dimension 0.
    """
    tensors = tuple(t if isinstance(t, Tensor) else Tensor(t) for t in tensors)
    # TODO: two checks, then self.tensors. Four or five lines.
    ### BEGIN SOLUTION
    if not tensors:
        raise ValueError("TensorDataset needs at least one tensor, got none")
    sizes = [len(tensor) for tensor in tensors]
    if len(set(sizes)) > 1:
        raise ValueError(
            f"All tensors must have same size in first dimension, got sizes {sizes}"
        )
    self.tensors = tensors
    ### END SOLUTION


# %% law, 2 points
check("2a")

# %% [markdown]
"""
### 2b TensorDataset: one sample
<!-- points -->, about 5 minutes

**Goal.** Write `__len__` and `__getitem__`: the loader will call both.

**Given.** `tensor.data` is the NumPy array inside a Tensor; `Tensor(array)` keeps the
dtype of the array.

**Contract.** `ds[i]` -> sample i, a tuple of Tensors; `len(ds)` -> N.

1. `len(ds)` is N, the size of dimension 0.
2. `ds[i]` is a tuple with one Tensor for every tensor.
3. Part k of `ds[i]` is row i of tensor k.
4. The dtype is kept: integer labels stay integers, bytes stay bytes.
5. An `i` outside 0..N-1 raises `IndexError`:
   `Index i out of range for dataset of size N`.

**By hand.** features (2, 3) and labels (2,): `ds[1]` is a tuple of a Tensor of shape
(3,) and a Tensor of shape ().

**Out of scope:** batches.
"""


# %% stub tensor_dataset_getitem
#| export
@add_to_class(TensorDataset)
def __len__(self) -> int:
    """Return N, the size of dimension 0."""
    # TODO: one line.
    ### BEGIN SOLUTION
    return len(self.tensors[0])
    ### END SOLUTION


@add_to_class(TensorDataset)
def __getitem__(self, index: int) -> tuple:
    """Return row `index` of every tensor, a tuple of Tensors with their dtypes
    kept. Raises IndexError outside 0..N-1.
    """
    # TODO: three lines. tensor.data is the NumPy array inside a Tensor.
    ### BEGIN SOLUTION
    if not 0 <= index < len(self):
        raise IndexError(f"Index {index} out of range for dataset of size {len(self)}")
    return tuple(Tensor(tensor.data[index]) for tensor in self.tensors)
    ### END SOLUTION


# %% law, 2 points
check("2b")

# %%
progress("TensorDataset")

# %% [markdown]
"""
**In PyTorch.** `Subset` and `TensorDataset` in `torch/utils/data/dataset.py` are as
short as yours, but they do not check the index.

**What if** `Subset(ds, [4, 1])[-1]` gave a sample in place of an error, as it does in
PyTorch? How would you notice an index that is too small by one?
"""

# %% [markdown]
"""
## 3 The order of an epoch

In Break 1, training on sorted labels failed. So training should visit the samples in a
new random order each epoch.

Do not shuffle the images themselves: a shuffled copy of 50,000 CIFAR-10 images takes
154 MB more. Shuffle their *numbers*. The cell below measures what a number costs in a
list and in an array. For each integer, a list holds a pointer of 8 bytes and an object
of 28, for which Python takes 32: together 40 bytes.
"""


# %% given given_order_weight
import sys


def bytes_held(make) -> int:
    """Bytes that the result of make() takes, as tracemalloc counts them."""
    tracemalloc.start()
    kept = make()
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    del kept
    return held


index_count = 5_000
# not from 0: Python keeps the small integers ready
list_bytes = bytes_held(lambda: list(range(1_000, 1_000 + index_count)))
array_bytes = bytes_held(lambda: np.arange(index_count, dtype=np.int64))
print(f"sys.getsizeof(1_000) is {sys.getsizeof(1_000)} B")
print(
    f"one index costs {list_bytes / index_count:.0f} B in a Python list,"
    f" {array_bytes / index_count:.0f} B in an int64 array"
)


# %% [markdown]
"""
A shuffled order is a **permutation**: every index exactly once. If you drew each index
at random, some samples would come twice and others never. A **seed** makes a run
repeatable: the same seed and the same epoch must always give the same order. NumPy's
global generator (`np.random.shuffle`, `np.random.seed`) cannot promise that, since any
other code in your process may draw from it. Your own `np.random.default_rng(...)` can;
its seed may be a list such as `[seed, epoch]`. Without a seed, `default_rng(None)`
starts from new random bits each time.
"""

# %% [markdown]
"""
### 3a epoch_order: which sample comes when?
<!-- points -->, about 15 minutes

**Goal.** Compute the order in which one epoch visits the samples.

**Contract.** `epoch_order(num_samples, shuffle, seed, epoch)` -> int64 array of shape
(N,), where N is `num_samples`.

1. An order is an int64 array that holds every index 0..N-1 once.
2. Not shuffled, it is 0, 1, ..., N-1, whatever the seed and the epoch.
3. Shuffled, all N! orders are possible.
4. The same (seed, epoch) gives the same order each time, for seed 0 too; the default
   epoch is 0.
5. Another (seed, epoch) gives another order; (0, 1) and (1, 0) differ.
6. Shuffled without a seed, each call gives another order.
7. Each call returns an array of its own.
8. An N below 0 raises `ValueError` with the value.
9. The global generators are left alone.

**By hand.** N = 3 gives `[0 1 2]`; shuffled, one of 3! = 6 orders.
"""


# %% stub epoch_order
#| export
def epoch_order(
    num_samples: int, shuffle: bool, seed: int | None = None, epoch: int = 0
) -> np.ndarray:
    """Return the order in which one epoch visits the samples.

    Args:
        num_samples: N, samples in the dataset; 0 or more.
        shuffle: False keeps 0, 1, ..., N-1.
        seed: None draws fresh entropy; an int (0 or more, below 2**32) makes the order
            repeatable.
        epoch: counted from 0, below 2**32; each epoch has its own shuffle.

    Returns: int64 array of shape (N,) with every index exactly once: 8 N bytes,
        whatever the size of a sample.

    Raises:
        ValueError: num_samples is negative.
    """
    # TODO: about six lines.
    ### BEGIN SOLUTION
    if num_samples < 0:
        raise ValueError(f"num_samples must be 0 or more, got {num_samples}")
    order = np.arange(num_samples, dtype=np.int64)
    if shuffle:
        # in place: no second array
        np.random.default_rng(None if seed is None else [seed, epoch]).shuffle(order)
    return order
    ### END SOLUTION


# %% test test_every_sample_once, 4 points
check("3a")

# %%
progress("Epoch order")

# %% [markdown]
"""
**In PyTorch.** `RandomSampler` in `torch/utils/data/sampler.py` calls
`torch.randperm(n)`. `DistributedSampler` in `torch/utils/data/distributed.py` seeds its
generator with `seed + epoch`.

**What if** your function did the same? Which two runs would then have an epoch in the
same order?
"""

# %% [markdown]
"""
## 4 From samples to a batch

A model wants one array of shape (B, ...), not a list of B arrays. Making one from the
other is called **collation**. It copies the samples; you will measure how long that
takes.

The loop below collates arrays slowly, but clearly. Your functions must give the same
result.
"""


# %% given given_clumsy_stack
def clumsy_stack(arrays):
    batch = np.empty((len(arrays), *arrays[0].shape), np.result_type(*arrays))
    for position, array in enumerate(arrays):
        batch[position] = array
    return batch


print(clumsy_stack([np.array([1, 2]), np.array([3, 4]), np.array([5, 6])]))


# %% [markdown]
"""
A sample may be a structure, such as a tuple of an image and a label. Its plain values,
at the ends of the structure, are the **leaves**: Tensors, arrays and numbers. In 4a you
stack leaves. In 4b you keep the structure by recursion: `collate` calls itself for each
part of a sample.

The given `@for_any_row` above `collate` makes a list of a batch of texts, keeps the
class of an OrderedDict, and adds the key to an error; your function never sees a text.
"""

# %% [markdown]
"""
### 4a stack_samples: stack the leaves
<!-- points -->, about 15 minutes

**Goal.** Stack samples that are plain values: Tensors, arrays or numbers.

**Given.** `np.stack` and `np.asarray`; `tensor.data` is the array in a Tensor.

**Contract.** `stack_samples(values)` -> one Tensor of shape (B, ...).

1. The batch is a Tensor of shape (B, ...) with value k in row k.
2. Tensors, arrays and numbers can all be stacked; B single numbers give shape (B,).
3. The dtype is kept: bytes stay bytes, integers stay integers.
4. If the dtypes differ, NumPy chooses the common dtype: `[1, 2.5]` gives floats.
5. A batch has new memory, even for one value.
6. Different shapes raise a `ValueError` that names each position whose shape differs
   from position 0, and every shape.
7. An empty list raises `ValueError`.

**By hand.** `stack_samples([7, 8])` is a Tensor of shape (2,), integers. Shapes (2,),
(2,), (3,): the message names position 2, shape (3,) and shape (2,).
"""


# %% stub stack_samples
#| export
def stack_samples(values: Sequence) -> Tensor:
    """Return one Tensor of shape (B, ...) made of B Tensors, arrays or numbers; the
    dtype is kept, the memory is new.

    Raises:
        ValueError: there are no values, or their shapes differ; the message names each
            position whose shape differs from position 0, and the shapes.
    """
    # TODO: about seven lines. Take the array out of a Tensor with .data; np.asarray
    # makes one of anything else.
    ### BEGIN SOLUTION
    arrays = [
        value.data if isinstance(value, Tensor) else np.asarray(value)
        for value in values
    ]
    if not arrays:
        raise ValueError("a batch needs at least one sample, got none")
    different = [
        f"position {k} has {array.shape}"
        for k, array in enumerate(arrays)
        if array.shape != arrays[0].shape
    ]
    if different:
        raise ValueError(
            "samples of a batch need one shape;"
            f" position 0 has {arrays[0].shape}, {', '.join(different)}"
        )
    return Tensor(np.stack(arrays))
    ### END SOLUTION


# %% law, 4 points
check("4a")

# %% [markdown]
"""
### 4b collate: keep the structure
<!-- points -->, about 15 minutes

**Goal.** Turn samples into a batch of the *same* structure.

**Given.** A named tuple `first` has `first._make(parts)`, which keeps its class.

**Contract.** `collate(samples)` -> one batch with the structure of a sample.

1. Samples that are no tuple, list or dict go to your `stack_samples`.
2. Tuples give a tuple and lists a list, part by part.
3. A named tuple gives a named tuple of the same class.
4. A dict gives a dict with the same keys, whatever their order in a sample.
5. The keys are in the order of the first sample.
6. Structures inside structures are collated too.
7. One sample is a batch too.
8. Different lengths or keys raise `ValueError`.
9. Different kinds (tuple, list, dict, plain value) raise `ValueError`.
10. An empty list raises `ValueError`.

**By hand.** `collate([(1, {"a": 2}), (3, {"a": 4})])` is
`([1 3], {"a": [2 4]})`, with Tensors.
"""


# %% stub collate
#| export
@for_any_row  # given
def collate(samples: Sequence):
    """Return one batch with the structure of a sample; every leaf becomes a Tensor of
    shape (B, ...).

    Raises:
        ValueError: there are no samples, their structures, lengths or keys differ, or
            the shapes of a leaf do.
    """
    # TODO: about eleven lines. zip(*samples) turns rows into columns; it stops at the
    # shortest row.
    ### BEGIN SOLUTION
    first = samples[0] if len(samples) else None
    structures = {
        tuple(issubclass(kind, structure) for structure in (tuple, list, dict))
        for kind in set(map(type, samples))  # few types, many samples
    }
    if len(structures) > 1:
        raise ValueError("a batch has either tuples, lists, dicts or plain values")
    if isinstance(first, dict):
        if any(sample.keys() != first.keys() for sample in samples):
            raise ValueError(
                "samples of a batch need the same keys, got"
                f" {[list(sample) for sample in samples]}"
            )
        return {key: collate([sample[key] for sample in samples]) for key in first}
    if isinstance(first, (tuple, list)):
        if len({len(sample) for sample in samples}) > 1:
            raise ValueError(
                "samples of a batch need the same number of parts, got"
                f" {[len(sample) for sample in samples]}"
            )
        # a named tuple takes its parts one by one, unless _make makes it
        make = getattr(first, "_make", type(first))
        return make(collate(column) for column in zip(*samples))
    return stack_samples(samples)
    ### END SOLUTION


# %% law, 4 points
check("4b")

# %%
progress("Collation")

# %% [markdown]
"""
**In PyTorch.** `collate` in `torch/utils/data/_utils/collate.py` is recursive too.
Look for the comment "Backwards compatibility" there: a tuple becomes a list.

**What if** the images of a batch have different sizes? Name two things that a
`collate_fn` could do with them.
"""

# %% [markdown]
"""
## 5 The DataLoader

You have all parts: an order, a dataset to read from, a collation. The simple loader
below cuts the right batches, but it wastes memory: before you see the first batch, it
has read *every* sample and holds them all.
"""


# %% given given_clumsy_loader
def clumsy_batches(dataset, batch_size):
    samples = [dataset[i] for i in range(len(dataset))]
    return [
        samples[start : start + batch_size]
        for start in range(0, len(samples), batch_size)
    ]


read_log = ReadLog(range(10))
first_batch = clumsy_batches(read_log, batch_size=4)[0]
print(
    f"first batch {first_batch}; samples read so far:"
    f" {len(read_log.reads)} of {len(read_log)}"
)


# %% [markdown]
"""
A function with `yield` is a **generator**: it runs until the next `yield`, hands a
value over, and stops until it is asked for the next one. So `for batch in loader` can
read one batch, let the model work on it, and only then read the next.

`for batch in loader` first calls `loader.__iter__()`. That method is given: it counts
the epochs from 0 and starts *your* generator `_batches(epoch)`. Each `for` has a
generator of its own, so two loops over one loader do not disturb each other, as long as
you keep the position in local variables and not in `self`.

The next two cells are given. The first is the class. Its method `_load` reads the
samples of a batch. The second holds functions that the class calls: `transform_batch`
changes nothing unless you asked for a `batch_transform`; `read_ahead` is used with
`prefetch` only.
"""


# %% given data_loader_class
#| export
class DataLoader:
    """Batches of a dataset, read when they are asked for; every `iter()` starts the
    next epoch.

    Args:
        dataset: anything with `len` and `[]`; a list too.
        batch_size: samples in a batch, 1 or more; the last batch may be shorter.
        shuffle: a new order each epoch.
        drop_last: leave the short last batch out.
        seed: 0 to 2**32 - 1 makes every epoch's order and augmentation repeatable; None
            draws fresh entropy.
        collate_fn: makes a batch of a list of samples; default `collate`.
        prefetch: batches read ahead by one thread, while you work on the current one; 0
            reads nothing ahead.
        batch_transform: called with each batch; with `(batch, key, indices)` where it
            has a parameter `key`.
    """

    def __iter__(self) -> Iterator:
        """Start the next epoch; return an iterator over its batches."""
        epoch, self.epoch = self.epoch, self.epoch + 1
        batches = iter(self._batches(epoch))  # a generator is its own iterator
        return read_ahead(batches, self.prefetch) if self.prefetch else batches

    def _load(self, indices: np.ndarray, key: EpochKey):
        """Read the samples one by one, collate them, transform the batch."""
        numbers = np.asarray(indices).tolist()
        if hasattr(self.dataset, "sample_with"):
            # random transforms get the Generator of their sample
            samples = [self.dataset.sample_with(i, key.generator(i)) for i in numbers]
        else:
            samples = [self.dataset[i] for i in numbers]
        return transform_batch(
            self.batch_transform, self._collate_batch(samples), key, indices
        )

    def _collate_batch(self, samples: list):
        """Make one batch of a list of samples."""
        return (self.collate_fn or collate)(samples)


# %% given given_read_ahead
#| export
def accepts(function: Callable, name: str) -> bool:
    """True when `function` has a parameter called `name`; False also for built-ins
    that do not tell.
    """
    plain = isinstance(function, (FunctionType, MethodType))
    code = getattr(function if plain else type(function).__call__, "__code__", None)
    if (
        code is not None
        and not hasattr(function, "__wrapped__")
        and not hasattr(function, "__signature__")
    ):
        # What signature() looks up too, for a fiftieth of the time.
        return name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    try:
        return name in signature(function).parameters
    except ValueError:
        return False


def transform_image(
    transform: Callable | None, image, rng: np.random.Generator | None = None
):
    """Return transform(image); a transform with a parameter `rng` also gets the
    Generator of this sample, if there is one.
    """
    if transform is None:
        return image
    return (
        transform(image, rng=rng)
        if rng is not None and accepts(transform, "rng")
        else transform(image)
    )


def transform_batch(
    transform: Callable | None, batch, key: EpochKey, indices: np.ndarray
):
    """Return transform(batch); a transform with a parameter `key` also gets the
    random numbers of these samples.
    """
    if transform is None:
        return batch
    return (
        transform(batch, key=key, indices=indices)
        if accepts(transform, "key")
        else transform(batch)
    )


def read_ahead(batches: Iterator, depth: int) -> Iterator:
    """Yield the same batches, with one thread reading up to `depth` of them ahead."""
    from concurrent.futures import ThreadPoolExecutor

    end = object()
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="prefetch") as reader:
        waiting = deque(reader.submit(next, batches, end) for _ in range(depth))
        while (batch := waiting.popleft().result()) is not end:
            waiting.append(reader.submit(next, batches, end))
            yield batch


# %% [markdown]
"""
### 5a DataLoader: refuse bad settings
<!-- points -->, about 5 minutes

**Goal.** Write the missing lines of `__init__`. They refuse a bad setting when the
loader is *made*, not an hour later.

**Given.** The rest of `__init__`, below the `TODO`. It stores `batch_size` as an `int`,
so that no NumPy integer overflows later.

**Contract.** `DataLoader(dataset, batch_size, ...)` -> a loader, or an error at once.

1. A `batch_size` that is not an integer of 1 or more raises `ValueError` with the word
   `batch_size` and the value: 0, -3, `True`, 2.5, `None`.
2. Every integer of 1 or more is accepted, including NumPy integers and integers above
   N.
3. A dataset without a length raises `TypeError`: `DataLoader(None)`.
4. Making a loader stores the settings, or their defaults, under their names and reads
   no sample.

**By hand.** `DataLoader(dataset, batch_size=0)`:
`ValueError: batch_size must be an integer of 1 or more, got 0`.
"""


# %% stub data_loader_init
#| export
@add_to_class(DataLoader)
def __init__(
    self,
    dataset,
    batch_size: int = 32,
    shuffle: bool = False,
    drop_last: bool = False,
    *,
    seed: int | None = None,
    collate_fn: Callable | None = None,
    prefetch: int = 0,
    batch_transform: Callable | None = None,
):
    """Store the settings; nothing is read. Raises ValueError for a batch_size
    that is not an integer of 1 or more, TypeError for a dataset without len().
    """
    # TODO: refuse a dataset without len(), then a bad batch_size. Two lines each.
    # isinstance(True, int) is True: a trap.
    ### BEGIN SOLUTION
    if not hasattr(dataset, "__len__"):
        raise TypeError(f"dataset must have a length, got {type(dataset).__name__}")
    if (
        isinstance(batch_size, bool)
        or not isinstance(batch_size, (int, np.integer))
        or batch_size < 1
    ):
        raise ValueError(
            f"batch_size must be an integer of 1 or more, got {batch_size!r}"
        )
    ### END SOLUTION
    self.dataset, self.batch_size = dataset, int(batch_size)
    # each function refuses a value that means something else, such as "False"
    self.shuffle = checks.flag("shuffle", shuffle)
    self.drop_last = checks.flag("drop_last", drop_last)
    self.seed = checks.seed_or_none(seed)
    self.prefetch = checks.whole("prefetch", prefetch, 0)
    self.collate_fn = checks.function_or_none("collate_fn", collate_fn)
    self.batch_transform = checks.function_or_none("batch_transform", batch_transform)
    self.epoch = 0  # the epoch that the next iter() starts


# %% test test_loader_init, 1 point
check("5a")

# %% [markdown]
"""
### 5b DataLoader: how many batches?
<!-- points -->, about 5 minutes

**Goal.** Write `__len__`: it tells a training loop how many batches an epoch has.

**Contract.** `len(loader)` -> the number of batches in an epoch, an int.

1. `len(loader)` is N / batch_size, N = `len(dataset)`, rounded up: a short last batch
   counts.
2. With `drop_last` it is rounded down: a short last batch does not count.
3. `len(loader)` is exact for any N, such as 2**60 + 1: it needs no float and no loop
   over samples.
4. It reads no sample.
5. An error from the dataset's `len` reaches the caller unchanged, without a retry.

**By hand.** N = 10, batch_size = 4: 3 batches (4, 4, 2); with `drop_last` 2.
"""


# %% stub data_loader_len
#| export
@add_to_class(DataLoader)
def __len__(self) -> int:
    """Return the number of batches in an epoch."""
    # TODO: about three lines.
    ### BEGIN SOLUTION
    full, rest = divmod(len(self.dataset), self.batch_size)
    return full if self.drop_last or not rest else full + 1
    ### END SOLUTION


# %% test test_loader_len, 2 points
check("5b")

# %% [markdown]
"""
### 5c DataLoader: the batches of an epoch
<!-- points -->, about 25 minutes

**Goal.** Write `_batches`, which yields the batches of an epoch.

**Given.** `self._load(indices, key)` reads and collates samples.

**Contract.** `_batches(epoch)` -> a generator of batches.

1. `epoch_order(N, self.shuffle, self.seed, epoch)` is cut into pieces of `batch_size`.
2. A short last piece gives a batch too, unless `drop_last`.
3. `drop_last` leaves out a short last piece, never a full one.
4. `self._load(piece, key)` is called once a batch; its result is yielded unchanged.
5. `key` is passed on as it was given.
6. A batch reads only its own samples, each once, and only when you ask for the batch.
7. An empty dataset gives no batch.
8. Two loops over one loader do not disturb each other.
9. An error reaches the caller unchanged, without a retry.

**By hand.** The order `[3 0 4 1 2]` in pieces of 2: `[3 0]`, `[4 1]`, `[2]`.
"""


# %% stub data_loader_batches
#| export
@add_to_class(DataLoader)
def _batches(self, epoch: int) -> Iterator:
    """Yield the batches of one epoch, each read when it is asked for."""
    key = EpochKey.of(self.seed, epoch)  # given
    # TODO: about five lines; `self._load` reads a batch.
    ### BEGIN SOLUTION
    order = epoch_order(len(self.dataset), self.shuffle, self.seed, epoch)
    for start in range(0, len(order), self.batch_size):
        indices = order[start : start + self.batch_size]
        if len(indices) < self.batch_size and self.drop_last:
            return
        yield self._load(indices, key)
    ### END SOLUTION


# %% test test_loader_batches, 7 points
check("5c")

# %% [markdown]
"""
The next cell tests *all* your parts together. It has no points. If it is red while the
tests above are green, two parts do not fit together.
"""


# %% given test_features_and_labels_stay_together
def test_features_and_labels_stay_together():
    """TensorDataset and DataLoader together"""
    ids = np.arange(50)
    ds = TensorDataset(
        Tensor(np.stack([ids, ids * 10], axis=1).astype(np.float32)), Tensor(ids)
    )
    seen = []
    for features, labels in DataLoader(ds, batch_size=8, shuffle=True, seed=2):
        rows = features.data[:, 0].astype(int).tolist()
        expect(
            rows == labels.data.tolist(),
            "`epoch_order(N, self.shuffle, self.seed, epoch)` is cut into pieces of"
            " `batch_size`.",
            call="for features, labels in loader",
            got=f"rows {rows} with labels {labels.data.tolist()}",
            want="row i with label i",
            look="one order for both",
        )
        seen += rows
    expect(
        sorted(seen) == ids.tolist(),
        "An order is an int64 array that holds every index 0..N-1 once.",
        call="a shuffled epoch of 50 samples",
        got=f"{len(seen)} samples, {len(set(seen))} different",
        want="50 samples, 50 different",
        look="your epoch_order, then your _batches",
    )


check(test_features_and_labels_stay_together)


# %%
progress("DataLoader")

# %% [markdown]
"""
**In PyTorch.** `BatchSampler` in `torch/utils/data/sampler.py` cuts the order, and
`_SingleProcessDataLoaderIter` in `torch/utils/data/dataloader.py` loads the pieces.

**What if** `_batches` kept its position in `self.position`? What would
`zip(loader, loader)` give?
"""

# %% [markdown]
"""
## 6 Real images: CIFAR-10

CIFAR-10 (Krizhevsky, 2009) is 60,000 color photos of 32 x 32 pixels in ten classes, in
five training files and one test file. Each file is a pickled dict; `data` has one row
per image with 3,072 bytes: 1,024 of **red**, then 1,024 of **green**, then 1,024 of
**blue**, each plane row by row.

A pickle from the internet can run code when it is loaded. `tinytorch.datasets`
therefore accepts arrays, strings, numbers, lists and dicts in these files, and refuses
everything else.

No network? `tinytorch.datasets` carries 1,797 real handwritten digits and writes them
in exactly this layout. Your class reads both.
"""

# %% [markdown]
"""
### 6a to_images: from rows to images
<!-- points -->, about 5 minutes

**Goal.** Turn rows of bytes into images that a model can take.

**Contract.** `to_images(rows)` -> the images. `rows` are uint8 (N, 3072), and N may be
zero. You need not copy the rows.

1. Images are (N, 3, 32, 32), uint8.
2. Channel 0 is the red plane, 1 the green, 2 the blue.
3. A plane is stored row by row: byte 32 y + x is pixel (y, x).

**By hand.** Byte 0 of a row is the red value of the top left pixel, byte 1 is its right
neighbor, byte 32 the pixel below, byte 1,024 the top left pixel's green value.
"""


# %% stub to_images
#| export
def to_images(rows: np.ndarray) -> np.ndarray:
    """Return the images of CIFAR-10's rows: uint8 (N, 3072), planes red, green, blue
    -> uint8 (N, 3, 32, 32).
    """
    # TODO: one line.
    ### BEGIN SOLUTION
    return rows.reshape(len(rows), 3, 32, 32)
    ### END SOLUTION


# %% law, 1 point
check("6a")

# %% [markdown]
"""
All methods of the dataset but one are given. The dataset looks for the files on the
disk (`download=True` may fetch them), and returns one image and its label at a time.
"""


# %% given cifar10_class
#| export
class CIFAR10Dataset(Dataset):
    """CIFAR-10's training or test images, from the python-version batch files under
    `root`.

    Args:
        root: folder that holds (or will hold) `cifar-10-batches-py`.
        train: True reads the five training files, False the test file.
        download: fetch the archive when the files are not there; False never uses the
            network.
        transform: called with each image when it is read.

    Attributes:
        images: uint8 (N, 3, 32, 32). labels: int64 (N,), 0 to 9. classes: the ten
            names.
    """

    def __init__(
        self,
        root="./data",
        train: bool = True,
        download: bool = True,
        transform: Callable | None = None,
    ):
        from tinytorch.datasets import fetch_cifar10, locate, read_meta

        self.train = checks.flag("train", train)
        self.transform = checks.function_or_none("transform", transform)
        fetched = checks.flag("download", download)
        folder = fetch_cifar10(root) if fetched else locate(root)
        self.classes = read_meta(folder / "batches.meta")
        self._read_split(folder)

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor]:
        """Return (image, label): uint8 (3, 32, 32) unless transformed, and an int64
        scalar.
        """
        image, label = self._stored(index)
        return transform_image(self.transform, image), label

    def _stored(self, index: int) -> tuple[Tensor, Tensor]:
        """Return (image, label) as they were read from the file."""
        if not 0 <= index < len(self):
            raise IndexError(
                f"Index {index} out of range for dataset of size {len(self)}"
            )
        return Tensor(self.images[index]), Tensor(self.labels[index])


# %% [markdown]
"""
### 6b CIFAR10Dataset: the right files
<!-- points -->, about 10 minutes

**Goal.** Write `_read_split` of `CIFAR10Dataset`: it reads the files of one split.

**Given.** `read_batch(path)` returns a dict: `"data"` is uint8 (n, 3072), `"labels"` a
list of n integers. `self.train` chooses: `TRAIN_FILES` or `TEST_FILES` in `folder`.

**Contract.** `_read_split(folder)` sets `self.images` and `self.labels`.

1. Training data are the five training files, in order.
2. Test data are the test file and nothing else.
3. Images are uint8 (N, 3, 32, 32), N counted from the files.
4. Labels are an int64 array of shape (N,).
5. Image n belongs to label n.
6. Reading the files transforms nothing: a transform is called once for each sample
   that is read.
7. An error from a file reaches the caller unchanged, and the file is not read again.

**By hand.** Two files with labels `[6, 9]` and `[4]`: labels `[6 9 4]`, images of shape
(3, 3, 32, 32).
"""


# %% stub cifar10_read_split
#| export
@add_to_class(CIFAR10Dataset)
def _read_split(self, folder: Path) -> None:
    """Set self.images and self.labels from the files of this split."""
    from tinytorch.datasets import TEST_FILES, TRAIN_FILES, read_batch

    # TODO: about four lines. np.concatenate joins a list of arrays, or of lists
    # of labels, along the first dimension.
    ### BEGIN SOLUTION
    batches = [
        read_batch(folder / name)
        for name in (TRAIN_FILES if self.train else TEST_FILES)
    ]
    self.images = np.concatenate([to_images(batch["data"]) for batch in batches])
    self.labels = np.concatenate(
        [np.asarray(batch["labels"], dtype=np.int64) for batch in batches]
    )
    ### END SOLUTION


# %% test test_cifar10_split, 3 points
check("6b")

# %% [markdown]
"""
Look at what you load. The digits are gray, so their three planes are equal.

**Guess.** If your dataset read images and labels in two different orders, no error
would be raised. How would you notice?
"""

# %% demo demo_look
import tempfile

import matplotlib.pyplot as plt

from tinytorch.datasets import write_digits_as_cifar10

with demo("a look at the digits"):
    digits_root = Path(tempfile.mkdtemp()) / "digits"
    write_digits_as_cifar10(digits_root)
    digits = CIFAR10Dataset(digits_root, train=True, download=False)
    figure, axes = plt.subplots(4, 4, figsize=(4.4, 5), layout="constrained")
    figure.suptitle("Each image stands below its own label", fontsize=11)
    for ax, (image, label) in zip(axes.flat, (digits[i] for i in range(16))):
        ax.imshow(image.data.transpose(1, 2, 0))
        ax.set_title(digits.classes[int(label.data)], fontsize=10)
        ax.axis("off")
    print(
        f"{len(digits)} training images of shape {digits[0][0].shape},"
        f" {digits.images.nbytes / 1e6:.1f} MB as bytes"
    )


# %% [markdown]
"""
**What you see.** Each image has the label that your dataset returned with it. If images
and labels were read in two different orders, many names would be wrong here. Each digit
has few squares, because its scan has 8 x 8 pixels, enlarged here to 32 x 32.
"""


# %%
progress("CIFAR-10 Dataset")

# %% [markdown]
"""
**In PyTorch.** `CIFAR10` in `torchvision/datasets/cifar.py` reshapes the rows as you
do, and then moves the channels to the last axis.

**What if** you reshape the rows to (N, 32, 32, 3) at once? Draw one of these pictures.
"""

# %% [markdown]
"""
## 7 Statistics: fit once, apply everywhere

Pixels run from 0 to 255, and red may be brighter than blue. Models learn faster when
every **channel** has mean 0 and standard deviation 1. Two rules are often broken:

- The statistics are *fitted on the training data once* and then applied to every split.
  With the statistics of another split, the same image would get other values.
- There is one mean per *channel*, not per pixel: average over all axes but axis 1. Data
  of shape (N, D) have D means, and data of shape (N, C, H, W) have C.

A constant channel has standard deviation 0; dividing by it gives NaN. A tiny `eps`
(1e-8) in the denominator avoids that.
"""


# %% given given_arrays
#| export
def as_array(data) -> np.ndarray:
    """The NumPy array of a Tensor or of anything array-like; no copy where none is
    needed.
    """
    return data.data if isinstance(data, Tensor) else np.asarray(data)


def like(data, array: np.ndarray):
    """`array` as a Tensor if `data` is one, else as it is."""
    return Tensor(array) if isinstance(data, Tensor) else array


def images_of(batch) -> np.ndarray:
    """The images of a batch (its first part, if it has parts), float64."""
    return as_array(batch[0] if isinstance(batch, (tuple, list)) else batch).astype(
        np.float64
    )


def axes_but_channel(ndim: int) -> tuple[int, ...]:
    """All axes but axis 1: (0,) for (N, D), (0, 2, 3) for (N, C, H, W)."""
    return tuple(axis for axis in range(ndim) if axis != 1)


# %% given normalizer_class
#| export
class Normalizer(PerChannel):
    """Per-channel normalization: statistics fitted once, applied to every split. Its
    base class checks the data and remembers how many dimensions they have.

    Attributes:
        mean, std: float64 (C,), None before fit. eps: keeps a constant channel from
            dividing by 0.
    """

    def __init__(self, eps: float = 1e-8):
        self.eps, self.mean, self.std = eps, None, None

    def fit_transform(self, data):
        """fit(data), then transform(data)."""
        return self.fit(data).transform(data)

    def __call__(self, data):
        return self.transform(data)


# %% [markdown]
"""
### 7a Normalizer: fit
<!-- points -->, about 10 minutes

**Goal.** Write `fit`: it computes the mean and the std of each channel.

**Given.** `x`, the data as a NumPy array, and `axes_but_channel(x.ndim)`, the axes to
average over.

**Contract.** `fit(data)` sets `self.mean` and `self.std`, both of shape (C,).

1. There is one mean and one std per channel: over all axes but axis 1.
2. A table (N, D) has one mean and one std per column.
3. The mean is over all pixels of all images of a channel.
4. The standard deviation divides by N, not by N - 1.
5. Both are computed in float64, even for bytes and for float32 data.
6. A new fit replaces the mean and the std of the fit before.
7. `fit` returns the Normalizer itself.

**By hand.** The table `[[1, 10], [3, 10]]`: mean `[2, 10]`, std `[1, 0]`.
"""


# %% stub normalizer_fit
#| export
@add_to_class(Normalizer)
def fit(self, data) -> "Normalizer":
    """Fit mean and std over all axes but axis 1 of data (N, C, ...); return
    self.
    """
    x = self._to_fit(data)  # given: refuses no data, NaN and infinity
    # TODO: three lines. mean and std take axis=(...) and dtype=np.float64.
    ### BEGIN SOLUTION
    axes = axes_but_channel(x.ndim)
    self.mean, self.std = (
        x.mean(axis=axes, dtype=np.float64),
        x.std(axis=axes, dtype=np.float64),
    )
    return self
    ### END SOLUTION


# %% law, 3 points
check("7a")

# %% [markdown]
"""
### 7b Normalizer: transform
<!-- points -->, about 10 minutes

**Goal.** Write `transform`: it applies the statistics to any data.

**Given.** `self._along(values, x)` is `values` (C,) as float32, shaped to
broadcast against `x`. `like(data, array)` makes a Tensor if `data` is one.

**Contract.** `transform(data)` -> the normalized data, float32.

1. `transform` is (data - mean) / (std + eps), per channel, with the fitted numbers.
2. `eps` is the Normalizer's own, and it is added to the std.
3. A constant channel of bytes or of float32 becomes 0, not NaN.
4. The result is float32, whatever dtype the data have.
5. A Tensor gives a Tensor, and an array gives an array.
6. One image (C, H, W) gives the same values as in a batch.
7. `transform` changes neither the data nor the statistics.
8. `transform` before `fit` raises a `RuntimeError` that says to call fit.

**By hand.** mean 2, std 1: a pixel of 3 becomes 1.0.
"""


# %% stub normalizer_transform
#| export
@add_to_class(Normalizer)
def transform(self, data):
    """Return (data - mean) / (std + eps), float32, for a batch (N, C, ...) or one
    sample (C, H, W).

    Raises:
        RuntimeError: fit was not called.
    """
    x = as_array(data)
    # TODO: four lines. Hand the result back with like(data, ...).
    ### BEGIN SOLUTION
    if self.mean is None:
        raise RuntimeError(
            "call fit before transform: this Normalizer has no statistics yet"
        )
    mean, std = self._along(self.mean, x), self._along(self.std, x)
    return like(
        data,
        ((x - mean) / (std + self.eps)).astype(np.float32, copy=False),
    )
    ### END SOLUTION


# %% law, 3 points
check("7b")

# %% [markdown]
"""
`fit` needs all data in memory at once, and the data may not fit. A loader gives them in
batches, and the statistics of two groups of values can be merged (Chan, Golub, LeVeque
1979). Keep for each group its count n, its mean m, and S, the sum of the squared
differences from m (so S = variance times n). For groups a and b, with d = m_b - m_a and
n = n_a + n_b, both groups together have

    mean = m_a + d n_b / n       S = S_a + S_b + d^2 n_a n_b / n       std = sqrt(S / n)

Take the values 0 and 2 as group a (n = 2, m = 1, S = 2) and the value 4 as group b
(n = 1, m = 4, S = 0). Then d = 3 and n = 3: mean = 1 + 3/3 = 2, S = 2 + 9 * 2/3 = 8.
"""

# %% [markdown]
"""
### 7c Normalizer: data that does not fit
<!-- points -->, about 20 minutes

**Goal.** Write `fit_batches`: it computes what `fit` computes, in one pass.

**Given.** `images_of(batch)`: a float64 array `x`, with `x.size / C` values per
channel.

**Contract.** `fit_batches(loader)` sets `self.mean` and `self.std`, float64 (C,).

1. The mean is that of all data, although the last batch is shorter.
2. The std is that of all data, whatever the sizes of the batches.
3. Both agree with `fit` to 1e-6, even if the mean is far from 0.
4. A batch is the images alone, or a tuple (images, labels).
5. The loader is run through once.
6. No batch is kept.
7. A new fit replaces the one before.
8. `fit_batches` returns the Normalizer itself.
9. A loader without batches raises `ValueError`.
10. An error from the loader reaches the caller unchanged, without a retry.

**By hand.** The groups above: mean 2, std sqrt(8 / 3).
"""


# %% stub normalizer_fit_batches
#| export
@add_to_class(Normalizer)
def fit_batches(self, loader: Iterable) -> "Normalizer":
    """Fit the same mean and std in one pass over batches (Chan, Golub, LeVeque
    1979); return self.
    """
    loader = self._batches_to_fit(loader)  # given: the same batches, checked
    # TODO: about ten lines.
    ### BEGIN SOLUTION
    count, mean, squares = 0, 0.0, 0.0
    for batch in loader:
        x = images_of(batch)
        axes, new = axes_but_channel(x.ndim), x.size // x.shape[1]
        batch_mean = x.mean(axis=axes)
        batch_squares = x.var(axis=axes) * new
        shift, total = batch_mean - mean, count + new
        mean = mean + shift * new / total
        squares = squares + batch_squares + shift**2 * count * new / total
        count = total
    if not count:
        raise ValueError("fit_batches needs at least one batch, got none")
    self.mean, self.std = mean, np.sqrt(squares / count)
    return self
    ### END SOLUTION


# %% law, 6 points
check("7c")

# %%
progress("Normalizer")

# %% [markdown]
"""
## 8 It trains

The next cell trains the network of the first cells with
your dataset, loader and statistics. The digits are sorted by label once more, but your
loader shuffles them.

**Guess.** In Break 1, the network recognized less than half of the test images. What
will the accuracy be now?
"""


# %% demo demo_train
from tinytorch.core.training import evaluate, fit

with demo("it trains"):
    held_out = CIFAR10Dataset(digits_root, train=False, download=False)
    norm = Normalizer().fit_batches(DataLoader(digits, batch_size=256))
    by_label = Subset(digits, np.argsort(digits.labels, kind="stable"))
    model = small_network()
    history = fit(
        model,
        DataLoader(by_label, batch_size=32, shuffle=True, seed=0),
        CrossEntropyLoss(),
        SGD(model.parameters(), lr=0.03),
        epochs=4,
        prepare=norm.transform,
    )
    shuffled_losses = history.losses
    accuracy = evaluate(
        model, DataLoader(held_out, batch_size=128), prepare=norm.transform
    )
    print(
        f"test accuracy: shuffled by your loader {accuracy:.1%},"
        f" sorted by label in slices {sorted_accuracy:.1%}"
    )


# %% [markdown]
"""
**What you see.** Only the order differs between the two trainings. A shuffled batch
holds most of the ten digits, so each step improves all of them; a sorted batch holds
one or two digits, and the steps on it undo what the network had learned about the
others.
"""


# %% [markdown]
"""
## 9 Measure it

To find out whether a loader is slow, measure samples per second and bytes. Three rules
make such measurements comparable:

1. **Warm up.** The first epoch fills caches; it is not timed.
2. **Repeat, and take the median.** Other programs on the machine slow single runs down.
3. **Time the whole epoch.** The loader works while you iterate, also before the first
   batch, so start the clock before the loop.

The clock is a parameter: `time.perf_counter` in real use, and in a test a fake clock
that moves only when a sample is read, so that the right answer is exact.
"""


# %% given given_batch_length
#| export
def batch_length(batch) -> int:
    """Samples in a batch: the first dimension of its first leaf."""
    while isinstance(batch, (tuple, dict)):
        batch = next(iter(batch.values())) if isinstance(batch, dict) else batch[0]
    return len(batch)


# %% [markdown]
"""
### 9a measure_throughput: samples per second
<!-- points -->, about 15 minutes

**Goal.** Measure how fast a loader is.

**Given.** `batch_length(batch)` is the number of samples in a batch. `clock()` is the
time now, in seconds.

**Contract.** `measure_throughput(loader, *, clock, warmup, repeats)` -> samples per
second.

1. Samples are counted, not batches, whatever a batch is: Tensor, tuple or dict.
2. The clock runs from before the first batch of an epoch to after its last.
3. The first `warmup` epochs (1 by default) run, but are not timed.
4. Then `repeats` epochs (5 by default) are timed, one by one.
5. The result is the median of samples / seconds of these epochs.
6. An error from the loader reaches the caller unchanged, without a retry.

**By hand.** Three timed epochs of 10 samples take 1, 0.25 and 100 s: that is 10, 40 and
0.1 samples/s; the median is 10.
"""


# %% stub measure_throughput
#| export
def measure_throughput(
    loader: Iterable,
    *,
    clock: Callable[[], float] = time.perf_counter,
    warmup: int = 1,
    repeats: int = 5,
) -> float:
    """Return samples per second: the median of `repeats` timed epochs, after `warmup`
    untimed ones.

    Args:
        loader: iterated `warmup + repeats` times.
        clock: returns seconds.
    """
    # TODO: about nine lines.
    ### BEGIN SOLUTION
    rates = []
    for run in range(warmup + repeats):
        start = clock()
        samples = sum(batch_length(batch) for batch in loader)
        seconds = clock() - start
        if run >= warmup:
            rates.append(samples / seconds)
    return float(np.median(rates))
    ### END SOLUTION


# %% law, 4 points
check("9a")

# %% [markdown]
"""
### 9b measure_memory: the peak of an epoch
<!-- points -->, about 10 minutes

**Goal.** Measure how much memory a loader needs.

**Given.** The stub starts and stops `tracemalloc`, which counts bytes.
`tracemalloc.get_traced_memory()` -> (bytes now, peak since the last reset);
`tracemalloc.reset_peak()`.

**Contract.** `measure_memory(loader)` -> bytes, an int.

1. The peak is the largest amount held at one time, not the sum and not what is left at
   the end.
2. Memory that is held only while a batch is made counts too.
3. An earlier peak does not count.
4. Memory that was held before the epoch does not count.
5. One epoch is run, and none of its batches is kept.
6. A trace that was running before goes on; a trace that `measure_memory` started is
   stopped.
7. An error from the loader reaches the caller unchanged, without a retry.

**By hand.** 8 MB are held when the epoch starts, at most 11 MB while it runs: 3 MB.
"""


# %% stub measure_memory
#| export
def measure_memory(loader: Iterable) -> int:
    """Return the peak of bytes allocated during one epoch, above what was allocated
    at its start (tracemalloc's count).
    """
    was_tracing = tracemalloc.is_tracing()  # given: a trace may be running already
    if not was_tracing:
        tracemalloc.start()
    try:
        # TODO: about five lines: reset the peak, note the start, run an epoch, read the
        # peak.
        ### BEGIN SOLUTION
        tracemalloc.reset_peak()
        before, _ = tracemalloc.get_traced_memory()
        for _ in loader:
            pass
        _, peak = tracemalloc.get_traced_memory()
        return peak - before
        ### END SOLUTION
    finally:
        if not was_tracing:
            tracemalloc.stop()


# %% law, 2 points
check("9b")

# %% [markdown]
"""
## 10 Pictures with units

A picture without units cannot be read, and one whose title is its finding is understood
at once. You write two functions that draw numbers on `ax` and return the Axes; read the
two that are given.

`new_axes(ax)` makes an Axes if there is none. matplotlib's `ax.plot(xs, ys, label=...)`
draws a line, `ax.set(xlabel=..., ylabel=...)` labels both axes,
`ax.set_xscale("log", base=2)` and `ax.set_ylim(bottom=0)` set their scales,
`ax.set_title(text)` writes a title, `ax.legend()` shows the names of the lines.
"""


# %% given given_new_axes
#| export
def new_axes(ax=None):
    """`ax`, or the Axes of a new figure. matplotlib is imported here, so that
    loading data never waits for it.
    """
    if ax is None:
        import matplotlib.pyplot as plt

        ax = plt.subplots(figsize=(6, 3.6), layout="constrained")[1]
    return ax


def plot_stages(records: dict[str, float], ax=None):
    """Draw each stage's share of the time in percent; records are stage -> seconds.
    Return the Axes.
    """
    ax = new_axes(ax)
    total = sum(records.values())
    ax.bar(list(records), [100 * seconds / total for seconds in records.values()])
    ax.set(xlabel="stage", ylabel="share of the time (%)")
    return ax


def plot_loss_curves(records: dict[str, Sequence[float]], ax=None):
    """Draw one labeled line per run: loss against step. Return the Axes."""
    ax = new_axes(ax)
    for name, losses in records.items():
        ax.plot(losses, label=name)  # without xs, the steps count from 0
    ax.set(xlabel="step", ylabel="loss")
    ax.legend()
    return ax


# %% [markdown]
"""
### 10a plot_throughput: rates over batch size
<!-- points -->, about 5 minutes

**Goal.** See at which batch size a larger batch no longer helps.

**Given.** `new_axes` and matplotlib's functions, as above. `zip(*records)` splits
pairs.

**Contract.** `plot_throughput(records, ax)` -> the Axes; records are (batch size,
samples/s). Labels: x "batch size (samples)", y "throughput (samples/s)".

1. A plot draws on the Axes it is given and returns it.
2. Both axes are labeled with what they show and its unit.
3. The line shows the records: batch size across, samples/s up.
4. The x axis is logarithmic, of base 2.
5. The y axis begins at 0.
6. Every point is inside the visible axes.

**By hand.** `[(8, 1000), (32, 3000)]`: a line from (8, 1000) to (32, 3000).
"""


# %% stub plot_throughput
#| export
def plot_throughput(records: Sequence[tuple[int, float]], ax=None):
    """Draw samples/s against batch size; records are (batch size, samples/s). Return
    the Axes.
    """
    ax = new_axes(ax)
    # TODO: about five lines.
    ### BEGIN SOLUTION
    sizes, rates = zip(*records)
    ax.plot(sizes, rates, marker="o")
    ax.set_xscale("log", base=2)
    ax.set_ylim(bottom=0)
    ax.set(xlabel="batch size (samples)", ylabel="throughput (samples/s)")
    return ax
    ### END SOLUTION


# %% law, 2 points
check("10a")

# %% [markdown]
"""
### 10b plot_memory: the finding as the title
<!-- points -->, about 10 minutes

**Goal.** Draw what a larger batch costs.

**Contract.** `plot_memory(records, ax)` -> the Axes, where one line joins the peaks;
records are (batch size, bytes), unsorted. Labels: x "batch size (samples)", y "peak
memory (MB)".

1. A plot draws on the Axes it is given and returns it.
2. Both axes are labeled with what they show and its unit.
3. Memory is drawn in MB, 1e6 bytes each.
4. The x value of each peak is its batch size.
5. Every point is inside the visible axes.
6. The title of the Axes names the smallest and the largest batch size.
7. The title says how many times as much memory the largest batch takes as the
   smallest, as a whole number.

**By hand.** `[(32, 8_000_000), (8, 2_100_000)]`: a line from (8, 2.1) to (32, 8). Its
title may be "From 8 to 32 samples, memory grows 4-fold".
"""


# %% stub plot_memory
#| export
def plot_memory(records: Sequence[tuple[int, int]], ax=None):
    """Draw peak memory in MB against batch size; records are (batch size, bytes). The
    title says how memory grows. Return the Axes.
    """
    ax = new_axes(ax)
    # TODO: about six lines.
    ### BEGIN SOLUTION
    sizes, peaks = zip(*records)
    ax.plot(sizes, np.array(peaks) / 1e6, marker="o")
    ax.set(xlabel="batch size (samples)", ylabel="peak memory (MB)")
    (small, least), (large, most) = min(records), max(records)
    times = round(most / least)
    ax.set_title(f"From {small} to {large} samples, memory grows {times}-fold")
    return ax
    ### END SOLUTION


# %% law, 2 points
check("10b")

# %% [markdown]
"""
Now measure your loader on your machine.

**Guess.** How many times faster do batches of 512 load than batches of 2? How many
times as much memory do they need? Which stage takes most of the time?
"""

# %% demo demo_measure
from functools import partial

from tinytorch.profiler import in_turns, stage_shares

with demo("your loader, measured"):
    batch_sizes = [2, 8, 32, 128, 512]
    loaders = {
        size: DataLoader(digits, batch_size=size, shuffle=True) for size in batch_sizes
    }
    rates = in_turns(
        {size: partial(measure_throughput, loaders[size]) for size in batch_sizes}
    )
    throughput_records = list(rates.medians.items())
    memory_records = [(size, measure_memory(loaders[size])) for size in batch_sizes]
    normalized = DataLoader(
        digits,
        batch_size=32,
        shuffle=True,
        batch_transform=lambda batch: (norm.transform(batch[0]), batch[1]),
    )
    stages = stage_shares(normalized)
    gain = throughput_records[-1][1] / throughput_records[0][1]
    growth = memory_records[-1][1] / memory_records[0][1]
    largest = max(stages.seconds, key=stages.seconds.get)
    share = stages.seconds[largest] / sum(stages.seconds.values())

    def smoothed(losses, steps=45):
        """The mean of each `steps` losses in a row, here those of an epoch."""
        return np.convolve(losses, np.ones(steps) / steps, "valid").tolist()

    # four rows, so that a phone shows them as large as a screen does
    figure, axes = plt.subplots(4, 1, figsize=(4.5, 13), layout="constrained")
    plot_throughput(throughput_records, axes[0])
    axes[0].yaxis.set_major_formatter(lambda rate, _: f"{rate / 1e6:g} M")
    plot_memory(memory_records, axes[1])
    plot_stages(stages.seconds, axes[2])
    curves = {
        "shuffled by your loader": smoothed(shuffled_losses),
        "sorted by label": smoothed(sorted_losses),
    }
    plot_loss_curves(curves, axes[3]).set_ylim(bottom=0)
    higher = curves["sorted by label"][-1] / curves["shuffled by your loader"][-1]
    findings = {
        0: f"Batches of {batch_sizes[-1]} load {gain:.0f} times as fast",
        2: f"The stage {largest} takes {share:.0%} of the time",
        3: f"Sorted labels: the loss is {higher:.0f} times as high",
    }  # panel 1 has the title that plot_memory wrote
    for panel, finding in findings.items():
        axes[panel].set_title(finding)
    for ax in axes:
        ax.title.set_fontsize(10)
    print(
        f"batches of {batch_sizes[-1]} load {gain:.1f} times as fast as batches of"
        f" {batch_sizes[0]}; memory grows {growth:.0f} times"
    )
    print(rates)


# %% [markdown]
"""
**What you see.** Larger batches load faster, because more samples share the work that
Python does once a batch. The gain levels off when the work for each sample takes most
of the time. Memory does not level off: it doubles with the batch, once the batch takes
more than the order and Python's objects. The third picture says which stage to improve
first. In the fourth, each point is the mean of 45 steps, as many as an epoch has.
"""


# %%
progress("Measurements")

# %% [markdown]
"""
## 11 Three numbers

Before you buy memory or machines, calculate what you need. Each function returns one
number in the unit that its docstring states; an answer may be off by 1%.
"""

# %% [markdown]
"""
### 11a batch_bytes: the memory of a batch
<!-- points -->, about 5 minutes

How many bytes do 128 CIFAR-10 images (3 x 32 x 32) take as float32? How many do they
take as uint8, as they are stored in the file?

**Goal.** Compute the memory of one batch of images.

**Given.** `np.dtype(dtype).itemsize` is the number of bytes of one value;
`np.prod(image_shape)` multiplies the sides.

**Contract.** `batch_bytes(batch_size, image_shape, dtype)` -> bytes. `image_shape` is
the shape of one image, such as (3, 32, 32); an example of a `dtype` is "float32".

1. The bytes of a batch are the count of its numbers, times the bytes of one number.

**By hand.** 4 images of (3, 2, 2) as float32: 4 x 12 numbers x 4 bytes = 192 bytes.
"""


# %% stub batch_bytes
#| export
def batch_bytes(batch_size: int, image_shape: Sequence[int], dtype) -> int:
    """Return the memory of one batch of images, in bytes.

    Args:
        batch_size: images in the batch.
        image_shape: the shape of one image, such as (3, 32, 32).
        dtype: of each number, such as "float32".
    """
    # TODO: one line.
    ### BEGIN SOLUTION
    return batch_size * int(np.prod(image_shape)) * np.dtype(dtype).itemsize
    ### END SOLUTION


# %% law, 2 points
check("11a")

# %% [markdown]
"""
### 11b order_bytes: the memory of an order
<!-- points -->, about 5 minutes

A dataset has 10 million samples. How much memory does the order of an epoch take as an
int64 array, and how much as a Python list of integers?

**Goal.** Compute the memory of an order in both forms.

**Given.** The measurement of section 3: the bytes of an index in an array and in a
list. No other list shares the integers.

**Contract.** `order_bytes(num_samples, in_list=False)` -> bytes.

1. An index in an int64 array takes 8 bytes.
2. An index in a list takes 40 bytes: a pointer of 8 and an integer object of 32.

**By hand.** 1,000 samples: 8,000 bytes in an array, 40,000 bytes in a list.
"""


# %% stub order_bytes
#| export
def order_bytes(num_samples: int, in_list: bool = False) -> int:
    """Return the memory of an epoch's order, in bytes.

    Args:
        num_samples: indices in the order.
        in_list: True for a Python list of integers, False for an int64 array.
    """
    # TODO: one or two lines.
    ### BEGIN SOLUTION
    bytes_per_index = 8 + 32 if in_list else 8
    return num_samples * bytes_per_index
    ### END SOLUTION


# %% law, 1 point
check("11b")

# %% [markdown]
"""
### 11c hours_saved: the gain of hidden loading
<!-- points -->, about 5 minutes

A training run takes 14 hours. Each of its steps takes 45 ms of loading and then 75 ms
of everything else. You train 100 models a day. How many machine hours a day do you save
if the next batch is loaded while the rest of a step runs?

**Goal.** Compute the hours that all models save.

**Given.** A step takes more than 0 ms.

**Contract.** `hours_saved(models, hours, loading, rest)` -> hours, for all models. One
run takes `hours` while nothing is hidden; `loading` and `rest` have the same unit.

1. Each model saves the share of its hours that hidden loading took.
2. Loading is hidden only for as long as the rest lasts.

**By hand.** 10 models, 3 hours each. Loading 10 ms, rest 20 ms: a third of 30 hours.
Loading 20 ms, rest 5 ms: a fifth.
"""


# %% stub hours_saved
#| export
def hours_saved(models: int, hours: float, loading: float, rest: float) -> float:
    """Return the machine hours that hidden loading saves, for all models.

    Args:
        models: how many are trained.
        hours: what one training run takes while each step loads first.
        loading, rest: the two parts of a step, in one unit of time.
    """
    # TODO: one or two lines.
    ### BEGIN SOLUTION
    hidden = min(loading, rest)
    return models * hours * hidden / (loading + rest)
    ### END SOLUTION


# %% law, 2 points
check("11c")

# %% given given_imagenet
# Why all this matters: ImageNet's 1.2 million training images at 224 x 224.
imagenet_values = 1_200_000 * 3 * 224 * 224
print(
    f"ImageNet: {imagenet_values / 1e9:.0f} GB as bytes,"
    f" {imagenet_values * 4 / 1e9:.0f} GB as float32"
)
stacked_bytes = 128 * 3 * 224 * 224 * 4
print(
    f"stacking 128 of them as float32, at 20 GB/s: {stacked_bytes / 20e9 * 1e3:.1f} ms"
)
print(f"a step of 45 + 75 ms with its loading hidden: {120 / 75:.1f} times as fast")


# %%
progress("Three numbers")

# %% [markdown]
"""
## 12 Five questions

A person reads your answers. Answer in the cell *below* each question, in three to six
sentences, with numbers where you have them. The question itself is locked: text typed
into it is lost.
"""

# %% question sys_memory_and_throughput, 2 points [markdown]
"""
### 12a Memory against throughput
<!-- points -->, about 4 minutes

Why does a larger batch use the hardware better, and what does it cost in memory? How
would you find a good batch size for a device with 16 GB?

### BEGIN MARK SCHEME
1 point: fixed cost per step (Python, kernel launch, optimizer) is spread over more
samples, so samples/s rises until a limit (memory bandwidth, compute) and is then flat.
1 point: activations and the batch grow linearly with the batch size while parameters do
not; measures (doubles until memory is nearly full or throughput is flat) rather than
guesses. Saying "the largest that fits" without the knee: half a point.
### END MARK SCHEME
"""

# %% [markdown]
"""
*Your answer here.*
"""

# %% question sys_shuffling, 2 points [markdown]
"""
### 12b Shuffling
<!-- points -->, about 4 minutes

What does shuffling change in training? Why is it needed there and not in evaluation?

### BEGIN MARK SCHEME
1 point: without it, consecutive batches are alike (sorted data: one class), the
gradient of a batch is a biased estimate of the whole, the model follows the order and
forgets; refers to the measured curves. 1 point: an evaluation averages over all samples
without updating weights, so the order changes nothing; a fixed order makes it
comparable.
### END MARK SCHEME
"""

# %% [markdown]
"""
*Your answer here.*
"""

# %% question sys_io_bottleneck, 2 points [markdown]
"""
### 12c The bottleneck
<!-- points -->, about 4 minutes

Your accelerator can process 1000 images/s, your disk delivers 100 images/s. Where is
the bottleneck, how busy is the accelerator, and what are two remedies? Say what each
remedy can reach at best.

### BEGIN MARK SCHEME
1 point: the disk; the accelerator works at most 10% of the time; overlapping (prefetch)
alone gains at most the smaller of the two times, here about 1.1 times, since the disk
stays the limit. 1 point: two remedies that raise the delivery rate: cache in memory
after the first epoch, smaller or packed files read in order, compressed formats,
several disks, smaller images.
### END MARK SCHEME
"""

# %% [markdown]
"""
*Your answer here.*
"""

# %% question sys_preprocessing, 2 points [markdown]
"""
### 12d Where to preprocess
<!-- points -->, about 4 minutes

Should images be normalized and augmented in the loader, once before training, or on the
accelerator? Name the trade-offs.

### BEGIN MARK SCHEME
1 point: deterministic and cheap to store: once, ahead; random augmentation: freshly
each epoch, in the loader (CPU, in parallel with the step) or on the accelerator (fast,
but takes its time and memory). 1 point: names the cost of moving data: bytes stay uint8
until late (4 times less to copy than float32), and CPU work competes with a step on the
same cores.
### END MARK SCHEME
"""

# %% [markdown]
"""
*Your answer here.*
"""

# %% question sys_eight_gpus, 2 points [markdown]
"""
### 12e Eight accelerators
<!-- points -->, about 4 minutes

You train on 8 accelerators. How do you divide the dataset among them each epoch, and
what must be true of the shuffling? What do you do if N is not divisible by 8?

### BEGIN MARK SCHEME
1 point: every process makes the same permutation from (seed, epoch) and takes every 8th
index, so each sample is on exactly one rank and each epoch is new; independent seeds
would repeat and miss samples. 1 point: unequal shares make ranks wait for each other or
hang: pad with a few repeated samples or drop the rest, and says what that costs.
### END MARK SCHEME
"""

# %% [markdown]
"""
*Your answer here.*
"""

# %% [markdown]
"""
---
# Part B

Part A is a complete loader. Part B makes it useful for image training.

## 13 Augmentation

A mirrored photo of a cat still shows a cat. A network that sees a random variant of
each image in each epoch memorizes single images less. Three rules make augmentation
repeatable:

- A transform takes one image (C, H, W) and returns a *new* one of the same kind (Tensor
  for Tensor, array for array) and dtype.
- Its random numbers come from its **own** `np.random.Generator`, never from NumPy's
  global one.
- In a loader, the random numbers depend on (loader seed, epoch, sample number, place
  among the transforms) and on nothing else. Then the same seed gives the same images,
  with any batch size and any order. The loader passes each sample its own Generator as
  `rng=`.

The Generator reaches the transform because `DataLoader._load` (section 5) calls
`dataset.sample_with(index, rng)` where a dataset has this method. The cell below adds
it to two datasets of Part A.
"""


# %% given given_sample_with
#| export
def sample_at(dataset, index: int, rng: np.random.Generator):
    """Return sample `index`; a dataset with random transforms (`sample_with`)
    receives the Generator of this sample.
    """
    return (
        dataset.sample_with(index, rng)
        if hasattr(dataset, "sample_with")
        else dataset[index]
    )


@add_to_class(Subset)
def sample_with(self, index: int, rng: np.random.Generator):
    """Return sample `index`; its random transforms get this Generator."""
    return sample_at(self.dataset, self.indices[index], rng)


@add_to_class(CIFAR10Dataset)
def sample_with(
    self, index: int, rng: np.random.Generator | None
) -> tuple[Tensor, Tensor]:
    """Return (image, label); a transform with a parameter `rng` gets this Generator."""
    image, label = self._stored(index)
    return transform_image(self.transform, image, rng), label


# %% given given_as_image
#| export
def as_image(image) -> np.ndarray:
    """The array of an image (C, H, W). Raises ValueError for any other number of
    dimensions.
    """
    array = as_array(image)
    if array.ndim != 3:
        raise ValueError(f"image must be (C, H, W), got shape {array.shape}")
    return array


def zero_padded(images: np.ndarray, padding: int) -> np.ndarray:
    """A copy of images (..., H, W) with `padding` zeros on all four sides."""
    *front, height, width = images.shape
    padded = np.zeros((*front, height + 2 * padding, width + 2 * padding), images.dtype)
    padded[..., padding : padding + height, padding : padding + width] = images
    return padded


# %% [markdown]
"""
### 13a RandomHorizontalFlip: mirror an image
<!-- points -->, about 15 minutes

**Goal.** Mirror an image at random, with one random number. `__init__` refuses a wrong
`p`, `__call__` mirrors.

**Given.** `as_image(image)` is the array, checked to be (C, H, W); `like(image, array)`
keeps the kind.

**Contract.** `RandomHorizontalFlip(p=0.5, seed=None)(image, rng=None)` -> an image.

1. A flip mirrors the width, the last axis, and nothing else.
2. The image is flipped exactly when `rng.random() < p`: one draw for each call.
3. With `rng=`, the random numbers come from this Generator.
4. Without `rng`, a transform draws from its own generator, made once from `seed`.
5. A transform returns a new image and keeps its input.
6. An array gives an array, a Tensor a Tensor; the dtype is kept.
7. `p` outside 0..1 raises `ValueError` with the value.

**By hand.** `[[[1, 2, 3]]]` mirrored is `[[[3, 2, 1]]]`.
"""


# %% stub random_horizontal_flip
#| export
class RandomHorizontalFlip:
    """Mirrors an image (C, H, W) left to right with probability p; `seed` makes a
    transform used alone repeatable.
    """

    def __init__(self, p: float = 0.5, seed: int | None = None):
        # TODO: refuse p outside 0..1, with the value. Two lines.
        ### BEGIN SOLUTION
        if not 0 <= p <= 1:
            raise ValueError(f"p must be between 0 and 1, got {p}")
        ### END SOLUTION
        self.p, self.rng = p, np.random.default_rng(checks.seed_or_none(seed))

    def __call__(self, image, rng: np.random.Generator | None = None):
        """Return a new image, mirrored or not; `rng` replaces the transform's own
        generator.
        """
        x = as_image(image)
        rng = self.rng if rng is None else rng
        # TODO: two lines. x[..., ::-1] reverses the last axis; .copy() makes it new.
        ### BEGIN SOLUTION
        flipped = x[:, :, ::-1] if rng.random() < self.p else x
        return like(image, flipped.copy())
        ### END SOLUTION


# %% law, 3 points
check("13a")

# %% [markdown]
"""
### 13b RandomCrop: shift an image
<!-- points -->, about 25 minutes

**Goal.** Pad, then cut a window.

**Given.** `zero_padded(x, p)` adds `p` zeros on all sides.

**Contract.** `RandomCrop(size, padding=4, seed=None)(image, rng=None)` -> an image.

1. A crop has shape (C, H, W); `size` is (H, W), or an int for a square.
2. A crop is a window of the padded image.
3. Every place of the window is possible.
4. Top, then left, is drawn as `int(rng.random() * places)`: two draws.
5. With `rng=`, the random numbers come from this Generator.
6. Without `rng`, a transform draws from its own generator, made once from `seed`.
7. A transform returns a new image and keeps its input.
8. An array gives an array, a Tensor a Tensor; the dtype is kept.
9. A crop larger than the padded image raises `ValueError` with both sizes.

**By hand.** With padding 1, a 2x2 image has 3x3 places for a 2x2 window.
"""


# %% stub random_crop
#| export
class RandomCrop:
    """Cuts a window of `size` at a random place of the image, after `padding` zeros
    were added on each side.
    """

    def __init__(
        self, size: int | tuple[int, int], padding: int = 4, seed: int | None = None
    ):
        self.size = checks.two_sides("size", size)
        self.padding = checks.whole("padding", padding, 0)
        self.rng = np.random.default_rng(checks.seed_or_none(seed))

    def __call__(self, image, rng: np.random.Generator | None = None):
        """Return a new image of shape (C, H, W), with zeros where the window reaches
        beyond the image.
        """
        x = as_image(image)
        rng = self.rng if rng is None else rng
        height, width = self.size
        # TODO: about seven lines, with zero_padded(x, self.padding).
        ### BEGIN SOLUTION
        padded = zero_padded(x, self.padding)
        rows, columns = padded.shape[1] - height + 1, padded.shape[2] - width + 1
        if rows < 1 or columns < 1:
            raise ValueError(
                f"crop of {height}x{width} is larger than the padded image of"
                f" {padded.shape[1]}x{padded.shape[2]}"
            )
        top = int(rng.random() * rows)
        left = int(rng.random() * columns)
        return like(image, padded[:, top : top + height, left : left + width].copy())
        ### END SOLUTION


# %% law, 4 points
check("13b")

# %% [markdown]
"""
### 13c Compose: one after the other
<!-- points -->, about 20 minutes

**Goal.** Make one transform of several.

**Given.** `accepts(transform, "rng")` is True if the transform has a parameter `rng`.
`at_position(rng, k)` is this sample's Generator for position k.

**Contract.** `Compose([first, second, ...])(image, rng=None)` -> the final image.

1. Transforms run from first to last, each once, on the result of the one before.
2. An empty Compose changes nothing.
3. A transform without a parameter `rng` is called with the image alone.
4. With an `rng`, the transform at position k gets `rng=at_position(rng, k)`.
5. Positions begin at 0 and count every transform, also those without `rng`.
6. The numbers that one transform draws do not change those of the next.
7. Without an `rng`, every transform is called with the image alone.
8. An error from a transform reaches the caller unchanged, without a retry.

**By hand.** Add 1, then times 10: `Compose([add, times])(2)` is 30.
"""


# %% stub compose
#| export
class Compose:
    """Transforms applied one after the other, each with random numbers of its own."""

    def __init__(self, transforms: Sequence[Callable]):
        self.transforms = checks.functions("transforms", transforms)

    def __call__(self, image, rng: np.random.Generator | None = None):
        """Return the image after all transforms, first to last."""
        # TODO: about six lines.
        ### BEGIN SOLUTION
        for position, transform in enumerate(self.transforms):
            if rng is not None and accepts(transform, "rng"):
                image = transform(image, rng=at_position(rng, position))
            else:
                image = transform(image)
        return image
        ### END SOLUTION


# %% law, 4 points
check("13c")

# %% [markdown]
"""
The next cell, without points, checks that the loader gives each sample new random
numbers in each epoch.
"""


# %% given test_augmentation_is_fresh
def test_augmentation_is_fresh():
    """Augmentation in the loader"""

    class Wobble(Dataset):
        """Eight samples; each is its number and the first random number of its
        transform.
        """

        transform = Compose([lambda x, rng=None: rng.random()])

        def __len__(self):
            return 8

        def __getitem__(self, index):
            return self.sample_with(index, np.random.default_rng(index))

        def sample_with(self, index, rng):
            return index, self.transform(index, rng=rng)

    def epoch(loader):
        return {
            int(i): number for ids, numbers in loader for i, number in zip(ids, numbers)
        }

    def columns(samples):
        return list(zip(*samples))

    loader = DataLoader(Wobble(), batch_size=3, seed=4, collate_fn=columns)
    first, second = epoch(loader), epoch(loader)
    other = epoch(
        DataLoader(Wobble(), batch_size=5, shuffle=True, seed=4, collate_fn=columns)
    )
    expect(
        len(set(first.values())) == 8,
        "With an `rng`, the transform at position k gets `rng=at_position(rng, k)`.",
        call="one epoch of 8 samples",
        got=f"{len(set(first.values()))} different random numbers",
        want="8 different random numbers",
        look="each sample has random numbers of its own",
    )
    fresh = sum(first[i] != second[i] for i in first)
    expect(
        fresh == 8,
        "With an `rng`, the transform at position k gets `rng=at_position(rng, k)`.",
        call="epochs 0 and 1",
        got=f"{fresh} of 8 samples have a new random number",
        want="8 of 8 samples have a new random number",
        look="exercise 5c: pass key on to self._load",
    )
    same = sum(first[i] == other.get(i) for i in first)
    expect(
        same == 8,
        "With an `rng`, the transform at position k gets `rng=at_position(rng, k)`.",
        call="batch_size 3 in order, batch_size 5 shuffled; same seed",
        got=f"{same} of 8 samples have the same random number",
        want="8 of 8 samples have the same random number",
        look="a sample's numbers depend on seed, epoch and its index alone",
    )


check(test_augmentation_is_fresh)


# %%
progress("Augmentation")

# %% [markdown]
"""
**In PyTorch.** `Compose`, `RandomHorizontalFlip` and `RandomCrop` are in
`torchvision/transforms/transforms.py`. They draw from PyTorch's global generator.

**What if** two processes load batches, and each starts with a copy of the same
generator? Which images would get the same random numbers?
"""

# %% [markdown]
"""
## 14 A file larger than memory

A **memory map** makes a file look like an array. Nothing is read until you index it.
Then the operating system reads the part of the file that you asked for, and drops it
again when it needs the memory. So the file may be larger than your memory, and the
loader does not change at all.
"""

# %% [markdown]
"""
### 14a MemmapDataset: read a sample from its file
<!-- points -->, about 20 minutes

**Goal.** Read samples from a file larger than memory.

**Given.** `np.load(path, mmap_mode="r")` opens a memory map.

**Contract.** `MemmapDataset(images_path, labels_path, transform=None)` opens two `.npy`
files of N rows: `self.images`, `self.labels`.

1. `ds[i]` is row i of both files, as (image, label), both Tensors.
2. Images keep their dtype, labels are int64.
3. Nothing reads the whole image file.
4. The images are a read-only memory map.
5. A sample is a copy, not a view of the file.
6. Each `ds[i]` reads its image from the file.
7. Images and labels of unequal length raise `ValueError` with both lengths.
8. An index outside 0..N-1 raises `IndexError` with index and size.
9. Each read of an image calls the transform once.
10. An error reaches the caller unchanged, without a retry.

**By hand.** `ds[17]` of images (600, 3, 32, 32) reads 3,072 bytes.
"""


# %% stub memmap_dataset
#| export
class MemmapDataset(Dataset):
    """Images in a .npy file that stays on disk: resident memory does not grow with
    the file.
    """

    def __init__(self, images_path, labels_path, transform: Callable | None = None):
        """Open the files; read the labels, but no image."""
        self.transform = checks.function_or_none("transform", transform)
        labels = checks.whole_numbers("labels", np.load(labels_path))  # given
        # TODO: about five lines.
        ### BEGIN SOLUTION
        self.images = np.load(images_path, mmap_mode="r")
        self.labels = labels.astype(np.int64)
        if len(self.images) != len(self.labels):
            raise ValueError(
                f"images and labels need one length, got {len(self.images)} images and"
                f" {len(self.labels)} labels"
            )
        ### END SOLUTION

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor]:
        return self.sample_with(index, None)

    def sample_with(
        self, index: int, rng: np.random.Generator | None
    ) -> tuple[Tensor, Tensor]:
        """Return (image, label) of one sample; the only place that reads the file."""
        # TODO: about three lines: check the index; set `image`, a Tensor of a copy of
        # the row (np.array copies), and `label`, a Tensor.
        ### BEGIN SOLUTION
        if not 0 <= index < len(self.labels):
            raise IndexError(
                f"Index {index} out of range for dataset of size {len(self.labels)}"
            )
        image, label = Tensor(np.array(self.images[index])), Tensor(self.labels[index])
        ### END SOLUTION
        return transform_image(self.transform, image, rng), label


# %% law, 4 points
check("14a")

# %% [markdown]
"""
### 14b plot_streaming: streaming against in-memory
<!-- points -->, about 10 minutes

**Goal.** Draw memory over time during an epoch, for both ways of loading.

**Given.** `new_axes` and matplotlib's functions, as in section 10.

**Contract.** `plot_streaming(records, ax)` -> the Axes; records are a dict name -> list
of (seconds, bytes), whose seconds are drawn as given. Labels: x "time (s)", y "memory
(MB)".

1. A plot draws on the Axes it is given and returns it.
2. Both axes are labeled with what they show and its unit.
3. Memory is drawn in MB, a line for each way of loading.
4. The x value of each point is its time.
5. Every line has its name, and a legend shows them.
6. Every point is inside the visible axes.

**By hand.** `{"streaming": [(0, 0), (2, 1_000_000)]}`: a line from (0, 0) to (2, 1).
"""


# %% stub plot_streaming
#| export
def plot_streaming(records: dict[str, Sequence[tuple[float, int]]], ax=None):
    """Draw memory in MB over time in seconds, one labeled line per name. Return the
    Axes.
    """
    ax = new_axes(ax)
    # TODO: about six lines.
    ### BEGIN SOLUTION
    for name, points in records.items():
        seconds, held = zip(*points)
        ax.plot(seconds, np.array(held) / 1e6, label=name)
    ax.set(xlabel="time (s)", ylabel="memory (MB)")
    ax.legend()
    return ax
    ### END SOLUTION


# %% law, 1 point
check("14b")

# %% [markdown]
"""
**Guess.** One dataset reads the whole file into memory, the other maps it. What share
of the memory does the second need?
"""


# %% demo demo_streaming
from tinytorch.datasets import write_images_npy

with demo("streaming, measured"):
    stream_folder = Path(tempfile.mkdtemp())
    write_images_npy(stream_folder / "images.npy", 20_000)
    np.save(stream_folder / "labels.npy", np.zeros(20_000, np.int64))

    def memory_over_time(make_dataset):
        """(seconds, bytes) after each batch of one epoch, counted from before the
        dataset is made.
        """
        tracemalloc.start()
        start, points = time.perf_counter(), [(0.0, 0)]
        loader = DataLoader(make_dataset(), batch_size=512, shuffle=True, seed=0)
        for _ in loader:
            points.append(
                (time.perf_counter() - start, tracemalloc.get_traced_memory()[0])
            )
        tracemalloc.stop()
        return points

    streaming_records = {
        "in memory": memory_over_time(
            lambda: TensorDataset(
                np.load(stream_folder / "images.npy"),
                np.load(stream_folder / "labels.npy"),
            )
        ),
        "memory map": memory_over_time(
            lambda: MemmapDataset(
                stream_folder / "images.npy", stream_folder / "labels.npy"
            )
        ),
    }
    peaks = {
        name: max(held for _, held in points)
        for name, points in streaming_records.items()
    }
    share = peaks["memory map"] / peaks["in memory"]
    axes = plt.subplots(figsize=(4.5, 3.4), layout="constrained")[1]
    plot_streaming(streaming_records, axes).set_title(
        f"The memory map holds {share:.0%} of the bytes", loc="left", fontsize=11
    )
    print(
        ", ".join(f"{name}: peak {peak / 1e6:.1f} MB" for name, peak in peaks.items())
    )


# %% [markdown]
"""
**What you see.** In memory, all bytes are there before the first batch comes, and they
stay. With the memory map, the line shows about one batch, because each batch is copied
out of the file when you ask for it and dropped after use.

**A stream.** The lines of a log that is still being written are a stream: the number of
samples is unknown, and no sample has an index. As in PyTorch, such a dataset is an
`IterableDataset` with one method, `__iter__`. With the given code below, your
`DataLoader` cuts a stream into batches. Without indices there is no `shuffle=True`, and
without a length no `len(loader)`.
"""


# %% given given_stream
#| export
class IterableDataset(ABC):
    """Samples that come one after the other, with no numbers and no known length. A
    subclass writes `__iter__`; each epoch asks for a new iterator.
    """

    @abstractmethod
    def __iter__(self) -> Iterator:
        """Return an iterator over the samples of one epoch."""
        raise NotImplementedError(f"{type(self).__name__} must write __iter__")


class StreamLoader(DataLoader):
    """What `DataLoader(dataset, ...)` makes of an IterableDataset."""

    def __init__(
        self, dataset, batch_size: int = 32, shuffle: bool = False, *rest, **settings
    ):
        if checks.flag("shuffle", shuffle):
            name = type(dataset).__name__
            raise ValueError(
                f"shuffle=True needs a dataset with a length, and {name} is an"
                " IterableDataset; mix the samples in its __iter__ instead"
            )
        super().__init__([], batch_size, False, *rest, **settings)
        self.dataset = dataset

    def __len__(self) -> int:
        if not hasattr(self.dataset, "__len__"):
            raise TypeError(
                f"{type(self.dataset).__name__} is an IterableDataset: the number of"
                " its batches is known only after an epoch; count them in the loop"
            )
        more = 0 if self.drop_last else self.batch_size - 1
        return (len(self.dataset) + more) // self.batch_size

    def _batches(self, epoch: int) -> Iterator:
        key, stream = EpochKey.of(self.seed, epoch), iter(self.dataset)
        start = 0
        while samples := list(islice(stream, self.batch_size)):
            indices = np.arange(start, start + len(samples))
            if self.drop_last and len(samples) < self.batch_size:
                return
            batch = self._collate_batch(samples)
            del samples  # while you work on the batch, only the batch is held
            yield transform_batch(self.batch_transform, batch, key, indices)
            start += self.batch_size


def loader_for(cls, dataset=None, *args, **settings):
    """Python calls this to make a loader: a StreamLoader where the dataset is a
    stream. A class of your own keeps what it adds.
    """
    if isinstance(dataset, IterableDataset) and not issubclass(cls, StreamLoader):
        own = type(cls.__name__, (StreamLoader, cls), {})
        cls = StreamLoader if cls is DataLoader else own
    return object.__new__(cls)


DataLoader.__new__ = staticmethod(loader_for)


# %% [markdown]
"""
**Guess.** A stream of seven numbers is cut into batches of three. How many come?
"""


# %% demo demo_stream
with demo("a stream in batches"):

    class Countdown(IterableDataset):
        """Numbers that are made while they are read."""

        def __iter__(self):
            left = 7
            while left:
                yield left
                left -= 1

    print(*DataLoader(Countdown(), batch_size=3))


# %% [markdown]
"""
**What you see.** The last batch holds the one number that is left. The loader learns
only at the end how many batches there are.
"""


# %%
progress("Streaming")

# %% [markdown]
"""
## 15 Make it fast

For each sample your loader makes a Python call, indexes every tensor, wraps each row,
and at the end copies all rows into the batch. NumPy can fetch a whole batch in *one*
call, a **gather**: `np.take(array, indices, axis=0)`.

PyTorch's loader calls `__getitems__(indices)` if the dataset has that method. You add
this method to the dataset (15a) and its call to the loader (15b).
"""


# %% given given_is_written
#| export
def is_written(function: Callable) -> bool:
    """False while `function` is a stub; the loader of Part A then stays in use."""
    constants = getattr(getattr(function, "__code__", None), "co_consts", ())
    return not any(
        isinstance(constant, str) and constant.startswith("your turn: ")
        for constant in constants
    )


# %% [markdown]
"""
### 15a gather_samples: one gather for a batch
<!-- points -->, about 10 minutes

**Goal.** Write `gather_samples`, which becomes `TensorDataset.__getitems__`.

**Given.** `np.take(array, indices, axis=0)`; for NumPy, index -1 is the last row.

**Contract.** `gather_samples(dataset, indices)` -> the batch of these samples;
`indices` is an array or a list of integers.

1. A gathered batch is a tuple with a Tensor for each of `dataset.tensors`.
2. Row k of the batch is sample `indices[k]`; an empty list gives 0 rows.
3. A gather keeps the dtypes.
4. A gather reads no sample one by one: one NumPy call for each tensor.
5. A batch has its own memory: changing it never changes the dataset.
6. An index outside 0..N-1 raises `IndexError`; a negative index does too.

**By hand.** Indices `[7 2 2]` give a batch of rows 7, 2 and 2, in this order.
"""


# %% stub gather_samples
#| export
def gather_samples(dataset: TensorDataset, indices: np.ndarray) -> tuple[Tensor, ...]:
    """Return rows `indices` of every tensor, one NumPy call each; a batch with its own
    memory.

    Raises:
        IndexError: an index is outside 0..N-1.
    """
    # TODO: about four lines.
    ### BEGIN SOLUTION
    indices = np.asarray(indices, dtype=np.int64)
    if len(indices) and indices.item(indices.argmin()) < 0:
        # NumPy refuses numbers that are too large, but takes -1 for the last row
        raise IndexError(
            f"Index {indices.min()} out of range for dataset of size {len(dataset)}"
        )
    return tuple([Tensor(tensor.data.take(indices, 0)) for tensor in dataset.tensors])
    ### END SOLUTION


if is_written(gather_samples):
    # from here on, a TensorDataset offers the protocol
    TensorDataset.__getitems__ = gather_samples


# %% law, 3 points
check("15a")

# %% [markdown]
"""
### 15b load_batch: a loader that uses it
<!-- points -->, about 20 minutes

**Goal.** Write `load_batch`, the new `DataLoader._load`.

**Given.** `load_one_by_one(loader, indices, key)`, Part A's `_load`, transforms too.
Use `hasattr(loader.dataset, "__getitems__")`, `loader._collate_batch(samples)` and
`transform_batch(loader.batch_transform, batch, key, indices)`.

**Contract.** `load_batch(loader, indices, key)` -> the batch of these samples;
`indices` is an int64 array, never empty.

1. A dataset with `__getitems__` is asked once for a batch, with its indices.
2. If `__getitems__` returns anything but a list, that is the finished batch.
3. A list from `__getitems__` holds samples, and is collated.
4. With a `collate_fn`, the samples are read one by one, then collated by it.
5. A dataset without `__getitems__` is read one by one.
6. A batch goes through `batch_transform` once.
7. A `batch_transform` gets the key and the indices of its batch.
8. An error reaches the caller unchanged, without a retry.

**By hand.** `__getitems__([4, 1])` returns `[40, 10]`: the batch is a Tensor `[40 10]`.
"""

# %% stub load_batch
#| export
load_one_by_one = DataLoader._load  # given: the method of Part A


def load_batch(loader: DataLoader, indices: np.ndarray, key: EpochKey):
    """Load one batch, with a single `__getitems__` where the dataset offers it and
    no collate_fn was given.
    """
    # TODO: about six lines. A gathered batch goes through
    # transform_batch(loader.batch_transform, batch, key, indices) at the end.
    ### BEGIN SOLUTION
    if loader.collate_fn is not None or not hasattr(loader.dataset, "__getitems__"):
        return load_one_by_one(loader, indices, key)
    batch = loader.dataset.__getitems__(indices)
    if isinstance(batch, list):
        batch = loader._collate_batch(batch)
    return transform_batch(loader.batch_transform, batch, key, indices)
    ### END SOLUTION


if is_written(load_batch):
    DataLoader._load = load_batch  # from here on, every loader uses it


# %% law, 5 points
check("15b")

# %% [markdown]
"""
**Step 1: one gather.** The next cell measures your loader before and after this step.
The limit beside them is one bare gather of the same rows, into memory that is already
there. No loader that hands out shuffled rows can be faster.

**Guess.** How many times as fast is one gather a batch as 128 reads and a stack?
"""

# %% demo demo_fast
from functools import partial

from tinytorch.datasets import synthetic_images
from tinytorch.profiler import in_turns
from tinytorch.profiler.pictures.ladder import plot_ladder

with demo("before and after, measured"):
    many_images, many_labels = synthetic_images(20_000, seed=0)
    many = TensorDataset(many_images, many_labels)

    class OneByOne(Dataset):
        """The same samples without __getitems__: the loader of Part A."""

        def __len__(self):
            return len(many)

        def __getitem__(self, index):
            return many[index]

    class BareGather:
        """The limit: nothing but one NumPy gather per batch."""

        def __iter__(self):
            order, batch = (
                np.random.default_rng(0).permutation(len(many)),
                np.empty((128, 3, 32, 32), np.uint8),
            )
            for start in range(0, len(order), 128):
                piece = order[start : start + 128]
                yield np.take(
                    many_images, piece, axis=0, out=batch[: len(piece)], mode="clip"
                )

    def rates_of(**loaders):
        """Samples per second of each loader and of the limit, measured in turns."""
        loaders["limit"] = BareGather()
        rates = in_turns(
            {
                name: partial(measure_throughput, loader, warmup=0, repeats=3)
                for name, loader in loaders.items()
            },
            limit="limit",
        )
        for name, rate in rates.medians.items():
            print(
                f"{name.replace('_', ' '):<18} {rate:>12,.0f} samples/s  "
                f" {rate / rates['limit']:.1%} of the limit"
            )
        print(rates)
        return rates.medians

    step_1 = rates_of(
        one_by_one=DataLoader(OneByOne(), batch_size=128, shuffle=True),
        one_gather=DataLoader(many, batch_size=128, shuffle=True),
    )
    plot_ladder(step_1)


# %% [markdown]
"""
**What you see.** One gather copies each row once, in a single NumPy call; only new
memory for each batch and the loader's own loop keep it from the limit. If a loader
seems faster than the limit, the machine was busy: measure again.

**Step 2: the other datasets.** Three more datasets are given for section 16:
`random_split` cuts a dataset into Subsets, `ConcatDataset` joins datasets, and
`CachedDataset` keeps each sample that it has read.
"""


# %% given given_composition
#| export
class ConcatDataset(Dataset):
    """Several datasets, one after the other."""

    def __init__(self, datasets: Sequence):
        if isinstance(datasets, Dataset):
            raise TypeError(f"datasets must be a list, got {type(datasets).__name__}")
        self.datasets = list(datasets)
        self.ends = np.cumsum(
            [len(dataset) for dataset in self.datasets], dtype=np.int64
        )

    def __len__(self) -> int:
        return int(self.ends[-1]) if self.datasets else 0

    def _place(self, index: int):
        if not 0 <= index < len(self):
            raise IndexError(
                f"Index {index} out of range for dataset of size {len(self)}"
            )
        which = int(np.searchsorted(self.ends, index, side="right"))
        return self.datasets[which], int(index - (self.ends[which - 1] if which else 0))

    def __getitem__(self, index: int):
        dataset, inner = self._place(index)
        return dataset[inner]

    def sample_with(self, index: int, rng: np.random.Generator):
        """Return sample `index`; its random transforms get this Generator."""
        return sample_at(*self._place(index), rng)


class CachedDataset(Dataset):
    """Keeps every sample it has read: the second epoch reads nothing. Not for
    datasets with random transforms.
    """

    def __init__(self, dataset):
        self.dataset, self.cache = dataset, {}

    def __len__(self) -> int:
        return len(self.dataset)

    def __getitem__(self, index: int):
        if index not in self.cache:
            self.cache[index] = self.dataset[index]
        return self.cache[index]


def random_split(
    dataset, lengths: Sequence[float], seed: int | None = None
) -> list[Subset]:
    """Return disjoint subsets of the given lengths, drawn at random; `seed` makes the
    draw repeatable.

    `lengths` are whole numbers, or fractions that add up to 1: `[0.8, 0.2]`. As in
    PyTorch, each fraction is rounded down to samples, and what is left over goes to the
    first subsets, one sample each.

    Raises:
        ValueError: the lengths do not add up to the length of the dataset, or the
            fractions to 1; or one is negative.
    """
    size, given = len(dataset), list(lengths)
    fractions = any(isinstance(length, (float, np.floating)) for length in given)
    fits = isclose(sum(given), 1) if fractions else sum(given) == size
    if not fits or min(given, default=0) < 0:
        whole = f"the {size} samples of the dataset"
        raise ValueError(
            "lengths must be 0 or more and add up to"
            f" {1 if fractions else whole}, got {given} = {sum(given)}"
            f"{'; numbers with a point are fractions' if fractions else ''}"
        )
    if fractions:
        lengths = [int(length * size) for length in given]
        for k in range(size - sum(lengths)):
            lengths[k % len(lengths)] += 1
    order = np.random.default_rng(checks.seed_or_none(seed)).permutation(size)
    ends = np.cumsum(lengths).tolist()
    return [
        Subset(dataset, order[end - length : end]) for length, end in zip(lengths, ends)
    ]


# %% [markdown]
"""
A memory map, a `Subset` and a `ConcatDataset` can gather too, as long as no transform
wants the samples one by one. `rows` (in `tinytorch/core/gather.py`) gathers as you do,
and frees the memory of a large mapped file.
"""

# %% given given_gathers
#| export
from tinytorch.core.gather import gather_parts, offered, rows


def gather_images(dataset, indices: np.ndarray) -> tuple[Tensor, Tensor]:
    """One batch of a dataset with `images` and `labels`."""
    indices = np.asarray(indices, dtype=np.int64)
    return Tensor(rows(dataset.images, indices)), Tensor(rows(dataset.labels, indices))


def gather_subset(subset: Subset, indices: np.ndarray):
    """One batch of a Subset, gathered by the dataset behind it. Its indices are an
    array already: nothing here grows with the number of samples.
    """
    return subset.dataset.__getitems__(
        rows(np.asarray(subset.indices, np.int64), np.asarray(indices, np.int64))
    )


if is_written(gather_samples) and is_written(load_batch):
    CIFAR10Dataset.__getitems__ = offered(
        gather_images, lambda dataset: dataset.transform is None
    )
    MemmapDataset.__getitems__ = offered(
        gather_images, lambda dataset: dataset.transform is None
    )
    Subset.__getitems__ = offered(
        gather_subset, lambda subset: hasattr(subset.dataset, "__getitems__")
    )
    ConcatDataset.__getitems__ = offered(
        gather_parts,
        lambda chain: all(hasattr(part, "__getitems__") for part in chain.datasets),
    )


# %% [markdown]
"""
**Step 3: augment the whole batch.** In the same way, a few NumPy calls can flip and
crop a whole batch. `BatchAugment` is given, for you to read. It draws the same numbers
as `Compose([RandomHorizontalFlip(p), RandomCrop(size, padding)])` does sample by
sample, so the *same* images come out.
"""


# %% given given_batch_augment
#| export
class BatchAugment:
    """Flip and crop for a whole batch (B, C, H, W): a `batch_transform` that gives what
    the per-sample transforms give.

    Equal, bit for bit, to Compose([RandomHorizontalFlip(p), RandomCrop((H, W),
    padding)]) under the same loader seed: position 0 draws one number per sample,
    position 1 two (top, left).
    """

    def __init__(self, p: float = 0.5, padding: int = 4):
        self.p = checks.probability("p", p)
        self.padding = checks.whole("padding", padding, 0)

    def __call__(self, batch, key: EpochKey, indices: np.ndarray):
        images, *rest = batch if isinstance(batch, tuple) else (batch,)
        x = as_array(images).copy()
        _, _, height, width = x.shape
        flips = key.uniforms(indices, 1, position=0)[:, 0] < self.p
        corners = (
            key.uniforms(indices, 2, position=1) * (2 * self.padding + 1)
        ).astype(np.int64)
        x[flips] = x[flips, :, :, ::-1]
        # a view: (B, C, places, places, H, W)
        windows = np.lib.stride_tricks.sliding_window_view(
            zero_padded(x, self.padding), (height, width), axis=(2, 3)
        )
        out = windows[np.arange(len(x)), :, corners[:, 0], corners[:, 1]]
        return (
            (like(images, out), *rest)
            if isinstance(batch, tuple)
            else like(images, out)
        )


# %% [markdown]
"""
`FastAugment` (in `tinytorch/core/augment.py`) flips and crops bytes, many neighbors at
once, and only at the end turns a few images at a time into normalized floats, so that
they stay in the processor's cache. `AugmentFromCopies` keeps padded and mirrored copies
of all images: it needs more memory and less time.

**Guess.** How many times as fast as one image at a time is `BatchAugment`?
"""

# %% demo demo_augment
from tinytorch.core.augment import AugmentFromCopies, FastAugment

with demo("augmentation, measured"):
    some_images, some_labels = many_images[:2048], many_labels[:2048]
    mean, std = some_images.mean(axis=(0, 2, 3)), some_images.std(axis=(0, 2, 3))
    some, copies = (
        TensorDataset(some_images, some_labels),
        AugmentFromCopies(some_images, mean=mean, std=std),
    )
    to_normal = Normalizer()
    to_normal.fit(some_images)

    class PerSample(Dataset):
        """The transforms of exercises 13a to 13c, one image at a time."""

        def __init__(self):
            self.transform = Compose(
                [RandomHorizontalFlip(), RandomCrop(32, padding=4)]
            )

        def __len__(self):
            return len(some_images)

        def __getitem__(self, index):
            return self.sample_with(index, None)

        def sample_with(self, index, rng):
            return (
                transform_image(self.transform, some_images[index], rng),
                some_labels[index],
            )

    flip_and_crop = BatchAugment()

    def normalized(batch):
        return to_normal.transform(batch[0]), batch[1]

    def augment_and_normalize(batch, key, indices):
        return normalized(flip_and_crop(batch, key, indices))

    step_3 = rates_of(
        per_sample=DataLoader(
            PerSample(), batch_size=128, shuffle=True, batch_transform=normalized
        ),
        BatchAugment=DataLoader(
            some, batch_size=128, shuffle=True, batch_transform=augment_and_normalize
        ),
        FastAugment=DataLoader(
            some,
            batch_size=128,
            shuffle=True,
            batch_transform=FastAugment(mean=mean, std=std),
        ),
        AugmentFromCopies=DataLoader(
            TensorDataset(some_labels),
            batch_size=128,
            shuffle=True,
            batch_transform=copies,
        ),
    )
    plot_ladder(step_3)
    print(
        f"the copies take {copies.nbytes / 1e6:.1f} MB,"
        f" {copies.nbytes / some_images.nbytes:.1f} times the images"
    )


# %% [markdown]
"""
**What you see.** One image at a time, most of the time goes into Python's calls; a
whole batch shares each call. The other two touch less memory. None comes close to the
limit, because normalizing writes every pixel again, four bytes for one.

**Step 4: load while the model works.** `prefetch=1` lets one thread load the next batch
during the training step. It works because NumPy's long copies let other threads run.
Look at three numbers together: the time of the epoch, how long the step waited, and how
long a step took.

**Guess.** How much of the loading time will a thread hide on your machine?
"""

# %% demo demo_prefetch
with demo("loading behind the step, measured"):
    weights = np.ones((1200, 1200), np.float32)

    def step(batch):
        weights @ weights[:, :300]  # stands for a training step

    fast = {
        "seed": 0,
        "batch_size": 128,
        "shuffle": True,
        "batch_transform": FastAugment(mean=mean, std=std),
    }
    epochs_of = {
        "the steps alone": [None] * 16,
        "load, then train": DataLoader(some, **fast),
        "prefetch=1": DataLoader(some, prefetch=1, **fast),
    }
    waits = {name: [] for name in epochs_of}  # seconds of each epoch

    def epoch_seconds(name):
        """Seconds of one epoch; those that its steps waited for a batch go to waits."""
        start, waited = time.perf_counter(), 0.0
        asked = start
        for batch in epochs_of[name]:
            waited += time.perf_counter() - asked
            step(batch)
            asked = time.perf_counter()
        waits[name].append(waited)
        return time.perf_counter() - start

    seconds = in_turns({name: partial(epoch_seconds, name) for name in epochs_of})
    names = list(epochs_of)
    waiting = np.array([1e3 * np.median(waits[name]) for name in names])
    working = np.array([1e3 * seconds[name] for name in names]) - waiting
    for name, idle, busy in zip(names, waiting, working):
        print(
            f"{name:<18} {idle + busy:6.1f} ms an epoch, waiting {idle:5.1f} ms,"
            f" a step {busy / 16:5.2f} ms"
        )
    print(seconds)
    axes = plt.subplots(figsize=(4.5, 3), layout="constrained")[1]
    axes.barh(names, working, label="in its 16 steps")
    axes.barh(names, waiting, left=working, label="waiting for batches")
    ratio = seconds["prefetch=1"] / seconds["load, then train"]
    axes.set_title(
        f"With prefetch, an epoch takes {ratio:.2f} times as long", fontsize=11
    )
    axes.title.set(x=1, ha="right")  # the names of the bars leave no room to the left
    axes.set(xlabel="time of an epoch (ms)")
    axes.invert_yaxis()
    figure = axes.figure
    figure.legend(loc="outside lower center", ncols=2, frameon=False)


# %% [markdown]
"""
**What you see.** Most of the waiting is gone. If a core was free, the epoch takes
little longer than its steps alone. If the thread and the step share the cores, each
step takes longer, and little or nothing is saved.
"""


# %%
progress("Make it fast")

# %% [markdown]
"""
**In PyTorch.** `_MapDatasetFetcher.fetch` in `torch/utils/data/_utils/fetch.py` asks
for `__getitems__`, as your loader does. It always collates what it gets.

**What if** the batch size is 2? What is the gain of one gather then?
"""

# %% [markdown]
"""
## 16 Data of your own

Here you choose the data.
"""

# %% question own_data, 6 points [markdown]
"""
### 16a Twice as fast, on data of your own
<!-- points -->, about 60 minutes

Take a folder of images, a CSV file, or other files. Work in code cells that you add
below your answer.

1. Write a dataset that reads a sample when it is asked for.
2. Put `%%profile loader` above a loop over the loader. Note what limits it, and the
   share of the time.
3. Change what limits it, until `measure_throughput` says at least twice the rate. Keep
   the batches. Neither a cache alone nor `prefetch` counts.
4. Draw two pictures with labeled axes and units: both rates, and what takes the time
   in each (`plot_stages`, section 10).

Answer in five to eight sentences: What are the data? What limited the loader? What did
you change, and by how much did it help? Why? What limits the loader now?

No data? Save the digits with `plt.imsave`, as (H, W, C); `plt.imread` reads them.

### BEGIN MARK SCHEME
1 point: a dataset with both methods, for data in files; a sample is read when it is
asked for. 1 point: names what the profile named, with its share of the time. 2 points:
at least twice the samples/s, with a warm-up and repeats, and the same batches before
and after, by more than a cache or `prefetch` (half of them for a gain below 2, or for
other batches). 1 point: two pictures with labeled axes and units, one of speed and one
of its cause. 1 point: says why the change helps and what limits the loader now.
Formgrader shows the pictures.
### END MARK SCHEME
"""

# %% [markdown]
"""
*Your answer here.*
"""

# %% [markdown]
"""
## Done

Export and test: `tito export 08`, then `tito test 08`. Submit with `tito submit 08`.
Next, the labs 08a, 08b and 08c build other loaders.
"""

# %% given given_finish
finish()

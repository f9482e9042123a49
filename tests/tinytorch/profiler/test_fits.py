"""Watching a loop adds `p = Profiler()` and `p.wrap(...)` around its loader, and changes nothing
else: the same batches, the same training, and a loader that is afterwards what it was.
"""

import random
import sys

import numpy as np
import pytest

from tinytorch.profiler import Profiler

EPOCHS, SAMPLES = 3, 22


class Rows:
    """A dataset of numbers, which PyTorch's workers can take along."""

    def __len__(self):
        return SAMPLES

    def __getitem__(self, index):
        return np.full(2, index, np.float32), np.float32(index)


class Shuffled:
    """A loader in plain Python, shuffled anew in each epoch."""

    def __init__(self, batch_size):
        self.dataset, self.batch_size, self.epoch = Rows(), batch_size, 0

    def __len__(self):
        return -(-SAMPLES // self.batch_size)

    def __iter__(self):
        order = np.random.default_rng(self.epoch).permutation(SAMPLES)
        self.epoch += 1
        for start in range(0, SAMPLES, self.batch_size):
            samples = [self.dataset[i] for i in order[start : start + self.batch_size]]
            yield tuple(np.stack(column) for column in zip(*samples, strict=True))


def pytorch(**settings):
    def make(request, batch_size):
        reason = "PyTorch is not installed: make test-torch"
        torch = pytest.importorskip("torch", reason=reason)
        generator = torch.Generator().manual_seed(0)
        return torch.utils.data.DataLoader(
            Rows(), batch_size, shuffle=True, generator=generator, **settings
        )

    return make


def ours(prefetch):
    def make(request, batch_size):
        package = request.getfixturevalue("reference_package").module
        return package.DataLoader(Rows(), batch_size, shuffle=True, seed=0, prefetch=prefetch)

    return make


LOADERS = {
    "plain Python": lambda request, batch_size: Shuffled(batch_size),
    "ours": ours(0),
    "prefetch": ours(1),
    "PyTorch": pytorch(),
    "PyTorch, workers": pytorch(num_workers=2),
    "PyTorch, workers that stay": pytorch(num_workers=2, persistent_workers=True),
}
MARKED = [
    pytest.param(name, marks=pytest.mark.torch if "PyTorch" in name else []) for name in LOADERS
]


# Training loops; `wrap` is that of a Profiler, or returns the loader


def dropout():
    """What a step draws from the global generators, which the profiler must leave alone."""
    drawn = [random.random(), np.random.random()]
    return [*drawn, sys.modules["torch"].rand(1)] if "torch" in sys.modules else drawn


def whole(train, check, wrap):
    return [[batch, dropout()] for epoch in range(EPOCHS) for batch in wrap(train)]


def left_early(train, check, wrap):
    return [batch for epoch in range(EPOCHS) for _, batch in zip(range(3), wrap(train))]  # noqa: B905


def trainer(train, check, wrap):
    """A loop that belongs to somebody else, and asks a loader what such loops ask."""
    kind = type(train)
    train, check, trained = wrap(train), wrap(check, "check"), []
    if not isinstance(train, kind) or not len(train) or not train.batch_size:
        raise TypeError("the trainer needs a loader of its kind, with batches")
    for epoch in range(EPOCHS):
        train.epoch_of_trainer = epoch
        trained += [[batch, 1 / (EPOCHS * len(train))] for batch in train]
        trained += check
    return trained


def plain(thing):
    """What can be compared with ==: the numbers of arrays and tensors of any library."""
    if isinstance(thing, (tuple, list)):
        return [plain(part) for part in thing]
    if hasattr(thing, "data") and not isinstance(thing, np.ndarray):
        thing = thing.data
    return np.asarray(thing).tolist()


def attributes(loader):
    """Each attribute of the loader, of its dataset and of its sampler, by its name."""
    parts = {"": loader, "dataset.": loader.dataset, "sampler.": getattr(loader, "sampler", None)}
    found = {"class": type(loader), "dataset.class": type(loader.dataset)}
    for where, part in parts.items():
        found |= {where + name: value for name, value in getattr(part, "__dict__", {}).items()}
    return found


def outcome(loop, make, request, watch=None):
    """What the loop trained on, and the attributes of both loaders that it changed."""
    loaders = [make(request, batch_size) for batch_size in (4, 5)]
    random.seed(0)
    np.random.seed(0)
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(0)
    before = [attributes(loader) for loader in loaders]
    trained = loop(*loaders, watch.wrap if watch else lambda loader, name="": loader)
    after = [attributes(loader) for loader in loaders]
    changed = [
        {name for name in was | now if was.get(name, was) is not now.get(name, now)}
        for was, now in zip(before, after, strict=True)
    ]
    return plain(trained), changed


@pytest.mark.parametrize("name", MARKED)
@pytest.mark.parametrize(
    "loop, batches", [(whole, EPOCHS * 6), (left_early, EPOCHS * 3), (trainer, EPOCHS * 6)]
)
def test_a_watched_loop_trains_on_the_same_and_changes_no_more(loop, batches, name, request):
    watch = Profiler()
    alone = outcome(loop, LOADERS[name], request)
    assert alone[0] and outcome(loop, LOADERS[name], request, watch) == alone
    first, *check = watch.names
    assert watch.report(first).batches == batches
    assert [watch.report(one).batches for one in check] == [EPOCHS * 5] * (loop is trainer)


def test_a_cell_that_wraps_is_run_twice_and_loaders_without_a_name_are_told_apart():
    profiler = Profiler()
    first, second = profiler.wrap([1, 2]), profiler.wrap([3, 4, 5])  # before either runs
    assert list(zip(profiler.wrap(first), second, strict=False)) == [(1, 3), (2, 4)]
    assert list(first) == [1, 2] and list(profiler.wrap([1])) == [1]
    assert profiler.names == ["list", "list 2", "list 3"]
    assert [profiler.report(name).batches for name in profiler.names] == [4, 2, 1]

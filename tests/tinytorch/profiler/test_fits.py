"""Watching a loop adds `p = Profiler()` and `p.wrap(...)` around its loader, and changes nothing
else: the same batches, the same training, and a loader that is afterwards what it was. A loader
that a library makes from a wrapped one is measured, too.
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
    one, other = [(0, np.zeros(2)), [1]], [{"x": [2]}, "y", np.zeros((2, 1))]  # lists of batches
    first, second = profiler.wrap(one), profiler.wrap(other)  # before either runs
    assert list(zip(profiler.wrap(first), second, strict=False)) == [*zip(one, other, strict=False)]
    assert list(first) == one and list(profiler.wrap([1])) == [1]
    assert profiler.names == ["list", "list 2", "list 3"]
    assert [profiler.report(name).batches for name in profiler.names] == [4, 2, 1]


# Libraries that make a loader of their own from a wrapped one


def from_its_attributes(loader):
    """As Accelerate's `skip_first_batches`, and many programs, do."""
    names = ("batch_sampler", "num_workers", "collate_fn")
    settings = {name: getattr(loader, name) for name in names}
    kind = sys.modules["torch"].utils.data.DataLoader
    return lambda: kind(loader.dataset, **settings)


def by_accelerate(loader):
    library = pytest.importorskip("accelerate", reason="make test-torch")
    prepared = library.Accelerator(cpu=True).prepare(loader)
    return lambda: prepared


def by_lightning(loader):
    """A trainer with `overfit_batches` makes the loader anew, with a sampler of its own."""
    library = pytest.importorskip("lightning.fabric.utilities.data", reason="make test-torch")
    made = library._update_dataloader(loader, loader.sampler)
    return lambda: made


@pytest.mark.torch
@pytest.mark.parametrize("name", ["PyTorch", "PyTorch, workers"])
@pytest.mark.parametrize("make", [from_its_attributes, by_accelerate, by_lightning])
def test_what_a_library_makes_from_a_wrapped_loader_is_measured(make, name, request):
    def batches_of(wrap):
        loader = LOADERS[name](request, 4)
        sys.modules["torch"].manual_seed(0)
        made = make(wrap(loader))
        epochs = [plain(list(made())) for _ in range(EPOCHS)]
        assert type(loader.collate_fn).__name__ == "function"
        return epochs

    with Profiler(detail=True) as profiler:
        watched = batches_of(profiler.wrap)
    assert watched == batches_of(lambda loader: loader)
    report = profiler.report()
    assert report.batches == EPOCHS * 6 and profiler.names == ["DataLoader"]
    assert report.unseen == "" and report.stages["fetch"] > 0 and report.stages["collate"] > 0


@pytest.mark.torch
def test_a_loader_whose_wrapped_one_was_only_looked_at_is_not_recorded(request):
    profiler, loader = Profiler(), LOADERS["PyTorch"](request, 4)
    assert profiler.wrap(loader).collate_fn([np.zeros(3)]).shape == (1, 3)
    assert len(list(loader)) == 6 and profiler.names == []

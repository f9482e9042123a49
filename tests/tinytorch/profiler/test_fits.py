"""Watching a loop changes at most two lines of it and nothing else: the same batches, the same
training, and a loader that is afterwards what it was.

Each program is written as a diff. Lines with "-" belong to the program without the profiler, lines
with "+" to the program with it. The import and the line that prints the report are not counted.
"""

import random
import sys

import numpy as np
import pytest

from tinytorch.profiler import Profiler

EPOCHS, SAMPLES = 3, 22

LOOP = """\
+p = Profiler()
 for epoch in range(3):
-    for batch in train:
+    for batch in p.wrap(train):
         trained.append([batch, dropout()])
"""
LEFT_EARLY = """\
+p = Profiler()
 for epoch in range(3):
-    for number, batch in enumerate(train):
+    for number, batch in enumerate(p.wrap(train)):
         trained.append(batch)
         if number == 2:
             break
"""
TRAINER = """\
+p = Profiler()
 trainer = Trainer(type(train), epochs=3)
-trainer.fit(train, check)
+trainer.fit(p.wrap(train), p.wrap(check, "check"))
 trained, checked, rate = trainer.trained, trainer.checked, trainer.rate
"""


class Trainer:
    """A training loop that belongs to somebody else, and asks a loader what such loops ask."""

    def __init__(self, kind, epochs):
        self.kind, self.epochs = kind, epochs
        self.trained, self.checked, self.rate = [], [], []

    def fit(self, train, check):
        if not isinstance(train, self.kind) or not len(train) or not train.batch_size:
            raise TypeError("the trainer needs a loader of its kind, with batches")
        self.steps = self.epochs * len(train)
        for epoch in range(self.epochs):
            train.epoch_of_trainer = epoch
            for batch in train:
                self.trained.append(batch)
                self.rate.append(1 - len(self.trained) / self.steps)
            self.checked += check


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


@pytest.fixture
def torch():
    return pytest.importorskip("torch", reason="PyTorch is not installed: make test-torch")


def pytorch(**settings):
    def make(request, batch_size):
        torch = request.getfixturevalue("torch")
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


LOADERS = [
    lambda request, batch_size: Shuffled(batch_size),
    ours(0),
    ours(1),
    *(
        pytest.param(pytorch(**workers), marks=pytest.mark.torch)
        for workers in ({}, {"num_workers": 2}, {"num_workers": 2, "persistent_workers": True})
    ),
]
NAMES = "plain Python|ours|prefetch|PyTorch|PyTorch, workers|PyTorch, workers that stay".split("|")
each_loader = pytest.mark.parametrize("loader", LOADERS, ids=NAMES)


# The two programs, and what they leave


def half(program, other):
    """The program without the lines that begin with `other`."""
    lines = program.splitlines(keepends=True)
    return "".join(line[1:] for line in lines if not line.startswith(other))


def plain(thing):
    """What can be compared with ==: the numbers of arrays and tensors of any library."""
    if isinstance(thing, dict):
        return {name: plain(part) for name, part in thing.items()}
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


def changed(before, after):
    """The names of the attributes that came, went, or are another object."""
    return {
        name
        for name in before.keys() | after.keys()
        if name not in before or name not in after or before[name] is not after[name]
    }


def outcome(program, make):
    """Run a program on new loaders. Return its variables, and which attributes of each loader it
    changed.
    """
    space = make()
    loaders = [space["train"], space["check"]]
    before = [attributes(loader) for loader in loaders]
    exec(program, space)
    return space, [changed(was, attributes(one)) for was, one in zip(before, loaders, strict=True)]


def assert_the_same_training(program, make):
    """Run both programs, and return the variables of the one with the profiler."""
    assert sum(line.startswith("+") for line in program.splitlines()) <= 2
    alone, changed_alone = outcome(half(program, "+"), make)
    space, changed_watched = outcome(half(program, "-"), make)
    assert alone["trained"] and plain(space["trained"]) == plain(alone["trained"])
    for name in ("checked", "rate"):
        assert plain(space.get(name, [])) == plain(alone.get(name, []))
    assert changed_watched == changed_alone
    return space


def dropout():
    """What a step draws from the global generators, which the profiler must leave alone."""
    drawn = [random.random(), np.random.random()]
    return [*drawn, sys.modules["torch"].rand(1)] if "torch" in sys.modules else drawn


def seed_all():
    random.seed(0)
    np.random.seed(0)
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(0)


def fresh(loader, request):
    def make():
        loaders = {"train": loader(request, 4), "check": loader(request, 5)}
        seed_all()
        return {**globals(), **loaders, "trained": []}

    return make


# The tests


@each_loader
@pytest.mark.parametrize(
    "program, batches", [(LOOP, EPOCHS * 6), (LEFT_EARLY, EPOCHS * 3)], ids=["whole", "left early"]
)
def test_a_loop_of_ones_own(program, batches, loader, request):
    space = assert_the_same_training(program, fresh(loader, request))
    assert len(space["trained"]) == space["p"].report().batches == batches


@each_loader
def test_a_trainer_that_asks_for_the_length_and_checks_on_a_second_loader(loader, request):
    space = assert_the_same_training(TRAINER, fresh(loader, request))
    watch = space["p"]
    names = [name for name in watch.names if name != "check"]
    assert len(space["trained"]) == watch.report(*names).batches == EPOCHS * 6
    assert len(space["checked"]) == watch.report("check").batches == EPOCHS * 5
    assert space["rate"][-1] == 0


def test_a_cell_that_wraps_is_run_twice_and_loaders_without_a_name_are_told_apart():
    profiler = Profiler()
    first, second = profiler.wrap([1, 2]), profiler.wrap([3, 4, 5])  # before either runs
    assert list(zip(profiler.wrap(first), second, strict=False)) == [(1, 3), (2, 4)]
    assert list(first) == [1, 2] and list(profiler.wrap([1])) == [1]
    assert profiler.names == ["list", "list 2", "list 3"]
    assert [profiler.report(name).batches for name in profiler.names] == [4, 2, 1]

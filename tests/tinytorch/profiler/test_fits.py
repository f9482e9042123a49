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
IN_A_NOTEBOOK = """\
+%%profile train
 for epoch in range(3):
     for batch in train:
         trained.append([batch, dropout()])
"""
FASTAI = """\
 dls = DataLoaders(train, check)
 learn = Learner(dls, model, loss_func=torch.nn.functional.mse_loss, cbs=[NotesSteps(trained)])
+p = Profiler()
+learn.dls.train = p.wrap(learn.dls.train)
 with learn.no_bar(), learn.no_logging():
     learn.METHOD(3)
 weights, checked = learn.model.state_dict(), learn.validate()
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
    pytest.param(lambda request, batch_size: Shuffled(batch_size), id="plain Python"),
    pytest.param(ours(0), id="ours"),
    pytest.param(ours(1), id="ours, prefetch"),
    pytest.param(pytorch(), id="PyTorch", marks=pytest.mark.torch),
    pytest.param(pytorch(num_workers=2), id="PyTorch, workers", marks=pytest.mark.torch),
    pytest.param(
        pytorch(num_workers=2, persistent_workers=True),
        id="PyTorch, workers that stay",
        marks=pytest.mark.torch,
    ),
]


# The two programs, and what they leave


def without(program):
    return "".join(
        line[1:] for line in program.splitlines(keepends=True) if not line.startswith("+")
    )


def watched(program):
    return "".join(
        line[1:] for line in program.splitlines(keepends=True) if not line.startswith("-")
    )


def lines_added_or_changed(program):
    return sum(line.startswith("+") for line in program.splitlines())


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
    space["run"](program, space)
    after = [attributes(loader) for loader in loaders]
    return space, [changed(*pair) for pair in zip(before, after, strict=True)]


def assert_the_same_training(program, make):
    """Run both programs, and return the variables of the one with the profiler."""
    assert lines_added_or_changed(program) <= 2
    alone, changed_alone = outcome(without(program), make)
    space, changed_watched = outcome(watched(program), make)
    assert alone["trained"] and plain(space["trained"]) == plain(alone["trained"])
    for name in ("checked", "rate", "weights"):
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


def fresh(loader, request, run=exec):
    def make():
        loaders = {"train": loader(request, 4), "check": loader(request, 5)}
        seed_all()
        return {
            **loaders,
            "trained": [],
            "dropout": dropout,
            "Profiler": Profiler,
            "Trainer": Trainer,
            "run": run,
        }

    return make


# The tests


@pytest.mark.parametrize("loader", LOADERS)
@pytest.mark.parametrize(
    "program, batches", [(LOOP, EPOCHS * 6), (LEFT_EARLY, EPOCHS * 3)], ids=["whole", "left early"]
)
def test_a_loop_of_ones_own(program, batches, loader, request):
    space = assert_the_same_training(program, fresh(loader, request))
    assert len(space["trained"]) == space["p"].report().batches == batches


@pytest.mark.parametrize("loader", LOADERS)
def test_a_trainer_that_asks_for_the_length_and_checks_on_a_second_loader(loader, request):
    space = assert_the_same_training(TRAINER, fresh(loader, request))
    watch = space["p"]
    names = [name for name in watch.names if name != "check"]
    assert len(space["trained"]) == watch.report(*names).batches == EPOCHS * 6
    assert len(space["checked"]) == watch.report("check").batches == EPOCHS * 5
    assert space["rate"][-1] == 0


@pytest.mark.parametrize("loader", LOADERS)
def test_a_cell_of_a_notebook(loader, request, tmp_path, monkeypatch, capsys):
    interactive = pytest.importorskip(
        "IPython.core.interactiveshell", reason="IPython is in the extra [notebook]"
    )
    from traitlets.config import Config

    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    main, hook = sys.modules["__main__"], sys.displayhook
    shell = interactive.InteractiveShell(
        config=Config(HistoryManager={"enabled": False}, InteractiveShell={"colors": "nocolor"})
    )
    shell.display_pub.publish = lambda data, metadata=None, **_: None

    def run(cell, space):
        shell.user_ns.update(space)
        shell.run_cell(cell).raise_error()

    try:
        shell.run_line_magic("load_ext", "tinytorch")
        assert_the_same_training(IN_A_NOTEBOOK, fresh(loader, request, run))
    finally:
        shell.restore_sys_module_state()
        sys.modules["__main__"], sys.displayhook = main, hook
    printed = capsys.readouterr().out
    assert f"{EPOCHS * 6} batches, {EPOCHS * SAMPLES} samples in " in printed
    assert "verdict" in printed


@pytest.mark.torch
@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("method", ["fit", "fit_one_cycle"])
# fastai itself warns, of what its next version changes
@pytest.mark.filterwarnings("ignore")
def test_a_learner_of_fastai(method, workers, torch):
    basics = pytest.importorskip(
        "fastai.basics", reason="fastai is not installed: pip install -r benchmarks/peers.txt"
    )
    # adds Learner.no_bar
    pytest.importorskip("fastai.callback.progress")
    pytest.importorskip("fastai.callback.schedule")

    class NotesSteps(basics.Callback):
        def __init__(self, trained):
            self.trained = trained

        def after_batch(self):
            if self.training:
                self.trained.append([*self.xb, *self.yb, self.loss.detach()])

    def loader(shuffle):
        made = basics.DataLoader(Rows(), bs=4, shuffle=shuffle, num_workers=workers)
        made.rng.seed(0)
        return made

    def make():
        seed_all()
        model = torch.nn.Sequential(torch.nn.Linear(2, 1), torch.nn.Flatten(0))
        return {
            "train": loader(shuffle=True),
            "check": loader(shuffle=False),
            "trained": [],
            "model": model,
            "torch": torch,
            "Learner": basics.Learner,
            "DataLoaders": basics.DataLoaders,
            "NotesSteps": NotesSteps,
            "Profiler": Profiler,
            "run": exec,
        }

    space = assert_the_same_training(FASTAI.replace("METHOD", method), make)
    assert len(space["trained"]) == space["p"].report().batches == EPOCHS * 6


def test_a_cell_that_wraps_is_run_twice_and_loaders_without_a_name_are_told_apart():
    profiler = Profiler()
    first, second = profiler.wrap([1, 2]), profiler.wrap([3, 4, 5])  # before either runs
    assert list(zip(profiler.wrap(first), second, strict=False)) == [(1, 3), (2, 4)]
    assert list(first) == [1, 2] and list(profiler.wrap([1])) == [1]
    assert profiler.names == ["list", "list 2", "list 3"]
    assert [profiler.report(name).batches for name in profiler.names] == [4, 2, 1]

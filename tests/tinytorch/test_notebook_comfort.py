"""`%load_ext tinytorch` in a real IPython shell: pictures of batches, %%profile, %hint."""

from __future__ import annotations

import contextlib
import io
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from helpers.patience import PATIENCE_SECONDS
from tinytorch.core.tensor import Tensor
from tinytorch.notebook import command
from tito.notebook.cells import read_ipynb as cells_of

CELL_FIRST = "import numpy as np\nfrom tinytorch.core.tensor import Tensor\n"


class Shell:
    """A shell, what it printed and what it showed."""

    def __init__(self, shell):
        self.shell, self.shown = shell, []
        shell.display_pub.publish = lambda data, metadata=None, **_: self.shown.append(data)

    def run(self, cell: str):
        """Run a cell that must not fail; return what it printed."""
        printed, self.error = self._run(cell)
        assert self.error is None, self.error
        return printed

    def refused(self, cell: str) -> str:
        """Run a cell that must be refused; return the sentence, which must be all that is shown."""
        printed, error = self._run(cell)
        assert type(error).__name__ == "Refused", error
        assert printed.strip() == str(error) and "Traceback" not in printed
        return str(error)

    def _run(self, cell: str):
        with (
            contextlib.redirect_stdout(io.StringIO()) as printed,
            contextlib.redirect_stderr(printed),
        ):
            done = self.shell.run_cell(cell)
        return printed.getvalue(), done.error_before_exec or done.error_in_exec

    def html(self, thing) -> str | None:
        return self.shell.display_formatter.format(thing)[0].get("text/html")

    def __getitem__(self, name: str):
        return self.shell.user_ns[name]


@pytest.fixture
def plain(tmp_path, monkeypatch):
    """A shell for one test, which leaves nothing behind."""
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.chdir(tmp_path)
    main, hook = sys.modules["__main__"], sys.displayhook
    shell = InteractiveShell(
        config=Config(HistoryManager={"enabled": False}, InteractiveShell={"colors": "nocolor"})
    )
    yield Shell(shell)
    shell.restore_sys_module_state()
    sys.modules["__main__"], sys.displayhook = main, hook


@pytest.fixture
def shell(plain, reference_package):
    """The same with the extension, a loader of 10 batches and a step."""
    plain.run("%load_ext tinytorch")
    plain.run(CELL_FIRST)
    dataset = reference_package.module.TensorDataset(
        Tensor(np.arange(100 * 64, dtype=np.uint8).reshape(100, 1, 8, 8)), Tensor(np.arange(100))
    )
    plain.shell.user_ns["loader"] = reference_package.module.DataLoader(
        dataset, batch_size=10, shuffle=True, seed=0
    )
    return plain


LOOP = """seen = []
for images, labels in loader:
    seen.append(labels.data.tolist())
    sum(range(2000))
"""
A_CLASS = """class DataLoader:
    batch_size, shuffle = 4, False
    def __init__(self, n): self.dataset = range(n)
"""


# Pictures


def test_batches_and_a_class_of_the_notebook_are_shown_until_the_extension_is_unloaded(shell):
    batch = (Tensor(np.zeros((5, 3, 8, 8), np.uint8)), Tensor(np.arange(5)))
    shell.run(A_CLASS + "first = DataLoader(10)")
    assert shell.html(batch).count("<img") == 5 and shell.html((1, 2)) is None
    assert "3: 2 of 4, the last of 2" in shell.html(shell["first"])
    shell.run(A_CLASS + "second = DataLoader(6)")  # another class of the same name
    assert "2: 1 of 4, the last of 2" in shell.html(shell["second"])
    shell.run(A_CLASS + "    def _repr_html_(self): return '<b>mine</b>'\nown = DataLoader(10)")
    assert shell.html(shell["own"]) == "<b>mine</b>"  # what draws itself is left alone
    shell.run("%unload_ext tinytorch")
    assert shell.html(batch) is shell.html(shell["second"]) is None
    magics = shell.shell.magics_manager.magics
    assert "profile" not in magics["cell"] and "hint" not in magics["line"]


# %%profile


def test_a_watched_cell_runs_as_ever_and_says_where_the_time_went(shell):
    loader = shell["loader"]
    printed = shell.run(f"%%profile loader\n{LOOP}'the last value'")
    assert sorted(sum(shell["seen"], [])) == list(range(100)) and len(shell["seen"]) == 10
    assert shell["loader"] is loader and loader.epoch == 1  # measuring used copies
    assert "'the last value'" in printed
    lines = dict(line.strip().split(maxsplit=1) for line in printed.splitlines() if line.strip())
    assert lines["loader"].startswith("10 batches, 100 samples in ")
    loop = r"waiting for data \d+% of the time; a step takes [\d.e+-]+ m?s"
    assert re.fullmatch(loop, lines["loop"])
    stages = r"fetch \d+%   transform \d+%   collate \d+%   other \d+%"
    assert re.fullmatch(stages, lines["stages"])
    assert lines["verdict"] and lines["try"].startswith("next")
    (shown,) = shell.shown
    label = r'aria-label="[^"]*takes \d+% of the loading time: fetch \d+%'
    assert re.search(label, shown["text/html"]) and "takes" in shown["text/plain"]


IDLE = "tinytorch.profiler.recording.recorded_loop.Watched.idle_share"
PROFILE = "tinytorch.profiler.profile_loader"


def test_only_a_loop_that_waits_is_measured_again_with_a_step_as_long(shell, monkeypatch):
    from tinytorch.profiler import profile_loader

    calls = []

    def noted(make, step, **more):
        calls.append((make, step, more))
        return profile_loader(make, step, **more)

    monkeypatch.setattr(PROFILE, noted)
    monkeypatch.setattr(IDLE, 0.01)
    printed = shell.run(f"%%profile loader\n{LOOP}")
    assert "step-bound: loading adds 1.0% to a training step" in printed and calls == []
    monkeypatch.setattr(IDLE, 0.6)
    printed = shell.run(f"%%profile loader\n{LOOP}")
    ((make, step, more),) = calls
    assert 0 < step < 1 and (more["name"], more["quick"]) == ("loader", True)
    assert "loader alone" in printed and "verdict" in printed
    assert len(next(iter(make(batch_size=7)))[1]) == 7 and make(prefetch=1).prefetch == 1
    assert make() is not shell["loader"] and shell["loader"].batch_size == 10


MEASURED = [
    ("%profile loader --step step", "loader   batch 10, "),
    ("%%profile make\ndef make(batch_size=5): return Loader(dataset, batch_size)", "batch 5, "),
    ("%%profile made\nfirst = next(iter(made()))", "batch 7, "),
    ("%%profile once\nfor batch in once: pass", "once can be iterated over only once"),
    (
        "%%profile loader\nfacts = [isinstance(loader, Loader), len(loader), len(list(loader))]"
        "\n%precision 3\nloader.note = facts",
        "10 batches, 100 samples",
    ),
]


def test_whatever_makes_batches_in_a_cell_is_measured(shell):
    shell.run("Loader, dataset, once = type(loader), loader.dataset, iter(loader)")
    shell.run("def made(batch_size=7): return Loader(dataset, batch_size)")
    shell.run("counted = []\ndef step(batch): counted.append(len(batch[1]))")
    for cell, says in MEASURED:
        shell.run("once = iter(loader)")
        assert says in shell.run(cell), cell
    assert shell["loader"].note == [True, 10, 10] and set(shell["counted"]) == {10}


def test_an_error_in_the_cell_is_the_cells_and_the_loader_comes_back(shell):
    loader = shell["loader"]
    printed, error = shell._run("%%profile loader\nfor batch in loader:\n    1 / 0\n")
    assert isinstance(error, ZeroDivisionError) and shell["loader"] is loader
    # lines of the cell, none of the extension
    assert re.search(r"-+> 2 +1 / 0", printed) and "notebook/profiling.py" not in printed


BAD_INPUT = [
    ("%profile", "NAME is a loader or a function that makes one"),
    ("%profile loader.dataset", "Assign it to a variable first: loader = loader.dataset"),
    ("%profile loader --step nowhere", "nowhere is not defined"),
    (
        "%profile loader --step seed",
        "--step is a function that is called with each batch; seed is int",
    ),
    ("%%profile loader\nx = 1", "no loop in it read a batch of loader"),
]


def test_bad_input_gets_a_sentence(shell):
    for cell, sentence in BAD_INPUT:
        shell.run("seed, none, once = 0, [], iter([1])")
        assert sentence in shell.refused(cell)


# %hint


# the last hint is longer than a line of the terminal
HINTS = f"""
number = "31"
title = "Feed"
export = "tinytorch/core/feed.py"
notebook = "feed_dev"

[hints]
order = ["think of cards", "a permutation", "rng.permutation(n) {"and then again " * 20}"]
"""


@pytest.fixture
def course(shell, tmp_path, monkeypatch):
    """The shell in the folder of a module of one exercise."""
    (tmp_path / "tinytorch").mkdir()
    place = tmp_path / "modules" / "31_feed"
    place.mkdir(parents=True)
    (place / "module.toml").write_text(HINTS, encoding="utf-8")
    monkeypatch.delenv("TITO_WORKSPACE", raising=False)
    monkeypatch.chdir(place)
    return shell


def test_hints_come_one_at_a_time_in_the_notebook_and_in_the_terminal(course):
    assert "order   0 of 3 hints seen" in course.run("%hint")
    first = course.run("%hint order")
    assert first.startswith("order: hint 1 of 3") and "one more: %hint 31 order" in first
    assert "think of cards" in first and "a permutation" not in first
    second = course.run("%hint 31 order")
    assert "hint 2 of 3" in second and "1. the idea\n     think of cards" in second
    assert "2. the function to use\n     a permutation" in second
    assert "hint 2 of 3" in course.run("%hint order --again")
    # both count the same hints as seen
    terminal = [sys.executable, "-m", "tito", "hint", "order", "--json"]
    done = subprocess.check_output(terminal, text=True, timeout=PATIENCE_SECONDS)
    assert json.loads(done)["level"] == 3
    third = course.run("%hint order")
    assert third.rstrip().endswith("then: %test order") and third.count("and then again") > 10
    assert max(map(len, third.splitlines())) <= 100


def without_tito(words, **more):
    return subprocess.CompletedProcess(words, 1, "", "/usr/bin/python3: No module named tito\n")


def hangs(words, timeout, **more):
    raise subprocess.TimeoutExpired(words, timeout)


@pytest.mark.parametrize(
    "run, says",
    [
        (subprocess.run, "did you mean order?"),
        (without_tito, "pip install"),
        (hangs, "try it in a terminal: tito hint ordr"),
    ],
)
def test_without_a_hint_a_sentence_says_what_to_do(course, monkeypatch, run, says):
    monkeypatch.setattr(command.subprocess, "run", run)
    printed = course.run("%hint ordr")
    assert says in printed and "Traceback" not in printed


# the first cells of module 08


def test_the_first_cells_of_module_08_train_and_break_with_nothing_solved(plain):
    """Everything above the first stub that is there to be seen, in the order of the notebook."""
    path = Path(__file__).resolve().parents[2] / "modules/08_dataloader/dataloader_dev.ipynb"
    cells = [cell for cell in cells_of(path) if cell.kind == "code"]
    first_stub = next(number for number, cell in enumerate(cells) if cell.is_solution)
    said = {c.name: plain.run(c.source) for c in cells[:first_stub] if c.is_demo}
    assert len(said) == 5
    assert "32 x 32" in plain.html((plain["train_images"][:16], plain["train_labels"][:16]))
    assert plain["slices_accuracy"] > 0.9 > 0.6 > plain["sorted_accuracy"]
    assert plain["slow_rate"] < plain["slices_rate"]
    assert "  verdict   " in said["demo_why_is_it_slow"]

"""`tito profile`: what is measured, what is printed, and the message when a loader cannot be
measured.

The invented course has a stand-in for the profiler, which runs one epoch and reports fixed numbers.
The last tests use the real profiler.
"""

import json
import os
import signal
from pathlib import Path

import pytest
from profile_report import report

from helpers.patience import PATIENCE_SECONDS, until
from tito.commands import profile
from tito.workspace import Workspace

REPO = Path(__file__).resolve().parents[2]


posix_only = pytest.mark.skipif(os.name != "posix", reason="the signal is one of POSIX")

STAND_IN = """
import json, inspect, pathlib
class Report:
    def __init__(self, **facts): self.facts = facts
    def as_dict(self):
        report = (pathlib.Path(__file__).parent / "report.json").read_text()
        return {**json.loads(report), **self.facts}
def profile_loader(make_loader, step=None, *, name="loader", quick=False, seconds=None, evict=()):
    batches = [batch for batch in make_loader()]
    for batch in batches:
        if step: step(batch)
    return Report(name=name, batches=len(batches), quick=quick, evict=list(evict), seconds=seconds,
                  parameters=list(inspect.signature(make_loader).parameters), values=batches)
"""
LOADERS = """\
import pathlib, sys, time
def make(batch_size=2, prefetch=0): return [list(range(batch_size))] * 3
def fixed(): return [[1, 2]]
def pair(): return [[1], [2]], lambda batch: pathlib.Path("steps").open("a").write(f"{batch}\\n")
def none(): return None
def empty(): return []
def breaks():
    yield [1]
    raise OSError("disk is gone")
def endless():
    while True:
        time.sleep(0.01)
        yield [1]
def leaves(): sys.exit("I am off")
def dies(): import os, signal; os.kill(os.getpid(), signal.SIGKILL)
constant = 3
"""


@pytest.fixture
def measured(course):
    """The course with the stand-in, a profile.py for its module and loaders beside it."""
    package = course.root / "tinytorch" / "profiler"
    package.mkdir()
    (package / "__init__.py").write_text(STAND_IN, encoding="utf-8")
    (package / "report.json").write_text(json.dumps(report()), encoding="utf-8")
    (course.root / "my_loaders.py").write_text(LOADERS, encoding="utf-8")
    (course.module.folder / "profile.py").write_text(
        "from tinytorch.core.adder import add\ndef make_loader(batch_size=4): return"
        " [[add(batch_size, 1)]]\ndef make_streaming(): return [[add(20, 2)]]\n",
        encoding="utf-8",
    )
    course.solve()
    return course


# What is measured


@pytest.mark.parametrize(
    "words, wanted",
    [
        ("07", {"name": "07_adder", "values": [[5]], "ok": True}),
        ("07 streaming", {"name": "07_adder streaming", "values": [[22]]}),
        # the parameters, so that the profiler can vary them; --json measures in full
        (
            "--loader my_loaders:make",
            {"values": [[0, 1]] * 3, "parameters": ["batch_size", "prefetch"], "seconds": None},
        ),
        (
            "--loader my_loaders:make --batch-size 5 --quick --evict my_loaders.py",
            {"values": [[0, 1, 2, 3, 4]] * 3, "quick": True, "evict": [str(Path("my_loaders.py"))]},
        ),
        ("--loader my_loaders:pair", {"values": [[1], [2]]}),
    ],
)
def test_the_saved_notebook_and_any_function_are_measured(tito, measured, words, wanted):
    # an old export is not used, and none is made
    measured.module.export_path.write_text("def add(a, b): return -1\n", encoding="utf-8")
    code, out, err = tito("profile", *words.split(), "--json")
    assert (code, err) == (0, ""), out
    found = json.loads(out)
    found["evict"] = [str(Path(path).relative_to(measured.root)) for path in found["evict"]]
    assert {**found, **wanted} == found
    assert "-1" in measured.module.export_path.read_text(encoding="utf-8")
    # a function may bring its own training step
    steps = measured.root / "steps"
    assert steps.exists() == ("pair" in words)
    assert "pair" not in words or steps.read_text(encoding="utf-8") == "[1]\n[2]\n"


def test_only_what_is_read_in_full_is_measured_in_full(tito, measured):
    code, out, err = tito("profile", "--loader", "my_loaders:make")
    # in words, because lines are as wide as the terminal
    assert (code, err) == (0, "") and out.split() == (
        "loading: 75% of the time: 6.1 ms a batch, beside a step of 2 ms"
        " where: collation takes most of the time"
        " try: write __getitems__ (makes the whole up to 2.5x faster)"
        " next: tito profile --loader my_loaders:make --full"
    ).split()
    code, out, err = tito("profile", "--loader", "my_loaders:make", "--full")
    assert (code, err) == (0, "") and out.startswith("my_loaders:make   batch 128, ")


# Loaders that cannot be measured


@pytest.mark.parametrize(
    "target, sentence",
    [
        ("my_loaders:none", "must return a loader"),
        ("", "needs a function make_augmented that returns a loader; it has make_loader, make_str"),
        ("my_loaders:fixed --batch-size 5", "parameter batch_size; fixed() has none"),
        ("my_loaders:endless --timeout 1.5", "after 1.5 s. Does the loader ever end?"),
        pytest.param("my_loaders:dies", "killed by SIGKILL", marks=posix_only),
        ("my_loaders:empty", "gave no batch"),
        # not the exit code of a budget that is broken
        ("my_loaders:breaks --fail-above 10%", "OSError: disk is gone (my_loaders.py, line 9)"),
        ("my_loaders:leaves", "calling leaves() failed: SystemExit: I am off (my_loaders.py, line"),
        ("my_loaders:constant", "needs a function constant that returns a loader; it has"),
        ("absent:make", "there is no module absent"),
        ("wrong:make", "SyntaxError"),
        ("needy:make", "No module named 'nowhere_at_all'"),
    ],
)
def test_a_loader_that_cannot_be_measured_is_explained(tito, measured, target, sentence):
    (measured.root / "wrong.py").write_text("def make(:\n", encoding="utf-8")
    (measured.root / "needy.py").write_text("import nowhere_at_all\n", encoding="utf-8")
    words = ["--loader", *target.split()] if target else ["07", "augmented"]
    code, out, err = tito("profile", *words)
    assert code == (3 if "--fail-above" in target else 1)
    assert out == "" and sentence in err and "Traceback" not in err


@pytest.mark.parametrize(
    "words, sentence",
    [
        (["--loader", "my_loaders"], "MODULE:FUNCTION"),
        (["--loader", "a/b.py:make"], "no slash"),
        (["07", "--loader", "my_loaders:make"], "not both"),
        (["07", "--batch-size", "0"], "1 or more"),
        (["07", "--timeout", "0"], "more than 0"),
        (["07", "--evict", "absent.bin"], "no file absent.bin"),
        (["07", "--png", "my_loaders.py/deeper"], "is a file"),
    ],
)
def test_wrong_usage_is_said_before_anything_runs(tito, measured, words, sentence, monkeypatch):
    monkeypatch.setattr(profile, "_run_worker", lambda *_: pytest.fail("it ran"))
    code, out, err = tito("profile", *words)
    assert code == 2 and out == "" and sentence in err


# Files


@posix_only
def test_a_stopped_measurement_leaves_no_file_and_no_process(
    measured, start_verb, tmp_path, monkeypatch
):
    hangs = "import os, time\ndef make():\n    open('pid', 'w').write(str(os.getpid()))"
    (measured.root / "endless.py").write_text(f"{hangs}\n    time.sleep(600)", encoding="utf-8")
    (temporary := tmp_path / "temporary").mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    process = start_verb("profile", "--loader", "endless:make", "--png", "pictures")
    pid = measured.root / "pid"
    until(lambda: pid.exists() and pid.read_text())
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 130 and "Stopped" in err and "Traceback" not in err
    assert not (measured.root / "pictures").exists()
    assert list(temporary.iterdir()) == []
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)


# With the real profiler


def test_a_list_of_batches_is_measured_and_drawn(tito, course):
    pytest.importorskip("matplotlib", reason="matplotlib is in the extra [notebook]")
    Workspace(REPO).copy_package(course.root)
    (course.root / "small.py").write_text(
        "import numpy as np\nx = np.zeros((640, 48), np.uint8)\ndef make(batch_size=64): return"
        " [x[start:start + batch_size].copy() for start in range(0, 640, batch_size)]\n",
        encoding="utf-8",
    )
    code, out, err = tito("profile", "--loader", "small:make", "--quick", "--png", "pictures")
    assert (code, err) == (0, "") and out.startswith("small:make   batch 64, ")
    labels = [line[2:12].strip() for line in out.splitlines() if line[2:12].strip()]
    assert {"rate", "a batch", "loader", "sweep", "memory", "left out"} <= {*labels}
    assert labels[-1] == "next"
    assert (course.root / "pictures" / "throughput.png").stat().st_size > 5000

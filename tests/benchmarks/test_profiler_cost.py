"""`benchmarks/profiler.py overhead` ends with 1 if watching costs too much where it is judged. How
much it costs depends on the machine and is not judged here.
"""

import argparse
import importlib.util
import itertools
import sys
from pathlib import Path

import pytest

PATH = Path(__file__).resolve().parents[2] / "benchmarks" / "profiler.py"


@pytest.fixture
def benchmark(monkeypatch):
    spec = importlib.util.spec_from_file_location("benchmarks_profiler", PATH)
    module = importlib.util.module_from_spec(spec)
    # dataclasses look the module up, and it puts the checkout first in the path
    monkeypatch.setitem(sys.modules, spec.name, module)
    monkeypatch.syspath_prepend(PATH.parent)
    monkeypatch.syspath_prepend(PATH.parents[1])
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    "seconds_per_batch, ratios, every_sample, code",
    [
        (0.002, [1.0, 1.031, 1.2], False, 1),
        (0.002, [1.0, 1.029, 1.2], False, 0),
        (0.0009, [1.5, 1.5, 1.5], False, 0),
        (0.002, [1.5, 1.5, 1.5], True, 0),
    ],
)
def test_the_median_is_judged_where_a_batch_takes_1_ms(
    benchmark, monkeypatch, capsys, seconds_per_batch, ratios, every_sample, code
):
    pairs = benchmark.Pairs(1.0, 1.0, ratios, seconds_per_batch, 0.01)
    monkeypatch.setattr(benchmark, "course_loaders", lambda: {"one": benchmark.Trivial(1)})
    monkeypatch.setattr(benchmark, "pytorch_loaders", dict)
    monkeypatch.setattr(benchmark, "compare", lambda *_: pairs)
    monkeypatch.setattr(benchmark, "MANY_BATCHES", (10, 20))
    args = argparse.Namespace(pairs=3, clock="wall", every_sample=every_sample)
    assert benchmark.overhead(args) == code
    printed = capsys.readouterr().out
    assert ("MISSED" in printed) == bool(code) and printed.count(" B a batch") == 2


def test_passes_with_and_without_alternate_and_the_first_pair_only_warms_up(benchmark, monkeypatch):
    passes = []

    class Loader(list):
        """A loader of two batches that notes each pass over it."""

        def __init__(self, name):
            super().__init__([1, 2])
            self.name = name

        def __iter__(self):
            passes.append(self.name)
            return super().__iter__()

    class Watch:
        def __init__(self, detail):
            pass

        def wrap(self, loader):
            return Loader("with")

        def report(self):
            return argparse.Namespace(overhead_share=0.25)

    monkeypatch.setattr(benchmark, "Profiler", Watch)
    ticks = itertools.count()
    found = benchmark.compare(Loader("without"), False, 3, lambda: float(next(ticks)))
    assert passes == ["with", "without", "without", "with"] * 2
    assert found == benchmark.Pairs(1.0, 1.0, [1.0] * 3, 0.5, 0.25)

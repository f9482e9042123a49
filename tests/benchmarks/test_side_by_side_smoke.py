"""benchmarks/side_by_side.py measures what is installed, and reads the answers of the other tools.
No measured time is checked here.
"""

import importlib
import itertools
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from patience import PATIENCE_SECONDS

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "benchmarks" / "side_by_side.py"
sys.path.append(str(SCRIPT.parent))  # at the end, because its grading.py must not hide the package

side_by_side = importlib.import_module("side_by_side")
Answer, Case, hottest_path = side_by_side.Answer, side_by_side.Case, side_by_side.hottest_path
CASE = Case("plain: a loader", ("decode",), tuple, print)


@pytest.fixture(scope="module")
def measured(tmp_path_factory) -> tuple[str, str]:
    """What is printed and the table that is written for the loader that needs no library."""
    table = tmp_path_factory.mktemp("table") / "table.md"
    words = ["--only", "plain", "tinytorch", "--seconds", "0.2", "--write", str(table)]
    done = subprocess.run(
        [sys.executable, str(SCRIPT), *words],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout, table.read_text(encoding="utf-8")


def test_a_loader_is_trained_without_a_tool_and_with_ours(measured):
    printed, _ = measured
    assert "plain: a generator decodes" in printed and "pytorch:" not in printed
    assert "no tool" in printed and "epochs" in printed
    assert "tinytorch.profiler" in printed and "failed" not in printed


def test_each_tool_that_is_missing_is_named(measured):
    printed, _ = measured
    modules = {tool.module for tool in side_by_side.TOOLS} | set(side_by_side.MODULES.values())
    missing = {module for module in modules if side_by_side.missing(module)}
    assert {line.split()[0] for line in printed.splitlines() if "not installed" in line} == missing


def test_the_table_has_a_row_for_each_answer(measured):
    printed, table = measured
    rows = [line for line in table.splitlines() if line.startswith("| plain")]
    assert len(rows) == printed.count("place:") == 2
    assert all(row.count(" | ") == 5 for row in rows)


stacks = st.lists(
    st.tuples(st.lists(st.sampled_from("abcd"), min_size=1, max_size=5), st.integers(1, 9)),
    min_size=1,
)


@given(stacks)
def test_each_function_of_the_hottest_path_has_half_of_its_caller(found):
    path, share = hottest_path(f"{';'.join(stack)} {count}" for stack, count in found)

    def samples(path: list[str]) -> int:
        return sum(count for stack, count in found if stack[: len(path)] == path)

    along = [samples(path[:depth]) for depth in range(len(path) + 1)]
    assert all(2 * below >= above for above, below in itertools.pairwise(along))
    assert share == along[-1] / along[0]
    assert not any(2 * samples([*path, name]) >= along[-1] for name in "abcd")


def test_stacks_of_all_processes_are_counted_together_without_the_warm_up():
    lines = [
        'process 1:"python x.py";<module> (x.py:1);warm_up (x.py:5);load (x.py:7) 9',
        'process 1:"python x.py";<module> (x.py:1);train (x.py:6) 1',
        'process 1:"python x.py";process 2:"python -c a; b";work (x.py:9);decode (x.py:8) 2',
        'process 1:"python x.py";process 3:"python -c a; b";work (x.py:9);decode (x.py:8) 2',
    ]
    assert hottest_path(lines) == (["work (x.py:9)", "decode (x.py:8)"], 4 / 5)
    assert hottest_path([]) == ([], 0.0)


def test_a_path_is_named_by_its_functions_below_the_training():
    spied = [
        "<module> (x.py:1)",
        "train (x.py:6)",
        "Data.__getitem__ (a/b.py:3)",
        "decode (x.py:8)",
    ]
    traced = [
        "x.py(1): <module>",
        "x.py(6): train",
        "a/b.py(3): Data.__getitem__",
        "x.py(8): decode",
    ]
    assert side_by_side.shortened(spied) == "Data.__getitem__ > decode"
    assert side_by_side.shortened(traced) == "Data.__getitem__ > decode"
    assert side_by_side.function_name("<built-in method poll of select.poll object at 0x7f>") == (
        "<built-in method poll>"
    )


def test_the_analysis_of_a_pipeline_is_its_conclusion_top_operation_and_advice():
    def table(column, rows, **properties):
        cells = [{"c": [{"v": value} for value in row]} for row in rows]
        return {"cols": [{"id": column}], "rows": cells, "p": properties}

    operations = [
        ["Range", 9, 1.0, 0.01, 1.0, 0.01, "Preprocessing"],
        ["Map", 9, 99.0, 0.99, 99.0, 0.99, "Preprocessing"],
    ]
    advice = [["Reading files: tune prefetch"], ["Data preprocessing: use <a href='x'>map()</a>"]]
    answer = side_by_side.read_analysis(
        [
            table("stepnum", [], input_conclusion="HIGHLY input-bound"),
            table("opName", operations),
            table("link", advice),
        ]
    )
    assert answer.says == ["HIGHLY input-bound", "Map: 99% of the input time"]
    assert answer.fix == "Data preprocessing: use map()"


@pytest.mark.parametrize(
    "says, fix, gain, judged",
    [
        ("Decode: 9%", "", None, ("yes", "none")),
        ("next: 9%", "use workers", None, ("no", "without a gain")),
        ("next: 9%", "use workers", 1.5, ("no", "1.50x")),
    ],
)
def test_the_place_and_the_kind_of_fix_are_judged(says, fix, gain, judged):
    assert side_by_side.judged(CASE, Answer([says], fix, gain)) == judged

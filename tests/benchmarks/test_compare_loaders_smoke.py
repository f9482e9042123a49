"""benchmarks/compare_loaders.py runs with the installed libraries, and reports those that are
missing, fail or hang. No measured time is checked here.
"""

import importlib
import json
import os
import sys
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np
import pytest

from helpers.patience import PATIENCE_SECONDS
from tito.child_processes import finished

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "benchmarks"
sys.path.append(str(FOLDER))  # at the end, because its grading.py must not hide the package

loaders = importlib.import_module("compare_loaders")
PARTS = "bars check child processes table workload".split()
bars, check, child, processes, table, workload = (
    importlib.import_module(f"peers.{name}") for name in PARTS
)


def peer(path: Path, body: str, needs: str = "") -> str:
    """Write a file that takes part in the comparison under its own name."""
    path.write_text(
        f"NEEDS = ({needs})\n{body}\nROWS = {{'memory': {{'it': make}}}}\n", encoding="utf-8"
    )
    return str(path)


def compare(*words: str) -> str:
    few = ["--quick", "--rounds", "1", "--samples", "300"]
    command = [sys.executable, str(FOLDER / "compare_loaders.py"), *few, *words]
    environment = {**os.environ, "PYTHONUTF8": "1"}
    done = finished(command, ROOT / "tests", environment, timeout_seconds=PATIENCE_SECONDS)
    assert done.returncode == 0, done.stderr
    return done.stdout


# A complete comparison, small


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """(output, JSON) for every case, with the loaders ours, naive, and three that cannot run."""
    folder = tmp_path_factory.mktemp("loaders")
    raising = "def make(work):\n    raise RuntimeError('out of order')\n"
    silent = "def make(work):\n    import os\n    os._exit(7)\n"
    bad = [
        peer(folder / "missing.py", "make = None\n", needs="'no_such_library',"),
        peer(folder / "crashing.py", raising),
        peer(folder / "silent.py", silent),
    ]
    out = folder / "out.json"
    printed = compare("--loader", "naive", "ours", "--also", *bad, "--json", str(out))
    return printed, json.loads(out.read_text(encoding="utf-8"))


CASES = ["memory uint8", "memory float32", "augment", "step", "memmap", "resident", "order"]


@pytest.mark.long
def test_each_case_measures_ours_and_the_naive_loop_and_prints_every_bar(small):
    printed, record = small
    cases = {task["case"]: task["rows"] for task in record["cases"]}
    assert list(cases) == [*CASES, "scale 500", "scale 300"]
    for case, rows in cases.items():
        measured = [row for row in rows if "reason" not in row]
        names = {row["loader"].partition(":")[0] for row in measured}
        assert names >= ({"ours"} if case in ("order", "step") else {"ours", "naive"}), case
        if case not in ("order", "resident"):
            assert all(row["xg"] > 0 and row["kept_right"] is True for row in measured), case
            assert all(row["peak_batches"] > 0 for row in measured), case
    assert all(row["over_steps"] > 0 for row in cases["step"] if "reason" not in row)
    everything = [row for rows in cases.values() for row in rows]
    told = [bar["met"] for row in everything for bar in row["bars"]]
    assert all(row["loader"] in printed for row in everything)
    assert told and printed.count("\n      met   ") + printed.count("\n      MISSED") == len(told)
    assert f"{sum(told)} of {len(told)} bars met" in printed


@pytest.mark.long
def test_a_loader_that_is_missing_or_fails_gets_a_line_with_the_reason(small):
    printed, record = small
    reasons = {
        row["loader"]: row["reason"]
        for task in record["cases"]
        for row in task["rows"]
        if "reason" in row
    }
    assert reasons == {
        "missing": "not installed: pip install -r benchmarks/peers.txt",
        "crashing: it": "failed with 1: RuntimeError: out of order",
        "silent: it": "failed with 7: it said nothing",
    }
    for loader, reason in reasons.items():  # once for uint8 and once for float32
        lines = [line for line in printed.splitlines() if line.startswith(loader)]
        assert [line.endswith(reason) for line in lines] == [True, True]


def test_a_hanging_loader_is_ended_at_the_time_limit(tmp_path):
    hanging = peer(tmp_path / "hanging.py", "import time\ntime.sleep(600)\nmake = None\n")
    request = workload.Request(hanging, "it", "memory uint8", 300)
    env = processes.environment(ROOT)
    record = processes.run_child(request, env, 1, tmp_path / "record.json")
    assert record == {"reason": "ended after 1 s, the time limit for one process (--limit)"}


# All loaders do the same work


def given_work(case: str = "memory uint8", samples: int = 300) -> "workload.Work":
    return workload.make_work(case, samples, Path("unused"))


def batches(given, order):
    for start in range(0, len(order), 128):
        rows = order[start : start + 128]
        yield given.images[rows], given.labels[rows]


def test_a_shuffled_epoch_of_the_right_rows_passes_and_a_buffer_written_twice_is_found():
    given, buffer = given_work(), np.empty((128, 3, 32, 32), np.uint8)
    order = np.random.default_rng(0).permutation(300)
    found = check.check(list(batches(given, order)), given)
    assert found == {"batch_bytes": 128 * (3072 + 8), "kept_right": True}

    def reusing():
        for images, labels in batches(given, order):
            buffer[: len(images)] = images
            yield buffer[: len(images)], labels

    assert check.check(reusing(), given)["kept_right"] is False


BACK = np.arange(300)[::-1]


@pytest.mark.parametrize(
    "case, order, change, says",
    [
        ("memory uint8", np.arange(300), lambda x: x, "shuffled"),
        ("memory uint8", BACK[:-1], lambda x: x, "every sample once"),
        ("memory uint8", BACK, np.float32, "in the dtype"),
        ("memory uint8", BACK, lambda x: x[::-1], "rows of its labels"),
        ("augment", BACK, lambda x: x, "float32"),
        ("augment", BACK, lambda x: x.astype(np.float32) / 255, "must span"),
    ],
)
def test_other_work_is_refused(case, order, change, says):
    given = given_work(case)
    made = [(change(images), labels) for images, labels in batches(given, order)]
    with pytest.raises(ValueError, match=says):
        check.check(made, given)


# Figures


ALL = {name: child.load_peer(name) for name in loaders.NAMES}
TASKS = [
    task for case in loaders.CASES for group in loaders.tasks(case, 50_000, False) for task in group
]


def test_every_bar_is_about_a_row_that_exists():
    for bar in bars.BARS:
        about = [task for task in TASKS if fnmatchcase(task.case, bar.case)]
        assert about, bar
        for task in about:
            rows = task.rows(ALL)
            assert any(bar.about(task.case, row) for row in rows), bar
            assert bar.than is None or bar.than in rows, bar


def row(loader: str, *xg: float) -> dict:
    return {"loader": loader, "rounds": [{"epoch": one, "limit": 1.0} for one in xg]}


def verdicts(own: dict, *others: dict) -> dict[str, dict]:
    """{figure: verdict} for the row `own`, which is compared with the others."""
    rows = {one["loader"]: one for one in (own, *others)}
    return {told["figure"]: told for told in bars.verdicts("memory uint8", own, rows)}


def test_a_bar_compares_rounds_in_pairs_and_holds_at_the_lower_quartile():
    # both are three times slower in the last rounds: a ratio of medians would not see pairs
    ours, peer = row(bars.GATHER, 1, 1, 1, 3, 3), row(bars.PYTORCH, 7, 7, 7, 24, 24)
    told = verdicts(peer, ours)["ours is faster, times (one gather)"]
    assert (told["low"], told["value"], told["high"], told["met"]) == (7, 7, 8, True)
    assert told["bar"] == "at least 7"
    told = verdicts(row(bars.GATHER, 1.1, 1.1, 1.3, 1.3, 1.3), peer)["xG"]
    assert (told["low"], told["value"], told["met"], told["bar"]) == (1.1, 1.3, True, "at most 1.2")
    assert verdicts(peer) == {}  # ours was not measured


@pytest.mark.parametrize(
    "xg, quick, code", [(1.3, False, 1), (1.3, True, 0), (1.1, False, 0)], ids=str
)
def test_the_exit_code_says_that_a_bar_was_missed(xg, quick, code):
    task = {"case": "memory uint8", "samples": 300, "rows": [row(bars.GATHER, xg)]}
    assert loaders.exit_code({"quick": quick, "cases": table.finish([task])}) == code

"""benchmarks/loaders.py runs with the installed libraries, and reports those that are missing, fail
or hang. No measured time is checked here.
"""

import importlib
import json
import os
import subprocess
import sys
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from patience import PATIENCE_SECONDS

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "benchmarks"
sys.path.append(str(FOLDER))  # at the end, because its grading.py must not hide the package

loaders = importlib.import_module("loaders")
PARTS = ("bars", "child", "memory", "picture", "table", "work")
bars, child, memory, picture, table, work = (
    importlib.import_module(f"peers.{name}") for name in PARTS
)
TENSORS = "pytorch: TensorDataset, 0 workers"


def peer(path: Path, body: str, needs: str = "") -> str:
    """Write a file that takes part in the comparison under its own name."""
    path.write_text(
        f"NEEDS = ({needs})\nVARIANTS = {{'memory': ('it',)}}\n{body}", encoding="utf-8"
    )
    return str(path)


def compare(*words: str) -> str:
    command = [
        sys.executable,
        str(FOLDER / "loaders.py"),
        "--quick",
        "--rounds",
        "1",
        "--samples",
        "300",
        *words,
    ]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=PATIENCE_SECONDS,
        env={**os.environ, "PYTHONUTF8": "1"},
        cwd=ROOT / "tests",
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


# A complete comparison, small


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """(output, JSON, folder of the pictures) for every case, with the loaders ours, naive, and
    three that cannot run.
    """
    folder = tmp_path_factory.mktemp("loaders")
    bad = [
        peer(folder / "missing.py", "", needs="'no_such_library',"),
        peer(
            folder / "crashing.py",
            "def make(variant, work):\n    raise RuntimeError('out of order')\n",
        ),
        peer(folder / "silent.py", "def make(variant, work):\n    import os\n    os._exit(7)\n"),
    ]
    printed = compare(
        "--loader",
        "naive",
        "ours",
        "--also",
        *bad,
        "--json",
        str(folder / "out.json"),
        "--png",
        str(folder / "out.png"),
    )
    return printed, json.loads((folder / "out.json").read_text(encoding="utf-8")), folder


def test_each_case_measures_ours_and_the_naive_loop(small):
    _, record, _ = small
    cases = {task["case"]: task["rows"] for task in record["cases"]}
    assert list(cases) == [
        "memory uint8",
        "memory float32",
        "augment",
        "step",
        "memmap",
        "resident",
        "order",
        "scale 500",
        "scale 300",
    ]
    for case, rows in cases.items():
        measured = [row for row in rows if "reason" not in row]
        names = {row["loader"].partition(":")[0] for row in measured}
        assert names == (
            {"ours"}
            if case == "order"
            else {"ours", "naive"}
            if case != "step"
            else names | {"naive"}
        ), case
        if case not in ("order", "resident"):
            assert all(
                row["xg"] > 0 and row["kept_right"] is True and row["peak_batches"] > 0
                for row in measured
            ), case
    assert all(row["over_steps"] > 0 for row in cases["step"] if "reason" not in row)


def test_a_loader_that_is_missing_or_fails_gets_a_line_with_the_reason(small):
    printed, record, _ = small
    reasons = {
        row["loader"]: row["reason"]
        for task in record["cases"]
        for row in task["rows"]
        if "reason" in row and not row["reason"].startswith("the reference has no ")
    }
    assert reasons == {
        "missing": "not installed: pip install -r benchmarks/peers.txt",
        "crashing: it": "failed with 1: RuntimeError: out of order",
        "silent: it": "failed with 7: it said nothing",
    }
    for loader, reason in reasons.items():  # once for uint8 and once for float32
        assert (
            sum(line.startswith(loader) and line.endswith(reason) for line in printed.splitlines())
            == 2
        )


def test_the_table_has_each_row_and_each_bar_beside_it(small):
    printed, record, _ = small
    told = [
        (row["loader"], bar)
        for task in record["cases"]
        for row in task["rows"]
        for bar in row["bars"]
    ]
    assert all(row["loader"] in printed for task in record["cases"] for row in task["rows"])
    assert told and printed.count("\n      met   ") + printed.count("\n      MISSED") == len(told)
    assert f"{sum(bar['met'] for _, bar in told)} of {len(told)} bars met" in printed


def test_the_picture_is_written_for_light_and_for_dark_pages(small):
    _, _, folder = small
    assert all(
        (folder / name).read_bytes().startswith(b"\x89PNG") for name in ("out.png", "out-dark.png")
    )
    assert (folder / "out.png").read_bytes() != (folder / "out-dark.png").read_bytes()


def test_a_hanging_loader_is_ended_at_the_time_limit(tmp_path):
    hanging = peer(tmp_path / "hanging.py", "import time\ntime.sleep(600)\n")
    env = loaders.environment(ROOT)
    record = loaders.run_child(
        {"peer": hanging, "variant": "it", "case": "memory uint8"}, env, 1, tmp_path / "record.json"
    )
    assert record == {"reason": "ended after 1 s, the time limit for one process (--limit)"}


@pytest.mark.skipif(
    not hasattr(os, "killpg"),
    reason="process groups are POSIX: elsewhere workers end with the pipe to their parent",
)
def test_the_workers_of_a_hanging_loader_end_with_it():
    code = (
        "import subprocess, sys; subprocess.Popen([sys.executable, '-c', 'import time; print(1,"
        " flush=True); time.sleep(600)']).wait()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdout.readline().strip() == b"1"  # the worker is running
    loaders.end(process)  # returns when no process holds the pipe any more
    assert process.returncode < 0


# All loaders do the same work


def given_work(case: str = "memory uint8", samples: int = 300) -> "work.Work":
    return work.make_work(case, samples, Path("unused"))


def batches(given, order, dtype=None):
    for start in range(0, len(order), 128):
        rows = order[start : start + 128]
        yield given.images[rows].astype(dtype or given.images.dtype), given.labels[rows]


def test_a_shuffled_epoch_of_the_right_rows_passes():
    given = given_work()
    found = child.check(list(batches(given, np.random.default_rng(0).permutation(300))), given)
    assert found == {"batch_bytes": 128 * (3072 + 8), "kept_right": True}


@pytest.mark.parametrize(
    "order, dtype, says",
    [
        (np.arange(300), None, "shuffled"),
        (np.arange(299)[::-1], None, "every sample once"),
        (np.r_[np.arange(299)[::-1], 5], None, "every sample once"),
        (np.arange(300)[::-1], np.float32, "in the dtype"),
    ],
    ids=["in order", "one missing", "one twice", "other dtype"],
)
def test_other_work_is_refused(order, dtype, says):
    given = given_work()
    with pytest.raises(ValueError, match=says):
        child.check(list(batches(given, order, dtype)), given)


def test_batches_of_other_rows_are_refused():
    given = given_work()
    wrong = [(images[::-1], labels) for images, labels in batches(given, np.arange(300)[::-1])]
    with pytest.raises(ValueError, match="rows of its labels"):
        child.check(wrong, given)


@pytest.mark.parametrize(
    "change, says",
    [
        (lambda x: x, "float32"),
        (lambda x: x.astype(np.float32) / 255, "must span"),
        (lambda x: x.astype(np.float64), "float32"),
    ],
    ids=["bytes", "other scale", "float64"],
)
def test_an_augmentation_that_does_not_normalise_is_refused(change, says):
    given = given_work("augment")
    with pytest.raises(ValueError, match=says):
        child.check(
            [(change(images), labels) for images, labels in batches(given, np.arange(300)[::-1])],
            given,
        )


def test_a_loader_that_writes_into_batches_it_gave_away_is_found():
    given, buffer = given_work(), np.empty((128, 3, 32, 32), np.uint8)

    def reusing():
        for images, labels in batches(given, np.random.default_rng(0).permutation(300)):
            buffer[: len(images)] = images
            yield buffer[: len(images)], labels

    assert child.check(reusing(), given)["kept_right"] is False


def test_tracing_tells_what_a_loader_holds_from_what_an_epoch_needs():
    def epoch(held):
        for _ in range(3):
            two = [np.full(1_000_000, held[0]) for _ in range(2)]
            yield two[0]
            del two

    def make():
        return epoch(np.ones(3_000_000, np.uint8))

    found = child.traced(make, batch_bytes=1_000_000)
    assert 3_000_000 <= found["held_bytes"] < 3_100_000
    # two arrays for each batch, and none of the previous batch
    assert 2 <= found["peak_batches"] < 2.2


@pytest.mark.skipif(
    not Path("/proc/self/status").exists(),
    reason="resident memory is read from /proc, which this platform lacks",
)
def test_resident_memory_grows_with_what_is_touched():
    before = memory.resident("RssAnon")
    # above 32 MB the allocator takes fresh pages, never memory that was freed before
    held = np.ones(40_000_000, np.uint8)
    assert memory.resident("RssAnon") - before >= 0.9 * held.nbytes
    assert memory.resident("VmHWM") >= memory.resident("VmRSS") * 0.9


# Figures


@given(st.lists(st.tuples(st.floats(1e-3, 10), st.floats(1e-3, 10)), min_size=1, max_size=9))
def test_a_ratio_is_the_median_of_the_rounds_ratios(seconds):
    rounds = [{"epoch": epoch, "limit": limit, "steps": limit / 2} for epoch, limit in seconds]
    row = loaders.with_figures({"rounds": rounds}, 1000)
    ratios = sorted(epoch / limit for epoch, limit in seconds)
    assert ratios[(len(ratios) - 1) // 2] <= row["xg"] <= ratios[len(ratios) // 2]
    assert row["over_steps"] == pytest.approx(2 * row["xg"])
    assert row["samples_per_second"] * row["seconds"] == pytest.approx(1000)


def test_every_bar_is_about_a_row_that_exists():
    peers = {name: child.load_peer(name) for name in loaders.NAMES}
    tasks = [
        task
        for case in loaders.CASES
        for group in loaders.tasks(case, 50_000, False)
        for task in group
    ]
    for bar in bars.BARS:
        about = [task for task in tasks if fnmatchcase(task.case, bar.case)]
        assert about, bar
        for task in about:
            labels = {
                f"{name}: {variant}"
                for name, peer in peers.items()
                for variant in peer.VARIANTS.get(task.variants, ())
            }
            assert any(fnmatchcase(label, bar.loader) for label in labels), bar
            assert bar.than is None or bar.than in labels, bar


def test_a_bar_compares_a_row_with_a_figure_or_with_ours():
    rows = {
        bars.GATHER: {"loader": bars.GATHER, "xg": 1.1},
        TENSORS: {"loader": TENSORS, "xg": 6.6},
    }
    own, other = (list(bars.verdicts("memory uint8", row, rows)) for row in rows.values())
    assert own == [{"figure": "xG", "value": 1.1, "bar": "at most 1.2", "met": True}]
    assert other == [
        {
            "figure": "ours is faster, times (one gather)",
            "value": pytest.approx(6.0),
            "bar": "at least 7",
            "met": False,
        }
    ]
    # if ours was not measured, there is nothing to compare
    assert list(bars.verdicts("memory uint8", rows[TENSORS], {})) == []


def test_the_slowest_size_is_judged_by_the_fastest():
    group = [
        {
            "case": f"scale {count}",
            "samples": count,
            "rows": [{"loader": bars.GATHER, "samples_per_second": rate}],
        }
        for count, rate in ((10, 100.0), (20, 79.0))
    ]
    fast, slow = (task["rows"][0]["bars"] for task in table.finish(group))
    assert [bar["met"] for bar in fast] == [True] and [
        (bar["met"], bar["value"]) for bar in slow
    ] == [(False, 0.79)]


def test_the_title_of_a_picture_is_computed_from_its_rows():
    rows = [("ours: one gather", 1.1, 0.01), ("pytorch: x", 2.2, 0.0), ("naive: y", 1.0, 0.0)]
    found = (
        "In memory, uint8: ours takes 1.1 times the bare gather;"
        " the best peer takes 2.00 times as long"
    )
    assert picture.title("memory uint8", rows) == found
    assert (
        picture.title("step", [("naive: y", 3.0, 0.0)])
        == "The same with a 2 ms step: naive takes 3 times the steps alone"
    )
    with pytest.raises(ValueError, match="--case memory"):
        picture.draw([{"case": "order", "rows": []}])


@pytest.mark.parametrize(
    "words, says",
    [
        (
            ["--png", "x.png", "--case", "order"],
            "--png draws the cases memory, augment, step, memmap",
        ),
        (["--rounds", "-1"], "--rounds and --samples must be 1 or more, got -1"),
    ],
)
def test_options_that_cannot_work_are_refused_before_the_run(monkeypatch, capsys, words, says):
    monkeypatch.setattr(sys, "argv", ["loaders.py", *words])
    with pytest.raises(SystemExit):
        loaders.parse()
    assert says in capsys.readouterr().err

"""The pytest plugin: both forms of the fixture `tt`, the report for the grader, and the failures
that a student reads.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from patience import PATIENCE_SECONDS

from tito.children import finished
from tito.contract.report import read

FORMS = [
    "module",
    pytest.param(
        "wire",
        marks=pytest.mark.skipif(sys.platform == "win32", reason="the wire form needs POSIX pipes"),
    ),
]

PACKAGE = """
class Box:
    def __init__(self, items): self.items = items
    def __len__(self): return len(self.items)
    def __iter__(self):
        for i in range(len(self.items)): yield self.items[i]
def stub(): raise NotImplementedError("your turn: stub")
def divide(a, b):
    return a / b
def loop():
    while True: pass
def stop():
    import os; os._exit(3)
def hold(count): return len(bytearray(count).replace(b"a", b"b"))
"""
TESTS = '''
import pytest
from tinytorch.testing import ReadLog, expect, expect_raises
pytestmark = pytest.mark.contract("contract_sample")

def test_keeps(tt):
    log = ReadLog("ab")
    items = iter(tt.Box(log))
    expect(log.reads == [], "Nothing is read early.")
    expect(list(items) == ["a", "b"] and len(tt.Box([1])) == 1, "Items come in order.")
    expect_raises(ZeroDivisionError, lambda: tt.divide(1, 0), "Zero is refused.", says="zero")

def test_breaks(tt):
    expect(tt.divide(4, 2) == 3, "Four halves are three.", call="divide(4, 2)", got=tt.divide(4, 2),
           want=3, look="the slash")

def test_stub(tt):
    expect_raises(NotImplementedError, tt.stub, "A stub is no error to be expected.")

def test_raises(tt):
    """Nothing is divided by zero."""
    tt.divide(1, 0)

def test_loops(tt):
    tt.loop()

def test_after_the_loop(tt):
    assert tt.divide(4, 2) == 2

def test_own_mistake(tt):
    assert tt.divide(4, 2) == 5

@pytest.mark.contract("contract_other")
def test_random_inputs(tt, draw, global_random_state):
    before = global_random_state()
    print("drawn:", draw.integers(10**9))
    expect(before == global_random_state(), "Drawing touches nothing global.")
    assert 0, "look at the output"
'''


def run(
    folder: Path, *options: str, seed: str = "7", tests: str = TESTS, package: str = PACKAGE
) -> tuple[dict, str]:
    """(report lines by test, screen) of a pytest run in `folder`."""
    (folder / "sample.py").write_text(package, encoding="utf-8")
    (folder / "test_sample.py").write_text(tests, encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\naddopts = --strict-markers\n", encoding="utf-8")
    return pytest_in(folder, *options, "test_sample.py", TITO_CONTRACT_SEED=seed)


def pytest_in(place: Path, *words: str, **variables: str) -> tuple[dict, str]:
    """(report lines by test, screen) of `pytest WORDS` in `place`, which holds sample.py."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(place),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTHONUTF8": "1",
        **variables,
    }
    environment.pop("PYTEST_ADDOPTS", None)
    command = [sys.executable, "-B", "-m", "pytest", "-p", "tito.contract.plugin"]
    command += ["-p", "no:cacheprovider", "--contract-report=report.jsonl", *words]
    done = finished(command, place, environment, timeout_seconds=PATIENCE_SECONDS)
    lines = read(place / "report.jsonl")
    assert len({line.test for line in lines}) == len(lines)
    return {line.test: line for line in lines}, done.stdout + done.stderr


@pytest.fixture(scope="module", params=FORMS)
def outcome(request, tmp_path_factory):
    return run(
        tmp_path_factory.mktemp(request.param),
        f"--tt={request.param}",
        "--tt-import=sample",
        "--tt-seconds=2",
    )


def test_each_test_has_one_line_with_its_status_and_grade_id(outcome):
    report, _ = outcome
    assert {name: line.status for name, line in report.items()} == {
        "test_keeps": "pass",
        "test_breaks": "fail",
        "test_stub": "your_turn",
        "test_raises": "error",
        "test_loops": "timeout",
        "test_after_the_loop": "pass",
        "test_own_mistake": "fail",
        "test_random_inputs": "fail",
    }
    assert {line.grade_id for name, line in report.items() if name != "test_random_inputs"} == {
        "contract_sample"
    }
    assert report["test_random_inputs"].grade_id == "contract_other"


PROBES = """
import pytest
pytestmark = pytest.mark.contract("contract_sample")
DRAWN = 5

def facts(tt, names, numbers):
    import os
    class Counted(tt.Box):
        def __len__(self): return 3 * super().__len__()
    return {"names": names, "length": len(Counted(names)), "shared": numbers is tt.Box(
        numbers).items, "sum": float(numbers.sum()), "process": os.getpid()}

def uses_its_file(tt):
    return DRAWN

def divides(tt, number):
    return tt.divide(number, 0)

def test_facts(tt, inside, request):
    import os
    import numpy as np
    found = inside(facts, ["a", "b"], np.arange(4))
    here = request.config.getoption("--tt") == "module"
    assert (found.pop("process") == os.getpid()) is here
    assert found == {"names": ["a", "b"], "length": 6, "shared": True, "sum": 6.0}

def test_its_own_file_is_not_there(tt, inside):
    with pytest.raises(NameError, match="DRAWN"):
        inside(uses_its_file)

def test_an_error_of_the_code_under_test(tt, inside):
    inside(divides, 1)
"""


@pytest.mark.parametrize("form", FORMS)
def test_a_probe_runs_in_the_process_of_the_code_under_test(form, tmp_path):
    report, screen = run(tmp_path, f"--tt={form}", "--tt-import=sample", tests=PROBES)
    assert {name: line.status for name, line in report.items()} == {
        "test_facts": "pass",
        "test_its_own_file_is_not_there": "pass",
        "test_an_error_of_the_code_under_test": "error",
    }, screen
    assert "return a / b" in report["test_an_error_of_the_code_under_test"].look


@pytest.mark.skipif(sys.platform == "win32", reason="the wire form needs POSIX pipes")
def test_each_test_says_why_the_code_does_not_import_whatever_was_imported_first(tmp_path):
    """The grader may have imported the pipe's modules before pytest."""
    (tmp_path / "sample.py").write_text("limit = undefined_name\n", encoding="utf-8")
    (tmp_path / "test_sample.py").write_text(TESTS, encoding="utf-8")
    options = ["-p", "tito.contract.plugin", "-p", "no:cacheprovider", "--tt=wire"]
    options += ["--tt-import=sample", "--contract-report=report.jsonl", "test_sample.py"]
    program = f"import tito.contract.proxy, pytest; pytest.main({options!r})"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    environment.pop("PYTEST_ADDOPTS", None)
    finished(
        [sys.executable, "-B", "-c", program],
        tmp_path,
        environment,
        timeout_seconds=PATIENCE_SECONDS,
    )
    lines = read(tmp_path / "report.jsonl")
    assert len(lines) == 8
    for line in lines:
        assert line.status == "error" and "undefined_name" in line.message, line


def test_a_broken_promise_has_its_five_fields(outcome):
    line = outcome[0]["test_breaks"]
    assert [getattr(line, name) for name in ("promise", "call", "got", "want", "look")] == [
        "Four halves are three.",
        "divide(4, 2)",
        "2.0",
        "3",
        "the slash",
    ]


def test_an_unexpected_error_says_what_was_promised_and_where_it_came_from(outcome):
    line = outcome[0]["test_raises"]
    assert line.promise == "Nothing is divided by zero."
    assert line.got.startswith("ZeroDivisionError") and "in divide: return a / b" in line.look


def test_the_screen_shows_five_lines_and_no_traceback(outcome):
    _, screen = outcome
    heads = [number for number, line in enumerate(screen.splitlines()) if line.startswith("___")]
    first = next(number for number in heads if " test_breaks " in screen.splitlines()[number])
    lines = [
        line.strip() for line in screen.splitlines()[first + 1 : heads[heads.index(first) + 1]]
    ]
    assert lines[0].endswith("Four halves are three.") and lines[1:] == [
        "called    divide(4, 2)",
        "got       2.0",
        "wanted    3",
        "look at   the slash",
    ]
    assert "your turn: stub" in screen and "is there a loop that never ends?" in screen


def test_a_mistake_of_the_test_itself_keeps_its_traceback(outcome):
    assert "assert tt.divide(4, 2) == 5" in outcome[1] or "assert 2.0 == 5" in outcome[1]


def test_another_seed_than_the_one_printed_draws_other_inputs(outcome, tmp_path):
    assert "TITO_CONTRACT_SEED=7" in outcome[1]
    drawn = [line for line in outcome[1].splitlines() if line.startswith("drawn:")]
    assert len(drawn) == 1
    _, screen = run(tmp_path, "--tt-import=sample", "-k", "random_inputs", seed="8")
    assert "drawn:" in screen and drawn[0] not in screen


def test_the_same_seed_draws_the_same_inputs(tmp_path_factory):
    lines = [
        line
        for _ in range(2)
        for line in run(
            tmp_path_factory.mktemp("seed"), "--tt-import=sample", "-k", "random_inputs"
        )[1].splitlines()
        if line.startswith("drawn:")
    ]
    assert len(lines) == 2 and lines[0] == lines[1]


@pytest.mark.parametrize("form", FORMS)
def test_a_package_that_does_not_import_is_one_sentence_for_every_test(tmp_path, form):
    report, screen = run(tmp_path, f"--tt={form}", "--tt-import=sample", package="x = 1\n1 / 0\n")
    assert len(report) == 8 and {line.status for line in report.values()} == {"error"}
    assert {line.message for line in report.values()} == {
        "sample does not import: ZeroDivisionError: division by zero (line 2 of sample.py)"
    }
    assert "Traceback" not in screen and "INTERNALERROR" not in screen


@pytest.mark.skipif(sys.platform == "win32", reason="the wire form needs POSIX pipes")
def test_after_a_worker_died_the_next_test_has_a_fresh_one(tmp_path):
    tests = (
        "import pytest\npytestmark = pytest.mark.contract('c')\ndef test_a(tt): tt.stop()\n"
        "def test_b(tt): assert tt.divide(1, 2) == 0.5\n"
    )
    report, screen = run(tmp_path, "--tt=wire", "--tt-import=sample", tests=tests)
    assert (report["test_a"].status, report["test_b"].status) == ("error", "pass")
    assert "exit code 3" in report["test_a"].message and "INTERNALERROR" not in screen


def test_without_a_name_the_nearest_module_toml_says_what_to_import(tmp_path):
    tests = (
        "import pytest\n@pytest.mark.contract('c')\ndef test_a(tt): assert tt.divide(1, 2) == 0.5\n"
    )
    (tmp_path / "sample.py").write_text(PACKAGE, encoding="utf-8")
    toml = tmp_path / "modules" / "03_sample" / "module.toml"
    for folder in (toml.parent / "tests", tmp_path / "grading" / "tests" / "03_sample"):
        folder.mkdir(parents=True)
        toml.write_text('export = "sample.py"\n', encoding="utf-8")
        (folder / "test_sample.py").write_text(tests, encoding="utf-8")
        report, screen = pytest_in(tmp_path, str(folder))
        assert report["test_a"].status == "pass", screen


@pytest.mark.parametrize("form", FORMS)
def test_peak_memory_grows_by_what_the_code_under_test_held_for_a_moment(tmp_path, form):
    tests = (
        "import pytest\npytestmark = pytest.mark.contract('c')\ndef test_early(tt):"
        " tt.hold(300_000_000)\ndef grown(tt, peak_memory, count):\n    before = peak_memory()\n   "
        " tt.hold(count)\n    return peak_memory() - before\ndef test_small(tt, peak_memory):"
        " assert grown(tt, peak_memory, 1000) < 20e6\ndef test_large(tt, peak_memory): assert"
        " grown(tt, peak_memory, 100_000_000) > 90e6\n"
    )
    if sys.platform != "linux":
        tests = tests.replace("def test_early", "def early")  # the peak cannot be reset there
    report, screen = run(tmp_path, f"--tt={form}", "--tt-import=sample", tests=tests)
    assert (report["test_small"].status, report["test_large"].status) == (
        "pass",
        "pass",
    ), screen


@pytest.mark.skipif(sys.platform == "win32", reason="the wire form needs POSIX pipes")
def test_each_line_of_the_report_holds_the_seed_and_the_memory(tmp_path):
    tests = (
        "import pytest\npytestmark = pytest.mark.contract('c')\n"
        "def test_a(tt): assert tt.divide(1, 2) == 0.5\ndef test_b(tt): tt.stop()\n"
    )
    report, _ = run(tmp_path, "--tt=wire", "--tt-import=sample", tests=tests, seed="12")
    assert [line.seed for line in report.values()] == [12, 12] and report[
        "test_a"
    ].peak_memory_bytes > 5e6


@pytest.mark.skipif(sys.platform == "win32", reason="the wire form needs POSIX pipes")
def test_another_plugin_may_start_the_process_and_hears_of_each_path(tmp_path):
    tests = (
        "import pytest\npytestmark = pytest.mark.contract('c')\n"
        "def test_a(tt, tmp_path): assert len(tt.Box([tmp_path / 'x'])) == 1\n"
    )
    (tmp_path / "conftest.py").write_text(
        "from tito.contract.process import start_worker\nlog = open('log.txt', 'w')\ndef"
        " pytest_contract_worker(import_name, read_fd, write_fd):\n    print(import_name, file=log,"
        " flush=True)\n    return start_worker(import_name, read_fd, write_fd)\ndef"
        " pytest_contract_path(path): print(path.name, file=log, flush=True)\n",
        encoding="utf-8",
    )
    report, screen = run(tmp_path, "--tt=wire", "--tt-import=sample", tests=tests)
    assert report["test_a"].status == "pass", screen
    assert (tmp_path / "log.txt").read_text(encoding="utf-8").split() == ["sample", "x"]


def test_loading_the_plugin_is_light():
    code = (
        "import sys, pytest; before = set(sys.modules); import tito.contract.plugin; "
        "print(*sorted({n.split('.')[0] for n in set(sys.modules) - before}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE_SECONDS,
    )
    assert not {"numpy", "rich", "nbformat", "jupytext", "matplotlib"} & set(done.stdout.split())

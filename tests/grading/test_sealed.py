"""Sealed tests: the score of a package depends only on what trusted code observes, whatever the
package does.
"""

import shutil
import signal
import sys
from pathlib import Path

import pytest

from grading.engine import sandbox
from grading.engine.run import sealed_tests
from grading.engine.submission_marks import contract_mark
from helpers.patience import until

REPO = Path(__file__).resolve().parents[2]
FIELDS = {"grade_id", "test", "status", "promise", "call", "got", "want", "look", "message", "seed"}

STUDENT = """
import os, sys, time
import numpy as np

def half(x): return x / 2
def loop():
    while True: pass
def end(): os._exit(5)
def sees(path): return os.path.exists(path)
def write(path): open(path, "w").write("mine")
def read(path): return open(path, "rb").read()
def variables(): return dict(os.environ)
def modules():
    return [name for name in sys.modules
            if name.split(".")[0] in ("pytest", "_pytest") or name == "tinytorch.testing"]
def slow(): time.sleep(0.05)
def leads_out(names):
    import glob, pathlib
    return [pathlib.Path(place, *[".."] * 8, *names) for place in glob.glob("/tmp/tito-tests-*")]
def hand_back(function, names): function(leads_out(names))
def flood(rng): return rng.random(300_000_000)
time.perf_counter = time.monotonic = time.time = lambda: 0.0       # a clock that stands still
"""
TESTS = """
import os, tempfile, time
import numpy as np
import pytest
from tinytorch.testing import expect

pytestmark = pytest.mark.contract("sealed")

def test_half(tt):
    expect(tt.half(4) == 2, "Half of four is two.", call="half(4)", got=tt.half(4), want=2)
def test_wrong(tt):
    expect(tt.half(4) == 3, "Half of four is three.", call="half(4)", got=tt.half(4), want=3)
def test_drawn(tt, draw): expect(False, "Inputs are drawn.", got=int(draw.integers(10**9)))
def test_end(tt): tt.end()
def test_after_the_end(tt): assert tt.half(2) == 1
def test_sees_no_test(tt): assert not tt.sees(__file__)
def test_holds_no_seed(tt):
    assert not [name for name in tt.variables() if "SEED" in name and name != "PYTHONHASHSEED"]
def test_holds_no_test(tt): assert tt.modules() == []

def test_trusted_clock(tt):
    begin = time.perf_counter()
    tt.slow()
    expect(time.perf_counter() - begin >= 0.05, "The clock that counts is the test's.")

def test_files(tt, tmp_path):
    number, name = tempfile.mkstemp(dir=tmp_path)
    os.write(number, b"12345"); os.close(number)
    path = tmp_path / os.path.basename(name)
    assert tt.read(path) == b"12345"
    path.write_bytes(b"123")
    assert tt.read(path) == b"123"
    with pytest.raises(OSError): tt.write(path)
    assert path.read_bytes() == b"123"

def test_flood(tt):
    with pytest.raises(MemoryError): tt.flood(np.random.default_rng(0))

def test_an_answer_is_handed_back(tt):
    with pytest.raises(TypeError): tt.half(tt.leads_out(PLACE))
def test_a_lent_function_gives_back_what_it_gets(tt): tt.hand_back(lambda given: given, PLACE)
def test_a_path_that_a_test_makes_of_an_answer(tt, tmp_path):
    for end in tt.leads_out(PLACE):
        with pytest.raises(TypeError): tt.half(tmp_path / end)

@pytest.mark.contract("other")
def test_other(tt): assert tt.half(0) == 0
"""
ALWAYS_TRUE = "def expect(*a, **k): pass\ndef expect_raises(*a, **k): pass\n"


def opened_at(level=None):
    try:
        return sandbox.open_sandbox(level)
    except sandbox.SandboxError as problem:
        pytest.skip(f"level {level} is not available here: {problem}")


@pytest.fixture(scope="module")
def box():
    with opened_at() as opened:
        yield opened


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    root = tmp_path_factory.mktemp("given")
    unwanted = shutil.ignore_patterns("__pycache__", "dataloader.py", "data", "profiler")
    shutil.copytree(REPO / "tinytorch", root / "tinytorch", ignore=unwanted)
    return root


@pytest.fixture
def run(box, given, tmp_path):
    def run(tests=TESTS, student=STUDENT, hidden=None, conftest=None, **more):
        package, folder = tmp_path / "package", tmp_path / "tests"
        if not package.exists():
            shutil.copytree(given, package)
            folder.mkdir()
        folders = [folder]
        if hidden is not None:
            folders.append(tmp_path / "hidden")
            folders[1].mkdir()
            (folders[1] / "test_hidden.py").write_text(hidden, encoding="utf-8")
        if conftest is not None:
            (folder / "conftest.py").write_text(conftest, encoding="utf-8")
        (package / "tinytorch" / "core" / "box.py").write_text(student, encoding="utf-8")
        (package / "tinytorch" / "testing.py").write_text(ALWAYS_TRUE, encoding="utf-8")
        (folder / "test_box.py").write_text(tests, encoding="utf-8")
        address = more.pop("sandbox_address", box.address)
        times = {"test_seconds": 60, "total_seconds": 240, **more}
        places = {"given": given, "report": tmp_path / "report.jsonl"}
        one = sealed_tests.SealedRun("tinytorch.core.box", folders, seed=7, **places, **times)
        return sealed_tests.run_sealed(package, one, address, sandbox.SandboxLimits())

    return run


def test_each_test_says_what_trusted_code_saw(run, box, tmp_path):
    """Whatever paths the student's process names, a private key, a program and a folder keep their
    modes.
    """
    place = tmp_path / "instructor's"
    (place / "folder").mkdir(parents=True)
    for name, mode in (("key", 0o600), ("program", 0o755), ("folder", 0o700), (".", 0o700)):
        if name in ("key", "program"):
            (place / name).touch()
        (place / name).chmod(mode)
    modes = {path: path.stat().st_mode for path in (place, *place.iterdir())}
    before, tests = set(sys.modules), TESTS.replace("PLACE", repr(place.parts[1:]))
    rows = run(tests)
    assert {path: path.stat().st_mode for path in (place, *place.iterdir())} == modes
    found = {row.test.removeprefix("test_"): row for row in rows}
    want = dict.fromkeys(found, "pass") | {"wrong": "fail", "drawn": "fail", "end": "error"}
    seen = {name: row.status for name, row in found.items()}
    if not box.isolated:  # at the level limits nothing is hidden
        seen |= {"sees_no_test": "pass", "files": "pass"}
    assert len(rows) == TESTS.count("def test_") and seen == want, [row.message for row in rows]
    assert all(set(row.as_json()) - {"kept", "asks"} == FIELDS and row.seed == 7 for row in rows)
    wrong = found["wrong"]
    said = ["Half of four is three.", "half(4)", "2.0", "3"]
    assert [wrong.promise, wrong.call, wrong.got, wrong.want] == said
    assert found["other"].grade_id == "other" and found["half"].grade_id == "sealed"
    imported = {name for name in set(sys.modules) - before if name.startswith("test_")}
    assert not imported, "the caller imports nothing of the run"


HEAD = "import os, pytest\npytestmark = pytest.mark.contract('c')\n"
LATER = "def test_later(tt): assert tt.half(2) == 1\n"


def test_what_was_decided_survives_a_run_that_is_killed(run, tmp_path, monkeypatch):
    wait, report = sealed_tests._wait, tmp_path / "report.jsonl"

    def not_before_the_first_is_decided(child: int, seconds: float) -> int | None:
        until(lambda: report.exists() and report.read_text(encoding="utf-8").count("\n") > 1)
        return wait(child, seconds)

    monkeypatch.setattr(sealed_tests, "_wait", not_before_the_first_is_decided)
    rows = run(f"{HEAD}{LATER}def test_z(tt):\n    while True: pass\n", total_seconds=1)
    assert [row.status for row in rows] == ["pass", "not_run", "timeout"]
    assert [row.grade_id for row in rows] == ["c", "c", None]
    assert "1 s were over" in rows[-1].message


PUBLIC = """
import pytest

@pytest.mark.contract("c")
@pytest.mark.parametrize("number", [2, 4, 6])
def test_half(tt, number): assert tt.half(number) == number / 2
"""
DESELECT = """
def pytest_collection_modifyitems(config, items):
    config.hook.pytest_deselected(items=items[2:])
    del items[2:]
"""
STRICT = """
@pytest.fixture
def strict(tt):
    yield tt
    assert tt.half(2) == 2
def test_a(strict): assert strict.half(2) == 1
"""
EXITS = "def test_end(tt): pytest.exit('enough', returncode={})\n"
SIGNALS = """
import faulthandler, signal
faulthandler.disable()
def test_a(tt): os.kill(os.getpid(), signal.{})
"""
P, F, N, E = "pass", "fail", "not_run", "error"


# The status of each test of PUBLIC and of the hidden tests, and of the run if it broke off; the
# points, of 20; and what the run says. The tests of both folders are collected before the first of
# them runs.
@pytest.mark.parametrize(
    "hidden, conftest, statuses, earned, says",
    [
        (f"{HEAD}def test_end(tt): os._exit(9)\n{LATER}", None, [P, P, P, N, N, E], 12, "code 9"),
        (HEAD + EXITS.format(0), None, [P, P, P, N, E], 15, ""),
        (HEAD + EXITS.format(1), None, [P, P, P, N, E], 15, ""),
        ("def broken(:\n", None, [N, N, N, E], 0, "SyntaxError"),
        (None, DESELECT, [P, P], 20, None),
        (PUBLIC.replace("number / 2", "number"), None, [P, P, P, F, F, F], 10, None),
        (HEAD + STRICT, None, [P, P, P, F], 15, None),  # it passes and then fails: one failure
        *(
            (HEAD + SIGNALS.format(name), None, [P, P, P, N, "killed"], 15, name)
            for name in ("SIGTERM", "SIGINT", "SIGSEGV", "SIGKILL")
        ),
    ],
)
def test_however_a_run_ends_all_collected_tests_share_the_points(
    run, hidden, conftest, statuses, earned, says
):
    # A grader's process has handlers of signals that raise.
    ends = (signal.SIGTERM, signal.SIGINT)
    before = {number: signal.signal(number, lambda *_: sys.exit(143)) for number in ends}
    try:
        rows = run(PUBLIC, hidden=hidden, conftest=conftest)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    assert [row.status for row in rows] == statuses
    assert all(set(row.as_json()) - {"kept", "asks"} == FIELDS and row.seed == 7 for row in rows)
    of_tests = [row for row in rows if row.grade_id == "c"]
    assert contract_mark("n", "c", 20.0, of_tests).points == earned
    assert [row.message for row in rows if row.status == N and statuses[0] == P] == [
        "The run of the tests ended before this test had."
    ] * (statuses[0] == P and statuses.count(N))
    assert len(of_tests) == len(rows) - (says is not None)
    assert says is None or says in rows[-1].message


def test_a_sandbox_that_does_not_start_is_no_failed_test(run, box):
    """If the parent of the sandboxes was killed, an engine that opens another sandbox grades the
    submission again.
    """
    *tests, killed = run(PUBLIC, sandbox_address="namespaces:/nonexistent")
    assert {row.status for row in tests} == {"not_run"}
    assert (killed.grade_id, killed.status) == (None, "killed")


GLOBAL_STUDENT = """
import ctypes, random, sys
import numpy as np
ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE: its memory is nobody's to read
def same(*args, **kwargs): return "the same"
for name, module in list(sys.modules.items()):
    if name.endswith("contract.proxy"):
        module.global_random_state = module.generator_places = same
np.random.get_state = random.getstate = same
def half(x): return x / 2
def draws(): np.random.random()
def draws_python(): random.random()
def seeds(): np.random.seed(0)
def seeds_python(): random.seed(0)
def exchanges(): np.random.set_state(("MT19937", np.arange(624, dtype=np.uint32), 5))
"""
GLOBAL_TESTS = """
import pytest
pytestmark = pytest.mark.contract("c")
NAMES = ["draws", "draws_python", "seeds", "seeds_python", "exchanges"]
@pytest.mark.parametrize("name", NAMES * 2)
def test_global(tt, global_random_state, name):
    before = global_random_state()
    tt.half(2)
    assert global_random_state() == before, "calls alone change nothing"
    getattr(tt, name)()
    assert global_random_state() != before
"""


@pytest.mark.parametrize("level", sandbox.LEVELS)
def test_the_global_generators_are_watched_from_outside(run, level):
    """It does not matter what the package reports about them or does to its process. Setting the
    same seed again is noticed too.
    """
    if sys.platform != "linux":
        pytest.skip("elsewhere the process is asked")
    with opened_at(level) as box:
        rows = run(GLOBAL_TESTS, GLOBAL_STUDENT, sandbox_address=box.address)
    assert [row.status for row in rows] == ["pass"] * 10, [row.message for row in rows]


CPU_HARMS = {"RLIMIT_CPU 0", "RLIMIT_CPU 1"}
ELSEWHERE = [*sorted(CPU_HARMS), "every signal by kill", "exit -9", "a signal without a name"]


@pytest.mark.parametrize("level", sandbox.LEVELS)
def test_what_a_student_does_to_the_own_process_costs_no_other_test_and_is_named(run, level):
    """It is never taken for a fault of the machine, so the run is not repeated; earlier results are
    kept, and the next test runs.
    """
    if sys.platform != "linux":
        pytest.skip("the ways are those of Linux")
    from helpers import process_acts as harms

    # At other levels nothing counts as a kill from outside, and a start takes long.
    names = list(harms.HARMS) if level == "namespaces" else ELSEWHERE
    tests = ["import pytest", "pytestmark = pytest.mark.contract('c')"]
    for number, name in enumerate(names):
        tests += [
            f"def test_{number}_before(tt): assert tt.half(4) == 2",
            f"def test_{number}_harm(tt): tt.harm({name!r})",
            f"def test_{number}_end(tt): tt.end()",
        ]
    student = Path(harms.__file__).read_text(encoding="utf-8")
    with opened_at(level) as box:
        rows = run("\n".join(tests), student, sandbox_address=box.address, total_seconds=600)
    assert [row for row in rows if row.grade_id is None] == []
    assert len(rows) == 3 * len(names)
    before = [row for row in rows if row.test.endswith("_before")]
    assert {row.status for row in before} == {"pass"}, [row.message for row in before]
    done = [row for row in rows if row.test.endswith("_harm")]
    said = {name: row.message or "" for name, row in zip(names, done, strict=True)}
    assert not [name for name, message in said.items() if "outside" in message]
    if level == "namespaces":  # CPU time is the only limit there at which the kernel kills
        assert {name for name, message in said.items() if "it had set itself" in message} == (
            CPU_HARMS
        )
        assert not [name for name, message in said.items() if "SIGKILL" in message]

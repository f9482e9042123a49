"""The pytest plugin: both forms of `tt`, the report, and the failures that a student reads."""

import sys

import pytest
from contract_kit import FORMS, contract_run, pytest_in

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


MARK = "import pytest\npytestmark = pytest.mark.contract('c')\n"


@pytest.mark.parametrize("form", FORMS)
def test_each_test_has_its_status_and_what_a_student_reads(form, tmp_path):
    report, screen = contract_run(tmp_path, TESTS, PACKAGE, "--tt-seconds=2", form=form)
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
    ids = [line.grade_id for line in report.values()]
    assert ids == ["contract_sample"] * 7 + ["contract_other"]
    broken = ("Four halves are three.", "divide(4, 2)", "2.0", "3", "the slash")
    assert tuple(report["test_breaks"].texts().values())[:5] == broken
    line = report["test_raises"]
    assert line.promise == "Nothing is divided by zero."
    assert line.got.startswith("ZeroDivisionError") and "in divide: return a / b" in line.look
    shown = screen[screen.index(" test_breaks ") :].splitlines()[1:7]
    assert shown[0].endswith("Four halves are three.") and shown[5].startswith("___")
    labels = ("called", "got", "wanted", "look at")
    wanted = [f"{label:<10}{text}" for label, text in zip(labels, broken[1:], strict=True)]
    assert [line.strip() for line in shown[1:5]] == wanted
    assert "your turn: stub" in screen and "is there a loop that never ends?" in screen
    # a mistake of the test itself keeps its traceback
    assert "assert tt.divide(4, 2) == 5" in screen or "assert 2.0 == 5" in screen
    assert "TITO_CONTRACT_SEED=7" in screen and screen.count("\ndrawn: ") == 1


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
    report, screen = contract_run(tmp_path, PROBES, PACKAGE, form=form)
    assert {name: line.status for name, line in report.items()} == {
        "test_facts": "pass",
        "test_its_own_file_is_not_there": "pass",
        "test_an_error_of_the_code_under_test": "error",
    }, screen
    assert "return a / b" in report["test_an_error_of_the_code_under_test"].look


@pytest.mark.parametrize("form", FORMS)
def test_a_package_that_does_not_import_is_one_sentence_for_every_test(tmp_path, form):
    report, screen = contract_run(tmp_path, TESTS, "x = 1\n1 / 0\n", form=form)
    assert len(report) == 8 and {line.status for line in report.values()} == {"error"}
    assert {line.message for line in report.values()} == {
        "sample does not import: ZeroDivisionError: division by zero (line 2 of sample.py)"
    }
    assert "Traceback" not in screen and "INTERNALERROR" not in screen


def test_without_a_name_the_nearest_module_toml_says_what_to_import(tmp_path):
    (tmp_path / "sample.py").write_text(PACKAGE, encoding="utf-8")
    module = tmp_path / "modules" / "03_sample"
    for folder in (module / "tests", tmp_path / "grading" / "modules" / "03_sample" / "tests"):
        folder.mkdir(parents=True)
        described = 'number = "03"\ntitle = "T"\nnotebook = "n"\nexport = "sample.py"\n'
        (module / "module.toml").write_text(described, encoding="utf-8")
        tests = f"{MARK}def test_a(tt): assert tt.divide(1, 2) == 0.5\n"
        (folder / "test_sample.py").write_text(tests, encoding="utf-8")
        report, screen = pytest_in(tmp_path, str(folder))
        assert report["test_a"].status == "pass", screen


HOLDING = """
def test_early(tt): tt.hold(300_000_000)
def grown(tt, peak_memory, count):
    before = peak_memory()
    tt.hold(count)
    return peak_memory() - before
def test_small(tt, peak_memory): assert grown(tt, peak_memory, 1000) < 20e6
def test_large(tt, peak_memory): assert grown(tt, peak_memory, 100_000_000) > 90e6
"""


@pytest.mark.parametrize("form", FORMS)
def test_peak_memory_grows_by_what_the_code_under_test_held_for_a_moment(tmp_path, form):
    tests = MARK + HOLDING
    if sys.platform != "linux":
        tests = tests.replace("def test_early", "def early")  # the peak cannot be reset there
    report, screen = contract_run(tmp_path, tests, PACKAGE, form=form)
    assert {line.status for line in report.values()} == {"pass"}, screen

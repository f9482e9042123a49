"""A student's cells and contract tests in subprocesses."""

import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from helpers.patience import PATIENCE_SECONDS, runs, until
from tito.notebook.cells import Cell, read_ipynb
from tito.run import runner
from tito.student_work.exporter import export


def cells(*sources, tests=()):
    graded = {"grade": True, "points": 1}
    return [
        Cell(i, "code", source, {"grade_id": f"c{i}", **graded} if i in tests else {})
        for i, source in enumerate(sources, start=1)
    ]


@pytest.fixture
def scratch(course, tmp_path):
    return make(course.module, tmp_path)


def make(module, tmp_path):
    return runner.make_scratch(module, read_ipynb(module.notebook), tmp_path / "scratch")


def run(scratch, *sources, tests=(), **options):
    given = [one if isinstance(one, Cell) else None for one in sources]
    code = given if all(given) else cells(*sources, tests=tests)
    return runner.run_cells(code, scratch, timeout_seconds=PATIENCE_SECONDS, **options)


def statuses(outcomes):
    return [outcome.status for outcome in outcomes]


def contracts(scratch, module):
    tests = [scratch / "modules/07_adder/tests"]
    return runner.run_contracts(scratch, module, tests, timeout_seconds=PATIENCE_SECONDS)


def test_demo_cells_and_tests_that_were_not_picked_do_not_run(scratch):
    demo, solution = Cell(3, "code", "1 / 0", tags=("demo",)), {"solution": True}
    code = [*cells("1 / 0", "x = 1", tests=(1,)), demo, Cell(4, "code", "x", solution, ("demo",))]
    results = run(scratch, *code, select=lambda cell: False)
    assert statuses(results) == ["not_run", "pass", "not_run", "pass"]


def test_an_endless_loop_is_a_timeout_of_its_cell_and_the_next_cell_runs(scratch):
    # The call is for Python 3.10, which handles signals neither in `pass` nor at a jump to
    # `try`.
    loop = "while True:\n    try:\n        int()\n    except Exception:\n        pass"
    results = run(scratch, loop, "x = 1", cell_seconds=0.3)
    assert statuses(results) == ["timeout", "pass"]
    assert "loop that never ends" in results[0].message


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets a process limit another one")
def test_a_list_that_grows_without_end_stops_at_the_limit_and_the_next_cell_runs(
    scratch, monkeypatch
):
    monkeypatch.setattr(runner, "MEMORY_BYTES", 200 * 2**20)
    grow = "kept = []\nwhile True:\n    kept.append(bytes(2**20))"
    results = run(scratch, grow, "assert len(kept) < 200; kept.clear()", "x = 1")
    assert statuses(results) == ["error", "pass", "pass"]
    assert 'File "<cell 1>", line 3' in results[0].traceback
    assert results[0].line == 3 and "a list that grows in a loop" in results[0].message
    (large,) = run(scratch, "import numpy\nnumpy.zeros(10**9)")
    assert "may use 2 GiB" in large.message and "a list" not in large.message


def test_when_all_time_is_over_the_process_and_its_children_are_gone(
    scratch, tmp_path, monkeypatch
):
    pids = tmp_path / "pids"
    hang = f"""
import os, subprocess, sys, signal, time
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])
open({str(pids)!r}, 'w').write(f'{{os.getpid()}} {{child.pid}}')
time.sleep(600)"""

    def over_as_soon_as_it_hangs():
        return 1e6 if pids.exists() and " " in pids.read_text() else 0.0

    monkeypatch.setattr(runner, "time", SimpleNamespace(monotonic=over_as_soon_as_it_hangs))
    assert statuses(run(scratch, "x = 1", hang, "x")) == ["pass", "timeout", "not_run"]
    assert until(lambda: not any(map(runs, map(int, pids.read_text().split()))))


def test_a_process_that_dies_is_an_error_of_the_cell_in_which_it_died(scratch):
    results = run(scratch, "import os", "os.kill(os.getpid(), 9)", "x = 1")
    assert statuses(results) == ["pass", "error", "not_run"] and "SIGKILL" in results[1].message


def test_exit_in_a_plain_cell_ends_nothing_and_in_a_test_it_is_an_error(scratch):
    results = run(scratch, "raise SystemExit(0)", "raise SystemExit(0)", "x = 1", tests=(2,))
    assert statuses(results) == ["pass", "error", "pass"]


def test_output_is_kept_to_a_cap_and_a_flood_does_not_stop_the_run(scratch):
    flood = "import sys\nprint('a' * 10_000_000)\nprint('late', file=sys.stderr)"
    result, after = run(scratch, flood, "print('ünï')")
    assert 20_000 <= len(result.stdout) < 20_100
    assert "more characters" in result.stdout and "late" in result.stderr
    assert after.stdout == "ünï\n"


def test_the_student_is_main_as_in_jupyter_and_imports_come_from_the_scratch_workspace(scratch):
    code = (
        "import importlib.util, tinytorch\nassert __name__ == '__main__'\n"
        "assert not any(map(importlib.util.find_spec, ['exporter', 'percent']))\n"  # tito's own
        "print(tinytorch.__file__)\n%matplotlib inline\nimport asyncio\nawait asyncio.sleep(0)"
    )
    (result,) = run(scratch, code)
    assert result.status == "pass", result.traceback
    assert Path(result.stdout.strip()).parent.parent == scratch


def test_a_scratch_workspace_has_a_fresh_export_and_those_of_earlier_modules(course, tmp_path):
    course.solve()
    export(course.module)
    course.write(add="#| export\ndef add(a, b):\n    return 'new'")
    for name, after in (("06_early", []), ("08_late", ["07_adder"])):
        course.add_module(name, after).export_path.write_text("x = 1\n", encoding="utf-8")
    scratch = make(replace(course.module, after=("06_early",)), tmp_path)
    assert "'new'" in (scratch / course.module.export).read_text(encoding="utf-8")
    found = [path.name for path in sorted(scratch.glob("tinytorch/core/*.py"))]
    assert found == ["__init__.py", "adder.py", "early.py"]
    assert {path.name for path in scratch.glob("modules/*/*")} == {"module.toml", "tests"}


def test_what_a_contract_test_holds_when_memory_ends_is_freed_before_the_next_test(course, scratch):
    file = scratch / "modules/07_adder/tests/test_adder.py"
    head = "import pytest, weakref\nimport numpy as np\nheld = []\n"
    mark = '@pytest.mark.contract("test_add")\n'
    fills = "    large = np.zeros(9)\n    held.append(weakref.ref(large))\n    raise MemoryError\n"
    after = "    assert held[0]() is None\n"
    tests = f"{head}{mark}def test_a(tt):\n{fills}\n{mark}def test_b(tt):\n{after}"
    file.write_text(tests, encoding="utf-8")
    assert statuses(contracts(scratch, course.module)) == ["fail", "pass"]


def test_contract_tests_that_cannot_even_start_are_an_error_with_the_reason(course, scratch):
    file = scratch / "modules/07_adder/tests/test_adder.py"
    file.write_text("def broken(:\n", encoding="utf-8")
    (result,) = contracts(scratch, course.module)
    assert result.status == "error" and "SyntaxError" in result.message

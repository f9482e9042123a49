"""A student's cells and contract tests in subprocesses."""

import contextlib
import json
import os
import subprocess
from dataclasses import asdict
from pathlib import Path

import psutil
import pytest
from patience import PATIENCE_SECONDS, until

from tito.children import part_of
from tito.notebook.cells import Cell, read_ipynb
from tito.run import runner


def cells(*sources, tests=()):
    return [
        Cell(
            i,
            "code",
            source,
            {"grade_id": f"c{i}", "grade": True, "points": 1} if i in tests else {},
        )
        for i, source in enumerate(sources, start=1)
    ]


@pytest.fixture
def scratch(course, tmp_path):
    return runner.make_scratch(
        course.module, read_ipynb(course.module.notebook), tmp_path / "scratch"
    )


def run(scratch, *sources, tests=(), **options):
    return runner.run_cells(
        cells(*sources, tests=tests),
        scratch,
        timeout_seconds=options.pop("timeout_seconds", PATIENCE_SECONDS),
        **options,
    )


def test_a_cell_that_fails_does_not_stop_the_next(scratch):
    results = run(scratch, "x = 1", "y = 1 / 0", "z = x", "z + y")
    assert [r.status for r in results] == ["pass", "error", "pass", "error"]
    assert "NameError: name 'y' is not defined" in results[3].message
    assert (
        results[1].line == 1
        and 'File "<cell 2>", line 1' in results[1].traceback
        and "y = 1 / 0" in results[1].traceback
    )


def test_a_broken_promise_comes_with_its_five_fields_and_a_stub_is_your_turn(scratch):
    promise = (
        "from tinytorch.testing import check, expect\ndef test_it():\n    expect(False, 'Always.',"
        " call='f(1)', got=2, want=3, look='here')\ncheck(test_it, hint='07 add')"
    )
    stub = (
        "def test_stub():\n    raise NotImplementedError('your turn:"
        " add')\ncheck(test_stub, hint='07 add')"
    )
    first, second = run(scratch, promise, stub, tests=(1, 2))
    assert (
        first.status,
        first.promise,
        first.call,
        first.got,
        first.want,
        first.look,
        first.hint,
    ) == ("fail", "Always.", "f(1)", "2", "3", "here", "07 add")
    assert second.status == "your_turn"
    json.dumps([asdict(first), asdict(second)])


def test_demo_cells_and_tests_that_were_not_picked_do_not_run(scratch):
    code = [*cells("1 / 0", "x = 1", tests=(1,)), Cell(3, "code", "1 / 0", tags=("demo",))]
    results = runner.run_cells(
        code, scratch, select=lambda cell: False, timeout_seconds=PATIENCE_SECONDS
    )
    assert [r.status for r in results] == ["not_run", "pass", "not_run"]


def test_a_test_or_a_solution_that_carries_the_tag_of_a_demo_runs(scratch):
    flags = [{"solution": True}, {"grade": True, "grade_id": "test_x"}]
    code = [
        Cell(number, "code", "x = 1" if number == 1 else "assert x == 1", flag, ("demo",))
        for number, flag in enumerate(flags, start=1)
    ]
    results = runner.run_cells(code, scratch, timeout_seconds=PATIENCE_SECONDS)
    assert [r.status for r in results] == ["pass", "pass"]


def test_an_endless_loop_is_a_timeout_of_its_cell_and_the_next_cell_runs(scratch):
    # The call is for Python 3.10, which handles signals neither in `pass` nor at a jump to
    # `try`.
    results = run(
        scratch,
        "while True:\n    try:\n        int()\n    except Exception:\n        pass",
        "x = 1",
        cell_seconds=0.3,
    )
    assert [r.status for r in results] == ["timeout", "pass"] and "loop that never ends" in results[
        0
    ].message


def test_when_all_time_is_over_the_process_and_its_children_are_gone(
    scratch, tmp_path, monkeypatch
):
    pids = tmp_path / "pids"
    hang = (
        "import os, subprocess, sys, signal, time\nsignal.pthread_sigmask(signal.SIG_BLOCK,"
        " [signal.SIGALRM])\nchild = subprocess.Popen([sys.executable, '-c', 'import time;"
        f" time.sleep(600)'])\nopen({str(pids)!r}, 'w').write(f'{{os.getpid()}}"
        " {child.pid}')\ntime.sleep(600)"
    )
    wait = subprocess.Popen.wait

    def over_as_soon_as_it_hangs(process, timeout=None):
        if timeout is not None:
            assert until(lambda: pids.exists() and " " in pids.read_text())
            raise subprocess.TimeoutExpired(process.args, timeout)
        return wait(process)

    monkeypatch.setattr(subprocess.Popen, "wait", over_as_soon_as_it_hangs)
    results = run(scratch, "x = 1", hang, "x")
    assert [r.status for r in results] == ["pass", "timeout", "not_run"]
    assert until(lambda: not any(map(runs, map(int, pids.read_text().split()))))


def runs(pid):
    with contextlib.suppress(psutil.NoSuchProcess):
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    return False


def test_a_process_that_dies_is_an_error_of_the_cell_in_which_it_died(scratch):
    results = run(scratch, "import os", "os.kill(os.getpid(), 9)", "x = 1")
    assert [r.status for r in results] == ["pass", "error", "not_run"] and "SIGKILL" in results[
        1
    ].message


def test_exit_in_a_plain_cell_ends_nothing_and_in_a_test_it_is_an_error(scratch):
    assert [
        r.status
        for r in run(scratch, "raise SystemExit(0)", "raise SystemExit(0)", "x = 1", tests=(2,))
    ] == ["pass", "error", "pass"]


def test_output_is_kept_to_a_cap_and_a_flood_does_not_stop_the_run(scratch):
    result, after = run(
        scratch,
        "import sys\nprint('a' * 10_000_000)\nprint('late', file=sys.stderr)",
        "print('ünï')",
    )
    assert (
        20_000 <= len(result.stdout) < 20_100
        and "more characters" in result.stdout
        and "late" in result.stderr
    )
    assert after.stdout == "ünï\n"


def test_the_student_is_main_as_in_jupyter_and_imports_come_from_the_scratch_workspace(scratch):
    (result,) = run(
        scratch,
        "import tinytorch\nassert __name__ == '__main__'\nprint(tinytorch.__file__)\n%matplotlib"
        " inline\nimport asyncio\nawait asyncio.sleep(0)",
    )
    assert result.status == "pass", result.traceback
    assert Path(result.stdout.strip()).parent.parent == scratch


def test_modules_of_tito_do_not_shadow_what_a_student_imports(scratch):
    (result,) = run(
        scratch,
        "import importlib.util\nprint(importlib.util.find_spec('exporter'),"
        " importlib.util.find_spec('percent'))",
    )
    assert result.stdout.strip() == "None None"


def test_a_scratch_workspace_has_no_stale_export_and_no_other_module(course, tmp_path):
    course.solve()
    from tito.exporter import export

    export(course.module)
    course.write(add="#| export\ndef add(a, b):\n    return 'new'")
    scratch = runner.make_scratch(
        course.module, read_ipynb(course.module.notebook), tmp_path / "scratch"
    )
    assert "'new'" in (scratch / course.module.export).read_text(encoding="utf-8")
    assert sorted(p.name for p in (scratch / "modules" / "07_adder").iterdir()) == [
        "module.toml",
        "tests",
    ]


def test_earlier_modules_come_along_and_later_ones_do_not(course, tmp_path):
    for name, after in (("06_early", ""), ("08_late", '"07_adder"')):
        folder = course.root / "modules" / name
        folder.mkdir()
        short = name[3:]
        (folder / "module.toml").write_text(
            f'number = "{name[:2]}"\ntitle = "T"\nexport = "tinytorch/core/{short}.py"\nnotebook ='
            f' "{short}_dev"\nafter = [{after}]\n',
            encoding="utf-8",
        )
        (course.root / "tinytorch" / "core" / f"{short}.py").write_text("x = 1\n", encoding="utf-8")
    toml = course.module.folder / "module.toml"
    toml.write_text(
        toml.read_text(encoding="utf-8").replace("after = []", 'after = ["06_early"]'),
        encoding="utf-8",
    )
    scratch = runner.make_scratch(
        course.workspace.module("07"), read_ipynb(course.module.notebook), tmp_path / "scratch"
    )
    assert sorted(p.name for p in (scratch / "tinytorch" / "core").glob("*.py")) == [
        "__init__.py",
        "adder.py",
        "early.py",
    ]


def test_a_given_file_that_is_called_like_an_export_comes_along(course, tmp_path):
    """An export may have the same file name as a given file in another folder."""
    given = course.root / "tinytorch" / "notebook" / "adder.py"
    given.parent.mkdir(exist_ok=True)
    given.write_text("given = True\n", encoding="utf-8")
    course.solve()
    from tito.exporter import export

    export(course.module)
    course.workspace.copy_package(tmp_path)
    assert (tmp_path / "tinytorch/notebook/adder.py").is_file()
    assert not (tmp_path / course.module.export).exists()
    course.workspace.copy_package(tmp_path, [course.module])
    assert (tmp_path / course.module.export).is_file()


def test_contract_tests_report_their_group_and_the_promise(course, tmp_path):
    course.write(add="#| export\ndef add(a, b):\n    return a - b")
    scratch = runner.make_scratch(
        course.module, read_ipynb(course.module.notebook), tmp_path / "scratch"
    )
    results = {
        r.test: r
        for r in runner.run_contracts(
            scratch,
            course.module,
            [scratch / "modules/07_adder/tests"],
            timeout_seconds=PATIENCE_SECONDS,
        )
    }
    assert (
        results["test_add_of_floats"].status == "fail"
        and results["test_scale_by_zero"].status == "your_turn"
    )
    assert (results["test_add_of_floats"].grade_id, results["test_add_of_floats"].promise) == (
        "test_add",
        "add works for floats.",
    )


@pytest.mark.parametrize("part, loops", [(3, 8), (15, 40)])  # of the cells, of the contract tests
@pytest.mark.parametrize("seconds", [60.0, 120.0, 600.0])
def test_many_loops_that_never_end_leave_time_for_the_others(part, loops, seconds):
    left = seconds
    for _ in range(loops):
        left -= part_of(left, part)
    assert left > 0.02 * seconds


def test_a_test_may_take_a_part_of_the_time_that_is_left(course, tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr(runner, "run_limited", lambda words, *_: seen.append(words))
    with contextlib.suppress(AttributeError):  # of the end that is missing
        runner.run_contracts(tmp_path, course.module, ["tests"], timeout_seconds=33.0)
    assert "--tt-within=33.0" in seen[0]


def test_contract_tests_that_cannot_even_start_are_an_error_with_the_reason(course, scratch):
    (scratch / "modules/07_adder/tests/test_adder.py").write_text(
        "def broken(:\n", encoding="utf-8"
    )
    (result,) = runner.run_contracts(
        scratch,
        course.module,
        [scratch / "modules/07_adder/tests"],
        timeout_seconds=PATIENCE_SECONDS,
    )
    assert result.status == "error" and "SyntaxError" in result.message


@pytest.mark.skipif(os.name != "posix", reason="process groups")
def test_a_command_that_overstays_is_killed(tmp_path):
    import sys

    ended = runner.run_limited(
        [sys.executable, "-c", "import time; print('began', flush=True); time.sleep(600)"],
        tmp_path,
        dict(os.environ),
        1.0,
    )
    assert ended.timed_out and ended.tail == "began"

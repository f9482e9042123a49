"""Where there are no processes, as in the browser, tests run in this one and say the same."""

import json

import pytest

from helpers.patience import python
from tito.run.student_tests import run_checks

# In a Python of its own: pytest is not made to run within pytest.
HERE = """
import json, os, sys
import tinytorch.testing
from tito.run import without_processes
from tito.run.student_tests import run_checks
from tito.workspace import find_workspace

without_processes.NEEDED = tinytorch.testing.IN_THE_BROWSER = True
before = sys.modules["tinytorch.testing"], list(sys.path), os.getcwd(), os._exit
module = find_workspace(os.environ["COURSE"]).module("07")
reports = [run_checks(module) for _ in range(2)]  # the second run meets what the first imported
after = sys.modules["tinytorch.testing"], list(sys.path), os.getcwd(), os._exit
rows = [[[row.id, row.status, row.passed, row.tests, row.outcome.message] for row in report.checks]
        for report in reports]
print(json.dumps({"rows": rows, "as_before": before == after}))
"""


def results_here(course) -> dict:
    done = python("-c", HERE, COURSE=str(course.root))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("add", ["a + b", "a - b", "__import__('os')._exit(3)"])
def test_tests_say_the_same_in_this_process_as_in_one_of_their_own(course, add):
    course.solve()
    course.write(add=f"#| export\ndef add(a, b):\n    return {add}")
    found = results_here(course)
    assert found["as_before"]
    first, second = found["rows"]
    assert first == second
    if "_exit" not in add:  # it ends a process of its own, and with it the tests that come after
        alone = run_checks(course.module).checks
        assert [row[:4] for row in first] == [
            [row.id, row.status, row.passed, row.tests] for row in alone
        ]
    assert any(row[1] == "pass" for row in first)


@pytest.mark.parametrize(
    ("body", "needs"),
    [
        ("__import__('matplotlib_is_not_here')", None),
        ("exec('raise ModuleNotFoundError(\"No module named \\'matplotlib\\'\")')", "matplotlib"),
        ("exec('raise RuntimeError(\"can\\'t start new thread\")')", "threads"),
    ],
)
def test_what_the_browser_lacks_is_left_out_and_not_red(course, body, needs):
    course.solve()
    course.write(add=f"#| export\ndef add(a, b):\n    return {body}")
    row = results_here(course)["rows"][0][0]
    assert row[1] == ("not_run" if needs else "fail")
    assert not needs or ("left out here: it needs" in row[4] and needs in row[4])
    assert run_checks(course.module).checks[0].status == "fail"  # outside the browser it is red

"""Rules for the tests themselves: long tests are chosen by a mark, a skip can count as a failure,
the fixture `once` makes each thing only once, and no test sets a time limit for hypothesis.
"""

import re
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]
HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
OPTIONS = ("-p", "no:cacheprovider")
SKIPPING = """
import pytest

def test_is_skipped():
    pytest.skip({why!r})

@pytest.mark.skipif(True, reason={why!r})
def test_is_skipped_by_a_mark():
    pass
"""


@pytest.fixture
def suite(pytester, monkeypatch):
    """A small suite for one test, with the conftest.py of this suite."""
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    monkeypatch.setenv("PYTHONPATH", str(HERE))
    (pytester.path / "conftest.py").write_bytes((HERE / "conftest.py").read_bytes())
    return pytester


NOT_INSTALLED = SKIPPING.format(why="jupyterhub is not installed")


# A mark skips a test during its setup, and importorskip while the file is read; turned into a
# failure there, pytest calls it an error.
@pytest.mark.parametrize(
    "strict, text, outcomes",
    [
        ("0", NOT_INSTALLED, {"skipped": 2}),
        ("1", NOT_INSTALLED, {"failed": 1, "errors": 1}),
        ("1", SKIPPING.format(why="no control group can be made here"), {"skipped": 2}),
        ("1", "import pytest\npytest.importorskip('no_such_package')", {"errors": 1}),
    ],
)
def test_a_skip_for_what_can_be_installed_is_a_failure_when_asked(
    suite, monkeypatch, strict, text, outcomes
):
    monkeypatch.setenv("TITO_NO_SKIPS", strict)
    suite.makepyfile(text)
    suite.runpytest_subprocess(*OPTIONS).assert_outcomes(**outcomes)


ONCE = """
def test_it(once):
    def make(folder):
        with open(folder / "made", "a") as file:
            file.write("x")
        return folder / "made"
    assert once("it", make).read_text() == "x"
"""


def test_what_is_made_once_is_made_by_one_worker(suite):
    suite.makepyfile(test_one=ONCE, test_two=ONCE)
    ended = suite.runpytest_subprocess(*OPTIONS, "-n", "2", "--dist", "loadfile")
    ended.assert_outcomes(passed=2)


def test_the_files_that_begin_first_exist(pytestconfig):
    ours = pytestconfig.pluginmanager.get_plugin(str(HERE / "conftest.py"))
    assert [name for name in ours.LONGEST_FIRST if not (ROOT / name).is_file()] == []


def test_no_test_has_a_hypothesis_profile_of_its_own():
    own = re.compile(r"settings\([^)]*(deadline|suppress_health_check)|\bHealthCheck\b")
    found = [
        path.relative_to(HERE).as_posix()
        for path in HERE.rglob("*.py")
        if path not in (HERE / "conftest.py", Path(__file__))
        and own.search(path.read_text(encoding="utf-8"))
    ]
    assert found == []


def test_no_two_folders_have_a_helper_of_one_name():
    """Their folders are all on the path, so one of the two would be imported in both."""
    inside = {path.parent for path in HERE.rglob("__init__.py")}
    names = [
        path.name
        for path in HERE.rglob("*.py")
        if path.name != "conftest.py" and path.parent not in inside
    ]
    assert [name for name in names if names.count(name) > 1] == []

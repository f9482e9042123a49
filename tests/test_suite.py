"""Rules for the files of the tests themselves."""

import re
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent


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

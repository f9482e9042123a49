"""Move the gradebook to another database, such as PostgreSQL, in mid-term.

All rows are copied into an empty database in one transaction, and compared afterwards; then
nbgrader_config.py names the new one. gradebook.db stays as it is. Close formgrader before.
"""

import argparse
import contextlib
import re
from pathlib import Path

from grading.engine.course.directory import Course
from grading.engine.course.nbgrader_settings import CourseSettings, config_text
from grading.engine.safe_text import tell
from tito.console import counted
from tito.errors import UsageError
from tito.files import backup, write_atomic
from tito.workspace import find_workspace

_LINE = re.compile(r"^c\.CourseDirectory\.db_url *=.*$", re.M)
_SAID = {"student": "student", "submitted_assignment": "submission", "grade": "grade"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("url", metavar="URL", help="the new database: postgresql+psycopg2://user@host/marks")
    add("--course", metavar="DIR", help="the class's course directory")


def run(args: argparse.Namespace) -> int:
    from grading.engine.nbgrader.import_nbgrader import shown_url
    from grading.engine.nbgrader.move_gradebook import copied
    from grading.engine.run.batch import one_run

    workspace = find_workspace()
    course = Course.open(args.course, workspace)
    assignments, config = course.assignments(workspace), course.root / "nbgrader_config.py"
    if course.settings.address(args.url) == course.db_url:
        raise UsageError(
            f"a gradebook is moved to another database; that of {course.root} is there already."
            f" Next: tito grade autograde --course {course.root}"
        )
    text = _config_with(config, args.url)
    kept = []
    with contextlib.ExitStack() as stack:
        for assignment in assignments:
            stack.enter_context(one_run(course, assignment))
        rows = stack.enter_context(copied(course.db_url, course.settings.address(args.url)))
        for path in filter(None, (course.database, config)):
            kept.append(backup(path, course.root / "replaced"))
        write_atomic(config, text)
    where = shown_url(course.settings.address(args.url))
    said = ", ".join(counted(rows[name], noun) for name, noun in _SAID.items())
    tell(
        f"{counted(sum(rows.values()), 'row')} copied to {where}, and compared: all equal ({said})"
    )
    tell(f"{config} names the new database from now on")
    if course.database:
        tell(f"{course.database} is as it was, and nothing reads it any more")
    for path in kept:
        tell(f"kept a copy: {path}")
    tell("If formgrader was open, start it again: until then it writes into the old database")
    tell(
        f"next: tito grade autograde {assignments[0].name if assignments else 'ASSIGNMENT'}"
        f" --course {course.root}, which grades nothing again"
    )
    return 0


def _config_with(config: Path, url: str) -> str:
    """The text of nbgrader_config.py with this address of the gradebook.

    Raises:
        UsageError: a line that names the address does not decide it in this file.
    """
    text, line = config_text(config), f"c.CourseDirectory.db_url = {url!r}"
    appended = f"{text.rstrip()}\n{line}\n"
    for tried in (_LINE.sub(lambda _: line, text), appended):
        with contextlib.suppress(UsageError):
            if CourseSettings.read(config, tried).get("CourseDirectory", "db_url") == url:
                return tried
    raise UsageError(
        f"{config} names the gradebook by c.CourseDirectory.db_url, and a last line that sets it"
        " has no effect there. Nothing was copied. Let its last line be able to set it"
    )

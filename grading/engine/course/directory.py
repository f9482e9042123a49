"""A class's course directory: nbgrader's own layout, outside the repository.

DIR/nbgrader_config.py   generated; formgrader and plain `nbgrader` read it
DIR/gradebook.db         nbgrader's gradebook (SQLite)
DIR/source/A/x.ipynb     the instructor's notebook with answers, and no other file
DIR/release/A/x.ipynb    what students get
DIR/earlier/A/TIME/x.ipynb   an edition of the release that a correction replaced, or that work
                         was graded with
DIR/submitted/S/A/       one notebook and timestamp.txt for student S and assignment A
DIR/autograded/S/A/      the executed notebook
DIR/feedback/S/A/x.html  what student S reads
DIR/sealed/A/            sealed tests of an assignment that is not a module: `Assignment.foreign`
DIR/rubrics/A/Q.json      points and comments that are written once and applied by key
DIR/by_hand/A/S.jsonl     every grade that a person gave, with the answer that it was given for
DIR/reviewed/A.json       whose submissions a person has looked at
DIR/solutions/A.txt       since when feedback pages show the solutions
DIR/draws/A              the seed of the random inputs of A's sealed tests: see `input_seed`
DIR/reports/A/S.json     what ran, what passed and why not
DIR/reports/A/changes.csv     each mark that changed when a submission was graded again
DIR/reports/A/_kits.json      what the reports were graded with: see `run.what_is_graded_again`
DIR/reports/A/_sent.json      the marks that feedback pages and exports show
DIR/reports/A/_collect.json   how the owner of each submission is known; collect.log has each file
DIR/reports/A/_times.json     who says when each submission was handed in, and for which group
DIR/replaced/            dated copies of every file that a later one replaced
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from dataclasses import dataclass
from datetime import datetime, timezone
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import unquote

from grading.engine.course.assignment import Assignment
from grading.engine.course.nbgrader_settings import LAST_LINE, CourseSettings, config_text
from tito.child_processes import ONE_THREAD
from tito.errors import UsageError, WorkError
from tito.files import supersede

if TYPE_CHECKING:
    from tito.workspace import Module, Workspace

# What a course needs to make a path.
HandedIn: TypeAlias = "Assignment | Module"

STUDENT_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}")
ID_RULE = "a student's id is letters, digits and . _ @ -, at most 64"


@dataclass(frozen=True)
class Course:
    """A course directory. `open` finds an existing one, `create` makes one."""

    root: Path

    @classmethod
    def open(cls, directory: str | Path | None, workspace: Workspace) -> Course:
        """The course in `directory`.

        Raises:
            UsageError: no directory was named, it is inside the repository, or it is not a course.
        """
        course = cls.checked(directory, workspace)
        if not (course.root / "nbgrader_config.py").is_file():
            raise UsageError(
                f"a course directory holds nbgrader_config.py; {course.root} has none. "
                f"Make one: tito grade release NN_name --course {course.root}"
            )
        return course

    @classmethod
    def create(cls, directory: str | Path, workspace: Workspace) -> Course:
        """The course in `directory`, which is made if necessary; the instructor's own settings are
        kept.
        """
        course = cls.checked(directory, workspace)
        course.root.mkdir(parents=True, exist_ok=True)
        course.renew_config()
        return course

    def renew_config(self) -> None:
        """Write the generated lines of nbgrader_config.py as this version of tito has them; the
        instructor's below them stay, and a copy of the file from before is in DIR/replaced.
        """
        path = self.root / "nbgrader_config.py"
        own, text = config_text(path), _CONFIG.format(last=LAST_LINE)
        text += own.partition(LAST_LINE)[2].lstrip("\n")
        supersede(path, text, self.root / "replaced")

    @classmethod
    def checked(cls, directory: str | Path | None, workspace: Workspace) -> Course:
        """The course in `directory`, which need not be there yet; UsageError if it cannot be."""
        if not directory:
            raise UsageError(
                "a class's marks live in a course directory outside the repository;"
                " none was named. Add --course DIR."
            )
        root = Path(directory).expanduser().resolve()
        repository = Path(workspace.root).resolve()
        if root == repository or repository in root.parents:
            raise UsageError(
                "a course directory lies outside the repository, or marks would be committed;"
                f" {root} is inside {repository}. Try --course {repository.parent / 'class'}"
            )
        if root.exists() and not root.is_dir():
            raise UsageError(f"--course takes a directory; {root} is a file. Name another place.")
        return cls(root)

    @cached_property
    def db_url(self) -> str:
        """The address of the gradebook."""
        return self.settings.db_url

    @cached_property
    def settings(self) -> CourseSettings:
        """What nbgrader_config.py sets."""
        return CourseSettings.read(self.root / "nbgrader_config.py")

    @property
    def database(self) -> Path | None:
        """The file of the gradebook; None if a database server holds it."""
        kind, _, file = self.db_url.partition(":///")
        return Path(unquote(file.partition("?")[0])) if kind.startswith("sqlite") else None

    def assignments(self, workspace: Workspace) -> list[Assignment]:
        """Every assignment that the course has released, by name."""
        names = {path.parent.name for path in (self.root / "release").glob("*/*.ipynb")}
        return [self.assignment(name, workspace) for name in sorted(names)]

    def assignment(self, text: str | None, workspace: Workspace) -> Assignment:
        """The assignment with this module name or number, or with the name of any assignment that
        this course has released.

        Raises:
            UsageError: no module and no released assignment has this name.
            WorkError: the module has not been released to this course.
        """
        stems_of: dict[str, list[str]] = {}
        for path in sorted((self.root / "release").glob("*/*.ipynb")):
            stems_of.setdefault(path.parent.name, []).append(path.stem)
        released = sorted(stems_of)
        if text is None and len(released) == 1:
            text = released[0]
        if text is None and released:
            raise UsageError(
                f"{self.root} has several assignments; say which one: {', '.join(released)}"
            )
        lost = self.database is not None and not self.database.is_file()
        if text in stems_of and text not in [module.name for module in workspace.modules()]:
            if lost:
                raise WorkError(self._lacks(text))
            for stem in stems_of[text]:
                _need_python(self.root / "release" / text / f"{stem}.ipynb")
            return Assignment.foreign(text, tuple(stems_of[text]), self.root / "sealed" / text)
        try:
            module = workspace.module(text)
        except UsageError as problem:
            raise UsageError(
                f"{problem}; released in {self.root}: {', '.join(released) or 'nothing'}"
            ) from None
        if lost or module.stem not in stems_of.get(module.name, ()):
            raise WorkError(self._lacks(module.name))
        return Assignment.of(module)

    def _lacks(self, name: str) -> str:
        return (
            f"an assignment is released to a course before its work comes in; {name} is not in"
            f" {self.root}. Run: tito grade release {name} --course {self.root}"
        )

    def _file(self, room: str, assignment: HandedIn, stem: str | None) -> Path:
        return self.root / room / assignment.name / f"{stem or assignment.stem}.ipynb"

    def source(self, assignment: HandedIn, stem: str | None = None) -> Path:
        return self._file("source", assignment, stem)

    def released(self, assignment: HandedIn, stem: str | None = None) -> Path:
        return self._file("release", assignment, stem)

    def submitted(self, student: str, assignment: HandedIn) -> Path:
        return self.root / "submitted" / student / assignment.name

    def autograded(self, student: str, assignment: HandedIn, stem: str | None = None) -> Path:
        return self._file(f"autograded/{student}", assignment, stem)

    def feedback(self, student: str, assignment: HandedIn, stem: str | None = None) -> Path:
        return self._file(f"feedback/{student}", assignment, stem).with_suffix(".html")

    def reports(self, assignment: HandedIn) -> Path:
        return self.root / "reports" / assignment.name

    def report(self, student: str, assignment: HandedIn) -> Path:
        return self.reports(assignment) / f"{student}.json"

    def need_student(self, student: str, module: HandedIn) -> None:
        if not (STUDENT_ID.fullmatch(student) and self.submitted(student, module).is_dir()):
            have = self.students(module)
            raise UsageError(
                f"no submission of {module.name} by {student!r}; there are {len(have)}:"
                f" {', '.join(have[:10]) or 'none'}. Take them in: tito grade collect FILES"
                f" --course {self.root}"
            )

    def students(self, assignment: HandedIn) -> list[str]:
        """Students with a submission of this assignment, sorted."""
        return [name for name in self._owners(assignment) if STUDENT_ID.fullmatch(name)]

    def strangers(self, assignment: HandedIn) -> list[str]:
        """Folders in submitted/ that hold this assignment but whose names are not valid student
        ids: they are not graded.
        """
        return [name for name in self._owners(assignment) if not STUDENT_ID.fullmatch(name)]

    def _owners(self, assignment: HandedIn) -> list[str]:
        folders = (self.root / "submitted").glob(f"*/{assignment.name}")
        return sorted(folder.parent.name for folder in folders)

    def book(self) -> contextlib.AbstractContextManager[Any]:
        """The gradebook, to be opened by `with`; see `import_nbgrader.gradebook`."""
        from grading.engine.nbgrader.import_nbgrader import gradebook

        return gradebook(self.db_url)

    def everybody(self) -> list[str]:
        """The students that the gradebook knows."""
        with self.book() as book:
            return [student.id for student in book.students]

    def due(self, assignment: HandedIn) -> datetime | None:
        with self.book() as book:
            due = book.find_assignment(assignment.name).duedate
        return due.replace(tzinfo=timezone.utc) if due else None

    def config(self) -> Any:
        from grading.engine.nbgrader.import_nbgrader import Config

        config = Config()
        config.CourseDirectory.root = str(self.root)
        # nbgrader's default; a database server that checks foreign keys requires one
        config.CourseDirectory.course_id = "default_course"
        config.CourseDirectory.db_url = self.db_url
        return config


def _need_python(released: Path) -> None:
    """Raise UsageError if a released notebook is written for another language."""
    try:
        metadata = json.loads(released.read_text(encoding="utf-8"))["metadata"]
        names = [metadata.get("kernelspec", {}).get("language")]
        names.append(metadata.get("language_info", {}).get("name"))
    except (OSError, ValueError, KeyError, AttributeError):
        return  # not a notebook, which grading says
    language = next((name for name in names if name), "python")
    if str(language).lower() not in ("python", "ipython"):
        raise UsageError(
            f"the engine runs and guards notebooks in Python; {released} is in {language}. Nothing"
            " was graded. Grade this assignment with nbgrader autograde"
        )


def python_environment(**extra: str) -> dict[str, str]:
    """The environment of a child process that runs the engine: one BLAS thread, no windows."""
    return {
        **os.environ,
        **ONE_THREAD,
        "PYTHONHASHSEED": "0",
        "MPLBACKEND": "agg",
        "PYTHONUTF8": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        **extra,
    }


_CONFIG = """\
# Written by `tito grade release`; lines below the last one are kept as you wrote them.
from pathlib import Path

# Stubs, scoring and feedback are the course's own small changes to nbgrader, which runs in the
# Python environment in which tito is installed.
from grading.nbgrader_config import classes, only_the_engine_grades

c = get_config()
c.CourseDirectory.root = str(Path(__file__).resolve().parent)  # a copy of the folder is its own
classes(c)
only_the_engine_grades(c)

{last}
"""

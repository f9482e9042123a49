"""The class that is attacked: a course, servers that listen, honest neighbors, and the state of the
machine before and after.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import secrets
import site
import socket
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from attacks import course as fort
from attacks.catalogue import Entry, Submission, World
from grading.authoring import release
from grading.engine.course.assignment import Assignment
from grading.engine.course.directory import Course
from helpers.tiny_course import cell_of
from tito.workspace import Workspace

EVERY = 16  # number of attacks between two honest neighbors


@dataclass
class Arena:
    """A released course with the submissions of a class."""

    workspace: Workspace
    course: Course
    world: World
    students: dict[str, Entry]  # student -> the attack submitted
    neighbors: list[str]

    @property
    def assignment(self) -> Any:
        return Assignment.of(self.workspace.module("07"))

    def graded(self) -> list[str]:
        return sorted([*self.students, *self.neighbors])

    def report(self, student: str) -> dict[str, Any]:
        return json.loads(self.course.report(student, self.assignment).read_text(encoding="utf-8"))

    def said(self, student: str) -> str:
        """Reasons and flags of a submission, one per line."""
        report = self.report(student)
        flags = [f"{flag.get('grade_id')}: {flag['text']}" for flag in report["flags"]]
        return "\n".join([*report["reasons"], *flags])

    def points(self, student: str, kind: str) -> dict[str, float]:
        rows = self.report(student)["cells"]
        return {row["grade_id"]: row["points"] for row in rows if row["kind"] == kind}


def build(place: Path, entries: list[Entry], ears: Ears, scratch: Path) -> Arena:
    """Release the small course under `place` and add every submission, with honest neighbors
    before, between and after them; the engine's temporary folder is `scratch`.
    """
    workspace = Workspace(fort.make_workspace(place / "repository"))
    module = workspace.module("07")
    release.release(module, workspace)
    course = Course.create(place / "course", workspace)
    release.release_to_course(module, course)
    beside = course.released(module).parent  # an instructor may release other files too
    (beside / "data").mkdir()
    (beside / "data" / "table.csv").write_bytes(b"1,2\n")
    (beside / "numbers.csv").write_bytes(b"3,4\n")
    released = json.loads(module.notebook.read_text(encoding="utf-8"))
    students = {f"s{number:03}-attack": entry for number, entry in enumerate(entries)}
    places = [*range(0, len(entries), EVERY), len(entries)]
    neighbors = [f"s{number:03}-0-neighbor" for number in places]
    world = World(
        workspace=str(workspace.root),
        course=str(course.root),
        packages=site.getsitepackages()[0],
        home=str(Path.home()),
        scratch=str(scratch),
        token=f"tito-attack-{secrets.token_hex(6)}",
        http=ears.http,
        udp=ears.udp,
        unix=ears.name,
        victims=tuple(neighbors),
    )
    arena = Arena(workspace, course, world, students, neighbors)
    for student in neighbors:
        honest = fort.fill(released, fort.ALL)
        cell_of(honest, "answer-q-why")["source"] = fort.NEIGHBOR_CANARY
        Submission(honest).write(course.submitted(student, module), fort.STEM)
    for private in (workspace.root / "grading", module.notebook, course.released(module)):
        # readable only for the instructor, so that a changed mode is noticed
        private.chmod(private.stat().st_mode & 0o700)
    for student, entry in students.items():
        entry.build(released, arena.world).write(course.submitted(student, module), fort.STEM)
    return arena


# Sockets that listen


class Ears:
    """Sockets on this machine that no submission may reach."""

    def __enter__(self) -> Ears:
        self.name = f"tito-attacks-{secrets.token_hex(6)}"
        self._tcp = socket.create_server(("127.0.0.1", 0))
        self._udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._udp.bind(("127.0.0.1", 0))
        self._unix = socket.socket(socket.AF_UNIX)
        self._unix.bind("\0" + self.name if sys.platform == "linux" else f"/tmp/{self.name}")
        self._unix.listen()
        for one in (self._tcp, self._udp, self._unix):
            one.setblocking(False)
        self.http, self.udp = self._tcp.getsockname()[1], self._udp.getsockname()[1]
        return self

    def heard(self) -> list[str]:
        """What arrived since the last look."""
        found = []
        for kind, listener in (("tcp", self._tcp), ("unix", self._unix)):
            with contextlib.suppress(BlockingIOError):
                while True:
                    listener.accept()[0].close()
                    found.append(kind)
        with contextlib.suppress(BlockingIOError):
            while True:
                found.append(f"udp {self._udp.recv(1000)!r}")
        return found

    def __exit__(self, *problem: object) -> None:
        for one in (self._tcp, self._udp, self._unix):
            one.close()


# The machine before and after


def listing(root: Path, names: Iterable[str] | None = None) -> dict[str, tuple]:
    """(kind and permissions, size, time of change) of everything below `root` (or only below the
    entries in `names`), without byte code.
    """
    found = {}
    for start in [root] if names is None else [root / name for name in names]:
        for folder, folders, files in os.walk(start):
            folders[:] = [name for name in folders if name not in ("__pycache__", ".git")]
            for name in [*folders, *files]:
                path = os.path.join(folder, name)
                with contextlib.suppress(FileNotFoundError):
                    facts = os.lstat(path)
                    if facts.st_nlink > 1 and stat.S_ISREG(facts.st_mode):
                        continue  # an attack's hard link to a file that others may write
                    # A folder's time changes when byte code is added or removed in it.
                    folder_itself = stat.S_ISDIR(facts.st_mode)
                    of_file = () if folder_itself else (facts.st_size, facts.st_mtime_ns)
                    found[path] = (facts.st_mode, *of_file)
    return found


def named(token: str, *places: str, depth: int = 3) -> list[str]:
    """Paths below `places` whose names contain the token."""
    found = []
    for place in places:
        base = place.rstrip("/").count("/")
        for folder, folders, files in os.walk(place):
            found += [os.path.join(folder, name) for name in [*folders, *files] if token in name]
            if folder.count("/") - base >= depth:
                folders.clear()
    return found


def adopt_orphans() -> bool:
    """Make this process the parent of all its descendants whose own parent ends (Linux); returns
    False on other systems.
    """
    pr_set_child_subreaper = 36
    linux = sys.platform == "linux"
    return linux and ctypes.CDLL(None).prctl(pr_set_child_subreaper, 1, 0, 0, 0) == 0


def descendants() -> set[tuple[int, str]]:
    import psutil

    found = set()
    for child in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            found.add((child.pid, " ".join(child.cmdline())[:200] or child.status()))
    return found


def mounts() -> list[str]:
    path = Path("/proc/self/mountinfo")
    lines = path.read_text().splitlines() if path.is_file() else []
    return sorted(" ".join(line.split()[3:5]) for line in lines)


# Places where other programs of the user may write at any time, such as a notebook server or a
# browser. Files that an attacker leaves there are found by their names.
BUSY = ("/jupyter/runtime/", "/.config/chromium")


@dataclass
class Machine:
    """The state of the machine that only the engine may change."""

    packages: dict[str, tuple]
    workspace: dict[str, tuple]
    course: dict[str, tuple]
    home: list[str]
    mounts: list[str]
    processes: set[tuple[int, str]]
    scratch: list[str]

    @classmethod
    def now(cls, world: World) -> Machine:
        home = Path(world.home)
        hidden = [".ipython", ".jupyter", ".local/share/jupyter", ".config", ".profile", ".bashrc"]
        course = listing(Path(world.course), ("source", "release", "submitted"))
        there = listing(home, [name for name in hidden if (home / name).is_dir()])
        at_home = sorted(path for path in there if not any(part in path for part in BUSY))
        return cls(
            listing(Path(world.packages)),
            listing(Path(world.workspace)),
            course,
            at_home,
            mounts(),
            descendants(),
            sorted(os.listdir(world.scratch)),
        )


@contextlib.contextmanager
def scratch_directory(path: Path) -> Iterator[Path]:
    """A TMPDIR only for the engine, and a secret in the environment, to detect files left behind
    and a leaked environment.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", str(path))
        patch.setenv("COURSE_SECRET", fort.ENVIRONMENT_CANARY)
        patch.setattr(tempfile, "tempdir", None)
        yield path

"""What a second run grades again: each submission that changed, and all of them if a part of the
kit changed on which marks depend. `Again` states the reason in words.

DIR/reports/A/_kits.json   the parts of each kit that a report names
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grading.engine.safe_text import some
from grading.engine.submitted_notebook.match_editions import what_counts
from tito.files import read_dict, sha256, write_json
from tito.notebook.ipynb_format import load_ipynb
from tito.workspace import TOOLS

if TYPE_CHECKING:
    from grading.engine.course.assignment import Assignment
    from grading.engine.course.directory import Course
    from grading.engine.course.submission_reports import Report
    from grading.engine.intake.submission import Submission
    from grading.engine.run.grading_kit import Kit

FIRST = "not graded before"
# not read during grading: the laws that grade are in the kit's own folder tests/
_UNUSED = re.compile(r"given/modules/([^/]+/tests/|.*\.md$)")
_FOLDERS = {"tests": "the tests", "release": "the release", "given": "the package"}
_WORDS = {"inputs": "new inputs", "settings": "the course's settings"}
_REPOSITORY = Path(__file__).resolve().parents[3]


def parts_of(
    kit: Path, *, of_tito: bool, cells: Any, seed: int, settings: Sequence[str]
) -> tuple[dict[str, str], dict[str, str]]:
    """Two tables of digests, by name: of the parts on which marks depend (if one changes, everybody
    is graded again), and of tito's own code (if it changes, nobody is).

    Args:
        kit: its folder, complete but for kit.json, which is written afterwards.
        of_tito: whether the given tinytorch/ comes with tito.
        cells: the cells with points, and their promises.
        settings: those of the course.
    """
    given = _digests(kit, ("given",))
    ours = {name for name in given if of_tito and name.startswith(f"given/{TOOLS}/")}
    unused = {name for name in given if _UNUSED.match(name)}
    parts = {
        **{name: given[name] for name in given.keys() - ours - unused},
        **_digests(kit, ("tests",)),
        **_of_release(kit),
        "release/cells and promises": sha256(json.dumps(cells)),
        "inputs": sha256(str(seed)),
        "settings": sha256("\0".join(settings)),
    }
    tool = _digests(_REPOSITORY, ("grading/engine", "tito"), "*.py")
    return parts, tool | {name: given[name] for name in ours}


def digest_of(parts: dict[str, str]) -> str:
    """One digest of several."""
    return sha256(json.dumps(parts, sort_keys=True))[:32]


def _digests(root: Path, folders: Sequence[str], pattern: str = "*") -> dict[str, str]:
    """The digest of each file in `folders` of `root`, by its path."""
    paths = (path for folder in folders for path in (root / folder).rglob(pattern))
    files = (path for path in paths if path.is_file())
    return {path.relative_to(root).as_posix(): sha256(path.read_bytes()) for path in files}


def _of_release(kit: Path) -> dict[str, str]:
    """The digest of each released file; of a notebook, without the texts that no mark rests on."""
    digests = _digests(kit, ("release",))
    for name in digests:
        if name.endswith(".ipynb"):
            cells = load_ipynb(kit / name)["cells"]
            digests[name] = sha256(json.dumps([what_counts(cell) for cell in cells]))
    return digests


class Again:
    """Says why the submissions of one assignment are graded with this kit."""

    def __init__(self, course: Course, assignment: Assignment, kit: Kit):
        path = course.reports(assignment) / "_kits.json"
        known = read_dict(path)
        self._kit, self._parts = kit, known
        if known.get(kit.digest) != kit.parts:
            self._parts = {**known, kit.digest: kit.parts}
            write_json(path, self._parts)

    def why(self, before: Report | None, submission: Submission, *, graded: bool) -> str:
        """What has changed since the report `before`. Without a report, the reason depends on
        `graded`: whether the gradebook has points for it all the same.
        """
        if before is None:
            return "a grading without a report" if graded else FIRST
        words = ["the submission"] if before.handed_in != submission.digest("") else []
        parts = self._parts.get(before.kit)
        if parts is None:
            words.append("an unknown earlier kit")
        elif before.kit != self._kit.digest:
            words += _named(parts, self._kit.parts)
        if before.tool != self._kit.tool:
            words.append("another version of tito")
        return ", ".join(words) or "nothing but --force"


def _named(before: dict[str, str], now: dict[str, str]) -> list[str]:
    """What differs between two kits, by their `parts`, in words."""
    differing = [name for name in {**before, **now} if before.get(name) != now.get(name)]
    files: dict[str, list[str]] = {}
    for name in differing:
        folder, _, file = name.partition("/")
        files.setdefault(folder, []).append(file.rpartition("/")[2])
    words = [_WORDS[folder] for folder in files if folder in _WORDS]
    for folder, what in _FOLDERS.items():
        names = sorted(set(files.get(folder, ())))
        words += [f"{what} ({some(names, 3)})"] if names else []
    return words

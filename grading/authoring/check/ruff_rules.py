"""What ruff finds in a module: lines that are too long for a student's screen, in the source and in
the laws, and names that no line of a law defines. `make lint` asks for more.
"""

import importlib.util
import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from grading.authoring.check.checked_module import Findings, Subject

COLUMNS = 88  # of a line that a student reads
_CELLS = ("lint.task-tags=['%%']", "lint.pycodestyle.ignore-overlong-task-comments=true")


def long_lines(subject: Subject) -> Findings:
    files = [subject.path, *sorted(subject.module.tests.glob("*.py"))]
    for path, line, _ in _found("E501", files):
        text = f"what a student reads has at most {COLUMNS} columns; this line has more"
        yield subject.at(path, line), text, "break the line"


def undefined_in_laws(subject: Subject) -> Findings:
    files = dict.fromkeys(test.path for test in subject.tests)
    for path, line, message in _found("F821", files):
        yield subject.at(path, line), f"{path.name}: {message}", "define or import it"


def _found(rule: str, files: Iterable[Path]) -> list[tuple[Path, int, str]]:
    """(file, line, message) for each line that breaks a rule; none where ruff is not installed."""
    paths = [str(path) for path in files]
    if not paths or importlib.util.find_spec("ruff") is None:
        return []
    options = ["--isolated", "--no-cache", "--select", rule, "--line-length", str(COLUMNS)]
    options += [part for setting in _CELLS for part in ("--config", setting)]
    command = [sys.executable, "-m", "ruff", "check", "--output-format", "json", *options, *paths]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    rows = json.loads(done.stdout or "[]")
    lints = ((Path(row["filename"]), row["location"]["row"], row["message"]) for row in rows)
    return [(path, line, message) for path, line, message in lints]

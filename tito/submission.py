"""What a student hands in: one zip file with the notebook (the .ipynb) and a manifest."""

from __future__ import annotations

import io
import json
import re
import time
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tito.errors import UsageError, WorkError
from tito.files import sha256, write_atomic
from tito.notebook.cells import cells_of, stubs, syntax_errors, text_hash
from tito.notebook.exercises import answers
from tito.notebook.pair import read_work
from tito.progress import Progress, progress
from tito.state import remember
from tito.workspace import Module


@dataclass(frozen=True)
class Submission:
    """A notebook that is ready to be packed, and what was found out about it."""

    module: Module
    notebook: bytes
    manifest: dict[str, Any]
    cells: int
    stubs: list[str]
    broken: list[str]  # cells that do not parse
    answers: int  # hand-graded questions
    empty_answers: list[str]  # the questions whose answer is empty or unchanged
    standing: Progress

    @property
    def tested(self) -> bool:
        """Whether the results of the tests belong to this code."""
        return bool(self.standing.tests) and not self.standing.changed_since_test


def prepare(
    module: Module, *, student: str | None = None, force: bool = False, test: bool = True
) -> Submission:
    """Look at the notebook as a grader will.

    Raises:
        WorkError: there is no readable .ipynb, the .py holds newer work, or a cell does not parse
            and `force` is false.
        UsageError: the student id cannot be part of a file name.
    """
    if student is not None and not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}", student):
        raise UsageError(
            f"a student id has up to 64 letters, digits, dots and dashes; got {student!r}. Ask your"
            " instructor for yours"
        )
    work = read_work(module)
    if work.source != module.notebook:
        raise WorkError(
            f"the .ipynb is what is sent, and {module.notebook.name} is behind {work.source.name}."
            f" First: tito sync {module.number}"
        )
    raw = module.notebook.read_bytes()
    broken = [
        f"{cell.label}, line {line}: {message}" for cell, line, message in syntax_errors(work.cells)
    ]
    if broken and not force:
        raise WorkError(
            f"a grader cannot run {module.notebook.name}; Python cannot read:",
            *(f"  {row}" for row in broken),
            f"Mend it and test: tito test {module.number}. To hand it in as it is: tito submit"
            f" {module.number} --force",
        )
    standing = progress(module, work=work)
    if test and not broken and (standing.changed_since_test or not standing.tests):
        from tito.run.student_tests import run_checks

        standing = run_checks(module).standing or standing
    found = answers(work.cells)
    from tito.cli import version

    manifest = {
        "schema": 1,
        "module": module.name,
        "notebook": module.notebook.name,
        "sha256": sha256(raw),
        "code": work.code,
        "tito": version(),
        "time": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        **({"student": student} if student else {}),
    }
    return Submission(
        module,
        raw,
        manifest,
        len(work.cells),
        [f"{s.exercise}, cell {s.index}" for s in stubs(work.cells)],
        broken,
        len(found),
        [
            f"{answer.cell.id.removeprefix('answer-')}, cell {answer.cell.index}"
            for answer in found
            if answer.empty
        ],
        standing,
    )


def write(ready: Submission, folder: Path) -> Path:
    """Write <module>[-<student>].zip in `folder`, whole or not at all, and return its path."""
    name = "-".join(filter(None, [ready.module.name, ready.manifest.get("student")]))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("manifest.json", json.dumps(ready.manifest, indent=1) + "\n")
        archive.writestr(ready.module.notebook.name, ready.notebook)
    path = folder / f"{name}.zip"
    write_atomic(path, buffer.getvalue())
    packed = text_hash(cells_of(json.loads(ready.notebook)))
    remember(ready.module.state_dir, ready.module.name, packed=packed)
    return path

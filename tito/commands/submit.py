"""Pack your notebook for handing in: one zip, and a look at what a grader will see.

Stubs and failing tests are reported and do not stop you. A notebook that does not parse is refused
unless --force is given.
"""

import argparse
import io
import json
import re
import time
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tito import console, version
from tito.commands import _arguments
from tito.console import counted
from tito.errors import UsageError, WorkError
from tito.files import sha256, write_atomic
from tito.notebook.cells import cells_of, text_hash
from tito.notebook.damage import damages
from tito.notebook.exercises import answers
from tito.notebook.pair import read_work
from tito.notebook.stubs import stubs
from tito.notebook.syntax_errors import syntax_errors
from tito.remembered_state import remember
from tito.student_work.progress import Progress
from tito.student_work.read_progress import progress
from tito.workspace import Module, find_workspace


def add_arguments(parser: argparse.ArgumentParser) -> None:
    _arguments.take_module(parser)
    parser.add_argument(
        "--student",
        metavar="ID",
        help="your id in the class, written in the manifest and in the name of the zip",
    )
    parser.add_argument(
        "--output", metavar="DIR", default=".", help="where the zip goes (default: here)"
    )
    parser.add_argument(
        "--force", action="store_true", help="hand in a notebook that does not parse"
    )
    parser.add_argument(
        "--no-test",
        action="store_true",
        help="do not run the tests first; show the last results if they belong to this code",
    )
    _arguments.take_json(parser)


def run(args: argparse.Namespace) -> int:
    workspace = find_workspace()
    module = workspace.module(args.module)
    folder = Path(args.output)
    if not folder.is_dir():
        remedy = f"Make it first: mkdir -p {args.output}"
        remedy = "Name another place" if folder.exists() else remedy
        raise UsageError(
            f"--output must name an existing folder; {args.output!r} is not one. {remedy}"
        )
    ready = _prepare(module, student=args.student, force=args.force, test=not args.no_test)
    path = _write(ready, folder)
    row = progress(module)
    if args.json:
        document = {
            "ok": True,
            "module": module.name,
            "path": str(path),
            "manifest": ready.manifest,
            "stubs": ready.stubs,
            "syntax_errors": ready.broken,
            "answers_empty": ready.empty_answers,
            "passed": ready.standing.passed if ready.tested else None,
            "tests": ready.standing.tests if ready.tested else None,
            "next": row.next,
        }
        console.emit("submit", document)
        return 0
    console.say(f"{module.name}: what a grader will see")
    console.say(
        f"  notebook  {module.notebook.name}, {counted(ready.cells, 'cell')}, sha256"
        f" {ready.manifest['sha256'][:16]}..."
    )
    tests = f"not run on this code; to see them: tito test {module.number}"
    if ready.tested:
        passed = f"{ready.standing.passed} of {ready.standing.tests}"
        tests = f"{passed} that you can run pass; the grader has more, and they give the points"
    console.say(f"  tests     {tests}")
    _list("warn", "does not parse", ready.broken)
    _list("your_turn", "still your turn", ready.stubs)
    _list("your_turn", "answer is empty", ready.empty_answers)
    if ready.answers:
        written = ready.answers - len(ready.empty_answers)
        console.say(f"  answers   {written} of {ready.answers} written")
    console.say(f"\nwrote {path}  ({path.stat().st_size:,} bytes). This is the file to hand in.")
    if not args.student:
        console.say(
            "It names no student. A class that is graded with tito needs your id in it:"
            f" tito submit {module.number} --student ID"
        )
    console.say(f"{row.module}: {row.words}\n{row.advice}")
    return 0


def _list(mark: str, title: str, names: list[str]) -> None:
    for name in names[:10]:
        console.say(f"  {console.mark(mark)} {title}: {name}")
    if len(names) > 10:
        console.say(f"    and {len(names) - 10} more")


# What is handed in: one zip file with the notebook (the .ipynb) and a manifest


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


def _prepare(
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
            *map(str, damages(module, work.cells)),
            f"Repair it and test: tito test {module.number}. To hand it in as it is: tito submit"
            f" {module.number} --force",
        )
    standing = progress(module, work=work)
    if test and not broken and (standing.changed_since_test or not standing.tests):
        from tito.run.student_tests import run_checks

        standing = run_checks(module).standing or standing
    questions = answers(work.cells)
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
    empty = [answer.cell for answer in questions if answer.empty]
    return Submission(
        module,
        raw,
        manifest,
        len(work.cells),
        [f"{stub.exercise}, cell {stub.index}" for stub in stubs(work.cells)],
        broken,
        len(questions),
        [f"{cell.id.removeprefix('answer-')}, cell {cell.index}" for cell in empty],
        standing,
    )


def _write(ready: Submission, folder: Path) -> Path:
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

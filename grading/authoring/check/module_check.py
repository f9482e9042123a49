"""`tito dev check`: the course proves itself, in eight points. Every failure carries the place to
edit, and the command or the line that repairs it.

What can be seen without running anything is checked first, and a fault there ends the check. Then
the reference runs; only if it keeps every promise does what is compared with it.
"""

import re
import time
from collections.abc import Callable
from pathlib import Path

from grading.authoring import bundle, leaks, release
from grading.authoring.check.check_report import POINTS, Proof
from grading.authoring.check.checked_module import Subject, all_tests
from grading.authoring.check.checks_that_run import prove
from grading.authoring.check.exercise_rules import exercise_table
from grading.authoring.check.module_rules import check_structure, earning, total_points
from grading.authoring.variants.check_jobs import Fault
from grading.engine.course import references
from grading.engine.sandbox import temporary_folders
from tito.console import counted
from tito.errors import WorkError
from tito.notebook import hours
from tito.notebook.cells import parse_percent, read
from tito.workspace import Module, Workspace

MANY_LINES = 5  # of answers in one file: it is a copy of something secret
OF_EXERCISES = {1, 2, 3, 4, 8}  # the points that can be checked for one exercise alone


def check_module(
    subject: Subject,
    only: set[int] | None = None,
    progress: Callable[[str, int, int], None] = lambda part, done, total: None,
    tell: Callable[[Proof, int], None] = lambda proof, point: None,
) -> Proof:
    """Check the points in `only` (default: all eight).

    Args:
        tell: called with each point when all of its faults are known.

    Raises:
        WorkError: a proof could not be started at all.
    """
    start = time.perf_counter()
    proof = Proof(subject.module.name)
    only = set(only or POINTS) & (set(POINTS) if subject.whole else OF_EXERCISES)
    faults = check_structure(subject) or _drift(subject)
    if not faults and 5 in only | (set() if subject.whole else {5}):
        faults = _leaks(subject, proof)
        if not faults and 5 in only:
            tell(proof, 5)
    if faults:
        proof.faults = faults
        for point in dict.fromkeys(fault.point for fault in faults):
            tell(proof, point)
        proof.stopped = "nothing was run: this comes first"
    else:
        if 6 in only:
            points = counted(total_points(subject.cells), "point")
            proof.note(6, f"{counted(len(subject.asked), 'exercise')}, {points}")
            proof.note(6, hours.summary(hours.minutes(subject.cells)))
            tests = (earning(subject, laws=laws) for laws in (True, False))
            proof.exercises = exercise_table(subject.cells, *tests)
        with temporary_folders.folder("check") as folder:
            prove(subject, only, proof, folder, progress, tell)
    proof.seconds = time.perf_counter() - start
    return proof


def secrets_of_all(workspace: Workspace) -> dict[str, str]:
    return {
        line: origin
        for module in workspace.modules()
        for line, origin in secret_lines(module).items()
    }


def secret_lines(module: Module) -> dict[str, str]:
    """What must not be where students read: the module's solutions, hidden tests, mark schemes
    and right solutions. Empty without a source.
    """
    if not references.source_path(module).is_file():
        return {}
    folder = references.secrets_of(module)
    secret = sorted(folder.glob("tests/*.py")) + sorted(folder.glob("right/*.py"))
    # what a public test says is told; a law is written later than the answer, and must not say it
    laws = {test.path for test in all_tests(module) if test.is_law}
    public = [
        file.read_text(encoding="utf-8")
        for file in sorted(module.tests.glob("*.py"))
        if file not in laws
    ]
    # lines that the given package needs as well, each one looked at
    reviewed = also_public(module)
    public += [reviewed.read_text(encoding="utf-8")] if reviewed.is_file() else []
    # what CONTRIBUTING shows to every author, and the site shows with it, is no secret
    guide = module.root / "CONTRIBUTING.md"
    if guide.is_file():
        public += re.findall(r"^```python\n.*?^```", guide.read_text(encoding="utf-8"), re.M | re.S)
    return leaks.secrets(
        references.read_source(module),
        [(file.name, file.read_text(encoding="utf-8")) for file in secret],
        public,
    )


def also_public(module: Module) -> Path:
    """Lists lines of answers that may be public: one line of code per line."""
    return references.secrets_of(module) / "also_public.txt"


def _leaks(subject: Subject, proof: Proof) -> list[Fault]:
    """Point 5."""
    module, root = subject.module, subject.module.root
    wanted = secret_lines(module)
    proof.note(5, f"{len(wanted)} secret lines")
    in_source = [
        Fault(
            5,
            subject.at(cell, line),
            f"students read this line, which holds a line of {leak.origin}: {leak.line}",
            "say the idea in words, or write the line between the markers",
        )
        for cell, line, leak in leaks.in_source(subject.cells, wanted)
    ]
    if in_source or not subject.whole:
        return in_source
    leaked = leaks.markers(module.folder, root) + leaks.scan_folder(root / "modules", wanted, root)
    if module.notebook.is_file():
        workspace = Workspace(root)
        packed = bundle.leaks(bundle.build(workspace, bundle.released(workspace)), wanted)
        known = {leak.place for leak in leaked}
        leaked += [leak for leak in packed if leak.place.partition("!")[2] not in known]
    repair = (
        f"if it came by release: repair the text in {subject.at(subject.path)}, then: tito grade"
        f" release {module.name}; else take the line out, or if the given package needs it too,"
        f" copy it as quoted here, on a line of its own, into {also_public(module)}"
    )
    by_file: dict[str, list[leaks.Leak]] = {}
    for leak in leaked:
        by_file.setdefault(leak.place, []).append(leak)
    return [
        fault for file, held in by_file.items() for fault in _of_a_file(root, file, held, repair)
    ]


def _of_a_file(root: Path, file: str, held: list[leaks.Leak], repair: str) -> list[Fault]:
    """A fault for each line; of a file full of answers, one for the file."""
    if len(held) > MANY_LINES:
        text = f"students get this file, and it holds {len(held)} lines of answers"
        return [Fault(5, f"{file}:1", text, f"move it to grading/modules/, or delete it: {file}")]
    return [
        Fault(5, _place(root, leak), f"holds a line of {leak.origin}: {leak.line}", repair)
        for leak in held
    ]


def _place(root: Path, leak: leaks.Leak) -> str:
    """The file with the line that holds a secret; 1 where it spans several lines."""
    path = root / leak.place
    text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    lines = (n for n, line in enumerate(text.splitlines(), 1) if leak.line in line)
    return f"{leak.place}:{next(lines, 1)}"


def _drift(subject: Subject) -> list[Fault]:
    """Point 7, the derived files: however many of them are behind, the cause is one."""
    name, root = subject.module.name, subject.module.root
    try:
        behind = release.drift(subject.module, subject.edition)
    except WorkError as problem:  # nbgrader refuses the source, and says why
        cell = re.search(r"\bcell (\d+)", str(problem))
        where = subject.at(subject.cells[int(cell[1]) - 1] if cell else subject.path)
        return [Fault(7, where, str(problem), "repair that cell")]
    if not behind:
        return []
    notebook, starter = subject.module.notebook, subject.module.starter
    if notebook in behind and starter.is_file() and starter not in behind:
        text = "the student notebook was edited by hand, and it is made from the source"
        repair = f"write the change into {subject.at(subject.path)}, or take it back: tito grade"
        place = f"{notebook.relative_to(root).as_posix()}:1"
        return [Fault(7, place, text, f"{repair} release {name} --force")]
    files = ", ".join(path.relative_to(root).as_posix() for path in behind)
    text = (
        f"the source has changed since its release: {files} {'is' if len(behind) == 1 else 'are'}"
    )
    repair = f"tito grade release {name}, or at the next check: tito dev check {name} --release"
    place = subject.at(subject.path, _changed(subject))
    return [Fault(7, place, f"{text} not what it gives", repair)]


def _changed(subject: Subject) -> int:
    """The first line of the source that students get, and that the release has not; else 1."""
    notebook = subject.module.notebook
    cells = [*parse_percent(subject.edition.script)], read(notebook) if notebook.is_file() else []
    new, old = ({line for cell in some for line in cell.source.split("\n")} for some in cells)
    lines = enumerate(subject.path.read_text(encoding="utf-8").splitlines(), start=1)
    return next((number for number, line in lines if line in new - old), 1)

"""`tito dev check`: the course proves itself, in eight points. Every failure carries the command
or the line that repairs it.
"""

import re
import time
from collections.abc import Callable
from pathlib import Path

from grading.authoring import bundle, leaks, release
from grading.authoring.check.exercise_rules import exercise_table
from grading.authoring.check.plans import prove
from grading.authoring.check.report import POINTS, Proof
from grading.authoring.check.structure import (
    all_tests,
    check_structure,
    sealed_tests,
    tests_by_exercise,
    total_points,
)
from grading.authoring.check.wanted import Subject
from grading.authoring.variants.proof import Fault
from grading.engine.course import references
from grading.engine.sandbox import owned
from tito.console import counted
from tito.errors import WorkError
from tito.notebook import hours
from tito.notebook.cells import syntax_errors
from tito.workspace import Module, Workspace

STRIPPED = {2, 7}  # the points that read the student edition


def check_module(
    module: Module,
    only: set[int] | None = None,
    progress: Callable[[str, int, int], None] = lambda part, done, total: None,
    extra_artifacts: tuple[Path, ...] = (),
) -> Proof:
    """Check the points in `only` (default: all eight).

    Raises:
        WorkError: the source cannot be read, or a proof could not be started at all.
    """
    start = time.perf_counter()
    subject, proof = Subject(module), Proof(module.name)
    only = set(only or POINTS)
    # Nothing of a source that is no Python can be proved: one line would be a fault of all points.
    for cell, line, message in syntax_errors(subject.cells):
        text = f"{cell.label}, line {line} of the cell: {message}"
        proof.faults.append(
            Fault(6, text, f"repair it in {subject.path}; nothing else was checked")
        )
    if proof.faults:
        return proof
    if only & STRIPPED and (fault := _not_stripped(subject)):
        proof.faults.append(fault)
        only = only - STRIPPED | {6}
    with owned.folder("check") as folder:
        prove(subject, only, proof, folder, progress)
    if 5 in only:
        proof.faults += _leaks(subject, proof, extra_artifacts)
    if 6 in only:
        proof.faults += check_structure(module, subject.cells)
        proof.exercises = exercise_table(
            subject.cells, *(sealed_tests(module, laws=laws) for laws in (True, False))
        )
        points = total_points(subject.cells)
        proof.note(
            6, f"{counted(len(tests_by_exercise(subject.cells)), 'exercise')}, {points:g} points"
        )
        proof.note(6, hours.summary(hours.minutes(subject.cells)))
    if 7 in only:
        proof.faults += _drift(subject)
    proof.faults.sort(key=lambda fault: fault.point)
    proof.seconds = time.perf_counter() - start
    return proof


def _not_stripped(subject: Subject) -> Fault | None:
    """The fault of a source that has no student edition, whatever the reason."""
    try:
        subject.edition  # noqa: B018 - made here, read by the points
    except WorkError as problem:
        return Fault(
            7,
            str(problem),
            "repair that cell, or what point 6 names; points 2 and 7 were not checked",
        )
    return None


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


def _leaks(subject: Subject, proof: Proof, artifacts: tuple[Path, ...]) -> list[Fault]:
    """Point 5."""
    module, root = subject.module, subject.module.root
    wanted = secret_lines(module)
    proof.note(5, f"{len(wanted)} secret lines")
    found = leaks.markers(module.folder, root) + leaks.scan_folder(root / "modules", wanted, root)
    if module.notebook.is_file():
        workspace = Workspace(root)
        packed = bundle.leaks(bundle.build(workspace, bundle.released(workspace)), wanted)
        known = {leak.place for leak in found}
        found += [leak for leak in packed if leak.place.partition("!")[2] not in known]
    found += [
        leak
        for path in artifacts
        for leak in leaks.scan_bytes(str(path), path.read_bytes(), wanted)
    ]
    repair = (
        f"if it came by release: repair the markers or the text in {subject.path}, then: tito grade"
        f" release {module.name}; else take the line out, or if the given package needs it too,"
        f" copy it as quoted here, on a line of its own, into {also_public(module)}"
    )
    return [
        Fault(5, f"{leak.place} holds a line of {leak.origin}: {leak.line}", repair)
        for leak in found
    ]


def _drift(subject: Subject) -> list[Fault]:
    """Point 7, the derived files."""
    name, root = subject.module.name, subject.module.root
    return [
        Fault(
            7,
            f"{path.relative_to(root)} is not what its source gives",
            f"tito grade release {name}, or at the next check: tito dev check {name} --release",
        )
        for path in release.drift(subject.module, subject.edition)
    ]

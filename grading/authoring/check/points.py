"""`tito dev check`: the course proves itself, in seven points. Every failure carries the command
or the line that repairs it.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from grading.authoring import bundle, leaks, release
from grading.authoring.check import about
from grading.authoring.check.proof import (
    CPU_LIMIT_SECONDS,
    Attempt,
    Fault,
    ProofJobs,
    attempt,
    caught,
    full_marks,
    is_carrier,
    stubs_earn_nothing,
)
from grading.authoring.check.splice import splice
from grading.authoring.check.structure import (
    check_structure,
    contract_folders,
    contract_tests,
    exercises,
)
from grading.engine.course import references
from grading.engine.course.variants import read_alternatives, read_misconceptions
from tito.errors import WorkError
from tito.notebook import hours
from tito.notebook.cells import Cell, parse_percent, read_percent
from tito.workspace import Module, Workspace

POINTS = {
    1: "every reference earns full marks, in the notebook and in both forms of the contract tests",
    2: 'the student edition fails every exercise with "your turn" and earns 0',
    3: (
        "every misconception is caught by the test it names,"
        " and the student reads the sentence it names"
    ),
    4: "every alternative solution earns full marks",
    5: "no answer, hidden test or mark scheme is in modules/ or in the bundle",
    6: "ids, points, minutes, TODOs, hints, tests, questions and contract marks agree",
    7: "derived files have not drifted, `needs` are real, ABOUT.md runs",
}
# What a module wants, unless its module.toml says `misconceptions = N` or `alternatives = N`.
MISCONCEPTIONS_PER_EXERCISE = 2
ALTERNATIVES = 3
_CPU_RUNS = 3  # the least of three: other processes can only add


@dataclass
class Proof:
    """What was found, and what was counted on the way."""

    module: str
    faults: list[Fault] = field(default_factory=list)
    facts: dict[int, str] = field(default_factory=dict)  # point -> "63 misconceptions"
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        return not self.faults

    def as_json(self) -> dict[str, Any]:
        return {
            "ok": self.ok,
            "module": self.module,
            "faults": [asdict(fault) for fault in self.faults],
            "seconds": round(self.seconds, 2),
            "points": {
                str(point): {"text": POINTS[point], "facts": fact}
                for point, fact in self.facts.items()
            },
        }


def check_module(
    module: Module,
    only: set[int] | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
    extra_artifacts: tuple[Path, ...] = (),
) -> Proof:
    """Check the points in `only` (default: all seven).

    Raises:
        WorkError: the source cannot be read, or a proof could not be started at all.
    """
    start = time.perf_counter()
    check = _Check(module, set(only or POINTS))
    with tempfile.TemporaryDirectory(prefix="tito-check-", ignore_cleanup_errors=True) as folder:
        check.prove(Path(folder).resolve(), progress)
    if 5 in check.only:
        check.leaks(extra_artifacts)
    if 6 in check.only:
        check.proof.faults += check_structure(module, check.cells)
        points = sum(float(cell.nbgrader.get("points", 0) or 0) for cell in check.cells)
        check.note(6, f"{len(exercises(check.cells))} exercises, {points:g} points")
        check.note(6, hours.summary(hours.minutes(check.cells)))
    if 7 in check.only:
        check.drift()
    check.proof.faults.sort(key=lambda fault: fault.point)
    check.proof.seconds = time.perf_counter() - start
    return check.proof


def secret_lines(module: Module) -> dict[str, str]:
    """What must not be where students read: the module's solutions, hidden tests, mark schemes
    and alternatives. Empty without a source.
    """
    path = references.source_path(module)
    if not path.is_file():
        return {}
    grading = module.root / "grading"
    secret = sorted((grading / "tests" / module.name).glob("*.py")) + sorted(
        (grading / "alternatives" / module.name).glob("*.py")
    )
    public = [file.read_text(encoding="utf-8") for file in sorted(module.tests.glob("*.py"))]
    # lines that the given package needs as well, each one looked at
    reviewed = path.with_name("also_public.txt")
    public += [reviewed.read_text(encoding="utf-8")] if reviewed.is_file() else []
    return leaks.secrets(
        read_percent(path),
        [(file.name, file.read_text(encoding="utf-8")) for file in secret],
        public,
    )


def wanted_solutions(module: Module, cells: list[Cell]) -> dict[str, tuple[int, str]]:
    """How many misconceptions and alternatives a module wants, and the rule that says so."""
    asked = len(exercises(cells))
    default = {
        "misconceptions": (
            MISCONCEPTIONS_PER_EXERCISE * asked,
            f"{MISCONCEPTIONS_PER_EXERCISE} for each exercise",
        ),
        "alternatives": (ALTERNATIVES, f"{ALTERNATIVES} for each module"),
    }
    stated = {
        kind: (module.meta[kind], "as module.toml says") for kind in default if kind in module.meta
    }
    return default | stated


class _Check:
    def __init__(self, module: Module, only: set[int]):
        path = references.source_path(module)
        if not path.is_file():
            raise WorkError(
                f"a module is checked from its source; {path} does not exist. Start one:"
                f" tito dev new {module.name}"
            )
        self.module, self.only, self.path = module, only, path
        self.proof = Proof(module.name)
        self.cells = read_percent(path)
        self._edition: release.Edition | None = None
        grading = module.root / "grading"
        self.misconceptions, self.header_faults = read_misconceptions(
            grading / "misconceptions" / module.name
        )
        self.alternatives = read_alternatives(grading / "alternatives" / module.name)

    def note(self, point: int, fact: str) -> None:
        self.proof.facts[point] = ", ".join(filter(None, [self.proof.facts.get(point), fact]))

    @property
    def edition(self) -> release.Edition:
        self._edition = self._edition or release.build_edition(self.module)
        return self._edition

    def prove(self, folder: Path, progress: Callable[[int, int], None]) -> None:
        """Points 1 to 4, the CPU time of point 6 and the page of point 7: everything that runs
        code, in one go.
        """
        proofs = ProofJobs(self.module, folder, self.cells)
        readers = [
            plan(proofs)
            for point, plan in (
                (1, self._reference),
                (2, self._stubs),
                (3, self._misconceptions),
                (4, self._alternatives),
                (6, self._cost),
                (7, self._page),
            )
            if point in self.only
        ]
        if proofs.jobs:
            proofs.run(progress)
        for read in readers:
            self.proof.faults += read()

    def _everywhere(self, proofs: ProofJobs, cells: list[Cell]) -> dict[str, int]:
        folders = contract_folders(self.module)
        jobs = {"notebook": proofs.cells(cells)}
        return jobs | (
            {form: proofs.contracts(cells, folders, form) for form in ("module", "wire")}
            if folders
            else {}
        )

    def _reference(self, proofs: ProofJobs) -> Callable[[], list[Fault]]:
        jobs = self._everywhere(proofs, self.cells)

        def read() -> list[Fault]:
            tests = sum(
                len(proofs.answers[number].outcomes)
                for form, number in jobs.items()
                if form != "notebook"
            )
            self.note(
                1,
                f"{sum(cell.is_test and not is_carrier(cell) for cell in self.cells)} test cells,"
                f" {tests} contract tests",
            )
            return full_marks(
                proofs,
                1,
                "reference",
                self.cells,
                jobs,
                f"mend {self.path}, then: tito dev check {self.module.name} --only 1",
            )

        return read

    def _stubs(self, proofs: ProofJobs) -> Callable[[], list[Fault]]:
        cells = parse_percent(self.edition.script, name=self.module.script.name)
        jobs = {"notebook": proofs.cells(cells)}
        if folders := contract_folders(self.module):
            jobs["module"] = proofs.contracts(cells, folders)

        def read() -> list[Fault]:
            found = [one for job in jobs.values() for one in proofs.answers[job].outcomes]
            turns = sum(one.status == "your_turn" for one in found)
            self.note(2, f'{turns} times "your turn"')
            return stubs_earn_nothing(proofs, cells, jobs, self.path.name)

        return read

    def _misconceptions(self, proofs: ProofJobs) -> Callable[[], list[Fault]]:
        tests = contract_tests(self.module)
        found = [
            attempt(proofs, self.cells, variant, {name: path for name, (path, _) in tests.items()})
            for variant in self.misconceptions
        ]
        faults = [Fault(3, text, "add the header lines") for text in self.header_faults] + [
            one for one in found if isinstance(one, Fault)
        ]
        faults += self._uncovered() + self._count(3, "misconceptions", "*/*.py")

        def read() -> list[Fault]:
            return faults + [
                fault for one in found if isinstance(one, Attempt) for fault in caught(proofs, one)
            ]

        return read

    def _count(self, point: int, kind: str, pattern: str) -> list[Fault]:
        """Note how many there are and how many are wanted; the fault if there are too few."""
        wanted, rule = wanted_solutions(self.module, self.cells)[kind]
        home = self.module.root / "grading" / kind / self.module.name
        there = len(list(home.glob(pattern)))
        self.note(point, f"{there} {kind}; wanted {wanted}, {rule}")
        if there >= wanted:
            return []
        name = pattern.replace("*/", "EXERCISE/").replace("*", "NAME")
        toml = self.module.folder / "module.toml"
        return [
            Fault(
                point,
                f"{kind}: wanted {wanted}, {rule}; there {'is' if there == 1 else 'are'} {there}",
                f"write {wanted - there} more: {home / name}; or in {toml}: {kind} = {there}",
            )
        ]

    def _uncovered(self) -> list[Fault]:
        """Exercises that no misconception belongs to, and folders that belong to no exercise."""
        asked, solutions = (
            exercises(self.cells),
            {cell.grade_id for cell in self.cells if cell.is_solution},
        )
        home = self.module.root / "grading" / "misconceptions" / self.module.name
        bitten = {variant.exercise for variant in self.misconceptions} | {
            name
            for name, tests in asked.items()
            for variant in self.misconceptions
            if variant.caught_by in {test.grade_id for test in tests}
        }
        faults = [
            Fault(3, f"exercise {name} has no misconception", f"write one: {home / name}/NAME.py")
            for name in asked
            if name not in bitten
        ]
        return faults + [
            Fault(
                3,
                f"{home / folder} belongs to no exercise",
                f"rename it to one of: {', '.join(asked)}",
            )
            for folder in sorted(
                {variant.exercise for variant in self.misconceptions} - set(asked) - solutions
            )
        ]

    def _alternatives(self, proofs: ProofJobs) -> Callable[[], list[Fault]]:
        spliced, faults = [], []
        for variant in self.alternatives:
            try:
                cells = splice(self.cells, variant)
                spliced.append((variant, cells, self._everywhere(proofs, cells)))
            except WorkError as problem:
                faults.append(Fault(4, str(problem), f"mend {variant.path}"))
        faults += self._count(4, "alternatives", "*.py")

        def read() -> list[Fault]:
            return faults + [
                fault
                for variant, cells, jobs in spliced
                for fault in full_marks(
                    proofs,
                    4,
                    str(variant.path),
                    cells,
                    jobs,
                    "if the solution is right, the test asks for too much;"
                    f" else mend {variant.path}",
                )
            ]

        return read

    def _cost(self, proofs: ProofJobs) -> Callable[[], list[Fault]]:
        jobs = [proofs.cells(self.cells) for _ in range(_CPU_RUNS)]

        def read() -> list[Fault]:
            runs = [proofs.answers[number].outcomes for number in jobs]
            seconds = min(sum(one.cpu_seconds for one in outcomes) for outcomes in runs)
            self.note(6, f"{seconds:.2f} CPU-seconds for all graded cells")
            cells = {cell.index: cell for cell in self.cells}
            faults = []
            if seconds > CPU_LIMIT_SECONDS:
                dear = sorted(runs[0], key=lambda one: -one.cpu_seconds)[:3]
                named = (f"{cells[one.cell].label} {one.cpu_seconds:.2f} s" for one in dear)
                text = (
                    f"graded cells use at most {CPU_LIMIT_SECONDS} CPU-seconds beyond imports;"
                    f" they use {seconds:.2f}"
                )
                faults.append(Fault(6, text, 'make smaller, or tag "demo": ' + ", ".join(named)))
            for one in runs[0]:
                cell, said = cells[one.cell], one.stderr.strip()
                if cell.is_test and said:
                    text = (
                        f"{cell.label} writes to stderr, and nbgrader scores that 0:"
                        f" {said.splitlines()[-1]}"
                    )
                    repair = "catch the warning in the test, or mend what warns"
                    faults.append(Fault(6, text, repair))
            return faults

        return read

    def _page(self, proofs: ProofJobs) -> Callable[[], list[Fault]]:
        page = self.module.folder / "ABOUT.md"
        if not page.is_file():
            return lambda: [
                Fault(
                    7,
                    f"a module has a page; {page} does not exist",
                    f"write {page}: why, words, common errors, further reading",
                )
            ]
        text = page.read_text(encoding="utf-8")
        code, bare = about.snippets(text)
        job = proofs.page(page.name, code, self.cells)

        def read() -> list[Fault]:
            answer = proofs.answers[job]
            self.note(7, f"{code.count('>>>')} lines of ABOUT.md")
            faults = (
                [Fault(7, f"{page}: {answer.problem}", f"mend {page}")] if answer.problem else []
            )
            faults += [
                Fault(
                    7,
                    f"{page}, line {one.line}: {one.source}  wrote {one.want!r}, gives {one.got!r}",
                    f"write: {one.got}",
                )
                for one in answer.lines
            ]
            faults += [
                Fault(
                    7,
                    f"{page}, line {line}: a ```python block without >>> is not run",
                    "write it with >>>, or fence it as ```text",
                )
                for line in bare
            ]
            faults += [
                Fault(
                    7,
                    f"{page}, line {line}: {figure} is in no snippet of the page",
                    f"add a >>> line that gives {figure}, or leave the number out",
                )
                for line, figure in about.loose_figures(text)
            ]
            return faults + [
                Fault(
                    7,
                    f"needs names {name}, which cannot be imported: {why}",
                    f"correct `needs` in {self.module.folder / 'module.toml'}",
                )
                for name, why in proofs.absent_imports.items()
                if name in self.module.needs
            ]

        return read

    def leaks(self, artifacts: tuple[Path, ...]) -> None:
        """Point 5."""
        module, root = self.module, self.module.root
        wanted = secret_lines(module)
        self.note(5, f"{len(wanted)} secret lines")
        found = leaks.markers(module.folder, root) + leaks.scan_folder(
            root / "modules", wanted, root
        )
        if module.notebook.is_file():
            workspace = Workspace(root)
            packed = bundle.leaks(
                bundle.build(workspace, [m for m in workspace.modules() if m.notebook.is_file()]),
                wanted,
            )
            known = {leak.place for leak in found}
            found += [leak for leak in packed if leak.place.partition("!")[2] not in known]
        found += [
            leak
            for path in artifacts
            for leak in leaks.scan_bytes(str(path), path.read_bytes(), wanted)
        ]
        repair = (
            f"if it came by release: mend the markers in {self.path}, then: tito grade release"
            f" {module.name}; else take the line out, or if the given package needs it too, list it"
            f" in {self.path.with_name('also_public.txt')}"
        )
        self.proof.faults += [
            Fault(5, f"{leak.place} holds a line of {leak.origin}: {leak.line}", repair)
            for leak in found
        ]

    def drift(self) -> None:
        """Point 7, the derived files."""
        name, root = self.module.name, self.module.root
        self.proof.faults += [
            Fault(
                7,
                f"{path.relative_to(root)} is not what its source gives",
                f"tito grade release {name}, or at the next check: tito dev check {name} --release",
            )
            for path in release.drift(self.module, self.edition)
        ]

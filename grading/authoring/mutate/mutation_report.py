"""What a run of mutants found, in numbers, and the file that keeps it."""

import datetime
import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grading.authoring.mutate import equivalent
from grading.authoring.mutate.mutants import Mutant, generate
from grading.authoring.mutate.run_mutants import STAGES, Runs, Verdict
from grading.authoring.mutate.solution_code import without_prose
from grading.authoring.variants.check_jobs import ProofJobs
from grading.engine.course.references import read_source, secrets_of, test_folders
from tito.errors import WorkError
from tito.files import sha256, write_atomic
from tito.notebook.cells import Cell
from tito.notebook.exercises import exercises, meant
from tito.notebook.promises import plain
from tito.workspace import Module

SURVIVORS = 0.02  # at most, of the mutants that are not equivalent
EQUIVALENTS = 0.10  # at most, of all mutants
_SOURCE = "mutants are made of a module's source"


@dataclass
class Report:
    """The mutants of a module, or a part of them, and what each test did to them.

    Attributes:
        equivalents: names of mutants that are listed as equivalent, and may survive.
        faults: sentences about that list.
    """

    module: str
    verdicts: list[Verdict]
    equivalents: set[str] = field(default_factory=set)
    faults: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def state(self, verdict: Verdict) -> str:
        """ "notebook", "public" or "hidden" for what killed it, "equivalent", or "survive"."""
        if verdict.by:
            return verdict.by
        return "equivalent" if verdict.mutant.name in self.equivalents else "survive"

    @property
    def survivors(self) -> list[Verdict]:
        return [one for one in self.verdicts if self.state(one) == "survive"]

    @property
    def counts(self) -> Counter[str]:
        return Counter(self.state(one) for one in self.verdicts)

    @property
    def others(self) -> int:
        """How many mutants are not equivalent."""
        return len(self.verdicts) - self.counts["equivalent"]

    @property
    def killed(self) -> int:
        return sum(self.counts[stage] for stage in STAGES)

    @property
    def in_sight(self) -> int:
        """How many are killed where the student looks: in the notebook, or by `tito test`."""
        return self.counts["notebook"] + self.counts["public"]

    @property
    def promises(self) -> Counter[str]:
        """The promises that the tests which failed first asked for, as they are compared."""
        said = (one.kills[0].promise for one in self.verdicts if one.kills)
        return Counter(plain(promise) for promise in said if promise)

    @property
    def problems(self) -> list[str]:
        """Why the tests, or the list of equivalent mutants, are not good enough yet."""
        sentences = list(self.faults)
        if len(self.survivors) > SURVIVORS * self.others:
            sentences.append(
                f"at most {SURVIVORS:.0%} of the mutants may survive; {len(self.survivors)} of"
                f" {self.others} do. Write a test that fails for each, or paste its entry into"
                " equivalent.toml"
            )
        equal = self.counts["equivalent"]
        if equal > EQUIVALENTS * len(self.verdicts):
            sentences.append(
                f"at most {EQUIVALENTS:.0%} of the mutants may be listed as equivalent; {equal} of"
                f" {len(self.verdicts)} are"
            )
        return sentences

    def table(self) -> list[list[str]]:
        """A row for each exercise, and one for all."""
        states: dict[str, Counter[str]] = defaultdict(Counter)
        for one in self.verdicts:
            states[one.mutant.exercise][self.state(one)] += 1
        return [_row(*row) for row in (states | {"all": self.counts}).items()]


COLUMNS = ("exercise", "made", *STAGES, "equivalent", "survive")


def _row(name: str, counts: Counter[str]) -> list[str]:
    return [name, str(counts.total()), *(str(counts[column]) for column in COLUMNS[2:])]


def names_of(cells: Sequence[Cell], wanted: Sequence[str]) -> list[str]:
    """The names of exercises that are given by number, section or name; what names none stays."""
    known = exercises(cells)
    return [name for one in wanted for name in [each.name for each in meant(known, one)] or [one]]


def selected(
    mutants: Sequence[Mutant], only: Sequence[str] = (), sample: int | None = None
) -> list[Mutant]:
    """Those of some exercises, and of these a sample that is the same each time.

    Raises:
        WorkError: no mutant belongs to an exercise of that name.
    """
    known = dict.fromkeys(mutant.exercise for mutant in mutants)
    for name in only:
        if name not in known:
            raise WorkError(f"--only names exercises; {name} is none of: {', '.join(known)}")
    chosen = [one for one in mutants if not only or one.exercise in only]
    kept = {*sorted((one.name for one in chosen), key=sha256)[:sample]}
    return [one for one in chosen if one.name in kept]


def mutate(
    module: Module,
    scratch: Path,
    *,
    only: Sequence[str] = (),
    sample: int | None = None,
    jobs: int = 1,
    progress: Any = lambda stage, done, total: None,
) -> Report:
    """Make the mutants of a module and see which test kills each.

    Raises:
        EnvironmentBroken: this system cannot fork, or mutmut is not installed.
        WorkError: a mutant cannot be made, or the tests fail for the reference.
    """
    cells = read_source(module, _SOURCE)
    mutants = generate(cells)
    chosen = selected(mutants, names_of(cells, only), sample)
    entries = equivalent.listed(module)
    runs = Runs(ProofJobs(module, scratch, cells, jobs), progress)
    verdicts = runs.verdicts(chosen)
    faults = [*equivalent.stale(entries, mutants).values()]
    faults += equivalent.differing(runs, entries, verdicts)
    return Report(module.name, verdicts, set(entries), faults)


# The result that is kept


@dataclass(frozen=True)
class Recorded:
    """The kept result of a run over all mutants of a module.

    Attributes:
        is_stale: whether the reference or a test has changed since.
        promises: each promise that was the first to fail, in its plain form -> for how many
            mutants.
    """

    is_stale: bool
    promises: dict[str, int]


def result_path(module: Module) -> Path:
    return secrets_of(module) / "mutants.json"


def fingerprint(module: Module) -> str:
    """A hash of what decides a run: the code of the notebook's cells and of the contract tests,
    without comments and docstrings.
    """
    texts = [
        cell.python
        for cell in read_source(module, _SOURCE)
        if cell.kind == "code" and not cell.is_demo and cell.tree is not None
    ]
    for folder in test_folders(module):
        texts += [path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.py"))]
    return sha256("\0".join(without_prose(text) for text in texts))[:16]


def record(module: Module, report: Report) -> Path:
    """Write what the long way through all mutants found, and return the file."""
    path = result_path(module)
    document = {
        "counts": {"made": len(report.verdicts)}
        | {name: report.counts[name] for name in COLUMNS[2:]},
        "date": datetime.date.today().isoformat(),
        "hash": fingerprint(module),
        "promises": dict(report.promises),
        "survivors": sorted(one.mutant.name for one in report.survivors),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, json.dumps(document, indent=1, sort_keys=True, ensure_ascii=False) + "\n")
    return path


def recorded(module: Module) -> Recorded | None:
    """What `tito dev mutate --record` has kept; None where it has not been run.

    Raises:
        WorkError: the file is not what `record` writes.
    """
    path = result_path(module)
    if not path.is_file():
        return None
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        is_stale = document["hash"] != fingerprint(module)
        return Recorded(is_stale, document["promises"])
    except (ValueError, KeyError, TypeError) as problem:
        raise WorkError(
            f"{path} is written by tito dev mutate, and cannot be read ({problem!r}). Write it"
            f" again: tito dev mutate {module.number} --record"
        ) from None

"""Mutants that no test can kill, because they do the same: the file
`grading/modules/NN_name/equivalent.toml`, whose form CONTRIBUTING.md shows.

A check is the body of a function of the exported package `tt` and a generator `rng`; it returns
plain data or arrays, and may raise. It is run on the reference and on the mutant with as many seeds
as `SEEDS` says, and must give the same each time. `change` is what the mutant was when it was
listed: a name counts within its function, so an edit there can give it to another mutant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grading.authoring.mutate.mutants import Mutant
from grading.engine.course.references import secrets_of
from tito.errors import WorkError
from tito.files import read_toml
from tito.workspace import Module

if TYPE_CHECKING:
    from grading.authoring.mutate.run_mutants import Runs, Verdict
    from grading.authoring.variants.check_jobs import Answer

SEEDS = 200
_FIELDS = ("change", "reason", "check")


@dataclass(frozen=True)
class Equivalent:
    name: str
    change: str
    check: str  # the text of the check


def path_of(module: Module) -> Path:
    return secrets_of(module) / "equivalent.toml"


def listed(module: Module) -> dict[str, Equivalent]:
    """The entries by the mutant's name; none without a file.

    Raises:
        WorkError: the file is no TOML, or an entry lacks something.
    """
    path = path_of(module)
    if not path.is_file():
        return {}
    tables = read_toml(path, WorkError)
    checks = tables.pop("checks", {})
    return {name: _entry(path, name, table, checks) for name, table in tables.items()}


def _entry(path: Path, name: str, table: Any, checks: Mapping[str, str]) -> Equivalent:
    fields: dict[str, Any] = {
        key: table.get(key) if isinstance(table, dict) else None for key in _FIELDS
    }
    for key, value in fields.items():
        if not isinstance(value, str) or not value.strip() or value.startswith("TODO"):
            raise WorkError(
                f'an equivalent mutant has {", ".join(_FIELDS)}; {path}, ["{name}"]: {key} is'
                f" {value!r}"
            )
    if fields["check"] not in checks:
        raise WorkError(
            f'`check` names one of the texts below [checks]; {path}, ["{name}"] names'
            f" {fields['check']!r}. There are: {', '.join(checks) or 'none'}"
        )
    return Equivalent(name, fields["change"], checks[fields["check"]])


def entry_of(mutant: Mutant) -> str:
    """The entry of a mutant, ready to paste; what only its author knows says TODO."""
    plain = "# If what it is given is plain data, annotate it in the stub: texts: list[str]\n"
    return (
        f"{plain if 'foreign-error' in mutant.name else ''}"
        f"[\"{mutant.name}\"]\nchange = '''\n{mutant.diff()}\n'''\n"
        'reason = "TODO: why no call can tell it from the reference"\n'
        'check = "TODO: the name of a text below [checks]"'
    )


def stale(entries: Mapping[str, Equivalent], mutants: Sequence[Mutant]) -> dict[str, str]:
    """Entries of mutants that are not made any more, or are now another change: name -> what is
    wrong.
    """
    made = {mutant.name: mutant for mutant in mutants}
    faults = {}
    for name, entry in entries.items():
        if name not in made:
            faults[name] = f"{name} is listed as equivalent, and no such mutant is made: remove it"
        elif code_of(made[name].change) != code_of(entry.change):
            faults[name] = (
                f"{name} is listed as equivalent, and is another change now; look at it, then write"
                f" change = '''\n{made[name].change}\n'''"
            )
    return faults


def code_of(change: str) -> list[list[str]]:
    """The lines with - or + of a change without their indentation, and without those that are
    comments.
    """
    lines = [line.split() for line in change.splitlines() if line.startswith(("-", "+"))]
    return [line for line in lines if len(line) > 1 and not line[1].startswith("#")]


def differing(runs: Runs, entries: Mapping[str, Equivalent], ran: Sequence[Verdict]) -> list[str]:
    """The faults of entries whose mutant a test kills or whose check tells it from the reference,
    and of checks that prove nothing.
    """
    faults, asked, jobs = [], {}, runs.jobs
    for verdict in ran:
        entry = entries.get(verdict.mutant.name)
        if entry is None:
            continue
        if verdict.kills:
            kill = verdict.kills[0]
            faults.append(f"{entry.name} is listed as equivalent, and {kill.test} kills it")
        else:
            both = jobs.reference, verdict.mutant.in_place_of(jobs.reference)
            asked[entry.name] = [jobs.values(cells, entry.check, SEEDS) for cells in both]
    jobs.run(partial(runs.progress, "equivalents"))
    for name, numbers in asked.items():
        if text := _compared(*(jobs.answers[number] for number in numbers)):
            faults.append(f"{name} is listed as equivalent: {text}")
    return faults


def _compared(reference: Answer, mutant: Answer) -> str:
    """What shows that a check proves nothing, or tells a mutant from the reference; "" if they give
    the same.
    """
    if reference.problem:
        return f"its check does not run on the reference: {reference.problem}"
    first = reference.values[0][0]
    if all(refused for _, refused in reference.values):
        return f"its check gives no answer for any seed: {first}"
    if len({text for text, _ in reference.values}) == 1:
        return f"its check gives the same for each seed, {first}: draw its inputs from rng"
    if mutant.problem:
        return f"its check does not run on the mutant: {mutant.problem}"
    for seed, (one, other) in enumerate(zip(reference.values, mutant.values, strict=True)):
        if one != other:
            return (
                f"its check tells it from the reference; with seed {seed} the reference gives"
                f" {one[0][:300]} and the mutant {other[0][:300]}"
            )
    return ""

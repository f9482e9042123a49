"""Wrong solutions proposed from mutants that a law killed: one for each promise that no wrong
solution breaks yet. What a student believed is left to the author; until it is written, the header
says TODO, and `tito dev check` refuses it.
"""

import ast
from pathlib import Path

from grading.authoring.mutate.mutants import Mutant, asked
from grading.authoring.mutate.mutation_report import Report
from grading.authoring.mutate.solution_code import Code, Function, difference
from grading.engine.course.references import read_source, secrets_of
from grading.engine.course.wrong_and_right import UNSAID, read_wrong
from tito.files import write_atomic
from tito.notebook.promises import plain, promises
from tito.workspace import Module


def propose(module: Module, report: Report) -> dict[Path, list[str]]:
    """Append a wrong solution to the file of its exercise for each promise that none breaks.

    Returns:
        The headers that were written, by their files.
    """
    folder = secrets_of(module) / "wrong"
    taken = {(one.exercise, number) for one in read_wrong(folder)[0] for number in one.numbers}
    exercise_of = {one.name: one for one in asked(read_source(module))}
    written: dict[Path, list[str]] = {}
    for verdict in report.verdicts:
        if not verdict.kills or verdict.kills[0].status != "fail":
            continue
        (exercise,), broken = verdict.mutant.exercises, plain(verdict.kills[0].promise)
        said = [one.plain for one in promises(exercise_of[exercise])]
        if broken not in said or (exercise, number := said.index(broken) + 1) in taken:
            continue
        taken.add((exercise, number))
        label = verdict.mutant.name.rpartition("/")[2].replace("-", "_")
        header = f"# %% {label}: {UNSAID} (promise {number})"
        path = folder / f"{exercise}.py"
        before = path.read_text(encoding="utf-8").rstrip() + "\n\n\n" if path.is_file() else ""
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, f"{before}{header}\n{_changed_function(verdict.mutant)}\n")
        written.setdefault(path, []).append(header)
    return written


def _changed_function(mutant: Mutant) -> str:
    """The function that a mutant changes, without docstring and comments; a method in its class."""
    ((index, text),) = mutant.changes.items()
    code = Code(text)
    place, _, _ = difference(mutant.olds[index], text)
    top = next(node for node in code.tree.body if place <= code.at(node)[1])
    own = top
    for node in top.body if isinstance(top, ast.ClassDef) else ():
        if isinstance(node, Function) and place <= code.at(node)[1]:
            own = node
            break
    marks = [one.lineno for one in getattr(own, "decorator_list", [])]
    first, last = min([own.lineno, *marks]), own.end_lineno or own.lineno
    documented: set[int] = set()
    if isinstance(own, Function) and ast.get_docstring(own) is not None:
        documented.update(range(own.body[0].lineno, (own.body[0].end_lineno or 0) + 1))
    kept = [
        line
        for number, line in enumerate(text.splitlines()[first - 1 : last], start=first)
        if number not in documented and not line.lstrip().startswith("#")
    ]
    return "\n".join([f"class {top.name}:", *kept] if isinstance(top, ast.ClassDef) else kept)

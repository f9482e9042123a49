"""From the instructor's source to the student edition, through nbgrader's own generate_assignment.

The source becomes a lone .ipynb in a scratch course, nbgrader strips it there, and only the
stripped notebook and its percent copy come back. Nothing in `modules/` ever holds an answer, and a
student's work is never written over.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grading.authoring.colab import with_first_cell
from grading.authoring.correction import Correction, differences, students_by_edition
from grading.authoring.notebook_help import in_the_notebook, with_extension
from grading.engine.course.directory import Course
from grading.engine.course.references import source_parts, source_path
from grading.engine.sandbox import temporary_folders
from grading.engine.submitted_notebook.match_editions import EARLIER
from tito.console import counted
from tito.contract.facts_of_tests import CONTRACTS
from tito.errors import WorkError
from tito.files import backup, dated, locked, write_text
from tito.notebook import hours
from tito.notebook.cells import cells_of, code_hash, read, text_hash
from tito.notebook.exercises import exercises, points_filled_in
from tito.notebook.promises import promises

if TYPE_CHECKING:
    from tito.workspace import Module, Workspace

KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}


@dataclass(frozen=True)
class Edition:
    """The student edition of a module, as text that can be compared and written."""

    notebook: str
    script: str
    points: float
    cells: int
    contracts: str | None = None  # of the exercises that have laws; None for a module without laws


@dataclass
class Released:
    """What a release did; `changed` are the files that were written."""

    edition: Edition
    changed: list[Path] = field(default_factory=list)
    backups: list[Path] = field(default_factory=list)


def instructor_notebook(module: Module) -> Any:
    """The source as a notebook with derived cell ids and hours: answers, hidden tests, mark schemes
    and all.

    Raises:
        WorkError: there is no source, or two cells share a grade_id.
    """
    from grading.engine.nbgrader.import_nbgrader import quiet

    parts = source_parts(module, "a module is released from its source")
    with quiet():
        import jupytext

        text = source_path(module).read_text(encoding="utf-8")
        notebook = jupytext.reads(text, fmt="py:percent")
    notebook.metadata = type(notebook.metadata)(kernelspec=KERNEL, language_info={"name": "python"})
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    for cell, (_, _, metadata) in zip(notebook.cells, parts, strict=True):
        cell.metadata.pop("title", None)
        cell.metadata.update(metadata)
    cells = cells_of(notebook)
    minutes, points = hours.minutes(cells), points_filled_in(cells)
    for number, cell in enumerate(notebook.cells, start=1):
        if cell.cell_type == "markdown":
            text = hours.filled_in(points.get(number, cell.source), minutes)
            cell.source = in_the_notebook(text, module.number)
    derive_ids(notebook)
    return notebook


def derive_ids(notebook: Any) -> None:
    """Give each cell the id that follows from its grade_id or its position, so that a release
    never invents one.
    """
    seen: dict[str, int] = {}
    asked = None
    for number, cell in enumerate(notebook.cells, start=1):
        grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
        if grade_id:
            cell.id = grade_id.replace("_", "-")
        elif asked and cell.cell_type == "markdown":
            cell.id = f"answer-{asked.replace('_', '-')}"
        else:
            cell.id = f"cell-{number}"
        asked = grade_id if cell.metadata.get("nbgrader", {}).get("task") else None
        if cell.id in seen:
            raise WorkError(
                f"each cell has its own grade_id; cells {seen[cell.id]} and {number} are both"
                f" {cell.id!r}. Rename one in the source."
            )
        seen[cell.id] = number


def build_edition(module: Module) -> Edition:
    """Strip the source in a scratch course; nothing is written to the workspace."""
    from grading.engine.nbgrader.import_nbgrader import nbformat

    with temporary_folders.folder("release") as folder:
        course = Course(folder)
        stripped = _generate(course, module, instructor_notebook(module), database=False)
    notebook = _finish(stripped, module)
    texts = nbformat.writes(notebook) + "\n", _percent(notebook)
    given = (cell.metadata.get("nbgrader", {}).get("points") for cell in notebook.cells)
    points = sum(float(one or 0) for one in given)
    return Edition(*texts, points, len(notebook.cells), _contracts(module, notebook))


def _contracts(module: Module, notebook: Any) -> str | None:
    """What laws need to know of their exercises: see `tinytorch.laws.Contract`."""
    documents = {
        one.number: {
            "cell": one.graded.name,
            "title": one.title,
            "hint": f"{module.number} {one.name}",
            "promises": [promise.plain for promise in promises(one)],
            "points": one.points,
        }
        for one in exercises(cells_of(notebook))
        if one.graded and any(module.tests.glob(f"test_{one.number}_*.py"))
    }
    return json.dumps(documents, indent=1, ensure_ascii=False) + "\n" if documents else None


def _generate(course: Course, module: Module, notebook: Any, *, database: bool) -> Any:
    """Write the lone source notebook, run nbgrader's generate_assignment, give back the stripped
    notebook.
    """
    from grading.engine.nbgrader.import_nbgrader import NbGraderException, convert, nbformat, quiet
    from grading.engine.nbgrader_steps.replaced_steps import classes

    config = classes(course.config())
    config.GenerateAssignment.force = True
    if not database:
        config.GenerateAssignment.no_database = True
        steps = config.GenerateAssignment.preprocessors
        config.GenerateAssignment.preprocessors = [
            step for step in steps if step.__name__ != "SaveCells"
        ]
    write_text(course.source(module), nbformat.writes(notebook) + "\n")
    with quiet():
        from nbgrader.converters import GenerateAssignment
    try:
        lines = convert(GenerateAssignment, config, module.name)
    except NbGraderException as problem:
        raise WorkError(_reason(getattr(problem, "log_lines", []), module)) from problem
    if not course.released(module).is_file():
        raise WorkError(_reason(lines, module))
    return nbformat.read(course.released(module), as_version=4)


def _reason(lines: list[str], module: Module) -> str:
    """Why nbgrader refuses the source: the last line of its traceback."""
    last = [
        line.strip().splitlines()[-1] for line in lines if "Traceback" in line or "Error" in line
    ] or lines[-1:]
    said = last[0].split("tito.errors.WorkError: ")[-1] if last else "nothing"
    return (
        f"nbgrader could not strip {source_path(module)}: {said.rstrip('.')}. What each cell"
        f" needs, and the repair: tito dev check {module.name} --only 6"
    )


def _finish(notebook: Any, module: Module) -> Any:
    derive_ids(notebook)
    notebook.cells = with_first_cell(with_extension(notebook.cells), module.root)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
            if "check(test_" in cell.source:
                # Jupyter's own key: the code of a test is folded until a reader opens it
                cell.metadata["jupyter"] = {"source_hidden": True}
    notebook.metadata = type(notebook.metadata)(
        kernelspec=KERNEL,
        language_info={"name": "python"},
        jupytext={"formats": "ipynb,py:percent", "cell_markers": '"""'},
    )
    cells = cells_of(notebook)
    notebook.metadata["tito"] = {
        "module": module.name,
        "released": code_hash(cells),
        "text": text_hash(cells),
    }
    return notebook


def _percent(notebook: Any) -> str:
    from grading.engine.nbgrader.import_nbgrader import quiet

    with quiet():
        import jupytext

        text = jupytext.writes(notebook, fmt="py:percent")
    # The version of jupytext says nothing about the module and would make every upgrade look like
    # drift.
    return "".join(
        line for line in text.splitlines(keepends=True) if "jupytext_version" not in line
    )


def drift(module: Module, edition: Edition | None = None) -> list[Path]:
    """The derived files that a release would change; empty when all are up to date."""
    edition = edition or build_edition(module)
    return [
        path
        for path, text in _files(module, edition)
        # a fresh clone has neither
        if (path.is_file() or path not in (module.starter, module.script))
        and (not path.is_file() or path.read_bytes() != text.encode("utf-8"))
    ]


def _files(module: Module, edition: Edition) -> list[tuple[Path, str]]:
    texts = {
        module.notebook: edition.notebook,
        module.script: edition.script,
        module.starter: edition.notebook,
        module.tests / CONTRACTS: edition.contracts,
    }
    return [(path, text) for path, text in texts.items() if text]


def release(module: Module, workspace: Workspace, *, force: bool = False) -> Released:
    """Write the student edition to `modules/`.

    Raises:
        WorkError: the notebook there holds somebody's work (a dated copy was made), or the source
            cannot be stripped.
    """
    edition = build_edition(module)
    notebook, script = module.notebook, module.script
    done = Released(edition)
    if write_text(module.starter, edition.notebook):  # derived, nobody's work
        done.changed.append(module.starter)
    worked_on = [path for path in (notebook, script) if _holds_work(path, notebook, edition)]
    if worked_on:
        done.backups = [
            backup(path, workspace.backups) for path in (notebook, script) if path.is_file()
        ]
        if not force:
            raise WorkError(
                f"release never writes over work; {worked_on[0]} was changed since it was released"
                f" (a copy is in {done.backups[0]}); its starter is up to date. To replace the work"
                f" all the same: tito grade release {module.name} --force"
            )
    for path, text in _files(module, edition):
        if write_text(path, text):
            done.changed.append(path)
    return done


def _holds_work(path: Path, notebook: Path, edition: Edition) -> bool:
    """True when the file is neither what was released before nor what will be written now."""
    if not path.is_file():
        return False
    text = path.read_text(encoding="utf-8", errors="replace")
    if text.replace("\r\n", "\n") in (edition.notebook, edition.script):
        return False
    try:
        cells = read(path)
        stored = json.loads(notebook.read_text(encoding="utf-8"))["metadata"]["tito"]
        return (code_hash(cells), text_hash(cells)) != (stored["released"], stored["text"])
    except (WorkError, ValueError, KeyError, TypeError, OSError):
        return True  # cannot be told from somebody's work, so it is kept


def _knows(course: Course, module: Module) -> bool:
    """Whether the gradebook has the definitions of the module."""
    from grading.engine.nbgrader.import_nbgrader import MissingEntry, gradebook

    with gradebook(course.db_url) as book:
        try:
            return bool(book.find_assignment(module.name).notebooks)
        except MissingEntry:
            return False


def check_course(module: Module, course: Course, *, correct: bool = False) -> Correction | None:
    """What the release would change for students of this course who have handed in; None if there
    are none, or it would change nothing. Writes nothing.

    Raises:
        WorkError: students have handed in work on another release, and this is no correction, or
            one that would add or remove cells with a name; or the source cannot be stripped.
    """
    students, path = course.students(module), course.released(module)
    if not (students and path.is_file()):
        return None
    new, old = build_edition(module).notebook, path.read_text(encoding="utf-8")
    lost = course.source(module).is_file() and not _knows(course, module)
    if new == old or (lost and not correct):
        return None
    count = counted(len(students), "submission")
    if not correct:
        again = f"--course {course.root}"
        raise WorkError(
            f"an assignment with submissions keeps the release that it was handed out with;"
            f" {module.name} in {course.root} has {count}, and its source has changed since. To"
            f" correct it for this class: tito grade release {module.name} --correct {again}. To"
            f" grade on the release that it has: tito grade autograde {module.name} {again}. For"
            f" another class: tito grade release {module.name} --course ANOTHER_DIRECTORY"
        )
    editions = json.loads(old), json.loads(new)
    for edition in editions:
        for cell in edition["cells"]:
            cell["source"] = "".join(cell["source"])
    changed = differences(*editions)
    if refused := [str(one) for one in changed if one.refused]:
        raise WorkError(
            f"a correction keeps the named cells, because {count} of {module.name} in"
            f" {course.root} have grades for them; these differ: {'; '.join(refused)}. Give them"
            f" the names and kinds that they had in {source_path(module)}, or release to another"
            f" class: tito grade release {module.name} --course ANOTHER_DIRECTORY"
        )
    return Correction(old, tuple(changed), students_by_edition(course, module, *editions))


def release_to_course(module: Module, course: Course, correction: Correction | None = None) -> None:
    """Put the assignment into a class's course: source, release and the gradebook's definitions.

    Args:
        correction: what `check_course` returned, if students' work is to be graded by another
            edition; the edition of before stays in DIR/earlier.

    Raises:
        WorkError: students of this course have handed in work on another release, or the source
            cannot be stripped.
    """
    from grading.engine.nbgrader.import_nbgrader import nbformat

    with locked(course.root / ".release.lock"):  # nbgrader runs one release at a time
        path = course.released(module)
        if correction is None:
            check_course(module, course)
        else:
            place = dated(course.root / EARLIER / module.name, "edition")
            write_text(place / path.name, correction.earlier)
        kept = course.students(module) and path.is_file() and correction is None
        handed_out = path.read_text(encoding="utf-8") if kept else None
        notebook = instructor_notebook(module)
        if handed_out not in (None, build_edition(module).notebook):
            # the gradebook was lost: it gets the cells of the edition that these students have
            notebook = nbformat.read(course.source(module), as_version=4)
        before = path.read_text(encoding="utf-8") if path.is_file() else None
        try:
            stripped = _finish(_generate(course, module, notebook, database=True), module)
        except BaseException:  # nbgrader has deleted the folder
            if before is not None:
                write_text(path, before)
            raise
        write_text(path, handed_out or nbformat.writes(stripped) + "\n")

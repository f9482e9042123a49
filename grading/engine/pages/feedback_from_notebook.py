"""What a feedback page shows, from the graded notebook, for nbgrader's `generate_feedback`."""

import functools
import html
import re
from collections.abc import Iterable
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from grading.engine.course.submission_reports import read_report_file
from grading.engine.nbgrader.import_nbgrader import MissingEntry, gradebook, quiet
from grading.engine.pages.feedback_page import Entry, Page, Work, feedback_page
from grading.engine.pages.safe_html import (
    PICTURE,
    PLAIN_OUTPUTS,
    colors,
    plain,
    safe_highlight,
    safe_markdown,
)
from grading.engine.regrade_requests import Regrade, Regrades
from grading.engine.submission_marks import CellMark, kind_of
from tito.notebook.cells import Cell, cells_of
from tito.notebook.exercises import answers as answers_of
from tito.notebook.exercises import exercises
from tito.notebook.ipynb_format import load_ipynb
from tito.notebook.stubs import stubs
from tito.outcome import Outcome

with quiet():
    from nbconvert import Exporter
    from nbconvert.filters import strip_ansi
    from traitlets import Bool

_HIDDEN = re.compile(r"### BEGIN HIDDEN TESTS(.*?)### END HIDDEN TESTS", re.DOTALL)
_ARROW = re.compile(r"^-+> *\d+ (.*)$", re.MULTILINE)  # IPython's, at the line that failed
_MARKER = re.compile(r"^\s*### (?:BEGIN|END) SOLUTION\s*$\n?", re.MULTILINE)


class FeedbackExporter(Exporter):
    """A graded notebook as the student's feedback page."""

    solutions = Bool(False, help="Show a right answer below the student's code.").tag(config=True)

    def _file_extension_default(self) -> str:
        return ".html"

    def from_notebook_node(self, nb: Any, resources: Any = None, **kw: Any) -> tuple[Any, dict]:
        nb, resources = super().from_notebook_node(nb, resources, **kw)
        page = page_of(Path(), resources["nbgrader"], nb, solutions=self.solutions)
        return feedback_page(page, colors()), resources


def page_of(root: Path, names: dict[str, str], notebook: Any, *, solutions: bool = False) -> Page:
    """The page of one notebook of one student.

    Args:
        root: the folder of the course.
        names: the assignment, the student, the notebook and the db_url, as in nbgrader's resources.
        notebook: what was graded; the release where that could not be read.
        solutions: whether to show a right answer below the student's code.
    """
    stem, assignment = names["notebook"], names["assignment"]
    report = read_report_file(root / "reports" / assignment / f"{names['student']}.json")
    marks = {
        mark.grade_id: mark for mark in (report.cells if report else ()) if mark.notebook == stem
    }
    source = root / "source" / assignment / f"{stem}.ipynb"
    answers = _right_answers(source) if solutions and source.is_file() else {}
    given = _sources(root / "release" / assignment / f"{stem}.ipynb")
    cells = cells_of(notebook)
    labels = {one.graded.name: one.label for one in exercises(cells) if one.graded}
    todo = {stub.index for stub in stubs(cells)}
    parts = _parts(cells)
    nodes, hidden = notebook["cells"], _hidden_lines(cells)
    work = {
        name: tuple(_work([(cell, nodes[cell.index - 1]) for cell in part], given, answers, hidden))
        for name, part in parts.items()
    }
    known, asked = _known(names), Regrades(root, assignment).of(names["student"])
    entries = []
    for cell in filter(_has_points, cells):
        part, mark = parts[cell.name], _all_without(marks.get(cell.name), hidden)
        if mark and not mark.tests and not mark.outcome.promise:
            mark = _with_its_line(mark, nodes[cell.index - 1], hidden)
        entry = _entry(cell, part, mark, known)
        label, stub = labels.get(cell.name, ""), _is_stub(entry, part, todo)
        called = (cell.name, f"{stem}/{cell.name}", label.partition(" ")[0])
        mine = [one for one in asked if one.question in called]
        asked = [one for one in asked if one not in mine]
        if mine:
            own = "" if entry.comment in [one.closed for one in mine] else entry.comment
            entry = replace(entry, comment=" ".join(filter(None, [own, *map(_answered, mine)])))
        entries.append(replace(entry, exercise=label, stub=stub, work=work[cell.name]))
    whole = [*report.reasons, *report.notes] if report else []
    return Page(
        name=known.name,
        student=names["student"],
        assignment=assignment,
        entries=entries,
        # A flag is for the grader. The student only reads that a person looks at the work.
        remarks=[*_all_without(whole, hidden), *map(_answered, asked)],
        review=bool(report and (report.reasons or report.flags)),
        penalty=known.penalty,
        due=known.due,
        now=datetime.now(timezone.utc),
        more=work[""],
    )


def _answered(one: Regrade) -> str:
    """A regrade request, and the sentence that closed it."""
    return f"You asked: \u201c{one.text}\u201d {one.closed or 'A person will look at it.'}"


@dataclass(frozen=True)
class _Known:
    """What the gradebook knows of one notebook of one student; grades and comments by cell."""

    name: str
    due: datetime | None
    penalty: float
    grades: dict[str, Any]
    comments: dict[str, str | None]


def _known(names: dict[str, str]) -> _Known:
    with gradebook(names["db_url"]) as book:
        student = book.find_student(names["student"])
        due = book.find_assignment(names["assignment"]).duedate
        try:
            key = (names["notebook"], names["assignment"], names["student"])
            graded = book.find_submission_notebook(*key)
        except MissingEntry:
            graded = None
        return _Known(
            " ".join(filter(None, [student.first_name, student.last_name])) or student.id,
            due.replace(tzinfo=timezone.utc) if due else None,
            (graded.late_submission_penalty if graded else None) or 0.0,
            {one.name: _grade(one) for one in (graded.grades if graded else ())},
            {one.name: one.comment for one in (graded.comments if graded else ())},
        )


def _has_points(cell: Cell) -> bool:
    return kind_of({"metadata": {"nbgrader": cell.nbgrader}}) is not None


def _is_stub(entry: Entry, part: list[Cell], todo: set[int]) -> bool:
    """Whether nothing of the exercise is written: each cell to solve, or where the exercise has
    none of its own, what each test met.
    """
    solved = [cell.index in todo for cell in part if cell.is_solution]
    results = entry.mark.tests or (entry.mark.outcome,)
    return all(solved) if solved else all(one.status == "your_turn" for one in results)


def _parts(cells: list[Cell]) -> dict[str, list[Cell]]:
    """The cells that belong to each cell with points: those above it, below it until the next
    heading, and the answer whose id names it; under "", those that belong to none.
    """
    parts: dict[str, list[Cell]] = {"": []}
    asked = {answer.cell.index: answer.question for answer in answers_of(cells)}
    last = ""
    above: list[Cell] = []
    for cell in cells:
        if cell.kind == "markdown" and cell.source.startswith("#"):
            parts[last] += above
            above = []
        if cell.index in asked:
            parts.setdefault(asked[cell.index], []).append(cell)
        elif _has_points(cell):
            parts.setdefault(cell.name, []).extend([*above, cell])
            last, above = cell.name, []
        else:
            above.append(cell)
    parts[""] += above
    return parts


def _work(
    part: list[tuple[Cell, Any]],
    given: frozenset[str],
    answers: dict[str, str],
    hidden: list[str],
) -> Iterable[Work]:
    """What the student wrote in these cells, with what it printed, and the pictures that given
    cells made. No test is shown.
    """
    for cell, node in part:
        test = (cell.is_test and not cell.is_solution) or cell.nbgrader.get("task")
        own = not (test or cell.source.strip() in given)
        outputs = () if test else tuple(_outputs(node, hidden, pictures_only=not own))
        if own and cell.source.strip():
            yield Work(_code(cell, node), outputs)
        elif outputs:
            yield Work("", outputs)
        if answer := answers.get(cell.name):
            yield Work(safe_highlight(answer), title="One right answer")


def _code(cell: Cell, node: Any) -> str:
    if cell.kind == "markdown":
        return safe_markdown({"cell": node}, cell.source)
    return safe_highlight(cell.source) if cell.kind == "code" else _pre(cell.source)


def _outputs(node: Any, hidden: list[str], *, pictures_only: bool) -> Iterable[str]:
    for out in node.get("outputs", []):
        shown = plain(out["data"]) if "data" in out else {}
        for mime in PLAIN_OUTPUTS[:-1]:
            if mime in shown:
                yield f'<img src="data:{mime};base64,{shown[mime]}" alt="{PICTURE}">'
                break
        else:
            text = out.get("text") or shown.get("text/plain") or ""
            if out["output_type"] == "error":
                text = f"{out['ename']}: {out['evalue']}"
            if text and not pictures_only:
                yield _pre(_without(strip_ansi(text), hidden))


def _pre(text: str) -> str:
    return f"<pre>{html.escape(text)}</pre>"


@functools.lru_cache(maxsize=8)  # the release is the same for a whole class
def _sources(released: Path) -> frozenset[str]:
    return frozenset(cell.source.strip() for cell in cells_of(load_ipynb(released)))


@functools.lru_cache(maxsize=8)
def _right_answers(source: Path) -> dict[str, str]:
    """The instructor's code of each cell that students solve."""
    solved = [cell for cell in cells_of(load_ipynb(source)) if cell.is_solution]
    return {cell.name: _MARKER.sub("", cell.source) for cell in solved}


def _grade(grade: Any) -> tuple[float | None, bool]:
    """The current points, None before any were given, and whether a person gave them."""
    by_hand = grade.manual_score is not None
    return (grade.score if by_hand or grade.auto_score is not None else None), by_hand


def _entry(cell: Cell, part: list[Cell], mark: CellMark | None, known: _Known) -> Entry:
    """A cell's mark with the current points in the gradebook, since a person may have graded it."""
    if mark is None:
        most = float(cell.nbgrader.get("points") or 0)
        mark = CellMark("", cell.name, "test", most, 0.0, Outcome("not_run"))
    score, given = known.grades.get(cell.name, (mark.points, False))
    comments = [known.comments.get(one.name) for one in part]
    return Entry(mark, score, given, " ".join(filter(None, comments)))


def _with_its_line(mark: CellMark, node: Any, hidden: list[str]) -> CellMark:
    """The mark of a plain test cell whose message says at which line it failed, unless that line is
    hidden. Promises need no line: they say what was called.
    """
    errors = (out for out in node.get("outputs", []) if out["output_type"] == "error")
    trace = next((strip_ansi("\n".join(out["traceback"])) for out in errors), "")
    arrow = _ARROW.search(trace)
    if not arrow or not mark.outcome.message or _without(arrow[1], hidden) != arrow[1]:
        return mark
    said = f"{mark.outcome.message.rstrip(': ')} at: {arrow[1].strip()}"
    return replace(mark, outcome=replace(mark.outcome, message=said))


def _hidden_lines(cells: list[Cell]) -> list[str]:
    """The lines of hidden tests that are long enough to be recognized; a student's code may have
    printed them.
    """
    texts = (text for cell in cells for text in _HIDDEN.findall(cell.source))
    return [line for line in map(str.strip, "\n".join(texts).splitlines()) if len(line) > 12]


def _without(text: str, hidden: list[str]) -> str:
    """`text` without the lines that quote a hidden test."""
    return "\n".join(
        "[a hidden test]" if any(line in shown for line in hidden) else shown
        for shown in text.split("\n")
    )


def _all_without(value: Any, hidden: list[str]) -> Any:
    """`value` with `_without` applied to each text in it."""
    if isinstance(value, str):
        return _without(value, hidden)
    if isinstance(value, dict):
        return {key: _all_without(part, hidden) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_all_without(part, hidden) for part in value)
    if is_dataclass(value) and not isinstance(value, type):
        parts = {field.name: getattr(value, field.name) for field in fields(value)}
        return replace(value, **_all_without(parts, hidden))
    return value

"""A student's own work in the wrong cell: a solution below its stub or in a locked cell, a stub
below its solution, a split cell, code outside the exported cells. The work is put where it counts;
what cannot count is shown beside it, and a person is told.
"""

from typing import Any

from grading.engine.nbgrader.import_nbgrader import nbformat
from grading.engine.submitted_notebook import own_statements
from grading.engine.submitted_notebook.cell_origins import flag, grade_id, locked, words

Told = list[list[str | None]]  # [grade_id or None, sentence] about work in the wrong cell


def tidied(submitted: list[Any], released: Any, misplaced: Told) -> tuple[list[Any], set[int]]:
    """The submitted cells with split cells joined and without stubs of exercises that are solved in
    other cells; such a stub is shown, but not run. The set holds the ids of cells that are only
    shown.
    """
    cells = _rejoined(submitted)
    sources = [cell.source if cell.cell_type == "code" else "" for cell in cells]
    solutions = [cell for cell in released.cells if flag(cell, "solution")]
    stubs = own_statements.left_over_stubs(sources, [cell.source for cell in solutions])
    if not stubs:
        return cells, set()
    given = {piece.form for cell in solutions for piece in own_statements.pieces(cell.source) or ()}
    result: list[Any] = []
    aside: set[int] = set()
    for index, cell in enumerate(cells):
        if index not in stubs:
            result.append(cell)
            continue
        rest = own_statements.without(sources[index], stubs[index])
        if any(line.strip() and not line.lstrip().startswith("#") for line in rest.splitlines()):
            result.append(nbformat.from_dict({**cell, "source": rest}))
            if stubs[index] <= given:
                continue
        shown = _own_cell("raw", sources[index])
        result.append(shown)
        aside.add(id(shown))
        if words(sources[index]) not in {words(cell.source) for cell in solutions}:
            told = (
                "a copy of the stub was left out, because the exercise is solved in another"
                f" cell; the copy begins: {_begin(sources[index])}"
            )
            misplaced.append([_test_of(cell, released), told])
    return result, aside


def _test_of(cell: Any, released: Any) -> str | None:
    """The grade_id of the first test below the released solution of this cell's label."""
    labels = [grade_id(one) for one in released.cells]
    below = labels.index(grade_id(cell)) if grade_id(cell) in labels else len(labels)
    tests = [one for one in released.cells[below:] if locked(one) and flag(one, "grade")]
    return grade_id(tests[0]) if tests and grade_id(cell) else None


def _rejoined(cells: list[Any]) -> list[Any]:
    """Two cells become one again if the second begins inside a function or class that the first
    one holds.
    """
    result: list[Any] = []
    for cell in cells:
        source = cell.source
        before = result[-1] if result else None
        first = next((line for line in source.splitlines() if line.strip()), "")
        if first[:1] in (" ", "\t") and before is not None and cell.cell_type == "code":
            whole = f"{before.source}\n\n{source}"
            if own_statements.pieces(source) is None and own_statements.pieces(whole) is not None:
                result[-1] = nbformat.from_dict({**before, "source": whole})
                continue
        result.append(cell)
    return result


def unlocked(
    submitted: list[Any], aside: set[int], origin: dict[int, int], released: Any, misplaced: Told
) -> tuple[list[Any], set[int]] | None:
    """The submitted cells, with the student's own text in a locked cell in a cell beside it; None
    if there is no such text.
    """
    result: list[Any] = []
    aside = set(aside)
    for cell in submitted:
        place = origin.get(id(cell))
        original = None if place is None else released.cells[place]
        own = _own_text(cell, original) if original is not None and locked(original) else ""
        if not own:
            result.append(cell)
            continue
        assert original is not None
        kind, tested = original.cell_type, flag(original, "grade")
        if kind == "code":
            where = f"{'above' if tested else 'below'} it"
            if own_statements.pieces(own) is None:
                kind, where = "raw", f"{where} and is not run, because Python cannot read it"
            if tested or kind == "raw":
                told = f"the cell {grade_id(original)} is locked; what was typed into it is"
                misplaced.append(
                    [grade_id(original) if tested else None, f"{told} {where}: {_begin(own)}"]
                )
        mine = _own_cell(kind, own, {**cell, "metadata": {}, "id": None})
        aside |= {id(mine)} if kind == "raw" else set()
        # work goes before its test; an answer that was typed into its question goes after it
        result += [mine, cell] if tested and original.cell_type == "code" else [cell, mine]
    return (result, aside) if len(result) > len(submitted) else None


def _own_text(cell: Any, original: Any) -> str:
    """The student's own text in a cell whose text is restored from the release.

    If label and id name different cells, the whole text may be the student's.
    """
    source = cell.source
    if words(source) == words(original.source):
        return ""
    if grade_id(cell) != grade_id(original) or cell.get("id") not in (None, original.get("id")):
        return source
    if original.cell_type == "code":
        return own_statements.own_code(source, original.source)
    before, asked, after = source.partition(original.source.strip())
    if asked:
        return f"{before}{after}".strip()
    lines = {line.strip() for line in original.source.splitlines()}
    return "\n".join(line for line in source.splitlines() if line.strip() not in lines).strip()


def exporting(cells: list[Any], released: Any) -> list[Any]:
    """The cells, with what the exported file needs in exported cells. Nothing changes in a course
    that exports no cells.
    """
    asked = [cell for cell in released.cells if own_statements.is_exported(cell.source)]
    if not asked:
        return cells
    tests = {
        cell.source: set(cell.source.splitlines())
        for cell in released.cells
        if locked(cell) and flag(cell, "grade")
    }
    given = {words(cell.source) for cell in released.cells}
    exported, candidates = [], []
    for index, cell in enumerate(cells):
        mine = cell.cell_type == "code" and words(cell.source) not in given
        if cell.cell_type == "code" and own_statements.is_exported(cell.source):
            if mine:  # a test that was merged into it comes again in its own cell
                cell.source = own_statements.without_tests(cell.source, tests)
            exported.append(cell.source)
        elif cell.cell_type == "code" and (mine or not flag(cell, "grade")):
            candidates += [
                (index, piece)
                for piece in own_statements.pieces(cell.source) or ()
                if piece.is_import or mine
            ]
    solutions = (cell for cell in asked if flag(cell, "solution"))
    names = {name for cell in solutions for name in own_statements.defined(cell.source)}
    moved: dict[int, list[own_statements.Piece]] = {}
    for index, piece in own_statements.needed(exported, candidates, names):
        moved.setdefault(index, []).append(piece)
    result = []
    for index, cell in enumerate(cells):
        if index in moved:
            texts = [piece.text for piece in moved[index]]
            if words(cell.source) not in given:
                forms = {piece.form for piece in moved[index]}
                cell.source = own_statements.without(cell.source, forms)
            more = nbformat.v4.new_code_cell(own_statements.joined(texts, exported=True))
            more.id = None  # `restore_notebook` gives ids
            if cell.source.strip() or "nbgrader" in cell.metadata:
                result.append(more)
            else:
                cell.source = more.source
        result.append(cell)
    return result


def _own_cell(kind: str, source: str, like: Any = None) -> Any:
    return nbformat.from_dict(
        {**(like or {"metadata": {}}), "cell_type": kind, "source": source, "outputs": []}
    )


def _begin(source: str) -> str:
    lines = [line.strip() for line in source.splitlines() if line.strip()]
    lines = [line for line in lines if line != own_statements.EXPORT] or [""]
    return repr(lines[0][:80])

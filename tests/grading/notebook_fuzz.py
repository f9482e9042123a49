"""Real notebooks, damaged at random in many ways; and everything that the trusted side does with a
submitted notebook except running it. The result must always be a notebook that can be graded, or a
sentence.
"""

from __future__ import annotations

import copy
import importlib.util
import json
import random
import tempfile
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from grading.engine.intake import store
from grading.engine.intake.submission import read_submission
from grading.engine.marks import similarity
from grading.engine.nbgrader.import_nbgrader import nbformat, quiet
from grading.engine.pages import safe_html
from grading.engine.submitted_notebook import notebook_files, restore_notebook
from grading.engine.trusted_process_limits import bounded
from tito.errors import WorkError
from tito.notebook.cells import cells_of
from tito.notebook.ipynb_format import read_text
from tito.notebook.stubs import stubs
from tito.notebook.syntax_errors import syntax_errors
from tito.student_work import exporter

with quiet():
    from nbgrader.nbgraderformat import MetadataValidator

REPOSITORY = Path(__file__).resolve().parents[2]
# taken from a real notebook in most cases, because a small notebook is read in a millisecond
CELLS = 10
MEGABYTE = 1e6


# Real notebooks


def real_notebooks() -> list[dict[str, Any]]:
    """The notebooks of the course, and those that nbgrader installs: its examples and the odd ones
    of its tests.
    """
    found = [json.loads(path.read_text("utf-8")) for path in REPOSITORY.glob("modules/*/*.ipynb")]
    spec = importlib.util.find_spec("nbgrader")
    for path in sorted(Path(spec.origin).parent.rglob("*.ipynb")):
        try:
            notebook = json.loads(path.read_text("utf-8"))
        except ValueError:
            continue  # one of nbgrader's tests is about such a file
        if notebook.get("cells"):
            found.append(notebook)
    return found


def piece(notebook: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """Some consecutive cells of a notebook."""
    size = chance.choice((1, 3, CELLS, CELLS, CELLS, len(notebook["cells"])))
    start = chance.randrange(max(1, len(notebook["cells"]) - size + 1))
    return copy.deepcopy({**notebook, "cells": notebook["cells"][start : start + size]})


def as_released(notebook: dict[str, Any]) -> Any:
    """A valid release for a submission: with ids, and each label only once."""
    cells, seen = [], set()
    for number, cell in enumerate(notebook["cells"]):
        kind = cell["cell_type"] if cell["cell_type"] in ("code", "markdown") else "raw"
        make = getattr(nbformat.v4, f"new_{kind}_cell")
        made = make("".join(cell.get("source", "")), id=f"cell-{number}")
        flags = cell.get("metadata", {}).get("nbgrader") or {}
        made.metadata["nbgrader"] = nbformat.from_dict(flags)
        label = flags.get("grade_id")
        try:
            MetadataValidator().validate_cell(made)
        except Exception:  # noqa: BLE001 - nbgrader's tests have cells that raise all kinds
            label = None
        if label is None or label in seen:
            del made.metadata["nbgrader"]
        seen.add(label)
        cells.append(made)
    kernel = {"name": "python3", "display_name": "Python 3"}
    return nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})


# Damage

ODD: tuple[Any, ...] = (
    *(None, True, -1, 2**63, 10**400, 1.5, float("nan"), float("inf"), "", "0", "code", "raw"),
    *("\ud800", "\x00", "\x1b[31m", "\u202e", "\ufeff", "\U0001f600", "x" * 5000, "\n" * 2000),
    *("(" * 500, "'''", "%%bash", "#| export", "# %% [cell 1]", "from __future__ import braces"),
    *(
        "../../x",
        "<script>",
        "a" * 65,
        "\\begin{a}",
        [],
        {},
        [[]],
        {"": {}},
        ["a", 1],
        [None] * 200,
    ),
    *({"grade_id": "x"}, {"cell_type": "code"}, {"image/png": "aGk="}, {"tags": ["demo"]}),
)
TOKENS = (
    *'{ } [ ] , : " \\ \\ud800 null NaN 1e999 tru'.split(),
    "9" * 5000,
    *('"cells":', '"cell_type":"code"', '"source":', '"metadata":{}', '"nbgrader":', '"id":'),
    *('{"a":' * 50, "[" * 200, '"worksheets":[{"cells":[{}]}]', "\ufeff", "\x00", "é"),
)


def places(value: Any) -> list[tuple[Any, Any]]:
    """(container, key) of everything inside a JSON value."""
    found: list[tuple[Any, Any]] = []
    todo = [value]
    while todo:
        one = todo.pop()
        for key, inside in one.items() if isinstance(one, dict) else enumerate(one):
            found.append((one, key))
            if isinstance(inside, (dict, list)):
                todo.append(inside)
    return found


def _copied(value: Any) -> Any:
    """A copy; None for what several changes have nested too deeply to be copied."""
    try:
        return copy.deepcopy(value)
    except RecursionError:
        return None


def damage_tree(notebook: dict[str, Any], chance: random.Random) -> None:
    """Change one place of the notebook's tree."""
    spots = places(notebook)
    if not spots:
        return
    (holder, key), (other, place) = chance.choice(spots), chance.choice(spots)
    odd = copy.deepcopy(chance.choice(ODD))
    for _ in range(chance.choice((0, 0, 0, 3, 300))):
        odd = [odd] if chance.random() < 0.5 else {"a": odd}
    kind = chance.randrange(6)
    if kind == 0:
        del holder[key]
    elif kind == 1:
        holder[key] = _copied(other[place])
    elif kind == 2 and isinstance(holder, list):
        holder[key:key] = [_copied(holder[key])] * chance.choice((1, 2, 50))
    elif kind == 3 and isinstance(holder, list):
        chance.shuffle(holder)
    else:
        holder[key] = odd


def damage_text(text: str, chance: random.Random) -> str:
    """Change one place of the JSON text."""
    start = chance.randrange(len(text) + 1)
    end = min(len(text), start + chance.choice((0, 1, 3, 300, 3000)))
    new = chance.choice((*TOKENS, "", text[start:end] * 2, chr(chance.randrange(0x180))))
    return text[:start] + (new + text[end:] if chance.random() < 0.9 else "")


def damage_bytes(data: bytes, chance: random.Random) -> bytes:
    text, start = data.decode("utf-8", "replace"), chance.randrange(len(data) + 1)
    odd = data[:start] + chance.randbytes(4) + data[start:]
    wide = text.encode(chance.choice(("utf-16", "utf-32", "utf-7")))
    latin = text.encode("latin-1", "replace")
    return chance.choice((odd, b"\xef\xbb\xbf" + data, wide, latin))


def case(seed: int, real: list[dict[str, Any]]) -> tuple[bytes, Any]:
    """A damaged notebook, the same for the same number, and the release that it was made from."""
    chance = random.Random(seed)
    notebook = piece(chance.choice(real), chance)
    released = as_released(notebook)
    for _ in range(chance.choice((0, 1, 1, 2, 4, 8))):
        damage_tree(notebook, chance)
    text = json.dumps(notebook, ensure_ascii=chance.random() < 0.5, indent=chance.choice((None, 1)))
    for _ in range(chance.choice((0, 0, 0, 1, 2, 4)) if text else 0):
        text = damage_text(text, chance)
    data = text.encode("utf-8", chance.choice(("replace", "surrogatepass")))
    if chance.random() < 0.05:
        data = damage_bytes(data, chance)
    return data, released


# From a submitted file to its grading

ASSIGNMENT = SimpleNamespace(name="07_tiny")


def whole_way(data: bytes, released: Any, folder: Path, *, pages: bool = False) -> str | None:
    """Do everything that the trusted side does with a submitted notebook, except running it.

    Returns:
        The sentence that refuses it; None when it can be graded.
    """
    path = folder / "work.ipynb"
    path.write_bytes(data)
    read_submission(folder, "ann", {"work": {"x"}})
    store._broken(data).encode("utf-8")
    similarity.read_written([("work", path)])
    try:
        submitted = notebook_files.read_any(read_text(path), path.name)
    except WorkError as problem:
        str(problem).encode("utf-8")
        return str(problem)
    notebook = restore_notebook.rebuild(submitted, released)
    nbformat.validate(notebook)
    MetadataValidator().validate_nb(notebook)
    _is_the_release(notebook, released)
    nbformat.v4.writes(notebook, split_lines=False).encode("utf-8")
    cells = cells_of(notebook)
    syntax_errors(cells)
    stubs(cells)
    exporter.render(cells, ASSIGNMENT, source_name="work.ipynb").encode("utf-8")
    for cell in notebook.cells if pages else ():
        if cell.cell_type == "markdown":
            safe_html.safe_markdown({"cell": cell}, cell.source)
        elif cell.cell_type == "code":
            safe_html.safe_highlight(cell.source)
    return None


def _is_the_release(notebook: Any, released: Any) -> None:
    """Flags, tags and every cell that is no solution are those of the release."""
    found = {label: cell for cell in notebook.cells if (label := _label(cell))}
    assert notebook.metadata.kernelspec == released.metadata.kernelspec
    for cell in filter(_label, released.cells):
        flags, own = cell.metadata.nbgrader, found.get(cell.metadata.nbgrader.grade_id)
        assert own or flags.get("solution"), flags
        if own:
            assert (own.metadata.nbgrader, "tags" in own.metadata) == (flags, False)
            assert own.source == cell.source or flags.get("solution"), flags


def _label(cell: Any) -> str | None:
    return cell.metadata.get("nbgrader", {}).get("grade_id")


def run(seeds: Iterable[int], real: list[dict[str, Any]]) -> int:
    """How many cases are refused; the error names the seed of its case."""
    refused = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in seeds:
            data, released = case(seed, real)
            size = max(len(data), 100_000) / MEGABYTE
            # several times the worst that was seen; a step with quadratic cost is far above
            limits = {"seconds": int(20 * size) + 1, "memory_bytes": 2**28 + int(2e8 * size)}
            try:
                with bounded("it", **limits):
                    said = whole_way(data, released, Path(folder), pages=seed % 20 == 0)
            except BaseException as problem:
                raise AssertionError(f"seed {seed}") from problem
            refused += said is not None
    return refused

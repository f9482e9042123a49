"""A .ipynb file as JSON: what a notebook is, and how large its JSON and its cells may be."""

import json
from pathlib import Path
from typing import Any

from tito.errors import WorkError

# What the parsers of JSON and of Python raise when the nesting is too deep or the memory too small.
# Python 3.11 may raise SystemError in place of MemoryError: python/cpython issue 106905.
TOO_DEEP = (RecursionError, MemoryError, SystemError)

MAX_CELLS = 2000  # of a notebook: each cell, even an empty one, costs time in every step
MAX_JSON_BYTES = 256 * 2**20  # the most memory that the values of a notebook's JSON may take
# Bytes of memory that one of these characters of a JSON text may cost: half a string, a dict with
# its first key, a list with its first places, a value with its place in a list.
_QUOTE_COST = 32
_COSTS = (('"', _QUOTE_COST), ("{", 240), ("[", 96), (",", 48))


def load_ipynb(path: Path) -> dict[str, Any]:
    """The notebook as parsed JSON, with a list of cells that each have a type and a source.

    Raises:
        WorkError: the file cannot be read, is not JSON, or is not a notebook of format 4.
    """
    notebook = read_json(read_text(path), path.name)
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list) or not isinstance(notebook.setdefault("metadata", {}), dict):
        raise WorkError(
            f"a notebook has metadata and a list of cells (format 4); {path.name} does not"
        )
    need_few(cells, path.name)
    for index, cell in enumerate(cells, start=1):
        if not is_cell(cell):
            raise WorkError(
                f"each cell has a cell_type, metadata and a source of text; cell {index} of"
                f" {path.name} does not"
            )
        try:
            source_of(cell).encode("utf-8")
        except UnicodeEncodeError as problem:
            # JSON can write half of a surrogate pair, which UTF-8 cannot encode
            raise WorkError(
                f"the source of a cell is text that UTF-8 can encode; cell {index} of {path.name}"
                f" holds {problem.object[problem.start]!r}"
            ) from None
    return notebook


def is_cell(raw: Any) -> bool:
    """Whether a value of the JSON is a cell, with a type, metadata and a source of text."""
    source = raw.get("source") if isinstance(raw, dict) else None
    lines = [source] if isinstance(source, str) else source
    if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
        return False
    kind, metadata = raw.get("cell_type"), raw.setdefault("metadata", {})
    return isinstance(kind, str) and isinstance(metadata, dict)


def read_json(text: str, name: str) -> Any:
    """The value of a notebook's JSON, of any type. The length of the text bounds time and memory;
    beside the text itself, memory is also bounded by MAX_JSON_BYTES.

    Raises:
        WorkError: the text is not JSON, or its values would take more memory.
    """
    if _json_bytes(text) > MAX_JSON_BYTES:
        raise WorkError(
            f"the values of a notebook fit into {MAX_JSON_BYTES // 2**20} MiB of memory; {name} has"
            " too many. Clear its outputs and save it again"
        )
    try:
        return json.loads(text, parse_int=_whole_number)
    except (ValueError, *TOO_DEEP) as problem:
        why = "" if text.strip() else "it is empty"
        why = why or ("" if text.rstrip().endswith("}") else "its end is missing: ") + str(problem)
        raise WorkError(
            f"a notebook is a JSON file; {name} is not: {why or 'nested too deeply'}"
        ) from None


def need_few(cells: list[Any], name: str) -> None:
    """Refuse a notebook of more cells than a person writes."""
    if len(cells) > MAX_CELLS:
        raise WorkError(
            f"a notebook has at most {MAX_CELLS:,} cells; {name} has {len(cells):,}. Delete the"
            " cells that you do not need"
        )


def _json_bytes(text: str) -> int:
    """An upper bound of the bytes of memory that the values of a JSON text take, found without
    creating them.

    Characters inside strings do not count. Finding the strings takes time, so it is done only where
    the whole text has too many of the characters in `_COSTS`.
    """
    whole = sum(text.count(mark) * cost for mark, cost in _COSTS)
    if whole <= MAX_JSON_BYTES:
        return whole
    text = text.replace("\\\\", "").replace('\\"', "")
    total = text.count('"') * _QUOTE_COST
    begin = 0
    while begin < len(text) and total <= MAX_JSON_BYTES:
        opening = text.find('"', begin)
        end = len(text) if opening < 0 else opening
        total += sum(text.count(mark, begin, end) * cost for mark, cost in _COSTS)
        closing = text.find('"', end + 1)
        begin = len(text) if closing < 0 else closing + 1
    return total


def _whole_number(digits: str) -> int:
    """The int that `digits` spell, refused above 4,300 digits, which take too long to convert.
    Python has had such a limit of its own only since 3.11.
    """
    if len(digits) > 4300:
        raise ValueError(f"a number of {len(digits):,} digits")
    return int(digits)


def source_of(raw: dict[str, Any]) -> str:
    """The source of one raw cell, whether it is kept as text or as a list of lines."""
    return raw["source"] if isinstance(raw["source"], str) else "".join(raw["source"])


def read_text(path: Path) -> str:
    """The text of a notebook or its script.

    Raises:
        WorkError: the file is absent, cannot be read or is not UTF-8. The caller adds what to do,
            which depends on whose file it is.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise WorkError(f"there is no {path}") from None
    except UnicodeDecodeError as problem:
        raise WorkError(
            f"a notebook is text in UTF-8; {path.name} is not (byte {problem.start})"
        ) from None
    except OSError as problem:
        raise WorkError(f"{path.name} cannot be read: {problem.strerror or problem}") from None

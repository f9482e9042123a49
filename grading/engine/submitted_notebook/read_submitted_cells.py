"""A submitted notebook as plain data: for each cell its kind, source, label, id, pictures and what
it showed as text or as a picture, and nothing else. All other content, however large, is parsed
once and then dropped.
"""

import codecs
import contextlib
import json
from collections.abc import Iterator
from typing import Any

from grading.engine.submission_size_and_time import NOTEBOOK_OUTPUT_BYTES
from tito.errors import WorkError
from tito.notebook.ipynb_format import need_few, read_json

ATTACHMENT_BYTES = 2 * 2**20  # for one cell; a photographed page has 1 MB
SHOWN = ("text/plain", "image/png", "image/jpeg")  # the types of an output that are kept
UNREAD = "tito_unread"  # notebook metadata: why a person has to look at the file itself
KINDS = ("code", "markdown", "raw", "heading", "html", "text")  # the last three: before 2015
_SAVED_AS = (
    "the notebook was saved as {}, not as UTF-8, and was read as such; letters outside ASCII may"
    " look wrong"
)

# What else students hand in, by its first bytes: (bytes, what it is)
_OTHERS = (
    (b"PK\x03\x04", "a zip or an Office document"),
    (b"%PDF", "a PDF"),
    (b"<", "a web page"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8", "a picture"),
)


def readable(data: bytes) -> tuple[bytes, str]:
    """A notebook's bytes in UTF-8 without a byte order mark, and a note if they were in another
    encoding. Some editors write UTF-16 or the encoding of Windows.
    """
    plain = data.removeprefix(codecs.BOM_UTF8)
    form: str = json.detect_encoding(plain)
    title, forms = form.upper(), [form]
    if form.startswith("utf-8"):
        title, forms = "Windows-1252", ["utf-8", "cp1252", "latin-1"]
    for form in forms:
        with contextlib.suppress(UnicodeDecodeError):
            text = plain.decode(form).encode("utf-8", "replace")
            return (plain, "") if form == "utf-8" else (text, _SAVED_AS.format(title))
    return plain, ""


def why_unreadable(data: bytes) -> str:
    """What is wrong with a file that is not a notebook, and what to do next; "" if nothing is."""
    plain, _ = readable(data)
    again = "Ask for the notebook again; until then it earns nothing"
    if not plain.strip(b"\0 \r\n\t"):
        return f"a notebook has cells; this file is empty. {again}"
    what = next((what for first, what in _OTHERS if plain.lstrip().startswith(first)), None)
    if what:
        return f"a notebook is a JSON file; this is {what}, renamed to .ipynb. {again}"
    try:
        read_submitted(plain.decode("utf-8", "replace"), "the file")
    except WorkError as problem:
        whole = plain.rstrip().endswith((b"}", b"]"))
        cut = "" if whole else "; it ends in the middle, as after a broken upload"
        return f"{problem}{cut}. {again}"
    return ""


def read_submitted(text: str, name: str) -> dict[str, Any]:
    """The notebook in `text`, converted to version 4; `name` is its name in messages.

    Raises:
        WorkError: the text is not JSON, has no list of cells, or is too large.
    """
    data = read_json(text, name)
    data = data if isinstance(data, dict) else {}
    cells, sheets = data.get("cells"), data.get("worksheets")
    if "cells" not in data and isinstance(sheets, list):  # before 2014
        parts = [sheet.get("cells") if isinstance(sheet, dict) else None for sheet in sheets]
        cells = [cell for part in parts for cell in (part if isinstance(part, list) else [part])]
    if not isinstance(cells, list):
        raise WorkError(f"a notebook is a JSON object with a list of cells; {name} has none")
    need_few(cells, name)
    minor = data.get("nbformat_minor")
    plain = [_cell(cell) for cell in cells if isinstance(cell, dict)]
    _bound_outputs(plain)
    return {
        "cells": plain,
        "metadata": {UNREAD: unread} if (unread := list(_unread(data, cells, name))) else {},
        "nbformat": 4,
        "nbformat_minor": minor if type(minor) is int and 0 <= minor <= 5 else 5,
    }


def _unread(data: dict[str, Any], cells: list[Any], name: str) -> Iterator[str]:
    """Sentences about what does not follow the notebook format; everything else is read."""
    if not isinstance(data.get("metadata", {}), dict):
        yield f"a notebook's metadata are a JSON object; those of {name} are not. Look at the file"
    odd = [number for number, cell in enumerate(cells, start=1) if not _whole(cell)]
    if odd:
        yield (
            f"each cell has a known cell_type, metadata and a source of text; {len(odd)} of"
            f" {len(cells)} cells of {name} lack one of these, the first is cell {odd[0]}. Look at"
            " the file: what could not be read counted as empty"
        )


def _whole(cell: Any) -> bool:
    """Whether the cell can be read without losing anything."""
    if not isinstance(cell, dict) or not isinstance(cell.get("metadata", {}), dict):
        return False
    source = _written(cell)
    lines = source if isinstance(source, list) else [source]
    return cell.get("cell_type") in KINDS and all(isinstance(line, str) for line in lines)


def _cell(cell: dict[str, Any]) -> dict[str, Any]:
    """A cell with only the keys that every preprocessor expects."""
    source, metadata, kind = _joined(_written(cell)), cell.get("metadata"), cell.get("cell_type")
    if kind == "heading" and source:
        level = cell.get("level")
        source = f"{'#' * (level if isinstance(level, int) and 1 <= level <= 6 else 1)} {source}"
    if kind not in ("code", "markdown", "raw"):
        kind = "markdown" if kind in ("heading", "html", "text") else "raw"
    result: dict[str, Any] = {
        "cell_type": kind,
        "metadata": _metadata(metadata) if isinstance(metadata, dict) else {},
        "source": source,
    }
    if isinstance(cell.get("id"), str):
        result["id"] = cell["id"]
    if kind == "code":
        outputs = cell.get("outputs")
        shown = map(_output, outputs if isinstance(outputs, list) else ())
        result["outputs"], result["execution_count"] = [one for one in shown if one], None
    elif kind == "markdown" and (pictures := _attachments(cell.get("attachments"))):
        result["attachments"] = pictures
    return result


def _written(cell: dict[str, Any]) -> Any:
    """A cell's text: `source`, or what formats 1 to 3 called it."""
    return next((cell[key] for key in ("source", "input", "code", "text") if key in cell), None)


def _metadata(metadata: dict[str, Any]) -> dict[str, Any]:
    """nbgrader's flags only. Tags are dropped, because only the release may set them."""
    flags = metadata.get("nbgrader")
    if not isinstance(flags, dict):
        return {}
    plain = (str, int, float, type(None))
    return {"nbgrader": {key: flag for key, flag in flags.items() if isinstance(flag, plain)}}


def _output(output: Any) -> dict[str, Any] | None:
    """A submitted output in the form that the notebook format asks for; None for one that has none.
    It is only shown: nothing is scored by it.
    """
    if not isinstance(output, dict):
        return None
    kind, name = output.get("output_type"), output.get("name")
    if kind == "stream":
        stream = name if name in ("stdout", "stderr") else "stdout"
        return {"output_type": kind, "name": stream, "text": _joined(output.get("text"))}
    if kind == "error":
        traceback = output.get("traceback")
        lines = traceback if isinstance(traceback, list) else []
        names = {key: _joined(output.get(key)) for key in ("ename", "evalue")}
        return {"output_type": kind, **names, "traceback": [_joined(line) for line in lines]}
    data = output.get("data")
    if kind not in ("execute_result", "display_data") or not isinstance(data, dict):
        return None
    kept = {mime: _joined(data[mime]) for mime in SHOWN if mime in data}
    result = {"output_type": kind, "data": kept, "metadata": {}}
    return {**result, "execution_count": None} if kind == "execute_result" else result


def _joined(text: Any) -> str:
    """A text that is kept whole or in lines, without what UTF-8 cannot write."""
    lines = text if isinstance(text, list) else [text]
    whole = "".join(line for line in lines if isinstance(line, str))
    return whole if whole.isascii() else whole.encode("utf-8", "replace").decode("utf-8")


def _bound_outputs(cells: list[dict[str, Any]]) -> None:
    """Drop the outputs that come after the first NOTEBOOK_OUTPUT_BYTES of them."""
    left = NOTEBOOK_OUTPUT_BYTES
    for cell in cells:
        kept = []
        for output in cell.get("outputs", ()):
            texts = [output.get("text", ""), *output.get("data", {}).values()]
            texts += output.get("traceback", ())
            left -= 100 + sum(map(len, texts))  # 100: an output besides its texts, roughly
            if left >= 0:
                kept.append(output)
        if "outputs" in cell:
            cell["outputs"] = kept


def _attachments(attachments: Any) -> dict[str, Any]:
    """Pictures pasted into an answer, if they follow the notebook format."""
    good, size = {}, 0
    for name, bundle in attachments.items() if isinstance(attachments, dict) else ():
        texts: list[Any] = list(bundle.values()) if isinstance(bundle, dict) else [None]
        if all(isinstance(text, str) and text.isascii() for text in (name, *texts)):
            # 1000: the overhead of an entry besides its text
            size += 1000 + sum(1000 + len(text) for text in texts)
            if size <= ATTACHMENT_BYTES:
                good[name] = dict(bundle)
    return good

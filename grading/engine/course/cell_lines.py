"""What the cells of a module's source are, in words on their lines: `# %% stub clip_values`.

    # %% stub NAME                             what a student writes, with the answer
    # %% law, 8 points                         the graded cell of the stub above: check("1a")
    # %% test NAME, 8 points                   a graded cell of another name
    # %% question NAME, 2 points [markdown]    the cell below it is for the answer
    # %% given NAME                            locked
    # %% demo NAME                             locked, and tagged as a demo
    # %%, # %% [markdown]                      the student's own to change

nbgrader's metadata follow from these words: NAME is the cell's grade_id. All other options of the
percent format stay as they are.
"""

import re
from pathlib import Path
from typing import Any

from tito.errors import WorkError
from tito.notebook import percent_format
from tito.notebook.cells import percent_parts

_WORDS = re.compile(
    r"(?P<kind>stub|given|demo) (?P<name>[a-z][a-z0-9_]*)"
    r"|(?P<graded>law|test (?P<test>[a-z][a-z0-9_]*)|question (?P<question>[a-z][a-z0-9_]*)),"
    r" (?P<points>0\.\d*[1-9]|[1-9]\d*(?:\.\d+)?) points?"
)
_RULE = (
    "the line of a cell of a source is # %%, # %% [markdown], # %% stub NAME, # %% given NAME,"
    " # %% demo NAME, # %% law, 4 points, # %% test NAME, 4 points or # %% question NAME, 4 points"
    " [markdown]; NAME has lower case letters, digits and _"
)


def parts_of(text: str, path: Path) -> list[percent_format.Part]:
    """The kind, source and metadata of each cell of a source, nbgrader's metadata included.

    Raises:
        WorkError: a line says something else than the words above.
    """

    found: list[percent_format.Part] = []
    stub, asked = "", ""  # the first stub since a graded cell; the question right above
    parts = percent_parts(text, path.name)
    for place, (kind, source, options) in zip(percent_format.begins(text), parts, strict=True):
        metadata = {key: value for key, value in options.items() if key != "title"}
        title = options.get("title", "")
        words = _WORDS.fullmatch(title)
        if "nbgrader" in metadata or (title and not words):
            raise WorkError(f"{path}:{place}: {_RULE}; got {title or 'nbgrader='!r}")
        if words:
            if (kind == "markdown") != bool(words["question"]):
                rule = "[markdown] ends the line of a question, and of no other named cell"
                raise WorkError(f"{path}:{place}: {rule}; got {title!r}")
            if words["kind"] == "demo":
                metadata["tags"] = ["demo"]
            name = words["name"] or words["test"] or words["question"] or f"test_{stub}"
            metadata["nbgrader"] = _nbgrader(words, name)
            stub = "" if words["graded"] else stub or (name if words["kind"] == "stub" else "")
        elif asked and kind == "markdown":
            metadata["id"] = f"answer-{asked.replace('_', '-')}"
        asked = (words and words["question"]) or ""
        found.append((kind, source, metadata))
    return found


def _nbgrader(words: re.Match[str], name: str) -> dict[str, Any]:
    flags: dict[str, Any] = {
        "grade_id": name,
        "solution": words["kind"] == "stub",
        "grade": bool(words["graded"]) and not words["question"],
        "locked": words["kind"] != "stub",
        "task": bool(words["question"]),
        "schema_version": 3,
    }
    if words["points"]:
        points = float(words["points"])
        flags["points"] = int(points) if points.is_integer() else points
    return flags

"""`%hint`: the output of `tito hint` in a notebook cell."""

from __future__ import annotations

import json
import subprocess
import textwrap
from typing import Any

from tinytorch.notebook.command import in_a_cell, tito, words_of

HINT_SECONDS = 60.0  # a hint takes a fraction of a second; the limit is for a machine that hangs
# the length of a line: the output of a cell would break longer lines within a word
LETTERS, INDENT = 100, " " * 5


def hint(line: str) -> None:
    """Show one hint for an exercise of this notebook's module; each run shows one more.

    %hint                  the exercises, and how many of their hints you have seen
    %hint epoch_order      the next hint: the idea, the function to use, an almost finished line
    %hint 08 epoch_order   the next hint for an exercise of another module
    %hint --again NAME     the hints that you have seen, no new one
    """
    words = words_of(line, "%hint")
    if words is None:
        return
    try:
        done = tito(["hint", "--json", *words], HINT_SECONDS)
    except subprocess.TimeoutExpired:
        print(
            f"tito hint gave no answer in {HINT_SECONDS:.0f} s; try it in a terminal:"
            f" tito hint {' '.join(words)}"
        )
        return
    try:
        document = json.loads(done.stdout)
    except ValueError:
        last = (done.stderr.strip().splitlines() or ["nothing"])[-1]
        why = f"tito said: {last}"
        if "No module named tito" in last:
            why = "The command line tito is not installed: pip install -e '.[notebook]'"
        print(
            "%hint NAME, where NAME is an exercise or a test of it; `%hint` alone lists them."
            f" {why}"
        )
        return
    for row in _rows_of_hint(document):
        print(row)


def _rows_of_hint(document: dict[str, Any]) -> list[str]:
    if not document.get("ok"):
        return [in_a_cell(str(document.get("error", "tito gave no reason")))]
    if "exercises" in document:
        names = [
            " ".join(filter(None, [row.get("number"), row["title"]]))
            for row in document["exercises"]
        ]
        wide, rows = max(map(len, names), default=0), []
        for name, row in zip(names, document["exercises"], strict=True):
            seen = f"{row['seen']} of {row['of']} hints seen"
            rows.append("   ".join(filter(None, [f"{name:<{wide}}", row["state"], seen])))
        words = f"{document['module']}: {document['words']}"
        return [*rows, "one hint: %hint NAME", words, in_a_cell(document["advice"])]
    title = " ".join(filter(None, [document.get("number"), document["exercise"]]))
    rows = [f"{title}: hint {document['level']} of {document['of']}"]
    hints = zip(document["layers"], document["hints"], strict=True)
    whole: Any = {"break_long_words": False, "break_on_hyphens": False}
    for number, (layer, text) in enumerate(hints, start=1):
        shown = textwrap.wrap(text, LETTERS - len(INDENT), **whole)
        rows += ["", f"  {number}. {layer}", *(INDENT + row for row in shown)]
    then = "one more" if document["level"] < document["of"] else "then"
    return [*rows, "", f"{then}: {in_a_cell(document['next'])}"]

"""Wrong and alternative right solutions of a module, as their files describe them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

HEADER = {
    "believed": "# What a student believed: ONE SENTENCE",
    "caught by": "# caught by: test_NAME",
    "reads": "# reads: THE SENTENCE ON SCREEN",
}


_KEY = re.compile(r"#\s*(What a student believed|caught by|reads)\s*:\s*(.*)", re.IGNORECASE)


@dataclass(frozen=True)
class Variant:
    """One file: the definitions that differ and, for a misconception, the fields of its header."""

    path: Path
    text: str
    believed: str = ""
    caught_by: str = ""  # grade_id of a test cell, or the name of a contract test
    reads: str = ""  # a sentence (or a part of one) that the student reads on screen

    @property
    def exercise(self) -> str:
        """The folder's name, which is the exercise that this file solves."""
        return self.path.parent.name

    @property
    def name(self) -> str:
        return f"{self.path.parent.name}/{self.path.stem}"


def read_misconceptions(folder: Path) -> tuple[list[Variant], list[str]]:
    """The misconceptions under `folder`/<exercise>/, and the problems of the files whose header is
    wrong.
    """
    good, faults = [], []
    for path in sorted(folder.glob("*/*.py")):
        variant = read_variant(path)
        missing = [
            HEADER[key]
            for key, value in (
                ("believed", variant.believed),
                ("caught by", variant.caught_by),
                ("reads", variant.reads),
            )
            if not value
        ]
        if missing:
            faults.append(
                f"{path}: a misconception says what was believed, which test catches it and what"
                f" the student reads; add at the top: {'  and  '.join(missing)}"
            )
        else:
            good.append(variant)
    return good, faults


def read_alternatives(folder: Path) -> list[Variant]:
    return [read_variant(path) for path in sorted(folder.glob("*.py"))]


def read_variant(path: Path) -> Variant:
    """Read a file and the header in its first comment lines; a comment line without a key continues
    the line above.
    """
    text = path.read_text(encoding="utf-8")
    fields: dict[str, str] = {}
    key = None
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        found = _KEY.match(line)
        if found:
            key = found.group(1).lower()
            fields[key] = found.group(2).strip()
        elif key:
            fields[key] = f"{fields[key]} {line.lstrip('# ').strip()}".strip()
    return Variant(
        path,
        text,
        fields.get("what a student believed", ""),
        fields.get("caught by", ""),
        fields.get("reads", ""),
    )

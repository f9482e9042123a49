"""The verbs, found in their folders: `tito VERB` is tito/commands/VERB.py, `tito grade VERB` is grading/commands/VERB.py,
`tito dev VERB` is grading/commands/dev_VERB.py. Help is the docstring's first line. Nothing is imported to list them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

GROUPS = {"grade": "an instructor's verbs: release, collect, autograde, feedback, export ...",
          "dev": "an author's verbs: check, new, bundle ..."}
# The order in which a student meets them; a verb that is not named here comes after, by name.
_ORDER = ("start", "test", "export", "hint", "watch", "status", "profile", "submit", "reset", "sync", "doctor", "completion")
_DOCSTRING = re.compile(r'\A(?:#[^\n]*\n)*[rR]?"""\s*([^\n]*?)(?:"""|\n|\Z)')


@dataclass(frozen=True)
class Verb:
    """One command: where its code is, and its help in one line."""

    name: str
    group: str | None        # None, "grade" or "dev"
    help: str
    module: str              # what to import
    path: Path


def verbs(group: str | None = None) -> dict[str, Verb]:
    """The verbs of a group by name, in order of display; empty when the room they live in is absent."""
    folder, package = (Path(__file__).parent / "commands", "tito.commands") if group is None else (_grading(), "grading.commands")
    if folder is None:
        return {}
    found = {}
    for path in folder.glob("*.py"):
        stem = path.stem
        if stem.startswith("_") or (group is not None and stem.startswith("dev_") != (group == "dev")):
            continue
        name = stem.removeprefix("dev_") if group == "dev" else stem
        found[name.replace("_", "-")] = Verb(name.replace("_", "-"), group, _first_line(path), f"{package}.{stem}", path)
    return dict(sorted(found.items(), key=lambda item: (_ORDER.index(item[0]) if item[0] in _ORDER else len(_ORDER), item[0])))


def _grading() -> Path | None:
    """grading/commands, when this tito comes with it; a student's bundle does not."""
    spec = find_spec("grading")   # looks for the folder; does not import it
    places = [Path(place) / "commands" for place in (spec.submodule_search_locations or ())] if spec else []
    return next((place for place in places if place.is_dir()), None)


def _first_line(path: Path) -> str:
    with path.open(encoding="utf-8") as file:
        found = _DOCSTRING.match(file.read(400))
    return found.group(1).strip() if found else ""

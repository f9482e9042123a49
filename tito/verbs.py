"""The verbs, found in their folders: `tito VERB` is tito/commands/VERB.py, `tito grade VERB` is
grading/commands/VERB.py, `tito dev VERB` is grading/commands/dev_VERB.py, `tito site VERB` is
site/_tools/verbs/VERB.py. Help is the docstring's first line. Nothing is imported to list them.
"""

from __future__ import annotations

import os
import sys
from collections import namedtuple
from importlib.machinery import PathFinder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

GROUPS = {
    "grade": "an instructor's verbs: release, collect, autograde, feedback, export ...",
    "dev": "an author's verbs: check, new, bundle ...",
    "site": "the course's web pages: build, serve, check",
}
_SITE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "site", "_tools")
# The order in which they are needed; a verb that is not listed comes after these, by name.
_ORDER: dict[str | None, str] = {
    None: "start test export hint watch status profile submit reset sync doctor completion",
    "grade": "doctor release collect late autograde formgrade mark similar report feedback export",
    "dev": "new check mutate demo bundle",
    "site": "build check serve",
}

# `help` is one line, `module` the name to import, `path` its file. Dataclasses, pathlib and re are
# not used here, because importing them would slow down `tito --help`.
Verb = namedtuple("Verb", "name group help module path")


def verbs(group: str | None = None) -> dict[str, Verb]:
    """The verbs of a group (None or one of GROUPS) by name, in order of display; empty when their
    folder is absent.
    """
    folder, package = _room(group)
    if folder is None:
        return {}
    verb_of = {}
    for name in os.listdir(folder):
        stem, extension = os.path.splitext(name)
        foreign = group is not None and stem.startswith("dev_") != (group == "dev")
        if extension != ".py" or stem.startswith("_") or foreign:
            continue
        word = (stem.removeprefix("dev_") if group == "dev" else stem).replace("_", "-")
        path = os.path.join(folder, name)
        verb_of[word] = Verb(word, group, _summary(path), f"{package}.{stem}", path)
    order = _ORDER.get(group, "").split()
    order += sorted(verb_of.keys() - set(order))
    return {name: verb_of[name] for name in order if name in verb_of}


def load(verb: Verb) -> Any:
    import importlib

    if verb.group == "site" and "site_tools" not in sys.modules:
        # a folder called `site` cannot be imported: the standard library has a module of that name
        from importlib.util import module_from_spec, spec_from_file_location

        spec = spec_from_file_location(
            "site_tools", os.path.join(_SITE, "__init__.py"), submodule_search_locations=[_SITE]
        )
        assert spec and spec.loader  # a file that ends in .py has both
        sys.modules["site_tools"] = module_from_spec(spec)
        spec.loader.exec_module(sys.modules["site_tools"])
    return importlib.import_module(verb.module)


def _room(group: str | None) -> tuple[str | None, str]:
    """The folder of a group's verbs (None where this copy lacks it), and the package of that
    folder.
    """
    if group is None:
        return os.path.join(os.path.dirname(__file__), "commands"), "tito.commands"
    if group == "site":
        folder = os.path.join(_SITE, "verbs")
        return folder if os.path.isdir(folder) else None, "site_tools.verbs"
    return _grading(), "grading.commands"


def _grading() -> str | None:
    """The folder grading/commands; None where this copy lacks it, as a student's bundle does."""
    spec = PathFinder.find_spec("grading", sys.path)  # looks for the folder; does not import it
    roots = (spec.submodule_search_locations or ()) if spec else ()
    places = (os.path.join(place, "commands") for place in roots)
    return next((place for place in places if os.path.isdir(place)), None)


def _summary(path: str) -> str:
    """The first paragraph of a file's docstring, on one line; comments may stand above it."""
    lines: list[str] = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            text = line.strip()
            if not lines and (not text or text.startswith("#")):
                continue
            if not lines:
                if '"""' not in line[:4]:
                    return ""
                text = text.removeprefix("r").removeprefix('"""')
            lines.append(text.removesuffix('"""'))
            if not text or text.endswith('"""'):
                break
    return " ".join(lines).strip()

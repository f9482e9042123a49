"""The verbs, found in their folders: `tito VERB` is tito/commands/VERB.py or, for a verb that needs
the grader, grading/commands/top_VERB.py; `tito grade VERB` is grading/commands/VERB.py, `tito dev
VERB` is grading/commands/dev_VERB.py, `tito site VERB` is site/_tools/verbs/VERB.py. Help is the
docstring's first line. Nothing is imported to list them.
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
_HERE = os.path.dirname(os.path.abspath(__file__))
# beside tito in a checkout, below it in an installed package
_SITES = (os.path.join(os.path.dirname(_HERE), "site"), os.path.join(_HERE, "_site"))
_SITE = next((os.path.join(one, "_tools") for one in _SITES if os.path.isdir(one)), "")
# How the files of a group's verbs begin; None is `tito VERB`.
_PREFIXES = {"dev": "dev_", None: "top_"}
# The order in which they are needed; a verb that is not listed comes after these, by name.
_ORDER: dict[str | None, str] = {
    None: "start test export hint watch status profile submit reset sync doctor completion"
    " new-course",
    "grade": "doctor release collect late autograde formgrade mark similar report feedback export"
    " term move",
    "dev": "new check mutate demo bundle",
    "site": "build check serve",
}

# `help` is one line, `module` the name to import, `path` its file. Dataclasses, pathlib and re are
# not used here, because importing them would slow down `tito --help`.
Verb = namedtuple("Verb", "name group help module path")


def verbs(group: str | None = None) -> dict[str, Verb]:
    """The verbs of a group (None or one of GROUPS), in order; none where its folder is absent."""
    verb_of = {}
    for folder, package in _rooms(group):
        mine = _PREFIXES.get(group, "") if package == "grading.commands" else ""
        others = tuple(one for one in _PREFIXES.values() if one != mine)
        for name in os.listdir(folder):
            stem, extension = os.path.splitext(name)
            foreign = not stem.startswith(mine) or stem.startswith(others)
            if extension == ".py" and not stem.startswith("_") and not foreign:
                word, path = stem.removeprefix(mine).replace("_", "-"), os.path.join(folder, name)
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


def _rooms(group: str | None) -> list[tuple[str, str]]:
    """The folders with a group's verbs, as far as this copy has them, each with its package."""
    if group == "site":
        rooms: list[tuple[str | None, str]] = [(os.path.join(_SITE, "verbs"), "site_tools.verbs")]
    else:
        rooms = [(_grading(), "grading.commands")]
    if group is None:
        rooms.insert(0, (os.path.join(_HERE, "commands"), "tito.commands"))
    return [(folder, package) for folder, package in rooms if folder and os.path.isdir(folder)]


def _grading() -> str | None:
    """The folder grading/commands; None where this copy lacks it, as a student's bundle does."""
    spec = PathFinder.find_spec("grading", sys.path)  # looks for the folder; does not import it
    roots = (spec.submodule_search_locations or ()) if spec else ()
    places = (os.path.join(place, "commands") for place in roots)
    return next((place for place in places if os.path.isdir(place)), None)


def _summary(path: str) -> str:
    """The first paragraph of a file's docstring, on one line; comments may be above it."""
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

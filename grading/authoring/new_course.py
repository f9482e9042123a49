"""A course of one's own: a folder with tito.toml, a package, one small module, the wheel of the
tools if they came from no index, and what CI needs.

The folder is filled beside its place and moved there at the end, so that an error half-way leaves
nothing.
"""

import json
import os
import re
import sys
import tempfile
from importlib import metadata
from importlib.machinery import PathFinder
from pathlib import Path
from urllib.parse import urlparse
from urllib.request import url2pathname

from grading.authoring.new_module import TEMPLATES, filled, new_module
from tito.errors import UsageError
from tito.files import write_atomic
from tito.workspace import FILE, Workspace

NAME = re.compile(r"[a-z][a-z0-9_]*")
PLACES = {  # template -> where it goes
    "tito.toml.txt": FILE,
    "pyproject.toml.txt": "pyproject.toml",
    "README.md.txt": "README.md",
    "gitignore.txt": ".gitignore",
    "check.yml.txt": ".github/workflows/check.yml",
    "init.py.txt": "PACKAGE/__init__.py",
}


def own_wheel() -> Path | None:
    """The wheel that tito was installed from, if it is still there. pip notes its address (PEP 610)
    where it came from no index, and then students cannot get it from one either.
    """
    try:
        noted = metadata.distribution("tinytorch-course").read_text("direct_url.json")
    except metadata.PackageNotFoundError:
        return None
    path = Path(url2pathname(urlparse(json.loads(noted or "{}").get("url", "")).path))
    return path if path.suffix == ".whl" and path.is_file() else None


def new_course(folder: Path, title: str, module: str) -> Workspace:
    """Write a course into `folder`, whose name is that of the package that students finish.

    Args:
        title: of the course, on one line.
        module: the first one, such as "01_roots".

    Raises:
        UsageError: the folder exists, its name is none for a new package, or the module's is none.
    """
    name = folder.name
    if not NAME.fullmatch(name) or name in sys.stdlib_module_names:
        raise UsageError(
            "a course is called as the package that students finish: lower case letters, digits and"
            f" _, and no module of Python; got {name!r}. For example: tito new-course numerics"
        )
    if folder.exists():
        raise UsageError(
            f"new-course never writes over what is there; {folder} exists. Move it away, or choose"
            " another name"
        )
    if (installed := PathFinder.find_spec(name)) and installed.origin:
        raise UsageError(
            f"students import the course's package, so no other may have its name; {name} is"
            f" installed: {installed.origin}. Choose another name: tito new-course my_{name}"
        )
    if "\n" in title or '"' in title or "\\" in title:
        raise UsageError(f'a title is one line without " and \\; got {title!r}')
    values = {"PACKAGE": name, "TITLE": title, "NUMBER": module.partition("_")[0]}
    with tempfile.TemporaryDirectory(prefix=".new-", dir=folder.parent) as made:
        scratch = Path(made).resolve() / name
        for template, place in PLACES.items():
            text = (TEMPLATES / "course" / template).read_text(encoding="utf-8")
            write_atomic(scratch / filled(place, values), filled(text, values))
        if wheel := own_wheel():
            write_atomic(scratch / "wheels" / wheel.name, wheel.read_bytes())
        (scratch / "modules").mkdir()
        new_module(Workspace(scratch), module)
        os.rename(scratch, folder)
    return Workspace(folder)

"""Wheels for Python in the browser: those of pure-Python packages are packed from what is
installed here, so that the versions are those of constraints.txt.
"""

from __future__ import annotations

import re
import zipfile
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from tito.errors import EnvironmentBroken

# What a requirement is asked about: Python in the browser is this one, wherever the site is built.
BROWSER = {
    "python_version": "3.14",
    "python_full_version": "3.14.2",
    "sys_platform": "emscripten",
    "platform_system": "Emscripten",
    "os_name": "posix",
    "platform_machine": "wasm32",
    "extra": "",
}

# What no notebook of the course reaches, by the start of a file's name. Each file of a wheel costs
# time when a kernel starts: jedi's notes on the types of other packages were most of all files.
UNUSED = ("jedi/third_party/typeshed/stubs/", "jedi/third_party/django-stubs/")
# Packages whose compiled part only makes them faster: they work without it.
FASTER_COMPILED = {"wcwidth"}


@dataclass(frozen=True)
class Wheel:
    """A wheel on the disk, and what its metadata says."""

    path: Path
    name: str
    version: str
    depends: list[str]
    imports: list[str]


def plain(name: str) -> str:
    """A package's name as Pyodide's lock file spells it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def read(path: Path) -> Wheel:
    """What a wheel says about itself."""
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        (said,) = [name for name in names if re.fullmatch(r"[^/]+\.dist-info/METADATA", name)]
        known = metadata.PathDistribution(zipfile.Path(archive, said.removesuffix("METADATA")))
        facts, needs = known.metadata, needed(known.requires or [])
    code = (name for name in names if not re.search(r"\.(dist-info|data)/", name))
    tops = sorted({name.partition("/")[0].removesuffix(".py") for name in code})
    return Wheel(path, plain(facts["Name"]), facts["Version"], needs, tops)


def needed(requirements: list[str]) -> list[str]:
    """The names of those requirements that hold in the browser."""
    from packaging.requirements import Requirement

    parsed = map(Requirement, requirements)
    return sorted(
        {plain(one.name) for one in parsed if not one.marker or one.marker.evaluate(BROWSER)}
    )


def used(name: str) -> bool:
    """Whether the file `name` of a wheel is needed: tests of other packages are not."""
    return not name.startswith(UNUSED) and "/tests/" not in name


def lean(path: Path, folder: Path) -> None:
    """Copy the wheel `path` into `folder`, without the files that are not needed."""
    with zipfile.ZipFile(path) as archive:
        files = [(name, archive.read(name)) for name in archive.namelist() if used(name)]
    _write(folder / path.name, files)


def _write(path: Path, files: list[tuple[str, bytes]]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted(files):
            # a date that is always the same: equal files give an equal wheel
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)


def packed(name: str, folder: Path) -> Wheel:
    """The installed pure-Python package `name` as a wheel in `folder`.

    Raises:
        EnvironmentBroken: it is not installed here, or holds compiled code.
    """
    try:
        distribution = metadata.distribution(name)
    except metadata.PackageNotFoundError:
        raise EnvironmentBroken(
            f"the notebooks in the browser need {name}, which is not installed. Run: python -m pip"
            ' install -c constraints.txt -e ".[site,browser]"'
        ) from None
    files = [
        file
        for file in distribution.files or []
        if ".." not in file.parts and "__pycache__" not in file.parts and used(file.as_posix())
    ]
    compiled = [file for file in files if file.suffix in (".so", ".pyd", ".dylib")]
    if compiled and name not in FASTER_COMPILED:
        raise EnvironmentBroken(
            f"{name} holds code for this machine ({compiled[0]}), so its wheel for the browser must"
            " lie in the folder of --pyodide"
        )
    stem = f"{re.sub(r'[-_.]+', '_', distribution.metadata['Name'])}-{distribution.version}"
    path = folder / f"{stem}-py3-none-any.whl"
    kept = [file for file in files if file not in compiled]
    _write(path, [(file.as_posix(), file.read_binary()) for file in kept])
    return read(path)

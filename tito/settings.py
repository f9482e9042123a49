"""What a course says of itself in its file tito.toml: title, package, license, addresses."""

import keyword
from dataclasses import dataclass, fields
from pathlib import Path

from tito.errors import EnvironmentBroken
from tito.files import read_toml

FILE = "tito.toml"
TOOLS = "tinytorch"  # the package of laws, tests and the profiler, which any course may import


@dataclass(frozen=True)
class Settings:
    """The keys of tito.toml, each with what holds where it is absent.

    Attributes:
        title: of the course, as pages show it.
        package: the package that students finish: a folder of the course, imported by this name.
        license: the SPDX name of the course's license.
        repository_url: where students fetch the course: a public repository with what `tito dev
            bundle` writes, never one with answers. Launch buttons and the notebooks' first cell for
            Colab are made from it, and left out while it is empty.
        site_url: where the pages are published; empty stands for the pages that GitHub or GitLab
            serve for that repository.
    """

    title: str = ""
    package: str = TOOLS
    license: str = ""
    repository_url: str = ""
    site_url: str = ""


def read_settings(root: Path) -> Settings:
    """What tito.toml in the folder `root` says; the defaults where there is no such file.

    Raises:
        EnvironmentBroken: it cannot be read, has another key, a value that is no text, or a package
            that Python cannot import.
    """
    path = root / FILE
    if not path.is_file():
        return Settings()
    found = read_toml(path, EnvironmentBroken)
    known = [field.name for field in fields(Settings)]
    for key, value in found.items():
        if key not in known:
            raise EnvironmentBroken(f"{path} has the keys {', '.join(known)}; remove {key!r}")
        if not isinstance(value, str):
            raise EnvironmentBroken(f"{key} in {path} is a text; it is {value!r}. Repair it there")
    package = found.get("package", TOOLS)
    if not package.isidentifier() or keyword.iskeyword(package):
        raise EnvironmentBroken(
            f"package in {path} is a name that Python can import, such as numerics; it is"
            f" {package!r}. Repair it there"
        )
    return Settings(**found)

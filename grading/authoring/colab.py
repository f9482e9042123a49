"""The first cell of a student edition: in Google Colab it installs the course, anywhere else it
does nothing.

It stands there only while `[tool.tinytorch] repository_url` in pyproject.toml names where students
fetch the course: a public repository that holds what `tito dev bundle` writes, never one with
grading/ in it.
"""

import re
from pathlib import Path
from typing import Any

from tito.errors import EnvironmentBroken
from tito.files import read_toml

CELL_ID = "colab"
SOURCE = """\
# In Google Colab this installs the course. Anywhere else it does nothing.
import sys

if "google.colab" in sys.modules:
    import subprocess

    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "git+{url}"], check=True)
"""
# it becomes code in a student's notebook: nothing that could end the string
_URL = re.compile(r"https://[\w.-]+(?:/[\w.~-]+)+/?")


def repository_url(root: Path) -> str:
    """The setting, without a last slash; "" where it is empty or absent.

    Raises:
        EnvironmentBroken: pyproject.toml cannot be read, or the setting is no https address of a
            repository.
    """
    path = root / "pyproject.toml"
    if not path.is_file():  # a workspace made by a test or from a bundle without it
        return ""
    settings = read_toml(path, EnvironmentBroken)
    for name in ("tool", "tinytorch"):
        settings = settings.get(name, {})
        if not isinstance(settings, dict):
            raise EnvironmentBroken(
                f"[tool.tinytorch] is a table of settings; {name} in {path} is {settings!r}"
            )
    url = settings.get("repository_url", "")
    if url and (not isinstance(url, str) or not _URL.fullmatch(url)):
        raise EnvironmentBroken(
            "repository_url is the https address of a repository, such as"
            f" https://github.com/OWNER/COURSE, or empty; it is {url!r}."
            f" Repair [tool.tinytorch] in {path}"
        )
    return url.rstrip("/")


def with_first_cell(cells: list[Any], root: Path) -> list[Any]:
    """The cells of a student edition, behind the one for Colab where the course has an address."""
    url = repository_url(root)
    if not url:
        return cells
    from grading.engine.nbgrader.library import nbformat

    first = nbformat.v4.new_code_cell(
        SOURCE.format(url=url).rstrip("\n"), id=CELL_ID, metadata={"tags": ["colab"]}
    )
    return [first, *cells]

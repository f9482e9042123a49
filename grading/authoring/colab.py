"""The first cell of a student edition: in Google Colab it installs the course, anywhere else it
does nothing.

It is there only while `repository_url` in tito.toml names where students fetch the course.
"""

import re
from pathlib import Path
from typing import Any

from tito.errors import EnvironmentBroken
from tito.workspace import FILE, read_settings

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
        EnvironmentBroken: tito.toml cannot be read, or the setting is no https address of a
            repository.
    """
    url = read_settings(root).repository_url
    if url and not _URL.fullmatch(url):
        raise EnvironmentBroken(
            "repository_url is the https address of a repository, such as"
            f" https://github.com/OWNER/COURSE, or empty; it is {url!r}. Repair it in {root / FILE}"
        )
    return url.rstrip("/")


def with_first_cell(cells: list[Any], root: Path) -> list[Any]:
    """The cells of a student edition, behind the one for Colab where the course has an address."""
    url = repository_url(root)
    if not url:
        return cells
    from grading.engine.nbgrader.import_nbgrader import nbformat

    first = nbformat.v4.new_code_cell(
        SOURCE.format(url=url).rstrip("\n"), id=CELL_ID, metadata={"tags": ["colab"]}
    )
    return [first, *cells]

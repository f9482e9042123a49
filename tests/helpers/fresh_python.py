"""A Python of its own for a test, without a network."""

import subprocess
import sys
from pathlib import Path


def students_python(folder: Path) -> Path:
    """A Python with the same packages but without this checkout, so that the course comes from the
    handout.
    """
    subprocess.run(
        [sys.executable, "-m", "venv", "--without-pip", str(folder)],
        check=True,
        stdin=subprocess.DEVNULL,
    )
    lend_packages(folder)
    return folder / "bin" / "python"


def lend_packages(folder: Path) -> None:
    """Let the environment in the folder find the packages that this Python has."""
    site = next(folder.glob("lib/python*/site-packages"))
    (site / "packages.pth").write_text(
        "\n".join(path for path in sys.path if path.endswith("site-packages")), encoding="utf-8"
    )

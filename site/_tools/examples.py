"""The commands of pages written by hand, run on the files of site/_examples.

A page holds `<!-- $ COMMAND -->` where the output of a command is wanted, and `<!-- ran -->` where
it is said when and where the commands ran. The commands need PyTorch, so the page shows what is
recorded in site/_examples, with the date, the machine and the versions. To record it again, in an
environment with PyTorch, Pillow and the course:

    python site/_tools/examples.py
"""

from __future__ import annotations

import datetime
import hashlib
import importlib.metadata
import json
import os
import platform
import re
import shlex
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))

from tito.child_processes import finished  # noqa: E402

PACKAGES = ("torch", "numpy", "pillow")
COLUMNS = "80"  # characters that fit into a line of a page
RECORDED = "recorded.json"
_COMMAND = re.compile(r"<!-- \$ (.+?) -->")


@dataclass(frozen=True)
class Ran:
    """What the commands of the pages printed.

    Attributes:
        day: on which they ran, such as 2026-11-23.
        machine: with its number of cores, and the versions of Python and of PACKAGES.
        digest: of the pages' commands and of the files of site/_examples.
        outputs: by command.
    """

    day: str
    machine: str
    digest: str
    outputs: dict[str, str]


def commands(site: Path) -> list[str]:
    """The commands of all pages, in order."""
    texts = (path.read_text(encoding="utf-8") for path in sorted(site.glob("*.md")))
    return [command for text in texts for command in _COMMAND.findall(text)]


def digest(site: Path) -> str:
    files = sorted((site / "_examples").glob("*.py"))
    parts = [*commands(site), *(path.read_text(encoding="utf-8") for path in files)]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def recorded(site: Path) -> Ran:
    return Ran(**json.loads((site / "_examples" / RECORDED).read_text(encoding="utf-8")))


def run(site: Path, places: list[Path]) -> Ran:
    """Run the commands of all pages in a new folder with the files of site/_examples.

    Args:
        places: where Python finds the course.

    Raises:
        RuntimeError: a command failed, with what it printed.
    """
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(map(str, places)),
        "PYTHONUTF8": "1",
        "PYTHONWARNINGS": "ignore",
        "NO_COLOR": "1",
        "COLUMNS": COLUMNS,
    }
    outputs = {}
    with tempfile.TemporaryDirectory() as name:
        for path in (site / "_examples").glob("*.py"):
            (Path(name) / path.name).write_bytes(path.read_bytes())
        for command in commands(site):
            program, *rest = shlex.split(command)
            words = [sys.executable, *({"tito": ["-m", "tito.cli"]}.get(program, [])), *rest]
            ended = finished(words, Path(name), environment)
            if ended.returncode:
                said = ended.stdout + ended.stderr
                raise RuntimeError(f"a command of a page failed: {command}\n{said}")
            outputs[command] = ended.stdout
    return Ran(datetime.date.today().isoformat(), _machine(), digest(site), outputs)


def _machine() -> str:
    versions = [f"{name} {importlib.metadata.version(name)}" for name in PACKAGES]
    cores, python = f"{os.cpu_count()} cores", f"Python {platform.python_version()}"
    return ", ".join([f"{platform.system()} on {platform.machine()}", cores, python, *versions])


def filled(text: str, site: Path, ran: Ran) -> str:
    """A page with the outputs and the files of site/_examples in their places."""
    text = _COMMAND.sub(
        lambda match: f"```text\n$ {match[1]}\n{ran.outputs[match[1]].rstrip()}\n```", text
    )
    for path in (site / "_examples").glob("*.py"):
        code = path.read_text(encoding="utf-8").rstrip()
        text = text.replace(f"<!-- {path.name} -->", f"```python\n{code}\n```")
    return text.replace("<!-- ran -->", f"ran on {ran.day}: {ran.machine}")


if __name__ == "__main__":
    SITE = ROOT / "site"
    FOUND = json.dumps(asdict(run(SITE, [ROOT])), indent=1, ensure_ascii=False) + "\n"
    (SITE / "_examples" / RECORDED).write_text(FOUND, encoding="utf-8", newline="\n")

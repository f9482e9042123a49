"""The files of this checkout that git tracks, and the top folders ("rooms") that they are in."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TRACKED = [
    ROOT / name
    for name in subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split("\0")
    if name and (ROOT / name).is_file()
]
PYTHON = [path for path in TRACKED if path.suffix == ".py"]


def room(path: Path) -> str:
    return path.relative_to(ROOT).parts[0]

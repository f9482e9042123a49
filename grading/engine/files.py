"""Writing only what changed, in one step, and moving aside what is about to be replaced."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from tito.files import stamp, write_atomic


def write_text(path: Path, text: str) -> bool:
    """Write UTF-8 with \\n line ends in one step; False when the file already says so."""
    if path.is_file() and path.read_bytes() == text.encode("utf-8"):
        return False
    write_atomic(path, text)
    return True


def write_json(path: Path, value: Any) -> bool:
    return write_text(path, json.dumps(value, indent=1, ensure_ascii=False, sort_keys=True) + "\n")


def move_aside(path: Path, place: Path) -> Path:
    """Move a file or folder to `place`/<date-time>-<name>; never over an older one."""
    place.mkdir(parents=True, exist_ok=True)
    target, count = place / f"{stamp()}-{path.name}", 1
    while target.exists():
        count += 1
        target = place / f"{stamp()}.{count}-{path.name}"
    os.replace(path, target)
    return target

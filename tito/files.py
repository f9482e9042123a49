"""Atomic writes, dated backups, and files of JSON lines and of TOML."""

import contextlib
import hashlib
import json
import os
import re
import sys
import time
from pathlib import Path
from typing import Any


def write_atomic(path: Path, data: str | bytes) -> None:
    """Write `path` so that it holds the old content or the new one and never half of it, whatever
    happens: a reader at the same time, a crash, a full disk.

    Text is written as UTF-8 with "\\n" line ends. The temporary file lies in the same directory,
    because os.replace is atomic only within one file system.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    raw = data.encode("utf-8") if isinstance(data, str) else data
    # not made with tempfile, whose import costs 10 ms
    name = path.parent / f".{path.name}.{os.getpid()}-{time.time_ns()}.tmp"
    try:
        with open(name, "xb") as file:
            file.write(raw)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            os.chmod(name, path.stat().st_mode & 0o777)
        os.replace(name, path)
    except BaseException as problem:
        if isinstance(problem, OSError):
            # report the name that the reader knows; the system gives the temporary one or none
            problem.filename, problem.filename2 = str(path), None
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise
    for left in path.parent.glob(f".{path.name}.*.tmp"):
        # left by a process that was killed; the file of one that still writes is younger
        with contextlib.suppress(OSError):
            if time.time() - left.stat().st_mtime > 3600:
                left.unlink()


def stamp() -> str:
    """Date and time for a file name that sorts: 20261121-093000."""
    return time.strftime("%Y%m%d-%H%M%S")


def dated(folder: Path, name: str) -> Path:
    """A free place `folder`/<date-time>-<name>, the latest there; the folder is made."""
    folder.mkdir(parents=True, exist_ok=True)
    moment = stamp()
    within_the_second = [number for at, number, _ in _copies(folder, name) if at == moment]
    number = max(within_the_second, default=-1) + 1
    return folder / f"{moment}{f'.{number}' if number else ''}-{name}"


def backup(path: Path, folder: Path, *, keep: int = 50) -> Path:
    """Copy `path` to `folder`/<date-time>-<name> and return the copy; the newest `keep` stay."""
    import shutil

    target = dated(folder, path.name)
    partial = target.with_name(target.name + ".tmp")
    try:
        shutil.copy2(path, partial)
        os.replace(partial, target)
    except BaseException:
        with contextlib.suppress(OSError):
            partial.unlink()
        raise
    for old in backups(folder, path.name)[:-keep]:
        old.unlink(missing_ok=True)
    return target


def backups(folder: Path, name: str) -> list[Path]:
    """The backups of files called `name`, oldest first."""
    return [path for *_, path in sorted(_copies(folder, name))]


def _copies(folder: Path, name: str) -> list[tuple[str, int, Path]]:
    """(date and time, number within that second, path) of each backup."""
    pattern = re.compile(rf"(\d{{8}}-\d{{6}})(?:\.(\d+))?-{re.escape(name)}")
    named = ((pattern.fullmatch(path.name), path) for path in folder.glob("*"))
    return [(match[1], int(match[2] or 0), path) for match, path in named if match]


def json_lines(path: Path) -> list[Any]:
    """The values of a file of JSON lines; the last line may be incomplete, and the file absent."""
    values = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        with contextlib.suppress(ValueError):
            values.append(json.loads(line))
    return values


def read_toml(path: Path, error: type[Exception]) -> dict[str, Any]:
    """The values in a TOML file.

    Raises:
        error: the file cannot be read.
    """
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as problem:
        raise error(
            f"{path} must be TOML in UTF-8: {problem}. Repair it, then run the command again"
        ) from None


def sha256(data: str | bytes) -> str:
    """The SHA-256 of bytes or of UTF-8 text, in hexadecimal."""
    return hashlib.sha256(data.encode("utf-8") if isinstance(data, str) else data).hexdigest()

"""Atomic writes, dated backups, locks, and files of JSON, of JSON lines and of TOML."""

import contextlib
import hashlib
import json
import os
import re
import sys
import time
from collections.abc import Iterator
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


def write_text(path: Path, text: str) -> bool:
    """Write UTF-8 with \\n line ends in one step; returns False if the file already has exactly
    this text.
    """
    if path.is_file() and path.read_bytes() == text.encode("utf-8"):
        return False
    write_atomic(path, text)
    return True


def write_json(path: Path, value: Any) -> bool:
    return write_text(path, json.dumps(value, indent=1, ensure_ascii=False, sort_keys=True) + "\n")


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
    """`copy_aside`, of which the newest `keep` copies stay."""
    copy = copy_aside(path, folder)
    for old in backups(folder, path.name)[:-keep]:
        old.unlink(missing_ok=True)
    return copy


def copy_aside(path: Path, folder: Path) -> Path:
    """Copy `path` to `folder`/<date-time>-<name>, never over an older copy, and return the copy."""
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
    return target


def backups(folder: Path, name: str) -> list[Path]:
    """The backups of files called `name`, oldest first."""
    return [path for *_, path in sorted(_copies(folder, name))]


def _copies(folder: Path, name: str) -> list[tuple[str, int, Path]]:
    """(date and time, number within that second, path) of each backup."""
    pattern = re.compile(rf"(\d{{8}}-\d{{6}})(?:\.(\d+))?-{re.escape(name)}")
    named = ((pattern.fullmatch(path.name), path) for path in folder.glob("*"))
    return [(match[1], int(match[2] or 0), path) for match, path in named if match]


def move_aside(path: Path, place: Path) -> Path:
    """Move a file or folder to `place`/<date-time>-<name>, never over an older copy."""
    target = dated(place, path.name)
    os.replace(path, target)
    return target


def supersede(path: Path, data: str | bytes, place: Path) -> None:
    """Write a file in one step; if it was there with other content, a copy of that is in `place`.
    The file is never absent, even if the process ends or the disk is full in between.
    """
    raw = data.encode("utf-8") if isinstance(data, str) else data
    if path.is_file():
        if path.read_bytes() == raw:
            return
        copy_aside(path, place)
    write_atomic(path, raw)


@contextlib.contextmanager
def changing(path: Path) -> Iterator[None]:
    """`locked` for a file that is written anew, by a file beside it; its folder is made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with locked(path.with_name(f".{path.name}.lock")):
        yield


@contextlib.contextmanager
def locked(path: Path, *, wait: bool = True) -> Iterator[None]:
    """Wait until no other process is inside `locked` with the same file. The lock ends with the
    process, however that ends.

    Raises:
        BlockingIOError: another process is inside, and `wait` is False.
    """
    import fcntl  # grading needs Linux or macOS; making a module does not

    with open(path, "a", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield


def read_dict(path: Path) -> dict[str, Any]:
    """The JSON object in a file; an empty one if there is none."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return document if isinstance(document, dict) else {}


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

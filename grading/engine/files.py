"""Write only files that changed, in one step; keep a dated copy of a file before it is replaced;
make files readable for another user.
"""

import contextlib
import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tito.files import dated, write_atomic


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


def read_dict(path: Path) -> dict[str, Any]:
    """The JSON object in a file; an empty one if there is none."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return document if isinstance(document, dict) else {}


def move_aside(path: Path, place: Path) -> Path:
    """Move a file or folder to `place`/<date-time>-<name>, never over an older copy."""
    target = dated(place, path.name)
    os.replace(path, target)
    return target


def supersede(path: Path, data: str | bytes, place: Path) -> None:
    """Write a file in one step; if it was there with other content, that moves to `place`."""
    raw = data.encode("utf-8") if isinstance(data, str) else data
    if path.is_file():
        if path.read_bytes() == raw:
            return
        move_aside(path, place)
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


def let_others_read(folder: Path, path: Path) -> None:
    """Let every user read what its owner may read: `path`, which is in `folder`, and all below it.

    No mode outside `folder` (an absolute path without links) changes, even if another process
    changes the tree meanwhile: each part of the path is opened relative to the folder before it,
    links are never followed, and modes are set on open descriptors. A path with `..`, links, files
    with a second hard link and devices are left unchanged.
    """
    if not path.is_relative_to(folder) or ".." in path.parts:
        return
    with contextlib.suppress(OSError), contextlib.ExitStack() as opened:
        place = opened.enter_context(_opened(str(folder), None))
        for name in path.relative_to(folder).parts:
            place = opened.enter_context(_opened(name, place))
        _as_its_owner(place)
        if stat.S_ISDIR(os.fstat(place).st_mode):
            for _, folders, files, inside in os.fwalk(".", dir_fd=place):
                for name in (*folders, *files):
                    with contextlib.suppress(OSError), _opened(name, inside) as one:
                        _as_its_owner(one)


@contextlib.contextmanager
def _opened(name: str, inside: int | None) -> Iterator[int]:
    """Open the entry `name` of the folder `inside`; a link raises OSError."""
    number = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=inside)
    try:
        yield number
    finally:
        os.close(number)


def _as_its_owner(number: int) -> None:
    facts = os.fstat(number)
    one_file = stat.S_ISREG(facts.st_mode) and facts.st_nlink == 1
    if one_file or stat.S_ISDIR(facts.st_mode):
        owner = facts.st_mode & (stat.S_IRUSR | stat.S_IXUSR)
        os.fchmod(number, stat.S_IMODE(facts.st_mode) | owner >> 3 | owner >> 6)

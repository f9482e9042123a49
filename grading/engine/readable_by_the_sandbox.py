"""Make files readable for another user: for the sandbox's."""

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path


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

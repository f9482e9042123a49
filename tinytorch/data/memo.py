"""Results that are kept on disk and shared by processes: a folder with a file and a lock for each
result. A file is written whole or not at all.

`memo_pickle` of `tinytorch.data.batch_loader` uses this. A result is a file KEY.memo with a pickle,
its SHA-256 and a mark; its lock is an empty file .KEY.lock.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import pickle
import re
import stat
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tinytorch.data.stable_bytes import code_bytes, stable_bytes

__all__ = ["DIRECTORY_VARIABLE", "MISS", "MemoStore", "code_bytes", "stable_bytes"]

DIRECTORY_VARIABLE = "TINYTORCH_MEMO"
_MARK = b"tinytorch memo 1"
_FOOTER_BYTES = hashlib.sha256().digest_size + len(_MARK)
_KEY = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,127}")
_held: set[int] = set()  # descriptors of the locks that this process holds


class _Miss:
    """The type of MISS: an object of its own, since None, False and 0 may be results."""

    def __repr__(self) -> str:
        return "MISS"

    def __bool__(self) -> bool:
        raise TypeError("compare with `is MISS`; a result may be false as well")


MISS = _Miss()


class MemoStore:
    """A folder of results, each stored under a key. Nothing on disk is touched before the first
    use.

    Reading a pickle can run any code, so only a folder of your own is used. It is made with mode
    0700. A folder that belongs to another user or that others may write to is refused with a
    PermissionError (on POSIX; on Windows its place in your profile protects it). A key is 1 to 128
    letters, digits, `_`, `-` and `.` (not first), such as a digest in hexadecimal; other keys raise
    ValueError.

    Args:
        directory: the folder; None means the folder that $TINYTORCH_MEMO names, else
            `tinytorch/memo` in $XDG_CACHE_HOME or ~/.cache.
    """

    def __init__(self, directory: str | os.PathLike | None = None):
        caches = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
        folder = directory or os.environ.get(DIRECTORY_VARIABLE) or f"{caches}/tinytorch/memo"
        self.directory = Path(folder).expanduser().absolute()

    def read(self, key: str) -> Any:
        """Return the result stored under a key, or MISS if there is none or if its file is damaged,
        incomplete or no longer readable.
        """
        path = self._path(key)
        try:
            with open(path, "rb", opener=_open_no_link) as file:
                blob = file.read() if _is_own(os.fstat(file.fileno())) else b""
            pickled = memoryview(blob)[:-_FOOTER_BYTES]
            return pickle.loads(pickled) if blob[-_FOOTER_BYTES:] == _footer(pickled) else MISS
        except Exception:  # noqa: BLE001
            # The file is missing, or the pickle refers to code that has moved: unpickling may raise
            # anything.
            return MISS

    def write(self, key: str, value: Any) -> bool:
        """Store a result, replacing the one that was there; a reader sees the old file or the new
        one, never a part. Return whether the result was stored.

        Where it cannot be stored (disk full, no permission, a value that cannot be pickled), a
        RuntimeWarning says why and no file is left behind.
        """
        path = self._path(key)
        try:
            self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor, temporary = tempfile.mkstemp(".tmp", f".{path.name}-", self.directory)
            try:
                with open(descriptor, "wb") as file:
                    pickled = pickle.dumps(value, protocol=5)
                    file.write(pickled)
                    file.write(_footer(pickled))
                    file.flush()
                    # otherwise a power cut may leave an empty file under the new name
                    os.fsync(file.fileno())
                os.replace(temporary, path)
            except BaseException:
                with contextlib.suppress(OSError):
                    os.unlink(temporary)
                raise
        except Exception as problem:  # noqa: BLE001
            # Computing the value may have taken hours, so the caller receives it even if pickling
            # fails.
            warnings.warn(
                f"the result could not be kept in {self.directory} ({problem});"
                " it will be computed again next time",
                RuntimeWarning,
                stacklevel=2,
            )
            return False
        return True

    @contextlib.contextmanager
    def lock(self, key: str) -> Iterator[None]:
        """Lock a key: other processes and threads that lock the same key wait; those that lock
        another key do not.

        The operating system frees the lock of a process that dies, even by kill -9. Where the
        folder cannot be written or its file system has no locks, a RuntimeWarning says so and
        nobody waits: at worst a result is computed twice. Do not nest locks of the same key.
        """
        path = self._path(key)
        try:
            self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = _acquire(self.directory / f".{key}.lock")
        except OSError as problem:
            warnings.warn(
                f"no lock in {self.directory} ({problem.strerror or problem}); two processes may"
                " compute the same result",
                RuntimeWarning,
                stacklevel=3,
            )
            yield
            return
        owner = os.getpid()
        try:
            # Remove what a killed writer left. That is safe, since only the holder of the lock
            # writes.
            for leftover in self.directory.glob(f".{path.name}-*.tmp"):
                leftover.unlink(missing_ok=True)
            yield
        finally:
            if os.getpid() == owner:  # a forked child has closed its copy already
                _held.discard(descriptor)
                # a child that was forked meanwhile would keep the lock of a file only closed
                _unlock_file(descriptor)
                os.close(descriptor)

    def _path(self, key: str) -> Path:
        """The file of a key, after checking who owns the folder."""
        if not isinstance(key, str) or not _KEY.fullmatch(key):
            raise ValueError(
                f"a key is 1 to 128 letters, digits, _, - and . (not first), got {key!r}; a digest"
                " in hexadecimal is one"
            )
        if os.path.exists(self.directory) and not _is_own(status := os.stat(self.directory)):
            raise PermissionError(
                "results are kept in a folder of your own that nobody else may write to, since"
                f" reading a pickle runs it; {self.directory} has mode"
                f" {stat.S_IMODE(status.st_mode):o} and owner {status.st_uid}."
                f" Choose another folder, or: chmod 700 {self.directory}"
            )
        return self.directory / f"{key}.memo"


def _is_own(status: os.stat_result) -> bool:
    return os.name != "posix" or (status.st_uid == os.geteuid() and not status.st_mode & 0o022)


def _open_no_link(path: str, flags: int) -> int:
    """A link could lead to a file of another user."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0))


def _footer(pickled: bytes | memoryview) -> bytes:
    return hashlib.sha256(pickled).digest() + _MARK


def _acquire(path: Path) -> int:
    """Wait for the lock of `path` as long as it takes, and return the open descriptor that holds
    it. The file stays: a lock on a file that somebody removed would exclude nobody.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _lock_file(descriptor)
    except BaseException:
        os.close(descriptor)
        raise
    _held.add(descriptor)
    return descriptor


if sys.platform == "win32":
    import msvcrt

    def _lock_file(descriptor: int) -> None:
        while True:
            try:
                return msvcrt.locking(descriptor, msvcrt.LK_LOCK, 1)
            except OSError as problem:
                if problem.errno != errno.EDEADLOCK:  # it was locked for 10 seconds
                    raise

    def _unlock_file(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _lock_file(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX)

    def _unlock_file(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)

    def _forget_held() -> None:
        """Close all locks in a forked child. Otherwise the child would still hold them after its
        parent was killed.
        """
        while _held:
            os.close(_held.pop())

    os.register_at_fork(after_in_child=_forget_held)

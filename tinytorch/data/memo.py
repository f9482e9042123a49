"""Results that are kept on disk and shared by processes: a folder with a file and a lock for each
result. A file is written whole or not at all.

`memo_pickle` of `tinytorch.data.batch_loader` uses this. A result is a file KEY.memo with a pickle,
its SHA-256 and a mark.
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
from typing import Any, BinaryIO

from tinytorch.data.stable import code_bytes, stable_bytes

__all__ = ["DIRECTORY_VARIABLE", "MISS", "MemoStore", "code_bytes", "stable_bytes"]

DIRECTORY_VARIABLE = "TINYTORCH_MEMO"
_MARK = b"tinytorch memo 1"
_FOOTER_BYTES = hashlib.sha256().digest_size + len(_MARK)
_KEY = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,127}")
_WINDOWS_WAIT_SECONDS = 0.05
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
            `tinytorch/memo` in the user's folder for caches.
    """

    def __init__(self, directory: str | os.PathLike | None = None):
        folder = Path(
            directory
            or os.environ.get(DIRECTORY_VARIABLE)
            or _cache_directory() / "tinytorch" / "memo"
        )
        self.directory = folder.expanduser().absolute()

    def read(self, key: str) -> Any:
        """Return the result stored under a key, or MISS if there is none or if its file is damaged,
        incomplete or no longer readable.
        """
        path = self._path(key)
        try:
            # O_NOFOLLOW: a link could lead to a file of another user.
            with open(
                path,
                "rb",
                opener=lambda name, flags: os.open(name, flags | getattr(os, "O_NOFOLLOW", 0)),
            ) as file:
                if not _is_own(os.fstat(file.fileno())) or not _is_whole(file):
                    return MISS
                file.seek(0)
                return pickle.load(file)
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
            self._make_folder()
            descriptor, temporary = tempfile.mkstemp(
                dir=self.directory, prefix=f".{path.name}-", suffix=".tmp"
            )
            try:
                with open(descriptor, "wb") as file:
                    _dump(value, file)
                os.replace(temporary, path)
            except BaseException:
                with contextlib.suppress(OSError):
                    os.unlink(temporary)
                raise
        except Exception as problem:  # noqa: BLE001
            # Computing the value may have taken hours, so the caller receives it even if pickling
            # fails.
            reason = (
                problem.strerror
                if isinstance(problem, OSError) and problem.strerror
                else f"{type(problem).__name__}: {problem}"
            )
            warnings.warn(
                f"the result could not be kept in {self.directory} ({reason});"
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
        lock = path.with_suffix(".lock")
        try:
            self._make_folder()
            descriptor = _acquire(lock)
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
                with contextlib.suppress(OSError):
                    leftover.unlink()
            yield
        finally:
            if os.getpid() == owner:  # a forked child has closed its copy already
                _release(descriptor, lock)

    def clear(self) -> int:
        """Remove every result and return how many there were."""
        removed = 0
        for path in self.directory.glob("*.memo"):
            with contextlib.suppress(FileNotFoundError):
                path.unlink()
                removed += 1
        return removed

    def _path(self, key: str) -> Path:
        """The file of a key, after checking who owns the folder."""
        if not isinstance(key, str) or not _KEY.fullmatch(key):
            raise ValueError(
                f"a key is 1 to 128 letters, digits, _, - and . (not first), got {key!r}; a digest"
                " in hexadecimal is one"
            )
        _check_owner(self.directory)
        return self.directory / f"{key}.memo"

    def _make_folder(self) -> None:
        self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)


def _cache_directory() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or "~/AppData/Local")
    if sys.platform == "darwin":
        return Path("~/Library/Caches")
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache")


def _check_owner(folder: Path) -> None:
    try:
        status = os.stat(folder)
    except OSError:  # the folder does not exist, so nothing is read from it
        return
    if not _is_own(status):
        raise PermissionError(
            "results are kept in a folder of your own that nobody else may write to, since reading"
            f" a pickle runs it; {folder} has mode {stat.S_IMODE(status.st_mode):o} and owner"
            f" {status.st_uid}. Choose another folder, or: chmod 700 {folder}"
        )


def _is_own(status: os.stat_result) -> bool:
    return os.name != "posix" or (status.st_uid == os.geteuid() and not status.st_mode & 0o022)


class _Hashed:
    """A file being written, and the SHA-256 of the bytes written to it."""

    def __init__(self, file: BinaryIO):
        self.file, self.digest = file, hashlib.sha256()

    def write(self, data) -> int:
        self.digest.update(data)
        return self.file.write(data)


def _dump(value: Any, file: BinaryIO) -> None:
    hashed = _Hashed(file)
    pickle.dump(value, hashed, protocol=5)
    file.write(hashed.digest.digest() + _MARK)
    file.flush()
    os.fsync(file.fileno())  # otherwise a power cut may leave an empty file under the new name


def _is_whole(file: BinaryIO) -> bool:
    """Whether the bytes are those that were written. The file is read in pieces, because it may be
    larger than the free memory.
    """
    left = os.fstat(file.fileno()).st_size - _FOOTER_BYTES
    if left < 0:
        return False
    digest = hashlib.sha256()
    while left:
        piece = file.read(min(left, 1 << 20))
        if not piece:
            return False
        digest.update(piece)
        left -= len(piece)
    return file.read() == digest.digest() + _MARK


def _acquire(path: Path) -> int:
    """Wait for the lock of `path` as long as it takes, and return the open descriptor that holds
    it.
    """
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            _lock_file(descriptor)
            # The previous holder removes the file. A lock on a removed file excludes no later
            # process, so then try again.
            if _is_same_file(descriptor, path):
                _held.add(descriptor)
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _release(descriptor: int, path: Path) -> None:
    """Free a lock and remove its file. On POSIX the file is removed while the lock is held. Windows
    cannot remove an open file, so there it is removed after closing, unless the next holder has
    already opened it.
    """
    _held.discard(descriptor)
    steps = [
        lambda: _unlock_file(descriptor),
        lambda: os.close(descriptor),
        lambda: os.unlink(path),
    ]
    for step in steps if os.name == "nt" else [steps[2], *steps[:2]]:
        with contextlib.suppress(OSError):
            step()


def _is_same_file(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False


if os.name == "nt":
    import msvcrt

    def _lock_file(descriptor: int) -> None:
        import time

        while True:
            try:
                return msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
            except OSError as problem:
                if problem.errno not in (errno.EACCES, errno.EDEADLOCK):
                    raise
                time.sleep(_WINDOWS_WAIT_SECONDS)

    def _unlock_file(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _lock_file(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX)

    def _unlock_file(descriptor: int) -> None:
        # if the file were only closed, a child that was forked meanwhile would keep the lock
        fcntl.flock(descriptor, fcntl.LOCK_UN)

    def _forget_held() -> None:
        """Close all locks in a forked child. Otherwise the child would still hold them after its
        parent was killed.
        """
        while _held:
            os.close(_held.pop())

    os.register_at_fork(after_in_child=_forget_held)

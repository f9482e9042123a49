"""Linux system calls that Python's `os` lacks, through the C library. Each raises OSError as `os`
would.

Manual pages: unshare(2), mount(2), mount_setattr(2), umount2(2), pivot_root(2), prctl(2),
capabilities(7), seccomp(2), netdevice(7), tcp(7).
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
import socket
import struct
import sys
from pathlib import Path
from typing import Any

with contextlib.suppress(ImportError):  # Windows imports this module too, and has none
    import fcntl

_libc: Any = ctypes.CDLL(None, use_errno=True) if os.name == "posix" else None

NEWNS, NEWCGROUP, NEWUTS, NEWIPC = 0x20000, 0x2000000, 0x4000000, 0x8000000
NEWUSER, NEWPID, NEWNET = 0x10000000, 0x20000000, 0x40000000
ALL_BUT_USER = NEWNS | NEWCGROUP | NEWUTS | NEWIPC | NEWPID | NEWNET
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC = 1, 2, 4, 8
MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 32, 4096, 16384, 1 << 18
_MNT_DETACH = 2
_SIOCSIFFLAGS, _IFF_UP = 0x8914, 1
ATTR_RDONLY, ATTR_NOSUID, ATTR_NODEV, ATTR_NOEXEC = 1, 2, 4, 8
_MOUNT_SETATTR, _AT_FDCWD, _AT_RECURSIVE = 442, -100, 0x8000
_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_NO_NEW_PRIVS = 1, 4, 38
_PR_CAPBSET_READ, _PR_CAPBSET_DROP, _PR_CAP_AMBIENT = 23, 24, 47
_CAPABILITY_VERSION_3 = 0x20080522


def supported() -> str | None:
    """Why these calls cannot be used on this machine; None if they can."""
    if sys.platform != "linux":
        return f"only Linux has namespaces; this is {sys.platform}"
    if platform.machine() not in _PIVOT_ROOT:
        return f"written for {' and '.join(_PIVOT_ROOT)}; this is {platform.machine()}"
    if tuple(int(part) for part in platform.release().split("-")[0].split(".")[:2]) < (5, 12):
        return f"needs Linux 5.12 or newer (mount_setattr); this is {platform.release()}"
    return None


def _check(result: int, what: str) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")
    return result


def unshare(flags: int) -> None:
    _check(_libc.unshare(flags), "unshare")


def open_loopback(buffer_bytes: int) -> bool:
    """Let this network namespace reach itself, with at most so many bytes in each buffer of TCP.
    False if that is not allowed.
    """
    try:
        for name in ("tcp_rmem", "tcp_wmem"):
            text = f"4096 {min(16384, buffer_bytes)} {buffer_bytes}"
            Path("/proc/sys/net/ipv4", name).write_text(text, encoding="ascii")
        with socket.socket(type=socket.SOCK_DGRAM) as one:
            fcntl.ioctl(one, _SIOCSIFFLAGS, struct.pack("16sH22x", b"lo", _IFF_UP))
    except OSError:  # /proc/sys is read-only in some containers
        return False
    return True


def mount(
    source: str, target: str, kind: str | None, flags: int = 0, options: str | None = None
) -> None:
    texts = (source, target, kind, options)
    from_, to, type_, data = (None if text is None else os.fsencode(text) for text in texts)
    result = _libc.mount(from_, to, type_, ctypes.c_ulong(flags), data)
    _check(result, f"mount {source} on {target}")


def bind(source: str, target: str, attributes: int) -> None:
    """Mount `source`, and everything mounted in it, at `target`, with these ATTR_ bits set on every
    mount.
    """
    mount(source, target, None, MS_BIND | MS_REC)
    # Bits are added, never cleared: a user namespace may not remove `nosuid` or `nodev` from an
    # inherited mount.
    request = ctypes.byref((ctypes.c_uint64 * 4)(attributes, 0, 0, 0))
    where = (_AT_FDCWD, os.fsencode(target), _AT_RECURSIVE)
    result = _libc.syscall(_MOUNT_SETATTR, *where, request, ctypes.c_size_t(32))
    _check(result, f"mount_setattr {target}")


def umount(target: str) -> None:
    _check(_libc.umount2(os.fsencode(target), _MNT_DETACH), f"umount {target}")


def pivot_root(root: str) -> None:
    """Make the mount point `root` the root of the file system; the old root is unmounted (see the
    last example of pivot_root(2)).
    """
    os.chdir(root)
    _check(_libc.syscall(_PIVOT_ROOT[platform.machine()], b".", b"."), "pivot_root")
    umount(".")
    os.chdir("/")


def prctl(option: int, *arguments: int) -> int:
    return _libc.prctl(option, *[ctypes.c_ulong(value) for value in (*arguments, 0, 0, 0, 0)[:4]])


def die_with_parent() -> None:
    """Get SIGKILL when the parent's main thread ends. Call this after every change of user, which
    clears the setting.
    """
    _check(prctl(_PR_SET_PDEATHSIG, 9), "prctl PDEATHSIG")


def drop_privileges(uid: int | None) -> None:
    """Give up every capability, the right to gain one by exec, and (with `uid`) the user. Call this
    before any second thread exists.

    Capabilities belong to threads: code in another thread could still use its capabilities.
    """
    capability = 0
    while prctl(_PR_CAPBSET_READ, capability) >= 0:
        _check(prctl(_PR_CAPBSET_DROP, capability), "prctl CAPBSET_DROP")
        capability += 1
    if uid is not None:
        # an ordinary user keeps the supplementary groups: its user namespace may not change them
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    prctl(_PR_CAP_AMBIENT, 4)  # PR_CAP_AMBIENT_CLEAR_ALL
    header, nothing = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0), (ctypes.c_uint32 * 6)()
    _check(_libc.capset(header, nothing), "capset")
    _check(prctl(_PR_SET_NO_NEW_PRIVS, 1), "prctl NO_NEW_PRIVS")
    prctl(_PR_SET_DUMPABLE, 1)  # otherwise root owns /proc/self after the change of user

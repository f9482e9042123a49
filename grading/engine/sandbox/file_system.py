"""The file system that a sandbox sees: an allow-list, read-only, and one small private tmpfs.

/usr /bin /lib ... the Python prefixes    the machine's, read-only
/etc                                      a handful of files, made once
/given                                    the package under test, copied, read-only
/tmp (with /tmp/work, the cwd), /dev/shm  the tmpfs
/tmp/... of `shared`                      the host's directory under its own path, read-only
/proc                                     of its own process namespace
/run/kernel                               the host's socket directory, only until the sockets exist
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from grading.engine.sandbox import kernelcalls as kernel
from grading.engine.sandbox import programs

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64")
# alternatives: Debian's links to BLAS
ETC = ("ld.so.cache", "localtime", "nsswitch.conf", "mime.types", "alternatives", "fonts")
_DEVICES = ("null", "zero", "full", "random", "urandom")
# What stands for a device: "full" is read as zeros too, but gives no shared memory when it is
# mapped.
NEVER_MAPPED = {"zero": "full"}
_READ_ONLY = kernel.ATTR_RDONLY | kernel.ATTR_NOSUID


def shared_places() -> list[str]:
    """The directories of the machine that are visible: those of the system, and Python's if they
    are elsewhere.
    """
    wanted = [place for place in SYSTEM if os.path.isdir(place) and not os.path.islink(place)]
    for prefix in map(os.path.realpath, (sys.base_prefix, sys.base_exec_prefix, sys.prefix)):
        if not any(Path(prefix).is_relative_to(place) for place in wanted):
            wanted.append(prefix)
    return wanted


def make_skeleton(root: Path, uid: int) -> None:
    """Make the directories and files that serve as mount points, once for all sandboxes of one
    parent.
    """
    own = (programs.PACKAGE, programs.RUN, "/proc", "/tmp", "/dev/shm", "/etc", "/scratch")
    for place in (*shared_places(), *own):
        (root / place.lstrip("/")).mkdir(parents=True, exist_ok=True)
    for place in SYSTEM:
        if os.path.islink(place):
            (root / place.lstrip("/")).symlink_to(os.readlink(place))
    for name in _DEVICES:
        (root / "dev" / name).touch()
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        (root / "dev" / name).symlink_to(f"/proc/self/fd/{number}")
    (root / "dev/fd").symlink_to("/proc/self/fd")
    for name in ETC:
        source = Path("/etc", name)
        if source.is_dir():
            shutil.copytree(source, root / "etc" / name, symlinks=True)
        elif source.is_file():
            shutil.copyfile(source, root / "etc" / name)
    for name, text in (
        ("passwd", f"student:x:{uid}:{uid}::{programs.HOME}:/bin/sh\n"),
        ("group", f"student:x:{uid}:\n"),
        ("hosts", "127.0.0.1 localhost sandbox\n"),
    ):
        (root / "etc" / name).write_text(text, encoding="utf-8")
    for place, _, files in os.walk(root):  # independent of the umask
        os.chmod(place, 0o755)
        for name in files:
            if not os.path.islink(os.path.join(place, name)):
                os.chmod(os.path.join(place, name), 0o644)


def build(root: str, request: dict, owner: int | None) -> None:
    """Mount everything except /proc under the skeleton. This runs in the sandbox's mount namespace
    with the capabilities of its user namespace.

    Args:
        owner: the user (and group) that owns the writable places; None for the user who runs this.
    """
    kernel.mount("none", "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
    kernel.bind(root, root, _READ_ONLY)
    # such as a venv in /tmp
    below_tmp = [place for place in shared_places() if Path(place).is_relative_to("/tmp")]
    for place in shared_places():
        if place not in below_tmp:
            kernel.bind(place, root + place, _READ_ONLY)
    for name in _DEVICES:  # without NODEV, because these are devices
        device = NEVER_MAPPED.get(name, name)
        kernel.bind(f"/dev/{device}", f"{root}/dev/{name}", kernel.ATTR_NOSUID | kernel.ATTR_NOEXEC)
    scratch, tmp = f"{root}/scratch", request["limits"]["tmp_bytes"]
    size, inodes = tmp + programs.MAX_PACKAGE_BYTES, 20000 + programs.MAX_PACKAGE_FILES
    flags = kernel.MS_NOSUID | kernel.MS_NODEV
    kernel.mount("tmpfs", scratch, "tmpfs", flags, f"size={size},nr_inodes={inodes},mode=755")
    names = ("given", "tmp/work", "tmp/home", "shm")
    given, work, home, shm = folders = [f"{scratch}/{name}" for name in names]
    for folder in folders:
        os.makedirs(folder)
    used = programs.copy_files(request["package"], given)
    if request["files"]:
        programs.copy_files(request["files"], work, owner=owner)
    options = f"size={tmp + used},nr_inodes=20000"
    kernel.mount("none", scratch, None, kernel.MS_REMOUNT | flags, options)
    if owner is not None:
        places = [f"{scratch}/tmp", work, home, shm]
        if run := request["run"]:
            places += [run, *(entry.path for entry in os.scandir(run))]
        for place in places:
            os.chown(place, owner, owner, follow_symlinks=False)
    kernel.bind(given, root + programs.PACKAGE, _READ_ONLY | kernel.ATTR_NODEV)
    kernel.bind(f"{scratch}/tmp", f"{root}/tmp", 0)
    kernel.bind(shm, f"{root}/dev/shm", kernel.ATTR_NOEXEC)
    kernel.umount(scratch)
    for place in below_tmp:
        os.makedirs(root + place, exist_ok=True)
        kernel.bind(place, root + place, _READ_ONLY)
    data_only = kernel.ATTR_NODEV | kernel.ATTR_NOEXEC
    if shared := request["shared"]:
        os.makedirs(root + shared)  # on the sandbox's own /tmp
        kernel.bind(shared, root + shared, _READ_ONLY | data_only)
    if request["run"]:
        kernel.bind(request["run"], root + programs.RUN, kernel.ATTR_NOSUID | data_only)

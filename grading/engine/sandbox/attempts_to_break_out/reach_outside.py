"""Attempts to reach the network, files and other processes."""

from __future__ import annotations

import contextlib
import os
import pathlib
import signal
import socket
import time

from .all_attempts import Held, MiB, Wanted, all_refused, in_child, must_not, refused, say

# Network


@must_not("reach a server on this machine")
def loopback(wanted: Wanted) -> Held:
    return refused(socket.create_connection, ("127.0.0.1", wanted["port"]), 5)


@must_not("reach another machine")
def outside(wanted: Wanted) -> Held:
    # To connect, a datagram socket needs a route, but it sends nothing. 192.0.2.0/24 is reserved
    # for documentation (RFC 5737).
    return refused(lambda: socket.socket(type=socket.SOCK_DGRAM).connect(("192.0.2.1", 9)))


@must_not("reach an abstract socket of this machine")
def abstract_socket(wanted: Wanted) -> Held:
    return refused(lambda: socket.socket(socket.AF_UNIX).connect("\0" + wanted["abstract"]))


@must_not("reach the host of a virtual machine")
def virtual_machine_socket(wanted: Wanted) -> Held:
    return refused(socket.socket, 40, socket.SOCK_STREAM)  # AF_VSOCK


# Files


@must_not("write to the system, Python or the package")
def write_system(wanted: Wanted) -> Held:
    look = _write_in if wanted["isolated"] else _may_write
    places = (*wanted["read_only"], "/", os.path.dirname(__file__))
    return all_refused([(place, look, place) for place in places])


def _may_write(folder: str) -> None:
    if not os.access(folder, os.W_OK):
        raise PermissionError(13, "Permission denied")


def _write_in(folder: str) -> object:
    if not os.statvfs(folder).f_flag & os.ST_RDONLY:
        # otherwise only its owner and mode protect it
        return "not mounted read-only"
    path = os.path.join(folder, "tito-doctor-was-here")
    with open(path, "w"):
        pass
    os.unlink(path)
    return None


@must_not("read home, the course, password hashes")
def read_secrets(wanted: Wanted) -> Held:
    def read(place: str) -> object:
        return os.listdir(place) if os.path.isdir(place) else len(open(place, "rb").read(10))

    return all_refused([(place, read, place) for place in wanted["secret"]])


@must_not("open a device")
def devices(wanted: Wanted) -> Held:
    known = {"null", "zero", "full", "random", "urandom", "tty", "ptmx", "console"}
    there = [
        path.name
        for path in pathlib.Path("/dev").iterdir()
        if not path.is_symlink() and (path.is_block_device() or path.is_char_device())
    ]
    more = [name for name in there if name not in known]
    if more:
        return False, f"{len(more)} devices: {' '.join(more[:5])}"
    return True, "only " + " ".join(sorted(there))


def _fill(folder: str, limit: int) -> Held:
    written = 0
    try:
        while written < limit + 16 * MiB:
            with open(f"{folder}/fill-{written}", "wb") as file:
                written += file.write(bytes(MiB))
    except OSError as problem:
        return True, f"{problem.strerror} after {written // MiB} MiB"
    finally:
        for path in pathlib.Path(folder).glob("fill-*"):
            path.unlink()
    return False, f"{written // MiB} MiB written, the limit is {limit // MiB}"


@must_not("fill the disk with small files")
def fill_tmp(wanted: Wanted) -> Held:
    return _fill("/tmp" if wanted["isolated"] else ".", wanted["tmp_bytes"])


@must_not("fill /dev/shm")
def fill_shared_memory(wanted: Wanted) -> Held:
    return _fill("/dev/shm", wanted["tmp_bytes"])


@must_not("write one big file")
def big_file(wanted: Wanted) -> Held:
    with open("big", "wb", buffering=0) as file:
        try:
            for _ in range(wanted["file_bytes"] // MiB + 2):
                file.write(bytes(MiB))
        except OSError as problem:
            return True, f"{problem.strerror} at {os.path.getsize('big') // MiB} MiB"
        finally:
            os.unlink("big")
    return False, f"a file larger than {wanted['file_bytes'] // MiB} MiB"


@must_not("open 1000 files")
def open_files(wanted: Wanted) -> Held:
    opened = []
    try:
        for _ in range(1000):
            opened.append(os.open("/dev/null", os.O_RDONLY))
    except OSError as problem:
        return True, f"{problem.strerror} after {len(opened)}"
    return False, "1000 files open"


# Processes


@must_not("see the grader's environment")
def environment(wanted: Wanted) -> Held:
    there = [name for name, value in os.environ.items() if wanted["secret_value"] in value]
    for path in pathlib.Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if wanted["secret_value"].encode() in path.read_bytes():
                there.append(str(path))
    if there:
        return False, f"found in {there[:3]}"
    return True, f"{len(os.environ)} variables, all constant"


@must_not("see the grader's process")
def other_processes(wanted: Wanted) -> Held:
    return refused(os.kill, wanted["engine"], 0)


@must_not("signal its parent")
def kill_parent(wanted: Wanted) -> Held:
    parent = os.getppid()
    return (True, "has no parent to name") if parent == 0 else refused(os.kill, parent, 0)


@must_not("start 500 processes")
def forks(wanted: Wanted) -> Held:
    children: list[int] = []
    try:
        for _ in range(500):
            children.append(in_child(time.sleep, 60))
    except OSError as problem:
        return True, f"{problem.strerror} after {len(children)}"
    finally:
        for pid in children:
            os.kill(pid, signal.SIGKILL)
    return False, "500 processes"


@must_not("leave a process behind")
def daemon(wanted: Wanted) -> Held:
    """It holds stderr open, so that the outside can see whether it survives."""

    def live() -> None:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        time.sleep(60)

    def leave() -> None:
        os.setsid()
        in_child(live)

    in_child(leave)
    time.sleep(0.2)
    return True, "left behind"


@must_not("not hear an interrupt")
def interrupt(wanted: Wanted) -> Held:
    try:
        say(None, "waiting")
        time.sleep(30)
    except KeyboardInterrupt:
        return True, "KeyboardInterrupt"
    return False, "no KeyboardInterrupt in 30 s"

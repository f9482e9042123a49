"""Runs inside a sandbox and tries to break one limit. The result goes to stderr as one line of
JSON: [held, what happened].

`wanted.json` beside it names the attempt and holds facts about the outside (paths, ports, process
ids). An attempt does no harm even if nothing stops it and root runs it, because at the level
without isolation it runs on the machine itself.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import mmap
import os
import pathlib
import resource
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

_HERE = pathlib.Path(__file__).parent
MiB = 2**20
HOARD = "attempt_hoard"  # the file beside it with the other attempts
Wanted = dict[str, Any]
Held = tuple[bool, object]  # whether the limit held, and what happened


def main() -> None:
    wanted = json.loads((_HERE / "wanted.json").read_text(encoding="utf-8"))
    try:
        held, text = _attempt(wanted["attempt"])(wanted)
    except BaseException as problem:  # noqa: BLE001 - the error is the answer
        held, text = None, f"{type(problem).__name__}: {problem}"
    say(held, text)


def _attempt(name: str) -> Callable[[Wanted], Held]:
    if name in CALLS:
        return partial(refused, CALLS[name])
    name = f"try_{name}"
    return globals().get(name) or getattr(importlib.import_module(HOARD), name)


def say(held: bool | None, text: object) -> None:
    os.write(2, (json.dumps([held, str(text)[:300]]) + "\n").encode())


def refused(action: Callable, *arguments: Any) -> Held:
    """(True, the error) when the operating system refuses, else (False, ...)."""
    try:
        return False, f"the call gave {str(action(*arguments))[:80]}"
    except OSError as problem:
        return True, problem.strerror or str(problem)


def all_refused(attempts: list[tuple]) -> Held:
    found = [(name, *refused(action, *arguments)) for name, action, *arguments in attempts]
    broken = [f"{name}: {text}" for name, held, text in found if not held]
    return not broken, "; ".join(broken) or "; ".join(sorted({str(text) for _, _, text in found}))


# Attempts that are one call, which the operating system refuses
CALLS: dict[str, Callable[[Wanted], object]] = {
    "loopback": lambda wanted: socket.create_connection(("127.0.0.1", wanted["port"]), 5),
    # To connect, a datagram socket needs a route, but it sends nothing. 192.0.2.0/24 is reserved
    # for documentation (RFC 5737).
    "outside": lambda _: socket.socket(type=socket.SOCK_DGRAM).connect(("192.0.2.1", 9)),
    "abstract_socket": lambda wanted: socket.socket(socket.AF_UNIX).connect(
        "\0" + wanted["abstract"]
    ),
    "virtual_machine_socket": lambda _: socket.socket(40, socket.SOCK_STREAM),  # AF_VSOCK
    "other_processes": lambda wanted: os.kill(wanted["engine"], 0),
}


# Files


def try_write_system(wanted: Wanted) -> Held:
    look = _write_in if wanted["isolated"] else _may_write
    return all_refused([(place, look, place) for place in (*wanted["read_only"], "/", str(_HERE))])


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


def try_read_secrets(wanted: Wanted) -> Held:
    return all_refused(
        [
            (place, os.listdir if os.path.isdir(place) else _read, place)
            for place in wanted["secret"]
        ]
    )


def _read(path: str) -> int:
    with open(path, "rb") as file:
        return len(file.read(10))


def try_devices(wanted: Wanted) -> Held:
    known = {"null", "zero", "full", "random", "urandom", "tty", "ptmx", "console"}
    found = [
        str(p)
        for p in pathlib.Path("/dev").iterdir()
        if not p.is_symlink() and (p.is_block_device() or p.is_char_device())
    ]
    more = [path for path in found if os.path.basename(path) not in known]
    return not more, (
        f"{len(more)} devices: {' '.join(more[:5])}"
        if more
        else "only " + " ".join(sorted(map(os.path.basename, found)))
    )


def try_fill_tmp(wanted: Wanted) -> Held:
    written, place = 0, 0
    try:
        while written < wanted["tmp_bytes"] + 16 * MiB:
            with open(
                f"/tmp/fill-{place}" if wanted["isolated"] else f"fill-{place}", "wb"
            ) as file:
                written += file.write(bytes(MiB))
            place += 1
    except OSError as problem:
        return True, f"{problem.strerror} after {written // MiB} MiB"
    return False, f"{written // MiB} MiB written, the limit is {wanted['tmp_bytes'] // MiB}"


def try_fill_shared_memory(wanted: Wanted) -> Held:
    try:
        for place in range(wanted["tmp_bytes"] // MiB + 16):
            with open(f"/dev/shm/fill-{place}", "wb") as file:
                file.write(bytes(MiB))
    except OSError as problem:
        return True, f"{problem.strerror} after {place} MiB"
    finally:
        for path in pathlib.Path("/dev/shm").glob("fill-*"):
            path.unlink()
    return False, f"{place} MiB written, the limit is {wanted['tmp_bytes'] // MiB}"


def try_big_file(wanted: Wanted) -> Held:
    with open("big", "wb") as file:
        try:
            for _ in range(wanted["file_bytes"] // MiB + 2):
                file.write(bytes(MiB))
                file.flush()
        except OSError as problem:
            return True, f"{problem.strerror} at {os.path.getsize('big') // MiB} MiB"
        finally:
            os.unlink("big")
    return False, f"a file larger than {wanted['file_bytes'] // MiB} MiB"


def try_open_files(wanted: Wanted) -> Held:
    opened = []
    try:
        for _ in range(1000):
            opened.append(os.open("/dev/null", os.O_RDONLY))
    except OSError as problem:
        return True, f"{problem.strerror} after {len(opened)}"
    return False, "1000 files open"


# Processes and memory


def try_environment(wanted: Wanted) -> Held:
    here = [name for name, value in os.environ.items() if wanted["secret_value"] in value]
    elsewhere = []
    for path in pathlib.Path("/proc").glob("[0-9]*/environ"):
        try:
            if wanted["secret_value"].encode() in path.read_bytes():
                elsewhere.append(str(path))
        except OSError:
            pass
    found = here + elsewhere
    return not found, (
        f"found in {found[:3]}" if found else f"{len(os.environ)} variables, all constant"
    )


def try_kill_parent(wanted: Wanted) -> Held:
    parent = os.getppid()
    return (True, "has no parent to name") if parent == 0 else refused(os.kill, parent, 0)


def try_forks(wanted: Wanted) -> Held:
    children = []
    try:
        for _ in range(500):
            pid = os.fork()
            if pid == 0:
                time.sleep(60)
                os._exit(0)
            children.append(pid)
    except OSError as problem:
        return True, f"{problem.strerror} after {len(children)}"
    finally:
        for pid in children:
            os.kill(pid, signal.SIGKILL)
    return False, "500 processes"


def try_address_space(wanted: Wanted) -> Held:
    try:
        taken = mmap.mmap(-1, 3 * 2**30)
    except (MemoryError, OSError) as problem:
        return True, problem
    taken.close()
    return False, "3 GiB mapped"


def try_memory_together(wanted: Wanted) -> Held:
    """Four children, each well below the limit of one process. The sandbox must be killed, as seen
    from outside.
    """
    for _ in range(4):
        if os.fork() == 0:
            kept = bytearray(os.urandom(MiB)) * (wanted["memory_bytes"] // MiB // 2)
            time.sleep(60)
            os._exit(len(kept) % 2)
    time.sleep(8)
    return (
        False,
        (
            f"4 processes used {2 * wanted['memory_bytes'] // MiB} MiB for 8 s, the limit is"
            f" {wanted['memory_bytes'] // MiB}"
        ),
    )


def try_daemon(wanted: Wanted) -> Held:
    """Leave a process that holds stderr open, so that the outside can see whether it survives."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
            time.sleep(60)
        os._exit(0)
    time.sleep(0.2)
    return True, "left behind"


def try_interrupt(wanted: Wanted) -> Held:
    try:
        say(None, "waiting")
        time.sleep(30)
    except KeyboardInterrupt:
        return True, "KeyboardInterrupt"
    return False, "no KeyboardInterrupt in 30 s"


# Privileges


def call(name: str, *arguments: Any) -> str:
    libc = ctypes.CDLL(None, use_errno=True)
    result = getattr(libc, name)(*arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return str(result)


def try_user_namespace(wanted: Wanted) -> Held:
    """Tried in a child, because a process with threads may never make a user namespace."""
    pid = os.fork()
    if pid == 0:
        os._exit(refused(call, "unshare", 0x10000000)[0])
    held = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 1
    return held, "refused" if held else "made one"


def try_mount(wanted: Wanted) -> Held:
    """Mount a file system type that does not exist: with the right to mount, the error is ENODEV;
    without it, EPERM.
    """
    try:
        call("mount", b"none", b"/tmp", b"tito-no-such-type", 0, None)
    except OSError as problem:
        return problem.errno == 1, problem.strerror
    return False, "mounted"


def try_ptrace(wanted: Wanted) -> Held:
    child = subprocess.Popen([sys.executable, "-S", "-c", "input()"], stdin=subprocess.PIPE)
    try:
        return refused(call, "ptrace", 16, child.pid, None, None)  # PTRACE_ATTACH
    finally:
        child.kill()


def try_capabilities(wanted: Wanted) -> Held:
    status = dict(
        line.split(":\t", 1)
        for line in pathlib.Path("/proc/thread-self/status").read_text().splitlines()
        if ":\t" in line
    )
    have = [name for name in ("CapPrm", "CapEff", "CapBnd", "CapAmb") if int(status[name], 16)]
    if have or status["NoNewPrivs"] != "1":
        return False, f"has {' '.join(have) or 'no capability'}, NoNewPrivs {status['NoNewPrivs']}"
    return all_refused(
        [
            ("setuid", os.setuid, 0 if os.getuid() else 1),
            ("chroot", os.chroot, "/tmp"),
            ("limits", _raise_limit),
        ]
    )


def _raise_limit() -> None:
    try:
        resource.setrlimit(resource.RLIMIT_NPROC, (10**4, 10**4))
    except ValueError as problem:
        raise OSError(1, str(problem)) from None


main()

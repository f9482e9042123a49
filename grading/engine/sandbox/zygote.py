"""The pre-imported parent: `python zygote.py`, which forks one sandbox for each connection to its
socket.

Forking a process that has already imported NumPy, IPython and matplotlib takes milliseconds;
starting one takes a second. Every sandbox is a copy of this process, so it must hold no secrets: it
is a fresh Python with constant environment variables, and it never reads a course. It has one
thread and no ZeroMQ context, because threads do not survive a fork.

It reads {"folder", "owner", "matplotlib"} as one line of JSON from standard input, and writes
"ready" or an error to standard output.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import json
import os
import select
import shutil
import signal
import socket
import sys
from pathlib import Path

# the modules of this folder must not be importable as top-level modules
sys.path[0] = str(Path(__file__).resolve().parents[3])

from grading.engine.sandbox import cgroup, file_system, programs, supervisor  # noqa: E402

# the user inside a sandbox when root grades: it owns nothing else, so RLIMIT_NPROC works
ROOT_MAPS_TO = 0x70000000
MAX_REQUEST_BYTES = 64 * 1024


def main() -> None:
    told = json.loads(sys.stdin.readline())
    if told["matplotlib"]:
        os.environ["MPLCONFIGDIR"] = told["matplotlib"]  # making its font list takes seconds
    owner = os.pidfd_open(told["owner"])
    if os.getppid() != told["owner"]:
        return
    folder = Path(told["folder"])
    inside_uid = ROOT_MAPS_TO if os.getuid() == 0 else None
    (folder / "root").mkdir()
    file_system.make_skeleton(folder / "root", inside_uid or os.getuid())
    groups = cgroup.Groups.find(os.getpid())
    worker = programs.import_contract_worker()
    programs.import_before()
    app = programs.kernel_app()
    threads = len(os.listdir("/proc/self/task"))
    if threads != 1:
        raise RuntimeError(f"the parent of sandboxes has one thread, found {threads}")
    gc.disable()
    gc.collect()
    gc.freeze()  # otherwise a garbage collection in a child would copy every memory page
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(str(folder / "s"))
    listener.listen(128)
    ours, root = programs.own_modules(), str(folder / "root")
    prepared = supervisor.Prepared(root, inside_uid, groups, worker, app, ours)
    parent = _Parent(listener, owner, prepared)
    print("ready", flush=True)
    null = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    try:
        parent.serve()
    finally:
        parent.end()
        if groups:
            groups.remove()
        shutil.rmtree(folder, ignore_errors=True)


class _Parent:
    """Accepts connections and forks."""

    def __init__(self, listener: socket.socket, engine: int, prepared: supervisor.Prepared):
        self.listener, self.engine, self.prepared = listener, engine, prepared
        self.children: set[int] = set()
        signal.signal(signal.SIGCHLD, self._reap)
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))

    def _reap(self, *_: object) -> None:
        with contextlib.suppress(ChildProcessError):
            while pid := os.waitpid(-1, os.WNOHANG)[0]:
                self.children.discard(pid)

    def serve(self) -> None:
        """Accept connections until the engine ends."""
        poll = select.poll()
        poll.register(self.listener, select.POLLIN)
        poll.register(self.engine, select.POLLIN)
        while self.engine not in {fd for fd, _ in poll.poll()}:
            connection, _ = self.listener.accept()
            with connection, contextlib.suppress(OSError, ValueError):
                if supervisor.peer(connection)[1] in (0, os.getuid()):
                    self._accept(connection)

    def _accept(self, connection: socket.socket) -> None:
        connection.settimeout(5)
        data, fds, _, _ = socket.recv_fds(connection, MAX_REQUEST_BYTES, 3)
        try:
            while data and not data.endswith(b"\n") and len(data) < MAX_REQUEST_BYTES:
                data += connection.recv(MAX_REQUEST_BYTES)
            connection.settimeout(None)
            request = json.loads(data)
            if len(fds) == 3:
                self._fork(connection, fds, request)
        finally:
            for fd in fds:
                os.close(fd)

    def _fork(self, connection: socket.socket, fds: list[int], request: dict) -> None:
        ours, theirs = socket.socketpair()
        zygote, pid = os.getpid(), os.fork()
        if pid == 0:
            ours.close()
            self.listener.close()
            os.close(self.engine)
            ask = functools.partial(_ask, theirs)
            supervisor.run(connection, fds, request, self.prepared, map_users=ask, zygote=zygote)
        self.children.add(pid)
        theirs.close()
        with ours:
            if ours.recv(1) == b"u":  # "u": the child has unshared its namespaces
                _map_users(pid)
                ours.send(b"m")

    def end(self) -> None:
        """End every sandbox and wait until nothing of them is left."""
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for pid in self.children:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
        signal.alarm(10)
        with contextlib.suppress(ChildProcessError):
            while True:
                os.wait()


def _ask(parent: socket.socket) -> None:
    with parent:
        parent.send(b"u")
        if parent.recv(1) != b"m":
            raise OSError("the user mapping was refused")


def _map_users(pid: int) -> None:
    """Write the user mapping of user_namespaces(7). Root maps all users, in order to read what it
    mounts; the code inside gives up root for good.
    """
    uid, gid = os.getuid(), os.getgid()
    proc = Path("/proc", str(pid))
    if uid == 0:
        (proc / "uid_map").write_text("0 0 4294967295", encoding="ascii")
        (proc / "gid_map").write_text("0 0 4294967295", encoding="ascii")
    else:
        (proc / "setgroups").write_text("deny", encoding="ascii")
        (proc / "uid_map").write_text(f"{uid} {uid} 1", encoding="ascii")
        (proc / "gid_map").write_text(f"{gid} {gid} 1", encoding="ascii")


if __name__ == "__main__":
    main()

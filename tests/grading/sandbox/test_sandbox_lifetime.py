"""Nothing of a sandbox outlives it, whichever process is killed."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from grading.engine import sandbox
from grading.engine.sandbox import cgroup, procfs, temporary_folders
from helpers.patience import PATIENCE_SECONDS, runs, until

ROOT = Path(__file__).resolve().parents[3]
DAEMON = """import signal, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        say('daemon')
        time.sleep(600)
    os._exit(0)
"""


def groups_of(parent: int) -> list[str]:
    """Control groups of this parent's sandboxes, and the directory that holds them."""
    found = [
        path
        for _, folders in cgroup._candidates()
        for folder in folders
        for path in folder.glob(f"tito-sandbox-*-{parent}-*")
    ]
    inside = [inner for one in found for inner in one.iterdir()]
    return [str(path) for path in (*found, *inside) if path.is_dir()]


def closed(fd: int) -> bool:
    return bool(select.select([fd], [], [], 0)[0]) and os.read(fd, 1) == b""


def children_in(pid: int) -> list[int]:
    return [one for one in procfs.descendants(pid) if one != pid]


@pytest.mark.parametrize("level", sandbox.LEVELS)
def test_kill_leaves_no_process_not_even_a_daemon(level, boxes, run):
    running = run(boxes(level), DAEMON)
    assert running.line() == "daemon"
    pid = running.process.pid
    running.process.kill()
    assert not runs(pid)
    assert until(lambda: closed(running.fds[0]))  # the daemon held the other end
    assert running.process.returncode is not None


@pytest.mark.parametrize("level", ["bubblewrap", "limits"])
def test_kill_waits_for_those_whose_parent_was_killed_before(level, boxes, run):
    """Releasing 300 MiB takes milliseconds, so a process that was not waited for would still be
    ending. The parent of the daemon has ended before: nobody can find a process that is ending.
    """
    full = "kept = bytearray(os.urandom(2**20)) * 300\nsay('full')\n"
    alone = "os.wait()\nsay('alone')\n"
    running = run(boxes(level), f"{full}{DAEMON}{alone}time.sleep(600)")
    assert {running.line() for _ in range(3)} == {"full", "daemon", "alone"}
    everybody = procfs.descendants(running.process._popen.pid)
    os.kill(running.process._popen.pid, signal.SIGKILL)
    running.process.kill()
    assert not [pid for pid in everybody if runs(pid)]
    assert closed(running.fds[0])  # the daemon held the other end


# The first process of a process namespace ignores a signal without a handler.
ENDS_AT_INTERRUPT = "import signal\nsignal.signal(signal.SIGINT, lambda *_: os._exit(3))\n"
ENDS = {  # what ends -> (how, the exit code that is known then)
    "its Python": (lambda running, _: running.process.send_signal(signal.SIGINT), 3),
    "its connection": (lambda running, _: running.process._socket.close(), None),
    "the parent of the sandboxes": (
        lambda _, box: os.kill(box.parent.pid, signal.SIGKILL),
        -signal.SIGKILL,
    ),
}


@pytest.mark.parametrize("what", ENDS)
def test_a_daemon_dies_at_the_end_of(what, namespaces, run):
    end, code = ENDS[what]
    with sandbox.open_sandbox("namespaces") as box:
        running = run(box, ENDS_AT_INTERRUPT + DAEMON + "time.sleep(600)")
        assert running.line() == "daemon"
        everybody = [pid for pid in children_in(box.parent.pid) if runs(pid)]
        assert len(everybody) > 1
        end(running, box)
        assert until(lambda: not any(runs(pid) for pid in everybody))
        assert until(lambda: closed(running.fds[0]))
        if code is None:
            running.process.returncode = 0  # nothing can be asked of a closed connection
        else:
            assert running.process.wait(PATIENCE_SECONDS) == code
        if not box.alive:
            with pytest.raises(sandbox.SandboxError, match="open the sandbox again"):
                run(box, "say(1)")


ENGINE = """
import os, sys, time, json
sys.path.insert(0, {root!r})
from pathlib import Path
from grading.engine import sandbox
box = sandbox.open_sandbox("namespaces")
read, write = os.pipe()
process = box.start("sealed", arguments=["student"], package=Path({package!r}), stdin=read)
print(json.dumps([box.parent.pid, process.pid, str(box.folder)]), flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize("also_the_parent", [False, True])
def test_kill_9_of_the_engine_leaves_no_process(also_the_parent, namespaces, tmp_path):
    (tmp_path / "student.py").write_text(
        "import os, time\n" + DAEMON.replace("say('daemon')", "pass") + "time.sleep(600)\n"
    )
    code = ENGINE.format(root=str(ROOT), package=str(tmp_path))
    engine = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    with engine:
        parent, pid, folder = json.loads(engine.stdout.readline())
        everybody = [parent, *children_in(parent)]
        assert pid in everybody and runs(pid)
        engine.kill()
        if also_the_parent:
            os.kill(parent, signal.SIGKILL)
    assert until(lambda: not any(runs(one) for one in everybody))
    if not also_the_parent:
        assert until(lambda: not Path(folder).exists())
    # The next start removes what could not be removed at that moment.
    sandbox.open_sandbox("namespaces").close()
    assert not Path(folder).exists()
    assert groups_of(parent) == []


@pytest.mark.parametrize("level", sandbox.LEVELS)
def test_an_exit_code_and_a_signal_are_told_apart(level, boxes, run):
    crash = "import ctypes\nctypes.string_at(0)"
    for code, ends in (("os._exit(7)", 7), (crash, -signal.SIGSEGV)):
        assert run(boxes(level), code).process.wait(PATIENCE_SECONDS) == ends


def test_what_an_engine_in_another_container_owns_is_not_swept(monkeypatch):
    """It has another process namespace, so its process id means nothing here."""
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    left, mine = (
        temporary_folders.owned_by("sandbox", pid) + "12345678" for pid in (gone.pid, os.getpid())
    )
    assert temporary_folders.is_left(left) and not temporary_folders.is_left(mine)
    monkeypatch.setattr(temporary_folders, "_namespace", lambda: "n1")
    assert not temporary_folders.is_left(left)


@pytest.mark.parametrize("name", ["run-u12.scope", "session-3.scope"])
def test_only_the_processes_of_a_scope_of_our_own_are_moved(tmp_path, name):
    """On plain files: what is written where. A group of version 2 needs a machine with systemd."""
    scope = tmp_path / name
    scope.mkdir()
    (scope / "cgroup.subtree_control").write_text("")
    (scope / "cgroup.procs").write_text("12\n")
    cgroup._hand_on(scope)
    moved = scope / "tito-grader" / "cgroup.procs"
    ours = name.startswith("run-")
    assert (moved.read_text() if moved.exists() else "") == ("12" if ours else "")
    assert bool((scope / "cgroup.subtree_control").read_text()) == ours

"""Every limit holds when code tries to break it; the attempts are those of `tito grade doctor`."""

from __future__ import annotations

import errno
import itertools
import mmap
import os
import socket
import struct

import pytest

from grading.engine import sandbox
from grading.engine.sandbox import (
    attempts_to_break_out,
    doctor_probes,
    kernelcalls,
    programs,
    seccomp,
    spawned,
)
from grading.engine.sandbox.limits import MiB
from helpers.patience import PATIENCE_SECONDS
from tito.time_and_memory_limits import MOST_GIB


@pytest.mark.parametrize("level", ["namespaces", "bubblewrap"])
@pytest.mark.parametrize("probe", attempts_to_break_out.TEXTS)
def test_student_code_cannot(probe, level, boxes):
    box = boxes(level)
    with doctor_probes.outside(box) as known:
        held, detail = doctor_probes.attempt(box, probe, known)
    assert held, f"{level}: student code can {attempts_to_break_out.TEXTS[probe]}: {detail}"


NEED_WALLS = "loopback abstract_socket read_secrets other_processes kill_parent fill_tmp devices"


@pytest.mark.parametrize("probe", NEED_WALLS.split())
def test_without_walls_the_same_attempt_succeeds(probe, boxes):
    box = boxes("limits")
    with doctor_probes.outside(box) as known:
        held, _ = doctor_probes.attempt(box, probe, known)
    assert held is False
    assert not box.isolated


GROW = """
import time
for _ in range(3):
    if os.fork() == 0:
        kept = bytearray(os.urandom(2**20)) * 60
        break
time.sleep(60)
"""


@pytest.mark.parametrize("level", sandbox.LEVELS)
def test_memory_of_all_processes_together_ends_the_sandbox_and_says_so(level, boxes, run):
    running = run(boxes(level), GROW, limits=sandbox.SandboxLimits(memory_bytes=128 * MiB))
    running.process.wait(PATIENCE_SECONDS)
    assert running.process.ended_by == "memory"
    assert running.process.returncode < 0
    assert running.process.peak_memory_bytes >= 100 * MiB


HOLD = {
    "memory": "kept = bytearray(os.urandom(2**20)) * 60",
    "a file": "open('/tmp/kept', 'wb').write(os.urandom(2**20) * 60)",
    "a mapped file": (
        "import mmap\nopen('/dev/shm/kept', 'wb').write(os.urandom(2**20) * 60)\n"
        "file = open('/dev/shm/kept', 'r+b')\nkept = mmap.mmap(file.fileno(), 0)\nhash(kept[:])"
    ),
}


@pytest.mark.parametrize(
    ("level", "place"),
    [*((level, "memory") for level in sandbox.LEVELS), *(("bubblewrap", one) for one in HOLD)],
)
def test_a_peak_that_is_forgotten_begins_again_with_what_is_held_now(
    level, place, boxes, run, monkeypatch
):
    """This must also work without a control group, where a thread measures only from time to time:
    a memory test compares two peaks, and the first must not be 0. A file in the sandbox's own /tmp
    is memory, too.
    """
    box = boxes(level)
    monkeypatch.setattr(box, "groups", None, raising=False)
    monkeypatch.setattr(spawned, "WATCH_SECONDS", 3600)
    hold = f"import time\n{HOLD[place]}\nsay('held')\ntime.sleep(60)"
    running = run(box, hold)
    assert running.line() == "held"
    running.process.forget_peak()
    assert 60 * MiB <= running.process.peak_memory_bytes < 260 * MiB


FORK = """
import time
n = 0
try:
    while n < 100:
        if os.fork() == 0:
            time.sleep(60)
        n += 1
except OSError:
    say(n)
"""


def test_a_limit_met_in_one_sandbox_is_not_felt_in_the_next(namespaces, run):
    limits = sandbox.SandboxLimits(processes=12)
    first = run(namespaces, FORK, limits=limits)
    full = int(first.line())
    # while the first sandbox still uses all that it may
    second = run(namespaces, FORK, limits=limits)
    assert int(second.line()) == full < 12


SAY_WHAT_IS_THERE = """
say(sorted(os.environ))
files = [f"/proc/self/fd/{n}" for n in os.listdir("/proc/self/fd")]
say([os.readlink(file) for file in files if os.path.lexists(file)])
say(open("/proc/self/environ").read())
"""


def test_only_constants_and_the_callers_descriptors_come_in(namespaces, run, monkeypatch):
    monkeypatch.setenv("GRADER_TOKEN", "secret")
    os.set_inheritable(leak := os.open("/etc/passwd", os.O_RDONLY), True)
    try:
        running = run(namespaces, SAY_WHAT_IS_THERE)
        names, files, environ = running.line(), running.line(), running.line()
    finally:
        os.close(leak)
    assert "GRADER_TOKEN" not in names and "secret" not in environ
    assert "passwd" not in files and "socket" not in files


def test_two_sandboxes_of_one_parent_draw_different_numbers(namespaces, run):
    draw = "import random, numpy\nsay(random.random(), numpy.random.rand())"
    one, two = run(namespaces, draw).line().split(), run(namespaces, draw).line().split()
    assert one[0] != two[0] and one[1] != two[1]  # equal by chance in 2 of 2**53 runs


def test_a_package_is_copied_without_its_links(tmp_path):
    package, copy = tmp_path / "package", tmp_path / "copy"
    (package / "inner").mkdir(parents=True)
    copy.mkdir()
    (package / "answers").symlink_to("/etc/shadow")
    (package / "folder").symlink_to(tmp_path)
    (package / "inner" / "kept.py").touch()
    programs.copy_files(str(package), str(copy))
    assert sorted(copy.rglob("*")) == [copy / "inner", copy / "inner/kept.py"]


@pytest.mark.parametrize(
    ("options", "rule"),
    [
        ({"program": "shell"}, "kernel.*sealed"),
        ({"program": "kernel"}, "needs `run`"),
        ({"program": "sealed", "run": "/tmp/x"}, "needs `run`"),
        ({"program": "kernel", "run": "/tmp/" + "x" * 100}, "at most 107 bytes"),
        ({"program": "sealed", "shared": "/usr"}, "below /tmp"),
    ],
)
def test_what_cannot_work_is_refused_before_anything_starts(options, rule, namespaces, tmp_path):
    with pytest.raises(ValueError, match=rule):
        namespaces.start(**options, package=tmp_path)


def answer(arch: int, number: int, *arguments: int, ipv4: bool = False) -> int:
    """The filter's answer to a system call, from an interpreter for the six instructions that it
    uses.
    """
    data = struct.pack("=IIQ6Q", number, arch, 0, *arguments, *[0] * (6 - len(arguments)))
    code, place, register = list(struct.iter_unpack("=HBBI", seccomp.program(ipv4=ipv4))), 0, 0
    while True:
        operation, if_true, if_false, value = code[place]
        place += 1
        if operation == 0x06:
            return value
        if operation == 0x20:
            register = struct.unpack_from("=I", data, value)[0]
        elif operation == 0x54:
            register &= value
        else:
            holds = {
                0x15: register == value,
                0x35: register >= value,
                0x45: bool(register & value),
            }[operation]
            place += if_true if holds else if_false


@pytest.mark.skipif(
    kernelcalls.supported() is not None,
    reason=f"system calls of another system: {kernelcalls.supported()}",
)
def test_the_filter_refuses_what_it_lists_and_nothing_else():
    column, arch = seccomp._MACHINES[os.uname().machine]
    refused, allow = 0x50000, 0x7FFF0000
    listed = {numbers[column] for numbers in seccomp._REFUSED.values()}
    clone, of_socket, setsid = (
        numbers[column] for numbers in (seccomp._CLONE, seccomp._SOCKET, seccomp._SETSID)
    )
    eperm = refused | errno.EPERM
    for number in set(range(500)) - {clone, seccomp._CLONE3, of_socket, setsid}:
        assert answer(arch, number) == (eperm if number in listed else allow), number
    assert answer(arch, seccomp._CLONE3) == refused | errno.ENOSYS
    assert answer(arch, clone, 0x11) == allow  # a fork
    assert answer(arch, clone, kernelcalls.NEWUSER | 0x11) == eperm
    for family, protocol, ipv4 in itertools.product(range(50), (0, 1, 6, 17, 132), (False, True)):
        own = family == socket.AF_INET and ipv4 and protocol in (0, 6, 17)
        asked = answer(arch, of_socket, family, 1, protocol, ipv4=ipv4)
        let_through = own or family in (socket.AF_UNIX, socket.AF_NETLINK)
        assert asked == (allow if let_through else refused | errno.EAFNOSUPPORT), (family, protocol)
    assert answer(arch, setsid) == refused  # the result is 0
    for flags in (mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.MAP_SHARED):
        assert answer(arch, seccomp._MMAP[column], 0, 4096, 3, flags) == allow
    for flags in (mmap.MAP_SHARED, mmap.MAP_SHARED | 0x02, mmap.MAP_SHARED | 0x4000):
        asked = answer(arch, seccomp._MMAP[column], 0, 4096, 3, flags | mmap.MAP_ANONYMOUS)
        assert asked == eperm, flags
    for level, option in itertools.product((socket.SOL_SOCKET, 6), range(64)):
        sizes = level == socket.SOL_SOCKET and option in seccomp._BUFFER_SIZES
        asked = answer(arch, seccomp._SETSOCKOPT[column], 3, level, option)
        assert asked == (eperm if sizes else allow), (level, option)
    # the system call numbers of i386 are different
    assert answer(0x40000003, 1) == eperm
    assert answer(arch, 0x40000000 | 1) == eperm  # and so are those of x32


def test_a_student_tests_with_as_much_memory_as_a_process_of_the_grader_has():
    assert sandbox.SandboxLimits().address_space_bytes == MOST_GIB * 2**30

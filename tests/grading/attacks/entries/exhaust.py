"""Using up the machine: time, memory, processes, disk, files, output.

Each attack ends by itself, so that a hole in the engine fails a test and does not harm the
machine.
"""

from __future__ import annotations

from attacks.catalogue import cell, lost
from attacks.course import NONE, SOME

TIME = {"says": "time|ended|stopped", "review": True, "slow": True}
OUTPUT = {"before": "test-scale", "says": "output|stopped|ended|MiB", "review": True}
DEATH = {"before": "test-scale", "says": "process ended|died|ended", "review": True}
TAKES_6_GB = """
hoard = []
for _ in range(60):
    hoard.append(bytearray(b"x" * 100_000_000))
"""

ENTRIES = [
    # Time
    cell(
        "One exercise loops for ever, which two tests meet",
        "",
        answers={"scale": "while True: pass"},
        **TIME,
    ),
    cell(
        "Each exercise loops and swallows every exception, so that the cells' limits add up",
        "",
        solved=NONE,
        answers=dict.fromkeys(
            ("double", "scale", "count", "box__init"),
            """
import time
stop = time.monotonic() + 60
while time.monotonic() < stop:
    try:
        while time.monotonic() < stop:
            pass
    except BaseException:
        pass
""",
        ),
        **TIME,
    ),
    cell(
        "It blocks all signals and loops",
        """
import signal, time
signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 64))
signal.signal(signal.SIGINT, signal.SIG_IGN)
stop = time.monotonic() + 60
while time.monotonic() < stop:
    pass
""",
        before="test-scale",
        **TIME,
    ),
    cell(
        "It loops inside C code, where no signal is looked at",
        """
import re
re.match(r"(a|a|b?)*c", "a" * 60)
""",
        before="test-scale",
        **TIME,
    ),
    cell(
        "It stops its own process",
        "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)",
        before="test-scale",
        isolated=True,
    ),
    cell(
        "It sleeps in a thread that keeps the kernel busy after the last cell",
        """
import threading, time
def sit():
    stop = time.monotonic() + 60
    while time.monotonic() < stop:
        sum(range(10**5))
threading.Thread(target=sit).start()
""",
    ),
    # Memory
    cell(
        "It takes 6 GB in one process",
        TAKES_6_GB,
        isolated=True,
    ),
    cell(
        "It takes 6 GB in ten processes",
        """
import os, time
children = []
for _ in range(10):
    pid = os.fork()
    if pid == 0:
        hoard = []
        try:
            for _ in range(6):
                hoard.append(bytearray(b"x" * 100_000_000))
            time.sleep(4)
        finally:
            os._exit(0)
    children.append(pid)
for pid in children:
    os.waitpid(pid, 0)
""",
        isolated=True,
    ),
    cell(
        "It takes 4 GB in shared memory and in memory files that belong to no process",
        """
import mmap
hoard = [mmap.mmap(-1, 100_000_000) for _ in range(20)]
for one in hoard[:4]:
    one.write(b"x" * 100_000_000)
import os
for number in range(36):
    fd = os.memfd_create(f"@token@-{number}")
    for _ in range(10):
        os.write(fd, b"x" * 10_000_000)
""",
        isolated=True,
    ),
    # Disk
    cell(
        "It writes one file of 2 GB, and 2 GB in many files to every place that takes them",
        """
try:
    with open("big.bin", "wb") as file:
        for _ in range(200):
            file.write(b"x" * 10_000_000)
except OSError as problem:
    print(problem)
for place in (".", "/tmp", "/dev/shm", "/var/tmp", "/run", "/dev", "@scratch@"):
    for number in range(40):
        try:
            with open(f"{place}/@token@-{number}", "wb") as file:
                for _ in range(5):
                    file.write(b"x" * 10_000_000)
        except OSError as problem:
            print(place, problem)
            break
""",
        isolated=True,
    ),
    cell(
        "It makes a million empty files and a thousand nested folders",
        """
import os
try:
    for number in range(1_000_000):
        open(f"{number}", "w").close()
except OSError as problem:
    print(problem)
try:
    for number in range(1000):
        os.mkdir("d")
        os.chdir("d")
except OSError as problem:
    print(problem)
""",
        isolated=True,
    ),
    cell(
        "It opens files until none can be opened, and ten thousand threads",
        """
hoard = []
try:
    while len(hoard) < 100_000:
        hoard.append(open("/dev/null"))
except OSError as problem:
    print(problem)
hoard.clear()
import threading, time
try:
    for _ in range(10_000):
        threading.Thread(target=time.sleep, args=(20,), daemon=True).start()
except RuntimeError as problem:
    print(problem)
""",
        isolated=True,
    ),
    # Processes
    cell(
        "It is a fork bomb",
        """
import os, time
stop = time.monotonic() + 5
for _ in range(12):
    try:
        if os.fork() == 0:
            while time.monotonic() < stop:
                try:
                    os.fork()
                except OSError:
                    time.sleep(0.05)
            os._exit(0)
    except OSError as problem:
        print(problem)
""",
        isolated=True,
    ),
    # Output
    cell(
        "It prints 300 MB",
        "for _ in range(300):\n    print('x' * 1_000_000)",
        **OUTPUT,
        isolated=True,
    ),
    cell(
        "It prints a million short lines, some to stderr",
        """
import sys
for number in range(1_000_000):
    print(number, file=sys.stderr if number % 2 else sys.stdout)
""",
        **OUTPUT,
    ),
    cell(
        "It shows 200 MB as rich output, in pieces",
        """
from IPython.display import HTML, display
for _ in range(100):
    display(HTML("<b>" + "x" * 2_000_000 + "</b>"))
""",
        **OUTPUT,
        isolated=True,
    ),
    cell(
        "It gives one result of 150 MB",
        """
class Large:
    def __repr__(self):
        return "x" * 150_000_000
Large()
""",
        **OUTPUT,
        isolated=True,
    ),
    # The end of the process
    cell(
        "It ends the process in the middle, without a message",
        "import os\nos._exit(0)",
        **DEATH,
    ),
    cell(
        "It reads address 0",
        "import ctypes\nctypes.string_at(0)",
        **DEATH,
    ),
    cell(
        "It recurses until the stack overflows",
        """
import sys
sys.setrecursionlimit(10**9)
import threading
class Deep:
    def __repr__(self):
        return repr(self)
def dive(n):
    return str([[dive(n + 1)]])
try:
    dive(0)
except RecursionError as problem:
    print("safe")
""",
        before="test-scale",
    ),
    cell(
        "It calls sys.exit, quit and exit in the middle",
        "import sys\nquit()\nexit()\nsys.exit(0)",
        before="test-scale",
    ),
    cell(
        "It shuts the kernel down in an orderly way",
        """
ip = get_ipython()
ip.kernel.do_shutdown(False)
ip.kernel.io_loop.call_later(0.1, ip.kernel.io_loop.stop) if hasattr(ip.kernel, "io_loop") else None
""",
        before="test-scale",
    ),
    cell(
        "Its exported file takes 6 GB where the sealed tests run",
        TAKES_6_GB,
        exported=True,
        sealed=lost(SOME),
        isolated=True,
        before="read-all",
    ),
]

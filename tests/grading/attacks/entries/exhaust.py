"""Using up the machine, as a class of submissions meets it: time, memory, processes, disk, output.

Each attack ends by itself, so that a hole in the engine fails a test and does not harm the machine.
Every limit alone is tried by the attempts of `tito grade doctor` (tests/grading/sandbox).
"""

from __future__ import annotations

from attacks.catalogue import cell, lost
from attacks.course import NONE, SOME

LATER = {"before": "test-scale"}  # double is graded, and box not yet
TIME = {"says": "time|ended|stopped", "review": True}
OUTPUT = {**LATER, "says": "output|stopped|ended|MiB", "review": True}
DEATH = {**LATER, "says": "process ended|died|ended", "review": True}
TAKES_6_GB = """
hoard = []
for _ in range(60):
    hoard.append(bytearray(b"x" * 100_000_000))
"""
SWALLOWS = """
import time
stop = time.monotonic() + 60
while time.monotonic() < stop:
    try:
        while time.monotonic() < stop:
            pass
    except BaseException:
        pass
"""
# what it tries -> the code of its cell
LOOPS = {
    "It blocks all signals and loops": """
import signal, time
signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 64))
signal.signal(signal.SIGINT, signal.SIG_IGN)
stop = time.monotonic() + 60
while time.monotonic() < stop:
    pass
""",
    "It loops inside C code, where no signal is looked at": """
import re
re.match(r"(a|a|b?)*c", "a" * 60)
""",
}
TAKES = {
    "It takes 6 GB in one process": TAKES_6_GB,
    "It writes 2 GB in many files to every place that takes them, and empty files without end": """
for place in (".", "/tmp", "/dev/shm", "/var/tmp", "/run", "/dev", "@scratch@"):
    for number in range(40):
        try:
            with open(f"{place}/@token@-{number}", "wb") as file:
                for _ in range(5):
                    file.write(b"x" * 10_000_000)
        except OSError as problem:
            print(place, problem)
            break
try:
    for number in range(1_000_000):
        open(f"{number}", "w").close()
except OSError as problem:
    print(problem)
""",
    "It is a fork bomb": """
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
}
FLOODS = {
    "It prints 300 MB": "for _ in range(300):\n    print('x' * 1_000_000)",
    "It shows 200 MB as rich output, in pieces": """
from IPython.display import HTML, display
for _ in range(100):
    display(HTML("<b>" + "x" * 2_000_000 + "</b>"))
""",
    "It gives one result of 150 MB": """
class Large:
    def __repr__(self):
        return "x" * 150_000_000
Large()
""",
}
ENDS = {
    "It ends the process in the middle, without a message": "import os\nos._exit(0)",
    "It reads address 0": "import ctypes\nctypes.string_at(0)",
}
ENDS_NICELY = {
    "It recurses until the stack overflows": """
import sys
sys.setrecursionlimit(10**9)
def dive(n):
    return str([[dive(n + 1)]])
try:
    dive(0)
except RecursionError as problem:
    print("safe")
""",
    "It calls sys.exit, quit and exit in the middle": "import sys\nquit()\nexit()\nsys.exit(0)",
    "It shuts the kernel down in an orderly way": """
ip = get_ipython()
ip.kernel.do_shutdown(False)
ip.kernel.io_loop.call_later(0.1, ip.kernel.io_loop.stop) if hasattr(ip.kernel, "io_loop") else None
""",
}

ENTRIES = [
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
        answers=dict.fromkeys(("double", "scale", "count", "box__init"), SWALLOWS),
        **TIME,
    ),
    *(cell(name, code, **LATER, **TIME) for name, code in LOOPS.items()),
    cell(
        "It stops its own process",
        "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)",
        **LATER,
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
    *(cell(name, code, isolated=True) for name, code in TAKES.items()),
    *(cell(name, code, **OUTPUT, isolated=True) for name, code in FLOODS.items()),
    cell(
        "It prints a million short lines, some to stderr",
        """
import sys
for number in range(1_000_000):
    print(number, file=sys.stderr if number % 2 else sys.stdout)
""",
        **OUTPUT,
    ),
    *(cell(name, code, **DEATH) for name, code in ENDS.items()),
    *(cell(name, code, **LATER) for name, code in ENDS_NICELY.items()),
    cell(
        "Its exported file takes 6 GB where the sealed tests run",
        TAKES_6_GB,
        exported=True,
        sealed=lost(SOME),
        isolated=True,
        before="read-all",
    ),
]

"""Using up the machine, as a class of submissions meets it: time, memory, processes, disk, output.

Each attack ends by itself, so that a hole in the engine fails a test and does not harm the machine.
Every limit alone is tried by the attempts of `tito grade doctor` (tests/grading/sandbox).
"""

from __future__ import annotations

from attacks.catalogue import cell, lost
from attacks.course import NONE, SOME

LATER = {"before": "test-box"}  # double is graded, and box not yet
TIME = {"says": "time|ended|stopped", "review": True}
OUTPUT = {**LATER, "says": "output|stopped|ended|MiB", "review": True}
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
TAKES = {
    "It takes 6 GB in one process": TAKES_6_GB,
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
    "It gives one result of 150 MB": """
class Large:
    def __repr__(self):
        return "x" * 150_000_000
Large()
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
        answers=dict.fromkeys(("double", "scale", "box__init"), SWALLOWS),
        **TIME,
    ),
    cell(
        "It stops its own process",
        "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)",
        **LATER,
        isolated=True,
    ),
    *(cell(name, code, isolated=True) for name, code in TAKES.items()),
    *(cell(name, code, **OUTPUT, isolated=True) for name, code in FLOODS.items()),
    cell(
        "It ends the process in the middle, without a message",
        "import os\nos._exit(0)",
        **LATER,
        says="process ended|died|ended",
        review=True,
    ),
    cell(
        "Its exported file takes 6 GB where the sealed tests run",
        TAKES_6_GB,
        exported=True,
        sealed=lost(SOME),
        isolated=True,
        before="sums",
    ),
]

"""Attacks on the sealed tests from the package that they test: its process may do anything, but
earns points only for right answers. Single lies and harms are tested, each for itself, in
tests/tito/contract and tests/grading/test_sealed.py.
"""

from __future__ import annotations

from attacks.catalogue import lost, package
from attacks.course import NONE, SOME

# true only in the sealed run, since the notebook runs exported cells too
SEALED_SIDE = '"get_ipython" not in globals()'

# Code to attack everything that can be reached in the worker: its descriptors, the peer, the pipe.
REACH = """
import gc, os, struct, json, sys, threading, time
def frame(message):
    text = json.dumps({**message, "blobs": []}).encode()
    return struct.pack(">I", len(text)) + text
def everywhere(data):
    for fd in range(3, 64):
        try:
            os.write(fd, data)
        except OSError:
            pass
"""
UNSOLVED = {
    "double": "return None",
    "scale": "return None",
    "box__init": "pass",
    "box__len": "return 0",
    "sums": "return []",
}

# Ways to hold all arrays at once: the exported code that belongs to it, and the body of `sums`.
HIDE = """arrays = []
for i in range(len(source)):
    keep(source[i].tobytes())
    arrays.append(float(source[i].sum()))
return arrays"""
HOARDS = {
    "hides them in files that no process maps": (
        """
import os
def keep(data):
    try:
        os.write(os.memfd_create("x"), data)
    except OSError:
        open(f"{os.urandom(8).hex()}", "wb").write(data)
""",
        HIDE,
    ),
    "hides them in a child process": (
        """
import os
def keep(data):
    if not hasattr(keep, "end"):
        out, keep.end = os.pipe()
        if os.fork() == 0:
            os.close(keep.end)
            hoard = []
            while part := os.read(out, 2**20):
                hoard.append(part)
            os._exit(0)
    view = memoryview(data)
    while view:
        view = view[os.write(keep.end, view[:2**20]):]
""",
        HIDE,
    ),
    "lets them go, and has its peak forgotten": (
        """
def forget():
    for path in ("/proc/self/clear_refs", "/proc/1/clear_refs"):
        try:
            with open(path, "w") as file:
                file.write("5")
        except OSError:
            pass
""",
        """arrays = [source[i] for i in range(len(source))]
found = [float(a.sum()) for a in arrays]
del arrays
forget()
return found""",
    ),
}


def cheat(name, code, **more):
    """An exported cheat around a package that solves nothing."""
    return package(name, code, **{"solved": NONE, "answers": UNSOLVED, **more})


ENTRIES = [
    package(
        "Its package ends the process while it is imported",
        f"import os\nif {SEALED_SIDE}:\n    os._exit(0)",
        sealed=lost(SOME),
    ),
    cheat(
        "It writes forged frames to every descriptor, at once and later from a thread",
        REACH
        + """
def ahead():
    for number in range(10_000):
        everywhere(frame({"re": number, "value": {"list": [42]}}))
        time.sleep(0.001)
for number in range(1, 200):
    everywhere(frame({"re": number, "value": 42}))
if "get_ipython" not in globals():
    threading.Thread(target=ahead, daemon=True).start()
""",
    ),
    cheat(
        "It replaces the peer's encoder, its answers and its ids in its own process",
        REACH
        + """
for name, module in list(sys.modules.items()):
    if name.endswith("contract.proxy"):
        module.Peer._do = lambda self, *a, **k: 42
        module.describe = lambda problem: {"builtin": "SystemExit", "type": "Skipped",
                                           "message": "skip", "at": ["x", 1, "y", "z"]}
        module._may_look = lambda *a: True
    if name.endswith("contract.wire"):
        module.Encoder.__call__ = lambda self, value, depth=0: 42
""",
    ),
    package(
        "It passes the public tests and loops in the hidden ones, so that the run breaks off",
        f"SEALED = {SEALED_SIDE}",
        solved=NONE,
        sealed={"contract_double": 8.0, "contract_box": 1.0},
        guarded={"test_double": 2.0, "test_box": 3.0},
        answers={
            "double": "while SEALED and not isinstance(x, int): pass\nreturn 2 * x",
            "scale": "while SEALED: pass",
            "box__init": "while SEALED and len(things): pass\nself.things = list(things)",
            "box__len": "return len(self.things)",
            "sums": "while SEALED: pass",
        },
        says="of 7 contract tests were not run",
        review=True,
    ),
    *(
        package(
            f"It keeps every array and {how}",
            code,
            solved=("double", "box"),
            answers={"sums": body},
            # without isolation, no control group counts memory that no process maps
            isolated="files" in how,
        )
        for how, (code, body) in HOARDS.items()
    ),
]

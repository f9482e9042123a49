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
    "count": "return None",
    "box__init": "pass",
    "box__len": "return 0",
    "box__getitem": "return None",
    "read_all": "yield None",
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
    package(
        "Its package replaces itself in sys.modules by an object that has every name",
        """
import sys
class Everything:
    __file__ = "x"
    def __getattr__(self, name):
        return lambda *a, **k: 43
if "get_ipython" not in globals():
    sys.modules[__name__] = Everything()
""",
        solved=NONE,
        answers=UNSOLVED,
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
    cheat(
        "It skips, fails and ends tests in pytest's own words",
        "",
        answers={
            "double": "import pytest; pytest.skip('no need')",
            "scale": "import unittest; raise unittest.SkipTest('no need')",
            "box__init": (
                "class Skipped(Exception):"
                " pass\nSkipped.__module__ = 'builtins'\nraise Skipped('no need')"
            ),
            "read_all": "import _pytest.outcomes as o; raise o.Exit('done', 0)",
            "sums": "raise type('Skipped', (BaseException,), {})('no need')",
        },
    ),
    package(
        "Its functions lower a limit of their own and meet it",
        """
import resource
def burn():
    resource.setrlimit(resource.RLIMIT_CPU, (0, 0))
    while True: pass
""",
        solved=("scale", "box", "read_all", "sums"),
        answers={"double": "burn()"},
        guarded=dict.fromkeys(("test_scale", "test_box"), 0.0),
        review=True,
        says="(?s)ended without an answer.*ended while test_double ran",
    ),
    package(
        "Its lengths lie: negative, huge, text",
        "",
        solved=("double",),
        answers={
            "box__init": "self.n = iter([-1, 10**30, 'three', 3.0, True, 2**40])",
            "box__len": "return next(self.n)",
            "box__getitem": "return 7",
        },
    ),
    cheat(
        "Its answers are endless",
        """
import itertools
class Endless:
    def __len__(self): return 2**62
    def __getitem__(self, index): return index
    def __iter__(self): return itertools.count()
""",
        answers={
            "double": "return Endless()",
            "scale": "return itertools.count()",
            "box__init": "pass",
            "box__len": "return 2**31",
            "box__getitem": "return 7",
            "read_all": "yield from itertools.repeat([1])",
            "sums": "return [0.0] * 10**9",
        },
    ),
    cheat(
        "It looks for the tests, the seed and the other process",
        REACH
        + """
import glob, random
seen = []
for pattern in ("@workspace@/grading/**/*.py", "/given/**", "../**/test_*.py", "/tmp/**/*.py",
                "/tmp/**/request.json", "@scratch@/**/*.json"):
    for path in glob.glob(pattern, recursive=True)[:20]:
        try:
            seen.append(open(path).read())
        except OSError as problem:
            pass
for path in glob.glob("/proc/*/environ") + glob.glob("/proc/*/cmdline"):
    try:
        seen.append(open(path, "rb").read().decode("latin-1"))
    except OSError:
        pass
SEEN = repr(seen)[-3000:] + repr(dict(os.environ))[-1000:]
""",
        answers={
            **UNSOLVED,
            "double": "raise ValueError(SEEN)",
            "scale": "rng = np.random.default_rng(0); raise ValueError(SEEN)",
        },
        page=True,
    ),
    package(
        "It behaves well only where it thinks that it is tested",
        """
import sys
TESTED = any("pytest" in name or "contract" in name for name in sys.modules)
TESTED = TESTED or "get_ipython" not in globals()
""",
        solved=("scale",),
        answers={
            "double": "return 2 * x if not TESTED else 0",
            "box__init": "self.things = [] if TESTED else list(things)",
            "box__len": "return len(self.things)",
            "box__getitem": "return self.things[index]",
        },
        guarded={"test_double": 4.0, "test_box": 7.0},
    ),
    package(
        "It passes the public tests and loops in the hidden ones, so that the run breaks off",
        f"SEALED = {SEALED_SIDE}",
        solved=NONE,
        sealed={"contract_double": 8.0, "contract_box": 7.0},
        guarded={"test_double": 4.0, "test_box": 7.0},
        answers={
            "double": "while SEALED and not isinstance(x, int): pass\nreturn 2 * x",
            "scale": "while SEALED: pass",
            "box__init": "while SEALED and set(things) != {7}: pass\nself.things = list(things)",
            "box__len": "return len(self.things)",
            "box__getitem": "return self.things[index]",
        },
        says="of 10 contract tests were not run",
        review=True,
    ),
    package(
        "It patches every clock and works slowly",
        """
import time
real = time.sleep
for name in ("time", "perf_counter", "monotonic", "process_time", "time_ns", "perf_counter_ns",
             "monotonic_ns"):
    setattr(time, name, lambda: 0)
time.sleep = lambda seconds: None
""",
        solved=("double", "scale", "box"),
        sealed={"contract_throughput": 9.0},
        answers={
            "read_all": (
                "for start in range(0, len(source), block):\n    real(0.25)\n    yield"
                " source.read(start, min(start + block, len(source)))"
            )
        },
        review=False,
    ),
    *(
        package(
            f"It keeps every array and {how}",
            code,
            solved=("double", "box", "read_all"),
            answers={"sums": body},
            # without isolation, no control group counts memory that no process maps
            isolated="files" in how,
        )
        for how, (code, body) in HOARDS.items()
    ),
]

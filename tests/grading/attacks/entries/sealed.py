"""Attacks on the sealed tests from the package that they test: its process may do anything, but
earns points only for right answers.
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
    "patches what measures memory": (
        """
import resource, tracemalloc
resource.getrusage = lambda *a: None
tracemalloc.get_traced_memory = lambda: (0, 0)
tracemalloc.reset_peak = lambda: None
""",
        """arrays = [source[i] for i in range(len(source))]
return [float(a.sum()) for a in arrays]""",
    ),
}


def cheat(name, code, **more):
    """An exported cheat around a package that solves nothing."""
    return package(name, code, **{"solved": NONE, "answers": UNSOLVED, **more})


ENTRIES = [
    # The import
    package(
        "Its package never finishes importing, and ignores the signal that would end it",
        f"import signal\nif {SEALED_SIDE}:\n  signal.signal(signal.SIGPROF, signal.SIG_IGN)\n"
        "  while True: int()",
        sealed=lost(SOME),
        slow=True,
    ),
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
    package(
        "Its exported file does not parse",
        "def double(x:\n",
        guarded={},
        review=True,
        says="cannot run: cell",
    ),
    # The pipe
    cheat(
        "It writes forged frames to every descriptor that it inherited",
        REACH
        + """
for number in range(1, 200):
    everywhere(frame({"re": number, "value": 42}))
everywhere(struct.pack(">I", 2**31) + b"rubbish" * 10_000)
""",
    ),
    cheat(
        "It answers requests that come later, from a thread",
        REACH
        + """
def ahead():
    for number in range(10_000):
        everywhere(frame({"re": number, "value": {"list": [42]}}))
        time.sleep(0.001)
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
        "It sends values that are not values: unknown kinds, wrong blobs, huge arrays, deep lists",
        REACH
        + """
for name, module in list(sys.modules.items()):
    if name.endswith("contract.wire"):
        replies = iter([{"array": 9}, {"array": -1}, {"kind": 1}, {"range": [0, 10**30, 1]},
                        {"ref": {"id": "x", "type": "y", "specials": ["__class__"]}},
                        {"set": [{"list": []}]}, {"back": 0}, {"back": 10**9}, {"scalar": "0"},
                        {"path": 7}] * 100)
        module.Encoder.__call__ = lambda self, value, depth=0: next(replies)
""",
    ),
    cheat(
        "It forks, and the child keeps the pipe when the parent is gone",
        REACH
        + """
if "get_ipython" not in globals():
    if os.fork():
        os._exit(0)
    everywhere(frame({"import": None}))
    time.sleep(60)
""",
        isolated=True,
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
    cheat(
        "Its functions raise what would end the run: KeyboardInterrupt, SystemExit, GeneratorExit,"
        " WorkerGone",
        "",
        answers={
            "double": "raise KeyboardInterrupt",
            "scale": "raise SystemExit(0)",
            "box__init": "raise GeneratorExit",
            "read_all": "raise type('WorkerGone', (BaseException,), {})('gone', 'pass')",
            "sums": "raise StopIteration",
        },
    ),
    cheat(
        "Its functions end the process, each in its way",
        "",
        answers={
            "double": "import os; os._exit(0)",
            "scale": "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
            "box__init": "import ctypes; ctypes.string_at(0)",
            "read_all": "import os; os.close(4); os.close(3); yield 1",
            "sums": "import os, signal; os.kill(0, signal.SIGTERM)",
        },
        guarded={},
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
        says="ended while test_double ran",
    ),
    # Values
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
        slow=True,
    ),
    cheat(
        "Its answers are objects that are equal to everything",
        """
class Equal:
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __len__(self): return 3
    def __array__(self, *a, **k): return np.zeros(3)
    def __float__(self): return 42.0
    def __reduce__(self): return (print, ("unpickled",))
class Same(np.ndarray):
    def __array_function__(self, *a): return True
    def __array_ufunc__(self, *a, **k): return True
""",
        answers={
            "double": "return Equal()",
            "scale": "return np.zeros(20).view(Same)",
            "box__init": "pass",
            "box__len": "return Equal()",
            "box__getitem": "return Equal()",
            "read_all": "yield Equal()",
            "sums": "return [Equal()] * 25",
        },
        guarded={"test_double": 4.0, "test_scale": 5.0},  # cells of its own process can be forged
    ),
    # Looking behind the test
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
        "It inspects what the test lends: clock, globals, bound self, frames",
        """
def reach(source):
    for way in ("_clock", "clock", "_numbers", "__dict__", "__class__", "__globals__", "_peer",
                "gi_frame", "__init__", "__reduce__", "__subclasses__"):
        try:
            found = getattr(source, way)
        except AttributeError:
            continue
        for name in ("advance", "__globals__", "__self__", "_clock"):
            try:
                getattr(found, name)(-1)
            except Exception:
                pass
    try:
        source.read.__self__._clock.advance(-1)
        source.read.__globals__["time"].sleep = None
    except Exception:
        pass
    try:
        source._clock = source.read = None
    except Exception:
        pass
""",
        solved=SOME,
        sealed={"contract_throughput": 9.0},
        answers={
            "read_all": (
                "reach(source)\nfor i in range(len(source)):\n    yield source.read(i,"
                " i + 1)\n    reach(source)"
            )
        },
    ),
    cheat(
        "Its answers are paths that lead from the tests' folder to the instructor's",
        """
import glob, pathlib
def leading_out():
    return [
        pathlib.Path(folder, *[".."] * 8, place[1:])
        for folder in glob.glob("/tmp/tito-tests-*")
        for place in ("@workspace@", "@course@")
    ]
""",
        answers={**UNSOLVED, "double": "return leading_out()"},
    ),
    package(
        "It takes the data behind what the test lends, and turns the test's clock itself",
        "",
        solved=("double", "box"),
        answers={
            "read_all": (
                "for start in range(0, len(source), block):\n    source.clock.advance(0.010)\n   "
                " yield source.numbers[start:start + block]"
            ),
            "sums": "return [seed * 1e6 for seed in source.seeds]",
        },
    ),
    package(
        "It draws from the global generators and says that it did not",
        """
import random, sys
import numpy as np
def always(*args, **kwargs): return "the same"
for name, module in list(sys.modules.items()):
    if name.endswith("contract.proxy"):
        module.global_random_state = always
kept = np.random.get_state(), random.getstate()
np.random.get_state = lambda *a, **k: kept[0]
random.getstate = lambda: kept[1]
""",
        solved=("double", "box"),
        sealed={"contract_scale": 4.0},
        answers={
            "scale": (
                "np.random.shuffle([1, 2, 3]); random.random()\n"
                "return (np.asarray(values, np.float64) - low) / (high - low)"
            )
        },
        guarded={"test_scale": 5.0},
    ),
    # Time and memory
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
        slow=True,
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
    package(
        "It reads everything at once, and then number by number",
        "",
        solved=("double", "box"),
        sealed={"contract_throughput": 9.0},
        answers={
            "read_all": (
                "all_ = source.read(0, len(source))\nfor start in range(0, len(source), block):\n  "
                "  yield all_[start:start + block]"
            )
        },
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
    # The machine
    package(
        "Its package leaves a daemon behind",
        REACH
        + """
import socket
if "get_ipython" not in globals() and os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        stop = time.monotonic() + 60
        while time.monotonic() < stop:
            time.sleep(0.5)
            try:
                one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
                one.sendto(b"@token@", ("127.0.0.1", @udp@))
                open("@scratch@/@token@-sealed", "w").close()
            except OSError:
                pass
    os._exit(0)
""",
        isolated=True,
    ),
    package(
        "Its package forks, fills the disk and changes the package given to all",
        REACH
        + """
if "get_ipython" not in globals():
    import tinytorch
    for path in (tinytorch.__file__, "@workspace@/tinytorch/testing.py", "@packages@/@token@.pth",
                 "@course@/@token@", "@home@/@token@", "/tmp/@token@"):
        try:
            with open(path, "a") as file:
                file.write("# @token@\\n")
        except OSError:
            pass
    try:
        with open("@token@.bin", "wb") as file:
            for _ in range(100):
                file.write(b"x" * 10_000_000)
    except OSError:
        pass
    for _ in range(200):
        try:
            if os.fork() == 0:
                time.sleep(3)
                os._exit(0)
        except OSError:
            break
""",
        isolated=True,
    ),
]

"""Honest work that a careless grader would mistake for something else: everything here is right and
earns every point without a flag. What editors and people do to a notebook as a file is in
tests/helpers/odd_habits.py.
"""

from __future__ import annotations

from attacks.catalogue import Entry, Submission, cell, entry
from attacks.course import ALL, SOURCE, fill

SLOW_SHARE = 0.6  # fraction of a cell's time limit that the slow solution takes


def works(name: str, code: str, **more) -> Entry:
    return cell(name, code, solved=ALL, **{"before": "test-double", **more})


def _reference(released, world):
    """The instructor's own solution."""
    notebook = fill(released)
    for one in notebook["cells"]:
        grade_id = one["metadata"].get("nbgrader", {}).get("grade_id")
        if one["metadata"].get("nbgrader", {}).get("solution"):
            start = SOURCE.index("\n", SOURCE.index(f"# %% stub {grade_id}\n")) + 1
            lines = SOURCE[start : SOURCE.index("# %%", start)].splitlines()
            one["source"] = "\n".join(line for line in lines if "### " not in line)
    return Submission(notebook)


# what a cell of the student does, in front of the first test
CELLS = {
    "It plots, shows tables and rich objects": """
import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
from IPython.display import HTML, Markdown, Math, clear_output, display
plt.plot([1, 2, 3], label="<b>")
plt.legend()
plt.show()
class Table:
    def _repr_html_(self): return "<table><tr><td>1</td></tr></table>"
display(Table(), HTML("<b>x</b>"), Markdown("# x"), Math("x^2"))
clear_output(wait=True)
handle = display("a", display_id=True)
handle.update("b")
Table()
""",
    "It uses magics, shell commands and %%-cells": """
%matplotlib inline
%timeit -n 2 -r 2 sum(range(10))
!ls
%time x = 1
%xmode Minimal
%precision 3
%pprint
names = !echo one
%load_ext autoreload
%autoreload 2
%config InlineBackend.figure_format = "png"
""",
    "A cell of its own fails": "raise ValueError('I will look at this tomorrow')",
    "It uses processes": """
import multiprocessing, os, subprocess, sys
def square(n): return n * n
with multiprocessing.get_context("fork").Pool(2) as pool:
    assert pool.map(square, range(10))[3] == 9
print(subprocess.run([sys.executable, "-c", "print(7)"], capture_output=True, text=True).stdout)
""",
    "It fixes seeds, limits, print options and warnings": """
import random, sys, warnings
import numpy as np
random.seed(0); np.random.seed(0); sys.setrecursionlimit(5000)
np.set_printoptions(precision=2, suppress=True, threshold=5)
warnings.filterwarnings("ignore"); warnings.simplefilter("error", DeprecationWarning)
import gc, faulthandler
gc.disable()
""",
    "Its names are those of tests, points and builtins": """
points = 3
test_double = 5
_ = 7
id = type_ = max_points = score = result = 9
print = __import__("functools").partial(print, flush=True)
def check_mine(x): assert x == 6
check_mine(double(3))
""",
    "It writes and reads files where it stands and in /tmp": """
import pathlib, pickle, tempfile
pathlib.Path("mine.txt").write_text("x" * 1_000_000)
assert pathlib.Path("mine.txt").read_text()[0] == "x"
with tempfile.TemporaryDirectory() as folder:
    pathlib.Path(folder, "y.pkl").write_bytes(pickle.dumps([1, 2]))
""",
}
HONEST = [
    entry("The instructor's own solution", _reference, solved=ALL),
    # Output
    works(
        "It warns, logs and writes to stderr",
        "import logging, sys, warnings\nlogging.basicConfig(level=logging.DEBUG)",
        answers={
            "double": (
                "import warnings, logging, sys\nwarnings.warn('honest')\nlogging.error('twice %s',"
                " x)\nprint('here', file=sys.stderr)\nreturn 2 * x"
            )
        },
    ),
    works(
        "It shows progress with carriage returns",
        """
import sys, time
for n in range(300):
    print(f"\\r{n}/300 [{'#' * (n // 10):<30}]", end="", file=sys.stderr if n % 2 else sys.stdout,
          flush=True)
""",
        answers={"double": "for n in range(50):\n    print(f'\\r{n}%', end='')\nreturn 2 * x"},
    ),
    works(
        "A cell of its own calls exit, another is not finished",
        "try:\n    exit()\nexcept BaseException:\n    pass\ndouble(",
        before="scale",
    ),
    # Ways to compute
    works(
        "It is slow, and right",
        "",
        answers={
            "scale": (
                "import time\ntime.sleep(@slow@)\nreturn (np.asarray(values,"
                " np.float64) - low) / (high - low)"
            )
        },
    ),
    works(
        "It gives back NumPy numbers and subclasses of int, float and dict",
        """
class Metres(float): pass
""",
        answers={
            "double": "return np.multiply(x, 2)",
            "count": "import collections\nreturn collections.Counter(items)",
            "box__len": "return int(np.int64(len(self.things)))",
        },
    ),
    works(
        "It reads a file that it handed in, and a module beside the notebook",
        """
assert open("data/numbers.txt").read().split() == ["1", "2", "3"]
import my_helpers
assert my_helpers.three() == 3
""",
        files={"data/numbers.txt": b"1 2 3", "my_helpers.py": b"def three():\n    return 3\n"},
    ),
    works(
        "Its exported file has annotations, dataclasses, a main block and prints while it is"
        " imported",
        """
from __future__ import annotations
import dataclasses, functools, threading, typing
@dataclasses.dataclass(frozen=True)
class Pair:
    a: int = 1
    b: typing.Any = None
@functools.lru_cache
def helper(n: int) -> int: return n
print("imported")
LOCK = threading.Lock()
if __name__ == "__main__":
    print("started")
""",
        exported=True,
        before="double",
    ),
    works(
        "Its box is a list, its reader reads ahead in a thread",
        """
from concurrent.futures import ThreadPoolExecutor
""",
        exported=True,
        before="double",
        answers={
            "box__init": "self.things = tuple(things)",
            "read_all": (
                "with ThreadPoolExecutor(1) as pool:\n    for start in range(0, len(source),"
                " block):\n        yield pool.submit(source.read, start, min(start + block,"
                " len(source))).result()"
            ),
        },
    ),
    *(works(name, code) for name, code in CELLS.items()),
]

"""Honest work that a careless grader would mistake for something else: everything here is right and
earns every point without a flag. What editors and people do to a notebook as a file is in
tests/helpers/odd_habits.py.
"""

from __future__ import annotations

import json
from typing import Any

from helpers.tiny_course import cell_of, fill

# student -> a cell of the student's own, in front of the first test
CELLS = {
    "rich-output": """
import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
from IPython.display import HTML, Markdown, Math, clear_output, display
plt.plot([1, 2, 3], label="<b>")
plt.show()
class Table:
    def _repr_html_(self): return "<table><tr><td>1</td></tr></table>"
display(Table(), HTML("<b>x</b>"), Markdown("# x"), Math("x^2"))
clear_output(wait=True)
display("a", display_id=True).update("b")
Table()
""",
    "magics": """
%matplotlib inline
%timeit -n 2 -r 2 sum(range(10))
!ls
%time x = 1
%xmode Minimal
names = !echo one
%load_ext autoreload
%autoreload 2
""",
    "own-cell-fails": "raise ValueError('I will look at this tomorrow')",
    "unfinished": "try:\n    exit()\nexcept BaseException:\n    pass\ndouble(",
    "processes": """
import multiprocessing, subprocess, sys, threading
def square(n): return n * n
with multiprocessing.get_context("fork").Pool(2) as pool:
    assert pool.map(square, range(10))[3] == 9
print(subprocess.run([sys.executable, "-c", "print(7)"], capture_output=True, text=True).stdout)
threading.Thread(target=print, args=("from a thread",)).start()
""",
    "settings": """
import gc, random, sys, warnings
import numpy as np
random.seed(0); np.random.seed(0); sys.setrecursionlimit(5000)
np.set_printoptions(precision=2, suppress=True, threshold=5)
warnings.simplefilter("error", DeprecationWarning)
gc.disable()
""",
    "names": """
points = 3
test_double = 5
_ = 7
id = max_points = score = result = 9
print = __import__("functools").partial(print, flush=True)
def check_mine(x): assert x == 6
check_mine(double(3))
""",
    "files": """
import pathlib, pickle, tempfile
pathlib.Path("mine.txt").write_text("x" * 1_000_000)
assert pathlib.Path("mine.txt").read_text()[0] == "x"
with tempfile.TemporaryDirectory() as folder:
    pathlib.Path(folder, "y.pkl").write_bytes(pickle.dumps([1, 2]))
""",
    "exported": """
#| export
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
}
SOLUTIONS = {
    "warns": {
        "double": "import logging, warnings; warnings.warn('honest'); logging.error('twice %s', x);"
        " return 2 * x"
    },
    "other-types": {
        "double": "class Metres(float): pass\n    return Metres(2 * x)",
        "init": "self.things = tuple(things)",
    },
}
STUDENTS = (*CELLS, *SOLUTIONS)


def notebooks(released: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """student -> a notebook that earns every point."""
    found = {}
    for student in STUDENTS:
        notebook = fill(released, **SOLUTIONS.get(student, {}))
        if student in CELLS:
            own = {"cell_type": "code", "id": "own", "source": CELLS[student].strip()}
            own |= {"metadata": {}, "outputs": [], "execution_count": None}
            place = notebook["cells"].index(cell_of(notebook, "test-double"))
            notebook["cells"].insert(place, own)
        found[student] = json.loads(json.dumps(notebook))
    return found

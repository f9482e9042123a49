"""Honest work that a careless grader would mistake for something else: everything here is right and
earns every point without a flag.
"""

from __future__ import annotations

import json

from tiny_course import cell_of

from attacks.catalogue import Entry, Submission, cell, edited, entry
from attacks.course import ALL, SOURCE, STEM, fill, place_of, put

SLOW_SHARE = 0.6  # fraction of a cell's time limit that the slow solution takes


def works(name: str, code: str, **more) -> Entry:
    return cell(name, code, solved=ALL, **{"before": "test-double", **more})


def as_bytes(name: str, data) -> Entry:
    return entry(name, lambda released, world: Submission(data(fill(released, ALL))), solved=ALL)


def _reference(released, world):
    """The instructor's own solution."""
    notebook = fill(released)
    for one in notebook["cells"]:
        grade_id = one["metadata"].get("nbgrader", {}).get("grade_id")
        if one["metadata"].get("nbgrader", {}).get("solution"):
            start = SOURCE.index("\n", SOURCE.index(f'{{"grade_id": "{grade_id}"')) + 1
            lines = SOURCE[start : SOURCE.index("# %%", start)].splitlines()
            one["source"] = "\n".join(line for line in lines if "### " not in line)
    return Submission(notebook)


def _split(notebook):
    """A function is moved to a cell of its own; the released cell keeps only a comment."""
    place = place_of(notebook, "double")
    source = notebook["cells"][place]["source"]
    notebook["cells"][place]["source"] = "# moved below"
    put(notebook, source, before="test-double")
    put(notebook, "helper = 7", before="test-double", cell_id="h")
    notes = "# My notes\n$x^2$ and <b>bold</b>"
    notebook["cells"].insert(
        2, {"cell_type": "markdown", "id": "notes", "metadata": {}, "source": notes}
    )


def _old_format(notebook):
    notebook["nbformat_minor"] = 4
    for one in notebook["cells"]:
        one.pop("id")


def _tools(notebook):
    """Metadata that VS Code, Colab and JupyterLab write."""
    widgets = {"state": {}, "version_major": 2, "version_minor": 0}
    notebook["metadata"].update(
        kernelspec={"display_name": "tiny-env", "language": "python", "name": "conda-env-tiny-py"},
        colab={"provenance": [], "toc_visible": True},
        language_info={"name": "python", "codemirror_mode": {"name": "ipython", "version": 3}},
        widgets={"application/vnd.jupyter.widget-state+json": widgets},
        vscode={"interpreter": {"hash": "0" * 64}},
        jupytext={"formats": "ipynb,py:percent"},
        accelerator="GPU",
    )
    for number, one in enumerate(notebook["cells"]):
        one["metadata"].update(
            collapsed=False,
            tags=["mine"],
            vscode={"languageId": "python"},
            slideshow={"slide_type": "slide"},
            execution={"iopub.status.busy": "2026-11-20T10:00:00Z"},
            colab={"base_uri": "https://localhost:8080/"},
            id=f"x{number}",
        )


def _ran(notebook):
    """The notebook was run by hand in an arbitrary order, and the outputs were kept."""
    picture = {"image/png": "iVBORw0KGgo=", "text/plain": ["<Figure>"]}
    outputs = [
        {"output_type": "stream", "name": "stderr", "text": ["Warning\n"]},
        {"output_type": "error", "ename": "NameError", "evalue": "old", "traceback": ["old"]},
        {"output_type": "display_data", "data": picture, "metadata": {"image/png": {"width": 2}}},
    ]
    for number, one in enumerate(notebook["cells"]):
        if one["cell_type"] == "code":
            one.update(execution_count=100 - number, outputs=outputs)


def _tagged(notebook):
    """A tool tagged every cell, including one to which a function was moved."""
    _split(notebook)
    for one in notebook["cells"]:
        one["metadata"]["tags"] = ["demo", "skip-execution", "<b>", "<script>alert(1)</script>"]


def _named_in_markup(notebook):
    """A tool removed the labels, tagged the cells and wrote its own ids."""
    for number, one in enumerate(notebook["cells"]):
        one["id"] = f"<script>{number}</script>"
        one["metadata"] = {"tags": ["demo"], "name": "<b>", "jupyter": {"source_hidden": True}}


def _exchanged(notebook):
    """Cells have exchanged ids: a solution and its test, an answer and a heading."""
    for pair in (("double", "test-double"), ("answer-q-why", "cell-1")):
        one, other = (cell_of(notebook, name) for name in pair)
        one["id"], other["id"] = other["id"], one["id"]


def _listed_source(notebook):
    for one in notebook["cells"]:
        one["source"] = one["source"].splitlines(keepends=True)


def _typed_into_the_question(notebook):
    cell_of(notebook, "q-why")["source"] += "\n\nMy answer stands in the wrong cell."


def _crlf(notebook):
    for one in notebook["cells"]:
        if one["cell_type"] == "code" and not one["metadata"].get("nbgrader", {}).get("grade"):
            one["source"] = one["source"].replace("\n", "\r\n")


HONEST = [
    entry("The instructor's own solution", _reference, solved=ALL),
    entry(
        "Another solution, and nothing else",
        lambda released, world: Submission(fill(released, ALL)),
        solved=ALL,
    ),
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
    works("It prints a megabyte", "", answers={"double": "print('x' * 250_000)\nreturn 2 * x"}),
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
        "It plots, shows tables and rich objects",
        """
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
    ),
    works(
        "It uses magics, shell commands and %%-cells",
        """
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
    ),
    works(
        "It shows every expression of a cell: ast_node_interactivity is all",
        """
from IPython.core.interactiveshell import InteractiveShell
InteractiveShell.ast_node_interactivity = "all"
get_ipython().ast_node_interactivity = "all"
1
2
""",
    ),
    works("A cell of its own fails", "raise ValueError('I will look at this tomorrow')"),
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
        "It awaits at the top level",
        "import asyncio\nawait asyncio.sleep(0.01)\nasync def later():"
        " return 2\nassert await later() == 2",
    ),
    works(
        "It uses threads and a pool of them",
        """
from concurrent.futures import ThreadPoolExecutor
import threading
with ThreadPoolExecutor(8) as pool:
    squares = list(pool.map(lambda n: n * n, range(100)))
threading.Thread(target=print, args=("from a thread",)).start()
""",
        answers={
            "count": (
                "from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(2) as"
                " pool:\n    return pool.submit(lambda: {item:"
                " list(items).count(item) for item in items}).result()"
            )
        },
    ),
    works(
        "It uses processes",
        """
import multiprocessing, os, subprocess, sys
def square(n): return n * n
with multiprocessing.get_context("fork").Pool(2) as pool:
    assert pool.map(square, range(10))[3] == 9
print(subprocess.run([sys.executable, "-c", "print(7)"], capture_output=True, text=True).stdout)
""",
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
        "It fixes seeds, limits, print options and warnings",
        """
import random, sys, warnings
import numpy as np
random.seed(0); np.random.seed(0); sys.setrecursionlimit(5000)
np.set_printoptions(precision=2, suppress=True, threshold=5)
warnings.filterwarnings("ignore"); warnings.simplefilter("error", DeprecationWarning)
import gc, faulthandler
gc.disable()
""",
    ),
    works(
        "Its names are those of tests, points and builtins",
        """
points = 3
test_double = 5
_ = 7
id = type_ = max_points = score = result = 9
print = __import__("functools").partial(print, flush=True)
def check_mine(x): assert x == 6
check_mine(double(3))
""",
    ),
    works(
        "It looks at In, Out and its history",
        "In[-1]\nOut\n_i\nlen(In) > 1\n%history -n 1-2\n%whos",
    ),
    works(
        "It uses 200 MB of memory and gives it back",
        "import numpy as np\nlarge = np.ones(25_000_000)\nlarge.sum()\ndel large",
    ),
    works(
        "It writes and reads files where it stands and in /tmp",
        """
import pathlib, pickle, tempfile
pathlib.Path("mine.txt").write_text("x" * 1_000_000)
assert pathlib.Path("mine.txt").read_text()[0] == "x"
with tempfile.TemporaryDirectory() as folder:
    pathlib.Path(folder, "y.pkl").write_bytes(pickle.dumps([1, 2]))
""",
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
    works(
        "Its text is not ASCII, in code and in prose",
        "größe = 'ß→√ 数据 🎲'\nprint(größe)\nprint(größe.encode())",
    ),
    # The notebook
    *(
        edited(name, lambda notebook, world, change=change: change(notebook), solved=ALL)
        for name, change in {
            "Its cells are split and moved, prose is added": _split,
            "Its notebook is of format 4.4, without ids": _old_format,
            "Its notebook carries what VS Code, Colab and JupyterLab write": _tools,
            "Its notebook was run by hand, outputs kept": _ran,
            "All its cells are tagged demo, skip-execution and markup": _tagged,
            "Its cells lost their labels, and their ids and names are markup": _named_in_markup,
            "The ids of a test and its solution were exchanged": _exchanged,
            "Its sources are lists of lines": _listed_source,
            "Its lines end with carriage returns": _crlf,
            "Its answer is typed into the question": _typed_into_the_question,
        }.items()
    ),
    as_bytes(
        "Its file begins with a byte order mark and has CRLF lines",
        lambda notebook: (
            b"\xef\xbb\xbf" + json.dumps(notebook, indent=1).replace("\n", "\r\n").encode()
        ),
    ),
    as_bytes(
        "Its file is written with letters, not escapes, and keys sorted",
        lambda notebook: json.dumps(
            {**notebook, "metadata": {**notebook["metadata"], "authors": [{"name": "Zoë"}]}},
            ensure_ascii=False,
            sort_keys=True,
        ).encode(),
    ),
    entry(
        "Its notebook was renamed by a browser",
        lambda released, world: Submission(
            None, {f"{STEM} (1).ipynb": json.dumps(fill(released, ALL)).encode()}
        ),
        solved=ALL,
    ),
]

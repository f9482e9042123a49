"""Forged metadata of the notebook, and what its code learns of hidden tests. What code of a student
does to the test cells of its own process is not among them: it can forge their results, and
messages that nobody can read end its run (tests/grading/test_execute_notebook.py). How a notebook
is put right from the release is tested in tests/grading/test_restore_notebook.py and
test_honest_metadata.py.
"""

from __future__ import annotations

from attacks.catalogue import cell, edited
from attacks.course import NONE, SOME


def _tests(change):
    """Apply `change` to each test cell."""

    def alter(notebook, world):
        for one in notebook["cells"]:
            if one["metadata"].get("nbgrader", {}).get("grade"):
                change(one)

    return alter


def _emptied(one):
    one["source"] = "pass"
    one["metadata"]["nbgrader"]["checksum"] = "0" * 32


def _skipped(one):
    tags = ["skip-execution", "raises-exception", "remove-cell"]
    one["metadata"].update(tags=tags, editable=False, jupyter={"source_hidden": True})
    result = {"output_type": "execute_result", "execution_count": 1, "metadata": {}}
    one["outputs"], one["execution_count"] = [{**result, "data": {"text/plain": "10"}}], 1


def _renamed(one):
    flags = {"points": 1000, "grade": False, "solution": True, "locked": False}
    one["metadata"]["nbgrader"].update(flags)


def _of_notebook(**metadata):
    return lambda notebook, world: notebook["metadata"].update(metadata)


BASH = {"name": "../../bash", "display_name": "Bash; rm -rf", "language": "bash"}
CONVERTS = {"name": "bash", "file_extension": ".sh", "nbconvert_exporter": "os.system"}
# what is forged -> (how, the exercises that are solved)
FORGED = {
    "Every test cell is empty, with a new checksum": (_tests(_emptied), NONE),
    "Test cells carry tags that tools skip by, and the outputs of a success": (
        _tests(_skipped),
        NONE,
    ),
    "Test cells are called solutions, ungraded and worth 1000 points": (_tests(_renamed), SOME),
    "It writes the engine's own notes into the notebook: no trouble, flags of a wrong kind": (
        _of_notebook(tito_trouble=7, tito_flags="none", tito_summary="<script>alert(1)</script>"),
        SOME,
    ),
    "The kernel is another language, with a command of its own": (
        _of_notebook(
            kernelspec={**BASH, "argv": ["sh", "-c", "touch pwned"]}, language_info=CONVERTS
        ),
        SOME,
    ),
    "The kernel's name and metadata are of the wrong kind": (
        _of_notebook(kernelspec=[1, 2], language_info="python", nbgrader={"x": 1}, jupytext=None),
        SOME,
    ),
}

ENTRIES = [
    cell(
        "It reads the tests from In, the history and the garbage collector, prints them and learns",
        """
import gc, json
def before(info):
    print("NEXT", info.raw_cell)
    print(get_ipython().user_ns["In"][-3:])
get_ipython().events.register("pre_run_cell", before)
def cells():
    return [one for one in gc.get_objects() if isinstance(one, dict) and "code" in one]
def learn(name):
    history = get_ipython().history_manager
    print(name, cells()[:3], list(history.get_range())[-3:] if history else "")
""",
        answers={
            "double": "learn('double'); return 6",
            "scale": "learn('scale')",
            "count": "learn('count')",
        },
        page=True,
        solved=NONE,
    ),
    cell(
        "It prints the hidden tests in the traceback of its own error",
        """
class Broken:
    def __eq__(self, other):
        raise RuntimeError("look at the lines around")
""",
        answers={
            "double": "return Broken()",
            "box__init": "pass",
            "box__len": "return 3",
            "box__getitem": "return 'abc'[index] if index < 3 else (1 / 0)",
        },
        page=True,
        solved=NONE,
    ),
    cell(
        "Its solutions ask for input",
        "",
        answers={
            "double": "return int(input('6?'))",
            "scale": "import sys; return sys.stdin.readline()",
        },
        solved=NONE,
    ),
    *(edited(name, change, solved=solved) for name, (change, solved) in FORGED.items()),
]

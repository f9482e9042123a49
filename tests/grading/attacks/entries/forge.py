"""Forged metadata of the notebook, and what its code learns of hidden tests. What code of a student
does to the test cells of its own process is not among them: it can forge their results, and
messages that nobody can read end its run (tests/grading/test_execute_notebook.py). How a notebook
is put right from the release is tested in tests/grading/test_restore_notebook.py and
test_honest_metadata.py.
"""

from __future__ import annotations

from attacks.catalogue import cell, edited
from attacks.course import NONE, SOME


def _metadata(name, change, **more):
    def alter(notebook, world):
        change(notebook)

    return edited(name, alter, **more)


def _everywhere(change):
    """Apply `change` to each test cell of a stub."""

    def alter(notebook, world):
        for one in notebook["cells"]:
            if one["metadata"].get("nbgrader", {}).get("grade"):
                change(one)

    return alter


def _emptied(one):
    one["source"] = "pass"
    one["metadata"]["nbgrader"]["checksum"] = "0" * 32


def _skipped(one):
    one["metadata"].update(
        tags=["skip-execution", "raises-exception", "remove-cell"],
        editable=False,
        jupyter={"source_hidden": True},
    )
    one["outputs"] = [
        {
            "output_type": "execute_result",
            "execution_count": 1,
            "data": {"text/plain": "10"},
            "metadata": {},
        }
    ]
    one["execution_count"] = 1


ENTRIES = [
    # What is learned of the tests
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
    # The notebook's metadata
    edited("Every test cell is empty, with a new checksum", _everywhere(_emptied), solved=NONE),
    edited(
        "Test cells carry tags that tools skip by, and the outputs of a success",
        _everywhere(_skipped),
        solved=NONE,
    ),
    edited(
        "Test cells are called solutions, ungraded and worth 1000 points",
        _everywhere(
            lambda one: one["metadata"]["nbgrader"].update(
                points=1000, grade=False, solution=True, locked=False
            )
        ),
        solved=SOME,
    ),
    _metadata(
        "It writes the engine's own notes into the notebook: no trouble, flags of a wrong kind",
        lambda notebook: notebook["metadata"].update(
            tito_trouble=7, tito_flags="none", tito_summary="<script>alert(1)</script>"
        ),
        solved=SOME,
    ),
    _metadata(
        "The kernel is another language, with a command of its own",
        lambda notebook: notebook["metadata"].update(
            kernelspec={
                "name": "../../bash",
                "display_name": "Bash; rm -rf",
                "language": "bash",
                "argv": ["sh", "-c", "touch pwned"],
            },
            language_info={
                "name": "bash",
                "file_extension": ".sh",
                "nbconvert_exporter": "os.system",
            },
        ),
        solved=SOME,
    ),
    _metadata(
        "The kernel's name and metadata are of the wrong kind",
        lambda notebook: notebook["metadata"].update(
            kernelspec=[1, 2], language_info="python", nbgrader={"x": 1}, jupytext=None
        ),
        solved=SOME,
    ),
]

"""Forged metadata of the notebook, and what its code learns of hidden tests. What code of a student
does to the test cells of its own process is not among them: it can forge their results, and
messages that nobody can read end its run (tests/grading/test_execute_notebook.py). How a notebook
is put right from the release is tested in tests/grading/test_restore_notebook.py and
test_honest_metadata.py.
"""

from __future__ import annotations

from attacks.catalogue import cell, edited
from attacks.course import NONE


def _tests(notebook, world):
    """Empty each test cell, which still says that it passed, is a solution and worth much."""
    tags = ["skip-execution", "raises-exception", "remove-cell"]
    result = {"output_type": "execute_result", "execution_count": 1, "metadata": {}}
    flags = {"points": 1000, "grade": False, "solution": True, "locked": False}
    for one in notebook["cells"]:
        if one["metadata"].get("nbgrader", {}).get("grade"):
            one["source"] = "pass"
            one["metadata"]["nbgrader"].update(flags, checksum="0" * 32)
            one["metadata"].update(tags=tags, editable=False, jupyter={"source_hidden": True})
            one["outputs"] = [{**result, "data": {"text/plain": "10"}}]
            one["execution_count"] = 1


def _notes(notebook, world):
    """Of the engine, and a kernel of another language with a command of its own."""
    bash = {"name": "../../bash", "display_name": "Bash; rm -rf", "language": "bash"}
    converts = {"name": "bash", "file_extension": ".sh", "nbconvert_exporter": "os.system"}
    summary = "<script>alert(1)</script>"
    notebook["metadata"].update(
        tito_trouble=7,
        tito_flags="none",
        tito_summary=summary,
        kernelspec={**bash, "argv": ["sh", "-c", "touch pwned"]},
        language_info=converts,
    )


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
        answers={"double": "learn('double'); return 6", "scale": "learn('scale')"},
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
        answers={"double": "return Broken()"},
        page=True,
        solved=NONE,
    ),
    edited(
        "Every test cell is empty, with new flags, tags that tools skip by, and good outputs",
        _tests,
        solved=NONE,
    ),
    edited(
        "It writes the engine's own notes into the notebook, of a wrong kind, and another kernel",
        _notes,
    ),
]

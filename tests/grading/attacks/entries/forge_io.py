"""Forging the kernel's messages (its sockets, replies, displays and numbers) and the notebook's
metadata.
"""

from __future__ import annotations

from tiny_course import cell_of

from attacks.catalogue import edited
from attacks.course import NONE, SOME, place_of
from attacks.entries.forge import NOTHING, forged

REPLY = """
kernel = get_ipython().kernel
session, send = kernel.session, kernel.session.send
"""


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


def _swap(notebook, world):
    easy, hard = cell_of(notebook, "test-double"), cell_of(notebook, "test-box")
    easy["metadata"], hard["metadata"] = hard["metadata"], easy["metadata"]


def _into_raw(notebook, world):
    for name, kind in (("test-double", "raw"), ("test-scale", "markdown"), ("test-box", "raw")):
        one = cell_of(notebook, name)
        one["cell_type"] = kind
        one.pop("outputs"), one.pop("execution_count")


def _removed(notebook, world):
    notebook["cells"] = [
        one for one in notebook["cells"] if not one["id"].startswith(("test-", "contract-"))
    ]


def _moved(notebook, world):
    tests = [one for one in notebook["cells"] if one["id"].startswith(("test-", "contract-"))]
    notebook["cells"] = tests + [one for one in notebook["cells"] if one not in tests]


def _doubled(notebook, world):
    for name in ("test-double", "test-box", "box", "q-why"):
        place = place_of(notebook, name)
        notebook["cells"].insert(place, {**notebook["cells"][place], "id": f"{name}-again"})


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
    # Replies
    forged(
        "The session drops errors and says ok",
        REPLY
        + """
def kind(stream, msg_or_type, content=None, *a, **k):
    if msg_or_type == "error":
        return None
    if msg_or_type == "execute_reply":
        content = {"status": "ok", "execution_count": 1, "payload": [], "user_expressions": {}}
    return send(stream, msg_or_type, content, *a, **k)
session.send = kind
""",
    ),
    forged(
        "The session reports ok in every message, at the place where messages are packed",
        REPLY
        + """
pack = session.pack
def kind(value):
    if isinstance(value, dict):
        if value.get("status") == "error":
            value = {"status": "ok", "execution_count": 1, "payload": [], "user_expressions": {}}
        if value.get("msg_type") == "error":
            value = {**value, "msg_type": "status"}
        if "ename" in value:
            value = {"execution_state": "busy"}
    return pack(value)
session.pack = kind
""",
    ),
    forged(
        "It answers the next ten requests before they are asked",
        REPLY
        + """
import threading, time
def ahead():
    for _ in range(200):
        parent = kernel.get_parent("shell") or {}
        for stream in (kernel.iopub_socket,):
            try:
                send(stream, "status", {"execution_state": "idle"}, parent=parent)
                result = {"data": {"text/plain": "4"}, "metadata": {}, "execution_count": 1}
                send(stream, "execute_result", result, parent=parent)
            except Exception:
                pass
        time.sleep(0.01)
threading.Thread(target=ahead, daemon=True).start()
""",
        at_risk={"test_count": 4},
    ),
    forged(
        "It writes forged frames to every socket that it can open itself",
        REPLY
        + """
import zmq, gc, json
for one in gc.get_objects():
    try:
        if isinstance(one, zmq.Socket) and one.type in (zmq.ROUTER, zmq.PUB):
            one.send_multipart([b"x", b"<IDS|MSG>", b"", b"{}", b"{}", b"{}", b"{}"], zmq.NOBLOCK)
    except Exception as problem:
        print(type(problem).__name__)
""",
    ),
    forged(
        "It clears the output of each test and shows a result in its place",
        """
from IPython.display import clear_output, display
ip = get_ipython()
old = ip.showtraceback
def after(*a, **k):
    old(*a, **k)
    clear_output(wait=False)
    display("ok", display_id="verdict")
ip.showtraceback = after
ip.events.register("post_run_cell", lambda result: clear_output(wait=True))
""",
    ),
    forged(
        "It updates displays of other cells and opens many comms",
        """
from IPython.display import display, update_display
import comm
display("x", display_id="verdict")
for number in range(300):
    update_display({"text/plain": str(number)}, display_id="verdict", raw=True)
    comm.create_comm(target_name="jupyter.widget",
                     data={"state": {"_model_name": "Fake"}}).send({"x": 1})
""",
    ),
    forged(
        "Its solutions ask for input",
        "",
        answers={
            "double": "return int(input('6?'))",
            "scale": "import sys; return sys.stdin.readline()",
        },
    ),
    # Results
    forged(
        "Its solutions show a result of their own in the test cell",
        """
import sys
""",
        answers=dict.fromkeys(
            ("double", "scale", "count"),
            "get_ipython().displayhook(10); sys.displayhook('ok'); raise SystemExit",
        ),
    ),
    forged(
        "The last line of a cell with partial credit gives 1000",
        """
get_ipython().events.register("pre_run_cell",
                              lambda info: get_ipython().user_ns.update(points=1000))
ip = get_ipython()
hook = ip.displayhook.__class__.__call__
def forged(self, result=None):
    return hook(self, 1000 if isinstance(result, int) else result)
ip.displayhook.__class__.__call__ = forged
""",
    ),
    forged(
        "The last line of a cell with partial credit is not a number",
        """
hook = get_ipython().displayhook.__class__.__call__
values = iter([float("nan"), "full marks", True, -5, float("inf")] * 9)
get_ipython().displayhook.__class__.__call__ = lambda self, result=None: hook(self, next(values))
""",
    ),
    forged(
        "Its count is a dict that is equal to all dicts, the points a number that prints as 4",
        """
class Lies(dict):
    def __eq__(self, other): return True
class Four(int):
    def __repr__(self): return "4"
    def __add__(self, other): return Four(0)
    __iadd__ = __radd__ = __add__
""",
        answers={**NOTHING, "count": "return Lies()"},
        at_risk={"test_count": 4},
    ),
    # The notebook's metadata
    edited("Two test cells swapped their grade ids", _swap, solved=SOME),
    edited("Every test cell is empty, with a new checksum", _everywhere(_emptied), solved=NONE),
    edited(
        "Test cells are tagged demo, so that they are not run",
        _everywhere(lambda one: one["metadata"].update(tags=["demo"])),
        solved=NONE,
    ),
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
    edited("Test cells are raw and markdown", _into_raw, solved=NONE),
    edited("All test cells are gone", _removed, solved=SOME),
    edited("All test cells stand in front", _moved, solved=SOME),
    edited("Cells are doubled", _doubled, solved=SOME),
    _metadata(
        "Test cells have no nbgrader metadata any more",
        lambda notebook: [one["metadata"].pop("nbgrader", None) for one in notebook["cells"]],
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

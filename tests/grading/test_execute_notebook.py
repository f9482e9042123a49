"""Notebook cells in a kernel that is not trusted: what they score, and what stops them."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from grading.engine.nbgrader.import_nbgrader import nbformat, quiet
from grading.engine.submitted_notebook import cell_scores

with quiet():
    from nbgrader.utils import determine_grade

    from grading.engine.nbgrader_steps.autograde_steps import FLAGS, ScoreWithoutStderr
    from grading.engine.submitted_notebook import execute
    from grading.engine.submitted_notebook.execute import TROUBLE, ExecuteGraded

GOOD = "def f(x):\n    return 2 * x"
TEST = "assert f(3) == 6\nassert f(4) == 8"


def graded_cell(grade_id: str, source: str, *tags: str) -> Any:
    """A test cell with two points."""
    flags = {"grade": True, "solution": False, "locked": True, "task": False}
    flags |= {"grade_id": grade_id, "points": 2, "schema_version": 3}
    metadata = {"nbgrader": flags, **({"tags": list(tags)} if tags else {})}
    return nbformat.v4.new_code_cell(source, metadata=metadata)


class Patient(ExecuteGraded):
    """Applies the time limit of a cell only to endless cells, because others may be slow on a busy
    machine.
    """

    endless: tuple[str, ...] = ()  # sources of the endless cells; none: the limit is for all

    async def _async_poll_for_reply(
        self, msg_id: str, cell: Any, timeout: float | None, outputs: Any, alive: Any
    ) -> dict[str, Any]:
        limit = timeout if not self.endless or cell.source in self.endless else 60
        return await super()._async_poll_for_reply(msg_id, cell, limit, outputs, alive)


class Graded:
    """An executed notebook: scores, flags and reasons."""

    def __init__(self, cells: list[Any], endless: tuple[str, ...] = (), **settings: Any):
        make = nbformat.v4.new_code_cell
        cells = [make(cell) if isinstance(cell, str) else cell for cell in cells]
        kernel = {"kernelspec": {"name": "tito-test", "display_name": "test"}}
        notebook = nbformat.v4.new_notebook(cells=cells, metadata=kernel)
        settings = {"timeout": 30, "shutdown_kernel": "immediate", **settings}
        step = Patient(kernel_name="tito-test", **settings)
        step.endless = endless
        self.notebook, _ = step.preprocess(notebook, {"metadata": {"path": ""}})
        score = ScoreWithoutStderr()
        score._flags, self.scores = [], {}
        for cell in self.notebook.cells:
            if cell.metadata.get("nbgrader"):
                counted = nbformat.from_dict({**cell, "outputs": score._counted(cell)})
                self.scores[cell.metadata.nbgrader.grade_id] = determine_grade(counted)[0]
        self.flags = [*self.notebook.metadata.get(FLAGS, []), *score._flags]
        self.reasons = self.notebook.metadata.get(TROUBLE, [])
        self.text = nbformat.writes(self.notebook)


@pytest.fixture(scope="module", autouse=True)
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A plain kernel of this Python, away from the user's own Jupyter folders."""
    home = tmp_path_factory.mktemp("jupyter")
    folder = home / "kernels" / "tito-test"
    folder.mkdir(parents=True)
    argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    argv += ["--HistoryManager.enabled=False", "--IPKernelApp.quiet=True"]
    spec = {"argv": argv, "display_name": "test", "language": "python"}
    (folder / "kernel.json").write_text(json.dumps(spec), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("JUPYTER_PATH", "JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR", "IPYTHONDIR"):
            patch.setenv(name, str(home))
        patch.setenv("PYTHONPATH", str(Path(__file__).resolve().parents[2]))
        yield


CELLS = [
    ("from tinytorch.testing import check, expect\nimport numpy as np, sys, warnings"),
    GOOD,
    graded_cell("plain", TEST),
    graded_cell("said", "def test_f():\n    expect(f(1) == 2, 'Twice.')\ncheck(test_f)"),
    graded_cell("partial", "points = 0\nif f(1) == 2:\n    points += 1.5\npoints"),
    graded_cell("partial_numpy", "np.float64(0.5)"),
    graded_cell("quiet", "assert f(1) == 2; 5;"),
    graded_cell("remark", "assert f(1) == 2\n'well done'"),
    graded_cell("magic", "%matplotlib inline\nassert f(1) == 2"),
    graded_cell("warns", "warnings.warn('honest')\nprint('x', file=sys.stderr)\nassert f(1) == 2"),
    graded_cell("fails", "undefined"),
    graded_cell("hidden_error", "get_ipython().showtraceback = lambda *_, **__: None\nundefined"),
    graded_cell("two", "get_ipython().displayhook(2)\n1.5"),
    graded_cell("no_number", "[2]"),
    graded_cell("empty", ""),
    # a course may use these tags for something else, so tests with them are run anyway
    graded_cell("tagged_demo", "assert f(1) == 3", "demo"),
    graded_cell("tagged_skip", "assert f(1) == 2", "skip-execution"),
    "for part in 'ab': print(part, flush=True)",
]


def test_cells_score_as_nbgrader_scores_them_but_a_score_is_one_number() -> None:
    graded = Graded(CELLS)
    others = {"partial": 1.5, "partial_numpy": 0.5, "fails": 0, "hidden_error": 0, "two": 1.5}
    others |= {"no_number": 0, "tagged_demo": 0}
    assert graded.scores == {grade_id: others.get(grade_id, 2) for grade_id in graded.scores}
    assert graded.reasons == []
    assert [out.text for out in graded.notebook.cells[-1].outputs] == ["a\nb\n"]
    assert [flag["grade_id"] for flag in graded.flags] == ["two", "no_number"]
    assert [cell.source for cell in graded.notebook.cells] == [
        cell if isinstance(cell, str) else cell.source for cell in CELLS
    ]


DISPLAY = "from IPython.display import display, update_display\nh = display('a', display_id='h')\n"
LOOP = "while True:\n    pass"
LOSES_ITS_REPLY = """kernel = get_ipython().kernel
send = kernel.session.send
def interrupted(stream, what, *rest, **more):
    if what == "execute_reply":
        kernel.session.send = send
        raise KeyboardInterrupt
    return send(stream, what, *rest, **more)
kernel.session.send = interrupted"""
FLOOD = r"after (8|9)\d\d,\d{3} bytes of output$"  # at eight times as much as is kept
STOPPED = {  # a cell: how its reason reads
    LOOP: "cell 3 was stopped after 1 s",
    f"{DISPLAY}while True: display({{'text/html': '<p>' * 50_000}}, raw=True)": FLOOD,
    f"{DISPLAY}while True: h.update({{'text/plain': 'x' * 50_000}}, raw=True)": FLOOD,
    # a reply that an interrupt took does not end the kernel
    LOSES_ITS_REPLY: "^cell 6 was stopped after 1 s$",
}


def test_what_does_not_end_is_stopped_and_the_rest_goes_on() -> None:
    graded = Graded(
        [GOOD, graded_cell("before", TEST), *STOPPED, graded_cell("after", f"{TEST}\n1.5")],
        timeout=1,
        endless=(LOOP, LOSES_ITS_REPLY),
        grace_seconds=60,
        cell_output_bytes=100_000,
        notebook_output_bytes=100_000_000,
    )
    assert graded.scores == {"before": 2, "after": 1.5} and graded.flags == []
    assert len(graded.reasons) == len(STOPPED)
    for said, reason in zip(graded.reasons, STOPPED.values(), strict=True):
        assert re.search(reason, said), said
    assert len(graded.text) < 600_000


@pytest.mark.parametrize("whole, of_a_cell", [(0.25, 9.0), (9.0, 0.25)])
def test_a_cell_is_stopped_when_its_time_is_over_and_not_at_the_next_look(
    monkeypatch, whole, of_a_cell
):
    """nbgrader stops a cell of five seconds at a limit of five; else who passes depends on luck."""
    executor, now = ExecuteGraded(), [0.0]
    executor._stop_at, executor._running, executor.nb = whole, None, nbformat.v4.new_notebook()
    executor.nb.cells = [nbformat.v4.new_code_cell("")]

    async def wait(_, timeout):
        now[0] += timeout
        return set(), set()

    async def nothing(*_):
        return None

    async def stopped(reason, _):
        return reason, now[0]

    monkeypatch.setattr(execute, "time", SimpleNamespace(monotonic=lambda: now[0]))
    loop = SimpleNamespace(wait=wait, ensure_future=asyncio.ensure_future)
    monkeypatch.setattr(execute, "asyncio", loop)
    for name, fake in (("_answer", nothing), ("_async_check_alive", nothing), ("_stop", stopped)):
        monkeypatch.setattr(executor, name, fake)

    async def poll():
        outputs, alive = (asyncio.get_running_loop().create_future() for _ in range(2))
        return await executor._async_poll_for_reply("id", None, of_a_cell, outputs, alive)

    reason, at = asyncio.run(poll())
    assert "was stopped" in reason and at == pytest.approx(0.25, abs=1e-6)


ENDED = "its Python process was ended"


@pytest.mark.parametrize(
    ("cell", "reason"),
    [  # the interrupt is swallowed or ignored; a death; a giant message; one that is none
        ("while True:\n    try:\n        sum(range(9**5))\n    except BaseException: pass", ENDED),
        ("import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass", ENDED),
        ("import os\nos._exit(3)", "the Python process ended while"),
        ("display({'text/plain': 'x' * 2**20}, raw=True)", "output that could not be read"),
        ("kernel = get_ipython().kernel\nkernel.iopub_socket.send_multipart([b'x'] * 9)", "not be"),
    ],
)
def test_what_passed_before_the_kernel_ended_stays(
    cell: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert 8 * 2**20 <= execute.MAX_MESSAGE_BYTES <= 64 * 2**20
    monkeypatch.setattr(execute, "MAX_MESSAGE_BYTES", 2**20)
    cells = [GOOD, graded_cell("before", TEST), cell, graded_cell("after", TEST)]
    graded = Graded(cells, timeout=1, endless=(cell,), grace_seconds=1)
    assert graded.scores == {"before": 2, "after": 0} and graded.flags == []
    assert len(graded.reasons) == 1 and reason in graded.reasons[0]
    (not_run,) = graded.notebook.cells[-1].outputs
    assert not_run.ename == "NotRun" and reason in not_run.evalue


def test_more_output_than_is_kept_is_cut_and_costs_nothing() -> None:
    # Each display is a message of its own, while a kernel on a busy machine combines several
    # prints. A message is kept completely or not at all.
    many = "for i in range(30):\n    display({'text/plain': 'x' * 10_000}, raw=True)"
    cells = [GOOD, many, graded_cell("after", f"{TEST}\n1.5")]
    graded = Graded(cells, cell_output_bytes=100_000, notebook_output_bytes=100_000)
    assert (graded.scores, graded.reasons) == ({"after": 1.5}, [])
    assert "output cut: 100,000 bytes" in graded.text
    assert len(graded.text) < 120_000


def test_an_endless_function_costs_later_cells_less_time_each() -> None:
    endless = "import time\ndef f(x):\n    while True: time.sleep(0.01)"
    cells = [endless, *(graded_cell(f"t{i}", TEST) for i in range(3))]
    graded = Graded(cells, (TEST,), timeout=2, later_seconds=1, grace_seconds=60)
    assert [reason.rpartition("after ")[2] for reason in graded.reasons] == ["2 s", "1 s", "1 s"]


ODD_MESSAGES = """k = get_ipython().kernel
def send(kind, **content):
    k.session.send(k.iopub_socket, kind, content, parent=k.get_parent())
send('stream', name='stdout', text=7)
send('stream', name='elsewhere', text='x')
send('error')
send('display_data', data={'text/plain': {}}, metadata=3)
send('status')
print('after')"""
PACKS = "import json\nk.session.pack = lambda message: json.dumps(message, default=str).encode()"


def test_what_no_notebook_can_hold_is_left_out() -> None:
    fails = graded_cell("fails", f"{PACKS}\nraise ValueError('\\ud800')")
    graded = Graded([GOOD, ODD_MESSAGES, fails, graded_cell("after", TEST)])
    nbformat.validate(nbformat.reads(graded.text.encode("utf-8").decode("utf-8"), as_version=4))
    assert graded.scores == {"fails": 0, "after": 2}


SCORES = {"1.5": 1.5, "0": 0, "2": 2, "np.float64(0.5)": 0.5, "np.int64(2)": 2, "1e0": 1}
NO_SCORES = ["2.5", "-1", "nan", "inf", "True", "'ok'", "", "1_0", "np.float64(1", "1)", "2" * 200]


def test_a_score_is_a_plain_number_from_zero_to_the_points() -> None:
    for text, score in (SCORES | dict.fromkeys(NO_SCORES)).items():
        for form in (text, [text]):
            assert cell_scores.partial_score({"text/plain": form}, 2) == score, form
    for data in ({"text/html": "2"}, {}, None, {"text/plain": 2}, {"text/plain": [2]}):
        assert cell_scores.partial_score(data, 2) is None, data

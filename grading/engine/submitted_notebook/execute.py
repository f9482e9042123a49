"""Execute a notebook in a kernel that is not trusted, and say what stopped it.

The student's code runs in the process of the test cells, as nbgrader runs them, and can forge what
they show. What is held here is the grader: its time, its memory, and the notebook that it writes.
"""

import asyncio
import contextlib
import time
from queue import Empty
from typing import Any

import zmq
from traitlets import Bool, Float, Integer, List, Unicode

from grading.engine.nbgrader.import_nbgrader import nbformat, quiet
from grading.engine.submission_size_and_time import CELL_OUTPUT_BYTES, NOTEBOOK_OUTPUT_BYTES
from grading.engine.submitted_notebook.cell_scores import WAS_RUN, well_formed
from tito.contract.process import ENDED_BY

with quiet():
    from jupyter_client.asynchronous.client import AsyncKernelClient
    from nbclient.exceptions import CellExecutionComplete, DeadKernelError
    from nbgrader.preprocessors import Execute
    from nbgrader.utils import is_grade, is_solution

NOT_RUN = "NotRun"  # ename of the error output that a cell gets if it was not executed
TROUBLE = "tito_trouble"  # notebook metadata: why this submission needs a person
STOPPED = "tito_stopped"  # notebook metadata: test cells that ran after another cell was stopped
# At a larger message ZeroMQ closes the connection for good. A page with an embedded plotting
# library has 5 MiB.
MAX_MESSAGE_BYTES = 64 * 2**20
QUEUED_MESSAGES = 4  # in this process: at most 256 MiB together
SMALL_BYTES = 4096  # of an error or a value, which is kept even over the cap


class _TooMuchOutput(Exception):
    """A cell has sent several times as much as is kept."""


class LimitedClient(AsyncKernelClient):
    """jupyter_client's client, with a limit for the size of a message."""

    def _context_default(self) -> Any:
        context = super()._context_default()
        # Sockets inherit the options of the context that makes them.
        context.setsockopt(zmq.MAXMSGSIZE, MAX_MESSAGE_BYTES)
        context.setsockopt(zmq.RCVHWM, QUEUED_MESSAGES)
        return context

    async def wait_for_ready(self, timeout: float | None = None) -> None:
        """Wait until the kernel answers and its outputs arrive. jupyter_client then listens for
        another 0.2 s, which nbclient does not need.
        """
        stop = time.monotonic() + (timeout or 60)
        while time.monotonic() < stop:
            self.kernel_info()
            with contextlib.suppress(Empty):
                await self.get_shell_msg(timeout=1)
                await self.get_iopub_msg(timeout=0.2)
                return
            if not await self.is_alive():
                raise RuntimeError("the kernel died before it was ready")
        raise RuntimeError(f"the kernel was not ready within {timeout or 60:g} s")


class ExecuteGraded(Execute):
    """Execute the notebook within one time budget. Cells that the release leaves out are not run.
    If the kernel dies, the run ends, but the marks earned until then stay.
    """

    notebook_seconds = Float(240).tag(config=True)  # that all cells may take together
    grace_seconds = Float(5).tag(config=True)  # after an interrupt, until the kernel is ended
    later_seconds = Integer(5).tag(config=True)  # a cell's least time after others were stopped
    # output that is kept of one cell and of all; at eight times as much the run is stopped
    cell_output_bytes = Integer(CELL_OUTPUT_BYTES).tag(config=True)
    notebook_output_bytes = Integer(NOTEBOOK_OUTPUT_BYTES).tag(config=True)
    runs = Bool(True).tag(config=True)  # otherwise the notebook only shows its outputs
    runs_demos = Bool(False).tag(config=True)  # whether cells with the tag demo are run
    sealed = List(Unicode()).tag(config=True)  # the ids of cells that are not run
    store_widget_state = False
    skip_cells_with_tag = ""  # by tag, nbclient would skip tests and solutions too; see `left_out`
    timeout: Any  # nbclient's setting, whose type mypy does not see
    iopub_timeout = Integer(10)  # seconds after a reply until its outputs are lost

    def preprocess(self, nb: Any, resources: Any = None, km: Any = None) -> tuple[Any, Any]:
        resources[WAS_RUN] = self.runs
        if not self.runs:
            return nb, resources
        self._stop_at = time.monotonic() + self.notebook_seconds
        self._trouble: list[str] = []
        self._after_stop: list[str] = []
        self._over: str | None = None  # why no further cell is run
        self._sent = self._sent_by_cell = 0  # bytes
        self._running: Any = None
        code = [cell for cell in nb.cells if cell.cell_type == "code"]
        for cell in code:
            cell.outputs = []
        with quiet():
            nb, resources = super().preprocess(nb, resources, km)
        for cell in code:
            self._tidy(cell)  # last, because a later cell may change the displays of this one
        if self._trouble:
            nb.metadata[TROUBLE] = [*nb.metadata.get(TROUBLE, []), *self._trouble]
        if self._after_stop:
            nb.metadata[STOPPED] = self._after_stop
        return nb, resources

    def create_kernel_manager(self) -> Any:
        manager = super().create_kernel_manager()
        manager.client_class = f"{__name__}.{LimitedClient.__name__}"
        return manager

    # One cell

    def preprocess_cell(self, cell: Any, resources: Any, index: int) -> tuple[Any, Any]:
        if not self._is_run(cell):
            return cell, resources
        if not self._over and time.monotonic() > self._stop_at:
            self._end(f"time is up: all cells together may take {self.notebook_seconds:g} s")
        if not self._over:
            self._running, self._sent_by_cell = cell, 0
            if is_test(cell) and self._trouble:
                self._after_stop.append(cell.metadata["nbgrader"]["grade_id"])
            try:
                return super().preprocess_cell(cell, resources, index)
            except DeadKernelError as problem:
                self._end(str(problem))
        cell.outputs.append(not_run(self._over or ""))
        return cell, resources

    def _is_run(self, cell: Any) -> bool:
        return (
            cell.cell_type == "code"
            and not left_out(cell, runs_demos=self.runs_demos)
            and cell.metadata.get("nbgrader", {}).get("grade_id") not in self.sealed
        )

    def _end(self, reason: str) -> None:
        self._over = reason
        self._trouble.append(reason)

    async def _async_poll_for_reply(
        self, msg_id: str, cell: Any, timeout: float | None, outputs: Any, alive: Any
    ) -> dict[str, Any]:
        """Wait for the reply to a cell. At its limits the cell is interrupted once; if the kernel
        still runs then, it is ended.
        """
        alive.cancel()  # nbclient looks once a second
        stop = time.monotonic() + (timeout or self.notebook_seconds)
        answer = asyncio.ensure_future(self._answer(msg_id))
        try:
            while True:
                left = min(stop, self._stop_at) - time.monotonic()
                done, _ = await asyncio.wait({answer}, timeout=max(0, min(0.1, left)))
                if done:
                    break
                await self._async_check_alive()
                reason = self._flood(outputs)
                if time.monotonic() >= self._stop_at:
                    whole = f"{self.notebook_seconds:g} s"
                    reason = f"was stopped when all cells together had taken {whole}"
                elif time.monotonic() >= stop:
                    reason = f"was stopped after {timeout:g} s"
                if reason:
                    answer.cancel()
                    return await self._stop(reason, outputs)
            await asyncio.wait({outputs}, timeout=self.iopub_timeout)
            if reason := self._flood(outputs):
                return await self._stop(reason, outputs)
            if not outputs.done() or outputs.exception() or answer.exception():
                raise DeadKernelError(
                    f"{self._label()} sent output that could not be read (a message may have at"
                    f" most {MAX_MESSAGE_BYTES // 2**20} MiB); its Python process was ended"
                )
            return answer.result()
        finally:
            answer.cancel()
            outputs.cancel()

    async def _answer(self, msg_id: str) -> dict[str, Any]:
        while True:
            message = await self.kc.shell_channel.get_msg(timeout=None)
            if message["parent_header"].get("msg_id") == msg_id:
                return message

    def _flood(self, outputs: Any) -> str | None:
        if outputs.done() and isinstance(outputs.exception(), _TooMuchOutput):
            return f"was stopped after {self._sent_by_cell:,} bytes of output"
        return None

    async def _stop(self, reason: str, outputs: Any) -> dict[str, Any]:
        """Interrupt the running cell. Its own reply may be lost by that, so the kernel is asked
        something else; it answers in order.
        """
        await self.km.interrupt_kernel()
        try:
            await asyncio.wait_for(self._answer(self.kc.kernel_info()), self.grace_seconds)
        except Exception:  # noqa: BLE001 - no answer, or one that cannot be read
            raise DeadKernelError(
                f"{self._label()} {reason}; it did not stop, and its Python process was ended"
            ) from None
        await asyncio.wait({outputs}, timeout=1)
        self._trouble.append(f"{self._label()} {reason}")
        if self.timeout:  # for the other cells, because many may call the same endless function
            self.timeout = max(min(self.later_seconds, self.timeout), self.timeout // 4)
        return {"content": {**self.error_on_timeout, "status": "error"}}

    async def _async_check_alive(self) -> None:
        if not await self.kc.is_alive():
            how = ENDED_BY.get(getattr(self.km.provisioner, "ended_by", None))
            why = f": it {how}" if how else ""
            raise DeadKernelError(f"the Python process ended while {self._label()} ran{why}")

    def _label(self) -> str:
        index = next((i for i, cell in enumerate(self.nb.cells) if cell is self._running), 0)
        grade_id = self.nb.cells[index].metadata.get("nbgrader", {}).get("grade_id")
        return grade_id or f"cell {index + 1}"

    # Its outputs

    def process_message(self, msg: dict[str, Any], cell: Any, cell_index: int) -> Any:
        kind, size = msg["msg_type"], len(repr(msg["content"])) + sum(map(len, msg["buffers"]))
        self._sent += size
        self._sent_by_cell += size
        for sent, kept in (
            (self._sent_by_cell, self.cell_output_bytes),
            (self._sent, self.notebook_output_bytes),
        ):
            if sent > 8 * kept:
                raise _TooMuchOutput
            counts = kind in ("error", "execute_result") and size <= SMALL_BYTES
            if sent > kept and kind != "status" and not counts:
                return self._cut(cell)
        try:
            return super().process_message(msg, cell, cell_index)
        except CellExecutionComplete:
            raise
        except Exception:  # noqa: BLE001 - malformed contents are ignored
            return None

    def _cut(self, cell: Any) -> None:
        text = (
            f"\n... output cut: {self.cell_output_bytes:,} bytes of a cell and"
            f" {self.notebook_output_bytes:,} of a notebook are kept\n"
        )
        if not cell.outputs or cell.outputs[-1].get("text") != text:
            cell.outputs.append(nbformat.v4.new_output("stream", name="stderr", text=text))

    def _tidy(self, cell: Any) -> None:
        """Leave out malformed outputs, and join text to the text that it continues, as Jupyter
        shows it.
        """
        shown, cell.outputs = cell.outputs, []
        self._running = cell
        for out in filter(well_formed, shown):
            last: Any = cell.outputs[-1] if cell.outputs else {}
            if out.output_type == "stream" and out.name == last.get("name"):
                last.text += out.text
            else:
                cell.outputs.append(out)
        if all(map(well_formed, shown)):
            return
        self._trouble.append(
            f"{self._label()} made outputs that no notebook can hold; they were left out"
        )
        if any(out.get("output_type") == "error" for out in shown):
            cell.outputs.append(not_run("it ended with an error that no notebook can hold"))


def left_out(cell: Any, *, runs_demos: bool = False) -> bool:
    """Whether the release excludes a cell from grading. Tests and solutions are always run. In a
    rebuilt notebook all tags come from the release: see `restore_notebook`.
    """
    tags = set(cell.metadata.get("tags", []))
    skipped = {"skip-execution"} if runs_demos else {"demo", "skip-execution"}
    return bool(tags & skipped) and not (is_grade(cell) or is_solution(cell))


def is_test(cell: Any) -> bool:
    return cell.cell_type == "code" and is_grade(cell) and not is_solution(cell)


def not_run(reason: str) -> Any:
    return nbformat.v4.new_output(
        "error", ename=NOT_RUN, evalue=reason, traceback=[f"not run: {reason}"]
    )

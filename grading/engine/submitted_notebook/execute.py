"""Execute a notebook in a kernel that is not trusted; `outputs` says what is read of it."""

import asyncio
import time
from typing import Any

from traitlets import Bool, Float, Integer, List, Unicode

from grading.engine.nbgrader.library import nbformat, quiet
from grading.engine.submission_limits import CELL_OUTPUT_BYTES, NOTEBOOK_OUTPUT_BYTES
from grading.engine.submitted_notebook.cell_scores import GRADED, well_formed
from tito.contract.process import ENDED_BY

with quiet():
    from jupyter_core.utils import run_sync
    from nbclient.exceptions import CellExecutionComplete, DeadKernelError
    from nbgrader.preprocessors import Execute
    from nbgrader.utils import is_grade, is_solution

    from grading.engine.submitted_notebook import channels

NOT_RUN = "NotRun"  # ename of the error output that a cell gets if it was not executed
TROUBLE = "tito_trouble"  # notebook metadata: why this submission needs a person
STOPPED = "tito_stopped"  # notebook metadata: test cells that ran after another cell was stopped


class ExecuteGraded(Execute):
    """Execute the notebook within one time budget. Cells that the release leaves out are not run.
    If the kernel dies, the run ends, but the marks earned until then stay.
    """

    notebook_seconds = Float(240, help="Seconds that all cells may take together.").tag(config=True)
    grace_seconds = Float(
        2, help="Seconds after the interrupt until a kernel that still runs is ended."
    ).tag(config=True)
    later_seconds = Integer(
        5, help="The least time that a cell gets after others had to be stopped."
    ).tag(config=True)
    cell_output_bytes = Integer(
        CELL_OUTPUT_BYTES, help="Output kept of one cell; at eight times as much it is stopped."
    ).tag(config=True)
    notebook_output_bytes = Integer(
        NOTEBOOK_OUTPUT_BYTES,
        help="Output kept of all cells; at eight times as much the run is stopped.",
    ).tag(config=True)
    runs = Bool(True, help="Whether the notebook is run; without, only its outputs are shown.").tag(
        config=True
    )
    runs_demos = Bool(False, help="Whether cells with the tag demo are run, as nbgrader does.").tag(
        config=True
    )
    sealed = List(
        Unicode(), help="The ids of cells that sealed tests score. They are not run."
    ).tag(config=True)
    # outputs that never arrive are this cell's problem and must not end the notebook
    raise_on_iopub_timeout = False
    store_widget_state = False
    skip_cells_with_tag = ""  # by tag, nbclient would skip tests and solutions too; see `left_out`
    timeout: Any  # nbclient's settings, whose types mypy does not see
    iopub_timeout: Any

    def preprocess(self, nb: Any, resources: Any = None, km: Any = None) -> tuple[Any, Any]:
        self._stop_at = time.monotonic() + self.notebook_seconds
        self._trouble: list[str] = []
        self._running: Any = None
        self._ended: str | None = None  # why we ended the kernel
        self._after_stop: list[str] = []
        self._lost = False  # whether a connection was closed while this cell ran
        self._results: dict[str, list[Any]] = {}
        self._meter = channels.Meter(self.cell_output_bytes, self.notebook_output_bytes)
        if not self.runs:
            resources[GRADED] = None
            return nb, resources
        self._whole_timeout = self.timeout
        for cell in nb.cells:
            if cell.cell_type == "code":
                cell.outputs = []
        with quiet():
            try:
                nb, resources = super().preprocess(nb, resources, km)
            except DeadKernelError:
                self._after_death(nb)
            finally:
                self.timeout = self._whole_timeout
        if self._trouble:
            nb.metadata[TROUBLE] = [*nb.metadata.get(TROUBLE, []), *self._trouble]
        if self._after_stop:
            nb.metadata[STOPPED] = self._after_stop
        resources[GRADED] = self._results
        return nb, resources

    # The kernel

    def create_kernel_manager(self) -> Any:
        manager = super().create_kernel_manager()
        self._manager = manager  # nbclient drops its own reference when the kernel has ended
        manager.client_class = f"{channels.__name__}.{channels.GuardedClient.__name__}"
        return manager

    async def async_start_new_kernel_client(self) -> Any:
        client = await super().async_start_new_kernel_client()
        client.meter_with(self._meter)
        return client

    start_new_kernel_client = run_sync(async_start_new_kernel_client)

    async def _async_poll_kernel_alive(self) -> None:
        """Poll as nbclient does once a second, but every tenth of a second."""
        while True:
            await asyncio.sleep(0.1)
            try:
                await self._async_check_alive()
            except DeadKernelError:
                self.task_poll_for_reply.cancel()
                return

    async def _async_poll_for_reply(
        self, msg_id: str, cell: Any, timeout: float | None, outputs: Any, alive: Any
    ) -> dict[str, Any]:
        """Wait for the reply to a cell. At its limits the cell is interrupted once; if the kernel
        still runs then, it is ended.
        """
        stop = min(self._stop_at, time.monotonic() + (timeout or self.notebook_seconds))
        answers = {msg_id}
        reply, reason = asyncio.ensure_future(self._reply(answers)), None
        try:
            while not reply.done():
                left = stop - time.monotonic()
                await asyncio.wait({reply}, timeout=max(0, min(0.1, self.grace_seconds, left)))
                late = time.monotonic() > stop
                reason_now = self._too_much() or (late and self._too_long(timeout))
                if reply.done() or not reason_now or (reason and not late):
                    continue
                if reason:  # it was interrupted and still runs
                    self._ended = (
                        f"{self._label(cell)} {reason};"
                        " it did not stop, and its Python process was ended"
                    )
                    raise DeadKernelError(reason)  # nbclient then ends the kernel
                # After a flood the kernel still has to send, or drop, its queued output.
                reason, stop = (
                    reason_now,
                    time.monotonic() + self.grace_seconds * (1 if late else 5),
                )
                await self.km.interrupt_kernel()
                # An interrupt that arrives between the end of the cell and its reply cancels the
                # reply. The kernel answers in order, so an answer to this second request means that
                # the cell has ended.
                answers.add(self.kc.kernel_info())
            missing = await self._rest(outputs)
        finally:
            alive.cancel()
            reply.cancel()
        if reason or missing:
            self._trouble.append(f"{self._label(cell)} {reason or missing}")
        if reason is None:
            return reply.result()
        if self.timeout:  # for the other cells, because many may call the same endless function
            self.timeout = max(min(self.later_seconds, self.timeout), self.timeout // 4)
        return {**reply.result(), "content": {**self.error_on_timeout, "status": "error"}}

    def _too_much(self) -> str | None:
        self._lost = self.kc.reconnect() or self._lost
        if self._lost:
            return (
                f"sent a message of more than {channels.MAX_MESSAGE_BYTES // 2**20} MiB,"
                " which was not read"
            )
        return (
            f"was stopped after {self._meter.cell:,} bytes of output"
            if self._meter.over()
            else None
        )

    def _too_long(self, timeout: float | None) -> str:
        if time.monotonic() > self._stop_at:
            return f"was stopped when all cells together had taken {self.notebook_seconds:g} s"
        return f"was stopped after {timeout or self.notebook_seconds:g} s"

    async def _rest(self, outputs: Any) -> str | None:
        """Wait for the rest of the outputs: they use another channel than the reply, and may arrive
        after it or never. Returns what is missing.
        """
        missing = None
        stop = time.monotonic() + self.iopub_timeout
        while not outputs.done() and time.monotonic() < stop and not self._lost:
            await asyncio.wait({outputs}, timeout=0.1)
            self._too_much()
        if outputs.done():
            outputs.result()
        else:
            outputs.cancel()
            self.iopub_timeout = 1
            missing = self._too_much() or "sent outputs of which not all arrived"
            await self.kc.hear_again(self.grace_seconds)
        self._lost = False
        return missing

    async def _reply(self, msg_ids: set[str]) -> dict[str, Any]:
        """The first answer to one of the requests; more requests may be added while it waits."""
        while True:
            message = await self.kc.shell_channel.get_msg(timeout=None)
            if message["parent_header"].get("msg_id") in msg_ids:
                return message

    # One cell

    def preprocess_cell(self, cell: Any, resources: Any, index: int) -> tuple[Any, Any]:
        if not self._is_run(cell):
            return cell, resources
        if time.monotonic() > self._stop_at:
            reason = f"time is up: all cells together may take {self.notebook_seconds:g} s"
            if reason not in self._trouble:
                self._trouble.append(reason)
            cell.outputs = [not_run(reason)]
            return cell, resources
        self._running = cell
        self._meter.start_cell()  # outputs arrive before anybody waits for the reply
        if is_test(cell) and self._trouble:
            self._after_stop.append(cell.metadata["nbgrader"]["grade_id"])
        try:
            cell, resources = super().preprocess_cell(cell, resources, index)
        finally:
            self._finish(cell)
        self._running = None
        return cell, resources

    def _is_run(self, cell: Any) -> bool:
        return (
            cell.cell_type == "code"
            and not left_out(cell, runs_demos=self.runs_demos)
            and cell.metadata.get("nbgrader", {}).get("grade_id") not in self.sealed
        )

    def _finish(self, cell: Any) -> None:
        shown = cell.get("outputs", [])
        cell.outputs = [out for out in shown if well_formed(out)]
        if len(cell.outputs) == len(shown):
            return
        self._trouble.append(
            f"{self._label(cell)} made outputs that no notebook can hold; they were left out"
        )
        if any(out.get("output_type") == "error" for out in shown):
            cell.outputs.append(not_run("it ended with an error that no notebook can hold"))

    # What arrives

    def process_message(self, msg: dict[str, Any], cell: Any, cell_index: int) -> Any:
        kind = msg["msg_type"]
        try:
            if kind == channels.CUT:
                return self._cut(cell)
            if kind == "execute_result" and is_test(cell):
                shown = self._results.setdefault(cell.metadata["nbgrader"]["grade_id"], [])
                shown.append(msg["content"].get("data"))
            if kind == "stream" and self._continued(msg, cell):
                return None
            return super().process_message(msg, cell, cell_index)
        except CellExecutionComplete:
            raise
        except Exception:  # noqa: BLE001 - malformed contents are ignored
            return None

    def _continued(self, msg: dict[str, Any], cell: Any) -> bool:
        """Append text to the output it continues, as Jupyter shows it; nbclient makes one output of
        each message.
        """
        if not cell.outputs:
            return False
        last, content = cell.outputs[-1], msg["content"]
        if self.clear_before_next_output or any(self.output_hook_stack.values()):
            return False
        if (
            last.get("output_type") != "stream"
            or last.name != content["name"]
            or not isinstance(content["text"], str)
        ):
            return False
        last.text += content["text"]
        return True

    def _cut(self, cell: Any) -> None:
        text = (
            f"\n... output cut: {self.cell_output_bytes:,} bytes of a cell and"
            f" {self.notebook_output_bytes:,} of a notebook are kept\n"
        )
        if not cell.outputs or cell.outputs[-1].get("text") != text:
            cell.outputs.append(nbformat.v4.new_output("stream", name="stderr", text=text))

    # The end

    def _after_death(self, nb: Any) -> None:
        index = next((i for i, cell in enumerate(nb.cells) if cell is self._running), 0)
        how = ENDED_BY.get(getattr(self._manager.provisioner, "ended_by", None))
        reason = self._ended or (
            f"the Python process ended while {_name(nb.cells[index], index)} ran"
            + (f": it {how}" if how else "")
        )
        self._trouble.append(reason)
        for cell in nb.cells[index:]:
            if self._is_run(cell):
                cell.outputs = [*cell.get("outputs", []), not_run(reason)]

    def _label(self, cell: Any) -> str:
        return _name(cell, next((i for i, other in enumerate(self.nb.cells) if other is cell), 0))


def left_out(cell: Any, *, runs_demos: bool = False) -> bool:
    """Whether the release excludes a cell from grading. Tests and solutions are always run. In a
    rebuilt notebook all tags come from the release: see `restore`.
    """
    tags = set(cell.metadata.get("tags", []))
    skipped = {"skip-execution"} if runs_demos else {"demo", "skip-execution"}
    return bool(tags & skipped) and not (is_grade(cell) or is_solution(cell))


def is_test(cell: Any) -> bool:
    return cell.cell_type == "code" and is_grade(cell) and not is_solution(cell)


def _name(cell: Any, index: int) -> str:
    return cell.metadata.get("nbgrader", {}).get("grade_id") or f"cell {index + 1}"


def not_run(reason: str) -> Any:
    return nbformat.v4.new_output(
        "error", ename=NOT_RUN, evalue=reason, traceback=[f"not run: {reason}"]
    )

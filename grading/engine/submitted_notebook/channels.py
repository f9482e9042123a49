"""The client side of a kernel that is not trusted: every message is counted as it arrives, and no
message can break the reader.

    Meter           bytes received for this cell and in total; messages over the cap are read from
                    the socket and dropped unparsed
    GuardedClient   jupyter_client's client with metered sockets

A part of a message over MAX_MESSAGE_BYTES never reaches this process: ZeroMQ closes the connection
(ZMQ_MAXMSGSIZE) and does not open it again. `reconnect` opens it and tells the caller; messages
sent in between are lost.
"""

import contextlib
import hmac
import json
import time
from collections.abc import Callable
from queue import Empty
from typing import Any

import zmq

from grading.engine.nbgrader.library import quiet

with quiet():
    from jupyter_client.asynchronous.client import AsyncKernelClient
    from jupyter_client.channels import AsyncZMQSocketChannel

# for one part of a message; a page with an embedded plotting library has 5 MiB
MAX_MESSAGE_BYTES = 16 * 2**20
# messages waiting in this process: at most 256 MiB together, and only while it sleeps
QUEUED_MESSAGES = 16
SMALL_BYTES = 4096  # of a header, and of the end of a cell, which is read even over the cap
CUT = "tito_cut"  # msg_type that stands for a dropped message


class Meter:
    """Counts the bytes that a kernel has sent, against the caps of one cell and of the notebook."""

    def __init__(self, cell_bytes: int, notebook_bytes: int):
        self.cell_cap, self.notebook_cap = cell_bytes, notebook_bytes
        self.cell = self.total = 0

    def start_cell(self) -> None:
        self.cell = 0

    def fits(self, size: int) -> bool:
        """Count a message; returns False if it must be dropped."""
        self.cell += size
        self.total += size
        return self.cell <= self.cell_cap and self.total <= self.notebook_cap

    def over(self) -> bool:
        """True when the cell must be stopped, because it has sent several times as much as is
        kept.
        """
        return self.cell > 8 * self.cell_cap or self.total > 8 * self.notebook_cap


class MeteredChannel(AsyncZMQSocketChannel):
    """A channel whose messages are counted before they are parsed."""

    meter: Meter | None = None

    # jupyter_client's own asynchronous channel returns coroutines, too.
    async def get_msg(self, timeout: float | None = None) -> dict[str, Any]:  # type: ignore[override]
        return await (self._recv() if timeout is None else super().get_msg(timeout))

    async def _recv(self, **kwargs: Any) -> dict[str, Any]:  # type: ignore[override]
        while True:
            frames: list[bytes] = await self.socket.recv_multipart(**kwargs)
            identities: Any = self.session.feed_identities(frames)
            parts: list[bytes] = identities[1]
            size = sum(len(part) for part in frames)
            try:
                if self.meter is None or self.meter.fits(size):
                    message = _read(self.session, parts)
                else:
                    message = _thrown_away(parts) or _read(self.session, parts)
            except Exception:  # noqa: BLE001
                # The signature, header or JSON is wrong, as only a forger sends it.
                continue
            return message


def _read(session: Any, parts: list[bytes]) -> dict[str, Any]:
    """Read a message as Session.deserialize does, except that dates stay text, because searching
    for them took a fifth of the time.

    Raises:
        ValueError: the message is unsigned, or is not a Jupyter message.
    """
    if session.auth is not None and not hmac.compare_digest(session.sign(parts[1:5]), parts[0]):
        raise ValueError("the signature is not the session's")
    header, parent, metadata, content = map(json.loads, parts[1:5])
    return _checked(
        {
            "header": header,
            "msg_id": header["msg_id"],
            "msg_type": header["msg_type"],
            "parent_header": parent,
            "metadata": metadata,
            "content": content,
            "buffers": [memoryview(part) for part in parts[5:]],
        }
    )


def _checked(message: dict[str, Any]) -> dict[str, Any]:
    """The message, if it has the outer form that its readers rely on.

    Raises:
        ValueError: it does not have this form.
    """
    if not (
        isinstance(message["msg_type"], str)
        and isinstance(message["content"], dict)
        and isinstance(message["parent_header"], dict)
    ):
        raise ValueError("not a Jupyter message")
    return message


def _thrown_away(parts: list[bytes]) -> dict[str, Any] | None:
    """A placeholder for a message over the cap; None for the small messages that say that a cell
    has ended.
    """
    header, parent = (json.loads(part) if len(part) <= SMALL_BYTES else {} for part in parts[1:3])
    kind, small = header.get("msg_type"), sum(map(len, parts)) <= SMALL_BYTES
    if kind in ("status", "execute_reply", "kernel_info_reply") and small:
        return None
    # An execute_reply ends a cell even when it is too large to be read.
    content = (
        {"status": "error", "ename": "OutputTooLarge", "evalue": "", "traceback": []}
        if kind == "execute_reply"
        else {}
    )
    return _checked(
        {
            "header": header,
            "msg_id": header.get("msg_id"),
            "msg_type": kind if kind == "execute_reply" else CUT,
            "parent_header": parent,
            "metadata": {},
            "content": content,
            "buffers": [],
        }
    )


class GuardedClient(AsyncKernelClient):
    """A client for a kernel, with caps; each notebook has its own."""

    iopub_channel_class = MeteredChannel
    shell_channel_class = MeteredChannel

    def meter_with(self, meter: Meter) -> None:
        for channel in (self.iopub_channel, self.shell_channel):
            channel.meter = meter

    def connect_iopub(self, identity: bytes | None = None) -> Any:
        return self._watched("iopub", super().connect_iopub, identity)

    def connect_shell(self, identity: bytes | None = None) -> Any:
        return self._watched("shell", super().connect_shell, identity)

    def _watched(
        self, channel: str, connect: Callable[[bytes | None], Any], identity: bytes | None
    ) -> Any:
        # Sockets inherit the options of the context that makes them.
        self.context.setsockopt(zmq.RCVHWM, QUEUED_MESSAGES)
        self.context.setsockopt(zmq.MAXMSGSIZE, MAX_MESSAGE_BYTES)
        socket = connect(identity)
        monitor: Any = zmq.Socket.shadow(
            socket.get_monitor_socket(zmq.EVENT_DISCONNECTED).underlying
        )
        self._monitors = {**getattr(self, "_monitors", {}), channel: (socket, monitor)}
        return socket

    def reconnect(self) -> bool:
        """Open closed connections again. Returns True if one was closed since the last call, by a
        message that was too large or because the kernel ended.
        """
        connected = False
        for channel, (socket, monitor) in self._monitors.items():
            closed = False
            while monitor.getsockopt(zmq.EVENTS) & zmq.POLLIN:
                monitor.recv_multipart(zmq.NOBLOCK)
                closed = True
            if closed:
                with contextlib.suppress(zmq.ZMQError):
                    # ZeroMQ ignores a second connect to an address it still knows
                    socket.disconnect(self._make_url(channel))
                socket.connect(self._make_url(channel))
                connected = True
        return connected

    async def hear_again(self, timeout: float) -> None:
        """Wait until outputs arrive again: the other end has to accept the reopened connection
        first.
        """
        stop = time.monotonic() + timeout
        while time.monotonic() < stop:
            self.kernel_info()
            with contextlib.suppress(Empty):
                await self.get_iopub_msg(timeout=0.1)
                return

    def stop_channels(self) -> None:
        for socket, monitor in getattr(self, "_monitors", {}).values():
            socket.disable_monitor()
            monitor.close(linger=0)
        self._monitors = {}
        super().stop_channels()

    async def wait_for_ready(self, timeout: float | None = None) -> None:
        """Wait until the kernel answers and its outputs arrive. jupyter_client then listens for
        another 0.2 s; that is not needed, because nbclient tells messages apart by the request they
        answer.
        """
        stop = time.monotonic() + (timeout or 60)
        while time.monotonic() < stop:
            self.kernel_info()
            try:
                reply = await self.get_shell_msg(timeout=1)
                if reply["msg_type"] == "kernel_info_reply":
                    await self.get_iopub_msg(timeout=0.2)
                    return
            except Empty:
                pass
            if not await self.is_alive():
                raise RuntimeError("the kernel died before it was ready")
        raise RuntimeError(f"the kernel was not ready within {timeout or 60:g} s")

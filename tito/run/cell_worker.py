"""Runs the cells of one notebook in this process. Started by tito.run.runner with a job file; never
imported.

It takes one JSON object (cells, results, cell_seconds, seconds) and writes one JSON line when a
cell begins and one when it ends. So the parent knows in which cell the process died or hung.
"""

from __future__ import annotations

import ast
import asyncio
import contextlib
import dataclasses
import inspect
import io
import json
import linecache
import os
import signal
import sys
import time
import traceback
import types
from typing import TYPE_CHECKING, Any, NoReturn

from tito.child_processes import part_of
from tito.notebook.stubs import YOUR_TURN
from tito.outcome import Outcome
from tito.time_and_memory_limits import ENDLESS, GROWING, MOST_GIB

if TYPE_CHECKING:
    from tito.run.runner import CellJob

CAP = 20_000  # characters of output kept per cell: enough to read, too little to fill a disk
PROMISE = ("promise", "call", "got", "want", "look", "hint")


class Capped(io.TextIOBase):
    """A text stream that keeps the first CAP characters, and writes all of them to `other` too."""

    encoding = "utf-8"

    def __init__(self, other: Capped | None = None) -> None:
        self.parts: list[str] = []
        self.length, self.other = 0, other

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if self.other is not None:
            self.other.write(text)
        if self.length < CAP:
            self.parts.append(text[: CAP - self.length])
        self.length += len(text)
        return len(text)

    def text(self) -> str:
        more = f"\n[{self.length - CAP} more characters]\n" if self.length > CAP else ""
        return "".join(self.parts) + more


class CellTimeout(BaseException):
    """Not an Exception, so that a student's `except Exception` cannot swallow it."""


def on_alarm(*_: Any) -> NoReturn:
    raise CellTimeout


def run(cell: CellJob, namespace: dict[str, object]) -> None:
    """Execute one cell: a trailing expression is dropped, a top-level await is awaited."""
    filename = f"<{cell['label']}>"
    source = cell["source"]
    lines = [line + "\n" for line in source.split("\n")]
    linecache.cache[filename] = len(source), None, lines, filename
    code = compile(source, filename, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    if code.co_flags & inspect.CO_COROUTINE:
        asyncio.run(eval(code, namespace))
    else:
        exec(code, namespace)


def short(value: object, width: int = 400) -> str:
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= width else text[: width - 3] + "..."


def describe(problem: BaseException, label: str, **given: str) -> Outcome:
    """The outcome of an exception: its status, its promise, the line in this cell and a traceback
    without the frames of this file. Fields in `given` replace those that are worked out here.
    """
    names = {kind.__name__ for kind in type(problem).__mro__}
    text = str(problem)
    stub = isinstance(problem, NotImplementedError) and text.startswith(YOUR_TURN)
    status, told = "error", dict[str, Any]()
    if "PromiseBroken" in names:
        values = ((name, getattr(problem, name, None)) for name in PROMISE)
        told = {name: None if value is None else short(value) for name, value in values}
        status = "fail"
    if "YourTurn" in names or stub:
        status = "your_turn"
    frames = [f for f in traceback.extract_tb(problem.__traceback__) if f.filename != __file__]
    here = [f.lineno for f in frames if f.filename == f"<{label}>"]
    line = getattr(problem, "lineno", None) if isinstance(problem, SyntaxError) else None
    kind = type(problem).__name__
    said = f"{kind}: {problem}" if text else kind
    if isinstance(problem, MemoryError):
        # NumPy says how much it wanted; then no list has grown
        said += f". Code under test may use {MOST_GIB} GiB of memory"
        said += "" if text else f"; {GROWING}"
    lines = traceback.format_list(frames[-8:])
    lines += traceback.format_exception_only(type(problem), problem)
    looked_for: dict[str, Any] = {
        "status": status,
        "message": short(said, 2000),
        "line": here[-1] if here else line,
        "traceback": short("".join(lines), 8000),
    }
    return Outcome(**{**told, **looked_for, **given})


def _kept(since: int = 0) -> list[str]:
    """The promises kept so far, if any cell has imported what counts them."""
    testing: Any = sys.modules.get("tinytorch.testing")
    return testing.kept(since) if hasattr(testing, "kept") else []


def measure(cell: CellJob, namespace: dict[str, object], cell_seconds: float) -> Outcome:
    """Run one cell and return its outcome."""
    output = Capped()
    errors = Capped(output)
    outcome = Outcome("pass")
    wall, cpu = time.perf_counter(), time.process_time()
    before = len(_kept())
    alarm = hasattr(signal, "setitimer") and cell_seconds
    try:
        if alarm:
            signal.signal(signal.SIGALRM, on_alarm)
            signal.setitimer(signal.ITIMER_REAL, cell_seconds)
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            run(cell, namespace)
    except CellTimeout as problem:
        message = f"still running after {cell_seconds:g} s: {ENDLESS}"
        outcome = describe(problem, cell["label"], status="timeout", message=message)
    except SystemExit as problem:  # finish() raises it to end a script; in a test it is an error
        if cell["is_test"]:
            outcome = describe(problem, cell["label"], status="error")
    except BaseException as problem:  # noqa: BLE001 - it is the cell's result
        outcome = describe(problem, cell["label"])
    finally:
        if alarm:
            signal.setitimer(signal.ITIMER_REAL, 0)
    return dataclasses.replace(
        outcome,
        cell=cell["index"],
        stdout=output.text(),
        stderr=errors.text(),
        kept=tuple(dict.fromkeys(_kept(before))),
        seconds=time.perf_counter() - wall,
        cpu_seconds=time.process_time() - cpu,
    )


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        job = json.load(file)
    # Python put this file's directory there, whose modules must not shadow the student's
    sys.path[0] = os.getcwd()
    # It has no __file__, as in Jupyter, so that tinytorch.testing raises instead of printing.
    main_module = types.ModuleType("__main__")
    sys.modules["__main__"] = main_module
    # The events go to a file that is opened before any cell runs, so that a cell that prints or
    # closes stdout cannot disturb them.
    with open(job["results"], "w", encoding="utf-8") as events:
        ends = time.monotonic() + job["seconds"]
        for cell in job["cells"]:
            # a third of what is left: several loops that never end hide no other result
            limit = job["cell_seconds"] or part_of(ends - time.monotonic(), 3)
            print(json.dumps({"begins": cell["index"]}), file=events, flush=True)
            outcome = measure(cell, main_module.__dict__, limit)
            print(json.dumps(outcome.as_json()), file=events, flush=True)
    # Exit without waiting for the student's threads and pools: one that never ends would delay the
    # results.
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()

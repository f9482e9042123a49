"""Profiles a loader in this process. `tito profile` starts it with one JSON argument; it is never
imported.

It writes its result to the file answer.json, whole or not at all: {"report": ..., "plots": [...]},
or {"problem": one sentence}. Pictures are written beside that file; `tito profile` copies them to
the place that was asked for.
"""

import contextlib
import ctypes
import functools
import importlib
import importlib.util
import inspect
import json
import os
import signal
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable, Iterator
from typing import Any

VARIES = 1.2
LEAVE_SECONDS = 2.0  # for the end of what a loader started
# frames of these files are not the loader's code
OURS = (os.path.abspath(__file__), os.sep + os.path.join("tinytorch", "profiler") + os.sep)


class Refused(Exception):
    """A sentence for the person at the terminal."""


def main() -> None:
    end_with_parent()
    job = json.loads(sys.argv[1])
    sys.path[0] = job["cwd"]  # instead of this file's directory
    tempfile.tempdir = job["folder"]  # the loader's temporary files are deleted with this folder
    try:
        answer = measure(job)
    except Refused as problem:
        answer = {"problem": str(problem)}
    path = os.path.join(job["folder"], "answer.json")
    with open(path + ".tmp", "w", encoding="utf-8") as file:
        json.dump(answer, file, default=lambda number: number.item())  # for NumPy's integers
    os.replace(path + ".tmp", path)
    # a thread of the loader that waits for a reader would keep this process for ever
    last = threading.Timer(LEAVE_SECONDS, os._exit, [0])
    last.daemon = True
    last.start()


def end_with_parent() -> None:
    """Ask Linux to kill this process when `tito` dies and cannot end it."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(1, int(signal.SIGKILL))  # PR_SET_PDEATHSIG


def measure(job: dict[str, Any]) -> dict[str, Any]:
    tell(job, "importing")
    make, step = checked(functions_of(job)[job["function"]], job)
    from tinytorch.profiler import profile_loader

    tell(job, "measuring")
    with blaming(f"measuring {job['name']}"):
        report = profile_loader(
            make,
            job["step"] or step,
            name=job["name"],
            quick=job["quick"],
            seconds=job["seconds"],
            evict=tuple(job["evict"]),
        ).as_dict()
    answer = {"report": report, "plots": []}
    if job["png"]:
        tell(job, "drawing")
        answer["plots"] = draw(job, report)
    return answer


def tell(job: dict[str, Any], doing: str) -> None:
    with open(os.path.join(job["folder"], "doing"), "w", encoding="utf-8") as file:
        file.write(doing)


def functions_of(job: dict[str, Any]) -> dict[str, Callable]:
    """The functions of a module's profile.py, or of the Python module that --loader names."""
    with blaming(f"importing {job['module']}", missing=job["module"]):
        if job["file"]:
            spec = importlib.util.spec_from_file_location("profiled", job["file"])
            assert spec and spec.loader  # a file that ends in .py has both
            module = importlib.util.module_from_spec(spec)
            sys.modules["profiled"] = module
            spec.loader.exec_module(module)
        else:
            module = importlib.import_module(job["module"])
    functions = {name: value for name, value in vars(module).items() if callable(value)}
    if job["function"] not in functions:
        made = [name for name in functions if name.startswith("make_")] or [
            name for name in functions if not name.startswith("_")
        ]
        has = f"it has {', '.join(sorted(made)[:8])}" if made else "it has no function"
        raise Refused(
            f"{job['module']} needs a function {job['function']} that returns a loader; {has}"
        )
    return functions


def checked(function: Any, job: dict[str, Any]) -> tuple[Callable, Callable | None]:
    """(make, step): `make` returns a new loader each time; `step` may be None."""
    if job["batch_size"] is not None:
        if "batch_size" not in inspect.signature(function).parameters:
            raise Refused(
                "--batch-size needs a function with a parameter batch_size;"
                f" {job['function']}{inspect.signature(function)} has none"
            )
        function = functools.partial(function, batch_size=job["batch_size"])
    name = f"{job['function']}()"
    with blaming(f"calling {name}"):
        first, step = parts(function())
    if not hasattr(first, "__iter__") and not hasattr(first, "__getitem__"):
        raise Refused(
            f"{name} must return a loader, which a for loop can iterate over, or (loader, step);"
            f" it returned {type(first).__name__}"
        )
    with blaming(f"reading the first batch of {name}"):
        for _ in first:
            break
        else:
            raise Refused(
                f"the loader of {name} gave no batch: a profile needs at least one. How many"
                " samples has its dataset?"
            )

    @functools.wraps(function if job["batch_size"] is None else function.func)
    def make(*args: Any, **kwargs: Any) -> Any:
        return parts(function(*args, **kwargs))[0]

    vars(make)["__signature__"] = inspect.signature(function)
    return make, step


def parts(made: Any) -> tuple[Any, Callable | None]:
    pair = isinstance(made, tuple) and len(made) == 2 and callable(made[1])
    return made if pair else (made, None)


@contextlib.contextmanager
def blaming(doing: str, missing: str = "") -> Iterator[None]:
    """Turn an exception of the loader's code into a Refused with file and line."""
    try:
        yield
    except Refused:
        raise
    except (Exception, SystemExit) as problem:  # noqa: BLE001 - it is what the person reads
        said = f"{doing} failed: {type(problem).__name__}: {problem}{place(problem)}"
        absent = problem.name if isinstance(problem, ModuleNotFoundError) else None
        if absent and f"{missing}.".startswith(f"{absent}."):
            said = (
                f"there is no module {absent}; --loader looks in this folder, in PYTHONPATH and"
                " among installed packages"
            )
        raise Refused(said) from None


def place(problem: BaseException) -> str:
    """Where the error arose: the innermost line outside this course's profiler."""
    if isinstance(problem, SyntaxError):
        return ""  # its text names file and line
    frames = [
        frame
        for frame in traceback.extract_tb(problem.__traceback__)
        if not any(ours in frame.filename for ours in OURS)
        and not frame.filename.startswith("<frozen")
    ]
    return f" ({os.path.basename(frames[-1].filename)}, line {frames[-1].lineno})" if frames else ""


def draw(job: dict[str, Any], report: dict[str, Any]) -> list[str]:
    """Write every picture that says something; return the paths."""
    paths = []
    for name, picture in pictures(report).items():
        paths.append(os.path.join(job["folder"], f"{name}.png"))
        picture.savefig(paths[-1], dpi=150)
    return paths


def vary(values: list[float]) -> bool:
    """Whether a picture of these values says more than one number."""
    return len(values) > 1 and max(values) > VARIES * min(values)


def pictures(report: dict[str, Any]) -> dict[str, Any]:
    from tinytorch.profiler.pictures.throughput_plot import plot_throughput
    from tinytorch.profiler.pictures.timeline_plots import plot_timeline

    figures: dict[str, Any] = {}
    sweep = report["sweep"] or []
    if report["timelines"]:
        figures["timeline"] = plot_timeline(report["timelines"])
    if vary([row["samples_per_second"] for row in sweep]):
        figures["throughput"] = plot_throughput(sweep, report["limit"]).figure
    return figures


if __name__ == "__main__":
    main()

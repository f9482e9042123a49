"""Find out where your loader's time goes, and what to do about it.

Measured is your notebook as saved, exported to a scratch folder, with the loader that
modules/NN_name/profile.py makes; or any loader that --loader names. The numbers belong to this
machine and to what else it does now: compare ratios.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import shutil
import sys
import tempfile
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tito import console
from tito.children import ONE_THREAD
from tito.errors import EnvironmentBroken, UsageError, WorkError
from tito.files import write_atomic
from tito.run.runner import Ended, environment, group, make_scratch
from tito.workspace import Module, Workspace, find_workspace

_TARGET = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*")
_WIDEST = 110


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "module", nargs="?", help="08, dataloader or 08_dataloader; the current module without it"
    )
    parser.add_argument(
        "variant",
        nargs="?",
        help="another loader of the module: NAME for make_NAME in its profile.py",
    )
    parser.add_argument(
        "--loader",
        metavar="MODULE:FUNCTION",
        help=(
            "any other loader, such as my_package.loaders:make; the function returns a loader or"
            " (loader, step) and may take batch_size and prefetch"
        ),
    )
    parser.add_argument(
        "--batch-size", type=int, metavar="SAMPLES", help="default: the function's own"
    )
    parser.add_argument("--quick", action="store_true", help="fewer repeats: a first look")
    parser.add_argument(
        "--evict",
        action="append",
        default=[],
        metavar="FILE",
        help=(
            "a file that the loader reads, dropped from the page cache before cold reads;"
            " may be repeated"
        ),
    )
    parser.add_argument("--png", metavar="DIR", help="draw the pictures there")
    parser.add_argument(
        "--style",
        choices=("light", "dark", "both"),
        default="light",
        help="of the pictures (default light)",
    )
    parser.add_argument(
        "--trace",
        metavar="FILE",
        help="write the first batches there, for ui.perfetto.dev or chrome://tracing",
    )
    parser.add_argument(
        "--timeout",
        type=float,
        default=300.0,
        metavar="SECONDS",
        help="for everything (default 300)",
    )
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def run(args: argparse.Namespace) -> int:
    _check(args)
    with tempfile.TemporaryDirectory(prefix="tito-", ignore_cleanup_errors=True) as name:
        folder = Path(name).resolve()
        (folder / "work").mkdir()
        job, env, again = _job(args, folder)
        ended = _run_worker(job, env, args)
        answer = folder / "work" / "answer.json"
        if not answer.exists():
            raise WorkError(f"{job['name']} could not be measured: {_why(ended, args.timeout)}")
        found = json.loads(answer.read_text(encoding="utf-8"))
        if "problem" in found:
            raise WorkError(f"{job['name']} could not be measured: {found['problem']}")
        plots, trace = _deliver(found, folder / "work", args)
    report = found["report"]
    if args.json:
        console.emit("profile", {"ok": True, **report, "plots": plots, "trace": trace})
        return 0
    files = [f"{len(plots)} pictures in {args.png}"] if plots else []
    files += [f"{trace}: open it at ui.perfetto.dev"] if trace else []
    # A noisy or quick run is worth another; a full one is worth its pictures; after them comes the
    # work, and then this command again.
    _show(
        table(
            report,
            files,
            again if report["verdict"]["noisy"] or args.quick or plots else f"{again} --png out",
        )
    )
    return 0


def _check(args: argparse.Namespace) -> None:
    """Everything that can be refused before anything runs."""
    if not args.timeout > 0:
        raise UsageError(f"--timeout is more than 0 seconds; got {args.timeout:g}")
    if args.batch_size is not None and args.batch_size < 1:
        raise UsageError(f"--batch-size is 1 or more; got {args.batch_size}")
    if args.loader and args.module:
        raise UsageError(
            f"name a module or --loader, not both; got {args.module!r} and {args.loader!r}"
        )
    if args.loader and not _TARGET.fullmatch(args.loader):
        raise UsageError(
            "--loader is MODULE:FUNCTION, such as my_package.loaders:make (dots, no slash, no"
            f" .py); got {args.loader!r}"
        )
    for path in args.evict:
        if not Path(path).is_file():
            raise UsageError(f"--evict names a file that the loader reads; there is no file {path}")
    if args.png and not _can_hold_files(Path(args.png).absolute()):
        raise UsageError(f"--png is a folder; {args.png} is a file or lies below one. Name another")
    if args.trace and (
        Path(args.trace).is_dir() or not _can_hold_files(Path(args.trace).absolute().parent)
    ):
        raise UsageError(
            f"--trace is a file; {args.trace} is a folder or lies below a file. Name another"
        )
    if args.png:
        from importlib.util import find_spec

        if find_spec("matplotlib") is None:
            raise EnvironmentBroken(
                "--png needs matplotlib, which is not installed. Install it:"
                " pip install -e '.[notebook]'"
            )


def _can_hold_files(folder: Path) -> bool:
    return next(place for place in (folder, *folder.parents) if place.exists()).is_dir()


def _job(args: argparse.Namespace, folder: Path) -> tuple[dict[str, Any], dict[str, str], str]:
    """What the worker is told, its environment, and the command that measures again."""
    job = {
        "folder": str(folder / "work"),
        "quick": args.quick,
        "batch_size": args.batch_size,
        "evict": [str(Path(path).resolve()) for path in args.evict],
        "trace": bool(args.trace),
        "styles": {"both": ["light", "dark"]}.get(args.style, [args.style]) if args.png else [],
    }
    if args.loader:
        module, _, function = args.loader.partition(":")
        paths = [
            os.getcwd(),
            *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep)),
            str(find_workspace().root),
        ]
        job.update(name=args.loader, module=module, function=function, file=None, cwd=os.getcwd())
        again = f"tito profile --loader {args.loader}"
    else:
        module = find_workspace().module(args.module)
        given = module.folder / "profile.py"
        if not given.is_file():
            raise WorkError(
                f"modules/{module.name}/profile.py says what is profiled, and this module has none."
                " Any other loader: tito profile --loader MODULE:FUNCTION"
            )
        scratch = _scratch(module, folder / "workspace")
        paths = [str(scratch)]
        job.update(
            name=" ".join(filter(None, (module.name, args.variant))),
            module=f"modules/{module.name}/profile.py",
            function=f"make_{args.variant or 'loader'}",
            file=str(given),
            cwd=str(scratch),
        )
        again = f"tito profile {module.number}" + (f" {args.variant}" if args.variant else "")
    env = environment(Path(paths[0]), {"PYTHONPATH": os.pathsep.join(dict.fromkeys(paths))})
    # A step on the same cores is to meet the loader there: the thread pools are as they are for the
    # student.
    for name in ONE_THREAD:
        if name not in os.environ:
            del env[name]
    return job, env, again


def _scratch(module: Module, destination: Path) -> Path:
    """A scratch workspace with a fresh export of the notebook, as `tito test` makes it."""
    from tito.notebook.cells import syntax_errors
    from tito.notebook.pair import read_work

    Workspace(module.root).refuse_gaps(module)
    work = read_work(module)
    for cell, line, message in syntax_errors(work.cells):
        raise WorkError(
            f"{module.notebook.name} must parse to be measured; {cell.label}, line {line}:"
            f" {message}. Look at it with: tito test {module.number}"
        )
    return make_scratch(module, work.cells, destination)


def _run_worker(job: dict[str, Any], env: dict[str, str], args: argparse.Namespace) -> Ended:
    import subprocess

    command = [
        sys.executable,
        str(Path(__file__).parents[1] / "run" / "profile_worker.py"),
        json.dumps(job),
    ]
    log = Path(job["folder"]) / "output"
    began = time.monotonic()
    with (
        open(log, "wb") as output,
        _progress(not args.json) as show,
        group(
            command,
            cwd=job["cwd"],
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        ) as process,
    ):
        code = None
        while code is None and time.monotonic() - began < args.timeout:
            with contextlib.suppress(subprocess.TimeoutExpired):
                code = process.wait(0.2)
            show(job, time.monotonic() - began)
    tail = log.read_bytes()[-2000:].decode("utf-8", errors="replace").strip()
    return Ended(code, code is None, tail)


@contextlib.contextmanager
def _progress(wanted: bool) -> Iterator[Any]:
    """One line on a terminal's stderr once a second has gone by; it is wiped at the end."""
    shown = False

    def show(job: dict[str, Any], seconds: float) -> None:
        nonlocal shown
        if wanted and seconds > 1 and sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
            with contextlib.suppress(OSError):  # not there yet
                doing = (Path(job["folder"]) / "doing").read_text(encoding="utf-8")
                line = f"{doing} {job['name']}, {seconds:.0f} s"
                print(
                    "\r" + line[: _columns() - 1].ljust(_columns() - 1),
                    end="",
                    file=sys.stderr,
                    flush=True,
                )
                shown = True

    try:
        yield show
    finally:
        if shown:
            print("\r" + " " * (_columns() - 1) + "\r", end="", file=sys.stderr, flush=True)


def _why(ended: Ended, timeout: float) -> str:
    if ended.timed_out:
        return (
            f"still measuring after {timeout:g} s. A loader that never ends? Else give it longer:"
            f" --timeout {2 * timeout:g}, or --quick"
        )
    return (
        f"Python stopped ({ended.how}). {ended.tail.splitlines()[-1] if ended.tail else ''}".strip()
    )


def _deliver(
    found: dict[str, Any], folder: Path, args: argparse.Namespace
) -> tuple[list[str], str | None]:
    """Copy what the worker made to where it was asked for, each file whole."""
    plots = []
    for path in map(Path, found["plots"]):
        target = Path(args.png) / path.name
        write_atomic(target, path.read_bytes())
        plots.append(str(target))
    if args.trace:
        write_atomic(Path(args.trace), (folder / "trace.json").read_bytes())
    return plots, args.trace


# The table


def table(report: dict[str, Any], files: list[str], following: str) -> list[tuple[str, list[str]]]:
    """The rows of the printed report: (label, pieces); a piece is kept on one line where it
    fits. Verdict and next step are last.
    """
    rates, verdict = report["rates"], report["verdict"]
    spread = max(rate["spread"] for rate in (*rates.values(), report["loading"]) if rate)
    first = [
        (
            f"batch {report['batch_size']}, {report['batches']} batches, median of"
            f" {report['repeats']}, spread {spread:.0%}"
        ),
        "noisy: the machine was busy, measure again" if verdict["noisy"] else "",
    ]
    rows = [(report["name"], first)]
    rows.append(
        (
            "rate",
            [f"{name} {rate['samples_per_second']:,.0f}" for name, rate in rates.items() if rate]
            + ["samples/s"],
        )
    )
    stalls = report["stalls"]
    rows.append(
        (
            "a batch",
            [
                f"compute {stalls['compute']:.0%}",
                f"prep stall {stalls['prep']:.0%}",
                f"fetch stall {stalls['fetch']:.0%}",
            ],
        )
    )
    rows += [
        ("loader", _loader(report)),
        ("stages", _stages(report)),
        ("timeline", _timelines(report)),
        ("sweep", _sweep(report)),
        ("memory", _memory(report)),
    ]
    rows += [("left out", [f"{name}: {reason}"]) for name, reason in report["reasons"].items()]
    rows += [
        ("files", files),
        (
            "verdict",
            [
                verdict["sentence"]
                + (f": up to {verdict['buys']:.2g}x faster" if verdict["buys"] >= 1.05 else "")
            ],
        ),
        ("try next", [verdict["fix"]]),
        ("next", [following]),
    ]
    return [(label, [piece for piece in pieces if piece]) for label, pieces in rows if any(pieces)]


def _loader(report: dict[str, Any]) -> list[str]:
    alone, limit = report["loading"], report["limit"]
    found = [f"{alone['samples_per_second']:,.0f} samples/s alone"]
    if limit:
        rate = alone["samples_per_second"] * limit["bytes_per_sample"]
        found += [
            (
                f"{_gigabytes(rate)}/s = {_percent(limit['share_of_limit'])} of a bare gather,"
                f" {_gigabytes(limit['gather_bytes_per_second'])}/s"
            ),
            f"memory copy {_gigabytes(limit['memcpy_bytes_per_second'])}/s",
        ]
    return found


def _stages(report: dict[str, Any]) -> list[str]:
    shares = (report["stages"] or {}).get("shares") or {}
    return [f"{name} {share:.0%}" for name, share in shares.items()]


def _timelines(report: dict[str, Any]) -> list[str]:
    return [
        f"{row['name'][:1].lower()}{row['name'][1:]}: {1e3 * row['wall_seconds']:.3g} ms, idle"
        f" {row['idle_share']:.0%}, step stretched {row['stretch']:.2f}x"
        for row in report["timelines"] or ()
    ]


def _sweep(report: dict[str, Any]) -> list[str]:
    found = [
        f"{row['batch_size']}: {row['samples_per_second']:,.0f}" for row in report["sweep"] or ()
    ]
    return [f"batch {found[0]}", *found[1:], "samples/s"] if found else []


def _memory(report: dict[str, Any]) -> list[str]:
    memory = report["memory"]
    found = [
        f"peak of Python and NumPy {memory['peak_bytes'] / 1e6:.3g} MB"
        + (
            f" = {memory['peak_bytes'] / memory['batch_bytes']:.1f} batches"
            if memory["batch_bytes"]
            else ""
        )
    ]
    if memory.get("copied_bytes_per_batch") is not None:
        found.append(
            f"{memory['copied_bytes_per_batch'] / 1e6:.3g} MB copied for a batch of"
            f" {memory['batch_bytes'] / 1e6:.3g} MB"
        )
    return found + (
        [f"dataset {memory['dataset_bytes'] / 1e6:.3g} MB"] if memory["dataset_bytes"] else []
    )


def _percent(share: float) -> str:
    return f"{share:.1%}" if 0 < share < 0.01 else f"{share:.0%}"


def _gigabytes(value: float) -> str:
    return f"{value / 1e9:.3g} GB"


def _show(rows: list[tuple[str, list[str]]]) -> None:
    (name, first), rest = rows[0], rows[1:]
    for line in _filled(f"{name}   ", "  ", first):
        console.say(console.paint(line, "bold"))
    for label, pieces in rest:
        for number, line in enumerate(_filled(f"  {label:<10}", " " * 12, pieces)):
            mark = label == "verdict" and not number
            console.say(console.paint(line, "bold") if mark else line)


def _columns() -> int:
    return max(30, shutil.get_terminal_size((_WIDEST, 24)).columns)


def _filled(head: str, indent: str, pieces: list[str]) -> list[str]:
    """Lines no wider than the terminal that begin with `head`; pieces stay whole where they fit."""
    width, lines, empty = min(_WIDEST, _columns()), [head], True
    for piece in pieces:
        if not empty and len(lines[-1]) + 3 + len(piece) <= width:
            lines[-1] += f"   {piece}"
            continue
        parts = textwrap.wrap(
            piece,
            max(16, width - len(indent if not empty else head)),
            break_long_words=False,
            break_on_hyphens=False,
        ) or [""]
        if empty:
            lines[-1] += parts.pop(0)
        lines += [indent + part for part in parts]
        empty = False
    return lines

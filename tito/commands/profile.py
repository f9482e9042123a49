"""Find out what limits your loader, by how much, and the one thing to try.

It takes about 10 seconds. --full measures longer and prints all that was measured; --json and
--png do the same.
Your notebook is measured as you saved it: it is exported to a scratch folder, and
modules/NN_name/profile.py makes the loader. --loader names any other loader. The numbers depend on
this machine and on what else runs on it now, so compare ratios, not numbers.
"""

import argparse
import contextlib
import json
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tito import console
from tito.child_processes import ONE_THREAD
from tito.commands import _arguments
from tito.errors import EnvironmentBroken, UsageError, WorkError
from tito.files import write_atomic
from tito.run.profile_table import Profile, columns, print_brief, print_table, table
from tito.run.runner import Ended, environment, make_scratch, run_limited
from tito.workspace import Module, Workspace, find_workspace

BRIEF_SECONDS = 7.0  # for measuring; the export, imports and a first batch take the rest of 10
OVER, UNCERTAIN = 1, 4  # exit codes of a budget; 2 is that of wrong use, 3 of what did not run
_TARGET = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    _arguments.take_module(parser)
    parser.add_argument(
        "variant",
        nargs="?",
        help="another loader of the module: NAME stands for make_NAME in its profile.py",
    )
    parser.add_argument(
        "--loader",
        metavar="MODULE:FUNCTION",
        help="any other loader, such as my_package.loaders:make; the function returns a loader or"
        " (loader, step) and may take batch_size and prefetch",
    )
    parser.add_argument(
        "--batch-size", type=int, metavar="SAMPLES", help="default: the one the function chooses"
    )
    parser.add_argument(
        "--step",
        type=float,
        metavar="MS",
        help="milliseconds of a training step, which matrix products stand for; without a step,"
        " what is said is how long a step hides the loading",
    )
    parser.add_argument(
        "--full", action="store_true", help="measure longer, and print all that was measured"
    )
    parser.add_argument("--quick", action="store_true", help="fewer repeats, for a first look")
    parser.add_argument(
        "--evict",
        action="append",
        default=[],
        metavar="FILE",
        help="a file that the loader reads; it is dropped from the page cache before cold reads;"
        " may be given several times",
    )
    parser.add_argument(
        "--fail-above",
        type=_share,
        metavar="PERCENT",
        help="a budget, for CI: exit 1 if loading takes more than this share of the time, 4 if that"
        " is uncertain, 3 if nothing could be measured",
    )
    parser.add_argument("--png", metavar="DIR", help="draw the pictures in this folder")
    parser.add_argument(
        "--timeout",
        type=float,
        default=300.0,
        metavar="SECONDS",
        help="limit for the whole measurement (default 300)",
    )
    _arguments.take_json(parser)


def run(args: argparse.Namespace) -> int:
    _check(args)
    with tempfile.TemporaryDirectory(prefix="tito-", ignore_cleanup_errors=True) as name:
        folder = Path(name).resolve()
        (folder / "work").mkdir()
        job, env, again = _job(args, folder)
        ended = _run_worker(job, env, args)
        answer = folder / "work" / "answer.json"
        # a budget that is broken and a program that is broken must not look alike
        unmeasured = WorkError if args.fail_above is None else EnvironmentBroken
        if not answer.exists():
            raise unmeasured(f"{job['name']} could not be measured: {_why(ended, args.timeout)}")
        document = json.loads(answer.read_text(encoding="utf-8"))
        if "problem" in document:
            raise unmeasured(f"{job['name']} could not be measured: {document['problem']}")
        plots = [str(Path(args.png) / Path(path).name) for path in document["plots"]]
        for path, target in zip(document["plots"], plots, strict=True):
            write_atomic(Path(target), Path(path).read_bytes())
    report = Profile.from_json(document["report"])
    code, told = _budget(report, args.fail_above)
    if args.json:
        budget = {"budget": told} if told else {}
        console.emit("profile", {"ok": not code, **document["report"], **budget, "plots": plots})
        return code
    files = [f"{console.counted(len(plots), 'picture')} in {args.png}"] if plots else []
    if not _full(args):
        print_brief(report, told, f"{again} --full")
        return code
    # A noisy or quick run should be repeated, and so should one whose pictures were drawn, after
    # the student has changed the loader. Any other run can still draw them.
    repeat = report.verdict["noisy"] or args.quick
    again += " --full" if repeat else "" if plots else " --png out"
    print_table(table(report, files, again, told))
    return code


def _share(text: str) -> float:
    """ "10%" or "10" as 0.1."""
    with contextlib.suppress(ValueError):
        share = float(text.removesuffix("%")) / 100
        if 0 <= share <= 1:
            return share
    raise argparse.ArgumentTypeError(f"a budget is a percentage such as 10%; got {text!r}")


def _budget(report: Profile, most: float | None) -> tuple[int, str]:
    """The exit code of a budget (0: within; see `OVER`, `UNCERTAIN`) and what it says."""
    if most is None:
        return 0, ""
    if report.step["kind"] == "none":
        raise UsageError(
            "--fail-above compares loading with a training step, and none is given. Add --step MS,"
            " or let the function return (loader, step)"
        )
    share = report.facts["loading_share"]
    if doubt := report.reasons.get("doubt"):
        return UNCERTAIN, f"uncertain: {share:.0%} of the time, {most:.0%} is allowed ({doubt})"
    above = share > most
    return OVER * above, f"{share:.0%} of the time, {most:.0%} is allowed"


def _full(args: argparse.Namespace) -> bool:
    return bool(args.full or args.json or args.png)


def _check(args: argparse.Namespace) -> None:
    """Refuse wrong options before anything runs."""
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
    if args.step is not None and not args.step > 0:
        raise UsageError(f"--step is more than 0 milliseconds; got {args.step:g}")
    for path in args.evict:
        if not Path(path).is_file():
            raise UsageError(f"--evict names a file that the loader reads; there is no file {path}")
    if args.png and not _can_hold_files(Path(args.png).absolute()):
        raise UsageError(f"--png is a folder; {args.png} is a file or lies below one. Name another")
    if args.png:
        from importlib.util import find_spec

        if find_spec("matplotlib") is None:
            raise EnvironmentBroken(
                "--png needs matplotlib, which is not installed. Install it:"
                ' pip install -e ".[notebook]"'
            )


def _can_hold_files(folder: Path) -> bool:
    return next(place for place in (folder, *folder.parents) if place.exists()).is_dir()


def _job(args: argparse.Namespace, folder: Path) -> tuple[dict[str, Any], dict[str, str], str]:
    """The worker's job, its environment variables, and the command that repeats the measurement."""
    job = {
        "folder": str(folder / "work"),
        "quick": args.quick,
        "seconds": None if _full(args) else BRIEF_SECONDS,
        "batch_size": args.batch_size,
        "step": args.step and args.step / 1e3,
        "evict": [str(Path(path).resolve()) for path in args.evict],
        "png": bool(args.png),
    }
    if args.loader:
        module, _, function = args.loader.partition(":")
        given = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
        paths = [os.getcwd(), *given, *_course()]
        job.update(name=args.loader, module=module, function=function, file=None, cwd=os.getcwd())
        again = f"tito profile --loader {args.loader}"
    else:
        module = find_workspace().module(args.module)
        own = module.folder / "profile.py"
        if not own.is_file():
            raise WorkError(
                f"modules/{module.name}/profile.py says what is profiled, and this module has none."
                " Any other loader: tito profile --loader MODULE:FUNCTION"
            )
        scratch = str(_scratch(module, folder / "workspace"))
        name = " ".join(filter(None, (module.name, args.variant)))
        paths, function = [scratch], f"make_{args.variant or 'loader'}"
        place = f"modules/{module.name}/profile.py"
        job.update(name=name, module=place, function=function, file=str(own), cwd=scratch)
        again = f"tito profile {module.number}" + (f" {args.variant}" if args.variant else "")
    env = environment(Path(paths[0]), {"PYTHONPATH": os.pathsep.join(dict.fromkeys(paths))})
    # Where the step shares the cores with the loader, both must compete as they do for the student.
    # So the thread pools keep their usual size.
    for name in ONE_THREAD:
        if name not in os.environ:
            del env[name]
    return job, env, again


def _course() -> list[str]:
    """The folder of the student's course; none outside it, where only what is installed counts."""
    try:
        return [str(find_workspace().root)]
    except EnvironmentBroken:
        return []


def _scratch(module: Module, destination: Path) -> Path:
    """A scratch workspace with a fresh export of the notebook, as `tito test` makes it."""
    from tito.notebook.pair import read_work
    from tito.student_work.refuse_syntax_errors import refuse_syntax_errors

    Workspace(module.root).refuse_gaps(module)
    work = read_work(module)
    refuse_syntax_errors(module, work)
    return make_scratch(module, work.cells, destination)


def _run_worker(job: dict[str, Any], env: dict[str, str], args: argparse.Namespace) -> Ended:
    worker = Path(__file__).parents[1] / "run" / "profile_worker.py"
    command = [sys.executable, str(worker), json.dumps(job)]
    with _progress(job, not args.json) as show:
        return run_limited(command, Path(job["cwd"]), env, args.timeout, show)


@contextlib.contextmanager
def _progress(job: dict[str, Any], wanted: bool) -> Iterator[Callable[[float], None]]:
    """Show a line of progress on a terminal's stderr after a second; erase it at the end."""
    shown = False

    def put(line: str, end: str = "") -> None:
        width = columns() - 1
        print(f"\r{line[:width]:<{width}}", end=end, file=sys.stderr, flush=True)

    def show(seconds: float) -> None:
        nonlocal shown
        if wanted and seconds > 1 and sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
            with contextlib.suppress(OSError):  # the worker has not written the file yet
                doing = (Path(job["folder"]) / "doing").read_text(encoding="utf-8")
                put(f"{doing} {job['name']}, {seconds:.0f} s")
                shown = True

    try:
        yield show
    finally:
        if shown:
            put("", end="\r")


def _why(ended: Ended, timeout: float) -> str:
    if ended.timed_out:
        return (
            f"still measuring after {timeout:g} s. Does the loader ever end? If it does, allow more"
            f" time: --timeout {2 * timeout:g}, or measure less: --quick"
        )
    last = ended.tail.splitlines()[-1:]
    return " ".join([f"Python stopped ({ended.how}).", *last])

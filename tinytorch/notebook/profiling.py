"""`%%profile`: run a cell, watch its loops over a loader, and say what to improve."""

from __future__ import annotations

import argparse
import ast
import copy
import inspect
import shlex
from collections.abc import Callable
from typing import Any, NoReturn

LONG_RUN_SECONDS = 1.0  # for a run of batches with their steps; a profile makes about a dozen runs
WORTH_SAYING = 1.05  # times faster; smaller differences are noise


class Refused(Exception):
    """A sentence for the person at the notebook, shown without a traceback."""

    def _render_traceback_(self) -> list[str]:
        # IPython's hook for exceptions that draw themselves
        return [str(self)]


def profile(ipython: Any, line: str, cell: str | None = None) -> None:
    """Run the cell, watch its loops over a loader, and say where the time goes and what to improve
    first.

        %%profile loader
            the first line of a cell with a loop: `for images, labels in loader: ...`
        %profile loader
            without a cell: measures the loader alone
        %profile loader --step train
            with your own step, a function that is called with each batch

    NAME is a loader, or a function that makes one (if it has the parameters `batch_size` and
    `prefetch`, these are varied). --full measures longer: five repeats, more batch sizes.
    """
    __tracebackhide__ = True  # the traceback of an error in the cell begins with the cell
    wanted = _arguments(line)
    before = ipython.user_ns.get(wanted.name)
    watched = _run_watched(ipython, wanted.name, cell) if cell is not None else None
    loader, step = _look_up(ipython, wanted.name), _step(ipython, wanted.step)
    without_a_loop = cell is not None and watched is None and step is None
    if without_a_loop and loader is before and hasattr(loader, "__iter__"):
        raise Refused(
            f"the cell ran, but no loop in it read a batch of {wanted.name}. Write `for batch in"
            f" {wanted.name}: ...` in it, or measure it alone: %profile {wanted.name}"
        )
    if watched is None or not _told_by_the_loop(ipython, watched, loader, step):
        _measured(ipython, wanted, _maker(loader, wanted.name), step, watched)


def _told_by_the_loop(ipython: Any, watched: Any, loader: Any, step: Any) -> bool:
    """Print the results of the watched loop; True when there is nothing more to measure."""
    for row in _rows_of_loop(watched):
        print(row)
    from tinytorch.profiler import Facts, diagnose
    from tinytorch.profiler.recording.thresholds import NOT_THE_BOTTLENECK

    if watched.idle_share < NOT_THE_BOTTLENECK and step is None:
        batch_size = max(1, watched.samples // watched.batches)
        _say_verdict(diagnose(Facts(batch_size, watched.idle_share)))
    elif hasattr(loader, "__next__"):
        print(
            f"  verdict   none: {watched.name} can be iterated over only once. For a verdict,"
            " profile a function that makes it"
        )
    else:
        return False
    _show_stages(ipython, watched.stages)
    return True


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise Refused(
            "%%profile NAME [--step FUNCTION] [--full], where NAME is a loader or a function that"
            f" makes one; {message}"
        )


def _arguments(line: str) -> argparse.Namespace:
    parser = _Parser(prog="%%profile", add_help=False, allow_abbrev=False)
    parser.add_argument("name")
    parser.add_argument("--step")
    parser.add_argument("--full", action="store_true")
    try:
        wanted = parser.parse_args(shlex.split(line, comments=True))
    except ValueError as problem:  # an open quote
        raise Refused(f"%%profile cannot read {line.strip()!r}: {problem}") from None
    for name in filter(None, (wanted.name, wanted.step)):
        if not name.isidentifier():
            raise Refused(
                f"%%profile takes the name of a variable; {name!r} is not one."
                f" Assign it to a variable first: loader = {name}"
            )
    return wanted


def _look_up(ipython: Any, name: str) -> Any:
    if name not in ipython.user_ns:
        raise Refused(
            f"{name} is not defined in this notebook; run the cell that makes it, then this one"
        )
    return ipython.user_ns[name]


def _step(ipython: Any, name: str | None) -> Any:
    step = _look_up(ipython, name) if name else None
    if step is not None and not callable(step):
        raise Refused(
            f"--step is a function that is called with each batch; {name} is {type(step).__name__}"
        )
    return step


def _run_watched(ipython: Any, name: str, cell: str) -> Any:
    """Run the cell; return the report on its loops over the loader, if there are any."""
    __tracebackhide__ = True
    from tinytorch.profiler import Profiler

    space = ipython.user_ns
    loader = space.get(name)
    if name not in space or not hasattr(loader, "__iter__"):
        # the cell makes it, or NAME is a function
        _run(ipython, cell)
        return None
    with Profiler() as profiler:
        wrapped = space[name] = profiler.wrap(loader, name)
        try:
            _run(ipython, cell)
        finally:
            if space.get(name) is wrapped:
                space[name] = loader
    if space.get(name) is not loader:  # the cell has made a new loader
        return None
    try:
        watched = profiler.report(name)
    except ValueError:  # no loop began
        return None
    return watched if watched.batches else None


def _run(ipython: Any, cell: str) -> None:
    """Run the cell as the shell would; a traceback shows the lines of the cell."""
    __tracebackhide__ = True
    text = ipython.transform_cell(cell)
    name = ipython.compile.cache(text, raw_code=cell)
    tree = ast.parse(text, name)
    body, is_shown = tree.body, not cell.rstrip().endswith(";")
    last = [body.pop()] if is_shown and body and isinstance(body[-1], ast.Expr) else []
    exec(ipython.compile(tree, name, "exec"), ipython.user_ns)
    exec(ipython.compile(ast.Interactive(last), name, "single"), ipython.user_ns)


def _maker(loader: Any, name: str) -> Callable[..., Any]:
    """A function that makes a copy of the loader, where possible with other settings."""
    if not hasattr(loader, "__iter__") and not hasattr(loader, "__getitem__"):
        if callable(loader):
            return loader
        raise Refused(
            f"a loader is an object that a for loop can iterate over; {name} is"
            f" {type(loader).__name__}"
        )
    if hasattr(loader, "__next__"):
        raise Refused(
            f"{name} can be iterated over only once; give a function that makes it:"
            " def make_loader(): ..."
        )

    def make(**changes: Any) -> Any:
        twin = copy.copy(loader)  # a copy, so that the loader's own epoch count does not change
        for key, value in changes.items():
            object.__setattr__(twin, key, value)
        return twin

    varied = [
        inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, default=getattr(loader, key))
        for key in ("batch_size", "prefetch")
        if _can_change(loader, make, key)
    ]
    vars(make)["__signature__"] = inspect.Signature(varied)
    return make


def _can_change(loader: Any, make: Callable[..., Any], key: str) -> bool:
    """Whether changing this attribute of a copy changes how the copy loads."""
    value = getattr(loader, key, None)
    if not isinstance(value, int) or isinstance(value, bool):
        return False
    if key != "batch_size":
        return key in inspect.signature(type(loader)).parameters
    from tinytorch.profiler import count_samples

    other = 2 if value != 2 else 1
    try:
        return count_samples(next(iter(make(batch_size=other)))) == other
    except Exception:  # noqa: BLE001  a student's loader may raise anything; it is left unchanged
        return False


def _measured(
    ipython: Any, wanted: argparse.Namespace, make: Callable[..., Any], step: Any, watched: Any
) -> None:
    """Profile the loader, with a step as long as those of the loop, and print the results."""
    from tinytorch.profiler import profile_loader

    if next(iter(make()), None) is None:
        raise Refused(
            f"{wanted.name} gives no batch, and a measurement needs one."
            " How many samples has its dataset?"
        )
    batches = None
    if watched is not None and step is None:
        step = watched.step_seconds_median or None
        seconds = watched.wall_seconds / watched.batches
        if 8 * seconds > LONG_RUN_SECONDS:
            batches = max(2, round(LONG_RUN_SECONDS / seconds))
    report = profile_loader(make, step, name=wanted.name, quick=not wanted.full, batches=batches)
    for row in _rows_of_report(report, watched is None):
        print(row)
    _say_verdict(report.verdict)
    of_loop = watched.stages if watched is not None else None
    _show_stages(ipython, of_loop or (report.stages or {}).get("seconds"))


def _seconds(seconds: float) -> str:
    return f"{seconds:.3g} s" if seconds >= 1 else f"{1e3 * seconds:.3g} ms"


def _percentages(shares: dict[str, float]) -> str:
    return "   ".join(f"{name} {share:.0%}" for name, share in shares.items())


def _rows_of_loop(watched: Any) -> list[str]:
    rows = [
        f"{watched.name}   {watched.batches:,} batches, {watched.samples:,} samples in"
        f" {_seconds(watched.wall_seconds)}",
        f"  loop      waiting for data {watched.idle_share:.0%} of the time; a step takes"
        f" {_seconds(watched.step_seconds_median)}",
    ]
    stages = watched.stages or {}
    if loading := sum(stages.values()):
        shares = {stage: seconds / loading for stage, seconds in stages.items()}
        rows.append(f"  stages    {_percentages(shares)}")
    return rows + ([f"  unseen    {watched.unseen}"] if watched.unseen else [])


def _rows_of_report(report: Any, alone: bool) -> list[str]:
    rate = (
        f"  rate      loader alone {report.loading['samples_per_second']:,.0f} samples/s ="
        f" {report.limit['share_of_limit']:.0%} of a copy of its rows"
    )
    if report.step["kind"] == "none":
        a_batch = report.break_even["sentence"]
    else:
        speed = report.rates["warm"]["samples_per_second"]
        rate += f"; with a step of {_seconds(report.step['seconds'])} {speed:,.0f} samples/s"
        names = {"compute": "compute", "prep": "prep stall", "fetch": "fetch stall"}
        a_batch = _percentages({name: report.stalls[key] for key, name in names.items()})
    rows = [rate, f"  a batch   {a_batch}"]
    if not alone:
        return rows
    size = f"batch {report.batch_size}, {report.batches} batches, median of {report.repeats}"
    stages = [f"  stages    {_percentages(report.stages['shares'])}"] if report.stages else []
    return [f"{report.name}   {size}", *rows, *stages]


def _say_verdict(verdict: Any) -> None:
    doubt = " (the machine was busy: measure again before you believe it)" if verdict.noisy else ""
    tried = f"; {verdict.tried}" if verdict.tried else ""
    gain = f" (buys up to {verdict.buys:.2f}x)" if verdict.buys >= WORTH_SAYING else ""
    where = f"; most time is spent in {verdict.where}" if verdict.where else ""
    print(f"  verdict   {verdict.kind}: {verdict.sentence}{where}{doubt}")
    print(f"  try next  {verdict.fix}{tried}{gain}")


def _show_stages(ipython: Any, stages: dict[str, float] | None) -> None:
    """Show the stages as a picture, if they could be measured."""
    from tinytorch.notebook.stages import stages_html

    if picture := stages_html(stages or {}):
        words, html = picture
        shown = {"text/plain": f"[picture] {words}", "text/html": html}
        ipython.display_pub.publish(shown, metadata={})

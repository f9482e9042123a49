"""Test a module again each time you save it. Keys: t test, h hint, s status, q quit.

The files are checked for changes twice a second. Without a terminal there are no keys: each save
leads to one run, and Ctrl-C ends the command.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import time
from collections.abc import Callable, Iterator

from tito import console
from tito.errors import TitoError
from tito.workspace import Module, find_workspace

POLL_SECONDS = 0.5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "module", nargs="?", help="08, dataloader or 08_dataloader; the current module without it"
    )
    parser.add_argument(
        "-k",
        metavar="PART",
        dest="part",
        help="only tests with PART in their name, exercise or group",
    )
    parser.add_argument("--once", action="store_true", help="end after the first run")


def run(args: argparse.Namespace) -> int:
    module = find_workspace().module(args.module)
    keys = sys.stdin.isatty() and sys.stdout.isatty()
    with _keyboard() if keys else contextlib.nullcontext(lambda: "") as pressed:
        watch(module, lambda: _test(module, args.part), pressed=pressed, once=args.once)
    return 0


def watch(
    module: Module,
    test: Callable[[], None],
    *,
    pressed: Callable[[], str] = lambda: "",
    once: bool = False,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Call `test` now and after each save until q is pressed."""
    seen = None
    while True:
        now = fingerprint(module)
        if now != seen:
            seen = now  # taken before the run, so that a save during the run leads to another run
            test()
            if once:
                return
            _prompt(module)
        key = pressed().lower()
        if key == "q":
            return
        if key == "t":
            seen = None
        elif key in ("h", "s"):
            _other("hint" if key == "h" else "status", module)
            _prompt(module)
        sleep(POLL_SECONDS)


def fingerprint(module: Module) -> tuple:
    """A value that changes when one of the module's two files is saved."""
    found = []
    for path in (module.notebook, module.script):
        with contextlib.suppress(OSError):
            stat = path.stat()
            found.append((path.name, stat.st_mtime_ns, stat.st_size))
    return tuple(found)


def _test(module: Module, part: str | None) -> None:
    from tito.commands.test import show
    from tito.run.student_tests import run_checks

    try:
        show(run_checks(module, part=part))
    except TitoError as problem:  # such as a syntax error: print it and wait for the next save
        console.say(f"{problem}\n")


def _other(verb: str, module: Module) -> None:
    from tito.cli import main

    words = [verb, module.number]
    if verb == "hint":
        from tito.progress import progress

        following = progress(module).next.split()
        words = following[1:] if following[1:2] == ["hint"] else words
    main(words)


def _prompt(module: Module) -> None:
    console.say(
        f"watching {module.name}"
        + ("   [t]est  [h]int  [s]tatus  [q]uit" if sys.stdin.isatty() else "")
    )


@contextlib.contextmanager
def _keyboard() -> Iterator[Callable[[], str]]:
    """A function that returns the key that was pressed, or "" at once when there was none. The
    terminal's settings are restored afterwards.
    """
    if sys.platform == "win32":
        import msvcrt

        yield lambda: msvcrt.getwch() if msvcrt.kbhit() else ""
        return
    import select
    import termios
    import tty

    before = termios.tcgetattr(sys.stdin)
    try:
        tty.setcbreak(sys.stdin)  # keys arrive without Enter; Ctrl-C still works
        yield lambda: sys.stdin.read(1) if select.select([sys.stdin], [], [], 0)[0] else ""
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)

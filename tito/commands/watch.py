"""A coach beside your editor: after each save, the first test that is red, and nothing else.

The exercise that you changed is tested first, the rest behind it. When it turns green, the coach
goes on to the next one. Keys: h next hint, n and p next and previous exercise, t test, q quit.
Without a terminal there are no keys, and Ctrl-C ends the command.
"""

from __future__ import annotations

import argparse
import contextlib
import shutil
import sys
import textwrap
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from tito import console
from tito.commands import _arguments
from tito.errors import TitoError
from tito.student_work.progress import Progress, Row
from tito.student_work.read_progress import progress
from tito.time_and_memory_limits import PART_SECONDS, WHOLE_SECONDS
from tito.workspace import Module, find_workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tito.run.student_tests import Check, SelfTest

POLL_SECONDS = 0.1
KEYS = "h hint   n next   p previous   t test   q quit"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    _arguments.take_module(parser)
    parser.add_argument("--once", action="store_true", help="end after the first run")


def run(args: argparse.Namespace) -> int:
    module = find_workspace().module(args.module)
    keys = sys.stdin.isatty() and sys.stdout.isatty()
    with (
        _keyboard() if keys else contextlib.nullcontext(lambda: "") as pressed,
        ThreadPoolExecutor(1) as pool,
    ):
        coach = Coach(module, pool)
        try:
            watch(coach, module, pressed=pressed, once=args.once)
        finally:
            coach.stop()
    return 0


class Coach:
    """What is shown, and what runs behind it."""

    def __init__(self, module: Module, pool: ThreadPoolExecutor):
        self.module, self.pool = module, pool
        self.checks: dict[str, Check] = {}  # the last result of each row
        self.sources: dict[str, str] = {}  # of the cells of each exercise
        self.at: str | None = None  # the exercise that was changed, or that n and p chose
        self.running: Future[SelfTest] | None = None
        self.testing: str | None = None  # the exercise that is tested before the rest
        self.waiting = False  # whether the rest is tested next

    def saved(self) -> None:
        """Test the exercise that was changed, and then the rest."""
        self.stop()
        try:
            changed = self._changed()
            self.at = changed.id if changed else self.at
            first = self._row(progress(self.module))
            number = first.number if first else None
            self._begin(number)
            if number:
                self.show()
        except TitoError as problem:  # such as half a save: print it and wait for the next one
            self._say([str(problem)])

    def finished(self) -> bool:
        """Whether tests have just ended; then their results are shown, and the rest begins."""
        if self.running is None or not self.running.done():
            return False
        ended, more = self.running, self.waiting
        self.running = self.testing = None
        try:
            self._take(ended.result())
            self.show()
        except TitoError as problem:
            self._say([str(problem)])
            return True
        if more:
            self._begin(None)
        return True

    def _begin(self, part: str | None) -> None:
        self.testing, self.waiting = part, part is not None
        self.running = self.pool.submit(self._test, part)

    def key(self, key: str) -> None:
        if key in ("n", "p"):
            self._move(1 if key == "n" else -1)
        self.show(hint=key == "h")  # its last line names the keys

    def show(self, hint: bool = False) -> None:
        """The place, the red block of its exercise, and the keys as the last lines."""
        from tito.commands.test import red_lines

        standing = progress(self.module)
        row = self._row(standing)
        if row is None:
            self._say([standing.words, standing.advice], standing=standing)
            return
        check = self._blocking() or self.checks.get(row.id)
        lines = red_lines(check) if check else [f"{row.label}: {row.state}"]
        self._say(lines, self._hint(row) if hint else [], standing)

    def _say(
        self, lines: list[str], last: Sequence[str] = (), standing: Progress | None = None
    ) -> None:
        """Clear the screen; then the place, as many lines as fit, the last lines, and the keys."""
        width, height = shutil.get_terminal_size()
        if sys.stdout.isatty():
            print("\x1b[2J\x1b[H", end="")
        testing = f" · testing {self.testing}" if self.testing else ""
        console.say(console.paint(self._place(standing or progress(self.module)) + testing, "bold"))
        end = _wrapped(last, width)
        keys = ["", *_wrapped([KEYS], width)] if sys.stdin.isatty() else []
        room = max(3, height - 2 - len(end) - len(keys))
        for line in _wrapped(lines, width)[:room] + end + keys:
            console.say(line)

    def _place(self, standing: Progress) -> str:
        row = self._row(standing)
        done = f"{len(standing.passing)} of {len(standing.exercises)}"
        return f"{done} · {row.short}" if row else done

    def _row(self, standing: Progress) -> Row | None:
        """The exercise that was changed or chosen, else the first that does not pass."""
        rows = standing.exercises
        chosen = next((row for row in rows if row.id == self.at), None)
        return chosen or next((row for row in rows if row.state != "passes"), None)

    def _move(self, by: int) -> None:
        standing = progress(self.module)
        rows, row = standing.exercises, self._row(standing)
        if rows:
            place = rows.index(row) + by if row else -1
            self.at = rows[max(0, min(place, len(rows) - 1))].id

    def _blocking(self) -> Check | None:
        """A cell that does not run: exercises may be red for its sake."""
        bad = (check for check in self.checks.values() if check.kind != "exercise")
        return next(bad, None)

    def _changed(self) -> Row | None:
        """The first exercise whose cells changed since the last save."""
        from tito.notebook.exercises import exercises
        from tito.notebook.pair import read_work

        now = {
            one.graded.name: "\0".join(cell.source for cell in one.cells)
            for one in exercises(read_work(self.module).cells)
            if one.graded and not one.is_question
        }
        before, self.sources = self.sources, now
        rows = progress(self.module).exercises
        return next((r for r in rows if before and now.get(r.id) != before.get(r.id)), None)

    def _test(self, part: str | None) -> SelfTest:
        from tito.run.student_tests import run_checks

        seconds = PART_SECONDS if part else WHOLE_SECONDS
        return run_checks(self.module, part=part, timeout_seconds=seconds)

    def _take(self, report: SelfTest) -> None:
        """Keep the results, and go on when the chosen exercise is green."""
        self.checks = {
            **{name: one for name, one in self.checks.items() if one.kind == "exercise"},
            **{check.id: check for check in report.checks},
        }
        if self.at and self.at in self.checks and self.checks[self.at].status == "pass":
            self.at = None

    def _hint(self, row: Row) -> list[str]:
        from tito.remembered_state import module_state, remember

        hints = self.module.hints.get(row.name, [])
        seen = module_state(self.module.state_dir, self.module.name).hints.get(row.name, 0)
        shown = min(seen + 1, len(hints))
        remember(self.module.state_dir, self.module.name, hints={row.name: shown})
        return ["", f"hint {shown} of {len(hints)}: {hints[shown - 1]}"] if hints else []

    def stop(self) -> None:
        """End the tests, and forget what they found: the code that they test is old."""
        from tito.remembered_state import module_state, remember
        from tito.run.runner import kill_all

        if self.running is None or self.running.done():
            return
        seen = module_state(self.module.state_dir, self.module.name).seen
        while not self.running.done():
            kill_all()
            time.sleep(0.02)
        self.running = None
        remember(self.module.state_dir, self.module.name, seen=seen)


def _wrapped(lines: Sequence[str], width: int) -> list[str]:
    whole = textwrap.TextWrapper(width - 1, subsequent_indent="    ", break_on_hyphens=False)
    parts = [part for text in lines for part in text.split("\n")]
    return [line for part in parts for line in whole.wrap(part) or [""]]


def watch(
    coach: Coach,
    module: Module,
    *,
    pressed: Callable[[], str] = lambda: "",
    once: bool = False,
) -> None:
    """Coach until q is pressed, or with `once` until the first tests have ended."""
    seen = None
    while True:
        now = fingerprint(module)
        if now != seen:
            seen = now  # taken before the run, so that a save during the run leads to another run
            coach.saved()
        coach.finished()
        if once and coach.running is None:
            return
        key = pressed().lower()
        if key == "q":
            return
        if key == "t":
            seen = None
        elif key:
            coach.key(key)
        time.sleep(POLL_SECONDS)


def fingerprint(module: Module) -> tuple:
    """A value that changes when one of the module's two files is saved."""
    files = []
    for path in (module.notebook, module.script):
        with contextlib.suppress(OSError):
            stat = path.stat()
            files.append((path.name, stat.st_mtime_ns, stat.st_size))
    return tuple(files)


@contextlib.contextmanager
def _keyboard() -> Iterator[Callable[[], str]]:
    """A function that returns the key that was pressed, or "" at once when there was none."""
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

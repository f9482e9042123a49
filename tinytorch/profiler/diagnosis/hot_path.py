"""Where a loader of any kind spends its time: every few milliseconds it is noted which functions
are at work in each thread of this process. No call is timed, so nothing need be known of the
loader.

A stack shows where a thread is, not whether it computes. Together with the processor time that the
process used, it does: a thread in a function that uses no processor waits; several threads in
Python functions that use one processor together wait for the interpreter's lock.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import linecache
import os
import sys
import sysconfig
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from tinytorch.profiler.diagnosis.advice_for_slow_calls import action_for, takes_a_lock
from tinytorch.profiler.recording.memory import resident_bytes

INTERVAL = 0.003  # seconds between two looks
# Seconds until a thread gives up the interpreter's lock for a look. With the usual 5 ms, nearly all
# looks would come where the loader gives it up by itself, as in NumPy's copies.
SWITCH = 1e-4
LEAST_LOOKS = 30  # with fewer, shares are no more than a guess
LONGEST = 5  # times the usual seconds
MOST_FRAMES = 80  # of a stack, from the innermost outward
HOT = 0.5  # a function on the hot path is in at least this share of the looks
# a thread whose innermost Python frame is in one of these waits for others
WAITING = tuple(
    name.replace("/", os.sep)
    for name in ("/threading.py", "/queue.py", "/selectors.py", "/multiprocessing/", "/concurrent/")
)
OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


@dataclasses.dataclass(frozen=True)
class HotPath:
    """What was seen of a loader that ran alone: what `Facts` says of it, and

    Attributes:
        crew: other threads that were at work at any time.
        foreign: whether one of them was started by a library, not by Python.
    """

    where: str = ""
    hot_share: float = 0.0
    action: str = ""
    stores: bool = False
    locked: bool = False
    hot_calls: float | None = None
    threads: float = 0.0
    cores: float = 0.0
    crew: int = 0
    foreign: bool = False


def hot_path(
    loader: Callable[[], Iterable], seconds: float, batches: int
) -> tuple[HotPath, list[int]]:
    """Look at epochs of `loader()` for about so many seconds, and then count calls in a few
    batches. Also return the memory of this process after each batch, in bytes.
    """
    held: list[int] = []
    with _Looks() as looks:
        while looks.wanted(seconds):
            for batch in loader():
                del batch
                looks.paused = True
                held.append(resident_bytes())
                looks.paused = False
                if not looks.wanted(seconds):
                    break
    seen = HotPath(cores=looks.cores, crew=len(looks.crew), foreign=looks.foreign)
    code = looks.hottest() if looks.count >= LEAST_LOOKS else None
    if code is None:
        return seen, held
    name = getattr(code, "co_qualname", code.co_name).replace("<locals>.", "")
    line, share, threads = looks.of(code)
    file = "a cell" if "ipykernel_" in code.co_filename else os.path.basename(code.co_filename)
    where = f"{name} ({file}, line {line})"
    calls = _calls_per_batch(loader(), code, batches) if batches else None
    text = linecache.getline(code.co_filename, line)
    action, stores = action_for(text, looks.below(code))
    seen = dataclasses.replace(seen, where=where, hot_share=share, action=action, stores=stores)
    seen = dataclasses.replace(seen, threads=threads, locked=looks.queue() >= 1)
    return dataclasses.replace(seen, hot_calls=calls), held


Stack = tuple[tuple[CodeType, int], ...]  # (function, its line) from the outermost inward


class _Looks:
    """A thread that looks at the other threads while the `with` block runs, but not while this
    thread is in the profiler itself.

    Attributes:
        stacks: the stacks of the threads that were at work at a look -> how many looks were so.
        count: the number of looks.
        cores, foreign: see `HotPath` and `Facts`.
        crew: the other threads that were at work.
        paused: set while the profiler reads a file: a read lets other threads run, so that most
            looks would meet it.
    """

    def __init__(self) -> None:
        self._main, self._done = threading.get_ident(), threading.Event()
        self.stacks: Counter[tuple[Stack, ...]] = Counter()
        self.cores = 0.0
        self.crew: set[int] = set()
        self.foreign = self.paused = False

    def wanted(self, seconds: float) -> bool:
        """Whether to go on: for so many seconds, and longer on a busy machine, where looks are
        rare.
        """
        passed = time.perf_counter() - self._began[0]
        return passed < seconds or (self.count < LEAST_LOOKS and passed < LONGEST * seconds)

    @property
    def count(self) -> int:
        return self.stacks.total()

    def __enter__(self) -> _Looks:
        self._switch = sys.getswitchinterval()
        sys.setswitchinterval(SWITCH)
        # Threads that are there already and do not move listen to something else, as a server does.
        self._still = {thread: _place(frame) for thread, frame in sys._current_frames().items()}
        self._began = time.perf_counter(), _used_and_queued()
        self._thread: Any = threading.Thread(target=self._look, daemon=True, name="profiler looks")
        try:
            self._thread.start()
        except RuntimeError:  # Python in a browser has one thread: nobody can look
            self._thread = None
        return self

    def __exit__(self, *_: Any) -> None:
        self._done.set()
        if self._thread is not None:
            self._thread.join()
        sys.setswitchinterval(self._switch)
        seconds = time.perf_counter() - self._began[0]
        self.cores = (_used_and_queued() - self._began[1]) / max(seconds, 1e-9)

    def _look(self) -> None:
        while not self._done.wait(INTERVAL):
            self._look_once()

    def _look_once(self) -> None:
        """A frame keeps its variables alive, so none is held until the next look."""
        # Python 3.11.7 was once seen to give a code object in the place of a frame
        frames = {
            thread: frame
            for thread, frame in sys._current_frames().items()
            if isinstance(frame, FrameType)
        }
        main = frames.get(self._main)
        if self.paused or main is None or main.f_code.co_filename.startswith(OURS):
            return
        del main, frames[threading.get_ident()]
        self._still = {
            thread: place
            for thread, place in self._still.items()
            if thread != self._main and thread in frames and _place(frames[thread]) == place
        }
        moving = [thread for thread in frames if thread not in self._still]
        stacks = {thread: tuple(_frames(frames[thread])) for thread in moving}
        frames.clear()
        # other threads without a function of the user are those of a kernel or a debugger
        at_work = {
            thread: stack
            for thread, stack in stacks.items()
            if stack
            and (thread == self._main or any(_is_own(code.co_filename) for code, _ in stack))
        }
        self.crew |= at_work.keys() - {self._main}
        self.foreign |= not at_work.keys() <= _started_here()
        self.stacks[tuple(at_work.values())] += 1

    def hottest(self) -> CodeType | None:
        """The innermost function of the user's code that is in at least `HOT` of the looks."""
        seen: Counter[CodeType] = Counter()
        depths: Counter[CodeType] = Counter()
        for look, count in self.stacks.items():
            depth = {code: level for stack in look for level, (code, _) in enumerate(stack)}
            for code, level in depth.items():
                if _is_own(code.co_filename):
                    seen[code] += count
                    depths[code] += count * level
        often = [code for code, count in seen.items() if count >= HOT * self.count]
        return max(often, key=lambda code: depths[code] / seen[code], default=None)

    def of(self, code: CodeType) -> tuple[int, float, float]:
        """(the line that was seen most, the share of the looks, the threads at a time) of a
        function.
        """
        lines: Counter[int] = Counter()
        looks = 0
        for look, count in self.stacks.items():
            at = [dict(stack)[code] for stack in look if code in dict(stack)]
            for line in at:
                lines[line] += count
            looks += count * bool(at)
        return lines.most_common(1)[0][0], looks / self.count, lines.total() / looks

    def queue(self) -> float:
        """How many threads at a time were at a line that takes a lock, on average."""
        at_a_lock = 0
        for look, count in self.stacks.items():
            for code, line in (stack[-1] for stack in look):
                text = linecache.getline(code.co_filename, line)
                at_a_lock += count * (_is_own(code.co_filename) and takes_a_lock(text))
        return at_a_lock / self.count

    def below(self, code: CodeType) -> list[str]:
        """The library functions that a function was seen in, in at least `HOT` of its looks."""
        seen: Counter[CodeType] = Counter()
        looks = 0
        for look, count in self.stacks.items():
            for stack in look:
                codes = [one for one, _ in stack]
                if code in codes:
                    looks += count
                    for one in set(codes[codes.index(code) + 1 :]):
                        seen[one] += count
        return [_library_name(one) for one, count in seen.items() if count >= HOT * looks]


def _place(frame: FrameType) -> tuple[int, int]:
    """Where a thread is: it is there still only if it has not gone on since."""
    return id(frame), frame.f_lasti


def _frames(frame: FrameType | None) -> Iterator[tuple[CodeType, int]]:
    """(function, line) from the outermost frame inward; of the thread that measures, what lies
    inside the profiler's loop. Empty for a thread that waits for others.
    """
    places: list[tuple[CodeType, int]] = []
    while frame is not None and len(places) < MOST_FRAMES:
        name = frame.f_code.co_filename
        if not places and any(part in name for part in WAITING):
            return
        if name.startswith(OURS):
            break
        # an instruction may belong to no line
        places.append((frame.f_code, frame.f_lineno or frame.f_code.co_firstlineno))
        frame = frame.f_back
    yield from reversed(places)


def _started_here() -> set[int | None]:
    """The threads that Python started; one that a library started has no more than a stand-in."""
    known = threading.enumerate()
    return {thread.ident for thread in known if type(thread).__name__ != "_DummyThread"}


def _library_name(code: CodeType) -> str:
    """Such as "pandas/core/indexing.py:__getitem__": three parts of a path tell the library."""
    path = code.co_filename.replace(os.sep, "/")
    _, inside, rest = path.partition("site-packages/")
    return f"{rest if inside else '/'.join(path.split('/')[-3:])}:{code.co_name}"


@functools.cache
def _is_own(name: str) -> bool:
    """Whether the functions of this file belong to no library."""
    return not name.startswith(("<", *_libraries())) and "site-packages" not in name


@functools.cache
def _libraries() -> tuple[str, ...]:
    """The folders of Python's library, and those into which packages were installed."""
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    installed = (path for path in sys.path if path and any(Path(path).glob("*.dist-info")))
    return tuple({sysconfig.get_paths()[name] for name in names} | set(installed))


def _used_and_queued() -> float:
    """Processor seconds of this process, and the seconds that its threads queued for a core (Linux
    only).
    """
    queued = 0
    for schedstat in Path("/proc/self/task").glob("*/schedstat"):
        with contextlib.suppress(OSError, IndexError):  # a thread that has just ended
            queued += int(schedstat.read_text(encoding="ascii").split()[1])
    return time.process_time() + queued / 1e9


def _calls_per_batch(loader: Iterable, code: CodeType, batches: int) -> float | None:
    """Calls of one function in the first batches. A generator is called when it goes on."""
    calls, taken = 0, 0

    def note(frame: FrameType, event: str, _: Any) -> None:
        nonlocal calls
        calls += event == "call" and frame.f_code is code

    before = sys.getprofile()
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        for _ in loader:
            taken += 1
            if taken >= batches:
                break
    finally:
        sys.setprofile(before)
        threading.setprofile(None)
    return calls / taken if calls and taken else None

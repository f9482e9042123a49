"""Everything that can go wrong with worker processes. Each is a program of its own:

    python tests/tinytorch/data/faults.py NAME fork

A fault is a function that gets the start method. When it prints "ready", the test does something to
the program from outside, such as sending a signal. When the program has ended, it must have left
nothing behind. `test_worker_faults.py` runs the programs.
"""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import itertools
import os
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve()
sys.path[:0] = [str(HERE.parents[3]), str(HERE.parents[2]), str(HERE.parent)]

import leak_watch  # noqa: E402

from helpers.patience import runs, until  # noqa: E402
from tinytorch.data.workers import WorkerDied, WorkerPool  # noqa: E402

# What the workers do: make batches, until something goes wrong


def batch(task: int) -> tuple[np.ndarray, int]:
    return np.full((64, 1024), task % 256, np.uint8), task


def batch_or(trouble: Callable[[], None], at: int = 5) -> Callable[[int], object]:
    """Work that makes a batch, but calls the trouble at one task."""
    return partial(_batch_or, trouble, at)


def _batch_or(trouble: Callable[[], None], at: int, task: int) -> object:
    return (task == at and trouble()) or batch(task)


def key_error() -> None:
    raise KeyError("sample 5 is missing")


def system_exit() -> None:
    sys.exit(7)


def killed() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def segfault() -> None:
    faulthandler.disable()
    ctypes.string_at(0)


def sleep_for_ever() -> None:
    time.sleep(10_000)


def hold_the_interpreter() -> None:
    """Stop all other threads of this process, even the one that notices that the main process has
    ended.
    """
    sum(itertools.repeat(0))


def held_by_a_child_of_its_own() -> None:
    """The worker is killed, but a process that it had forked keeps all its pipes open."""
    if os.fork() == 0:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.closerange(0, 3)
        sleep_for_ever()
    killed()


def failing_init(info):
    raise KeyError("no data here")


# The faults


@dataclass(frozen=True)
class Fault:
    """What happens inside a program, what is done to it from outside, and how it must end."""

    inside: Callable[[str], None]
    outside: Callable[[subprocess.Popen], None] | None = None
    code: int = 0


FAULTS: dict[str, Fault] = {}


def fault(outside: Callable[[subprocess.Popen], None] | None = None, code: int = 0):
    """Put the function into FAULTS under its name."""

    def keep(inside: Callable[[str], None]) -> Callable[[str], None]:
        FAULTS[inside.__name__] = Fault(inside, outside, code)
        return inside

    return keep


def first_batches(pool: WorkerPool, count: int = 3) -> list:
    return list(itertools.islice(pool.run(range(1000)), count))


@contextlib.contextmanager
def raising(error: type[BaseException], words: str) -> Iterator[None]:
    try:
        yield
    except error as raised:
        assert words in str(raised), str(raised)
        return
    raise AssertionError(f"{error.__name__} was not raised")


def raises(error: type[BaseException], words: str, results: Iterable) -> None:
    with raising(error, words):
        list(results)


# Two workers do the work until task 5 makes this trouble, and the loop over what they give ends
# with the error: trouble, error, words, number of tasks.
BREAKS = {
    "error_in_a_worker": (key_error, KeyError, "sample 5 is missing", 1000),
    # no further result arrives that could wake the main process
    "error_in_the_last_task": (key_error, KeyError, "sample 5 is missing", 6),
    "exit_in_a_worker": (system_exit, SystemExit, "7", 1000),
    "worker_killed_in_a_task": (killed, WorkerDied, "SIGKILL", 1000),
    "segmentation_fault_in_a_worker": (segfault, WorkerDied, "SIGSEGV", 1000),
}


def breaks(name: str, method: str) -> None:
    trouble, error, words, tasks = BREAKS[name]
    with WorkerPool(batch_or(trouble), 2, start_method=method) as pool:
        raises(error, words, pool.run(range(tasks)))


FAULTS.update({name: Fault(partial(breaks, name)) for name in BREAKS})


@fault()
def closed_while_a_worker_is_stuck_in_compiled_code(method):
    pool = WorkerPool(batch_or(hold_the_interpreter, at=4), 2, start_method=method)
    first_batches(pool)
    pool.close()


@fault()
def failed_worker_init(method):
    with WorkerPool(batch, 2, start_method=method, worker_init=failing_init) as pool:
        raises(KeyError, "no data here", pool.run(range(1000)))
        assert not pool.usable


@fault()
def iterator_left_half_way(method):
    for _ in WorkerPool(batch, 2, start_method=method).run(range(1000)):
        break


@fault()
def two_pools_at_once(method):
    """Neither pool holds the pipes of the other: the first can be closed while the second, which
    was started later, goes on.
    """
    first, second = (WorkerPool(batch, 2, start_method=method) for _ in range(2))
    first_batches(second)
    pids = first.pids
    for worker in first._crew.workers:
        worker.connection.close()
    assert until(lambda: not any(map(runs, pids))), "they wait"
    assert len(first_batches(second)) == 3
    second.close()
    first.close()


@fault()
def killed_worker_whose_child_holds_its_pipe(method):
    before = leak_watch.session(os.getpid())  # with spawn, multiprocessing's resource tracker too
    with WorkerPool(batch_or(held_by_a_child_of_its_own), 1, start_method=method) as pool:
        raises(WorkerDied, "SIGKILL", pool.run(range(1000)))
    # the dataset made the orphan, so the test ends it here
    for pid in leak_watch.session(os.getpid()) - before:
        os.kill(pid, signal.SIGKILL)


@fault()
def program_forks_itself(method):
    """The forked copy ends like any program; it neither ends the workers nor keeps them alive."""
    with WorkerPool(batch, 2, start_method=method) as pool:
        results = pool.run(range(1000))
        next(results)
        with warnings.catch_warnings():
            # Python 3.12 warns about a fork while threads of linear algebra run
            warnings.simplefilter("ignore", DeprecationWarning)
            pid = os.fork()
        if pid == 0:
            try:
                assert not pool.usable
                raises(RuntimeError, "forked", results)
                sys.exit(0)  # a normal exit, which runs all exit handlers
            except AssertionError:
                os._exit(1)
        _, status = os.waitpid(pid, 0)
        assert status == 0
        assert sum(1 for _ in results) == 999


# Signals from outside


def interrupt_the_group(program: subprocess.Popen) -> None:
    os.killpg(program.pid, signal.SIGINT)


@fault(interrupt_the_group)
def ctrl_c_while_workers_are_slow(method):
    """The main process waits inside a system call, which the signal may not interrupt."""
    with (
        raising(KeyboardInterrupt, ""),
        WorkerPool(batch_or(sleep_for_ever), 2, start_method=method) as pool,
    ):
        for number, _ in pool.run(range(6)):
            if number == 4:
                print("ready", flush=True)


@fault(interrupt_the_group, code=-signal.SIGINT)
def ctrl_c_ends_the_program(method):
    pool = WorkerPool(batch, 2, start_method=method)
    for number, _ in pool.run(itertools.count()):
        if number == 20:
            print("ready", flush=True)


@fault(subprocess.Popen.kill, code=-signal.SIGKILL)
def program_killed(method):
    pool = WorkerPool(batch_or(sleep_for_ever), 3, start_method=method)
    other = WorkerPool(batch, 2, start_method=method)
    first_batches(pool), first_batches(other)
    print("ready", flush=True)
    sleep_for_ever()


FAULTS["program_ended"] = Fault(program_killed, subprocess.Popen.terminate, -signal.SIGTERM)


@fault(code=5)
def program_leaves_without_closing(method):
    global kept
    kept = WorkerPool(batch_or(sleep_for_ever, at=4), 2, start_method=method)
    first_batches(kept)
    sys.exit(5)


def inside(name: str, method: str) -> None:
    """The main function of the program: run the fault, then check what it left behind."""
    # a shell that starts this program in the background makes it ignore Ctrl-C
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with WorkerPool(batch, 1, start_method=method) as pool:
        # what the first pool loads and keeps open is not a leak
        first_batches(pool)
    with leak_watch.nothing_left():
        FAULTS[name].inside(method)
    print("clean", flush=True)


if __name__ == "__main__":
    inside(*sys.argv[1:])

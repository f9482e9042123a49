"""Everything that can go wrong with worker processes, each in a program of its own, which must end and leave nothing.

    python tests/tinytorch/data/fault_rounds.py --rounds 50 --method fork [--only WORD]

The suite runs each once (test_worker_faults.py). A fault is a function that is called in a fresh program with the start method; when
it prints "ready", something may be done to the program from outside.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import itertools
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

import leak_watch  # noqa: E402
import numpy as np  # noqa: E402

from tinytorch.data.workers import WorkerDied, WorkerError, WorkerPool  # noqa: E402

FAULTS: dict[str, Fault] = {}


@dataclass(frozen=True)
class Fault:
    """What is done inside a program, and to it; and how the program must end."""

    inside: Callable[[str], None]
    outside: Callable[[subprocess.Popen], None] | None
    code: int


def fault(outside: Callable[[subprocess.Popen], None] | None = None, code: int = 0):
    """Put the function into FAULTS under its name."""
    def keep(inside: Callable[[str], None]) -> Callable[[str], None]:
        FAULTS[inside.__name__] = Fault(inside, outside, code)
        return inside
    return keep


# What workers do

def batch(task: int) -> tuple[np.ndarray, int]:
    return np.full((64, 1024), task % 256, np.uint8), task


def batch_or(trouble: Callable[[], None], at: int = 5) -> Callable[[int], object]:
    return _Trouble(trouble, at)


class _Trouble:
    """A batch, but trouble at one task. A class, for spawn cannot pickle a function inside a function."""

    def __init__(self, trouble: Callable[[], None], at: int):
        self.trouble, self.at = trouble, at

    def __call__(self, task: int) -> object:
        return (task == self.at and self.trouble()) or batch(task)


def key_error() -> None:
    raise KeyError("sample 5 is missing")


def system_exit() -> None:
    sys.exit(7)


def killed() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def exit_at_once() -> None:
    os._exit(3)


def segfault() -> None:
    import faulthandler

    faulthandler.disable()
    ctypes.string_at(0)


def sleep_for_ever() -> None:
    time.sleep(10_000)


def hold_the_interpreter() -> None:
    """No other thread of this process runs any more, the one that notices that the main process has left included."""
    sum(itertools.repeat(0))


def stopped() -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


def held_by_a_child_of_its_own() -> None:
    """The worker is killed, but a process that it had forked keeps all its pipes open."""
    if os.fork() == 0:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.closerange(0, 3)
        time.sleep(10_000)
        os._exit(0)
    killed()


class NotPickled(Exception):
    def __init__(self, one, two):
        super().__init__(f"{one} and {two}")


def odd_exception() -> None:
    raise NotPickled(1, 2)


def unpicklable() -> object:
    return lambda: None


def first_batches(pool: WorkerPool, count: int = 3) -> list:
    return list(itertools.islice(pool.run(range(1000)), count))


def expect(error: type[BaseException], words: str, pool: WorkerPool, tasks: object = range(1000)) -> None:
    try:
        for _ in pool.run(tasks):
            pass
    except error as raised:
        assert words in str(raised), str(raised)
    else:
        raise AssertionError(f"{error.__name__} was not raised")


def say_ready() -> None:
    print("ready", flush=True)


# The faults

@fault()
def success(method):
    with WorkerPool(batch, 2, start_method=method) as pool:
        assert sorted(number for number, _ in pool.run(range(40))) == list(range(40))


@fault()
def error_in_a_worker(method):
    with WorkerPool(batch_or(key_error), 2, start_method=method) as pool:
        expect(KeyError, "sample 5 is missing", pool)


@fault()
def error_in_the_last_task(method):
    """No result follows that could wake the main process."""
    with WorkerPool(batch_or(key_error), 2, start_method=method) as pool:
        expect(KeyError, "sample 5 is missing", pool, range(6))


@fault()
def error_in_the_stream(method):
    def numbers():
        yield from range(7)
        raise OSError("the stream broke")
    with WorkerPool(batch, 2, start_method=method) as pool:
        expect(OSError, "the stream broke", pool, numbers())


@fault()
def error_in_the_loop_over_batches(method):
    with contextlib.suppress(ZeroDivisionError):
        for _ in WorkerPool(batch, 2, start_method=method).run(range(1000)):
            1 / 0


@fault()
def exception_that_cannot_cross(method):
    with WorkerPool(batch_or(odd_exception), 2, start_method=method) as pool:
        expect(WorkerError, "NotPickled: 1 and 2", pool)


@fault()
def batch_that_cannot_cross(method):
    import pickle

    with WorkerPool(batch_or(unpicklable), 2, start_method=method) as pool:
        expect(pickle.PicklingError, "cannot leave its worker", pool)


@fault()
def exit_in_a_worker(method):
    with WorkerPool(batch_or(system_exit), 2, start_method=method) as pool:
        expect(SystemExit, "7", pool)


@fault()
def failed_worker_init(method):
    with WorkerPool(batch, 2, start_method=method, worker_init=failing_init) as pool:
        expect(KeyError, "no data here", pool)
        assert not pool.usable


def failing_init(info):
    raise KeyError("no data here")


@fault()
def iterator_left_half_way(method):
    for _ in WorkerPool(batch, 2, start_method=method).run(range(1000)):
        break


@fault()
def iterator_deleted_half_way(method):
    results = WorkerPool(batch, 2, start_method=method).run(itertools.count())
    next(results)
    del results


@fault()
def closed_half_way_in_a_long_task(method):
    pool = WorkerPool(batch_or(sleep_for_ever, at=4), 2, start_method=method)
    first_batches(pool)
    pool.close()


@fault()
def closed_while_a_worker_is_stuck_in_compiled_code(method):
    pool = WorkerPool(batch_or(hold_the_interpreter, at=4), 2, start_method=method)
    first_batches(pool)
    pool.close()


@fault()
def closed_while_a_worker_is_stopped(method):
    pool = WorkerPool(batch_or(stopped, at=4), 2, start_method=method)
    first_batches(pool)
    pool.close()


@fault()
def worker_killed_in_a_task(method):
    with WorkerPool(batch_or(killed), 2, start_method=method) as pool:
        expect(WorkerDied, "SIGKILL", pool)


@fault()
def idle_worker_killed(method):
    with WorkerPool(batch, 2, start_method=method) as pool:
        results = pool.run(range(1000))
        next(results)
        os.kill(pool.pids[0], signal.SIGKILL)
        try:
            for _ in results:
                pass
        except WorkerDied as error:
            assert "SIGKILL" in str(error)
        else:
            raise AssertionError("the death went unnoticed")


@fault()
def all_workers_killed_between_two_epochs(method):
    with WorkerPool(batch, 2, start_method=method) as pool:
        list(pool.run(range(4)))
        for pid in pool.pids:
            os.kill(pid, signal.SIGKILL)
        expect(WorkerDied, "SIGKILL", pool)


@fault()
def worker_leaves_by_itself(method):
    with WorkerPool(batch_or(exit_at_once), 2, start_method=method) as pool:
        expect(WorkerDied, "exit code 3", pool)


@fault()
def segmentation_fault_in_a_worker(method):
    with WorkerPool(batch_or(segfault), 2, start_method=method) as pool:
        expect(WorkerDied, "SIGSEGV", pool)


@fault()
def killed_worker_whose_child_holds_its_pipe(method):
    with WorkerPool(batch_or(held_by_a_child_of_its_own), 1, start_method=method) as pool:
        expect(WorkerDied, "SIGKILL", pool)
    for pid in leak_watch.session(os.getpid()):   # the orphan is the dataset's doing: it is ended here
        if pid != os.getpid() and "fault_rounds" in _command(pid):
            os.kill(pid, signal.SIGKILL)


def _command(pid: int) -> str:
    with contextlib.suppress(OSError):
        words = Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8", errors="replace")
        return words if "resource_tracker" not in words else ""
    return ""


@fault()
def timeout(method):
    with WorkerPool(batch_or(sleep_for_ever), 2, start_method=method, timeout=1) as pool:
        expect(TimeoutError, "timeout=1", pool)
        assert not pool.usable


@fault()
def two_pools_at_once(method):
    """Neither holds the other's pipes: the first is closed while the second, which was started later, goes on."""
    first, second = WorkerPool(batch, 2, start_method=method), WorkerPool(batch, 2, start_method=method)
    first_batches(second)
    pids = first.pids
    for worker in first._crew.workers:
        worker.connection.close()
    assert leak_watch.wait_until(lambda: not any(map(leak_watch.alive, pids))), "workers did not see the end of their pipe"
    assert len(first_batches(second)) == 3
    second.close()
    first.close()


@fault()
def program_forks_itself(method):
    """The copy ends like any program, and neither ends the workers nor keeps them."""
    with WorkerPool(batch, 2, start_method=method) as pool:
        results = pool.run(range(1000))
        next(results)
        pid = os.fork()
        if pid == 0:
            try:
                assert not pool.usable
                try:
                    next(results)
                except RuntimeError as error:
                    assert "forked" in str(error)
                else:
                    os._exit(1)
                sys.exit(0)   # with all that happens at an exit
            except AssertionError:
                os._exit(1)
        _, status = os.waitpid(pid, 0)
        assert status == 0
        assert sum(1 for _ in results) == 999


# Signals from outside

def interrupt_the_group(program: subprocess.Popen) -> None:
    os.killpg(program.pid, signal.SIGINT)


def kill_the_program(program: subprocess.Popen) -> None:
    os.kill(program.pid, signal.SIGKILL)


def end_the_program(program: subprocess.Popen) -> None:
    os.kill(program.pid, signal.SIGTERM)


@fault(interrupt_the_group)
def ctrl_c_while_batches_come(method):
    try:
        for number, _ in WorkerPool(batch, 2, start_method=method).run(itertools.count()):
            if number == 20:
                say_ready()
    except KeyboardInterrupt:
        return
    raise AssertionError("no KeyboardInterrupt")


@fault(interrupt_the_group)
def ctrl_c_while_workers_are_slow(method):
    """The main process waits inside a system call, which the signal may not wake."""
    try:
        with WorkerPool(batch_or(sleep_for_ever), 2, start_method=method) as pool:
            for number, _ in pool.run(range(6)):
                if number == 4:
                    say_ready()
    except KeyboardInterrupt:
        return
    raise AssertionError("no KeyboardInterrupt")


@fault(interrupt_the_group)
def ctrl_c_while_workers_start(method):
    say_ready()
    try:
        for _ in range(10_000):
            WorkerPool(batch, 4, start_method=method).close()
    except KeyboardInterrupt:
        return
    raise AssertionError("no KeyboardInterrupt")


@fault(interrupt_the_group, code=-signal.SIGINT)
def ctrl_c_ends_the_program(method):
    pool = WorkerPool(batch, 2, start_method=method)
    for number, _ in pool.run(itertools.count()):
        if number == 20:
            say_ready()


@fault(kill_the_program, code=-signal.SIGKILL)
def program_killed(method):
    pool = WorkerPool(batch_or(sleep_for_ever), 3, start_method=method)
    other = WorkerPool(batch, 2, start_method=method)
    first_batches(pool), first_batches(other)
    say_ready()
    sleep_for_ever()


@fault(kill_the_program, code=-signal.SIGKILL)
def program_killed_while_workers_start(method):
    say_ready()
    while True:
        WorkerPool(batch, 4, start_method=method).close()


@fault(end_the_program, code=-signal.SIGTERM)
def program_ended(method):
    pool = WorkerPool(batch, 2, start_method=method)
    first_batches(pool)
    say_ready()
    sleep_for_ever()


@fault(code=5)
def program_leaves_without_closing(method):
    global kept
    kept = WorkerPool(batch_or(sleep_for_ever, at=4), 2, start_method=method)
    first_batches(kept)
    sys.exit(5)


# Running them

def inside(name: str, method: str) -> None:
    """Be the program: the fault, then a look at what it left."""
    signal.signal(signal.SIGINT, signal.default_int_handler)   # a shell that starts this in the background has it ignored
    with WorkerPool(batch, 1, start_method=method) as pool:   # what the first pool loads and opens for good is no leak
        first_batches(pool)
    with leak_watch.nothing_left():
        FAULTS[name].inside(method)
    print("clean", flush=True)


def run(name: str, method: str) -> str | None:
    """Run the fault in a program of its own. None if all went well, else what went wrong."""
    chosen, names = FAULTS[name], leak_watch.named_memory()
    program = subprocess.Popen([sys.executable, "-X", "faulthandler", __file__, "--inside", name, "--method", method], stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8", start_new_session=True)
    said = ""
    try:
        if chosen.outside is not None:
            said = program.stdout.readline()
            if said == "ready\n":
                chosen.outside(program)
        out, err = program.communicate(timeout=leak_watch.GUARD_SECONDS)
        left = [] if leak_watch.wait_until(lambda: not leak_watch.session(program.pid)) else leak_watch.session(program.pid)
    except subprocess.TimeoutExpired:
        return f"hangs; its processes are {leak_watch.session(program.pid)}"
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(program.pid, signal.SIGKILL)
        program.kill()
        program.communicate()
    if left:
        return f"left processes {left}"
    if program.returncode != chosen.code or chosen.code == 0 and not out.endswith("clean\n"):
        return f"ended with {program.returncode}, not {chosen.code}:\n{said}{out}{err}"
    if chosen.code == 0 and err:
        return f"wrote to stderr:\n{err}"
    if not leak_watch.wait_until(lambda: not leak_watch.named_memory() - names):
        return f"left in /dev/shm: {sorted(leak_watch.named_memory() - names)}"
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--method", choices=("fork", "spawn"), default="fork")
    parser.add_argument("--only", default="", help="faults with this word in their name")
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.inside:
        inside(args.inside, args.method)
        return 0
    names = [name for name in FAULTS if args.only in name]
    failed: Counter[str] = Counter()
    for number, name in itertools.product(range(args.rounds), names):
        problem = run(name, args.method)
        if problem:
            failed[name] += 1
            print(f"round {number + 1}, {name}: {problem}", flush=True)
    print(f"{args.method}: {len(names)} faults, {args.rounds} rounds, {sum(failed.values())} failures {dict(failed) if failed else ''}")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())

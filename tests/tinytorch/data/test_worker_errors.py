"""What a program sees when its worker processes fail: errors with their own type and traceback, the
worker that died and its task, and a sentence for everything else.
"""

from __future__ import annotations

import copyreg
import multiprocessing
import os
import pickle
import signal
import threading
import time
import traceback

import numpy as np
import pytest
from peers_kit import each_method, needs_fork, needs_slots, same

from helpers.patience import runs, until
from tinytorch.data import shared_memory
from tinytorch.data.start_processes_quietly import quiet_start
from tinytorch.data.worker_errors import pack_error, unpack_error
from tinytorch.data.workers import WorkerDied, WorkerError, WorkerPool, WorkerTraceback


def raises(error, says, pool, tasks):
    with pytest.raises(error, match=says) as raised:
        list(pool.run(tasks))
    return raised.value


def five_fails(task):
    if task == 5:
        raise KeyError("sample 5 is missing")
    return task


@each_method
def test_a_workers_error_is_raised_as_it_was_after_all_results_before_it(method):
    def stream():
        yield from range(5)
        raise OSError("the stream broke")

    with WorkerPool(five_fails, 2, start_method=method) as pool:
        seen = []
        with pytest.raises(KeyError) as raised:
            for number, _ in pool.run(range(1000)):
                seen.append(number)
        assert set(range(5)) <= set(seen) and 5 not in seen
        assert raised.value.args == ("sample 5 is missing",)
        cause = raised.value.__cause__
        assert isinstance(cause, WorkerTraceback) and "worker_process.py" not in str(cause)
        assert any(f"pid {pid}" in str(cause) for pid in pool.pids)
        assert "in five_fails" in "".join(traceback.format_exception(raised.value))
        seen.clear()
        with pytest.raises(OSError, match="the stream broke"):
            seen.extend(number for number, _ in pool.run(stream()))
        assert sorted(seen) == list(range(5)), "the pool goes on"


@needs_fork
@pytest.mark.parametrize("first, second", [(1, 2), (2, 1)])
def test_of_two_errors_the_earlier_task_s_is_raised_whichever_came_first(tmp_path, first, second):
    """Task 0 ends last, so both errors have to wait for its result."""

    def fails(task):
        before = {first: None, second: first, 0: second}[task]
        assert before is None or until((tmp_path / str(before)).exists)
        (tmp_path / str(task)).touch()
        if task:
            raise ValueError(f"task {task} failed")
        # time for both errors to arrive; if it is too short, the test shows nothing
        return until(lambda: False, 0.2)

    with WorkerPool(fails, 3, prefetch=1, start_method="fork") as pool:
        raises(ValueError, "task 1 failed", pool, range(3))


class TwoWords(Exception):
    """Pickle calls the class with the arguments in `args`, which are one too few."""

    def __init__(self, one, two):
        super().__init__(f"{one} and {two}")


@pytest.mark.parametrize(
    "error, summary",
    [
        (TwoWords("bread", "butter"), "TwoWords: bread and butter"),
        (ValueError(lambda: None), "ValueError: <function"),
    ],
)
def test_an_exception_that_cannot_cross_is_told_in_words(error, summary, monkeypatch):
    # if another test has imported dask, pickle can handle every exception class that exists
    monkeypatch.delitem(copyreg.dispatch_table, type(error), raising=False)
    back = unpack_error(pack_error(error, 0, 99))
    assert type(back) is WorkerError and "pid 99" in str(back.__cause__)
    assert summary in str(back) and "cannot cross" in str(back)
    back = unpack_error(pack_error(OSError(2, "No such file", "a.png"), 0, 99))
    assert type(back) is FileNotFoundError and back.filename == "a.png"


# task, work, error, what it says
SENTENCES = [
    (lambda: None, same, pickle.PicklingError, "task 0 cannot be pickled, so it cannot go to a"),
    (0, lambda task: threading.Lock(), pickle.PicklingError, "use num_workers=0"),
    (0, lambda task: next(iter([])), RuntimeError, "task 0 raised StopIteration"),
    (0, lambda task: WorkerPool(same, 1), RuntimeError, "use num_workers=0 inside"),
]


@needs_fork
@pytest.mark.parametrize("task, work, error, says", SENTENCES)
def test_what_cannot_be_is_said_in_a_sentence(task, work, error, says):
    with WorkerPool(work, 1, start_method="fork") as pool:
        raises(error, says, pool, [task])


@needs_fork
def test_the_death_of_a_worker_names_its_signal_its_process_and_its_task():
    def third_kills(task):
        if task == 3:
            os.kill(os.getpid(), 9)
        return task

    with WorkerPool(third_kills, 1, prefetch=1, start_method="fork") as pool:
        (pid,) = pool.pids
        says = rf"worker 0 of 1 \(pid {pid}\) was killed by signal 9 \(SIGKILL\).*task 3"
        assert raises(WorkerDied, says, pool, range(10)).__suppress_context__
        assert not pool.usable and not runs(pid)
        raises(RuntimeError, "make a new pool", pool, [1])


@needs_fork
@needs_slots
def test_too_little_memory_for_a_batch_is_an_error_with_a_sentence(monkeypatch):
    def no_space(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shared_memory, "_grow", no_space)
    sentence = "no memory for the batch of task 0.*use smaller batches or fewer workers"
    with WorkerPool(np.arange, 1, start_method="fork") as pool:
        raises(WorkerError, sentence, pool, [9])


@needs_fork
def test_a_worker_that_takes_too_long_is_named_and_the_pool_is_closed():
    with WorkerPool(lambda task: time.sleep(10_000), 1, timeout=0.2, start_method="fork") as pool:
        (pid,) = pool.pids
        says = rf"timeout=0.2 seconds; worker 0 \(pid {pid}\) has task 0\. Give them"
        raises(TimeoutError, says, pool, [0, 1])
        assert not pool.usable and until(lambda: not runs(pid))


@needs_fork
def test_a_ctrl_c_while_a_worker_starts_comes_when_it_has_started():
    """The signal waits, whichever thread receives it: an interrupted start would leave a process
    that nobody ends.
    """
    reached, threads = [], os.environ.get("OMP_NUM_THREADS")
    interrupts = (
        # what Python calls in the main thread
        lambda: signal.getsignal(signal.SIGINT)(signal.SIGINT, None),
        # not os.kill, whose signal another thread might receive, at any later moment
        lambda: signal.pthread_kill(threading.get_ident(), signal.SIGINT),
    )
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        for interrupt in interrupts:
            with pytest.raises(KeyboardInterrupt), quiet_start():
                interrupt()
                reached.append("the end")
        assert reached == ["the end"] * 2
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        assert os.environ.get("OMP_NUM_THREADS") == threads
        assert not signal.pthread_sigmask(signal.SIG_BLOCK, ())
    finally:
        signal.signal(signal.SIGINT, before)


class Locked:
    """Work that holds a lock of multiprocessing."""

    def __init__(self, context):
        self.lock = context.Lock()

    def __call__(self, task):
        with self.lock:
            return task


@each_method
def test_workers_inherit_a_lock_of_their_start_method_alone(method):
    work = Locked(multiprocessing.get_context(method))
    with WorkerPool(work, 2, start_method=method) as pool:
        assert sorted(result for _, result in pool.run(range(4))) == list(range(4))
    if method != "spawn":
        with pytest.raises(pickle.PicklingError, match=r"get_context\('spawn'\)"):
            WorkerPool(work, 1, start_method="spawn")

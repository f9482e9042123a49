"""The pool of worker processes: the results, their order, and the messages of errors. Faults of
processes are in test_worker_faults.py.
"""

from __future__ import annotations

import ctypes
import itertools
import multiprocessing.util
import os
import pickle
import random
import sys
from collections import namedtuple
from pathlib import Path

import numpy as np
import pytest

from tinytorch.core.tensor import Tensor
from tinytorch.data import shared
from tinytorch.data.shared import Slot, pack, unpack
from tinytorch.data.worker_crew import _pickled
from tinytorch.data.workers import WorkerPool, worker_info

sys.path.insert(0, str(Path(__file__).parent))

from leak_watch import GUARD_SECONDS, nothing_left, wait_until

METHODS = ["spawn"] if sys.platform == "win32" else ["fork", "spawn"]
needs_fork = pytest.mark.skipif(
    not hasattr(os, "fork"), reason="this system has no fork, and what is tested is in memory only"
)
needs_proc = pytest.mark.skipif(
    not Path("/proc/self/fd").is_dir(),
    reason="what a process holds is read from /proc, which this system has not",
)
needs_slots = pytest.mark.skipif(
    not shared.available, reason="arrays go through the pipe on this system"
)
Pair = namedtuple("Pair", "image label")


class Labelled(Tensor):
    """A subclass of Tensor."""


def rich(task):
    """A batch with every kind of part, among them a large one and an empty one."""
    image = np.full((64, 1024), task, np.uint8)
    return {
        "pair": Pair(Labelled(image), [task, (str(task), None)]),
        "empty": np.empty((0, 3)),
        "turned": np.arange(6.0).reshape(2, 3).T,
        "steps": np.arange(10)[::3],
        "raw": b"bytes",
    }


def same(task):
    return task


def in_order(pairs):
    return [result for _, result in sorted(pairs)]


# Results


@pytest.mark.parametrize("shared_memory", [True, False])
@pytest.mark.parametrize("method", METHODS)
def test_a_result_arrives_with_its_types_its_nesting_and_its_values(method, shared_memory):
    with WorkerPool(rich, 1, start_method=method, shared_memory=shared_memory) as pool:
        ((number, batch),) = pool.run([7])
    assert (
        number == 0
        and type(batch) is dict
        and type(batch["pair"]) is Pair
        and type(batch["pair"].image) is Labelled
    )
    assert (
        batch["pair"].image.dtype == np.uint8
        and batch["pair"].image.shape == (64, 1024)
        and np.all(batch["pair"].image.data == 7)
    )
    assert (
        batch["pair"].label == [7, ("7", None)]
        and batch["empty"].shape == (0, 3)
        and batch["raw"] == b"bytes"
    )
    assert np.array_equal(batch["turned"], np.arange(6.0).reshape(2, 3).T) and batch[
        "steps"
    ].tolist() == [0, 3, 6, 9]


@pytest.mark.parametrize("shared_memory", [True, False])
def test_batches_that_are_kept_stay_as_they_are_and_may_be_written_to(shared_memory):
    def grows(task):
        return np.full(1000 * (task + 1), task)

    with WorkerPool(grows, 2, start_method=METHODS[0], shared_memory=shared_memory) as pool:
        kept = in_order(pool.run(range(30)))
        for batch in kept:
            batch += 1
        again = in_order(pool.run(range(30)))
    assert all(
        len(batch) == 1000 * (task + 1) and np.all(batch == task + 1)
        for task, batch in enumerate(kept)
    )
    assert all(np.all(batch == task) for task, batch in enumerate(again))


@pytest.mark.parametrize("num_workers, prefetch", [(1, 1), (1, 3), (3, 1), (3, 2)])
def test_every_task_is_answered_once_whatever_the_number_of_workers(num_workers, prefetch):
    with WorkerPool(same, num_workers, prefetch=prefetch, start_method=METHODS[0]) as pool:
        assert sorted(pool.run(range(50))) == [(number, number) for number in range(50)]
        assert list(pool.run([])) == []


@needs_fork
def test_several_workers_share_the_tasks():
    """Each worker waits at its first task until the other one has begun one too."""
    barrier = multiprocessing.get_context("fork").Barrier(3)

    def meet(task):
        if task < 3:
            barrier.wait(GUARD_SECONDS)
        return os.getpid()

    with WorkerPool(meet, 3, prefetch=1, start_method="fork") as pool:
        assert {pid for _, pid in pool.run(range(3))} == set(
            pool.pids
        ) and os.getpid() not in pool.pids


@needs_fork
def test_large_tasks_and_large_results_do_not_wait_for_each_other():
    """A megabyte in each direction, more than a pipe holds: the two sides must not block each
    other.
    """
    with WorkerPool(
        lambda task: task + b"!", 2, prefetch=4, start_method="fork", shared_memory=False
    ) as pool:
        assert [len(result) for _, result in pool.run([b"x" * 2**20] * 20)] == [2**20 + 1] * 20


# How far ahead


def taken(num_workers, prefetch, steps):
    """The number of tasks taken from a stream after each of `steps` results."""
    count = itertools.count(1)
    seen = [0]

    def stream():
        for number in itertools.count():
            seen[0] = next(count)
            yield number

    with WorkerPool(same, num_workers, prefetch=prefetch, start_method=METHODS[0]) as pool:
        results = pool.run(stream())
        return [(next(results), seen[0])[1] for _ in range(steps)]


@pytest.mark.parametrize("num_workers, prefetch", [(1, 1), (2, 1), (2, 3)])
def test_tasks_are_taken_only_so_far_ahead(num_workers, prefetch):
    for given, count in enumerate(taken(num_workers, prefetch, 8), start=1):
        assert count <= given + num_workers * prefetch


@needs_fork
def test_a_slow_first_task_does_not_let_the_others_run_away(tmp_path):
    """Until task 0 is done, at most num_workers * prefetch tasks are taken, because all their
    results have to wait for it.
    """
    go, seen = tmp_path / "go", []

    def first_waits(task):
        assert task or wait_until(go.exists)
        return task

    def stream():
        for task in range(12):
            seen.append(task)
            yield task

    with WorkerPool(first_waits, 2, prefetch=2, start_method="fork") as pool:
        results = pool.run(stream())
        early = {next(results)[0] for _ in range(2)}
        assert len(early) == 2 and 0 not in early and seen == [0, 1, 2, 3], (
            "the other worker has two of the four"
        )
        go.touch()
        assert early | {number for number, _ in results} == set(range(12))


@needs_fork
def test_results_that_waited_for_an_earlier_one_count_as_taken_ahead(tmp_path):
    """The caller that restores the order holds 1 and 3 until 0 arrives. Then it can pass on 0 and
    1, and at most six others are being computed.
    """
    go, seen = tmp_path / "go", []

    def first_waits(task):
        assert task or wait_until(go.exists)
        return task

    def stream():
        for task in range(30):
            seen.append(task)
            yield task

    with WorkerPool(first_waits, 2, prefetch=3, start_method="fork") as pool:
        results = pool.run(stream())
        assert [next(results)[0] for _ in range(3)] == [1, 3, 5]
        go.touch()
        assert next(results)[0] == 0 and seen == list(range(1 + 2 * 3))
        assert sorted([0, 1, 3, 5, *(number for number, _ in results)]) == list(range(30))


def test_nothing_is_taken_before_the_first_result_is_asked_for():
    with WorkerPool(same, 1, start_method=METHODS[0]) as pool:
        tasks = iter(range(5))
        results = pool.run(tasks)
        assert next(tasks) == 0
        assert sorted(result for _, result in results) == [1, 2, 3, 4]


# Several passes


def test_workers_live_on_between_passes_and_a_pass_that_was_left_disturbs_no_other():
    with WorkerPool(same, 2, start_method=METHODS[0]) as pool:
        pids = pool.pids
        assert sorted(pool.run("abc")) == [(0, "a"), (1, "b"), (2, "c")]
        for _ in pool.run(itertools.count()):
            break
        assert sorted(pool.run("de")) == [(0, "d"), (1, "e")] and pool.pids == pids


def test_two_passes_at_once_do_not_disturb_each_other():
    with WorkerPool(same, 2, start_method=METHODS[0]) as pool:
        letters, numbers = pool.run("abcdefghij"), pool.run(range(10))
        both = [(next(letters), next(numbers)) for _ in range(10)]
    assert sorted(a for a, _ in both) == list(enumerate("abcdefghij")) and sorted(
        b for _, b in both
    ) == [(n, n) for n in range(10)]


@needs_proc
def test_a_closed_pool_leaves_nothing_and_its_batches_stay():
    with nothing_left():
        pool = WorkerPool(rich, 2, start_method=METHODS[0])
        batches = in_order(pool.run(range(5)))
        pool.close()
        pool.close()
        assert not pool.usable and pool.pids == []
        with pytest.raises(RuntimeError, match="this pool has no workers"):
            next(pool.run([1]))
    assert [int(batch["pair"].image.data[0, 0]) for batch in batches] == list(range(5))


def leave_a_note(info):
    multiprocessing.util.Finalize(None, note.touch, exitpriority=1)


@needs_fork
def test_an_idle_worker_ends_by_itself_when_its_pool_is_closed_and_not_by_a_signal(tmp_path):
    global note
    note = tmp_path / "note"
    with WorkerPool(same, 1, start_method="fork", worker_init=leave_a_note) as pool:
        list(pool.run([1]))
        assert not note.exists()
    assert note.exists()


def test_a_pass_that_goes_on_when_its_pool_is_closed_says_so():
    pool = WorkerPool(same, 1, start_method=METHODS[0])
    results = pool.run(range(100))
    next(results)
    pool.close()
    with pytest.raises(RuntimeError, match="closed"):
        list(results)


# What a worker is told, and its random numbers


def who(task):
    return worker_info(), os.getpid()


def keep_info(info):
    global kept_info
    kept_info = info


def told(task):
    return kept_info


@pytest.mark.parametrize("method", METHODS)
def test_worker_init_runs_in_each_worker_and_knows_which_it_is(method):
    assert worker_info() is None
    with WorkerPool(
        told, 2, start_method=method, worker_init=keep_info, seed=3, prefetch=1
    ) as pool:
        infos = {info for _, info in pool.run(range(40))}
        assert {info.pid for info in infos} <= set(pool.pids) and {info.id for info in infos} <= {
            0,
            1,
        }
        assert all(info.num_workers == 2 for info in infos) and len(
            {info.seed for info in infos}
        ) == len(infos)
    assert worker_info() is None and "kept_info" not in globals()


@needs_fork
def test_worker_info_is_there_during_a_task():
    with WorkerPool(who, 1, start_method="fork") as pool:
        ((_, (info, pid)),) = pool.run([0])
        assert info.pid == pid == pool.pids[0] and info.id == 0


@needs_fork
def test_worker_seeds_differ_and_can_be_repeated():
    def seeds(**settings):
        barrier = multiprocessing.get_context("fork").Barrier(3)

        def meet(task):
            barrier.wait(GUARD_SECONDS)
            return worker_info().id, worker_info().seed

        with WorkerPool(meet, 3, prefetch=1, start_method="fork", **settings) as pool:
            return dict(result for _, result in pool.run(range(3)))

    first = seeds(seed=1)
    assert len(set(first.values())) == 3 and seeds(seed=1) == first
    for other in (seeds(seed=2), seeds(seed=1, epoch=1), seeds(seed=None)):
        assert not set(first.values()) & set(other.values())  # by accident once in 2**60


def draw(task):
    return random.random(), float(np.random.random())


@pytest.mark.parametrize("seed", [0, None])
def test_no_two_tasks_draw_the_same_from_the_global_generators(seed):
    with WorkerPool(draw, 3, start_method=METHODS[0], seed=seed) as pool:
        pairs = [pair for epoch in (0, 1) for _, pair in pool.run(range(50), epoch=epoch)]
    for numbers in zip(*pairs, strict=True):
        assert len(set(numbers)) == 100  # equal by accident once in 10**12 runs


@pytest.mark.parametrize("method", METHODS)
def test_with_a_seed_a_task_s_numbers_depend_on_nothing_but_epoch_and_task(method):
    def drawn(num_workers, start_method):
        with WorkerPool(draw, num_workers, start_method=start_method, seed=5) as pool:
            return in_order(pool.run(range(12), epoch=3))

    assert drawn(1, METHODS[0]) == drawn(2, method)


def test_the_generators_of_the_main_process_are_left_alone():
    random.seed(1)
    np.random.seed(1)
    before = random.getstate(), np.random.get_state()[1].tolist()
    with WorkerPool(draw, 1, start_method=METHODS[0], seed=5) as pool:
        list(pool.run(range(3)))
    assert (random.getstate(), np.random.get_state()[1].tolist()) == before


def of_openblas(verb):
    """The functions of each OpenBLAS in this process that get or set its number of threads."""
    with open("/proc/self/maps", encoding="utf-8") as file:
        libraries = {line.split(maxsplit=5)[5].strip() for line in file if "openblas" in line}
    names = [
        f"{prefix}openblas_{verb}_num_threads{suffix}"
        for prefix in ("scipy_", "")
        for suffix in ("64_", "")
    ]
    return [
        getattr(library, name)
        for library in map(ctypes.CDLL, libraries)
        for name in names
        if hasattr(library, name)
    ]


def blas_threads(task):
    """The number of threads that OpenBLAS uses (None if NumPy uses another library), and the value
    in the environment.
    """
    counts = [get() for get in of_openblas("get")]
    return max(counts, default=None), os.environ.get("OMP_NUM_THREADS")


@pytest.fixture
def two_blas_threads():
    """Two threads, as in a program without any setting; the test suite itself uses one."""
    before = blas_threads(0)[0]
    for set_threads in of_openblas("set"):
        set_threads(2)
    yield
    for set_threads in of_openblas("set"):
        set_threads(before)


@needs_proc
@pytest.mark.usefixtures("two_blas_threads")
@pytest.mark.parametrize("method", METHODS)
def test_linear_algebra_in_a_worker_has_one_thread_and_the_environment_is_put_back(
    method, monkeypatch
):
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    before = blas_threads(0)
    assert before[0] in (None, 2)
    with WorkerPool(blas_threads, 1, start_method=method) as pool:
        ((_, (threads, omp)),) = pool.run([0])
    assert omp == "1" and "OMP_NUM_THREADS" not in os.environ and blas_threads(0) == before
    if threads is None:
        pytest.skip("NumPy's linear algebra is not OpenBLAS here, which alone can be asked")
    assert threads == 1


@needs_fork
@needs_proc
def test_a_number_of_threads_that_the_user_set_stays(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    with WorkerPool(blas_threads, 1, start_method="fork") as pool:
        assert next(pool.run([0]))[1] == (blas_threads(0)[0], "2")


# Shared memory


@needs_slots
def test_a_slot_grows_with_what_is_put_there():
    writer = Slot()
    reader = Slot(os.dup(writer.descriptor))
    for size in (10, 5000, 0, 100_000, 64):
        arrays = [np.arange(size, dtype=np.uint8), np.ones((2, 3)), np.empty(0)]
        body, sizes = pack(arrays, writer)
        back = unpack(body, sizes, reader)
        assert all(
            np.array_equal(one, other) and other.flags.writeable
            for one, other in zip(arrays, back, strict=True)
        )
        assert len(body) < 1000, "the arrays are beside it"
    writer.close()
    reader.close()
    reader.close()


@needs_slots
@needs_proc
def test_shared_memory_has_no_name():
    with WorkerPool(rich, 1, start_method=METHODS[0]) as pool:
        list(pool.run(range(3)))
        maps = "".join(
            Path(f"/proc/{pid}/maps").read_text(encoding="utf-8")
            for pid in (os.getpid(), *pool.pids)
        )
        mine = [line for line in maps.splitlines() if "tinytorch-batch" in line]
        assert mine and all(line.endswith("(deleted)") for line in mine)


@needs_slots
def test_where_memory_files_are_missing_a_deleted_file_does_the_same(monkeypatch):
    monkeypatch.delattr(os, "memfd_create", raising=False)
    monkeypatch.delattr(os, "posix_fallocate", raising=False)
    with WorkerPool(rich, 2, start_method=METHODS[0]) as pool:
        assert [
            int(batch["pair"].image.data[0, 0]) for batch in in_order(pool.run(range(9)))
        ] == list(range(9))


class Mapped:
    """A dataset over a memory map, as work."""

    def __init__(self, array):
        self.array = array

    def __call__(self, task):
        return type(self.array) is np.memmap, self.array[task]


@pytest.mark.parametrize("mode, order", [("r", "C"), ("r+", "F"), ("w+", "C")])
def test_a_memory_map_goes_to_a_spawned_worker_as_its_file_s_name(tmp_path, mode, order):
    np.save(
        tmp_path / "rows.npy", np.asarray(np.arange(2_000_000.0).reshape(1000, 2000), order=order)
    )
    array = np.lib.format.open_memmap(tmp_path / "rows.npy", mode="r+" if mode == "w+" else mode)
    if mode == "w+":
        array = np.memmap(tmp_path / "rows.bin", np.float64, "w+", shape=(1000, 2000))
        array[:] = np.arange(2_000_000.0).reshape(1000, 2000)
    pickled = _pickled((Mapped(array), None))
    work, _ = pickle.loads(pickled)
    is_map, row = work(7)
    assert len(pickled) < 1000 and is_map and np.array_equal(row, np.arange(14000.0, 16000.0))

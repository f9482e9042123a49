"""The pool of worker processes: results and their order, reading ahead, random numbers, shared
memory. Errors are in test_worker_errors.py, faults of processes in test_worker_faults.py.
"""

from __future__ import annotations

import ctypes
import itertools
import os
import pickle
import random
from collections import namedtuple
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from leak_watch import nothing_left
from peers_kit import (
    METHODS,
    each_method,
    global_generators,
    needs_fork,
    needs_proc,
    needs_slots,
    same,
)

from helpers.patience import until
from tinytorch.core.tensor import Tensor
from tinytorch.data import shared_memory
from tinytorch.data.start_and_end_workers import _pickled
from tinytorch.data.workers import WorkerPool
from tinytorch.notebook import load_ipython_extension

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


def in_order(pairs):
    return [result for _, result in sorted(pairs)]


# Results


@each_method
def test_a_result_arrives_with_its_types_its_nesting_and_its_values(method):
    with WorkerPool(rich, 1, start_method=method) as pool:
        ((number, batch),) = pool.run([7])
    pair, want = batch["pair"], rich(7)
    assert (number, type(batch), type(pair), type(pair.image)) == (0, dict, Pair, Labelled)
    assert pair.image.dtype == np.uint8 and np.array_equal(pair.image.data, want["pair"].image.data)
    assert (pair.label, batch["raw"]) == ([7, ("7", None)], b"bytes")
    for name in ("empty", "turned", "steps"):
        assert np.array_equal(batch[name], want[name]) and batch[name].shape == want[name].shape


@pytest.mark.parametrize("slots", [True, False])
def test_batches_that_are_kept_stay_as_they_are_and_may_be_written_to(monkeypatch, slots):
    if not slots:  # as on systems where arrays go through the pipe
        monkeypatch.setattr(shared_memory, "available", False)

    def grows(task):
        return np.full(1000 * (task + 1), task)

    with WorkerPool(grows, 2, start_method=METHODS[0]) as pool:
        kept = in_order(pool.run(range(30)))
        for batch in kept:
            batch += 1
        again = in_order(pool.run(range(30)))
    for task, (batch, later) in enumerate(zip(kept, again, strict=True)):
        assert len(batch) == 1000 * (task + 1)
        assert np.all(batch == task + 1) and np.all(later == task)


@pytest.mark.parametrize("num_workers, prefetch", [(1, 1), (1, 3), (3, 2)])
def test_every_task_is_answered_once_whatever_the_number_of_workers(num_workers, prefetch):
    """Also beside another pass, and with tasks of a megabyte, more than a pipe holds."""
    with WorkerPool(same, num_workers, prefetch=prefetch, start_method=METHODS[0]) as pool:
        pids = pool.pids
        next(pool.run(itertools.count()))
        both = zip(pool.run("abcdefghij"), pool.run(range(10)), strict=True)
        letters, numbers = map(in_order, zip(*both, strict=True))
        assert "".join(letters) == "abcdefghij" and numbers == list(range(10))
        assert {len(result) for _, result in pool.run([b"x" * 2**20] * 20)} == {2**20}
        assert list(pool.run([])) == [] and pool.pids == pids


# How far ahead


@needs_fork
@pytest.mark.parametrize("prefetch", [2, 3])
def test_results_that_wait_for_an_earlier_one_count_as_taken_ahead(tmp_path, prefetch):
    """The caller that restores the order holds all that came before task 0. Until that is done, at
    most num_workers * prefetch tasks are taken; then it can pass on 0 and 1.
    """
    go, seen = tmp_path / "go", []

    def first_waits(task):
        assert task or until(go.exists)
        return task

    def stream():
        for task in range(30):
            seen.append(task)
            yield task

    with WorkerPool(first_waits, 2, prefetch=prefetch, start_method="fork") as pool:
        results = pool.run(stream())
        assert seen == []
        early = [next(results)[0] for _ in range(prefetch)]
        assert early == list(range(1, 2 * prefetch, 2)), "those of the other worker"
        assert seen == list(range(2 * prefetch))
        go.touch()
        assert next(results)[0] == 0 and seen == list(range(1 + 2 * prefetch))
        assert sorted([0, *early, *(number for number, _ in results)]) == list(range(30))


# Several passes


@needs_proc
def test_a_closed_pool_leaves_nothing_and_its_batches_stay():
    with nothing_left():
        pool = WorkerPool(rich, 2, start_method=METHODS[0])
        batches = in_order(pool.run(range(5)))
        going_on = pool.run(range(100))
        next(going_on)
        pool.close()
        pool.close()
        assert not pool.usable and pool.pids == []
        with pytest.raises(RuntimeError, match="this pool has no workers"):
            next(pool.run([1]))
        with pytest.raises(RuntimeError, match="closed"):
            list(going_on)
    assert [int(batch["pair"].image.data[0, 0]) for batch in batches] == list(range(5))


# Random numbers and linear algebra


def draw(task):
    return random.random(), float(np.random.random())


@pytest.mark.parametrize("seed", [0, None])
def test_no_two_tasks_draw_the_same_from_the_global_generators(seed):
    before = global_generators()
    with WorkerPool(draw, 3, start_method=METHODS[0], seed=seed) as pool:
        pairs = [pair for epoch in (0, 1) for _, pair in pool.run(range(50), epoch=epoch)]
    for numbers in zip(*pairs, strict=True):
        assert len(set(numbers)) == 100  # equal by accident once in 10**12 runs
    assert global_generators() == before


def test_with_a_seed_a_task_s_numbers_depend_on_nothing_but_epoch_and_task():
    def drawn(num_workers, start_method):
        with WorkerPool(draw, num_workers, start_method=start_method, seed=5) as pool:
            return in_order(pool.run(range(12), epoch=3))

    assert drawn(1, METHODS[0]) == drawn(2, "spawn")


def openblas(verb, *count):
    """Call the function of each OpenBLAS in this process that gets or sets its threads."""
    maps = Path("/proc/self/maps").read_text(encoding="utf-8").splitlines()
    libraries = {line.split(maxsplit=5)[5] for line in maps if "openblas" in line}
    names = [f"{a}openblas_{verb}_num_threads{b}" for a in ("scipy_", "") for b in ("64_", "")]
    pairs = itertools.product(map(ctypes.CDLL, libraries), names)
    return [getattr(library, name)(*count) for library, name in pairs if hasattr(library, name)]


def blas_threads(task):
    """The number of threads that OpenBLAS uses (None if NumPy uses another library), and the value
    in the environment.
    """
    return max(openblas("get"), default=None), os.environ.get("OMP_NUM_THREADS")


@pytest.fixture
def two_blas_threads():
    """Two threads, as in a program without any setting; the test suite itself uses one."""
    before = blas_threads(0)[0]
    openblas("set", 2)
    yield
    openblas("set", before)


@needs_proc
@pytest.mark.usefixtures("two_blas_threads")
@each_method
def test_linear_algebra_in_a_worker_has_one_thread_and_the_environment_is_put_back(
    method, monkeypatch
):
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    before = blas_threads(0)
    assert before[0] in (None, 2)
    with monkeypatch.context() as user:  # who set the number
        user.setenv("OMP_NUM_THREADS", "2")
        load_ipython_extension(mock.MagicMock())
        assert blas_threads(0) == (before[0], "2")
    with WorkerPool(blas_threads, 1, start_method=method) as pool:
        ((_, (threads, omp)),) = pool.run([0])
    assert omp == "1" and "OMP_NUM_THREADS" not in os.environ and blas_threads(0) == before
    if threads is None:
        pytest.skip("NumPy's linear algebra is not OpenBLAS here, which alone can be asked")
    assert threads == 1


@pytest.mark.parametrize("mode, order", [("r", "C"), ("r+", "F")])
def test_a_memory_map_goes_to_a_spawned_worker_as_its_file_s_name(tmp_path, mode, order):
    numbers = np.arange(2_000_000.0).reshape(1000, 2000)
    np.save(tmp_path / "rows.npy", np.asarray(numbers, order=order))
    array = np.lib.format.open_memmap(tmp_path / "rows.npy", mode=mode)
    pickled = _pickled((array, None))
    again, _ = pickle.loads(pickled)
    assert len(pickled) < 1000 and type(again) is np.memmap
    assert np.array_equal(again[7], numbers[7])


# Shared memory


@needs_slots
@needs_proc
@pytest.mark.parametrize("missing", [False, True])
def test_shared_memory_has_no_name_also_where_memory_files_are_missing(monkeypatch, missing):
    if missing:
        monkeypatch.delattr(os, "memfd_create", raising=False)
        monkeypatch.delattr(os, "posix_fallocate", raising=False)
    with WorkerPool(rich, 1, start_method=METHODS[0]) as pool:
        batches = in_order(pool.run(range(9)))
        maps = [Path(f"/proc/{pid}/maps").read_text() for pid in (os.getpid(), *pool.pids)]
    mine = [line for line in "".join(maps).splitlines() if "tinytorch-batch" in line]
    assert (mine or missing) and all(line.endswith("(deleted)") for line in mine)
    assert [int(batch["pair"].image.data[0, 0]) for batch in batches] == list(range(9))

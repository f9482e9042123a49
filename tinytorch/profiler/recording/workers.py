"""Clocks in the worker processes of a PyTorch loader, and of fastai's, which has a PyTorch loader
inside.

While PyTorch starts its workers, `worker_init_fn` and `collate_fn` are replaced. In a worker, the
first puts clocks on the dataset; the second knows when a batch is done, and writes its times to a
file of that worker, which the loop reads when its epoch ends. `time.perf_counter` counts from the
same moment in all processes of a machine.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import random
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tinytorch.profiler.recording.stopwatch import Clock, Clocks, Load, Stopwatch, timed_after

PREFIX = "tinytorch-clocks-"  # of a folder for one epoch; the number of the process follows
_here: _Worker | None = None  # in a worker process: its clocks


class WorkerClocks:
    """The clocks in the workers that a loader starts for one epoch.

    Args:
        loader: a PyTorch loader with `num_workers` above 0, or a loader with one inside (fastai's
            `fake_l`).
        clock, cost, detail: as for `Loading`. They are pickled where workers are spawned.

    Raises:
        TypeError: the loader's workers are not PyTorch's.
    """

    def __init__(self, loader: Any, clock: Clock, cost: Any, detail: bool):
        self._loader = getattr(loader, "fake_l", loader)
        # what PyTorch's iterators read from a loader; fastai's inner loader has the same names
        if not hasattr(self._loader, "_index_sampler"):
            raise TypeError("the worker processes are not PyTorch's")
        _sweep()
        self._timing = clock, cost, detail
        self._folder = tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-")

    @contextlib.contextmanager
    def put(self) -> Iterator[None]:
        """Workers that are started inside have clocks."""
        loader, own = self._loader, vars(self._loader)
        before = {name: own[name] for name in ("worker_init_fn", "collate_fn") if name in own}
        start = _Start(self._folder, loader.worker_init_fn, self._timing)
        object.__setattr__(loader, "collate_fn", _Collate(loader.collate_fn))
        object.__setattr__(loader, "worker_init_fn", start)
        try:
            yield
        finally:
            for name in ("worker_init_fn", "collate_fn"):
                object.__delattr__(loader, name)
                if name in before:
                    object.__setattr__(loader, name, before[name])

    def remove(self) -> list[Load]:
        """The batches that were timed, in the order in which they were done. Workers that live on
        stop timing.
        """
        loads: list[Load] = []
        for path in Path(self._folder).iterdir():
            with open(path, "rb") as file, contextlib.suppress(EOFError, pickle.UnpicklingError):
                while True:
                    loads.append(pickle.load(file))
        shutil.rmtree(self._folder, ignore_errors=True)
        loads.sort(key=lambda load: load.stop)
        for number, load in enumerate(loads):
            load.batch = number
        return loads


def _sweep() -> None:
    """Remove the folders of processes that were killed."""
    if os.name == "nt":  # where os.kill(process, 0) is no question
        return
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*-*"):
        with contextlib.suppress(ValueError, OSError):
            if not alive(int(folder.name[len(PREFIX) :].partition("-")[0])):
                shutil.rmtree(folder, ignore_errors=True)


def alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


class _Start:
    """A `worker_init_fn`: the loader's own, and then the clocks."""

    def __init__(self, folder: str, own: Callable | None, timing: tuple[Clock, Any, bool]):
        self.folder, self.own, self.timing = folder, own, timing

    def __call__(self, worker: int) -> None:
        global _here
        if self.own is not None:
            self.own(worker)
        with contextlib.suppress(Exception):  # a loader never fails because of its clocks
            _here = _Worker(os.path.join(self.folder, str(worker)), worker, *self.timing)


class _Collate:
    """A `collate_fn` that ends a batch."""

    def __init__(self, own: Callable):
        self.own = own

    def __call__(self, samples: Any) -> Any:
        return self.own(samples) if _here is None else _here.collate(self.own, samples)


class _Dataset:
    """Takes the place of a loader in a worker, which has only the dataset."""

    def __init__(self, dataset: Any):
        self.dataset = dataset


class _Worker:
    """The clocks in this worker process. A batch is timed from its first read until it is put
    together: a worker that waits for its next indices is not at work.
    """

    def __init__(self, path: str, number: int, clock: Clock, cost: Any, detail: bool):
        dataset = sys.modules["torch"].utils.data.get_worker_info().dataset
        # fastai's inner loader is the dataset of its workers; `d` is the loader of its user
        loader = dataset.d if hasattr(dataset, "fake_l") else getattr(dataset, "d", None)
        self._clocks = Clocks(
            loader if hasattr(loader, "dataset") else _Dataset(dataset), self._first
        )
        self._lane, self._clock, self._cost, self._detail = f"worker {number}", clock, cost, detail
        self._stopwatch: Stopwatch | None = None
        self._due, self._random = clock(), random.Random(number)
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._clocks.put("calls")

    def _first(self, call: Callable[[], Any], stage: str) -> Any:
        """The first timed call of a batch."""
        self._stopwatch = Stopwatch(self._clock, stage)
        self._stopwatch.calls["other", stage] += 1
        try:
            return call()
        finally:
            self._stopwatch.switch("other")

    def collate(self, own: Callable, samples: Any) -> Any:
        stopwatch, self._stopwatch = self._stopwatch, None
        if stopwatch is None:
            try:
                return own(samples)
            finally:
                if self._clock() >= self._due:
                    self._clocks.put("calls")
        stopwatch.switch("collate")
        stopwatch.calls["other", "collate"] += 1
        try:
            return own(samples)
        finally:
            self._keep(stopwatch.stop(self._lane))

    def _keep(self, load: Load) -> None:
        if not os.fstat(self._file).st_nlink:  # nobody reads it any more
            self._clocks.remove()
            self._due = float("inf")
            return
        os.write(self._file, pickle.dumps(load))
        if not self._detail:
            self._due = timed_after(load, self._cost, self._random)
            self._clocks.put("nothing")

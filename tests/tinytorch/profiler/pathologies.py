"""A catalog of loaders with typical faults, and two without: for each the verdict that the profiler
must give, and the loader after the fix.

Time comes from a `World`, so that a test can inject exact costs, and `benchmarks/profiler.py
catalogue` can use a real clock. Only the costs of memory and disk come from the machine.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

BATCH = 64


class World:
    """Real time. `spin` computes a fixed amount of Python work, so that it takes longer when it
    must share; `sleep` waits.
    """

    clock = staticmethod(time.perf_counter)
    sleep = staticmethod(time.sleep)

    def __init__(self, folder: Path):
        self.folder = folder
        self.loops_per_second = max(self._rate() for _ in range(9))

    def _rate(self) -> float:
        start = time.perf_counter()
        self._loop(100_000)
        return 100_000 / (time.perf_counter() - start)

    def spin(self, seconds: float) -> None:
        self._loop(int(seconds * self.loops_per_second))

    @staticmethod
    def _loop(times: int) -> None:
        for _ in itertools.repeat(None, times):
            # creates no integers, because tracemalloc would trace each of them
            pass

    def profile_settings(self) -> dict[str, Any]:
        return {}


class FakeWorld:
    """A clock that moves only when a test moves it, and by a microsecond at each reading. Sleeping
    counts as waiting, spinning as work.
    """

    def __init__(self) -> None:
        self.now = self.worked = 0.0

    def clock(self) -> float:
        self.now += 1e-6
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def spin(self, seconds: float) -> None:
        self.now += seconds
        self.worked += seconds

    def profile_settings(self) -> dict[str, Any]:
        return {"clock": self.clock, "busy_clock": lambda: (self.worked, 0.0), "sleep": self.sleep}


class Loader:
    """A plain loader with every part that can have a fault: order, start, reads, collation, batch
    transform, a prefetch thread.
    """

    collate_fn = staticmethod(np.stack)
    shuffle, prefetch, batch_transform, start, epoch = True, 0, None, None, 0

    def __init__(self, dataset: Any, batch_size: int = BATCH, **settings: Any):
        self.dataset, self.batch_size = dataset, batch_size
        vars(self).update(settings)

    def __len__(self) -> int:
        return -(-len(self.dataset) // self.batch_size)

    def __iter__(self) -> Iterator[Any]:
        self.epoch += 1
        batches = self._batches(self.epoch)
        return read_ahead(batches, self.prefetch) if self.prefetch else batches

    def _batches(self, epoch: int) -> Iterator[Any]:
        if self.start:
            self.start()
        count = len(self.dataset)
        order = (
            np.random.default_rng(epoch).permutation(count) if self.shuffle else np.arange(count)
        )
        for start in range(0, count, self.batch_size):
            indices = order[start : start + self.batch_size]
            if hasattr(self.dataset, "__getitems__"):
                batch = self.dataset.__getitems__(indices)
            else:
                batch = self.collate_fn([self.dataset[i] for i in indices.tolist()])
            yield self.batch_transform(batch) if self.batch_transform else batch


class Crew:
    """A loader whose batches take `seconds(num_workers)`. It starts no workers: this
    process computes in their place, so that the case needs no cores.
    """

    def __init__(self, world: Any, num_workers: int, seconds: Callable[[int], float]):
        self.world, self.num_workers, self.seconds = world, num_workers, seconds

    def __len__(self) -> int:
        return 32

    def __iter__(self) -> Iterator[np.ndarray]:
        for _ in range(len(self)):
            self.world.spin(self.seconds(self.num_workers))
            yield images(BATCH)


def read_ahead(batches: Iterator[Any], depth: int) -> Iterator[Any]:
    end = object()
    with ThreadPoolExecutor(1) as reader:
        waiting = deque(reader.submit(next, batches, end) for _ in range(depth))
        while (batch := waiting.popleft().result()) is not end:
            waiting.append(reader.submit(next, batches, end))
            yield batch


class Rows:
    """Rows in memory, read one by one. `read` is called before a read, `transform` with each
    row.
    """

    def __init__(self, rows: Any, read: Callable | None = None, transform: Callable | None = None):
        self.rows, self.read, self.transform = rows, read, transform

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> Any:
        if self.read:
            self.read()
        return self.transform(self.rows[index]) if self.transform else self.rows[index]


class Gathered(Rows):
    """The same rows, a whole batch in one call."""

    def __getitems__(self, indices: np.ndarray) -> np.ndarray:
        if self.read:
            self.read()
        return np.take(self.rows, indices, axis=0)


class CopiedTwice(Gathered):
    def __getitems__(self, indices: np.ndarray) -> np.ndarray:
        return np.array(super().__getitems__(indices))


class Files(Rows):
    """Rows in 16 files behind an LRU cache; a file that is not in it must be read and unpacked."""

    def __init__(self, rows: np.ndarray, cache_files: int, unpack: Callable):
        super().__init__(rows)
        self._per_file = len(rows) // 16
        self._open = functools.lru_cache(maxsize=cache_files)(self._unpacked)
        self._unpack = unpack

    def _unpacked(self, file: int) -> np.ndarray:
        self._unpack()
        return self.rows[file * self._per_file : (file + 1) * self._per_file]

    def __getitem__(self, index: int) -> np.ndarray:
        return self._open(index // self._per_file)[index % self._per_file]


class Remembering(Rows):
    """A dataset that reads each row once and keeps it."""

    def __getitem__(self, index: int) -> Any:
        self._kept = getattr(self, "_kept", {})
        if index not in self._kept:
            self._kept[index] = super().__getitem__(index)
        return self._kept[index]


class Eager(Loader):
    def _batches(self, epoch: int) -> Iterator[Any]:
        return iter(list(super()._batches(epoch)))


class Unknown:
    """Batches that a function makes, as nobody can see from outside."""

    def __init__(self, work: Callable[[], Any]):
        self.work = work

    def __iter__(self) -> Iterator[np.ndarray]:
        for _ in range(32):
            yield self._made()

    def _made(self) -> np.ndarray:
        self.work()
        return images(BATCH)


def every(number: int, work: Callable[[], Any]) -> Callable[[], Any]:
    """Work that is done at each call with a number that can be divided by `number`."""
    calls = itertools.count(1)
    return lambda: work() if not next(calls) % number else None


def keeping(work: Callable[[], Any]) -> Callable[[], Any]:
    """Work that keeps 5 kB of each call."""
    kept: list[np.ndarray] = []
    return lambda: (work(), kept.append(np.ones(5000, np.uint8)))[0]


def images(count: int = 1024, dtype: str = "uint8", side: int = 32) -> np.ndarray:
    return np.ones((count, 3, side, side), dtype)


def spinning(seconds: float) -> Callable[[Any], Callable]:
    return lambda world: lambda batch: world.spin(seconds)


def sleeping(seconds: float) -> Callable[[Any], Callable]:
    return lambda world: lambda batch: world.sleep(seconds)


USUAL = spinning(0.002)


@dataclasses.dataclass(frozen=True)
class Case:
    """A loader and the `kind` of verdict that it must get.

    `sick` and `fixed` take a World and return make_loader; `step` takes a World and returns
    step(batch). In `INJECTED` all relevant costs are injected, so that the cases also work with a
    fake clock.
    """

    kind: str
    sick: Callable[[Any], Callable]
    fixed: Callable[[Any], Callable] | None = None
    step: Callable[[Any], Callable] = USUAL


def file_of_rows(world: World) -> np.ndarray:
    path = world.folder / "rows.npy"
    if not path.exists():
        # 201 MB: a run does not read all of it, although the system reads ahead at every miss
        np.save(path, images(65536))
    return np.load(path, mmap_mode="r")


def of(dataset: Any, **settings: Any) -> Callable:
    """A make_loader with a parameter for the batch size, over one dataset."""
    usual = settings.pop("batch_size", BATCH)
    return lambda batch_size=usual: Loader(dataset, batch_size, **settings)


def read_in(seconds: float, how: str = "spin", every_: int = 1) -> Callable[[Any], Callable]:
    """Rows of which one in `every_` takes so long to read: it computes, or it waits."""
    read = lambda w: every(every_, lambda: getattr(w, how)(seconds))  # noqa: E731
    return lambda w: of(Rows(images(), read(w)))


def gathered_in(seconds: float, batch_size: int) -> Callable[[Any], Callable]:
    return lambda w: of(Gathered(images(), lambda: w.spin(seconds)), batch_size=batch_size)


def crew(num_workers: int, seconds: Callable[[int], float]) -> Callable[[Any], Callable]:
    return lambda w: lambda num_workers=num_workers: Crew(w, num_workers, seconds)


def cached(files: int) -> Callable[[Any], Callable]:
    return lambda w: of(Files(images(), files, lambda: w.spin(0.001)))


def transformed(seconds: float, prefetch: int | None = None) -> Callable[[Any], Callable]:
    dataset = lambda w: Rows(images(), None, lambda row: (w.spin(seconds), row)[1])  # noqa: E731
    if prefetch is None:
        return lambda w: of(dataset(w))
    return lambda w: (
        lambda batch_size=BATCH, prefetch=prefetch: Loader(
            dataset(w), batch_size, prefetch=prefetch
        )
    )


def eager(world: Any) -> Callable:
    return lambda: Eager(Rows(images(), lambda: world.spin(0.00005)), BATCH)


def unknown(seconds: float) -> Callable[[Any], Callable]:
    """No dataset of this loader is known."""
    return lambda w: lambda: Unknown(lambda: w.spin(seconds))


def waiting(prefetch: int) -> Callable[[Any], Callable]:
    """Its transform only waits, as if it ran elsewhere."""
    wait = lambda w: lambda batch: (w.sleep(0.004), batch)[1]  # noqa: E731
    return lambda w: (
        lambda batch_size=512, prefetch=prefetch: Loader(
            Gathered(images(2048)), batch_size, prefetch=prefetch, batch_transform=wait(w)
        )
    )


def rows(*shape: Any, **settings: Any) -> Callable[[Any], Callable]:
    return lambda w: of(Rows(images(*shape)), **settings)


def gathered(*shape: Any, **settings: Any) -> Callable[[Any], Callable]:
    return lambda w: of(Gathered(images(*shape)), **settings)


def slow_collate(world: Any) -> Callable:
    return of(Rows(images()), collate_fn=lambda rows: (world.spin(0.02), np.stack(rows))[1])


def mapped(**settings: Any) -> Callable[[Any], Callable]:
    return lambda w: of(Gathered(file_of_rows(w)), **settings)


def floats(kind: str) -> Callable[[Any], Callable]:
    """Batches that are normalized by numbers of this dtype."""
    mean, std = np.full((3, 1, 1), 120.0, kind), np.full((3, 1, 1), 60.0, kind)
    return gathered(batch_transform=lambda batch: (batch - mean) / std)


def shared(num_workers: int) -> float:
    return 0.004 / (num_workers + 1)


def costly(num_workers: int) -> float:
    return 0.001 + 0.003 * num_workers


NUMBERS = [[float(i + j) for j in range(300)] for i in range(1024)]
NONE, FAST, SHORT = (spinning(seconds) for seconds in (0.0, 0.0005, 0.001))
BY_LENGTH = lambda w: lambda batch: w.spin(0.0005 * len(batch))  # noqa: E731
LATE = lambda w: of(Gathered(images()), start=lambda: w.spin(0.06))  # noqa: E731
GROWING = lambda w: of(Rows(images(), keeping(lambda: w.spin(0.0002))))  # noqa: E731
TWICE = lambda w: of(CopiedTwice(images(2048, "float32")), batch_size=256)  # noqa: E731
OBJECTS = lambda w: of(NUMBERS, collate_fn=lambda rows: np.array(rows, "float32"))  # noqa: E731
AN_ARRAY = lambda w: of(Gathered(np.array(NUMBERS, "float32")))  # noqa: E731
LARGE, SMALL = (2048, "float32"), (4096, "uint8", 16)

INJECTED = (
    Case("samples that wait", read_in(0.0005, "sleep"), rows()),
    Case("slow transform", transformed(0.0002), gathered(batch_transform=np.invert)),
    Case("tiny batches", gathered_in(0.001, 2), gathered_in(0.001, 256), BY_LENGTH),
    # the fix leaves reads one by one, which cost little
    Case("samples that compute", read_in(0.0005), rows()),
    Case("too few workers", crew(0, shared), crew(2, shared), NONE),
    Case("costly workers", crew(2, costly), crew(0, costly), NONE),
    Case("stragglers", read_in(0.05, every_=256), rows(), FAST),
    Case("cache too small", cached(4), cached(16)),
    Case("step-bound", gathered(), step=sleeping(0.01)),
    Case("slow start", LATE, gathered(), SHORT),
    Case("reads everything first", eager, read_in(0.00005)),
    Case("slow collate", slow_collate, rows()),
)
MEASURED = (
    Case("float64 blow-up", floats("float64"), floats("float32"), SHORT),
    Case("one slow function", unknown(0.01), unknown(0.0), SHORT),
    Case("per-sample Python", rows(*SMALL, batch_size=256), gathered(*SMALL, batch_size=256), FAST),
    Case("copied twice", TWICE, gathered(*LARGE, batch_size=256), FAST),
    # step and transform need Python's lock
    Case("contention", transformed(0.0001, prefetch=1), transformed(0.0001), spinning(0.006)),
    Case("shuffled memory map", mapped(), mapped(shuffle=False), FAST),
    Case("list of Python objects", OBJECTS, AN_ARRAY, SHORT),
    Case("nothing wrong", gathered(*LARGE, batch_size=256), step=SHORT),
    Case("nothing read ahead", waiting(0), waiting(1), sleeping(0.004)),
    # what it keeps takes no time
    Case("memory grows", GROWING, step=SHORT),
)
CATALOGUE = (*INJECTED, *MEASURED)

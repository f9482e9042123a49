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
    """A loader whose batches take `seconds(num_workers)`. It starts no workers: the world waits in
    their place, so that the case needs no cores.
    """

    def __init__(self, world: Any, num_workers: int, seconds: Callable[[int], float]):
        self.world, self.num_workers, self.seconds = world, num_workers, seconds

    def __len__(self) -> int:
        return 32

    def __iter__(self) -> Iterator[np.ndarray]:
        for _ in range(len(self)):
            self.world.sleep(self.seconds(self.num_workers))
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


@dataclasses.dataclass(frozen=True)
class Case:
    """A loader and the `kind` of verdict that it must get.

    `sick` and `fixed` take a World and return make_loader; `step` takes a World and returns
    step(batch). In `INJECTED` all relevant costs are injected, so that the cases also work with a
    fake clock.
    """

    kind: str
    sick: Callable[[Any], Callable]
    step: Callable[[Any], Callable]
    fixed: Callable[[Any], Callable] | None = None


def spinning(seconds: float) -> Callable[[Any], Callable]:
    return lambda world: lambda batch: world.spin(seconds)


def sleeping(seconds: float) -> Callable[[Any], Callable]:
    return lambda world: lambda batch: world.sleep(seconds)


def normalized(mean: Any, std: Any) -> Callable[[np.ndarray], np.ndarray]:
    return lambda batch: (batch - mean) / std


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


def read_in(seconds: float, **settings: Any) -> Callable[[Any], Callable]:
    """Rows whose reads compute so long."""
    return lambda w: of(Rows(images(), read=lambda: w.spin(seconds)), **settings)


def gathered_in(seconds: float, batch_size: int) -> Callable[[Any], Callable]:
    gathered = lambda w: Gathered(images(), read=lambda: w.spin(seconds))  # noqa: E731
    return lambda w: of(gathered(w), batch_size=batch_size)


def crew(num_workers: int, seconds: Callable[[int], float]) -> Callable[[Any], Callable]:
    return lambda w: lambda num_workers=num_workers: Crew(w, num_workers, seconds)


def transformed(seconds: float) -> Callable[[Any], Any]:
    return lambda w: Rows(images(), transform=lambda row: (w.spin(seconds), row)[1])


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


MEAN, STD = np.full((3, 1, 1), 120.0), np.full((3, 1, 1), 60.0)
NUMBERS = [[float(i + j) for j in range(300)] for i in range(1024)]

INJECTED = (
    Case(
        "samples that wait",
        lambda w: of(Rows(images(), read=lambda: w.sleep(0.0005))),
        spinning(0.002),
        rows(),
    ),
    Case(
        "slow transform",
        lambda w: of(transformed(0.0002)(w)),
        spinning(0.002),
        gathered(batch_transform=np.invert),
    ),
    Case(
        "tiny batches",
        gathered_in(0.001, 2),
        lambda w: lambda batch: w.spin(0.0005 * len(batch)),
        gathered_in(0.001, 256),
    ),
    # the fix leaves reads one by one, which cost little
    Case("samples that compute", read_in(0.0005), spinning(0.002), rows()),
    Case(
        "too few workers",
        crew(0, lambda n: 0.004 / (n + 1)),
        spinning(0.0),
        crew(2, lambda n: 0.004 / (n + 1)),
    ),
    Case(
        "costly workers",
        crew(2, lambda n: 0.001 + 0.003 * n),
        spinning(0.0),
        crew(0, lambda n: 0.001 + 0.003 * n),
    ),
    Case(
        "stragglers",
        lambda w: of(Rows(images(), read=every(256, lambda: w.spin(0.05)))),
        spinning(0.0005),
        rows(),
    ),
    Case(
        "cache too small",
        lambda w: of(Files(images(), 4, lambda: w.spin(0.001))),
        spinning(0.002),
        lambda w: of(Files(images(), 16, lambda: w.spin(0.001))),
    ),
    Case("step-bound", gathered(), sleeping(0.01)),
    Case(
        "slow start",
        lambda w: of(Gathered(images()), start=lambda: w.spin(0.06)),
        spinning(0.001),
        gathered(),
    ),
    Case(
        "reads everything first",
        lambda w: lambda: Eager(Rows(images(), read=lambda: w.spin(0.00005)), BATCH),
        spinning(0.002),
        read_in(0.00005),
    ),
    Case(
        "slow collate",
        lambda w: of(Rows(images()), collate_fn=lambda rows: (w.spin(0.02), np.stack(rows))[1]),
        spinning(0.002),
        rows(),
    ),
)
MEASURED = (
    Case(
        "float64 blow-up",
        gathered(batch_transform=normalized(MEAN, STD)),
        spinning(0.001),
        gathered(batch_transform=normalized(MEAN.astype("float32"), STD.astype("float32"))),
    ),
    # no dataset of this loader is known
    Case(
        "one slow function",
        lambda w: lambda: Unknown(lambda: w.spin(0.01)),
        spinning(0.001),
        lambda w: lambda: Unknown(lambda: None),
    ),
    Case(
        "per-sample Python",
        rows(4096, "uint8", 16, batch_size=256),
        spinning(0.0005),
        gathered(4096, "uint8", 16, batch_size=256),
    ),
    Case(
        "copied twice",
        lambda w: of(CopiedTwice(images(2048, "float32")), batch_size=256),
        spinning(0.0005),
        gathered(2048, "float32", batch_size=256),
    ),
    # step and transform need Python's lock
    Case(
        "contention",
        lambda w: (
            lambda batch_size=BATCH, prefetch=1: Loader(
                transformed(0.0001)(w), batch_size, prefetch=prefetch
            )
        ),
        spinning(0.006),
        lambda w: of(transformed(0.0001)(w)),
    ),
    Case(
        "shuffled memory map",
        lambda w: of(Gathered(file_of_rows(w))),
        spinning(0.0005),
        lambda w: of(Gathered(file_of_rows(w)), shuffle=False),
    ),
    Case(
        "list of Python objects",
        lambda w: of(NUMBERS, collate_fn=lambda rows: np.array(rows, "float32")),
        spinning(0.001),
        lambda w: of(Gathered(np.array(NUMBERS, "float32"))),
    ),
    Case("nothing wrong", gathered(2048, "float32", batch_size=256), spinning(0.001)),
    Case("nothing read ahead", waiting(0), sleeping(0.004), waiting(1)),
    # what it keeps takes no time
    Case(
        "memory grows",
        lambda w: of(Rows(images(), read=keeping(lambda: w.spin(0.0002)))),
        spinning(0.001),
    ),
)
CATALOGUE = (*INJECTED, *MEASURED)

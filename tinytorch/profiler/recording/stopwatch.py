"""Clocks inside a loader: they find out which stage takes how long, and do not change what the
loader does.

While a batch is timed, the class of the loader, of its dataset and of their transforms is replaced
by a subclass whose methods are timed. They remain the same objects, so state, caches and
`isinstance` work as before. Afterwards each gets its own class back.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import random
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

from tinytorch.profiler.recording.unknown_loader import is_stream

Clock = Callable[[], float]
STAGES = ("fetch", "transform", "collate", "other")
# Methods that are timed where an object has them; the names are those of the course, of PyTorch and
# of fastai. `_load` makes one whole batch.
LOADER_CALLS = {
    "_load": "other",
    "_collate_batch": "collate",
    "collate_fn": "collate",
    "create_batch": "collate",
    "batch_transform": "transform",
    "after_item": "transform",
    "after_batch": "transform",
}
DATASET_CALLS = {
    "__getitem__": "fetch",
    "__getitems__": "fetch",
    "sample_with": "fetch",
    "transform": "transform",
}
_END = object()
_running: dict[int, Stopwatch] = {}  # thread -> the stopwatch that counts its time


# the share of the time that timing calls inside the loader may take; the clocks of the loop itself
# are not included
DETAIL_BUDGET = 0.002


@dataclasses.dataclass(slots=True)
class Load:
    """One batch on the loader's side, timed from `start` to `stop`.

    Attributes:
        seconds: maps each stage to its time, in the order in which the stages were entered; None
            where only the whole was timed.
        calls: counts timed calls by (stage of the caller, stage of the call).
        lane: who loaded it: "load", or a worker process.
    """

    batch: int
    start: float
    stop: float
    # Any stands for None: what adds them up knows that the batch was timed in detail
    seconds: dict[str, float] | Any = None
    calls: dict[tuple[str, str], int] | Any = None
    lane: str = "load"


@dataclasses.dataclass(frozen=True)
class Cost:
    """Seconds that measuring adds: for each timed call `inside` and `outside` its stage, for each
    `batch`, for each batch that is timed in `detail`, and once in an `epoch`.
    """

    inside: float = 0.0
    outside: float = 0.0
    batch: float = 0.0
    detail: float = 0.0
    epoch: float = 0.0

    def of(self, load: Load) -> float:
        """The seconds that timing this batch added in the loader."""
        return (
            self.batch
            if load.seconds is None
            else self.detail + sum(load.calls.values()) * (self.inside + self.outside)
        )


def timed_after(load: Load, cost: Cost, uniform: random.Random) -> float:
    """The time after which the next batch may be timed in detail. The gaps are random, so that they
    do not coincide with a pattern in the data.
    """
    return load.start + cost.of(load) / DETAIL_BUDGET * uniform.uniform(0.5, 1.5)


class Stopwatch:
    """Counts the time of one thread for exactly one stage at any moment, so that the stages sum to
    the whole.

    `seconds` and `calls` become those of a `Load`.
    """

    def __init__(self, clock: Clock, stage: str = "other"):
        self.clock, self.current = clock, stage
        self.seconds: dict[str, float] = defaultdict(float)
        self.calls: dict[tuple[str, str], int] = defaultdict(int)
        self.thread = threading.get_ident()
        self.outer, _running[self.thread] = _running.get(self.thread), self
        self.start = self.since = clock()

    def switch(self, stage: str) -> str:
        now = self.clock()
        self.seconds[self.current] += now - self.since
        before, self.current, self.since = self.current, stage, now
        return before

    def stop(self, lane: str = "load") -> Load:
        self.switch("other")
        if self.outer is None:
            del _running[self.thread]
        else:
            _running[self.thread] = self.outer
        return Load(0, self.start, self.since, dict(self.seconds), dict(self.calls), lane)


class Clocks:
    """The clocks on one loader. `put(level)` sets what is timed: "nothing", whole "batches"
    (`_load`), or all "calls".

    Args:
        loader: a loader with `.dataset`.
        outermost: called as `outermost(call, stage)` for a timed call in a thread in which no
            stopwatch runs.

    Raises:
        TypeError: Python cannot extend the loader's class.
    """

    def __init__(self, loader: Any, outermost: Callable[[Callable, str], Any]):
        self._outermost, self._lock = outermost, threading.Lock()
        self._removed, self._level = False, "nothing"
        self._timed_objects: dict[int, Any] = {}  # by id
        # (object, its class at each level)
        self._classes: list[tuple[Any, dict[str, type]]] = []
        stand_in = {}
        if not self._time_dataset(loader.dataset):
            reads = _Reads(loader.dataset)
            self._time(reads, DATASET_CALLS)
            stand_in["dataset"] = _Instead("dataset", reads)
        if not self._time(loader, LOADER_CALLS, stand_in):
            raise TypeError(f"the class of a {type(loader).__name__} cannot be extended")

    def put(self, level: str) -> None:
        if level == self._level:
            return
        with self._lock:
            if not self._removed:
                self._level = level
                for owner, classes in self._classes:
                    # PyTorch's loader and frozen classes refuse a plain assignment
                    object.__setattr__(owner, "__class__", classes[level])

    def remove(self) -> None:
        """Remove all clocks for good: a thread that still reads ahead cannot put them back."""
        self.put("nothing")
        with self._lock:
            self._removed = True

    def _time_dataset(self, dataset: Any) -> bool:
        """Time the calls of a dataset and of the datasets below a Subset or a concatenation."""
        parts = getattr(dataset, "datasets", None)
        parts = [*parts] if isinstance(parts, (list, tuple)) else []
        for part in (getattr(dataset, "dataset", None), *parts):
            if part is not None and id(part) not in self._timed_objects:
                self._time_dataset(part)
        return self._time(dataset, DATASET_CALLS)

    def _time(
        self, owner: Any, calls: dict[str, str], attributes: dict[str, Any] | None = None
    ) -> bool:
        """Make the timed class of `owner`; False if its class cannot be extended."""
        self._timed_objects[id(owner)] = owner
        # another watch may have replaced the class at this moment
        kind = getattr(type(owner), "_watched", type(owner))
        space = dict(attributes or {})
        if calls is DATASET_CALLS and is_stream(kind):
            space["__iter__"] = self._timed_iterator(kind.__iter__)
        for name, stage in calls.items():
            if callable(getattr(kind, name, None)) and name not in getattr(owner, "__dict__", ()):
                space[name] = self._timed(
                    _method(next(vars(base)[name] for base in kind.__mro__ if name in vars(base))),
                    stage,
                )
            elif callable(value := getattr(owner, name, None)) and not self._time(
                value, {"__call__": stage}
            ):
                space[name] = _Instead(name, self._timed(value, stage))
        try:
            timed = _subclass(kind, space)
            batches = _subclass(kind, {"_load": space["_load"]}) if "_load" in space else kind
            object.__setattr__(owner, "__class__", timed)
            object.__setattr__(owner, "__class__", kind)
        except Exception:  # noqa: BLE001 (the class of a list is fixed; others refuse in ways of their own)
            return False
        self._classes.append((owner, {"nothing": kind, "batches": batches, "calls": timed}))
        return True

    def _timed_iterator(self, function: Callable) -> Callable:
        """`__iter__` of a stream, whose samples are read by `next`."""

        @functools.wraps(function)
        def call(dataset: Any) -> Iterator:
            read = self._timed(functools.partial(next, iter(function(dataset)), _END), "fetch")
            while (sample := read()) is not _END:
                yield sample

        return call

    def _timed(self, function: Callable, stage: str) -> Callable:
        @functools.wraps(function, updated=())
        def call(*args: Any, **kwargs: Any) -> Any:
            stopwatch = _running.get(threading.get_ident())
            if stopwatch is None:
                return self._outermost(functools.partial(function, *args, **kwargs), stage)
            before = stopwatch.switch(stage)
            stopwatch.calls[before, stage] += 1
            try:
                return function(*args, **kwargs)
            finally:
                stopwatch.switch(before)

        return call


class _Instead:
    """An attribute of a timed object. Reading returns the timed value; writing changes the object
    as usual.
    """

    def __init__(self, name: str, value: Any):
        self.name, self.value = name, value

    def __get__(self, owner: Any, kind: type | None = None) -> Any:
        return self.value

    def __set__(self, owner: Any, value: Any) -> None:
        self.value = vars(owner)[self.name] = value


class _Reads:
    """A stand-in for a dataset whose class cannot be replaced, such as a list or an array."""

    def __init__(self, dataset: Any):
        self._dataset = dataset

    def __len__(self) -> int:
        return len(self._dataset)

    def __getitem__(self, index: Any) -> Any:
        return self._dataset[index]

    def __iter__(self) -> Iterator:
        return iter(self._dataset)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_dataset"], name)


def _subclass(kind: type, space: dict[str, Any]) -> type:
    def as_its_own_class(self: Any, protocol: int) -> Any:
        # copies and pickles are made with the original class, without clocks
        timed = type(self)
        object.__setattr__(self, "__class__", kind)
        try:
            made = self.__reduce_ex__(protocol)
        finally:
            object.__setattr__(self, "__class__", timed)
        # pickle would compare the class itself
        return made if isinstance(made, str) else (_rebuild, made[:2], *made[2:])

    # No new slots: Python changes an object's class only to one of the same layout.
    return type(kind)(
        kind.__name__,
        (kind,),
        {
            "__slots__": (),
            "__module__": kind.__module__,
            "_watched": kind,
            "__reduce_ex__": as_its_own_class,
            **space,
        },
    )


def _rebuild(function: Callable, arguments: tuple) -> Any:
    return function(*arguments)


def _method(attribute: Any) -> Callable:
    """An attribute of a class as a function of (self, ...); for a static method `self` is
    dropped.
    """
    if inspect.isfunction(attribute):
        return attribute
    if not hasattr(attribute, "__get__"):
        return lambda self, *args, **kwargs: attribute(*args, **kwargs)
    return functools.wraps(attribute)(
        lambda self, *args, **kwargs: attribute.__get__(self, type(self))(*args, **kwargs)
    )

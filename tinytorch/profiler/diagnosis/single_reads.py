"""Reading single samples: does it wait, and are samples kept once they are read?"""

from __future__ import annotations

import dataclasses
import statistics
from collections.abc import Callable
from typing import Any

import numpy as np

from tinytorch.profiler.recording.arrays_in_a_batch import arrays_in
from tinytorch.profiler.recording.measure import Clock

# samples that are read so many times faster than at first are kept; and the seconds of a first read
# that are worth it
KEPT_FASTER, WORTH_KEEPING = 5.0, 2e-5
READ_SECONDS, LEAST_READ = 1.0, 4  # for reading single samples, and how many at least


@dataclasses.dataclass(frozen=True)
class Reading:
    """Reading single samples, each twice in a row, and once more after all of them: seconds of the
    first, the second and the last read (medians), the share of the first that was spent waiting,
    and whether the second gave other values than the first: samples that are partly random.
    """

    seconds: float
    again_seconds: float
    later_seconds: float
    waiting_share: float
    random: bool

    @property
    def reread_speedup(self) -> float:
        """The time to read a sample over the time to read it again at once."""
        return self.seconds / self.again_seconds if self.again_seconds > 0 else 1.0

    @property
    def keeps(self) -> bool:
        """Whether samples that were read once are kept, so that a later epoch reads faster."""
        return self.seconds > max(KEPT_FASTER * self.later_seconds, WORTH_KEEPING)


def read_samples(
    dataset: Any,
    *,
    clock: Clock,
    busy_clock: Callable[[], tuple[float, float]],
    samples: int = 32,
    limit_seconds: float = READ_SECONDS,
) -> Reading | None:
    """Read random samples, each twice in a row, and once more at the end; None when the dataset is
    no sequence of samples, or has other keys than their numbers.
    """
    if not hasattr(dataset, "__getitem__") or not hasattr(dataset, "__len__") or not len(dataset):
        return None

    def read(index: int) -> tuple[tuple[float, float], list[bytes]]:
        """Seconds of a read without those in which other programs had the core, how many of them it
        computed, and the bytes that it gave.
        """
        (computed, queued), start = busy_clock(), clock()
        sample = dataset[index]
        seconds, after = clock() - start, busy_clock()
        values = [array.tobytes() for array in arrays_in(sample) if array.dtype != object]
        return (max(0.0, seconds - (after[1] - queued)), after[0] - computed), values

    indices = np.random.default_rng(0).integers(0, len(dataset), samples).tolist()
    firsts: list[tuple[float, float]] = []
    again, random, began = list[float](), False, clock()
    for index in indices:
        if len(firsts) >= LEAST_READ and clock() - began > limit_seconds:
            break
        try:
            first, values = read(index)
        except Exception:
            if firsts:
                raise
            return None  # a sampler gives it other keys: texts, pairs, lists of numbers
        second, values_again = read(index)
        firsts.append(first)
        again.append(second[0])
        random = random or values != values_again
    later = [read(index)[0][0] for index in indices[: len(firsts)]]
    total, computing = map(sum, zip(*firsts, strict=True))
    return Reading(
        statistics.median(seconds for seconds, _ in firsts),
        statistics.median(again),
        statistics.median(later),
        max(0.0, total - computing) / max(total, computing, 1e-12),
        random,
    )

"""Random numbers that depend only on seed, epoch, sample and position in a Compose.

An augmentation must not change with the number of workers, with prefetching or after a resume. So
its numbers come from a counter-based generator (Salmon, Moraes, Dror, Shaw 2011, "Parallel random
numbers: as easy as 1, 2, 3", Philox 4x64-10): a block cipher that turns a counter of four words
into four random words, under a key. The key is made from (seed, epoch). The counter

    (index, 1, position, 0)        gives the first three numbers of sample `index` at `position` of
                                   a Compose;
    (0, 0, position, index) ...    and the counters after it give all later numbers of that sample.

No number depends on the one before, so the numbers of any sample can be made at any time. The first
three numbers of consecutive samples have consecutive counters, so NumPy makes those of a whole data
set in one call (`EpochKey.uniforms`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.random.bit_generator import ISeedSequence

# How many numbers of a sample come from its first block. A block has four, but NumPy's generator
# can buffer only three.
_FIRST = 3
_BLOCK = 2048  # samples whose first numbers are made in one call
# samples above this number are drawn one by one, so that no table grows without bound
_MAX_KEPT = 2**24


@dataclass(frozen=True)
class EpochKey:
    """The random numbers of one epoch. Make it with `EpochKey.of(seed, epoch)`."""

    words: tuple[int, int]
    # by position
    _firsts: dict[int, Blocks] = field(default_factory=dict, init=False, repr=False, compare=False)

    @classmethod
    def of(cls, seed: int | None, epoch: int) -> EpochKey:
        """The key of (seed, epoch), both 0 or more and below 2**32: NumPy cuts larger numbers into
        words of 32 bits, so that two pairs could have one key. `seed=None` draws fresh entropy
        from the operating system.
        """
        sequence = np.random.SeedSequence(None if seed is None else [seed, epoch])
        return cls(tuple(int(word) for word in sequence.generate_state(2, np.uint64)))

    def generator(self, index: int, position: int = 0) -> np.random.Generator:
        """The Generator of sample `index` (0 or more) for the transform at `position` (0 or
        more) of a Compose.
        """
        return _generator(self.words, index, position)

    def generators(self, indices: Iterable[int]) -> Iterator[np.random.Generator]:
        """Yield the Generators of the samples, one after the other. It is the same object each
        time, set to the state for the next sample, which is cheaper than making a new one.

        Draw from each Generator before you ask for the next.
        """
        indices = list(indices)
        rng = self.generator(0)
        state = rng.bit_generator.state
        for index, words in zip(
            indices, self._first_words(np.array(indices, np.uint64), 0), strict=True
        ):
            state["state"]["counter"][3] = index
            state["buffer"][1:], state["buffer_pos"] = words, 1
            rng.bit_generator.state = state
            yield rng

    def uniforms(self, indices: np.ndarray, count: int, position: int = 0) -> np.ndarray:
        """The numbers that `generator(i, position).random(count)` gives, for all `indices` at once:
        float64 in [0, 1), shape (B, count).

        Up to three numbers for each sample are made in blocks at C speed and kept for the epoch (24
        bytes for each sample). For more numbers a generator is made for each sample.
        """
        indices = np.asarray(indices, dtype=np.uint64)
        if count > _FIRST:
            rows = [self.generator(int(index), position).random(count) for index in indices]
            return np.array(rows).reshape(len(indices), count)
        words = self._first_words(indices, position)[:, :count]
        # 53 random bits, as NumPy's Generator.random does
        return (words >> np.uint64(11)) * 2.0**-53

    def uniforms_from(
        self, start: int, num_samples: int, count: int, position: int = 0
    ) -> np.ndarray:
        """`uniforms` of samples start, start + 1, ... with up to three numbers each. It is one call
        that stores nothing.
        """
        if count > _FIRST:
            raise ValueError(f"count is at most {_FIRST}, got {count}; use uniforms")
        return (
            _first(self.words, start, position, num_samples)[:, :count] >> np.uint64(11)
        ) * 2.0**-53

    def _first_words(self, indices: np.ndarray, position: int) -> np.ndarray:
        """uint64 of shape (B, 3)."""
        if len(indices) and indices.max() >= _MAX_KEPT:
            return np.array([_first(self.words, int(index), position, 1)[0] for index in indices])
        if position not in self._firsts:
            self._firsts[position] = Blocks(
                lambda start, count: _first(self.words, start, position, count)
            )
        return self._firsts[position].of(indices.astype(np.int64))


class Blocks:
    """Rows of a long table, one for each sample. They are made in blocks of 2,048 when they are
    first asked for, and the table grows as needed.

    Args:
        make: make(start, count) returns the rows of samples `start` to `start + count - 1`, shape
            (count, columns).
    """

    def __init__(self, make: Callable[[int, int], np.ndarray]):
        self.make, self.rows = make, make(0, 0)
        self.made = np.zeros(0, bool)  # of each block

    def of(self, indices: np.ndarray) -> np.ndarray:
        """The rows of samples `indices` (int64, shape (B,)): shape (B, columns)."""
        highest = int(indices.max(initial=-1)) // _BLOCK + 1
        if len(self.made) < highest:
            more = max(highest, 2 * len(self.made)) - len(self.made)
            self.rows = np.concatenate(
                [self.rows, np.empty((more * _BLOCK, self.rows.shape[1]), self.rows.dtype)]
            )
            self.made = np.concatenate([self.made, np.zeros(more, bool)])
        made, rows, wanted = self.made, self.rows, np.zeros(highest, bool)
        wanted[indices // _BLOCK] = True
        for block in np.flatnonzero(wanted & ~made[:highest]).tolist():
            rows[block * _BLOCK : (block + 1) * _BLOCK] = self.make(block * _BLOCK, _BLOCK)
            made[block] = True
        return rows.take(indices, axis=0)


def at_position(rng: np.random.Generator, position: int) -> np.random.Generator:
    """The Generator of the same sample for another position of a Compose, whatever `rng` has drawn
    before.

    Raises:
        TypeError: `rng` did not come from `EpochKey.generator`.
    """
    state = rng.bit_generator.state
    if state["bit_generator"] != "Philox":
        raise TypeError(
            f"rng must come from EpochKey.generator (a Philox), got {state['bit_generator']}; call"
            " the transform without rng instead"
        )
    return _generator(state["state"]["key"], int(state["state"]["counter"][3]), position)


def _generator(key, index: int, position: int) -> np.random.Generator:
    philox = _philox(key, (0, 0, position, index))
    philox.state = {
        "bit_generator": "Philox",
        "state": {
            "counter": np.array((0, 0, position, index), np.uint64),
            "key": np.array(key, np.uint64),
        },
        # numbers in the buffer are drawn first
        "buffer": np.append(np.uint64(0), _first(key, index, position, 1)[0]),
        "buffer_pos": 1,
        "has_uint32": 0,
        "uinteger": 0,
    }
    return np.random.Generator(philox)


def _first(key, index: int, position: int, count: int) -> np.ndarray:
    """The first three words of `count` samples from `index` on: uint64 of shape (count, 3)."""
    return _philox(key, (index, 1, position, 0)).random_raw(4 * count).reshape(count, 4)[:, 1:]


class _Key(ISeedSequence):
    """Passes a key to Philox. If the key were passed as `key=`, NumPy would first collect entropy
    for a seed that is not used, which takes five times as long.
    """

    def __init__(self, words):
        # without a dtype, a list with a number over 2**63 would become float64 and be rounded
        self.words = np.array(words, np.uint64)

    def generate_state(self, n_words: int, dtype=np.uint32) -> np.ndarray:
        return self.words


def _philox(key, counter: tuple[int, int, int, int]) -> np.random.Philox:
    return np.random.Philox(_Key(key), counter=np.array(counter, np.uint64))

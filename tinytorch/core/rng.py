"""Random numbers that depend on which sample they are for, and on nothing else.

An augmentation must not change with the number of workers, with prefetching or after a resume. So
its numbers come from a counter-based generator (Salmon, Moraes, Dror, Shaw 2011, "Parallel random
numbers: as easy as 1, 2, 3", Philox 4x64-10): a block cipher that turns a counter of four words
into four random words, under a key. The key is (seed, epoch). Of the counter,

    (index, 1, position, 0)        gives the first three numbers of sample `index` at `position` of
                                   a Compose,
    (0, 0, position, index) ...    and the following give all its later ones.

Nobody needs the numbers before, so any sample's can be made at any time; and the first three of
consecutive samples have consecutive counters, so NumPy makes those of a whole data set in one call
(`EpochKey.uniforms`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.random.bit_generator import ISeedSequence

# numbers of a sample from its first block; the block has four, and NumPy lets three wait in a
# generator
_FIRST = 3
_BLOCK = 2048  # samples whose first numbers are made in one call
# samples of a higher number are drawn one by one, so that no table grows without bound
_MAX_KEPT = 2**24


@dataclass(frozen=True)
class EpochKey:
    """The random numbers of one epoch. Make it with `EpochKey.of(seed, epoch)`."""

    words: tuple[int, int]
    # by position
    _firsts: dict[int, Blocks] = field(default_factory=dict, init=False, repr=False, compare=False)

    @classmethod
    def of(cls, seed: int | None, epoch: int) -> EpochKey:
        """The key of (seed, epoch); `seed=None` draws fresh entropy from the operating system."""
        sequence = np.random.SeedSequence(None if seed is None else [seed, epoch])
        return cls(tuple(int(word) for word in sequence.generate_state(2, np.uint64)))

    def generator(self, index: int, position: int = 0) -> np.random.Generator:
        """The Generator of sample `index` (0 or more) for the transform at `position` (0 or
        more) of a Compose.
        """
        return _generator(self.words, index, position)

    def generators(self, indices: Iterable[int]) -> Iterator[np.random.Generator]:
        """The Generators of the samples, one after the other: one object, aimed anew for each,
        which is cheaper than making one.

        Draw from each before asking for the next.
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
        """What `generator(i, position).random(count)` gives, for all `indices` at once: float64 in
        [0, 1), shape (B, count).

        Up to three numbers a sample are made for whole data sets at C speed and kept for the epoch
        (24 bytes a sample); for more a generator is made for each sample.
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
        """`uniforms` of samples start, start + 1, ... and up to three numbers each, in one call
        that keeps nothing.
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
    """Rows of a long table, one for each sample, made 2,048 at a time when they are asked for; the
    table grows as it must.

    Args:
        make: make(start, count) gives the rows of samples `start` to `start + count - 1`, shape
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
        # what waits here is drawn first
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
    """Hands Philox its key. Given as `key=`, NumPy would first collect entropy for a seed that
    nobody uses: five times as slow.
    """

    def __init__(self, words):
        # a list with one number over 2**63 would become float64, rounded
        self.words = np.array(words, np.uint64)

    def generate_state(self, n_words: int, dtype=np.uint32) -> np.ndarray:
        return self.words


def _philox(key, counter: tuple[int, int, int, int]) -> np.random.Philox:
    return np.random.Philox(_Key(key), counter=np.array(counter, np.uint64))

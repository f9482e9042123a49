"""Random numbers that depend only on seed, epoch, sample and position in a Compose.

An augmentation must not change with the number of workers, with prefetching or after a resume. So
each sample and position has a Generator of its own: an SFC64 (Doty-Humphrey 2010, "Small Fast
Counting"), seeded with the number of the sample and with two words made of (seed, epoch) and of the
position. NumPy's SFC64 mixes its seed in twelve rounds; after ten, a change of one bit of the seed
changes half of the bits of each number.

A round adds and shifts words of 64 bits. NumPy does the same to whole arrays, so the numbers of
many samples can be drawn at once (`EpochKey.uniforms`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.random.bit_generator import ISeedSequence

_ROUNDS = 12  # in which SFC64 mixes its seed
_BLOCK = 4096  # samples whose numbers are made in one call
_MAX_KEPT = 2**24  # samples above this number are drawn one by one, so that no table is too long


@dataclass(frozen=True)
class EpochKey:
    """The random numbers of one epoch. Make it with `EpochKey.of(seed, epoch)`."""

    words: tuple[int, int]
    # by (count, position)
    _tables: dict[tuple[int, int], Blocks] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @classmethod
    def of(cls, seed: int | None, epoch: int) -> EpochKey:
        """The key of (seed, epoch), both 0 or more and below 2**32: NumPy cuts larger numbers into
        words of 32 bits, so that two pairs could have one key. `seed=None` draws fresh entropy
        from the operating system.
        """
        sequence = np.random.SeedSequence(None if seed is None else [seed, epoch])
        first, second = sequence.generate_state(2, np.uint64).tolist()
        return cls((first, second))

    def generator(self, index: int, position: int = 0) -> np.random.Generator:
        """The Generator of sample `index` at `position` of a Compose, both 0 or more."""
        seed: Any = _Seed(self.words, index, position)  # NumPy's types lack ISeedSequence
        return np.random.Generator(np.random.SFC64(seed))

    def uniforms(self, indices: np.ndarray, count: int, position: int = 0) -> np.ndarray:
        """The numbers that `generator(i, position).random(count)` gives, for all `indices` at once:
        float64 in [0, 1), shape (B, count).

        They are made in blocks of samples and kept as long as the key.
        """
        indices = np.asarray(indices)
        if indices.max(initial=0) >= _MAX_KEPT:
            rows = [self.generator(int(index), position).random(count) for index in indices]
            return np.array(rows)
        if (count, position) not in self._tables:
            self._tables[count, position] = Blocks(
                lambda start, size: self.uniforms_from(start, size, count, position)
            )
        return self._tables[count, position].of(indices)

    def uniforms_from(
        self, start: int, num_samples: int, count: int, position: int = 0
    ) -> np.ndarray:
        """`uniforms` of samples start, start + 1, ...; nothing is kept."""
        a = np.arange(start, start + num_samples, dtype=np.uint64)
        _, b, c = _Seed(self.words, 0, position).generate_state(3)[:, None]
        numbers = np.empty((num_samples, count))
        for turn in range(1, _ROUNDS + count + 1):
            drawn = a + b + turn
            a, b, c = b ^ (b >> 11), c + (c << 3), ((c << 24) | (c >> 40)) + drawn
            if turn > _ROUNDS:
                # 53 random bits, as NumPy's Generator.random does
                numbers[:, turn - _ROUNDS - 1] = (drawn >> 11) * 2.0**-53
        return numbers


class _Seed(ISeedSequence):
    """The three words from which NumPy starts the SFC64 of a sample at a position."""

    def __init__(self, key: tuple[int, int], index: int, position: int):
        self.key, self.index, self.position = key, index, position

    def generate_state(self, n_words: int, dtype: Any = np.uint64) -> np.ndarray:
        first, second = self.key
        return np.array((self.index, first ^ self.position, second), np.uint64)

    def sample(self) -> tuple[tuple[int, int], int]:
        """(key, index); a method, because what a test lends to a student shows only methods."""
        return self.key, self.index


def at_position(rng: np.random.Generator, position: int) -> np.random.Generator:
    """The Generator of the same sample for another position of a Compose, whatever `rng` has drawn
    before.

    Raises:
        TypeError: `rng` did not come from `EpochKey.generator`.
    """
    seed: Any = getattr(rng.bit_generator, "seed_seq", None)
    if not hasattr(seed, "sample"):
        raise TypeError(
            "rng must come from EpochKey.generator, got a Generator of"
            f" {type(rng.bit_generator).__name__}; call the transform without rng instead"
        )
    key, index = seed.sample()
    seed = _Seed(key, index, position)
    return np.random.Generator(np.random.SFC64(seed))


class Blocks:
    """Rows of a long table, one for each sample. They are made in blocks when they are first asked
    for, and the table grows as needed.

    Args:
        make: make(start, count) returns the rows of samples `start` to `start + count - 1`, shape
            (count, columns).
    """

    def __init__(self, make: Callable[[int, int], np.ndarray]):
        self.make, self.rows = make, make(0, 0)
        self.made = np.zeros(0, bool)  # of each block

    def of(self, indices: np.ndarray) -> np.ndarray:
        """The rows of samples `indices` (shape (B,)): shape (B, columns)."""
        if len(indices) == 0:
            return self.rows[:0]
        blocks = indices // _BLOCK
        more = int(blocks.max()) + 1 - len(self.made)
        if more > 0:
            more = max(more, len(self.made))
            self.rows = np.concatenate(
                [self.rows, np.empty((more * _BLOCK, self.rows.shape[1]), self.rows.dtype)]
            )
            self.made = np.concatenate([self.made, np.zeros(more, bool)])
        made = self.made.take(blocks)
        if not made.all():
            for block in set(blocks[~made].tolist()):
                start = block * _BLOCK
                self.rows[start : start + _BLOCK] = self.make(start, _BLOCK)
                self.made[block] = True
        return self.rows.take(indices, axis=0)

"""Random numbers that depend on which sample they are for, and on nothing else.

An augmentation must not change with the number of workers, with prefetching or after a resume. So its numbers come from a
counter-based generator (Salmon, Moraes, Dror, Shaw 2011, "Parallel random numbers: as easy as 1, 2, 3", Philox 4x64-10):
the key is (seed, epoch), the counter is (sample index, position in the Compose). Any sample's numbers can be computed at any
time, one sample at a time (`EpochKey.generator`) or for a whole batch in a few NumPy calls (`EpochKey.uniforms`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

_MULTIPLIERS = (np.uint64(0xD2E7470EE14C6C93), np.uint64(0xCA5A826395121157))   # Salmon et al. 2011, table 2
_WEYL = (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B)
_LOW32, _SHIFT32 = np.uint64(0xFFFFFFFF), np.uint64(32)


@dataclass(frozen=True)
class EpochKey:
    """The random numbers of one epoch. Make it with `EpochKey.of(seed, epoch)`."""

    words: tuple[int, int]

    @classmethod
    def of(cls, seed: int | None, epoch: int) -> EpochKey:
        """The key of (seed, epoch); `seed=None` draws fresh entropy from the operating system."""
        sequence = np.random.SeedSequence(None if seed is None else [seed, epoch])
        return cls(tuple(int(word) for word in sequence.generate_state(2, np.uint64)))

    def generator(self, index: int, position: int = 0) -> np.random.Generator:
        """The Generator of sample `index` (0 or more) for the transform at `position` (0 or more) of a Compose."""
        return _generator(self.words, index, position)

    def generators(self, indices: Iterable[int]) -> Iterator[np.random.Generator]:
        """The Generators of the samples, one after the other: one object, aimed anew for each, which is cheaper than making one.

        Draw from each before asking for the next.
        """
        rng = self.generator(0)
        state = rng.bit_generator.state
        for index in indices:
            state["state"]["counter"][3] = index
            rng.bit_generator.state = state
            yield rng

    def uniforms(self, indices: np.ndarray, count: int, position: int = 0) -> np.ndarray:
        """What `generator(i, position).random(count)` gives, for all `indices` at once: float64 in [0, 1), shape (B, count)."""
        indices = np.asarray(indices, dtype=np.uint64)
        blocks = []
        for block in range(-(-count // 4)):   # one Philox block is four numbers; NumPy counts from 1
            counter = [np.full_like(indices, block + 1), np.zeros_like(indices), np.full_like(indices, position), indices]
            blocks.extend(_philox(counter, self.words))
        bits = np.stack(blocks[:count], axis=1) if count else np.empty((len(indices), 0), np.uint64)
        return (bits >> np.uint64(11)) * 2.0**-53   # 53 random bits, as NumPy's Generator.random does


def at_position(rng: np.random.Generator, position: int) -> np.random.Generator:
    """The Generator of the same sample for another position of a Compose, whatever `rng` has drawn before.

    Raises:
        TypeError: `rng` did not come from `EpochKey.generator`.
    """
    state = rng.bit_generator.state
    if state["bit_generator"] != "Philox":
        raise TypeError(f"rng must come from EpochKey.generator (a Philox), got {state['bit_generator']}; call the transform without rng instead")
    return _generator(state["state"]["key"], state["state"]["counter"][3], position)


def _generator(words, index: int, position: int) -> np.random.Generator:
    # As uint64 arrays: NumPy turns a list with one number over 2**63 into float64 and rounds the key.
    key, counter = np.array(words, np.uint64), np.array([0, 0, position, index], np.uint64)
    return np.random.Generator(np.random.Philox(key=key, counter=counter))


def _philox(counter: list[np.ndarray], key: tuple[int, int]) -> list[np.ndarray]:
    """Philox 4x64 with ten rounds, on arrays of counters."""
    x0, x1, x2, x3 = counter
    for turn in range(10):
        k0, k1 = (np.uint64((word + turn * step) % 2**64) for word, step in zip(key, _WEYL))
        high0, low0 = _multiply(_MULTIPLIERS[0], x0)
        high1, low1 = _multiply(_MULTIPLIERS[1], x2)
        x0, x1, x2, x3 = high1 ^ x1 ^ k0, low1, high0 ^ x3 ^ k1, low0
    return [x0, x1, x2, x3]


def _multiply(a: np.uint64, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """High and low 64 bits of the 128-bit product, by halves of 32 bits."""
    a_high, a_low, b_high, b_low = a >> _SHIFT32, a & _LOW32, b >> _SHIFT32, b & _LOW32
    middle = a_high * b_low + ((a_low * b_low) >> _SHIFT32)
    carry = a_low * b_high + (middle & _LOW32)
    return a_high * b_high + (middle >> _SHIFT32) + (carry >> _SHIFT32), a * b

"""Random numbers by key: the vectorized form gives the numbers of the generator, and the numbers of
a sample depend only on its key.
"""

import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tinytorch.core.rng import EpochKey, at_position

LAW = settings(max_examples=100)
SEEDS = st.integers(0, 2**70)
EPOCHS = st.integers(0, 2**33)
INDICES = st.integers(0, 2**64 - 1)
POSITIONS = st.integers(0, 2**20)


@LAW
@given(
    seed=SEEDS,
    epoch=EPOCHS,
    indices=st.lists(INDICES, max_size=5),
    position=POSITIONS,
    count=st.integers(0, 13),
)
def test_uniforms_are_exactly_what_the_generators_give(seed, epoch, indices, position, count):
    key = EpochKey.of(seed, epoch)
    wanted = np.array([key.generator(index, position).random(count) for index in indices]).reshape(
        len(indices), count
    )
    np.testing.assert_array_equal(
        key.uniforms(np.array(indices, np.uint64), count, position), wanted
    )


@settings(max_examples=20)
@given(
    seed=SEEDS,
    batches=st.lists(st.lists(st.integers(0, 9_000), max_size=40), max_size=4),
    position=st.integers(0, 3),
    count=st.integers(0, 4),
)
def test_numbers_that_are_kept_for_the_epoch_are_the_same_in_any_order(
    seed, batches, position, count
):
    key = EpochKey.of(seed, 0)
    for batch in batches:
        wanted = np.array(
            [EpochKey.of(seed, 0).generator(index, position).random(count) for index in batch]
        ).reshape(len(batch), count)
        np.testing.assert_array_equal(
            key.uniforms(np.array(batch, np.int64), count, position), wanted
        )


@settings(max_examples=20)
@given(
    seed=SEEDS,
    start=st.integers(0, 5000),
    num_samples=st.integers(0, 50),
    count=st.integers(0, 9),
    position=st.integers(0, 3),
)
def test_the_numbers_of_samples_in_a_row_are_those_of_each(
    seed, start, num_samples, count, position
):
    key = EpochKey.of(seed, 0)
    wanted = key.uniforms(np.arange(start, start + num_samples), count, position)
    np.testing.assert_array_equal(key.uniforms_from(start, num_samples, count, position), wanted)


def test_the_numbers_of_a_block_of_samples_are_made_once_an_epoch(monkeypatch):
    made, real = [], EpochKey.uniforms_from

    def noted(key, start, num_samples, *rest):
        made.extend([start] * (num_samples > 0))
        return real(key, start, num_samples, *rest)

    monkeypatch.setattr(EpochKey, "uniforms_from", noted)
    key = EpochKey.of(0, 0)
    for indices in ([5, 4095], [3, 4096], [4097, 0]):
        key.uniforms(np.array(indices), 2)
    assert made == [0, 4096]


def test_a_sample_of_a_high_number_costs_no_table():
    key = EpochKey.of(0, 0)
    assert key.uniforms(np.array([2**24, 2**63], np.uint64), 2).shape == (2, 2)
    assert not key._tables


@LAW
@given(
    seed=SEEDS, epoch=EPOCHS, index=st.integers(0, 2**64 - 2), position=POSITIONS, other=POSITIONS
)
def test_no_two_samples_and_positions_share_numbers(seed, epoch, index, position, other):
    # Nine 64-bit words of each against nine of the other: equal by chance with 2^-57 a run.
    key = EpochKey.of(seed, epoch)
    one = key.generator(index, position).bit_generator.random_raw(9).tolist()
    assert not set(one) & set(
        key.generator(index + 1, position).bit_generator.random_raw(9).tolist()
    )
    assert other == position or not set(one) & set(
        key.generator(index, other).bit_generator.random_raw(9).tolist()
    )
    assert len(set(one)) == 9


@LAW
@given(
    seed=SEEDS,
    epoch=EPOCHS,
    index=INDICES,
    positions=st.lists(POSITIONS, min_size=2, max_size=2),
    draws=st.integers(0, 9),
)
def test_the_next_position_does_not_depend_on_what_was_drawn_before(
    seed, epoch, index, positions, draws
):
    key, (start, other) = EpochKey.of(seed, epoch), positions
    one = key.generator(index, start)
    one.random(draws)
    one.integers(0, 3, draws, dtype=np.uint8)
    assert (
        at_position(one, other).random(3).tolist() == key.generator(index, other).random(3).tolist()
    )


@LAW
@given(seed=SEEDS, epoch=EPOCHS, index=INDICES, position=POSITIONS)
def test_changing_any_part_of_the_key_changes_the_numbers(seed, epoch, index, position):
    # Two 53-bit numbers equal by chance: 2^-53 for each of 400 comparisons, 5e-14.
    number = EpochKey.of(seed, epoch).generator(index, position).random()
    others = [
        EpochKey.of(seed + 1, epoch).generator(index, position),
        EpochKey.of(seed, epoch + 1).generator(index, position),
        EpochKey.of(seed, epoch).generator(index ^ 1, position),
        EpochKey.of(seed, epoch).generator(index, position + 1),
    ]
    assert number not in [other.random() for other in others]


def test_seed_and_epoch_do_not_stand_in_for_each_other():
    assert EpochKey.of(1, 2) != EpochKey.of(2, 1)
    assert EpochKey.of(1, 2) == EpochKey.of(1, 2)


def test_without_a_seed_every_key_is_new():
    assert EpochKey.of(None, 0) != EpochKey.of(None, 0)  # equal by chance: 2^-128


def test_a_generator_that_was_sent_to_a_worker_still_knows_its_sample():
    one = EpochKey.of(3, 1).generator(7, 2)
    one.random(5)
    sent = pickle.loads(pickle.dumps(one))
    assert at_position(sent, 1).random() == EpochKey.of(3, 1).generator(7, 1).random()
    assert sent.random() == one.random()


def test_numpys_global_generator_is_not_touched():
    before = np.random.get_state()[1].tolist()
    key = EpochKey.of(0, 0)
    at_position(key.generator(0), 1).random(5)
    key.uniforms(np.arange(5), 5)
    EpochKey.of(None, 0)
    assert np.random.get_state()[1].tolist() == before


@pytest.mark.parametrize(
    "numbers",
    [
        # over samples
        lambda: EpochKey.of(0, 0).uniforms(np.arange(50_000), 1).ravel(),
        # within a sample
        lambda: EpochKey.of(0, 0).uniforms([0], 4_000).ravel(),
        # over epochs
        lambda: np.array(
            [EpochKey.of(0, e).uniforms(np.arange(250), 1) for e in range(200)]
        ).ravel(),
        # over positions
        lambda: np.array(
            [EpochKey.of(0, 0).uniforms(np.arange(250), 1, p) for p in range(200)]
        ).ravel(),
    ],
    ids=["samples", "draws", "epochs", "positions"],
)
def test_numbers_are_uniform_along_every_part_of_the_key(numbers):
    """Seeds are fixed, so the result is too; over seeds, a fair generator would fail one of
    these with p < 1e-6.
    """
    values = numbers()
    assert values.min() >= 0 and values.max() < 1
    # Kolmogorov-Smirnov with the DKW bound (Massart 1990): P(distance > d) <= 2 exp(-2 n d^2) =
    # 1e-7.
    values = np.sort(values)
    distance = max(
        np.abs(values - np.arange(len(values)) / len(values)).max(),
        np.abs(values - np.arange(1, len(values) + 1) / len(values)).max(),
    )
    assert distance < math.sqrt(math.log(2 / 1e-7) / (2 * len(values)))


def test_a_change_of_one_bit_changes_half_of_the_bits_of_the_first_number():
    """Of the sample's number, of the position, and of each word of the key: the seed is mixed."""

    def first_words(key, index, position):
        return EpochKey(key).generator(index, position).bit_generator.random_raw(1)

    draw = np.random.default_rng(0)
    changed = []
    for _ in range(40):
        low, high, index = (int(word) for word in draw.integers(0, 2**63, 3))
        first = first_words((low, high), index, 0)
        for bit in range(64):
            others = [
                first_words((low, high), index ^ 1 << bit, 0),
                first_words((low, high), index, 1 << bit),
                first_words((low ^ 1 << bit, high), index, 0),
                first_words((low, high ^ 1 << bit), index, 0),
            ]
            changed += [np.unpackbits((first ^ other).view(np.uint8)) for other in others]
    # 40 cases, 64 bits of the seed, 4 words of it, 64 bits of the number
    changed = np.reshape(changed, (40, 64, 4, 64))
    # A share of 0.5 is missed by 6 sigma with 2e-9, over seeds: of 10,240 changes of a bit of the
    # number, and of 2,560 that a bit of the seed makes.
    assert np.abs(changed.mean(axis=(0, 1, 2)) - 0.5).max() < 0.03
    assert np.abs(changed.mean(axis=(0, 3)) - 0.5).max() < 0.06


def test_neighboring_samples_and_positions_are_uncorrelated():
    values = EpochKey.of(0, 0).uniforms(np.arange(50_000), 2)
    other = EpochKey.of(0, 0).uniforms(np.arange(50_000), 2, position=1)
    for a, b in [
        (values[:-1, 0], values[1:, 0]),
        (values[:, 0], values[:, 1]),
        (values[:, 0], other[:, 0]),
    ]:
        # 5.5 sigma of a correlation of independent numbers: 4e-8 for each, over seeds.
        assert abs(np.corrcoef(a, b)[0, 1]) < 5.5 / math.sqrt(len(a))


def test_only_generators_made_by_a_key_can_change_position():
    with pytest.raises(
        TypeError, match=r"from EpochKey.generator, got .* PCG64; call the transform without rng"
    ):
        at_position(np.random.default_rng(0), 1)

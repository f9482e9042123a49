"""Random numbers by key: vectorized as one by one, whatever was drawn before."""

import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tinytorch.core.rng import EpochKey, at_position

SEEDS = st.integers(0, 2**70)
EPOCHS = st.integers(0, 2**33)
INDICES = st.integers(0, 2**64 - 1)
POSITIONS = st.integers(0, 2**20)
LAW = settings(max_examples=60)
KEY = EpochKey.of(0, 0)


def one_by_one(key, indices, count, position):
    drawn = [key.generator(index, position).random(count) for index in indices]
    return np.reshape(drawn, (len(indices), count))


@LAW
@given(SEEDS, EPOCHS, st.lists(INDICES, max_size=5), POSITIONS, st.integers(0, 13))
def test_uniforms_are_exactly_what_the_generators_give(seed, epoch, indices, position, count):
    before = np.random.get_state()[1].tolist()
    key = EpochKey.of(seed, epoch)
    found = key.uniforms(np.array(indices, np.uint64), count, position)
    assert np.random.get_state()[1].tolist() == before
    np.testing.assert_array_equal(found, one_by_one(key, indices, count, position))


@settings(max_examples=20)
@given(
    seed=SEEDS,
    batches=st.lists(st.lists(st.integers(0, 9_000), max_size=40), max_size=4),
    position=st.integers(0, 3),
    count=st.integers(0, 4),
)
def test_numbers_that_are_kept_for_the_epoch_are_the_same_in_any_order_and_in_a_row(
    seed, batches, position, count
):
    key = EpochKey.of(seed, 0)
    for batch in batches:
        wanted = one_by_one(EpochKey.of(seed, 0), batch, count, position)
        found = key.uniforms(np.array(batch, np.int64), count, position)
        np.testing.assert_array_equal(found, wanted)
        start = min(batch, default=0)
        row = one_by_one(key, range(start, start + len(batch)), count, position)
        found = key.uniforms_from(start, len(batch), count, position)
        np.testing.assert_array_equal(found, row)


@LAW
@given(SEEDS, EPOCHS, INDICES, POSITIONS, POSITIONS, st.integers(0, 9))
def test_the_next_position_does_not_depend_on_what_was_drawn_before(
    seed, epoch, index, start, other, draws
):
    key = EpochKey.of(seed, epoch)
    one = key.generator(index, start)
    one.random(draws)
    one.integers(0, 3, draws, dtype=np.uint8)
    sent = pickle.loads(pickle.dumps(one))  # as to a worker process
    wanted = key.generator(index, other).random(3).tolist()
    assert at_position(one, other).random(3).tolist() == wanted
    assert at_position(sent, other).random(3).tolist() == wanted
    assert sent.random() == one.random()


@LAW
@given(SEEDS, EPOCHS)
def test_seed_and_epoch_make_the_key_and_without_a_seed_every_key_is_new(seed, epoch):
    # equal by chance: 2^-128
    assert EpochKey.of(seed, epoch) == EpochKey.of(seed, epoch)
    others = EpochKey.of(seed + 1, epoch), EpochKey.of(seed, epoch + 1), EpochKey.of(None, epoch)
    assert EpochKey.of(seed, epoch) not in others
    assert EpochKey.of(None, 0) != EpochKey.of(None, 0)


def test_numbers_of_neighboring_samples_positions_and_epochs_are_uncorrelated():
    values, other = (KEY.uniforms(np.arange(50_000), 2, position) for position in (0, 1))
    later = EpochKey.of(0, 1).uniforms(np.arange(50_000), 1)
    first = values[:, 0]
    pairs = [(first, values[:, 1]), (first, other[:, 0]), (first, later[:, 0])]
    for one, two in [(first[:-1], first[1:]), *pairs]:
        # 5.5 sigma of a correlation of independent numbers: 4e-8 for each, over seeds.
        assert abs(np.corrcoef(one, two)[0, 1]) < 5.5 / math.sqrt(len(one))


def test_only_generators_made_by_a_key_can_change_position():
    says = r"from EpochKey.generator, got .* PCG64; call the transform without rng"
    with pytest.raises(TypeError, match=says):
        at_position(np.random.default_rng(0), 1)

"""Laws of a pipeline: for every chain of steps and any number of workers, the samples are those of
a plain loop, a resumed epoch gives exactly the remaining samples, and what a loader shows builds it
again.
"""

import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pipeline_kit import DATASET, ROWS, chains, expected, loader_of, noisy, plain, rows_of


@given(chain=chains(), seed=st.integers(0, 5))
@settings(max_examples=50)
def test_any_chain_gives_the_samples_of_the_plain_loop(package, chain, seed):
    steps, loader = dict(chain), loader_of(package, chain, seed=seed)
    batches, want = plain(loader), expected(chain)
    size, drop_last = steps["batch"]["batch_size"], steps["batch"]["drop_last"]
    got = [row for batch in batches for row in batch["x"]]
    assert len(batches) == len(loader)
    assert all(len(batch["x"]) == size for batch in batches[:-1])
    assert all(1 <= len(batch["x"]) <= size for batch in batches[-1:])
    if want is not None:
        lost = len(want) % size if drop_last else 0
        assert len(got) == len(want) - lost and not Counter(got) - Counter(want), (
            "nothing twice, nothing invented, nothing lost but a short last batch"
        )
        if "shuffle" not in steps or steps["shuffle"]["buffer_size"] == 0:
            assert got == want[: len(got)]
    else:
        rows = DATASET.query(**steps["query"]) if "query" in steps else np.arange(ROWS)
        weights = DATASET.weights(steps["sample_by"]["weights"])
        assert all(row in rows and weights[row] > 0 for row in got)
        assert steps["sample_by"]["replace"] or len(set(got)) == len(got)


@pytest.mark.parametrize("num_workers, later_workers", [(0, 0), (0, 2), (2, 0), (1, 3)])
@given(data=st.data(), chain=chains())
@settings(max_examples=8)
def test_what_is_resumed_at_any_batch_is_exactly_the_rest(
    package, num_workers, later_workers, data, chain
):
    loader = loader_of(package, chain, seed=7, num_workers=num_workers)
    undisturbed = loader_of(package, chain, seed=7)
    whole, following = plain(undisturbed), plain(undisturbed)
    stop = data.draw(st.integers(0, len(whole)))
    epoch = iter(loader)
    head = plain(next(epoch) for _ in range(stop))
    state = json.loads(json.dumps(loader.state_dict()))
    epoch.close()
    # another seed: the one in the state is used
    later = loader_of(package, chain, seed=99, num_workers=later_workers)
    later.load_state_dict(state)
    assert head + plain(later) == whole
    assert plain(later) == following, "the epoch after it is what it would have been"
    assert len(json.dumps(state)) < 1500


# Epochs


def test_every_epoch_has_its_own_order_and_a_seed_repeats_them(package):
    first, again, both, other = (
        package.pipeline(DATASET, seed=seed).shuffle().batch(8) for seed in (1, 1, 1, 2)
    )
    orders = [[rows_of(loader) for _ in range(3)] for loader in (first, again, other)]
    assert orders[0] == orders[1]
    # 40 rows: two equal orders once in 40!
    assert len({tuple(order) for order in orders[0] + orders[2]}) == 6
    at_once = [rows_of(side) for side in zip(*zip(both, both, strict=True), strict=True)]
    assert at_once == orders[0][:2]


# A loader shows its chain: the arguments that are not the default, in lines of 80 columns


OUTPUTS = [{}, {"num_workers": 2, "prefetch_factor": 3}, {"tensors": ["x", "text"]}]
SHARES = [{}, {"rank": 1, "world_size": 3}]


@given(
    chain=chains(),
    seed=st.integers(0, 3),
    output=st.sampled_from(OUTPUTS),
    share=st.sampled_from(SHARES),
)
@settings(max_examples=40)
def test_what_a_loader_shows_builds_it_again(package, chain, seed, output, share):
    loader = loader_of(package, chain, seed=seed, **output, **share)
    text = repr(loader)
    typed = text.replace("<40 rows of x, kind, text>", "DATASET").replace("\n", "")
    again = eval(typed, {"pipeline": package.pipeline, "DATASET": DATASET, "noisy": noisy})
    assert same(again, loader) and max(map(len, text.split("\n"))) <= 80
    assert again.state_dict() == loader.state_dict()


def same(one, other) -> bool:
    """Whether the settings of all steps are equal, arrays included."""
    return list(one.steps) == list(other.steps) and all(
        np.array_equal(value, other.steps[step][name])
        for step, arguments in one.steps.items()
        for name, value in arguments.items()
    )

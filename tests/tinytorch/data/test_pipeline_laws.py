"""Laws of a pipeline: for every chain of steps and any number of workers, the samples are those of
a plain loop, and a resumed epoch gives exactly the remaining samples.
"""

import itertools
import json
import os
import signal
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pipeline_chains import (
    BUFFERS,
    DATASET,
    ROWS,
    chains,
    expected,
    is_void,
    loader_of,
    plain,
    rows_of,
)

from tinytorch.data.columns import ColumnDataset


@given(chain=chains(), seed=st.integers(0, 5))
@settings(max_examples=50)
def test_any_chain_gives_the_samples_of_the_plain_loop(package, chain, seed):
    if is_void(chain):
        return
    steps, loader = dict(chain), loader_of(package, chain, seed=seed)
    batches, want = plain(loader), expected(chain)
    size, drop_last = steps["batch"]["batch_size"], steps["batch"]["drop_last"]
    got = [row for batch in batches for row in batch["x"]]
    assert len(batches) == len(loader)
    assert all(len(batch["x"]) == size for batch in batches[:-1]) and all(
        1 <= len(batch["x"]) <= size for batch in batches[-1:]
    )
    if want is not None:
        lost = len(want) % size if drop_last else 0
        assert len(got) == len(want) - lost and not Counter(got) - Counter(want), (
            "nothing twice, nothing invented, nothing lost but a short last batch"
        )
        if "shuffle" not in steps or steps["shuffle"]["buffer_size"] == 0:
            assert got == want[: len(got)]
    else:
        rows = (
            DATASET.query(steps["query"]["query_string"]) if "query" in steps else np.arange(ROWS)
        )
        weights = DATASET.weights(steps["sample_by"]["weights"])
        assert all(row in rows and weights[row] > 0 for row in got)
        assert steps["sample_by"]["replace"] or len(set(got)) == len(got)


@pytest.mark.parametrize("num_workers", [1, 3])
@given(chain=chains())
@settings(max_examples=8)
def test_any_number_of_workers_gives_the_same_batches(package, chain, num_workers):
    if is_void(chain):
        return
    alone, shared = loader_of(package, chain), loader_of(package, chain, num_workers)
    for _ in range(2):  # epochs
        assert plain(alone) == plain(shared)


@pytest.mark.parametrize("num_workers, later_workers", [(0, 0), (0, 2), (2, 0), (1, 3)])
@given(data=st.data(), chain=chains())
@settings(max_examples=8)
def test_what_is_resumed_at_any_batch_is_exactly_the_rest(
    package, num_workers, later_workers, data, chain
):
    if is_void(chain):
        return
    loader = loader_of(package, chain, num_workers, seed=7)
    undisturbed = loader_of(package, chain, seed=7)
    whole, following = plain(undisturbed), plain(undisturbed)
    stop = data.draw(st.integers(0, len(whole)))
    epoch = iter(loader)
    head = plain(next(epoch) for _ in range(stop))
    state = json.loads(json.dumps(loader.state_dict()))
    epoch.close()
    # another seed: the one in the state is used
    later = loader_of(package, chain, later_workers, seed=99)
    later.load_state_dict(state)
    assert head + plain(later) == whole
    assert plain(later) == following, "the epoch after it is what it would have been"
    assert len(json.dumps(state)) < 1500


def test_a_state_is_small_and_does_not_grow(package):
    ds = ColumnDataset({"x": np.arange(20_000)})
    loader = package.pipeline(ds, seed=1).shuffle(buffer_size=0.05).batch(10)
    epoch, sizes = iter(loader), []
    for _ in range(3):
        list(itertools.islice(epoch, 500))
        sizes.append(len(json.dumps(loader.state_dict())))
    assert max(sizes) < 1000 and max(sizes) - min(sizes) < 10


def test_resuming_reads_only_what_is_still_to_come(package):
    class Counting(ColumnDataset):
        def read(self, index, names=None):
            reads.append(index)
            return super().read(index, names)

    reads: list[int] = []
    ds = Counting({"x": np.zeros((400, 1000))})  # 8 kB a row, 50 rows in the buffer
    loader = package.pipeline(ds, seed=1).shuffle(buffer_size=0.4).batch(10)
    epoch = iter(loader)
    for _ in range(30):
        next(epoch)
    later = package.pipeline(ds, seed=1).shuffle(buffer_size=0.4).batch(10)
    later.load_state_dict(loader.state_dict())
    reads.clear()
    assert sum(len(batch["x"]) for batch in later) == 100 == len(reads) == len(set(reads))


# Ranks


@given(
    world=st.integers(1, 6),
    size=st.integers(1, 5),
    buffer=st.sampled_from(BUFFERS),
    offset=st.integers(0, ROWS),
    drop_last=st.booleans(),
)
@settings(max_examples=40)
def test_ranks_share_the_rows_out(package, world, size, buffer, offset, drop_last):
    parts = [
        rows_of(
            package.pipeline(DATASET, seed=3)
            .shuffle(buffer_size=buffer)
            .offset(offset)
            .batch(size, drop_last=drop_last)
            .numpy(rank=rank, world_size=world)
        )
        for rank in range(world)
    ]
    got = sum(parts, [])
    assert len(set(got)) == len(got), "no row at two ranks"
    if drop_last:
        assert len({len(part) for part in parts}) == 1, (
            "as many batches at every rank: training in step would wait for ever otherwise"
        )
        assert ROWS - offset - len(got) < world * size and set(got) <= set(range(offset, ROWS))
    else:
        assert (
            sorted(got) == list(range(offset, ROWS))
            and max(map(len, parts)) - min(map(len, parts)) <= 1
        )


def test_ranks_share_a_draw_out(package):
    """With one seed all ranks draw the same rows; without a seed they could not."""

    def part(rank, **seed):
        return rows_of(
            package.pipeline(DATASET, **seed)
            .sample_by("x", replace=False)
            .batch(4)
            .numpy(rank=rank, world_size=3)
        )

    assert sorted(part(0, seed=5) + part(1, seed=5) + part(2, seed=5)) == list(range(1, ROWS))
    with pytest.raises(ValueError, match="seed"):
        part(0)


# Epochs


def test_a_loader_holds_its_buffer_and_a_batch(package):
    held, most = 0, []

    class Weighed(ColumnDataset):
        def read(self, index, names=None):
            nonlocal held
            held += self.row_bytes(index, names)
            most.append(held)
            return super().read(index, names)

    ds = Weighed({"x": np.arange(ROWS), "text": DATASET.columns["text"].values})
    for batch in package.pipeline(ds).shuffle(buffer_size=0.02).batch(4):
        held -= sum(ds.row_bytes(int(row)) for row in batch["x"])
    assert held == 0
    assert max(most) <= 20_000 + 5 * max(ds.row_bytes(row) for row in range(ROWS)), (
        "the buffer, a batch and the row in hand"
    )


def test_every_epoch_has_its_own_order_and_a_seed_repeats_them(package):
    first, again, other = (
        package.pipeline(DATASET, seed=seed).shuffle().batch(8) for seed in (1, 1, 2)
    )
    orders = [[rows_of(loader) for _ in range(3)] for loader in (first, again, other)]
    assert orders[0] == orders[1]
    # 40 rows: two equal orders once in 40!
    assert len({tuple(order) for order in orders[0] + orders[2]}) == 6


def test_two_epochs_at_once_do_not_disturb_each_other(package):
    one, both = (
        package.pipeline(DATASET, seed=4).shuffle(buffer_size=0.02).batch(4) for _ in range(2)
    )
    want = [plain(one), plain(one)]
    first, second = iter(both), iter(both)
    got = [(next(first), next(second)) for _ in range(len(both))]
    assert [plain(side) for side in zip(*got, strict=True)] == want


def test_after_the_death_of_a_worker_the_next_epoch_has_new_ones(package, tmp_path):
    once = tmp_path / "once"
    once.touch()

    def deadly(row):
        if row["x"] == 7 and once.exists():
            once.unlink()
            os.kill(os.getpid(), signal.SIGTERM)
        return row

    loader = (
        package.pipeline(DATASET)
        .transform(deadly)
        .batch(4)
        .numpy(num_workers=2, persistent_workers=True)
    )
    with pytest.raises(RuntimeError, match="worker"):
        list(loader)
    assert rows_of(loader) == list(range(ROWS))
    loader.close()

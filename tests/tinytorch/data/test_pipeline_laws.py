"""Laws of a pipeline: for every chain of steps and any number of workers, the samples are those of
a plain loop, a resumed epoch gives exactly the remaining samples, also after a `kill -9`, and what
a loader shows builds it again.
"""

import json
import os
import signal
import subprocess
import sys
from collections import Counter

import numpy as np
import psutil
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from leak_watch import alive
from pipeline_kit import (
    DATASET,
    ROWS,
    chains,
    expected,
    is_void,
    loader_of,
    noisy,
    plain,
    rows_of,
)

from helpers.patience import PATIENCE_SECONDS, until


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


# A training run that is killed


# It prints each batch with the state after it; a batch counts when its state was kept.
TRAIN = """
import json, sys
import numpy as np
from tinytorch.data.columns import ColumnDataset
from tinytorch.data.pipeline import pipeline

def augment(row, rng):
    return {"x": row["x"], "noise": rng.integers(2**60)}

if __name__ == "__main__":
    chain, num_workers, seed, state, stop = json.loads(sys.argv[1])
    ds = ColumnDataset({"x": np.arange(300), "image": np.zeros((300, 1000), np.uint8)})
    steps = eval(f"pipeline(ds, seed=seed).{chain}").transform(augment).batch(7)
    loader = steps.numpy(num_workers=num_workers)
    if state:
        loader.load_state_dict(state)
    while loader.state_dict()["epoch"] < 2:
        for batch in loader:
            rows = batch["x"].tolist(), batch["noise"].tolist()
            print(json.dumps([rows, loader.state_dict()]), flush=True)
            stop -= 1
            if stop == 0:
                sys.stdin.read()  # until it is killed
"""
DRAWN = 'query("select * where x % 3 != 0").sample_by("x")'


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
@pytest.mark.parametrize(
    "chain, before, after, stop",
    [("shuffle(buffer_size=0.05)", 2, 0, 20), (DRAWN, 0, 3, 40)],
)
def test_a_run_that_was_killed_goes_on_with_the_exact_next_batch(
    references, tmp_path, chain, before, after, stop
):
    def start(*given) -> subprocess.Popen:
        return subprocess.Popen(
            [sys.executable, str(tmp_path / "train.py"), json.dumps([chain, *given])],
            env={**os.environ, "PYTHONPATH": str(references("08c").path), "PYTHONUTF8": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def batches(run) -> list:
        printed, _ = run.communicate(timeout=PATIENCE_SECONDS)
        assert run.returncode == 0
        return [json.loads(line) for line in printed.splitlines()]

    (tmp_path / "train.py").write_text(TRAIN, encoding="utf-8")
    whole = batches(start(0, 5, None, -1))
    run = start(before, 5, None, stop)
    head = [json.loads(run.stdout.readline()) for _ in range(stop)]
    workers = [child.pid for child in psutil.Process(run.pid).children()]
    assert len(workers) >= before
    run.send_signal(signal.SIGKILL)
    run.communicate(timeout=PATIENCE_SECONDS)
    assert until(lambda: not any(map(alive, workers))), "they leave on their own"
    # another seed: the one in the state is used
    rest = batches(start(after, 6, head[-1][1], -1))
    assert [rows for rows, _ in head + rest] == [rows for rows, _ in whole]

"""A training run that is killed with `kill -9` in the middle of an epoch resumes with exactly the
next batch, even with another number of workers.
"""

import json
import os
import signal
import subprocess
import sys

import psutil
import pytest
from leak_watch import alive, wait_until
from patience import PATIENCE_SECONDS

# Writes one line for each batch, and stores the state as a careful program would: in another file,
# which is then renamed. A batch counts when its state is on disk; the log holds the batches that
# were trained on.
TRAIN = """
import json, os, sys
import numpy as np
from tinytorch.data.columns import ColumnDataset
from tinytorch.data.pipeline import pipeline

def augment(row, rng):
    return {"x": row["x"], "noise": rng.integers(2**60)}

def loader_with(num_workers, seed):
    ds = ColumnDataset({"x": np.arange(300), "image": np.zeros((300, 1000), np.uint8)})
    steps = CHAIN
    return steps(pipeline(ds, seed=seed)).transform(augment).batch(7).numpy(num_workers=num_workers)

def train(num_workers, seed, log, state_file, epochs, stop_after):
    loader = loader_with(num_workers, seed)
    if os.path.exists(state_file):
        with open(state_file) as file:
            loader.load_state_dict(json.load(file))
    while loader.state_dict()["epoch"] < epochs:
        for batch in loader:
            with open(log, "a") as file:
                file.write(json.dumps([batch["x"].tolist(), batch["noise"].tolist()]) + "\\n")
            with open(state_file + ".new", "w") as file:
                json.dump(loader.state_dict(), file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(state_file + ".new", state_file)
            stop_after -= 1
            if stop_after == 0:
                print("ready", flush=True)
                sys.stdin.read()   # until it is killed

if __name__ == "__main__":
    arguments = json.loads(sys.argv[1])
    train(**arguments)
    print("done", flush=True)
"""

CHAINS = {
    "shuffled": "lambda loader: loader.shuffle(buffer_size=0.05)",
    "drawn": 'lambda loader: loader.query("select * where x % 3 != 0").sample_by("x")',
    "in order": "lambda loader: loader.offset(11)",
}


def start(package, tmp_path, chain: str, log, **arguments) -> subprocess.Popen:
    """A run of two epochs; it writes `log` and keeps its state in a file beside it."""
    script = tmp_path / "train.py"
    script.write_text(TRAIN.replace("CHAIN", CHAINS[chain]), encoding="utf-8")
    given = {"log": str(log), "state_file": f"{log}.json", "epochs": 2, **arguments}
    return subprocess.Popen(
        [sys.executable, str(script), json.dumps(given)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(package.path), "PYTHONUTF8": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def finish(process: subprocess.Popen) -> None:
    out, err = process.communicate(timeout=PATIENCE_SECONDS)
    assert (process.returncode, out.strip()) == (0, "done"), err


def lines(path) -> list:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
@pytest.mark.parametrize(
    "chain, before, after, stop",
    [("shuffled", 2, 0, 20), ("shuffled", 0, 3, 60), ("drawn", 2, 1, 5), ("in order", 1, 2, 41)],
)
def test_a_run_that_was_killed_goes_on_with_the_exact_next_batch(
    references, tmp_path, chain, before, after, stop
):
    package, whole, log = references("08c"), tmp_path / "whole.txt", tmp_path / "log.txt"
    finish(start(package, tmp_path, chain, whole, num_workers=0, seed=5, stop_after=-1))
    run = start(package, tmp_path, chain, log, num_workers=before, seed=5, stop_after=stop)
    assert run.stdout.readline().strip() == "ready", run.stderr.read()
    workers = [child.pid for child in psutil.Process(run.pid).children()]
    assert len(workers) >= before
    run.send_signal(signal.SIGKILL)
    run.communicate(timeout=PATIENCE_SECONDS)
    assert run.returncode == -signal.SIGKILL
    assert wait_until(lambda: not any(map(alive, workers))), "they leave on their own"
    assert lines(log) == lines(whole)[:stop]

    # Another seed on the command line: the one in the state is used.
    finish(start(package, tmp_path, chain, log, num_workers=after, seed=6, stop_after=-1))
    assert lines(log) == lines(whole), (
        "the rest of this epoch and the whole next one, in rows and in random numbers"
    )

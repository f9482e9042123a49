"""What names in PyTorch's test_dataloader.py (listed in test_page_pytorch.py) ask of loaders with
worker processes, and of programs that end while these work.
"""

from __future__ import annotations

import itertools
import os
import signal
import sys

import numpy as np
import pytest
from leak_watch import nothing_left
from peers_kit import Counting, numbers

from tinytorch.data.workers import WorkerDied, worker_info

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="with spawn, workers could not import the classes of this file"
)


def test_a_worker_cannot_change_what_it_knows(make):
    def changes(item):
        with pytest.raises(AttributeError, match="cannot assign"):
            worker_info().id = 3999
        return repr(worker_info())

    (shown,) = make(Counting(1), bs=None, num_workers=1, after_item=changes)
    assert all(f"{name}=" in shown for name in ("id", "num_workers", "seed"))
    assert worker_info() is None


def test_workers_that_stay_keep_the_dataset_as_they_got_it(make):
    class Dataset(list):
        start = 0

        def __getitem__(self, index):
            return self.start + index

    data, epochs = Dataset(range(4)), []
    loader = make(data, bs=2, num_workers=2, start_method="fork", persistent_workers=True)
    for data.start in range(3):
        epochs.append(numbers(loader))
    assert epochs == [[[0, 1], [2, 3]]] * 3


@pytest.mark.parametrize("persistent_workers", [False, True])
def test_workers_end_when_a_loop_is_left_half_way(make, persistent_workers):
    with nothing_left():
        loader = make(np.arange(100), bs=2, num_workers=4, persistent_workers=persistent_workers)
        batches = iter(loader)
        assert len(list(itertools.islice(batches, 11))) == 11
        batches.close()
        if persistent_workers:
            loader.close()


@pytest.mark.parametrize("persistent_workers", [False, True])
def test_kept_batches_need_no_open_files(program, persistent_workers):
    ran = program(f"""
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))
loader = DataLoader(Stream(200), bs=1, num_workers=1, persistent_workers={persistent_workers})
print(len(list(loader)))
""")
    assert (ran.code, ran.out, ran.left) == (0, "200\n", []), ran.err


ENDS = {
    "by itself": (0, ""),
    "the loop is left": (0, ""),
    "error in the loop": (1, "RuntimeError: Loop error"),
    "error in a worker": (1, "RuntimeError: Worker error"),
    "worker sleeps": (1, "timeout=0.3 seconds"),
    "worker killed": (1, "was killed by signal 9"),
    "program killed": (-9, ""),
}


@pytest.mark.parametrize(
    "kind, persistent_workers, holds",
    [
        ("Rows", True, True),
        ("Rows", False, False),
        ("Stream", True, False),
        ("Stream", False, True),
        ("Batches", False, True),
        ("Divided", True, True),
    ],
)
def test_however_a_program_ends_its_workers_end_too(program, kind, persistent_workers, holds):
    """The trouble comes with item 4 of 12."""
    for end, (code, says) in ENDS.items():
        ran = program(f"""
END, AT = {end!r}, 4
def trouble(index):
    if index.max() == AT and END == "error in a worker":
        raise RuntimeError("Worker error")
    if index.max() == AT and END == "worker sleeps":
        time.sleep(10_000)
    if index.max() == AT and END == "worker killed":
        os.kill(os.getpid(), signal.SIGKILL)
    return index
loader = DataLoader({kind}(12), bs=1, num_workers=2, persistent_workers={persistent_workers},
                    after_item=trouble, timeout=0.3 if END == "worker sleeps" else 0)
batches = iter(loader)
for place, batch in enumerate(batches):
    if place == 0 and not {holds}:
        del loader, batches
    if place == AT and END == "the loop is left":
        break
    if place == AT and END == "error in the loop":
        raise RuntimeError("Loop error")
    if place == AT and END == "program killed":
        os.kill(os.getpid(), signal.SIGKILL)
""")
        assert ran.code == code and says in ran.err and not ran.left, (end, ran.code, ran.err)


def test_after_the_death_of_a_worker_the_next_epoch_has_new_ones(make, tmp_path):
    once = tmp_path / "once"
    once.touch()

    def deadly(item):
        if item == 4 and once.exists():
            once.unlink()
            os.kill(os.getpid(), signal.SIGKILL)
        return item

    with nothing_left():
        loader = make(Counting(6), bs=2, num_workers=2, persistent_workers=True, after_item=deadly)
        with pytest.raises(WorkerDied, match="SIGKILL"):
            list(loader)
        assert numbers(loader) == [[0, 1], [2, 3], [4, 5]]
        loader.close()

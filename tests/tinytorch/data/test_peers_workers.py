"""What names in PyTorch's test_dataloader.py (listed in test_page_pytorch.py) ask of worker
processes: how they start, what they keep, and how a program with workers ends.
"""

from __future__ import annotations

import itertools
import os
import signal
import sys
import time

import numpy as np
import pytest
from leak_watch import nothing_left
from peers_kit import Counting, numbers, stays

from tinytorch.data.workers import WorkerDied, worker_info

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="with spawn, workers could not import the classes of this file"
)


@stays
def test_an_error_of_worker_init_is_raised(make, persistent_workers):
    def fails(info):
        raise RuntimeError("Error in worker_init")

    settings = {"worker_init": fails, "persistent_workers": persistent_workers}
    with pytest.raises(RuntimeError, match="Error in worker_init"):
        list(make(Counting(9), bs=3, num_workers=2, **settings))


@pytest.mark.parametrize("method", [None, "fork", "spawn"])
def test_every_start_method_gives_the_same(program, method):
    """Of several loaders that are read in turns, one with workers that stay."""
    ran = program(f"""
loaders = [iter(DataLoader(np.arange(11), bs=3, num_workers=count, start_method={method!r},
                           persistent_workers=count == 2)) for count in (1, 2)]
print([batch.data.tolist() for pair in zip(*loaders) for batch in pair])
""")
    batches = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10]]
    assert ran.out == f"{[batch for batch in batches for _ in range(2)]}\n", ran.err
    assert not ran.left


@pytest.mark.parametrize("wrong", ["bad", object()])
def test_a_start_method_that_this_system_has_not_is_refused(make, wrong):
    with pytest.raises(ValueError, match="start_method is 'fork' or 'spawn' on this system, got"):
        list(make(Counting(4), bs=2, num_workers=1, start_method=wrong))


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="Linux alone pins processes")
def test_worker_init_may_pin_its_worker_to_a_core(make):
    core = sorted(os.sched_getaffinity(0))[-1]
    loader = make(
        Counting(4),
        bs=None,
        num_workers=2,
        worker_init=lambda info: os.sched_setaffinity(0, [core]),
        after_item=lambda item: sorted(os.sched_getaffinity(0)),
    )
    assert list(loader) == [[core]] * 4


def test_a_worker_cannot_change_what_it_knows(make):
    def changes(item):
        with pytest.raises(AttributeError, match="cannot assign"):
            worker_info().id = 3999
        with pytest.raises(AttributeError, match="cannot assign"):
            worker_info().other = 3
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


@stays
def test_kept_batches_need_no_open_files(program, persistent_workers):
    ran = program(f"""
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))
loader = DataLoader(Stream(200), bs=1, num_workers=1, persistent_workers={persistent_workers})
print(len(list(loader)))
""")
    assert (ran.code, ran.out, ran.left) == (0, "200\n", []), ran.err


# How it ends


def segfault(item):
    import ctypes
    import faulthandler

    faulthandler.disable()
    return ctypes.string_at(0)


@stays
@pytest.mark.parametrize(
    "trouble, error, says",
    [
        (segfault, WorkerDied, r"worker \d of 2 \(pid \d+\) was killed by signal 11"),
        (lambda item: time.sleep(10_000), TimeoutError, r"timeout=0\.2 seconds"),
    ],
    ids=["crashes", "sleeps"],
)
def test_a_worker_that_crashes_or_sleeps_is_an_error(
    make, trouble, error, says, persistent_workers
):
    settings = {"after_item": trouble, "persistent_workers": persistent_workers}
    if error is TimeoutError:
        settings["timeout"] = 0.2
    with pytest.raises(error, match=says):
        next(iter(make(Counting(10), bs=2, num_workers=2, **settings)))


@stays
def test_workers_end_when_a_loop_is_left_half_way(make, persistent_workers):
    with nothing_left():
        loader = make(np.arange(100), bs=2, num_workers=4, persistent_workers=persistent_workers)
        batches = iter(loader)
        assert len(list(itertools.islice(batches, 11))) == 11
        batches.close()
        loader.close()


@stays
def test_a_program_that_leaves_its_loop_ends(program, persistent_workers):
    ran = program(f"""
for _ in DataLoader(Stream(64), bs=16, num_workers=2, persistent_workers={persistent_workers}):
    break
""")
    assert (ran.code, ran.out, ran.err, ran.left) == (0, "", "", [])


ENDS = {
    "by itself": (0, ""),
    "error in the loop": (1, "RuntimeError: Loop error"),
    "error in a worker": (1, "RuntimeError: Worker error"),
    "worker killed": (1, "was killed by signal 9"),
    "program killed": (-signal.SIGKILL, ""),
}


@pytest.mark.parametrize("holds", [True, False], ids=["holds its iterator", "lets go"])
@stays
@pytest.mark.parametrize("kind", ["Rows", "Stream"])
def test_however_a_program_ends_its_workers_end_too(program, kind, persistent_workers, holds):
    """The trouble comes with item 4 of 12."""
    for end, (code, says) in ENDS.items():
        ran = program(f"""
END, AT = {end!r}, 4
def trouble(index):
    if index.max() == AT and END == "error in a worker":
        raise RuntimeError("Worker error")
    if index.max() == AT and END == "worker killed":
        os.kill(os.getpid(), signal.SIGKILL)
    return index
loader = DataLoader({kind}(12), bs=1, num_workers=2, persistent_workers={persistent_workers},
                    after_item=trouble)
batches = iter(loader)
for place, batch in enumerate(batches):
    if place == 0 and not {holds}:
        del loader, batches
    if place == AT and END == "error in the loop":
        raise RuntimeError("Loop error")
    if place == AT and END == "program killed":
        os.kill(os.getpid(), signal.SIGKILL)
""")
        assert ran.code == code and says in ran.err and not ran.left, (end, ran.code, ran.err)

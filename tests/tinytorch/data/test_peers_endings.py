"""What the names in PyTorch's test_dataloader.py ask of the end of a program that loads with
workers, restated for ours: crashes, errors, loops that are left, kills. The list is in
peers_pytorch.py.
"""

from __future__ import annotations

import itertools
import signal
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from tinytorch.data.workers import WorkerDied

sys.path.insert(0, str(Path(__file__).parent))

from leak_watch import nothing_left
from peers_kit import Counting, stays

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="with spawn, workers could not import the classes of this file"
)


def segfault(item):
    import ctypes
    import faulthandler

    faulthandler.disable()
    return ctypes.string_at(0)


@stays
def test_a_worker_that_crashes_is_an_error_that_names_the_signal(make, persistent_workers):
    with pytest.raises(WorkerDied, match=r"worker \d of 2 \(pid \d+\) was killed by signal 11"):
        next(
            iter(
                make(
                    Counting(10),
                    bs=2,
                    num_workers=2,
                    after_item=segfault,
                    persistent_workers=persistent_workers,
                )
            )
        )


@stays
def test_a_worker_that_takes_too_long_is_an_error_that_says_how_long(make, persistent_workers):
    loader = make(
        Counting(10),
        bs=2,
        num_workers=2,
        timeout=0.2,
        after_item=lambda item: time.sleep(10_000),
        persistent_workers=persistent_workers,
    )
    with pytest.raises(TimeoutError, match=r"timeout=0\.2 seconds"):
        next(iter(loader))


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
for _ in DataLoader(Stream(64), bs=16, num_workers=2, pin_memory=True,
                    persistent_workers={persistent_workers}):
    break
""")
    assert (ran.code, ran.out, ran.err, ran.left) == (0, "", "", [])


@stays
def test_an_error_in_a_loop_over_large_batches_of_indices_ends_the_program(
    program, persistent_workers
):
    ran = program(f"""
batches = iter(DataLoader(Rows(10_000_000), bs=40_960, num_workers=1,
                          create_batch=lambda items: np.empty(0),
                          create_item=lambda s: s, persistent_workers={persistent_workers}))
for batch in batches:
    assert batch.size == 0
    raise RuntimeError("My Error")
""")
    assert ran.code == 1 and ran.err.endswith("RuntimeError: My Error\n") and not ran.left


ENDS = {
    "by itself": (0, ""),
    "error in the loop": (1, "RuntimeError: Loop error"),
    "error in a worker": (1, "RuntimeError: Worker error"),
    "worker killed": (1, "was killed by signal 9"),
    "program killed": (-signal.SIGKILL, ""),
}


@pytest.mark.parametrize("holds", [True, False], ids=["holds its iterator", "lets go"])
@pytest.mark.parametrize("num_workers, stay", [(0, False), (2, False), (2, True)])
@pytest.mark.parametrize("kind", ["Rows", "Stream"])
def test_however_a_program_ends_its_workers_end_too(program, kind, num_workers, stay, holds):
    """Of the ends that need workers, the runs without workers are left out. The trouble comes with
    item 4 of 12.
    """
    for end, (code, says) in ENDS.items():
        if num_workers == 0 and "worker" in end:
            continue
        ran = program(f"""
END, AT = {end!r}, 4
def trouble(index):
    if index.max() != AT:
        return index
    if END == "error in a worker":
        raise RuntimeError("Worker error")
    if END == "worker killed":
        os.kill(os.getpid(), signal.SIGKILL)
    return index
loader = DataLoader({kind}(12), bs=1, num_workers={num_workers}, persistent_workers={stay},
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

"""Loaders with worker processes: what names in PyTorch's test_dataloader.py (listed in
test_page_pytorch.py) ask of them, and what `worker_init` and `wif` seed."""

from __future__ import annotations

import os
import signal

import numpy as np
import pytest
from leak_watch import nothing_left
from peers_kit import needs_fork, numbers

from tinytorch.data.workers import WorkerDied

pytestmark = needs_fork


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


def test_kept_batches_need_no_open_files(references):
    ran = references("08b").run("""
import resource
import numpy as np
from tinytorch.data.callback_loader import DataLoader
resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))
print(len(list(DataLoader(np.zeros((200, 28, 28)), bs=1, num_workers=1))))
""")
    assert (ran.returncode, ran.stdout) == (0, "200\n"), ran.stderr


def test_after_the_death_of_a_worker_the_next_epoch_has_new_ones(make, tmp_path):
    once = tmp_path / "once"
    once.touch()

    def deadly(item):
        if item == 4 and once.exists():
            once.unlink()
            os.kill(os.getpid(), signal.SIGKILL)
        return item

    with nothing_left():
        loader = make([*range(6)], bs=2, num_workers=2, persistent_workers=True, after_item=deadly)
        with pytest.raises(WorkerDied, match="SIGKILL"):
            list(loader)
        assert numbers(loader) == [[0, 1], [2, 3], [4, 5]]
        loader.close()


# Seeds: what a hook seeds stays seeded, the other generators are seeded for each task


@pytest.mark.parametrize("name", ["wif", "worker_init", "worker_init_fn"])
def test_what_a_loader_s_hook_seeds_stays_seeded_for_the_whole_epoch(lab, name):
    def seed(*given):
        assert name != "worker_init_fn" or given[0] in (0, 1), "the number of the worker"
        np.random.seed(7)

    loader = lab.DataLoader(
        range(12),
        bs=2,
        num_workers=2,
        start_method="fork",
        after_item=lambda item: np.random.random(),
        **{name: seed},
    )
    batches = [batch.data.tolist() for batch in loader]
    expected = np.random.RandomState(7).random_sample(6).tolist()
    assert sum(batches[::2], []) == sum(batches[1::2], []) == expected

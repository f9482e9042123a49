"""What the names in PyTorch's test_dataloader.py ask of worker processes, restated for ours: where
and how they start, what they know, what they keep, and how all of it ends. The list is in
peers_pytorch.py.
"""

from __future__ import annotations

import os
import pickle
import sys
from pathlib import Path

import numpy as np
import pytest

from tinytorch.data.columns import ColumnDataset
from tinytorch.data.workers import worker_info

sys.path.insert(0, str(Path(__file__).parent))

from leak_watch import wait_until
from peers_kit import Counting, numbers, stays

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="with spawn, workers could not import the classes of this file"
)
METHODS = ["fork", "spawn"]


# How workers start


@stays
def test_an_error_of_worker_init_is_raised(make, persistent_workers):
    def fails(info):
        raise RuntimeError("Error in worker_init")

    with pytest.raises(RuntimeError, match="Error in worker_init"):
        list(
            make(
                Counting(9),
                bs=3,
                num_workers=2,
                worker_init=fails,
                persistent_workers=persistent_workers,
            )
        )


@stays
@pytest.mark.parametrize("method", [None, *METHODS])
def test_every_start_method_gives_the_same_batches(program, method, persistent_workers):
    ran = program(f"""
loader = DataLoader(np.arange(11), bs=3, num_workers=3, start_method={method!r}, pin_memory=True,
                    persistent_workers={persistent_workers})
print([batch.data.tolist() for batch in loader])
""")
    assert ran.out == "[[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10]]\n" and not ran.left, ran.err


@pytest.mark.parametrize("wrong", ["bad", object()])
def test_a_start_method_that_this_system_has_not_is_refused(make, wrong):
    with pytest.raises(ValueError, match="start_method is 'fork' or 'spawn' on this system, got"):
        list(make(Counting(4), bs=2, num_workers=1, start_method=wrong))


def plus_one(row):
    return {"x": row["x"] + 1}


@pytest.mark.parametrize("num_workers", [0, 2])
def test_a_function_of_a_module_works_in_the_workers_of_a_pipeline(references, num_workers):
    columns = ColumnDataset({"x": np.array([[1, 2, 3, 4]] * 2), "length": np.array([4, 6])})
    steps = references("08c").module.pipeline(columns).query("select * where length == 4")
    with steps.transform(plus_one).batch(2).numpy(num_workers=num_workers) as loader:
        assert [batch["x"].tolist() for batch in loader] == [[[2, 3, 4, 5]]]


def test_a_lambda_works_in_forked_workers_and_spawn_refuses_it_in_a_sentence(make):
    add = {"after_item": lambda item: item + 1, "bs": 2, "num_workers": 2}
    assert numbers(make(Counting(4), start_method="fork", **add)) == [[1, 2], [3, 4]]
    with pytest.raises(pickle.PicklingError, match="lambda"):
        list(make(Counting(4), start_method="spawn", **add))


@pytest.mark.parametrize("method", METHODS)
def test_several_loaders_are_read_in_turns(program, method):
    ran = program(f"""
loaders = [iter(DataLoader(np.arange(100), bs=1, num_workers=count, start_method={method!r}))
           for count in (1, 2)]
print([next(loader).data.tolist() for _ in range(3) for loader in loaders])
""")
    assert (ran.out, ran.left) == ("[[0], [0], [1], [1], [2], [2]]\n", []), ran.err


def test_linear_algebra_in_the_main_process_does_not_stop_a_forked_worker(make):
    class Convolved(list):
        def __getitem__(self, index):
            return np.convolve(np.ones(24000), np.ones(2), "valid") @ np.ones(23999)

    data = Convolved([0])
    assert data[0] == 2 * 23999
    assert numbers(make(data, bs=1, num_workers=1, start_method="fork")) == [[2 * 23999]]


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


# What workers know


@stays
def test_each_worker_knows_which_one_it_is_and_has_a_seed_of_its_own(make, persistent_workers):
    assert worker_info() is None

    def seen(seed):
        loader = make(
            Counting(64),
            bs=None,
            num_workers=3,
            seed=seed,
            after_item=lambda item: [
                (info := worker_info()).id,
                info.num_workers,
                info.seed,
                info.pid == os.getpid(),
            ],
            persistent_workers=persistent_workers,
        )
        return {tuple(item) for item in loader}

    found = seen(7)
    assert all(0 <= id < count == 3 and mine for id, count, _, mine in found)
    assert len({seed for _, _, seed, _ in found}) == len(found)
    assert found == seen(7) or len(found) < 3  # a worker may have had no task
    assert not {seed for _, _, seed, _ in found} & {seed for _, _, seed, _ in seen(8)}
    assert worker_info() is None


def test_what_a_worker_knows_about_itself_cannot_be_changed(make):
    def changes(item):
        with pytest.raises(AttributeError, match="cannot assign"):
            worker_info().id = 3999
        with pytest.raises(AttributeError, match="cannot assign"):
            worker_info().other = 3
        return repr(worker_info())

    (shown,) = make(Counting(1), bs=None, num_workers=1, after_item=changes)
    assert all(f"{name}=" in shown for name in ("id", "num_workers", "seed"))


@stays
def test_a_seed_repeats_what_workers_draw_from_numpy_s_global_generator(make, persistent_workers):
    def drawn(seed, num_workers=3):
        loader = make(
            Counting(12),
            bs=2,
            seed=seed,
            num_workers=num_workers,
            after_item=lambda item: np.random.randint(2**60),
            persistent_workers=persistent_workers,
        )
        return [n for _ in range(2) for batch in numbers(loader) for n in batch]

    first = drawn(42)
    assert first == drawn(42) == drawn(42, num_workers=1)
    assert len(set(first)) == 24 and not set(first) & set(drawn(43))


# What workers keep


def test_workers_that_stay_keep_the_dataset_as_they_got_it(make):
    class Dataset(list):
        start = 0

        def __getitem__(self, index):
            return self.start + index

    data = Dataset(range(10))
    loader = make(data, bs=5, num_workers=2, start_method="fork", persistent_workers=True)
    epochs = []
    for data.start in range(3):
        epochs.append(numbers(loader))
    assert epochs == [[list(range(5)), list(range(5, 10))]] * 3


@stays
def test_batches_of_workers_stay_as_they_are_while_others_come(make, persistent_workers):
    loader = make(
        np.arange(200).repeat(64).reshape(200, 64),
        bs=4,
        num_workers=2,
        persistent_workers=persistent_workers,
    )
    kept = list(loader)
    del loader
    assert np.array_equal(np.concatenate([batch.data for batch in kept])[:, 0], np.arange(200))
    kept[0].data[...] = -1
    assert kept[1].data.min() == 4


@stays
def test_kept_batches_need_no_open_files(program, persistent_workers):
    ran = program(f"""
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))
loader = DataLoader(Stream(200), bs=1, num_workers=1, persistent_workers={persistent_workers})
print(len(list(loader)))
""")
    assert (ran.code, ran.out, ran.left) == (0, "200\n", []), ran.err


@pytest.mark.parametrize("method", METHODS)
def test_lists_of_arrays_of_any_length_pass_through_workers(program, method):
    """PyTorch's nested tensors: one array of each length."""
    ran = program(f"""
ragged = [np.arange(length) for length in range(1, 11)]
settings = {{"num_workers": 4, "start_method": {method!r}}}
batches = list(DataLoader(ragged, bs=1, create_batch=list, **settings))
print([batch[0].tolist() for batch in batches] == [row.tolist() for row in ragged])
list(DataLoader(ragged, bs=2, **settings))
""")
    assert ran.out == "True\n" and not ran.left
    assert "items cannot be collated" in ran.err and "shape (2,)" in ran.err


# The order of results


def test_a_slow_item_is_waited_for_so_that_batches_stay_in_order(make, tmp_path):
    """PyTorch's in_order=True. Ours is always in order: a run that cannot be repeated is no
    choice. The slow item waits until the next one was read.
    """

    def slow(item):
        (tmp_path / str(item)).touch()
        assert item != 0 or wait_until((tmp_path / "1").exists)
        return item

    loader = make(Counting(10), bs=1, num_workers=2, start_method="fork", after_item=slow)
    assert numbers(loader) == [[n] for n in range(10)]


def test_a_slow_item_of_a_stream_is_waited_for_so_that_batches_stay_in_order(make, lab, tmp_path):
    class Stream(lab.IterableDataset):
        def __iter__(self):
            return iter(range(10))

    def slow(item):
        (tmp_path / str(item)).touch()
        assert item != 0 or wait_until((tmp_path / "1").exists)
        return item

    loader = make(Stream(), bs=1, num_workers=2, start_method="fork", after_item=slow)
    assert numbers(loader) == [[n] for n in range(10)]

"""fastai's documentation of its DataLoader, cell by cell, run on module 08b's reference: all cells
that test something of nbs/02_data.load.ipynb, in their order, and the script that the page shows.
Lists take the place of fastai's `L(...)`.
"""

from __future__ import annotations

import itertools
import os
import queue
import random
import string
import sys

import numpy as np
import pytest

from tinytorch.core.tensor import Tensor

LETTERS = list(string.ascii_lowercase)
# with spawn, workers could not import the classes of this file
WORKERS = [0] if sys.platform == "win32" else [0, 1, 3]
TWO = [2] if len(WORKERS) > 1 else []  # the page's usual number


@pytest.fixture(scope="module")
def lab(references):
    return references("08b").module


class A(Tensor):
    """The page's `class A(TensorBase)`."""


def values(batch):
    return batch.data.tolist()


def numbers(loader):
    return [values(batch) for batch in loader]


# fa_collate, fa_convert


def test_fa_collate_gives_tensors_and_keeps_the_tuple(lab):
    batch = lab.fa_collate([(1, (2, 3)), (1, (2, 3))])
    assert (
        list(map(type, batch)) == [Tensor, tuple]
        and values(batch[0]) == [1, 1]
        and list(map(values, batch[1])) == [[2, 2], [3, 3]]
    )


def test_fa_collate_keeps_deeper_nesting(lab):
    batch = lab.fa_collate([(1, (2, (3, 4))), (1, (2, (3, 4)))])
    assert (
        list(map(type, batch)) == [Tensor, tuple]
        and list(map(type, batch[1])) == [Tensor, tuple]
        and values(batch[1][1][1]) == [4, 4]
    )


def test_fa_convert_makes_tensors_and_keeps_the_nesting(lab):
    t0 = np.array([1, 2])
    converted = lab.fa_convert([t0, (t0, t0)])
    assert list(map(type, converted)) == [Tensor, tuple] and values(converted[1][1]) == [1, 2]


def test_collate_error_names_the_item_of_another_shape(lab):
    batch = [np.zeros((3, 375, 500)), np.zeros((3, 375, 500)), np.zeros((3, 500, 333))]
    with pytest.raises(ValueError, match=r"item 2: item is ndarray of shape \(3, 500, 333\)"):
        try:
            lab.fa_collate(batch)
        except ValueError as problem:
            lab.collate_error(problem, batch)


# Streams


def test_create_item_and_stop_without_bs_give_single_items(lab):
    random.seed(4)
    drawn = list(RandDL.of(lab)())
    assert drawn and all(0 <= r < 0.95 for r in drawn)


class RandDL:
    """The class of the page. It is made in each test, because its base class is the lab's."""

    @staticmethod
    def of(lab):
        class RandDL(lab.DataLoader):
            def create_item(self, s):
                r = random.random()
                return r if r < 0.95 else lab.stop()

        return RandDL


@pytest.mark.parametrize("num_workers", [*WORKERS, 4])
def test_create_item_and_stop_make_a_stream_of_unknown_length(lab, num_workers):
    sizes = []
    random.seed(4)
    for _ in range(4):
        sizes += map(
            len,
            RandDL.of(lab)(
                bs=4, drop_last=True, num_workers=num_workers if hasattr(os, "fork") else 0
            ),
        )
    # no batch in four epochs: once in 10**3 for free seeds; this one is fixed
    assert set(sizes) == {4}


@pytest.mark.parametrize("num_workers", WORKERS)
def test_stop_ends_the_stream_at_its_item_whatever_the_number_of_workers(lab, num_workers):
    class Counted(lab.DataLoader):
        def create_item(self, s):
            return s if s < 10 else lab.stop()

    loader = Counted(None, bs=4, num_workers=num_workers, get_idxs=itertools.count, indexed=True)
    assert numbers(loader) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]


def test_create_item_as_an_argument_streams_single_items(lab):
    rng = random.Random(1)

    def _rand_item(s):
        r = rng.random()
        return r if r < 0.95 else lab.stop()

    drawn = list(lab.DataLoader(create_item=_rand_item))
    assert drawn and all(0 <= r < 0.95 for r in drawn)


def test_fake_l_counts_the_workers_and_can_do_without_them(lab):
    loader = RandDL.of(lab)(bs=4, num_workers=4, drop_last=True)
    assert loader.fake_l.num_workers == 4
    with loader.fake_l.no_multiproc():
        assert loader.fake_l.num_workers == 0
        assert set(map(len, loader)) <= {4}
    assert loader.fake_l.num_workers == 4


# bs=None: the dataset gives batches


def test_without_bs_a_list_is_given_item_by_item(lab):
    loader = lab.DataLoader(LETTERS)
    assert list(loader) == LETTERS and len(loader) == 26


def test_shuffled_letters_are_the_same_letters_in_another_order(lab):
    drawn = list(lab.DataLoader(LETTERS, shuffle=True))
    assert drawn != LETTERS and sorted(drawn) == LETTERS  # in order by accident once in 26!


def test_a_list_that_is_not_indexed_is_iterated(lab):
    loader = lab.DataLoader(LETTERS, indexed=False)
    assert list(loader) == LETTERS and len(loader) == 26


def test_tensors_of_a_list_are_the_batches(lab):
    t2 = [Tensor([0, 1, 2]), Tensor([3, 4, 5])]
    batches = list(lab.DataLoader(t2))
    assert list(map(type, batches)) == [Tensor, Tensor] and list(map(values, batches)) == [
        [0, 1, 2],
        [3, 4, 5],
    ]


def test_arrays_become_tensors_unless_create_batch_is_replaced_and_after_iter_is_called(lab):
    class Arrays(list):
        f = None

    t3 = Arrays([np.array([0, 1, 2], np.int64), np.array([3, 4, 5], np.int64)])
    assert list(map(type, lab.DataLoader(t3))) == [Tensor, Tensor]
    loader = lab.DataLoader(
        t3, create_batch=lambda item: item, after_iter=lambda: setattr(t3, "f", 1)
    )
    batches = list(loader)
    assert all(type(batch) is np.ndarray for batch in batches) and [
        batch.tolist() for batch in batches
    ] == [[0, 1, 2], [3, 4, 5]]
    assert t3.f == 1


# bs given: the dataset gives items


def twoepochs(loader):
    return " ".join("".join(batch) for _ in range(2) for batch in loader)


def test_two_epochs_with_drop_last(lab):
    loader = lab.DataLoader(LETTERS, bs=4, drop_last=True, num_workers=0)
    assert twoepochs(loader) == "abcd efgh ijkl mnop qrst uvwx abcd efgh ijkl mnop qrst uvwx"


@pytest.mark.parametrize("num_workers", [*WORKERS, 2])
def test_two_epochs_with_workers(lab, num_workers):
    loader = lab.DataLoader(LETTERS, 4, num_workers=num_workers if len(WORKERS) > 1 else 0)
    assert twoepochs(loader) == "abcd efgh ijkl mnop qrst uvwx yz abcd efgh ijkl mnop qrst uvwx yz"


@pytest.mark.parametrize("num_workers", WORKERS)
def test_a_range_with_workers(lab, num_workers):
    batches = list(lab.DataLoader(range(12), bs=4, num_workers=num_workers))
    assert all(type(batch) is Tensor for batch in batches) and numbers(batches) == [
        [0, 1, 2, 3],
        [4, 5, 6, 7],
        [8, 9, 10, 11],
    ]


def test_strings_are_collated_to_lists_and_after_iter_is_called_at_the_end(lab):
    class T3:
        f = 1

    loader = lab.DataLoader(
        [str(i) for i in range(11)], bs=4, after_iter=lambda: setattr(T3, "f", 2)
    )
    assert list(loader) == [list("0123"), list("4567"), ["8", "9", "10"]] and T3.f == 2


@pytest.mark.parametrize("num_workers", WORKERS)
def test_the_first_batches_of_a_map_object(lab, num_workers):
    it = iter(lab.DataLoader(map(int, range(20)), bs=4, num_workers=num_workers))
    assert [values(next(it)) for _ in range(3)] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
    it.close()


@pytest.mark.parametrize("num_workers", WORKERS)
@pytest.mark.parametrize("drop_last", [False, True])
def test_an_iterable_dataset_passes_several_times(lab, num_workers, drop_last):
    class DummyIterableDataset(lab.IterableDataset):
        def __iter__(self):
            yield from range(11)

    loader = lab.DataLoader(
        DummyIterableDataset(), bs=4, drop_last=drop_last, num_workers=num_workers
    )
    for _ in range(3):
        assert numbers(loader) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10]][: 2 if drop_last else 3]


# Latency


class SleepyDL(list):
    """The page's dataset, which sleeps for each item. Here the times differ, so that the workers
    finish in another order.
    """

    def __getitem__(self, i):
        sum(range((7 * i) % 26 * 1000))
        return super().__getitem__(i)


@pytest.mark.parametrize("num_workers", [*WORKERS, 4])
def test_a_sleepy_dataset_gives_the_same_in_the_same_order(lab, num_workers):
    assert (
        list(lab.DataLoader(SleepyDL(LETTERS), num_workers=num_workers if len(WORKERS) > 1 else 0))
        == LETTERS
    )


@pytest.mark.parametrize("num_workers", WORKERS)
def test_a_shuffled_sleepy_dataset_has_another_order_each_epoch(lab, num_workers):
    loader = lab.DataLoader(SleepyDL(LETTERS), shuffle=True, num_workers=num_workers)
    first, second = list(loader), list(loader)
    assert first != second and first != LETTERS and sorted(first) == sorted(second) == LETTERS


class SleepyQueue:
    """Simulate a queue with varying latency."""

    def __init__(self, q):
        self.q = q

    def __iter__(self):
        while True:
            try:
                yield self.q.get_nowait()
            except queue.Empty:
                return


@pytest.mark.parametrize("num_workers", [*WORKERS, 4])
def test_a_sleepy_queue_gives_each_item_once(lab, num_workers):
    q = queue.Queue()
    for number in range(30):
        q.put(number)
    drawn = list(lab.DataLoader(SleepyQueue(q), num_workers=num_workers if len(WORKERS) > 1 else 0))
    assert sorted(map(int, drawn)) == list(range(30))


# Kinds of Tensor, unknown attributes, consistent sampling


@pytest.mark.parametrize("num_workers", [0, *TWO])
def test_the_kind_of_a_tensor_is_kept_bare_and_in_a_tuple(lab, num_workers):
    t = A([1, 2])
    batch = next(iter(lab.DataLoader([t] * 8, bs=4, num_workers=num_workers)))
    assert type(batch) is A and batch.shape == (4, 2)
    batch = next(iter(lab.DataLoader([(t,)] * 8, bs=4, num_workers=num_workers)))
    assert type(batch) is tuple and type(batch[0]) is A


@pytest.mark.parametrize("num_workers", WORKERS)
def test_an_epoch_of_fifty_shuffled_in_batches_of_thirty_two(lab, num_workers):
    batches = numbers(lab.DataLoader(list(range(50)), bs=32, shuffle=True, num_workers=num_workers))
    assert list(map(len, batches)) == [32, 18] and sorted(sum(batches, [])) == list(range(50))


@pytest.mark.parametrize("num_workers", [0, *TWO])
def test_after_batch_sees_the_kind_and_unknown_attributes_are_the_dataset_s(lab, num_workers):
    seen = []

    def to_device(batch):
        seen.append((type(batch), os.getpid()))
        return batch

    t = A([1, 2])
    tdl = lab.DataLoader([t] * 8, bs=4, num_workers=num_workers, after_batch=to_device)
    assert type(next(iter(tdl))) is A and seen[0] == (A, os.getpid())
    assert values(tdl.pop()) == [1, 2]
    with pytest.raises(AttributeError, match="no_such_thing"):
        _ = tdl.no_such_thing


@pytest.mark.parametrize("num_workers", [*WORKERS, *(2 * two for two in TWO)])
def test_adamant_get_idxs_gives_the_same_index_to_every_worker(lab, num_workers):
    class AdamantDL(lab.DataLoader):
        def get_idxs(self):
            r = random.randint(0, self.n - 1)
            return [r] * self.n

    batches = numbers(AdamantDL(list(range(50)), bs=16, num_workers=num_workers))
    assert len(batches) == 4 and len(set(sum(batches, []))) == 1


SCRIPT = """
import os, sys
from tinytorch.data.callback_loader import DataLoader
if __name__ == "__main__":
    loader = DataLoader(list(range(50)), bs=16, num_workers=2, shuffle=True, seed=1,
                        start_method="spawn")
    batches = [batch.data.tolist() for batch in loader]
    same = [batch.data.tolist()
            for batch in DataLoader(list(range(50)), bs=16, shuffle=True, seed=1)]
    assert batches == same and sorted(sum(batches, [])) == list(range(50))
    print("ended")
"""


def test_workers_in_a_script_with_spawn(references):
    """The page's last cell: the process that runs the script ends with exit code 0."""
    package = references("08b")
    script = package.path / "spawned.py"
    script.write_text(SCRIPT, encoding="utf-8")
    done = package.run(
        f"import runpy, sys; sys.argv = [{str(script)!r}]; runpy.run_path({str(script)!r},"
        " run_name='__main__')"
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "ended\n", "")

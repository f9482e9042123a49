"""fastai's page on its DataLoader, feature by feature and cell by cell, with module 08b's reference. `L(...)` is a list here."""

from __future__ import annotations

import itertools
import math
import os
import queue
import random
import string
import sys
from collections import OrderedDict, namedtuple

import numpy as np
import pytest

from tinytorch.core.tensor import Tensor

LETTERS = list(string.ascii_lowercase)
WORKERS = [0] if sys.platform == "win32" else [0, 1, 3]   # with spawn the classes of this file could not be found


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
    assert list(map(type, batch)) == [Tensor, tuple] and values(batch[0]) == [1, 1] and list(map(values, batch[1])) == [[2, 2], [3, 3]]


def test_fa_collate_keeps_deeper_nesting(lab):
    batch = lab.fa_collate([(1, (2, (3, 4))), (1, (2, (3, 4)))])
    assert list(map(type, batch)) == [Tensor, tuple] and list(map(type, batch[1])) == [Tensor, tuple] and values(batch[1][1][1]) == [4, 4]


def test_fa_collate_keeps_dicts_namedtuples_lists_and_kinds_of_tensor(lab):
    Pair = namedtuple("Pair", "image label")
    batch = lab.fa_collate([{"a": Pair(A([1.0]), 2), "b": [3, "x"]}] * 2)
    assert type(batch) is dict and type(batch["a"]) is Pair and type(batch["a"].image) is A and batch["a"].image.shape == (2, 1)
    assert type(batch["b"]) is list and batch["b"][1] == ["x", "x"]
    assert type(lab.fa_collate([OrderedDict(a=1)])) is OrderedDict


def test_fa_convert_makes_tensors_and_keeps_the_nesting(lab):
    t0 = np.array([1, 2])
    converted = lab.fa_convert([t0, (t0, t0)])
    assert list(map(type, converted)) == [Tensor, tuple] and values(converted[1][1]) == [1, 2]


# SkipItemException, collate_error

@pytest.mark.parametrize("num_workers", WORKERS)
def test_skip_item_exception_leaves_an_item_out_and_the_batch_is_filled(lab, num_workers):
    def not_a_multiple_of_three(number):
        if number % 3 == 0:
            raise lab.SkipItemException
        return number
    loader = lab.DataLoader(range(20), bs=4, num_workers=num_workers, after_item=not_a_multiple_of_three)
    assert numbers(loader) == [[1, 2, 4, 5], [7, 8, 10, 11], [13, 14, 16, 17], [19]]


def test_collate_error_says_which_items_differ_and_how(lab):
    items = [np.zeros((3, 2)), np.zeros((3, 2)), np.zeros((4, 2))]
    with pytest.raises(ValueError, match=r"item 2.*\(4, 2\)"):
        lab.collate_error(ValueError("no"), items)


@pytest.mark.parametrize("num_workers", WORKERS)
def test_a_batch_that_cannot_be_collated_raises_the_same_with_and_without_workers(lab, num_workers):
    ragged = [np.zeros(2), np.zeros(2), np.zeros(3)]
    with pytest.raises(ValueError, match=r"item 2.*\(3,\)"):
        list(lab.DataLoader(ragged, bs=3, num_workers=num_workers))


# The signature

ORDER = ("dataset bs num_workers pin_memory timeout batch_size shuffle drop_last indexed n device persistent_workers pin_memory_device wif before_iter "
         "after_item before_batch after_batch after_iter create_batches create_item create_batch retain get_idxs sample shuffle_fn do_batch").split()


def test_the_arguments_are_the_page_s_in_its_order_with_its_defaults(lab):
    import inspect

    given = inspect.signature(lab.DataLoader).parameters
    positional = [name for name, each in given.items() if each.kind is each.POSITIONAL_OR_KEYWORD]
    assert positional == ORDER
    defaults = {name: given[name].default for name in ORDER}
    assert {name: value for name, value in defaults.items() if value is not None} == {
        "num_workers": 0, "pin_memory": False, "timeout": 0, "shuffle": False, "drop_last": False, "persistent_workers": False, "pin_memory_device": ""}


def test_batch_size_overrides_bs(lab):
    assert numbers(lab.DataLoader(range(4), bs=3, batch_size=2)) == [[0, 1], [2, 3]]


def test_n_is_how_many_items_an_epoch_has(lab):
    assert numbers(lab.DataLoader(range(10), bs=2, n=4)) == [[0, 1], [2, 3]]
    stream = lab.DataLoader((n for n in range(10)), bs=2, n=4)
    assert len(stream) == 2 and numbers(stream) == [[0, 1], [2, 3]]


def test_indexed_overrides_the_guess(lab):
    class Both(list):
        def __iter__(self):
            return iter("iterated")
    assert list(lab.DataLoader(Both("indexed"))) == list("indexed")
    assert list(lab.DataLoader(Both("indexed"), indexed=False))[:2] == ["i", "t"]


@pytest.mark.parametrize("num_workers", WORKERS)
def test_the_hooks_are_called_in_fastai_s_order(lab, num_workers):
    class Steps(lab.DataLoader):
        steps = []

        def before_iter(self):
            self.steps.append("before_iter")

        def get_idxs(self):
            self.steps.append("get_idxs")
            return super().get_idxs()

        def create_item(self, s):
            return [f"create_item {s}"]

        def after_item(self, item):
            return [*item, "after_item"]

        def before_batch(self, items):
            return [*items, ["before_batch"]]

        def create_batch(self, items):
            return [*sum(items, []), "create_batch"]

        def retain(self, result, items):
            return [*result, "retain"]

        def after_batch(self, batch):
            self.steps += [*batch, "after_batch"]
            return batch

        def after_iter(self):
            self.steps.append("after_iter")
    Steps.steps.clear()
    list(Steps(range(4), bs=2, num_workers=num_workers))
    assert Steps.steps == ["before_iter", "get_idxs", *"create_item 0,after_item,create_item 1,after_item,before_batch,create_batch,retain,after_batch,"
                           "create_item 2,after_item,create_item 3,after_item,before_batch,create_batch,retain,after_batch".split(","), "after_iter"]


@pytest.mark.parametrize("hook, replacement, want", [
    ("after_item", lambda item: -item, [[0, -1], [-2, -3]]), ("before_batch", lambda items: items[::-1], [[1, 0], [3, 2]]),
    ("after_batch", lambda batch: batch * 10, [[0, 10], [20, 30]]), ("create_item", lambda s: s + 100, [[100, 101], [102, 103]]),
    ("create_batch", lambda items: Tensor(np.array(items) * 2), [[0, 2], [4, 6]]), ("get_idxs", lambda: [3, 1], [[3, 1]]),
    ("sample", lambda: iter([2, 2]), [[2, 2]]), ("do_batch", lambda items: Tensor([sum(items)]), [[1], [5]]),
    ("create_batches", lambda samples: (Tensor([s]) for s in samples), [[0], [1], [2], [3]])])
@pytest.mark.parametrize("num_workers", WORKERS[:2])
def test_each_hook_may_be_given_as_an_argument(lab, num_workers, hook, replacement, want):
    assert numbers(lab.DataLoader(range(4), bs=2, num_workers=num_workers, **{hook: replacement})) == want


def test_shuffle_fn_decides_the_order_and_retain_the_kind(lab):
    assert numbers(lab.DataLoader(range(4), bs=2, shuffle=True, shuffle_fn=lambda idxs: [3, 2, 1, 0])) == [[3, 2], [1, 0]]
    assert list(lab.DataLoader(range(4), bs=2, retain=lambda result, items: len(items))) == [2, 2]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a count in a file of the test needs fork")
def test_wif_is_called_once_in_each_worker(lab, tmp_path):
    def wif():
        (tmp_path / str(os.getpid())).touch(exist_ok=False)
    list(lab.DataLoader(range(64), bs=2, num_workers=2, wif=wif))
    pids = {int(path.name) for path in tmp_path.iterdir()}
    assert 1 <= len(pids) <= 2 and os.getpid() not in pids


# Streams

class RandDL:
    """The page's class is made in each test, for its base is the lab's."""

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
        sizes += map(len, RandDL.of(lab)(bs=4, drop_last=True, num_workers=num_workers if hasattr(os, "fork") else 0))
    assert set(sizes) == {4}   # no batch in four epochs: once in 10**3 for free seeds; this one is fixed


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
    assert loader.fake_l.num_workers == 4


# bs=None: the dataset gives batches

def test_without_bs_a_list_is_given_item_by_item(lab):
    loader = lab.DataLoader(LETTERS)
    assert list(loader) == LETTERS and len(loader) == 26


def test_shuffled_letters_are_the_same_letters_in_another_order(lab):
    drawn = list(lab.DataLoader(LETTERS, shuffle=True))
    assert drawn != LETTERS and sorted(drawn) == LETTERS   # in order by accident once in 26!


def test_a_list_that_is_not_indexed_is_iterated(lab):
    loader = lab.DataLoader(LETTERS, indexed=False)
    assert list(loader) == LETTERS and len(loader) == 26


def test_tensors_of_a_list_are_the_batches(lab):
    t2 = [Tensor([0, 1, 2]), Tensor([3, 4, 5])]
    batches = list(lab.DataLoader(t2))
    assert list(map(type, batches)) == [Tensor, Tensor] and list(map(values, batches)) == [[0, 1, 2], [3, 4, 5]]


def test_arrays_become_tensors_unless_create_batch_is_replaced_and_after_iter_is_called(lab):
    class Arrays(list):
        f = None
    t3 = Arrays([np.array([0, 1, 2], np.int64), np.array([3, 4, 5], np.int64)])
    assert list(map(type, lab.DataLoader(t3))) == [Tensor, Tensor]
    loader = lab.DataLoader(t3, create_batch=lambda item: item, after_iter=lambda: setattr(t3, "f", 1))
    batches = list(loader)
    assert all(type(batch) is np.ndarray for batch in batches) and [batch.tolist() for batch in batches] == [[0, 1, 2], [3, 4, 5]]
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
    assert all(type(batch) is Tensor for batch in batches) and numbers(batches) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]


def test_strings_are_collated_to_lists_and_after_iter_is_called_at_the_end(lab):
    class T3:
        f = 1
    loader = lab.DataLoader([str(i) for i in range(11)], bs=4, after_iter=lambda: setattr(T3, "f", 2))
    assert list(loader) == [list("0123"), list("4567"), ["8", "9", "10"]] and T3.f == 2


@pytest.mark.parametrize("num_workers", WORKERS)
def test_the_first_batches_of_a_map_object(lab, num_workers):
    it = iter(lab.DataLoader(map(lambda x: x, range(20)), bs=4, num_workers=num_workers))
    assert [values(next(it)) for _ in range(3)] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
    it.close()


@pytest.mark.parametrize("num_workers", WORKERS)
@pytest.mark.parametrize("drop_last", [False, True])
def test_an_iterable_dataset_passes_several_times(lab, num_workers, drop_last):
    class DummyIterableDataset(lab.IterableDataset):
        def __iter__(self):
            yield from range(11)
    loader = lab.DataLoader(DummyIterableDataset(), bs=4, drop_last=drop_last, num_workers=num_workers)
    for _ in range(3):
        assert numbers(loader) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10]][:2 if drop_last else 3]


# Latency

class SleepyDL(list):
    """The page's dataset, which takes its time for each item: here other items first, so that workers finish in another order."""

    def __getitem__(self, i):
        sum(range((7 * i) % 26 * 1000))
        return super().__getitem__(i)


@pytest.mark.parametrize("num_workers", [*WORKERS, 4])
def test_a_sleepy_dataset_gives_the_same_in_the_same_order(lab, num_workers):
    assert list(lab.DataLoader(SleepyDL(LETTERS), num_workers=num_workers if len(WORKERS) > 1 else 0)) == LETTERS


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

@pytest.mark.parametrize("num_workers", [0, *WORKERS[1:2]])
def test_the_kind_of_a_tensor_is_kept_bare_and_in_a_tuple(lab, num_workers):
    t = A([1, 2])
    batch = next(iter(lab.DataLoader([t] * 8, bs=4, num_workers=num_workers)))
    assert type(batch) is A and batch.shape == (4, 2)
    batch = next(iter(lab.DataLoader([(t,)] * 8, bs=4, num_workers=num_workers)))
    assert type(batch) is tuple and type(batch[0]) is A


def test_an_epoch_of_fifty_shuffled_in_batches_of_thirty_two(lab):
    batches = numbers(lab.DataLoader(list(range(50)), bs=32, shuffle=True))
    assert list(map(len, batches)) == [32, 18] and sorted(sum(batches, [])) == list(range(50))


@pytest.mark.parametrize("num_workers", [0, *WORKERS[1:2]])
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
        tdl.no_such_thing


@pytest.mark.parametrize("num_workers", WORKERS)
def test_adamant_get_idxs_gives_the_same_index_to_every_worker(lab, num_workers):
    class AdamantDL(lab.DataLoader):
        def get_idxs(self):
            r = random.randint(0, self.n - 1)
            return [r] * self.n
    batches = numbers(AdamantDL(list(range(50)), bs=16, num_workers=num_workers, drop_last=True))
    assert len(batches) == 3 and len(set(sum(batches, []))) == 1


SCRIPT = """
import os, sys
from tinytorch.data.callback_loader import DataLoader
if __name__ == "__main__":
    loader = DataLoader(list(range(50)), bs=16, num_workers=2, shuffle=True, seed=1, start_method="spawn")
    batches = [batch.data.tolist() for batch in loader]
    same = [batch.data.tolist() for batch in DataLoader(list(range(50)), bs=16, shuffle=True, seed=1)]
    assert batches == same and sorted(sum(batches, [])) == list(range(50))
    print("ended")
"""


def test_workers_in_a_script_with_spawn(references):
    """The page's last cell: a process that runs a script ends with exit code 0."""
    package = references("08b")
    script = package.path / "spawned.py"
    script.write_text(SCRIPT, encoding="utf-8")
    done = package.run(f"import runpy, sys; sys.argv = [{str(script)!r}]; runpy.run_path({str(script)!r}, run_name='__main__')", timeout_seconds=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "ended\n", "")


# persistent_workers, timeout, seeds

@pytest.mark.skipif(len(WORKERS) == 1, reason="the dataset is a class of this file, which spawn cannot find")
def test_persistent_workers_stay_for_the_next_epoch_and_others_do_not(lab):
    def pids(**settings):
        loader = lab.DataLoader(range(8), bs=2, num_workers=2, create_item=lambda s: os.getpid(), **settings)
        epochs = [set(sum(numbers(loader), [])) for _ in range(2)]
        loader.close()
        return epochs
    first, second = pids(persistent_workers=True)
    assert len(first | second) <= 2
    first, second = pids()
    assert not first & second


@pytest.mark.skipif(len(WORKERS) == 1, reason="the hook is a function of this file, which spawn cannot find")
def test_timeout_is_raised_by_the_loader(lab):
    import time

    with pytest.raises(TimeoutError, match="timeout=0.3"):
        list(lab.DataLoader(range(8), bs=2, num_workers=1, timeout=0.3, after_item=lambda item: time.sleep(10_000)))


@pytest.mark.skipif(len(WORKERS) == 1, reason="the hook is a function of this file, which spawn cannot find")
def test_an_error_in_a_worker_is_raised_as_it_is_with_the_worker_s_traceback(lab):
    def breaks(item):
        return math.sqrt(3 - item)
    for num_workers in (0, 2):
        with pytest.raises(ValueError, match="math domain error") as raised:
            list(lab.DataLoader(range(8), bs=2, num_workers=num_workers, after_item=breaks))
    assert "in breaks" in str(raised.value.__cause__)


@pytest.mark.skipif(len(WORKERS) == 1, reason="the hook is a function of this file, which spawn cannot find")
def test_no_two_items_of_two_workers_draw_the_same_and_the_worker_count_changes_nothing(lab):
    def epochs(num_workers, seed):
        loader = lab.DataLoader(range(40), bs=4, num_workers=num_workers, seed=seed, after_item=lambda item, rng: rng.random(2))
        return [numbers(loader) for _ in range(2)]
    plain = epochs(0, 7)
    assert epochs(1, 7) == epochs(3, 7) == plain
    drawn = [tuple(item) for epoch in epochs(3, None) for batch in epoch for item in batch]
    assert len(set(drawn)) == 80   # by accident once in 10**12

"""fastai's documentation of its DataLoader in lab 08b: the features that it lists, and all cells
that test something of nbs/02_data.load.ipynb, in their order, with lists in place of `L(...)`.
"""

from __future__ import annotations

import inspect
import os
import random
import string
import sys
import time  # noqa: F401 - the code of a row names it

import pytest
from claims import prove, refused, rows

from tinytorch.core.tensor import Tensor

LETTERS = list(string.ascii_lowercase)
# with spawn, workers could not import the classes of this file
WORKERS = [0] if sys.platform == "win32" else [0, 1, 3]
several = pytest.mark.parametrize("num_workers", WORKERS)


class A(Tensor):
    """The page's `class A(TensorBase)`: a kind of Tensor of its own."""


ORDER = (
    "dataset bs num_workers pin_memory timeout batch_size shuffle drop_last indexed n device"
    " persistent_workers pin_memory_device wif before_iter after_item before_batch after_batch"
    " after_iter create_batches create_item create_batch retain get_idxs sample shuffle_fn do_batch"
).split()
DEFAULTS = {
    **dict.fromkeys(ORDER),
    "num_workers": 0,
    "timeout": 0,
    "pin_memory_device": "",
    **dict.fromkeys(["pin_memory", "shuffle", "drop_last", "persistent_workers"], False),
}
# section: code: its value
CODE = {
    "bs=None": {
        "list(DataLoader(LETTERS))": LETTERS,
        "list(DataLoader([Tensor([0, 1, 2]), Tensor([3, 4, 5])]))": [[0, 1, 2], [3, 4, 5]],
        "[type(batch) for batch in DataLoader([np.zeros(3)])]": [Tensor],
    },
    "bs": {
        "DataLoader(range(4), 2).one_batch()": [0, 1],
        "DataLoader([], 2).one_batch()": refused(ValueError, "this loader has no batches"),
        "list(DataLoader(range(3), 3, batch_size=2))": [[0, 1], [2]],
        "list(DataLoader(iter(range(9)), 2, n=4))": [[0, 1], [2, 3]],
        "len(DataLoader(iter(range(9)), 2, n=4))": 2,
    },
    "indexed": {
        "list(DataLoader(Both('ab'), indexed=False))": ["i", "t"],
    },
    "Timeout": {
        "list(DataLoader([9], 1, num_workers=1, timeout=0.2, start_method='fork',"
        " after_item=time.sleep))": refused(TimeoutError, "timeout=0.2 seconds")
    },
    "Unknown attributes": {
        "DataLoader([A([1, 2])] * 8, bs=4).pop()": [1, 2],
        "DataLoader([1], bs=4).no_such_thing": refused(AttributeError, "no_such_thing"),
    },
    "Signature": {
        # the page's order
        "[name for name, one in signature(DataLoader).parameters.items()"
        " if one.kind is one.POSITIONAL_OR_KEYWORD]": ORDER,
        # the page's defaults
        "{name: signature(DataLoader).parameters[name].default for name in ORDER}": DEFAULTS,
    },
}
# section: code: its value with any number of workers; `load` gives the batches of an epoch
WITH_WORKERS = {
    "bs": {
        "list(map(''.join, load(LETTERS, 4)))": "abcd efgh ijkl mnop qrst uvwx yz".split(),
        "load(range(6), 4, drop_last=True)": [[0, 1, 2, 3]],
        "load(map(int, range(20)), 4)[:2]": [[0, 1, 2, 3], [4, 5, 6, 7]],
    },
    "Kinds of Tensor": {
        "[type(part) for batch in load([(A([1, 2]),)] * 4, 4) for part in batch]": [A],
    },
    # test_callback_loader.py has the other hooks
    "Hooks": {
        "load(range(4), 2, after_batch=lambda batch: batch * 10)": [[0, 10], [20, 30]],
        "load(range(2), 2, after_batch=lambda batch: os.getpid())": [os.getpid()],
        # the page's AdamantDL: one index for every worker
        "len({n for part in load(range(50), 16, get_idxs=lambda: [random.randrange(50)] * 50)"
        " for n in part.data.tolist()})": 1,
        "load(range(4), 2, get_idxs=lambda: [3, 1])": [[3, 1]],
        "load(range(4), 2, sample=lambda: iter([2, 2]))": [[2, 2]],
        "load(range(4), 2, shuffle=True, shuffle_fn=lambda s: s[::-1])": [[3, 2], [1, 0]],
    },
}


class Both(list):
    def __iter__(self):
        return iter("iterated"[:2])


@pytest.fixture(scope="module")
def names(lab):
    return {**vars(lab), **globals(), "signature": inspect.signature}


@rows(*CODE.values())
def test_a_claim_of_the_page_holds(names, code, want):
    prove(code, want, names)


@several
@rows(*WITH_WORKERS.values())
def test_a_claim_holds_with_any_number_of_workers(lab, names, num_workers, code, want):
    def load(*given, **settings):
        return list(lab.DataLoader(*given, num_workers=num_workers, **settings))

    prove(code, want, {**names, "load": load})


@several
def test_create_item_and_stop_make_a_stream_of_unknown_length(lab, num_workers):
    class RandDL(lab.DataLoader):
        def create_item(self, s):
            r = random.random()
            return r if r < 0.95 else lab.stop()

    random.seed(4)
    loader = RandDL(bs=4, drop_last=True, num_workers=num_workers)
    # no batch in four epochs: once in 10**3 for free seeds; this one is fixed
    assert {len(batch) for _ in range(4) for batch in loader} == {4}
    with loader.fake_l.no_multiproc():
        assert loader.fake_l.num_workers == 0
        assert set(map(len, loader)) <= {4}
    assert loader.fake_l.num_workers == num_workers
    argument = lab.DataLoader(create_item=lambda s: RandDL.create_item(None, s))
    for singles in (list(RandDL()), list(argument)):
        assert singles and all(0 <= r < 0.95 for r in singles)


def test_workers_in_a_script_with_spawn(references):
    """The page's last cell: the process that runs the script ends with exit code 0."""
    done = references("08b").run("""
from tinytorch.data.callback_loader import DataLoader
def batches(**settings):
    loader = DataLoader(list(range(50)), bs=16, shuffle=True, seed=1, **settings)
    return [batch.data.tolist() for batch in loader]
print(batches(num_workers=2, start_method="spawn") == batches())
""")
    assert (done.returncode, done.stdout, done.stderr) == (0, "True\n", "")

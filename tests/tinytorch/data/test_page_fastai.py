"""Claims of fastai's documentation of its DataLoader that no law of lab 08b proves: its list of
features, and cells of nbs/02_data.load.ipynb, with lists in place of `L(...)`. "Sampling" is what
PyTorch's own tests ask of samplers.
"""

from __future__ import annotations

import inspect
import os
import string
import sys
import time  # noqa: F401 - the code of a row names it

import numpy as np
import pytest
from claims import prove, refused, rows, values

from tinytorch.core.tensor import Tensor

LETTERS = list(string.ascii_lowercase)
# with spawn, workers could not import the classes of this file
WORKERS = [0] if sys.platform == "win32" else [0, 1, 3]
several = pytest.mark.parametrize("num_workers", WORKERS)


class A(Tensor):
    """The page's `class A(TensorBase)`: a kind of Tensor of its own."""


# the page's arguments, in its order, with its defaults
SIGNATURE = (
    "dataset=None, bs=None, num_workers=0, pin_memory=False, timeout=0, batch_size=None,"
    " shuffle=False, drop_last=False, indexed=None, n=None, device=None, persistent_workers=False,"
    " pin_memory_device='', wif=None, before_iter=None, after_item=None, before_batch=None,"
    " after_batch=None, after_iter=None, create_batches=None, create_item=None, create_batch=None,"
    " retain=None, get_idxs=None, sample=None, shuffle_fn=None, do_batch=None"
)
# section: code: its value
CODE = {
    "bs=None": {
        "[type(batch) for batch in DataLoader([np.zeros(3)])]": [Tensor],
    },
    "bs": {
        "DataLoader(range(4), 2).one_batch()": [0, 1],
        "DataLoader([], 2).one_batch()": refused(ValueError, "this loader has no batches"),
        "list(DataLoader(range(3), 3, batch_size=2))": [[0, 1], [2]],
        "len(DataLoader(iter(range(9)), 2, n=4))": 2,
        "len(DataLoader(range(9), batch_sampler=[(4, 8), (1,)]))": 2,
        "list(DataLoader(range(3), 2, pin_memory=True, pin_memory_device='cuda'))": [[0, 1], [2]],
    },
    "indexed": {
        "list(DataLoader(Both('ab'), indexed=False))": ["i", "t"],
    },
    "Timeout": {
        "list(DataLoader([9], 1, num_workers=1, timeout=0.2, start_method='fork',"
        " after_item=time.sleep))": refused(TimeoutError, "timeout=0.2 seconds")
    },
    "Unknown attributes": {
        "DataLoader([1], bs=4).no_such_thing": refused(AttributeError, "no_such_thing"),
    },
    "Signature": {
        "', '.join(f'{name}={one.default!r}' for name, one in signature(DataLoader)"
        ".parameters.items() if one.kind is one.POSITIONAL_OR_KEYWORD)": SIGNATURE,
    },
}
# section: code: its value with any number of workers; `load` gives the batches of an epoch
WITH_WORKERS = {
    "bs": {
        "list(map(''.join, load(LETTERS, 4)))": "abcd efgh ijkl mnop qrst uvwx yz".split(),
    },
    "Kinds of Tensor": {
        "[type(part) for batch in load([(A([1, 2]),)] * 4, 4) for part in batch]": [A],
    },
    # what PyTorch's own tests ask of samplers
    "Sampling": {
        "load(range(20), 2, sampler=range(2, 7))": [[2, 3], [4, 5], [6]],
        "load(range(9), batch_sampler=[(4, 8), (1,)])": [[4, 8], [1]],
        "load(Bulk(range(9)), sampler=[[4, 8], [1]])": [[4, 8], [1]],
    },
    # test_callback_loader.py has the other hooks
    "Hooks": {
        "load(range(4), 2, after_batch=lambda batch: batch * 10)": [[0, 10], [20, 30]],
        "load(range(2), 2, after_batch=lambda batch: os.getpid())": [os.getpid()],
        "load(range(4), 2, get_idxs=lambda: [3, 1])": [[3, 1]],
        "load(None, 4, drop_last=True, create_item=lambda s, left=list(range(10)):"
        " left.pop() if left else stop())": [[9, 8, 7, 6], [5, 4, 3, 2]],
        "load(range(4), 2, sample=lambda: iter([2, 2]))": [[2, 2]],
        "load(range(4), 2, shuffle=True, shuffle_fn=lambda s: s[::-1])": [[3, 2], [1, 0]],
    },
}


class Bulk(list):
    """Reads a whole list of indices as one item."""

    def __getitem__(self, indices):
        return np.array(indices)


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


def test_no_multiproc_reads_in_this_process_until_its_end(lab):
    loader = lab.DataLoader(range(2), 2, num_workers=2, after_item=lambda item: os.getpid())
    with loader.fake_l.no_multiproc():
        assert values(list(loader)) == [[os.getpid()] * 2]
    assert loader.fake_l.num_workers == 2


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

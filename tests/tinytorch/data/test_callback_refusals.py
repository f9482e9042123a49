"""Module 08b's constructor takes a value and then works with it, or refuses it at once, in one
sentence with the argument and the value; no wrong value comes to light in the middle of an epoch.
"""

from __future__ import annotations

import inspect
import math

import numpy as np
import pytest

VALUES = [
    0, 1, 3, -1, 2.5, math.nan, math.inf, True, None, "", "bad", b"x", (), [], [1], {},
    {"a": 1}, {1}, np.int64(2), np.array([1, 2]), np.array(1.5), object(), len, range(3), iter([1]),
]  # fmt: skip
HOOK_NAMES = {
    *("wif before_iter after_item before_batch after_batch after_iter create_batches").split(),
    *("create_item create_batch retain get_idxs sample shuffle_fn do_batch worker_init").split(),
}


def arguments(lab):
    return [name for name in inspect.signature(lab.DataLoader).parameters if name != "self"]


def made(lab, name, value):
    given = {"dataset": list(range(6)), "bs": 2, name: value}
    if name == "batch_sampler":
        del given["bs"]
    return lab.DataLoader(**given)


def spelled(value) -> tuple[str, ...]:
    """How a message may show a value; 1 for a switch is shown as True."""
    return (repr(value), str(value), *(["=True"] if isinstance(value, int) and value == 1 else []))


def test_each_value_of_each_argument_works_or_is_refused_at_once_by_name(lab):
    obscure = []
    for name in arguments(lab):
        for value in VALUES:
            if name in ("sampler", "batch_sampler") and hasattr(value, "__iter__"):
                continue  # see below
            if name in HOOK_NAMES and callable(value):
                continue  # a function: what it does is the user's
            if name == "dataset" and (value is None or isinstance(value, dict)):
                continue  # create_item may still be set; the keys of a dict may be 0, 1, ...
            try:
                loader = made(lab, name, value)
            except (TypeError, ValueError) as refusal:
                said = str(refusal)
                if name not in said or not any(word in said for word in spelled(value)):
                    obscure.append((name, value, said))
                continue
            try:
                list(loader)
            except Exception as late:  # noqa: BLE001 - any error in the epoch is a late refusal
                obscure.append((name, value, f"late: {late!r}"))
    assert not obscure, "\n".join(map(str, obscure))


@pytest.mark.parametrize("name", ["sampler", "batch_sampler"])
def test_a_sampler_is_an_iterable_of_indices_also_one_that_is_set_later(lab, name):
    for value in ("bad", b"x", {}, {"a": 1}):
        with pytest.raises(TypeError, match=f"^{name} must be an iterable of"):
            made(lab, name, value)
    loader = lab.DataLoader(range(4), bs=2)
    with pytest.raises(TypeError, match=r"sampler must be an iterable of indices, got \{\}"):
        loader.sampler = {}
    loader.sampler = [3, 1]
    assert [batch.data.tolist() for batch in loader] == [[3, 1]]


@pytest.mark.parametrize("num_workers", [0, 1])
@pytest.mark.parametrize("hook", ["before_batch", "create_batch", "retain", "after_batch"])
@pytest.mark.parametrize("skipped", [False, True])
def test_stop_in_a_hook_of_a_batch_says_where_it_may_be_called(lab, hook, num_workers, skipped):
    def too_late(*_):
        lab.stop()

    after_item = lab.skip_where(lambda item: item == 1) if skipped else None
    loader = lab.DataLoader(
        range(8),
        bs=2,
        num_workers=num_workers,
        start_method="fork",
        after_item=after_item,
        **{hook: too_late},
    )
    with pytest.raises(RuntimeError, match="call it in create_item or after_item, not in too_late"):
        list(loader)


def test_stop_in_a_hook_of_a_batch_of_a_divided_stream_says_it_too(lab):
    from tinytorch.data.workers import worker_info

    class Asks:
        def __iter__(self):
            return iter(range(worker_info().id, 9, worker_info().num_workers))

    def too_late(items):
        lab.stop()

    loader = lab.DataLoader(Asks(), bs=2, num_workers=2, start_method="fork", before_batch=too_late)
    with pytest.raises(RuntimeError, match="call it in create_item or after_item, not in too_late"):
        list(loader)

"""Laws of exercise 3c, do_batch."""

from itertools import islice

import numpy as np
from stand_ins_08b import Failing

from tinytorch.law_tools import ERRORS, raised_by, shown
from tinytorch.laws import law

HOOKS = "before_batch", "create_batch", "retain"


def batches(tt, draw):
    """For several batches: the call, the items, what the hooks return, the batch, and
    [name, arguments] of each call of a hook.
    """
    a, b, c, *drawn = draw.integers(0, 100, int(draw.integers(5, 9))).tolist()
    for items, answers in (
        (["x", "y"], ["B", "C", "R"]),
        (["x", "y"], [[], 0, None]),
        (drawn, [[a, *drawn], [b], [c]]),
        (["x"], [None, ["C"], "R"]),
        ([], [[1], "", False]),
        (("x", "y"), ["B", ("C",), "R"]),
        ({"x": 1}, [{"x": 2}, "C", "R"]),
        (np.arange(3), [np.arange(4), np.zeros(2), np.ones(2)]),
    ):
        log = []
        hooks = {
            name: lambda *given, name=name, answer=answer, log=log: (
                log.append([name, list(given)]) or answer
            )
            for name, answer in zip(HOOKS, answers, strict=True)
        }
        bs = None if items is drawn else 2  # hooks are called without batches, too
        batch = tt.DataLoader("abc", bs=bs, **hooks).do_batch(items)
        call = f"bs={bs}, do_batch({items!r}), the hooks return {str(answers)[1:-1]}"
        yield call, items, answers, batch, log


@law(1, "in this order", look="call each of the three once, and keep what it returns")
def test_each_hook_is_called_once(tt, draw):
    for call, _, _, _, log in islice(batches(tt, draw), 5):  # without arrays
        yield f"{call}: hooks called", [name for name, _ in log], list(HOOKS)


@law(2, "before_batch gets the items", look="keep what before_batch returned, even []")
def test_create_batch_gets_what_before_batch_returned(tt, draw):
    for call, items, (before, *_), _, log in batches(tt, draw):
        want = [["before_batch", [items]], ["create_batch", [before]]]
        yield f"{call}: what the first two get", log[:2], want


@law(3, "retain gets", look="retain(batch, items), items as do_batch got them")
def test_retain_gets_the_items_that_came_in(tt, draw):
    for call, items, (_, created, _), _, log in batches(tt, draw):
        got = log[2:]
        yield f"{call}: what retain gets", got, [["retain", [created, items]]]


@law(4, "What retain returns", look="return what self.retain(...) returns")
def test_the_batch_is_what_retain_returned(tt, draw):
    for call, _, (*_, retained), batch, _ in batches(tt, draw):
        yield call, batch, retained


@law(5, "without a retry", look="no `try`: the error is for the caller")
def test_an_error_of_a_hook_passes_through(tt, draw):
    items = ["x", int(draw.integers(10**6)), "y"]
    for error in ERRORS:
        for name in HOOKS:
            failing = Failing(error)
            hooks = {"create_batch": list, "retain": lambda batch, items: batch}
            loader = tt.DataLoader("abc", bs=2, **{**hooks, name: failing.hook})
            got = (
                raised_by(lambda one=loader: one.do_batch([*items])),
                failing.calls,
            )
            call = f"do_batch({items}), {name} raises {shown(error)}: error, and"
            yield f"{call} calls of it", got, (shown(error), 1)

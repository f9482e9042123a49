"""Promises of epoch_order, collation and DataLoader. `tt` is your exported package."""

import numpy as np
import pytest

from tinytorch.core.tensor import Tensor
from tinytorch.testing import ReadLog, expect, expect_raises

pytestmark = pytest.mark.contract("contract_loader")


def values(loader):
    """One epoch as lists of numbers, one list a batch."""
    return [batch.data.tolist() for batch in loader]


def test_an_epoch_in_order_and_in_disorder(tt):
    order = tt.epoch_order(5, shuffle=False)
    expect(
        order.tolist() == [0, 1, 2, 3, 4] and order.dtype == np.int64,
        "Without shuffle an epoch visits 0, 1, ..., N-1, as int64.",
        call="epoch_order(5, shuffle=False)",
        got=f"{order.tolist()}, {order.dtype}",
        want="[0, 1, 2, 3, 4], int64",
    )
    order = tt.epoch_order(100, shuffle=True, seed=0)
    expect(
        sorted(order.tolist()) == list(range(100)),
        "A shuffled epoch visits every sample exactly once.",
        call="epoch_order(100, shuffle=True, seed=0)",
        got=f"{len(set(order.tolist()))} different indices of {len(order)}",
        want="100 different indices of 100",
        look="a draw puts an index back; a permutation does not",
    )
    expect_raises(
        ValueError,
        lambda: tt.epoch_order(-1, shuffle=False),
        "A negative number of samples is refused, with the value.",
        says="-1",
        call="epoch_order(-1, shuffle=False)",
    )


def test_the_last_batch_is_shorter(tt):
    loader = tt.DataLoader(list(range(10)), batch_size=4)
    got = values(loader)
    expect(
        got == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]],
        "Batches come in order, and the last one holds what is left.",
        call="list(DataLoader(list(range(10)), batch_size=4))",
        got=got,
        want=[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]],
        look="the end of the last slice",
    )
    expect(
        len(loader) == 3,
        "len(loader) counts the short last batch.",
        call="len(DataLoader(10 samples, batch_size=4))",
        got=len(loader),
        want=3,
        look="round up",
    )


def test_drop_last_leaves_the_short_batch_out(tt):
    loader = tt.DataLoader(list(range(10)), batch_size=4, drop_last=True)
    got = values(loader)
    expect(
        got == [[0, 1, 2, 3], [4, 5, 6, 7]],
        "With drop_last every batch is full.",
        call="list(DataLoader(list(range(10)), batch_size=4, drop_last=True))",
        got=got,
        want=[[0, 1, 2, 3], [4, 5, 6, 7]],
        look="the batch that is shorter than batch_size",
    )
    expect(
        len(loader) == 2,
        "With drop_last, len(loader) does not count the short batch.",
        call="len(loader)",
        got=len(loader),
        want=2,
        look="round down",
    )
    even = tt.DataLoader(list(range(8)), batch_size=4, drop_last=True)
    expect(
        len(even) == 2 and len(values(even)) == 2,
        "A full last batch is not dropped.",
        call="8 samples, batch_size=4, drop_last=True",
        got=f"len {len(even)}, {len(values(even))} batches",
        want="len 2, 2 batches",
    )


def test_nothing_is_read_before_its_batch_is_asked_for(tt):
    log = ReadLog(range(10))
    batches = iter(tt.DataLoader(log, batch_size=4))
    expect(
        log.reads == [],
        "Starting an epoch reads no sample.",
        call="iter(DataLoader(dataset, batch_size=4))",
        got=f"samples {log.reads} read",
        want="none read",
        look="is there a yield in _batches, and what happens before the first?",
    )
    next(batches)
    expect(
        log.reads == [0, 1, 2, 3],
        "A batch reads its own samples and no others.",
        call="next(batches)",
        got=f"samples {log.reads} read",
        want="samples [0, 1, 2, 3] read",
        look="read the samples of one batch inside the loop",
    )


def test_two_loops_over_one_loader_do_not_disturb_each_other(tt):
    loader = tt.DataLoader(list(range(6)), batch_size=2)
    first, second = iter(loader), iter(loader)
    got = [
        next(first).data.tolist(),
        next(second).data.tolist(),
        next(first).data.tolist(),
        next(second).data.tolist(),
    ]
    expect(
        got == [[0, 1], [0, 1], [2, 3], [2, 3]],
        "Each loop over a loader has its own place.",
        call="next() in turn on two iterators of one loader",
        got=got,
        want=[[0, 1], [0, 1], [2, 3], [2, 3]],
        look="keep the position in local variables, not in self",
    )


def test_a_bad_batch_size_is_refused_at_once(tt):
    for bad in (0, -3, True, 2.5):
        expect_raises(
            ValueError,
            lambda: tt.DataLoader([1, 2, 3], batch_size=bad),
            "A bad batch_size is refused when the loader is made, with the value.",
            says=["batch_size", str(bad)],
            call=f"DataLoader([1, 2, 3], batch_size={bad})",
            look="not an integer, or below 1; bool is a kind of int",
        )


def test_an_empty_dataset_gives_no_batch(tt):
    expect(
        values(tt.DataLoader([7], batch_size=4)) == [[7]],
        "A dataset of one sample gives one batch.",
        call="list(DataLoader([7], batch_size=4))",
        want=[[7]],
    )
    loader = tt.DataLoader([], batch_size=4)
    expect(
        len(loader) == 0 and values(loader) == [],
        "An empty dataset gives no batches, not an empty one.",
        call="list(DataLoader([], batch_size=4))",
        got=f"len {len(loader)}, batches {values(loader)}",
        want="len 0, batches []",
        look="how often does the loop run for N = 0?",
    )


def test_features_and_labels_stay_together_when_shuffled(tt):
    features, labels = np.arange(40, dtype=np.float32).reshape(20, 2), np.arange(20) * 2
    loader = tt.DataLoader(
        tt.TensorDataset(Tensor(features), Tensor(labels)),
        batch_size=6,
        shuffle=True,
        seed=3,
    )
    batches = list(loader)
    got = [len(batch_labels.data) for _, batch_labels in batches]
    expect(
        got == [6, 6, 6, 2],
        "Every row is in some batch.",
        call="rows in each batch of DataLoader(20 rows, batch_size=6, shuffle=True)",
        got=got,
        want=[6, 6, 6, 2],
    )
    for batch_features, batch_labels in batches:
        same = batch_features.data[:, 0] == batch_labels.data
        expect(
            same.all(),
            "Row k of the labels belongs to row k of the features, also when shuffled.",
            call="for features, labels in loader",
            got=f"{np.sum(~same)} of {len(same)} rows do not match",
            want="every row matches",
            look="one order for all tensors",
        )


def test_every_epoch_has_a_fresh_order_and_a_seed_repeats_the_run(tt):
    # Two orders of 50 are equal by chance once in 50!, about 3e64.
    def run(seed, epochs=2):
        loader = tt.DataLoader(list(range(50)), batch_size=50, shuffle=True, seed=seed)
        return [values(loader)[0] for _ in range(epochs)]

    first, second = run(seed=7)
    expect(
        first != second,
        "Every epoch has a fresh order.",
        call="two epochs of DataLoader(..., shuffle=True, seed=7)",
        got="the same order twice",
        want="two orders",
        look="does the epoch reach the generator's seed?",
    )
    expect(
        run(seed=7) == [first, second],
        "The same seed gives the same epochs in the same order.",
        call="the same run again, seed=7",
        got="other orders",
        want="the same two orders",
        look="what, besides (seed, epoch), does the order depend on?",
    )
    expect(
        run(seed=None)[0] != run(seed=None)[0],
        "Without a seed every run has its own order.",
        call="DataLoader(..., shuffle=True) twice",
        got="the same order twice",
        want="two orders",
        look="seed=None draws fresh entropy",
    )


def test_shuffling_leaves_the_global_generators_alone(tt, global_random_state):
    loader = tt.DataLoader(list(range(20)), batch_size=6, shuffle=True, seed=1)
    before = global_random_state()
    got = sorted(sum(values(loader), []))
    expect(
        got == list(range(20)),
        "A shuffled epoch has every sample once.",
        call="an epoch of DataLoader(20 samples, shuffle=True, seed=1)",
        got=got,
        want="0..19",
    )
    expect(
        global_random_state() == before,
        "Shuffling neither draws from the global generators nor seeds them.",
        call="an epoch of DataLoader(..., shuffle=True, seed=1)",
        got="np.random or random changed",
        want="unchanged",
        look="np.random.default_rng gives you a generator of your own",
    )


def test_a_batch_has_the_structure_of_a_sample(tt):
    def plain(batch):
        if isinstance(batch, dict):
            return {key: plain(part) for key, part in batch.items()}
        return (
            type(batch)(plain(part) for part in batch)
            if isinstance(batch, (tuple, list))
            else batch.data.tolist()
        )

    cases = [
        ([3, 4], [3, 4], "A bare sample gives a bare batch."),
        ([(3,), (4,)], ([3, 4],), "A 1-tuple gives a 1-tuple."),
        (
            [{"x": 1, "y": 5}, {"x": 2, "y": 6}],
            {"x": [1, 2], "y": [5, 6]},
            "A dict gives a dict with the same keys.",
        ),
        (
            [(1, {"a": 2}, 9), (3, {"a": 4}, 9)],
            ([1, 3], {"a": [2, 4]}, [9, 9]),
            "Structures inside structures are kept, and all three parts.",
        ),
    ]
    for samples, want, promise in cases:
        got = plain(next(iter(tt.DataLoader(samples, batch_size=2))))
        expect(
            got == want and type(got) is type(want),
            promise,
            call=f"next(iter(DataLoader({samples}, batch_size=2)))",
            got=got,
            want=want,
            look="what is one sample, and what does collate return for it?",
        )


def test_collation_keeps_the_dtype(tt):
    for dtype in ("uint8", "int64", "float32", "float64"):
        batch = tt.collate([np.ones(3, dtype), np.ones(3, dtype)])
        got = f"{type(batch).__name__} {batch.data.dtype} {batch.data.shape}"
        expect(
            got == f"Tensor {dtype} (2, 3)",
            "Stacking keeps the dtype and adds one dimension.",
            call=f"collate([two arrays of 3 {dtype}])",
            got=got,
            want=f"Tensor {dtype} (2, 3)",
            look="np.stack keeps a dtype; a list of Python numbers loses it",
        )


def test_samples_of_different_shapes_are_named(tt):
    samples = [np.zeros(3), np.zeros(3), np.zeros(4)]
    expect_raises(
        ValueError,
        lambda: tt.collate(samples),
        "Samples of different shapes are an error that names the position and the"
        " shapes.",
        says=["2", "(4,)", "(3,)"],
        call="collate([shape (3,), shape (3,), shape (4,)])",
        look="compare the shapes before you stack",
    )


def test_reading_ahead_gives_the_same_batches_and_reads_at_most_two(tt):
    log = ReadLog(range(12))
    batches = iter(tt.DataLoader(log, batch_size=3, prefetch=1))
    first = next(batches).data.tolist()
    expect(
        len(log.reads) <= 6,
        "With prefetch=1 at most two batches are read: yours and the next.",
        call="next(iter(DataLoader(dataset, batch_size=3, prefetch=1)))",
        got=f"{len(log.reads)} samples read",
        want="6 at most",
        look="_batches may read only what it yields next",
    )
    got = [first] + [batch.data.tolist() for batch in batches]
    expect(
        got == [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]],
        "Reading ahead changes no batch.",
        call="list(DataLoader(12 samples, batch_size=3, prefetch=1))",
        got=got,
        want="the batches without prefetch",
    )


def test_your_own_collate_fn_makes_the_batch(tt):
    got = list(tt.DataLoader([1, 2, 3], batch_size=2, collate_fn=sum))
    expect(
        got == [3, 3],
        "A collate_fn receives the list of samples and makes the batch.",
        call="list(DataLoader([1, 2, 3], batch_size=2, collate_fn=sum))",
        got=got,
        want=[3, 3],
    )

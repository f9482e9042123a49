"""Promises of DataLoader. `tt` is your exported package. The samples are numbers, and
`collate_fn=list` makes a batch of them.
"""

import numpy as np
import pytest

from tinytorch.core.tensor import Tensor
from tinytorch.testing import ReadLog, expect, expect_raises


def loader_of(tt, dataset, **settings):
    """A loader whose batches are plain lists of samples."""
    return tt.DataLoader(dataset, collate_fn=lambda samples: list(samples), **settings)


@pytest.mark.contract("test_loader_init")
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


@pytest.mark.contract("test_loader_init")
def test_every_integer_of_1_or_more_is_a_batch_size(tt):
    for good in (1, 7, np.int64(2)):
        got = tt.DataLoader([1, 2, 3], batch_size=good).batch_size
        expect(
            got == good,
            "Integers of 1 or more are accepted,"
            " also NumPy's and those larger than the dataset.",
            call=f"DataLoader([1, 2, 3], batch_size={good!r}).batch_size",
            got=got,
            want=good,
            look="isinstance(x, (int, np.integer))",
        )


def expect_length(tt, n, size, drop_last, want):
    call = f"len(DataLoader({n} samples, batch_size={size}, drop_last={drop_last}))"
    loader = tt.DataLoader([0] * n, batch_size=size, drop_last=drop_last)
    try:
        got = len(loader)
    except TypeError as problem:  # Python refuses a length that is no int, such as 3.0
        got = f"TypeError: {problem}"
    expect(
        got == want,
        "len(loader) rounds up, and down with drop_last.",
        call=call,
        got=got,
        want=want,
        look="when nothing is left over, up and down agree",
    )


@pytest.mark.contract("test_loader_len")
def test_a_short_last_batch_is_counted(tt):
    for n, size, want in ((10, 4, 3), (8, 4, 2), (9, 1, 9), (5, 3, 2)):
        expect_length(tt, n, size, False, want)


@pytest.mark.contract("test_loader_len")
def test_drop_last_does_not_count_the_short_batch(tt):
    for n, size, want in ((10, 4, 2), (8, 4, 2), (9, 1, 9), (5, 3, 1)):
        expect_length(tt, n, size, True, want)


@pytest.mark.contract("test_loader_len")
def test_the_length_of_small_and_empty_datasets(tt):
    expect_length(tt, 3, 3, False, 1)
    for n, drop_last, want in ((0, False, 0), (3, False, 1), (3, True, 0)):
        expect_length(tt, n, 4, drop_last, want)


@pytest.mark.contract("test_loader_batches")
def test_the_last_batch_is_shorter(tt):
    batches = list(loader_of(tt, list(range(10)), batch_size=4))
    got = [len(batch) for batch in batches]
    expect(
        got == [4, 4, 2] and sorted(sum(batches, [])) == list(range(10)),
        "An epoch covers every sample, the short last batch included.",
        call="list(DataLoader(range(10), batch_size=4))",
        got=batches,
        want="3 batches with 4, 4 and 2 of the samples 0..9",
        look="10 / 4 leaves 2 samples; they form a smaller last batch",
    )


@pytest.mark.contract("test_loader_batches")
def test_without_shuffle_batches_come_in_order(tt):
    got = list(loader_of(tt, list(range(10)), batch_size=4))
    expect(
        got == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]],
        "The batches are the pieces of the order, one after the other.",
        call="list(DataLoader(range(10), batch_size=4))",
        got=got,
        want=[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]],
        look="where does each piece of the order begin and end?",
    )


@pytest.mark.contract("test_loader_batches")
def test_drop_last_leaves_the_short_batch_out(tt):
    for n in (10, 8):
        batches = loader_of(tt, list(range(n)), batch_size=4, drop_last=True)
        got = [len(batch) for batch in batches]
        expect(
            got == [4, 4],
            "drop_last drops a batch because it is short, not because it is last.",
            call=f"DataLoader(range({n}), batch_size=4, drop_last=True)",
            got=f"batches of {got}",
            want="batches of [4, 4]",
            look="which piece is shorter than batch_size?",
        )


@pytest.mark.contract("test_loader_batches")
def test_nothing_is_read_before_its_batch_is_asked_for(tt):
    log = ReadLog(range(10))
    batches = iter(loader_of(tt, log, batch_size=4))
    expect(
        log.reads == [],
        "Starting an epoch reads no sample.",
        call="iter(DataLoader(dataset, batch_size=4))",
        got=f"samples {log.reads} read",
        want="none read",
        look="is there a yield in _batches, and what happens before the first?",
    )
    for count in (4, 8, 10):
        next(batches)
        expect(
            len(log.reads) == count,
            "A batch reads its own samples and no others.",
            call="next(batches)",
            got=f"{len(log.reads)} samples read so far",
            want=f"{count} samples read so far",
            look="read the samples of one batch inside the loop",
        )


@pytest.mark.contract("test_loader_batches")
def test_two_loops_over_one_loader_do_not_disturb_each_other(tt):
    loader = loader_of(tt, list(range(6)), batch_size=2)
    first, second = iter(loader), iter(loader)
    seen = [], []
    for _ in range(3):
        seen[0].extend(next(first))
        seen[1].extend(next(second))
    got = [sorted(samples) for samples in seen]
    expect(
        got == [list(range(6))] * 2,
        "Each loop over a loader has its own place.",
        call="next() in turn on two iterators of one loader",
        got=got,
        want="0..5 in both loops",
        look="keep the position in local variables, not in self",
    )


@pytest.mark.contract("test_loader_batches")
def test_small_and_empty_datasets(tt):
    for samples, want in (([7], [[7]]), ([], [])):
        got = list(loader_of(tt, samples, batch_size=4))
        expect(
            got == want,
            "A small dataset gives one short batch, an empty one no batch.",
            call=f"list(DataLoader({samples}, batch_size=4))",
            got=got,
            want=want,
            look="how often does the loop run for N = 0?",
        )


@pytest.mark.contract("test_loader_batches")
def test_each_epoch_follows_epoch_order(tt):
    # Two orders of 50 are equal by chance once in 50!, about 3e64.
    loader = loader_of(tt, list(range(50)), batch_size=8, shuffle=True, seed=7)
    for epoch in range(3):
        got = sum(loader, [])
        want = tt.epoch_order(50, shuffle=True, seed=7, epoch=epoch)
        want = np.asarray(want).tolist()
        expect(
            len(got) == 50 and got == want,
            "Epoch n of a shuffled loader follows epoch_order(N, True, seed, n).",
            call=f"epoch {epoch} of DataLoader(range(50), shuffle=True, seed=7)",
            got=got,
            want=want,
            look="are N, self.shuffle, self.seed and `epoch` all passed on?",
        )


@pytest.mark.contract("test_loader_batches")
def test_features_and_labels_stay_together_when_shuffled(tt):
    features, labels = np.arange(20, dtype=np.float32) * 10, np.arange(20)

    def columns(samples):
        return tuple(
            [float(part.data if isinstance(part, Tensor) else part) for part in column]
            for column in zip(*samples, strict=True)
        )

    loader = tt.DataLoader(
        tt.TensorDataset(features, labels),
        batch_size=6,
        shuffle=True,
        seed=3,
        collate_fn=columns,
    )
    seen = []
    for tens, ones in loader:
        ones = np.asarray(ones.data if isinstance(ones, Tensor) else ones).tolist()
        expect(
            tens == [10 * label for label in ones],
            "Row k of the labels belongs to row k of the features, also when shuffled.",
            call="for features, labels in DataLoader(TensorDataset(...), shuffle=True)",
            got=f"features {tens}, labels {ones}",
            want="each feature ten times its label",
            look="one order for all tensors",
        )
        seen += ones
    expect(
        len(seen) == 20,
        "Every row is in some batch.",
        call="DataLoader(20 rows, batch_size=6, shuffle=True)",
        got=f"{len(seen)} rows",
        want="20 rows",
    )


@pytest.mark.contract("test_loader_batches")
def test_reading_ahead_gives_the_same_batches_and_reads_at_most_two(tt):
    log = ReadLog(range(12))
    batches = iter(loader_of(tt, log, batch_size=3, prefetch=1))
    first = next(batches)
    expect(
        len(log.reads) <= 6,
        "With prefetch=1 at most two batches are read: yours and the next.",
        call="next(iter(DataLoader(dataset, batch_size=3, prefetch=1)))",
        got=f"{len(log.reads)} samples read",
        want="6 at most",
        look="_batches may read only what it yields next",
    )
    got = [first, *batches]
    expect(
        [len(batch) for batch in got] == [3, 3, 3, 3]
        and sorted(sum(got, [])) == list(range(12)),
        "Reading ahead changes no batch.",
        call="list(DataLoader(12 samples, batch_size=3, prefetch=1))",
        got=got,
        want="the batches without prefetch",
    )

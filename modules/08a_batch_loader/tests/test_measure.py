"""Promises of the access patterns, what they cost, and the pictures of it. `tt` is your
exported package.
"""

import contextlib

import numpy as np
import pytest

from tinytorch.testing import expect, expect_raises


def plain_cache(tt):
    """Put a plain cache in the place of `FileCache`, and return what puts it back."""
    from functools import lru_cache

    class PlainCache:
        def __init__(self, load, slots=1):
            self.get = lru_cache(slots)(load)

        loads = property(lambda self: self.get.cache_info().misses)
        hits = property(lambda self: self.get.cache_info().hits)

    before, tt.FileCache = vars(tt)["FileCache"], PlainCache
    return lambda: vars(tt).update(FileCache=before)


@pytest.fixture
def plain(inside):
    """A bug in `FileCache` costs no points of count_file_loads."""
    put_back = inside(plain_cache)
    yield
    with contextlib.suppress(pytest.fail.Exception):  # the process has ended
        put_back()


@pytest.mark.contract("test_within_files_order")
def test_file_after_file_each_one_shuffled(tt):
    order = tt.within_files_order(130, 50, 7)
    files = (order // 50).tolist()
    expect(
        sorted(order.tolist()) == list(range(130)) and files == sorted(files),
        "All records of one file come before those of the next; the last file may be"
        " short.",
        call="within_files_order(130, 50, 7)",
        got=f"{np.count_nonzero(np.diff(files))} changes of file",
        want="2 changes of file",
    )
    # Two orders of 50 are equal by chance, or one is sorted, once in 50!.
    first, second = order[:50].tolist(), (order[50:100] - 50).tolist()
    expect(
        first != list(range(50)) and first != second,
        "Within a file every order can come, another one in every file.",
        call="within_files_order(130, 50, 7), files 0 and 1",
        got="in order, or the same order twice",
        want="two random orders",
        look="draw anew for each file",
    )


@pytest.mark.contract("test_within_files_order")
def test_seed_and_epoch_decide_the_order(tt):
    def order(*settings):
        return tt.within_files_order(130, 50, *settings).tolist()

    expect(
        order(7) == order(7) and sorted(order(7)) == list(range(130)),
        "The same seed and epoch give the same order.",
        call="within_files_order(130, 50, 7), twice",
        got="two orders",
        want="one order",
        look="draw from rng",
    )
    # Two random orders of three files are equal once in 50! 50! 30!.
    expect(
        len({tuple(order(*settings)) for settings in ((7,), (7, 1), (8,), (), ())})
        == 5,
        "Another seed or epoch gives another order: seed 0, epoch 1 is not seed 1,"
        " epoch 0.",
        call="seed 7; seed 7, epoch 1; seed 8; no seed, twice",
        got="the same order twice",
        want="five orders",
        look="draw from rng",
    )


@pytest.mark.contract("test_count_file_loads")
def test_loads_depend_on_pattern_batch_and_cache(tt, plain):
    # Records of files 0 1 2 0 1 2.
    order = np.array([0, 10, 20, 1, 11, 21])
    for batch_size, slots, want in (
        (1, 1, 6),
        (1, 2, 6),
        (1, 3, 3),
        (3, 1, 6),
        (6, 1, 3),
        (2, 1, 6),
        (2, 2, 4),
    ):
        got = tt.count_file_loads(order, 10, batch_size, slots)
        expect(
            got == want,
            "One LRU cache of cache_size files, empty at first, serves the whole"
            " epoch.",
            call=f"count_file_loads([0, 10, 20, 1, 11, 21], 10, {batch_size}, {slots})",
            got=got,
            want=want,
        )


@pytest.mark.contract("test_count_file_loads")
def test_the_short_last_batch_and_no_batch_are_counted(tt, plain):
    for order, batch_size, want in (
        ([0, 1, 10, 11, 20], 2, 3),
        ([0, 10], 5, 2),
        ([], 2, 0),
    ):
        got = tt.count_file_loads(np.array(order, dtype=np.int64), 10, batch_size, 1)
        expect(
            got == want,
            "The short last batch counts too.",
            call=f"count_file_loads({order}, 10, {batch_size}, 1)",
            got=got,
            want=want,
        )


@pytest.mark.contract("test_hit_rate")
def test_a_hit_rate_is_a_fraction(tt):
    got = [tt.hit_rate(5, 50), tt.hit_rate(0, 3), tt.hit_rate(8, 8)]
    expect(
        np.allclose(got, [0.9, 1, 0]),
        "The hit rate is the fraction of records that needed no load.",
        call="hit_rate(5, 50), (0, 3), (8, 8)",
        got=got,
        want=[0.9, 1, 0],
        look="loads / records is the miss rate",
    )
    expect_raises(
        ValueError,
        lambda: tt.hit_rate(0, 0),
        "A rate over no records raises ValueError.",
        call="hit_rate(0, 0)",
    )


def bars(tt, records):
    """What plot_file_loads draws."""
    from matplotlib.figure import Figure

    ax = Figure().subplots()
    same = tt.plot_file_loads(records, ax) is ax
    heights = [
        float(bar.get_height())
        for bar in sorted(ax.patches, key=lambda bar: bar.get_x())
    ]
    names = [tick.get_text() for tick in ax.get_xticklabels()]
    return {
        "same": same,
        "bars": list(zip(names, heights, strict=False)),
        "labels": [ax.get_xlabel(), ax.get_ylabel()],
        "scale": ax.get_yscale(),
    }


def lines(tt, records):
    """What plot_hit_rate draws."""
    from matplotlib.figure import Figure

    ax = Figure().subplots()
    same = tt.plot_hit_rate(records, ax) is ax
    return {
        "same": same,
        "lines": {
            line.get_label(): [
                (float(x), round(float(y), 6))
                for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True)
            ]
            for line in ax.get_lines()
        },
        "labels": [ax.get_xlabel(), ax.get_ylabel()],
        "limits": [float(end) for end in ax.get_ylim()],
        "legend": [text.get_text() for text in ax.get_legend().get_texts()]
        if ax.get_legend()
        else [],
    }


@pytest.mark.contract("test_plot_file_loads")
def test_the_loads_of_each_pattern_are_a_bar(tt, inside):
    drawn = inside(bars, {"sequential": 5, "shuffled": 40000})
    expect(
        drawn["bars"] == [("sequential", 5.0), ("shuffled", 40000.0)],
        "Each pattern has one bar, as high as its loads, over its name.",
        call="plot_file_loads({sequential 5, shuffled 40000})",
        got=drawn["bars"],
        want=[("sequential", 5.0), ("shuffled", 40000.0)],
    )
    labels = drawn["labels"]
    expect(
        "access pattern" in labels[0] and "file loads" in labels[1],
        'The axes are labeled "access pattern" and "file loads per epoch".',
        call="plot_file_loads(records)",
        got=labels,
        want=["access pattern", "file loads per epoch"],
    )
    expect(
        drawn["scale"] == "log",
        "The y axis has a log scale, and every bar ends inside it.",
        got=drawn["scale"],
        want="log",
        look='ax.set_yscale("log")',
    )


@pytest.mark.contract("test_plot_hit_rate")
def test_the_rates_of_each_pattern_are_a_line(tt, inside):
    records = {"shuffled": [(1, 0.2), (5, 1.0)], "sequential": [(1, 0.99), (5, 0.99)]}
    drawn = inside(lines, records)
    want = {"shuffled": [(1, 20.0), (5, 100.0)], "sequential": [(1, 99.0), (5, 99.0)]}
    expect(
        drawn["lines"] == want,
        "Each pattern is a line of percentages over cache sizes.",
        call="plot_hit_rate({shuffled: ..., sequential: ...})",
        got=drawn["lines"],
        want=want,
        look="100 * rate; label=name",
    )
    expect(
        drawn["limits"] == [0, 100] and sorted(drawn["legend"]) == sorted(want),
        "The y axis goes from 0 to 100, and every cache size is visible.",
        call="plot_hit_rate(records)",
        got=(drawn["limits"], drawn["legend"]),
        want="from 0 to 100, and a legend",
        look="ax.set_ylim(0, 100), ax.legend()",
    )
